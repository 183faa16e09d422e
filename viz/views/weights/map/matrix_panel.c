/* A matrix under a camera: zooming, panning, the current cell, and the blocks of weights it shows.
 */

#include "weights/map/matrix_panel.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts/controls/widgets.h"
#include "parts/playback/glide.h"
#include "view/words.h"
#include "weights/map/map_blocks.h"

#define LEAST_LABEL 8.5f         /* of a figure, whose labels may be small: 6.4 points */
#define LOW 600.0f               /* in a window that is not higher, labels may have … */
#define LEAST_LOW 10.0f          /* … this size, where their lines would touch else */
#define STRETCH 1.7f             /* of a long map, the longer side in shorter ones */
#define INSET 10.0f              /* of the small map */
#define SMALL_MOST 150.0f        /* the longer side of the small map … */
#define SMALL_SHARE 0.24f        /* … and of the cells' shorter side */
#define SMALL_LEAST 56.0f        /* smaller ones show nothing */
#define SMALL_FROM ((size_t)128) /* rows or columns of a map that one may get lost in */
#define BLOCK 128                /* dots on a block's side */
#define BLOCKS_BYTES ((size_t)96 << 20)
/* Where more weights than these are missing, a sampled picture comes first: about a third of a second
 * of a processor … */
#define SAMPLED_FROM ((size_t)1 << 25)
/* … with so many rows of dots, and then with so many. */
static const size_t sampled_dots[] = {32, 128};
enum { SAMPLES = sizeof sampled_dots / sizeof *sampled_dots };

void viz_panel_init(viz_panel *panel, viz_weights_model *model)
{
    *panel = (viz_panel){.model = model, .map_start = -1, .row_start = -1};
    panel->shown = viz_weights_model_current(model);
}

void viz_panel_free(viz_panel *panel)
{
    for (size_t i = 0; i < panel->block_count; i++)
        viz_block_free(&panel->blocks[i]);
    viz_block_free(&panel->begun);
    free(panel->blocks);
    free(panel->weights);
    free(panel->weights_before);
    free(panel->weights_masked);
    free(panel->sides);
    *panel = (viz_panel){0};
}

/* ---------------------------------------------------------------- layout and camera */

/* Steps of pooling: a dot of the screen is never smaller than one pooled weight, and the steps are
 * so few that zooming seldom needs new blocks. */
static size_t pool_step(double weights_per_dot)
{
    size_t step = 1;
    while ((double)step < weights_per_dot - 1e-6)
        step = step < 4 ? step + 1 : step & (step - 1) ? step / 3 * 4 : step / 2 * 3;
    return step;
}

/* From this size on a cell has space for its own label. */
static float least_labelled_cell(const viz_panel_layout *l)
{
    return l->label - 1;
}

static float widest_label(const viz_canvas *canvas, const sac_labels *labels, float size)
{
    float widest = 0;
    for (size_t i = 0; i < labels->count && i < 512; i++)
        widest = fmaxf(widest, viz_text_width(canvas, VIZ_SANS, size, labels->text[i]));
    return widest;
}

/* Space beside the cells for labels, or for numbers if there are none. */
static float gutter(const viz_canvas *canvas, const sac_labels *labels, float size, size_t count,
                    float most)
{
    char last[32];
    snprintf(last, sizeof last, "%zu", count);
    float numbers = viz_text_width(canvas, VIZ_MONO, size, last);
    return fminf(fmaxf(widest_label(canvas, labels, size), numbers), most) + VIZ_GAP;
}

/* Square cells where the matrix is about square; a long thin one may stretch its short side. A long map, of
 * several weights to a unit, takes the room that it also has once it is zoomed; but not on paper. */
static void fit_cells(viz_panel_layout *l, float *cell_w, float *cell_h)
{
    float w = l->room.w / (float)l->columns, h = l->room.h / (float)l->rows;
    float side = fminf(w, h), ratio = (float)l->rows / (float)l->columns;
    bool thin = ratio < 1.0f / 3 || ratio > 3;
    float most = thin ? fmaxf(side * 12, 32) : side < 1 ? l->stretch * side : side;
    *cell_w = fminf(fminf(w, most), VIZ_PANEL_MOST_CELL);
    *cell_h = fminf(fminf(h, most), VIZ_PANEL_MOST_CELL);
    if (*cell_w >= 4) /* whole units keep all cells alike */
        *cell_w = floorf(*cell_w);
    if (*cell_h >= 4)
        *cell_h = floorf(*cell_h);
}

static void lay_room(viz_panel_layout *l, viz_rect area, float left, float top)
{
    l->room =
        (viz_rect){area.x + left, area.y + top, fmaxf(area.w - left, 8), fmaxf(area.h - top, 8)};
}

static double clamp_origin(double at, double shown, double size)
{
    at = at < size - shown ? at : size - shown;
    return at > 0 ? at : 0;
}

