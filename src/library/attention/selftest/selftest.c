/* Known-answer tests of the kernel variants on a device, against the float64 reference: what a
 * driver computes wrong is found before anyone sees it, and the next simpler variant takes over. A
 * case that did not run (no memory, a build that failed) says nothing of the numbers: only what
 * ran is remembered. */
#include <stdlib.h>
#include <string.h>

#include "attention/plan/tuning.h"
#include "attention/selftest/selftest.h"
#include "attention/selftest/selftest_backward.h"
#include "attention/selftest/selftest_cases.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/hash.h"
#include "device/cache.h"
#include "gemm/gemm_selftest.h"
#include "saccade_tools.h"

/* ---------------------------------------------------------------- which cases for which kernels */

/* A variant with tiles of one shape, to run all cases of one form. Kernels are built per form of
 * the score, so a device is tested form by form, as each is needed. */
typedef struct subject {
    sac_variant variant;
    sac_score form;
    bool softcap; /* programs of their own: they run the same cases with a cap */
    const sac_tiling *tiling;
    sac_storage storage;
    char name[48]; /* that its verdict is remembered under */
} subject;

/* "cpu-dot", "capped-cpu-dot", or with tiles of another shape than ships "cpu-dot-1f00ba12". */
static subject tiled_subject(const sac_device *device, sac_variant variant, sac_score form,
                             bool softcap, const sac_tiling *tiling)
{
    subject s = {variant, form, softcap, tiling, SAC_STORAGE_F32, ""};
    const sac_tiling *shipped = sac_tiling_shipped(&device->info, variant);
    int used = snprintf(s.name, sizeof s.name, "%s%s-%s", softcap ? "capped-" : "",
                        sac_variant_name(variant), sac_score_name(form));
    if (memcmp(tiling, shipped, sizeof *tiling) != 0)
        snprintf(s.name + used, sizeof s.name - (size_t)used, "-%08x",
                 (unsigned)sac_hash(SAC_HASH_START, tiling, sizeof *tiling));
    return s;
}

/* "gpu-dot-half", with the tiles that ship. Only the GPU and matrix kernels know float16; to the
 * others it is floats. */
static subject shipped_subject(const sac_device *device, sac_variant variant, sac_score form,
                               bool softcap, sac_storage storage)
{
    bool knows_halves = variant == SAC_VARIANT_GPU || variant == SAC_VARIANT_MATRIX;
    const sac_tiling *tiling = sac_tiling_shipped(&device->info, variant);
    subject s = tiled_subject(device, variant, form, softcap, tiling);
    if (storage == SAC_STORAGE_F16 && knows_halves) {
        s.storage = storage;
        strncat(s.name, "-half", sizeof s.name - strlen(s.name) - 1);
    }
    return s;
}

/* The variants that make sense on a device, the fastest first, then 0. */
static const sac_variant *candidates(const sac_device *device)
{
    static const sac_variant on_cpu[] = {SAC_VARIANT_CPU, SAC_VARIANT_GPU, SAC_VARIANT_NAIVE, 0};
    static const sac_variant on_gpu[] = {SAC_VARIANT_GPU, SAC_VARIANT_NAIVE, 0};
    return device->profile.is_cpu ? on_cpu : on_gpu;
}

/* True where the matrix kernels are worth a try beside the candidates; nothing depends on them
 * where they fail. */
