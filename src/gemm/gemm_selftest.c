/* The self-test of matrix products, and the choice of a backend by it. */

#include "gemm/gemm_selftest.h"

#include <math.h>
#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/random.h"

/* Float32 rounding stays under 1e-6 on these products; a wrong kernel is off by 1e-3 and more. */
#define BOUND 1e-5

/* One off any tile, and deeper than a chunk of k, of weights as they are read and as they are
 * trained; then so few and deep that k goes in pieces; then few rows. */
static const sac_gemm cases[] = {
    {.m = 131, .n = 67, .k = 270, .transpose_b = true},
    {.m = 131, .n = 67, .k = 300, .transpose_b = true, .any_rows = true},
    {.m = 131, .n = 67, .k = 70},
    {.m = 9, .n = 37, .k = 531, .transpose_b = true},
    {.m = 9, .n = 37, .k = 531, .accumulate = true},
    {.m = 1, .n = 261, .k = 131, .transpose_b = true},
    {.m = 7, .n = 261, .k = 131},
};
enum { CASE_COUNT = sizeof cases / sizeof *cases, OPERAND_COUNT = 4 };

/* CLBlast on GPUs, which it is tuned for. On CPUs our own kernel: for the shapes of a captioner's
 * training it is 2 to 20 times as fast on PoCL, one core of a Zen 4 (peak 118 GFLOP/s):
 *                               tiled   CLBlast
 *     [200704,27] x [27,16]        65         3 GFLOP/s
 *     [50176,288] x [288,32]       66        12
 *     [12544,576] x [576,128]      96        33
 *     [64,12544] x [12544,288]     62        28
 *     [64,384] x [384,768]         60        49
 * and CLBlast compiles for 5 to 20 s before its first product, ours for about 2. */
sac_gemm_backend sac_gemm_first_backend(const sac_device *device)
{
    return device->profile.is_cpu ? SAC_GEMM_TILED : SAC_GEMM_CLBLAST;
}

double sac_gemm_selftest_bound(void)
{
    return BOUND;
}

/* A, B, bias and C before, one after the other. */
typedef struct operands {
    size_t at[OPERAND_COUNT + 1];
    float *numbers, *given; /* given: C after */
    sac_span spans[OPERAND_COUNT];
} operands;

static sac_status make_operands(sac_device *device, const sac_gemm *g, operands *o,
                                sac_error *error)
{
    size_t counts[OPERAND_COUNT] = {g->m * g->k, g->k * g->n, g->n, g->m * g->n};
    for (int i = 0; i < OPERAND_COUNT; i++)
        o->at[i + 1] = o->at[i] + counts[i];
    o->numbers = malloc(o->at[OPERAND_COUNT] * sizeof(float));
    o->given = malloc(g->m * g->n * sizeof(float));
    if (!o->numbers || !o->given)
        return sac_fail(error, SAC_E_MEMORY, "self-test", NULL, "no memory");
    for (size_t i = 0; i < o->at[OPERAND_COUNT]; i++)
        o->numbers[i] = sac_philox_uniform((uint32_t)i, 0, 3) - 0.5f;
    sac_status status = SAC_OK;
    for (int i = 0; i < OPERAND_COUNT && status == SAC_OK; i++)
        status = sac_span_create(device, counts[i], o->numbers + o->at[i], &o->spans[i], error);
    return status;
}

static void free_operands(operands *o)
{
    for (int i = 0; i < OPERAND_COUNT; i++)
        sac_span_release(&o->spans[i]);
    free(o->numbers);
    free(o->given);
}

/* ‖given − C‖ / ‖C‖, the true C in double. */
static double error_of(const sac_gemm *g, const operands *o)
{
    const float *a = o->numbers, *b = a + o->at[1], *bias = a + o->at[2], *before = a + o->at[3];
    double difference = 0, whole = 0;
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            double sum = bias[j] + (g->accumulate ? before[i * g->n + j] : 0.0);
            for (size_t t = 0; t < g->k; t++)
                sum += (double)a[g->transpose_a ? t * g->m + i : i * g->k + t] *
                       b[g->transpose_b ? j * g->k + t : t * g->n + j];
            double off = o->given[i * g->n + j] - sum;
            difference += off * off;
            whole += sum * sum;
        }
    return isfinite(difference) ? sqrt(difference / whole) : INFINITY;
}

