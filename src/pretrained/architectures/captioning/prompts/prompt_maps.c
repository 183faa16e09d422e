#include "architectures/captioning/prompts/prompt_maps.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/prompts/activation.h"
#include "architectures/inference/relevance.h"
#include "base/error.h"
#include "nn/layers.h"

typedef sac_pretrained_captioner captioner;

double sac_cells_close(float *cells, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)cells[i];
    for (size_t i = 0; i < count && sum > 0; i++)
        cells[i] = (float)((double)cells[i] / sum);
    return sum;
}

/* ---------------------------------------------------------------- through the encoder */

/* By tokens, of each tile; kept for the picture. */
static sac_status find_flow(captioner *c, size_t each, sac_error *error)
{
    const sac_image_tokens *p = c->prompted.picture;
    const int s = c->decoder->text_decoder.connector.shuffle;
    sac_status status = SAC_OK;
    if (c->prompted.flow)
        return SAC_OK;
    float *flow = malloc(p->tiles * each * each * sizeof *flow);
    if (!flow)
        return sac_no_memory(error, c->model->name);
    for (size_t i = 0; i < p->tiles && status == SAC_OK; i++)
        status = sac_entered_flow(c->model, &p->entered, i, s, flow + i * each * each, error);
    sac_pretrained_rest(c->model->files);
    if (status == SAC_OK)
        c->prompted.flow = flow;
    else
        free(flow);
    return status;
}

/* rows [count,tiles,each] through the tiles of each. */
static sac_status flow_through(captioner *c, size_t each, int count, float *rows, sac_error *error)
{
    const size_t tiles = c->prompted.picture->tiles;
    float *carried = malloc(each * sizeof *carried);
    sac_status status = carried ? find_flow(c, each, error) : sac_no_memory(error, c->model->name);
    for (size_t r = 0; r < (size_t)count * tiles && status == SAC_OK; r++) {
        const float *flow = c->prompted.flow + r % tiles * each * each;
        float *row = rows + r * each; /* tiles stand one behind the other in a row */
        memset(carried, 0, each * sizeof *carried);
        for (size_t i = 0; i < each; i++)
            for (size_t k = 0; row[i] != 0 && k < each; k++)
                carried[k] += row[i] * flow[i * each + k];
        memcpy(row, carried, each * sizeof *row);
    }
    free(carried);
    return status;
}

sac_status sac_prompt_rollout(captioner *c, int count, const float *seen, float *cells,
                              sac_error *error)
{
    const sac_image_tokens *p = c->prompted.picture;
    const bool is_joined = p->joined.width > 0;
    const size_t grid = (size_t)c->grid_w * (size_t)c->grid_h;
    const size_t each = is_joined ? (size_t)(p->joined.across * p->joined.down)
                                  : (p->looks ? grid : p->count) / p->tiles;
    const size_t tokens = p->tiles * each;
    float *rows = malloc((size_t)count * tokens * sizeof *rows);
    sac_token_box *boxes = malloc(tokens * sizeof *boxes);
    sac_status status = rows && boxes ? SAC_OK : sac_no_memory(error, c->model->name);
    for (size_t t = 0; t < (size_t)count && status == SAC_OK; t++)
        if (is_joined)
            sac_pictured_unpack(p, seen + t * p->count, rows + t * tokens);
        else
            memcpy(rows + t * tokens, seen + t * tokens, tokens * sizeof *rows);
    if (status == SAC_OK)
        status = flow_through(c, each, count, rows, error);
    if (status == SAC_OK && is_joined)
        sac_pictured_place_unpacked(p, boxes);
    if (status == SAC_OK && p->looks)
        memcpy(cells, rows, (size_t)count * tokens * sizeof *cells);
    else if (status == SAC_OK)
        sac_prompt_weigh_cells(c, is_joined ? boxes : p->box, tokens, rows, count, cells, NULL);
    free(rows);
    free(boxes);
    return status;
}

/* ---------------------------------------------------------------- token activations */

