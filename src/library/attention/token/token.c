/* Attention of a token: its launch, and its self-test. */
#include "attention/token/token.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/random/random.h"
#include "base/round.h"
#include "device/trace.h"
#include "gemm/launch.h"

enum { MOST_VECTORS = 16, FEW_KEYS = 1024 };

sac_token_numbers sac_token_numbers_of(const sac_token_attention *t)
{
    return (sac_token_numbers){.heads = (cl_uint)t->heads,
                               .key_heads = (cl_uint)t->key_heads,
                               .keys = (cl_uint)t->keys,
                               .first = (cl_uint)t->first,
                               .half_turned = (cl_uint)t->turned / 2,
                               .scale = t->scale * (float)M_LOG2E};
}

size_t sac_token_scores(const sac_device *device, const sac_token_attention *t)
{
    return sac_round_up(t->keys - t->first, device->profile.vector_width) * sizeof(float);
}

sac_status sac_token_attention_run(sac_device *device, const sac_token_attention *t,
                                   sac_error *error)
{
    char options[64];
    cl_kernel kernel;
    unsigned width = device->profile.vector_width;
    const sac_token_numbers numbers = sac_token_numbers_of(t);
    sac_span table = t->turned ? t->table : t->key;
    size_t seen = t->keys - t->first, one = 1;
    sac_arg args[] = {SAC_ARG(numbers),         SAC_SPAN_ARGS(t->query),
                      SAC_SPAN_ARGS(t->key),    SAC_SPAN_ARGS(t->keys_before),
                      SAC_SPAN_ARGS(t->values), SAC_SPAN_ARGS(table),
                      SAC_SPAN_ARGS(t->output), {sac_token_scores(device, t), NULL}};
    snprintf(options, sizeof options, "-DWIDTH=%u -DFAST_FMA=%d -DVECTORS=%u", width,
             device->info.has_fma, (unsigned)t->depth / width);
    sac_trace_work(device, SAC_WORK_ATTENTION, 4.0 * (double)(t->heads * seen * t->depth),
                   2.0 * sizeof(float) * (double)(t->key_heads * seen * t->depth));
    sac_status status =
        sac_kernel_get(device, "attend_token", options, "attend_token", &kernel, error);
    return status == SAC_OK ? sac_kernel_launch(device, kernel, args, sizeof args / sizeof *args, 1,
                                                &t->heads, &one, error)
                            : status;
}

/* ---------------------------------------------------------------- self-test */

#define BOUND 1e-5

/* Shared heads, a window, and turns of a part of a head; one key alone; many. */
static const sac_token_attention cases[] = {
    {.heads = 6, .key_heads = 2, .keys = 37, .scale = 0.2f, .turned = 8},
    {.heads = 1, .key_heads = 1, .keys = 1, .scale = 1.0f},
    {.heads = 2, .key_heads = 2, .keys = 201, .first = 5, .scale = 0.3f, .turned = 4},
};
enum { CASES = sizeof cases / sizeof *cases, SPANS = 6 };

/* On the host, one after the other: query, key, keys before, values, table, output. */
typedef struct token_data {
    size_t at[SPANS + 1];
    float *x;
} token_data;

static double turned(const sac_token_attention *t, const float *x, const float *table, size_t i)
{
    size_t half = t->turned / 2;
    if (i >= t->turned)
        return x[i];
    double cosine = table[i % half], sine = table[half + i % half];
    return i < half ? x[i] * cosine - x[i + half] * sine : x[i] * cosine + x[i - half] * sine;
}

/* The weights of a head's keys, not normalised; returns their sum. */
static double weigh(const sac_token_attention *t, const token_data *d, size_t head, double *weights)
{
    const float *q = d->x + d->at[0] + head * t->depth, *table = d->x + d->at[4];
    size_t of = head / (t->heads / t->key_heads) * t->depth, row = t->key_heads * t->depth;
    double sum = 0;
    for (size_t j = t->first; j < t->keys; j++) {
        bool own = j + 1 == t->keys;
        const float *k = own ? d->x + d->at[1] + of : d->x + d->at[2] + j * row + of;
        double score = 0;
        for (size_t i = 0; i < t->depth; i++)
            score += turned(t, q, table, i) * (own ? turned(t, k, table, i) : k[i]);
        sum += weights[j] = exp(t->scale * score);
    }
    return sum;
}

