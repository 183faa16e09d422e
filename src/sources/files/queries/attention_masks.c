/* Broadcasts masks to the shape of the weights, and merges them into one. */

#include "sources/files/queries/attention_file_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"

enum { B, H, Q, K, AXES };

/* A mask broadcast over the weights [B,H,Tq,Tk]. */
typedef struct placed {
    const sac_mask_part *part;
    size_t size[AXES];  /* 1 or the weights' */
    sac_mask_kind kind; /* SAC_MASK_BLOCKS, _KEEPS, _ADDS or _SLOPES, by its numbers */
} placed;

/* ---------------------------------------------------------------- what a part means */

static bool is_float(const sac_array *array)
{
    sac_dtype d = array->dtype;
    return d == SAC_F32 || d == SAC_F64 || d == SAC_F16 || d == SAC_BF16;
}

/* Reads numbers in blocks, so that a mask of any size needs little memory. */
static sac_status for_each_number_block(const sac_array *array,
                                        bool (*take)(void *user, const float *numbers,
                                                     size_t count),
                                        void *user, sac_error *error)
{
    enum { BLOCK = 4096 };
    float numbers[BLOCK];
    size_t total = sac_array_count(array), width = sac_dtype_size(array->dtype);
    sac_status status = SAC_OK;
    for (size_t at = 0; at < total && status == SAC_OK; at += BLOCK) {
        size_t count = total - at < BLOCK ? total - at : BLOCK;
        sac_array part =
            sac_array_view(array->dtype, 1, &count, (const char *)array->data + at * width);
        status = sac_array_to_f32(&part, numbers, error);
        if (status == SAC_OK && !take(user, numbers, count))
            break;
    }
    return status;
}

typedef struct truth_values {
    bool all, any_one; /* all are 0 or 1; some are 1 */
} truth_values;

static bool collect_truth_values(void *user, const float *numbers, size_t count)
{
    truth_values *seen = user;
    for (size_t i = 0; i < count && seen->all; i++) {
        seen->all = numbers[i] == 0 || numbers[i] == 1;
        seen->any_one = seen->any_one || numbers[i] == 1;
    }
    return seen->all;
}

bool sac_mask_looks_boolean(const sac_array *array)
{
    truth_values seen = {.all = true};
    return array && is_float(array) &&
           for_each_number_block(array, collect_truth_values, &seen, NULL) == SAC_OK && seen.all &&
           seen.any_one;
}

bool sac_mask_blocks_a_row(const sac_array *array)
{
    size_t count = array ? sac_array_count(array) : 0;
    if (!count || array->rank < 2 || (array->dtype != SAC_BOOL && array->dtype != SAC_U8))
        return false;
    const uint8_t *row = array->data;
    size_t keys = array->shape[array->rank - 1];
    for (; count > 0 && keys > 1; count -= keys, row += keys)
        if (!memchr(row, 0, keys))
            return true;
    return false;
}

/* Hugging Face's attention_mask is 1 and 0 as a model's input, but 0 and a large negative number
 * inside the model. Floats without a 1 are of the second kind, unless there is one number per key.
 */
static sac_status find_mask_kind(placed *p, sac_error *error)
{
    const sac_array *array = p->part->array;
    truth_values seen = {.all = true};
    if (p->kind == SAC_MASK_PADS && is_float(array))
        p->kind = SAC_MASK_ADDS;
    if (p->kind != SAC_MASK_KEEPS && p->kind != SAC_MASK_PADS)
        return SAC_OK;
    sac_status status = for_each_number_block(array, collect_truth_values, &seen, error);
    bool keeps = p->kind == SAC_MASK_PADS
                     ? seen.all
                     : seen.all && (seen.any_one || !is_float(array) || array->rank < 3);
    if (status == SAC_OK && !keeps && !is_float(array))
        return sac_fail(error, SAC_E_VALUE, p->part->name,
                        p->kind == SAC_MASK_PADS
                            ? "give 1 for keys that are ignored and 0 for the others"
                            : "give 1 for keys that are kept and 0 for the others",
                        "holds whole numbers besides 0 and 1");
    if (p->kind == SAC_MASK_PADS)
        p->kind = SAC_MASK_BLOCKS;
    else
        p->kind = keeps ? SAC_MASK_KEEPS : SAC_MASK_ADDS;
    return status;
}

