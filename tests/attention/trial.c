#include "trial.h"

#include <float.h>

#include "attention/attention.h"
#include "attention/selftest/selftest.h"
#include "saccade_tools.h"
#include "status.h"

/* ---------------------------------------------------------------- random numbers */

/* SplitMix64 (Steele, Lea and Flood 2014). */
double trial_uniform(trial *t)
{
    uint64_t z = t->random += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Box and Muller 1958. */
double trial_normal(trial *t)
{
    double u = 1 - trial_uniform(t), v = trial_uniform(t);
    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* ---------------------------------------------------------------- drawing a problem */

sac_array *trial_array(trial *t, sac_dtype dtype, int rank, const size_t *sizes)
{
    assert_true(t->count < (int)(sizeof t->arrays / sizeof *t->arrays));
    sac_array *array = &t->arrays[t->count++];
    OK(sac_array_create(dtype, rank, sizes, array, NULL));
    return array;
}

static const sac_array *draw(trial *t, int rank, const size_t *sizes, double spread, double offset)
{
    sac_array *array = trial_array(t, SAC_F32, rank, sizes);
    float *data = array->data;
    for (size_t i = 0; i < sac_array_count(array); i++)
        data[i] = (float)(offset + spread * trial_normal(t));
    return array;
}

/* [T,H·d], [B,T,H·d] or [B,H,T,d]. */
static const sac_array *draw_vectors(trial *t, size_t heads, size_t length, size_t dim,
                                     double spread, double offset)
{
    const recipe *r = &t->recipe;
    size_t split[] = {r->batch, heads, length, dim}, whole[] = {r->batch, length, heads * dim};
    if (r->rank == 4)
        return draw(t, 4, split, spread, offset);
    return draw(t, r->rank, whole + 3 - r->rank, spread, offset);
}

/* Makes key 2j + 1 almost key 2j, so that every query has to choose between two near equals. */
static void pair_keys(trial *t)
{
    sac_array *key = (sac_array *)t->input.key;
    size_t size = key->shape[key->rank - 1], count = sac_array_count(key) / size;
    float *data = key->data;
    for (size_t j = 1; j < count; j += 2)
        for (size_t c = 0; c < size; c++)
            data[j * size + c] =
                (float)(data[(j - 1) * size + c] + t->recipe.twins * trial_normal(t));
}

static void draw_linear(trial *t, size_t out, size_t in, const sac_array **weight,
                        const sac_array **bias)
{
    *weight = draw(t, 2, (size_t[]){out, in}, 1 / sqrt((double)in), 0);
    *bias = draw(t, 1, &out, 0.1, 0);
}

static const sac_array *draw_bools(trial *t, int rank, const size_t *sizes, double share)
{
    sac_array *mask = trial_array(t, SAC_BOOL, rank, sizes);
    for (size_t i = 0; i < sac_array_count(mask); i++)
        ((uint8_t *)mask->data)[i] = trial_uniform(t) < share;
    return mask;
}

/* A float mask in which some places are −inf. */
static const sac_array *draw_floats(trial *t, int rank, const size_t *sizes)
{
    sac_array *mask = trial_array(t, SAC_F32, rank, sizes);
    for (size_t i = 0; i < sac_array_count(mask); i++)
        ((float *)mask->data)[i] =
            trial_uniform(t) < 0.2 ? -INFINITY : (float)(2 * trial_normal(t));
    return mask;
}

/* Key 0 is always seen. */
static const sac_array *draw_lowest(trial *t)
{
    size_t sizes[] = {t->recipe.queries, t->recipe.keys};
    sac_array *mask = trial_array(t, SAC_F32, 2, sizes);
    for (size_t i = 0; i < sizes[0]; i++)
        for (size_t j = 1; j < sizes[1]; j++)
            if (trial_uniform(t) < 0.5)
                ((float *)mask->data)[i * sizes[1] + j] = -FLT_MAX;
    return mask;
}

/* Every third query sees nothing, by true or by −inf. */
static const sac_array *draw_blocked_rows(trial *t, sac_dtype dtype)
{
    size_t sizes[] = {t->recipe.queries, t->recipe.keys};
    sac_array *mask = trial_array(t, dtype, 2, sizes);
    for (size_t i = 0; i < sizes[0]; i += 3)
        for (size_t j = 0; j < sizes[1]; j++)
            if (dtype == SAC_BOOL)
                ((uint8_t *)mask->data)[i * sizes[1] + j] = 1;
            else
                ((float *)mask->data)[i * sizes[1] + j] = -INFINITY;
    return mask;
}

static void draw_masks(trial *t)
{
    const recipe *r = &t->recipe;
    sac_attention_input *in = &t->input;
    size_t full[] = {r->batch, (size_t)r->spec.heads, r->queries, r->keys};
    size_t batch[] = {r->batch, r->queries, r->keys}, padding[] = {r->batch, r->keys};
    size_t spread[] = {1, (size_t)r->spec.heads, 1, r->keys};
    if (r->mask == MASK_CAUSAL || r->mask == MASK_EVERYTHING)
        t->spec.causal = true;
    if (r->mask == MASK_PADDING || r->mask == MASK_EVERYTHING)
        in->key_padding_mask = draw_bools(t, 2, padding, 0.3);
    if (r->mask == MASK_BOOL_MATRIX)
        in->attn_mask = draw_bools(t, 2, full + 2, 0.3);
    else if (r->mask == MASK_BOOL_BATCH)
        in->attn_mask = draw_bools(t, 3, batch, 0.3);
    else if (r->mask == MASK_BOOL_HEADS)
        in->attn_mask = draw_bools(t, 4, full, 0.3);
    else if (r->mask == MASK_FLOAT_MATRIX || r->mask == MASK_EVERYTHING)
        in->attn_mask = draw_floats(t, 2, full + 2);
    else if (r->mask == MASK_FLOAT_SPREAD)
        in->attn_mask = draw_floats(t, 4, spread);
    else if (r->mask == MASK_LOWEST)
        in->attn_mask = draw_lowest(t);
    else if (r->mask == MASK_BLOCKED_ROWS)
        in->attn_mask = draw_blocked_rows(t, SAC_BOOL);
    else if (r->mask == MASK_FLOAT_ROWS)
        in->attn_mask = draw_blocked_rows(t, SAC_F32);
}

static void draw_sinks(trial *t)
{
    size_t heads = (size_t)t->recipe.spec.heads;
    sac_array *sinks = (sac_array *)(t->input.sinks = draw(t, 1, &heads, 2, 0));
    if (heads > 2)
        ((float *)sinks->data)[heads - 1] = -INFINITY;
}

static void draw_score(trial *t)
{
    const recipe *r = &t->recipe;
    sac_attention_input *in = &t->input;
    double q = 1 / sqrt((double)r->query_dim), k = 1 / sqrt((double)r->key_dim);
    if (t->spec.score == SAC_SCORE_ADDITIVE) {
        in->score_W_q = draw(t, 2, (size_t[]){r->hidden, r->query_dim}, q, 0);
        in->score_W_k = draw(t, 2, (size_t[]){r->hidden, r->key_dim}, k, 0);
        in->score_w_v = draw(t, 1, &r->hidden, 1, 0);
    } else if (t->spec.score == SAC_SCORE_BILINEAR) {
        in->score_W_qk = draw(t, 2, (size_t[]){r->query_dim, r->key_dim}, sqrt(q * k), 0);
    }
}

static void draw_projections(trial *t)
{
    const recipe *r = &t->recipe;
    sac_attention_input *in = &t->input;
    size_t heads = (size_t)r->spec.heads;
    size_t shared = r->spec.key_heads ? (size_t)r->spec.key_heads : heads;
    size_t q = heads * r->query_dim, k = shared * r->key_dim, v = shared * r->value_dim;
    draw_linear(t, q, q, &in->q_proj_weight, &in->q_proj_bias);
    draw_linear(t, k, k, &in->k_proj_weight, &in->k_proj_bias);
    draw_linear(t, v, v, &in->v_proj_weight, &in->v_proj_bias);
    draw_linear(t, q, heads * r->value_dim, &in->out_proj_weight, &in->out_proj_bias);
}

static size_t or_else(size_t size, size_t usual)
{
    return size ? size : usual;
}

static recipe fill_in(const recipe *r)
{
    recipe full = *r;
    full.spec.heads = r->spec.heads ? r->spec.heads : 1;
    full.batch = or_else(r->batch, 1);
    full.queries = or_else(r->queries, 5);
    full.keys = or_else(r->keys, 7);
    full.query_dim = or_else(r->query_dim, 4);
    full.key_dim = or_else(r->key_dim, full.query_dim);
    full.value_dim = or_else(r->value_dim, full.query_dim);
    full.hidden = or_else(r->hidden, 6);
    full.rank = r->rank ? r->rank : 3;
    full.spread = r->spread != 0 ? r->spread : 1;
    return full;
}

void trial_make(trial *t, const recipe *wanted, uint64_t seed)
{
    *t = (trial){.recipe = fill_in(wanted), .random = seed};
    const recipe *r = &t->recipe;
    t->spec = r->spec;
    size_t key_heads = (size_t)(r->spec.key_heads ? r->spec.key_heads : r->spec.heads);
    t->input.query =
        draw_vectors(t, (size_t)r->spec.heads, r->queries, r->query_dim, r->spread, r->offset);
    t->input.key = draw_vectors(t, key_heads, r->keys, r->key_dim, r->spread, r->offset);
    if (r->twins != 0)
        pair_keys(t);
    if (!r->no_value)
        t->input.value = draw_vectors(t, key_heads, r->keys, r->value_dim, 1, 0);
    draw_score(t);
    draw_masks(t);
    if (r->sinks)
        draw_sinks(t);
    if (r->project)
        draw_projections(t);
    if (r->norm) {
        size_t features = t->input.query->shape[r->rank - 1];
        t->input.norm_weight = draw(t, 1, &features, 0.1, 1);
        t->input.norm_bias = draw(t, 1, &features, 0.1, 0);
    }
    OK(sac_attention_resolve(&t->spec, &t->input, &t->shape, &failure));
}

void trial_free(trial *t)
{
    for (int i = 0; i < t->count; i++)
        sac_array_free(&t->arrays[i]);
    *t = (trial){0};
}

const char *trial_text(const trial *t)
{
    static char text[512];
    const recipe *r = &t->recipe;
    snprintf(
        text, sizeof text,
        "%s, %s, %s split, rank %d, B %zu, H %d, Hk %d, window %zu, Tq %zu, Tk %zu, dq %zu, dk "
        "%zu, dv %zu, h %zu, "
        "mask %d, alignment %s, softcap %g, dropout %g, scale %g, bandwidth %g, spread "
        "%g, offset %g%s%s%s",
        sac_normalizer_name(r->spec.normalizer), sac_score_name(r->spec.score),
        r->spec.split ? "view" : "transpose", r->rank, r->batch, r->spec.heads, r->spec.key_heads,
        r->spec.window, r->queries, r->keys, r->query_dim, r->key_dim, r->value_dim, r->hidden,
        (int)r->mask, sac_alignment_name(r->spec.alignment), (double)r->spec.softcap,
        (double)r->spec.dropout, r->spec.use_scale ? (double)r->spec.scale : NAN,
        (double)r->spec.bandwidth, r->spread, r->offset, r->project ? ", projected" : "",
        r->norm ? ", normed" : "", r->sinks ? ", sinks" : "");
    return text;
}

/* ---------------------------------------------------------------- computing it */

void results_free(results *r)
{
    free(r->output);
    free(r->lse);
    free(r->weights);
    *r = (results){0};
}

static void count_results(const sac_attention_shape *s, results *r)
{
    *r = (results){.rows = s->batch * s->heads * s->queries};
    r->cells = r->rows * s->keys;
    r->outputs = s->output_rank ? 1 : 0;
    for (int i = 0; i < s->output_rank; i++)
        r->outputs *= s->output_shape[i];
}

static double *doubles(size_t count)
{
    double *data = malloc((count ? count : 1) * sizeof *data);
    assert_non_null(data);
    return data;
}

void compute_reference(const trial *t, results *r)
{
    count_results(&t->shape, r);
    r->lse = doubles(r->rows);
    r->weights = doubles(r->cells);
    r->output = r->outputs ? doubles(r->outputs) : NULL;
    if (sac_attention_reference(&t->spec, &t->input, r->output, r->lse, r->weights, &failure))
        fail_msg("%s: %s", failure.where, failure.what);
}

enum { GUARD = 64 };
#define SENTINEL 123456.789f

/* Room for `count` floats, with sentinels before, in and after. */
static float *guarded(size_t count)
{
    float *data = malloc((count + 2 * GUARD) * sizeof *data);
    assert_non_null(data);
    for (size_t i = 0; i < count + 2 * GUARD; i++)
        data[i] = SENTINEL;
    return data + GUARD;
}

/* Frees what `guarded` gave; its content as float64. */
static double *unguard(float *data, size_t count)
{
    double *copy = doubles(count);
    for (size_t i = 0; i < GUARD; i++)
        if (data[-1 - (ptrdiff_t)i] != SENTINEL || data[count + i] != SENTINEL)
            fail_msg("a number beside the %zu of a result was overwritten", count);
    for (size_t i = 0; i < count; i++)
        copy[i] = data[i];
    free(data - GUARD);
    return copy;
}

sac_status compute_tiled(sac_device *on, sac_variant variant, const sac_tiling *tiling,
                         const trial *t, bool with_weights, results *r, sac_error *error)
{
    count_results(&t->shape, r);
    sac_attention_spec spec = t->spec;
    spec.variant = variant;
    sac_attention *attention = NULL;
    sac_status status = sac_attention_create_tiled(on, &spec, &t->input, tiling, &attention, error);
    if (status == SAC_OK) {
        sac_attention_output output = {.lse = guarded(r->rows)};
        output.output = r->outputs ? guarded(r->outputs) : NULL;
        output.weights = with_weights ? guarded(r->cells) : NULL;
        status = sac_attention_run(attention, &output, NULL, error);
        r->lse = unguard(output.lse, r->rows);
        r->output = output.output ? unguard(output.output, r->outputs) : NULL;
        r->weights = output.weights ? unguard(output.weights, r->cells) : NULL;
    }
    sac_attention_destroy(attention);
    return status;
}

sac_status compute_device(sac_device *on, sac_variant variant, const trial *t, bool with_weights,
                          results *r, sac_error *error)
{
    return compute_tiled(on, variant, NULL, t, with_weights, r, error);
}

/* ---------------------------------------------------------------- errors */

double relative_error(const double *a, const double *reference, size_t count)
{
    double difference = 0, norm = 0;
    for (size_t i = 0; i < count; i++) {
        if (isinf(reference[i]) || isinf(a[i])) {
            if (a[i] != reference[i])
                return INFINITY;
            continue;
        }
        if (isnan(a[i]))
            return INFINITY;
        difference += (a[i] - reference[i]) * (a[i] - reference[i]);
        norm += reference[i] * reference[i];
    }
    if (norm == 0)
        return difference == 0 ? 0 : INFINITY;
    return sqrt(difference / norm);
}

void yardstick_make(yardstick *y, const trial *t)
{
    *y = (yardstick){.trial = t};
    compute_reference(t, &y->reference);
}

void yardstick_free(yardstick *y)
{
    results_free(&y->reference);
    results_free(&y->naive);
}

/* `naive` may be NULL. */
static double excess_of(const double *a, const double *reference, const double *naive, size_t count)
{
    if (!a)
        return 0;
    double bound = naive ? 2 * relative_error(naive, reference, count) : 0;
    return relative_error(a, reference, count) / (bound > 2e-6 && isfinite(bound) ? bound : 2e-6);
}

static double largest_excess(const results *device, const yardstick *y)
{
    const results *reference = &y->reference, *naive = &y->naive;
    double output = excess_of(device->output, reference->output, naive->output, device->outputs);
    double lse = excess_of(device->lse, reference->lse, naive->lse, device->rows);
    double weights = excess_of(device->weights, reference->weights, naive->weights, device->cells);
    return fmax(output, fmax(lse, weights));
}

double excess(const results *device, yardstick *y)
{
    double found = largest_excess(device, y);
    if (found <= 1 || y->naive.weights)
        return found;
    compute_naive(y->trial, &y->naive);
    return largest_excess(device, y);
}

/* ---------------------------------------------------------------- devices */

static sac_device *device;

sac_device *test_device(void)
{
    char line[1200];
    if (!device && sac_device_open(NULL, &device, &failure) != SAC_OK)
        fail_msg("%s", sac_error_line(&failure, line, sizeof line));
    return device;
}

/* It simulates every access: a hundred times slower than the rest. */
bool is_oclgrind(void)
{
    return strcasestr(sac_device_get_info(test_device())->platform, "oclgrind") != NULL;
}

double matrix_bound(sac_storage storage)
{
    bool is_matrix = sac_device_get_info(test_device())->matrix != SAC_MATRIX_NONE;
    return storage == SAC_STORAGE_F16 && is_matrix ? 5e-4 : 0;
}

/* The one driver that is known to compute some variants wrong, and one that is slow. */
static bool is_llvmpipe(void)
{
    return strcasestr(sac_device_get_info(test_device())->name, "llvmpipe") != NULL;
}

bool device_is_slow(void)
{
    return is_oclgrind() || is_llvmpipe();
}

int close_device(void **state)
{
    (void)state;
    sac_device_close(device);
    device = NULL;
    return 0;
}

/* The verdict of the self-test of this or of an earlier program, for all forms of score. */
static sac_verdict recall(const char *variant)
{
    static const char *const forms[] = {"dot", "gaussian", "additive"};
    char name[32];
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        snprintf(name, sizeof name, "%s-%s", variant, forms[i]);
        sac_verdict verdict = sac_verdict_recall(test_device(), name);
        if (verdict != SAC_PASSED)
            return verdict;
    }
    return SAC_PASSED;
}

static void run_selftest(void)
{
    sac_selftest_result *tests;
    size_t count;
    sac_verdict verdict;
    OK(sac_selftest_run(test_device(), &tests, &count, &verdict, NULL, &failure));
    free(tests);
}

/* The self-test's verdicts on them, which the whole of it has found once. */
static size_t find_all_variants(sac_variant *variants)
{
    bool is_cpu = sac_device_get_info(test_device())->is_cpu;
    bool ask = !is_oclgrind(); /* its self-test takes minutes, and these trials show more */
    size_t found = 0;
    if (ask && recall(sac_variant_name(SAC_VARIANT_NAIVE)) == SAC_UNTESTED)
        run_selftest();
    for (int v = is_cpu ? SAC_VARIANT_CPU : SAC_VARIANT_GPU; v <= SAC_VARIANT_NAIVE; v++)
        if (!ask || recall(sac_variant_name((sac_variant)v)) == SAC_PASSED)
            variants[found++] = (sac_variant)v;
        else if (!is_llvmpipe())
            fail_msg("the %s kernels fail the self-test", sac_variant_name((sac_variant)v));
    return found;
}

/* Those that programs use on a CPU, where the self-test chooses the first of them. */
static size_t find_cpu_variants(sac_variant *variants)
{
    sac_score forms[SAC_SCORE_COUNT];
    size_t count = sac_score_forms(forms);
    for (size_t i = 0; i < count; i++) {
        sac_variant chosen;
        sac_error error = {0};
        sac_status status =
            sac_variant_choose(test_device(), forms[i], false, SAC_NORMALIZER_SOFTMAX,
                               SAC_STORAGE_F32, &chosen, &error);
        if (status != SAC_OK || chosen != SAC_VARIANT_CPU)
            fail_msg("the cpu kernels fail the self-test: %s: %s", error.where, error.what);
    }
    variants[0] = SAC_VARIANT_CPU;
    variants[1] = SAC_VARIANT_NAIVE;
    return 2;
}

const sac_variant *test_variants(int *count)
{
    static sac_variant variants[1 + SAC_VARIANT_COUNT] = {SAC_VARIANT_AUTO};
    static size_t found;
    bool is_cpu = sac_device_get_info(test_device())->is_cpu;
    if (found == 0)
        found = is_cpu && !test_is_full() ? find_cpu_variants(variants + 1)
                                          : find_all_variants(variants + 1);
    /* Automatic is one of the others: slow devices do it no second time. */
    *count = (int)(device_is_slow() ? found : found + 1);
    return device_is_slow() ? variants + 1 : variants;
}

static int variant_failures(yardstick *held, sac_variant variant, const sac_tiling *tiling)
{
    const trial *t = held->trial;
    const results *reference = &held->reference, *naive = &held->naive;
    results found = {0};
    char line[1200];
    int failures = 0;
    if (compute_tiled(test_device(), variant, tiling, t, true, &found, &failure) != SAC_OK) {
        print_error("%s: %s: %s\n", sac_variant_name(variant), trial_text(t),
                    sac_error_line(&failure, line, sizeof line));
        failures = 1;
    } else if (!(excess(&found, held) <= 1)) {
        print_error("%s: %s: output %.2g (naive %.2g), lse %.2g (%.2g), weights %.2g (%.2g)\n",
                    sac_variant_name(variant), trial_text(t),
                    relative_error(found.output, reference->output, found.outputs),
                    relative_error(naive->output, reference->output, found.outputs),
                    relative_error(found.lse, reference->lse, found.rows),
                    relative_error(naive->lse, reference->lse, found.rows),
                    relative_error(found.weights, reference->weights, found.cells),
                    relative_error(naive->weights, reference->weights, found.cells));
        failures = 1;
    }
    results_free(&found);
    return failures;
}

int trial_failures(const trial *t)
{
    yardstick held;
    int count, failures = 0;
    const sac_variant *variants = test_variants(&count);
    yardstick_make(&held, t);
    for (int v = 0; v < count; v++)
        failures += variant_failures(&held, variants[v], NULL);
    yardstick_free(&held);
    return failures;
}

int tiled_failures(const trial *t, sac_variant variant, const sac_tiling *tiling)
{
    yardstick held;
    yardstick_make(&held, t);
    int failures = variant_failures(&held, variant, tiling);
    yardstick_free(&held);
    return failures;
}

int recipe_failures(const recipe *wanted, uint64_t seed)
{
    trial t;
    trial_make(&t, wanted, seed);
    int failures = trial_failures(&t);
    trial_free(&t);
    return failures;
}
