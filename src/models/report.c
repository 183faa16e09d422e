/* Figures of an evaluation, for programs and for people. */

#include "models/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sac_report_figure(sac_evaluation_report *report, const char *key, double value)
{
    report->figure[report->count].key = key;
    report->figure[report->count++].value = value;
}

void sac_report_print(sac_evaluation_report *report, const char *format, ...)
{
    size_t used = strlen(report->table), room = sizeof report->table - used;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(report->table + used, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= room)
        report->table[used] = '\0';
}

static int compare(const void *a, const void *b)
{
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

double sac_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}
