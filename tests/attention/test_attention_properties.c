/* What holds for every attention, whatever its numbers: on every variant. */
#include <float.h>

#include "saccade_tools.h"
#include "status.h"
#include "trial.h"

/* Rounding of a sum of n float32 numbers near 1. */
#define SUM_BOUND 2e-6

static sac_attention *create(sac_variant variant, const trial *t)
{
    sac_attention_spec spec = t->spec;
    spec.variant = variant;
    sac_attention *attention;
    OK(sac_attention_create(test_device(), &spec, &t->input, &attention, &failure));
    return attention;
}

static void compute(sac_variant variant, const trial *t, results *r)
{
    OK(compute_device(test_device(), variant, t, true, r, &failure));
}

/* Calls `check` for each variant with each score, on a problem of two heads in two batches. On a
 * slow device each call takes one score, the next call the next; on the simulator one variant too.
 */
static void for_every_place(recipe r, void (*check)(sac_variant, trial *))
{
    static int calls;
    int call = calls++, count, only = device_is_slow() ? call % SAC_SCORE_COUNT : -1;
    const sac_variant *variants = test_variants(&count);
    if (is_oclgrind()) {
        variants += call % count;
        count = 1;
    }
    r.spec.heads = 2;
    r.batch = 2;
    for (int v = 0; v < count; v++)
        for (int score = 0; score < SAC_SCORE_COUNT; score++) {
            trial t;
            if (only >= 0 && score != only)
                continue;
            r.spec.score = (sac_score)score;
            trial_make(&t, &r, 11 + (uint64_t)score);
            check(variants[v], &t);
            trial_free(&t);
        }
}

/* The same of what is true of the numbers: the kernels run at no other places than in
 * attention_sweep, so that the simulator, which looks at places, would show nothing more. */
static void for_every_score(recipe r, void (*check)(sac_variant, trial *))
{
    if (is_oclgrind())
        skip();
    for_every_place(r, check);
}

/* ---------------------------------------------------------------- rows and masks */

static void check_sums(sac_variant variant, trial *t)
{
    results r;
    compute(variant, t, &r);
    size_t keys = t->shape.keys;
    for (size_t row = 0; row < r.rows; row++) {
        double sum = 0;
        for (size_t j = 0; j < keys; j++) {
            assert_true(r.weights[row * keys + j] >= 0);
            sum += r.weights[row * keys + j];
        }
        assert_true(fabs(sum - (isinf(r.lse[row]) ? 0 : 1)) < SUM_BOUND);
    }
    results_free(&r);
}

TEST(rows_sum_to_1)
{
    for_every_score((recipe){.queries = 45, .keys = 150}, check_sums);
    for_every_score((recipe){.queries = 45, .keys = 150, .mask = MASK_EVERYTHING}, check_sums);
    for_every_score((recipe){.queries = 45, .keys = 150, .mask = MASK_BLOCKED_ROWS}, check_sums);
}

/* The weights of a row and its sink's share are a whole, with or without keys to see. */
static void check_sinks(sac_variant variant, trial *t)
{
    results r;
    compute(variant, t, &r);
    size_t keys = t->shape.keys, queries = t->shape.queries;
    for (size_t row = 0; row < r.rows; row++) {
        size_t head = row / queries % t->shape.heads;
        double sink = (double)((const float *)t->input.sinks->data)[head], sum = 0;
        for (size_t j = 0; j < keys; j++)
            sum += r.weights[row * keys + j];
        assert_true(fabs(sum + exp(sink - r.lse[row]) - 1) < SUM_BOUND);
        if (row % queries % 3 == 0) /* all is blocked */
            assert_true(sum == 0 && fabs(r.lse[row] - sink) < 1e-6);
    }
    results_free(&r);
}

TEST(a_sink_takes_its_share_of_every_row)
{
    for_every_score((recipe){.queries = 45, .keys = 150, .mask = MASK_BLOCKED_ROWS, .sinks = true},
                    check_sinks);
}

