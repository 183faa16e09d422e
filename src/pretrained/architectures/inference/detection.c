/* Detects objects in a picture that was seen: the queries of a model of DETR's kind go through its
 * decoder, and become classes and boxes. A model has a fixed number of queries, which look for one
 * object each; most of them find none. */
#include <math.h>
#include <stdlib.h>

#include "architectures/architecture.h"
#include "base/clock.h"
#include "base/error.h"
#include "nn/layers.h"

bool sac_inference_finds(const sac_inference *p)
{
    return p->grid_w && p->model->finder;
}

static void apply(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_dense *d)
{
    sac_linear_forward(pass, y, x, d->w, d->b);
}

/* Logits of classes, and boxes [Q,4] (middle x, middle y, width, height), of what left the finder's
 * layers. */
static sac_status classify(const sac_inference *q, sac_result *result, float *corners,
                           sac_error *error)
{
    sac_pretrained_model *m = q->model;
    sac_pass *pass = &m->pass;
    const sac_detector *d = &m->detector;
    sac_arena arena = {0};
    sac_tensor x = {0}, logits = {0}, hidden[2] = {0}, boxes = {0};
    sac_device_lock(m->device);
    sac_arena_shape(&arena, pass, &x, q->count, m->width);
    sac_arena_shape(&arena, pass, &logits, q->count, result->classes);
    sac_arena_shape(&arena, pass, &boxes, q->count, 4);
    for (int i = 0; i < 2; i++)
        sac_arena_shape(&arena, pass, &hidden[i], q->count, m->width);
    sac_pass_write(pass, x, q->left);
    apply(pass, logits, x, &d->classify);
    apply(pass, hidden[0], x, &d->box[0]);
    sac_relu_forward(pass, hidden[0]);
    apply(pass, hidden[1], hidden[0], &d->box[1]);
    sac_relu_forward(pass, hidden[1]);
    apply(pass, boxes, hidden[1], &d->box[2]);
    sac_activate(pass, boxes, SAC_SIGMOID);
    sac_pass_read(pass, logits, result->logits);
    sac_pass_read(pass, boxes, corners);
    sac_status status = sac_pass_end(pass, error);
    sac_arena_release(&arena);
    sac_device_unlock(m->device);
    return status;
}

/* The finder's queries over all that was seen, and the weights of its heads. */
static sac_status run(const sac_inference *p, sac_result *result, float *boxes, sac_error *error)
{
    sac_pretrained_model *m = p->model->finder;
    sac_attention_kind *self = &result->attentions->kind[SAC_DECODER_ATTENTION];
    sac_attention_kind *cross = &result->attentions->kind[SAC_CROSS_ATTENTION];
    const size_t Q = m->detector.queries, cells = p->count, heads = cross->heads;
    sac_arena arena = {0};
    sac_position_ids placing = {0};
    sac_attended seen = {0};
    sac_inference *q = NULL;
    sac_device_lock(m->device);
    sac_architecture_place(p->model, &arena, &placing, 0, cells, cells, p);
    sac_arena_shape(&arena, &m->pass, &seen.states, cells, m->width);
    sac_pass_write(&m->pass, seen.states, p->left);
    seen.places = placing.places;
    sac_status status = sac_pass_end(&m->pass, error);
    sac_device_unlock(m->device);
    if (status == SAC_OK)
        status = sac_inference_of_queries(m, &seen, &q, error);
    if (status == SAC_OK)
        status = classify(q, result, boxes, error);
    for (int i = 0; i < m->layers && status == SAC_OK; i++) {
        status = sac_inference_read_heads(q, i, SAC_PART_SELF,
                                          self->weights + (size_t)i * heads * Q * Q, error);
        if (status == SAC_OK)
            status = sac_inference_read_heads(
                q, i, SAC_PART_CROSS, cross->weights + (size_t)i * heads * Q * cells, error);
    }
    sac_inference_free(q);
    sac_device_lock(m->device);
    sac_arena_release(&arena);
    sac_device_unlock(m->device);
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
static sac_status name_objects(const sac_detector *d, const float *boxes, sac_result *result,
                               sac_error *error)
{
    for (size_t q = 0; q < d->queries; q++) {
        sac_result_output *object = &result->outputs[q];
        const float *logits = result->logits + q * result->classes, *box = boxes + 4 * q;
        object->query = q;
        for (int i = 1; i < (int)d->classes; i++)
            if (logits[i] > logits[object->word])
                object->word = i;
        object->probability = sac_logits_probability(logits, result->classes, object->word);
        for (int k = 0; k < 4; k++)
            object->box[k] = box[k % 2] + (k < 2 ? -0.5f : 0.5f) * box[2 + k % 2];
    }
    qsort(result->outputs, d->queries, sizeof *result->outputs, by_probability);
    for (int i = 0; i < result->count; i++)
        if (!sac_result_name(result, i, d->names[result->outputs[i].word]))
            return sac_no_memory(error, "objects");
    return SAC_OK;
}

sac_status sac_inference_find(const sac_inference *p, sac_result *result, sac_error *error)
{
    sac_pretrained_model *m = p->model->finder;
    const sac_detector *d = &m->detector;
    const size_t Q = d->queries, layers = (size_t)m->layers, heads = (size_t)m->run.heads;
    double begin = sac_now();
    *result = (sac_result){.grid_w = p->grid_w, .grid_h = p->grid_h, .classes = d->classes + 1};
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
                                    p->count, error);
    if (status == SAC_OK)
        status = run(p, result, boxes, error);
    for (size_t i = 0; i < Q * result->classes && status == SAC_OK; i++)
        if (!isfinite(result->logits[i]))
            status = sac_fail(error, SAC_E_VALUE, m->folder, "take a copy that is not damaged",
                              "the output is not finite; the weights may be corrupt");
    if (status == SAC_OK)
        status = name_objects(d, boxes, result, error);
    free(boxes);
    if (status != SAC_OK)
        sac_result_free(result);
    result->milliseconds = (sac_now() - begin) * 1e3;
    return status;
}
