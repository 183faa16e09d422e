/* Numbers on the device with their shape, which is rows × width: of more dimensions all but the
 * last are rows, so [T,B,4H] is T·B rows of 4H. They are floats, but for weights that are stored in
 * fewer bits (nn/parameters.h). A tensor lends its memory; a sac_arena owns it. */
#ifndef SAC_NN_TENSOR_H
#define SAC_NN_TENSOR_H

#include <assert.h>

#include "base/stored.h"
#include "device/device.h"

typedef struct sac_tensor {
    cl_mem buffer; /* NULL: there is none */
    cl_uint at;    /* the first number */
    size_t rows, width;
    sac_stored stored; /* SAC_STORED_F32, or of weights gemm/storage.h's */
} sac_tensor;

/* Numbers of tokens, or of rows, on the device. */
typedef struct sac_ints {
    cl_mem buffer;
    cl_uint at; /* the first int */
    size_t count;
} sac_ints;

/* Bytes on the device, as masks are. */
typedef struct sac_byte_tensor {
    cl_mem buffer;
    size_t count;
} sac_byte_tensor;

static inline size_t sac_tensor_count(sac_tensor x)
{
    return x.rows * x.width;
}

/* Of numbers that may be stored otherwise. */
static inline sac_span sac_tensor_stored(sac_tensor x)
{
    return (sac_span){x.buffer, x.at};
}

/* Of floats. */
static inline sac_span sac_tensor_span(sac_tensor x)
{
    assert(x.stored == SAC_STORED_F32);
    return sac_tensor_stored(x);
}

/* The rows first … first + count − 1. */
static inline sac_tensor sac_tensor_rows(sac_tensor x, size_t first, size_t count)
{
    return (sac_tensor){x.buffer, x.at + (cl_uint)(first * x.width), count, x.width, x.stored};
}

/* The same numbers in another shape. */
static inline sac_tensor sac_tensor_shaped(sac_tensor x, size_t rows, size_t width)
{
    return (sac_tensor){x.buffer, x.at, rows, width, x.stored};
}

static inline sac_ints sac_ints_from(sac_ints x, size_t first, size_t count)
{
    return (sac_ints){x.buffer, x.at + (cl_uint)first, count};
}

#endif
