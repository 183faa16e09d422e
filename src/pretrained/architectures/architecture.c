/* What the declarations of architectures share: values of config.json, and the decoder of a
 * captioner or translator. */
#include "architectures/architecture.h"

#include <cjson/cJSON.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/error.h"
#include "base/text/utf8.h"

/* ---------------------------------------------------------------- config.json */

sac_activation sac_architecture_activation(sac_config *c, const char *name)
{
    static const char *const names[] = {
        "gelu",          "gelu_python",      "gelu_new", "gelu_fast", "gelu_pytorch_tanh",
        "gelu_accurate", "gelu_python_tanh", "relu",     "silu",      "swish",
        "gelu_10",       "quick_gelu",       "relu2",    "relu6",     "leaky_relu",
        "mish",          "sigmoid",          "tanh",     "hardswish", "laplace",
        "sqrtsoftplus",  "linear",           NULL};
    static const sac_activation meant[] = {
        SAC_GELU,          SAC_GELU,       SAC_GELU_TANH,    SAC_GELU_TANH, SAC_GELU_TANH,
        SAC_GELU_TANH,     SAC_GELU_TANH,  SAC_RELU,         SAC_SILU,      SAC_SILU,
        SAC_GELU_10,       SAC_QUICK_GELU, SAC_RELU_SQUARED, SAC_RELU6,     SAC_LEAKY_RELU,
        SAC_MISH,          SAC_SIGMOID,    SAC_TANH,         SAC_HARDSWISH, SAC_LAPLACE,
        SAC_SQRT_SOFTPLUS, SAC_LINEAR};
    return meant[sac_config_choice(c, name, names)];
}

/* ---------------------------------------------------------------- layers and heads */

sac_transformer_run sac_pretrained_model_run_settings(const sac_pretrained_model *m, int layer,
                                                      const sac_position_ids *placing)
{
    sac_transformer_run run = m->run;
    run.scale = m->scale[layer];
    run.window = m->window[layer];
    run.key_heads = sac_architecture_key_heads(m, layer);
    if (!placing)
        return run;
    if (placing->temperature > 0) {
        size_t depth = sac_architecture_part_width(m, layer, 0) / (size_t)run.heads;
        run.scale = (run.scale > 0 ? run.scale : 1 / sqrtf((float)depth)) / placing->temperature;
    }
    run.places = placing->places;
    for (int part = SAC_PART_SELF; part <= SAC_PART_CROSS; part++)
        if (placing->scales[part].buffer) {
            run.head_scale[part] = sac_tensor_rows(placing->scales[part], (size_t)layer, 1);
            run.head_scale[part].width = m->layer[layer].attention[part].out.w->shape[1];
        }
    if (placing->words.buffer) {
        const size_t count = placing->words.rows / (size_t)m->layers;
        run.words = sac_tensor_rows(placing->words, (size_t)layer * count, count);
    }
    const sac_tensor *own = &placing->biases[layer];
    const sac_tensor *biases = own->buffer ? own : &placing->biases[0];
    run.bias = biases->buffer;
    run.biased = biases->width;
    run.bias_rows = biases->rows / (size_t)run.heads;
    if (m->squared[layer]) {
        run.mask = placing->beyond.buffer;
        run.biased = run.bias_rows = placing->turns.rows;
    }
    const sac_byte_tensor *unseen = &placing->unseen[run.window > 0];
    if (unseen->buffer) {
        run.mask = unseen->buffer;
        run.biased = run.bias_rows = placing->turns.rows;
        run.causal = false;
        run.window = 0;
    }
    run.distances = placing->distances.vectors.buffer ? &placing->distances : NULL;
    if (m->turn[layer] != SAC_ROPE_NONE)
        run.rotation = m->turn[layer] == SAC_ROPE_LOCAL ? placing->local : placing->turns;
    return run;
}

void sac_architecture_nets_before(const sac_pretrained_model *m, int layer, int *first, int *end)
{
    for (*first = 0; *first < m->net_count && m->nets[*first].before < layer;)
        ++*first;
    for (*end = *first; *end < m->net_count && m->nets[*end].before == layer;)
        ++*end;
}

int sac_architecture_memories(const sac_pretrained_model *m)
{
    return m->net_count + (m->layer[0].space.in.w ? m->layers : 0);
}

void sac_architecture_memory_size(const sac_pretrained_model *m, int which, int i, size_t sentences,
                                  size_t *rows, size_t *width)
{
    if (which < m->net_count)
        sac_delta_memory_size(&m->nets[which], i, sentences, rows, width);
    else
        sac_state_space_memory_size(&m->layer[which - m->net_count].space, i, sentences, rows,
                                    width);
}

float sac_architecture_cross_scale(const sac_pretrained_model *m, int layer, float temperature)
{
    const size_t width = m->layer[layer].attention[SAC_PART_CROSS].query.w->shape[0];
    const float own = m->scale[layer], depth = (float)width / (float)m->run.heads;
    return temperature > 0 ? (own > 0 ? own : 1 / sqrtf(depth)) / temperature : own;
}

const char *sac_architecture_find_name(const sac_pretrained_model *m, const char *const *names)
{
    for (const char *const *name = names; *name; name++)
        if (sac_pretrained_find(m->files, *name))
            return *name;
    return names[0];
}

static bool is_same(const sac_array *a, const sac_array *b)
{
    return a->data && b->data && a->dtype == b->dtype && sac_array_count(a) == sac_array_count(b) &&
           memcmp(a->data, b->data, sac_array_count(a) * sac_dtype_size(a->dtype)) == 0;
}

