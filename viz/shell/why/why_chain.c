#include "shell/why/why_chain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text/numbers.h"
#include "canvas/canvas.h"
#include "canvas/text.h"
#include "parts/controls/widgets.h"
#include "view/words.h"

#define TITLE 28.0f
#define SUBTITLE 16.0f
#define NAME 17.0f
#define FORMULA 17.0f
#define LABEL 14.0f
#define LINE 50.0f        /* of a step, at most */
#define PATCH 132.0f      /* the side of a cell's picture */
#define TERM 24.0f        /* of a term */
#define AROUND 1.0f       /* so many cells beside it are seen, on each side */
#define LEFT 330.0f       /* the column of pictures and terms */
#define LEAST_WIDE 720.0f /* of a page that has such a column */

static float text_size(const viz_chain_layout *l, float size)
{
    return fmaxf(11, size * l->unit);
}

/* The grid that keys are cells of. */
static bool find_key_grid(const viz_chain *c, size_t *across, size_t *down)
{
    char name[96];
    if (!c->image || !c->explanation->keys)
        return false;
    c->names->key(c->names->user, c->explanation->keys - 1, name, sizeof name);
    bool is = viz_why_parse_cell(name, across, down);
    *across += 1;
    *down += 1;
    return is && *across <= c->explanation->keys && *down <= c->explanation->keys;
}

viz_chain_layout viz_chain_lay(const viz_chain *c, viz_rect area)
{
    viz_chain_layout l = {.unit = fmaxf(fminf(area.w / 1280, area.h / 756), 0.55f)};
    size_t across, down, x, y;
    char key[96];
    float margin = fmaxf(0.04f * area.w, VIZ_MARGIN), top = area.y + 96 * l.unit;
    l.area = (viz_rect){area.x + margin, area.y, area.w - 2 * margin, area.h};
    float bottom = area.y + area.h - 12, left = l.area.x;
    bool wide = area.w >= LEAST_WIDE, known = c->explanation->dim > 0;
    c->names->key(c->names->user, c->explanation->position, key, sizeof key);
    if (wide && (known || c->image)) {
        float column = LEFT * l.unit, patch = PATCH * l.unit, at = top;
        float gap = column - 2 * patch - 30 * l.unit;
        if (find_key_grid(c, &across, &down) && viz_why_parse_cell(key, &x, &y)) {
            at += text_size(&l, LABEL) + 6;
            if (viz_why_parse_cell(c->names->query, &x, &y))
                l.query = (viz_rect){left, at, patch, patch};
            l.key = (viz_rect){l.query.w > 0 ? left + patch + gap : left, at, patch, patch};
            at += patch + 28 * l.unit;
        }
        float room = bottom - at - 1.6f * text_size(&l, LABEL);
        l.term_count = known ? (int)fminf(fminf(room / (TERM * l.unit), VIZ_CHAIN_TERMS),
                                          (float)c->explanation->dim)
                             : 0;
        if (l.term_count > 0)
            l.terms = (viz_rect){left, at, column - 30 * l.unit,
                                 1.6f * text_size(&l, LABEL) + TERM * l.unit * (float)l.term_count};
        if (l.key.w > 0 || l.term_count > 0)
            left += column;
    }
    l.count = c->steps->count;
    float line = fminf((bottom - top) / (float)(l.count ? l.count : 1), LINE * l.unit * 1.2f);
    for (int i = 0; i < l.count; i++)
        l.links[i] = (viz_rect){left, top + line * (float)i, l.area.x + l.area.w - left, line};
    return l;
}

int viz_chain_hit(const viz_chain_layout *l, float x, float y)
{
    for (int i = 0; i < l->count; i++)
        if (viz_inside(l->links[i], x, y))
            return i;
    return -1;
}

/* The cell and those around it, itself framed. */
static void draw_patch(const viz_chain *c, viz_canvas *canvas, viz_rect r, const char *cell,
                       const char *what, float size)
{
    size_t x, y, across, down;
    char text[128], fit[128];
    if (r.w <= 0 || !viz_why_parse_cell(cell, &x, &y) || !find_key_grid(c, &across, &down))
        return;
    float side = r.w / (1 + 2 * AROUND);
    float ratio = (float)c->image->height * (float)across /
                  ((float)c->image->width * (float)down); /* of a cell */
    float w = ratio > 1 ? side / ratio : side, h = ratio > 1 ? side : side * ratio;
    viz_rect whole = {r.x + r.w / 2 - ((float)x + 0.5f) * w, r.y + r.h / 2 - ((float)y + 0.5f) * h,
                      w * (float)across, h * (float)down};
    viz_fill(canvas, r, canvas->theme->panel);
    viz_clip(canvas, r);
    viz_image(canvas, c->image, whole, true);
    viz_clip_none(canvas);
    viz_frame_apart(canvas, (viz_rect){r.x + (r.w - w) / 2, r.y + (r.h - h) / 2, w, h}, 2);
    snprintf(text, sizeof text, "%s %s", viz_word(what), strchr(cell, '('));
    viz_text_fit(canvas, VIZ_SANS, size, r.w + 20, text, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, size, r.x, r.y - 8, VIZ_LEFT, canvas->theme->text2, fit);
}

