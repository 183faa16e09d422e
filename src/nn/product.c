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

sac_status sac_product_run(sac_device *device, const sac_product *product, sac_span a, sac_span b,
                           sac_span c, sac_error *error)
{
    cl_uint m = (cl_uint)product->m, n = (cl_uint)product->n, k = (cl_uint)product->k;
    sac_status status = check_sizes(product, error);
    if (status != SAC_OK || m == 0 || n == 0 || k == 0)
        return status;
    sac_tiles tiles = {
        .m = m,
        .n = n,
        .k = k,
        .b_step = n,
        .span = n,
        .a_step = product->transpose_a ? m : 1,
        .length = k,
        .lines = 1,
        .accumulate = product->accumulate,
        .relu = product->relu,
        .a = {.width = m, .height = 1, .pixel = product->transpose_a ? 1 : k},
        .c = {.width = m, .height = 1, .pixel = n},
    };
    if (!product->transpose_b && n % sac_tiles_width(device) == 0)
        return sac_tiles_run_direct(device, tiles, a, b, product->bias, c, error);
    sac_packing packing = {
        .n = n,
        .k = k,
        .inners = k,
        .middles = 1,
        .inner = product->transpose_b ? 1 : (cl_int)n,
        .column = product->transpose_b ? (cl_int)k : 1,
    };
    return sac_tiles_run_packed(device, tiles, packing, a, b, product->bias, c, error);
}
