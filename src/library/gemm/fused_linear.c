/* Joint products of few rows: their launch, and their self-test. */
#include "gemm/fused_linear.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/random/random.h"
#include "base/round.h"
#include "device/trace.h"
#include "gemm/gemm_selftest.h"
#include "gemm/launch.h"
#include "gemm/storage.h"

#define LINES 8      /* as in cl/gemm/few_rows.clh */
#define MOST_STEPS 8 /* as gemm_few_rows.c shares lines out: of floats … */
#define GROUPS_PER_UNIT 16
#define MOST_DOTS_STEPS 32 /* … and of dots */
#define DOTS_PER_UNIT 8
#define WHOLE 32 /* numbers of a row that all vectors and blocks of 32 divide */

static bool uses_dot_instructions(const sac_device *device, const sac_fused *j)
{
    /* One part's product as the problem of an ordinary kernel. */
    sac_gemm product = (sac_gemm){
        .m = j->rows, .n = j->part[0].out, .k = j->in, .transpose_b = true, .stored = j->stored};
    return sac_gemm_takes_dots(device, &product);
}

size_t sac_fused_row_bytes(const sac_device *device, const sac_fused *j, size_t numbers)
{
    return uses_dot_instructions(device, j) ? sac_gemm_dots_bytes(j->stored, numbers)
                                            : numbers * sizeof(float);
}

sac_fused_numbers sac_fused_numbers_of(const sac_fused *j)
{
    sac_fused_numbers n = {.m = (cl_uint)j->rows,
                           .k = (cl_uint)j->in,
                           .norm = j->norm,
                           .gated = j->gated,
                           .activation = j->activation,
                           .residual = j->residual.buffer != NULL,
                           .epsilon = j->epsilon};
    for (int i = 0; i < SAC_JOINT_PARTS; i++) {
        n.n[i] = (cl_uint)j->part[i < j->count ? i : 0].out;
        n.biases |= (cl_uint)(i < j->count && j->part[i].bias.buffer) << i;
    }
    return n;
}

/* Parts whose lines are shared out. */
static int leading_part_count(const sac_fused *j)
{
    return j->gated ? 1 : j->count;
}

size_t sac_fused_steps(const sac_fused *j)
{
    size_t steps = 0;
    for (int i = 0; i < leading_part_count(j); i++)
        steps += sac_ceil_div(j->part[i].out, LINES);
    return steps;
}

size_t sac_fused_share_out(const sac_fused *j, size_t share, sac_fused_numbers *n)
{
    size_t count = 0;
    n->share = (cl_uint)share;
    for (int i = 0; i < leading_part_count(j); i++)
        count += n->groups[i] = (cl_uint)sac_ceil_div(sac_ceil_div(j->part[i].out, LINES), share);
    return count;
}

const char *sac_fused_source(const sac_device *device, const sac_fused *j, char *options)
{
    bool dots = uses_dot_instructions(device, j);
    snprintf(options, 128, "-DWIDTH=%u -DFAST_FMA=%d%s%s", dots ? 16 : device->profile.vector_width,
             device->info.has_fma, dots ? " -DBY_LOOPS=0" : " -DGROUP_ITEMS=1 -DJOINT=1",
             sac_storage_option(j->stored));
    return dots ? "few_rows_dots" : "few_rows";
}

/* Steps of lines for a group. */
static size_t steps_per_group(const sac_device *device, const sac_fused *j)
{
    bool dots = uses_dot_instructions(device, j);
    size_t steps = sac_fused_steps(j), most = dots ? MOST_DOTS_STEPS : MOST_STEPS;
    size_t wanted = device->info.compute_units * (dots ? DOTS_PER_UNIT : GROUPS_PER_UNIT);
    size_t share = dots ? sac_ceil_div(steps, wanted) : steps / wanted;
    return share < 1 ? 1 : share > most ? most : share;
}

sac_status sac_fused_run(sac_device *device, const sac_fused *j, sac_error *error)
{
    char options[128];
    cl_kernel kernel;
    sac_fused_numbers n = sac_fused_numbers_of(j);
    sac_span part[3][SAC_JOINT_PARTS]; /* what is not there is a span that is not read */
    for (int i = 0; i < SAC_JOINT_PARTS; i++) {
        int at = i < j->count ? i : 0;
        part[0][i] = j->part[at].weight;
        part[1][i] = j->part[at].bias.buffer ? j->part[at].bias : j->x;
        part[2][i] = j->part[j->gated ? 0 : at].y;
    }
    size_t count = sac_fused_share_out(j, steps_per_group(device, j), &n), one = 1;
    sac_span gain = j->gain.buffer ? j->gain : j->x, shift = j->shift.buffer ? j->shift : j->x;
    sac_span residual = n.residual ? j->residual : j->x;
    sac_arg args[] = {
        SAC_ARG(n),
        SAC_SPAN_ARGS(j->x),
        SAC_SPAN_ARGS(gain),
        SAC_SPAN_ARGS(shift),
        SAC_SPAN_ARGS(residual),
        SAC_SPAN_ARGS(part[0][0]),
        SAC_SPAN_ARGS(part[0][1]),
        SAC_SPAN_ARGS(part[0][2]),
        SAC_SPAN_ARGS(part[1][0]),
        SAC_SPAN_ARGS(part[1][1]),
        SAC_SPAN_ARGS(part[1][2]),
        SAC_SPAN_ARGS(part[2][0]),
        SAC_SPAN_ARGS(part[2][1]),
        SAC_SPAN_ARGS(part[2][2]),
        {sac_fused_row_bytes(device, j, j->rows * j->in), NULL},
    };
    double numbers = 0;
    for (int i = 0; i < j->count; i++)
        numbers += (double)j->part[i].out * (double)j->in;
    sac_trace_add_work(device, SAC_WORK_PRODUCTS, 2.0 * (double)j->rows * numbers,
                       (double)sac_stored_bytes(j->stored, (size_t)numbers));
    const char *source = sac_fused_source(device, j, options);
    sac_status status = sac_kernel_get(device, source, options, "multiply_joint", &kernel, error);
    return status == SAC_OK ? sac_kernel_launch(device, kernel, args, sizeof args / sizeof *args, 1,
                                                &count, &one, error)
                            : status;
}

