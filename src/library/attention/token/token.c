/* A layer of a token: its launch, and its self-test. */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention/token/token.h"
#include "base/error.h"
#include "base/random/random.h"
#include "base/round.h"
#include "device/trace.h"
#include "gemm/gemm_selftest.h"
#include "gemm/launch.h"
#include "gemm/storage.h"

/* ---------------------------------------------------------------- attention of one query */

enum { MOST_VECTORS = 16, FEW_KEYS = 1024 };

static sac_token_numbers attention_arguments(const sac_token_attention *t)
{
    return (sac_token_numbers){.heads = (cl_uint)t->heads,
                               .key_heads = (cl_uint)t->key_heads,
                               .keys = (cl_uint)t->keys,
                               .first = (cl_uint)t->first,
                               .half_turned = (cl_uint)t->turned / 2,
                               .scale = t->scale * (float)M_LOG2E};
}

/* Bytes of local memory that a head takes. */
static size_t local_score_bytes(const sac_device *device, const sac_token_attention *t)
{
    return sac_round_up(t->keys - t->first, device->profile.vector_width) * sizeof(float);
}

sac_status sac_token_attention_run(sac_device *device, const sac_token_attention *t,
                                   sac_error *error)
{
    char options[64];
    cl_kernel kernel;
    unsigned width = device->profile.vector_width;
    const sac_token_numbers numbers = attention_arguments(t);
    sac_span table = t->turned ? t->table : t->key;
    size_t seen = t->keys - t->first, one = 1;
    sac_arg args[] = {SAC_ARG(numbers),         SAC_SPAN_ARGS(t->query),
                      SAC_SPAN_ARGS(t->key),    SAC_SPAN_ARGS(t->keys_before),
                      SAC_SPAN_ARGS(t->values), SAC_SPAN_ARGS(table),
                      SAC_SPAN_ARGS(t->output), {local_score_bytes(device, t), NULL}};
    snprintf(options, sizeof options, "-DWIDTH=%u -DFAST_FMA=%d -DVECTORS=%u", width,
             device->info.has_fma, (unsigned)t->depth / width);
    sac_trace_add_work(device, SAC_WORK_ATTENTION, 4.0 * (double)(t->heads * seen * t->depth),
                       2.0 * sizeof(float) * (double)(t->key_heads * seen * t->depth));
    sac_status status =
        sac_kernel_get(device, "attend_token", options, "attend_token", &kernel, error);
    return status == SAC_OK ? sac_kernel_launch(device, kernel, args, sizeof args / sizeof *args, 1,
                                                &t->heads, &one, error)
                            : status;
}

/* ---------------------------------------------------------------- self-test */

#define ATTENTION_BOUND 1e-5

/* Shared heads, a window, and turns of a part of a head; one key alone; many. */
static const sac_token_attention cases[] = {
    {.heads = 6, .key_heads = 2, .keys = 37, .scale = 0.2f, .turned = 8},
    {.heads = 1, .key_heads = 1, .keys = 1, .scale = 1.0f},
    {.heads = 2, .key_heads = 2, .keys = 201, .first = 5, .scale = 0.3f, .turned = 4},
};
enum { ATTENTION_CASES = sizeof cases / sizeof *cases, SPANS = 6 };

/* On the host, one after the other: query, key, keys before, values, table, output. */
typedef struct token_data {
    size_t at[SPANS + 1];
    float *x;
} token_data;

static double rotated_number(const sac_token_attention *t, const float *x, const float *table,
                             size_t i)
{
    size_t half = t->turned / 2;
    if (i >= t->turned)
        return x[i];
    double cosine = table[i % half], sine = table[half + i % half];
    return i < half ? x[i] * cosine - x[i + half] * sine : x[i] * cosine + x[i - half] * sine;
}

