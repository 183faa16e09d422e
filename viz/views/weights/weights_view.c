/* The parts that the matrix view and the heads view have in common. */

#include "weights/weights_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/words.h"
#include "weights/heads/heads_effect.h"

static viz_weights_view *as_weights_view(viz_view *view)
{
    return (viz_weights_view *)view;
}

void viz_weights_view_init(viz_weights_view *v, const viz_view_class *class,
                           viz_weights_model *model)
{
    v->view.class = class;
    v->view.source = model->source;
    v->model = viz_weights_model_retain(model);
    viz_panel_init(&v->panel, model);
    v->row.panel = &v->panel;
    v->wanted = model->source->picture.number;
    v->chosen = -1;
}

sac_status viz_weights_view_create_model(sac_source *source, const viz_view *beside,
                                         viz_weights_model **model, sac_error *error)
{
    const bool shares = beside && beside->class->run_job == viz_weights_view_run_job;
    if (!shares)
        return viz_weights_model_create(source, model, error);
    *model = viz_weights_model_retain(((const viz_weights_view *)beside)->model);
    return SAC_OK;
}

#define HEAD_SECONDS 0.6

bool viz_weights_view_accepts(const sac_source *source)
{
    return source->weights.tile && source->weights.pool;
}

bool viz_weights_view_has_picture(const sac_source *source)
{
    return source->picture.image && source->picture.grid_w > 0 && source->picture.grid_h > 0;
}

int viz_weights_view_head_frames(int fps)
{
    int frames = (int)(HEAD_SECONDS * fps + 0.5);
    return frames > 0 ? frames : 1;
}

void viz_weights_view_destroy(viz_view *view)
{
    viz_weights_view *v = as_weights_view(view);
    viz_panel_free(&v->panel);
    viz_row_panel_free(&v->row);
    viz_weights_model_release(v->model);
    free(v);
}

/* ---------------------------------------------------------------- other pictures */

/* The reading of the same array with other axes, such as items in place of layers; −1: none. */
static int other_reading(const sac_source *source)
{
    const sac_reading *readings = source->weights.opened.readings;
    for (int i = 0; i < source->weights.opened.reading_count &&
                    source->weights.opened.reading >= 0 && source->picture.count <= 1;
         i++)
        if (i != source->weights.opened.reading && readings[i].axes[0] &&
            strcmp(readings[i].take, readings[source->weights.opened.reading].take) == 0)
            return i;
    return -1;
}

bool viz_weights_view_axis_switch_event(viz_weights_view *v, const viz_event *e)
{
    if (e->kind == VIZ_PRESS && e->button == 1 && viz_inside(v->other, e->x, e->y)) {
        v->chosen = other_reading(v->model->source);
        return v->chosen >= 0;
    }
    return false;
}

void viz_weights_view_put_last_head(const viz_view *view, viz_put *put, void *user)
{
    const viz_weights_model *model = ((const viz_weights_view *)view)->model;
    viz_put_whole(put, user, "layer",
                  (long long)sac_source_layer_number(view->source, model->last_layer));
    viz_put_whole(put, user, "head", (long long)model->last_head);
}

/* ---------------------------------------------------------------- keys */

bool viz_weights_has_pictures(const viz_view *view)
{
    return view->source->picture.count > 1;
}

bool viz_weights_has_boxes(const viz_view *view)
{
    return view->source->result.has_truth;
}

bool viz_weights_has_layers(const viz_view *view)
{
    return view->source->weights.layers > 1;
}

bool viz_weights_press_next_picture(viz_view *view, viz_pressed pressed)
{
    viz_weights_view *v = as_weights_view(view);
    int to = viz_picture_after(v->wanted, pressed.step, view->source->picture.count, false);
    if (to == v->wanted)
        return false;
    v->wanted = v->chosen = to;
    return true;
}

bool viz_weights_press_row(viz_view *view, viz_pressed pressed)
{
    viz_panel_step_row(&as_weights_view(view)->panel, pressed.step);
    return true;
}

bool viz_weights_press_play(viz_view *view, viz_pressed pressed)
{
    viz_weights_view *v = as_weights_view(view);
    viz_player *p = &v->player;
    size_t rows = viz_weights_model_map(v->model).rows;
    (void)pressed;
    p->playing = !p->playing && (p->loops || rows > 1);
    if (p->playing && !p->loops && v->model->row + 1 >= rows)
        viz_panel_select_cell(&v->panel, 0, 0);
    viz_player_rest_at(p, (int)v->model->row);
    return true;
}

