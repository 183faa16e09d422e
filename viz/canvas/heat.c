/* Draws a map of weights as heat: each cell becomes a place on the colour scale, places are
 * interpolated to pixels (down a column once per row, then along it), and a table maps each place
 * to the change of the pixel. */
#include "canvas/heat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "canvas/recording.h"

/* In a picture whose shorter side is below this, in logical units, the contour would cover the
 * heat. */
#define LEAST_CONTOURED 120.0f

const char *const viz_overlay_names[VIZ_OVERLAY_COUNT] = {"heat", "spotlight", "contour"};

const char *viz_overlay_name(viz_overlay overlay)
{
    return (unsigned)overlay < VIZ_OVERLAY_COUNT ? viz_overlay_names[overlay] : "";
}

enum { TAPS = 4 };

/* Neighbouring cells and their shares in one pixel, along one axis. */
typedef struct taps {
    int cell[TAPS];
    float share[TAPS];
} taps;

/* Catmull–Rom, so that a cell's centre shows the cell's own weight; blocky: that cell alone. */
static taps taps_at(float place, int cells, bool blocky)
{
    float centre = place * (float)cells - 0.5f;
    int first = blocky ? (int)(place * (float)cells) : (int)floorf(centre) - 1;
    float f = centre - floorf(centre), f2 = f * f, f3 = f2 * f;
    taps t = {.share = {0.5f * (-f + 2 * f2 - f3), 0.5f * (2 - 5 * f2 + 3 * f3),
                        0.5f * (f + 4 * f2 - 3 * f3), 0.5f * (f3 - f2)}};
    if (blocky)
        t = (taps){.share = {1}};
    for (int k = 0; k < 4; k++) {
        int cell = blocky ? first : first + k;
        t.cell[k] = cell < 0 ? 0 : cell > cells - 1 ? cells - 1 : cell;
    }
    return t;
}

/* The taps of a row of pixels. Pixels between the centres of the same two cells are a run: they
 * read the same cells, so that a run is computed by vector instructions. */
typedef struct axis_taps {
    int runs;
    int *end;           /* [runs] the pixel after the run's last */
    int (*cell)[TAPS];  /* [runs] */
    float *share[TAPS]; /* [count] each; the first holds the memory of all */
} axis_taps;

static void axis_free(axis_taps *axis)
{
    free(axis->end);
    free(axis->cell);
    free(axis->share[0]);
}

static bool axis_reserve(axis_taps *axis, size_t count)
{
    axis->end = viz_allocate(count, sizeof *axis->end);
    axis->cell = viz_allocate(count, sizeof *axis->cell);
    axis->share[0] = viz_allocate(count, TAPS * sizeof **axis->share);
    for (int k = 1; axis->share[0] && k < TAPS; k++)
        axis->share[k] = axis->share[0] + (size_t)k * count;
    return axis->end && axis->cell && axis->share[0];
}

/* For `count` pixels, the first of which is pixel `from` of `whole`. */
static bool axis_create(int from, int count, int whole, int cells, bool blocky, axis_taps *axis)
{
    if (!axis_reserve(axis, (size_t)count))
        return false;
    for (int i = 0; i < count; i++) {
        taps t = taps_at(((float)(from + i) + 0.5f) / (float)whole, cells, blocky);
        bool same = axis->runs && memcmp(axis->cell[axis->runs - 1], t.cell, sizeof t.cell) == 0;
        if (!same)
            memcpy(axis->cell[axis->runs++], t.cell, sizeof t.cell);
        axis->end[axis->runs - 1] = i + 1;
        for (int k = 0; k < TAPS; k++)
            axis->share[k][i] = t.share[k];
    }
    return true;
}

/* A field of places (or weights) over the grid, read out in rows of pixels. */
typedef struct field {
    const float *cells; /* [grid_h,grid_w] */
    int grid_w, grid_h, height;
    axis_taps along; /* a row of pixels */
    int y0, x0, width;
    bool blocky;
    float *column; /* [grid_w] the row of cells at one y */
} field;

