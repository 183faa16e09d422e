/* Heads that attend inside of windows of a grid. Cells are gathered window by window, so that
 * windows are the items of a batch; where some reach around an edge of the grid, a few kinds of them
 * have masks of their own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/error.h"
#include "nn/layers.h"
#include "saccade_cl.h"

#define APART (-100.0f) /* added to the scores of parts that do not see each other, as in Swin */

enum { ROWS = 1 << 14 }; /* cells whose queries, or hidden units, are there at a time */

/* ---------------------------------------------------------------- windows of a grid */

static sac_status make_windows(size_t width, size_t height, size_t side, size_t shift,
                               sac_windows *w, sac_error *error)
{
    size_t across = (width + side - 1) / side, down = (height + side - 1) / side, at = 0;
    *w = (sac_windows){
        .side = side, .cells = side * side, .shift = shift, .grid_cells = width * height};
    w->cell = malloc(across * down * w->cells * sizeof *w->cell);
    w->place = malloc(w->grid_cells * sizeof *w->place);
    if (!w->cell || !w->place)
        return sac_no_memory(error, "picture");
    for (size_t kind = 0; kind < SAC_WINDOW_KINDS; kind++) {
        for (size_t n = 0; n < across * down; n++) {
            const size_t edges = (n % across == across - 1) + 2 * (size_t)(n / across == down - 1);
            if (kind != (shift ? edges : 0))
                continue;
            for (size_t i = 0; i < w->cells; i++, at++) {
                size_t x = (n % across * side + i % side + shift) % (across * side);
                size_t y = (n / across * side + i / side + shift) % (down * side);
                bool inside = x < width && y < height;
                w->cell[at] = (int)(inside ? y * width + x : w->grid_cells);
                if (inside)
                    w->place[y * width + x] = (int)at;
            }
        }
        w->first[kind + 1] = at / w->cells;
    }
    return SAC_OK;
}

size_t sac_windows_count(const sac_windows *w)
{
    return w->first[SAC_WINDOW_KINDS];
}

const sac_windows *sac_windows_of(const sac_inference *p, int layer)
{
    return &p->windows[layer % 2];
}

/* The part of a window that a cell of it lies in. */
static size_t shifted_window_part(const sac_windows *w, size_t kind, size_t cell)
{
    size_t right = (kind & 1) && cell % w->side >= w->side - w->shift;
    size_t below = (kind & 2) && cell / w->side >= w->side - w->shift;
    return right + 2 * below;
}

sac_status sac_windows_create(sac_inference *p, sac_error *error)
{
    const sac_pretrained_model *m = p->model;
    size_t side = m->stage.window, width = (size_t)p->grid_w, height = (size_t)p->grid_h;
    size_t shorter = width < height ? width : height;
    /* Where there is but one row or column of windows, nothing is moved. */
    size_t shift = m->stage.shifts && shorter > side ? side / 2 : 0;
    sac_status status = SAC_OK;
    if (p->windows)
        return SAC_OK;
    if (m->stage.shifts && shorter < side)
        return sac_fail(error, SAC_E_SHAPE, "picture",
                        "give a larger one, or one that is nearer to a square",
                        "stage %d of %s has %zu x %zu cells of it, less than a window of %zu",
                        m->stage.number, m->name, width, height, side);
    p->windows = calloc(2, sizeof *p->windows);
    if (!p->windows)
        return sac_no_memory(error, m->name);
    status = make_windows(width, height, side, 0, &p->windows[0], error);
    if (status == SAC_OK)
        status = make_windows(width, height, side, shift, &p->windows[1], error);
    size_t rows = status == SAC_OK ? sac_windows_count(&p->windows[0]) * side * side : 0;
    for (int i = 0; i < m->layers && p->keeps; i++)
        for (int k = 0; k < 3 && status == SAC_OK; k++)
            status = sac_buffer_create(m->device, rows * m->width * sizeof(float), NULL,
                                       &p->layer[i].part[k], error);
    return status;
}

void sac_windows_free(sac_inference *p)
{
    for (int i = 0; p->windows && i < 2; i++) {
        free(p->windows[i].cell);
        free(p->windows[i].place);
    }
    free(p->windows);
}

