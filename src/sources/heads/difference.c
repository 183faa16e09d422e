/* Both sides of a tile, one less the other. */

#include "sources/heads/difference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/utf8.h"
#include "sources/heads/reduce.h"

#define SLAB ((size_t)1 << 20) /* weights of either side that are pooled at a time */
enum { NAME_MOST = 80, TITLE_MOST = 60 };

typedef struct difference {
    sac_source *side[2]; /* owned; both the same where one source is compared with itself */
    sac_difference_part part[2];
    char name[2][128];
    float *scratch;
    size_t room;
} difference;

/* ---------------------------------------------------------------- parts */

/* "3" or "3.5" at *text, which is moved behind it. */
static bool read_part(const char **text, sac_difference_part *part)
{
    size_t *numbers[] = {&part->layer, &part->head};
    *part = (sac_difference_part){.one_layer = true};
    for (int i = 0; i < 2; i++) {
        char *end;
        unsigned long long number = strtoull(*text, &end, 10);
        if (**text < '0' || **text > '9' || number > SIZE_MAX / 2)
            return false;
        *numbers[i] = (size_t)number;
        part->one_head = i;
        *text = end;
        if (i || *end != '.')
            break;
        (*text)++;
    }
    return true;
}

sac_status sac_difference_parts_read(const char *text, sac_difference_part parts[2],
                                     sac_error *error)
{
    const char *at = text;
    if (read_part(&at, &parts[0]) && *at++ == ',' && read_part(&at, &parts[1]) && !*at &&
        parts[0].one_head == parts[1].one_head)
        return SAC_OK;
    return sac_fail(error, SAC_E_ARGUMENT, "--between",
                    "give two layers, such as 3,4, or two heads, such as 3.5,4.1",
                    "\"%.40s\" does not name two parts", text);
}

static sac_status check_part(const sac_source *source, const sac_difference_part *part,
                             sac_error *error)
{
    const sac_weights_source *w = &source->weights;
    if (part->one_layer && part->layer >= w->layers)
        return sac_fail(error, SAC_E_ARGUMENT, "--between", NULL,
                        "layer %zu does not exist; layers go from 0 to %zu in %s", part->layer,
                        w->layers - 1, source->title);
    if (part->one_head && part->head >= w->heads)
        return sac_fail(error, SAC_E_ARGUMENT, "--between", NULL,
                        "head %zu does not exist; heads go from 0 to %zu in %s", part->head,
                        w->heads - 1, source->title);
    return SAC_OK;
}

/* ---------------------------------------------------------------- what can be compared */

static sac_status check_sizes(const difference *d, sac_error *error)
{
    const sac_source *first = d->side[0], *second = d->side[1];
    const sac_weights_source *a = &first->weights, *b = &second->weights;
    bool layers = a->layers == b->layers || d->part[0].one_layer;
    bool heads = a->heads == b->heads || d->part[0].one_head;
    bool alike = layers && heads && a->batch == b->batch && a->steps == b->steps &&
                 a->positions == b->positions && a->turned == b->turned;
    for (size_t i = 0; i < a->batch && alike; i++)
        alike = sac_source_steps(first, i) == sac_source_steps(second, i) &&
                sac_source_positions(first, i) == sac_source_positions(second, i);
    if (alike)
        return SAC_OK;
    return sac_fail(error, SAC_E_SHAPE, second->title, "compare weights of one size",
                    "weights [%zu,%zu,%zu,%zu,%zu] are not of the first file's sizes "
                    "[%zu,%zu,%zu,%zu,%zu]",
                    b->layers, b->batch, b->heads, b->steps, b->positions, a->layers, a->batch,
                    a->heads, a->steps, a->positions);
}

/* Where only one side has words they are taken for those of both. */
static sac_status check_words(const sac_labels *first, const sac_labels *second, const char *what,
                              const char *title, sac_error *error)
{
    for (size_t i = 0; i < first->count && i < second->count; i++)
        if (strcmp(first->text[i], second->text[i]) != 0)
            return sac_fail(error, SAC_E_VALUE, title, "compare weights of one text",
                            "%s %zu is “%.40s”, and “%.40s” in the first file", what, i,
                            second->text[i], first->text[i]);
    return SAC_OK;
}

static sac_status check_tokens(const difference *d, sac_error *error)
{
    const sac_source *a = d->side[0], *b = d->side[1];
    sac_status status = SAC_OK;
    for (size_t i = 0; i < a->weights.batch && status == SAC_OK && a != b; i++) {
        status = check_words(sac_source_step_labels(a, i), sac_source_step_labels(b, i), "query",
                             b->title, error);
        if (status == SAC_OK)
            status = check_words(sac_source_position_labels(a, i), sac_source_position_labels(b, i),
                                 "key", b->title, error);
    }
    return status;
}

