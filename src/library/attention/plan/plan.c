/* The plan of an attention: tiles, layouts, and the kernels' options. */

#include "attention/plan/plan.h"

#include <string.h>

#include "base/round.h"

/* Keys per unit of work such that its loops, of `rounds` per `panel` keys, take at most half of
 * what the device allows. False where not even one panel does. */
static bool limit_keys(const sac_plan_request *request, size_t rounds, size_t panel, sac_plan *plan)
{
    if (!request->loop_limit)
        return true;
    plan->most_keys = request->loop_limit / 2 / rounds * panel;
    return plan->most_keys > 0;
}

static void plan_naive(const sac_plan_request *request, sac_specialisation *specialisation,
                       sac_plan *plan)
{
    *plan = (sac_plan){
        .variant = SAC_VARIANT_NAIVE,
        .tile_rows = 1,
        .block_keys = 1,
        .panel = 1,
        .dim_step = 1,
        .micro_rows = 1,
        .group = 64,
        .items_per_unit = 1,
        .weight_rows = 1,
    };
    *specialisation = sac_specialise_naive();
    if (!limit_keys(request, 2 * request->dim + request->value_dim + 2, 1, plan))
        plan->most_keys = 1;
}

/* The one requested, where it is of that variant, or what ships. */
static const sac_tiling *requested_tiling(const sac_device_info *info,
                                          const sac_plan_request *request, sac_variant variant)
{
    bool is_asked = request->tiling && request->variant == variant;
    return is_asked ? request->tiling : sac_tiling_shipped_for(info, variant, request->storage);
}

/* Loops of a work-item for each block of keys: both products, 3 passes over the scores; a register
 * tile's own loops count too. */
static size_t cpu_loops_per_key_block(const sac_tiling *tiling, size_t rows, size_t dim,
                                      size_t stride)
{
    size_t width = tiling->width, pair = 2 * width, micro = tiling->micro_rows;
    size_t scores = rows * tiling->block_keys;
    size_t products = (scores / pair * dim + scores * (stride / pair)) / micro * (1 + micro);
    return products + 3 * scores / width;
}

/* Few queries leave no time to make pairs of keys and values. */
static bool can_use_pairs(const sac_device_info *info, const sac_plan_request *request,
                          const sac_tiling *tiling)
{
    bool can = sac_profile_of(info).has_pairs || tiling->pairs == SAC_PAIRS_BY_LOOPS;
    return can && request->normalizer == SAC_NORMALIZER_SOFTMAX &&
           tiling->pairs != SAC_PAIRS_NEVER && tiling->width > 1 &&
           request->storage == SAC_STORAGE_BF16 && request->form == SAC_SCORE_DOT &&
           sac_larger(request->dim, request->value_dim) <= SAC_PAIRS_WIDEST &&
           request->queries >= tiling->weight_rows;
}

bool sac_plan_takes_squares(const sac_tiling *tiling, sac_score form, sac_normalizer normalizer,
                            size_t queries, size_t widest)
{
    return tiling->pairs >= SAC_SQUARES && normalizer == SAC_NORMALIZER_SOFTMAX &&
           form == SAC_SCORE_DOT && widest <= SAC_PAIRS_WIDEST &&
           queries >= 2 * tiling->weight_rows;
}

/* False where a tile of so wide queries or values does not fit the kernel's arrays. */
static bool plan_cpu(const sac_device_info *info, const sac_plan_request *request,
                     sac_specialisation *specialisation, sac_plan *plan)
{
    const sac_tiling *tiling = requested_tiling(info, request, SAC_VARIANT_CPU);
    bool squares =
        request->storage != SAC_STORAGE_F16 &&
        sac_plan_takes_squares(tiling, request->form, request->normalizer, request->queries,
                               sac_larger(request->dim, request->value_dim));
    if (tiling->pairs >= SAC_SQUARES && !squares)
        tiling = sac_tiling_shipped(info, SAC_VARIANT_CPU);
    size_t pair = 2 * tiling->width, stride = sac_round_up(request->value_dim, pair);
    size_t dim = (request->dim + 3) / 4 * 4; /* the additive score takes four at a time */
    size_t widest = sac_larger(stride, dim), rows = tiling->tile_rows;
    while (rows > tiling->weight_rows &&
           (rows * widest > tiling->tile_floats || request->loop_limit))
        rows = sac_larger(sac_tiling_half(rows, tiling->micro_rows), tiling->weight_rows);
    *plan = (sac_plan){
        .variant = SAC_VARIANT_CPU,
        .tile_rows = rows,
        .block_keys = tiling->block_keys,
        .panel = pair,
        .dim_step = 1,
        .value_stride = pair,
        .group = 1,
        .items_per_unit = 1,
        .micro_rows = tiling->micro_rows,
        .shrinks = true,
        .splits_keys = true,
        .weight_rows = tiling->weight_rows,
    };
    *specialisation = sac_specialise_cpu(tiling);
    if (squares)
        specialisation->squares = request->storage == SAC_STORAGE_BF16 ? 1 : 3;
    specialisation->pairs = !squares && can_use_pairs(info, request, tiling);
    return rows * widest <= tiling->tile_floats &&
           limit_keys(request, cpu_loops_per_key_block(tiling, rows, request->dim, stride),
                      tiling->block_keys, plan);
}