/* What is added to the scores of a layer's windows of one kind, [H,cells,cells]; false: nothing is. */
static bool fill_score_bias(const sac_windows *w, size_t kind, const float *table, size_t heads,
                            float *added)
{
    size_t span = 2 * w->side - 1;
    if (!table && !kind)
        return false;
    for (size_t h = 0; h < heads; h++)
        for (size_t q = 0; q < w->cells; q++)
            for (size_t k = 0; k < w->cells; k++) {
                size_t dy = q / w->side + w->side - 1 - k / w->side;
                size_t dx = q % w->side + w->side - 1 - k % w->side;
                bool apart = shifted_window_part(w, kind, q) != shifted_window_part(w, kind, k);
                *added++ = (table ? table[(dy * span + dx) * heads + h] : 0) + (apart ? APART : 0);
            }
    return true;
}

/* ---------------------------------------------------------------- a layer */

typedef struct passage {
    sac_pretrained_model *m;
    const sac_inference *p;
    int layer;
    sac_arena arena;
    sac_tensor x, normed; /* [n,D]; [n + 1,D], whose last row is 0 */
    sac_tensor rows;      /* [windows·cells,D]: what the heads give, projected */
    sac_ints cell, place; /* of the windows */
    sac_tensor gathered, heads, stats, hidden, part[3];
    sac_tensor added; /* [H·cells,cells] of a kind */
} passage;

/* Windows first … of one kind. `added`: what r->added has is added to scores. */
static void attend(passage *r, const sac_windows *w, size_t first, size_t count, bool added,
                   sac_tensor scales)
{
    sac_pretrained_model *m = r->m;
    sac_pass *pass = &m->pass;
    const sac_multihead *a = &m->layer[r->layer].attention[SAC_PART_SELF];
    const sac_dense *const made[] = {&a->query, &a->key, &a->value};
    size_t D = m->width, H = (size_t)m->run.heads, rows = count * w->cells;
    sac_tensor part[3];
    sac_arena_shape(&r->arena, pass, &r->gathered, rows, D);
    sac_arena_shape(&r->arena, pass, &r->heads, rows, D);
    sac_arena_shape(&r->arena, pass, &r->stats, rows * H, 2);
    sac_gather_rows(pass, r->gathered, r->normed, sac_ints_from(r->cell, first * w->cells, rows));
    for (int k = 0; k < 3; k++) {
        cl_mem kept = r->p->layer[r->layer].part[k]; /* or they are there until the next come */
        if (!kept)
            sac_arena_shape(&r->arena, pass, &r->part[k], rows, D);
        part[k] = kept ? (sac_tensor){kept, (cl_uint)(first * w->cells * D), rows, D} : r->part[k];
        sac_linear_forward(pass, part[k], r->gathered, made[k]->w, made[k]->b);
    }
    const sac_attention_layer layer = {.spec = {.heads = m->run.heads},
                                       .batch = count,
                                       .mask = added ? r->added.buffer : NULL,
                                       .mask_is_float = true,
                                       .mask_shape = {1, H, w->cells, w->cells}};
    const sac_attention_tensors tensors = {
        .query = part[0], .key = part[1], .value = part[2], .output = r->heads, .stats = r->stats};
    sac_attention_layer_forward(pass, &layer, &tensors);
    if (scales.buffer)
        sac_scale_columns(pass, r->heads, scales);
    sac_linear_forward(pass, sac_tensor_rows(r->rows, first * w->cells, rows), r->heads, a->out.w,
                       a->out.b);
}

/* x += attention(norm(x)) */
static void run_heads(passage *r, sac_tensor scales)
{
    sac_pretrained_model *m = r->m;
    sac_pass *pass = &m->pass;
    const sac_windows *w = sac_windows_of(r->p, r->layer);
    size_t D = m->width, n = r->x.rows, H = (size_t)m->run.heads,
           all = sac_windows_count(w) * w->cells;
    size_t most = ROWS / w->cells ? ROWS / w->cells : 1;
    float *added = malloc(H * w->cells * w->cells * sizeof *added);
    float *table = sac_model_read_parameter(m, m->stage.bias[r->layer]);
    if (!added)
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, m->name));
    sac_arena_shape(&r->arena, pass, &r->added, H * w->cells, w->cells);
    sac_arena_shape(&r->arena, pass, &r->rows, all, D);
    sac_arena_shape_ints(&r->arena, pass, &r->cell, all);
    sac_arena_shape_ints(&r->arena, pass, &r->place, n);
    sac_pass_write_ints(pass, r->cell, w->cell);
    sac_pass_write_ints(pass, r->place, w->place);
    sac_layer_norm_forward(pass, &m->layer[r->layer].norm[SAC_PART_SELF],
                           sac_tensor_rows(r->normed, 0, n), r->x);
    /* The largest piece comes first, whose memory the others use. */
    for (size_t kind = 0; kind < SAC_WINDOW_KINDS && sac_pass_runs(pass); kind++) {
        size_t first = w->first[kind], end = w->first[kind + 1];
        bool adds = first < end && fill_score_bias(w, kind, table, H, added);
        if (adds)
            sac_pass_write(pass, r->added, added);
        for (size_t count; first < end; first += count) {
            count = end - first < most ? end - first : most;
            attend(r, w, first, count, adds, scales);
        }
    }
    sac_gather_rows(pass, sac_tensor_rows(r->normed, 0, n), r->rows, r->place);
    sac_add(pass, r->x, sac_tensor_rows(r->normed, 0, n));
    free(table);
    free(added);
}

