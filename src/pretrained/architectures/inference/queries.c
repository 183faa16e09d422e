/* Trained queries, which go through layers that attend to all that was seen in a picture. Those of a Q-Former look at
 * each other, and in some layers at what was seen, a perceiver's at both at once; what they are in the end are the tokens of the
 * picture. Those of a model of DETR's kind become classes and boxes: a fixed number of them looks for one object each, and most find none. Those of
 * YOLOS do so as tokens beside the patches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/clock.h"
#include "base/error.h"
#include "nn/layers.h"

/* The queries of a model behind their layers, and what they attended to. */
typedef struct queried {
    sac_pretrained_model *m;
    sac_arena arena;
    sac_attended seen;
    sac_inference *q;
} queried;

/* What was seen, as wide as the queries. */
static sac_tensor widen_states(sac_pretrained_model *m, sac_arena *arena, sac_tensor x)
{
    const sac_expert *e = &m->detector.entry;
    sac_pass *pass = &m->pass;
    sac_tensor gate = {0}, hidden = {0}, y = {0};
    sac_arena_shape(arena, pass, &gate, x.rows, e->gate.w->shape[0]);
    sac_arena_shape(arena, pass, &hidden, x.rows, e->in.w->shape[0]);
    sac_arena_shape(arena, pass, &y, x.rows, e->out.w->shape[0]);
    sac_linear_forward(pass, gate, x, e->gate.w, e->gate.b);
    sac_linear_forward(pass, hidden, x, e->in.w, e->in.b);
    sac_gate(pass, gate, hidden, m->detector.entry_activation);
    sac_linear_forward(pass, y, gate, e->out.w, e->out.b);
    return y;
}

static sac_status run_queries(sac_pretrained_model *m, const sac_inference *p, queried *made,
                              sac_error *error)
{
    sac_position_ids placing = {0};
    *made = (queried){.m = m};
    sac_device_lock(m->device);
    if (p->model->places_cells)
        sac_architecture_build_positions(p->model, &made->arena, &placing, 0, p->count, p->count,
                                         p);
    sac_arena_shape(&made->arena, &m->pass, &made->seen.states, p->count, sac_inference_width(p));
    sac_pass_write(&m->pass, made->seen.states, p->left);
    if (m->detector.entry.out.w)
        made->seen.states = widen_states(m, &made->arena, made->seen.states);
    made->seen.places = placing.places;
    sac_status status = sac_model_end_pass(m, NULL, error);
    return status == SAC_OK ? sac_inference_run_queries(m, &made->seen, &made->q, error) : status;
}

static void free_queries(queried *made)
{
    sac_inference_free(made->q);
    sac_device_lock(made->m->device);
    sac_arena_release(&made->arena);
    sac_device_unlock(made->m->device);
}

/* ---------------------------------------------------------------- queries that gather */

/* Those of a perceiver look at what was seen and at each other in one attention, whose last keys are their own. */
static bool looks_at_both(const sac_pretrained_model *m, int layer)
{
    return m->layer[layer].memory_norm.gain != NULL;
}

static bool looks_at_seen(const sac_pretrained_model *m, int layer)
{
    return looks_at_both(m, layer) || m->layer[layer].attention[SAC_PART_CROSS].query.w;
}

size_t sac_resampler_cross_layer_count(const sac_pretrained_model *m)
{
    size_t layers = 0;
    for (int i = 0; i < m->layers; i++)
        layers += looks_at_seen(m, i);
    return layers;
}

/* The mean over layers and heads of what each query looks at; of it the cells. */
sac_status sac_inference_resample(const sac_inference *p, float *states, float *looks,
                                  sac_error *error)
{
    const sac_pretrained_model *m = p->model->resampler;
    const size_t Q = m->detector.queries, seen = p->count, prefix = (size_t)p->prefix;
    const size_t cells = seen - prefix;
    const float maps = (float)(sac_resampler_cross_layer_count(m) * (size_t)m->run.heads);
    const bool is_joint = looks_at_both(m, 0);
    const size_t keys = seen + (is_joint ? Q : 0);
    float *sums = calloc(Q * keys, sizeof *sums);
    queried made;
    sac_status status = run_queries(p->model->resampler, p, &made, error);
    if (status == SAC_OK && !sums)
        status = sac_no_memory(error, m->name);
    if (status == SAC_OK)
        memcpy(states, made.q->left, Q * m->width * sizeof *states);
    for (int i = 0; i < m->layers && status == SAC_OK; i++)
        if (looks_at_seen(m, i))
            status =
                sac_inference_add_heads(made.q, i, 0, is_joint ? SAC_PART_SELF : SAC_PART_CROSS, 0,
                                        Q, 1, keys, sums, error);
    for (size_t i = 0; i < Q * cells && status == SAC_OK; i++)
        looks[i] = maps > 0 ? sums[i / cells * keys + prefix + i % cells] / maps : 0;
    free(sums);
    free_queries(&made);
    return status;
}

