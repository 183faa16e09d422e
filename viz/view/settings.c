/* Writes settings of a table as text, and reads them back. */

#include "view/settings.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sources/heads/head_scales.h"

void viz_put_real(viz_put *put, void *user, const char *key, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g", value);
    put(user, key, text);
}

void viz_put_whole(viz_put *put, void *user, const char *key, long long value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", value);
    put(user, key, text);
}

bool viz_read_real(const char *value, float *number)
{
    char *end;
    float read = strtof(value, &end);
    if (end == value || !isfinite(read))
        return false;
    *number = read;
    return true;
}

const char *const viz_no_yes[2] = {"no", "yes"}, *const viz_off_on[2] = {"off", "on"},
                  *const viz_smooth_blocky[2] = {"smooth", "blocky"};

static void *setting_address(const viz_setting *s, const viz_view *view)
{
    viz_view *v = (viz_view *)view;
    return (char *)(s->in ? s->in(v) : (void *)v) + s->at;
}

/* The choice of that number as it is written; NULL: there is none. */
static const char *choice_name(const viz_setting *s, const viz_view *view, int number)
{
    const char *names[VIZ_MAX_CHOICES], *tips[VIZ_MAX_CHOICES];
    int count = s->names ? s->count : viz_setting_choices(s, view, names, tips);
    return number < 0 || number >= count ? NULL : s->names ? s->names[number] : names[number];
}

static void save(const viz_setting *s, const viz_view *view, viz_put *put, void *user)
{
    const void *place = setting_address(s, view);
    int number = 0;
    if (s->kind == VIZ_REAL)
        viz_put_real(put, user, s->name, (double)*(const float *)place);
    else if (s->kind == VIZ_INDEX)
        viz_put_whole(put, user, s->name, (long long)*(const size_t *)place);
    else if (s->kind == VIZ_LAYER)
        viz_put_whole(put, user, s->name,
                      (long long)sac_source_layer_number(view->source, *(const size_t *)place));
    else if (s->kind == VIZ_TEXT)
        put(user, s->name, place);
    else if (s->kind == VIZ_SWITCH)
        put(user, s->name, s->names[*(const bool *)place]);
    else {
        memcpy(&number, place, sizeof number);
        if (s->kind == VIZ_PLACE && number == VIZ_MEAN)
            put(user, s->name, "mean");
        else if (s->kind == VIZ_PLACE ? number != INT_MAX : s->kind == VIZ_WHOLE)
            viz_put_whole(put, user, s->name, number);
        else if (s->kind == VIZ_CHOICE) {
            const char *name = choice_name(s, view, number);
            put(user, s->name, name ? name : "");
        }
    }
}

const char *const viz_overlays_of_before[] = {"spotlight", "light", NULL};

static bool is_index(const viz_setting *s)
{
    return s->kind == VIZ_INDEX || s->kind == VIZ_LAYER;
}

/* The name of today for `name` in a setting's list (NULL: there is none), or `name` itself. */
static const char *current_choice_name(const char *const *former, const char *name)
{
    for (; former && *former; former += 2)
        if (strcmp(former[0], name) == 0)
            return former[1];
    return name;
}

static double clamp_to_setting(const viz_setting *s, const viz_view *view, double number)
{
    if (s->low < s->high)
        number = fmin(fmax(number, s->low), s->high);
    return s->most ? fmin(number, s->most(view, s)) : number;
}

bool viz_setting_read(const viz_setting *s, const viz_view *view, const char *value, double *number)
{
    const char *name;
    float real;
    char *end;
    size_t layer;
    if (s->kind == VIZ_SWITCH) {
        *number = !strcmp(value, s->names[1]);
        return true;
    }
    value = current_choice_name(s->former, value);
    for (int i = 0; s->kind == VIZ_CHOICE && (name = choice_name(s, view, i)); i++)
        if (!strcmp(value, name)) {
            *number = i;
            return true;
        }
    if (s->kind == VIZ_PLACE && strcmp(value, "mean") == 0) {
        *number = VIZ_MEAN;
        return true;
    }
    if (is_index(s) || s->kind == VIZ_PLACE) {
        *number = (double)strtoull(value, &end, 10);
        if (end == value || *end || *value == '-' || (s->kind == VIZ_PLACE && *number >= INT_MAX))
            return false;
        if (s->kind == VIZ_LAYER) {
            bool found = sac_source_find_layer(view->source, (size_t)*number, &layer);
            *number = found ? (double)layer : 0;
            return found;
        }
        *number = clamp_to_setting(s, view, *number);
        return !s->below || *number < (double)s->below(view);
    }
    if ((s->kind != VIZ_REAL && s->kind != VIZ_WHOLE) || !viz_read_real(value, &real))
        return false;
    *number = clamp_to_setting(s, view, (double)real);
    return s->kind == VIZ_REAL || fabs(*number) <= INT_MAX;
}

