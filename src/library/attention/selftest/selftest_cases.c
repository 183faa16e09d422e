/* The self-test's cases: small attentions, computed by a variant and by the reference. */

#include "attention/selftest/selftest_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/run/run.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/random/random.h"
#include "base/round.h"
#include "gemm/launch.h"
#include "scores/scores.h"

/* Float32 rounding stays under 2e-6 on these cases; a wrong kernel is off by 1e-3 and more. Where
 * numbers are float16 and were multiplied by a matrix, some fall on the other side of a rounding.
 */
#define BOUND 1e-5
#define MATRIX_HALF_BOUND 1e-4
/* The matrix kernels round weights to float16 as well: 2^-12 of each at most. */
#define HALF_WEIGHTS_BOUND 1e-3
/* A weight of 1.5-entmax or sparsemax is (the square of) a difference of scores, of which k keys share 1:
 * what rounding a score changes is 2√k or k times as much of it. Measured: up to 2e-5. */
#define SPARSE_BOUND 1e-4
#define PAIRS_BOUND 8e-3 /* whose weights have three binary digits less */

/* Scores of the cases lie on both sides of it. */
#define CAP 0.7f

/* One case: inputs made of random numbers, in [B,T,H·d]. */
typedef struct selftest_case {
    const char *name;
    struct {
        size_t batch, queries, keys, dim, value_dim; /* of one head; heads are in spec */
    } size;
    sac_attention_spec spec;
    float offset;    /* of queries and keys */
    float shrink;    /* divides queries, keys and values; 0: 1 */
    size_t appended; /* of the keys: they come later */
    bool padding, mask, bool_mask, normed, sinks;
    bool many; /* as many batch entries as keep the device busy with no tile's keys cut */
} selftest_case;

/* Sizes one off a tile and beyond one, so that every edge of every variant is met, and whole
 * private arrays are filled: a driver is known that fails at those alone. Each way that the plan
 * and the launches can take has its case (the case's first words):
 *
 *   keys in one piece, of several panels         many heads; one query of many heads
 *   keys in pieces, which are merged             scaled dot; one query, many keys
 *   pieces in which a query sees no key          keys beyond the caches; queries before
 *   several launches                             many heads; one query of many heads: whatever the
 *                                                number of cores; the others where it is small
 *   CPU: tiles of all rows                       keys beyond the caches
 *   CPU: fewer rows, for few queries or tiles    all others
 *   CPU: fewer rows, for wide heads              heads of 515
 *   CPU: a single row; half a chunk of columns   one query; float mask
 *   GPU: 2, 4, 6, 8 columns per work-item        scaled dot; many heads; shared keys; heads of 515
 *   GPU: the same of few queries                 sizes of one; one query, many keys; residual; one
 *                                                query of many heads
 *   GPU: several pieces of the value columns     heads of 515
 *   matrix: several fragments; one               scaled dot; shared keys (wide), float mask (few)
 *   matrix: wider heads, by the GPU kernels      heads of 515
 *   last tile and panel cut off, by 1, to 1      scaled dot; causal; heads of one
 *   panels that nothing masks, negative scale    heads of one
 *   causal: panels skipped, the boundary masked  causal; shared keys; keys beyond the caches
 *   offset of queries above 0, below 0           keys beyond the caches; queries before
 *   windows                                      shared keys; queries before
 *   masks: padding, float, bool with heads       causal; float mask; many heads
 *   rows without a key                           queries before
 *   dropout in the first panel, in others        float mask; many heads
 *   sinks: in pieces, whole, of several heads    one query, many keys; many heads
 *   heads that share keys                        shared keys; many heads
 *   heads that lie whole, room behind the keys   causal; one query of many heads
 *   sizes of one, heads of one, above 512        sizes of one; heads of one; heads of 515
 *   weights: rectangles off a block, two slabs   all; keys beyond the caches
 *   sums over coordinates in parts               gaussian
 *   layer norm and residual                      residual
 *   keys written behind others                   keys appended
 *   heads that the naive kernels take            heads of 2051
 *
 * float16 and capped scores go through all cases again (selftest.c). Not here: what looks for scores
 * beyond 1e36. */

