/* Draws antialiased shapes on a canvas in logical units, and holds its themes. */
#include "canvas/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "canvas/pairs.h"
#include "canvas/recording.h"
#include "canvas/tiles.h"
#include "images/resample.h"
#include "saccade.h"

#define RGB(hex)                                                                                   \
    {                                                                                              \
        (hex) >> 16 & 255, (hex) >> 8 & 255, (hex)&255, 255                                        \
    }

const viz_theme viz_theme_dark = {
    .name = "dark",
    .ground = RGB(0x0f1216),
    .paper = RGB(0x0f1216),
    .panel = RGB(0x1a1f27),
    .line = RGB(0x232932),
    .text = RGB(0xe8eaee),
    .text2 = RGB(0x8b94a3),
    .faint = RGB(0x788192),
    .accent = RGB(0xf0a33a),
    .on_accent = RGB(0x14171c),
    .pale = RGB(0xffffff),
    .masked = {72, 76, 82, 255},
    .between = RGB(0x0f1216),
};

const viz_theme viz_theme_light = {
    .name = "light",
    .ground = RGB(0xfbfbfa),
    .paper = RGB(0xffffff),
    .panel = RGB(0xeef0f2),
    .line = RGB(0xdde1e6),
    .text = RGB(0x16191d),
    .text2 = RGB(0x59626f),
    .faint = RGB(0x69717d),
    .accent = RGB(0xa15700),
    .on_accent = RGB(0xffffff),
    .pale = RGB(0xffffff),
    .masked = {196, 201, 208, 255},
    .between = RGB(0xfbfbfa),
    .light = true,
};

const viz_theme viz_theme_dark_presented = {
    .name = "dark",
    .ground = RGB(0x000000),
    .paper = RGB(0x000000),
    .panel = RGB(0x141414),
    .line = RGB(0x3a3f47),
    .text = RGB(0xffffff),
    .text2 = RGB(0xd3d8e0),
    .faint = RGB(0x9aa2b0),
    .accent = RGB(0xffb950),
    .on_accent = RGB(0x000000),
    .pale = RGB(0xffffff),
    .masked = {72, 76, 82, 255},
    .between = RGB(0x000000),
    .presents = true,
};

const viz_theme viz_theme_light_presented = {
    .name = "light",
    .ground = RGB(0xffffff),
    .paper = RGB(0xffffff),
    .panel = RGB(0xf0f1f3),
    .line = RGB(0xbcc2ca),
    .text = RGB(0x000000),
    .text2 = RGB(0x2c323a),
    .faint = RGB(0x59616d),
    .accent = RGB(0x7a3f00),
    .on_accent = RGB(0xffffff),
    .pale = RGB(0xffffff),
    .masked = {196, 201, 208, 255},
    .between = RGB(0xffffff),
    .light = true,
    .presents = true,
};

const viz_theme *viz_theme_presented(const viz_theme *theme)
{
    return theme && theme->light ? &viz_theme_light_presented : &viz_theme_dark_presented;
}

float viz_presented_density(int width, int height, float density)
{
    float most = fminf((float)width / VIZ_LEAST_WIDTH, (float)height / VIZ_LEAST_HEIGHT);
    return fmaxf(density, most);
}

float viz_usual_density(int width, int height, float density)
{
    float larger = fminf((float)width / (1280 * density), (float)height / (800 * density));
    return density * fmaxf(roundf(8 * powf(larger, 0.95f)) / 8, 1);
}

/* ---------------------------------------------------------------- the canvas */

sac_status viz_canvas_create(int width, int height, float density, const viz_theme *theme,
                             viz_canvas *canvas, sac_error *error)
{
    *canvas = (viz_canvas){.density = density > 0 ? density : 1.0f,
                           .theme = theme ? theme : &viz_theme_dark};
    return viz_canvas_resize(canvas, width, height, error);
}