bool viz_weights_view_tick(viz_weights_view *v, double now)
{
    viz_player *p = &v->player;
    int row = (int)v->model->row;
    viz_player_set_time(p, now);
    if (p->step != row) /* a person went there */
        viz_player_rest_at(p, row);
    if (viz_player_advance(p, (int)viz_weights_model_map(v->model).rows))
        viz_panel_step_row(&v->panel, 1);
    return viz_panel_tick(&v->panel, now) || p->playing;
}

bool viz_weights_press_zoom(viz_view *view, viz_pressed pressed)
{
    viz_panel *panel = &as_weights_view(view)->panel;
    viz_rect r = panel->layout.cells;
    viz_panel_zoom(panel, r.x + r.w / 2, r.y + r.h / 2, pressed.step < 0 ? 0.8f : 1.25f);
    return true;
}

bool viz_weights_press_fit(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    viz_panel *panel = &as_weights_view(view)->panel;
    panel->zoomed = panel->fits = false;
    return true;
}

bool viz_weights_press_change_prefix(viz_view *view, viz_pressed pressed)
{
    size_t *count = &as_weights_view(view)->model->prefix_count,
           most = view->source->weights.positions - 1;
    if (pressed.step < 0 ? *count <= 1 : *count >= most)
        return false;
    *count = pressed.step < 0 ? *count - 1 : *count + 1;
    return true;
}

bool viz_weights_scales_heads(const viz_view *view)
{
    return ((const viz_weights_view *)view)->model->head_scale != NULL;
}

bool viz_weights_is_pair(const viz_view *view)
{
    return view->source->weights.second > 0;
}

bool viz_weights_knows_special(const viz_view *view)
{
    return view->source->weights.special != NULL;
}

bool viz_weights_press_scale_head(viz_view *view, viz_pressed pressed)
{
    return viz_weights_model_scale_current(as_weights_view(view)->model,
                                           pressed.step < 0 ? 0.5f : 0);
}

bool viz_weights_press_all_on(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    viz_weights_model_take_scales(as_weights_view(view)->model, "");
    return viz_weights_scales_heads(view);
}

int viz_weights_view_take_chosen(viz_view *view)
{
    int chosen = as_weights_view(view)->chosen;
    as_weights_view(view)->chosen = -1;
    return chosen;
}

/* ---------------------------------------------------------------- title, note, controls */

/* The note that must be seen beside the numbers: an error, heads that are off, a constant map, sums that
 * are not 1. False: there is none. */
static bool write_note(const viz_weights_model *model, char *text, size_t size)
{
    const viz_head_entry *entry = viz_weights_model_entry(model, model->layer, model->head);
    const sac_weights_stats *stats = entry ? &entry->scan.stats : NULL;
    *text = 0;
    if (!viz_weights_model_usable(model))
        snprintf(text, size, "%s", model->problem);
    else if (viz_heads_effect_note(model, text, size))
        ;
    else if (stats && !viz_is_signed(model) && sac_weights_are_constant(stats))
        snprintf(text, size, "%s",
                 viz_word("the same for every query: differences are below 1e-6"));
    else {
        char note[sizeof model->source->note];
        snprintf(text, size, "%s",
                 viz_word(sac_source_shown_note(model->source, note, sizeof note)));
    }
    return *text != 0;
}

#define LINE 24.0f
#define PADDING 16.0f
#define LEAST_PADDING 3.0f
#define GROUP_GAP 30.0f
#define LOW 430.0f    /* the height of a view that has no room to spare */
#define LOWEST 340.0f /* and that of one whose map would be lost */

/* Settings by name, with NULL behind the last that is shown. */
enum { GROUPS = 9 };

/* Lays out from left to right, continuing in the next line if there is no space; without keys, as what is presented
 * has none, in one line alone. Returns the lower edge. */
