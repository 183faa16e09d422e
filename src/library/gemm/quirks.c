/* A kernel of loops, by which the longest loop of a device is found. */

#include "gemm/quirks.h"

#include <stdbool.h>

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
