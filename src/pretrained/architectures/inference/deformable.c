/* Queries of RT-DETR (Zhao et al. 2024), whose attention to what was seen is deformable (Zhu et al. 2021): each head of
 * a query looks at a few points of each level around the query's box, by shares that follow from the query alone, and takes
 * what lies there between four cells. So each cell has a weight: the shares of the points that fall on it. The queries are
 * those cells of all levels that are most probably of a thing; each layer moves their boxes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/error.h"
#include "nn/attention/attention.h"
#include "nn/layers.h"

enum { LEVELS = SAC_PYRAMID_LEVELS };

typedef struct level {
    int width, height;
    size_t first; /* its first cell among all */
} level;

typedef struct run {
    const sac_inference *p;
    sac_pretrained_model *m; /* the finder */
    const sac_deformable *d;
    sac_result *result;
    level level[LEVELS];
    size_t Q, D, H, cells;   /* of all levels */
    sac_inference *q;        /* of the finder */
    sac_arena arena;         /* of all layers … */
    sac_tensor memory, x;    /* [cells,D], [Q,D] */
    float *boxes;            /* [Q,4]: middle x, middle y, width, height */
    float *values;           /* [cells,D] of a layer, on the host … */
    float *offsets, *shares; /* … [Q,H,LEVELS,points,2], [Q,H,LEVELS·points] … */
    float *found;            /* … and what was taken, [Q,D] */
} run;

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double inverse_sigmoid(double x)
{
    x = fmin(fmax(x, 0), 1);
    return log(fmax(x, 1e-5) / fmax(1 - x, 1e-5));
}

static sac_tensor linear(run *r, sac_arena *arena, sac_tensor x, const sac_dense *dense)
{
    sac_tensor y = {0};
    sac_arena_shape(arena, &r->m->pass, &y, x.rows, dense->w->shape[0]);
    sac_linear_forward(&r->m->pass, y, x, dense->w, dense->b);
    return y;
}

/* ---------------------------------------------------------------- which cells become queries */

/* The box that a cell stands for, as logits; false: it reaches too near to an edge of the picture, and is none. */
static bool find_anchor(const run *r, size_t cell, double anchor[4])
{
    int l = LEVELS - 1;
    while (cell < r->level[l].first)
        l--;
    const size_t at = cell - r->level[l].first, width = (size_t)r->level[l].width;
    const float box[] = {((float)(at % width) + 0.5f) / (float)width,
                         ((float)(at / width) + 0.5f) / (float)r->level[l].height,
                         0.05f * (float)(1 << l), 0.05f * (float)(1 << l)};
    bool is_one = true;
    for (int k = 0; k < 4; k++) {
        is_one = is_one && box[k] > 1e-2f && box[k] < 1 - 1e-2f;
        anchor[k] = log((double)box[k] / (1 - (double)box[k]));
    }
    return is_one;
}

typedef struct candidate {
    size_t cell;
    float score;
} candidate;

static int by_score(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return x->cell < y->cell ? -1 : 1;
}

/* The cells with the largest scores [cells,classes] of any class, in turn. */
static void rank_cells(const run *r, const float *scores, size_t classes, candidate *order)
{
    for (size_t i = 0; i < r->cells; i++) {
        order[i] = (candidate){i, -INFINITY};
        for (size_t k = 0; k < classes; k++)
            order[i].score = fmaxf(order[i].score, scores[i * classes + k]);
    }
    qsort(order, r->cells, sizeof *order, by_score);
}

