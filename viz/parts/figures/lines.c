/* Two sentences beside each other, and a band from word to word, as wide as its weight. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "canvas/recording.h"
#include "canvas/text.h"
#include "canvas/tiles.h"
#include "parts/controls/widgets.h"
#include "parts/figures/lines.h"
#include "parts/playback/glide.h"
#include "view/words.h"

/* A band in pixels: `along` is the axis from word to word, `across` the other one. */
typedef struct band {
    float along0, along1, across0, across1, width;
    bool down; /* along is y */
} band;

/* Both edges where t of the way is done. */
static void band_edges(const band *b, float t, float edges[2])
{
    float rise = b->across1 - b->across0;
    float slope = 6 * t * (1 - t) * rise / (b->along1 - b->along0);
    float middle = b->across0 + rise * viz_eased(t), half = b->width / 2 * sqrtf(1 + slope * slope);
    edges[0] = middle - half;
    edges[1] = middle + half;
}

static float place_along(const band *b, int at)
{
    return ((float)at + 0.5f - b->along0) / (b->along1 - b->along0);
}

void viz_band_draw(viz_canvas *canvas, float x0, float y0, float x1, float y1, float width,
                   bool down, viz_color color)
{
    float d = canvas->density;
    band b = {.along0 = (down ? y0 : x0) * d,
              .along1 = (down ? y1 : x1) * d,
              .across0 = (down ? x0 : y0) * d,
              .across1 = (down ? x1 : y1) * d,
              .width = width * d,
              .down = down};
    uint64_t hash = viz_hash(viz_hash(3, &b, offsetof(band, down)), &color, sizeof color) + down;
    /* Piece by piece, as long as a tile. */
    for (int from = (int)b.along0, end; from < (int)b.along1; from = end) {
        end = (from / VIZ_TILE + 1) * VIZ_TILE;
        end = end < (int)b.along1 ? end : (int)b.along1;
        /* The pixels that the band may touch from `from` to `end` along it: it rises or falls all the way, and
         * is widest where it is steepest, in the middle. */
        float t0 = place_along(&b, from), t1 = place_along(&b, end - 1), first[2], last[2];
        float steepest = t0 < 0.5f && t1 > 0.5f                ? 0.5f
                         : fabsf(t0 - 0.5f) < fabsf(t1 - 0.5f) ? t0
                                                               : t1;
        float widest[2];
        band_edges(&b, t0, first);
        band_edges(&b, t1, last);
        band_edges(&b, steepest, widest);
        float more = (widest[1] - widest[0]) / 2;
        float low = fminf(first[0] + first[1], last[0] + last[1]) / 2 - more;
        float high = fmaxf(first[0] + first[1], last[0] + last[1]) / 2 + more;
        int across0 = (int)floorf(low) - 1, across1 = (int)floorf(high) + 2;
        viz_pixels box = b.down ? (viz_pixels){across0, from, across1, end}
                                : (viz_pixels){from, across0, end, across1};
        viz_note(canvas, box, hash);
        VIZ_EACH_PART(canvas, box)
        {
            /* The open part of a piece. */
            const viz_pixels *part = &canvas->part;
            int last_along = b.down ? part->y1 : part->x1;
            for (int along = b.down ? part->y0 : part->x0; along < last_along; along++) {
                float edges[2];
                band_edges(&b, place_along(&b, along), edges);
                viz_blend_span(canvas, along, edges[0], edges[1], b.down, color);
            }
        }
    }
    /* The band as a polygon: one edge there, and the other back. */
    enum { PIECES = 48, POINTS = 2 * (PIECES + 1) };
    viz_point points[POINTS];
    if (!canvas->recording)
        return;
    for (int i = 0; i <= PIECES; i++) {
        float t = (float)i / PIECES, along = b.along0 + t * (b.along1 - b.along0), edges[2];
        band_edges(&b, t, edges);
        for (int k = 0; k < 2; k++)
            points[k ? POINTS - 1 - i : i] =
                b.down ? (viz_point){edges[k], along} : (viz_point){along, edges[k]};
    }
    viz_record(canvas, &(viz_shape){.kind = VIZ_SHAPE_POLYGON,
                                    .points = points,
                                    .point_count = POINTS,
                                    .color = color});
}