sac_status sac_difference_check(const sac_source *first, const sac_source *second, sac_error *error)
{
    difference d = {.side = {(sac_source *)first, (sac_source *)second}};
    sac_status status = check_sizes(&d, error);
    return status == SAC_OK ? check_tokens(&d, error) : status;
}

/* ---------------------------------------------------------------- weights */

static sac_status read_side(const difference *d, int side, size_t layer, const sac_tile *tile,
                            float *weights, sac_error *error)
{
    const sac_source *source = d->side[side];
    const sac_difference_part *part = &d->part[side];
    sac_tile own = *tile;
    own.head = part->one_head ? part->head : tile->head;
    return source->weights.tile(source->self, part->one_layer ? part->layer : layer, &own, weights,
                                error);
}

static sac_status read_sides(void *self, size_t layer, const sac_tile *tile, float *first,
                             float *second, sac_error *error)
{
    sac_status status = read_side(self, 0, layer, tile, first, error);
    return status == SAC_OK ? read_side(self, 1, layer, tile, second, error) : status;
}

static sac_status read_tile(void *self, size_t layer, const sac_tile *tile, float *weights,
                            sac_error *error)
{
    difference *d = self;
    size_t count = tile->rows * tile->cols;
    if (count > d->room) {
        free(d->scratch);
        d->scratch = malloc(count * sizeof *d->scratch);
        d->room = d->scratch ? count : 0;
    }
    if (!d->scratch)
        return sac_no_memory(error, "difference");
    sac_status status = read_sides(d, layer, tile, d->scratch, weights, error);
    for (size_t i = 0; i < count && status == SAC_OK; i++)
        weights[i] -= d->scratch[i];
    return status;
}

/* `part` is `rows` of the `all` rows that the dots of one line cover, of which `before` are in it. */
static void pool_rows_into_line(float *line, const float *part, size_t dots, sac_pool pool,
                                size_t before, size_t rows, size_t all)
{
    float share = (float)rows / (float)all;
    for (size_t c = 0; c < dots; c++) {
        float sum = before ? line[c] : 0;
        if (pool == SAC_POOL_MEAN)
            line[c] = sum + share * part[c];
        else
            line[c] = fabsf(part[c]) > fabsf(sum) ? part[c] : sum;
    }
}

/* The rows of weights that share a row of dots, a slab at a time. */
static sac_status pool_line(difference *d, size_t layer, const sac_tile *rows, sac_pool pool,
                            size_t out_cols, float *slab, float *part, float *line,
                            sac_error *error)
{
    size_t step = SLAB / rows->cols ? SLAB / rows->cols : 1;
    sac_status status = SAC_OK;
    for (size_t done = 0; done < rows->rows && status == SAC_OK; done += step) {
        sac_tile some = *rows;
        some.row += done;
        some.rows = step < rows->rows - done ? step : rows->rows - done;
        status = read_tile(d, layer, &some, slab, error);
        if (status != SAC_OK)
            break;
        sac_weights_pool(slab, some.rows, some.cols, pool, 1, out_cols, part);
        pool_rows_into_line(line, part, out_cols, pool, done, some.rows, rows->rows);
    }
    return status;
}

static sac_status read_pooled(void *self, size_t layer, const sac_tile *tile, sac_pool pool,
                              size_t out_rows, size_t out_cols, float *pooled, sac_error *error)
{
    size_t room = SLAB > tile->cols ? SLAB : tile->cols;
    float *slab = malloc((room + out_cols) * sizeof *slab);
    if (!slab)
        return sac_no_memory(error, "difference");
    sac_status status = SAC_OK;
    size_t height = tile->rows / out_rows;
    bool even = height * out_rows == tile->rows;
    for (size_t r = 0; r < out_rows && status == SAC_OK;) {
        sac_tile rows = *tile;
        size_t top = r * tile->rows / out_rows, lines = SLAB / tile->cols / (height ? height : 1);
        lines = lines < out_rows - r ? lines : out_rows - r;
        lines = even && lines > 1 ? lines : 1;
        rows.row += top;
        rows.rows = (r + lines) * tile->rows / out_rows - top;
        float *line = pooled + r * out_cols;
        if (lines > 1) { /* several at once, each of as many rows */
            status = read_tile(self, layer, &rows, slab, error);
            if (status == SAC_OK)
                sac_weights_pool(slab, rows.rows, rows.cols, pool, lines, out_cols, line);
        } else {
            status = pool_line(self, layer, &rows, pool, out_cols, slab, slab + room, line, error);
        }
        r += lines;
    }
    free(slab);
    return status;
}

/* What both sides hide is no difference. */
static sac_status read_masked(void *self, size_t layer, const sac_tile *tile, uint8_t *masked,
                              sac_error *error)
{
    const difference *d = self;
    size_t count = tile->rows * tile->cols;
    uint8_t *other = malloc(count);
    sac_status status = other ? SAC_OK : sac_no_memory(error, "difference");
    for (int i = 0; i < 2 && status == SAC_OK; i++) {
        const sac_difference_part *part = &d->part[i];
        sac_tile own = *tile;
        own.head = part->one_head ? part->head : tile->head;
        status = d->side[i]->weights.masked(d->side[i]->self, part->one_layer ? part->layer : layer,
                                            &own, i ? other : masked, error);
    }
    for (size_t i = 0; i < count && status == SAC_OK; i++)
        masked[i] &= other[i];
    free(other);
    return status;
}

