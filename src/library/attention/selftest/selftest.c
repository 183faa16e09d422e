/* Known-answer tests of the kernel variants on a device, against the float64 reference: what a
 * driver computes wrong is found before anyone sees it, and the next simpler variant takes over. A
 * case that did not run (no memory, a build that failed) is no evidence about the numbers: only
 * what ran is remembered. */
#include <stdio.h>
#include <stdlib.h>

#include "attention/plan/tuning.h"
#include "attention/selftest/selftest.h"
#include "attention/selftest/selftest_backward.h"
#include "attention/selftest/selftest_cases.h"
#include "attention/token/token.h"
#include "base/cancel.h"
#include "base/error.h"
#include "gemm/gemm_selftest.h"
#include "saccade_tools.h"

/* The variants that make sense on a device, the fastest first, then 0. */
static const sac_variant *candidates(const sac_device *device)
{
    static const sac_variant on_cpu[] = {SAC_VARIANT_CPU, SAC_VARIANT_GPU, SAC_VARIANT_NAIVE, 0};
    static const sac_variant on_gpu[] = {SAC_VARIANT_GPU, SAC_VARIANT_NAIVE, 0};
    return device->profile.is_cpu ? on_cpu : on_gpu;
}

/* True where the matrix kernels are worth a try beside the candidates; nothing depends on them
 * where they fail. */
static bool has_matrix_kernels(const sac_device *device, sac_score form, sac_storage storage)
{
    return !device->profile.is_cpu && form == SAC_SCORE_DOT &&
           sac_matrix_for_storage(&device->info, storage) != SAC_MATRIX_NONE;
}

/* A variant with the tiles that ship. Only the GPU and matrix kernels know float16; to the others it
 * is floats. */
static sac_forward_question shipped_tiling_question(const sac_device *device, sac_variant variant,
                                                    sac_score form, bool softcap,
                                                    sac_normalizer normalizer, sac_storage storage)
{
    bool knows_halves = variant == SAC_VARIANT_GPU || variant == SAC_VARIANT_MATRIX;
    bool halves = knows_halves && storage == SAC_STORAGE_F16;
    sac_storage known = halves ? SAC_STORAGE_F16 : SAC_STORAGE_F32;
    return (sac_forward_question){variant, form,
                                  softcap, normalizer,
                                  known,   sac_tiling_shipped_for(&device->info, variant, known)};
}

bool sac_tiling_passes(sac_device *device, sac_variant variant, sac_score form, bool softcap,
                       sac_storage storage, const sac_tiling *tiling)
{
    sac_forward_question question = {variant, form,  softcap, SAC_NORMALIZER_SOFTMAX,
                                     storage, tiling};
    sac_tested tested = sac_forward_make_test(device, &question);
    return sac_tested_passes(device, &tested);
}

bool sac_pairs_pass(sac_device *device, bool softcap)
{
    sac_forward_question question = {
        SAC_VARIANT_CPU,  SAC_SCORE_DOT,
        softcap,          SAC_NORMALIZER_SOFTMAX,
        SAC_STORAGE_BF16, sac_tiling_shipped(&device->info, SAC_VARIANT_CPU)};
    sac_tested tested = sac_forward_make_test(device, &question);
    return sac_tested_passes(device, &tested);
}

/* ---------------------------------------------------------------- running cases */

/* The results of a self-test, up to the first error. */
typedef struct report {
    sac_device *device;
    sac_selftest_result *results;
    size_t count, capacity;
    size_t expected; /* how many there will be, about: for the progress */
    const sac_progress *progress;
    sac_status status;
    sac_error *error;
} report;

/* Shows how far it is, and asks whether to go on. */
static void report_progress(report *r)
{
    const sac_progress *progress = r->progress;
    double done = r->count < r->expected ? (double)r->count / (double)r->expected : 1;
    if (r->status != SAC_OK)
        return;
    if (progress && progress->step && !progress->step(progress->user, done))
        r->status = sac_fail(r->error, SAC_E_CANCELLED, "self-test", NULL, "stopped on request");
    else
        r->status = sac_cancel_check("self-test", r->error);
}

