/* Qwen2-VL (Wang et al. 2024), Qwen2.5-VL (Bai et al. 2025) and Qwen3-VL (Bai et al. 2025): a vision
 * transformer sees the picture in its own size, patches by fours become a token, and Qwen2 or Qwen3 reads
 * them, with the time, row and column of each as its position. In most layers of Qwen2.5-VL's a patch sees
 * a square of the picture alone. Qwen3-VL's have trained positions, too, and what leaves some of its layers
 * is added to the tokens where they leave the first layers of what reads. */
#include <cjson/cJSON.h>

#include <stdio.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"
#include "base/error.h"

/* ---------------------------------------------------------------- what sees */

#define DESCRIBE_SEEN                                                                              \
    .layers = "depth", .heads = "num_heads", .activation = "hidden_act", .epsilon_of = 1e-6f,      \
    .prefix = {"model.visual.", "visual."}, .patches = "patch_embed.proj",                         \
    .patch_frames = "temporal_patch_size", .any_size = true, .layer = "blocks.%d",                 \
    .attention = {{.fused = "attn.qkv", .out = "attn.proj"}},                                      \
    .norm = {[SAC_PART_SELF] = "norm1", [SAC_PART_FORWARD] = "norm2"}, .norm_first = true,         \
    .bias = SAC_ALL_BIASED, .turns_patches = true, .counts_patches = true,                         \
    .processor = "Qwen2VLImageProcessor"
#define DESCRIBE_SEEN_BY_2 DESCRIBE_SEEN, .patches_unbiased = true, .last_norm = "merger.ln_q"

static const sac_description seen_by_qwen2_vl = {DESCRIBE_SEEN_BY_2, .width = "embed_dim",
                                                 .ratio = "mlp_ratio", .up = "mlp.fc1",
                                                 .down = "mlp.fc2"};
static const sac_description seen_by_qwen2_5_vl = {
    DESCRIBE_SEEN_BY_2,  .width = "hidden_size",  .hidden = "intermediate_size", .rms = true,
    .up = "mlp.up_proj", .gate = "mlp.gate_proj", .down = "mlp.down_proj"};
static const sac_description seen_by_qwen3_vl = {DESCRIBE_SEEN,
                                                 .width = "hidden_size",
                                                 .hidden = "intermediate_size",
                                                 .up = "mlp.linear_fc1",
                                                 .down = "mlp.linear_fc2",
                                                 .positions = "pos_embed.weight",
                                                 .patch_count = "num_position_embeddings",
                                                 .is_flat = true,
                                                 .spread = SAC_SPREAD_CORNERS,
                                                 .last_norm = "merger.norm"};

#define OF_SEEN(depth, patch)                                                                      \
    COMMON, U("depth", depth), U("num_heads", "16"), U("in_channels", "3"),                        \
        U("patch_size", patch), U("spatial_merge_size", "2"), U("temporal_patch_size", "2"),       \
        U("rope_parameters", NULL)
const sac_config_key sac_keys_of_qwen2_vl_vision[] = {
    OF_SEEN("32", "14"), U("embed_dim", "1280"),
    U("mlp_ratio", "4"), U("hidden_act", "\"quick_gelu\""),
    H("hidden_size"),    END,
};
const sac_config_key sac_keys_of_qwen2_5_vl_vision[] = {
    OF_SEEN("32", "14"),
    U("hidden_size", "3584"),
    U("intermediate_size", "3420"),
    U("hidden_act", "\"silu\""),
    U("window_size", "112"),
    U("fullatt_block_indexes", "[7, 15, 23, 31]"),
    H("out_hidden_size"),
    H("tokens_per_second"),
    END,
};

const sac_config_key sac_keys_of_qwen3_vl_vision[] = {
    OF_SEEN("27", "16"),
    U("hidden_size", "1152"),
    U("intermediate_size", "4304"),
    U("hidden_act", "\"gelu_pytorch_tanh\""),
    U("num_position_embeddings", "2304"),
    U("deepstack_visual_indexes", "[8, 16, 24]"),
    H("out_hidden_size"),
    END,
};

const sac_config_key sac_keys_of_qwen3_5_vision[] = {
    OF_SEEN("27", "16"),
    U("hidden_size", "1152"),
    U("intermediate_size", "4304"),
    U("hidden_act", "\"gelu_pytorch_tanh\""),
    U("num_position_embeddings", "2304"),
    H("out_hidden_size"),
    O("deepstack_visual_indexes", "[[], null]"),
    END,
};

