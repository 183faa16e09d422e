/* src/sources/files/attention_file: what the arrays of a file mean, held to the plain formula of
 * attention. Nothing here needs a device. */
#include <unistd.h>

#include "base/random/random.h"
#include "saccade_arrays.h"
#include "sources/files/queries/attention_file.h"
#include "sources/files/weights/computed_weights.h"
#include "status.h"
#include "test.h"

enum { B = 2, H = 4, HK = 2, T = 6, D = 3 };

/* The path of a fresh temporary file. */
static char path[64];
static float bias[H * T * T];
static float query[B * H * T * D], key[B * H * T * D], value[B * H * T * D];

static const size_t all_heads[] = {B, H, T, D}, key_heads[] = {B, HK, T, D};

static sac_array view(const float *numbers, const size_t shape[4])
{
    return sac_array_view(SAC_F32, 4, shape, numbers);
}

/* ---------------------------------------------------------------- what is not read */

static int make_path(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < B * H * T * D; i++) {
        query[i] = 4 * sac_philox_uniform(i, 1, 5) - 2;
        key[i] = 4 * sac_philox_uniform(i, 2, 5) - 2;
        value[i] = 4 * sac_philox_uniform(i, 3, 5) - 2;
    }
    for (uint32_t i = 0; i < H * T * T; i++)
        bias[i] = 4 * sac_philox_uniform(i, 4, 5) - 2;
    strcpy(path, "/tmp/saccade-test-XXXXXX");
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

#define FILE_TEST(name) TEST_WITH(name, make_path, remove_path)

/* A mask of a kind that is not read would change the weights; an unused array does
 * not. */
FILE_TEST(what_is_not_read_is_an_error_where_it_is_asked_for)
{
    static const char form[] =
        "{\"query\":{\"dtype\":\"U8\",\"shape\":[1,2],\"data_offsets\":[0,2]},"
        "\"key\":{\"dtype\":\"U8\",\"shape\":[1,2],\"data_offsets\":[2,4]},"
        "\"%s\":{\"dtype\":\"F8_E4M3\",\"shape\":[1],\"data_offsets\":[4,5]}}";
    static const struct {
        const char *name, *why;
    } cases[] = {{"attn_mask", "has dtype 'F8_E4M3', which is not read; convert it to F32, F16 or "
                               "BF16"},
                 {"q_proj.weight", "has dtype 'F8_E4M3', which is not read; convert it to F32, F16 "
                                   "or BF16"},
                 {"loss", NULL}};
    for (int i = 0; i < 3; i++) {
        char header[400];
        uint8_t length[8] = {0};
        int size = snprintf(header, sizeof header, form, cases[i].name);
        length[0] = (uint8_t)size;
        length[1] = (uint8_t)(size >> 8);
        FILE *out = fopen(path, "wb");
        assert_true(fwrite(length, 1, 8, out) == 8 && fputs(header, out) >= 0 &&
                    fwrite("\1\2\3\4\5", 1, 5, out) == 5 && fclose(out) == 0);
        sac_arrays *arrays;
        sac_error error = {0};
        sac_attention_file file;
        sac_attention_request request = {.query = "query", .extent = SAC_EXTENT_WEIGHTS};
        assert_int_equal(sac_arrays_open(path, &arrays, NULL), SAC_OK);
        assert_int_equal(sac_attention_file_read(arrays, &request, &file, &error),
                         cases[i].why ? SAC_E_FORMAT : SAC_OK);
        if (cases[i].why) {
            assert_string_equal(error.where, cases[i].name);
            assert_string_equal(error.what, cases[i].why);
        } else {
            char text[200];
            bool used[2] = {true, true};
            sac_not_used_text(arrays, used, text, sizeof text);
            assert_string_equal(text, "not used: loss (has dtype 'F8_E4M3', which is not read)");
        }
        sac_attention_file_free(&file);
        sac_arrays_close(arrays);
    }
}

/* ---------------------------------------------------------------- the formula */

/* What is added to the score of query i and key j in head h of item b; −∞ hides the key. */
typedef double addend(int b, int h, int i, int j);

static double nothing(int b, int h, int i, int j)
{
    (void)b, (void)h, (void)i, (void)j;
    return 0;
}

/* weights[b,h,i,j] = softmax over j of q·k / √d + add(b,h,i,j), with `shared` heads of the query to
 * a key's. */
static void formula(addend *add, int shared, double *weights)
{
    for (int row = 0; row < B * H * T; row++, weights += T) {
        int b = row / (H * T), h = row / T % H, i = row % T;
        int keys = (b * (H / shared) + h / shared) * T;
        double sum = 0;
        for (int j = 0; j < T; j++) {
            double score = 0;
            for (int c = 0; c < D; c++)
                score += (double)query[row * D + c] * (double)key[(keys + j) * D + c];
            weights[j] = exp(score / sqrt(D) + add(b, h, i, j));
            sum += weights[j];
        }
        for (int j = 0; j < T; j++)
            weights[j] = sum > 0 ? weights[j] / sum : 0;
    }
}

/* ---------------------------------------------------------------- files */

static sac_arrays *save(const sac_named_array *arrays, size_t count)
{
    sac_arrays *open = NULL;
    if (sac_npz_save(path, arrays, count, &failure) != SAC_OK ||
        sac_arrays_open(path, &open, &failure) != SAC_OK)
        fail_msg("%s: %s", failure.where, failure.what);
    return open;
}

/* query and key of all heads, and what else there is. */
static sac_arrays *save_with(const sac_named_array *more, size_t count)
{
    sac_array q = view(query, all_heads), k = view(key, all_heads);
    sac_named_array arrays[8] = {{"query", &q}, {"key", &k}};
    memcpy(arrays + 2, more, count * sizeof *more);
    return save(arrays, count + 2);
}

static const double bound = 1e-6; /* float masks are rounded to float32 */

static void assert_weights(const sac_attention_file *file, addend *add, int shared)
{
    static double wanted[B * H * T * T], weights[B * H * T * T];
    formula(add, shared, wanted);
    OK(sac_attention_reference(&file->spec, &file->input, NULL, NULL, weights, &failure));
    for (int i = 0; i < B * H * T * T; i++)
        if (!(fabs(weights[i] - wanted[i]) <= bound))
            fail_msg("weight %d is %g, not %g", i, weights[i], wanted[i]);
}