/* Writes a line of the report: a case, or the worst of an operation's. */
static bool add_result(report *r, const char *variant, const char *test, double bound, double off,
                       const sac_error *why)
{
    char line[sizeof *why];
    if (r->count == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 64;
        sac_selftest_result *results = realloc(r->results, capacity * sizeof *results);
        if (!results) {
            r->status = sac_no_memory(r->error, "self-test");
            return false;
        }
        r->results = results;
        r->capacity = capacity;
    }
    sac_selftest_result *result = &r->results[r->count++];
    *result =
        (sac_selftest_result){.error = off, .bound = bound, .passed = off >= 0 && off <= bound};
    snprintf(result->variant, sizeof result->variant, "%s", variant);
    snprintf(result->test, sizeof result->test, "%s", test);
    if (off < 0)
        snprintf(result->message, sizeof result->message, "%.*s", (int)sizeof result->message - 1,
                 sac_error_line(why, line, sizeof line));
    report_progress(r);
    return r->status == SAC_OK;
}

/* Cases of the attention itself, as they run. */
typedef struct forward_lines {
    report *report;
    const sac_forward_question *question;
    const char *tuned; /* ", tuned" or "" */
    double bound;
} forward_lines;

static bool report_case(void *user, size_t index, double off, const sac_error *why)
{
    const forward_lines *lines = user;
    const sac_forward_question *q = lines->question;
    char variant[48], test[128];
    snprintf(variant, sizeof variant, "%s%s", sac_variant_name(q->variant), lines->tuned);
    const char *stored = q->storage == SAC_STORAGE_F16    ? "float16, "
                         : q->storage == SAC_STORAGE_BF16 ? "bfloat16, "
                                                          : "";
    bool is_softmax = q->normalizer == SAC_NORMALIZER_SOFTMAX;
    snprintf(test, sizeof test, "%s%s%s%s%s", stored, q->softcap ? "softcap, " : "",
             is_softmax ? "" : sac_normalizer_name(q->normalizer), is_softmax ? "" : ", ",
             sac_selftest_case_name(index));
    return add_result(lines->report, variant, test, lines->bound, off, why);
}

static sac_outcome test_forward(report *r, const sac_forward_question *question, const char *tuned)
{
    sac_tested tested = sac_forward_make_test(r->device, question);
    forward_lines lines = {r, question, tuned, tested.bound};
    report_progress(r);
    return r->status == SAC_OK ? sac_tested_run(r->device, &tested, report_case, &lines, NULL, NULL)
                               : SAC_DID_NOT_RUN;
}

/* The cases of another operation, in one line. */
static sac_outcome test_in_one_line(report *r, const sac_tested *tested, const char *variant,
                                    const char *test)
{
    sac_error why = {0};
    double worst = -1;
    report_progress(r);
    if (r->status != SAC_OK)
        return SAC_DID_NOT_RUN;
    sac_outcome outcome = sac_tested_run(r->device, tested, NULL, NULL, &worst, &why);
    return add_result(r, variant, test, tested->bound, worst, &why) ? outcome : SAC_DID_NOT_RUN;
}

/* ---------------------------------------------------------------- judgements */

/* The judgement on a device, from its variants' outcomes, the fastest first. */
typedef struct judgement {
    sac_verdict verdict;
    bool is_final; /* nothing that matters failed to run */
} judgement;

/* SAC_UNTESTED: none is right, and some might be that did not run. */
static judgement verdict_from_outcomes(const sac_outcome *outcomes, size_t count)
{
    judgement j = {SAC_UNTESTED, true};
    size_t i = 0;
    for (; i < count && outcomes[i] != SAC_RIGHT; i++)
        j.is_final = j.is_final && outcomes[i] == SAC_WRONG;
    if (i < count)
        j.verdict = i == 0 ? SAC_PASSED : SAC_REDUCED;
    else if (j.is_final)
        j.verdict = SAC_REFUSED;
    return j;
}

static judgement combine_judgements(judgement a, judgement b)
{
    static const int gravity[] = {
        [SAC_PASSED] = 0, [SAC_REDUCED] = 1, [SAC_UNTESTED] = 2, [SAC_REFUSED] = 3};
    sac_verdict worst = gravity[a.verdict] > gravity[b.verdict] ? a.verdict : b.verdict;
    return (judgement){worst, a.is_final && b.is_final};
}

static bool fill_candidate_test(sac_device *device, void *asked, size_t index, sac_tested *tested)
{
    sac_forward_question *q = asked;
    sac_variant variant = candidates(device)[index];
    if (!variant)
        return false;
    *q = shipped_tiling_question(device, variant, q->form, q->softcap, q->normalizer, q->storage);
    *tested = sac_forward_make_test(device, q);
    return true;
}

