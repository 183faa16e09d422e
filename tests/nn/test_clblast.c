/* A CLBlast that is wrong in some of its products: the self-test sees it, and our own kernels take
 * over. CLBlast's functions are the test's own, which the linker takes from here; they multiply by
 * tiles. */

#include "base/notice.h"
#include "gemm/gemm_selftest.h"
#include "reference.h"
#include "status.h"
#include "test.h"

#include <clblast_c.h>

static struct {
    bool refuses_parameters;
    size_t wrong_from;                          /* rows; 0: nowhere */
    bool is_wrong_in_whole_tiles, is_wrong_off; /* a tile */
    bool writes_beside;
    int products;
} clblast;

CLBlastStatusCode CLBlastOverrideParameters(const cl_device_id device, const char *kernel,
                                            const CLBlastPrecision precision, const size_t count,
                                            const char **names, const size_t *values)
{
    (void)device, (void)kernel, (void)precision, (void)count, (void)names, (void)values;
    return clblast.refuses_parameters ? CLBlastInvalidOverrideKernel : CLBlastSuccess;
}

CLBlastStatusCode CLBlastSGemmTempBufferSize(const CLBlastLayout layout, const CLBlastTranspose a,
                                             const CLBlastTranspose b, const size_t m,
                                             const size_t n, const size_t k, const size_t a_at,
                                             const size_t a_line, const size_t b_at,
                                             const size_t b_line, const size_t c_at,
                                             const size_t c_line, cl_command_queue *queue,
                                             size_t *bytes)
{
    (void)layout, (void)a, (void)b, (void)m, (void)n, (void)k, (void)a_at, (void)a_line;
    (void)b_at, (void)b_line, (void)c_at, (void)c_line, (void)queue;
    *bytes = 0;
    return CLBlastSuccess;
}

static void spoil(sac_span c, size_t count)
{
    OK(sac_span_fill(reference_device(), c, count, 0.25f, &failure));
}

/* The call is Cᵀ = op(B)ᵀ op(A)ᵀ. The kernels of tiles are there already, as the drivers are
 * locked; those that read B in place need not be. */
CLBlastStatusCode CLBlastSgemmWithTempBuffer(
    const CLBlastLayout layout, const CLBlastTranspose of_b, const CLBlastTranspose of_a,
    const size_t n, const size_t m, const size_t k, const float alpha, const cl_mem b,
    const size_t b_at, const size_t b_line, const cl_mem a, const size_t a_at, const size_t a_line,
    const float beta, cl_mem c, const size_t c_at, const size_t c_line, cl_command_queue *queue,
    cl_event *event, cl_mem scratch)
{
    const sac_gemm gemm = {.m = m,
                           .n = n,
                           .k = k,
                           .transpose_a = of_a == CLBlastTransposeYes,
                           .transpose_b = of_b == CLBlastTransposeYes,
                           .accumulate = beta != 0,
                           .any_rows = true};
    sac_span to = {c, (cl_uint)c_at};
    bool whole = m % 64 == 0 && n % 64 == 0;
    (void)layout, (void)alpha, (void)b_line, (void)a_line, (void)c_line, (void)queue, (void)event;
    (void)scratch;
    clblast.products++;
    bool is_cpu = reference_device()->profile.is_cpu;
    reference_device()->profile.is_cpu = true;
    OK(sac_gemm_tiled(reference_device(), &gemm, (sac_span){a, (cl_uint)a_at},
                      (sac_span){b, (cl_uint)b_at}, to, &failure));
    reference_device()->profile.is_cpu = is_cpu;
    if ((clblast.wrong_from && m >= clblast.wrong_from) ||
        (whole ? clblast.is_wrong_in_whole_tiles : clblast.is_wrong_off))
        spoil(sac_span_from(to, m * n / 2), m / 32 * n + 1); /* a part of the rows */
    if (clblast.writes_beside && c_at)
        spoil((sac_span){c, (cl_uint)c_at - 1}, 1);
    return CLBlastSuccess;
}