/* Loops of a work-item for each panel, with those of its own tile: scores, softmax, values. */
static size_t gpu_loops_per_panel(const sac_tiling *tiling, size_t dim, size_t columns)
{
    size_t rows = tiling->rows_each, vectors = tiling->keys_each / 4;
    size_t slices = dim / tiling->depth + 2 * tiling->block_keys / tiling->depth;
    size_t scores = (dim / 4 + 1) * (5 + 4 * vectors + rows * (1 + vectors));
    size_t softmax = rows * (8 + 8 * vectors + columns) + 2 * sac_tiling_items_across(tiling) + 4;
    size_t values = tiling->block_keys / 4 * (5 + 4 * columns + rows * (1 + columns));
    return slices * (3 + 2 * rows + 2 * columns) + scores + softmax + values;
}

/* False on a device that does not take groups of so many work-items, or has too little local
 * memory. */
static bool plan_gpu(const sac_device_info *info, const sac_plan_request *request,
                     sac_specialisation *specialisation, sac_plan *plan)
{
    const sac_tiling *usual = requested_tiling(info, request, SAC_VARIANT_GPU);
    sac_tiling few = sac_tiling_for_few(usual);
    const sac_tiling *tiling = request->queries <= SAC_GPU_FEW_ROWS ? &few : usual;
    size_t across = sac_tiling_items_across(tiling), group = sac_tiling_group_items(tiling);
    size_t each = sac_ceil_div(request->value_dim, across),
           most = sac_gpu_rounded_columns(SIZE_MAX);
    size_t chunks = each ? sac_ceil_div(each, most) : 1;
    unsigned columns = sac_gpu_rounded_columns(sac_ceil_div(each, chunks));
    *plan = (sac_plan){
        .variant = SAC_VARIANT_GPU,
        .tile_rows = tiling->tile_rows,
        .block_keys = tiling->block_keys,
        .panel = tiling->block_keys,
        .dim_step = tiling->depth,
        .value_stride = columns * across,
        .value_chunk = columns * across,
        .group = group,
        .items_per_unit = group,
        .micro_rows = tiling->rows_each,
        .halves = request->storage == SAC_STORAGE_F16,
        .splits_keys = true,
        .weight_rows = tiling->tile_rows,
    };
    *specialisation = sac_specialise_gpu(tiling, columns);
    specialisation->on_gpu = !sac_profile_of(info).is_cpu;
    specialisation->halves = plan->halves;
    return info->max_work_group >= group && info->local_bytes >= sac_tiling_local_bytes(tiling) &&
           limit_keys(request, gpu_loops_per_panel(tiling, request->dim, columns),
                      tiling->block_keys, plan);
}

/* Loops of a work-item for each panel, where the instruction is loops itself, 176 rounds at most.
 */
static size_t matrix_loops_per_panel(const sac_specialisation *specialisation)
{
    const sac_tiling *tiling = &specialisation->tiling;
    size_t dim = specialisation->dim_steps, columns = specialisation->column_steps;
    size_t instructions = tiling->blocks * tiling->block_keys / 8 * (dim + columns);
    return instructions * 176 + tiling->block_keys * (dim + columns) + 256;
}

/* Slices of keys, values and maxima; where there is no instruction its operands; and 1 KiB for what
 * a driver takes of its own. */
static size_t matrix_local_bytes(const sac_specialisation *specialisation)
{
    const sac_tiling *tiling = &specialisation->tiling;
    size_t step = sac_matrix_step(tiling->matrix);
    size_t keys = tiling->block_keys * 8 * ((size_t)specialisation->dim_steps + 1);
    size_t values = step * specialisation->column_steps * 8 * (tiling->block_keys / step + 1);
    size_t operands = specialisation->by_loops ? sac_tiling_operand_bytes(tiling) : 4;
    return (keys + values + tiling->tile_rows * 4) * 4 + operands + 1024;
}

