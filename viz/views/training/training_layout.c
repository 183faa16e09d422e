/* The layout of the training view: as many columns of pictures as make them largest. */

#include "training/training_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "parts/figures/frame.h"
#include "view/words.h"

#define COLUMN_GAP 32.0f    /* between the pictures and the curves */
#define TITLE_ROW 26.0f     /* of a curve */
#define STEPS_ROW 18.0f     /* the numbers below a curve */
#define NUMBERS 38.0f       /* the width of those at its left */
#define ROOMY_HEIGHT 556.0f /* from here on there is air */
#define LEAST_CURVES 236.0f /* width of the column of curves … */
#define LEAST_BELOW 150.0f  /* … or height of their row */
#define LEAST_TEXT 12.0f
#define WIDE 560.0f       /* the width from which on a text has the curves at its right */
#define TWO_CURVES 500.0f /* the width from which on curves stand side by side in a figure */
#define AXIS_ROW 18.0f    /* the name of its axis of steps */
#define LEGEND_ROW 18.0f
#define LEGEND_WIDE 740.0f /* the width from which on all kinds stand in one row */

/* Of the heads: */
#define TITLE 20.0f        /* above their grid, and above each of several maps */
#define HEAD_NUMBERS 16.0f /* of layers and heads, along its edges */
#define HEAD_CAPTION 14.0f /* below a map that is at least so wide: */
#define CAPTIONED 34.0f
#define LARGEST_HEAD 110.0f
#define SMALL 240.0f /* lower than that there is no room for all of it */
#define READOUT 20.0f
#define SCORES_ROOM 330.0f  /* the height from which on there are lines of scores */
#define SCORES_LEAST 236.0f /* and their width */

/* Sentences are measured once at this size of text, and scaled to others. */
#define MEASURED 14.0f
#define LEAST_SIDE 72.0f /* of a picture; where all would be smaller, fewer are shown */
#define SPACE 0.27f      /* between words, in sizes of text */

enum { CAPS = 4 };
static const viz_key_row caps_playing[CAPS] = {
    {"space", "hold", .tips = {N_("Holds the words; the training goes on (space).")}},
    {"C", "compare"},
    {"S", "PNG"},
    {"?", "keys"}};
static const viz_key_row caps_held[CAPS] = {
    {"space", "go on", .tips = {N_("The words go on (space).")}},
    {"C", "compare"},
    {"S", "PNG"},
    {"?", "keys"}};

/* Widths of the words of the true sentences at MEASURED. */
typedef struct sentence_widths {
    int count[TRAINING_PICTURES];
    float word[TRAINING_PICTURES][SAC_MAX_TOKENS];
} sentence_widths;

/* A way to set the pictures, and how large they come out. */
typedef struct arrangement {
    bool beside;  /* curves beside the pictures; else below */
    bool aligned; /* words are as wide as their picture; else as their column */
    bool brief;   /* no space is kept for the ground truth */
    float height; /* of a picture, in widths: that of the highest */
    int columns, rows;
    float side, cell, gap; /* width of a picture, of a column, between columns */
    float text_size, truth_size;
    int lines, truth_lines;
} arrangement;

/* Down to a whole pixel, so that pictures of one size have one size in pixels too. */
static float round_down_to_pixel(const viz_canvas *canvas, float length)
{
    return floorf(length * canvas->density + 1e-3f) / canvas->density;
}

static float line_height(float size)
{
    return ceilf(1.4f * size);
}

/* ---------------------------------------------------------------- sentences */

/* The number of lines of `width` that the longest of the true sentences needs; at least two, as the
 * model's may be longer. */
static int lines_needed(const sentence_widths *w, int pictures, float width, float size)
{
    int most = 2;
    float scale = 1.02f * size / MEASURED;
    for (int i = 0; i < pictures; i++) {
        int lines = 1;
        float x = 0;
        for (int k = 0; k < w->count[i]; k++) {
            float word = scale * w->word[i][k];
            if (x > 0 && x + word > width) {
                lines++;
                x = 0;
            }
            x += word + 1 + ceilf(SPACE * size);
        }
        most = lines > most ? lines : most;
    }
    return most < 6 ? most : 6;
}

