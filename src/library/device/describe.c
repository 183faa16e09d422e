/* The description of a device, as its driver gives it. */
#include <ctype.h>
#include <string.h>

#include "device/internal.h"

/* Extensions' names for what OpenCL 1.2's header does not know. */
#define DEVICE_MAX_NUM_SUB_GROUPS 0x105C
#define DEVICE_COMPUTE_CAPABILITY_MAJOR_NV 0x4000
#define DEVICE_SUB_GROUP_SIZES_INTEL 0x4108

/* A driver's text, trimmed; empty where it gives none. */
static void device_text(cl_device_id id, cl_device_info what, char *text, size_t size)
{
    char raw[1024] = "";
    text[0] = '\0';
    if (clGetDeviceInfo(id, what, sizeof raw - 1, raw, NULL) != CL_SUCCESS)
        return;
    char *start = raw, *end = raw + strlen(raw);
    while (isspace((unsigned char)*start))
        start++;
    while (end > start && isspace((unsigned char)end[-1]))
        *--end = '\0';
    snprintf(text, size, "%s", start);
}

static uint64_t device_ulong(cl_device_id id, cl_device_info what)
{
    cl_ulong value = 0;
    return clGetDeviceInfo(id, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

static unsigned device_uint(cl_device_id id, cl_device_info what)
{
    cl_uint value = 0;
    return clGetDeviceInfo(id, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

/* True where `name` stands in the blank-separated list as a whole word. */
static bool has_word(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* The smallest sub-group that Intel's compiler makes, which is what its matrix instructions take.
 */
static size_t smallest_subgroup(cl_device_id id)
{
    size_t sizes[8], bytes = 0, smallest = 0;
    if (clGetDeviceInfo(id, DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes) !=
        CL_SUCCESS)
        return 0;
    for (size_t i = 0; i < bytes / sizeof *sizes; i++)
        if (!smallest || sizes[i] < smallest)
            smallest = sizes[i];
    return smallest;
}

/* The matrix instructions of an AMD device, whose name is that of its architecture. */
static sac_matrix amd_instructions(const char *name)
{
    static const struct {
        const char *begin;
        sac_matrix matrix;
    } architectures[] = {
        {"gfx908", SAC_MATRIX_MFMA}, {"gfx90a", SAC_MATRIX_MFMA},   {"gfx94", SAC_MATRIX_MFMA},
        {"gfx950", SAC_MATRIX_MFMA}, {"gfx11", SAC_MATRIX_WMMA_11}, {"gfx120", SAC_MATRIX_WMMA_12},
    };
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
        if (strncmp(name, architectures[i].begin, strlen(architectures[i].begin)) == 0)
            return architectures[i].matrix;
    return SAC_MATRIX_NONE;
}

/* The matrix instructions that kernels could use. NVIDIA advertises none in OpenCL, but takes them
 * as inline PTX from compute capability 8.0 on. */
static sac_matrix matrix_instructions(cl_device_id id, const char *name, const char *extensions)
{
    if (has_word(extensions, "cl_intel_subgroup_matrix_multiply_accumulate")) {
        size_t lanes = smallest_subgroup(id);
        return lanes == 8 ? SAC_MATRIX_DPAS_8 : lanes == 16 ? SAC_MATRIX_DPAS_16 : SAC_MATRIX_NONE;
    }
    if (has_word(extensions, "cl_nv_device_attribute_query"))
        return device_uint(id, DEVICE_COMPUTE_CAPABILITY_MAJOR_NV) >= 8 ? SAC_MATRIX_MMA
                                                                        : SAC_MATRIX_NONE;
    return amd_instructions(name);
}

/* Intel's runtime for CPUs compiles fma() to one instruction wherever the processor has it, but
 * reports that it has none. */
static bool hides_fma(const sac_device_info *info)
{
#if defined(__x86_64__) || defined(__i386__)
    return info->is_cpu && strncmp(info->platform, "Intel(R)", 8) == 0 &&
           __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

/* Why a device cannot be used; empty where it can. */
static void describe_problem(cl_device_id id, sac_device_info *info)
{
    int major = 0, minor = 0;
    if (!device_uint(id, CL_DEVICE_AVAILABLE))
        snprintf(info->problem, sizeof info->problem,
                 "the driver reports that it is not available");
    else if (!device_uint(id, CL_DEVICE_COMPILER_AVAILABLE))
        snprintf(info->problem, sizeof info->problem, "has no compiler for kernels");
    else if (sscanf(info->version, "OpenCL %d.%d", &major, &minor) != 2 || major * 10 + minor < 12)
        snprintf(info->problem, sizeof info->problem, "offers \"%.64s\", but 1.2 is needed",
                 info->version);
}

void sac_device_describe(cl_platform_id platform, cl_device_id id, sac_device_info *info)
{
    cl_device_type type = device_ulong(id, CL_DEVICE_TYPE);
    size_t work_group = 0;
    *info = (sac_device_info){0};
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof info->platform - 1, info->platform, NULL);
    device_text(id, CL_DEVICE_NAME, info->name, sizeof info->name);
    device_text(id, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    device_text(id, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    device_text(id, CL_DEVICE_VERSION, info->version, sizeof info->version);
    /* A simulator may claim to be everything; it is a CPU then. */
    info->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    info->is_gpu = !info->is_cpu && (type & CL_DEVICE_TYPE_GPU) != 0;
    info->global_bytes = device_ulong(id, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->max_alloc_bytes = device_ulong(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->local_bytes = device_ulong(id, CL_DEVICE_LOCAL_MEM_SIZE);
    info->compute_units = device_uint(id, CL_DEVICE_MAX_COMPUTE_UNITS);
    info->float_width = device_uint(id, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
    clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof work_group, &work_group, NULL);
    info->max_work_group = (unsigned)work_group;
    char extensions[8192] = "";
    clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, extensions, NULL);
    info->has_fp16 = has_word(extensions, "cl_khr_fp16");
    info->has_fp64 = has_word(extensions, "cl_khr_fp64");
    info->has_subgroups = has_word(extensions, "cl_khr_subgroups") ||
                          has_word(extensions, "cl_intel_subgroups") ||
                          device_uint(id, DEVICE_MAX_NUM_SUB_GROUPS) > 0;
    cl_device_fp_config single = device_ulong(id, CL_DEVICE_SINGLE_FP_CONFIG);
    info->has_fma = (single & CL_FP_FMA) != 0 || hides_fma(info);
    info->matrix = matrix_instructions(id, info->name, extensions);
    describe_problem(id, info);
}

/* ---------------------------------------------------------------- names */

bool sac_device_is_pocl(const sac_device_info *info)
{
    return strcmp(info->platform, "Portable Computing Language") == 0;
}

static void remove_all(char *text, const char *part)
{
    size_t length = strlen(part);
    for (char *at; (at = strstr(text, part));)
        memmove(at, at + length, strlen(at + length) + 1);
}

static void cut_end(char *text, const char *end)
{
    size_t length = strlen(text), cut = strlen(end);
    if (length > cut && strcmp(text + length - cut, end) == 0)
        text[length - cut] = '\0';
}

/* PoCL calls a device "pthread-skylake-avx512-Intel(R) Xeon(R)": its driver, LLVM's name for the
 * processor, and the processor's own name. LLVM's name also ends `version`. */
static const char *processor_of_pocl(const sac_device_info *info)
{
    for (const char *suffix = strchr(info->version, '-'); suffix;
         suffix = strchr(suffix + 1, '-')) {
        const char *at = strstr(info->name, suffix);
        size_t length = strlen(suffix);
        if (at && at[length] == '-' && at[length + 1])
            return at + length + 1;
    }
    return info->name;
}

void sac_device_model(const sac_device_info *info, char *text, size_t size)
{
    char name[sizeof info->name];
    bool pocl = sac_device_is_pocl(info);
    bool rusticl = strcmp(info->platform, "rusticl") == 0;
    snprintf(name, sizeof name, "%s", pocl ? processor_of_pocl(info) : info->name);
    remove_all(name, "(R)");
    remove_all(name, "(TM)");
    remove_all(name, "(tm)");
    char *detail = strstr(name, " (");
    if (detail)
        *detail = '\0';
    cut_end(name, " Processor");
    snprintf(text, size, "%s%s", pocl ? "PoCL, " : rusticl ? "rusticl, " : "", name);
}

void sac_device_short_name(const sac_device_info *info, char *text, size_t size)
{
    char model[sizeof info->name + 16];
    sac_device_model(info, model, sizeof model);
    snprintf(text, size, "%s, %u %s%s", model, info->compute_units, info->is_cpu ? "core" : "unit",
             info->compute_units == 1 ? "" : "s");
}
