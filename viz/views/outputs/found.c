/* Objects that a model detects in the picture: their boxes, and for each where its query attends. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/outputs_state.h"
#include "parts/figures/frame.h"
#include "view/words.h"

#define TAG_HEIGHT 20.0f

typedef struct found_view {
    outputs_view outputs;
    sac_found found; /* that came last; owned */
    float threshold;
    int layer, head; /* whose attention is drawn; VIZ_MEAN: of all */
    int pointed;     /* the object under the pointer; −1: none */
} found_view;

static found_view *found_of(const void *view)
{
    return (found_view *)view;
}

/* ---------------------------------------------------------------- the result */

static sac_status work(sac_source *source, outputs_job *job, sac_error *error)
{
    return source->found.find(source->self, &job->found, error);
}

static void keep_within(viz_view *view)
{
    found_view *v = found_of(view);
    outputs_keep_within(view);
    if (!v->found.queries)
        return;
    if (v->layer >= (int)v->found.layers)
        v->layer = (int)v->found.layers - 1;
    if (v->head >= (int)v->found.heads)
        v->head = (int)v->found.heads - 1;
}

static void take(outputs_view *view, outputs_job *job)
{
    found_view *v = found_of(view);
    sac_found_free(&v->found);
    v->found = job->found;
    job->found = (sac_found){0};
    view->grid_w = v->found.grid_w;
    view->grid_h = v->found.grid_h;
    view->milliseconds = v->found.milliseconds;
    keep_within(&view->base);
}

static int count(const outputs_view *view)
{
    return (int)sac_found_count(&found_of(view)->found, found_of(view)->threshold);
}

static const sac_detection *chosen(const outputs_view *view)
{
    int shown = count(view), output = view->output;
    return shown ? &found_of(view)->found.things[output < shown ? output : shown - 1] : NULL;
}

static const char *name_of(const outputs_view *view, const sac_detection *thing)
{
    return found_of(view)->found.names[thing->class];
}

static void row(const outputs_view *view, int output, outputs_row *row)
{
    const sac_detection *thing = &found_of(view)->found.things[output];
    row->name = name_of(view, thing);
    row->share = thing->score;
    snprintf(row->numbers, sizeof row->numbers, "%.1f %%", 100 * (double)thing->score);
}

static bool fill_map(outputs_view *view)
{
    const found_view *v = found_of(view);
    const sac_detection *thing = chosen(view);
    if (!thing || !view->map)
        return false;
    sac_found_look(&v->found, thing->query, v->layer < 0 ? SIZE_MAX : (size_t)v->layer,
                   v->head < 0 ? SIZE_MAX : (size_t)v->head, view->map);
    return true;
}

static void name_table(const outputs_view *view, viz_table *table)
{
    const sac_detection *thing = chosen(view);
    snprintf(table->title, sizeof table->title, "what query %zu (%s) looked at", thing->query,
             name_of(view, thing));
}

/* ---------------------------------------------------------------- drawing */

static float clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

/* Where the box of an object lies within the picture. */
static viz_rect box_of(const outputs_view *view, const sac_detection *thing)
{
    viz_rect p = view->layout.picture;
    float x0 = clamp(thing->box[0], 0, 1), y0 = clamp(thing->box[1], 0, 1);
    float x1 = clamp(thing->box[2], x0, 1), y1 = clamp(thing->box[3], y0, 1);
    return (viz_rect){floorf(p.x + x0 * p.w), floorf(p.y + y0 * p.h), ceilf((x1 - x0) * p.w),
                      ceilf((y1 - y0) * p.h)};
}

/* A thin line, which is seen on any picture, or a strong one. */
static void draw_box(viz_canvas *canvas, viz_rect r, bool strong, bool pointed)
{
    const viz_color dark = viz_with_alpha((viz_color){0, 0, 0, 255}, strong ? 0.55f : 0.35f);
    float t = strong ? 3 : pointed ? 2 : 1;
    viz_frame(canvas, (viz_rect){r.x - 1, r.y - 1, r.w + 2, r.h + 2}, t + 2, dark);
    viz_frame(canvas, r, t,
              strong ? canvas->theme->accent
                     : viz_with_alpha((viz_color){244, 246, 248, 255}, pointed ? 1 : 0.8f));
}

/* The name on the box that is chosen: above its upper edge, or where the picture ends inside. */
static void draw_tag(const outputs_view *view, viz_canvas *canvas, const sac_detection *thing)
{
    const viz_theme *theme = canvas->theme;
    viz_rect p = view->layout.picture, box = box_of(view, thing);
    viz_face face = canvas->figure ? VIZ_SANS : VIZ_SANS_BOLD; /* there titles alone are bold */
    char text[SAC_FOUND_NAME + 16], fit[SAC_FOUND_NAME + 16];
    snprintf(text, sizeof text, "%s %.0f %%", name_of(view, thing), 100 * (double)thing->score);
    viz_text_fit(canvas, face, VIZ_LABEL, p.w - 16, text, fit, sizeof fit);
    float w = viz_text_width(canvas, face, VIZ_LABEL, fit) + 12;
    float x = clamp(box.x, p.x, p.x + p.w - w), y = box.y - TAG_HEIGHT;
    if (y < p.y)
        y = box.y;
    viz_fill(canvas, (viz_rect){x, y, w, TAG_HEIGHT}, theme->accent);
    viz_text(canvas, face, VIZ_LABEL, x + 6, y + 14, VIZ_LEFT, theme->on_accent, fit);
}

