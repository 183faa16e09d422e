/* The training view's drawing: its curves, its pictures, and the tips. */
#include <math.h>
#include <stdio.h>

#include "canvas/text.h"
#include "parts/figures/frame.h"
#include "parts/figures/grid.h"
#include "parts/figures/plot.h"
#include "training/training_state.h"
#include "view/words.h"

/* A curve and its axes. */
typedef struct curve {
    const float *values; /* [points]; what is not finite is left out */
    const size_t *at;
    size_t points;
    viz_axis x, y; /* steps, values */
    viz_rect frame;
} curve;

static bool has(const curve *c, size_t i)
{
    return isfinite(c->values[i]) && (!c->y.by_ratio || c->values[i] > 0);
}

static float x_of(const curve *c, size_t i)
{
    return viz_axis_x(&c->x, c->frame, (float)c->at[i]);
}

/* Within the frame. */
static float y_of(const curve *c, float value)
{
    return viz_axis_y(&c->y, c->frame, fminf(fmaxf(value, c->y.low), c->y.high));
}

/* ---------------------------------------------------------------- axes */

/* Lets the axis go from a round number below all values to one above. */
static void fit_axis(curve *c)
{
    float low = INFINITY, high = 0;
    for (size_t i = 0; i < c->points; i++)
        if (has(c, i)) {
            low = fminf(low, c->values[i]);
            high = fmaxf(high, c->values[i]);
        }
    if (!(high > 0))
        return;
    /* of 1, 2 and 5 the one below is at least 0.4 of the next, and at most half */
    float above = viz_round_step(low, 1);
    c->y.low = above > low ? viz_round_step(0.39f * above, 1) : above;
    c->y.high = fmaxf(viz_round_step(1.001f * high, 1), viz_round_step(2.6f * c->y.low, 1));
}

static void draw_level(viz_canvas *canvas, const training_plot *plot, const curve *c, float value,
                       const char *text)
{
    float y = y_of(c, value);
    viz_fill(canvas, (viz_rect){c->frame.x, floorf(y), c->frame.w, 1}, canvas->theme->line);
    viz_text(canvas, VIZ_MONO, 11, plot->numbers.x + plot->numbers.w, y + 4, VIZ_RIGHT,
             canvas->theme->text2, text);
}

/* ---------------------------------------------------------------- lines */

static void draw_values(viz_canvas *canvas, const curve *c, float thickness, viz_color color)
{
    float x0 = 0, y0 = 0;
    bool begun = false;
    for (size_t i = 0; i < c->points; i++) {
        if (!has(c, i))
            continue;
        float x = x_of(c, i), y = y_of(c, c->values[i]);
        if (begun)
            viz_line(canvas, x0, y0, x, y, thickness, color);
        x0 = x;
        y0 = y;
        begun = true;
    }
}

/* The mean of the logarithms of the points up to `reach` before and after each. */
static float smoothed(const curve *c, size_t i, size_t reach)
{
    size_t before = i < reach ? i : reach, after = c->points - 1 - i;
    after = after < reach ? after : reach;
    double sum = 0;
    int count = 0;
    for (size_t k = i - before; k <= i + after; k++)
        if (has(c, k)) {
            sum += log((double)c->values[k]);
            count++;
        }
    return count ? (float)exp(sum / count) : NAN;
}

/* ---------------------------------------------------------------- what the pointer is at */

/* The point that the pointer is nearest to, or the newest. c->points: there is none. */
static size_t chosen(const training_view *v, const curve *c)
{
    size_t best = c->points;
    float distance = INFINITY;
    for (size_t i = 0; i < c->points; i++) {
        if (!has(c, i))
            continue;
        float d = v->pointed ? fabsf(x_of(c, i) - v->pointer_x) : 0;
        if (d <= distance) {
            distance = d;
            best = i;
        }
    }
    return best;
}

