/* BERT (Devlin et al. 2019) and its kind: RoBERTa, MiniLM, DistilBERT. Each part is followed by a
 * layer norm, and every token sees all others. */
#include <stdio.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

/* The names that differ between BERT and DistilBERT. */
typedef struct names {
    const char *width, *layers, *heads, *hidden, *activation; /* in config.json */
    const char *prefix[3];                                    /* of all tensors */
    const char *layer;                                        /* of those of layer %d */
    const char *query, *key, *value, *out, *norm, *up, *down, *last;
} names;

static const names of_bert = {.width = "hidden_size",
                              .layers = "num_hidden_layers",
                              .heads = "num_attention_heads",
                              .hidden = "intermediate_size",
                              .activation = "hidden_act",
                              .prefix = {"bert.", ""},
                              .layer = "encoder.layer.%d",
                              .query = "attention.self.query",
                              .key = "attention.self.key",
                              .value = "attention.self.value",
                              .out = "attention.output.dense",
                              .norm = "attention.output.LayerNorm",
                              .up = "intermediate.dense",
                              .down = "output.dense",
                              .last = "output.LayerNorm"};

static const names of_distilbert = {.width = "dim",
                                    .layers = "n_layers",
                                    .heads = "n_heads",
                                    .hidden = "hidden_dim",
                                    .activation = "activation",
                                    .prefix = {"distilbert.", ""},
                                    .layer = "transformer.layer.%d",
                                    .query = "attention.q_lin",
                                    .key = "attention.k_lin",
                                    .value = "attention.v_lin",
                                    .out = "attention.out_lin",
                                    .norm = "sa_layer_norm",
                                    .up = "ffn.lin1",
                                    .down = "ffn.lin2",
                                    .last = "output_layer_norm"};

static void declare_layer(sac_pretrained_model *m, const names *n, float epsilon, int i)
{
    sac_parameters *p = &m->parameters;
    size_t D = m->width, F = m->hidden;
    char layer[48];
    snprintf(layer, sizeof layer, n->layer, i);
    m->layer[i] = (sac_transformer_layer){
        .attention[SAC_PART_SELF] = {.query = sac_dense_declare(p, layer, n->query, D, D, true),
                                     .key = sac_dense_declare(p, layer, n->key, D, D, true),
                                     .value = sac_dense_declare(p, layer, n->value, D, D, true),
                                     .out = sac_dense_declare(p, layer, n->out, D, D, true)},
        .in = sac_dense_declare(p, layer, n->up, F, D, true),
        .out = sac_dense_declare(p, layer, n->down, D, F, true),
        .norm[SAC_PART_SELF] = sac_layer_norm_declare(p, layer, n->norm, D),
        .norm[SAC_PART_FORWARD] = sac_layer_norm_declare(p, layer, n->last, D)};
    m->layer[i].norm[SAC_PART_SELF].epsilon = m->layer[i].norm[SAC_PART_FORWARD].epsilon = epsilon;
}

static void declare_tensors(sac_pretrained_model *m, const names *n, int kinds, float epsilon)
{
    sac_parameters *p = &m->parameters;
    m->words =
        sac_parameter_weight(p, "embeddings.word_embeddings.weight", m->vocabulary, m->width);
    m->positions =
        sac_parameter_matrix(p, "embeddings.position_embeddings.weight", m->places, m->width);
    if (kinds)
        m->kinds = sac_parameter_matrix(p, "embeddings.token_type_embeddings.weight", (size_t)kinds,
                                        m->width);
    m->first_norm = sac_layer_norm_declare(p, "embeddings", "LayerNorm", m->width);
    m->first_norm.epsilon = epsilon;
    for (int i = 0; i < m->layers; i++)
        declare_layer(m, n, epsilon, i);
}

/* `kinds` of sentences, of which all tokens have the first; 0: the model knows none. */
static void declare(sac_pretrained_model *m, const names *n, int kinds, sac_config *c)
{
    float epsilon = sac_config_number_or(c, "layer_norm_eps", 1e-12f);
    sac_architecture_text_sizes(m, c, n->width, n->layers, n->heads);
    m->hidden = (size_t)sac_config_size(c, n->hidden, 1, 8 * SAC_ARCHITECTURE_WIDTH);
    m->places = (size_t)sac_config_size(c, "max_position_embeddings", 1, 1 << 20);
    m->run.activation = sac_architecture_activation(c, n->activation);
    m->prefix = sac_pretrained_prefix(m->files, n->prefix, "embeddings.word_embeddings.weight");
    declare_tensors(m, n, kinds, epsilon);
}

void sac_bert_declare_decoder(sac_pretrained_model *m, float epsilon)
{
    sac_parameters *p = &m->parameters;
    size_t D = m->width, memory = m->text_decoder.memory;
    char name[48];
    declare_tensors(m, &of_bert, 0, epsilon);
    for (int i = 0; i < m->layers; i++) {
        sac_transformer_layer *l = &m->layer[i];
        snprintf(name, sizeof name, "encoder.layer.%d.crossattention", i);
        l->attention[SAC_PART_CROSS] =
            (sac_multihead){.query = sac_dense_declare(p, name, "self.query", D, D, true),
                            .key = sac_dense_declare(p, name, "self.key", D, memory, true),
                            .value = sac_dense_declare(p, name, "self.value", D, memory, true),
                            .out = sac_dense_declare(p, name, "output.dense", D, D, true)};
        l->norm[SAC_PART_CROSS] = sac_layer_norm_declare(p, name, "output.LayerNorm", D);
        l->norm[SAC_PART_CROSS].epsilon = epsilon;
    }
}