sac_status viz_canvas_resize(viz_canvas *canvas, int width, int height, sac_error *error)
{
    size_t bytes;
    if (width < 1 || height < 1)
        return sac_fail(error, SAC_E_ARGUMENT, "canvas", "give at least 1×1", "has %d×%d pixels",
                        width, height);
    if (!sac_checked_mul((size_t)width, (size_t)height, &bytes) ||
        !sac_checked_mul(bytes, 4, &bytes))
        return sac_fail(error, SAC_E_SHAPE, "canvas", NULL, "%d×%d pixels overflow", width, height);
    uint8_t *rgba = malloc(bytes);
    if (!rgba)
        return sac_fail(error, SAC_E_MEMORY, "canvas", "give a smaller size",
                        "out of memory for %d×%d pixels", width, height);
    free(canvas->rgba);
    canvas->rgba = rgba;
    canvas->width = width;
    canvas->height = height;
    viz_clip_none(canvas);
    viz_clear(canvas);
    return SAC_OK;
}

void viz_canvas_free(viz_canvas *canvas)
{
    if (!canvas)
        return;
    free(canvas->rgba);
    *canvas = (viz_canvas){0};
}

viz_pixels viz_to_pixels(const viz_canvas *canvas, viz_rect rect)
{
    float d = canvas->density;
    return (viz_pixels){(int)lroundf(rect.x * d), (int)lroundf(rect.y * d),
                        (int)lroundf((rect.x + rect.w) * d), (int)lroundf((rect.y + rect.h) * d)};
}

void viz_clip(viz_canvas *canvas, viz_rect rect)
{
    viz_clip_none(canvas);
    canvas->clip = viz_seen_part(canvas, viz_to_pixels(canvas, rect));
}

void viz_clip_none(viz_canvas *canvas)
{
    const viz_pixels whole = {0, 0, canvas->width, canvas->height};
    canvas->clip = canvas->has_frame ? canvas->frame : whole;
}

/* ---------------------------------------------------------------- blending */

/* alpha/255 of the colour and the rest of what is below, rounded, two channels at once: each has 16 bits,
 * whichever comes first in memory. The canvas stays opaque. */
static inline void blend_pixel(uint8_t *pixel, viz_color color, unsigned alpha)
{
    const uint32_t lanes = 0x00ff00ff, half = 0x00800080;
    uint32_t under, over;
    color.a = 255;
    memcpy(&under, pixel, sizeof under);
    memcpy(&over, &color, sizeof over);
    uint32_t even = (over & lanes) * alpha + (under & lanes) * (255 - alpha) + half;
    uint32_t odd = (over >> 8 & lanes) * alpha + (under >> 8 & lanes) * (255 - alpha) + half;
    even = (even + (even >> 8 & lanes)) >> 8 & lanes;
    odd = (odd + (odd >> 8 & lanes)) & ~lanes;
    under = even | odd;
    memcpy(pixel, &under, sizeof under);
}

static uint8_t *pixel_at(viz_canvas *canvas, int x, int y)
{
    return canvas->rgba + 4 * ((size_t)y * (size_t)canvas->width + (size_t)x);
}

void viz_blend(viz_canvas *canvas, int x, int y, viz_color color, float coverage)
{
    const viz_pixels *part = &canvas->part;
    bool inside = x >= part->x0 && x < part->x1 && y >= part->y0 && y < part->y1;
    if (inside && coverage > 0)
        blend_pixel(pixel_at(canvas, x, y), color,
                    (unsigned)((float)color.a * (coverage < 1 ? coverage : 1.0f) + 0.5f));
}

/* As blend_pixel; the canvas stays opaque. */
static inline void blend_pair(uint8_t *pixels, viz_pair over, unsigned first, unsigned second)
{
    viz_pair alpha = viz_pair_of(first, second);
    viz_pair t = over * alpha + viz_pair_read(pixels) * (255 - alpha) + 128;
    viz_pair_write((t + (t >> 8)) >> 8, pixels);
}

