/* DETR (Carion et al. 2020): a residual network, an encoder over the cells of its feature map, and a
 * decoder whose trained queries each look for one thing. Places are added to what queries and keys
 * of every layer are made of. Table Transformer (Smock et al. 2022), which finds tables and their parts, has
 * its norms before each part. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"
#include "base/error.h"

enum { QUERIES = 4096 };

#define ATTENTION(name)                                                                            \
    {                                                                                              \
        .query = name ".q_proj", .key = name ".k_proj", .value = name ".v_proj",                   \
        .out = name ".out_proj"                                                                    \
    }
#define OF_HALF(half)                                                                              \
    .width = "d_model", .layers = half "_layers", .heads = half "_attention_heads",                \
    .hidden = half "_ffn_dim", .activation = "activation_function", .layer = half ".layers.%d",    \
    .prefix = {"detr.model.", "model."}, .up = "fc1", .down = "fc2", .bias = SAC_ALL_BIASED,       \
    .custom_embedding = true

static const sac_description encoder = {
    OF_HALF("encoder"), .attention = {ATTENTION("self_attn")},
    .norm = {[SAC_PART_SELF] = "self_attn_layer_norm", [SAC_PART_FORWARD] = "final_layer_norm"}};
static const sac_description decoder = {
    OF_HALF("decoder"), .attention = {ATTENTION("self_attn"), ATTENTION("encoder_attn")},
    .norm = {"self_attn_layer_norm", "encoder_attn_layer_norm", "final_layer_norm"}};

/* With norms before each part, and one behind the encoder. */
static sac_description norm_first_description(const sac_description *half)
{
    sac_description d = *half;
    d.norm_first = d.last_state_unnormed = true;
    if (half == &encoder)
        d.last_norm = "encoder.layernorm";
    return d;
}

/* ---------------------------------------------------------------- names of tensors */

typedef char tensor_name[sizeof((sac_parameter *)0)->name];

/* A model that also draws masks has all of it after "detr.". */
static const char *tensor_name_prefix(const sac_pretrained_model *m)
{
    static const char *const prefixes[] = {"detr.", "", NULL};
    return sac_pretrained_prefix(m->files, prefixes, "class_labels_classifier.weight");
}

static const char *write_full_name(const sac_pretrained_model *m, const char *name,
                                   tensor_name full)
{
    snprintf(full, sizeof(tensor_name), "%s%s", tensor_name_prefix(m), name);
    return full;
}

/* The size of a tensor along `axis`; 1 where it has none, which its reader reports. */
static size_t axis_size(const sac_pretrained_model *m, const char *name, int axis)
{
    tensor_name full;
    const sac_array *found = sac_pretrained_find(m->files, write_full_name(m, name, full));
    return found && found->rank > axis && found->shape[axis] > 0 ? found->shape[axis] : 1;
}

/* ---------------------------------------------------------------- the network */

static const char *backbone_prefix(const sac_pretrained_model *m, bool is_timms)
{
    static const char *const prefixes[] = {"detr.model.backbone.conv_encoder.model.",
                                           "detr.model.backbone.model.", "model.backbone.model.",
                                           "model.backbone.conv_encoder.model.", NULL};
    return sac_pretrained_prefix(
        m->files, prefixes, is_timms ? "conv1.weight" : "embedder.embedder.convolution.weight");
}

/* timm's plain networks, whose stems and blocks are those of He et al. */
static void read_timms(sac_pretrained_model *m, sac_config *c, const char *name)
{
    static const char *const plain[] = {"resnet18", "resnet34", "resnet50", "resnet101",
                                        "resnet152"};
    sac_resnet_layout *layout = &m->vision_encoder.layout;
    size_t length = strcspn(name, "."), i = 0, count = sizeof plain / sizeof *plain;
    char has[128];
    while (i < count && (strlen(plain[i]) != length || strncmp(plain[i], name, length) != 0))
        i++;
    if (i == count)
        sac_config_refuse(c, "backbone", "\"%.40s\" is not supported; there are resnet18 to 152",
                          name);
    snprintf(has, sizeof has, "%slayer1.0.conv3.weight", backbone_prefix(m, true));
    *layout = (sac_resnet_layout){.is_timms = true,
                                  .stages = SAC_RESNET_STAGES,
                                  .is_basic = !sac_pretrained_has(m->files, has)};
}

static void read_backbone(sac_pretrained_model *m, sac_config *c)
{
    sac_config own = sac_config_inside(c, "backbone_config");
    const char *type = sac_config_text(&own, "model_type");
    const char *name = sac_config_text(&own, "backbone");
    if (sac_config_has(c, "backbone_config") && strcmp(type, "resnet") == 0) {
        sac_config_apply_keys(&own, sac_keys_of_resnet);
        sac_resnet_read_layout(&own, &m->vision_encoder.layout);
    } else if (sac_config_has(c, "backbone_config") && strcmp(type, "timm_backbone") != 0)
        sac_config_refuse(&own, "model_type", "\"%.40s\" is not resnet or timm_backbone", type);
    else if (!sac_config_has(c, "backbone_config") &&
             !sac_config_flag_or(c, "use_timm_backbone", true))
        sac_config_refuse(c, "backbone_config", "is missing, and the network is not timm's");
    else
        read_timms(m, c, name[0] ? name : sac_config_text(c, "backbone"));
    if (c->status == SAC_OK)
        c->status = sac_error_within(c->error, own.status, "backbone_config");
}

/* ---------------------------------------------------------------- what is found */

