/* Products by register tiles. Where a product goes is decided by how its operands lie:
 *
 *     A      B                                  kernel            here
 *     [m,k]  any                                multiply_rows     sac_tiled_rows: packs B first
 *     [m,k]  [n,k], on CPUs, not trained        multiply          gemm_in_place.h: B as it lies
 *     [m,k]  packed, as weights are kept        multiply_rows     sac_tiled_rows_by_panels
 *     [k,m]  [k,n]: a gradient of weights       multiply_columns  sac_tiled_columns: in place
 *     [k,m]  [n,k]                              multiply_columns  columns_packed
 *
 * Below: what a device's kernel is built with (form_of), how a product is cut among work-items
 * (share_out), the launches and sums over pieces of k, the four above, and plain matrices. */

#include "gemm/gemm_tiled.h"

#include <stdio.h>

#include "base/round.h"
#include "gemm/gemm_in_place.h"
#include "gemm/launch.h"

#define CPU_TILES 4 /* of a block by which k is cut: see cut_rows */
#define GPU_GROUP 64
#define ITEM_ROUNDS 16384  /* of a work-item: enough for a launch to pay, about 50 µs */
#define ITEMS_PER_UNIT 64  /* PoCL wakes no further thread for fewer than 32 each */
#define CACHE_FLOATS 98304 /* of the operands of a piece: 384 KiB, in a second cache of 1 MiB */
#define PACK_RUN 16        /* of cl/gemm/panels.cl: values of k that a work-item packs … */
#define CACHE_LINE 16      /* … and sums over pieces that one of a CPU adds */
#define SHORTEST_PIECE 256 /* values of k for which a piece pays */

static const sac_span nothing = {0};

/* What a product is built for. */
typedef enum gemm_work { MANY_ROWS, FEW_ROWS, COLUMNS } gemm_work;

/* The kernel's options for a device, and the most that a work-item may do. */
typedef struct kernel_form {
    cl_uint width, micro_rows, tiles;
    cl_uint across;     /* most panels of a work-item */
    cl_uint cut_rows;   /* k is cut as if blocks had so many rows: sums keep their order, and their
                           bytes, whatever the tiles are */
    size_t group;       /* work-items of a work-group */
    size_t most_items;  /* as many as are wanted … */
    size_t least_items; /* … and as have to do, where items that are larger do better */
    size_t most_depth;  /* values of k per work-item; 0: any */
    char options[112];
} kernel_form;

static sac_status form_of(sac_device *device, gemm_work work, kernel_form *form, sac_error *error)
{
    const sac_device_info *info = &device->info;
    bool is_cpu = device->profile.is_cpu;
    size_t limit = 0;
    int chunk = work == COLUMNS ? 64 : 288;
    sac_status status = sac_quirk_loop_limit(device, &limit, error);
    form->width = device->profile.vector_width;
    /* Register tiles fill 16 or 32 vector registers. A block's sums and a chunk of both operands
     * are a part of the second cache, and a chunk of a panel and the rows of a tile one of the
     * first. */
    cl_uint narrow = form->width == 8;
    form->micro_rows = narrow ? 6 : 8;
    form->cut_rows = (narrow ? 4 : 8) * (work == FEW_ROWS ? 1 : CPU_TILES);
    form->tiles = work == COLUMNS ? (cl_uint)sac_ceil_div(128, form->micro_rows) : narrow ? 8 : 6;
    form->across = work == COLUMNS ? 48 / form->width : 1;
    if (!is_cpu || limit) { /* short items */
        form->micro_rows = form->cut_rows = form->width == 8 ? 4 : 8;
        form->tiles = form->across = 1;
        chunk = 16;
    }
    form->group = !is_cpu && info->max_work_group >= GPU_GROUP ? GPU_GROUP : 1;
    form->most_items = info->compute_units * (is_cpu ? ITEMS_PER_UNIT : 256);
    form->least_items = work == MANY_ROWS ? form->most_items : form->most_items / 2;
    /* A register tile's own loops count where the compiler does not unroll them; half is spare. */
    form->most_depth = limit ? limit / 2 / (2 + 2 * form->micro_rows + 2 * form->width) : 0;
    snprintf(form->options, sizeof form->options,
             "-DWIDTH=%u -DFAST_FMA=%d -DMICRO_ROWS=%u -DTILES=%u -DACROSS=%u -DCHUNK=%d",
             form->width, info->has_fma, form->micro_rows, form->tiles, form->across, chunk);
    return status;
}