/* ---------------------------------------------------------------- the pictures' arrangement */

static float words_height(const arrangement *a)
{
    return VIZ_GAP + (float)a->lines * line_height(a->text_size) +
           (float)a->truth_lines * line_height(a->truth_size);
}

static float row_gap(bool roomy)
{
    return roomy ? 18 : 10;
}

/* The side that is left for pictures in columns of a->cell with their words below. */
static void fit_cell(const sentence_widths *w, int pictures, float height, arrangement *a)
{
    a->lines = lines_needed(w, pictures, a->cell, a->text_size);
    a->truth_lines = a->brief ? 1 : lines_needed(w, pictures, a->cell, a->truth_size);
    a->side = fminf(a->cell, (height - words_height(a)) / a->height);
}

/* Large pictures with captions of suitable size, their edges aligned, the ground truth below. */
static float quality(const arrangement *a)
{
    bool suits = a->side >= 14 * a->text_size || a->text_size <= LEAST_TEXT;
    if (a->side < 24 || !suits)
        return 0;
    return powf(a->side, 1.5f) * sqrtf(a->text_size) * (a->aligned ? 1 : 0.78f) *
           (a->brief ? 0.65f : 1);
}

/* The best of all ways with so many columns. */
static void try_columns(const sentence_widths *w, const training_content *c, viz_rect room,
                        bool roomy, int columns, arrangement *best)
{
    const int pictures = c->pictures;
    static const float sizes[] = {20, 18, 16, 15, 14, 13, LEAST_TEXT};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int way = 0; way < 8; way++) {
            arrangement a = {.beside = way & 1,
                             .aligned = way & 2,
                             .brief = way & 4,
                             .height = c->height > 0 ? c->height : 1,
                             .columns = columns,
                             .text_size = sizes[i]};
            /* Fills in how large pictures come out with a->columns and a->text_size. */
            viz_rect rest = room; /* beside the curves, or above them */
            if (a.beside)
                rest.w -= fmaxf(fminf(LEAST_CURVES, 0.45f * room.w), 0.27f * room.w) + COLUMN_GAP;
            else
                rest.h -= fmaxf(fminf(LEAST_BELOW, 0.45f * room.h), 0.24f * room.h) + VIZ_MARGIN;
            a.rows = (pictures + a.columns - 1) / a.columns;
            a.gap = roomy ? 24 : 16;
            a.cell = (rest.w - (float)(a.columns - 1) * a.gap) / (float)a.columns;
            a.truth_size = fmaxf(a.text_size - 2, 11);
            float height = (rest.h - (float)(a.rows - 1) * row_gap(roomy)) / (float)a.rows;
            fit_cell(w, pictures, height, &a);
            /* Columns as narrow as their pictures: each makes the other smaller, until both agree. */
            for (int tries = 0; a.aligned && a.side < a.cell && a.side > 40 && tries < 12;
                 tries++) {
                a.cell = a.side;
                fit_cell(w, pictures, height, &a);
            }
            if (quality(&a) > 1.001f * quality(best))
                *best = a;
        }
}

/* Columns no wider than their words need. */
static void narrow(const sentence_widths *w, int pictures, arrangement *a)
{
    while (a->cell - 4 >= a->side &&
           lines_needed(w, pictures, a->cell - 4, a->text_size) <= a->lines &&
           (a->brief || lines_needed(w, pictures, a->cell - 4, a->truth_size) <= a->truth_lines))
        a->cell -= 4;
}