static void find_alphas(const float *restrict coverage, int count, float most, int *restrict alpha)
{
    for (int i = 0; i < count; i++) {
        float covered = coverage[i] < 1 ? coverage[i] : 1;
        alpha[i] = covered > 0 ? (int)(most * covered + 0.5f) : 0;
    }
}

void viz_blend_row(viz_canvas *canvas, int x, int y, int count, viz_color color,
                   const float *coverage)
{
    enum { AT_ONCE = 64 };
    int alpha[AT_ONCE];
    const viz_pixels seen = viz_common(canvas->part, (viz_pixels){x, y, x + count, y + 1});
    const viz_pair over = {color.r, color.g, color.b, 255, color.r, color.g, color.b, 255};
    if (viz_is_empty(seen))
        return;
    coverage += seen.x0 - x;
    for (int from = seen.x0; from < seen.x1; from += AT_ONCE, coverage += AT_ONCE) {
        int some = seen.x1 - from < AT_ONCE ? seen.x1 - from : AT_ONCE;
        uint8_t *pixel = pixel_at(canvas, from, y);
        find_alphas(coverage, some, color.a, alpha);
        for (int i = 0; i + 1 < some; i += 2)
            if (alpha[i] | alpha[i + 1])
                blend_pair(pixel + 4 * i, over, (unsigned)alpha[i], (unsigned)alpha[i + 1]);
        if (some % 2)
            blend_pixel(pixel + 4 * (some - 1), color, (unsigned)alpha[some - 1]);
    }
}

void viz_blend_span(viz_canvas *canvas, int x, float from, float to, bool across, viz_color color)
{
    const viz_pixels *part = &canvas->part;
    int low = across ? part->x0 : part->y0, high = across ? part->x1 : part->y1;
    bool inside = across ? x >= part->y0 && x < part->y1 : x >= part->x0 && x < part->x1;
    if (!inside || !(from < (float)high) || !(to > (float)low))
        return;
    int first = from > (float)low ? (int)floorf(from) : low;
    int end = to < (float)high ? (int)floorf(to) + 1 : high;
    end = end < high ? end : high;
    uint8_t *pixel = across ? pixel_at(canvas, first, x) : pixel_at(canvas, x, first);
    size_t step = across ? 4 : 4 * (size_t)canvas->width;
    for (int at = first; at < end; at++, pixel += step) {
        float above = from > (float)at ? from : (float)at;
        float below = to < (float)(at + 1) ? to : (float)(at + 1);
        if (below > above)
            blend_pixel(pixel, color, (unsigned)((float)color.a * (below - above) + 0.5f));
    }
}

/* What pixels of a shape depend on. No padding. */
typedef struct shape_key {
    viz_shape_kind kind;
    viz_color color;
    float numbers[6];
} shape_key;

static uint64_t hash_shape(const shape_key *key)
{
    return viz_hash(0, key, sizeof *key);
}

static uint64_t hash_box(viz_shape_kind kind, viz_pixels p, float radius, float thickness,
                         viz_color color)
{
    return hash_shape(&(shape_key){
        kind, color, {(float)p.x0, (float)p.y0, (float)p.x1, (float)p.y1, radius, thickness}});
}

static void fill_pixels(viz_canvas *canvas, viz_pixels p, viz_color color)
{
    viz_note(canvas, p, hash_shape(&(shape_key){VIZ_SHAPE_FILL, color, {0}}));
    VIZ_EACH_PART(canvas, p)
    {
        viz_pixels part = canvas->part;
        if (color.a == 255) {
            /* The first row by words, the others copied from it. */
            const uint8_t solid[4] = {color.r, color.g, color.b, 255};
            uint8_t *first = pixel_at(canvas, part.x0, part.y0);
            size_t width = (size_t)(part.x1 - part.x0);
            for (size_t x = 0; x < width; x++)
                memcpy(first + 4 * x, solid, sizeof solid);
            for (int y = part.y0 + 1; y < part.y1; y++)
                memcpy(pixel_at(canvas, part.x0, y), first, 4 * width);
        }
        for (int y = part.y0; color.a < 255 && y < part.y1; y++) {
            uint8_t *pixel = pixel_at(canvas, part.x0, y);
            for (int x = part.x0; x < part.x1; x++, pixel += 4)
                blend_pixel(pixel, color, color.a);
        }
    }
}

