/* The scratch buffer of an attention. */
#include "attention/run/run.h"

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
