/* Saccade on OpenCL objects of the caller's own: a context, a device of it and a queue are wrapped,
 * and query, key, value and results stay in buffers of that context. Conventions as in saccade.h.
 *
 *     sac_device *device = NULL;
 *     sac_attention *attention = NULL;
 *     sac_cl_input input = {.query = {.buffer = q, .rank = 4, .shape = {1, 8, 1024, 64}}, …};
 *     sac_device_wrap(context, id, queue, &device, &error);
 *     sac_attention_create_cl(device, &spec, &input, NULL, &attention, &error);
 *     sac_attention_run_cl(attention, &(sac_cl_output){.output = out}, NULL, NULL, &error);
 */
#ifndef SACCADE_CL_H
#define SACCADE_CL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include "saccade.h"

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* A device that works in `context` and enqueues into `queue`, which belongs to it and keeps the
 * order of commands. Both are retained until sac_device_close. Commands that the caller enqueues
 * there before a call are done before that call reads anything. Refused as sac_device_open would.
 */
sac_status sac_device_wrap(cl_context context, cl_device_id id, cl_command_queue queue,
                           sac_device **device, sac_error *error);

/* Numbers in a buffer of the device's context; rank 0: none. What is left out is dense float32 from
 * the first byte on. Of any other layout, and of 16 bits, the numbers that are meant are brought
 * together as float32 in a buffer of the library's own, on the device, in each call that takes them.
 */
typedef struct sac_cl_array {
    cl_mem buffer; /* NULL: a shape alone, where an attention is created */
    int rank;      /* 2 to 4 */
    size_t shape[4];
    size_t offset; /* numbers before the first one */
    size_t
        strides[4];  /* numbers from one index of an axis to the next; all 0: dense, and a 0 beside
                          others repeats the axis */
    sac_dtype dtype; /* SAC_F32, SAC_F16 or SAC_BF16 */
} sac_cl_array;

/* The same arrays as in sac_attention_input. */
typedef struct sac_cl_input {
    sac_cl_array query, key, value;
} sac_cl_input;

/* Creates as sac_attention_create does. `others` (may be NULL) gives masks and weights on the host;
 * its query, key and value are not looked at. The numbers in the buffers are not looked for NaN. A
 * buffer that the kernels can read as it is, such as a query [B,H,T,d] of a suitable d, is retained
 * and must not change while the attention lives; the others are read during the call. No number
 * passes through the host, and none in the buffers is changed. */
sac_status sac_attention_create_cl(sac_device *device, const sac_attention_spec *spec,
                                   const sac_cl_input *input, const sac_attention_input *others,
                                   sac_attention **attention, sac_error *error);
/* What a call waits for, and how the caller learns of its end. Where a call takes events, its work
 * begins once the `wait_count` events of `wait` are done. With `done` the call returns once the work is
 * enqueued: *done is an event for the end, which the caller releases; buffers that are written are
 * not to be touched before, and what the device fails at later shows in *done alone. Without events
 * (NULL), or without `done`, the call waits for the device. */
typedef struct sac_cl_events {
    cl_uint wait_count;
    const cl_event *wait;
    cl_event *done;
} sac_cl_events;

/* Updates as sac_attention_update does those of query, key and value that are given. `events` may be
 * NULL; the host waits for the buffers to be read in any case. */
sac_status sac_attention_update_cl(sac_attention *attention, const sac_cl_input *input,
                                   const sac_cl_events *events, sac_error *error);

/* Buffers that have room for the results of sac_attention_output; NULL for what is not wanted. */
typedef struct sac_cl_output {
    cl_mem output, lse;
} sac_cl_output;

/* Runs as sac_attention_run does, into buffers, on what the attention has: new queries, keys and values
 * come by sac_attention_update_cl and sac_attention_append_cl. `events` and `progress` may be NULL;
 * progress is reported where the call waits for the end. The first run of an attention waits for
 * itself in any case: its kernels may have to be compiled. */
sac_status sac_attention_run_cl(sac_attention *attention, const sac_cl_output *output,
                                const sac_cl_events *events, const sac_progress *progress,
                                sac_error *error);

/* Appends as sac_attention_append does, keys and values in buffers. The host waits for the largest
 * magnitude of the numbers, by which it refuses what leaves float32, and where there is a `done` for
 * nothing that comes behind. */
sac_status sac_attention_append_cl(sac_attention *attention, const sac_cl_array *key,
                                   const sac_cl_array *value, const sac_cl_events *events,
                                   sac_error *error);

/* Buffers that have room for the gradients, each laid out as what it is the gradient of; NULL for
 * what is not wanted. */
typedef struct sac_cl_gradients {
    cl_mem query, key, value;
} sac_cl_gradients;

/* Computes as sac_attend_backward does, with query, key, value, the output's gradient `doutput`
 * and theirs in buffers. `others` (may be NULL) gives masks and weights on the host, as in
 * sac_attention_create_cl, and `weights` (may be NULL) takes the gradients of these; its query, key
 * and value are not looked at. Waits for the device. */
sac_status sac_attend_backward_cl(sac_device *device, const sac_attention_spec *spec,
                                  const sac_cl_input *input, const sac_attention_input *others,
                                  cl_mem doutput, const sac_cl_gradients *gradients,
                                  const sac_attention_gradients *weights,
                                  const sac_progress *progress, sac_error *error);

/* Computes what sac_attention_backward computes: from `doutput` to the gradients of query, key and
 * value. Work of more than a few milliseconds is cut into launches that the host waits for now and
 * then, so that a display on the device moves. `events` and `progress` as in sac_attention_run_cl. */
sac_status sac_attention_backward_cl(sac_attention *attention, cl_mem doutput,
                                     const sac_cl_gradients *gradients, const sac_cl_events *events,
                                     const sac_progress *progress, sac_error *error);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