static void record_box(viz_canvas *canvas, viz_shape_kind kind, viz_pixels box, viz_color color)
{
    viz_record(canvas, &(viz_shape){.kind = kind, .box = box, .color = color});
}

void viz_clear(viz_canvas *canvas)
{
    viz_pixels all = {0, 0, canvas->width, canvas->height};
    viz_color ground = canvas->figure ? canvas->theme->paper : canvas->theme->ground;
    ground.a = 255;
    fill_pixels(canvas, all, ground);
    viz_record_clear(canvas);
    record_box(canvas, VIZ_SHAPE_FILL, all, ground);
}

void viz_fill(viz_canvas *canvas, viz_rect rect, viz_color color)
{
    viz_pixels p = viz_to_pixels(canvas, rect);
    fill_pixels(canvas, p, color);
    record_box(canvas, VIZ_SHAPE_FILL, p, color);
}

/* At least one pixel, and whole ones. */
static int thick_pixels(const viz_canvas *canvas, float thickness)
{
    int t = (int)lroundf(thickness * canvas->density);
    return t < 1 ? 1 : t;
}

static void record_frame(viz_canvas *canvas, viz_pixels box, float radius, float thickness,
                         viz_color color)
{
    viz_record(canvas, &(viz_shape){.kind = VIZ_SHAPE_FRAME,
                                    .box = box,
                                    .radius = radius,
                                    .thickness = thickness,
                                    .color = color});
}

void viz_frame(viz_canvas *canvas, viz_rect rect, float thickness, viz_color color)
{
    viz_pixels p = viz_to_pixels(canvas, rect);
    int t = thick_pixels(canvas, thickness);
    if (p.x1 - p.x0 <= 2 * t || p.y1 - p.y0 <= 2 * t) {
        fill_pixels(canvas, p, color);
        record_box(canvas, VIZ_SHAPE_FILL, p, color);
        return;
    }
    record_frame(canvas, p, 0, (float)t, color);
    fill_pixels(canvas, (viz_pixels){p.x0, p.y0, p.x1, p.y0 + t}, color);
    fill_pixels(canvas, (viz_pixels){p.x0, p.y1 - t, p.x1, p.y1}, color);
    fill_pixels(canvas, (viz_pixels){p.x0, p.y0 + t, p.x0 + t, p.y1 - t}, color);
    fill_pixels(canvas, (viz_pixels){p.x1 - t, p.y0 + t, p.x1, p.y1 - t}, color);
}

void viz_frame_apart(viz_canvas *canvas, viz_rect rect, float thickness)
{
    viz_rect around = {rect.x - 1, rect.y - 1, rect.w + 2, rect.h + 2};
    viz_frame(canvas, around, 1, (viz_color){0, 0, 0, 160});
    viz_frame(canvas, rect, thickness, canvas->theme->pale);
}

#define HATCH_PITCH 6.0f /* from stroke to stroke, in logical units */

