/* Drawing of the training view: the watched pictures under their heat, and the sentences. */
#include <math.h>
#include <stdio.h>

#include "parts/grid.h"
#include "training/training_state.h"

/* A share that the colours reach at least: a map without focus looks faint from the first step on,
 * and grows brighter as it sharpens. In weights that all cells would have were they equal. */
#define SHARP 16.0f
#define LARGEST_CELL 40.0f /* of an alignment */

static viz_scale scale_of(const training_view *v)
{
    float most = 0;
    for (int i = 0; i < v->state.pictures; i++) {
        const sac_caption *c = &v->state.picture[i].caption;
        float cells = (float)(c->grid_w * c->grid_h);
        if (c->count > 0)
            most = fmaxf(most, fmaxf(c->max_weight, fminf(SHARP / cells, 1)));
    }
    return viz_scale_for(VIZ_ROOT, most);
}

static void draw_line(viz_canvas *canvas, viz_rect r, float size, viz_color color, const char *text)
{
    char fit[256];
    viz_text_fit(canvas, VIZ_SANS, size, r.w + 1, text, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, size, r.x, r.y + 1.02f * size, VIZ_LEFT, color, fit);
}

/* ---------------------------------------------------------------- what is said */

/* Through the middle of a word that is not true. */
static void strike(viz_canvas *canvas, viz_rect r, float size, viz_color color)
{
    viz_fill(canvas, (viz_rect){r.x - 1, r.y + 0.7f * size, r.w + 2, 1}, color);
}

/* Spoken words are bright, the current one is the accent's, those to come are faint. */
static void draw_said(const training_view *v, viz_canvas *canvas, int picture, int word)
{
    const viz_theme *theme = canvas->theme;
    const sac_caption *caption = &v->state.picture[picture].caption;
    viz_rect r = v->words[picture].said[word];
    float size = v->layout.text_size;
    bool wrong = v->picture[picture].wrong[word];
    viz_color color = word == v->player.step  ? theme->accent
                      : word > v->player.step ? theme->faint
                      : wrong                 ? theme->text2
                                              : theme->text;
    if (!(r.w > 0))
        return;
    draw_line(canvas, r, size, color, caption->words[word].text);
    if (wrong)
        strike(canvas, r, size, color);
}

static void draw_tick(viz_canvas *canvas, float x, float y, viz_color color)
{
    viz_line(canvas, x, y + 4, x + 3, y + 7.5f, 1.5f, color);
    viz_line(canvas, x + 3, y + 7.5f, x + 9, y, 1.5f, color);
}

/* Below a caption that is wrong the true one, what it missed underlined. */
static void draw_truth(const training_view *v, viz_canvas *canvas, int picture)
{
    const viz_color color = canvas->theme->text2;
    const training_picture *p = &v->picture[picture];
    const training_words *w = &v->words[picture];
    float size = v->layout.truth_size;
    bool said = v->state.picture[picture].caption.count > 0;
    if (p->right && w->verdict.w > 0) {
        viz_rect r = {w->verdict.x + 15, w->verdict.y, w->verdict.w - 15, w->verdict.h};
        draw_tick(canvas, w->verdict.x, r.y + 0.62f * size - 4, color);
        draw_line(canvas, r, size, color, "right");
        return;
    }
    for (int i = 0; i < p->truth_count; i++) {
        viz_rect r = w->truth[i];
        if (!(r.w > 0))
            continue;
        draw_line(canvas, r, size, color, p->truth[i]);
        if (said && p->missed[i])
            viz_fill(canvas, (viz_rect){r.x, r.y + ceilf(1.2f * size), r.w, 1},
                     canvas->theme->faint);
    }
}

static void draw_words(training_view *v, viz_canvas *canvas, int picture)
{
    const sac_caption *caption = &v->state.picture[picture].caption;
    const training_picture *p = &v->picture[picture];
    training_words *w = &v->words[picture];
    *w = viz_training_words(canvas, &v->layout, picture, caption, p->truth, p->truth_count);
    for (int i = 0; i < caption->count; i++)
        draw_said(v, canvas, picture, i);
    if (w->dots.w > 0)
        draw_line(canvas, w->dots, v->layout.text_size, canvas->theme->faint, "…");
    draw_truth(v, canvas, picture);
}

/* Draws the alignment in place of a picture, where the model reads: the words of its sentence over
 * those of its source. */
static void draw_alignment(const training_view *v, viz_canvas *canvas, int picture,
                           const viz_heat_style *style)
{
    const sac_caption *caption = &v->state.picture[picture].caption;
    const char *rows[SAC_MAX_TOKENS], *columns[SAC_MAX_TOKENS];
    viz_grid grid = {.values = caption->weights,
                     .rows = caption->count,
                     .columns = caption->grid_w < SAC_MAX_TOKENS ? caption->grid_w : 0,
                     .row_labels = rows,
                     .column_labels = columns,
                     .scale = style->scale,
                     .colors = style->map,
                     .row = training_word_of(v, picture),
                     .column = -1,
                     .hover_row = -1,
                     .hover_column = -1};
    viz_grid_layout layout;
    if (grid.rows < 1 || grid.columns < 1)
        return;
    for (int i = 0; i < grid.rows; i++)
        rows[i] = caption->words[i].text;
    for (int i = 0; i < grid.columns; i++)
        columns[i] = caption->positions[i];
    viz_grid_lay(&layout, canvas, &grid, v->layout.picture[picture], LARGEST_CELL);
    viz_grid_draw(&layout, canvas, &grid);
}