/* Rows [n,seen + Q] of joint heads → what of them lies on what was seen, and on the queries. */
static void part_joint_rows(const float *rows, size_t n, size_t seen, size_t Q, float *cross,
                            float *own)
{
    for (; n-- > 0; rows += seen + Q, cross += seen, own += Q) {
        memcpy(cross, rows, seen * sizeof *cross);
        memcpy(own, rows + seen, Q * sizeof *own);
    }
}

sac_status sac_inference_resample_heads(const sac_inference *p, float *own, float *cross,
                                        sac_error *error)
{
    sac_pretrained_model *m = p->model->resampler;
    const size_t Q = m->detector.queries, heads = (size_t)m->run.heads;
    float *joint = looks_at_both(m, 0) ? malloc(heads * Q * (p->count + Q) * sizeof *joint) : NULL;
    queried made;
    sac_status status = run_queries(m, p, &made, error);
    if (status == SAC_OK && looks_at_both(m, 0) && !joint)
        status = sac_no_memory(error, m->name);
    for (int i = 0; i < m->layers && status == SAC_OK; i++, own += heads * Q * Q) {
        status = sac_inference_read_heads(made.q, i, SAC_PART_SELF, joint ? joint : own, error);
        if (status == SAC_OK && joint) {
            part_joint_rows(joint, heads * Q, p->count, Q, cross, own);
            cross += heads * Q * p->count;
        }
        if (status != SAC_OK || joint || !looks_at_seen(m, i))
            continue;
        status = sac_inference_read_heads(made.q, i, SAC_PART_CROSS, cross, error);
        cross += heads * Q * p->count;
    }
    free(joint);
    free_queries(&made);
    return status;
}

/* ---------------------------------------------------------------- queries that detect */

bool sac_inference_finds(const sac_inference *p)
{
    return p->grid_w && (p->model->finder || p->model->detector.classes);
}

sac_tensor sac_perceptron_forward(sac_pass *pass, sac_arena *arena, sac_tensor x,
                                  const sac_perceptron *head)
{
    for (int i = 0; i < head->count; i++) {
        const sac_dense *d = &head->layer[i];
        sac_tensor y = {0};
        sac_arena_shape(arena, pass, &y, x.rows, d->w->shape[0]);
        sac_linear_forward(pass, y, x, d->w, d->b);
        if (i + 1 < head->count)
            sac_activate(pass, y, head->between);
        x = y;
    }
    return x;
}

/* Logits of classes, and boxes [Q,4] (middle x, middle y, width, height), of what left the layers from token
 * `first` on. */
static sac_status classify(const sac_inference *q, size_t first, sac_result *result, float *corners,
                           sac_error *error)
{
    sac_pretrained_model *m = q->model;
    sac_pass *pass = &m->pass;
    const sac_detector *d = &m->detector;
    sac_arena arena = {0};
    sac_tensor x = {0};
    sac_device_lock(m->device);
    sac_arena_shape(&arena, pass, &x, d->queries, m->width);
    sac_pass_write(pass, x, q->left + first * m->width);
    const sac_tensor logits = sac_perceptron_forward(pass, &arena, x, &d->classify);
    const sac_tensor boxes = sac_perceptron_forward(pass, &arena, x, &d->box);
    sac_activate(pass, boxes, SAC_SIGMOID);
    sac_pass_read(pass, logits, result->logits);
    sac_pass_read(pass, boxes, corners);
    return sac_model_end_pass(m, &arena, error);
}

/* Tokens of the picture that are queries, and what of their attention is to patches and to each other. */
static sac_status read_tokens(const sac_inference *p, sac_result *result, float *boxes,
                              sac_error *error)
{
    const sac_pretrained_model *m = p->model;
    sac_attention_kind *self = &result->attentions->kind[SAC_DECODER_ATTENTION];
    sac_attention_kind *cross = &result->attentions->kind[SAC_CROSS_ATTENTION];
    const size_t Q = m->detector.queries, prefix = (size_t)p->prefix, first = prefix - Q;
    const size_t cells = p->count - prefix, heads = (size_t)m->run.heads;
    sac_status status = classify(p, first, result, boxes, error);
    for (int i = 0; i < m->layers && status == SAC_OK; i++) {
        sac_attention *attention = NULL;
        status = sac_inference_create_attention(p, i, SAC_PART_SELF, &attention, error);
        for (size_t h = 0; h < heads && status == SAC_OK; h++) {
            const size_t at = (size_t)i * heads + h;
            sac_tile tile = {.head = h, .row = first, .rows = Q, .col = first, .cols = Q};
            status = sac_attention_tile(attention, &tile, self->weights + at * Q * Q, error);
            tile.col = prefix;
            tile.cols = cells;
            if (status == SAC_OK)
                status =
                    sac_attention_tile(attention, &tile, cross->weights + at * Q * cells, error);
        }
        sac_attention_destroy(attention);
    }
    return status;
}

