/* Loaded before the program (LD_PRELOAD), makes the n-th call of one function fail as the system or
 * a driver could: no memory, a full disk, a device that is gone. Only calls from the program's own
 * code count, found by the address that they return to: what a driver or libpng does with its own
 * failures is theirs. */
#undef _FORTIFY_SOURCE /* which would give other names to what is defined here */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <zlib.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "calls.h"

#define OURS __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)

static const char *const names[] = {
#define NAME(name) #name,
    FAULT_CALLS(NAME)};

static bool ready, onward;
static int chosen = -1; /* of FAULT_CALLS */
static long at;
static pid_t program;
static uintptr_t code_begin, code_end; /* the program's own */
static fault_counts own_counts, *counts = &own_counts;

/* ---------------------------------------------------------------- which call fails */

static int find_code(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            code_begin = info->dlpi_addr + part->p_vaddr;
            code_end = code_begin + part->p_memsz;
        }
    }
    return 1; /* the program comes first */
}

static void map_counts(const char *path)
{
    int file = open(path, O_RDWR | O_CLOEXEC);
    void *map = file < 0 ? MAP_FAILED
                         : mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map == MAP_FAILED)
        abort();
    counts = map;
    close(file);
}

__attribute__((constructor)) static void begin(void)
{
    const char *call = getenv(FAULT_CALL), *when = getenv(FAULT_AT), *path = getenv(FAULT_COUNTS);
    const char *only = getenv(FAULT_PROCESS), *process = getenv("SACCADE_PROCESS");
    if (only && (!process || atoi(process) != atoi(only)))
        return;
    for (int i = 0; call && i < FAULT_CALL_COUNT; i++)
        if (strcmp(call, names[i]) == 0)
            chosen = i;
    at = when ? atol(when) : 0;
    onward = getenv(FAULT_ONWARD) != NULL;
    program = getpid();
    dl_iterate_phdr(find_code, NULL);
    if (path)
        map_counts(path);
    const char *const own[] = {"LD_PRELOAD", FAULT_CALL,   FAULT_AT,
                               FAULT_ONWARD, FAULT_COUNTS, FAULT_PROCESS};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        unsetenv(own[i]);
    ready = true;
}

/* Counts a call, and returns whether it is one that fails. */
static bool fails(int call, const void *caller)
{
    uintptr_t address = (uintptr_t)caller;
    if (!ready || address < code_begin || address >= code_end || getpid() != program)
        return false;
    long number = __atomic_add_fetch(&counts->calls[call], 1, __ATOMIC_SEQ_CST);
    return call == chosen && (onward ? number >= at : number == at);
}

static void *next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function)
        abort();
    return function;
}

/* ---------------------------------------------------------------- memory */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

OURS void *malloc(size_t size)
{
    if (!fails(FAULT_malloc, CALLER))
        return __libc_malloc(size);
    errno = ENOMEM;
    return NULL;
}

OURS void *calloc(size_t count, size_t size)
{
    if (!fails(FAULT_calloc, CALLER))
        return __libc_calloc(count, size);
    errno = ENOMEM;
    return NULL;
}

OURS void *realloc(void *memory, size_t size)
{
    if (!fails(FAULT_realloc, CALLER))
        return __libc_realloc(memory, size);
    errno = ENOMEM;
    return NULL;
}

/* ---------------------------------------------------------------- files and threads */

/* A wrapper of a function: `parameters` in brackets, `arguments` too; what it does to fail. */
#define WRAP(type, name, parameters, arguments, failure)                                           \
    WRAP_AS(type, name, name, parameters, arguments, failure)
#define WRAP_AS(type, call, name, parameters, arguments, failure)                                  \
    OURS type name parameters                                                                      \
    {                                                                                              \
        static type(*real) parameters;                                                             \
        if (!real)                                                                                 \
            real = (type(*) parameters)next(#name);                                                \
        if (!fails(FAULT_##call, CALLER))                                                          \
            return real arguments;                                                                 \
        failure;                                                                                   \
    }
#define GIVE(value, code)                                                                          \
    do {                                                                                           \
        errno = (code);                                                                            \
        return (value);                                                                            \
    } while (0)

/* Reading what is open for writing sets the stream's error flag, and the other way round. */
static void spoil(FILE *file)
{
    if (fgetc(file) != EOF || !ferror(file))
        fputc(0, file);
}

/* What the two are called where the compiler knows how much fits. */
size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *file);
ssize_t __read_chk(int file, void *to, size_t size, size_t room);

WRAP(char *, strdup, (const char *text), (text), GIVE(NULL, ENOMEM))
WRAP(char *, realpath, (const char *path, char *out), (path, out), GIVE(NULL, ENOMEM))
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), GIVE(NULL, EMFILE))
WRAP(FILE *, fdopen, (int file, const char *mode), (file, mode), GIVE(NULL, ENOMEM))
WRAP(size_t, fread, (void *to, size_t size, size_t count, FILE *file), (to, size, count, file),
     spoil(file);
     GIVE(0, EIO))
