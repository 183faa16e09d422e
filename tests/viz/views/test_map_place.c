/* viz/views/weights/map/map_place, map_blocks: blocks that are computed in pieces, the coarse picture before
 * them, places that are typed, and the small map. */
#include "weights_common.h"

#include "fake_map.h"
#include "status.h"
#include "weights/map/map_blocks.h"
#include "weights/map/map_place.h"

static fake_map_reads reads;

/* In float64, by the definition. */
static double dot_at(const viz_block *b, size_t r, size_t c)
{
    double sum = 0, most = 0;
    size_t top = r * b->rect.rows / b->out_rows, end = (r + 1) * b->rect.rows / b->out_rows;
    size_t left = c * b->rect.cols / b->out_cols, right = (c + 1) * b->rect.cols / b->out_cols;
    for (size_t i = top; i < end; i++)
        for (size_t j = left; j < right; j++) {
            double number = (double)fake_map_weight(0, b->rect.row + i, b->rect.col + j);
            sum += number;
            most = number > most ? number : most;
        }
    return b->pool == SAC_POOL_MAX ? most : sum / (double)((end - top) * (right - left));
}

static void check_block(size_t rows, size_t columns, sac_rect rect, size_t out_rows,
                        size_t out_cols, sac_pool pool)
{
    sac_source source = fake_map_source(1, rows, columns, &reads);
    sac_reader reader = {.source = &source};
    viz_block block = {
        .pool = pool, .rect = rect, .out_rows = out_rows, .out_cols = out_cols, .step_rows = 2};
    int pieces = 0;
    reads.rows = 0;
    for (; !viz_block_is_done(&block); pieces++) {
        OK(viz_block_advance(&reader, &block, &failure));
        assert_true(pieces < 1000);
    }
    assert_int_equal(reads.rows, rect.rows); /* none twice */
    for (size_t r = 0; r < out_rows; r++)
        for (size_t c = 0; c < out_cols; c++)
            assert_true(fabs((double)block.values[r * out_cols + c] - dot_at(&block, r, c)) < 2e-6);
    viz_block_free(&block);
    sac_reader_free(&reader);
}

TEST(dots_are_the_mean_or_the_largest_of_their_weights_in_whatever_pieces)
{
    static const struct {
        size_t rows, columns;
        sac_rect rect;
        size_t out_rows, out_cols;
    } cases[] = {
        {1, 1, {0, 1, 0, 1}, 1, 1},
        {127, 131, {0, 127, 0, 131}, 13, 11},
        {127, 127, {0, 127, 0, 127}, 127, 127},
        {129, 129, {128, 1, 128, 1}, 1, 1},
        {257, 64, {3, 254, 5, 59}, 127, 59},
        {41, 600011, {2, 37, 9, 500009}, 2, 7},  /* a row of dots takes several pieces */
        {48, 600011, {0, 48, 0, 600000}, 16, 5}, /* several rows of dots in a piece */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int pool = SAC_POOL_MEAN; pool <= SAC_POOL_MAX; pool++)
            check_block(cases[i].rows, cases[i].columns, cases[i].rect, cases[i].out_rows,
                        cases[i].out_cols, (sac_pool)pool);
}

/* ---------------------------------------------------------------- a panel of a long map */

typedef struct long_map {
    sac_source source;
    viz_weights_model *model;
    viz_panel panel;
    viz_canvas canvas;
} long_map;

enum { TOKENS = 20011 };

static int open_map(void **state)
{
    long_map *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->source = fake_map_source(1, TOKENS, TOKENS, &reads);
    OK(viz_weights_model_create(&t->source, &t->model, NULL));
    t->model->chosen = true;
    t->model->scale = VIZ_FIXED;
    t->canvas = canvas_of(640, 400, 1);
    viz_panel_init(&t->panel, t->model);
    viz_panel_lay(&t->panel, &t->canvas, (viz_rect){20, 20, 400, 360});
    *state = t;
    return 0;
}

