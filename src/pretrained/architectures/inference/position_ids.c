/* The positions that layers use, beside those that are added to words: tables by which
 * queries and keys are turned, biases of scores; and what heads are scaled by. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/error.h"

#define PI 3.14159265358979323846

/* Heads of ALiBi (Press et al. 2022) fall by a geometric series of slopes: 2^(−8/n), … for n heads,
 * n a power of 2; of other numbers those of the power below, and between them those of twice it. */
static double slope(int heads, int head)
{
    int power = 1;
    while (2 * power <= heads)
        power *= 2;
    double exponent =
        head < power ? -8.0 / power * (head + 1) : -4.0 / power * (2 * (head - power) + 1);
    return pow(2, exponent);
}

/* The row of a table of T5's kind: near distances have one each, and farther ones share them, by
 * their logarithm. */
static int bucket(const sac_relative *r, size_t query, size_t key)
{
    int buckets = r->looks_ahead ? r->buckets / 2 : r->buckets, near = buckets / 2;
    int behind = r->looks_ahead && key > query ? buckets : 0;
    size_t distance = key > query ? (r->looks_ahead ? key - query : 0) : query - key;
    if (distance < (size_t)near)
        return behind + (int)distance;
    float far = logf((float)distance / (float)near) / (float)log((double)r->max_distance / near) *
                (float)(buckets - near);
    int row = near + (int)far;
    return behind + (row < buckets ? row : buckets - 1);
}

float *sac_architecture_make_biases(const sac_pretrained_model *m, int layer, size_t first,
                                    size_t count, size_t shape[4])
{
    const sac_relative *r = &m->relative;
    /* To both sides a slope needs a row for each query; before it, what a whole row has in common makes no difference. */
    const bool falls_both_ways = !r->buckets && !m->run.causal;
    const size_t heads = (size_t)m->run.heads, keys = first + count;
    const size_t rows = r->buckets || falls_both_ways ? count : 1;
    const float *table = r->buckets ? r->numbers[r->table[layer] ? layer : 0] : NULL;
    float *numbers = malloc(heads * rows * keys * sizeof *numbers), *to = numbers;
    shape[0] = 1;
    shape[1] = heads;
    shape[2] = rows;
    shape[3] = keys;
    for (size_t head = 0; numbers && head < heads; head++)
        for (size_t row = 0; row < rows; row++)
            for (size_t key = 0; key < keys; key++) {
                const size_t query = first + row;
                const float place = falls_both_ways
                                        ? -(float)(key > query ? key - query : query - key)
                                        : (float)key;
                *to++ = table ? table[(size_t)bucket(r, query, key) * heads + head]
                              : (float)slope((int)heads, (int)head) * place;
            }
    return numbers;
}

/* The row of a table over the distances in a grid; token 0 is the class token. */
static size_t grid_bucket(int wide, int high, size_t query, size_t key)
{
    const size_t all = (size_t)(2 * high - 1) * (size_t)(2 * wide - 1), across = (size_t)wide;
    if (query == 0 || key == 0)
        return all + (query ? 1 : key ? 0 : 2);
    query--;
    key--;
    size_t down = query / across + (size_t)high - 1 - key / across;
    size_t right = query % across + across - 1 - key % across;
    return down * (2 * across - 1) + right;
}

