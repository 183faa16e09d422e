/* A decoder of layers that reads a picture and a question in one text: the picture's tiles go through
 * the vision encoder, its patches become tokens of the prompt, and the answer is what comes next. Its
 * words attend to the prompt, and to the words before them; the map of a word is what of its row lies
 * on tokens of the picture. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/chat.h"
#include "architectures/captioning/prompts/prompt_maps.h"
#include "architectures/captioning/text_decoder.h"
#include "attention/on_operands.h"
#include "base/error.h"
#include "base/hash.h"
#include "nn/layers.h"
#include "saccade_cl.h"

typedef sac_pretrained_captioner captioner;

static const char first_question[] = "Describe this image.";
/* Of mllms_know: a question about nothing in particular. */
static const char neutral_question[] = "Write a general description of the image.";

/* ---------------------------------------------------------------- memory */

static sac_status create(captioner *c, sac_error *error)
{
    c->prompted.longest = c->search.length;
    if (sac_tokenizer_find(c->decoder->tokenizer, "<loc0000>") >= 0) /* PaliGemma's */
        c->regions = (sac_generated_regions){.form = SAC_REGIONS_BEFORE_WORDS, .asks = true};
    const char *first = c->decoder->text_decoder.connector.first;
    snprintf(c->prompted.question, sizeof c->prompted.question, "%s",
             first ? first : first_question);
    c->prompted.states =
        malloc((size_t)c->prompted.longest * c->decoder->width * sizeof *c->prompted.states);
    if (!c->prompted.states)
        return sac_no_memory(error, c->model->name);
    return sac_token_texts_make(c->decoder->tokenizer, (int)c->decoder->vocabulary, &c->words,
                                error);
}

static void destroy(captioner *c)
{
    free(c->prompted.states);
}

static void forget_prompt(captioner *c)
{
    sac_prompt_decoder *p = &c->prompted;
    sac_decoding_end(&c->decoding); /* before what it begins with */
    sac_inference_free(p->prompt);
    sac_inference_free(p->neutral);
    p->prompt = p->neutral = NULL;
    c->decoding = (sac_decoding){0};
}

void sac_pictured_release(sac_image_tokens *p)
{
    if (!p || atomic_fetch_sub(&p->users, 1) > 1)
        return;
    free(p->text);
    free(p->tokens);
    free(p->box);
    free(p->looks);
    sac_entered_forget(&p->entered);
    free(p);
}

/* What was seen; the question stays. */
static void forget(captioner *c)
{
    sac_prompt_decoder *p = &c->prompted;
    forget_prompt(c);
    sac_pictured_release(p->picture);
    p->picture = NULL;
    free(p->flow);
    p->flow = NULL;
    sac_tokens_free(&p->ids);
    p->ids = (sac_tokens){0};
}

/* ---------------------------------------------------------------- the picture */

/* Tokens of one tile out of its patches [n,D], which lie in rows: each is s × s of them, row by row.
 */
static void shuffle(const sac_inference *p, size_t s, float *tokens)
{
    size_t D = sac_inference_width(p), across = (size_t)p->grid_w / s;
    const float *patches = p->left + (size_t)p->prefix * D;
    for (size_t n = 0; n < across * ((size_t)p->grid_h / s); n++)
        for (size_t i = 0; i < s * s; i++, tokens += D) {
            size_t x = n % across * s + i % s, y = n / across * s + i / s;
            memcpy(tokens, patches + (y * (size_t)p->grid_w + x) * D, D * sizeof *tokens);
        }
}

