/* What the views of outputs have in common: jobs, the list beside the picture, layout, numbers. */
#include "outputs/outputs_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "outputs/outputs_state.h"
#include "parts/figures/frame.h"
#include "parts/pages/paragraph.h"
#include "view/map.h"
#include "view/words.h"

#define LINE OUTPUTS_LINE
#define ROW_HEIGHT 34.0f
#define LEAST_ROW 24.0f
#define TRACK 5.0f
#define PANEL_SHARE 0.34f /* of the width */
#define LEAST_PANEL 236.0f
#define MOST_PANEL 440.0f
#define LEAST_BAR 300.0f
#define COLUMN_GAP 28.0f
#define CLEARLY_LARGER 1.15f
#define FIGURE_GAP 10.0f

outputs_view *outputs_create(const outputs_kind *kind, sac_source *source, size_t size,
                             sac_error *error)
{
    outputs_view *v = calloc(1, size);
    if (!v) {
        sac_no_memory(error, kind->class->name);
        return NULL;
    }
    v->base = (viz_view){.class = kind->class, .source = source};
    v->kind = kind;
    v->revision = 1;
    v->wanted = source->picture.number;
    v->chosen = -1;
    return v;
}

void outputs_free(outputs_view *v)
{
    viz_scaled_free(&v->kept);
    free(v->scales);
    free(v->map);
    free(v);
}

/* ---------------------------------------------------------------- jobs */

void outputs_changed(viz_view *view)
{
    outputs_of(view)->revision++;
}

void outputs_keep_within(viz_view *view)
{
    outputs_view *v = outputs_of(view);
    int count = v->kind->count(v);
    if (v->grid_w && v->output >= count)
        v->output = count ? count - 1 : 0;
}

static void free_job(outputs_job *job)
{
    sac_found_free(&job->found);
    sac_likeness_free(&job->likeness);
    free(job->scales);
    free(job);
}

viz_job *outputs_want(viz_view *view)
{
    outputs_view *v = outputs_of(view);
    if ((v->kind->ready && !v->kind->ready(v)) || !viz_request_due(&v->request, v->revision))
        return NULL;
    outputs_job *job = viz_job_create(view->class, sizeof *job);
    if (!job)
        return NULL;
    if (v->scales && !(job->scales = strdup(v->scales))) {
        free(job);
        return NULL;
    }
    if (v->kind->ask)
        v->kind->ask(v, job);
    return viz_request_submit(&v->request, &job->base, v->revision);
}

sac_status outputs_work(viz_view *view, viz_job *base, sac_error *error)
{
    outputs_job *job = viz_job_of(base, view->class);
    sac_status status = viz_scale_heads(view->source, job->scales, error);
    return status == SAC_OK ? outputs_of(view)->kind->work(view->source, job, error) : status;
}

void outputs_take(viz_view *view, viz_job *base, const sac_error *error)
{
    outputs_view *v = outputs_of(view);
    outputs_job *job = viz_job_of(base, view->class);
    if (viz_request_take(&v->request, error)) {
        v->kind->take(v, job);
        free(v->map);
        v->map = viz_allocate((size_t)(v->grid_w * v->grid_h), sizeof *v->map);
        outputs_keep_within(view);
    }
    free_job(job);
}

/* ---------------------------------------------------------------- keys and the pointer */

bool outputs_press_row(viz_view *view, viz_pressed pressed)
{
    outputs_view *v = outputs_of(view);
    int count = v->kind->count(v);
    if (count < 2)
        return false;
    v->output = (int)viz_next((size_t)v->output, pressed.step, (size_t)count);
    return true;
}

bool outputs_press_end(viz_view *view, viz_pressed pressed)
{
    outputs_view *v = outputs_of(view);
    int to = pressed.step < 0 ? 0 : v->kind->count(v) - 1;
    if (to < 0 || to == v->output)
        return false;
    v->output = to;
    return true;
}

bool outputs_press_turn(viz_view *view, viz_pressed pressed)
{
    outputs_view *v = outputs_of(view);
    int to = viz_picture_after(v->wanted, pressed.step, view->source->picture.count, false);
    if (to == v->wanted)
        return false;
    v->wanted = v->chosen = to;
    return true;
}

bool outputs_has_pictures(const viz_view *view)
{
    return view->source->picture.count > 1;
}

int outputs_row_at(const outputs_view *v, float x, float y)
{
    for (int i = 0; i < v->layout.count; i++)
        if (viz_inside(v->layout.rows[i], x, y))
            return v->layout.first + i;
    return -1;
}

