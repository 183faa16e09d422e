/* Phrases that a picture is compared with: how much the picture, and each of its patches, is like
 * each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/outputs_state.h"
#include "parts/figures/frame.h"
#include "view/words.h"

/* What the middle of the colours is. */
typedef enum likeness_middle {
    MIDDLE_MEAN = 0, /* the mean of all patches */
    MIDDLE_ZERO,
    MIDDLE_PHRASES, /* at each patch the mean of all phrases, whose part in common is taken off */
    MIDDLE_COUNT
} likeness_middle;
static const char *const middle_names[MIDDLE_COUNT] = {"about the mean", "about 0",
                                                       "beside others"};
/* By relevance: how its shares are drawn, and what is drawn otherwise. */
static const char *const counted_names[MIDDLE_COUNT] = {"light", "heat", "beside others"};
static const char *const bar_names[MIDDLE_COUNT] = {
    "cosine; in the middle the mean of all patches",
    "cosine; in the middle 0",
    "cosine less the mean of all phrases",
};
static const char *const way_notes[SAC_LIKENESS_WAYS] = {
    [SAC_LIKENESS_STATES] = "States of patches as they leave the last layer. The model was trained "
                            "on whole pictures: what its "
                            "patches give is noisy, and CLIP's often point away from the thing.",
    [SAC_LIKENESS_VALUES] = "In the last layer each patch attends to itself alone: it is its own "
                            "value (MaskCLIP, Zhou et al. 2022).",
    [SAC_LIKENESS_VALUE_VALUE] =
        "In the last layer values are queries and keys, too, so that patches attend to those like "
        "them (CLIP Surgery, Li et al. 2023, in more layers).",
    [SAC_LIKENESS_RELEVANCE] =
        "What counted for the likeness of the whole picture, and which words: attention times the "
        "gradient of the logit, through all layers (Chefer et al. 2021). Each map sums to 1.",
};
/* Used where no phrases are given. */
static const char first_phrases[] = "a photo of a dog | a photo of a cat | a photo of a person";

typedef struct likeness_view {
    outputs_view outputs;
    viz_text_field field;
    sac_likeness_way way;
    likeness_middle middle;
    sac_likeness likeness; /* that came last; owned */
    bool pointed;
    int column, row;  /* the patch under the pointer */
    float most, mean; /* the map's largest size; and its middle, where that is one number */
} likeness_view;

static likeness_view *likeness_of(const void *view)
{
    return (likeness_view *)view;
}

/* ---------------------------------------------------------------- the result */

static bool ready(const outputs_view *view)
{
    const char *text = likeness_of(view)->field.text;
    return text[strspn(text, " |")];
}

static void ask(const outputs_view *view, outputs_job *job)
{
    memcpy(job->phrases, likeness_of(view)->field.text, sizeof job->phrases);
    job->way = likeness_of(view)->way;
}

static sac_status work(sac_source *source, outputs_job *job, sac_error *error)
{
    return source->likeness.compare(source->self, job->phrases, job->way, &job->likeness, error);
}

static void take(outputs_view *view, outputs_job *job)
{
    likeness_view *v = likeness_of(view);
    sac_likeness_free(&v->likeness);
    v->likeness = job->likeness;
    job->likeness = (sac_likeness){0};
    view->grid_w = v->likeness.grid_w;
    view->grid_h = v->likeness.grid_h;
    view->milliseconds = v->likeness.milliseconds;
}

static int count(const outputs_view *view)
{
    return likeness_of(view)->likeness.count;
}

/* A softmax over one phrase has no meaning. */
static bool has_probability(const sac_likeness *s)
{
    return s->each || s->count > 1;
}

static void row(const outputs_view *view, int phrase, outputs_row *row)
{
    const sac_likeness *s = &likeness_of(view)->likeness;
    char number[32];
    viz_number(s->whole[phrase], number, sizeof number);
    row->name = s->phrase[phrase];
    if (!has_probability(s)) {
        snprintf(row->numbers, sizeof row->numbers, "%s", number);
        return;
    }
    row->share = s->probability[phrase];
    snprintf(row->numbers, sizeof row->numbers, "%s  %5.1f %%", number, 100 * (double)row->share);
}

