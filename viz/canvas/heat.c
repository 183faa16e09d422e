/* Draws weights over a picture. Each cell becomes the share, 0 … 1, by which it is attended; shares
 * are interpolated to pixels, and a pixel goes that far from the dimmed picture to what lies on it:
 * the picture's own colours, or those of heat. */
#include "canvas/heat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/pairs.h"
#include "canvas/recording.h"
#include "canvas/tiles.h"

/* ---------------------------------------------------------------- numbers over a grid, in rows of pixels */

enum { VIZ_TAPS = 4 }; /* cells along an axis that a pixel is interpolated from */

/* The cells and shares of a row of pixels. Pixels between the centres of the same two cells are a
 * run: they read the same cells, so that a run is computed by vector instructions. */
typedef struct viz_axis {
    int runs;
    int *end;               /* [runs] the pixel after the run's last */
    int (*cell)[VIZ_TAPS];  /* [runs] */
    float *share[VIZ_TAPS]; /* [count] each; the first holds the memory of all */
} viz_axis;

typedef struct viz_field {
    const float *cells; /* [grid_h,grid_w]; lent */
    int grid_w, grid_h, height;
    viz_axis along; /* a row of pixels */
    int y0, x0, width;
    bool blocky;
    int first, end; /* the columns of cells that these pixels are interpolated from */
    float *column;  /* [grid_w] the row of cells at one y */
} viz_field;

/* A line where a field crosses a level: a core, and around it an edge that is sharp, or a glow that
 * fades away. */
typedef struct viz_contour {
    float level;
    float core, edge; /* pixels from the middle of the line to the end of each */
    bool glows;
    viz_color color, around;
} viz_contour;

