/* Drawing: the ground, then each object over it with its shadow, then what a camera adds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "outline.h"
#include "shapes/rng_places.h"
#include "shapes/scene.h"

/* ---------------------------------------------------------------- grounds: tones */

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
static float line_distance_pixels(double at, float step, int side)
{
    double places = at / (double)step;
    double off = places - floor(places) - 0.5;
    return (float)((off < 0 ? -off : off) * (double)step * side);
}

static float share_ruled(const sac_scene *scene, const axes *a, double x, double y, int side)
{
    float half = scene->line * (float)side / 2;
    float thin = half < 0.5f ? 2 * half : 1, least = half < 0.5f ? 0.5f : half;
    float first = sac_cover(line_distance_pixels(a->c * y - a->s * x, scene->step, side) - least);
    float second = sac_cover(line_distance_pixels(a->c * x + a->s * y, scene->step, side) - least);
    bool squared = scene->ground_angle < 0;
    return thin * (squared && second > first ? second : first);
}

/* −1 … 1 with steep flanks at each multiple of the step: which of two fields it is. */
static float field_sign(double at, float step, int side)
{
    double pairs = at / (2 * (double)step);
    double phase = pairs - floor(pairs), inner = phase < 0.5 ? phase : phase - 0.5;
    double edge = inner < 0.25 ? inner : 0.5 - inner; /* how far it is, in pairs of fields */
    double pixels = edge * 2 * (double)step * side, cover = pixels < 0.5 ? 2 * pixels : 1;
    return (float)(phase < 0.5 ? cover : -cover);
}

static float share_striped(const sac_scene *scene, const axes *a, double x, double y, int side)
{
    return 0.5f - field_sign(a->c * x + a->s * y, scene->step, side) / 2;
}

