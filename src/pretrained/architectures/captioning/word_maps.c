/* Where words looked: the weights of heads over what was encoded, what counted there, and what of it lies on cells. After a
 * context the rows come of the queries and keys that the decoding of one row keeps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "attention/attention.h"
#include "base/error.h"
#include "base/order.h"
#include "saccade_cl.h"

typedef sac_pretrained_captioner captioner;

/* Of mllms_know. */
static const char neutral_question[] = "Write a general description of the image.";

/* ---------------------------------------------------------------- rows after a context */

sac_context_rows sac_captioner_context_rows(const captioner *c, int count)
{
    const size_t context = c->decoding.prefix->count;
    return (sac_context_rows){.model = c->decoder,
                              .decoding = &c->decoding,
                              .context = context,
                              .keys = context + (size_t)count - !c->decoding.starts,
                              .count = (size_t)count,
                              .hidden = c->hides ? c->hidden : NULL,
                              .temperature = c->temperature};
}

/* Queries, keys or values, as arrays. */
static sac_cl_array attention_part_array(const sac_context_rows *r, int layer, int part)
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

/* [count,keys], 1: a word is beyond the window of a row; not of the context's last token, which sees all of it. */
static uint8_t *make_window_mask(const sac_context_rows *r, size_t window)
{
    uint8_t *beyond = calloc(r->count * r->keys, 1);
    for (size_t i = 0; beyond && i < r->count * r->keys; i++) {
        const size_t query = r->keys - r->count + i / r->keys, key = i % r->keys;
        beyond[i] = query >= r->context && key + window <= query;
    }
    return beyond;
}

/* The last of the rows has all keys before it. */
static sac_status attend(const sac_context_rows *r, int layer, sac_attention **attention,
                         sac_error *error)
{
    const sac_pretrained_model *d = r->model;
    const sac_position_ids placing = {.temperature = r->temperature};
    const sac_transformer_run run = sac_pretrained_model_run_settings(d, layer, &placing);
    const sac_cl_input input = {attention_part_array(r, layer, 0),
                                attention_part_array(r, layer, 1),
                                attention_part_array(r, layer, 2)};
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
    uint8_t *beyond = has_own ? make_window_mask(r, run.window) : NULL;
    const sac_array mask = sac_array_view(SAC_BOOL, 2, shape, hidden);
    const sac_array windows = sac_array_view(SAC_BOOL, 2, all, beyond);
    const sac_attention_input others = {.key_padding_mask = hidden ? &mask : NULL,
                                        .attn_mask = beyond ? &windows : NULL};
    const bool has_room = (hidden || !r->hidden) && (beyond || !has_own);
    if (hidden)
        memcpy(hidden, r->hidden, r->context);
    sac_status status =
        has_room ? sac_attention_create_cl(d->device, &spec, &input, &others, attention, error)
                 : sac_no_memory(error, d->name);
    free(hidden);
    free(beyond);
    return status;
}

sac_status sac_context_rows_mean(const sac_context_rows *r, int layer, int head, size_t columns,
                                 size_t stride, float *mean, sac_error *error)
{
    const int layers = r->model->layers, heads = r->model->run.heads;
    const float share = 1 / (float)((layer ? 1 : layers) * (head ? 1 : heads));
    const sac_tile tile = {.head = head ? (size_t)head - 1 : 0, .rows = r->count, .cols = columns};
    sac_status status = SAC_OK;
    for (size_t t = 0; t < r->count; t++)
        memset(mean + t * stride, 0, columns * sizeof *mean);
    for (int i = layer ? layer - 1 : 0; i < (layer ? layer : layers) && status == SAC_OK; i++) {
        sac_attention *attention = NULL;
        status = attend(r, i, &attention, error);
        if (status == SAC_OK)
            status = sac_attention_add_heads(attention, &tile, head ? 1 : (size_t)heads, share,
                                             stride, mean, error);
        sac_attention_destroy(attention);
    }
    return status;
}

/* ---------------------------------------------------------------- rows over what was encoded */

/* The mean over the heads and layers that are asked for (0: all, else counted from 1) of `count` words from the first
 * on, of all that are followed, [count,S]. */