static bool field_open(field *f, viz_pixels whole, viz_pixels seen, const float *cells, int grid_w,
                       int grid_h, bool blocky)
{
    *f = (field){.cells = cells,
                 .grid_w = grid_w,
                 .grid_h = grid_h,
                 .blocky = blocky,
                 .height = whole.y1 - whole.y0,
                 .y0 = whole.y0,
                 .x0 = seen.x0,
                 .width = seen.x1 - seen.x0};
    f->column = calloc((size_t)grid_w, sizeof *f->column);
    return f->column && axis_create(seen.x0 - whole.x0, f->width, whole.x1 - whole.x0, grid_w,
                                    blocky, &f->along);
}

static void field_close(field *f)
{
    axis_free(&f->along);
    free(f->column);
}

/* Run `run` of a row: pixels from `x` to its end. */
static void field_run(const field *f, int run, int x, float *restrict out)
{
    const int *cell = f->along.cell[run];
    const float *restrict s0 = f->along.share[0], *restrict s1 = f->along.share[1];
    const float *restrict s2 = f->along.share[2], *restrict s3 = f->along.share[3];
    float c0 = f->column[cell[0]], c1 = f->column[cell[1]];
    float c2 = f->column[cell[2]], c3 = f->column[cell[3]];
    for (int end = f->along.end[run]; x < end; x++) {
        float sum = s0[x] * c0 + s1[x] * c1 + s2[x] * c2 + s3[x] * c3;
        out[x] = sum > 0 ? sum : 0;
    }
}

/* The pixels' places along row y of the canvas into out[width], clamped below at 0. */
static void field_row(field *f, int y, float *out)
{
    taps down = taps_at(((float)(y - f->y0) + 0.5f) / (float)f->height, f->grid_h, f->blocky);
    memset(f->column, 0, (size_t)f->grid_w * sizeof *f->column);
    for (int k = 0; k < TAPS; k++) {
        const float *row = f->cells + (size_t)down.cell[k] * (size_t)f->grid_w;
        for (int x = 0; x < f->grid_w && down.share[k] != 0; x++)
            f->column[x] += down.share[k] * row[x];
    }
    for (int run = 0; run < f->along.runs; run++)
        field_run(f, run, run ? f->along.end[run - 1] : 0, out);
}

/* ---------------------------------------------------------------- colours */

#define TABLE 256
#define DARKEST_HEAT 45.0f /* L* that heat begins with: 12 and more above the dimmed ground */
#define FADED 20           /* entries of the table over which it rises from black to that */

/* The part of a map that is lighter than the dimmed picture, after a short rise from black. */
static void make_heat_colors(viz_colormap map, viz_color colors[TABLE])
{
    const viz_color *whole = viz_colormap_table(map);
    float lab[3] = {0};
    int first = 0;
    for (; first < TABLE - 1 && lab[0] < DARKEST_HEAT; first++)
        viz_color_lab(whole[first], lab);
    float start = (float)first / (TABLE - 1);
    for (int i = 0; i < TABLE; i++) {
        float rise = i < FADED ? (float)i / FADED : 1;
        viz_color c = viz_colormap_color(map, start + (1 - start) * (float)i / (TABLE - 1));
        colors[i] =
            (viz_color){(uint8_t)(rise * c.r), (uint8_t)(rise * c.g), (uint8_t)(rise * c.b), 255};
    }
}

const viz_color *viz_heat_colors(viz_colormap map)
{
    static viz_color tables[VIZ_COLORMAP_COUNT][TABLE];
    if (map == VIZ_DIVERGING) /* nothing is its middle, and dark already */
        return viz_colormap_table(map);
    if (!tables[map][TABLE - 1].a)
        make_heat_colors(map, tables[map]);
    return tables[map];
}

const viz_color *viz_overlay_colors(viz_overlay overlay, viz_colormap map)
{
    static viz_color greys[TABLE];
    if (overlay != VIZ_SPOTLIGHT)
        return viz_heat_colors(map);
    for (int i = 0; i < TABLE && !greys[TABLE - 1].a; i++)
        greys[i] = (viz_color){(uint8_t)i, (uint8_t)i, (uint8_t)i, 255};
    return greys;
}

/* ---------------------------------------------------------------- heat and spotlight */

