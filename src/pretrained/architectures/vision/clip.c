/* CLIP (Radford et al. 2021) and SigLIP (Zhai et al. 2023), SigLIP 2 of one size among them, and of any: a
 * vision transformer, and a transformer that reads. CLIP's vision transformer has a norm before its
 * layers, and none that its patches go through behind them; SigLIP's has no class token. OWL-ViT is CLIP that finds
 * what phrases name. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"
#include "base/error.h"

#define DESCRIBE_BOTH                                                                              \
    .width = "hidden_size", .layers = "num_hidden_layers", .heads = "num_attention_heads",         \
    .hidden = "intermediate_size", .activation = "hidden_act", .epsilon = "layer_norm_eps",        \
    .layer = "encoder.layers.%d",                                                                  \
    .attention = {{.query = "self_attn.q_proj",                                                    \
                   .key = "self_attn.k_proj",                                                      \
                   .value = "self_attn.v_proj",                                                    \
                   .out = "self_attn.out_proj"}},                                                  \
    .up = "mlp.fc1", .down = "mlp.fc2",                                                            \
    .norm = {[SAC_PART_SELF] = "layer_norm1", [SAC_PART_FORWARD] = "layer_norm2"},                 \
    .norm_first = true, .bias = SAC_ALL_BIASED
#define DESCRIBE_SEEN                                                                              \
    DESCRIBE_BOTH, .prefix = {"vision_model.", ""}, .patches = "embeddings.patch_embedding",       \
                   .positions = "embeddings.position_embedding.weight", .is_flat = true
#define DESCRIBE_READ                                                                              \
    DESCRIBE_BOTH, .prefix = {"text_model.", ""}, .max_positions = "max_position_embeddings",      \
                   .words = "embeddings.token_embedding.weight",                                   \
                   .positions = "embeddings.position_embedding.weight",                            \
                   .last_norm = "final_layer_norm", .last_state_unnormed = true

const sac_description sac_clip_vision = {DESCRIBE_SEEN, .class_token = "embeddings.class_embedding",
                                         .patches_unbiased = true, .first_norm = "pre_layrnorm",
                                         .processor = "CLIPImageProcessor"};
/* The same under the names of OpenAI's and open_clip's own files (pretrained/files/original.h). */
static const sac_description seen_by_original_clip = {
    .width = "hidden_size",
    .layers = "num_hidden_layers",
    .heads = "num_attention_heads",
    .hidden = "intermediate_size",
    .activation = "hidden_act",
    .epsilon = "layer_norm_eps",
    .prefix = {"visual.", ""},
    .patches = "conv1",
    .patches_unbiased = true,
    .positions = "positional_embedding",
    .is_flat = true,
    .class_token = "class_embedding",
    .first_norm = "ln_pre",
    .layer = "transformer.resblocks.%d",
    .attention = {{.fused = "attn.in_proj", .out = "attn.out_proj"}},
    .up = "mlp.c_fc",
    .down = "mlp.c_proj",
    .norm = {[SAC_PART_SELF] = "ln_1", [SAC_PART_FORWARD] = "ln_2"},
    .norm_first = true,
    .bias = SAC_ALL_BIASED,
    .processor = "CLIPImageProcessor"};
static const sac_description read_by_clip = {DESCRIBE_READ, .causal = {NULL, true}};
const sac_description sac_siglip_vision = {DESCRIBE_SEEN, .last_norm = "post_layernorm",
                                           .processor = "SiglipImageProcessor"};
/* SigLIP 2 "NaFlex" (Tschannen et al. 2025): pictures of any aspect, of so many patches. */
static const sac_description seen_by_siglip2 = {DESCRIBE_SEEN,
                                                .last_norm = "post_layernorm",
                                                .patches_by_pixel = true,
                                                .patch_count = "num_patches",
                                                .spread = SAC_SPREAD_LINEAR_SMOOTH,
                                                .processor = "Siglip2ImageProcessor"};
/* It was trained on texts that are filled up, and looks at the padding, too. */
static const sac_description read_by_siglip = {DESCRIBE_READ, .filler = "pad_token_id"};

/* OWL-ViT (Minderer et al. 2022) and OWLv2 (2023): CLIP, of whose picture each patch gives a box. */
#define OWL_PREFIX(half)                                                                           \
    {                                                                                              \
        "owlvit." half, "owlv2." half, half, ""                                                    \
    }
