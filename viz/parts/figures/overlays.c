/* Cells painted over, as a bitmap and as text; boxes; and the regions of a sentence. */

#include "parts/figures/overlays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/text.h"
#include "view/words.h"

void viz_hidden_draw(viz_canvas *canvas, viz_rect picture, const uint8_t *hidden, int grid_w,
                     int grid_h)
{
    for (int i = 0; i < grid_w * grid_h; i++) {
        float w = picture.w / (float)grid_w, h = picture.h / (float)grid_h;
        viz_rect cell = {picture.x + (float)(i % grid_w) * w, picture.y + (float)(i / grid_w) * h,
                         w, h};
        if (hidden[i])
            viz_hatch(canvas, cell, NULL);
    }
}

static int set_cell(uint8_t *hidden, int grid_w, int grid_h, int x, int y, bool value)
{
    if (x < 0 || y < 0 || x >= grid_w || y >= grid_h || hidden[y * grid_w + x] == value)
        return 0;
    hidden[y * grid_w + x] = value;
    return 1;
}

int viz_hidden_stroke(uint8_t *hidden, int grid_w, int grid_h, const int from[2], const int to[2],
                      int reach, bool value)
{
    int dx = to[0] - from[0], dy = to[1] - from[1], changed = 0;
    int steps = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
    int least = (grid_w > grid_h ? grid_w : grid_h) / 64;
    reach = reach > least ? reach : least;
    for (int i = 0; i <= steps; i++) {
        float t = steps ? (float)i / (float)steps : 0;
        int x = from[0] + (int)lroundf(t * (float)dx), y = from[1] + (int)lroundf(t * (float)dy);
        for (int b = -reach; b <= reach; b++)
            for (int a = -reach; a <= reach; a++)
                changed += set_cell(hidden, grid_w, grid_h, x + a, y + b, value);
    }
    return changed;
}

int viz_hidden_rectangle(uint8_t *hidden, int grid_w, int grid_h, const int from[2],
                         const int to[2], bool value)
{
    int changed = 0, right = from[0] > to[0] ? from[0] : to[0];
    int bottom = from[1] > to[1] ? from[1] : to[1];
    for (int y = from[1] < to[1] ? from[1] : to[1]; y <= bottom; y++)
        for (int x = from[0] < to[0] ? from[0] : to[0]; x <= right; x++)
            changed += set_cell(hidden, grid_w, grid_h, x, y, value);
    return changed;
}

int viz_hidden_count(const uint8_t *hidden, int grid_w, int grid_h)
{
    int count = 0;
    for (int i = 0; i < grid_w * grid_h; i++)
        count += hidden[i] != 0;
    return count;
}

char *viz_hidden_text(const uint8_t *hidden, int grid_w, int grid_h)
{
    int count = grid_w * grid_h, some = viz_hidden_count(hidden, grid_w, grid_h);
    size_t size = 32 + 16 * (size_t)some, used;
    char *text = some ? viz_allocate(size, 1) : NULL;
    if (!text)
        return NULL;
    used = (size_t)snprintf(text, size, "%dx%d:", grid_w, grid_h);
    for (int i = 0; i < count; i++) {
        int first = i;
        while (i < count && hidden[i])
            i++;
        if (i - first > 1)
            used += (size_t)snprintf(text + used, size - used, " %d-%d", first, i - 1);
        else if (i > first)
            used += (size_t)snprintf(text + used, size - used, " %d", first);
    }
    return text;
}