#define OPAQUE_FROM 0.05f /* share of the map's largest weight from which on heat covers */
#define GROUND_BLACK 0.05f
#define GROUND_WHITE 0.28f
#define LEAST_TONES 0.3f  /* a picture of fewer tones is not spread further */
#define LEAST_GAMMA 0.45f /* shadows are not lifted further, */
#define MOST_GAMMA 0.8f   /* and nowhere less */

/* The channels of two pixels, for vector instructions. */
typedef uint8_t pair_bytes __attribute__((vector_size(8)));
typedef uint16_t pixel_pair __attribute__((vector_size(16)));
typedef uint64_t two_pixels __attribute__((vector_size(16)));

/* The change of a pixel whose place on the scale is t: ground · keep/256 + add. */
typedef struct effect {
    uint64_t keep; /* a uint16_t for each channel */
    uint64_t add;  /* likewise, in 1/256 of a level */
} effect;

/* All that the drawing of a row of pixels needs. */
typedef struct heat_look {
    effect effect[TABLE];
    int luma[TABLE];   /* a pixel's luma below the heat, in 1/256 of a level, */
    int chroma[TABLE]; /* and what is left of its colour, of 256; both by its own luma */
    float strength;    /* 0 … 1: how far the picture turns into ground */
} heat_look;

/* Alpha stays. ground · keep + add + 128 is below 65536, as add is at most 255 · (256 − keep). */
static effect cover(viz_color color, float alpha)
{
    uint16_t share = (uint16_t)(256 * (1 - alpha) + 0.5f);
    const uint16_t keep[4] = {share, share, share, 256};
    const uint16_t add[4] = {(uint16_t)(256 * alpha * color.r), (uint16_t)(256 * alpha * color.g),
                             (uint16_t)(256 * alpha * color.b)};
    effect e;
    memcpy(&e.keep, keep, sizeof e.keep);
    memcpy(&e.add, add, sizeof e.add);
    return e;
}

/* The weight at place t as a share of the weight at the end of the scale. */
static float share_at(const viz_heat_style *style, float t)
{
    if (style->map == VIZ_DIVERGING)
        return fabsf(2 * t - 1);
    if (style->scale.kind == VIZ_LOG)
        return powf(style->scale.high / style->scale.low, t - 1);
    return style->scale.kind == VIZ_ROOT ? t * t : t;
}

/* The share from which on heat covers: a few per cent of the map's largest weight. Where a scale is
 * shared with larger ones, what is still black on it covers nothing: the picture is seen instead.
 */
static float opaque_from(const viz_heat_style *style, float largest)
{
    float black = style->map == VIZ_DIVERGING ? 0 : share_at(style, (float)FADED / (TABLE - 1));
    return fmaxf(OPAQUE_FROM * largest, fminf(OPAQUE_FROM, black));
}

/* Nothing at weight 0, and soon nearly opaque, so that the colour on the picture is the colour of
 * the bar. */
static float heat_alpha(const viz_heat_style *style, float largest, float t)
{
    bool nothing = !(largest > 0) || (t <= 0 && style->map != VIZ_DIVERGING);
    float part = nothing ? 0 : fminf(share_at(style, t) / opaque_from(style, largest), 1);
    return style->opacity * part * part * (3 - 2 * part);
}

/* The brightness that a place on the scale is left with; a scale by the root has spread faint
 * weights already. */
static float spotlight(const viz_heat_style *style, float t)
{
    return style->scale.kind == VIZ_ROOT ? t : sqrtf(t);
}

/* How a picture's tones, 0 … 1, become those of the ground. */
typedef struct tone_curve {
    float dark, range, gamma;
} tone_curve;

/* The tones that the picture has are spread over those that are darker than heat, with half of its
 * pixels above their middle: a picture of the night is recognised below heat as one of the day is.
 */
static tone_curve find_curve(const viz_scaled *kept)
{
    if (!kept)
        return (tone_curve){0, 1, LEAST_GAMMA};
    float dark = kept->dark / 255.0f, tones = kept->light / 255.0f - dark;
    float lacking = fmaxf(LEAST_TONES - tones, 0);
    tone_curve curve = {dark, tones + lacking, MOST_GAMMA};
    if (lacking > 0)
        curve.dark *= 1 - lacking / (1 - tones); /* white stays light, black dark */
    float middle = (kept->middle / 255.0f - curve.dark) / curve.range;
    if (middle < 0.42f) /* that MOST_GAMMA takes to half */
        curve.gamma = fmaxf(logf(0.5f) / logf(fmaxf(middle, 0.01f)), LEAST_GAMMA);
    return curve;
}

