/* viz/parts/figures/grid: a small matrix with labels stands where it is hit, and gives its numbers. */

#include "canvas/text.h"
#include "parts/figures/grid.h"
#include "status.h"

enum { ROWS = 3, COLUMNS = 4 };
static const char *const row_words[ROWS] = {"la", "zone", "européenne"};
static const char *const column_words[COLUMNS] = {"the", "european", "area", "."};
static const float weights[ROWS * COLUMNS] = {0.7f, 0.1f, 0.1f, 0.1f, 0.0f, 0.2f,
                                              0.8f, 0.0f, 0.1f, 0.9f, 0.0f, 0.0f};

static viz_grid a_grid(void)
{
    return (viz_grid){.values = weights,
                      .rows = ROWS,
                      .columns = COLUMNS,
                      .row_labels = row_words,
                      .column_labels = column_words,
                      .scale = {VIZ_FIXED, 0, 1},
                      .row = 1,
                      .column = 2,
                      .hover_row = -1,
                      .hover_column = -1};
}

static int open_canvas(void **state)
{
    static viz_canvas canvas;
    if (viz_text_open(&failure) != SAC_OK ||
        viz_canvas_create(640, 480, 1, &viz_theme_dark, &canvas, &failure) != SAC_OK)
        return 1;
    viz_clear(&canvas);
    *state = &canvas;
    return 0;
}

static int close_canvas(void **state)
{
    viz_canvas_free(*state);
    viz_text_close();
    return 0;
}

#define ON_CANVAS(name) TEST_ON(viz_canvas, canvas, name, open_canvas, close_canvas)

ON_CANVAS(cells_are_hit_where_they_are_drawn)
{
    viz_grid grid = a_grid();
    viz_grid_layout l;
    int row, column;
    viz_grid_lay(&l, canvas, &grid, (viz_rect){20, 30, 600, 400}, 60);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            viz_rect cell = viz_grid_cell(&l, r, c);
            assert_true(viz_grid_hit(&l, cell.x + 1, cell.y + 1, &row, &column));
            assert_true(row == r && column == c);
            assert_true(viz_grid_hit(&l, cell.x + cell.w - 1, cell.y + cell.h - 1, &row, &column));
            assert_true(row == r && column == c);
        }
    assert_false(viz_grid_hit(&l, l.cells.x - 1, l.cells.y, &row, &column));
    assert_true(row == -1 && column == -1);
}

ON_CANVAS(it_stays_in_its_room_at_any_size)
{
    static const viz_rect rooms[] = {
        {0, 0, 600, 400}, {10, 10, 200, 60}, {0, 0, 40, 300}, {5, 5, 12, 12}};
    viz_grid grid = a_grid();
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        viz_grid_layout l;
        viz_grid_lay(&l, canvas, &grid, rooms[i], 60);
        assert_true(l.cell > 0 && l.cell <= 60);
        assert_true(l.cells.x >= rooms[i].x - 0.01f && l.cells.y >= rooms[i].y - 0.01f);
        assert_true(l.cells.x + l.cells.w <= rooms[i].x + rooms[i].w + 0.01f);
        assert_true(l.cells.y + l.cells.h <= rooms[i].y + rooms[i].h + 0.01f);
        viz_grid_draw(&l, canvas, &grid);
    }
}

ON_CANVAS(a_cell_has_the_colour_of_its_value)
{
    viz_grid grid = a_grid();
    viz_grid_layout l;
    viz_grid_lay(&l, canvas, &grid, (viz_rect){20, 30, 600, 400}, 60);
    viz_grid_draw(&l, canvas, &grid);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        viz_rect r = viz_grid_cell(&l, i / COLUMNS, i % COLUMNS);
        const uint8_t *p = canvas->rgba + 4 * ((int)(r.y + 4) * canvas->width + (int)(r.x + 4));
        viz_color wanted = viz_colormap_color(VIZ_INFERNO, weights[i]);
        assert_memory_equal(p, &wanted, 3);
    }
}

ON_CANVAS(numbers_are_there_where_all_of_them_fit)
{
    float large[ROWS * COLUMNS];
    viz_grid grid = a_grid();
    viz_grid_layout l;
    viz_grid_lay(&l, canvas, &grid, (viz_rect){0, 0, 600, 400}, 60);
    assert_true(l.numbers);
    viz_grid_lay(&l, canvas, &grid, (viz_rect){0, 0, 600, 400}, 24);
    assert_false(l.numbers);
    memcpy(large, weights, sizeof large);
    large[5] = -1234567.0f;
    grid.values = large;
    viz_grid_lay(&l, canvas, &grid, (viz_rect){0, 0, 600, 400}, 60);
    assert_false(l.numbers);
    large[5] = NAN; /* has none */
    viz_grid_lay(&l, canvas, &grid, (viz_rect){0, 0, 600, 400}, 60);
    assert_true(l.numbers);
    viz_grid_draw(&l, canvas, &grid);
}

ON_CANVAS(column_labels_stand_upright_where_they_are_wider_than_a_cell)
{
    viz_grid grid = a_grid();
    viz_grid_layout l;
    viz_grid_lay(&l, canvas, &grid, (viz_rect){0, 0, 640, 480}, 120);
    assert_false(l.upright);
    viz_grid_lay(&l, canvas, &grid, (viz_rect){0, 0, 640, 480}, 30);
    assert_true(l.upright);
}

ON_CANVAS(what_is_not_known_yet_has_its_place_and_labels)
{
    viz_grid grid = a_grid();
    viz_grid_layout known, unknown;
    viz_grid_lay(&known, canvas, &grid, (viz_rect){0, 0, 600, 400}, 60);
    grid.values = NULL;
    viz_grid_lay(&unknown, canvas, &grid, (viz_rect){0, 0, 600, 400}, 60);
    assert_memory_equal(&known.cells, &unknown.cells, sizeof known.cells);
    viz_grid_draw(&unknown, canvas, &grid);
}

/* Lines that are light between dark cells, or dark between light ones, would be all that is seen. */
ON_CANVAS(between_cells_it_is_as_where_nothing_is)
{
    const viz_theme *themes[] = {&viz_theme_dark, &viz_theme_light, &viz_theme_light_presented};
    viz_grid grid = a_grid();
    viz_grid_layout l;
    viz_grid_lay(&l, canvas, &grid, (viz_rect){0, 0, 640, 480}, 30);
    for (size_t i = 0; i < sizeof themes / sizeof *themes; i++) {
        canvas->theme = themes[i];
        viz_clear(canvas);
        viz_grid_draw(&l, canvas, &grid);
        viz_rect cell = viz_grid_cell(&l, 0, 0);
        int x = (int)(cell.x + cell.w / 2), y = (int)(cell.y + cell.h - 0.5f);
        unsigned luma = viz_luma(canvas->rgba + 4 * (y * canvas->width + x));
        assert_true(themes[i]->light ? luma > 240 : luma < 40);
    }
}

TEST_MAIN(NULL, NULL)
