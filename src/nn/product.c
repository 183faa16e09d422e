#include "nn/product.h"

#include "base/error.h"
#include "nn/tiles.h"

/* Whose sizes and places fit the kernel's 32 bits. */
static sac_status check_sizes(const sac_product *p, sac_error *error)
{
    const double most = 4294967295.0;
    double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    if (m * k <= most && k * n <= most && m * n <= most)
        return SAC_OK;
    return sac_fail(error, SAC_E_SHAPE, "product", "give smaller batches",
                    "[%zu,%zu] x [%zu,%zu] is too large", p->m, p->k, p->k, p->n);
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
static sac_status run_tiles(sac_device *device, const sac_product *product, sac_span a, sac_span b,
                            sac_span c, sac_error *error)
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
    if (!product->transpose_a)
        return sac_tiles_run_rows(device, tiles, packing_of(product), a, b, bias, c, error);
    if (product->transpose_b)
        return sac_tiles_run_columns_packed(device, tiles, packing_of(product), a, b, bias, c,
                                            error);
    return sac_tiles_run_columns(device, tiles, a, b, bias, c, error);
}

sac_status sac_product_run(sac_device *device, const sac_product *product, sac_span a, sac_span b,
                           sac_span c, sac_error *error)
{
    sac_status status = check_sizes(product, error);
    if (status != SAC_OK || product->m == 0 || product->n == 0 || product->k == 0)
        return status;
    return run_tiles(device, product, a, b, c, error);
}
