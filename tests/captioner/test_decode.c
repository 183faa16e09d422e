/* src/models/captioner/decode: the captions of a tiny captioner with random weights, and what it promises
 * about its words and maps whatever they are. */

#include "captioner/decode/encode.h"
#include "generate/beam.h"
#include "on_device.h"
#include "scores/normalizers.h"
#include "shapes/vocabulary.h"
#include "sources/words/peak.h"
#include "status.h"
#include "test.h"

enum { SIDE = 8, GRID = 4, CELLS = GRID * GRID };

/* A captioner that has looked at picture 0. */
typedef struct generator {
    sac_captioner *captioner;
} generator;

static uint8_t pixel_of(int i, int number)
{
    return (uint8_t)((i * 89 + i * i * 7 + number * (i % 31) * 37) % 256);
}

static void look_at(generator *s, int number)
{
    sac_image image;
    OK(sac_image_create(SIDE, SIDE, &image, NULL));
    for (int i = 0; i < 4 * SIDE * SIDE; i++)
        image.rgba[i] = pixel_of(i, number);
    OK(sac_captioner_encode_square(s->captioner, &image, &failure));
    sac_image_free(&image);
}

static void scale(generator *s, const char *name, float factor)
{
    const sac_parameters *p = &s->captioner->base.parameters;
    size_t count = 0;
    sac_span span = {0};
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->list[i]->name, name) == 0) {
            count = p->list[i]->count;
            span = sac_tensor_span(p->list[i]->value);
        }
    float *values = malloc(count * sizeof *values);
    OK(sac_span_read(device, span, count, values, &failure));
    for (size_t i = 0; i < count; i++)
        values[i] *= factor;
    OK(sac_span_write(device, span, count, values, &failure));
    free(values);
}

/* New weights generate the same word again and again, of any picture, and look everywhere. Larger ones
 * in places make sentences of some words, which have to do with the picture, and maps with peaks.
 */
static void sharpen(generator *s)
{
    static const struct {
        const char *name;
        float factor;
    } larger[] = {{"start.state.weight", 4},   {"start.cell.weight", 4},
                  {"lstm.word.weight", 4},     {"lstm.context.weight", 4},
                  {"lstm.state.weight", 4},    {"words.state.weight", 6},
                  {"words.context.weight", 4}, {"attention.query.weight", 6}};
    for (size_t i = 0; i < sizeof larger / sizeof *larger; i++)
        scale(s, larger[i].name, larger[i].factor);
}

static int open_attention(void **state, sac_score score, sac_normalizer normalizer)
{
    sac_captioner_shape shape = {.side = SIDE,
                                 .layers = 2,
                                 .layer = {{4, 2}, {6, 1}},
                                 .score = score,
                                 .normalizer = normalizer,
                                 .attention = 5,
                                 .hidden = 7,
                                 .embedding = 4,
                                 .vocabulary = SAC_WORDS};
    generator *s = calloc(1, sizeof *s);
    OK(sac_captioner_create(device, &shape, 5, &s->captioner, &failure));
    sharpen(s);
    look_at(s, 0);
    *state = s;
    return 0;
}

static int open_additive(void **state)
{
    return open_attention(state, SAC_SCORE_ADDITIVE, SAC_NORMALIZER_SOFTMAX);
}

static int open_dot(void **state)
{
    return open_attention(state, SAC_SCORE_SCALED_DOT, SAC_NORMALIZER_SOFTMAX);
}

static int open_bilinear(void **state)
{
    return open_attention(state, SAC_SCORE_BILINEAR, SAC_NORMALIZER_SOFTMAX);
}

static int open_entmax15(void **state)
{
    return open_attention(state, SAC_SCORE_ADDITIVE, SAC_NORMALIZER_ENTMAX15);
}

static int open_sparsemax(void **state)
{
    return open_attention(state, SAC_SCORE_SCALED_DOT, SAC_NORMALIZER_SPARSEMAX);
}

static int close_generator(void **state)
{
    generator *s = *state;
    sac_captioner_destroy(s->captioner);
    free(s);
    return 0;
}

#define CAPTIONS(name) TEST_ON(generator, s, name, open_additive, close_generator)
/* The same by the attention of another score. */
#define ALSO_OF_DOT(name) TEST_LISTED(name, _of_dot, open_dot, close_generator, NULL)
#define ALSO_BILINEAR(name) TEST_LISTED(name, _bilinear, open_bilinear, close_generator, NULL)
/* The same with weights that may be 0. */
#define ALSO_SPARSE(name)                                                                          \
    TEST_LISTED(name, _by_entmax15, open_entmax15, close_generator, NULL)                          \
    TEST_LISTED(name, _by_sparsemax, open_sparsemax, close_generator, NULL)

