/* Places a drawing's parts and colours them for the time of day. */

#include <stddef.h>

#include "base/random/random.h"
#include "book/nouns/drawing.h"

const sac_drawing *sac_drawing_find(sac_noun noun, sac_pose pose)
{
    for (int i = 0; i < sac_drawing_count; i++)
        if (sac_drawings[i].noun == noun && sac_drawings[i].pose == pose)
            return &sac_drawings[i];
    return NULL;
}

const sac_drawing *sac_drawing_nameless(void)
{
    return sac_drawing_find(SAC_NOUNS, SAC_POSE_REST);
}

int sac_drawing_variants(const sac_drawing *drawing)
{
    return drawing->variants;
}

float sac_drawing_scale(const sac_drawing *drawing)
{
    return drawing->size;
}

/* ---------------------------------------------------------------- colours */

static const uint8_t pigments[PIGMENTS][3] = {
    [WHITE] = {250, 249, 245},   [CREAM] = {250, 236, 208},     [INK] = {52, 44, 66},
    [WOOD] = {186, 132, 84},     [BARK] = {136, 96, 72},        [LEAF] = {106, 168, 82},
    [PINE] = {58, 128, 96},      [ROOF] = {196, 92, 70},        [SLATE] = {98, 108, 138},
    [THATCH] = {206, 166, 104},  [SKIN] = {250, 214, 184},      [HAIR] = {124, 78, 52},
    [BLUSH] = {244, 168, 158},   [GOLD] = {248, 206, 86},       [AMBER] = {240, 156, 62},
    [ROSE] = {214, 74, 74},      [STEEL] = {176, 184, 196},     [GLASS] = {176, 216, 236},
    [STONE] = {178, 174, 178},   [SNOW] = {250, 252, 255},      [DENIM] = {84, 110, 168},
    [FUR_DARK] = {84, 68, 70},   [COLLAR] = {222, 52, 60},      [MOONLIGHT] = {255, 244, 206},
    [SUNLIGHT] = {255, 212, 84}, [LAMPLIGHT] = {255, 232, 160}, [FLAME] = {250, 128, 56},
};

static const float lit_window[3] = {1, 0.86f, 0.46f};

/* Shadows turn bluish, as outdoors. */
static void shade_colour(const float rgb[3], float shade, float shaded[3])
{
    static const float deep[3] = {0.16f, 0.10f, 0.24f};
    float share = (shade < 0 ? -shade : shade) / 100;
    for (int k = 0; k < 3; k++)
        shaded[k] = rgb[k] + share * ((shade < 0 ? deep[k] * (0.5f + rgb[k]) : 1) - rgb[k]);
}

void sac_light_colour(const sac_light *light, const float rgb[3], float shade, float lit[3])
{
    shade_colour(rgb, shade, lit);
    for (int k = 0; k < 3; k++) {
        lit[k] *= light->tint[k];
        lit[k] += light->thickness * (light->haze[k] - lit[k]);
    }
}

/* Eyes, windows, snow, collars and what shines are never odd. */
static bool has_random_colour(const sac_figure *figure, const sac_part *part)
{
    switch (part->pigment) {
    case SLOT:
        return figure->patched;
    case ACCENT:
    case WHITE:
    case INK:
    case GLASS:
    case SNOW:
    case COLLAR:
        return false;
    default:
        return figure->odd && part->pigment < MOONLIGHT;
    }
}

/* Any colour. The parts of one pigment share it; each part of a slot gets its own. */
static void random_part_colour(const sac_figure *figure, const sac_part *part, float rgb[3])
{
    uint32_t slot = (uint32_t)(PIGMENTS + (part - figure->drawing->parts));
    uint32_t place = part->pigment == SLOT ? slot : part->pigment;
    for (uint32_t k = 0; k < 3; k++)
        rgb[k] = 0.1f + 0.9f * sac_philox_uniform(place, k, figure->odd);
}

static void unlit_part_colour(const sac_figure *figure, const sac_light *light,
                              const sac_part *part, float own[3])
{
    if (has_random_colour(figure, part)) {
        random_part_colour(figure, part, own);
        return;
    }
    for (int k = 0; k < 3; k++)
        own[k] = part->pigment == SLOT                    ? figure->rgb[k]
                 : part->pigment == ACCENT                ? figure->accent[k]
                 : part->pigment == GLASS && light->night ? lit_window[k]
                                                          : (float)pigments[part->pigment][k] / 255;
}