static void check_blocked(sac_variant variant, trial *t)
{
    results r;
    compute(variant, t, &r);
    const sac_attention_shape *s = &t->shape;
    const uint8_t *mask = t->input.attn_mask->data;
    size_t blocked = 0;
    for (size_t i = 0; i < r.cells; i++)
        if (mask[i]) {
            assert_true(r.weights[i] == 0);
            blocked++;
        }
    assert_true(blocked > r.cells / 5 && blocked < r.cells / 2);
    assert_int_equal(s->batch * s->heads * s->queries * s->keys, r.cells);
    results_free(&r);
}

TEST(blocked_weights_are_exactly_0)
{
    for_every_score((recipe){.queries = 33, .keys = 70, .mask = MASK_BOOL_HEADS}, check_blocked);
}

static void check_causal(sac_variant variant, trial *t)
{
    results r;
    compute(variant, t, &r);
    long queries = (long)t->shape.queries, keys = (long)t->shape.keys;
    bool is_last = t->spec.alignment == SAC_ALIGN_BOTTOM_RIGHT ||
                   (t->spec.alignment == SAC_ALIGN_AUTO && queries < keys);
    for (long row = 0; row < (long)r.rows; row++) {
        long place = row % queries + (is_last ? keys - queries : 0);
        for (long j = place < 0 ? 0 : place + 1; j < keys; j++)
            assert_true(r.weights[row * keys + j] == 0);
        if (place < 0) /* it stands before all keys */
            assert_true(r.lse[row] == -INFINITY);
        else if (place == 0)
            assert_true(fabs(r.weights[row * keys] - 1) < SUM_BOUND);
        else
            assert_true(r.weights[row * keys + (place < keys ? place : keys - 1)] > 0);
    }
    results_free(&r);
}