/* The camera of a region that fills the room, whatever size that has. */
static void fit_region(viz_panel *panel)
{
    const viz_panel_layout *l = &panel->layout;
    sac_rect r = panel->fit;
    r.row = r.row < l->rows ? r.row : l->rows - 1;
    r.col = r.col < l->columns ? r.col : l->columns - 1;
    r.rows = r.rows < l->rows - r.row ? r.rows : l->rows - r.row;
    r.cols = r.cols < l->columns - r.col ? r.cols : l->columns - r.col;
    panel->zoomed = r.rows < l->rows || r.cols < l->columns;
    panel->cell_w = fminf(l->room.w / (float)r.cols, VIZ_PANEL_MOST_CELL);
    panel->cell_h = fminf(l->room.h / (float)r.rows, VIZ_PANEL_MOST_CELL);
    panel->x = (double)r.col;
    panel->y = (double)r.row;
}

static void lay_camera(viz_panel *panel)
{
    viz_panel_layout *l = &panel->layout;
    float fit_w, fit_h;
    fit_cells(l, &fit_w, &fit_h);
    if (panel->fits)
        fit_region(panel);
    if (panel->zoomed && panel->cell_w <= fit_w && panel->cell_h <= fit_h)
        panel->zoomed = false;
    l->cell_w = panel->zoomed ? fmaxf(panel->cell_w, fit_w) : fit_w;
    l->cell_h = panel->zoomed ? fmaxf(panel->cell_h, fit_h) : fit_h;
    l->x = panel->zoomed ? panel->x : 0;
    l->y = panel->zoomed ? panel->y : 0;
    l->x = clamp_origin(l->x, l->room.w / l->cell_w, (double)l->columns);
    l->y = clamp_origin(l->y, l->room.h / l->cell_h, (double)l->rows);
    l->cells = l->room;
    l->cells.w = (float)fmin(l->room.w, ((double)l->columns - l->x) * l->cell_w);
    l->cells.h = (float)fmin(l->room.h, ((double)l->rows - l->y) * l->cell_h);
}

void viz_panel_lay(viz_panel *panel, const viz_canvas *canvas, viz_rect area)
{
    viz_panel_layout *l = &panel->layout;
    const sac_source *source = panel->model->source;
    sac_head_choice choice = viz_weights_model_current(panel->model);
    *l = (viz_panel_layout){.area = area, .stretch = canvas->figure ? 1 : STRETCH};
    panel->least_end = 0;
    sac_head_choice_size(source, &choice, &l->rows, &l->columns);
    const sac_labels *step_labels = sac_source_step_labels(source, choice.batch),
                     *position_labels = sac_source_position_labels(source, choice.batch);
    /* The labels of a figure, and those of a small window, shrink with their cells as long as they can
     * be read. */
    float cell = 0.8f * fminf(area.w / (float)l->columns, area.h / (float)l->rows);
    float least = canvas->figure ? LEAST_LABEL : viz_height(canvas) < LOW ? LEAST_LOW : VIZ_LABEL;
    l->label = fmaxf(viz_least_text(canvas, least), fminf(0.8f * cell, VIZ_LABEL));
    float left = gutter(canvas, step_labels, l->label, sac_source_steps(source, choice.batch),
                        fminf(120, 0.25f * area.w));
    lay_room(l, area, left, l->label + VIZ_GAP);
    float widest = widest_label(canvas, position_labels, l->label) + VIZ_GAP, cell_w, cell_h;
    fit_cells(l, &cell_w, &cell_h);
    if (widest > cell_w && position_labels->count) { /* upright, they need more space */
        lay_room(l, area, left,
                 gutter(canvas, position_labels, l->label, 0, fminf(110, 0.36f * area.h)));
        fit_cells(l, &cell_w, &cell_h);
        if (cell_w < least_labelled_cell(l) &&
            cell_w * (float)l->columns < l->room.w - least_labelled_cell(l))
            lay_room(l, area, left, l->label + VIZ_GAP); /* better larger cells than no labels */
    }
    lay_camera(panel);
    l->step_labels = step_labels->count && l->cell_h >= least_labelled_cell(l);
    l->position_labels = position_labels->count && l->cell_w >= least_labelled_cell(l);
    l->upright = widest > l->cell_w;
    if (l->upright && l->room.y - area.y < 2 * l->label) /* the gutter is not made for them */
        l->position_labels = l->upright = false;
    l->pool_rows = pool_step(1.0 / (double)(l->cell_h * canvas->density));
    l->pool_cols = pool_step(1.0 / (double)(l->cell_w * canvas->density));
    panel->model->row = panel->model->row < l->rows ? panel->model->row : l->rows - 1;
    panel->model->column =
        panel->model->column < l->columns ? panel->model->column : l->columns - 1;
}

