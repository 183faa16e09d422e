/* Runs the backward pass of attention on the device: sets the arguments of its kernels, chooses which of them
 * run, and runs them in launches that stay short. */
#include "attention/backward/backward.h"

#include <math.h>

#include "attention/plan/plan.h"
#include "attention/prepare/prepared.h"
#include "attention/spec/resolve.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/round.h"
#include "gemm/gemm.h"
#include "gemm/launch.h"

/* The places of the vectors of all heads, in floats: the twin of `heads` in cl/attention/backward.clh. */
typedef struct head_places {
    cl_ulong first, batch, head, row;
} head_places;

/* The twin of `backward` in cl/attention/backward.clh, which documents its fields. */
typedef struct job {
    sac_problem p;
    head_places query, key, value, output;
    cl_ulong doutput, dquery, dkey, dvalue;
    cl_ulong stats, weight, dweight, dscale;
    cl_uint begin, end;
    cl_uint matrices, key_matrices;
    cl_uint with_scale;
    cl_uint tile_keys, tiles, splits;
    cl_uint piece;
    cl_uint unused;
} job;

_Static_assert(sizeof(job) == sizeof(sac_problem) + (16 + 8) * 8 + 10 * 4,
               "no padding: the kernel's twin has none");

typedef struct pass {
    sac_device *device;
    const sac_attention_operands *o;
    const sac_operand_gradients *g;
    const sac_tiling *tiling;     /* of a CPU's kernels */
    const sac_progress *progress; /* NULL: no progress is reported */
    job b;
    sac_specialisation kernels;
    cl_mem weight, padding, mask, dweight,
        dscale;                             /* where there is none, another stands in untouched */
    cl_mem delta;                           /* [B·H·Tq]: Σ_c dO O, or dO U (backward.clh) */
    cl_mem biases;                          /* the float mask in base 2; NULL: there is none */
    cl_mem key_panels, value_panels, parts; /* of the fast kernels */
} pass;

/* ---------------------------------------------------------------- launches */

#define SLICE_SECONDS 0.1     /* of one launch: a display that shares the device still moves … */
#define LAUNCH_OPERATIONS 2e9 /* … as it does before the device's speed is known */

/* `count` work-items of a kernel of the pass. */
static sac_status launch_items(const pass *s, const char *kernel, const sac_arg *args,
                               int arg_count, size_t count, sac_error *error)
{
    char options[256];
    sac_specialisation_options(&s->kernels, options, sizeof options);
    return sac_launch_with_options(s->device, s->kernels.source, options, kernel, args, arg_count,
                                   count, error);
}

/* Work-items that each go through `others`: keys, queries, or tiles of either. */
typedef struct sweep {
    const char *kernel;
    size_t items, group;     /* all of them; of a group, 0: as many as suit the device */
    size_t others, rounds;   /* rounds: loops of a work-item for each of the others */
    double operations, most; /* of all items for each of the others; of one launch */
    double done, share;      /* of the whole pass, before this sweep and in it */
} sweep;

/* How many of the others go into the next launch: by groups, as many as take SLICE_SECONDS at the
 * speed of the last one that was waited for. */
static size_t others_per_launch(const pass *s, const sweep *w, size_t limit)
{
    double operations = w->most;
    if (w->group && s->device->backward_speed > 0)
        operations = s->device->backward_speed * SLICE_SECONDS;
    size_t each = (size_t)fmin(operations / w->operations, (double)w->others) + 1;
    if (limit && each > limit / 2 / w->rounds)
        each = limit / 2 / w->rounds ? limit / 2 / w->rounds : 1;
    return each;
}

/* Runs it in launches that stay short, with short loops in each; b.begin and b.end delimit its own
 * among the others, so that args[0] is s->b. */
