/* Controls by rows of settings. */
#include "parts/controls/controls.h"

#include <math.h>
#include <stdio.h>

#include "view/words.h"

/* The place among the choices: the mean is the last. */
static int current_choice_index(const viz_control *c, const viz_view *view)
{
    double number = viz_setting_number(c->setting, view);
    return c->setting->kind == VIZ_PLACE && number == VIZ_MEAN ? c->choices.count - 1 : (int)number;
}

viz_control viz_control_lay_out(const viz_view *view, const viz_canvas *canvas, const char *name,
                                float x, float y, float width, float label_width)
{
    const viz_setting *s = viz_view_setting(view->class, name);
    const char *names[VIZ_MAX_CHOICES], *tips[VIZ_MAX_CHOICES];
    viz_control c = {.setting = s, .rect = {x, y, 0, 0}};
    if (s->widget == VIZ_SLIDER) {
        c.rect = (viz_rect){x, y, width, VIZ_SLIDER_HEIGHT};
        c.slider = (viz_slider){.rect = c.rect,
                                .label = s->label_of ? s->label_of(view) : s->label,
                                .low = (float)s->low,
                                .high = (float)s->high,
                                .logarithmic = s->logarithmic,
                                .whole = s->kind == VIZ_WHOLE && !s->logarithmic,
                                .idle = s->idle && s->idle(view)};
        return c;
    }
    int count = viz_setting_choices(s, view, names, tips);
    const char *label = s->label_of ? s->label_of(view) : s->label;
    if (count && s->widget == VIZ_CHIPS)
        c.choices = viz_chips_layout(canvas, x, y, width, names, count);
    else if (count)
        c.choices = viz_words_layout(canvas, x + fmaxf(label_width, 0), y, width - label_width,
                                     label_width == 0 ? label : NULL, names, count);
    c.rect = c.choices.rect;
    if (count && label_width > 0) {
        c.choices.label = viz_word(label);
        c.choices.rect.x = c.rect.x = x;
        c.rect.w += label_width;
    }
    return c;
}

static bool has_own_names(const viz_setting *s)
{
    return s->kind == VIZ_CHOICE && !s->names;
}

/* What stands for a number; the view's own names are words. */
static const char *value_text(const viz_setting *s, const viz_view *view, double number, char *text,
                              size_t size)
{
    const char *names[VIZ_MAX_CHOICES], *tips[VIZ_MAX_CHOICES];
    if (s->show)
        s->show(view, number, text, size);
    else if (s->kind == VIZ_PLACE && number == VIZ_MEAN)
        return viz_word("mean");
    else if (s->kind == VIZ_CHOICE && s->names)
        return viz_word(s->names[(int)number]);
    else if (s->kind == VIZ_CHOICE)
        return (int)number < viz_setting_choices(s, view, names, tips)
                   ? viz_word(names[(int)number])
                   : "";
    else
        snprintf(text, size, s->kind == VIZ_REAL ? "%.2f" : "%.0f", number);
    return text;
}

float viz_controls_add_value(viz_controls *controls, const viz_view *view, const viz_canvas *canvas,
                             const char *name, float x, float y, float right)
{
    const viz_setting *s = viz_view_setting(view->class, name);
    char text[64];
    if (!s || (s->only && !s->only(view)))
        return 0;
    /* So wide that nothing moves while it is stepped; names of the view's own as they are. */
    double number = has_own_names(s)       ? viz_setting_number(s, view)
                    : s->kind == VIZ_PLACE ? VIZ_MEAN
                                           : s->low;
    float label =
        s->label ? viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, viz_word(s->label)) + 6 : 0;
    float widest = viz_text_width(canvas, has_own_names(s) ? VIZ_SANS : VIZ_MONO, VIZ_LABEL,
                                  value_text(s, view, number, text, sizeof text));
    for (int i = 0; s->kind == VIZ_CHOICE && i < s->count; i++)
        widest = fmaxf(widest, viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, viz_word(s->names[i])));
    if (x + label + widest > right)
        return 0;
    viz_control c = {
        .setting = s, .rect = {x, y, label + widest, VIZ_VALUE_HEIGHT}, .is_value = true};
    viz_controls_append(controls, &c);
    return c.rect.w;
}

static void draw_value(const viz_control *c, const viz_view *view, viz_canvas *canvas)
{
    const viz_setting *s = c->setting;
    const viz_theme *theme = canvas->theme;
    char text[64];
    double number = viz_setting_number(s, view), usual = s->usual               ? s->usual(view)
                                                         : s->kind == VIZ_PLACE ? VIZ_MEAN
                                                                                : 0;
    float x = c->rect.x, y = c->rect.y + c->rect.h / 2 + 4.5f;
    if (s->label)
        x += viz_text(canvas, VIZ_SANS, VIZ_LABEL, x, y, VIZ_LEFT, theme->text2,
                      viz_word(s->label)) +
             6;
    viz_text(canvas, has_own_names(s) ? VIZ_SANS : VIZ_MONO, VIZ_LABEL, x, y, VIZ_LEFT,
             number == usual ? theme->text2 : theme->text,
             value_text(s, view, number, text, sizeof text));
}

