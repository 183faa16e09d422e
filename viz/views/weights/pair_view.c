/* Two pictures beside each other, each with the heat of the same query, the heads of its layer
 * below it, and one line of controls for both. */

#include "weights/pair_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "view/settings.h"
#include "weights/head_strip.h"
#include "weights/token_line.h"

#define FOLDED 520.0f  /* the height of a view whose controls, and whose titles, are one line */
#define UPRIGHT 1.15f  /* height of the room in widths, from which on one stands above the other */
#define SIDE_GAP 28.0f /* between the two */
#define NAME 22.0f     /* of what a side shows, above its title … */
#define NAME_GAP 14.0f /* … or before it */
#define LEAST_STRIP 66.0f
#define MOST_STRIP 150.0f
#define BAR_MOST 320.0f
#define LEAST_TOKENS 120.0f
#define BELOW (34 + VIZ_BAR_NAMED_HEIGHT + 14) /* read-out and bar */

typedef struct pair_side {
    viz_weights_view base;
    viz_token_line tokens;
    viz_head_strip strip;
    viz_rect bar;
    float name_y, readout_y; /* baselines */
    float title_x, readout_x, right;
} pair_side;

typedef struct pair_view {
    viz_view base;
    pair_side sides[2];
    int focus; /* the side that was pointed at last: keys, "why" and tables are its own */
    int asked; /* the side whose job is out */
} pair_view;

static pair_view *of(viz_view *view)
{
    return (pair_view *)view;
}

/* The side in focus as the view that the parts of this box take. */
static const viz_view *focused(const viz_view *view)
{
    const pair_view *v = (const pair_view *)view;
    return &v->sides[v->focus].base.view;
}

static bool has_seen(const sac_source *source)
{
    return viz_weights_view_accepts(source) && viz_weights_view_has_picture(source);
}

static bool accepts(const sac_source *source)
{
    return source->beside && has_seen(source) && has_seen(source->beside);
}

/* ---------------------------------------------------------------- what both sides share */

/* A row or column of `from` at the same place of the other's picture; of a token that is no cell,
 * the one of the same name. Where there is none, *place stays as it is. */
static void find_same(const viz_weights_model *from, size_t index, const viz_weights_model *to,
                      size_t *place)
{
    size_t x, y;
    const char *label = viz_weights_model_column_label(from, index), *other;
    if (viz_weights_model_cell(from, index, &x, &y)) {
        viz_weights_model_column_of(to,
                                    (size_t)viz_same_place((int)x, from->source->picture.grid_w,
                                                           to->source->picture.grid_w),
                                    (size_t)viz_same_place((int)y, from->source->picture.grid_h,
                                                           to->source->picture.grid_h),
                                    place);
        return;
    }
    for (size_t i = 0; label && (other = viz_weights_model_column_label(to, i)) && *other; i++)
        if (strcmp(label, other) == 0)
            *place = i;
}

static void follow_query(const viz_weights_model *from, viz_weights_model *to)
{
    find_same(from, from->row, to, &to->row);
    if (from->column_chosen)
        find_same(from, from->column, to, &to->column);
    to->column_chosen = from->column_chosen;
}

/* What the other side does not have it does not take. */
static void follow_head(const viz_weights_model *from, viz_weights_model *to)
{
    viz_weights_model_select(to, from->layer < to->source->weights.layers ? from->layer : to->layer,
                             from->head < to->source->weights.heads ? from->head : to->head);
}

static bool same_head(const viz_weights_model *a, const viz_weights_model *b)
{
    return a->layer == b->layer && a->head == b->head;
}

static bool same_query(const viz_weights_model *a, const viz_weights_model *b)
{
    return a->row == b->row && a->column == b->column && a->column_chosen == b->column_chosen;
}

/* After side `from` changed from what it was `before`, the other follows in just that. */
static void follow(pair_view *v, int from, const viz_weights_model *before)
{
    const viz_weights_model *now = v->sides[from].base.model;
    viz_weights_model *other = v->sides[1 - from].base.model;
    if (!same_head(before, now))
        follow_head(now, other);
    if (!same_query(before, now))
        follow_query(now, other);
    other->reduce = now->reduce;
}

/* ---------------------------------------------------------------- layout */

