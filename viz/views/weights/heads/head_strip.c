/* A strip of small pictures, one for each head. */

#include "weights/heads/head_strip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/heat.h"
#include "parts/controls/widgets.h"
#include "weights/heads/heads_effect.h"

#define SPACE 6.0f
#define NAME 16.0f /* below a map */
#define LAYERS 22.0f
#define LAYER_STEP 26.0f
#define LAYER_TITLE 44.0f
#define LEAST_NUMBERED 15.0f /* a step; closer layers are ticks */

static const viz_weights_model *model_of(const viz_head_strip *s)
{
    return s->row->panel->model;
}

void viz_head_strip_free(viz_head_strip *s)
{
    free(s->weights);
    free(s->cells);
    viz_scaled_free(&s->scaled);
    *s = (viz_head_strip){0};
}

/* ---------------------------------------------------------------- layout */

static float width_of(viz_rect room, float ratio, size_t count, size_t columns)
{
    size_t rows = (count + columns - 1) / columns;
    float across = (room.w + SPACE) / (float)columns - SPACE;
    float down = ((room.h + SPACE) / (float)rows - SPACE - NAME) / ratio;
    return floorf(fmaxf(fminf(across, down), 4));
}

float viz_head_strip_lay(viz_head_strip *s, viz_rect room)
{
    const sac_source *source = model_of(s)->source;
    float top = room.y;
    s->maps = s->layers = (viz_rect){0};
    if (source->weights.layers > 1) {
        s->layer_step = fminf(LAYER_STEP, (room.w - LAYER_TITLE) / (float)source->weights.layers);
        s->layers = (viz_rect){room.x + LAYER_TITLE, room.y,
                               s->layer_step * (float)source->weights.layers, LAYERS};
        room.y += LAYERS;
        room.h -= LAYERS;
    }
    s->count = source->weights.heads > 1 ? source->weights.heads + 2 : 0;
    if (s->count) {
        const sac_image *image = model_of(s)->source->picture.image;
        float ratio = (float)image->height / (float)image->width;
        s->columns = s->count;
        s->width = 0;
        for (size_t columns = 1; columns <= s->count; columns++) {
            float width = width_of(room, ratio, s->count, columns);
            if (width > s->width) {
                s->width = width;
                s->columns = columns;
            }
        }
        size_t rows = (s->count + s->columns - 1) / s->columns;
        s->height = fmaxf(floorf(s->width * ratio), 3);
        s->maps = (viz_rect){room.x, room.y, (s->width + SPACE) * (float)s->columns - SPACE,
                             (s->height + NAME + SPACE) * (float)rows - SPACE};
    }
    return s->count ? s->maps.y + s->maps.h - top : s->layers.h;
}

viz_rect viz_head_strip_map(const viz_head_strip *s, size_t place)
{
    return (viz_rect){s->maps.x + (s->width + SPACE) * (float)(place % s->columns),
                      s->maps.y + (s->height + NAME + SPACE) * (float)(place / s->columns),
                      s->width, s->height};
}

/* ---------------------------------------------------------------- work */

/* Each head separately, whatever is enlarged. */
static sac_head_choice choice_of(const viz_head_strip *s)
{
    sac_head_choice choice = viz_weights_model_current(model_of(s));
    choice.reduce = SAC_REDUCE_NONE;
    choice.head = 0;
    return choice;
}

static bool is_fresh(const viz_head_strip *s)
{
    sac_head_choice choice = choice_of(s);
    return s->query == viz_weights_model_query(model_of(s)) &&
           sac_head_choice_same(&choice, &s->of);
}

/* For the heads' rows of the current query; NULL: they are there. */
static viz_weights_job *want_rows(viz_head_strip *s)
{
    sac_head_choice choice = choice_of(s);
    if (!s->count || (s->asked && is_fresh(s)))
        return NULL;
    s->asked = true;
    s->query = viz_weights_model_query(model_of(s));
    s->of = choice;
    return viz_weights_model_want_heads(s->row->panel->model, &choice, s->query);
}

viz_job *viz_head_strip_want_first(viz_head_strip *s, viz_weights_view *view)
{
    viz_weights_model *model = view->model;
    viz_weights_job *job =
        model->request.out || viz_panel_is_waiting(&view->panel) ? NULL : want_rows(s);
    if (!job)
        return viz_weights_view_want(view, model->scale == VIZ_SHARED ||
                                               viz_weights_model_seeks_informative(model));
    job->base.class = view->view.class;
    return viz_request_submit(&model->request, &job->base, 0);
}

bool viz_head_strip_is_served(const viz_head_strip *s)
{
    return !viz_panel_is_waiting(s->row->panel) && (!s->count || (s->asked && is_fresh(s)));
}

void viz_head_strip_take(viz_head_strip *s, viz_weights_job *job)
{
    if (job->kind != VIZ_JOB_HEADS || !job->weights || job->row != s->query ||
        !sac_head_choice_same(&job->choice, &s->of))
        return;
    size_t rows;
    free(s->weights);
    s->weights = job->weights;
    sac_head_choice_size(model_of(s)->source, &job->choice, &rows, &s->weight_columns);
    job->weights = NULL;
}

/* ---------------------------------------------------------------- drawing */