static sac_status find_mean_attention_rows(const captioner *c, int layer, int head, int count,
                                           float *rows, sac_error *error)
{
    const sac_pretrained_model *d = c->decoder;
    const size_t S = c->seen, words = (size_t)count;
    const float share = 1 / (float)((layer ? 1 : d->layers) * (head ? 1 : d->run.heads));
    sac_status status = SAC_OK;
    if (c->context) {
        const sac_context_rows r = sac_captioner_context_rows(c, count);
        status = sac_context_rows_mean(&r, layer, head, S, S, rows, error);
        return status == SAC_OK ? sac_captioner_hold_rows(c, layer, head, count, rows, error)
                                : status;
    }
    memset(rows, 0, words * S * sizeof *rows);
    for (int i = layer ? layer - 1 : 0; i < (layer ? layer : d->layers) && status == SAC_OK; i++)
        status = sac_inference_add_heads(c->text, i, head, SAC_PART_CROSS,
                                         c->text->count - (size_t)c->followed, words, share, S,
                                         rows, error);
    return status == SAC_OK ? sac_captioner_hold_rows(c, layer, head, count, rows, error) : status;
}

sac_status sac_pretrained_captioner_weights(captioner *c, int word, int layer, int head,
                                            float *weights, sac_error *error)
{
    const size_t S = c->seen;
    if (c->decoder->text_decoder.recurrent) {
        memcpy(weights, sac_generated_step_at(c->generation, word).weights, S * sizeof *weights);
        return SAC_OK;
    }
    float *all = malloc((size_t)(word + 1) * S * sizeof *all);
    if (!all)
        return sac_no_memory(error, c->decoder->name);
    sac_status status = find_mean_attention_rows(c, layer + 1, head + 1, word + 1, all, error);
    memcpy(weights, all + (size_t)word * S, S * sizeof *weights);
    free(all);
    return status;
}

/* What of a row over tokens [count] lies on what the maps are over, in a prompt on the picture; returns how many numbers
 * that is. */
static size_t pick_seen_weights(const captioner *c, const int *ids, size_t count, const float *row,
                                float *seen)
{
    const bool has_prompt = sac_captioner_reads_picture_in_prompt(c);
    size_t taken = 0;
    for (size_t i = 0; i < count; i++)
        if (!has_prompt || ids[i] == c->decoder->text_decoder.connector.token)
            seen[taken++] = row[i];
    return taken;
}

/* Takes the sinks among the picture's tokens out of rows [count,tokens] over them: those whose mean over all
 * words is over ten times the median of these means. A token that means something to one word or two
 * stays. */
static sac_status drop_sinks(captioner *c, float *rows, int count, size_t tokens, sac_error *error)
{
    float *mean = calloc(2 * tokens, sizeof *mean), *sorted = mean + tokens;
    c->sinks = 0;
    if (!mean)
        return sac_no_memory(error, c->decoder->name);
    for (size_t i = 0; i < tokens; i++)
        for (int t = 0; t < count; t++)
            mean[i] += rows[(size_t)t * tokens + i] / (float)count;
    memcpy(sorted, mean, tokens * sizeof *sorted);
    qsort(sorted, tokens, sizeof *sorted, sac_compare_floats);
    const float most = 10 * sorted[tokens / 2];
    for (size_t i = 0; i < tokens; i++)
        if (mean[i] > most) {
            c->sinks++;
            for (int t = 0; t < count; t++)
                rows[(size_t)t * tokens + i] = 0;
        }
    free(mean);
    return SAC_OK;
}

/* ---------------------------------------------------------------- cells */

void sac_token_box_cells(const sac_token_box *box, int *x, int *y, int *end_x, int *end_y)
{
    *x = (int)floorf(box->x);
    *y = (int)floorf(box->y);
    *end_x = (int)ceilf(box->x + box->width);
    *end_y = (int)ceilf(box->y + box->height);
}