/* The question: what stands behind the picture in the prompt, up to the next special token. */
static void find_text_tokens(const captioner *c, size_t *from, size_t *end)
{
    const sac_tokens *ids = &c->prompted.ids;
    const sac_pretrained_model *d = c->decoder;
    size_t at = ids->count;
    while (at > 0 && ids->ids[at - 1] != d->text_decoder.connector.token)
        at--;
    while (at < ids->count && sac_tokenizer_is_special(d->tokenizer, ids->ids[at]))
        at++;
    *from = *end = at;
    while (*end < ids->count && !sac_tokenizer_is_special(d->tokenizer, ids->ids[*end]))
        ++*end;
}

/* Logits above 0 of states [rows,D] for some tokens. */
static sac_status score(sac_pretrained_model *d, const float *states, size_t rows, const int *ids,
                        size_t count, float *scores, sac_error *error)
{
    sac_arena arena = {0};
    sac_tensor x = {0}, y = {0};
    sac_ints list = {0};
    sac_parameter some = {.rank = 2, .shape = {count, d->width}, .count = count * d->width};
    sac_device_lock(d->device);
    sac_arena_shape(&arena, &d->pass, &x, rows, d->width);
    sac_arena_shape(&arena, &d->pass, &y, rows, count);
    sac_arena_shape(&arena, &d->pass, &some.value, count, d->width);
    sac_arena_shape_ints(&arena, &d->pass, &list, count);
    sac_pass_write(&d->pass, x, states);
    sac_pass_write_ints(&d->pass, list, ids);
    sac_embedding_forward(&d->pass, some.value, d->head ? d->head : d->words, list);
    sac_linear_forward(&d->pass, y, x, &some, NULL);
    sac_pass_read(&d->pass, y, scores);
    sac_status status = sac_pass_end(&d->pass, error);
    sac_arena_release(&arena);
    sac_device_unlock(d->device);
    for (size_t i = 0; i < rows * count; i++) {
        if (d->logit_cap > 0)
            scores[i] = d->logit_cap * tanhf(scores[i] / d->logit_cap);
        scores[i] = fmaxf(scores[i], 0);
    }
    return status;
}

/* The states of the picture's tokens, of the question's, and those that say each word. */
static void gather_states(const captioner *c, size_t from, size_t end, int count, float *states)
{
    const sac_prompt_decoder *p = &c->prompted;
    const size_t D = c->decoder->width;
    for (size_t i = 0; i < p->ids.count; i++)
        if (p->ids.ids[i] == c->decoder->text_decoder.connector.token) {
            memcpy(states, p->prompt->left + i * D, D * sizeof *states);
            states += D;
        }
    memcpy(states, p->prompt->left + from * D, (end - from) * D * sizeof *states);
    memcpy(states + (end - from) * D, p->states, (size_t)count * D * sizeof *states);
}

/* The most probable token behind a place of the prompt. */
static sac_status find_next(const captioner *c, size_t at, int *id, sac_error *error)
{
    const size_t vocabulary = c->decoder->vocabulary;
    float *logits = malloc(vocabulary * sizeof *logits);
    sac_status status = logits ? sac_inference_logits(c->prompted.prompt, at, logits, error)
                               : sac_no_memory(error, c->decoder->name);
    *id = 0;
    for (size_t i = 1; i < vocabulary && status == SAC_OK; i++)
        *id = logits[i] > logits[*id] ? (int)i : *id;
    free(logits);
    return status;
}