void sac_tiled_expect(sac_device *device)
{
    kernel_form form;
    sac_launch_items_expect(device, "panels");
    if (device->profile.has_long_loops && form_of(device, MANY_ROWS, &form, NULL) == SAC_OK)
        sac_kernel_expect(device, "gemm_tiled", form.options, false);
}

/* Pieces of k: of a small product, which has fewer blocks than the device wants items, and of a
 * deep one, whose k is longer than `deepest` (0: any). */
static void cut_depth(const kernel_form *form, size_t deepest, sac_tiled_gemm *t)
{
    size_t items = sac_ceil_div(t->m, form->cut_rows) * (t->n / t->span * t->panels), splits = 1;
    if (items < form->most_items)
        splits = form->most_items / items;
    if (splits > t->k / SHORTEST_PIECE)
        splits = t->k / SHORTEST_PIECE;
    if (deepest && splits < t->k / deepest)
        splits = t->k / deepest;
    if (form->most_depth && splits < sac_ceil_div(t->k, form->most_depth))
        splits = sac_ceil_div(t->k, form->most_depth);
    if (splits == 0 || t->c.width != t->m) /* pieces are dense, and C is not */
        splits = 1;
    t->depth = (cl_uint)sac_ceil_div(t->k, splits);
    t->splits = (cl_uint)sac_ceil_div(t->k, t->depth);
}

static size_t item_count(const sac_tiled_gemm *t)
{
    return t->splits * sac_ceil_div(t->m, t->rows) *
           sac_ceil_div(t->n / t->span * t->panels, t->each);
}

/* Cuts the product among work-items: the largest of which there are enough. Pieces of k are added
 * afterwards. A tall product's items take several blocks of rows each. */
static void split_among_items(const kernel_form *form, size_t deepest, sac_tiled_gemm *t)
{
    t->panels = (cl_uint)sac_ceil_div(t->span, 2 * form->width);
    cut_depth(form, deepest, t);
    t->rows = form->micro_rows * form->tiles;
    t->each = form->across;
    cl_uint tiles = form->tiles;
    while ((tiles > 1 || t->each > 1) && item_count(t) < form->least_items) {
        /* What is copied should serve about as many rows as columns. */
        if (tiles == 1 || (t->each > 1 && t->each * 2 * form->width >= t->rows))
            t->each--;
        else
            t->rows = form->micro_rows * (tiles = (tiles + 1) / 2);
    }
    size_t together = ITEM_ROUNDS / (t->rows / form->micro_rows) / t->depth;
    if (together > item_count(t) / form->most_items)
        together = item_count(t) / form->most_items;
    t->blocks = (cl_uint)(together && !form->most_depth ? together : 1);
    t->groups = (cl_uint)sac_ceil_div(sac_ceil_div(t->m, t->rows), t->blocks);
}

static sac_status multiply(sac_device *device, const kernel_form *form, const char *name,
                           const sac_tiled_gemm *tiles, sac_span a, sac_span b, sac_span bias,
                           sac_span mask, sac_span c, sac_error *error)
{
    cl_kernel kernel;
    sac_status status = sac_kernel_get(device, "gemm_tiled", form->options, name, &kernel, error);
    if (status != SAC_OK)
        return status;
    sac_arg args[] = {SAC_ARG(*tiles),     SAC_SPAN_ARGS(a),    SAC_SPAN_ARGS(b),
                      SAC_SPAN_ARGS(bias), SAC_SPAN_ARGS(mask), SAC_SPAN_ARGS(c)};
    size_t items = (size_t)tiles->splits * tiles->groups *
                   sac_ceil_div(tiles->n / tiles->span * tiles->panels, tiles->each);
    size_t global = sac_round_up(items, form->group);
    return sac_kernel_launch(device, kernel, args, 11, 1, &global, &form->group, error);
}

sac_status sac_gemm_add_pieces(sac_device *device, const sac_gemm *gemm, size_t pieces, sac_span a,
                               sac_span c, sac_error *error)
{
    const struct {
        cl_uint count, n, splits, accumulate, with_bias, each;
        cl_float ceiling;
    } sums = {(cl_uint)(gemm->m * gemm->n),
              (cl_uint)gemm->n,
              (cl_uint)pieces,
              gemm->accumulate,
              gemm->bias.buffer != NULL,
              device->profile.is_cpu ? CACHE_LINE : 1,
              gemm->ceiling};
    sac_span bias = sums.with_bias ? gemm->bias : c;
    sac_arg args[] = {SAC_ARG(sums), SAC_SPAN_ARGS(a), SAC_SPAN_ARGS(bias), SAC_SPAN_ARGS(c)};
    return sac_launch_items(device, "panels", "add_pieces", args, 7,
                            sac_ceil_div(sums.count, sums.each), error);
}

