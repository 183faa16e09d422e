/* Programs built from the embedded sources, and the kernels in them. */
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/notice.h"
#include "device/cache/cache.h"
#include "device/cache/pocl_cache.h"
#include "device/compiler.h"
#include "device/internal.h"
#include "device/quarantine.h"
#include "device/sources.h"

#define MAX_OPTIONS 1024
/* Without -w PoCL prints on stderr how many warnings there are. */
#define BASE_OPTIONS "-cl-std=CL1.2 -cl-mad-enable -cl-no-signed-zeros -w"

typedef struct named_kernel {
    char *name;
    cl_kernel kernel;
    struct named_kernel *next;
} named_kernel;

struct sac_program {
    char *source, *options; /* "attend_cpu", "-DD=64 …": together the key */
    cl_program program;     /* NULL after a build that failed */
    bool from_cache, unsaved;
    bool may_be_stale; /* PoCL may have taken what it had kept of it */
    named_kernel *kernels;
    struct sac_program *next;
};
typedef struct sac_program sac_program;

static void program_release(sac_program *program)
{
    while (program->kernels) {
        named_kernel *kernel = program->kernels;
        program->kernels = kernel->next;
        clReleaseKernel(kernel->kernel);
        free(kernel->name);
        free(kernel);
    }
    if (program->program)
        clReleaseProgram(program->program);
    free(program->source);
    free(program->options);
    free(program);
}

void sac_programs_release(sac_device *device)
{
    while (device->programs) {
        sac_program *program = device->programs;
        device->programs = program->next;
        program_release(program);
    }
}

/* The head of the build log, whole lines only where it is cut. */
static void read_build_log(const sac_device *device, cl_program program, sac_error *error)
{
    size_t size = 0;
    clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = size ? calloc(size + 1, 1) : NULL;
    if (!log)
        return;
    clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    snprintf(error->build_log, sizeof error->build_log, "%s", log);
    char *cut = strrchr(error->build_log, '\n');
    if (cut && strlen(log) >= sizeof error->build_log)
        *cut = '\0';
    free(log);
}

/* All that a binary depends on, PoCL's options from the environment among it: free() it. NULL
 * where there is no memory. */
static char *make_cache_key(const sac_device *device, const sac_program *program)
{
    char identity[1024];
    const char *text = sac_kernel_source_find(program->source);
    const char *set = getenv("POCL_EXTRA_BUILD_FLAGS"), *extra = set ? set : "";
    sac_device_key(&device->info, identity, sizeof identity);
    size_t size = strlen(identity) + strlen(program->options) + strlen(extra) + strlen(text) + 64;
    char *key = malloc(size);
    if (key)
        snprintf(key, size, "%s%s %s%s\n%s", identity, BASE_OPTIONS, program->options, extra, text);
    return key;
}

/* How often the program was built from source, including now, according to the cache. */
static unsigned long count_build(const char *key)
{
    char *known, text[24];
    size_t size;
    unsigned long builds = 1;
    if (sac_cache_load("builds", key, &known, &size))
        builds += strtoul(known, NULL, 10);
    free(known);
    snprintf(text, sizeof text, "%lu", builds);
    sac_cache_store("builds", key, text, strlen(text));
    return builds;
}

/* What was built before is in PoCL's own cache, and what has no such cache is built for nothing by
 * another process. */
static bool was_never_built(const sac_device *device, const char *key)
{
    char folder[1024], *known = NULL;
    size_t size;
    bool keeps = sac_device_is_pocl(&device->info) && sac_cache_folder(folder, sizeof folder);
    bool was_built = keeps && sac_cache_load("builds", key, &known, &size);
    free(known);
    return keeps && !was_built;
}

/* PoCL, whatever type its device reports, keeps what it compiles in a cache of its own. To give a
 * program's binary it compiles all of its kernels once more, for any local size, 0.2 s each; from a
 * binary it reads no source again, which takes 45 ms a program. So binaries are fetched of those
 * programs that were built more often than they have kernels, or of all where a machine is prepared
 * (SACCADE_CACHE=whole), and not of the forms that on its CPUs only tests run. */
static bool is_worth_storing(const sac_device *device, const sac_program *program, const char *key)
{
    char folder[1024];
    size_t kernels = 1;
    const char *source = program->source;
    if (!sac_cache_folder(folder, sizeof folder))
        return false;
    bool in_use = !device->info.is_cpu || (!strstr(source, "_gpu") && !strstr(source, "_matrix") &&
                                           !strstr(source, "_naive"));
    if (!sac_device_is_pocl(&device->info))
        return true;
    clGetProgramInfo(program->program, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL);
    const char *mode = getenv("SACCADE_CACHE");
    unsigned long builds = count_build(key);
    return in_use && (builds > kernels || (mode && strcmp(mode, "whole") == 0));
}

