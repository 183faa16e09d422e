/* Layout and drawing of what comes next. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/utf8.h"
#include "next/next_state.h"
#include "parts/figures/frame.h"
#include "parts/figures/seconds.h"
#include "view/words.h"

#define LINE 20.0f
#define COLUMN_GAP 32.0f
#define LEAST_COLUMN 252.0f
#define MOST_COLUMN 520.0f
#define COLUMN_SHARE 0.4f
#define UPRIGHT 1.15f    /* height of the area in widths, from which on it is stacked */
#define LARGE 560.0f     /* a room of that height has larger letters in the sentence */
#define LABEL_CELL 11.0f /* from this size on cells have their tokens beside them */
#define MOST_CELL 34.0f
#define NAME 104.0f /* width of a candidate's text … */
#define NUMBERS 104.0f
#define KNOB_GAP 12.0f
#define LEAST_PICTURE 120.0f /* height */
#define FIRST_KNOB 0.46f     /* of the width: its name is long */

static const viz_key_row next_caps[] = {{"space", "play"}, {"N", "generate again"}, {"?", "keys"}};

static size_t read_of(const next_view *v)
{
    return v->generation.count - v->generation.generated;
}

static bool has_triangle(const next_view *v)
{
    return v->generation.generated > 0;
}

/* ---------------------------------------------------------------- the sentence */

/* Behind "只¹", of "只²" the number alone: in a sentence the letter stands once. */
static const char *part_alone(const char *before, const char *label)
{
    static const char *const numbers[] = {"¹", "²", "³", "⁴"};
    const char *rest = label;
    if (sac_utf8_next(&rest) < 0x80)
        return label;
    size_t letter = (size_t)(rest - label), size = strlen(before);
    for (int i = 0; i < 3; i++) {
        size_t number = strlen(numbers[i]);
        bool ends = size >= letter + number && strcmp(before + size - number, numbers[i]) == 0 &&
                    strncmp(before + size - number - letter, label, letter) == 0;
        if (ends && strncmp(rest, numbers[i + 1], strlen(numbers[i + 1])) == 0)
            return rest;
    }
    return label;
}

/* " Paris", "↵": a token as it is in the text. */
static char *next_token(const next_view *v, size_t place, char *text, size_t size)
{
    static const char begins[] = "·";
    const char *label = place < v->generation.tokens.count ? v->generation.tokens.text[place] : "";
    if (place > 0 && place < v->generation.tokens.count)
        label = part_alone(v->generation.tokens.text[place - 1], label);
    bool spaced = strncmp(label, begins, strlen(begins)) == 0;
    if (v->generation.pictured &&
        place == v->generation.picture) /* set apart from the text around it */
        snprintf(text, size, "[%s] ", label);
    else if (strcmp(label, "␣") == 0)
        snprintf(text, size, " ");
    else
        snprintf(text, size, "%s%s", spaced ? " " : "", label + (spaced ? strlen(begins) : 0));
    return text;
}

/* The first generated token that is shown: the current one is seen, and as many before it as fit. */
static size_t first_shown(const next_view *v, const viz_canvas *canvas, float size, float width)
{
    size_t first = 0, step = next_step(v);
    char text[64];
    float used = 0;
    for (size_t i = 0; i <= step && i < v->generation.generated; i++)
        used += viz_text_width(canvas, VIZ_SANS, size,
                               next_token(v, read_of(v) + i, text, sizeof text));
    while (first < step && used > 0.8f * width) {
        used -= viz_text_width(canvas, VIZ_SANS, size,
                               next_token(v, read_of(v) + first, text, sizeof text));
        first++;
    }
    return first;
}

