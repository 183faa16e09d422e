/* src/sources/matrix on files of weights: which arrays are taken, how their axes are read, what is
 * refused. Nothing here needs a device. */
#include "path.h"

#include <math.h>

#include "sources/weights_file.h"
#include "trace/reduce.h"

static void save(const sac_named_array *arrays, size_t count)
{
    sac_error error = {0};
    if (sac_npz_save(path, arrays, count, &error) != SAC_OK)
        fail_msg("%s", error.what);
}

static sac_array numbers(int rank, const size_t *shape)
{
    sac_array array;
    assert_int_equal(sac_array_create(SAC_F32, rank, shape, &array, NULL), SAC_OK);
    return array;
}

/* Each row softmax-like: weight (place + 1) / sum, different in every row of every map. */
static sac_array weights(int rank, const size_t *shape)
{
    sac_array array = numbers(rank, shape);
    size_t keys = shape[rank - 1], rows = sac_array_count(&array) / keys;
    float *w = array.data;
    for (size_t r = 0; r < rows; r++) {
        float sum = 0;
        for (size_t k = 0; k < keys; k++)
            sum += w[r * keys + k] = (float)((r * 7 + k * 3) % 11 + 1);
        for (size_t k = 0; k < keys; k++)
            w[r * keys + k] /= sum;
    }
    return array;
}

static void save_one(const char *name, const sac_array *array)
{
    save(&(sac_named_array){name, array}, 1);
}

static sac_trace open_with(sac_weights_file_options options)
{
    sac_trace trace;
    sac_error error = {0};
    char line[1200];
    options.path = path;
    if (sac_weights_file_open(&options, &trace, &error) != SAC_OK)
        fail_msg("%s", sac_error_line(&error, line, sizeof line));
    return trace;
}

static sac_error open_fails(sac_weights_file_options options, sac_status status)
{
    sac_trace trace;
    sac_error error = {0};
    options.path = path;
    assert_int_equal(sac_weights_file_open(&options, &trace, &error), status);
    assert_null(trace.self);
    return error;
}

static void assert_sizes(const sac_trace *s, size_t l, size_t b, size_t h, size_t q, size_t k)
{
    assert_int_equal(s->layers, l);
    assert_int_equal(s->batch, b);
    assert_int_equal(s->heads, h);
    assert_int_equal(s->steps, q);
    assert_int_equal(s->positions, k);
}

static float weight_at(const sac_trace *s, size_t l, size_t b, size_t h, size_t q, size_t k)
{
    float weight;
    sac_tile tile = {b, h, q, 1, k, 1};
    assert_int_equal(s->tile(s->self, l, &tile, &weight, NULL), SAC_OK);
    return weight;
}

static void axes_are_told_by_the_rank(void **state)
{
    (void)state;
    const size_t shape[] = {2, 3, 4, 5, 6};
    for (int rank = 2; rank <= 5; rank++) {
        sac_array array = weights(rank, shape + 5 - rank);
        save_one("attention", &array);
        sac_trace s = open_with((sac_weights_file_options){0});
        assert_sizes(&s, rank > 4 ? 2 : 1, rank > 3 ? 3 : 1, rank > 2 ? 4 : 1, 5, 6);
        size_t last = sac_array_count(&array) - 1;
        assert_true(weight_at(&s, s.layers - 1, s.batch - 1, s.heads - 1, 4, 5) ==
                    ((float *)array.data)[last]);
        assert_true(weight_at(&s, 0, 0, 0, 1, 2) == ((float *)array.data)[8]);
        assert_string_equal(s.dtype, "float32");
        assert_string_equal(s.note, "");
        sac_trace_destroy(&s);
        sac_array_free(&array);
    }
}

static void of_weights_alone_their_row_is_all_there_is_to_tell(void **state)
{
    (void)state;
    sac_array array = weights(5, (size_t[]){2, 3, 4, 5, 6});
    save_one("attention", &array);
    sac_trace s = open_with((sac_weights_file_options){0});
    sac_explanation e;
    sac_explanation_request request = {.layer = 1, .batch = 2, .head = 3, .step = 4, .position = 5};
    assert_int_equal(s.explain(s.self, &request, &e, NULL), SAC_OK);
    assert_true(e.dim == 0 && !e.query && !e.value && e.keys == 6);
    for (size_t k = 0; k < 6; k++)
        assert_true(e.weights[k] == weight_at(&s, 1, 2, 3, 4, k));
    sac_explanation_free(&e);
    sac_trace_destroy(&s);
    sac_array_free(&array);
}

