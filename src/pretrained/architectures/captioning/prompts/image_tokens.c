/* Pictures, and sounds, as tokens of a text that is read: by an encoder, beside a question, or in a prompt, whose tiles go through
 * the vision encoder. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/error.h"
#include "base/hash.h"
#include "nn/layers.h"

typedef sac_pretrained_captioner captioner;

void sac_pictured_release(sac_image_tokens *p)
{
    if (!p || atomic_fetch_sub(&p->users, 1) > 1)
        return;
    for (int i = 0; i < p->parts; i++)
        sac_pictured_release(p->part[i]);
    free(p->text);
    free(p->tokens);
    free(p->box);
    free(p->looks);
    sac_entered_forget(&p->entered);
    free(p);
}

void sac_captioner_forget_picture(captioner *c)
{
    sac_pictured_release(c->picture);
    free(c->form);
    c->picture = NULL;
    c->form = NULL;
    for (int i = 0; i < SAC_PICTURE_PARTS; i++) {
        free(c->flow[i]);
        c->flow[i] = NULL;
    }
}

/* ---------------------------------------------------------------- features to tokens */

/* Features [count,width] → tokens [count,D], by the connector of what reads them; `level`, from 1 on: of those that left
 * one of the vision encoder's levels. */
static sac_status project(sac_pretrained_model *d, const float *features, size_t width, int level,
                          size_t count, float *tokens, sac_error *error)
{
    const sac_connector *k = &d->text_decoder.connector;
    const sac_layer_norm *entry = level ? &k->level[level - 1].entry : &k->entry;
    const sac_dense *project = level ? k->level[level - 1].project : k->project;
    sac_arena arena = {0};
    sac_tensor x = {0}, merged = {0}, hidden = {0}, y = {0};
    sac_device_lock(d->device);
    sac_arena_shape(&arena, &d->pass, &x, count, width);
    sac_pass_write(&d->pass, x, features);
    if (!level && k->less) /* both signs are turned, and then turned back */
        sac_scale(&d->pass, x, -k->times);
    else if (!level && k->times > 0)
        sac_scale(&d->pass, x, k->times);
    if (!level && k->less) {
        sac_add_rows(&d->pass, x, k->less->value);
        sac_scale_columns(&d->pass, x, k->gain->value);
        sac_scale(&d->pass, x, -1);
    }
    if (entry->gain)
        sac_layer_norm_forward(&d->pass, entry, x, x);
    if (!level && k->merge.w) {
        sac_arena_shape(&arena, &d->pass, &merged, count, k->merge.w->shape[0]);
        sac_linear_forward(&d->pass, merged, x, k->merge.w, k->merge.b);
        x = merged;
    }
    for (int i = 0; i < 2 && project[i].w; i++) {
        sac_tensor *to = i ? &y : &hidden;
        if (i)
            sac_activate(&d->pass, x, k->activation);
        sac_arena_shape(&arena, &d->pass, to, count, project[i].w->shape[0]);
        sac_linear_forward(&d->pass, *to, x, project[i].w, project[i].b);
        x = *to;
    }
    sac_pass_read(&d->pass, x, tokens);
    return sac_model_end_pass(d, &arena, error);
}

/* The text that stands for it in a prompt: free() it. NULL: no memory. */
static char *write_prompt_text(const sac_pretrained_model *d, const sac_picture_tiles *tiles,
                               size_t each)
{
    const sac_connector *k = &d->text_decoder.connector;
    const char *begins = k->begins ? sac_tokenizer_token(d->tokenizer, k->begins) : NULL;
    const char *ends = k->ends ? sac_tokenizer_token(d->tokenizer, k->ends) : NULL;
    char *own = k->write(d->tokenizer, k->token, tiles, each), *text;
    if (!own || (!begins && !ends))
        return own;
    const size_t size = strlen(own) + (begins ? strlen(begins) : 0) + (ends ? strlen(ends) : 0) + 1;
    text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s%s", begins ? begins : "", own, ends ? ends : "");
    free(own);
    return text;
}

