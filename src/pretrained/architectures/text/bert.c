/* BERT (Devlin et al. 2019) and its kind: RoBERTa, MiniLM, DistilBERT, ELECTRA, ERNIE (Sun et al. 2019),
 * MPNet (Song et al. 2020), ALBERT (Lan et al. 2020), ModernBERT (Warner et al. 2024). Each part but ModernBERT's is followed by a layer
 * norm, and every token sees all others, unless a BERT is a decoder. */
#include "architectures/architecture.h"
#include "architectures/config_keys.h"

#define DESCRIBE_BERT                                                                              \
    .width = "hidden_size", .layers = "num_hidden_layers", .heads = "num_attention_heads",         \
    .hidden = "intermediate_size", .max_positions = "max_position_embeddings",                     \
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

static const sac_description of_bert = {DESCRIBE_BERT,
                                        .prefix = {"bert.", ""},
                                        .classifier = "classifier",
                                        .pooler = "pooler.dense",
                                        .pools_inside = true,
                                        .pooled = SAC_TANH};
/* Jina's second (Günther et al. 2023), whose folders name its type bert, has no trained positions: its scores fall with
 * the distance to both sides, and its feed-forward networks have gates. */
static void declare_bert(sac_pretrained_model *m, sac_config *c)
{
    static const char *const places[] = {"absolute", "alibi", NULL};
    static const char *const networks[] = {"original", "geglu", "reglu", NULL};
    sac_description d = of_bert;
    if (sac_config_choice(c, "position_embedding_type", places) == 1) {
        d.positions = NULL;
        d.alibi = true;
    }
    const int network = sac_config_choice(c, "feed_forward_type", networks);
    if (network > 0) {
        d.activation = NULL;
        d.activated = network == 1 ? SAC_GELU : SAC_RELU;
        d.fused_gate = "mlp.gated_layers";
        d.up = NULL;
        d.up_unbiased = true;
        d.down = "mlp.wo";
        d.norm[SAC_PART_FORWARD] = "mlp.layernorm";
    }
    sac_describe(m, c, &d);
}

/* Its third version distinguishes tasks, of which the first is taken where none is given. */
static const sac_description of_ernie = {DESCRIBE_BERT,
                                         .prefix = {"ernie.", ""},
                                         .tasks = "embeddings.task_type_embeddings.weight",
                                         .task_switch = "use_task_id",
                                         .task_count = "task_type_vocab_size",
                                         .classifier = "classifier",
                                         .pooler = "pooler.dense",
                                         .pools_inside = true,
                                         .pooled = SAC_TANH};
/* Places are counted from after that of padding, as fairseq does. */
static const sac_description of_roberta = {DESCRIBE_BERT,
                                           .prefix = {"roberta.", ""},
                                           .padding = "pad_token_id",
                                           .classifier = "classifier.out_proj",
                                           .pooler = "classifier.dense",
                                           .pooled = SAC_TANH};

/* Its words may be narrower than its layers. */
static const sac_description of_electra = {DESCRIBE_BERT,
                                           .prefix = {"electra.", "discriminator.", ""},
                                           .word_width = "embedding_size",
                                           .projection = "embeddings_project",
                                           .classifier = "classifier.out_proj",
                                           .pooler = "classifier.dense",
                                           .pooled = SAC_GELU};

/* Scores also fall with the distance, by the same trained numbers in all layers. */
static const sac_description of_mpnet = {
    .width = "hidden_size",
    .layers = "num_hidden_layers",
    .heads = "num_attention_heads",
    .hidden = "intermediate_size",
    .max_positions = "max_position_embeddings",
    .activation = "hidden_act",
    .epsilon = "layer_norm_eps",
    .prefix = {"mpnet.", ""},
    .words = "embeddings.word_embeddings.weight",
    .positions = "embeddings.position_embeddings.weight",
    .padding = "pad_token_id",
    .first_norm = "embeddings.LayerNorm",
    .layer = "encoder.layer.%d",
    .attention = {{.query = "attention.attn.q",
                   .key = "attention.attn.k",
                   .value = "attention.attn.v",
                   .out = "attention.attn.o"}},
    .up = "intermediate.dense",
    .down = "output.dense",
    .norm = {[SAC_PART_SELF] = "attention.LayerNorm", [SAC_PART_FORWARD] = "output.LayerNorm"},
    .relative = "encoder.relative_attention_bias.weight",
    .relative_whole = true,
    .buckets = "relative_attention_num_buckets",
    .classifier = "classifier.out_proj",
    .pooler = "classifier.dense",
    .pooled = SAC_TANH,
    .bias = SAC_ALL_BIASED};

