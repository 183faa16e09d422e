/* The found view: what it asks for, how it answers, and its class. */
#include "found/found_view.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "found/found_state.h"
#include "view/keys.h"
#include "view/map.h"
#include "view/settings.h"
#include "view/words.h"

typedef struct found_job {
    viz_job base;
    char *scales; /* owned; NULL: none */
    sac_found found;
} found_job;

/* ---------------------------------------------------------------- what is shown */

int found_shown(const found_view *v)
{
    return (int)sac_found_count(&v->found, v->threshold);
}

const sac_detection *found_chosen(const found_view *v)
{
    int shown = found_shown(v);
    return shown ? &v->found.things[v->thing < shown ? v->thing : shown - 1] : NULL;
}

bool found_fill_map(found_view *v)
{
    const sac_detection *thing = found_chosen(v);
    if (!thing || !v->map)
        return false;
    sac_found_look(&v->found, thing->query, v->layer < 0 ? SIZE_MAX : (size_t)v->layer,
                   v->head < 0 ? SIZE_MAX : (size_t)v->head, v->map);
    return true;
}

int found_names(size_t count, const char *names[VIZ_MAX_CHOICES])
{
    static const char *const all[FOUND_NAMED] = {"0",  "1",  "2",  "3",  "4",  "5",  "6",  "7",
                                                 "8",  "9",  "10", "11", "12", "13", "14", "15",
                                                 "16", "17", "18", "19", "20", "21", "22"};
    if (count == 0 || count > FOUND_NAMED)
        return 0;
    memcpy(names, all, count * sizeof *names);
    names[count] = "mean";
    return (int)count + 1;
}

/* Brings what is chosen into what is known. */
static void keep_within(viz_view *view)
{
    found_view *v = found_of(view);
    int shown = found_shown(v);
    if (!v->found.queries)
        return;
    v->thing = v->thing < shown ? v->thing : shown ? shown - 1 : 0;
    if (v->layer >= (int)v->found.layers)
        v->layer = (int)v->found.layers - 1;
    if (v->head >= (int)v->found.heads)
        v->head = (int)v->found.heads - 1;
}

/* ---------------------------------------------------------------- jobs */

static viz_job *want(viz_view *view)
{
    found_view *v = found_of(view);
    if (!viz_request_due(&v->request, v->revision))
        return NULL;
    found_job *job = viz_job_create(&viz_found_class, sizeof *job);
    if (job && v->scales && !(job->scales = strdup(v->scales))) {
        free(job);
        return NULL;
    }
    return job ? viz_request_submit(&v->request, &job->base, v->revision) : NULL;
}

static sac_status work(viz_view *view, viz_job *base, sac_error *error)
{
    found_job *job = viz_job_of(base, &viz_found_class);
    sac_source *source = view->source;
    sac_status status = viz_scale_heads(source, job->scales, error);
    return status == SAC_OK ? source->found.find(source->self, &job->found, error) : status;
}

static void take(viz_view *view, viz_job *base, const sac_error *error)
{
    found_view *v = found_of(view);
    found_job *job = viz_job_of(base, &viz_found_class);
    if (viz_request_take(&v->request, error)) {
        free(v->map);
        v->map = viz_allocate((size_t)(job->found.grid_w * job->found.grid_h), sizeof *v->map);
        sac_found_free(&v->found);
        v->found = job->found;
        job->found = (sac_found){0};
        keep_within(view);
    }
    sac_found_free(&job->found);
    free(job->scales);
    free(job);
}

/* ---------------------------------------------------------------- keys */

/* The next of `count` and the mean of them, which stands last; round and round. */
static int next_or_mean(int now, int step, size_t count)
{
    size_t place = now == FOUND_MEAN ? count : (size_t)now;
    place = viz_next(place, step, count + 1);
    return place == count ? FOUND_MEAN : (int)place;
}

static bool press_thing(viz_view *view, viz_pressed pressed)
{
    found_view *v = found_of(view);
    int shown = found_shown(v);
    if (shown < 2)
        return false;
    v->thing = (int)viz_next((size_t)v->thing, pressed.step, (size_t)shown);
    return true;
}