/* ---------------------------------------------------------------- where it lies */

static bool can_broadcast(const size_t size[AXES], const size_t full[AXES])
{
    for (int a = 0; a < AXES; a++)
        if (size[a] != 1 && size[a] != full[a])
            return false;
    return true;
}

static bool set_sizes_if_broadcast(placed *p, const size_t full[AXES], size_t b, size_t h, size_t q,
                                   size_t k)
{
    size_t size[AXES] = {b, h, q, k};
    if (!can_broadcast(size, full))
        return false;
    memcpy(p->size, size, sizeof size);
    return true;
}

/* [X,Tq,Tk] is a mask for each item or each head, or for both, [B·H,Tq,Tk], as
 * nn.MultiheadAttention takes it. Biases, and sizes that cannot be items, are per head. */
static bool place_mask_of_three_axes(placed *p, const size_t *s, const size_t full[AXES])
{
    bool heads_first = p->kind == SAC_MASK_ADDS || p->kind == SAC_MASK_SLOPES;
    bool is_either = s[0] == 1 || s[0] == full[B] || s[0] == full[H];
    if (!is_either && s[0] / full[H] == full[B] && s[0] % full[H] == 0)
        return set_sizes_if_broadcast(p, full, full[B], full[H], s[1], s[2]);
    if (heads_first)
        return set_sizes_if_broadcast(p, full, 1, s[0], s[1], s[2]) ||
               set_sizes_if_broadcast(p, full, s[0], 1, s[1], s[2]);
    return set_sizes_if_broadcast(p, full, s[0], 1, s[1], s[2]) ||
           set_sizes_if_broadcast(p, full, 1, s[0], s[1], s[2]);
}

/* An attention_mask of two axes is read as [B,Tk] if that fits, otherwise as [Tq,Tk]. */
static bool place_mask_of_two_axes(placed *p, const size_t *s, const size_t full[AXES])
{
    bool keys_first = p->part->kind == SAC_MASK_KEEPS;
    if (keys_first && s[0] == full[B] && set_sizes_if_broadcast(p, full, s[0], 1, 1, s[1]))
        return true;
    return set_sizes_if_broadcast(p, full, 1, 1, s[0], s[1]);
}

static bool place_mask_axes(placed *p, const size_t full[AXES])
{
    const size_t *s = p->part->array->shape;
    if (p->part->kind == SAC_MASK_PADS) {
        int rank = p->part->array->rank;
        bool is_one = rank == 1 && full[B] == 1;
        return (rank == 2 || is_one) && s[rank - 1] == full[K] && (is_one || s[0] == full[B]) &&
               set_sizes_if_broadcast(p, full, is_one ? 1 : s[0], 1, 1, s[rank - 1]);
    }
    switch (p->part->array->rank) {
    case 1:
        return p->part->kind == SAC_MASK_KEEPS && set_sizes_if_broadcast(p, full, 1, 1, 1, s[0]);
    case 2:
        return place_mask_of_two_axes(p, s, full);
    case 3:
        return place_mask_of_three_axes(p, s, full);
    case 4:
        return set_sizes_if_broadcast(p, full, s[0], s[1], s[2], s[3]);
    default:
        return false;
    }
}

/* True of one slope per head, with any axes of size 1: [H], [H,1,1], [1,H,1,1]. */
static bool are_slopes(const sac_array *array, size_t heads)
{
    bool last = array->rank && array->shape[array->rank - 1] > 1 && array->rank > 1;
    return array->rank <= AXES && sac_array_count(array) == heads && !last;
}