static float aspect_of(const pair_side *s)
{
    const sac_image *image = s->base.model->source->picture.image;
    return (float)image->width / (float)image->height;
}

static float strip_height(viz_rect room)
{
    return fminf(fmaxf(0.2f * room.h, LEAST_STRIP), MOST_STRIP);
}

/* The picture, as large as fits. */
static void lay_picture(pair_side *s, const viz_canvas *canvas, viz_rect room)
{
    float aspect = aspect_of(s), w = floorf(fmaxf(fminf(room.w, room.h * aspect), 8));
    s->base.row.picture = (viz_rect){room.x, room.y, w, floorf(w / aspect)};
    s->base.row.list = (viz_rect){0};
    viz_panel_lay(&s->base.panel, canvas, s->base.row.picture);
}

/* Read-out, bar, tokens and the strip of heads. */
static void lay_numbers(pair_side *s, const viz_canvas *canvas, viz_rect room)
{
    float bar = fminf(room.w, BAR_MOST), tokens = room.w - bar - SIDE_GAP;
    s->readout_x = room.x;
    s->readout_y = room.y + 18;
    s->bar = (viz_rect){room.x, room.y + 30, bar, VIZ_BAR_NAMED_HEIGHT};
    s->tokens.choices = (viz_choices){0};
    if (tokens >= LEAST_TOKENS)
        viz_token_line_lay(&s->tokens, s->base.model, canvas, room.x + bar + SIDE_GAP, room.y + 26,
                           tokens, VIZ_FEW_TOKENS);
    viz_head_strip_lay(&s->strip, (viz_rect){room.x, room.y + BELOW, room.w, room.h - BELOW});
}

/* Name, title and note; returns the room below them. */
static viz_rect lay_titles(pair_side *s, const viz_canvas *canvas, viz_rect area, bool folded)
{
    float name = folded ? 0 : NAME;
    s->name_y = area.y + 24;
    s->title_x = area.x + VIZ_MARGIN;
    s->right = area.x + area.w - VIZ_MARGIN;
    if (folded)
        s->title_x += NAME_GAP +
                      viz_text_width(canvas, VIZ_SANS_BOLD, VIZ_BODY, s->base.model->source->title);
    return viz_weights_view_lay_title(&s->base,
                                      (viz_rect){area.x, area.y + name, area.w, area.h - name});
}

/* One above the other: each with its numbers at the right of the picture. */
static void lay_upright(pair_view *v, const viz_canvas *canvas, viz_rect all)
{
    for (int i = 0; i < 2; i++) {
        pair_side *s = &v->sides[i];
        viz_rect area = {all.x, all.y + (float)i * 0.5f * all.h, all.w, 0.5f * all.h};
        viz_rect room = lay_titles(s, canvas, area, false);
        lay_picture(s, canvas, (viz_rect){room.x, room.y, 0.55f * room.w, room.h});
        float x = room.x + s->base.row.picture.w + SIDE_GAP;
        lay_numbers(s, canvas, (viz_rect){x, room.y - 6, s->right - x, room.h + 6});
    }
}

/* What stands below the pictures begins at one height. */
static void lay_beside(pair_view *v, const viz_canvas *canvas, viz_rect all, bool folded)
{
    float inner = 0.5f * SIDE_GAP - VIZ_MARGIN, w = 0.5f * all.w - inner, top = 0, high = 0;
    viz_rect room[2];
    for (int i = 0; i < 2; i++) {
        viz_rect area = {all.x + (float)i * (0.5f * all.w + inner), all.y, w, all.h};
        room[i] = lay_titles(&v->sides[i], canvas, area, folded);
        top = fmaxf(top, room[i].y);
    }
    float bottom = all.y + all.h, below = BELOW + strip_height(all);
    for (int i = 0; i < 2; i++) {
        lay_picture(&v->sides[i], canvas,
                    (viz_rect){room[i].x, top, room[i].w, bottom - top - below});
        high = fmaxf(high, v->sides[i].base.row.picture.h);
    }
    for (int i = 0; i < 2; i++)
        lay_numbers(&v->sides[i], canvas,
                    (viz_rect){room[i].x, top + high, room[i].w, bottom - top - high});
}

