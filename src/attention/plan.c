#include "attention/plan.h"

/* The CPU's tiles: the scores of one (128 KiB) and a panel of 64-dimensional keys lie in the second
 * cache. Speed is flat from 32 to 256 queries and 64 to 256 keys. */
#define CPU_TILE_ROWS 128
#define CPU_BLOCK_KEYS 256
#define CPU_TILE_FLOATS 32768 /* 128 rows of up to 256, 8 rows of up to 4096 */
#define CPU_WEIGHT_ROWS 16

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
    specialisation->source = "attend_naive";
    specialisation->width = 1;
}

/* Register tiles of 8 × 2 vectors where there are 32 vector registers (AVX-512, and NEON, of which
 * 4 floats each), 4 × 2 where there are 16 (AVX). False where not even one register tile of queries
 * fits the private arrays. */
static bool plan_cpu(const sac_device_info *info, size_t dim, size_t value_dim,
                     sac_specialisation *specialisation, sac_plan *plan)
{
    unsigned width = info->float_width >= 16 ? 16 : info->float_width >= 8 ? 8 : 4;
    unsigned micro_rows = width == 8 ? 4 : 8;
    size_t pair = 2 * width, stride = (value_dim + pair - 1) / pair * pair;
    size_t widest = stride > dim ? stride : dim, rows = CPU_TILE_ROWS;
    while (rows > micro_rows && rows * widest > CPU_TILE_FLOATS)
        rows /= 2;
    *plan = (sac_plan){
        .variant = SAC_VARIANT_CPU,
        .tile_rows = rows,
        .block_keys = CPU_BLOCK_KEYS,
        .key_multiple = pair,
        .value_multiple = pair,
        .group = 1,
        .items_per_unit = 1,
        .shrinks = true,
        .splits_keys = true,
        .weight_rows = rows < CPU_WEIGHT_ROWS ? rows : CPU_WEIGHT_ROWS,
    };
    specialisation->source = "attend_cpu";
    specialisation->width = width;
    specialisation->micro_rows = micro_rows;
    specialisation->tile_rows = CPU_TILE_ROWS;
    specialisation->block_keys = CPU_BLOCK_KEYS;
    specialisation->tile_floats = CPU_TILE_FLOATS;
    specialisation->weight_rows = (unsigned)plan->weight_rows;
    return rows * widest <= CPU_TILE_FLOATS;
}

void sac_plan_make(const sac_device_info *info, sac_variant variant, sac_score_form form,
                   bool negate, size_t dim, size_t value_dim, sac_plan *plan)
{
    sac_specialisation specialisation = {.form = form, .negate = negate, .fast_fma = info->has_fma};
    bool planned = false;
    if (variant == SAC_VARIANT_CPU)
        planned = plan_cpu(info, dim, value_dim, &specialisation, plan);
    if (!planned)
        plan_naive(&specialisation, plan);
    if (plan->group > info->max_work_group)
        plan->group = 1;
    plan->source = specialisation.source;
    sac_specialisation_options(&specialisation, plan->options, sizeof plan->options);
}