static const sac_description seen_by_owl = {DESCRIBE_BOTH,
                                            .prefix = OWL_PREFIX("vision_model."),
                                            .patches = "embeddings.patch_embedding",
                                            .positions = "embeddings.position_embedding.weight",
                                            .is_flat = true,
                                            .class_token = "embeddings.class_embedding",
                                            .patches_unbiased = true,
                                            .first_norm = "pre_layernorm",
                                            .processor = "OwlViTImageProcessor"};
static const sac_description read_by_owl = {DESCRIBE_BOTH,
                                            .prefix = OWL_PREFIX("text_model."),
                                            .max_positions = "max_position_embeddings",
                                            .words = "embeddings.token_embedding.weight",
                                            .positions = "embeddings.position_embedding.weight",
                                            .last_norm = "final_layer_norm",
                                            .last_state_unnormed = true,
                                            .causal = {NULL, true}};

#define OF_BOTH                                                                                    \
    COMMON, U("num_hidden_layers", "12"), H("attention_dropout"), H("initializer_factor"),         \
        H("dropout")
#define OF_SEEN                                                                                    \
    OF_BOTH, U("hidden_size", "768"), U("intermediate_size", "3072"),                              \
        U("num_attention_heads", "12"), U("image_size", "224"), U("num_channels", "3")
#define OF_READ OF_BOTH, H("bos_token_id"), N("pad_token_id", "1")

const sac_config_key sac_keys_of_clip_vision[] = {
    OF_SEEN,
    U("patch_size", "32"),
    U("hidden_act", "\"quick_gelu\""),
    U("layer_norm_eps", "1e-5"),
    H("projection_dim"),
    END,
};
const sac_config_key sac_keys_of_clip_text[] = {
    OF_READ,
    U("eos_token_id", "49407"),
    U("hidden_size", "512"),
    U("intermediate_size", "2048"),
    U("num_attention_heads", "8"),
    U("vocab_size", "49408"),
    U("max_position_embeddings", "77"),
    U("hidden_act", "\"quick_gelu\""),
    U("layer_norm_eps", "1e-5"),
    H("projection_dim"),
    END,
};
const sac_config_key sac_keys_of_siglip_vision[] = {
    OF_SEEN,
    U("patch_size", "16"),
    U("hidden_act", "\"gelu_pytorch_tanh\""),
    U("layer_norm_eps", "1e-6"),
    H("vision_use_head"),
    END,
};
#define SEEN_BY_OWL(patch)                                                                         \
    U("image_size", "768"), OF_SEEN, U("patch_size", patch), U("hidden_act", "\"quick_gelu\""),    \
        U("layer_norm_eps", "1e-5"), H("projection_dim"), END
const sac_config_key sac_keys_of_owlvit_vision[] = {SEEN_BY_OWL("32")};
const sac_config_key sac_keys_of_owlv2_vision[] = {SEEN_BY_OWL("16")};
const sac_config_key sac_keys_of_owl_text[] = {
    N("pad_token_id", "0"),
    OF_READ,
    H("eos_token_id"),
    U("hidden_size", "512"),
    U("intermediate_size", "2048"),
    U("num_attention_heads", "8"),
    U("vocab_size", "49408"),
    U("max_position_embeddings", "16"),
    U("hidden_act", "\"quick_gelu\""),
    U("layer_norm_eps", "1e-5"),
    H("projection_dim"),
    END,
};
static const sac_config_key keys_of_siglip2_vision[] = {
    OF_BOTH,
    U("hidden_size", "768"),
    U("intermediate_size", "3072"),
    U("num_attention_heads", "12"),
    U("num_channels", "3"),
    U("patch_size", "16"),
    U("num_patches", "256"),
    U("hidden_act", "\"gelu_pytorch_tanh\""),
    U("layer_norm_eps", "1e-6"),
    H("vision_use_head"),
    END,
};
const sac_config_key sac_keys_of_siglip_text[] = {
    OF_READ,
    N("eos_token_id", "49407"),
    U("hidden_size", "768"),
    U("intermediate_size", "3072"),
    U("num_attention_heads", "12"),
    U("vocab_size", "32000"),
    U("max_position_embeddings", "64"),
    U("hidden_act", "\"gelu_pytorch_tanh\""),
    U("layer_norm_eps", "1e-6"),
    H("projection_size"),
    END,
};
static const sac_config_key keys_of_both[] = {
    COMMON,
    D("text_config", "{}"),
    D("vision_config", "{}"),
    U("text_config_dict", NULL),
    U("vision_config_dict", NULL),
    H("projection_dim"),
    H("logit_scale_init_value"),
    H("initializer_factor"),
    END,
};

/* ---------------------------------------------------------------- both in one folder */