/* ---------------------------------------------------------------- two sentences, and the bands between them */

#define HEADING 26.0f
#define NAME_LINE 20.0f      /* of the names of both sides */
#define LEGEND_STEP 21.0f    /* from a head of the legend to the next */
#define LEAST_NUMBERED 15.0f /* a cell whose head has its number above it */
#define LEAST_TEXT 8.0f
#define MOST_TEXT 26.0f
#define WIDEST_BAND 32.0f
#define NUMBER_ROOM 54.0f
#define ALIKE 0.7f /* words of both sides that could be so alike in size have one */
#define WIDEST_CELL 26.0f
#define LEAST_WEIGHT 0.01f   /* thinner bands would be a haze; */
#define LEAST_OF_HEADS 0.04f /* of several heads, sooner */
#define CLEAR_WORDS 32       /* of more words only what stands out lies behind the lit bands: … */
#define STANDS_OUT 1.5f      /* … so many times what it would be, were all alike */
#define MEASURED 512         /* words, for the room of a side */

static uint8_t linear_to_srgb_byte(float linear)
{
    float c = linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1 / 2.4f) - 0.055f;
    return (uint8_t)(255 * fminf(fmaxf(c, 0), 1) + 0.5f);
}

/* OKLCH (Ottosson 2020): lightness and chroma fixed, the hue goes round. */
viz_color viz_head_color(const viz_theme *theme, int head, int heads)
{
    float light = theme->light ? 0.55f : 0.78f, chroma = theme->light ? 0.16f : 0.13f;
    float hue = 0.9f + 6.2831853f * (float)head / (float)(heads > 1 ? heads : 1);
    float a = chroma * cosf(hue), b = chroma * sinf(hue);
    float l = powf(light + 0.3963377774f * a + 0.2158037573f * b, 3),
          m = powf(light - 0.1055613458f * a - 0.0638541728f * b, 3),
          s = powf(light - 0.0894841775f * a - 1.2914855480f * b, 3);
    return (viz_color){
        linear_to_srgb_byte(4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s),
        linear_to_srgb_byte(-1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s),
        linear_to_srgb_byte(-0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s), 255};
}

/* ---------------------------------------------------------------- weights */

static float weight_of(const viz_lines *lines, int head, int row, int column)
{
    int at = row - lines->first;
    return at < 0 || at >= lines->held
               ? 0
               : lines->weights[((size_t)head * (size_t)lines->held + (size_t)at) *
                                    (size_t)lines->columns +
                                (size_t)column];
}

static int shown_count(const viz_lines *lines)
{
    int shown = 0;
    for (int h = 0; h < lines->heads; h++)
        shown += lines->shown[h];
    return shown;
}

/* The mean weight of the heads that are shown; 0 for rows that are not held. */
static float mean_weight(const viz_lines *lines, int row, int column)
{
    float sum = 0;
    int heads = 0;
    for (int h = 0; h < lines->heads; h++)
        if (lines->shown[h]) {
            sum += weight_of(lines, h, row, column);
            heads++;
        }
    return heads ? sum / (float)heads : 0;
}

int viz_lines_strongest(const viz_lines *lines, int row, int column, float *weight)
{
    int best = -1;
    *weight = 0;
    for (int h = 0; h < lines->heads; h++) {
        float w = lines->shown[h] ? weight_of(lines, h, row, column) : -1;
        if (lines->shown[h] && (best < 0 || w > *weight)) {
            best = h;
            *weight = w;
        }
    }
    return best < 0 ? 0 : best;
}

/* ---------------------------------------------------------------- layout */