static void lay(pair_view *v, const viz_canvas *canvas, viz_rect area)
{
    viz_weights_controls *controls = &v->sides[0].base.controls;
    bool folded = area.h < FOLDED;
    if (folded)
        viz_controls_lay_folded(controls, canvas, v->sides[0].base.model, area);
    else
        viz_controls_lay(controls, canvas, v->sides[0].base.model, area, false, false);
    viz_rect all = {area.x, area.y, area.w, controls->rect.y - 10 - area.y};
    if (all.h > UPRIGHT * all.w)
        lay_upright(v, canvas, all);
    else
        lay_beside(v, canvas, all, folded);
}

/* ---------------------------------------------------------------- drawing */

static void draw_side(pair_side *s, viz_canvas *canvas)
{
    viz_weights_view *base = &s->base;
    float x = base->row.picture.x;
    char fit[160];
    viz_text_fit(canvas, VIZ_SANS_BOLD, VIZ_BODY, s->right - x, base->model->source->title, fit,
                 sizeof fit);
    viz_text(canvas, VIZ_SANS_BOLD, VIZ_BODY, x, s->name_y, VIZ_LEFT, canvas->theme->text, fit);
    viz_weights_view_draw_title(base, canvas, s->title_x, s->right);
    viz_row_panel_draw(&s->base.row, canvas);
    viz_panel_draw_readout(&base->panel, canvas, s->readout_x, s->readout_y,
                           s->right - s->readout_x);
    viz_row_panel_draw_bar(&s->base.row, canvas, s->bar);
    viz_token_line_draw(&s->tokens, base->model, canvas);
    viz_head_strip_draw(&s->strip, canvas);
}

static void draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    pair_view *v = of(view);
    lay(v, canvas, area);
    for (int i = 0; i < 2; i++)
        draw_side(&v->sides[i], canvas);
    viz_controls_draw(&v->sides[0].base.controls, canvas, v->sides[0].base.model);
}

/* ---------------------------------------------------------------- events */

/* In one of the halves of the view: no control of both lies within. */
static bool is_over(const pair_side *s, float x, float y)
{
    viz_rect maps = s->strip.count ? s->strip.maps : s->bar;
    float left = s->base.row.picture.x, top = s->name_y - 14;
    float bottom = fmaxf(maps.y + maps.h, s->base.row.picture.y + s->base.row.picture.h);
    return viz_inside((viz_rect){left, top, s->right - left, bottom - top}, x, y);
}

/* "Why" asks the source that the view shows. */
static void find_focus(pair_view *v, const viz_event *event)
{
    for (int i = 0; i < 2; i++)
        if ((event->kind == VIZ_MOVE || event->kind == VIZ_PRESS) &&
            is_over(&v->sides[i], event->x, event->y))
            v->focus = i;
    v->base.source = v->sides[v->focus].base.model->source;
}

static bool event_of_side(pair_side *s, const viz_event *e)
{
    viz_weights_model *model = s->base.model;
    if (e->kind == VIZ_KEY && e->key == 'j') {
        viz_panel_step_row(&s->base.panel, e->shift ? -1 : 1);
        return true;
    }
    if (e->kind == VIZ_KEY)
        return viz_controls_step(model, e->key);
    return viz_head_strip_event(&s->strip, e) || viz_token_line_event(&s->tokens, model, e) ||
           viz_row_panel_event(&s->base.row, e);
}

/* Choices of both: they are the same at first, and change alike. */
static bool event_of_both(pair_view *v, const viz_event *e)
{
    static const int keys[] = {'r', '/', 'l', 'c', 'm', 't'};
    bool ours = e->kind == VIZ_PRESS, changed = false;
    for (size_t i = 0; e->kind == VIZ_KEY && i < sizeof keys / sizeof *keys; i++)
        ours |= e->key == keys[i];
    for (int i = 0; ours && i < 2; i++)
        changed |= viz_controls_event(&v->sides[0].base.controls, v->sides[i].base.model, e);
    return changed;
}

static bool event(viz_view *view, const viz_event *e)
{
    pair_view *v = of(view);
    find_focus(v, e);
    if (e->kind == VIZ_KEY && e->ctrl)
        return false;
    viz_weights_model before = *v->sides[v->focus].base.model;
    if (event_of_both(v, e))
        return true;
    bool changed = event_of_side(&v->sides[v->focus], e);
    if (changed)
        follow(v, v->focus, &before);
    return changed;
}