WRAP_AS(size_t, fread, __fread_chk, (void *to, size_t room, size_t size, size_t count, FILE *file),
        (to, room, size, count, file), spoil(file);
        GIVE(0, EIO))
WRAP(size_t, fwrite, (const void *from, size_t size, size_t count, FILE *file),
     (from, size, count, file), spoil(file);
     GIVE(0, ENOSPC))
WRAP(int, fflush, (FILE * file), (file), spoil(file); GIVE(EOF, ENOSPC))
WRAP(int, fclose, (FILE * file), (file), real(file); GIVE(EOF, EIO))
WRAP(ssize_t, read, (int file, void *to, size_t size), (file, to, size), GIVE(-1, EIO))
WRAP_AS(ssize_t, read, __read_chk, (int file, void *to, size_t size, size_t room),
        (file, to, size, room), GIVE(-1, EIO))
WRAP(int, fstat, (int file, struct stat *info), (file, info), GIVE(-1, EIO))
WRAP(int, fsync, (int file), (file), GIVE(-1, EIO))
WRAP(int, rename, (const char *from, const char *to), (from, to), GIVE(-1, EXDEV))
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), GIVE(-1, EACCES))
WRAP(DIR *, opendir, (const char *path), (path), GIVE(NULL, EMFILE))
WRAP(void *, mmap, (void *where, size_t size, int access, int flags, int file, off_t from),
     (where, size, access, flags, file, from), GIVE(MAP_FAILED, ENOMEM))
WRAP(pid_t, fork, (void), (), GIVE(-1, EAGAIN))
WRAP(int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *how, void *(*run)(void *), void *with),
     (thread, how, run, with), return EAGAIN)
WRAP(ssize_t, getrandom, (void *to, size_t size, unsigned flags), (to, size, flags),
     GIVE(-1, EAGAIN))
WRAP(int, compress2, (Bytef * to, uLongf *to_size, const Bytef *from, uLong size, int level),
     (to, to_size, from, size, level), return Z_MEM_ERROR)

OURS int open(const char *path, int flags, ...)
{
    static int (*real)(const char *, int, ...);
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    if (!real)
        real = (int (*)(const char *, int, ...))next("open");
    if (!fails(FAULT_open, CALLER))
        return real(path, flags, mode);
    errno = EMFILE;
    return -1;
}

/* ---------------------------------------------------------------- OpenCL */

#define CL_CODE(code) return code
#define CL_NULL(code)                                                                              \
    do {                                                                                           \
        if (error)                                                                                 \
            *error = (code);                                                                       \
        return NULL;                                                                               \
    } while (0)
#define CL_WAITS cl_uint count, const cl_event *list, cl_event *event
#define NOTIFY(type) void(CL_CALLBACK * notify)(type), void *user

WRAP(cl_int, clGetPlatformIDs, (cl_uint room, cl_platform_id *to, cl_uint *found),
     (room, to, found), CL_CODE(CL_OUT_OF_HOST_MEMORY))
WRAP(cl_int, clGetPlatformInfo,
     (cl_platform_id of, cl_platform_info what, size_t room, void *to, size_t *size),
     (of, what, room, to, size), CL_CODE(CL_OUT_OF_HOST_MEMORY))
WRAP(cl_int, clGetDeviceIDs,
     (cl_platform_id of, cl_device_type type, cl_uint room, cl_device_id *to, cl_uint *found),
     (of, type, room, to, found), CL_CODE(CL_OUT_OF_HOST_MEMORY))
WRAP(cl_int, clGetDeviceInfo,
     (cl_device_id of, cl_device_info what, size_t room, void *to, size_t *size),
     (of, what, room, to, size), CL_CODE(CL_OUT_OF_HOST_MEMORY))
WRAP(cl_context, clCreateContext,
     (const cl_context_properties *how, cl_uint count, const cl_device_id *devices,
      void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
      cl_int *error),
     (how, count, devices, notify, user, error), CL_NULL(CL_OUT_OF_HOST_MEMORY))
