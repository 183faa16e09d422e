/* Parakeet (NVIDIA 2024): a conformer (audio/conformer.c) over the spectrogram of a sound, with pieces of words for its cells
 * (captioning/ctc.c). */
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
#include "sounds/sound.h"

#define ATTENTION_BIAS                                                                             \
    {                                                                                              \
        "attention_bias", true                                                                     \
    }
static const sac_description encoder = {
    .width = "hidden_size",
    .layers = "num_hidden_layers",
    .heads = "num_attention_heads",
    .hidden = "intermediate_size",
    .activation = "hidden_act",
    .prefix = {"encoder.", ""},
    .custom_embedding = true,
    .layer = "layers.%d",
    .attention = {{.query = "self_attn.q_proj",
                   .key = "self_attn.k_proj",
                   .value = "self_attn.v_proj",
                   .out = "self_attn.o_proj"}},
    .bias = {ATTENTION_BIAS, ATTENTION_BIAS, ATTENTION_BIAS, ATTENTION_BIAS, ATTENTION_BIAS},
    .up = "feed_forward2.linear1",
    .down = "feed_forward2.linear2",
    .norm = {[SAC_PART_SELF] = "norm_self_att", [SAC_PART_FORWARD] = "norm_feed_forward2"},
    .norm_first = true};

/* Seconds that go through the layers at once, and the other numbers of its feature extractor. */
enum { SECONDS = 120, SIDE = 3, TAPS = SIDE * SIDE, POINTS = 512 };

/* ---------------------------------------------------------------- declaring */

typedef struct reading {
    sac_pretrained_model *m;
    sac_config *c;
    const char *prefix;
    char layer[64];
} reading;

/* A linear layer D → D that lies as a convolution of one tap, as rows of all from `first` on. */
static sac_dense declare_pointwise(const reading *r, const char *name, size_t first, size_t all,
                                   bool has_bias)
{
    char full[96];
    const size_t D = r->m->width;
    sac_dense d = {0};
    snprintf(full, sizeof full, "%.60s.%.24s.weight", r->layer, name);
    d.w = sac_parameter_add(&r->m->parameters, full, sac_init_constant(0), 3, D, D, (size_t)1);
    snprintf(full, sizeof full, "%.60s.%.24s.bias", r->layer, name);
    if (has_bias)
        d.b = sac_parameter_vector(&r->m->parameters, full, D);
    const sac_parameter *const both[] = {d.w, d.b};
    for (int i = 0; i < 2 && all > D; i++)
        if (both[i] && !sac_tensor_places_add(
                           &r->m->located,
                           &(sac_tensor_place){.parameter = both[i], .first = first, .all = all}))
            r->c->status = sac_no_memory(r->c->error, r->m->name);
    return d;
}

/* What no tensor has as it is used is folded out of several, once all else is there. */
static const sac_parameter *fold_later(const reading *r, int rank, size_t a, size_t b, size_t c,
                                       size_t d)
{
    return sac_parameter_add(&r->m->conformer->folded, "folded", sac_init_constant(0), rank, a, b,
                             c, d);
}