static bool tick(viz_view *view, double now)
{
    pair_view *v = of(view);
    bool moves = viz_panel_tick(&v->sides[0].base.panel, now);
    return viz_panel_tick(&v->sides[1].base.panel, now) || moves;
}

static void spots(const viz_view *view, viz_spots *spots)
{
    const pair_view *v = (const pair_view *)view;
    for (int i = 0; i < 2; i++) {
        const pair_side *s = &v->sides[i];
        viz_weights_view_spots(&s->base, s->bar, spots);
        viz_head_strip_spots(&s->strip, spots);
        viz_token_line_spots(&s->tokens, spots);
        viz_spots_add(spots,
                      (viz_rect){s->readout_x, s->readout_y - 14, s->right - s->readout_x, 20},
                      VIZ_SPOT_READS,
                      "The weight of this key for this query, and how far the row spreads: 0 bits "
                      "for one key, the second number for all alike.");
    }
}

/* ---------------------------------------------------------------- work */

static viz_job *want(viz_view *view)
{
    pair_view *v = of(view);
    if (v->sides[0].base.model->request.out || v->sides[1].base.model->request.out)
        return NULL;
    for (int i = 0; i < 2; i++) {
        int side = i == 0 ? v->focus : 1 - v->focus;
        viz_job *job = viz_head_strip_want_first(&v->sides[side].strip, &v->sides[side].base);
        v->asked = side;
        if (job)
            return job;
    }
    return NULL;
}

static sac_status work(viz_view *view, viz_job *job, sac_error *error)
{
    pair_view *v = of(view);
    return viz_weights_view_work(&v->sides[v->asked].base.view, job, error);
}

static void take(viz_view *view, viz_job *job, const sac_error *error)
{
    pair_view *v = of(view);
    pair_side *s = &v->sides[v->asked];
    viz_head_strip_take(&s->strip, viz_job_of(job, view->class));
    viz_weights_view_take(&s->base.view, job, error);
}

/* ---------------------------------------------------------------- words and numbers */

static void status(const viz_view *view, char *text, size_t size)
{
    viz_weights_view_status(focused(view), text, size);
}

static bool subject(const viz_view *view, viz_subject *subject)
{
    return viz_weights_view_subject(focused(view), subject);
}

static char *key_name(const viz_view *view, size_t position, char *text, size_t size)
{
    return viz_weights_view_key_name(focused(view), position, text, size);
}

static bool table(const viz_view *view, viz_table *table)
{
    return viz_weights_view_table(focused(view), table);
}

static char *table_name(const viz_view *view, bool of_row, size_t index, char *text, size_t size)
{
    return viz_weights_view_table_name(focused(view), of_row, index, text, size);
}

static sac_status table_row(viz_view *view, size_t row, float *values, sac_error *error)
{
    pair_view *v = of(view);
    return viz_weights_view_table_row(&v->sides[v->focus].base.view, row, values, error);
}

static bool pin(const viz_view *view, viz_pin *pin)
{
    return viz_weights_pin_head(focused(view), pin);
}

/* The second side's cell, layer and head are its own where the first does not have them. */
static void describe(const viz_view *view, viz_put *put, void *user)
{
    const pair_view *v = (const pair_view *)view;
    const viz_weights_model *second = v->sides[1].base.model;
    char query[64];
    put(user, "view", view->class->name);
    viz_settings_tell(viz_weights_settings, &v->sides[0].base.view, put, user);
    viz_settings_tell(viz_panel_settings, &v->sides[0].base.view, put, user);
    snprintf(query, sizeof query, "%zu,%zu", second->column, second->row);
    put(user, "second query", query);
    viz_put_whole(put, user, "second layer", (long long)second->layer);
    viz_put_whole(put, user, "second head", (long long)second->head);
    put(user, "second file", second->source->origin.file);
    put(user, "second image", second->source->weights.opened.image_file);
}

