/* Translators whose decoder attends to what an encoder made of the source, in the layers of BART
 * (Lewis et al. 2019): Marian (Junczys-Dowmunt et al. 2018), the translators of OPUS-MT (Tiedemann
 * and Thottingal 2020); BART, which also sums texts up; mBART (Liu et al. 2020, Tang et al. 2020);
  * M2M-100 (Fan et al. 2020) and NLLB (2022); Pegasus (Zhang et al. 2020), which sums up. One matrix has the words of both halves and predicts what
 * comes next, but for a Marian whose languages have one each, and where there is a head for that. */
#include "architectures/architecture.h"
#include "architectures/config_keys.h"

#define ATTENTION(name)                                                                            \
    {                                                                                              \
        .query = name ".q_proj", .key = name ".k_proj", .value = name ".v_proj",                   \
        .out = name ".out_proj"                                                                    \
    }
#define OF_HALF(half)                                                                              \
    .width = "d_model", .max_positions = "max_position_embeddings",                                \
    .activation = "activation_function", .scaled_words = "scale_embedding", .up = "fc1",           \
    .down = "fc2", .bias = SAC_ALL_BIASED, .prefix = {"model.", ""}, .layers = half "_layers",     \
    .heads = half "_attention_heads", .hidden = half "_ffn_dim", .layer = half ".layers.%d"
#define OF_ENCODER                                                                                 \
    OF_HALF("encoder"),                                                                            \
        .attention = {ATTENTION("self_attn")},                                                     \
        .norm = {                                                                                  \
            [SAC_PART_SELF] = "self_attn_layer_norm", [SAC_PART_FORWARD] = "final_layer_norm"}
#define OF_DECODER                                                                                 \
    OF_HALF("decoder"),                                                                            \
        .attention = {ATTENTION("self_attn"), ATTENTION("encoder_attn")},                          \
        .norm = {"self_attn_layer_norm", "encoder_attn_layer_norm", "final_layer_norm"},           \
        .causal = {NULL, true}
/* Positions are learned; the first token has row 2. */
#define LEARNS_POSITIONS(half)                                                                     \
    .positions = half ".embed_positions.weight", .skipped = 2,                                     \
    .first_norm = half ".layernorm_embedding"
#define NORMS_FIRST(half) .norm_first = true, .last_norm = half ".layer_norm"

static const sac_description marian_encoder = {OF_ENCODER, .sinusoids = SAC_SINUSOIDS_OF_MARIAN};
static const sac_description marian_decoder = {OF_DECODER};
const sac_description sac_bart_encoder = {OF_ENCODER, LEARNS_POSITIONS("encoder")};
const sac_description sac_bart_decoder = {OF_DECODER, LEARNS_POSITIONS("decoder")};
static const sac_description mbart_encoder = {OF_ENCODER, LEARNS_POSITIONS("encoder"),
                                              NORMS_FIRST("encoder")};
static const sac_description mbart_decoder = {OF_DECODER, LEARNS_POSITIONS("decoder"),
                                              NORMS_FIRST("decoder")};
static const sac_description m2m_100_encoder = {OF_ENCODER, NORMS_FIRST("encoder"),
                                                .sinusoids = SAC_SINUSOIDS_OF_FAIRSEQ};
static const sac_description m2m_100_decoder = {OF_DECODER, NORMS_FIRST("decoder")};
static const sac_description pegasus_encoder = {OF_ENCODER, NORMS_FIRST("encoder"),
                                                .sinusoids = SAC_SINUSOIDS_OF_MARIAN};

/* ---------------------------------------------------------------- what both halves have */

#define WORDS_READ "model.encoder.embed_tokens.weight"
#define TARGET_WORDS "model.decoder.embed_tokens.weight"
#define SHARED "model.shared.weight"
#define BARE_WORDS "shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"
#define HEAD "lm_head.weight"

static bool has_own_head(sac_config *c)
{
    return !sac_config_flag_or(c, "tie_word_embeddings", true);
}

/* Whether one matrix has the words of both languages. A model that is not tied may have one for
 * each whatever its setting for sharing. */