static float flow_groups(viz_weights_controls *controls, const viz_canvas *canvas,
                         const viz_view *view, const char *const names[GROUPS], float left,
                         float top, float width)
{
    float x = left, y = top, first_end = left;
    viz_controls_clear(&controls->choices);
    for (int i = 0; names[i]; i++) {
        viz_control c = viz_control_lay_out(view, canvas, names[i], x, y, 1e6f, 0);
        bool fits = x <= left || x + c.rect.w <= left + width;
        if (!fits && !controls->key_count)
            continue;
        if (!fits) {
            first_end = y > top ? first_end : x;
            x = left;
            y += LINE;
            c = viz_control_lay_out(view, canvas, names[i], x, y, 1e6f, 0);
        }
        viz_controls_append(&controls->choices, &c);
        x += c.rect.w + GROUP_GAP;
    }
    /* The keys stand at the right, as many as fit, at least the last; in a low window rather beside
     * the first line than on one of their own. */
    int count = controls->key_count;
    float keys_y = y, right = left + width;
    if (!count)
        return y + LINE;
    viz_caps last = viz_caps_layout(canvas, right, y, 1e6f, controls->keys + count - 1, 1);
    if (last.items[0].x < x && y > top && last.items[0].x >= first_end) {
        keys_y = top;
        x = first_end;
    } else if (last.items[0].x < x) {
        x = left;
        keys_y = y += LINE;
    }
    controls->caps = viz_caps_layout(canvas, right, keys_y, right - x, controls->keys, count);
    return y + LINE;
}

/* Those that are shown, along the bottom of `area`. */
static void lay_controls_bar(viz_weights_view *v, const viz_canvas *canvas,
                             const char *const names[GROUPS], viz_rect area, float padding)
{
    viz_weights_controls *controls = &v->controls;
    const viz_weights_model *model = v->model;
    /* The keys of what is there come first. */
    static const viz_key_row always[] = {
        {"I", "why"},
        {"C", "difference", .tips = {N_("Two maps beside each other, and how they differ (C).")}},
        {"S", "PNG"},
        {"?", "keys"}};
    int count = 0;
    if (model->source->picture.count > 1)
        controls->keys[count++] =
            (viz_key_row){"N", "next picture", .tips = {N_("The next picture (N).")}};
    if (model->source->result.has_truth)
        controls->keys[count++] =
            (viz_key_row){"T", "boxes", .tips = {N_("The boxes of what the picture shows (T).")}};
    if (model->head_scale)
        controls->keys[count++] = (viz_key_row){
            "H", "head off",
            .tips = {N_("Switches the head off, or on, and asks the model again (H).")}};
    memcpy(controls->keys + count, always, sizeof always);
    controls->key_count =
        canvas->theme->presents ? 0 : count + (int)(sizeof always / sizeof *always);
    float left = area.x + VIZ_MARGIN, width = area.w - 2 * VIZ_MARGIN;
    float height = flow_groups(controls, canvas, &v->view, names, left, 0, width) + 2 * padding -
                   (LINE - VIZ_WORDS_HEIGHT);
    controls->rect = (viz_rect){area.x, area.y + area.h - height, area.w, height};
    flow_groups(controls, canvas, &v->view, names, left, controls->rect.y + padding, width);
}

viz_rect viz_weights_view_lay(viz_weights_view *v, const viz_canvas *canvas, viz_rect area,
                              bool pooled, bool sorted, bool folded)
{
    const sac_source *source = v->model->source;
    bool image = source->picture.image != NULL;
    const struct {
        const char *name;
        bool shown;
    } groups[] = {{"overlay", image},
                  {"reduce", !folded},
                  {"first tokens", !folded && area.h >= LOWEST},
                  {"special tokens", !folded && source->weights.special && area.h >= LOW},
                  {"segments", !folded && source->weights.second},
                  {"scale", folded ? !image : area.h >= LOWEST},
                  {"pooling", pooled},
                  {"sort", sorted}};
    const char *names[GROUPS] = {NULL};
    int count = 0;
    v->controls = (viz_weights_controls){0};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (groups[i].shown)
            names[count++] = groups[i].name;
    /* Presented, a matrix is larger than in a window all the same, and gives what it must: one line. */
    const bool gives = canvas->theme->presents && !sorted;
    const float padding = gives ? LEAST_PADDING : folded || area.h < LOW ? PADDING / 2 : PADDING;
    lay_controls_bar(v, canvas, names, area, padding);
    while (gives && count > 1 && v->controls.rect.h > LINE + 2 * padding) {
        names[--count] = NULL;
        lay_controls_bar(v, canvas, names, area, padding);
    }
    char note[800];
    float top = area.y + 34, bottom = v->controls.rect.y - (gives ? 6 : 10);
    float left = area.x + VIZ_MARGIN, right = area.x + area.w - VIZ_MARGIN;
    v->title_y = area.y + 24;
    v->note = (viz_rect){0};
    if (write_note(v->model, note, sizeof note)) {
        v->note = (viz_rect){left, top, right - left, VIZ_NOTE_HEIGHT};
        top += VIZ_NOTE_HEIGHT + VIZ_GAP;
    }
    return (viz_rect){left, top, right - left, bottom - top};
}