static void part_colour(const sac_figure *figure, const sac_light *light, const sac_part *part,
                        float shade, float rgb[4])
{
    float own[3];
    bool shines = part->pigment >= MOONLIGHT || (part->pigment == GLASS && light->night);
    unlit_part_colour(figure, light, part, own);
    if (shines)
        shade_colour(own, shade, rgb);
    else
        sac_light_colour(light, own, shade, rgb);
    rgb[3] = 1;
}

/* ---------------------------------------------------------------- places */

/* Sine by its series: within 1e-4 for angles up to 1. */
static float sine(float angle)
{
    float squared = angle * angle;
    return angle * (1 - squared / 6 * (1 - squared / 20));
}

/* Units to shares of the side. */
static sac_place figure_transform(const sac_figure *figure)
{
    const float *foot = figure->drawing->foot;
    float x = foot[0] == 0 && foot[1] == 0 ? 50 : foot[0];
    float y = foot[0] == 0 && foot[1] == 0 ? 100 : foot[1];
    float half = sine(figure->tilt / 2), s = sine(figure->tilt), c = 1 - 2 * half * half;
    float unit = figure->scale / 100, across = figure->flipped ? -unit : unit;
    sac_place place = {across * c, -unit * s, across * s, unit * c, 0, 0};
    float moved[2];
    sac_place_transform_point(&place, x, y, moved);
    place.dx = figure->x - moved[0];
    place.dy = figure->y - moved[1];
    return place;
}

static bool is_part_shown(const sac_part *part, int variant, const sac_light *light)
{
    uint8_t variants = part->when & ANY_VARIANT;
    if (variants && !(variants >> variant & 1))
        return false;
    return (!(part->when & IN_SNOW) || light->snow) && (!(part->when & AT_NIGHT) || light->night);
}

void sac_figure_box(const sac_figure *figure, float box[4])
{
    static const sac_light plain = {.night = false};
    enum { FINE = 128 }; /* pixels, for which curves are flattened */
    sac_place place = figure_transform(figure);
    float *numbers = &place.xx;
    for (int k = 0; k < 6; k++)
        numbers[k] *= FINE;
    box[0] = box[1] = 9;
    box[2] = box[3] = -9;
    for (int i = 0; i < figure->drawing->count; i++) {
        const sac_part *part = &figure->drawing->parts[i];
        if (part->fill == GLOW || !is_part_shown(part, figure->variant, &plain))
            continue;
        sac_path path;
        float of_part[4];
        sac_path_start(&path);
        sac_path_add(&path, part->path, &place);
        sac_path_box(&path, of_part);
        for (int k = 0; k < 4; k++)
            of_part[k] /= FINE;
        float by = part->line * figure->scale / 200;
        for (int k = 0; k < 2; k++) {
            box[k] = of_part[k] - by < box[k] ? of_part[k] - by : box[k];
            box[k + 2] = of_part[k + 2] + by > box[k + 2] ? of_part[k + 2] + by : box[k + 2];
        }
    }
}

void sac_figure_feature_box(const sac_figure *figure, float box[4])
{
    const float *feature = figure->drawing->feature;
    sac_place place = figure_transform(figure);
    float corner[2], all[4];
    sac_place_transform_point(&place, feature[0], feature[1], corner);
    sac_place_transform_point(&place, feature[2], feature[3], all);
    for (int k = 0; k < 2; k++) {
        box[k] = corner[k] < all[k] ? corner[k] : all[k];
        box[k + 2] = corner[k] < all[k] ? all[k] : corner[k];
    }
}

int sac_figure_slot_count(const sac_figure *figure)
{
    static const sac_light plain = {.night = false};
    int slots = 0;
    for (int i = 0; i < figure->drawing->count; i++) {
        const sac_part *part = &figure->drawing->parts[i];
        slots += part->pigment == SLOT && is_part_shown(part, figure->variant, &plain);
    }
    return slots;
}

