/* The picture view's settings: the steps that change them, and their table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts/figures/overlays.h"
#include "picture/picture_state.h"
#include "view/settings.h"

bool picture_look_at(picture_view *v, gaze_point place)
{
    int x = picture_query_x(v), y = picture_query_y(v);
    v->look = place;
    if (x == picture_query_x(v) && y == picture_query_y(v))
        return false;
    v->query_since = v->now;
    v->fixated = false;
    return true;
}

void picture_changed(picture_view *v)
{
    v->revision++;
    v->identical = false;
}

void picture_hide_none(picture_view *v)
{
    if (v->hidden_count > 0)
        picture_changed(v);
    memset(v->hidden, 0, (size_t)v->grid_w * (size_t)v->grid_h);
    v->hidden_count = 0;
}

void picture_regrid(picture_view *v)
{
    int w, h, count = 0;
    sac_picture_grid(v->source->picture.image->width, v->source->picture.image->height,
                     v->settings.cells, &w, &h);
    picture_changed(v);
    if (w == v->grid_w && h == v->grid_h)
        return;
    uint8_t *hidden = viz_allocate((size_t)w, (size_t)h);
    if (!hidden || !viz_gaze_resize(&v->gaze, picture_image(v), w, h)) {
        free(hidden);
        v->settings.cells = v->grid_w > v->grid_h ? v->grid_w : v->grid_h; /* stays as it was */
        return;
    }
    for (int y = 0; y < h && v->hidden_count > 0; y++)
        for (int x = 0; x < w; x++)
            count += hidden[y * w + x] = v->hidden[(2 * y + 1) * v->grid_h / (2 * h) * v->grid_w +
                                                   (2 * x + 1) * v->grid_w / (2 * w)];
    free(v->hidden);
    v->hidden = hidden;
    v->hidden_count = count;
    v->grid_w = w;
    v->grid_h = h;
    v->fixated = false;
}

static float *strength_of(viz_heat_style *style)
{
    return style->overlay == VIZ_LIGHT ? &style->brightness : &style->opacity;
}

float picture_slider_value(const picture_view *v, picture_slider slider)
{
    const float values[SLIDE_COUNT] = {
        [SLIDE_WIDTH] = 1 / v->settings.inverse_width,
        [SLIDE_TEMPERATURE] = v->settings.temperature,
        [SLIDE_POSITION] = v->settings.position,
        [SLIDE_CELLS] = (float)v->settings.cells,
        [SLIDE_STRENGTH] = *strength_of((viz_heat_style *)&v->style),
    };
    return values[slider];
}

static bool picture_inverse_width_set(picture_view *v, float inverse_width)
{
    const viz_slider *slider = &picture_sliders[SLIDE_WIDTH];
    inverse_width = fminf(fmaxf(inverse_width, 1 / slider->high), 1 / slider->low);
    if (inverse_width == v->settings.inverse_width)
        return false;
    v->settings.inverse_width = inverse_width;
    picture_changed(v);
    return true;
}

bool picture_slider_set(picture_view *v, picture_slider slider, float value)
{
    value = fminf(fmaxf(value, picture_sliders[slider].low), picture_sliders[slider].high);
    if (slider == SLIDE_CELLS)
        value = roundf(value);
    if (!isfinite(value) || value == picture_slider_value(v, slider))
        return false;
    if (slider == SLIDE_WIDTH)
        return picture_inverse_width_set(v, 1 / value);
    if (slider == SLIDE_STRENGTH) {
        *strength_of(&v->style) = value;
        return true;
    }
    if (slider == SLIDE_CELLS) {
        v->settings.cells = (int)value;
        picture_regrid(v);
        return true;
    }
    *(slider == SLIDE_TEMPERATURE ? &v->settings.temperature : &v->settings.position) = value;
    picture_changed(v);
    return true;
}

int picture_chosen(const picture_view *v, picture_choice choice)
{
    return choice == CHOOSE_SCALE     ? (int)v->scale
           : choice == CHOOSE_OVERLAY ? (int)v->style.overlay
                                      : (int)v->style.map;
}

bool picture_choose(picture_view *v, picture_choice choice, int item)
{
    if (picture_chosen(v, choice) == item)
        return false;
    if (choice == CHOOSE_SCALE)
        v->scale = (viz_scale_kind)item;
    else if (choice == CHOOSE_OVERLAY)
        v->style.overlay = (viz_overlay)item;
    else
        v->style.map = (viz_colormap)item;
    return true;
}

bool picture_score_set(picture_view *v, sac_score score)
{
    if (v->settings.score == score)
        return false;
    v->settings.score = score;
    picture_changed(v);
    return true;
}

const sac_score_class *picture_score(const picture_view *v)
{
    return sac_score_class_of(v->settings.score);
}

void viz_picture_view_look(viz_view *view, int x, int y)
{
    picture_view *v = picture_of(view);
    x = x < 0 ? 0 : x >= v->grid_w ? v->grid_w - 1 : x;
    y = y < 0 ? 0 : y >= v->grid_h ? v->grid_h - 1 : y;
    picture_look_at(v, (gaze_point){((float)x + 0.5f) / (float)v->grid_w,
                                    ((float)y + 0.5f) / (float)v->grid_h});
}

