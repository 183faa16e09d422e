/* A captioner whose decoder is a stack of transformer layers against PyTorch
 * (tests/reference/make_captioner_stack.py): loss, gradients, and word by word the logits and where
 * each head looks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "captioner/decode/encode.h"
#include "captioner/learn/activations.h"
#include "captioner/photographs/album.h"
#include "random_network.h"
#include "saccade_arrays.h"

enum {
    LAYERS = 2,
    HEADS = 3,
    WIDTH = 12,
    HIDDEN = 20,
    WORDS = 11,
    CELLS = 4,
    PHOTOGRAPHS = 2,
    SENTENCES = 4,
    STEPS = 6,
    PAD = SAC_VOCABULARY_PAD,
    UNKNOWN = SAC_VOCABULARY_UNKNOWN,
    END = SAC_VOCABULARY_END,
    START = SAC_VOCABULARY_START
};

/* As make_captioner_stack.py has them: longer ones first. */
static const struct {
    int photograph, count, words[STEPS - 1];
} sentences[SENTENCES] = {
    {0, 5, {4, 7, 5, 10, 4}}, {1, 4, {6, 4, UNKNOWN, 8}}, {0, 3, {9, 4, 10}}, {0, 1, {8}}};
static int inputs[STEPS * SENTENCES], targets[STEPS * SENTENCES], objects[STEPS * SENTENCES];
static int lengths[SENTENCES], picture_of[SENTENCES];
static const sac_caption_lesson lesson = {.smoothing = 0.1f};

static sac_arrays *reference;

static int open_all(void **state)
{
    OK(sac_arrays_open(TESTS "/captioner/stack.npz", &reference, &failure));
    return open_device(state);
}

static int close_all(void **state)
{
    sac_arrays_close(reference);
    return close_device(state);
}

static const sac_array *find(const char *part, const char *name)
{
    char full[128];
    snprintf(full, sizeof full, "%s%s", part, name);
    const sac_array *array = sac_arrays_find(reference, full);
    if (!array)
        fail_msg("stack.npz has no %s", full);
    return array;
}

static void hold(const float *found, const float *expected, size_t count, const char *what)
{
    double scale = 0, off = 0;
    for (size_t i = 0; i < count; i++) {
        scale = fmax(scale, fabs((double)expected[i]));
        off = fmax(off, fabs((double)found[i] - (double)expected[i]));
    }
    if (!(off <= 2e-5 * scale + 1e-7))
        fail_msg("%s: off by %g of %g", what, off, scale);
}

static void hold_tensor(sac_tensor x, const sac_array *expected, const char *what)
{
    size_t count = sac_array_count(expected);
    float *found = malloc(count * sizeof *found);
    assert_int_equal(count, sac_tensor_count(x));
    OK(sac_span_read(device, sac_tensor_span(x), count, found, &failure));
    hold(found, expected->data, count, what);
    free(found);
}

/* The reference's decoder under a network whose weights are never used. */
static sac_captioner *create(void)
{
    static const char *const words[] = {"a", "b", "c", "d", "e", "f", "g"};
    sac_captioner *captioner;
    sac_caption_vocabulary table;
    OK(sac_caption_vocabulary_create(words, sizeof words / sizeof *words, &table, &failure));
    sac_captioner_words *list = sac_captioner_words_create(&table);
    sac_captioner_shape shape = sac_captioner_layered_shape("lite0", list);
    sac_captioner_words_free(list);
    shape.side = 64;
    shape.network.features = WIDTH;
    shape.stack.layers = LAYERS;
    shape.stack.heads = HEADS;
    shape.stack.hidden = HIDDEN;
    shape.no_repeat = 0;
    OK(sac_captioner_create(device, &shape, 3, &captioner, &failure));
    sac_captioner_shape_free(&shape);
    assert_int_equal(captioner->cells, CELLS);
    assert_int_equal(captioner->shape.vocabulary, WORDS);
    const sac_parameters *p = &captioner->base.parameters;
    for (int i = 0; i < p->count; i++)
        if (strncmp(p->list[i]->name, "decoder.", 8) == 0) {
            const sac_array *values = find("", p->list[i]->name);
            assert_int_equal(sac_array_count(values), p->list[i]->count);
            OK(sac_span_write(device, sac_tensor_span(p->list[i]->value), p->list[i]->count,
                              values->data, &failure));
        }
    return captioner;
}

