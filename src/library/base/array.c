/* Arrays: their dtypes, shapes and memory, and their elements as float32. */

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"

static const struct {
    const char *name;
    size_t size;
} dtypes[] = {
    [SAC_F32] = {"float32", 4}, [SAC_F64] = {"float64", 8},
    [SAC_F16] = {"float16", 2}, [SAC_BF16] = {"bfloat16", 2},
    [SAC_BOOL] = {"bool", 1},   [SAC_I8] = {"int8", 1},
    [SAC_I16] = {"int16", 2},   [SAC_I32] = {"int32", 4},
    [SAC_I64] = {"int64", 8},   [SAC_U8] = {"uint8", 1},
    [SAC_U16] = {"uint16", 2},  [SAC_U32] = {"uint32", 4},
    [SAC_U64] = {"uint64", 8},  [SAC_TEXT] = {"text", sizeof(char *)},
};

static bool is_dtype(sac_dtype dtype)
{
    return (size_t)dtype < sizeof dtypes / sizeof *dtypes;
}

static bool is_rank(int rank)
{
    return rank >= 0 && rank <= SAC_MAX_RANK;
}

const char *sac_dtype_name(sac_dtype dtype)
{
    return is_dtype(dtype) ? dtypes[dtype].name : "unknown dtype";
}

size_t sac_dtype_size(sac_dtype dtype)
{
    return is_dtype(dtype) ? dtypes[dtype].size : 0;
}

sac_array sac_array_view(sac_dtype dtype, int rank, const size_t *shape, const void *data)
{
    sac_array array = {.dtype = dtype, .rank = rank, .data = (void *)data};
    if (rank > 0 && is_rank(rank) && shape)
        memcpy(array.shape, shape, (size_t)rank * sizeof *shape);
    return array;
}

sac_status sac_array_check_form(const sac_array *array, sac_error *error)
{
    size_t bytes;
    char text[160];
    if (!is_dtype(array->dtype))
        return sac_fail(error, SAC_E_ARGUMENT, NULL, "see sac_dtype", "there is no dtype %d",
                        (int)array->dtype);
    if (!is_rank(array->rank))
        return sac_fail(error, SAC_E_SHAPE, NULL, NULL, "rank %d is not between 0 and %d",
                        array->rank, SAC_MAX_RANK);
    if (!sac_checked_mul_shape(array->shape, array->rank, sac_dtype_size(array->dtype), &bytes))
        return sac_fail(error, SAC_E_SHAPE, NULL, NULL, "shape %s overflows the address space",
                        sac_array_shape_text(array, text, sizeof text));
    return SAC_OK;
}

sac_status sac_array_check(const sac_array *array, sac_error *error)
{
    sac_status status = sac_array_check_form(array, error);
    if (status == SAC_OK && !array->data && sac_array_count(array) > 0)
        return sac_fail(error, SAC_E_ARGUMENT, NULL, "give the address of its first element",
                        "has no data");
    return status;
}

sac_status sac_array_create(sac_dtype dtype, int rank, const size_t *shape, sac_array *array,
                            sac_error *error)
{
    if (!array)
        return sac_need(array, "array", error);
    *array = (sac_array){0};
    sac_array fresh = sac_array_view(dtype, rank, shape, NULL);
    sac_status status = rank > 0 ? sac_need(shape, "shape", error) : SAC_OK;
    if (status == SAC_OK)
        status = sac_array_check_form(&fresh, error);
    if (status != SAC_OK)
        return status;
    size_t bytes = sac_array_count(&fresh) * sac_dtype_size(dtype);
    fresh.data = calloc(1, bytes ? bytes : 1);
    if (!fresh.data)
        return sac_fail(error, SAC_E_MEMORY, NULL, "close other programs or use a smaller array",
                        "out of memory for %zu bytes", bytes);
    fresh.owns_data = true;
    *array = fresh;
    return SAC_OK;
}

void sac_array_free(sac_array *array)
{
    if (!array)
        return;
    if (array->owns_data && array->dtype == SAC_TEXT && array->data)
        for (size_t i = 0; i < sac_array_count(array); i++)
            free(((char **)array->data)[i]);
    if (array->owns_data)
        free(array->data);
    *array = (sac_array){0};
}

size_t sac_array_count(const sac_array *array)
{
    size_t count = array && is_rank(array->rank) ? 1 : 0;
    for (int i = 0; count && i < array->rank; i++)
        count *= array->shape[i];
    return count;
}

char *sac_array_shape_text(const sac_array *array, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "[");
    int rank = is_rank(array->rank) ? array->rank : 0;
    for (int i = 0; i < rank && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%zu", i ? "," : "", array->shape[i]);
    if (used < size)
        snprintf(text + used, size - used, "]");
    return text;
}

