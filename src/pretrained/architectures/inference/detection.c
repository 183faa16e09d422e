/* Finds things in a picture that was seen: the queries of a model of DETR's kind go through its
 * decoder, and become classes and boxes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/clock.h"
#include "base/error.h"
#include "nn/layers.h"

/* What is read from each layer. */
enum { OWN_QUERY, OWN_KEY, QUERY, KEY, PARTS };

typedef struct finding {
    const sac_inference *p;
    sac_pretrained_model *m; /* the finder */
    size_t queries, cells;
    sac_arena arena;
    sac_tensor x, memory, normed; /* [queries,D], [cells,D], [queries,D] */
    sac_tensor logits, hidden[2], boxes;
    sac_transformer_tensors tensors;
    float *parts; /* [layers,PARTS,max(queries,cells),D] */
} finding;

bool sac_inference_finds(const sac_inference *p)
{
    return p->grid_w && p->model->finder;
}

static float *part_of(const finding *f, size_t layer, int part)
{
    size_t most = f->queries > f->cells ? f->queries : f->cells;
    return f->parts + (layer * PARTS + (size_t)part) * most * f->m->width;
}

/* ---------------------------------------------------------------- forward */

static void run_layers(finding *f)
{
    sac_pretrained_model *m = f->m;
    sac_pass *pass = &m->pass;
    const sac_multihead_tensors *t = f->tensors.attention;
    sac_position_ids placing = {0};
    sac_architecture_place(f->p->model, &f->arena, &placing, 0, f->cells, f->cells, f->p);
    for (int i = 0; i < m->layers && sac_pass_runs(pass); i++) {
        sac_transformer_run run = sac_pretrained_model_run(m, i, NULL);
        run.places = m->detector.places->value;
        run.memory_places = placing.places;
        sac_transformer_layer_shape(pass, &f->arena, &m->layer[i], &run, f->queries, f->cells,
                                    &f->tensors);
        f->x =
            sac_transformer_layer_forward(pass, &m->layer[i], &run, f->x, f->memory, &f->tensors);
        const sac_tensor parts[PARTS] = {t[SAC_PART_SELF].query, t[SAC_PART_SELF].key,
                                         t[SAC_PART_CROSS].query, t[SAC_PART_CROSS].key};
        for (int k = 0; k < PARTS; k++)
            sac_pass_read(pass, parts[k], part_of(f, (size_t)i, k));
        if (m->detector.norms_each || i == m->layers - 1) {
            sac_layer_norm_forward(pass, &m->last_norm, f->normed, f->x);
            f->x = f->normed;
        }
    }
    if (m->detector.norms_each) /* and once more at the end */
        sac_layer_norm_forward(pass, &m->last_norm, f->x, f->x);
}

static void apply(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_dense *d)
{
    sac_linear_forward(pass, y, x, d->w, d->b);
}

static void name_detections(finding *f, sac_found *found)
{
    sac_pass *pass = &f->m->pass;
    const sac_detector *d = &f->m->detector;
    apply(pass, f->logits, f->x, &d->classify);
    apply(pass, f->hidden[0], f->x, &d->box[0]);
    sac_relu_forward(pass, f->hidden[0]);
    apply(pass, f->hidden[1], f->hidden[0], &d->box[1]);
    sac_relu_forward(pass, f->hidden[1]);
    apply(pass, f->boxes, f->hidden[1], &d->box[2]);
    sac_activate(pass, f->boxes, SAC_SIGMOID);
    sac_pass_read(pass, f->logits, found->logits);
    sac_pass_read(pass, f->boxes, found->boxes);
}