/* Tokens of the text before the generated ones, as many of the last as leave them room; “…” before them. */
static float draw_text_before(const next_view *v, viz_canvas *canvas, float size, bool draws,
                              float width)
{
    char shown[512] = "", text[64];
    size_t used = sizeof shown - 1, count = read_of(v), i = count;
    float wide = 0;
    for (; i > 0; i--) {
        next_token(v, i - 1, text, sizeof text);
        float one = viz_text_width(canvas, VIZ_SANS, size, text);
        size_t length = strlen(text);
        if (wide + one > width || length + 4 > used)
            break;
        wide += one;
        used -= length;
        memcpy(shown + used, text, length);
    }
    if (i > 0 && used > 4 && i < count) {
        used -= strlen("…");
        memcpy(shown + used, "…", strlen("…"));
    }
    const char *from = shown + used;
    const viz_rect *r = &v->layout.sentence;
    return draws ? viz_text(canvas, VIZ_SANS, size, r->x, r->y + size, VIZ_LEFT,
                            canvas->theme->text2, from)
                 : viz_text_width(canvas, VIZ_SANS, size, from);
}

static void lay_sentence(next_view *v, const viz_canvas *canvas, float size)
{
    next_layout *l = &v->layout;
    viz_rect r = l->sentence;
    char text[64];
    if (!has_triangle(v))
        return;
    size_t first = first_shown(v, canvas, size, r.w);
    float all = 0, x = r.x;
    for (size_t i = first; i < v->generation.generated; i++)
        all += viz_text_width(canvas, VIZ_SANS, size,
                              next_token(v, read_of(v) + i, text, sizeof text));
    if (first == 0)
        x += draw_text_before(v, (viz_canvas *)canvas, size, false,
                              fmaxf(r.w - all - 30, 0.15f * r.w));
    for (size_t i = first; i < v->generation.generated && i < SAC_GENERATION_MOST; i++) {
        float w = viz_text_width(canvas, VIZ_SANS, size,
                                 next_token(v, read_of(v) + i, text, sizeof text));
        if (x + w > r.x + r.w)
            break;
        l->word[i] = (viz_rect){x, r.y, w, size + 8};
        x += w;
    }
}

static void draw_sentence(const next_view *v, viz_canvas *canvas, float size)
{
    const next_layout *l = &v->layout;
    const viz_theme *theme = canvas->theme;
    char text[64];
    if (l->word[0].w > 0)
        draw_text_before(v, canvas, size, true, l->word[0].x - l->sentence.x + 1);
    for (size_t i = 0; i < v->generation.generated && i < SAC_GENERATION_MOST; i++) {
        const viz_rect *r = &l->word[i];
        bool current = i == next_step(v);
        if (r->w <= 0)
            continue;
        next_token(v, read_of(v) + i, text, sizeof text);
        float blank = text[0] == ' ' ? viz_text_width(canvas, VIZ_SANS, size, " ") : 0;
        viz_text(canvas, VIZ_SANS, size, r->x + blank, r->y + size, VIZ_LEFT,
                 current ? theme->accent : theme->text, text + (blank > 0));
        if (current)
            viz_fill(canvas, (viz_rect){r->x + blank, r->y + size + 5, r->w - blank, 2},
                     theme->accent);
    }
}

/* ---------------------------------------------------------------- the triangle */

static float widest_token(const next_view *v, const viz_canvas *canvas, size_t first, size_t end)
{
    float widest = 0;
    for (size_t i = first; i < end; i++)
        widest = fmaxf(widest,
                       viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, v->generation.tokens.text[i]));
    return widest;
}