/* Makes what the layout found the camera's own. */
static void copy_layout_to_camera(viz_panel *panel)
{
    const viz_panel_layout *l = &panel->layout;
    panel->zoomed = true;
    panel->fits = false;
    panel->cell_w = l->cell_w;
    panel->cell_h = l->cell_h;
    panel->x = l->x;
    panel->y = l->y;
}

void viz_panel_zoom(viz_panel *panel, float x, float y, float factor)
{
    viz_panel_layout *l = &panel->layout;
    if (!l->columns || !(factor > 0))
        return;
    copy_layout_to_camera(panel);
    double column = l->x + (double)(x - l->room.x) / (double)l->cell_w;
    double row = l->y + (double)(y - l->room.y) / (double)l->cell_h;
    float most = fmaxf(l->cell_w, l->cell_h);
    factor = fminf(factor, fmaxf(VIZ_PANEL_MOST_CELL / most, 1));
    panel->cell_w = l->cell_w * factor;
    panel->cell_h = l->cell_h * factor;
    panel->x = column - (double)(x - l->room.x) / (double)panel->cell_w;
    panel->y = row - (double)(y - l->room.y) / (double)panel->cell_h;
    lay_camera(panel);
    panel->x = l->x;
    panel->y = l->y;
}

void viz_panel_pan(viz_panel *panel, float dx, float dy)
{
    viz_panel_layout *l = &panel->layout;
    if (!panel->zoomed || !l->columns || (dx == 0 && dy == 0))
        return;
    copy_layout_to_camera(panel);
    panel->x -= (double)dx / (double)l->cell_w;
    panel->y -= (double)dy / (double)l->cell_h;
    lay_camera(panel);
    panel->x = l->x;
    panel->y = l->y;
}

void viz_panel_center(viz_panel *panel, size_t row, size_t column, float least_cell)
{
    viz_panel_layout *l = &panel->layout;
    if (!l->columns)
        return;
    if (!panel->zoomed && fminf(l->cell_w, l->cell_h) >= least_cell)
        return; /* all of it is seen, and large enough */
    float grow = panel->zoomed ? 1 : fmaxf(least_cell / fminf(l->cell_w, l->cell_h), 1);
    copy_layout_to_camera(panel);
    panel->cell_w *= grow;
    panel->cell_h *= grow;
    panel->x = (double)column + 0.5 - (double)(l->room.w / panel->cell_w) / 2;
    panel->y = (double)row + 0.5 - (double)(l->room.h / panel->cell_h) / 2;
    lay_camera(panel);
    panel->x = l->x;
    panel->y = l->y;
}

/* How far an origin has to move for a cell to be seen. */
static double distance_into_sight(double origin, double shown, double cell)
{
    return cell < origin ? cell - origin : fmax(0, cell + 1 - origin - shown);
}

void viz_panel_scroll_to_current(viz_panel *panel)
{
    const viz_panel_layout *l = &panel->layout;
    if (!panel->zoomed || !l->columns)
        return;
    double dx =
        distance_into_sight(l->x, (double)(l->room.w / l->cell_w), (double)panel->model->column);
    double dy =
        distance_into_sight(l->y, (double)(l->room.h / l->cell_h), (double)panel->model->row);
    viz_panel_pan(panel, -(float)dx * l->cell_w, -(float)dy * l->cell_h);
}

/* ---------------------------------------------------------------- blocks */

viz_panel_seen viz_panel_blocks_seen(const viz_panel_layout *l)
{
    viz_panel_seen s = {.height = BLOCK * l->pool_rows, .width = BLOCK * l->pool_cols};
    s.row0 = (size_t)l->y / s.height;
    s.col0 = (size_t)l->x / s.width;
    size_t bottom = (size_t)ceil(l->y + (double)(l->cells.h / l->cell_h));
    size_t right = (size_t)ceil(l->x + (double)(l->cells.w / l->cell_w));
    bottom = bottom < l->rows ? bottom : l->rows;
    right = right < l->columns ? right : l->columns;
    s.row1 = (bottom + s.height - 1) / s.height;
    s.col1 = (right + s.width - 1) / s.width;
    return s;
}

/* The block at place (r, c), without its values. */
static viz_block block_at(const viz_panel *panel, const sac_head_choice *choice,
                          const viz_panel_seen *s, size_t r, size_t c)
{
    const viz_panel_layout *l = &panel->layout;
    sac_rect rect = {r * s->height, s->height, c * s->width, s->width};
    rect.rows = rect.row + rect.rows < l->rows ? rect.rows : l->rows - rect.row;
    rect.cols = rect.col + rect.cols < l->columns ? rect.cols : l->columns - rect.col;
    return (viz_block){.choice = *choice,
                       .pool = panel->model->pool,
                       .rect = rect,
                       .step_rows = l->pool_rows,
                       .step_cols = l->pool_cols,
                       .out_rows = (rect.rows + l->pool_rows - 1) / l->pool_rows,
                       .out_cols = (rect.cols + l->pool_cols - 1) / l->pool_cols};
}