/* The value and, where it is not the newest, its step; a dot where it stands. */
static void draw_chosen(const training_view *v, viz_canvas *canvas, const training_plot *plot,
                        const curve *c, size_t i, float value, const char *text)
{
    float x = x_of(c, i), y = y_of(c, value), right = plot->title.x + plot->title.w;
    char line[64];
    if (v->pointed) {
        snprintf(line, sizeof line, "%s at %zu", text, c->at[i]);
        viz_fill(canvas, (viz_rect){floorf(x), c->frame.y, 1, c->frame.h}, canvas->theme->faint);
    } else {
        snprintf(line, sizeof line, "%s", text);
    }
    viz_text(canvas, VIZ_MONO, VIZ_LABEL, right, plot->title.y + 12, VIZ_RIGHT, canvas->theme->text,
             line);
    viz_disc(canvas, x, y, 4.5f, canvas->theme->ground);
    viz_disc(canvas, x, y, 3, canvas->theme->accent);
}

/* ---------------------------------------------------------------- the two plots */

static void draw_title(viz_canvas *canvas, const training_plot *plot, const char *text)
{
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, plot->title.x, plot->title.y + 12,
                    plot->title.w - 100, VIZ_LEFT, canvas->theme->text2, viz_word(text));
}

static void draw_loss(training_view *v, viz_canvas *canvas, float end)
{
    const sac_training_snapshot *s = &v->state;
    const training_plot *plot = &v->layout.loss;
    curve c = {s->loss, s->at, s->points, {0, end, false}, {0.1f, 10, true}, plot->plot};
    size_t reach = s->points / 60;
    char text[32];
    fit_axis(&c);
    draw_title(canvas, plot, "loss, logarithmic");
    const viz_ticks ticks = viz_axis_ticks(&c.y, c.frame.h, 16);
    for (int i = 0; i < ticks.count; i++)
        draw_level(canvas, plot, &c, ticks.at[i], ticks.text[i]);
    draw_values(canvas, &c, 1, reach ? canvas->theme->faint : canvas->theme->text);
    if (reach > 0) {
        float x0 = 0, y0 = NAN;
        for (size_t i = 0; i < c.points; i++) {
            float x = x_of(&c, i), y = smoothed(&c, i, reach);
            y = isfinite(y) ? y_of(&c, y) : NAN;
            if (isfinite(y0) && isfinite(y))
                viz_line(canvas, x0, y0, x, y, 1.5f, canvas->theme->text);
            x0 = x;
            y0 = y;
        }
    }
    size_t i = chosen(v, &c);
    if (i == c.points)
        return;
    float value = smoothed(&c, i, reach);
    snprintf(text, sizeof text, "%.3f", (double)value);
    draw_chosen(v, canvas, plot, &c, i, value, text);
}

static void draw_exact(training_view *v, viz_canvas *canvas, float end)
{
    const sac_training_snapshot *s = &v->state;
    const training_plot *plot = &v->layout.exact;
    curve c = {s->exact, s->at, s->points, {0, end, false}, {0, 1, false}, plot->plot};
    char text[32];
    bool reads = v->state.pictures > 0 && !v->state.picture[0].image.rgba;
    draw_title(canvas, plot, reads ? "sentences exactly right" : "captions exactly right");
    draw_level(canvas, plot, &c, 0, "0");
    draw_level(canvas, plot, &c, 0.5f, "50");
    draw_level(canvas, plot, &c, 1, "100");
    draw_values(canvas, &c, 1.5f, canvas->theme->text);
    size_t i = chosen(v, &c);
    if (i == c.points) {
        if (s->step > 0)
            viz_text(canvas, VIZ_SANS, VIZ_LABEL, plot->title.x + plot->title.w, plot->title.y + 12,
                     VIZ_RIGHT, canvas->theme->faint, viz_word("not measured yet"));
        return;
    }
    snprintf(text, sizeof text, "%.0f %%", 100 * (double)c.values[i]);
    draw_chosen(v, canvas, plot, &c, i, c.values[i], text);
}

