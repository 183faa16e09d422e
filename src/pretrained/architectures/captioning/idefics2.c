/* Idefics 2 (Laurençon et al. 2024): SigLIP sees a picture in its own size, or its four quarters and all of it; a perceiver's latents
 * gather each of these (Jaegle et al. 2021), and Mistral reads them. */
#include <stdio.h>
#include <stdlib.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

/* ---------------------------------------------------------------- a picture in the prompt */

static char *make_picture_prompt(const sac_tokenizer *tokenizer, int token,
                                 const sac_picture_tiles *tiles, size_t each)
{
    static const char around[] = "<fake_token_around_image>";
    const char *word = sac_tokenizer_token(tokenizer, token);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs(around, out);
    for (int tile = 0; tile < tiles->count; tile++) {
        for (size_t i = 0; i < each; i++)
            fputs(word ? word : "", out);
        fputs(around, out);
    }
    return fclose(out) == 0 ? text : (free(text), NULL);
}

/* ---------------------------------------------------------------- what sees, and what gathers */

const sac_config_key sac_keys_of_idefics2_vision[] = {
    U("hidden_act", "\"gelu_pytorch_tanh\""),
    U("patch_size", "32"),
    SEEN,
    U("intermediate_size", "3072"),
    U("image_size", "224"),
    U("layer_norm_eps", "1e-6"),
    U("num_channels", "3"),
    END,
};

static const sac_description of_perceiver = {
    .width = "hidden_size",
    .layers = "resampler_depth",
    .heads = "resampler_n_heads",
    .key_heads = "num_key_value_heads",
    .depth = "resampler_head_dim",
    .activation = "hidden_act",
    .epsilon = "rms_norm_eps",
    .prefix = {"model.connector.perceiver_resampler."},
    .layer = "layers.%d",
    .attention = {{.query = "self_attn.q_proj",
                   .key = "self_attn.k_proj",
                   .value = "self_attn.v_proj",
                   .out = "self_attn.o_proj"}},
    .norm =
        {[SAC_PART_SELF] = "input_latents_norm", [SAC_PART_FORWARD] = "post_attention_layernorm"},
    .memory_norm = "input_context_norm",
    .norm_first = true,
    .rms = true,
    .gate = "mlp.gate_proj",
    .up = "mlp.up_proj",
    .down = "mlp.down_proj",
    .last_norm = "norm",
    .custom_embedding = true};

const sac_config_key sac_keys_of_idefics2_perceiver[] = {
    COMMON,
    U("hidden_act", "\"silu\""),
    U("hidden_size", "4096"),
    U("rms_norm_eps", "1e-6"),
    U("resampler_n_latents", "64"),
    U("resampler_depth", "3"),
    U("resampler_n_heads", "16"),
    U("resampler_head_dim", "96"),
    U("num_key_value_heads", "4"),
    H("attention_dropout"),
    END,
};

enum { LATENTS = 4096 };

static void declare_perceiver(sac_pretrained_model *m, sac_config *c)
{
    sac_detector *d = &m->detector;
    d->queries = (size_t)sac_config_size(c, "resampler_n_latents", 1, LATENTS);
    sac_describe(m, c, &of_perceiver);
    if (c->status == SAC_OK)
        d->places = sac_parameter_matrix(
            &m->parameters, "model.connector.perceiver_resampler.latents", d->queries, m->width);
}

static const sac_architecture perceiver = {.declare = declare_perceiver};

/* What the patches go through before the latents look at them: as wide as the text's layers are inside. */
static void declare_entry(sac_pretrained_model *m, sac_config *c)
{
    static const char place[] = "model.connector.modality_projection";
    sac_pretrained_model *q = m->resampler;
    const sac_pretrained_model *d = m->decoder;
    if (q->width != d->width)
        sac_config_refuse(c, "perceiver_config", "has a hidden_size of %zu, and the text %zu",
                          q->width, d->width);
    sac_parameters *p = &q->parameters;
    q->detector.entry =
        (sac_expert){.gate = sac_dense_declare(p, place, "gate_proj", d->hidden, m->width, false),
                     .in = sac_dense_declare(p, place, "up_proj", d->hidden, m->width, false),
                     .out = sac_dense_declare(p, place, "down_proj", q->width, d->hidden, false)};
    q->detector.entry_activation = d->run.activation;
}

/* ---------------------------------------------------------------- the model */

static void declare(sac_pretrained_model *m, sac_config *c)
{
    sac_config gathers = sac_config_inside(c, "perceiver_config");
    sac_connector k = {.token = sac_config_size(c, "image_token_id", 0, SAC_ARCHITECTURE_TOKENS),
                       .shuffle = 1,
                       .write = make_picture_prompt,
                       .is_spaced = true,
                       .chat = "User:" SAC_CHAT_PICTURE SAC_CHAT_QUESTION
                               "<end_of_utterance>\nAssistant:"};
    if (c->status == SAC_OK)
        sac_declare_idefics_vision(m, c, sac_keys_of_idefics2_vision, "Idefics2ImageProcessor",
                                   SAC_SPREAD_NEAREST);
    gathers.status = c->status;
    if (c->status == SAC_OK) {
        sac_config_apply_keys(&gathers, sac_keys_of_idefics2_perceiver);
        sac_architecture_add_part(m, &m->resampler, &perceiver, &gathers);
    }
    c->status = gathers.status;
    if (c->status == SAC_OK)
        sac_architecture_add_prompted(m, c, "mistral", &k);
    if (c->status == SAC_OK)
        declare_entry(m, c);
}

static const sac_config_key sac_keys_of_idefics2[] = {
    COMMON,
    D("text_config", "{}"),
    D("vision_config", "{}"),
    D("perceiver_config", "{}"),
    U("image_token_id", "32001"),
    U("tie_word_embeddings", "false"),
    END,
};

const sac_architecture sac_architecture_idefics2 = {.types = {"idefics2"},
                                                    .keys = sac_keys_of_idefics2,
                                                    .architectures = {"Idefics2For"},
                                                    .mark = "connector.perceiver_resampler.latents",
                                                    .declare = declare};