sac_status sac_pictured_project(sac_pretrained_model *d, const float *features, size_t width,
                                sac_image_tokens *p, sac_error *error)
{
    const sac_connector *k = &d->text_decoder.connector;
    sac_arena arena = {0};
    sac_tensor x = {0}, hidden = {0}, y = {0};
    sac_device_lock(d->device);
    sac_arena_shape(&arena, &d->pass, &x, p->count, width);
    sac_pass_write(&d->pass, x, features);
    for (int i = 0; i < 2 && k->project[i].w; i++) {
        sac_tensor *to = i ? &y : &hidden;
        if (i)
            sac_activate(&d->pass, x, k->activation);
        sac_arena_shape(&arena, &d->pass, to, p->count, k->project[i].w->shape[0]);
        sac_linear_forward(&d->pass, *to, x, k->project[i].w, k->project[i].b);
        x = *to;
    }
    sac_pass_read(&d->pass, x, p->tokens);
    sac_status status = sac_pass_end(&d->pass, error);
    sac_arena_release(&arena);
    sac_device_unlock(d->device);
    return status;
}

/* Where the tokens lie of tiles with so many tokens: those of a tile are cells, and those of all of
 * the picture as large as so many tiles. */
static void place_tokens(const sac_picture_tiles *tiles, int across, int down, sac_image_tokens *p)
{
    sac_token_box *box = p->box;
    int wide = tiles->across ? tiles->across : 1, high = tiles->down ? tiles->down : 1;
    p->grid_w = across * wide;
    p->grid_h = down * high;
    for (int i = 0; i < tiles->count; i++) {
        bool is_whole = i == tiles->count - 1;
        int left = is_whole ? 0 : i % wide * across, above = is_whole ? 0 : i / wide * down;
        int w = is_whole ? wide : 1, h = is_whole ? high : 1;
        for (int n = 0; box && n < across * down; n++)
            *box++ = (sac_token_box){(float)(left + n % across * w),
                                     (float)(above + n / across * h), (float)w, (float)h};
    }
}

/* Memory for so many tokens of each tile with so many features. */
static bool make_room(const captioner *c, size_t each, size_t width, size_t cells,
                      sac_image_tokens *p, float **features)
{
    p->count = each * p->tiles;
    *features = malloc(p->count * width * sizeof **features);
    p->tokens = malloc(p->count * c->decoder->width * sizeof *p->tokens);
    if (c->model->resampler)
        p->looks = malloc(p->count * cells * sizeof *p->looks);
    else
        p->box = malloc(p->count * sizeof *p->box);
    return *features && p->tokens && (p->looks || p->box);
}

/* All tiles through the vision encoder, and where there are trained queries through these. */
static sac_status encode(const captioner *c, const sac_picture_tiles *tiles, sac_image_tokens *p,
                         sac_error *error)
{
    sac_pretrained_model *m = c->model;
    const sac_connector *k = &c->decoder->text_decoder.connector;
    const sac_pretrained_model *q = m->resampler;
    size_t s = (size_t)k->shuffle, each = 0, width = q ? q->width : s * s * m->width;
    int across = 0, down = 0;
    float *features = NULL;
    sac_status status = SAC_OK;
    for (int i = 0; i < tiles->count && status == SAC_OK; i++) {
        sac_inference *seen;
        status =
            sac_inference_see_just(m, &m->vision_encoder.rules, &tiles->image[i], &seen, error);
        if (status == SAC_OK)
            status = sac_captioner_scale_seen(c, &seen, error);
        if (status != SAC_OK)
            break;
        across = seen->grid_w / (int)s;
        down = seen->grid_h / (int)s;
        size_t cells = (size_t)across * (size_t)down;
        each = cells && q ? q->detector.queries : cells;
        if (!each) {
            sac_inference_free(seen);
            status = sac_fail(error, SAC_E_SHAPE, "picture", "give a larger one",
                              "has no %d x %d patches, which %s makes a token of", (int)s, (int)s,
                              m->name);
            break;
        }
        if (i == 0) {
            p->tiles = (size_t)tiles->count;
            if (!make_room(c, each, width, cells, p, &features))
                status = sac_no_memory(error, m->name);
            else
                place_tokens(tiles, across, down, p);
        }
        if (status == SAC_OK)
            status = sac_entered_keep(seen, (size_t)tiles->count, (size_t)i, &p->entered, error);
        if (status == SAC_OK && q)
            status = sac_inference_resample(seen, features + (size_t)i * each * width,
                                            p->looks + (size_t)i * each * cells, error);
        else if (status == SAC_OK)
            shuffle(seen, s, features + (size_t)i * each * width);
        sac_inference_free(seen);
    }
    if (status == SAC_OK)
        status = sac_pictured_project(c->decoder, features, width, p, error);
    free(features);
    if (status == SAC_OK && k->row_end) {
        status = sac_pictured_pack(c->decoder, tiles, across, down, p, error);
        each = p->count;
    }
    if (status == SAC_OK && !(p->text = k->write(c->decoder->tokenizer, k->token, tiles, each)))
        status = sac_no_memory(error, m->name);
    return status;
}