bool outputs_event(viz_view *view, const viz_event *e)
{
    outputs_view *v = outputs_of(view);
    bool changed;
    if (e->kind == VIZ_KEY)
        return viz_keys_press(view->class->keys, view, e);
    if (viz_controls_event(&v->controls, view, e, &changed))
        return changed;
    int output = e->kind == VIZ_PRESS && e->button == 1 ? outputs_row_at(v, e->x, e->y) : -1;
    if (output < 0 || output == v->output)
        return false;
    v->output = output;
    return true;
}

void outputs_spots(const viz_view *view, viz_spots *spots)
{
    const outputs_view *v = outputs_of(view);
    const outputs_layout *l = &v->layout;
    viz_spots_add(spots, l->picture, VIZ_SPOT_AREA, v->kind->picture_tip(v));
    viz_spots_add(spots, l->bar, VIZ_SPOT_READOUT, v->kind->bar_tip);
    for (int i = 0; i < l->count; i++)
        viz_spots_add(spots, l->rows[i], VIZ_SPOT_PRESSES, v->kind->row_tip);
    viz_controls_spots(&v->controls, view, spots);
}

/* ---------------------------------------------------------------- layout */

static viz_rect fit_picture(const outputs_view *v, viz_rect room)
{
    const sac_image *image = v->base.source->picture.image;
    float aspect = (float)image->width / (float)image->height;
    float w = floorf(fmaxf(fminf(room.w, room.h * aspect), 1));
    return (viz_rect){room.x, room.y, w, floorf(fmaxf(w / aspect, 1))};
}

/* Controls one below the other; returns their height. `keeps` false: it is only measured. */
static float lay_controls(outputs_view *v, const viz_canvas *canvas, const char *const *names,
                          float x, float y, float width, bool keeps)
{
    float top = y;
    for (int i = 0; i < OUTPUTS_CONTROLS && names[i]; i++) {
        viz_control c = viz_control_at(&v->base, canvas, names[i], x, y, width, 0);
        if (keeps)
            viz_controls_put(&v->controls, &c);
        y += c.rect.h > 0 ? c.rect.h + 6 : 0;
    }
    return y - top;
}

/* Rows from `top` on, so many that the chosen one is among them; returns where they end. */
static float lay_rows(outputs_view *v, viz_rect room)
{
    outputs_layout *l = &v->layout;
    int count = v->kind->count(v), fit = (int)(room.h / LEAST_ROW);
    fit = fit < 1 ? 1 : fit > OUTPUTS_ROWS ? OUTPUTS_ROWS : fit;
    bool all = count <= fit;
    l->count = all ? count : fit > 1 ? fit - 1 : 1;
    int last = count - l->count, first = v->output - l->count / 2;
    l->first = first < 0 || last < 0 ? 0 : first > last ? last : first;
    float height = l->count ? fminf(ROW_HEIGHT, room.h / (float)(l->count + !all)) : LINE;
    float y = room.y;
    for (int i = 0; i < l->count; i++, y += height)
        l->rows[i] = (viz_rect){room.x, y, room.w, height - 4};
    if (!all)
        l->more = (viz_rect){room.x, y, room.w, LINE};
    return all && count ? y : y + LINE; /* in an empty list a line has room */
}

static float note_height(const outputs_view *v, const viz_canvas *canvas, float width)
{
    return viz_paragraph_height(canvas, VIZ_SANS, VIZ_LABEL, width, viz_word(v->kind->note(v)));
}

/* Controls, the list, controls, and the note where there is room. */
static void lay_panel(outputs_view *v, const viz_canvas *canvas, viz_rect panel)
{
    float y = panel.y + lay_controls(v, canvas, v->kind->above, panel.x, panel.y, panel.w, true);
    float below = lay_controls(v, canvas, v->kind->below, panel.x, 0, panel.w, false) + 12;
    float note = note_height(v, canvas, panel.w) + 6, room = panel.y + panel.h - y - below;
    bool has_note = room - note >= LEAST_ROW * (float)v->kind->count(v);
    y = lay_rows(v, (viz_rect){panel.x, y, panel.w, room - (has_note ? note : 0)}) + 10;
    y += lay_controls(v, canvas, v->kind->below, panel.x, y, panel.w, true);
    if (has_note)
        v->layout.note = (viz_rect){panel.x, y, panel.w, note - 6};
}