/* r->x and r->boxes. */
static void choose_queries(run *r, const float *memory)
{
    sac_pass *pass = &r->m->pass;
    const size_t D = r->D, N = r->cells, classes = r->m->detector.classes;
    sac_arena arena = {0};
    sac_tensor masked = {0};
    double anchor[4];
    float *rows = malloc(N * D * sizeof *rows), *scores = malloc(N * classes * sizeof *scores);
    float *boxes = malloc(4 * N * sizeof *boxes);
    candidate *order = malloc(N * sizeof *order);
    if (!rows || !scores || !boxes || !order)
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, r->m->name));
    sac_arena_shape(&arena, pass, &masked, N, D);
    for (size_t i = 0; i < N && rows; i++)
        if (find_anchor(r, i, anchor))
            memcpy(rows + i * D, memory + i * D, D * sizeof *rows);
        else
            memset(rows + i * D, 0, D * sizeof *rows);
    if (rows && scores && boxes && order) {
        sac_pass_write(pass, masked, rows);
        sac_tensor x = linear(r, &arena, masked, &r->d->entry);
        sac_layer_norm_forward(pass, &r->d->entry_norm, x, x);
        sac_pass_read(pass, x, rows);
        sac_pass_read(pass, linear(r, &arena, x, &r->d->score), scores);
        sac_pass_read(pass, sac_perceptron_forward(pass, &arena, x, &r->d->box), boxes);
        rank_cells(r, scores, classes, order);
        for (size_t q = 0; q < r->Q; q++) {
            const size_t cell = order[q].cell;
            const bool is_one = find_anchor(r, cell, anchor);
            for (int k = 0; k < 4; k++)
                r->boxes[4 * q + (size_t)k] =
                    is_one ? (float)sigmoid((double)boxes[4 * cell + (size_t)k] + anchor[k]) : 1;
            sac_pass_write(pass, sac_tensor_rows(r->x, q, 1), rows + cell * D);
        }
    }
    sac_arena_release(&arena);
    free(rows);
    free(scores);
    free(boxes);
    free(order);
}

/* ---------------------------------------------------------------- deformable attention */

/* A point of a level with a share: what lies there is added to `found` [d], the share to the cells that it falls on,
 * each within the cell of the coarsest level that has it. */
static void take_point(const run *r, int l, double x, double y, double share, const float *values,
                       size_t depth, float *found, float *map)
{
    const level *of = &r->level[l];
    const double left = floor(x), above = floor(y);
    for (int corner = 0; corner < 4; corner++) {
        const double cx = left + corner % 2, cy = above + corner / 2; /* may be far outside */
        const double part = (1 - fabs(x - cx)) * (1 - fabs(y - cy)) * share;
        if (!(cx >= 0 && cy >= 0 && cx < of->width && cy < of->height))
            continue;
        const size_t column = (size_t)cx, row = (size_t)cy;
        const float *value = values + (of->first + row * (size_t)of->width + column) * r->D;
        for (size_t k = 0; k < depth; k++)
            found[k] += (float)(part * (double)value[k]);
        const int finer = LEVELS - 1 - l;
        map[(row >> finer) * (size_t)r->p->grid_w + (column >> finer)] += (float)part;
    }
}

static void softmax(float *x, size_t count)
{
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, (double)x[i]);
    for (size_t i = 0; i < count; i++)
        sum += exp((double)x[i] - most);
    for (size_t i = 0; i < count; i++)
        x[i] = (float)(exp((double)x[i] - most) / sum);
}

/* What each head of each query takes into r->found, and where it looks into maps [H,Q,grid]. */
static void sample_values(run *r, float *maps)
{
    const size_t points = r->d->points, depth = r->D / r->H, each = LEVELS * points;
    const size_t grid = (size_t)r->p->grid_w * (size_t)r->p->grid_h;
    memset(r->found, 0, r->Q * r->D * sizeof *r->found);
    for (size_t q = 0; q < r->Q; q++)
        for (size_t h = 0; h < r->H; h++) {
            float *shares = r->shares + (q * r->H + h) * each;
            const float *box = r->boxes + 4 * q;
            softmax(shares, each);
            for (size_t i = 0; i < each; i++) {
                const float *offset = r->offsets + 2 * ((q * r->H + h) * each + i);
                const level *of = &r->level[i / points];
                double at[2];
                for (int k = 0; k < 2; k++)
                    at[k] = ((double)box[k] + (double)offset[k] / (double)points *
                                                  (double)box[2 + k] * (double)r->d->reach) *
                                (k ? of->height : of->width) -
                            0.5;
                take_point(r, (int)(i / points), at[0], at[1], (double)shares[i],
                           r->values + h * depth, depth, r->found + q * r->D + h * depth,
                           maps + (h * r->Q + q) * grid);
            }
        }
}

/* ---------------------------------------------------------------- layers */

