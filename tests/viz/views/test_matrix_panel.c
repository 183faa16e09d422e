/* viz/views/weights/map/matrix_panel: one matrix to zoom, pan and point at, of which only what is seen
 * is read.
 */
#include "weights_common.h"

#include "canvas/recording.h"
#include "status.h"
#include "weights/map/matrix_panel.h"

static const viz_rect area = {100, 60, 600, 400};

static void lay(viz_panel *panel, viz_canvas *canvas)
{
    viz_panel_lay(panel, canvas, area);
}

/* Computes what the panel wants, as a view would. */
static void compute(viz_panel *panel)
{
    viz_weights_job *job;
    while ((job = viz_panel_create_job(panel))) {
        OK(viz_weights_model_run_job(panel->model, job, NULL));
        viz_panel_take(panel, job);
        viz_weights_model_finish_job(panel->model, job, NULL);
    }
}

/* The map's column and row under a point. */
static void place_under(const viz_panel *panel, float x, float y, double *column, double *row)
{
    const viz_panel_layout *l = &panel->layout;
    *column = l->x + (double)((x - l->room.x) / l->cell_w);
    *row = l->y + (double)((y - l->room.y) / l->cell_h);
}

/* A panel of a made-up matrix, laid out on a canvas, as each test finds it. */
typedef struct panel_test {
    fake_matrix *fake;
    viz_weights_model *model;
    viz_canvas canvas;
    viz_panel panel;
} panel_test;

typedef struct matrix_shape {
    size_t layers, heads, rows, columns;
    bool labels;
    int grid;
} matrix_shape;