/* One layer, or one of each group of layers, stands for all. */
static const sac_description of_albert = {
    .width = "hidden_size",
    .layers = "num_hidden_layers",
    .heads = "num_attention_heads",
    .hidden = "intermediate_size",
    .max_positions = "max_position_embeddings",
    .activation = "hidden_act",
    .epsilon = "layer_norm_eps",
    .prefix = {"albert.", ""},
    .words = "embeddings.word_embeddings.weight",
    .positions = "embeddings.position_embeddings.weight",
    .kinds = "embeddings.token_type_embeddings.weight",
    .kind_count = "type_vocab_size",
    .first_norm = "embeddings.LayerNorm",
    .word_width = "embedding_size",
    .projection = "encoder.embedding_hidden_mapping_in",
    .always_projects = true,
    .classifier = "classifier",
    .pooler = "pooler",
    .pools_inside = true,
    .pooled = SAC_TANH,
    .layer = "encoder.albert_layer_groups.%d.albert_layers.0",
    .groups = "num_hidden_groups",
    .attention = {{.query = "attention.query",
                   .key = "attention.key",
                   .value = "attention.value",
                   .out = "attention.dense"}},
    .up = "ffn",
    .down = "ffn_output",
    .norm = {[SAC_PART_SELF] = "attention.LayerNorm", [SAC_PART_FORWARD] = "full_layer_layer_norm"},
    .bias = SAC_ALL_BIASED};

/* Norms stand before the parts; positions turn queries and keys, by another base in layers that see
 * a window. */
#define ATTENTION_BIAS                                                                             \
    {                                                                                              \
        "attention_bias", false                                                                    \
    }
static const sac_description of_modernbert = {
    .width = "hidden_size",
    .layers = "num_hidden_layers",
    .heads = "num_attention_heads",
    .hidden = "intermediate_size",
    .max_positions = "max_position_embeddings",
    .activation = "hidden_activation",
    .epsilon = "norm_eps",
    .prefix = {"model.", ""},
    .words = "embeddings.tok_embeddings.weight",
    .first_norm = "embeddings.norm",
    .begins_normed = true,
    .last_norm = "final_norm",
    .classifier = "classifier",
    .pooler = "head.dense",
    .pooled_norm = "head.norm",
    .pooled_by = "classifier_activation",
    .pools = "classifier_pooling",
    .layer = "layers.%d",
    .attention = {{.fused = "attn.Wqkv", .out = "attn.Wo"}},
    .fused_gate = "mlp.Wi",
    .down = "mlp.Wo",
    .norm = {[SAC_PART_SELF] = "attn_norm", [SAC_PART_FORWARD] = "mlp_norm"},
    .norm_biased = {"norm_bias", false},
    .norm_first = true,
    .bias = {ATTENTION_BIAS, ATTENTION_BIAS, ATTENTION_BIAS, ATTENTION_BIAS, {"mlp_bias", false}},
    .window = "local_attention",
    .window_around = true,
    .full_every = "global_attn_every_n_layers",
    .full_from_0 = true,
    .rotary = true,
    .rope_base = "global_rope_theta",
    .local_base = "local_rope_theta"};

static const sac_description of_distilbert = {
    .width = "dim",
    .layers = "n_layers",
    .heads = "n_heads",
    .hidden = "hidden_dim",
    .max_positions = "max_position_embeddings",
    .activation = "activation",
    .epsilon = "layer_norm_eps",
    .prefix = {"distilbert.", ""},
    .classifier = "classifier",
    .pooler = "pre_classifier",
    .pooled = SAC_RELU,
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
 * attend to another model are left out, with a note. */
#define OF_BERT                                                                                    \
    COMMON, U("hidden_size", "768"), U("num_hidden_layers", "12"), U("num_attention_heads", "12"), \
        U("intermediate_size", "3072"), U("hidden_act", "\"gelu\""),                               \
        U("max_position_embeddings", "512"), U("type_vocab_size", "2"),                            \
        U("layer_norm_eps", "1e-12"), U("is_decoder", "false"), U("add_cross_attention", "false"), \
        O("position_embedding_type", "\"absolute\""), H("hidden_dropout_prob"),                    \
        H("attention_probs_dropout_prob"), H("bos_token_id"), H("eos_token_id"),                   \
        H("tie_word_embeddings")

static const sac_config_key sac_keys_of_bert[] = {
    U("position_embedding_type", "\"absolute\""),
    OF_BERT,
    U("vocab_size", "30522"),
    U("feed_forward_type", "\"original\""),
    H("emb_pooler"),
    H("model_max_length"),
    H("pad_token_id"),
    END,
};
static const sac_config_key sac_keys_of_ernie[] = {
    OF_BERT,
    U("vocab_size", "30522"),
    U("use_task_id", "false"),
    U("task_type_vocab_size", "3"),
    H("pad_token_id"),
    END,
};
/* The size of its vocabulary is that of RoBERTa's own class, not of XLM-R's; a file has it. */
static const sac_config_key sac_keys_of_roberta[] = {
    OF_BERT,
    U("vocab_size", "50265"),
    U("pad_token_id", "1"),
    END,
};

static const sac_config_key sac_keys_of_electra[] = {
    U("hidden_size", "256"),
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
    END,
};

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
    END,
};