bool viz_hidden_parse(const char *text, uint8_t *hidden, int grid_w, int grid_h)
{
    int w, h, used = 0;
    if (sscanf(text, "%dx%d:%n", &w, &h, &used) != 2 || !used || w != grid_w || h != grid_h)
        return false;
    memset(hidden, 0, (size_t)w * (size_t)h);
    char *end;
    for (text += used; *text == ' '; text = end) {
        long first = strtol(text, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        if (end == text)
            break;
        for (long i = first < 0 ? 0 : first; i <= last && i < (long)w * h; i++)
            hidden[i] = 1;
    }
    return true;
}

void viz_look_draw(viz_canvas *canvas, viz_rect picture, const sac_look *look, bool own,
                   float thickness)
{
    for (int k = 0; k < look->count; k++) {
        float t = own ? 1.6f * thickness : thickness;
        viz_rect r = {picture.x + look->box[k][0] * picture.w - t,
                      picture.y + look->box[k][1] * picture.h - t,
                      (look->box[k][2] - look->box[k][0]) * picture.w + 2 * t,
                      (look->box[k][3] - look->box[k][1]) * picture.h + 2 * t};
        viz_rect around = {r.x - 1, r.y - 1, r.w + 2, r.h + 2};
        viz_frame(canvas, around, t + 2, viz_with_alpha((viz_color){0, 0, 0, 255}, 0.25f));
        viz_frame(canvas, r, t, own ? canvas->theme->accent : (viz_color){205, 210, 216, 200});
    }
}

/* ---------------------------------------------------------------- the regions of a sentence */

#define TAG 18.0f /* the height of a label */
#define TAG_PADDING 5.0f
#define MOST_LABEL 240.0f

static float clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

/* Point k, within the picture. */
static void point_of(const sac_regions *all, const sac_region *r, int k, viz_rect picture, float *x,
                     float *y)
{
    *x = picture.x + clamp(sac_region_share(all, r, k, 0), 0, 1) * picture.w;
    *y = picture.y + clamp(sac_region_share(all, r, k, 1), 0, 1) * picture.h;
}

/* What the region's points span. */
static viz_rect bounds_of(const sac_regions *all, const sac_region *r, viz_rect picture)
{
    float x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY, x, y;
    for (int k = 0; k < r->points; k++) {
        point_of(all, r, k, picture, &x, &y);
        x0 = fminf(x0, x);
        y0 = fminf(y0, y);
        x1 = fmaxf(x1, x);
        y1 = fmaxf(y1, y);
    }
    return (viz_rect){floorf(x0), floorf(y0), ceilf(x1 - x0), ceilf(y1 - y0)};
}

static void draw_outline(viz_canvas *canvas, viz_rect picture, const sac_regions *all,
                         const sac_region *r, float thickness, viz_color color)
{
    for (int k = 0; k < r->points; k++) {
        float x0, y0, x1, y1;
        point_of(all, r, k, picture, &x0, &y0);
        point_of(all, r, (k + 1) % r->points, picture, &x1, &y1);
        viz_line(canvas, x0, y0, x1, y1, thickness, color);
    }
}

/* Pale on a dark edge, which is seen on any picture, or in the accent's colour and stronger. */
static void draw_region(viz_canvas *canvas, viz_rect picture, const sac_regions *all,
                        const sac_region *r, bool own, float thickness)
{
    const viz_color edge = viz_with_alpha((viz_color){0, 0, 0, 255}, own ? 0.55f : 0.4f);
    const viz_color color =
        own ? canvas->theme->accent : viz_with_alpha((viz_color){244, 246, 248, 255}, 0.9f);
    float t = own ? 2 * thickness : thickness;
    if (r->is_box) {
        viz_rect b = bounds_of(all, r, picture);
        viz_frame(canvas, (viz_rect){b.x - 1, b.y - 1, b.w + 2, b.h + 2}, t + 2, edge);
        viz_frame(canvas, b, t, color);
    } else {
        draw_outline(canvas, picture, all, r, t + 2, edge);
        draw_outline(canvas, picture, all, r, t, color);
    }
}

/* Above the region's upper edge, below its lower one, or inside of it: the first of these places in the
 * picture that covers no label of before. False: there is none. */
static bool lay_tag(viz_rect picture, viz_rect region, float width, const viz_rect *tags, int count,
                    viz_rect *tag)
{
    const float y[] = {region.y - TAG, region.y + region.h, region.y, region.y + region.h - TAG};
    for (int i = 0; i < 4; i++) {
        viz_rect r = {clamp(region.x, picture.x, picture.x + picture.w - width), y[i], width, TAG};
        bool fits = r.y >= picture.y && r.y + r.h <= picture.y + picture.h;
        for (int k = 0; k < count && fits; k++)
            fits = !viz_overlap(r, tags[k]);
        if (fits) {
            *tag = r;
            return true;
        }
    }
    return false;
}

static float tag_width(viz_canvas *canvas, const char *text)
{
    return ceilf(viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, text)) + 2 * TAG_PADDING;
}

