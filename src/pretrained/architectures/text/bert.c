/* BERT (Devlin et al. 2019) and its kind: RoBERTa, MiniLM, DistilBERT, ELECTRA. Each part is followed by a
 * layer norm, and every token sees all others, unless a BERT is a decoder. */
#include "architectures/architecture.h"
#include "architectures/config_keys.h"

#define DESCRIBE_BERT                                                                              \
    .width = "hidden_size", .layers = "num_hidden_layers", .heads = "num_attention_heads",         \
    .hidden = "intermediate_size", .places = "max_position_embeddings",                            \
    .activation = "hidden_act", .epsilon = "layer_norm_eps",                                       \
    .words = "embeddings.word_embeddings.weight",                                                  \
    .positions = "embeddings.position_embeddings.weight",                                          \
    .kinds = "embeddings.token_type_embeddings.weight", .kind_count = "type_vocab_size",           \
    .first_norm = "embeddings.LayerNorm", .layer = "encoder.layer.%d",                             \
    .attention = {{.query = "attention.self.query",                                                \
                   .key = "attention.self.key",                                                    \
                   .value = "attention.self.value",                                                \
                   .out = "attention.output.dense"}},                                              \
    .up = "intermediate.dense", .down = "output.dense",                                            \
    .norm =                                                                                        \
        {[SAC_PART_SELF] = "attention.output.LayerNorm", [SAC_PART_FORWARD] = "output.LayerNorm"}, \
    .causal = {"is_decoder", false}, .crosses = "add_cross_attention", .bias = SAC_ALL_BIASED

static const sac_description of_bert = {DESCRIBE_BERT, .prefix = {"bert.", ""}};
/* Places are counted from after that of padding, as fairseq does. */
static const sac_description of_roberta = {DESCRIBE_BERT, .prefix = {"roberta.", ""},
                                           .padding = "pad_token_id"};

/* Its words may be narrower than its layers. */
static const sac_description of_electra = {
    DESCRIBE_BERT, .prefix = {"electra.", "discriminator.", ""}, .word_width = "embedding_size",
    .projection = "embeddings_project"};

static const sac_description of_distilbert = {
    .width = "dim",
    .layers = "n_layers",
    .heads = "n_heads",
    .hidden = "hidden_dim",
    .places = "max_position_embeddings",
    .activation = "activation",
    .epsilon = "layer_norm_eps",
    .prefix = {"distilbert.", ""},
    .words = "embeddings.word_embeddings.weight",
    .positions = "embeddings.position_embeddings.weight",
    .first_norm = "embeddings.LayerNorm",
    .layer = "transformer.layer.%d",
    .attention = {{.query = "attention.q_lin",
                   .key = "attention.k_lin",
                   .value = "attention.v_lin",
                   .out = "attention.out_lin"}},
    .up = "ffn.lin1",
    .down = "ffn.lin2",
    .norm = {[SAC_PART_SELF] = "sa_layer_norm", [SAC_PART_FORWARD] = "output_layer_norm"},
    .bias = SAC_ALL_BIASED};

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

static const sac_config_key sac_keys_of_electra[] = {U("hidden_size", "256"),
                                                     U("num_attention_heads", "4"),
                                                     U("intermediate_size", "1024"),
                                                     OF_BERT,
                                                     U("vocab_size", "30522"),
                                                     U("embedding_size", "128"),
                                                     H("pad_token_id"),
                                                     H("generator_size"),
                                                     H("summary_activation"),
                                                     H("summary_last_dropout"),
                                                     H("summary_type"),
                                                     H("summary_use_proj"),
                                                     END};

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
                                                .describes = &of_bert};
const sac_architecture sac_architecture_distilbert = {
    .types = {"distilbert"},
    .keys = sac_keys_of_distilbert,
    .architectures = {"DistilBert"},
    .mark = "transformer.layer.0.attention.q_lin.weight",
    .describes = &of_distilbert};
const sac_architecture sac_architecture_roberta = {
    .types = {"roberta", "xlm-roberta", "camembert"},
    .keys = sac_keys_of_roberta,
    .architectures = {"Roberta", "XLMRoberta", "Camembert"},
    .mark = "roberta.embeddings.word_embeddings.weight",
    .describes = &of_roberta};
const sac_architecture sac_architecture_electra = {.types = {"electra"},
                                                   .keys = sac_keys_of_electra,
                                                   .architectures = {"Electra"},
                                                   .mark = "embeddings_project.weight",
                                                   .describes = &of_electra};
