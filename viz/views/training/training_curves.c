/* The curves of the training view: losses, rewards, what is held out, and the scores of heads. */
#include <math.h>
#include <stdio.h>

#include "canvas/text.h"
#include "parts/figures/head_kinds.h"
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

static bool has_value(const curve *c, size_t i)
{
    return isfinite(c->values[i]) && (!c->y.by_ratio || c->values[i] > 0);
}

static float point_x(const curve *c, size_t i)
{
    return viz_axis_x(&c->x, c->frame, (float)c->at[i]);
}

/* Within the frame. */
static float value_y(const curve *c, float value)
{
    return viz_axis_y(&c->y, c->frame, fminf(fmaxf(value, c->y.low), c->y.high));
}

/* ---------------------------------------------------------------- axes */

#define SHORT_RATIO 6.0f

static void extend_range(const curve *c, float *low, float *high)
{
    for (size_t i = 0; i < c->points; i++)
        if (has_value(c, i)) {
            *low = fminf(*low, c->values[i]);
            *high = fmaxf(*high, c->values[i]);
        }
}

/* Lets the axis go from a round number below all values, of these points and of the others (may be NULL), to one
 * above. */
static void fit_axis(curve *c, const curve *other)
{
    float low = INFINITY, high = 0;
    extend_range(c, &low, &high);
    if (other)
        extend_range(other, &low, &high);
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
    float y = value_y(c, value);
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
        if (!has_value(c, i))
            continue;
        float x = point_x(c, i), y = value_y(c, c->values[i]);
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
        if (has_value(c, k)) {
            sum += log((double)c->values[k]);
            count++;
        }
    return count ? (float)exp(sum / count) : NAN;
}

/* ---------------------------------------------------------------- what the pointer is at */

/* The point that the pointer is nearest to, or the newest. c->points: there is none. */
static size_t chosen_point(const training_view *v, const curve *c)
{
    size_t best = c->points;
    float distance = INFINITY;
    for (size_t i = 0; i < c->points; i++) {
        if (!has_value(c, i))
            continue;
        float d = v->pointed ? fabsf(point_x(c, i) - v->pointer_x) : 0;
        if (d <= distance) {
            distance = d;
            best = i;
        }
    }
    return best;
}

/* A dot where it stands, and a text at the end of the title. */
static void draw_point(const training_view *v, viz_canvas *canvas, const training_plot *plot,
                       const curve *c, size_t i, float value, const char *text)
{
    float x = point_x(c, i), y = value_y(c, value), right = plot->title.x + plot->title.w;
    if (v->pointed)
        viz_fill(canvas, (viz_rect){floorf(x), c->frame.y, 1, c->frame.h}, canvas->theme->faint);
    viz_text(canvas, VIZ_MONO, VIZ_LABEL, right, plot->title.y + 12, VIZ_RIGHT, canvas->theme->text,
             text);
    viz_disc(canvas, x, y, 4.5f, canvas->theme->ground);
    viz_disc(canvas, x, y, 3, canvas->theme->accent);
}

/* The value and, where it is not the newest, its step. */
static void draw_chosen(const training_view *v, viz_canvas *canvas, const training_plot *plot,
                        const curve *c, size_t i, float value, const char *text)
{
    char line[64];
    snprintf(line, sizeof line, "%s", text);
    if (v->pointed)
        snprintf(line, sizeof line, "%s at %zu", text, c->at[i]);
    draw_point(v, canvas, plot, c, i, value, line);
}

/* ---------------------------------------------------------------- the two plots */

static void draw_title(viz_canvas *canvas, const training_plot *plot, const char *text)
{
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, plot->title.x, plot->title.y + 12,
                    plot->title.w - 100, VIZ_LEFT, canvas->theme->text2, viz_word(text));
}

