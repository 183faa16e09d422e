/* Views of outputs: the request and its result, keys and the pointer, numbers, settings. */
#include "outputs/outputs_state.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "view/map.h"
#include "view/settings.h"
#include "view/words.h"

static const char *const middle_names[OUTPUTS_MIDDLES] = {"about the mean", "about 0",
                                                          "beside others"};
static const char *const query_names[OUTPUTS_MIDDLES] = {"light", "about 0", "beside others"};
/* By relevance: how its shares are drawn, and what is drawn otherwise. */
static const char *const counted_names[OUTPUTS_MIDDLES] = {"light", "heat", "beside others"};
/* A request for outputs, and what came. */
typedef struct outputs_job {
    viz_job base;
    char *scales; /* of heads; owned; NULL: none */
    char phrases[VIZ_TEXT_FIELD_SIZE];
    sac_likeness_way way;
    int layer, head;   /* of a request */
    sac_result result; /* owned */
} outputs_job;

/* ---------------------------------------------------------------- the result */

static void mark_changed(viz_view *view)
{
    outputs_of(view)->revision++;
}

/* Layers and heads whose maps can be chosen; 0: they are not known yet. */
static int layer_count(const outputs_view *v)
{
    const sac_attentions *a = v->result.attentions;
    return v->is_asked ? (int)v->base.source->weights.layers
           : a         ? (int)a->kind[SAC_CROSS_ATTENTION].layers
                       : 0;
}

static int head_count(const outputs_view *v)
{
    const sac_attentions *a = v->result.attentions;
    return v->is_asked ? (int)v->base.source->weights.heads
           : a         ? (int)a->kind[SAC_CROSS_ATTENTION].heads
                       : 0;
}

static void clamp_selection(viz_view *view)
{
    outputs_view *v = outputs_of(view);
    const int count = outputs_count(v);
    if (v->result.count && v->output >= count)
        v->output = count ? count - 1 : 0;
    if (!layer_count(v))
        return;
    if (v->layer >= layer_count(v))
        v->layer = layer_count(v) - 1;
    if (v->head >= head_count(v))
        v->head = head_count(v) - 1;
}

/* Maps that are not all there are requested. */
static void choose_map(viz_view *view)
{
    outputs_view *v = outputs_of(view);
    clamp_selection(view);
    v->revision += v->is_asked;
}

static void free_job(outputs_job *job)
{
    sac_result_free(&job->result);
    free(job->scales);
    free(job);
}

static viz_job *create_job(viz_view *view)
{
    outputs_view *v = outputs_of(view);
    const char *phrases = v->field.text;
    const bool is_empty = (v->of_phrases || v->is_asked) && !phrases[strspn(phrases, " |")];
    if (is_empty || !viz_request_due(&v->request, v->revision))
        return NULL;
    outputs_job *job = viz_job_create(view->class, sizeof *job);
    if (!job)
        return NULL;
    if (v->scales && !(job->scales = strdup(v->scales))) {
        free(job);
        return NULL;
    }
    memcpy(job->phrases, phrases, sizeof job->phrases);
    job->way = v->way;
    clamp_selection(view);
    job->layer = v->layer == VIZ_MEAN ? 0 : v->layer + 1;
    job->head = v->head == VIZ_MEAN ? 0 : v->head + 1;
    return viz_request_submit(&v->request, &job->base, v->revision);
}

static sac_status run_job(viz_view *view, viz_job *base, sac_error *error)
{
    outputs_job *job = viz_job_of(base, view->class);
    const sac_result_request request = {
        .phrases = job->phrases, .way = job->way, .layer = job->layer, .head = job->head};
    sac_status status = viz_scale_heads(view->source, job->scales, error);
    return status == SAC_OK ? sac_source_generate(view->source, &request, &job->result, error)
                            : status;
}

