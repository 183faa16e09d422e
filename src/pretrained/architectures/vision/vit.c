/* Vision transformers: ViT (Dosovitskiy et al. 2020) and DINO (Caron et al. 2021), which is one,
 * DeiT with its second token (Touvron et al. 2020), DINOv2 with layer scale (Oquab et al. 2023),
 * and the same with registers (Darcet et al. 2023); YOLOS, with tokens that detect; ViTs that were trained without labels, MAE (He et
 * al. 2021) and MSN (Assran et al. 2022), whose names are ViT's. A norm before each part, one at the end, and
 * every token sees all others. */
#include "architectures/architecture.h"
#include "architectures/config_keys.h"

#define QKV_BIAS                                                                                   \
    {                                                                                              \
        "qkv_bias", true                                                                           \
    }
#define DESCRIBE_SEEN                                                                              \
    .width = "hidden_size", .layers = "num_hidden_layers", .heads = "num_attention_heads",         \
    .activation = "hidden_act", .epsilon = "layer_norm_eps",                                       \
    .class_token = "embeddings.cls_token", .positions = "embeddings.position_embeddings",          \
    .patches = "embeddings.patch_embeddings.projection", .last_norm = "layernorm",                 \
    .layer = "encoder.layer.%d",                                                                   \
    .attention = {{.query = "attention.attention.query",                                           \
                   .key = "attention.attention.key",                                               \
                   .value = "attention.attention.value",                                           \
                   .out = "attention.output.dense"}},                                              \
    .norm_first = true, .bias = {QKV_BIAS, QKV_BIAS, QKV_BIAS, SAC_BIASED, SAC_BIASED}
#define DESCRIBE_VIT                                                                               \
    DESCRIBE_SEEN,                                                                                 \
        .hidden = "intermediate_size", .up = "intermediate.dense", .down = "output.dense",         \
        .norm = {[SAC_PART_SELF] = "layernorm_before", [SAC_PART_FORWARD] = "layernorm_after"}
#define DESCRIBE_DINOV2                                                                            \
    DESCRIBE_SEEN,                                                                                 \
        .ratio = "mlp_ratio", .swiglu = "use_swiglu_ffn", .up = "mlp.fc1", .down = "mlp.fc2",      \
        .gated_up = "mlp.weights_in", .gated_down = "mlp.weights_out",                             \
        .norm = {[SAC_PART_SELF] = "norm1", [SAC_PART_FORWARD] = "norm2"},                         \
        .scale = {                                                                                 \
            [SAC_PART_SELF] = "layer_scale1.lambda1", [SAC_PART_FORWARD] = "layer_scale2.lambda1"}
#define BIT .processor = "BitImageProcessor"

static const sac_description of_vit = {DESCRIBE_VIT, .prefix = {"vit.", ""},
                                       .classifier = "classifier",
                                       .processor = "ViTImageProcessor"};
static const sac_description of_deit = {
    DESCRIBE_VIT, .prefix = {"deit.", ""}, .classifier = "classifier",
    .second_token = "embeddings.distillation_token", .processor = "DeiTImageProcessor"};
static const sac_description of_dinov2 = {DESCRIBE_DINOV2, BIT, .prefix = {"dinov2.", ""}};
/* Depth-Anything's (Yang et al. 2024), which another part makes depths of. */
static const sac_description of_depth_anything = {DESCRIBE_DINOV2, .prefix = {"backbone."},
                                                  .processor = "DPTImageProcessor"};
static const sac_description of_dinov2_with_registers = {DESCRIBE_DINOV2,
                                                         BIT,
                                                         .prefix = {"dinov2_with_registers.", ""},
                                                         .registers = "embeddings.register_tokens",
                                                         .register_count = "num_register_tokens",
                                                         .spread = SAC_SPREAD_BICUBIC_SMOOTH};

/* YOLOS (Fang et al. 2021), whose tokens that detect go through all layers with the patches. */
static const sac_description of_yolos = {DESCRIBE_VIT,
                                         .prefix = {"vit.", ""},
                                         .detections = "embeddings.detection_tokens",
                                         .detection_count = "num_detection_tokens",
                                         .between = "encoder.mid_position_embeddings",
                                         .between_switch = "use_mid_position_embeddings",
                                         .processor = "YolosImageProcessor"};

const sac_description sac_vit_as_encoder = {DESCRIBE_VIT, .prefix = {"encoder."},
                                            .processor = "ViTImageProcessor"};
const sac_description sac_deit_as_encoder = {DESCRIBE_VIT, .prefix = {"encoder."},
                                             .second_token = "embeddings.distillation_token",
                                             .processor = "ViTImageProcessor"};

#define KEYS_OF_VIT                                                                                \
    SEEN, U("image_size", "224"), U("num_channels", "3"), U("qkv_bias", "true"),                   \
        H("hidden_dropout_prob"), H("attention_probs_dropout_prob")
#define KEYS_OF_DINOV2                                                                             \
    KEYS_OF_VIT, U("mlp_ratio", "4"), U("layer_norm_eps", "1e-6"), U("use_swiglu_ffn", "false"),   \
        H("layerscale_value"), H("drop_path_rate"), H("apply_layernorm"),                          \
        H("reshape_hidden_states"), H("stage_names"), H("out_features"), H("out_indices")