/* Round numbers of the axis, a line at each; where it is short, at even steps by ratio too. */
static void draw_levels(viz_canvas *canvas, const training_plot *plot, const curve *c)
{
    const bool is_short = c->y.by_ratio && c->y.high < SHORT_RATIO * c->y.low;
    const viz_axis even = {c->y.low, c->y.high, false};
    const viz_ticks ticks = viz_axis_ticks(is_short ? &even : &c->y, c->frame.h, 24);
    for (int i = 0; i < ticks.count; i++)
        draw_level(canvas, plot, c, ticks.at[i], ticks.text[i]);
}

/* How many points before and after are joined to one, where there are so many. */
static size_t smoothing_reach(const curve *c)
{
    return c->points / 60;
}

/* A loss that is measured at every step: its points, faint, and their mean. */
static void draw_smoothed(viz_canvas *canvas, const curve *c)
{
    const size_t reach = smoothing_reach(c);
    draw_values(canvas, c, 1, reach ? canvas->theme->faint : canvas->theme->text);
    float x0 = 0, y0 = NAN;
    for (size_t i = 0; i < c->points && reach > 0; i++) {
        float x = point_x(c, i), y = smoothed(c, i, reach);
        y = isfinite(y) ? value_y(c, y) : NAN;
        if (isfinite(y0) && isfinite(y))
            viz_line(canvas, x0, y0, x, y, 1.5f, canvas->theme->text);
        x0 = x;
        y0 = y;
    }
}

static void draw_loss(training_view *v, viz_canvas *canvas, float end)
{
    const sac_training_snapshot *s = &v->state;
    const training_plot *plot = &v->layout.loss;
    curve c = {s->loss, s->at, s->points, {0, end, false}, {0.1f, 10, true}, plot->plot};
    char text[32];
    fit_axis(&c, NULL);
    draw_title(canvas, plot, N_("loss, logarithmic"));
    draw_levels(canvas, plot, &c);
    draw_smoothed(canvas, &c);
    size_t i = chosen_point(v, &c);
    if (i == c.points)
        return;
    float value = smoothed(&c, i, smoothing_reach(&c));
    snprintf(text, sizeof text, "%.3f", (double)value);
    draw_chosen(v, canvas, plot, &c, i, value, text);
}

/* Close to all values, so that a bend is seen. */
static void fit_closely(curve *c, const curve *other)
{
    float low = INFINITY, high = 0;
    extend_range(c, &low, &high);
    extend_range(other, &low, &high);
    fit_axis(c, other);
    const float step = high > low ? viz_round_step(high - low, 10) : 1;
    if (low >= step && high < SHORT_RATIO * low)
        c->y = (viz_axis){floorf(low / step) * step, ceilf(high / step) * step, true};
}

/* A piece of a curve, its name and its value, from x on; returns where the next one begins. */
static float draw_named_value(viz_canvas *canvas, const training_plot *plot, float x, bool dots,
                              const char *name, float value)
{
    const viz_theme *theme = canvas->theme;
    const float y = plot->title.y + 12;
    char text[32];
    viz_line(canvas, x + 1, y - 4, x + 15, y - 4, 1.5f, dots ? theme->text2 : theme->text);
    if (dots)
        viz_disc(canvas, x + 8, y - 4, 2.5f, theme->text2);
    x += 21;
    x += viz_text(canvas, VIZ_SANS, VIZ_LABEL, x, y, VIZ_LEFT, theme->text2, viz_word(name)) + 6;
    if (isfinite(value)) {
        snprintf(text, sizeof text, "%.3f", (double)value);
        x += viz_text(canvas, VIZ_MONO, VIZ_LABEL, x, y, VIZ_LEFT, theme->text, text);
    }
    return x + 18;
}

