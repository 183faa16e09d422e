/* The audio spectrogram transformer (Gong et al. 2021): a vision transformer over the spectrogram of a sound, whose patches
 * overlap, with two tokens before them, by which it names what sounds. */
#include <cjson/cJSON.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"
#include "arrays/bytes.h"
#include "arrays/json.h"
#include "base/error.h"
#include "images/sound_picture.h"
#include "sounds/sound.h"

#define QKV_BIAS                                                                                   \
    {                                                                                              \
        "qkv_bias", true                                                                           \
    }
static const sac_description of_ast = {
    .width = "hidden_size",
    .layers = "num_hidden_layers",
    .heads = "num_attention_heads",
    .hidden = "intermediate_size",
    .activation = "hidden_act",
    .epsilon = "layer_norm_eps",
    .prefix = {"audio_spectrogram_transformer.", ""},
    .custom_embedding = true,
    .layer = "encoder.layer.%d",
    .attention = {{.query = "attention.attention.query",
                   .key = "attention.attention.key",
                   .value = "attention.attention.value",
                   .out = "attention.output.dense"}},
    .up = "intermediate.dense",
    .down = "output.dense",
    .norm = {[SAC_PART_SELF] = "layernorm_before", [SAC_PART_FORWARD] = "layernorm_after"},
    .norm_first = true,
    .last_norm = "layernorm",
    .last_state_unnormed = true,
    .bias = {QKV_BIAS, QKV_BIAS, QKV_BIAS, SAC_BIASED, SAC_BIASED}};

enum { TOKENS = 2 };

/* ---------------------------------------------------------------- declaring */

static const sac_parameter *add_tensor(sac_pretrained_model *m, const char *prefix,
                                       const char *name, size_t rows)
{
    char full[96];
    snprintf(full, sizeof full, "%sembeddings.%s", prefix, name);
    return sac_parameter_add(&m->parameters, full, sac_init_constant(0), 3, (size_t)1, rows,
                             m->width);
}

/* preprocessor_config.json: what is taken off the spectrogram, and what it is divided by the double of. */
static void read_processor(sac_pretrained_model *m, sac_config *c)
{
    char path[1100];
    cJSON *json = NULL;
    sac_audio_patches *a = &m->audio.patches;
    a->mean = -4.2677393f;
    a->deviation = 4.5689974f;
    snprintf(path, sizeof path, "%s/preprocessor_config.json", m->folder);
    if (c->status != SAC_OK || !m->folder[0] || !sac_is_regular(path))
        return;
    c->status = sac_json_load_config(path, &json, c->error);
    sac_config own = sac_config_of(json, path, c->error);
    if (c->status == SAC_OK) {
        const int rate = sac_config_size_or(&own, "sampling_rate", 1, 1 << 24, SAC_MEL_RATE);
        const int frames = sac_config_size_or(&own, "max_length", 1, 1 << 20, (int)a->frames);
        const int bins = sac_config_size_or(&own, "num_mel_bins", 1, 1024, (int)m->audio.bins);
        a->mean = sac_config_number_or(&own, "mean", a->mean);
        a->deviation = sac_config_number_or(&own, "std", a->deviation);
        if (!sac_config_flag_or(&own, "do_normalize", true)) {
            a->mean = 0;
            a->deviation = 0.5f;
        }
        if (rate != SAC_MEL_RATE)
            sac_config_refuse(&own, "sampling_rate", "is %d, and not %d", rate, SAC_MEL_RATE);
        else if ((size_t)frames != a->frames || (size_t)bins != m->audio.bins)
            sac_config_refuse(&own, "max_length",
                              "%d frames of %d bins are not what config.json has", frames, bins);
        else if (!(a->deviation > 0))
            sac_config_refuse(&own, "std", "is not above 0");
        c->status = sac_config_status(&own);
    }
    cJSON_Delete(json);
}