/* Cosines [grid_h,grid_w] of the chosen phrase; NULL: none are known yet. */
static const float *patches_of(const outputs_view *view)
{
    const sac_likeness *s = &likeness_of(view)->likeness;
    return s->patches ? s->patches + (size_t)view->output * (size_t)(s->grid_w * s->grid_h) : NULL;
}

static float mean_of_phrases(const sac_likeness *s, size_t patch, size_t patches)
{
    double sum = 0;
    for (int i = 0; i < s->count; i++)
        sum += (double)s->patches[(size_t)i * patches + patch];
    return (float)(sum / s->count);
}

/* What counted is shares of 1: from 0 on, as light or heat, and not around a middle. */
static bool is_share(const likeness_view *v)
{
    return v->way == SAC_LIKENESS_RELEVANCE && v->middle != MIDDLE_PHRASES;
}

static bool fill_map(outputs_view *view)
{
    likeness_view *v = likeness_of(view);
    const float *patches = patches_of(view);
    size_t cells = (size_t)(view->grid_w * view->grid_h);
    double sum = 0;
    if (!patches || !view->map)
        return false;
    for (size_t i = 0; i < cells; i++)
        sum += (double)patches[i];
    const bool is_mean = v->middle == MIDDLE_MEAN && !is_share(v);
    v->mean = is_mean ? (float)(sum / (double)cells) : 0;
    v->most = 0;
    for (size_t i = 0; i < cells; i++) {
        float middle =
            v->middle == MIDDLE_PHRASES ? mean_of_phrases(&v->likeness, i, cells) : v->mean;
        view->map[i] = patches[i] - middle;
        v->most = fmaxf(v->most, fabsf(view->map[i]));
    }
    v->most = fmaxf(v->most, 1e-6f);
    return true;
}

static void name_table(const outputs_view *view, viz_table *table)
{
    const likeness_view *v = likeness_of(view);
    table->row = v->pointed ? (size_t)v->row : 0;
    snprintf(table->title, sizeof table->title, "%s of patches and “%.200s”",
             v->way == SAC_LIKENESS_RELEVANCE ? "relevance" : "cosines",
             v->likeness.phrase[view->output]);
}

/* ---------------------------------------------------------------- drawing */

static void draw_header(outputs_view *view, viz_canvas *canvas)
{
    const likeness_view *v = likeness_of(view);
    const sac_likeness *s = &v->likeness;
    viz_rect r = view->layout.header;
    const char *text =
        view->request.problem[0]   ? view->request.problem
        : !v->field.text[0]        ? "type what may be in the picture"
        : s->count < 2 && !s->each ? "with | between several phrases they are compared"
        : s->each ? "of the whole picture: its cosine to each phrase, and the probability "
                    "that it fits"
                  : "of the whole picture: its cosine to each phrase, and the "
                    "probability among them";
    viz_text_field_draw(&v->field, canvas, (viz_rect){r.x, r.y, r.w, OUTPUTS_FIELD},
                        "phrases, such as: a dog | a cat");
    outputs_text(canvas, VIZ_SANS, VIZ_LABEL, (viz_rect){r.x, r.y + OUTPUTS_FIELD + 4, r.w, 0},
                 canvas->theme->text2, viz_word(text));
}