sac_status sac_variant_choose_no_matrix(sac_device *device, sac_score form, bool softcap,
                                        sac_normalizer normalizer, sac_storage storage,
                                        sac_variant *variant, sac_error *error)
{
    sac_outcome outcomes[SAC_MOST_CANDIDATES];
    size_t count = 0, chosen;
    sac_forward_question asked = {
        .form = form, .softcap = softcap, .normalizer = normalizer, .storage = storage};
    sac_status status =
        sac_tested_choose(device, fill_candidate_test, &asked,
                          "choose another device (see: saccade devices) or update its driver",
                          "even the simplest kernel computes wrong on it (see: saccade selftest)",
                          &chosen, outcomes, &count, error);
    judgement j = verdict_from_outcomes(outcomes, count);
    j.is_final = j.is_final && normalizer == SAC_NORMALIZER_SOFTMAX;
    sac_verdict before = device->info.verdict;
    if (j.is_final) /* nothing is remembered where work was asked to stop */
        sac_verdict_remember(device, SAC_VERDICT_DEVICE, j.verdict > before ? j.verdict : before);
    if (status == SAC_OK)
        *variant = candidates(device)[chosen];
    return status;
}

sac_status sac_variant_choose(sac_device *device, sac_score form, bool softcap,
                              sac_normalizer normalizer, sac_storage storage, sac_variant *variant,
                              sac_error *error)
{
    sac_forward_question asked =
        shipped_tiling_question(device, SAC_VARIANT_MATRIX, form, softcap, normalizer, storage);
    sac_tested tested = sac_forward_make_test(device, &asked);
    if (!has_matrix_kernels(device, form, storage) || !sac_tested_passes(device, &tested))
        return sac_variant_choose_no_matrix(device, form, softcap, normalizer, storage, variant,
                                            error);
    *variant = SAC_VARIANT_MATRIX;
    return SAC_OK;
}

/* ---------------------------------------------------------------- the whole self-test */

/* All variants, form by form. */
static judgement test_variants(report *r)
{
    const sac_variant *variants = candidates(r->device);
    sac_score forms[SAC_SCORE_COUNT];
    sac_outcome outcomes[SAC_SCORE_COUNT][SAC_MOST_CANDIDATES];
    judgement whole = {SAC_PASSED, true};
    size_t count = 0, form_count = sac_score_forms(forms);
    for (; variants[count]; count++)
        for (size_t i = 0; i < form_count; i++) {
            sac_forward_question question =
                shipped_tiling_question(r->device, variants[count], forms[i], false,
                                        SAC_NORMALIZER_SOFTMAX, SAC_STORAGE_F32);
            outcomes[i][count] = test_forward(r, &question, "");
        }
    for (size_t i = 0; i < form_count; i++)
        whole = combine_judgements(whole, verdict_from_outcomes(outcomes[i], count));
    return whole;
}

/* Tests the products of projections, apart from the rest: few attentions have any. */
static sac_outcome run_gemm_test(report *r, const sac_gemm_question *question, const char *test)
{
    sac_tested tested = sac_gemm_tested(question);
    return test_in_one_line(r, &tested, sac_gemm_backend_name(question->backend), test);
}

static sac_outcome test_gemm(report *r, sac_gemm_backend backend, bool transpose_a)
{
    const sac_gemm_question question = {backend, transpose_a, SAC_STORED_F32, false};
    sac_outcome outcome = run_gemm_test(
        r, &question, transpose_a ? "matrix product, the first transposed" : "matrix product");
    if (backend != SAC_GEMM_TILED || transpose_a)
        return outcome;
    const sac_gemm_question in_place = {backend, false, SAC_STORED_F32, true};
    sac_outcome other = run_gemm_test(r, &in_place, "matrix product, weights in place");
    return outcome > other ? outcome : other;
}

/* All backends, each with the first matrix as it is and transposed; that for few rows apart, as
 * any other takes over for it. */
static judgement test_gemms(report *r)
{
    sac_gemm_backend first = sac_gemm_first_backend(r->device);
    const sac_outcome few_rows[] = {test_gemm(r, SAC_GEMM_FEW_ROWS, false), SAC_RIGHT};
    judgement whole = verdict_from_outcomes(few_rows, 2);
    for (int transposed = 0; transposed < 2; transposed++) {
        sac_outcome outcomes[SAC_GEMM_BACKEND_COUNT];
        size_t count = 0;
        for (sac_gemm_backend backend = first; backend < SAC_GEMM_BACKEND_COUNT; backend++)
            outcomes[count++] = test_gemm(r, backend, transposed);
        whole = combine_judgements(whole, verdict_from_outcomes(outcomes, count));
    }
    return whole;
}