/* Runs a product at once, or in pieces of k that lie in `pieces` and are added then. */
static sac_status run(sac_device *device, const kernel_form *form, const char *kernel,
                      sac_tiled_gemm *tiles, sac_span a, sac_span b, sac_span pieces, sac_span bias,
                      sac_span mask, sac_span c, sac_error *error)
{
    tiles->bias = bias.buffer != NULL;
    tiles->masked = mask.buffer != NULL;
    if (tiles->splits == 1) /* some drivers want a buffer even where a kernel does not look at it */
        return multiply(device, form, kernel, tiles, a, b, tiles->bias ? bias : c,
                        tiles->masked ? mask : c, c, error);
    sac_tiled_gemm piece = *tiles;
    sac_gemm whole = {.m = tiles->m,
                      .n = tiles->n,
                      .accumulate = tiles->accumulate,
                      .bias = bias,
                      .ceiling = tiles->ceiling};
    piece.accumulate = piece.bias = 0;
    piece.ceiling = 0;
    sac_status status = multiply(device, form, kernel, &piece, a, b, c, c, pieces, error);
    if (status == SAC_OK)
        status = sac_gemm_add_pieces(device, &whole, tiles->splits, pieces, c, error);
    return status;
}

/* Scratch for `packed` floats of B and the pieces. */
static sac_status reserve(sac_device *device, const sac_tiled_gemm *tiles, size_t packed,
                          sac_span *scratch, sac_error *error)
{
    size_t pieces = tiles->splits > 1 ? (size_t)tiles->splits * tiles->m * tiles->n : 0;
    *scratch = (sac_span){0};
    if (packed + pieces == 0)
        return SAC_OK;
    return sac_device_scratch(device, (packed + pieces) * sizeof(float), &scratch->buffer, error);
}

static sac_status pack(sac_device *device, sac_packing packing, sac_span b, sac_span packed,
                       sac_error *error)
{
    size_t count = sac_ceil_div(packing.n, packing.panel) * sac_ceil_div(packing.k, PACK_RUN);
    sac_arg args[] = {SAC_ARG(packing), SAC_SPAN_ARGS(b), SAC_SPAN_ARGS(packed)};
    return sac_launch_items(device, "panels", "pack", args, 5, count, error);
}

/* B is in panels. */
static void set_panel_strides(cl_uint panel, sac_tiled_gemm *tiles)
{
    tiles->b_panel = tiles->k * panel;
    tiles->along_b = (sac_walk){panel, tiles->length * panel, tiles->b_panel};
}

static sac_status run_packed(sac_device *device, gemm_work work, sac_tiled_gemm tiles,
                             sac_packing packing, sac_span a, sac_span b, sac_span bias,
                             sac_span mask, sac_span c, sac_error *error)
{
    kernel_form form;
    sac_span scratch;
    const char *kernel = work == COLUMNS ? "multiply_columns" : "multiply_rows";
    sac_status status = form_of(device, work, &form, error);
    if (status != SAC_OK)
        return status;
    split_among_items(&form, 0, &tiles);
    packing.panel = 2 * form.width;
    set_panel_strides(packing.panel, &tiles);
    size_t packed = (size_t)tiles.panels * tiles.b_panel;
    status = reserve(device, &tiles, packed, &scratch, error);
    if (status == SAC_OK)
        status = pack(device, packing, b, scratch, error);
    if (status != SAC_OK)
        return status;
    sac_span pieces = sac_span_from(scratch, packed);
    return run(device, &form, kernel, &tiles, a, scratch, pieces, bias, mask, c, error);
}

sac_status sac_tiled_rows(sac_device *device, sac_tiled_gemm tiles, sac_packing packing, sac_span a,
                          sac_span b, sac_span bias, sac_span mask, sac_span c, sac_error *error)
{
    return run_packed(device, MANY_ROWS, tiles, packing, a, b, bias, mask, c, error);
}

size_t sac_tiled_panel_floats(const sac_device *device, size_t n, size_t k)
{
    size_t panel = 2 * device->profile.vector_width;
    return sac_ceil_div(n, panel) * panel * k;
}

sac_status sac_tiled_pack(sac_device *device, sac_packing packing, sac_span b, sac_span panels,
                          sac_error *error)
{
    packing.panel = 2 * device->profile.vector_width;
    return pack(device, packing, b, panels, error);
}

