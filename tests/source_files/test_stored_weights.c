/* src/sources/matrix on files of weights: which arrays are taken, how their axes are read, what is
 * refused. Nothing here needs a device. */
#include "path.h"

#include "saccade_arrays.h"
#include "sources/files/weights/weights_file.h"
#include "sources/heads/reduce.h"
#include "status.h"

static void save(const sac_named_array *arrays, size_t count)
{
    OK(sac_npz_save(path, arrays, count, &failure));
}

static sac_array numbers(int rank, const size_t *shape)
{
    sac_array array;
    OK(sac_array_create(SAC_F32, rank, shape, &array, NULL));
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

static sac_source open_with(sac_weights_file_options options)
{
    sac_source source;
    options.path = path;
    OK(sac_weights_file_open(&options, &source, &failure));
    return source;
}

static sac_error open_fails(sac_weights_file_options options, sac_status status)
{
    sac_source source;
    options.path = path;
    assert_int_equal(sac_weights_file_open(&options, &source, &failure), status);
    assert_null(source.self);
    return failure;
}

static void assert_sizes(const sac_source *s, size_t l, size_t b, size_t h, size_t q, size_t k)
{
    assert_int_equal(s->weights.layers, l);
    assert_int_equal(s->weights.batch, b);
    assert_int_equal(s->weights.heads, h);
    assert_int_equal(s->weights.steps, q);
    assert_int_equal(s->weights.positions, k);
}

static float weight_at(const sac_source *s, size_t l, size_t b, size_t h, size_t q, size_t k)
{
    float weight;
    sac_tile tile = {b, h, q, 1, k, 1};
    OK(s->weights.tile(s->self, l, &tile, &weight, NULL));
    return weight;
}

FILE_TEST(axes_follow_from_the_rank)
{
    const size_t shape[] = {2, 3, 4, 5, 6};
    for (int rank = 2; rank <= 5; rank++) {
        sac_array array = weights(rank, shape + 5 - rank);
        save_one("attention", &array);
        sac_source s = open_with((sac_weights_file_options){0});
        assert_sizes(&s, rank > 4 ? 2 : 1, rank > 3 ? 3 : 1, rank > 2 ? 4 : 1, 5, 6);
        size_t last = sac_array_count(&array) - 1;
        assert_true(weight_at(&s, s.weights.layers - 1, s.weights.batch - 1, s.weights.heads - 1, 4,
                              5) == ((float *)array.data)[last]);
        assert_true(weight_at(&s, 0, 0, 0, 1, 2) == ((float *)array.data)[8]);
        assert_string_equal(s.weights.made.dtype, "float32");
        assert_string_equal(s.note, "");
        sac_source_destroy(&s);
        sac_array_free(&array);
    }
}

FILE_TEST(of_weights_alone_their_row_is_all_there_is_to_show)
{
    sac_array array = weights(5, (size_t[]){2, 3, 4, 5, 6});
    save_one("attention", &array);
    sac_source s = open_with((sac_weights_file_options){0});
    sac_explanation e;
    sac_explanation_request request = {.layer = 1, .batch = 2, .head = 3, .step = 4, .position = 5};
    OK(sac_source_explain(&s, &request, &e, NULL));
    assert_true(e.dim == 0 && !e.query && !e.value && e.keys == 6);
    for (size_t k = 0; k < 6; k++)
        assert_true(e.weights[k] == weight_at(&s, 1, 2, 3, 4, k));
    sac_explanation_free(&e);
    sac_source_destroy(&s);
    sac_array_free(&array);
}

FILE_TEST(axes_can_be_named)
{
    sac_array array = weights(4, (size_t[]){2, 3, 4, 5});
    const float *w = array.data;
    save_one("attention", &array);
    sac_source s = open_with((sac_weights_file_options){.axes = "LHQK"});
    assert_sizes(&s, 2, 1, 3, 4, 5);
    assert_true(weight_at(&s, 1, 0, 2, 3, 4) == w[119]);
    sac_source_destroy(&s);
    s = open_with((sac_weights_file_options){.axes = "HLQK"});
    assert_sizes(&s, 3, 1, 2, 4, 5);
    assert_true(weight_at(&s, 2, 0, 1, 0, 0) == w[5 * 20]);
    sac_source_destroy(&s);
    const char *const wrong[] = {"LHKQ", "HHQK", "QK", "LXQK"};
    for (int i = 0; i < 4; i++)
        open_fails((sac_weights_file_options){.axes = wrong[i]}, SAC_E_SHAPE);
    sac_array_free(&array);
}

FILE_TEST(one_array_a_layer_is_stacked_in_the_order_of_their_numbers)
{
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
    sac_source s = open_with((sac_weights_file_options){0});
    assert_sizes(&s, 3, 1, 2, 2, 2);
    for (size_t l = 0; l < 3; l++)
        assert_true(weight_at(&s, l, 0, 0, 0, 0) == 0.25f * (float)(l + 1));
    sac_source_destroy(&s);
    s = open_with((sac_weights_file_options){.array = "h.2.attn.attention_probs"});
    assert_sizes(&s, 1, 1, 2, 2, 2);
    sac_source_destroy(&s);
    for (int i = 0; i < 3; i++)
        sac_array_free(&layers[i]);
    sac_array_free(&other);
}

FILE_TEST(what_is_not_clear_is_asked_back_with_the_arrays_and_their_shapes)
{
    sac_array a = weights(2, (size_t[]){2, 2}), b = weights(2, (size_t[]){3, 4});
    save((sac_named_array[]){{"encoder.attn.0", &a}, {"decoder.attn.0", &b}}, 2);
    sac_error error = open_fails((sac_weights_file_options){0}, SAC_E_FORMAT);
    assert_non_null(strstr(error.what, "encoder.attn.0 [2,2]"));
    assert_non_null(strstr(error.what, "decoder.attn.0 [3,4]"));
    assert_non_null(strstr(error.remedy, "--take"));
    sac_source s = open_with((sac_weights_file_options){.array = "decoder.attn.*"});
    assert_sizes(&s, 1, 1, 1, 3, 4);
    sac_source_destroy(&s);
    error = open_fails((sac_weights_file_options){.array = "nothing"}, SAC_E_ARGUMENT);
    assert_non_null(strstr(error.what, "no such array"));
    save((sac_named_array[]){{"attn.0", &a}, {"attn.1", &b}}, 2);
    error = open_fails((sac_weights_file_options){0}, SAC_E_FORMAT);
    assert_non_null(strstr(error.what, "attn.0 [2,2], attn.1 [3,4]"));
    sac_array_free(&a);
    sac_array_free(&b);
}

FILE_TEST(the_only_array_needs_no_name)
{
    sac_array a = weights(2, (size_t[]){3, 4}), line = numbers(1, (size_t[]){4});
    save((sac_named_array[]){{"x", &a}, {"loss", &line}}, 2);
    sac_source s = open_with((sac_weights_file_options){0});
    assert_sizes(&s, 1, 1, 1, 3, 4);
    sac_source_destroy(&s);
    save_one("loss", &line);
    open_fails((sac_weights_file_options){0}, SAC_E_FORMAT);
    s = open_with((sac_weights_file_options){.array = "loss"});
    assert_sizes(&s, 1, 1, 1, 1, 4); /* a vector becomes a row */
    sac_source_destroy(&s);
    sac_array_free(&a);
    sac_array_free(&line);
}

FILE_TEST(a_weight_that_is_none_is_named_by_its_index)
{
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

FILE_TEST(rows_that_do_not_sum_to_1_are_noted)
{
    sac_array a = weights(2, (size_t[]){3, 4});
    float *w = a.data;
    memset(w, 0, 4 * sizeof *w); /* wholly blocked: fine */
    save_one("attention", &a);
    sac_source s = open_with((sac_weights_file_options){0});
    assert_string_equal(s.note, "");
    sac_source_destroy(&s);
    for (int i = 4; i < 8; i++)
        w[i] *= 2;
    save_one("attention", &a);
    s = open_with((sac_weights_file_options){0});
    assert_non_null(strstr(s.note, "rows sum to 1 … 2"));
    sac_source_destroy(&s);
    sac_array_free(&a);
}

/* 26 million int8: more than is read through at once. */
FILE_TEST(a_large_file_is_checked_where_it_is_looked_at)
{
    sac_array a;
    size_t shape[] = {5100, 5100}, bad = (size_t)2501 * 5100 + 77;
    OK(sac_array_create(SAC_I8, 2, shape, &a, NULL));
    ((int8_t *)a.data)[bad] = -3;
    for (size_t r = 0; r < 5100; r++)
        ((int8_t *)a.data)[r * 5100 + 5] = 1;
    save_one("attention", &a);
    sac_source s = open_with((sac_weights_file_options){0});
    float out[64];
    sac_tile clean = {.row = 0, .rows = 2000, .col = 0, .cols = 2000}, dirty = clean;
    dirty.row = 2000;
    OK(s.weights.pool(s.self, 0, &clean, SAC_POOL_MAX, 8, 8, out, &failure));
    assert_true(out[0] == 1 && out[1] == 0);
    REFUSES(SAC_E_VALUE, "…[2501,77] is -3…",
            s.weights.pool(s.self, 0, &dirty, SAC_POOL_MAX, 8, 8, out, &failure));
    sac_source_destroy(&s);
    sac_array_free(&a);
}

FILE_TEST(pooling_equals_the_tile_pooled)
{
    sac_array a = weights(3, (size_t[]){2, 37, 41});
    save_one("attention", &a);
    sac_source s = open_with((sac_weights_file_options){0});
    sac_tile tile = {.head = 1, .row = 3, .rows = 30, .col = 2, .cols = 35};
    float whole[30 * 35], expected[7 * 8], pooled[7 * 8];
    for (int pool = 0; pool < 2; pool++) {
        OK(s.weights.tile(s.self, 0, &tile, whole, NULL));
        sac_weights_pool(whole, 30, 35, (sac_pool)pool, 7, 8, expected);
        OK(s.weights.pool(s.self, 0, &tile, (sac_pool)pool, 7, 8, pooled, NULL));
        assert_memory_equal(pooled, expected, sizeof pooled);
    }
    tile.rows = 60;
    assert_int_equal(s.weights.tile(s.self, 0, &tile, whole, NULL), SAC_E_ARGUMENT);
    sac_source_destroy(&s);
    sac_array_free(&a);
}

FILE_TEST(grid_prefix_and_picture_may_stand_in_the_file)
{
    sac_array a = weights(2, (size_t[]){7, 7}), image;
    OK(sac_array_create(SAC_U8, 3, (size_t[]){4, 6, 3}, &image, NULL));
    ((uint8_t *)image.data)[3] = 200;
    int64_t sizes[] = {2, 3}, one = 1;
    sac_array grid = sac_array_view(SAC_I64, 1, (size_t[]){2}, sizes);
    sac_array prefix = sac_array_view(SAC_I64, 0, NULL, &one);
    save(
        (sac_named_array[]){
            {"attention", &a}, {"image", &image}, {"grid", &grid}, {"prefix", &prefix}},
        4);
    sac_source s = open_with((sac_weights_file_options){0});
    assert_string_equal(s.note, "");
    assert_true(s.picture.grid_w == 3 && s.picture.grid_h == 2 && s.picture.prefix == 1);
    assert_true(s.picture.image && s.picture.image->width == 6 && s.picture.image->height == 4);
    assert_true(s.picture.image->rgba[4] == 200 && s.picture.image->rgba[7] == 255);
    sac_source_destroy(&s);
    sac_array_free(&a);
    sac_array_free(&image);
}

FILE_TEST(several_attentions_of_a_file_are_offered_to_choose_from)
{
    sac_array self = weights(5, (size_t[]){2, 1, 3, 4, 4}),
              layers = weights(4, (size_t[]){6, 3, 5, 5});
    char *words[] = {"a", "b", "c", "d"};
    sac_array source_words = sac_array_view(SAC_TEXT, 1, (size_t[]){4}, words);
    save((sac_named_array[]){{"encoder_attentions", &self},
                             {"decoder_attentions", &layers},
                             {"model.layers.0.attn.weight", &self},
                             {"source", &source_words}},
         4);
    sac_source s = open_with((sac_weights_file_options){.ask = true});
    assert_null(s.weights.tile);
    assert_int_equal(s.weights.opened.reading, -1);
    assert_int_equal(s.weights.opened.reading_count, 3);
    assert_string_equal(s.weights.opened.readings[0].meaning,
                        "2 layers × 3 heads of 4 × 4 weights");
    assert_string_equal(s.weights.opened.readings[1].meaning, "6 items × 3 heads of 5 × 5 weights");
    assert_string_equal(s.weights.opened.readings[2].meaning,
                        "6 layers × 3 heads of 5 × 5 weights");
    sac_source chosen = open_with((sac_weights_file_options){
        .array = s.weights.opened.readings[2].take, .axes = s.weights.opened.readings[2].axes});
    assert_sizes(&chosen, 6, 1, 3, 5, 5);
    assert_int_equal(chosen.weights.opened.reading, 2);
    sac_source_destroy(&chosen);
    chosen = open_with((sac_weights_file_options){.array = "encoder_attentions"});
    assert_string_equal(chosen.weights.step_labels.text[3], "d");
    assert_string_equal(chosen.weights.position_labels.text[3], "d");
    sac_source_destroy(&chosen);
    sac_source_destroy(&s);
    sac_error error = open_fails((sac_weights_file_options){0}, SAC_E_FORMAT);
    assert_non_null(strstr(error.remedy, "--take NAME"));
    sac_array_free(&self);
    sac_array_free(&layers);
}

FILE_TEST(a_models_weights_are_never_taken_for_attention)
{
    sac_array square = weights(2, (size_t[]){4, 4});
    save((sac_named_array[]){{"layer.0.attention.query.weight", &square},
                             {"layer.0.attention.key.weight", &square}},
         2);
    sac_error error = open_fails((sac_weights_file_options){0}, SAC_E_FORMAT);
    assert_non_null(strstr(error.what, "no attention, nor query and key, among"));
    sac_array_free(&square);
}

FILE_TEST(labels_come_from_the_file_or_from_beside_it)
{
    sac_array a = weights(2, (size_t[]){2, 3}), tokens, classes;
    sac_array_create(SAC_TEXT, 1, (size_t[]){3}, &tokens, NULL);
    sac_array_create(SAC_TEXT, 1, (size_t[]){7}, &classes, NULL);
    const char *words[] = {"sat", "Ωμέγα", "."};
    for (int i = 0; i < 7; i++)
        ((char **)classes.data)[i] = strdup("class");
    for (int i = 0; i < 3; i++)
        ((char **)tokens.data)[i] = strdup(words[i]);
    save((sac_named_array[]){{"attention", &a}, {"tokens", &tokens}, {"labels", &classes}}, 3);
    sac_source s = open_with((sac_weights_file_options){0});
    assert_int_equal(s.weights.position_labels.count, 3);
    assert_string_equal(s.weights.position_labels.text[1], "Ωμέγα");
    assert_int_equal(s.weights.step_labels.count, 0); /* three tokens are no two rows */
    sac_source_destroy(&s);

    char text[72];
    snprintf(text, sizeof text, "%s.txt", path);
    FILE *file = fopen(text, "w");
    fputs("one\ntwo\n", file);
    fclose(file);
    s = open_with((sac_weights_file_options){.labels = text});
    assert_int_equal(s.weights.step_labels.count, 2);
    assert_int_equal(s.weights.position_labels.count, 0);
    sac_source_destroy(&s);
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

FILE_TEST(columns_are_laid_over_a_picture_by_a_grid_that_fits)
{
    sac_array a = weights(2, (size_t[]){2, 17});
    save_one("attention", &a);
    sac_source s = open_with((sac_weights_file_options){.image = ASSETS "/pictures/harbour.png"});
    assert_true(s.picture.image && s.picture.grid_w == 4 && s.picture.grid_h == 4 &&
                s.picture.prefix == 1);
    sac_source_destroy(&s);
    s = open_with((sac_weights_file_options){
        .image = ASSETS "/pictures/harbour.png", .grid_w = 5, .grid_h = 3, .prefix = 2});
    assert_true(s.picture.grid_w == 5 && s.picture.grid_h == 3 && s.picture.prefix == 2);
    sac_source_destroy(&s);
    sac_error error = open_fails((sac_weights_file_options){.image = ASSETS "/pictures/harbour.png",
                                                            .grid_w = 4,
                                                            .grid_h = 4},
                                 SAC_E_SHAPE);
    assert_non_null(strstr(error.what, "17 columns"));
    open_fails((sac_weights_file_options){.image = ASSETS "/pictures/harbour.png", .prefix = 3},
               SAC_E_SHAPE);
    open_fails((sac_weights_file_options){.prefix = 17}, SAC_E_ARGUMENT);
    open_fails((sac_weights_file_options){.prefix = -1}, SAC_E_ARGUMENT);
    open_fails((sac_weights_file_options){.image = "/nowhere.png"}, SAC_E_FILE);
    sac_array_free(&a);
}

/* Text of an array of any shape. */
static sac_array words(int rank, const size_t *shape, const char *const *text)
{
    return sac_array_view(SAC_TEXT, rank, shape, text);
}

FILE_TEST(one_list_of_tokens_is_of_all_layers)
{
    static const char *const text[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    sac_array a = weights(4, (size_t[]){2, 3, 4, 4});
    sac_array list = words(1, (size_t[]){4}, text), row = words(2, (size_t[]){1, 4}, text),
              table = words(2, (size_t[]){2, 4}, text);
    const sac_array *const of_all[] = {&list, &row};
    for (int i = 0; i < 2; i++) {
        save((sac_named_array[]){{"attentions", &a}, {"tokens", of_all[i]}}, 2);
        sac_source s = open_with((sac_weights_file_options){0});
        assert_sizes(&s, 2, 1, 3, 4, 4);
        assert_true(weight_at(&s, 1, 0, 2, 3, 3) == ((float *)a.data)[95]);
        assert_non_null(strstr(s.note, "2 layers × 3 heads"));
        assert_non_null(strstr(s.note, "--axes BHQK"));
        assert_string_equal(s.weights.opened.readings[s.weights.opened.reading].axes, "LHQK");
        assert_string_equal(s.weights.step_labels.text[3], "d");
        sac_source_destroy(&s);
        s = open_with((sac_weights_file_options){.axes = "BHQK"});
        assert_sizes(&s, 1, 2, 3, 4, 4);
        assert_string_equal(s.note, "");
        sac_source_destroy(&s);
    }
    save((sac_named_array[]){{"attentions", &a}, {"tokens", &table}}, 2);
    sac_source s = open_with((sac_weights_file_options){0}); /* a list for each: items */
    assert_sizes(&s, 1, 2, 3, 4, 4);
    assert_string_equal(s.note, "");
    for (size_t b = 0; b < 2; b++) {
        assert_string_equal(sac_source_step_labels(&s, b)->text[1], text[4 * b + 1]);
        assert_string_equal(sac_source_position_labels(&s, b)->text[3], text[4 * b + 3]);
    }
    sac_source_destroy(&s);
    sac_array three = weights(3, (size_t[]){2, 4, 4}); /* averaged over heads */
    save((sac_named_array[]){{"attentions", &three}, {"tokens", &table}}, 2);
    s = open_with((sac_weights_file_options){0});
    assert_sizes(&s, 1, 2, 1, 4, 4);
    assert_string_equal(sac_source_step_labels(&s, 1)->text[0], "e");
    sac_source_destroy(&s);
    sac_array_free(&a);
    sac_array_free(&three);
}

FILE_TEST(both_sides_have_the_names_that_other_programs_give)
{
    static const char *const source_words[] = {"the", "cat", "sat", "on", "it", "."},
                             *const target[] = {"le", "chat", "est", "assis"};
    static const char *const names[][2] = {{"decoder_tokens", "encoder_tokens"},
                                           {"target_tokens", "source_tokens"},
                                           {"query_tokens", "key_tokens"},
                                           {"y_tokens", "x_tokens"}};
    sac_array cross = weights(4, (size_t[]){2, 3, 4, 6}), own = weights(4, (size_t[]){2, 3, 6, 6});
    sac_array rows = words(1, (size_t[]){4}, target),
              columns = words(1, (size_t[]){6}, source_words);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        save((sac_named_array[]){{"cross_attentions", &cross},
                                 {"encoder_attentions", &own},
                                 {names[i][0], &rows},
                                 {names[i][1], &columns}},
             4);
        sac_source s = open_with((sac_weights_file_options){.array = "cross_attentions"});
        assert_string_equal(s.weights.step_labels.text[3], "assis");
        assert_string_equal(s.weights.position_labels.text[5], ".");
        sac_source_destroy(&s);
        s = open_with((sac_weights_file_options){.array = "encoder_attentions"});
        assert_string_equal(s.weights.step_labels.text[5], ".");
        assert_string_equal(s.weights.position_labels.text[0], "the");
        sac_source_destroy(&s);
    }
    sac_array_free(&cross);
    sac_array_free(&own);
}

/* Sentences of one length: whose words they are follows from the name of the attention alone. */
FILE_TEST(an_encoder_has_the_words_of_the_source_on_both_sides)
{
    static const char *const source_words[] = {"a", "b", "c"}, *const target[] = {"x", "y", "z"};
    sac_array a = weights(3, (size_t[]){2, 3, 3});
    sac_array rows = words(1, (size_t[]){3}, target),
              columns = words(1, (size_t[]){3}, source_words);
    const struct {
        const char *name, *row, *column;
    } cases[] = {{"encoder_attentions", "a", "a"},
                 {"decoder_attentions", "x", "x"},
                 {"cross_attentions", "x", "a"}};
    for (int i = 0; i < 3; i++) {
        save((sac_named_array[]){{cases[i].name, &a},
                                 {"decoder_tokens", &rows},
                                 {"encoder_tokens", &columns}},
             3);
        sac_source s = open_with((sac_weights_file_options){0});
        assert_string_equal(s.weights.step_labels.text[0], cases[i].row);
        assert_string_equal(s.weights.position_labels.text[0], cases[i].column);
        sac_source_destroy(&s);
    }
    sac_array_free(&a);
}

FILE_TEST(ids_are_labels_and_what_does_not_fit_is_reported_with_both_counts)
{
    static const char *const three[] = {"only", "three", "words"};
    int64_t ids[] = {101, 1996, 2314, 102}, places[] = {0, 1, 2, 3};
    sac_array a = weights(3, (size_t[]){3, 4, 4});
    sac_array tokens = sac_array_view(SAC_I64, 2, (size_t[]){1, 4}, ids),
              positions = sac_array_view(SAC_I64, 1, (size_t[]){4}, places),
              few = words(1, (size_t[]){3}, three);
    save((sac_named_array[]){{"attention", &a},
                             {"input_ids", &tokens},
                             {"position_ids", &positions},
                             {"words", &few}},
         4);
    sac_source s = open_with((sac_weights_file_options){0});
    assert_string_equal(s.weights.step_labels.text[1], "1996");
    assert_non_null(strstr(s.note, "ids of tokens, from input_ids"));
    assert_non_null(strstr(s.note, "words [3] (3 labels for 4 rows"));
    assert_non_null(strstr(s.note, "position_ids [4]"));
    sac_source_destroy(&s);
    sac_array_free(&a);
}

/* Weights [256,10] of a diffusion model: cells of the picture look at words. */
FILE_TEST(a_picture_lies_under_queries_where_keys_are_words)
{
    static const char *const text[] = {"<s>", "a",   "cat", "sits", "on",
                                       "a",   "red", "mat", "e",    "e"};
    sac_array a = weights(3, (size_t[]){2, 256, 10}), columns = words(1, (size_t[]){10}, text);
    const float *w = a.data;
    save((sac_named_array[]){{"attentions", &a}, {"columns", &columns}}, 2);
    for (int labelled = 1; labelled >= 0; labelled--) {
        if (!labelled)
            save_one("attentions", &a);
        sac_source s =
            open_with((sac_weights_file_options){.image = ASSETS "/pictures/harbour.png"});
        assert_true(s.weights.turned && s.picture.image && s.picture.grid_w == 16 &&
                    s.picture.grid_h == 16 && s.picture.prefix == 0);
        assert_sizes(&s, 1, 1, 2, 10, 256);
        assert_string_equal(labelled ? s.weights.step_labels.text[2] : "cat", "cat");
        assert_int_equal(s.weights.position_labels.count, 0);
        assert_true(weight_at(&s, 0, 0, 1, 2, 200) == w[256 * 10 + 200 * 10 + 2]);
        float tile[6], pooled[2], expected[2];
        sac_tile part = {.head = 1, .row = 3, .rows = 2, .col = 17, .cols = 3};
        OK(s.weights.tile(s.self, 0, &part, tile, NULL));
        for (size_t i = 0; i < 6; i++)
            assert_true(tile[i] == w[256 * 10 + (17 + i % 3) * 10 + 3 + i / 3]);
        OK(s.weights.pool(s.self, 0, &part, SAC_POOL_MAX, 2, 1, pooled, NULL));
        sac_weights_pool(tile, 2, 3, SAC_POOL_MAX, 2, 1, expected);
        assert_memory_equal(pooled, expected, sizeof pooled);
        assert_non_null(strstr(s.note, "the 256 queries are laid over the picture as 16 × 16"));
        sac_source_destroy(&s);
    }
    sac_array_free(&a);
}

FILE_TEST(a_picture_that_no_side_fits_is_left_out_and_reported)
{
    static const char *const text[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"};
    sac_array a = weights(2, (size_t[]){22, 10}), columns = words(1, (size_t[]){10}, text);
    save((sac_named_array[]){{"attentions", &a}, {"columns", &columns}}, 2);
    sac_source s = open_with((sac_weights_file_options){.image = ASSETS "/pictures/harbour.png"});
    assert_null(s.picture.image);
    assert_sizes(&s, 1, 1, 1, 22, 10);
    assert_non_null(strstr(s.note, "the picture is not used: neither 10 columns"));
    sac_source_destroy(&s);
    s = open_with((sac_weights_file_options){
        .image = ASSETS "/pictures/harbour.png", .grid_w = 11, .grid_h = 2});
    assert_true(s.weights.turned && s.picture.grid_w == 11 && s.picture.grid_h == 2);
    sac_source_destroy(&s);
    sac_array_free(&a);
}

/* Five words, 2 × 3 cells, two words. */
FILE_TEST(cells_of_a_picture_may_lie_amid_a_text)
{
    static const char *const text[] = {"look",    "at",      "<image>", "<image>", "<image>",
                                       "<image>", "<image>", "<image>", "it",      "is"};
    int64_t from[] = {2, 3, 4, 5, 6, 7};
    bool mask[10] = {[2] = true, [3] = true, [4] = true, [6] = true, [7] = true, [8] = true};
    sac_array a = weights(2, (size_t[]){10, 10}), tokens = words(1, (size_t[]){10}, text),
              places = sac_array_view(SAC_I64, 1, (size_t[]){6}, from),
              marks = sac_array_view(SAC_BOOL, 2, (size_t[]){1, 10}, mask);
    save((sac_named_array[]){{"attention", &a}, {"tokens", &tokens}}, 2);
    sac_weights_file_options options = {
        .image = ASSETS "/pictures/harbour.png", .grid_w = 3, .grid_h = 2};
    sac_source s = open_with(options); /* by the words */
    assert_true(s.picture.prefix == 2 && !s.picture.cells && s.picture.grid_w == 3);
    assert_string_equal(s.weights.position_labels.text[1], "at");
    assert_string_equal(s.weights.position_labels.text[6], "<image> 1,1");
    assert_string_equal(s.weights.step_labels.text[8], "it");
    assert_string_equal(s.note, "");
    sac_source_destroy(&s);
    save((sac_named_array[]){{"attention", &a}, {"image_positions", &places}}, 2);
    s = open_with(options);
    assert_true(s.picture.prefix == 2 && !s.picture.cells);
    sac_source_destroy(&s);
    sac_array range = sac_array_view(SAC_I64, 1, (size_t[]){2}, (int64_t[]){2, 8});
    save((sac_named_array[]){{"attention", &a}, {"image_positions", &range}}, 2);
    s = open_with(options);
    assert_true(s.picture.prefix == 2 && !s.picture.cells);
    sac_source_destroy(&s);
    save((sac_named_array[]){{"attention", &a}, {"image_token_mask", &marks}}, 2);
    s = open_with(options); /* a token between its lines is no cell */
    size_t cell;
    assert_int_equal(sac_source_cell_position(&s, 0, 3), 6);
    assert_true(sac_source_find_cell(&s, 0, 8, &cell) && cell == 5);
    assert_false(sac_source_find_cell(&s, 0, 5, &cell));
    sac_source_destroy(&s);
    save_one("attention", &a);
    options.cells_given = true;
    options.cells = 3;
    s = open_with(options);
    assert_int_equal(s.picture.prefix, 3);
    assert_string_equal(s.note, "");
    sac_source_destroy(&s);
    options.cells = 5;
    open_fails(options, SAC_E_SHAPE);
    options = (sac_weights_file_options){
        .image = ASSETS "/pictures/harbour.png", .grid_w = 3, .grid_h = 2, .prefix = 2};
    s = open_with(options); /* the same, but the rest is reported */
    assert_non_null(strstr(s.note, "the 2 tokens after the 3 × 2 cells are taken as text"));
    sac_source_destroy(&s);
    sac_array_free(&a);
}

/* Two items, of which the first is padded at its end and the second at its beginning. */
FILE_TEST(padding_is_left_out_item_by_item)
{
    static const char *const text[] = {"a",     "b", "c", "[PAD]", "[PAD]",
                                       "[PAD]", "x", "y", "z",     "w"};
    int64_t keeps[] = {1, 1, 1, 0, 0, 0, 1, 1, 1, 1};
    bool hides[10];
    float adds[10];
    sac_array a = weights(4, (size_t[]){2, 2, 5, 5}), tokens = words(2, (size_t[]){2, 5}, text);
    float *w = a.data;
    for (int i = 0; i < 100;
         i++) { /* the padded keys have nothing, padded queries are no numbers */
        int item = i / 50, row = i / 5 % 5, column = i % 5;
        bool is_key = keeps[item * 5 + column], is_query = keeps[item * 5 + row];
        w[i] = !is_query ? NAN : is_key ? 1.0f / (item ? 4 : 3) + 0.01f * (float)(column - row) : 0;
        hides[i % 10] = !keeps[i % 10];
        adds[i % 10] = keeps[i % 10] ? 0 : -1e9f;
    }
    const sac_array masks[] = {sac_array_view(SAC_I64, 2, (size_t[]){2, 5}, keeps),
                               sac_array_view(SAC_BOOL, 2, (size_t[]){2, 5}, hides),
                               sac_array_view(SAC_F32, 4, (size_t[]){2, 1, 1, 5}, adds)};
    const char *const names[] = {"attention_mask", "key_padding_mask", "attention_mask"};
    for (int i = 0; i < 3; i++) {
        save((sac_named_array[]){{"attentions", &a}, {"tokens", &tokens}, {names[i], &masks[i]}},
             3);
        sac_source s = open_with((sac_weights_file_options){0});
        assert_sizes(&s, 1, 2, 2, 4, 4);
        assert_true(sac_source_steps(&s, 0) == 3 && sac_source_positions(&s, 0) == 3);
        assert_true(sac_source_steps(&s, 1) == 4 && sac_source_positions(&s, 1) == 4);
        assert_string_equal(sac_source_step_labels(&s, 0)->text[2], "c");
        assert_string_equal(sac_source_position_labels(&s, 1)->text[0], "x");
        assert_int_equal(sac_source_position_labels(&s, 1)->count, 4);
        assert_true(weight_at(&s, 0, 0, 1, 2, 1) == w[25 + 2 * 5 + 1]);
        assert_true(weight_at(&s, 0, 1, 1, 0, 3) == w[75 + 1 * 5 + 4]);
        assert_non_null(strstr(s.note, "padding is left out, 1 to 2 of 5 tokens by"));
        assert_non_null(strstr(s.note, "--padding"));
        sac_tile outside = {.rows = 4, .cols = 4};
        float tile[16];
        assert_int_equal(s.weights.tile(s.self, 0, &outside, tile, NULL), SAC_E_ARGUMENT);
        sac_source_destroy(&s);
        s = open_with((sac_weights_file_options){.padding = true, .allow_nan = true});
        assert_sizes(&s, 1, 2, 2, 5, 5);
        sac_source_destroy(&s);
    }
    sac_array_free(&a);
}

FILE_TEST(padding_that_has_weight_is_reported)
{
    int64_t keeps[] = {1, 1, 0};
    sac_array a = weights(2, (size_t[]){3, 3}),
              mask = sac_array_view(SAC_I64, 1, (size_t[]){3}, keeps);
    for (int i = 0; i < 9; i++)
        ((float *)a.data)[i] = i % 3 == 2 ? 0.5f : 0.25f;
    save((sac_named_array[]){{"attention", &a}, {"attention_mask", &mask}}, 2);
    sac_source s = open_with((sac_weights_file_options){0});
    assert_sizes(&s, 1, 1, 1, 2, 2);
    assert_non_null(strstr(s.note, "up to 0.5 of a row lies on padding"));
    sac_source_destroy(&s);
    sac_array_free(&a);
}

/* Weights of one step: row r of head h is (r + k + h) % 5 + 1, brought to sum 1. */
static sac_array step(size_t heads, size_t rows, size_t first, size_t keys)
{
    sac_array array = numbers(3, (size_t[]){heads, rows, keys});
    float *w = array.data;
    for (size_t i = 0; i < heads * rows; i++) {
        size_t seen = rows > 1 ? i % rows + 1 : keys;
        float sum = 0;
        for (size_t k = 0; k < seen; k++)
            sum += w[i * keys + k] = (float)((first + i % rows + k + i / rows) % 5 + 1);
        for (size_t k = 0; k < keys; k++)
            w[i * keys + k] = k < seen ? w[i * keys + k] / sum : 0;
    }
    return array;
}

/* As transformers' generate() gives them: a tuple of steps of a tuple of layers. */
FILE_TEST(steps_of_a_generation_are_one_triangle)
{
    enum { PROMPT = 5, GENERATED = 4, LAYERS = 2, COUNT = (GENERATED + 1) * LAYERS };
    static const char *const text[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    static const char *const forms[] = {"attentions.%d.%d", "step_%d.layer_%d", "%d.%d"};
    char names[COUNT][32];
    int64_t ids[] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
    sac_array arrays[COUNT], tokens = words(1, (size_t[]){10}, text),
                             generated = sac_array_view(SAC_I64, 2, (size_t[]){1, 10}, ids);
    sac_named_array list[COUNT + 1];
    for (int form = 0; form < 4; form++) {
        int count = form == 3 ? GENERATED + 1 : COUNT;
        for (int i = 0; i < count; i++) {
            int s = form == 3 ? i : i / LAYERS, l = form == 3 ? 0 : i % LAYERS;
            size_t keys = (size_t)(PROMPT + s);
            if (form == 3)
                snprintf(names[i], sizeof names[i], "arr_%d", s);
            else
                snprintf(names[i], sizeof names[i], forms[form], s, l);
            arrays[i] = step(3, s ? 1 : PROMPT, s ? keys - 1 + (size_t)l : (size_t)l, keys);
            list[i] = (sac_named_array){names[i], &arrays[i]};
        }
        list[count] = (sac_named_array){form ? "tokens" : "sequences", form ? &tokens : &generated};
        save(list, (size_t)count + 1);
        sac_source s = open_with((sac_weights_file_options){0});
        assert_sizes(&s, form == 3 ? 1 : LAYERS, 1, 3, PROMPT + GENERATED, PROMPT + GENERATED);
        assert_string_equal(s.weights.step_labels.text[8],
                            form ? "i" : "18"); /* the last has no row */
        assert_int_equal(s.weights.step_labels.count, 9);
        assert_non_null(strstr(s.note, "5 steps of a generation are joined to one map, 9 × 9: 5 "
                                       "tokens of the prompt, then 4 generated"));
        for (size_t l = 0; l < s.weights.layers; l++)
            for (size_t q = 0; q < 9; q++)
                for (size_t k = 0; k < 9; k++) {
                    size_t at = q < PROMPT ? 0 : q - PROMPT + 1;
                    const sac_array *from = &arrays[form == 3 ? at : at * LAYERS + l];
                    size_t rows = from->shape[1], keys = from->shape[2];
                    float expected =
                        k < keys ? ((const float *)
                                        from->data)[(2 * rows + (q < PROMPT ? q : 0)) * keys + k]
                                 : 0;
                    assert_true(weight_at(&s, l, 0, 2, q, k) == expected);
                }
        uint8_t masked[81];
        sac_tile whole = {.rows = 9, .cols = 9};
        OK(s.weights.masked(s.self, 0, &whole, masked, NULL));
        assert_true(masked[5 * 9 + 6] && !masked[5 * 9 + 5] && masked[4 * 9 + 5]);
        sac_source_destroy(&s);
        for (int i = 0; i < count; i++)
            sac_array_free(&arrays[i]);
    }
}

FILE_TEST(cross_attention_of_steps_is_stacked)
{
    enum { STEPS = 12, KEYS = 6, LAYERS = 2 };
    char names[STEPS * LAYERS][40];
    sac_array arrays[STEPS * LAYERS];
    sac_named_array list[STEPS * LAYERS];
    for (int i = 0; i < STEPS * LAYERS; i++) {
        snprintf(names[i], sizeof names[i], "cross_attentions.%d.%d", i / LAYERS, i % LAYERS);
        arrays[i] = step(2, 1, (size_t)i, KEYS);
        list[i] = (sac_named_array){names[i], &arrays[i]};
    }
    save(list, STEPS * LAYERS);
    sac_source s = open_with((sac_weights_file_options){0});
    assert_sizes(&s, LAYERS, 1, 2, STEPS, KEYS);
    for (size_t q = 0; q < STEPS; q++)
        assert_true(weight_at(&s, 1, 0, 1, q, 4) ==
                    ((float *)arrays[q * LAYERS + 1].data)[KEYS + 4]);
    sac_source_destroy(&s);
    s = open_with((sac_weights_file_options){.array = "cross_attentions.*.1"});
    assert_sizes(&s, 1, 1, 2, STEPS, KEYS);
    sac_source_destroy(&s);
    for (int i = 0; i < STEPS; i++) /* one query of each layer stays what it is */
        snprintf(names[i], sizeof names[i], "layer.%d.attention", i);
    save(list, STEPS);
    s = open_with((sac_weights_file_options){0});
    assert_sizes(&s, STEPS, 1, 2, 1, KEYS);
    sac_source_destroy(&s);
    for (int i = 0; i < STEPS * LAYERS; i++)
        sac_array_free(&arrays[i]);
}

/* The prompt of the second item is padded at its beginning. */
FILE_TEST(padding_of_a_prompt_is_left_out_of_its_steps)
{
    int64_t keeps[] = {1, 1, 1, 0, 1, 1};
    sac_array prompt = weights(4, (size_t[]){2, 1, 3, 3}),
              next = weights(4, (size_t[]){2, 1, 1, 4}),
              mask = sac_array_view(SAC_I64, 2, (size_t[]){2, 3}, keeps);
    save((sac_named_array[]){{"attentions.0", &prompt},
                             {"attentions.1", &next},
                             {"attention_mask", &mask}},
         3);
    sac_source s = open_with((sac_weights_file_options){0});
    assert_sizes(&s, 1, 2, 1, 4, 4);
    assert_true(sac_source_steps(&s, 0) == 4 && sac_source_steps(&s, 1) == 3);
    assert_true(weight_at(&s, 0, 1, 0, 2, 0) == ((float *)next.data)[4 + 1]);
    sac_source_destroy(&s);
    sac_array_free(&prompt);
    sac_array_free(&next);
}

FILE_TEST(a_vector_with_words_is_a_row)
{
    static const char *const text[] = {"Hello", "world", "good", "bye", "x", "y"};
    sac_array a = weights(1, (size_t[]){2}), tokens = words(1, (size_t[]){2}, text);
    save((sac_named_array[]){{"attention", &a}, {"tokens", &tokens}}, 2);
    sac_source s = open_with((sac_weights_file_options){0});
    assert_sizes(&s, 1, 1, 1, 1, 2);
    assert_string_equal(s.weights.position_labels.text[1], "world");
    assert_true(weight_at(&s, 0, 0, 0, 0, 1) == ((float *)a.data)[1]);
    sac_source_destroy(&s);
    save_one("x", &a); /* alone, and sums to 1 */
    s = open_with((sac_weights_file_options){0});
    assert_sizes(&s, 1, 1, 1, 1, 2);
    sac_source_destroy(&s);
    sac_array_free(&a);
    a = weights(2, (size_t[]){3, 2}); /* a row a sentence, with its own words */
    tokens = words(2, (size_t[]){3, 2}, text);
    save((sac_named_array[]){{"attention", &a}, {"tokens", &tokens}}, 2);
    s = open_with((sac_weights_file_options){0});
    assert_sizes(&s, 1, 3, 1, 1, 2);
    assert_string_equal(sac_source_position_labels(&s, 2)->text[1], "y");
    assert_true(weight_at(&s, 0, 2, 0, 0, 1) == ((float *)a.data)[5]);
    sac_source_destroy(&s);
    sac_array_free(&a);
}

FILE_TEST(layers_are_called_by_the_numbers_of_their_names)
{
    sac_array a = weights(3, (size_t[]){2, 3, 3});
    size_t layer;
    save((sac_named_array[]){{"layer.4.attn", &a}, {"layer.0.attn", &a}, {"layer.2.attn", &a}}, 3);
    sac_source s = open_with((sac_weights_file_options){0});
    assert_sizes(&s, 3, 1, 2, 3, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(sac_source_layer_number(&s, i), 2 * i);
    assert_true(sac_source_find_layer(&s, 4, &layer) && layer == 2);
    assert_false(sac_source_find_layer(&s, 1, &layer));
    sac_source_destroy(&s);
    sac_array_free(&a);
}

/* As the blocks of a diffusion model have them. */
FILE_TEST(of_maps_of_several_resolutions_the_finest_is_taken_and_reported)
{
    sac_array fine = weights(3, (size_t[]){2, 64, 7}), coarse = weights(3, (size_t[]){2, 16, 7});
    save((sac_named_array[]){{"down.0.attn", &fine},
                             {"down.1.attn", &coarse},
                             {"up.0.attn", &coarse},
                             {"up.1.attn", &fine}},
         4);
    sac_source s = open_with((sac_weights_file_options){.image = ASSETS "/pictures/harbour.png"});
    assert_true(s.weights.turned && s.picture.grid_w == 8);
    assert_sizes(&s, 1, 1, 2, 7, 64);
    assert_non_null(strstr(s.note, "the finest of several maps is shown, down.0.attn;"));
    assert_non_null(strstr(s.note, "up.0.attn [2,16,7]"));
    sac_source_destroy(&s);
    s = open_with(
        (sac_weights_file_options){.image = ASSETS "/pictures/harbour.png", .array = "up.0.attn"});
    assert_true(s.weights.turned && s.picture.grid_w == 4);
    sac_source_destroy(&s);
    sac_array_free(&fine);
    sac_array_free(&coarse);
}

FILE_TEST(a_missing_file_reports_it)
{
    sac_source s;
    sac_weights_file_options options = {.path = "/nowhere/at-all.npz"};
    REFUSES(SAC_E_FILE, "…/nowhere/at-all.npz…", sac_weights_file_open(&options, &s, &failure));
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

static uint8_t masked_at(const sac_source *s, size_t h, size_t q, size_t k)
{
    uint8_t masked;
    sac_tile tile = {0, h, q, 1, k, 1};
    OK(s->weights.masked(s->self, 0, &tile, &masked, NULL));
    return masked;
}

FILE_TEST(of_scores_their_softmax_is_shown_when_asked_for)
{
    const double scores[] = {-0.5, 0, 1}; /* of that row, without the key that is masked */
    double sum = exp(-0.5) + exp(0) + exp(1);
    save_scores(-INFINITY);
    assert_non_null(
        strstr(open_fails((sac_weights_file_options){0}, SAC_E_VALUE).remedy, "--softmax"));
    sac_source s = open_with((sac_weights_file_options){.softmax = true});
    for (size_t k = 0; k < 3; k++) /* one cell at a time: a part of a row knows all of it */
        assert_float_equal(weight_at(&s, 0, 0, 1, 1, k + (k == 2)), exp(scores[k]) / sum, 1e-6);
    assert_true(weight_at(&s, 0, 0, 1, 1, 2) == 0);
    assert_true(masked_at(&s, 1, 1, 2) && !masked_at(&s, 1, 1, 1));
    assert_string_equal(s.note, "");
    sac_source_destroy(&s);
    save_scores(INFINITY);
    open_fails((sac_weights_file_options){.softmax = true}, SAC_E_VALUE);
}

FILE_TEST(nan_is_hatched_and_counted_when_asked_for)
{
    sac_array array = weights(3, (size_t[]){2, 3, 4});
    ((float *)array.data)[18] = ((float *)array.data)[23] = NAN;
    save_one("attention", &array);
    sac_source s = open_with((sac_weights_file_options){.allow_nan = true});
    assert_string_equal(s.note, "2 values are NaN: hatched");
    assert_true(weight_at(&s, 0, 0, 1, 1, 2) == 0 && masked_at(&s, 1, 1, 2));
    assert_true(weight_at(&s, 0, 0, 1, 1, 1) > 0 && !masked_at(&s, 1, 1, 1));
    sac_source_destroy(&s);
    save_scores(NAN);
    s = open_with((sac_weights_file_options){.allow_nan = true, .softmax = true});
    assert_true(weight_at(&s, 0, 0, 1, 1, 2) == 0 && masked_at(&s, 1, 1, 2));
    sac_source_destroy(&s);
    sac_array_free(&array);
}

FILE_TEST(the_bundled_sample_opens_with_its_words)
{
    sac_source s;
    sac_weights_file_options options = {.path = ASSETS "/samples/attentions.npz"};
    OK(sac_weights_file_open(&options, &s, NULL));
    assert_sizes(&s, 6, 1, 8, 24, 24);
    assert_string_equal(s.weights.made.dtype, "float16");
    assert_string_equal(s.weights.step_labels.text[7], "1992");
    assert_string_equal(s.weights.position_labels.text[22], "zone");
    assert_string_equal(s.title, "attentions.npz");
    assert_true(s.origin.file[0] == '/' && strncmp(s.origin.hash, "sha256:", 7) == 0);
    assert_string_equal(s.note, "");
    sac_source_destroy(&s);
}

/* Opens one of the files that make_torch.py wrote. */
static sac_status open_made(const char *name, const char *take, sac_source *source,
                            sac_error *error)
{
    char file[400];
    snprintf(file, sizeof file, TESTS "/arrays/data/%s", name);
    return sac_weights_file_open(&(sac_weights_file_options){.path = file, .array = take}, source,
                                 error);
}

FILE_TEST(what_is_not_read_is_noted_and_an_error_where_it_is_taken)
{
    sac_source s;
    OK(open_made("beside.npz", NULL, &s, NULL));
    assert_non_null(strstr(s.note, "not used: folder/inner [3], config (holds Python objects, "
                                   "which are not read: element 0 is a dict), ragged ("));
    sac_source_destroy(&s);
    REFUSES(SAC_E_FORMAT, "…beside.npz: config…", open_made("beside.npz", "config", &s, &failure));
    assert_string_equal(failure.what,
                        "holds Python objects, which are not read: element 0 is a dict; "
                        "save numbers or text");
}

/* The other array is square by chance. */
FILE_TEST(attention_that_is_not_read_is_not_taken_to_be_another_array)
{
    static const char header[] =
        "{\"attentions\":{\"dtype\":\"F8_E4M3\",\"shape\":[1],\"data_offsets\":[0,1]},"
        "\"x\":{\"dtype\":\"U8\",\"shape\":[1,1],\"data_offsets\":[1,2]}}";
    const uint8_t length[8] = {sizeof header - 1};
    sac_source s;
    FILE *out = fopen(path, "wb");
    assert_true(fwrite(length, 1, 8, out) == 8 && fputs(header, out) >= 0 &&
                fwrite("\1\1", 1, 2, out) == 2 && fclose(out) == 0);
    REFUSES(SAC_E_FORMAT, "…: attentions…",
            sac_weights_file_open(&(sac_weights_file_options){.path = path}, &s, &failure));
    OK(sac_weights_file_open(&(sac_weights_file_options){.path = path, .array = "x"}, &s, NULL));
    sac_source_destroy(&s);
}

FILE_TEST(attention_that_torch_saved_opens_with_all_layers)
{
    static const struct {
        const char *name;
        size_t layers;
    } cases[] = {{"torch_tensor.pt", 1}, {"torch_tuple.pt", 2}, {"torch_output.pt", 2}};
    for (int i = 0; i < 3; i++) {
        sac_source s;
        OK(open_made(cases[i].name, NULL, &s, &failure));
        assert_true(s.weights.layers == cases[i].layers && s.weights.heads == 2 &&
                    s.weights.steps == 3);
        if (i == 2)
            assert_string_equal(s.weights.step_labels.text[2], "sät");
        sac_source_destroy(&s);
    }
}

FILE_TEST(an_empty_archive_shows_that_it_is_empty)
{
    static const uint8_t empty[22] = {'P', 'K', 5, 6};
    sac_source s;
    FILE *out = fopen(path, "wb");
    assert_true(fwrite(empty, 1, sizeof empty, out) == sizeof empty && fclose(out) == 0);
    REFUSES(SAC_E_FORMAT, "…holds no arrays: it is empty…",
            sac_weights_file_open(&(sac_weights_file_options){.path = path}, &s, &failure));
}

TEST_MAIN(NULL, NULL)
