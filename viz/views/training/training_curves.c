/* The curves of the training view: the loss by its logarithm, and the share of captions that are
 * right, over the steps. */
#include <math.h>
#include <stdio.h>

#include "canvas/text.h"
#include "training/training_state.h"

/* A curve and its axes. Values are drawn at `place`: 0 at the bottom, 1 at the top. */
typedef struct curve {
    const float *values; /* [points]; what is not finite is left out */
    const size_t *at;
    size_t points;
    double last_step; /* at the right edge */
    float low, high;
    bool logarithmic;
} curve;

static bool has(const curve *c, size_t i)
{
    return isfinite(c->values[i]) && (!c->logarithmic || c->values[i] > 0);
}

static float place(const curve *c, float value)
{
    float t = c->logarithmic ? logf(value / c->low) / logf(c->high / c->low)
                             : (value - c->low) / (c->high - c->low);
    return t > 0 ? t < 1 ? t : 1 : 0;
}

static float x_of(const curve *c, viz_rect r, double step)
{
    return r.x + r.w * (float)(step / c->last_step);
}

static float y_of(const curve *c, viz_rect r, float value)
{
    return r.y + r.h * (1 - place(c, value));
}

/* ---------------------------------------------------------------- axes */

/* The numbers 1, 2 and 5 times powers of ten: the `index`th from 1 on. */
static double round_number(int index)
{
    static const double mantissa[] = {1, 2, 5};
    int decade = (int)floor(index / 3.0);
    return mantissa[index - 3 * decade] * pow(10, decade);
}

/* The largest that is not above `value`. */
static int round_index(double value)
{
    int index = 3 * (int)floor(log10(value)) - 1;
    while (round_number(index + 1) <= value * (1 + 1e-9))
        index++;
    return index;
}

/* The axis of steps ends at a round number ahead of what is done, at last with the training. */
static double last_step(const sac_training_snapshot *s)
{
    double reach = fmax(1.15 * (double)s->step, 20);
    int index = round_index(reach);
    double end = round_number(index) < reach ? round_number(index + 1) : round_number(index);
    return s->steps > 0 && end > 0.7 * (double)s->steps ? fmax((double)s->steps, 1) : end;
}

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
    int first = round_index((double)low), last = round_index((double)high) + 1;
    last = last - first < 2 ? first + 2 : last;
    c->low = (float)round_number(first);
    c->high = (float)round_number(last);
}

static void draw_level(viz_canvas *canvas, const training_plot *plot, const curve *c, float value,
                       const char *text)
{
    float y = y_of(c, plot->plot, value);
    viz_fill(canvas, (viz_rect){plot->plot.x, floorf(y), plot->plot.w, 1}, canvas->theme->line);
    viz_text(canvas, VIZ_MONO, 11, plot->numbers.x + plot->numbers.w, y + 4, VIZ_RIGHT,
             canvas->theme->text2, text);
}

/* Every round number, or only powers of ten where those would crowd. */
static void draw_levels(viz_canvas *canvas, const training_plot *plot, const curve *c)
{
    char text[32];
    int first = round_index((double)c->low), last = round_index((double)c->high);
    float room = plot->plot.h / (float)(last - first > 0 ? last - first : 1);
    for (int i = first; i <= last; i++) {
        if (room < 16 && i % 3 != 0)
            continue;
        snprintf(text, sizeof text, "%.4g", round_number(i));
        draw_level(canvas, plot, c, (float)round_number(i), text);
    }
}

/* Writes as many round step numbers as fit below the curves. */
static void draw_steps(viz_canvas *canvas, viz_rect r, double end)
{
    char text[32];
    snprintf(text, sizeof text, "%.0f", end);
    float widest = viz_text_width(canvas, VIZ_MONO, 11, text) + 36;
    double least = fmax(end * (double)widest / (double)r.w, 1), step;
    int index = round_index(least);
    step = round_number(round_number(index) < 0.999 * least ? index + 1 : index);
    for (double at = 0; at <= end * (1 + 1e-9); at += step) {
        snprintf(text, sizeof text, "%.0f", at);
        float w = viz_text_width(canvas, VIZ_MONO, 11, text), x = r.x + r.w * (float)(at / end);
        x = at == 0 ? r.x : fminf(x - w / 2, r.x + r.w - w);
        viz_text(canvas, VIZ_MONO, 11, x, r.y + 10, VIZ_LEFT, canvas->theme->text2, text);
    }
}

/* ---------------------------------------------------------------- lines */

