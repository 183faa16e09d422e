/* Weights that a model gave, in memory, read as those of a file are. */
#include "sources/files/weights/model_weights.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "saccade_arrays.h"
#include "sources/files/weights/readings.h"
#include "sources/files/weights/stored_weights.h"

enum { KINDS = SAC_ATTENTION_KINDS };

typedef struct model_weights {
    sac_attentions attentions;
    sac_array arrays[KINDS]; /* of their weights */
    sac_named_array named[KINDS];
    int kinds[KINDS];        /* which kind each of them is, … */
    int reading;             /* … and the one that is open */
    sac_array_groups groups; /* one of each */
    sac_stored_weights stored;
    /* Where heads can be scaled: */
    sac_source *generator; /* lent; NULL: they cannot */
    sac_result caption;    /* owned */
    char *text;            /* the sentence that it translates; owned */
    float *scale;          /* [L,H], of the weights as they are; owned */
} model_weights;

static void destroy(void *self)
{
    model_weights *m = self;
    sac_stored_weights_free(&m->stored);
    sac_array_groups_free(&m->groups);
    sac_attentions_free(&m->attentions);
    sac_result_free(&m->caption);
    free(m->text);
    free(m->scale);
    free(m);
}

static sac_status read_weights_tile(void *self, size_t layer, const sac_tile *tile, float *weights,
                                    sac_error *error)
{
    return sac_stored_weights_tile(&((model_weights *)self)->stored, layer, tile, weights, error);
}

static sac_status pool_weights_tile(void *self, size_t layer, const sac_tile *tile, sac_pool pool,
                                    size_t out_rows, size_t out_cols, float *pooled,
                                    sac_error *error)
{
    return sac_stored_weights_pool(&((model_weights *)self)->stored, layer, tile, pool, out_rows,
                                   out_cols, pooled, error);
}

static sac_status explain(void *self, const sac_explanation_request *request, sac_explanation *e,
                          sac_error *error)
{
    return sac_stored_weights_explain(&((model_weights *)self)->stored, request, e, error);
}

static sac_status select_attention_kind(model_weights *m, int reading, sac_source *source,
                                        sac_error *error)
{
    int which = m->kinds[reading];
    m->reading = reading;
    sac_attention_kind *k = &m->attentions.kind[which];
    source->weights.layers = k->layers;
    source->weights.batch = 1;
    source->weights.heads = k->heads;
    source->weights.steps = k->steps;
    source->weights.positions = k->positions;
    source->weights.step_labels = k->step_labels;
    source->weights.position_labels = k->position_labels;
    k->step_labels = k->position_labels = (sac_labels){0};
    source->weights.head_alignment = k->alignment;
    source->weights.opened.reading = reading;
    source->weights.tile = read_weights_tile;
    source->weights.pool = pool_weights_tile;
    source->weights.explain = explain;
    /* Words look at cells beside their text, or where these stand before it in one. */
    const int looks = m->attentions.kind[SAC_CROSS_ATTENTION].weights ? SAC_CROSS_ATTENTION
                                                                      : SAC_DECODER_ATTENTION;
    if (which == looks && m->attentions.picture.rgba) {
        source->picture.image = &m->attentions.picture;
        source->picture.grid_w = m->attentions.grid_w;
        source->picture.grid_h = m->attentions.grid_h;
    }
    if (which == SAC_DECODER_ATTENTION) {
        source->weights.masked = sac_mask_later;
        snprintf(source->weights.made.mask, sizeof source->weights.made.mask, "causal");
    }
    snprintf(source->weights.made.dtype, sizeof source->weights.made.dtype, "float32");
    snprintf(source->title, sizeof source->title, "%s attention", k->name);
    return sac_stored_weights_take(&m->stored, &m->groups.group[reading], NULL, error);
}

