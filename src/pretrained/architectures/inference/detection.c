/* Finds things in a picture that was seen: the queries of a model of DETR's kind go through its
 * decoder, and become classes and boxes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Classes and boxes of what left the finder's layers. */
static sac_status name_detections(const sac_inference *q, sac_found *found, sac_error *error)
{
    sac_pretrained_model *m = q->model;
    sac_pass *pass = &m->pass;
    const sac_detector *d = &m->detector;
    sac_arena arena = {0};
    sac_tensor x = {0}, logits = {0}, hidden[2] = {0}, boxes = {0};
    sac_device_lock(m->device);
    sac_arena_shape(&arena, pass, &x, q->count, m->width);
    sac_arena_shape(&arena, pass, &logits, q->count, found->classes + 1);
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
    sac_pass_read(pass, logits, found->logits);
    sac_pass_read(pass, boxes, found->boxes);
    sac_status status = sac_pass_end(pass, error);
    sac_arena_release(&arena);
    sac_device_unlock(m->device);
    return status;
}

/* The finder's queries over all that was seen, and the weights of its heads. */
static sac_status run(const sac_inference *p, sac_found *found, sac_error *error)
{
    sac_pretrained_model *m = p->model->finder;
    const size_t Q = found->queries, cells = p->count, heads = found->heads;
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
        status = name_detections(q, found, error);
    for (int i = 0; i < m->layers && status == SAC_OK; i++) {
        status = sac_inference_read_heads(q, i, SAC_PART_SELF,
                                          found->own + (size_t)i * heads * Q * Q, error);
        if (status == SAC_OK)
            status = sac_inference_read_heads(q, i, SAC_PART_CROSS,
                                              found->looks + (size_t)i * heads * Q * cells, error);
    }
    sac_inference_free(q);
    sac_device_lock(m->device);
    sac_arena_release(&arena);
    sac_device_unlock(m->device);
    return status;
}

/* ---------------------------------------------------------------- all of it */

static bool allocate(sac_found *found, size_t cells)
{
    const size_t Q = found->queries, maps = found->layers * found->heads;
    found->things = calloc(Q, sizeof *found->things);
    found->names = calloc(found->classes, sizeof *found->names);
    found->logits = calloc(Q * (found->classes + 1), sizeof *found->logits);
    found->boxes = calloc(4 * Q, sizeof *found->boxes);
    found->looks = calloc(maps * Q * cells, sizeof *found->looks);
    found->own = calloc(maps * Q * Q, sizeof *found->own);
    return found->things && found->names && found->logits && found->boxes && found->looks &&
           found->own;
}

/* The most probable class of a query but that of nothing, which is the last. */
static sac_detection read_thing(const sac_found *found, size_t query)
{
    const float *logits = found->logits + query * (found->classes + 1);
    const float *box = found->boxes + 4 * query;
    sac_detection thing = {.query = query};
    for (size_t i = 1; i < found->classes; i++)
        if (logits[i] > logits[thing.class])
            thing.class = i;
    thing.score = sac_logits_probability(logits, found->classes + 1, (int)thing.class);
    for (int k = 0; k < 4; k++)
        thing.box[k] = box[k % 2] + (k < 2 ? -0.5f : 0.5f) * box[2 + k % 2];
    return thing;
}

static int by_score(const void *a, const void *b)
{
    const sac_detection *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return x->query < y->query ? -1 : 1;
}

sac_status sac_inference_find(const sac_inference *p, sac_found *found, sac_error *error)
{
    sac_pretrained_model *m = p->model->finder;
    const sac_detector *d = &m->detector;
    double begin = sac_now();
    *found = (sac_found){.queries = d->queries,
                         .classes = d->classes,
                         .grid_w = p->grid_w,
                         .grid_h = p->grid_h,
                         .layers = (size_t)m->layers,
                         .heads = (size_t)m->run.heads};
    sac_status status =
        allocate(found, p->count) ? run(p, found, error) : sac_no_memory(error, m->name);
    for (size_t i = 0; i < found->queries * (found->classes + 1) && status == SAC_OK; i++)
        if (!isfinite(found->logits[i]))
            status = sac_fail(error, SAC_E_VALUE, m->folder, "take a copy that is not damaged",
                              "the output is not finite; the weights may be corrupt");
    if (status != SAC_OK) {
        sac_found_free(found);
        return status;
    }
    memcpy(found->names, d->names, d->classes * sizeof *d->names);
    for (size_t i = 0; i < found->queries; i++)
        found->things[i] = read_thing(found, i);
    qsort(found->things, found->queries, sizeof *found->things, by_score);
    found->milliseconds = (sac_now() - begin) * 1e3;
    return SAC_OK;
}
