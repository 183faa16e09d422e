/* Small maps of all heads around a picture. */
#include "weights/heads/head_maps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/heat.h"
#include "parts/controls/widgets.h"
#include "view/words.h"
#include "weights/heads/head_lists.h"
#include "weights/heads/heads_effect.h"

#define SPACE 6.0f
#define NAME 16.0f /* below a map of the strip */
#define LAYERS 22.0f
#define LAYER_STEP 26.0f
#define LAYER_TITLE 44.0f
#define LEAST_NUMBERED 15.0f /* a step; closer layers are ticks */

#define TITLE 20.0f
#define NUMBERS 20.0f /* of layers, at the left of the grid */
#define KIND 2.0f
#define GAP 4.0f
#define WIDEST 72.0f
#define LEAST 10.0f
#define BLOCK_GAP 14.0f   /* between some layers and the next, beside them */
#define BLOCKS_GAIN 1.15f /* layers stand in several blocks where maps are so much larger then */

static viz_weights_model *model_of(const viz_head_maps *m)
{
    return m->row->panel->model;
}

void viz_head_maps_free(viz_head_maps *m)
{
    free(m->weights);
    free(m->known);
    free(m->cells);
    viz_scaled_free(&m->strip.scaled);
    *m = (viz_head_maps){0};
}

/* ---------------------------------------------------------------- layout */

float viz_head_strip_lay(viz_head_maps *m, viz_rect room)
{
    const sac_weights_source *weights = &model_of(m)->source->weights;
    float ratio = viz_row_panel_ratio(m->row), top = room.y;
    m->strip.maps = m->strip.layers = (viz_rect){0};
    if (weights->layers > 1) {
        m->strip.layer_step = fminf(LAYER_STEP, (room.w - LAYER_TITLE) / (float)weights->layers);
        m->strip.layers = (viz_rect){room.x + LAYER_TITLE, room.y,
                                     m->strip.layer_step * (float)weights->layers, LAYERS};
        room.y += LAYERS;
        room.h -= LAYERS;
    }
    size_t count = m->strip.count = weights->heads > 1 ? weights->heads + 2 : 0, rows = 0;
    if (!count)
        return m->strip.layers.h;
    m->strip.width = 0;
    for (size_t columns = 1; columns <= count; columns++) { /* that make the largest maps */
        float many = (float)((count + columns - 1) / columns);
        float across = (room.w + SPACE) / (float)columns - SPACE;
        float down = ((room.h + SPACE) / many - SPACE - NAME) / ratio;
        float width = floorf(fmaxf(fminf(across, down), 4));
        if (width > m->strip.width) {
            m->strip.width = width;
            m->strip.columns = columns;
            rows = (size_t)many;
        }
    }
    m->strip.height = fmaxf(floorf(m->strip.width * ratio), 3);
    m->strip.maps =
        (viz_rect){room.x, room.y, (m->strip.width + SPACE) * (float)m->strip.columns - SPACE,
                   (m->strip.height + NAME + SPACE) * (float)rows - SPACE};
    return m->strip.maps.y + m->strip.maps.h - top;
}

static viz_rect strip_map(const viz_head_maps *m, size_t place)
{
    size_t column = place % m->strip.columns, row = place / m->strip.columns;
    return (viz_rect){m->strip.maps.x + (m->strip.width + SPACE) * (float)column,
                      m->strip.maps.y + (m->strip.height + NAME + SPACE) * (float)row,
                      m->strip.width, m->strip.height};
}

/* As wide as a map may be where layers stand in so many blocks side by side. */
static float map_width_in_blocks(const viz_head_maps *m, viz_rect room, size_t blocks)
{
    const sac_weights_source *weights = &model_of(m)->source->weights;
    float rows = ceilf((float)weights->layers / (float)blocks);
    float block = (room.w - BLOCK_GAP * (float)(blocks - 1)) / (float)blocks;
    float across = (block - NUMBERS) / (float)weights->heads - GAP;
    float down = ((room.h - TITLE) / rows - GAP - KIND) / viz_row_panel_ratio(m->row);
    return floorf(fminf(fminf(across, down), WIDEST));
}

