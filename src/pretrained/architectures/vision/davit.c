/* DaViT (Ding et al. 2022), as in Florence-2: stages (vision/stages.h) whose layers attend in
 * windows, and behind each of them one whose channels attend to each other. Convolutions join cells, and
 * stand before each half of a layer. Names of tensors are those of transformers, or of Microsoft's own files. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <stdlib.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"
#include "base/error.h"

/* Names in a layer, of transformers and of Microsoft. */
typedef struct names {
    const char *joined; /* the convolution between two stages */
    const char *near;   /* behind conv1 and conv2 */
    const char *windows, *windows_out, *windows_norm, *channels, *channels_out, *channels_norm;
    const char *network_norm, *up, *down;
} names;

static const names of_transformers = {"conv",
                                      "",
                                      "window_attn.qkv",
                                      "window_attn.proj",
                                      "norm1",
                                      "channel_attn.qkv",
                                      "channel_attn.proj",
                                      "norm1",
                                      "norm2",
                                      "ffn.fc1",
                                      "ffn.fc2"};
static const names of_microsoft = {"proj",
                                   ".fn.dw",
                                   "window_attn.fn.qkv",
                                   "window_attn.fn.proj",
                                   "window_attn.norm",
                                   "channel_attn.fn.qkv",
                                   "channel_attn.fn.proj",
                                   "channel_attn.norm",
                                   "ffn.norm",
                                   "ffn.fn.net.fc1",
                                   "ffn.fn.net.fc2"};

/* The sizes of the encoder, by stage. */
typedef struct sizes {
    int stages, depth[SAC_STAGES], width[SAC_STAGES], heads[SAC_STAGES], groups[SAC_STAGES];
    int taps[SAC_STAGES], step[SAC_STAGES], border[SAC_STAGES];
    bool norms_first[SAC_STAGES]; /* the norm stands before the convolution that joins */
    int window;
    float ratio;
    bool biased;
    const char *prefix;
    const names *names;
} sizes;

static void read_list(sac_config *c, const char *name, int low, int high, sizes *s, int *list)
{
    int count = sac_config_sizes(c, name, low, high, list, SAC_STAGES);
    if (!s->stages)
        s->stages = count;
    if (!count || count != s->stages)
        sac_config_refuse(c, name, "is of %d stages, and depths of %d", count, s->stages);
}

static void read_sizes(sac_config *c, sizes *s)
{
    const cJSON *first = cJSON_GetObjectItemCaseSensitive(c->json, "patch_prenorm");
    const char *widths = sac_config_has(c, "dim_embed") ? "dim_embed" : "embed_dim";
    read_list(c, "depths", 1, SAC_STAGE_LAYERS, s, s->depth);
    read_list(c, widths, 1, SAC_ARCHITECTURE_WIDTH, s, s->width);
    read_list(c, "num_heads", 1, SAC_ARCHITECTURE_WIDTH, s, s->heads);
    read_list(c, "num_groups", 1, SAC_ARCHITECTURE_WIDTH, s, s->groups);
    read_list(c, "patch_size", 1, 63, s, s->taps);
    read_list(c, "patch_stride", 1, 63, s, s->step);
    read_list(c, "patch_padding", 0, 63, s, s->border);
    s->window = sac_config_size(c, "window_size", 1, 64);
    s->ratio = sac_config_number_or(c, "mlp_ratio", 4);
    s->biased = sac_config_flag_or(c, "qkv_bias", true);
    if (!(s->ratio >= 0.01f && s->ratio <= 64))
        sac_config_refuse(c, "mlp_ratio", "is not between 0.01 and 64");
    for (int i = 0; i < s->stages && c->status == SAC_OK; i++) {
        s->norms_first[i] = cJSON_IsTrue(cJSON_GetArrayItem(first, i));
        if (s->taps[i] != 2 * s->border[i] + 1)
            sac_config_refuse(c, "patch_padding", "%d is not the half of a patch_size of %d",
                              s->border[i], s->taps[i]);
        if (s->width[i] % s->groups[i])
            sac_config_refuse(c, "num_groups", "%d do not divide a width of %d", s->groups[i],
                              s->width[i]);
    }
    if (c->status == SAC_OK && s->norms_first[0])
        sac_config_refuse(c, "patch_prenorm", "is true of the first stage, where there are pixels");
}

