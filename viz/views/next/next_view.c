/* What a model generates after a text, token by token: its attention to the tokens before, and the
 * other candidates. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/utf8.h"
#include "parts/controls/controls.h"
#include "parts/figures/frame.h"
#include "parts/figures/seconds.h"
#include "parts/playback/player.h"
#include "view/keys.h"
#include "view/map.h"
#include "view/request.h"
#include "view/settings.h"
#include "view/words.h"

extern const viz_view_class viz_next_class;

#define STEP_SECONDS 0.9
#define MOST_K 200
#define MOST_TEMPERATURE 2.0f
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

typedef struct next_layout {
    viz_rect sentence;                  /* the end of the text, and the output */
    viz_rect word[SAC_GENERATION_MOST]; /* in it; empty: there is no room */
    viz_rect cells;                     /* of the triangle [generated,count] */
    float cell_w, cell_h;
    bool row_labels, column_labels;
    viz_rect readout, bar;
    viz_rect title; /* of the candidates */
    viz_rect candidate[SAC_GENERATION_CANDIDATES];
    int lines; /* as many of them have room */
    viz_caps caps;
    viz_rect picture; /* what the current token looked at; empty: there is none, or no room */
} next_layout;

typedef struct next_view {
    viz_view base;
    viz_request request;
    viz_player player;   /* its steps are the generated tokens */
    viz_heat_style look; /* of the triangle: its map */
    sac_sampling how;    /* of the current generation … */
    uint64_t asked,
        known; /* … and the number of the way that was requested last, and of the one that came */
    sac_sampling drawn;        /* the sliders: how tokens would be drawn */
    uint64_t knobs;            /* how often they changed */
    sac_generation generation; /* what came, the picture's columns as one; owned */
    viz_scaled scaled;         /* of the picture */
    sac_candidate candidate[SAC_GENERATION_CANDIDATES];
    int candidates, kept;      /* 0: none are known */
    int candidates_of;         /* the step that they are of */
    uint64_t candidates_asked; /* what was asked for last, as next_demand packs it */
    bool pointed;              /* at a cell of the triangle: */
    size_t row, column;
    viz_controls controls;
    next_layout layout; /* as drawn last */
} next_view;

static next_view *as_next_view(const viz_view *view)
{
    return (next_view *)view;
}

/* The current one, which exists where anything was generated. */
static size_t current_step(const next_view *v)
{
    return (size_t)v->player.step;
}

static const viz_key_row caps[] = {
    {"space", "play"},
    {"N", "generate again", .tips = {N_("Generates the text again (N).")}},
    {"?", "keys"}};

static size_t prompt_token_count(const next_view *v)
{
    return v->generation.count - v->generation.generated;
}

static bool has_triangle(const next_view *v)
{
    return v->generation.generated > 0;
}

/* ---------------------------------------------------------------- the sentence */

/* Behind "只¹", of "只²" the number alone: in a sentence the letter stands once. */
static const char *label_without_letter(const char *before, const char *label)
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
static char *token_text(const next_view *v, size_t place, char *text, size_t size)
{
    static const char begins[] = "·";
    const char *label = place < v->generation.tokens.count ? v->generation.tokens.text[place] : "";
    if (place > 0 && place < v->generation.tokens.count)
        label = label_without_letter(v->generation.tokens.text[place - 1], label);
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
    size_t first = 0, step = current_step(v);
    char text[64];
    float used = 0;
    for (size_t i = 0; i <= step && i < v->generation.generated; i++)
        used += viz_text_width(canvas, VIZ_SANS, size,
                               token_text(v, prompt_token_count(v) + i, text, sizeof text));
    while (first < step && used > 0.8f * width) {
        used -= viz_text_width(canvas, VIZ_SANS, size,
                               token_text(v, prompt_token_count(v) + first, text, sizeof text));
        first++;
    }
    return first;
}