/* That of what is learnt and of what is held out, on one axis. */
static void draw_both_losses(training_view *v, viz_canvas *canvas, float end)
{
    const sac_training_snapshot *s = &v->state;
    const training_plot *plot = &v->layout.loss;
    curve c = {s->loss, s->at, s->points, {0, end, false}, {0.1f, 10, true}, plot->plot}, held = c;
    held.values = s->exact;
    fit_closely(&c, &held);
    held.y = c.y;
    draw_levels(canvas, plot, &c);
    draw_smoothed(canvas, &c);
    draw_values(canvas, &held, 1.5f, canvas->theme->text2);
    for (size_t i = 0; i < held.points; i++)
        if (has_value(&held, i))
            viz_disc(canvas, point_x(&held, i), value_y(&held, held.values[i]), 2.5f,
                     canvas->theme->text2);
    const size_t i = chosen_point(v, &c), k = chosen_point(v, &held);
    const float value = i < c.points ? smoothed(&c, i, smoothing_reach(&c)) : NAN;
    float x = draw_named_value(canvas, plot, plot->title.x, false, N_("loss"), value);
    x = draw_named_value(canvas, plot, x, true, N_("held-out loss"),
                         k < held.points ? held.values[k] : NAN);
    if (i == c.points)
        return;
    char text[32] = "";
    if (v->pointed &&
        viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, "at 00000") < plot->title.x + plot->title.w - x)
        snprintf(text, sizeof text, "at %zu", c.at[i]);
    draw_point(v, canvas, plot, &c, i, value, text);
}

/* In the place of the loss: the reward of samples, its baseline, and how many of 100 differ. */
static void draw_reward(training_view *v, viz_canvas *canvas, float end)
{
    const sac_training_snapshot *s = &v->state;
    const training_plot *plot = &v->layout.loss;
    const viz_color colors[SAC_TRAINING_REWARDS] = {canvas->theme->text, canvas->theme->text2,
                                                    canvas->theme->faint};
    curve c = {NULL, s->at, s->points, {0, end, false}, {0, 10, false}, plot->plot};
    char text[32];
    for (int k = 0; k < SAC_TRAINING_REWARDS; k++)
        for (size_t i = 0; i < s->points; i++)
            if (isfinite(s->reward[k][i]))
                c.y.high = fmaxf(c.y.high, s->reward[k][i]);
    c.y.high = viz_round_step(0.999f * c.y.high, 1);
    draw_title(canvas, plot, "reward, its baseline, % different");
    draw_levels(canvas, plot, &c);
    for (int k = SAC_TRAINING_REWARDS; k-- > 0;) {
        c.values = s->reward[k];
        draw_values(canvas, &c, 1.5f, colors[k]);
    }
    size_t i = chosen_point(v, &c);
    if (i == c.points)
        return;
    snprintf(text, sizeof text, "%.1f", (double)c.values[i]);
    draw_chosen(v, canvas, plot, &c, i, c.values[i], text);
}

static void draw_exact(training_view *v, viz_canvas *canvas, float end)
{
    const sac_training_snapshot *s = &v->state;
    const training_plot *plot = &v->layout.exact;
    curve c = {s->exact, s->at, s->points, {0, end, false}, {0, 1, false}, plot->plot};
    char text[32];
    bool reads = v->state.pictures > 0 && !v->state.picture[0].image.rgba;
    float high = 0;
    for (size_t i = 0; s->figure && i < s->points; i++)
        high = has_value(&c, i) ? fmaxf(high, s->exact[i]) : high;
    if (high > 0) /* a figure has no most */
        c.y.high = viz_round_step(1.001f * high, 1);
    if (s->figure) {
        snprintf(text, sizeof text, viz_word("%s × 100"), s->figure);
        viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, plot->title.x, plot->title.y + 12,
                        plot->title.w - 100, VIZ_LEFT, canvas->theme->text2, text);
    } else {
        draw_title(canvas, plot, reads ? "sentences exactly right" : "captions exactly right");
    }
    for (int i = 0; i <= 2; i++) {
        const float level = c.y.high * (float)i / 2;
        snprintf(text, sizeof text, "%g", 100 * (double)level);
        draw_level(canvas, plot, &c, level, text);
    }
    draw_values(canvas, &c, 1.5f, canvas->theme->text);
    size_t i = chosen_point(v, &c);
    if (i == c.points) {
        if (s->step > 0)
            viz_text(canvas, VIZ_SANS, VIZ_LABEL, plot->title.x + plot->title.w, plot->title.y + 12,
                     VIZ_RIGHT, canvas->theme->faint, viz_word("not measured yet"));
        return;
    }
    snprintf(text, sizeof text, s->figure ? "%.1f" : "%.0f %%", 100 * (double)c.values[i]);
    draw_chosen(v, canvas, plot, &c, i, c.values[i], text);
}