static sac_result generate(generator *s, sac_result_request request)
{
    sac_result caption;
    OK(sac_captioner_generate(s->captioner, &request, &caption, &failure));
    assert_int_equal(caption.grid_w, GRID);
    assert_int_equal(caption.grid_h, GRID);
    assert_in_range(caption.count, 1, SAC_CAPTIONER_WORDS);
    return caption;
}

static const float *map_of(const sac_result *caption, int word)
{
    return caption->weights + (size_t)word * CELLS;
}

static bool are_same_words(const sac_result *a, const sac_result *b)
{
    bool same = a->count == b->count;
    for (int i = 0; i < a->count && same; i++)
        same = a->outputs[i].word == b->outputs[i].word;
    return same;
}

static void assert_same(const sac_result *a, const sac_result *b, double bound)
{
    assert_true(are_same_words(a, b));
    for (int i = 0; i < a->count; i++) {
        assert_float_equal(a->outputs[i].probability, b->outputs[i].probability, bound);
        assert_float_equal(a->outputs[i].gate, b->outputs[i].gate, bound);
        for (int k = 0; k < CELLS; k++)
            assert_float_equal(map_of(a, i)[k], map_of(b, i)[k], bound);
    }
}

/* The most that two orders of the same float32 sums may differ: a few thousand products of numbers
 * around 1, at 6e-8 each, through a dozen steps. */
#define ROUNDING 1e-4

/* ---------------------------------------------------------------- words */

/* Without a beam, batches or records: step by step, the likeliest word each time. */
CAPTIONS(greedy_is_the_decoder_run_by_hand)
{
    sac_result caption = generate(s, (sac_result_request){.beam = 1});
    for (int i = 0; i < caption.count && i < 6; i++) {
        const sac_result_output *word = &caption.outputs[i];
        assert_true(word->probability >= word->alternative_probability[0]);
        /* Given all words up to this one, the model is where it was. */
        sac_result_request request = {.beam = 1, .prefix_count = i};
        for (int k = 0; k < i; k++)
            request.prefix[k] = caption.outputs[k].word;
        sac_result again = generate(s, request);
        assert_same(&caption, &again, ROUNDING);
        sac_result_free(&again);
    }
    sac_result_free(&caption);
}

/* The sentences of a beam change rows from step to step; their states have to follow. */
CAPTIONS(a_beams_sentence_has_the_figures_it_has_alone)
{
    for (int picture = 0; picture < 2; picture++)
        for (int beam = 3; beam <= 16; beam += 13) {
            look_at(s, picture);
            sac_result caption = generate(s, (sac_result_request){.beam = beam});
            sac_result_request request = {.beam = 1, .prefix_count = caption.count};
            for (int i = 0; i < caption.count; i++)
                request.prefix[i] = caption.outputs[i].word;
            sac_result alone = generate(s, request);
            alone.count = caption.count; /* greedy may go on where the beam came to an end */
            assert_same(&caption, &alone, ROUNDING);
            sac_result_free(&caption);
            sac_result_free(&alone);
        }
}
ALSO_BILINEAR(a_beams_sentence_has_the_figures_it_has_alone)
ALSO_OF_DOT(a_beams_sentence_has_the_figures_it_has_alone)
ALSO_SPARSE(a_beams_sentence_has_the_figures_it_has_alone)

CAPTIONS(three_sentences_are_followed_by_default)
{
    sac_result one = generate(s, (sac_result_request){0});
    sac_result other = generate(s, (sac_result_request){.beam = 3});
    assert_same(&one, &other, 0);
    sac_result_free(&one);
    sac_result_free(&other);
}

CAPTIONS(given_words_are_generated_and_the_model_goes_on)
{
    sac_result free_one = generate(s, (sac_result_request){0});
    sac_result_request request = {.prefix = {SAC_WORD_SHAPE, SAC_WORD_LEFT}, .prefix_count = 2};
    sac_result given = generate(s, request);
    assert_true(given.count >= 2);
    assert_int_equal(given.outputs[0].word, SAC_WORD_SHAPE);
    assert_int_equal(given.outputs[1].word, SAC_WORD_LEFT);
    assert_string_equal(given.outputs[0].text, sac_word_text(SAC_WORD_SHAPE));
    assert_true(given.outputs[0].probability > 0 && given.outputs[0].probability < 1);
    assert_false(are_same_words(&free_one, &given));
    sac_result_free(&free_one);
    sac_result_free(&given);
}

