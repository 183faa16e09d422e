/* An open OpenCL device and the few calls the rest of the library makes on it. Every failure names
 * the call, the code and the device. One context and one in-order queue per device. A device is
 * used by one thread at a time: the functions of saccade.h lock it, and callers of this header's
 * own functions hold the lock or know that no other thread is there. */
#ifndef SAC_DEVICE_DEVICE_H
#define SAC_DEVICE_DEVICE_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "device/profile.h"
#include "saccade.h"

struct sac_device {
    pthread_mutex_t lock; /* sac_device_lock */
    atomic_int users;     /* references: each opening, and each attention on it */
    sac_device_info info;
    sac_profile profile;
    cl_platform_id platform;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    struct sac_program *programs; /* built in this process, newest first */
    char verdicts[4096];          /* lines "VARIANT VERDICT", as they stand in the cache */
    char suspended[512];          /* lines "VARIANT suspended" */
    struct sac_tuning *tuning;    /* found when first needed, free()d on closing */
    bool is_testing;              /* a self-test is under way: see device/quarantine.h */
    bool has_compiled;            /* what was never compiled before */
    size_t launches;              /* of kernels so far, for benchmarks */
    struct sac_trace *trace;      /* of launches, lent: see device/trace.h; NULL: none */
    bool rounds;           /* a model that was trained elsewhere is stored, and multiplied, in
                                     bfloat16 */
    double backward_speed; /* operations a second of attention's last backward launch that was
                              waited for; 0: none was */
    cl_mem scratch;        /* sac_device_scratch */
    size_t scratch_bytes;
    cl_mem widened; /* sac_device_widened_buffer */
    size_t widened_bytes;
    cl_mem counters; /* of attention/token/token.c; NULL: not used yet */
};

/* Turns an OpenCL code into an error: SAC_E_MEMORY for the codes that mean "no memory", else
 * SAC_E_DEVICE; CL_SUCCESS gives SAC_OK. `call` is the OpenCL function's name, and may be followed
 * by what it was called on ("clSetKernelArg 3 of attend"); `device` may be NULL. CLBlast's codes
 * are known too. */
sac_status sac_cl_check(const sac_device *device, const char *call, cl_int code, sac_error *error);
/* "CL_OUT_OF_RESOURCES"; lends a constant, or for an unknown code this thread's own "code
 * -4711". */
const char *sac_cl_code_name(cl_int code);

/* "PoCL, Intel Xeon": a short name of the device; and "PoCL, Intel Xeon, 2 cores", for status
 * lines. */
void sac_device_model(const sac_device_info *info, char *text, size_t size);
void sac_device_short_name(const sac_device_info *info, char *text, size_t size);

/* Opens as sac_device_open does, but also a device that the self-test refused, so that it can be
 * tested again. */
sac_status sac_device_open_untrusted(const char *selector, sac_device **device, sac_error *error);

/* Keeps the device open until sac_device_close was called once more. */
void sac_device_retain(sac_device *device);

/* Waits until no other thread uses the device, and keeps others out until it is unlocked as often;
 * a thread that holds it may lock it again. Every public function that works on a device, or on
 * what was made on it, holds this from beginning to end. */
void sac_device_lock(sac_device *device);
void sac_device_unlock(sac_device *device);

/* One thread of the process at a time starts drivers, makes and closes contexts and compiles: PoCL
 * 3.1 crashes where threads start it at once, and CLBlast before 1.6.1 keeps its programs without a
 * lock. Not to be locked twice; taken after a device's own lock, where both are. */
void sac_drivers_lock(void);
void sac_drivers_unlock(void);

/* A buffer of `bytes` (0 gives a minimal one), filled from `data` unless that is NULL. Refused with
 * SAC_E_MEMORY, with the size requested and the size available, when it exceeds the device's
 * limit. Release with sac_buffer_release, which takes NULL. */
sac_status sac_buffer_create(sac_device *device, size_t bytes, const void *data, cl_mem *buffer,
                             sac_error *error);
/* A buffer that kernels only read, whose bytes stay where the host has them, and must stay there
 * until it is released: for devices that are the host's own processor. NULL elsewhere, and where
 * the driver does not like it. */
cl_mem sac_buffer_wrap_host_memory(sac_device *device, size_t bytes, const void *data);
void sac_buffer_release(cl_mem buffer);
/* Lends the device's one scratch buffer, grown to at least `bytes`. Its content holds until the
 * next call: commands enqueued before still have the memory, but no longer the content. */
sac_status sac_device_scratch(sac_device *device, size_t bytes, cl_mem *buffer, sac_error *error);
/* The same with a buffer beside it, for a weight as float32 while a product has the scratch. */
sac_status sac_device_widened_buffer(sac_device *device, size_t bytes, cl_mem *buffer,
                                     sac_error *error);
/* Both block until done. */
sac_status sac_buffer_write(sac_device *device, cl_mem buffer, size_t offset, size_t bytes,
                            const void *data, sac_error *error);
/* A box of a buffer: where it begins in bytes, rows and slices, and its size in these; bytes from a
 * row to the next, and from a slice. */
typedef struct sac_box {
    size_t at[3], size[3], row, slice;
} sac_box;
/* `data` are its rows, one after the other. */
sac_status sac_buffer_write_box(sac_device *device, cl_mem buffer, const sac_box *box,
                                const void *data, sac_error *error);