static sac_status run_sweep(pass *s, const sweep *w, const sac_arg *args, int arg_count,
                            sac_error *error)
{
    size_t limit = 0, begin = 0;
    cl_kernel kernel = NULL; /* of a sweep by groups */
    char options[256];
    sac_status status = sac_quirk_loop_limit(s->device, &limit, error);
    if (status == SAC_OK && w->group) {
        sac_specialisation_options(&s->kernels, options, sizeof options);
        status = sac_kernel_get(s->device, s->kernels.source, options, w->kernel, &kernel, error);
    }
    while (begin < w->others && status == SAC_OK) {
        size_t each = others_per_launch(s, w, limit);
        size_t end = w->others - begin < each ? w->others : begin + each;
        bool is_first = w->group && s->device->backward_speed == 0;
        double start = sac_now();
        s->b.begin = (cl_uint)begin;
        s->b.end = (cl_uint)end;
        status = kernel ? sac_kernel_launch(s->device, kernel, args, arg_count, 1, &w->items,
                                            &w->group, error)
                        : launch_items(s, w->kernel, args, arg_count, w->items, error);
        if (status == SAC_OK && (s->progress || is_first)) {
            status = sac_device_finish(s->device, error);
            s->device->backward_speed =
                (double)(end - begin) * w->operations / fmax(sac_now() - start, 1e-6);
        }
        double done = w->done + w->share * (double)end / (double)w->others;
        if (status == SAC_OK && s->progress && s->progress->step &&
            !s->progress->step(s->progress->user, done))
            status = sac_fail(error, SAC_E_CANCELLED, "attention", NULL, "stopped on request");
        begin = end;
    }
    return status;
}

/* ---------------------------------------------------------------- a work-item for each query, then for each key */

/* `items` work-items, each of which goes through `others`, and for each through some heads. */
static sweep naive_sweep(const pass *s, const char *kernel, size_t items, size_t others,
                         size_t heads)
{
    size_t rounds = heads * (2 * s->o->dim + 2 * s->o->shape.value_dim + 24);
    return (sweep){.kernel = kernel,
                   .items = items,
                   .others = others,
                   .rounds = rounds,
                   .operations = 2 * (double)rounds * (double)items,
                   .most = LAUNCH_OPERATIONS};
}

static sac_status run_naive(pass *s, sac_error *error)
{
    const sac_attention_operands *o = s->o;
    const sac_operand_gradients *g = s->g;
    size_t rows = s->b.matrices * o->shape.queries, cols = s->b.key_matrices * o->shape.keys;
    sweep keys = naive_sweep(s, "add_keys", rows, o->shape.keys, 1);
    sweep queries = naive_sweep(s, "add_queries", cols, o->shape.queries, s->b.p.group);
    keys.share = queries.done = 0.4;
    queries.share = 0.6;
    sac_arg args[13] = {SAC_ARG(s->b),
                        SAC_ARG(o->query.buffer),
                        SAC_ARG(o->key.buffer),
                        SAC_ARG(o->value.buffer),
                        SAC_ARG(s->weight),
                        SAC_ARG(s->padding),
                        SAC_ARG(s->mask),
                        SAC_ARG(g->stats.buffer),
                        SAC_ARG(s->delta),
                        SAC_ARG(g->doutput.buffer),
                        SAC_ARG(g->dquery.buffer),
                        SAC_ARG(s->dweight),
                        SAC_ARG(s->dscale)};
    sac_status status = run_sweep(s, &keys, args, 13, error);
    args[10] = SAC_ARG(g->dkey.buffer);
    args[11] = SAC_ARG(g->dvalue.buffer);
    return status == SAC_OK ? run_sweep(s, &queries, args, 12, error) : status;
}

/* ---------------------------------------------------------------- CPU: tiles of keys, shared out over units */

#define CPU_LAUNCH_OPERATIONS                                                                      \
    5e9 /* of a core in one launch: a cancellation takes effect after it */
#define UNITS_PER_CORE 2
#define TILE_BLOCKS 2 /* the twin of TILE_KEYS in cl/attention/cpu/attend_backward_cpu.cl … */
#define TILE_BLOCKS_OF_SQUARES 4 /* … which squares do not have */
#define MOST_PART_BYTES ((size_t)256 << 20)

/* The widest_of_tile vectors of a tile: of PAIR keys, and of a strip of queries. */
static size_t widest_head_of_tile(const sac_tiling *t)
{
    size_t rows = 2 * t->width > t->tile_rows ? 2 * t->width : t->tile_rows;
    return t->tile_floats / rows;
}

/* Sets *fits where that kernel takes heads so wide on this device, which may not let loops be long. */
static sac_status cpu_fits(sac_device *device, const sac_attention_operands *operands,
                           const sac_tiling *tiling, bool *fits, sac_error *error)
{
    sac_specialisation kernels = sac_specialise_backward_cpu(tiling);
    size_t limit = 0, dim = (operands->dim + 3) / 4 * 4; /* additive: four at a time */
    sac_status status = sac_quirk_loop_limit(device, &limit, error);
    *fits = limit == 0 &&
            sac_larger(dim, operands->shape.value_dim) <= widest_head_of_tile(&kernels.tiling);
    return status;
}

