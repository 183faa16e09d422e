/* GPT-2 (Radford et al. 2019) and DistilGPT-2: a layer norm before each part and one at the end; a
 * token sees none after it, and the last tells what comes next. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

static void declare_layer(sac_pretrained_model *m, float epsilon, int i)
{
    sac_parameters *p = &m->parameters;
    size_t D = m->width, F = m->hidden;
    char layer[16];
    snprintf(layer, sizeof layer, "h.%d", i);
    m->layer[i] = (sac_transformer_layer){
        .attention[SAC_PART_SELF] = {.query = sac_dense_declare(p, layer, "attn.query", D, D, true),
                                     .key = sac_dense_declare(p, layer, "attn.key", D, D, true),
                                     .value = sac_dense_declare(p, layer, "attn.value", D, D, true),
                                     .out = sac_dense_declare(p, layer, "attn.c_proj", D, D, true)},
        .in = sac_dense_declare(p, layer, "mlp.c_fc", F, D, true),
        .out = sac_dense_declare(p, layer, "mlp.c_proj", D, F, true),
        .norm[SAC_PART_SELF] = sac_layer_norm_declare(p, layer, "ln_1", D),
        .norm[SAC_PART_FORWARD] = sac_layer_norm_declare(p, layer, "ln_2", D)};
    m->layer[i].norm[SAC_PART_SELF].epsilon = m->layer[i].norm[SAC_PART_FORWARD].epsilon = epsilon;
}

static void declare_stack(sac_pretrained_model *m, sac_config *c, float epsilon)
{
    sac_parameters *p = &m->parameters;
    sac_architecture_text_sizes(m, c, "n_embd", "n_layer", "n_head");
    m->places = (size_t)sac_config_size(c, "n_positions", 1, 1 << 20);
    m->hidden =
        (size_t)sac_config_size_or(c, "n_inner", 1, 8 * SAC_ARCHITECTURE_WIDTH, 4 * (int)m->width);
    m->run.activation = sac_architecture_activation_or(c, "activation_function", SAC_GELU_TANH);
    m->run.causal = m->run.norm_first = true;
    sac_architecture_read_ends(m, c);
    /* By what each layer's scores are multiplied: 1/√d, or 1; divided by the layer's
     * number, from 1 on, where they are. */
    bool scaled = sac_config_flag_or(c, "scale_attn_weights", true);
    bool falls = sac_config_flag_or(c, "scale_attn_by_inverse_layer_idx", false);
    float scale = scaled ? 1 / sqrtf((float)m->width / (float)m->run.heads) : 1;
    for (int i = 0; i < m->layers && (falls || !scaled); i++)
        m->scale[i] = falls ? scale / (float)(i + 1) : scale;
    m->words = sac_parameter_weight(p, "wte.weight", m->vocabulary, m->width);
    m->positions = sac_parameter_matrix(p, "wpe.weight", m->places, m->width);
    for (int i = 0; i < m->layers; i++)
        declare_layer(m, epsilon, i);
    m->last_norm = sac_layer_norm_declare(p, "", "ln_f", m->width);
    m->last_norm.epsilon = epsilon;
}

static void declare(sac_pretrained_model *m, sac_config *c)
{
    static const char *const prefixes[] = {"transformer.", "", NULL};
    char words[32];
    m->body = sac_pretrained_prefix(m->files, prefixes, "wte.weight");
    snprintf(words, sizeof words, "%swte.weight", m->body);
    declare_stack(m, c, sac_config_number_or(c, "layer_norm_epsilon", 1e-5f));
    sac_architecture_declare_head(m, c, words, true);
    if (sac_config_flag_or(c, "add_cross_attention", false))
        sac_pretrained_model_tell(m, "its layers that look at another model are left out");
}

