/* A figure of curves over one axis that stands alone: the results of an evaluation. */
#ifndef VIZ_CHART_CHART_VIEW_H
#define VIZ_CHART_CHART_VIEW_H

#include "view/view.h"

enum { VIZ_CHART_CURVES = 4, VIZ_CHART_POINTS = 64 };

typedef struct viz_chart_curve {
    char name[48];
    int count;
    float x[VIZ_CHART_POINTS], y[VIZ_CHART_POINTS]; /* y: a share, 0 to 1 */
} viz_chart_curve;

typedef struct viz_chart {
    char title[96], x_name[64], y_name[64], status[128];
    float low, high; /* of x */
    float mark;      /* an x that is marked, … */
    char mark_name[64];
    int curve_count;
    viz_chart_curve curve[VIZ_CHART_CURVES]; /* the first one is what the figure is about */
} viz_chart;

extern const viz_view_class viz_chart_class;

/* A copy of the chart, of no source. SAC_E_MEMORY. */
sac_status viz_chart_view_create(const viz_chart *chart, viz_view **view, sac_error *error);

#endif