static void read_all(const sac_arrays *arrays, sac_attention_file *file)
{
    sac_attention_request request = {.query = "query"};
    OK(sac_attention_file_read(arrays, &request, file, &failure));
}

/* The file with `more` gives the weights of the formula with `add`, and its masks this name. */
static void assert_adds(const sac_named_array *more, size_t count, addend *add, const char *masks)
{
    sac_attention_file file;
    sac_arrays *arrays = save_with(more, count);
    read_all(arrays, &file);
    assert_string_equal(file.masks, masks);
    assert_weights(&file, add, 1);
    bool used[8] = {false};
    char text[200];
    sac_attention_request request = {.query = "query"};
    sac_attention_file_mark(arrays, &request, used);
    assert_string_equal(sac_not_used_text(arrays, used, text, sizeof text), "");
    sac_attention_file_free(&file);
    sac_arrays_close(arrays);
}

static void assert_adds_one(const char *name, const sac_array *array, addend *add)
{
    assert_adds(&(sac_named_array){name, array}, 1, add, name);
}

/* ---------------------------------------------------------------- masks and biases */

static double bias_of(int b, int h, int i, int j)
{
    (void)b;
    return bias[(h * T + i) * T + j];
}

FILE_TEST(a_bias_is_added_to_the_score)
{
    sac_array four = sac_array_view(SAC_F32, 4, (size_t[]){1, H, T, T}, bias);
    sac_array three = sac_array_view(SAC_F32, 3, (size_t[]){H, T, T}, bias);
    assert_adds_one("bias", &four, bias_of);
    assert_adds_one("bias", &three, bias_of);
    assert_adds_one("position_bias", &four, bias_of);
    assert_adds_one("attn_mask", &three, bias_of);
}

static double kept_0_of_1(int b, int h, int i, int j)
{
    (void)h, (void)i;
    return b == 1 && j == 0 ? -INFINITY : 0;
}

static double kept_of_all(int b, int h, int i, int j)
{
    (void)b, (void)h, (void)i;
    return j == 0 ? -INFINITY : 0;
}

static double kept_below(int b, int h, int i, int j)
{
    (void)b, (void)h;
    return j > i ? -INFINITY : 0;
}

FILE_TEST(an_attention_mask_keeps_where_it_is_1)
{
    int64_t items[B * T] = {1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1};
    float line[T] = {0, 1, 1, 1, 1, 1}, added[T * T];
    bool pairs[T * T];
    for (int i = 0; i < T * T; i++) {
        pairs[i] = i % T <= i / T;
        added[i] = pairs[i] ? 0 : -3e38f;
    }
    sac_array two = sac_array_view(SAC_I64, 2, (size_t[]){B, T}, items);
    sac_array one = sac_array_view(SAC_F32, 1, (size_t[]){T}, line);
    sac_array square = sac_array_view(SAC_BOOL, 2, (size_t[]){T, T}, pairs);
    sac_array four = sac_array_view(SAC_F32, 4, (size_t[]){1, 1, T, T}, added);
    assert_adds_one("attention_mask", &two, kept_0_of_1);
    assert_adds_one("attention_mask", &one, kept_of_all);
    assert_adds_one("attention_mask", &square, kept_below);
    assert_adds_one("attention_mask", &four, kept_below);
}

static const float slopes[H] = {0.5f, 0.25f, 0.125f, 1};

/* Of a query and six keys, read with that spec. */
static void read_last(const sac_attention_spec *spec, const sac_named_array *more, size_t count,
                      sac_arrays **open, sac_attention_file *file)
{
    const size_t last[] = {B, H, 1, D};
    sac_array q = view(query, last), k = view(key, all_heads);
    sac_named_array arrays[8] = {{"query", &q}, {"key", &k}};
    sac_attention_request request = {.query = "query", .spec = *spec};
    memcpy(arrays + 2, more, count * sizeof *more);
    *open = save(arrays, count + 2);
    OK(sac_attention_file_read(*open, &request, file, &failure));
}

/* As in a decoder with a cache of keys, unless the other end is requested. */
FILE_TEST(one_query_is_the_last_of_the_keys)
{
    static const struct {
        sac_attention_spec spec;
        int place; /* among the keys */
        const char *masks, *text;
    } cases[] = {
        {{.causal = true, .window = 2},
         T - 1,
         "causal (bottom-right), alibi, window 2",
         "causal (bottom-right): the last query is at the last key; --causal top-left begins at "
         "the first"},
        {{.causal = true, .window = 2, .alignment = SAC_ALIGN_TOP_LEFT},
         0,
         "causal (top-left), alibi, window 2",
         "causal (top-left): the first query is at the first key; --causal bottom-right ends at "
         "the last"},
        {{.window = 2}, T - 1, "alibi, window 2", "window: the last query is at the last key"},
        {{.alignment = SAC_ALIGN_TOP_LEFT}, 0, "alibi", ""}};
    sac_array one = sac_array_view(SAC_F32, 1, (size_t[]){H}, slopes);
    const sac_named_array alibi = {"alibi", &one};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_arrays *open;
        sac_attention_file file;
        sac_masked_keys masked;
        uint8_t hidden[T];
        read_last(&cases[i].spec, &alibi, 1, &open, &file);
        assert_string_equal(file.masks, cases[i].masks);
        assert_string_equal(file.note, cases[i].text);
        const float *added = file.input.attn_mask->data;
        for (int h = 0; h < H; h++)
            for (int j = 0; j < T; j++)
                assert_true(added[h * T + j] == -slopes[h] * (float)abs(cases[i].place - j));
        OK(sac_masked_keys_read(&file, &masked, NULL));
        sac_masked_keys_tile(&masked, &(sac_tile){1, 2, 0, 1, 0, T}, hidden);
        for (int j = 0; j < T; j++)
            assert_int_equal(hidden[j], (cases[i].spec.window && abs(cases[i].place - j) >= 2) ||
                                            (cases[i].spec.causal && j > cases[i].place));
        sac_masked_keys_free(&masked);
        sac_attention_file_free(&file);
        sac_arrays_close(open);
    }
}