/* x += down(activation(up(norm(x)))) */
static void run_feed_forward(passage *r, const sac_layer_norm *norm, const sac_dense *up,
                             const sac_dense *down)
{
    sac_pass *pass = &r->m->pass;
    size_t n = r->x.rows;
    sac_layer_norm_forward(pass, norm, sac_tensor_rows(r->normed, 0, n), r->x);
    for (size_t first = 0, count; first < n; first += count) {
        count = n - first < ROWS ? n - first : ROWS;
        sac_arena_shape(&r->arena, pass, &r->hidden, count, up->w->shape[0]);
        sac_linear_forward(pass, r->hidden, sac_tensor_rows(r->normed, first, count), up->w, up->b);
        sac_activate(pass, r->hidden, r->m->run.activation);
        sac_linear_bounded(pass, sac_tensor_rows(r->x, first, count), r->hidden, down->w, down->b,
                           true, 0);
    }
}

/* x += each channel's convolution of it */
static void add_depthwise_convolution(passage *r, const sac_near *near)
{
    sac_pretrained_model *m = r->m;
    size_t C = m->width, n = r->x.rows;
    const sac_depthwise layer = {1, (size_t)r->p->grid_h, (size_t)r->p->grid_w, C, 3, 1, 0};
    float *weights = sac_model_read_parameter(m, near->w), *turned = malloc(9 * C * sizeof *turned);
    sac_parameter w = {.shape = {3, 3, C}, .count = 9 * C};
    if (!turned)
        SAC_PASS_CALL(&m->pass, sac_no_memory(&m->pass.error, m->name));
    for (size_t i = 0; weights && turned && i < 9 * C; i++)
        turned[i % 9 * C + i / 9] = weights[i];
    sac_arena_shape(&r->arena, &m->pass, &w.value, 9, C);
    if (turned)
        sac_pass_write(&m->pass, w.value, turned);
    sac_depthwise_forward(&m->pass, &layer, sac_tensor_rows(r->normed, 0, n), r->x, &w, near->b);
    sac_add(&m->pass, r->x, sac_tensor_rows(r->normed, 0, n));
    free(weights);
    free(turned);
}

/* Keeps each row's weights of its own group. */
static void store_channel_weights(passage *r, const float *weights, size_t C, size_t groups)
{
    size_t each = C / groups;
    float **kept = &r->p->layer[r->layer].channels;
    free(*kept);
    *kept = malloc(C * each * sizeof **kept);
    if (!*kept)
        SAC_PASS_CALL(&r->m->pass, sac_no_memory(&r->m->pass.error, r->m->name));
    for (size_t i = 0; *kept && i < C; i++)
        memcpy(*kept + i * each, weights + i * C + i / each * each, each * sizeof **kept);
}

/* Scores [C,C] of channels → weights: a softmax of each row over the channels of its group; 0 for the others. */
static void softmax_channel_scores(float *scores, size_t C, size_t groups, double scale)
{
    size_t each = C / groups;
    for (size_t i = 0; i < C; i++) {
        float *row = scores + i * C, *own = row + i / each * each, most = own[0];
        double sum = 0;
        for (size_t j = 1; j < each; j++)
            most = own[j] > most ? own[j] : most;
        for (size_t j = 0; j < C; j++)
            if (j / each != i / each)
                row[j] = 0;
        for (size_t j = 0; j < each; j++) {
            own[j] = (float)exp(scale * (double)(own[j] - most));
            sum += (double)own[j];
        }
        for (size_t j = 0; j < each; j++)
            own[j] = (float)(own[j] / sum);
    }
}