static arrangement arrange(const viz_canvas *canvas, const training_content *c, viz_rect room,
                           bool roomy)
{
    sentence_widths w = {0};
    char text[256], *rest = NULL;
    for (int i = 0; i < c->pictures; i++) {
        snprintf(text, sizeof text, "%s", c->truth[i]);
        for (char *t = strtok_r(text, " ", &rest); t && w.count[i] < SAC_MAX_TOKENS;
             t = strtok_r(NULL, " ", &rest))
            w.word[i][w.count[i]++] = viz_text_width(canvas, VIZ_SANS, MEASURED, t);
    }
    sentence_widths widths = w;
    arrangement best = {0};
    for (int columns = 1; columns <= c->pictures; columns++)
        if (c->pictures % columns == 0)
            try_columns(&widths, c, room, roomy, columns, &best);
    if (!best.columns)
        return (arrangement){.beside = true};
    best.side = round_down_to_pixel(canvas, best.side);
    best.cell = best.aligned ? fminf(best.cell, best.side) : best.cell;
    if (best.beside)
        narrow(&widths, c->pictures, &best);
    /* Gives the rest of the space to the curves, up to half of it, and then to the gaps between
     * columns. */
    float curves = best.beside ? 0.5f * room.w + COLUMN_GAP : 0;
    float columns = (float)best.columns * (best.cell + best.gap) - best.gap;
    if (best.columns > 1 && room.w - curves > columns)
        best.gap += (room.w - curves - columns) / (float)(best.columns - 1);
    return best;
}

/* Returns the right (or lower) edge of the pictures' area. */
static float lay_pictures(const viz_canvas *canvas, const arrangement *a, viz_rect room, bool roomy,
                          int pictures, training_layout *l)
{
    const float high = round_down_to_pixel(canvas, a->height * a->side);
    float height = high + words_height(a), step = height + row_gap(roomy);
    l->text_size = a->text_size;
    l->truth_size = a->truth_size;
    l->lines = a->lines;
    for (int i = 0; i < pictures; i++) {
        float x =
            round_down_to_pixel(canvas, room.x + (float)(i % a->columns) * (a->cell + a->gap));
        float y = round_down_to_pixel(canvas, room.y + (float)(i / a->columns) * step);
        l->picture[i] = (viz_rect){x, y, a->side, high};
        l->words[i] = (viz_rect){x, y + high + VIZ_GAP, a->cell, height - high - VIZ_GAP};
    }
    return a->beside ? room.x + (float)a->columns * (a->cell + a->gap) - a->gap
                     : room.y + (float)a->rows * step - row_gap(roomy);
}

/* ---------------------------------------------------------------- curves */

static training_plot lay_plot(viz_rect r)
{
    float top = r.y + TITLE_ROW, height = r.h - TITLE_ROW;
    return (training_plot){.title = {r.x, r.y, r.w, TITLE_ROW - 10},
                           .numbers = {r.x, top - 6, NUMBERS - 6, height + 10},
                           .plot = {r.x + NUMBERS, top, r.w - NUMBERS, height}};
}

static viz_rect steps_below(const training_plot *plot)
{
    viz_rect r = plot->plot;
    return (viz_rect){r.x, r.y + r.h + 4, r.w, STEPS_ROW - 4};
}

/* One above the other on one axis of steps, the colour bar below them. */
static void lay_curves_stacked(viz_rect r, training_layout *l)
{
    float bar = r.h >= 420 ? VIZ_BAR_NAMED_HEIGHT : r.h >= 330 ? VIZ_BAR_HEIGHT : 0;
    float gap = r.h >= 420 ? 26 : 16;
    if (r.w < 160 || r.h < 150)
        return;
    if (bar > 0)
        l->bar = (viz_rect){r.x, r.y + r.h - bar, r.w, bar};
    float height = r.h - STEPS_ROW - gap - (bar > 0 ? bar + gap : 0);
    float upper = floorf(0.62f * height);
    l->loss = lay_plot((viz_rect){r.x, r.y, r.w, upper});
    l->exact = lay_plot((viz_rect){r.x, r.y + upper + gap, r.w, height - upper});
    l->steps[0] = steps_below(&l->exact);
}

