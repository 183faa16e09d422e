/* The losses and their gradients are those of plain double-precision ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/losses.h"
#include "reference.h"
#include "test.h"

#define TOLERANCE 1e-5 /* of the largest: single precision, sums of some hundred */

static cl_mem ints(const int *x, size_t count)
{
    cl_mem buffer = NULL;
    sac_error error = {0};
    reference_ok(sac_buffer_create(reference_device(), count * sizeof(cl_int), x, &buffer, &error),
                 &error);
    return buffer;
}

/* ---------------------------------------------------------------- words */

enum { ROWS = 9, WORDS = 13 };

typedef struct words {
    double logits[ROWS * WORDS], gradient[ROWS * WORDS], losses[ROWS], scale, smoothing;
    int targets[ROWS];
} words;

static double word_loss(void *context)
{
    words *w = context;
    double total = 0;
    for (int row = 0; row < ROWS; row++) {
        const double *line = w->logits + row * WORDS;
        double highest = line[0], sum = 0, wanted = 0;
        for (int i = 0; i < WORDS; i++)
            highest = fmax(highest, line[i]);
        for (int i = 0; i < WORDS; i++) {
            double share = w->smoothing / WORDS;
            sum += exp(line[i] - highest);
            wanted += (i == w->targets[row] ? 1 - w->smoothing + share : share) * line[i];
        }
        bool counts = w->targets[row] >= 0;
        w->losses[row] = counts ? w->scale * (log(sum) + highest - wanted) : 0;
        total += w->losses[row];
    }
    return total;
}

static void check_words(double spread, double smoothing)
{
    static words w;
    w.smoothing = (float)smoothing;
    reference_fill(w.logits, ROWS * WORDS, 5);
    w.scale = 0.125;
    for (int i = 0; i < ROWS * WORDS; i++)
        w.logits[i] = (float)(w.logits[i] * spread);
    for (int row = 0; row < ROWS; row++)
        w.targets[row] = row % 4 == 3 ? -row : row * 5 % WORDS;
    reference_differences(word_loss, &w, w.logits, ROWS * WORDS, w.gradient);
    word_loss(&w);
    sac_span logits = reference_span(w.logits, ROWS * WORDS), losses = reference_span(NULL, ROWS);
    cl_mem targets = ints(w.targets, ROWS);
    sac_smoothed_word_loss(reference_pass(), reference_tensor(losses, ROWS, 1),
                           reference_tensor(logits, ROWS, WORDS), (sac_ints){targets, 0, ROWS},
                           (float)w.scale, (float)smoothing);
    reference_end();
    reference_check(losses, w.losses, ROWS, TOLERANCE, "losses");
    reference_check(logits, w.gradient, ROWS * WORDS, TOLERANCE, "dlogits");
    sac_span_release(&logits);
    sac_span_release(&losses);
    sac_buffer_release(targets);
}

TEST(the_word_loss_and_its_gradient_are_right)
{
    check_words(3, 0);
    check_words(3, 0.1);
}

TEST(large_logits_do_not_overflow)
{
    check_words(400, 0); /* e^400 is no float, and no double above e^709 */
}

/* ---------------------------------------------------------------- the gaze */

enum { STEPS = 4, BATCH = 3, CELLS = 21, OBJECTS = 2, WEIGHTS = STEPS * BATCH * CELLS };

/* Sentences of 4, 2 and 0 steps; a step beyond a sentence names an object all the same, which must
 * not count. */
static const int lengths[BATCH] = {4, 2, 0};
static const int about[STEPS * BATCH] = {-1, 0, 0, 1, -1, 1, 0, 1, 0, 1, 0, -1};
enum { NAMED = 4 };

typedef struct gazes {
    double weights[WEIGHTS], cover[BATCH * OBJECTS * CELLS], gradient[WEIGHTS];
    double coverage_weight, gaze_weight, losses[2 * BATCH];
} gazes;

static double spread_loss(const gazes *g, int b)
{
    double loss = 0;
    for (int n = 0; n < CELLS; n++) {
        double missing = 1;
        for (int t = 0; t < lengths[b]; t++)
            missing -= g->weights[(t * BATCH + b) * CELLS + n];
        loss += missing * missing * g->coverage_weight / (BATCH * CELLS);
    }
    return loss;
}

static double pointing_loss(const gazes *g, int b)
{
    double loss = 0;
    for (int t = 0; t < lengths[b]; t++) {
        int object = about[t * BATCH + b];
        if (object < 0)
            continue;
        double inside = reference_dot(g->weights + (t * BATCH + b) * CELLS,
                                      g->cover + (b * OBJECTS + object) * CELLS, CELLS);
        loss -= log(1e-6 + inside) * g->gaze_weight / NAMED;
    }
    return loss;
}

static double attention_loss(void *context)
{
    gazes *g = context;
    double total = 0;
    for (int b = 0; b < BATCH; b++) {
        g->losses[b] = spread_loss(g, b);
        g->losses[BATCH + b] = pointing_loss(g, b);
        total += g->losses[b] + g->losses[BATCH + b];
    }
    return total;
}

/* Positive, as weights are. */
static void fill_positive(double *x, size_t count, unsigned seed, double factor)
{
    reference_fill(x, count, seed);
    for (size_t i = 0; i < count; i++)
        x[i] = (float)((1.01 + x[i]) * factor);
}

static void check_gazes(double coverage_weight, double gaze_weight)
{
    static gazes g;
    g.coverage_weight = coverage_weight;
    g.gaze_weight = gaze_weight;
    fill_positive(g.weights, WEIGHTS, 6, 1.0 / CELLS);
    fill_positive(g.cover, BATCH * OBJECTS * CELLS, 7, 0.49);
    reference_differences(attention_loss, &g, g.weights, WEIGHTS, g.gradient);
    attention_loss(&g);
    sac_span weights = reference_span(g.weights, WEIGHTS);
    sac_span cover = reference_span(g.cover, BATCH * OBJECTS * CELLS);
    sac_span dweights = reference_span(NULL, WEIGHTS), losses = reference_span(NULL, 2 * BATCH);
    cl_mem length_ints = ints(lengths, BATCH), about_ints = ints(about, STEPS * BATCH);
    sac_attention_loss loss = {
        STEPS, BATCH, CELLS, OBJECTS, (float)coverage_weight, (float)gaze_weight, NAMED};
    sac_attention_truth truth = {{length_ints, 0, BATCH},
                                 {about_ints, 0, STEPS * BATCH},
                                 reference_tensor(cover, BATCH * OBJECTS, CELLS)};
    sac_attention_loss_run(reference_pass(), &loss, reference_tensor(losses, 2, BATCH),
                           reference_tensor(dweights, STEPS * BATCH, CELLS),
                           reference_tensor(weights, STEPS * BATCH, CELLS), &truth);
    reference_end();
    reference_check(losses, g.losses, 2 * BATCH, TOLERANCE, "losses");
    reference_check(dweights, g.gradient, WEIGHTS, TOLERANCE, "dweights");
    sac_span_release(&weights);
    sac_span_release(&cover);
    sac_span_release(&dweights);
    sac_span_release(&losses);
    sac_buffer_release(length_ints);
    sac_buffer_release(about_ints);
}

TEST(the_doubly_stochastic_loss_is_right)
{
    check_gazes(0.7, 0);
}

TEST(the_supervised_loss_is_right)
{
    check_gazes(0, 1.3);
}

TEST(both_together_are_their_sum)
{
    check_gazes(1, 0.5);
}

TEST_MAIN(NULL, reference_close)