/* True for blocks of the same map at the same pooling; unpooled weights are the same for either way
 * of pooling. */
static bool same_kind(const viz_block *a, const viz_block *b)
{
    return a->sampled == b->sampled && a->step_rows == b->step_rows &&
           a->step_cols == b->step_cols &&
           (a->pool == b->pool || (a->step_rows == 1 && a->step_cols == 1)) &&
           sac_head_choice_same(&a->choice, &b->choice);
}

static viz_block *find_block(const viz_panel *panel, const viz_block *like)
{
    for (size_t i = 0; i < panel->block_count; i++) {
        viz_block *b = &panel->blocks[i];
        if (b->rect.row == like->rect.row && b->rect.col == like->rect.col && same_kind(b, like))
            return b;
    }
    return NULL;
}

viz_block *viz_panel_block(const viz_panel *panel, const sac_head_choice *choice,
                           const viz_panel_seen *seen, size_t row, size_t column)
{
    viz_block like = block_at(panel, choice, seen, row, column);
    return find_block(panel, &like);
}

/* Up to VIZ_JOB_MAX_BLOCKS of the current map's blocks that are seen but not there. */
static size_t missing_blocks(const viz_panel *panel, const sac_head_choice *choice,
                             viz_block *missing)
{
    viz_panel_seen s = viz_panel_blocks_seen(&panel->layout);
    size_t count = 0;
    for (size_t r = s.row0; r < s.row1; r++)
        for (size_t c = s.col0; c < s.col1 && count < VIZ_JOB_MAX_BLOCKS; c++) {
            missing[count] = block_at(panel, choice, &s, r, c);
            count += find_block(panel, &missing[count]) == NULL;
        }
    return count;
}

static bool has_all_blocks(const viz_panel *panel, const sac_head_choice *choice)
{
    viz_block missing[VIZ_JOB_MAX_BLOCKS + 1];
    return panel->hidden || missing_blocks(panel, choice, missing) == 0;
}

/* ---------------------------------------------------------------- a coarse picture first */

static bool contains(const sac_rect *whole, const sac_rect *part)
{
    return whole->row <= part->row && part->row + part->rows <= whole->row + whole->rows &&
           whole->col <= part->col && part->col + part->cols <= whole->col + whole->cols;
}

/* The sampled picture of all blocks that are seen and not there, with `dots` rows, without its
 * values; *weights are those of these blocks, 0 where none is missing. */
static viz_block sampled_block(const viz_panel *panel, const sac_head_choice *choice, size_t dots,
                               size_t *weights)
{
    const viz_panel_layout *l = &panel->layout;
    viz_panel_seen s = viz_panel_blocks_seen(l);
    viz_block all = {0};
    sac_rect *rect = &all.rect;
    *weights = 0;
    for (size_t r = s.row0; r < s.row1; r++)
        for (size_t c = s.col0; c < s.col1; c++) {
            viz_block one = block_at(panel, choice, &s, r, c);
            size_t bottom = one.rect.row + one.rect.rows, right = one.rect.col + one.rect.cols;
            if (find_block(panel, &one))
                continue;
            if (!*weights)
                all = one;
            *weights += one.rect.rows * one.rect.cols;
            rect->cols += rect->col;
            rect->col = rect->col < one.rect.col ? rect->col : one.rect.col;
            rect->cols = (rect->cols > right ? rect->cols : right) - rect->col;
            rect->rows = bottom - rect->row; /* blocks come from the top */
        }
    all.sampled = true;
    all.out_rows = (rect->rows + l->pool_rows - 1) / l->pool_rows;
    all.out_rows = dots < all.out_rows ? dots : all.out_rows;
    all.out_cols = (rect->cols + l->pool_cols - 1) / l->pool_cols;
    if (*weights)
        all.step_rows = (rect->rows + all.out_rows - 1) / all.out_rows;
    return all;
}

/* The finest sampled picture that covers all that `like` does; NULL: there is none. */
static const viz_block *find_sampled(const viz_panel *panel, const viz_block *like)
{
    const viz_block *best = NULL;
    for (size_t i = 0; i < panel->block_count; i++) {
        const viz_block *b = &panel->blocks[i];
        if (b->sampled && b->pool == like->pool && b->step_cols == like->step_cols &&
            sac_head_choice_same(&b->choice, &like->choice) && contains(&b->rect, &like->rect) &&
            (!best || b->step_rows < best->step_rows))
            best = b;
    }
    return best;
}

