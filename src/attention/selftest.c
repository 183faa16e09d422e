/* Known-answer tests of the kernel variants on a device, against the float64 reference: what a
 * driver computes wrong is found before anyone sees it, and the next simpler variant takes over. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/known_attention.h"
#include "attention/product.h"
#include "attention/tuning.h"
#include "base/busy.h"
#include "base/error.h"
#include "device/cache.h"

static sac_verdict worse(sac_verdict a, sac_verdict b)
{
    return a > b ? a : b;
}

/* How projections are multiplied, which is tested apart: few attentions have any. */
static void ask_product(sac_device *device, sac_product_way way, bool transpose_a,
                        sac_selftest_result *result)
{
    *result = (sac_selftest_result){.bound = sac_product_bound()};
    snprintf(result->variant, sizeof result->variant, "%s", sac_product_way_name(way));
    snprintf(result->test, sizeof result->test, "matrix product%s",
             transpose_a ? ", the first transposed" : "");
    result->error = sac_product_error(device, way, transpose_a);
    result->passed = result->error <= result->bound;
    if (!isfinite(result->error)) {
        result->error = -1;
        snprintf(result->message, sizeof result->message,
                 "it fails, or its numbers are not finite");
    }
}

/* All ways, each with the first matrix as it is and transposed. The verdict on the device so far as
 * multiplying goes. */
static sac_verdict ask_products(sac_device *device, sac_selftest_result *results)
{
    sac_product_way first = sac_product_first_way(device);
    sac_verdict whole = SAC_PASSED;
    for (int transposed = 0; transposed < 2; transposed++) {
        sac_verdict verdict = SAC_REFUSED;
        for (sac_product_way way = first; way < SAC_PRODUCT_WAY_COUNT; way++, results++) {
            ask_product(device, way, transposed, results);
            if (results->passed && verdict == SAC_REFUSED)
                verdict = way == first ? SAC_PASSED : SAC_REDUCED;
        }
        whole = worse(whole, verdict);
    }
    return whole;
}

/* ---------------------------------------------------------------- what follows from the answers */

/* Kernels are built per form of the score, so a device is tested form by form, as each is needed.
 */
static const char *const form_names[SAC_FORM_COUNT] = {"dot", "gaussian", "additive"};

/* "cpu-dot", or with tiles of another shape than ships "cpu-dot-1f00ba12": the name that a verdict
 * is remembered under. */
static const char *verdict_name(const sac_device *device, sac_variant variant, sac_score_form form,
                                const sac_tiling *tiling, char *name, size_t size)
{
    const sac_tiling *shipped = sac_tiling_shipped(&device->info, variant);
    int used = snprintf(name, size, "%s-%s", sac_variant_name(variant), form_names[form]);
    if (memcmp(tiling, shipped, sizeof *tiling) != 0)
        snprintf(name + used, size - (size_t)used, "-%08x",
                 (unsigned)sac_hash(SAC_HASH_START, tiling, sizeof *tiling));
    return name;
}

/* "gpu-dot-half": the same for float16. */
static const char *half_verdict_name(sac_variant variant, sac_score_form form, char *name,
                                     size_t size)
{
    snprintf(name, size, "%s-%s-half", sac_variant_name(variant), form_names[form]);
    return name;
}

/* Whether all questions of a form are answered right; `name` is the verdict's. */
static bool all_pass(sac_device *device, sac_variant variant, sac_score_form form,
                     const sac_tiling *tiling, sac_storage storage, const char *name)
{
    sac_verdict verdict = sac_verdict_recall(device, name);
    if (verdict != SAC_UNTESTED)
        return verdict == SAC_PASSED;
    bool passed = true;
    for (size_t i = 0; i < sac_known_count() && passed; i++) {
        sac_selftest_result result;
        if (sac_known_form(i) != form)
            continue;
        sac_known_ask(device, i, variant, tiling, storage, &result);
        passed = result.passed;
    }
    sac_verdict_remember(device, name, passed ? SAC_PASSED : SAC_REFUSED);
    return passed;
}

bool sac_tiling_passes(sac_device *device, sac_variant variant, sac_score_form form,
                       const sac_tiling *tiling)
{
    char name[48];
    verdict_name(device, variant, form, tiling, name, sizeof name);
    return all_pass(device, variant, form, tiling, SAC_STORAGE_F32, name);
}