bool viz_head_strip_fill(viz_head_strip *s, size_t place)
{
    const sac_source *source = model_of(s)->source;
    size_t columns = s->weight_columns, heads = source->weights.heads;
    size_t count = (size_t)source->picture.grid_w * (size_t)source->picture.grid_h;
    size_t first = place < heads ? place : 0, last = place < heads ? place + 1 : heads;
    if (columns != s->row->panel->layout.columns) /* of another item, as yet */
        return false;
    memset(s->cells, 0, count * sizeof *s->cells);
    for (size_t h = first; h < last; h++) {
        const float *cells = viz_row_panel_cells(s->row, s->weights + h * columns);
        for (size_t i = 0; cells && i < count; i++)
            s->cells[i] = place == heads ? s->cells[i] + cells[i] / (float)heads
                                         : fmaxf(s->cells[i], cells[i]);
        if (!cells)
            return false;
    }
    return true;
}

static void draw_map(viz_head_strip *s, viz_canvas *canvas, size_t place)
{
    const viz_weights_model *m = model_of(s);
    const sac_source *source = m->source;
    viz_rect rect = viz_head_strip_map(s, place);
    viz_rect around = {rect.x - 2, rect.y - 2, rect.w + 4, rect.h + 4};
    char name[32];
    size_t heads = m->source->weights.heads;
    bool current = m->reduce == SAC_REDUCE_NONE   ? place == m->head
                   : m->reduce == SAC_REDUCE_MEAN ? place == heads
                   : m->reduce == SAC_REDUCE_MAX  ? place == heads + 1
                                                  : false;
    snprintf(name, sizeof name, "%zu", place);
    viz_image_kept(canvas, &s->scaled, source->picture.image, 1, rect, true);
    if (s->weights && viz_head_strip_fill(s, place)) {
        viz_heat_style style = m->look;
        style.scale = viz_row_panel_heat_scale(s->row);
        viz_heat(canvas, &s->scaled, rect, s->cells, source->picture.grid_w, source->picture.grid_h,
                 &style);
    }
    if (place < heads)
        viz_head_mark(m, canvas, rect, m->layer, place);
    if (current)
        viz_frame(canvas, around, 2, canvas->theme->accent);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, rect.x + rect.w / 2, rect.y + rect.h + 14, VIZ_CENTER,
             current ? canvas->theme->accent : canvas->theme->text2,
             place < source->weights.heads    ? name
             : place == source->weights.heads ? "mean"
                                              : "max");
}

static void draw_layers(const viz_head_strip *s, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    const viz_weights_model *m = model_of(s);
    char number[32];
    if (s->layers.w <= 0)
        return;
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, s->layers.x - LAYER_TITLE, s->layers.y + 14, VIZ_LEFT,
             theme->text2, "layer");
    for (size_t l = 0; l < m->source->weights.layers; l++) {
        float x = s->layers.x + s->layer_step * ((float)l + 0.5f);
        bool current = l == m->layer;
        snprintf(number, sizeof number, "%zu", sac_source_layer_number(m->source, l));
        if (s->layer_step >= LEAST_NUMBERED || current)
            viz_text(canvas, current ? VIZ_SANS_BOLD : VIZ_SANS, VIZ_LABEL, x, s->layers.y + 14,
                     VIZ_CENTER, current ? theme->accent : theme->text2, number);
        else
            viz_fill(canvas, (viz_rect){x - 0.5f, s->layers.y + 7, 1, 6}, theme->faint);
    }
}

void viz_head_strip_draw(viz_head_strip *s, viz_canvas *canvas)
{
    const sac_source *source = model_of(s)->source;
    size_t cells = (size_t)source->picture.grid_w * (size_t)source->picture.grid_h;
    draw_layers(s, canvas);
    if (!s->cells)
        s->cells = viz_allocate(cells, sizeof *s->cells);
    for (size_t i = 0; i < s->count && s->cells; i++)
        draw_map(s, canvas, i);
}

/* ---------------------------------------------------------------- events */

static void choose(viz_weights_model *m, size_t place)
{
    size_t heads = m->source->weights.heads;
    m->reduce = place < heads ? SAC_REDUCE_NONE : place == heads ? SAC_REDUCE_MEAN : SAC_REDUCE_MAX;
    if (place < heads)
        viz_weights_model_select(m, m->layer, place);
}

bool viz_head_strip_event(viz_head_strip *s, const viz_event *event)
{
    viz_weights_model *m = s->row->panel->model;
    if (event->kind != VIZ_PRESS || event->button == 2)
        return false;
    if (s->layers.w > 0 && viz_inside(s->layers, event->x, event->y)) {
        size_t layer = (size_t)((event->x - s->layers.x) / s->layer_step);
        layer = layer < m->source->weights.layers ? layer : m->source->weights.layers - 1;
        viz_weights_model_select(m, layer, m->head);
        return true;
    }
    for (size_t i = 0; i < s->count; i++)
        if (viz_inside(viz_head_strip_map(s, i), event->x, event->y)) {
            choose(m, i);
            if (event->button == 3)
                viz_weights_model_scale_current(m, 0);
            return true;
        }
    return false;
}

void viz_head_strip_spots(const viz_head_strip *s, viz_spots *spots)
{
    for (size_t i = 0; i < s->count; i++)
        viz_spots_add(spots, viz_head_strip_map(s, i), VIZ_SPOT_PRESSES,
                      "Where this head looks for the same query; click to see it large.");
    viz_spots_add(spots, s->layers, VIZ_SPOT_PRESSES, "Click to choose a layer.");
}
