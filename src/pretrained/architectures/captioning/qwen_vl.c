/* Qwen2-VL (Wang et al. 2024) and Qwen2.5-VL (Bai et al. 2025): a vision transformer sees the picture
 * in its own size, patches by fours become a token, and Qwen2 reads them, with the time, row and column
 * of each as its position. In most layers of the latter a patch sees a square of the picture alone. */
#include <cjson/cJSON.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"
#include "base/error.h"

/* ---------------------------------------------------------------- what sees */

#define DESCRIBE_SEEN                                                                              \
    .layers = "depth", .heads = "num_heads", .activation = "hidden_act", .epsilon_of = 1e-6f,      \
    .prefix = {"model.visual.", "visual."}, .patches = "patch_embed.proj",                         \
    .patches_unbiased = true, .patch_frames = "temporal_patch_size", .any_size = true,             \
    .layer = "blocks.%d", .attention = {{.fused = "attn.qkv", .out = "attn.proj"}},                \
    .norm = {[SAC_PART_SELF] = "norm1", [SAC_PART_FORWARD] = "norm2"}, .norm_first = true,         \
    .last_norm = "merger.ln_q", .bias = SAC_ALL_BIASED, .turns_patches = true,                     \
    .counts_patches = true, .processor = "Qwen2VLImageProcessor"

static const sac_description seen_by_qwen2_vl = {
    DESCRIBE_SEEN, .width = "embed_dim", .ratio = "mlp_ratio", .up = "mlp.fc1", .down = "mlp.fc2"};
static const sac_description seen_by_qwen2_5_vl = {
    DESCRIBE_SEEN,       .width = "hidden_size",  .hidden = "intermediate_size", .rms = true,
    .up = "mlp.up_proj", .gate = "mlp.gate_proj", .down = "mlp.down_proj"};

#define OF_SEEN                                                                                    \
    COMMON, U("depth", "32"), U("num_heads", "16"), U("in_channels", "3"), U("patch_size", "14"),  \
        U("spatial_merge_size", "2"), U("temporal_patch_size", "2"), U("rope_parameters", NULL)
const sac_config_key sac_keys_of_qwen2_vl_vision[] = {
    OF_SEEN,
    U("embed_dim", "1280"),
    U("mlp_ratio", "4"),
    U("hidden_act", "\"quick_gelu\""),
    H("hidden_size"),
    END,
};
const sac_config_key sac_keys_of_qwen2_5_vl_vision[] = {
    OF_SEEN,
    U("hidden_size", "3584"),
    U("intermediate_size", "3420"),
    U("hidden_act", "\"silu\""),
    U("window_size", "112"),
    U("fullatt_block_indexes", "[7, 15, 23, 31]"),
    H("out_hidden_size"),
    H("tokens_per_second"),
    END,
};

/* The layers that are not named see squares of window_size pixels, of whole tokens. */
static void read_window_squares(sac_pretrained_model *m, sac_config *c, int merged)
{
    static const char name[] = "fullatt_block_indexes";
    int full[SAC_ARCHITECTURE_LAYERS];
    int count = sac_config_sizes(c, name, 0, 1 << 20, full, SAC_ARCHITECTURE_LAYERS);
    int patch = m->vision_encoder.patch_w;
    m->square = sac_config_size(c, "window_size", 1, 1 << 20) / merged / patch * merged;
    if (m->square < 1)
        sac_config_refuse(c, "window_size", "is less than %d patches of %d pixels", merged, patch);
    for (int i = 0; i < m->layers; i++)
        m->squared[i] = true;
    for (int i = 0; i < count; i++)
        if (full[i] < m->layers)
            m->squared[full[i]] = false;
}