/* Tokens of the text before the generated ones, as many of the last as leave them room; “…” before them. */
static float draw_text_before(const next_view *v, viz_canvas *canvas, float size, bool draws,
                              float width)
{
    char shown[512] = "", text[64];
    size_t used = sizeof shown - 1, count = prompt_token_count(v), i = count;
    float wide = 0;
    for (; i > 0; i--) {
        token_text(v, i - 1, text, sizeof text);
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
                              token_text(v, prompt_token_count(v) + i, text, sizeof text));
    if (first == 0)
        x += draw_text_before(v, (viz_canvas *)canvas, size, false,
                              fmaxf(r.w - all - 30, 0.15f * r.w));
    for (size_t i = first; i < v->generation.generated && i < SAC_GENERATION_MOST; i++) {
        float w = viz_text_width(canvas, VIZ_SANS, size,
                                 token_text(v, prompt_token_count(v) + i, text, sizeof text));
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
        bool current = i == current_step(v);
        if (r->w <= 0)
            continue;
        token_text(v, prompt_token_count(v) + i, text, sizeof text);
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
    float left = fminf(widest_token(v, canvas, prompt_token_count(v), T), 110) + VIZ_GAP;
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

/* A bar above the tokens of each turn, with its role where that has room. */
static void draw_turns(const next_view *v, viz_canvas *canvas, float top)
{
    const next_layout *l = &v->layout;
    for (size_t i = 0; i < v->generation.turn_count; i++) {
        const sac_turn *turn = &v->generation.turns[i];
        const float x = l->cells.x + (float)turn->from * l->cell_w;
        const float w = (float)turn->count * l->cell_w;
        viz_fill(canvas, (viz_rect){x, l->cells.y - 3, fmaxf(w - 1, 1), 2}, canvas->theme->text2);
        if (!l->column_labels && viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, turn->role) <= w)
            viz_text(canvas, VIZ_SANS, VIZ_LABEL, x, top, VIZ_LEFT, canvas->theme->text2,
                     turn->role);
    }
}

static void draw_labels(const next_view *v, viz_canvas *canvas)
{
    const next_layout *l = &v->layout;
    const viz_theme *theme = canvas->theme;
    char fit[96];
    for (size_t s = 0; s < v->generation.generated && l->row_labels; s++) {
        float y = l->cells.y + ((float)s + 0.5f) * l->cell_h + 4;
        bool current = s == current_step(v) && !canvas->figure;
        viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, l->cells.x - 6, y, 110, VIZ_RIGHT,
                        current ? theme->accent : theme->text2,
                        v->generation.tokens.text[prompt_token_count(v) + s]);
    }
    float top = l->cells.y - 6;
    for (size_t c = 0; c < v->generation.count && l->column_labels; c++) {
        float x = l->cells.x + ((float)c + 0.5f) * l->cell_w + 4;
        bool current = v->pointed && c == v->column && !canvas->figure;
        viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, 96, v->generation.tokens.text[c], fit,
                     sizeof fit);
        viz_text_up(canvas, VIZ_SANS, VIZ_LABEL, x, top,
                    current                      ? theme->accent
                    : c >= prompt_token_count(v) ? theme->text
                                                 : theme->text2,
                    fit);
    }
    if (v->generation.turn_count)
        draw_turns(v, canvas, top);
    else if (!l->column_labels)
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
        size_t seen = prompt_token_count(v) + s;
        viz_rect row = {l->cells.x, l->cells.y + (float)s * l->cell_h, l->cell_w * (float)seen,
                        l->cell_h};
        viz_cells(canvas, row, v->generation.rows + s * T, 1, seen,
                  viz_map_colors(theme, v->look.map), &scale);
    }
    const size_t lines[] = {prompt_token_count(v), v->generation.apart};
    for (int i = 0; i < 2; i++) {
        float x = l->cells.x + (float)lines[i] * l->cell_w;
        if (lines[i] > 0 && lines[i] < v->generation.count)
            viz_fill(canvas, (viz_rect){x - 0.5f, l->cells.y - 6, 1, l->cells.h + 6}, theme->text);
    }
    viz_rect row = {l->cells.x, l->cells.y + (float)current_step(v) * l->cell_h, l->cells.w,
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

/* “ Paris” looked at: user 12 %, assistant 3 %, … */
static void draw_turn_shares(const next_view *v, viz_canvas *canvas)
{
    const sac_generation *g = &v->generation;
    const viz_rect *r = &v->layout.readout;
    const size_t row = current_step(v), turns = g->turn_count;
    float *shares = malloc((turns + 2) * sizeof *shares);
    char text[400];
    if (!shares)
        return;
    sac_generation_turn_shares(g, row, shares);
    size_t used = (size_t)snprintf(text, sizeof text, viz_word("“%s” looked at:"),
                                   g->tokens.text[prompt_token_count(v) + row]);
    for (size_t i = 0; i < turns + 2 && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s %.0f %%", i ? "," : "",
                                 i < turns    ? g->turns[i].role
                                 : i == turns ? viz_word("template")
                                              : viz_word("its own words"),
                                 100 * (double)shares[i]);
    free(shares);
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, r->x, r->y + 13, r->w, VIZ_LEFT,
                    canvas->theme->text2, text);
}

