#include "weights/heads/head_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts/controls/widgets.h"
#include "view/words.h"
#include "weights/heads/head_kinds.h"
#include "weights/heads/heads_effect.h"

#define TITLE 20.0f
#define NUMBERS 20.0f /* of layers, at the left */
#define KIND 2.0f
#define WIDEST 72.0f
#define LEAST 10.0f
#define BLOCK_GAP 14.0f   /* between some layers and the next, beside them */
#define BLOCKS_GAIN 1.15f /* layers stand in several blocks where maps are so much larger then */

static viz_weights_model *model_of(const viz_head_grid *g)
{
    return g->row->panel->model;
}

void viz_head_grid_free(viz_head_grid *g)
{
    free(g->weights);
    free(g->known);
    free(g->cells);
    *g = (viz_head_grid){0};
}

/* ---------------------------------------------------------------- layout */

/* As wide as a map may be where layers stand in so many blocks side by side. */
static float width_in(const viz_head_grid *g, viz_rect room, size_t blocks, float ratio)
{
    const sac_source *source = model_of(g)->source;
    float rows = ceilf((float)source->weights.layers / (float)blocks);
    float block = (room.w - BLOCK_GAP * (float)(blocks - 1)) / (float)blocks;
    float across = (block - NUMBERS) / (float)source->weights.heads - g->gap;
    float down = ((room.h - TITLE) / rows - g->gap - KIND) / ratio;
    return floorf(fminf(fminf(across, down), WIDEST));
}

float viz_head_grid_lay(viz_head_grid *g, viz_rect room)
{
    const sac_source *source = model_of(g)->source;
    size_t layers = source->weights.layers, heads = source->weights.heads, blocks = 1;
    float ratio = (float)source->picture.image->height / (float)source->picture.image->width;
    g->maps = (viz_rect){0};
    if (layers < 2 || heads < 2)
        return 0;
    g->gap = 4;
    g->width = width_in(g, room, 1, ratio);
    for (size_t more = 2; more <= layers; more++) {
        float width = width_in(g, room, more, ratio);
        if (width > BLOCKS_GAIN * g->width) {
            g->width = width;
            blocks = more;
        }
    }
    if (g->width < LEAST)
        return 0;
    g->rows = (layers + blocks - 1) / blocks;
    blocks = (layers + g->rows - 1) / g->rows;
    g->height = floorf(g->width * ratio);
    g->block = (g->width + g->gap) * (float)heads + NUMBERS + BLOCK_GAP;
    g->maps =
        (viz_rect){room.x + NUMBERS, room.y + TITLE, g->block * (float)blocks - NUMBERS - BLOCK_GAP,
                   (g->height + g->gap + KIND) * (float)g->rows};
    return TITLE + g->maps.h;
}

viz_rect viz_head_grid_map(const viz_head_grid *g, size_t layer, size_t head)
{
    return (viz_rect){
        g->maps.x + g->block * (float)(layer / g->rows) + (g->width + g->gap) * (float)head,
        g->maps.y + (g->height + g->gap + KIND) * (float)(layer % g->rows), g->width, g->height};
}

/* ---------------------------------------------------------------- work */

/* Each head separately, whatever is enlarged. */
static sac_head_choice heads_of(const viz_head_grid *g)
{
    sac_head_choice choice = viz_weights_model_choice(model_of(g), 0, 0);
    choice.reduce = SAC_REDUCE_NONE;
    return choice;
}

static bool is_fresh(const viz_head_grid *g)
{
    sac_head_choice choice = heads_of(g);
    return g->weights && g->query == viz_weights_model_query(model_of(g)) &&
           sac_head_choice_same(&choice, &g->of);
}

/* Begins anew for the current query; what is drawn stays until its layer comes. False: no memory. */
static bool begin(viz_head_grid *g)
{
    const viz_weights_model *m = model_of(g);
    size_t rows, columns, layers = m->source->weights.layers, heads = m->source->weights.heads;
    g->of = heads_of(g);
    g->query = m->row;
    g->asked = 0;
    sac_head_choice_size(m->source, &g->of, &rows, &columns);
    if (g->weights && g->columns == columns)
        return true;
    free(g->weights);
    free(g->known);
    g->columns = columns;
    g->weights = viz_allocate(layers * heads * columns, sizeof *g->weights);
    g->known = viz_allocate(layers, sizeof *g->known);
    if (g->known)
        memset(g->known, 0, layers * sizeof *g->known);
    return g->weights && g->known;
}

viz_weights_job *viz_head_grid_want(viz_head_grid *g)
{
    size_t layers = model_of(g)->source->weights.layers;
    if (g->maps.w <= 0 || (!is_fresh(g) && !begin(g)) || g->asked >= layers)
        return NULL;
    sac_head_choice choice = g->of;
    choice.layer = g->asked++;
    return viz_weights_model_want_heads(model_of(g), &choice, g->query);
}

