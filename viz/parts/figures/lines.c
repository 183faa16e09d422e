/* Two sentences beside each other, and a band from word to word, as wide as its weight. */
#include <math.h>
#include <stdio.h>

#include "canvas/recording.h"
#include "canvas/text.h"
#include "parts/controls/widgets.h"
#include "parts/figures/lines.h"
#include "parts/playback/glide.h"

/* The share of pixel `at` that lies between two places. */
static float covered(int at, float from, float to)
{
    return fmaxf(fminf(to, (float)(at + 1)) - fmaxf(from, (float)at), 0);
}

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

/* The band as a polygon: one edge there, and the other back. */
static void record_band(viz_canvas *canvas, const band *b, viz_color color)
{
    enum { PIECES = 48, POINTS = 2 * (PIECES + 1) };
    viz_point points[POINTS];
    if (!canvas->recording)
        return;
    for (int i = 0; i <= PIECES; i++) {
        float t = (float)i / PIECES, along = b->along0 + t * (b->along1 - b->along0), edges[2];
        band_edges(b, t, edges);
        for (int k = 0; k < 2; k++)
            points[k ? POINTS - 1 - i : i] =
                b->down ? (viz_point){edges[k], along} : (viz_point){along, edges[k]};
    }
    viz_record(canvas, &(viz_shape){.kind = VIZ_SHAPE_POLYGON,
                                    .points = points,
                                    .point_count = POINTS,
                                    .color = color});
}

void viz_band_draw(viz_canvas *canvas, float x0, float y0, float x1, float y1, float width,
                   bool down, viz_color color)
{
    float d = canvas->density, edges[2];
    band b = {.along0 = (down ? y0 : x0) * d,
              .along1 = (down ? y1 : x1) * d,
              .across0 = (down ? x0 : y0) * d,
              .across1 = (down ? x1 : y1) * d,
              .width = width * d,
              .down = down};
    for (int a = (int)b.along0; a < (int)b.along1; a++) {
        band_edges(&b, ((float)a + 0.5f - b.along0) / (b.along1 - b.along0), edges);
        for (int at = (int)floorf(edges[0]); at <= (int)floorf(edges[1]); at++)
            viz_blend(canvas, down ? at : a, down ? a : at, color, covered(at, edges[0], edges[1]));
    }
    record_band(canvas, &b, color);
}

/* ---------------------------------------------------------------- the layout of two sentences, and the bands between them */

#define HEADING 24.0f
#define WIDEST_LINE 30.0f
#define LEAST_TEXT 8.0f
#define WIDEST_BAND 14.0f
#define NUMBER_ROOM 54.0f
#define LEAST_WEIGHT 0.01f /* thinner bands would be a haze */
#define CLEAR_WORDS 32     /* of more words only what stands out lies behind the lit bands: … */
#define STANDS_OUT 1.5f    /* … so many times what it would be, were all alike */

/* ---------------------------------------------------------------- layout */

static float widest(const viz_canvas *canvas, float size, const char *const *labels, int count)
{
    float most = 0;
    for (int i = 0; i < count; i++)
        most = fmaxf(most, viz_text_width(canvas, VIZ_SANS, size, labels[i]));
    return most;
}

/* The height of letters. Where lines are too low for them, only a few words are written, far from
 * each other. */
static float letters(const viz_canvas *canvas, float line)
{
    float least = viz_least_text(canvas, LEAST_TEXT);
    if (line < least)
        return VIZ_LABEL;
    return fminf(fmaxf(0.62f * line, least), 18);
}

float viz_lines_least_height(int words, float line)
{
    return HEADING + line * (float)words;
}

void viz_lines_lay(viz_lines_layout *l, const viz_canvas *canvas, const viz_lines *lines,
                   viz_rect area)
{
    *l = (viz_lines_layout){.area = area, .rows = lines->rows, .columns = lines->columns};
    float before = canvas->figure ? 0 : NUMBER_ROOM; /* on paper no key is pointed at */
    float room = fmaxf(area.h - HEADING, 0), half = (area.w - before - NUMBER_ROOM) * 0.35f;
    l->row_h = fminf(room / (float)lines->rows, WIDEST_LINE);
    l->column_h = fminf(room / (float)lines->columns, WIDEST_LINE);
    l->row_text = letters(canvas, l->row_h);
    l->column_text = letters(canvas, l->column_h);
    float left = fminf(widest(canvas, l->row_text, lines->row_labels, lines->rows) + 4, half);
    float right =
        fminf(widest(canvas, l->column_text, lines->column_labels, lines->columns) + 4, half);
    l->left = (viz_rect){area.x + before, area.y + HEADING, left, l->row_h * (float)lines->rows};
    l->right = (viz_rect){area.x + area.w - NUMBER_ROOM - right, area.y + HEADING, right,
                          l->column_h * (float)lines->columns};
}

viz_rect viz_lines_side(const viz_lines_layout *l, bool left)
{
    const viz_rect *words = left ? &l->left : &l->right;
    float from = left ? l->area.x : words->x - 12;
    float to = left ? words->x + words->w + 12 : l->area.x + l->area.w;
    return (viz_rect){from, words->y, l->rows ? to - from : 0, words->h};
}