static bool press_end(viz_view *view, viz_pressed pressed)
{
    found_view *v = found_of(view);
    int to = pressed.step < 0 ? 0 : found_shown(v) - 1;
    if (to < 0 || to == v->thing)
        return false;
    v->thing = to;
    return true;
}

static bool press_layer(viz_view *view, viz_pressed pressed)
{
    found_view *v = found_of(view);
    if (!v->found.layers)
        return false;
    v->layer = next_or_mean(v->layer, pressed.step, v->found.layers);
    return true;
}

static bool press_head(viz_view *view, viz_pressed pressed)
{
    found_view *v = found_of(view);
    if (!v->found.heads)
        return false;
    v->head = next_or_mean(v->head, pressed.step, v->found.heads);
    return true;
}

static bool set_threshold(found_view *v, float to)
{
    to = fminf(fmaxf(roundf(100 * to) / 100, 0), 1);
    if (to == v->threshold)
        return false;
    v->threshold = to;
    keep_within(&v->base);
    return true;
}

static bool press_threshold(viz_view *view, viz_pressed pressed)
{
    found_view *v = found_of(view);
    return set_threshold(v, v->threshold - 0.05f * (float)pressed.step);
}

static bool press_turn(viz_view *view, viz_pressed pressed)
{
    found_view *v = found_of(view);
    int to = viz_picture_after(v->wanted, pressed.step, view->source->picture.count, false);
    if (to == v->wanted)
        return false;
    v->wanted = v->chosen = to;
    return true;
}

static bool has_pictures(const viz_view *view)
{
    return view->source->picture.count > 1;
}

static const viz_key_row keys[] = {
    {"click", "choose a box"},
    {"↑  ↓", "the thing before, the next one", press_thing},
    {"Home  End", "the most probable, the last", press_end},
    {"←  →", "layer of the decoder, and the mean of all", press_layer},
    {"R", "head, and the mean of all", press_head},
    {",  .", "fewer things, more: the threshold", press_threshold},
    VIZ_STYLE_KEYS,
    {"B", "blocky or smooth", .setting = "cells drawn"},
    {"N  P", "another of several pictures", press_turn, .acts = has_pictures},
    {NULL, NULL},
};

/* ---------------------------------------------------------------- pointer */

/* The smallest box at a place; −1: none. */
static int thing_at(const found_view *v, float x, float y)
{
    int found = -1;
    float least = INFINITY;
    for (int i = 0; i < found_shown(v); i++) {
        viz_rect r = found_box(v, &v->found.things[i]);
        if (viz_inside(r, x, y) && r.w * r.h < least) {
            least = r.w * r.h;
            found = i;
        }
    }
    for (int i = 0; i < v->layout.count; i++)
        if (viz_inside(v->layout.rows[i], x, y))
            found = v->layout.first + i;
    return found;
}

static bool choose_layer(found_view *v, const viz_choices *choices, const viz_event *e, int *now)
{
    int item = viz_choices_hit(choices, e->x, e->y);
    int to = item == choices->count - 1 ? FOUND_MEAN : item;
    if (item < 0 || to == *now)
        return false;
    *now = to;
    keep_within(&v->base);
    return true;
}

static bool press(found_view *v, const viz_event *e)
{
    const found_layout *l = &v->layout;
    if (e->button != 1)
        return false;
    if (l->threshold.rect.w > 0 && viz_slider_hit(&l->threshold, e->x, e->y)) {
        v->dragging = true;
        return set_threshold(v, viz_slider_value(&l->threshold, e->x));
    }
    int thing = thing_at(v, e->x, e->y);
    if (thing >= 0 && thing != v->thing) {
        v->thing = thing;
        return true;
    }
    return (l->layers.count && choose_layer(v, &l->layers, e, &v->layer)) ||
           (l->heads.count && choose_layer(v, &l->heads, e, &v->head));
}

static bool point(found_view *v, const viz_event *e)
{
    int was = v->pointed;
    if (v->dragging && e->kind == VIZ_MOVE)
        return set_threshold(v, viz_slider_value(&v->layout.threshold, e->x));
    v->pointed = e->kind == VIZ_MOVE ? thing_at(v, e->x, e->y) : -1;
    return was != v->pointed;
}

