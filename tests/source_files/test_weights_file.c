/* src/sources/matrix on a file of queries and keys: weights computed by tile on a device. */
#include "path.h"

#include "base/random/random.h"
#include "saccade_arrays.h"
#include "sources/files/weights/computed_weights.h"
#include "sources/files/weights/weights_file.h"
#include "sources/heads/reduce.h"
#include "status.h"

/* float32: scores below 10 are rounded to 1e-6, and a weight errs relatively as its score does
 * absolutely. */
#define WEIGHT_BOUND 5e-6

enum { T = 37, H = 2, D = 8 };
static float query[T * H * D], key[T * H * D];
static bool blocked[T];

static sac_status save_inputs(const sac_array *q, const sac_array *k, const sac_array *mask)
{
    sac_named_array arrays[] = {{"query", q}, {"key", k}, {"key_padding_mask", mask}};
    return sac_npz_save(path, arrays, 3, NULL);
}

FILE_TEST(queries_and_keys_are_shown_as_the_weights_of_the_reference)
{
    for (uint32_t i = 0; i < T * H * D; i++) {
        query[i] = 4 * sac_philox_uniform(i, 1, 5) - 2;
        key[i] = 4 * sac_philox_uniform(i, 2, 5) - 2;
    }
    blocked[T - 1] = true;
    size_t shape[] = {1, T, H * D};
    sac_array q = sac_array_view(SAC_F32, 3, shape, query);
    sac_array k = sac_array_view(SAC_F32, 3, shape, key);
    sac_array mask = sac_array_view(SAC_BOOL, 2, shape, blocked);
    OK(save_inputs(&q, &k, &mask));

    sac_attention_spec spec = {.heads = H, .causal = true};
    sac_attention_input input = {.query = &q, .key = &k, .key_padding_mask = &mask};
    static double expected[H * T * T];
    OK(sac_attention_reference(&spec, &input, NULL, NULL, expected, NULL));

    sac_source s;
    sac_weights_file_options options = {.path = path, .padding = true, .spec = spec};
    OK(sac_weights_file_open(&options, &s, &failure));
    assert_true(s.weights.layers == 1 && s.weights.batch == 1 && s.weights.heads == H &&
                s.weights.steps == T && s.weights.positions == T);
    assert_string_equal(s.weights.made.score, "scaled-dot");
    assert_true(s.origin.device[0] != 0);
    static float tile[T * T];
    sac_tile whole = {.head = 1, .rows = T, .cols = T};
    OK(s.weights.tile(s.self, 0, &whole, tile, &failure));
    for (int i = 0; i < T * T; i++)
        if (!(fabs(tile[i] - expected[T * T + i]) <= WEIGHT_BOUND))
            fail_msg("[%d,%d] is %g, not %g", i / T, i % T, (double)tile[i], expected[T * T + i]);
    static uint8_t masked[T * T];
    OK(s.weights.masked(s.self, 0, &whole, masked, &failure));
    for (int i = 0; i < T * T; i++)
        assert_int_equal(masked[i], expected[T * T + i] == 0);
    float pooled[16], from_tile[16];
    OK(s.weights.pool(s.self, 0, &whole, SAC_POOL_MEAN, 4, 4, pooled, &failure));
    sac_weights_pool(tile, T, T, SAC_POOL_MEAN, 4, 4, from_tile);
    for (int i = 0; i < 16; i++)
        assert_true(fabsf(pooled[i] - from_tile[i]) <= (float)WEIGHT_BOUND);
    sac_explanation e;
    sac_explanation_request request = {.head = 1, .step = 5, .position = 3};
    OK(sac_source_explain(&s, &request, &e, &failure));
    for (int j = 0; j < T; j++)
        assert_true(fabs(e.shares[j] - expected[T * T + 5 * T + j]) <= WEIGHT_BOUND);
    assert_true(e.dim == D && e.value_dim == 0 && e.query[2] == query[5 * H * D + D + 2]);
    sac_explanation_free(&e);
    sac_source_destroy(&s);
}