/* x += out(values · weightsᵀ), where channels are queries and keys: each is a row of all cells. */
static void run_channels(passage *r, const sac_channels *c)
{
    sac_pretrained_model *m = r->m;
    sac_pass *pass = &m->pass;
    size_t C = m->width, n = r->x.rows;
    sac_parameter scores = {.shape = {C, C}, .count = C * C};
    sac_arena arena = {0};
    sac_tensor query = {0}, key = {0}, normed = sac_tensor_rows(r->normed, 0, n);
    float *numbers = malloc(C * C * sizeof *numbers);
    if (!numbers)
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, m->name));
    sac_arena_shape(&arena, pass, &query, n, C);
    sac_arena_shape(&arena, pass, &key, n, C);
    sac_arena_shape(&arena, pass, &scores.value, C, C);
    scores.gradient = scores.value;
    sac_layer_norm_forward(pass, &c->norm[0], normed, r->x);
    sac_linear_forward(pass, query, normed, c->query.w, c->query.b);
    sac_linear_forward(pass, key, normed, c->key.w, c->key.b);
    sac_linear_backward_weights(pass, query, key, &scores, NULL); /* queryᵀ · key */
    if (numbers) {
        sac_pass_read(pass, scores.value, numbers);
        softmax_channel_scores(numbers, C, c->groups, 1 / sqrt((double)n));
        if (r->p->keeps)
            store_channel_weights(r, numbers, C, c->groups);
        sac_pass_write(pass, scores.value, numbers);
    }
    sac_linear_forward(pass, query, normed, c->value.w, c->value.b);
    sac_linear_forward(pass, key, query, &scores, NULL);
    sac_linear_bounded(pass, r->x, key, c->out.w, c->out.b, true, 0);
    sac_arena_release(&arena);
    free(numbers);
}

void sac_windows_run_layer(const sac_inference *p, int layer, sac_tensor x, sac_tensor scales)
{
    sac_pretrained_model *m = p->model;
    const sac_transformer_layer *l = &m->layer[layer];
    const sac_channels *c = m->stage.channels ? &m->stage.channels[layer] : NULL;
    passage r = {.m = m, .p = p, .layer = layer, .x = x};
    sac_arena_shape(&r.arena, &m->pass, &r.normed, x.rows + 1, x.width);
    if (c)
        add_depthwise_convolution(&r, &c->near[0]);
    run_heads(&r, scales);
    if (c)
        add_depthwise_convolution(&r, &c->near[1]);
    run_feed_forward(&r, &l->norm[SAC_PART_FORWARD], &l->in, &l->out);
    if (c) {
        add_depthwise_convolution(&r, &c->near[2]);
        run_channels(&r, c);
        add_depthwise_convolution(&r, &c->near[3]);
        run_feed_forward(&r, &c->norm[1], &c->up, &c->down);
    }
    sac_arena_release(&r.arena);
}

/* ---------------------------------------------------------------- heads that are looked at */

struct sac_window_heads {
    const sac_inference *p;
    int layer;
    sac_attention *kind[SAC_WINDOW_KINDS]; /* NULL: there are no such windows */
    size_t head;
    float *weights; /* [windows·cells,cells] of that head … */
    bool has;       /* … that are there */
};

static sac_cl_array part_array(const sac_inference *p, int layer, int k, const sac_windows *w,
                               size_t kind)
{
    return (sac_cl_array){.buffer = p->layer[layer].part[k],
                          .rank = 3,
                          .shape = {w->first[kind + 1] - w->first[kind], w->cells, p->model->width},
                          .offset = w->first[kind] * w->cells * p->model->width};
}

static sac_status create_kind_attention(sac_window_heads *h, size_t kind, const float *table,
                                        float *added, sac_error *error)
{
    sac_pretrained_model *m = h->p->model;
    const sac_windows *w = sac_windows_of(h->p, h->layer);
    const size_t shape[] = {1, (size_t)m->run.heads, w->cells, w->cells};
    const sac_attention_spec spec = {.heads = m->run.heads};
    const sac_cl_input input = {part_array(h->p, h->layer, 0, w, kind),
                                part_array(h->p, h->layer, 1, w, kind),
                                part_array(h->p, h->layer, 2, w, kind)};
    if (w->first[kind] == w->first[kind + 1])
        return SAC_OK;
    if (!fill_score_bias(w, kind, table, shape[1], added))
        return sac_attention_create_cl(m->device, &spec, &input, NULL, &h->kind[kind], error);
    const sac_array mask = sac_array_view(SAC_F32, 4, shape, added);
    const sac_attention_input others = {.attn_mask = &mask};
    return sac_attention_create_cl(m->device, &spec, &input, &others, &h->kind[kind], error);
}