static void declare_classes(sac_pretrained_model *m, sac_config *c)
{
    static const char weight[] = "classifier.dense.weight";
    sac_classifier *to = &m->classifier;
    const sac_array *w = sac_pretrained_find(m->files, weight);
    if (!w || w->rank != 2 || w->shape[1] != m->width || !w->shape[0])
        return;
    to->first = TOKENS;
    to->normed = sac_layer_norm_declare(&m->parameters, "classifier", "layernorm", m->width);
    to->normed.epsilon = sac_config_number_or(c, "layer_norm_eps", 1e-12f);
    to->logits =
        sac_dense_declare(&m->parameters, "classifier", "dense", w->shape[0], m->width, true);
    to->names = sac_architecture_read_class_names(m, c, w->shape[0]);
}

static void declare(sac_pretrained_model *m, sac_config *c)
{
    sac_audio_encoder *a = &m->audio;
    sac_audio_patches *p = &a->patches;
    char full[96];
    sac_describe(m, c, &of_ast);
    a->bins = (size_t)sac_config_size(c, "num_mel_bins", 1, 1024);
    p->frames = (size_t)sac_config_size(c, "max_length", 1, 1 << 16);
    p->side = (size_t)sac_config_size(c, "patch_size", 1, 1024);
    p->step_x = (size_t)sac_config_size(c, "time_stride", 1, 1024);
    p->step_y = (size_t)sac_config_size(c, "frequency_stride", 1, 1024);
    if (c->status == SAC_OK && (p->side > a->bins || p->side > p->frames))
        sac_config_refuse(c, "patch_size", "%zu does not fit into %zu frames of %zu bins", p->side,
                          p->frames, a->bins);
    if (c->status != SAC_OK)
        return;
    p->across = (p->frames - p->side) / p->step_x + 1;
    p->down = (a->bins - p->side) / p->step_y + 1;
    a->cell = p->step_x * SAC_MEL_HOP;
    m->max_positions = p->frames * SAC_MEL_HOP / a->cell + 1;
    const char *prefix = sac_pretrained_prefix(m->files, of_ast.prefix,
                                               "embeddings.patch_embeddings.projection.weight");
    sac_vision_encoder *s = &m->vision_encoder;
    s->prefix = TOKENS;
    s->tokens[0] = add_tensor(m, prefix, "cls_token", 1);
    s->tokens[1] = add_tensor(m, prefix, "distillation_token", 1);
    m->positions = add_tensor(m, prefix, "position_embeddings", p->across * p->down + TOKENS);
    snprintf(full, sizeof full, "%sembeddings.patch_embeddings.projection.weight", prefix);
    s->patches = sac_parameter_add(&m->parameters, full, sac_init_constant(0), 4, m->width,
                                   (size_t)1, p->side, p->side);
    snprintf(full, sizeof full, "%sembeddings.patch_embeddings.projection.bias", prefix);
    s->bias = sac_parameter_vector(&m->parameters, full, m->width);
    declare_classes(m, c);
    read_processor(m, c);
}

/* ---------------------------------------------------------------- seeing */

/* Row `y` of the grid, from the highest tones down as they are seen, is the model's row from the lowest up. */
static size_t own_row(const sac_audio_patches *p, size_t y)
{
    return p->down - 1 - y;
}

/* pixels [down·across,side²] of log_mel [frames,bins]: each patch by tone and time. */
static void cut_patches(const sac_pretrained_model *m, const float *log_mel, float *pixels)
{
    const sac_audio_patches *p = &m->audio.patches;
    for (size_t y = 0; y < p->down; y++)
        for (size_t x = 0; x < p->across; x++)
            for (size_t i = 0; i < p->side * p->side; i++) {
                const size_t bin = own_row(p, y) * p->step_y + i / p->side;
                const size_t frame = x * p->step_x + i % p->side;
                *pixels++ = (log_mel[frame * m->audio.bins + bin] - p->mean) / (2 * p->deviation);
            }
}

/* table [TOKENS + patches,D]: tokens, and of patches the bias, with their positions. */
static sac_status fill_table(sac_pretrained_model *m, float *table, sac_error *error)
{
    const sac_audio_patches *p = &m->audio.patches;
    const size_t D = m->width;
    sac_device_lock(m->device);
    float *positions = sac_model_read_parameter(m, m->positions);
    float *bias = sac_model_read_parameter(m, m->vision_encoder.bias), *token[TOKENS];
    for (int i = 0; i < TOKENS; i++)
        token[i] = sac_model_read_parameter(m, m->vision_encoder.tokens[i]);
    const sac_status status = sac_model_end_pass(m, NULL, error);
    for (size_t t = 0; status == SAC_OK && t < TOKENS + p->down * p->across; t++) {
        const size_t patch = t - TOKENS;
        const size_t place =
            t < TOKENS ? t : TOKENS + own_row(p, patch / p->across) * p->across + patch % p->across;
        for (size_t k = 0; k < D; k++)
            table[t * D + k] = (t < TOKENS ? token[t][k] : bias[k]) + positions[place * D + k];
    }
    free(positions);
    free(bias);
    for (int i = 0; i < TOKENS; i++)
        free(token[i]);
    return status;
}