CAPTIONS(a_caption_can_be_given_whole)
{
    sac_result_request request = {.prefix_count = SAC_CAPTIONER_WORDS};
    for (int i = 0; i < SAC_CAPTIONER_WORDS; i++)
        request.prefix[i] = SAC_WORD_A + i % (SAC_WORDS - SAC_WORD_A);
    sac_result caption = generate(s, request);
    assert_int_equal(caption.count, SAC_CAPTIONER_WORDS);
    assert_false(caption.finished);
    for (int i = 0; i < SAC_CAPTIONER_WORDS; i++)
        assert_int_equal(caption.outputs[i].word, request.prefix[i]);
    sac_result_free(&caption);
}

CAPTIONS(other_words_come_most_probable_first)
{
    sac_result caption = generate(s, (sac_result_request){0});
    for (int i = 0; i < caption.count; i++) {
        const sac_result_output *word = &caption.outputs[i];
        double sum = word->probability;
        for (int k = 0; k < 4; k++) {
            assert_in_range(word->alternative[k], SAC_WORD_A, SAC_WORDS - 1);
            assert_int_not_equal(word->alternative[k], word->word);
            for (int j = 0; j < k; j++) {
                assert_int_not_equal(word->alternative[k], word->alternative[j]);
                assert_true(word->alternative_probability[k] <= word->alternative_probability[j]);
            }
            sum += word->alternative_probability[k];
        }
        assert_true(sum <= 1 + ROUNDING);
    }
    sac_result_free(&caption);
}

/* In place of a word, another one has the probability that was promised. */
CAPTIONS(another_word_has_the_probability_that_was_reported)
{
    sac_result caption = generate(s, (sac_result_request){0});
    int last = caption.count - 1;
    sac_result_request request = {.prefix_count = caption.count};
    for (int i = 0; i < last; i++)
        request.prefix[i] = caption.outputs[i].word;
    for (int k = 0; k < 4; k += 3) {
        request.prefix[last] = caption.outputs[last].alternative[k];
        sac_result other = generate(s, request);
        assert_float_equal(other.outputs[last].probability,
                           caption.outputs[last].alternative_probability[k], ROUNDING);
        sac_result_free(&other);
    }
    sac_result_free(&caption);
}

CAPTIONS(the_same_picture_gives_the_same_to_the_last_bit)
{
    sac_result one = generate(s, (sac_result_request){0});
    look_at(s, 1);
    sac_result other = generate(s, (sac_result_request){0});
    look_at(s, 0);
    sac_result again = generate(s, (sac_result_request){0});
    assert_same(&one, &again, 0);
    assert_memory_not_equal(map_of(&one, 0), map_of(&other, 0), CELLS * sizeof(float));
    sac_result_free(&one);
    sac_result_free(&other);
    sac_result_free(&again);
}

/* ---------------------------------------------------------------- maps */

CAPTIONS(maps_sum_to_1_and_their_figures_are_right)
{
    sac_result caption = generate(s, (sac_result_request){0});
    float highest = 0;
    for (int i = 0; i < caption.count; i++) {
        const float *map = map_of(&caption, i);
        const sac_result_output *word = &caption.outputs[i];
        double sum = 0, x = 0, y = 0, bits = 0;
        for (int k = 0; k < CELLS; k++) {
            sum += map[k];
            x += map[k] * (k % GRID + 0.5);
            y += map[k] * (k / GRID + 0.5);
            bits -= map[k] > 0 ? map[k] * log2(map[k]) : 0;
            highest = fmaxf(highest, map[k]);
        }
        assert_int_equal(word->peak_y * GRID + word->peak_x, sac_map_peak(map, GRID, GRID));
        assert_float_equal(sum, 1, 1e-5);
        assert_float_equal(word->centre_x, x, 1e-4);
        assert_float_equal(word->centre_y, y, 1e-4);
        assert_float_equal(word->entropy, bits, 1e-4);
        assert_true(word->gate > 0 && word->gate < 1);
    }
    assert_float_equal(caption.max_weight, highest, 0);
    assert_true(caption.milliseconds > 0);
    sac_result_free(&caption);
}
ALSO_BILINEAR(maps_sum_to_1_and_their_figures_are_right)
ALSO_OF_DOT(maps_sum_to_1_and_their_figures_are_right)
ALSO_SPARSE(maps_sum_to_1_and_their_figures_are_right)

CAPTIONS(hidden_cells_are_not_looked_at)
{
    uint8_t hidden[CELLS] = {0, 1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1};
    sac_result caption = generate(s, (sac_result_request){.hidden = hidden});
    for (int i = 0; i < caption.count; i++) {
        double sum = 0;
        for (int k = 0; k < CELLS; k++) {
            if (hidden[k])
                assert_true(map_of(&caption, i)[k] == 0);
            else
                assert_true(map_of(&caption, i)[k] > 0);
            sum += map_of(&caption, i)[k];
        }
        assert_float_equal(sum, 1, 1e-5);
    }
    sac_result_free(&caption);
    sac_result open = generate(s, (sac_result_request){0}); /* nothing of it stays */
    assert_true(map_of(&open, 0)[1] > 0);
    sac_result_free(&open);
}
ALSO_OF_DOT(hidden_cells_are_not_looked_at)