/* Side by side. */
static void lay_curves_in_row(viz_rect r, training_layout *l)
{
    float width = (r.w - COLUMN_GAP) / 2, height = r.h - STEPS_ROW;
    if (width < 120 || r.h < 90)
        return;
    l->loss = lay_plot((viz_rect){r.x, r.y, width, height});
    l->exact = lay_plot((viz_rect){r.x + width + COLUMN_GAP, r.y, width, height});
    l->steps[0] = steps_below(&l->loss);
    l->steps[1] = steps_below(&l->exact);
}

/* The losses of a model that writes, and the scores of its heads below them on one axis of steps. */
static void lay_curves_of_text(viz_rect r, bool has_heads, training_layout *l)
{
    if (r.w < 160 || r.h < 90)
        return;
    if (!has_heads) {
        l->loss = lay_plot((viz_rect){r.x, r.y, r.w, r.h - STEPS_ROW});
        l->steps[0] = steps_below(&l->loss);
        return;
    }
    const float gap = r.h >= 420 ? 24 : 10, height = r.h - STEPS_ROW - gap;
    const int columns = r.w >= LEGEND_WIDE ? SAC_TRAINING_KINDS : 2;
    const int rows = SAC_TRAINING_KINDS / columns;
    const float upper = floorf(0.46f * height), legend = LEGEND_ROW * (float)rows;
    const viz_rect lower = {r.x, r.y + upper + gap, r.w, height - upper};
    l->loss = lay_plot((viz_rect){r.x, r.y, r.w, upper});
    l->scores = lay_plot(lower);
    const float top = lower.y + legend + 8;
    l->scores.plot = (viz_rect){r.x + NUMBERS, top, r.w - NUMBERS, lower.y + lower.h - top};
    l->scores.numbers = (viz_rect){r.x, top - 6, NUMBERS - 6, l->scores.plot.h + 10};
    l->steps[0] = steps_below(&l->scores);
    const float between = r.w < 320 ? 8 : 16,
                width = (r.w - between * (float)(columns - 1)) / (float)columns;
    for (int i = 0; i < SAC_TRAINING_KINDS; i++)
        l->legend[i] = (viz_rect){r.x + (width + between) * (float)(i % columns),
                                  lower.y + LEGEND_ROW * (float)(i / columns), width, LEGEND_ROW};
}

training_layout viz_training_curves_layout(viz_rect area, const training_content *c)
{
    training_layout l = {0};
    viz_rect room = {area.x + VIZ_FIGURE_MARGIN, area.y + VIZ_FIGURE_MARGIN,
                     area.w - 2 * VIZ_FIGURE_MARGIN, area.h - 2 * VIZ_FIGURE_MARGIN - AXIS_ROW};
    if (c->writes) {
        lay_curves_of_text(room, c->layers > 0, &l);
        return l;
    }
    if (area.w >= TWO_CURVES) {
        lay_curves_in_row(room, &l);
        return l;
    }
    float half = (room.h - STEPS_ROW - COLUMN_GAP) / 2;
    l.loss = lay_plot((viz_rect){room.x, room.y, room.w, half});
    l.exact = lay_plot((viz_rect){room.x, room.y + half + COLUMN_GAP, room.w, half});
    l.steps[0] = steps_below(&l.exact);
    return l;
}

float viz_training_curves_height(float width, const training_content *c)
{
    if (c->writes)
        return AXIS_ROW + (c->layers ? 0.8f : 0.5f) * width;
    return AXIS_ROW + (width >= TWO_CURVES ? 0.42f * width : 1.1f * width);
}

/* ---------------------------------------------------------------- figures */