static sac_status run(finding *f, sac_found *found, sac_error *error)
{
    sac_pretrained_model *m = f->m;
    sac_pass *pass = &m->pass;
    sac_device_lock(m->device);
    sac_arena_shape(&f->arena, pass, &f->x, f->queries, m->width); /* zeros */
    sac_arena_shape(&f->arena, pass, &f->memory, f->cells, m->width);
    sac_arena_shape(&f->arena, pass, &f->normed, f->queries, m->width);
    sac_arena_shape(&f->arena, pass, &f->logits, f->queries, found->classes + 1);
    sac_arena_shape(&f->arena, pass, &f->boxes, f->queries, 4);
    for (int i = 0; i < 2; i++)
        sac_arena_shape(&f->arena, pass, &f->hidden[i], f->queries, m->width);
    sac_pass_write(pass, f->memory, f->p->left);
    run_layers(f);
    name_detections(f, found);
    sac_status status = sac_pass_end(pass, error);
    sac_arena_release(&f->arena);
    sac_device_unlock(m->device);
    return status;
}

/* ---------------------------------------------------------------- weights */

sac_status sac_architecture_weigh(const sac_pretrained_model *m, const float *query,
                                  const float *key, size_t steps, size_t positions, float *weights,
                                  sac_error *error)
{
    const size_t width = m->width, heads = (size_t)m->run.heads;
    const size_t asked[] = {steps, width}, looked[] = {positions, width};
    sac_array queries = sac_array_view(SAC_F32, 2, asked, query);
    sac_array keys = sac_array_view(SAC_F32, 2, looked, key);
    const sac_attention_spec spec = {.heads = m->run.heads};
    const sac_attention_input input = {.query = &queries, .key = &keys, .value = &keys};
    sac_attention *attention = NULL;
    sac_status status = sac_attention_create(m->device, &spec, &input, &attention, error);
    for (size_t head = 0; head < heads && status == SAC_OK; head++) {
        sac_tile tile = {.head = head, .rows = steps, .cols = positions};
        status = sac_attention_tile(attention, &tile, weights + head * steps * positions, error);
    }
    sac_attention_destroy(attention);
    return status;
}

static sac_status weigh_all(const finding *f, sac_found *found, sac_error *error)
{
    const size_t Q = f->queries, cells = f->cells, heads = found->heads;
    sac_status status = SAC_OK;
    for (size_t i = 0; i < found->layers && status == SAC_OK; i++) {
        status = sac_architecture_weigh(f->m, part_of(f, i, OWN_QUERY), part_of(f, i, OWN_KEY), Q,
                                        Q, found->own + i * heads * Q * Q, error);
        if (status == SAC_OK)
            status = sac_architecture_weigh(f->m, part_of(f, i, QUERY), part_of(f, i, KEY), Q,
                                            cells, found->looks + i * heads * Q * cells, error);
    }
    return status;
}

/* ---------------------------------------------------------------- all of it */

static bool allocate(finding *f, sac_found *found)
{
    const size_t Q = f->queries, maps = found->layers * found->heads;
    const size_t most = Q > f->cells ? Q : f->cells;
    found->things = calloc(Q, sizeof *found->things);
    found->names = calloc(found->classes, sizeof *found->names);
    found->logits = calloc(Q * (found->classes + 1), sizeof *found->logits);
    found->boxes = calloc(4 * Q, sizeof *found->boxes);
    found->looks = calloc(maps * Q * f->cells, sizeof *found->looks);
    found->own = calloc(maps * Q * Q, sizeof *found->own);
    f->parts = calloc(found->layers * PARTS * most * f->m->width, sizeof *f->parts);
    return found->things && found->names && found->logits && found->boxes && found->looks &&
           found->own && f->parts;
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
    finding f = {.p = p, .m = m, .queries = d->queries, .cells = p->count};
    double begin = sac_now();
    *found = (sac_found){.queries = d->queries,
                         .classes = d->classes,
                         .grid_w = p->grid_w,
                         .grid_h = p->grid_h,
                         .layers = (size_t)m->layers,
                         .heads = (size_t)m->run.heads};
    sac_status status = allocate(&f, found) ? run(&f, found, error) : sac_no_memory(error, m->name);
    if (status == SAC_OK)
        status = weigh_all(&f, found, error);
    free(f.parts);
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