/* ---------------------------------------------------------------- self-test */

#define BOUND 1e-5 /* as of all products */

typedef struct joint_case {
    size_t rows, out[SAC_JOINT_PARTS];
    int count;
    sac_fused_norm norm;
    bool gated, biased, residual;
    sac_fused_activation activation;
} joint_case;

/* Queries, keys and values; gate and up; up alone, activated, with several steps for a group as on one unit; down,
 * onto a residual. */
static const joint_case cases[] = {
    {1, {19, 8, 9}, 3, SAC_JOINT_RMS},
    {3, {9, 9, 9}, 3, SAC_JOINT_LAYER, .biased = true},
    {1, {17, 17}, 2, SAC_JOINT_RMS, true, .activation = SAC_JOINT_SILU},
    {2, {16, 16}, 2, SAC_JOINT_LAYER, true, true, true, SAC_JOINT_GELU},
    {1, {1035}, 1, SAC_JOINT_LAYER, .biased = true, .activation = SAC_JOINT_GELU_TANH},
    {8, {11}, 1, .biased = true, .residual = true},
};
enum { CASES = sizeof cases / sizeof *cases, IN = 256, MOST_OUT = 1035, MOST_ROWS = 8 };

/* On the host: x, residual, gain, shift; for each part its weight and bias; what was given. */
typedef struct joint_data {
    float x[MOST_ROWS * IN], residual[MOST_ROWS * MOST_OUT], gain[IN], shift[IN];
    float w[SAC_JOINT_PARTS][MOST_OUT * IN], bias[SAC_JOINT_PARTS][MOST_OUT];
    float given[MOST_ROWS * MOST_OUT];
} joint_data;

static double apply_activation(sac_fused_activation activation, double x)
{
    return activation == SAC_JOINT_SILU   ? x / (1 + exp(-x))
           : activation == SAC_JOINT_GELU ? 0.5 * x * erfc(-x * M_SQRT1_2)
           : activation == SAC_JOINT_GELU_TANH
               ? 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
               : x;
}

static double dot_plus_bias(const joint_case *c, const joint_data *d, int part, const double *row,
                            size_t column)
{
    double sum = c->biased ? d->bias[part][column] : 0;
    for (size_t i = 0; i < IN; i++)
        sum += row[i] * d->w[part][column * IN + i];
    return sum;
}

static void norm_row(const joint_case *c, const joint_data *d, size_t r, double row[IN])
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < IN; i++)
        mean += c->norm == SAC_JOINT_LAYER ? d->x[r * IN + i] / (double)IN : 0;
    for (size_t i = 0; i < IN; i++) {
        row[i] = d->x[r * IN + i] - mean;
        squares += row[i] * row[i] / IN;
    }
    for (size_t i = 0; i < IN && c->norm; i++)
        row[i] = row[i] / sqrt(squares + 1e-5) * d->gain[i] +
                 (c->norm == SAC_JOINT_LAYER ? d->shift[i] : 0);
}

/* Adds to the sums of squares of what is off in y of a part, and of y. */
static void add_part_error(const joint_case *c, const joint_data *d, int part, double *off,
                           double *all)
{
    double row[IN];
    for (size_t r = 0; r < c->rows; r++) {
        norm_row(c, d, r, row);
        for (size_t o = 0; o < c->out[part]; o++) {
            size_t at = r * c->out[part] + o;
            double y = apply_activation(c->activation, dot_plus_bias(c, d, part, row, o));
            y *= c->gated ? dot_plus_bias(c, d, 1, row, o) : 1;
            y += c->residual ? d->residual[at] : 0;
            *off += (d->given[at] - y) * (d->given[at] - y);
            *all += y * y;
        }
    }
}