static float widest(const viz_canvas *canvas, float size, const char *const *labels, int count)
{
    float most = 0;
    for (int i = 0; i < count && i < MEASURED; i++)
        most = fmaxf(most, viz_text_width(canvas, VIZ_SANS, size, labels[i]));
    return most;
}

/* The height of letters. Where lines are too low for them, only a few words are written, far from
 * each other. */
static float letter_height(const viz_canvas *canvas, float line)
{
    float least = viz_least_text(canvas, LEAST_TEXT);
    if (line < least)
        return VIZ_LABEL;
    /* Words grow to what reads well; above that the lines draw apart faster than letters grow. */
    float size = line <= 30 ? 0.66f * line : 20 + 0.2f * (line - 30);
    return fminf(fmaxf(size, least), MOST_TEXT);
}

/* The width of a side, `most` at most: words too long for it get smaller letters first. */
static float fit_words(const viz_canvas *canvas, float *size, const char *const *labels, int count,
                       float most)
{
    float wide = widest(canvas, *size, labels, count) + 4;
    if (wide > most && *size > VIZ_LABEL) {
        *size = fmaxf(*size * most / wide, VIZ_LABEL);
        wide = widest(canvas, *size, labels, count) + 4;
    }
    return fminf(wide, most);
}

/* In a figure the names of both sides stand above them, and where no word is lit a legend of the heads
 * above the names, in lines of as many as fit. */
static float heading_height(const viz_canvas *canvas, const viz_lines *lines, float width,
                            viz_rect *heads)
{
    const bool legend = canvas->figure && lines->row < 0 && shown_count(lines) > 1;
    const int each = (int)fmaxf(width / LEGEND_STEP, 1), rows = (lines->heads + each - 1) / each;
    *heads = (viz_rect){0};
    if (legend)
        *heads = (viz_rect){0, HEADING, LEGEND_STEP * (float)each, LEGEND_STEP * (float)rows};
    return HEADING + heads->h + (legend ? 6 : 0) +
           (canvas->figure && lines->sides[0] ? NAME_LINE : 0);
}

float viz_lines_least_height(int words, float line)
{
    return HEADING + line * (float)words;
}

float viz_lines_figure_height(const viz_canvas *canvas, const viz_lines *lines, float width,
                              float line)
{
    const int words = lines->rows > lines->columns ? lines->rows : lines->columns;
    viz_rect heads;
    return heading_height(canvas, lines, width, &heads) + line * (float)words;
}

void viz_lines_lay(viz_lines_layout *l, const viz_canvas *canvas, const viz_lines *lines,
                   viz_rect area)
{
    *l = (viz_lines_layout){
        .area = area, .rows = lines->rows, .columns = lines->columns, .heads = lines->heads};
    l->heading = heading_height(canvas, lines, area.w, &l->heads_row);
    l->heads_row.x += area.x;
    l->heads_row.y += area.y;
    l->names_y = canvas->figure && lines->sides[0] ? area.y + l->heading - 8 : 0;
    const bool lit = lines->row >= 0 || !canvas->figure;
    float before = canvas->figure ? 0 : NUMBER_ROOM; /* on paper no key is pointed at */
    float room = fmaxf(area.h - l->heading, 0), after = lit ? NUMBER_ROOM : 0;
    if (lines->heads > 1 && lit) {
        float least = canvas->figure ? LEAST_NUMBERED : 0;
        l->cell_w = fminf(WIDEST_CELL,
                          fmaxf(0.28f * area.w, least * (float)lines->heads) / (float)lines->heads);
        l->cell_w = fminf(l->cell_w, 0.45f * area.w / (float)lines->heads);
        after = l->cell_w * (float)lines->heads + 16;
    }
    float half = (area.w - before - after) * (lit ? 0.3f : 0.35f);
    l->row_h = fminf(fmaxf(room / (float)lines->rows, lines->line), VIZ_WIDEST_LINE);
    l->column_h = fminf(fmaxf(room / (float)lines->columns, lines->line), VIZ_WIDEST_LINE);
    l->row_text = letter_height(canvas, l->row_h);
    l->column_text = letter_height(canvas, l->column_h);
    float high = fmaxf(l->row_h * (float)l->rows, l->column_h * (float)l->columns);
    l->shift = fminf(fmaxf(lines->scroll, 0), fmaxf(high - room, 0));
    float left = fit_words(canvas, &l->row_text, lines->row_labels, lines->rows, half);
    float right = fit_words(canvas, &l->column_text, lines->column_labels, lines->columns, half);
    float least = fminf(l->row_text, l->column_text), most = fmaxf(l->row_text, l->column_text);
    if (least < most && least > ALIKE * most) { /* not a little larger on one side */
        l->row_text = l->column_text = least;
        left = fit_words(canvas, &l->row_text, lines->row_labels, lines->rows, half);
        right = fit_words(canvas, &l->column_text, lines->column_labels, lines->columns, half);
    }
    l->left = (viz_rect){area.x + before, area.y + l->heading, left,
                         fminf(l->row_h * (float)lines->rows - l->shift, room)};
    l->right = (viz_rect){area.x + area.w - after - right, area.y + l->heading, right,
                          fminf(l->column_h * (float)lines->columns - l->shift, room)};
    if (lines->heads > 1 && lit)
        l->table = (viz_rect){l->right.x + right + 12, l->right.y, l->cell_w * (float)lines->heads,
                              l->right.h};
}

