#include "nn/attention/held.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"

static bool is_held(const sac_held *held, size_t head)
{
    return !held->heads || held->heads[head];
}

bool sac_held_is_whole(const sac_held *held, size_t value_heads)
{
    const size_t each = held->count / value_heads;
    for (size_t h = 0; h < held->count; h++)
        if (is_held(held, h) != is_held(held, h - h % each))
            return false;
    return true;
}

/* Of one head's columns first … first + depth − 1. */
static void replace_columns(const float *share, size_t rows, size_t width, size_t first,
                            size_t depth, float *values)
{
    for (size_t c = first; c < first + depth; c++) {
        double mean = 0;
        for (size_t n = 0; n < rows; n++)
            if (share[n] > 0)
                mean += (double)share[n] * (double)values[n * width + c];
        for (size_t n = 0; n < rows; n++)
            if (share[n] >= 0)
                values[n * width + c] = (float)mean;
    }
}

void sac_held_values(sac_pass *pass, const sac_held *held, sac_tensor values, size_t value_heads)
{
    const size_t each = held->count / value_heads, depth = values.width / value_heads;
    float *numbers = malloc(sac_tensor_count(values) * sizeof *numbers);
    assert(sac_held_is_whole(held, value_heads));
    if (!numbers) {
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, "gaze"));
        return;
    }
    sac_pass_read(pass, values, numbers);
    for (size_t h = 0; h < value_heads && sac_pass_runs(pass); h++)
        if (is_held(held, h * each))
            replace_columns(held->share, values.rows, values.width, h * depth, depth, numbers);
    sac_pass_write(pass, values, numbers);
    free(numbers);
}