/* The picture that the model read last, where it is this one: one more user of it. */
static sac_image_tokens *find_pictured(sac_pretrained_model *d, uint64_t hash)
{
    sac_device_lock(d->device);
    sac_image_tokens *p = d->text_decoder.pictured;
    p = p && p->hash == hash ? p : NULL;
    if (p)
        atomic_fetch_add(&p->users, 1);
    sac_device_unlock(d->device);
    return p;
}

static void keep_pictured(sac_pretrained_model *d, sac_image_tokens *p)
{
    atomic_fetch_add(&p->users, 1);
    sac_device_lock(d->device);
    sac_image_tokens *before = d->text_decoder.pictured;
    d->text_decoder.pictured = p;
    sac_device_unlock(d->device);
    sac_pictured_release(before);
}

/* Sees the tiles of a picture of that hash. */
static sac_status see(captioner *c, const sac_picture_tiles *tiles, uint64_t hash, sac_error *error)
{
    sac_image_tokens *p = calloc(1, sizeof *p);
    if (!p)
        return sac_no_memory(error, c->model->name);
    *p = (sac_image_tokens){.users = 1, .hash = hash};
    sac_status status = encode(c, tiles, p, error);
    sac_pretrained_rest(c->model->files); /* the encoder's weights: until the next picture */
    if (status == SAC_OK) {
        keep_pictured(c->decoder, p);
        c->prompted.picture = p;
    } else
        sac_pictured_release(p);
    return status;
}

/* ---------------------------------------------------------------- the prompt */

/* A template may write the token that begins a text, which a tokenizer then puts before it once more. */
static void drop_second_start(const captioner *c, sac_tokens *ids)
{
    if (ids->count < 2 || ids->ids[0] != ids->ids[1] ||
        ids->ids[0] == c->decoder->text_decoder.connector.token ||
        !sac_tokenizer_is_special(c->decoder->tokenizer, ids->ids[0]))
        return;
    ids->count--;
    memmove(ids->ids, ids->ids + 1, ids->count * sizeof *ids->ids);
}

static sac_status check_prompt(const captioner *c, const sac_tokens *ids, sac_error *error)
{
    const sac_pretrained_model *d = c->decoder;
    size_t found = 0;
    for (size_t i = 0; i < ids->count; i++)
        found += ids->ids[i] == d->text_decoder.connector.token;
    if (found != c->prompted.picture->count)
        return sac_fail(error, SAC_E_FORMAT, c->model->folder,
                        "give the tokenizer of this very model",
                        "its tokenizer makes %zu tokens of a picture, and the model sees %zu",
                        found, c->prompted.picture->count);
    if (ids->count >= d->max_positions)
        return sac_fail(error, SAC_E_ARGUMENT, "question",
                        "give a shorter question, or a picture that is nearer to a square",
                        "with the picture there are %zu tokens, and %s has places for %zu",
                        ids->count, c->model->name, d->max_positions);
    return SAC_OK;
}

/* Tokens of the prompt with a question, where a picture was seen. */
static sac_status put_question(const captioner *c, const char *question, sac_tokens *ids,
                               sac_error *error)
{
    const sac_connector *k = &c->decoder->text_decoder.connector;
    char *text = sac_chat_fill(c->decoder->text_decoder.chat, c->prompted.picture->text, question);
    sac_status status =
        text ? sac_tokenizer_encode(c->decoder->tokenizer, text, !k->is_bare, ids, error)
             : sac_no_memory(error, c->model->name);
    free(text);
    if (status == SAC_OK) {
        drop_second_start(c, ids);
        status = check_prompt(c, ids, error);
    }
    return status;
}