/* A person waits for a sampled picture, which a file does not need. */
static bool wants_sampled(const viz_panel *panel, const sac_head_choice *choice, viz_block *wanted)
{
    size_t weights;
    if (!panel->live || panel->hidden)
        return false;
    for (int i = 0; i < SAMPLES; i++) {
        *wanted = sampled_block(panel, choice, sampled_dots[i], &weights);
        if (weights < SAMPLED_FROM || wanted->step_rows <= VIZ_SAMPLED_ROWS)
            return false;
        const viz_block *there = find_sampled(panel, wanted);
        if (!there || there->out_rows < wanted->out_rows)
            return true;
    }
    return false;
}

viz_panel_progress viz_panel_get_progress(const viz_panel *panel)
{
    viz_panel_progress progress = {0};
    if (!panel->layout.columns) /* nothing is laid out yet */
        return progress;
    sac_head_choice choice = viz_panel_map_drawn(panel);
    viz_panel_seen s = viz_panel_blocks_seen(&panel->layout);
    for (size_t r = s.row0; r < s.row1; r++)
        for (size_t c = s.col0; c < s.col1; c++) {
            progress.blocks++;
            progress.done += viz_panel_block(panel, &choice, &s, r, c) != NULL;
        }
    size_t weights;
    viz_block like = sampled_block(panel, &choice, 1, &weights);
    const viz_block *sampled = weights ? find_sampled(panel, &like) : NULL;
    if (sampled) {
        progress.sampled_rows = VIZ_SAMPLED_ROWS;
        progress.stands = sampled->step_rows;
    }
    return progress;
}

/* Something of the map can be shown where it is seen. */
static bool is_drawable(const viz_panel *panel, const sac_head_choice *choice)
{
    size_t weights;
    viz_block like = sampled_block(panel, choice, 1, &weights);
    return panel->hidden || !weights || find_sampled(panel, &like);
}

static size_t block_bytes(const viz_block *block)
{
    return block->out_rows * block->out_cols * sizeof(float) * (block->places ? 2 : 1);
}

/* Lets the blocks go that were not drawn for longest. */
static void trim_blocks(viz_panel *panel)
{
    size_t bytes = 0;
    for (size_t i = 0; i < panel->block_count; i++)
        bytes += block_bytes(&panel->blocks[i]);
    while (bytes > BLOCKS_BYTES) {
        size_t oldest = 0;
        for (size_t i = 1; i < panel->block_count; i++)
            if (panel->blocks[i].used < panel->blocks[oldest].used)
                oldest = i;
        if (panel->blocks[oldest].used + 1 >= panel->clock)
            return; /* all remaining ones are visible */
        bytes -= block_bytes(&panel->blocks[oldest]);
        viz_block_free(&panel->blocks[oldest]);
        panel->blocks[oldest] = panel->blocks[--panel->block_count];
    }
}

static void keep_block(viz_panel *panel, viz_block *block)
{
    if (panel->block_count == panel->block_room) {
        size_t room = panel->block_room ? 2 * panel->block_room : 64;
        viz_block *grown = realloc(panel->blocks, room * sizeof *grown);
        if (!grown) { /* not kept: the job's owner frees it, and it is requested again */
            viz_drawing_lacks_memory();
            return;
        }
        panel->blocks = grown;
        panel->block_room = room;
    }
    block->used = panel->clock;
    panel->blocks[panel->block_count++] = *block;
    *block = (viz_block){0};
}

/* ---------------------------------------------------------------- jobs */

static bool row_is_known(const viz_panel *panel, const sac_head_choice *choice)
{
    return panel->weights && panel->weights_row == viz_weights_model_query(panel->model) &&
           sac_head_choice_same(&panel->weights_of, choice);
}

/* What was computed of a block before is computed no second time, and comes first. */
static void reuse_begun_block(viz_panel *panel, viz_weights_job *job)
{
    viz_block *begun = &panel->begun;
    for (size_t i = 0; i < job->block_count && begun->values; i++) {
        viz_block *wanted = &job->blocks[i];
        if (!same_kind(begun, wanted) ||
            memcmp(&begun->rect, &wanted->rect, sizeof begun->rect) != 0)
            continue;
        *wanted = job->blocks[0];
        job->blocks[0] = *begun;
        *begun = (viz_block){0};
    }
}

viz_weights_job *viz_panel_create_job(viz_panel *panel)
{
    if (!panel->layout.columns || !viz_weights_model_usable(panel->model))
        return NULL;
    sac_head_choice choice = viz_weights_model_current(panel->model);
    if (!row_is_known(panel, &choice))
        return viz_weights_model_create_row_job(panel->model,
                                                viz_weights_model_query(panel->model));
    viz_block missing[VIZ_JOB_MAX_BLOCKS + 1];
    size_t count = 1;
    if (!wants_sampled(panel, &choice, missing))
        count = panel->hidden ? 0 : missing_blocks(panel, &choice, missing);
    if (!count)
        return NULL;
    viz_weights_job *job = viz_allocate(1, sizeof *job);
    if (!job)
        return NULL;
    job->kind = VIZ_JOB_BLOCKS;
    job->choice = choice;
    job->block_count = count;
    memcpy(job->blocks, missing, count * sizeof *missing);
    reuse_begun_block(panel, job);
    return job;
}

