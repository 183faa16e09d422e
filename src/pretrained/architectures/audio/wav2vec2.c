/* wav2vec 2.0 (Baevski et al. 2020) and what is built as it: convolutions over samples, a convolution that gives positions, and
 * the layers of a transformer; a model for transcripts has letters for its cells (captioning/ctc.c). */
#include <stdio.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"
#include "base/error.h"
#include "sounds/sound.h"

#define OF_WAV2VEC2(name)                                                                          \
    .width = "hidden_size", .layers = "num_hidden_layers", .heads = "num_attention_heads",         \
    .hidden = "intermediate_size", .activation = "hidden_act", .epsilon = "layer_norm_eps",        \
    .prefix = {name ".", ""}, .custom_embedding = true, .layer = "encoder.layers.%d",              \
    .attention = {{.query = "attention.q_proj",                                                    \
                   .key = "attention.k_proj",                                                      \
                   .value = "attention.v_proj",                                                    \
                   .out = "attention.out_proj"}},                                                  \
    .bias = SAC_ALL_BIASED, .up = "feed_forward.intermediate_dense",                               \
    .down = "feed_forward.output_dense",                                                           \
    .norm = {[SAC_PART_SELF] = "layer_norm", [SAC_PART_FORWARD] = "final_layer_norm"},             \
    .norm_first = true, .norm_first_key = "do_stable_layer_norm", .last_state_unnormed = true,     \
    .last_norm = "encoder.layer_norm"

static const sac_description of_wav2vec2 = {OF_WAV2VEC2("wav2vec2")};
static const sac_description of_hubert = {OF_WAV2VEC2("hubert")}; /* Hsu et al. 2021 */
/* Its scores have a part that depends on the distance, and how much of it each head takes on the query. */
static const sac_description of_wavlm = {OF_WAV2VEC2("wavlm"),
                                         .relative = "attention.rel_attn_embed.weight",
                                         .buckets = "num_buckets",
                                         .max_distance = "max_bucket_distance",
                                         .relative_gate = "attention.gru_rel_pos_linear",
                                         .relative_gate_by = "attention.gru_rel_pos_const"};

enum { SECONDS = 30 }; /* that go through the layers at once */

/* ---------------------------------------------------------------- before the layers */

typedef struct reading {
    sac_pretrained_model *m;
    sac_config *c;
    const char *prefix;
} reading;

static const char *write_name(const reading *r, const char *name, const char *ending, char full[96])
{
    snprintf(full, 96, "%s%s%s", r->prefix, name, ending);
    return full;
}

static sac_layer_norm declare_norm(const reading *r, const char *name, size_t width)
{
    char full[96];
    return (sac_layer_norm){
        .gain =
            sac_parameter_vector(&r->m->parameters, write_name(r, name, ".weight", full), width),
        .bias = sac_parameter_vector(&r->m->parameters, write_name(r, name, ".bias", full), width),
        .epsilon = sac_config_number_or(r->c, "layer_norm_eps", 1e-5f)};
}

/* Of layers over samples the first has a norm over time, or each one over its numbers. */
static void declare_convolutions(const reading *r)
{
    sac_config *c = r->c;
    sac_audio_encoder *a = &r->m->audio;
    int width[SAC_SOUND_LAYERS], step[SAC_SOUND_LAYERS], taps[SAC_SOUND_LAYERS];
    const int count =
        sac_config_sizes(c, "conv_dim", 1, SAC_ARCHITECTURE_WIDTH, width, SAC_SOUND_LAYERS);
    const bool fits =
        sac_config_sizes(c, "conv_stride", 1, 1024, step, SAC_SOUND_LAYERS) == count &&
        sac_config_sizes(c, "conv_kernel", 1, 1024, taps, SAC_SOUND_LAYERS) == count;
    const bool of_each = sac_config_choice(c, "feat_extract_norm",
                                           (const char *const[]){"group", "layer", NULL}) == 1;
    const bool has_bias = sac_config_flag_or(c, "conv_bias", false);
    const sac_activation activation = sac_architecture_activation(c, "feat_extract_activation");
    char name[64], full[96];
    if (c->status == SAC_OK && (!count || !fits))
        sac_config_refuse(c, "conv_dim", "conv_stride and conv_kernel have not as many layers");
    a->cell = 1;
    for (int i = 0; i < count && c->status == SAC_OK; i++) {
        snprintf(name, sizeof name, "feature_extractor.conv_layers.%d.conv", i);
        sac_sound_layer *l = &a->layer[a->layers++];
        *l = sac_sound_layer_declare(r->m, c, write_name(r, name, "", full), "weight",
                                     (size_t)width[i], i ? (size_t)width[i - 1] : 1,
                                     (size_t)taps[i], has_bias);
        l->step = (size_t)step[i];
        l->activation = activation;
        a->cell *= l->step;
        if (i && !of_each)
            continue;
        l->normed = of_each ? SAC_SOUND_NORM_TIMES : SAC_SOUND_NORM_CHANNELS;
        snprintf(name, sizeof name, "feature_extractor.conv_layers.%d.layer_norm", i);
        const sac_layer_norm norm = declare_norm(r, name, (size_t)width[i]);
        l->norm[0] = norm.gain;
        l->norm[1] = norm.bias;
    }
    if (c->status != SAC_OK)
        return;
    if (a->cell > SAC_MEL_RATE)
        sac_config_refuse(c, "conv_stride", "makes one cell of more than a second");
    if (sac_config_flag_or(c, "feat_proj_layer_norm", true))
        a->norm = declare_norm(r, "feature_projection.layer_norm", (size_t)width[count - 1]);
    a->project = sac_dense_declare(&r->m->parameters, write_name(r, "feature_projection", "", full),
                                   "projection", r->m->width, (size_t)width[count - 1], true);
}

