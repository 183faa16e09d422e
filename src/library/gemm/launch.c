/* Groups and ranges of launches, fitted to the device's quirks. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/round.h"
#include "gemm/launch.h"

/* ---------------------------------------------------------------- the longest loop */

#define VERDICT "long-loops"
#define ROUNDS 200000u
#define LIMIT 65535

static sac_status try_long_loop(sac_device *device, bool *ends, sac_error *error)
{
    cl_uint rounds = ROUNDS, expected = 1, result = 0;
    cl_mem buffer = NULL;
    cl_kernel kernel;
    size_t one = 1;
    for (cl_uint i = 0; i < rounds; i++)
        expected = expected * 1664525u + 1013904223u;
    sac_status status = sac_buffer_create(device, sizeof result, NULL, &buffer, error);
    sac_arg args[] = {SAC_ARG(buffer), SAC_ARG(rounds)};
    if (status == SAC_OK)
        status = sac_kernel_get(device, "loops", "", "count", &kernel, error);
    if (status == SAC_OK)
        status = sac_kernel_launch(device, kernel, args, 2, 1, &one, &one, error);
    if (status == SAC_OK)
        status = sac_buffer_read(device, buffer, 0, sizeof result, &result, error);
    sac_buffer_release(buffer);
    *ends = result == expected;
    return status;
}

sac_status sac_quirk_loop_limit(sac_device *device, size_t *limit, sac_error *error)
{
    sac_verdict verdict =
        device->profile.has_long_loops ? SAC_PASSED : sac_verdict_recall(device, VERDICT);
    if (verdict == SAC_UNTESTED) {
        bool ends;
        sac_status status = try_long_loop(device, &ends, error);
        if (status != SAC_OK)
            return status;
        verdict = ends ? SAC_PASSED : SAC_REFUSED;
        sac_verdict_remember(device, VERDICT, verdict);
    }
    *limit = verdict == SAC_PASSED ? 0 : LIMIT;
    return SAC_OK;
}

/* ---------------------------------------------------------------- launches */

#define ITEMS_GROUP 64 /* one size for all: some drivers compile a kernel anew for each */
#define LARGE_GROUP 128

sac_status sac_launch_with_options(sac_device *device, const char *source, const char *options,
                                   const char *kernel, const sac_arg *args, int arg_count,
                                   size_t count, sac_error *error)
{
    cl_kernel handle;
    if (count == 0)
        return SAC_OK;
    sac_status status = sac_kernel_get(device, source, options, kernel, &handle, error);
    if (status != SAC_OK)
        return status;
    size_t local = device->info.max_work_group < ITEMS_GROUP ? 1 : ITEMS_GROUP;
    size_t global = sac_round_up(count, local);
    return sac_kernel_launch(device, handle, args, arg_count, 1, &global, &local, error);
}

static const char *items_options(const sac_device *device)
{
    return device->info.has_fma ? "-DWIDTH=1 -DFAST_FMA=1" : "-DWIDTH=1 -DFAST_FMA=0";
}

sac_status sac_launch_items(sac_device *device, const char *source, const char *kernel,
                            const sac_arg *args, int arg_count, size_t count, sac_error *error)
{
    return sac_launch_with_options(device, source, items_options(device), kernel, args, arg_count,
                                   count, error);
}

sac_status sac_launch_items_build(sac_device *device, const char *source, const char *kernel,
                                  sac_error *error)
{
    cl_kernel handle;
    return sac_kernel_get(device, source, items_options(device), kernel, &handle, error);
}

void sac_launch_items_expect(sac_device *device, const char *source)
{
    sac_kernel_expect(device, source, items_options(device), false);
}

/* Chooses a group. Where loops may not be long, a group of many items makes them short. */
static sac_status groups_options(sac_device *device, const char *options, char *all, size_t size,
                                 size_t *group, sac_error *error)
{
    size_t limit = 0;
    sac_status status = sac_quirk_loop_limit(device, &limit, error);
    bool wide = (device->profile.is_cpu && !limit) || device->info.max_work_group < LARGE_GROUP;
    unsigned width = wide ? device->profile.vector_width : 1;
    *group = wide ? 1 : LARGE_GROUP;
    snprintf(all, size, "-DWIDTH=%u -DFAST_FMA=%d -DGROUP_ITEMS=%zu%s", width, device->info.has_fma,
             *group, options);
    return status;
}

/* Not where loops are not known yet: that would be a launch. */
void sac_launch_groups_expect(sac_device *device, const char *source, const char *options,
                              bool all_kernels)
{
    char all[128];
    size_t group;
    if (device->profile.has_long_loops &&
        groups_options(device, options, all, sizeof all, &group, NULL) == SAC_OK)
        sac_kernel_expect(device, source, all, all_kernels);
}

sac_status sac_launch_groups(sac_device *device, const char *source, const char *options,
                             const char *kernel, const sac_arg *args, int arg_count, size_t groups,
                             sac_error *error)
{
    char all[128];
    sac_arg with_scratch[40];
    size_t group;
    cl_kernel handle;
    if (groups == 0)
        return SAC_OK;
    sac_status status = groups_options(device, options, all, sizeof all, &group, error);
    if (status == SAC_OK)
        status = sac_kernel_get(device, source, all, kernel, &handle, error);
    if (status != SAC_OK)
        return status;
    memcpy(with_scratch, args, (size_t)arg_count * sizeof *args);
    with_scratch[arg_count] = (sac_arg){group * sizeof(float), NULL};
    size_t global = groups * group;
    return sac_kernel_launch(device, handle, with_scratch, arg_count + 1, 1, &global, &group,
                             error);
}
