/* The self-test of matrix products, and the choice of a backend by it. */

#include "gemm/gemm_selftest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/random/random.h"
#include "base/round.h"
#include "gemm/gemm_in_place.h"
#include "gemm/gemm_tiled.h"

/* Float32 rounding stays under 1e-6 on these products; a wrong kernel is off by 1e-3 and more. */
#define BOUND 1e-5

/* Every way that a product of a real size goes, by the backend that goes it:
 *
 *     few      B [n,k], a step of lines for a group        1 × 261 × 131
 *              several steps (wide products, CPUs)         2 × 4101 × 37, as on one unit
 *              B [k,n], short pieces of k, long ones       7 × 261 × 131, 3 × 261 × 2111
 *              fewer columns and values than a strip       8 × 5 × 3
 *     dots     the same, where B is [n,k]
 *     pairs    B [n,k], as of tiled                        131 × 67 × 270, 9 × 37 × 531
 *              several chunks of k, odd                    131 × 67 × 1301
 *     matrix   B [n,k] and [k,n], a part of a block        131 × 67 × 270, 131 × 67 × 70 …
 *              several chunks of k, odd                    131 × 67 × 1301
 *              several groups of rows, many panels         397 × 331 × 140, as on one unit
 *              B packed before                             131 × 67 × 300, 41 × 67 × 130, panels
 *              A [k,m]                                     all cases, with A transposed
 *     CLBlast  copies filled up to whole tiles             one off a tile: 131 × 67 × 300 …
 *              fast copies, or none at all                 whole tiles: 256 × 128 × 192
 *              above the size from which some devices      1153 × 1151 × 1155, and 1152³
 *              have been wrong
 *     tiled    B as it lies, on CPUs: asked by itself      131 × 67 × 270, 389 × 769 × 7
 *              B packed first, in several chunks of k      131 × 67 × 300, any rows
 *              B packed before                             131 × 67 × 300, panels
 *              A [k,m], B as it lies and packed            all cases, with A transposed
 *              pieces of k                                 9 × 37 × 531
 *              several blocks and panels for a work-item   389 × 769 × 7, as on one unit
 *              (wide and tall products)
 *     naive    an element a work-item: has one way
 *
 * A product is cut by how many units a device has: as on one unit, small products are cut as large
 * ones are elsewhere. B of fewer bits is another program of `few` and of tiles that read it in place,
 * with verdicts of its own. */
enum {
    FEW = 1 << SAC_GEMM_FEW_ROWS | 1 << SAC_GEMM_DOTS,
    MATRIX = 1 << SAC_GEMM_MATRIX,
    PAIRS = 1 << SAC_GEMM_PAIRS,
    CLBLAST = 1 << SAC_GEMM_CLBLAST,
    TILED = 1 << SAC_GEMM_TILED,
    NAIVE = 1 << SAC_GEMM_NAIVE
};

typedef struct gemm_case {
    int backends; /* that it is for */
    bool as_on_one_unit, packed;
    sac_gemm gemm;
} gemm_case;