static int close_map(void **state)
{
    long_map *t = *state;
    viz_panel_free(&t->panel);
    viz_weights_model_release(t->model);
    viz_canvas_free(&t->canvas);
    free(t);
    return 0;
}

#define IN_MAP(name) TEST_ON(long_map, t, name, open_map, close_map)

/* One job; false where nothing is wanted. *sampled: it was for a coarse picture. */
static bool do_job(long_map *t, bool *sampled)
{
    viz_weights_job *job = viz_panel_create_job(&t->panel);
    if (!job)
        return false;
    *sampled = job->kind == VIZ_JOB_BLOCKS && job->blocks[0].sampled;
    OK(viz_weights_model_run_job(t->model, job, &failure));
    viz_panel_take(&t->panel, job);
    viz_weights_model_finish_job(t->model, job, NULL);
    return true;
}

IN_MAP(a_window_has_a_coarse_picture_first_and_reports_it_and_then_every_part)
{
    bool sampled = false, ever = false;
    viz_panel_tick(&t->panel, 0); /* it is live */
    for (int i = 0; i < 200 && viz_panel_get_progress(&t->panel).stands == 0; i++) {
        assert_true(do_job(t, &sampled));
        ever |= sampled;
    }
    viz_panel_progress p = viz_panel_get_progress(&t->panel);
    assert_true(ever && p.stands > VIZ_SAMPLED_ROWS && p.done == 0);
    /* All of it can be looked at, and the second one is finer. */
    size_t first = p.stands;
    while (p.done == 0) {
        assert_true(do_job(t, &sampled));
        p = viz_panel_get_progress(&t->panel);
    }
    assert_true(p.stands < first && !sampled && p.done < p.blocks);
    /* Another place is near: nothing of what was computed is lost. */
    reads.tiles = 0;
    while (do_job(t, &sampled))
        ;
    p = viz_panel_get_progress(&t->panel);
    assert_true(p.done == p.blocks && reads.tiles > 0);
    reads.tiles = 0;
    assert_false(do_job(t, &sampled));
    for (size_t i = 0; i < t->panel.block_count; i++) {
        const viz_block *b = &t->panel.blocks[i];
        if (b->sampled || i % 7)
            continue;
        for (size_t dot = 0; dot < 40; dot++) {
            size_t r = dot * 31 % b->out_rows, c = dot * 17 % b->out_cols;
            assert_true(fabs((double)b->values[r * b->out_cols + c] - dot_at(b, r, c)) < 2e-6);
        }
    }
}

/* As an exporter does: every part as it is, and nothing else. */
IN_MAP(a_file_has_no_coarse_picture)
{
    bool sampled = false;
    viz_panel_zoom(&t->panel, 200, 200, 40);
    viz_panel_lay(&t->panel, &t->canvas, (viz_rect){20, 20, 400, 360});
    while (do_job(t, &sampled))
        assert_false(sampled);
}

IN_MAP(kept_blocks_are_bounded_however_far_a_person_goes)
{
    bool sampled;
    viz_panel_tick(&t->panel, 0);
    t->panel.zoomed = true;
    t->panel.cell_w = t->panel.cell_h = 1;
    t->model->row = 0;
    size_t made = 0;
    for (int i = 0; i < 200; i++) {
        t->panel.x = 400.0 * (i % 10);
        t->panel.y = 800.0 * (i / 10);
        viz_panel_lay(&t->panel, &t->canvas, (viz_rect){20, 20, 400, 360});
        made += viz_panel_get_progress(&t->panel).blocks;
        while (do_job(t, &sampled))
            ;
        viz_panel_draw(&t->panel, &t->canvas);
    }
    size_t bytes = 0;
    for (size_t i = 0; i < t->panel.block_count; i++)
        bytes += t->panel.blocks[i].out_rows * t->panel.blocks[i].out_cols * sizeof(float);
    assert_true(made * 128 * 128 * sizeof(float) > (size_t)100 << 20); /* more than are kept */
    assert_true(bytes <= (size_t)96 << 20);
}