/* The largest weight of the current row, of a conversation its shares, or the cell under the pointer: “ Paris” ← “ France” 0.12 */
static void draw_readout(const next_view *v, viz_canvas *canvas)
{
    const viz_rect *r = &v->layout.readout;
    size_t row = v->pointed ? v->row : current_step(v), column = v->pointed ? v->column : 0;
    const float *weights = v->generation.rows + row * v->generation.count;
    char text[400], number[32];
    if (!has_triangle(v))
        return;
    if (v->generation.turn_count && !v->pointed) {
        draw_turn_shares(v, canvas);
        return;
    }
    bool is_lone = prompt_token_count(v) == v->generation.apart &&
                   v->generation.pictured; /* nothing else is looked at */
    if (!v->pointed && is_sink(&v->generation, 0) && !is_lone)
        column = v->generation.apart;
    for (size_t c = 0; c < prompt_token_count(v) + row && !v->pointed; c++)
        if (!is_sink(&v->generation, c) &&
            (is_sink(&v->generation, column) || weights[c] > weights[column]))
            column = c;
    snprintf(text, sizeof text, viz_word("“%s” looked at “%s”"),
             v->generation.tokens.text[prompt_token_count(v) + row],
             v->generation.tokens.text[column]);
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

static void lay_candidates_panel(next_view *v, const viz_canvas *canvas, viz_rect room)
{
    const char *names[VIZ_CONTROLS_MOST];
    int count = viz_controls_list_names(v->base.class, VIZ_SLIDER, names);
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
    l->caps = viz_caps_layout(canvas, room.x + room.w, y + VIZ_SLIDER_HEIGHT + 12, room.w, caps,
                              sizeof caps / sizeof *caps);
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
        viz_heat(canvas, &v->scaled, *r, generation->cells + current_step(v) * cells,
                 generation->grid_w, generation->grid_h, &v->look);
    viz_seconds_draw(canvas, (viz_rect){r->x, r->y + r->h, r->w, VIZ_SECONDS_HEIGHT}, 0,
                     generation->seconds, -1, -1);
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

static void draw_candidates_panel(const next_view *v, viz_canvas *canvas)
{
    const next_layout *l = &v->layout;
    const viz_theme *theme = canvas->theme;
    char text[600], kept[96] = "";
    bool known = has_triangle(v) && v->candidates && v->candidates_of == (int)current_step(v);
    if (known && v->how.beam > 1)
        snprintf(kept, sizeof kept, viz_word("of the best of %d texts"), v->how.beam);
    else if (known)
        snprintf(kept, sizeof kept, viz_word("%d may be drawn"), v->kept);
    float right = viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, kept);
    if (has_triangle(v))
        snprintf(text, sizeof text, viz_word("in place of “%s”"),
                 v->generation.tokens.text[prompt_token_count(v) + current_step(v)]);
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
        lay_candidates_panel(v, canvas,
                             (viz_rect){room.x, room.y + room.h - column, room.w, column});
    } else {
        float column = fminf(fmaxf(COLUMN_SHARE * room.w, LEAST_COLUMN), MOST_COLUMN);
        lay_triangle(v, canvas, (viz_rect){room.x, room.y, room.w - column - COLUMN_GAP, room.h});
        room.x += room.w - column;
        room.w = column;
        lay_candidates_panel(v, canvas, room);
        lay_picture(v, room);
    }
    return size;
}