/* ‖given − y‖ / ‖y‖. */
static double compare(const sac_token_attention *t, const token_data *d, const float *given)
{
    double off = 0, all = 0, *weights = malloc(t->keys * sizeof *weights);
    for (size_t n = 0; weights && n < t->heads * t->depth; n++) {
        size_t head = n / t->depth, of = head / (t->heads / t->key_heads) * t->depth;
        double sum = weigh(t, d, head, weights), y = 0;
        for (size_t j = t->first; j < t->keys; j++)
            y +=
                weights[j] / sum * d->x[d->at[3] + j * t->key_heads * t->depth + of + n % t->depth];
        off += (given[n] - y) * (given[n] - y);
        all += y * y;
    }
    free(weights);
    return weights && isfinite(off) ? sqrt(off / all) : INFINITY;
}

static double case_error(sac_device *device, const sac_tested *tested, size_t index,
                         sac_error *error)
{
    sac_token_attention t = cases[index];
    token_data d = {0};
    t.depth = *(const size_t *)tested->what;
    size_t own = t.heads * t.depth, row = t.key_heads * t.depth;
    const size_t counts[SPANS] = {own, row, t.keys * row, t.keys * row, t.turned + 1, own};
    sac_span *const spans[SPANS] = {&t.query,  &t.key,   &t.keys_before,
                                    &t.values, &t.table, &t.output};
    for (int i = 0; i < SPANS; i++)
        d.at[i + 1] = d.at[i] + counts[i];
    d.x = malloc((d.at[SPANS] + own) * sizeof *d.x);
    sac_status status = d.x ? SAC_OK : sac_no_memory(error, "self-test");
    for (size_t i = 0; d.x && i < d.at[SPANS]; i++)
        d.x[i] = sac_philox_uniform((uint32_t)i, 0, 6) - 0.5f;
    for (int i = 0; i < SPANS && status == SAC_OK; i++)
        status = sac_span_create(device, counts[i], d.x + d.at[i], spans[i], error);
    if (status == SAC_OK)
        status = sac_token_attention_run(device, &t, error);
    float *given = d.x + d.at[SPANS];
    if (status == SAC_OK)
        status = sac_span_read(device, t.output, own, given, error);
    double off = status == SAC_OK ? compare(&t, &d, given) : -1;
    for (int i = 0; i < SPANS; i++)
        sac_span_release(spans[i]);
    free(d.x);
    return off;
}

bool sac_token_attention_tested(sac_device *device, const size_t *depth, sac_tested *tested)
{
    unsigned width = device->profile.vector_width;
    size_t limit = 0;
    if (!device->profile.is_cpu || width < 4 || *depth % width || *depth < 8 ||
        *depth > (size_t)MOST_VECTORS * width ||
        sac_quirk_loop_limit(device, &limit, NULL) != SAC_OK || limit)
        return false;
    *tested = (sac_tested){.cases = CASES, .bound = BOUND, .run = case_error, .what = depth};
    snprintf(tested->name, sizeof tested->name, "token-%zu", *depth);
    snprintf(tested->subject, sizeof tested->subject, "the attention of a token");
    return true;
}

bool sac_token_attention_takes(sac_device *device, const sac_token_attention *t)
{
    sac_tested tested;
    if (t->heads < device->info.compute_units && t->keys > FEW_KEYS)
        return false; /* others take it in pieces, one for each unit */
    return sac_token_attention_tested(device, &t->depth, &tested) &&
           sac_token_scores(device, t) <= device->info.local_bytes &&
           sac_tested_passes(device, &tested);
}