viz_rect viz_lines_side(const viz_lines_layout *l, bool left)
{
    const viz_rect *words = left ? &l->left : &l->right;
    float from = left ? l->area.x : words->x - 12;
    float to = left ? words->x + words->w + 12 : l->area.x + l->area.w;
    return (viz_rect){from, words->y, l->rows ? to - from : 0, fmaxf(words->h, 0)};
}

bool viz_lines_hit(const viz_lines_layout *l, float x, float y, int *row, int *column)
{
    viz_rect left = viz_lines_side(l, true), right = viz_lines_side(l, false);
    *row = *column = -1;
    if (l->row_h > 0 && viz_inside(left, x, y))
        *row = (int)fminf((y - left.y + l->shift) / l->row_h, (float)(l->rows - 1));
    else if (l->column_h > 0 && viz_inside(right, x, y))
        *column = (int)fminf((y - right.y + l->shift) / l->column_h, (float)(l->columns - 1));
    return *row >= 0 || *column >= 0;
}

int viz_lines_first_seen(const viz_lines_layout *l)
{
    return l->row_h > 0 ? (int)fminf(l->shift / l->row_h, (float)(l->rows - 1)) : 0;
}

int viz_lines_count_seen(const viz_lines_layout *l)
{
    int first = viz_lines_first_seen(l);
    int last = l->row_h > 0 ? (int)ceilf((l->shift + l->area.h - l->heading) / l->row_h) : l->rows;
    last = last < l->rows ? last : l->rows;
    return last > first ? last - first : 1;
}

viz_rect viz_lines_head(const viz_lines_layout *l, int head)
{
    float side = fminf(l->cell_w - 2, 18);
    if (l->heads_row.w > 0) {
        const int each = (int)(l->heads_row.w / LEGEND_STEP + 0.5f);
        return (viz_rect){l->heads_row.x + LEGEND_STEP * (float)(head % each),
                          l->heads_row.y + LEGEND_STEP * (float)(head / each), 18, 18};
    }
    if (l->table.w <= 0)
        return (viz_rect){0};
    return (viz_rect){l->table.x + l->cell_w * ((float)head + 0.5f) - side / 2, l->area.y + 2, side,
                      18};
}

int viz_lines_switch(const viz_lines_layout *l, bool *shown, const viz_event *e)
{
    int head = 0, others = 0;
    while (head < l->heads && !viz_inside(viz_lines_head(l, head), e->x, e->y))
        head++;
    if (e->kind != VIZ_PRESS || head == l->heads)
        return -1;
    for (int h = 0; h < l->heads; h++)
        others += h != head && shown[h];
    bool all = shown[head] && !others, alone = e->shift || e->button != 1;
    shown[head] = !shown[head];
    for (int h = 0; h < l->heads && (all || alone); h++)
        shown[h] = all || h == head;
    return head;
}

