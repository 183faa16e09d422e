/* Where tokens look at what they stand behind, a prompt or a picture, and at one another: by the queries and keys that
 * the decoding of one row keeps. */
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "attention/on_operands.h"
#include "base/error.h"
#include "saccade_cl.h"

typedef sac_pretrained_captioner captioner;

sac_prefix_rows sac_captioner_rows(const captioner *c, int count)
{
    const size_t prefix = c->decoding.prefix->count;
    return (sac_prefix_rows){.model = c->decoder,
                             .decoding = &c->decoding,
                             .prefix = prefix,
                             .keys = prefix + (size_t)count - !c->decoding.starts,
                             .count = (size_t)count,
                             .hidden = c->hides ? c->hidden : NULL,
                             .temperature = c->temperature};
}

void sac_captioner_keep_state(captioner *c, size_t word)
{
    sac_prompt_decoder *p = &c->prompted;
    const size_t D = c->decoder->width;
    if (p->states && word == 0)
        memcpy(p->states, p->prompt->left + (p->ids.count - 1) * D, D * sizeof *p->states);
    else if (p->states)
        sac_pass_read(&c->decoder->pass, c->decoding.left, p->states + word * D);
}

sac_status sac_captioner_follow(captioner *c, const int *words, int count, sac_error *error)
{
    sac_pretrained_model *d = c->decoder;
    const int start = c->generates.start(c).tokens.start;
    sac_device_lock(d->device);
    sac_decoding_begin(&c->decoding, 1);
    if (c->decoding.starts)
        sac_decoding_go_on(&c->decoding, &start, &(int){0}, 1, NULL);
    sac_captioner_keep_state(c, 0);
    for (int t = 1; t < count; t++) {
        sac_decoding_go_on(&c->decoding, &words[t - 1], &(int){0}, 1, NULL);
        sac_captioner_keep_state(c, (size_t)t);
    }
    sac_status status = sac_pass_end(&d->pass, error);
    sac_device_unlock(d->device);
    return status;
}

/* Queries, keys or values, as arrays. */
static sac_cl_array part_of(const sac_prefix_rows *r, int layer, int part)
{
    const sac_decoding *d = r->decoding;
    const size_t rows = part ? r->keys : r->count;
    sac_tensor x;
    if (r->alone)
        x = sac_tensor_rows(sac_inference_part(r->alone, layer, part), r->keys - rows, rows);
    else
        x = sac_tensor_rows((part == 0   ? d->query
                             : part == 1 ? d->key
                                         : d->value)[layer],
                            part ? 0 : d->starts, rows);
    return (sac_cl_array){x.buffer, 3, {1, x.rows, x.width}, .offset = x.at};
}

/* [count,keys], 1: a word is beyond the window of a row; not of the prefix's last token, which sees all of it. */
static uint8_t *beyond_of(const sac_prefix_rows *r, size_t window)
{
    uint8_t *beyond = calloc(r->count * r->keys, 1);
    for (size_t i = 0; beyond && i < r->count * r->keys; i++) {
        const size_t query = r->keys - r->count + i / r->keys, key = i % r->keys;
        beyond[i] = query >= r->prefix && key + window <= query;
    }
    return beyond;
}

/* The last of the rows has all keys before it. */
static sac_status attend(const sac_prefix_rows *r, int layer, sac_attention **attention,
                         sac_error *error)
{
    const sac_pretrained_model *d = r->model;
    const sac_position_ids placing = {.temperature = r->temperature};
    const sac_transformer_run run = sac_pretrained_model_run(d, layer, &placing);
    const sac_cl_input input = {part_of(r, layer, 0), part_of(r, layer, 1), part_of(r, layer, 2)};
    const bool has_own = d->text_decoder.connector.is_bidirectional && run.window;
    const sac_attention_spec spec = {.heads = run.heads,
                                     .key_heads = run.key_heads,
                                     .causal = true,
                                     .alignment = SAC_ALIGN_BOTTOM_RIGHT,
                                     .window = has_own ? 0 : run.window,
                                     .softcap = run.softcap,
                                     .use_scale = run.scale > 0,
                                     .scale = run.scale};
    const size_t shape[] = {1, r->keys}, all[] = {r->count, r->keys};
    uint8_t *hidden = r->hidden ? calloc(r->keys, 1) : NULL;
    uint8_t *beyond = has_own ? beyond_of(r, run.window) : NULL;
    const sac_array mask = sac_array_view(SAC_BOOL, 2, shape, hidden);
    const sac_array windows = sac_array_view(SAC_BOOL, 2, all, beyond);
    const sac_attention_input others = {.key_padding_mask = hidden ? &mask : NULL,
                                        .attn_mask = beyond ? &windows : NULL};
    const bool has_room = (hidden || !r->hidden) && (beyond || !has_own);
    if (hidden)
        memcpy(hidden, r->hidden, r->prefix);
    sac_status status =
        has_room ? sac_attention_create_cl(d->device, &spec, &input, &others, attention, error)
                 : sac_no_memory(error, d->name);
    free(hidden);
    free(beyond);
    return status;
}

