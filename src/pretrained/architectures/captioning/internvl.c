/* InternVL (Chen et al. 2024; its third, Zhu et al. 2025): a vision transformer sees the tiles of a picture and all of it, patches by
 * fours become a token, and Qwen2 or another reads them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

/* ---------------------------------------------------------------- what sees */

static const sac_description seen_by_internvl = {
    .width = "hidden_size",
    .layers = "num_hidden_layers",
    .heads = "num_attention_heads",
    .hidden = "intermediate_size",
    .activation = "hidden_act",
    .epsilon = "layer_norm_eps",
    .prefix = {"model.vision_tower.", "vision_tower."},
    .class_token = "embeddings.cls_token",
    .positions = "embeddings.position_embeddings",
    .patches = "embeddings.patch_embeddings.projection",
    .layer = "encoder.layer.%d",
    .attention = {{.query = "attention.q_proj",
                   .key = "attention.k_proj",
                   .value = "attention.v_proj",
                   .out = "attention.projection_layer"}},
    .norm = {[SAC_PART_SELF] = "layernorm_before", [SAC_PART_FORWARD] = "layernorm_after"},
    .scale = {[SAC_PART_SELF] = "lambda_1", [SAC_PART_FORWARD] = "lambda_2"},
    .up = "mlp.fc1",
    .down = "mlp.fc2",
    .norm_first = true,
    .bias = {{"attention_bias", false},
             {"attention_bias", false},
             {"attention_bias", false},
             SAC_BIASED,
             SAC_BIASED},
    .processor = "GotOcr2ImageProcessor"};

const sac_config_key sac_keys_of_internvl_vision[] = {
    COMMON,
    U("hidden_size", "1024"),
    U("num_hidden_layers", "24"),
    U("num_attention_heads", "16"),
    U("intermediate_size", "4096"),
    U("hidden_act", "\"gelu\""),
    U("layer_norm_eps", "1e-6"),
    N("image_size", "[448, 448]"),
    N("patch_size", "[14, 14]"),
    U("num_channels", "3"),
    U("attention_bias", "false"),
    U("use_qk_norm", "false"),
    U("norm_type", "\"layer_norm\""),
    O("use_absolute_position_embeddings", "true"),
    O("use_mean_pooling", "true"), /* else there is a norm behind the layers */
    H("use_mask_token"),
    H("layer_scale_init_value"),
    H("attention_dropout"),
    H("hidden_dropout_prob"),
    H("projection_dropout"),
    END,
};

static void describe_vision(sac_pretrained_model *m, sac_config *c)
{
    static const char *const norms[] = {"layer_norm", "rms_norm", NULL};
    sac_config vision = sac_config_inside(c, "vision_config");
    sac_description seen = seen_by_internvl;
    sac_config_apply_keys(&vision, sac_keys_of_internvl_vision);
    seen.rms = sac_config_choice(&vision, "norm_type", norms) == 1;
    if (sac_config_flag_or(&vision, "use_qk_norm", false)) {
        seen.query_norm = "attention.q_norm";
        seen.key_norm = "attention.k_norm";
        if (!seen.rms)
            sac_config_refuse(&vision, "use_qk_norm", "is true, and norm_type \"layer_norm\"");
    }
    sac_describe(m, &vision, &seen);
    c->status = vision.status;
}

/* ---------------------------------------------------------------- the model */

static char *make_picture_prompt(const sac_tokenizer *tokenizer, int token,
                                 const sac_picture_tiles *tiles, size_t each)
{
    char *text = NULL;
    char *tokens = sac_make_picture_tokens(tokenizer, token, tiles, each * (size_t)tiles->count);
    if (tokens && asprintf(&text, "<img>%s</img>", tokens) < 0)
        text = NULL;
    free(tokens);
    return text;
}

/* How many patches along a side become one token. */
static int read_merged_side(const sac_pretrained_model *m, sac_config *c)
{
    static const char name[] = "downsample_ratio";
    const sac_patch_grid *grid = &m->vision_encoder.trained;
    float ratio = sac_config_number_or(c, name, 0.5f);
    int side = ratio > 1e-2f && ratio <= 1 ? (int)(1 / ratio) : 0;
    if (c->status == SAC_OK && (!side || grid->width % side || grid->height % side))
        sac_config_refuse(c, name, "%g makes no tokens of %d x %d patches", (double)ratio,
                          grid->width, grid->height);
    return side;
}

static void declare(sac_pretrained_model *m, sac_config *c)
{
    static const char *const strategies[] = {"default", NULL};
    sac_connector k = {.token = sac_config_size(c, "image_token_id", 0, SAC_ARCHITECTURE_TOKENS),
                       .write = make_picture_prompt,
                       .activation = sac_architecture_activation(c, "projector_hidden_act"),
                       .chat = "<|im_start|>user\n" SAC_CHAT_PICTURE "\n" SAC_CHAT_QUESTION
                               "<|im_end|>\n<|im_start|>assistant\n"};
    sac_config_choice(c, "vision_feature_select_strategy", strategies);
    if (c->status == SAC_OK)
        describe_vision(m, c);
    if (c->status == SAC_OK)
        k.shuffle = read_merged_side(m, c);
    if (c->status == SAC_OK)
        sac_llava_keep_layers(m, c, -1);
    if (c->status == SAC_OK)
        sac_architecture_add_prompted(m, c, "qwen2", &k);
    if (c->status != SAC_OK)
        return;
    sac_pretrained_model *d = m->decoder;
    d->text_decoder.connector.entry =
        sac_layer_norm_declare(&d->parameters, sac_llava_declare_projector(m, c), "layer_norm",
                               (size_t)(k.shuffle * k.shuffle) * m->width);
}

static const sac_config_key sac_keys_of_internvl[] = {
    COMMON,
    D("text_config", "{}"),
    D("vision_config", "{}"),
    U("image_token_id", "151667"),
    U("downsample_ratio", "0.5"),
    U("projector_hidden_act", "\"gelu\""),
    U("vision_feature_layer", "-1"),
    U("vision_feature_select_strategy", "\"default\""),
    U("tie_word_embeddings", "true"),
    H("image_seq_length"),
    END,
};

const sac_architecture sac_architecture_internvl = {.types = {"internvl"},
                                                    .keys = sac_keys_of_internvl,
                                                    .architectures = {"InternVL"},
                                                    .declare = declare};