static void declare_layer(reading *r, int i)
{
    sac_pretrained_model *m = r->m;
    sac_conformer *f = m->conformer;
    sac_conformer_layer *l = &f->layer[i];
    sac_transformer_layer *own = &m->layer[i];
    const size_t D = m->width, F = m->hidden, H = (size_t)m->run.heads;
    const bool has_bias = sac_config_flag_or(r->c, "convolution_bias", true);
    const bool is_biased = sac_config_flag_or(r->c, "attention_bias", true);
    sac_parameters *all = &m->parameters;
    char full[96];
    snprintf(r->layer, sizeof r->layer, "%.15slayers.%d", r->prefix, i);
    l->first_norm = sac_layer_norm_declare(all, r->layer, "norm_feed_forward1", D);
    l->norm = sac_layer_norm_declare(all, r->layer, "norm_conv", D);
    l->last_norm = sac_layer_norm_declare(all, r->layer, "norm_out", D);
    l->first_in = sac_dense_declare(all, r->layer, "feed_forward1.linear1", F, D, is_biased);
    l->first_out = sac_dense_declare(all, r->layer, "feed_forward1.linear2", D, F, is_biased);
    l->value = declare_pointwise(r, "conv.pointwise_conv1", 0, 2 * D, has_bias);
    l->gate = declare_pointwise(r, "conv.pointwise_conv1", D, 2 * D, has_bias);
    l->exit = declare_pointwise(r, "conv.pointwise_conv2", 0, D, has_bias);
    l->near = (sac_dense){fold_later(r, 3, f->taps, f->taps, D, 0), fold_later(r, 1, D, 0, 0, 0)};
    own->distance_key = sac_dense_declare(all, r->layer, "self_attn.relative_k_proj", D, D, false);
    snprintf(full, sizeof full, "%.60s.self_attn.bias_u", r->layer);
    l->content = sac_parameter_matrix(all, full, H, D / H);
    l->apart = fold_later(r, 1, D, 0, 0, 0);
    own->scale[SAC_PART_FORWARD] = f->half;
}

static void declare_halvings(const reading *r)
{
    sac_pretrained_model *m = r->m;
    sac_config *c = r->c;
    sac_conformer *f = m->conformer;
    const size_t channels = (size_t)sac_config_size(c, "subsampling_conv_channels", 1, 4096);
    const int factor = sac_config_size(c, "subsampling_factor", 2, 1 << SAC_HALVINGS);
    char full[96];
    f->bins = (size_t)sac_config_size(c, "num_mel_bins", 1, 1024);
    f->channels = channels;
    while (1 << f->halvings < factor)
        f->halvings++;
    if (c->status == SAC_OK && 1 << f->halvings != factor)
        sac_config_refuse(c, "subsampling_factor", "%d is no power of 2", factor);
    if (c->status == SAC_OK && f->bins % (size_t)factor)
        sac_config_refuse(c, "num_mel_bins", "%zu are not divided by a subsampling_factor of %d",
                          f->bins, factor);
    if (c->status != SAC_OK)
        return;
    for (int i = 0; i < f->halvings; i++)
        f->halving[i] = (sac_dense){fold_later(r, 4, channels, SIDE, SIDE, i ? channels : 1),
                                    fold_later(r, 1, channels, 0, 0, 0)};
    f->join.w = fold_later(r, 2, m->width, channels * (f->bins >> f->halvings), 0, 0);
    snprintf(full, sizeof full, "%ssubsampling.linear.bias", r->prefix);
    f->join.b = sac_parameter_vector(&m->parameters, full, m->width);
    f->scale = sac_config_flag_or(c, "scale_input", true) ? sqrtf((float)m->width) : 1;
    m->audio.cell = (size_t)factor * SAC_MEL_HOP;
}

/* preprocessor_config.json: what its spectrogram is made of. */
static void read_processor(sac_pretrained_model *m, sac_config *c)
{
    static const struct {
        const char *key;
        int is;
    } known[] = {{"sampling_rate", SAC_MEL_RATE},
                 {"hop_length", SAC_MEL_HOP},
                 {"win_length", SAC_MEL_WINDOW},
                 {"n_fft", POINTS}};
    char path[1100];
    cJSON *json = NULL;
    m->conformer->emphasis = 0.97f;
    snprintf(path, sizeof path, "%s/preprocessor_config.json", m->folder);
    if (c->status != SAC_OK || !m->folder[0] || !sac_is_regular(path))
        return;
    c->status = sac_json_load_config(path, &json, c->error);
    sac_config own = sac_config_of(json, path, c->error);
    if (c->status == SAC_OK) {
        const int bins = (int)m->conformer->bins;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            const int is = sac_config_size_or(&own, known[i].key, 1, 1 << 24, known[i].is);
            if (is != known[i].is)
                sac_config_refuse(&own, known[i].key, "is %d, and not %d", is, known[i].is);
        }
        const int size = sac_config_size_or(&own, "feature_size", 1, 1024, bins);
        if (size != bins)
            sac_config_refuse(&own, "feature_size", "%d are not the %d bins of config.json", size,
                              bins);
        m->conformer->emphasis = sac_config_number_or(&own, "preemphasis", 0.97f);
        c->status = sac_config_status(&own);
    }
    cJSON_Delete(json);
}