static void axes_can_be_named(void **state)
{
    (void)state;
    sac_array array = weights(4, (size_t[]){2, 3, 4, 5});
    const float *w = array.data;
    save_one("attention", &array);
    sac_trace s = open_with((sac_weights_file_options){.axes = "LHQK"});
    assert_sizes(&s, 2, 1, 3, 4, 5);
    assert_true(weight_at(&s, 1, 0, 2, 3, 4) == w[119]);
    sac_trace_destroy(&s);
    s = open_with((sac_weights_file_options){.axes = "HLQK"});
    assert_sizes(&s, 3, 1, 2, 4, 5);
    assert_true(weight_at(&s, 2, 0, 1, 0, 0) == w[5 * 20]);
    sac_trace_destroy(&s);
    const char *const wrong[] = {"LHKQ", "HHQK", "QK", "LXQK"};
    for (int i = 0; i < 4; i++)
        open_fails((sac_weights_file_options){.axes = wrong[i]}, SAC_E_SHAPE);
    sac_array_free(&array);
}

static void one_array_a_layer_is_stacked_in_the_order_of_their_numbers(void **state)
{
    (void)state;
    sac_array layers[3];
    for (int i = 0; i < 3; i++) {
        layers[i] = weights(3, (size_t[]){2, 2, 2});
        ((float *)layers[i].data)[0] = 0.25f * (float)(i + 1);
        ((float *)layers[i].data)[1] = 1 - 0.25f * (float)(i + 1);
    }
    sac_array other = numbers(2, (size_t[]){3, 3});
    save((sac_named_array[]){{"h.10.attn.attention_probs", &layers[2]},
                             {"h.2.attn.attention_probs", &layers[1]},
                             {"h.0.attn.attention_probs", &layers[0]},
                             {"h.0.attn.weight", &other}},
         4);
    sac_trace s = open_with((sac_weights_file_options){0});
    assert_sizes(&s, 3, 1, 2, 2, 2);
    for (size_t l = 0; l < 3; l++)
        assert_true(weight_at(&s, l, 0, 0, 0, 0) == 0.25f * (float)(l + 1));
    sac_trace_destroy(&s);
    s = open_with((sac_weights_file_options){.array = "h.2.attn.attention_probs"});
    assert_sizes(&s, 1, 1, 2, 2, 2);
    sac_trace_destroy(&s);
    for (int i = 0; i < 3; i++)
        sac_array_free(&layers[i]);
    sac_array_free(&other);
}

static void what_is_not_clear_is_asked_back_with_the_arrays_and_their_shapes(void **state)
{
    (void)state;
    sac_array a = weights(2, (size_t[]){2, 2}), b = weights(2, (size_t[]){3, 4});
    save((sac_named_array[]){{"encoder.attn.0", &a}, {"decoder.attn.0", &b}}, 2);
    sac_error error = open_fails((sac_weights_file_options){0}, SAC_E_FORMAT);
    assert_non_null(strstr(error.what, "encoder.attn.0 [2,2]"));
    assert_non_null(strstr(error.what, "decoder.attn.0 [3,4]"));
    assert_non_null(strstr(error.todo, "--take"));
    sac_trace s = open_with((sac_weights_file_options){.array = "decoder.attn.*"});
    assert_sizes(&s, 1, 1, 1, 3, 4);
    sac_trace_destroy(&s);
    error = open_fails((sac_weights_file_options){.array = "nothing"}, SAC_E_ARGUMENT);
    assert_non_null(strstr(error.what, "no such array"));
    save((sac_named_array[]){{"attn.0", &a}, {"attn.1", &b}}, 2);
    error = open_fails((sac_weights_file_options){0}, SAC_E_FORMAT);
    assert_non_null(strstr(error.what, "attn.0 [2,2], attn.1 [3,4]"));
    sac_array_free(&a);
    sac_array_free(&b);
}

