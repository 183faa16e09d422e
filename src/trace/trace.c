#include "trace/trace.h"

#include <math.h>
#include <stdlib.h>

sac_picture_settings sac_picture_defaults(void)
{
    return (sac_picture_settings){.score = SAC_SCORE_GAUSSIAN,
                                  .inverse_width = 1.0f,
                                  .temperature = 1.0f,
                                  .position = 0.15f,
                                  .cells = 32};
}

void sac_picture_result_free(sac_picture_result *result)
{
    if (!result)
        return;
    free(result->weights);
    free(result->rebuilt);
    *result = (sac_picture_result){0};
}

void sac_picture_grid(int width, int height, int cells, int *grid_w, int *grid_h)
{
    int longer = width > height ? width : height, shorter = width > height ? height : width;
    int other = (int)lround((double)cells * shorter / longer);
    other = other < 1 ? 1 : other;
    *grid_w = width >= height ? cells : other;
    *grid_h = width >= height ? other : cells;
}

void sac_picture_source_destroy(sac_picture_source *source)
{
    if (source && source->destroy)
        source->destroy(source->self);
    if (source)
        *source = (sac_picture_source){0};
}

void sac_matrix_source_destroy(sac_matrix_source *source)
{
    if (!source)
        return;
    sac_labels_free(&source->row_labels);
    sac_labels_free(&source->column_labels);
    if (source->destroy)
        source->destroy(source->self);
    *source = (sac_matrix_source){0};
}

float sac_entropy(const float *weights, size_t count)
{
    /* With p = w / s: −Σ p log p = log s − (Σ w log w) / s. */
    double sum = 0, w_log_w = 0;
    for (size_t i = 0; i < count; i++)
        if (weights[i] > 0) {
            sum += weights[i];
            w_log_w += weights[i] * log2f(weights[i]);
        }
    double entropy = sum > 0 ? log2(sum) - w_log_w / sum : 0;
    return entropy > 0 ? (float)entropy : 0.0f;
}