/* Two sentences: one with padding in front, one with holes, which no tokenizer makes. */
FILE_TEST(padding_is_left_out_of_what_is_computed)
{
    enum { N = 12, ITEMS = 2 };
    static const uint8_t keeps[ITEMS][N] = {{0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                            {1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0}};
    static const size_t left[ITEMS] = {9, 8};
    size_t shape[] = {ITEMS, 1, N, D};
    int64_t mask[ITEMS * N];
    for (int i = 0; i < ITEMS * N; i++)
        mask[i] = keeps[i / N][i % N];
    sac_array q = sac_array_view(SAC_F32, 4, shape, query);
    sac_array k = sac_array_view(SAC_F32, 4, shape, key);
    sac_array m = sac_array_view(SAC_I64, 2, (size_t[]){ITEMS, N}, mask);
    sac_named_array arrays[] = {{"q", &q}, {"k", &k}, {"v", &k}, {"attention_mask", &m}};
    OK(sac_npz_save(path, arrays, 4, NULL));
    sac_source all, s;
    sac_weights_file_options options = {.path = path, .padding = true};
    OK(sac_weights_file_open(&options, &all, &failure));
    options.padding = false;
    OK(sac_weights_file_open(&options, &s, &failure));
    assert_true(s.weights.steps == 9 && s.weights.positions == 9 && s.weights.items);
    assert_non_null(strstr(s.note, "padding is left out"));
    for (size_t b = 0; b < ITEMS; b++) {
        size_t n = left[b], places[N], count = 0;
        float whole[N * N], tile[N * N], pooled[4], wanted[4];
        uint8_t masked[N * N];
        for (size_t i = 0; i < N; i++)
            if (keeps[b][i])
                places[count++] = i;
        assert_true(sac_source_steps(&s, b) == n && sac_source_positions(&s, b) == n);
        sac_tile from = {.batch = b, .rows = N, .cols = N},
                 kept = {.batch = b, .rows = n, .cols = n};
        assert_int_equal(all.weights.tile(all.self, 0, &from, whole, &failure), SAC_OK);
        OK(s.weights.tile(s.self, 0, &kept, tile, &failure));
        for (size_t i = 0; i < n * n; i++)
            assert_true(tile[i] == whole[places[i / n] * N + places[i % n]]);
        sac_tile corner = {.batch = b, .row = 2, .rows = 4, .col = 1, .cols = 5};
        OK(s.weights.pool(s.self, 0, &corner, SAC_POOL_MAX, 2, 2, pooled, &failure));
        for (size_t i = 0; i < 20; i++)
            whole[i] = tile[(2 + i / 5) * n + 1 + i % 5];
        sac_weights_pool(whole, 4, 5, SAC_POOL_MAX, 2, 2, wanted);
        for (int i = 0; i < 4; i++)
            assert_true(fabsf(pooled[i] - wanted[i]) <= (float)WEIGHT_BOUND);
        OK(s.weights.masked(s.self, 0, &kept, masked, &failure));
        for (size_t i = 0; i < n * n; i++)
            assert_int_equal(masked[i], 0);
        sac_explanation e;
        sac_explanation_request request = {.batch = b, .step = 3, .position = 4};
        OK(sac_source_explain(&s, &request, &e, &failure));
        assert_int_equal(e.keys, n);
        for (size_t j = 0; j < n; j++) {
            assert_true(fabs(e.shares[j] - (double)tile[3 * n + j]) <= WEIGHT_BOUND);
            assert_true(e.key[j * D] == key[(b * N + places[j]) * D]);
        }
        sac_explanation_free(&e);
        kept.rows = n + 1;
        assert_int_equal(s.weights.tile(s.self, 0, &kept, tile, &failure), SAC_E_ARGUMENT);
    }
    sac_source_destroy(&all);
    sac_source_destroy(&s);
}

static sac_source open_values(size_t values)
{
    size_t shape[] = {T, D}, other[] = {values, D};
    sac_array q = sac_array_view(SAC_F32, 2, shape, query);
    sac_array k = sac_array_view(SAC_F32, 2, shape, key);
    sac_array v = sac_array_view(SAC_F32, 2, other, key);
    sac_named_array arrays[] = {{"query", &q}, {"key", &k}, {"value", &v}};
    sac_source source;
    assert_int_equal(sac_npz_save(path, arrays, 3, NULL), SAC_OK);
    OK(sac_weights_file_open(&(sac_weights_file_options){.path = path}, &source, &failure));
    return source;
}

FILE_TEST(values_are_explained_where_they_fit_and_left_out_where_not)
{
    for (size_t left_out = 0; left_out < 2; left_out++) {
        sac_source s = open_values(T - left_out);
        sac_explanation e;
        sac_explanation_request request = {.step = 5, .position = 3};
        OK(sac_source_explain(&s, &request, &e, NULL));
        assert_int_equal(e.value_dim, left_out ? 0 : D);
        double sum = 0;
        for (int j = 0; j < T && e.value; j++)
            sum += (double)e.weights[j] * (double)key[j * D + 1];
        assert_true(!e.value || fabs(sum - e.result[1]) <= WEIGHT_BOUND);
        sac_explanation_free(&e);
        sac_source_destroy(&s);
    }
}

/* Two layers whose keys are half as many heads, which the query's share; a bias that only the
 * second layer has, and an unknown array. */
FILE_TEST(layers_of_shared_heads_are_shown_as_the_weights_of_the_reference)
{
    static float bias[T * T], other[2] = {0};
    for (uint32_t i = 0; i < T * H * D; i++) {
        query[i] = 4 * sac_philox_uniform(i, 1, 6) - 2;
        key[i] = 4 * sac_philox_uniform(i, 2, 6) - 2;
    }
    for (uint32_t i = 0; i < T * T; i++)
        bias[i] = 4 * sac_philox_uniform(i, 3, 6) - 2;
    sac_array q = sac_array_view(SAC_F32, 4, (size_t[]){1, H, T, D}, query);
    sac_array k = sac_array_view(SAC_F32, 4, (size_t[]){1, 1, T, D}, key);
    sac_array added = sac_array_view(SAC_F32, 2, (size_t[]){T, T}, bias);
    sac_array more = sac_array_view(SAC_F32, 1, (size_t[]){2}, other);
    sac_named_array arrays[] = {
        {"model.layers.0.self_attn.q", &q},        {"model.layers.0.self_attn.k", &k},
        {"model.layers.1.self_attn.q", &q},        {"model.layers.1.self_attn.k", &k},
        {"model.layers.1.self_attn.bias", &added}, {"loss", &more}};
    OK(sac_npz_save(path, arrays, 6, NULL));

    sac_source s;
    sac_weights_file_options options = {.path = path};
    OK(sac_weights_file_open(&options, &s, &failure));
    assert_true(s.weights.layers == 2 && s.weights.heads == H && s.weights.made.key_heads == 1 &&
                s.weights.steps == T);
    assert_string_equal(s.note, "not used: loss [2]");
    for (size_t layer = 2; layer-- > 0;) {
        sac_attention_spec spec = {0};
        sac_attention_input input = {.query = &q, .key = &k, .attn_mask = layer ? &added : NULL};
        static double expected[H * T * T];
        static float tile[T * T];
        sac_tile whole = {.head = 1, .rows = T, .cols = T};
        assert_int_equal(sac_attention_reference(&spec, &input, NULL, NULL, expected, NULL),
                         SAC_OK);
        OK(s.weights.tile(s.self, layer, &whole, tile, &failure));
        for (int i = 0; i < T * T; i++)
            if (!(fabs(tile[i] - expected[T * T + i]) <= WEIGHT_BOUND))
                fail_msg("[%zu,%d] is %g, not %g", layer, i, (double)tile[i], expected[T * T + i]);
    }
    sac_source_destroy(&s);
}

/* A window, and masks of one head each, in part of a matrix: what the reference gives no weight. */
FILE_TEST(what_masks_hide_is_reported)
{
    static bool of_heads[H * T * T];
    static double expected[H * T * T];
    uint8_t masked[5 * 7];
    for (uint32_t i = 0; i < H * T * T; i++)
        of_heads[i] = sac_philox_uniform(i, 3, 5) < 0.3f;
    sac_array q = sac_array_view(SAC_F32, 3, (size_t[]){1, T, H * D}, query);
    sac_array k = sac_array_view(SAC_F32, 3, (size_t[]){1, T, H * D}, key);
    sac_array mask = sac_array_view(SAC_BOOL, 4, (size_t[]){1, H, T, T}, of_heads);
    sac_named_array arrays[] = {{"query", &q}, {"key", &k}, {"attn_mask", &mask}};
    OK(sac_npz_save(path, arrays, 3, NULL));
    sac_attention_spec spec = {.heads = H, .window = 9};
    sac_attention_input input = {.query = &q, .key = &k, .attn_mask = &mask};
    OK(sac_attention_reference(&spec, &input, NULL, NULL, expected, NULL));
    sac_source s;
    sac_weights_file_options options = {.path = path, .spec = spec};
    OK(sac_weights_file_open(&options, &s, NULL));
    for (size_t head = 0; head < H; head++) {
        sac_tile part = {.head = head, .row = 20, .rows = 5, .col = 10, .cols = 7};
        OK(s.weights.masked(s.self, 0, &part, masked, NULL));
        for (size_t i = 0; i < 5 * 7; i++)
            assert_int_equal(masked[i], expected[(head * T + 20 + i / 7) * T + 10 + i % 7] == 0);
    }
    sac_source_destroy(&s);
}

FILE_TEST(queries_that_do_not_fit_keys_are_refused_by_name)
{
    sac_array q = sac_array_view(SAC_F32, 2, (size_t[]){T, D}, query);
    sac_array k = sac_array_view(SAC_F32, 2, (size_t[]){T, D + 1}, key);
    sac_array mask = sac_array_view(SAC_BOOL, 2, (size_t[]){1, T}, blocked);
    OK(save_inputs(&q, &k, &mask));
    sac_source s;
    sac_weights_file_options options = {.path = path};
    assert_int_equal(sac_weights_file_open(&options, &s, &failure), SAC_E_SHAPE);
    assert_non_null(strstr(failure.where, path));
    assert_null(s.self);
}

FILE_TEST(every_input_of_attention_is_found_by_its_name)
{
    const char *const names[] = {
        "query",           "key",           "value",       "key_padding_mask", "attn_mask",
        "score.W_q",       "score.W_k",     "score.w_v",   "score.W_qk",       "q_proj.weight",
        "q_proj.bias",     "k_proj.weight", "k_proj.bias", "v_proj.weight",    "v_proj.bias",
        "out_proj.weight", "out_proj.bias", "norm.weight", "norm.bias"};
    enum { COUNT = sizeof names / sizeof *names };
    sac_array one = sac_array_view(SAC_F32, 1, (size_t[]){1}, query);
    sac_named_array arrays[COUNT];
    for (int i = 0; i < COUNT; i++)
        arrays[i] = (sac_named_array){names[i], &one};
    OK(sac_npz_save(path, arrays, COUNT, NULL));
    sac_arrays *file;
    OK(sac_arrays_open(path, &file, NULL));
    bool used[COUNT] = {false};
    sac_attention_request request = {.query = "query"};
    sac_attention_file_mark(file, &request, used);
    for (int i = 0; i < COUNT; i++)
        assert_true(used[i]);
    sac_arrays_close(file);
}

TEST_MAIN(NULL, NULL)
