/* A model out of two, as transformers' VisionEncoderDecoderModel joins them: ViT, DeiT or Swin encodes,
 * and a decoder with layers that attend to that generates: GPT-2, or in TrOCR (Li et al.
 * 2021), which reads a line of text, BART's; in Donut (Kim et al. 2022), which reads a page as its
 * task asks, mBART's. */
#include <cjson/cJSON.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

/* ---------------------------------------------------------------- decoders of BART's kind */

#define ATTENTION(name)                                                                            \
    {                                                                                              \
        .query = name ".q_proj", .key = name ".k_proj", .value = name ".v_proj",                   \
        .out = name ".out_proj"                                                                    \
    }
#define OF_DECODER                                                                                 \
    .width = "d_model", .layers = "decoder_layers", .heads = "decoder_attention_heads",            \
    .hidden = "decoder_ffn_dim", .max_positions = "max_position_embeddings",                       \
    .activation = "activation_function", .scaled_words = "scale_embedding",                        \
    .prefix = {"decoder.model.decoder."}, .words = "embed_tokens.weight",                          \
    .positions = "embed_positions.weight", .skipped = 2, .first_norm = "layernorm_embedding",      \
    .layer = "layers.%d", .attention = {ATTENTION("self_attn"), ATTENTION("encoder_attn")},        \
    .norm = {"self_attn_layer_norm", "encoder_attn_layer_norm", "final_layer_norm"}, .up = "fc1",  \
    .down = "fc2", .bias = SAC_ALL_BIASED, .causal = {NULL, true}
static const sac_description trocr = {OF_DECODER};
static const sac_description mbart = {OF_DECODER, .norm_first = true, .last_norm = "layer_norm"};

static const sac_config_key sac_keys_of_trocr[] = {
    COMMON,
    U("vocab_size", "50265"),
    U("d_model", "1024"),
    U("decoder_layers", "12"),
    U("decoder_attention_heads", "16"),
    U("decoder_ffn_dim", "4096"),
    U("activation_function", "\"gelu\""),
    U("max_position_embeddings", "512"),
    U("scale_embedding", "false"),
    U("use_learned_position_embeddings", "true"),
    U("layernorm_embedding", "true"),
    U("cross_attention_hidden_size", NULL),
    N("decoder_start_token_id", "2"),
    N("pad_token_id", "1"),
    N("eos_token_id", "2"),
    U("tie_word_embeddings", "true"),
    H("add_cross_attention"),
    H("bos_token_id"),
    H("dropout"),
    H("attention_dropout"),
    H("activation_dropout"),
    H("decoder_layerdrop"),
    H("init_std"),
    H("is_decoder"),
    END,
};

/* Keys and values may be made of what the encoder gives as it is, whatever its width. */
static void describe_trocr(sac_pretrained_model *m, sac_config *c)
{
    sac_description d = trocr;
    sac_text_decoder *v = &m->text_decoder;
    if (!sac_config_flag_or(c, "use_learned_position_embeddings", true)) {
        d.positions = NULL;
        d.skipped = 0;
        d.sinusoids = SAC_SINUSOIDS_OF_FAIRSEQ;
    }
    if (!sac_config_flag_or(c, "layernorm_embedding", true))
        d.first_norm = NULL;
    if (sac_config_has(c, "cross_attention_hidden_size")) {
        v->memory =
            (size_t)sac_config_size(c, "cross_attention_hidden_size", 1, SAC_ARCHITECTURE_WIDTH);
        if (v->memory != v->seen)
            sac_config_refuse(c, "cross_attention_hidden_size", "is not the encoder's width, %zu",
                              v->seen);
    }
    if (c->status == SAC_OK)
        sac_describe(m, c, &d);
}

/* ---------------------------------------------------------------- the decoder */

static void declare_bridge(sac_pretrained_model *m, sac_config *c)
{
    sac_text_decoder *v = &m->text_decoder;
    if (v->seen == v->memory)
        return;
    if (sac_config_has(c, "cross_attention_hidden_size"))
        sac_config_refuse(c, "cross_attention_hidden_size", "must be null here");
    v->bridge = sac_dense_declare(&m->parameters, "", "enc_to_dec_proj", v->memory, v->seen, true);
}