/* To a grid of another size distances are interpolated as the positions of patches are. */
float *sac_architecture_make_grid_biases(const sac_pretrained_model *m, int layer,
                                         const sac_inference *p, size_t shape[4])
{
    const sac_relative *r = &m->relative;
    const sac_patch_grid *grid = &m->vision_encoder.trained;
    const sac_patch_grid from = {2 * grid->width - 1, 2 * grid->height - 1};
    const sac_patch_grid to = {2 * p->grid_w - 1, 2 * p->grid_h - 1};
    const size_t heads = (size_t)m->run.heads, T = p->count;
    const size_t known = (size_t)from.width * (size_t)from.height * heads;
    const size_t wanted = (size_t)to.width * (size_t)to.height * heads;
    const float *table = r->numbers[r->table[layer] ? layer : 0];
    float *spread = malloc((wanted + 3 * heads) * sizeof *spread), *to_fill;
    float *numbers = malloc(heads * T * T * sizeof *numbers);
    const size_t of[4] = {1, heads, T, T};
    memcpy(shape, of, sizeof of);
    bool done =
        spread && numbers &&
        sac_patch_positions(table, from, to, heads, SAC_SPREAD_LINEAR, spread, NULL) == SAC_OK;
    if (done)
        memcpy(spread + wanted, table + known, 3 * heads * sizeof *spread);
    to_fill = numbers;
    for (size_t head = 0; done && head < heads; head++)
        for (size_t query = 0; query < T; query++)
            for (size_t key = 0; key < T; key++)
                *to_fill++ = spread[grid_bucket(p->grid_w, p->grid_h, query, key) * heads + head];
    free(spread);
    if (done)
        return numbers;
    free(numbers);
    return NULL;
}

sac_status sac_architecture_read_bias_tables(sac_pretrained_model *m, sac_error *error)
{
    sac_relative *r = &m->relative;
    sac_status status = SAC_OK;
    for (int i = 0; i < m->layers && r->buckets && status == SAC_OK; i++) {
        if (!r->table[i])
            continue;
        sac_device_lock(m->device);
        r->numbers[i] = sac_model_read_parameter(m, r->table[i]);
        status = sac_model_end_pass(m, NULL, error);
    }
    return status;
}

static void write_and_free(sac_pretrained_model *m, sac_tensor table, float *numbers)
{
    if (numbers)
        sac_pass_write(&m->pass, table, numbers);
    else
        SAC_PASS_CALL(&m->pass, sac_no_memory(&m->pass.error, m->name));
    free(numbers);
}

/* The first half of the angles is of a patch's height. It is its row, or its middle lies between −1
 * and 1 in each axis. */
static void fill_patch_rotations(sac_pretrained_model *m, sac_tensor table, const sac_inference *p)
{
    size_t half = table.width / 2, quarter = half / 2, prefix = (size_t)p->prefix;
    float *numbers = malloc(table.rows * table.width * sizeof *numbers);
    for (size_t t = 0; numbers && t < table.rows; t++)
        for (size_t i = 0; i < half; i++) {
            size_t patch = t - prefix, across = (size_t)p->grid_w;
            double number = (double)(i < quarter ? patch / across : patch % across);
            double place = (number + 0.5) / (i < quarter ? p->grid_h : p->grid_w);
            double step = (double)(i % quarter) + (m->staggers_patches && i >= quarter ? 0.5 : 0);
            double turns = pow(m->rope.base, -step / (double)quarter);
            double around = m->counts_patches ? number : 2 * PI * (2 * place - 1);
            double angle = t < prefix ? 0 : around * turns;
            numbers[t * table.width + i] = (float)cos(angle);
            numbers[t * table.width + half + i] = (float)sin(angle);
        }
    write_and_free(m, table, numbers);
}

/* RT-DETR's: of D columns quarters of the sines and cosines of the row's number, and of the column's. */
static void fill_numbered_cells(sac_pretrained_model *m, sac_tensor table, const sac_inference *p)
{
    const size_t quarter = table.width / 4, across = (size_t)p->grid_w;
    float *numbers = malloc(table.rows * table.width * sizeof *numbers);
    for (size_t t = 0; numbers && t < table.rows; t++)
        for (size_t i = 0; i < 4 * quarter; i++) {
            const double number = (double)(i < 2 * quarter ? t / across : t % across);
            const double angle = number / pow(10000, (double)(i % quarter) / (double)quarter);
            numbers[t * table.width + i] = (float)(i / quarter % 2 ? cos(angle) : sin(angle));
        }
    write_and_free(m, table, numbers);
}

/* DETR's: a cell has the sines and cosines of its row in the first half of the columns, and of its
 * column in the second, each as a share of a whole turn, by ever slower frequencies. */
