/* Swin (Liu et al. 2021), whose stages are transformers over windows (vision/stages.h): to scores is
 * added what a trained table has for the place of the key beside the query, and in every other layer
 * windows are moved by half a side. As DonutSwin it is the encoder of Donut (Kim et al. 2022). */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

enum { PIXELS = 16384 };

/* Of one stage; its layers have the stage's number in their names. The keys are those of stage_config. */
static const sac_description of_stage = {
    .width = "hidden_size",
    .layers = "num_hidden_layers",
    .heads = "num_attention_heads",
    .hidden = "intermediate_size",
    .activation = "hidden_act",
    .epsilon = "layer_norm_eps",
    .attention = {{.query = "attention.self.query",
                   .key = "attention.self.key",
                   .value = "attention.self.value",
                   .out = "attention.output.dense"}},
    .norm = {[SAC_PART_SELF] = "layernorm_before", [SAC_PART_FORWARD] = "layernorm_after"},
    .up = "intermediate.dense",
    .down = "output.dense",
    .norm_first = true,
    .last_state_unnormed = true,
    .bias = {{"qkv_bias", true}, {"qkv_bias", true}, {"qkv_bias", true}, SAC_BIASED, SAC_BIASED}};

/* The sizes of the encoder. */
typedef struct sizes {
    int stages, depth[SAC_STAGES], heads[SAC_STAGES];
    int width, window; /* of the first stage */
    float ratio;
    bool biased;
    const char *prefix;
} sizes;

static void read_sizes(sac_config *c, sizes *s)
{
    int heads;
    s->stages = sac_config_sizes(c, "depths", 1, SAC_STAGE_LAYERS, s->depth, SAC_STAGES);
    heads = sac_config_sizes(c, "num_heads", 1, SAC_ARCHITECTURE_WIDTH, s->heads, SAC_STAGES);
    if (!s->stages || heads != s->stages)
        sac_config_refuse(c, "num_heads", "is of %d stages, and depths of %d", heads, s->stages);
    s->width = sac_config_size(c, "embed_dim", 1, SAC_ARCHITECTURE_WIDTH);
    s->window = sac_config_size(c, "window_size", 1, 64);
    s->ratio = sac_config_number_or(c, "mlp_ratio", 4);
    s->biased = sac_config_flag_or(c, "qkv_bias", true);
    if (s->stages && (double)s->width * (1 << (s->stages - 1)) > SAC_ARCHITECTURE_WIDTH)
        sac_config_refuse(c, "embed_dim", "%d is too much for %d stages, which double it", s->width,
                          s->stages);
    if (!(s->ratio >= 0.01f && s->ratio <= 64))
        sac_config_refuse(c, "mlp_ratio", "is not between 0.01 and 64");
}

/* What the table of a stage asks for. */
static cJSON *make_stage_config(const sac_config *c, const sizes *s, int i)
{
    cJSON *json = cJSON_CreateObject();
    int width = s->width << i;
    cJSON_AddNumberToObject(json, "vocab_size", 1);
    cJSON_AddNumberToObject(json, "hidden_size", width);
    cJSON_AddNumberToObject(json, "num_hidden_layers", s->depth[i]);
    cJSON_AddNumberToObject(json, "num_attention_heads", s->heads[i]);
    cJSON_AddNumberToObject(json, "intermediate_size", (int)(s->ratio * (float)width));
    cJSON_AddBoolToObject(json, "qkv_bias", s->biased);
    cJSON_AddItemToObject(
        json, "hidden_act",
        cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(c->json, "hidden_act"), true));
    cJSON_AddItemToObject(
        json, "layer_norm_eps",
        cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(c->json, "layer_norm_eps"), true));
    return json;
}

/* Patches of pixels, or squares of 2 × 2 cells, the upper before the lower, from left to right. */
static void declare_joining(sac_pretrained_model *part, const sac_vision_encoder *seen,
                            const sizes *s)
{
    sac_joining *j = &part->stage.joining;
    sac_parameters *p = &part->parameters;
    size_t D = part->width, side = (size_t)seen->patch_w;
    char name[96];
    int before = part->stage.number - 2;
    if (before < 0) {
        *j = (sac_joining){.taps = seen->patch_w, .step = seen->patch_w};
        snprintf(name, sizeof name, "%sembeddings.patch_embeddings.projection.weight", s->prefix);
        j->w = sac_parameter_add(p, name, sac_init_constant(0), 4, D, (size_t)3, side, side);
        snprintf(name, sizeof name, "%sembeddings.patch_embeddings.projection.bias", s->prefix);
        j->b = sac_parameter_vector(p, name, D);
        snprintf(name, sizeof name, "%sembeddings", s->prefix);
        j->joined = sac_layer_norm_declare(p, name, "norm", D);
        return;
    }
    *j = (sac_joining){.taps = 2, .step = 2, .by_column = true};
    snprintf(name, sizeof name, "%sencoder.layers.%d.downsample", s->prefix, before);
    j->squares = sac_layer_norm_declare(p, name, "norm", 2 * D);
    j->w = sac_dense_declare(p, name, "reduction", D, 2 * D, false).w;
}