/* The weights of a head's keys, not normalised; returns their sum. */
static double compute_key_weights(const sac_token_attention *t, const token_data *d, size_t head,
                                  double *weights)
{
    const float *q = d->x + d->at[0] + head * t->depth, *table = d->x + d->at[4];
    size_t of = head / (t->heads / t->key_heads) * t->depth, row = t->key_heads * t->depth;
    double sum = 0;
    for (size_t j = t->first; j < t->keys; j++) {
        bool own = j + 1 == t->keys;
        const float *k = own ? d->x + d->at[1] + of : d->x + d->at[2] + j * row + of;
        double score = 0;
        for (size_t i = 0; i < t->depth; i++)
            score += rotated_number(t, q, table, i) * (own ? rotated_number(t, k, table, i) : k[i]);
        sum += weights[j] = exp(t->scale * score);
    }
    return sum;
}

/* ‖given − y‖ / ‖y‖. */
static double attention_error(const sac_token_attention *t, const token_data *d, const float *given)
{
    double off = 0, all = 0, *weights = malloc(t->keys * sizeof *weights);
    for (size_t n = 0; weights && n < t->heads * t->depth; n++) {
        size_t head = n / t->depth, of = head / (t->heads / t->key_heads) * t->depth;
        double sum = compute_key_weights(t, d, head, weights), y = 0;
        for (size_t j = t->first; j < t->keys; j++)
            y +=
                weights[j] / sum * d->x[d->at[3] + j * t->key_heads * t->depth + of + n % t->depth];
        off += (given[n] - y) * (given[n] - y);
        all += y * y;
    }
    free(weights);
    return weights && isfinite(off) ? sqrt(off / all) : INFINITY;
}

static double attention_case_error(sac_device *device, const sac_tested *tested, size_t index,
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
    double off = status == SAC_OK ? attention_error(&t, &d, given) : -1;
    for (int i = 0; i < SPANS; i++)
        sac_span_release(spans[i]);
    free(d.x);
    return off;
}

bool sac_token_attention_fill_test(sac_device *device, const size_t *depth, sac_tested *tested)
{
    unsigned width = device->profile.vector_width;
    size_t limit = 0;
    if (!device->profile.is_cpu || width < 4 || *depth % width || *depth < 8 ||
        *depth > (size_t)MOST_VECTORS * width ||
        sac_quirk_loop_limit(device, &limit, NULL) != SAC_OK || limit)
        return false;
    *tested = (sac_tested){.cases = ATTENTION_CASES,
                           .bound = ATTENTION_BOUND,
                           .run = attention_case_error,
                           .what = depth};
    snprintf(tested->name, sizeof tested->name, "token-%zu", *depth);
    snprintf(tested->subject, sizeof tested->subject, "the attention of a token");
    return true;
}

bool sac_token_attention_takes(sac_device *device, const sac_token_attention *t)
{
    sac_tested tested;
    if (t->heads < device->info.compute_units && t->keys > FEW_KEYS)
        return false; /* others take it in pieces, one for each unit */
    return sac_token_attention_fill_test(device, &t->depth, &tested) &&
           local_score_bytes(device, t) <= device->info.local_bytes &&
           sac_tested_passes(device, &tested);
}

/* ---------------------------------------------------------------- a layer */

#define STAGES 5   /* as in cl/layers/token_layer.clh … */
#define COUNTER 16 /* … a counter and what keeps the next one apart */
/* Units of a product for each processor: enough that those which are not disturbed help others. */
#define UNITS_EACH 16
#define MOST_SHARES 64
/* PoCL gives the first thread half of all groups and one more: one is left for the others so. */
#define GROUPS_EACH 2

/* The twin of `token_layer` in cl/layers/token_layer.clh. */
typedef struct layer_numbers {
    sac_fused_numbers project, out, hidden, down;
    sac_token_numbers attention;
    cl_uint units[STAGES], shares;
} layer_numbers;

static sac_fused_numbers share_out_product(const sac_device *device, const sac_fused *j,
                                           cl_uint *units)
{
    sac_fused_numbers n = sac_fused_numbers_of(j);
    size_t share = sac_fused_steps(j) / (device->info.compute_units * UNITS_EACH);
    *units = (cl_uint)sac_fused_share_out(j, share > 0 ? share : 1, &n);
    return n;
}