static bool has_matrix_kernels(const sac_device *device, sac_score form)
{
    return !device->profile.is_cpu && form == SAC_SCORE_DOT &&
           device->info.matrix != SAC_MATRIX_NONE;
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

static void tell(report *r, double done)
{
    const sac_progress *progress = r->progress;
    if (progress && progress->step && !progress->step(progress->user, done))
        r->status = sac_fail(r->error, SAC_E_CANCELLED, "self-test", NULL, "stopped on request");
    else
        r->status = sac_cancel_check("self-test", r->error);
}

/* Lends a place for one more; NULL after an error. */
static sac_selftest_result *next_result(report *r)
{
    if (r->status == SAC_OK && r->count == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 64;
        sac_selftest_result *results = realloc(r->results, capacity * sizeof *results);
        if (results) {
            r->results = results;
            r->capacity = capacity;
        } else {
            r->status = sac_fail(r->error, SAC_E_MEMORY, "self-test", NULL, "out of memory");
        }
    }
    if (r->status == SAC_OK)
        tell(r, r->count < r->expected ? (double)r->count / (double)r->expected : 1);
    return r->status == SAC_OK ? &r->results[r->count++] : NULL;
}

static sac_outcome worse(sac_outcome a, sac_outcome b)
{
    return a > b ? a : b;
}

static sac_outcome outcome_of(const sac_selftest_result *result)
{
    return result->passed ? SAC_RIGHT : result->error < 0 ? SAC_DID_NOT_RUN : SAC_WRONG;
}

/* Runs all cases of the subject's form into the report, or without one until a case is not right,
 * and remembers the outcome. `error` (may be NULL) says why a case did not run. */
static sac_outcome run_cases(sac_device *device, const subject *s, report *r, sac_error *error)
{
    sac_outcome outcome = SAC_RIGHT;
    for (size_t i = 0; i < sac_selftest_case_count() && (r || outcome == SAC_RIGHT); i++) {
        sac_selftest_result unlisted, *result = &unlisted;
        if (sac_selftest_case_form(i) != s->form)
            continue;
        if (r && !(result = next_result(r)))
            return SAC_DID_NOT_RUN;
        sac_cancel_scope_done((double)i / (double)sac_selftest_case_count());
        sac_selftest_case_run(device, i, s->variant, s->softcap, s->tiling, s->storage, result,
                              error);
        outcome = worse(outcome, outcome_of(result));
    }
    sac_outcome_remember(device, s->name, outcome);
    return outcome;
}

/* Recalls the outcome, or runs the cases without a report where they were never run. */
static sac_outcome recall_or_run(sac_device *device, const subject *s, sac_error *error)
{
    sac_outcome outcome = sac_outcome_recall(device, s->name);
    return outcome == SAC_UNASKED ? run_cases(device, s, NULL, error) : outcome;
}

/* True where the subject's outcome is right. It is for kernels that others can stand in for: where
 * they do not run, the device does without them until it is opened again. */
static bool passes(sac_device *device, const subject *s)
{
    sac_outcome outcome = recall_or_run(device, s, NULL);
    if (outcome == SAC_DID_NOT_RUN)
        sac_verdict_suspend(device, s->name);
    return outcome == SAC_RIGHT;
}

bool sac_tiling_passes(sac_device *device, sac_variant variant, sac_score form, bool softcap,
                       const sac_tiling *tiling)
{
    subject s = tiled_subject(device, variant, form, softcap, tiling);
    return passes(device, &s);
}

/* ---------------------------------------------------------------- what follows from the outcomes
 */

/* The judgement on a device, from its variants' outcomes, the fastest first. */
typedef struct judgement {
    sac_verdict verdict;
    bool is_final; /* nothing that matters failed to run */
} judgement;

/* SAC_UNTESTED: none is right, and some might be that did not run. */
static judgement judge(const sac_outcome *outcomes, size_t count)
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

static judgement both(judgement a, judgement b)
{
    static const int gravity[] = {
        [SAC_PASSED] = 0, [SAC_REDUCED] = 1, [SAC_UNTESTED] = 2, [SAC_REFUSED] = 3};
    sac_verdict worst = gravity[a.verdict] > gravity[b.verdict] ? a.verdict : b.verdict;
    return (judgement){worst, a.is_final && b.is_final};
}

enum { MOST_CANDIDATES = 3 };

static void suspend_all(sac_device *device, sac_score form, bool softcap, sac_storage storage,
                        const sac_outcome *outcomes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        subject s = shipped_subject(device, candidates(device)[i], form, softcap, storage);
        if (outcomes[i] == SAC_DID_NOT_RUN)
            sac_verdict_suspend(device, s.name);
    }
}