static const gemm_case cases[] = {
    {MATRIX | PAIRS | CLBLAST | TILED | NAIVE,
     .gemm = {.m = 131, .n = 67, .k = 270, .transpose_b = true}},
    {TILED, .gemm = {.m = 131, .n = 67, .k = 300, .transpose_b = true, .any_rows = true}},
    {TILED, .packed = true, .gemm = {.m = 131, .n = 67, .k = 300, .transpose_b = true}},
    {MATRIX, .packed = true,
     .gemm = {.m = 131, .n = 67, .k = 300, .transpose_b = true, .in_squares = true}},
    {MATRIX, .packed = true, .gemm = {.m = 41, .n = 67, .k = 130, .in_squares = true}},
    {MATRIX | CLBLAST | TILED | NAIVE, .gemm = {.m = 131, .n = 67, .k = 70}},
    {MATRIX | PAIRS | CLBLAST | TILED | NAIVE,
     .gemm = {.m = 9, .n = 37, .k = 531, .transpose_b = true}},
    {MATRIX | CLBLAST | TILED | NAIVE, .gemm = {.m = 9, .n = 37, .k = 531, .accumulate = true}},
    {MATRIX | PAIRS, .gemm = {.m = 131, .n = 67, .k = 1301, .transpose_b = true}},
    {MATRIX, true, .gemm = {.m = 397, .n = 331, .k = 140, .ceiling = INFINITY}},
    {PAIRS | TILED, true, .gemm = {.m = 389, .n = 769, .k = 7, .transpose_b = true}},
    {TILED, true, .gemm = {.m = 389, .n = 769, .k = 7, .ceiling = INFINITY}},
    {CLBLAST | TILED | NAIVE | FEW, .gemm = {.m = 1, .n = 261, .k = 131, .transpose_b = true}},
    {CLBLAST | TILED | NAIVE | FEW, .gemm = {.m = 7, .n = 261, .k = 131}},
    {FEW, true, .gemm = {.m = 2, .n = 4101, .k = 37, .transpose_b = true}},
    {FEW, true, .gemm = {.m = 3, .n = 261, .k = 2111, .ceiling = INFINITY}},
    {FEW, .gemm = {.m = 8, .n = 5, .k = 3, .accumulate = true}},
    {CLBLAST, .gemm = {.m = 256, .n = 128, .k = 192, .transpose_b = true}},
    {CLBLAST, .gemm = {.m = 256, .n = 128, .k = 192, .accumulate = true}},
    {CLBLAST, .gemm = {.m = 1153, .n = 1151, .k = 1155, .transpose_b = true}},
    {CLBLAST, .gemm = {.m = 1152, .n = 1152, .k = 1152, .accumulate = true}},
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

/* Numbers before and behind each operand: kernels add where it begins, and may not write beside
 * C. Where B begins in the middle of a buffer CLBlast copies it, so whole tiles begin at 0. */
enum { BESIDE = 67 };

/* A, B, bias and C before, one after the other. */
typedef struct operands {
    size_t at[OPERAND_COUNT + 1], beside, beside_b;
    float *numbers, *given; /* given: C after, with what is beside it */
    uint8_t *narrow;        /* B in fewer bits, with what is beside it */
    sac_span spans[OPERAND_COUNT], panels;
} operands;

static uint16_t as_16_bits(float x, sac_stored stored)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (stored == SAC_STORED_BF16)
        return (uint16_t)(bits >> 16);
    uint32_t sign = bits >> 16 & 0x8000, exponent = bits >> 23 & 0xff;
    return (uint16_t)(x == 0 ? sign : sign | (exponent - 112) << 10 | (bits >> 13 & 0x3ff));
}

void sac_gemm_make_test_weight(sac_stored stored, uint32_t seed, size_t count, float *numbers,
                               uint8_t *narrow)
{
    const sac_stored_form *form = sac_stored_form_of(stored);
    if (sac_stored_in_blocks(stored)) {
        sac_stored_fill_random(stored, seed, sac_stored_bytes(stored, count), narrow);
        for (size_t i = 0; i < count; i += form->numbers, narrow += form->bytes)
            form->read(narrow, numbers + i);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        /* A multiple of 1/256, at most a half: both types of 16 bits hold it exactly. */
        numbers[i] = (float)(int)(numbers[i] * 256) / 256;
        ((uint16_t *)narrow)[i] = as_16_bits(numbers[i], stored);
    }
}

static sac_status make_span(sac_device *device, const sac_gemm *g, operands *o, int i,
                            sac_error *error)
{
    size_t count = o->at[i + 1] - o->at[i], beside = i == 1 ? o->beside_b : o->beside;
    size_t whole = count + 2 * beside;
    const float *from = o->numbers + o->at[i];
    sac_status status;
    if (i == 1 && g->stored != SAC_STORED_F32) {
        status = sac_buffer_create(device, sac_stored_bytes(g->stored, whole), o->narrow,
                                   &o->spans[i].buffer, error);
    } else {
        status = sac_span_create(device, whole, NULL, &o->spans[i], error);
    }
    o->spans[i].at = (cl_uint)beside;
    if (status == SAC_OK && !(i == 1 && g->stored != SAC_STORED_F32))
        status = sac_span_write(device, o->spans[i], count, from, error);
    return status;
}