static void draw_map(outputs_view *view, viz_canvas *canvas)
{
    const likeness_view *v = likeness_of(view);
    const outputs_layout *l = &view->layout;
    viz_heat_style style = view->style;
    const bool shares = is_share(v);
    if (!fill_map(view))
        return;
    style.scale = (viz_scale){VIZ_FIXED, shares ? 0 : -v->most, v->most};
    if (shares) {
        style.overlay = v->middle == MIDDLE_MEAN ? VIZ_LIGHT : VIZ_HEAT;
        style.map = VIZ_INFERNO;
    }
    viz_heat(canvas, &view->kept, l->picture, view->map, view->grid_w, view->grid_h, &style);
    if (v->pointed && !canvas->figure) {
        float w = l->picture.w / (float)view->grid_w, h = l->picture.h / (float)view->grid_h;
        viz_frame_apart(
            canvas,
            (viz_rect){l->picture.x + w * (float)v->column, l->picture.y + h * (float)v->row, w, h},
            2);
    }
    const viz_scale named = {VIZ_FIXED, v->mean - v->most, v->mean + v->most};
    if (shares)
        viz_heat_bar_draw(canvas, l->bar, &style, 1 / (float)(view->grid_w * view->grid_h),
                          "relevance; 1 in all");
    else
        viz_bar_draw(canvas, l->bar, viz_map_colors(canvas->theme, VIZ_DIVERGING), &named, 0,
                     v->way == SAC_LIKENESS_RELEVANCE ? "relevance less the mean of all phrases"
                                                      : bar_names[v->middle]);
}

/* The words of a phrase beside each other, each on as much colour as it counted for; those that find
 * no room are left out. */
static void draw_words(viz_canvas *canvas, const sac_phrase_words *words, viz_rect r)
{
    const viz_color strong = viz_map_color(canvas->theme, VIZ_DIVERGING, 0.8f);
    float x = r.x, most = 1e-6f;
    for (size_t i = 0; i < words->labels.count; i++)
        most = fmaxf(most, words->relevance[i]);
    for (size_t i = 0; i < words->labels.count; i++) {
        const char *label = words->labels.text[i];
        viz_rect box = {x, r.y, viz_text_width(canvas, VIZ_SANS, VIZ_BODY, label) + 10, r.h - 3};
        if (box.x + box.w > r.x + r.w)
            return;
        viz_fill_round(canvas, box, 4, viz_with_alpha(strong, 0.6f * words->relevance[i] / most));
        viz_text(canvas, VIZ_SANS, VIZ_BODY, x + 5, r.y + 14, VIZ_LEFT, canvas->theme->text, label);
        x += box.w + 3;
    }
}

/* “a dog”, and at the right what the patch under the pointer has. */
static void draw_title(const outputs_view *view, viz_canvas *canvas)
{
    const likeness_view *v = likeness_of(view);
    const float *patches = patches_of(view);
    viz_rect r = view->layout.title;
    char text[SAC_PHRASE_SIZE + 8], number[32];
    if (!patches)
        return;
    if (v->pointed && !canvas->figure) {
        snprintf(text, sizeof text, "(%d, %d)  %s", v->column, v->row,
                 viz_number(patches[v->row * view->grid_w + v->column], number, sizeof number));
        r.w -= 16 + viz_text(canvas, VIZ_MONO, VIZ_LABEL, r.x + fminf(r.w, view->layout.bar.w),
                             r.y + 14, VIZ_RIGHT, canvas->theme->text, text);
    }
    if (v->likeness.words[view->output].labels.count) {
        draw_words(canvas, &v->likeness.words[view->output], r);
        return;
    }
    snprintf(text, sizeof text, "“%s”", v->likeness.phrase[view->output]);
    outputs_text(canvas, VIZ_SANS, VIZ_BODY, r, canvas->theme->text, text);
}

static const char *note(const outputs_view *view)
{
    return way_notes[likeness_of(view)->way];
}

static const char *picture_tip(const outputs_view *view)
{
    return likeness_of(view)->way == SAC_LIKENESS_RELEVANCE
               ? "Each patch by what of it counted for the phrase."
               : "Each patch by the cosine of what the model makes of it and of the phrase.";
}