/* ---------------------------------------------------------------- figures of all rows */

/* A map of one weight more than figures are read of at once. */
enum { SIDE = 5003 };

static void count_rows(const viz_weights_model *model, size_t *rows, size_t *exact)
{
    const viz_head_entry *entry = viz_weights_model_entry(model, 0, 0);
    *rows = *exact = 0;
    for (size_t r = 0; r < SIDE; r++) {
        double sum = 0;
        if (isnan(entry->scan.row_sum[r]))
            continue;
        for (size_t c = 0; c < SIDE; c++)
            sum += (double)fake_map_weight(0, r, c);
        *rows += 1;
        *exact += fabs(sum - (double)entry->scan.row_sum[r]) < 1e-3 * sum;
    }
}

TEST(in_a_window_the_rest_of_the_rows_is_read_bit_by_bit_and_then_all_figures_are_exact)
{
    sac_source source = fake_map_source(1, SIDE, SIDE, NULL);
    viz_weights_model *model;
    size_t rows, exact, before, jobs = 0;
    char text[200];
    OK(viz_weights_model_create(&source, &model, NULL));
    for (viz_weights_job *job; (job = viz_weights_model_create_entry_job(model, false));) {
        OK(viz_weights_model_run_job(model, job, &failure));
        viz_weights_model_finish_job(model, job, NULL);
    }
    count_rows(model, &before, &exact);
    assert_true(before == (SIDE + 1) / 2 && exact == before); /* one row in two */
    assert_non_null(strstr(viz_weights_model_caption(model, text, sizeof text), "one row in 2"));
    for (viz_weights_job *job; (job = viz_weights_model_create_rest_job(model)); jobs++) {
        OK(viz_weights_model_run_job(model, job, &failure));
        viz_weights_model_finish_job(model, job, NULL);
        if (jobs == 4) { /* what is known is shown amid the work, with the progress */
            count_rows(model, &rows, &exact);
            assert_true(rows > before && rows < SIDE && exact == rows);
            viz_weights_model_caption(model, text, sizeof text);
            assert_non_null(strstr(text, "(all rows: "));
        }
    }
    count_rows(model, &rows, &exact);
    assert_true(rows == SIDE && exact == SIDE && jobs > 8);
    assert_null(strstr(viz_weights_model_caption(model, text, sizeof text), "one row in"));
    viz_weights_model_release(model);
}

TEST(of_a_map_that_would_take_hours_the_rest_is_not_read)
{
    sac_source source = fake_map_source(1, 1 << 20, 1 << 20, NULL);
    viz_weights_model *model;
    OK(viz_weights_model_create(&source, &model, NULL));
    viz_weights_job *job;
    for (int i = 0; i < 40 && (job = viz_weights_model_create_entry_job(model, false)); i++) {
        OK(viz_weights_model_run_job(model, job, &failure));
        viz_weights_model_finish_job(model, job, NULL);
    }
    assert_non_null(viz_weights_model_entry(model, 0, 0));
    assert_null(viz_weights_model_create_rest_job(model));
    viz_weights_model_release(model);
}

/* ---------------------------------------------------------------- places */

TEST(places_are_read_as_a_person_types_them)
{
    static const struct {
        const char *text;
        viz_map_place place;
    } good[] = {
        {"row 1234", {.row = 1234, .rows = 1}},
        {"  Row1234 ", {.row = 1234, .rows = 1}},
        {"column 56", {.column = 56, .columns = 1}},
        {"12, 34", {12, 1, 34, 1}},
        {"col 7 row 3", {3, 1, 7, 1}},
        {"行 9 列 8", {9, 1, 8, 1}},
        {"rows 100:200", {.row = 100, .rows = 100}},
        {"rows 100:200 columns :50", {100, 100, 0, 50}},
        {"columns 1990:", {.column = 1990, .columns = 10}},
        {"1999", {.row = 1999, .rows = 1}},
    };
    static const char *const bad[] = {
        "",     "row",      "row 2000",    "row -1",
        "here", "rows 9:9", "rows 5:2001", "1,2,x",
        "2000", "row 1.5",  "rows 3:2",    "row 99999999999999999999999"};
    viz_map_place place;
    char why[96];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!viz_map_place_read(good[i].text, 2000, 2000, &place, why, sizeof why))
            fail_msg("“%s”: %s", good[i].text, why);
        assert_memory_equal(&place, &good[i].place, sizeof place);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (viz_map_place_read(bad[i], 2000, 2000, &place, why, sizeof why))
            fail_msg("“%s” is a place", bad[i]);
        assert_true(why[0]);
    }
}