const sac_config_key sac_keys_of_vit[] = {
    KEYS_OF_VIT,
    U("intermediate_size", "3072"),
    U("layer_norm_eps", "1e-12"),
    H("encoder_stride"),
    H("pooler_output_size"),
    H("pooler_act"),
    END,
};
static const sac_config_key sac_keys_of_msn[] = {
    KEYS_OF_VIT,
    U("intermediate_size", "3072"),
    U("layer_norm_eps", "1e-6"),
    END,
};
/* What restores hidden patches is not shown, and none is hidden. */
static const sac_config_key sac_keys_of_mae[] = {
    KEYS_OF_VIT,
    U("intermediate_size", "3072"),
    U("layer_norm_eps", "1e-12"),
    H("mask_ratio"),
    H("norm_pix_loss"),
    H("decoder_hidden_size"),
    H("decoder_intermediate_size"),
    H("decoder_num_attention_heads"),
    H("decoder_num_hidden_layers"),
    END,
};
static const sac_config_key keys_of_yolos[] = {
    U("image_size", "[512, 864]"),
    KEYS_OF_VIT,
    U("intermediate_size", "3072"),
    U("layer_norm_eps", "1e-12"),
    U("num_detection_tokens", "100"),
    U("use_mid_position_embeddings", "true"),
    H("auxiliary_loss"),
    H("class_cost"),
    H("bbox_cost"),
    H("giou_cost"),
    H("bbox_loss_coefficient"),
    H("giou_loss_coefficient"),
    H("eos_coefficient"),
    END,
};
static const sac_config_key sac_keys_of_dinov2[] = {
    U("patch_size", "14"),
    KEYS_OF_DINOV2,
    H("use_mask_token"),
    END,
};
static const sac_config_key sac_keys_of_depth_anything[] = {
    COMMON,
    D("backbone_config", "{\"model_type\": \"dinov2\", \"image_size\": 518, "
                         "\"hidden_size\": 384, \"num_attention_heads\": 6}"),
    O("backbone", "null"),
    O("use_timm_backbone", "[false, null]"),
    H("patch_size"),
    H("backbone_kwargs"),
    H("use_pretrained_backbone"),
    H("reassemble_hidden_size"),
    H("reassemble_factors"),
    H("neck_hidden_sizes"),
    H("fusion_hidden_size"),
    H("head_in_index"),
    H("head_hidden_size"),
    H("depth_estimation_type"),
    H("max_depth"),
    END,
};

static void declare_depth_anything(sac_pretrained_model *m, sac_config *c)
{
    sac_config seen = sac_config_inside(c, "backbone_config");
    sac_config_choice(&seen, "model_type", (const char *const[]){"dinov2", NULL});
    sac_config_apply_keys(&seen, sac_keys_of_dinov2);
    sac_describe(m, &seen, &of_depth_anything);
    sac_pretrained_model_note(m, "what makes depths of its states is left out");
    c->status = seen.status;
}

/* A folder may have the layers without the heads that make classes and boxes. */
static void declare_yolos(sac_pretrained_model *m, sac_config *c)
{
    sac_detector *d = &m->detector;
    sac_describe(m, c, &of_yolos);
    if (c->status != SAC_OK ||
        !sac_pretrained_has(m->files, "class_labels_classifier.layers.0.weight"))
        return;
    d->queries = (size_t)m->vision_encoder.detections;
    sac_detector_read_classes(m, c, "class_labels_classifier");
    d->classify = sac_detector_declare_head(m, "class_labels_classifier", 3, d->classes + 1);
    d->box = sac_detector_declare_head(m, "bbox_predictor", 3, 4);
}

static const sac_config_key sac_keys_of_dinov2_with_registers[] = {
    KEYS_OF_DINOV2,
    U("num_register_tokens", "4"),
    END,
};

const sac_architecture sac_architecture_vit = {.types = {"vit"},
                                               .keys = sac_keys_of_vit,
                                               .architectures = {"ViT"},
                                               .mark = "layernorm_before.weight",
                                               .describes = &of_vit};
const sac_architecture sac_architecture_deit = {.types = {"deit"},
                                                .keys = sac_keys_of_vit,
                                                .architectures = {"DeiT"},
                                                .mark = "embeddings.distillation_token",
                                                .describes = &of_deit};
const sac_architecture sac_architecture_dinov2 = {.types = {"dinov2"},
                                                  .keys = sac_keys_of_dinov2,
                                                  .architectures = {"Dinov2"},
                                                  .mark = "layer_scale1.lambda1",
                                                  .describes = &of_dinov2};
const sac_architecture sac_architecture_dinov2_with_registers = {
    .types = {"dinov2_with_registers"},
    .keys = sac_keys_of_dinov2_with_registers,
    .architectures = {"Dinov2WithRegisters"},
    .mark = "embeddings.register_tokens",
    .describes = &of_dinov2_with_registers};
const sac_architecture sac_architecture_vit_mae = {.types = {"vit_mae"},
                                                   .keys = sac_keys_of_mae,
                                                   .architectures = {"ViTMAE"},
                                                   .mark = "decoder.decoder_embed.weight",
                                                   .describes = &of_vit};
const sac_architecture sac_architecture_vit_msn = {.types = {"vit_msn"},
                                                   .keys = sac_keys_of_msn,
                                                   .architectures = {"ViTMSN"},
                                                   .describes = &of_vit};
const sac_architecture sac_architecture_depth_anything = {
    .types = {"depth_anything"},
    .keys = sac_keys_of_depth_anything,
    .architectures = {"DepthAnything"},
    .mark = "neck.reassemble_stage.layers.0.projection.weight",
    .declare = declare_depth_anything};
const sac_architecture sac_architecture_yolos = {.types = {"yolos"},
                                                 .keys = keys_of_yolos,
                                                 .architectures = {"Yolos"},
                                                 .mark = "embeddings.detection_tokens",
                                                 .declare = declare_yolos};