/* Wide heads leave registers, and of float32 local memory, for one fragment and few keys only. Of
 * float16 few queries need only one, and where a device would have fewer tiles than units, it gets
 * twice as many that are half as tall. */
static sac_tiling matrix_tiling(const sac_device_info *info, const sac_plan_request *request)
{
    const sac_tiling *usual = requested_tiling(info, request, SAC_VARIANT_MATRIX);
    sac_tiling narrow = sac_tiling_narrow(usual);
    bool is_wide = sac_larger(request->dim, request->value_dim) > SAC_MATRIX_NARROW;
    size_t tiles = request->matrices * sac_ceil_div(request->queries, usual->tile_rows);
    bool has_few = request->queries <= narrow.tile_rows || tiles < info->compute_units;
    return is_wide || (usual->blocks > 1 && has_few) ? narrow : *usual;
}

/* False for other scores than products, for wide heads, and for numbers that the device's instruction
 * does not multiply; for few queries of float32, which the GPU kernels take in smaller tiles. */
static bool can_use_matrix(const sac_device_info *info, const sac_plan_request *request,
                           const sac_tiling *tiling)
{
    bool is_float = request->storage == SAC_STORAGE_F32;
    bool has = request->tiling || info->matrix == SAC_MATRIX_NONE || /* by loops */
               sac_matrix_for_storage(info, request->storage) != SAC_MATRIX_NONE;
    return has && request->form == SAC_SCORE_DOT &&
           request->storage == sac_matrix_storage(tiling->matrix) &&
           !(is_float && request->queries <= SAC_GPU_FEW_ROWS) &&
           sac_larger(request->dim, request->value_dim) <= sac_matrix_widest_head(tiling->matrix);
}

static bool plan_matrix(const sac_device_info *info, const sac_plan_request *request,
                        sac_specialisation *specialisation, sac_plan *plan)
{
    sac_tiling tiling = matrix_tiling(info, request);
    size_t group = sac_tiling_group_items(&tiling);
    *specialisation =
        sac_specialise_matrix(&tiling, request->dim, request->value_dim,
                              tiling.matrix != sac_matrix_for_storage(info, request->storage));
    *plan = (sac_plan){
        .variant = SAC_VARIANT_MATRIX,
        .tile_rows = tiling.tile_rows,
        .block_keys = tiling.block_keys,
        .panel = 1,
        .dim_step = sac_matrix_step(tiling.matrix),
        .value_stride = specialisation->column_steps * sac_matrix_step(tiling.matrix),
        .value_panels = true,
        .group = group,
        .items_per_unit = group,
        .micro_rows = 1,
        .halves = request->storage == SAC_STORAGE_F16,
        .splits_keys = true,
        .weight_rows = tiling.tile_rows,
    };
    return can_use_matrix(info, request, &tiling) && info->max_work_group >= group &&
           info->local_bytes >= matrix_local_bytes(specialisation) &&
           limit_keys(request, matrix_loops_per_panel(specialisation), tiling.block_keys, plan);
}

void sac_plan_make(const sac_device_info *info, const sac_plan_request *request, sac_plan *plan)
{
    sac_specialisation specialisation = {0};
    bool planned = false;
    if (request->variant == SAC_VARIANT_CPU)
        planned = plan_cpu(info, request, &specialisation, plan);
    if (request->variant == SAC_VARIANT_MATRIX)
        planned = plan_matrix(info, request, &specialisation, plan);
    if (request->variant == SAC_VARIANT_GPU || (request->variant == SAC_VARIANT_MATRIX && !planned))
        planned = plan_gpu(info, request, &specialisation, plan);
    if (!planned)
        plan_naive(request, &specialisation, plan);
    if (plan->group > info->max_work_group)
        plan->group = 1;
    plan->normalizer = request->normalizer;
    if (request->normalizer != SAC_NORMALIZER_SOFTMAX) {
        plan->value_stride = 0;
        plan->value_panels = false;
    }
    specialisation.form = request->form;
    specialisation.normalizer = request->normalizer;
    specialisation.softcap = request->softcap;
    specialisation.fast_fma = info->has_fma;
    plan->source = specialisation.source;
    sac_specialisation_options(&specialisation, plan->options, sizeof plan->options);
}