/* ---------------------------------------------------------------- for an encoder of text */

/* Cells with their places, behind their mean: [1 + n,C]. To half of the numbers of a cell its column is added,
 * to the others its row, and to every second of them 1, as in sinusoids of the only time. */
static void add_cell_positions(const sac_inference *p, const float *rows, const float *columns,
                               float *to)
{
    size_t C = sac_inference_width(p), n = p->count, half = C - C / 2;
    float *cell = to + C;
    for (size_t i = 0; i < n; i++, cell += C)
        for (size_t k = 0; k < C; k++) {
            size_t x = i % (size_t)p->grid_w, y = i / (size_t)p->grid_w;
            float place = k < half ? columns[x * half + k] : rows[y * (C / 2) + k - half];
            cell[k] = p->left[i * C + k] + place + (float)(k % 2);
        }
    for (size_t k = 0; k < C; k++) {
        double sum = 0;
        for (size_t i = 1; i <= n; i++)
            sum += (double)to[i * C + k];
        to[k] = (float)(sum / (double)n);
    }
}

/* What was seen → tokens [1 + n,D] of a picture. */
static sac_status project_cells(const captioner *c, const sac_inference *p,
                                sac_image_tokens *picture, sac_error *error)
{
    sac_pretrained_model *m = c->model;
    const sac_connector *k = &c->decoder->text_decoder.connector;
    size_t C = sac_inference_width(p), D = c->decoder->width, count = p->count + 1;
    sac_arena arena = {0};
    sac_tensor x = {0}, y = {0}, normed = {0};
    if ((size_t)p->grid_w > k->columns->shape[0] || (size_t)p->grid_h > k->rows->shape[0])
        return sac_fail(error, SAC_E_SHAPE, "picture", "give a smaller one",
                        "has %d x %d cells, and %s places for %zu x %zu", p->grid_w, p->grid_h,
                        m->name, k->columns->shape[0], k->rows->shape[0]);
    float *cells = malloc(count * C * sizeof *cells);
    picture->tokens = malloc(count * D * sizeof *picture->tokens);
    picture->count = count;
    picture->grid_w = p->grid_w;
    picture->grid_h = p->grid_h;
    sac_device_lock(m->device);
    float *rows = sac_model_read_parameter(m, k->rows);
    float *columns = sac_model_read_parameter(m, k->columns);
    sac_status status = sac_pass_end(&m->pass, error);
    if (status == SAC_OK && (!cells || !picture->tokens))
        status = sac_no_memory(error, m->name);
    if (status == SAC_OK) {
        add_cell_positions(p, rows, columns, cells);
        sac_arena_shape(&arena, &m->pass, &x, count, C);
        sac_arena_shape(&arena, &m->pass, &y, count, D);
        sac_arena_shape(&arena, &m->pass, &normed, count, D);
        sac_pass_write(&m->pass, x, cells);
        sac_linear_forward(&m->pass, y, x, k->project[0].w, NULL);
        sac_layer_norm_forward(&m->pass, &k->norm, normed, y);
        sac_pass_read(&m->pass, normed, picture->tokens);
        status = sac_pass_end(&m->pass, error);
    }
    sac_arena_release(&arena);
    sac_device_unlock(m->device);
    free(rows);
    free(columns);
    free(cells);
    return status;
}

/* What was seen → tokens [queries,D] of a picture, and where each of them looked. */
static sac_status resample_to_query_tokens(const captioner *c, const sac_inference *p,
                                           sac_image_tokens *picture, sac_error *error)
{
    const sac_pretrained_model *q = c->model->resampler;
    const size_t Q = q->detector.queries, cells = (size_t)p->grid_w * (size_t)p->grid_h;
    float *gathered = malloc(Q * q->width * sizeof *gathered);
    picture->tokens = malloc(Q * c->decoder->width * sizeof *picture->tokens);
    picture->looks = malloc(Q * cells * sizeof *picture->looks);
    picture->count = Q;
    picture->grid_w = p->grid_w;
    picture->grid_h = p->grid_h;
    picture->tiles = 1;
    sac_status status = gathered && picture->tokens && picture->looks
                            ? sac_entered_keep(p, 1, 0, &picture->entered, error)
                            : sac_no_memory(error, c->model->name);
    if (status == SAC_OK)
        status = sac_inference_resample(p, gathered, picture->looks, error);
    if (status == SAC_OK)
        status = project(c->decoder, gathered, q->width, 0, Q, picture->tokens, error);
    free(gathered);
    return status;
}

