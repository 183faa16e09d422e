/* Reads the tensors of a pretrained model into parameters. */
#include "architectures/load_tensors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/notice.h"

enum { NAME = sizeof((sac_parameter *)0)->name + 32, SQUARE = 32 };

typedef struct taking {
    const sac_pretrained *files;
    const sac_tensor_places *places;
    sac_device *device;
    sac_array converted;     /* of the last parameter, where it does not lie as it is used; owned */
    sac_array slice;         /* that it lies in; lent */
    const sac_array *copied; /* the last tensor, where the device has no use for the file's pages */
} taking;

sac_status sac_pretrained_floats(const sac_pretrained *files, const char *prefix, const char *name,
                                 int rank, const size_t *shape, float **floats, sac_error *error)
{
    char full[NAME];
    const sac_array *tensor;
    *floats = NULL;
    snprintf(full, sizeof full, "%s%s", prefix, name);
    sac_status status = sac_pretrained_require_tensor(files, full, rank, shape, &tensor, error);
    if (status != SAC_OK)
        return status;
    *floats = malloc((sac_array_count(tensor) + 1) * sizeof **floats);
    if (!*floats)
        return sac_no_memory(error, full);
    return sac_array_to_f32(tensor, *floats, error);
}

/* Transposes one square. */
static void transpose_square(size_t size, size_t rows, size_t columns, size_t in, size_t across,
                             size_t step, const void *all, void *part)
{
    for (size_t o = 0; o < rows; o++)
        for (size_t i = 0; i < columns; i++)
            if (size == sizeof(uint16_t))
                ((uint16_t *)part)[o * in + i] = ((const uint16_t *)all)[i * across + o * step];
            else
                ((float *)part)[o * in + i] = ((const float *)all)[i * across + o * step];
}

/* part [out,in] = columns of all [in,across], each `step` after the one before, of numbers of 2 or 4
 * bytes; square by square, which the first cache holds: lines of memory are read and written whole. */
static void transpose(size_t size, size_t out, size_t in, size_t across, size_t step,
                      const char *all, char *part)
{
    for (size_t o = 0; o < out; o += SQUARE)
        for (size_t i = 0; i < in; i += SQUARE)
            transpose_square(size, out - o < SQUARE ? out - o : SQUARE,
                             in - i < SQUARE ? in - i : SQUARE, in, across, step,
                             all + (i * across + o * step) * size, part + (o * in + i) * size);
}

/* Whether its row `o` is of no tensor. */
static bool is_blank_row(const sac_tensor_place *place, size_t o)
{
    return place->is_blank && o % place->depth < place->moved;
}

/* Which row of those that the parameter is made of becomes its row `o`. */
static size_t source_row(const sac_tensor_place *place, size_t o)
{
    static const size_t quarters[] = {2, 0, 3, 1};
    size_t half = place->paired / 2, at = place->depth ? o % place->depth : 0;
    size_t first = o - at, others = place->depth - place->moved;
    if (place->by_axes)
        return first + quarters[at / (place->depth / 4)] * (place->depth / 4) +
               at % (place->depth / 4);
    if (at >= place->moved && place->moved)
        return place->is_blank ? first / place->depth * others + at - place->moved
                               : o - place->moved;
    if (at >= place->paired)
        return place->moved ? o + others : o;
    return first + (place->moved ? others : 0) + (at < half ? 2 * at : 2 * (at - half) + 1);
}

/* Copies the parameter out of a tensor [in,all], transposed, or out of rows of [all,in]. Its type
 * stays. */
static sac_status copy_parameter_part(const sac_tensor_place *place, const sac_parameter *parameter,
                                      const sac_array *tensor, sac_array *part, sac_error *error)
{
    size_t out = parameter->shape[0], in = parameter->count / out;
    size_t size = sac_dtype_size(tensor->dtype);
    const char *all = tensor->data;
    sac_status status =
        sac_array_create(tensor->dtype, parameter->rank, parameter->shape, part, error);
    if (status == SAC_OK && place->transposed)
        transpose(size, out, in, place->all, place->run == 1 ? place->step : 1,
                  all + place->first * size, part->data);
    size_t run = place->run ? place->run : out,
           some = place->paired || place->moved || place->by_axes ? 1 : run;
    for (size_t o = 0; o < out && status == SAC_OK && !place->transposed; o += some) {
        if (is_blank_row(place, o))
            continue;
        size_t from = source_row(place, o);
        memcpy((char *)part->data + o * in * size,
               all + (place->first + from / run * place->step + from % run) * in * size,
               some * in * size);
    }
    return status;
}

