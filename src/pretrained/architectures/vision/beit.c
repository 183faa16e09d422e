/* BEiT (Bao et al. 2021), and as Data2Vec what learns from its own states (Baevski et al. 2022): a vision
 * transformer with LayerScale, whose keys have no bias. Where patches stand it knows by what a trained
 * table adds to scores for their distance, of each layer or of all. */
#include "architectures/architecture.h"
#include "architectures/config_keys.h"

#define TABLE "relative_position_bias.relative_position_bias_table"
static const sac_description table = {
    .width = "hidden_size",
    .layers = "num_hidden_layers",
    .heads = "num_attention_heads",
    .hidden = "intermediate_size",
    .activation = "hidden_act",
    .epsilon = "layer_norm_eps",
    .prefix = {"beit.", "data2vec_vision.", ""},
    .class_token = "embeddings.cls_token",
    .patches = "embeddings.patch_embeddings.projection",
    .layer = "encoder.layer.%d",
    .attention = {{.query = "attention.attention.query",
                   .key = "attention.attention.key",
                   .value = "attention.attention.value",
                   .out = "attention.output.dense"}},
    .norm = {[SAC_PART_SELF] = "layernorm_before", [SAC_PART_FORWARD] = "layernorm_after"},
    .up = "intermediate.dense",
    .down = "output.dense",
    .norm_first = true,
    .bias = {SAC_BIASED, {NULL, false}, SAC_BIASED, SAC_BIASED, SAC_BIASED},
    .processor = "BeitImageProcessor"};

static void declare(sac_pretrained_model *m, sac_config *c)
{
    sac_description d = table;
    bool each = sac_config_flag_or(c, "use_relative_position_bias", false);
    bool shared = sac_config_flag_or(c, "use_shared_relative_position_bias", false);
    if (each && shared)
        sac_config_refuse(c, "use_shared_relative_position_bias",
                          "is true, and so is use_relative_position_bias");
    d.relative = each ? "attention.attention." TABLE : shared ? "encoder." TABLE : NULL;
    d.relative_whole = shared;
    if (sac_config_flag_or(c, "use_absolute_position_embeddings", false))
        d.positions = "embeddings.position_embeddings";
    if (sac_config_number_or(c, "layer_scale_init_value", 0.1f) > 0) {
        d.scale[SAC_PART_SELF] = "lambda_1";
        d.scale[SAC_PART_FORWARD] = "lambda_2";
    }
    if (!sac_config_flag_or(c, "use_mean_pooling", true)) /* else the norm is of their mean */
        d.last_norm = "layernorm";
    sac_describe(m, c, &d);
}

static const sac_config_key keys[] = {
    SEEN,
    U("image_size", "224"),
    U("num_channels", "3"),
    U("intermediate_size", "3072"),
    U("layer_norm_eps", "1e-12"),
    U("use_relative_position_bias", "false"),
    U("use_shared_relative_position_bias", "false"),
    U("use_absolute_position_embeddings", "false"),
    U("layer_scale_init_value", "0.1"),
    U("use_mean_pooling", "true"),
    H("use_mask_token"),
    H("vocab_size"),
    H("hidden_dropout_prob"),
    H("attention_probs_dropout_prob"),
    H("drop_path_rate"),
    H("pool_scales"),
    H("use_auxiliary_head"),
    H("auxiliary_loss_weight"),
    H("auxiliary_channels"),
    H("auxiliary_num_convs"),
    H("auxiliary_concat_input"),
    H("semantic_loss_ignore_index"),
    H("add_fpn"),
    H("reshape_hidden_states"),
    H("segmentation_indices"),
    H("stage_names"),
    H("out_features"),
    H("out_indices"),
    END,
};

const sac_architecture sac_architecture_beit = {.types = {"beit", "data2vec-vision"},
                                                .keys = keys,
                                                .architectures = {"Beit", "Data2VecVision"},
                                                .mark = "lambda_1",
                                                .declare = declare};