static void lay_triangle(next_view *v, const viz_canvas *canvas, viz_rect room)
{
    next_layout *l = &v->layout;
    size_t T = v->generation.count, S = v->generation.generated;
    float bars = 28 + VIZ_BAR_NAMED_HEIGHT;
    if (!has_triangle(v))
        return;
    float left = fminf(widest_token(v, canvas, read_of(v), T), 110) + VIZ_GAP;
    float top = fminf(widest_token(v, canvas, 0, T), fminf(96, 0.3f * room.h)) + VIZ_GAP;
    float w = (room.w - left) / (float)T, h = (room.h - top - bars) / (float)S;
    if (w < LABEL_CELL) { /* columns are too narrow for names */
        top = LINE;
        h = (room.h - top - bars) / (float)S;
    }
    l->column_labels = w >= LABEL_CELL;
    l->row_labels = h >= LABEL_CELL;
    l->cell_w = fminf(w, MOST_CELL);
    l->cell_h = fminf(h, MOST_CELL);
    if (l->cell_w >= 4)
        l->cell_w = floorf(l->cell_w);
    if (l->cell_h >= 4)
        l->cell_h = floorf(l->cell_h);
    l->cells = (viz_rect){room.x + left, room.y + top, l->cell_w * (float)T,
                          fmaxf(l->cell_h * (float)S, 1)};
    float y = l->cells.y + l->cells.h, bar = fminf(fmaxf(l->cells.w + left, 240), room.w);
    l->readout = (viz_rect){room.x, y + 4, bar, LINE};
    l->bar = (viz_rect){room.x, y + 28, fminf(bar, 460), VIZ_BAR_NAMED_HEIGHT};
}

/* The first token of those that are looked at together, on which most of the weight rests; and a picture
 * that has all of it, but none that is looked at with words. */
static bool is_sink(const sac_generation *generation, size_t column)
{
    bool is_picture = generation->pictured && column == generation->picture;
    return is_picture ? generation->apart == 1 : column == generation->apart;
}

static void draw_labels(const next_view *v, viz_canvas *canvas)
{
    const next_layout *l = &v->layout;
    const viz_theme *theme = canvas->theme;
    char fit[96];
    for (size_t s = 0; s < v->generation.generated && l->row_labels; s++) {
        float y = l->cells.y + ((float)s + 0.5f) * l->cell_h + 4;
        bool current = s == next_step(v) && !canvas->figure;
        viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, l->cells.x - 6, y, 110, VIZ_RIGHT,
                        current ? theme->accent : theme->text2,
                        v->generation.tokens.text[read_of(v) + s]);
    }
    float top = l->cells.y - 6;
    for (size_t c = 0; c < v->generation.count && l->column_labels; c++) {
        float x = l->cells.x + ((float)c + 0.5f) * l->cell_w + 4;
        bool current = v->pointed && c == v->column && !canvas->figure;
        viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, 96, v->generation.tokens.text[c], fit,
                     sizeof fit);
        viz_text_up(canvas, VIZ_SANS, VIZ_LABEL, x, top,
                    current           ? theme->accent
                    : c >= read_of(v) ? theme->text
                                      : theme->text2,
                    fit);
    }
    if (!l->column_labels)
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, l->cells.x, top, VIZ_LEFT, theme->text2,
                 viz_word("the text, and behind the line the output"));
}

/* By the largest weight without sinks, if there are others. */
static viz_scale scale_of(const next_view *v)
{
    float high = 0;
    for (size_t s = 0; s < v->generation.generated; s++)
        for (size_t c = 0; c < v->generation.count; c++)
            if (!is_sink(&v->generation, c))
                high = fmaxf(high, v->generation.rows[s * v->generation.count + c]);
    return (viz_scale){VIZ_ROOT, 0, high > 0 ? high : 1};
}

static void draw_triangle(const next_view *v, viz_canvas *canvas)
{
    const next_layout *l = &v->layout;
    const viz_theme *theme = canvas->theme;
    size_t T = v->generation.count, S = v->generation.generated;
    const viz_scale scale = scale_of(v);
    if (!has_triangle(v))
        return;
    for (size_t s = 0; s < S; s++) { /* what was there when it was generated */
        size_t seen = read_of(v) + s;
        viz_rect row = {l->cells.x, l->cells.y + (float)s * l->cell_h, l->cell_w * (float)seen,
                        l->cell_h};
        viz_cells(canvas, row, v->generation.rows + s * T, 1, seen,
                  viz_map_colors(theme, v->look.map), &scale);
    }
    const size_t lines[] = {read_of(v), v->generation.apart};
    for (int i = 0; i < 2; i++) {
        float x = l->cells.x + (float)lines[i] * l->cell_w;
        if (lines[i] > 0 && lines[i] < v->generation.count)
            viz_fill(canvas, (viz_rect){x - 0.5f, l->cells.y - 6, 1, l->cells.h + 6}, theme->text);
    }
    viz_rect row = {l->cells.x, l->cells.y + (float)next_step(v) * l->cell_h, l->cells.w,
                    l->cell_h};
    if (!canvas->figure)
        viz_frame(canvas, row, 1.5f, theme->accent);
    if (v->pointed && !canvas->figure)
        viz_frame_apart(canvas,
                        (viz_rect){l->cells.x + (float)v->column * l->cell_w,
                                   l->cells.y + (float)v->row * l->cell_h, l->cell_w, l->cell_h},
                        2);
    draw_labels(v, canvas);
}