static void remember_judgement(sac_device *device, judgement j)
{
    sac_verdict before = device->info.verdict;
    if (j.is_final)
        sac_verdict_remember(device, SAC_VERDICT_DEVICE, j.verdict > before ? j.verdict : before);
}

static sac_status fail_to_choose(const sac_device *device, judgement j, const sac_error *why,
                                 sac_error *error)
{
    if (j.verdict == SAC_REFUSED)
        return sac_fail(error, SAC_E_DEVICE, device->info.name,
                        "choose another device (see: saccade devices) or update its driver",
                        "even the simplest kernel computes wrong on it (see: saccade selftest)");
    if (why->status == SAC_OK)
        return sac_fail(error, SAC_E_DEVICE, device->info.name, "see: saccade selftest",
                        "kernels did not run, and those that did compute wrong");
    if (error)
        *error = *why;
    return why->status;
}

sac_status sac_variant_choose(sac_device *device, sac_score form, bool softcap, sac_storage storage,
                              sac_variant *variant, sac_error *error)
{
    const sac_variant *candidate = candidates(device);
    sac_outcome outcomes[MOST_CANDIDATES];
    sac_error why = {0};
    size_t count = 0;
    subject s = shipped_subject(device, SAC_VARIANT_MATRIX, form, softcap, storage);
    if (has_matrix_kernels(device, form) && storage == SAC_STORAGE_F16 && passes(device, &s)) {
        *variant = SAC_VARIANT_MATRIX;
        return SAC_OK;
    }
    for (; candidate[count]; count++) {
        s = shipped_subject(device, candidate[count], form, softcap, storage);
        outcomes[count] = recall_or_run(device, &s, &why);
        if (outcomes[count] == SAC_RIGHT)
            break;
    }
    sac_status status = sac_cancel_check("self-test", error); /* the cases failed for it */
    if (status != SAC_OK)
        return status;
    *variant = candidate[count];
    judgement j = judge(outcomes, count + (*variant != 0));
    remember_judgement(device, j);
    if (*variant) {
        suspend_all(device, form, softcap, storage, outcomes, count);
        return SAC_OK;
    }
    return fail_to_choose(device, j, &why, error);
}

/* ---------------------------------------------------------------- the whole self-test */

/* All variants, form by form. */
static judgement test_variants(report *r)
{
    const sac_variant *variants = candidates(r->device);
    sac_score forms[SAC_SCORE_COUNT];
    sac_outcome outcomes[SAC_SCORE_COUNT][MOST_CANDIDATES];
    judgement whole = {SAC_PASSED, true};
    size_t count = 0, form_count = sac_score_forms(forms);
    for (; variants[count]; count++)
        for (size_t i = 0; i < form_count; i++) {
            subject s =
                shipped_subject(r->device, variants[count], forms[i], false, SAC_STORAGE_F32);
            outcomes[i][count] = run_cases(r->device, &s, r, NULL);
        }
    for (size_t i = 0; i < form_count; i++)
        whole = both(whole, judge(outcomes[i], count));
    return whole;
}

/* Tests the products of projections, apart from the rest: few attentions have any. */
static sac_outcome test_gemm(report *r, sac_gemm_backend backend, bool transpose_a)
{
    sac_error why = {0};
    sac_selftest_result *result = next_result(r);
    if (!result)
        return SAC_DID_NOT_RUN;
    *result = (sac_selftest_result){.bound = sac_gemm_selftest_bound()};
    snprintf(result->variant, sizeof result->variant, "%s", sac_gemm_backend_name(backend));
    snprintf(result->test, sizeof result->test, "matrix product%s",
             transpose_a ? ", the first transposed" : "");
    const sac_gemm_question question = {backend, transpose_a, SAC_F32};
    double error = sac_gemm_selftest_error(r->device, &question, &why);
    sac_selftest_result_set(result, error, &why);
    return outcome_of(result);
}