static void training_draw_curves(training_view *v, viz_canvas *canvas)
{
    const training_layout *l = &v->layout;
    /* The axis of steps ends at a round number ahead of what is done, at last with the training. */
    const sac_training_snapshot *s = &v->state;
    float end = viz_round_step(fmaxf(1.15f * (float)s->step, 20), 1);
    if (s->steps > 0 && end > 0.7f * (float)s->steps)
        end = fmaxf((float)s->steps, 1);
    if (!(l->loss.plot.w > 0) || !(l->loss.plot.h > 20))
        return;
    draw_loss(v, canvas, end);
    draw_exact(v, canvas, end);
    for (int i = 0; i < 2; i++)
        if (l->steps[i].w > 0) {
            /* As many round numbers of steps as fit below the curves. */
            viz_rect r = l->steps[i];
            char text[32];
            snprintf(text, sizeof text, "%.0f", (double)end);
            const viz_axis steps = {0, end, false};
            const viz_ticks ticks =
                viz_axis_ticks(&steps, r.w, viz_text_width(canvas, VIZ_MONO, 11, text) + 36);
            for (int k = 0; k < ticks.count; k++) {
                float w = viz_text_width(canvas, VIZ_MONO, 11, ticks.text[k]);
                float x = viz_axis_x(&steps, r, ticks.at[k]);
                x = k == 0 ? r.x : fminf(x - w / 2, r.x + r.w - w);
                viz_text(canvas, VIZ_MONO, 11, x, r.y + 10, VIZ_LEFT, canvas->theme->text2,
                         ticks.text[k]);
            }
        }
}

float training_exact(const sac_training_snapshot *s, size_t *step)
{
    for (size_t i = s->points; i-- > 0;)
        if (isfinite(s->exact[i])) {
            *step = s->at[i];
            return s->exact[i];
        }
    *step = 0;
    return NAN;
}

/* ---------------------------------------------------------------- drawing of the training view: the watched pictures under their heat, and the sentences */

/* A share that the colours reach at least: a map without focus looks faint from the first step on,
 * and grows brighter as it sharpens. In weights that all cells would have were they equal. */
#define SHARP 16.0f
#define LARGEST_CELL 40.0f /* of an alignment */

static void draw_line(viz_canvas *canvas, viz_rect r, float size, viz_color color, const char *text)
{
    viz_text_within(canvas, VIZ_SANS, size, r.x, r.y + 1.02f * size, r.w + 1, VIZ_LEFT, color,
                    text);
}

/* ---------------------------------------------------------------- generated captions */

/* Generated words are bright, the current one has the accent colour, later ones are faint. */
static void draw_generated(const training_view *v, viz_canvas *canvas, int picture, int word)
{
    const viz_theme *theme = canvas->theme;
    const sac_result *caption = &v->state.picture[picture].caption;
    viz_rect r = v->words[picture].generated[word];
    float size = v->layout.text_size;
    bool wrong = v->picture[picture].wrong[word];
    viz_color color = word == v->player.step  ? theme->accent
                      : word > v->player.step ? theme->faint
                      : wrong                 ? theme->text2
                                              : theme->text;
    if (!(r.w > 0))
        return;
    draw_line(canvas, r, size, color, caption->outputs[word].text);
    if (wrong) {
        /* Through the middle of a word that is not true. */
        viz_fill(canvas, (viz_rect){r.x - 1, r.y + 0.7f * size, r.w + 2, 1}, color);
    }
}

/* Draws the alignment in place of a picture, where the model reads: the words of its sentence over
 * those of its source. */
