/* A driver for tests, with two platforms that cannot be used: "Refusing", whose clGetDeviceIDs
 * fails, and "Ancient", whose one device knows OpenCL 1.1 only. Built with -DCRASH it dies as it is
 * loaded. */
#include <stdlib.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_icd.h>

#ifdef CRASH
__attribute__((constructor)) static void crash(void)
{
    abort();
}
#endif

/* The loader finds the calls through the first member of each object. */
struct _cl_platform_id {
    const cl_icd_dispatch *dispatch;
    const char *name;
};
struct _cl_device_id {
    const cl_icd_dispatch *dispatch;
};

static cl_icd_dispatch calls;
static struct _cl_platform_id refusing = {&calls, "Refusing"}, ancient = {&calls, "Ancient"};
static struct _cl_device_id old_device = {&calls};

static cl_int give(const void *data, size_t size, size_t room, void *value, size_t *needed)
{
    if (needed)
        *needed = size;
    if (value && room < size)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, data, size);
    return CL_SUCCESS;
}

static cl_int give_text(const char *text, size_t room, void *value, size_t *needed)
{
    return give(text, strlen(text) + 1, room, value, needed);
}

static cl_int CL_API_CALL get_platform_info(cl_platform_id platform, cl_platform_info what,
                                            size_t room, void *value, size_t *needed)
{
    switch (what) {
    case CL_PLATFORM_NAME:
        return give_text(platform->name, room, value, needed);
    case CL_PLATFORM_VERSION:
        return give_text("OpenCL 1.1 odd", room, value, needed);
    case CL_PLATFORM_EXTENSIONS:
        return give_text("cl_khr_icd", room, value, needed);
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return give_text("ODD", room, value, needed);
    default:
        return give_text("odd", room, value, needed);
    }
}

static cl_int CL_API_CALL get_device_ids(cl_platform_id platform, cl_device_type type, cl_uint room,
                                         cl_device_id *devices, cl_uint *count)
{
    (void)type;
    if (platform == &refusing)
        return CL_OUT_OF_HOST_MEMORY;
    if (devices && room > 0)
        devices[0] = &old_device;
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info what, size_t room,
                                          void *value, size_t *needed)
{
    const cl_bool yes = CL_TRUE;
    (void)device;
    switch (what) {
    case CL_DEVICE_NAME:
        return give_text("  Old Iron  ", room, value, needed);
    case CL_DEVICE_VERSION:
        return give_text("OpenCL 1.1 odd", room, value, needed);
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
        return give(&yes, sizeof yes, room, value, needed);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int CL_API_CALL get_platforms(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
    if (platforms && room > 1) {
        platforms[0] = &refusing;
        platforms[1] = &ancient;
    }
    if (count)
        *count = 2;
    return CL_SUCCESS;
}

/* The one name that the loader looks up in the library itself. */
__attribute__((visibility("default"))) void *clGetExtensionFunctionAddress(const char *name)
{
    calls.clGetPlatformInfo = get_platform_info;
    calls.clGetDeviceIDs = get_device_ids;
    calls.clGetDeviceInfo = get_device_info;
    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
        return (void *)get_platforms;
    return strcmp(name, "clGetPlatformInfo") == 0 ? (void *)get_platform_info : NULL;
}