/* The cases that a tuned shape is in use for, if there is one. A shape that fails is used no
 * more. */
static void test_tuned(report *r)
{
    sac_variant variant;
    const sac_tiling *tiling = sac_tuning_get(r->device, &variant);
    if (!tiling)
        return;
    sac_forward_question question = {variant,         SAC_SCORE_DOT, false, SAC_NORMALIZER_SOFTMAX,
                                     SAC_STORAGE_F32, tiling};
    test_forward(r, &question, ", tuned");
}

/* All cases with bfloat16, where it is multiplied by pairs, and matrix products by them; and those by instructions for
 * matrices. */
static void test_pairs(report *r)
{
    sac_forward_question question = {SAC_VARIANT_CPU,
                                     SAC_SCORE_DOT,
                                     false,
                                     SAC_NORMALIZER_SOFTMAX,
                                     SAC_STORAGE_BF16,
                                     sac_tiling_shipped(&r->device->info, SAC_VARIANT_CPU)};
    if (r->device->profile.has_pairs) {
        test_forward(r, &question, "");
        test_gemm(r, SAC_GEMM_PAIRS, false);
    }
    if (r->device->profile.has_squares) {
        sac_tiling squares;
        sac_tiling_of_squares(&r->device->info, &squares);
        question.tiling = &squares;
        test_forward(r, &question, ", squares");
        question.storage = SAC_STORAGE_F32;
        test_forward(r, &question, ", squares");
        const sac_backward_question back = {SAC_VARIANT_CPU, SAC_SCORE_DOT, false,
                                            SAC_NORMALIZER_SOFTMAX, &squares};
        sac_tested tested = sac_backward_make_test(&back);
        test_in_one_line(r, &tested, sac_variant_name(SAC_VARIANT_CPU), "gradients, dot, squares");
        const sac_gemm_question rounded = {.backend = SAC_GEMM_MATRIX, .rounded = true};
        test_gemm(r, SAC_GEMM_MATRIX, false);
        test_gemm(r, SAC_GEMM_MATRIX, true);
        run_gemm_test(r, &rounded, "matrix product, in bfloat16");
    }
}

/* All cases with float16, on devices that would compute with the kernels that know it. */
static void test_halves(report *r)
{
    sac_score forms[SAC_SCORE_COUNT];
    size_t count = sac_score_forms(forms);
    if (candidates(r->device)[0] != SAC_VARIANT_GPU)
        return;
    for (size_t i = 0; i < count; i++) {
        sac_forward_question question = shipped_tiling_question(
            r->device, SAC_VARIANT_GPU, forms[i], false, SAC_NORMALIZER_SOFTMAX, SAC_STORAGE_F16);
        test_forward(r, &question, "");
    }
}

/* All cases by matrix instructions, of numbers that the device's multiply. */
static void test_matrix(report *r)
{
    static const sac_storage storages[] = {SAC_STORAGE_F32, SAC_STORAGE_F16};
    for (int i = 0; i < 2; i++) {
        sac_forward_question question =
            shipped_tiling_question(r->device, SAC_VARIANT_MATRIX, SAC_SCORE_DOT, false,
                                    SAC_NORMALIZER_SOFTMAX, storages[i]);
        if (has_matrix_kernels(r->device, SAC_SCORE_DOT, storages[i]))
            test_forward(r, &question, "");
    }
}

/* All cases with the other normalisers, of products; with other forms they are tested when they are
 * needed. The verdict on the softmax does not depend on them. */
static void test_sparse(report *r)
{
    for (int n = SAC_NORMALIZER_SOFTMAX + 1; n < SAC_NORMALIZER_COUNT; n++) {
        for (const sac_variant *variant = candidates(r->device); *variant; variant++) {
            sac_forward_question question = shipped_tiling_question(
                r->device, *variant, SAC_SCORE_DOT, false, (sac_normalizer)n, SAC_STORAGE_F32);
            test_forward(r, &question, "");
        }
        sac_forward_question question =
            shipped_tiling_question(r->device, SAC_VARIANT_MATRIX, SAC_SCORE_DOT, false,
                                    (sac_normalizer)n, SAC_STORAGE_F32);
        if (has_matrix_kernels(r->device, SAC_SCORE_DOT, SAC_STORAGE_F32))
            test_forward(r, &question, "");
    }
}