static void declare_encoder(sac_pretrained_model *m, sac_config *c)
{
    reading r = {.m = m, .c = c};
    sac_conformer *f = m->conformer;
    sac_describe(m, c, &encoder);
    if (c->status != SAC_OK)
        return;
    r.prefix = sac_pretrained_prefix(m->files, encoder.prefix, "subsampling.linear.weight");
    snprintf(f->prefix, sizeof f->prefix, "%s", r.prefix);
    f->taps = (size_t)sac_config_size(c, "conv_kernel_size", 1, 63);
    if (c->status == SAC_OK && f->taps % 2 == 0)
        sac_config_refuse(c, "conv_kernel_size", "%zu is not odd", f->taps);
    if (c->status == SAC_OK && m->width % 2)
        sac_config_refuse(c, "hidden_size", "%zu is not even, as pairs of sine and cosine are",
                          m->width);
    m->distances.scale = 1 / sqrtf((float)m->width / (float)m->run.heads);
    f->half = sac_parameter_vector(&m->parameters, "half", m->width);
    if (!sac_tensor_places_add(
            &m->located, &(sac_tensor_place){.parameter = f->half, .is_made = true, .added = 0.5f}))
        c->status = sac_no_memory(c->error, m->name);
    declare_halvings(&r);
    for (int i = 0; i < m->layers && c->status == SAC_OK; i++)
        declare_layer(&r, i);
    read_processor(m, c);
    if (c->status != SAC_OK)
        return;
    const size_t most =
        (size_t)sac_config_size(c, "max_position_embeddings", 1, SAC_ARCHITECTURE_TOKENS);
    m->max_positions = (size_t)SECONDS * SAC_MEL_RATE / m->audio.cell;
    m->max_positions = m->max_positions < most ? m->max_positions : most;
}

static void declare_pieces(sac_pretrained_model *m, sac_config *c)
{
    m->width = m->text_decoder.seen;
    m->run.heads = 1;
    m->vocabulary = (size_t)sac_config_size(c, "vocab_size", 1, SAC_ARCHITECTURE_TOKENS);
    m->text_decoder.spells = true;
    m->text_decoder.nothing =
        sac_config_size_or(c, "pad_token_id", 0, (int)m->vocabulary - 1, (int)m->vocabulary - 1);
    m->head = sac_parameter_add(&m->parameters, "ctc_head.weight", sac_init_constant(0), 3,
                                m->vocabulary, m->width, (size_t)1);
    m->text_decoder.bias = sac_parameter_vector(&m->parameters, "ctc_head.bias", m->vocabulary);
}

static const sac_architecture pieces = {.declare = declare_pieces};

static void declare(sac_pretrained_model *m, sac_config *c)
{
    sac_config own = sac_config_inside(c, "encoder_config");
    m->conformer = calloc(1, sizeof *m->conformer);
    own.status = m->conformer ? c->status : sac_no_memory(c->error, m->name);
    if (own.status == SAC_OK) {
        sac_config_apply_keys(&own, sac_keys_of_parakeet_encoder);
        declare_encoder(m, &own);
    }
    c->status = own.status;
    if (c->status == SAC_OK)
        sac_architecture_add_decoder(m, &pieces, false, c);
}

/* ---------------------------------------------------------------- folding */

/* Tensors of the model on the host, all freed together. */
typedef struct tensors {
    const sac_pretrained_model *m;
    sac_error *error;
    sac_status status;
    float *list[6];
    int count;
} tensors;

/* NULL: it could not be read, and t->status is not SAC_OK. */
static const float *read_tensor(tensors *t, const char *name, int rank, size_t a, size_t b,
                                size_t c, size_t d)
{
    const size_t shape[] = {a, b, c, d};
    float **to = &t->list[t->count];
    if (t->status != SAC_OK)
        return NULL;
    t->status = sac_pretrained_floats(t->m->files, t->m->conformer->prefix, name, rank, shape, to,
                                      t->error);
    t->count++;
    return t->status == SAC_OK ? *to : NULL;
}