void viz_hatch(viz_canvas *canvas, viz_rect rect, const viz_rect *room)
{
    const viz_color veil = canvas->theme->panel;
    const viz_color stroke = viz_with_alpha(canvas->theme->faint, 0.7f);
    viz_pixels p = viz_to_pixels(canvas, rect), all = room ? viz_to_pixels(canvas, *room) : p;
    int pitch = (int)lroundf(HATCH_PITCH * canvas->density);
    pitch = pitch < 2 ? 2 : pitch;
    p = viz_common(p, all);
    fill_pixels(canvas, p, veil);
    record_box(canvas, VIZ_SHAPE_FILL, p, veil);
    viz_record(canvas,
               &(viz_shape){.kind = VIZ_SHAPE_HATCH, .box = p, .pitch = pitch, .color = stroke});
    viz_note(canvas, p, hash_shape(&(shape_key){VIZ_SHAPE_HATCH, stroke, {(float)pitch}}));
    VIZ_EACH_PART(canvas, p)
    for (int y = canvas->part.y0; y < canvas->part.y1; y++)
        for (int x = canvas->part.x0; x < canvas->part.x1; x++)
            if ((x + y) % pitch == 0)
                viz_blend(canvas, x, y, stroke, 1);
}

/* ---------------------------------------------------------------- shapes by their distance */

/* The distance in pixels of (x, y) from the rounded rectangle; negative inside. */
static float round_distance(viz_pixels p, float radius, float x, float y)
{
    float half_w = 0.5f * (float)(p.x1 - p.x0), half_h = 0.5f * (float)(p.y1 - p.y0);
    float dx = fabsf(x - 0.5f * (float)(p.x0 + p.x1)) - half_w + radius;
    float dy = fabsf(y - 0.5f * (float)(p.y0 + p.y1)) - half_h + radius;
    float inside = fminf(fmaxf(dx, dy), 0.0f);
    return hypotf(fmaxf(dx, 0), fmaxf(dy, 0)) + inside - radius;
}

static float fit_radius(viz_pixels p, float radius)
{
    float most = 0.5f * (float)(p.x1 - p.x0 < p.y1 - p.y0 ? p.x1 - p.x0 : p.y1 - p.y0);
    return radius < most ? radius : most;
}

/* Only the rows of the corners need the distance; the rest is a plain rectangle. */
void viz_fill_round(viz_canvas *canvas, viz_rect rect, float radius, viz_color color)
{
    viz_pixels p = viz_to_pixels(canvas, rect);
    float r = fit_radius(p, radius * canvas->density);
    int corner = (int)ceilf(r);
    viz_record(canvas, &(viz_shape){.kind = VIZ_SHAPE_FILL, .box = p, .radius = r, .color = color});
    viz_pixels above = p, below = p;
    above.y1 = p.y0 + corner;
    below.y0 = p.y1 - corner > above.y1 ? p.y1 - corner : above.y1;
    fill_pixels(canvas, (viz_pixels){p.x0, above.y1, p.x1, below.y0}, color);
    for (int end = 0; end < 2; end++) {
        viz_pixels rows = end ? below : above;
        viz_note(canvas, rows, hash_box(VIZ_SHAPE_FILL, p, r, 0, color));
        VIZ_EACH_PART(canvas, rows)
        for (int y = canvas->part.y0; y < canvas->part.y1; y++)
            for (int x = canvas->part.x0; x < canvas->part.x1; x++)
                viz_blend(canvas, x, y, color,
                          0.5f - round_distance(p, r, (float)x + 0.5f, (float)y + 0.5f));
    }
}