/* Neighbouring cells and their shares in one pixel, along one axis. */
typedef struct taps {
    int cell[VIZ_TAPS];
    float share[VIZ_TAPS];
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

static bool axis_allocate(viz_axis *axis, size_t count)
{
    axis->end = viz_allocate(count, sizeof *axis->end);
    axis->cell = viz_allocate(count, sizeof *axis->cell);
    axis->share[0] = viz_allocate(count, VIZ_TAPS * sizeof **axis->share);
    for (int k = 1; axis->share[0] && k < VIZ_TAPS; k++)
        axis->share[k] = axis->share[0] + (size_t)k * count;
    return axis->end && axis->cell && axis->share[0];
}

/* For `count` pixels, the first of which is pixel `from` of `whole`. */
static bool axis_create(int from, int count, int whole, int cells, bool blocky, viz_axis *axis)
{
    if (!axis_allocate(axis, (size_t)count))
        return false;
    for (int i = 0; i < count; i++) {
        taps t = taps_at(((float)(from + i) + 0.5f) / (float)whole, cells, blocky);
        bool same = axis->runs && memcmp(axis->cell[axis->runs - 1], t.cell, sizeof t.cell) == 0;
        if (!same)
            memcpy(axis->cell[axis->runs++], t.cell, sizeof t.cell);
        axis->end[axis->runs - 1] = i + 1;
        for (int k = 0; k < VIZ_TAPS; k++)
            axis->share[k][i] = t.share[k];
    }
    return true;
}

/* A grid that covers `whole`, of which the columns of `seen` are read. Smooth: bicubic
 * (Catmull–Rom), so that a cell's centre shows the cell's own number. False: no memory; close it
 * all the same. */
static bool open_field(viz_field *f, viz_pixels whole, viz_pixels seen, const float *cells,
                       int grid_w, int grid_h, bool blocky)
{
    *f = (viz_field){.cells = cells,
                     .grid_w = grid_w,
                     .grid_h = grid_h,
                     .blocky = blocky,
                     .height = whole.y1 - whole.y0,
                     .y0 = whole.y0,
                     .x0 = seen.x0,
                     .width = seen.x1 - seen.x0};
    f->column = calloc((size_t)grid_w, sizeof *f->column);
    bool opened = f->column && axis_create(seen.x0 - whole.x0, f->width, whole.x1 - whole.x0,
                                           grid_w, blocky, &f->along);
    if (!opened)
        viz_drawing_lacks_memory();
    f->first = grid_w;
    for (int run = 0; opened && run < f->along.runs; run++)
        for (int k = 0; k < VIZ_TAPS; k++) {
            int cell = f->along.cell[run][k];
            f->first = cell < f->first ? cell : f->first;
            f->end = cell >= f->end ? cell + 1 : f->end;
        }
    return opened;
}

/* takes a zeroed one */
static void close_field(viz_field *f)
{
    free(f->along.end);
    free(f->along.cell);
    free(f->along.share[0]);
    free(f->column);
}

/* Run `run` of a row: pixels from `x` to its end. */
static void interpolate_field_run(const viz_field *f, int run, int x, float *restrict out)
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

/* The numbers along row y of the canvas into out[width], clamped below at 0. */
static void interpolate_field_row(viz_field *f, int y, float *out)
{
    taps down = taps_at(((float)(y - f->y0) + 0.5f) / (float)f->height, f->grid_h, f->blocky);
    for (int x = f->first; x < f->end; x++)
        f->column[x] = 0;
    for (int k = 0; k < VIZ_TAPS; k++) {
        const float *row = f->cells + (size_t)down.cell[k] * (size_t)f->grid_w;
        for (int x = f->first; x < f->end && down.share[k] != 0; x++)
            f->column[x] += down.share[k] * row[x];
    }
    for (int run = 0; run < f->along.runs; run++)
        interpolate_field_run(f, run, run ? f->along.end[run - 1] : 0, out);
}

/* ---------------------------------------------------------------- lines where it crosses a level */

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

enum { STRETCH = 32 }; /* pixels whose distances are found at a time, in vectors */

/* How far these pixels, `first` … `end` − 1, are from the line; far is as good as endless. */
static void find_distances(const contour_rows *r, int first, int end, const viz_contour *line,
                           float *restrict distance)
{
    float reach = (line->edge + 0.5f) * (line->edge + 0.5f);
    for (int i = 0; i < end - first; i++) {
        float away = fabsf(r->now[first + i] - line->level), slope2 = slope_squared(r, first + i);
        float estimate = away / sqrtf(slope2);
        distance[i] = away * away <= reach * slope2 ? estimate : INFINITY;
    }
}

/* How much of each the glow or the edge covers, and the core. */
static void cover_stretch(const float *restrict distance, int count, const viz_contour *line,
                          float *restrict around, float *restrict core)
{
    float edge = line->edge, half = line->core + 0.5f;
    for (int i = 0; line->glows && i < count; i++) {
        float fading = 1 - distance[i] / edge;
        fading = fading > 0 ? fading : 0;
        around[i] = fading * fading;
    }
    for (int i = 0; !line->glows && i < count; i++)
        around[i] = edge + 0.5f - distance[i];
    for (int i = 0; i < count; i++)
        core[i] = half - distance[i];
}

/* Most stretches of a row are far from the line. */
static void draw_contour_row(viz_canvas *canvas, const viz_field *f, int y, const contour_rows *r,
                             const viz_contour *line)
{
    float distance[STRETCH], around[STRETCH], core[STRETCH];
    int last = f->width - 1;
    float reach = (line->edge + 0.5f) * (line->edge + 0.5f);
    for (int first = 1; first < last; first += STRETCH) {
        int end = first + STRETCH < last ? first + STRETCH : last;
        if (!is_near(r, first, end, line->level, reach))
            continue;
        find_distances(r, first, end, line, distance);
        cover_stretch(distance, end - first, line, around, core);
        viz_blend_row(canvas, f->x0 + first, y, end - first, line->around, around);
        viz_blend_row(canvas, f->x0 + first, y, end - first, line->color, core);
    }
}

static int cell_row_at_pixel(const viz_field *f, int y)
{
    int row = (int)(((float)(y - f->y0) + 0.5f) / (float)f->height * (float)f->grid_h);
    return row < f->grid_h ? row : f->grid_h - 1;
}

/* `most` [grid_h] becomes, for the rows of cells that pixels from y0 to y1 − 1 lie in, the largest number
 * that such a pixel, or one beside it, is interpolated from. */
static void find_most_around(const viz_field *f, int y0, int y1, float *most)
{
    int reach = 2 + (f->grid_h + f->height - 1) / f->height;
    for (int row = cell_row_at_pixel(f, y0); row <= cell_row_at_pixel(f, y1 - 1); row++) {
        int end = row + reach < f->grid_h ? row + reach + 1 : f->grid_h;
        most[row] = 0;
        for (int y = row > reach ? row - reach : 0; y < end; y++)
            for (int x = f->first; x < f->end; x++)
                most[row] = fmaxf(most[row], fabsf(f->cells[y * f->grid_w + x]));
    }
}

/* Rows of the field that have been read, counted from its own top: row y is in place y % 3. */
typedef struct read_rows {
    float *row[3];
    int y[3];
} read_rows;

static const float *cached_field_row(read_rows *rows, viz_field *f, int y)
{
    int place = (y - f->y0) % 3;
    if (rows->y[place] != y - f->y0)
        interpolate_field_row(f, y, rows->row[place]);
    rows->y[place] = y - f->y0;
    return rows->row[place];
}

/* Draws the lines in the open part of the canvas, the outermost last; the distance to a line is
 * estimated from the gradient, for which the field has a pixel more on either side, where it goes
 * on there. */
static void trace_contours(viz_canvas *canvas, viz_field *f, const viz_contour *lines, int count)
{
    float *most = viz_allocate((size_t)f->grid_h, sizeof *most);
    float *buffer = viz_allocate((size_t)f->width, 3 * sizeof *buffer), reach = 0;
    read_rows rows = {{buffer, buffer + f->width, buffer + 2 * (size_t)f->width}, {-1, -1, -1}};
    for (int i = 0; i < count; i++)
        reach = fmaxf(reach, lines[i].edge + 0.5f);
    if (most && buffer)
        find_most_around(f, canvas->part.y0, canvas->part.y1, most);
    for (int y = canvas->part.y0; most && buffer && y < canvas->part.y1; y++) {
        /* No pixel of row y may be near a line, by the largest number around it. Interpolated
         * numbers are at most 1.25² times that, and gradients, half the difference of two of them along
         * either axis, at most √2 / 2 times as much again. */
        float value = 1.6f * most[cell_row_at_pixel(f, y)];
        if (value * (1 + 0.71f * reach) < lines[count - 1].level)
            continue;
        int before = y > f->y0 ? y - 1 : y, after = y + 1 < f->y0 + f->height ? y + 1 : y;
        const contour_rows near = {cached_field_row(&rows, f, before),
                                   cached_field_row(&rows, f, y),
                                   cached_field_row(&rows, f, after)};
        for (int i = count - 1; i >= 0; i--)
            draw_contour_row(canvas, f, y, &near, &lines[i]);
    }
    free(most);
    free(buffer);
}

#define EVEN 1.6f             /* times 1/N: where no weight is more, a map is even */
#define RIM 0.5f              /* of what shows fully: from there on a place is lit, with a rim */
#define FULL_DIFFERENCE 0.25f /* of the largest: the difference that shows fully */
#define LEAST_GLOWING                                                                              \
    120.0f /* logical units: a smaller picture would be covered by glow and lines */

const char *const viz_overlay_names[VIZ_OVERLAY_COUNT] = {"light", "heat", "contour"};
const char *const viz_overlay_tips[VIZ_OVERLAY_COUNT] = {
    "What is looked at keeps its own colours.",
    "What is looked at is coloured by its weight.",
    "Lines around half and nine tenths of the attention.",
};

const char *viz_overlay_name(viz_overlay overlay)
{
    return (unsigned)overlay < VIZ_OVERLAY_COUNT ? viz_overlay_names[overlay] : "";
}

/* ---------------------------------------------------------------- where a map is attended */

/* Weights that show nothing and fully, and how far the picture is dimmed beside them, 0 … 1. */
typedef struct attention_reach {
    float low, high, dimming;
} attention_reach;

static float clamped(float t)
{
    return t > 0 ? t < 1 ? t : 1 : 0;
}

/* The mean and the largest of the weights; of differences, 0 and the largest size. */
static void measure_mean_and_most(const float *weights, int count, int cells, float *mean,
                                  float *most)
{
    double sum = 0;
    *most = 0;
    for (int i = 0; i < count; i++) {
        sum += (double)weights[i];
        *most = fmaxf(*most, fabsf(weights[i]));
    }
    *mean = (float)(sum / (cells > 0 ? cells : count));
}

static attention_reach find_reach(const viz_heat_style *style, const float *weights, int count)
{
    float mean, most;
    measure_mean_and_most(weights, count, style->cells, &mean, &most);
    if (style->map == VIZ_DIVERGING && style->overlay == VIZ_HEAT)
        return (attention_reach){0, FULL_DIFFERENCE * style->scale.high, most > 0};
    if (!(mean > 0))
        return (attention_reach){0, INFINITY, 0};
    return (attention_reach){mean, VIZ_FULL_WEIGHT * mean,
                             clamped((most / mean - 1) / (VIZ_FULL_WEIGHT - 1))};
}

bool viz_heat_is_even(const float *weights, int count, int cells)
{
    float mean, most;
    measure_mean_and_most(weights, count, cells, &mean, &most);
    return mean > 0 && most < EVEN * mean;
}

bool viz_heat_is_faint(const float *weights, int count, int cells)
{
    float mean, most;
    measure_mean_and_most(weights, count, cells, &mean, &most);
    return mean > 0 && most < mean * (1 + RIM * (VIZ_FULL_WEIGHT - 1));
}

/* ---------------------------------------------------------------- colours */

#define TABLE 256
#define DARKEST_HEAT 45.0f  /* L* that heat begins with on a dark ground, … */
#define LIGHTEST_HEAT 88.0f /* … and on a light one */
#define FADED 20 /* entries of the table over which it rises from the colour of nothing to that */

static bool stands_out(bool light, viz_color color)
{
    float lab[3];
    viz_color_lab(color, lab);
    return light ? lab[0] <= LIGHTEST_HEAT : lab[0] >= DARKEST_HEAT;
}

const viz_color *viz_heat_colors(const viz_theme *theme, viz_colormap map)
{
    static viz_color tables[2][VIZ_COLORMAP_COUNT][TABLE];
    viz_color *table = tables[theme->light][map];
    if (map == VIZ_DIVERGING) /* nothing is its middle */
        return viz_map_colors(theme, map);
    if (!table[TABLE - 1].a) {
        const viz_color *whole = viz_map_colors(theme, map);
        int first = 0;
        while (first < TABLE - 1 && !stands_out(theme->light, whole[first]))
            first++;
        for (int i = 0; i < TABLE; i++) {
            float rise = i < FADED ? (float)i / FADED : 1;
            int at = first + (TABLE - 1 - first) * i / (TABLE - 1);
            table[i] =
                (viz_color){(uint8_t)((float)whole[0].r +
                                      rise * ((float)whole[at].r - (float)whole[0].r) + 0.5f),
                            (uint8_t)((float)whole[0].g +
                                      rise * ((float)whole[at].g - (float)whole[0].g) + 0.5f),
                            (uint8_t)((float)whole[0].b +
                                      rise * ((float)whole[at].b - (float)whole[0].b) + 0.5f),
                            255};
        }
    }
    return table;
}

static float smooth_step(float t)
{
    return t * t * (3 - 2 * t);
}

/* ---------------------------------------------------------------- the dimmed picture */

/* Dimmed, a picture has also lost some of its colour: a third at three quarters of its brightness,
 * seven tenths at most. */
static void dim_row(const uint8_t *restrict from, uint8_t *restrict to, int width, float brightness)
{
    float chroma = fmaxf(1 - 1.33f * (1 - brightness), 0.3f);
    int own = (int)(256 * brightness * chroma + 0.5f), grey = (int)(256 * brightness + 0.5f) - own;
    for (int x = 0; x < width; x++, from += 4, to += 4) {
        int luma = (int)viz_luma(from);
        for (int c = 0; c < 3; c++)
            to[c] = (uint8_t)((luma * grey + from[c] * own + 128) >> 8);
        to[3] = from[3];
    }
}

/* Where weights go: over all of the grid, and the picture that was drawn there, or NULL. */
typedef struct heat_place {
    viz_pixels whole;
    viz_scaled *kept;
} heat_place;

/* The kept picture dimmed, made again only where it or the brightness changed. NULL where there is
 * none, or what is behind it shows through. */
static const sac_image *ensure_dimmed_picture(const heat_place *place, float brightness)
{
    viz_scaled *kept = place->kept;
    const sac_image *image = kept ? &kept->image : NULL;
    if (!image || !kept->opaque || image->width != place->whole.x1 - place->whole.x0 ||
        image->height != place->whole.y1 - place->whole.y0)
        return NULL;
    sac_image *dimmed = &kept->dimmed;
    if (dimmed->rgba && kept->brightness == brightness)
        return dimmed;
    if (!dimmed->rgba && sac_image_create(image->width, image->height, dimmed, NULL) != SAC_OK)
        return NULL;
    dim_row(image->rgba, dimmed->rgba, image->width * image->height, brightness);
    kept->brightness = brightness;
    return dimmed;
}

/* The dimmed picture at pixel (x0, y) of the canvas. */
static const uint8_t *dimmed_at(const heat_place *place, const sac_image *dimmed, int x0, int y)
{
    size_t x = (size_t)(x0 - place->whole.x0), row = (size_t)(y - place->whole.y0);
    return dimmed->rgba + 4 * (row * (size_t)dimmed->width + x);
}

/* ---------------------------------------------------------------- light and heat */

/* What lies over the dimmed picture. */
typedef struct heat_look {
    uint16_t cover[TABLE];   /* by the share: how much it covers, of 256 */
    viz_color colors[TABLE]; /* of heat, by the place on the scale */
} heat_look;

enum { ENTRIES = 64 }; /* pixels whose places in a table are found at a time, in vectors */

/* Returns the largest of them. */
static int find_entries(const float *restrict places, int count, int *restrict entries)
{
    int most = 0;
    for (int i = 0; i < count; i++) {
        float entry = places[i] * (TABLE - 1) + 0.5f;
        entries[i] = (int)(entry < TABLE - 1 ? entry : TABLE - 1);
        most = entries[i] > most ? entries[i] : most;
    }
    return most;
}

/* Two pixels of `below` under two of `above`, by how much they cover. */
static inline void cover_pair(const uint8_t *below, const uint8_t *above, uint8_t *to,
                              unsigned first, unsigned second)
{
    viz_pair share = viz_pair_of(first, second);
    viz_pair lanes = viz_pair_read(below) * (256 - share) + viz_pair_read(above) * share + 128;
    viz_pair_write(lanes >> 8, to);
}

/* A row of what lies above over one of what is below; `to` may be either. The last pixel of an odd
 * row is its own pair. */
static void cover_row(const uint8_t *below, const uint8_t *above, uint8_t *to, const float *shares,
                      int width, const uint16_t *cover)
{
    int entries[ENTRIES];
    for (int from = 0; from < width; from += ENTRIES) {
        int count = width - from < ENTRIES ? width - from : ENTRIES;
        size_t bytes = 4 * (size_t)count;
        if (!cover[find_entries(shares + from, count, entries)]) {
            if (to != below)
                memcpy(to, below, bytes);
            below += bytes;
            above += bytes;
            to += bytes;
            continue;
        }
        for (int i = 0; i + 1 < count; i += 2, below += 8, above += 8, to += 8)
            cover_pair(below, above, to, cover[entries[i]], cover[entries[i + 1]]);
        if (count % 2) {
            uint8_t under[8] = {0}, over[8] = {0};
            memcpy(under, below, 4);
            memcpy(over, above, 4);
            cover_pair(under, over, under, cover[entries[count - 1]], 0);
            memcpy(to, under, 4);
        }
    }
}

static void color_row(const float *places, int width, const viz_color *colors, uint8_t *to)
{
    int entries[ENTRIES];
    for (int from = 0; from < width; from += ENTRIES) {
        int count = width - from < ENTRIES ? width - from : ENTRIES;
        find_entries(places + from, count, entries);
        for (int i = 0; i < count; i++, to += 4)
            memcpy(to, &colors[entries[i]], 4);
    }
}

/* Draws the open part. `heat` is the field of places on the scale; NULL: the picture's own colours are
 * what is lit. `row` has room for two rows of numbers, or of pixels, and one of the field. */
static void draw_lit_rows(viz_canvas *canvas, const heat_place *place, viz_field *lit,
                          viz_field *heat, float *row, const heat_look *look, float brightness)
{
    const sac_image *kept = ensure_dimmed_picture(place, brightness);
    const viz_pixels *part = &canvas->part;
    int width = part->x1 - part->x0, before = part->x0 - lit->x0;
    uint8_t *own = (uint8_t *)(row + lit->width), *colors = own + 4 * (size_t)width;
    for (int y = part->y0; y < part->y1; y++) {
        uint8_t *pixels = viz_pixel_at(canvas, part->x0, y);
        const uint8_t *dimmed = kept ? dimmed_at(place, kept, part->x0, y) : own;
        if (!kept)
            dim_row(pixels, own, width, brightness);
        if (heat) {
            interpolate_field_row(heat, y, row);
            color_row(row + before, width, look->colors, colors);
        }
        interpolate_field_row(lit, y, row);
        cover_row(dimmed, heat ? colors : pixels, pixels, row + before, width, look->cover);
    }
}

static bool is_small(viz_rect rect)
{
    return fminf(rect.w, rect.h) < LEAST_GLOWING;
}

static const viz_color rim_core = {255, 190, 92, 255}, rim_glow = {236, 112, 10, 255};

/* The warm rim of what is lit: half way between lit cells and others. In print it is 0.75 points thick
 * in small pictures, such as the panels of a figure of a column's width, and 1.4 to 3 in others. */
static viz_contour make_rim_contour(const viz_canvas *canvas, viz_rect rect, float opacity)
{
    bool small = is_small(rect);
    float width = small ? 0.5f : fminf(fmaxf(0.0025f * fminf(rect.w, rect.h), 0.9f), 2);
    return (viz_contour){.level = RIM,
                         .core = fmaxf(width * canvas->density, 0.5f),
                         .edge = (small ? 1.5f : 6 * width) * canvas->density,
                         .glows = true,
                         .color = viz_with_alpha(rim_core, opacity),
                         .around = viz_with_alpha(rim_glow, 0.8f * opacity)};
}

/* The open part with a pixel more on each side, where the grid goes on. */
static viz_pixels part_with_border(const viz_canvas *canvas, const heat_place *place)
{
    const viz_pixels *part = &canvas->part;
    return viz_common(place->whole,
                      (viz_pixels){part->x0 - 1, part->y0 - 1, part->x1 + 1, part->y1 + 1});
}

/* The cells of the grid between whose centres the pixels from `from` to `to` − 1 of the canvas lie, and the
 * pixels beside them, with `more` cells on either side: [*first,*end). */
static void find_cells_under_pixels(const heat_place *place, bool down, int from, int to, int cells,
                                    int more, int *first, int *end)
{
    const viz_pixels *whole = &place->whole;
    int begin = down ? whole->y0 : whole->x0, pixels = (down ? whole->y1 : whole->x1) - begin;
    float scale = (float)cells / (float)pixels;
    *first = (int)floorf(((float)(from - begin) - 0.5f) * scale - 0.5f) - more;
    *end = (int)floorf(((float)(to - begin) + 0.5f) * scale - 0.5f) + 2 + more;
    *first = *first > 0 ? *first : 0;
    *end = *end < cells ? *end : cells;
}

/* Weights as they are drawn: by cell, its share, 0 … 1, and its place on the scale. */
typedef struct lit_cells {
    const float *shares, *places;
    int grid_w, grid_h;
    float brightness;
    bool blocky, colored;
    viz_contour rim;
} lit_cells;

#define UNSEEN 0.003f /* shares that cover nothing, */
#define FARTHEST_GLOW                                                                              \
    25.0f /* in pixels: where it is wider, it may be seen on shares of a fiftieth */

/* A smooth share is negative, so 0, beside a lit cell whose neighbour is not, and a fiftieth, which covers
 * nothing, where that meets another on the other axis: it is seen only between the centres of cells of
 * which one is lit. */
static bool is_lit(const heat_place *place, viz_pixels tile, const lit_cells *lit)
{
    int x0, x1, y0, y1, more = lit->rim.edge > FARTHEST_GLOW;
    find_cells_under_pixels(place, false, tile.x0, tile.x1, lit->grid_w, more, &x0, &x1);
    find_cells_under_pixels(place, true, tile.y0, tile.y1, lit->grid_h, more, &y0, &y1);
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++)
            if (lit->shares[y * lit->grid_w + x] > UNSEEN)
                return true;
    return false;
}