/* ---------------------------------------------------------------- scores of heads */

/* The axis of steps ends at a round number ahead of what is done, at last with the training. */
static float steps_end(const sac_training_snapshot *s)
{
    float end = viz_round_step(fmaxf(1.15f * (float)s->step, 20), 1);
    return s->steps > 0 && end > 0.7f * (float)s->steps ? fmaxf((float)s->steps, 1) : end;
}

float training_step_at(const training_view *v, float x)
{
    const viz_rect r = v->layout.loss.plot;
    return fminf(fmaxf((x - r.x) / r.w, 0), 1) * steps_end(&v->state);
}

size_t training_heads_point(const sac_training_heads *h, float step)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < h->points; i++)
        if (best == SIZE_MAX || fabsf((float)h->at[i] - step) < fabsf((float)h->at[best] - step))
            best = i;
    return best;
}

size_t training_heads_point_read(const training_view *v)
{
    const sac_training_heads *h = &v->state.heads;
    const float shown = v->heads.at ? (float)v->heads.at : INFINITY;
    if (v->pointed)
        return training_heads_point(h, training_step_at(v, v->pointer_x));
    return isfinite(shown) ? training_heads_point(h, shown) : h->points - 1;
}

/* The score of a head over the steps. */
static void draw_score(viz_canvas *canvas, const curve *c, const sac_training_heads *h, size_t head,
                       int kind, float thickness, viz_color color)
{
    const float least = 3; /* from point to point */
    float x0 = 0, y0 = 0;
    for (size_t i = 0; i < h->points; i++) {
        const float x = viz_axis_x(&c->x, c->frame, (float)h->at[i]),
                    y = value_y(c, sac_training_head_score(h, i, head, kind));
        if (i && x - x0 < least && i + 1 < h->points)
            continue;
        if (i)
            viz_line(canvas, x0, y0, x, y, thickness, color);
        x0 = x;
        y0 = y;
    }
}

/* "induction 1.3  0.97" for each kind: of the chosen head, else of the best one. */
static void draw_legend(const training_view *v, viz_canvas *canvas)
{
    const sac_training_heads *h = &v->state.heads;
    const size_t point = training_heads_point_read(v);
    for (int k = 0; k < SAC_TRAINING_KINDS; k++) {
        const viz_rect r = v->layout.legend[k];
        const viz_color color = viz_kind_color(canvas->theme, sac_training_kinds[k]);
        const size_t head = v->heads.chosen >= 0 ? training_chosen_head(v)
                                                 : sac_training_best_head(h, h->points - 1, k);
        char name[80], number[16];
        if (!(r.w > 0))
            continue;
        snprintf(name, sizeof name, "%s  %zu.%zu", viz_word(sac_training_kind_names[k]),
                 head / h->heads, head % h->heads);
        snprintf(number, sizeof number, "%.2f", (double)sac_training_head_score(h, point, head, k));
        const float wide = viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, number);
        if (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, name) > r.w - 16 - wide - 6)
            snprintf(name, sizeof name, "%s", viz_word(sac_training_kind_names[k]));
        viz_fill_round(canvas, (viz_rect){r.x, r.y + 3, 10, 10}, 2, color);
        const float end =
            viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, r.x + 16, r.y + 12, r.w - 16 - wide - 6,
                            VIZ_LEFT, canvas->theme->text2, name);
        viz_text(canvas, VIZ_MONO, VIZ_LABEL, r.x + 16 + end + 6, r.y + 12, VIZ_LEFT,
                 canvas->theme->text, number);
    }
}

/* A third of a colour on the ground, opaque: lines that overlap are no darker. */
static viz_color fade_color(const viz_theme *theme, viz_color color)
{
    const viz_color g = theme->ground;
    return (viz_color){(uint8_t)((2 * g.r + color.r) / 3), (uint8_t)((2 * g.g + color.g) / 3),
                       (uint8_t)((2 * g.b + color.b) / 3), 255};
}