/* Each cell has the mean of the tokens that lie on it, filtered. */
static void place_activation(const captioner *c, const float *map, float *placed, float *cells)
{
    const sac_image_tokens *p = c->prompted.picture;
    const size_t count = (size_t)c->grid_w * (size_t)c->grid_h;
    float *covers = placed + count;
    memset(placed, 0, 2 * count * sizeof *placed);
    for (size_t i = 0; p->looks && i < p->count * count; i++) {
        placed[i % count] += p->looks[i] * map[i / count];
        covers[i % count] += p->looks[i];
    }
    for (size_t i = 0; !p->looks && i < p->count; i++) {
        const sac_token_box *box = &p->box[i];
        int left, above, right, below;
        sac_token_box_cells(box, &left, &above, &right, &below);
        for (int y = above; y < below; y++)
            for (int x = left; x < right; x++) {
                float part = sac_token_box_covers(box, x, y);
                placed[y * c->grid_w + x] += part * map[i];
                covers[y * c->grid_w + x] += part;
            }
    }
    for (size_t i = 0; i < count; i++)
        placed[i] /= p->looks ? fmaxf(covers[i], FLT_MIN) : fmaxf(covers[i], 1);
    sac_rank_gaussian(placed, c->grid_w, c->grid_h, cells);
    sac_cells_close(cells, count);
}

sac_status sac_prompt_activate(captioner *c, const int *words, int count, float *cells,
                               sac_error *error)
{
    const size_t seen = c->prompted.picture->count, D = c->decoder->width;
    const size_t grid = (size_t)c->grid_w * (size_t)c->grid_h;
    size_t from, end;
    find_text_tokens(c, &from, &end);
    const size_t asked = end - from, text_tokens = asked + (size_t)count, rows = seen + text_tokens;
    /* The question's first token stands for how much is active at all: what would be said there. */
    int *ids = malloc(2 * text_tokens * sizeof *ids), *classes = ids + text_tokens;
    float *states = malloc(rows * D * sizeof *states);
    float *scores = malloc(rows * text_tokens * sizeof *scores);
    float *map = malloc((seen + 2 * grid) * sizeof *map);
    sac_status status =
        ids && states && scores && map ? SAC_OK : sac_no_memory(error, c->decoder->name);
    if (status == SAC_OK) {
        memcpy(ids, c->prompted.ids.ids + from, asked * sizeof *ids);
        memcpy(ids + asked, words, (size_t)count * sizeof *ids);
        memcpy(classes, ids, text_tokens * sizeof *ids);
        gather_states(c, from, end, count, states);
        if (asked)
            status = find_next(c, from, &classes[0], error);
    }
    if (status == SAC_OK)
        status = score(c->decoder, states, rows, classes, text_tokens, scores, error);
    for (int t = 0; t < count && status == SAC_OK; t++) {
        const sac_activations a = {seen, text_tokens, ids, scores};
        sac_activation_map(&a, asked + (size_t)t, map);
        place_activation(c, map, map + seen, cells + (size_t)t * grid);
    }
    free(ids);
    free(states);
    free(scores);
    free(map);
    return status;
}

/* ---------------------------------------------------------------- relevance */

/* Prompt and words as one text. */
typedef struct whole_text {
    sac_inference read; /* places and entered are owned, and so is … */
    uint8_t *unseen;    /* … what it lends */
} whole_text;

static void free_whole(whole_text *w)
{
    free(w->read.entered);
    free(w->unseen);
    free(w->read.places);
}

/* A token sees those before it; of a prompt that is seen as a whole its tokens see all of it. */
static void hide_unseen(const captioner *c, size_t T, uint8_t *unseen)
{
    const size_t prompt = c->prompted.ids.count;
    const bool is_bidirectional = c->decoder->text_decoder.connector.is_bidirectional;
    for (size_t i = 0; i < T; i++)
        for (size_t j = 0; j < T; j++)
            unseen[i * T + j] = (j > i && !(is_bidirectional && i < prompt && j < prompt)) ||
                                (c->hides && j < prompt && c->hidden[j]);
}

/* Words stand behind a picture one after the other, in all axes. */
static bool place_words(const sac_inference *prompt, size_t count, sac_inference *placed)
{
    const size_t T = prompt->count + count;
    placed->places = malloc(3 * T * sizeof *placed->places);
    if (!placed->places)
        return false;
    memcpy(placed->places, prompt->places, 3 * prompt->count * sizeof *placed->places);
    for (size_t i = 3 * prompt->count; i < 3 * T; i++)
        placed->places[i] = (int)(prompt->next_place + i / 3 - prompt->count);
    placed->count = T;
    placed->next_place = prompt->next_place + count;
    return true;
}