static void draw_alignment(const training_view *v, viz_canvas *canvas, int picture,
                           const viz_heat_style *style)
{
    const sac_result *caption = &v->state.picture[picture].caption;
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
        rows[i] = caption->outputs[i].text;
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
    const sac_result *caption = &v->state.picture[picture].caption;
    training_words *w = &v->words[picture];
    *w = viz_training_words(canvas, &v->layout, picture, caption, p->truth, p->truth_count);
    for (int i = 0; i < caption->count; i++)
        draw_generated(v, canvas, picture, i);
    if (w->dots.w > 0)
        draw_line(canvas, w->dots, v->layout.text_size, canvas->theme->faint, "…");
    /* Below a caption that is wrong the true one, what it missed underlined. */
    const viz_color color = canvas->theme->text2;
    float size = v->layout.truth_size;
    if (p->right && w->verdict.w > 0) {
        r = (viz_rect){w->verdict.x + 15, w->verdict.y, w->verdict.w - 15, w->verdict.h};
        float y = r.y + 0.62f * size - 4;
        viz_line(canvas, w->verdict.x, y + 4, w->verdict.x + 3, y + 7.5f, 1.5f, color);
        viz_line(canvas, w->verdict.x + 3, y + 7.5f, w->verdict.x + 9, y, 1.5f, color);
        draw_line(canvas, r, size, color, viz_word("right"));
        return;
    }
    for (int i = 0; i < p->truth_count; i++) {
        r = w->truth[i];
        if (!(r.w > 0))
            continue;
        draw_line(canvas, r, size, color, p->truth[i]);
        if (caption->count > 0 && p->missed[i])
            viz_fill(canvas, (viz_rect){r.x, r.y + ceilf(1.2f * size), r.w, 1},
                     canvas->theme->faint);
    }
}

/* ---------------------------------------------------------------- figures */

/* A label and a number, in the order in which they are read. */
static void draw_figure(viz_canvas *canvas, viz_rect r, const char *before, const char *number,
                        const char *after)
{
    float x = r.x, y = r.y + r.h / 2 + 4.5f;
    if (!(r.w > 0))
        return;
    if (before[0])
        x += viz_text(canvas, VIZ_SANS, VIZ_LABEL, x, y, VIZ_LEFT, canvas->theme->text2,
                      viz_word(before)) +
             6;
    x += viz_text(canvas, VIZ_MONO, VIZ_LABEL, x, y, VIZ_LEFT, canvas->theme->text, number) + 6;
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, x, y, VIZ_LEFT, canvas->theme->text2, viz_word(after));
}

static void draw_figures(const training_view *v, viz_canvas *canvas)
{
    const sac_training_snapshot *s = &v->state;
    const training_layout *l = &v->layout;
    char step[48], speed[32], time[32];
    snprintf(step, sizeof step, "%zu of %zu", s->step, s->steps);
    snprintf(speed, sizeof speed, "%.0f", s->samples_per_second);
    /* "41 s", "12 min", "1 h 05 min" */
    double seconds = v->ended ? s->seconds : s->seconds_left;
    size_t size = sizeof time;
    int minutes = (int)(fmin(fmax(seconds, 0), 3e8) / 60 + 0.5);
    if (seconds < 100)
        snprintf(time, size, "%.0f s", fmax(seconds, 0));
    else if (minutes < 100)
        snprintf(time, size, viz_word("%d min"), minutes);
    else
        snprintf(time, size, viz_word("%d h %02d min"), minutes / 60, minutes % 60);
    viz_fill(canvas, l->rule, canvas->theme->line);
    if (s->step == 0)
        return;
    viz_rect r = v->layout.track;
    float y = r.y + r.h / 2, done = s->steps ? (float)s->step / (float)s->steps : 0;
    viz_fill_round(canvas, (viz_rect){r.x, y - 2, r.w, 4}, 2, canvas->theme->line);
    if (done > 0)
        viz_fill_round(canvas, (viz_rect){r.x, y - 2, fmaxf(fminf(done, 1) * r.w, 4), 4}, 2,
                       canvas->theme->accent);
    draw_figure(canvas, l->figure[FIGURE_STEP], "step", step, "");
    draw_figure(canvas, l->figure[FIGURE_SPEED], "", speed, "samples/s");
    draw_figure(canvas, l->figure[FIGURE_TIME], v->ended ? "took" : "", time,
                v->ended ? "" : "left");
}

/* ---------------------------------------------------------------- the whole */