/* What the cells lie over: the middles of patches are a step apart. Behind the end of the sound it is silent. */
static sac_status draw(const sac_pretrained_model *m, const float *log_mel, size_t known,
                       sac_image *image, sac_error *error)
{
    const sac_audio_patches *p = &m->audio.patches;
    const size_t bins = p->down * p->step_y, frames = p->across * p->step_x;
    const size_t low = p->side > p->step_y ? (p->side - p->step_y) / 2 : 0;
    const size_t first = p->side > p->step_x ? (p->side - p->step_x) / 2 : 0;
    float *shown = malloc(bins * frames * sizeof *shown);
    if (!shown)
        return sac_no_memory(error, "sound");
    for (size_t bin = 0; bin < bins; bin++)
        for (size_t frame = 0; frame < frames; frame++) {
            const size_t b = low + bin < m->audio.bins ? low + bin : m->audio.bins - 1;
            const bool sounds = first + frame < known;
            shown[bin * frames + frame] =
                sounds ? log_mel[(first + frame) * m->audio.bins + b] / (4 * logf(10)) : -INFINITY;
        }
    sac_status status = sac_sound_picture(shown, bins, frames, frames, image, error);
    free(shown);
    return status;
}

sac_status sac_audio_patches_see(sac_pretrained_model *m, const sac_sound *sound,
                                 sac_inference **inference, sac_error *error)
{
    const sac_audio_patches *a = &m->audio.patches;
    const size_t patches = a->down * a->across, T = TOKENS + patches, area = a->side * a->side;
    size_t known = 0;
    float *log_mel = calloc(a->frames * m->audio.bins, sizeof *log_mel);
    float *pixels = malloc(patches * area * sizeof *pixels),
          *table = malloc(T * m->width * sizeof *table);
    sac_inference *p = NULL;
    *inference = NULL;
    sac_status status = log_mel && pixels && table ? sac_inference_create(m, T, &p, error)
                                                   : sac_no_memory(error, m->name);
    if (status == SAC_OK)
        status = sac_kaldi_spectrogram(sound, m->audio.bins, a->frames, log_mel, &known, error);
    if (status == SAC_OK)
        status = fill_table(m, table, error);
    if (status == SAC_OK) {
        cut_patches(m, log_mel, pixels);
        p->grid_w = (int)a->across;
        p->grid_h = (int)a->down;
        p->prefix = TOKENS;
        status = draw(m, log_mel, known, &p->image, error);
    }
    if (status == SAC_OK)
        status = sac_inference_compute(
            p, &(sac_patch_rows){.count = patches, .pixels = pixels, .table = table}, NULL, NULL,
            error);
    free(log_mel);
    free(pixels);
    free(table);
    return sac_inference_return_or_free(p, status, inference);
}

static const sac_config_key sac_keys_of_ast[] = {
    COMMON,
    U("hidden_size", "768"),
    U("num_hidden_layers", "12"),
    U("num_attention_heads", "12"),
    U("intermediate_size", "3072"),
    U("hidden_act", "\"gelu\""),
    U("layer_norm_eps", "1e-12"),
    U("patch_size", "16"),
    U("qkv_bias", "true"),
    U("frequency_stride", "10"),
    U("time_stride", "10"),
    U("max_length", "1024"),
    U("num_mel_bins", "128"),
    H("hidden_dropout_prob"),
    H("attention_probs_dropout_prob"),
    H("tie_word_embeddings"),
    END,
};

const sac_architecture sac_architecture_ast = {.types = {"audio-spectrogram-transformer"},
                                               .keys = sac_keys_of_ast,
                                               .architectures = {"AST"},
                                               .declare = declare};