/* The step, the track, speed and time, keys; the track takes what is left. */
static void lay_progress_numbers(const viz_canvas *canvas, const training_content *c, viz_rect r,
                                 bool roomy, training_layout *l)
{
    char most[32];
    snprintf(most, sizeof most, viz_word("%zu of %zu"), c->steps, c->steps);
    const char *const texts[FIGURE_COUNT][2] = {[FIGURE_STEP] = {most, "step"},
                                                [FIGURE_SPEED] = {"00000", "samples/s"},
                                                [FIGURE_TIME] = {"00 h 00 min", "left"}};
    float width[FIGURE_COUNT], gap = roomy ? 24 : 14, x = r.x, right = r.x + r.w;
    for (int i = 0; i < FIGURE_COUNT; i++)
        width[i] = ceilf(viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, texts[i][0]) + 6 +
                         viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, viz_word(texts[i][1])));
    float figures = width[FIGURE_SPEED] + width[FIGURE_TIME] + 2 * gap;
    float keys = r.w - width[FIGURE_STEP] - figures - gap - 60;
    /* A text that is written has no words to hold; heads of two steps are compared. */
    const bool has_heads = c->layers > 0,
               shown[CAPS] = {!c->writes || has_heads, has_heads, true, true};
    l->caps = viz_caps_layout_shown(canvas, right, r.y + 2, fmaxf(keys, 0),
                                    c->playing ? caps_playing : caps_held, CAPS, shown);
    for (int i = CAPS - 1; i >= 0; i--)
        if (l->caps.items[i].w > 0)
            right = l->caps.items[i].x - gap;
    if (width[FIGURE_STEP] > r.w)
        return;
    l->figure[FIGURE_STEP] = (viz_rect){x, r.y, width[FIGURE_STEP], r.h};
    x += width[FIGURE_STEP] + gap;
    if (right - figures - x >= 40) {
        for (int i = FIGURE_TIME; i >= FIGURE_SPEED; i--) {
            l->figure[i] = (viz_rect){right - width[i], r.y, width[i], r.h};
            right -= width[i] + gap;
        }
    }
    if (right - x >= 40)
        l->track = (viz_rect){x, r.y, right - x, r.h};
}

/* ---------------------------------------------------------------- heads */

/* As large as the grid comes out in `r`, numbers included; returns how wide it is. */
static float lay_heads_grid(const training_content *c, viz_rect r, training_heads_layout *h)
{
    const float columns = (float)c->heads, rows = (float)c->layers;
    const viz_rect room = {r.x + HEAD_NUMBERS, r.y + HEAD_NUMBERS - 2, r.w - HEAD_NUMBERS,
                           r.h - HEAD_NUMBERS + 2};
    for (int captions = 1; captions >= 0; captions--) {
        const float wide = room.w / columns, high = room.h / rows;
        const float gap = fminf(6, fmaxf(1, 0.1f * fminf(wide, high)));
        h->bar = fminf(4, 0.6f * gap);
        h->captions = captions;
        const float below = h->bar + 1 + (captions ? HEAD_CAPTION : 0);
        h->cell = floorf(fminf(fminf(wide - gap, high - gap - below), LARGEST_HEAD));
        h->step_x = h->cell + gap;
        h->step_y = h->cell + gap + below;
        if (h->cell >= CAPTIONED)
            break;
    }
    if (h->cell < 3)
        return 0;
    h->grid = (viz_rect){room.x, room.y, columns * h->step_x, rows * h->step_y};
    return HEAD_NUMBERS + h->grid.w;
}

/* The grid at the left, the chosen head at its right with its scores. */
static void lay_heads_alone(const training_content *c, viz_rect r, training_heads_layout *h)
{
    const bool scores = r.h >= SCORES_ROOM;
    const float below = READOUT + (scores ? TRAINING_SCORE_LINE * SAC_TRAINING_KINDS : 0);
    float side = fminf(r.h - below, 0.5f * r.w - VIZ_GAP);
    const float wide = lay_heads_grid(c, (viz_rect){r.x, r.y, r.w - side - 2 * VIZ_GAP, r.h}, h);
    const float x = r.x + wide + (wide > 0 ? 2 * VIZ_GAP : 0);
    side = floorf(fminf(r.h - below, r.x + r.w - x));
    const viz_rect map = {x, r.y + HEAD_NUMBERS - 2, side, side - HEAD_NUMBERS + 2};
    side = fminf(map.w, map.h);
    if (side < 40)
        return;
    h->map[MAP_A] = (viz_rect){map.x, map.y, side, side};
    h->readout = (viz_rect){map.x, map.y + side, r.x + r.w - map.x, READOUT};
    if (scores)
        h->scores = (viz_rect){map.x, h->readout.y + READOUT, fminf(r.x + r.w - map.x, 360),
                               TRAINING_SCORE_LINE * SAC_TRAINING_KINDS};
}