static layer_numbers layer_arguments(const sac_device *device, const sac_token_layer *l)
{
    layer_numbers n = {.attention = attention_arguments(&l->attention)};
    n.shares = device->info.compute_units < MOST_SHARES ? device->info.compute_units : MOST_SHARES;
    n.project = share_out_product(device, &l->project, &n.units[0]);
    n.units[1] = (cl_uint)l->attention.heads;
    n.out = share_out_product(device, &l->out, &n.units[2]);
    n.hidden = share_out_product(device, &l->hidden, &n.units[3]);
    n.down = share_out_product(device, &l->down, &n.units[4]);
    return n;
}

static void trace_layer_work(sac_device *device, const sac_token_layer *l)
{
    const sac_fused *const products[] = {&l->project, &l->out, &l->hidden, &l->down};
    double numbers = 0;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < products[k]->count; i++)
            numbers += (double)products[k]->part[i].out * (double)products[k]->in;
    const sac_token_attention *t = &l->attention; /* is counted with the products */
    double seen = (double)(t->keys - t->first) * (double)t->depth;
    sac_trace_add_work(device, SAC_WORK_PRODUCTS, 2.0 * numbers + 4.0 * (double)t->heads * seen,
                       (double)sac_stored_bytes(l->project.stored, (size_t)numbers) +
                           2.0 * sizeof(float) * (double)t->key_heads * seen);
}

/* The counters of all stages and shares, which are 0. */
static sac_status create_counters(sac_device *device, sac_error *error)
{
    static const cl_uint none[(STAGES + 2 + STAGES * MOST_SHARES) * COUNTER];
    return device->counters
               ? SAC_OK
               : sac_buffer_create(device, sizeof none, none, &device->counters, error);
}

static const char *layer_kernel_source(const sac_device *device, const sac_token_layer *l,
                                       char options[160])
{
    const char *source = sac_fused_source(device, &l->project, options);
    unsigned width = device->profile.vector_width;
    size_t used = strlen(options);
    snprintf(options + used, 160 - used, " -DVECTORS=%u", (unsigned)l->attention.depth / width);
    return source;
}

static sac_span span_or_default(sac_span span, sac_span other)
{
    return span.buffer ? span : other;
}