/* The largest weight of the current row, or the cell under the pointer: “ Paris” ← “ France” 0.12 */
static void draw_readout(const next_view *v, viz_canvas *canvas)
{
    const viz_rect *r = &v->layout.readout;
    size_t row = v->pointed ? v->row : next_step(v), column = v->pointed ? v->column : 0;
    const float *weights = v->generation.rows + row * v->generation.count;
    char text[400], number[32];
    if (!has_triangle(v))
        return;
    bool is_lone =
        read_of(v) == v->generation.apart && v->generation.pictured; /* nothing else is looked at */
    if (!v->pointed && is_sink(&v->generation, 0) && !is_lone)
        column = v->generation.apart;
    for (size_t c = 0; c < read_of(v) + row && !v->pointed; c++)
        if (!is_sink(&v->generation, c) &&
            (is_sink(&v->generation, column) || weights[c] > weights[column]))
            column = c;
    snprintf(text, sizeof text, viz_word("“%s” looked at “%s”"),
             v->generation.tokens.text[read_of(v) + row], v->generation.tokens.text[column]);
    float end = viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, r->x, r->y + 13, r->w - 70, VIZ_LEFT,
                                canvas->theme->text2, text);
    viz_text(canvas, VIZ_MONO, VIZ_LABEL, r->x + end + VIZ_GAP, r->y + 13, VIZ_LEFT,
             canvas->theme->text, viz_number(weights[column], number, sizeof number));
}

static void draw_bar(const next_view *v, viz_canvas *canvas)
{
    const viz_scale scale = scale_of(v);
    if (has_triangle(v))
        viz_bar_draw(canvas, v->layout.bar, viz_map_colors(canvas->theme, v->look.map), &scale, 0,
                     viz_word(v->generation.is_plain ? "attention of the decoder"
                                                     : "mean of all layers and heads"));
}

/* ---------------------------------------------------------------- what might have come */

static void lay_column(next_view *v, const viz_canvas *canvas, viz_rect room)
{
    const char *names[VIZ_CONTROLS_MOST];
    int count = viz_controls_named(v->base.class, VIZ_SLIDER, names);
    next_layout *l = &v->layout;
    float below = VIZ_SLIDER_HEIGHT + 12 + VIZ_CAPS_HEIGHT;
    l->title = (viz_rect){room.x, room.y, room.w, LINE};
    int lines = (int)((room.h - LINE - 4 - below - 12) / LINE);
    l->lines = lines < 0                           ? 0
               : lines > SAC_GENERATION_CANDIDATES ? SAC_GENERATION_CANDIDATES
                                                   : lines;
    for (int i = 0; i < l->lines; i++)
        l->candidate[i] = (viz_rect){room.x, room.y + LINE + 4 + LINE * (float)i, room.w, LINE};
    float y = room.y + LINE + 4 + LINE * (float)l->lines + 12;
    float wide = room.w - KNOB_GAP * (float)(count - 1), first = FIRST_KNOB * wide, x = room.x;
    for (int i = 0; i < count; i++) {
        float w = i ? (wide - first) / (float)(count - 1) : first;
        viz_controls_add(&v->controls, &v->base, canvas, names[i], x, y, w);
        x += w + KNOB_GAP;
    }
    l->caps = viz_caps_layout(canvas, room.x + room.w, y + VIZ_SLIDER_HEIGHT + 12, room.w,
                              next_caps, NEXT_CAPS);
}