/* With the tiles that ship. Only the GPU and matrix kernels know float16; to the others it is
 * floats.
 */
static bool passes(sac_device *device, sac_variant variant, sac_score_form form,
                   sac_storage storage)
{
    char name[48];
    const sac_tiling *tiling = sac_tiling_shipped(&device->info, variant);
    if (storage == SAC_STORAGE_F32 || (variant != SAC_VARIANT_GPU && variant != SAC_VARIANT_MATRIX))
        return sac_tiling_passes(device, variant, form, tiling);
    half_verdict_name(variant, form, name, sizeof name);
    return all_pass(device, variant, form, tiling, storage, name);
}

/* The variants that make sense on a device, the fastest first, then 0. */
static const sac_variant *candidates(const sac_device *device)
{
    static const sac_variant on_cpu[] = {SAC_VARIANT_CPU, SAC_VARIANT_GPU, SAC_VARIANT_NAIVE, 0};
    static const sac_variant on_gpu[] = {SAC_VARIANT_GPU, SAC_VARIANT_NAIVE, 0};
    return device->info.is_cpu ? on_cpu : on_gpu;
}

/* Whether the matrix kernels are worth a try, beside the candidates: they are not missed where they
 * fail. */
static bool has_matrix_kernels(const sac_device *device, sac_score_form form)
{
    return device->info.is_gpu && form == SAC_FORM_DOT && device->info.matrix != SAC_MATRIX_NONE;
}

sac_status sac_variant_choose(sac_device *device, sac_score_form form, sac_storage storage,
                              sac_variant *variant, sac_error *error)
{
    const sac_variant *candidate = candidates(device);
    sac_verdict verdict = SAC_PASSED;
    if (has_matrix_kernels(device, form) && storage == SAC_STORAGE_F16 &&
        passes(device, SAC_VARIANT_MATRIX, form, storage)) {
        *variant = SAC_VARIANT_MATRIX;
        return SAC_OK;
    }
    while (*candidate && !passes(device, *candidate, form, storage)) {
        verdict = SAC_REDUCED;
        candidate++;
    }
    sac_status status = sac_busy_check("self-test", error); /* then they fail for that */
    if (status != SAC_OK)
        return status;
    if (!*candidate)
        verdict = SAC_REFUSED;
    sac_verdict_remember(device, SAC_VERDICT_DEVICE, worse(verdict, device->info.verdict));
    if (verdict == SAC_REFUSED)
        return sac_fail(error, SAC_E_DEVICE, device->info.name,
                        "choose another device (see: saccade devices) or update its driver",
                        "even the simplest kernel computes wrong on it (see: saccade selftest)");
    *variant = *candidate;
    return SAC_OK;
}

/* Remembers each variant's verdict per form, and the device's, which products give `whole`. */
static sac_verdict remember_results(sac_device *device, const sac_selftest_result *results,
                                    sac_verdict whole)
{
    const sac_variant *variants = candidates(device);
    for (int form = 0; form < SAC_FORM_COUNT; form++) {
        sac_verdict of_form = SAC_REFUSED;
        for (int v = 0; variants[v]; v++) {
            char name[48];
            bool passed = true;
            const sac_tiling *tiling = sac_tiling_shipped(&device->info, variants[v]);
            for (size_t i = 0; i < sac_known_count(); i++)
                if ((int)sac_known_form(i) == form)
                    passed = passed && results[v * sac_known_count() + i].passed;
            verdict_name(device, variants[v], (sac_score_form)form, tiling, name, sizeof name);
            sac_verdict_remember(device, name, passed ? SAC_PASSED : SAC_REFUSED);
            if (passed && of_form == SAC_REFUSED)
                of_form = v == 0 ? SAC_PASSED : SAC_REDUCED;
        }
        whole = worse(whole, of_form);
    }
    sac_verdict_remember(device, SAC_VERDICT_DEVICE, whole);
    return whole;
}

