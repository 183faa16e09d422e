/* An evaluation's figures as the report of every model holds them: for programs, and as a table for
 * people. */
#ifndef SAC_MODELS_REPORT_H
#define SAC_MODELS_REPORT_H

#include "models/model_class.h"

void sac_report_figure(sac_evaluation_report *report, const char *key, double value);
/* Adds to the table; what does not fit is left out whole. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void sac_report_print(sac_evaluation_report *report, const char *format, ...);

/* The median of at least one value; sorts them. */
double sac_median(double *values, size_t count);

#endif