TEST(a_causal_query_sees_no_later_key)
{
    static const size_t sizes[][2] = {{67, 67}, {20, 90}, {90, 20}, {1, 40}, {300, 5}};
    for (int alignment = 0; alignment < SAC_ALIGN_COUNT; alignment++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for_every_score((recipe){.queries = sizes[i][0],
                                     .keys = sizes[i][1],
                                     .spec = {.alignment = (sac_alignment)alignment},
                                     .mask = MASK_CAUSAL},
                            check_causal);
}

static void check_blocked_rows(sac_variant variant, trial *t)
{
    results r;
    compute(variant, t, &r);
    const sac_attention_shape *s = &t->shape;
    size_t width = s->heads * s->value_dim;
    for (size_t row = 0; row < r.rows; row++) {
        if (row % s->queries % 3)
            continue;
        assert_true(r.lse[row] == -INFINITY);
        for (size_t j = 0; j < s->keys; j++)
            assert_true(r.weights[row * s->keys + j] == 0);
    }
    for (size_t i = 0; i < s->batch * s->queries; i++)
        for (size_t c = 0; c < width && i % s->queries % 3 == 0; c++)
            assert_true(r.output[i * width + c] == 0);
    results_free(&r);
}

TEST(a_row_that_sees_nothing_gives_zeros_and_minus_infinity)
{
    for_every_score((recipe){.queries = 40, .keys = 70, .mask = MASK_BLOCKED_ROWS},
                    check_blocked_rows);
    for_every_score((recipe){.queries = 40, .keys = 70, .mask = MASK_FLOAT_ROWS},
                    check_blocked_rows);
}

/* A row in which every key was lowered by the largest float: what is right is lost in rounding, but
 * no NaN comes of it, and its weights sum to 1 or are all 0. */
static void check_lowest_rows(sac_variant variant, trial *t)
{
    results r;
    sac_array *mask = trial_array(t, SAC_F32, 2, (size_t[]){1, t->shape.keys});
    for (size_t j = 0; j < t->shape.keys; j++)
        ((float *)mask->data)[j] = -FLT_MAX;
    t->input.attn_mask = mask;
    compute(variant, t, &r);
    for (size_t row = 0; row < r.rows; row++) {
        double sum = 0;
        for (size_t j = 0; j < t->shape.keys; j++)
            sum += r.weights[row * t->shape.keys + j];
        assert_true(sum == 0 || fabs(sum - 1) < SUM_BOUND);
        assert_false(isnan(r.lse[row]));
    }
    for (size_t i = 0; i < r.outputs; i++)
        assert_true(isfinite(r.output[i]));
    results_free(&r);
}

TEST(a_row_of_the_lowest_floats_gives_no_nan)
{
    for_every_score((recipe){.queries = 40, .keys = 70}, check_lowest_rows);
}

/* ---------------------------------------------------------------- what changes nothing */

/* Copies of key and value in which vector j of each matrix is the one at `order[j]`. */
static void permute(const sac_array *from, sac_array *to, const size_t *order)
{
    size_t length = from->shape[from->rank - 2], size = from->shape[from->rank - 1];
    size_t matrices = sac_array_count(from) / (length * size);
    const float *in = from->data;
    float *out = to->data;
    for (size_t m = 0; m < matrices; m++)
        for (size_t j = 0; j < length; j++)
            memcpy(out + (m * length + j) * size, in + (m * length + order[j]) * size,
                   size * sizeof *out);
}

static void check_permutation(sac_variant variant, trial *t)
{
    results before, after;
    compute(variant, t, &before);
    size_t keys = t->shape.keys, order[200];
    assert_true(keys <= 200);
    for (size_t j = 0; j < keys; j++)
        order[j] = (j * 7 + 3) % keys; /* 7 divides no number of keys here */
    sac_array *key = trial_array(t, SAC_F32, t->input.key->rank, t->input.key->shape);
    sac_array *value = trial_array(t, SAC_F32, t->input.value->rank, t->input.value->shape);
    permute(t->input.key, key, order);
    permute(t->input.value, value, order);
    t->input.key = key;
    t->input.value = value;
    compute(variant, t, &after);
    assert_true(relative_error(after.output, before.output, before.outputs) <= 2e-6);
    assert_true(relative_error(after.lse, before.lse, before.rows) <= 2e-6);
    double *moved = malloc(before.cells * sizeof *moved);
    assert_non_null(moved);
    for (size_t row = 0; row < before.rows; row++)
        for (size_t j = 0; j < keys; j++)
            moved[row * keys + order[j]] = after.weights[row * keys + j];
    assert_true(relative_error(moved, before.weights, before.cells) <= 2e-6);
    free(moved);
    results_free(&before);
    results_free(&after);
}

TEST(permuting_keys_with_their_values_changes_nothing)
{
    for_every_score((recipe){.queries = 21, .keys = 130}, check_permutation);
}

/* A float mask that adds 3 everywhere: the weights stay, and lse grows by 3. */
static void check_shift(sac_variant variant, trial *t)
{
    results before, after;
    compute(variant, t, &before);
    sac_array *mask = trial_array(t, SAC_F32, 2, (size_t[]){1, 1});
    ((float *)mask->data)[0] = 3;
    t->input.attn_mask = mask;
    compute(variant, t, &after);
    for (size_t i = 0; i < before.rows; i++)
        before.lse[i] += 3;
    assert_true(relative_error(after.output, before.output, before.outputs) <= 2e-6);
    assert_true(relative_error(after.weights, before.weights, before.cells) <= 2e-6);
    assert_true(relative_error(after.lse, before.lse, before.rows) <= 2e-6);
    results_free(&before);
    results_free(&after);
}

TEST(a_shift_of_all_scores_changes_no_weight)
{
    for_every_score((recipe){.queries = 21, .keys = 130}, check_shift);
}

static void check_fused(sac_variant variant, trial *t)
{
    results r;
    compute(variant, t, &r);
    const sac_attention_shape *s = &t->shape;
    const float *value = t->input.value->data; /* [B,H,Tk,dv] */
    double *product = calloc(r.outputs, sizeof *product);
    assert_non_null(product);
    for (size_t row = 0; row < r.rows; row++)
        for (size_t j = 0; j < s->keys; j++)
            for (size_t c = 0; c < s->value_dim; c++)
                product[row * s->value_dim + c] +=
                    r.weights[row * s->keys + j] *
                    value[(row / s->queries * s->keys + j) * s->value_dim + c];
    assert_true(relative_error(r.output, product, r.outputs) <= 2e-6);
    free(product);
    results_free(&r);
}

TEST(the_fused_output_is_weights_times_values)
{
    recipe r = {.queries = 50, .keys = 140, .value_dim = 9, .rank = 4, .mask = MASK_EVERYTHING};
    for_every_score(r, check_fused);
    r.spec.dropout = 0.4f;
    r.spec.seed = 99;
    for_every_score(r, check_fused);
}

/* Without the weights nothing of the rest changes. */
static void check_without_weights(sac_variant variant, trial *t)
{
    results with, without;
    compute(variant, t, &with);
    OK(compute_device(test_device(), variant, t, false, &without, &failure));
    assert_memory_equal(with.output, without.output, with.outputs * sizeof *with.output);
    assert_memory_equal(with.lse, without.lse, with.rows * sizeof *with.lse);
    assert_null(without.weights);
    results_free(&with);
    results_free(&without);
}

TEST(the_weights_cost_the_output_nothing)
{
    for_every_score((recipe){.queries = 50, .keys = 140}, check_without_weights);
}

/* ---------------------------------------------------------------- tiles and pools */

static void check_tile(sac_attention *attention, const results *whole, sac_tile tile, size_t keys,
                       size_t queries)
{
    double wanted[70 * 90], difference = 0;
    float mine[70 * 90 + 1];
    size_t count = tile.rows * tile.cols, matrix = tile.batch * 2 + tile.head;
    mine[count] = 42;
    OK(sac_attention_tile(attention, &tile, mine, &failure));
    for (size_t r = 0; r < tile.rows; r++)
        for (size_t c = 0; c < tile.cols; c++) {
            size_t at = (matrix * queries + tile.row + r) * keys + tile.col + c;
            wanted[r * tile.cols + c] = whole->weights[at];
            difference =
                fmax(difference, fabs(mine[r * tile.cols + c] - wanted[r * tile.cols + c]));
        }
    assert_true(difference <= 1e-6); /* of weights up to 1/(1 − dropout) */
    assert_true(mine[count] == 42);
}

static void check_tiles(sac_variant variant, trial *t)
{
    results whole;
    compute(variant, t, &whole);
    sac_attention *attention = create(variant, t); /* not run: tiles stand on their own */
    const sac_tile tiles[] = {{0, 0, 0, 70, 0, 90},  {1, 1, 0, 70, 0, 90}, {0, 1, 13, 1, 0, 90},
                              {1, 0, 0, 70, 89, 1},  {1, 1, 69, 1, 89, 1}, {0, 1, 5, 31, 7, 33},
                              {1, 0, 33, 16, 64, 26}};
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        check_tile(attention, &whole, tiles[i], t->shape.keys, t->shape.queries);
    sac_attention_destroy(attention);
    results_free(&whole);
}

TEST(a_tile_is_the_crop_of_the_whole)
{
    recipe r = {.queries = 70, .keys = 90};
    for_every_place(r, check_tiles);
    r.mask = MASK_EVERYTHING;
    r.spec.dropout = 0.3f;
    for_every_place(r, check_tiles);
}

/* What pooled cell (r, c) of the whole matrix should be. */
static double pooled(const double *weights, size_t stride, const sac_tile *tile, sac_pool pool,
                     size_t r, size_t rows, size_t c, size_t cols)
{
    double sum = 0, most = 0;
    size_t count = 0;
    for (size_t i = r * tile->rows / rows; i < (r + 1) * tile->rows / rows; i++)
        for (size_t j = c * tile->cols / cols; j < (c + 1) * tile->cols / cols; j++) {
            double weight = weights[(tile->row + i) * stride + tile->col + j];
            sum += weight;
            most = fmax(most, weight);
            count++;
        }
    return pool == SAC_POOL_MEAN ? sum / (double)count : most;
}

static void check_pool(sac_attention *attention, const results *whole, const trial *t, size_t rows,
                       size_t cols)
{
    const sac_attention_shape *s = &t->shape;
    sac_tile tile = {1, 1, 2, s->queries - 3, 1, s->keys - 4};
    const double *matrix = whole->weights + 3 * s->queries * s->keys; /* batch 1, head 1 */
    for (int pool = SAC_POOL_MEAN; pool <= SAC_POOL_MAX; pool++) {
        float mine[70 * 90 + 1];
        mine[rows * cols] = 42;
        if (sac_attention_pool(attention, &tile, (sac_pool)pool, rows, cols, mine, &failure))
            fail_msg("%s: %s", failure.where, failure.what);
        assert_true(mine[rows * cols] == 42);
        for (size_t r = 0; r < rows; r++)
            for (size_t c = 0; c < cols; c++) {
                double wanted = pooled(matrix, s->keys, &tile, (sac_pool)pool, r, rows, c, cols);
                assert_true(fabs(mine[r * cols + c] - wanted) <= 1e-6);
            }
    }
}

static void check_pools(sac_variant variant, trial *t)
{
    results whole;
    compute(variant, t, &whole);
    sac_attention *attention = create(variant, t);
    const sac_attention_shape *s = &t->shape;
    check_pool(attention, &whole, t, 1, 1);
    check_pool(attention, &whole, t, 7, 11);
    check_pool(attention, &whole, t, s->queries - 3, 5);
    check_pool(attention, &whole, t, s->queries - 3, s->keys - 4);
    sac_attention_destroy(attention);
    results_free(&whole);
}

TEST(pooled_weights_are_the_pooling_of_the_whole)
{
    for_every_place((recipe){.queries = 70, .keys = 90, .mask = MASK_CAUSAL}, check_pools);
}

/* ---------------------------------------------------------------- dropout and heads */

static void check_repeats(sac_variant variant, trial *t)
{
    results plain, zero, first, again, other;
    compute(variant, t, &plain);
    t->spec.seed = 1; /* of a dropout that is 0 */
    compute(variant, t, &zero);
    t->spec.dropout = 0.5f;
    compute(variant, t, &first);
    compute(variant, t, &again);
    t->spec.seed = 2;
    compute(variant, t, &other);
    size_t bytes = plain.cells * sizeof(double);
    assert_memory_equal(plain.weights, zero.weights, bytes);
    assert_memory_equal(first.weights, again.weights, bytes);
    assert_memory_equal(first.output, again.output, first.outputs * sizeof(double));
    assert_memory_not_equal(first.weights, other.weights, bytes);
    assert_memory_equal(plain.lse, first.lse, plain.rows * sizeof(double));
    for (size_t i = 0; i < plain.cells; i++) /* dropped, or doubled */
        assert_true(first.weights[i] == 0 ||
                    fabs(first.weights[i] - 2 * plain.weights[i]) <= 4e-6 * plain.weights[i]);
    results *all[] = {&plain, &zero, &first, &again, &other};
    for (size_t i = 0; i < 5; i++)
        results_free(all[i]);
}

TEST(dropout_of_0_is_the_identity_and_a_seed_repeats)
{
    for_every_score((recipe){.queries = 30, .keys = 60}, check_repeats);
}

/* The share of n weights that is dropped is binomial: within 5 deviations of p but once in two
 * million tries, and the seed is fixed. */
static void check_share(sac_variant variant, trial *t)
{
    for (float p = 0.1f; p < 1; p += 0.4f) {
        results r;
        t->spec.dropout = p;
        t->spec.seed = 0xfedcba9876543210u;
        compute(variant, t, &r);
        size_t dropped = 0;
        for (size_t i = 0; i < r.cells; i++)
            dropped += r.weights[i] == 0;
        double n = (double)r.cells, deviation = sqrt(p * (1 - p) / n);
        assert_true(fabs((double)dropped / n - p) < 5 * deviation);
        results_free(&r);
    }
}

TEST(the_share_that_is_dropped_is_the_probability)
{
    for_every_score((recipe){.queries = 100, .keys = 100}, check_share);
}

/* With one head both splits are the same; with more the view mixes positions up. */
static void check_splits(sac_variant variant, trial *t)
{
    results transposed, viewed;
    compute(variant, t, &transposed);
    t->spec.split = SAC_SPLIT_VIEW;
    compute(variant, t, &viewed);
    assert_true(relative_error(viewed.output, transposed.output, viewed.outputs) > 0.1);
    assert_true(relative_error(viewed.weights, transposed.weights, viewed.cells) > 0.1);
    results_free(&viewed);
    results_free(&transposed);
    t->spec.heads = 1;
    t->input.score_W_q = t->input.score_W_k = t->input.score_w_v = t->input.score_W_qk = NULL;
    if (t->spec.score == SAC_SCORE_ADDITIVE || t->spec.score == SAC_SCORE_BILINEAR)
        return; /* their weights are for the size of a head */
    OK(sac_attention_resolve(&t->spec, &t->input, &t->shape, NULL));
    compute(variant, t, &viewed);
    t->spec.split = SAC_SPLIT_TRANSPOSE;
    compute(variant, t, &transposed);
    assert_memory_equal(viewed.output, transposed.output, viewed.outputs * sizeof(double));
    results_free(&viewed);
    results_free(&transposed);
}

TEST(splitting_heads_by_view_is_not_by_transpose)
{
    for_every_score((recipe){.queries = 12, .keys = 16}, check_splits);
}

/* ---------------------------------------------------------------- stopping */

static bool stop(void *calls, double done)
{
    assert_true(done >= 0 && done <= 1);
    ++*(int *)calls;
    return false;
}

static bool go_on(void *last, double done)
{
    assert_true(done >= *(double *)last && done <= 1);
    *(double *)last = done;
    return true;
}

static void check_stop(sac_variant variant, trial *t)
{
    sac_attention *attention = create(variant, t);
    const sac_attention_shape *s = &t->shape;
    float *lse = malloc(s->batch * s->heads * s->queries * sizeof *lse);
    assert_non_null(lse);
    sac_attention_output output = {.lse = lse};
    int calls = 0;
    sac_progress stops = {stop, &calls};
    assert_int_equal(sac_attention_run(attention, &output, &stops, &failure), SAC_E_CANCELLED);
    assert_int_equal(failure.status, SAC_E_CANCELLED);
    assert_int_equal(calls, 1);
    double last = 0;
    sac_progress goes_on = {go_on, &last};
    OK(sac_attention_run(attention, &output, &goes_on, NULL));
    assert_true(last == 1);
    free(lse);
    sac_attention_destroy(attention);
}

TEST(progress_that_returns_false_stops_the_work)
{
    for_every_score((recipe){.queries = 30, .keys = 60}, check_stop);
}

TEST(a_self_test_that_is_stopped_gives_nothing)
{
    int calls = 0;
    size_t count = 42;
    sac_progress stops = {stop, &calls};
    sac_selftest_result *tests = NULL;
    sac_verdict verdict = SAC_UNTESTED;
    assert_int_equal(sac_selftest_run(test_device(), &tests, &count, &verdict, &stops, &failure),
                     SAC_E_CANCELLED);
    assert_int_equal(failure.status, SAC_E_CANCELLED);
    assert_int_equal(calls, 1);
    assert_int_equal(count, 0);
    assert_null(tests);
    assert_int_equal(verdict, SAC_UNTESTED);
}

TEST_MAIN(NULL, close_device)