/* Name, sizes, spec. */
static const selftest_case cases[] = {
    {"scaled dot, odd sizes", {1, 131, 263, 37, 29}, {.score = SAC_SCORE_SCALED_DOT}},
    {"causal, key padding, view split",
     {2, 65, 65, 16, 16},
     {.causal = true, .heads = 2, .split = SAC_SPLIT_VIEW},
     .padding = true},
    {"float mask and dropout",
     {2, 33, 70, 8, 5},
     {.score = SAC_SCORE_DOT, .use_scale = true, .scale = -0.3f, .dropout = 0.25f, .seed = 7},
     .mask = true},
    {"one query, many keys", {1, 1, 1500, 64, 64}, {.score = SAC_SCORE_SCALED_DOT}, .sinks = true},
    /* Float16 has them, but some matrix instructions take them for 0. */
    {"numbers under 2^-14, negative scale",
     {1, 70, 39, 16, 16},
     {.score = SAC_SCORE_SCALED_DOT, .use_scale = true, .scale = -0x1p34f},
     .shrink = 0x1p18f},
    {"shared keys, window",
     {2, 131, 140, 12, 90},
     {.heads = 4, .key_heads = 2, .window = 50, .causal = true}},
    {"queries before all keys",
     {1, 140, 67, 12, 9},
     {.causal = true, .alignment = SAC_ALIGN_BOTTOM_RIGHT, .window = 40},
     .sinks = true},
    {"residual, layer norm",
     {2, 7, 12, 90, 90},
     {.score = SAC_SCORE_SCALED_DOT, .heads = 2},
     .normed = true},
    {"gaussian far from the origin",
     {1, 67, 129, 37, 3},
     {.score = SAC_SCORE_GAUSSIAN, .bandwidth = 1 / 0.25f},
     .offset = 100},
    {"sizes of one", {1, 1, 1, 1, 1}, {.score = SAC_SCORE_DOT}},
    {"heads of one, negative scale",
     {1, 65, 127, 1, 1},
     {.score = SAC_SCORE_DOT, .use_scale = true, .scale = -0.7f}},
    {"heads of 515", {1, 33, 67, 515, 515}, {.score = SAC_SCORE_SCALED_DOT}},
    {"keys beyond the caches, causal",
     {1, 131, 8200, 4, 3},
     {.causal = true, .alignment = SAC_ALIGN_BOTTOM_RIGHT}},
    {"many heads, bool mask, dropout",
     {1, 17, 259, 8, 33},
     {.heads = 2, .key_heads = 1, .dropout = 0.25f, .seed = 7},
     .bool_mask = true,
     .sinks = true,
     .many = true},
    {"one query of many heads, room for keys",
     {1, 1, 259, 8, 128},
     {.heads = 2, .capacity = 300},
     .many = true},
    {"keys appended",
     {1, 5, 140, 9, 11},
     {.heads = 2, .key_heads = 1, .capacity = 150},
     .appended = 37},
    {"heads of 2051", {1, 5, 19, SAC_CPU_WIDEST + 3, 7}, {.score = SAC_SCORE_SCALED_DOT}},
};
enum { CASE_COUNT = sizeof cases / sizeof *cases, HIDDEN = 37, MAX_ARRAYS = 16 };

/* The case of a form that no row has. */
static const selftest_case of_form = {NULL, {1, 67, 129, 10, 12}, {.heads = 2, .causal = true}};

static bool form_has_case(sac_score form)
{
    for (size_t i = 0; i < CASE_COUNT; i++)
        if (sac_score_form(cases[i].spec.score) == form)
            return true;
    return false;
}

/* The forms without a row; returns their number. */
static size_t forms_without_case(sac_score forms[SAC_SCORE_COUNT])
{
    size_t all = sac_score_forms(forms), count = 0;
    for (size_t i = 0; i < all; i++)
        if (!form_has_case(forms[i]))
            forms[count++] = forms[i];
    return count;
}

static selftest_case case_at(size_t index)
{
    sac_score forms[SAC_SCORE_COUNT];
    if (index < CASE_COUNT)
        return cases[index];
    selftest_case c = of_form;
    forms_without_case(forms);
    c.spec.score = forms[index - CASE_COUNT];
    c.name = sac_score_name(c.spec.score);
    return c;
}

/* ---------------------------------------------------------------- the inputs of a case */

typedef struct case_arrays {
    sac_array arrays[MAX_ARRAYS];
    int count;
    sac_attention_input input;
} case_arrays;

/* A new array of uniform numbers in offset ± scale; NULL where there is no memory. */
static const sac_array *make_floats(case_arrays *made, int rank, const size_t *shape, float scale,
                                    float offset)
{
    sac_array *array = &made->arrays[made->count];
    if (sac_array_create(SAC_F32, rank, shape, array, NULL) != SAC_OK)
        return NULL;
    float *values = array->data;
    for (size_t i = 0; i < sac_array_count(array); i++) {
        float uniform = sac_philox_uniform((uint32_t)i, (uint32_t)made->count, 1);
        values[i] = offset + scale * (2 * uniform - 1);
    }
    made->count++;
    return array;
}