/* A cap by each of its names, which an option goes before, and a sink for each head. */
FILE_TEST(caps_and_sinks_are_read)
{
    static const char *const names[] = {"softcap", "attn_logit_softcapping", "logit_softcap",
                                        "logits_soft_cap"};
    static const float cap = 30;
    sac_array number = sac_array_view(SAC_F32, 0, NULL, &cap);
    sac_array sinks = sac_array_view(SAC_F32, 1, (size_t[]){H}, slopes);
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        sac_named_array more[] = {{names[i / 2], &number}, {"sinks", &sinks}};
        sac_attention_spec spec = {.softcap = i % 2 ? 2 : 0, .alignment = SAC_ALIGN_TOP_LEFT};
        sac_attention_request request = {.query = "query", .spec = spec};
        sac_arrays *open;
        sac_attention_file file;
        char note[128] = "", unused[128];
        bool used[4] = {false};
        read_last(&spec, more, 2, &open, &file);
        if (i % 2)
            snprintf(note, sizeof note, "%s 30 of the file gives way to --softcap 2", names[i / 2]);
        assert_string_equal(file.note, note);
        assert_true(file.spec.softcap == (i % 2 ? 2 : 30));
        assert_true(file.input.sinks && sac_array_count(file.input.sinks) == H);
        sac_attention_file_mark(open, &request, used);
        assert_string_equal(sac_not_used_text(open, used, unused, sizeof unused), "");
        sac_attention_file_free(&file);
        sac_arrays_close(open);
    }
}

static double alibi_of(int b, int h, int i, int j)
{
    (void)b;
    return -(double)slopes[h] * abs(i - j);
}

FILE_TEST(alibi_slopes_take_the_distance_from_the_score)
{
    sac_array one = sac_array_view(SAC_F32, 1, (size_t[]){H}, slopes);
    sac_array three = sac_array_view(SAC_F32, 3, (size_t[]){H, 1, 1}, slopes);
    assert_adds_one("alibi", &one, alibi_of);
    assert_adds_one("alibi_slopes", &three, alibi_of);
}

static double near_alone(int b, int h, int i, int j)
{
    (void)b, (void)h;
    return abs(i - j) < 2 ? 0 : -INFINITY;
}

FILE_TEST(a_window_hides_what_is_further_away)
{
    int32_t two = 2;
    sac_array scalar = sac_array_view(SAC_I32, 0, NULL, &two);
    assert_adds(&(sac_named_array){"window", &scalar}, 1, near_alone, "window 2");
}

static double all_at_once(int b, int h, int i, int j)
{
    return bias_of(b, h, i, j) + alibi_of(b, h, i, j) + kept_0_of_1(b, h, i, j) +
           kept_below(b, h, i, j);
}

FILE_TEST(what_is_there_together_is_added_up)
{
    int64_t items[B * T] = {1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1};
    bool blocked[T * T];
    for (int i = 0; i < T * T; i++)
        blocked[i] = i % T > i / T;
    sac_array keep = sac_array_view(SAC_I64, 2, (size_t[]){B, T}, items);
    sac_array pairs = sac_array_view(SAC_BOOL, 2, (size_t[]){T, T}, blocked);
    sac_array added = sac_array_view(SAC_F32, 4, (size_t[]){1, H, T, T}, bias);
    sac_array one = sac_array_view(SAC_F32, 1, (size_t[]){H}, slopes);
    const sac_named_array more[] = {
        {"bias", &added}, {"attention_mask", &keep}, {"alibi", &one}, {"attn_mask", &pairs}};
    assert_adds(more, 4, all_at_once, "attn_mask, attention_mask, bias, alibi");
}