/* A weight as it is stored, and its numbers. */
static sac_status make_weight(sac_device *device, sac_stored stored, uint32_t seed, size_t count,
                              float *numbers, sac_span *span, sac_error *error)
{
    size_t bytes = sac_stored_bytes(stored, count);
    uint8_t *narrow = malloc(bytes);
    if (!narrow)
        return sac_no_memory(error, "self-test");
    for (size_t i = 0; i < count; i++)
        numbers[i] = sac_philox_uniform((uint32_t)i, seed, 3) - 0.5f;
    if (stored != SAC_STORED_F32)
        sac_gemm_make_test_weight(stored, seed, count, numbers, narrow);
    sac_status status =
        sac_buffer_create(device, bytes, stored == SAC_STORED_F32 ? (const void *)numbers : narrow,
                          &span->buffer, error);
    free(narrow);
    return status;
}

static sac_status prepare(sac_device *device, const joint_case *c, sac_fused *j, joint_data *d,
                          sac_error *error)
{
    float *const lists[] = {d->x, d->residual, d->gain, d->shift};
    const size_t counts[] = {c->rows * IN, c->rows * c->out[0], IN, IN};
    sac_span *const spans[] = {&j->x, &j->residual, &j->gain, &j->shift};
    sac_status status = SAC_OK;
    for (int i = 0; i < 4 && status == SAC_OK; i++) {
        for (size_t n = 0; n < counts[i]; n++)
            lists[i][n] = sac_philox_uniform((uint32_t)n, (uint32_t)i, 4) - (i == 2 ? 0 : 0.5f);
        if (i != 1 || c->residual)
            status = sac_span_create(device, counts[i], lists[i], spans[i], error);
    }
    for (int i = 0; i < c->count && status == SAC_OK; i++) {
        j->part[i].out = c->out[i];
        status = make_weight(device, j->stored, (uint32_t)i + 3, c->out[i] * IN, d->w[i],
                             &j->part[i].weight, error);
        for (size_t n = 0; n < c->out[i]; n++)
            d->bias[i][n] = sac_philox_uniform((uint32_t)n, (uint32_t)i, 5) - 0.5f;
        if (status == SAC_OK && c->biased)
            status = sac_span_create(device, c->out[i], d->bias[i], &j->part[i].bias, error);
        if (status == SAC_OK)
            status = sac_span_create(device, c->rows * c->out[i], NULL, &j->part[i].y, error);
    }
    return status;
}

/* ‖given − y‖ / ‖y‖ of all parts. */
static double case_error(sac_device *device, const sac_tested *tested, size_t index,
                         sac_error *error)
{
    const joint_case *c = &cases[index];
    sac_fused j = {.rows = c->rows,
                   .in = IN,
                   .stored = *(const sac_stored *)tested->what,
                   .norm = c->norm,
                   .epsilon = 1e-5f,
                   .count = c->count,
                   .gated = c->gated,
                   .activation = c->activation};
    joint_data *d = malloc(sizeof *d);
    double off = 0, all = 0;
    sac_status status = d ? prepare(device, c, &j, d, error) : sac_no_memory(error, "self-test");
    unsigned units = device->info.compute_units;
    device->info.compute_units = 1;
    if (status == SAC_OK)
        status = sac_fused_run(device, &j, error);
    device->info.compute_units = units;
    for (int i = 0; status == SAC_OK && i < (c->gated ? 1 : c->count); i++) {
        status = sac_span_read(device, j.part[i].y, c->rows * c->out[i], d->given, error);
        if (status == SAC_OK)
            add_part_error(c, d, i, &off, &all);
    }
    sac_span *const spans[] = {&j.x, &j.residual, &j.gain, &j.shift};
    for (int i = 0; i < 4; i++)
        sac_span_release(spans[i]);
    for (int i = 0; i < c->count; i++) {
        sac_span_release(&j.part[i].weight);
        sac_span_release(&j.part[i].bias);
        sac_span_release(&j.part[i].y);
    }
    free(d);
    return status != SAC_OK ? -1 : isfinite(off) ? sqrt(off / all) : INFINITY;
}

bool sac_fused_fill_test(sac_device *device, const sac_stored *stored, bool dots,
                         sac_tested *tested)
{
    size_t limit = 0;
    if (!device->profile.is_cpu || device->profile.vector_width < 4 ||
        sac_quirk_loop_limit(device, &limit, NULL) != SAC_OK || limit)
        return false;
    *tested = (sac_tested){.cases = CASES, .bound = BOUND, .run = case_error, .what = stored};
    snprintf(tested->name, sizeof tested->name, "joint-%s-%s", dots ? "dots" : "few",
             sac_stored_form_of(*stored)->name);
    snprintf(tested->subject, sizeof tested->subject, "joint products of few rows");
    return true;
}

bool sac_fused_takes(sac_device *device, const sac_fused *j)
{
    sac_tested tested;
    return j->rows <= SAC_GEMM_FEW && j->in % WHOLE == 0 &&
           j->in % sac_stored_form_of(j->stored)->numbers == 0 &&
           sac_fused_row_bytes(device, j, j->rows * j->in) <= device->info.local_bytes &&
           sac_fused_fill_test(device, &j->stored, uses_dot_instructions(device, j), &tested) &&
           sac_tested_passes(device, &tested);
}