/* A sound → tokens of a sound for a prompt, one after the other. */
static sac_status pool_sound_cells(const captioner *c, const sac_inference *p,
                                   sac_image_tokens *sound, sac_error *error)
{
    const sac_connector *k = &c->decoder->text_decoder.connector;
    sac_status status = sac_picture_tokens_of(p, c->decoder, &sound->tokens, &sound->count, error);
    if (status == SAC_OK && !sound->count)
        return sac_fail(error, SAC_E_ARGUMENT, "sound", "give a longer one",
                        "has %d cells, and %s makes a token of %d", p->grid_w, c->model->name,
                        k->shuffle);
    if (status == SAC_OK)
        status = sac_entered_keep(p, 1, 0, &sound->entered, error);
    if (status != SAC_OK)
        return status;
    sound->grid_w = (int)sound->count;
    sound->grid_h = 1;
    sound->tiles = 1;
    sound->box = malloc(sound->count * sizeof *sound->box);
    sound->text = write_prompt_text(c->decoder, NULL, sound->count);
    if (!sound->box || !sound->text)
        return sac_no_memory(error, c->model->name);
    for (size_t i = 0; i < sound->count; i++)
        sound->box[i] = (sac_token_box){(float)i, 0, 1, 1};
    return SAC_OK;
}

sac_status sac_captioner_make_picture_tokens(captioner *c, const sac_inference *seen,
                                             sac_error *error)
{
    sac_image_tokens *picture = calloc(1, sizeof *picture);
    if (!picture)
        return sac_no_memory(error, c->model->name);
    picture->users = 1;
    sac_status status =
        (c->model->resampler                        ? resample_to_query_tokens
         : sac_captioner_reads_picture_in_prompt(c) ? pool_sound_cells
                                                    : project_cells)(c, seen, picture, error);
    if (status != SAC_OK) {
        sac_pictured_release(picture);
        return status;
    }
    sac_captioner_forget_picture(c);
    c->picture = picture;
    return SAC_OK;
}

/* ---------------------------------------------------------------- for a prompt */

/* Tokens of one tile out of its patches [n,D], which lie in rows: each is the mean of s × s of them, or of a sound of s. */
static void pool_patches_to_tokens(const sac_inference *p, const float *patches, size_t s,
                                   float *tokens)
{
    const size_t high = (size_t)sac_group_rows(p->grid_h, (int)s);
    size_t D = sac_inference_width(p), wide = (size_t)p->grid_w, across = wide / s;
    for (size_t n = 0; n < across * ((size_t)p->grid_h / high) * D; n++) {
        size_t x = n / D % across * s, y = n / D / across * high;
        double sum = 0;
        for (size_t i = 0; i < s * high; i++)
            sum += (double)patches[((y + i / s) * wide + x + i % s) * D + n % D];
        tokens[n] = (float)(sum / (double)(s * high));
    }
}

/* … or each is s × s of them, row by row, or number by number. */
static void merge_patches_to_tokens(const sac_inference *p, const float *patches, size_t s,
                                    bool by_number, float *tokens)
{
    const size_t D = sac_inference_width(p), across = (size_t)p->grid_w / s;
    const size_t patch = by_number ? 1 : D, number = by_number ? s * s : 1;
    for (size_t n = 0; n < across * ((size_t)p->grid_h / s); n++, tokens += s * s * D)
        for (size_t i = 0; i < s * s; i++) {
            const size_t x = n % across * s + i % s, y = n / across * s + i / s;
            const float *from = patches + (y * (size_t)p->grid_w + x) * D;
            for (size_t k = 0; k < D; k++)
                tokens[i * patch + k * number] = from[k];
        }
}