/* Floats of a private row; the twin of STRIDE in cl/attention/cpu/tile_cpu.clh. */
static size_t padded_row_floats(const sac_tiling *t, size_t dim)
{
    return (dim + 2 * t->width - 1) / t->width * t->width;
}

static sac_status prepare_cpu(pass *s, sac_error *error)
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
static sweep cpu_sweep(const pass *s)
{
    const sac_attention_shape *shape = &s->o->shape;
    size_t units = (size_t)s->b.key_matrices * s->b.splits;
    double cores = s->device->info.compute_units ? s->device->info.compute_units : 1;
    double operations = 2.0 * (double)(3 * s->o->dim + 2 * shape->value_dim) * s->b.tile_keys *
                        (double)shape->queries * s->b.p.group;
    return (sweep){.kernel = "back_tiles",
                   .items = units,
                   .group = 1,
                   .others = sac_ceil_div(s->b.tiles, s->b.splits),
                   .rounds = 1,
                   .operations = operations * (double)units,
                   .most = CPU_LAUNCH_OPERATIONS * cores,
                   .share = 1};
}

static sac_status run_cpu(pass *s, sac_error *error)
{
    const sac_attention_operands *o = s->o;
    const sac_operand_gradients *g = s->g;
    /* Chooses tiles of keys as large as the kernel's arrays, and as many units as keep the cores
     * busy. Each unit has its own part of dQ. */
    const sac_attention_shape *shape = &s->o->shape;
    const sac_tiling *t = &s->kernels.tiling;
    size_t panel = 2 * t->width, wide = sac_larger(s->o->dim, shape->value_dim);
    size_t most = t->block_keys * (s->kernels.squares ? TILE_BLOCKS_OF_SQUARES : TILE_BLOCKS);
    if (s->kernels.squares) /* whole ones */
        wide = sac_round_up(wide, panel);
    size_t keys = t->tile_floats / (wide ? wide : 1) / panel * panel;
    size_t cores = s->device->info.compute_units ? s->device->info.compute_units : 1;
    keys = keys < most ? keys : most;
    while (keys > t->block_keys / 2 &&
           s->b.key_matrices * sac_ceil_div(shape->keys, keys) < UNITS_PER_CORE * cores)
        keys = keys / 2 / panel * panel;
    bool is_weighed = sac_score_class_of(s->kernels.form)->weights == SAC_WEIGHTS_HIDDEN;
    s->b.tile_keys = (cl_uint)keys;
    s->b.tiles = (cl_uint)sac_ceil_div(shape->keys, s->b.tile_keys);
    s->b.piece = (cl_uint)(padded_row_floats(t, s->o->dim) * (is_weighed ? 2 : 1) + 1);
    size_t part = s->b.matrices * shape->queries * s->b.piece * sizeof(float);
    size_t splits = sac_ceil_div(UNITS_PER_CORE * cores, s->b.key_matrices);
    if (splits > MOST_PART_BYTES / part)
        splits = sac_larger(MOST_PART_BYTES / part, 1);
    s->b.splits = (cl_uint)(splits < s->b.tiles ? splits : s->b.tiles);
    sac_status status = prepare_cpu(s, error);
    sac_arg args[] = {SAC_ARG(s->b),           SAC_ARG(o->query.buffer),   SAC_ARG(o->key.buffer),
                      SAC_ARG(s->key_panels),  SAC_ARG(s->value_panels),   SAC_ARG(s->weight),
                      SAC_ARG(s->padding),     SAC_ARG(s->mask),           SAC_ARG(g->stats.buffer),
                      SAC_ARG(s->delta),       SAC_ARG(g->doutput.buffer), SAC_ARG(s->parts),
                      SAC_ARG(g->dkey.buffer), SAC_ARG(g->dvalue.buffer)};
    sweep tiles = cpu_sweep(s);
    if (status == SAC_OK)
        status = run_sweep(s, &tiles, args, 14, error);
    sac_arg sums[] = {SAC_ARG(s->b),       SAC_ARG(s->parts),
                      SAC_ARG(s->weight),  SAC_ARG(g->dquery.buffer),
                      SAC_ARG(s->dweight), SAC_ARG(s->dscale)};
    if (status == SAC_OK)
        status = launch_items(s, "sum_parts", sums, 6, s->b.matrices * o->shape.queries, error);
    return status;
}