float viz_head_grid_lay(viz_head_maps *m, viz_rect room)
{
    const sac_weights_source *weights = &model_of(m)->source->weights;
    size_t layers = weights->layers, heads = weights->heads, blocks = 1;
    m->grid.maps = (viz_rect){0};
    if (layers < 2 || heads < 2)
        return 0;
    m->grid.width = map_width_in_blocks(m, room, 1);
    for (size_t more = 2; more <= layers; more++) {
        float width = map_width_in_blocks(m, room, more);
        if (width > BLOCKS_GAIN * m->grid.width) {
            m->grid.width = width;
            blocks = more;
        }
    }
    if (m->grid.width < LEAST)
        return 0;
    m->grid.rows = (layers + blocks - 1) / blocks;
    blocks = (layers + m->grid.rows - 1) / m->grid.rows;
    m->grid.height = floorf(m->grid.width * viz_row_panel_ratio(m->row));
    m->grid.block = (m->grid.width + GAP) * (float)heads + NUMBERS + BLOCK_GAP;
    m->grid.maps = (viz_rect){room.x + NUMBERS, room.y + TITLE,
                              m->grid.block * (float)blocks - NUMBERS - BLOCK_GAP,
                              (m->grid.height + GAP + KIND) * (float)m->grid.rows};
    return TITLE + m->grid.maps.h;
}

static viz_rect grid_map(const viz_head_maps *m, size_t layer, size_t head)
{
    float x = m->grid.block * (float)(layer / m->grid.rows) + (m->grid.width + GAP) * (float)head;
    float y = (m->grid.height + GAP + KIND) * (float)(layer % m->grid.rows);
    return (viz_rect){m->grid.maps.x + x, m->grid.maps.y + y, m->grid.width, m->grid.height};
}

/* ---------------------------------------------------------------- work */

/* Each head separately, whatever is enlarged. */
static sac_head_choice separate_heads_choice(const viz_head_maps *m)
{
    sac_head_choice choice = viz_weights_model_choice(model_of(m), 0, 0);
    choice.reduce = SAC_REDUCE_NONE;
    return choice;
}

static bool is_fresh(const viz_head_maps *m)
{
    sac_head_choice choice = separate_heads_choice(m);
    return m->weights && m->query == viz_weights_model_query(model_of(m)) &&
           sac_head_choice_same(&choice, &m->of);
}

/* Begins anew for the current query; what is drawn stays until its layer comes. False: no memory. */
static bool begin_query(viz_head_maps *m)
{
    const sac_source *source = model_of(m)->source;
    size_t layers = source->weights.layers;
    m->of = separate_heads_choice(m);
    m->query = viz_weights_model_query(model_of(m));
    size_t columns = viz_map_of(source, &m->of).cols;
    if (!m->weights || m->columns != columns) {
        free(m->weights);
        free(m->known);
        m->columns = columns;
        m->weights = viz_allocate(layers * source->weights.heads * columns, sizeof *m->weights);
        m->known = viz_allocate(2 * layers, sizeof *m->known);
    }
    if (!m->weights || !m->known)
        return false;
    m->asked = m->known + layers;
    memset(m->asked, 0, layers * sizeof *m->asked);
    return true;
}

viz_weights_job *viz_head_maps_create_job(viz_head_maps *m)
{
    size_t layers = model_of(m)->source->weights.layers, layer = model_of(m)->layer;
    if (!m->strip.count || (!is_fresh(m) && !begin_query(m)))
        return NULL;
    if (m->asked[layer])
        for (layer = 0; layer < layers && m->asked[layer];)
            layer++;
    if (layer == layers || (layer != model_of(m)->layer && m->grid.maps.w <= 0))
        return NULL;
    sac_head_choice choice = m->of;
    choice.layer = layer;
    m->asked[layer] = true;
    return viz_weights_model_create_heads_job(model_of(m), &choice, m->query);
}

void viz_head_maps_take(viz_head_maps *m, const viz_weights_job *job)
{
    sac_head_choice of = job->choice;
    size_t layer = of.layer;
    of.layer = 0;
    if (job->kind != VIZ_JOB_HEADS || !job->weights || !is_fresh(m) || job->row != m->query ||
        !sac_head_choice_same(&of, &m->of))
        return;
    size_t count = model_of(m)->source->weights.heads * m->columns;
    memcpy(m->weights + layer * count, job->weights, count * sizeof *m->weights);
    m->known[layer] = true;
}

/* ---------------------------------------------------------------- drawing */

/* The map of one head; behind the heads their mean, and the largest of all. NULL: it is not known, or
 * tokens that are cells were dropped. */