static void restore(viz_view *view, const char *key, const char *value)
{
    pair_view *v = of(view);
    viz_weights_model *first = v->sides[0].base.model, *second = v->sides[1].base.model;
    viz_weights_model before = *first;
    bool of_second = strncmp(key, "second ", 7) == 0;
    viz_view *sides[] = {&v->sides[0].base.view, &v->sides[1].base.view};
    const char *name = of_second ? key + 7 : key;
    viz_settings_take(viz_panel_settings, sides[of_second], name, value);
    if (!of_second)
        viz_settings_take(viz_weights_settings, sides[0], name, value);
    if (of_second || strcmp(key, "first tokens count") != 0) /* of which each has its own */
        viz_settings_take(viz_weights_settings, sides[1], name, value);
    if (!same_query(&before, first))
        follow_query(first, second);
}

/* Layers and heads of the first, one after the other. */
static int frames(const viz_view *view, int fps)
{
    const sac_source *source = ((const pair_view *)view)->sides[0].base.model->source;
    return (int)(source->weights.layers * source->weights.heads) *
           viz_weights_view_head_frames(fps);
}

static void frame(viz_view *view, int index, int fps)
{
    pair_view *v = of(view);
    viz_weights_model *first = v->sides[0].base.model, before = *first;
    size_t place = (size_t)(index / viz_weights_view_head_frames(fps)),
           heads = first->source->weights.heads;
    viz_weights_model_select(first, place / heads, place % heads);
    follow(v, 0, &before);
    tick(view, (double)index / fps);
    for (int i = 0; i < 2 && !same_head(&before, first); i++)
        viz_panel_glide(&v->sides[i].base.panel);
}

static const viz_key_help keys[] = {
    {"←  →  ↑  ↓", "head, layer"},
    {"J", "the next query (shift: before)"},
    {"R", "reduce heads: none, mean, max, min, rollout"},
    {"/", "first tokens: shown, dropped, masked"},
    {"L", "scale: per map, shared, square root, logarithmic, fixed"},
    {"C", "difference from the map before"},
    {"T", "the boxes of things that are known"},
    {"M", "colour map"},
    {NULL, NULL},
};

/* ---------------------------------------------------------------- the class */

static void destroy(viz_view *view)
{
    pair_view *v = of(view);
    for (int i = 0; i < 2; i++) {
        viz_head_strip_free(&v->sides[i].strip);
        viz_weights_view_end(&v->sides[i].base);
    }
    free(v);
}

static sac_status open_side(pair_side *s, const sac_source *source, sac_error *error)
{
    viz_weights_model *model;
    sac_status status = viz_weights_model_create(source, &model, error);
    if (status != SAC_OK)
        return status;
    viz_weights_view_init(&s->base, &viz_pair_class, model);
    viz_weights_model_release(model);
    s->base.panel.hidden = true;
    s->strip.row = &s->base.row;
    return SAC_OK;
}

/* Its models are its own: in other views of the first source there is no second to follow. */
static sac_status create(sac_source *source, viz_view *beside, viz_view **view, sac_error *error)
{
    (void)beside;
    pair_view *v = calloc(1, sizeof *v);
    *view = NULL;
    if (!v)
        return sac_fail(error, SAC_E_MEMORY, "pair", NULL, "no memory for the view");
    v->base = (viz_view){&viz_pair_class, source};
    sac_status status = open_side(&v->sides[0], source, error);
    if (status == SAC_OK)
        status = open_side(&v->sides[1], source->beside, error);
    if (status != SAC_OK) {
        destroy(&v->base);
        return status;
    }
    follow_query(v->sides[0].base.model, v->sides[1].base.model);
    *view = &v->base;
    return SAC_OK;
}

const viz_view_class viz_pair_class = {.name = "pair",
                                       .tab = "Pair",
                                       .accepts = accepts,
                                       .create = create,
                                       .draw = draw,
                                       .event = event,
                                       .tick = tick,
                                       .want = want,
                                       .work = work,
                                       .take = take,
                                       .status = status,
                                       .settings = {viz_weights_settings, viz_panel_settings},
                                       .subject = subject,
                                       .key_name = key_name,
                                       .table = table,
                                       .table_name = table_name,
                                       .table_row = table_row,
                                       .describe = describe,
                                       .restore = restore,
                                       .pin = pin,
                                       .keys = keys,
                                       .spots = spots,
                                       .about = "The same query in two pictures, or two models.",
                                       .frames = frames,
                                       .frame = frame,
                                       .destroy = destroy};
