/* Interpolation, as the product with a matrix along each axis. */
#include "architectures/architecture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* The cubic convolution kernel (Keys 1981). */
static float cubic(float x, float a)
{
    x = fabsf(x);
    if (x < 1)
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

static float linear(float x)
{
    return fmaxf(1 - fabsf(x), 0);
}

/* All trained positions that the new one covers; none beyond the edge. */
static void fill_smooth(float *row, int from, float center, float scale, bool is_linear)
{
    float wide = fmaxf(scale, 1), reach = (is_linear ? 1 : 2) * wide, sum = 0;
    int first = (int)fmaxf(center - reach + 0.5f, 0);
    int end = (int)fminf(center + reach + 0.5f, (float)from);
    for (int at = first; at < end; at++) {
        float x = ((float)at + 0.5f - center) / wide;
        sum += row[at] = is_linear ? linear(x) : cubic(x, -0.5f);
    }
    for (int at = first; at < end; at++)
        row[at] /= sum;
}

/* The trained position in whose part of the side patch i of `to` begins; borders are compared in float, as transformers does. */
static int find_nearest(int from, int to, int i)
{
    const float at = fminf((float)i * (1 / (float)to), 1 - 1e-6f);
    int n = 0;
    while (n + 1 < from && (float)(1.0 / from + n * (1.0 / from)) <= at)
        n++;
    return n;
}

/* The zeroed matrix [to,from] of an axis. */
static void fill_matrix(float *matrix, int from, int to, sac_spread spread)
{
    float scale = (float)from / (float)to;
    for (int i = 0; i < to; i++) {
        float *row = matrix + (size_t)i * (size_t)from, center = scale * ((float)i + 0.5f);
        if (spread == SAC_SPREAD_NEAREST)
            row[find_nearest(from, to, i)] = 1;
        else if (spread == SAC_SPREAD_LINEAR || spread == SAC_SPREAD_CORNERS) {
            float at = spread == SAC_SPREAD_LINEAR ? center - 0.5f
                       : to > 1                    ? (float)i * (float)(from - 1) / (float)(to - 1)
                                                   : 0;
            at = fminf(fmaxf(at, 0), (float)(from - 1));
            int first = (int)at, next = first + 1 < from ? first + 1 : first;
            row[first] += 1 - (at - (float)first);
            row[next] += at - (float)first;
        } else if (spread != SAC_SPREAD_BICUBIC)
            fill_smooth(row, from, center, scale, spread == SAC_SPREAD_LINEAR_SMOOTH);
        else {
            /* Four trained positions; beyond the edge the last one is repeated. */
            int first = (int)floorf(center - 0.5f);
            for (int tap = first - 1; tap < first + 3; tap++) {
                int at = tap < 0 ? 0 : tap >= from ? from - 1 : tap;
                row[at] += cubic((float)tap + 0.5f - center, -0.75f);
            }
        }
    }
}

/* y [to,depth] = matrix [to,from] · x [from,depth]; most of the matrix is 0. */
static void multiply(const float *matrix, int from, int to, const float *x, size_t depth, float *y)
{
    memset(y, 0, (size_t)to * depth * sizeof *y);
    for (int i = 0; i < to; i++)
        for (int j = 0; j < from; j++) {
            float weight = matrix[(size_t)i * (size_t)from + (size_t)j];
            for (size_t d = 0; d < depth && weight != 0; d++)
                y[(size_t)i * depth + d] += weight * x[(size_t)j * depth + d];
        }
}

sac_status sac_patch_positions(const float *trained, sac_patch_grid from, sac_patch_grid to,
                               size_t depth, sac_spread spread, float *positions, sac_error *error)
{
    float *across = calloc((size_t)to.width * (size_t)from.width, sizeof *across);
    float *down = calloc((size_t)to.height * (size_t)from.height, sizeof *down);
    size_t row = (size_t)to.width * depth;
    float *wide =
        calloc((size_t)from.height * row, sizeof *wide); /* [from.height,to.width,depth] */
    bool done = across && down && wide;
    if (done) {
        fill_matrix(across, from.width, to.width, spread);
        fill_matrix(down, from.height, to.height, spread);
        for (int y = 0; y < from.height; y++)
            multiply(across, from.width, to.width, trained + (size_t)y * (size_t)from.width * depth,
                     depth, wide + (size_t)y * row);
        multiply(down, from.height, to.height, wide, row, positions);
    }
    free(across);
    free(down);
    free(wide);
    return done ? SAC_OK
                : sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for %d x %d positions",
                           to.width, to.height);
}