static cJSON *make_stage_config(const sac_config *c, const sizes *s, int i)
{
    const cJSON *activation = cJSON_GetObjectItemCaseSensitive(c->json, "activation_function");
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "vocab_size", 1);
    cJSON_AddNumberToObject(json, "hidden_size", s->width[i]);
    cJSON_AddNumberToObject(json, "num_hidden_layers", s->depth[i]);
    cJSON_AddNumberToObject(json, "num_attention_heads", s->heads[i]);
    cJSON_AddNumberToObject(json, "intermediate_size", (int)(s->ratio * (float)s->width[i]));
    cJSON_AddBoolToObject(json, "qkv_bias", s->biased);
    cJSON_AddItemToObject(json, "hidden_act",
                          activation ? cJSON_Duplicate(activation, true)
                                     : cJSON_CreateString("gelu"));
    return json;
}

static sac_near declare_near_convolution(sac_pretrained_model *part, const sizes *s,
                                         const char *block, int which)
{
    char name[96];
    sac_near near;
    snprintf(name, sizeof name, "%s.conv%d%s.weight", block, which, s->names->near);
    near.w = sac_parameter_add(&part->parameters, name, sac_init_constant(0), 4, part->width,
                               (size_t)1, (size_t)3, (size_t)3);
    snprintf(name, sizeof name, "%s.conv%d%s.bias", block, which, s->names->near);
    near.b = sac_parameter_vector(&part->parameters, name, part->width);
    return near;
}

/* Queries, keys or values out of the tensor that has all three. */
static sac_dense declare_channel_part(sac_pretrained_model *part, sac_config *c, const sizes *s,
                                      const char *block, int which)
{
    size_t C = part->width;
    sac_dense dense =
        sac_dense_declare(&part->parameters, block, s->names->channels, C, C, s->biased);
    sac_tensor_place place = {.first = (size_t)which * C, .all = 3 * C};
    const sac_parameter *const both[] = {dense.w, dense.b};
    for (int i = 0; i < 2; i++) {
        place.parameter = both[i];
        if (both[i] && !sac_tensor_places_add(&part->located, &place))
            c->status = sac_no_memory(c->error, part->name);
    }
    return dense;
}

static void declare_channels(sac_pretrained_model *part, sac_config *c, const sizes *s, int layer)
{
    sac_parameters *p = &part->parameters;
    sac_channels *k = &part->stage.channels[layer];
    size_t C = part->width, F = part->hidden;
    char block[64];
    for (int half = 0; half < 2; half++) {
        snprintf(block, sizeof block, "%sblocks.%d.%d.%s_block", s->prefix, part->stage.number - 1,
                 layer, half ? "channel" : "spatial");
        for (int i = 0; i < 2; i++)
            k->near[2 * half + i] = declare_near_convolution(part, s, block, i + 1);
    }
    k->norm[0] = sac_layer_norm_declare(p, block, s->names->channels_norm, C);
    k->norm[1] = sac_layer_norm_declare(p, block, s->names->network_norm, C);
    k->query = declare_channel_part(part, c, s, block, 0);
    k->key = declare_channel_part(part, c, s, block, 1);
    k->value = declare_channel_part(part, c, s, block, 2);
    k->out = sac_dense_declare(p, block, s->names->channels_out, C, C, true);
    k->up = sac_dense_declare(p, block, s->names->up, F, C, true);
    k->down = sac_dense_declare(p, block, s->names->down, C, F, true);
    k->groups = (size_t)s->groups[part->stage.number - 1];
}

static void declare_joining(sac_pretrained_model *part, const sizes *s)
{
    sac_joining *j = &part->stage.joining;
    sac_parameters *p = &part->parameters;
    int i = part->stage.number - 1;
    size_t in = i ? (size_t)s->width[i - 1] : 3, taps = (size_t)s->taps[i];
    char name[96];
    *j = (sac_joining){.taps = s->taps[i], .step = s->step[i], .border = s->border[i]};
    snprintf(name, sizeof name, "%sconvs.%d.%s.weight", s->prefix, i, s->names->joined);
    j->w = sac_parameter_add(p, name, sac_init_constant(0), 4, part->width, in, taps, taps);
    snprintf(name, sizeof name, "%sconvs.%d.%s.bias", s->prefix, i, s->names->joined);
    j->b = sac_parameter_vector(p, name, part->width);
    snprintf(name, sizeof name, "%sconvs.%d", s->prefix, i);
    *(s->norms_first[i] ? &j->cells : &j->joined) =
        sac_layer_norm_declare(p, name, "norm", s->norms_first[i] ? in : part->width);
}

