/* What a picture's cells become where trained queries stand between what sees and what reads (a Q-Former): the
 * queries look at each other, and in some layers at all that was seen; what they are in the end are the
 * tokens of the picture. */
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/error.h"
#include "nn/layers.h"

typedef struct resampling {
    const sac_inference *p;
    sac_pretrained_model *m; /* of the queries */
    size_t queries, seen;
    float *query,
        *key; /* [layers,queries,D], [layers,seen,D]: of layers that look at what was seen */
    float *own
        [2]; /* [layers,queries,D]: queries and keys of queries among themselves; NULL: not wanted */
} resampling;

static bool looks_back(const sac_transformer_layer *l)
{
    return l->attention[SAC_PART_CROSS].query.w != NULL;
}

static void run_layers(const resampling *s, sac_arena *arena, float *states)
{
    sac_pretrained_model *m = s->m;
    sac_pass *pass = &m->pass;
    const size_t D = m->width;
    const sac_tensor trained = sac_tensor_shaped(m->detector.places->value, s->queries, D);
    sac_tensor x = {0}, memory = {0};
    sac_transformer_tensors tensors = {0};
    sac_arena_shape(arena, pass, &x, s->queries, D);
    sac_arena_shape(arena, pass, &memory, s->seen, sac_inference_width(s->p));
    sac_pass_write(pass, memory, s->p->left);
    sac_layer_norm_forward(pass, &m->first_norm, x, trained);
    for (int i = 0; i < m->layers && sac_pass_runs(pass); i++) {
        const sac_transformer_layer *l = &m->layer[i];
        const sac_transformer_run run = sac_pretrained_model_run(m, i, NULL);
        const sac_tensor seen = looks_back(l) ? memory : (sac_tensor){0};
        sac_transformer_layer_shape(pass, arena, l, &run, s->queries, seen.rows, &tensors);
        x = sac_transformer_layer_forward(pass, l, &run, x, seen, &tensors);
        const sac_multihead_tensors *self = &tensors.attention[SAC_PART_SELF];
        for (int k = 0; k < 2; k++)
            if (s->own[k])
                sac_pass_read(pass, k ? self->key : self->query,
                              s->own[k] + (size_t)i * s->queries * D);
        if (!looks_back(l))
            continue;
        const sac_multihead_tensors *t = &tensors.attention[SAC_PART_CROSS];
        sac_pass_read(pass, t->query, s->query + (size_t)i * s->queries * D);
        sac_pass_read(pass, t->key, s->key + (size_t)i * s->seen * D);
    }
    sac_pass_read(pass, x, states);
}

/* The mean over layers and heads of what each query looks at [queries,seen]; of it the cells. */
static sac_status find_looks(const resampling *s, float *looks, sac_error *error)
{
    const size_t Q = s->queries, heads = (size_t)s->m->run.heads, D = s->m->width;
    const size_t prefix = (size_t)s->p->prefix, cells = s->seen - prefix;
    float *weights = malloc(heads * Q * s->seen * sizeof *weights);
    sac_status status = weights ? SAC_OK : sac_no_memory(error, s->m->name);
    float maps = 0;
    memset(looks, 0, Q * cells * sizeof *looks);
    for (int i = 0; i < s->m->layers && status == SAC_OK; i++) {
        if (!looks_back(&s->m->layer[i]))
            continue;
        status =
            sac_architecture_weigh(s->m, s->query + (size_t)i * Q * D,
                                   s->key + (size_t)i * s->seen * D, Q, s->seen, weights, error);
        for (size_t row = 0; row < heads * Q && status == SAC_OK; row++)
            for (size_t k = 0; k < cells; k++)
                looks[row % Q * cells + k] += weights[row * s->seen + prefix + k];
        maps += (float)heads;
    }
    for (size_t i = 0; i < Q * cells && maps > 0; i++)
        looks[i] /= maps;
    free(weights);
    return status;
}

/* Runs all layers, which leave their queries and keys in memory that is the caller's to free(). */
static sac_status resample(resampling *s, bool own, float *states, sac_error *error)
{
    sac_pretrained_model *m = s->m;
    const size_t queries = (size_t)m->layers * s->queries * m->width;
    sac_arena arena = {0};
    s->query = malloc(queries * sizeof *s->query);
    s->key = malloc((size_t)m->layers * s->seen * m->width * sizeof *s->key);
    for (int k = 0; own && k < 2; k++)
        s->own[k] = malloc(queries * sizeof *s->own[k]);
    if (!s->query || !s->key || (own && (!s->own[0] || !s->own[1])))
        return sac_no_memory(error, m->name);
    sac_device_lock(m->device);
    run_layers(s, &arena, states);
    sac_status status = sac_pass_end(&m->pass, error);
    sac_arena_release(&arena);
    sac_device_unlock(m->device);
    return status;
}

static void end(resampling *s)
{
    free(s->query);
    free(s->key);
    free(s->own[0]);
    free(s->own[1]);
}

sac_status sac_inference_resample(const sac_inference *p, float *states, float *looks,
                                  sac_error *error)
{
    sac_pretrained_model *m = p->model->resampler;
    resampling s = {.p = p, .m = m, .queries = m->detector.queries, .seen = p->count};
    sac_status status = resample(&s, false, states, error);
    if (status == SAC_OK)
        status = find_looks(&s, looks, error);
    end(&s);
    return status;
}

size_t sac_resampler_looks(const sac_pretrained_model *m)
{
    size_t layers = 0;
    for (int i = 0; i < m->layers; i++)
        layers += looks_back(&m->layer[i]);
    return layers;
}

sac_status sac_inference_resample_heads(const sac_inference *p, float *own, float *cross,
                                        sac_error *error)
{
    sac_pretrained_model *m = p->model->resampler;
    resampling s = {.p = p, .m = m, .queries = m->detector.queries, .seen = p->count};
    const size_t Q = s.queries, D = m->width, heads = (size_t)m->run.heads;
    float *states = malloc(Q * D * sizeof *states);
    sac_status status = states ? resample(&s, true, states, error) : sac_no_memory(error, m->name);
    for (size_t i = 0; i < (size_t)m->layers && status == SAC_OK; i++) {
        status = sac_architecture_weigh(m, s.own[0] + i * Q * D, s.own[1] + i * Q * D, Q, Q,
                                        own + i * heads * Q * Q, error);
        if (status == SAC_OK && looks_back(&m->layer[i])) {
            status = sac_architecture_weigh(m, s.query + i * Q * D, s.key + i * s.seen * D, Q,
                                            s.seen, cross, error);
            cross += heads * Q * s.seen;
        }
    }
    end(&s);
    free(states);
    return status;
}