/* The features of tile i: of its last states, and of each of the levels, behind those of all tiles. */
static void gather_tile_features(const sac_inference *seen, const sac_connector *k, size_t i,
                                 size_t each, size_t width, size_t count, float *features)
{
    const size_t D = sac_inference_width(seen);
    for (size_t level = 0; level <= (size_t)k->levels; level++) {
        const float *states = level ? seen->levels + (level - 1) * seen->count * D : seen->left;
        const float *patches = states + (size_t)seen->prefix * D;
        float *to = features + (level * count + i * each) * width;
        if (k->pools)
            pool_patches_to_tokens(seen, patches, (size_t)k->shuffle, to);
        else
            merge_patches_to_tokens(seen, patches, (size_t)k->shuffle, k->by_number, to);
    }
}

sac_status sac_picture_tokens_of(const sac_inference *seen, sac_pretrained_model *reader,
                                 float **tokens, size_t *count, sac_error *error)
{
    const sac_connector *k = &reader->text_decoder.connector;
    const int s = k->shuffle, high = k->pools ? sac_group_rows(seen->grid_h, s) : s;
    const size_t width = (size_t)(k->pools ? 1 : s * s) * seen->model->width;
    *count = (size_t)(seen->grid_w / s) * (size_t)(seen->grid_h / high);
    float *features = malloc((*count * width + 1) * sizeof *features);
    *tokens = malloc((*count * reader->width + 1) * sizeof **tokens);
    sac_status status = features && *tokens ? SAC_OK : sac_no_memory(error, reader->name);
    if (status == SAC_OK) {
        gather_tile_features(seen, k, 0, *count, width, *count, features);
        status = project(reader, features, width, 0, *count, *tokens, error);
    }
    free(features);
    return status;
}

/* Where the tokens lie of tiles with so many tokens: those of a tile are cells, and those of all of
 * the picture as large as so many tiles. */
static void set_token_boxes(const sac_picture_tiles *tiles, int across, int down,
                            sac_image_tokens *p)
{
    sac_token_box *box = p->box;
    const int wide = p->grid_w / across, high = p->grid_h / down;
    for (int i = 0; i < tiles->count; i++) {
        bool is_whole = i == tiles->count - 1;
        int left = is_whole ? 0 : i % wide * across, above = is_whole ? 0 : i / wide * down;
        int w = is_whole ? wide : 1, h = is_whole ? high : 1;
        for (int n = 0; box && n < across * down; n++)
            *box++ = (sac_token_box){(float)(left + n % across * w),
                                     (float)(above + n / across * h), (float)w, (float)h};
    }
}

/* What part of cell u of `count` lies on cell x, where all of them lie evenly on `wide` cells from `first` on. */
static float cell_share(int u, int count, int first, int wide, int x)
{
    const float size = (float)wide / (float)count, from = (float)first + (float)u * size;
    return fmaxf(fminf(from + size, (float)x + 1) - fmaxf(from, (float)x), 0) / size;
}

/* Rows of looks at the cells of a tile → at those of the picture, on which that of all of it, the last, lies whole. */
static void spread_tile_looks(const sac_inference *seen, const sac_picture_tiles *tiles, int tile,
                              const sac_image_tokens *p, size_t rows, const float *looks, float *to)
{
    const bool is_whole = tile == tiles->count - 1;
    const int across = is_whole ? 1 : tiles->across, down = is_whole ? 1 : tiles->down;
    const int wide = p->grid_w / across, high = p->grid_h / down;
    const int left = tile % across * wide, above = is_whole ? 0 : tile / across * high;
    const size_t cells = (size_t)seen->grid_w * (size_t)seen->grid_h;
    const size_t all = (size_t)p->grid_w * (size_t)p->grid_h;
    memset(to, 0, rows * all * sizeof *to);
    for (size_t i = 0; i < cells * (size_t)(wide * high); i++) {
        const int u = (int)(i % cells), x = (int)(i / cells);
        const float share =
            cell_share(u % seen->grid_w, seen->grid_w, left, wide, left + x % wide) *
            cell_share(u / seen->grid_w, seen->grid_h, above, high, above + x / wide);
        const size_t at = (size_t)((above + x / wide) * p->grid_w + left + x % wide);
        for (size_t row = 0; row < rows && share > 0; row++)
            to[row * all + at] += share * looks[row * cells + (size_t)u];
    }
}

