/* Heads and layers brought to one map, and what is found out about a map. */

#include "sources/reduce.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sources/source.h"

const char *const sac_reduce_names[SAC_REDUCE_COUNT] = {"none", "mean", "max", "min", "rollout"};

const char *sac_reduce_name(sac_reduce reduce)
{
    return (unsigned)reduce < SAC_REDUCE_COUNT ? sac_reduce_names[reduce] : "?";
}

bool sac_reduce_from_name(const char *name, sac_reduce *reduce)
{
    for (int i = 0; i < SAC_REDUCE_COUNT; i++)
        if (strcmp(name, sac_reduce_names[i]) == 0) {
            *reduce = (sac_reduce)i;
            return true;
        }
    return false;
}

void sac_reduce_head(sac_reduce reduce, size_t index, size_t heads, const float *weights,
                     size_t count, float *total)
{
    float share = 1.0f / (float)heads;
    bool mean = reduce == SAC_REDUCE_MEAN || reduce == SAC_REDUCE_ROLLOUT;
    if (index == 0)
        for (size_t i = 0; i < count; i++)
            total[i] = mean ? weights[i] * share : weights[i];
    else if (mean)
        for (size_t i = 0; i < count; i++)
            total[i] += weights[i] * share;
    else if (reduce == SAC_REDUCE_MAX)
        for (size_t i = 0; i < count; i++)
            total[i] = weights[i] > total[i] ? weights[i] : total[i];
    else if (reduce == SAC_REDUCE_MIN)
        for (size_t i = 0; i < count; i++)
            total[i] = weights[i] < total[i] ? weights[i] : total[i];
}

/* next[i,:] += a · below[j,:] */
static void add_scaled(float *into, const float *row, float a, size_t n)
{
    for (size_t k = 0; k < n; k++)
        into[k] += a * row[k];
}

void sac_rollout_layer(const float *attention, const float *below, size_t n, float *next)
{
    memset(next, 0, n * n * sizeof *next);
    for (size_t i = 0; i < n; i++) {
        double sum = 1; /* the identity's */
        for (size_t j = 0; j < n; j++)
            sum += attention[i * n + j];
        for (size_t j = 0; j < n; j++) {
            float a = (float)((attention[i * n + j] + (i == j ? 1.0 : 0.0)) / sum);
            if (!below)
                next[i * n + j] = a;
            else if (a != 0)
                add_scaled(next + i * n, below + j * n, a, n);
        }
    }
}

/* The larger by magnitude. */
static float stronger(float a, float b)
{
    return fabsf(b) > fabsf(a) ? b : a;
}

/* Rows 1 … rows−1 go into row 0: whole rows at a time, so that the compiler can use vectors. */
static void pool_rows(float *weights, size_t rows, size_t cols, sac_pool pool)
{
    for (size_t r = 1; r < rows; r++) {
        const float *row = weights + r * cols;
        if (pool == SAC_POOL_MEAN)
            for (size_t c = 0; c < cols; c++)
                weights[c] += row[c];
        else
            for (size_t c = 0; c < cols; c++)
                weights[c] = stronger(weights[c], row[c]);
    }
}

void sac_weights_pool(float *weights, size_t rows, size_t cols, sac_pool pool, size_t out_rows,
                      size_t out_cols, float *pooled)
{
    for (size_t r = 0; r < out_rows; r++) {
        size_t top = r * rows / out_rows, height = (r + 1) * rows / out_rows - top;
        float *band = weights + top * cols;
        pool_rows(band, height, cols, pool);
        for (size_t o = 0; o < out_cols; o++) {
            size_t from = o * cols / out_cols, to = (o + 1) * cols / out_cols;
            float total = band[from];
            for (size_t c = from + 1; c < to; c++)
                total = pool == SAC_POOL_MEAN ? total + band[c] : stronger(total, band[c]);
            pooled[r * out_cols + o] =
                pool == SAC_POOL_MEAN ? total / (float)(height * (to - from)) : total;
        }
    }
}

void sac_weights_mask_prefix(float *weights, size_t rows, size_t cols, size_t prefix)
{
    prefix = prefix < cols ? prefix : cols;
    for (size_t r = 0; r < rows; r++, weights += cols) {
        double sum = 0;
        for (size_t c = prefix; c < cols; c++)
            sum += weights[c];
        memset(weights, 0, prefix * sizeof *weights);
        for (size_t c = prefix; c < cols; c++)
            weights[c] = sum > 0 ? (float)(weights[c] / sum) : 0.0f;
    }
}

/* ---------------------------------------------------------------- a map in a few figures */