static const float *read_part(tensors *t, const char *layer, const char *part, int rank, size_t a,
                              size_t b, size_t c, size_t d)
{
    char name[96];
    snprintf(name, sizeof name, "%.64s.%.24s", layer, part);
    return read_tensor(t, name, rank, a, b, c, d);
}

/* The first is one of its own, each other a window for each channel and then all channels together: in one
 * W [out,3,3,in], with the bias, if `is_bias` into numbers [out]. */
static void fold_halving(tensors *t, int i, bool is_bias, float *numbers)
{
    const size_t C = t->m->conformer->channels;
    char near[32], all[32];
    snprintf(near, sizeof near, "subsampling.layers.%d", i ? 3 * i - 1 : 0);
    snprintf(all, sizeof all, "subsampling.layers.%d", 3 * i);
    const float *w = read_part(t, near, "weight", 4, C, 1, SIDE, SIDE),
                *b = read_part(t, near, "bias", 1, C, 0, 0, 0),
                *join = i ? read_part(t, all, "weight", 4, C, C, 1, 1) : NULL,
                *shift = i ? read_part(t, all, "bias", 1, C, 0, 0, 0) : NULL;
    if (t->status != SAC_OK)
        return;
    if (!i) {
        memcpy(numbers, is_bias ? b : w, (is_bias ? C : C * TAPS) * sizeof *numbers);
        return;
    }
    for (size_t out = 0; out < C && is_bias; out++) {
        double sum = (double)shift[out];
        for (size_t in = 0; in < C; in++)
            sum += (double)join[out * C + in] * (double)b[in];
        numbers[out] = (float)sum;
    }
    for (size_t k = 0; k < C * TAPS * C && !is_bias; k++) {
        const size_t out = k / C / TAPS, tap = k / C % TAPS, in = k % C;
        numbers[k] = join[out * C + in] * w[in * TAPS + tap];
    }
}

/* [D,channels·bins] → [D,bins·channels], as convolutions leave them here. */
static void fold_join(tensors *t, float *numbers)
{
    const sac_conformer *f = t->m->conformer;
    const size_t D = t->m->width, C = f->channels, bins = f->bins >> f->halvings;
    const float *w = read_tensor(t, "subsampling.linear.weight", 2, D, C * bins, 0, 0);
    for (size_t k = 0; w && k < D * C * bins; k++)
        numbers[k] = w[k / (C * bins) * C * bins + k % C * bins + k / C % bins];
}

/* A window over time [D,1,taps], the middle row of one of taps × taps, with the batch norm behind it. */
static void fold_near(tensors *t, int layer, bool is_bias, float *numbers)
{
    const sac_pretrained_model *m = t->m;
    const size_t D = m->width, taps = m->conformer->taps;
    char name[48];
    snprintf(name, sizeof name, "layers.%d.conv", layer);
    const float *w = read_part(t, name, "depthwise_conv.weight", 3, D, 1, taps, 0),
                *gain = read_part(t, name, "norm.weight", 1, D, 0, 0, 0),
                *shift = read_part(t, name, "norm.bias", 1, D, 0, 0, 0),
                *mean = read_part(t, name, "norm.running_mean", 1, D, 0, 0, 0),
                *square = read_part(t, name, "norm.running_var", 1, D, 0, 0, 0),
                *b = m->conformer->layer[layer].exit.b
                         ? read_part(t, name, "depthwise_conv.bias", 1, D, 0, 0, 0)
                         : NULL;
    if (t->status != SAC_OK)
        return;
    if (!is_bias)
        memset(numbers, 0, taps * taps * D * sizeof *numbers);
    for (size_t i = 0; i < D; i++) {
        const double factor = (double)gain[i] / sqrt((double)square[i] + 1e-5);
        if (is_bias)
            numbers[i] =
                (float)((double)shift[i] + ((b ? (double)b[i] : 0) - (double)mean[i]) * factor);
        for (size_t k = 0; k < taps && !is_bias; k++)
            numbers[(taps / 2 * taps + k) * D + i] = (float)((double)w[i * taps + k] * factor);
    }
}

