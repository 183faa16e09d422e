/* Chips, sliders, bars, notes: their layout and drawing. */

#include "parts/controls/widgets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "canvas/recording.h"
#include "canvas/tiles.h"
#include "view/words.h"

char *viz_number(float value, char *text, size_t size)
{
    float a = fabsf(value);
    if (value == 0 || (a >= 1 && value == floorf(value) && a < 1e6f))
        snprintf(text, size, "%.0f", (double)value);
    else if (a >= 1e-3f && a < 1e6f)
        snprintf(text, size, a < 1 ? "%.4f" : "%.2f", (double)value);
    else
        snprintf(text, size, "%.1e", (double)value);
    return text;
}

char *viz_signed_number(float value, char *text, size_t size)
{
    char number[32];
    snprintf(text, size, "%s%s",
             value > 0   ? "+"
             : value < 0 ? "−"
                         : "",
             viz_number(fabsf(value), number, sizeof number));
    return text;
}

char *viz_percent(float share, char *text, size_t size)
{
    snprintf(text, size, share < 0.0995f ? "%.1f %%" : "%.0f %%", 100 * (double)share);
    return text;
}

char *viz_quoted(const char *token, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "“");
    for (; *token && used + 8 < size; token++)
        used += (size_t)snprintf(text + used, size - used, *token == '\n' ? "↵" : "%c", *token);
    snprintf(text + used, size - used, "”");
    return text;
}

/* ---------------------------------------------------------------- slider */

#define KNOB 7.0f
#define TRACK_Y 26.0f /* the track's middle below the top */

float viz_slider_knob_x(const viz_slider *s, float value)
{
    float t = s->logarithmic ? logf(value / s->low) / logf(s->high / s->low)
                             : (value - s->low) / (s->high - s->low);
    return s->rect.x + fminf(fmaxf(t, 0), 1) * s->rect.w;
}

void viz_slider_draw(viz_canvas *canvas, const viz_slider *s, float value, const char *value_text)
{
    const viz_theme *theme = canvas->theme;
    float knob = viz_slider_knob_x(s, value), y = s->rect.y + TRACK_Y;
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, s->rect.x, s->rect.y + 11, VIZ_LEFT,
             s->idle ? theme->faint : theme->text2, viz_word(s->label));
    viz_text(canvas, VIZ_MONO, VIZ_LABEL, s->rect.x + s->rect.w, s->rect.y + 11, VIZ_RIGHT,
             s->idle ? theme->faint : theme->text, value_text);
    viz_fill_round(canvas, (viz_rect){s->rect.x, y - 2, s->rect.w, 4}, 2, theme->line);
    if (!s->idle)
        viz_fill_round(canvas, (viz_rect){s->rect.x, y - 2, knob - s->rect.x, 4}, 2, theme->accent);
    viz_disc(canvas, knob, y, KNOB + 1, viz_with_alpha(theme->text2, 0.5f)); /* an edge on white */
    viz_disc(canvas, knob, y, KNOB, s->idle ? theme->faint : theme->pale);
}

bool viz_slider_hit(const viz_slider *s, float x, float y)
{
    viz_rect reach = {s->rect.x - KNOB, s->rect.y, s->rect.w + 2 * KNOB, s->rect.h};
    return viz_inside(reach, x, y);
}

float viz_slider_value(const viz_slider *s, float x)
{
    float t = (x - s->rect.x) / s->rect.w;
    t = t > 0 ? t < 1 ? t : 1 : 0;
    return s->logarithmic ? s->low * powf(s->high / s->low, t) : s->low + t * (s->high - s->low);
}

/* ---------------------------------------------------------------- choices */

#define CHIP_TEXT 13.0f
#define CHIP_PADDING 11.0f
static const char dot[] = " · ";

/* Places an item of `width` behind the one before, or on the next line. */
static viz_rect place_in_flow(float *x, float *y, viz_rect room, float width, float height,
                              float line)
{
    if (*x > room.x && *x + width > room.x + room.w + 0.5f) {
        *x = room.x;
        *y += line;
    }
    viz_rect item = {*x, *y, width, height};
    *x += width;
    return item;
}

static void widen(viz_rect *all, viz_rect item)
{
    all->w = fmaxf(all->w, item.x + item.w - all->x);
    all->h = fmaxf(all->h, item.y + item.h - all->y);
}