/* All backends, each with the first matrix as it is and transposed; that for few rows apart, as
 * any other takes over for it. */
static judgement test_gemms(report *r)
{
    sac_gemm_backend first = sac_gemm_first_backend(r->device);
    const sac_outcome few_rows[] = {test_gemm(r, SAC_GEMM_FEW_ROWS, false), SAC_RIGHT};
    judgement whole = judge(few_rows, 2);
    for (int transposed = 0; transposed < 2; transposed++) {
        sac_outcome outcomes[SAC_GEMM_BACKEND_COUNT];
        size_t count = 0;
        for (sac_gemm_backend backend = first; backend < SAC_GEMM_BACKEND_COUNT; backend++)
            outcomes[count++] = test_gemm(r, backend, transposed);
        whole = both(whole, judge(outcomes, count));
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
    size_t begin = r->count;
    subject s = tiled_subject(r->device, variant, SAC_SCORE_DOT, false, tiling);
    run_cases(r->device, &s, r, NULL);
    for (size_t i = begin; i < r->count; i++)
        snprintf(r->results[i].variant, sizeof r->results[i].variant, "%s, tuned",
                 sac_variant_name(variant));
}

/* All cases with float16, on devices that would compute with the kernels that know it. */
static void test_halves(report *r)
{
    sac_score forms[SAC_SCORE_COUNT];
    size_t count = sac_score_forms(forms);
    if (candidates(r->device)[0] != SAC_VARIANT_GPU)
        return;
    for (size_t i = 0; i < count; i++) {
        subject s = shipped_subject(r->device, SAC_VARIANT_GPU, forms[i], false, SAC_STORAGE_F16);
        run_cases(r->device, &s, r, NULL);
    }
    if (has_matrix_kernels(r->device, SAC_SCORE_DOT)) {
        subject s =
            shipped_subject(r->device, SAC_VARIANT_MATRIX, SAC_SCORE_DOT, false, SAC_STORAGE_F16);
        run_cases(r->device, &s, r, NULL);
    }
}

/* All cases with capped scores, of the products that models cap; other forms are asked when they
 * are needed. They say nothing of what is not capped. */
static void test_capped(report *r)
{
    for (const sac_variant *variant = candidates(r->device); *variant; variant++) {
        subject s = shipped_subject(r->device, *variant, SAC_SCORE_DOT, true, SAC_STORAGE_F32);
        run_cases(r->device, &s, r, NULL);
    }
}

static void test_gradients(report *r, sac_variant variant, sac_score form, bool softcap)
{
    sac_error why = {0};
    sac_selftest_result *result = next_result(r);
    if (!result)
        return;
    *result = (sac_selftest_result){.bound = sac_backward_bound()};
    snprintf(result->variant, sizeof result->variant, "%s", sac_variant_name(variant));
    snprintf(result->test, sizeof result->test, "gradients, %s%s", softcap ? "softcap, " : "",
             sac_score_name(form));
    sac_selftest_result_set(result, sac_backward_error(r->device, variant, form, softcap, &why),
                            &why);
}

/* The gradients of each form. They say nothing of what computes forwards, so that the verdict on
 * the device does not rest on them. */
static void test_backward(report *r)
{
    sac_score forms[SAC_SCORE_COUNT];
    size_t count = sac_score_forms(forms);
    for (const sac_variant *variant = sac_backward_candidates(r->device); *variant; variant++)
        for (size_t i = 0; i < count; i++)
            test_gradients(r, *variant, forms[i], false);
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
    return 2 * variants * sac_selftest_case_count() + 1 + 2 * backends +
           backward * sac_score_forms(forms);
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
    whole = both(whole, test_gemms(&r));
    test_backward(&r);
    test_capped(&r);
    test_tuned(&r);
    test_halves(&r);
    if (r.status == SAC_OK)
        tell(&r, 1);
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