/* A, B and A − B in a row, and above them the grid of all differences, with the scores of both steps at its right. */
static void lay_heads_compared(const training_content *c, viz_rect r, training_heads_layout *h)
{
    const float gap = 2 * VIZ_GAP, high = r.h - TITLE - READOUT;
    const bool small = r.h < SMALL; /* there is no grid */
    const float side =
        floorf(fminf((r.w - 2 * gap) / 3, small ? high : 0.62f * r.h - TITLE - READOUT));
    const float top = small ? r.y + TITLE : r.y + r.h - READOUT - side;
    if (side < 40)
        return;
    for (int i = 0; i < TRAINING_MAPS; i++)
        h->map[i] = (viz_rect){r.x + (side + gap) * (float)i, top, side, side};
    h->readout = (viz_rect){r.x, top + side, r.w, READOUT};
    if (small)
        return;
    const viz_rect above = {r.x, r.y, r.w, top - TITLE - VIZ_GAP - r.y};
    const float lines = TRAINING_SCORE_LINE * (SAC_TRAINING_KINDS + 1);
    const bool scores = r.w >= 2 * SCORES_LEAST && above.h >= lines;
    const float wide = lay_heads_grid(
        c, (viz_rect){above.x, above.y, scores ? r.w - SCORES_LEAST - gap : r.w, above.h}, h);
    const float x = r.x + wide + gap;
    if (scores && r.x + r.w - x >= SCORES_LEAST)
        h->scores = (viz_rect){x, above.y, fminf(r.x + r.w - x, 360), lines};
}

/* A text with its heads below it at the left, or above curves, and curves. */
static void lay_text(const training_content *c, viz_rect room, training_layout *l)
{
    const bool beside = room.w >= WIDE, has_heads = c->layers > 0;
    viz_rect left = room, right = room;
    if (beside) {
        left.w = floorf((room.w - COLUMN_GAP) / 2);
        right.x += left.w + COLUMN_GAP;
        right.w -= left.w + COLUMN_GAP;
    } else {
        left.h = floorf((has_heads ? 0.58f : 0.42f) * room.h);
        right.y += left.h + VIZ_MARGIN;
        right.h -= left.h + VIZ_MARGIN;
    }
    l->sample = left;
    if (has_heads) {
        const bool small = left.h < SMALL;
        const float share = c->compares ? 0.12f : 0.27f, title = small && !c->compares ? 0 : TITLE;
        l->sample.h = fminf(fmaxf(floorf(share * left.h), small ? 42 : 58), 220);
        if (small && c->compares)
            l->sample.h = l->sample.w = 0;
        const float top = left.y + l->sample.h + (l->sample.h > 0 ? VIZ_GAP + (small ? 0 : 4) : 0);
        if (title > 0)
            l->heads.title = (viz_rect){left.x, top, left.w, title};
        const viz_rect r = {left.x, top + title, left.w, left.y + left.h - top - title};
        (c->compares ? lay_heads_compared : lay_heads_alone)(c, r, &l->heads);
    }
    lay_curves_of_text(right, has_heads, l);
}

