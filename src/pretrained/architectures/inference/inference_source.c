/* An inference as a source: the weights of a layer are computed from its queries and keys when they
 * are read. */
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/error.h"
#include "sources/files/explain_row.h"

typedef struct kept_attention {
    sac_inference *inference;
    sac_attention *attention[SAC_ARCHITECTURE_LAYERS]; /* NULL: not prepared */
    unsigned long looked[SAC_ARCHITECTURE_LAYERS];     /* the value of `looks` at the last use */
    unsigned long looks;
} kept_attention;

static void destroy(void *self)
{
    kept_attention *t = self;
    for (int i = 0; i < SAC_ARCHITECTURE_LAYERS; i++)
        sac_attention_destroy(t->attention[i]);
    sac_inference_free(t->inference);
    free(t);
}

/* Makes room for one more layer: the least recently used one is freed. */
static void make_room(kept_attention *t)
{
    const sac_pretrained_model *m = t->inference->model;
    size_t numbers = sac_architecture_part_width(m, 0) + 2 * sac_architecture_part_width(m, 1);
    /* queries, keys and values in the device's layout, and packed copies of them */
    size_t bytes = 2 * t->inference->count * numbers * sizeof(float);
    size_t most = m->kept / bytes, kept = 0, oldest = SAC_ARCHITECTURE_LAYERS;
    for (size_t i = 0; i < SAC_ARCHITECTURE_LAYERS; i++) {
        bool is_kept = t->attention[i] != NULL;
        kept += is_kept;
        if (is_kept && (oldest == SAC_ARCHITECTURE_LAYERS || t->looked[i] < t->looked[oldest]))
            oldest = i;
    }
    if (kept == 0 || kept < most)
        return;
    sac_attention_destroy(t->attention[oldest]);
    t->attention[oldest] = NULL;
}

static sac_status find(void *self, size_t layer, sac_attention **attention, sac_error *error)
{
    kept_attention *t = self;
    sac_status status = SAC_OK;
    if (!t->attention[layer]) {
        make_room(t);
        status = sac_inference_attention(t->inference, (int)layer, &t->attention[layer], error);
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

/* ---------------------------------------------------------------- the source */

/* Later tokens are masked, and in a layer with a window those before it. */
static sac_status masked(void *self, size_t layer, const sac_tile *tile, uint8_t *hidden,
                         sac_error *error)
{
    const kept_attention *t = self;
    size_t window = t->inference->model->window[layer];
    sac_status status = sac_mask_later(self, layer, tile, hidden, error);
    for (size_t r = 0; r < tile->rows && window && status == SAC_OK; r++)
        for (size_t c = 0; c < tile->cols; c++)
            if (tile->col + c + window <= tile->row + r)
                hidden[r * tile->cols + c] = 1;
    return status;
}

/* Notes that the text was cut, that it is a pair, what was assumed of the folder, and the most
 * probable next tokens: "next: “ river” 31 %, “ bank” 4 %". */
static void note(const sac_inference *p, sac_source *source)
{
    sac_next_token next[5];
    const char *told = p->model->told;
    size_t used = 0;
    if (p->cut)
        used = (size_t)snprintf(source->note, sizeof source->note,
                                "only the first %zu tokens are read; ", p->count);
    if (p->second)
        used += (size_t)snprintf(source->note + used, sizeof source->note - used,
                                 "read as a pair, the second text from token %zu on; ", p->second);
    if (told[0])
        used += (size_t)snprintf(source->note + used, sizeof source->note - used, "%s; ", told);
    if (!sac_inference_next(p, next, 5)) {
        source->note[used > 2 ? used - 2 : 0] = '\0';
        return;
    }
    used += (size_t)snprintf(source->note + used, sizeof source->note - used, "next:");
    for (int i = 0; i < 5 && next[i].id >= 0 && used < sizeof source->note; i++) {
        char *text = sac_inference_text(p, &next[i].id, 1), percent[16];
        double probability = 100 * (double)next[i].probability;
        snprintf(percent, sizeof percent, probability < 9.95 ? "%.2g" : "%.0f", probability);
        used += (size_t)snprintf(source->note + used, sizeof source->note - used,
                                 "%s “%.24s” %s %%", i ? "," : "", text ? text : "", percent);
        free(text);
    }
}

const sac_inference *sac_inference_of(const sac_source *source)
{
    const kept_attention *t = source->self;
    return t->inference;
}

sac_status sac_inference_source(sac_inference *inference, sac_source *source, sac_error *error)
{
    kept_attention *t = calloc(1, sizeof *t);
    *source = (sac_source){0};
    if (!t) {
        sac_inference_free(inference);
        return sac_no_memory(error, "text");
    }
    t->inference = inference;
    source->self = t;
    source->destroy = destroy;
    const sac_pretrained_model *m = inference->model;
    source->weights.layers = (size_t)m->layers;
    source->weights.batch = 1;
    source->weights.heads = (size_t)m->run.heads;
    source->weights.steps = source->weights.positions = inference->count;
    if (inference->image.rgba)
        source->picture.image = &inference->image;
    source->picture.grid_w = inference->grid_w;
    source->picture.grid_h = inference->grid_h;
    source->picture.prefix = inference->prefix;
    source->weights.tile = tile_of;
    source->weights.pool = pool_of;
    source->weights.explain = explain;
    if (m->run.causal) {
        source->weights.masked = masked;
        snprintf(source->weights.made.mask, sizeof source->weights.made.mask, "causal");
    }
    snprintf(source->title, sizeof source->title, "%s", m->name);
    snprintf(source->weights.made.dtype, sizeof source->weights.made.dtype, "float32");
    snprintf(source->weights.made.score, sizeof source->weights.made.score, "%s",
             sac_score_name(SAC_SCORE_SCALED_DOT));
    snprintf(source->origin.file, sizeof source->origin.file, "%s", m->folder);
    sac_device_short_name(sac_device_get_info(m->device), source->origin.device,
                          sizeof source->origin.device);
    note(inference, source);
    /* Notes which tensors of the folder the model does not use. */
    char text[sizeof source->note];
    size_t used = strlen(source->note);
    sac_pretrained_unread_text(inference->model->files, text, sizeof text);
    if (text[0])
        snprintf(source->note + used, sizeof source->note - used, "%snot used: %.*s",
                 used ? "; " : "", (int)(sizeof text / 2), text);
    sac_status status = sac_inference_labels(inference, &source->weights.step_labels, error);
    if (status == SAC_OK)
        status =
            sac_labels_copy(&source->weights.step_labels, &source->weights.position_labels, error);
    if (status != SAC_OK)
        sac_source_destroy(source);
    return status;
}
