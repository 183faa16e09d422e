/* A part of the weights, or figures of their rows. */
#include "cli/commands/attend_part.h"

#include <stdlib.h>
#include <string.h>

#include "attention/run/figures.h"
#include "base/error.h"
#include "base/text/numbers.h"
#include "base/text/printable.h"
#include "sources/heads/reduce.h"

#define AT_ONCE ((size_t)1 << 26) /* weights between two looks at whether to stop */

typedef struct cli_head_figures {
    size_t batch, head;
    sac_weights_stats stats;
} cli_head_figures;

bool cli_attend_part_wanted(const cli_attend_part *part)
{
    return part->figures || part->rows_text || part->columns_text;
}

static sac_status parse_range_option(const char *option, const char *text, size_t count,
                                     size_t *from, size_t *size, sac_error *error)
{
    char remedy[96];
    *from = 0;
    *size = count;
    if (!text || sac_range_read(text, count, from, size, NULL))
        return SAC_OK;
    snprintf(remedy, sizeof remedy, "give the first and the one behind the last, such as 0:%zu",
             count);
    return sac_fail(error, SAC_E_ARGUMENT, option, remedy, "\"%.60s\" is no part of %zu", text,
                    count);
}

sac_status cli_attend_part_parse(cli_attend_part *part, const sac_attention_shape *shape,
                                 sac_error *error)
{
    sac_status status = parse_range_option("--rows", part->rows_text, shape->queries, &part->row,
                                           &part->rows, error);
    if (status == SAC_OK)
        status = parse_range_option("--columns", part->columns_text, shape->keys, &part->column,
                                    &part->columns, error);
    return status;
}

/* One more array of the results. */
static sac_status add_result_array(cli_attend_part *part, const char *name, sac_dtype dtype,
                                   int rank, const size_t *shape, void *numbers, sac_error *error)
{
    sac_array *array = &part->arrays[part->count];
    sac_status status = sac_array_create(dtype, rank, shape, array, error);
    if (status == SAC_OK) {
        part->names[part->count++] = name;
        *(void **)numbers = array->data;
    }
    return status;
}

static sac_status report_progress(const sac_progress *progress, double done, sac_error *error)
{
    if (!progress->step || progress->step(progress->user, done))
        return SAC_OK;
    return sac_fail(error, SAC_E_CANCELLED, "attention", NULL, "stopped on request");
}

/* ---------------------------------------------------------------- weights */

static sac_status compute_weights(cli_attend_part *part, sac_attention *attention,
                                  const sac_progress *progress, sac_error *error)
{
    const sac_attention_shape *s = sac_attention_get_shape(attention);
    size_t shape[] = {s->batch, s->heads, part->rows, part->columns}, pair[] = {2};
    size_t matrices = s->batch * s->heads, step = AT_ONCE / s->keys + 1;
    float *weights = NULL, *lse = NULL;
    int64_t *rows = NULL, *columns = NULL;
    sac_status status = add_result_array(part, "weights", SAC_F32, 4, shape, &weights, error);
    if (status == SAC_OK)
        status = add_result_array(part, "lse", SAC_F32, 3, shape, &lse, error);
    if (status == SAC_OK)
        status = add_result_array(part, "rows", SAC_I64, 1, pair, &rows, error);
    if (status == SAC_OK)
        status = add_result_array(part, "columns", SAC_I64, 1, pair, &columns, error);
    if (status == SAC_OK) {
        rows[0] = (int64_t)part->row;
        rows[1] = (int64_t)(part->row + part->rows);
        columns[0] = (int64_t)part->column;
        columns[1] = (int64_t)(part->column + part->columns);
    }
    for (size_t m = 0; m < matrices && status == SAC_OK; m++)
        for (size_t r = 0; r < part->rows && status == SAC_OK; r += step) {
            size_t count = part->rows - r < step ? part->rows - r : step;
            sac_tile tile = {m / s->heads, m % s->heads, part->row + r,
                             count,        part->column, part->columns};
            size_t line = m * part->rows + r;
            status = sac_attention_tile(attention, &tile, weights + line * part->columns, error);
            if (status == SAC_OK)
                status = sac_attention_lse(attention, &tile, lse + line, error);
            if (status == SAC_OK)
                status = report_progress(
                    progress, (double)(line + count) / (double)(matrices * part->rows), error);
        }
    return status;
}

