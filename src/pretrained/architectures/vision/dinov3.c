/* DINOv3 (Siméoni et al. 2025): a vision transformer with registers, whose queries and keys of
 * patches are turned by their place in the picture; the larger ones are gated. */
#include "architectures/architecture.h"
#include "architectures/config_keys.h"

#define DESCRIBE_DINOV3                                                                            \
    .width = "hidden_size", .layers = "num_hidden_layers", .heads = "num_attention_heads",         \
    .hidden = "intermediate_size", .activation = "hidden_act", .epsilon = "layer_norm_eps",        \
    .class_token = "embeddings.cls_token", .registers = "embeddings.register_tokens",              \
    .register_count = "num_register_tokens", .patches = "embeddings.patch_embeddings",             \
    .last_norm = "norm",                                                                           \
    .attention = {{.query = "attention.q_proj",                                                    \
                   .key = "attention.k_proj",                                                      \
                   .value = "attention.v_proj",                                                    \
                   .out = "attention.o_proj"}},                                                    \
    .up = "mlp.up_proj", .gate = "mlp.gate_proj", .down = "mlp.down_proj",                         \
    .gate_switch = {"use_gated_mlp", false},                                                       \
    .norm = {[SAC_PART_SELF] = "norm1", [SAC_PART_FORWARD] = "norm2"},                             \
    .scale =                                                                                       \
        {[SAC_PART_SELF] = "layer_scale1.lambda1", [SAC_PART_FORWARD] = "layer_scale2.lambda1"},   \
    .norm_first = true,                                                                            \
    .bias = {{"query_bias", true},                                                                 \
             {"key_bias", false},                                                                  \
             {"value_bias", true},                                                                 \
             {"proj_bias", true},                                                                  \
             {"mlp_bias", true}},                                                                  \
    .turns_patches = true, .processor = "DINOv3ViTImageProcessor"

static const sac_description of_dinov3 = {DESCRIBE_DINOV3, .layer = "layer.%d"};
/* In folders that transformers has saved since 5. */
static const sac_description of_saved = {DESCRIBE_DINOV3, .layer = "model.layer.%d"};

static void declare(sac_pretrained_model *m, sac_config *c)
{
    bool is_saved = sac_pretrained_find(m->files, "model.layer.0.norm1.weight") != NULL;
    sac_describe(m, c, is_saved ? &of_saved : &of_dinov3);
}

static const sac_config_key sac_keys_of_dinov3[] = {
    U("image_size", "224"),
    U("num_channels", "3"),
    U("hidden_size", "384"),
    U("num_attention_heads", "6"),
    U("intermediate_size", "1536"),
    SEEN,
    U("layer_norm_eps", "1e-5"),
    U("num_register_tokens", "0"),
    U("rope_theta", "100"),
    U("use_gated_mlp", "false"),
    U("query_bias", "true"),
    U("key_bias", "false"),
    U("value_bias", "true"),
    U("proj_bias", "true"),
    U("mlp_bias", "true"),
    H("rope_parameters"),
    H("layerscale_value"),
    H("drop_path_rate"),
    H("apply_layernorm"),
    H("reshape_hidden_states"),
    H("pos_embed_jitter"),
    H("pos_embed_rescale"),
    H("pos_embed_shift"),
    H("stage_names"),
    H("out_features"),
    H("out_indices"),
    END,
};

const sac_architecture sac_architecture_dinov3 = {.types = {"dinov3_vit"},
                                                  .keys = sac_keys_of_dinov3,
                                                  .architectures = {"DINOv3ViT"},
                                                  .mark = "layer_scale2.lambda1",
                                                  .declare = declare};