static const sac_architecture reader_of_clip = {.keys = sac_keys_of_clip_text,
                                                .describes = &read_by_clip};
static const sac_architecture reader_of_owl = {.keys = sac_keys_of_owl_text,
                                               .describes = &read_by_owl};
static const sac_architecture reader_of_siglip = {.keys = sac_keys_of_siglip_text,
                                                  .describes = &read_by_siglip};

/* Files of 2022 have what a half differs in beside it, which counts. */
static void merge(sac_config *half, const cJSON *more)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, more)
    {
        cJSON *own = one->string && cJSON_IsObject(half->json) ? cJSON_Duplicate(one, true) : NULL;
        if (!own)
            continue;
        cJSON_DeleteItemFromObjectCaseSensitive(half->json, one->string);
        if (!cJSON_AddItemToObject(half->json, one->string, own))
            cJSON_Delete(own);
    }
}

/* ---- what is compared */

/* Rows of a matrix of the file; 0: it has none of that name. */
static size_t matrix_row_count(const sac_pretrained_model *m, const char *name)
{
    const sac_array *tensor = sac_pretrained_find(m->files, name);
    return tensor && tensor->rank == 2 ? tensor->shape[0] : 0;
}

static void declare_clip_shared_space(sac_pretrained_model *m, sac_config *text)
{
    sac_shared_space *s = &m->shared;
    s->width = matrix_row_count(m, "text_projection.weight");
    if (!s->width || !matrix_row_count(m, "visual_projection.weight") || !m->reader)
        return;
    s->norm = sac_layer_norm_declare(&m->parameters, "vision_model", "post_layernorm", m->width);
    s->norm.epsilon = m->layer[0].norm[SAC_PART_SELF].epsilon;
    s->seen = sac_dense_declare(&m->parameters, "", "visual_projection", s->width, m->width, false);
    s->read =
        sac_dense_declare(&m->parameters, "", "text_projection", s->width, m->reader->width, false);
    s->end = sac_config_size(text, "eos_token_id", 0, 1 << 30);
}

/* Query, key and value lie in one tensor, as torch.nn.MultiheadAttention has them. */
static sac_dense declare_pooling_part(sac_pretrained_model *m, sac_config *c, size_t part)
{
    sac_dense dense = {
        .w = sac_parameter_weight(&m->parameters, "vision_model.head.attention.in_proj_weight",
                                  m->width, m->width),
        .b = sac_parameter_vector(&m->parameters, "vision_model.head.attention.in_proj_bias",
                                  m->width)};
    const sac_parameter *both[] = {dense.w, dense.b};
    for (int i = 0; i < 2; i++) {
        const sac_tensor_place place = {
            .parameter = both[i], .first = part * m->width, .all = 3 * m->width};
        if (both[i] && !sac_tensor_places_add(&m->located, &place))
            c->status = sac_no_memory(c->error, m->name);
    }
    return dense;
}

static void declare_siglip_shared_space(sac_pretrained_model *m, sac_config *text)
{
    sac_shared_space *s = &m->shared;
    size_t width = matrix_row_count(m, "text_model.head.weight");
    if (width != m->width || !sac_pretrained_find(m->files, "vision_model.head.probe") ||
        !m->reader)
        return;
    s->width = width;
    s->end = -1;
    s->each = true;
    s->probe = sac_parameter_add(&m->parameters, "vision_model.head.probe", sac_init_constant(0), 3,
                                 (size_t)1, (size_t)1, width);
    s->pooling =
        (sac_multihead){.query = declare_pooling_part(m, text, 0),
                        .key = declare_pooling_part(m, text, 1),
                        .value = declare_pooling_part(m, text, 2),
                        .out = sac_dense_declare(&m->parameters, "vision_model.head.attention",
                                                 "out_proj", width, width, true)};
    s->norm = sac_layer_norm_declare(&m->parameters, "vision_model.head", "layernorm", width);
    s->norm.epsilon = m->layer[0].norm[SAC_PART_SELF].epsilon;
    s->up =
        sac_dense_declare(&m->parameters, "vision_model.head.mlp", "fc1", m->hidden, width, true);
    s->down =
        sac_dense_declare(&m->parameters, "vision_model.head.mlp", "fc2", width, m->hidden, true);
    s->read =
        sac_dense_declare(&m->parameters, "text_model", "head", width, m->reader->width, true);
}