void viz_lines_spots(const viz_lines_layout *l, viz_spots *spots)
{
    for (int h = 0; h < l->heads && l->heads > 1; h++)
        viz_spots_add(spots, viz_lines_head(l, h), VIZ_SPOT_PRESSES,
                      "Click to switch this head off or on; with shift, to see it alone.");
}

/* ---------------------------------------------------------------- bands */

static float row_y(const viz_lines_layout *l, int row)
{
    return l->left.y - l->shift + l->row_h * ((float)row + 0.5f);
}

static float column_y(const viz_lines_layout *l, int column)
{
    return l->right.y - l->shift + l->column_h * ((float)column + 0.5f);
}

/* The words of a side whose lines are seen: `from` … `to` − 1. */
static void find_visible_words(const viz_lines_layout *l, float step, int count, int *from, int *to)
{
    float high = l->area.h - l->heading;
    *from = (int)fmaxf(floorf(l->shift / step), 0);
    *to = (int)fminf(ceilf((l->shift + high) / step), (float)count);
}

/* True where the band of this pair stands out. */
static bool is_lit(const viz_lines *lines, int row, int column)
{
    if (lines->hover_column >= 0)
        return column == lines->hover_column;
    return row == (lines->hover_row >= 0 ? lines->hover_row : lines->row);
}

static float least_weight(const viz_lines *lines, bool lit)
{
    float least = lines->heads > 1 && !lit ? LEAST_OF_HEADS : LEAST_WEIGHT;
    bool haze = !lit && lines->columns > CLEAR_WORDS;
    return haze ? fmaxf(least, STANDS_OUT / (float)lines->columns) : least;
}

static viz_color color_of(const viz_canvas *canvas, const viz_lines *lines, int head, bool lit)
{
    if (lines->heads > 1)
        return viz_head_color(canvas->theme, head, lines->heads);
    return lit ? canvas->theme->accent : canvas->theme->text2;
}

/* One band for a pair: that of the head with the largest weight. */
static void draw_faint_band(const viz_lines_layout *l, viz_canvas *canvas, const viz_lines *lines,
                            int i, int j, float most)
{
    float weight, x0 = l->left.x + l->left.w + 8, x1 = l->right.x - 8;
    int head = viz_lines_strongest(lines, i, j, &weight);
    if (!(weight >= least_weight(lines, false)))
        return;
    /* Those of several heads are many, and calmer; where none is lit, they are what there is to see. */
    bool alone = lines->row < 0 && lines->hover_column < 0;
    bool many = alone ? shown_count(lines) > 1 : lines->heads > 1;
    float strong = fminf(weight, 1), wide = many ? 0.5f * most : most;
    float clear = (many ? 0.26f : 0.35f) + (alone ? 0.2f : 0);
    viz_color color = viz_with_alpha(color_of(canvas, lines, head, false),
                                     (many ? 0.04f : 0.05f) + clear * strong);
    viz_band_draw(canvas, x0, row_y(l, i), x1, column_y(l, j), fmaxf(wide * strong, 0.7f), false,
                  color);
}

/* A band for each head, one below the other. */
static void draw_lit_bands(const viz_lines_layout *l, viz_canvas *canvas, const viz_lines *lines,
                           int i, int j, float most)
{
    float x0 = l->left.x + l->left.w + 8, x1 = l->right.x - 8;
    int shown = shown_count(lines), place = 0;
    float slot = most / (float)(shown ? shown : 1);
    for (int h = 0; h < lines->heads; h++) {
        if (!lines->shown[h])
            continue;
        float weight = weight_of(lines, h, i, j), off = ((float)place + 0.5f) * slot - most / 2;
        place++;
        if (!(weight >= least_weight(lines, true)))
            continue;
        float strong = fminf(weight, 1);
        float width =
            shown > 1 ? fmaxf(fminf(2.2f * slot, most) * strong, 0.8f) : fmaxf(most * strong, 0.7f);
        viz_band_draw(canvas, x0, row_y(l, i) + off, x1, column_y(l, j) + off, width, false,
                      viz_with_alpha(color_of(canvas, lines, h, true), 0.35f + 0.6f * strong));
    }
}