/* Notes what a tile depends on: where it is lit, the cells that its pixels are interpolated from. */
static void note_tile_of_lit_overlay(viz_canvas *canvas, const heat_place *place, viz_pixels tile,
                                     const lit_cells *lit, uint64_t hash)
{
    int x0, x1, y0, y1;
    find_cells_under_pixels(place, false, tile.x0, tile.x1, lit->grid_w, 1, &x0, &x1);
    find_cells_under_pixels(place, true, tile.y0, tile.y1, lit->grid_h, 1, &y0, &y1);
    size_t bytes = (size_t)(x1 - x0) * sizeof *lit->shares;
    for (int y = is_lit(place, tile, lit) ? y0 : y1; y < y1; y++) {
        hash = viz_hash(hash, lit->shares + y * lit->grid_w + x0, bytes);
        if (lit->colored)
            hash = viz_hash(hash, lit->places + y * lit->grid_w + x0, bytes);
    }
    viz_note(canvas, tile, hash);
}

/* Draws the open part. */
static void draw_lit_part(viz_canvas *canvas, const heat_place *place, const lit_cells *lit,
                          const heat_look *look)
{
    viz_pixels around = part_with_border(canvas, place);
    float *row = viz_allocate((size_t)(around.x1 - around.x0), 3 * sizeof *row);
    viz_field shares = {0}, places = {0};
    bool opened = row && open_field(&shares, place->whole, around, lit->shares, lit->grid_w,
                                    lit->grid_h, lit->blocky);
    if (opened && lit->colored)
        opened = open_field(&places, place->whole, around, lit->places, lit->grid_w, lit->grid_h,
                            lit->blocky);
    if (opened)
        draw_lit_rows(canvas, place, &shares, lit->colored ? &places : NULL, row, look,
                      lit->brightness);
    if (opened && lit->rim.edge > 0)
        trace_contours(canvas, &shares, &lit->rim, 1);
    close_field(&shares);
    close_field(&places);
    free(row);
}

