/* Points of a history of heads, and the weights of one as a source. */
#include "models/head_history.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sources/heads/reduce.h"

/* The maps of all points together take so much memory: where there is no room, every second one goes. */
static const size_t KEPT_BYTES = (size_t)48 << 20;
enum { KEPT_LEAST = 4, KEPT_MOST = 128 };

/* ---------------------------------------------------------------- scores */

static sac_status measure_head(const sac_attention_kind *a, const float *weights, float *scores,
                               sac_error *error)
{
    sac_weights_scan scan;
    sac_status status = sac_weights_scan_begin(&scan, a->steps, a->positions, 1,
                                               (const char *const *)a->position_labels.text, error);
    if (status != SAC_OK)
        return status;
    for (size_t i = 0; i < a->steps; i++)
        sac_weights_scan_row(&scan, weights + i * a->positions);
    for (int k = 0; k < SAC_TRAINING_KINDS; k++)
        scores[k] = sac_weights_score(&scan.stats, sac_training_kinds[k]);
    sac_weights_scan_free(&scan);
    return SAC_OK;
}

sac_status sac_heads_measure(const sac_attention_kind *a, float *scores, sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t i = 0; i < a->layers * a->heads && status == SAC_OK; i++)
        status = measure_head(a, a->weights + i * a->steps * a->positions,
                              scores + i * SAC_TRAINING_KINDS, error);
    return status;
}

/* ---------------------------------------------------------------- points */

static size_t scores_of_point(const sac_training_heads *h)
{
    return h->layers * h->heads * SAC_TRAINING_KINDS;
}

static sac_status grow_history(sac_head_history *h, size_t points, sac_error *error)
{
    sac_training_heads *to = &h->heads;
    if (points <= h->room)
        return SAC_OK;
    const size_t room = points > 2 * h->room ? points : 2 * h->room;
    size_t *at = realloc(to->at, room * sizeof *at);
    to->at = at ? at : to->at;
    float *score = realloc(to->score, room * scores_of_point(to) * sizeof *score);
    to->score = score ? score : to->score;
    bool *is_kept = realloc(to->kept, room * sizeof *is_kept);
    to->kept = is_kept ? is_kept : to->kept;
    sac_kept_heads *kept = realloc(h->kept, room * sizeof *kept);
    h->kept = kept ? kept : h->kept;
    if (!at || !score || !is_kept || !kept)
        return sac_no_memory(error, "heads");
    h->room = room;
    return SAC_OK;
}

static void forget_maps(sac_head_history *h, size_t point)
{
    free(h->kept[point].maps);
    free(h->kept[point].sample);
    h->kept[point] = (sac_kept_heads){0};
    h->heads.kept[point] = false;
}

/* Leaves maps of so many points that the last one has room, too. */
static void drop_surplus_maps(sac_head_history *h)
{
    const sac_training_heads *heads = &h->heads;
    const size_t bytes =
        heads->layers * heads->heads * heads->tokens * heads->tokens * sizeof(float);
    size_t most = KEPT_BYTES / bytes;
    most = most < KEPT_LEAST ? KEPT_LEAST : most > KEPT_MOST ? KEPT_MOST : most;
    if (heads->points && (heads->points - 1) % h->stride)
        forget_maps(h, heads->points - 1);
    size_t kept = 0;
    for (size_t i = 0; i < heads->points; i++)
        kept += heads->kept[i];
    if (kept < most)
        return;
    h->stride *= 2;
    for (size_t i = 0; i < heads->points; i++)
        if (i % h->stride)
            forget_maps(h, i);
}

sac_status sac_head_history_add(sac_head_history *h, size_t step, const float *scores,
                                sac_attention_kind *a, const char *sample, sac_error *error)
{
    sac_training_heads *heads = &h->heads;
    if (heads->points && (heads->layers != a->layers || heads->heads != a->heads))
        return sac_fail(error, SAC_E_SHAPE, "heads", NULL, "are %zu × %zu, not %zu × %zu",
                        a->layers, a->heads, heads->layers, heads->heads);
    heads->layers = a->layers;
    heads->heads = a->heads;
    heads->tokens = a->steps;
    h->stride = h->stride ? h->stride : 1;
    char *written = strdup(sample);
    sac_status status =
        written ? grow_history(h, heads->points + 1, error) : sac_no_memory(error, "heads");
    if (status != SAC_OK) {
        free(written);
        return status;
    }
    drop_surplus_maps(h);
    const size_t point = heads->points++;
    heads->at[point] = step;
    memcpy(heads->score + point * scores_of_point(heads), scores,
           scores_of_point(heads) * sizeof *scores);
    h->kept[point] = (sac_kept_heads){a->weights, written};
    heads->kept[point] = true;
    a->weights = NULL;
    if (!h->labels.count) {
        h->labels = a->position_labels;
        a->position_labels = (sac_labels){0};
    }
    return SAC_OK;
}