bool viz_panel_is_waiting(const viz_panel *panel)
{
    sac_head_choice choice = viz_weights_model_current(panel->model);
    return panel->layout.columns && viz_weights_model_usable(panel->model) &&
           !row_is_known(panel, &choice);
}

static void take_row(viz_panel *panel, viz_weights_job *job)
{
    size_t columns = viz_map_of(panel->model->source, &job->choice).cols;
    free(panel->weights_before);
    panel->weights_before = NULL;
    if (panel->weights && panel->weights_count == columns)
        panel->weights_before = panel->weights;
    else
        free(panel->weights);
    free(panel->weights_masked);
    free(panel->sides);
    panel->weights = job->weights;
    panel->weights_masked = job->masked;
    panel->sides = job->sides;
    panel->weights_count = columns;
    panel->weights_row = job->row;
    panel->weights_of = job->choice;
    panel->row_start = panel->now;
    job->weights = job->sides = NULL;
    job->masked = NULL;
    if (!panel->model->column_chosen) {
        size_t best = 0;
        for (size_t i = 1; i < columns; i++)
            best = fabsf(panel->weights[i]) > fabsf(panel->weights[best]) ? i : best;
        panel->model->column = best;
    }
    if (panel->centers)
        viz_panel_center(panel, panel->model->row, panel->model->column, 0);
    panel->centers = false;
}

void viz_panel_take(viz_panel *panel, viz_weights_job *job)
{
    if (job->kind == VIZ_JOB_ROW && job->weights)
        take_row(panel, job);
    for (size_t i = 0; i < job->blocks_done; i++)
        keep_block(panel, &job->blocks[i]);
    if (job->blocks_done < job->block_count && job->blocks[job->blocks_done].values) {
        viz_block_free(&panel->begun);
        panel->begun = job->blocks[job->blocks_done];
        job->blocks[job->blocks_done] = (viz_block){0};
    }
    if (job->blocks_done)
        trim_blocks(panel);
}

/* ---------------------------------------------------------------- glide */

static float glide_progress(double start, double now)
{
    /* Never begun, or begun on another clock (that of an animation that was written): over. */
    double t = start < 0 || start > now ? 1 : (now - start) / viz_glide_seconds();
    t = t > 1 ? 1 : t;
    return (float)(t * t * (3 - 2 * t));
}

static bool fits_layout(const viz_panel *panel, const sac_head_choice *choice)
{
    sac_rect map = viz_map_of(panel->model->source, choice);
    return map.rows == panel->layout.rows && map.cols == panel->layout.columns;
}

sac_head_choice viz_panel_map_drawn(const viz_panel *panel)
{
    bool keep =
        panel->live && viz_weights_model_usable(panel->model) && fits_layout(panel, &panel->shown);
    return keep ? panel->shown : viz_weights_model_current(panel->model);
}

float viz_panel_glide_progress(const viz_panel *panel)
{
    bool glides = panel->live && panel->has_before && fits_layout(panel, &panel->before);
    return glides ? glide_progress(panel->map_start, panel->now) : 1;
}

void viz_panel_begin_glide(viz_panel *panel)
{
    panel->before = panel->shown;
    panel->shown = viz_weights_model_current(panel->model);
    panel->has_before = true;
    panel->map_start = panel->now;
}

void viz_panel_rewind(viz_panel *panel)
{
    panel->live = panel->has_before = false;
    panel->map_start = panel->row_start = -1;
    panel->now = 0;
}

/* A map glides in once all of it that is seen is there, or a coarse picture of it. */
bool viz_panel_tick(viz_panel *panel, double now)
{
    sac_head_choice choice = viz_weights_model_current(panel->model);
    if (!panel->live) /* the first tick of a window: nothing to glide from */
        panel->shown = choice;
    panel->live = true;
    panel->now = now;
    bool waiting =
        !panel->layout.columns || !row_is_known(panel, &choice) || !has_all_blocks(panel, &choice);
    if (panel->layout.columns && row_is_known(panel, &choice) && is_drawable(panel, &choice) &&
        !sac_head_choice_same(&choice, &panel->shown))
        viz_panel_begin_glide(panel);
    return (waiting && viz_weights_model_usable(panel->model)) ||
           glide_progress(panel->map_start, now) < 1 || glide_progress(panel->row_start, now) < 1;
}