static cl_int run_build(const sac_device *device, const sac_program *program, const char *more)
{
    char options[MAX_OPTIONS + sizeof BASE_OPTIONS + 64];
    snprintf(options, sizeof options, BASE_OPTIONS " %s%s", program->options, more);
    sac_quarantine_in_driver(true);
    cl_int code = clBuildProgram(program->program, 1, &device->id, options, NULL, NULL);
    sac_quarantine_in_driver(false);
    return code;
}

/* False where there is no binary, or one that the driver does not take. */
static bool build_from_cache(const sac_device *device, sac_program *program, const char *key)
{
    char *data = NULL;
    size_t size = 0;
    cl_int code = CL_INVALID_BINARY;
    if (sac_cache_load("program", key, &data, &size)) {
        const unsigned char *binary = (const unsigned char *)data;
        program->program =
            clCreateProgramWithBinary(device->context, 1, &device->id, &size, &binary, NULL, &code);
        if (code == CL_SUCCESS)
            code = run_build(device, program, "");
        if (code != CL_SUCCESS && program->program) {
            clReleaseProgram(program->program);
            program->program = NULL;
        }
    }
    free(data);
    return program->from_cache = code == CL_SUCCESS;
}

/* Kernels are compiled, until what they are built for has run: some drivers compile one when it is first
 * launched. */
static void report_compiling(void)
{
    sac_activity_begin("getting ready for this computer, only once");
}

/* Asked before each step in which a driver may compile for a second or more. */
static sac_status check_stop(sac_error *error)
{
    return sac_cancel_check("compiling kernels", error);
}

/* Makes the program of those texts, and builds it: *code: what the build returned. */
static sac_status compile_texts(const sac_device *device, sac_program *program, const char *texts[],
                                cl_uint count, const char *more, cl_int *code, sac_error *error)
{
    if (program->program)
        clReleaseProgram(program->program);
    program->program = clCreateProgramWithSource(device->context, count, texts, NULL, code);
    sac_status status = sac_cl_check(device, "clCreateProgramWithSource", *code, error);
    if (status == SAC_OK)
        *code = run_build(device, program, more);
    return status;
}

/* With the declarations of cl/device/builtins.cl in place of the driver's, where that spares time
 * and they are enough. */
static sac_status build_from_source(const sac_device *device, sac_program *program,
                                    sac_error *error)
{
    char call[160];
    cl_int code = CL_BUILD_PROGRAM_FAILURE;
    const char *text = sac_kernel_source_find(program->source);
    const char *declared[] = {sac_kernel_source_find("builtins"), text};
    sac_status status = check_stop(error);
    if (status != SAC_OK)
        return status;
    report_compiling();
    if (device->profile.reads_long_header && declared[0])
        status = compile_texts(device, program, declared, 2, " -D_OPENCL_H_", &code, error);
    if (status == SAC_OK && code != CL_SUCCESS)
        status = compile_texts(device, program, &text, 1, "", &code, error);
    snprintf(call, sizeof call, "clBuildProgram of %s.cl", program->source);
    if (status == SAC_OK)
        status = sac_cl_check(device, call, code, error);
    if (status != SAC_OK && program->program && error)
        read_build_log(device, program->program, error);
    if (status != SAC_OK)
        sac_activity_end();
    return status;
}

/* A driver that died there is not tried here: that would be the end of this process. */
static sac_status compile_in_other_process(sac_device *device, const sac_program *program,
                                           const char *key, bool wholly, sac_error *error)
{
    char how[80];
    report_compiling();
    sac_status status =
        sac_compiler_run(device, program->source, program->options, wholly, how, error);
    if (status == SAC_OK && how[0])
        status = sac_quarantine_count_death(device, program->source, key, how, error);
    if (status != SAC_OK)
        sac_activity_end();
    return status;
}

void sac_program_make_all_kernels(cl_program program)
{
    cl_kernel kernels[64];
    size_t size = 0;
    unsigned char *binary = NULL;
    cl_uint count = 0;
    if (clCreateKernelsInProgram(program, 64, kernels, &count) == CL_SUCCESS)
        for (cl_uint i = 0; i < count; i++)
            clReleaseKernel(kernels[i]);
    clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
    if (size && (binary = malloc(size)))
        clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL);
    free(binary);
}

