/* Closing a trace, and the entropy of a row of weights. */

#include "trace/trace.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "formats/utf8.h"

void sac_trace_add_model(sac_trace *trace, const char *name)
{
    char *to = trace->model[trace->models];
    size_t length = strlen(name), size = sizeof *trace->model;
    int same = 0;
    for (int i = 0; i < trace->models; i++)
        same += strncmp(trace->model[i], name, length) == 0;
    if (same)
        snprintf(to, size, "%.19s %d", name, same + 1);
    else
        snprintf(to, size, "%s", name);
    trace->models++;
}

bool sac_trace_may_say(const sac_trace *trace, int word)
{
    bool is_known = word >= 0 && word < trace->vocabulary_count;
    return is_known && (!trace->may_say || trace->may_say(trace->self, word));
}

int sac_trace_beam(const sac_trace *trace)
{
    return trace->beam ? trace->beam : 3;
}

int sac_trace_widest_beam(const sac_trace *trace)
{
    return trace->beam > 5 ? trace->beam : 5;
}

void sac_trace_add_note(sac_trace *trace, const char *format, ...)
{
    size_t used = strlen(trace->note), size = sizeof trace->note;
    va_list list;
    if (used + 2 < size)
        used += (size_t)snprintf(trace->note + used, size - used, "%s", used ? "; " : "");
    va_start(list, format);
    vsnprintf(trace->note + used, size - used, format, list);
    va_end(list);
    while (!sac_utf8_valid(trace->note, strlen(trace->note))) /* cut in a character */
        trace->note[strlen(trace->note) - 1] = '\0';
}

void sac_trace_destroy(sac_trace *trace)
{
    if (!trace)
        return;
    sac_labels_free(&trace->step_labels);
    sac_labels_free(&trace->position_labels);
    sac_trace_items_free(trace);
    free(trace->readings);
    sac_trace_destroy(trace->beside);
    free(trace->beside);
    if (trace->destroy)
        trace->destroy(trace->self);
    *trace = (sac_trace){0};
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