static void declare_finder_of(sac_pretrained_model *m, sac_config *c, const sac_description *half)
{
    sac_detector *d = &m->detector;
    tensor_name full;
    sac_describe(m, c, half);
    if (c->status != SAC_OK)
        return;
    m->last_norm = (sac_layer_norm){
        .gain = sac_parameter_vector(
            &m->parameters, write_full_name(m, "model.decoder.layernorm.weight", full), m->width),
        .epsilon = 1e-5f};
    m->last_norm.bias = sac_parameter_vector(
        &m->parameters, write_full_name(m, "model.decoder.layernorm.bias", full), m->width);
    d->norms_each = sac_config_flag_or(c, "auxiliary_loss", false);
    d->queries = (size_t)sac_config_size(c, "num_queries", 1, QUERIES);
    d->places = sac_parameter_matrix(
        &m->parameters, write_full_name(m, "model.query_position_embeddings.weight", full),
        d->queries, m->width);
    sac_detector_read_classes(m, c, write_full_name(m, "class_labels_classifier", full));
    d->classify = sac_detector_declare_head(m, full, 1, d->classes + 1);
    d->box = sac_detector_declare_head(m, write_full_name(m, "bbox_predictor", full), 3, 4);
}

static void declare_finder(sac_pretrained_model *m, sac_config *c)
{
    declare_finder_of(m, c, &decoder);
}

static void declare_finder_of_tables(sac_pretrained_model *m, sac_config *c)
{
    const sac_description half = norm_first_description(&decoder);
    declare_finder_of(m, c, &half);
}

static const sac_architecture finder = {.declare = declare_finder};
static const sac_architecture finder_of_tables = {.declare = declare_finder_of_tables};

/* ---------------------------------------------------------------- all of it */

static void declare_detector(sac_pretrained_model *m, sac_config *c, const sac_description *half,
                             const sac_architecture *finds)
{
    sac_vision_encoder *s = &m->vision_encoder;
    tensor_name full;
    sac_describe(m, c, half);
    if (c->status != SAC_OK)
        return;
    if (m->width % 4)
        sac_config_refuse(c, "d_model", "%zu numbers have no sines of two axes", m->width);
    m->places_cells = true;
    s->processor = "DetrImageProcessor";
    read_backbone(m, c);
    size_t seen = axis_size(m, "model.input_projection.weight", 1);
    if (seen > SAC_ARCHITECTURE_WIDTH)
        sac_config_refuse(c, "d_model", "its network gives %zu numbers of a cell", seen);
    s->patches =
        sac_parameter_add(&m->parameters, write_full_name(m, "model.input_projection.weight", full),
                          sac_init_constant(0), 4, m->width, seen, (size_t)1, (size_t)1);
    s->bias = sac_parameter_vector(
        &m->parameters, write_full_name(m, "model.input_projection.bias", full), m->width);
    if (c->status == SAC_OK)
        sac_architecture_add_part(m, &m->finder, finds, c);
}

static void declare(sac_pretrained_model *m, sac_config *c)
{
    declare_detector(m, c, &encoder, &finder);
}

static void declare_tables(sac_pretrained_model *m, sac_config *c)
{
    const sac_description half = norm_first_description(&encoder);
    declare_detector(m, c, &half, &finder_of_tables);
}

static sac_status create_backbone(sac_pretrained_model *m, sac_error *error)
{
    sac_vision_encoder *s = &m->vision_encoder;
    sac_device_lock(m->device);
    sac_status status = sac_resnet_create(m->files, backbone_prefix(m, s->layout.is_timms),
                                          &s->layout, &m->pass, &s->net, error);
    sac_device_unlock(m->device);
    size_t seen = s->patches->shape[1];
    if (status == SAC_OK && sac_resnet_width(s->net) != seen)
        return sac_fail(error, SAC_E_SHAPE, m->folder, NULL,
                        "model.input_projection.weight takes %zu channels, and the network gives "
                        "%zu",
                        seen, sac_resnet_width(s->net));
    return status;
}

static const sac_config_key keys[] = {
    COMMON,
    U("d_model", "256"),
    U("encoder_layers", "6"),
    U("encoder_attention_heads", "8"),
    U("encoder_ffn_dim", "2048"),
    U("decoder_layers", "6"),
    U("decoder_attention_heads", "8"),
    U("decoder_ffn_dim", "2048"),
    U("activation_function", "\"relu\""),
    U("num_queries", "100"),
    U("auxiliary_loss", "false"),
    D("backbone", "\"resnet50\""),
    U("backbone_config", NULL),
    U("use_timm_backbone", "true"),
    O("position_embedding_type", "\"sine\""),
    O("dilation", "[false, null]"),
    O("num_channels", "3"),
    H("backbone_kwargs"),
    H("use_pretrained_backbone"),
    H("num_hidden_layers"),
    H("hidden_size"),
    H("num_attention_heads"),
    H("max_position_embeddings"),
    H("scale_embedding"),
    H("dropout"),
    H("attention_dropout"),
    H("activation_dropout"),
    H("encoder_layerdrop"),
    H("decoder_layerdrop"),
    H("init_std"),
    H("init_xavier_std"),
    H("class_cost"),
    H("bbox_cost"),
    H("giou_cost"),
    H("mask_loss_coefficient"),
    H("dice_loss_coefficient"),
    H("bbox_loss_coefficient"),
    H("ce_loss_coefficient"),
    H("giou_loss_coefficient"),
    H("eos_coefficient"),
    END,
};

const sac_architecture sac_architecture_detr = {.types = {"detr"},
                                                .keys = keys,
                                                .architectures = {"Detr"},
                                                .mark = "query_position_embeddings.weight",
                                                .declare = declare,
                                                .take = create_backbone};
const sac_architecture sac_architecture_table_transformer = {.types = {"table-transformer"},
                                                             .keys = keys,
                                                             .architectures = {"TableTransformer"},
                                                             .declare = declare_tables,
                                                             .take = create_backbone};