static void draw_bands(const viz_lines_layout *l, viz_canvas *canvas, const viz_lines *lines)
{
    float line = fminf(l->row_h, l->column_h);
    float most = fminf(fmaxf(fminf(0.9f * line, 16), 0.4f * line), WIDEST_BAND);
    int row0, row1, column0, column1;
    find_visible_words(l, l->row_h, l->rows, &row0, &row1);
    find_visible_words(l, l->column_h, l->columns, &column0, &column1);
    for (int i = row0; i < row1; i++)
        for (int j = column0; j < column1; j++)
            if (!is_lit(lines, i, j))
                draw_faint_band(l, canvas, lines, i, j, most);
    /* What is lit leads out of sight, too. */
    int row = lines->hover_row >= 0 ? lines->hover_row : lines->row;
    if (lines->hover_column >= 0)
        for (int i = lines->first; i < lines->first + lines->held; i++)
            draw_lit_bands(l, canvas, lines, i, lines->hover_column, most);
    for (int j = 0; j < l->columns && lines->hover_column < 0 && row >= 0; j++)
        draw_lit_bands(l, canvas, lines, row, j, most);
}

/* ---------------------------------------------------------------- words */

static void draw_side(const viz_lines_layout *l, viz_canvas *canvas, const viz_lines *lines,
                      bool left)
{
    const viz_theme *theme = canvas->theme;
    int chosen = lines->hover_column >= 0 ? (left ? -1 : lines->hover_column)
                 : left                   ? (lines->hover_row >= 0 ? lines->hover_row : lines->row)
                                          : -1;
    float size = left ? l->row_text : l->column_text, step = left ? l->row_h : l->column_h;
    float least = viz_least_text(canvas, LEAST_TEXT);
    viz_rect side = left ? l->left : l->right;
    int from, to;
    char fit[256], number[32];
    find_visible_words(l, step, left ? l->rows : l->columns, &from, &to);
    for (int i = from; i < to; i++) {
        float middle = left ? row_y(l, i) : column_y(l, i), y = middle + 0.36f * size;
        /* The weight of a word's lit band; below 0: it has none. */
        int row = left ? i : lines->hover_row >= 0 ? lines->hover_row : lines->row;
        int column = left ? lines->hover_column : i;
        bool meets = left == (lines->hover_column >= 0) && (row >= 0 || left);
        float weight = meets && lines->weights ? mean_weight(lines, row, column) : -1;
        viz_color color = i == chosen                        ? theme->accent
                          : weight >= 0.1f || lines->row < 0 ? theme->text
                                                             : theme->text2;
        if (y - 0.8f * size < l->area.y + l->heading || y + 0.25f * size > l->area.y + l->area.h)
            continue; /* half of it is scrolled out of sight */
        const char *label = left ? lines->row_labels[i] : lines->column_labels[i];
        viz_text_fit(canvas, VIZ_SANS, size, side.w, label, fit, sizeof fit);
        if (step >= least || i == chosen || weight >= 0.1f)
            viz_text(canvas, VIZ_SANS, size, left ? side.x + side.w : side.x, y,
                     left ? VIZ_RIGHT : VIZ_LEFT, color, fit);
        if (weight < LEAST_WEIGHT || step < least || (!left && l->table.w > 0))
            continue;
        snprintf(number, sizeof number, "%.3f", (double)weight);
        float small = fminf(size, VIZ_LABEL);
        viz_text(canvas, VIZ_MONO, small, left ? side.x - 8 : l->area.x + l->area.w,
                 middle + 0.36f * small, VIZ_RIGHT, color, number);
    }
}