/* What differs in them. */
typedef struct kind {
    const char *text; /* the type of what reads */
    const sac_description *seen;
    const sac_config_key *keys; /* of what sees */
    bool has_squares;
    const char *merger[2],
        *levels; /* the layers between, behind "merger.", and of the levels; NULL: there are none */
    const char *chat;
    bool only_reads;
} kind;

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

/* The layers whose states become tokens, too. */
static void read_levels(sac_pretrained_model *m, sac_config *c)
{
    sac_vision_encoder *s = &m->vision_encoder;
    s->levels = sac_config_sizes(c, "deepstack_visual_indexes", 0, m->layers - 1, s->level,
                                 SAC_PICTURE_LEVELS);
    for (int i = 1; i < s->levels; i++)
        if (s->level[i] <= s->level[i - 1])
            sac_config_refuse(c, "deepstack_visual_indexes", "does not rise");
}

static int declare_vision_encoder(sac_pretrained_model *m, sac_config *c, const kind *of)
{
    sac_config vision = sac_config_inside(c, "vision_config");
    sac_config_apply_keys(&vision, of->keys);
    if (sac_config_size_or(&vision, "in_channels", 1, 64, 3) != 3)
        sac_config_refuse(&vision, "in_channels", "is not 3, and pictures have three colours");
    int merged = sac_config_size(&vision, "spatial_merge_size", 1, 16);
    if (vision.status == SAC_OK)
        sac_describe(m, &vision, of->seen);
    if (vision.status == SAC_OK && of->has_squares)
        read_window_squares(m, &vision, merged);
    if (vision.status == SAC_OK && of->levels)
        read_levels(m, &vision);
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

/* The layers by which so many numbers of patches become a token. */
static void declare_merger(sac_pretrained_model *d, const kind *of, const char *place, size_t in,
                           sac_dense project[2])
{
    for (int i = 0; i < 2; i++)
        project[i] =
            sac_dense_declare(&d->parameters, place, of->merger[i], i ? d->width : in, in, true);
}

static void declare_kind(sac_pretrained_model *m, sac_config *c, const kind *of)
{
    sac_connector k = {.write = sac_make_picture_tokens,
                       .activation = SAC_GELU,
                       .chat = of->chat,
                       .only_reads = of->only_reads};
    char place[64];
    k.token = sac_config_size(c, "image_token_id", 0, SAC_ARCHITECTURE_TOKENS);
    if (c->status == SAC_OK)
        k.shuffle = declare_vision_encoder(m, c, of);
    k.levels = m->vision_encoder.levels;
    if (c->status == SAC_OK)
        nest_text_config(c, of->text);
    if (c->status == SAC_OK)
        sac_architecture_add_prompted(m, c, of->text, &k);
    if (c->status != SAC_OK)
        return;
    sac_pretrained_model *d = of->only_reads ? m->reader : m->decoder;
    snprintf(place, sizeof place, "model.visual.merger.%s.weight", of->merger[0]);
    const char *outer = sac_pretrained_has(m->files, place) ? "model." : "";
    size_t in = (size_t)(k.shuffle * k.shuffle) * m->width;
    snprintf(place, sizeof place, "%svisual.merger", outer);
    declare_merger(d, of, place, in, d->text_decoder.connector.project);
    for (int i = 0; i < k.levels; i++) {
        snprintf(place, sizeof place, of->levels, outer, i);
        sac_layer_norm *norm = &d->text_decoder.connector.level[i].entry;
        *norm = sac_layer_norm_declare(&d->parameters, place, "norm", in);
        norm->epsilon = 1e-6f;
        declare_merger(d, of, place, in, d->text_decoder.connector.level[i].project);
    }
}

#define SYSTEM "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
#define USER                                                                                       \
    "<|im_start|>user\n<|vision_start|>" SAC_CHAT_PICTURE "<|vision_end|>" SAC_CHAT_QUESTION       \
    "<|im_end|>\n<|im_start|>assistant\n"

static void declare_2(sac_pretrained_model *m, sac_config *c)
{
    static const kind of = {"qwen2_vl_text", &seen_by_qwen2_vl, sac_keys_of_qwen2_vl_vision,
                            .merger = {"mlp.0", "mlp.2"}, .chat = SYSTEM USER};
    declare_kind(m, c, &of);
}

static void declare_2_5(sac_pretrained_model *m, sac_config *c)
{
    static const kind of = {
        "qwen2_5_vl_text",   &seen_by_qwen2_5_vl,          sac_keys_of_qwen2_5_vl_vision,
        .has_squares = true, .merger = {"mlp.0", "mlp.2"}, .chat = SYSTEM USER};
    declare_kind(m, c, &of);
}

static void declare_3_reading(sac_pretrained_model *m, sac_config *c, const char *text)
{
    const kind of = {text,
                     &seen_by_qwen3_vl,
                     sac_keys_of_qwen3_vl_vision,
                     .merger = {"linear_fc1", "linear_fc2"},
                     .levels = "%svisual.deepstack_merger_list.%d",
                     .chat = USER};
    declare_kind(m, c, &of);
}

static void declare_3(sac_pretrained_model *m, sac_config *c)
{
    declare_3_reading(m, c, "qwen3_vl_text");
}

static void declare_3_moe(sac_pretrained_model *m, sac_config *c)
{
    declare_3_reading(m, c, "qwen3_vl_moe_text");
}

/* Qwen3.5 (Qwen 2026): of Qwen3-VL's kind, without levels; of what reads most layers keep a state. */
static void declare_3_5_reading(sac_pretrained_model *m, sac_config *c, const char *text)
{
    const kind of = {text, &seen_by_qwen3_vl, sac_keys_of_qwen3_5_vision,
                     .merger = {"linear_fc1", "linear_fc2"}, .chat = USER};
    declare_kind(m, c, &of);
}

static void declare_3_5(sac_pretrained_model *m, sac_config *c)
{
    declare_3_5_reading(m, c, "qwen3_5_text");
}

static void declare_3_5_moe(sac_pretrained_model *m, sac_config *c)
{
    declare_3_5_reading(m, c, "qwen3_5_moe_text");
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
const sac_architecture sac_architecture_qwen3_vl = {.types = {"qwen3_vl"},
                                                    .keys = sac_keys_of_qwen2_vl,
                                                    .architectures = {"Qwen3VLFor"},
                                                    .declare = declare_3};
const sac_architecture sac_architecture_qwen3_vl_moe = {.types = {"qwen3_vl_moe"},
                                                        .keys = sac_keys_of_qwen2_vl,
                                                        .architectures = {"Qwen3VLMoe"},
                                                        .declare = declare_3_moe};

static const sac_config_key sac_keys_of_qwen3_5[] = {
    COMMON,
    D("text_config", "{}"),
    D("vision_config", "{}"),
    U("image_token_id", "248056"),
    U("tie_word_embeddings", "false"),
    H("video_token_id"),
    H("vision_start_token_id"),
    H("vision_end_token_id"),
    END,
};
const sac_architecture sac_architecture_qwen3_5 = {.types = {"qwen3_5"},
                                                   .keys = sac_keys_of_qwen3_5,
                                                   .architectures = {"Qwen3_5ForConditional"},
                                                   .declare = declare_3_5};
const sac_architecture sac_architecture_qwen3_5_moe = {
    .types = {"qwen3_5_moe"},
    .keys = sac_keys_of_qwen3_5,
    .architectures = {"Qwen3_5MoeForConditional"},
    .declare = declare_3_5_moe};

/* ---------------------------------------------------------------- ColQwen2
 * (Faysse et al. 2024): Qwen2-VL, of whose states those of all tokens are compared. */

static void declare_colqwen2(sac_pretrained_model *m, sac_config *c)
{
    static const kind of = {"qwen2_vl_text",
                            &seen_by_qwen2_vl,
                            sac_keys_of_qwen2_vl_vision,
                            .merger = {"mlp.0", "mlp.2"},
                            .chat = "",
                            .only_reads = true};
    static const sac_late_prompts prompts = {
        "", "Query: ",
        "<|im_start|>user\n<|vision_start|><|image_pad|><|vision_end|>Describe the "
        "image.<|im_end|><|endoftext|>"};
    sac_config whole = sac_late_config(c, "qwen2_vl", sac_keys_of_qwen2_vl);
    if (whole.status == SAC_OK)
        declare_kind(m, &whole, &of);
    c->status = whole.status;
    if (c->status == SAC_OK)
        sac_late_declare(m, c, &prompts);
}

static const sac_config_key sac_keys_of_colqwen2[] = {
    COMMON,
    D("vlm_config", "{}"),
    U("embedding_dim", "128"),
    END,
};

const sac_architecture sac_architecture_colqwen2 = {.types = {"colqwen2"},
                                                    .keys = sac_keys_of_colqwen2,
                                                    .architectures = {"ColQwen2"},
                                                    .declare = declare_colqwen2};
