/* Words that are drawn by a policy, and its loss. */
#include "nn/training.h"
#include "reference.h"
#include "status.h"
#include "test.h"

enum { WORDS = 37, ROWS = 4000, GREEDY = 3, END = 5, PAD = 0 };
static const sac_policy policy = {0.6f, 1u << 0 | 1u << 9};

/* One row for all, and what a policy makes of it. */
static void make_logits(float logits[WORDS], double p[WORDS])
{
    double numbers[WORDS], sum = 0;
    reference_fill(numbers, WORDS, 5);
    for (int w = 0; w < WORDS; w++) {
        logits[w] = (float)numbers[w];
        sum += p[w] = w < 32 && policy.barred >> w & 1 ? 0 : exp(logits[w] / 0.6);
    }
    for (int w = 0; w < WORDS; w++)
        p[w] /= sum;
}

typedef struct drawing {
    sac_arena arena;
    sac_tensor logits;
    sac_ints before, words;
    float *numbers; /* [rows,WORDS] */
    size_t rows;
} drawing;

static void begin(drawing *d, const float row[WORDS])
{
    *d = (drawing){.rows = reference_is_oclgrind() ? 40 : ROWS};
    sac_pass *pass = reference_pass();
    sac_arena_shape(&d->arena, pass, &d->logits, d->rows, WORDS);
    sac_arena_shape_ints(&d->arena, pass, &d->before, d->rows);
    sac_arena_shape_ints(&d->arena, pass, &d->words, d->rows);
    d->numbers = malloc(d->rows * WORDS * sizeof *d->numbers);
    for (size_t i = 0; i < d->rows * WORDS; i++)
        d->numbers[i] = row[i % WORDS];
}

/* The first two have ended at the step before. */
static void draw(drawing *d, uint32_t key, size_t step, int *words)
{
    const sac_word_draw how = {policy, d->rows - GREEDY, key, END, PAD};
    sac_pass *pass = reference_pass();
    for (size_t i = 0; i < d->rows; i++)
        words[i] = i == 0 ? END : i == 1 ? PAD : 7;
    sac_pass_write(pass, d->logits, d->numbers);
    sac_pass_write_ints(pass, d->before, words);
    sac_draw_words(pass, &how, step, d->logits, d->before, d->words);
    SAC_PASS_CALL(pass, sac_buffer_read(pass->device, d->words.buffer, 0, d->rows * sizeof *words,
                                        words, &pass->error));
    reference_end();
}

static void end(drawing *d)
{
    free(d->numbers);
    sac_arena_release(&d->arena);
}

TEST(words_are_drawn_as_often_as_the_policy_has_them)
{
    float row[WORDS];
    double p[WORDS], chi = 0;
    static int words[ROWS], again[ROWS];
    int count[WORDS] = {0}, best = 1;
    drawing d;
    make_logits(row, p);
    begin(&d, row);
    draw(&d, 11, 3, words);
    for (int w = 1; w < WORDS; w++)
        best = p[w] > p[best] ? w : best;
    for (size_t i = 2; i < d.rows; i++) {
        assert_in_range(words[i], 1, WORDS - 1);
        if (i >= d.rows - GREEDY)
            assert_int_equal(words[i], best);
        else
            count[words[i]]++;
    }
    assert_int_equal(words[0], PAD); /* after the end, and after what follows it */
    assert_int_equal(words[1], PAD);
    const double all = (double)d.rows - GREEDY - 2;
    for (int w = 0; w < WORDS; w++) {
        if (p[w] == 0)
            assert_int_equal(count[w], 0);
        else
            chi += (count[w] - all * p[w]) * (count[w] - all * p[w]) / (all * p[w]);
    }
    assert_true(chi < 34 + 5 * sqrt(2 * 34)); /* 34 degrees of freedom, five deviations */
    draw(&d, 11, 3, again);
    assert_memory_equal(words, again, d.rows * sizeof *words);
    draw(&d, 11, 4, again);
    assert_memory_not_equal(words, again, d.rows * sizeof *words);
    draw(&d, 12, 3, again);
    assert_memory_not_equal(words, again, d.rows * sizeof *words);
    end(&d);
}

TEST(loss_of_a_policy_is_minus_the_factor_times_log_p)
{
    float row[WORDS], *losses, *gradient;
    double p[WORDS];
    drawing d;
    make_logits(row, p);
    begin(&d, row);
    sac_tensor factors = {0}, loss = {0};
    sac_pass *pass = reference_pass();
    sac_arena_shape(&d.arena, pass, &factors, d.rows, 1);
    sac_arena_shape(&d.arena, pass, &loss, d.rows, 1);
    losses = calloc(d.rows, sizeof *losses);
    gradient = calloc(d.rows * WORDS, sizeof *gradient);
    int *targets = calloc(d.rows, sizeof *targets);
    for (size_t i = 0; i < d.rows; i++) {
        targets[i] = i % 5 == 4 ? -1 : 10 + (int)(i % 20);
        losses[i] = (float)(i % 7) - 3;
    }
    sac_pass_write(pass, d.logits, d.numbers);
    sac_pass_write(pass, factors, losses);
    sac_pass_write_ints(pass, d.words, targets);
    sac_policy_loss(pass, &policy, loss, d.logits, d.words, factors);
    sac_pass_read(pass, loss, losses);
    sac_pass_read(pass, d.logits, gradient);
    reference_end();
    for (size_t i = 0; i < d.rows; i++) {
        double factor = targets[i] < 0 ? 0 : (double)(i % 7) - 3;
        double wanted = factor == 0 ? 0 : -factor * log(p[targets[i]]);
        assert_true(fabs(losses[i] - wanted) < 1e-5 * fmax(1, fabs(wanted)));
        for (int w = 0; w < WORDS; w++)
            assert_true(fabs(gradient[i * WORDS + (size_t)w] -
                             factor * (p[w] - (w == targets[i])) / 0.6) < 1e-5);
    }
    free(losses);
    free(gradient);
    free(targets);
    end(&d);
}

TEST_MAIN(NULL, reference_close)
