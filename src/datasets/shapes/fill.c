/* What is inside of an outline: one tone, two, a line alone, strokes of a felt pen. */

#include "fill.h"

#include <math.h>

#include "figure.h"

/* ---------------------------------------------------------------- fills */

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

/* Strokes lie beside one another along the slant. None is quite straight on its place, and each
 * ends somewhere short of the outline. */
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
    sac_turn((double)object->slant, &c, &s);
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

void sac_paint_object(const sac_scene_object *object, int side, uint8_t *rgb)
{
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

void sac_paint_shadow(const sac_scene *scene, const sac_scene_object *object, int side,
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