/* Into how many rows of that width they flow. */
static int count_rows(const float *widths, int count, float width)
{
    float x = 0;
    int rows = 1;
    for (int i = 0; i < count; i++) {
        if (x > 0 && x + widths[i] > width) {
            rows++;
            x = 0;
        }
        x += widths[i] + VIZ_GAP;
    }
    return rows;
}

/* In as few rows as they need, of about the same width, so that none wraps alone. */
viz_choices viz_chips_layout(const viz_canvas *canvas, float x, float y, float width,
                             const char *const *names, int count)
{
    viz_choices c = {.count = count, .rect = {x, y, 0, VIZ_CHIP_HEIGHT}};
    float widths[VIZ_MAX_CHOICES];
    for (int i = 0; i < count; i++) {
        c.names[i] = viz_word(names[i]);
        /* Measured bold, so that choosing one moves nothing. */
        widths[i] = viz_text_width(canvas, VIZ_SANS_BOLD, CHIP_TEXT, c.names[i]) + 2 * CHIP_PADDING;
    }
    int rows = count_rows(widths, count, width);
    while (rows > 1 && rows < count && count_rows(widths, count, width - VIZ_GAP) == rows)
        width -= VIZ_GAP;
    viz_rect room = {x, y, width, 0};
    for (int i = 0; i < count; i++) {
        c.items[i] =
            place_in_flow(&x, &y, room, widths[i], VIZ_CHIP_HEIGHT, VIZ_CHIP_HEIGHT + VIZ_GAP);
        x += VIZ_GAP;
        widen(&c.rect, c.items[i]);
    }
    return c;
}

void viz_chips_draw(viz_canvas *canvas, const viz_choices *c, int current)
{
    const viz_theme *theme = canvas->theme;
    for (int i = 0; i < c->count; i++) {
        viz_rect r = c->items[i];
        bool lit = i == current;
        viz_fill_round(canvas, r, 5, lit ? theme->accent : theme->panel);
        viz_text(canvas, lit ? VIZ_SANS_BOLD : VIZ_SANS, CHIP_TEXT, r.x + r.w / 2, r.y + 17.5f,
                 VIZ_CENTER, lit ? theme->on_accent : theme->text2, c->names[i]);
    }
}

viz_choices viz_words_layout(const viz_canvas *canvas, float x, float y, float width,
                             const char *label, const char *const *names, int count)
{
    viz_choices c = {.count = count, .label = viz_word(label), .rect = {x, y, 0, VIZ_WORDS_HEIGHT}};
    viz_rect room = {x, y, width, 0};
    float dots = viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, dot);
    if (label)
        x += viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, c.label) + 6;
    for (int i = 0; i < count; i++) {
        if (!(c.names[i] = viz_word(names[i])))
            continue;
        if (c.rect.w > 0)
            x += dots;
        float w = viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, c.names[i]);
        c.items[i] = place_in_flow(&x, &y, room, w, VIZ_WORDS_HEIGHT, VIZ_WORDS_HEIGHT);
        widen(&c.rect, c.items[i]);
    }
    return c;
}

void viz_words_draw(viz_canvas *canvas, const viz_choices *c, int current)
{
    const viz_theme *theme = canvas->theme;
    if (c->label)
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, c->rect.x, c->rect.y + 14, VIZ_LEFT, theme->text2,
                 c->label);
    int last = c->count - 1;
    while (last > 0 && !c->names[last])
        last--;
    for (int i = 0; i <= last; i++) {
        viz_rect r = c->items[i];
        if (!c->names[i]) /* it is not there now */
            continue;
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x, r.y + 14, VIZ_LEFT,
                 i == current ? theme->text : theme->text2, c->names[i]);
        if (i < last)
            viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x + r.w, r.y + 14, VIZ_LEFT, theme->text2, dot);
    }
}

int viz_choices_hit(const viz_choices *c, float x, float y)
{
    for (int i = 0; i < c->count; i++)
        if (viz_inside(c->items[i], x, y))
            return i;
    return -1;
}

/* ---------------------------------------------------------------- colour bar */

#define STRIPE 10.0f
#define MAX_TICKS 16

typedef struct bar_tick {
    float place; /* 0 … 1 along the bar */
    char text[32];
} bar_tick;

/* A number for the bar, which is narrow: three digits, no zeros at the end. */
static char *short_number(float value, char *text, size_t size)
{
    snprintf(text, size, "%.3g", (double)value);
    return text;
}