static void next_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    next_view *v = as_next_view(view);
    float size = lay(v, canvas, area);
    draw_sentence(v, canvas, size);
    draw_triangle(v, canvas);
    draw_readout(v, canvas);
    draw_bar(v, canvas);
    draw_candidates_panel(v, canvas);
    draw_picture(v, canvas);
}

/* ---------------------------------------------------------------- as a figure */

static float next_figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    const next_view *v = as_next_view(view);
    (void)canvas;
    float cell = fminf((width - 2 * VIZ_FIGURE_MARGIN - 110) / fmaxf((float)v->generation.count, 1),
                       MOST_CELL);
    float rows = fmaxf(cell, 1) * (float)v->generation.generated;
    return 2 * VIZ_FIGURE_MARGIN + 110 + 28 + VIZ_BAR_NAMED_HEIGHT + rows;
}

/* The triangle alone, with its legend. */
static void next_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    next_view *v = as_next_view(view);
    v->layout = (next_layout){0};
    viz_controls_clear(&v->controls);
    lay_triangle(v, canvas,
                 (viz_rect){area.x + VIZ_FIGURE_MARGIN, area.y + VIZ_FIGURE_MARGIN,
                            area.w - 2 * VIZ_FIGURE_MARGIN, area.h - 2 * VIZ_FIGURE_MARGIN});
    draw_triangle(v, canvas);
    draw_bar(v, canvas);
}

typedef struct next_job {
    viz_job base;
    bool generates; /* … it anew; else the candidates of `step` */
    sac_sampling how;
    uint64_t number;
    size_t step;
    sac_result result; /* owned */
    sac_candidate candidate[SAC_GENERATION_CANDIDATES];
    int candidates, kept;
} next_job;

/* ---------------------------------------------------------------- jobs */

/* Identifies the candidates that are wanted: by generation, step and sliders. */
static uint64_t demand_of(const next_view *v)
{
    return v->known << 40 | (uint64_t)current_step(v) << 28 | (v->knobs & 0xfffffff);
}

static viz_job *create_job(viz_view *view)
{
    next_view *v = as_next_view(view);
    bool generates = v->known != v->asked;
    if (v->request.out || (generates && v->request.problem[0] && v->request.demand == v->asked))
        return NULL;
    if (!generates && (!v->generation.generated || v->candidates_asked == demand_of(v)))
        return NULL;
    next_job *job = viz_job_create(&viz_next_class, sizeof *job);
    if (!job)
        return NULL;
    job->generates = generates;
    job->how = generates ? v->how : v->drawn;
    job->number = v->asked;
    job->step = current_step(v);
    if (!generates)
        v->candidates_asked = demand_of(v);
    return viz_request_submit(&v->request, &job->base, v->asked);
}

