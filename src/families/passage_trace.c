/* A passage as a trace: the weights of each layer out of its queries and keys, when they are looked
 * at. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "families/text.h"
#include "sources/explain.h"

typedef struct passage_trace {
    sac_passage *passage;
    sac_attention *attention[SAC_FAMILY_LAYERS]; /* NULL: was not looked at lately */
    unsigned long looked[SAC_FAMILY_LAYERS];     /* when it was, in looks */
    unsigned long looks;
} passage_trace;

static void destroy(void *self)
{
    passage_trace *t = self;
    for (int i = 0; i < SAC_FAMILY_LAYERS; i++)
        sac_attention_destroy(t->attention[i]);
    sac_passage_free(t->passage);
    free(t);
}

/* Queries, keys and values as they are arranged for the device, and what it packs of them. */
static size_t bytes_of_layer(const sac_passage *p)
{
    const sac_family_model *m = p->model;
    size_t numbers = sac_family_part_width(m, 0) + 2 * sac_family_part_width(m, 1);
    return 2 * p->count * numbers * sizeof(float);
}

/* Makes room for one more: the layer that was not looked at for the longest goes. */
static void make_room(passage_trace *t)
{
    size_t most = t->passage->model->kept / bytes_of_layer(t->passage), kept = 0,
           oldest = SAC_FAMILY_LAYERS;
    for (size_t i = 0; i < SAC_FAMILY_LAYERS; i++) {
        bool is_kept = t->attention[i] != NULL;
        kept += is_kept;
        if (is_kept && (oldest == SAC_FAMILY_LAYERS || t->looked[i] < t->looked[oldest]))
            oldest = i;
    }
    if (kept == 0 || kept < most)
        return;
    sac_attention_destroy(t->attention[oldest]);
    t->attention[oldest] = NULL;
}

static sac_status find(void *self, size_t layer, sac_attention **attention, sac_error *error)
{
    passage_trace *t = self;
    sac_status status = SAC_OK;
    if (!t->attention[layer]) {
        make_room(t);
        status = sac_passage_attention(t->passage, (int)layer, &t->attention[layer], error);
    }
    t->looked[layer] = ++t->looks;
    *attention = t->attention[layer];
    return status;
}

static sac_status tile_of(void *self, size_t layer, const sac_tile *tile, float *weights,
                          sac_error *error)
{
    sac_attention *attention;
    sac_status status = find(self, layer, &attention, error);
    return status == SAC_OK ? sac_attention_tile(attention, tile, weights, error) : status;
}

static sac_status pool_of(void *self, size_t layer, const sac_tile *tile, sac_pool pool,
                          size_t out_rows, size_t out_cols, float *pooled, sac_error *error)
{
    sac_attention *attention;
    sac_status status = find(self, layer, &attention, error);
    return status == SAC_OK
               ? sac_attention_pool(attention, tile, pool, out_rows, out_cols, pooled, error)
               : status;
}

static sac_status explain(void *self, const sac_explanation_request *request,
                          sac_explanation *explanation, sac_error *error)
{
    sac_attention *attention;
    sac_status status = find(self, request->layer, &attention, error);
    return status == SAC_OK ? sac_explain_attention(attention, request, 1, explanation, error)
                            : status;
}

/* ---------------------------------------------------------------- the trace */

/* A layer may see a window of the tokens before alone. */
static sac_status masked(void *self, size_t layer, const sac_tile *tile, uint8_t *hidden,
                         sac_error *error)
{
    const passage_trace *t = self;
    size_t window = t->passage->model->window[layer];
    sac_status status = sac_mask_later(self, layer, tile, hidden, error);
    for (size_t r = 0; r < tile->rows && window && status == SAC_OK; r++)
        for (size_t c = 0; c < tile->cols; c++)
            if (tile->col + c + window <= tile->row + r)
                hidden[r * tile->cols + c] = 1;
    return status;
}