float sac_token_box_cell_overlap(const sac_token_box *box, int x, int y)
{
    float across = fminf(box->x + box->width, (float)(x + 1)) - fmaxf(box->x, (float)x);
    float down = fminf(box->y + box->height, (float)(y + 1)) - fmaxf(box->y, (float)y);
    return fmaxf(across, 0) * fmaxf(down, 0);
}

/* Spreads a token's weight over the cells that it covers; box NULL: over those that it looked at. */
static void spread(const captioner *c, const sac_token_box *box, size_t token, float weight,
                   float *cells)
{
    const sac_image_tokens *p = c->picture;
    const size_t grid = (size_t)c->grid_w * (size_t)c->grid_h;
    int left, above, right, below;
    for (size_t i = 0; !box && i < grid; i++)
        cells[i] += weight * p->looks[token * grid + i];
    if (!box)
        return;
    sac_token_box_cells(box, &left, &above, &right, &below);
    for (int y = above; y < below; y++)
        for (int x = left; x < right; x++)
            cells[y * c->grid_w + x] +=
                weight / (box->width * box->height) * sac_token_box_cell_overlap(box, x, y);
}

double sac_cells_normalise(float *cells, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)cells[i];
    for (size_t i = 0; i < count && sum > 0; i++)
        cells[i] = (float)((double)cells[i] / sum);
    return sum;
}

void sac_tokens_weigh_cells(const captioner *c, const sac_token_box *box, size_t tokens,
                            const float *seen, int count, float *cells, float *sums)
{
    const size_t grid = (size_t)c->grid_w * (size_t)c->grid_h;
    memset(cells, 0, (size_t)count * grid * sizeof *cells);
    for (int t = 0; t < count; t++, cells += grid) {
        for (size_t i = 0; i < tokens; i++)
            spread(c, box ? &box[i] : NULL, i, seen[(size_t)t * tokens + i], cells);
        float sum = (float)fmin(sac_cells_normalise(cells, grid), 1);
        if (sums)
            sums[t] = sum;
    }
}

/* The cells of a row over what was seen, brought to a sum of 1; returns what they had of it, for the rest went to other
 * tokens. Of a sound there is silence behind its cells. */
static float normalise_row_cells(const captioner *c, const float *seen, float *cells)
{
    const size_t count = (size_t)(c->grid_w * c->grid_h);
    const sac_image_tokens *p = c->picture;
    double sum = 0;
    if (p && (p->looks || p->box)) {
        float all;
        sac_tokens_weigh_cells(c, p->looks ? NULL : p->box, p->count, seen, 1, cells, &all);
        return all;
    }
    for (size_t i = 0; i < count; i++)
        sum += seen[c->prefix + i];
    for (size_t i = 0; i < count; i++)
        cells[i] = sum > 0 && !(c->hides && c->hidden[c->prefix + i])
                       ? (float)(seen[c->prefix + i] / sum)
                       : 0;
    return (float)fmin(sum, 1);
}

/* Of rows [count,tokens]; `sums` [count] NULL: they are not wanted. */
static void normalise_all_cells(const captioner *c, const float *seen, int count, size_t tokens,
                                float *cells, float *sums)
{
    const size_t grid = (size_t)(c->grid_w * c->grid_h);
    for (int t = 0; t < count; t++) {
        float sum = normalise_row_cells(c, seen + (size_t)t * tokens, cells + (size_t)t * grid);
        if (sums)
            sums[t] = sum;
    }
}

