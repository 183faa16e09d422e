/* Which device is taken, of lists that no one machine has. */

#include "device/internal.h"
#include "status.h"
#include "test.h"

#define POCL "Portable Computing Language"

static const sac_found pocl = {
    .info = {.name = "pthread-znver4-AMD EPYC 9354 Processor",
             .version = "OpenCL 3.0 PoCL HSTR: pthread-x86_64-pc-linux-gnu-znver4",
             .platform = POCL,
             .vendor = "AuthenticAMD",
             .compute_units = 2,
             .is_cpu = true}};
static const sac_found intel_cpu = {
    .info = {.name = "Intel(R) Core(TM) i7 CPU", .platform = "Intel(R) OpenCL", .is_cpu = true}};
static const sac_found radeon = {.info = {.name = "AMD Radeon RX 7900 XT (gfx1100)",
                                          .platform = "AMD Accelerated Parallel Processing",
                                          .compute_units = 42,
                                          .is_gpu = true}};
static const sac_found arc = {
    .info = {.name = "Intel(R) Arc(TM) A770", .platform = "Intel(R) OpenCL", .is_gpu = true}};
static const sac_found broken = {
    .info = {.name = "Clover", .platform = "Clover", .problem = "has no device"}};

/* Puts copies into one list, numbered as sac_find_devices does. */
static size_t make_list(sac_found *list, size_t count, const sac_found *const *items)
{
    int number = 0;
    for (size_t i = 0; i < count; i++) {
        list[i] = *items[i];
        if (!list[i].info.problem[0])
            list[i].info.number = ++number;
    }
    return count;
}
#define LIST(...)                                                                                  \
    const sac_found *items[] = {__VA_ARGS__};                                                      \
    sac_found list[sizeof items / sizeof *items];                                                  \
    size_t count = make_list(list, sizeof items / sizeof *items, items)

/* The index in the list of what `selector` means; −1 for nothing. */
static int choose(sac_found *list, size_t count, const char *selector)
{
    sac_found *chosen;
    return sac_choose_device(list, count, selector, &chosen, NULL) == SAC_OK ? (int)(chosen - list)
                                                                             : -1;
}

TEST(a_gpu_comes_before_a_cpu_and_the_first_gpu_before_the_next)
{
    LIST(&broken, &pocl, &radeon, &arc);
    assert_int_equal(choose(list, count, NULL), 2);
    assert_true(list[2].info.chosen);
    assert_string_equal(list[2].info.reason, "a GPU");
}

TEST(pocl_comes_first_among_cpus_unless_the_self_test_cut_it_down)
{
    LIST(&intel_cpu, &pocl);
    assert_int_equal(choose(list, count, NULL), 1);
    list[0].info.verdict = SAC_PASSED; /* untested is no worse */
    assert_int_equal(choose(list, count, NULL), 1);
    list[1].info.verdict = SAC_REDUCED;
    assert_int_equal(choose(list, count, NULL), 0);
}

TEST(a_refused_device_is_passed_over)
{
    LIST(&radeon, &pocl);
    list[0].info.verdict = SAC_REFUSED;
    assert_int_equal(choose(list, count, NULL), 1);
    assert_int_equal(choose(list, count, "gpu"), 0); /* opening it then gives the reason */
    assert_false(list[0].info.chosen);
    list[1].info.verdict = SAC_REFUSED;
    assert_int_equal(choose(list, count, NULL), 0); /* likewise */
}

TEST(a_device_is_named_by_number_kind_or_part_of_a_name)
{
    LIST(&broken, &pocl, &radeon, &intel_cpu);
    assert_int_equal(choose(list, count, "1"), 1);
    assert_int_equal(choose(list, count, "3"), 3);
    assert_int_equal(choose(list, count, "CPU"), 1);
    assert_int_equal(choose(list, count, "Gpu"), 2);
    assert_int_equal(choose(list, count, "radeon"), 2);
    assert_int_equal(choose(list, count, "7900"), 2); /* no number of a device */
    assert_int_equal(choose(list, count, "pocl"), 1);
    assert_int_equal(choose(list, count, "portable comp"), 1);
    assert_int_equal(choose(list, count, "authentic"), 1);
    assert_int_equal(choose(list, count, "Core(TM)"), 3);
    assert_int_equal(choose(list, count, "0"), 2); /* part of "7900" */
    assert_int_equal(choose(list, count, "-1"), -1);
    assert_int_equal(choose(list, count, "Clover"), -1);
    assert_int_equal(choose(list, count, "nvidia"), -1);
}

TEST(the_environment_chooses_where_the_caller_does_not)
{
    LIST(&radeon, &pocl);
    setenv("SACCADE_DEVICE", "cpu", 1);
    assert_int_equal(choose(list, count, NULL), 1);
    assert_string_equal(list[1].info.reason, "SACCADE_DEVICE is \"cpu\"");
    assert_int_equal(choose(list, count, "gpu"), 0);
    assert_string_equal(list[0].info.reason, "asked for as \"gpu\"");
    setenv("SACCADE_DEVICE", "", 1);
    assert_int_equal(choose(list, count, NULL), 0);
    unsetenv("SACCADE_DEVICE");
}

TEST(what_cannot_be_chosen_is_answered_with_a_way_out)
{
    sac_found *chosen;
    LIST(&broken, &pocl, &radeon);
    REFUSES(SAC_E_NO_DEVICE,
            "device: …\"nvidia\"; there is 1 \"PoCL, …2 \"AMD Radeon …; choose one by number…",
            sac_choose_device(list, count, "nvidia", &chosen, &failure));
    REFUSES(SAC_E_NO_DEVICE, "…no usable device…",
            sac_choose_device(list, 1, NULL, &chosen, &failure));
    REFUSES(SAC_E_NO_DEVICE, "…no platform at all…; …pocl-opencl-icd…",
            sac_choose_device(list, 0, NULL, &chosen, &failure));
}

TEST(codes_have_names_and_those_for_memory_their_own_status)
{
    assert_string_equal(sac_cl_code_name(CL_OUT_OF_RESOURCES), "CL_OUT_OF_RESOURCES");
    assert_string_equal(sac_cl_code_name(CL_INVALID_KERNEL_ARGS), "CL_INVALID_KERNEL_ARGS");
    assert_string_equal(sac_cl_code_name(-2046), "CLBlastInvalidLocalMemUsage");
    assert_string_equal(sac_cl_code_name(-4711), "code -4711");
    OK(sac_cl_check(NULL, "clFinish", CL_SUCCESS, &failure));
    assert_int_equal(failure.status, SAC_OK);
    assert_int_equal(sac_cl_check(NULL, "clCreateBuffer", CL_OUT_OF_RESOURCES, &failure),
                     SAC_E_MEMORY);
    assert_int_equal(
        sac_cl_check(NULL, "clEnqueueNDRangeKernel", CL_MEM_OBJECT_ALLOCATION_FAILURE, &failure),
        SAC_E_MEMORY);
    assert_int_equal(sac_cl_check(NULL, "clFinish", CL_OUT_OF_HOST_MEMORY, NULL), SAC_E_MEMORY);
    assert_int_equal(sac_cl_check(NULL, "clFinish of all", CL_OUT_OF_RESOURCES, &failure),
                     SAC_E_DEVICE);
    assert_string_equal(failure.call, "clFinish");
    assert_string_equal(failure.code, "CL_OUT_OF_RESOURCES");
    assert_string_equal(failure.what, "clFinish of all gave CL_OUT_OF_RESOURCES");
}

int main(void)
{
    unsetenv("SACCADE_DEVICE");
    return test_run(NULL, NULL);
}