void viz_weights_view_draw_controls(const viz_weights_view *v, viz_canvas *canvas)
{
    const viz_weights_controls *controls = &v->controls;
    viz_rect line = {controls->rect.x, controls->rect.y, controls->rect.w, 1};
    if (controls->rect.h <= 0)
        return;
    viz_fill(canvas, line, canvas->theme->line);
    viz_controls_draw(&controls->choices, &v->view, canvas);
    viz_caps_draw(canvas, &controls->caps);
}

void viz_weights_view_step(viz_weights_view *v, bool layers, int step)
{
    viz_weights_model *model = v->model;
    size_t heads = viz_weights_model_heads(model);
    size_t layer = viz_next(model->layer, layers ? step : 0, model->source->weights.layers);
    size_t head = viz_next(model->head, layers ? 0 : step, heads);
    viz_weights_model_select(model, layer, heads > 1 ? head : model->head);
}

/* "layers ⇄ items", what the first axis is and what it may be, at the right; returns its left edge.
 */
static float draw_axis_switch(viz_weights_view *v, viz_canvas *canvas, float x, float right)
{
    const sac_source *source = v->model->source;
    v->other = (viz_rect){0};
    if (other_reading(source) < 0)
        return right;
    bool layers = source->weights.opened.readings[source->weights.opened.reading].axes[0] == 'L';
    const char *text = viz_word(layers ? "layers ⇄ items" : "items ⇄ layers");
    float width = viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, text);
    if (right - width < x + 200)
        return right;
    v->other = (viz_rect){right - width, v->title_y - 14, width, 20};
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, right, v->title_y, VIZ_RIGHT, canvas->theme->accent,
             text);
    return right - width - 16;
}

void viz_weights_view_draw_title(viz_weights_view *v, viz_canvas *canvas, float x, float right)
{
    const viz_weights_model *model = v->model;
    char text[800], fit[256];
    float y = v->title_y;
    right = draw_axis_switch(v, canvas, x, right);
    viz_weights_model_title(model, text, sizeof text);
    x += viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, x, y, right - x, VIZ_LEFT,
                         canvas->theme->text2, text) +
         10;
    /* In the accent what it is mostly for: what is largest of a difference is named, if in part. */
    viz_weights_model_caption(model, text, 256);
    if (viz_is_difference(model)) {
        viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, right - x, text, fit, sizeof fit);
        memcpy(text, fit, sizeof fit);
    }
    if (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, text) <= right - x) /* else it is left out */
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, x, y, VIZ_LEFT, canvas->theme->accent, text);
    if (v->note.w > 0 && write_note(model, text, sizeof text))
        viz_note_draw(canvas, v->note.x, v->note.y, v->note.w, text);
}

bool viz_weights_view_ask(viz_weights_view *v, const char *text)
{
    viz_weights_model *model = v->model;
    if (!viz_weights_model_ask(model, text))
        return false;
    sac_rect map = viz_weights_model_map(model);
    if (!model->kind_alone && model->ask.step >= map.row && model->ask.position >= map.col)
        viz_panel_select_cell(&v->panel, model->ask.step - map.row, model->ask.position - map.col);
    return true;
}

float viz_weights_view_lay_pair(viz_weights_view *v, const viz_canvas *canvas, viz_rect own,
                                bool shares)
{
    const float below = 34 + VIZ_BAR_NAMED_HEIGHT + VIZ_GAP; /* read-out and bar */
    const viz_rect *cells = &v->panel.layout.cells;
    if (!shares) {
        v->controls = (viz_weights_controls){0};
        v->other = v->note = (viz_rect){0};
    }
    v->panel.hidden = false;
    v->row.picture = v->row.list = (viz_rect){0};
    v->pair.shares = shares;
    v->pair.x = own.x + VIZ_MARGIN;
    v->pair.w = own.w - 2 * VIZ_MARGIN;
    viz_panel_lay(&v->panel, canvas,
                  (viz_rect){v->pair.x, own.y + VIZ_GAP, v->pair.w, own.h - VIZ_GAP - below});
    v->pair.y = cells->y + cells->h + 20;
    v->pair.bar = (viz_rect){v->pair.x, v->pair.y + 14, v->pair.w, VIZ_BAR_NAMED_HEIGHT};
    return viz_panel_scale(&v->panel).high;
}