/* ---------------------------------------------------------------- heads */

static void draw_switches(const viz_lines_layout *l, viz_canvas *canvas, const viz_lines *lines)
{
    const viz_theme *theme = canvas->theme;
    char number[16];
    for (int h = 0; h < l->heads; h++) {
        viz_rect r = viz_lines_head(l, h);
        viz_color color = viz_head_color(theme, h, l->heads);
        if (lines->shown[h])
            viz_fill_round(canvas, r, 4, color);
        else
            viz_frame_round(canvas, r, 4, 1, theme->faint);
        snprintf(number, sizeof number, "%d", h);
        if (r.w >= 13)
            viz_text(canvas, VIZ_SANS, r.w >= 17 ? 11 : 9, r.x + r.w / 2, r.y + 13, VIZ_CENTER,
                     lines->shown[h] ? viz_text_on(color) : theme->faint, number);
    }
}

/* How much each head looks at each word of the right side, for the word that is lit. */
static void draw_table(const viz_lines_layout *l, viz_canvas *canvas, const viz_lines *lines)
{
    int from, to, row = lines->hover_row >= 0 ? lines->hover_row : lines->row;
    float gap = l->column_h >= 8 ? 2 : 0;
    find_visible_words(l, l->column_h, l->columns, &from, &to);
    for (int j = from; j < to; j++)
        for (int h = 0; h < l->heads; h++) {
            float weight = lines->shown[h] ? weight_of(lines, h, row, j) : 0;
            viz_rect cell = {l->table.x + l->cell_w * (float)h + 1,
                             column_y(l, j) - l->column_h / 2 + gap / 2, l->cell_w - 2,
                             l->column_h - gap};
            viz_fill(canvas, cell, viz_with_alpha(canvas->theme->line, 0.5f));
            if (weight > 0)
                viz_fill(canvas, cell,
                         viz_with_alpha(viz_head_color(canvas->theme, h, l->heads),
                                        sqrtf(fminf(weight, 1))));
        }
}

void viz_lines_draw(const viz_lines_layout *l, viz_canvas *canvas, const viz_lines *lines)
{
    viz_rect words = {l->area.x, l->area.y + l->heading, l->area.w, l->area.h - l->heading};
    bool scrolls = l->row_h * (float)l->rows > words.h + 0.5f ||
                   l->column_h * (float)l->columns > words.h + 0.5f;
    if (scrolls)
        viz_clip(canvas, words);
    if (lines->weights)
        draw_bands(l, canvas, lines);
    draw_side(l, canvas, lines, true);
    draw_side(l, canvas, lines, false);
    if (l->table.w > 0 && lines->weights)
        draw_table(l, canvas, lines);
    if (scrolls)
        viz_clip_none(canvas);
    if (l->names_y > 0) {
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, l->left.x + l->left.w, l->names_y, VIZ_RIGHT,
                 canvas->theme->text, viz_word(lines->sides[0]));
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, l->right.x, l->names_y, VIZ_LEFT, canvas->theme->text,
                 viz_word(lines->sides[1]));
    }
    draw_switches(l, canvas, lines);
    if (canvas->figure && lines->row < 0)
        return;
    /* “sat” attends to …, or “cat” is attended by …, unless nothing attends. */
    char text[256];
    int row = lines->hover_row >= 0 ? lines->hover_row : lines->row;
    if (lines->heading && lines->heading[0])
        snprintf(text, sizeof text, "%s", lines->heading);
    else if (lines->hover_column >= 0)
        snprintf(text, sizeof text, viz_word("“%s” is attended by"),
                 lines->column_labels[lines->hover_column]);
    else
        snprintf(text, sizeof text, viz_word("“%s” attends to"), lines->row_labels[row]);
    float right = l->table.w > 0 ? l->table.x - 12 : l->area.x + l->area.w;
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, right, l->area.y + 14, right - l->area.x,
                    VIZ_RIGHT, canvas->theme->text2, text);
}