static const float *map_at(viz_head_maps *m, size_t layer, size_t place)
{
    const sac_source *source = model_of(m)->source;
    size_t heads = source->weights.heads;
    size_t count = (size_t)source->picture.grid_w * (size_t)source->picture.grid_h;
    size_t first = place < heads ? place : 0, last = place < heads ? place + 1 : heads;
    if (!m->cells)
        m->cells = viz_allocate(count, sizeof *m->cells);
    if (!m->cells || !m->weights || !m->known[layer] ||
        m->columns != m->row->panel->layout.columns) /* of another item, as yet */
        return NULL;
    memset(m->cells, 0, count * sizeof *m->cells);
    for (size_t h = first; h < last; h++) {
        const float *cells =
            viz_row_panel_cells(m->row, m->weights + (layer * heads + h) * m->columns);
        for (size_t i = 0; cells && i < count; i++)
            m->cells[i] = place == heads ? m->cells[i] + cells[i] / (float)heads
                                         : fmaxf(m->cells[i], cells[i]);
        if (!cells)
            return NULL;
    }
    return m->cells;
}

static void draw_strip_map(viz_head_maps *m, viz_canvas *canvas, size_t place)
{
    const viz_weights_model *model = model_of(m);
    const sac_source *source = model->source;
    viz_rect r = strip_map(m, place);
    char name[32];
    size_t heads = source->weights.heads;
    bool current = model->reduce == SAC_REDUCE_NONE ? place == model->head
                   : model->reduce == SAC_REDUCE_MEAN
                       ? place == heads
                       : model->reduce == SAC_REDUCE_MAX && place == heads + 1;
    viz_image_kept(canvas, &m->strip.scaled, source->picture.image, 1, r, true);
    const float *cells = map_at(m, model->layer, place);
    if (cells) {
        viz_heat_style style = model->look;
        style.scale = viz_row_panel_heat_scale(m->row);
        viz_heat(canvas, &m->strip.scaled, r, cells, source->picture.grid_w, source->picture.grid_h,
                 &style);
    }
    if (place < heads)
        viz_head_draw_scale_mark(model, canvas, r, model->layer, place);
    if (current)
        viz_frame(canvas, (viz_rect){r.x - 2, r.y - 2, r.w + 4, r.h + 4}, 2, canvas->theme->accent);
    snprintf(name, sizeof name, "%zu", place);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x + r.w / 2, r.y + r.h + 14, VIZ_CENTER,
             current ? canvas->theme->accent : canvas->theme->text2,
             place < heads    ? name
             : place == heads ? viz_word("mean")
                              : viz_word("max"));
}

void viz_head_strip_draw(viz_head_maps *m, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    const viz_weights_model *model = model_of(m);
    viz_rect row = m->strip.layers;
    char number[32];
    if (row.w > 0)
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, row.x - LAYER_TITLE, row.y + 14, VIZ_LEFT,
                 theme->text2, viz_word("layer"));
    for (size_t l = 0; l < model->source->weights.layers && row.w > 0; l++) {
        float x = row.x + m->strip.layer_step * ((float)l + 0.5f);
        bool current = l == model->layer;
        snprintf(number, sizeof number, "%zu", sac_source_layer_number(model->source, l));
        if (m->strip.layer_step >= LEAST_NUMBERED || current)
            viz_text(canvas, current ? VIZ_SANS_BOLD : VIZ_SANS, VIZ_LABEL, x, row.y + 14,
                     VIZ_CENTER, current ? theme->accent : theme->text2, number);
        else
            viz_fill(canvas, (viz_rect){x - 0.5f, row.y + 7, 1, 6}, theme->faint);
    }
    for (size_t i = 0; i < m->strip.count; i++)
        draw_strip_map(m, canvas, i);
}