void viz_weights_view_draw_pair(viz_weights_view *v, viz_canvas *canvas, float end)
{
    char name[64];
    v->panel.least_end = end;
    viz_scale scale = viz_panel_scale(&v->panel);
    viz_panel_draw(&v->panel, canvas);
    viz_panel_draw_readout(&v->panel, canvas, v->pair.x, v->pair.y, v->pair.w);
    viz_weights_model_scale_name(v->model, name, sizeof name);
    viz_bar_draw(canvas, v->pair.bar, viz_map_colors(canvas->theme, v->model->look.map), &scale,
                 viz_weights_model_uniform(v->model), name);
    if (v->pair.shares)
        viz_weights_view_draw_controls(v, canvas);
}

bool viz_weights_figure_has_title(const viz_weights_view *v)
{
    const sac_source *source = v->model->source;
    if (v->view.panel)
        return viz_is_difference(v->model);
    return source->weights.layers * source->weights.heads * source->weights.batch > 1 ||
           viz_is_difference(v->model);
}

void viz_weights_figure_draw_title(const viz_weights_view *v, viz_canvas *canvas,
                                   const viz_figure_frame *f, viz_rect cells, const char *text)
{
    float right = f->panel.x + f->panel.w;
    if (!viz_weights_figure_has_title(v))
        return;
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, cells.x, f->title_y, right - cells.x, VIZ_LEFT,
                    canvas->theme->text, text);
}

/* ---------------------------------------------------------------- what answers the pointer */

static void add_panel_spots(const viz_panel_layout *l, viz_spots *spots)
{
    viz_rect rows = {l->area.x, l->cells.y, l->cells.x - l->area.x, l->cells.h};
    viz_rect columns = {l->cells.x, l->area.y, l->cells.w, l->cells.y - l->area.y};
    if (!l->columns)
        return;
    viz_spots_add(
        spots, l->cells, VIZ_SPOT_AREA,
        "One row a query, one column a key; the wheel zooms, a drag moves, a double click "
        "explains the number.");
    viz_spots_add(spots, rows, VIZ_SPOT_PRESSES,
                  "Click to choose this query; with shift, several, which are shown in the mean.");
    viz_spots_add(spots, columns, VIZ_SPOT_PRESSES, "Click to choose this key.");
}

void viz_weights_view_spots(const viz_weights_view *v, viz_rect bar, viz_spots *spots)
{
    viz_spots_add(spots, v->other, VIZ_SPOT_PRESSES,
                  "What the first axis is: layers of one text, or items. Click for the other.");
    if (!v->panel.hidden)
        add_panel_spots(&v->panel.layout, spots);
    viz_spots_add(spots, v->row.picture, VIZ_SPOT_AREA,
                  "What the current query attends to: the circle is the query, the frame the key "
                  "that is read "
                  "out; click a cell to make it the query.");
    for (size_t i = 0; i < viz_row_panel_line_count(&v->row); i++)
        viz_spots_add(spots, viz_row_panel_line(&v->row, i), VIZ_SPOT_PRESSES,
                      "Click to choose this key; the longest bar is the largest weight.");
    viz_spots_add(spots, bar, VIZ_SPOT_READOUT,
                  "What the colours mean; 1/N is the weight that every key would have, were all "
                  "equal.");
    viz_controls_spots(&v->controls.choices, &v->view, spots);
    viz_spots_add_caps(spots, &v->controls.caps);
}

/* ---------------------------------------------------------------- work and words */

static viz_job *submit(viz_weights_view *v, viz_weights_job *job)
{
    if (!job)
        return NULL;
    job->base.class = v->view.class;
    return viz_request_submit(&v->model->request, &job->base, 0);
}

viz_job *viz_weights_view_create_job(viz_weights_view *v, bool all)
{
    viz_weights_model *model = v->model;
    if (model->request.out)
        return NULL;
    if (viz_is_signed(model)) {
        all |= viz_weights_model_seeks_informative(model);
        viz_difference_select_peak_row(model);
    }
    viz_weights_job *job = viz_panel_create_job(&v->panel);
    if (!job)
        job = viz_weights_model_create_next_job(model);
    if (!job)
        job = viz_weights_model_create_asked_job(model);
    if (!job)
        job = viz_weights_model_create_effect_job(model);
    if (!job)
        job = viz_weights_model_create_entry_job(model, all);
    /* A file waits for all rows only where it names the largest of them. */
    if (!job && !v->panel.live && viz_is_signed(model))
        job = viz_weights_model_create_rest_job(model);
    return submit(v, job);
}