/* ---------------------------------------------------------------- GPU: a group per tile of keys, then one per tile of queries */

/* Loops of a work-item for each pair of tiles, with those of its own tile: two comparisons, weights
 * and slopes, and the products of two gradients. */
static size_t rounds_per_tile_pair(const sac_specialisation *kernels, size_t dim)
{
    const sac_tiling *tiling = &kernels->tiling;
    size_t rows = tiling->rows_each, vectors = tiling->keys_each / 4, columns = kernels->columns;
    size_t slices = sac_ceil_div(dim, tiling->depth) + tiling->block_keys / tiling->depth;
    size_t scores = (dim / 4 + 2) * (10 + 5 * vectors + rows * (1 + vectors));
    size_t products = tiling->block_keys / 4 * (5 + 5 * columns + rows * (1 + columns));
    return 2 * (slices * (4 + 2 * rows + 2 * columns) + scores + products) + 4 * rows * vectors;
}

/* False where the device does not take such groups, or not such long loops, or where the rows of a
 * tile do not lie within 2^32 bytes. */
static sac_status gpu_fits(sac_device *device, const sac_attention_operands *operands, bool *fits,
                           sac_error *error)
{
    size_t limit = 0, dim = sac_larger(operands->dim, operands->shape.value_dim);
    sac_specialisation kernels =
        sac_specialise_backward_gpu(sac_tiling_backward_gpu(&device->info), dim);
    sac_status status = sac_quirk_loop_limit(device, &limit, error);
    size_t furthest = UINT32_MAX / (sizeof(float) * kernels.tiling.block_keys);
    *fits =
        dim <= SAC_BACKWARD_GPU_WIDEST && operands->shape.heads * dim <= furthest &&
        device->info.max_work_group >= sac_tiling_group_items(&kernels.tiling) &&
        device->info.local_bytes >=
            sac_tiling_backward_local_bytes(&kernels.tiling, kernels.columns) &&
        (limit == 0 || rounds_per_tile_pair(&kernels, dim) * operands->shape.heads <= limit / 2);
    return status;
}

/* A group for each of `tiles`, which goes through the `others`, and for each through some heads. */
static sweep gpu_sweep(const pass *s, const char *kernel, size_t tiles, size_t others, size_t heads)
{
    const sac_tiling *tiling = &s->kernels.tiling;
    double pairs = (double)tiling->tile_rows * tiling->block_keys;
    size_t group = sac_tiling_group_items(tiling),
           wide = sac_larger(s->o->dim, s->o->shape.value_dim);
    return (sweep){.kernel = kernel,
                   .items = tiles * group,
                   .group = group,
                   .others = others,
                   .rounds = heads * rounds_per_tile_pair(&s->kernels, wide),
                   .operations = 2 * pairs * (double)(heads * tiles * 4 * wide),
                   .most = LAUNCH_OPERATIONS};
}

static sac_status run_gpu(pass *s, sac_error *error)
{
    const sac_attention_shape *shape = &s->o->shape;
    const sac_tiling *tiling = &s->kernels.tiling;
    size_t key_tiles = sac_ceil_div(shape->keys, tiling->tile_rows);
    size_t query_tiles = sac_ceil_div(shape->queries, tiling->tile_rows);
    sweep keys = gpu_sweep(s, "back_keys", s->b.key_matrices * key_tiles,
                           sac_ceil_div(shape->queries, tiling->block_keys), s->b.p.group);
    sweep queries = gpu_sweep(s, "back_queries", s->b.matrices * query_tiles,
                              sac_ceil_div(shape->keys, tiling->block_keys), 1);
    keys.share = queries.done = 0.6;
    queries.share = 0.4;
    const sac_attention_operands *o = s->o;
    sac_arg args[13] = {SAC_ARG(s->b),
                        SAC_ARG(o->query.buffer),
                        SAC_ARG(o->key.buffer),
                        SAC_ARG(o->value.buffer),
                        SAC_ARG(s->weight),
                        SAC_ARG(s->padding),
                        SAC_ARG(s->mask),
                        SAC_ARG(s->g->stats.buffer),
                        SAC_ARG(s->delta),
                        SAC_ARG(s->g->doutput.buffer),
                        SAC_ARG(s->g->dkey.buffer),
                        SAC_ARG(s->g->dvalue.buffer)};
    sac_status status = run_sweep(s, &keys, args, 12, error);
    args[10] = SAC_ARG(s->g->dquery.buffer);
    args[11] = SAC_ARG(s->dweight);
    args[12] = SAC_ARG(s->dscale);
    return status == SAC_OK ? run_sweep(s, &queries, args, 13, error) : status;
}

