/* The likeness view: what it asks for, how it answers, and its class. */
#include "likeness/likeness_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "likeness/likeness_state.h"
#include "view/keys.h"
#include "view/map.h"
#include "view/settings.h"
#include "view/words.h"

/* Where nobody asked for phrases. */
static const char first_phrases[] = "a photo of a dog | a photo of a cat | a photo of a person";

const char *const likeness_middle_names[MIDDLE_COUNT] = {"about the mean", "about 0",
                                                         "beside others"};

typedef struct likeness_job {
    viz_job base;
    char *scales; /* owned; NULL: none */
    char text[VIZ_TEXT_FIELD_SIZE];
    sac_likeness_way way;
    sac_likeness likeness;
} likeness_job;

/* ---------------------------------------------------------------- the map */

const float *likeness_patches(const likeness_view *v)
{
    const sac_likeness *s = &v->likeness;
    return s->patches ? s->patches + (size_t)v->phrase * (size_t)(s->grid_w * s->grid_h) : NULL;
}

static float mean_of_phrases(const sac_likeness *s, size_t patch, size_t patches)
{
    double sum = 0;
    for (int i = 0; i < s->count; i++)
        sum += (double)s->patches[(size_t)i * patches + patch];
    return (float)(sum / s->count);
}

bool likeness_is_share(const likeness_view *v)
{
    return v->way == SAC_LIKENESS_RELEVANCE && v->middle != MIDDLE_PHRASES;
}

bool likeness_fill_map(likeness_view *v)
{
    const sac_likeness *s = &v->likeness;
    const float *patches = likeness_patches(v);
    size_t count = (size_t)(s->grid_w * s->grid_h);
    double sum = 0;
    if (!patches || !v->map)
        return false;
    for (size_t i = 0; i < count; i++)
        sum += (double)patches[i];
    const bool is_mean = v->middle == MIDDLE_MEAN && !likeness_is_share(v);
    v->mean = is_mean ? (float)(sum / (double)count) : 0;
    v->most = 0;
    for (size_t i = 0; i < count; i++) {
        float middle = v->middle == MIDDLE_PHRASES ? mean_of_phrases(s, i, count) : v->mean;
        v->map[i] = patches[i] - middle;
        v->most = fmaxf(v->most, fabsf(v->map[i]));
    }
    v->most = fmaxf(v->most, 1e-6f);
    return true;
}

/* ---------------------------------------------------------------- jobs */

static void keep_phrase(viz_view *view)
{
    likeness_view *v = likeness_of(view);
    if (v->likeness.count && v->phrase >= v->likeness.count)
        v->phrase = v->likeness.count - 1;
}

static viz_job *want(viz_view *view)
{
    likeness_view *v = likeness_of(view);
    bool is_blank = !v->field.text[strspn(v->field.text, " |")];
    if (is_blank || !viz_request_due(&v->request, v->revision))
        return NULL;
    likeness_job *job = viz_job_create(&viz_likeness_class, sizeof *job);
    if (!job)
        return NULL;
    if (v->scales && !(job->scales = strdup(v->scales))) {
        free(job);
        return NULL;
    }
    memcpy(job->text, v->field.text, sizeof job->text);
    job->way = v->way;
    return viz_request_submit(&v->request, &job->base, v->revision);
}

static sac_status work(viz_view *view, viz_job *base, sac_error *error)
{
    likeness_job *job = viz_job_of(base, &viz_likeness_class);
    sac_source *source = view->source;
    sac_status status = viz_scale_heads(source, job->scales, error);
    return status == SAC_OK
               ? source->likeness.compare(source->self, job->text, job->way, &job->likeness, error)
               : status;
}

static void take(viz_view *view, viz_job *base, const sac_error *error)
{
    likeness_view *v = likeness_of(view);
    likeness_job *job = viz_job_of(base, &viz_likeness_class);
    if (viz_request_take(&v->request, error)) {
        size_t cells = (size_t)(job->likeness.grid_w * job->likeness.grid_h);
        free(v->map);
        v->map = viz_allocate(cells, sizeof *v->map);
        sac_likeness_free(&v->likeness);
        v->likeness = job->likeness;
        job->likeness = (sac_likeness){0};
        keep_phrase(view);
    }
    sac_likeness_free(&job->likeness);
    free(job->scales);
    free(job);
}

/* ---------------------------------------------------------------- keys */

static void changed(viz_view *view)
{
    likeness_of(view)->revision++;
}

static bool press_type(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    viz_text_field_begin(&likeness_of(view)->field);
    return true;
}

static bool press_phrase(viz_view *view, viz_pressed pressed)
{
    likeness_view *v = likeness_of(view);
    if (v->likeness.count < 2)
        return false;
    v->phrase = (int)viz_next((size_t)v->phrase, pressed.step, (size_t)v->likeness.count);
    return true;
}