const float *viz_panel_row(const viz_panel *panel, float *out)
{
    if (!panel->weights || panel->weights_count != panel->layout.columns)
        return NULL;
    float t = panel->live ? glide_progress(panel->row_start, panel->now) : 1;
    if (t >= 1 || !panel->weights_before)
        return panel->weights;
    for (size_t i = 0; i < panel->weights_count; i++)
        out[i] = panel->weights_before[i] + t * (panel->weights[i] - panel->weights_before[i]);
    return out;
}

/* ---------------------------------------------------------------- the scale */

/* By the largest of a map's weights as they are drawn: of its figures where every weight is, else of
 * its blocks of this pooling that are there so far. */
static viz_scale scale_of(const viz_panel *panel, const sac_head_choice *choice)
{
    const viz_panel_layout *l = &panel->layout;
    const viz_weights_model *model = panel->model;
    sac_head_choice current = viz_weights_model_choice(model, choice->layer, choice->head);
    const viz_head_entry *entry = viz_weights_model_entry(model, choice->layer, choice->head);
    bool whole = (l->pool_rows == 1 && l->pool_cols == 1) || model->pool == SAC_POOL_MAX;
    float high = -FLT_MAX;
    if (viz_weights_model_shares_scale(model))
        high = viz_weights_model_largest_weight(model, !whole);
    else if (whole && entry && sac_head_choice_same(&current, choice))
        high = viz_head_entry_most(entry);
    viz_block like = {.choice = *choice,
                      .pool = model->pool,
                      .step_rows = l->pool_rows,
                      .step_cols = l->pool_cols};
    bool known = whole && high > -FLT_MAX;
    size_t exact = 0;
    for (size_t i = 0; !known && i < panel->block_count; i++)
        if (same_kind(&panel->blocks[i], &like)) {
            high = fmaxf(high, panel->blocks[i].high);
            exact++;
        }
    for (size_t i = 0; !known && !exact && i < panel->block_count; i++)
        if (panel->blocks[i].sampled && sac_head_choice_same(&panel->blocks[i].choice, choice))
            high = fmaxf(high, panel->blocks[i].high);
    return viz_weights_model_scale(model, high);
}

viz_scale viz_panel_scale(const viz_panel *panel)
{
    sac_head_choice choice = viz_panel_map_drawn(panel);
    viz_scale scale = scale_of(panel, &choice);
    float t = viz_panel_glide_progress(panel);
    if (t < 1) {
        viz_scale before = scale_of(panel, &panel->before);
        scale.low = before.low + t * (scale.low - before.low);
        scale.high = before.high + t * (scale.high - before.high);
    }
    scale.high = fmaxf(scale.high, panel->least_end);
    return scale;
}

/* ---------------------------------------------------------------- events */

void viz_panel_select_cell(viz_panel *panel, size_t row, size_t column)
{
    panel->model->row = row;
    panel->model->column = column;
    panel->model->column_chosen = panel->model->chosen = true;
}

void viz_panel_step_row(viz_panel *panel, int step)
{
    size_t rows = panel->layout.rows ? panel->layout.rows : panel->model->source->weights.steps;
    long long row = ((long long)panel->model->row + step) % (long long)rows;
    panel->model->row = (size_t)(row < 0 ? row + (long long)rows : row);
    panel->model->column_chosen = false;
    panel->model->chosen = true;
}

static size_t row_at(const viz_panel_layout *l, float y)
{
    size_t row = (size_t)(l->y + (double)((y - l->cells.y) / l->cell_h));
    return row < l->rows ? row : l->rows - 1;
}

static size_t column_at(const viz_panel_layout *l, float x)
{
    size_t column = (size_t)(l->x + (double)((x - l->cells.x) / l->cell_w));
    return column < l->columns ? column : l->columns - 1;
}

/* The cell under a point becomes the current one. */
static bool select_cell_at(viz_panel *panel, float x, float y)
{
    size_t row = row_at(&panel->layout, y), column = column_at(&panel->layout, x);
    if (panel->model->column_chosen && row == panel->model->row && column == panel->model->column)
        return false;
    viz_panel_select_cell(panel, row, column);
    return true;
}

/* A label: its row or column, with the other one as it is. */
static bool press_label(viz_panel *panel, const viz_event *event)
{
    const viz_panel_layout *l = &panel->layout;
    viz_rect c = l->cells;
    bool row = viz_inside((viz_rect){l->area.x, c.y, c.x - l->area.x, c.h}, event->x, event->y);
    bool column = viz_inside((viz_rect){c.x, l->area.y, c.w, c.y - l->area.y}, event->x, event->y);
    if (!l->columns || event->button != 1 || (!row && !column))
        return false;
    if (!row) {
        viz_panel_select_cell(panel, panel->model->row, column_at(l, event->x));
    } else if (event->shift) {
        viz_weights_model_toggle_query(panel->model, row_at(l, event->y));
    } else {
        viz_weights_model_unmark_queries(panel->model);
        viz_panel_select_cell(panel, row_at(l, event->y), panel->model->column);
    }
    return true;
}