/* A new array that is true in about one place of four. */
static const sac_array *make_bools(case_arrays *made, int rank, const size_t *shape)
{
    sac_array *array = &made->arrays[made->count];
    if (sac_array_create(SAC_BOOL, rank, shape, array, NULL) != SAC_OK)
        return NULL;
    uint8_t *values = array->data;
    for (size_t i = 0; i < sac_array_count(array); i++)
        values[i] = sac_philox((uint32_t)i, (uint32_t)made->count, 2) % 4 == 0;
    made->count++;
    return array;
}

static const sac_array *make_matrix(case_arrays *made, size_t out, size_t in)
{
    return make_floats(made, 2, (size_t[]){out, in}, 1.0f / sqrtf((float)in), 0);
}

static void make_inputs(const selftest_case *c, case_arrays *made)
{
    size_t heads = c->spec.heads ? (size_t)c->spec.heads : 1;
    size_t key_heads = c->spec.key_heads ? (size_t)c->spec.key_heads : heads;
    size_t value = heads * c->size.value_dim, hidden = HIDDEN;
    size_t query[] = {c->size.batch, c->size.queries, heads * c->size.dim};
    size_t key[] = {c->size.batch, c->size.keys, key_heads * c->size.dim};
    size_t values[] = {c->size.batch, c->size.keys, key_heads * c->size.value_dim};
    float unit = c->shrink > 0 ? 1 / c->shrink : 1;
    sac_attention_input *in = &made->input;
    in->query = make_floats(made, 3, query, 2 * unit, c->offset);
    in->key = make_floats(made, 3, key, 2 * unit, c->offset);
    in->value = make_floats(made, 3, values, unit, 0);
    if (c->padding)
        in->key_padding_mask = make_bools(made, 2, (size_t[]){c->size.batch, c->size.keys});
    if (c->mask)
        in->attn_mask = make_floats(made, 2, (size_t[]){c->size.queries, c->size.keys}, 3, 0);
    if (c->bool_mask)
        in->attn_mask = make_bools(made, 4, (size_t[]){1, heads, c->size.queries, c->size.keys});
    if (c->sinks)
        in->sinks = make_floats(made, 1, &heads, 2, 1);
    if (c->normed) {
        in->norm_weight = make_floats(made, 1, &value, 1, 1);
        in->norm_bias = make_floats(made, 1, &value, 1, 0);
    }
    if (sac_score_class_of(c->spec.score)->weights == SAC_WEIGHTS_HIDDEN) {
        in->score_W_q = make_matrix(made, HIDDEN, c->size.dim);
        in->score_W_k = make_matrix(made, HIDDEN, c->size.dim);
        in->score_w_v = make_floats(made, 1, &hidden, 1, 0);
    }
}

/* ---------------------------------------------------------------- running a case */

/* Everything that an attention gives, and what it should be. */
typedef struct case_results {
    size_t outputs, rows, weights; /* how many */
    float *output, *lse, *weight, *tile;
    double *true_output, *true_lse, *true_weight;
} case_results;

static bool results_create(const sac_attention_shape *shape, case_results *results)
{
    results->rows = shape->batch * shape->heads * shape->queries;
    results->weights = results->rows * shape->keys;
    results->outputs = 1;
    for (int i = 0; i < shape->output_rank; i++)
        results->outputs *= shape->output_shape[i];
    results->output = calloc(results->outputs, sizeof(float));
    results->lse = calloc(results->rows, sizeof(float));
    results->weight = calloc(results->weights, sizeof(float));
    results->tile = calloc(shape->queries * shape->keys, sizeof(float));
    results->true_output = calloc(results->outputs, sizeof(double));
    results->true_lse = calloc(results->rows, sizeof(double));
    results->true_weight = calloc(results->weights, sizeof(double));
    return results->output && results->lse && results->weight && results->tile &&
           results->true_output && results->true_lse && results->true_weight;
}

/* ‖given − wanted‖ / ‖wanted‖ over what is finite; infinity where a number is not finite that
 * should be, or the other way round. */
static double relative_error(const float *given, const double *wanted, size_t count)
{
    double difference = 0, whole = 0;
    for (size_t i = 0; i < count; i++) {
        if (isinf(wanted[i]) && given[i] == (float)wanted[i])
            continue;
        if (!isfinite(given[i]) || !isfinite(wanted[i]))
            return INFINITY;
        difference += (given[i] - wanted[i]) * (given[i] - wanted[i]);
        whole += wanted[i] * wanted[i];
    }
    return whole > 0 ? sqrt(difference / whole) : sqrt(difference);
}

