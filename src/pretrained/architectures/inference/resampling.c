/* What a picture's cells become where trained queries stand between what sees and what reads (a Q-Former): the
 * queries look at each other, and in some layers at all that was seen; what they are in the end are the
 * tokens of the picture. */
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/error.h"

static bool looks_back(const sac_pretrained_model *m, int layer)
{
    return m->layer[layer].attention[SAC_PART_CROSS].query.w != NULL;
}

size_t sac_resampler_looks(const sac_pretrained_model *m)
{
    size_t layers = 0;
    for (int i = 0; i < m->layers; i++)
        layers += looks_back(m, i);
    return layers;
}

/* What is done with the queries, which have gone through their layers. */
typedef sac_status use_queries(const sac_inference *queries, void *to, sac_error *error);

static sac_status resample(const sac_inference *p, use_queries *use, void *to, sac_error *error)
{
    sac_pretrained_model *m = p->model->resampler;
    sac_arena arena = {0};
    sac_attended seen = {0};
    sac_inference *q = NULL;
    sac_device_lock(m->device);
    sac_arena_shape(&arena, &m->pass, &seen.states, p->count, sac_inference_width(p));
    sac_pass_write(&m->pass, seen.states, p->left);
    sac_status status = sac_model_end_pass(m, NULL, error);
    if (status == SAC_OK)
        status = sac_inference_of_queries(m, &seen, &q, error);
    if (status == SAC_OK)
        status = use(q, to, error);
    sac_inference_free(q);
    sac_device_lock(m->device);
    sac_arena_release(&arena);
    sac_device_unlock(m->device);
    return status;
}

typedef struct gathered {
    float *states, *looks; /* [Q,D], [Q,cells] */
    size_t prefix;         /* tokens before the cells */
} gathered;

/* The mean over layers and heads of what each query looks at; of it the cells. */
static sac_status take_states(const sac_inference *q, void *to, sac_error *error)
{
    const sac_pretrained_model *m = q->model;
    const gathered *g = to;
    const size_t Q = q->count, seen = q->memory->states.rows, cells = seen - g->prefix;
    const float maps = (float)(sac_resampler_looks(m) * (size_t)m->run.heads);
    float *sums = calloc(Q * seen, sizeof *sums);
    sac_status status = sums ? SAC_OK : sac_no_memory(error, m->name);
    memcpy(g->states, q->left, Q * m->width * sizeof *g->states);
    for (int i = 0; i < m->layers && status == SAC_OK; i++)
        if (looks_back(m, i))
            status = sac_inference_add_heads(q, i, 0, SAC_PART_CROSS, 0, Q, 1, seen, sums, error);
    for (size_t i = 0; i < Q * cells && status == SAC_OK; i++)
        g->looks[i] = maps > 0 ? sums[i / cells * seen + g->prefix + i % cells] / maps : 0;
    free(sums);
    return status;
}

sac_status sac_inference_resample(const sac_inference *p, float *states, float *looks,
                                  sac_error *error)
{
    return resample(p, take_states, &(gathered){states, looks, (size_t)p->prefix}, error);
}

static sac_status take_heads(const sac_inference *q, void *to, sac_error *error)
{
    const sac_pretrained_model *m = q->model;
    float *const *weights = to, *own = weights[0], *cross = weights[1];
    const size_t Q = q->count, heads = (size_t)m->run.heads;
    sac_status status = SAC_OK;
    for (int i = 0; i < m->layers && status == SAC_OK; i++, own += heads * Q * Q) {
        status = sac_inference_read_heads(q, i, SAC_PART_SELF, own, error);
        if (status != SAC_OK || !looks_back(m, i))
            continue;
        status = sac_inference_read_heads(q, i, SAC_PART_CROSS, cross, error);
        cross += heads * Q * q->memory->states.rows;
    }
    return status;
}

sac_status sac_inference_resample_heads(const sac_inference *p, float *own, float *cross,
                                        sac_error *error)
{
    float *weights[] = {own, cross};
    return resample(p, take_heads, weights, error);
}