/* PoCL's: "0" where code is made for any group. */
#define SPECIALIZES "POCL_WORK_GROUP_SPECIALIZATION"

void sac_device_set_any_group(const sac_device *device)
{
    if (!device->programs)
        setenv(SPECIALIZES, "0", 0);
}

static bool compiles_for_any_group(const sac_device *device)
{
    const char *specializes = getenv(SPECIALIZES);
    return device->info.is_cpu && sac_device_is_pocl(&device->info) && specializes &&
           strcmp(specializes, "0") == 0;
}

sac_status sac_program_compile(sac_device *device, const char *source, const char *options,
                               bool wholly, cl_program *unmade)
{
    sac_program program = {.source = (char *)source, .options = (char *)options};
    if (!sac_kernel_source_find(source))
        return SAC_E_ARGUMENT;
    sac_drivers_lock();
    sac_status status = build_from_source(device, &program, NULL);
    if (status == SAC_OK && wholly)
        sac_program_make_all_kernels(program.program);
    bool keeps = status == SAC_OK && unmade && compiles_for_any_group(device);
    if (keeps)
        *unmade = program.program;
    else if (program.program)
        clReleaseProgram(program.program);
    sac_drivers_unlock();
    return status;
}

/* What PoCL kept of a program that it built before is damaged where it fails now; then all that it
 * kept is set aside, once. */
static bool empty_stale_pocl_cache(const sac_program *program)
{
    return program->may_be_stale && sac_pocl_cache_empty("what PoCL had kept there cannot be used");
}

/* What a process vanished over is tried by another first, wholly, so that its end can be seen. */
static sac_status build_from_source_safely(sac_device *device, sac_program *program,
                                           const char *key, bool vanished, sac_error *error)
{
    sac_status status = SAC_OK;
    bool is_new = was_never_built(device, key);
    program->may_be_stale = !is_new && sac_device_is_pocl(&device->info);
    device->has_compiled = device->has_compiled || is_new || program->may_be_stale;
    if (is_new || vanished)
        status = compile_in_other_process(device, program, key, vanished, error);
    if (status == SAC_OK)
        status = build_from_source(device, program, error);
    if (status == SAC_E_DEVICE && program->program && empty_stale_pocl_cache(program)) {
        clReleaseProgram(program->program);
        program->program = NULL;
        status = build_from_source(device, program, error);
    }
    return status;
}

/* From a driver that died of it before, what it made of the program then is not taken. */
static sac_status build(sac_device *device, sac_program *program, sac_error *error)
{
    sac_suspicion suspicion;
    char *key = make_cache_key(device, program);
    if (!key)
        return sac_no_memory(error, program->source);
    sac_status status = sac_quarantine_begin(device, program->source, key, &suspicion, error);
    if (status == SAC_OK && suspicion.died && sac_device_is_pocl(&device->info) &&
        !was_never_built(device, key))
        sac_pocl_cache_empty("PoCL died of what it had kept there");
    bool doubtful = suspicion.died || suspicion.vanished;
    if (status == SAC_OK && (doubtful || !build_from_cache(device, program, key))) {
        status = build_from_source_safely(device, program, key, doubtful, error);
        program->unsaved = status == SAC_OK && is_worth_storing(device, program, key);
    }
    free(key);
    return status;
}

static sac_status program_create(sac_device *device, const char *source, const char *options,
                                 sac_program **out, sac_error *error)
{
    if (!sac_kernel_source_find(source))
        return sac_fail(error, SAC_E_ARGUMENT, source, NULL, "no such kernel source in cl/");
    if (strlen(options) > MAX_OPTIONS)
        return sac_fail(error, SAC_E_ARGUMENT, source, NULL, "too many build options");
    sac_program *program = calloc(1, sizeof *program);
    if (!program || !(program->source = strdup(source)) || !(program->options = strdup(options))) {
        if (program)
            program_release(program);
        return sac_no_memory(error, source);
    }
    sac_status status = build(device, program, error);
    if (status == SAC_OK)
        *out = program;
    else
        program_release(program);
    return status;
}

/* Lends; NULL where it was not built yet. */
static sac_program *find_program(const sac_device *device, const char *source, const char *options)
{
    sac_program *program = device->programs;
    while (program &&
           (strcmp(program->source, source) != 0 || strcmp(program->options, options) != 0))
        program = program->next;
    return program;
}