static void the_only_array_needs_no_name(void **state)
{
    (void)state;
    sac_array a = weights(2, (size_t[]){3, 4}), line = numbers(1, (size_t[]){4});
    save((sac_named_array[]){{"x", &a}, {"loss", &line}}, 2);
    sac_trace s = open_with((sac_weights_file_options){0});
    assert_sizes(&s, 1, 1, 1, 3, 4);
    sac_trace_destroy(&s);
    save_one("loss", &line);
    open_fails((sac_weights_file_options){0}, SAC_E_FORMAT);
    open_fails((sac_weights_file_options){.array = "loss"}, SAC_E_SHAPE);
    sac_array_free(&a);
    sac_array_free(&line);
}

static void a_weight_that_is_none_is_named_by_its_index(void **state)
{
    (void)state;
    const struct {
        float value;
        const char *what;
    } cases[] = {{NAN, "[0,1,2,3] is nan"}, {INFINITY, "[0,1,2,3] is inf"}, {-0.5f, "is -0.5"}};
    for (int i = 0; i < 3; i++) {
        sac_array a = weights(4, (size_t[]){1, 2, 3, 4});
        ((float *)a.data)[23] = cases[i].value;
        save_one("weights", &a);
        sac_error error = open_fails((sac_weights_file_options){0}, SAC_E_VALUE);
        assert_non_null(strstr(error.what, cases[i].what));
        assert_non_null(strstr(error.where, "weights"));
        sac_array_free(&a);
    }
}

static void rows_that_do_not_sum_to_1_are_noted(void **state)
{
    (void)state;
    sac_array a = weights(2, (size_t[]){3, 4});
    float *w = a.data;
    memset(w, 0, 4 * sizeof *w); /* wholly blocked: fine */
    save_one("attention", &a);
    sac_trace s = open_with((sac_weights_file_options){0});
    assert_string_equal(s.note, "");
    sac_trace_destroy(&s);
    for (int i = 4; i < 8; i++)
        w[i] *= 2;
    save_one("attention", &a);
    s = open_with((sac_weights_file_options){0});
    assert_non_null(strstr(s.note, "rows sum to 1 … 2"));
    sac_trace_destroy(&s);
    sac_array_free(&a);
}

/* 26 million int8: more than is read through at once. */
static void a_large_file_is_checked_where_it_is_looked_at(void **state)
{
    (void)state;
    sac_array a;
    size_t shape[] = {5100, 5100}, bad = (size_t)2501 * 5100 + 77;
    assert_int_equal(sac_array_create(SAC_I8, 2, shape, &a, NULL), SAC_OK);
    ((int8_t *)a.data)[bad] = -3;
    for (size_t r = 0; r < 5100; r++)
        ((int8_t *)a.data)[r * 5100 + 5] = 1;
    save_one("attention", &a);
    sac_trace s = open_with((sac_weights_file_options){0});
    sac_error error = {0};
    float out[64];
    sac_tile clean = {.row = 0, .rows = 2000, .col = 0, .cols = 2000}, dirty = clean;
    dirty.row = 2000;
    assert_int_equal(s.pool(s.self, 0, &clean, SAC_POOL_MAX, 8, 8, out, &error), SAC_OK);
    assert_true(out[0] == 1 && out[1] == 0);
    assert_int_equal(s.pool(s.self, 0, &dirty, SAC_POOL_MAX, 8, 8, out, &error), SAC_E_VALUE);
    assert_non_null(strstr(error.what, "[2501,77] is -3"));
    sac_trace_destroy(&s);
    sac_array_free(&a);
}

static void pooling_equals_the_tile_pooled(void **state)
{
    (void)state;
    sac_array a = weights(3, (size_t[]){2, 37, 41});
    save_one("attention", &a);
    sac_trace s = open_with((sac_weights_file_options){0});
    sac_tile tile = {.head = 1, .row = 3, .rows = 30, .col = 2, .cols = 35};
    float whole[30 * 35], expected[7 * 8], pooled[7 * 8];
    for (int pool = 0; pool < 2; pool++) {
        assert_int_equal(s.tile(s.self, 0, &tile, whole, NULL), SAC_OK);
        sac_weights_pool(whole, 30, 35, (sac_pool)pool, 7, 8, expected);
        assert_int_equal(s.pool(s.self, 0, &tile, (sac_pool)pool, 7, 8, pooled, NULL), SAC_OK);
        assert_memory_equal(pooled, expected, sizeof pooled);
    }
    tile.rows = 60;
    assert_int_equal(s.tile(s.self, 0, &tile, whole, NULL), SAC_E_ARGUMENT);
    sac_trace_destroy(&s);
    sac_array_free(&a);
}