static void name_map(const found_view *v, char *text, size_t size)
{
    char layer[40], head[40];
    snprintf(layer, sizeof layer, viz_word(v->layer == VIZ_MEAN ? "all layers" : "layer %d"),
             v->layer);
    snprintf(head, sizeof head, viz_word(v->head == VIZ_MEAN ? "mean of heads" : "head %d"),
             v->head);
    snprintf(text, size, "%s, %s", layer, head);
}

static void draw_map(outputs_view *view, viz_canvas *canvas)
{
    const found_view *v = found_of(view);
    const outputs_layout *l = &view->layout;
    const sac_detection *thing = chosen(view);
    int cells = view->grid_w * view->grid_h;
    bool has_map = fill_map(view);
    if (has_map) {
        char name[96];
        name_map(v, name, sizeof name);
        viz_heat(canvas, &view->kept, l->picture, view->map, view->grid_w, view->grid_h,
                 &view->style);
        viz_heat_bar_draw(canvas, l->bar, &view->style, 1 / (float)cells, name);
    }
    for (int i = count(view) - 1; i >= 0; i--)
        if (&v->found.things[i] != thing)
            draw_box(canvas, box_of(view, &v->found.things[i]), false,
                     i == v->pointed && !canvas->figure);
    if (thing) {
        draw_box(canvas, box_of(view, thing), true, false);
        draw_tag(view, canvas, thing);
    }
    if (has_map && viz_heat_is_even(view->map, cells, 0))
        viz_note_draw_over(canvas, l->picture, viz_word(VIZ_EVEN_NOTE));
}

/* “dog, found by query 57 of 100”; of nothing the most probable object, in place of the list. */
static void draw_title(const outputs_view *view, viz_canvas *canvas)
{
    const found_view *v = found_of(view);
    const sac_detection *thing = chosen(view);
    const outputs_layout *l = &view->layout;
    char text[300] = "", name[96];
    if (view->request.problem[0])
        snprintf(text, sizeof text, "%.190s", view->request.problem);
    else if (thing) {
        int used = snprintf(text, sizeof text, viz_word("%s, found by query %d of %d"),
                            name_of(view, thing), (int)thing->query, (int)v->found.queries);
        name_map(v, name, sizeof name);
        if (canvas->figure) /* nothing else gives it there */
            snprintf(text + used, sizeof text - (size_t)used, "; %s", name);
    } else if (v->found.queries)
        snprintf(text, sizeof text, "%s", viz_word("nothing above the threshold"));
    outputs_text(canvas, VIZ_SANS, VIZ_BODY, l->title, canvas->theme->text, text);
    if (thing || !v->found.queries || !view->controls.count)
        return;
    const sac_detection *best = &v->found.things[0];
    viz_rect r = view->controls.items[0].rect; /* the threshold's */
    snprintf(text, sizeof text, viz_word("the most probable: %s, %.1f %%"), name_of(view, best),
             100 * (double)best->score);
    outputs_text(canvas, VIZ_SANS, VIZ_LABEL, (viz_rect){r.x, r.y + r.h + 10, r.w, 0},
                 canvas->theme->text2, text);
}

static const char *note(const outputs_view *view)
{
    (void)view;
    return "What the query that found this looked at when it took from the picture: the decoder's "
           "cross attention. The box and the class come of all layers.";
}

static const char *picture_tip(const outputs_view *view)
{
    (void)view;
    return "Boxes of what was found; click one to see what its query looked at.";
}

static const outputs_kind kind = {
    .class = &viz_found_class,
    .above = {"threshold"},
    .below = {"layer", "head"},
    .row_tip = "What was found, and how probable its class is; click to see where it looked.",
    .picture_tip = picture_tip,
    .bar_tip = "What the colours mean; 1/N is the weight that every cell would have, were all "
               "equal.",
    .status = "%s  ·  %d × %d cells",
    .work = work,
    .take = take,
    .count = count,
    .row = row,
    .fill_map = fill_map,
    .note = note,
    .draw_map = draw_map,
    .draw_title = draw_title,
    .name_table = name_table,
};

/* ---------------------------------------------------------------- what a person changes */