/* ---------------------------------------------------------------- the pass */

static head_places head_offsets(const pass *s, sac_span first, size_t heads, size_t rows,
                                size_t dim)
{
    bool whole = s->o->whole_heads;
    return (head_places){.first = first.at,
                         .batch = heads * rows * dim,
                         .head = whole ? rows * dim : dim,
                         .row = whole ? dim : heads * dim};
}

static void set_job(pass *s)
{
    const sac_attention_operands *o = s->o;
    const sac_operand_gradients *g = s->g;
    const sac_attention_shape *shape = &o->shape;
    size_t key_heads = shape->key_heads ? shape->key_heads : shape->heads;
    s->b = (job){
        .p = sac_problem_of(&o->spec, shape),
        .query = head_offsets(s, o->query, shape->heads, shape->queries, o->dim),
        .key = head_offsets(s, o->key, key_heads, shape->keys, o->dim),
        .value = head_offsets(s, o->value, key_heads, shape->keys, shape->value_dim),
        .output = head_offsets(s, g->output, shape->heads, shape->queries, shape->value_dim),
        .doutput = g->doutput.at,
        .dquery = g->dquery.at,
        .dkey = g->dkey.at,
        .dvalue = g->dvalue.at,
        .stats = g->stats.at,
        .weight = o->score_weight.at,
        .dweight = g->dscore_weight.at,
        .dscale = g->dscale.at,
        .matrices = (cl_uint)(shape->batch * shape->heads),
        .key_matrices = (cl_uint)(shape->batch * key_heads),
        .with_scale = g->dscale.buffer != NULL,
    };
    s->b.p.dim = (cl_uint)o->dim;
    sac_set_masks(&s->b.p, o);
}

static void set_kernels(pass *s, sac_specialisation kernels)
{
    s->kernels = kernels;
    s->kernels.form = sac_score_form(s->o->spec.score);
    s->kernels.softcap = s->o->spec.softcap > 0;
    s->kernels.normalizer = s->o->spec.normalizer;
    s->kernels.fast_fma = s->device->info.has_fma;
    s->kernels.on_gpu = !sac_profile_of(&s->device->info).is_cpu;
}

/* For kernels that add to the gradients; those of a CPU write each once. */
static sac_status zero_gradient_buffers(const pass *s, sac_error *error)
{
    const sac_attention_shape *shape = &s->o->shape;
    size_t matrices = s->b.matrices, queries = matrices * shape->queries;
    size_t keys = s->b.key_matrices * shape->keys;
    struct {
        sac_span span;
        size_t count;
    } written[] = {{s->g->dquery, queries * s->o->dim},
                   {s->g->dkey, keys * s->o->dim},
                   {s->g->dvalue, keys * shape->value_dim},
                   {s->g->dscore_weight, queries * s->o->dim},
                   {s->g->dscale, queries}};
    sac_status status = SAC_OK;
    for (size_t i = 0; i < sizeof written / sizeof *written && status == SAC_OK; i++)
        if (written[i].span.buffer)
            status = sac_span_fill(s->device, written[i].span, written[i].count, 0, error);
    return status;
}

/* The sinks' gradients, from delta. */
static sac_status compute_sink_gradients(pass *s, sac_error *error)
{
    const sac_operand_gradients *g = s->g;
    cl_ulong at = s->o->sinks.at, stats_at = g->stats.at, dsinks_at = g->dsinks.at;
    cl_uint matrices = s->b.matrices, normalizer = s->o->spec.normalizer;
    bool is_softmax = normalizer == SAC_NORMALIZER_SOFTMAX;
    sac_arg args[] = {SAC_ARG(s->b.p),    SAC_ARG(matrices),         SAC_ARG(s->o->sinks.buffer),
                      SAC_ARG(at),        SAC_ARG(g->stats.buffer),  SAC_ARG(stats_at),
                      SAC_ARG(s->delta),  SAC_ARG(g->dsinks.buffer), SAC_ARG(dsinks_at),
                      SAC_ARG(normalizer)};
    if (!s->o->sinks.buffer || !g->dsinks.buffer)
        return SAC_OK;
    return sac_launch_items(s->device, "merge", is_softmax ? "sink_slopes" : "sparse_sink_slopes",
                            args, is_softmax ? 9 : 10, (size_t)matrices * s->o->shape.queries,
                            error);
}

