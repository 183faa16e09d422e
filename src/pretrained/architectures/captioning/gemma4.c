/* Gemma 4 (Gemma Team 2026) with pictures: a vision transformer sees a picture in its own aspect, of whose patches squares are averaged
 * to tokens; in large models tokens of a picture see all of it in layers with a window. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"
#include "base/error.h"

/* ---------------------------------------------------------------- what sees */

static const sac_description of_vision = {
    .width = "hidden_size",
    .layers = "num_hidden_layers",
    .heads = "num_attention_heads",
    .key_heads = "num_key_value_heads",
    .depth = "head_dim",
    .hidden = "intermediate_size",
    .activation = "hidden_activation",
    .epsilon = "rms_norm_eps",
    .prefix = {""},
    .patches = "patch_embedder.input_proj",
    .patches_by_pixel = true,
    .patches_unbiased = true,
    .positions = "patch_embedder.position_embedding_table",
    .axis_places = "position_embedding_size",
    .any_size = true,
    .rms = true,
    .layer = "encoder.layers.%d",
    .attention = {{.query = "self_attn.q_proj.linear",
                   .key = "self_attn.k_proj.linear",
                   .value = "self_attn.v_proj.linear",
                   .out = "self_attn.o_proj.linear"}},
    .query_norm = "self_attn.q_norm",
    .key_norm = "self_attn.k_norm",
    .value_norm = "self_attn.v_norm",
    .norms_heads = true,
    .is_unscaled = true,
    .norm = {[SAC_PART_SELF] = "input_layernorm", [SAC_PART_FORWARD] = "pre_feedforward_layernorm"},
    .after = {[SAC_PART_SELF] = "post_attention_layernorm",
              [SAC_PART_FORWARD] = "post_feedforward_layernorm"},
    .norm_first = true,
    .gate = "mlp.gate_proj.linear",
    .up = "mlp.up_proj.linear",
    .down = "mlp.down_proj.linear",
    .clips = "use_clipped_linears",
    .turns_patches = true,
    .counts_patches = true,
    .halves_patches = true,
    .processor = "Gemma4ImageProcessor"};

const sac_config_key sac_keys_of_gemma4_vision[] = {
    COMMON,
    U("hidden_size", "768"),
    U("intermediate_size", "3072"),
    U("num_hidden_layers", "16"),
    U("num_attention_heads", "12"),
    U("num_key_value_heads", "12"),
    U("head_dim", "64"),
    U("hidden_activation", "\"gelu_pytorch_tanh\""),
    U("rms_norm_eps", "1e-6"),
    U("patch_size", "16"),
    U("pooling_kernel_size", "3"),
    U("position_embedding_size", "10240"),
    U("use_clipped_linears", "false"),
    U("standardize", "false"),
    U("rope_parameters", NULL),
    U("rope_theta", "100"),
    H("max_position_embeddings"),
    H("attention_bias"), /* the class has none, whatever it is */
    H("attention_dropout"),
    END,
};

const sac_architecture sac_architecture_gemma4_vision = {.types = {"gemma4_vision"},
                                                         .keys = sac_keys_of_gemma4_vision,
                                                         .architectures = {"Gemma4VisionModel"},
                                                         .describes = &of_vision};

/* ---------------------------------------------------------------- a picture in the prompt */

/* Standardised squares, and the way to the width of words. */
static void declare_projector(sac_pretrained_model *m, sac_config *c, const char *model)
{
    static const char *const parts[] = {"std_bias", "std_scale"};
    sac_pretrained_model *d = m->decoder;
    sac_connector *k = &d->text_decoder.connector;
    sac_config vision = sac_config_inside(c, "vision_config");
    char name[80];
    const bool is_standardised = sac_config_flag_or(&vision, "standardize", false);
    const sac_parameter **const numbers[] = {&k->less, &k->gain};
    k->times = sqrtf((float)m->width);
    for (int i = 0; i < 2 && is_standardised; i++) {
        snprintf(name, sizeof name, "%svision_tower.%s", model, parts[i]);
        *numbers[i] = sac_parameter_vector(&d->parameters, name, m->width);
    }
    snprintf(name, sizeof name, "%sembed_vision", model);
    k->entry = sac_rms_norm_declare(&d->parameters, name, "embedding_pre_projection_norm", m->width,
                                    sac_config_number_or(&vision, "rms_norm_eps", 1e-6f));
    k->project[0] =
        sac_dense_declare(&d->parameters, name, "embedding_projection", d->width, m->width, false);
    const sac_tensor_place made = {.parameter = k->entry.gain, .is_made = true, .added = 1};
    if (!k->entry.gain || !sac_tensor_places_add(&d->located, &made))
        c->status = sac_no_memory(c->error, name);
    if (c->status == SAC_OK)
        c->status = vision.status;
}