bool viz_setting_store(const viz_setting *s, viz_view *view, double number)
{
    union {
        float real;
        int whole;
        size_t index;
        bool on;
    } to = {0};
    size_t size = s->kind == VIZ_REAL     ? sizeof to.real
                  : is_index(s)           ? sizeof to.index
                  : s->kind == VIZ_SWITCH ? sizeof to.on
                                          : sizeof to.whole;
    if (s->kind == VIZ_REAL)
        to.real = (float)number;
    else if (is_index(s))
        to.index = (size_t)number;
    else if (s->kind == VIZ_SWITCH)
        to.on = number != 0;
    else
        to.whole = (int)number;
    bool same = memcmp(setting_address(s, view), &to, size) == 0;
    memcpy(setting_address(s, view), &to, size);
    if (!same && s->changed)
        s->changed(view);
    return !same;
}

static void restore_setting_value(const viz_setting *s, viz_view *view, const char *value)
{
    double number;
    if (s->take)
        s->take(view, s, value);
    else if (!viz_setting_read(s, view, value, &number))
        return;
    else if (s->set)
        s->set(view, s, number);
    else
        viz_setting_store(s, view, number);
}

const char *const viz_layout_names[2] = {"window", "figure"};
static const viz_setting layout = {VIZ_LAYOUT_SETTING};

const viz_setting *viz_view_setting(const viz_view_class *class, const char *name)
{

    for (int i = 0; i < VIZ_SETTING_TABLES && class->settings[i]; i++)
        for (const viz_setting *s = class->settings[i]; s->name || s->save; s++)
            if (s->name && strcmp(s->name, name) == 0)
                return s;
    return class->figure && strcmp(name, layout.name) == 0 ? &layout : NULL;
}

double viz_setting_number(const viz_setting *s, const viz_view *view)
{
    const void *place = setting_address(s, view);
    if (s->get)
        return s->get(view, s);
    return s->kind == VIZ_REAL     ? (double)*(const float *)place
           : is_index(s)           ? (double)*(const size_t *)place
           : s->kind == VIZ_SWITCH ? *(const bool *)place
                                   : *(const int *)place;
}

size_t viz_setting_count(const viz_setting *s, const viz_view *view)
{
    return s->kind == VIZ_LAYER ? view->source->weights.layers : s->below ? s->below(view) : 0;
}

bool viz_setting_change(const viz_setting *s, viz_view *view, double number)
{
    double before = viz_setting_number(s, view);
    if (s->grain > 0)
        number = round(number / s->grain) * s->grain;
    number = clamp_to_setting(s, view, number);
    if (!s->set)
        return viz_setting_store(s, view, number);
    s->set(view, s, number);
    return viz_setting_number(s, view) != before;
}

int viz_setting_choices(const viz_setting *s, const viz_view *view, const char **names,
                        const char **tips)
{
    const char *const *words = s->words ? s->words : s->names;
    for (int i = 0; i < VIZ_MAX_CHOICES; i++)
        tips[i] = s->tips && i < s->count ? s->tips[i] : s->tip;
    if (s->choices)
        return s->choices(view, s, names, tips);
    for (int i = 0; i < s->count && i < VIZ_MAX_CHOICES; i++)
        names[i] = words[i];
    return s->count < VIZ_MAX_CHOICES ? s->count : VIZ_MAX_CHOICES;
}

bool viz_view_step_setting(viz_view *view, const char *name, int step, int what)
{
    const char *names[VIZ_MAX_CHOICES], *tips[VIZ_MAX_CHOICES];
    const viz_setting *s = viz_view_setting(view->class, name);
    if (!s)
        return false;
    if (s->turn)
        return s->turn(view, step);
    double number = viz_setting_number(s, view);
    if (s->logarithmic) { /* four steps to the double, but of whole numbers at least 1 */
        double way = number * (step < 0 ? 0.8408964 : 1.1892071) - number;
        return viz_setting_change(s, view, number + (fabs(way) < s->grain ? step : way));
    }
    if (s->kind == VIZ_REAL)
        return viz_setting_change(s, view, number + step * what / 100.0);
    if (s->kind == VIZ_WHOLE && s->most)
        return viz_setting_change(s, view, number + step);
    int count = s->most ? (int)s->most(view, s) + 2 : (int)viz_setting_count(s, view);
    bool lists = !count && s->kind != VIZ_SWITCH && !what;
    if (!count)
        count = s->kind == VIZ_SWITCH ? 2 : what ? what : viz_setting_choices(s, view, names, tips);
    if (!count)
        return false;
    int next = number == VIZ_MEAN ? count - 1 : (int)number;
    do
        next = (int)viz_next((size_t)next, step, (size_t)count);
    while (lists && !names[next]);
    bool is_mean = s->kind == VIZ_PLACE && next == count - 1;
    return viz_setting_change(s, view, is_mean ? VIZ_MEAN : next);
}