static void fill_cell_sinusoids(sac_pretrained_model *m, sac_tensor table, const sac_inference *p)
{
    const size_t half = table.width / 2, across = (size_t)p->grid_w;
    float *numbers = malloc(table.rows * table.width * sizeof *numbers);
    for (size_t t = 0; numbers && t < table.rows; t++)
        for (size_t i = 0; i < 2 * half; i++) {
            double share = i < half ? (double)(t / across + 1) / (p->grid_h + 1e-6)
                                    : (double)(t % across + 1) / (p->grid_w + 1e-6);
            double angle = 2 * PI * share / pow(10000, (double)(i % half / 2 * 2) / (double)half);
            numbers[t * table.width + i] = (float)(i % half % 2 ? cos(angle) : sin(angle));
        }
    write_and_free(m, table, numbers);
}

uint8_t *sac_architecture_make_window_mask(const sac_inference *p)
{
    size_t T = p->count, across = (size_t)p->grid_w, side = (size_t)p->model->square;
    uint8_t *beyond = malloc(T * T);
    for (size_t i = 0; beyond && i < T * T; i++) {
        size_t query = i / T, key = i % T;
        beyond[i] = query / across / side != key / across / side ||
                    query % across / side != key % across / side;
    }
    return beyond;
}

uint8_t *sac_architecture_make_block_mask(const int *ids, size_t T, sac_block block, size_t window)
{
    uint8_t *unseen = malloc(T * T + 1);
    size_t first = 0; /* of what stands before the first block and sees it, too */
    while (block.has_start && first < T && ids[first] != block.token)
        first++;
    for (size_t query = 0, end = 0; unseen && query < T; query++) {
        const bool is_inside =
            (window || !block.is_near) && (ids[query] == block.token || query < first);
        for (end = end > query ? end : query + 1; /* of what is seen: of the block it is in */
             is_inside && end < T && (ids[end] == block.token || end < first);)
            end++;
        for (size_t key = 0; key < T; key++)
            unseen[query * T + key] = key >= end || (window && key + window <= query);
    }
    return unseen;
}

/* Writes a mask [count,count], and frees it. */
static void build_mask(sac_pretrained_model *m, sac_arena *arena, sac_byte_tensor *table,
                       size_t count, uint8_t *unseen)
{
    sac_arena_shape_bytes(arena, &m->pass, table, count * count);
    if (unseen)
        sac_pass_write_bytes(&m->pass, *table, unseen);
    else
        SAC_PASS_CALL(&m->pass, sac_no_memory(&m->pass.error, m->name));
    free(unseen);
}

/* Layers with a window have the same one. */
static void build_block_masks(sac_pretrained_model *m, sac_arena *arena, sac_position_ids *placing,
                              const sac_inference *of)
{
    size_t window[2] = {0};
    for (int i = 0; i < m->layers; i++)
        window[1] = m->window[i] ? m->window[i] : window[1];
    for (int i = 0; i < (window[1] ? 2 : 1); i++)
        build_mask(m, arena, &placing->unseen[i], of->count,
                   sac_architecture_make_block_mask(of->ids, of->count, of->block, window[i]));
}

size_t sac_architecture_place_prompt(const sac_prompt *prompt, int *places)
{
    const sac_picture_part *grid = prompt->grids;
    int next = 0, seen = 0, longer = 0;
    for (size_t t = 0; t < prompt->count; t++, places += 3) {
        bool is_seen = prompt->ids[t] == prompt->picture;
        if (!is_seen && seen) {
            next += longer;
            seen = 0;
            grid++;
        }
        if (is_seen)
            longer = grid->grid_w > grid->grid_h ? grid->grid_w : grid->grid_h;
        places[0] = next;
        places[1] = next + (is_seen ? seen / grid->grid_w : 0);
        places[2] = next + (is_seen ? seen % grid->grid_w : 0);
        seen += is_seen;
        next += !is_seen;
    }
    return (size_t)(next + (seen ? longer : 0));
}

size_t sac_architecture_next_place(const sac_inference *p)
{
    return p->places ? p->next_place : p->count;
}

