/* Marian (Junczys-Dowmunt et al. 2018), the translators of OPUS-MT (Tiedemann and Thottingal 2020):
 * a transformer whose decoder attends to what its encoder made of the source. Each part is followed
 * by a layer norm. One matrix has the words of both languages, or each language has its own; the
 * that of the target also tells what comes next, but where there is a head for that. */
#include "architectures/architecture.h"
#include "architectures/config_keys.h"

#define ATTENTION(name)                                                                            \
    {                                                                                              \
        .query = name ".q_proj", .key = name ".k_proj", .value = name ".v_proj",                   \
        .out = name ".out_proj"                                                                    \
    }
#define DESCRIBE_HALF                                                                              \
    .width = "d_model", .places = "max_position_embeddings", .activation = "activation_function",  \
    .scaled_words = "scale_embedding", .up = "fc1", .down = "fc2", .bias = SAC_ALL_BIASED

static const sac_description encoder = {
    DESCRIBE_HALF,
    .layers = "encoder_layers",
    .heads = "encoder_attention_heads",
    .hidden = "encoder_ffn_dim",
    .layer = "model.encoder.layers.%d",
    .attention = {ATTENTION("self_attn")},
    .norm = {[SAC_PART_SELF] = "self_attn_layer_norm", [SAC_PART_FORWARD] = "final_layer_norm"}};
static const sac_description decoder = {
    DESCRIBE_HALF,
    .layers = "decoder_layers",
    .heads = "decoder_attention_heads",
    .hidden = "decoder_ffn_dim",
    .layer = "model.decoder.layers.%d",
    .attention = {ATTENTION("self_attn"), ATTENTION("encoder_attn")},
    .norm = {"self_attn_layer_norm", "encoder_attn_layer_norm", "final_layer_norm"},
    .causal = {NULL, true}};

/* ---------------------------------------------------------------- what both halves have */

#define WORDS_READ "model.encoder.embed_tokens.weight"
#define WORDS_SAID "model.decoder.embed_tokens.weight"
#define HEAD "lm_head.weight"

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

/* Tied tensors lie in a file once, under any of these names. */
static const char *find_words(const sac_pretrained_model *m, const char *const *names)
{
    for (const char *const *name = names; *name; name++)
        if (sac_pretrained_find(m->files, *name))
            return *name;
    return names[0];
}

/* ---------------------------------------------------------------- the decoder */

static void declare_decoder(sac_pretrained_model *m, sac_config *c)
{
    static const char *const said[] = {WORDS_SAID, HEAD, NULL};
    sac_describe(m, c, &decoder);
    if (c->status != SAC_OK)
        return;
    if (!shares_words(m, c)) {
        if (!sac_config_flag_or(c, "share_encoder_decoder_embeddings", true))
            m->vocabulary = (size_t)sac_config_size_or(c, "decoder_vocab_size", 1,
                                                       SAC_ARCHITECTURE_TOKENS, (int)m->vocabulary);
        m->words =
            sac_parameter_weight(&m->parameters, has_head(c) ? WORDS_SAID : find_words(m, said),
                                 m->vocabulary, m->width);
    }
    if (has_head(c))
        m->head = sac_parameter_weight(&m->parameters, HEAD, m->vocabulary, m->width);
    m->text_decoder.bias =
        sac_parameter_matrix(&m->parameters, "final_logits_bias", 1, m->vocabulary);
    sac_architecture_read_search(m, c, "decoder_start_token_id", "eos_token_id");
}

static const sac_architecture decoder_of_marian = {.declare = declare_decoder};

/* ---------------------------------------------------------------- both */

static void declare(sac_pretrained_model *m, sac_config *c)
{
    static const char *const shared[] = {"model.shared.weight", WORDS_READ, WORDS_SAID, NULL};
    static const char *const tied[] = {"model.shared.weight", WORDS_READ, WORDS_SAID, HEAD, NULL};
    sac_describe(m, c, &encoder);
    if (c->status != SAC_OK)
        return;
    bool shares = shares_words(m, c);
    m->words = sac_parameter_weight(
        &m->parameters, shares ? find_words(m, has_head(c) ? shared : tied) : WORDS_READ,
        m->vocabulary, m->width);
    sac_architecture_declare_sinusoids(m);
    sac_architecture_add_decoder(m, &decoder_of_marian, true, c);
    if (!m->decoder)
        return;
    if (shares)
        m->decoder->words = m->words;
    m->decoder->positions = m->positions;
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
    .declare = declare};