CAPTIONS(with_all_hidden_it_generates_without_the_picture)
{
    uint8_t hidden[CELLS];
    memset(hidden, 1, sizeof hidden);
    sac_result caption = generate(s, (sac_result_request){.hidden = hidden});
    for (int i = 0; i < caption.count; i++) {
        for (int k = 0; k < CELLS; k++)
            assert_true(map_of(&caption, i)[k] == 0);
        assert_true(isfinite(caption.outputs[i].probability));
        assert_float_equal(caption.outputs[i].entropy, 0, 0);
        assert_float_equal(caption.outputs[i].centre_x, GRID / 2.0, 0);
    }
    assert_float_equal(caption.max_weight, 0, 0);
    sac_result_free(&caption);
}

CAPTIONS(heat_flattens_the_maps)
{
    /* The first word's map comes from the picture alone. */
    sac_result usual = generate(s, (sac_result_request){0});
    sac_result one = generate(s, (sac_result_request){.temperature = 1});
    sac_result cold = generate(s, (sac_result_request){.temperature = 0.1f});
    sac_result hot = generate(s, (sac_result_request){.temperature = 100});
    assert_same(&usual, &one, 0);
    assert_true(cold.outputs[0].entropy < usual.outputs[0].entropy - 0.1f);
    assert_true(hot.outputs[0].entropy > usual.outputs[0].entropy);
    assert_float_equal(hot.outputs[0].entropy, log2(CELLS), 0.01);
    sac_result_free(&usual);
    sac_result_free(&one);
    sac_result_free(&cold);
    sac_result_free(&hot);
}

/* The first word's scores come from the picture alone: of softmax weights, which give the scores but for
 * what all have in common, each normalizer makes those of the caption. */
CAPTIONS(another_normalizer_makes_other_weights_of_the_same_scores)
{
    sac_result usual = generate(s, (sac_result_request){0});
    for (int n = 0; n < SAC_NORMALIZER_COUNT; n++) {
        sac_result caption = generate(s, (sac_result_request){.normalizer = 1 + n});
        double scores[CELLS], right[CELLS];
        for (int k = 0; k < CELLS; k++)
            scores[k] = log((double)map_of(&usual, 0)[k]);
        sac_normalize((sac_normalizer)n, CELLS, scores, right);
        for (int k = 0; k < CELLS; k++)
            assert_float_equal(map_of(&caption, 0)[k], right[k], 2e-5);
        for (int i = 0; i < caption.count; i++) {
            double sum = 0;
            for (int k = 0; k < CELLS; k++)
                sum += (double)map_of(&caption, i)[k];
            assert_float_equal(sum, 1, 1e-5);
        }
        sac_result_free(&caption);
    }
    sac_result again = generate(s, (sac_result_request){0});
    assert_same(&usual, &again, 0);
    sac_result_free(&again);
    sac_result_free(&usual);
}
ALSO_OF_DOT(another_normalizer_makes_other_weights_of_the_same_scores)

/* ---------------------------------------------------------------- where a person holds it */

static double *read_numbers(sac_span span, size_t count)
{
    float *floats = malloc(count * sizeof *floats);
    double *numbers = malloc(count * sizeof *numbers);
    assert_true(floats && numbers);
    OK(sac_span_read(device, span, count, floats, &failure));
    for (size_t i = 0; i < count; i++)
        numbers[i] = (double)floats[i];
    free(floats);
    return numbers;
}

static double *read_parameter(const sac_parameter *p)
{
    return read_numbers(sac_tensor_span(p->value), p->count);
}