float sac_half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = (half >> 10) & 31, bits;
    uint32_t fraction = half & 0x3ff;
    float value;
    if (exponent == 0) { /* zero or subnormal: fraction · 2^-24 */
        value = (float)fraction * 0x1p-24f;
        return sign ? -value : value;
    }
    if (exponent == 31)
        bits = sign | 0x7f800000 | fraction << 13;
    else
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* What float32 has beyond 10 bits of fraction is rounded in its own bits, whose carry goes on into
 * the exponent. */
uint16_t sac_float_to_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    bits &= 0x7fffffff;
    if (bits > 0x7f800000) /* NaN */
        return sign | 0x7e00;
    if (bits >= 0x477ff000) /* 65520 and more */
        return sign | 0x7c00;
    if (bits < 0x38800000) { /* subnormal: a multiple of 2^-24 */
        float magnitude;
        memcpy(&magnitude, &bits, sizeof magnitude);
        magnitude = magnitude * 0x1p24f + 0x1p23f; /* which rounds it to a whole number */
        memcpy(&bits, &magnitude, sizeof bits);
        return sign | (uint16_t)(bits & 0x7fff);
    }
    bits += 0xfff + (bits >> 13 & 1);
    return sign | (uint16_t)((bits - (112u << 23)) >> 13);
}

/* bfloat16 is the upper half of a float32. */
float sac_bfloat_to_float(uint16_t bfloat)
{
    uint32_t bits = (uint32_t)bfloat << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint16_t sac_float_to_bfloat(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000) /* NaN */
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* A function that converts elements of one type to float32. In a mapped file they may lie anywhere, not
 * aligned to their type. */
#define DEFINE_CONVERT(type)                                                                       \
    static void convert_##type(const void *data, size_t count, float *out)                         \
    {                                                                                              \
        type number;                                                                               \
        for (size_t i = 0; i < count; i++) {                                                       \
            memcpy(&number, (const char *)data + i * sizeof number, sizeof number);                \
            out[i] = (float)number;                                                                \
        }                                                                                          \
    }
DEFINE_CONVERT(float)
DEFINE_CONVERT(double)
DEFINE_CONVERT(int8_t)
DEFINE_CONVERT(int16_t)
DEFINE_CONVERT(int32_t)
DEFINE_CONVERT(int64_t)
DEFINE_CONVERT(uint8_t)
DEFINE_CONVERT(uint16_t)
DEFINE_CONVERT(uint32_t)
DEFINE_CONVERT(uint64_t)

static void convert_halves(const void *data, size_t count, float *out)
{
    uint16_t half;
    for (size_t i = 0; i < count; i++) {
        memcpy(&half, (const char *)data + i * sizeof half, sizeof half);
        out[i] = sac_half_to_float(half);
    }
}

static void convert_bfloats(const void *data, size_t count, float *out)
{
    uint16_t bfloat;
    for (size_t i = 0; i < count; i++) {
        memcpy(&bfloat, (const char *)data + i * sizeof bfloat, sizeof bfloat);
        out[i] = sac_bfloat_to_float(bfloat);
    }
}

/* By dtype; text has none. */
static void (*const converters[])(const void *data, size_t count, float *out) = {
    [SAC_F32] = convert_float,    [SAC_F64] = convert_double,
    [SAC_F16] = convert_halves,   [SAC_BF16] = convert_bfloats,
    [SAC_BOOL] = convert_uint8_t, [SAC_I8] = convert_int8_t,
    [SAC_I16] = convert_int16_t,  [SAC_I32] = convert_int32_t,
    [SAC_I64] = convert_int64_t,  [SAC_U8] = convert_uint8_t,
    [SAC_U16] = convert_uint16_t, [SAC_U32] = convert_uint32_t,
    [SAC_U64] = convert_uint64_t, [SAC_TEXT] = NULL,
};

sac_status sac_array_to_f32(const sac_array *array, float *out, sac_error *error)
{
    sac_status status = sac_need(array, "array", error);
    if (status == SAC_OK)
        status = sac_array_check(array, error);
    size_t count = status == SAC_OK ? sac_array_count(array) : 0;
    if (status == SAC_OK && count)
        status = sac_need(out, "out", error);
    if (status != SAC_OK || !count)
        return status;
    if (!converters[array->dtype])
        return sac_fail(error, SAC_E_ARGUMENT, NULL, "give an array of numbers",
                        "holds %s, not numbers", sac_dtype_name(array->dtype));
    converters[array->dtype](array->data, count, out);
    return SAC_OK;
}
