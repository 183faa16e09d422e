/* What is made of a decoder's rows over the tokens of a picture in its prompt. */

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/error.h"
#include "nn/layers.h"

typedef sac_pretrained_captioner captioner;

/* ---------------------------------------------------------------- through the encoder */

/* By tokens, of each tile of a picture; kept for it. */
static sac_status compute_tile_flow(const captioner *c, const sac_image_tokens *p, size_t each,
                                    float **kept, sac_error *error)
{
    const int s = c->decoder->text_decoder.connector.shuffle;
    sac_status status = SAC_OK;
    if (*kept)
        return SAC_OK;
    float *flow = malloc(p->tiles * each * each * sizeof *flow);
    if (!flow)
        return sac_no_memory(error, c->model->name);
    for (size_t i = 0; i < p->tiles && status == SAC_OK; i++)
        status = sac_entered_flow(c->model, &p->entered, i, s, flow + i * each * each, error);
    sac_pretrained_forget_all(c->model->files);
    if (status == SAC_OK)
        *kept = flow;
    else
        free(flow);
    return status;
}

/* A row [tiles,each] through the tiles; `carried` has room for one. */
static void apply_tile_flow(const float *flow, size_t tiles, size_t each, float *row,
                            float *carried)
{
    for (size_t tile = 0; tile < tiles; tile++, row += each, flow += each * each) {
        memset(carried, 0, each * sizeof *carried);
        for (size_t i = 0; i < each; i++)
            for (size_t k = 0; row[i] != 0 && k < each; k++)
                carried[k] += row[i] * flow[i * each + k];
        memcpy(row, carried, each * sizeof *row);
    }
}

/* Tokens of a tile, before tiles were joined. */
static size_t tile_tokens(const sac_image_tokens *p)
{
    const size_t grid = (size_t)p->grid_w * (size_t)p->grid_h;
    return p->joined.width ? (size_t)(p->joined.across * p->joined.down)
                           : (p->looks ? grid : p->count) / p->tiles;
}

/* Of one picture: seen [count,stride] → rows [count,all], and where the tokens of a row lie, beginning with cell x, y. */
static sac_status carry_rows(const captioner *c, const sac_image_tokens *p, float **flow, int count,
                             const float *seen, size_t stride, float *rows, size_t all,
                             sac_token_box *box, int x, int y, sac_error *error)
{
    const size_t each = tile_tokens(p), tokens = p->tiles * each;
    float *carried = malloc(each * sizeof *carried);
    sac_status status =
        carried ? compute_tile_flow(c, p, each, flow, error) : sac_no_memory(error, c->model->name);
    for (size_t t = 0; t < (size_t)count && status == SAC_OK; t++) {
        if (p->joined.width)
            (p->joined.overlaps ? sac_pictured_spread : sac_pictured_unpack)(p, seen + t * stride,
                                                                             rows + t * all);
        else
            memcpy(rows + t * all, seen + t * stride, tokens * sizeof *rows);
        apply_tile_flow(*flow, p->tiles, each, rows + t * all, carried);
    }
    if (p->joined.width)
        (p->joined.overlaps ? sac_pictured_place_spread : sac_pictured_place_unpacked)(p, box);
    else if (p->box)
        memcpy(box, p->box, tokens * sizeof *box);
    for (size_t i = 0; i < tokens && p->box; i++) {
        box[i].x += (float)x;
        box[i].y += (float)y;
    }
    free(carried);
    return status;
}

sac_status sac_prompt_rollout(captioner *c, int count, const float *seen, float *cells,
                              sac_error *error)
{
    const sac_image_tokens *p = c->picture;
    const sac_image_tokens *const *parts = p->parts ? (const sac_image_tokens *const *)p->part : &p;
    const int pictures = p->parts ? p->parts : 1;
    size_t all = 0, from = 0, at = 0;
    for (int i = 0; i < pictures; i++)
        all += parts[i]->tiles * tile_tokens(parts[i]);
    float *rows = malloc((size_t)count * all * sizeof *rows);
    sac_token_box *boxes = malloc(all * sizeof *boxes);
    sac_status status = rows && boxes ? SAC_OK : sac_no_memory(error, c->model->name);
    for (int i = 0; i < pictures && status == SAC_OK; i++) {
        status = carry_rows(c, parts[i], &c->flow[i], count, seen + from, p->looks ? all : p->count,
                            rows + at, all, boxes + at, p->place[i].x, p->place[i].y, error);
        from += parts[i]->count;
        at += parts[i]->tiles * tile_tokens(parts[i]);
    }
    if (status == SAC_OK && p->looks)
        memcpy(cells, rows, (size_t)count * all * sizeof *cells);
    else if (status == SAC_OK)
        sac_tokens_weigh_cells(c, boxes, all, rows, count, cells, NULL);
    free(rows);
    free(boxes);
    return status;
}

