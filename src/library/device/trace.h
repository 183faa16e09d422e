/* Where a device's time goes, for benchmarks: each launch while it is traced, with when it began and
 * ended, the layer of a model that it belongs to, and what that layer computed and read. */
#ifndef SAC_DEVICE_TRACE_H
#define SAC_DEVICE_TRACE_H

#include "device/device.h"

/* Work that is held against a device's limits. */
typedef enum sac_work { SAC_WORK_PRODUCTS, SAC_WORK_ATTENTION, SAC_WORKS } sac_work;

typedef struct sac_traced_launch {
    const char *source; /* of its kernel, "few_rows"; lent by the device */
    int layer;          /* −1: before the layers, and behind them */
    double begin, end;  /* seconds, by the device's clock */
    cl_event event;     /* owned, until the trace has ended */
} sac_traced_launch;

typedef struct sac_traced_work {
    sac_work what;
    int layer;
    double operations, bytes;
} sac_traced_work;

typedef struct sac_trace {
    sac_traced_launch *launches; /* [launch_count], in their order; owned */
    sac_traced_work *works;      /* [work_count]; owned */
    size_t launch_count, work_count;
    int layer;             /* of what is launched now */
    cl_command_queue kept; /* the device's, while a queue that measures is in its place */
    bool no_memory;
} sac_trace;

/* From now on all launches are noted. Ends what was traced before. The device must be locked. */
sac_status sac_trace_begin(sac_device *device, sac_trace *trace, sac_error *error);
/* Waits for the device and reads when each launch ran. */
sac_status sac_trace_end(sac_device *device, sac_error *error);
void sac_trace_free(sac_trace *trace); /* takes zeroed ones */

/* These do nothing where nothing is traced. */
void sac_trace_set_layer(sac_device *device, int layer);
void sac_trace_add_work(sac_device *device, sac_work what, double operations, double bytes);
/* What clEnqueueNDRangeKernel is to write an event to; NULL: nothing. */
cl_event *sac_trace_add_launch(sac_device *device, cl_kernel kernel);

#endif