static void declare_stage(sac_pretrained_model *m, sac_config *c, const sizes *s, int i)
{
    sac_pretrained_model *part = sac_architecture_add_stage(m, c);
    sac_config own = sac_config_of(part ? make_stage_config(c, s, i) : NULL, c->path, c->error);
    char layer[64], name[96];
    sac_description d = of_stage;
    if (!part)
        return;
    snprintf(layer, sizeof layer, "%sencoder.layers.%d.blocks.%%d", s->prefix, i);
    d.layer = layer;
    sac_describe(part, &own, &d);
    c->status = own.status;
    cJSON_Delete(own.json);
    if (c->status != SAC_OK)
        return;
    part->stage.window = (size_t)s->window;
    part->stage.shifts = true;
    size_t span = 2 * (size_t)s->window - 1;
    for (int k = 0; k < part->layers; k++) {
        snprintf(name, sizeof name,
                 "%sencoder.layers.%d.blocks.%d.attention.self.relative_position_bias_table",
                 s->prefix, i, k);
        part->stage.bias[k] =
            sac_parameter_matrix(&part->parameters, name, span * span, (size_t)s->heads[i]);
    }
    declare_joining(part, &m->vision_encoder, s);
}

/* A number, or a list of two that are one. */
static int read_patch(sac_config *c)
{
    int sides[2] = {1, 1}, count = sac_config_sizes(c, "patch_size", 1, PIXELS, sides, 2);
    if (count == 2 && sides[0] != sides[1])
        sac_config_refuse(c, "patch_size", "is not square");
    return sides[0];
}

void sac_swin_declare(sac_pretrained_model *m, sac_config *c)
{
    static const char *const prefixes[] = {"swin.", "encoder.", "", NULL};
    static const char mark[] = "embeddings.patch_embeddings.projection.weight";
    sac_vision_encoder *v = &m->vision_encoder;
    sizes s = {0};
    int sides[2] = {224, 224};
    read_sizes(c, &s);
    v->patch_w = v->patch_h = read_patch(c);
    int count = sac_config_sizes(c, "image_size", 1, PIXELS, sides, 2);
    v->image_h = sides[0];
    v->image_w = count == 1 ? sides[0] : sides[1];
    bool is_donut = strcmp(sac_config_text(c, "model_type"), "donut-swin") == 0;
    v->processor = is_donut ? "DonutImageProcessor" : "ViTImageProcessor";
    if (sac_config_size_or(c, "num_channels", 1, 64, 3) != 3)
        sac_config_refuse(c, "num_channels", "is not 3, and pictures have three colours");
    if (c->status != SAC_OK)
        return;
    s.prefix = sac_pretrained_prefix(m->files, prefixes, mark);
    m->width = (size_t)s.width << (s.stages - 1);
    m->last_state_unnormed = true;
    for (int i = 0; i < s.stages && c->status == SAC_OK; i++)
        declare_stage(m, c, &s, i);
    if (c->status != SAC_OK)
        return;
    sac_pretrained_model *last = m->stages[m->stage_count - 1];
    char name[96];
    if (is_donut)
        return; /* whose last cells are as they are */
    snprintf(name, sizeof name, "%slayernorm", s.prefix);
    last->last_norm = sac_layer_norm_declare(&last->parameters, "", name, m->width);
    last->last_norm.epsilon = sac_config_number_or(c, "layer_norm_eps", 1e-5f);
}

#define SWIN                                                                                       \
    COMMON, U("image_size", "224"), U("patch_size", "4"), U("num_channels", "3"),                  \
        U("embed_dim", "96"), U("depths", "[2, 2, 6, 2]"), U("num_heads", "[3, 6, 12, 24]"),       \
        U("window_size", "7"), U("mlp_ratio", "4.0"), U("qkv_bias", "true"),                       \
        U("hidden_act", "\"gelu\""), U("layer_norm_eps", "1e-5"),                                  \
        O("use_absolute_embeddings", "false"), H("hidden_dropout_prob"),                           \
        H("attention_probs_dropout_prob"), H("drop_path_rate"), H("hidden_size"), H("num_layers"), \
        H("num_hidden_layers"), H("num_attention_heads"), H("path_norm")
const sac_config_key sac_keys_of_swin[] = {
    SWIN, H("encoder_stride"), H("out_features"), H("out_indices"), H("stage_names"), END,
};

const sac_architecture sac_architecture_swin = {.types = {"swin", "donut-swin"},
                                                .keys = sac_keys_of_swin,
                                                .architectures = {"Swin", "DonutSwin"},
                                                .declare = sac_swin_declare};