/* Divides cells [count,grid] by those of the neutral question's last token: mllms_know. */
static sac_status divide_by_neutral_map(captioner *c, const sac_result_request *request, int count,
                                        float *cells, sac_error *error)
{
    const size_t grid = (size_t)c->grid_w * (size_t)c->grid_h, tokens = c->picture->count;
    const sac_connector *k = &c->decoder->text_decoder.connector;
    const int token = k->token;
    sac_tokens ids = {0};
    sac_status status =
        sac_captioner_tokenize_question(c, k->neutral ? k->neutral : neutral_question, &ids, error);
    float *numbers = malloc((ids.count + tokens + grid + 1) * sizeof *numbers);
    float *seen = numbers + ids.count, *neutral = seen + tokens;
    uint8_t *hidden =
        calloc(ids.count + 1, 1); /* as many of the picture's tokens as after the question */
    if (status == SAC_OK && (!numbers || !hidden))
        status = sac_no_memory(error, c->decoder->name);
    for (size_t i = 0, at = 0; i < ids.count && status == SAC_OK; i++) {
        if (ids.ids[i] != token)
            continue;
        while (c->ids[at] != token)
            at++;
        hidden[i] = c->hidden[at++];
    }
    if (status == SAC_OK && !c->neutral)
        status = sac_captioner_read_prompt(c, ids.ids, ids.count, hidden, &c->neutral, error);
    const sac_context_rows rows = {.model = c->decoder,
                                   .alone = c->neutral,
                                   .context = ids.count,
                                   .keys = ids.count,
                                   .count = 1,
                                   .hidden = c->hides ? hidden : NULL,
                                   .temperature = c->temperature};
    if (status == SAC_OK)
        status = sac_context_rows_mean(&rows, request->layer, request->head, ids.count, ids.count,
                                       numbers, error);
    if (status == SAC_OK) {
        pick_seen_weights(c, ids.ids, ids.count, numbers, seen);
        normalise_row_cells(c, seen, neutral);
    }
    for (int t = 0; t < count && status == SAC_OK; t++, cells += grid) {
        for (size_t i = 0; i < grid; i++)
            cells[i] = neutral[i] > 0 ? cells[i] / neutral[i] : 0;
        sac_cells_normalise(cells, grid);
    }
    free(hidden);
    free(numbers);
    sac_tokens_free(&ids);
    return status;
}

/* The map that is asked for in place of the weights, of rows [count,tokens]. */
static sac_status attribute(captioner *c, const sac_result_request *r, const int *words, int count,
                            float *seen, size_t tokens, float *weights, sac_error *error)
{
    sac_status status = SAC_OK;
    if (r->attribution == SAC_ATTRIBUTION_RELATIVE)
        return divide_by_neutral_map(c, r, count, weights, error);
    if (r->attribution == SAC_ATTRIBUTION_ACTIVATION)
        return sac_prompt_activation_maps(c, words, count, weights, error);
    if (r->attribution == SAC_ATTRIBUTION_ENCODER &&
        c->picture) /* where it looked, that is carried on */
        return sac_prompt_rollout(c, count, c->picture->looks ? weights : seen, weights, error);
    if (r->attribution == SAC_ATTRIBUTION_ENCODER) { /* rows are carried on through its layers */
        sac_inference *p = NULL;
        status = sac_inference_run_embedded(c->model, &c->entered, 0, &p, error);
        sac_pretrained_forget_all(c->model->files);
        if (status == SAC_OK)
            status = sac_inference_rollout(p, (size_t)count, seen, error);
        sac_inference_free(p);
    } else if (r->attribution == SAC_ATTRIBUTION_RELEVANCE)
        status = sac_captioner_relevance(c, words, count, seen, c->on_picture, error);
    else
        return SAC_OK;
    if (status == SAC_OK)
        normalise_all_cells(c, seen, count, tokens, weights, NULL);
    return status;
}

sac_status sac_captioner_find_attention(void *self, const sac_result_request *r, const int *words,
                                        const int *sentence, int count, float *weights,
                                        float *gates, sac_error *error)
{
    captioner *c = self;
    size_t tokens = 0;
    float *seen = malloc((size_t)count * c->seen * sizeof *seen);
    (void)sentence; /* it is followed by its words */
    c->followed = count;
    sac_status status = seen ? SAC_OK : sac_no_memory(error, c->decoder->name);
    if (status == SAC_OK && (!c->context || c->is_searched))
        status = sac_captioner_replay_words(c, words, count, error);
    if (status == SAC_OK)
        status = find_mean_attention_rows(c, r->layer, r->head, count, seen, error);
    for (int t = 0; t < count && status == SAC_OK; t++) /* what stays comes before what is read */
        tokens = pick_seen_weights(c, c->ids, c->seen, seen + (size_t)t * c->seen,
                                   seen + (size_t)t * tokens);
    if (status == SAC_OK && r->no_sinks && sac_captioner_reads_picture_in_prompt(c))
        status = drop_sinks(c, seen, count, tokens, error);
    if (status == SAC_OK)
        normalise_all_cells(c, seen, count, tokens, weights, gates);
    memset(c->row_ends, 0, sizeof c->row_ends);
    const bool has_ends =
        status == SAC_OK && c->picture && c->decoder->text_decoder.connector.row_end;
    for (int t = 0; t < count && t < SAC_MAX_TOKENS && has_ends; t++)
        for (size_t i = 0; i < tokens; i++)
            if (!(c->picture->box[i].width > 0)) /* it lies nowhere */
                c->row_ends[t] += seen[(size_t)t * tokens + i];
    if (status == SAC_OK)
        status = attribute(c, r, words, count, seen, tokens, weights, error);
    free(seen);
    return status;
}