static sac_status run_job(viz_view *view, viz_job *base, sac_error *error)
{
    next_job *job = viz_job_of(base, &viz_next_class);
    sac_source *source = view->source;
    if (!job->generates)
        return source->result.candidates(source->self, job->step, &job->how, job->candidate,
                                         &job->candidates, &job->kept, error);
    const sac_result_request request = {.sampling = &job->how};
    sac_generation *generation = &job->result.generation;
    sac_status status = sac_source_generate(source, &request, &job->result, error);
    const char *one = viz_word(generation->is_audio ? "sound" : "picture");
    return status == SAC_OK ? sac_generation_fold_picture(generation, one, error) : status;
}

static void finish_job(viz_view *view, viz_job *base, const sac_error *error)
{
    next_view *v = as_next_view(view);
    next_job *job = viz_job_of(base, &viz_next_class);
    bool worked = viz_request_take(&v->request, error);
    if (worked && job->generates) {
        sac_generation_free(&v->generation);
        v->generation = job->result.generation;
        job->result.generation = (sac_generation){0};
        v->known = job->number;
        v->candidates = 0;
        v->pointed = false;
        viz_player_rest_at(&v->player, v->player.step < (int)v->generation.generated
                                           ? v->player.step
                                       : v->generation.generated ? (int)v->generation.generated - 1
                                                                 : 0);
    } else if (worked) {
        memcpy(v->candidate, job->candidate, sizeof v->candidate);
        v->candidates = job->candidates;
        v->kept = job->kept;
        v->candidates_of = (int)job->step;
    }
    sac_result_free(&job->result);
    free(job);
}

/* ---------------------------------------------------------------- what a person does */

static bool go_to_step(next_view *v, int step)
{
    return v->generation.generated && viz_player_go(&v->player, (int)v->generation.generated, step);
}

/* Generates anew from the first token on by the sliders; drawn by the next number. */
static void generate_again(next_view *v)
{
    uint64_t seed = v->how.draw.seed;
    int count = v->how.count;
    v->how = v->drawn;
    v->how.draw.seed = v->drawn.draw.temperature > 0 ? seed + 1 : seed;
    v->how.count = count;
    if (v->how.draw.temperature > 0)
        v->how.beam = 0;
    v->how.changes = 0;
    v->asked++;
}

/* Puts candidate `place` at the current step; the text continues from there. */
static bool generate_instead(next_view *v, int place)
{
    if (place >= v->candidates || v->candidate[place].stands ||
        v->candidates_of != (int)current_step(v) ||
        !sac_sampling_change(&v->how, v->candidates_of, v->candidate[place].id))
        return false;
    v->asked++;
    return true;
}

static bool press_play(viz_view *view, viz_pressed pressed)
{
    next_view *v = as_next_view(view);
    (void)pressed;
    viz_player_play(&v->player, (int)v->generation.generated, !v->player.playing);
    return v->generation.generated > 0;
}

static bool press_step(viz_view *view, viz_pressed pressed)
{
    next_view *v = as_next_view(view);
    int count = (int)v->generation.generated;
    return count && go_to_step(v, (int)viz_next(current_step(v), pressed.step, (size_t)count));
}

static bool press_first_or_last(viz_view *view, viz_pressed pressed)
{
    next_view *v = as_next_view(view);
    return go_to_step(v, pressed.step < 0 ? 0 : (int)v->generation.generated - 1);
}

static bool press_generate_again(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    generate_again(as_next_view(view));
    return true;
}

static const viz_key_row keys[] = {
    {"space", "play the generated tokens, or rest", press_play},
    {"J", "the next token (shift: before)", press_step},
    {"←  →", "the token before, the next one", press_step},
    {"Home  End", "the first token, the last", press_first_or_last},
    {"click", "a token, to see how it came; a candidate, to put it there"},
    {"N", "generate again, drawn by the sliders", press_generate_again},
    {"E", "temperature (shift: down)", .setting = "temperature", .what = 10},
    {"M", "the next colour map", .setting = "map", .what = VIZ_DIVERGING},
    {NULL, NULL},
};

