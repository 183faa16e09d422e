/* The table of cases, and their operations and bytes. */

#include "cli/bench/bench_case.h"

#include "base/random/random.h"

#define DOT SAC_SCORE_SCALED_DOT

/* Name, score, heads, tokens, keys, dim; and what sets a case apart. */
const bench_case bench_cases[] = {
    {"128", DOT, 8, 128, 128, 64},
    {"512", DOT, 8, 512, 512, 64},
    {"1000", DOT, 8, 1000, 1000, 64},
    {"1024", DOT, 8, 1024, 1024, 64},
    {"2048", DOT, 8, 2048, 2048, 64},
    {"4096", DOT, 8, 4096, 4096, 64},
    {"8192", DOT, 8, 8192, 8192, 64},
    {"16384", DOT, 8, 16384, 16384, 64},
    {"65536", DOT, 1, 65536, 65536, 64, .is_long = true},
    {"2048-d32", DOT, 8, 2048, 2048, 32},
    {"1000-d80", DOT, 8, 1000, 1000, 80},
    {"2048-d80", DOT, 8, 2048, 2048, 80},
    {"2048-d128", DOT, 8, 2048, 2048, 128},
    {"4096-d128", DOT, 8, 4096, 4096, 128},
    {"512-bfloat16", DOT, 8, 512, 512, 64, .storage = SAC_STORAGE_BF16},
    {"2048-bfloat16", DOT, 8, 2048, 2048, 64, .storage = SAC_STORAGE_BF16},
    {"4096-bfloat16", DOT, 8, 4096, 4096, 64, .storage = SAC_STORAGE_BF16},
    {"4096-d128-bfloat16", DOT, 8, 4096, 4096, 128, .storage = SAC_STORAGE_BF16},
    {"4096-causal-bfloat16", DOT, 8, 4096, 4096, 64, BENCH_CAUSAL, .storage = SAC_STORAGE_BF16},
    {"1024-float16", DOT, 8, 1024, 1024, 64, .storage = SAC_STORAGE_F16, .for_gpus = true},
    {"4096-float16", DOT, 8, 4096, 4096, 64, .storage = SAC_STORAGE_F16, .for_gpus = true},
    {"16384-float16", DOT, 8, 16384, 16384, 64, .storage = SAC_STORAGE_F16, .for_gpus = true},
    {"4096-d128-float16", DOT, 8, 4096, 4096, 128, .storage = SAC_STORAGE_F16, .for_gpus = true},
    {"4096-causal-float16", DOT, 8, 4096, 4096, 64, BENCH_CAUSAL, .storage = SAC_STORAGE_F16,
     .for_gpus = true},
    {"1000-causal", DOT, 8, 1000, 1000, 64, .mask = BENCH_CAUSAL},
    {"4096-causal", DOT, 8, 4096, 4096, 64, .mask = BENCH_CAUSAL},
    {"2048-d128-causal", DOT, 8, 2048, 2048, 128, .mask = BENCH_CAUSAL},
    {"2048-padding", DOT, 8, 2048, 2048, 64, .mask = BENCH_PADDING},
    {"query", DOT, 8, 1, 16384, 64},
    {"tile", DOT, 1, 65536, 65536, 64, .tile = 512, .rows_known = true},
    {"tile-new", DOT, 1, 65536, 65536, 64, .tile = 512},
    {"additive", SAC_SCORE_ADDITIVE, 1, 1024, 1024, 64},
    {"gaussian", SAC_SCORE_GAUSSIAN, 8, 2048, 2048, 64},
    {"1024-backward", DOT, 8, 1024, 1024, 64, .backward = true},
    {"4096-backward", DOT, 8, 4096, 4096, 64, .backward = true},
    {"d128-backward", DOT, 8, 2048, 2048, 128, .backward = true},
    {"causal-backward", DOT, 8, 4096, 4096, 64, .mask = BENCH_CAUSAL, .backward = true},
};
const size_t bench_case_count = sizeof bench_cases / sizeof *bench_cases;

const char *bench_mask_name(bench_mask mask)
{
    static const char *const names[] = {"none", "causal", "padding"};
    return names[mask];
}

double bench_operations(const bench_case *which)
{
    double keys = (double)which->keys, dim = (double)which->dim, tile = (double)which->tile;
    if (which->tile)
        return 2 * tile * ((which->rows_known ? 0 : keys) + tile) * dim;
    double all =
        (which->backward ? 14 : 4) * (double)which->heads * (double)which->tokens * keys * dim;
    return which->mask == BENCH_CAUSAL ? all / 2 : all;
}

bool bench_is_memory_bound(const bench_case *which)
{
    return which->tokens == 1;
}

double bench_io_bytes(const bench_case *which)
{
    size_t tokens = which->tokens, keys = which->keys;
    size_t rows = which->tile       ? tokens + keys
                  : which->backward ? 3 * tokens + 4 * keys /* dO and dQ, too, dK and dV */
                                    : 2 * (tokens + keys);
    return (double)(which->heads * rows * which->dim + which->tile * which->tile) * sizeof(float);
}

/* Uniform, of mean 0 and variance 1. */
static sac_status random_array(int rank, const size_t *shape, unsigned seed, sac_array *array,
                               sac_error *error)
{
    sac_status status = sac_array_create(SAC_F32, rank, shape, array, error);
    float *data = array->data;
    for (size_t i = 0; status == SAC_OK && i < sac_array_count(array); i++)
        data[i] = (sac_philox_uniform((uint32_t)i, 0, seed) - 0.5f) * 3.4641016f;
    return status;
}

sac_status bench_arrays_make(const bench_case *which, bench_arrays *arrays, sac_error *error)
{
    size_t query[] = {1, which->heads, which->tokens, which->dim};
    size_t key[] = {1, which->heads, which->keys, which->dim}, weight[] = {which->dim, which->dim};
    sac_status status = random_array(4, query, 1, &arrays->query, error);
    if (status == SAC_OK)
        status = random_array(4, key, 2, &arrays->key, error);
    if (status == SAC_OK && !which->tile)
        status = random_array(4, key, 3, &arrays->value, error);
    if (status == SAC_OK && which->mask == BENCH_PADDING) {
        /* The last eighth of the keys is padding. */
        size_t shape[] = {1, which->keys};
        status = sac_array_create(SAC_BOOL, 2, shape, &arrays->padding, error);
        for (size_t i = 0; status == SAC_OK && i < which->keys; i++)
            ((uint8_t *)arrays->padding.data)[i] = i >= which->keys / 8 * 7;
    }
    if (status == SAC_OK && which->backward)
        status = random_array(4, query, 7, &arrays->doutput, error);
    if (which->score != SAC_SCORE_ADDITIVE || status != SAC_OK)
        return status;
    status = random_array(2, weight, 4, &arrays->W_q, error);
    if (status == SAC_OK)
        status = random_array(2, weight, 5, &arrays->W_k, error);
    return status == SAC_OK ? random_array(1, weight, 6, &arrays->w_v, error) : status;
}

void bench_arrays_free(bench_arrays *arrays)
{
    sac_array *const all[] = {&arrays->query, &arrays->key, &arrays->value, &arrays->padding,
                              &arrays->W_q,   &arrays->W_k, &arrays->w_v,   &arrays->doutput};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sac_array_free(all[i]);
}