static sac_status pack_panels(sac_device *device, const sac_gemm *g, operands *o, sac_error *error)
{
    size_t floats = g->in_squares ? sac_gemm_matrix_floats(g->n, g->k)
                                  : sac_tiled_panel_floats(device, g->n, g->k);
    sac_status status = sac_span_create(device, floats, NULL, &o->panels, error);
    if (status == SAC_OK && g->in_squares)
        return sac_gemm_matrix_pack(device, g->n, g->k, g->transpose_b, o->spans[1], o->panels,
                                    error);
    if (status == SAC_OK)
        status = sac_tiled_pack(device, sac_packing_of(g->n, g->k, g->transpose_b), o->spans[1],
                                o->panels, error);
    return status;
}

static sac_status make_operands(sac_device *device, const sac_gemm *g, operands *o,
                                sac_error *error)
{
    size_t counts[OPERAND_COUNT] = {g->m * g->k, g->k * g->n, g->n, g->m * g->n};
    o->beside = g->m % 64 ? BESIDE : 0;
    o->beside_b = sac_round_up(o->beside, sac_stored_form_of(g->stored)->numbers);
    for (int i = 0; i < OPERAND_COUNT; i++)
        o->at[i + 1] = o->at[i] + counts[i];
    o->numbers = malloc(o->at[OPERAND_COUNT] * sizeof(float));
    o->given = malloc((counts[3] + 2 * o->beside) * sizeof(float));
    o->narrow = calloc(1, sac_stored_bytes(g->stored, counts[1] + 2 * o->beside_b));
    if (!o->numbers || !o->given || !o->narrow)
        return sac_no_memory(error, "self-test");
    for (size_t i = 0; i < o->at[OPERAND_COUNT]; i++)
        o->numbers[i] = sac_philox_uniform((uint32_t)i, 0, 3) - 0.5f;
    if (g->stored != SAC_STORED_F32)
        sac_gemm_make_test_weight(g->stored, 3, counts[1], o->numbers + o->at[1],
                                  o->narrow + sac_stored_bytes(g->stored, o->beside_b));
    sac_status status = SAC_OK;
    for (int i = 0; i < OPERAND_COUNT && status == SAC_OK; i++)
        status = make_span(device, g, o, i, error);
    for (size_t i = 0; g->rounded && i < o->at[2]; i++) /* what is right is of the rounded ones */
        o->numbers[i] = sac_bfloat_to_float(sac_float_to_bfloat(o->numbers[i]));
    return status;
}

/* An element of the true C, in double. */
static double reference_element(const sac_gemm *g, const operands *o, size_t i, size_t j)
{
    const float *a = o->numbers, *b = a + o->at[1], *bias = a + o->at[2], *before = a + o->at[3];
    double sum = bias[j] + (g->accumulate ? before[i * g->n + j] : 0.0);
    for (size_t t = 0; t < g->k; t++)
        sum += (double)a[g->transpose_a ? t * g->m + i : i * g->k + t] *
               b[g->transpose_b ? j * g->k + t : t * g->n + j];
    return g->ceiling > 0 ? fmin(fmax(sum, 0), (double)g->ceiling) : sum;
}

/* Of a product of more multiplications than this only some elements are checked, of all columns and
 * rows of a tile, and all corners: the rest takes a second. */
#define MOST_WORK (1u << 23)
enum { SAMPLES = 600 };

/* ‖given − C‖ / ‖C‖; infinite where something was written beside C. */
static double relative_error(const sac_gemm *g, const operands *o)
{
    const float *given = o->given + o->beside;
    size_t count = g->m * g->n, looked_at = count * g->k > MOST_WORK ? SAMPLES : count;
    double difference = 0, whole = 0;
    for (size_t s = 0; s < looked_at; s++) {
        size_t at = looked_at == count ? s
                    : s < 4            ? (s & 1) * (g->n - 1) + (s >> 1) * (g->m - 1) * g->n
                                       : sac_philox((uint32_t)s, 1, 3) % count;
        double right = reference_element(g, o, at / g->n, at % g->n), off = given[at] - right;
        difference += off * off;
        whole += right * right;
    }
    for (size_t i = 0; i < o->beside; i++)
        if (o->given[i] != 0 || given[count + i] != 0)
            return INFINITY;
    return isfinite(difference) ? sqrt(difference / whole) : INFINITY;
}

