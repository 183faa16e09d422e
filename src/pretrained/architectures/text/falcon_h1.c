/* Falcon-H1 (Zuo et al. 2025): each layer has a state space of Mamba-2's kind beside attention, and both are added; numbers of the
 * config multiply what enters and leaves each part. */
#include <cjson/cJSON.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"
#include "base/error.h"

#define BIAS                                                                                       \
    {                                                                                              \
        "attention_bias", false                                                                    \
    }
static const sac_description of_falcon_h1 = {
    .width = "hidden_size",
    .layers = "num_hidden_layers",
    .heads = "num_attention_heads",
    .key_heads = "num_key_value_heads",
    .depth = "head_dim",
    .hidden = "intermediate_size",
    .max_positions = "max_position_embeddings",
    .activation = "hidden_act",
    .epsilon = "rms_norm_eps",
    .prefix = {"model.", ""},
    .words = "embed_tokens.weight",
    .head = "lm_head.weight",
    .layer = "layers.%d",
    .attention = {{.query = "self_attn.q_proj",
                   .key = "self_attn.k_proj",
                   .value = "self_attn.v_proj",
                   .out = "self_attn.o_proj"}},
    .norm = {[SAC_PART_SELF] = "input_layernorm", [SAC_PART_FORWARD] = "pre_ff_layernorm"},
    .gate = "feed_forward.gate_proj",
    .up = "feed_forward.up_proj",
    .down = "feed_forward.down_proj",
    .last_norm = "final_layernorm",
    .norm_first = true,
    .rms = true,
    .causal = {NULL, true},
    .bias = {BIAS, BIAS, BIAS, BIAS, {"mlp_bias", false}},
    .words_times = "embedding_multiplier",
    .logit_times = "lm_head_multiplier",
    .rotary = true};

enum { HEADS = 1 << 12, NUMBERS = 1 << 12 };

/* What is the same in all layers, but for the weights. */
static sac_state_space read_space(const sac_pretrained_model *m, sac_config *c)
{
    float times[5] = {1, 1, 1, 1, 1};
    const float enters = sac_config_number_or(c, "ssm_in_multiplier", 1);
    const int usual = sac_config_size_or(c, "mamba_expand", 1, 64, 0) * (int)m->width;
    const int inner = sac_config_size_or(c, "mamba_d_ssm", 1, 1 << 18, usual);
    const int heads = sac_config_size(c, "mamba_n_heads", 1, HEADS);
    const cJSON *depth = cJSON_GetObjectItemCaseSensitive(c->json, "mamba_d_head");
    const cJSON *limits = cJSON_GetObjectItemCaseSensitive(c->json, "time_step_limit");
    const cJSON *least = cJSON_GetArrayItem(limits, 0), *most = cJSON_GetArrayItem(limits, 1);
    sac_config_numbers(c, "ssm_multipliers", times, 5);
    sac_state_space s = {.heads = (size_t)heads,
                         .depth = (size_t)(inner / heads),
                         .numbers = (size_t)sac_config_size(c, "mamba_d_state", 1, NUMBERS),
                         .groups = (size_t)sac_config_size(c, "mamba_n_groups", 1, heads),
                         .taps = (size_t)sac_config_size(c, "mamba_d_conv", 1, SAC_STATE_TAPS),
                         .epsilon = sac_config_number_or(c, "rms_norm_eps", 1e-5f),
                         .norm_first = sac_config_flag_or(c, "mamba_norm_before_gate", false),
                         .gate_times = times[0] * enters,
                         .value_times = times[1] * enters,
                         .in_times = times[2] * enters,
                         .out_times = times[3] * enters,
                         .step_times = times[4] * enters,
                         .given_times = sac_config_number_or(c, "ssm_out_multiplier", 1)};
    if (!inner || inner % heads || s.groups == 0 || (size_t)heads % s.groups)
        sac_config_refuse(c, "mamba_n_heads", "%d do not divide %d numbers, nor groups of them",
                          heads, inner);
    if (cJSON_IsNumber(depth) && depth->valuedouble * heads != inner)
        sac_config_refuse(c, "mamba_d_head", "%g times %d heads are not %d", depth->valuedouble,
                          heads, inner);
    if ((least && !(cJSON_IsNumber(least) && least->valuedouble == 0)) || cJSON_IsNumber(most))
        sac_config_refuse(c, "time_step_limit",
                          "limits steps, which is not supported; there is [0.0, Infinity]");
    if (enters != 1 && sac_config_flag_or(c, "mamba_proj_bias", false))
        sac_config_refuse(c, "ssm_in_multiplier", "is not 1, and mamba_proj_bias true");
    return s;
}