static sac_caption_batch batch_of(float *grids)
{
    for (int b = 0; b < SENTENCES; b++) {
        picture_of[b] = sentences[b].photograph;
        lengths[b] = sentences[b].count + 1;
        for (int t = 0; t < STEPS; t++) {
            int at = t * SENTENCES + b, count = sentences[b].count;
            int next = t < count && t < STEPS - 1 ? sentences[b].words[t] : t == count ? END : PAD;
            inputs[at] = t == 0 ? START : t <= count ? sentences[b].words[t - 1] : PAD;
            targets[at] = next == UNKNOWN ? PAD : next; /* it is an input, and no target */
            objects[at] = -1;
        }
    }
    return (sac_caption_batch){.size = SENTENCES,
                               .steps = STEPS,
                               .photographs = PHOTOGRAPHS,
                               .grids = grids,
                               .picture_of = picture_of,
                               .seed = 5,
                               .targets = targets,
                               .inputs = inputs,
                               .object_of_word = objects,
                               .lengths = lengths};
}

/* ---------------------------------------------------------------- learning */

TEST(loss_and_gradients_are_those_of_pytorch)
{
    sac_captioner *c = create();
    sac_pass *pass = &c->base.pass;
    const sac_caption_batch batch = batch_of(NULL);
    size_t rows = sac_captioner_stack_sentences(&batch);
    assert_int_equal(rows, 3 * PHOTOGRAPHS); /* as many as the first photograph has */
    OK(sac_captioner_training_prepare(c, rows, STEPS, PHOTOGRAPHS, &failure));
    struct sac_captioner_training *a = c->training;
    sac_pass_write(pass, a->f.features, find("", "features")->data);
    sac_captioner_stack_learn(c, &a->stack, &batch, &lesson, a->host_targets, a->f.features,
                              a->df_features);
    sac_pass_read(pass, a->stack.losses, a->losses);
    OK(sac_pass_end(pass, &failure));
    float loss = sac_loss_sum(a->losses, rows * STEPS);
    hold(&loss, find("", "loss")->data, 1, "loss");
    hold_tensor(a->df_features, find("", "dfeatures"), "dfeatures");
    const sac_parameters *p = &c->base.parameters;
    for (int i = 0; i < p->count; i++)
        if (strncmp(p->list[i]->name, "decoder.", 8) == 0)
            hold_tensor(p->list[i]->gradient, find("d.", p->list[i]->name), p->list[i]->name);
    sac_captioner_destroy(c);
}

static float learn(sac_captioner *c, const sac_caption_batch *batch, const sac_caption_lesson *how)
{
    float losses[3];
    OK(sac_parameters_zero_gradients(&c->base.parameters, &failure));
    OK(sac_captioner_learn(c, batch, how, losses, &failure));
    assert_true(losses[1] == 0 && losses[2] == 0);
    return losses[0];
}

static void move(const sac_parameter *p, const float *from, const float *direction, float step)
{
    float *moved = malloc(p->count * sizeof *moved);
    for (size_t i = 0; i < p->count; i++)
        moved[i] = from[i] + step * direction[i];
    OK(sac_span_write(device, sac_tensor_span(p->value), p->count, moved, &failure));
    free(moved);
}

/* The way of the gradient through features that are dropped, their norm and their layer: a step
 * along it changes the loss by its square. Differences of float32 are exact to 1 per cent. */
