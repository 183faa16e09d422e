/* viz/views/weights/differences: maps of differences, what both sides have, and the largest of them. */
#include "weights_common.h"

#include <math.h>

#include "fake_map.h"
#include "sources/heads/difference.h"
#include "status.h"
#include "weights/matrix_view.h"
#include "weights/weights_model.h"
#include "weights/weights_view.h"

enum {
    SIDE = 5003,
    ROW = 4321,
    COLUMN = 17
}; /* an odd row, which a first look at one in two misses */

/* The weights of the first side but for some noise, and one that is much less. */
static sac_status read_other(void *self, size_t layer, const sac_tile *tile, float *weights,
                             sac_error *error)
{
    sac_status status = fake_map_tile(self, layer, tile, weights, error);
    for (size_t r = 0; r < tile->rows; r++)
        for (size_t c = 0; c < tile->cols; c++) {
            size_t row = tile->row + r, column = tile->col + c;
            float *w = &weights[r * tile->cols + c];
            *w += row == ROW && column == COLUMN ? -3 : 0.1f * fake_map_weight(1, column, row);
        }
    return status;
}

typedef struct shown {
    sac_source source;
    viz_weights_model *model;
    viz_view *view;
    viz_canvas canvas;
} shown;

static int open_difference(void **state)
{
    shown *s = calloc(1, sizeof *s);
    sac_source *side[2];
    for (int i = 0; i < 2; i++) {
        side[i] = malloc(sizeof *side[i]);
        *side[i] = fake_map_source(1, SIDE, SIDE, NULL);
        snprintf(side[i]->title, sizeof side[i]->title, "%s", i ? "b.npz" : "a.npz");
    }
    side[1]->weights.tile = read_other;
    OK(sac_difference_open(&(sac_difference_sides){.first = side[0], .second = side[1]}, &s->source,
                           &failure));
    OK(viz_weights_model_create(&s->source, &s->model, &failure));
    OK(viz_matrix_view_create(s->model, &s->view, &failure));
    s->canvas = canvas_of(1280, 800, 1);
    *state = s;
    return 0;
}

static int close_difference(void **state)
{
    shown *s = *state;
    viz_view_destroy(s->view);
    viz_weights_model_release(s->model);
    sac_source_destroy(&s->source);
    viz_canvas_free(&s->canvas);
    free(s);
    return 0;
}

#define SHOWN(name) TEST_ON(shown, s, name, open_difference, close_difference)

static viz_panel *panel_of(const shown *s)
{
    return &((viz_weights_view *)s->view)->panel;
}

/* A file waits until every weight was read. */
SHOWN(the_largest_is_found_wherever_it_is_and_named_with_both_sides)
{
    char text[400], both[100];
    settle(s->view, &s->canvas);
    double first = (double)fake_map_weight(0, ROW, COLUMN);
    viz_difference_peak(s->model, text, sizeof text);
    snprintf(both, sizeof both, "largest: 4321 → 17, −3 = %.2f − %.4f", first - 3, first);
    assert_string_equal(text, both);
    const viz_head_entry *entry = viz_weights_model_entry(s->model, 0, 0);
    assert_int_equal(entry->scan.stats.row_step, 1);
    assert_true(viz_head_entry_most(entry) == 3);
}

SHOWN(zero_is_in_the_middle_of_the_bar_and_a_dot_keeps_its_sign)
{
    viz_panel *panel = panel_of(s);
    settle(s->view, &s->canvas);
    viz_scale scale = viz_panel_scale(panel);
    assert_true(scale.about_zero && scale.high == 3);
    assert_true(viz_scale_at(&scale, 0) == 0.5f);
    sac_head_choice choice = viz_weights_model_current(s->model);
    viz_panel_seen seen = viz_panel_blocks_seen(&panel->layout);
    float low = 0, high = 0;
    for (size_t r = seen.row0; r < seen.row1; r++)
        for (size_t c = seen.col0; c < seen.col1; c++) {
            const viz_block *b = viz_panel_block(panel, &choice, &seen, r, c);
            for (size_t i = 0; i < b->out_rows * b->out_cols; i++) {
                low = fminf(low, b->values[i]);
                high = fmaxf(high, b->values[i]);
            }
        }
    assert_true(panel->layout.pool_rows > 1 && low == -3 && high > 0.09f && high < 0.1f + 1e-6f);
}

SHOWN(the_cell_that_is_pointed_at_shows_both_sides)
{
    viz_panel *panel = panel_of(s);
    settle(s->view, &s->canvas);
    viz_panel_select_cell(panel, ROW, COLUMN);
    settle(s->view, &s->canvas);
    assert_non_null(panel->sides);
    assert_true(panel->sides[COLUMN] == fake_map_weight(0, ROW, COLUMN));
    assert_true(panel->sides[SIDE + COLUMN] - panel->sides[COLUMN] == panel->weights[COLUMN]);
    /* Of heads that are reduced to one the sides are not known. */
    s->model->reduce = SAC_REDUCE_MEAN;
    settle(s->view, &s->canvas);
    assert_null(panel->sides);
}

SHOWN(what_is_less_is_blue_and_what_is_more_is_orange)
{
    viz_panel *panel = panel_of(s);
    s->model->scale = VIZ_LOG;
    viz_panel_select_cell(panel, 0, 0);
    panel->fits = true;
    panel->fit = (sac_rect){ROW - 4, 8, COLUMN - 4, 8};
    settle(s->view, &s->canvas);
    const viz_panel_layout *l = &panel->layout;
    viz_color less =
        pixel_at(&s->canvas, l->room.x + 4.3f * l->cell_w, l->room.y + 4.3f * l->cell_h);
    viz_color more =
        pixel_at(&s->canvas, l->room.x + 1.3f * l->cell_w, l->room.y + 1.3f * l->cell_h);
    assert_true(less.b > less.r + 20);
    assert_true(more.r > more.b + 10);
}

TEST_MAIN(open_fonts, close_fonts)