/* Below the keys, where there is room for it. */
static void lay_picture(next_view *v, viz_rect room)
{
    const sac_image *image = v->base.source->picture.image;
    next_layout *l = &v->layout;
    float top = v->controls.items[0].rect.y + VIZ_SLIDER_HEIGHT + 12 + VIZ_CAPS_HEIGHT + VIZ_GAP;
    room.h -= top - room.y;
    room.y = top;
    if (!v->generation.cells || !image || !image->width || room.h < LEAST_PICTURE)
        return;
    float below = v->generation.seconds > 0 ? VIZ_SECONDS_HEIGHT : 0;
    float scale = fminf(room.w / (float)image->width, (room.h - below) / (float)image->height);
    float w = floorf(scale * (float)image->width), h = floorf(scale * (float)image->height);
    l->picture = (viz_rect){room.x, room.y, w, h};
}

static void draw_picture(next_view *v, viz_canvas *canvas)
{
    const viz_rect *r = &v->layout.picture;
    const sac_generation *generation = &v->generation;
    size_t cells = (size_t)generation->grid_w * (size_t)generation->grid_h;
    if (r->w <= 0)
        return;
    viz_image_kept(canvas, &v->scaled, v->base.source->picture.image, (unsigned)v->known, *r, true);
    if (generation->generated)
        viz_heat(canvas, &v->scaled, *r, generation->cells + next_step(v) * cells,
                 generation->grid_w, generation->grid_h, &v->look);
    viz_seconds_draw(canvas, (viz_rect){r->x, r->y + r->h, r->w, VIZ_SECONDS_HEIGHT}, 0,
                     generation->seconds, -1);
}

static void draw_candidate(const next_view *v, viz_canvas *canvas, int i)
{
    const viz_theme *theme = canvas->theme;
    const sac_candidate *c = &v->candidate[i];
    viz_rect r = v->layout.candidate[i];
    float most = fmaxf(v->candidate[0].probability, 1e-6f), x = r.x + NAME;
    for (int k = 0; k < v->candidates; k++)
        most = fmaxf(most, fmaxf(v->candidate[k].probability, v->candidate[k].left));
    float full = fmaxf(r.w - NAME - NUMBERS, 8) / most;
    char text[96], fit[96], before[16], now[16];
    viz_quoted(c->text, text, sizeof text);
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, NAME - 8, text, fit, sizeof fit);
    viz_color color = c->stands ? theme->accent : c->left > 0 ? theme->text : theme->text2;
    viz_text(canvas, c->stands ? VIZ_SANS_BOLD : VIZ_SANS, VIZ_LABEL, r.x, r.y + 14, VIZ_LEFT,
             color, fit);
    viz_fill_round(canvas, (viz_rect){x, r.y + 3, fmaxf(full * c->probability, 1), 5}, 2,
                   theme->faint);
    if (c->left > 0)
        viz_fill_round(canvas, (viz_rect){x, r.y + 9, fmaxf(full * c->left, 1), 7}, 2,
                       c->stands ? theme->accent : theme->text2);
    snprintf(text, sizeof text, "%s → %s", viz_percent(c->probability, before, sizeof before),
             c->left > 0 ? viz_percent(c->left, now, sizeof now) : "0");
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x + r.w, r.y + 14, VIZ_RIGHT, theme->text2, text);
}

