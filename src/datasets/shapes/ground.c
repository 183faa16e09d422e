/* Draws the grounds: one tone, a gradient, lines or checks; blotched or not. */

#include "ground.h"

#include <math.h>
#include <string.h>

#include "outline.h"
#include "shapes/rng_places.h"

/* ---------------------------------------------------------------- tones */

/* The ground's axes. */
typedef struct axes {
    double c, s;
    float half_step, half_line; /* pixels */
} axes;

/* The second tone's share at x, y of −0.5 … 0.5. */
typedef float tone_share(const sac_scene *scene, const axes *a, double x, double y, int side);

static float share_graded(const sac_scene *scene, const axes *a, double x, double y, int side)
{
    (void)scene;
    (void)side;
    double reach = (a->c < 0 ? -a->c : a->c) + (a->s < 0 ? -a->s : a->s); /* corner to corner */
    double along = a->c * x + a->s * y;
    return (float)(0.5 + along / reach);
}

static float share_radial(const sac_scene *scene, const axes *a, double x, double y, int side)
{
    (void)scene;
    (void)a;
    (void)side;
    return (float)(sqrt(x * x + y * y) * 1.414213562373095);
}

/* Distance in pixels to the nearest of the places that are `step` apart, a half step from 0. */
static float away(double at, float step, int side)
{
    double places = at / (double)step;
    double off = places - floor(places) - 0.5;
    return (float)((off < 0 ? -off : off) * (double)step * side);
}

static float share_ruled(const sac_scene *scene, const axes *a, double x, double y, int side)
{
    float half = scene->line * (float)side / 2;
    float thin = half < 0.5f ? 2 * half : 1, least = half < 0.5f ? 0.5f : half;
    float first = sac_cover(away(a->c * y - a->s * x, scene->step, side) - least);
    float second = sac_cover(away(a->c * x + a->s * y, scene->step, side) - least);
    bool squared = scene->ground_angle < 0;
    return thin * (squared && second > first ? second : first);
}

/* −1 … 1 with steep flanks at each multiple of the step: which of two fields it is. */
static float field(double at, float step, int side)
{
    double pairs = at / (2 * (double)step);
    double phase = pairs - floor(pairs), inner = phase < 0.5 ? phase : phase - 0.5;
    double edge = inner < 0.25 ? inner : 0.5 - inner; /* how far it is, in pairs of fields */
    double pixels = edge * 2 * (double)step * side, cover = pixels < 0.5 ? 2 * pixels : 1;
    return (float)(phase < 0.5 ? cover : -cover);
}

static float share_striped(const sac_scene *scene, const axes *a, double x, double y, int side)
{
    return 0.5f - field(a->c * x + a->s * y, scene->step, side) / 2;
}

static float share_checked(const sac_scene *scene, const axes *a, double x, double y, int side)
{
    return 0.5f - field(a->c * x + a->s * y, scene->step, side) *
                      field(a->c * y - a->s * x, scene->step, side) / 2;
}

static tone_share *const shares[] = {
    [SAC_GROUND_PLAIN] = NULL,
    [SAC_GROUND_GRADED] = share_graded,
    [SAC_GROUND_NOISY] = NULL,
    [SAC_GROUND_RADIAL] = share_radial,
    [SAC_GROUND_RULED] = share_ruled,
    [SAC_GROUND_CHECKED] = share_checked,
    [SAC_GROUND_STRIPED] = share_striped,
};

static void paint_shares(const sac_scene *scene, tone_share *share_at, int side, uint8_t *rgb)
{
    axes a = {0};
    sac_rope_use((double)scene->ground_angle, &a.c, &a.s);
    const uint8_t *from = scene->ground_rgb[0], *to = scene->ground_rgb[1];
    uint8_t tone[3] = {0};
    float mixed = -1; /* the share that the tone is of: neighbours often have the same */
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++, rgb += 3) {
            float second =
                share_at(scene, &a, (x + 0.5) / side - 0.5, (y + 0.5) / side - 0.5, side);
            for (int k = 0; second != mixed && k < 3; k++)
                tone[k] = sac_byte((float)from[k] + second * ((float)to[k] - (float)from[k]));
            mixed = second;
            memcpy(rgb, tone, sizeof tone);
        }
}

/* ---------------------------------------------------------------- blotches */

enum { MOST_CELLS = 24 };

static float smooth(float share)
{
    return share * share * (3 - 2 * share);
}

/* row [cells + 1]: the knots of row `y`, 0 … 1, between those above and below. */
static void blotch_row(const sac_rng *rng, int cells, float y, float *row)
{
    float at = y * (float)cells;
    int above = (int)at;
    float share = smooth(at - (float)above);
    for (int i = 0; i <= cells; i++) {
        uint32_t place = rng->next + (uint32_t)((cells * 32 + above) * 32 + i);
        float from = (float)(sac_rng_bits(rng, place) >> 8) * 0x1p-24f - 0.5f;
        float to = (float)(sac_rng_bits(rng, place + 32) >> 8) * 0x1p-24f - 0.5f;
        row[i] = from + share * (to - from);
    }
}

static float blotch_at(const float *row, int cells, float x)
{
    float at = x * (float)cells;
    int left = (int)at;
    return row[left] + smooth(at - (float)left) * (row[left + 1] - row[left]);
}

/* Large blotches, and some of half their size. */
static void add_blotches(const sac_scene *scene, int side, uint8_t *rgb)
{
    sac_rng rng = sac_scene_rng(scene->stream, scene->seed, SAC_RNG_PLACE_BLOTCHES);
    const float strength = scene->blotches * 4.2f; /* of a value with a deviation of 0.24 */
    int cells = scene->blotch_cells;
    float row[MOST_CELLS + 2], fine[MOST_CELLS + 2];
    for (int y = 0; y < side; y++) {
        blotch_row(&rng, cells, ((float)y + 0.5f) / (float)side, row);
        blotch_row(&rng, 2 * cells, ((float)y + 0.5f) / (float)side, fine);
        for (int x = 0; x < side; x++, rgb += 3) {
            float at = ((float)x + 0.5f) / (float)side;
            float light =
                strength * (blotch_at(row, cells, at) + 0.5f * blotch_at(fine, 2 * cells, at));
            for (int k = 0; k < 3; k++)
                rgb[k] = sac_byte((float)rgb[k] + light);
        }
    }
}

/* ---------------------------------------------------------------- all of it */

void sac_paint_ground(const sac_scene *scene, int side, uint8_t *rgb)
{
    if (shares[scene->ground])
        paint_shares(scene, shares[scene->ground], side, rgb);
    else {
        size_t pixels = (size_t)side * (size_t)side;
        for (size_t i = 0; i < pixels; i++)
            memcpy(rgb + 3 * i, scene->ground_rgb[0], 3);
    }
    if (scene->blotches > 0)
        add_blotches(scene, side, rgb);
}
