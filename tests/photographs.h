/* Pictures that are like photographs in their tones and in their texture. */
#ifndef TESTS_PHOTOGRAPHS_H
#define TESTS_PHOTOGRAPHS_H

#include "images/image.h"
#include "test.h"

static uint32_t random_state;

static inline float random_share(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (float)(random_state >> 8) / (float)(1 << 24);
}

/* Noise of all scales from `coarsest` pixels down, each half as strong as the one before: the
 * spectrum of a photograph. */
static inline void add_texture(float *plane, int side, int coarsest, float strength)
{
    for (int step = coarsest; step >= 1; step /= 2, strength *= 0.55f) {
        int across = side / step + 2;
        float *knots = calloc((size_t)(across * across), sizeof *knots);
        assert_non_null(knots);
        for (int i = 0; i < across * across; i++)
            knots[i] = strength * (2 * random_share() - 1);
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++) {
                const float *k = knots + y / step * across + x / step;
                float u = (float)(x % step) / (float)step, v = (float)(y % step) / (float)step;
                plane[y * side + x] += (1 - v) * ((1 - u) * k[0] + u * k[1]) +
                                       v * ((1 - u) * k[across] + u * k[across + 1]);
            }
        free(knots);
    }
}

/* What a photograph may be: light above, dark below, of one cast, textured. */
typedef struct photograph_kind {
    float top, bottom, tint[3], texture;
    int coarsest;
} photograph_kind;

enum { PHOTOGRAPHS = 6 };
static const photograph_kind photograph_kinds[PHOTOGRAPHS] = {
    {235, 90, {1.00f, 1.00f, 1.05f}, 60, 128}, /* sky over land */
    {250, 210, {1.02f, 1.00f, 0.95f}, 30, 64}, /* snow */
    {30, 12, {0.90f, 0.95f, 1.20f}, 40, 64},   /* night, with lamps */
    {120, 140, {0.70f, 1.20f, 0.50f}, 90, 32}, /* leaves */
    {220, 170, {1.20f, 0.95f, 0.45f}, 50, 64}, /* sand, a face in warm light */
    {128, 128, {1.00f, 1.00f, 1.00f}, 120, 8}, /* gravel, without a colour */
};

static inline uint8_t photograph_level(float value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* Fills a square image. */
static inline void make_photograph(int number, sac_image *image)
{
    const photograph_kind *p = &photograph_kinds[number];
    int side = image->width;
    float *plane = calloc((size_t)(side * side), sizeof *plane);
    assert_non_null(plane);
    random_state = (uint32_t)number + 7;
    add_texture(plane, side, p->coarsest, p->texture);
    for (int i = 0; i < side * side; i++) {
        float down = (float)(i / side) / (float)side;
        float light = p->top + (p->bottom - p->top) * down + plane[i];
        for (int c = 0; c < 3; c++)
            image->rgba[4 * i + c] = photograph_level(light * p->tint[c]);
        image->rgba[4 * i + 3] = 255;
    }
    free(plane);
}

#endif