static void add_tick(bar_tick *ticks, int *count, const viz_scale *scale, float weight)
{
    float place = viz_scale_at(scale, weight);
    if (*count < MAX_TICKS && place > 0 && place < 1) {
        ticks[*count].place = place;
        short_number(weight, ticks[*count].text, sizeof ticks->text);
        ++*count;
    }
}

/* Round numbers between the ends: decades, or steps of 1, 2 or 5 of which two to five fit. */
static int middle_ticks(const viz_scale *scale, bar_tick *ticks)
{
    int count = 0;
    float low = scale->about_zero ? -scale->high : scale->low, range = scale->high - low;
    if (scale->kind == VIZ_LOG && scale->about_zero) {
        add_tick(ticks, &count, scale, 0);
        for (float w = scale->high / 10; w > 2 * scale->low; w /= 10) {
            add_tick(ticks, &count, scale, -w);
            add_tick(ticks, &count, scale, w);
        }
        return count;
    }
    if (scale->kind == VIZ_LOG) {
        for (float w = powf(10, ceilf(log10f(scale->low))); w < scale->high; w *= 10)
            add_tick(ticks, &count, scale, w);
        return count;
    }
    if (!(range > 0))
        return 0;
    float step = powf(10, floorf(log10f(range)));
    step = range / step >= 5 ? 2 * step : range / step >= 2 ? step : step / 2;
    for (float w = ceilf(low / step) * step; w < scale->high - step / 4; w += step)
        add_tick(ticks, &count, scale, fabsf(w) < step / 4 ? 0 : w);
    return count;
}

/* The stretch of the line of numbers that is taken so far. */
typedef struct taken_room {
    float from[MAX_TICKS + 3], to[MAX_TICKS + 3];
    int count;
} taken_room;

/* True where [x, x + w] is free; else *x is moved beside what stands there. */
static bool is_free_else_move_x(const taken_room *taken, float *x, float w)
{
    float gap = 12;
    for (int i = 0; i < taken->count; i++)
        if (*x<taken->to[i] + gap && * x + w + gap> taken->from[i]) {
            bool last = taken->to[i] > taken->to[0]; /* the first stands at the left end */
            *x = last ? taken->from[i] - gap - w : taken->to[i] + gap;
            return false;
        }
    return true;
}

/* Writes a number under its place, kept inside the bar. Where another one stands it moves aside if
 * it `must` be seen, and is left out if not. */
static void put_number(viz_canvas *canvas, viz_rect bar, float place, const char *text, bool must,
                       viz_color color, taken_room *taken)
{
    float w = viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, text);
    float x = bar.x + place * bar.w - w / 2;
    x = fmaxf(bar.x, fminf(x, bar.x + bar.w - w));
    if (!is_free_else_move_x(taken, &x, w) && (!must || !is_free_else_move_x(taken, &x, w)))
        return;
    taken->from[taken->count] = x;
    taken->to[taken->count++] = x + w;
    viz_text(canvas, VIZ_MONO, VIZ_LABEL, x, bar.y + 28, VIZ_LEFT, color, text);
}

static void draw_stripe(viz_canvas *canvas, viz_rect bar, const viz_color *colors)
{
    viz_pixels p = viz_to_pixels(canvas, bar);
    if (viz_is_noting(canvas))
        viz_note(canvas, p, viz_hash(viz_hash(1, colors, 256 * sizeof *colors), &p, sizeof p));
    VIZ_EACH_PART(canvas, p)
    for (int x = canvas->part.x0; x < canvas->part.x1; x++) {
        viz_color color = colors[256 * (x - p.x0) / (p.x1 - p.x0)];
        for (int y = canvas->part.y0; y < canvas->part.y1; y++)
            viz_blend(canvas, x, y, color, 1);
    }
    viz_record_pixels(canvas, p);
}