/* The sum over the frames of [out·in,frames,height·width]. */
static sac_status join_frames(const sac_tensor_place *place, const sac_parameter *parameter,
                              const float *numbers, sac_array *joined, sac_error *error)
{
    size_t area = parameter->shape[2] * parameter->shape[3];
    sac_status status = sac_array_create(SAC_F32, parameter->rank, parameter->shape, joined, error);
    for (size_t i = 0; i < parameter->count && status == SAC_OK; i++) {
        const float *first = numbers + i / area * place->frames * area + i % area;
        float sum = 0;
        for (size_t frame = 0; frame < place->frames; frame++)
            sum += first[frame * area];
        ((float *)joined->data)[i] = sum;
    }
    return status;
}

/* taps [out,taps,in] of numbers [out,in,taps]. */
static sac_status turn_taps(const taking *t, const sac_tensor_place *place,
                            const sac_parameter *parameter, const float *numbers, sac_array *taps,
                            sac_error *error)
{
    const size_t out = parameter->shape[0], count = parameter->shape[1], in = parameter->shape[2];
    const size_t shape[] = {1, 1, count};
    float *length = NULL;
    sac_status status = sac_array_create(SAC_F32, parameter->rank, parameter->shape, taps, error);
    if (status == SAC_OK && place->gains)
        status = sac_pretrained_floats(t->files, "", place->gains, 3, shape, &length, error);
    for (size_t tap = 0; tap < count && status == SAC_OK; tap++) {
        double square = 0;
        for (size_t i = 0; length && i < out * in; i++)
            square += (double)numbers[i * count + tap] * (double)numbers[i * count + tap];
        const double factor = length ? (double)length[tap] / sqrt(square) : 1;
        for (size_t i = 0; i < out * in; i++)
            ((float *)taps->data)[(i / in * count + tap) * in + i % in] =
                (float)(factor * (double)numbers[i * count + tap]);
    }
    free(length);
    return status;
}

/* Whether the device has the parameter as numbers of that type. */
static bool device_accepts(const taking *t, const sac_parameter *parameter, sac_dtype dtype)
{
    sac_stored stored;
    return sac_stored_from_dtype(dtype, &stored) &&
           sac_parameter_takes(parameter, t->device, stored);
}

/* Whether the parameter is rounded to bfloat16: one that may be narrow, on a device that needs it. Blocks stay. */
static bool is_rounded(const taking *t, const sac_parameter *parameter, sac_dtype dtype)
{
    return t->device->rounds && dtype != SAC_BF16 && device_accepts(t, parameter, SAC_BF16);
}

/* The tensor, which may be t->converted, as bfloat16 there. */
static sac_status round_tensor(taking *t, const sac_array *tensor, sac_error *error)
{
    enum { PIECE = 4096 };
    sac_array rounded = {0};
    float floats[PIECE];
    size_t count = sac_array_count(tensor), size = sac_dtype_size(tensor->dtype);
    sac_status status = sac_array_create(SAC_BF16, tensor->rank, tensor->shape, &rounded, error);
    for (size_t i = 0; i < count && status == SAC_OK; i += PIECE) {
        size_t some = count - i < PIECE ? count - i : PIECE;
        sac_array piece =
            sac_array_view(tensor->dtype, 1, &some, (const char *)tensor->data + i * size);
        status = sac_array_to_f32(&piece, floats, error);
        for (size_t k = 0; k < some && status == SAC_OK; k++)
            ((uint16_t *)rounded.data)[i + k] = sac_float_to_bfloat(floats[k]);
    }
    sac_array_free(&t->converted);
    t->converted = rounded;
    return status;
}

/* The parameter's values in a type that it accepts: converted to float32, or cut out of the tensor.
 */
static sac_status convert(const taking *t, const sac_tensor_place *place,
                          const sac_parameter *parameter, const sac_array *tensor,
                          sac_array *converted, sac_error *error)
{
    sac_array floats = {0};
    sac_status status = SAC_OK;
    const bool is_turned = place->frames || place->turns_taps;
    if (place->added != 0 || is_turned || !device_accepts(t, parameter, tensor->dtype)) {
        status = sac_array_create(SAC_F32, tensor->rank, tensor->shape, &floats, error);
        if (status == SAC_OK)
            status = sac_array_to_f32(tensor, floats.data, error);
        for (size_t i = 0; i < sac_array_count(&floats) && status == SAC_OK; i++)
            ((float *)floats.data)[i] += place->added;
        tensor = &floats;
    }
    if (!place->all && !is_turned) {
        *converted = floats;
        return status;
    }
    if (status == SAC_OK)
        status = place->frames ? join_frames(place, parameter, floats.data, converted, error)
                 : place->turns_taps
                     ? turn_taps(t, place, parameter, floats.data, converted, error)
                     : copy_parameter_part(place, parameter, tensor, converted, error);
    sac_array_free(&floats);
    return status;
}