static sac_status run_panels(sac_device *device, gemm_work work, sac_tiled_gemm tiles, sac_span a,
                             sac_span panels, sac_span bias, sac_span c, sac_error *error)
{
    kernel_form form;
    sac_span pieces;
    sac_status status = form_of(device, work, &form, error);
    if (status != SAC_OK)
        return status;
    split_among_items(&form, 0, &tiles);
    set_panel_strides(2 * form.width, &tiles);
    status = reserve(device, &tiles, 0, &pieces, error);
    if (status != SAC_OK)
        return status;
    return run(device, &form, "multiply_rows", &tiles, a, panels, pieces, bias, nothing, c, error);
}

sac_status sac_tiled_rows_by_panels(sac_device *device, sac_tiled_gemm tiles, sac_span a,
                                    sac_span panels, sac_span bias, sac_span c, sac_error *error)
{
    return run_panels(device, FEW_ROWS, tiles, a, panels, bias, c, error);
}

sac_status sac_tiled_columns(sac_device *device, sac_tiled_gemm tiles, sac_span a, sac_span b,
                             sac_span bias, sac_span c, sac_error *error)
{
    kernel_form form;
    sac_span scratch;
    sac_status status = form_of(device, COLUMNS, &form, error);
    if (status != SAC_OK)
        return status;
    /* All panels and blocks of a piece follow each other, and find its operands in the cache. */
    split_among_items(
        &form, CACHE_FLOATS / (tiles.along_a.step + tiles.along_b.step) + SHORTEST_PIECE, &tiles);
    tiles.b_panel = 2 * form.width;
    status = reserve(device, &tiles, 0, &scratch, error);
    if (status != SAC_OK)
        return status;
    return run(device, &form, "multiply_columns", &tiles, a, b, scratch, bias, nothing, c, error);
}

/* ---------------------------------------------------------------- plain matrices */

sac_packing sac_packing_of(size_t n, size_t k, bool transposed)
{
    return (sac_packing){
        .n = (cl_uint)n,
        .k = (cl_uint)k,
        .inners = (cl_uint)k,
        .middles = 1,
        .inner = transposed ? 1 : (cl_int)n,
        .column = transposed ? (cl_int)k : 1,
    };
}

/* All of k is one line. */
static sac_tiled_gemm tiles_of(const sac_gemm *gemm)
{
    cl_uint m = (cl_uint)gemm->m, n = (cl_uint)gemm->n, k = (cl_uint)gemm->k;
    return (sac_tiled_gemm){
        .m = m,
        .n = n,
        .k = k,
        .span = n,
        .length = k,
        .lines = 1,
        .accumulate = gemm->accumulate,
        .ceiling = gemm->ceiling,
        .along_a = {.step = m},
        .along_b = {.step = n},
        .a = {.width = m, .height = 1, .pixel = k},
        .c = {.width = m, .height = 1, .pixel = n},
    };
}

sac_status sac_gemm_tiled(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                          sac_span c, sac_error *error)
{
    sac_tiled_gemm tiles = tiles_of(gemm);
    sac_packing packing = sac_packing_of(gemm->n, gemm->k, gemm->transpose_b);
    sac_span bias = gemm->bias;
    bool in_place = false;
    if (gemm->m == 0 || gemm->n == 0 || gemm->k == 0)
        return SAC_OK;
    if (!gemm->transpose_a && gemm->panels.buffer)
        return run_panels(device, MANY_ROWS, tiles, a, gemm->panels, bias, c, error);
    sac_status status = sac_gemm_is_in_place(device, gemm, &in_place, error);
    if (status != SAC_OK || in_place)
        return status == SAC_OK ? sac_gemm_in_place(device, gemm, a, b, c, error) : status;
    if (!gemm->transpose_a)
        return sac_tiled_rows(device, tiles, packing, a, b, bias, nothing, c, error);
    if (gemm->transpose_b) /* B is packed first */
        return run_packed(device, COLUMNS, tiles, packing, a, b, bias, nothing, c, error);
    return sac_tiled_columns(device, tiles, a, b, bias, c, error);
}

sac_status sac_gemm_by_panels(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span panels,
                              sac_span c, sac_error *error)
{
    if (gemm->m == 0 || gemm->n == 0 || gemm->k == 0)
        return SAC_OK;
    return sac_tiled_rows_by_panels(device, tiles_of(gemm), a, panels, gemm->bias, c, error);
}