static sac_status write_whole(const captioner *c, const int *words, size_t count, whole_text *w,
                              sac_error *error)
{
    sac_pretrained_model *d = c->decoder;
    const sac_inference *prompt = c->prompted.prompt;
    const size_t before = prompt->count, T = before + count, D = d->width;
    const bool is_masked = c->hides || d->text_decoder.connector.is_bidirectional;
    w->unseen = is_masked ? malloc(T * T) : NULL;
    w->read = (sac_inference){.model = d,
                              .count = T,
                              .entered = malloc(T * D * sizeof(float)),
                              .unseen = w->unseen,
                              .joined = d->text_decoder.connector.is_bidirectional ? before : 0,
                              .temperature = c->temperature,
                              .scale = c->scale[SAC_DECODER_ATTENTION]};
    if (!w->read.entered || (is_masked && !w->unseen) ||
        (prompt->places && !place_words(prompt, count, &w->read)))
        return sac_no_memory(error, d->name);
    memcpy(w->read.entered, prompt->entered, before * D * sizeof *w->read.entered);
    if (is_masked)
        hide_unseen(c, T, w->unseen);
    return sac_words_enter(d, sac_architecture_next_place(prompt), words, count,
                           w->read.entered + before * D, error);
}

/* Of words first … first + count − 1: rows [count,prompt + first + count − 1]. */
static sac_status find_rows(const captioner *c, const int *words, size_t first, size_t count,
                            float *rows, sac_error *error)
{
    sac_pretrained_model *d = c->decoder;
    whole_text whole = {0};
    float *gradients = malloc(count * d->width * sizeof *gradients);
    size_t *at = malloc(count * sizeof *at);
    sac_status status = gradients && at ? SAC_OK : sac_no_memory(error, d->name);
    for (size_t n = 0; n < count && at; n++)
        at[n] = c->prompted.ids.count - 1 + first + n;
    if (status == SAC_OK)
        status = write_whole(c, words, first + count - 1, &whole, error);
    if (status == SAC_OK)
        status = sac_logit_gradients(d, count, words + first, c->prompted.states + first * d->width,
                                     gradients, error);
    if (status == SAC_OK)
        status = sac_text_relevance(&whole.read, count, at, gradients, rows, error);
    free_whole(&whole);
    free(gradients);
    free(at);
    return status;
}

enum { GRADIENTS = 1 << 26 }; /* numbers of states and heads that words go back with at once */

sac_status sac_prompt_relevance(captioner *c, const int *words, int count, float *seen,
                                float *shares, sac_error *error)
{
    const sac_tokens *ids = &c->prompted.ids;
    const int token = c->decoder->text_decoder.connector.token;
    const size_t most = ids->count + (size_t)count - 1, all = (size_t)count;
    const size_t room = GRADIENTS / (2 * most * c->decoder->width), each = room ? room : 1;
    float *rows = malloc(all * most * sizeof *rows);
    sac_status status = rows ? SAC_OK : sac_no_memory(error, c->decoder->name);
    for (size_t first = 0, n; first < all && status == SAC_OK; first += n) {
        n = all - first < each ? all - first : each;
        const size_t T = ids->count + first + n - 1;
        status = find_rows(c, words, first, n, rows, error);
        for (size_t t = 0; t < n && status == SAC_OK; t++) {
            const float *row = rows + t * T;
            double sum = 0, there = 0;
            for (size_t i = 0; i < T; i++)
                sum += (double)row[i];
            for (size_t i = 0; i < ids->count; i++)
                if (ids->ids[i] == token) {
                    there += (double)row[i];
                    *seen++ = row[i];
                }
            shares[first + t] = (float)(sum > 0 ? there / sum : 0);
        }
    }
    free(rows);
    return status;
}