void sac_gpt2_declare_decoder(sac_pretrained_model *m, sac_config *c)
{
    sac_parameters *p = &m->parameters;
    float epsilon = sac_config_number_or(c, "layer_norm_epsilon", 1e-5f);
    declare_stack(m, c, epsilon);
    size_t D = m->text_decoder.memory = m->width;
    char layer[24];
    for (int i = 0; i < m->layers; i++) {
        sac_transformer_layer *l = &m->layer[i];
        snprintf(layer, sizeof layer, "h.%d", i);
        l->attention[SAC_PART_CROSS] = (sac_multihead){
            .query = sac_dense_declare(p, layer, "crossattention.query", D, D, true),
            .key = sac_dense_declare(p, layer, "crossattention.key", D, D, true),
            .value = sac_dense_declare(p, layer, "crossattention.value", D, D, true),
            .out = sac_dense_declare(p, layer, "crossattention.c_proj", D, D, true)};
        l->norm[SAC_PART_CROSS] = sac_layer_norm_declare(p, layer, "ln_cross_attn", D);
        l->norm[SAC_PART_CROSS].epsilon = epsilon;
    }
}

/* The folder's linear layers lie as [in,out], and those of query, key and value in one, c_attn; but
 * queries to what another model saw in one of their own. */
void sac_gpt2_locate(const sac_pretrained_model *m, const sac_parameter *parameter,
                     sac_tensor_place *place)
{
    static const struct {
        const char *name, *inside;
        size_t first, all; /* times the width */
    } parts[] = {{".attn.query.", ".attn.c_attn.", 0, 3},
                 {".attn.key.", ".attn.c_attn.", 1, 3},
                 {".attn.value.", ".attn.c_attn.", 2, 3},
                 {".crossattention.query.", ".crossattention.q_attn.", 0, 1},
                 {".crossattention.key.", ".crossattention.c_attn.", 0, 2},
                 {".crossattention.value.", ".crossattention.c_attn.", 1, 2}};
    if (strncmp(place->name, "h.", 2) != 0 || strstr(place->name, ".ln_"))
        return;
    place->transposed = parameter->rank == 2;
    place->all = parameter->shape[0];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char *at = strstr(place->name, parts[i].name);
        if (!at)
            continue;
        snprintf(at, sizeof place->name - (size_t)(at - place->name), "%s%s", parts[i].inside,
                 place->transposed ? "weight" : "bias");
        place->first = parts[i].first * m->width;
        place->all = parts[i].all * m->width;
    }
}

static void locate(void *context, const sac_parameter *parameter, sac_tensor_place *place)
{
    const sac_pretrained_model *m = context;
    char own[sizeof place->name];
    sac_gpt2_locate(m, parameter, place);
    if (parameter == m->head)
        return;
    memcpy(own, place->name, sizeof own);
    snprintf(place->name, sizeof place->name, "%s%.80s", m->body, own);
}

/* Scores in float32 are what is computed here anyway (reorder_and_upcast_attn). */
const sac_config_key sac_keys_of_gpt2[] = {COMMON,
                                           U("vocab_size", "50257"),
                                           U("n_positions", "1024"),
                                           U("n_embd", "768"),
                                           U("n_layer", "12"),
                                           U("n_head", "12"),
                                           U("n_inner", NULL),
                                           U("activation_function", "\"gelu_new\""),
                                           U("layer_norm_epsilon", "1e-5"),
                                           U("scale_attn_weights", "true"),
                                           U("scale_attn_by_inverse_layer_idx", "false"),
                                           U("add_cross_attention", "false"),
                                           U("tie_word_embeddings", "true"),
                                           U("eos_token_id", "50256"),
                                           H("reorder_and_upcast_attn"),
                                           H("is_decoder"),
                                           H("bos_token_id"),
                                           H("pad_token_id"),
                                           H("resid_pdrop"),
                                           H("embd_pdrop"),
                                           H("attn_pdrop"),
                                           H("summary_type"),
                                           H("summary_use_proj"),
                                           H("summary_activation"),
                                           H("summary_proj_to_labels"),
                                           H("summary_first_dropout"),
                                           END};

const sac_architecture sac_architecture_gpt2 = {.types = {"gpt2"},
                                                .keys = sac_keys_of_gpt2,
                                                .architectures = {"GPT2"},
                                                .mark = "wte.weight",
                                                .declare = declare,
                                                .locate = locate};
