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

sac_status sac_inference_resample(const sac_inference *p, float *states, float *looks,
                                  sac_error *error)
{
    sac_pretrained_model *m = p->model->resampler;
    resampling s = {.p = p, .m = m, .queries = m->detector.queries, .seen = p->count};
    sac_arena arena = {0};
    s.query = malloc((size_t)m->layers * s.queries * m->width * sizeof *s.query);
    s.key = malloc((size_t)m->layers * s.seen * m->width * sizeof *s.key);
    sac_status status = s.query && s.key ? SAC_OK : sac_no_memory(error, m->name);
    if (status == SAC_OK) {
        sac_device_lock(m->device);
        run_layers(&s, &arena, states);
        status = sac_pass_end(&m->pass, error);
        sac_arena_release(&arena);
        sac_device_unlock(m->device);
    }
    if (status == SAC_OK)
        status = find_looks(&s, looks, error);
    free(s.query);
    free(s.key);
    return status;
}