static const viz_key_row keys[] = {
    {"click", "choose a box"},
    {"↑  ↓", "the thing before, the next one", outputs_press_row},
    {"Home  End", "the most probable, the last", outputs_press_end},
    {"←  →", "layer of the decoder, and the mean of all", .setting = "layer"},
    {"R", "head, and the mean of all", .setting = "head"},
    {",  .", "fewer things, more: the threshold", .setting = "threshold", .what = -5},
    VIZ_STYLE_KEYS,
    {"B", "blocky or smooth", .setting = "cells drawn"},
    {"N  P", "another of several pictures", outputs_press_turn, .acts = outputs_has_pictures},
    {NULL, NULL},
};

/* The smallest box at a place, or the row there; −1: none. */
static int thing_at(const outputs_view *view, float x, float y)
{
    int found = outputs_row_at(view, x, y);
    float least = INFINITY;
    for (int i = 0; i < count(view); i++) {
        viz_rect r = box_of(view, &found_of(view)->found.things[i]);
        if (viz_inside(r, x, y) && r.w * r.h < least) {
            least = r.w * r.h;
            found = i;
        }
    }
    return found;
}

static bool event(viz_view *view, const viz_event *e)
{
    found_view *v = found_of(view);
    outputs_view *outputs = &v->outputs;
    if ((e->kind == VIZ_MOVE && !outputs->controls.dragged) || e->kind == VIZ_LEAVE) {
        int was = v->pointed;
        v->pointed = e->kind == VIZ_MOVE ? thing_at(outputs, e->x, e->y) : -1;
        return was != v->pointed;
    }
    int thing = e->kind == VIZ_PRESS && e->button == 1 ? thing_at(outputs, e->x, e->y) : -1;
    if (thing < 0)
        return outputs_event(view, e);
    bool other = thing != outputs->output;
    outputs->output = thing;
    return other;
}

/* "0" to "22", and the mean of all. */
static int numbers(const viz_view *view, const viz_setting *s, const char **names,
                   const char **tips)
{
    static const char *const all[VIZ_MAX_CHOICES - 1] = {
        "0",  "1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",  "9",  "10", "11",
        "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22"};
    const sac_found *found = &found_of(view)->found;
    (void)tips;
    size_t of = s->at == offsetof(found_view, layer) ? found->layers : found->heads;
    if (of == 0 || of >= VIZ_MAX_CHOICES)
        return 0;
    memcpy(names, all, of * sizeof *names);
    names[of] = "mean";
    return (int)of + 1;
}

#define IN(member) offsetof(found_view, member)

static const viz_setting settings[] = {
    {NULL, .save = outputs_save_source},
    {"threshold", VIZ_REAL, IN(threshold), 0, 1, .changed = keep_within, .widget = VIZ_SLIDER,
     .label = "threshold", .grain = 0.01, .tip = "Only what is more probable than this is shown."},
    {"thing", VIZ_WHOLE, IN(outputs.output), 0, 4095, .changed = keep_within},
    {"layer", VIZ_PLACE, IN(layer), .changed = keep_within, .choices = numbers, .widget = VIZ_WORDS,
     .label = "layer", .tip = "A layer of the decoder, or the mean of all."},
    {"head", VIZ_PLACE, IN(head), .changed = keep_within, .choices = numbers, .widget = VIZ_WORDS,
     .label = "head", .tip = "A head of that layer, or the mean of all."},
    VIZ_STYLE_SETTINGS(IN, outputs.style),
    VIZ_SCALES_SETTING(IN(outputs.scales), outputs_changed),
    {VIZ_LAYOUT_SETTING},
    {0},
};

/* ---------------------------------------------------------------- the class */

static sac_status create(sac_source *source, viz_view *beside, viz_view **view, sac_error *error)
{
    found_view *v = (found_view *)outputs_create(&kind, source, sizeof *v, error);
    (void)beside;
    *view = (viz_view *)v;
    if (!v)
        return SAC_E_MEMORY;
    v->outputs.style = (viz_heat_style){.overlay = VIZ_LIGHT, VIZ_HEAT_DEFAULTS};
    v->threshold = source->found.threshold > 0 ? source->found.threshold : SAC_FOUND_THRESHOLD;
    v->layer = INT_MAX; /* the last, once it is known */
    v->head = VIZ_MEAN;
    v->pointed = -1;
    return SAC_OK;
}

static void destroy(viz_view *view)
{
    sac_found_free(&found_of(view)->found);
    outputs_free(outputs_of(view));
}

static bool accepts(const sac_source *source)
{
    return source->found.find && source->picture.image;
}

static const char *const hints[VIZ_HINTS] = {
    "Click a box, or ↑ and ↓, to see what its query looked at.",
    "← and → choose a layer of the decoder, R a head.", ", and . show fewer things or more."};

const viz_view_class viz_found_class = {
    OUTPUTS_CLASS,
    .name = "found",
    .tab = "Found",
    .about = "What a model found in the picture, and where it looked for each thing.",
    .accepts = accepts,
    .create = create,
    .event = event,
    .spots = outputs_spots,
    .settings = {settings},
    .keys = keys,
    .hints = hints,
    .destroy = destroy,
};