static void save_all_settings(const viz_view *view, bool undo, viz_put *put, void *user)
{
    const viz_view_class *class = view->class;
    for (int i = 0; i < VIZ_SETTING_TABLES && class->settings[i]; i++)
        for (const viz_setting *s = class->settings[i]; s->name || s->save; s++)
            if (s->unmentioned || (s->only && !(undo && s->implied) && !s->only(view)))
                continue;
            else if (s->save)
                s->save(view, s, put, user);
            else
                save(s, view, put, user);
}

typedef struct undone_alone {
    const viz_view *view;
    viz_put *put;
    void *user;
} undone_alone;

static void put_if_undoable(void *user, const char *key, const char *value)
{
    const undone_alone *to = user;
    if (viz_view_undoes(to->view, key))
        to->put(to->user, key, value);
}

void viz_view_describe_undoable(const viz_view *view, viz_put *put, void *user)
{
    undone_alone to = {view, put, user};
    if (view->class->describe)
        view->class->describe(view, put_if_undoable, &to);
    else
        save_all_settings(view, true, put_if_undoable, &to);
}

void viz_view_describe(const viz_view *view, viz_put *put, void *user)
{
    const viz_view_class *class = view->class;
    if (class->describe) {
        class->describe(view, put, user);
        return;
    }
    put(user, "view", class->name);
    save_all_settings(view, false, put, user);
    /* How the model was opened, where that is not as its folder is. */
    const sac_origin none = {0}, *origin = view->source ? &view->source->origin : &none;
    const char *const parts[][2] = {
        {"storage", origin->storage},     {"audio language", origin->language},
        {"task", origin->task},           {"ignored keys", origin->ignored},
        {"continued", origin->continued}, {"picture fit", origin->fit}};
    for (int i = 0; i < 6; i++)
        if (parts[i][1][0])
            put(user, parts[i][0], parts[i][1]);
    if (viz_view_is_figure(view) && viz_view_setting(class, layout.name) == &layout)
        save(&layout, view, put, user);
}

void viz_view_restore(viz_view *view, const char *name, const char *value)
{
    const viz_view_class *class = view->class;
    if (class->restore) {
        class->restore(view, name, value);
        return;
    }
    const viz_setting *s = viz_view_setting(class, name);
    if (s)
        restore_setting_value(s, view, value);
}

bool viz_view_undoes(const viz_view *view, const char *name)
{
    const viz_view_class *class = view->class;
    if (class->undoes)
        return class->undoes(view, name);
    const viz_setting *s = viz_view_setting(class, name);
    if (!s || s->moves || s->unmentioned)
        return false;
    return s->take || s->set || (s->kind != VIZ_OWN && s->kind != VIZ_TEXT);
}

/* ---------------------------------------------------------------- rows of several views */

const char *const viz_scale_words[VIZ_SCALE_COUNT] = {"per map", "shared", "square root",
                                                      "logarithmic", "fixed"};
const char *const viz_scale_options[VIZ_SCALE_COUNT] = {"per-map", "shared", "root", "log",
                                                        "fixed"};
const char *const viz_scale_tips[VIZ_SCALE_COUNT] = {
    "Colours go up to each map's own largest weight.",
    "Colours go up to the largest weight of all maps.",
    "The same, by the square root: faint maps show beside sharp ones.",
    "Equal steps of colour are equal factors of weight.",
    "Colours go from 0 to 1.",
};

int viz_colormap_choices(const viz_view *view, const viz_setting *setting, const char **names,
                         const char **tips)
{
    static const char *const map_tips[VIZ_DIVERGING] = {
        "Black to yellow by way of purple.",
        "Blue to yellow by way of green.",
        "Blue to yellow, the same to eyes that confuse red and green.",
    };
    (void)view;
    memcpy(names, setting->names, sizeof map_tips);
    memcpy(tips, map_tips, sizeof map_tips);
    return VIZ_DIVERGING;
}

bool viz_press_change_strength(viz_view *view, viz_pressed pressed)
{
    const viz_setting *s = viz_view_setting(view->class, "overlay");
    bool light = s && *(const viz_overlay *)setting_address(s, view) == VIZ_LIGHT;
    return viz_view_step_setting(view, light ? "brightness" : "opacity", pressed.step, 5);
}