/* Which of time (0), row and column turns angle i. */
static int axis_of_angle(const sac_rope *rope, size_t i)
{
    const size_t *section = rope->section;
    if (rope->interleaves)
        return i % 3 && i < 3 * section[i % 3] ? (int)(i % 3) : 0;
    return i < section[0] ? 0 : i < section[0] + section[1] ? 1 : 2;
}

/* By time, row or column: some of the angles by each. */
static void fill_axis_rotations(sac_pretrained_model *m, sac_tensor table, const sac_rotary *rotary,
                                const int *places)
{
    size_t half = table.width / 2;
    float length = rotary->length > 0 ? rotary->length : 1;
    float *numbers = malloc(table.rows * table.width * sizeof *numbers);
    for (size_t t = 0; numbers && t < table.rows; t++)
        for (size_t i = 0; i < half; i++) {
            int axis = axis_of_angle(&m->rope, i);
            float angle = (float)places[3 * t + (size_t)axis] * rotary->frequency[i];
            numbers[t * table.width + i] = cosf(angle) * length;
            numbers[t * table.width + half + i] = sinf(angle) * length;
        }
    write_and_free(m, table, numbers);
}

static void build_rotary_table(sac_pretrained_model *m, sac_arena *arena, const sac_rope *rope,
                               sac_tensor *table, size_t first, size_t count)
{
    if (!rope->rotary.depth)
        return;
    const sac_rotary rotary = sac_architecture_rotary(rope, first + count);
    sac_arena_shape(arena, &m->pass, table, count, rotary.depth);
    sac_rotary_place(&m->pass, &rotary, *table, first);
}

void sac_architecture_scale_heads(sac_pretrained_model *m, sac_arena *arena,
                                  sac_position_ids *placing, int part, const float *scale)
{
    size_t layers = (size_t)m->layers, heads = (size_t)m->run.heads;
    if (!scale) {
        placing->scales[part] = (sac_tensor){0};
        return;
    }
    size_t width = 0;
    for (size_t i = 0; i < layers; i++) {
        const size_t own = m->layer[i].attention[part].out.w->value.width;
        width = own > width ? own : width;
    }
    float *numbers = calloc(layers * width, sizeof *numbers);
    for (size_t i = 0; numbers && i < layers; i++)
        for (size_t k = 0, own = m->layer[i].attention[part].out.w->value.width; k < own; k++)
            numbers[i * width + k] = scale[i * heads + k * heads / own];
    sac_arena_shape(arena, &m->pass, &placing->scales[part], layers, width);
    write_and_free(m, placing->scales[part], numbers);
}

/* The row, from 0, of a distance that is at least 0: those under half of the rows have one each, and
 * farther ones share them by their logarithm. */
static int distance_row(const sac_distance_table *d, size_t distance)
{
    double row = (double)distance;
    int near = d->rows / 2;
    if (d->max_distance && row > near) {
        float far = ceilf(logf((float)distance / (float)near) /
                          logf((float)(d->max_distance - 1) / (float)near) * (float)(near - 1));
        row = (double)far + near;
    }
    return row < d->rows ? (int)row : d->rows;
}