void viz_frame_round(viz_canvas *canvas, viz_rect rect, float radius, float thickness,
                     viz_color color)
{
    viz_pixels p = viz_to_pixels(canvas, rect);
    float r = fit_radius(p, radius * canvas->density);
    float t = (float)thick_pixels(canvas, thickness);
    record_frame(canvas, p, r, t, color);
    int edge = (int)ceilf(fmaxf(r, t + 1)); /* pixels further inside are not touched */
    bool hollow = p.y0 + edge < p.y1 - edge && p.x0 + edge < p.x1 - edge;
    viz_pixels sides[] = {{p.x0, p.y0, p.x1, hollow ? p.y0 + edge : p.y1},
                          {p.x0, p.y1 - edge, p.x1, p.y1},
                          {p.x0, p.y0 + edge, p.x0 + edge, p.y1 - edge},
                          {p.x1 - edge, p.y0 + edge, p.x1, p.y1 - edge}};
    for (int i = 0; i < (hollow ? 4 : 1); i++) {
        viz_note(canvas, sides[i], hash_box(VIZ_SHAPE_FRAME, p, r, t, color));
        VIZ_EACH_PART(canvas, sides[i])
        for (int y = canvas->part.y0; y < canvas->part.y1; y++)
            for (int x = canvas->part.x0; x < canvas->part.x1; x++) {
                float d = round_distance(p, r, (float)x + 0.5f, (float)y + 0.5f);
                viz_blend(canvas, x, y, color, fminf(0.5f - d, 0.5f + d + t));
            }
    }
}

/* The distance of (x, y) from the segment that starts at `from` and runs along `along`. */
static float segment_distance(const float from[2], const float along[2], float x, float y)
{
    float px = x - from[0], py = y - from[1];
    float length2 = along[0] * along[0] + along[1] * along[1];
    float t = length2 > 0 ? (px * along[0] + py * along[1]) / length2 : 0;
    t = fminf(fmaxf(t, 0), 1);
    return hypotf(px - t * along[0], py - t * along[1]);
}

/* Where row `y` comes as near as `reach` to the endless line through `from` along `along`, within the
 * box: of a long line most pixels of its box are far away. */
static void line_span_in_row(viz_pixels box, const float from[2], const float along[2], float reach,
                             int y, int *first, int *end)
{
    float length = hypotf(along[0], along[1]), slope = along[1];
    *first = box.x0;
    *end = box.x1;
    if (fabsf(slope) < 1e-3f * length || length == 0)
        return; /* level: the box is as narrow */
    float middle = from[0] + ((float)y + 0.5f - from[1]) * along[0] / slope;
    float half = reach * length / fabsf(slope) + 1;
    *first = (int)fmaxf((float)box.x0, floorf(middle - half));
    *end = (int)fminf((float)box.x1, ceilf(middle + half));
}

/* A long line is noted in the tiles that it runs through. */
static void note_line(viz_canvas *canvas, viz_pixels box, const float from[2], const float along[2],
                      float reach, viz_color color)
{
    uint64_t hash = hash_shape(
        &(shape_key){VIZ_SHAPE_LINE, color, {from[0], from[1], along[0], along[1], reach}});
    for (int y = box.y0, end; viz_is_noting(canvas) && y < box.y1; y = end) {
        viz_pixels first = box, last = box;
        end = (y / VIZ_TILE + 1) * VIZ_TILE;
        end = end < box.y1 ? end : box.y1;
        line_span_in_row(box, from, along, reach, y, &first.x0, &first.x1);
        line_span_in_row(box, from, along, reach, end - 1, &last.x0, &last.x1);
        viz_note(canvas,
                 (viz_pixels){first.x0 < last.x0 ? first.x0 : last.x0, y,
                              first.x1 > last.x1 ? first.x1 : last.x1, end},
                 hash);
    }
}

void viz_line(viz_canvas *canvas, float x0, float y0, float x1, float y1, float thickness,
              viz_color color)
{
    float d = canvas->density, half = 0.5f * fmaxf(thickness * d, 1.0f);
    float from[2] = {x0 * d, y0 * d}, along[2] = {(x1 - x0) * d, (y1 - y0) * d};
    viz_point ends[2] = {{x0 * d, y0 * d}, {x1 * d, y1 * d}};
    viz_record(canvas, &(viz_shape){.kind = VIZ_SHAPE_LINE,
                                    .points = ends,
                                    .point_count = 2,
                                    .thickness = 2 * half,
                                    .color = color});
    float reach = half + 1;
    viz_pixels box = {(int)floorf(fminf(x0, x1) * d - reach),
                      (int)floorf(fminf(y0, y1) * d - reach), (int)ceilf(fmaxf(x0, x1) * d + reach),
                      (int)ceilf(fmaxf(y0, y1) * d + reach)};
    box = viz_seen_part(canvas, box);
    note_line(canvas, box, from, along, reach, color);
    VIZ_EACH_PART(canvas, box)
    for (int y = canvas->part.y0; y < canvas->part.y1; y++) {
        int first, end;
        line_span_in_row(canvas->part, from, along, reach, y, &first, &end);
        for (int x = first; x < end; x++)
            viz_blend(canvas, x, y, color,
                      half + 0.5f -
                          segment_distance(from, along, (float)x + 0.5f, (float)y + 0.5f));
    }
}