static void draw_lit_overlay(viz_canvas *canvas, const heat_place *place, viz_rect rect,
                             const float *weights, int grid_w, int grid_h,
                             const viz_heat_style *style)
{
    int count = grid_w * grid_h;
    attention_reach reach = find_reach(style, weights, count);
    float *shares = viz_allocate((size_t)count, 2 * sizeof *shares), *places = shares + count;
    if (!shares)
        return;
    lit_cells lit = {.shares = shares,
                     .places = places,
                     .grid_w = grid_w,
                     .grid_h = grid_h,
                     .brightness = 1 - reach.dimming * (1 - style->brightness),
                     .blocky = style->blocky,
                     .colored = style->overlay == VIZ_HEAT};
    if (!lit.colored && style->opacity > 0)
        lit.rim = make_rim_contour(canvas, rect, style->opacity);
    for (int i = 0; i < count; i++) {
        float weight = style->map == VIZ_DIVERGING && lit.colored ? fabsf(weights[i]) : weights[i];
        shares[i] = clamped((weight - reach.low) / (reach.high - reach.low));
        places[i] = viz_scale_at(&style->scale, weights[i]);
    }
    if (viz_is_noting(canvas)) {
        const float numbers[] = {(float)style->overlay, (float)style->map, style->opacity,
                                 lit.brightness,        canvas->density,   canvas->theme->light,
                                 style->blocky};
        viz_pixels seen = viz_seen_part(canvas, place->whole);
        uint64_t hash = viz_hash(viz_hash(4, numbers, sizeof numbers), &place->whole, sizeof seen);
        for (int y = seen.y0, below; y < seen.y1; y = below) {
            below = (y / VIZ_TILE + 1) * VIZ_TILE;
            for (int x = seen.x0, right; x < seen.x1; x = right) {
                right = (x / VIZ_TILE + 1) * VIZ_TILE;
                note_tile_of_lit_overlay(
                    canvas, place, viz_common(seen, (viz_pixels){x, y, right, below}), &lit, hash);
            }
        }
    }
    heat_look look;
    const viz_color *colors = viz_heat_colors(canvas->theme, style->map);
    float most = style->overlay == VIZ_HEAT ? style->opacity : 1;
    for (int i = 0; i < TABLE; i++) {
        look.cover[i] = (uint16_t)(256 * most * smooth_step((float)i / (TABLE - 1)) + 0.5f);
        /* What rises from the colour of nothing on the bar rises from the picture here. */
        look.colors[i] = colors[style->map == VIZ_DIVERGING || i > FADED ? i : FADED];
    }
    VIZ_EACH_PART(canvas, place->whole)
    draw_lit_part(canvas, place, &lit, &look);
    free(shares);
}