sac_status sac_buffer_read(sac_device *device, cl_mem buffer, size_t offset, size_t bytes,
                           void *data, sac_error *error);

/* Lends the kernel `kernel` out of cl/<source>.cl built with `options` ("-DD=64 -DBM=128"); built
 * at most once per process, and kept on disk between processes. The base options
 * (-cl-std=CL1.2 -cl-mad-enable -cl-no-signed-zeros -w) are added here. SAC_E_CANCELLED where it
 * has to be built and work was asked to stop (base/cancel.h). */
sac_status sac_kernel_get(sac_device *device, const char *source, const char *options,
                          const char *kernel, cl_kernel *out, sac_error *error);
/* A program that is going to be needed: where another process compiles (device/compiler.h), it
 * begins on it meanwhile, in the order of these calls, and where all of its kernels are going to be
 * launched makes them, too; elsewhere nothing happens. */
void sac_kernel_expect(sac_device *device, const char *source, const char *options,
                       bool all_kernels);

/* PoCL makes a kernel's code at its first launch, for that launch's group. From here on it makes code for any
 * group, which runs as fast, takes somewhat longer to make, and can be made ahead. Does nothing once the device has
 * programs. */
void sac_device_set_any_group(const sac_device *device);

/* One argument of a kernel: {sizeof x, &x}; a local array: {bytes, NULL}. */
typedef struct sac_arg {
    size_t size;
    const void *value;
} sac_arg;
#define SAC_ARG(x)                                                                                 \
    (sac_arg)                                                                                      \
    {                                                                                              \
        sizeof(x), &(x)                                                                            \
    }

/* Sets the arguments and enqueues; does not wait. `local` may be NULL only for kernels without a
 * reqd_work_group_size. */
sac_status sac_kernel_launch(sac_device *device, cl_kernel kernel, const sac_arg *args, int count,
                             int dimensions, const size_t *global, const size_t *local,
                             sac_error *error);
sac_status sac_device_finish(sac_device *device, sac_error *error); /* waits for the queue */

/* Program version, platform, device, driver and kernels: what was found out about a device is kept
 * on disk under this key, and forgotten when any of them changes. 1024 bytes are enough. */
void sac_device_kernels_key(const sac_device_info *info, char *key, size_t size);

/* ---- the self-test's memory: one verdict per (device, driver, program version, variant), on disk;
 * kernels that changed are new to it */

/* The verdict on the whole device goes under this name: it is what sac_device_info.verdict shows,
 * and a device that is SAC_REFUSED under it is not opened again by default. */
#define SAC_VERDICT_DEVICE "device"
/* SAC_UNTESTED where nothing is remembered. `variant` is any short name without blanks. Nothing is
 * remembered once work was asked to stop (base/cancel.h). */
sac_verdict sac_verdict_recall(const sac_device *device, const char *variant);
void sac_verdict_remember(sac_device *device, const char *variant, sac_verdict verdict);

/* Writes the variants that are remembered as wrong, "cpu-dot, tiled-rows"; false: none. */
bool sac_verdicts_refused(const sac_device_info *info, char *names, size_t size);

/* The outcome of a variant's self-test, in growing gravity. Cases that did not run (no memory, a
 * build that failed) may run another time, so this is not remembered as if they were wrong. */
typedef enum sac_outcome { SAC_UNASKED = 0, SAC_RIGHT, SAC_DID_NOT_RUN, SAC_WRONG } sac_outcome;
/* SAC_DID_NOT_RUN for a variant that is suspended. */
sac_outcome sac_outcome_recall(const sac_device *device, const char *variant);
/* Remembers SAC_RIGHT and SAC_WRONG as verdicts, and nothing else. */
void sac_outcome_remember(sac_device *device, const char *variant, sac_outcome outcome);
/* Variants that did not run, without which this handle does, are tried again. */
void sac_verdicts_resume(sac_device *device);

/* Floats on the device: the storage of the layers' tensors. A span has only the place where the numbers
 * begin; shapes are in the layers' descriptions and in comments. */
typedef struct sac_span {
    cl_mem buffer; /* NULL: there is none */
    cl_uint at;    /* the first float */
} sac_span;

/* Allocates a buffer of `count` floats, zeroed unless `data` is given. */
sac_status sac_span_create(sac_device *device, size_t count, const float *data, sac_span *span,
                           sac_error *error);
void sac_span_release(sac_span *span); /* the whole buffer; takes empty ones */
static inline sac_span sac_span_from(sac_span span, size_t floats)
{
    return (sac_span){span.buffer, span.at + (cl_uint)floats};
}
/* Both block until done. */
sac_status sac_span_read(sac_device *device, sac_span span, size_t count, float *data,
                         sac_error *error);
sac_status sac_span_write(sac_device *device, sac_span span, size_t count, const float *data,
                          sac_error *error);
sac_status sac_span_fill(sac_device *device, sac_span span, size_t count, float value,
                         sac_error *error); /* enqueues */
/* Two arguments of a kernel: `global float *x, uint x_at`. */
#define SAC_SPAN_ARGS(s) SAC_ARG((s).buffer), SAC_ARG((s).at)

#endif