void viz_disc(viz_canvas *canvas, float x, float y, float radius, viz_color color)
{
    viz_line(canvas, x, y, x, y, 2 * radius, color);
}

/* ---------------------------------------------------------------- images */

static void copy_row(const uint8_t *from, uint8_t *to, int count, bool opaque)
{
    if (opaque) {
        memcpy(to, from, 4 * (size_t)count);
        return;
    }
    for (int x = 0; x < count; x++, from += 4, to += 4) {
        unsigned a = from[3];
        for (int c = 0; c < 3; c++)
            to[c] = (uint8_t)((from[c] * a + to[c] * (255 - a) + 127) / 255);
    }
}

/* Scales the image, unless the kept one is that. False: no memory. */
static bool ensure_scaled_image(viz_scaled *kept, const sac_image *image, unsigned stamp, int width,
                                int height, bool smooth)
{
    static uint64_t made; /* so many images were */
    bool stale = !kept->image.rgba || kept->image.width != width || kept->image.height != height ||
                 kept->stamp != stamp || kept->smooth != smooth;
    if (!stale)
        return true;
    viz_scaled_free(kept);
    if (sac_image_scale(image, width, height, smooth, &kept->image, NULL) != SAC_OK) {
        viz_drawing_lacks_memory();
        return false;
    }
    kept->stamp = stamp;
    kept->smooth = smooth;
    kept->number = ++made;
    kept->opaque = sac_is_opaque(kept->image.rgba, (size_t)width * (size_t)height);
    return true;
}

void viz_image_kept(viz_canvas *canvas, viz_scaled *kept, const sac_image *image, unsigned stamp,
                    viz_rect rect, bool smooth)
{
    viz_pixels p = viz_to_pixels(canvas, rect);
    int width = p.x1 - p.x0, height = p.y1 - p.y0;
    if (width >= 1 && height >= 1 &&
        ensure_scaled_image(kept, image, stamp, width, height, smooth)) {
        const viz_pixels box = {p.x0, p.y0, p.x0 + kept->image.width, p.y0 + kept->image.height};
        viz_note(canvas, box, viz_hash(kept->number, &box, sizeof box));
        VIZ_EACH_PART(canvas, box)
        for (int row = canvas->part.y0; row < canvas->part.y1; row++)
            copy_row(kept->image.rgba + 4 * ((size_t)(row - p.y0) * (size_t)kept->image.width +
                                             (size_t)(canvas->part.x0 - p.x0)),
                     viz_pixel_at(canvas, canvas->part.x0, row), canvas->part.x1 - canvas->part.x0,
                     kept->opaque);
        viz_record(canvas, &(viz_shape){.kind = VIZ_SHAPE_IMAGE, .box = box, .image = kept->image});
    }
}

void viz_scaled_free(viz_scaled *kept)
{
    sac_image_free(&kept->image);
    sac_image_free(&kept->dimmed);
    *kept = (viz_scaled){0};
}

void viz_image(viz_canvas *canvas, const sac_image *image, viz_rect rect, bool smooth)
{
    viz_scaled once = {0};
    viz_image_kept(canvas, &once, image, 0, rect, smooth);
    viz_scaled_free(&once);
}