static void finish_job(viz_view *view, viz_job *base, const sac_error *error)
{
    outputs_view *v = outputs_of(view);
    outputs_job *job = viz_job_of(base, view->class);
    if (viz_request_take(&v->request, error)) {
        const int cells = job->result.grid_w * job->result.grid_h;
        sac_result_free(&v->result);
        v->result = job->result;
        job->result = (sac_result){0};
        free(v->map);
        v->map = viz_allocate((size_t)cells, sizeof *v->map);
        if (v->of_phrases && v->pointed >= cells)
            v->pointed = -1;
        clamp_selection(view);
    }
    free_job(job);
}

/* The numbers of the map: of phrases as the model gives them. NULL: there are none. */
static const float *values_of(const viz_view *view)
{
    outputs_view *v = outputs_of(view);
    return v->of_phrases ? outputs_patch_weights(v) : outputs_fill_map(v) ? v->map : NULL;
}

static bool fill_view_map(const viz_view *view, viz_map *map)
{
    const outputs_view *v = outputs_of(view);
    const size_t rows = (size_t)v->result.grid_h, columns = (size_t)v->result.grid_w;
    const float *values = values_of(view);
    if (!values || !viz_map_allocate(map, rows, columns))
        return false;
    memcpy(map->values, values, rows * columns * sizeof *values);
    map->image = view->source->picture.image;
    return true;
}

static viz_rect map_rect(const viz_view *view)
{
    return outputs_of(view)->layout.picture;
}

static bool table(const viz_view *view, viz_table *table)
{
    const outputs_view *v = outputs_of(view);
    if (!values_of(view))
        return false;
    const char *name = sac_result_share(&v->result, v->output);
    table->rows = (size_t)v->result.grid_h;
    table->columns = (size_t)v->result.grid_w;
    if (v->of_phrases) {
        table->row = v->pointed >= 0 ? (size_t)(v->pointed / v->result.grid_w) : 0;
        snprintf(table->title, sizeof table->title, "%s of patches and “%.200s”",
                 v->way == SAC_LIKENESS_RELEVANCE ? "relevance" : "cosines", name);
    } else
        snprintf(table->title, sizeof table->title, "what %s %zu (%s) looked at",
                 v->is_asked ? "patch" : "query", v->result.outputs[v->output].query, name);
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
    const size_t columns = (size_t)outputs_of(view)->result.grid_w;
    const float *all = values_of(view);
    (void)error;
    if (all)
        memcpy(values, all + row * columns, columns * sizeof *values);
    return SAC_OK;
}

static int take_chosen_picture(viz_view *view)
{
    outputs_view *v = outputs_of(view);
    int chosen = v->chosen;
    v->chosen = -1;
    return chosen;
}

static void status(const viz_view *view, char *text, size_t size)
{
    const outputs_view *v = outputs_of(view);
    const sac_source *source = view->source;
    const bool is_page = v->result.has_score; /* of which a patch may be several of what sees */
    int used = snprintf(text, size,
                        viz_word(v->of_phrases ? "%s  ·  %d × %d patches" : "%s  ·  %d × %d cells"),
                        source->title, is_page ? v->result.grid_w : source->picture.grid_w,
                        is_page ? v->result.grid_h : source->picture.grid_h);
    if (source->origin.device[0] && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "  ·  %s", source->origin.device);
    if (v->scales && v->scales[0] && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "  ·  %s %s", viz_word("without"),
                         v->scales);
    if (v->result.milliseconds > 0 && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "  ·  %.1f ms", v->result.milliseconds);
}

/* ---------------------------------------------------------------- keys and the pointer */

static bool press_next_output(viz_view *view, viz_pressed pressed)
{
    outputs_view *v = outputs_of(view);
    int count = outputs_count(v);
    if (count < 2)
        return false;
    v->output = (int)viz_next((size_t)v->output, pressed.step, (size_t)count);
    return true;
}

static bool press_first_or_last(viz_view *view, viz_pressed pressed)
{
    outputs_view *v = outputs_of(view);
    int to = pressed.step < 0 ? 0 : outputs_count(v) - 1;
    if (to < 0 || to == v->output)
        return false;
    v->output = to;
    return true;
}

