#include "sources/computed_weights.h"

sac_attention_input sac_attention_input_find(const sac_arrays *arrays)
{
    sac_attention_input input = {0};
    const struct {
        const char *name;
        const sac_array **place;
    } parts[] = {
        {"query", &input.query},
        {"key", &input.key},
        {"value", &input.value},
        {"key_padding_mask", &input.key_padding_mask},
        {"attn_mask", &input.attn_mask},
        {"score.W_q", &input.score_W_q},
        {"score.W_k", &input.score_W_k},
        {"score.w_v", &input.score_w_v},
        {"score.W_qk", &input.score_W_qk},
        {"q_proj.weight", &input.q_proj_weight},
        {"q_proj.bias", &input.q_proj_bias},
        {"k_proj.weight", &input.k_proj_weight},
        {"k_proj.bias", &input.k_proj_bias},
        {"v_proj.weight", &input.v_proj_weight},
        {"v_proj.bias", &input.v_proj_bias},
        {"out_proj.weight", &input.out_proj_weight},
        {"out_proj.bias", &input.out_proj_bias},
        {"norm.weight", &input.norm_weight},
        {"norm.bias", &input.norm_bias},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        *parts[i].place = sac_arrays_find(arrays, parts[i].name);
    return input;
}

/* Values say what a weight leads to, and no more: where they do not fit, it goes without them. */
static sac_status create(sac_computed_weights *computed, const sac_attention_spec *spec,
                         const sac_attention_input *input, const sac_attention_input *all,
                         sac_error *error)
{
    sac_attention_input with = *input;
    with.value = all->value;
    with.v_proj_weight = all->v_proj_weight;
    with.v_proj_bias = all->v_proj_bias;
    if (with.value &&
        sac_attention_create(computed->device, spec, &with, &computed->attention, NULL) == SAC_OK)
        return SAC_OK;
    return sac_attention_create(computed->device, spec, input, &computed->attention, error);
}

sac_status sac_computed_weights_open(const sac_arrays *arrays, const char *device,
                                     const sac_attention_spec *spec, sac_computed_weights *computed,
                                     sac_error *error)
{
    *computed = (sac_computed_weights){0};
    sac_attention_input all = sac_attention_input_find(arrays), input = {0};
    /* What follows the heads does not matter here. */
    input.query = all.query;
    input.key = all.key;
    input.key_padding_mask = all.key_padding_mask;
    input.attn_mask = all.attn_mask;
    input.score_W_q = all.score_W_q;
    input.score_W_k = all.score_W_k;
    input.score_w_v = all.score_w_v;
    input.score_W_qk = all.score_W_qk;
    input.q_proj_weight = all.q_proj_weight;
    input.q_proj_bias = all.q_proj_bias;
    input.k_proj_weight = all.k_proj_weight;
    input.k_proj_bias = all.k_proj_bias;
    sac_status status = sac_device_open(device, &computed->device, error);
    if (status == SAC_OK)
        status = create(computed, spec, &input, &all, error);
    if (status != SAC_OK)
        sac_computed_weights_free(computed);
    return status;
}

void sac_computed_weights_free(sac_computed_weights *computed)
{
    sac_attention_destroy(computed->attention);
    sac_device_close(computed->device);
    *computed = (sac_computed_weights){0};
}