static bool shares_words(const sac_pretrained_model *m, sac_config *c)
{
    bool shares = sac_config_flag_or(c, "share_encoder_decoder_embeddings", true);
    return shares && !(has_own_head(c) && sac_pretrained_find(m->files, WORDS_READ) &&
                       sac_pretrained_find(m->files, TARGET_WORDS));
}

/* ---------------------------------------------------------------- the decoder */

static void declare_decoder(sac_pretrained_model *m, sac_config *c,
                            const sac_description *description)
{
    static const char *const names[] = {TARGET_WORDS, HEAD, NULL};
    sac_describe(m, c, description);
    if (c->status != SAC_OK)
        return;
    if (!shares_words(m, c)) {
        if (!sac_config_flag_or(c, "share_encoder_decoder_embeddings", true))
            m->vocabulary = (size_t)sac_config_size_or(c, "decoder_vocab_size", 1,
                                                       SAC_ARCHITECTURE_TOKENS, (int)m->vocabulary);
        m->words = sac_parameter_weight(
            &m->parameters, has_own_head(c) ? TARGET_WORDS : sac_architecture_find_name(m, names),
            m->vocabulary, m->width);
    }
    if (has_own_head(c))
        m->head = sac_parameter_weight(&m->parameters, HEAD, m->vocabulary, m->width);
    if (sac_pretrained_find(m->files, "final_logits_bias"))
        m->text_decoder.bias =
            sac_parameter_matrix(&m->parameters, "final_logits_bias", 1, m->vocabulary);
    sac_architecture_read_search(m, c, "decoder_start_token_id", "eos_token_id");
}

#define DECODER(name, description)                                                                 \
    static void declare_decoder_of_##name(sac_pretrained_model *m, sac_config *c)                  \
    {                                                                                              \
        declare_decoder(m, c, &description);                                                       \
    }                                                                                              \
    static const sac_architecture decoder_of_##name = {.declare = declare_decoder_of_##name};
DECODER(marian, marian_decoder)
DECODER(bart, sac_bart_decoder)
DECODER(mbart, mbart_decoder)
DECODER(m2m_100, m2m_100_decoder)

/* ---------------------------------------------------------------- both */

