/* OpenCL's codes by name, and errors made from them. */
#include "device/device.h"

#include <string.h>

#include "base/error.h"

typedef struct code_name {
    cl_int code;
    const char *name;
} code_name;

#define NAMED(code)                                                                                \
    {                                                                                              \
        code, #code                                                                                \
    }
static const code_name code_names[] = {
    NAMED(CL_SUCCESS),
    NAMED(CL_DEVICE_NOT_FOUND),
    NAMED(CL_DEVICE_NOT_AVAILABLE),
    NAMED(CL_COMPILER_NOT_AVAILABLE),
    NAMED(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    NAMED(CL_OUT_OF_RESOURCES),
    NAMED(CL_OUT_OF_HOST_MEMORY),
    NAMED(CL_PROFILING_INFO_NOT_AVAILABLE),
    NAMED(CL_MEM_COPY_OVERLAP),
    NAMED(CL_IMAGE_FORMAT_MISMATCH),
    NAMED(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    NAMED(CL_BUILD_PROGRAM_FAILURE),
    NAMED(CL_MAP_FAILURE),
    NAMED(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    NAMED(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    NAMED(CL_COMPILE_PROGRAM_FAILURE),
    NAMED(CL_LINKER_NOT_AVAILABLE),
    NAMED(CL_LINK_PROGRAM_FAILURE),
    NAMED(CL_DEVICE_PARTITION_FAILED),
    NAMED(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    NAMED(CL_INVALID_VALUE),
    NAMED(CL_INVALID_DEVICE_TYPE),
    NAMED(CL_INVALID_PLATFORM),
    NAMED(CL_INVALID_DEVICE),
    NAMED(CL_INVALID_CONTEXT),
    NAMED(CL_INVALID_QUEUE_PROPERTIES),
    NAMED(CL_INVALID_COMMAND_QUEUE),
    NAMED(CL_INVALID_HOST_PTR),
    NAMED(CL_INVALID_MEM_OBJECT),
    NAMED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    NAMED(CL_INVALID_IMAGE_SIZE),
    NAMED(CL_INVALID_SAMPLER),
    NAMED(CL_INVALID_BINARY),
    NAMED(CL_INVALID_BUILD_OPTIONS),
    NAMED(CL_INVALID_PROGRAM),
    NAMED(CL_INVALID_PROGRAM_EXECUTABLE),
    NAMED(CL_INVALID_KERNEL_NAME),
    NAMED(CL_INVALID_KERNEL_DEFINITION),
    NAMED(CL_INVALID_KERNEL),
    NAMED(CL_INVALID_ARG_INDEX),
    NAMED(CL_INVALID_ARG_VALUE),
    NAMED(CL_INVALID_ARG_SIZE),
    NAMED(CL_INVALID_KERNEL_ARGS),
    NAMED(CL_INVALID_WORK_DIMENSION),
    NAMED(CL_INVALID_WORK_GROUP_SIZE),
    NAMED(CL_INVALID_WORK_ITEM_SIZE),
    NAMED(CL_INVALID_GLOBAL_OFFSET),
    NAMED(CL_INVALID_EVENT_WAIT_LIST),
    NAMED(CL_INVALID_EVENT),
    NAMED(CL_INVALID_OPERATION),
    NAMED(CL_INVALID_GL_OBJECT),
    NAMED(CL_INVALID_BUFFER_SIZE),
    NAMED(CL_INVALID_MIP_LEVEL),
    NAMED(CL_INVALID_GLOBAL_WORK_SIZE),
    NAMED(CL_INVALID_PROPERTY),
    NAMED(CL_INVALID_IMAGE_DESCRIPTOR),
    NAMED(CL_INVALID_COMPILER_OPTIONS),
    NAMED(CL_INVALID_LINKER_OPTIONS),
    NAMED(CL_INVALID_DEVICE_PARTITION_COUNT),
    /* of later OpenCL, extensions and NVIDIA, by number: the headers may be older */
    {-69, "CL_INVALID_PIPE_SIZE"},
    {-70, "CL_INVALID_DEVICE_QUEUE"},
    {-71, "CL_INVALID_SPEC_ID"},
    {-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    {-1121, "CL_CONTEXT_TERMINATED_KHR"},
    {-9999, "NVIDIA_ILLEGAL_READ_OR_WRITE"},
    /* CLBlast's own, from clblast_c.h, which this box does not see */
    {-1024, "CLBlastNotImplemented"},
    {-1022, "CLBlastInvalidMatrixA"},
    {-1021, "CLBlastInvalidMatrixB"},
    {-1020, "CLBlastInvalidMatrixC"},
    {-1019, "CLBlastInvalidVectorX"},
    {-1018, "CLBlastInvalidVectorY"},
    {-1017, "CLBlastInvalidDimension"},
    {-1016, "CLBlastInvalidLeadDimA"},
    {-1015, "CLBlastInvalidLeadDimB"},
    {-1014, "CLBlastInvalidLeadDimC"},
    {-1013, "CLBlastInvalidIncrementX"},
    {-1012, "CLBlastInvalidIncrementY"},
    {-1011, "CLBlastInsufficientMemoryA"},
    {-1010, "CLBlastInsufficientMemoryB"},
    {-1009, "CLBlastInsufficientMemoryC"},
    {-1008, "CLBlastInsufficientMemoryX"},
    {-1007, "CLBlastInsufficientMemoryY"},
    {-2039, "CLBlastUnexpectedError"},
    {-2040, "CLBlastUnknownError"},
    {-2041, "CLBlastDatabaseError"},
    {-2042, "CLBlastInsufficientMemoryScalar"},
    {-2043, "CLBlastInvalidVectorScalar"},
    {-2044, "CLBlastNoDoublePrecision"},
    {-2045, "CLBlastNoHalfPrecision"},
    {-2046, "CLBlastInvalidLocalMemUsage"},
    {-2047, "CLBlastMissingOverrideParameter"},
    {-2048, "CLBlastInvalidOverrideKernel"},
    {-2049, "CLBlastInvalidBatchCount"},
    {-2050, "CLBlastInsufficientMemoryTemp"},
};

const char *sac_cl_code_name(cl_int code)
{
    static _Thread_local char unknown[32];
    for (size_t i = 0; i < sizeof code_names / sizeof *code_names; i++)
        if (code_names[i].code == code)
            return code_names[i].name;
    snprintf(unknown, sizeof unknown, "code %d", (int)code);
    return unknown;
}

/* CL_OUT_OF_RESOURCES means no memory where memory was requested; from a launch or a wait it is
 * what several drivers return after a kernel went wrong. */
static bool means_no_memory(const char *call, cl_int code)
{
    if (code == CL_OUT_OF_RESOURCES)
        return strncmp(call, "clCreate", 8) == 0;
    return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY;
}

sac_status sac_cl_check(const sac_device *device, const char *call, cl_int code, sac_error *error)
{
    if (code == CL_SUCCESS)
        return SAC_OK;
    bool memory = means_no_memory(call, code);
    const char *where = device ? device->info.name : "OpenCL";
    const char *remedy = memory
                             ? "give smaller inputs, or choose a device with more memory"
                             : "choose another device (see: saccade devices) or update its driver";
    sac_fail(error, memory ? SAC_E_MEMORY : SAC_E_DEVICE, where, remedy, "%s gave %s", call,
             sac_cl_code_name(code));
    if (error) {
        snprintf(error->call, sizeof error->call, "%.*s", (int)strcspn(call, " "), call);
        snprintf(error->code, sizeof error->code, "%s", sac_cl_code_name(code));
        snprintf(error->device, sizeof error->device, "%s", device ? where : "");
    }
    return memory ? SAC_E_MEMORY : SAC_E_DEVICE;
}