/* ---------------------------------------------------------------- heads */

/* What is read for the best sentence is there since its maps were found. */
sac_status sac_pretrained_captioner_head_maps(captioner *c, int layer, int count, float *maps,
                                              sac_error *error)
{
    const size_t grid = (size_t)c->grid_w * (size_t)c->grid_h;
    float *seen = malloc((size_t)count * c->seen * sizeof *seen);
    sac_status status = seen ? SAC_OK : sac_no_memory(error, c->decoder->name);
    for (int h = 0; h < c->decoder->run.heads && status == SAC_OK; h++) {
        status = find_mean_attention_rows(c, layer + 1, h + 1, count, seen, error);
        for (int t = 0; t < count && status == SAC_OK; t++, maps += grid) {
            float *row = seen + (size_t)t * c->seen;
            pick_seen_weights(c, c->ids, c->seen, row, row);
            const float sum = normalise_row_cells(c, row, maps);
            for (size_t i = 0; i < grid; i++)
                maps[i] *= sum;
        }
    }
    free(seen);
    return status;
}

/* ---------------------------------------------------------------- rows of a generation word by word */

/* Beside a memory: the mean over all layers and heads, to what was encoded and to the tokens behind it. */
static sac_status add_mean_attention_rows(captioner *c, const int *words, int count,
                                          sac_generation *generation, sac_error *error)
{
    const int layers = c->decoder->layers;
    const size_t rows = (size_t)count, all = generation->count;
    const float share = 1 / (float)(layers * c->decoder->run.heads);
    sac_attended memory;
    sac_inference *text;
    sac_status status = sac_captioner_reread(c, words, rows, &memory, &text, error);
    for (int i = 0; i < layers && status == SAC_OK; i++) {
        status = sac_inference_add_heads(text, i, 0, SAC_PART_CROSS, text->count - rows, rows,
                                         share, all, generation->rows, error);
        if (status == SAC_OK)
            status = sac_inference_add_heads(text, i, 0, SAC_PART_SELF, text->count - rows, rows,
                                             share, all, generation->rows + c->seen, error);
    }
    sac_inference_free(text);
    return status;
}

sac_status sac_captioner_fill_attention_rows(captioner *c, const int *words, int count,
                                             sac_generation *generation, sac_error *error)
{
    const size_t cells = (size_t)(c->grid_w * c->grid_h);
    float *seen = malloc(c->seen * sizeof *seen);
    sac_status status = seen ? SAC_OK : sac_no_memory(error, c->decoder->name);
    if (status == SAC_OK && c->context) { /* its keys are the columns */
        const sac_context_rows rows = sac_captioner_context_rows(c, count);
        status = sac_context_rows_mean(&rows, 0, 0, rows.keys, generation->count, generation->rows,
                                       error);
    } else if (status == SAC_OK)
        status = add_mean_attention_rows(c, words, count, generation, error);
    for (size_t t = 0; t < (size_t)count && generation->cells && status == SAC_OK; t++) {
        pick_seen_weights(c, c->ids, c->seen, generation->rows + t * generation->count, seen);
        normalise_row_cells(c, seen, generation->cells + t * cells);
    }
    free(seen);
    return status;
}