static void declare_space(sac_pretrained_model *m, sac_config *c, const char *prefix, int layer,
                          sac_state_space *s)
{
    sac_parameters *p = &m->parameters;
    const size_t inner = s->heads * s->depth, made = inner + 2 * s->groups * s->numbers;
    char place[64], name[sizeof place + 24];
    snprintf(place, sizeof place, "%slayers.%d.mamba", prefix, layer);
    s->in = sac_dense_declare(p, place, "in_proj", inner + made + s->heads, m->width,
                              sac_config_flag_or(c, "mamba_proj_bias", false));
    s->out = sac_dense_declare(p, place, "out_proj", m->width, inner,
                               sac_config_flag_or(c, "projectors_bias", false));
    snprintf(name, sizeof name, "%s.conv1d.weight", place);
    s->filter = sac_parameter_add(p, name, sac_init_constant(0), 3, made, (size_t)1, s->taps);
    snprintf(name, sizeof name, "%s.conv1d.bias", place);
    if (sac_config_flag_or(c, "mamba_conv_bias", false))
        s->filter_bias = sac_parameter_vector(p, name, made);
    snprintf(name, sizeof name, "%s.A_log", place);
    s->decay = sac_parameter_vector(p, name, s->heads);
    snprintf(name, sizeof name, "%s.dt_bias", place);
    s->step = sac_parameter_vector(p, name, s->heads);
    snprintf(name, sizeof name, "%s.D", place);
    s->skip = sac_parameter_vector(p, name, s->heads);
    snprintf(name, sizeof name, "%s.norm.weight", place);
    if (sac_config_flag_or(c, "mamba_rms_norm", false))
        s->gain = sac_parameter_vector(p, name, inner);
}

/* What a part gives is multiplied by this, before it joins the sum. */
static void multiply_part(sac_pretrained_model *m, sac_config *c, int layer, int part, float times)
{
    const sac_parameter **scale = &m->layer[layer].scale[part];
    char name[48];
    if (times == 1 || c->status != SAC_OK)
        return;
    snprintf(name, sizeof name, "made.%d.%d", layer, part);
    *scale = sac_parameter_vector(&m->parameters, name, m->width);
    if (!*scale ||
        !sac_tensor_places_add(
            &m->located, &(sac_tensor_place){.parameter = *scale, .is_made = true, .added = times}))
        c->status = sac_no_memory(c->error, name);
}