static void grid_prefix_and_picture_may_stand_in_the_file(void **state)
{
    (void)state;
    sac_array a = weights(2, (size_t[]){7, 7}), image;
    assert_int_equal(sac_array_create(SAC_U8, 3, (size_t[]){4, 6, 3}, &image, NULL), SAC_OK);
    ((uint8_t *)image.data)[3] = 200;
    int64_t sizes[] = {2, 3}, one = 1;
    sac_array grid = sac_array_view(SAC_I64, 1, (size_t[]){2}, sizes);
    sac_array prefix = sac_array_view(SAC_I64, 0, NULL, &one);
    save(
        (sac_named_array[]){
            {"attention", &a}, {"image", &image}, {"grid", &grid}, {"prefix", &prefix}},
        4);
    sac_trace s = open_with((sac_weights_file_options){0});
    assert_string_equal(s.note, "");
    assert_true(s.grid_w == 3 && s.grid_h == 2 && s.prefix == 1);
    assert_true(s.image && s.image->width == 6 && s.image->height == 4);
    assert_true(s.image->rgba[4] == 200 && s.image->rgba[7] == 255);
    sac_trace_destroy(&s);
    sac_array_free(&a);
    sac_array_free(&image);
}

static void several_attentions_of_a_file_are_offered_to_choose_from(void **state)
{
    (void)state;
    sac_array self = weights(5, (size_t[]){2, 1, 3, 4, 4}),
              layers = weights(4, (size_t[]){6, 3, 5, 5});
    char *words[] = {"a", "b", "c", "d"};
    sac_array source = sac_array_view(SAC_TEXT, 1, (size_t[]){4}, words);
    save((sac_named_array[]){{"encoder_attentions", &self},
                             {"decoder_attentions", &layers},
                             {"model.layers.0.attn.weight", &self},
                             {"source", &source}},
         4);
    sac_trace s = open_with((sac_weights_file_options){.ask = true});
    assert_null(s.tile);
    assert_int_equal(s.reading, -1);
    assert_int_equal(s.reading_count, 3);
    assert_string_equal(s.readings[0].meaning, "2 layers × 3 heads of 4 × 4 weights");
    assert_string_equal(s.readings[1].meaning, "6 items × 3 heads of 5 × 5 weights");
    assert_string_equal(s.readings[2].meaning, "6 layers × 3 heads of 5 × 5 weights");
    sac_trace chosen = open_with(
        (sac_weights_file_options){.array = s.readings[2].take, .axes = s.readings[2].axes});
    assert_sizes(&chosen, 6, 1, 3, 5, 5);
    assert_int_equal(chosen.reading, 2);
    sac_trace_destroy(&chosen);
    chosen = open_with((sac_weights_file_options){.array = "encoder_attentions"});
    assert_string_equal(chosen.step_labels.text[3], "d");
    assert_string_equal(chosen.position_labels.text[3], "d");
    sac_trace_destroy(&chosen);
    sac_trace_destroy(&s);
    sac_error error = open_fails((sac_weights_file_options){0}, SAC_E_FORMAT);
    assert_non_null(strstr(error.todo, "--take NAME"));
    sac_array_free(&self);
    sac_array_free(&layers);
}

static void a_models_weights_are_never_taken_for_attention(void **state)
{
    (void)state;
    sac_array square = weights(2, (size_t[]){4, 4});
    save((sac_named_array[]){{"layer.0.attention.query.weight", &square},
                             {"layer.0.attention.key.weight", &square}},
         2);
    sac_error error = open_fails((sac_weights_file_options){0}, SAC_E_FORMAT);
    assert_non_null(strstr(error.what, "no attention, nor query and key, among"));
    sac_array_free(&square);
}