TEST(the_gradient_goes_on_to_what_makes_the_features)
{
    sac_captioner *c = create();
    network_at_random(c);
    size_t numbers = PHOTOGRAPHS * sac_album_grid_numbers(c);
    float *grids = malloc(numbers * sizeof *grids);
    for (size_t i = 0; i < numbers; i++)
        grids[i] = (float)((i * 7919) % 97) / 97;
    const sac_caption_batch batch = batch_of(grids);
    const sac_caption_lesson how = {.smoothing = 0.1f, .dropout = 0.25f, .grid_dropout = 0.2f};
    const sac_captioner_weights *w = &c->weights;
    const sac_parameter *const along[] = {w->project.weight, w->project.bias, w->norm.gain,
                                          w->norm.bias};
    for (size_t k = 0; k < sizeof along / sizeof *along; k++) {
        size_t count = along[k]->count;
        float *value = malloc(count * sizeof *value), *slope = malloc(count * sizeof *slope);
        double square = 0;
        learn(c, &batch, &how);
        OK(sac_span_read(device, sac_tensor_span(along[k]->value), count, value, &failure));
        OK(sac_span_read(device, sac_tensor_span(along[k]->gradient), count, slope, &failure));
        for (size_t i = 0; i < count; i++)
            square += (double)slope[i] * slope[i];
        float step = (float)(0.005 / sqrt(square + 1e-12));
        move(along[k], value, slope, step);
        double above = learn(c, &batch, &how);
        move(along[k], value, slope, -step);
        double below = learn(c, &batch, &how);
        move(along[k], value, slope, 0);
        double rise = (above - below) / (2 * (double)step);
        if (!(square > 1e-8 && fabs(rise - square) < 0.02 * square))
            fail_msg("%s: rises by %g, not %g", along[k]->name, rise, square);
        free(value);
        free(slope);
    }
    free(grids);
    sac_captioner_destroy(c);
}

/* ---------------------------------------------------------------- generation */

/* A captioner that has looked at the first photograph. */
static sac_captioner *create_looking(void)
{
    sac_captioner *c = create();
    OK(sac_decode_buffers_prepare(c, &failure));
    sac_pass_write(&c->base.pass, c->decode->f.features, find("", "features")->data);
    OK(sac_pass_end(&c->base.pass, &failure));
    return c;
}

static sac_result_request longest_request(int beam)
{
    sac_result_request request = {.beam = beam, .prefix_count = sentences[0].count};
    memcpy(request.prefix, sentences[0].words, sizeof sentences[0].words);
    return request;
}

static void hold_probabilities(const sac_result *caption)
{
    const float *logits = find("", "logits")->data;
    for (int t = 0; t < STEPS - 1; t++) {
        double sum = 0;
        for (int w = 0; w < WORDS; w++)
            sum += exp((double)logits[t * WORDS + w]);
        assert_float_equal(caption->outputs[t].probability,
                           exp((double)logits[t * WORDS + sentences[0].words[t]]) / sum, 2e-5);
    }
}

/* The mean over the layers and heads that are requested (0: all). */
static void hold_weights(const sac_result *caption, int layer, int head)
{
    const float *cross = find("", "cross")->data;
    for (int i = 0; i < (STEPS - 1) * CELLS; i++) {
        double sum = 0;
        int count = 0;
        for (int l = 0; l < LAYERS; l++)
            for (int h = 0; h < HEADS; h++)
                if ((!layer || l == layer - 1) && (!head || h == head - 1)) {
                    sum += cross[(l * HEADS + h) * STEPS * CELLS + i];
                    count++;
                }
        assert_float_equal(caption->weights[i], sum / count, 2e-5);
    }
}

TEST(step_by_step_it_shows_and_sees_what_all_at_once_does)
{
    sac_captioner *c = create_looking();
    for (int beam = 1; beam <= 3; beam += 2)
        for (int layer = 0; layer <= LAYERS; layer++)
            for (int head = 0; head <= HEADS; head++) {
                sac_result caption;
                sac_result_request request = longest_request(beam);
                request.layer = layer;
                request.head = head;
                OK(sac_captioner_generate(c, &request, &caption, &failure));
                hold_probabilities(&caption);
                hold_weights(&caption, layer, head);
                assert_true(caption.outputs[0].gate == 1);
                sac_result_free(&caption);
            }
    sac_result caption;
    sac_result_request request = {.layer = LAYERS + 1};
    assert_int_equal(sac_captioner_generate(c, &request, &caption, &failure), SAC_E_ARGUMENT);
    sac_captioner_destroy(c);
}