/* The attention of a language model that generates, on CPUs: of float32, and of heads of 64. */
static void test_token_generation(report *r)
{
    static const sac_token_kind kind = {SAC_STORED_F32, 64, false};
    sac_tested tested;
    if (sac_fused_fill_test(r->device, &kind.stored, kind.by_dots, &tested))
        test_in_one_line(r, &tested, "joint", "products of few rows, up to three together");
    if (sac_token_attention_fill_test(r->device, &kind.depth, &tested))
        test_in_one_line(r, &tested, "token", "attention of the last token");
    if (sac_token_layer_fill_test(r->device, &kind, &tested))
        test_in_one_line(r, &tested, "token", "a layer in one launch");
}

/* The gradients of each form, and with the other normalisers of products. They do not affect the verdict on the
 * forward pass. */
static void test_backward(report *r)
{
    sac_score forms[SAC_SCORE_COUNT];
    size_t count = sac_score_forms(forms);
    for (const sac_variant *variant = sac_backward_candidates(r->device); *variant; variant++)
        for (int n = 0; n < SAC_NORMALIZER_COUNT; n++)
            for (size_t i = 0; i < count; i++) {
                char test[64];
                const sac_backward_question question = {*variant, forms[i], false,
                                                        (sac_normalizer)n};
                sac_tested tested = sac_backward_make_test(&question);
                if (n != SAC_NORMALIZER_SOFTMAX && forms[i] != SAC_SCORE_DOT)
                    continue;
                snprintf(test, sizeof test, "gradients, %s%s%s",
                         n ? sac_normalizer_name((sac_normalizer)n) : "", n ? ", " : "",
                         sac_score_name(forms[i]));
                test_in_one_line(r, &tested, sac_variant_name(*variant), test);
            }
}

static size_t expected_count(const sac_device *device)
{
    size_t variants = 0, backends = SAC_GEMM_BACKEND_COUNT - (size_t)sac_gemm_first_backend(device);
    sac_score forms[SAC_SCORE_COUNT];
    size_t backward = 0;
    while (candidates(device)[variants])
        variants++;
    while (sac_backward_candidates(device)[backward])
        backward++;
    return (1 + SAC_NORMALIZER_COUNT) * variants * sac_selftest_case_count() + 1 + 2 * backends +
           backward * (sac_score_forms(forms) + SAC_NORMALIZER_COUNT - 1);
}

static sac_status run(sac_device *device, sac_selftest_result **results, size_t *count,
                      sac_verdict *verdict, const sac_progress *progress, sac_error *error)
{
    report r = {
        .device = device, .expected = expected_count(device), .progress = progress, .error = error};
    *results = NULL;
    *count = 0;
    sac_verdicts_resume(device);
    judgement whole = test_variants(&r);
    whole = combine_judgements(whole, test_gemms(&r));
    test_backward(&r);
    /* All cases with capped scores, of the products that models cap; other forms are tested when
     * they are needed. The verdict on scores without a cap does not depend on them. */
    for (const sac_variant *variant = candidates(r.device); *variant; variant++) {
        sac_forward_question question = shipped_tiling_question(
            r.device, *variant, SAC_SCORE_DOT, true, SAC_NORMALIZER_SOFTMAX, SAC_STORAGE_F32);
        test_forward(&r, &question, "");
    }
    test_sparse(&r);
    test_tuned(&r);
    test_halves(&r);
    test_matrix(&r);
    test_pairs(&r);
    test_token_generation(&r);
    r.expected = r.count;
    report_progress(&r);
    if (r.status != SAC_OK) {
        free(r.results);
        return r.status;
    }
    if (whole.is_final)
        sac_verdict_remember(device, SAC_VERDICT_DEVICE, whole.verdict);
    *verdict = whole.verdict;
    *results = r.results;
    *count = r.count;
    return SAC_OK;
}

sac_status sac_selftest_run(sac_device *device, sac_selftest_result **results, size_t *count,
                            sac_verdict *verdict, const sac_progress *progress, sac_error *error)
{
    sac_status status = sac_need(device, "device", error);
    if (status == SAC_OK)
        status = sac_need(results, "results", error);
    if (status == SAC_OK)
        status = sac_need(count, "count", error);
    if (status == SAC_OK)
        status = sac_need(verdict, "verdict", error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(device);
    device->is_testing = true;
    status = run(device, results, count, verdict, progress, error);
    device->is_testing = false;
    sac_device_unlock(device);
    return status;
}