static void draw_tag(viz_canvas *canvas, viz_rect tag, const char *text, bool own)
{
    const viz_color ground = viz_with_alpha((viz_color){16, 18, 22, 255}, 0.72f);
    viz_fill(canvas, tag, own ? canvas->theme->accent : ground);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, tag.x + TAG_PADDING, tag.y + 13, VIZ_LEFT,
             own ? canvas->theme->on_accent : (viz_color){244, 246, 248, 255}, text);
}

/* Labels, the word's own first, so that theirs have room; a thing of several outlines has one. */
static void draw_tags(viz_canvas *canvas, viz_rect picture, const sac_regions *all, int word)
{
    viz_rect tags[SAC_MOST_REGIONS];
    int count = 0;
    for (int i = 0; i < 2 * all->count; i++) {
        const sac_region *r = &all->region[i % all->count];
        bool own = sac_region_is_of(r, word);
        const char *label = r->asked ? viz_word("asked") : sac_region_label(all, r);
        char fit[128];
        if (own != (i < all->count) || !label[0] || !r->points ||
            (i % all->count > 0 && r->thing == r[-1].thing))
            continue;
        viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, fminf(picture.w - 2 * TAG_PADDING, MOST_LABEL),
                     label, fit, sizeof fit);
        if (lay_tag(picture, bounds_of(all, r, picture), tag_width(canvas, fit), tags, count,
                    &tags[count]))
            draw_tag(canvas, tags[count++], fit, own);
    }
}

static bool is_of_a_part(const sac_picture_source *source, int x, int y)
{
    for (int i = 0; i < source->parts; i++) {
        const sac_picture_part *part = &source->part[i];
        if (x >= part->x && x < part->x + part->grid_w && y >= part->y &&
            y < part->y + part->grid_h)
            return true;
    }
    return false;
}

void viz_parts_separate(viz_canvas *canvas, viz_rect picture, const sac_picture_source *source)
{
    const float w = picture.w / (float)source->grid_w, h = picture.h / (float)source->grid_h;
    for (int y = 0; y < source->grid_h && source->parts; y++)
        for (int x = 0, end; x < source->grid_w; x = end) {
            const bool is_one = is_of_a_part(source, x, y);
            for (end = x + 1; end < source->grid_w && is_of_a_part(source, end, y) == is_one;)
                end++;
            if (!is_one)
                viz_fill(canvas,
                         (viz_rect){picture.x + (float)x * w, picture.y + (float)y * h,
                                    (float)(end - x) * w, h},
                         canvas->theme->ground);
        }
}

void viz_parts_draw_shares(viz_canvas *canvas, viz_rect picture, const sac_picture_source *source,
                           const float *map)
{
    const float w = picture.w / (float)source->grid_w, h = picture.h / (float)source->grid_h;
    for (int i = 0; i < source->parts; i++) {
        const sac_picture_part *part = &source->part[i];
        double share = 0;
        char text[32];
        for (int y = part->y; y < part->y + part->grid_h; y++)
            for (int x = part->x; x < part->x + part->grid_w; x++)
                share += (double)map[y * source->grid_w + x];
        snprintf(text, sizeof text, "%d · %.0f %%", i + 1, 100 * share);
        const float bottom = picture.y + (float)(part->y + part->grid_h) * h;
        draw_tag(
            canvas,
            (viz_rect){picture.x + (float)part->x * w, bottom - TAG, tag_width(canvas, text), TAG},
            text, false);
    }
}

void viz_regions_draw(viz_canvas *canvas, viz_rect picture, const sac_regions *all, int word)
{
    for (int i = 0; i < 2 * all->count; i++) { /* the word's own over the others */
        const sac_region *r = &all->region[i % all->count];
        bool own = sac_region_is_of(r, word);
        if (own == (i >= all->count))
            draw_region(canvas, picture, all, r, own, 1.25f);
    }
    draw_tags(canvas, picture, all, word);
}

void viz_regions_draw_own(viz_canvas *canvas, viz_rect picture, const sac_regions *all, int word)
{
    for (int i = 0; i < all->count; i++)
        if (sac_region_is_of(&all->region[i], word))
            draw_region(canvas, picture, all, &all->region[i], true, 0.75f);
}