/* x ← norm(x + y). */
static void add_and_norm(run *r, const sac_layer_norm *norm, sac_tensor y)
{
    sac_add(&r->m->pass, r->x, y);
    sac_layer_norm_forward(&r->m->pass, norm, r->x, r->x);
}

/* x + the places of the boxes. */
static sac_tensor place_queries(run *r, sac_arena *arena, sac_tensor places)
{
    sac_tensor placed = {0};
    sac_arena_shape(arena, &r->m->pass, &placed, r->Q, r->D);
    sac_pass_copy(&r->m->pass, placed, r->x);
    sac_add(&r->m->pass, placed, places);
    return placed;
}

static void attend_to_queries(run *r, sac_arena *arena, const sac_transformer_layer *layer,
                              sac_tensor places, sac_multihead_tensors *t)
{
    const sac_multihead *self = &layer->attention[SAC_PART_SELF];
    const sac_attention_layer attention = {.spec = {.heads = (int)r->H}, .batch = 1};
    const sac_tensor placed = place_queries(r, arena, places);
    sac_attention_tensors all = {.query = linear(r, arena, placed, &self->query),
                                 .key = linear(r, arena, placed, &self->key),
                                 .value = linear(r, arena, r->x, &self->value)};
    sac_arena_shape(arena, &r->m->pass, &all.output, r->Q, r->D);
    sac_arena_shape(arena, &r->m->pass, &all.stats, r->H * r->Q, 2);
    sac_attention_layer_forward(&r->m->pass, &attention, &all);
    *t = (sac_multihead_tensors){.query = all.query, .key = all.key, .value = all.value};
    add_and_norm(r, &layer->norm[SAC_PART_SELF], linear(r, arena, all.output, &self->out));
}

static void attend_to_cells(run *r, sac_arena *arena, const sac_deformable_layer *layer,
                            sac_tensor places, float *maps)
{
    sac_pass *pass = &r->m->pass;
    const sac_tensor placed = place_queries(r, arena, places);
    sac_tensor found = {0};
    sac_arena_shape(arena, pass, &found, r->Q, r->D);
    sac_pass_read(pass, linear(r, arena, placed, &layer->offsets), r->offsets);
    sac_pass_read(pass, linear(r, arena, placed, &layer->shares), r->shares);
    sac_pass_read(pass, linear(r, arena, r->memory, &layer->value), r->values);
    if (pass->status == SAC_OK)
        sample_values(r, maps);
    sac_pass_write(pass, found, r->found);
    add_and_norm(r, &layer->norm, linear(r, arena, found, &layer->out));
}

static void move_boxes(run *r, sac_arena *arena, const sac_perceptron *head)
{
    float *moved = r->offsets; /* which are over */
    sac_pass_read(&r->m->pass, sac_perceptron_forward(&r->m->pass, arena, r->x, head), moved);
    for (size_t i = 0; i < 4 * r->Q; i++)
        r->boxes[i] = (float)sigmoid((double)moved[i] + inverse_sigmoid((double)r->boxes[i]));
}