sac_status sac_head_history_restore(sac_head_history *h, size_t layers, size_t heads, size_t points,
                                    const size_t *at, const float *score, sac_error *error)
{
    h->heads.layers = layers;
    h->heads.heads = heads;
    h->stride = 1;
    sac_status status = grow_history(h, points, error);
    for (size_t i = 0; i < points && status == SAC_OK; i++) {
        h->heads.kept[i] = false;
        h->kept[i] = (sac_kept_heads){0};
    }
    if (status == SAC_OK) { /* of a file, where numbers lie anywhere */
        memcpy(h->heads.at, at, points * sizeof *at);
        memcpy(h->heads.score, score, points * scores_of_point(&h->heads) * sizeof *score);
        h->heads.points = points;
    }
    return status;
}

void sac_head_history_free(sac_head_history *h)
{
    for (size_t i = 0; i < h->heads.points; i++)
        forget_maps(h, i);
    free(h->kept);
    free(h->heads.at);
    free(h->heads.score);
    free(h->heads.kept);
    sac_labels_free(&h->labels);
    *h = (sac_head_history){0};
}

/* ---------------------------------------------------------------- a point as a source */

typedef struct moment_weights {
    size_t heads, tokens;
    float maps[]; /* [layers,heads,T,T] */
} moment_weights;

static sac_status read_tile(void *self, size_t layer, const sac_tile *tile, float *weights,
                            sac_error *error)
{
    const moment_weights *m = self;
    const float *map = m->maps + (layer * m->heads + tile->head) * m->tokens * m->tokens;
    (void)error;
    for (size_t r = 0; r < tile->rows; r++)
        memcpy(weights + r * tile->cols, map + (tile->row + r) * m->tokens + tile->col,
               tile->cols * sizeof *weights);
    return SAC_OK;
}

static sac_status pool_tile(void *self, size_t layer, const sac_tile *tile, sac_pool pool,
                            size_t out_rows, size_t out_cols, float *pooled, sac_error *error)
{
    float *weights = malloc(tile->rows * tile->cols * sizeof *weights);
    if (!weights)
        return sac_no_memory(error, "heads");
    sac_status status = read_tile(self, layer, tile, weights, error);
    sac_weights_pool(weights, tile->rows, tile->cols, pool, out_rows, out_cols, pooled);
    free(weights);
    return status;
}

static sac_status open_weights(const sac_head_history *h, size_t point, sac_source *source,
                               sac_error *error)
{
    const sac_training_heads *heads = &h->heads;
    const size_t count = heads->layers * heads->heads * heads->tokens * heads->tokens;
    moment_weights *m = malloc(sizeof *m + count * sizeof *m->maps);
    if (!m)
        return sac_no_memory(error, "heads");
    m->heads = heads->heads;
    m->tokens = heads->tokens;
    memcpy(m->maps, h->kept[point].maps, count * sizeof *m->maps);
    *source = (sac_source){.self = m,
                           .destroy = free,
                           .weights = {.layers = heads->layers,
                                       .batch = 1,
                                       .heads = heads->heads,
                                       .steps = heads->tokens,
                                       .positions = heads->tokens,
                                       .made.mask = "causal",
                                       .tile = read_tile,
                                       .pool = pool_tile,
                                       .masked = sac_mask_later}};
    snprintf(source->title, sizeof source->title, "step %zu", heads->at[point]);
    sac_status status = sac_labels_copy(&h->labels, &source->weights.step_labels, error);
    return status == SAC_OK ? sac_labels_copy(&h->labels, &source->weights.position_labels, error)
                            : status;
}

sac_status sac_head_history_moment(const sac_head_history *h, size_t step,
                                   sac_training_moment *moment, sac_error *error)
{
    const sac_training_heads *heads = &h->heads;
    size_t best = SIZE_MAX, away = SIZE_MAX;
    for (size_t i = 0; i < heads->points; i++) {
        const size_t apart = heads->at[i] > step ? heads->at[i] - step : step - heads->at[i];
        if (heads->kept[i] && apart < away) {
            best = i;
            away = apart;
        }
    }
    *moment = (sac_training_moment){0};
    if (best == SIZE_MAX)
        return sac_fail(error, SAC_E_ARGUMENT, "heads", NULL, "of no step are kept");
    moment->step = heads->at[best];
    snprintf(moment->sample, sizeof moment->sample, "%s", h->kept[best].sample);
    moment->heads = calloc(1, sizeof *moment->heads);
    sac_status status =
        moment->heads ? open_weights(h, best, moment->heads, error) : sac_no_memory(error, "heads");
    if (status != SAC_OK)
        sac_training_moment_free(moment);
    return status;
}