/* Its weights lie as directions and lengths, under the names that torch had for these at first or has today; or whole. */
static void declare_places(const reading *r)
{
    static const char name[] = "encoder.pos_conv_embed.conv";
    static const char *const weights[][2] = {
        {"parametrizations.weight.original1", "parametrizations.weight.original0"},
        {"weight_v", "weight_g"},
        {"weight", NULL}};
    sac_config *c = r->c;
    sac_audio_encoder *a = &r->m->audio;
    const size_t width = r->m->width;
    const size_t taps = (size_t)sac_config_size(c, "num_conv_pos_embeddings", 1, 1024);
    const size_t groups = (size_t)sac_config_size(c, "num_conv_pos_embedding_groups", 1, 1024);
    char base[96], full[192];
    size_t form = 0;
    write_name(r, name, "", base);
    if (c->status == SAC_OK && width % groups)
        sac_config_refuse(c, "num_conv_pos_embedding_groups", "%zu do not divide a width of %zu",
                          groups, width);
    for (; form < 2; form++) {
        snprintf(full, sizeof full, "%s.%s", base, weights[form][0]);
        if (sac_pretrained_has(r->m->files, full))
            break;
    }
    if (c->status != SAC_OK)
        return;
    a->places =
        sac_sound_layer_declare(r->m, c, base, weights[form][0], width, width / groups, taps, true);
    a->places.groups = groups;
    a->places.around = taps / 2;
    a->places.activation = sac_architecture_activation(c, "feat_extract_activation");
    if (!weights[form][1] || c->status != SAC_OK)
        return;
    snprintf(a->gains, sizeof a->gains, "%.95s.%s", base, weights[form][1]);
    r->m->located.list[r->m->located.count - 1].gains = a->gains;
}

static void declare_encoder(sac_pretrained_model *m, sac_config *c, const sac_description *d)
{
    sac_describe(m, c, d);
    if (c->status != SAC_OK)
        return;
    const reading r = {
        m, c, sac_pretrained_prefix(m->files, d->prefix, "feature_projection.projection.weight")};
    declare_convolutions(&r);
    declare_places(&r);
    if (!m->run.norm_first)
        m->first_norm = declare_norm(&r, "encoder.layer_norm", m->width);
    sac_audio_read_processor(m, c, true);
    if (c->status == SAC_OK)
        m->max_positions = (size_t)SECONDS * SAC_MEL_RATE / m->audio.cell;
}

/* ---------------------------------------------------------------- letters */

static void declare_letters(sac_pretrained_model *m, sac_config *c)
{
    m->width = m->text_decoder.seen;
    m->run.heads = 1;
    m->vocabulary = (size_t)sac_config_size(c, "vocab_size", 1, SAC_ARCHITECTURE_TOKENS);
    m->text_decoder.spells = true;
    m->text_decoder.nothing = sac_config_size_or(c, "pad_token_id", 0, (int)m->vocabulary - 1, 0);
    snprintf(m->text_decoder.wordmap, sizeof m->text_decoder.wordmap, "vocab.json");
    const sac_dense head =
        sac_dense_declare(&m->parameters, "", "lm_head", m->vocabulary, m->width, true);
    m->head = head.w;
    m->text_decoder.bias = head.b;
}