/* ---------------------------------------------------------------- token activations
 * Token activation maps (Li et al. 2025, arXiv 2506.23270): what the tokens of a picture would predict, without the
 * share of the words before. */

/* The logits above 0 of a picture's tokens and of earlier places of the text, for each of the
 * tokens of the text that can be earlier or is explained. */
typedef struct activations {
    size_t seen,
        text_tokens; /* tokens of the picture; tokens of the text: of the question, and generated */
    const int *ids;  /* [text_tokens] */
    const float *
        scores; /* [seen + text_tokens,text_tokens]: the logit that a place gives a token, at least 0. A
                            place of the question is that of the token itself, and of a generated one
                            the one that predicts it */
} activations;

/* map [seen] of token `which`: its activation less that which earlier, other tokens explain: their
 * activations, weighted by how much their places activate it, by least squares. At least 0. */
static void map_activation(const activations *a, size_t which, float *map)
{
    const float *own = a->scores + which, *place = a->scores + a->seen * a->text_tokens;
    double weights = 0, along = 0, length = 0;
    for (size_t e = 0; e < which; e++)
        if (a->ids[e] != a->ids[which])
            weights += (double)place[e * a->text_tokens + which];
    memset(map, 0, a->seen * sizeof *map);
    for (size_t e = 0; e < which; e++) {
        double weight = (double)place[e * a->text_tokens + which] / (weights + 1e-8);
        if (a->ids[e] != a->ids[which])
            for (size_t i = 0; i < a->seen; i++)
                map[i] += (float)(weight * (double)a->scores[i * a->text_tokens + e]);
    }
    for (size_t i = 0; i < a->seen; i++) {
        along += (double)own[i * a->text_tokens] * (double)map[i];
        length += (double)map[i] * (double)map[i];
    }
    float share = (float)(length > 0 ? along / length : 0);
    for (size_t i = 0; i < a->seen; i++)
        map[i] = fmaxf(own[i * a->text_tokens] - share * map[i], 0);
}

static int mirror_index(int at, int count)
{
    if (count == 1)
        return 0;
    at = at < 0 ? -at : at;
    return at < count ? at : 2 * (count - 1) - at;
}

enum { WINDOW = 9 };

/* The sorted values of a window weighted by a Gaussian around their median, as wide as their deviation over their
 * mean; where all are equal, one of them. */
static float filter_sorted_window(const float sorted[WINDOW])
{
    double mean = 0, square = 0, sum = 0, all = 0;
    for (int i = 0; i < WINDOW; i++)
        mean += (double)sorted[i] / WINDOW;
    for (int i = 0; i < WINDOW; i++)
        square += ((double)sorted[i] - mean) * ((double)sorted[i] - mean) / WINDOW;
    if (!(mean > 0))
        return 0;
    double width = sqrt(square) / mean;
    if (!(sorted[WINDOW - 1] > sorted[0]))
        return sorted[0];
    for (int i = 0; i < WINDOW; i++) {
        double from = i - WINDOW / 2, weight = exp(-from * from / (2 * width * width));
        all += weight;
        sum += weight * (double)sorted[i];
    }
    return (float)(sum / all);
}

/* The rank Gaussian filter over the cells of a picture in rows of `wide`, 3 × 3, mirrored at the edges. `filtered` lies
 * elsewhere. */
static void filter_ranks(const float *cells, int wide, const sac_picture_part *of, float *filtered)
{
    for (int y = 0; y < of->grid_h; y++)
        for (int x = 0; x < of->grid_w; x++) {
            float window[WINDOW];
            for (int i = 0, k; i < WINDOW; i++) { /* each goes before those that are larger */
                const float value = cells[(of->y + mirror_index(y + i / 3 - 1, of->grid_h)) * wide +
                                          of->x + mirror_index(x + i % 3 - 1, of->grid_w)];
                for (k = i; k > 0 && window[k - 1] > value; k--)
                    window[k] = window[k - 1];
                window[k] = value;
            }
            filtered[(of->y + y) * wide + of->x + x] = filter_sorted_window(window);
        }
}

