/* The sizes that a folder's config.json has. */
#include <cjson/cJSON.h>
#include <string.h>

#include "architectures/known.h"
#include "base/error.h"
#include "language/language.h"

/* GPT-2's "n_layer" is LLaMA's "num_hidden_layers": by sac_gpt_kind. */
static void read_sizes(sac_config *c, sac_gpt_sizes *s)
{
    enum { LAYERS, HEADS, WIDTH, PLACES, HIDDEN, EPSILON };
    static const char *const names[][2] = {
        [LAYERS] = {"n_layer", "num_hidden_layers"},
        [HEADS] = {"n_head", "num_attention_heads"},
        [WIDTH] = {"n_embd", "hidden_size"},
        [PLACES] = {"n_positions", "max_position_embeddings"},
        [HIDDEN] = {"n_inner", "intermediate_size"},
        [EPSILON] = {"layer_norm_epsilon", "rms_norm_eps"},
    };
    enum { MOST_HIDDEN = 4 * SAC_GPT_WIDTH, MOST_PLACES = 1 << 20, MOST_WORDS = 1 << 18 };
    s->layers = sac_config_size(c, names[LAYERS][s->kind], 1, SAC_GPT_LAYERS);
    s->heads = sac_config_size(c, names[HEADS][s->kind], 1, SAC_GPT_HEADS);
    s->width = sac_config_size(c, names[WIDTH][s->kind], 1, SAC_GPT_WIDTH);
    s->places = sac_config_size(c, names[PLACES][s->kind], 1, MOST_PLACES);
    s->hidden = sac_config_size_or(c, names[HIDDEN][s->kind], 1, MOST_HIDDEN, 4 * s->width);
    s->words = sac_config_size(c, "vocab_size", 2, MOST_WORDS);
    s->epsilon = sac_config_number_or(c, names[EPSILON][s->kind], 1e-5f);
    s->has_head = !sac_config_flag_or(c, "tie_word_embeddings", false);
    s->key_heads = s->heads;
}

static void require_flag(sac_config *c, const char *name, bool value)
{
    if (sac_config_flag_or(c, name, value) != value)
        sac_config_refuse(c, name, "is %s, which is not trained here", value ? "false" : "true");
}

/* "rope_parameters" of transformers 5, "rope_scaling" and "rope_theta" of those before. */
static void read_rotary(sac_config *c, sac_gpt_sizes *s)
{
    static const char *const parts[] = {"rope_parameters", "rope_scaling"};
    s->rotary_base = sac_config_number_or(c, "rope_theta", 10000);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        sac_config inside = sac_config_inside(c, parts[i]);
        const char *type =
            sac_config_text(&inside, sac_config_has(&inside, "rope_type") ? "rope_type" : "type");
        s->rotary_base = sac_config_number_or(&inside, "rope_theta", s->rotary_base);
        if (type[0] && strcmp(type, "default") != 0)
            sac_config_refuse(c, parts[i], "is of the type \"%.40s\", which is not trained here",
                              type);
    }
    if (!(s->rotary_base > 1))
        sac_config_refuse(c, "rope_theta", "is %g", (double)s->rotary_base);
}

static void read_what_differs(sac_config *c, sac_gpt_sizes *s)
{
    static const char *const gelu[] = {"gelu_new", "gelu_fast", "gelu_pytorch_tanh", NULL},
                             *const silu[] = {"silu", "swish", NULL};
    if (s->kind == SAC_GPT_2) {
        (void)sac_config_choice(c, "activation_function", gelu);
        require_flag(c, "scale_attn_weights", true);
        require_flag(c, "scale_attn_by_inverse_layer_idx", false);
        require_flag(c, "add_cross_attention", false);
        return;
    }
    (void)sac_config_choice(c, "hidden_act", silu);
    require_flag(c, "attention_bias", false);
    require_flag(c, "mlp_bias", false);
    require_flag(c, "is_causal", true);
    s->key_heads = sac_config_size_or(c, "num_key_value_heads", 1, s->heads, s->heads);
    if (s->heads % s->key_heads)
        sac_config_refuse(c, "num_key_value_heads", "%d do not divide %d heads", s->key_heads,
                          s->heads);
    const int depth = s->width / s->heads;
    if (sac_config_size_or(c, "head_dim", 1, SAC_GPT_WIDTH, depth) != depth)
        sac_config_refuse(c, "head_dim", "is not hidden_size / num_attention_heads, %d", depth);
    if (sac_config_number_or(c, "partial_rotary_factor", 1) != 1)
        sac_config_refuse(c, "partial_rotary_factor", "is not 1, which is not trained here");
    read_rotary(c, s);
}

sac_status sac_gpt_read_config(const cJSON *config, const char *path, sac_gpt_sizes *sizes,
                               sac_error *error)
{
    static const sac_architecture *const architectures[] = {&sac_architecture_gpt2,
                                                            &sac_architecture_llama};
    cJSON *json = cJSON_Duplicate(config, true); /* which gets the defaults of the class */
    if (!json)
        return sac_no_memory(error, path);
    sac_config c = sac_config_of(json, path, error);
    const char *type = sac_config_text(&c, "model_type");
    *sizes = (sac_gpt_sizes){.kind = strcmp(type, sac_gpt_kinds[SAC_GPT_LLAMA]) == 0 ? SAC_GPT_LLAMA
                                                                                     : SAC_GPT_2};
    if (strcmp(type, sac_gpt_kinds[sizes->kind]) != 0)
        sac_config_refuse(&c, "model_type", "is \"%.40s\"; gpt2 and llama are what is trained here",
                          type);
    if (sac_config_has(&c, "quantization_config"))
        sac_config_refuse(&c, "quantization_config",
                          "is there: weights of few bits are not trained");
    sac_config_apply_keys(&c, architectures[sizes->kind]->keys);
    read_sizes(&c, sizes);
    read_what_differs(&c, sizes);
    if (c.status == SAC_OK && !sac_gpt_heads_fit(sizes))
        sac_config_refuse(&c, sizes->kind == SAC_GPT_2 ? "n_head" : "num_attention_heads",
                          "%d heads do not divide a width of %d", sizes->heads, sizes->width);
    sac_status status = sac_config_status(&c);
    cJSON_Delete(json);
    return status;
}
