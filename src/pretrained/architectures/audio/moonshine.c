/* Moonshine (Jeffries et al. 2024): three convolutions over samples and layers with rotary positions; the decoder is of LLaMA's
 * kind beside that memory. */
#include <stdio.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"
#include "sounds/sound.h"

#define ATTENTION(name)                                                                            \
    {                                                                                              \
        .query = name ".q_proj", .key = name ".k_proj", .value = name ".v_proj",                   \
        .out = name ".o_proj"                                                                      \
    }
#define ATTENTION_BIAS                                                                             \
    {                                                                                              \
        "attention_bias", false                                                                    \
    }
#define OF_HALF(half)                                                                              \
    .width = "hidden_size", .layers = half "_num_hidden_layers",                                   \
    .heads = half "_num_attention_heads", .key_heads = half "_num_key_value_heads",                \
    .hidden = "intermediate_size", .activation = half "_hidden_act",                               \
    .prefix = {"model." half ".", half ".", ""}, .layer = "layers.%d", .down = "mlp.fc2",          \
    .norm_first = true, .norms_unbiased = true, .rotary = true,                                    \
    .rope_part = "partial_rotary_factor", .in_pairs = true,                                        \
    .bias = {ATTENTION_BIAS, ATTENTION_BIAS, ATTENTION_BIAS, {NULL, false}, SAC_BIASED}

static const sac_description encoder = {
    OF_HALF("encoder"),
    .custom_embedding = true,
    .attention = {ATTENTION("self_attn")},
    .up = "mlp.fc1",
    .last_norm = "layer_norm",
    .norm = {[SAC_PART_SELF] = "input_layernorm", [SAC_PART_FORWARD] = "post_attention_layernorm"}};
static const sac_description decoder = {
    OF_HALF("decoder"),
    .max_positions = "max_position_embeddings",
    .words = "embed_tokens.weight",
    .attention = {ATTENTION("self_attn"), ATTENTION("encoder_attn")},
    .fused_gate = "mlp.fc1",
    .up_first = true,
    .last_norm = "norm",
    .norm = {"input_layernorm", "post_attention_layernorm", "final_layernorm"},
    .causal = {NULL, true}};

enum { SECONDS = 30 }; /* that go through the layers at once */

static void declare_decoder(sac_pretrained_model *m, sac_config *c)
{
    static const char head[] = "proj_out.weight";
    sac_describe(m, c, &decoder);
    if (c->status != SAC_OK)
        return;
    if (m->run.key_heads && m->run.key_heads != m->run.heads)
        sac_config_refuse(c, decoder.key_heads,
                          "%d are fewer than %d heads, which look at the sound", m->run.key_heads,
                          m->run.heads);
    bool tied = sac_config_flag_or(c, "tie_word_embeddings", true);
    if (sac_architecture_owns_head(m, head, m->words->name, tied))
        m->head = sac_parameter_weight(&m->parameters, head, m->vocabulary, m->width);
    sac_architecture_read_search(m, c, "decoder_start_token_id", "eos_token_id");
}

static const sac_architecture decoder_of_moonshine = {.declare = declare_decoder};

static void declare(sac_pretrained_model *m, sac_config *c)
{
    static const struct {
        size_t taps, step, widths[2]; /* out and in, in widths of the model; 0: one number */
    } layers[] = {{127, 64, {1, 0}}, {7, 3, {2, 1}}, {3, 2, {1, 2}}};
    sac_audio_encoder *a = &m->audio;
    char name[64], full[96];
    sac_describe(m, c, &encoder);
    if (c->status != SAC_OK)
        return;
    const char *prefix = sac_pretrained_prefix(m->files, encoder.prefix, "conv1.weight");
    a->cell = 1;
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        const size_t in = layers[i].widths[1] * m->width;
        sac_sound_layer *l = &a->layer[a->layers++];
        snprintf(name, sizeof name, "%sconv%zu", prefix, i + 1);
        *l = sac_sound_layer_declare(m, c, name, "weight", layers[i].widths[0] * m->width,
                                     in ? in : 1, layers[i].taps, i > 0);
        l->step = layers[i].step;
        l->activation = i ? SAC_GELU : SAC_TANH;
        a->cell *= l->step;
    }
    snprintf(full, sizeof full, "%sgroupnorm.weight", prefix);
    a->layer[0].normed = SAC_SOUND_NORM_ALL;
    a->layer[0].norm[0] = sac_parameter_vector(&m->parameters, full, m->width);
    snprintf(full, sizeof full, "%sgroupnorm.bias", prefix);
    a->layer[0].norm[1] = sac_parameter_vector(&m->parameters, full, m->width);
    sac_audio_read_processor(m, c, false);
    m->max_positions = (size_t)SECONDS * SAC_MEL_RATE / a->cell;
    if (c->status == SAC_OK)
        sac_architecture_add_decoder(m, &decoder_of_moonshine, true, c);
}

static const sac_config_key sac_keys_of_moonshine[] = {
    COMMON,
    U("vocab_size", "32768"),
    U("hidden_size", "288"),
    U("intermediate_size", "1152"),
    U("encoder_num_hidden_layers", "6"),
    U("decoder_num_hidden_layers", "6"),
    U("encoder_num_attention_heads", "8"),
    U("decoder_num_attention_heads", "8"),
    D("encoder_num_key_value_heads", NULL),
    D("decoder_num_key_value_heads", NULL),
    H("pad_head_dim_to_multiple_of"),
    U("encoder_hidden_act", "\"gelu\""),
    U("decoder_hidden_act", "\"silu\""),
    U("max_position_embeddings", "512"),
    U("partial_rotary_factor", "0.9"),
    U("rope_theta", NULL),
    D("rope_parameters", NULL),
    U("rope_scaling", NULL),
    U("attention_bias", "false"),
    U("tie_word_embeddings", "true"),
    U("decoder_start_token_id", "1"),
    N("bos_token_id", "1"),
    N("eos_token_id", "2"),
    N("pad_token_id", NULL),
    H("attention_dropout"),
    END,
};

const sac_architecture sac_architecture_moonshine = {.types = {"moonshine"},
                                                     .keys = sac_keys_of_moonshine,
                                                     .architectures = {"Moonshine"},
                                                     .declare = declare};