sac_status sac_token_layer_run(sac_device *device, const sac_token_layer *l, sac_error *error)
{
    char options[160];
    cl_kernel kernel;
    const layer_numbers numbers = layer_arguments(device, l);
    const sac_fused *p = &l->project, *o = &l->out, *h = &l->hidden, *d = &l->down;
    const sac_token_attention *t = &l->attention;
    const int up = h->gated ? 1 : 0;
    /* What is not there is a span that is not read. */
    const sac_span none = p->x;
    const sac_span gain0 = span_or_default(p->gain, none), shift0 = span_or_default(p->shift, none),
                   gain1 = span_or_default(h->gain, none), shift1 = span_or_default(h->shift, none),
                   table = span_or_default(t->table, none);
    const sac_span bias[] = {
        span_or_default(p->part[0].bias, none), span_or_default(p->part[1].bias, none),
        span_or_default(p->part[2].bias, none), span_or_default(o->part[0].bias, none),
        span_or_default(h->part[0].bias, none), span_or_default(h->part[up].bias, none),
        span_or_default(d->part[0].bias, none)};
    const size_t wide = sac_larger(sac_larger(p->in, o->in), d->in);
    sac_status status = create_counters(device, error);
    sac_arg args[] = {
        SAC_ARG(numbers),
        SAC_SPAN_ARGS(p->x),
        SAC_SPAN_ARGS(gain0),
        SAC_SPAN_ARGS(shift0),
        SAC_SPAN_ARGS(p->part[0].weight),
        SAC_SPAN_ARGS(p->part[1].weight),
        SAC_SPAN_ARGS(p->part[2].weight),
        SAC_SPAN_ARGS(bias[0]),
        SAC_SPAN_ARGS(bias[1]),
        SAC_SPAN_ARGS(bias[2]),
        SAC_SPAN_ARGS(t->query),
        SAC_SPAN_ARGS(t->key),
        SAC_SPAN_ARGS(p->part[2].y),
        SAC_SPAN_ARGS(t->keys_before),
        SAC_SPAN_ARGS(t->values),
        SAC_SPAN_ARGS(table),
        SAC_SPAN_ARGS(t->output),
        SAC_SPAN_ARGS(o->part[0].weight),
        SAC_SPAN_ARGS(bias[3]),
        SAC_SPAN_ARGS(o->part[0].y),
        SAC_SPAN_ARGS(gain1),
        SAC_SPAN_ARGS(shift1),
        SAC_SPAN_ARGS(h->part[0].weight),
        SAC_SPAN_ARGS(h->part[up].weight),
        SAC_SPAN_ARGS(bias[4]),
        SAC_SPAN_ARGS(bias[5]),
        SAC_SPAN_ARGS(h->part[0].y),
        SAC_SPAN_ARGS(d->part[0].weight),
        SAC_SPAN_ARGS(bias[6]),
        SAC_SPAN_ARGS(d->part[0].y),
        SAC_ARG(device->counters),
        {sac_fused_row_bytes(device, p, wide), NULL},
        {local_score_bytes(device, t), NULL},
    };
    const size_t groups = device->info.compute_units * GROUPS_EACH, one = 1;
    trace_layer_work(device, l);
    const char *source = layer_kernel_source(device, l, options);
    if (status == SAC_OK)
        status = sac_kernel_get(device, source, options, "run_token_layer", &kernel, error);
    return status == SAC_OK ? sac_kernel_launch(device, kernel, args, sizeof args / sizeof *args, 1,
                                                &groups, &one, error)
                            : status;
}

/* ---------------------------------------------------------------- self-test */

#define BOUND 1e-6 /* off what its pieces give, which have self-tests of their own */

enum { CASES = 2, WIDTH = 256, HIDDEN = 1280, KEYS = 21, MOST_SPANS = 32 };

typedef struct trial {
    sac_device *device;
    sac_stored stored;
    sac_span made[MOST_SPANS];
    int count;
    sac_status status;
    sac_error *error;
} trial;

static sac_span track_span(trial *t, sac_span span)
{
    return t->made[t->count++] = span;
}

/* Free it; NULL, and the status is set, where there is no memory. */
static float *random_numbers(trial *t, size_t count)
{
    float *numbers = malloc(count * sizeof *numbers);
    for (size_t i = 0; numbers && i < count; i++)
        numbers[i] = sac_philox_uniform((uint32_t)i, (uint32_t)t->count, 7) - 0.5f;
    if (!numbers)
        t->status = sac_no_memory(t->error, "self-test");
    return numbers;
}

static sac_span make_floats(trial *t, size_t count)
{
    sac_span span = {0};
    float *numbers = random_numbers(t, count);
    if (t->status == SAC_OK)
        t->status = sac_span_create(t->device, count, numbers, &span, t->error);
    free(numbers);
    return track_span(t, span);
}

static sac_span make_weight(trial *t, size_t count)
{
    sac_span span = {0};
    size_t bytes = sac_stored_bytes(t->stored, count);
    if (t->stored == SAC_STORED_F32)
        return make_floats(t, count);
    float *numbers = random_numbers(t, count);
    uint8_t *stored = malloc(bytes);
    if (!stored)
        t->status = sac_no_memory(t->error, "self-test");
    if (t->status == SAC_OK) {
        sac_gemm_make_test_weight(t->stored, (uint32_t)t->count, count, numbers, stored);
        t->status = sac_buffer_create(t->device, bytes, stored, &span.buffer, t->error);
    }
    free(stored);
    free(numbers);
    return track_span(t, span);
}

