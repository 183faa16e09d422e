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
    specialisation->source = "attend_naive";
    specialisation->width = 1;
}

void sac_plan_make(const sac_device_info *info, sac_variant variant, sac_score_form form,
                   bool negate, size_t dim, size_t value_dim, sac_plan *plan)
{
    sac_specialisation specialisation = {.form = form, .negate = negate, .fast_fma = info->has_fma};
    (void)variant;
    (void)dim;
    (void)value_dim;
    plan_naive(&specialisation, plan);
    if (plan->group > info->max_work_group)
        plan->group = 1;
    plan->source = specialisation.source;
    sac_specialisation_options(&specialisation, plan->options, sizeof plan->options);
}