/* What makes boxes of patches, and compares them with phrases. */
static sac_perceptron declare_owl_head(sac_pretrained_model *m, const char *name, size_t out)
{
    sac_perceptron head = {.count = 3, .between = SAC_GELU};
    for (int i = 0; i < 3; i++) {
        const char layer[] = {'d', 'e', 'n', 's', 'e', (char)('0' + i), '\0'};
        head.layer[i] =
            sac_dense_declare(&m->parameters, name, layer, i < 2 ? m->width : out, m->width, true);
    }
    return head;
}

static void declare_owl_boxes(sac_pretrained_model *m, sac_config *text)
{
    static const char *const prefixes[] = {"owlvit.", "owlv2.", "", NULL};
    sac_shared_space *s = &m->shared;
    sac_detector *d = &m->detector;
    char read[64], seen[64];
    const char *prefix = sac_pretrained_prefix(m->files, prefixes, "text_projection.weight");
    snprintf(read, sizeof read, "%stext_projection.weight", prefix);
    size_t width = matrix_row_count(m, read);
    (void)text;
    for (int i = 0; i < 2; i++) { /* a whole picture's, which boxes need not */
        static const char *const unread[] = {"logit_scale", "visual_projection.weight"};
        snprintf(seen, sizeof seen, "%s%s", prefix, unread[i]);
        sac_pretrained_find(m->files, seen);
    }
    if (!width || matrix_row_count(m, "class_head.dense0.weight") != width || !m->reader)
        return;
    s->width = width;
    s->end = 2; /* a text's token with the largest number, which ends it */
    read[strlen(read) - strlen(".weight")] = '\0';
    s->read = sac_dense_declare(&m->parameters, "", read, width, m->reader->width, false);
    snprintf(seen, sizeof seen, "%svision_model", prefix);
    s->norm = sac_layer_norm_declare(&m->parameters, seen, "post_layernorm", m->width);
    d->merged = sac_layer_norm_declare(&m->parameters, "", "layer_norm", m->width);
    s->norm.epsilon = d->merged.epsilon = m->layer[0].norm[SAC_PART_SELF].epsilon;
    s->seen = sac_dense_declare(&m->parameters, "class_head", "dense0", width, m->width, true);
    d->shift = sac_dense_declare(&m->parameters, "class_head", "logit_shift", 1, m->width, true);
    d->scale = sac_dense_declare(&m->parameters, "class_head", "logit_scale", 1, m->width, true);
    d->box = declare_owl_head(m, "box_head", 4);
    if (sac_pretrained_has(m->files, "objectness_head.dense2.weight"))
        d->thing = declare_owl_head(m, "objectness_head", 1);
}

static sac_status read_one_number(const sac_pretrained_model *m, const char *name, float *number,
                                  sac_error *error)
{
    const sac_array *tensor = sac_pretrained_find(m->files, name);
    if (!tensor || sac_array_count(tensor) != 1)
        return sac_fail(error, SAC_E_FORMAT, m->folder, "take a copy that is whole",
                        "the tensor \"%s\" is missing, or is not one number", name);
    return sac_array_to_f32(tensor, number, error);
}

static sac_status read_logit_scale(sac_pretrained_model *m, sac_error *error)
{
    sac_shared_space *s = &m->shared;
    if (!s->width)
        return SAC_OK;
    sac_status status = read_one_number(m, "logit_scale", &s->scale, error);
    return status == SAC_OK && s->each ? read_one_number(m, "logit_bias", &s->bias, error) : status;
}

static void declare_both(sac_pretrained_model *m, sac_config *c, const sac_config_key *keys,
                         const sac_description *seen, const sac_architecture *reader,
                         void (*share)(sac_pretrained_model *, sac_config *))
{
    sac_config vision = sac_config_inside(c, "vision_config");
    sac_config text = sac_config_inside(c, "text_config");
    merge(&vision, cJSON_GetObjectItemCaseSensitive(c->json, "vision_config_dict"));
    merge(&text, cJSON_GetObjectItemCaseSensitive(c->json, "text_config_dict"));
    sac_config_apply_keys(&vision, keys);
    sac_describe(m, &vision, seen);
    text.status = vision.status;
    sac_config_apply_keys(&text, reader->keys);
    sac_architecture_add_part(m, &m->reader, reader, &text);
    if (text.status == SAC_OK)
        share(m, &text);
    c->status = text.status;
}

static void declare_clip(sac_pretrained_model *m, sac_config *c)
{
    declare_both(m, c, sac_keys_of_clip_vision, &sac_clip_vision, &reader_of_clip,
                 declare_clip_shared_space);
}

static void declare_siglip(sac_pretrained_model *m, sac_config *c)
{
    declare_both(m, c, sac_keys_of_siglip_vision, &sac_siglip_vision, &reader_of_siglip,
                 declare_siglip_shared_space);
}