sac_status sac_prefix_rows_mean(const sac_prefix_rows *r, int layer, int head, float *mean,
                                sac_error *error)
{
    const sac_pretrained_model *d = r->model;
    int layers = layer ? 1 : d->layers, heads = head ? 1 : d->run.heads;
    size_t numbers = r->count * r->keys;
    float *map = malloc(numbers * sizeof *map);
    sac_status status = map ? SAC_OK : sac_no_memory(error, d->name);
    memset(mean, 0, numbers * sizeof *mean);
    for (int l = layer ? layer - 1 : 0, left = layers; left > 0 && status == SAC_OK; l++, left--) {
        sac_attention *attention = NULL;
        status = attend(r, l, &attention, error);
        for (int h = head ? head - 1 : 0, more = heads; more > 0 && status == SAC_OK; h++, more--) {
            sac_tile tile = {.head = (size_t)h, .rows = r->count, .cols = r->keys};
            status = sac_attention_tile(attention, &tile, map, error);
            for (size_t i = 0; i < numbers && status == SAC_OK; i++)
                mean[i] += map[i] / (float)(heads * layers);
        }
        sac_attention_destroy(attention);
    }
    free(map);
    return status;
}

sac_status sac_prefix_rows_take(const captioner *c, int count, sac_generation *tokens,
                                sac_error *error)
{
    const sac_prefix_rows rows = sac_captioner_rows(c, count);
    float *all = malloc(rows.count * rows.keys * sizeof *all);
    sac_status status = all ? sac_prefix_rows_mean(&rows, 0, 0, all, error)
                            : sac_no_memory(error, c->decoder->name);
    for (size_t t = 0; t < rows.count && status == SAC_OK; t++)
        memcpy(tokens->rows + t * tokens->count, all + t * rows.keys, rows.keys * sizeof *all);
    free(all);
    return status;
}

/* Columns are what stands before, and the words before the last. */
static sac_status name_columns(const captioner *c, const int *words, size_t count,
                               sac_attention_kind *kind, sac_error *error)
{
    const sac_tokens *ids = &c->prompted.ids;
    const bool is_prompt = c->prompted.prompt != NULL;
    int *all = malloc((ids->count + count + 1) * sizeof *all), *to = all;
    sac_labels behind = {0};
    if (!all)
        return sac_no_memory(error, c->decoder->name);
    if (is_prompt)
        memcpy(to, ids->ids, ids->count * sizeof *to);
    to += is_prompt ? ids->count : 0;
    if (!is_prompt)
        *to++ = c->generates.start(c).tokens.start;
    memcpy(to, words, (count - 1) * sizeof *to);
    const size_t named = (size_t)(to - all) + count - 1;
    sac_status status =
        sac_architecture_label_tokens(c->decoder, words, count, &kind->step_labels, error);
    if (status == SAC_OK && !is_prompt)
        status = sac_captioner_name_encoded(c, &kind->position_labels, error);
    if (status == SAC_OK)
        status = sac_architecture_label_tokens(c->decoder, all, named,
                                               is_prompt ? &kind->position_labels : &behind, error);
    free(all);
    return status == SAC_OK && !is_prompt
               ? sac_labels_append(&kind->position_labels, &behind, error)
               : status;
}

/* Every head of the prefix by itself. */
static sac_status add_prefix(const captioner *c, sac_attentions *a, sac_error *error)
{
    const sac_pretrained_model *d = c->decoder;
    const sac_inference *prefix = c->decoding.prefix;
    const sac_attention_kind form = {.name = "prompt",
                                     .layers = (size_t)d->layers,
                                     .heads = (size_t)d->run.heads,
                                     .steps = prefix->count,
                                     .positions = prefix->count};
    sac_attention_kind *part;
    sac_status status = sac_attentions_add_part(a, &form, &part, error);
    if (status != SAC_OK || !part)
        return status;
    status = sac_inference_fill_kind(prefix, SAC_PART_SELF, 0, part, error);
    if (status == SAC_OK)
        status = c->prompted.prompt ? sac_architecture_label_tokens(d, prefix->ids, prefix->count,
                                                                    &part->step_labels, error)
                                    : sac_captioner_name_encoded(c, &part->step_labels, error);
    return status == SAC_OK ? sac_labels_copy(&part->step_labels, &part->position_labels, error)
                            : status;
}

sac_status sac_captioner_prefix_attentions(captioner *c, const int *words, size_t count,
                                           sac_attentions *a, sac_error *error)
{
    const size_t L = (size_t)c->decoder->layers, H = (size_t)c->decoder->run.heads;
    sac_attention_kind *kind = &a->kind[SAC_DECODER_ATTENTION];
    const sac_prefix_rows rows = sac_captioner_rows(c, (int)count);
    sac_status status = sac_captioner_follow(c, words, (int)count, error);
    if (status == SAC_OK)
        status = sac_attentions_add(a, SAC_DECODER_ATTENTION, L, H, count, rows.keys, error);
    for (size_t i = 0; i < L * H && status == SAC_OK; i++)
        status = sac_prefix_rows_mean(&rows, (int)(i / H) + 1, (int)(i % H) + 1,
                                      kind->weights + i * count * rows.keys, error);
    if (status == SAC_OK)
        status = name_columns(c, words, count, kind, error);
    return status == SAC_OK ? add_prefix(c, a, error) : status;
}