static void draw_grid_map(viz_head_maps *m, viz_canvas *canvas, size_t layer, size_t head)
{
    const viz_weights_model *model = model_of(m);
    size_t down = (size_t)model->source->picture.grid_h,
           across = (size_t)model->source->picture.grid_w;
    viz_rect r = grid_map(m, layer, head);
    const float *cells = map_at(m, layer, head);
    sac_weights_kind kind;
    float most = 4 * viz_weights_model_uniform(model);
    for (size_t i = 0; cells && i < down * across; i++)
        most = fmaxf(most, cells[i]);
    /* As over the picture: four times 1/N shows fully, so that an even map does not. */
    viz_scale scale = viz_scale_for(VIZ_PER_MAP, most);
    if (cells)
        viz_cells(canvas, r, cells, down, across, viz_map_colors(canvas->theme, model->look.map),
                  &scale);
    else
        viz_fill(canvas, r, canvas->theme->panel);
    if (viz_kind_of(viz_weights_model_entry(model, layer, head), &kind)) {
        viz_fill(canvas, (viz_rect){r.x, r.y + r.h + 1, r.w, KIND},
                 viz_kind_color(canvas->theme, kind));
        viz_color over = canvas->theme->ground;
        over.a = 210;
        if (model->kind_alone && model->kind_alone != (int)kind + 1)
            viz_fill(canvas, (viz_rect){r.x, r.y, r.w, r.h + 1 + KIND}, over);
    }
    viz_head_draw_scale_mark(model, canvas, r, layer, head);
    if (layer == model->layer && head == model->head && model->reduce == SAC_REDUCE_NONE)
        viz_frame(canvas, (viz_rect){r.x - 2, r.y - 2, r.w + 4, r.h + 4}, 2, canvas->theme->accent);
}

void viz_head_grid_draw(viz_head_maps *m, viz_canvas *canvas)
{
    const sac_source *source = model_of(m)->source;
    char number[32];
    if (m->grid.maps.w <= 0)
        return;
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, m->grid.maps.x - NUMBERS, m->grid.maps.y - 8, VIZ_LEFT,
             canvas->theme->text2, viz_word("where each head looks, by layer"));
    for (size_t l = 0; l < source->weights.layers; l++) {
        viz_rect first = grid_map(m, l, 0);
        snprintf(number, sizeof number, "%zu", sac_source_layer_number(source, l));
        if (m->grid.height >= 9)
            viz_text(canvas, VIZ_SANS, VIZ_LABEL, first.x - 7, first.y + first.h / 2 + 4, VIZ_RIGHT,
                     l == model_of(m)->layer ? canvas->theme->accent : canvas->theme->text2,
                     number);
        for (size_t h = 0; h < source->weights.heads; h++)
            draw_grid_map(m, canvas, l, h);
    }
}

/* ---------------------------------------------------------------- events */

bool viz_head_grid_at(const viz_head_maps *m, float x, float y, size_t *layer, size_t *head)
{
    const sac_weights_source *weights = &model_of(m)->source->weights;
    if (!viz_inside(m->grid.maps, x, y))
        return false;
    size_t block = (size_t)((x - m->grid.maps.x) / m->grid.block);
    *head = (size_t)((x - m->grid.maps.x - m->grid.block * (float)block) / (m->grid.width + GAP));
    *layer = block * m->grid.rows + (size_t)((y - m->grid.maps.y) / (m->grid.height + GAP + KIND));
    return *layer < weights->layers && *head < weights->heads;
}

bool viz_head_maps_event(viz_head_maps *m, const viz_event *event)
{
    viz_weights_model *model = model_of(m);
    size_t heads = model->source->weights.heads, layer = model->layer, place = SIZE_MAX;
    if (event->kind != VIZ_PRESS || event->button == 2)
        return false;
    if (viz_inside(m->strip.layers, event->x, event->y)) {
        layer = (size_t)((event->x - m->strip.layers.x) / m->strip.layer_step);
        layer = layer < model->source->weights.layers ? layer : model->source->weights.layers - 1;
        viz_weights_model_select(model, layer, model->head);
        return true;
    }
    if (!viz_head_grid_at(m, event->x, event->y, &layer, &place))
        for (size_t i = 0; i < m->strip.count; i++)
            place = viz_inside(strip_map(m, i), event->x, event->y) ? i : place;
    if (place == SIZE_MAX)
        return false;
    model->reduce = place < heads    ? SAC_REDUCE_NONE
                    : place == heads ? SAC_REDUCE_MEAN
                                     : SAC_REDUCE_MAX;
    if (place < heads)
        viz_weights_model_select(model, layer, place);
    if (event->button == 3)
        viz_weights_model_scale_current(model, 0);
    return true;
}

void viz_head_strip_spots(const viz_head_maps *m, viz_spots *spots)
{
    for (size_t i = 0; i < m->strip.count; i++)
        viz_spots_add(spots, strip_map(m, i), VIZ_SPOT_PRESSES,
                      "Where this head looks for the same query; click to see it large.");
    viz_spots_add(spots, m->strip.layers, VIZ_SPOT_PRESSES, "Click to choose a layer.");
}