static void draw_values(viz_canvas *canvas, viz_rect r, const curve *c, float thickness,
                        viz_color color)
{
    float x0 = 0, y0 = 0;
    bool begun = false;
    for (size_t i = 0; i < c->points; i++) {
        if (!has(c, i))
            continue;
        float x = x_of(c, r, (double)c->at[i]), y = y_of(c, r, c->values[i]);
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

static void draw_smooth(viz_canvas *canvas, viz_rect r, const curve *c, size_t reach,
                        viz_color color)
{
    float x0 = 0, y0 = NAN;
    for (size_t i = 0; i < c->points; i++) {
        float x = x_of(c, r, (double)c->at[i]), y = y_of(c, r, smoothed(c, i, reach));
        if (isfinite(y0) && isfinite(y))
            viz_line(canvas, x0, y0, x, y, 1.5f, color);
        x0 = x;
        y0 = y;
    }
}

/* ---------------------------------------------------------------- what the pointer is at */

/* The point that the pointer is nearest to, or the newest. c->points: there is none. */
static size_t chosen(const training_view *v, viz_rect r, const curve *c)
{
    size_t best = c->points;
    float distance = INFINITY;
    for (size_t i = 0; i < c->points; i++) {
        if (!has(c, i))
            continue;
        float d = v->pointed ? fabsf(x_of(c, r, (double)c->at[i]) - v->pointer_x) : 0;
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
    viz_rect r = plot->plot;
    float x = x_of(c, r, (double)c->at[i]), right = plot->title.x + plot->title.w;
    char line[64];
    if (v->pointed) {
        snprintf(line, sizeof line, "%s at %zu", text, c->at[i]);
        viz_fill(canvas, (viz_rect){floorf(x), r.y, 1, r.h}, canvas->theme->faint);
    } else {
        snprintf(line, sizeof line, "%s", text);
    }
    viz_text(canvas, VIZ_MONO, VIZ_LABEL, right, plot->title.y + 12, VIZ_RIGHT, canvas->theme->text,
             line);
    viz_disc(canvas, x, y_of(c, r, value), 4.5f, canvas->theme->ground);
    viz_disc(canvas, x, y_of(c, r, value), 3, canvas->theme->accent);
}

/* ---------------------------------------------------------------- the two plots */

static void draw_title(viz_canvas *canvas, const training_plot *plot, const char *text)
{
    char fit[64];
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, plot->title.w - 100, text, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, plot->title.x, plot->title.y + 12, VIZ_LEFT,
             canvas->theme->text2, fit);
}

static void draw_loss(training_view *v, viz_canvas *canvas, double end)
{
    const sac_training_snapshot *s = &v->state;
    const training_plot *plot = &v->layout.loss;
    curve c = {s->loss, s->at, s->points, end, 0.1f, 10, true};
    size_t reach = s->points / 60;
    char text[32];
    fit_axis(&c);
    draw_title(canvas, plot, "loss");
    draw_levels(canvas, plot, &c);
    draw_values(canvas, plot->plot, &c, 1, reach ? canvas->theme->faint : canvas->theme->text);
    if (reach > 0)
        draw_smooth(canvas, plot->plot, &c, reach, canvas->theme->text);
    size_t i = chosen(v, plot->plot, &c);
    if (i == c.points)
        return;
    float value = smoothed(&c, i, reach);
    snprintf(text, sizeof text, "%.3f", (double)value);
    draw_chosen(v, canvas, plot, &c, i, value, text);
}

static void draw_exact(training_view *v, viz_canvas *canvas, double end)
{
    const sac_training_snapshot *s = &v->state;
    const training_plot *plot = &v->layout.exact;
    curve c = {s->exact, s->at, s->points, end, 0, 1, false};
    char text[32];
    bool reads = v->state.pictures > 0 && !v->state.picture[0].image.rgba;
    draw_title(canvas, plot, reads ? "sentences exactly right" : "captions exactly right");
    draw_level(canvas, plot, &c, 0, "0");
    draw_level(canvas, plot, &c, 0.5f, "50");
    draw_level(canvas, plot, &c, 1, "100");
    draw_values(canvas, plot->plot, &c, 1.5f, canvas->theme->text);
    size_t i = chosen(v, plot->plot, &c);
    if (i == c.points) {
        if (s->step > 0)
            viz_text(canvas, VIZ_SANS, VIZ_LABEL, plot->title.x + plot->title.w, plot->title.y + 12,
                     VIZ_RIGHT, canvas->theme->faint, "not measured yet");
        return;
    }
    snprintf(text, sizeof text, "%.0f %%", 100 * (double)c.values[i]);
    draw_chosen(v, canvas, plot, &c, i, c.values[i], text);
}

void training_draw_curves(training_view *v, viz_canvas *canvas)
{
    const training_layout *l = &v->layout;
    double end = last_step(&v->state);
    if (!(l->loss.plot.w > 0) || !(l->loss.plot.h > 20))
        return;
    draw_loss(v, canvas, end);
    draw_exact(v, canvas, end);
    for (int i = 0; i < 2; i++)
        if (l->steps[i].w > 0)
            draw_steps(canvas, l->steps[i], end);
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
