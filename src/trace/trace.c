/* Closing a trace, and the entropy of a row of weights. */

#include "trace/trace.h"

#include <math.h>
#include <stdlib.h>

void sac_trace_destroy(sac_trace *trace)
{
    if (!trace)
        return;
    sac_labels_free(&trace->step_labels);
    sac_labels_free(&trace->position_labels);
    free(trace->readings);
    if (trace->destroy)
        trace->destroy(trace->self);
    *trace = (sac_trace){0};
}

float sac_entropy(const float *weights, size_t count)
{
    /* With p = w / s, −Σ p log p = log s − (Σ w log w) / s. */
    double sum = 0, w_log_w = 0;
    for (size_t i = 0; i < count; i++)
        if (weights[i] > 0) {
            sum += weights[i];
            w_log_w += weights[i] * log2f(weights[i]);
        }
    double entropy = sum > 0 ? log2(sum) - w_log_w / sum : 0;
    return entropy > 0 ? (float)entropy : 0.0f;
}
