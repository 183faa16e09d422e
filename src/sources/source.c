/* Closing a source, and the entropy of a row of weights. */

#include "sources/source.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/utf8.h"

void sac_source_add_model(sac_source *source, const char *name)
{
    char *to = source->speaker.model[source->speaker.models];
    size_t length = strlen(name), size = sizeof *source->speaker.model;
    int same = 0;
    for (int i = 0; i < source->speaker.models; i++)
        same += strncmp(source->speaker.model[i], name, length) == 0;
    if (same)
        snprintf(to, size, "%.19s %d", name, same + 1);
    else
        snprintf(to, size, "%s", name);
    source->speaker.models++;
}

bool sac_source_may_say(const sac_source *source, int word)
{
    bool is_known = word >= 0 && word < source->speaker.vocabulary_count;
    return is_known && (!source->speaker.may_say || source->speaker.may_say(source->self, word));
}

int sac_source_beam(const sac_source *source)
{
    return source->speaker.beam ? source->speaker.beam : SAC_CAPTION_BEAM;
}

int sac_source_widest_beam(const sac_source *source)
{
    return source->speaker.beam > 5 ? source->speaker.beam : 5;
}

void sac_source_add_note(sac_source *source, const char *format, ...)
{
    size_t used = strlen(source->note), size = sizeof source->note;
    va_list list;
    if (used + 2 < size)
        used += (size_t)snprintf(source->note + used, size - used, "%s", used ? "; " : "");
    va_start(list, format);
    vsnprintf(source->note + used, size - used, format, list);
    va_end(list);
    while (!sac_utf8_valid(source->note, strlen(source->note))) /* cut in a character */
        source->note[strlen(source->note) - 1] = '\0';
}

void sac_source_destroy(sac_source *source)
{
    if (!source)
        return;
    sac_labels_free(&source->weights.step_labels);
    sac_labels_free(&source->weights.position_labels);
    sac_source_items_free(source);
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