FILE_TEST(what_does_not_fit_is_named_as_the_file_names_it)
{
    float other[T * (T + 1)] = {0}, spoilt[T * T] = {NAN};
    int32_t none = 0, two[B * T] = {2};
    sac_array wide = sac_array_view(SAC_F32, 2, (size_t[]){T, T + 1}, other);
    sac_array nan = sac_array_view(SAC_F32, 2, (size_t[]){T, T}, spoilt);
    sac_array ints = sac_array_view(SAC_I32, 2, (size_t[]){B, T}, two);
    sac_array zero = sac_array_view(SAC_I32, 0, NULL, &none);
    const struct {
        sac_named_array more;
        const char *what;
    } cases[] = {{{"bias", &wide}, "shape [6,7] does not fit the weights [2,4,6,6]"},
                 {{"alibi", &wide}, "shape [6,7] does not fit the weights [2,4,6,6]"},
                 {{"attention_mask", &wide}, "shape [6,7] does not fit the weights [2,4,6,6]"},
                 {{"attention_mask", &ints}, "holds whole numbers besides 0 and 1"},
                 {{"window", &zero}, "is not how many keys a query sees"},
                 {{"bias", &nan}, "NaN at"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_attention_file file;
        sac_error error = {0};
        sac_arrays *arrays = save_with(&cases[i].more, 1);
        sac_attention_request request = {.query = "query"};
        assert_int_not_equal(sac_attention_file_read(arrays, &request, &file, &error), SAC_OK);
        assert_string_equal(error.where, cases[i].more.name);
        if (!strstr(error.what, cases[i].what))
            fail_msg("%s: %s", error.where, error.what);
        sac_arrays_close(arrays);
    }
}

static bool blocked_of_all[B * H * T * T];

static double in_all(int b, int h, int i, int j)
{
    return blocked_of_all[((b * H + h) * T + i) * T + j] ? -INFINITY : 0;
}

static double in_all_and_padding(int b, int h, int i, int j)
{
    return in_all(b, h, i, j) + (b == 1 && j > 3 ? -INFINITY : 0);
}

static double padding_alone(int b, int h, int i, int j)
{
    (void)h, (void)i;
    return b == 1 && j > 3 ? -INFINITY : 0;
}

/* nn.MultiheadAttention takes [B·H,Tq,Tk], and pads with floats. */
FILE_TEST(masks_of_pytorch_are_read_in_all_their_forms)
{
    static float added[B * H * T * T];
    float padding[B * T];
    int64_t whole[B * T];
    for (uint32_t i = 0; i < B * H * T * T; i++) {
        blocked_of_all[i] = i % T && sac_philox_uniform(i, 9, 5) > 0.6f;
        added[i] = blocked_of_all[i] ? -INFINITY : 0;
    }
    for (int i = 0; i < B * T; i++) {
        whole[i] = i >= T + 4;
        padding[i] = whole[i] ? -INFINITY : 0;
    }
    sac_array flat = sac_array_view(SAC_BOOL, 3, (size_t[]){B * H, T, T}, blocked_of_all);
    sac_array flat_float = sac_array_view(SAC_F32, 3, (size_t[]){B * H, T, T}, added);
    sac_array floats = sac_array_view(SAC_F32, 2, (size_t[]){B, T}, padding);
    sac_array ints = sac_array_view(SAC_I64, 2, (size_t[]){B, T}, whole);
    assert_adds_one("attn_mask", &flat, in_all);
    assert_adds_one("src_mask", &flat_float, in_all);
    assert_adds(&(sac_named_array){"key_padding_mask", &floats}, 1, padding_alone, "key padding");
    assert_adds(&(sac_named_array){"src_key_padding_mask", &ints}, 1, padding_alone, "key padding");
    const sac_named_array both[] = {{"attn_mask", &flat}, {"key_padding_mask", &floats}};
    assert_adds(both, 2, in_all_and_padding, "key padding, attn_mask");
    const sac_named_array also[] = {{"attn_mask", &flat_float}, {"key_padding_mask", &ints}};
    assert_adds(also, 2, in_all_and_padding, "key padding, attn_mask");
}

FILE_TEST(masks_that_are_easily_mistaken_are_noted)
{
    float kept[T * T];
    bool below[T * T];
    for (int i = 0; i < T * T; i++) {
        below[i] = i % T <= i / T;
        kept[i] = below[i];
    }
    sac_array floats = sac_array_view(SAC_F32, 2, (size_t[]){T, T}, kept);
    sac_array bools = sac_array_view(SAC_BOOL, 2, (size_t[]){T, T}, below);
    const struct {
        const sac_array *mask;
        const char *note;
    } cases[] = {{&floats, "attn_mask holds floats of 0 and 1 and is added to the score, as "
                           "PyTorch does; give bool to block"},
                 {&bools, "attn_mask blocks all keys of a row; where true keeps, as in "
                          "scaled_dot_product_attention, call it attention_mask"}};
    for (int i = 0; i < 2; i++) {
        sac_attention_file file;
        sac_arrays *arrays = save_with(&(sac_named_array){"attn_mask", cases[i].mask}, 1);
        read_all(arrays, &file);
        assert_string_equal(file.note, cases[i].note);
        sac_attention_file_free(&file);
        sac_arrays_close(arrays);
    }
}

/* ---------------------------------------------------------------- what is not supported */

FILE_TEST(what_would_change_the_numbers_is_refused_by_its_name)
{
    static const char *const names[] = {"bias_k",    "add_zero_attn", "head_mask", "cu_seqlens",
                                        "past_key",  "logit_scale",   "mask",      "padding_mask",
                                        "pair_bias", "my_mask",       "rel_pos_h", "k_scale"};
    float one = 1;
    sac_array number = sac_array_view(SAC_F32, 0, NULL, &one);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sac_attention_file file;
        sac_error error = {0};
        sac_arrays *arrays = save_with(&(sac_named_array){names[i], &number}, 1);
        sac_attention_request request = {.query = "query"};
        assert_int_equal(sac_attention_file_read(arrays, &request, &file, &error), SAC_E_ARGUMENT);
        assert_string_equal(error.where, names[i]);
        assert_true(error.remedy[0]);
        request.leave_out = "loss,*_mask,mask,add_*,bias_k,cu_seqlens,past_key,*_scale,pair_bias,"
                            "rel_pos_?";
        OK(sac_attention_file_read(arrays, &request, &file, &failure));
        sac_attention_file_free(&file);
        sac_arrays_close(arrays);
    }
}

/* Of cross attention: one mask of the keys, and one of the queries, which changes no weights. */
FILE_TEST(a_mask_of_the_queries_is_passed_over)
{
    bool of_keys[4] = {true, true, false, true}, of_queries[T] = {true};
    sac_array q = sac_array_view(SAC_F32, 4, (size_t[]){1, 1, T, D}, query);
    sac_array k = sac_array_view(SAC_F32, 4, (size_t[]){1, 1, 4, D}, key);
    sac_array keys = sac_array_view(SAC_BOOL, 2, (size_t[]){1, 4}, of_keys);
    sac_array queries = sac_array_view(SAC_BOOL, 2, (size_t[]){1, T}, of_queries);
    sac_arrays *arrays = save((sac_named_array[]){{"q", &q},
                                                  {"k", &k},
                                                  {"encoder_attention_mask", &keys},
                                                  {"decoder_attention_mask", &queries}},
                              4);
    sac_attention_file file;
    sac_attention_request request = {.query = "q"};
    OK(sac_attention_file_read(arrays, &request, &file, NULL));
    assert_string_equal(file.masks, "encoder_attention_mask");
    sac_attention_file_free(&file);
    sac_arrays_close(arrays);
}

FILE_TEST(what_is_harmless_is_named_or_passed_over)
{
    static const struct {
        const char *name, *note;
    } cases[] = {
        {"add_zero_attn", ""}, /* it is 0 */
        {"special_tokens_mask", ""},
        {"h.1.my_mask", ""},
        {"cos", "cos is not used: queries and keys are taken as rotated already"},
        {"q_norm.weight",
         "q_norm.weight is not used: queries and keys are taken as normed already"},
    };
    float zero = 0;
    sac_array number = sac_array_view(SAC_F32, 0, NULL, &zero);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_attention_file file;
        sac_arrays *arrays = save_with(&(sac_named_array){cases[i].name, &number}, 1);
        read_all(arrays, &file);
        assert_string_equal(file.note, cases[i].note);
        sac_attention_file_free(&file);
        sac_arrays_close(arrays);
    }
}

/* ---------------------------------------------------------------- heads */

FILE_TEST(heads_of_the_query_share_those_of_the_key)
{
    sac_array q = view(query, all_heads), k = view(key, key_heads), v = view(value, key_heads);
    sac_arrays *arrays = save((sac_named_array[]){{"query", &q}, {"key", &k}, {"value", &v}}, 3);
    sac_attention_file file;
    read_all(arrays, &file);
    assert_int_equal(file.shape.heads, H);
    assert_int_equal(file.shape.key_heads, HK);
    assert_weights(&file, nothing, H / HK);
    sac_attention_file_free(&file);
    sac_arrays_close(arrays);
}