static void make_part(trial *t, sac_fused *j, size_t out, bool biased)
{
    int i = j->count++;
    j->rows = 1;
    j->stored = t->stored;
    j->part[i].out = out;
    j->part[i].weight = make_weight(t, out * j->in);
    if (biased)
        j->part[i].bias = make_floats(t, out);
    j->part[i].y = make_floats(t, out);
}

static void make_norm(trial *t, sac_fused *j, sac_fused_norm norm)
{
    j->norm = norm;
    j->epsilon = 1e-5f;
    j->gain = make_floats(t, j->in);
    if (norm == SAC_JOINT_LAYER)
        j->shift = make_floats(t, j->in);
}

/* A layer as in LLaMA, with heads that share keys; or as in GPT-2. */
static sac_token_layer make_layer(trial *t, size_t depth, bool gated)
{
    size_t heads = 2;
    while (heads * depth % WIDTH)
        heads *= 2;
    size_t key_heads = gated ? heads / 2 : heads, row = key_heads * depth;
    sac_fused_norm norm = gated ? SAC_JOINT_RMS : SAC_JOINT_LAYER;
    sac_token_layer l = {.project = {.in = WIDTH},
                         .out = {.in = heads * depth},
                         .hidden = {.in = WIDTH, .gated = gated},
                         .down = {.in = HIDDEN}};
    l.project.x = make_floats(t, WIDTH);
    make_norm(t, &l.project, norm);
    make_part(t, &l.project, heads * depth, !gated);
    make_part(t, &l.project, row, !gated);
    make_part(t, &l.project, row, !gated);
    l.attention = (sac_token_attention){.heads = heads,
                                        .key_heads = key_heads,
                                        .depth = depth,
                                        .keys = KEYS,
                                        .scale = 0.2f,
                                        .turned = gated ? depth : 0,
                                        .query = l.project.part[0].y,
                                        .key = l.project.part[1].y,
                                        .keys_before = make_floats(t, KEYS * row),
                                        .values = make_floats(t, KEYS * row),
                                        .output = make_floats(t, heads * depth)};
    if (gated)
        l.attention.table = make_floats(t, depth);
    l.project.part[2].y = sac_span_from(l.attention.values, (KEYS - 1) * row);
    l.out.x = l.attention.output;
    make_part(t, &l.out, WIDTH, !gated);
    l.out.residual = l.project.x;
    l.hidden.x = l.out.part[0].y;
    l.hidden.activation = gated ? SAC_JOINT_SILU : SAC_JOINT_GELU_TANH;
    make_norm(t, &l.hidden, norm);
    make_part(t, &l.hidden, HIDDEN, !gated);
    if (gated)
        make_part(t, &l.hidden, HIDDEN, false);
    l.down.x = l.hidden.part[0].y;
    make_part(t, &l.down, WIDTH, !gated);
    l.down.residual = l.out.part[0].y;
    return l;
}

/* The layer by its pieces. */
static sac_status run_pieces(sac_device *device, const sac_token_layer *l, sac_error *error)
{
    const sac_fused *const behind[] = {&l->out, &l->hidden, &l->down};
    sac_status status = sac_fused_run(device, &l->project, error);
    if (status == SAC_OK)
        status = sac_token_attention_run(device, &l->attention, error);
    for (int i = 0; i < 3 && status == SAC_OK; i++)
        status = sac_fused_run(device, behind[i], error);
    return status;
}

/* What it gives, and what it writes behind the keys; and both are filled with zeros. */
static void read_and_clear_results(trial *t, const sac_token_layer *l, float y[WIDTH], float *key)
{
    size_t row = l->attention.key_heads * l->attention.depth;
    sac_span last = sac_span_from(l->attention.keys_before, (KEYS - 1) * row);
    if (t->status == SAC_OK)
        t->status = sac_span_read(t->device, l->down.part[0].y, WIDTH, y, t->error);
    if (t->status == SAC_OK)
        t->status = sac_span_read(t->device, last, row, key, t->error);
    if (t->status == SAC_OK)
        t->status = sac_span_fill(t->device, l->down.part[0].y, WIDTH, 0, t->error);
    if (t->status == SAC_OK)
        t->status = sac_span_fill(t->device, last, row, 0, t->error);
}