viz_job *viz_weights_view_create_idle_job(viz_view *view)
{
    viz_weights_view *v = as_weights_view(view);
    return submit(v, v->model->request.out ? NULL : viz_weights_model_create_rest_job(v->model));
}

sac_status viz_weights_view_run_job(viz_view *view, viz_job *job, sac_error *error)
{
    return viz_weights_model_run_job(as_weights_view(view)->model, viz_job_of(job, view->class),
                                     error);
}

void viz_weights_view_finish_job(viz_view *view, viz_job *base, const sac_error *error)
{
    viz_weights_view *v = as_weights_view(view);
    viz_weights_job *job = viz_job_of(base, view->class);
    viz_panel_take(&v->panel, job);
    viz_weights_model_finish_job(v->model, job, error);
}

void viz_weights_view_status(const viz_view *view, char *text, size_t size)
{
    viz_weights_model_status(((const viz_weights_view *)view)->model, text, size);
}

/* One head's weight; of several heads' there is no one sum to show. */
bool viz_weights_view_subject(const viz_view *view, viz_subject *subject)
{
    const viz_weights_view *v = (const viz_weights_view *)view;
    const viz_weights_model *model = v->model;
    const sac_source *source = view->source;
    sac_rect map = viz_weights_model_map(model);
    subject->request = (sac_explanation_request){.layer = model->layer,
                                                 .batch = model->batch,
                                                 .head = model->head,
                                                 .step = map.row + model->row,
                                                 .position = map.col + model->column};
    viz_rect pointed = v->panel.hidden ? v->row.picture : v->panel.layout.cells;
    subject->pointed = viz_inside(pointed, subject->x, subject->y);
    viz_weights_model_row_name(model, model->row, subject->query, sizeof subject->query);
    if (source->weights.layers * source->weights.heads > 1)
        snprintf(subject->where, sizeof subject->where, viz_word("layer %zu, head %zu"),
                 sac_source_layer_number(source, model->layer), model->head);
    if (model->reduce != SAC_REDUCE_NONE)
        snprintf(subject->problem, sizeof subject->problem,
                 "this number is made of several heads: choose one to take it apart");
    else if (model->several_count)
        snprintf(subject->problem, sizeof subject->problem,
                 "this number is the mean of several queries: choose one to take it apart");
    else if (model->special != SAC_SPECIAL_SHOWN)
        snprintf(subject->problem, sizeof subject->problem,
                 "special tokens are hidden here: show them to take a weight apart");
    else if (model->prefix == SAC_PREFIX_MASKED)
        snprintf(subject->problem, sizeof subject->problem,
                 "first tokens are masked here: show them to take a weight apart");
    return true;
}

/* Positions are the source's, whatever is dropped of them. */
char *viz_weights_view_key_name(const viz_view *view, size_t position, char *text, size_t size)
{
    return viz_weights_model_position_name(((const viz_weights_view *)view)->model, position, text,
                                           size);
}

/* ---------------------------------------------------------------- the numbers as a table */

bool viz_weights_view_table(const viz_view *view, viz_table *table)
{
    const viz_weights_model *model = ((const viz_weights_view *)view)->model;
    sac_rect map = viz_weights_model_map(model);
    table->rows = map.rows;
    table->columns = map.cols;
    table->row = model->row;
    viz_weights_model_title(model, table->title, sizeof table->title);
    return true;
}

char *viz_weights_view_table_name(const viz_view *view, bool of_row, size_t index, char *text,
                                  size_t size)
{
    const viz_weights_model *model = ((const viz_weights_view *)view)->model;
    const char *label = of_row ? viz_weights_model_row_label(model, index)
                               : viz_weights_model_column_label(model, index);
    if (label)
        snprintf(text, size, "%s", label);
    else if (of_row)
        viz_weights_model_row_name(model, index, text, size);
    else
        viz_weights_model_column_name(model, index, text, size);
    return text;
}

/* Every weight as it is, however the window pools it. */
sac_status viz_weights_view_table_row(viz_view *view, size_t row, float *values, sac_error *error)
{
    viz_weights_model *model = as_weights_view(view)->model;
    sac_head_choice choice = viz_weights_model_current(model);
    sac_rect rect = {row, 1, 0, viz_weights_model_map(model).cols};
    return sac_head_choice_read(&model->reader, &choice, &rect, SAC_POOL_MEAN, 1, rect.cols, values,
                                error);
}
