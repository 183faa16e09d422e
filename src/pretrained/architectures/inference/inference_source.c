/* An inference as a source: the weights of a layer are computed from its queries and keys when they
 * are read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/inference/continuation.h"
#include "base/error.h"
#include "sources/files/explain_row.h"
#include "sources/heads/reduce.h"

typedef struct kept_attention {
    sac_inference *whole;     /* with all heads */
    sac_inference *inference; /* with those as they are scaled now: `whole`, or its own */
    char *before; /* the generation with all heads; NULL: not computed yet, or nothing */
    sac_attention *attention[SAC_ARCHITECTURE_LAYERS]; /* NULL: not prepared */
    unsigned long looked[SAC_ARCHITECTURE_LAYERS];     /* the value of `looks` at the last use */
    unsigned long looks;
    sac_continuation continuation; /* the last generation after its text */
    float *relevance;              /* [layers,count,count], of `whole`; NULL: not computed yet */
    sac_logit logit;               /* that it is of */
    float *classes;                /* [classes] logits, of `whole`, where they have names; owned */
    uint8_t *special;              /* [count] 1: a token that stands for no text; NULL: none does */
    sac_window_heads
        *windows; /* of a stage, in place of `attention`: of the layer looked at last */
} kept_attention;

static void destroy(void *self)
{
    kept_attention *t = self;
    for (int i = 0; i < SAC_ARCHITECTURE_LAYERS; i++)
        sac_attention_destroy(t->attention[i]);
    sac_window_heads_destroy(t->windows);
    sac_continuation_free(&t->continuation);
    if (t->inference != t->whole)
        sac_inference_free(t->inference);
    sac_inference_free(t->whole);
    free(t->before);
    free(t->relevance);
    free(t->classes);
    free(t->special);
    free(t);
}