/* ‖given − expected‖ / ‖expected‖. */
static double output_relative_error(const float *given, const float *expected, size_t count)
{
    double off = 0, all = 0;
    for (size_t i = 0; i < count; i++) {
        off += pow((double)given[i] - expected[i], 2);
        all += pow(expected[i], 2);
    }
    return isfinite(off) && all > 0 ? sqrt(off / all) : INFINITY;
}

static double case_error(sac_device *device, const sac_tested *tested, size_t index,
                         sac_error *error)
{
    const sac_token_kind *k = tested->what;
    trial t = {.device = device, .stored = k->stored, .error = error};
    sac_token_layer l = make_layer(&t, k->depth, index == 0);
    size_t row = l.attention.key_heads * k->depth;
    float y[2][WIDTH], *key = calloc(2 * row, sizeof *key);
    if (!key)
        t.status = sac_no_memory(error, "self-test");
    for (int pieces = 0; pieces < 2 && t.status == SAC_OK; pieces++) {
        t.status = pieces ? run_pieces(device, &l, error) : sac_token_layer_run(device, &l, error);
        read_and_clear_results(&t, &l, y[pieces], key + (size_t)pieces * row);
    }
    double off = -1;
    if (t.status == SAC_OK)
        off = fmax(output_relative_error(y[0], y[1], WIDTH),
                   output_relative_error(key, key + row, row));
    for (int i = 0; i < t.count; i++)
        sac_span_release(&t.made[i]);
    free(key);
    return off;
}

static bool is_single_row_product(sac_device *device, const sac_fused *j, sac_stored stored)
{
    return j->stored == stored && j->rows == 1 && sac_fused_takes(device, j);
}

bool sac_token_layer_fill_test(sac_device *device, const sac_token_kind *kind, sac_tested *tested)
{
    if (!sac_fused_fill_test(device, &kind->stored, kind->by_dots, tested) ||
        !sac_token_attention_fill_test(device, &kind->depth, tested))
        return false;
    *tested = (sac_tested){.cases = CASES, .bound = BOUND, .run = case_error, .what = kind};
    snprintf(tested->name, sizeof tested->name, "token-layer-%s-%s-%zu",
             kind->by_dots ? "dots" : "few", sac_stored_form_of(kind->stored)->name, kind->depth);
    snprintf(tested->subject, sizeof tested->subject, "a token's layer in one launch");
    return true;
}

/* A group that waits keeps its processor: where a process has fewer of them than the driver has threads,
 * the one that it waits for may have none. The simulator oclgrind knows no fence between groups. */
static bool has_enough_processors(const sac_device *device)
{
    cpu_set_t all;
    if (strstr(device->info.name, "Oclgrind"))
        return false;
    return sched_getaffinity(0, sizeof all, &all) != 0 ||
           (unsigned)CPU_COUNT(&all) >= device->info.compute_units;
}

bool sac_token_layer_takes(sac_device *device, const sac_token_layer *l)
{
    const sac_stored stored = l->project.stored;
    const size_t wide = sac_larger(sac_larger(l->project.in, l->out.in), l->down.in);
    sac_tested tested;
    if (l->project.count != 3 || !is_single_row_product(device, &l->project, stored) ||
        !is_single_row_product(device, &l->out, stored) ||
        !is_single_row_product(device, &l->hidden, stored) ||
        !is_single_row_product(device, &l->down, stored) ||
        !sac_token_attention_takes(device, &l->attention) ||
        sac_fused_row_bytes(device, &l->project, wide) + local_score_bytes(device, &l->attention) >
            device->info.local_bytes ||
        !has_enough_processors(device))
        return false;
    char options[160];
    const char *source = sac_fused_source(device, &l->project, options);
    const sac_token_kind kind = {stored, l->attention.depth, strcmp(source, "few_rows") != 0};
    return sac_token_layer_fill_test(device, &kind, &tested) && sac_tested_passes(device, &tested);
}