/* The panel is beside the picture, or where the picture is clearly larger then, below it. */
static void lay(outputs_view *v, const viz_canvas *canvas, viz_rect area)
{
    outputs_layout *l = &v->layout;
    *l = (outputs_layout){0};
    viz_controls_clear(&v->controls);
    float x = area.x + VIZ_MARGIN, w = area.w - 2 * VIZ_MARGIN, y = area.y + 10;
    l->header = (viz_rect){x, y, w, v->kind->header};
    y += v->kind->header;
    float panel = fminf(fmaxf(PANEL_SHARE * w, LEAST_PANEL), MOST_PANEL);
    float height = area.y + area.h - 10 - y;
    float below = lay_controls(v, canvas, v->kind->above, x, 0, w, false) +
                  lay_controls(v, canvas, v->kind->below, x, 0, w, false) +
                  ROW_HEIGHT * (float)v->kind->count(v) + note_height(v, canvas, w) + 40;
    viz_rect room = {x, y + LINE + 4, w - panel - COLUMN_GAP,
                     height - LINE - 4 - 10 - VIZ_BAR_NAMED_HEIGHT};
    viz_rect wide = {x, room.y, w, fmaxf(room.h - below, 1)};
    viz_rect beside = fit_picture(v, room), above = fit_picture(v, wide);
    bool stacked = above.w > CLEARLY_LARGER * beside.w;
    l->picture = stacked ? above : beside;
    room.w = stacked ? w : room.w;
    /* What is left of the width goes to both sides of the two columns. */
    float spare = room.w - fmaxf(l->picture.w, LEAST_BAR);
    float shift = stacked ? 0 : floorf(fmaxf(spare, 0) / 2);
    l->picture.x += shift;
    l->title = (viz_rect){l->picture.x, y, room.w - 2 * shift, LINE};
    l->bar = (viz_rect){l->picture.x, l->picture.y + l->picture.h + 10,
                        fminf(fmaxf(l->picture.w, LEAST_BAR), l->title.w), VIZ_BAR_NAMED_HEIGHT};
    float top = l->bar.y + l->bar.h + 12;
    lay_panel(v, canvas,
              stacked ? (viz_rect){x, top, w, y + height - top}
                      : (viz_rect){x + w - panel - shift, y, panel, height});
}

/* ---------------------------------------------------------------- drawing */

void outputs_text(viz_canvas *canvas, viz_face face, float size, viz_rect line, viz_color color,
                  const char *text)
{
    char fit[512];
    viz_text_fit(canvas, face, size, line.w, text, fit, sizeof fit);
    viz_text(canvas, face, size, line.x, line.y + 14, VIZ_LEFT, color, fit);
}

static void draw_row(const outputs_view *v, viz_canvas *canvas, int i)
{
    const viz_theme *theme = canvas->theme;
    viz_rect r = v->layout.rows[i];
    char fit[256];
    outputs_row row = {.share = -1};
    v->kind->row(v, v->layout.first + i, &row);
    bool current = v->layout.first + i == v->output, lit = current && !canvas->figure;
    viz_face face = lit ? VIZ_SANS_BOLD : VIZ_SANS;
    float y = r.y + r.h - TRACK - 6;
    float numbers =
        viz_text(canvas, VIZ_MONO, VIZ_LABEL, r.x + r.w, y, VIZ_RIGHT, theme->text, row.numbers);
    viz_text_fit(canvas, face, VIZ_LABEL, r.w - numbers - 12, row.name, fit, sizeof fit);
    viz_text(canvas, face, VIZ_LABEL, r.x, y, VIZ_LEFT, lit ? theme->accent : theme->text, fit);
    if (row.share < 0)
        return;
    viz_rect track = {r.x, r.y + r.h - TRACK, r.w, TRACK};
    viz_fill_round(canvas, track, TRACK / 2, theme->panel);
    track.w = fmaxf(track.w * row.share, TRACK);
    if (row.share > 0)
        viz_fill_round(canvas, track, TRACK / 2, current ? theme->accent : theme->text2);
}

static void draw_rows(const outputs_view *v, viz_canvas *canvas)
{
    const outputs_layout *l = &v->layout;
    char text[160];
    for (int i = 0; i < l->count; i++)
        draw_row(v, canvas, i);
    snprintf(text, sizeof text, viz_word("and %d more: ↑ ↓"), v->kind->count(v) - l->count);
    if (l->more.w > 0)
        outputs_text(canvas, VIZ_SANS, VIZ_LABEL, l->more, canvas->theme->text2, text);
}

static void draw_picture(outputs_view *v, viz_canvas *canvas)
{
    viz_image_kept(canvas, &v->kept, v->base.source->picture.image, 0, v->layout.picture, true);
    v->kind->draw_map(v, canvas);
}

void outputs_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    outputs_view *v = outputs_of(view);
    const outputs_layout *l = &v->layout;
    lay(v, canvas, area);
    if (v->kind->draw_header)
        v->kind->draw_header(v, canvas);
    v->kind->draw_title(v, canvas);
    draw_picture(v, canvas);
    draw_rows(v, canvas);
    viz_controls_draw(&v->controls, view, canvas);
    if (l->note.w > 0)
        viz_paragraph_draw(canvas, VIZ_SANS, VIZ_LABEL, l->note.x, l->note.y + 12, l->note.w,
                           canvas->theme->text2, viz_word(v->kind->note(v)));
}