/* Each row of weights sums to 1 over the cells that are left, at any temperature. */
TEST(hidden_cells_are_not_looked_at)
{
    sac_captioner *c = create_looking();
    static const uint8_t hidden[CELLS] = {0, 1, 0, 1}, all[CELLS] = {1, 1, 1, 1};
    sac_result caption, plain;
    sac_result_request request = longest_request(2);
    OK(sac_captioner_generate(c, &request, &plain, &failure));
    request.hidden = hidden;
    request.temperature = 2;
    OK(sac_captioner_generate(c, &request, &caption, &failure));
    for (int t = 0; t < caption.count; t++) {
        const float *w = caption.weights + (size_t)t * CELLS;
        assert_true(w[1] == 0 && w[3] == 0);
        assert_float_equal(w[0] + w[2], 1, 1e-6);
    }
    assert_true(fabsf(caption.outputs[2].probability - plain.outputs[2].probability) > 1e-4f);
    sac_result_free(&caption);
    request.hidden = all;
    OK(sac_captioner_generate(c, &request, &caption, &failure));
    for (int i = 0; i < caption.count * CELLS; i++)
        assert_true(caption.weights[i] == 0);
    sac_result_free(&caption);
    sac_result_free(&plain);
    sac_captioner_destroy(c);
}

/* A spot on one cell is what is seen where all others are hidden. */
TEST(held_words_see_what_is_left_where_all_else_is_hidden)
{
    sac_captioner *c = create_looking();
    static const uint8_t hidden[CELLS] = {1, 1, 0, 1};
    sac_result caption, right;
    for (int beam = 1; beam <= 3; beam += 2) {
        sac_result_request request = longest_request(beam);
        request.hidden = hidden;
        OK(sac_captioner_generate(c, &request, &right, &failure));
        request.hidden = NULL;
        request.gaze = (sac_gaze){.x = 0, .y = 1, .radius = 0.01f};
        OK(sac_captioner_generate(c, &request, &caption, &failure));
        for (int t = 0; t < STEPS - 1; t++) {
            assert_float_equal(caption.outputs[t].probability, right.outputs[t].probability, 1e-5);
            for (int n = 0; n < CELLS; n++)
                assert_float_equal(caption.weights[t * CELLS + n], n == 2, 1e-6);
        }
        sac_result_free(&caption);
        sac_result_free(&right);
    }
    sac_captioner_destroy(c);
}

/* From the third word on, of two heads. In the first layer the others look where they looked, as nothing that is held comes
 * before them. */
TEST(heads_that_are_not_held_look_by_themselves)
{
    sac_captioner *c = create_looking();
    sac_result caption, own;
    sac_result_request request = longest_request(2);
    request.gaze = (sac_gaze){.x = 1, .radius = 0.5f, .from = 2, .heads = "0.1,1.2"};
    float spot[CELLS];
    sac_gaze_spot(&request.gaze, NULL, 2, 2, spot);
    for (request.layer = 1; request.layer <= LAYERS; request.layer++)
        for (request.head = 1; request.head <= HEADS; request.head++) {
            const bool held = (request.layer == 1 && request.head == 2) || request.head == 3;
            const bool is_held = held && !(request.layer == 1 && request.head == 3);
            sac_result_request plain = request;
            plain.gaze = (sac_gaze){0};
            OK(sac_captioner_generate(c, &plain, &own, &failure));
            OK(sac_captioner_generate(c, &request, &caption, &failure));
            for (int i = 0; i < (STEPS - 1) * CELLS; i++)
                if (i < 2 * CELLS || (request.layer == 1 && !is_held))
                    assert_float_equal(caption.weights[i], own.weights[i], 1e-6);
                else if (is_held)
                    assert_float_equal(caption.weights[i], spot[i % CELLS], 1e-6);
            assert_float_equal(caption.outputs[1].probability, own.outputs[1].probability, 1e-6);
            assert_true(fabsf(caption.outputs[2].probability - own.outputs[2].probability) > 1e-5f);
            sac_result_free(&caption);
            sac_result_free(&own);
        }
    request = longest_request(2);
    OK(sac_captioner_generate(c, &request, &caption, &failure)); /* nothing of it is left */
    hold_probabilities(&caption);
    sac_result_free(&caption);
    request.gaze = (sac_gaze){.radius = 1, .heads = "2.0"};
    assert_int_equal(sac_captioner_generate(c, &request, &caption, &failure), SAC_E_ARGUMENT);
    sac_captioner_destroy(c);
}