static void declare_stage(sac_pretrained_model *m, sac_config *c, const sizes *s, int i)
{
    sac_pretrained_model *part = sac_architecture_add_stage(m, c);
    if (!part)
        return;
    char layer[64];
    snprintf(layer, sizeof layer, "%sblocks.%d.%%d.spatial_block", s->prefix, i);
    const sac_description d = {
        .width = "hidden_size",
        .layers = "num_hidden_layers",
        .heads = "num_attention_heads",
        .hidden = "intermediate_size",
        .activation = "hidden_act",
        .layer = layer,
        .attention = {{.fused = s->names->windows, .out = s->names->windows_out}},
        .norm =
            {[SAC_PART_SELF] = s->names->windows_norm, [SAC_PART_FORWARD] = s->names->network_norm},
        .up = s->names->up,
        .down = s->names->down,
        .norm_first = true,
        .last_state_unnormed = true,
        .bias = {
            {"qkv_bias", true}, {"qkv_bias", true}, {"qkv_bias", true}, SAC_BIASED, SAC_BIASED}};
    sac_config own = sac_config_of(make_stage_config(c, s, i), c->path, c->error);
    sac_describe(part, &own, &d);
    c->status = own.status;
    cJSON_Delete(own.json);
    if (c->status != SAC_OK)
        return;
    part->stage.window = (size_t)s->window;
    part->stage.channels = calloc((size_t)part->layers, sizeof *part->stage.channels);
    if (!part->stage.channels) {
        c->status = sac_no_memory(c->error, m->name);
        return;
    }
    for (int k = 0; k < part->layers; k++)
        declare_channels(part, c, s, k);
    declare_joining(part, s);
}

void sac_davit_declare(sac_pretrained_model *m, sac_config *c)
{
    static const char *const prefixes[] = {"model.vision_tower.", "vision_tower.", NULL};
    static const char mark[] = "convs.0.norm.weight";
    sac_vision_encoder *v = &m->vision_encoder;
    char name[96];
    sizes s = {0};
    sac_config_apply_keys(c, sac_keys_of_davit);
    read_sizes(c, &s);
    if (c->status != SAC_OK)
        return;
    s.prefix = sac_pretrained_prefix(m->files, prefixes, mark);
    snprintf(name, sizeof name, "%sconvs.0.%s.weight", s.prefix, of_microsoft.joined);
    s.names = sac_pretrained_has(m->files, name) ? &of_microsoft : &of_transformers;
    v->patch_w = v->patch_h = s.step[0];
    v->image_w = v->image_h = 768;
    v->processor = "CLIPImageProcessor";
    m->width = (size_t)s.width[s.stages - 1];
    m->last_state_unnormed = true;
    for (int i = 0; i < s.stages && c->status == SAC_OK; i++)
        declare_stage(m, c, &s, i);
}

const sac_config_key sac_keys_of_davit[] = {
    COMMON,
    U("in_channels", "3"),
    U("depths", "[1, 1, 9, 1]"),
    U("patch_size", "[7, 3, 3, 3]"),
    U("patch_stride", "[4, 2, 2, 2]"),
    U("patch_padding", "[3, 1, 1, 1]"),
    U("patch_prenorm", "[false, true, true, true]"),
    U("embed_dim", "[128, 256, 512, 1024]"),
    U("dim_embed", NULL),
    U("num_heads", "[4, 8, 16, 32]"),
    U("num_groups", "[4, 8, 16, 32]"),
    U("window_size", "12"),
    U("mlp_ratio", "4.0"),
    U("qkv_bias", "true"),
    U("activation_function", "\"gelu\""),
    U("projection_dim", "1024"),
    U("max_position_embeddings", "50"),
    U("image_pos_embed", NULL),
    H("max_temporal_embeddings"),
    H("visual_temporal_embedding"),
    U("image_feature_source", NULL),
    H("drop_path_rate"),
    H("enable_checkpoint"),
    END,
};