void viz_light_sample(viz_canvas *canvas, viz_rect rect, float brightness, bool lit)
{
    static const uint8_t sample[][4] = {
        {196, 62, 58, 255}, {226, 178, 60, 255}, {76, 158, 88, 255}, {62, 112, 196, 255}};
    enum { COLORS = sizeof sample / sizeof *sample };
    uint8_t shown[COLORS][4];
    if (lit)
        memcpy(shown, sample, sizeof shown);
    else
        dim_row(*sample, *shown, COLORS, brightness);
    for (int i = 0; i < COLORS; i++)
        viz_fill(canvas,
                 (viz_rect){rect.x + rect.w * (float)i / COLORS, rect.y, rect.w / COLORS, rect.h},
                 (viz_color){shown[i][0], shown[i][1], shown[i][2], 255});
    if (lit)
        viz_frame(canvas, rect, 1.5f, rim_core);
}

/* ---------------------------------------------------------------- contours */

static int descending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* The weight of the last cell that it takes, largest first, to reach a share of the whole mass. */
static float mass_threshold(const float *sorted, int count, float share)
{
    double total = 0, sum = 0;
    for (int i = 0; i < count; i++)
        total += (double)sorted[i];
    for (int i = 0; i < count; i++) {
        sum += (double)sorted[i];
        if (sum >= (double)share * total)
            return sorted[i];
    }
    return 0;
}