void viz_controls_append(viz_controls *controls, const viz_control *control)
{
    if (control->rect.h > 0 && controls->count < VIZ_CONTROLS_MOST)
        controls->items[controls->count++] = *control;
}

float viz_controls_add(viz_controls *controls, const viz_view *view, const viz_canvas *canvas,
                       const char *name, float x, float y, float width)
{
    viz_control c = viz_control_lay_out(view, canvas, name, x, y, width, controls->label_width);
    viz_controls_append(controls, &c);
    return c.rect.h;
}

int viz_controls_list_names(const viz_view_class *class, viz_widget widget,
                            const char *names[VIZ_CONTROLS_MOST])
{
    int count = 0;
    for (int i = 0; i < VIZ_SETTING_TABLES && class->settings[i]; i++)
        for (const viz_setting *s = class->settings[i]; s->name || s->save; s++)
            if (s->widget == widget && count < VIZ_CONTROLS_MOST)
                names[count++] = s->name;
    return count;
}

void viz_controls_clear(viz_controls *controls)
{
    controls->count = 0;
}

void viz_controls_draw(const viz_controls *controls, const viz_view *view, viz_canvas *canvas)
{
    for (int i = 0; i < controls->count; i++) {
        const viz_control *c = &controls->items[i];
        const viz_setting *s = c->setting;
        char text[48];
        if (c->is_value)
            draw_value(c, view, canvas);
        else if (s->widget == VIZ_CHIPS)
            viz_chips_draw(canvas, &c->choices, current_choice_index(c, view));
        else if (s->widget == VIZ_WORDS)
            viz_words_draw(canvas, &c->choices, current_choice_index(c, view));
        else {
            double number = viz_setting_number(s, view);
            viz_slider_draw(canvas, &c->slider, (float)number,
                            value_text(s, view, number, text, sizeof text));
        }
    }
}

static bool drag(viz_controls *controls, viz_view *view, float x)
{
    for (int i = 0; i < controls->count; i++)
        if (controls->items[i].setting == controls->dragged)
            return viz_setting_change(controls->dragged, view,
                                      (double)viz_slider_value(&controls->items[i].slider, x));
    return false;
}

static bool press(viz_controls *controls, viz_view *view, const viz_event *e, bool *changed)
{
    for (int i = 0; i < controls->count; i++) {
        const viz_control *c = &controls->items[i];
        if (c->is_value) {
            viz_rect reach = {c->rect.x - 8, c->rect.y, c->rect.w + 16, c->rect.h};
            if (!viz_inside(reach, e->x, e->y))
                continue;
            bool back = e->kind == VIZ_WHEEL ? e->wheel_y < 0 : e->button == 3 || e->shift;
            *changed = viz_view_step_setting(view, c->setting->name, back ? -1 : 1, 0);
            return true;
        }
        if (e->kind == VIZ_WHEEL || e->button != 1)
            continue;
        if (c->setting->widget == VIZ_SLIDER) {
            if (!viz_slider_hit(&c->slider, e->x, e->y))
                continue;
            controls->dragged = c->setting;
            drag(controls, view, e->x);
            return *changed = true;
        }
        int item = viz_choices_hit(&c->choices, e->x, e->y);
        if (item < 0)
            continue;
        bool is_mean = c->setting->kind == VIZ_PLACE && item == c->choices.count - 1;
        *changed = viz_setting_change(c->setting, view, is_mean ? VIZ_MEAN : item);
        return true;
    }
    return false;
}

bool viz_controls_event(viz_controls *controls, viz_view *view, const viz_event *e, bool *changed)
{
    *changed = false;
    if (e->kind == VIZ_PRESS || (e->kind == VIZ_WHEEL && e->wheel_y != 0))
        return press(controls, view, e, changed);
    if (!controls->dragged || (e->kind != VIZ_MOVE && e->kind != VIZ_RELEASE))
        return false;
    if (e->kind == VIZ_RELEASE)
        controls->dragged = NULL;
    else
        *changed = drag(controls, view, e->x);
    return true;
}

void viz_controls_spots(const viz_controls *controls, const viz_view *view, viz_spots *spots)
{
    for (int i = 0; i < controls->count; i++) {
        const viz_control *c = &controls->items[i];
        const viz_setting *s = c->setting;
        const char *names[VIZ_MAX_CHOICES], *tips[VIZ_MAX_CHOICES];
        viz_rect arrows = {c->rect.x - VIZ_STEP_ARROW, c->rect.y, c->rect.w + 2 * VIZ_STEP_ARROW,
                           c->rect.h};
        if (c->is_value)
            viz_spots_add(spots, arrows, VIZ_SPOT_STEPS, s->tip);
        else if (s->widget == VIZ_SLIDER)
            viz_spots_add_slider(spots, &c->slider, (float)viz_setting_number(s, view), s->tip);
        else if (viz_setting_choices(s, view, names, tips) == c->choices.count)
            viz_spots_add_choices(spots, &c->choices, tips);
    }
}
