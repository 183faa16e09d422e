/* RT-DETR (Zhao et al. 2024) and its second version (Lv et al. 2024): a residual network whose last map goes through a transformer's layer, is
 * joined with finer ones (pyramid.c), and has queries that look at points of all of them (inference/deformable.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"
#include "base/error.h"

enum { QUERIES = 4096, POINTS = 64 };

#define OF_HALF(width_key, half)                                                                   \
    .width = width_key, .layers = half "_layers", .heads = half "_attention_heads",                \
    .hidden = half "_ffn_dim", .activation = half "_activation_function", .prefix = {"model."},    \
    .attention = {{.query = "self_attn.q_proj",                                                    \
                   .key = "self_attn.k_proj",                                                      \
                   .value = "self_attn.v_proj",                                                    \
                   .out = "self_attn.out_proj"}},                                                  \
    .up = "fc1", .down = "fc2",                                                                    \
    .norm = {[SAC_PART_SELF] = "self_attn_layer_norm", [SAC_PART_FORWARD] = "final_layer_norm"},   \
    .epsilon = "layer_norm_eps", .bias = SAC_ALL_BIASED, .custom_embedding = true
static const sac_description encoder = {OF_HALF("encoder_hidden_dim", "encoder"),
                                        .layer = "encoder.encoder.0.layers.%d"};
static const sac_description decoder = {OF_HALF("d_model", "decoder"),
                                        .layer = "decoder.layers.%d"};

/* ---------------------------------------------------------------- what is found */

static sac_perceptron declare_places(sac_pretrained_model *m)
{
    static const char name[] = "model.decoder.query_pos_head";
    sac_perceptron head = {.count = 2, .between = SAC_RELU};
    head.layer[0] = sac_dense_declare(&m->parameters, name, "layers.0", 2 * m->width, 4, true);
    head.layer[1] =
        sac_dense_declare(&m->parameters, name, "layers.1", m->width, 2 * m->width, true);
    return head;
}

static sac_layer_norm declare_norm(sac_pretrained_model *m, const char *place, const char *name)
{
    sac_layer_norm norm = sac_layer_norm_declare(&m->parameters, place, name, m->width);
    norm.epsilon = m->layer[0].norm[SAC_PART_SELF].epsilon;
    return norm;
}

static void declare_cross(sac_pretrained_model *m, int i, size_t points)
{
    sac_deformable_layer *l = &m->deformable->layer[i];
    const size_t numbers = (size_t)m->run.heads * SAC_PYRAMID_LEVELS * points, D = m->width;
    char place[64], name[96];
    snprintf(place, sizeof place, "model.decoder.layers.%d", i);
    l->norm = declare_norm(m, place, "encoder_attn_layer_norm");
    snprintf(place, sizeof place, "model.decoder.layers.%d.encoder_attn", i);
    l->offsets = sac_dense_declare(&m->parameters, place, "sampling_offsets", 2 * numbers, D, true);
    l->shares = sac_dense_declare(&m->parameters, place, "attention_weights", numbers, D, true);
    snprintf(name, sizeof name, "%s.n_points_scale", place); /* what the number of points gives */
    sac_pretrained_find(m->files, name);
    l->value = sac_dense_declare(&m->parameters, place, "value_proj", D, D, true);
    l->out = sac_dense_declare(&m->parameters, place, "output_proj", D, D, true);
    snprintf(place, sizeof place, "model.decoder.bbox_embed.%d", i);
    l->box = sac_detector_declare_head(m, place, 3, 4);
    snprintf(place, sizeof place, "model.decoder.class_embed.%d", i);
    if (i == m->layers - 1)
        l->classify = sac_dense_declare(&m->parameters, "", place, m->detector.classes, D, true);
    for (int k = 0; k < 2; k++) { /* those of the layers before are of training alone */
        snprintf(name, sizeof name, "%s.%s", place, k ? "bias" : "weight");
        sac_pretrained_find(m->files, name);
    }
}

static void declare_finder(sac_pretrained_model *m, sac_config *c)
{
    sac_detector *d = &m->detector;
    sac_describe(m, c, &decoder);
    sac_deformable *f = m->deformable = calloc(1, sizeof *f);
    if (c->status == SAC_OK && !f)
        c->status = sac_no_memory(c->error, m->name);
    if (c->status == SAC_OK && m->layers > SAC_DEFORMABLE_LAYERS)
        sac_config_refuse(c, "decoder_layers", "is more than %d", SAC_DEFORMABLE_LAYERS);
    d->queries = (size_t)sac_config_size(c, "num_queries", 1, QUERIES);
    const int points = sac_config_size(c, "decoder_n_points", 1, POINTS);
    sac_pretrained_find(m->files, "model.denoising_class_embed.weight"); /* of training, too */
    const sac_array *scores = sac_pretrained_find(m->files, "model.enc_score_head.weight");
    d->classes = scores && scores->rank == 2 ? scores->shape[0] : 1;
    if (c->status == SAC_OK)
        d->names = sac_architecture_read_class_names(m, c, d->classes);
    if (c->status != SAC_OK)
        return;
    const size_t D = m->width;
    f->points = (size_t)points;
    f->reach = sac_config_number_or(c, "decoder_offset_scale", 0.5f);
    f->entry = sac_dense_declare(&m->parameters, "model.enc_output", "0", D, D, true);
    f->entry_norm = declare_norm(m, "model.enc_output", "1");
    f->score = sac_dense_declare(&m->parameters, "model", "enc_score_head", d->classes, D, true);
    f->box = sac_detector_declare_head(m, "model.enc_bbox_head", 3, 4);
    f->place = declare_places(m);
    for (int i = 0; i < m->layers; i++)
        declare_cross(m, i, f->points);
}