FILE_TEST(the_first_of_three_axes_can_be_heads)
{
    sac_array q = sac_array_view(SAC_F32, 3, (size_t[]){H, T, D}, query);
    sac_array k = sac_array_view(SAC_F32, 3, (size_t[]){H, T, D}, key);
    sac_arrays *arrays = save((sac_named_array[]){{"query", &q}, {"key", &k}}, 2);
    sac_attention_file file;
    sac_attention_request request = {.query = "query", .axes = "HQK"};
    OK(sac_attention_file_read(arrays, &request, &file, NULL));
    assert_int_equal(file.shape.heads, H);
    assert_int_equal(file.shape.batch, 1);
    sac_attention_file_free(&file);
    request.axes = "LHQK";
    assert_int_equal(sac_attention_file_read(arrays, &request, &file, NULL), SAC_E_ARGUMENT);
    sac_arrays_close(arrays);
}

/* ---------------------------------------------------------------- orders of axes */

enum { Q_AT, K_AT, V_AT, P = 3 };

/* The number of what is packed at `p`, in the arrays of this test. */
static float element(int p, int b, int h, int t, int d)
{
    const float *all[] = {query, key, value};
    return all[p][((b * H + h) * T + t) * D + d];
}

/* Queries, keys and values in one array, or one of them where the order has no 3. */
static sac_array in_order(const char *axes, int only, float *numbers)
{
    static const char letters[] = "3BHTD";
    static const size_t sizes[] = {P, B, H, T, D};
    size_t shape[5], total = 1, rank = strlen(axes);
    for (size_t i = 0; i < rank; i++)
        total *= shape[i] = sizes[strchr(letters, axes[i]) - letters];
    for (size_t i = 0; i < total; i++) {
        int at[5] = {only};
        for (size_t a = rank, rest = i; a-- > 0; rest /= shape[a])
            at[strchr(letters, axes[a]) - letters] = (int)(rest % shape[a]);
        numbers[i] = element(at[0], at[1], at[2], at[3], at[4]);
    }
    return sac_array_view(SAC_F32, (int)rank, shape, numbers);
}

/* Weights as of [B,H,T,D], read as `asked`, and the output back in the order `back`. */
static void assert_read_as(const sac_named_array *all, size_t count,
                           const sac_attention_request *request, const char *read, const char *back)
{
    sac_arrays *arrays = save(all, count);
    sac_attention_file file;
    OK(sac_attention_file_read(arrays, request, &file, &failure));
    assert_string_equal(file.axes, read);
    assert_weights(&file, nothing, 1);
    static double double_output[B * H * T * D];
    static float plain[B * H * T * D];
    OK(sac_attention_reference(&file.spec, &file.input, double_output, NULL, NULL, &failure));
    sac_array output;
    OK(sac_array_create(SAC_F32, file.shape.output_rank, file.shape.output_shape, &output, NULL));
    for (size_t i = 0; i < B * H * T * D; i++)
        ((float *)output.data)[i] = (float)double_output[i];
    OK(sac_vectors_restore(&output, file.axes, NULL));
    sac_array like = in_order(back, V_AT, plain);
    assert_int_equal(output.rank, like.rank);
    for (int a = 0; a < like.rank; a++)
        assert_int_equal(output.shape[a], like.shape[a]);
    sac_array_free(&output);
    sac_attention_file_free(&file);
    sac_arrays_close(arrays);
}

FILE_TEST(axes_are_read_in_the_order_that_is_asked_for)
{
    static const char *const orders[] = {"BHTD", "BTHD", "TBHD", "HBTD", "DBTH"};
    static float numbers[3][B * H * T * D];
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        sac_array q = in_order(orders[i], Q_AT, numbers[0]);
        sac_array k = in_order(orders[i], K_AT, numbers[1]);
        sac_array v = in_order(orders[i], V_AT, numbers[2]);
        const sac_named_array all[] = {{"q", &q}, {"k", &k}, {"v", &v}};
        const sac_attention_request request = {.query = "q", .axes = orders[i]};
        assert_read_as(all, 3, &request, orders[i], orders[i]);
    }
}

FILE_TEST(packed_arrays_are_taken_apart)
{
    static const char *const orders[] = {"BT3HD", "3BHTD", "BTH3D", "B3HTD", "3BTHD", "TB3HD"};
    static float numbers[P * B * H * T * D];
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        sac_array qkv = in_order(orders[i], 0, numbers);
        sac_vector_axes back;
        sac_vector_axes_unpack(orders[i], back);
        const sac_named_array all[] = {{"blocks.3.attn.qkv", &qkv}};
        const sac_attention_request request = {.query = "blocks.3.attn.qkv",
                                               .axes = i < 4 ? NULL : orders[i]};
        assert_read_as(all, 1, &request, orders[i], back);
    }
    /* [B,T,3·H·D], of which --heads gives the number; the same bytes as [B,T,3,H,D] */
    sac_array flat = in_order("BT3HD", 0, numbers), back;
    flat = sac_array_view(SAC_F32, 3, (size_t[]){B, T, P * H * D}, numbers);
    static float plain[B * H * T * D];
    back = in_order("BTHD", V_AT, plain);
    const sac_named_array all[] = {{"qkv", &flat}};
    sac_arrays *arrays = save(all, 1);
    sac_attention_file file;
    const sac_attention_request request = {.query = "qkv", .spec.heads = H};
    OK(sac_attention_file_read(arrays, &request, &file, NULL));
    assert_weights(&file, nothing, 1);
    assert_int_equal(file.shape.output_shape[2], H * D);
    for (size_t i = 0; i < sac_array_count(&back); i++)
        assert_true(((const float *)file.input.value->data)[i] == plain[i]);
    sac_attention_file_free(&file);
    sac_arrays_close(arrays);
}

FILE_TEST(keys_and_values_may_be_packed_beside_the_queries)
{
    static float numbers[P * B * H * T * D], alone[B * H * T * D];
    sac_array qkv = in_order("3BTHD", 0, numbers);
    sac_array kv =
        sac_array_view(SAC_F32, 5, (size_t[]){2, B, T, H, D}, numbers + sac_array_count(&qkv) / 3);
    sac_array q = in_order("BTHD", Q_AT, alone);
    const sac_named_array all[] = {{"q", &q}, {"kv", &kv}};
    const sac_attention_request request = {.query = "q", .axes = "2BTHD"};
    assert_read_as(all, 2, &request, "2BTHD", "BTHD");
}