/* The finder's queries over all that was seen, and the weights of its heads. */
static sac_status run_finder(const sac_inference *p, sac_result *result, float *boxes,
                             sac_error *error)
{
    sac_pretrained_model *m = p->model->finder;
    sac_attention_kind *self = &result->attentions->kind[SAC_DECODER_ATTENTION];
    sac_attention_kind *cross = &result->attentions->kind[SAC_CROSS_ATTENTION];
    const size_t Q = m->detector.queries, cells = p->count, heads = cross->heads;
    queried made;
    sac_status status = run_queries(m, p, &made, error);
    if (status == SAC_OK)
        status = classify(made.q, 0, result, boxes, error);
    for (int i = 0; i < m->layers && status == SAC_OK; i++) {
        status = sac_inference_read_heads(made.q, i, SAC_PART_SELF,
                                          self->weights + (size_t)i * heads * Q * Q, error);
        if (status == SAC_OK)
            status = sac_inference_read_heads(
                made.q, i, SAC_PART_CROSS, cross->weights + (size_t)i * heads * Q * cells, error);
    }
    free_queries(&made);
    return status;
}

/* ---------------------------------------------------------------- all of it */

static int by_probability(const void *a, const void *b)
{
    const sac_result_output *x = a, *y = b;
    if (x->probability != y->probability)
        return x->probability < y->probability ? 1 : -1;
    return x->query < y->query ? -1 : 1;
}

/* An object of each query: its most probable class but that of nothing, which is the last. */
static sac_status fill_objects(const sac_detector *d, const float *boxes, sac_result *result,
                               sac_error *error)
{
    for (size_t q = 0; q < d->queries; q++) {
        sac_result_output *object = &result->outputs[q];
        const float *logits = result->logits + q * result->classes, *box = boxes + 4 * q;
        object->query = object->row = q;
        for (int i = 1; i < (int)d->classes; i++)
            if (logits[i] > logits[object->word])
                object->word = i;
        object->probability = result->is_independent
                                  ? 1 / (1 + expf(-logits[object->word]))
                                  : sac_logits_probability(logits, result->classes, object->word);
        for (int k = 0; k < 4; k++)
            object->box[k] = box[k % 2] + (k < 2 ? -0.5f : 0.5f) * box[2 + k % 2];
    }
    qsort(result->outputs, d->queries, sizeof *result->outputs, by_probability);
    for (int i = 0; i < result->count; i++)
        if (!sac_result_set_output_name(result, i, d->names[result->outputs[i].word]))
            return sac_no_memory(error, "objects");
    return SAC_OK;
}

sac_status sac_inference_find_objects(const sac_inference *p, sac_result *result, sac_error *error)
{
    const sac_pretrained_model *m = p->model->finder ? p->model->finder : p->model;
    const sac_detector *d = &m->detector;
    const size_t Q = d->queries, layers = (size_t)m->layers, heads = (size_t)m->run.heads;
    double begin = sac_now();
    *result = (sac_result){.grid_w = p->grid_w,
                           .grid_h = p->grid_h,
                           .classes = d->classes + !m->deformable,
                           .is_independent = m->deformable != NULL};
    if (Q > SAC_MAX_TOKENS)
        return sac_fail(error, SAC_E_ARGUMENT, m->folder, "take a model with fewer",
                        "has %zu queries, and at most %d are read", Q, SAC_MAX_TOKENS);
    result->count = (int)Q;
    result->attentions = calloc(1, sizeof *result->attentions);
    result->logits = calloc(Q * result->classes, sizeof *result->logits);
    float *boxes = calloc(4 * Q, sizeof *boxes);
    sac_status status = result->attentions && result->logits && boxes
                            ? sac_attentions_add(result->attentions, SAC_DECODER_ATTENTION, layers,
                                                 heads, Q, Q, error)
                            : sac_no_memory(error, m->name);
    if (status == SAC_OK)
        status = sac_attentions_add(result->attentions, SAC_CROSS_ATTENTION, layers, heads, Q,
                                    p->count - (size_t)p->prefix, error);
    if (status == SAC_OK)
        status = m->deformable      ? sac_deformable_find(p, result, boxes, error)
                 : p->model->finder ? run_finder(p, result, boxes, error)
                                    : read_tokens(p, result, boxes, error);
    for (size_t i = 0; i < Q * result->classes && status == SAC_OK; i++)
        if (!isfinite(result->logits[i]))
            status = sac_fail(error, SAC_E_VALUE, m->folder, "take a copy that is not damaged",
                              "the output is not finite; the weights may be corrupt");
    if (status == SAC_OK)
        status = fill_objects(d, boxes, result, error);
    free(boxes);
    if (status != SAC_OK)
        sac_result_free(result);
    result->milliseconds = (sac_now() - begin) * 1e3;
    return status;
}