/* All questions of a form: how many. Their verdict is remembered under `name`. */
static size_t ask_form(sac_device *device, sac_variant variant, sac_score_form form,
                       const sac_tiling *tiling, sac_storage storage, const char *name,
                       sac_selftest_result *results)
{
    size_t count = 0;
    bool passed = true;
    for (size_t i = 0; i < sac_known_count(); i++) {
        if (sac_known_form(i) != form)
            continue;
        sac_known_ask(device, i, variant, tiling, storage, &results[count]);
        passed = passed && results[count++].passed;
    }
    sac_verdict_remember(device, name, passed ? SAC_PASSED : SAC_REFUSED);
    return count;
}

/* The questions that a tuned shape is in use for, if there is one: how many. A shape that fails is
 * used no more. */
static size_t ask_tuned(sac_device *device, sac_selftest_result *results)
{
    char name[48];
    sac_variant variant;
    const sac_tiling *tiling = sac_tuning_peek(device, &variant);
    if (!tiling)
        return 0;
    verdict_name(device, variant, SAC_FORM_DOT, tiling, name, sizeof name);
    size_t count = ask_form(device, variant, SAC_FORM_DOT, tiling, SAC_STORAGE_F32, name, results);
    for (size_t i = 0; i < count; i++)
        snprintf(results[i].variant, sizeof results[i].variant, "%s, tuned",
                 sac_variant_name(variant));
    return count;
}

/* The questions of some form with float16: how many. */
static size_t ask_with_halves(sac_device *device, sac_variant variant, sac_score_form form,
                              sac_selftest_result *results)
{
    char name[48];
    half_verdict_name(variant, form, name, sizeof name);
    return ask_form(device, variant, form, sac_tiling_shipped(&device->info, variant),
                    SAC_STORAGE_F16, name, results);
}

/* All questions with float16, on devices that would compute with the kernels that know it: how
 * many.
 */
static size_t ask_halves(sac_device *device, sac_selftest_result *results)
{
    size_t count = 0;
    if (candidates(device)[0] != SAC_VARIANT_GPU)
        return 0;
    for (int form = 0; form < SAC_FORM_COUNT; form++)
        count += ask_with_halves(device, SAC_VARIANT_GPU, (sac_score_form)form, results + count);
    if (has_matrix_kernels(device, SAC_FORM_DOT))
        count += ask_with_halves(device, SAC_VARIANT_MATRIX, SAC_FORM_DOT, results + count);
    return count;
}

static sac_status tell(const sac_progress *progress, size_t done, size_t all, sac_error *error)
{
    if (progress && progress->step && !progress->step(progress->user, (double)done / (double)all))
        return sac_fail(error, SAC_E_CANCELLED, "self-test", NULL, "stopped on request");
    return sac_busy_check("self-test", error);
}

sac_status sac_selftest_run(sac_device *device, sac_selftest_result **results, size_t *count,
                            sac_verdict *verdict, const sac_progress *progress, sac_error *error)
{
    const sac_variant *variants = candidates(device);
    size_t known = sac_known_count(), variant_count = 0;
    while (variants[variant_count])
        variant_count++;
    size_t ways = SAC_PRODUCT_WAY_COUNT - sac_product_first_way(device);
    size_t products = variant_count * known; /* where their results begin */
    *count = products + 2 * ways;
    *results = calloc(*count + 3 * known, sizeof **results);
    if (!*results)
        return sac_fail(error, SAC_E_MEMORY, "self-test", NULL, "no memory");
    sac_status status = SAC_OK;
    for (size_t i = 0; i < products && status == SAC_OK; i++) {
        sac_variant variant = variants[i / known];
        const sac_tiling *tiling = sac_tiling_shipped(&device->info, variant);
        status = tell(progress, i, *count, error);
        if (status == SAC_OK)
            sac_known_ask(device, i % known, variant, tiling, SAC_STORAGE_F32, *results + i);
    }
    if (status == SAC_OK)
        status = tell(progress, products, *count, error);
    if (status == SAC_OK) {
        *verdict = remember_results(device, *results, ask_products(device, *results + products));
        *count += ask_tuned(device, *results + *count);
        *count += ask_halves(device, *results + *count);
        status = tell(progress, 1, 1, error);
    }
    if (status != SAC_OK) {
        free(*results);
        *results = NULL;
        *count = 0;
    }
    return status;
}