bool viz_lines_hit(const viz_lines_layout *l, float x, float y, int *row, int *column)
{
    viz_rect left = viz_lines_side(l, true), right = viz_lines_side(l, false);
    *row = *column = -1;
    if (l->row_h > 0 && viz_inside(left, x, y))
        *row = (int)fminf((y - left.y) / l->row_h, (float)(l->rows - 1));
    else if (l->column_h > 0 && viz_inside(right, x, y))
        *column = (int)fminf((y - right.y) / l->column_h, (float)(l->columns - 1));
    return *row >= 0 || *column >= 0;
}

/* ---------------------------------------------------------------- bands */

static float row_y(const viz_lines_layout *l, int row)
{
    return l->left.y + l->row_h * ((float)row + 0.5f);
}

static float column_y(const viz_lines_layout *l, int column)
{
    return l->right.y + l->column_h * ((float)column + 0.5f);
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
    bool haze = !lit && lines->columns > CLEAR_WORDS;
    return haze ? fmaxf(LEAST_WEIGHT, STANDS_OUT / (float)lines->columns) : LEAST_WEIGHT;
}

static void draw_bands(const viz_lines_layout *l, viz_canvas *canvas, const viz_lines *lines,
                       bool lit)
{
    float x0 = l->left.x + l->left.w + 8, x1 = l->right.x - 8;
    float most = fminf(fminf(l->row_h, l->column_h) * 0.9f, WIDEST_BAND);
    const viz_theme *theme = canvas->theme;
    float least = least_weight(lines, lit);
    for (int i = 0; i < lines->rows; i++)
        for (int j = 0; j < lines->columns; j++) {
            float weight = lines->weights[i * lines->columns + j];
            if (!(weight >= least) || is_lit(lines, i, j) != lit)
                continue;
            float strong = fminf(weight, 1), width = fmaxf(most * strong, 0.7f);
            viz_color color = lit ? viz_with_alpha(theme->accent, 0.35f + 0.6f * strong)
                                  : viz_with_alpha(theme->text2, 0.05f + 0.35f * strong);
            viz_band_draw(canvas, x0, row_y(l, i), x1, column_y(l, j), width, false, color);
        }
}

/* ---------------------------------------------------------------- words */

/* The weight of a word's lit band; below 0: it has none. */
static float lit_weight(const viz_lines *lines, bool left, int word)
{
    int row = left ? word : lines->hover_row >= 0 ? lines->hover_row : lines->row;
    int column = left ? lines->hover_column : word;
    bool meets = left == (lines->hover_column >= 0);
    return meets && lines->weights ? lines->weights[row * lines->columns + column] : -1;
}

static void draw_side(const viz_lines_layout *l, viz_canvas *canvas, const viz_lines *lines,
                      bool left)
{
    const viz_theme *theme = canvas->theme;
    int count = left ? lines->rows : lines->columns;
    int chosen = lines->hover_column >= 0 ? (left ? -1 : lines->hover_column)
                 : left                   ? (lines->hover_row >= 0 ? lines->hover_row : lines->row)
                                          : -1;
    float size = left ? l->row_text : l->column_text, step = left ? l->row_h : l->column_h;
    float least = viz_least_text(canvas, LEAST_TEXT);
    viz_rect side = left ? l->left : l->right;
    char fit[256], number[32];
    for (int i = 0; i < count; i++) {
        float y = (left ? row_y(l, i) : column_y(l, i)) + 0.36f * size;
        float weight = lit_weight(lines, left, i);
        viz_color color = i == chosen ? theme->accent : weight >= 0.1f ? theme->text : theme->text2;
        const char *label = left ? lines->row_labels[i] : lines->column_labels[i];
        viz_text_fit(canvas, VIZ_SANS, size, side.w, label, fit, sizeof fit);
        if (step >= least || i == chosen || weight >= 0.1f)
            viz_text(canvas, VIZ_SANS, size, left ? side.x + side.w : side.x, y,
                     left ? VIZ_RIGHT : VIZ_LEFT, color, fit);
        if (weight < LEAST_WEIGHT || step < least)
            continue;
        snprintf(number, sizeof number, "%.3f", (double)weight);
        viz_text(canvas, VIZ_MONO, fminf(size, VIZ_LABEL),
                 left ? side.x - 8 : l->area.x + l->area.w, y, VIZ_RIGHT, color, number);
    }
}

void viz_lines_draw(const viz_lines_layout *l, viz_canvas *canvas, const viz_lines *lines)
{
    if (lines->weights) {
        draw_bands(l, canvas, lines, false);
        draw_bands(l, canvas, lines, true);
    }
    /* “sat” attends to …, or “cat” is attended by … */
    char text[256], fit[256];
    int row = lines->hover_row >= 0 ? lines->hover_row : lines->row;
    if (lines->hover_column >= 0)
        snprintf(text, sizeof text, "“%s” is attended by",
                 lines->column_labels[lines->hover_column]);
    else
        snprintf(text, sizeof text, "“%s” attends to", lines->row_labels[row]);
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, l->area.w, text, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, l->area.x + l->area.w, l->area.y + 12, VIZ_RIGHT,
             canvas->theme->text2, fit);
    draw_side(l, canvas, lines, true);
    draw_side(l, canvas, lines, false);
}