static sac_status write_prompt(captioner *c, sac_error *error)
{
    sac_prompt_decoder *p = &c->prompted;
    sac_tokens ids = {0};
    sac_status status = put_question(c, p->question, &ids, error);
    uint8_t *hidden = status == SAC_OK ? calloc(ids.count, 1) : NULL;
    if (status == SAC_OK && !hidden)
        status = sac_no_memory(error, c->model->name);
    if (status != SAC_OK) {
        sac_tokens_free(&ids);
        return status;
    }
    forget_prompt(c);
    sac_tokens_free(&p->ids);
    free(c->hidden);
    const size_t most = (size_t)c->decoder->text_decoder.most_tokens;
    size_t room = c->decoder->max_positions - ids.count;
    if (most && most < ids.count + room)
        room = most > ids.count ? most - ids.count : 1;
    c->search.length = room < (size_t)p->longest ? (int)room : p->longest;
    p->ids = ids;
    /* The tokens allowed depend on the whole prompt, the picture's tokens among it. */
    c->search.before = ids.ids;
    c->search.before_count = (int)ids.count - 1;
    c->search.shortest = c->decoder->text_decoder.search.shortest;
    if (c->decoder->text_decoder.rules.counts_fresh)
        c->search.shortest += c->search.before_count;
    c->rules.first_at = (int)ids.count;
    c->hidden = hidden;
    c->seen = ids.count;
    return SAC_OK;
}

static sac_status ask(captioner *c, const char *question, sac_error *error)
{
    sac_prompt_decoder *p = &c->prompted;
    char before[sizeof p->question];
    if (!question[strspn(question, " \t\n")])
        return sac_fail(error, SAC_E_ARGUMENT, "question", "give some words", "has no words");
    if (strlen(question) >= sizeof p->question)
        return sac_fail(error, SAC_E_ARGUMENT, "question", "give a shorter one",
                        "has more than %zu bytes", sizeof p->question - 1);
    memcpy(before, p->question, sizeof before);
    snprintf(p->question, sizeof p->question, "%s", question);
    sac_status status = c->seen ? write_prompt(c, error) : SAC_OK;
    if (status != SAC_OK)
        memcpy(p->question, before, sizeof before);
    return status;
}

static sac_status copy_image(const sac_image *from, sac_image *to, sac_error *error)
{
    sac_status status = sac_image_create(from->width, from->height, to, error);
    if (status == SAC_OK)
        memcpy(to->rgba, from->rgba, 4 * (size_t)from->width * (size_t)from->height);
    return status;
}

static sac_status look(captioner *c, const sac_image *picture, sac_image *shown, sac_error *error)
{
    const sac_picture_rules *rules = &c->model->vision_encoder.rules;
    sac_picture_tiles tiles = {0};
    size_t pixels = (size_t)picture->width * (size_t)picture->height;
    uint64_t hash = sac_table_hash(picture->rgba, 4 * pixels) + (uint64_t)picture->width;
    const float *scale = c->scale[SAC_ENCODER_ATTENTION];
    if (scale)
        hash += sac_table_hash(scale, (size_t)c->model->layers * (size_t)c->model->run.heads *
                                          sizeof *scale);
    sac_status status = SAC_OK;
    forget(c);
    c->seen = 0;
    c->prompted.picture = find_pictured(c->decoder, hash);
    if (!c->prompted.picture || rules->crops)
        status = sac_picture_rules_cut(rules, picture, &tiles, error);
    if (status == SAC_OK && !c->prompted.picture)
        status = see(c, &tiles, hash, error);
    if (status == SAC_OK) {
        c->grid_w = c->prompted.picture->grid_w;
        c->grid_h = c->prompted.picture->grid_h;
        status = write_prompt(c, error);
    }
    if (status == SAC_OK && shown) /* cells lie over all of it, or over the part that is cut out */
        status = copy_image(rules->crops ? &tiles.image[0] : picture, shown, error);
    sac_picture_tiles_free(&tiles);
    return status;
}