/* The error of a tile in the middle of the first head, and of the same tile pooled to one number. */
static sac_status tile_error(sac_attention *attention, case_results *results, double *tile_error,
                             sac_error *error)
{
    const sac_attention_shape *shape = sac_attention_get_shape(attention);
    sac_tile tile = {.row = shape->queries / 3,
                     .rows = (shape->queries + 1) / 2,
                     .col = shape->keys / 5,
                     .cols = (shape->keys + 1) / 2};
    float mean, largest;
    sac_status status = sac_attention_tile(attention, &tile, results->tile, error);
    if (status == SAC_OK)
        status = sac_attention_pool(attention, &tile, SAC_POOL_MEAN, 1, 1, &mean, error);
    if (status == SAC_OK)
        status = sac_attention_pool(attention, &tile, SAC_POOL_MAX, 1, 1, &largest, error);
    if (status != SAC_OK)
        return status;
    double sum = 0, most = 0;
    *tile_error = 0;
    for (size_t i = 0; i < tile.rows; i++) {
        const double *wanted = results->true_weight + (tile.row + i) * shape->keys + tile.col;
        double line = relative_error(results->tile + i * tile.cols, wanted, tile.cols);
        *tile_error = fmax(*tile_error, line);
        for (size_t j = 0; j < tile.cols; j++) {
            sum += wanted[j];
            most = fmax(most, wanted[j]);
        }
    }
    sum /= (double)(tile.rows * tile.cols);
    *tile_error = fmax(*tile_error, relative_error(&mean, &sum, 1));
    *tile_error = fmax(*tile_error, relative_error(&largest, &most, 1));
    return SAC_OK;
}

/* Builds it of all keys, or of the first, and appends the others. */
static sac_status build(sac_device *device, const selftest_case *c, const sac_attention_input *all,
                        const sac_tiling *tiling, sac_attention **attention, sac_error *error)
{
    sac_attention_input first = *all;
    sac_attention_shape shape;
    sac_array key[] = {*all->key, *all->key}, value[] = {*all->value, *all->value};
    if (c->appended) { /* of a single item of the batch, so that they lie behind the others */
        size_t kept = c->size.keys - c->appended;
        for (int later = 0; later < 2; later++) {
            size_t begin = later ? kept : 0, count = later ? c->appended : kept;
            key[later].shape[1] = value[later].shape[1] = count;
            key[later].data = (float *)all->key->data + begin * all->key->shape[2];
            value[later].data = (float *)all->value->data + begin * all->value->shape[2];
        }
        first.key = &key[0];
        first.value = &value[0];
    }
    sac_status status = sac_attention_resolve(&c->spec, &first, &shape, error);
    if (status == SAC_OK)
        status = sac_attention_build(device, &c->spec, &shape, &first, tiling, attention, error);
    if (status == SAC_OK && c->appended)
        status = sac_attention_append(*attention, &key[1], &value[1], error);
    return status;
}

/* The largest relative error of output, log-sum-exp, weights, a tile and its pooled ones. */
static sac_status measure_worst_error(sac_device *device, const selftest_case *c,
                                      const sac_attention_input *input, const sac_tiling *tiling,
                                      case_results *results, double *worst, sac_error *error)
{
    sac_attention *attention = NULL;
    sac_attention_output output = {results->output, results->lse, results->weight};
    double tile = 0;
    sac_status status = sac_attention_reference(&c->spec, input, results->true_output,
                                                results->true_lse, results->true_weight, error);
    if (status == SAC_OK)
        status = build(device, c, input, tiling, &attention, error);
    if (status == SAC_OK)
        status = tile_error(attention, results, &tile, error);
    if (status == SAC_OK) {
        attention->speed = 1; /* of a slow device, which takes more than one launch */
        status = sac_attention_run(attention, &output, NULL, error);
    }
    sac_attention_destroy(attention);
    if (status != SAC_OK)
        return status;
    *worst = fmax(tile, relative_error(results->output, results->true_output, results->outputs));
    *worst = fmax(*worst, relative_error(results->lse, results->true_lse, results->rows));
    *worst = fmax(*worst, relative_error(results->weight, results->true_weight, results->weights));
    return SAC_OK;
}

size_t sac_selftest_case_count(void)
{
    sac_score forms[SAC_SCORE_COUNT];
    return CASE_COUNT + forms_without_case(forms);
}