static bool press_turn(viz_view *view, viz_pressed pressed)
{
    likeness_view *v = likeness_of(view);
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
    {"ctrl L  ctrl A", "type phrases, with | between them", press_type},
    {"ctrl V", "paste them"},
    {"click", "choose a phrase"},
    {"pointer", "the likeness of one patch"},
    {"↑  ↓", "the phrase before, the next one", press_phrase},
    {"G", "which states of patches are compared, or what counted", .setting = "likeness"},
    {"L", "what the middle of the colours is, or how what counted is shown", .setting = "scale"},
    {"B", "blocky or smooth", .setting = "cells drawn"},
    {"[  ]", "less, more colour", viz_press_strength},
    {"N  P", "another of several pictures", press_turn, .acts = has_pictures},
    {NULL, NULL},
};

static bool paste(likeness_view *v, const char *text)
{
    if (!viz_text_field_paste(&v->field, text))
        return false;
    v->revision += text[0] != '\0';
    return true;
}

static bool key(likeness_view *v, const viz_event *e)
{
    bool other = false;
    if (e->ctrl && e->key == 'v')
        return paste(v, e->text ? e->text : "");
    if (!v->field.typing)
        return viz_keys_press(keys, &v->base, e);
    bool taken = viz_text_field_key(&v->field, e, &other);
    v->revision += other;
    return taken;
}

/* ---------------------------------------------------------------- pointer */

static bool choose_item(likeness_view *v, const char *setting, int item, int now)
{
    return item >= 0 && viz_view_turn(&v->base, setting, item - now, 0);
}

static bool press(likeness_view *v, const viz_event *e)
{
    const likeness_layout *l = &v->layout;
    bool was_typing = v->field.typing;
    if (e->button != 1)
        return false;
    if (viz_inside(l->field, e->x, e->y))
        return press_type(&v->base, (viz_pressed){0});
    v->field.typing = v->field.all = false;
    for (int i = 0; i < v->likeness.count; i++)
        if (viz_inside(l->rows[i], e->x, e->y) && i != v->phrase) {
            v->phrase = i;
            return true;
        }
    return choose_item(v, "likeness", viz_choices_hit(&l->ways, e->x, e->y), (int)v->way) ||
           choose_item(v, "scale", viz_choices_hit(&l->middles, e->x, e->y), (int)v->middle) ||
           was_typing;
}

static bool point(likeness_view *v, const viz_event *e)
{
    viz_rect r = v->layout.picture;
    bool was = v->pointed;
    int column = v->column, row = v->row;
    v->pointed = e->kind == VIZ_MOVE && v->likeness.patches && viz_inside(r, e->x, e->y);
    if (v->pointed) {
        v->column = (int)((e->x - r.x) / r.w * (float)v->likeness.grid_w);
        v->row = (int)((e->y - r.y) / r.h * (float)v->likeness.grid_h);
    }
    return was != v->pointed || (was && (column != v->column || row != v->row));
}

static bool event(viz_view *view, const viz_event *e)
{
    likeness_view *v = likeness_of(view);
    switch (e->kind) {
    case VIZ_KEY:
        return key(v, e);
    case VIZ_PRESS:
        return press(v, e);
    case VIZ_MOVE:
    case VIZ_LEAVE:
        return point(v, e);
    default:
        return false;
    }
}

static void spots(const viz_view *view, viz_spots *spots)
{
    static const char *const way_tips[SAC_LIKENESS_WAYS] = {
        "States of patches as they leave the last layer.",
        "Each patch attends to itself alone in the last layer.",
        "In the last layer patches attend by their values to those like them.",
        "What of the picture and of the phrase counted for their likeness."};
    static const char *const middle_tips[MIDDLE_COUNT] = {
        "Orange is more like the phrase than the mean of all patches, blue less.",
        "Orange is a cosine above 0, blue one below.",
        "Orange is more like this phrase than like the others, blue less."};
    const char *const counted_tips[MIDDLE_COUNT] = {
        viz_overlay_tips[VIZ_LIGHT], viz_overlay_tips[VIZ_HEAT],
        "Orange counted more for this phrase than for the others, blue less."};
    const likeness_view *v = likeness_of(view);
    const likeness_layout *l = &v->layout;
    const bool counts = v->way == SAC_LIKENESS_RELEVANCE;
    viz_spots_add(spots, l->field, VIZ_SPOT_PRESSES,
                  "Click, and type what may be in the picture, with | between phrases.");
    viz_spots_add(
        spots, l->picture, VIZ_SPOT_AREA,
        counts ? "Each patch by what of it counted for the phrase."
               : "Each patch by the cosine of what the model makes of it and of the phrase.");
    viz_spots_add(spots, l->bar, VIZ_SPOT_READOUT, "What the colours mean.");
    for (int i = 0; i < v->likeness.count; i++)
        viz_spots_add(spots, l->rows[i], VIZ_SPOT_PRESSES,
                      "How much the whole picture is like this phrase; click to see its patches.");
    viz_spots_add_choices(spots, &l->ways, way_tips);
    viz_spots_add_choices(spots, &l->middles, counts ? counted_tips : middle_tips);
}

/* ---------------------------------------------------------------- settings */