/* y [rows] += W [rows,columns] x, W of a parameter */
static void add_product(double *y, size_t rows, const sac_parameter *w, const double *x)
{
    const size_t columns = w->count / rows;
    double *numbers = read_parameter(w);
    for (size_t i = 0; i < w->count; i++)
        y[i / columns] += numbers[i] * x[i % columns];
    free(numbers);
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

/* All of the decoder in float64, where every word sees Σ spot[n] feature[n]: no query and key have a part in it. */
typedef struct held_reference {
    const sac_captioner_weights *w;
    size_t hidden, embedding, depth;
    double *seen, *state, *cell; /* [D], [H], [H] */
} held_reference;

static held_reference begin_reference(const generator *s, const float *spot)
{
    const sac_captioner *c = s->captioner;
    held_reference r = {&c->weights, (size_t)c->shape.hidden, (size_t)c->shape.embedding,
                        (size_t)c->depth, .seen = calloc((size_t)c->depth, sizeof(double))};
    double *features = read_numbers(sac_tensor_span(c->decode->f.features), CELLS * r.depth);
    double *mean = calloc(r.depth, sizeof *mean);
    for (size_t i = 0; i < CELLS * r.depth; i++) {
        r.seen[i % r.depth] += (double)spot[i / r.depth] * features[i];
        mean[i % r.depth] += features[i] / CELLS;
    }
    r.state = read_parameter(r.w->state.bias);
    r.cell = read_parameter(r.w->cell.bias);
    add_product(r.state, r.hidden, r.w->state.weight, mean);
    add_product(r.cell, r.hidden, r.w->cell.weight, mean);
    for (size_t h = 0; h < r.hidden; h++) {
        r.state[h] = tanh(r.state[h]);
        r.cell[h] = tanh(r.cell[h]);
    }
    free(features);
    free(mean);
    return r;
}

/* The probability of `word` after `before`; *gate is how much of the picture was let in. */
static double step_reference(held_reference *r, int before, int word, double *gate)
{
    const size_t H = r->hidden, M = r->embedding, V = SAC_WORDS;
    double *table = read_parameter(r->w->embedding), *sums = read_parameter(r->w->lstm_bias);
    double *z = malloc(r->depth * sizeof *z), *bias = read_parameter(r->w->gate_bias);
    double *mixed = malloc(M * sizeof *mixed), *logits = read_parameter(r->w->output.bias), all = 0;
    memcpy(mixed, table + (size_t)before * M, M * sizeof *mixed);
    add_product(bias, 1, r->w->gate, r->state);
    *gate = logistic(bias[0]);
    for (size_t d = 0; d < r->depth; d++)
        z[d] = *gate * r->seen[d];
    add_product(sums, 4 * H, r->w->from_word, mixed);
    add_product(sums, 4 * H, r->w->from_context, z);
    add_product(sums, 4 * H, r->w->from_state, r->state);
    for (size_t h = 0; h < H; h++) {
        r->cell[h] = logistic(sums[H + h]) * r->cell[h] + logistic(sums[h]) * tanh(sums[2 * H + h]);
        r->state[h] = logistic(sums[3 * H + h]) * tanh(r->cell[h]);
    }
    add_product(mixed, M, r->w->output.state, r->state);
    add_product(mixed, M, r->w->output.context, z);
    add_product(logits, V, r->w->output.out, mixed);
    for (size_t v = 0; v < V; v++)
        all += exp(logits[v] - logits[word]);
    free(table);
    free(sums);
    free(z);
    free(bias);
    free(mixed);
    free(logits);
    return 1 / all;
}

CAPTIONS(held_words_are_those_of_float64)
{
    const sac_gaze places[] = {{.x = 0.4f, .y = 2.2f, .radius = 0.7f}, {.x = 3, .radius = 0.25f}};
    for (size_t i = 0; i < 2; i++) {
        float spot[CELLS];
        sac_result caption = generate(s, (sac_result_request){.gaze = places[i]});
        sac_gaze_spot(&places[i], NULL, GRID, GRID, spot);
        held_reference r = begin_reference(s, spot);
        for (int t = 0; t < caption.count; t++) {
            const sac_result_output *word = &caption.outputs[t];
            double gate,
                right = step_reference(&r, t ? caption.outputs[t - 1].word : SAC_WORD_START,
                                       word->word, &gate);
            assert_float_equal(word->probability, right, 2e-5);
            assert_float_equal(word->gate, gate, 2e-6);
            for (int n = 0; n < CELLS; n++)
                assert_true(map_of(&caption, t)[n] == spot[n]);
        }
        free(r.seen);
        free(r.state);
        free(r.cell);
        sac_result_free(&caption);
    }
}
ALSO_OF_DOT(held_words_are_those_of_float64)
ALSO_BILINEAR(held_words_are_those_of_float64)
ALSO_SPARSE(held_words_are_those_of_float64)

/* At a temperature without end it looks everywhere alike, as at a spot without end. */
CAPTIONS(held_where_it_looks_it_generates_the_same)
{
    sac_result_request request = {.temperature = 1e8f};
    sac_result own = generate(s, request);
    request.gaze = (sac_gaze){.x = 1.5f, .y = 1.5f, .radius = 1e4f};
    sac_result held = generate(s, request);
    assert_same(&own, &held, ROUNDING);
    sac_result_free(&own);
    sac_result_free(&held);
}
ALSO_OF_DOT(held_where_it_looks_it_generates_the_same)
ALSO_SPARSE(held_where_it_looks_it_generates_the_same)

CAPTIONS(words_before_the_first_held_one_look_by_themselves)
{
    uint8_t hidden[CELLS] = {0, 1};
    float spot[CELLS];
    for (int beam = 1; beam <= 3; beam += 2) {
        sac_result own = generate(s, (sac_result_request){.beam = beam, .hidden = hidden});
        sac_result_request request = {.beam = beam,
                                      .hidden = hidden,
                                      .prefix_count = 2,
                                      .gaze = {.x = 1, .y = 0, .radius = 1, .from = 2}};
        for (int t = 0; t < 2; t++)
            request.prefix[t] = own.outputs[t].word;
        sac_result held = generate(s, request);
        sac_gaze_spot(&request.gaze, hidden, GRID, GRID, spot);
        assert_true(held.count > 2 && spot[1] == 0);
        for (int t = 0; t < held.count; t++)
            for (int n = 0; n < CELLS; n++)
                assert_float_equal(map_of(&held, t)[n], t < 2 ? map_of(&own, t)[n] : spot[n], 1e-6);
        sac_result_free(&held);
        sac_result_free(&own);
    }
    sac_result caption;
    const sac_result_request heads = {.gaze = {.radius = 1, .heads = "0.0"}};
    assert_int_equal(sac_captioner_generate(s->captioner, &heads, &caption, &failure),
                     SAC_E_ARGUMENT);
}

/* ---------------------------------------------------------------- the layers */

/* The decoder by the layers that training uses, a launch each, one sentence at a time. */
typedef struct layered {
    sac_captioner *captioner;
    sac_arena arena;
    sac_ints word;
    sac_byte_tensor mask;
    sac_captioner_features f; /* what the captioner has looked at */
    sac_captioner_step step;
    sac_deep_output_tensors output;
} layered;

static sac_tensor row(layered *l, size_t width)
{
    sac_tensor x = {0};
    sac_arena_shape(&l->arena, &l->captioner->base.pass, &x, 1, width);
    return x;
}

/* Writes the mean [D] of the features of the cells that are not hidden. */
static void write_mean(layered *l, const uint8_t *hidden)
{
    sac_pass *pass = &l->captioner->base.pass;
    size_t depth = l->f.features.width, seen = 0;
    float *features = malloc(CELLS * depth * sizeof *features), *mean = calloc(depth, sizeof *mean);
    sac_pass_read(pass, l->f.features, features);
    for (size_t n = 0; n < CELLS; n++) {
        bool is_seen = !hidden || !hidden[n];
        for (size_t c = 0; c < depth && is_seen; c++)
            mean[c] += features[n * depth + c];
        seen += is_seen;
    }
    for (size_t c = 0; c < depth; c++)
        mean[c] /= seen ? (float)seen : 1;
    sac_pass_write(pass, l->f.mean, mean);
    free(features);
    free(mean);
}

static void begin_layered(layered *l, generator *s, float temperature, const uint8_t *hidden)
{
    const sac_captioner *c = s->captioner;
    sac_pass *pass = &s->captioner->base.pass;
    size_t hidden_width = (size_t)c->shape.hidden, depth = (size_t)c->depth;
    *l = (layered){.captioner = s->captioner, .f = c->decode->f};
    sac_arena_shape_ints(&l->arena, pass, &l->word, 1);
    sac_arena_shape_bytes(&l->arena, pass, &l->mask, CELLS);
    if (hidden)
        sac_pass_write_bytes(pass, l->mask, hidden);
    l->step = (sac_captioner_step){
        .shared = true,
        .temperature = temperature,
        .features = l->f.features,
        .keys = l->f.keys,
        .mask = hidden ? l->mask.buffer : NULL,
        .embedded = row(l, (size_t)c->shape.embedding),
        .state = row(l, hidden_width),
        .cell = row(l, hidden_width),
        .query = row(l, (size_t)c->keys),
        .beta = row(l, 1),
        .weights = row(l, CELLS),
        .context = row(l, depth),
        .z = row(l, depth),
        .gates = row(l, 4 * hidden_width),
        .next_state = row(l, hidden_width),
        .next_cell = row(l, hidden_width),
    };
    l->output = (sac_deep_output_tensors){row(l, SAC_WORDS), row(l, (size_t)c->shape.embedding),
                                          l->step.embedded, l->step.next_state, l->step.z};
    write_mean(l, hidden);
    sac_captioner_begin_from_mean(s->captioner, l->f.mean, l->step.state, l->step.cell);
}

/* What follows `word`: logits, and its weights and gate. */
static void step_layered(layered *l, int word, float *logits, float *weights, float *gate)
{
    sac_captioner *c = l->captioner;
    sac_pass *pass = &c->base.pass;
    sac_pass_write_ints(pass, l->word, &word);
    sac_embedding_forward(pass, l->step.embedded, c->weights.embedding, l->word);
    sac_captioner_step_forward(c, &l->step);
    sac_deep_output_forward(pass, &c->weights.output, &l->output);
    sac_pass_copy(pass, l->step.state, l->step.next_state);
    sac_pass_copy(pass, l->step.cell, l->step.next_cell);
    sac_pass_read(pass, l->output.logits, logits);
    sac_pass_read(pass, l->step.weights, weights);
    sac_pass_read(pass, l->step.beta, gate);
    OK(sac_pass_end(pass, NULL));
}

static double probability_of(int word, const float *logits)
{
    double sum = 0;
    for (int w = 0; w < SAC_WORDS; w++)
        sum += exp((double)logits[w] - (double)logits[word]);
    return 1 / sum;
}

/* The logits of these weights reach 30, of which float32 has 4e-6 at hand. */
static void assert_layers_are(generator *s, sac_result_request request)
{
    float logits[SAC_WORDS], weights[CELLS], gate;
    /* A sparse weight has all of the error of its score and of the threshold. */
    const double of_weights =
        s->captioner->shape.normalizer == SAC_NORMALIZER_SOFTMAX ? 2e-6 : 1e-5;
    sac_result caption = generate(s, request);
    layered l;
    begin_layered(&l, s, request.temperature, request.hidden);
    for (int i = 0; i < caption.count; i++) {
        const sac_result_output *word = &caption.outputs[i];
        int before = i ? caption.outputs[i - 1].word : SAC_WORD_START;
        step_layered(&l, before, logits, weights, &gate);
        assert_float_equal(word->probability, probability_of(word->word, logits), 1e-5);
        assert_float_equal(word->gate, gate, 1e-6);
        for (int n = 0; n < CELLS; n++)
            assert_float_equal(map_of(&caption, i)[n], weights[n], of_weights);
    }
    sac_arena_release(&l.arena);
    sac_result_free(&caption);
}

CAPTIONS(one_launch_computes_what_the_layers_do)
{
    uint8_t some[CELLS] = {1, 1, 1, 0, 1, 1, 1, 0, 0, 1}, all[CELLS];
    memset(all, 1, sizeof all);
    assert_layers_are(s, (sac_result_request){0});
    assert_layers_are(s, (sac_result_request){.beam = 1, .temperature = 0.5f});
    assert_layers_are(s, (sac_result_request){.hidden = some});
    assert_layers_are(s, (sac_result_request){.hidden = all});
}
ALSO_BILINEAR(one_launch_computes_what_the_layers_do)
ALSO_OF_DOT(one_launch_computes_what_the_layers_do)
ALSO_SPARSE(one_launch_computes_what_the_layers_do)

/* ---------------------------------------------------------------- the encoder */

static float *read_all(generator *s, sac_tensor x)
{
    float *numbers = malloc(sac_tensor_count(x) * sizeof *numbers);
    sac_pass_read(&s->captioner->base.pass, x, numbers);
    OK(sac_pass_end(&s->captioner->base.pass, NULL));
    return numbers;
}

/* What picture 0 was encoded to, and what training's layers make of it. Features are normed, so
 * that they and the keys are around 1. */
static void assert_encoded_as_in_training(generator *s)
{
    sac_captioner_features *f = &s->captioner->decode->f;
    float *features = read_all(s, f->features), *keys = read_all(s, f->keys);
    float pixels[3 * SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        for (int k = 0; k < 3; k++)
            pixels[3 * i + k] = sac_captioner_light(pixel_of(4 * i + k, 0));
    sac_convolution first = sac_captioner_layer(&s->captioner->shape, 0, 1);
    sac_convolution_write(&s->captioner->base.pass, &first, f->pictures, pixels);
    sac_captioner_encode(s->captioner, f, NULL);
    float *layered_features = read_all(s, f->features), *layered_keys = read_all(s, f->keys);
    for (size_t i = 0; i < sac_tensor_count(f->features); i++)
        assert_float_equal(features[i], layered_features[i], 1e-5);
    for (size_t i = 0; i < sac_tensor_count(f->keys); i++)
        assert_float_equal(keys[i], layered_keys[i], 1e-5);
    free(features);
    free(keys);
    free(layered_features);
    free(layered_keys);
}

/* One step of Adam along gradients of 1: by the rate, or what is at hand of it. */
static void change_weights(generator *s)
{
    sac_parameters *p = &s->captioner->base.parameters;
    const sac_adam adam = {.rate = 0.05f, .beta1 = 0.9f, .beta2 = 0.98f, .epsilon = 1e-8f};
    OK(sac_span_fill(device, p->gradients, p->floats, 1, &failure));
    OK(sac_adam_step(p, &adam, 1, NULL, &failure));
}

CAPTIONS(a_picture_is_encoded_as_in_training)
{
    assert_encoded_as_in_training(s);
    float *before = read_all(s, s->captioner->decode->f.features);
    change_weights(s);
    look_at(s, 0); /* by the weights that are there now */
    float *after = read_all(s, s->captioner->decode->f.features);
    assert_memory_not_equal(before, after, sizeof *before);
    assert_encoded_as_in_training(s);
    free(before);
    free(after);
}
ALSO_BILINEAR(a_picture_is_encoded_as_in_training)

/* ---------------------------------------------------------------- the search */

enum { BEAM = 3, GIVEN = 4 };

/* What a step of a search by hand finds out, of which the device knows nothing but the sentences
 * that it was given. */
typedef struct found {
    float logits[BEAM * SAC_WORDS], weights[BEAM * CELLS], gate[BEAM];
} found;

static int least_likely(const float *logits)
{
    int least = SAC_WORD_A;
    for (int w = SAC_WORD_A; w < SAC_WORDS; w++)
        least = logits[w] < logits[least] ? w : least;
    return least;
}

/* The device chooses words by itself; the search has the last word. */
CAPTIONS(words_that_the_device_did_not_choose_are_followed)
{
    found f[GIVEN];
    sac_beam beam = {0};
    sac_result_request request = {.beam = BEAM}, given = {.beam = BEAM, .prefix_count = GIVEN};
    const sac_beam_options options = {BEAM,         SAC_WORDS,      SAC_CAPTIONER_WORDS,
                                      SAC_WORD_PAD, SAC_WORD_START, SAC_WORD_END};
    OK(sac_beam_begin(&beam, &options, NULL));
    for (int i = 0; i < GIVEN; i++) {
        const sac_step_result result = {f[i].logits, f[i].weights, f[i].gate};
        OK(sac_captioner_decode_step(&s->captioner->base, &beam, &request, &result, &failure));
        given.prefix[i] = least_likely(f[i].logits);
        sac_beam_step(&beam, f[i].logits, given.prefix[i]);
    }
    sac_result caption = generate(s, given);
    for (int i = 0; i < GIVEN; i++) {
        assert_float_equal(caption.outputs[i].probability,
                           probability_of(given.prefix[i], f[i].logits), 1e-6);
        assert_memory_equal(map_of(&caption, i), f[i].weights, CELLS * sizeof(float));
    }
    sac_result_free(&caption);
    sac_beam_free(&beam);
}

/* ---------------------------------------------------------------- refusals */

static void refuse(generator *s, sac_result_request request, const char *line)
{
    char reported[1200];
    sac_result caption;
    assert_int_equal(sac_captioner_generate(s->captioner, &request, &caption, &failure),
                     SAC_E_ARGUMENT);
    assert_string_equal(sac_error_line(&failure, reported, sizeof reported), line);
    assert_null(caption.weights);
}

CAPTIONS(requests_that_make_no_sense_are_refused)
{
    refuse(s, (sac_result_request){.beam = 17}, "beam: 17 is not a width from 1 to 16");
    refuse(s, (sac_result_request){.beam = -1}, "beam: -1 is not a width from 1 to 16");
    refuse(s, (sac_result_request){.temperature = -1}, "temperature: -1 is not above 0");
    refuse(s, (sac_result_request){.temperature = INFINITY}, "temperature: inf is not above 0");
    refuse(s, (sac_result_request){.prefix_count = SAC_CAPTIONER_WORDS + 1},
           "prefix: has 27 words; a sentence has up to 26");
    refuse(s, (sac_result_request){.prefix = {SAC_WORD_END}, .prefix_count = 1},
           "prefix: word 2 is not in the decoder's vocabulary");
    refuse(s, (sac_result_request){.prefix = {SAC_WORD_A, SAC_WORDS}, .prefix_count = 2},
           "prefix: word 27 is not in the decoder's vocabulary");
    refuse(s, (sac_result_request){.prefix = {-1}, .prefix_count = 1},
           "prefix: word -1 is not in the decoder's vocabulary");
}

CAPTIONS(pictures_of_another_size_are_refused)
{
    char line[1200];
    sac_image image;
    assert_int_equal(sac_image_create(SIDE, SIDE + 1, &image, NULL), SAC_OK);
    assert_int_equal(sac_captioner_encode_square(s->captioner, &image, &failure), SAC_E_SHAPE);
    assert_string_equal(sac_error_line(&failure, line, sizeof line),
                        "picture: is 8 × 9; the model looks at 8 × 8");
    sac_image_free(&image);
}

TEST_MAIN(open_device, close_device)