static sac_status convert_mask(pass *s, sac_error *error)
{
    const size_t *shape = s->o->mask_shape;
    cl_ulong count = (cl_ulong)shape[0] * shape[1] * shape[2] * shape[3];
    if (!s->o->mask || !s->o->mask_is_float)
        return SAC_OK;
    sac_status status =
        sac_buffer_create(s->device, (size_t)count * sizeof(float), NULL, &s->biases, error);
    sac_arg args[] = {SAC_ARG(count), SAC_ARG(s->o->mask), SAC_ARG(s->biases)};
    return status == SAC_OK
               ? sac_launch_items(s->device, "pack", "pack_biases", args, 3, (size_t)count, error)
               : status;
}

/* *variant becomes naive where its kernels do not take the sizes. */
static sac_status choose_kernels(pass *s, sac_variant *variant, sac_error *error)
{
    const sac_attention_operands *o = s->o;
    size_t wider = sac_larger(o->dim, o->shape.value_dim);
    sac_status status = SAC_OK;
    bool fits = false;
    if (*variant == SAC_VARIANT_CPU)
        status = cpu_fits(s->device, o, s->tiling, &fits, error);
    if (*variant == SAC_VARIANT_GPU)
        status = gpu_fits(s->device, o, &fits, error);
    if (!fits)
        *variant = SAC_VARIANT_NAIVE;
    if (*variant == SAC_VARIANT_CPU)
        set_kernels(s, sac_specialise_backward_cpu(s->tiling));
    else if (*variant == SAC_VARIANT_GPU)
        set_kernels(s,
                    sac_specialise_backward_gpu(sac_tiling_backward_gpu(&s->device->info), wider));
    else
        set_kernels(s, sac_specialise_backward());
    return status;
}

sac_status sac_attention_backward_run(sac_device *device, const sac_attention_operands *operands,
                                      const sac_operand_gradients *gradients, sac_variant variant,
                                      const sac_tiling *tiling, const sac_progress *progress,
                                      sac_error *error)
{
    pass s = {.device = device, .o = operands, .g = gradients, .progress = progress};
    const sac_attention_shape *shape = &operands->shape;
    bool asked = tiling && sac_plan_takes_squares(tiling, sac_score_form(operands->spec.score),
                                                  operands->spec.normalizer, shape->queries,
                                                  sac_larger(operands->dim, shape->value_dim));
    s.tiling = asked ? tiling : sac_tiling_shipped(&device->info, SAC_VARIANT_CPU);
    set_job(&s);
    sac_status status = choose_kernels(&s, &variant, error);
    if (status == SAC_OK && variant != SAC_VARIANT_CPU)
        status = zero_gradient_buffers(&s, error);
    if (status == SAC_OK) {
        size_t rows = s.b.matrices * s.o->shape.queries;
        status = sac_buffer_create(s.device, rows * sizeof(float), NULL, &s.delta, error);
        sac_arg args[] = {SAC_ARG(s.b), SAC_ARG(s.g->output.buffer), SAC_ARG(s.g->doutput.buffer),
                          SAC_ARG(s.delta)};
        if (status == SAC_OK)
            status = launch_items(&s, "sum_products", args, 4, rows, error);
    }
    if (status == SAC_OK)
        status = compute_sink_gradients(&s, error);
    if (status == SAC_OK)
        status = convert_mask(&s, error);
    cl_mem query = operands->query.buffer, dquery = gradients->dquery.buffer;
    s.weight = operands->score_weight.buffer ? operands->score_weight.buffer : query;
    s.padding = operands->padding ? operands->padding : query;
    s.mask = s.biases ? s.biases : operands->mask ? operands->mask : query;
    s.dweight = gradients->dscore_weight.buffer ? gradients->dscore_weight.buffer : dquery;
    s.dscale = gradients->dscale.buffer ? gradients->dscale.buffer : dquery;
    if (status == SAC_OK) {
        status = variant == SAC_VARIANT_CPU   ? run_cpu(&s, error)
                 : variant == SAC_VARIANT_GPU ? run_gpu(&s, error)
                                              : run_naive(&s, error);
    }
    cl_mem buffers[] = {s.delta, s.biases, s.key_panels, s.value_panels, s.parts};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        sac_buffer_release(buffers[i]);
    return status;
}