/* Vectors of the distances that a text of so many tokens has. */
static void build_distance_vectors(sac_pretrained_model *m, sac_arena *arena,
                                   sac_distances *distances, size_t count)
{
    const sac_distance_table *d = &m->distances;
    sac_pass *pass = &m->pass;
    int most = distance_row(d, count - 1), *rows = malloc((2 * count - 1) * sizeof *rows);
    size_t first = (size_t)(d->rows - most), last = (size_t)(d->rows + most), width = 0;
    last = last < (size_t)(2 * d->rows) ? last : (size_t)(2 * d->rows - 1);
    width = sac_architecture_part_width(m, 0, 0);
    if (!rows) {
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, m->name));
        return;
    }
    for (size_t i = 0; i < 2 * count - 1; i++) {
        bool is_behind = i + 1 < count; /* the key, and the distance is below 0 */
        int row = distance_row(d, is_behind ? count - 1 - i : i + 1 - count);
        row = is_behind ? d->rows - row : d->rows + row;
        row = row < (int)last ? row : (int)last;
        rows[i] = row - (int)first;
    }
    size_t used = last - first + 1;
    sac_arena_shape_ints(arena, pass, &distances->rows, 2 * count - 1);
    sac_arena_shape(arena, pass, &distances->vectors, used, m->width);
    sac_arena_shape(arena, pass, &distances->key, used, width);
    sac_arena_shape(arena, pass, &distances->query, used, width);
    sac_pass_write_ints(pass, distances->rows, rows);
    free(rows);
    const sac_tensor own = sac_tensor_rows(d->vectors->value, first, used);
    if (d->norm.gain)
        sac_layer_norm_forward(pass, &d->norm, distances->vectors, own);
    else
        sac_pass_copy(pass, distances->vectors, own);
    distances->scale = d->scale;
}

bool sac_architecture_has_distances(const sac_pretrained_model *m)
{
    return m->distances.vectors || m->conformer;
}

/* A conformer's vectors are waves: sine and cosine of the distance, by ever slower frequencies, in pairs; of all distances
 * from 1 − count on, in float32 as transformers computes their angles. */
static void build_distance_waves(sac_pretrained_model *m, sac_arena *arena,
                                 sac_distances *distances, size_t count)
{
    sac_pass *pass = &m->pass;
    const size_t all = 2 * count - 1, D = m->width;
    float *waves = malloc(all * D * sizeof *waves);
    int *rows = malloc(all * sizeof *rows);
    if (!waves || !rows)
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, m->name));
    for (size_t i = 0; waves && rows && i < all; i++)
        rows[i] = (int)i;
    for (size_t k = 0; waves && k < D; k++) {
        const float slow = (float)(1 / pow(10000, (double)(k / 2 * 2) / (double)D));
        for (size_t i = 0; i < all; i++) {
            const float angle = ((float)i - (float)(count - 1)) * slow;
            waves[i * D + k] = (float)(k % 2 ? cos((double)angle) : sin((double)angle));
        }
    }
    sac_arena_shape_ints(arena, pass, &distances->rows, all);
    sac_arena_shape(arena, pass, &distances->vectors, all, D);
    sac_arena_shape(arena, pass, &distances->key, all, sac_architecture_part_width(m, 0, 0));
    distances->query = distances->key; /* they meet no keys */
    distances->scale = m->distances.scale;
    if (waves && rows) {
        sac_pass_write_ints(pass, distances->rows, rows);
        sac_pass_write(pass, distances->vectors, waves);
    }
    free(waves);
    free(rows);
}

static void build_distances(sac_pretrained_model *m, sac_arena *arena, sac_distances *distances,
                            size_t count)
{
    (m->conformer ? build_distance_waves : build_distance_vectors)(m, arena, distances, count);
}

void sac_architecture_disentangle(sac_pretrained_model *m, int layer,
                                  const sac_distances *distances, float temperature,
                                  sac_tensor spare, sac_tensor query, sac_tensor key, sac_tensor b)
{
    const sac_transformer_layer *l = &m->layer[layer];
    sac_distances own = *distances;
    if (!sac_pass_runs(&m->pass))
        return;
    if (m->conformer) {
        own.scale /= temperature > 0 ? temperature : 1;
        sac_pass_copy(&m->pass, spare, query);
        sac_add_rows(&m->pass, spare, m->conformer->layer[layer].apart->value);
        query = spare;
    }
    sac_disentangle(&m->pass, &l->distance_key, &l->distance_query, (size_t)m->run.heads, &own,
                    query, key, b);
}