static void declare(sac_pretrained_model *m, sac_config *c)
{
    static const char *const prefixes[] = {"model.", "", NULL};
    float forward[2] = {1, 1};
    const char *activation = sac_config_text(c, "hidden_act");
    if (strcmp(activation, "silu") != 0 && strcmp(activation, "swish") != 0)
        sac_config_refuse(c, "hidden_act", "\"%.40s\" is not supported here; there is silu",
                          activation);
    sac_describe(m, c, &of_falcon_h1);
    const sac_state_space space = c->status == SAC_OK ? read_space(m, c) : (sac_state_space){0};
    /* What enters attention is in queries, keys and values alike: once in what it gives, and twice in its scores. */
    const float enters = sac_config_number_or(c, "attention_in_multiplier", 1);
    const float keys = sac_config_number_or(c, "key_multiplier", 1);
    const float gives = sac_config_number_or(c, "attention_out_multiplier", 1);
    if (enters != 1 && sac_config_flag_or(c, "attention_bias", false))
        sac_config_refuse(c, "attention_in_multiplier", "is not 1, and attention_bias true");
    if (!(enters > 0 && keys > 0))
        sac_config_refuse(c, "key_multiplier", "leaves nothing of scores");
    sac_config_numbers(c, "mlp_multipliers", forward, 2);
    if (c->status != SAC_OK)
        return;
    const char *prefix = sac_pretrained_prefix(m->files, prefixes, "embed_tokens.weight");
    const size_t depth = sac_architecture_part_width(m, 0, 0) / (size_t)m->run.heads;
    for (int i = 0; i < m->layers && c->status == SAC_OK; i++) {
        m->scale[i] = enters * enters * keys / sqrtf((float)depth);
        m->layer[i].gate_times = forward[0] == 1 ? 0 : forward[0];
        m->layer[i].space = space;
        declare_space(m, c, prefix, i, &m->layer[i].space);
        multiply_part(m, c, i, SAC_PART_SELF, enters * gives);
        multiply_part(m, c, i, SAC_PART_FORWARD, forward[1]);
    }
}

static const sac_config_key sac_keys_of_falcon_h1[] = {
    COMMON,
    U("vocab_size", "128000"),
    U("hidden_size", "4096"),
    U("intermediate_size", "14336"),
    U("num_hidden_layers", "32"),
    U("num_attention_heads", "32"),
    N("num_key_value_heads", "8"),
    U("head_dim", NULL),
    U("hidden_act", "\"silu\""),
    U("rms_norm_eps", "1e-5"),
    U("max_position_embeddings", "8192"),
    U("rope_parameters", NULL),
    U("rope_scaling", NULL),
    U("rope_theta", NULL),
    U("tie_word_embeddings", "false"),
    U("attention_bias", "false"),
    U("mlp_bias", "false"),
    N("mamba_d_ssm", "1024"),
    U("mamba_n_heads", "128"),
    U("mamba_d_head", NULL),
    U("mamba_n_groups", "1"),
    U("mamba_d_state", "256"),
    U("mamba_d_conv", "4"),
    U("mamba_expand", "2"),
    N("mamba_conv_bias", "true"),
    N("mamba_proj_bias", "false"),
    N("mamba_norm_before_gate", "true"),
    N("mamba_rms_norm", "false"),
    N("projectors_bias", "false"),
    U("time_step_limit", NULL),
    N("lm_head_multiplier", "1"),
    U("embedding_multiplier", "1"),
    U("key_multiplier", "1"),
    U("attention_out_multiplier", "1"),
    U("attention_in_multiplier", "1"),
    U("ssm_in_multiplier", "1"),
    U("ssm_out_multiplier", "1"),
    D("mlp_multipliers", "[1, 1]"),
    D("ssm_multipliers", "[1, 1, 1, 1, 1]"),
    N("eos_token_id", "2"),
    H("bos_token_id"),
    H("pad_token_id"),
    H("num_logits_to_keep"),
    H("mamba_chunk_size"),
    H("attention_dropout"),
    /* Of files that transformers 4 wrote: */
    H("mamba_use_mlp"),
    H("mlp_expansion_factor"),
    H("attn_layer_indices"),
    H("time_step_min"),
    H("time_step_max"),
    H("time_step_floor"),
    H("layer_types"),
    H("layers_block_type"),
    END,
};

const sac_architecture sac_architecture_falcon_h1 = {.types = {"falcon_h1"},
                                                     .keys = sac_keys_of_falcon_h1,
                                                     .architectures = {"FalconH1"},
                                                     .mark = "feed_forward.gate_proj.weight",
                                                     .declare = declare};