FILE_TEST(an_order_that_alone_fits_is_taken_and_reported)
{
    static float numbers[3][B * H * T * D];
    sac_array q = in_order("BTHD", Q_AT, numbers[0]), k = in_order("BTHD", K_AT, numbers[1]);
    uint8_t ignored[B * T] = {0};
    sac_array padding = sac_array_view(SAC_BOOL, 2, (size_t[]){B, T}, ignored);
    sac_arrays *arrays =
        save((sac_named_array[]){{"q", &q}, {"k", &k}, {"key_padding_mask", &padding}}, 3);
    sac_attention_file file;
    sac_attention_request request = {.query = "q"};
    OK(sac_attention_file_read(arrays, &request, &file, NULL));
    assert_string_equal(file.note,
                        "read as [B,T,H,D], which alone fits; --axes BTHD removes this note");
    assert_weights(&file, nothing, 1);
    sac_attention_file_free(&file);
    sac_arrays_close(arrays);
}

FILE_TEST(an_order_that_is_as_likely_is_reported)
{
    static float numbers[2 * 128 * 8 * 2];
    static const struct {
        size_t query[4], key[4];
        const char *axes;
        bool reported;
    } cases[] = {
        {{1, 7, 12, 2}, {1, 7, 4, 2}, NULL, true},     {{1, 7, 12, 2}, {1, 7, 12, 2}, NULL, true},
        {{1, 128, 8, 2}, {1, 128, 8, 2}, NULL, true},  {{1, 12, 7, 2}, {1, 12, 7, 2}, NULL, false},
        {{1, 8, 128, 2}, {1, 8, 128, 2}, NULL, false}, {{2, 8, 5, 2}, {2, 2, 5, 2}, NULL, false},
        {{1, 7, 12, 2}, {1, 7, 4, 2}, "BHTD", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_array q = sac_array_view(SAC_F32, 4, cases[i].query, numbers);
        sac_array k = sac_array_view(SAC_F32, 4, cases[i].key, numbers);
        sac_arrays *arrays = save((sac_named_array[]){{"q", &q}, {"k", &k}}, 2);
        sac_attention_file file;
        sac_attention_request request = {.query = "q", .axes = cases[i].axes};
        OK(sac_attention_file_read(arrays, &request, &file, NULL));
        assert_string_equal(file.axes, "BHTD");
        assert_int_equal(strstr(file.note, "give --axes BTHD") != NULL, cases[i].reported);
        sac_attention_file_free(&file);
        sac_arrays_close(arrays);
    }
}

/* ---------------------------------------------------------------- projections */

enum { E = 8 }; /* features */

/* Output and weights of the file under these heads. */
static void compute(const sac_named_array *all, size_t count, const char *name, int heads,
                    int shared, double *output, double *weights)
{
    sac_arrays *arrays = save(all, count);
    sac_attention_file file;
    const sac_attention_request request = {.query = name,
                                           .spec = {.heads = heads, .key_heads = shared}};
    if (sac_attention_file_read(arrays, &request, &file, &failure) != SAC_OK ||
        sac_attention_reference(&file.spec, &file.input, output, NULL, weights, &failure) != SAC_OK)
        fail_msg("%s: %s", failure.where, failure.what);
    bool used[20] = {false};
    char text[200];
    sac_attention_file_mark(arrays, &request, used);
    assert_string_equal(sac_not_used_text(arrays, used, text, sizeof text), "");
    sac_attention_file_free(&file);
    sac_arrays_close(arrays);
}

/* Four heads of queries and `shared` of keys, of 2 features each. */
static void assert_split_in_three(const char *weight_name, const char *bias_name, int shared)
{
    static float W[3 * E * E], b[3 * E];
    size_t k_rows = (size_t)shared * 2, rows = E + 2 * k_rows;
    for (uint32_t i = 0; i < 3 * E * E; i++)
        W[i] = 2 * sac_philox_uniform(i, 6, 5) - 1;
    for (uint32_t i = 0; i < 3 * E; i++)
        b[i] = 2 * sac_philox_uniform(i, 7, 5) - 1;
    sac_array x = sac_array_view(SAC_F32, 3, (size_t[]){2, T, E}, query);
    sac_array packed = sac_array_view(SAC_F32, 2, (size_t[]){rows, E}, W);
    sac_array packed_bias = sac_array_view(SAC_F32, 1, &rows, b);
    sac_array q = sac_array_view(SAC_F32, 2, (size_t[]){E, E}, W);
    sac_array k = sac_array_view(SAC_F32, 2, (size_t[]){k_rows, E}, W + E * E);
    sac_array v = sac_array_view(SAC_F32, 2, (size_t[]){k_rows, E}, W + (E + k_rows) * E);
    sac_array qb = sac_array_view(SAC_F32, 1, (size_t[]){E}, b);
    sac_array kb = sac_array_view(SAC_F32, 1, &k_rows, b + E);
    sac_array vb = sac_array_view(SAC_F32, 1, &k_rows, b + E + k_rows);
    const sac_named_array apart[] = {
        {"query", &x},         {"key", &x},           {"value", &x},
        {"q_proj.weight", &q}, {"q_proj.bias", &qb},  {"k_proj.weight", &k},
        {"k_proj.bias", &kb},  {"v_proj.weight", &v}, {"v_proj.bias", &vb}};
    const sac_named_array together[] = {{"query", &x},
                                        {"key", &x},
                                        {"value", &x},
                                        {weight_name, &packed},
                                        {bias_name, &packed_bias}};
    static double output[2][2 * T * E], weights[2][2 * 4 * T * T];
    compute(apart, 9, "query", 4, shared, output[0], weights[0]);
    compute(together, 5, "query", 4, shared, output[1], weights[1]);
    assert_memory_equal(output[0], output[1], sizeof output[0]);
    assert_memory_equal(weights[0], weights[1], sizeof weights[0]);
    const sac_named_array itself[] = {{"x", &x}, {weight_name, &packed}, {bias_name, &packed_bias}};
    compute(itself, 3, "x", 4, shared, output[1], weights[1]);
    assert_memory_equal(output[0], output[1], sizeof output[0]);
}

FILE_TEST(three_projections_in_one_array_are_split)
{
    assert_split_in_three("in_proj_weight", "in_proj_bias", 4);
    assert_split_in_three("qkv.weight", "qkv.bias", 4);
    assert_split_in_three("in_proj_weight", "in_proj_bias", 2);
}

/* One head is the default of arrays alone; a module has several. */
FILE_TEST(a_module_of_one_head_is_noted)
{
    sac_array flat = sac_array_view(SAC_F32, 3, (size_t[]){B, T, 3 * D}, query);
    int64_t three = 3;
    sac_array heads = sac_array_view(SAC_I64, 0, NULL, &three);
    for (int i = 0; i < 2; i++) {
        sac_arrays *arrays =
            save((sac_named_array[]){{"qkv", &flat}, {"num_heads", &heads}}, 1 + (size_t)i);
        sac_attention_file file;
        sac_attention_request request = {.query = "qkv"};
        OK(sac_attention_file_read(arrays, &request, &file, NULL));
        assert_string_equal(file.note, i ? "" : "read as one head; --heads sets their number");
        assert_int_equal(file.shape.heads, i ? 3 : 1);
        sac_attention_file_free(&file);
        sac_arrays_close(arrays);
    }
}

FILE_TEST(projections_that_are_there_twice_or_do_not_fit_are_reported)
{
    static float W[25 * E];
    sac_array x = sac_array_view(SAC_F32, 3, (size_t[]){2, T, E}, query);
    sac_array odd = sac_array_view(SAC_F32, 2, (size_t[]){25, E}, W);
    sac_array one = sac_array_view(SAC_F32, 2, (size_t[]){E, E}, W);
    sac_named_array all[] = {
        {"query", &x}, {"key", &x}, {"in_proj_weight", &odd}, {"q_proj_weight", &one}};
    static const char *const generated[] = {"conflicts with separate layers of",
                                            "shape [25,8] cannot be shared"};
    for (int i = 0; i < 2; i++) {
        sac_attention_file file;
        sac_error error = {0};
        sac_attention_request request = {.query = "query"};
        sac_arrays *arrays = save(all, i ? 3 : 4);
        assert_int_not_equal(sac_attention_file_read(arrays, &request, &file, &error), SAC_OK);
        assert_string_equal(error.where, "in_proj_weight");
        assert_non_null(strstr(error.what, generated[i]));
        sac_arrays_close(arrays);
    }
}

/* ---------------------------------------------------------------- settings */

static double scaled(int b, int h, int i, int j)
{
    double score = 0;
    for (int c = 0; c < D; c++)
        score += (double)element(Q_AT, b, h, i, c) * element(K_AT, b, h, j, c);
    return score * (0.25 - 1 / sqrt(D));
}

static double three_before(int b, int h, int i, int j)
{
    (void)b, (void)h;
    return j > i || j < i - 2 ? -INFINITY : 0;
}

FILE_TEST(settings_of_the_file_are_used)
{
    float quarter = 0.25f;
    bool yes = true, no = false;
    int64_t none = -1, two[] = {2, 0}, all[] = {-1, -1}, same[] = {1, 1}, four = H;
    sac_array scale = sac_array_view(SAC_F32, 0, NULL, &quarter);
    sac_array truth = sac_array_view(SAC_BOOL, 0, NULL, &yes);
    sac_array lie = sac_array_view(SAC_BOOL, 1, (size_t[]){1}, &no);
    sac_array off = sac_array_view(SAC_I64, 0, NULL, &none);
    sac_array pair = sac_array_view(SAC_I64, 1, (size_t[]){2}, two);
    sac_array open = sac_array_view(SAC_I64, 1, (size_t[]){2}, all);
    sac_array near = sac_array_view(SAC_I64, 1, (size_t[]){2}, same);
    sac_array heads = sac_array_view(SAC_I64, 0, NULL, &four);
    assert_adds(&(sac_named_array){"scale", &scale}, 1, scaled, "");
    assert_adds(&(sac_named_array){"softmax_scale", &scale}, 1, scaled, "");
    assert_adds(&(sac_named_array){"is_causal", &truth}, 1, kept_below, "causal");
    assert_adds(&(sac_named_array){"causal", &lie}, 1, nothing, "");
    assert_adds(&(sac_named_array){"sliding_window", &off}, 1, nothing, "");
    assert_adds(&(sac_named_array){"window_size", &open}, 1, nothing, "");
    assert_adds(&(sac_named_array){"window_size", &near}, 1, near_alone, "window 2");
    assert_adds(&(sac_named_array){"window_size", &pair}, 1, three_before, "causal, window 3");
    assert_adds(&(sac_named_array){"num_heads", &heads}, 1, nothing, "");
}

/* PyTorch's is_causal begins at the first key, flash-attention's causal ends at the last. */
FILE_TEST(causal_is_aligned_as_those_who_call_it_so_do)
{
    static const struct {
        const char *name;
        sac_alignment asked, wanted;
    } cases[] = {{"is_causal", SAC_ALIGN_AUTO, SAC_ALIGN_TOP_LEFT},
                 {"causal", SAC_ALIGN_AUTO, SAC_ALIGN_BOTTOM_RIGHT},
                 {"causal", SAC_ALIGN_TOP_LEFT, SAC_ALIGN_TOP_LEFT}};
    bool yes = true;
    sac_array truth = sac_array_view(SAC_BOOL, 0, NULL, &yes);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_attention_file file;
        sac_arrays *arrays = save_with(&(sac_named_array){cases[i].name, &truth}, 1);
        sac_attention_request request = {.query = "query", .spec.alignment = cases[i].asked};
        OK(sac_attention_file_read(arrays, &request, &file, NULL));
        assert_true(file.spec.causal && file.spec.alignment == cases[i].wanted);
        sac_attention_file_free(&file);
        sac_arrays_close(arrays);
    }
}