sac_status sac_architecture_distance_biases(sac_pretrained_model *m, int layer, float temperature,
                                            sac_tensor query, sac_tensor key, float *biases,
                                            sac_error *error)
{
    sac_arena arena = {0};
    sac_distances distances = {0};
    sac_tensor b = {0}, spare = {0};
    sac_device_lock(m->device);
    build_distances(m, &arena, &distances, query.rows);
    sac_arena_shape(&arena, &m->pass, &spare, query.rows, query.width);
    sac_arena_shape(&arena, &m->pass, &b, (size_t)m->run.heads * query.rows, query.rows);
    sac_architecture_disentangle(m, layer, &distances, temperature, spare, query, key, b);
    sac_pass_read(&m->pass, b, biases);
    return sac_model_end_pass(m, &arena, error);
}

void sac_architecture_build_positions(sac_pretrained_model *m, sac_arena *arena,
                                      sac_position_ids *placing, size_t first, size_t count,
                                      size_t most, const sac_inference *of)
{
    if (m->places_cells) {
        sac_arena_shape(arena, &m->pass, &placing->places, count, m->width);
        (m->places_by_number ? fill_numbered_cells : fill_cell_sinusoids)(m, placing->places, of);
        return;
    }
    if (m->turns_patches) {
        sac_arena_shape(arena, &m->pass, &placing->turns, count, m->rope.rotary.depth);
        fill_patch_rotations(m, placing->turns, of);
        if (m->square)
            build_mask(m, arena, &placing->beyond, of->count,
                       sac_architecture_make_window_mask(of));
        return;
    }
    if (of && of->block.token)
        build_block_masks(m, arena, placing, of);
    if (of && of->places) {
        const sac_rotary rotary = sac_architecture_rotary(&m->rope, of->next_place);
        sac_arena_shape(arena, &m->pass, &placing->turns, count, rotary.depth);
        fill_axis_rotations(m, placing->turns, &rotary, of->places);
        return;
    }
    build_rotary_table(m, arena, &m->rope, &placing->turns, first, count);
    build_rotary_table(m, arena, &m->local_rope, &placing->local, first, count);
    if (sac_architecture_has_distances(m)) {
        sac_arena_shape(arena, &m->pass, &placing->biases[0], (size_t)m->run.heads * count, count);
        build_distances(m, arena, &placing->distances, count);
        return;
    }
    if (!m->has_biases || m->relative.is_of_grid) /* of those each layer by itself */
        return;
    size_t shape[4], heads = (size_t)m->run.heads;
    for (int i = 0; i < m->layers; i++) {
        sac_tensor *biases = &placing->biases[i];
        if (i > 0 && !m->relative.table[i])
            continue;
        float *numbers = sac_architecture_make_biases(m, i, first, count, shape);
        sac_arena_shape(arena, &m->pass, biases, heads * shape[2], most);
        biases->width = shape[3];
        write_and_free(m, *biases, numbers);
    }
}

void sac_architecture_build_layer_biases(sac_pretrained_model *m, sac_arena *arena,
                                         sac_position_ids *placing, int layer,
                                         const sac_inference *picture)
{
    size_t shape[4];
    sac_tensor *biases = &placing->biases[0];
    if (!m->relative.is_of_grid || (layer > 0 && !m->relative.table[layer]))
        return;
    float *numbers = sac_architecture_make_grid_biases(m, layer, picture, shape);
    sac_arena_shape(arena, &m->pass, biases, shape[1] * shape[2], shape[3]);
    write_and_free(m, *biases, numbers);
}

static float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