static const sac_architecture letters = {.declare = declare_letters};

static void declare_speech(sac_pretrained_model *m, sac_config *c, const sac_description *d)
{
    declare_encoder(m, c, d);
    if (c->status == SAC_OK && sac_pretrained_has(m->files, "lm_head.weight"))
        sac_architecture_add_decoder(m, &letters, false, c);
}

static void declare_wav2vec2(sac_pretrained_model *m, sac_config *c)
{
    declare_speech(m, c, &of_wav2vec2);
}

static void declare_wavlm(sac_pretrained_model *m, sac_config *c)
{
    declare_speech(m, c, &of_wavlm);
}

static void declare_hubert(sac_pretrained_model *m, sac_config *c)
{
    declare_speech(m, c, &of_hubert);
}

/* ---------------------------------------------------------------- keys */

#define SPEECH                                                                                     \
    COMMON, U("hidden_size", "768"), U("num_hidden_layers", "12"), U("num_attention_heads", "12"), \
        U("intermediate_size", "3072"), U("hidden_act", "\"gelu\""), U("layer_norm_eps", "1e-5"),  \
        U("feat_extract_norm", "\"group\""), U("feat_extract_activation", "\"gelu\""),             \
        U("conv_dim", "[512,512,512,512,512,512,512]"), U("conv_stride", "[5,2,2,2,2,2,2]"),       \
        U("conv_kernel", "[10,3,3,3,3,2,2]"), U("conv_bias", "false"),                             \
        U("num_conv_pos_embeddings", "128"), U("num_conv_pos_embedding_groups", "16"),             \
        U("do_stable_layer_norm", "false"), N("pad_token_id", "0"), H("bos_token_id"),             \
        H("eos_token_id"), H("hidden_dropout"), H("activation_dropout"), H("attention_dropout"),   \
        H("feat_proj_dropout"), H("final_dropout"), H("layerdrop"), H("apply_spec_augment"),       \
        H("mask_time_prob"), H("mask_time_length"), H("mask_time_min_masks"),                      \
        H("mask_feature_prob"), H("mask_feature_length"), H("mask_feature_min_masks"),             \
        H("ctc_loss_reduction"), H("ctc_zero_infinity"), H("use_weighted_layer_sum"),              \
        H("classifier_proj_size"), H("num_feat_extract_layers"), H("tie_word_embeddings"),         \
        H("gradient_checkpointing")
/* Of the training without transcripts, and of heads that distinguish speakers. */
#define SPEECH_OF_SPEAKERS                                                                         \
    H("feat_quantizer_dropout"), H("num_codevectors_per_group"), H("num_codevector_groups"),       \
        H("contrastive_logits_temperature"), H("num_negatives"), H("codevector_dim"),              \
        H("proj_codevector_dim"), H("diversity_loss_weight"), H("tdnn_dim"), H("tdnn_kernel"),     \
        H("tdnn_dilation"), H("xvector_output_dim"), O("add_adapter", "false"),                    \
        H("adapter_kernel_size"), H("adapter_stride"), H("num_adapter_layers"),                    \
        H("output_hidden_size")

static const sac_config_key sac_keys_of_wav2vec2[] = {
    SPEECH, SPEECH_OF_SPEAKERS, N("vocab_size", "32"), O("adapter_attn_dim", "null"), END};

static const sac_config_key sac_keys_of_wavlm[] = {SPEECH,
                                                   SPEECH_OF_SPEAKERS,
                                                   U("vocab_size", "32"),
                                                   U("num_buckets", "320"),
                                                   U("max_bucket_distance", "800"),
                                                   H("num_ctc_classes"),
                                                   END};

static const sac_config_key sac_keys_of_hubert[] = {SPEECH, U("vocab_size", "32"),
                                                    U("feat_proj_layer_norm", "true"),
                                                    O("conv_pos_batch_norm", "false"), END};

const sac_architecture sac_architecture_wavlm = {.types = {"wavlm"},
                                                 .keys = sac_keys_of_wavlm,
                                                 .architectures = {"WavLM"},
                                                 .declare = declare_wavlm};
const sac_architecture sac_architecture_hubert = {.types = {"hubert"},
                                                  .keys = sac_keys_of_hubert,
                                                  .architectures = {"Hubert"},
                                                  .declare = declare_hubert};
const sac_architecture sac_architecture_wav2vec2 = {.types = {"wav2vec2"},
                                                    .keys = sac_keys_of_wav2vec2,
                                                    .architectures = {"Wav2Vec2"},
                                                    .declare = declare_wav2vec2};