FILE_TEST(settings_that_are_none_are_reported)
{
    float nan = NAN;
    int64_t pair[] = {3, 2}, seven = 7;
    sac_array bad = sac_array_view(SAC_F32, 0, NULL, &nan);
    sac_array uneven = sac_array_view(SAC_I64, 1, (size_t[]){2}, pair);
    sac_array number = sac_array_view(SAC_I64, 0, NULL, &seven);
    sac_array many = sac_array_view(SAC_F32, 1, (size_t[]){H}, slopes);
    const struct {
        sac_named_array more;
        const char *what;
    } cases[] = {{{"scale", &bad}, "is nan"},
                 {{"scale", &many}, "float32 [4] is not one number"},
                 {{"window_size", &uneven}, "3 keys before and 2 after"},
                 {{"is_causal", &number}, "7 is neither true nor false"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_attention_file file;
        sac_error error = {0};
        sac_arrays *arrays = save_with(&cases[i].more, 1);
        sac_attention_request request = {.query = "query"};
        assert_int_equal(sac_attention_file_read(arrays, &request, &file, &error), SAC_E_VALUE);
        assert_string_equal(error.where, cases[i].more.name);
        if (!strstr(error.what, cases[i].what))
            fail_msg("%s: %s", error.where, error.what);
        sac_arrays_close(arrays);
    }
}

FILE_TEST(settings_of_the_caller_win_over_the_file_with_a_note)
{
    float quarter = 0.25f, tenth = 0.1f;
    int64_t five = 5;
    bool no = false;
    sac_array scale = sac_array_view(SAC_F32, 0, NULL, &quarter);
    sac_array window = sac_array_view(SAC_I64, 0, NULL, &five);
    sac_array causal = sac_array_view(SAC_BOOL, 0, NULL, &no);
    sac_array dropout = sac_array_view(SAC_F32, 0, NULL, &tenth);
    const sac_named_array more[] = {
        {"scale", &scale}, {"window", &window}, {"causal", &causal}, {"dropout_p", &dropout}};
    sac_arrays *arrays = save_with(more, 4);
    sac_attention_file file;
    sac_attention_request request = {
        .query = "query", .spec = {.use_scale = true, .scale = 0.5f, .window = 3, .causal = true}};
    OK(sac_attention_file_read(arrays, &request, &file, NULL));
    assert_true(file.spec.scale == 0.5f && file.spec.window == 3 && file.spec.causal);
    assert_string_equal(file.note,
                        "scale 0.25 of the file gives way to --scale 0.5; causal of the file is "
                        "false, and gives way to --causal; window of the file gives way to "
                        "--window 3; dropout_p 0.1 of the file is not applied; --dropout does");
    sac_attention_file_free(&file);
    sac_arrays_close(arrays);
}

/* ---------------------------------------------------------------- names */

FILE_TEST(queries_are_found_by_the_names_that_people_give_them)
{
    static const char *const names[][3] = {
        {"q", "k", "v"},
        {"Q", "K", "V"},
        {"queries", "keys", "values"},
        {"query_states", "key_states", "value_states"},
        {"q_proj", "k_proj", "v_proj"},
        {"model.layers.7.self_attn.q", "model.layers.7.self_attn.k", "model.layers.7.self_attn.v"},
        {"attn/to_q", "attn/to_k", "attn/to_v"},
        {"layer3_q", "layer3_k", "layer3_v"},
        {"q.5", "k.5", "v.5"},
    };
    sac_array q = view(query, all_heads), k = view(key, all_heads), v = view(value, all_heads);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sac_named_array all[] = {{names[i][0], &q}, {names[i][1], &k}, {names[i][2], &v}};
        sac_arrays *arrays = save(all, 3);
        sac_array_groups groups;
        sac_attention_file file;
        OK(sac_queries_find(arrays, NULL, &groups, NULL));
        assert_int_equal(groups.count, 1);
        assert_string_equal(groups.group[0].name, names[i][0]);
        sac_attention_request request = {.query = groups.group[0].name};
        OK(sac_attention_file_read(arrays, &request, &file, NULL));
        assert_ptr_equal(file.input.value->data, sac_arrays_find(arrays, names[i][2])->data);
        assert_weights(&file, nothing, 1);
        sac_attention_file_free(&file);
        sac_array_groups_free(&groups);
        sac_arrays_close(arrays);
    }
}

