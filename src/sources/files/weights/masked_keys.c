/* The masks of a file as one question: is this key hidden from this query? */

#include "sources/files/weights/masked_keys.h"

#include <math.h>
#include <stdlib.h>

#include "attention/spec/resolve.h"
#include "base/checked.h"
#include "base/error.h"

/* A float blocks where it is −inf, numbers of other types where they are not 0. */
static sac_status read_blocked(const sac_array *array, const size_t shape[4], sac_blocked *blocked,
                               sac_error *error)
{
    size_t count = sac_array_count(array), bytes, stride = 1;
    float *values = sac_checked_mul(count, sizeof *values, &bytes) ? malloc(bytes) : NULL;
    bool adds = array->dtype != SAC_BOOL && array->dtype != SAC_U8;
    blocked->data = malloc(count);
    sac_status status = values && blocked->data ? sac_array_to_f32(array, values, error)
                                                : sac_fail(error, SAC_E_MEMORY, "mask", NULL,
                                                           "out of memory for %zu keys", count);
    for (size_t i = 0; i < count && status == SAC_OK; i++)
        blocked->data[i] = adds ? values[i] == -INFINITY : values[i] != 0;
    for (int i = 3; i >= 0; i--) {
        blocked->stride[i] = shape[i] == 1 ? 0 : stride;
        stride *= shape[i];
    }
    free(values);
    return status;
}

sac_status sac_masked_keys_read(const sac_attention_file *file, sac_masked_keys *masked,
                                sac_error *error)
{
    const sac_array *padding = file->input.key_padding_mask, *attention = file->input.attn_mask;
    sac_status status = SAC_OK;
    *masked = (sac_masked_keys){
        .causal = file->spec.causal,
        .window = file->spec.window,
        .offset = sac_attention_offset(&file->spec, file->shape.queries, file->shape.keys)};
    if (padding) {
        size_t shape[] = {padding->shape[0], 1, 1, padding->shape[1]};
        status = read_blocked(padding, shape, &masked->padding, error);
    }
    if (attention && status == SAC_OK) { /* [Tq,Tk], [B,Tq,Tk] or [B,H,Tq,Tk] */
        const size_t *s = attention->shape;
        int rank = attention->rank;
        size_t shape[] = {rank > 2 ? s[0] : 1, rank > 3 ? s[1] : 1, s[rank - 2], s[rank - 1]};
        status = read_blocked(attention, shape, &masked->attention, error);
    }
    if (status != SAC_OK)
        sac_masked_keys_free(masked);
    return status;
}

static bool blocks(const sac_blocked *b, const sac_tile *tile, size_t i, size_t j)
{
    const size_t *s = b->stride;
    return b->data && b->data[tile->batch * s[0] + tile->head * s[1] + i * s[2] + j * s[3]];
}

void sac_masked_keys_tile(const sac_masked_keys *masked, const sac_tile *tile, uint8_t *out)
{
    for (size_t r = 0; r < tile->rows; r++)
        for (size_t c = 0; c < tile->cols; c++) {
            size_t i = tile->row + r, j = tile->col + c;
            ptrdiff_t ahead = (ptrdiff_t)j - ((ptrdiff_t)i + masked->offset);
            size_t distance = (size_t)(ahead < 0 ? -ahead : ahead);
            bool far = masked->window && distance >= masked->window;
            *out++ = (masked->causal && ahead > 0) || far || blocks(&masked->padding, tile, i, j) ||
                     blocks(&masked->attention, tile, i, j);
        }
}

void sac_masked_keys_free(sac_masked_keys *masked)
{
    free(masked->padding.data);
    free(masked->attention.data);
    *masked = (sac_masked_keys){0};
}