static bool cell_at(const next_view *v, float x, float y, size_t *row, size_t *column)
{
    const next_layout *l = &v->layout;
    if (!v->generation.generated || !viz_inside(l->cells, x, y))
        return false;
    *row = (size_t)((y - l->cells.y) / l->cell_h);
    *column = (size_t)((x - l->cells.x) / l->cell_w);
    return *row < v->generation.generated && *column < v->generation.count;
}

static bool press(next_view *v, const viz_event *e)
{
    const next_layout *l = &v->layout;
    size_t row, column;
    if (e->button != 1)
        return false;
    for (int i = 0; i < l->lines; i++)
        if (viz_inside(l->candidate[i], e->x, e->y))
            return generate_instead(v, i);
    for (size_t i = 0; i < v->generation.generated && i < SAC_GENERATION_MOST; i++)
        if (viz_inside(l->word[i], e->x, e->y)) {
            go_to_step(v, (int)i);
            return true;
        }
    return cell_at(v, e->x, e->y, &row, &column) && go_to_step(v, (int)row);
}

static bool update_pointed_cell(next_view *v, const viz_event *e)
{
    bool was = v->pointed;
    size_t row = v->row, column = v->column;
    v->pointed = e->kind == VIZ_MOVE && cell_at(v, e->x, e->y, &v->row, &v->column);
    return was != v->pointed || (was && (row != v->row || column != v->column));
}

static bool event(viz_view *view, const viz_event *e)
{
    next_view *v = as_next_view(view);
    bool changed;
    if (viz_controls_event(&v->controls, view, e, &changed))
        return changed;
    switch (e->kind) {
    case VIZ_KEY:
        return viz_keys_press(keys, view, e);
    case VIZ_PRESS:
        return press(v, e);
    case VIZ_MOVE:
    case VIZ_LEAVE:
        return update_pointed_cell(v, e);
    default:
        return false;
    }
}

static bool tick(viz_view *view, double now)
{
    next_view *v = as_next_view(view);
    viz_player_set_time(&v->player, now);
    bool moved = viz_player_advance(&v->player, (int)v->generation.generated);
    return moved || v->player.playing;
}

static void arrive(viz_view *view)
{
    viz_player_arrive(&as_next_view(view)->player);
}

static void add_spots(const viz_view *view, viz_spots *spots)
{
    const next_view *v = as_next_view(view);
    const next_layout *l = &v->layout;
    viz_spots_add(spots, l->cells, VIZ_SPOT_AREA,
                  v->generation.apart
                      ? "One row a generated token: where it looked, in the mean of all layers "
                        "and heads. Before the first line is the input, behind it the output; each "
                        "has attention of its own, with a sum of 1."
                      : "One row a generated token, one column a token before it: where it looked, "
                        "in the mean of all layers and heads.");
    viz_spots_add(
        spots, l->picture, VIZ_SPOT_READOUT,
        v->generation.is_audio
            ? "What this token looked at in the sound, in the mean of all layers and heads."
            : "What this token looked at in the picture, in the mean of all layers and "
              "heads.");
    viz_spots_add(spots, l->bar, VIZ_SPOT_READOUT,
                  "What the colours mean; the first token, on which most of the weight often "
                  "rests, may have more.");
    viz_spots_add(spots, l->title, VIZ_SPOT_READOUT,
                  "The candidates: grey before the draw, in colour what temperature, top k and "
                  "top p leave of them.");
    for (size_t i = 0; i < v->generation.generated && i < SAC_GENERATION_MOST; i++)
        viz_spots_add(spots, l->word[i], VIZ_SPOT_PRESSES, "Click to see how this token came.");
    for (int i = 0; i < l->lines && i < v->candidates; i++)
        if (!v->candidate[i].stands)
            viz_spots_add(spots, l->candidate[i], VIZ_SPOT_PRESSES,
                          "Click to put this word here; the model continues from there.");
    viz_controls_spots(&v->controls, view, spots);
    viz_spots_add_caps(spots, &l->caps);
}