sac_status sac_weights_scan_begin(sac_weights_scan *scan, size_t rows, size_t columns,
                                  size_t row_step, sac_error *error)
{
    *scan = (sac_weights_scan){
        .stats = {.rows = rows,
                  .columns = columns,
                  .row_step = row_step ? row_step : 1,
                  .low = FLT_MAX,
                  .high = -FLT_MAX},
        .column_low = malloc((columns + 1) * sizeof(float)),
        .column_high = malloc((columns + 1) * sizeof(float)),
    };
    if (!scan->column_low || !scan->column_high) {
        sac_weights_scan_free(scan);
        return sac_fail(error, SAC_E_MEMORY, "map", NULL, "out of memory for %zu columns", columns);
    }
    return SAC_OK;
}

void sac_weights_scan_free(sac_weights_scan *scan)
{
    free(scan->column_low);
    free(scan->column_high);
    scan->column_low = scan->column_high = NULL;
}

static void scan_columns(sac_weights_scan *scan, const float *weights)
{
    size_t columns = scan->stats.columns;
    float *low = scan->column_low, *high = scan->column_high;
    if (scan->rows_read == 0) {
        memcpy(low, weights, columns * sizeof *low);
        memcpy(high, weights, columns * sizeof *high);
        return;
    }
    for (size_t c = 0; c < columns; c++) {
        low[c] = weights[c] < low[c] ? weights[c] : low[c];
        high[c] = weights[c] > high[c] ? weights[c] : high[c];
    }
}

static void scan_finish(sac_weights_scan *scan)
{
    sac_weights_stats *stats = &scan->stats;
    double rows = (double)scan->rows_read;
    /* The first row has no key before it, the last none after. */
    double neighbours = rows > 1 ? rows - 1 : 1;
    stats->entropy = (float)(scan->entropy / rows);
    stats->distance = (float)(scan->distance / rows);
    stats->self = (float)(scan->self / rows);
    stats->previous = (float)(scan->previous / neighbours);
    stats->next = (float)(scan->next / neighbours);
    stats->first = (float)(scan->first / rows);
    for (size_t c = 0; c < stats->columns; c++) {
        float low = scan->column_low[c], high = scan->column_high[c];
        stats->low = low < stats->low ? low : stats->low;
        stats->high = high > stats->high ? high : stats->high;
        stats->spread = high - low > stats->spread ? high - low : stats->spread;
    }
}

void sac_weights_scan_row(sac_weights_scan *scan, const float *weights)
{
    sac_weights_stats *stats = &scan->stats;
    scan_columns(scan, weights);
    scan->entropy += sac_entropy(weights, stats->columns);
    scan->first += weights[0];
    if (stats->rows == stats->columns) {
        size_t i = scan->next_row, columns = scan->stats.columns;
        double distance = 0;
        for (size_t j = 0; j < columns; j++)
            distance += weights[j] * fabs((double)i - (double)j);
        scan->distance += distance;
        scan->self += weights[i];
        scan->previous += i > 0 ? weights[i - 1] : 0;
        scan->next += i + 1 < columns ? weights[i + 1] : 0;
    }
    scan->rows_read++;
    scan->next_row += stats->row_step;
    if (scan->next_row >= stats->rows) {
        scan->next_row = stats->rows;
        scan_finish(scan);
    }
}

bool sac_weights_are_constant(const sac_weights_stats *stats)
{
    return stats->rows > 1 && stats->spread < SAC_SAME_ROWS;
}

char *sac_weights_caption(const sac_weights_stats *stats, bool brief, char *text, size_t size)
{
    const struct {
        const char *name, *brief;
        float weight;
    } kinds[] = {{"previous token", "prev", stats->previous},
                 {"itself", "self", stats->self},
                 {"next token", "next", stats->next},
                 {"first token", "first", stats->first}};
    int best = 0;
    for (int i = 1; i < 4; i++)
        best = kinds[i].weight > kinds[best].weight ? i : best;
    float possible = log2f((float)stats->columns);
    /* A third of the weight on one place, and three times what chance gives it, is a habit. */
    if (kinds[best].weight >= 0.33f && kinds[best].weight * (float)stats->columns >= 3)
        snprintf(text, size, "%s %.2f", brief ? kinds[best].brief : kinds[best].name,
                 (double)kinds[best].weight);
    else if (brief)
        snprintf(text, size, "%.1f bits", (double)stats->entropy);
    else
        snprintf(text, size, "%s %.1f of %.1f bits",
                 stats->entropy > 0.98f * possible ? "uniform," : "mean entropy",
                 (double)stats->entropy, (double)possible);
    return text;
}
