/* Programs built from the embedded sources, and the kernels in them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/internal.h"
#include "device/sources.h"

#define BASE_OPTIONS "-cl-std=CL1.2 -cl-mad-enable -cl-no-signed-zeros"

typedef struct named_kernel {
    char *name;
    cl_kernel kernel;
    struct named_kernel *next;
} named_kernel;

struct sac_program {
    char *source, *options; /* "attend_cpu", "-DD=64 …": together the key */
    cl_program program;
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

static sac_status build(const sac_device *device, sac_program *program, sac_error *error)
{
    char options[1024], call[160];
    int length = snprintf(options, sizeof options, BASE_OPTIONS " %s", program->options);
    if (length >= (int)sizeof options)
        return sac_fail(error, SAC_E_ARGUMENT, program->source, NULL, "too many build options");
    cl_int code = clBuildProgram(program->program, 1, &device->id, options, NULL, NULL);
    if (code == CL_SUCCESS)
        return SAC_OK;
    snprintf(call, sizeof call, "clBuildProgram of %s.cl", program->source);
    sac_status status = sac_cl_check(device, call, code, error);
    if (error)
        read_build_log(device, program->program, error);
    return status;
}

static sac_status build_from_source(const sac_device *device, sac_program *program,
                                    const char *text, sac_error *error)
{
    cl_int code;
    program->program = clCreateProgramWithSource(device->context, 1, &text, NULL, &code);
    sac_status status = sac_cl_check(device, "clCreateProgramWithSource", code, error);
    return status == SAC_OK ? build(device, program, error) : status;
}

static sac_status program_create(const sac_device *device, const char *source, const char *options,
                                 sac_program **out, sac_error *error)
{
    const char *text = sac_kernel_source_find(source);
    if (!text)
        return sac_fail(error, SAC_E_ARGUMENT, source, NULL, "no such kernel source in cl/");
    sac_program *program = calloc(1, sizeof *program);
    if (!program || !(program->source = strdup(source)) || !(program->options = strdup(options))) {
        if (program)
            program_release(program);
        return sac_fail(error, SAC_E_MEMORY, source, NULL, "no memory for a program");
    }
    sac_status status = build_from_source(device, program, text, error);
    if (status == SAC_OK)
        *out = program;
    else
        program_release(program);
    return status;
}

static sac_status program_get(sac_device *device, const char *source, const char *options,
                              sac_program **out, sac_error *error)
{
    for (sac_program *program = device->programs; program; program = program->next)
        if (strcmp(program->source, source) == 0 && strcmp(program->options, options) == 0) {
            *out = program;
            return SAC_OK;
        }
    sac_status status = program_create(device, source, options, out, error);
    if (status == SAC_OK) {
        (*out)->next = device->programs;
        device->programs = *out;
    }
    return status;
}

static sac_status kernel_create(const sac_device *device, sac_program *program, const char *name,
                                cl_kernel *out, sac_error *error)
{
    char call[160];
    cl_int code;
    cl_kernel made = clCreateKernel(program->program, name, &code);
    snprintf(call, sizeof call, "clCreateKernel %s of %s.cl", name, program->source);
    sac_status status = sac_cl_check(device, call, code, error);
    if (status != SAC_OK)
        return status;
    named_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel || !(kernel->name = strdup(name))) {
        free(kernel);
        clReleaseKernel(made);
        return sac_fail(error, SAC_E_MEMORY, name, NULL, "no memory for a kernel");
    }
    kernel->kernel = *out = made;
    kernel->next = program->kernels;
    program->kernels = kernel;
    return SAC_OK;
}

sac_status sac_kernel_get(sac_device *device, const char *source, const char *options,
                          const char *kernel, cl_kernel *out, sac_error *error)
{
    sac_program *program = NULL;
    sac_status status = program_get(device, source, options ? options : "", &program, error);
    if (status != SAC_OK)
        return status;
    for (named_kernel *known = program->kernels; known; known = known->next)
        if (strcmp(known->name, kernel) == 0) {
            *out = known->kernel;
            return SAC_OK;
        }
    return kernel_create(device, program, kernel, out, error);
}