static sac_status run_case(sac_device *device, sac_gemm_backend backend, const gemm_case *c,
                           operands *o, const sac_gemm *gemm, sac_error *error)
{
    sac_gemm g = *gemm;
    sac_span whole = {0};
    unsigned units = device->info.compute_units;
    sac_status status = make_operands(device, gemm, o, error);
    if (status == SAC_OK && c->packed)
        status = pack_panels(device, gemm, o, error);
    g.bias = o->spans[2];
    g.panels = o->panels;
    if (c->as_on_one_unit)
        device->info.compute_units = 1;
    if (status == SAC_OK)
        status = sac_gemm_run_by(device, backend, &g, o->spans[0], o->spans[1], o->spans[3], error);
    device->info.compute_units = units;
    whole.buffer = o->spans[3].buffer;
    if (status == SAC_OK)
        status = sac_span_read(device, whole, g.m * g.n + 2 * o->beside, o->given, error);
    return status;
}

/* "tiled-rows", "tiled-rows-in-place", "few-rows-F16", "clblast-1f00ba12-columns": the name that a verdict is remembered
 * under. Another CLBlast is new to the test. */
static void format_question_name(const sac_gemm_question *q, char *name, size_t size)
{
    const char *order = q->transpose_a ? "columns" : "rows";
    if (q->backend == SAC_GEMM_CLBLAST)
        snprintf(name, size, "clblast-%08x-%s", sac_gemm_clblast_identity(), order);
    else
        snprintf(name, size, "%s%s-%s%s%s", sac_gemm_backend_name(q->backend),
                 q->rounded ? "-rounded" : "", order,
                 q->stored != SAC_STORED_F32 || q->in_place ? "-" : "",
                 q->stored != SAC_STORED_F32 ? sac_stored_form_of(q->stored)->name
                 : q->in_place               ? "in-place"
                                             : "");
}

static bool case_fits_question(const sac_gemm_question *q, const gemm_case *c)
{
    bool is_tiled = q->backend == SAC_GEMM_TILED, is_narrow = q->stored != SAC_STORED_F32;
    bool in_place =
        is_tiled && !q->transpose_a && c->gemm.transpose_b && !c->gemm.any_rows && !c->packed;
    return (c->backends & 1 << q->backend) &&
           !(q->transpose_a && (c->packed || c->gemm.any_rows)) && !(q->rounded && c->packed) &&
           in_place == (is_tiled && (is_narrow || q->in_place)) && !(is_narrow && c->packed) &&
           (!sac_stored_in_blocks(q->stored) || c->gemm.transpose_b);
}

static double case_error(sac_device *device, const sac_tested *tested, size_t index,
                         sac_error *error)
{
    const sac_gemm_question *question = tested->what;
    operands o = {0};
    sac_gemm gemm = cases[index].gemm;
    if (!case_fits_question(question, &cases[index]))
        return SAC_NO_CASE;
    gemm.transpose_a = question->transpose_a;
    gemm.stored = question->stored;
    gemm.rounded = question->rounded || question->backend == SAC_GEMM_PAIRS;
    gemm.k = sac_round_up(gemm.k, sac_stored_form_of(question->stored)->numbers);
    sac_status status = run_case(device, question->backend, &cases[index], &o, &gemm, error);
    double off = status == SAC_OK ? relative_error(&gemm, &o) : -1;
    for (int i = 0; i < OPERAND_COUNT; i++)
        sac_span_release(&o.spans[i]);
    sac_span_release(&o.panels);
    free(o.numbers);
    free(o.given);
    free(o.narrow);
    return off;
}

static void expect_kernels(sac_device *device, const sac_tested *tested)
{
    const sac_gemm_question *question = tested->what;
    bool is_narrow = question->stored != SAC_STORED_F32;
    if (question->backend != SAC_GEMM_TILED || question->transpose_a)
        return;
    if (question->in_place || is_narrow)
        sac_gemm_in_place_expect(device, question->stored);
    else
        sac_tiled_expect(device);
}