void sac_architecture_gate_biases(sac_pretrained_model *m, sac_arena *arena,
                                  sac_position_ids *placing, int layer, sac_tensor x, float *gates)
{
    enum { HALF = 4 };
    sac_pass *pass = &m->pass;
    const sac_dense *gate = &m->relative.gate[layer];
    const size_t T = x.rows, H = (size_t)m->run.heads;
    sac_tensor *biases = &placing->biases[0];
    if (!gate->w)
        return;
    if (!placing->ungated.buffer) {
        placing->ungated = *biases;
        *biases = (sac_tensor){0};
    }
    sac_arena_shape(arena, pass, biases, placing->ungated.rows, placing->ungated.width);
    sac_arena_shape(arena, pass, &placing->normed, T, x.width);
    sac_arena_shape(arena, pass, &placing->opened, T * H, 2 * HALF);
    sac_arena_shape(arena, pass, &placing->factors, H * T, 1);
    if (m->run.norm_first) {
        sac_layer_norm_forward(pass, &m->layer[layer].norm[SAC_PART_SELF], placing->normed, x);
        x = placing->normed;
    }
    sac_linear_forward(pass, placing->opened, sac_tensor_shaped(x, T * H, x.width / H), gate->w,
                       gate->b);
    float *opened = malloc(T * H * 2 * HALF * sizeof *opened);
    float *by = sac_model_read_parameter(m, m->relative.gate_by[layer]);
    if (!opened || !by)
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, m->name));
    if (opened)
        sac_pass_read(pass, placing->opened, opened);
    for (size_t i = 0; opened && by && i < T * H; i++) {
        float sum[2] = {0};
        for (size_t k = 0; k < 2 * HALF; k++)
            sum[k / HALF] += opened[i * 2 * HALF + k];
        gates[i % H * T + i / H] = sigmoid(sum[0]) * (sigmoid(sum[1]) * by[i % H] - 1) + 2;
    }
    sac_pass_write(pass, placing->factors, gates);
    sac_scale_rows(pass, *biases, placing->ungated, placing->factors);
    free(opened);
    free(by);
}

/* ---------------------------------------------------------------- sinusoids
 * Positions that no file has to hold: sines in the first half of the columns and cosines in the second.
 *
 * As the original code of each has them: Marian's sines go down by a column of two, and fairseq's
 * from the first column of their half to the last. */
static float sinusoid_value(const sac_pretrained_model *m, size_t place, size_t column,
                            size_t width)
{
    bool is_marian = m->sinusoids == SAC_SINUSOIDS_OF_MARIAN;
    size_t sines = is_marian ? (width + 1) / 2 : width / 2;
    bool is_sine = column < sines;
    double at = (double)(is_sine ? column : column - sines);
    double angle = (double)place * (is_marian ? pow(10000, -2 * at / (double)width)
                                              : pow(10000, -at / (double)(sines - 1)));
    bool is_empty = !is_marian && (column >= 2 * sines || (int)place == m->padding);
    return is_empty ? 0 : (float)(is_sine ? sin(angle) : cos(angle));
}

typedef struct making {
    const sac_pretrained_model *m;
    float *table;
} making;

static sac_status provide_sinusoids(void *context, const sac_parameter *parameter,
                                    sac_parameter_numbers *numbers, sac_error *error)
{
    making *made = context;
    size_t width = parameter->shape[1];
    free(made->table);
    numbers->data = made->table = malloc(parameter->count * sizeof *made->table);
    if (!made->table)
        return sac_no_memory(error, parameter->name);
    for (size_t i = 0; i < parameter->count; i++)
        made->table[i] = sinusoid_value(made->m, i / width, i % width, width);
    return SAC_OK;
}

enum { FIRST_ROWS = 1024 }; /* more than a sentence that is generated has; a text may want more */

void sac_architecture_declare_sinusoids(sac_pretrained_model *m)
{
    size_t rows = m->max_positions < FIRST_ROWS ? m->max_positions : FIRST_ROWS;
    m->positions = sac_parameter_matrix(&m->made, "sinusoids", rows + m->first_place, m->width);
}

sac_status sac_architecture_make_sinusoids(sac_pretrained_model *m, sac_error *error)
{
    making made = {.m = m};
    sac_status status = sac_parameters_take(&m->made, m->device, provide_sinusoids, &made, error);
    free(made.table);
    return status;
}

sac_status sac_architecture_extend_positions(sac_pretrained_model *m, size_t places,
                                             sac_error *error)
{
    places += m->first_place;
    if (!m->made.count || places <= m->positions->shape[0])
        return SAC_OK;
    sac_parameters_destroy(&m->made);
    m->positions = sac_parameter_matrix(&m->made, "sinusoids", places, m->width);
    if (m->decoder)
        m->decoder->positions = m->positions;
    return sac_architecture_make_sinusoids(m, error);
}