/* A BART that was trained as a classifier generates no words. */
static bool generates(const sac_config *c)
{
    static const char *const others[] = {"ForSequenceClassification", "ForQuestionAnswering"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (sac_architecture_name_has(c, others[i]))
            return false;
    return true;
}

static void declare(sac_pretrained_model *m, sac_config *c, const sac_description *description,
                    const sac_architecture *decoder)
{
    static const char *const shared[] = {SHARED, WORDS_READ, TARGET_WORDS, BARE_WORDS, NULL};
    static const char *const tied[] = {SHARED, WORDS_READ, TARGET_WORDS, HEAD, BARE_WORDS, NULL};
    sac_describe(m, c, description);
    if (c->status != SAC_OK)
        return;
    bool shares = shares_words(m, c);
    m->words = sac_parameter_weight(
        &m->parameters,
        shares ? sac_architecture_find_name(m, has_own_head(c) ? shared : tied) : WORDS_READ,
        m->vocabulary, m->width);
    if (!generates(c)) {
        sac_pretrained_model_note(m,
                                  "it classifies texts and generates none; its encoder is shown");
        return;
    }
    sac_architecture_add_decoder(m, decoder, true, c);
    if (!m->decoder)
        return;
    if (shares)
        m->decoder->words = m->words;
    if (description->sinusoids) {
        m->decoder->positions = m->positions;
        m->decoder->first_place = m->first_place;
    }
}

static void declare_marian(sac_pretrained_model *m, sac_config *c)
{
    declare(m, c, &marian_encoder, &decoder_of_marian);
}

static void declare_bart(sac_pretrained_model *m, sac_config *c)
{
    declare(m, c, &sac_bart_encoder, &decoder_of_bart);
}

static void declare_mbart(sac_pretrained_model *m, sac_config *c)
{
    declare(m, c, &mbart_encoder, &decoder_of_mbart);
}

static void declare_m2m_100(sac_pretrained_model *m, sac_config *c)
{
    declare(m, c, &m2m_100_encoder, &decoder_of_m2m_100);
}

static void declare_pegasus(sac_pretrained_model *m, sac_config *c)
{
    declare(m, c, &pegasus_encoder, &decoder_of_m2m_100);
}

/* ---------------------------------------------------------------- the keys of config.json */

/* What all of them have. The first entry of a name wins. */
#define PAIR                                                                                       \
    COMMON, U("max_position_embeddings", "1024"), U("encoder_layers", "12"),                       \
        U("encoder_ffn_dim", "4096"), U("encoder_attention_heads", "16"),                          \
        U("decoder_layers", "12"), U("decoder_ffn_dim", "4096"),                                   \
        U("decoder_attention_heads", "16"), U("d_model", "1024"), N("eos_token_id", "2"),          \
        U("tie_word_embeddings", "true"), H("bos_token_id"), H("encoder_layerdrop"),               \
        H("decoder_layerdrop"), H("dropout"), H("attention_dropout"), H("activation_dropout"),     \
        H("init_std"), H("is_decoder"), END

static const sac_config_key sac_keys_of_marian[] = {
    U("vocab_size", "58101"),
    U("decoder_vocab_size", NULL),
    U("activation_function", "\"gelu\""),
    U("scale_embedding", "false"),
    U("share_encoder_decoder_embeddings", "true"),
    U("decoder_start_token_id", "58100"),
    N("pad_token_id", "58100"),
    N("eos_token_id", "0"),
    N("forced_eos_token_id", "0"),
    PAIR,
};
const sac_config_key sac_keys_of_bart[] = {
    U("vocab_size", "50265"),
    U("activation_function", "\"gelu\""),
    N("scale_embedding", "false"),
    N("decoder_start_token_id", "2"),
    N("pad_token_id", "1"),
    N("forced_eos_token_id", "2"),
    PAIR,
};
const sac_config_key sac_keys_of_mbart[] = {
    U("vocab_size", "50265"),
    U("activation_function", "\"gelu\""),
    U("scale_embedding", "false"),
    U("decoder_start_token_id", NULL),
    N("pad_token_id", "1"),
    N("forced_eos_token_id", "2"),
    H("add_final_layer_norm"),
    H("add_cross_attention"),
    PAIR,
};
static const sac_config_key sac_keys_of_m2m_100[] = {
    U("vocab_size", "128112"),
    U("activation_function", "\"relu\""),
    U("scale_embedding", "true"),
    N("decoder_start_token_id", "2"),
    U("pad_token_id", "1"),
    U("forced_eos_token_id", NULL),
    PAIR,
};

static const sac_config_key sac_keys_of_pegasus[] = {
    U("vocab_size", "50265"),
    U("activation_function", "\"gelu\""),
    U("scale_embedding", "false"),
    N("decoder_start_token_id", "0"),
    N("pad_token_id", "0"),
    N("eos_token_id", "1"),
    N("forced_eos_token_id", "1"),
    H("add_bias_logits"),
    H("add_final_layer_norm"),
    H("normalize_before"),
    H("normalize_embedding"),
    H("static_position_embeddings"),
    H("extra_pos_embeddings"),
    H("force_bos_token_to_be_generated"),
    PAIR,
};

const sac_architecture sac_architecture_marian = {
    .types = {"marian"},
    .keys = sac_keys_of_marian,
    .architectures = {"Marian"},
    .mark = "encoder.layers.0.self_attn_layer_norm.weight",
    .declare = declare_marian};
const sac_architecture sac_architecture_bart = {.types = {"bart"},
                                                .keys = sac_keys_of_bart,
                                                .architectures = {"Bart"},
                                                .declare = declare_bart};
const sac_architecture sac_architecture_mbart = {.types = {"mbart"},
                                                 .keys = sac_keys_of_mbart,
                                                 .architectures = {"MBart"},
                                                 .declare = declare_mbart};
const sac_architecture sac_architecture_m2m_100 = {.types = {"m2m_100", "nllb"},
                                                   .keys = sac_keys_of_m2m_100,
                                                   .architectures = {"M2M100"},
                                                   .declare = declare_m2m_100};
const sac_architecture sac_architecture_pegasus = {.types = {"pegasus"},
                                                   .keys = sac_keys_of_pegasus,
                                                   .architectures = {"Pegasus"},
                                                   .declare = declare_pegasus};