/* The cell under the middle of the room. */
static void middle(const viz_panel *panel, double *row, double *column)
{
    const viz_panel_layout *l = &panel->layout;
    *row = l->y + (double)(l->room.h / 2 / l->cell_h);
    *column = l->x + (double)(l->room.w / 2 / l->cell_w);
}

IN_MAP(a_place_comes_into_the_middle_and_a_region_fills_the_room)
{
    viz_panel *panel = &t->panel;
    double row, column;
    viz_panel_go(panel, &(viz_map_place){1234, 1, 9876, 1});
    viz_panel_lay(panel, &t->canvas, (viz_rect){20, 20, 400, 360});
    middle(panel, &row, &column);
    assert_true(panel->zoomed && panel->model->row == 1234 && panel->model->column == 9876);
    assert_true(fabs(row - 1234.5) < 1e-2 && fabs(column - 9876.5) < 1e-2);
    viz_panel_go(panel, &(viz_map_place){100, 50, 3000, 20});
    viz_panel_lay(panel, &t->canvas, (viz_rect){20, 20, 400, 360});
    const viz_panel_layout *l = &panel->layout;
    assert_true(l->x == 3000 && l->y == 100);
    assert_true(fabs((double)(l->room.w / l->cell_w) - 20) < 1e-3);
    assert_true(fabs((double)(l->room.h / l->cell_h) - 50) < 1e-3);
    /* In a wider room too, until it is moved. */
    viz_panel_lay(panel, &t->canvas, (viz_rect){20, 20, 560, 380});
    assert_true(l->x == 3000 && fabsf(l->cell_w * 20 - l->room.w) < 1e-2f);
    assert_true(fabsf(l->cell_h * 50 - l->room.h) < 1e-2f);
    float before = l->cell_w;
    viz_panel_pan(panel, 10, 0);
    viz_panel_lay(panel, &t->canvas, (viz_rect){20, 20, 400, 360});
    assert_true(l->x < 3000 && l->cell_w == before);
}

IN_MAP(a_press_in_the_small_map_goes_there)
{
    viz_panel *panel = &t->panel;
    double row, column;
    assert_true(viz_minimap_rect(panel).w == 0); /* all is seen */
    viz_panel_zoom(panel, 200, 200, 100);
    viz_panel_lay(panel, &t->canvas, (viz_rect){20, 20, 400, 360});
    viz_rect r = viz_minimap_rect(panel);
    assert_true(r.w > 0 && r.x + r.w <= panel->layout.cells.x + panel->layout.cells.w);
    size_t before = panel->model->row;
    viz_event press = {.kind = VIZ_PRESS, .x = r.x + r.w / 4, .y = r.y + r.h / 2, .button = 1};
    assert_true(viz_panel_event(panel, &press));
    middle(panel, &row, &column);
    assert_true(fabs(row - TOKENS / 2.0) < TOKENS / 100.0);
    assert_true(fabs(column - TOKENS / 4.0) < TOKENS / 100.0);
    assert_true(panel->model->row == before); /* nothing is pointed at through it */
    viz_panel_event(panel, &(viz_event){.kind = VIZ_RELEASE, .button = 1});
}

TEST_MAIN(open_fonts, close_fonts)
