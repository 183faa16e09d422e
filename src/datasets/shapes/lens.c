/* The effects of a camera on the whole picture: noise and blur. */

#include <string.h>

#include "figure.h"
#include "ground.h"
#include "shapes/rng_places.h"

/* ---------------------------------------------------------------- grains */

enum { GRAINS = 224 };

/* Share of grain `grain` in pixel `pixel` of `side`; all shares of a pixel sum to 1. */
static float grain_share(int pixel, int grain, int side)
{
    int low = pixel * GRAINS, high = low + GRAINS; /* of the pixel, where a grain is `side` wide */
    int from = grain * side > low ? grain * side : low;
    int to = (grain + 1) * side < high ? (grain + 1) * side : high;
    return (float)(to - from) / GRAINS;
}

/* sums [GRAINS]: the mean of the grains that row y of pixels covers. */
static void average_rows(const sac_rng *rng, int y, int side, float *sums)
{
    float grains[GRAINS];
    memset(sums, 0, GRAINS * sizeof *sums);
    for (int row = y * GRAINS / side; row * side < (y + 1) * GRAINS; row++) {
        float share = grain_share(y, row, side);
        /* One row of grains: sums of four numbers of 4 bits, nearly normal around 30. */
        for (int i = 0; i < GRAINS / 2; i++) {
            uint32_t bits = sac_rng_bits(rng, rng->next + (uint32_t)(row * GRAINS / 2 + i));
            for (int half = 0; half < 2; half++, bits >>= 16)
                grains[2 * i + half] = (float)((int)(bits & 15) + (int)(bits >> 4 & 15) +
                                               (int)(bits >> 8 & 15) + (int)(bits >> 12 & 15) - 30);
        }
        for (int i = 0; i < GRAINS; i++)
            sums[i] += share * grains[i];
    }
}

void sac_add_noise(const sac_scene *scene, int side, uint8_t *rgb)
{
    const sac_rng rng = sac_scene_rng(scene->stream, scene->seed, SAC_RNG_PLACE_TEXTURE);
    const float strength = scene->noise / 9.2195f; /* deviation of a grain: √85 */
    for (int y = 0; y < side; y++) {
        float sums[GRAINS];
        average_rows(&rng, y, side, sums);
        for (int x = 0, i = 0; x < side; x++, rgb += 3) {
            float noise = 0;
            i -= i * side > x * GRAINS; /* a grain may lie in two pixels */
            for (; i * side < (x + 1) * GRAINS; i++)
                noise += grain_share(x, i, side) * sums[i];
            for (int k = 0; k < 3; k++)
                rgb[k] = sac_byte((float)rgb[k] + strength * noise);
        }
    }
}

/* ---------------------------------------------------------------- blur */

enum { LONGEST = 8192, REACH = 640 }; /* pixels of a side, and of the blur on either side */

/* The weights of −radius … radius from their middle on: (1 − t²)³, whose deviation is a third of
 * its reach, near a normal curve and free of libm. They sum to 1. */
static int find_weights(float deviation, float *weights)
{
    float reach = 3 * deviation, sum = 0;
    int radius = (int)reach < REACH - 1 ? (int)reach : REACH - 1;
    for (int i = 0; i <= radius; i++) {
        float t = (float)i / reach, rest = 1 - t * t;
        weights[i] = rest * rest * rest;
        sum += i ? 2 * weights[i] : weights[i];
    }
    for (int i = 0; i <= radius; i++)
        weights[i] /= sum;
    return radius;
}

/* Blurs `side` values that lie `stride` apart; beyond the ends the picture goes on as it ends. */
static void blur_line(const float *weights, int radius, int side, size_t stride, uint8_t *values)
{
    float line[LONGEST + 2 * REACH], sum[LONGEST];
    for (int i = -radius; i < side + radius; i++) {
        int at = i < 0 ? 0 : i >= side ? side - 1 : i;
        line[i + radius] = values[(size_t)at * stride];
    }
    for (int i = 0; i < side; i++)
        sum[i] = weights[0] * line[i + radius];
    for (int k = 1; k <= radius; k++)
        for (int i = 0; i < side; i++)
            sum[i] += weights[k] * (line[i + radius - k] + line[i + radius + k]);
    for (int i = 0; i < side; i++)
        values[(size_t)i * stride] = sac_byte(sum[i]);
}

void sac_blur(const sac_scene *scene, int side, uint8_t *rgb)
{
    float weights[REACH];
    size_t row = (size_t)side * 3;
    if (side > LONGEST)
        return;
    int radius = find_weights(scene->blur * (float)side, weights);
    for (size_t line = 0; line < row; line++) {
        blur_line(weights, radius, side, 3, rgb + line / 3 * row + line % 3);
    }
    for (size_t column = 0; column < row; column++)
        blur_line(weights, radius, side, row, rgb + column);
}