sac_tested sac_gemm_tested(const sac_gemm_question *question)
{
    sac_tested tested = {.cases = CASE_COUNT,
                         .bound = BOUND,
                         .run = case_error,
                         .expect = expect_kernels,
                         .what = question};
    format_question_name(question, tested.name, sizeof tested.name);
    snprintf(tested.subject, sizeof tested.subject, "matrix products by \"%s\"",
             sac_gemm_backend_name(question->backend));
    return tested;
}

sac_status sac_gemm_reads_stored(sac_device *device, sac_gemm_backend backend, const sac_gemm *gemm,
                                 bool *reads, sac_error *error)
{
    *reads = gemm->stored == SAC_STORED_F32 || backend == SAC_GEMM_DOTS ||
             backend == SAC_GEMM_PAIRS || backend == SAC_GEMM_MATRIX ||
             (backend == SAC_GEMM_FEW_ROWS &&
              (gemm->transpose_b || !sac_stored_in_blocks(gemm->stored)));
    if (*reads || backend != SAC_GEMM_TILED)
        return SAC_OK;
    return sac_gemm_is_in_place(device, gemm, reads, error);
}

/* What of the backend a product asks for: of B as it is stored, where the backend reads it so. */
static sac_gemm_question question_of(sac_device *device, sac_gemm_backend backend,
                                     const sac_gemm *gemm)
{
    bool reads = false, in_place = false;
    sac_gemm_reads_stored(device, backend, gemm, &reads, NULL);
    if (backend == SAC_GEMM_TILED)
        sac_gemm_is_in_place(device, gemm, &in_place, NULL);
    return (sac_gemm_question){backend, gemm->transpose_a, reads ? gemm->stored : SAC_STORED_F32,
                               in_place, backend == SAC_GEMM_MATRIX && gemm->rounded};
}

/* A product that looks for a backend. */
typedef struct seeker {
    const sac_gemm *gemm;
    sac_gemm_question question;                        /* of the candidate */
    sac_gemm_backend backends[SAC_GEMM_BACKEND_COUNT]; /* of the candidates so far */
} seeker;

/* Those for such a product alone first, then from the fastest on. */
static bool fill_candidate_test(sac_device *device, void *asked, size_t index, sac_tested *tested)
{
    seeker *s = asked;
    const sac_gemm *g = s->gemm;
    sac_gemm_backend special[SAC_GEMM_BACKEND_COUNT];
    size_t count = 0;
    bool is_few = !g->transpose_a && !g->any_rows && g->m <= SAC_GEMM_FEW;
    if (is_few && sac_gemm_takes_dots(device, g))
        special[count++] = SAC_GEMM_DOTS;
    if (is_few)
        special[count++] = SAC_GEMM_FEW_ROWS;
    if (!is_few && sac_gemm_takes_matrix(device, g))
        special[count++] = SAC_GEMM_MATRIX;
    if (!is_few && sac_gemm_takes_pairs(device, g))
        special[count++] = SAC_GEMM_PAIRS;
    sac_gemm_backend next =
        index < count ? special[index]
                      : sac_gemm_first_backend(device) + (sac_gemm_backend)(index - count);
    if (next >= SAC_GEMM_BACKEND_COUNT)
        return false;
    s->backends[index] = next;
    s->question = question_of(device, next, g);
    *tested = sac_gemm_tested(&s->question);
    return true;
}

sac_status sac_gemm_choose(sac_device *device, const sac_gemm *gemm, sac_gemm_backend *backend,
                           sac_error *error)
{
    seeker s = {.gemm = gemm};
    sac_outcome outcomes[SAC_MOST_CANDIDATES];
    size_t chosen, count;
    sac_status status =
        sac_tested_choose(device, fill_candidate_test, &s,
                          "choose another device (see: saccade devices) or update its driver",
                          "even the simplest product computes wrong on it (see: saccade selftest)",
                          &chosen, outcomes, &count, error);
    if (status == SAC_OK)
        *backend = s.backends[chosen];
    return status;
}