/* ---------------------------------------------------------------- figures */

/* Where the figures of all rows go, [B,H,rows]. */
typedef struct tables {
    float *lse, *entropy, *peak, *distance, *first, *diagonal;
    int32_t *peak_at;
    float *received; /* [B,H,Tk] */
} tables;

static sac_status add_tables(cli_attend_part *part, const sac_attention_shape *s, tables *t,
                             sac_error *error)
{
    size_t shape[] = {s->batch, s->heads, part->rows}, keys[] = {s->batch, s->heads, s->keys};
    const struct {
        const char *name;
        void *numbers;
    } floats[] = {{"lse", &t->lse},           {"entropy", &t->entropy}, {"peak", &t->peak},
                  {"distance", &t->distance}, {"first", &t->first},     {"diagonal", &t->diagonal}};
    sac_status status = SAC_OK;
    for (size_t i = 0; i < sizeof floats / sizeof *floats && status == SAC_OK; i++)
        status =
            add_result_array(part, floats[i].name, SAC_F32, 3, shape, floats[i].numbers, error);
    if (status == SAC_OK)
        status = add_result_array(part, "peak_at", SAC_I32, 3, shape, &t->peak_at, error);
    if (status == SAC_OK)
        status = add_result_array(part, "received", SAC_F32, 3, keys, &t->received, error);
    return status;
}

static void store_row_figures(const tables *t, size_t at, const sac_row_figures *figures,
                              size_t rows)
{
    for (size_t r = 0; r < rows; r++, at++) {
        t->lse[at] = figures[r].lse;
        t->entropy[at] = figures[r].entropy;
        t->peak[at] = figures[r].peak;
        t->peak_at[at] = (int32_t)figures[r].peak_at;
        t->distance[at] = figures[r].distance;
        t->first[at] = figures[r].first;
        t->diagonal[at] = figures[r].diagonal;
    }
}

static int by_entropy(const void *a, const void *b)
{
    float one = ((const cli_head_figures *)a)->stats.entropy,
          other = ((const cli_head_figures *)b)->stats.entropy;
    return (one > other) - (one < other);
}

static sac_status compute_figures(cli_attend_part *part, sac_attention *attention, ptrdiff_t offset,
                                  const sac_progress *progress, sac_error *error)
{
    const sac_attention_shape *s = sac_attention_get_shape(attention);
    size_t matrices = s->batch * s->heads, step = AT_ONCE / s->keys + 1;
    tables t;
    sac_row_figures *figures = malloc(part->rows * sizeof *figures);
    float *some = malloc(s->keys * sizeof *some);
    double *received = malloc(s->keys * sizeof *received);
    part->heads = calloc(matrices, sizeof *part->heads);
    sac_status status = figures && some && received && part->heads ? add_tables(part, s, &t, error)
                                                                   : sac_no_memory(error, "rows");
    for (size_t m = 0; m < matrices && status == SAC_OK; m++) {
        memset(received, 0, s->keys * sizeof *received);
        for (size_t r = 0; r < part->rows && status == SAC_OK; r += step) {
            size_t count = part->rows - r < step ? part->rows - r : step;
            status = sac_attention_figures(attention, m / s->heads, m % s->heads, part->row + r,
                                           count, figures + r, some, error);
            for (size_t k = 0; k < s->keys && status == SAC_OK; k++)
                received[k] += (double)some[k];
            if (status == SAC_OK)
                status = report_progress(
                    progress,
                    (double)(m * part->rows + r + count) / (double)(matrices * part->rows), error);
        }
        if (status != SAC_OK)
            break;
        cli_head_figures *head = &part->heads[part->head_count++];
        *head = (cli_head_figures){.batch = m / s->heads, .head = m % s->heads};
        sac_weights_stats_of(figures, part->rows, s->keys, offset + (ptrdiff_t)part->row, received,
                             &head->stats);
        store_row_figures(&t, m * part->rows, figures, part->rows);
        for (size_t k = 0; k < s->keys; k++)
            t.received[m * s->keys + k] = (float)received[k];
    }
    if (part->heads)
        qsort(part->heads, part->head_count, sizeof *part->heads, by_entropy);
    free(figures);
    free(some);
    free(received);
    return status;
}

