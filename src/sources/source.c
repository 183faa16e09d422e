/* The properties of a source, and the memory of what its interfaces give. */

#include "sources/source.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/utf8.h"
#include "sources/translate.h"

void sac_source_add_note(sac_source *source, sac_note_place place, const char *format, ...)
{
    enum { SIZE = sizeof source->note };
    char shown[SIZE], rest[SIZE];
    const char *behind = source->note + source->note_shown;
    char *to = place == SAC_NOTE_SHOWN ? shown : rest;
    sac_source_shown_note(source, shown, SIZE);
    snprintf(rest, SIZE, "%s", shown[0] && behind[0] ? behind + strlen("; ") : behind);
    size_t used = strlen(to);
    va_list list;
    if (used + 2 < SIZE)
        used += (size_t)snprintf(to + used, SIZE - used, "%s", used ? "; " : "");
    va_start(list, format);
    vsnprintf(to + used, SIZE - used, format, list);
    va_end(list);
    snprintf(source->note, SIZE, "%s", shown);
    used = strlen(source->note);
    if (rest[0])
        snprintf(source->note + used, SIZE - used, "%s%s", shown[0] ? "; " : "", rest);
    for (used = strlen(source->note); !sac_utf8_valid(source->note, used);) /* cut in a character */
        source->note[--used] = '\0';
    source->note_shown = strlen(shown) < used ? strlen(shown) : used;
}

void sac_source_clear_note(sac_source *source)
{
    source->note[0] = '\0';
    source->note_shown = 0;
}

char *sac_source_shown_note(const sac_source *source, char *text, size_t size)
{
    snprintf(text, size, "%.*s", (int)source->note_shown, source->note);
    return text;
}

char *sac_source_whole_note(const sac_source *source, const sac_result *caption, char *text,
                            size_t size)
{
    const char *note = source->note, *own = caption->note;
    snprintf(text, size, "%s%s%s", note, note[0] && own[0] ? "; " : "", own);
    return text;
}

void sac_source_destroy(sac_source *source)
{
    if (!source)
        return;
    sac_labels_free(&source->weights.step_labels);
    sac_labels_free(&source->weights.position_labels);
    sac_source_items_free(source);
    sac_source_forget(source);
    free(source->weights.opened.readings);
    sac_source_destroy(source->beside);
    free(source->beside);
    if (source->destroy)
        source->destroy(source->self);
    *source = (sac_source){0};
}

sac_status sac_mask_tile(const sac_tile *tile, sac_hides *hides, uint8_t *masked)
{
    for (size_t r = 0; r < tile->rows; r++)
        for (size_t c = 0; c < tile->cols; c++)
            *masked++ = hides(tile->head, tile->row + r, tile->col + c);
    return SAC_OK;
}

static bool is_later(size_t head, size_t query, size_t key)
{
    (void)head;
    return key > query;
}

sac_status sac_mask_later(void *self, size_t layer, const sac_tile *tile, uint8_t *masked,
                          sac_error *error)
{
    (void)self;
    (void)layer;
    (void)error;
    return sac_mask_tile(tile, is_later, masked);
}

float sac_entropy(const float *weights, size_t count)
{
    /* With p = w / s, −Σ p log p = log s − (Σ w log w) / s. */
    double sum = 0, w_log_w = 0;
    for (size_t i = 0; i < count; i++)
        if (weights[i] > 0) {
            sum += weights[i];
            w_log_w += weights[i] * log2f(weights[i]);
        }
    double entropy = sum > 0 ? log2(sum) - w_log_w / sum : 0;
    return entropy > 0 ? (float)entropy : 0.0f;
}

int sac_heaviest(const float *weights, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        best = weights[i] > weights[best] ? i : best;
    return best;
}

/* ---------------------------------------------------------------- items and layers */

size_t sac_source_steps(const sac_source *source, size_t item)
{
    return source->weights.items ? source->weights.items[item].steps : source->weights.steps;
}

size_t sac_source_positions(const sac_source *source, size_t item)
{
    return source->weights.items ? source->weights.items[item].positions
                                 : source->weights.positions;
}

const sac_labels *sac_source_step_labels(const sac_source *source, size_t item)
{
    return source->weights.items ? &source->weights.items[item].step_labels
                                 : &source->weights.step_labels;
}

const sac_labels *sac_source_position_labels(const sac_source *source, size_t item)
{
    return source->weights.items ? &source->weights.items[item].position_labels
                                 : &source->weights.position_labels;
}

void sac_source_items_free(sac_source *source)
{
    for (size_t i = 0; source->weights.items && i < source->weights.batch; i++) {
        sac_labels_free(&source->weights.items[i].step_labels);
        sac_labels_free(&source->weights.items[i].position_labels);
        free(source->weights.items[i].cells);
    }
    free(source->weights.items);
    source->weights.items = NULL;
}