static float ground_luma(const tone_curve *curve, float luma)
{
    float t = fminf(fmaxf((luma - curve->dark) / curve->range, 0), 1);
    return GROUND_BLACK + (GROUND_WHITE - GROUND_BLACK) * powf(t, curve->gamma);
}

/* Below heat the picture is dark and half grey; opacity 0 leaves it as it is. */
static void make_ground(const viz_heat_style *style, const viz_scaled *kept, heat_look *look)
{
    float bright = 1 - style->opacity;
    float strength = style->overlay == VIZ_HEAT ? 1 - bright * bright : 0;
    tone_curve curve = find_curve(kept);
    look->strength = strength;
    for (int i = 0; i < TABLE; i++) {
        float luma = (float)i / 255, below = ground_luma(&curve, luma);
        float chroma = 0.5f * fminf(below / fmaxf(luma, GROUND_BLACK), 1);
        look->luma[i] = (int)(256 * 255 * ((1 - strength) * luma + strength * below) + 0.5f);
        look->chroma[i] = (int)(256 * (1 - strength + strength * chroma) + 0.5f);
    }
}

/* `places` [count] of the cells: the largest among them sets what a few per cent are. */
static void make_look(const viz_heat_style *style, const viz_scaled *kept, const float *places,
                      size_t count, heat_look *look)
{
    const viz_color *colors = viz_heat_colors(style->map);
    float largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmaxf(largest, share_at(style, places[i]));
    make_ground(style, kept, look);
    for (int i = 0; i < TABLE; i++) {
        float t = (float)i / (TABLE - 1);
        if (style->overlay == VIZ_SPOTLIGHT) /* black, thinning out where attention is */
            look->effect[i] = cover((viz_color){0}, style->opacity * (1 - spotlight(style, t)));
        else
            look->effect[i] = cover(colors[i], heat_alpha(style, largest, t));
    }
}