training_layout viz_training_layout(const viz_canvas *canvas, viz_rect area,
                                    const training_content *c)
{
    training_layout l = {0};
    bool roomy = area.h >= ROOMY_HEIGHT;
    float strip = roomy ? 56 : 42, x = area.x + VIZ_MARGIN, width = area.w - 2 * VIZ_MARGIN;
    float bottom = area.y + area.h - strip;
    if (width < 60 || area.h < 2 * strip)
        return l;
    viz_rect room = {x, area.y + 12, width, area.h - strip - 12 - (roomy ? 16 : 10)};
    l.rule = (viz_rect){area.x, bottom, area.w, 1};
    lay_progress_numbers(canvas, c, (viz_rect){x, bottom + (strip - 24) / 2, width, 24}, roomy, &l);
    if (c->writes) {
        lay_text(c, room, &l);
        return l;
    }
    /* Half of the pictures, and half of those, until they are no stamps. */
    training_content some = *c;
    arrangement a = arrange(canvas, &some, room, roomy);
    while (a.side < LEAST_SIDE && some.pictures > 1) {
        some.pictures /= 2;
        a = arrange(canvas, &some, room, roomy);
    }
    float edge = a.beside ? room.x - COLUMN_GAP : room.y - VIZ_MARGIN;
    if (a.columns > 0)
        edge = lay_pictures(canvas, &a, room, roomy, some.pictures, &l);
    if (a.beside) {
        edge += COLUMN_GAP;
        lay_curves_stacked((viz_rect){edge, room.y, room.x + room.w - edge, room.h}, &l);
    } else {
        edge += VIZ_MARGIN;
        lay_curves_in_row((viz_rect){room.x, edge, room.w, room.y + room.h - edge}, &l);
    }
    return l;
}

/* ---------------------------------------------------------------- one picture's words */

/* Breaks words into at most `lines` lines from the top of `room`; returns how many fit. *y is the
 * top of the line after them. */
static int lay_words_in_lines(const viz_canvas *canvas, viz_rect room, const char *const *text,
                              int count, int lines, float size, viz_rect *words, float *y)
{
    float x = room.x, height = line_height(size), top = *y;
    int line = 1, i = 0;
    for (; i < count; i++) {
        float w = viz_text_width(canvas, VIZ_SANS, size, text[i]);
        if (x > room.x && x + w > room.x + room.w) {
            x = room.x;
            top += height;
            line++;
        }
        if (line > lines || top + height > room.y + room.h + 0.5f)
            break;
        *y = top + height;
        words[i] = (viz_rect){x, top, fminf(w, room.w), height};
        x += ceilf(w) + ceilf(SPACE * size);
    }
    return i;
}

/* "…" in place of the last words of a line that ends too far right for it. */
static void cut_words(const viz_canvas *canvas, viz_rect room, float size, int shown,
                      training_words *w)
{
    float dots = viz_text_width(canvas, VIZ_SANS, size, "…");
    float right = room.x + room.w;
    w->cut = true;
    while (shown > 0 && w->generated[shown - 1].x + w->generated[shown - 1].w + 2 + dots > right)
        w->generated[--shown] = (viz_rect){0};
    if (shown > 0) {
        viz_rect last = w->generated[shown - 1];
        w->dots = (viz_rect){last.x + last.w + 2, last.y, dots, last.h};
    }
}

training_words viz_training_words(const viz_canvas *canvas, const training_layout *l, int picture,
                                  const sac_result *caption, const char *const *truth,
                                  int truth_count)
{
    training_words w = {0};
    viz_rect room = l->words[picture];
    const char *generated[SAC_MAX_TOKENS];
    float y = room.y;
    for (int i = 0; i < caption->count; i++)
        generated[i] = caption->outputs[i].text;
    int shown = lay_words_in_lines(canvas, room, generated, caption->count, l->lines, l->text_size,
                                   w.generated, &y);
    if (shown < caption->count)
        cut_words(canvas, room, l->text_size, shown, &w);
    float height = line_height(l->truth_size);
    if (caption->count > 0 && y + height <= room.y + room.h + 0.5f)
        w.verdict = (viz_rect){room.x, y, room.w, height};
    if (lay_words_in_lines(canvas, room, truth, truth_count, SAC_MAX_TOKENS, l->truth_size, w.truth,
                           &y) < truth_count)
        memset(w.truth, 0, sizeof w.truth); /* half of it would not be true */
    return w;
}