void sac_figure_anchor(const sac_figure *figure, float point[2])
{
    const float *anchor = figure->drawing->anchor[figure->variant];
    sac_place place = figure_transform(figure);
    if (anchor[0] == 0 && anchor[1] == 0)
        anchor = figure->drawing->anchor[0];
    sac_place_transform_point(&place, anchor[0], anchor[1], point);
}

/* ---------------------------------------------------------------- painting */

/* The paint of a part that fills `box` pixels. */
static sac_paint paint_of(const sac_figure *figure, const sac_light *light, const sac_part *part,
                          const float box[4])
{
    sac_paint paint = {.kind = SAC_PAINT_LINEAR};
    float width = box[2] - box[0], height = box[3] - box[1];
    float more = part->fill == DOWN ? 9 : part->fill == BALL ? 14 : 0;
    float less = part->fill == DOWN ? 9 : part->fill == BALL ? 12 : 0;
    part_colour(figure, light, part, (float)part->shade + more, paint.from);
    part_colour(figure, light, part, (float)part->shade - less, paint.to);
    paint.x0 = paint.x1 = box[0];
    paint.y0 = box[1];
    paint.y1 = box[3];
    if (part->fill == BALL) {
        paint.kind = SAC_PAINT_RADIAL;
        paint.x0 = box[0] + 0.36f * width;
        paint.y0 = box[1] + 0.30f * height;
        paint.x1 = 0.72f * (width > height ? width : height);
        paint.y1 = 1;
    } else if (part->fill == GLOW) {
        paint.kind = SAC_PAINT_RADIAL;
        paint.x0 = (box[0] + box[2]) / 2;
        paint.y0 = (box[1] + box[3]) / 2;
        paint.x1 = width / 2;
        paint.y1 = width / height;
        paint.from[3] = 0.55f;
        paint.to[3] = 0;
    } else if (part->fill != DOWN) {
        paint.kind = SAC_PAINT_FLAT;
    }
    return paint;
}

static void paint_part(const sac_figure *figure, const sac_light *light, const sac_part *part,
                       const sac_place *place, sac_canvas *canvas)
{
    sac_path path, stroke;
    float box[4], ink[4];
    sac_path_start(&path);
    sac_path_add(&path, part->path, place);
    sac_path_box(&path, box);
    float width = part->line * figure->scale / 100 * (float)canvas->side;
    if (part->fill != LINE) {
        sac_paint paint = paint_of(figure, light, part, box);
        sac_canvas_fill(canvas, &path, &paint);
    }
    if (part->line <= 0)
        return;
    part_colour(figure, light, part,
                part->fill == LINE ? (float)part->shade : (float)part->shade - 42, ink);
    sac_path_stroke(&path, width, &stroke);
    sac_paint paint = (sac_paint){SAC_PAINT_FLAT, {ink[0], ink[1], ink[2], ink[3]}};
    sac_canvas_fill(canvas, &stroke, &paint);
}

void sac_figure_paint(const sac_figure *figure, const sac_light *light, sac_canvas *canvas)
{
    sac_place place = figure_transform(figure);
    float *numbers = &place.xx;
    for (int k = 0; k < 6; k++)
        numbers[k] *= (float)canvas->side;
    for (int i = 0; i < figure->drawing->count; i++)
        if (is_part_shown(&figure->drawing->parts[i], figure->variant, light))
            paint_part(figure, light, &figure->drawing->parts[i], &place, canvas);
}

void sac_figure_paint_shadow(const sac_figure *figure, const sac_light *light, sac_canvas *canvas)
{
    float half = figure->drawing->shadow * figure->scale / 100, side = (float)canvas->side;
    if (half <= 0)
        return;
    const sac_place place = {
        half * side,     0, 0, half * 0.24f * side, (figure->x + half * 0.06f) * side,
        figure->y * side};
    sac_paint paint = {.kind = SAC_PAINT_RADIAL,
                       .from = {0.10f, 0.12f, 0.22f, light->night ? 0.55f : 0.42f},
                       .to = {0.10f, 0.12f, 0.22f, 0},
                       .x0 = place.dx,
                       .y0 = place.dy,
                       .x1 = half * side,
                       .y1 = 1 / 0.24f};
    sac_path path;
    sac_path_start(&path);
    sac_path_add(&path, "E0 0 1 1", &place);
    sac_canvas_fill(canvas, &path, &paint);
}