static const outputs_kind kind = {
    .class = &viz_likeness_class,
    .below = {"likeness", "scale"},
    .row_tip = "How much the whole picture is like this phrase; click to see its patches.",
    .picture_tip = picture_tip,
    .bar_tip = "What the colours mean.",
    .status = "%s  ·  %d × %d patches",
    .figure_has_rows = true,
    .header = OUTPUTS_FIELD + OUTPUTS_LINE + 8,
    .draw_header = draw_header,
    .ready = ready,
    .ask = ask,
    .work = work,
    .take = take,
    .count = count,
    .row = row,
    .fill_map = fill_map,
    .values = patches_of,
    .note = note,
    .draw_map = draw_map,
    .draw_title = draw_title,
    .name_table = name_table,
};

/* ---------------------------------------------------------------- what a person changes */

static bool press_type(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    viz_text_field_begin(&likeness_of(view)->field);
    return true;
}

static const viz_key_row keys[] = {
    {"ctrl L  ctrl A", "type phrases, with | between them", press_type},
    {"ctrl V", "paste them"},
    {"click", "choose a phrase"},
    {"pointer", "the likeness of one patch"},
    {"↑  ↓", "the phrase before, the next one", outputs_press_row},
    {"G", "which states of patches are compared, or what counted", .setting = "likeness"},
    {"L", "what the middle of the colours is, or how what counted is shown", .setting = "scale"},
    {"B", "blocky or smooth", .setting = "cells drawn"},
    {"[  ]", "less, more colour", viz_press_strength},
    {"N  P", "another of several pictures", outputs_press_turn, .acts = outputs_has_pictures},
    {NULL, NULL},
};

static bool point(likeness_view *v, const viz_event *e)
{
    viz_rect r = v->outputs.layout.picture;
    bool was = v->pointed;
    int column = v->column, row = v->row;
    v->pointed = e->kind == VIZ_MOVE && v->likeness.patches && viz_inside(r, e->x, e->y);
    if (v->pointed) {
        v->column = (int)((e->x - r.x) / r.w * (float)v->likeness.grid_w);
        v->row = (int)((e->y - r.y) / r.h * (float)v->likeness.grid_h);
    }
    return was != v->pointed || (was && (column != v->column || row != v->row));
}

static viz_rect field_of(const outputs_view *view)
{
    viz_rect r = view->layout.header;
    return (viz_rect){r.x, r.y, r.w, r.h > 0 ? OUTPUTS_FIELD : 0};
}

static bool event(viz_view *view, const viz_event *e)
{
    likeness_view *v = likeness_of(view);
    bool other = false, was_typing = v->field.typing;
    if (e->kind == VIZ_MOVE || e->kind == VIZ_LEAVE)
        return point(v, e);
    if (e->kind == VIZ_KEY && e->ctrl && e->key == 'v') {
        other = viz_text_field_paste(&v->field, e->text ? e->text : "");
        v->outputs.revision += other && e->text && e->text[0];
        return other;
    }
    if (e->kind == VIZ_KEY && was_typing) {
        bool taken = viz_text_field_key(&v->field, e, &other);
        v->outputs.revision += other;
        return taken;
    }
    if (e->kind != VIZ_PRESS || e->button != 1)
        return outputs_event(view, e);
    if (viz_inside(field_of(&v->outputs), e->x, e->y))
        return press_type(view, (viz_pressed){0});
    v->field.typing = v->field.all = false;
    return outputs_event(view, e) || was_typing;
}

static void spots(const viz_view *view, viz_spots *spots)
{
    viz_spots_add(spots, field_of(outputs_of(view)), VIZ_SPOT_PRESSES,
                  "Click, and type what may be in the picture, with | between phrases.");
    outputs_spots(view, spots);
}

static void take_text(viz_view *view, const viz_setting *s, const char *value)
{
    likeness_view *v = likeness_of(view);
    (void)s;
    if (strcmp(value, v->field.text) == 0 || strlen(value) >= sizeof v->field.text)
        return;
    viz_text_field_set(&v->field, value);
    v->outputs.revision++;
}