void viz_bar_draw(viz_canvas *canvas, viz_rect rect, const viz_color *colors,
                  const viz_scale *scale, float uniform, const char *name)
{
    const viz_theme *theme = canvas->theme;
    viz_rect bar = {rect.x, rect.y, rect.w, STRIPE};
    char low[32], high[32], mark[48], number[32];
    bar_tick ticks[MAX_TICKS];
    taken_room taken = {0};
    draw_stripe(canvas, bar, colors);
    float least = scale->about_zero ? -scale->high : scale->low;
    put_number(canvas, bar, 0, short_number(least, low, sizeof low), true, theme->text2, &taken);
    put_number(canvas, bar, 1, short_number(scale->high, high, sizeof high), true, theme->text2,
               &taken);
    if (uniform > 0) {
        float place = viz_scale_at(scale, uniform);
        /* The mark stands out on every colour: pale with dark edges. */
        float x = fmaxf(bar.x + 2, fminf(bar.x + place * bar.w, bar.x + bar.w - 2));
        viz_fill(canvas, (viz_rect){x - 2, bar.y, 4, bar.h}, (viz_color){0, 0, 0, 150});
        viz_fill(canvas, (viz_rect){x - 1, bar.y, 2, bar.h}, canvas->theme->pale);
        snprintf(mark, sizeof mark, "1/N %s", short_number(uniform, number, sizeof number));
        put_number(canvas, bar, place, mark, true, theme->text, &taken);
    }
    int count = middle_ticks(scale, ticks);
    for (int i = 0; i < count; i++)
        put_number(canvas, bar, ticks[i].place, ticks[i].text, false, theme->text2, &taken);
    if (!name || rect.h < VIZ_BAR_NAMED_HEIGHT)
        return;
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, rect.x, rect.y + 46, rect.w, VIZ_LEFT,
                    theme->text2, viz_word(name));
}

/* ---------------------------------------------------------------- legends of samples */

#define SAMPLE 22.0f
#define SAMPLE_GAP 14.0f

static float sample_width(const viz_canvas *canvas, const char *text)
{
    return SAMPLE + 6 + viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, text);
}

/* Two samples with their texts, beside each other where they fit, else below each other. */
static void lay_and_label_samples(viz_canvas *canvas, viz_rect rect, const char *const texts[2],
                                  viz_rect samples[2])
{
    float beside = sample_width(canvas, texts[0]) + SAMPLE_GAP;
    bool fits = beside + sample_width(canvas, texts[1]) <= rect.w;
    samples[0] = (viz_rect){rect.x, rect.y + 1, SAMPLE, 12};
    samples[1] = (viz_rect){rect.x + (fits ? beside : 0), rect.y + 1 + (fits ? 0 : 18), SAMPLE, 12};
    for (int i = 0; i < 2; i++)
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, samples[i].x + SAMPLE + 6, samples[i].y + 10,
                 VIZ_LEFT, canvas->theme->text2, texts[i]);
}

static void draw_light_legend(viz_canvas *canvas, viz_rect rect, float brightness, float uniform)
{
    viz_rect samples[2];
    char number[32], dim[64], lit[64];
    snprintf(dim, sizeof dim, viz_word("dimmed: at most 1/N = %s"),
             short_number(uniform, number, sizeof number));
    snprintf(lit, sizeof lit, viz_word("own colours: at least 4/N = %s"),
             short_number(VIZ_FULL_WEIGHT * uniform, number, sizeof number));
    lay_and_label_samples(canvas, rect, (const char *const[]){dim, lit}, samples);
    viz_light_sample(canvas, samples[0], brightness, false);
    viz_light_sample(canvas, samples[1], brightness, true);
}

void viz_heat_bar_draw(viz_canvas *canvas, viz_rect rect, const viz_heat_style *style,
                       float uniform, const char *name)
{
    viz_rect samples[2];
    if (style->overlay == VIZ_CONTOUR) {
        lay_and_label_samples(
            canvas, rect, (const char *const[]){"50 %", viz_word("90 % of the weight")}, samples);
        viz_contour_sample(canvas, samples[0], VIZ_CONTOUR_HALF);
        viz_contour_sample(canvas, samples[1], VIZ_CONTOUR_MOST);
    } else if (style->overlay == VIZ_LIGHT && style->map != VIZ_DIVERGING && uniform > 0)
        draw_light_legend(canvas, rect, style->brightness, uniform);
    else
        viz_bar_draw(canvas, rect, viz_heat_colors(canvas->theme, style->map), &style->scale,
                     uniform, name);
}

void viz_named_bar_draw(viz_canvas *canvas, viz_rect line, float names, const char *name,
                        viz_color name_color, float length, viz_color color, const char *number)
{
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, line.x + names, line.y + 14, names, VIZ_RIGHT,
                    name_color, name);
    if (length >= 0)
        viz_fill(canvas, (viz_rect){line.x + names + VIZ_GAP, line.y + 5, fmaxf(1, length), 10},
                 color);
    if (number)
        viz_text(canvas, VIZ_MONO, VIZ_LABEL, line.x + line.w, line.y + 14, VIZ_RIGHT,
                 canvas->theme->text, number);
}

/* ---------------------------------------------------------------- key caps */