/* Dragged over the labels of rows with shift: each becomes one of several queries. */
static bool add_query_at(viz_panel *panel, const viz_event *event)
{
    const viz_panel_layout *l = &panel->layout;
    viz_rect labels = {l->area.x, l->cells.y, l->cells.x - l->area.x, l->cells.h};
    size_t number = panel->model->several_number;
    if (!l->columns || !viz_inside(labels, event->x, event->y))
        return false;
    viz_weights_model_add_query(panel->model, row_at(l, event->y));
    return panel->model->several_number != number;
}

viz_rect viz_minimap_rect(const viz_panel *panel)
{
    const viz_panel_layout *l = &panel->layout;
    if (!panel->zoomed || panel->hidden || !l->columns ||
        (l->rows < SMALL_FROM && l->columns < SMALL_FROM))
        return (viz_rect){0};
    float side = fminf(SMALL_MOST, SMALL_SHARE * fminf(l->cells.w, l->cells.h));
    float ratio = (float)l->rows / (float)l->columns;
    float w = ratio > 1 ? side / fminf(ratio, 4) : side,
          h = ratio > 1 ? side : side * fmaxf(ratio, 0.25f);
    if (side < SMALL_LEAST)
        return (viz_rect){0};
    return (viz_rect){l->cells.x + l->cells.w - w - INSET, l->cells.y + INSET, w, h};
}

/* The little map of the whole: a press, or a drag, goes there. True: the event was its own. */
static bool steer_by_minimap(viz_panel *panel, const viz_event *event)
{
    const viz_panel_layout *l = &panel->layout;
    viz_rect r = viz_minimap_rect(panel);
    bool inside =
        r.w > 0 && viz_inside((viz_rect){r.x - 3, r.y - 3, r.w + 6, r.h + 6}, event->x, event->y);
    if (event->kind == VIZ_RELEASE)
        panel->steering = false;
    if (event->kind == VIZ_PRESS)
        panel->steering = inside && event->button == 1;
    if ((event->kind == VIZ_MOVE || event->kind == VIZ_PRESS) && panel->steering && r.w > 0) {
        double column = (double)l->columns * (double)((event->x - r.x) / r.w);
        double row = (double)l->rows * (double)((event->y - r.y) / r.h);
        column = fmin(fmax(column, 0), (double)l->columns - 1);
        row = fmin(fmax(row, 0), (double)l->rows - 1);
        viz_panel_center(panel, (size_t)row, (size_t)column, 0);
        return true;
    }
    return inside && (event->kind == VIZ_PRESS || event->kind == VIZ_MOVE);
}

bool viz_panel_event(viz_panel *panel, const viz_event *event)
{
    bool inside = panel->layout.columns && viz_inside(panel->layout.cells, event->x, event->y);
    if (panel->hidden)
        return false;
    if (steer_by_minimap(panel, event))
        return true;
    switch (event->kind) {
    case VIZ_MOVE:
        if (panel->dragging) {
            viz_panel_pan(panel, event->x - panel->drag_x, event->y - panel->drag_y);
            panel->drag_x = event->x;
            panel->drag_y = event->y;
            return true;
        }
        if (event->button == 1 && event->shift && add_query_at(panel, event))
            return true;
        return inside && select_cell_at(panel, event->x, event->y);
    case VIZ_PRESS:
        if (inside && event->button == 1 && event->shift) {
            select_cell_at(panel, event->x, event->y);
            viz_weights_model_toggle_query(panel->model, panel->model->row);
            return true;
        }
        if (inside && event->button == 1 && viz_weights_model_unmark_queries(panel->model)) {
            select_cell_at(panel, event->x, event->y);
            return true;
        }
        panel->dragging = inside && event->button == 1;
        panel->drag_x = event->x;
        panel->drag_y = event->y;
        return inside ? select_cell_at(panel, event->x, event->y) : press_label(panel, event);
    case VIZ_RELEASE:
        panel->dragging = false;
        return false;
    case VIZ_WHEEL:
        if (inside)
            viz_panel_zoom(panel, event->x, event->y, powf(1.2f, event->wheel_y));
        return inside;
    default:
        return false;
    }
}

/* ---------------------------------------------------------------- description */

bool viz_panel_pooling(const viz_panel *panel, char *text, size_t size)
{
    const viz_panel_layout *l = &panel->layout;
    bool pooled = l->pool_rows > 1 || l->pool_cols > 1;
    *text = 0;
    if (pooled)
        snprintf(text, size, viz_word("%s of %zu × %zu weights"),
                 viz_word(panel->model->pool == SAC_POOL_MAX ? "max" : "mean"), l->pool_rows,
                 l->pool_cols);
    return pooled;
}