/* Half way between the last cell inside and the cells outside, so that the line runs between. */
static float contour_level(const float *sorted, int count, float share)
{
    float inside = mass_threshold(sorted, count, share), outside = 0;
    for (int i = 0; i < count && outside == 0; i++)
        if (sorted[i] < inside)
            outside = sorted[i];
    return 0.5f * (inside + outside);
}

static const viz_color contour_light = {255, 255, 255, 255}, contour_dark = {8, 9, 12, 255};

/* A light line with a dark edge. */
static viz_contour make_contour_at_level(float level, float density, float width, float edge,
                                         float opacity)
{
    float core = fmaxf(0.5f * width * density, 0.5f);
    return (viz_contour){.level = level,
                         .core = core,
                         .edge = core + fmaxf(edge * density, 1),
                         .color = viz_with_alpha(contour_light, opacity),
                         .around = viz_with_alpha(contour_dark, 0.9f * opacity)};
}

/* Lines follow a smooth field whatever the style. An even map has none. In a small picture they
 * are half as thick, as a ring would fill what it goes round (20 mm in a figure of a column's width),
 * and only the inner one is drawn, unless pixels are finer than a display's. */
static void draw_contours(viz_canvas *canvas, const heat_place *place, viz_rect rect,
                          const float *weights, int grid_w, int grid_h, const viz_heat_style *style)
{
    bool small = is_small(rect);
    int count = grid_w * grid_h, drawn = small && canvas->density < 2 ? 1 : 2;
    float half = small ? VIZ_CONTOUR_HALF / 2 : VIZ_CONTOUR_HALF;
    float *sorted = viz_allocate((size_t)count, sizeof *sorted);
    if (!sorted)
        return;
    memcpy(sorted, weights, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, descending);
    const viz_contour lines[] = {
        make_contour_at_level(contour_level(sorted, count, 0.5f), canvas->density, half,
                              small ? 0.5f : 1, style->opacity),
        make_contour_at_level(contour_level(sorted, count, 0.9f), canvas->density,
                              small ? VIZ_CONTOUR_MOST / 2 : VIZ_CONTOUR_MOST, small ? 0.5f : 1,
                              style->opacity)};
    bool draws = lines[0].level > 0 && !viz_heat_is_even(weights, count, style->cells);
    viz_pixels shown = draws ? place->whole : (viz_pixels){0};
    const float key[] = {lines[0].level, lines[1].level, style->opacity, (float)grid_w};
    viz_note(canvas, shown,
             viz_hash(viz_hash(5, weights, (size_t)count * sizeof *weights), key, sizeof key));
    VIZ_EACH_PART(canvas, shown)
    {
        viz_field f;
        if (open_field(&f, place->whole, part_with_border(canvas, place), weights, grid_w, grid_h,
                       false))
            trace_contours(canvas, &f, lines, drawn);
        close_field(&f);
    }
    free(sorted);
}

void viz_contour_sample(viz_canvas *canvas, viz_rect rect, float width)
{
    float edge = width / 2 + 1, y = rect.y + rect.h / 2, x0 = rect.x + edge,
          x1 = rect.x + rect.w - edge;
    viz_line(canvas, x0, y, x1, y, width + 2, contour_dark);
    viz_line(canvas, x0, y, x1, y, width, contour_light);
}

/* ---------------------------------------------------------------- the overlays */

void viz_heat(viz_canvas *canvas, viz_scaled *kept, viz_rect rect, const float *weights, int grid_w,
              int grid_h, const viz_heat_style *style)
{
    heat_place place = {viz_to_pixels(canvas, rect), kept};
    viz_pixels seen = viz_seen_part(canvas, place.whole);
    if (viz_is_empty(seen) || grid_w < 1 || grid_h < 1)
        return;
    if (style->overlay == VIZ_CONTOUR)
        draw_contours(canvas, &place, rect, weights, grid_w, grid_h, style);
    else
        draw_lit_overlay(canvas, &place, rect, weights, grid_w, grid_h, style);
    viz_record_pixels(canvas, seen);
}