void *viz_setting_source(viz_view *view)
{
    return (void *)view->source;
}

size_t viz_source_items(const viz_view *view)
{
    return view->source->weights.batch;
}

size_t viz_source_heads(const viz_view *view)
{
    return view->source->weights.heads;
}

void viz_save_version(const viz_view *view, const viz_setting *setting, viz_put *put, void *user)
{
    (void)view;
    put(user, setting->name, SAC_VERSION);
}

void viz_save_without(const viz_view *view, const viz_setting *setting, viz_put *put, void *user)
{
    (void)setting;
    if (view->source->result.without[0])
        put(user, "without", view->source->result.without);
}

void viz_save_scales(const viz_view *view, const viz_setting *setting, viz_put *put, void *user)
{
    const char *scales = *(char **)setting_address(setting, view);
    put(user, setting->name, scales ? scales : "");
}

/* Reads the text into factors [layers,heads], to be freed in any case. */
static sac_status read_scales(const sac_source *source, const char *text, float **factors,
                              sac_error *error)
{
    const sac_weights_source *w = &source->weights;
    *factors = calloc(w->layers * w->heads + 1, sizeof **factors);
    return *factors ? sac_head_scales_read(text, w->layers, w->heads, *factors, error)
                    : sac_no_memory(error, source->title);
}

void viz_take_scales(viz_view *view, const viz_setting *setting, const char *value)
{
    char **scales = setting_address(setting, view);
    if (!view->source->weights.scale_heads || strcmp(*scales ? *scales : "", value) == 0)
        return;
    float *factors;
    char *taken = read_scales(view->source, value, &factors, NULL) == SAC_OK ? strdup(value) : NULL;
    free(factors);
    if (!taken)
        return;
    free(*scales);
    *scales = taken;
    setting->changed(view);
}

sac_status viz_scale_heads(sac_source *source, const char *scales, sac_error *error)
{
    if (!source->weights.scale_heads)
        return SAC_OK;
    float *factors;
    sac_status status = read_scales(source, scales ? scales : "", &factors, error);
    if (status == SAC_OK)
        status = source->weights.scale_heads(source->self, factors, NULL, error);
    free(factors);
    return status;
}

void viz_save_origin(const viz_view *view, const viz_setting *setting, viz_put *put, void *user)
{
    (void)setting;
    const sac_source *source = view->source;
    put(user, "file", source->origin.file);
    put(user, "hash", source->origin.hash);
    put(user, "weights", source->origin.weights);
    put(user, "device", source->origin.device);
    put(user, "version", SAC_VERSION);
    put(user, "image", source->weights.opened.image_file);
}

void viz_save_source(const viz_view *view, const viz_setting *setting, viz_put *put, void *user)
{
    const sac_source *source = view->source;
    char grid[64] = "";
    if (source->picture.grid_w)
        snprintf(grid, sizeof grid, "%dx%d", source->picture.grid_w, source->picture.grid_h);
    viz_save_origin(view, setting, put, user);
    put(user, "sentence", source->result.text);
    put(user, "array", source->weights.opened.array);
    put(user, "axes", source->weights.opened.axes);
    put(user, "labels", source->weights.opened.labels_file);
    put(user, "grid", grid);
    if (source->picture.cells ||
        (source->weights.items && source->weights.items[0].cells)) /* the file has them */
        put(user, "prefix", "");
    else
        viz_put_whole(put, user, "prefix", source->picture.prefix);
    put(user, "score", source->weights.made.score);
    sac_normalizer normalizer = source->weights.made.normalizer;
    put(user, "normalizer", normalizer ? sac_normalizer_name(normalizer) : "");
    put(user, "mask", source->weights.made.mask);
    const struct {
        const char *key;
        float value;
    } of_score[] = {{"bandwidth", source->weights.made.bandwidth},
                    {"softcap", source->weights.made.softcap}};
    for (int i = 0; i < 2; i++)
        if (of_score[i].value > 0)
            viz_put_real(put, user, of_score[i].key, (double)of_score[i].value);
    put(user, "softmax", source->weights.opened.softmax ? "yes" : "");
    put(user, "nan", source->weights.opened.allow_nan ? "yes" : "");
    put(user, "padding", source->weights.opened.padding ? "yes" : "");
    if (source->weights.made.heads_asked)
        viz_put_whole(put, user, "heads", source->weights.made.heads_asked);
    else
        put(user, "heads", "");
    if (source->weights.made.key_heads_asked)
        viz_put_whole(put, user, "key heads", source->weights.made.key_heads_asked);
    else
        put(user, "key heads", "");
}