static sac_status place_mask_part(const sac_mask_part *part, const size_t full[AXES], placed *p,
                                  sac_error *error)
{
    const sac_array *array = part->array;
    char shape[160];
    *p = (placed){.part = part, .kind = part->kind};
    if (array->dtype == SAC_TEXT || !array->data)
        return sac_fail(error, SAC_E_ARGUMENT, part->name, "give numbers", "is %s",
                        sac_dtype_name(array->dtype));
    bool is_bool = array->dtype == SAC_BOOL || array->dtype == SAC_U8;
    if (part->kind == SAC_MASK_BLOCKS && !is_bool && !is_float(array))
        return sac_fail(error, SAC_E_ARGUMENT, part->name,
                        "give bool (true = blocked) or float (added to the score)", "is %s",
                        sac_dtype_name(array->dtype));
    if (part->kind == SAC_MASK_ADDS && array->dtype == SAC_BOOL)
        return sac_fail(error, SAC_E_ARGUMENT, part->name,
                        "give numbers that are added to the score, or call it attn_mask (true = "
                        "blocked) or attention_mask (true = kept)",
                        "is bool");
    if (part->kind == SAC_MASK_SLOPES && are_slopes(array, full[H])) {
        memcpy(p->size, (size_t[]){1, full[H], full[Q], full[K]}, sizeof p->size);
        return SAC_OK;
    }
    if (part->kind == SAC_MASK_SLOPES || (part->kind == SAC_MASK_BLOCKS && is_float(array)))
        p->kind = SAC_MASK_ADDS;
    sac_status status = find_mask_kind(p, error);
    if (status != SAC_OK || place_mask_axes(p, full))
        return status;
    return sac_fail(error, SAC_E_SHAPE, part->name,
                    part->kind == SAC_MASK_SLOPES  ? "give one slope a head, [H]"
                    : part->kind == SAC_MASK_PADS  ? "give [B,Tk]"
                    : part->kind == SAC_MASK_KEEPS ? "give [B,Tk], or up to [B,H,Tq,Tk]"
                                                   : "give [Tq,Tk], [H,Tq,Tk], [B·H,Tq,Tk] or "
                                                     "[B,H,Tq,Tk]",
                    "shape %s does not fit the weights [%zu,%zu,%zu,%zu]",
                    sac_array_shape_text(array, shape, sizeof shape), full[B], full[H], full[Q],
                    full[K]);
}

/* ---------------------------------------------------------------- one part as it is */

static bool fill_inverted(void *user, const float *numbers, size_t count)
{
    uint8_t **out = user;
    for (size_t i = 0; i < count; i++)
        *(*out)++ = numbers[i] == 0;
    return true;
}

static sac_status invert(const placed *p, sac_array *mask, sac_error *error)
{
    sac_status status = sac_array_create(SAC_BOOL, AXES, p->size, mask, error);
    uint8_t *out = mask->data;
    return status == SAC_OK ? for_each_number_block(p->part->array, fill_inverted, &out, error)
                            : status;
}

/* ---------------------------------------------------------------- the sum of several */

/* Adds numbers [sizes of p] to the sum [sizes of mask]; blocked keys get −∞. */
static void add_numbers(const placed *p, const float *numbers, sac_array *mask)
{
    const size_t *to = mask->shape;
    float *sum = mask->data;
    for (size_t b = 0; b < to[B]; b++)
        for (size_t h = 0; h < to[H]; h++)
            for (size_t q = 0; q < to[Q]; q++) {
                size_t row = (b % p->size[B] * p->size[H] + h % p->size[H]) * p->size[Q];
                const float *from = numbers + (row + q % p->size[Q]) * p->size[K];
                for (size_t k = 0; k < to[K]; k++, sum++) {
                    float number = from[p->size[K] == 1 ? 0 : k];
                    bool blocks = p->kind == SAC_MASK_BLOCKS  ? number != 0
                                  : p->kind == SAC_MASK_KEEPS ? number == 0
                                                              : false;
                    *sum += blocks ? -INFINITY : p->kind == SAC_MASK_ADDS ? number : 0;
                }
            }
}