/* ---------------------------------------------------------------- settings */

static void mark_sampling_changed(viz_view *view)
{
    as_next_view(view)->knobs++;
}

static bool is_greedy(const viz_view *view)
{
    return !(as_next_view(view)->drawn.draw.temperature > 0);
}

static void show_top_k(const viz_view *view, double number, char *text, size_t size)
{
    (void)view;
    snprintf(text, size, number == 0 ? viz_word("all") : "%.0f", number);
}

static void show_top_p(const viz_view *view, double number, char *text, size_t size)
{
    (void)view;
    snprintf(text, size, number == 0 ? viz_word("all") : "%.2f", number);
}

static void save_generation(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    char text[SAC_SAMPLING_CHANGES * 24 + 128];
    put(user, s->name, sac_sampling_text(&as_next_view(view)->how, text, sizeof text));
}

static void restore_generation(viz_view *view, const viz_setting *s, const char *value)
{
    next_view *v = as_next_view(view);
    char text[SAC_SAMPLING_CHANGES * 24 + 128];
    (void)s;
    if (strcmp(sac_sampling_text(&v->how, text, sizeof text), value) != 0 &&
        sac_sampling_read(value, &v->how))
        v->asked++;
}

/* Until the number of generated tokens is known, a step is kept as it is given. */
static void set_step(viz_view *view, const viz_setting *s, double number)
{
    next_view *v = as_next_view(view);
    (void)s;
    int last = v->known == v->asked ? (int)v->generation.generated - 1 : SAC_GENERATION_MOST - 1;
    viz_player_rest_at(&v->player, number > last ? last > 0 ? last : 0 : (int)number);
}

#define IN(member) offsetof(next_view, member)

/* Of a scene, by which it is found again. */
static void save_scene(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const sac_source *source = view->source;
    (void)s;
    if (!source->picture.scenes || !source->picture.image)
        return;
    put(user, "title", source->title);
    viz_put_whole(put, user, "picture", source->picture.number);
}

static const viz_setting settings[] = {
    {NULL, .save = viz_save_source},
    {NULL, .save = viz_save_without},
    {NULL, .save = save_scene},
    {"temperature", VIZ_REAL, IN(drawn.draw.temperature), 0, MOST_TEMPERATURE,
     .changed = mark_sampling_changed, .widget = VIZ_SLIDER, .label = "temperature", .grain = 0.05,
     .tip = "Divides the scores before the draw: below 1 the probable become more so; 0 takes the "
            "most probable token each time."},
    {"top k", VIZ_WHOLE, IN(drawn.draw.top_k), 0, MOST_K, .changed = mark_sampling_changed,
     .widget = VIZ_SLIDER, .label = "top k", .grain = 1, .show = show_top_k, .idle = is_greedy,
     .tip = "Draws from so many of the most probable tokens alone; 0: from all."},
    {"top p", VIZ_REAL, IN(drawn.draw.top_p), 0, 1, .changed = mark_sampling_changed,
     .widget = VIZ_SLIDER, .label = "top p", .grain = 0.01, .show = show_top_p, .idle = is_greedy,
     .tip = "Draws from the most probable tokens that have so much of the probability together; "
            "0: from all."},
    {"generated", .save = save_generation, .take = restore_generation},
    {"said", .unmentioned = true, .take = restore_generation}, /* of earlier pictures */
    {"step", VIZ_WHOLE, IN(player.step), .low = 0, .high = SAC_GENERATION_MOST, .moves = true,
     .set = set_step},
    {"map", VIZ_CHOICE, IN(look.map), VIZ_NAMES(viz_colormap_names)},
    {VIZ_LAYOUT_SETTING},
    {0},
};

/* ---------------------------------------------------------------- numbers */