static void fill(const sac_passage *p, sac_trace *trace)
{
    const sac_family_model *m = p->model;
    trace->layers = (size_t)m->layers;
    trace->batch = 1;
    trace->heads = (size_t)m->run.heads;
    trace->steps = trace->positions = p->count;
    if (p->image.rgba)
        trace->image = &p->image;
    trace->grid_w = p->grid_w;
    trace->grid_h = p->grid_h;
    trace->prefix = p->prefix;
    trace->tile = tile_of;
    trace->pool = pool_of;
    trace->explain = explain;
    if (m->run.causal) {
        trace->masked = masked;
        snprintf(trace->mask, sizeof trace->mask, "causal");
    }
    snprintf(trace->title, sizeof trace->title, "%s", m->name);
    snprintf(trace->dtype, sizeof trace->dtype, "float32");
    snprintf(trace->score, sizeof trace->score, "%s", sac_score_name(SAC_SCORE_SCALED_DOT));
    snprintf(trace->origin.file, sizeof trace->origin.file, "%s", m->folder);
    sac_device_short_name(sac_device_get_info(m->device), trace->origin.device,
                          sizeof trace->origin.device);
}

/* Of a model's tensors none that is needed is left out: the others are named. */
static void note_unread(const sac_passage *p, sac_trace *trace)
{
    char text[sizeof trace->note];
    size_t used = strlen(trace->note);
    sac_pretrained_unread_text(p->model->files, text, sizeof text);
    if (text[0])
        snprintf(trace->note + used, sizeof trace->note - used, "%snot used: %.*s",
                 used ? "; " : "", (int)(sizeof text / 2), text);
}

/* That the text is longer than what is read; what is assumed of the folder; and "next: ·river 31 %,
 * ·bank 4 %". */
static void note(const sac_passage *p, sac_trace *trace)
{
    sac_next_token next[5];
    const char *told = p->model->told;
    size_t used = 0;
    if (p->cut)
        used = (size_t)snprintf(trace->note, sizeof trace->note,
                                "only the first %zu tokens are read; ", p->count);
    if (p->second)
        used += (size_t)snprintf(trace->note + used, sizeof trace->note - used,
                                 "read as a pair, the second text from token %zu on; ", p->second);
    if (told[0])
        used += (size_t)snprintf(trace->note + used, sizeof trace->note - used, "%s; ", told);
    if (!sac_passage_next(p, next, 5)) {
        trace->note[used > 2 ? used - 2 : 0] = '\0';
        return;
    }
    used += (size_t)snprintf(trace->note + used, sizeof trace->note - used, "next:");
    for (int i = 0; i < 5 && next[i].id >= 0 && used < sizeof trace->note; i++) {
        char *text = sac_passage_text(p, &next[i].id, 1);
        used +=
            (size_t)snprintf(trace->note + used, sizeof trace->note - used, "%s “%.24s” %.0f %%",
                             i ? "," : "", text ? text : "", 100 * (double)next[i].probability);
        free(text);
    }
}

sac_status sac_passage_trace(sac_passage *passage, sac_trace *trace, sac_error *error)
{
    passage_trace *t = calloc(1, sizeof *t);
    *trace = (sac_trace){0};
    if (!t) {
        sac_passage_free(passage);
        return sac_fail(error, SAC_E_MEMORY, "text", NULL, "no memory to look at it");
    }
    t->passage = passage;
    trace->self = t;
    trace->destroy = destroy;
    fill(passage, trace);
    note(passage, trace);
    note_unread(passage, trace);
    sac_status status = sac_passage_labels(passage, &trace->step_labels, error);
    if (status == SAC_OK)
        status = sac_labels_copy(&trace->step_labels, &trace->position_labels, error);
    if (status != SAC_OK)
        sac_trace_destroy(trace);
    return status;
}

const sac_passage *sac_passage_of_trace(const sac_trace *trace)
{
    return trace->destroy == destroy ? ((passage_trace *)trace->self)->passage : NULL;
}

sac_family_model *sac_passage_trace_model(const sac_trace *trace)
{
    const sac_passage *passage = sac_passage_of_trace(trace);
    return passage ? passage->model : NULL;
}