/* What transformers takes from the decoder's config where that of both has none. */
static void inherit(sac_config *c, const sac_config *own)
{
    static const char *const names[] = {
        "decoder_start_token_id", "eos_token_id",   "pad_token_id",         "bos_token_id",
        "forced_eos_token_id",    "max_length",     "min_length",           "num_beams",
        "length_penalty",         "early_stopping", "no_repeat_ngram_size", "repetition_penalty",
        "bad_words_ids",          "suppress_tokens"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (sac_config_has(c, names[i]) || !sac_config_has(own, names[i]))
            continue;
        cJSON_DeleteItemFromObjectCaseSensitive(c->json, names[i]); /* null */
        cJSON_AddItemToObject(
            c->json, names[i],
            cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(own->json, names[i]), true));
    }
}

enum { GPT2, TROCR, MBART };

/* `c` is that of both: the tokens are in addition to the two models' own. */
static void declare_decoder(sac_pretrained_model *m, sac_config *c)
{
    static const char *const types[] = {"gpt2", "trocr", "mbart", NULL};
    static const sac_config_key *const keys[] = {sac_keys_of_gpt2, sac_keys_of_trocr,
                                                 sac_keys_of_mbart};
    static const char *const heads[] = {
        "decoder.lm_head.weight", "decoder.output_projection.weight", "decoder.lm_head.weight"};
    static const char *const words[] = {"decoder.transformer.wte.weight",
                                        "decoder.model.decoder.embed_tokens.weight",
                                        "decoder.model.decoder.embed_tokens.weight"};
    sac_config own = sac_config_inside(c, "decoder");
    int type = sac_config_choice(&own, "model_type", types);
    sac_config_apply_keys(&own, keys[type]);
    bool tied = sac_config_flag_or(&own, "tie_word_embeddings", true);
    if (own.status == SAC_OK && type == TROCR)
        describe_trocr(m, &own);
    else if (own.status == SAC_OK)
        sac_describe(m, &own, type == MBART ? &mbart : &sac_gpt2_as_decoder);
    if (own.status == SAC_OK)
        declare_bridge(m, &own);
    if (own.status == SAC_OK && sac_architecture_owns_head(m, heads[type], words[type], tied))
        m->head = sac_parameter_weight(&m->parameters, heads[type], m->vocabulary, m->width);
    c->status = own.status;
    if (c->status != SAC_OK)
        return;
    if (type == MBART) {
        inherit(c, &own);
        m->text_decoder.question = SAC_ASKED_BY_START;
    }
    bool is_mentioned = type != TROCR || sac_config_has(c, "decoder_start_token_id");
    sac_config *searches =
        is_mentioned ? c : &own; /* in TrOCR's files of 2021 it is in the decoder */
    sac_architecture_read_search(m, searches, "decoder_start_token_id", "eos_token_id");
    c->status = searches->status;
}

static const sac_architecture decoder_of_both = {.declare = declare_decoder};

/* ---------------------------------------------------------------- both */

static void declare(sac_pretrained_model *m, sac_config *c)
{
    static const char *const types[] = {"vit", "deit", "swin", "donut-swin", NULL};
    sac_config encoder = sac_config_inside(c, "encoder");
    int type = sac_config_choice(&encoder, "model_type", types);
    sac_config_apply_keys(&encoder, type < 2 ? sac_keys_of_vit : sac_keys_of_swin);
    if (encoder.status == SAC_OK && type < 2)
        sac_describe(m, &encoder, type ? &sac_deit_as_encoder : &sac_vit_as_encoder);
    else if (encoder.status == SAC_OK)
        sac_swin_declare(m, &encoder);
    c->status = encoder.status;
    sac_architecture_add_decoder(m, &decoder_of_both, true, c);
}

static const sac_config_key sac_keys_of_pair[] = {
    COMMON, U("encoder", "{}"), U("decoder", "{}"), U("tie_word_embeddings", NULL), END,
};

const sac_architecture sac_architecture_vision_encoder_decoder = {
    .types = {"vision-encoder-decoder"},
    .keys = sac_keys_of_pair,
    .architectures = {"VisionEncoderDecoder"},
    .mark = "decoder.transformer.wte.weight",
    .declare = declare};