/* ---------------------------------------------------------------- the source */

static void destroy_sides(sac_source *first, sac_source *second)
{
    sac_source_destroy(first);
    free(first);
    if (second == first)
        return;
    sac_source_destroy(second);
    free(second);
}

static void destroy(void *self)
{
    difference *d = self;
    destroy_sides(d->side[0], d->side[1]);
    free(d->scratch);
    free(d);
}

/* So many bytes of a name, at most `most`, that no character is cut. */
static int name_bytes_within(const char *name, size_t most)
{
    size_t size = strlen(name);
    return (int)sac_utf8_valid_size(name, size < most ? size : most);
}

static void name_side(const sac_difference_sides *sides, int side, difference *d)
{
    const sac_difference_part *part = &sides->parts[side];
    const char *name = sides->names[side] ? sides->names[side] : d->side[side]->title;
    bool same = d->side[0] == d->side[1];
    char place[48] = "";
    if (part->one_head)
        snprintf(place, sizeof place, "layer %zu, head %zu", part->layer, part->head);
    else if (part->one_layer)
        snprintf(place, sizeof place, "layer %zu", part->layer);
    if (same && place[0])
        snprintf(d->name[side], sizeof d->name[side], "%s", place);
    else
        snprintf(d->name[side], sizeof d->name[side], "%.*s%s%s",
                 name_bytes_within(name, NAME_MOST), name, place[0] ? ", " : "", place);
}

/* Words, items and what is known of tokens come from the first side, which needs them no more. */
static void copy_weights_description(difference *d, sac_source *source)
{
    sac_source *a = d->side[0], *b = d->side[1];
    sac_weights_source *w = &source->weights, *from = &a->weights;
    bool words = from->step_labels.count || from->position_labels.count || from->items;
    if (!words && a != b)
        from = &b->weights;
    *w = (sac_weights_source){
        .layers = d->part[0].one_layer ? 1 : a->weights.layers,
        .batch = a->weights.batch,
        .heads = d->part[0].one_head ? 1 : a->weights.heads,
        .steps = a->weights.steps,
        .positions = a->weights.positions,
        .step_labels = from->step_labels,
        .position_labels = from->position_labels,
        .items = from->items,
        .second = a->weights.second,
        .special = a->weights.special,
        .layer_numbers = d->part[0].one_layer ? NULL : a->weights.layer_numbers,
        .turned = a->weights.turned,
        .made = a->weights.made,
        .side_names = {d->name[0], d->name[1]},
        .tile = read_tile,
        .pool = read_pooled,
        .sides = read_sides,
        .masked = a->weights.masked && b->weights.masked ? read_masked : NULL};
    from->step_labels = from->position_labels = (sac_labels){0};
    from->items = NULL;
}

sac_status sac_difference_open(const sac_difference_sides *sides, sac_source *source,
                               sac_error *error)
{
    difference *d = calloc(1, sizeof *d);
    if (!d) {
        destroy_sides(sides->first, sides->second ? sides->second : sides->first);
        return sac_no_memory(error, "difference");
    }
    d->side[0] = sides->first;
    d->side[1] = sides->second ? sides->second : sides->first;
    memcpy(d->part, sides->parts, sizeof d->part);
    sac_status status = SAC_OK;
    for (int i = 0; i < 2 && status == SAC_OK; i++)
        status = check_part(d->side[i], &d->part[i], error);
    if (status == SAC_OK)
        status = check_sizes(d, error);
    if (status == SAC_OK)
        status = check_tokens(d, error);
    if (status != SAC_OK) {
        destroy(d);
        return status;
    }
    for (int i = 0; i < 2; i++)
        name_side(sides, i, d);
    const sac_source *a = d->side[0], *b = d->side[1];
    snprintf(source->title, sizeof source->title, "%.*s − %.*s",
             name_bytes_within(d->name[1], TITLE_MOST), d->name[1],
             name_bytes_within(d->name[0], TITLE_MOST), d->name[0]);
    const sac_source *noted = a->note[0] ? a : b;
    memcpy(source->note, noted->note, sizeof source->note);
    source->note_shown = noted->note_shown;
    snprintf(source->origin.device, sizeof source->origin.device, "%s",
             b->origin.device[0] ? b->origin.device : a->origin.device);
    copy_weights_description(d, source);
    source->self = d;
    source->destroy = destroy;
    return SAC_OK;
}

const sac_source *sac_difference_side(const sac_source *source, int side)
{
    return ((const difference *)source->self)->side[side];
}
