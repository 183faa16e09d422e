/* OpenCL calls that fail during the self-test: what passes is not held against a device. The calls
 * that fail stand in for the driver's: the linker takes them from here. */
#include <dlfcn.h>
#include <unistd.h>

#include "device/device.h"
#include "extent.h"
#include "gemm/gemm_selftest.h"
#include "saccade_tools.h"
#include "status.h"
#include "test.h"

/* clCreateBuffer fails from call first_bad on (1: the next), bad_count times; 0: never. */
static int buffers, first_bad, bad_count;

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
    static cl_mem (*real)(cl_context, cl_mem_flags, size_t, void *, cl_int *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "clCreateBuffer");
    buffers++;
    if (buffers < first_bad || buffers >= first_bad + bad_count)
        return real(context, flags, size, host, code);
    *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}

static void fail_buffers(int first, int count)
{
    buffers = 0;
    first_bad = first;
    bad_count = count;
}

/* A cache without verdicts, beside the tests' own, whose programs it shares. PoCL keeps its own. */
static int make_cache(void **state)
{
    static char home[512];
    char command[2048];
    const char *shared = getenv("XDG_CACHE_HOME");
    if (!shared || snprintf(home, sizeof home, "%s/faults-XXXXXX", shared) >= (int)sizeof home ||
        !mkdtemp(home))
        return -1;
    snprintf(command, sizeof command,
             "mkdir -m 700 '%s/saccade' && cd '%s/saccade' && "
             "find . -name 'program-*' -exec ln {} '%s/saccade/' ';'",
             home, shared, home);
    if (system(command) != 0)
        return -1;
    snprintf(command, sizeof command, "%s/saccade/pocl", shared);
    setenv("POCL_CACHE_DIR", command, 1);
    setenv("XDG_CACHE_HOME", home, 1);
    *state = home;
    return 0;
}

static int remove_cache(void **state)
{
    char command[600];
    snprintf(command, sizeof command, "rm -rf '%s'", (char *)*state);
    return system(command);
}

static int forget_verdicts(void **state)
{
    char command[600];
    fail_buffers(0, 0);
    snprintf(command, sizeof command, "rm -f '%s'/saccade/verdicts-*", (char *)*state);
    return system(command);
}

static sac_device *open_device(void)
{
    sac_device *device;
    OK(sac_device_open(NULL, &device, &failure));
    return device;
}

/* A small attention by whatever variant passes, which tests those that were never tested. */
static sac_status attend(sac_device *device, sac_variant *variant, sac_error *error)
{
    static const float data[4 * 8] = {1, 2, 3};
    sac_array array = sac_array_view(SAC_F32, 2, (size_t[]){4, 8}, data);
    sac_attention_input input = {.query = &array, .key = &array, .value = &array};
    sac_attention *attention = NULL;
    sac_status status = sac_attention_create(device, &(sac_attention_spec){.variant = *variant},
                                             &input, &attention, error);
    if (status == SAC_OK)
        *variant = sac_attention_get_variant(attention);
    sac_attention_destroy(attention);
    return status;
}

/* What else is asked of a device once is asked, so that only known answers are left to fail. */
static sac_device *open_ready_device(void)
{
    sac_variant naive = SAC_VARIANT_NAIVE;
    sac_device *device = open_device();
    OK(attend(device, &naive, NULL));
    return device;
}

#define WITHOUT_VERDICTS(name) TEST_WITH(name, forget_verdicts, NULL)

WITHOUT_VERDICTS(no_memory_is_reported_and_passes)
{
    sac_variant variant = SAC_VARIANT_AUTO;
    sac_device *device = open_ready_device();
    fail_buffers(1, 1 << 30);
    REFUSES(SAC_E_MEMORY, "…clCreateBuffer gave CL_MEM_OBJECT_ALLOCATION_FAILURE…",
            attend(device, &variant, &failure));
    assert_int_equal(sac_device_get_info(device)->verdict, SAC_UNTESTED);
    fail_buffers(0, 0);
    variant = SAC_VARIANT_AUTO;
    OK(attend(device, &variant, &failure));
    assert_int_equal(variant, SAC_VARIANT_CPU);
    sac_device_close(device);
    device = open_device();
    assert_int_equal(sac_device_get_info(device)->verdict, SAC_PASSED);
    sac_device_close(device);
}

WITHOUT_VERDICTS(a_variant_that_did_not_run_is_missed_until_the_device_is_opened_again)
{
    FULL_ONLY;
    sac_device *device = open_ready_device();
    fail_buffers(1, 1);
    for (int i = 0; i < 2; i++) {
        sac_variant variant = SAC_VARIANT_AUTO;
        OK(attend(device, &variant, &failure));
        assert_int_equal(variant, SAC_VARIANT_GPU);
        assert_int_equal(sac_device_get_info(device)->verdict, SAC_UNTESTED);
    }
    sac_device_close(device);
    device = open_device();
    sac_variant variant = SAC_VARIANT_AUTO;
    OK(attend(device, &variant, &failure));
    assert_int_equal(variant, SAC_VARIANT_CPU);
    assert_int_equal(sac_device_get_info(device)->verdict, SAC_PASSED);
    sac_device_close(device);
}

WITHOUT_VERDICTS(no_memory_for_a_product_is_reported_and_passes)
{
    sac_gemm_backend backend;
    const sac_gemm product = {.m = 9, .n = 64, .k = 64};
    sac_device *device = open_device();
    fail_buffers(1, 1 << 30);
    assert_int_equal(sac_gemm_choose(device, &product, &backend, &failure), SAC_E_MEMORY);
    fail_buffers(1, 1);
    OK(sac_gemm_choose(device, &product, &backend, &failure));
    assert_int_equal(backend, SAC_GEMM_NAIVE);
    OK(sac_gemm_choose(device, &product, &backend, &failure));
    assert_int_equal(backend, SAC_GEMM_NAIVE);
    sac_device_close(device);
    device = open_device();
    OK(sac_gemm_choose(device, &product, &backend, &failure));
    assert_int_equal(backend, SAC_GEMM_TILED);
    sac_device_close(device);
}

/* Runs the self-test; how many of its questions did not run. */
static size_t selftest(sac_device *device, sac_verdict *verdict)
{
    sac_selftest_result *results;
    size_t count, missed = 0;
    OK(sac_selftest_run(device, &results, &count, verdict, NULL, &failure));
    for (size_t i = 0; i < count; i++) {
        if (results[i].error < 0)
            assert_non_null(strstr(results[i].message, "clCreateBuffer"));
        missed += results[i].error < 0;
        assert_int_equal(results[i].passed, results[i].error >= 0);
    }
    assert_true(missed < count || *verdict == SAC_UNTESTED);
    free(results);
    return missed;
}

WITHOUT_VERDICTS(a_self_test_keeps_no_verdict_that_rests_on_what_did_not_run)
{
    FULL_ONLY;
    sac_verdict verdict;
    sac_device *device = open_ready_device();
    fail_buffers(1, 1 << 30);
    assert_true(selftest(device, &verdict) > 0);
    assert_int_equal(verdict, SAC_UNTESTED);
    fail_buffers(1, 1);
    assert_int_equal(selftest(device, &verdict), 1);
    assert_int_equal(verdict, SAC_REDUCED);
    assert_int_equal(sac_device_get_info(device)->verdict, SAC_UNTESTED);
    assert_int_equal(selftest(device, &verdict), 0);
    assert_int_equal(verdict, SAC_PASSED);
    assert_int_equal(sac_device_get_info(device)->verdict, SAC_PASSED);
    sac_device_close(device);
}

TEST_MAIN(make_cache, remove_cache)