static void labels_come_from_the_file_or_from_beside_it(void **state)
{
    (void)state;
    sac_array a = weights(2, (size_t[]){2, 3}), tokens, classes;
    sac_array_create(SAC_TEXT, 1, (size_t[]){3}, &tokens, NULL);
    sac_array_create(SAC_TEXT, 1, (size_t[]){7}, &classes, NULL);
    const char *words[] = {"sat", "Ωμέγα", "."};
    for (int i = 0; i < 7; i++)
        ((char **)classes.data)[i] = strdup("class");
    for (int i = 0; i < 3; i++)
        ((char **)tokens.data)[i] = strdup(words[i]);
    save((sac_named_array[]){{"attention", &a}, {"tokens", &tokens}, {"labels", &classes}}, 3);
    sac_trace s = open_with((sac_weights_file_options){0});
    assert_int_equal(s.position_labels.count, 3);
    assert_string_equal(s.position_labels.text[1], "Ωμέγα");
    assert_int_equal(s.step_labels.count, 0); /* three tokens are no two rows */
    sac_trace_destroy(&s);

    char text[72];
    snprintf(text, sizeof text, "%s.txt", path);
    FILE *file = fopen(text, "w");
    fputs("one\ntwo\n", file);
    fclose(file);
    s = open_with((sac_weights_file_options){.labels = text});
    assert_int_equal(s.step_labels.count, 2);
    assert_int_equal(s.position_labels.count, 0);
    sac_trace_destroy(&s);
    file = fopen(text, "w");
    fputs("one\n", file);
    fclose(file);
    sac_error error = open_fails((sac_weights_file_options){.labels = text}, SAC_E_SHAPE);
    assert_non_null(strstr(error.what, "1 labels do not fit 2 × 3"));
    unlink(text);
    sac_array_free(&a);
    sac_array_free(&tokens);
    sac_array_free(&classes);
}

static void columns_are_laid_over_a_picture_by_a_grid_that_fits(void **state)
{
    (void)state;
    sac_array a = weights(2, (size_t[]){2, 17});
    save_one("attention", &a);
    sac_trace s = open_with((sac_weights_file_options){.image = PICTURE});
    assert_true(s.image && s.grid_w == 4 && s.grid_h == 4 && s.prefix == 1);
    sac_trace_destroy(&s);
    s = open_with(
        (sac_weights_file_options){.image = PICTURE, .grid_w = 5, .grid_h = 3, .prefix = 2});
    assert_true(s.grid_w == 5 && s.grid_h == 3 && s.prefix == 2);
    sac_trace_destroy(&s);
    sac_error error = open_fails(
        (sac_weights_file_options){.image = PICTURE, .grid_w = 4, .grid_h = 4}, SAC_E_SHAPE);
    assert_non_null(strstr(error.what, "17 columns"));
    open_fails((sac_weights_file_options){.image = PICTURE, .prefix = 3}, SAC_E_SHAPE);
    open_fails((sac_weights_file_options){.prefix = 17}, SAC_E_ARGUMENT);
    open_fails((sac_weights_file_options){.prefix = -1}, SAC_E_ARGUMENT);
    open_fails((sac_weights_file_options){.image = "/nowhere.png"}, SAC_E_FILE);
    sac_array_free(&a);
}

static void a_missing_file_says_so(void **state)
{
    (void)state;
    sac_trace s;
    sac_error error = {0};
    sac_weights_file_options options = {.path = "/nowhere/at-all.npz"};
    assert_int_equal(sac_weights_file_open(&options, &s, &error), SAC_E_FILE);
    assert_non_null(strstr(error.where, "/nowhere/at-all.npz"));
}

static void save_scores(float odd)
{
    sac_array array = numbers(3, (size_t[]){2, 3, 4});
    float *scores = array.data;
    for (int i = 0; i < 24; i++)
        scores[i] = 0.5f * (float)(i % 5) - 1;
    scores[4 * 4 + 2] = odd; /* head 1, query 1, key 2 */
    save_one("attention", &array);
    sac_array_free(&array);
}

static uint8_t masked_at(const sac_trace *s, size_t h, size_t q, size_t k)
{
    uint8_t masked;
    sac_tile tile = {0, h, q, 1, k, 1};
    assert_int_equal(s->masked(s->self, 0, &tile, &masked, NULL), SAC_OK);
    return masked;
}

