/* The backward pass by attend_backward_cpu.cl: tiles of keys, shared out over units. */
#include "attention/backward/backward_pass.h"

#include "attention/prepare/prepared.h"
#include "base/round.h"
#include "gemm/quirks.h"

#define LAUNCH_OPERATIONS 5e9 /* of a core in one launch: a cancellation takes effect after it */
#define UNITS_PER_CORE 2
#define TILE_BLOCKS 2 /* the twin of TILE_KEYS in cl/attention/attend_backward_cpu.cl */
#define MOST_PART_BYTES ((size_t)256 << 20)

/* The widest vectors of a tile: of PAIR keys, and of a strip of queries. */
static size_t widest(const sac_tiling *t)
{
    size_t rows = 2 * t->width > t->tile_rows ? 2 * t->width : t->tile_rows;
    return t->tile_floats / rows;
}

sac_status sac_backward_cpu_fits(sac_device *device, const sac_attention_operands *operands,
                                 bool *fits, sac_error *error)
{
    sac_specialisation kernels =
        sac_specialise_backward_cpu(sac_tiling_shipped(&device->info, SAC_VARIANT_CPU));
    size_t limit = 0, dim = (operands->dim + 3) / 4 * 4; /* additive: four at a time */
    sac_status status = sac_quirk_loop_limit(device, &limit, error);
    *fits = limit == 0 && sac_larger(dim, operands->shape.value_dim) <= widest(&kernels.tiling);
    return status;
}

/* Floats of a private row; the twin of STRIDE in cl/attention/tile_cpu.clh. */
static size_t stride_of(const sac_tiling *t, size_t dim)
{
    return (dim + 2 * t->width - 1) / t->width * t->width;
}

static sac_status prepare(sac_backward *s, sac_error *error)
{
    const sac_attention_operands *o = s->o;
    const sac_attention_shape *shape = &o->shape;
    size_t heads = s->b.key_matrices / shape->batch, panel = 2 * s->kernels.tiling.width;
    size_t floats = (size_t)s->b.splits * s->b.matrices * shape->queries * s->b.piece;
    sac_rows keys = {o->key, shape->batch, heads, shape->keys, o->dim, o->whole_heads};
    sac_rows values = {o->value,    shape->batch,     heads,
                       shape->keys, shape->value_dim, o->whole_heads};
    s->b.p.panel = (cl_uint)panel;
    s->b.p.panels = (cl_uint)sac_ceil_div(shape->keys, panel);
    sac_status status = sac_pack_panels(s->device, &keys, panel, &s->key_panels, error);
    if (status == SAC_OK)
        status = sac_pack_panels(s->device, &values, panel, &s->value_panels, error);
    if (status == SAC_OK)
        status = sac_buffer_create(s->device, floats * sizeof(float), NULL, &s->parts, error);
    return status;
}

/* Rounds of tiles, one for every unit. Loops may be long where these kernels run. */
static sac_backward_sweep sweep_of(const sac_backward *s)
{
    const sac_attention_shape *shape = &s->o->shape;
    size_t units = (size_t)s->b.key_matrices * s->b.splits;
    double cores = s->device->info.compute_units ? s->device->info.compute_units : 1;
    double operations = 2.0 * (double)(3 * s->o->dim + 2 * shape->value_dim) * s->b.tile_keys *
                        (double)shape->queries * s->b.p.group;
    return (sac_backward_sweep){.kernel = "back_tiles",
                                .items = units,
                                .group = 1,
                                .others = sac_ceil_div(s->b.tiles, s->b.splits),
                                .rounds = 1,
                                .operations = operations * (double)units,
                                .most = LAUNCH_OPERATIONS * cores,
                                .share = 1};
}

sac_status sac_backward_cpu(sac_backward *s, sac_error *error)
{
    const sac_attention_operands *o = s->o;
    const sac_operand_gradients *g = s->g;
    cl_mem weight = sac_backward_weight(s), padding = sac_backward_padding(s);
    cl_mem mask = sac_backward_mask(s), dweight = sac_backward_dweight(s);
    cl_mem dscale = sac_backward_dscale(s);
    /* Chooses tiles of keys as large as the kernel's arrays, and as many units as keep the cores
     * busy. Each unit has its own part of dQ. */
    const sac_attention_shape *shape = &s->o->shape;
    const sac_tiling *t = &s->kernels.tiling;
    size_t panel = 2 * t->width, wide = sac_larger(s->o->dim, shape->value_dim);
    size_t keys = t->tile_floats / (wide ? wide : 1) / panel * panel;
    size_t cores = s->device->info.compute_units ? s->device->info.compute_units : 1;
    keys = keys < TILE_BLOCKS * t->block_keys ? keys : TILE_BLOCKS * t->block_keys;
    while (keys > t->block_keys / 2 &&
           s->b.key_matrices * sac_ceil_div(shape->keys, keys) < UNITS_PER_CORE * cores)
        keys = keys / 2 / panel * panel;
    bool is_weighed = sac_score_class_of(s->kernels.form)->weights == SAC_WEIGHTS_HIDDEN;
    s->b.tile_keys = (cl_uint)keys;
    s->b.tiles = (cl_uint)sac_ceil_div(shape->keys, s->b.tile_keys);
    s->b.piece = (cl_uint)(stride_of(t, s->o->dim) * (is_weighed ? 2 : 1) + 1);
    size_t part = s->b.matrices * shape->queries * s->b.piece * sizeof(float);
    size_t splits = sac_ceil_div(UNITS_PER_CORE * cores, s->b.key_matrices);
    if (splits > MOST_PART_BYTES / part)
        splits = sac_larger(MOST_PART_BYTES / part, 1);
    s->b.splits = (cl_uint)(splits < s->b.tiles ? splits : s->b.tiles);
    sac_status status = prepare(s, error);
    sac_arg args[] = {SAC_ARG(s->b),
                      SAC_ARG(o->query.buffer),
                      SAC_ARG(o->key.buffer),
                      SAC_ARG(s->key_panels),
                      SAC_ARG(s->value_panels),
                      SAC_ARG(weight),
                      SAC_ARG(padding),
                      SAC_ARG(mask),
                      SAC_ARG(g->stats.buffer),
                      SAC_ARG(s->delta),
                      SAC_ARG(g->doutput.buffer),
                      SAC_ARG(s->parts),
                      SAC_ARG(g->dkey.buffer),
                      SAC_ARG(g->dvalue.buffer)};
    sac_backward_sweep tiles = sweep_of(s);
    if (status == SAC_OK)
        status = sac_backward_sweep_run(s, &tiles, args, 14, error);
    sac_arg sums[] = {SAC_ARG(s->b),    SAC_ARG(s->parts),
                      SAC_ARG(weight),  SAC_ARG(g->dquery.buffer),
                      SAC_ARG(dweight), SAC_ARG(dscale)};
    if (status == SAC_OK)
        status =
            sac_backward_launch(s, "sum_parts", sums, 6, s->b.matrices * o->shape.queries, error);
    return status;
}