static const sac_config_key sac_keys_of_mpnet[] = {
    COMMON,
    U("vocab_size", "30527"),
    U("hidden_size", "768"),
    U("num_hidden_layers", "12"),
    U("num_attention_heads", "12"),
    U("intermediate_size", "3072"),
    U("hidden_act", "\"gelu\""),
    U("max_position_embeddings", "512"),
    U("layer_norm_eps", "1e-12"),
    O("pad_token_id", "[1, null]"),            /* what its class takes, whatever is given … */
    O("relative_attention_num_buckets", "32"), /* … and so of these */
    H("hidden_dropout_prob"),
    H("attention_probs_dropout_prob"),
    H("gradient_checkpointing"),
    H("bos_token_id"),
    H("eos_token_id"),
    H("tie_word_embeddings"),
    END,
};
static const sac_config_key sac_keys_of_albert[] = {
    COMMON,
    U("vocab_size", "30000"),
    U("embedding_size", "128"),
    U("hidden_size", "4096"),
    U("num_hidden_layers", "12"),
    U("num_hidden_groups", "1"),
    U("num_attention_heads", "64"),
    U("intermediate_size", "16384"),
    O("inner_group_num", "1"),
    U("hidden_act", "\"gelu_new\""),
    U("max_position_embeddings", "512"),
    U("type_vocab_size", "2"),
    U("layer_norm_eps", "1e-12"),
    H("hidden_dropout_prob"),
    H("attention_probs_dropout_prob"),
    H("classifier_dropout_prob"),
    H("pad_token_id"),
    H("bos_token_id"),
    H("eos_token_id"),
    H("tie_word_embeddings"),
    H("down_scale_factor"),
    H("gap_size"),
    H("net_structure_type"),
    H("num_memory_blocks"),
    END,
};
static const sac_config_key sac_keys_of_modernbert[] = {
    COMMON,
    U("vocab_size", "50368"),
    U("hidden_size", "768"),
    U("intermediate_size", "1152"),
    U("num_hidden_layers", "22"),
    U("num_attention_heads", "12"),
    U("hidden_activation", "\"gelu\""),
    U("max_position_embeddings", "8192"),
    U("norm_eps", "1e-5"),
    U("norm_bias", "false"),
    U("attention_bias", "false"),
    U("mlp_bias", "false"),
    U("layer_types", NULL),
    U("rope_parameters", NULL),
    U("rope_scaling", NULL),
    U("local_attention", "128"),
    U("global_attn_every_n_layers", "3"),
    U("global_rope_theta", "160000"),
    U("local_rope_theta", "10000"),
    U("partial_rotary_factor", NULL),
    H("initializer_cutoff_factor"),
    H("pad_token_id"),
    H("eos_token_id"),
    H("bos_token_id"),
    H("cls_token_id"),
    H("sep_token_id"),
    H("attention_dropout"),
    H("embedding_dropout"),
    H("mlp_dropout"),
    H("decoder_bias"),
    U("classifier_pooling", "\"cls\""),
    H("classifier_bias"),
    U("classifier_activation", "\"gelu\""),
    H("deterministic_flash_attn"),
    H("sparse_prediction"),
    H("sparse_pred_ignore_index"),
    H("tie_word_embeddings"),
    H("reference_compile"),
    H("repad_logits_with_grad"),
    H("position_embedding_type"),
    H("layer_norm_eps"),
    END,
};

const sac_architecture sac_architecture_bert = {.types = {"bert"},
                                                .keys = sac_keys_of_bert,
                                                .architectures = {"Bert"},
                                                .mark = "embeddings.token_type_embeddings.weight",
                                                .describes = &of_bert,
                                                .declare = declare_bert};
const sac_architecture sac_architecture_ernie = {.types = {"ernie"},
                                                 .keys = sac_keys_of_ernie,
                                                 .architectures = {"ErnieFor", "ErnieModel"},
                                                 .mark = "embeddings.task_type_embeddings.weight",
                                                 .describes = &of_ernie};
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
const sac_architecture sac_architecture_mpnet = {.types = {"mpnet"},
                                                 .keys = sac_keys_of_mpnet,
                                                 .architectures = {"MPNet"},
                                                 .mark = "encoder.relative_attention_bias.weight",
                                                 .describes = &of_mpnet};
const sac_architecture sac_architecture_albert = {.types = {"albert"},
                                                  .keys = sac_keys_of_albert,
                                                  .architectures = {"Albert"},
                                                  .mark =
                                                      "encoder.embedding_hidden_mapping_in.weight",
                                                  .describes = &of_albert};
const sac_architecture sac_architecture_modernbert = {.types = {"modernbert"},
                                                      .keys = sac_keys_of_modernbert,
                                                      .architectures = {"ModernBert"},
                                                      .mark = "embeddings.tok_embeddings.weight",
                                                      .describes = &of_modernbert};
