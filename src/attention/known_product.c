/* Known products, which decide by what way a device multiplies. */
#include <math.h>
#include <stdlib.h>

#include "attention/product.h"
#include "base/busy.h"
#include "base/error.h"
#include "base/random.h"

/* Float32 rounding stays under 1e-6 on these products; a wrong kernel is off by 1e-3 and more. */
#define BOUND 1e-5

/* One off any tile, and deeper than a chunk of k; then so few and deep that k goes in pieces. */
static const sac_product known[] = {
    {.m = 131, .n = 67, .k = 70, .transpose_b = true},
    {.m = 131, .n = 67, .k = 70},
    {.m = 9, .n = 37, .k = 531, .transpose_b = true},
    {.m = 9, .n = 37, .k = 531, .accumulate = true},
};
enum { KNOWN_COUNT = sizeof known / sizeof *known, OPERAND_COUNT = 4 };

static const char *const way_names[SAC_PRODUCT_WAY_COUNT] = {"clblast", "tiles", "naive"};

const char *sac_product_way_name(sac_product_way way)
{
    return way_names[way];
}

/* CLBlast on GPUs, which it is tuned for. On CPUs our own kernel: for the shapes of a captioner's
 * training it is 2 to 20 times as fast on PoCL, one core of a Zen 4 (peak 118 GFLOP/s):
 *                               tiles   CLBlast
 *     [200704,27] x [27,16]        65         3 GFLOP/s
 *     [50176,288] x [288,32]       66        12
 *     [12544,576] x [576,128]      96        33
 *     [64,12544] x [12544,288]     62        28
 *     [64,384] x [384,768]         60        49
 * and CLBlast compiles for 5 to 20 s before its first product, ours for about 2. */
sac_product_way sac_product_first_way(const sac_device *device)
{
    return device->info.is_gpu ? SAC_BY_CLBLAST : SAC_BY_TILES;
}

double sac_product_bound(void)
{
    return BOUND;
}

/* A, B, bias and C before, one after the other. */
typedef struct operands {
    size_t at[OPERAND_COUNT + 1];
    float *numbers, *given; /* given: C after */
    sac_span spans[OPERAND_COUNT];
} operands;

static sac_status make_operands(sac_device *device, const sac_product *p, operands *o,
                                sac_error *error)
{
    size_t counts[OPERAND_COUNT] = {p->m * p->k, p->k * p->n, p->n, p->m * p->n};
    for (int i = 0; i < OPERAND_COUNT; i++)
        o->at[i + 1] = o->at[i] + counts[i];
    o->numbers = malloc(o->at[OPERAND_COUNT] * sizeof(float));
    o->given = malloc(p->m * p->n * sizeof(float));
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
static double error_of(const sac_product *p, const operands *o)
{
    const float *a = o->numbers, *b = a + o->at[1], *bias = a + o->at[2], *before = a + o->at[3];
    double difference = 0, whole = 0;
    for (size_t i = 0; i < p->m; i++)
        for (size_t j = 0; j < p->n; j++) {
            double sum = bias[j] + (p->accumulate ? before[i * p->n + j] : 0.0);
            for (size_t t = 0; t < p->k; t++)
                sum += (double)a[p->transpose_a ? t * p->m + i : i * p->k + t] *
                       b[p->transpose_b ? j * p->k + t : t * p->n + j];
            double off = o->given[i * p->n + j] - sum;
            difference += off * off;
            whole += sum * sum;
        }
    return isfinite(difference) ? sqrt(difference / whole) : INFINITY;
}

/* −1 where it did not run. */
static double known_error(sac_device *device, sac_product_way way, sac_product product,
                          sac_error *error)
{
    operands o = {0};
    sac_status status = make_operands(device, &product, &o, error);
    product.bias = o.spans[2];
    if (status == SAC_OK)
        status = sac_product_by(device, way, &product, o.spans[0], o.spans[1], o.spans[3], error);
    if (status == SAC_OK)
        status = sac_span_read(device, o.spans[3], product.m * product.n, o.given, error);
    double off = status == SAC_OK ? error_of(&product, &o) : -1;
    free_operands(&o);
    return off;
}

/* "tiles-rows": the name that a verdict is remembered under. */
static const char *verdict_name(sac_product_way way, bool transpose_a, char *name, size_t size)
{
    snprintf(name, size, "%s-%s", way_names[way], transpose_a ? "columns" : "rows");
    return name;
}

double sac_product_error(sac_device *device, sac_product_way way, bool transpose_a,
                         sac_error *error)
{
    char name[32];
    double worst = 0;
    for (int i = 0; i < KNOWN_COUNT && worst <= BOUND; i++) {
        sac_product product = known[i];
        product.transpose_a = transpose_a;
        double off = known_error(device, way, product, error);
        if (off < 0)
            return off;
        worst = fmax(worst, off);
    }
    verdict_name(way, transpose_a, name, sizeof name);
    sac_outcome_remember(device, name, worst <= BOUND ? SAC_RIGHT : SAC_WRONG);
    return worst;
}

static sac_outcome recall_or_ask(sac_device *device, sac_product_way way, bool transpose_a,
                                 sac_error *error)
{
    char name[32];
    sac_outcome outcome =
        sac_outcome_recall(device, verdict_name(way, transpose_a, name, sizeof name));
    if (outcome != SAC_UNASKED)
        return outcome;
    double off = sac_product_error(device, way, transpose_a, error);
    return off < 0 ? SAC_DID_NOT_RUN : off <= BOUND ? SAC_RIGHT : SAC_WRONG;
}

bool sac_product_usable(sac_device *device, sac_product_way way, bool transpose_a)
{
    return recall_or_ask(device, way, transpose_a, NULL) == SAC_RIGHT;
}

/* The ways before `way` that did not run: this handle does without them. */
static void suspend_before(sac_device *device, sac_product_way way, bool transpose_a)
{
    char name[32];
    for (sac_product_way w = sac_product_first_way(device); w < way; w++)
        if (sac_outcome_recall(device, verdict_name(w, transpose_a, name, sizeof name)) ==
            SAC_UNASKED)
            sac_verdict_suspend(device, name);
}

sac_status sac_product_choose(sac_device *device, bool transpose_a, sac_product_way *way,
                              sac_error *error)
{
    sac_error why = {0};
    for (*way = sac_product_first_way(device); *way < SAC_PRODUCT_WAY_COUNT; ++*way)
        if (recall_or_ask(device, *way, transpose_a, &why) == SAC_RIGHT) {
            suspend_before(device, *way, transpose_a);
            return SAC_OK;
        }
    sac_status status = sac_busy_check("self-test", error); /* then they fail for that */
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