static void declare_siglip2(sac_pretrained_model *m, sac_config *c)
{
    declare_both(m, c, keys_of_siglip2_vision, &seen_by_siglip2, &reader_of_siglip,
                 declare_siglip_shared_space);
}

static void declare_owlvit(sac_pretrained_model *m, sac_config *c)
{
    declare_both(m, c, sac_keys_of_owlvit_vision, &seen_by_owl, &reader_of_owl, declare_owl_boxes);
}

static void declare_owlv2(sac_pretrained_model *m, sac_config *c)
{
    declare_both(m, c, sac_keys_of_owlv2_vision, &seen_by_owl, &reader_of_owl, declare_owl_boxes);
    m->vision_encoder.processor = "Owlv2ImageProcessor";
}

/* The middle of a picture, as all of CLIP were trained, where no file has the rules. */
static void declare_clip_vision(sac_pretrained_model *m, sac_config *c)
{
    const bool is_original = sac_pretrained_find(m->files, "visual.conv1.weight");
    sac_vision_encoder *s = &m->vision_encoder;
    sac_describe(m, c, is_original ? &seen_by_original_clip : &sac_clip_vision);
    if (!is_original || c->status != SAC_OK)
        return;
    s->rules = (sac_picture_rules){.resizes = true,
                                   .crops = true,
                                   .shortest = s->image_w,
                                   .crop_width = s->image_w,
                                   .crop_height = s->image_h,
                                   .resampling = SAC_RESAMPLE_BICUBIC,
                                   .factor = 1.0f / 255,
                                   .mean = {0.48145466f, 0.4578275f, 0.40821073f},
                                   .deviation = {0.26862954f, 0.26130258f, 0.27577711f}};
    s->has_rules = true;
}

const sac_architecture sac_architecture_clip = {.types = {"clip"},
                                                .keys = keys_of_both,
                                                .architectures = {"CLIPModel"},
                                                .declare = declare_clip,
                                                .take = read_logit_scale};
const sac_architecture sac_architecture_clip_vision = {.types = {"clip_vision_model"},
                                                       .keys = sac_keys_of_clip_vision,
                                                       .architectures = {"CLIPVisionModel"},
                                                       .mark = "pre_layrnorm.weight",
                                                       .describes = &sac_clip_vision,
                                                       .declare = declare_clip_vision};
const sac_architecture sac_architecture_clip_text = {.types = {"clip_text_model"},
                                                     .keys = sac_keys_of_clip_text,
                                                     .architectures = {"CLIPTextModel"},
                                                     .describes = &read_by_clip};
const sac_architecture sac_architecture_siglip = {.types = {"siglip"},
                                                  .keys = keys_of_both,
                                                  .architectures = {"SiglipModel"},
                                                  .declare = declare_siglip,
                                                  .take = read_logit_scale};
const sac_architecture sac_architecture_siglip_vision = {.types = {"siglip_vision_model"},
                                                         .keys = sac_keys_of_siglip_vision,
                                                         .architectures = {"SiglipVisionModel"},
                                                         .describes = &sac_siglip_vision};
const sac_architecture sac_architecture_siglip_text = {.types = {"siglip_text_model"},
                                                       .keys = sac_keys_of_siglip_text,
                                                       .architectures = {"SiglipTextModel"},
                                                       .describes = &read_by_siglip};
const sac_architecture sac_architecture_siglip2 = {.types = {"siglip2"},
                                                   .keys = keys_of_both,
                                                   .architectures = {"Siglip2Model"},
                                                   .declare = declare_siglip2,
                                                   .take = read_logit_scale};
const sac_architecture sac_architecture_siglip2_vision = {.types = {"siglip2_vision_model"},
                                                          .keys = keys_of_siglip2_vision,
                                                          .architectures = {"Siglip2VisionModel"},
                                                          .describes = &seen_by_siglip2};
const sac_architecture sac_architecture_siglip2_text = {.types = {"siglip2_text_model"},
                                                        .keys = sac_keys_of_siglip_text,
                                                        .architectures = {"Siglip2TextModel"},
                                                        .describes = &read_by_siglip};
const sac_architecture sac_architecture_owlvit = {.types = {"owlvit"},
                                                  .keys = keys_of_both,
                                                  .architectures = {"OwlViT"},
                                                  .declare = declare_owlvit};
const sac_architecture sac_architecture_owlv2 = {
    .types = {"owlv2"}, .keys = keys_of_both, .architectures = {"Owlv2"}, .declare = declare_owlv2};
