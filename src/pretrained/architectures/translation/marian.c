/* Marian (Junczys-Dowmunt et al. 2018), the translators of OPUS-MT (Tiedemann and Thottingal 2020):
 * a transformer whose decoder attends to what its encoder made of the source. Each part is followed
 * by a layer norm. One matrix has the words of both languages, or each language has its own; the
 * that of the target also tells what comes next, but where there is a head for that. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

/* The names of a half's sizes in config.json, and of its layers. */
typedef struct half {
    const char *layers, *heads, *hidden;
    const char *layer; /* of tensors of layer %d */
} half;

static const half encoder = {"encoder_layers", "encoder_attention_heads", "encoder_ffn_dim",
                             "model.encoder.layers.%d"};
static const half decoder = {"decoder_layers", "decoder_attention_heads", "decoder_ffn_dim",
                             "model.decoder.layers.%d"};

/* ---------------------------------------------------------------- what both halves have */

#define WORDS_READ "model.encoder.embed_tokens.weight"
#define WORDS_SAID "model.decoder.embed_tokens.weight"

static bool has_head(sac_config *c)
{
    return !sac_config_flag_or(c, "tie_word_embeddings", true);
}

/* Whether one matrix has the words of both languages. A model that is not tied may have one for
 * each whatever it says of sharing. */
static bool shares_words(const sac_pretrained_model *m, sac_config *c)
{
    bool shares = sac_config_flag_or(c, "share_encoder_decoder_embeddings", true);
    return shares && !(has_head(c) && sac_pretrained_find(m->files, WORDS_READ) &&
                       sac_pretrained_find(m->files, WORDS_SAID));
}

static void read_sizes(sac_pretrained_model *m, const half *h, sac_config *c)
{
    sac_architecture_text_sizes(m, c, "d_model", h->layers, h->heads);
    m->hidden = (size_t)sac_config_size(c, h->hidden, 1, 8 * SAC_ARCHITECTURE_WIDTH);
    m->places = (size_t)sac_config_size(c, "max_position_embeddings", 1, 1 << 20);
    m->run.activation = sac_architecture_activation(c, "activation_function");
    if (sac_config_flag_or(c, "scale_embedding", false))
        m->word_scale = sqrtf((float)m->width);
}

static sac_multihead declare_attention(sac_parameters *p, const char *layer, const char *name,
                                       size_t D)
{
    char full[64];
    snprintf(full, sizeof full, "%s.%s", layer, name);
    return (sac_multihead){.query = sac_dense_declare(p, full, "q_proj", D, D, true),
                           .key = sac_dense_declare(p, full, "k_proj", D, D, true),
                           .value = sac_dense_declare(p, full, "v_proj", D, D, true),
                           .out = sac_dense_declare(p, full, "out_proj", D, D, true)};
}

static void declare_layer(sac_pretrained_model *m, const half *h, int i)
{
    sac_parameters *p = &m->parameters;
    sac_transformer_layer *l = &m->layer[i];
    size_t D = m->width, F = m->hidden;
    char name[40];
    snprintf(name, sizeof name, h->layer, i);
    l->attention[SAC_PART_SELF] = declare_attention(p, name, "self_attn", D);
    l->norm[SAC_PART_SELF] = sac_layer_norm_declare(p, name, "self_attn_layer_norm", D);
    if (h == &decoder) {
        l->attention[SAC_PART_CROSS] = declare_attention(p, name, "encoder_attn", D);
        l->norm[SAC_PART_CROSS] = sac_layer_norm_declare(p, name, "encoder_attn_layer_norm", D);
    }
    l->in = sac_dense_declare(p, name, "fc1", F, D, true);
    l->out = sac_dense_declare(p, name, "fc2", D, F, true);
    l->norm[SAC_PART_FORWARD] = sac_layer_norm_declare(p, name, "final_layer_norm", D);
    for (int part = SAC_PART_SELF; part < SAC_PARTS; part++)
        l->norm[part].epsilon = 1e-5f;
}

static void declare_layers(sac_pretrained_model *m, const half *h)
{
    for (int i = 0; i < m->layers; i++)
        declare_layer(m, h, i);
}

/* ---------------------------------------------------------------- the decoder */