static void of_scores_their_softmax_is_shown_when_asked_for(void **state)
{
    (void)state;
    const double scores[] = {-0.5, 0, 1}; /* of that row, without the key that is masked */
    double sum = exp(-0.5) + exp(0) + exp(1);
    save_scores(-INFINITY);
    assert_non_null(
        strstr(open_fails((sac_weights_file_options){0}, SAC_E_VALUE).todo, "--softmax"));
    sac_trace s = open_with((sac_weights_file_options){.softmax = true});
    for (size_t k = 0; k < 3; k++) /* one cell at a time: a part of a row knows all of it */
        assert_float_equal(weight_at(&s, 0, 0, 1, 1, k + (k == 2)), exp(scores[k]) / sum, 1e-6);
    assert_true(weight_at(&s, 0, 0, 1, 1, 2) == 0);
    assert_true(masked_at(&s, 1, 1, 2) && !masked_at(&s, 1, 1, 1));
    assert_string_equal(s.note, "");
    sac_trace_destroy(&s);
    save_scores(INFINITY);
    open_fails((sac_weights_file_options){.softmax = true}, SAC_E_VALUE);
}

static void nan_is_hatched_and_counted_when_asked_for(void **state)
{
    (void)state;
    sac_array array = weights(3, (size_t[]){2, 3, 4});
    ((float *)array.data)[18] = ((float *)array.data)[23] = NAN;
    save_one("attention", &array);
    sac_trace s = open_with((sac_weights_file_options){.allow_nan = true});
    assert_string_equal(s.note, "2 values are NaN: hatched");
    assert_true(weight_at(&s, 0, 0, 1, 1, 2) == 0 && masked_at(&s, 1, 1, 2));
    assert_true(weight_at(&s, 0, 0, 1, 1, 1) > 0 && !masked_at(&s, 1, 1, 1));
    sac_trace_destroy(&s);
    save_scores(NAN);
    s = open_with((sac_weights_file_options){.allow_nan = true, .softmax = true});
    assert_true(weight_at(&s, 0, 0, 1, 1, 2) == 0 && masked_at(&s, 1, 1, 2));
    sac_trace_destroy(&s);
    sac_array_free(&array);
}

static void the_bundled_sample_opens_with_its_words(void **state)
{
    (void)state;
    sac_trace s;
    sac_weights_file_options options = {.path = SAMPLES "/attentions.npz"};
    assert_int_equal(sac_weights_file_open(&options, &s, NULL), SAC_OK);
    assert_sizes(&s, 6, 1, 8, 24, 24);
    assert_string_equal(s.dtype, "float16");
    assert_string_equal(s.step_labels.text[7], "1992");
    assert_string_equal(s.position_labels.text[22], "zone");
    assert_string_equal(s.title, "attentions.npz");
    assert_true(s.origin.file[0] == '/' && strncmp(s.origin.hash, "sha256:", 7) == 0);
    assert_string_equal(s.note, "");
    sac_trace_destroy(&s);
}

/* Opens one of the files that make_torch.py wrote. */
static sac_status open_made(const char *name, const char *take, sac_trace *trace, sac_error *error)
{
    char file[400];
    snprintf(file, sizeof file, "%s/%s", FILES, name);
    return sac_weights_file_open(&(sac_weights_file_options){.path = file, .array = take}, trace,
                                 error);
}

static void what_is_not_read_is_noted_and_an_error_where_it_is_taken(void **state)
{
    sac_trace s;
    sac_error error = {0};
    (void)state;
    assert_int_equal(open_made("beside.npz", NULL, &s, NULL), SAC_OK);
    assert_non_null(strstr(s.note, "not used: folder/inner [3], config (holds Python objects, "
                                   "which are not read: element 0 is a dict), ragged ("));
    sac_trace_destroy(&s);
    assert_int_equal(open_made("beside.npz", "config", &s, &error), SAC_E_FORMAT);
    assert_non_null(strstr(error.where, "beside.npz: config"));
    assert_string_equal(error.what,
                        "holds Python objects, which are not read: element 0 is a dict; "
                        "save numbers or text");
}