/* The question: what stands behind the picture in the prompt, up to the next special token. */
static void find_question_range(const captioner *c, size_t *from, size_t *end)
{
    const int *ids = c->ids;
    const sac_pretrained_model *d = c->decoder;
    size_t at = c->seen;
    const sac_asked_form *form = sac_captioner_form_of(c, c->question);
    while (at > 0 && ids[at - 1] != d->text_decoder.connector.token)
        at--;
    if (form) {
        *from = at + (size_t)form->before_count;
        *end = c->seen - (size_t)form->after_count;
        return;
    }
    while (at < c->seen && sac_tokenizer_is_special(d->tokenizer, ids[at]))
        at++;
    *from = *end = at;
    while (*end < c->seen && !sac_tokenizer_is_special(d->tokenizer, ids[*end]))
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
    float *bias = sac_model_read_parameter(d, d->text_decoder.bias);
    sac_status status = sac_model_end_pass(d, &arena, error);
    for (size_t i = 0; i < rows * count && status == SAC_OK; i++) {
        scores[i] = (scores[i] + (bias ? bias[ids[i % count]] : 0)) * d->logit_scale;
        if (d->logit_cap > 0)
            scores[i] = d->logit_cap * tanhf(scores[i] / d->logit_cap);
        scores[i] = fmaxf(scores[i], 0);
    }
    free(bias);
    return status;
}

/* The states of the picture's tokens, of the question's, and those that predict each word. */
static void gather_states(const captioner *c, size_t from, size_t end, int count, float *states)
{
    const size_t D = c->decoder->width;
    for (size_t i = 0; i < c->seen; i++)
        if (c->ids[i] == c->decoder->text_decoder.connector.token) {
            memcpy(states, c->context->left + i * D, D * sizeof *states);
            states += D;
        }
    memcpy(states, c->context->left + from * D, (end - from) * D * sizeof *states);
    memcpy(states + (end - from) * D, c->states, (size_t)count * D * sizeof *states);
}

/* The most probable token behind a place of the prompt. */
static sac_status find_likeliest_token(const captioner *c, size_t at, int *id, sac_error *error)
{
    const size_t vocabulary = c->decoder->vocabulary;
    float *logits = malloc(vocabulary * sizeof *logits);
    sac_status status = logits ? sac_inference_logits(c->context, at, logits, error)
                               : sac_no_memory(error, c->decoder->name);
    *id = 0;
    for (size_t i = 1; i < vocabulary && status == SAC_OK; i++)
        *id = logits[i] > logits[*id] ? (int)i : *id;
    free(logits);
    return status;
}

/* Each cell has the mean of the tokens that lie on it, filtered. */
static void spread_activation_to_cells(const captioner *c, const float *map, float *placed,
                                       float *cells)
{
    const sac_image_tokens *p = c->picture;
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
                float part = sac_token_box_cell_overlap(box, x, y);
                placed[y * c->grid_w + x] += part * map[i];
                covers[y * c->grid_w + x] += part;
            }
    }
    for (size_t i = 0; i < count; i++)
        placed[i] /= p->looks ? fmaxf(covers[i], FLT_MIN) : fmaxf(covers[i], 1);
    const sac_picture_part all = {.grid_w = c->grid_w, .grid_h = c->grid_h};
    memset(cells, 0, count * sizeof *cells);
    for (int i = 0; i < (p->parts ? p->parts : 1); i++)
        filter_ranks(placed, c->grid_w, p->parts ? &p->place[i] : &all, cells);
    sac_cells_normalise(cells, count);
}

sac_status sac_prompt_activation_maps(captioner *c, const int *words, int count, float *cells,
                                      sac_error *error)
{
    const size_t seen = c->picture->count, D = c->decoder->width;
    const size_t grid = (size_t)c->grid_w * (size_t)c->grid_h;
    size_t from, end;
    find_question_range(c, &from, &end);
    const size_t asked = end - from, text_tokens = asked + (size_t)count, rows = seen + text_tokens;
    /* The question's first token stands for how much is active at all: what would be predicted there. */
    int *ids = malloc(2 * text_tokens * sizeof *ids), *classes = ids + text_tokens;
    float *states = malloc(rows * D * sizeof *states);
    float *scores = malloc(rows * text_tokens * sizeof *scores);
    float *map = malloc((seen + 2 * grid) * sizeof *map);
    sac_status status =
        ids && states && scores && map ? SAC_OK : sac_no_memory(error, c->decoder->name);
    if (status == SAC_OK) {
        memcpy(ids, c->ids + from, asked * sizeof *ids);
        memcpy(ids + asked, words, (size_t)count * sizeof *ids);
        memcpy(classes, ids, text_tokens * sizeof *ids);
        gather_states(c, from, end, count, states);
        if (asked)
            status = find_likeliest_token(c, from, &classes[0], error);
    }
    if (status == SAC_OK)
        status = score(c->decoder, states, rows, classes, text_tokens, scores, error);
    for (int t = 0; t < count && status == SAC_OK; t++) {
        const activations a = {seen, text_tokens, ids, scores};
        map_activation(&a, asked + (size_t)t, map);
        spread_activation_to_cells(c, map, map + seen, cells + (size_t)t * grid);
    }
    free(ids);
    free(states);
    free(scores);
    free(map);
    return status;
}