/* The terms of the sum that count most, as bars about 0. */
static void draw_terms(const viz_chain *c, const viz_chain_layout *l, viz_canvas *canvas)
{
    const sac_explanation *e = c->explanation;
    const viz_theme *theme = canvas->theme;
    const size_t *order = c->steps->steps[0].table.order;
    float size = text_size(l, LABEL), line = TERM * l->unit, names = 0, digits = 5.6f * size;
    char name[96], fit[96], number[32];
    if (l->term_count < 1)
        return;
    viz_text(canvas, VIZ_SANS, size, l->terms.x, l->terms.y + size, VIZ_LEFT, theme->text2,
             viz_word((size_t)l->term_count < e->dim ? "what adds most to the sum"
                                                     : "what adds to the sum"));
    for (int i = 0; i < l->term_count; i++)
        names = fmaxf(names, viz_text_width(canvas, VIZ_SANS, size,
                                            viz_why_coordinate(e, order[i], name, sizeof name)));
    names = fminf(names, 0.45f * l->terms.w) + 10;
    float from = l->terms.x + names, width = l->terms.w - names - digits;
    /* About 0, which stands at an end where all have one sign. */
    double low = 0, high = 0;
    for (int i = 0; i < l->term_count; i++) {
        low = fmin(low, e->terms[order[i]]);
        high = fmax(high, e->terms[order[i]]);
    }
    float per = width / (float)fmax(high - low, 1e-30), zero = from - per * (float)low;
    for (int i = 0; i < l->term_count; i++) {
        float y = l->terms.y + 1.6f * size + line * (float)i;
        float x = per * (float)e->terms[order[i]];
        viz_text_fit(canvas, VIZ_SANS, size, names - 8,
                     viz_why_coordinate(e, order[i], name, sizeof name), fit, sizeof fit);
        viz_text(canvas, VIZ_SANS, size, from - 10, y + 0.7f * line, VIZ_RIGHT, theme->text2, fit);
        viz_rect bar = {fminf(zero, zero + x), y + 0.25f * line, fmaxf(fabsf(x), 1), 0.5f * line};
        viz_fill(canvas, bar, x < 0 ? theme->text2 : theme->accent);
        viz_text(canvas, VIZ_MONO, size, l->terms.x + l->terms.w, y + 0.7f * line, VIZ_RIGHT,
                 theme->text, sac_number_text(e->terms[order[i]], number, sizeof number));
    }
    viz_fill(canvas,
             (viz_rect){zero - 0.5f, l->terms.y + 1.5f * size, 1, line * (float)l->term_count},
             theme->line);
}

/* "scale   12.1 / √64 =   1.51", and below it the operation in words, where there is height. */
static void draw_link(const viz_chain *c, const viz_chain_layout *l, viz_canvas *canvas, int i)
{
    const viz_theme *theme = canvas->theme;
    const viz_step *s = &c->steps->steps[i];
    viz_rect r = l->links[i];
    float name = text_size(l, NAME), formula = text_size(l, FORMULA), label = text_size(l, LABEL);
    float first = fminf(150 * l->unit, 0.24f * r.w);
    bool has_room = r.h >= 1.3f * name + 1.6f * label;
    float y = r.y + (has_room ? 1.25f * name : r.h / 2 + 0.36f * name), right = r.x + r.w;
    bool last = c->steps->kind[i] == VIZ_WHY_SHARE;
    char fit[320];
    viz_fill(canvas, (viz_rect){r.x, r.y + r.h - 1, r.w, 1}, theme->line);
    viz_text_fit(canvas, VIZ_SANS, name, first - 8, s->name, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, name, r.x, y, VIZ_LEFT, theme->text, fit);
    float result = viz_text_width(canvas, VIZ_MONO, formula, s->result);
    viz_text(canvas, VIZ_MONO, formula, right, y, VIZ_RIGHT, last ? theme->accent : theme->text,
             s->result);
    viz_text_fit(canvas, VIZ_MONO, formula, r.w - first - result - 12, s->formula, fit, sizeof fit);
    viz_text(canvas, VIZ_MONO, formula, right - result - 12, y, VIZ_RIGHT, theme->text2, fit);
    if (!has_room)
        return;
    viz_text_fit(canvas, VIZ_SANS, label, r.w, s->sentence, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, label, r.x, y + 1.4f * label, VIZ_LEFT, theme->text2, fit);
}

void viz_chain_draw(const viz_chain *c, const viz_chain_layout *l, viz_canvas *canvas)
{
    char key[96], fit[400];
    float label = text_size(l, LABEL), title = text_size(l, TITLE), sub = text_size(l, SUBTITLE);
    viz_text(canvas, VIZ_SANS, title, l->area.x, l->area.y + 48 * l->unit, VIZ_LEFT,
             canvas->theme->text, c->title);
    viz_text_fit(canvas, VIZ_SANS, sub, l->area.w, c->subtitle, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, sub, l->area.x, l->area.y + 76 * l->unit, VIZ_LEFT,
             canvas->theme->text2, fit);
    c->names->key(c->names->user, c->explanation->position, key, sizeof key);
    draw_patch(c, canvas, l->query, c->names->query, N_("query"), label);
    draw_patch(c, canvas, l->key, key, N_("key"), label);
    draw_terms(c, l, canvas);
    for (int i = 0; i < l->count; i++)
        draw_link(c, l, canvas, i);
    if (!c->explanation->dim && l->count) { /* why there is no more of it */
        viz_rect last = l->links[l->count - 1];
        viz_text_fit(canvas, VIZ_SANS, label, last.w, c->steps->steps[0].notice, fit, sizeof fit);
        viz_text(canvas, VIZ_SANS, label, last.x, last.y + last.h + 2 * label, VIZ_LEFT,
                 canvas->theme->text2, fit);
    }
}