/* Each by itself, as where it alone is asked for. */
TEST(heads_look_where_each_is_shown_to_look)
{
    sac_captioner *c = create_looking();
    sac_result caption;
    for (int beam = 1; beam <= 3; beam += 2)
        for (int layer = 0; layer < LAYERS; layer++) {
            float maps[HEADS * (STEPS - 1) * CELLS];
            sac_result_request request = longest_request(beam);
            OK(sac_captioner_generate(c, &request, &caption, &failure));
            sac_result_free(&caption);
            OK(sac_captioner_head_maps(c, &request, layer, STEPS - 1, maps, &failure));
            request.layer = layer + 1;
            for (request.head = 1; request.head <= HEADS; request.head++) {
                OK(sac_captioner_generate(c, &request, &caption, &failure));
                for (int i = 0; i < (STEPS - 1) * CELLS; i++)
                    assert_float_equal(maps[(request.head - 1) * (STEPS - 1) * CELLS + i],
                                       caption.weights[i], 1e-6);
                sac_result_free(&caption);
            }
        }
    sac_captioner_destroy(c);
}

/* With any beam: the words are followed anew. */
TEST(what_counts_for_a_word_is_pytorchs_gradient_times_the_cells)
{
    sac_captioner *c = create_looking();
    static const uint8_t hidden[CELLS] = {0, 1, 0, 1};
    const int *words = sentences[0].words, count = sentences[0].count;
    float counts[(STEPS - 1) * CELLS];
    sac_result_request request = {0};
    OK(sac_captioner_gradient(c, &request, words, count, counts, &failure));
    hold(counts, find("", "counts")->data, (STEPS - 1) * CELLS, "counts");
    request.hidden = hidden;
    request.temperature = 2;
    OK(sac_captioner_gradient(c, &request, words, count, counts, &failure));
    hold(counts, find("", "counts_hidden")->data, (STEPS - 1) * CELLS, "counts_hidden");
    sac_captioner_destroy(c);
}

/* (gradient × cell)+, and times the attention of what was asked for, each map's sum 1. */
TEST(maps_of_what_counts_are_made_of_gradient_and_attention)
{
    sac_captioner *c = create_looking();
    const float *counts = find("", "counts")->data;
    for (int head = 0; head <= HEADS; head++)
        for (int weighs = 0; weighs < 2; weighs++) {
            sac_result raw, caption;
            sac_result_request request = longest_request(2);
            request.head = head;
            OK(sac_captioner_generate(c, &request, &raw, &failure));
            request.attribution = weighs ? SAC_ATTRIBUTION_RELEVANCE : SAC_ATTRIBUTION_GRADIENT;
            OK(sac_captioner_generate(c, &request, &caption, &failure));
            assert_int_equal(caption.attribution, request.attribution);
            for (int t = 0; t < STEPS - 1; t++) { /* the words that were asked for */
                double sum = 0;
                for (int n = 0; n < CELLS; n++)
                    sum +=
                        fmax(counts[t * CELLS + n], 0) * (weighs ? raw.weights[t * CELLS + n] : 1);
                for (int n = 0; n < CELLS; n++)
                    assert_float_equal(caption.weights[t * CELLS + n],
                                       fmax(counts[t * CELLS + n], 0) *
                                           (weighs ? raw.weights[t * CELLS + n] : 1) / sum,
                                       1e-4);
                assert_float_equal(caption.outputs[t].entropy,
                                   sac_entropy(caption.weights + (size_t)t * CELLS, CELLS), 0);
            }
            sac_result_free(&raw);
            sac_result_free(&caption);
        }
    sac_captioner_destroy(c);
}