static bool event(viz_view *view, const viz_event *e)
{
    found_view *v = found_of(view);
    switch (e->kind) {
    case VIZ_KEY:
        return viz_keys_press(keys, view, e);
    case VIZ_PRESS:
        return press(v, e);
    case VIZ_RELEASE:
        v->dragging = false;
        return false;
    case VIZ_MOVE:
    case VIZ_LEAVE:
        return point(v, e);
    default:
        return false;
    }
}

static void spots(const viz_view *view, viz_spots *spots)
{
    static const char layer_tip[] = "A layer of the decoder, or the mean of all.";
    static const char head_tip[] = "A head of that layer, or the mean of all.";
    const char *tips[VIZ_MAX_CHOICES];
    const found_view *v = found_of(view);
    const found_layout *l = &v->layout;
    viz_spots_add(spots, l->picture, VIZ_SPOT_AREA,
                  "Boxes of what was found; click one to see what its query looked at.");
    viz_spots_add(spots, l->bar, VIZ_SPOT_READOUT,
                  "What the colours mean; 1/N is the weight that every cell would have, were all "
                  "equal.");
    if (l->threshold.rect.w > 0)
        viz_spots_add_slider(spots, &l->threshold, v->threshold,
                             "Only what is more probable than this is shown.");
    for (int i = 0; i < l->count; i++)
        viz_spots_add(
            spots, l->rows[i], VIZ_SPOT_PRESSES,
            "What was found, and how probable its class is; click to see where it looked.");
    for (int i = 0; i < VIZ_MAX_CHOICES; i++)
        tips[i] = layer_tip;
    if (l->layers.count)
        viz_spots_add_choices(spots, &l->layers, tips);
    for (int i = 0; i < VIZ_MAX_CHOICES; i++)
        tips[i] = head_tip;
    if (l->heads.count)
        viz_spots_add_choices(spots, &l->heads, tips);
}

/* ---------------------------------------------------------------- settings */

static void changed(viz_view *view)
{
    found_of(view)->revision++;
}

static void save_source(const viz_view *view, const viz_setting *setting, viz_put *put, void *user)
{
    (void)setting;
    const sac_source *source = view->source;
    put(user, "file", source->origin.file);
    put(user, "hash", source->origin.hash);
    put(user, "device", source->origin.device);
    put(user, "version", SAC_VERSION);
    put(user, "image", source->weights.opened.image_file);
}

#define IN(member) offsetof(found_view, member)

static void save_place(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    int place = *(const int *)((const char *)view + s->at);
    if (place == FOUND_MEAN)
        put(user, s->name, "mean");
    else if (place != INT_MAX)
        viz_put_whole(put, user, s->name, place);
}

static void take_place(viz_view *view, const viz_setting *s, const char *value)
{
    int *place = (int *)((char *)view + s->at);
    char *end;
    long number = strtol(value, &end, 10);
    if (strcmp(value, "mean") == 0)
        *place = FOUND_MEAN;
    else if (end != value && number >= 0 && number < INT_MAX)
        *place = (int)number;
    keep_within(view);
}

static const viz_setting settings[] = {
    {NULL, .save = save_source},
    {"threshold", VIZ_REAL, IN(threshold), .low = 0, .high = 1, .changed = keep_within},
    {"thing", VIZ_WHOLE, IN(thing), .low = 0, .high = 4095, .changed = keep_within},
    {"layer", VIZ_OWN, IN(layer), .save = save_place, .take = take_place},
    {"head", VIZ_OWN, IN(head), .save = save_place, .take = take_place},
    VIZ_STYLE_SETTINGS(IN, style),
    VIZ_SCALES_SETTING(IN(scales), changed),
    {VIZ_LAYOUT_SETTING},
    {0},
};

/* ---------------------------------------------------------------- numbers */

static bool map(const viz_view *view, viz_map *map)
{
    found_view *v = found_of(view);
    size_t rows = (size_t)v->found.grid_h, columns = (size_t)v->found.grid_w;
    if (!found_fill_map(v) || !viz_map_size(map, rows, columns))
        return false;
    memcpy(map->values, v->map, rows * columns * sizeof *v->map);
    map->image = view->source->picture.image;
    return true;
}