static cl_int call_create_kernel(const sac_program *program, const char *name, cl_kernel *kernel)
{
    cl_int code;
    sac_quarantine_in_driver(true);
    *kernel = clCreateKernel(program->program, name, &code);
    sac_quarantine_in_driver(false);
    return code;
}

/* A binary that was taken but holds no such kernel gives way to the source, and so does what PoCL
 * had kept. */
static sac_status create_kernel_or_rebuild(const sac_device *device, sac_program *program,
                                           const char *name, cl_kernel *kernel, sac_error *error)
{
    char call[160];
    cl_int code = call_create_kernel(program, name, kernel);
    if (code != CL_SUCCESS && (program->from_cache || empty_stale_pocl_cache(program))) {
        clReleaseProgram(program->program);
        program->program = NULL;
        program->from_cache = false;
        sac_status status = build_from_source(device, program, error);
        if (status != SAC_OK)
            return status;
        program->unsaved = true;
        code = call_create_kernel(program, name, kernel);
    }
    snprintf(call, sizeof call, "clCreateKernel %s of %s.cl", name, program->source);
    return sac_cl_check(device, call, code, error);
}

static sac_status add_kernel(const sac_device *device, sac_program *program, const char *name,
                             cl_kernel *out, sac_error *error)
{
    named_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel || !(kernel->name = strdup(name))) {
        free(kernel);
        return sac_no_memory(error, name);
    }
    sac_status status = check_stop(error);
    if (status == SAC_OK)
        status = create_kernel_or_rebuild(device, program, name, &kernel->kernel, error);
    if (status != SAC_OK) {
        free(kernel->name);
        free(kernel);
        return status;
    }
    *out = kernel->kernel;
    kernel->next = program->kernels;
    program->kernels = kernel;
    if (program->unsaved && !sac_cancel_asked()) {
        /* Only once a kernel was created: some drivers compile there. A failure is of no
         * consequence. */
        size_t size = 0;
        unsigned char *binary = NULL;
        char *key = make_cache_key(device, program);
        program->unsaved = false;
        clGetProgramInfo(program->program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
        if (key && size && (binary = malloc(size)) &&
            clGetProgramInfo(program->program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) ==
                CL_SUCCESS)
            sac_cache_store("program", key, binary, size);
        free(binary);
        free(key);
    }
    return SAC_OK;
}

/* False where it was not made yet. */
static bool find_kernel(const sac_program *program, const char *name, cl_kernel *out)
{
    for (const named_kernel *known = program->kernels; known; known = known->next)
        if (strcmp(known->name, name) == 0) {
            *out = known->kernel;
            return true;
        }
    return false;
}

const char *sac_kernel_source_name(const sac_device *device, cl_kernel kernel)
{
    for (const sac_program *program = device->programs; program; program = program->next)
        for (const named_kernel *known = program->kernels; known; known = known->next)
            if (known->kernel == kernel)
                return program->source;
    return "";
}

sac_status sac_kernel_get(sac_device *device, const char *source, const char *options,
                          const char *kernel, cl_kernel *out, sac_error *error)
{
    options = options ? options : "";
    sac_program *program = find_program(device, source, options);
    if (program && find_kernel(program, kernel, out))
        return SAC_OK;
    sac_drivers_lock();
    sac_status status = SAC_OK;
    if (!program) {
        status = program_create(device, source, options, &program, error);
        if (status == SAC_OK) {
            program->next = device->programs;
            device->programs = program;
        }
    }
    if (status == SAC_OK)
        status = add_kernel(device, program, kernel, out, error);
    sac_drivers_unlock();
    return status;
}

/* A program that drivers died of too often is not begun. */
typedef struct left_out {
    const char *source;
    bool is;
} left_out;

static void mark_if_left_out(void *user, const char *source, int deaths, const char *file)
{
    left_out *asked = user;
    size_t length = strlen(asked->source);
    (void)deaths;
    (void)file;
    asked->is = asked->is || strncmp(source, asked->source, length) == 0;
}

void sac_kernel_expect(sac_device *device, const char *source, const char *options,
                       bool all_kernels)
{
    left_out asked = {.source = source};
    const sac_program program = {.source = (char *)source, .options = (char *)options};
    sac_drivers_lock();
    char *key = find_program(device, source, options) ? NULL : make_cache_key(device, &program);
    if (key && was_never_built(device, key)) {
        sac_quarantine_list(&device->info, mark_if_left_out, &asked);
        if (!asked.is)
            sac_compiler_expect(device, source, options, all_kernels);
    }
    free(key);
    sac_drivers_unlock();
}
