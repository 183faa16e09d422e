/* Times of a benchmark and their quantiles, and tables. */
#include "cli/bench/measuring.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/text/printable.h"
#include "base/text/utf8.h"

void bench_add(bench_times *times, double seconds)
{
    if (times->count < BENCH_MAX_TIMES)
        times->seconds[times->count++] = seconds;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_quantile(const bench_times *times, double share)
{
    bench_times sorted = *times;
    if (sorted.count == 0)
        return 0;
    qsort(sorted.seconds, (size_t)sorted.count, sizeof *sorted.seconds, compare);
    double place = share * (sorted.count - 1);
    int below = (int)place, above = below + 1 < sorted.count ? below + 1 : below;
    return sorted.seconds[below] +
           (place - below) * (sorted.seconds[above] - sorted.seconds[below]);
}

double bench_median_ms(const bench_times *times)
{
    return 1e3 * bench_quantile(times, 0.5);
}

double bench_processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* ---------------------------------------------------------------- tables */

static void print_padded(const char *text, int width, bool is_first)
{
    int pad = abs(width) - (int)sac_utf8_length(text);
    pad = pad > 0 ? pad : 0;
    sac_print(stdout, "%s%*s%s%*s", is_first ? "" : " ", width > 0 ? pad : 0, "", text,
              width < 0 ? pad : 0, "");
}

void bench_head(const bench_column *columns)
{
    for (const bench_column *c = columns; c->key || c->heading; c++)
        if (c->heading)
            print_padded(c->heading, c->width, c == columns);
    putchar('\n');
}

void bench_row(cJSON *list, const bench_column *columns, const bench_cell *cells)
{
    cJSON *item = list ? cJSON_CreateObject() : NULL;
    for (const bench_column *c = columns; c->key || c->heading; c++, cells++) {
        char number[32] = "–";
        if (list && c->key && cells->text)
            cJSON_AddStringToObject(item, c->key, cells->text);
        else if (list && c->key && c->is_bool)
            cJSON_AddBoolToObject(item, c->key, cells->number != 0);
        else if (list && c->key)
            cJSON_AddNumberToObject(item, c->key, cells->number);
        if (list || !c->heading)
            continue;
        if (!isnan(cells->number))
            snprintf(number, sizeof number, "%.*f", c->decimals, cells->number);
        print_padded(cells->text ? cells->text : number, c->width, c == columns);
    }
    if (list)
        cJSON_AddItemToArray(list, item);
    else
        putchar('\n');
}