const char *sac_selftest_case_name(size_t index)
{
    return case_at(index).name;
}

static double case_error(sac_device *device, const sac_tested *tested, size_t index,
                         sac_error *error)
{
    const sac_forward_question *question = tested->what;
    case_arrays made = {0};
    case_results results = {0};
    sac_attention_shape shape;
    selftest_case c = case_at(index);
    double worst = -1;
    if (sac_score_form(c.spec.score) != question->form)
        return SAC_NO_CASE;
    if (c.many)
        c.size.batch = sac_ceil_div(sac_units_wanted(device), (size_t)c.spec.heads);
    c.spec.variant = question->variant;
    c.spec.storage = question->storage;
    c.spec.softcap = question->softcap ? CAP : 0;
    c.spec.normalizer = question->normalizer;
    make_inputs(&c, &made);
    sac_status status = sac_attention_resolve(&c.spec, &made.input, &shape, error);
    if (status == SAC_OK && !results_create(&shape, &results))
        status = sac_no_memory(error, "self-test");
    if (status == SAC_OK)
        status =
            measure_worst_error(device, &c, &made.input, question->tiling, &results, &worst, error);
    void *parts[] = {results.output,      results.lse,      results.weight,     results.tile,
                     results.true_output, results.true_lse, results.true_weight};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
    for (int i = 0; i < made.count; i++)
        sac_array_free(&made.arrays[i]);
    return status == SAC_OK ? worst : -1;
}

static void expect_kernels(sac_device *device, sac_specialisation kernels,
                           const sac_forward_question *q)
{
    char options[256];
    kernels.form = q->form;
    kernels.softcap = q->softcap;
    kernels.normalizer = q->normalizer;
    kernels.fast_fma = device->info.has_fma;
    sac_kernel_expect(device, kernels.source,
                      sac_specialisation_options(&kernels, options, sizeof options), false);
}

/* In the order in which the cases need them. */
static void expect_case_kernels(sac_device *device, const sac_tested *tested)
{
    const sac_forward_question *q = tested->what;
    sac_launch_items_expect(device, "pack");
    if (q->variant == SAC_VARIANT_CPU && q->storage == SAC_STORAGE_F32)
        expect_kernels(device, sac_specialise_cpu(q->tiling), q);
    sac_launch_items_expect(device, "merge");
    sac_launch_items_expect(device, "pool");
    expect_kernels(device, sac_specialise_naive(), q);
    sac_launch_items_expect(device, "dropout");
    sac_launch_groups_expect(device, "layer_norm", "", false);
}

/* "cpu-dot", "capped-cpu-dot", "entmax15-cpu-dot", "gpu-dot-half", or with tiles of another shape than ships
 * "cpu-dot-1f00ba12". */
sac_tested sac_forward_make_test(const sac_device *device, const sac_forward_question *q)
{
    sac_tested tested = {.cases = sac_selftest_case_count(),
                         .bound = BOUND,
                         .run = case_error,
                         .expect = expect_case_kernels,
                         .what = q};
    bool is_half = q->storage == SAC_STORAGE_F16;
    bool pairs = q->storage == SAC_STORAGE_BF16;
    const sac_tiling *shipped = sac_tiling_shipped_for(&device->info, q->variant, q->storage);
    char other[16] = "";
    if (q->normalizer != SAC_NORMALIZER_SOFTMAX)
        tested.bound = SPARSE_BOUND;
    if (is_half && sac_score_class_of(q->form)->weights != SAC_WEIGHTS_NONE)
        tested.bound = MATRIX_HALF_BOUND;
    if (q->variant == SAC_VARIANT_MATRIX && is_half)
        tested.bound = HALF_WEIGHTS_BOUND;
    if (pairs)
        tested.bound = PAIRS_BOUND;
    if (memcmp(q->tiling, shipped, sizeof *shipped) != 0)
        snprintf(other, sizeof other, "-%08x",
                 (unsigned)sac_hash(SAC_HASH_START, q->tiling, sizeof *q->tiling));
    bool is_softmax = q->normalizer == SAC_NORMALIZER_SOFTMAX;
    snprintf(tested.name, sizeof tested.name, "%s%s%s%s-%s%s%s", q->softcap ? "capped-" : "",
             is_softmax ? "" : sac_normalizer_name(q->normalizer), is_softmax ? "" : "-",
             sac_variant_name(q->variant), sac_score_name(q->form), other,
             is_half ? "-half"
             : pairs ? "-pairs"
                     : "");
    return tested;
}
