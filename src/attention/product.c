#include "attention/product.h"

#include "attention/clblast.h"
#include "attention/internal.h"
#include "attention/tiles.h"

static bool is_empty(const sac_product *p)
{
    return p->m == 0 || p->n == 0 || p->k == 0;
}

static sac_packing packing_of(const sac_product *p)
{
    cl_int n = (cl_int)p->n, k = (cl_int)p->k;
    return (sac_packing){
        .n = (cl_uint)n,
        .k = (cl_uint)k,
        .inners = (cl_uint)k,
        .middles = 1,
        .inner = p->transpose_b ? 1 : n,
        .column = p->transpose_b ? k : 1,
    };
}

/* All of k is one line. */
sac_status sac_product_by_tiles(sac_device *device, const sac_product *product, sac_span a,
                                sac_span b, sac_span c, sac_error *error)
{
    cl_uint m = (cl_uint)product->m, n = (cl_uint)product->n, k = (cl_uint)product->k;
    sac_span bias = product->bias;
    sac_tiles tiles = {
        .m = m,
        .n = n,
        .k = k,
        .span = n,
        .length = k,
        .lines = 1,
        .accumulate = product->accumulate,
        .relu = product->relu,
        .along_a = {.step = m},
        .along_b = {.step = n},
        .a = {.width = m, .height = 1, .pixel = k},
        .c = {.width = m, .height = 1, .pixel = n},
    };
    if (is_empty(product))
        return SAC_OK;
    if (!product->transpose_a)
        return sac_tiles_run_rows(device, tiles, packing_of(product), a, b, bias, c, error);
    if (product->transpose_b)
        return sac_tiles_run_columns_packed(device, tiles, packing_of(product), a, b, bias, c,
                                            error);
    return sac_tiles_run_columns(device, tiles, a, b, bias, c, error);
}

sac_status sac_product_by_clblast(sac_device *device, const sac_product *product, sac_span a,
                                  sac_span b, sac_span c, sac_error *error)
{
    const sac_product *p = product;
    sac_clblast_gemm gemm = {.m = p->m,
                             .n = p->n,
                             .k = p->k,
                             .transpose_a = p->transpose_a,
                             .transpose_b = p->transpose_b,
                             .accumulate = p->accumulate,
                             .a = a.buffer,
                             .b = b.buffer,
                             .c = c.buffer,
                             .a_at = a.at,
                             .b_at = b.at,
                             .c_at = c.at};
    if (is_empty(p))
        return SAC_OK;
    sac_status status = sac_clblast_gemm_run(device, &gemm, error);
    if (status == SAC_OK && (p->bias.buffer || p->relu))
        status = sac_tiles_finish(device, p->m, p->n, p->bias, p->relu, c, error);
    return status;
}

/* The twin of `product` in cl/product_naive.cl. */
typedef struct naive_product {
    cl_ulong m, n, k;
    cl_ulong a_row, a_step, b_step, b_column;
    cl_uint accumulate, bias, relu, unused;
} naive_product;

_Static_assert(sizeof(naive_product) == 7 * 8 + 4 * 4, "no padding: the kernel's twin has none");

sac_status sac_product_by_naive(sac_device *device, const sac_product *product, sac_span a,
                                sac_span b, sac_span c, sac_error *error)
{
    const sac_product *p = product;
    naive_product naive = {
        .m = p->m,
        .n = p->n,
        .k = p->k,
        .a_row = p->transpose_a ? 1 : p->k,
        .a_step = p->transpose_a ? p->m : 1,
        .b_step = p->transpose_b ? 1 : p->n,
        .b_column = p->transpose_b ? p->k : 1,
        .accumulate = p->accumulate,
        .bias = p->bias.buffer != NULL,
        .relu = p->relu,
    };
    sac_span bias = p->bias.buffer ? p->bias : c;
    sac_arg args[] = {SAC_ARG(naive), SAC_SPAN_ARGS(a), SAC_SPAN_ARGS(b), SAC_SPAN_ARGS(bias),
                      SAC_SPAN_ARGS(c)};
    if (is_empty(p))
        return SAC_OK;
    return sac_launch_items(device, "product_naive", "multiply", args, 9, p->m * p->n, error);
}

sac_status sac_product_by(sac_device *device, sac_product_way way, const sac_product *product,
                          sac_span a, sac_span b, sac_span c, sac_error *error)
{
    if (way == SAC_BY_CLBLAST)
        return sac_product_by_clblast(device, product, a, b, c, error);
    if (way == SAC_BY_TILES)
        return sac_product_by_tiles(device, product, a, b, c, error);
    return sac_product_by_naive(device, product, a, b, c, error);
}

/* Whose sizes and places fit the 32 bits of the faster ways. */
static bool is_small(const sac_product *p)
{
    double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    return m * k <= INT32_MAX && k * n <= INT32_MAX && m * n <= INT32_MAX;
}

sac_status sac_product_run(sac_device *device, const sac_product *product, sac_span a, sac_span b,
                           sac_span c, sac_error *error)
{
    sac_product_way way = SAC_BY_NAIVE;
    sac_status status = SAC_OK;
    if (is_empty(product))
        return SAC_OK;
    if (is_small(product))
        status = sac_product_choose(device, product->transpose_a, &way, error);
    if (status == SAC_OK)
        status = sac_product_by(device, way, product, a, b, c, error);
    return status;
}
