/* The picture view's settings: the steps that change them, and their table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/suggestion.h"
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
    if (sac_score_from_name(value, &score))
        s->set(view, s, sac_score_class_of(score)->words.place);
}

/* The scores as a person meets them. */
static int scores(const viz_view *view, const viz_setting *s, const char **names, const char **tips)
{
    (void)view;
    (void)s;
    for (int i = 0; i < SAC_SCORE_COUNT; i++) {
        names[i] = sac_score_class_of(sac_score_at_place(i))->words.label;
        tips[i] = sac_score_class_of(sac_score_at_place(i))->words.help;
    }
    return SAC_SCORE_COUNT;
}
_Static_assert((int)SAC_SCORE_COUNT <= (int)VIZ_MAX_CHOICES, "a chip for each score");

static bool is_score(const char *name)
{
    sac_score score;
    return sac_score_from_name(name, &score);
}

static const char *score_names(char *text, size_t size)
{
    const char *names[SAC_SCORE_COUNT];
    for (int i = 0; i < SAC_SCORE_COUNT; i++)
        names[i] = sac_score_name(sac_score_at_place(i));
    sac_names_join(names, SAC_SCORE_COUNT, text, size);
    return text;
}

static double score_place(const viz_view *view, const viz_setting *s)
{
    (void)s;
    return picture_score((const picture_view *)view)->words.place;
}

static void compute_anew(viz_view *view)
{
    picture_changed(picture_of(view));
}

static void set_score_place(viz_view *view, const viz_setting *s, double number)
{
    sac_score score = sac_score_at_place((int)number);
    (void)s;
    if (picture_of(view)->settings.score != score)
        compute_anew(view);
    picture_of(view)->settings.score = score;
}

static double width(const viz_view *view, const viz_setting *s)
{
    (void)s;
    return (double)(1 / ((const picture_view *)view)->settings.inverse_width);
}

static void set_width(viz_view *view, const viz_setting *s, double number)
{
    float *inverse_width = &picture_of(view)->settings.inverse_width;
    (void)s;
    if (*inverse_width != 1 / (float)number)
        compute_anew(view);
    *inverse_width = 1 / (float)number;
}

static void show_width(const viz_view *view, double number, char *text, size_t size)
{
    (void)view;
    snprintf(text, size, "%.*f", number >= 10 ? 1 : 2, number);
}

static bool has_no_width(const viz_view *view)
{
    return !picture_score((const picture_view *)view)->has_width;
}

static void regrid(viz_view *view)
{
    picture_regrid(picture_of(view));
}

static void show_grid(const viz_view *view, double number, char *text, size_t size)
{
    const picture_view *v = (const picture_view *)view;
    (void)number;
    snprintf(text, size, "%d × %d", v->grid_w, v->grid_h);
}

/* Of light the brightness of the rest; of heat and lines their opacity. */
static float *strength_of(const viz_view *view)
{
    viz_heat_style *style = &((picture_view *)view)->style;
    return style->overlay == VIZ_LIGHT ? &style->brightness : &style->opacity;
}

static double strength(const viz_view *view, const viz_setting *s)
{
    (void)s;
    return (double)*strength_of(view);
}

static void set_strength(viz_view *view, const viz_setting *s, double number)
{
    (void)s;
    *strength_of(view) = (float)number;
}

static const char *strength_label(const viz_view *view)
{
    viz_overlay overlay = ((const picture_view *)view)->style.overlay;
    return overlay == VIZ_LIGHT  ? "brightness around"
           : overlay == VIZ_HEAT ? "heat over picture"
                                 : "lines";
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
    viz_setting_change(viz_view_setting(view->class, "cells"), view, w > h ? w : h);
    if (!viz_hidden_parse(value, v->hidden, v->grid_w, v->grid_h))
        return;
    v->hidden_count = viz_hidden_count(v->hidden, v->grid_w, v->grid_h);
    picture_changed(v);
}

static bool is_place(const char *text)
{
    int x, y, used = 0;
    return sscanf(text, "%d,%d%n", &x, &y, &used) == 2 && !text[used] && x >= 0 && y >= 0;
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

#define IN(member) offsetof(picture_view, member)

const viz_setting picture_settings[] = {
    VIZ_SOURCE_TEXT("title", title), /* a scene has no file: this is how it is found again */
    VIZ_SOURCE_TEXT("file", origin.file),
    VIZ_SOURCE_TEXT("hash", origin.hash),
    VIZ_SOURCE_TEXT("device", origin.device),
    VIZ_VERSION_SETTING,
    {"score", .save = save_score, .take = take_score, .get = score_place, .set = set_score_place,
     .choices = scores, .widget = VIZ_CHIPS, .form_of = score_names, .valid = is_score,
     VIZ_OPTION("--score", "S", "score function")},
    {"inverse width", VIZ_REAL, IN(settings.inverse_width), 0.05, 20, .changed = compute_anew},
    {"bandwidth", VIZ_REAL, .low = 0.05, .high = 20, .unmentioned = true, .get = width,
     .set = set_width, .widget = VIZ_SLIDER, .label = "width 1/w", .logarithmic = true,
     .show = show_width, .idle = has_no_width, .option = "--bandwidth", .value_name = "H",
     .tip = "The width of the Gaussian, 1/w: how far away a key may be and still count."},
    {"temperature", VIZ_REAL, IN(settings.temperature), 0.1, 10, .changed = compute_anew,
     .widget = VIZ_SLIDER, .label = "temperature", .logarithmic = true, .option = "--temperature",
     .value_name = "T",
     .tip = "Scores are divided by it before the softmax: above 1 the attention spreads, below 1 "
            "it gathers."},
    {"position", VIZ_REAL, IN(settings.position), 0, 1, .changed = compute_anew,
     .widget = VIZ_SLIDER, .label = "weight of position", .option = "--position", .value_name = "P",
     .tip = "How much a cell's place counts in queries and keys, beside its colours."},
    {"cells", VIZ_WHOLE, IN(settings.cells), 8, 128, .changed = regrid, .grain = 1,
     .widget = VIZ_SLIDER, .label = "cells", .logarithmic = true, .show = show_grid,
     .tip = "How many cells the longer side of the picture is cut into."},
    {"strength", VIZ_REAL, .low = 0, .high = 1, .unmentioned = true, .get = strength,
     .set = set_strength, .widget = VIZ_SLIDER, .label_of = strength_label,
     .tip =
         "How bright the picture is where it is not attended; of heat and contours, how strongly "
         "they lie over it."},
    {"query", .moves = true, .save = save_query, .take = take_query,
     .form = "two whole numbers, such as 12,8", .valid = is_place,
     VIZ_OPTION("--query", "X,Y", "query: a cell of a picture, or a column and row")},
    {"hidden", .save = save_hidden, .take = take_hidden},
    {VIZ_SCALE_SETTING(IN(scale))},
    VIZ_STYLE_SETTINGS(IN, style),
    {0},
};