static float share_checked(const sac_scene *scene, const axes *a, double x, double y, int side)
{
    return 0.5f - field_sign(a->c * x + a->s * y, scene->step, side) *
                      field_sign(a->c * y - a->s * x, scene->step, side) / 2;
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

static void paint_two_tone_ground(const sac_scene *scene, tone_share *share_at, int side,
                                  uint8_t *rgb)
{
    axes a = {0};
    sac_cosine_and_sine((double)scene->ground_angle, &a.c, &a.s);
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

/* All into rgb [side,side,3]. */
static void paint_ground(const sac_scene *scene, int side, uint8_t *rgb)
{
    if (shares[scene->ground])
        paint_two_tone_ground(scene, shares[scene->ground], side, rgb);
    else {
        size_t pixels = (size_t)side * (size_t)side;
        for (size_t i = 0; i < pixels; i++)
            memcpy(rgb + 3 * i, scene->ground_rgb[0], 3);
    }
    if (scene->blotches > 0)
        add_blotches(scene, side, rgb);
}

/* ---------------------------------------------------------------- noise and blur: grains */

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
static void average_grain_rows(const sac_rng *rng, int y, int side, float *sums)
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

/* Adds grains of grey; a pixel gets the mean of those that it covers. */
static void add_noise(const sac_scene *scene, int side, uint8_t *rgb)
{
    const sac_rng rng = sac_scene_rng(scene->stream, scene->seed, SAC_RNG_PLACE_TEXTURE);
    const float strength = scene->noise / 9.2195f; /* deviation of a grain: √85 */
    for (int y = 0; y < side; y++) {
        float sums[GRAINS];
        average_grain_rows(&rng, y, side, sums);
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
static int compute_blur_weights(float deviation, float *weights)
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

/* Blurs the whole picture. */
static void blur_picture(const sac_scene *scene, int side, uint8_t *rgb)
{
    float weights[REACH];
    size_t row = (size_t)side * 3;
    if (side > LONGEST)
        return;
    int radius = compute_blur_weights(scene->blur * (float)side, weights);
    for (size_t line = 0; line < row; line++) {
        blur_line(weights, radius, side, 3, rgb + line / 3 * row + line % 3);
    }
    for (size_t column = 0; column < row; column++)
        blur_line(weights, radius, side, row, rgb + column);
}

/* ---------------------------------------------------------------- objects: fills */

/* An object's fill in pixels. */
typedef struct brush {
    const sac_scene_object *object;
    float size, line, stroke; /* pixels */
    float along[2];           /* of the slant, a unit vector */
} brush;

/* What a pixel gets: x, y from the object's centre, its distance from the outline. `cover` holds
 * the share that lies inside, `rgb` the object's colour. */
typedef void fill(const brush *b, float x, float y, float distance, float *cover, float rgb[3]);

static void mix(const uint8_t second[3], float share, float rgb[3])
{
    for (int k = 0; k < 3; k++)
        rgb[k] += share * ((float)second[k] - rgb[k]);
}

static void fill_graded(const brush *b, float x, float y, float distance, float *cover,
                        float rgb[3])
{
    (void)distance;
    (void)cover;
    float share = 0.5f + (x * b->along[0] + y * b->along[1]) / b->size;
    mix(b->object->second_rgb, share < 0 ? 0 : share > 1 ? 1 : share, rgb);
}

/* Stripes as wide as a stroke, of which one begins in the middle, so that however narrow the shape,
 * both colours are seen. */
static void fill_striped(const brush *b, float x, float y, float distance, float *cover,
                         float rgb[3])
{
    (void)distance;
    (void)cover;
    float across = (x * b->along[0] + y * b->along[1]) / (2 * b->stroke) + 0.25f;
    float from_middle = fabsf(across - floorf(across) - 0.5f); /* of the first stripe's: 0 … 0.5 */
    mix(b->object->second_rgb, sac_cover((0.25f - from_middle) * 2 * b->stroke), rgb);
}

static void fill_bordered(const brush *b, float x, float y, float distance, float *cover,
                          float rgb[3])
{
    (void)x;
    (void)y;
    (void)cover;
    mix(b->object->second_rgb, 1 - sac_cover(distance + b->line), rgb);
}

static void fill_hollow(const brush *b, float x, float y, float distance, float *cover,
                        float rgb[3])
{
    (void)x;
    (void)y;
    (void)rgb;
    *cover -= sac_cover(distance + b->line);
}

/* Parallel strokes along the slant. None is quite straight on its place, and each ends somewhere
 * short of the outline. */
static void fill_hatched(const brush *b, float x, float y, float distance, float *cover,
                         float rgb[3])
{
    (void)rgb;
    float across = (y * b->along[0] - x * b->along[1]) / b->stroke;
    float along = (x * b->along[0] + y * b->along[1]) / b->size;
    float number = floorf(across);
    uint32_t index = 3 * (uint32_t)((int)number + 4096);
    uint32_t hand = b->object->hand;
    float middle = 0.5f + 0.12f * sac_hand_strays(hand, index) +
                   0.25f * along * sac_hand_strays(hand, index + 1);
    float ends = 0.015f * b->size * (1 + sac_hand_strays(hand, index + 2));
    float width = (0.5f + 0.14f * sac_hand_strays(hand, 1)) * b->stroke; /* 0.36 … 0.64 */
    float off = across - number - middle;
    float stroke = sac_cover((off < 0 ? -off : off) * b->stroke - width / 2);
    float ended = sac_cover(distance + ends), outlined = *cover;
    stroke = stroke < ended ? stroke : ended;
    outlined = b->line > 0 ? outlined - sac_cover(distance + b->line) : 0;
    *cover = stroke > outlined ? stroke : outlined;
}

static fill *const fills[] = {
    [SAC_FILL_SOLID] = NULL, /* there is nothing to add */
    [SAC_FILL_GRADED] = fill_graded,
    [SAC_FILL_STRIPED] = fill_striped,
    [SAC_FILL_BORDERED] = fill_bordered,
    [SAC_FILL_HOLLOW] = fill_hollow,
    [SAC_FILL_HATCHED] = fill_hatched,
};

/* ---------------------------------------------------------------- objects */

static brush brush_of(const sac_scene_object *object, int side)
{
    double c, s;
    sac_cosine_and_sine((double)object->slant, &c, &s);
    return (brush){.object = object,
                   .size = object->size * (float)side,
                   .line = object->line * (float)side,
                   .stroke = object->stroke * (float)side,
                   .along = {(float)c, (float)s}};
}

/* Paints `count` pixels; x, y is the first one's centre, from the object's. */
static void paint_span(const brush *b, int count, float x, float y, const float *distance,
                       uint8_t *pixel)
{
    fill *add = fills[b->object->fill];
    const uint8_t *own = b->object->rgb;
    for (int i = 0; i < count; i++, pixel += 3) {
        float cover = sac_cover(distance[i]), rgb[3] = {own[0], own[1], own[2]};
        if (add && cover > 0)
            add(b, x + (float)i, y, distance[i], &cover, rgb);
        for (int k = 0; k < 3; k++)
            pixel[k] = sac_byte((float)pixel[k] + cover * (rgb[k] - (float)pixel[k]));
    }
}

/* ---------------------------------------------------------------- shadows */

static void darken(int count, float strength, float edge, const float *distance, uint8_t *pixel)
{
    for (int i = 0; i < count; i++, pixel += 3) {
        float share = sac_cover(distance[i] / edge);
        float light = 1 - strength * share * share * (3 - 2 * share);
        for (int k = 0; k < 3; k++)
            pixel[k] = sac_byte((float)pixel[k] * light);
    }
}

/* Both into rgb [side,side,3]. */
static void paint_shadow(const sac_scene *scene, const sac_scene_object *object, int side,
                         uint8_t *rgb)
{
    sac_figure f;
    float distance[SAC_SPAN];
    float edge = scene->shadow_edge * (float)side;
    edge = edge < 1 ? 1 : edge;
    sac_figure_of(object, side, 2 + edge / 2, &f);
    sac_figure_move(&f, scene->shadow_x * (float)side, scene->shadow_y * (float)side, edge / 2,
                    side);
    for (int y = f.box[1]; y < f.box[3]; y++)
        for (int left = f.box[0]; left < f.box[2]; left += SAC_SPAN) {
            int count = f.box[2] - left < SAC_SPAN ? f.box[2] - left : SAC_SPAN;
            sac_figure_measure(&f, left, y, count, distance);
            darken(count, scene->shadow, edge, distance,
                   rgb + ((size_t)y * (size_t)side + (size_t)left) * 3);
        }
}

/* ---------------------------------------------------------------- draw */

void sac_scene_draw(const sac_scene *scene, int side, uint8_t *rgb)
{
    paint_ground(scene, side, rgb);
    if (scene->ground == SAC_GROUND_NOISY)
        add_noise(scene, side, rgb);
    for (int i = 0; i < scene->count; i++) {
        const sac_scene_object *object = &scene->objects[scene->behind[i]];
        if (scene->shadow > 0)
            paint_shadow(scene, object, side, rgb);
        sac_figure f;
        float distance[SAC_SPAN];
        const brush b = brush_of(object, side);
        /* An edge covers a part of the pixels next to it; lines and the ends of strokes lie inside. */
        sac_figure_of(object, side, 2 + b.line + 0.03f * b.size, &f);
        for (int y = f.box[1]; y < f.box[3]; y++)
            for (int left = f.box[0]; left < f.box[2]; left += SAC_SPAN) {
                int count = f.box[2] - left < SAC_SPAN ? f.box[2] - left : SAC_SPAN;
                sac_figure_measure(&f, left, y, count, distance);
                paint_span(&b, count, (float)left + 0.5f - f.x, (float)y + 0.5f - f.y, distance,
                           rgb + ((size_t)y * (size_t)side + (size_t)left) * 3);
            }
    }
    if (scene->blur > 0)
        blur_picture(scene, side, rgb);
    if (scene->noise_over)
        add_noise(scene, side, rgb);
}

sac_status sac_scene_image(const sac_scene *scene, int side, sac_image *image, sac_error *error)
{
    size_t pixels = (size_t)side * (size_t)side;
    *image = (sac_image){0};
    uint8_t *rgb = malloc(pixels * 3);
    if (!rgb)
        return sac_fail(error, SAC_E_MEMORY, "scene", "draw it smaller",
                        "out of memory for %d × %d pixels", side, side);
    sac_scene_draw(scene, side, rgb);
    sac_status status = sac_image_from_rgb(rgb, side, side, image, error);
    free(rgb);
    return status;
}

/* ---------------------------------------------------------------- what is seen */

/* True where the pixel's centre lies in the object. */
static bool covers(const sac_figure *f, int x, int y)
{
    float distance[SAC_SPAN];
    if (x < f->box[0] || x >= f->box[2] || y < f->box[1] || y >= f->box[3])
        return false;
    sac_figure_measure(f, x, y, 1, distance);
    return distance[0] <= 0;
}

size_t sac_scene_visible_pixels(const sac_scene *scene, int side, int index)
{
    sac_figure figures[SAC_SCENE_OBJECTS]; /* from the hindmost to the foremost */
    int depth = 0;
    size_t seen = 0;
    for (int i = 0; i < scene->count; i++) {
        sac_figure_of(&scene->objects[scene->behind[i]], side, 2, &figures[i]);
        depth = scene->behind[i] == index ? i : depth;
    }
    const sac_figure *f = &figures[depth];
    for (int y = f->box[1]; y < f->box[3]; y++)
        for (int x = f->box[0]; x < f->box[2]; x++) {
            bool is_seen = covers(f, x, y);
            for (int i = depth + 1; is_seen && i < scene->count; i++)
                is_seen = !covers(&figures[i], x, y);
            seen += is_seen;
        }
    return seen;
}