static void draw_picture(training_view *v, viz_canvas *canvas, int picture,
                         const viz_heat_style *style)
{
    viz_rect r = v->layout.picture[picture];
    training_picture *p = &v->picture[picture];
    const sac_image *image = &v->state.picture[picture].image;
    const viz_glide *g = &p->glide;
    v->words[picture] = (training_words){0};
    if (!(r.w > 0))
        return;
    if (image->rgba)
        viz_image_kept(canvas, &p->kept, image, p->stamp, r, true);
    if (v->state.picture[picture].caption.positions)
        draw_alignment(v, canvas, picture, style);
    else if (training_word_of(v, picture) >= 0 && g->grid_w > 0)
        viz_heat(canvas, &p->kept, r, g->now, g->grid_w, g->grid_h, style);
    draw_words(v, canvas, picture);
}

/* ---------------------------------------------------------------- figures */

/* "41 s", "12 min", "1 h 05 min" */
static void duration(double seconds, char *text, size_t size)
{
    int minutes = (int)(fmin(fmax(seconds, 0), 3e8) / 60 + 0.5);
    if (seconds < 100)
        snprintf(text, size, "%.0f s", fmax(seconds, 0));
    else if (minutes < 100)
        snprintf(text, size, "%d min", minutes);
    else
        snprintf(text, size, "%d h %02d min", minutes / 60, minutes % 60);
}

/* A label and a number, in the order in which they are read. */
static void draw_figure(viz_canvas *canvas, viz_rect r, const char *before, const char *number,
                        const char *after)
{
    float x = r.x, y = r.y + r.h / 2 + 4.5f;
    if (!(r.w > 0))
        return;
    if (before[0])
        x +=
            viz_text(canvas, VIZ_SANS, VIZ_LABEL, x, y, VIZ_LEFT, canvas->theme->text2, before) + 6;
    x += viz_text(canvas, VIZ_MONO, VIZ_LABEL, x, y, VIZ_LEFT, canvas->theme->text, number) + 6;
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, x, y, VIZ_LEFT, canvas->theme->text2, after);
}

static void draw_track(const training_view *v, viz_canvas *canvas)
{
    viz_rect r = v->layout.track;
    const sac_training_snapshot *s = &v->state;
    float y = r.y + r.h / 2, done = s->steps ? (float)s->step / (float)s->steps : 0;
    viz_fill_round(canvas, (viz_rect){r.x, y - 2, r.w, 4}, 2, canvas->theme->line);
    if (done > 0)
        viz_fill_round(canvas, (viz_rect){r.x, y - 2, fmaxf(fminf(done, 1) * r.w, 4), 4}, 2,
                       canvas->theme->accent);
}

static void draw_figures(const training_view *v, viz_canvas *canvas)
{
    const sac_training_snapshot *s = &v->state;
    const training_layout *l = &v->layout;
    char step[48], speed[32], time[32];
    snprintf(step, sizeof step, "%zu of %zu", s->step, s->steps);
    snprintf(speed, sizeof speed, "%.0f", s->samples_per_second);
    duration(v->ended ? s->seconds : s->seconds_left, time, sizeof time);
    viz_fill(canvas, l->rule, canvas->theme->line);
    if (s->step == 0)
        return;
    draw_track(v, canvas);
    draw_figure(canvas, l->figure[FIGURE_STEP], "step", step, "");
    draw_figure(canvas, l->figure[FIGURE_SPEED], "", speed, "samples/s");
    draw_figure(canvas, l->figure[FIGURE_TIME], v->ended ? "took" : "", time,
                v->ended ? "" : "left");
}

/* ---------------------------------------------------------------- the whole */

static void draw_bar(const training_view *v, viz_canvas *canvas, const viz_heat_style *style)
{
    const sac_caption *caption = &v->state.picture[0].caption;
    int cells = caption->grid_w * caption->grid_h;
    if (v->layout.bar.w > 0 && v->state.pictures > 0 && caption->count > 0)
        viz_heat_bar_draw(canvas, v->layout.bar, style, 1.0f / (float)cells,
                          "attention: shared scale, square root");
}

/* Draws the problem over the lower edge of the first picture or of the empty view. */
static void draw_problem(const training_view *v, viz_canvas *canvas, viz_rect area)
{
    const char *text = v->request.problem[0] ? v->request.problem
                       : v->state.step > 0   ? NULL
                       : v->ended            ? "the training ended before its first step"
                                             : "waiting for the first step";
    if (text && area.w > 2 * VIZ_MARGIN && area.h > 120)
        viz_note_draw(canvas, area.x + VIZ_MARGIN + VIZ_GAP, area.y + 12 + VIZ_GAP,
                      area.w - 2 * VIZ_MARGIN - 2 * VIZ_GAP, text);
}

void training_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    training_view *v = training_of(view);
    training_content content = {
        .pictures = v->state.pictures, .steps = v->state.steps, .playing = v->player.playing};
    for (int i = 0; i < content.pictures; i++)
        content.truth[i] = v->state.picture[i].truth;
    v->layout = viz_training_layout(canvas, area, &content);
    viz_heat_style style = v->style;
    style.scale = scale_of(v);
    for (int i = 0; i < content.pictures; i++)
        draw_picture(v, canvas, i, &style);
    training_draw_curves(v, canvas);
    draw_bar(v, canvas, &style);
    draw_figures(v, canvas);
    viz_caps_draw(canvas, &v->layout.caps);
    draw_problem(v, canvas, area);
}