/* The middles, or by relevance how its shares are drawn. */
static int middles(const viz_view *view, const viz_setting *s, const char **names,
                   const char **tips)
{
    const char *const middle_tips[MIDDLE_COUNT] = {
        "Orange is more like the phrase than the mean of all patches, blue less.",
        "Orange is a cosine above 0, blue one below.",
        "Orange is more like this phrase than like the others, blue less."};
    const char *const counted_tips[MIDDLE_COUNT] = {
        viz_overlay_tips[VIZ_LIGHT], viz_overlay_tips[VIZ_HEAT],
        "Orange counted more for this phrase than for the others, blue less."};
    bool counts = likeness_of(view)->way == SAC_LIKENESS_RELEVANCE;
    (void)s;
    memcpy(names, counts ? counted_names : middle_names, sizeof middle_names);
    memcpy(tips, counts ? counted_tips : middle_tips, sizeof middle_tips);
    return MIDDLE_COUNT;
}

static const char *const way_tips[SAC_LIKENESS_WAYS] = {
    "States of patches as they leave the last layer.",
    "Each patch attends to itself alone in the last layer.",
    "In the last layer patches attend by their values to those like them.",
    "What of the picture and of the phrase counted for their likeness."};

#define IN(member) offsetof(likeness_view, member)

static const viz_setting settings[] = {
    {NULL, .save = outputs_save_source},
    {"sentence", VIZ_TEXT, IN(field.text), .take = take_text},
    {"likeness", VIZ_CHOICE, IN(way), VIZ_NAMES(sac_likeness_way_names), .changed = outputs_changed,
     .widget = VIZ_WORDS, .label = "compare", .tips = way_tips},
    {"phrase", VIZ_WHOLE, IN(outputs.output), 0, SAC_PHRASES - 1, .changed = outputs_keep_within},
    {"scale", VIZ_CHOICE, IN(middle), VIZ_NAMES(middle_names), .widget = VIZ_WORDS, .label = "show",
     .choices = middles},
    {"brightness", VIZ_REAL, IN(outputs.style.brightness), 0, 1},
    {"opacity", VIZ_REAL, IN(outputs.style.opacity), 0, 1},
    {"cells drawn", VIZ_SWITCH, IN(outputs.style.blocky), VIZ_NAMES(viz_smooth_blocky)},
    VIZ_SCALES_SETTING(IN(outputs.scales), outputs_changed),
    {VIZ_LAYOUT_SETTING},
    {0},
};

/* ---------------------------------------------------------------- the class */

static sac_status create(sac_source *source, viz_view *beside, viz_view **view, sac_error *error)
{
    likeness_view *v = (likeness_view *)outputs_create(&kind, source, sizeof *v, error);
    (void)beside;
    *view = (viz_view *)v;
    if (!v)
        return SAC_E_MEMORY;
    v->outputs.style =
        (viz_heat_style){.overlay = VIZ_HEAT, .map = VIZ_DIVERGING, VIZ_HEAT_DEFAULTS};
    v->way = source->likeness.way;
    viz_text_field_set(&v->field, source->likeness.text[0] ? source->likeness.text : first_phrases);
    return SAC_OK;
}

static void destroy(viz_view *view)
{
    sac_likeness_free(&likeness_of(view)->likeness);
    outputs_free(outputs_of(view));
}

static bool typing(const viz_view *view)
{
    return likeness_of(view)->field.typing;
}

static bool accepts(const sac_source *source)
{
    return source->likeness.compare && source->picture.image;
}

static const char *const hints[VIZ_HINTS] = {
    "ctrl L types what may be in the picture, with | between phrases.",
    "↑ and ↓ choose a phrase, G which states of patches are compared, or what counted.",
    "Point at a patch to read its likeness."};

const viz_view_class viz_likeness_class = {
    OUTPUTS_CLASS,
    .name = "likeness",
    .tab = "Likeness",
    .about = "A phrase that you type, and which patches of the picture are like it.",
    .accepts = accepts,
    .create = create,
    .event = event,
    .spots = spots,
    .settings = {settings},
    .keys = keys,
    .hints = hints,
    .typing = typing,
    .destroy = destroy,
};