/* ---------------------------------------------------------------- what is asked of it */

bool sac_captioner_hides(const captioner *c, size_t token, const uint8_t *cells)
{
    const sac_image_tokens *p = c->prompted.picture;
    const size_t grid = (size_t)c->grid_w * (size_t)c->grid_h;
    int left, above, right, below;
    float hidden = 0, all = 0;
    if (p->looks) {
        const float *looks = p->looks + token * grid;
        for (size_t i = 0; i < grid; i++) {
            hidden += cells[i] ? looks[i] : 0;
            all += looks[i];
        }
        return 2 * hidden > all;
    }
    const sac_token_box *box = &p->box[token];
    sac_token_box_cells(box, &left, &above, &right, &below);
    for (int y = above; y < below; y++)
        for (int x = left; x < right; x++)
            hidden += cells[y * c->grid_w + x] ? sac_token_box_covers(box, x, y) : 0;
    return 2 * hidden > box->width * box->height;
}

static sac_status read_prompt(captioner *c, sac_error *error)
{
    sac_pretrained_model *d = c->decoder;
    sac_prompt_decoder *p = &c->prompted;
    const sac_prompt prompt = {.ids = p->ids.ids,
                               .count = p->ids.count,
                               .picture = d->text_decoder.connector.token,
                               .pictured = p->picture->tokens,
                               .hidden = c->hides ? c->hidden : NULL,
                               .is_bidirectional = d->text_decoder.connector.is_bidirectional,
                               .across = p->picture->grid_w,
                               .down = p->picture->grid_h,
                               .temperature = c->temperature,
                               .scale = c->scale[SAC_DECODER_ATTENTION]};
    forget_prompt(c);
    c->search.start = p->ids.ids[p->ids.count - 1];
    sac_status status = sac_inference_read_prompt(d, &prompt, &p->prompt, error);
    c->decoding =
        (sac_decoding){.m = d,
                       .prefix = p->prompt,
                       .longest = (size_t)c->search.length,
                       .next = status == SAC_OK ? sac_architecture_next_place(p->prompt) : 0,
                       .hides = c->hides ? c->hidden : NULL,
                       .keeps_queries = true,
                       .scale = {c->scale[SAC_DECODER_ATTENTION]},
                       .temperature = c->temperature};
    return status;
}

/* The prompt is read anew where other cells are hidden, or the temperature is another. */
static sac_status request(captioner *c, const sac_result_request *r, sac_error *error)
{
    sac_prompt_decoder *p = &c->prompted;
    const int token = c->decoder->text_decoder.connector.token;
    bool changed = p->prompt && p->prompt->temperature != c->temperature;
    for (size_t i = 0, seen = 0; i < p->ids.count; i++) {
        uint8_t hides = 0;
        if (p->ids.ids[i] == token)
            hides = r->hidden && sac_captioner_hides(c, seen++, r->hidden);
        changed = changed || hides != c->hidden[i];
        c->hidden[i] = hides;
    }
    return p->prompt && !changed ? SAC_OK : read_prompt(c, error);
}

static void step(captioner *c, const sac_beam *beam, const sac_step_result *result)
{
    c->is_searched = beam->options.width > 1;
    sac_decoding_step(&c->decoding, beam, result->logits);
    if (!c->is_searched)
        sac_captioner_keep_state(c, (size_t)beam->step);
}

/* ---------------------------------------------------------------- the attention of the words */