/* −1 where it did not run. */
static double case_error(sac_device *device, sac_gemm_backend backend, sac_gemm gemm,
                         sac_error *error)
{
    operands o = {0};
    sac_status status = make_operands(device, &gemm, &o, error);
    gemm.bias = o.spans[2];
    if (status == SAC_OK)
        status = sac_gemm_run_by(device, backend, &gemm, o.spans[0], o.spans[1], o.spans[3], error);
    if (status == SAC_OK)
        status = sac_span_read(device, o.spans[3], gemm.m * gemm.n, o.given, error);
    double off = status == SAC_OK ? error_of(&gemm, &o) : -1;
    free_operands(&o);
    return off;
}

/* "tiled-rows": the name that a verdict is remembered under. */
static const char *verdict_name(sac_gemm_backend backend, bool transpose_a, char *name, size_t size)
{
    snprintf(name, size, "%s-%s", sac_gemm_backend_name(backend), transpose_a ? "columns" : "rows");
    return name;
}

double sac_gemm_selftest_error(sac_device *device, sac_gemm_backend backend, bool transpose_a,
                               sac_error *error)
{
    char name[32];
    double worst = 0;
    for (int i = 0; i < CASE_COUNT && worst <= BOUND; i++) {
        sac_gemm gemm = cases[i];
        if (backend == SAC_GEMM_FEW_ROWS && gemm.m > SAC_GEMM_FEW)
            continue;
        gemm.transpose_a = transpose_a;
        double off = case_error(device, backend, gemm, error);
        if (off < 0)
            return off;
        worst = fmax(worst, off);
    }
    verdict_name(backend, transpose_a, name, sizeof name);
    sac_outcome_remember(device, name, worst <= BOUND ? SAC_RIGHT : SAC_WRONG);
    return worst;
}

static sac_outcome recall_or_run(sac_device *device, sac_gemm_backend backend, bool transpose_a,
                                 sac_error *error)
{
    char name[32];
    sac_outcome outcome =
        sac_outcome_recall(device, verdict_name(backend, transpose_a, name, sizeof name));
    if (outcome != SAC_UNASKED)
        return outcome;
    double off = sac_gemm_selftest_error(device, backend, transpose_a, error);
    return off < 0 ? SAC_DID_NOT_RUN : off <= BOUND ? SAC_RIGHT : SAC_WRONG;
}

/* The backends that come into question, in their order. */
static sac_gemm_backend first_for(const sac_device *device, const sac_gemm *gemm)
{
    bool is_few = !gemm->transpose_a && !gemm->any_rows && gemm->m <= SAC_GEMM_FEW;
    return is_few ? SAC_GEMM_FEW_ROWS : sac_gemm_first_backend(device);
}

static sac_gemm_backend next_backend(const sac_device *device, sac_gemm_backend backend)
{
    return backend == SAC_GEMM_FEW_ROWS ? sac_gemm_first_backend(device) : backend + 1;
}

/* The backends before `backend` that did not run: this handle does without them. */
static void suspend_before(sac_device *device, sac_gemm_backend backend, const sac_gemm *gemm)
{
    char name[32];
    for (sac_gemm_backend b = first_for(device, gemm); b < backend; b = next_backend(device, b))
        if (sac_outcome_recall(device, verdict_name(b, gemm->transpose_a, name, sizeof name)) ==
            SAC_UNASKED)
            sac_verdict_suspend(device, name);
}

sac_status sac_gemm_choose(sac_device *device, const sac_gemm *gemm, sac_gemm_backend *backend,
                           sac_error *error)
{
    sac_error why = {0};
    for (*backend = first_for(device, gemm); *backend < SAC_GEMM_BACKEND_COUNT;
         *backend = next_backend(device, *backend))
        if (recall_or_run(device, *backend, gemm->transpose_a, &why) == SAC_RIGHT) {
            suspend_before(device, *backend, gemm);
            return SAC_OK;
        }
    sac_status status = sac_cancel_check("self-test", error); /* the cases failed for it */
    if (status != SAC_OK)
        return status;
    if (why.status == SAC_OK)
        return sac_fail(error, SAC_E_DEVICE, device->info.name,
                        "choose another device (see: saccade devices) or update its driver",
                        "even the simplest product computes wrong on it (see: saccade selftest)");
    if (error)
        *error = why;
    return why.status;
}
