/* Vision transformers: ViT (Dosovitskiy et al. 2020) and DINO (Caron et al. 2021), which is one,
 * DeiT with its second token (Touvron et al. 2020), DINOv2 with layer scale (Oquab et al. 2023),
 * and the same with registers (Darcet et al. 2023). A norm before each part, one at the end, and
 * every token sees all others. */
#include <stdio.h>
#include <string.h>

#include "architectures/config_keys.h"
#include "architectures/vision/vision_transformer.h"

enum { PIXELS = 16384 };

typedef sac_vision_names names;

#define OF_VIT                                                                                     \
    .class_token = "embeddings.cls_token", .positions = "embeddings.position_embeddings",          \
    .patches = "embeddings.patch_embeddings.projection", .layer = "encoder.layer.%d",              \
    .query = "attention.attention.query", .key = "attention.attention.key",                        \
    .value = "attention.attention.value", .out = "attention.output.dense", .last = "layernorm"

const sac_vision_names sac_vision_of_vit = {OF_VIT,
                                            .prefix = {"vit.", ""},
                                            .norm = {"layernorm_before", "layernorm_after"},
                                            .up = "intermediate.dense",
                                            .down = "output.dense",
                                            .processor = "ViTImageProcessor",
                                            .side = 224,
                                            .epsilon = 1e-12f};

static const names of_dinov2 = {OF_VIT,
                                .prefix = {"dinov2.", ""},
                                .norm = {"norm1", "norm2"},
                                .processor = "BitImageProcessor",
                                .side = 224,
                                .epsilon = 1e-6f,
                                .scale = {"layer_scale1.lambda1", "layer_scale2.lambda1"},
                                .up = "mlp.fc1",
                                .gated_up = "mlp.weights_in",
                                .down = "mlp.fc2",
                                .gated_down = "mlp.weights_out"};

/* Values of config.json that the model does not keep. */
typedef struct sizes {
    bool has_bias, is_gated;
    float epsilon;
} sizes;

/* ---------------------------------------------------------------- config.json */

/* A number of pixels for both sides, or a list of the height and the width. */
static void read_sides(sac_config *c, const char *name, int otherwise, int *width, int *height)
{
    int sides[2] = {otherwise, otherwise};
    int count = sac_config_sizes(c, name, 1, PIXELS, sides, 2);
    *height = sides[0];
    *width = count == 1 ? sides[0] : sides[1];
}

static sizes read_sizes(sac_pretrained_model *m, sac_config *c, const names *n)
{
    bool is_dino = n->gated_up != NULL;
    m->width = (size_t)sac_config_size_or(c, "hidden_size", 1, SAC_ARCHITECTURE_WIDTH, 768);
    m->layers = sac_config_size_or(c, "num_hidden_layers", 1, SAC_ARCHITECTURE_LAYERS, 12);
    m->run.batch = 1;
    m->run.norm_first = true;
    m->run.heads = sac_architecture_heads(c, "num_attention_heads", m->width);
    if (sac_config_has(c, "hidden_act"))
        m->run.activation = sac_architecture_activation(c, "hidden_act");
    else
        m->run.activation = SAC_GELU;
    if (is_dino)
        m->hidden = m->width * (size_t)sac_config_size_or(c, "mlp_ratio", 1, 16, 4);
    else
        m->hidden = (size_t)sac_config_size_or(c, "intermediate_size", 1,
                                               8 * SAC_ARCHITECTURE_WIDTH, 4 * (int)m->width);
    /* Pixels after the last whole patch of a side are not read. */
    sac_vision_encoder *s = &m->vision_encoder;
    read_sides(c, "image_size", n->side, &s->image_w, &s->image_h);
    read_sides(c, "patch_size", 16, &s->patch_w, &s->patch_h);
    if (s->patch_w > s->image_w || s->patch_h > s->image_h)
        sac_config_refuse(c, "patch_size", "%d does not fit into an image_size of %d",
                          s->patch_w > s->image_w ? s->patch_w : s->patch_h,
                          s->patch_w > s->image_w ? s->image_w : s->image_h);
    if (sac_config_size_or(c, "num_channels", 1, 64, 3) != 3)
        sac_config_refuse(c, "num_channels", "is not 3, and pictures have three colours");
    s->trained = (sac_patch_grid){s->image_w / s->patch_w, s->image_h / s->patch_h};
    s->processor = n->processor;
    return (sizes){
        .has_bias = sac_config_flag_or(c, "qkv_bias", true),
        .is_gated = is_dino && sac_config_flag_or(c, "use_swiglu_ffn", false),
        .epsilon = sac_config_number_or(c, "layer_norm_eps", n->epsilon),
    };
}

