#include "attention/plan.h"

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
        .group = 64,
        .items_per_unit = 1,
        .weight_rows = 1,
    };
    *specialisation = sac_specialise_naive();
    if (!limit_keys(request, 2 * request->dim + request->value_dim + 2, 1, plan))
        plan->most_keys = 1;
}

/* False where a tile of so wide queries or values does not fit the kernel's arrays. */
static bool plan_cpu(const sac_device_info *info, const sac_plan_request *request,
                     sac_specialisation *specialisation, sac_plan *plan)
{
    unsigned width = info->float_width >= 16 ? 16 : info->float_width >= 8 ? 8 : 4;
    size_t pair = 2 * width, stride = (request->value_dim + pair - 1) / pair * pair;
    size_t dim = (request->dim + 3) / 4 * 4; /* the additive score takes four at a time */
    size_t widest = stride > dim ? stride : dim, rows = SAC_CPU_TILE_ROWS;
    while (rows > SAC_CPU_WEIGHT_ROWS &&
           (rows * widest > SAC_CPU_TILE_FLOATS || request->loop_limit))
        rows /= 2;
    *plan = (sac_plan){
        .variant = SAC_VARIANT_CPU,
        .tile_rows = rows,
        .block_keys = SAC_CPU_BLOCK_KEYS,
        .panel = pair,
        .value_stride = pair,
        .group = 1,
        .items_per_unit = 1,
        .shrinks = true,
        .splits_keys = true,
        .weight_rows = SAC_CPU_WEIGHT_ROWS,
    };
    *specialisation = sac_specialise_cpu(width);
    /* Of a panel: both products, 3 passes over the scores; a register tile's own loops count too.
     */
    size_t micro = specialisation->micro_rows;
    size_t products = (rows * SAC_CPU_BLOCK_KEYS / pair * request->dim +
                       rows * SAC_CPU_BLOCK_KEYS * (stride / pair)) /
                      micro * (1 + micro);
    size_t rounds = products + 3 * rows * SAC_CPU_BLOCK_KEYS / width;
    return rows * widest <= SAC_CPU_TILE_FLOATS &&
           limit_keys(request, rounds, SAC_CPU_BLOCK_KEYS, plan);
}

/* False on a device that does not take groups of 256 work-items, or has too little local memory. */
static bool plan_gpu(const sac_device_info *info, const sac_plan_request *request,
                     sac_specialisation *specialisation, sac_plan *plan)
{
    unsigned columns = 1;
    while (columns < SAC_GPU_MOST_COLUMNS && columns * SAC_GPU_ACROSS < request->value_dim)
        columns *= 2;
    *plan = (sac_plan){
        .variant = SAC_VARIANT_GPU,
        .tile_rows = SAC_GPU_TILE_ROWS,
        .block_keys = SAC_GPU_BLOCK_KEYS,
        .panel = SAC_GPU_BLOCK_KEYS,
        .value_chunk = (size_t)columns * SAC_GPU_ACROSS,
        .group = SAC_GPU_ACROSS * SAC_GPU_ACROSS,
        .items_per_unit = SAC_GPU_ACROSS * SAC_GPU_ACROSS,
        .splits_keys = true,
        .weight_rows = SAC_GPU_TILE_ROWS,
    };
    *specialisation = sac_specialise_gpu(columns);
    /* Of a panel, with the loops of a work-item's own tile: scores, softmax, values. */
    size_t rounds = 22 * request->dim + 80 + SAC_GPU_BLOCK_KEYS * (5 + 5 * columns);
    return info->max_work_group >= plan->group && info->local_bytes >= SAC_GPU_LOCAL_BYTES &&
           limit_keys(request, rounds, SAC_GPU_BLOCK_KEYS, plan);
}

void sac_plan_make(const sac_device_info *info, const sac_plan_request *request, sac_plan *plan)
{
    sac_specialisation specialisation = {0};
    bool planned = false;
    if (request->variant == SAC_VARIANT_CPU)
        planned = plan_cpu(info, request, &specialisation, plan);
    if (request->variant == SAC_VARIANT_GPU)
        planned = plan_gpu(info, request, &specialisation, plan);
    if (!planned)
        plan_naive(request, &specialisation, plan);
    if (plan->group > info->max_work_group)
        plan->group = 1;
    specialisation.form = request->form;
    specialisation.negate = request->negate;
    specialisation.fast_fma = info->has_fma;
    plan->source = specialisation.source;
    sac_specialisation_options(&specialisation, plan->options, sizeof plan->options);
}
