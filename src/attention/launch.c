/* Launching kernels that take one work-item per element, and the scratch buffer. */
#include "attention/internal.h"

#define GROUP 64 /* one size for all: some drivers compile a kernel anew for each */

sac_status sac_launch_items(sac_device *device, const char *source, const char *kernel,
                            const sac_arg *args, int arg_count, size_t count, sac_error *error)
{
    cl_kernel handle;
    if (count == 0)
        return SAC_OK;
    sac_status status = sac_kernel_get(device, source, "", kernel, &handle, error);
    if (status != SAC_OK)
        return status;
    size_t local = device->info.max_work_group < GROUP ? 1 : GROUP;
    size_t global = (count + local - 1) / local * local;
    return sac_kernel_launch(device, handle, args, arg_count, 1, &global, &local, error);
}

sac_status sac_scratch_reserve(sac_attention *self, size_t bytes, sac_error *error)
{
    if (self->scratch && self->scratch_bytes >= bytes)
        return SAC_OK;
    sac_buffer_release(self->scratch);
    self->scratch = NULL;
    self->scratch_bytes = 0;
    sac_status status = sac_buffer_create(self->device, bytes, NULL, &self->scratch, error);
    if (status == SAC_OK)
        self->scratch_bytes = bytes;
    return status;
}