bool picture_glide_step(viz_glide *g, double now)
{
    if (!g->moving)
        return false;
    float t = (float)((now - g->start) / viz_glide_seconds());
    t = t > 0 ? t < 1 ? t : 1 : 0;
    /* Sets off at once and settles gently: a glide that restarts with every move of the pointer
     * still follows it. */
    float rest = 1 - t, done = 1 - rest * rest * rest;
    for (int i = 0; i < g->grid_w * g->grid_h; i++)
        g->now[i] = t < 1 ? g->from[i] + (g->to[i] - g->from[i]) * done : g->to[i];
    g->moving = t < 1;
    return g->moving;
}

const char *picture_problem(const picture_view *v)
{
    return v->heat.problem[0] ? v->heat.problem : v->rebuild.problem;
}

/* ---------------------------------------------------------------- the table */

static void save_score(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    put(user, s->name, sac_score_name(((const picture_view *)view)->settings.score));
}

static void take_score(viz_view *view, const viz_setting *s, const char *value)
{
    sac_score score;
    (void)s;
    if (sac_score_from_name(value, &score))
        picture_score_set(picture_of(view), score);
}

static void set_inverse_width(viz_view *view, const viz_setting *s, double number)
{
    (void)s;
    picture_inverse_width_set(picture_of(view), (float)number);
}

static void set_slider(viz_view *view, const viz_setting *s, double number)
{
    picture_slider_set(picture_of(view),
                       s->at == offsetof(picture_view, settings.temperature) ? SLIDE_TEMPERATURE
                       : s->at == offsetof(picture_view, settings.position)  ? SLIDE_POSITION
                                                                             : SLIDE_CELLS,
                       (float)number);
}

static void save_query(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const picture_view *v = (const picture_view *)view;
    char query[64];
    snprintf(query, sizeof query, "%d,%d of %dx%d", picture_query_x(v), picture_query_y(v),
             v->grid_w, v->grid_h);
    put(user, s->name, query);
}

static void save_hidden(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const picture_view *v = (const picture_view *)view;
    char *hidden = viz_hidden_text(v->hidden, v->grid_w, v->grid_h);
    put(user, s->name, hidden ? hidden : ""); /* a reader learns the keys from here */
    free(hidden);
}

static void take_hidden(viz_view *view, const viz_setting *setting, const char *value)
{
    (void)setting;
    picture_view *v = picture_of(view);
    int w, h, used = 0;
    if (!value[0])
        picture_hide_none(v);
    if (sscanf(value, "%dx%d:%n", &w, &h, &used) != 2 || !used)
        return;
    picture_slider_set(v, SLIDE_CELLS, (float)(w > h ? w : h));
    if (!viz_hidden_parse(value, v->hidden, v->grid_w, v->grid_h))
        return;
    v->hidden_count = viz_hidden_count(v->hidden, v->grid_w, v->grid_h);
    picture_changed(v);
}

/* "12,8" of the grid there is, or "12,8 of 32x21". */
static void take_query(viz_view *view, const viz_setting *setting, const char *value)
{
    (void)setting;
    picture_view *v = picture_of(view);
    int x, y, w = v->grid_w, h = v->grid_h;
    int found = sscanf(value, "%d,%d of %dx%d", &x, &y, &w, &h);
    if ((found != 2 && found != 4) || w < 1 || h < 1 || x < 0 || x >= w || y < 0 || y >= h)
        return;
    picture_look_at(v, (gaze_point){((float)x + 0.5f) / (float)w, ((float)y + 0.5f) / (float)h});
}

/* --bandwidth; a saved picture has its inverse. */
static void take_bandwidth(viz_view *view, const viz_setting *setting, const char *value)
{
    (void)setting;
    float bandwidth;
    if (viz_read_real(value, &bandwidth) && bandwidth > 0)
        picture_inverse_width_set(picture_of(view), 1 / bandwidth);
}

static void save_no_value(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    (void)view;
    (void)s;
    (void)put;
    (void)user;
}

#define IN(member) offsetof(picture_view, member)

const viz_setting picture_settings[] = {
    VIZ_SOURCE_TEXT("title", title), /* a scene has no file: this is how it is found again */
    VIZ_SOURCE_TEXT("file", origin.file),
    VIZ_SOURCE_TEXT("hash", origin.hash),
    VIZ_SOURCE_TEXT("device", origin.device),
    VIZ_VERSION_SETTING,
    {"score", .save = save_score, .take = take_score},
    {"inverse width", VIZ_REAL, IN(settings.inverse_width), .set = set_inverse_width},
    {"bandwidth", .save = save_no_value, .take = take_bandwidth},
    {"temperature", VIZ_REAL, IN(settings.temperature), 0.1, 10, .set = set_slider},
    {"position", VIZ_REAL, IN(settings.position), 0, 1, .set = set_slider},
    {"cells", VIZ_WHOLE, IN(settings.cells), 8, 128, .set = set_slider},
    {"query", .moves = true, .save = save_query, .take = take_query},
    {"hidden", .save = save_hidden, .take = take_hidden},
    {"scale", VIZ_CHOICE, IN(scale), VIZ_NAMES(viz_scale_names)},
    VIZ_STYLE_SETTINGS(IN, style),
    {0},
};