/* What the trained queries gather of a tile, and where on the picture each of them looked. */
static sac_status resample_tile(const sac_inference *seen, const sac_picture_tiles *tiles, int tile,
                                float *states, sac_image_tokens *p, sac_error *error)
{
    const size_t Q = seen->model->resampler->detector.queries;
    const size_t all = (size_t)p->grid_w * (size_t)p->grid_h;
    float *looks = malloc(Q * (size_t)seen->grid_w * (size_t)seen->grid_h * sizeof *looks);
    sac_status status = looks ? sac_inference_resample(seen, states, looks, error)
                              : sac_no_memory(error, seen->model->name);
    if (status == SAC_OK)
        spread_tile_looks(seen, tiles, tile, p, Q, looks, p->looks + (size_t)tile * Q * all);
    free(looks);
    return status;
}

/* Memory for so many tokens of each tile with so many features; of tiles that overlap those of one are those of all. */
static bool allocate_tile_tokens(const captioner *c, size_t each, size_t width, sac_image_tokens *p,
                                 float **features)
{
    const sac_connector *k = &c->decoder->text_decoder.connector;
    const size_t levels = (size_t)k->levels + 1;
    p->count = k->overlaps ? each : each * p->tiles;
    *features = malloc(levels * each * p->tiles * width * sizeof **features);
    p->tokens = malloc(levels * p->count * c->decoder->width * sizeof *p->tokens);
    if (c->model->resampler)
        p->looks = malloc(p->count * (size_t)p->grid_w * (size_t)p->grid_h * sizeof *p->looks);
    else
        p->box = malloc(p->count * sizeof *p->box);
    return *features && p->tokens && (p->looks || p->box);
}

/* All tiles through the vision encoder, and where there are trained queries through these. */
static sac_status fill_tokens_from_tiles(const captioner *c, const sac_picture_tiles *tiles,
                                         sac_image_tokens *p, sac_error *error)
{
    sac_pretrained_model *m = c->model;
    const sac_connector *k = &c->decoder->text_decoder.connector;
    const sac_pretrained_model *q = m->resampler;
    size_t s = (size_t)k->shuffle, each = 0,
           width = q ? q->width : (k->pools ? 1 : s * s) * m->width;
    const sac_picture_tiles one = {.count = 1}, *shown = k->overlaps ? &one : tiles;
    int across = 0, down = 0;
    float *features = NULL;
    sac_status status = SAC_OK;
    for (int i = 0; i < tiles->count && status == SAC_OK; i++) {
        sac_inference *seen;
        status =
            sac_inference_see_by_rules(m, &m->vision_encoder.rules, &tiles->image[i], &seen, error);
        if (status == SAC_OK)
            status = sac_captioner_scale_encoder_heads(c, &seen, error);
        if (status != SAC_OK)
            break;
        if (i == 0 || !q) {
            across = seen->grid_w / (int)s;
            down = seen->grid_h / (int)s;
        }
        size_t cells = (size_t)(seen->grid_w / (int)s) * (size_t)(seen->grid_h / (int)s);
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
            p->grid_w = across * (shown->across ? shown->across : 1);
            p->grid_h = down * (shown->down ? shown->down : 1);
            if (!allocate_tile_tokens(c, each, width, p, &features))
                status = sac_no_memory(error, m->name);
            else
                set_token_boxes(shown, across, down, p);
        }
        if (status == SAC_OK && (!q || tiles->count == 1)) /* else of several sizes */
            status = sac_entered_keep(seen, (size_t)tiles->count, (size_t)i, &p->entered, error);
        if (status == SAC_OK && q)
            status = resample_tile(seen, tiles, i, features + (size_t)i * each * width, p, error);
        else if (status == SAC_OK)
            gather_tile_features(seen, k, (size_t)i, each, width, p->count, features);
        sac_inference_free(seen);
    }
    if (status == SAC_OK && k->overlaps) {
        status = sac_pictured_average(tiles, across, down, k->margin, width, &features, p, error);
        width *= 2;
    }
    for (int i = 0; i <= k->levels && status == SAC_OK; i++)
        status = project(c->decoder, features + (size_t)i * p->count * width, width, i, p->count,
                         p->tokens + (size_t)i * p->count * c->decoder->width, error);
    free(features);
    if (status == SAC_OK && k->row_end) {
        status = sac_pictured_pack(c->decoder, tiles, across, down, p, error);
        each = p->count;
    }
    if (status == SAC_OK && !(p->text = write_prompt_text(c->decoder, tiles, each)))
        status = sac_no_memory(error, m->name);
    return status;
}