/* A test whose panel shows a matrix of that shape. */
#define IN_PANEL(name, ...)                                                                        \
    static matrix_shape name##_shape = {__VA_ARGS__};                                              \
    TEST_ON_GIVEN(panel_test, t, name, open_panel, close_panel, &name##_shape)

static int open_panel(void **state)
{
    const matrix_shape *shape = *state;
    panel_test *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->model = model_of(shape->layers, shape->heads, shape->rows, shape->columns, shape->labels,
                        shape->grid, &t->fake);
    t->canvas = canvas_of(800, 500, 1);
    viz_panel_init(&t->panel, t->model);
    lay(&t->panel, &t->canvas);
    *state = t;
    return 0;
}

static int close_panel(void **state)
{
    panel_test *t = *state;
    viz_panel_free(&t->panel);
    viz_weights_model_release(t->model);
    fake_free(t->fake);
    viz_canvas_free(&t->canvas);
    free(t);
    return 0;
}

TEST(the_whole_matrix_fits_with_equal_cells)
{
    viz_canvas canvas = canvas_of(800, 500, 1);
    for (int s = 0; s < SHAPES; s++) {
        fake_matrix *fake;
        viz_weights_model *model =
            model_of(shapes[s].layers, shapes[s].heads, shapes[s].rows, shapes[s].columns,
                     shapes[s].labels, shapes[s].grid, &fake);
        viz_panel panel;
        viz_panel_init(&panel, model);
        lay(&panel, &canvas);
        const viz_panel_layout *l = &panel.layout;
        assert_true(l->cells.w <= l->room.w && l->cells.h <= l->room.h);
        assert_true(fabsf(l->cells.w - l->cell_w * (float)l->columns) < 0.01f);
        assert_true(fabsf(l->cells.h - l->cell_h * (float)l->rows) < 0.01f);
        if (l->rows == l->columns)
            assert_true(l->cell_w == l->cell_h);
        viz_panel_free(&panel);
        viz_weights_model_release(model);
        fake_free(fake);
    }
    viz_canvas_free(&canvas);
}

IN_PANEL(what_is_under_the_pointer_stays_there_while_zooming, 1, 1, 200, 200, false, 0)
{
    viz_panel *panel = &t->panel;
    viz_canvas *canvas = &t->canvas;
    float x = panel->layout.cells.x + 0.6f * panel->layout.cells.w;
    float y = panel->layout.cells.y + 0.3f * panel->layout.cells.h;
    double column, row, then_column, then_row;
    place_under(panel, x, y, &column, &row);
    viz_panel_zoom(panel, x, y, 3);
    lay(panel, canvas);
    for (int i = 0; i < 20; i++) {
        place_under(panel, x, y, &then_column, &then_row);
        assert_true(fabs(then_row - row) < 1e-3); /* float32 places of up to 200 cells */
        if (i > 0) /* the first time, the room beside the square may fill with other columns */
            assert_true(fabs(then_column - column) < 1e-3);
        column = then_column;
        row = then_row;
        viz_panel_zoom(panel, x, y, i % 3 == 2 ? 0.9f : 1.15f);
        lay(panel, canvas);
    }
    viz_panel_zoom(panel, x, y, 1e-3f);
    lay(panel, canvas);
    assert_false(panel->zoomed); /* never smaller than the room */
    assert_true(panel->layout.x == 0 && panel->layout.y == 0);
}

IN_PANEL(panning_follows_the_pointer_and_stops_at_the_edges, 1, 1, 200, 200, false, 0)
{
    viz_panel *panel = &t->panel;
    viz_canvas *canvas = &t->canvas;
    viz_panel_pan(panel, 50, 50);
    assert_false(panel->zoomed); /* all of it is seen: there is nowhere to go */
    viz_panel_zoom(panel, area.x + 300, area.y + 200, 8);
    double column, row, then_column, then_row;
    place_under(panel, 400, 250, &column, &row);
    viz_panel_pan(panel, -37, 21);
    lay(panel, canvas);
    place_under(panel, 363, 271, &then_column, &then_row);
    assert_true(fabs(then_column - column) < 1e-3 && fabs(then_row - row) < 1e-3);
    viz_panel_pan(panel, 1e6f, 1e6f);
    lay(panel, canvas);
    assert_true(panel->layout.x == 0 && panel->layout.y == 0);
    viz_panel_pan(panel, -1e6f, -1e6f);
    lay(panel, canvas);
    const viz_panel_layout *l = &panel->layout;
    assert_true(fabs(l->x + (double)(l->cells.w / l->cell_w) - 200) < 1e-3);
    assert_true(fabs(l->y + (double)(l->cells.h / l->cell_h) - 200) < 1e-3);
}

/* The source computes every weight anew: reading all 16 million would take minutes. */
IN_PANEL(of_a_large_matrix_only_what_is_seen_is_read, 1, 1, 100000, 100000, false, 0)
{
    viz_panel *panel = &t->panel;
    viz_weights_model *model = t->model;
    viz_canvas *canvas = &t->canvas;
    assert_true(panel->layout.pool_rows > 100);
    panel->zoomed = true;
    panel->cell_w = panel->cell_h = 40;
    panel->x = 77777;
    panel->y = 55555;
    lay(panel, canvas);
    assert_true(panel->layout.pool_rows == 1 && panel->layout.pool_cols == 1);
    viz_weights_job *job = viz_panel_create_job(panel); /* the row under the pointer */
    assert_int_equal(job->kind, VIZ_JOB_ROW);
    panel->weights = calloc(100000, sizeof(float)); /* taken as known: its formula is slow */
    panel->weights_count = 100000;
    panel->weights_row = model->row;
    panel->weights_of = job->choice;
    viz_weights_model_finish_job(model, job, NULL);
    job = viz_panel_create_job(panel);
    assert_int_equal(job->kind, VIZ_JOB_BLOCKS);
    size_t asked = 0;
    for (size_t i = 0; i < job->block_count; i++)
        asked += job->blocks[i].rect.rows * job->blocks[i].rect.cols;
    assert_true(asked <= 4 * 128 * 128); /* about 15 × 10 cells are seen: at most four blocks */
    viz_weights_model_finish_job(model, job, NULL);
}

IN_PANEL(pooled_dots_are_no_smaller_than_pixels_with_a_note, 1, 1, 1000, 1000, false, 0)
{
    viz_panel *panel = &t->panel;
    viz_weights_model *model = t->model;
    viz_canvas *canvas = &t->canvas;
    char text[64];
    const viz_panel_layout *l = &panel->layout;
    assert_true(l->cell_w * (float)l->pool_cols >= 1 && l->cell_h * (float)l->pool_rows >= 1);
    assert_true(viz_panel_pooling(panel, text, sizeof text));
    assert_string_equal(text, "mean of 3 × 2 weights");
    model->pool = SAC_POOL_MAX;
    viz_panel_pooling(panel, text, sizeof text);
    assert_string_equal(text, "max of 3 × 2 weights");
    viz_panel_zoom(panel, area.x + 300, area.y + 200, 10);
    lay(panel, canvas);
    assert_false(viz_panel_pooling(panel, text, sizeof text));
}

/* And no other when it is zoomed; on paper it is a square. */
IN_PANEL(a_long_map_has_all_of_the_room, 1, 1, 1000, 1000, false, 0)
{
    const viz_panel_layout *l = &t->panel.layout;
    const viz_rect whole = l->cells;
    assert_true(fabsf(whole.w - l->room.w) < 0.1f && fabsf(whole.h - l->room.h) < 0.1f);
    viz_panel_zoom(&t->panel, area.x + 300, area.y + 200, 1.25f);
    lay(&t->panel, &t->canvas);
    assert_true(fabsf(whole.w - l->cells.w) < 0.1f && fabsf(whole.h - l->cells.h) < 0.1f);
    t->panel.zoomed = false;
    t->canvas.figure = true;
    lay(&t->panel, &t->canvas);
    assert_true(fabsf(l->cells.w - l->cells.h) < 0.1f);
}

/* On one line, and less than a space between them. */
static bool run_together(const viz_shape *left, const viz_shape *right)
{
    bool level = !left->upwards && !right->upwards && left->points[0].y == right->points[0].y;
    float x = left->points[0].x, next = right->points[0].x;
    return level && x <= next && next < x + left->advance + 4;
}

/* As of a picture's tokens, of which the class alone has a name. */
IN_PANEL(numbers_beside_labels_do_not_run_together, 1, 1, 24, 24, false, 0)
{
    viz_recording recording = {0};
    int numbers = 0;
    fake_label(&t->fake->source.weights.position_labels, 1);
    fake_label(&t->fake->source.weights.step_labels, 1);
    lay(&t->panel, &t->canvas);
    assert_true(t->panel.layout.position_labels);
    t->canvas.recording = &recording;
    viz_panel_draw(&t->panel, &t->canvas);
    t->canvas.recording = NULL;
    for (size_t i = 0; i < recording.count; i++)
        for (size_t k = 0; k < recording.count && recording.shapes[i].text; k++) {
            const viz_shape *a = &recording.shapes[i], *b = &recording.shapes[k];
            if (k != i && b->text && run_together(a, b))
                fail_msg("“%s” and “%s” run together", a->text, b->text);
            numbers += k != i && b->text && strcmp(a->text, b->text) == 0;
        }
    assert_true(numbers >= 2 * 4); /* of both axes */
    viz_recording_free(&recording);
}

/* The middle of each cell has the colour of its weight, and what is read out is the weight. */
IN_PANEL(cells_and_numbers_show_the_weights, 2, 2, 9, 7, true, 0)
{
    viz_panel *panel = &t->panel;
    viz_weights_model *model = t->model;
    viz_canvas *canvas = &t->canvas;
    model->layer = 1;
    for (int kind = 0; kind < VIZ_SCALE_COUNT; kind++) {
        model->scale = (viz_scale_kind)kind;
        lay(panel, canvas);
        compute(panel);
        viz_clear(canvas);
        viz_panel_draw(panel, canvas);
        viz_scale scale = viz_panel_scale(panel);
        for (size_t r = 0; r < 9; r++)
            for (size_t c = 0; c < 7; c++) {
                float weight = fake_weight(t->fake, 1, 0, 0, r, c);
                float x = panel->layout.room.x + ((float)c + 0.5f) * panel->layout.cell_w;
                float y = panel->layout.room.y + ((float)r + 0.2f) * panel->layout.cell_h;
                int place = (int)(viz_scale_at(&scale, weight) * 255 + 0.5f);
                if (!same_color(pixel_at(canvas, x, y), viz_colormap_table(VIZ_INFERNO)[place]))
                    fail_msg("scale %d: cell %zu,%zu has another colour", kind, r, c);
            }
    }
    for (size_t r = 0; r < 9; r++) {
        model->row = r;
        compute(panel);
        const float *row = viz_panel_row(panel, NULL);
        for (size_t c = 0; c < 7; c++)
            assert_true(row[c] == fake_weight(t->fake, 1, 0, 0, r, c));
    }
}

static bool fake_hides(size_t head, size_t row, size_t col)
{
    (void)head;
    return (2 * row + col) % 5 == 0;
}

static sac_status fake_masked(void *self, size_t layer, const sac_tile *tile, uint8_t *masked,
                              sac_error *error)
{
    (void)self;
    (void)layer;
    (void)error;
    return sac_mask_tile(tile, fake_hides, masked);
}

/* Draws the map, and fails where a cell has its weight's colour though it is to be hatched, or the
 * other way round; `corner`: the source's row and column at the top left. */
static void check_hatched(panel_test *t, bool hatched, size_t corner)
{
    viz_panel *panel = &t->panel;
    const viz_panel_layout *l = &panel->layout;
    lay(panel, &t->canvas);
    compute(panel);
    viz_clear(&t->canvas);
    viz_panel_draw(panel, &t->canvas);
    viz_scale scale = viz_panel_scale(panel);
    size_t row = t->model->row, column = t->model->column; /* framed */
    sac_head_choice choice = viz_weights_model_current(t->model);
    for (size_t r = 0; r < l->rows; r++)
        for (size_t c = 0; c < l->columns; c++) {
            sac_rect one = {r, 1, c, 1};
            float weight;
            OK(sac_head_choice_read(&t->model->reader, &choice, &one, SAC_POOL_MEAN, 1, 1, &weight,
                                    NULL));
            int place = (int)(viz_scale_at(&scale, weight) * 255 + 0.5f);
            viz_color seen = pixel_at(&t->canvas, l->room.x + ((float)c + 0.5f) * l->cell_w,
                                      l->room.y + ((float)r + 0.5f) * l->cell_h);
            bool plain = same_color(seen, viz_colormap_table(VIZ_INFERNO)[place]);
            bool hides = hatched && fake_hides(0, r + corner, c + corner);
            if (r != row && c != column && plain == hides)
                fail_msg("%zu,%zu of %zu is %s", r, c, l->rows, plain ? "plain" : "hatched");
        }
}

/* Whatever hides it, by the source, in cells that are too small for strokes too; not in a map
 * made of several. */
IN_PANEL(what_a_mask_hides_is_hatched, 1, 2, 50, 50, false, 0)
{
    t->fake->source.weights.masked = fake_masked;
    check_hatched(t, true, 0);
    t->model->prefix = SAC_PREFIX_DROPPED;
    t->model->prefix_count = 2;
    check_hatched(t, true, 2);
    t->model->reduce = SAC_REDUCE_MEAN;
    check_hatched(t, false, 2);
}

IN_PANEL(the_pointer_chooses_the_cell_below_it, 1, 1, 12, 12, true, 0)
{
    viz_panel *panel = &t->panel;
    viz_weights_model *model = t->model;
    compute(panel);
    assert_false(model->column_chosen);
    const float *row = viz_panel_row(panel, NULL);
    for (size_t c = 0; c < 12; c++) /* before that, the row's largest weight */
        assert_true(row[c] <= row[model->column]);
    viz_rect room = panel->layout.room;
    viz_event move = {.kind = VIZ_MOVE,
                      .x = room.x + 7.5f * panel->layout.cell_w,
                      .y = room.y + 3.5f * panel->layout.cell_h};
    assert_true(viz_panel_event(panel, &move));
    assert_int_equal(model->row, 3);
    assert_int_equal(model->column, 7);
    assert_false(viz_panel_event(panel, &move)); /* nothing new */
    move.x = area.x - 5;
    assert_false(viz_panel_event(panel, &move));
}

IN_PANEL(a_window_glides_from_one_map_to_the_next_and_arrives, 1, 2, 6, 6, false, 0)
{
    viz_panel *panel = &t->panel;
    viz_weights_model *model = t->model;
    compute(panel);
    viz_panel_tick(panel, 10);
    viz_panel_tick(panel, 11);
    sac_head_choice first = viz_weights_model_current(model);
    viz_weights_model_select(model, 0, 1);
    sac_head_choice second = viz_weights_model_current(model);
    assert_true(viz_panel_tick(panel, 12)); /* its blocks are not there yet */
    sac_head_choice drawn = viz_panel_map_drawn(panel);
    assert_true(sac_head_choice_same(&drawn, &first));
    compute(panel);
    assert_true(viz_panel_tick(panel, 12.5));
    drawn = viz_panel_map_drawn(panel);
    assert_true(sac_head_choice_same(&drawn, &second));
    assert_true(viz_panel_glide_progress(panel) == 0);
    assert_true(viz_panel_tick(panel, 12.65));
    assert_true(fabsf(viz_panel_glide_progress(panel) - 0.5f) < 1e-3f);
    assert_false(viz_panel_tick(panel, 12.81));
    assert_true(viz_panel_glide_progress(panel) == 1);
}

IN_PANEL(blocks_are_let_go_when_there_are_too_many, 40, 40, 128, 128, false, 0)
{
    viz_panel *panel = &t->panel;
    viz_weights_model *model = t->model;
    viz_weights_job *job = calloc(1, sizeof *job);
    size_t most = 0;
    for (size_t i = 0; i < 1600; i++) { /* a block of 64 kB for each of 1600 maps: 100 MB */
        job->kind = VIZ_JOB_BLOCKS;
        job->blocks[0] = (viz_block){.choice = viz_weights_model_choice(model, i / 40, i % 40),
                                     .rect = {0, 128, 0, 128},
                                     .step_rows = 1,
                                     .step_cols = 1,
                                     .out_rows = 128,
                                     .out_cols = 128,
                                     .values = malloc(128 * 128 * sizeof(float))};
        job->block_count = job->blocks_done = 1;
        panel->clock += 10;
        viz_panel_take(panel, job);
        most = panel->block_count > most ? panel->block_count : most;
    }
    assert_int_equal(most, ((size_t)96 << 20) / (128 * 128 * sizeof(float)));
    viz_panel_seen seen = viz_panel_blocks_seen(&panel->layout);
    sac_head_choice newest = viz_weights_model_choice(model, 39, 39),
                    oldest = viz_weights_model_choice(model, 0, 0);
    assert_true(panel->layout.pool_rows == 1);
    assert_non_null(viz_panel_block(panel, &newest, &seen, 0, 0));
    assert_null(viz_panel_block(panel, &oldest, &seen, 0, 0));
    free(job);
}

IN_PANEL(what_a_mask_hides_is_hatched_too, 1, 2, 110, 110, false, 0)
{
    what_a_mask_hides_is_hatched_on(t);
}

TEST_MAIN(open_fonts, close_fonts)