static void declare(sac_pretrained_model *m, sac_config *c)
{
    static const char *const names[6] = {"model.vision_tower.", "vision_tower."};
    static const char *const tokens[SAC_STAND_INS] = {"image_token_id", "video_token_id",
                                                      "audio_token_id"};
    sac_config vision = sac_config_inside(c, "vision_config");
    sac_config text = sac_config_inside(c, "text_config");
    sac_description seen;
    const bool is_near =
        strcmp(sac_config_text(&text, "use_bidirectional_attention"), "vision") == 0;
    sac_connector k = {.write = sac_make_picture_tokens,
                       .chat = "<bos><|turn>user\n" SAC_CHAT_PICTURE SAC_CHAT_QUESTION
                               "<turn|>\n<|turn>model\n",
                       .pools = true,
                       .sees_itself = is_near,
                       .sees_near = is_near};
    k.token = sac_config_size(c, tokens[0], 1, SAC_ARCHITECTURE_TOKENS);
    k.begins = sac_config_size_or(c, "boi_token_id", 0, SAC_ARCHITECTURE_TOKENS, 0);
    k.ends = sac_config_size_or(c, "eoi_token_id", 0, SAC_ARCHITECTURE_TOKENS, 0);
    if (!sac_config_has(c, "vision_config"))
        sac_config_refuse(c, "vision_config", "is missing, and then the model is its text_config");
    if (c->status == SAC_OK &&
        sac_architecture_describe_part(&vision, "gemma4_vision", names, &seen))
        sac_describe(m, &vision, &seen);
    k.shuffle = sac_config_size(&vision, "pooling_kernel_size", 1, 16);
    c->status = c->status == SAC_OK ? vision.status : c->status;
    m->vision_encoder.token_side = k.shuffle * m->vision_encoder.patch_w;
    if (c->status == SAC_OK)
        sac_architecture_add_prompted(m, c, "gemma4_text", &k);
    if (c->status != SAC_OK)
        return;
    for (int i = 0; i < SAC_STAND_INS; i++)
        m->decoder->stand_in[i] = sac_config_size_or(c, tokens[i], 0, SAC_ARCHITECTURE_TOKENS, 0);
    m->decoder->stood_for =
        sac_config_size_or(&text, "pad_token_id", 0, SAC_ARCHITECTURE_TOKENS, 0);
    declare_projector(m, c,
                      sac_pretrained_has(m->files, "model.embed_vision.embedding_projection.weight")
                          ? "model."
                          : "");
}

static const sac_config_key sac_keys_of_gemma4_whole[] = {
    COMMON,
    D("text_config", "{}"),
    U("vision_config", NULL),
    H("audio_config"), /* what listens is not used: its tensors are named */
    N("image_token_id", "258880"),
    N("video_token_id", "258884"),
    N("audio_token_id", "258881"),
    N("boi_token_id", "255999"),
    N("eoi_token_id", "258882"),
    H("boa_token_id"),
    H("eoa_token_index"),
    H("eoa_token_id"),
    U("tie_word_embeddings", "true"),
    H("eos_token_id"),
    END,
};

const sac_architecture sac_architecture_gemma4_whole = {
    .types = {"gemma4"},
    .keys = sac_keys_of_gemma4_whole,
    .architectures = {"Gemma4ForConditionalGeneration"},
    .declare = declare};
