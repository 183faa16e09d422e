/* A model out of two, as transformers' VisionEncoderDecoderModel joins them: ViT or DeiT sees, and
 * a GPT-2 with layers that attend to what it encoded speaks. */
#include "architectures/architecture.h"
#include "architectures/config_keys.h"

/* ---------------------------------------------------------------- the decoder */

static void read_bridge(sac_pretrained_model *m, sac_config *c)
{
    sac_text_decoder *v = &m->text_decoder;
    if (v->seen == v->memory)
        return;
    if (sac_config_has(c, "cross_attention_hidden_size"))
        sac_config_refuse(c, "cross_attention_hidden_size", "must be null here");
    v->bridge = sac_dense_declare(&m->parameters, "", "enc_to_dec_proj", v->memory, v->seen, true);
}

/* `c` is that of both: the tokens stand beside the two models' own. */
static void declare_decoder(sac_pretrained_model *m, sac_config *c)
{
    static const char *const types[] = {"gpt2", NULL};
    sac_config own = sac_config_inside(c, "decoder");
    sac_config_choice(&own, "model_type", types);
    sac_config_follow(&own, sac_keys_of_gpt2);
    bool tied = sac_config_flag_or(&own, "tie_word_embeddings", true);
    if (own.status == SAC_OK)
        sac_describe(m, &own, &sac_gpt2_as_decoder);
    if (own.status == SAC_OK)
        read_bridge(m, &own);
    if (own.status == SAC_OK && sac_architecture_owns_head(m, "decoder.lm_head.weight",
                                                           "decoder.transformer.wte.weight", tied))
        m->head =
            sac_parameter_weight(&m->parameters, "decoder.lm_head.weight", m->vocabulary, m->width);
    c->status = own.status;
    if (c->status == SAC_OK)
        sac_architecture_read_search(m, c, "decoder_start_token_id", "eos_token_id");
}

static const sac_architecture decoder_of_both = {.declare = declare_decoder};

/* ---------------------------------------------------------------- both */

static void declare(sac_pretrained_model *m, sac_config *c)
{
    static const char *const types[] = {"vit", "deit", NULL};
    sac_config encoder = sac_config_inside(c, "encoder");
    bool is_deit = sac_config_choice(&encoder, "model_type", types) == 1;
    sac_config_follow(&encoder, sac_keys_of_vit);
    sac_describe(m, &encoder, is_deit ? &sac_deit_as_encoder : &sac_vit_as_encoder);
    c->status = encoder.status;
    sac_architecture_add_decoder(m, &decoder_of_both, true, c);
}

static const sac_config_key sac_keys_of_pair[] = {COMMON, U("encoder", "{}"), U("decoder", "{}"),
                                                  U("tie_word_embeddings", NULL), END};

const sac_architecture sac_architecture_vision_encoder_decoder = {
    .types = {"vision-encoder-decoder"},
    .keys = sac_keys_of_pair,
    .architectures = {"VisionEncoderDecoder"},
    .mark = "decoder.transformer.wte.weight",
    .declare = declare};