/* Sees the tiles of a picture. */
static sac_status encode_picture_tiles(const captioner *c, const sac_picture_tiles *tiles,
                                       sac_image_tokens **made, sac_error *error)
{
    sac_image_tokens *p = *made = calloc(1, sizeof *p);
    if (!p)
        return sac_no_memory(error, c->model->name);
    p->users = 1;
    sac_status status = fill_tokens_from_tiles(c, tiles, p, error);
    if (status != SAC_OK) {
        sac_pictured_release(p);
        *made = NULL;
    }
    return status;
}

/* The model keeps the picture, in place of the one before. */
static void keep_picture(captioner *c, sac_image_tokens *p)
{
    c->picture = p;
    atomic_fetch_add(&p->users, 1);
    sac_device_lock(c->decoder->device);
    sac_image_tokens *before = c->decoder->text_decoder.pictured;
    c->decoder->text_decoder.pictured = p;
    sac_device_unlock(c->decoder->device);
    sac_pictured_release(before);
}

/* Pictures, and by what heads they are seen. */
static uint64_t hash_pictures(const captioner *c, const sac_image *pictures, int count)
{
    const float *scale = c->scale[SAC_ENCODER_ATTENTION];
    uint64_t hash = 0;
    for (int i = 0; i < count; i++) {
        const size_t pixels = (size_t)pictures[i].width * (size_t)pictures[i].height;
        hash =
            31 * hash + sac_table_hash(pictures[i].rgba, 4 * pixels) + (uint64_t)pictures[i].width;
    }
    if (scale)
        hash += sac_table_hash(scale, (size_t)c->model->layers * (size_t)c->model->run.heads *
                                          sizeof *scale);
    return hash;
}

/* Each through the encoder, and where there are several their tokens together. */
static sac_status encode_pictures(captioner *c, const sac_picture_tiles *tiles, int count,
                                  uint64_t hash, sac_error *error)
{
    sac_image_tokens *part[SAC_PICTURE_PARTS] = {0}, *all = NULL;
    sac_status status = SAC_OK;
    for (int i = 0; i < count && status == SAC_OK; i++)
        status = encode_picture_tiles(c, &tiles[i], &part[i], error);
    sac_pretrained_forget_all(c->model->files); /* the encoder's weights: until the next picture */
    if (status == SAC_OK && count > 1)
        status = sac_pictured_join(c->decoder, part, count, &all, error);
    if (status == SAC_OK && count == 1)
        all = part[0];
    for (int i = 0; i < count && all != part[0]; i++)
        sac_pictured_release(part[i]);
    if (status == SAC_OK) {
        all->hash = hash;
        keep_picture(c, all);
    }
    return status;
}