static int declare_vision_encoder(sac_pretrained_model *m, sac_config *c, bool has_squares)
{
    sac_config vision = sac_config_inside(c, "vision_config");
    sac_config_apply_keys(&vision, has_squares ? sac_keys_of_qwen2_5_vl_vision
                                               : sac_keys_of_qwen2_vl_vision);
    if (sac_config_size_or(&vision, "in_channels", 1, 64, 3) != 3)
        sac_config_refuse(&vision, "in_channels", "is not 3, and pictures have three colours");
    int merged = sac_config_size(&vision, "spatial_merge_size", 1, 16);
    if (vision.status == SAC_OK)
        sac_describe(m, &vision, has_squares ? &seen_by_qwen2_5_vl : &seen_by_qwen2_vl);
    if (vision.status == SAC_OK && has_squares)
        read_window_squares(m, &vision, merged);
    c->status = vision.status;
    return merged;
}

/* ---------------------------------------------------------------- what reads */

/* Files of 2024 have the reading half's keys beside the others. */
static void nest_text_config(sac_config *c, const char *type)
{
    static const char name[] = "text_config";
    if (cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(c->json, name)))
        return;
    cJSON *text = cJSON_Duplicate(c->json, true);
    cJSON_DeleteItemFromObjectCaseSensitive(text, "vision_config");
    cJSON_DeleteItemFromObjectCaseSensitive(text, "architectures");
    cJSON_DeleteItemFromObjectCaseSensitive(text, "model_type");
    cJSON_DeleteItemFromObjectCaseSensitive(c->json, name);
    if (!cJSON_AddStringToObject(text, "model_type", type) ||
        !cJSON_AddItemToObject(c->json, name, text)) {
        cJSON_Delete(text);
        c->status = sac_no_memory(c->error, name);
    }
}

static void declare_kind(sac_pretrained_model *m, sac_config *c, bool has_squares,
                         const char *inner)
{
    static const char *const places[] = {"model.visual.merger", "visual.merger"};
    sac_connector k = {.write = sac_make_picture_tokens,
                       .activation = SAC_GELU,
                       .chat = "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
                               "<|im_start|>user\n<|vision_start|>" SAC_CHAT_PICTURE
                               "<|vision_end|>" SAC_CHAT_QUESTION
                               "<|im_end|>\n<|im_start|>assistant\n"};
    k.token = sac_config_size(c, "image_token_id", 0, SAC_ARCHITECTURE_TOKENS);
    if (c->status == SAC_OK)
        k.shuffle = declare_vision_encoder(m, c, has_squares);
    if (c->status == SAC_OK)
        nest_text_config(c, inner);
    if (c->status == SAC_OK)
        sac_architecture_add_prompted(m, c, inner, &k);
    if (c->status != SAC_OK)
        return;
    sac_pretrained_model *d = m->decoder;
    bool is_new = sac_pretrained_has(m->files, "model.visual.merger.mlp.0.weight");
    size_t in = (size_t)(k.shuffle * k.shuffle) * m->width;
    sac_dense *project = d->text_decoder.connector.project;
    project[0] = sac_dense_declare(&d->parameters, places[!is_new], "mlp.0", in, in, true);
    project[1] = sac_dense_declare(&d->parameters, places[!is_new], "mlp.2", d->width, in, true);
}

static void declare_2(sac_pretrained_model *m, sac_config *c)
{
    declare_kind(m, c, false, "qwen2_vl_text");
}

static void declare_2_5(sac_pretrained_model *m, sac_config *c)
{
    declare_kind(m, c, true, "qwen2_5_vl_text");
}

static const sac_config_key sac_keys_of_qwen2_vl[] = {
    COMMON,
    U("text_config", NULL),
    D("vision_config", "{}"),
    U("image_token_id", "151655"),
    U("tie_word_embeddings", "false"),
    H("video_token_id"),
    H("vision_start_token_id"),
    H("vision_end_token_id"),
    END,
};

const sac_architecture sac_architecture_qwen2_vl = {.types = {"qwen2_vl"},
                                                    .keys = sac_keys_of_qwen2_vl,
                                                    .architectures = {"Qwen2VL"},
                                                    .declare = declare_2};
const sac_architecture sac_architecture_qwen2_5_vl = {.types = {"qwen2_5_vl"},
                                                      .keys = sac_keys_of_qwen2_vl,
                                                      .architectures = {"Qwen2_5_VL"},
                                                      .declare = declare_2_5};