static viz_rect map_rect(const viz_view *view)
{
    return found_of(view)->layout.picture;
}

static bool table(const viz_view *view, viz_table *table)
{
    const found_view *v = found_of(view);
    const sac_detection *thing = found_chosen(v);
    if (!thing)
        return false;
    table->rows = (size_t)v->found.grid_h;
    table->columns = (size_t)v->found.grid_w;
    snprintf(table->title, sizeof table->title, "what query %zu (%s) looked at", thing->query,
             v->found.names[thing->class]);
    return true;
}

static char *table_name(const viz_view *view, bool of_row, size_t index, char *text, size_t size)
{
    (void)view;
    snprintf(text, size, "%s %zu", of_row ? "row" : "column", index);
    return text;
}

static sac_status table_row(viz_view *view, size_t row, float *values, sac_error *error)
{
    found_view *v = found_of(view);
    size_t columns = (size_t)v->found.grid_w;
    (void)error;
    if (found_fill_map(v))
        memcpy(values, v->map + row * columns, columns * sizeof *values);
    return SAC_OK;
}

/* ---------------------------------------------------------------- the class */

static int choose(viz_view *view)
{
    found_view *v = found_of(view);
    int chosen = v->chosen;
    v->chosen = -1;
    return chosen;
}

static void status(const viz_view *view, char *text, size_t size)
{
    const found_view *v = found_of(view);
    const sac_source *source = view->source;
    int used = snprintf(text, size, viz_word("%s  ·  %d × %d cells"), source->title,
                        source->picture.grid_w, source->picture.grid_h);
    if (source->origin.device[0] && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "  ·  %s", source->origin.device);
    if (v->scales && v->scales[0] && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "  ·  %s %s", viz_word("without"),
                         v->scales);
    if (v->found.milliseconds > 0 && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "  ·  %.1f ms", v->found.milliseconds);
}

static void destroy(viz_view *view)
{
    found_view *v = found_of(view);
    sac_found_free(&v->found);
    viz_scaled_free(&v->kept);
    free(v->scales);
    free(v->map);
    free(v);
}

static bool accepts(const sac_source *source)
{
    return source->found.find && source->picture.image;
}

static const char *const hints[VIZ_HINTS] = {
    "Click a box, or ↑ and ↓, to see what its query looked at.",
    "← and → choose a layer of the decoder, R a head.", ", and . show fewer things or more."};

const viz_view_class viz_found_class = {
    .name = "found",
    .tab = "Found",
    .about = "What a model found in the picture, and where it looked for each thing.",
    .accepts = accepts,
    .create = viz_found_view_create,
    .draw = found_draw,
    .figure = found_draw_figure,
    .figure_height = found_figure_height,
    .event = event,
    .want = want,
    .work = work,
    .take = take,
    .choose = choose,
    .status = status,
    .settings = {settings},
    .keys = keys,
    .spots = spots,
    .hints = hints,
    .map = map,
    .map_rect = map_rect,
    .table = table,
    .table_name = table_name,
    .table_row = table_row,
    .destroy = destroy,
};

sac_status viz_found_view_create(sac_source *source, viz_view *beside, viz_view **view,
                                 sac_error *error)
{
    found_view *v = calloc(1, sizeof *v);
    *view = NULL;
    (void)beside;
    if (!v)
        return sac_no_memory(error, "found view");
    v->base = (viz_view){.class = &viz_found_class, .source = source};
    v->style = (viz_heat_style){.overlay = VIZ_LIGHT, VIZ_HEAT_DEFAULTS};
    v->threshold = source->found.threshold > 0 ? source->found.threshold : SAC_FOUND_THRESHOLD;
    v->layer = INT_MAX; /* the last, once it is known */
    v->head = FOUND_MEAN;
    v->pointed = -1;
    v->revision = 1;
    v->wanted = source->picture.number;
    v->chosen = -1;
    *view = &v->base;
    return SAC_OK;
}