/* v − u: queries have u already. */
static void fold_apart(tensors *t, int layer, float *numbers)
{
    const size_t D = t->m->width, H = (size_t)t->m->run.heads;
    char name[48];
    snprintf(name, sizeof name, "layers.%d.self_attn", layer);
    const float *u = read_part(t, name, "bias_u", 2, H, D / H, 0, 0),
                *v = read_part(t, name, "bias_v", 2, H, D / H, 0, 0);
    for (size_t i = 0; u && v && i < D; i++)
        numbers[i] = v[i] - u[i];
}

static void fold_parameter(tensors *t, const sac_parameter *one, float *numbers)
{
    const sac_conformer *f = t->m->conformer;
    if (one == f->join.w)
        fold_join(t, numbers);
    for (int i = 0; i < f->halvings; i++)
        if (one == f->halving[i].w || one == f->halving[i].b)
            fold_halving(t, i, one == f->halving[i].b, numbers);
    for (int i = 0; i < t->m->layers; i++) {
        const sac_conformer_layer *l = &f->layer[i];
        if (one == l->near.w || one == l->near.b)
            fold_near(t, i, one == l->near.b, numbers);
        if (one == l->apart)
            fold_apart(t, i, numbers);
    }
}

typedef struct folding {
    const sac_pretrained_model *m;
    float *numbers;
} folding;

static sac_status provide_folded(void *context, const sac_parameter *one,
                                 sac_parameter_numbers *numbers, sac_error *error)
{
    folding *f = context;
    tensors t = {.m = f->m, .error = error};
    free(f->numbers);
    f->numbers = malloc(one->count * sizeof *f->numbers);
    if (!f->numbers)
        return sac_no_memory(error, f->m->name);
    fold_parameter(&t, one, f->numbers);
    for (int i = 0; i < t.count; i++)
        free(t.list[i]);
    numbers->data = f->numbers;
    return t.status;
}

static sac_status fold_all(sac_pretrained_model *m, sac_error *error)
{
    folding f = {.m = m};
    sac_status status =
        sac_parameters_take(&m->conformer->folded, m->device, provide_folded, &f, error);
    free(f.numbers);
    return status;
}

/* ---------------------------------------------------------------- keys */

const sac_config_key sac_keys_of_parakeet_encoder[] = {
    COMMON,
    U("hidden_size", "1024"),
    U("num_hidden_layers", "24"),
    U("num_attention_heads", "8"),
    U("intermediate_size", "4096"),
    U("hidden_act", "\"silu\""),
    U("attention_bias", "true"),
    U("convolution_bias", "true"),
    U("conv_kernel_size", "9"),
    U("subsampling_factor", "8"),
    U("subsampling_conv_channels", "256"),
    U("num_mel_bins", "80"),
    O("subsampling_conv_kernel_size", "3"),
    O("subsampling_conv_stride", "2"),
    U("max_position_embeddings", "5000"),
    U("scale_input", "true"),
    H("num_key_value_heads"),
    H("dropout"),
    H("dropout_positions"),
    H("layerdrop"),
    H("activation_dropout"),
    H("attention_dropout"),
    H("tie_word_embeddings"),
    END,
};
static const sac_config_key sac_keys_of_parakeet[] = {
    COMMON,
    U("vocab_size", "1025"),
    N("pad_token_id", "1024"),
    D("encoder_config", "{}"),
    H("ctc_loss_reduction"),
    H("ctc_zero_infinity"),
    H("bos_token_id"),
    H("eos_token_id"),
    H("tie_word_embeddings"),
    END,
};

const sac_architecture sac_architecture_parakeet = {.types = {"parakeet_ctc"},
                                                    .keys = sac_keys_of_parakeet,
                                                    .architectures = {"ParakeetForCTC"},
                                                    .declare = declare,
                                                    .take = fold_all};