/* ---------------------------------------------------------------- as a figure */

static float figure_around(const outputs_view *v)
{
    float rows = v->kind->figure_has_rows ? LEAST_ROW * (float)v->kind->count(v) : 0;
    return 2 * VIZ_FIGURE_MARGIN + LINE + FIGURE_GAP + VIZ_BAR_NAMED_HEIGHT + rows;
}

float outputs_figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    const sac_image *image = view->source->picture.image;
    float w = width - 2 * VIZ_FIGURE_MARGIN;
    (void)canvas;
    return figure_around(outputs_of(view)) + floorf(w * (float)image->height / (float)image->width);
}

/* The picture under its title; below it the bar, and the list where it belongs to the figure. */
void outputs_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    outputs_view *v = outputs_of(view);
    outputs_layout *l = &v->layout;
    float x = area.x + VIZ_FIGURE_MARGIN, w = area.w - 2 * VIZ_FIGURE_MARGIN;
    float y = area.y + VIZ_FIGURE_MARGIN;
    *l = (outputs_layout){.title = {x, y, w, LINE}};
    viz_controls_clear(&v->controls);
    l->picture = fit_picture(v, (viz_rect){x, y + LINE, w, fmaxf(area.h - figure_around(v), 1)});
    l->picture.x += floorf((w - l->picture.w) / 2);
    l->title.x = l->picture.x;
    l->bar = (viz_rect){x, l->picture.y + l->picture.h + FIGURE_GAP, w, VIZ_BAR_NAMED_HEIGHT};
    for (; v->kind->figure_has_rows && l->count < v->kind->count(v); l->count++)
        l->rows[l->count] =
            (viz_rect){x, l->bar.y + l->bar.h + LEAST_ROW * (float)l->count, w, LEAST_ROW - 4};
    v->kind->draw_title(v, canvas);
    draw_picture(v, canvas);
    draw_rows(v, canvas);
}

/* ---------------------------------------------------------------- numbers and names */

static const float *values_of(const outputs_view *v)
{
    if (v->kind->values)
        return v->kind->values(v);
    return v->kind->fill_map(outputs_of(&v->base)) ? v->map : NULL;
}

bool outputs_map(const viz_view *view, viz_map *map)
{
    const outputs_view *v = outputs_of(view);
    size_t rows = (size_t)v->grid_h, columns = (size_t)v->grid_w;
    const float *values = values_of(v);
    if (!values || !viz_map_size(map, rows, columns))
        return false;
    memcpy(map->values, values, rows * columns * sizeof *values);
    map->image = view->source->picture.image;
    return true;
}

viz_rect outputs_map_rect(const viz_view *view)
{
    return outputs_of(view)->layout.picture;
}

bool outputs_table(const viz_view *view, viz_table *table)
{
    const outputs_view *v = outputs_of(view);
    if (!values_of(v))
        return false;
    table->rows = (size_t)v->grid_h;
    table->columns = (size_t)v->grid_w;
    v->kind->name_table(v, table);
    return true;
}

char *outputs_table_name(const viz_view *view, bool of_row, size_t index, char *text, size_t size)
{
    (void)view;
    snprintf(text, size, "%s %zu", of_row ? "row" : "column", index);
    return text;
}

sac_status outputs_table_row(viz_view *view, size_t row, float *values, sac_error *error)
{
    const outputs_view *v = outputs_of(view);
    size_t columns = (size_t)v->grid_w;
    const float *all = values_of(v);
    (void)error;
    if (all)
        memcpy(values, all + row * columns, columns * sizeof *values);
    return SAC_OK;
}

int outputs_choose(viz_view *view)
{
    outputs_view *v = outputs_of(view);
    int chosen = v->chosen;
    v->chosen = -1;
    return chosen;
}

void outputs_status(const viz_view *view, char *text, size_t size)
{
    const outputs_view *v = outputs_of(view);
    const sac_source *source = view->source;
    int used = snprintf(text, size, viz_word(v->kind->status), source->title,
                        source->picture.grid_w, source->picture.grid_h);
    if (source->origin.device[0] && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "  ·  %s", source->origin.device);
    if (v->scales && v->scales[0] && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "  ·  %s %s", viz_word("without"),
                         v->scales);
    if (v->milliseconds > 0 && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "  ·  %.1f ms", v->milliseconds);
}

void outputs_save_source(const viz_view *view, const viz_setting *setting, viz_put *put, void *user)
{
    (void)setting;
    const sac_source *source = view->source;
    put(user, "file", source->origin.file);
    put(user, "hash", source->origin.hash);
    put(user, "device", source->origin.device);
    put(user, "version", SAC_VERSION);
    put(user, "image", source->weights.opened.image_file);
}