static void hold_kind(const sac_attentions *a, int which, const char *name)
{
    const sac_attention_kind *kind = &a->kind[which];
    const float *expected = find("", name)->data;
    size_t all = kind->steps * kind->positions;
    assert_int_equal(kind->steps, STEPS - 1);
    for (size_t map = 0; map < LAYERS * HEADS; map++)
        for (size_t t = 0; t < kind->steps; t++)
            for (size_t i = 0; i < kind->positions; i++) {
                size_t width = which == SAC_CROSS_ATTENTION ? CELLS : STEPS;
                assert_float_equal(kind->weights[map * all + t * kind->positions + i],
                                   expected[(map * STEPS + t) * width + i], 2e-5);
            }
}

TEST(every_head_of_a_caption_looks_where_pytorchs_does)
{
    sac_captioner *c = create_looking();
    sac_result caption;
    sac_attentions a;
    const sac_result_request request = longest_request(1);
    OK(sac_captioner_generate(c, &request, &caption, &failure));
    int words[SAC_MAX_TOKENS];
    sac_result_tokens(&caption, words); /* the last of which is its own */
    OK(sac_captioner_attentions(c, words, STEPS - 1, &a, &failure));
    assert_null(a.kind[SAC_ENCODER_ATTENTION].weights);
    hold_kind(&a, SAC_DECODER_ATTENTION, "self");
    hold_kind(&a, SAC_CROSS_ATTENTION, "cross");
    assert_string_equal(a.kind[SAC_DECODER_ATTENTION].position_labels.text[0], "start");
    assert_string_equal(a.kind[SAC_CROSS_ATTENTION].step_labels.text[0], "a");
    sac_attentions_free(&a);
    assert_int_equal(sac_captioner_attentions(c, words, 0, &a, &failure), SAC_E_ARGUMENT);
    sac_result_free(&caption);
    sac_captioner_destroy(c);
}

/* A head's weight follows from its query and keys; of a mean the weights alone are known. */
TEST(a_weight_is_explained)
{
    sac_captioner *c = create_looking();
    sac_result caption;
    sac_result_request generated = longest_request(2);
    generated.layer = 2;
    generated.head = 3;
    OK(sac_captioner_generate(c, &generated, &caption, &failure));
    for (size_t step = 0; step < STEPS - 1; step++) {
        sac_explanation e;
        const sac_explanation_request request = {
            .step = step, .position = 2, .caption = &generated};
        OK(sac_captioner_explain(c, &request, &e, &failure));
        assert_int_equal(e.dim, WIDTH / HEADS);
        for (int n = 0; n < CELLS; n++) {
            assert_float_equal(e.shares[n], caption.weights[step * CELLS + n], 2e-5);
            assert_true(e.weights[n] == caption.weights[step * CELLS + n]);
        }
        sac_explanation_free(&e);
    }
    sac_result_free(&caption);
    generated.head = 0;
    OK(sac_captioner_generate(c, &generated, &caption, &failure));
    sac_explanation e;
    const sac_explanation_request request = {.step = 1, .position = 2, .caption = &generated};
    OK(sac_captioner_explain(c, &request, &e, &failure));
    assert_int_equal(e.dim, 0);
    assert_true(e.weights[2] == caption.weights[CELLS + 2]);
    sac_explanation_free(&e);
    sac_result_free(&caption);
    sac_captioner_destroy(c);
}

TEST_MAIN(open_all, close_all)