FILE_TEST(weights_of_a_score_are_no_queries)
{
    sac_array q = view(query, all_heads), w = sac_array_view(SAC_F32, 2, (size_t[]){T, D}, key);
    sac_arrays *arrays = save((sac_named_array[]){{"query", &q},
                                                  {"key", &q},
                                                  {"score.W_q", &w},
                                                  {"score.W_k", &w},
                                                  {"x.q_proj.weight", &w}},
                              5);
    sac_array_groups groups;
    OK(sac_queries_find(arrays, NULL, &groups, NULL));
    assert_int_equal(groups.count, 1);
    assert_string_equal(groups.group[0].name, "query");
    sac_array_groups_free(&groups);
    sac_arrays_close(arrays);
}

FILE_TEST(layers_are_in_the_order_of_their_numbers)
{
    sac_array q = view(query, all_heads), k = view(key, all_heads);
    sac_arrays *arrays = save((sac_named_array[]){{"model.layers.10.self_attn.q", &q},
                                                  {"model.layers.10.self_attn.k", &k},
                                                  {"model.layers.9.self_attn.q", &q},
                                                  {"model.layers.9.self_attn.k", &k}},
                              4);
    sac_array_groups groups;
    OK(sac_queries_find(arrays, NULL, &groups, NULL));
    assert_int_equal(groups.count, 1);
    assert_string_equal(groups.group[0].name, "model.layers.*.self_attn.q");
    assert_int_equal(groups.group[0].count, 2);
    assert_string_equal(groups.group[0].layers[0].name, "model.layers.9.self_attn.q");
    sac_array_groups_free(&groups);
    sac_arrays_close(arrays);
}

FILE_TEST(what_has_no_part_is_named_with_its_shape)
{
    sac_array q = view(query, all_heads), line = sac_array_view(SAC_F32, 1, (size_t[]){T}, key);
    sac_arrays *arrays = save((sac_named_array[]){{"query", &q},
                                                  {"key", &q},
                                                  {"norm.weight", &line},
                                                  {"loss", &line},
                                                  {"relative_bias", &line}},
                              5);
    bool used[5] = {false};
    char text[200];
    sac_attention_request request = {.query = "query", .extent = SAC_EXTENT_WEIGHTS};
    sac_attention_file_mark(arrays, &request, used);
    assert_string_equal(sac_not_used_text(arrays, used, text, sizeof text),
                        "not used: loss [6], relative_bias [6]");
    assert_string_equal(sac_not_used_text(arrays, used, text, 64),
                        "not used: loss [6], … and 1 more");
    sac_arrays_close(arrays);
}

/* ---------------------------------------------------------------- all tests */

TEST_MAIN(NULL, NULL)