/* Of the picture's tokens in another prompt [ids] as many are hidden as in that of the words; free() it. */
static uint8_t *hidden_of(const captioner *c, const sac_tokens *ids)
{
    const int token = c->decoder->text_decoder.connector.token;
    uint8_t *hidden = calloc(ids->count, 1);
    for (size_t i = 0, at = 0; hidden && i < ids->count; i++) {
        if (ids->ids[i] != token)
            continue;
        while (c->prompted.ids.ids[at] != token)
            at++;
        hidden[i] = c->hidden[at++];
    }
    return hidden;
}

void sac_token_box_cells(const sac_token_box *box, int *x, int *y, int *end_x, int *end_y)
{
    *x = (int)floorf(box->x);
    *y = (int)floorf(box->y);
    *end_x = (int)ceilf(box->x + box->width);
    *end_y = (int)ceilf(box->y + box->height);
}

float sac_token_box_covers(const sac_token_box *box, int x, int y)
{
    float across = fminf(box->x + box->width, (float)(x + 1)) - fmaxf(box->x, (float)x);
    float down = fminf(box->y + box->height, (float)(y + 1)) - fmaxf(box->y, (float)y);
    return fmaxf(across, 0) * fmaxf(down, 0);
}

/* Spreads a token's weight over the cells that it covers; box NULL: over those that it looked at. */
static void spread(const captioner *c, const sac_token_box *box, size_t token, float weight,
                   float *cells)
{
    const sac_image_tokens *p = c->prompted.picture;
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
                weight / (box->width * box->height) * sac_token_box_covers(box, x, y);
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Takes the sinks among the picture's tokens out of the rows [count,keys]: those whose mean over all
 * words is over ten times the median of these means. A token that means something to one word or two
 * stays. */
static sac_status drop_sinks(captioner *c, float *rows, int count, size_t keys, sac_error *error)
{
    sac_prompt_decoder *p = &c->prompted;
    size_t tokens = p->picture->count, seen = 0;
    float *mean = calloc(2 * tokens, sizeof *mean), *sorted = mean + tokens;
    p->sinks = 0;
    if (!mean)
        return sac_no_memory(error, c->decoder->name);
    for (size_t i = 0; i < p->ids.count; i++)
        if (p->ids.ids[i] == c->decoder->text_decoder.connector.token) {
            for (int t = 0; t < count; t++)
                mean[seen] += rows[(size_t)t * keys + i] / (float)count;
            seen++;
        }
    memcpy(sorted, mean, tokens * sizeof *sorted);
    qsort(sorted, tokens, sizeof *sorted, by_size);
    float most = 10 * sorted[tokens / 2];
    seen = 0;
    for (size_t i = 0; i < p->ids.count; i++)
        if (p->ids.ids[i] == c->decoder->text_decoder.connector.token && mean[seen++] > most) {
            p->sinks++;
            for (int t = 0; t < count; t++)
                rows[(size_t)t * keys + i] = 0;
        }
    free(mean);
    return SAC_OK;
}

/* What of rows [count,keys] lies on the tokens of the picture, [count,tokens]. */
static void take_seen(const captioner *c, const sac_tokens *ids, const sac_prefix_rows *r,
                      const float *rows, float *seen)
{
    const int token = c->decoder->text_decoder.connector.token;
    for (size_t t = 0; t < r->count; t++)
        for (size_t i = 0; i < ids->count; i++)
            if (ids->ids[i] == token)
                *seen++ = rows[t * r->keys + i];
}

void sac_prompt_weigh_cells(const captioner *c, const sac_token_box *box, size_t tokens,
                            const float *seen, int count, float *cells, float *sums)
{
    const size_t grid = (size_t)c->grid_w * (size_t)c->grid_h;
    memset(cells, 0, (size_t)count * grid * sizeof *cells);
    for (int t = 0; t < count; t++, cells += grid) {
        for (size_t i = 0; i < tokens; i++)
            spread(c, box ? &box[i] : NULL, i, seen[(size_t)t * tokens + i], cells);
        float sum = (float)fmin(sac_cells_close(cells, grid), 1);
        if (sums)
            sums[t] = sum;
    }
}

static void weigh_cells(const captioner *c, const float *seen, int count, float *cells, float *sums)
{
    const sac_image_tokens *p = c->prompted.picture;
    sac_prompt_weigh_cells(c, p->box, p->count, seen, count, cells, sums);
}

/* What of each word's row lies on tokens that lie nowhere: the ends of rows. */
static void weigh_row_ends(captioner *c, const float *seen, int count)
{
    const sac_image_tokens *p = c->prompted.picture;
    memset(c->prompted.row_ends, 0, sizeof c->prompted.row_ends);
    for (int t = 0; t < count && t < SAC_MAX_TOKENS; t++)
        for (size_t i = 0; p->joined.width && i < p->count; i++)
            if (!(p->box[i].width > 0))
                c->prompted.row_ends[t] += seen[(size_t)t * p->count + i];
}

/* Reads the prompt with a question of no matter, unless it was. */
static sac_status read_neutral(captioner *c, sac_tokens *ids, sac_error *error)
{
    sac_prompt_decoder *p = &c->prompted;
    const sac_pretrained_model *d = c->decoder;
    sac_status status = put_question(c, neutral_question, ids, error);
    if (status != SAC_OK || p->neutral)
        return status;
    uint8_t *hidden = hidden_of(c, ids);
    const sac_prompt prompt = {.ids = ids->ids,
                               .count = ids->count,
                               .picture = d->text_decoder.connector.token,
                               .pictured = p->picture->tokens,
                               .hidden = c->hides ? hidden : NULL,
                               .is_bidirectional = d->text_decoder.connector.is_bidirectional,
                               .across = p->picture->grid_w,
                               .down = p->picture->grid_h,
                               .temperature = c->temperature,
                               .scale = c->scale[SAC_DECODER_ATTENTION]};
    status = hidden ? sac_inference_read_prompt(c->decoder, &prompt, &p->neutral, error)
                    : sac_no_memory(error, d->name);
    free(hidden);
    return status;
}

/* Divides cells [count,grid] by those of the neutral question's last token: mllms_know. */
static sac_status relate(captioner *c, const sac_result_request *request, int count, float *cells,
                         sac_error *error)
{
    const size_t grid = (size_t)c->grid_w * (size_t)c->grid_h, tokens = c->prompted.picture->count;
    sac_tokens ids = {0};
    sac_status status = read_neutral(c, &ids, error);
    float *numbers = malloc((ids.count + tokens + grid + 1) * sizeof *numbers);
    float *seen = numbers + ids.count, *neutral = seen + tokens;
    uint8_t *hidden = status == SAC_OK && c->hides ? hidden_of(c, &ids) : NULL;
    const sac_prefix_rows rows = {.model = c->decoder,
                                  .alone = c->prompted.neutral,
                                  .prefix = ids.count,
                                  .keys = ids.count,
                                  .count = 1,
                                  .hidden = hidden,
                                  .temperature = c->temperature};
    if (status == SAC_OK && (!numbers || (c->hides && !hidden)))
        status = sac_no_memory(error, c->decoder->name);
    if (status == SAC_OK)
        status = sac_prefix_rows_mean(&rows, request->layer, request->head, numbers, error);
    if (status == SAC_OK) {
        take_seen(c, &ids, &rows, numbers, seen);
        weigh_cells(c, seen, 1, neutral, NULL);
    }
    free(hidden);
    for (int t = 0; t < count && status == SAC_OK; t++, cells += grid) {
        for (size_t i = 0; i < grid; i++)
            cells[i] = neutral[i] > 0 ? cells[i] / neutral[i] : 0;
        sac_cells_close(cells, grid);
    }
    free(numbers);
    sac_tokens_free(&ids);
    return status;
}

static sac_status attention(void *self, const sac_result_request *r, const int *words,
                            const int *sentence, int count, float *weights, float *gates,
                            sac_error *error)
{
    captioner *c = self;
    const sac_prefix_rows rows = sac_captioner_rows(c, count);
    const size_t tokens = c->prompted.picture->count;
    float *all = malloc((size_t)count * rows.keys * sizeof *all);
    float *seen = malloc((size_t)count * tokens * sizeof *seen);
    (void)sentence; /* it is followed by its words */
    sac_status status = all && seen ? SAC_OK : sac_no_memory(error, c->decoder->name);
    if (status == SAC_OK &&
        c->is_searched) /* the best is read behind the prompt, as if it had been greedy */
        status = sac_captioner_follow(c, words, count, error);
    if (status == SAC_OK)
        status = sac_prefix_rows_mean(&rows, r->layer, r->head, all, error);
    if (status == SAC_OK && r->no_sinks)
        status = drop_sinks(c, all, count, rows.keys, error);
    if (status == SAC_OK) {
        take_seen(c, &c->prompted.ids, &rows, all, seen);
        weigh_cells(c, seen, count, weights, gates);
        weigh_row_ends(c, seen, count);
    }
    if (status == SAC_OK && r->attribution == SAC_ATTRIBUTION_RELATIVE)
        status = relate(c, r, count, weights, error);
    if (status == SAC_OK && r->attribution == SAC_ATTRIBUTION_ENCODER) {
        bool looked = c->prompted.picture->looks != NULL; /* then it is cells that are carried on */
        status = sac_prompt_rollout(c, count, looked ? weights : seen, weights, error);
    }
    if (status == SAC_OK && r->attribution == SAC_ATTRIBUTION_ACTIVATION)
        status = sac_prompt_activate(c, words, count, weights, error);
    if (status == SAC_OK && r->attribution == SAC_ATTRIBUTION_RELEVANCE) {
        status = sac_captioner_relevance(c, words, count, seen, c->prompted.on_picture, error);
        if (status == SAC_OK)
            weigh_cells(c, seen, count, weights, NULL);
    }
    free(all);
    free(seen);
    return status;
}

static sac_status rows_of(captioner *c, const int *words, int count, sac_generation *generation,
                          sac_error *error)
{
    const sac_prefix_rows rows = {.count = (size_t)count, .keys = generation->count};
    float *seen = malloc((size_t)count * c->prompted.picture->count * sizeof *seen);
    (void)words;
    sac_status status = seen ? sac_prefix_rows_take(c, count, generation, error)
                             : sac_no_memory(error, c->decoder->name);
    if (status == SAC_OK) {
        take_seen(c, &c->prompted.ids, &rows, generation->rows, seen);
        weigh_cells(c, seen, count, generation->cells, NULL);
    }
    free(seen);
    return status;
}

static sac_status weights_of(captioner *c, int word, int layer, int head, float *weights,
                             sac_error *error)
{
    const sac_prefix_rows rows = sac_captioner_rows(c, word + 1);
    float *all = malloc((size_t)(word + 1) * rows.keys * sizeof *all);
    if (!all)
        return sac_no_memory(error, c->decoder->name);
    sac_status status = sac_prefix_rows_mean(&rows, layer + 1, head + 1, all, error);
    memcpy(weights, all + (size_t)word * rows.keys, c->seen * sizeof *weights);
    free(all);
    return status;
}

static sac_status attentions_of(captioner *c, const int *words, size_t count, sac_attentions *a,
                                sac_error *error)
{
    sac_status status = c->prompted.prompt ? SAC_OK : read_prompt(c, error);
    return status == SAC_OK ? sac_captioner_prefix_attentions(c, words, count, a, error) : status;
}

const sac_text_decoder_class sac_text_decoder_of_prompts = {
    .attributions = 1u << SAC_ATTRIBUTION_RELATIVE | 1u << SAC_ATTRIBUTION_ENCODER |
                    1u << SAC_ATTRIBUTION_ACTIVATION | 1u << SAC_ATTRIBUTION_RELEVANCE,
    .create = create,
    .destroy = destroy,
    .look = look,
    .ask = ask,
    .request = request,
    .forget = forget,
    .step = step,
    .attention = attention,
    .rows = rows_of,
    .attentions = attentions_of,
    .weights = weights_of};