static void declare_decoder(sac_pretrained_model *m, sac_config *c)
{
    read_sizes(m, &decoder, c);
    if (c->status != SAC_OK)
        return;
    if (!shares_words(m, c)) {
        if (!sac_config_flag_or(c, "share_encoder_decoder_embeddings", true))
            m->vocabulary = (size_t)sac_config_size_or(c, "decoder_vocab_size", 1,
                                                       SAC_ARCHITECTURE_TOKENS, (int)m->vocabulary);
        m->words = sac_parameter_weight(&m->parameters, WORDS_SAID, m->vocabulary, m->width);
    }
    if (has_head(c))
        m->head = sac_parameter_weight(&m->parameters, "lm_head.weight", m->vocabulary, m->width);
    m->text_decoder.memory = m->width;
    m->run.causal = true;
    declare_layers(m, &decoder);
    m->text_decoder.bias =
        sac_parameter_matrix(&m->parameters, "final_logits_bias", 1, m->vocabulary);
    sac_architecture_read_search(m, c, "decoder_start_token_id", "eos_token_id");
}

/* Of words that tell what comes next too. */
static void locate_said(void *context, const sac_parameter *parameter, sac_tensor_place *place)
{
    const sac_pretrained_model *m = context;
    if (parameter == m->words && !m->head && !sac_pretrained_find(m->files, parameter->name) &&
        sac_pretrained_find(m->files, "lm_head.weight"))
        snprintf(place->name, sizeof place->name, "lm_head.weight");
}

static const sac_architecture decoder_of_marian = {.declare = declare_decoder,
                                                   .locate = locate_said};

/* ---------------------------------------------------------------- both */

static void declare(sac_pretrained_model *m, sac_config *c)
{
    read_sizes(m, &encoder, c);
    if (c->status != SAC_OK)
        return;
    bool shares = shares_words(m, c);
    m->words = sac_parameter_weight(&m->parameters, shares ? "model.shared.weight" : WORDS_READ,
                                    m->vocabulary, m->width);
    sac_architecture_declare_sinusoids(m);
    declare_layers(m, &encoder);
    sac_architecture_add_decoder(m, &decoder_of_marian, true, c);
    if (!m->decoder)
        return;
    if (shares)
        m->decoder->words = m->words;
    m->decoder->positions = m->positions;
}

/* Tied tensors lie in a file once, under any of their names. */
static void locate(void *context, const sac_parameter *parameter, sac_tensor_place *place)
{
    static const char *const names[] = {WORDS_READ, WORDS_SAID, "lm_head.weight"};
    const sac_pretrained_model *m = context;
    bool is_shared = parameter == m->words && strcmp(parameter->name, "model.shared.weight") == 0;
    if (!is_shared || sac_pretrained_find(m->files, parameter->name))
        return;
    const size_t count = sizeof names / sizeof *names - (m->decoder && m->decoder->head);
    for (size_t i = 0; i < count; i++)
        if (sac_pretrained_find(m->files, names[i])) {
            snprintf(place->name, sizeof place->name, "%s", names[i]);
            return;
        }
}

static const sac_config_key sac_keys_of_marian[] = {COMMON,
                                                    U("vocab_size", "58101"),
                                                    U("decoder_vocab_size", NULL),
                                                    U("max_position_embeddings", "1024"),
                                                    U("encoder_layers", "12"),
                                                    U("encoder_ffn_dim", "4096"),
                                                    U("encoder_attention_heads", "16"),
                                                    U("decoder_layers", "12"),
                                                    U("decoder_ffn_dim", "4096"),
                                                    U("decoder_attention_heads", "16"),
                                                    U("activation_function", "\"gelu\""),
                                                    U("d_model", "1024"),
                                                    U("scale_embedding", "false"),
                                                    U("share_encoder_decoder_embeddings", "true"),
                                                    U("tie_word_embeddings", "true"),
                                                    U("decoder_start_token_id", NULL),
                                                    U("pad_token_id", NULL),
                                                    U("eos_token_id", NULL),
                                                    U("forced_eos_token_id", NULL),
                                                    H("bos_token_id"),
                                                    H("encoder_layerdrop"),
                                                    H("decoder_layerdrop"),
                                                    H("dropout"),
                                                    H("attention_dropout"),
                                                    H("activation_dropout"),
                                                    H("init_std"),
                                                    H("is_decoder"),
                                                    END};

const sac_architecture sac_architecture_marian = {
    .types = {"marian"},
    .keys = sac_keys_of_marian,
    .architectures = {"Marian"},
    .mark = "encoder.layers.0.self_attn_layer_norm.weight",
    .declare = declare,
    .locate = locate};