static sac_status list_and_select_kind(model_weights *m, const char *take, sac_source *source,
                                       sac_error *error)
{
    const sac_array_groups none = {0};
    int count = 0;
    for (int i = 0; i < KINDS; i++) {
        const sac_attention_kind *k = &m->attentions.kind[i];
        const size_t shape[] = {k->layers, k->heads, k->steps, k->positions};
        if (!k->weights)
            continue;
        m->arrays[count] = sac_array_view(SAC_F32, 4, shape, k->weights);
        m->named[count] = (sac_named_array){k->name, &m->arrays[count]};
        m->kinds[count++] = i;
    }
    sac_status status = sac_array_groups_make(m->named, (size_t)count, &m->groups, error);
    if (status == SAC_OK)
        status = sac_readings_make(&m->groups, &none, &source->weights.opened.readings,
                                   &source->weights.opened.reading_count, error);
    for (int i = 0; i < count && status == SAC_OK; i++)
        if (strcmp(m->named[i].name, take) == 0)
            return select_attention_kind(m, i, source, error);
    return status == SAC_OK ? sac_fail(error, SAC_E_ARGUMENT, take,
                                       count < KINDS ? "give decoder or cross"
                                                     : "give encoder, decoder or cross",
                                       "is no attention of this model")
                            : status;
}

/* ---------------------------------------------------------------- scaled heads */

static size_t map_count(const sac_attention_kind *kind)
{
    return kind->layers * kind->heads;
}

/* The weights of another pass over the same words, in place of these. */
static sac_status replace_weights(model_weights *m, const sac_attentions *other, sac_error *error)
{
    for (int k = 0; k < KINDS; k++) {
        sac_attention_kind *to = &m->attentions.kind[k];
        const sac_attention_kind *from = &other->kind[k];
        if (map_count(to) != map_count(from) || to->steps != from->steps ||
            to->positions != from->positions)
            return sac_fail(error, SAC_E_SHAPE, "heads", NULL, "gave other weights than before");
        if (to->weights)
            memcpy(to->weights, from->weights,
                   map_count(to) * to->steps * to->positions * sizeof *to->weights);
    }
    return SAC_OK;
}

static sac_status scale_heads(void *self, const float *scale, sac_heads_effect *effect,
                              sac_error *error)
{
    model_weights *m = self;
    const int kind = m->kinds[m->reading];
    const size_t size = map_count(&m->attentions.kind[kind]) * sizeof *scale;
    sac_attentions other;
    (void)effect; /* the generator fills the generated text */
    if (memcmp(m->scale, scale, size) == 0)
        return SAC_OK;
    if (strcmp(m->generator->result.text, m->text) != 0)
        return sac_fail(error, SAC_E_ARGUMENT, "heads", "open its weights first",
                        "are of “%.60s”, and another sentence is open now", m->text);
    sac_status status =
        sac_source_attentions_without(m->generator, kind, scale, &m->caption, &other, error);
    if (status == SAC_OK)
        status = replace_weights(m, &other, error);
    if (status == SAC_OK)
        memcpy(m->scale, scale, size);
    sac_attentions_free(&other);
    return status;
}

void sac_model_weights_let_scale(sac_source *weights, sac_source *generator, sac_result *caption)
{
    model_weights *m = weights->self;
    const int kind = m->kinds[m->reading];
    size_t layers, heads;
    m->caption = *caption;
    *caption = (sac_result){0};
    if (!generator->result.scale_heads ||
        !generator->result.heads(generator->self, kind, &layers, &heads) ||
        layers != weights->weights.layers || heads != weights->weights.heads)
        return;
    m->text = strdup(generator->result.text);
    m->scale = malloc(layers * heads * sizeof *m->scale);
    for (size_t i = 0; i < layers * heads && m->scale; i++)
        m->scale[i] = 1;
    if (!m->text || !m->scale)
        return; /* without memory they stay as they are */
    m->generator = generator;
    weights->weights.scale_heads = scale_heads;
    weights->weights.generator = generator;
    weights->weights.generator_kind = kind;
}

sac_status sac_model_weights_open(sac_attentions *attentions, const char *take, sac_source *source,
                                  sac_error *error)
{
    *source = (sac_source){0};
    model_weights *m = calloc(1, sizeof *m);
    if (!m) {
        sac_attentions_free(attentions);
        return sac_no_memory(error, "attention");
    }
    m->attentions = *attentions;
    *attentions = (sac_attentions){0};
    source->self = m;
    source->destroy = destroy;
    sac_status status = list_and_select_kind(
        m, take && take[0] ? take : sac_attention_kind_names[SAC_CROSS_ATTENTION], source, error);
    if (status != SAC_OK)
        sac_source_destroy(source);
    return status;
}