sac_status cli_attend_part_compute(cli_attend_part *part, sac_attention *attention,
                                   ptrdiff_t offset, const sac_progress *progress, sac_error *error)
{
    return part->figures ? compute_figures(part, attention, offset, progress, error)
                         : compute_weights(part, attention, progress, error);
}

/* ---------------------------------------------------------------- output */

static cJSON *range_json(size_t from, size_t size)
{
    cJSON *json = cJSON_CreateArray();
    cJSON_AddItemToArray(json, cJSON_CreateNumber((double)from));
    cJSON_AddItemToArray(json, cJSON_CreateNumber((double)(from + size)));
    return json;
}

void cli_attend_part_json(const cli_attend_part *part, cJSON *root)
{
    cJSON_AddItemToObject(root, "rows", range_json(part->row, part->rows));
    if (!part->figures) {
        cJSON_AddItemToObject(root, "columns", range_json(part->column, part->columns));
        return;
    }
    cJSON *list = cJSON_AddArrayToObject(root, "heads");
    for (size_t i = 0; i < part->head_count; i++) {
        const cli_head_figures *h = &part->heads[i];
        const sac_weights_stats *stats = &h->stats;
        float share;
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "item", (double)h->batch);
        cJSON_AddNumberToObject(item, "head", (double)h->head);
        cJSON_AddStringToObject(item, "pattern",
                                sac_weights_kind_name(sac_weights_kind_of(stats, &share)));
        cJSON_AddNumberToObject(item, "share", share);
        cJSON_AddNumberToObject(item, "entropy", stats->entropy);
        cJSON_AddNumberToObject(item, "peak", stats->high);
        cJSON_AddNumberToObject(item, "distance", stats->distance);
        cJSON_AddNumberToObject(item, "first", stats->first);
        cJSON_AddNumberToObject(item, "diagonal", stats->self);
        cJSON_AddNumberToObject(item, "previous", stats->previous);
        cJSON_AddNumberToObject(item, "most_received", stats->focus);
        cJSON_AddNumberToObject(item, "most_received_by", (double)stats->focus_column);
        cJSON_AddItemToArray(list, item);
    }
}

void cli_attend_part_print(const cli_attend_part *part)
{
    for (size_t i = 0; i < part->head_count; i++) {
        const cli_head_figures *h = &part->heads[i];
        const sac_weights_stats *stats = &h->stats;
        char pattern[160];
        if (i == 0)
            sac_print(stdout, "%4s %4s %8s %9s %7s %8s  %s\n", "item", "head", "entropy",
                      "distance", "first", "diagonal", "pattern");
        sac_print(stdout, "%4zu %4zu %8.3f %9.1f %7.4f %8.4f  %s\n", h->batch, h->head,
                  (double)stats->entropy, (double)stats->distance, (double)stats->first,
                  (double)stats->self, sac_weights_caption(stats, false, pattern, sizeof pattern));
    }
}

void cli_attend_part_free(cli_attend_part *part)
{
    for (size_t i = 0; i < part->count; i++)
        sac_array_free(&part->arrays[i]);
    free(part->heads);
    *part = (cli_attend_part){0};
}