/* ---------------------------------------------------------------- tensors */

static sac_multihead declare_attention(sac_parameters *p, const char *layer, const names *n,
                                       size_t D, bool bias)
{
    return (sac_multihead){.query = sac_dense_declare(p, layer, n->query, D, D, bias),
                           .key = sac_dense_declare(p, layer, n->key, D, D, bias),
                           .value = sac_dense_declare(p, layer, n->value, D, D, bias),
                           .out = sac_dense_declare(p, layer, n->out, D, D, true)};
}

/* SwiGLU has two thirds of the hidden width, rounded up to a multiple of 8. */
static void declare_feed_forward(sac_pretrained_model *m, const char *layer, const names *n,
                                 const sizes *s, sac_transformer_layer *l)
{
    sac_parameters *p = &m->parameters;
    size_t D = m->width, F = s->is_gated ? (m->hidden * 2 / 3 + 7) / 8 * 8 : m->hidden;
    const char *up = s->is_gated ? n->gated_up : n->up,
               *down = s->is_gated ? n->gated_down : n->down;
    l->in = sac_dense_declare(p, layer, up, s->is_gated ? 2 * F : F, D, true);
    l->out = sac_dense_declare(p, layer, down, D, F, true);
}

static void declare_layer(sac_pretrained_model *m, const names *n, const sizes *s, int i)
{
    static const int parts[] = {SAC_PART_SELF, SAC_PART_FORWARD};
    sac_transformer_layer *l = &m->layer[i];
    sac_parameters *p = &m->parameters;
    char layer[48], scale[96];
    snprintf(layer, sizeof layer, n->layer, i);
    l->attention[SAC_PART_SELF] = declare_attention(p, layer, n, m->width, s->has_bias);
    declare_feed_forward(m, layer, n, s, l);
    for (int k = 0; k < 2; k++) {
        l->norm[parts[k]] = sac_layer_norm_declare(p, layer, n->norm[k], m->width);
        l->norm[parts[k]].epsilon = s->epsilon;
        if (!n->scale[k])
            continue;
        snprintf(scale, sizeof scale, "%s.%s", layer, n->scale[k]);
        l->scale[parts[k]] = sac_parameter_vector(p, scale, m->width);
    }
}

/* [1,count,D]; NULL: of none. */
static const sac_parameter *declare_tokens(sac_pretrained_model *m, const char *name, int count)
{
    if (count == 0)
        return NULL;
    return sac_parameter_add(&m->parameters, name, sac_init_constant(0), 3, (size_t)1,
                             (size_t)count, m->width);
}

static void declare_embeddings(sac_pretrained_model *m, const names *n, bool has_second)
{
    char name[96];
    sac_vision_encoder *s = &m->vision_encoder;
    s->placed = 1 + has_second;
    s->prefix = s->placed + s->registers;
    s->tokens[0] = declare_tokens(m, n->class_token, 1);
    s->tokens[1] = declare_tokens(m, "embeddings.distillation_token", has_second);
    s->tokens[2] = declare_tokens(m, "embeddings.register_tokens", s->registers);
    m->positions =
        declare_tokens(m, n->positions, s->placed + s->trained.width * s->trained.height);
    snprintf(name, sizeof name, "%s.weight", n->patches);
    s->patches = sac_parameter_add(&m->parameters, name, sac_init_constant(0), 4, m->width,
                                   (size_t)3, (size_t)s->patch_h, (size_t)s->patch_w);
    snprintf(name, sizeof name, "%s.bias", n->patches);
    s->bias = sac_parameter_vector(&m->parameters, name, m->width);
}