/* What the cells lie over. */
static sac_status show_pictures(const captioner *c, const sac_image *pictures,
                                const sac_picture_tiles *tiles, int count, sac_image *shown,
                                sac_error *error)
{
    sac_image seen[SAC_PICTURE_PARTS]; /* lent */
    for (int i = 0; i < count; i++)
        seen[i] = c->model->vision_encoder.rules.crops ? tiles[i].image[0] : pictures[i];
    if (count > 1)
        return sac_pictured_show_parts(c->picture, seen, shown, error);
    sac_status status = sac_image_create(seen->width, seen->height, shown, error);
    if (status == SAC_OK)
        memcpy(shown->rgba, seen->rgba, 4 * (size_t)seen->width * (size_t)seen->height);
    return status;
}

static sac_status check_several(const captioner *c, int count, sac_error *error)
{
    const sac_pretrained_model *m = c->model;
    if (count > SAC_PICTURE_PARTS)
        return sac_fail(error, SAC_E_ARGUMENT, m->name, "give fewer pictures",
                        "is given %d pictures together; up to %d are possible", count,
                        SAC_PICTURE_PARTS);
    const sac_connector *k = &c->decoder->text_decoder.connector;
    if (count > 1 && (m->resampler || k->most_tiles || k->forms))
        return sac_fail(error, SAC_E_ARGUMENT, m->name, "give one picture at a time",
                        "sees several pictures together in another way, which is not supported");
    return SAC_OK;
}

sac_status sac_captioner_encode_for_prompt(captioner *c, const sac_image *pictures, int count,
                                           sac_image *shown, sac_error *error)
{
    const sac_picture_rules *rules = &c->model->vision_encoder.rules;
    sac_picture_tiles tiles[SAC_PICTURE_PARTS] = {0};
    sac_status status = check_several(c, count, error);
    if (status != SAC_OK)
        return status;
    const uint64_t hash = hash_pictures(c, pictures, count);
    sac_captioner_forget(c);
    sac_captioner_forget_picture(c);
    sac_device_lock(c->decoder->device);
    sac_image_tokens *last = c->decoder->text_decoder.pictured; /* that the model read last */
    c->picture = last && last->hash == hash ? last : NULL;
    if (c->picture)
        atomic_fetch_add(&last->users, 1);
    sac_device_unlock(c->decoder->device);
    if (count > 1)
        status = sac_chat_form(c->model, count, &c->form, error);
    for (int i = 0; i < count && status == SAC_OK && (!c->picture || rules->crops); i++)
        status = sac_picture_rules_cut(rules, &pictures[i], &tiles[i], error);
    if (status == SAC_OK && !c->picture)
        status = encode_pictures(c, tiles, count, hash, error);
    if (status == SAC_OK) {
        c->grid_w = c->picture->grid_w;
        c->grid_h = c->picture->grid_h;
        status = sac_captioner_build_prompt(c, error);
    }
    if (status == SAC_OK && shown)
        status = show_pictures(c, pictures, tiles, count, shown, error);
    for (int i = 0; i < count; i++)
        sac_picture_tiles_free(&tiles[i]);
    return status;
}

float sac_captioner_covers(const captioner *c, size_t token, const float *spot)
{
    const sac_image_tokens *p = c->picture;
    const size_t grid = (size_t)c->grid_w * (size_t)c->grid_h;
    int left, above, right, below;
    float covered = 0;
    for (size_t i = 0; p->looks && i < grid; i++)
        covered += spot[i] * p->looks[token * grid + i];
    if (p->looks)
        return covered;
    sac_token_box_cells(&p->box[token], &left, &above, &right, &below);
    for (int y = above; y < below; y++)
        for (int x = left; x < right; x++)
            covered += spot[y * c->grid_w + x] * sac_token_box_cell_overlap(&p->box[token], x, y);
    return covered;
}

bool sac_captioner_hides(const captioner *c, size_t token, const uint8_t *cells)
{
    const sac_image_tokens *p = c->picture;
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
            hidden += cells[y * c->grid_w + x] ? sac_token_box_cell_overlap(box, x, y) : 0;
    return 2 * hidden > box->width * box->height;
}