static sac_outcome outcome_of(sac_gemm_backend backend, bool transpose_a)
{
    const sac_gemm_question question = {backend, transpose_a, SAC_STORED_F32};
    sac_tested tested = sac_gemm_tested(&question);
    return sac_tested_run(reference_device(), &tested, NULL, NULL, NULL, NULL);
}

static bool passes(void)
{
    sac_outcome rows = outcome_of(SAC_GEMM_CLBLAST, false);
    assert_int_not_equal(rows, SAC_DID_NOT_RUN);
    assert_int_equal(rows, outcome_of(SAC_GEMM_CLBLAST, true));
    return rows == SAC_RIGHT;
}

/* Builds all kernels that products by tiles need. */
static int build_kernels(void **state)
{
    (void)state;
    bool ran = outcome_of(SAC_GEMM_TILED, false) != SAC_DID_NOT_RUN &&
               outcome_of(SAC_GEMM_TILED, true) != SAC_DID_NOT_RUN;
    return ran ? 0 : -1;
}

static char notice[512];

static void keep_notice(void *user, const char *text)
{
    (void)user;
    snprintf(notice, sizeof notice, "%s", text);
}

/* As on a GPU, for which CLBlast comes first. Nothing that is found out here is kept on disk under
 * a name that others read: no CPU asks for CLBlast. */
static sac_gemm_backend chosen_on_a_gpu(void)
{
    sac_device *device = reference_device();
    const sac_gemm product = {.m = 64, .n = 64, .k = 64};
    sac_gemm_backend chosen = SAC_GEMM_BACKEND_COUNT;
    char before[sizeof device->verdicts];
    memcpy(before, device->verdicts, sizeof before);
    snprintf(device->verdicts, sizeof before, "long-loops passed\ntiled-rows passed\n");
    sac_notice_listen(keep_notice, NULL);
    notice[0] = '\0';
    device->profile.is_cpu = false;
    sac_status status = sac_gemm_choose(device, &product, &chosen, &failure);
    device->profile.is_cpu = true;
    sac_notice_listen(NULL, NULL);
    memcpy(device->verdicts, before, sizeof before);
    sac_verdicts_resume(device);
    OK(status);
    return chosen;
}

/* The first of the process, as parameters are set once. */
TEST(clblast_without_parameter_override_is_replaced_by_our_kernels)
{
    memset(&clblast, 0, sizeof clblast);
    clblast.refuses_parameters = true;
    assert_int_equal(chosen_on_a_gpu(), SAC_GEMM_TILED);
    assert_int_equal(clblast.products, 0);
}

TEST(one_that_is_right_passes)
{
    memset(&clblast, 0, sizeof clblast);
    assert_true(passes());
}

TEST(one_that_is_wrong_in_large_products_alone_is_found_out)
{
    memset(&clblast, 0, sizeof clblast);
    clblast.wrong_from = 1152;
    assert_false(passes());
    clblast.wrong_from = 1153;
    assert_false(passes());
}

TEST(one_that_is_wrong_in_whole_tiles_alone_is_found_out)
{
    memset(&clblast, 0, sizeof clblast);
    clblast.is_wrong_in_whole_tiles = true;
    assert_false(passes());
    memset(&clblast, 0, sizeof clblast);
    clblast.is_wrong_off = true;
    assert_false(passes());
}

TEST(one_that_writes_beside_its_product_is_found_out)
{
    memset(&clblast, 0, sizeof clblast);
    clblast.writes_beside = true;
    assert_false(passes());
}

TEST(wrong_clblast_is_replaced_by_our_kernels_with_one_notice)
{
    memset(&clblast, 0, sizeof clblast);
    clblast.is_wrong_off = true;
    assert_int_equal(chosen_on_a_gpu(), SAC_GEMM_TILED);
    assert_non_null(strstr(notice, "clblast"));
    assert_non_null(strstr(notice, "saccade selftest"));
}

TEST_MAIN(build_kernels, reference_close)