static void draw_column(const next_view *v, viz_canvas *canvas)
{
    const next_layout *l = &v->layout;
    const viz_theme *theme = canvas->theme;
    char text[600], kept[96] = "";
    bool known = has_triangle(v) && v->candidates && v->candidates_of == (int)next_step(v);
    if (known && v->how.beam > 1)
        snprintf(kept, sizeof kept, viz_word("of the best of %d texts"), v->how.beam);
    else if (known)
        snprintf(kept, sizeof kept, viz_word("%d may be drawn"), v->kept);
    float right = viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, kept);
    if (has_triangle(v))
        snprintf(text, sizeof text, viz_word("in place of “%s”"),
                 v->generation.tokens.text[read_of(v) + next_step(v)]);
    else
        snprintf(text, sizeof text, "%s",
                 v->request.problem[0]  ? v->request.problem
                 : v->known == v->asked ? viz_word("the model generates nothing more")
                                        : viz_word("generating …"));
    viz_text_within(canvas, VIZ_SANS_BOLD, VIZ_LABEL, l->title.x, l->title.y + 13,
                    l->title.w - right - 12, VIZ_LEFT, theme->text, text);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, l->title.x + l->title.w, l->title.y + 13, VIZ_RIGHT,
             theme->text2, kept);
    for (int i = 0; i < l->lines && i < v->candidates && has_triangle(v); i++)
        draw_candidate(v, canvas, i);
    viz_controls_draw(&v->controls, &v->base, canvas);
    viz_caps_draw(canvas, &l->caps);
}

/* ---------------------------------------------------------------- the whole */

static float lay(next_view *v, const viz_canvas *canvas, viz_rect area)
{
    next_layout *l = &v->layout;
    *l = (next_layout){0};
    viz_controls_clear(&v->controls);
    viz_rect room = {area.x + VIZ_MARGIN, area.y + 10, area.w - 2 * VIZ_MARGIN, area.h - 20};
    float size = area.h >= LARGE ? VIZ_SENTENCE : VIZ_BODY;
    l->sentence = (viz_rect){room.x, room.y, room.w, size + 8};
    lay_sentence(v, canvas, size);
    float used = size + 8 + 14;
    room.y += used;
    room.h -= used;
    if (room.h > UPRIGHT * room.w) {
        float column = fminf(0.42f * room.h, 400);
        lay_triangle(v, canvas, (viz_rect){room.x, room.y, room.w, room.h - column - 16});
        lay_column(v, canvas, (viz_rect){room.x, room.y + room.h - column, room.w, column});
    } else {
        float column = fminf(fmaxf(COLUMN_SHARE * room.w, LEAST_COLUMN), MOST_COLUMN);
        lay_triangle(v, canvas, (viz_rect){room.x, room.y, room.w - column - COLUMN_GAP, room.h});
        room.x += room.w - column;
        room.w = column;
        lay_column(v, canvas, room);
        lay_picture(v, room);
    }
    return size;
}

void next_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    next_view *v = next_of(view);
    float size = lay(v, canvas, area);
    draw_sentence(v, canvas, size);
    draw_triangle(v, canvas);
    draw_readout(v, canvas);
    draw_bar(v, canvas);
    draw_column(v, canvas);
    draw_picture(v, canvas);
}

/* ---------------------------------------------------------------- as a figure */

float next_figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    const next_view *v = next_of(view);
    (void)canvas;
    float cell = fminf((width - 2 * VIZ_FIGURE_MARGIN - 110) / fmaxf((float)v->generation.count, 1),
                       MOST_CELL);
    float rows = fmaxf(cell, 1) * (float)v->generation.generated;
    return 2 * VIZ_FIGURE_MARGIN + 110 + 28 + VIZ_BAR_NAMED_HEIGHT + rows;
}

/* The triangle alone, with its legend. */
void next_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    next_view *v = next_of(view);
    v->layout = (next_layout){0};
    viz_controls_clear(&v->controls);
    lay_triangle(v, canvas,
                 (viz_rect){area.x + VIZ_FIGURE_MARGIN, area.y + VIZ_FIGURE_MARGIN,
                            area.w - 2 * VIZ_FIGURE_MARGIN, area.h - 2 * VIZ_FIGURE_MARGIN});
    draw_triangle(v, canvas);
    draw_bar(v, canvas);
}
