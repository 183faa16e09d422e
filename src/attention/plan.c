#include "attention/plan.h"

static void plan_naive(sac_specialisation *specialisation, sac_plan *plan)
{
    *plan = (sac_plan){
        .variant = SAC_VARIANT_NAIVE,
        .tile_rows = 1,
        .block_keys = 1,
        .key_multiple = 1,
        .value_multiple = 1,
        .group = 64,
        .items_per_unit = 1,
        .weight_rows = 1,
    };
    *specialisation = sac_specialise_naive();
}

/* False where a tile of so wide queries or values does not fit the kernel's arrays. */
static bool plan_cpu(const sac_device_info *info, size_t dim, size_t value_dim,
                     sac_specialisation *specialisation, sac_plan *plan)
{
    unsigned width = info->float_width >= 16 ? 16 : info->float_width >= 8 ? 8 : 4;
    size_t pair = 2 * width, stride = (value_dim + pair - 1) / pair * pair;
    size_t widest = stride > dim ? stride : dim, rows = SAC_CPU_TILE_ROWS;
    while (rows > SAC_CPU_WEIGHT_ROWS && rows * widest > SAC_CPU_TILE_FLOATS)
        rows /= 2;
    *plan = (sac_plan){
        .variant = SAC_VARIANT_CPU,
        .tile_rows = rows,
        .block_keys = SAC_CPU_BLOCK_KEYS,
        .key_multiple = pair,
        .value_multiple = pair,
        .group = 1,
        .items_per_unit = 1,
        .shrinks = true,
        .splits_keys = true,
        .weight_rows = SAC_CPU_WEIGHT_ROWS,
    };
    *specialisation = sac_specialise_cpu(width);
    return rows * widest <= SAC_CPU_TILE_FLOATS;
}

/* False on a device that does not take groups of 256 work-items. */
static bool plan_gpu(const sac_device_info *info, size_t value_dim,
                     sac_specialisation *specialisation, sac_plan *plan)
{
    unsigned columns = 1;
    while (columns < SAC_GPU_MOST_COLUMNS && columns * SAC_GPU_ACROSS < value_dim)
        columns *= 2;
    *plan = (sac_plan){
        .variant = SAC_VARIANT_GPU,
        .tile_rows = SAC_GPU_TILE_ROWS,
        .block_keys = SAC_GPU_BLOCK_KEYS,
        .key_multiple = SAC_GPU_BLOCK_KEYS,
        .value_multiple = 1,
        .value_chunk = (size_t)columns * SAC_GPU_ACROSS,
        .group = SAC_GPU_ACROSS * SAC_GPU_ACROSS,
        .items_per_unit = SAC_GPU_ACROSS * SAC_GPU_ACROSS,
        .splits_keys = true,
        .weight_rows = SAC_GPU_TILE_ROWS,
    };
    *specialisation = sac_specialise_gpu(columns);
    return info->max_work_group >= plan->group;
}

void sac_plan_make(const sac_device_info *info, sac_variant variant, sac_score_form form,
                   bool negate, size_t dim, size_t value_dim, sac_plan *plan)
{
    sac_specialisation specialisation = {0};
    bool planned = false;
    if (variant == SAC_VARIANT_CPU)
        planned = plan_cpu(info, dim, value_dim, &specialisation, plan);
    if (variant == SAC_VARIANT_GPU)
        planned = plan_gpu(info, value_dim, &specialisation, plan);
    if (!planned)
        plan_naive(&specialisation, plan);
    if (plan->group > info->max_work_group)
        plan->group = 1;
    specialisation.form = form;
    specialisation.negate = negate;
    specialisation.fast_fma = info->has_fma;
    plan->source = specialisation.source;
    sac_specialisation_options(&specialisation, plan->options, sizeof plan->options);
}