static const sac_tensor_place *place_of(const taking *t, const sac_parameter *parameter)
{
    static const sac_tensor_place whole = {0};
    for (size_t i = 0; i < t->places->count; i++)
        if (t->places->list[i].parameter == parameter)
            return &t->places->list[i];
    return &whole;
}

/* Finds the tensor that holds the parameter. */
static sac_status find(const taking *t, const sac_parameter *parameter,
                       const sac_tensor_place *place, const sac_array **tensor, sac_error *error)
{
    size_t whole[6] = {place->slices}, *shape = whole + 1;
    bool is_sliced = place->slices > 0;
    int rank = parameter->rank + is_sliced + (place->frames > 0);
    memcpy(shape, parameter->shape, sizeof parameter->shape);
    if (place->frames) {
        memmove(shape + 3, shape + 2, 2 * sizeof *shape);
        shape[2] = place->frames;
    }
    if (place->transposed)
        shape[0] = shape[1];
    if (place->turns_taps) {
        shape[1] = parameter->shape[2];
        shape[2] = parameter->shape[1];
    }
    if (place->all)
        shape[place->transposed] = place->all;
    sac_status status = sac_cancel_check(parameter->name, error);
    return status == SAC_OK
               ? sac_pretrained_require_tensor(t->files, parameter->name, rank,
                                               is_sliced ? whole : shape, tensor, error)
               : status;
}

/* Frees the last tensor, which the device has copied; the file's pages are released. */
static void release_last(taking *t)
{
    sac_array_free(&t->converted);
    if (t->copied)
        sac_pretrained_forget(t->files, t->copied);
    t->copied = NULL;
}

/* Makes floats of the blocks in t->converted. */
static sac_status unpack(taking *t, const sac_parameter *parameter, sac_parameter_numbers *numbers,
                         sac_error *error)
{
    const sac_stored_form *form = sac_stored_form_of(numbers->stored);
    sac_array floats = {0};
    sac_status status = sac_array_create(SAC_F32, 2, parameter->shape, &floats, error);
    for (size_t i = 0; status == SAC_OK && i * form->numbers < parameter->count; i++)
        form->read((const uint8_t *)numbers->data + i * form->bytes,
                   (float *)floats.data + i * form->numbers);
    sac_array_free(&t->converted);
    t->converted = floats;
    *numbers = (sac_parameter_numbers){.data = floats.data, .stored = SAC_STORED_F32};
    return status;
}

/* Row `row` of the tensor, whole blocks, to `to`. */
static void copy_row(const sac_gguf_blocks *b, size_t row, uint8_t *to)
{
    const sac_stored_form *form = sac_stored_form_of(b->stored);
    size_t count = b->width / form->numbers, first = row * count;
    if (!b->scales)
        memcpy(to, b->data + first * form->bytes, count * form->bytes);
    for (size_t k = first; b->scales && k < first + count; k++, to += form->bytes)
        sac_mxfp4_join(b->data + k * b->data_step, b->scales + k * b->scale_step, 1, to);
}

/* A parameter that lies in blocks and may stay so: rows of the file, copied only where they do not lie together.
 * `numbers` stays as it is where it does not. */
static sac_status provide_blocks(taking *t, const sac_tensor_place *place,
                                 const sac_parameter *parameter, sac_parameter_numbers *numbers,
                                 sac_error *error)
{
    sac_gguf_blocks blocks;
    size_t out = parameter->shape[0], run = place->run ? place->run : out;
    size_t all = place->all ? place->all : out, slices = place->slices ? place->slices : 1;
    sac_status status = sac_pretrained_blocks(t->files, parameter->name, &blocks, error);
    bool fits = parameter->rank == 2 && blocks.stored && blocks.width == parameter->shape[1] &&
                blocks.rows == slices * all && place->added == 0 &&
                blocks.transposed == place->transposed;
    bool stays = fits && sac_parameter_takes(parameter, t->device, blocks.stored);
    if (status != SAC_OK || !fits || (!stays && !blocks.scales))
        return status;
    size_t row = sac_stored_bytes(blocks.stored, blocks.width);
    size_t first = place->slice * all + place->first;
    bool lies_together = run >= out && !place->paired && !place->moved && !place->by_axes;
    *numbers = (sac_parameter_numbers){blocks.data + first * row, blocks.stored, lies_together};
    if (lies_together && !blocks.scales)
        return SAC_OK;
    const size_t shape[] = {out, row};
    status = sac_array_create(SAC_U8, 2, shape, &t->converted, error);
    for (size_t o = 0; o < out && status == SAC_OK; o++) {
        if (is_blank_row(place, o)) /* blocks of zero bytes are zeros */
            continue;
        size_t from = source_row(place, o);
        copy_row(&blocks, first + from / run * place->step + from % run,
                 (uint8_t *)t->converted.data + o * row);
    }
    numbers->data = t->converted.data;
    numbers->stay = false;
    return status == SAC_OK && !stays ? unpack(t, parameter, numbers, error) : status;
}