sac_status sac_window_heads_create(const sac_inference *p, int layer, sac_window_heads **heads,
                                   sac_error *error)
{
    sac_pretrained_model *m = p->model;
    const sac_windows *w = sac_windows_of(p, layer);
    sac_window_heads *h = *heads = calloc(1, sizeof *h);
    size_t numbers = sac_windows_count(w) * w->cells * w->cells;
    float *added = malloc((size_t)m->run.heads * w->cells * w->cells * sizeof *added);
    sac_device_lock(m->device);
    float *table = sac_model_read_parameter(m, m->stage.bias[layer]);
    sac_status status = sac_model_end_pass(m, NULL, error);
    if (h) {
        *h = (sac_window_heads){
            .p = p, .layer = layer, .weights = malloc(numbers * sizeof *h->weights)};
    }
    if (status == SAC_OK && (!h || !h->weights || !added))
        status = sac_no_memory(error, m->name);
    for (size_t kind = 0; kind < SAC_WINDOW_KINDS && status == SAC_OK; kind++)
        status = create_kind_attention(h, kind, table, added, error);
    free(table);
    free(added);
    if (status != SAC_OK) {
        sac_window_heads_destroy(h);
        *heads = NULL;
    }
    return status;
}

void sac_window_heads_destroy(sac_window_heads *h)
{
    if (!h)
        return;
    for (int i = 0; i < SAC_WINDOW_KINDS; i++)
        sac_attention_destroy(h->kind[i]);
    free(h->weights);
    free(h);
}

int sac_window_heads_layer(const sac_window_heads *h)
{
    return h->layer;
}

sac_status sac_window_heads_compute(sac_window_heads *h, size_t head, const float **weights,
                                    sac_error *error)
{
    const sac_windows *w = sac_windows_of(h->p, h->layer);
    float *to = h->weights;
    sac_status status = SAC_OK;
    *weights = h->weights;
    if (h->has && h->head == head)
        return SAC_OK;
    h->has = false;
    for (size_t kind = 0; kind < SAC_WINDOW_KINDS; kind++)
        for (size_t n = w->first[kind]; n < w->first[kind + 1] && status == SAC_OK; n++) {
            const sac_tile tile = {n - w->first[kind], head, 0, w->cells, 0, w->cells};
            status = sac_attention_tile(h->kind[kind], &tile, to, error);
            to += w->cells * w->cells;
        }
    h->head = head;
    h->has = status == SAC_OK;
    return status;
}

sac_status sac_window_heads_tile(sac_window_heads *h, const sac_tile *tile, float *weights,
                                 sac_error *error)
{
    const sac_windows *w = sac_windows_of(h->p, h->layer);
    const float *of_head;
    sac_status status = sac_window_heads_compute(h, tile->head, &of_head, error);
    memset(weights, 0, tile->rows * tile->cols * sizeof *weights);
    for (size_t r = 0; r < tile->rows && status == SAC_OK; r++, weights += tile->cols) {
        size_t at = (size_t)w->place[tile->row + r];
        const int *cell = w->cell + at / w->cells * w->cells;
        for (size_t k = 0; k < w->cells; k++) {
            size_t column = (size_t)cell[k] - tile->col; /* of those before it a large number */
            if ((size_t)cell[k] < w->grid_cells && column < tile->cols)
                weights[column] = of_head[at * w->cells + k];
        }
    }
    return status;
}

bool sac_window_hides(const sac_inference *p, int layer, size_t query, size_t key)
{
    const sac_windows *w = sac_windows_of(p, layer);
    size_t q = (size_t)w->place[query], k = (size_t)w->place[key], kind = 0;
    if (q / w->cells != k / w->cells)
        return true;
    while (q / w->cells >= w->first[kind + 1])
        kind++;
    return shifted_window_part(w, kind, q % w->cells) != shifted_window_part(w, kind, k % w->cells);
}