static sac_status run_layer(run *r, int i, sac_error *error)
{
    sac_pretrained_model *m = r->m;
    sac_pass *pass = &m->pass;
    const sac_transformer_layer *layer = &m->layer[i];
    const size_t grid = (size_t)r->p->grid_w * (size_t)r->p->grid_h;
    float *own =
        r->result->attentions->kind[SAC_DECODER_ATTENTION].weights + (size_t)i * r->H * r->Q * r->Q;
    float *cross =
        r->result->attentions->kind[SAC_CROSS_ATTENTION].weights + (size_t)i * r->H * r->Q * grid;
    const sac_transformer_run settings = sac_pretrained_model_run_settings(m, i, NULL);
    sac_arena arena = {0};
    sac_tensor boxes = {0};
    sac_multihead_tensors t;
    sac_attention *attention = NULL;
    sac_device_lock(m->device);
    sac_arena_shape(&arena, pass, &boxes, r->Q, 4);
    sac_pass_write(pass, boxes, r->boxes);
    const sac_tensor places = sac_perceptron_forward(pass, &arena, boxes, &r->d->place);
    attend_to_queries(r, &arena, layer, places, &t);
    attend_to_cells(r, &arena, &r->d->layer[i], places, cross);
    sac_tensor hidden = linear(r, &arena, r->x, &layer->in);
    sac_activate(pass, hidden, m->run.activation);
    add_and_norm(r, &layer->norm[SAC_PART_FORWARD], linear(r, &arena, hidden, &layer->out));
    move_boxes(r, &arena, &r->d->layer[i].box);
    if (i == m->layers - 1)
        sac_pass_read(pass, linear(r, &arena, r->x, &r->d->layer[i].classify), r->result->logits);
    sac_status status = sac_model_end_pass(m, NULL, error);
    if (status == SAC_OK)
        status = sac_inference_attention_from_tensors(r->q, i, SAC_PART_SELF, &settings, &t, NULL,
                                                      &attention, error);
    for (size_t h = 0; h < r->H && status == SAC_OK; h++)
        status = sac_attention_tile(attention, &(sac_tile){.head = h, .rows = r->Q, .cols = r->Q},
                                    own + h * r->Q * r->Q, error);
    sac_attention_destroy(attention);
    sac_device_lock(m->device);
    sac_arena_release(&arena);
    sac_device_unlock(m->device);
    return status;
}

/* ---------------------------------------------------------------- all of it */

static sac_status start(run *r, sac_error *error)
{
    sac_pretrained_model *m = r->m;
    const sac_inference *p = r->p;
    for (int l = 0; l < LEVELS; l++) {
        r->level[l] =
            (level){p->grid_w << (LEVELS - 1 - l), p->grid_h << (LEVELS - 1 - l), r->cells};
        r->cells += (size_t)r->level[l].width * (size_t)r->level[l].height;
    }
    const size_t numbers = r->Q * r->H * LEVELS * r->d->points;
    float *memory = malloc(r->cells * r->D * sizeof *memory);
    r->values = malloc(r->cells * r->D * sizeof *r->values);
    r->offsets = malloc((2 * numbers + 4 * r->Q) * sizeof *r->offsets);
    r->shares = malloc(numbers * sizeof *r->shares);
    r->found = malloc(r->Q * r->D * sizeof *r->found);
    sac_status status = memory && r->values && r->offsets && r->shares && r->found
                            ? sac_inference_create(m, r->Q, &r->q, error)
                            : sac_no_memory(error, m->name);
    if (status == SAC_OK && r->Q > r->cells)
        status = sac_fail(error, SAC_E_SHAPE, "picture", "give a larger one",
                          "has %zu cells, of which %s takes %zu", r->cells, m->name, r->Q);
    if (status == SAC_OK) {
        sac_device_lock(m->device);
        sac_pyramid_join(p->model->pyramid, &p->model->pass, p->finer, p->left, (size_t)p->grid_h,
                         (size_t)p->grid_w, memory);
        status = sac_model_end_pass(p->model, NULL, error);
    }
    if (status == SAC_OK) {
        sac_device_lock(m->device);
        sac_arena_shape(&r->arena, &m->pass, &r->memory, r->cells, r->D);
        sac_arena_shape(&r->arena, &m->pass, &r->x, r->Q, r->D);
        sac_pass_write(&m->pass, r->memory, memory);
        choose_queries(r, memory);
        status = sac_model_end_pass(m, NULL, error);
    }
    free(memory);
    return status;
}

sac_status sac_deformable_find(const sac_inference *p, sac_result *result, float *boxes,
                               sac_error *error)
{
    sac_pretrained_model *m = p->model->finder;
    run r = {.p = p,
             .m = m,
             .d = m->deformable,
             .result = result,
             .Q = m->detector.queries,
             .D = m->width,
             .H = (size_t)m->run.heads,
             .boxes = boxes};
    sac_status status = start(&r, error);
    for (int i = 0; i < m->layers && status == SAC_OK; i++)
        status = run_layer(&r, i, error);
    sac_inference_free(r.q);
    sac_device_lock(m->device);
    sac_arena_release(&r.arena);
    sac_device_unlock(m->device);
    free(r.values);
    free(r.offsets);
    free(r.shares);
    free(r.found);
    return status;
}