WRAP(cl_command_queue, clCreateCommandQueue,
     (cl_context context, cl_device_id device, cl_command_queue_properties how, cl_int *error),
     (context, device, how, error), CL_NULL(CL_OUT_OF_HOST_MEMORY))
WRAP(cl_program, clCreateProgramWithSource,
     (cl_context context, cl_uint count, const char **texts, const size_t *sizes, cl_int *error),
     (context, count, texts, sizes, error), CL_NULL(CL_OUT_OF_HOST_MEMORY))
WRAP(cl_program, clCreateProgramWithBinary,
     (cl_context context, cl_uint count, const cl_device_id *devices, const size_t *sizes,
      const unsigned char **binaries, cl_int *codes, cl_int *error),
     (context, count, devices, sizes, binaries, codes, error), CL_NULL(CL_INVALID_BINARY))
WRAP(cl_int, clBuildProgram,
     (cl_program program_, cl_uint count, const cl_device_id *devices, const char *options,
      void(CL_CALLBACK *notify)(cl_program, void *), void *user),
     (program_, count, devices, options, notify, user), CL_CODE(CL_BUILD_PROGRAM_FAILURE))
WRAP(cl_int, clGetProgramInfo,
     (cl_program of, cl_program_info what, size_t room, void *to, size_t *size),
     (of, what, room, to, size), CL_CODE(CL_OUT_OF_HOST_MEMORY))
WRAP(cl_int, clGetProgramBuildInfo,
     (cl_program of, cl_device_id device, cl_program_build_info what, size_t room, void *to,
      size_t *size),
     (of, device, what, room, to, size), CL_CODE(CL_OUT_OF_HOST_MEMORY))
WRAP(cl_kernel, clCreateKernel, (cl_program of, const char *name, cl_int *error), (of, name, error),
     CL_NULL(CL_OUT_OF_HOST_MEMORY))
WRAP(cl_int, clGetKernelInfo,
     (cl_kernel of, cl_kernel_info what, size_t room, void *to, size_t *size),
     (of, what, room, to, size), CL_CODE(CL_OUT_OF_HOST_MEMORY))
WRAP(cl_int, clSetKernelArg, (cl_kernel of, cl_uint index, size_t size, const void *value),
     (of, index, size, value), CL_CODE(CL_OUT_OF_HOST_MEMORY))
WRAP(cl_mem, clCreateBuffer,
     (cl_context context, cl_mem_flags how, size_t size, void *from, cl_int *error),
     (context, how, size, from, error), CL_NULL(CL_MEM_OBJECT_ALLOCATION_FAILURE))
WRAP(cl_int, clGetMemObjectInfo, (cl_mem of, cl_mem_info what, size_t room, void *to, size_t *size),
     (of, what, room, to, size), CL_CODE(CL_OUT_OF_HOST_MEMORY))
WRAP(cl_int, clEnqueueNDRangeKernel,
     (cl_command_queue queue, cl_kernel kernel, cl_uint rank, const size_t *from,
      const size_t *size, const size_t *group, CL_WAITS),
     (queue, kernel, rank, from, size, group, count, list, event), CL_CODE(CL_OUT_OF_RESOURCES))
WRAP(cl_int, clEnqueueReadBuffer,
     (cl_command_queue queue, cl_mem from, cl_bool waits, size_t at_, size_t size, void *to,
      CL_WAITS),
     (queue, from, waits, at_, size, to, count, list, event), CL_CODE(CL_OUT_OF_RESOURCES))
WRAP(cl_int, clEnqueueWriteBuffer,
     (cl_command_queue queue, cl_mem to, cl_bool waits, size_t at_, size_t size, const void *from,
      CL_WAITS),
     (queue, to, waits, at_, size, from, count, list, event), CL_CODE(CL_OUT_OF_RESOURCES))
WRAP(cl_int, clEnqueueFillBuffer,
     (cl_command_queue queue, cl_mem to, const void *pattern, size_t length, size_t at_,
      size_t size, CL_WAITS),
     (queue, to, pattern, length, at_, size, count, list, event), CL_CODE(CL_OUT_OF_RESOURCES))
WRAP(cl_int, clEnqueueCopyBuffer,
     (cl_command_queue queue, cl_mem from, cl_mem to, size_t at_, size_t to_at, size_t size,
      CL_WAITS),
     (queue, from, to, at_, to_at, size, count, list, event), CL_CODE(CL_OUT_OF_RESOURCES))
/* It waits all the same: what runs may not be freed under it. */
WRAP(cl_int, clFinish, (cl_command_queue queue), (queue), real(queue); return CL_OUT_OF_RESOURCES)