static inline uint8_t to_level(int value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* A row of the picture as it is below the heat; `to` may be `from`. */
static void ground_row(const uint8_t *from, uint8_t *to, int width, const heat_look *look)
{
    for (int x = 0; x < width; x++, from += 4, to += 4) {
        int luma = (int)viz_luma(from), below = look->luma[luma] + 128, left = look->chroma[luma];
        for (int c = 0; c < 3; c++)
            to[c] = to_level((below + (from[c] - luma) * left) >> 8);
        to[3] = from[3];
    }
}

enum { ENTRIES = 64 }; /* pixels whose places in the table are found at a time, in vectors */

static void find_entries(const float *restrict places, int count, int *restrict entries)
{
    for (int i = 0; i < count; i++) {
        float entry = places[i] * (TABLE - 1) + 0.5f;
        entries[i] = (int)(entry < TABLE - 1 ? entry : TABLE - 1);
    }
}

/* Two pixels of ground under heat. */
static inline void cover_pair(const uint8_t *ground, uint8_t *to, const effect *first,
                              const effect *second)
{
    pair_bytes bytes;
    memcpy(&bytes, ground, sizeof bytes);
    pixel_pair keep = (pixel_pair)(two_pixels){first->keep, second->keep};
    pixel_pair add = (pixel_pair)(two_pixels){first->add, second->add};
    pixel_pair lanes = (__builtin_convertvector(bytes, pixel_pair) * keep + add + 128) >> 8;
    bytes = __builtin_convertvector(lanes, pair_bytes);
    memcpy(to, &bytes, sizeof bytes);
}

/* Heat over a row of ground; `to` may be `ground`. The last pixel of an odd row is its own pair. */
static void cover_row(const uint8_t *ground, uint8_t *to, const float *places, int width,
                      const heat_look *look)
{
    int entries[ENTRIES];
    for (int from = 0; from < width; from += ENTRIES) {
        int count = width - from < ENTRIES ? width - from : ENTRIES;
        find_entries(places + from, count, entries);
        const effect *effects = look->effect;
        for (int i = 0; i + 1 < count; i += 2, ground += 8, to += 8)
            cover_pair(ground, to, &effects[entries[i]], &effects[entries[i + 1]]);
        if (count % 2) {
            uint8_t pair[8] = {0};
            memcpy(pair, ground, 4);
            cover_pair(pair, pair, &effects[entries[count - 1]], &effects[entries[count - 1]]);
            memcpy(to, pair, 4);
        }
    }
}

static uint8_t *row_at(viz_canvas *canvas, int x, int y)
{
    return canvas->rgba + 4 * ((size_t)y * (size_t)canvas->width + (size_t)x);
}

/* Where heat goes: `whole` is the grid's, `seen` what of it can be seen. `kept`: the picture that
 * was drawn there, or NULL. */
typedef struct heat_place {
    viz_pixels whole, seen;
    viz_scaled *kept;
} heat_place;

/* The kept picture as ground, made again only where it or the strength changed. NULL where there is
 * none, or what is behind it shows through. */
static const sac_image *find_ground(const heat_place *place, const heat_look *look)
{
    viz_scaled *kept = place->kept;
    const sac_image *image = kept ? &kept->image : NULL;
    if (!image || !kept->opaque || image->width != place->whole.x1 - place->whole.x0 ||
        image->height != place->whole.y1 - place->whole.y0)
        return NULL;
    sac_image *ground = &kept->ground;
    if (ground->rgba && kept->ground_strength == look->strength)
        return ground;
    if (!ground->rgba && sac_image_create(image->width, image->height, ground, NULL) != SAC_OK)
        return NULL;
    ground_row(image->rgba, ground->rgba, image->width * image->height, look);
    kept->ground_strength = look->strength;
    return ground;
}

/* The ground of the first pixel that is seen of row y of the canvas. */
static const uint8_t *ground_at(const heat_place *place, const sac_image *ground, int y)
{
    size_t x = (size_t)(place->seen.x0 - place->whole.x0), row = (size_t)(y - place->whole.y0);
    return ground->rgba + 4 * (row * (size_t)ground->width + x);
}

static void draw_look(viz_canvas *canvas, const heat_place *place, field *f, float *row,
                      const viz_heat_style *style)
{
    heat_look look;
    make_look(style, place->kept, f->cells, (size_t)f->grid_w * (size_t)f->grid_h, &look);
    const sac_image *kept = find_ground(place, &look);
    for (int y = place->seen.y0; y < place->seen.y1; y++) {
        uint8_t *pixels = row_at(canvas, place->seen.x0, y);
        const uint8_t *ground = kept ? ground_at(place, kept, y) : pixels;
        if (!kept)
            ground_row(pixels, pixels, f->width, &look);
        field_row(f, y, row);
        cover_row(ground, pixels, row, f->width, &look);
    }
}

/* ---------------------------------------------------------------- contours */

static int descending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* The weight of the last cell that it takes, largest first, to reach a share of the whole mass. */
static float mass_threshold(const float *sorted, size_t count, float share)
{
    double total = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        total += sorted[i];
    for (size_t i = 0; i < count; i++) {
        sum += sorted[i];
        if (sum >= share * total)
            return sorted[i];
    }
    return 0;
}

/* A light line with a dark rim. */
typedef struct contour_pen {
    float core, rim; /* pixels from the middle of the line to the end of each */
    viz_color light, dark;
} contour_pen;

static contour_pen pen_of(float density, float width, float opacity)
{
    viz_color light = {255, 255, 255, 255}, dark = {8, 9, 12, 255};
    float core = fmaxf(0.5f * width * density, 0.5f);
    return (contour_pen){core, core + fmaxf(density, 1), viz_with_alpha(light, opacity),
                         viz_with_alpha(dark, 0.9f * opacity)};
}

/* The row being drawn with its neighbours, for gradients. */
typedef struct contour_rows {
    const float *before, *now, *after;
} contour_rows;

static inline float slope_squared(const contour_rows *r, int x)
{
    float dx = 0.5f * (r->now[x + 1] - r->now[x - 1]), dy = 0.5f * (r->after[x] - r->before[x]);
    float slope2 = dx * dx + dy * dy;
    return slope2 > 1e-24f ? slope2 : 1e-24f;
}

/* True where the line comes within `reach` (squared, in pixels) of one of these pixels. */
static bool is_near(const contour_rows *r, int first, int end, float level, float reach)
{
    int near = 0;
    for (int x = first; x < end; x++) {
        float away = r->now[x] - level;
        near |= away * away <= reach * slope_squared(r, x);
    }
    return near;
}

static void contour_pixel(viz_canvas *canvas, int x, int y, float distance, const contour_pen *pen)
{
    viz_blend(canvas, x, y, pen->dark, pen->rim + 0.5f - distance);
    viz_blend(canvas, x, y, pen->light, pen->core + 0.5f - distance);
}

/* Draws a contour line where the field crosses `level`; the distance to it is estimated from the
 * gradient. Most stretches of a row are far from it. */
static void contour_row(viz_canvas *canvas, viz_pixels seen, int y, const contour_rows *r,
                        float level, const contour_pen *pen)
{
    enum { STRETCH = 32 };
    int last = seen.x1 - seen.x0 - 1;
    float reach = (pen->rim + 0.5f) * (pen->rim + 0.5f);
    for (int first = 1; first < last; first += STRETCH) {
        int end = first + STRETCH < last ? first + STRETCH : last;
        if (!is_near(r, first, end, level, reach))
            continue;
        for (int x = first; x < end; x++) {
            float away = fabsf(r->now[x] - level), slope2 = slope_squared(r, x);
            if (away * away <= reach * slope2)
                contour_pixel(canvas, seen.x0 + x, y, away / sqrtf(slope2), pen);
        }
    }
}

/* Half way between the last cell inside and the cells outside, so that the line runs between. */
static float contour_level(const float *sorted, size_t count, float share)
{
    float inside = mass_threshold(sorted, count, share), outside = 0;
    for (size_t i = 0; i < count && outside == 0; i++)
        if (sorted[i] < inside)
            outside = sorted[i];
    return 0.5f * (inside + outside);
}

/* The levels around 50 and 90 per cent of the weight. */
static bool find_levels(const float *weights, size_t count, float levels[2])
{
    float *sorted = viz_allocate(count, sizeof *sorted);
    if (!sorted)
        return false;
    memcpy(sorted, weights, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, descending);
    levels[0] = contour_level(sorted, count, 0.5f);
    levels[1] = contour_level(sorted, count, 0.9f);
    free(sorted);
    return true;
}

/* `most` [grid_h] becomes the largest weight that a pixel in that row of cells, or a pixel beside
 * it, is interpolated from. */
static void find_most_around(const field *f, float *most)
{
    int reach = 2 + (f->grid_h + f->height - 1) / f->height;
    for (int row = 0; row < f->grid_h; row++)
        most[row] = 0;
    for (int i = 0; i < f->grid_w * f->grid_h; i++) {
        int row = i / f->grid_w, end = row + reach < f->grid_h ? row + reach + 1 : f->grid_h;
        for (int r = row > reach ? row - reach : 0; r < end; r++)
            most[r] = fmaxf(most[r], fabsf(f->cells[i]));
    }
}

/* True if no pixel of row y can be near a line, by the largest weight around it. Interpolated
 * weights are at most 1.25² times that, and gradients, half the difference of two of them along
 * either axis, at most √2 / 2 times as much again. */
static bool is_far(const field *f, const float *most, int y, float level, float reach)
{
    int row = (int)(((float)(y - f->y0) + 0.5f) / (float)f->height * (float)f->grid_h);
    float value = 1.6f * most[row < f->grid_h ? row : f->grid_h - 1];
    return value * (1 + 0.71f * reach) < level;
}

/* Rows of the field that have been read: row y is in place y % 3. */
typedef struct read_rows {
    float *row[3];
    int y[3];
} read_rows;

static const float *read_row(read_rows *rows, field *f, int y)
{
    int place = y % 3;
    if (rows->y[place] != y)
        field_row(f, y, rows->row[place]);
    rows->y[place] = y;
    return rows->row[place];
}

/* Lines to draw, the outermost last. */
typedef struct contour {
    float level;
    contour_pen pen;
} contour;

static void draw_contour_rows(viz_canvas *canvas, viz_pixels seen, field *f, read_rows *rows,
                              const float *most, const contour *lines, int count)
{
    float level = lines[count - 1].level, reach = lines[0].pen.rim + 0.5f;
    for (int y = seen.y0; y < seen.y1; y++) {
        if (is_far(f, most, y, level, reach))
            continue;
        int before = y > seen.y0 ? y - 1 : y, after = y + 1 < seen.y1 ? y + 1 : y;
        const contour_rows near = {read_row(rows, f, before), read_row(rows, f, y),
                                   read_row(rows, f, after)};
        for (int i = count - 1; i >= 0; i--)
            contour_row(canvas, seen, y, &near, lines[i].level, &lines[i].pen);
    }
}

/* The first `count` of the levels; the field is that of the weights. `buffer` holds three rows. */
static void draw_contours(viz_canvas *canvas, viz_pixels seen, field *f, float *buffer,
                          const float levels[2], int count, float opacity)
{
    const contour lines[] = {{levels[0], pen_of(canvas->density, VIZ_CONTOUR_HALF, opacity)},
                             {levels[1], pen_of(canvas->density, VIZ_CONTOUR_MOST, opacity)}};
    read_rows rows = {{buffer, buffer + f->width, buffer + 2 * (size_t)f->width}, {-1, -1, -1}};
    float *most = viz_allocate((size_t)f->grid_h, sizeof *most);
    if (!most)
        return;
    find_most_around(f, most);
    draw_contour_rows(canvas, seen, f, &rows, most, lines, count);
    free(most);
}

void viz_contour_sample(viz_canvas *canvas, viz_rect rect, float width)
{
    float y = rect.y + rect.h / 2, x1 = rect.x + rect.w;
    viz_line(canvas, rect.x, y, x1, y, width + 2, (viz_color){8, 9, 12, 255});
    viz_line(canvas, rect.x, y, x1, y, width, (viz_color){255, 255, 255, 255});
}

/* ---------------------------------------------------------------- the overlays */

static viz_pixels seen_part(const viz_canvas *canvas, viz_pixels p)
{
    p.x0 = p.x0 > canvas->clip_x0 ? p.x0 : canvas->clip_x0;
    p.y0 = p.y0 > canvas->clip_y0 ? p.y0 : canvas->clip_y0;
    p.x1 = p.x1 < canvas->clip_x1 ? p.x1 : canvas->clip_x1;
    p.y1 = p.y1 < canvas->clip_y1 ? p.y1 : canvas->clip_y1;
    return p;
}

/* Opens a field over the seen part of a place, with three rows to read it into. */
static bool surface_open(field *f, float **rows, const heat_place *place, const float *cells,
                         int grid_w, int grid_h, bool blocky)
{
    *rows = calloc(3 * (size_t)(place->seen.x1 - place->seen.x0), sizeof **rows);
    bool opened = field_open(f, place->whole, place->seen, cells, grid_w, grid_h, blocky) && *rows;
    if (!opened)
        viz_drawing_lacks_memory();
    return opened;
}

static void overlay_colors(viz_canvas *canvas, const heat_place *place, const float *weights,
                           int grid_w, int grid_h, const viz_heat_style *style)
{
    field f = {0};
    size_t count = (size_t)grid_w * (size_t)grid_h;
    float *rows = NULL, *places = viz_allocate(count, sizeof *places);
    for (size_t i = 0; places && i < count; i++)
        places[i] = viz_scale_at(&style->scale, weights[i]);
    if (places && surface_open(&f, &rows, place, places, grid_w, grid_h, style->blocky))
        draw_look(canvas, place, &f, rows, style);
    field_close(&f);
    free(rows);
    free(places);
}

/* Contours follow a smooth field whatever the style. */
static void overlay_contours(viz_canvas *canvas, const heat_place *place, const float *weights,
                             int grid_w, int grid_h, const viz_heat_style *style)
{
    field f = {0};
    float *rows = NULL, levels[2];
    int lines = style->overlay == VIZ_CONTOUR ? 2 : 1;
    if (find_levels(weights, (size_t)grid_w * (size_t)grid_h, levels) && levels[0] > 0 &&
        surface_open(&f, &rows, place, weights, grid_w, grid_h, false))
        draw_contours(canvas, place->seen, &f, rows, levels, lines, style->opacity);
    field_close(&f);
    free(rows);
}

bool viz_heat_has_contour(const viz_heat_style *style, viz_rect rect)
{
    bool small = fminf(rect.w, rect.h) < LEAST_CONTOURED;
    return style->overlay == VIZ_CONTOUR ||
           (style->overlay == VIZ_HEAT && style->map != VIZ_DIVERGING && !small);
}

void viz_heat(viz_canvas *canvas, viz_scaled *kept, viz_rect rect, const float *weights, int grid_w,
              int grid_h, const viz_heat_style *style)
{
    viz_pixels whole = viz_to_pixels(canvas, rect), seen = seen_part(canvas, whole);
    heat_place place = {whole, seen, kept};
    if (seen.x0 >= seen.x1 || seen.y0 >= seen.y1 || grid_w < 1 || grid_h < 1)
        return;
    if (style->overlay != VIZ_CONTOUR)
        overlay_colors(canvas, &place, weights, grid_w, grid_h, style);
    if (viz_heat_has_contour(style, rect))
        overlay_contours(canvas, &place, weights, grid_w, grid_h, style);
    viz_record_pixels(canvas, seen);
}

/* ---------------------------------------------------------------- matrices */

/* NaN is a weight that a mask keeps at 0. */
static viz_color cell_color(const viz_color *colors, const viz_scale *scale, float value)
{
    return isnan(value) ? viz_masked_tone : colors[(int)(viz_scale_at(scale, value) * 255 + 0.5f)];
}

static void cells_row(uint8_t *pixel, const float *values, const int *columns, int width,
                      const viz_color *colors, const viz_scale *scale)
{
    int before = -1;
    viz_color color = {0};
    for (int x = 0; x < width; x++, pixel += 4) {
        if (columns[x] != before) {
            before = columns[x];
            color = cell_color(colors, scale, values[before]);
        }
        memcpy(pixel, &color, 4);
    }
}

static void record_cells(viz_canvas *canvas, viz_pixels box, const float *values, size_t rows,
                         size_t cols, const viz_color *colors, const viz_scale *scale)
{
    viz_shape cells = {.kind = VIZ_SHAPE_CELLS, .box = box};
    float least = VIZ_LEAST_CELL * canvas->density;
    if (!canvas->recording)
        return;
    if ((float)(box.x1 - box.x0) < least * (float)cols ||
        (float)(box.y1 - box.y0) < least * (float)rows) {
        viz_record_pixels(canvas, box);
        return;
    }
    if (sac_image_create((int)cols, (int)rows, &cells.image, NULL) == SAC_OK) {
        for (size_t i = 0; i < rows * cols; i++) {
            viz_color color = cell_color(colors, scale, values[i]);
            memcpy(cells.image.rgba + 4 * i, &color, 4);
        }
        viz_record(canvas, &cells);
    } else {
        viz_drawing_lacks_memory();
    }
    sac_image_free(&cells.image);
}

void viz_cells(viz_canvas *canvas, viz_rect rect, const float *values, size_t rows, size_t cols,
               const viz_color *colors, const viz_scale *scale)
{
    viz_pixels whole = viz_to_pixels(canvas, rect), seen = seen_part(canvas, whole);
    if (seen.x0 >= seen.x1 || seen.y0 >= seen.y1 || !rows || !cols)
        return;
    int width = seen.x1 - seen.x0, *columns = viz_allocate((size_t)width, sizeof *columns);
    if (!columns)
        return;
    for (int x = 0; x < width; x++)
        columns[x] =
            (int)(((uint64_t)(seen.x0 - whole.x0 + x) * cols) / (uint64_t)(whole.x1 - whole.x0));
    size_t before = SIZE_MAX;
    for (int y = seen.y0; y < seen.y1; y++) {
        size_t row = (size_t)(y - whole.y0) * rows / (size_t)(whole.y1 - whole.y0);
        if (row == before) /* the same cells: the same pixels */
            memcpy(row_at(canvas, seen.x0, y), row_at(canvas, seen.x0, y - 1), 4 * (size_t)width);
        else
            cells_row(row_at(canvas, seen.x0, y), values + row * cols, columns, width, colors,
                      scale);
        before = row;
    }
    free(columns);
    record_cells(canvas, whole, values, rows, cols, colors, scale);
}