static void take_text(viz_view *view, const viz_setting *s, const char *value)
{
    likeness_view *v = likeness_of(view);
    (void)s;
    if (strcmp(value, v->field.text) == 0 || strlen(value) >= sizeof v->field.text)
        return;
    viz_text_field_set(&v->field, value);
    v->revision++;
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

#define IN(member) offsetof(likeness_view, member)

static const viz_setting settings[] = {
    {NULL, .save = save_source},
    {"sentence", VIZ_TEXT, IN(field.text), .take = take_text},
    {"likeness", VIZ_CHOICE, IN(way), VIZ_NAMES(sac_likeness_way_names), .changed = changed},
    {"phrase", VIZ_WHOLE, IN(phrase), .low = 0, .high = SAC_PHRASES - 1, .changed = keep_phrase},
    {"scale", VIZ_CHOICE, IN(middle), VIZ_NAMES(likeness_middle_names)},
    {"brightness", VIZ_REAL, IN(style.brightness), .low = 0, .high = 1},
    {"opacity", VIZ_REAL, IN(style.opacity), .low = 0, .high = 1},
    {"cells drawn", VIZ_SWITCH, IN(style.blocky), VIZ_NAMES(viz_smooth_blocky)},
    VIZ_SCALES_SETTING(IN(scales), changed),
    {VIZ_LAYOUT_SETTING},
    {0},
};

/* ---------------------------------------------------------------- numbers */

static bool map(const viz_view *view, viz_map *map)
{
    const likeness_view *v = likeness_of(view);
    const float *patches = likeness_patches(v);
    size_t rows = (size_t)v->likeness.grid_h, columns = (size_t)v->likeness.grid_w;
    if (!patches || !viz_map_size(map, rows, columns))
        return false;
    memcpy(map->values, patches, rows * columns * sizeof *patches);
    map->image = view->source->picture.image;
    return true;
}

static viz_rect map_rect(const viz_view *view)
{
    return likeness_of(view)->layout.picture;
}

static bool table(const viz_view *view, viz_table *table)
{
    const likeness_view *v = likeness_of(view);
    if (!v->likeness.patches)
        return false;
    table->rows = (size_t)v->likeness.grid_h;
    table->columns = (size_t)v->likeness.grid_w;
    table->row = v->pointed ? (size_t)v->row : 0;
    snprintf(table->title, sizeof table->title, "%s of patches and “%.200s”",
             v->way == SAC_LIKENESS_RELEVANCE ? "relevance" : "cosines",
             v->likeness.phrase[v->phrase]);
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
    const likeness_view *v = likeness_of(view);
    size_t columns = (size_t)v->likeness.grid_w;
    (void)error;
    memcpy(values, likeness_patches(v) + row * columns, columns * sizeof *values);
    return SAC_OK;
}

/* ---------------------------------------------------------------- the class */

static int choose(viz_view *view)
{
    likeness_view *v = likeness_of(view);
    int chosen = v->chosen;
    v->chosen = -1;
    return chosen;
}

static bool typing(const viz_view *view)
{
    return likeness_of(view)->field.typing;
}

static void status(const viz_view *view, char *text, size_t size)
{
    const likeness_view *v = likeness_of(view);
    const sac_source *source = view->source;
    int used = snprintf(text, size, viz_word("%s  ·  %d × %d patches"), source->title,
                        source->picture.grid_w, source->picture.grid_h);
    if (source->origin.device[0] && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "  ·  %s", source->origin.device);
    if (v->scales && v->scales[0] && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "  ·  %s %s", viz_word("without"),
                         v->scales);
    if (v->likeness.milliseconds > 0 && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "  ·  %.1f ms", v->likeness.milliseconds);
}

static void destroy(viz_view *view)
{
    likeness_view *v = likeness_of(view);
    sac_likeness_free(&v->likeness);
    viz_scaled_free(&v->kept);
    free(v->scales);
    free(v->map);
    free(v);
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
    .name = "likeness",
    .tab = "Likeness",
    .about = "A phrase that you type, and which patches of the picture are like it.",
    .accepts = accepts,
    .create = viz_likeness_view_create,
    .draw = likeness_draw,
    .figure = likeness_draw_figure,
    .figure_height = likeness_figure_height,
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
    .typing = typing,
    .map = map,
    .map_rect = map_rect,
    .table = table,
    .table_name = table_name,
    .table_row = table_row,
    .destroy = destroy,
};

sac_status viz_likeness_view_create(sac_source *source, viz_view *beside, viz_view **view,
                                    sac_error *error)
{
    likeness_view *v = calloc(1, sizeof *v);
    *view = NULL;
    (void)beside;
    if (!v)
        return sac_no_memory(error, "likeness view");
    v->base = (viz_view){.class = &viz_likeness_class, .source = source};
    v->style = (viz_heat_style){.overlay = VIZ_HEAT, .map = VIZ_DIVERGING, VIZ_HEAT_DEFAULTS};
    v->way = source->likeness.way;
    v->revision = 1;
    v->wanted = source->picture.number;
    v->chosen = -1;
    viz_text_field_set(&v->field, source->likeness.text[0] ? source->likeness.text : first_phrases);
    *view = &v->base;
    return SAC_OK;
}