static void draw_bar(const training_view *v, viz_canvas *canvas, const viz_heat_style *style)
{
    const sac_result *caption = &v->state.picture[0].caption;
    static const char name[] = "attention: shared scale, square root";
    float uniform = 1.0f / (float)(caption->grid_w * caption->grid_h);
    if (!(v->layout.bar.w > 0 && v->state.pictures > 0 && caption->count > 0))
        return;
    if (caption->positions) /* maps of words, which no picture lies under */
        viz_bar_draw(canvas, v->layout.bar, viz_map_colors(canvas->theme, style->map),
                     &style->scale, uniform, name);
    else
        viz_heat_bar_draw(canvas, v->layout.bar, style, uniform, name);
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
    float most = 0;
    for (int i = 0; i < v->state.pictures; i++) {
        const sac_result *c = &v->state.picture[i].caption;
        float cells = (float)(c->grid_w * c->grid_h);
        if (c->count > 0)
            most = fmaxf(most, fmaxf(c->max_weight, fminf(SHARP / cells, 1)));
    }
    style.scale = viz_scale_for(VIZ_ROOT, most);
    for (int i = 0; i < content.pictures; i++)
        draw_picture(v, canvas, i, &style);
    training_draw_curves(v, canvas);
    draw_bar(v, canvas, &style);
    draw_figures(v, canvas);
    viz_caps_draw(canvas, &v->layout.caps);
    /* Draws the problem over the lower edge of the first picture or of the empty view. */
    const char *text = v->request.problem[0] ? v->request.problem
                       : v->state.step > 0   ? NULL
                       : v->ended            ? "the training ended before its first step"
                                             : viz_word("waiting for the first step");
    if (text && area.w > 2 * VIZ_MARGIN && area.h > 120)
        viz_note_draw(canvas, area.x + VIZ_MARGIN + VIZ_GAP, area.y + 12 + VIZ_GAP,
                      area.w - 2 * VIZ_MARGIN - 2 * VIZ_GAP, text);
}

float training_figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    (void)view;
    (void)canvas;
    return viz_training_curves_height(width);
}

void training_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    training_view *v = training_of(view);
    v->layout = viz_training_curves(area);
    training_draw_curves(v, canvas);
    for (int i = 0; i < 2; i++)
        if (v->layout.steps[i].w > 0)
            viz_axis_name(canvas, v->layout.steps[i], v->layout.steps[i].y + 28, "step");
}

/* ---------------------------------------------------------------- the spots of the training view that answer the pointer, each with its sentence */

static const char *const figure_tips[FIGURE_COUNT] = {
    [FIGURE_STEP] = "Steps done of those asked for; a step is one batch.",
    [FIGURE_SPEED] = "Pictures with their captions that are learned from in a second.",
    [FIGURE_TIME] = "How long it will take at this speed, or took.",
};

void training_spots(const viz_view *view, viz_spots *spots)
{
    const training_view *v = (const training_view *)view;
    const training_layout *l = &v->layout;
    for (int i = 0; i < v->state.pictures; i++) {
        const training_words *w = &v->words[i];
        viz_spots_add(spots, v->layout.picture[i], VIZ_SPOT_READOUT,
                      "A picture that the captioner never learns from, under the attention of its "
                      "current word.");
        for (int k = 0; k < SAC_MAX_TOKENS; k++) {
            viz_spots_add(spots, w->truth[k], VIZ_SPOT_READOUT,
                          "The true caption; underlined is what was not generated.");
            if (k < v->state.picture[i].caption.count)
                viz_spots_add(spots, w->generated[k], VIZ_SPOT_PRESSES,
                              "Hold this word; struck out, it is not in the truth.");
        }
        viz_spots_add(spots, w->verdict, VIZ_SPOT_READOUT, "Every word is that of the truth.");
    }
    viz_spots_add(spots, l->loss.plot, VIZ_SPOT_AREA,
                  "The loss: minus the logarithm of the true word's probability, on average.");
    viz_spots_add(spots, l->exact.plot, VIZ_SPOT_AREA,
                  "The share of captions whose every word is right, on pictures not learned from.");
    viz_spots_add(spots, l->bar, VIZ_SPOT_READOUT,
                  "What the colours mean; 1/N is the weight that every cell would have, were all "
                  "equal.");
    viz_spots_add(spots, l->track, VIZ_SPOT_READOUT, "How far the training is.");
    for (int i = 0; i < FIGURE_COUNT; i++)
        viz_spots_add(spots, l->figure[i], VIZ_SPOT_READOUT, figure_tips[i]);
    viz_spots_add_caps(spots, &l->caps);
}