static const sac_architecture finder = {.declare = declare_finder};

/* ---------------------------------------------------------------- what sees */

static void read_backbone(sac_pretrained_model *m, sac_config *c)
{
    sac_config own = sac_config_inside(c, "backbone_config");
    sac_resnet_layout *layout = &m->vision_encoder.layout;
    const char *type = sac_config_text(&own, "model_type");
    if (type[0] && strcmp(type, "rt_detr_resnet") != 0)
        sac_config_refuse(&own, "model_type", "\"%.40s\" is not rt_detr_resnet", type);
    sac_config_apply_keys(&own, sac_keys_of_resnet);
    sac_resnet_read_layout(&own, layout);
    layout->is_deep = true;
    if (layout->stages != SAC_RESNET_STAGES)
        sac_config_refuse(&own, "depths", "is not of %d stages", SAC_RESNET_STAGES);
    if (c->status == SAC_OK)
        c->status = sac_error_within(c->error, own.status, "backbone_config");
}

static void declare(sac_pretrained_model *m, sac_config *c)
{
    sac_vision_encoder *s = &m->vision_encoder;
    sac_describe(m, c, &encoder);
    if (c->status == SAC_OK && m->width % 4)
        sac_config_refuse(c, "encoder_hidden_dim", "%zu numbers have no sines of two axes",
                          m->width);
    if (c->status == SAC_OK && (size_t)sac_config_size(c, "d_model", 1, 1 << 20) != m->width)
        sac_config_refuse(c, "d_model", "is another than encoder_hidden_dim");
    m->places_cells = m->places_by_number = true;
    m->joins = sac_architecture_activation(c, "activation_function");
    s->processor = "RTDetrImageProcessor";
    read_backbone(m, c);
    if (c->status == SAC_OK)
        sac_architecture_add_part(m, &m->finder, &finder, c);
}

static sac_status create_networks(sac_pretrained_model *m, sac_error *error)
{
    sac_vision_encoder *s = &m->vision_encoder;
    sac_device_lock(m->device);
    sac_status status =
        sac_resnet_create(m->files, "model.backbone.model.", &s->layout, &m->pass, &s->net, error);
    if (status == SAC_OK)
        status = sac_pyramid_create(m->files, "model.", s->net, m->width, m->joins, &m->pass,
                                    &m->pyramid, error);
    sac_device_unlock(m->device);
    return status;
}

#define OF_BOTH                                                                                    \
    COMMON, U("layer_norm_eps", "1e-5"), O("batch_norm_eps", "1e-5"), D("backbone_config", "{}"),  \
        O("freeze_backbone_batch_norms", "[true, false]"), U("encoder_hidden_dim", "256"),         \
        H("encoder_in_channels"), H("feat_strides"), U("encoder_layers", "1"),                     \
        U("encoder_ffn_dim", "1024"), U("encoder_attention_heads", "8"), H("dropout"),             \
        H("activation_dropout"), O("encode_proj_layers", "[[2]]"),                                 \
        O("positional_encoding_temperature", "10000"),                                             \
        U("encoder_activation_function", "\"gelu\""), U("activation_function", "\"silu\""),        \
        O("eval_size", "[null]"), O("normalize_before", "false"), H("hidden_expansion"),           \
        U("d_model", "256"), U("num_queries", "300"), H("decoder_in_channels"),                    \
        U("decoder_ffn_dim", "1024"), O("num_feature_levels", "3"), U("decoder_n_points", "4"),    \
        U("decoder_layers", "6"), U("decoder_attention_heads", "8"),                               \
        U("decoder_activation_function", "\"relu\""), H("attention_dropout"), H("num_denoising"),  \
        H("label_noise_ratio"), H("box_noise_scale"), O("learn_initial_query", "false"),           \
        O("anchor_image_size", "[null]"), H("disable_custom_kernels"), H("with_box_refine"),       \
        H("initializer_bias_prior_prob"), H("matcher_alpha"), H("matcher_gamma"),                  \
        H("matcher_class_cost"), H("matcher_bbox_cost"), H("matcher_giou_cost"),                   \
        H("use_focal_loss"), H("auxiliary_loss"), H("focal_loss_alpha"), H("focal_loss_gamma"),    \
        H("weight_loss_vfl"), H("weight_loss_bbox"), H("weight_loss_giou"), H("eos_coefficient"),  \
        H("backbone"), H("use_timm_backbone"), H("use_pretrained_backbone"), H("backbone_kwargs"), \
        H("tie_word_embeddings")
const sac_config_key sac_keys_of_rt_detr[] = {OF_BOTH, END};
const sac_config_key sac_keys_of_rt_detr_v2[] = {OF_BOTH, O("decoder_n_levels", "3"),
                                                 U("decoder_offset_scale", "0.5"),
                                                 O("decoder_method", "\"default\""), END};

const sac_architecture sac_architecture_rt_detr = {.types = {"rt_detr"},
                                                   .keys = sac_keys_of_rt_detr,
                                                   .architectures = {"RTDetr"},
                                                   .declare = declare,
                                                   .take = create_networks};
const sac_architecture sac_architecture_rt_detr_v2 = {.types = {"rt_detr_v2"},
                                                      .keys = sac_keys_of_rt_detr_v2,
                                                      .architectures = {"RTDetrV2"},
                                                      .declare = declare,
                                                      .take = create_networks};