/* NULL: they follow each other. */
static const size_t *cell_positions(const sac_source *source, size_t item)
{
    const size_t *own = source->weights.items ? source->weights.items[item].cells : NULL;
    return own ? own : source->picture.cells;
}

size_t sac_source_cell_position(const sac_source *source, size_t item, size_t cell)
{
    const size_t *cells = cell_positions(source, item);
    return cells ? cells[cell] : (size_t)source->picture.prefix + cell;
}

bool sac_source_find_cell(const sac_source *source, size_t item, size_t position, size_t *cell)
{
    const size_t *cells = cell_positions(source, item);
    size_t count = (size_t)source->picture.grid_w * (size_t)source->picture.grid_h,
           prefix = (size_t)source->picture.prefix;
    size_t low = 0, high = count;
    if (!cells) {
        *cell = position - prefix;
        return position >= prefix && position - prefix < count;
    }
    while (low < high) { /* they ascend */
        size_t middle = low + (high - low) / 2;
        if (cells[middle] < position)
            low = middle + 1;
        else
            high = middle;
    }
    *cell = low;
    return low < count && cells[low] == position;
}

size_t sac_source_layer_number(const sac_source *source, size_t layer)
{
    return source->weights.layer_numbers ? source->weights.layer_numbers[layer] : layer;
}

bool sac_source_find_layer(const sac_source *source, size_t number, size_t *layer)
{
    for (*layer = 0; *layer < source->weights.layers; ++*layer)
        if (sac_source_layer_number(source, *layer) == number)
            return true;
    return false;
}

float sac_shown_number(const sac_shown_array *array, size_t cell)
{
    float value = array->numbers[cell];
    return fabsf(value) < array->noise ? 0 : value;
}

const char *sac_lesson_relation_sign(sac_lesson_relation relation)
{
    return relation == SAC_ABOUT ? "≈" : relation == SAC_GIVES ? "→" : "=";
}

void sac_arithmetic_free(sac_arithmetic *arithmetic)
{
    free(arithmetic->operands);
    free(arithmetic->expression);
    *arithmetic = (sac_arithmetic){0};
}

void sac_shown_lesson_free(sac_shown_lesson *lesson)
{
    if (lesson->destroy)
        lesson->destroy(lesson->self);
    *lesson = (sac_shown_lesson){0};
}

void sac_training_snapshot_free(sac_training_snapshot *snapshot)
{
    if (!snapshot)
        return;
    free(snapshot->loss);
    free(snapshot->exact);
    free(snapshot->at);
    for (int i = 0; i < SAC_TRAINING_REWARDS; i++)
        free(snapshot->reward[i]);
    free(snapshot->heads.at);
    free(snapshot->heads.score);
    free(snapshot->heads.kept);
    for (size_t i = 0; i < sizeof snapshot->picture / sizeof *snapshot->picture; i++) {
        sac_image_free(&snapshot->picture[i].image);
        sac_result_free(&snapshot->picture[i].caption);
    }
    *snapshot = (sac_training_snapshot){0};
}

const sac_weights_kind sac_training_kinds[SAC_TRAINING_KINDS] = {
    SAC_KIND_PREVIOUS, SAC_KIND_REPEATS, SAC_KIND_ALIKE, SAC_KIND_FIRST};
const char *const sac_training_kind_names[SAC_TRAINING_KINDS] = {
    N_("previous token"), N_("induction"), N_("same token"), N_("first token")};

size_t sac_training_best_head(const sac_training_heads *h, size_t point, int kind)
{
    size_t best = 0;
    for (size_t i = 1; i < h->layers * h->heads; i++)
        if (sac_training_head_score(h, point, i, kind) >
            sac_training_head_score(h, point, best, kind))
            best = i;
    return best;
}

void sac_training_moment_free(sac_training_moment *moment)
{
    sac_source_destroy(moment->heads);
    free(moment->heads);
    *moment = (sac_training_moment){0};
}

sac_picture_settings sac_picture_defaults(void)
{
    return (sac_picture_settings){.score = SAC_SCORE_GAUSSIAN,
                                  .inverse_width = 1.0f,
                                  .temperature = 1.0f,
                                  .position = 0.15f,
                                  .cells = 32};
}

void sac_picture_result_free(sac_picture_result *result)
{
    if (!result)
        return;
    free(result->weights);
    free(result->rebuilt);
    *result = (sac_picture_result){0};
}

void sac_picture_grid(int width, int height, int cells, int *grid_w, int *grid_h)
{
    int longer = width > height ? width : height, shorter = width > height ? height : width;
    int other = (int)lround((double)cells * shorter / longer);
    other = other < 1 ? 1 : other;
    *grid_w = width >= height ? cells : other;
    *grid_h = width >= height ? other : cells;
}