/* A BERT may be a decoder: then a token sees none after it. */
static void read_mask(sac_pretrained_model *m, sac_config *c)
{
    m->run.causal = sac_config_flag_or(c, "is_decoder", false);
    if (sac_config_flag_or(c, "add_cross_attention", false))
        sac_pretrained_model_tell(m, "its layers that look at another model are left out");
}

static void declare_bert(sac_pretrained_model *m, sac_config *c)
{
    declare(m, &of_bert, sac_config_size_or(c, "type_vocab_size", 1, 1024, 2), c);
    read_mask(m, c);
}

static void declare_distilbert(sac_pretrained_model *m, sac_config *c)
{
    declare(m, &of_distilbert, 0, c);
}

/* Places are counted from after that of padding, as fairseq does. */
static void declare_roberta(sac_pretrained_model *m, sac_config *c)
{
    names n = of_bert;
    n.prefix[0] = "roberta.";
    declare(m, &n, sac_config_size_or(c, "type_vocab_size", 1, 1024, 1), c);
    read_mask(m, c);
    m->padding = sac_config_size_or(c, "pad_token_id", 0, 1024, 1);
    m->first_place = (size_t)m->padding + 1;
    if (m->places <= m->first_place)
        sac_config_refuse(c, "max_position_embeddings", "leaves no places for tokens");
    else
        m->places -= m->first_place;
}

/* Files of 2018 call a norm's weight gamma and its bias beta. */
static void locate(void *context, const sac_parameter *parameter, sac_tensor_place *place)
{
    const sac_pretrained_model *m = context;
    char full[sizeof place->name + 32], *ending = strstr(place->name, "LayerNorm.");
    snprintf(full, sizeof full, "%s%s", m->prefix, parameter->name);
    if (!ending || sac_pretrained_find(m->files, full))
        return;
    ending += strlen("LayerNorm.");
    snprintf(ending, sizeof place->name - (size_t)(ending - place->name), "%s",
             strcmp(ending, "weight") == 0 ? "gamma" : "beta");
    snprintf(full, sizeof full, "%s%s", m->prefix, place->name);
    if (!sac_pretrained_find(m->files, full)) /* what is missing has today's name */
        memcpy(place->name, parameter->name, sizeof place->name);
}

/* A head over masked words is not shown, so whether it is tied does not matter; layers that would
 * attend to another model are left out, and that is told. */
#define OF_BERT                                                                                    \
    COMMON, U("hidden_size", "768"), U("num_hidden_layers", "12"), U("num_attention_heads", "12"), \
        U("intermediate_size", "3072"), U("hidden_act", "\"gelu\""),                               \
        U("max_position_embeddings", "512"), U("type_vocab_size", "2"),                            \
        U("layer_norm_eps", "1e-12"), U("is_decoder", "false"), U("add_cross_attention", "false"), \
        O("position_embedding_type", "\"absolute\""), H("hidden_dropout_prob"),                    \
        H("attention_probs_dropout_prob"), H("bos_token_id"), H("eos_token_id"),                   \
        H("tie_word_embeddings")

static const sac_config_key sac_keys_of_bert[] = {OF_BERT, U("vocab_size", "30522"),
                                                  H("pad_token_id"), END};
/* The size of its vocabulary is that of RoBERTa's own class, not of XLM-R's; a file has it. */
static const sac_config_key sac_keys_of_roberta[] = {OF_BERT, U("vocab_size", "50265"),
                                                     U("pad_token_id", "1"), END};

static const sac_config_key sac_keys_of_distilbert[] = {
    COMMON,
    U("vocab_size", "30522"),
    U("max_position_embeddings", "512"),
    U("n_layers", "6"),
    U("n_heads", "12"),
    U("dim", "768"),
    U("hidden_dim", "3072"),
    U("activation", "\"gelu\""),
    H("sinusoidal_pos_embds"), /* the file has them */
    H("dropout"),
    H("attention_dropout"),
    H("qa_dropout"),
    H("seq_classif_dropout"),
    H("pad_token_id"),
    H("eos_token_id"),
    H("bos_token_id"),
    H("tie_word_embeddings"),
    END};

const sac_architecture sac_architecture_bert = {.types = {"bert"},
                                                .keys = sac_keys_of_bert,
                                                .architectures = {"Bert"},
                                                .mark = "embeddings.token_type_embeddings.weight",
                                                .declare = declare_bert,
                                                .locate = locate};
const sac_architecture sac_architecture_distilbert = {
    .types = {"distilbert"},
    .keys = sac_keys_of_distilbert,
    .architectures = {"DistilBert"},
    .mark = "transformer.layer.0.attention.q_lin.weight",
    .declare = declare_distilbert};
const sac_architecture sac_architecture_roberta = {
    .types = {"roberta", "xlm-roberta", "camembert"},
    .keys = sac_keys_of_roberta,
    .architectures = {"Roberta", "XLMRoberta", "Camembert"},
    .mark = "roberta.embeddings.word_embeddings.weight",
    .declare = declare_roberta,
    .locate = locate};