static bool table(const viz_view *view, viz_table *table)
{
    const next_view *v = as_next_view(view);
    if (!v->generation.generated)
        return false;
    table->rows = v->generation.generated;
    table->columns = v->generation.count;
    table->row = current_step(v);
    snprintf(table->title, sizeof table->title, "where each token looked, mean of all heads");
    return true;
}

static char *table_name(const viz_view *view, bool of_row, size_t index, char *text, size_t size)
{
    const sac_generation *generation = &as_next_view(view)->generation;
    size_t place = of_row ? generation->count - generation->generated + index : index;
    snprintf(text, size, "%s",
             place < generation->tokens.count ? generation->tokens.text[place] : "");
    return text;
}

static sac_status table_row(viz_view *view, size_t row, float *values, sac_error *error)
{
    const sac_generation *generation = &as_next_view(view)->generation;
    (void)error;
    memcpy(values, generation->rows + row * generation->count, generation->count * sizeof *values);
    return SAC_OK;
}

static void status(const viz_view *view, char *text, size_t size)
{
    const next_view *v = as_next_view(view);
    const sac_source *source = view->source;
    snprintf(text, size, viz_word("%s  ·  %zu + %zu tokens  ·  %s  ·  %.0f ms"), source->title,
             v->generation.count - v->generation.generated, v->generation.generated,
             source->origin.device, v->generation.milliseconds);
}

/* ---------------------------------------------------------------- the class */

static int frames(const viz_view *view, int fps)
{
    const next_view *v = as_next_view(view);
    return viz_player_frames(&v->player, (int)v->generation.generated, fps);
}

static void frame(viz_view *view, int index, int fps)
{
    next_view *v = as_next_view(view);
    viz_player_set_frame(&v->player, (int)v->generation.generated, index, fps);
}

static bool accepts(const sac_source *source)
{
    return source->result.candidates != NULL;
}

static void destroy(viz_view *view)
{
    sac_generation_free(&as_next_view(view)->generation);
    viz_scaled_free(&as_next_view(view)->scaled);
    free(view);
}

static const char *const hints[VIZ_HINTS] = {
    "Click a generated token, or play them with space, to see how each came.",
    "Click a candidate to put it there instead.",
    "The sliders change what may be drawn; N generates again with them."};

static sac_status create(sac_source *source, viz_view *beside, viz_view **view, sac_error *error)
{
    next_view *v = calloc(1, sizeof *v);
    *view = NULL;
    (void)beside;
    if (!v)
        return sac_no_memory(error, "next words");
    v->base = (viz_view){.class = &viz_next_class, .source = source};
    v->player =
        (viz_player){.step_seconds = STEP_SECONDS, .rest_seconds = STEP_SECONDS, .speed = 1};
    v->look = (viz_heat_style){VIZ_HEAT_DEFAULTS};
    v->how = source->result.sampling;
    v->how.count = v->how.count <= 0                    ? SAC_GENERATION_TOKENS
                   : v->how.count > SAC_GENERATION_MOST ? SAC_GENERATION_MOST
                                                        : v->how.count;
    v->drawn = v->how;
    v->asked = 1;
    *view = &v->base;
    return SAC_OK;
}

const viz_view_class viz_next_class = {
    .name = "next",
    .tab = "Next words",
    .about = "What the model generates after the text, where each token looked, and the other "
             "candidates.",
    .accepts = accepts,
    .create = create,
    .draw = next_draw,
    .figure = next_draw_figure,
    .figure_height = next_figure_height,
    .event = event,
    .tick = tick,
    .arrive = arrive,
    .create_job = create_job,
    .run_job = run_job,
    .finish_job = finish_job,
    .status = status,
    .settings = {settings},
    .keys = keys,
    .spots = add_spots,
    .hints = hints,
    .table = table,
    .table_name = table_name,
    .table_row = table_row,
    .frames = frames,
    .frame = frame,
    .destroy = destroy,
};