/* Every head in the colour of what it does most, thin; over them the best head of each kind, or the chosen one with
 * all of its scores. */
static void draw_scores(training_view *v, viz_canvas *canvas, float end)
{
    enum { DRAWN = 144 /* heads; more are no lines any more */ };
    const sac_training_heads *h = &v->state.heads;
    const training_plot *plot = &v->layout.scores;
    const curve c = {NULL, h->at, h->points, {0, end, false}, {0, 1, false}, plot->plot};
    if (!(plot->plot.w > 0) || !h->points)
        return;
    for (int i = 0; i <= 2; i++)
        draw_level(canvas, plot, &c, 0.5f * (float)i, i == 0 ? "0" : i == 1 ? "0.5" : "1");
    const size_t heads = h->layers * h->heads;
    for (size_t i = 0; i < heads && heads <= DRAWN; i++) {
        int most = 0;
        for (int k = 1; k < SAC_TRAINING_KINDS; k++)
            if (sac_training_head_score(h, h->points - 1, i, k) >
                sac_training_head_score(h, h->points - 1, i, most))
                most = k;
        draw_score(
            canvas, &c, h, i, most, 1,
            fade_color(canvas->theme, viz_kind_color(canvas->theme, sac_training_kinds[most])));
    }
    for (int k = SAC_TRAINING_KINDS; k-- > 0;) {
        const size_t head = v->heads.chosen >= 0 ? training_chosen_head(v)
                                                 : sac_training_best_head(h, h->points - 1, k);
        draw_score(canvas, &c, h, head, k, 2, viz_kind_color(canvas->theme, sac_training_kinds[k]));
    }
    draw_legend(v, canvas);
}

/* Where A and B are, through all curves; A alone where it is not the newest. */
static void draw_shown_steps(const training_view *v, viz_canvas *canvas, float end)
{
    const viz_rect upper = v->layout.loss.plot, lower = v->layout.scores.plot;
    const viz_axis steps = {0, end, false};
    const bool compares = v->heads.beside > 0;
    for (int i = 0; i < 2; i++) {
        const size_t step = v->heads.step[i];
        if (!step || (i ? !compares : !compares && !v->heads.at) || canvas->figure)
            continue;
        const float x = viz_axis_x(&steps, upper, (float)step);
        const viz_color color = i ? canvas->theme->text2 : canvas->theme->accent;
        viz_fill(canvas, (viz_rect){floorf(x), upper.y, 1, upper.h}, color);
        if (lower.w > 0)
            viz_fill(canvas, (viz_rect){floorf(x), lower.y, 1, lower.h}, color);
        if (compares)
            viz_text(canvas, VIZ_SANS_BOLD, 11, x + (x > upper.x + upper.w - 14 ? -5 : 5),
                     upper.y + 10, x > upper.x + upper.w - 14 ? VIZ_RIGHT : VIZ_LEFT, color,
                     i ? "B" : "A");
    }
}

/* ---------------------------------------------------------------- all curves */

void training_draw_curves(training_view *v, viz_canvas *canvas)
{
    const training_layout *l = &v->layout;
    const sac_training_snapshot *s = &v->state;
    const float end = steps_end(s);
    if (!(l->loss.plot.w > 0) || !(l->loss.plot.h > 20))
        return;
    if (s->writes) {
        draw_both_losses(v, canvas, end);
        draw_scores(v, canvas, end);
        draw_shown_steps(v, canvas, end);
    } else {
        (s->reward[0] ? draw_reward : draw_loss)(v, canvas, end);
        draw_exact(v, canvas, end);
    }
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

float training_last_exact(const sac_training_snapshot *s, size_t *step)
{
    for (size_t i = s->points; i-- > 0;)
        if (isfinite(s->exact[i])) {
            *step = s->at[i];
            return s->exact[i];
        }
    *step = 0;
    return NAN;
}