bool sac_architecture_owns_head(sac_pretrained_model *m, const char *head, const char *words,
                                bool tied)
{
    if (!tied)
        return true;
    const sac_array *own = sac_pretrained_find(m->files, head);
    const sac_array *other = own ? sac_pretrained_find(m->files, words) : NULL;
    if (!own || !other || is_same(own, other))
        return false;
    sac_pretrained_model_note(
        m, "%.60s is taken, for it differs from the words that config.json ties it to", head);
    return true;
}

void sac_architecture_declare_head(sac_pretrained_model *m, sac_config *c, const char *head,
                                   const char *words)
{
    bool has_head = sac_pretrained_has(m->files, head);
    bool is_mentioned =
        cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(c->json, "architectures"));
    bool is_for_it = !is_mentioned || sac_architecture_name_has(c, "ForCausalLM") ||
                     sac_architecture_name_has(c, "LMHead") ||
                     sac_architecture_name_has(c, "DoubleHeads");
    bool tied = sac_config_flag_or(c, "tie_word_embeddings", false);
    bool is_asked = m->run.causal || sac_architecture_name_has(c, "ForCausalLM");
    m->predicts_next = is_asked && (has_head || (tied && is_for_it));
    if (!m->predicts_next && m->run.causal)
        sac_pretrained_model_note(m, "it has no head that predicts the next token");
    if (m->predicts_next && sac_architecture_owns_head(m, head, words, tied))
        m->head = sac_parameter_weight(&m->parameters, head, m->vocabulary,
                                       m->narrowing.w ? m->narrowing.w->shape[0] : m->width);
}

char (*sac_architecture_read_class_names(sac_pretrained_model *m, sac_config *c,
                                         size_t classes))[SAC_CLASS_NAME]
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(c->json, "id2label");
    char(*names)[SAC_CLASS_NAME] = calloc(classes, sizeof *names);
    if (!names)
        c->status = sac_no_memory(c->error, m->name);
    for (size_t i = 0; names && i < classes; i++) {
        char key[24];
        snprintf(key, sizeof key, "%zu", i);
        const cJSON *one = cJSON_GetObjectItemCaseSensitive(list, key);
        sac_utf8_copy(names[i], SAC_CLASS_NAME, cJSON_IsString(one) ? one->valuestring : "");
        if (!names[i][0])
            snprintf(names[i], sizeof names[i], "class %zu", i);
    }
    return names;
}

float *sac_model_read_parameter(sac_pretrained_model *m, const sac_parameter *parameter)
{
    const size_t count = parameter ? sac_tensor_count(parameter->value) : 0;
    float *numbers = parameter ? calloc(count, sizeof *numbers) : NULL;
    if (numbers)
        sac_pass_read(&m->pass, parameter->value, numbers);
    else if (parameter)
        SAC_PASS_CALL(&m->pass, sac_no_memory(&m->pass.error, m->name));
    return numbers;
}

sac_status sac_model_end_pass(sac_pretrained_model *m, sac_arena *arena, sac_error *error)
{
    sac_status status = sac_pass_end(&m->pass, error);
    if (arena)
        sac_arena_release(arena);
    sac_device_unlock(m->device);
    return status;
}

/* ---------------------------------------------------------------- decoders */

void sac_architecture_declare_own(sac_pretrained_model *m, sac_config *c)
{
    if (m->architecture->declare)
        m->architecture->declare(m, c);
    else
        sac_describe(m, c, m->architecture->describes);
}

/* A model of the same folder, with the files of `m`. */
static sac_pretrained_model *make_part(sac_pretrained_model *m,
                                       const sac_architecture *architecture, sac_config *c)
{
    sac_pretrained_model *part = c->status == SAC_OK ? calloc(1, sizeof *part) : NULL;
    if (!part) {
        if (c->status == SAC_OK)
            c->status = sac_no_memory(c->error, m->name);
        return NULL;
    }
    part->architecture = architecture;
    part->files = m->files;
    part->whole = m;
    part->kept = m->kept;
    part->word_scale = part->logit_scale = 1;
    part->padding = part->dropped_word = -1;
    part->text_decoder.seen = m->width;
    memcpy(part->folder, m->folder, sizeof part->folder);
    memcpy(part->name, m->name, sizeof part->name);
    return part;
}

sac_pretrained_model *sac_architecture_add_part(sac_pretrained_model *m,
                                                sac_pretrained_model **part,
                                                const sac_architecture *architecture, sac_config *c)
{
    *part = make_part(m, architecture, c);
    if (*part)
        sac_architecture_declare_own(*part, c);
    return *part;
}

void sac_architecture_add_decoder(sac_pretrained_model *m, const sac_architecture *architecture,
                                  bool is_tied, sac_config *c)
{
    sac_pretrained_model *d = m->decoder = make_part(m, architecture, c);
    if (!d)
        return;
    d->text_decoder.longest = SAC_MAX_TOKENS;
    d->text_decoder.is_tied = is_tied;
    d->text_decoder.has_text = !sac_architecture_has_media_encoder(m);
    sac_architecture_declare_own(d, c);
    d->run.causal = true; /* whatever its config has, it is asked for one token after the other */
    if (d->note[0])
        sac_pretrained_model_note(m, "%s", d->note);
}

sac_pretrained_model *sac_architecture_add_stage(sac_pretrained_model *m, sac_config *c)
{
    static const sac_architecture stage = {.types = {NULL}};
    sac_pretrained_model *part = make_part(m, &stage, c);
    if (part) {
        m->stages[m->stage_count++] = part;
        part->stage.number = m->stage_count;
    }
    return part;
}