/* The other array is square by chance. */
static void attention_that_is_not_read_is_not_taken_to_be_another_array(void **state)
{
    static const char header[] =
        "{\"attentions\":{\"dtype\":\"F8_E4M3\",\"shape\":[1],\"data_offsets\":[0,1]},"
        "\"x\":{\"dtype\":\"U8\",\"shape\":[1,1],\"data_offsets\":[1,2]}}";
    const uint8_t length[8] = {sizeof header - 1};
    sac_trace s;
    sac_error error = {0};
    (void)state;
    FILE *out = fopen(path, "wb");
    assert_true(fwrite(length, 1, 8, out) == 8 && fputs(header, out) >= 0 &&
                fwrite("\1\1", 1, 2, out) == 2 && fclose(out) == 0);
    assert_int_equal(sac_weights_file_open(&(sac_weights_file_options){.path = path}, &s, &error),
                     SAC_E_FORMAT);
    assert_non_null(strstr(error.where, ": attentions"));
    assert_int_equal(
        sac_weights_file_open(&(sac_weights_file_options){.path = path, .array = "x"}, &s, NULL),
        SAC_OK);
    sac_trace_destroy(&s);
}

static void attention_that_torch_saved_opens_with_all_layers(void **state)
{
    static const struct {
        const char *name;
        size_t layers;
    } cases[] = {{"torch_tensor.pt", 1}, {"torch_tuple.pt", 2}, {"torch_output.pt", 2}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        sac_trace s;
        sac_error error = {0};
        if (open_made(cases[i].name, NULL, &s, &error) != SAC_OK)
            fail_msg("%s: %s", error.where, error.what);
        assert_true(s.layers == cases[i].layers && s.heads == 2 && s.steps == 3);
        if (i == 2)
            assert_string_equal(s.step_labels.text[2], "sät");
        sac_trace_destroy(&s);
    }
}

static void an_empty_archive_says_that_it_is_empty(void **state)
{
    static const uint8_t empty[22] = {'P', 'K', 5, 6};
    sac_trace s;
    sac_error error = {0};
    (void)state;
    FILE *out = fopen(path, "wb");
    assert_true(fwrite(empty, 1, sizeof empty, out) == sizeof empty && fclose(out) == 0);
    assert_int_equal(sac_weights_file_open(&(sac_weights_file_options){.path = path}, &s, &error),
                     SAC_E_FORMAT);
    assert_string_equal(error.what, "holds no arrays");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FILE_TEST(axes_are_told_by_the_rank),
        FILE_TEST(of_weights_alone_their_row_is_all_there_is_to_tell),
        FILE_TEST(axes_can_be_named),
        FILE_TEST(one_array_a_layer_is_stacked_in_the_order_of_their_numbers),
        FILE_TEST(what_is_not_clear_is_asked_back_with_the_arrays_and_their_shapes),
        FILE_TEST(the_only_array_needs_no_name),
        FILE_TEST(a_weight_that_is_none_is_named_by_its_index),
        FILE_TEST(rows_that_do_not_sum_to_1_are_noted),
        FILE_TEST(a_large_file_is_checked_where_it_is_looked_at),
        FILE_TEST(pooling_equals_the_tile_pooled),
        FILE_TEST(grid_prefix_and_picture_may_stand_in_the_file),
        FILE_TEST(several_attentions_of_a_file_are_offered_to_choose_from),
        FILE_TEST(a_models_weights_are_never_taken_for_attention),
        FILE_TEST(labels_come_from_the_file_or_from_beside_it),
        FILE_TEST(columns_are_laid_over_a_picture_by_a_grid_that_fits),
        FILE_TEST(a_missing_file_says_so),
        FILE_TEST(of_scores_their_softmax_is_shown_when_asked_for),
        FILE_TEST(nan_is_hatched_and_counted_when_asked_for),
        FILE_TEST(what_is_not_read_is_noted_and_an_error_where_it_is_taken),
        FILE_TEST(attention_that_is_not_read_is_not_taken_to_be_another_array),
        FILE_TEST(attention_that_torch_saved_opens_with_all_layers),
        FILE_TEST(an_empty_archive_says_that_it_is_empty),
        FILE_TEST(the_bundled_sample_opens_with_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