/* Makes room for one more layer: the least recently used one is freed. */
static void free_oldest_attention(kept_attention *t)
{
    const sac_pretrained_model *m = t->inference->model;
    const int last = m->layers - 1; /* whose heads are as wide as any */
    size_t numbers = sac_architecture_part_width(m, last, 0) +
                     sac_architecture_part_width(m, last, 1) +
                     sac_architecture_part_width(m, last, 2);
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

static sac_status ensure_layer_attention(void *self, size_t layer, sac_attention **attention,
                                         sac_error *error)
{
    kept_attention *t = self;
    sac_status status = SAC_OK;
    if (!t->attention[layer]) {
        free_oldest_attention(t);
        status = sac_inference_create_attention(t->inference, (int)layer, SAC_PART_SELF,
                                                &t->attention[layer], error);
    }
    t->looked[layer] = ++t->looks;
    *attention = t->attention[layer];
    return status;
}

static sac_status read_weights_tile(void *self, size_t layer, const sac_tile *tile, float *weights,
                                    sac_error *error)
{
    sac_attention *attention;
    sac_status status = ensure_layer_attention(self, layer, &attention, error);
    return status == SAC_OK ? sac_attention_tile(attention, tile, weights, error) : status;
}

static sac_status pool_weights_tile(void *self, size_t layer, const sac_tile *tile, sac_pool pool,
                                    size_t out_rows, size_t out_cols, float *pooled,
                                    sac_error *error)
{
    sac_attention *attention;
    sac_status status = ensure_layer_attention(self, layer, &attention, error);
    return status == SAC_OK
               ? sac_attention_pool(attention, tile, pool, out_rows, out_cols, pooled, error)
               : status;
}

static sac_status explain(void *self, const sac_explanation_request *request,
                          sac_explanation *explanation, sac_error *error)
{
    sac_attention *attention;
    sac_status status = ensure_layer_attention(self, request->layer, &attention, error);
    return status == SAC_OK ? sac_explain_attention(attention, request, 1, explanation, error)
                            : status;
}

/* ---------------------------------------------------------------- heads of a stage */

static sac_status tile_of_stage(void *self, size_t layer, const sac_tile *tile, float *weights,
                                sac_error *error)
{
    kept_attention *t = self;
    sac_status status = SAC_OK;
    if (t->windows && sac_window_heads_layer(t->windows) != (int)layer) {
        sac_window_heads_destroy(t->windows);
        t->windows = NULL;
    }
    if (!t->windows)
        status = sac_window_heads_create(t->inference, (int)layer, &t->windows, error);
    return status == SAC_OK ? sac_window_heads_tile(t->windows, tile, weights, error) : status;
}

typedef sac_status tile_function(void *self, size_t layer, const sac_tile *tile, float *weights,
                                 sac_error *error);

/* A row of pooled cells at a time. */
static sac_status pool_tiles(void *self, tile_function *tile_of_layer, size_t layer,
                             const sac_tile *tile, sac_pool pool, size_t out_rows, size_t out_cols,
                             float *pooled, sac_error *error)
{
    float *band = malloc((tile->rows / out_rows + 1) * tile->cols * sizeof *band);
    sac_status status = band ? SAC_OK : sac_no_memory(error, "map");
    for (size_t o = 0; o < out_rows && status == SAC_OK; o++) {
        size_t top = o * tile->rows / out_rows;
        sac_tile some = *tile;
        some.row += top;
        some.rows = (o + 1) * tile->rows / out_rows - top;
        status = tile_of_layer(self, layer, &some, band, error);
        if (status == SAC_OK)
            sac_weights_pool(band, some.rows, some.cols, pool, 1, out_cols, pooled + o * out_cols);
    }
    free(band);
    return status;
}

static sac_status pool_of_stage(void *self, size_t layer, const sac_tile *tile, sac_pool pool,
                                size_t out_rows, size_t out_cols, float *pooled, sac_error *error)
{
    return pool_tiles(self, tile_of_stage, layer, tile, pool, out_rows, out_cols, pooled, error);
}

static sac_status explain_stage(void *self, const sac_explanation_request *request,
                                sac_explanation *e, sac_error *error)
{
    const kept_attention *t = self;
    *e = (sac_explanation){.keys = t->inference->count, .position = request->position};
    const sac_tile row = {0, request->head, request->step, 1, 0, e->keys};
    e->weights = malloc(e->keys * sizeof *e->weights);
    if (!e->weights)
        return sac_no_memory(error, "weight");
    sac_status status = tile_of_stage(self, request->layer, &row, e->weights, error);
    if (status != SAC_OK)
        sac_explanation_free(e);
    return status;
}

static sac_status fill_stage_mask(void *self, size_t layer, const sac_tile *tile, uint8_t *hidden,
                                  sac_error *error)
{
    const kept_attention *t = self;
    (void)error;
    for (size_t r = 0; r < tile->rows; r++)
        for (size_t c = 0; c < tile->cols; c++)
            *hidden++ = sac_window_hides(t->inference, (int)layer, tile->row + r, tile->col + c);
    return SAC_OK;
}

/* Of a head, which is a group of channels: row and column are channels of it. */
static sac_status tile_of_channels(void *self, size_t layer, const sac_tile *tile, float *weights,
                                   sac_error *error)
{
    const kept_attention *t = self;
    const sac_inference *p = t->inference;
    size_t each = p->model->width / p->model->stage.channels[layer].groups;
    (void)error;
    for (size_t r = 0; r < tile->rows; r++)
        memcpy(weights + r * tile->cols,
               p->layer[layer].channels + (tile->head * each + tile->row + r) * each + tile->col,
               tile->cols * sizeof *weights);
    return SAC_OK;
}

static sac_status pool_of_channels(void *self, size_t layer, const sac_tile *tile, sac_pool pool,
                                   size_t out_rows, size_t out_cols, float *pooled,
                                   sac_error *error)
{
    return pool_tiles(self, tile_of_channels, layer, tile, pool, out_rows, out_cols, pooled, error);
}

/* In place of the heads over cells. */
static void set_channel_methods(const sac_inference *p, sac_source *source)
{
    const sac_pretrained_model *m = p->model;
    size_t groups = m->stage.channels[0].groups;
    source->weights.heads = groups;
    source->weights.steps = source->weights.positions = m->width / groups;
    source->weights.tile = tile_of_channels;
    source->weights.pool = pool_of_channels;
    source->weights.explain = NULL;
    source->weights.scale_heads = NULL;
    source->picture = (sac_picture_source){0};
    sac_labels_free(&source->weights.step_labels);
    snprintf(source->title, sizeof source->title, "%.100s, stage %d, channels", m->name,
             m->stage.number);
}

static sac_reading *add_reading(sac_weights_opened *opened, const char *take)
{
    sac_reading *r = &opened->readings[opened->reading_count];
    snprintf(r->take, sizeof r->take, "%s", take);
    snprintf(r->array, sizeof r->array, "%s", take);
    if (strcmp(opened->array, take) == 0)
        opened->reading = opened->reading_count;
    opened->reading_count++;
    return r;
}

sac_status sac_architecture_list_stages(const sac_pretrained_model *whole,
                                        sac_weights_opened *opened, sac_error *error)
{
    const sac_pretrained_model *d = whole->decoder;
    char take[32];
    free(opened->readings);
    opened->readings = calloc(2 * (size_t)whole->stage_count + 2, sizeof *opened->readings);
    opened->reading_count = 0;
    if (!opened->readings)
        return sac_no_memory(error, whole->name);
    for (int i = 0; i < whole->stage_count; i++) {
        const sac_pretrained_model *stage = whole->stages[i];
        snprintf(take, sizeof take, "stage %d", i + 1);
        sac_reading *r = add_reading(opened, take);
        snprintf(r->meaning, sizeof r->meaning, "%d layers × %d heads, windows of %zu × %zu cells",
                 stage->layers, stage->run.heads, stage->stage.window, stage->stage.window);
    }
    for (int i = 0; i < whole->stage_count && whole->stages[i]->stage.channels; i++) {
        const sac_pretrained_model *stage = whole->stages[i];
        size_t groups = stage->stage.channels[0].groups;
        snprintf(take, sizeof take, "stage %d channels", i + 1);
        sac_reading *r = add_reading(opened, take);
        snprintf(r->meaning, sizeof r->meaning, "%d layers × %zu groups of %zu channels",
                 stage->layers, groups, stage->width / groups);
    }
    for (int kind = SAC_CROSS_ATTENTION; d && kind >= SAC_DECODER_ATTENTION; kind--) {
        sac_reading *r = add_reading(opened, sac_attention_kind_names[kind]);
        snprintf(r->meaning, sizeof r->meaning, "%d layers × %d heads of the generated words%s",
                 d->layers, d->run.heads,
                 kind == SAC_CROSS_ATTENTION ? ", which look at the picture" : "");
    }
    return SAC_OK;
}

/* The stages of the model, as what else there is to be looked at; the grids from this one on are known. */
static sac_status list_stages(const sac_inference *p, sac_source *source, sac_error *error)
{
    sac_weights_opened *opened = &source->weights.opened;
    const sac_pretrained_model *whole = p->model->whole;
    int at = p->model->stage.number - 1, wide = p->grid_w, high = p->grid_h;
    snprintf(opened->array, sizeof opened->array, "stage %d%s", at + 1,
             p->shows_channels ? " channels" : "");
    sac_status status = sac_architecture_list_stages(whole, opened, error);
    for (int i = at; i < whole->stage_count && status == SAC_OK; i++) {
        int step = i > at ? whole->stages[i]->stage.joining.step : 1;
        char *meaning = opened->readings[i].meaning;
        size_t used = strlen(meaning);
        wide = (wide + step - 1) / step;
        high = (high + step - 1) / step;
        snprintf(meaning + used, sizeof opened->readings->meaning - used, " of %d × %d", wide,
                 high);
    }
    return status;
}

static sac_status set_stage_methods(const sac_inference *p, sac_source *source, sac_error *error)
{
    const sac_stage *stage = &p->model->stage;
    size_t moved = p->windows[1].shift;
    if (p->shows_channels) {
        set_channel_methods(p, source);
        return list_stages(p, source, error);
    }
    source->weights.tile = tile_of_stage;
    source->weights.pool = pool_of_stage;
    source->weights.explain = explain_stage;
    source->weights.masked = fill_stage_mask;
    snprintf(source->title, sizeof source->title, "%.100s, stage %d", p->model->name,
             stage->number);
    snprintf(source->weights.made.mask, sizeof source->weights.made.mask,
             moved ? "windows of %zu × %zu, in every other layer moved by %zu"
                   : "windows of %zu × %zu",
             stage->window, stage->window, moved);
    return list_stages(p, source, error);
}

static sac_status ensure_relevance(kept_attention *t, sac_error *error)
{
    const sac_inference *p = t->whole;
    size_t layers = (size_t)p->model->layers;
    if (t->relevance)
        return SAC_OK;
    float *maps = malloc(layers * p->count * p->count * sizeof *maps);
    sac_status status = maps ? sac_inference_relevance(p, &t->logit, maps, error)
                             : sac_no_memory(error, p->model->name);
    if (status == SAC_OK)
        t->relevance = maps;
    else
        free(maps);
    return status;
}

static sac_status contacts(void *self, float *map, sac_error *error)
{
    const kept_attention *t = self;
    return sac_inference_contacts(t->whole, map, error);
}

/* Of all heads, whichever are scaled. */
static sac_status relevance(void *self, size_t layer, float *map, char *of, sac_error *error)
{
    kept_attention *t = self;
    size_t numbers = t->whole->count * t->whole->count;
    sac_status status = ensure_relevance(t, error);
    if (status != SAC_OK)
        return status;
    memcpy(map, t->relevance + layer * numbers, numbers * sizeof *map);
    const char(*names)[SAC_CLASS_NAME] = (const void *)t->whole->model->classifier.names;
    if (t->logit.kind == SAC_LOGIT_CLASS && names)
        snprintf(of, 64, "“%.40s”", names[t->logit.id]);
    else if (t->logit.kind == SAC_LOGIT_CLASS)
        snprintf(of, 64, "class %d", t->logit.id);
    else if (t->logit.kind == SAC_LOGIT_MEAN)
        snprintf(of, 64, "the mean of all states");
    else {
        char *text = sac_tokenizer_show(t->whole->model->tokenizer, t->logit.id);
        snprintf(of, 64, "“%.40s” next", text ? text : "?");
        free(text);
    }
    return SAC_OK;
}

/* ---------------------------------------------------------------- heads that are scaled */

enum { GENERATED = 12 }; /* tokens that are generated to show what heads change */

/* The logits of one place, with all heads and as they are scaled. */
typedef struct two_logits {
    const sac_inference *whole;
    const float *before, *now; /* [V] */
} two_logits;

static float larger_probability(const sac_candidate *one)
{
    return fmaxf(one->probability, one->left);
}

static void compare_next(const two_logits *l, sac_candidate *likely, int *count)
{
    const size_t vocabulary = l->whole->model->vocabulary;
    sac_next_token next[2][SAC_EFFECT_NEXT];
    sac_candidate all[2 * SAC_EFFECT_NEXT];
    int found = 0;
    sac_logits_next(l->before, vocabulary, next[0], SAC_EFFECT_NEXT);
    sac_logits_next(l->now, vocabulary, next[1], SAC_EFFECT_NEXT);
    for (int i = 0; i < 2 * SAC_EFFECT_NEXT; i++) {
        const int id = next[i % 2][i / 2].id;
        int at = 0;
        while (at < found && all[at].id != id)
            at++;
        if (at < found || id < 0)
            continue;
        const sac_candidate one = {.id = id,
                                   .probability = sac_logits_probability(l->before, vocabulary, id),
                                   .left = sac_logits_probability(l->now, vocabulary, id)};
        for (at = found++; at > 0 && larger_probability(&one) > larger_probability(&all[at - 1]);
             at--)
            all[at] = all[at - 1];
        all[at] = one;
    }
    *count = found < SAC_EFFECT_NEXT ? found : SAC_EFFECT_NEXT;
    memcpy(likely, all, (size_t)*count * sizeof *likely);
    sac_name_candidates(l->whole->model->tokenizer, likely, *count);
}

static sac_status find_next_tokens_after(void *self, size_t step, sac_candidate *likely, int *count,
                                         sac_error *error)
{
    const kept_attention *t = self;
    size_t vocabulary = t->whole->model->vocabulary;
    float *logits = malloc(2 * vocabulary * sizeof *logits);
    *count = 0;
    if (!logits)
        return sac_no_memory(error, t->whole->model->name);
    sac_status status = sac_inference_logits(t->whole, step, logits, error);
    if (status == SAC_OK)
        status = sac_inference_logits(t->inference, step, logits + vocabulary, error);
    if (status == SAC_OK)
        compare_next(&(two_logits){t->whole, logits, logits + vocabulary}, likely, count);
    for (int i = 0; i < *count; i++)
        likely[i].stands = step + 1 < t->whole->count && likely[i].id == t->whole->ids[step + 1];
    free(logits);
    return status;
}

/* The text from token `from` on of the first `count` tokens of `p`, another one (−1: none), and what is generated after
 * them with heads scaled as those of `now` are. */
static sac_status generate(const sac_inference *p, const sac_inference *now, size_t count, int then,
                           size_t from, char **text, sac_error *error)
{
    const sac_sampling how = p->generated ? p->sampled_by : (sac_sampling){.count = GENERATED};
    int *ids = malloc((count + 1 + (size_t)how.count) * sizeof *ids);
    *text = NULL;
    if (!ids)
        return sac_no_memory(error, p->model->name);
    memcpy(ids, p->ids, count * sizeof *ids);
    if (then >= 0)
        ids[count++] = then;
    sac_status status = sac_continuation_generate_ids(now, &how, ids, &count, error);
    if (status == SAC_OK && !(*text = sac_inference_text(p, ids + from, count - from)))
        status = sac_no_memory(error, p->model->name);
    free(ids);
    return status;
}

/* The text up to step `step`, another token in place of the next, and the generation then. */
static sac_status generate_instead(void *self, size_t step, int id, char **text, sac_error *error)
{
    const kept_attention *t = self;
    return generate(t->whole, t->inference, step + 1, id, 0, text, error);
}

/* The generation after the text, with heads scaled as those of `p` are; NULL: nothing. Where the end of
 * the text was generated itself, it is generated anew. */
static sac_status generate_anew(const sac_inference *p, char **text, sac_error *error)
{
    const size_t read = p->count - p->generated;
    sac_status status = generate(p, p, read, -1, read, text, error);
    /* A folder that asks for what cannot be generated here still shows its heads. */
    return status == SAC_E_ARGUMENT || status == SAC_E_FORMAT ? SAC_OK : status;
}

static sac_status compare_states(sac_heads_effect *effect, const sac_inference *whole,
                                 const sac_inference *now, sac_error *error)
{
    size_t width = whole->model->width;
    double all = 0, apart = 0;
    effect->count = whole->count;
    effect->changes = calloc(whole->count, sizeof *effect->changes);
    if (!effect->changes)
        return sac_no_memory(error, whole->model->name);
    for (size_t t = 0; t < whole->count; t++) {
        double size = 0, change = 0;
        for (size_t i = t * width; i < (t + 1) * width; i++) {
            double x = whole->left[i], d = now->left[i] - x;
            size += x * x;
            change += d * d;
        }
        effect->changes[t] = (float)(size > 0 ? sqrt(change / size) : 0);
        all += size;
        apart += change;
    }
    effect->change = (float)(all > 0 ? sqrt(apart / all) : 0);
    return SAC_OK;
}

static sac_status compare(kept_attention *t, const sac_inference *now, sac_heads_effect *effect,
                          sac_error *error)
{
    if (now->next)
        compare_next(&(two_logits){t->whole, t->whole->next, now->next}, effect->next,
                     &effect->next_count);
    sac_status status = now == t->whole ? SAC_OK : compare_states(effect, t->whole, now, error);
    if (status != SAC_OK || now == t->whole || !now->next)
        return status;
    if (!t->before)
        status = generate_anew(t->whole, &t->before, error);
    if (status == SAC_OK)
        status = generate_anew(now, &effect->now, error);
    if (status == SAC_OK && t->before && !(effect->before = strdup(t->before)))
        status = sac_no_memory(error, now->model->name);
    return status;
}

sac_status sac_inference_without_heads(const sac_inference *whole, const char *text,
                                       sac_inference **scaled, sac_error *error)
{
    size_t layers = (size_t)whole->model->layers, heads = (size_t)whole->model->run.heads;
    float *scale = calloc(layers * heads + 1, sizeof *scale);
    sac_status status = scale ? sac_head_scales_read(text, layers, heads, scale, error)
                              : sac_no_memory(error, whole->model->name);
    *scaled = NULL;
    if (status == SAC_OK)
        status = sac_inference_scaled(whole, scale, scaled, error);
    free(scale);
    return status;
}

/* Queries and keys of layers above are others then: what was prepared of them is forgotten. */
static sac_status scale_heads(void *self, const float *scale, sac_heads_effect *effect,
                              sac_error *error)
{
    kept_attention *t = self;
    const sac_pretrained_model *m = t->whole->model;
    sac_inference *now = t->whole;
    sac_status status = SAC_OK;
    size_t count = (size_t)m->layers * (size_t)m->run.heads;
    const float *before = t->inference->scale;
    bool whole = sac_head_scales_are_all_one(scale, count);
    if (before ? memcmp(before, scale, count * sizeof *scale) == 0 : whole)
        now = t->inference;
    else if (!whole)
        status = sac_inference_scaled(t->whole, scale, &now, error);
    if (status == SAC_OK && effect)
        status = compare(t, now, effect, error);
    sac_inference *old = status == SAC_OK ? t->inference : now;
    if (status != SAC_OK && effect)
        sac_heads_effect_free(effect);
    if (old == t->inference && (old == now || status != SAC_OK))
        return status;
    for (int i = 0; i < m->layers && status == SAC_OK; i++) {
        sac_attention_destroy(t->attention[i]);
        t->attention[i] = NULL;
    }
    if (status == SAC_OK) {
        sac_window_heads_destroy(t->windows);
        t->windows = NULL;
        t->inference = now;
    }
    if (old != t->whole)
        sac_inference_free(old);
    return status;
}

static sac_status generate_result(void *self, const sac_result_request *request, sac_result *result,
                                  sac_error *error)
{
    kept_attention *t = self;
    const sac_inference *p = t->inference;
    if (request->sampling)
        return sac_continuation_generate(&t->continuation, t->whole, p, request->sampling,
                                         &result->generation, error);
    /* As it was opened: its weights are those of the source. */
    result->milliseconds = p->milliseconds;
    result->line = sac_inference_text(p, p->ids, p->count);
    return result->line ? sac_continuation_fill(p, &result->generation, error)
                        : sac_no_memory(error, p->model->name);
}

static sac_status find_candidates(void *self, size_t step, const sac_sampling *how,
                                  sac_candidate *candidates, int *count, int *kept,
                                  sac_error *error)
{
    kept_attention *t = self;
    return sac_continuation_candidates(&t->continuation, t->inference, step, how, candidates, count,
                                       kept, error);
}

static sac_status compare_phrases(void *self, const sac_result_request *request, sac_result *result,
                                  sac_error *error)
{
    kept_attention *t = self;
    return sac_inference_compare(t->inference, request, result, error);
}

#define PHRASE_THRESHOLD 0.1f /* those of transformers for such models */
#define POINTS_THRESHOLD 0.5f

static sac_status find_objects(void *self, const sac_result_request *request, sac_result *result,
                               sac_error *error)
{
    const kept_attention *t = self;
    return sac_inference_finds_phrases(t->inference)
               ? sac_inference_find_phrases(t->inference, request, result, error)
               : sac_inference_find_objects(t->inference, result, error);
}

static bool count_finder_heads(const void *self, int kind, size_t *layers, size_t *heads)
{
    const kept_attention *t = self;
    const sac_pretrained_model *finder = t->inference->model->finder;
    *layers = (size_t)finder->layers;
    *heads = (size_t)finder->run.heads;
    return kind == SAC_CROSS_ATTENTION;
}

/* ---------------------------------------------------------------- the source */

/* Later tokens are masked where a model is causal, and in a layer with a window those outside of it. */
static sac_status fill_mask(void *self, size_t layer, const sac_tile *tile, uint8_t *hidden,
                            sac_error *error)
{
    const kept_attention *t = self;
    const sac_pretrained_model *m = t->inference->model;
    size_t window = m->window[layer];
    sac_status status = SAC_OK;
    memset(hidden, 0, tile->rows * tile->cols);
    if (m->run.causal)
        status = sac_mask_later(self, layer, tile, hidden, error);
    for (size_t r = 0; r < tile->rows && window && status == SAC_OK; r++)
        for (size_t c = 0; c < tile->cols; c++) {
            size_t row = tile->row + r, col = tile->col + c;
            if (col + window <= row || row + window <= col)
                hidden[r * tile->cols + c] = 1;
        }
    return status;
}

/* The most probable next tokens, "next: “ river” 31 %, “ bank” 4 %". */
static void note_next(const sac_inference *p, const sac_next_token next[5], sac_source *source)
{
    char line[sizeof source->note] = "next:";
    size_t used = strlen(line);
    for (int i = 0; i < 5 && next[i].id >= 0 && used < sizeof line; i++) {
        char *text = sac_tokenizer_show(p->model->tokenizer, next[i].id), percent[16];
        double probability = 100 * (double)next[i].probability;
        snprintf(percent, sizeof percent, probability < 9.95 ? "%.2g" : "%.0f", probability);
        used += (size_t)snprintf(line + used, sizeof line - used, "%s “%.24s” %s %%", i ? "," : "",
                                 text ? text : "", percent);
        free(text);
    }
    sac_source_add_note(source, SAC_NOTE_SHOWN, "%s", line);
}

/* "it is: “Speech” 81 %, “Music” 9 %" of a model whose classes have names; their logits are kept. */
static sac_status note_classes(kept_attention *t, sac_source *source, sac_error *error)
{
    const sac_pretrained_model *m = t->whole->model;
    const sac_classifier *c = &m->classifier;
    enum { SHOWN = 5 };
    sac_next_token best[SHOWN];
    char line[sizeof source->note] = "";
    size_t used = 0;
    if (!c->names || !c->logits.w)
        return SAC_OK;
    const size_t count = c->logits.w->shape[0];
    t->classes = malloc(count * sizeof *t->classes);
    sac_status status = t->classes ? sac_inference_classify(t->whole, t->classes, error)
                                   : sac_no_memory(error, m->name);
    if (status != SAC_OK)
        return status;
    sac_logits_next(t->classes, count, best, SHOWN);
    for (int i = 0; i < SHOWN && best[i].id >= 0 && used < sizeof line; i++) {
        const double percent = 100 * (double)best[i].probability;
        used += (size_t)snprintf(line + used, sizeof line - used,
                                 percent < 9.95 ? "%s“%s” %.2g %%" : "%s“%s” %.0f %%",
                                 i ? ", " : "", c->names[best[i].id], percent);
    }
    sac_source_add_note(source, SAC_NOTE_SHOWN, "%s", line);
    return SAC_OK;
}

/* That the text was cut, that it is a pair, what comes next, and what was assumed of the folder or is not used
 * of it. */
static void add_source_notes(const sac_inference *p, sac_source *source)
{
    sac_next_token next[5];
    char unread[sizeof source->note];
    const char *of_model = p->model->stage.number ? p->model->whole->note : p->model->note;
    const sac_audio_encoder *audio = &p->model->audio;
    if (p->cut && audio->cell)
        sac_source_add_note(source, SAC_NOTE_SHOWN, "only the first %g s of the sound are taken",
                            (double)((size_t)p->grid_w * audio->cell) / SAC_MEL_RATE);
    else if (p->cut)
        sac_source_add_note(source, SAC_NOTE_SHOWN, "only the first %zu tokens are read", p->count);
    if (p->second)
        sac_source_add_note(source, SAC_NOTE_SHOWN,
                            "read as a pair, the second text from token %zu on", p->second);
    if (sac_inference_next(p, next, 5))
        note_next(p, next, source);
    if (of_model[0])
        sac_source_add_note(source, SAC_NOTE_REPORTED, "%s", of_model);
    sac_pretrained_unread_text(p->model->files, unread, sizeof unread);
    if (unread[0])
        sac_source_add_note(source, SAC_NOTE_REPORTED, "not used: %.*s", (int)(sizeof unread / 2),
                            unread);
}

/* Tokens that a text is framed and filled up with; a word that is hidden or not known is part of it. */
static sac_status mark_special_tokens(kept_attention *t, sac_error *error)
{
    static const char *const words[] = {"[MASK]", "<mask>", "[UNK]", "<unk>"};
    const sac_inference *p = t->whole;
    const sac_pretrained_model *m = p->model;
    bool any = false, fills = m->is_filled;
    if (p->grid_w || !m->tokenizer)
        return SAC_OK;
    t->special = calloc(p->count, sizeof *t->special);
    if (!t->special)
        return sac_no_memory(error, m->name);
    for (size_t i = p->count; i-- > 0;) {
        const char *token = sac_tokenizer_token(m->tokenizer, p->ids[i]);
        bool is_word = !token;
        for (size_t w = 0; w < sizeof words / sizeof *words && !is_word; w++)
            is_word = strcmp(token, words[w]) == 0;
        fills = fills && p->ids[i] == m->filler;
        bool is_special = sac_tokenizer_is_special(m->tokenizer, p->ids[i]) ||
                          sac_tokenizer_is_frame_token(m->tokenizer, p->ids[i]);
        t->special[i] = fills || (!is_word && is_special);
        any = any || t->special[i];
    }
    if (!any) {
        free(t->special);
        t->special = NULL;
    }
    return SAC_OK;
}

static void input(const void *self, sac_read_input *input)
{
    const kept_attention *t = self;
    const sac_inference *p = t->inference;
    const sac_classifier *c = &p->model->classifier;
    *input = (sac_read_input){.ids = p->grid_w ? NULL : p->ids,
                              .cut = p->cut,
                              .next = p->next,
                              .vocabulary = p->model->vocabulary,
                              .width = p->model->width,
                              .classes = t->classes,
                              .class_names = t->classes ? c->names[0] : NULL,
                              .class_name_size = SAC_CLASS_NAME,
                              .class_count = t->classes ? c->logits.w->shape[0] : 0,
                              .note = sac_architecture_note(p->model),
                              .milliseconds = p->milliseconds};
}

static sac_status states(const void *self, float *states, sac_error *error)
{
    return sac_inference_states(((const kept_attention *)self)->inference, states, error);
}

sac_status sac_inference_open_source(sac_inference *inference, sac_source *source, sac_error *error)
{
    kept_attention *t = calloc(1, sizeof *t);
    *source = (sac_source){0};
    if (!t) {
        sac_inference_free(inference);
        return sac_no_memory(error, "text");
    }
    t->whole = t->inference = inference;
    source->self = t;
    source->destroy = destroy;
    const sac_pretrained_model *m = inference->model;
    source->weights.layers = (size_t)m->layers;
    source->weights.batch = 1;
    source->weights.heads = (size_t)m->run.heads;
    source->weights.steps = source->weights.positions = inference->count;
    source->weights.second = inference->second;
    if (inference->image.rgba)
        source->picture.image = &inference->image;
    source->picture.grid_w = inference->grid_w;
    source->picture.grid_h = inference->grid_h;
    source->picture.prefix = inference->prefix;
    source->weights.has_sinks = m->layers && m->layer[0].sinks;
    source->weights.tile = read_weights_tile;
    source->weights.pool = pool_weights_tile;
    source->weights.explain = explain;
    source->weights.scale_heads = scale_heads;
    source->weights.input = input;
    source->weights.states = states;
    if (sac_inference_has_relevance(inference))
        source->weights.relevance = relevance;
    source->weights.mixed_otherwise = m->conformer || sac_architecture_memories(m);
    if (sac_inference_has_relevance(inference) && m->contacts.w)
        source->weights.contacts = contacts;
    if (inference->next) {
        source->weights.next_after = find_next_tokens_after;
        source->weights.generate_instead = generate_instead;
    }
    if (inference->next && m->run.causal && !inference->grid_w) {
        source->result.generate = generate_result;
        source->result.candidates = find_candidates;
        source->result.sampling = (sac_sampling){.count = inference->sampled_by.count,
                                                 .draw = inference->sampled_by.draw,
                                                 .beam = inference->sampled_by.beam,
                                                 .penalty = inference->sampled_by.penalty};
    }
    source->result.models = 1;
    if (sac_inference_compares(inference)) {
        source->result.outputs = SAC_OUTPUT_PHRASES;
        source->result.reads_query = m->shared.late != NULL;
        source->result.generate = compare_phrases;
    } else if (sac_inference_finds(inference) || sac_inference_finds_phrases(inference)) {
        source->result.finds_phrases = sac_inference_finds_phrases(inference);
        source->result.threshold = source->result.finds_phrases         ? PHRASE_THRESHOLD
                                   : m->finder && m->finder->deformable ? POINTS_THRESHOLD
                                                                        : 0;
        source->result.outputs = SAC_OUTPUT_BOXES;
        source->result.heads = m->finder ? count_finder_heads : NULL;
        source->result.generate = find_objects;
    }
    bool has_window = false;
    for (int i = 0; i < m->layers; i++)
        has_window |= m->window[i] > 0;
    if (m->run.causal || has_window)
        source->weights.masked = fill_mask;
    if (m->run.causal || has_window)
        snprintf(source->weights.made.mask, sizeof source->weights.made.mask, "%s",
                 m->run.causal ? "causal" : "window");
    snprintf(source->title, sizeof source->title, "%s", m->name);
    snprintf(source->weights.made.dtype, sizeof source->weights.made.dtype, "float32");
    snprintf(source->weights.made.score, sizeof source->weights.made.score, "%s",
             sac_score_name(SAC_SCORE_SCALED_DOT));
    sac_architecture_origin(m, &source->origin);
    add_source_notes(inference, source);
    sac_status status = mark_special_tokens(t, error);
    if (status == SAC_OK)
        status = note_classes(t, source, error);
    source->weights.special = t->special;
    if (status == SAC_OK)
        status = sac_inference_labels(inference, &source->weights.step_labels, error);
    if (status == SAC_OK && m->stage.number)
        status = set_stage_methods(inference, source, error);
    if (status == SAC_OK)
        status =
            sac_labels_copy(&source->weights.step_labels, &source->weights.position_labels, error);
    if (status != SAC_OK)
        sac_source_destroy(source);
    return status;
}