static sac_status add_part(const placed *p, ptrdiff_t offset, sac_array *mask, sac_error *error)
{
    const sac_array *array = p->part->array;
    size_t bytes;
    float *numbers = sac_checked_mul(sac_array_count(array), sizeof *numbers, &bytes)
                         ? malloc(bytes ? bytes : 1)
                         : NULL;
    if (!numbers)
        return sac_no_memory(error, p->part->name);
    sac_status status = sac_array_to_f32(array, numbers, error);
    if (status == SAC_OK && p->kind == SAC_MASK_SLOPES) {
        const size_t *to = mask->shape;
        float *sum = mask->data;
        for (size_t map = 0; map < to[B] * to[H]; map++)
            for (size_t q = 0; q < to[Q]; q++)
                for (size_t k = 0; k < to[K]; k++)
                    *sum++ -=
                        numbers[map % to[H]] * fabsf((float)((ptrdiff_t)q + offset) - (float)k);
    } else if (status == SAC_OK)
        add_numbers(p, numbers, mask);
    free(numbers);
    return status;
}

/* An axis of the merged mask has the size of the weights if any part has that size, otherwise 1. */
static sac_status sum_mask_parts(const placed *parts, size_t count, ptrdiff_t offset,
                                 sac_array *mask, sac_error *error)
{
    const size_t most = (size_t)1 << 29; /* floats: 2 GiB */
    size_t size[AXES] = {1, 1, 1, 1}, total;
    for (size_t i = 0; i < count; i++)
        for (int a = 0; a < AXES; a++)
            size[a] = parts[i].size[a] > size[a] ? parts[i].size[a] : size[a];
    if (!sac_checked_mul_shape(size, AXES, 1, &total) || total > most)
        return sac_fail(error, SAC_E_MEMORY, parts[0].part->name, "give fewer queries or heads",
                        "as a mask [%zu,%zu,%zu,%zu] it takes more than 2 GiB", size[B], size[H],
                        size[Q], size[K]);
    sac_status status = sac_array_create(SAC_F32, AXES, size, mask, error);
    for (size_t i = 0; i < count && status == SAC_OK; i++)
        status =
            sac_error_within(error, add_part(&parts[i], offset, mask, error), parts[i].part->name);
    return status;
}

/* ---------------------------------------------------------------- all */

sac_status sac_masks_merge(const sac_mask_part *parts, size_t count,
                           const sac_attention_shape *shape, ptrdiff_t offset, sac_array *mask,
                           sac_error *error)
{
    enum { MAX_PARTS = 8 };
    const size_t full[AXES] = {shape->batch, shape->heads, shape->queries, shape->keys};
    placed found[MAX_PARTS];
    size_t there = 0;
    sac_status status = SAC_OK;
    *mask = (sac_array){0};
    for (size_t i = 0; i < count && i < MAX_PARTS && status == SAC_OK; i++)
        if (parts[i].array)
            status = place_mask_part(&parts[i], full, &found[there++], error);
    if (status != SAC_OK || !there)
        return status;
    const placed *first = &found[0];
    sac_dtype dtype = first->part->array->dtype;
    bool as_it_is = (first->kind == SAC_MASK_BLOCKS && (dtype == SAC_BOOL || dtype == SAC_U8)) ||
                    (first->kind == SAC_MASK_ADDS && is_float(first->part->array));
    /* A view of the array with four axes. */
    if (there == 1 && as_it_is)
        *mask =
            sac_array_view(first->part->array->dtype, AXES, first->size, first->part->array->data);
    else if (there == 1 && first->kind == SAC_MASK_KEEPS)
        status = invert(first, mask, error);
    else
        status = sum_mask_parts(found, there, offset, mask, error);
    if (status != SAC_OK)
        sac_array_free(mask);
    return status;
}