void viz_head_grid_take(viz_head_grid *g, const viz_weights_job *job)
{
    sac_head_choice of = job->choice;
    size_t layer = of.layer;
    of.layer = 0;
    if (job->kind != VIZ_JOB_HEADS || !job->weights || !is_fresh(g) || job->row != g->query ||
        !sac_head_choice_same(&of, &g->of))
        return;
    size_t count = model_of(g)->source->weights.heads * g->columns;
    memcpy(g->weights + layer * count, job->weights, count * sizeof *g->weights);
    g->known[layer] = true;
}

/* ---------------------------------------------------------------- drawing */

static void draw_map(viz_head_grid *g, viz_canvas *canvas, size_t layer, size_t head)
{
    const viz_weights_model *m = model_of(g);
    const sac_source *source = m->source;
    size_t down = (size_t)source->picture.grid_h, across = (size_t)source->picture.grid_w;
    viz_rect r = viz_head_grid_map(g, layer, head);
    viz_rect around = {r.x - 2, r.y - 2, r.w + 4, r.h + 4};
    const float *row = g->weights + (layer * source->weights.heads + head) * g->columns;
    sac_weights_kind kind;
    float most = 0;
    if (g->known && g->known[layer] && viz_row_panel_gather(g->row, row, g->cells)) {
        for (size_t i = 0; i < down * across; i++)
            most = fmaxf(most, g->cells[i]);
        /* As over the picture: four times 1/N shows fully, so that an even map does not. */
        viz_scale scale = viz_scale_for(VIZ_PER_MAP, fmaxf(most, 4 * viz_weights_model_uniform(m)));
        viz_cells(canvas, r, g->cells, down, across, viz_map_colors(canvas->theme, m->look.map),
                  &scale);
    } else {
        viz_fill(canvas, r, canvas->theme->panel);
    }
    if (viz_kind_of(viz_weights_model_entry(m, layer, head), &kind)) {
        viz_fill(canvas, (viz_rect){r.x, r.y + r.h + 1, r.w, KIND},
                 viz_kind_color(canvas->theme, kind));
        viz_color over = canvas->theme->ground;
        over.a = 210;
        if (m->kind_alone && m->kind_alone != (int)kind + 1)
            viz_fill(canvas, (viz_rect){r.x, r.y, r.w, r.h + 1 + KIND}, over);
    }
    viz_head_mark(m, canvas, r, layer, head);
    if (layer == m->layer && head == m->head && m->reduce == SAC_REDUCE_NONE)
        viz_frame(canvas, around, 2, canvas->theme->accent);
}

void viz_head_grid_draw(viz_head_grid *g, viz_canvas *canvas)
{
    const viz_weights_model *m = model_of(g);
    const sac_source *source = m->source;
    char number[32];
    if (g->maps.w <= 0)
        return;
    if (!g->cells)
        g->cells = viz_allocate((size_t)source->picture.grid_w * (size_t)source->picture.grid_h,
                                sizeof *g->cells);
    if (!g->cells)
        return;
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, g->maps.x - NUMBERS, g->maps.y - 8, VIZ_LEFT,
             canvas->theme->text2, viz_word("where each head looks, by layer"));
    for (size_t l = 0; l < source->weights.layers; l++) {
        viz_rect first = viz_head_grid_map(g, l, 0);
        snprintf(number, sizeof number, "%zu", sac_source_layer_number(source, l));
        if (g->height >= 9)
            viz_text(canvas, VIZ_SANS, VIZ_LABEL, first.x - 7, first.y + first.h / 2 + 4, VIZ_RIGHT,
                     l == m->layer ? canvas->theme->accent : canvas->theme->text2, number);
        for (size_t h = 0; h < source->weights.heads; h++)
            draw_map(g, canvas, l, h);
    }
}

bool viz_head_grid_at(const viz_head_grid *g, float x, float y, size_t *layer, size_t *head)
{
    const sac_source *source = model_of(g)->source;
    if (!viz_inside(g->maps, x, y))
        return false;
    size_t block = (size_t)((x - g->maps.x) / g->block);
    *head = (size_t)((x - g->maps.x - g->block * (float)block) / (g->width + g->gap));
    *layer = block * g->rows + (size_t)((y - g->maps.y) / (g->height + g->gap + KIND));
    return *layer < source->weights.layers && *head < source->weights.heads;
}

bool viz_head_grid_event(viz_head_grid *g, const viz_event *event)
{
    viz_weights_model *m = model_of(g);
    size_t layer, head;
    if (event->kind != VIZ_PRESS || event->button == 2 ||
        !viz_head_grid_at(g, event->x, event->y, &layer, &head))
        return false;
    m->reduce = SAC_REDUCE_NONE;
    viz_weights_model_select(m, layer, head);
    if (event->button == 3)
        viz_weights_model_scale_current(m, 0);
    return true;
}