#define CAP_TEXT 11.0f
#define CAP_GAP 3.0f

static float cap_width(const viz_canvas *canvas, const char *key)
{
    return fmaxf(viz_text_width(canvas, VIZ_SANS, CAP_TEXT, viz_word(key)) + 12, 18);
}

/* The text of the first key of "N  P"; `rest` is what follows, NULL at the end. */
static const char *first_key(const char *keys, char *text, size_t size, const char **rest)
{
    const char *end = strstr(keys, "  ");
    snprintf(text, size, "%.*s", end ? (int)(end - keys) : (int)strlen(keys), keys);
    *rest = end ? end + 2 : NULL;
    return text;
}

float viz_cap_width(const viz_canvas *canvas, const char *keys)
{
    char text[32];
    float w = -CAP_GAP;
    while (keys)
        w += CAP_GAP + cap_width(canvas, first_key(keys, text, sizeof text, &keys));
    return w;
}

float viz_cap_draw(viz_canvas *canvas, float x, float y, const char *keys)
{
    char text[32];
    float left = x;
    while (keys) {
        const char *key = viz_word(first_key(keys, text, sizeof text, &keys));
        float w = cap_width(canvas, text);
        viz_frame_round(canvas, (viz_rect){x, y + 2, w, 16}, 4, 1, canvas->theme->faint);
        viz_text(canvas, VIZ_SANS, CAP_TEXT, x + w / 2, y + 14, VIZ_CENTER, canvas->theme->text,
                 key);
        x += w + CAP_GAP;
    }
    return x - CAP_GAP - left;
}

viz_caps viz_caps_layout_shown(const viz_canvas *canvas, float right, float y, float width,
                               const viz_key_row *keys, int count, const bool *shown)
{
    viz_caps caps = {.count = count, .keys = keys};
    float x = right;
    if (canvas->theme->presents || canvas->figure)
        return caps;
    for (int i = count - 1; i >= 0; i--) {
        float w = viz_cap_width(canvas, keys[i].key) + 4 +
                  viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, viz_word(keys[i].does));
        if (shown && !shown[i])
            continue;
        if (x - w < right - width)
            break;
        caps.items[i] = (viz_rect){x - w, y, w, VIZ_CAPS_HEIGHT};
        char text[32];
        const char *rest; /* behind the first cap of "N  P" */
        float first = cap_width(canvas, first_key(keys[i].key, text, sizeof text, &rest));
        caps.second[i] = rest ? first + CAP_GAP / 2 : 0;
        x -= w + VIZ_GAP;
    }
    return caps;
}

viz_caps viz_caps_layout(const viz_canvas *canvas, float right, float y, float width,
                         const viz_key_row *keys, int count)
{
    return viz_caps_layout_shown(canvas, right, y, width, keys, count, NULL);
}

void viz_caps_draw(viz_canvas *canvas, const viz_caps *caps)
{
    for (int i = 0; i < caps->count; i++) {
        viz_rect r = caps->items[i];
        if (r.w <= 0)
            continue;
        float w = viz_cap_draw(canvas, r.x, r.y, caps->keys[i].key);
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x + w + 4, r.y + 14, VIZ_LEFT, canvas->theme->text2,
                 viz_word(caps->keys[i].does));
    }
}

int viz_caps_hit(const viz_caps *caps, float x, float y)
{
    for (int i = 0; i < caps->count; i++)
        if (viz_inside(caps->items[i], x, y))
            return i;
    return -1;
}

/* ---------------------------------------------------------------- note */

viz_rect viz_note_draw(viz_canvas *canvas, float x, float y, float width, const char *text)
{
    char fit[512];
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, width - 28, text, fit, sizeof fit);
    viz_rect note = {x, y, viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, fit) + 28, VIZ_NOTE_HEIGHT};
    viz_fill_round(canvas, note, 5, canvas->theme->panel);
    viz_disc(canvas, x + 12, y + 14, 3, canvas->theme->accent);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, x + 21, y + 18, VIZ_LEFT, canvas->theme->text, fit);
    return note;
}

void viz_note_draw_over(viz_canvas *canvas, viz_rect picture, const char *text)
{
    if (text && picture.h > 2 * VIZ_NOTE_HEIGHT)
        viz_note_draw(canvas, picture.x + VIZ_GAP,
                      picture.y + picture.h - VIZ_NOTE_HEIGHT - VIZ_GAP, picture.w - 2 * VIZ_GAP,
                      viz_word(text));
}