static bool press_next_picture(viz_view *view, viz_pressed pressed)
{
    outputs_view *v = outputs_of(view);
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

static bool press_begin_typing(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    viz_text_field_begin(&outputs_of(view)->field);
    return true;
}

static bool has_phrases(const viz_view *view)
{
    return outputs_of(view)->of_phrases || outputs_of(view)->is_asked;
}

static bool has_ways(const viz_view *view)
{
    return !outputs_of(view)->is_query;
}

static const viz_key_row object_keys[] = {
    {"ctrl L  ctrl A", "type phrases, with | between them", press_begin_typing,
     .acts = has_phrases},
    {"ctrl V", "paste them", .acts = has_phrases},
    {"click", "choose a box"},
    {"↑  ↓", "the thing before, the next one", press_next_output},
    {"Home  End", "the most probable, the last", press_first_or_last},
    {"←  →", "layer, and the mean of all", .setting = "layer"},
    {"R", "head, and the mean of all", .setting = "head"},
    {",  .", "fewer things, more: the threshold", .setting = "threshold", .what = -5},
    VIZ_STYLE_KEYS,
    {"B", "blocky or smooth", .setting = "cells drawn"},
    {"N  P", "another of several pictures", press_next_picture, .acts = has_pictures},
    {NULL, NULL},
};

static const viz_key_row phrase_keys[] = {
    {"ctrl L  ctrl A", "type phrases, with | between them, or a query", press_begin_typing},
    {"ctrl V", "paste them"},
    {"click", "choose a phrase"},
    {"pointer", "the likeness of one patch"},
    {"↑  ↓", "the phrase before, the next one", press_next_output},
    {"G", "which states of patches are compared, or what counted", .setting = "likeness",
     .acts = has_ways},
    {"L", "what the middle of the colours is, or how what counted is shown", .setting = "scale"},
    {"B", "blocky or smooth", .setting = "cells drawn"},
    {"[  ]", "less, more colour", viz_press_change_strength},
    {"N  P", "another of several pictures", press_next_picture, .acts = has_pictures},
    {NULL, NULL},
};

/* The row, or the smallest box, at a place; −1: none. */
static int output_at(const outputs_view *v, float x, float y)
{
    int found = -1;
    float least = INFINITY;
    for (int i = 0; i < v->layout.count; i++)
        if (viz_inside(v->layout.rows[i], x, y))
            found = v->layout.first + i;
    for (int i = 0; !v->of_phrases && i < outputs_count(v); i++) {
        viz_rect r = outputs_box(v, i);
        if (viz_inside(r, x, y) && r.w * r.h < least) {
            least = r.w * r.h;
            found = i;
        }
    }
    return found;
}

static bool update_pointed(outputs_view *v, const viz_event *e)
{
    const viz_rect r = v->layout.picture;
    const int was = v->pointed;
    v->pointed = -1;
    if (e->kind == VIZ_MOVE && !v->of_phrases)
        v->pointed = output_at(v, e->x, e->y);
    else if (e->kind == VIZ_MOVE && v->result.count && viz_inside(r, e->x, e->y))
        v->pointed = (int)((e->y - r.y) / r.h * (float)v->result.grid_h) * v->result.grid_w +
                     (int)((e->x - r.x) / r.w * (float)v->result.grid_w);
    return was != v->pointed;
}

static viz_rect field_of(const outputs_view *v)
{
    viz_rect r = v->layout.header;
    return (viz_rect){r.x, r.y, r.w, r.h > 0 ? OUTPUTS_FIELD : 0};
}

static bool event(viz_view *view, const viz_event *e)
{
    outputs_view *v = outputs_of(view);
    bool other = false, was_typing = v->field.typing;
    if ((e->kind == VIZ_MOVE && !v->controls.dragged) || e->kind == VIZ_LEAVE)
        return update_pointed(v, e);
    if (e->kind == VIZ_KEY && has_phrases(view) && e->ctrl && e->key == 'v') {
        other = viz_text_field_paste(&v->field, e->text ? e->text : "");
        v->revision += other && e->text && e->text[0];
        return other;
    }
    if (e->kind == VIZ_KEY && was_typing) {
        bool taken = viz_text_field_key(&v->field, e, &other);
        v->revision += other;
        return taken;
    }
    if (e->kind == VIZ_KEY)
        return viz_keys_press(view->class->keys, view, e);
    const bool presses = e->kind == VIZ_PRESS && e->button == 1;
    if (presses && viz_inside(field_of(v), e->x, e->y))
        return press_begin_typing(view, (viz_pressed){0});
    if (presses)
        v->field.typing = v->field.all = false;
    else
        was_typing = false;
    if (viz_controls_event(&v->controls, view, e, &other))
        return other || was_typing;
    int output = presses ? output_at(v, e->x, e->y) : -1;
    other = output >= 0 && output != v->output;
    v->output = other ? output : v->output;
    return other || was_typing;
}

static void add_spots(const viz_view *view, viz_spots *spots)
{
    const outputs_view *v = outputs_of(view);
    const outputs_layout *l = &v->layout;
    if (has_phrases(view))
        viz_spots_add(spots, field_of(v), VIZ_SPOT_PRESSES,
                      v->is_query
                          ? "Click, and type what is looked for in the page."
                          : "Click, and type what may be in the picture, with | between phrases.");
    viz_spots_add(
        spots, l->picture, VIZ_SPOT_AREA,
        !v->of_phrases ? "Boxes of what was found; click one to see what its query looked at."
        : v->way == SAC_LIKENESS_RELEVANCE
            ? "Each patch by what of it counted for the phrase."
            : "Each patch by the cosine of what the model makes of it and of the phrase.");
    viz_spots_add(spots, l->bar, VIZ_SPOT_READOUT,
                  v->of_phrases ? "What the colours mean."
                                : "What the colours mean; 1/N is the weight that every cell would "
                                  "have, were all equal.");
    for (int i = 0; i < l->count; i++)
        viz_spots_add(
            spots, l->rows[i], VIZ_SPOT_PRESSES,
            v->is_query ? "The largest cosine of this word with the page; click to see its patches."
            : v->of_phrases
                ? "How much the whole picture is like this phrase; click to see its patches."
                : "What was found, and how probable its class is; click to see where it looked.");
    viz_controls_spots(&v->controls, view, spots);
}

/* ---------------------------------------------------------------- settings */

static void restore_text(viz_view *view, const viz_setting *s, const char *value)
{
    outputs_view *v = outputs_of(view);
    (void)s;
    if (strcmp(value, v->field.text) == 0 || strlen(value) >= sizeof v->field.text)
        return;
    viz_text_field_set(&v->field, value);
    v->revision++;
}

/* "0" to "22", and the mean of all. */
static int layer_or_head_choices(const viz_view *view, const viz_setting *s, const char **names,
                                 const char **tips)
{
    static const char *const all[VIZ_MAX_CHOICES - 1] = {
        "0",  "1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",  "9",  "10", "11",
        "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22"};
    const outputs_view *v = outputs_of(view);
    const int of = s->at == offsetof(outputs_view, layer) ? layer_count(v) : head_count(v);
    (void)tips;
    if (of == 0 || of >= VIZ_MAX_CHOICES)
        return 0;
    memcpy(names, all, (size_t)of * sizeof *names);
    names[of] = "mean";
    return of + 1;
}

/* The middles, or by relevance how its shares are drawn. */
static int middle_choices(const viz_view *view, const viz_setting *s, const char **names,
                          const char **tips)
{
    const char *const middle_tips[OUTPUTS_MIDDLES] = {
        "Orange is more like the phrase than the mean of all patches, blue less.",
        "Orange is a cosine above 0, blue one below.",
        "Orange is more like this phrase than like the others, blue less."};
    const char *const counted_tips[OUTPUTS_MIDDLES] = {
        viz_overlay_tips[VIZ_LIGHT], viz_overlay_tips[VIZ_HEAT],
        "Orange counted more for this phrase than for the others, blue less."};
    const char *const query_tips[OUTPUTS_MIDDLES] = {
        "Patches that are more like the word than the mean of all are lit.", middle_tips[1],
        middle_tips[2]};
    const bool counts = outputs_of(view)->way == SAC_LIKENESS_RELEVANCE;
    const bool is_query = outputs_of(view)->is_query;
    (void)s;
    memcpy(names,
           is_query ? query_names
           : counts ? counted_names
                    : middle_names,
           sizeof middle_names);
    memcpy(tips, is_query ? query_tips : counts ? counted_tips : middle_tips, sizeof middle_tips);
    return OUTPUTS_MIDDLES;
}

/* A query is compared in one way. */
static int way_choices(const viz_view *view, const viz_setting *s, const char **names,
                       const char **tips)
{
    if (!has_ways(view))
        return 0;
    memcpy(names, s->names, SAC_LIKENESS_WAYS * sizeof *names);
    memcpy(tips, s->tips, SAC_LIKENESS_WAYS * sizeof *tips);
    return SAC_LIKENESS_WAYS;
}

static const char *const way_tips[SAC_LIKENESS_WAYS] = {
    "States of patches as they leave the last layer.",
    "Each patch attends to itself alone in the last layer.",
    "In the last layer patches attend by their values to those like them.",
    "What of the picture and of the phrase counted for their likeness."};

#define IN(member) offsetof(outputs_view, member)

static const viz_setting object_settings[] = {
    {NULL, .save = viz_save_origin},
    {"sentence", VIZ_TEXT, IN(field.text), .take = restore_text, .only = has_phrases},
    {"threshold", VIZ_REAL, IN(threshold), 0, 1, .changed = clamp_selection, .widget = VIZ_SLIDER,
     .label = "threshold", .grain = 0.01, .option = "--threshold", .value_name = "P",
     .tip = "Only what is more probable than this is shown."},
    {"thing", VIZ_WHOLE, IN(output), 0, 4095, .changed = clamp_selection},
    {"layer", VIZ_PLACE, IN(layer), .changed = choose_map, .choices = layer_or_head_choices,
     .widget = VIZ_WORDS, .label = "layer", .tip = "A layer, or the mean of all."},
    {"head", VIZ_PLACE, IN(head), .changed = choose_map, .choices = layer_or_head_choices,
     .widget = VIZ_WORDS, .label = "head", .tip = "A head of that layer, or the mean of all."},
    VIZ_STYLE_SETTINGS(IN, style),
    VIZ_SCALES_SETTING(IN(scales), mark_changed),
    {VIZ_LAYOUT_SETTING},
    {0},
};

static const viz_setting phrase_settings[] = {
    {NULL, .save = viz_save_origin},
    {"sentence", VIZ_TEXT, IN(field.text), .take = restore_text},
    {"likeness", VIZ_CHOICE, IN(way), VIZ_NAMES(sac_likeness_way_names), .changed = mark_changed,
     .widget = VIZ_WORDS, .label = "compare", .tips = way_tips, .choices = way_choices,
     .only = has_ways,
     VIZ_OPTION("--likeness", "L",
                "which states of patches are compared with a phrase, or what counted")},
    {"phrase", VIZ_WHOLE, IN(output), 0, SAC_MAX_TOKENS - 1, .changed = clamp_selection},
    {"scale", VIZ_CHOICE, IN(middle), VIZ_NAMES(middle_names), .widget = VIZ_WORDS, .label = "show",
     .choices = middle_choices},
    {"brightness", VIZ_REAL, IN(style.brightness), 0, 1},
    {"opacity", VIZ_REAL, IN(style.opacity), 0, 1},
    {"cells drawn", VIZ_SWITCH, IN(style.blocky), VIZ_NAMES(viz_smooth_blocky)},
    VIZ_SCALES_SETTING(IN(scales), mark_changed),
    {VIZ_LAYOUT_SETTING},
    {0},
};

/* ---------------------------------------------------------------- the classes */

static sac_status create(const viz_view_class *class, sac_source *source, viz_view **view,
                         sac_error *error)
{
    const sac_result_source *asked = &source->result;
    outputs_view *v = calloc(1, sizeof *v);
    *view = (viz_view *)v;
    if (!v)
        return sac_no_memory(error, class->name);
    v->base = (viz_view){.class = class, .source = source};
    v->of_phrases = class == &viz_likeness_class;
    v->is_asked = asked->finds_phrases;
    v->is_query = asked->reads_query;
    v->revision = 1;
    v->wanted = source->picture.number;
    v->chosen = v->pointed = -1;
    v->style = v->of_phrases
                   ? (viz_heat_style){.overlay = VIZ_HEAT, .map = VIZ_DIVERGING, VIZ_HEAT_DEFAULTS}
                   : (viz_heat_style){.overlay = VIZ_LIGHT, VIZ_HEAT_DEFAULTS};
    v->threshold = asked->threshold > 0 ? asked->threshold : SAC_OBJECT_THRESHOLD;
    v->layer = INT_MAX; /* the last, once it is known */
    v->head = VIZ_MEAN;
    v->way = asked->way;
    viz_text_field_set(&v->field, asked->phrases[0] ? asked->phrases
                                  : v->is_query     ? SAC_FIRST_QUERY
                                                    : SAC_FIRST_PHRASES);
    return SAC_OK;
}

static sac_status create_objects(sac_source *source, viz_view *beside, viz_view **view,
                                 sac_error *error)
{
    (void)beside;
    return create(&viz_found_class, source, view, error);
}

static sac_status create_phrases(sac_source *source, viz_view *beside, viz_view **view,
                                 sac_error *error)
{
    (void)beside;
    return create(&viz_likeness_class, source, view, error);
}

static void destroy(viz_view *view)
{
    outputs_view *v = outputs_of(view);
    sac_result_free(&v->result);
    viz_scaled_free(&v->kept);
    free(v->scales);
    free(v->map);
    free(v);
}

static bool typing(const viz_view *view)
{
    return outputs_of(view)->field.typing;
}

static bool accepts(const sac_source *source, sac_output_kind outputs)
{
    return source->result.generate && source->result.outputs == outputs && source->picture.image;
}

static bool accepts_objects(const sac_source *source)
{
    return accepts(source, SAC_OUTPUT_BOXES);
}

static bool accepts_phrases(const sac_source *source)
{
    return accepts(source, SAC_OUTPUT_PHRASES);
}

static const char *const object_hints[VIZ_HINTS] = {
    "Click a box, or ↑ and ↓, to see what its query looked at.",
    "← and → choose a layer, R a head.", ", and . show fewer things or more."};

static const char *const phrase_hints[VIZ_HINTS] = {
    "ctrl L types phrases, with | between them, or a query.",
    "↑ and ↓ choose a phrase, G which states of patches are compared, or what counted.",
    "Point at a patch to read its likeness."};

#define OUTPUTS_CLASS                                                                              \
    .event = event, .spots = add_spots, .draw = outputs_draw, .figure = outputs_draw_figure,       \
    .figure_height = outputs_figure_height, .create_job = create_job, .run_job = run_job,          \
    .finish_job = finish_job, .choose = take_chosen_picture, .status = status,                     \
    .map = fill_view_map, .map_rect = map_rect, .table = table, .table_name = table_name,          \
    .table_row = table_row, .destroy = destroy

const viz_view_class viz_found_class = {
    OUTPUTS_CLASS,
    .name = "found",
    .tab = "Found",
    .about = "What a model found in the picture, and where it looked for each thing.",
    .accepts = accepts_objects,
    .create = create_objects,
    .settings = {object_settings},
    .keys = object_keys,
    .hints = object_hints,
    .typing = typing,
};

const viz_view_class viz_likeness_class = {
    OUTPUTS_CLASS,
    .name = "likeness",
    .tab = "Likeness",
    .about = "A phrase that you type, and which patches of the picture are like it.",
    .accepts = accepts_phrases,
    .create = create_phrases,
    .settings = {phrase_settings},
    .keys = phrase_keys,
    .hints = phrase_hints,
    .typing = typing,
};