void sac_vision_declare(sac_pretrained_model *m, sac_config *c, const names *n, bool has_second)
{
    sizes s = read_sizes(m, c, n);
    if (c->status != SAC_OK)
        return;
    m->prefix = sac_pretrained_prefix(m->files, n->prefix, n->class_token);
    declare_embeddings(m, n, has_second);
    for (int i = 0; i < m->layers; i++)
        declare_layer(m, n, &s, i);
    m->last_norm = sac_layer_norm_declare(&m->parameters, "", n->last, m->width);
    m->last_norm.epsilon = s.epsilon;
}

/* ---------------------------------------------------------------- the architectures */

static void declare_vit(sac_pretrained_model *m, sac_config *c)
{
    sac_vision_declare(m, c, &sac_vision_of_vit, false);
}

static void declare_deit(sac_pretrained_model *m, sac_config *c)
{
    names n = sac_vision_of_vit;
    n.prefix[0] = "deit.";
    n.processor = "DeiTImageProcessor";
    sac_vision_declare(m, c, &n, true);
}

static void declare_dinov2(sac_pretrained_model *m, sac_config *c)
{
    sac_vision_declare(m, c, &of_dinov2, false);
}

static void declare_with_registers(sac_pretrained_model *m, sac_config *c)
{
    names n = of_dinov2;
    n.prefix[0] = "dinov2_with_registers.";
    m->vision_encoder.registers =
        sac_config_size_or(c, "num_register_tokens", 0, SAC_ARCHITECTURE_PREFIX - 2, 4);
    m->vision_encoder.is_smooth = true;
    sac_vision_declare(m, c, &n, false);
}

#define KEYS_OF_VIT                                                                                \
    SEEN, U("image_size", "224"), U("num_channels", "3"), U("qkv_bias", "true"),                   \
        H("hidden_dropout_prob"), H("attention_probs_dropout_prob")
#define KEYS_OF_DINOV2                                                                             \
    KEYS_OF_VIT, U("mlp_ratio", "4"), U("layer_norm_eps", "1e-6"), U("use_swiglu_ffn", "false"),   \
        H("layerscale_value"), H("drop_path_rate"), H("apply_layernorm"),                          \
        H("reshape_hidden_states"), H("stage_names"), H("out_features"), H("out_indices")

const sac_config_key sac_keys_of_vit[] = {KEYS_OF_VIT,
                                          U("intermediate_size", "3072"),
                                          U("layer_norm_eps", "1e-12"),
                                          H("encoder_stride"),
                                          H("pooler_output_size"),
                                          H("pooler_act"),
                                          END};
static const sac_config_key sac_keys_of_dinov2[] = {U("patch_size", "14"), KEYS_OF_DINOV2,
                                                    H("use_mask_token"), END};
static const sac_config_key sac_keys_of_dinov2_with_registers[] = {
    KEYS_OF_DINOV2, U("num_register_tokens", "4"), END};

const sac_architecture sac_architecture_vit = {.types = {"vit"},
                                               .keys = sac_keys_of_vit,
                                               .architectures = {"ViT"},
                                               .mark = "layernorm_before.weight",
                                               .declare = declare_vit};
const sac_architecture sac_architecture_deit = {.types = {"deit"},
                                                .keys = sac_keys_of_vit,
                                                .architectures = {"DeiT"},
                                                .mark = "embeddings.distillation_token",
                                                .declare = declare_deit};
const sac_architecture sac_architecture_dinov2 = {.types = {"dinov2"},
                                                  .keys = sac_keys_of_dinov2,
                                                  .architectures = {"Dinov2"},
                                                  .mark = "layer_scale1.lambda1",
                                                  .declare = declare_dinov2};
const sac_architecture sac_architecture_dinov2_with_registers = {
    .types = {"dinov2_with_registers"},
    .keys = sac_keys_of_dinov2_with_registers,
    .architectures = {"Dinov2WithRegisters"},
    .mark = "embeddings.register_tokens",
    .declare = declare_with_registers};