static sac_status provide_made(taking *t, const sac_tensor_place *place,
                               const sac_parameter *parameter, sac_parameter_numbers *numbers,
                               sac_error *error)
{
    sac_status status =
        sac_array_create(SAC_F32, parameter->rank, parameter->shape, &t->converted, error);
    for (size_t i = 0; i < parameter->count && status == SAC_OK; i++)
        ((float *)t->converted.data)[i] = place->added;
    for (size_t o = 0; place->is_unit && o < parameter->shape[0] && status == SAC_OK; o++)
        if (o % place->depth < parameter->shape[1])
            ((float *)t->converted.data)[o * parameter->shape[1] + o % place->depth] = 1;
    numbers->data = t->converted.data;
    return status;
}

static sac_status provide_parameter(void *context, const sac_parameter *parameter,
                                    sac_parameter_numbers *numbers, sac_error *error)
{
    taking *t = context;
    const sac_tensor_place *place = place_of(t, parameter);
    const sac_array *tensor;
    release_last(t);
    if (place->is_made)
        return provide_made(t, place, parameter, numbers, error);
    sac_status status = provide_blocks(t, place, parameter, numbers, error);
    if (status != SAC_OK || numbers->data)
        return status;
    status = find(t, parameter, place, &tensor, error);
    if (status != SAC_OK)
        return status;
    const sac_array *whole = tensor;
    if (place->slices) {
        size_t each = sac_array_count(tensor) / place->slices;
        t->slice = sac_array_view(tensor->dtype, tensor->rank - 1, tensor->shape + 1,
                                  (const char *)tensor->data +
                                      place->slice * each * sac_dtype_size(tensor->dtype));
        tensor = &t->slice;
    }
    bool as_it_is = !place->all && place->added == 0 && !place->frames && !place->turns_taps &&
                    device_accepts(t, parameter, tensor->dtype);
    if (!as_it_is)
        status = convert(t, place, parameter, tensor, &t->converted, error);
    bool rounded =
        status == SAC_OK && is_rounded(t, parameter, as_it_is ? tensor->dtype : t->converted.dtype);
    if (rounded)
        status = round_tensor(t, as_it_is ? tensor : &t->converted, error);
    as_it_is = as_it_is && !rounded;
    numbers->stay = as_it_is && t->device->profile.is_cpu;
    if (!numbers->stay)
        t->copied = whole;
    tensor = as_it_is ? tensor : &t->converted;
    numbers->data = tensor->data;
    sac_stored_from_dtype(tensor->dtype, &numbers->stored);
    return sac_error_within(error, status, parameter->name);
}

bool sac_tensor_places_add(sac_tensor_places *places, const sac_tensor_place *place)
{
    if (places->count == places->room) {
        size_t room = places->room ? 2 * places->room : 64;
        sac_tensor_place *list = realloc(places->list, room * sizeof *list);
        if (!list)
            return false;
        places->list = list;
        places->room = room;
    }
    places->list[places->count++] = *place;
    return true;
}

sac_status sac_pretrained_load_parameters(const sac_pretrained *files,
                                          const sac_tensor_places *places,
                                          sac_parameters *parameters, sac_device *device,
                                          sac_error *error)
{
    taking t = {files, places, .device = device};
    sac_activity_begin("loading %d tensors", parameters->count);
    sac_status status = sac_parameters_take(parameters, device, provide_parameter, &t, error);
    sac_activity_end();
    release_last(&t);
    return status;
}

const char *sac_pretrained_prefix(const sac_pretrained *files, const char *const *prefixes,
                                  const char *name)
{
    char full[NAME];
    for (; prefixes[1]; prefixes++) {
        snprintf(full, sizeof full, "%s%s", prefixes[0], name);
        if (sac_pretrained_has(files, full))
            break;
    }
    return prefixes[0];
}
