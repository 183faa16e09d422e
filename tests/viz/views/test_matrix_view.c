/* viz/views/weights/matrix_view: one matrix with what its current row attends to. The layout is the
 * view's own, so its source is part of this program. */
#include "view/settings.h"
#include "weights_common.h"

#include "status.h"
#include "weights/matrix_view.c"

static viz_view *view_of(viz_weights_model *model)
{
    viz_view *view;
    OK(viz_matrix_view_create(model, &view, NULL));
    viz_weights_model_release(model);
    return view;
}

static void assert_layout(const matrix_view *v, const viz_canvas *canvas, const char *what)
{
    const layout *l = &v->layout;
    const viz_panel_layout *p = &v->base.panel.layout;
    float right = viz_width(canvas) - VIZ_MARGIN;
    viz_rect cells_and_labels = {p->area.x, p->area.y, p->cells.x + p->cells.w - p->area.x,
                                 p->cells.y + p->cells.h - p->area.y};
    const named_rect rects[] = {
        {"title", {VIZ_MARGIN, v->base.title_y - 12, right - VIZ_MARGIN, 14}},
        {"note", v->base.note},
        {"matrix", cells_and_labels},
        {"sums of rows", l->sums ? viz_sums_of_rows(&v->base.panel) : (viz_rect){0}},
        {"sums of columns", l->sums ? viz_sums_of_columns(&v->base.panel) : (viz_rect){0}},
        {"read-out", {l->readout_x, l->readout_y - 12, l->readout_w, 16}},
        {"selector", l->selector},
        {"picture", l->side.w > 0 ? v->base.row.picture : (viz_rect){0}},
        {"list", l->side.w > 0 ? v->base.row.list : (viz_rect){0}},
        {"bar", l->bar},
        {"controls", v->base.controls.rect}};
    assert_apart(rects, sizeof rects / sizeof *rects, area_of(canvas), what);
    assert_true(p->cells.w >= 8 && p->cells.h >= 8 && l->bar.w >= 100);
    const viz_controls *choices = &v->base.controls.choices;
    named_rect groups[VIZ_CONTROLS_MOST + 1] = {{"keys", v->base.controls.caps.items[2]}};
    for (int i = 0; i < choices->count; i++)
        groups[i + 1] = (named_rect){choices->items[i].setting->name, choices->items[i].rect};
    assert_apart(groups, (size_t)choices->count + 1, v->base.controls.rect, what);
}

/* The bars below the matrix are as high as the sums of its columns. */
TEST(the_attention_that_keys_receive_stands_below_them)
{
    fake_matrix *fake;
    viz_weights_model *model = model_of(1, 1, 8, 8, true, 0, &fake);
    viz_view *view = view_of(model);
    viz_canvas canvas = canvas_of(1280, 800, 1);
    settle(view, &canvas);
    settle(view, &canvas);
    assert_true(of(view)->layout.sums);
    const viz_panel_layout *p = &of(view)->base.panel.layout;
    viz_rect bars = viz_sums_of_columns(&of(view)->base.panel);
    float sums[8] = {0}, most = 0;
    for (size_t c = 0; c < 8; c++) {
        for (size_t r = 0; r < 8; r++)
            sums[c] += fake_weight(fake, 0, 0, 0, r, c);
        most = fmaxf(most, sums[c]);
    }
    for (size_t c = 0; c < 8; c++) {
        float x = p->cells.x + p->cell_w * ((float)c + 0.5f), high = 0;
        while (!same_color(pixel_at(&canvas, x, bars.y + bars.h - high - 0.5f),
                           canvas.theme->ground) &&
               high < bars.h)
            high++;
        assert_true(fabsf(high - bars.h * sums[c] / most) <= 1);
    }
    viz_canvas_free(&canvas);
    viz_view_destroy(view);
    fake_free(fake);
}

TEST(nothing_overlaps_in_any_window)
{
    for (int s = 0; s < SHAPES; s++)
        for (int w = 0; w < WINDOWS; w++)
            for (int constant = 0; constant < 2; constant++) { /* the note takes room */
                fake_matrix *fake;
                viz_weights_model *model =
                    model_of(shapes[s].layers, shapes[s].heads, shapes[s].rows, shapes[s].columns,
                             shapes[s].labels, shapes[s].grid, &fake);
                fake->constant = constant;
                viz_view *view = view_of(model);
                viz_canvas canvas =
                    canvas_of(windows[w].width, windows[w].height, windows[w].density);
                char what[96];
                settle(view, &canvas);
                snprintf(what, sizeof what, "%zu × %zu in %d × %d / %g", shapes[s].rows,
                         shapes[s].columns, windows[w].width, windows[w].height,
                         (double)windows[w].density);
                assert_layout(of(view), &canvas, what);
                viz_canvas_free(&canvas);
                viz_view_destroy(view);
                fake_free(fake);
            }
}

/* In small and in upright windows, where a picture would be a stamp beside its matrix. */
TEST(a_picture_is_at_least_as_large_as_the_matrix_where_room_is_scarce)
{
    static const int sizes[][2] = {{640, 400}, {800, 500}, {800, 1200}, {500, 1000}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fake_matrix *fake;
        viz_weights_model *model = model_of(2, 3, 17, 17, false, 4, &fake);
        viz_view *view = view_of(model);
        viz_canvas canvas = canvas_of(sizes[i][0], sizes[i][1], 1);
        settle(view, &canvas);
        viz_rect picture = of(view)->base.row.picture, cells = of(view)->base.panel.layout.cells;
        if (picture.w * picture.h < 0.95f * cells.w * cells.h)
            fail_msg("%d × %d: picture %.0f × %.0f, matrix %.0f × %.0f", sizes[i][0], sizes[i][1],
                     (double)picture.w, (double)picture.h, (double)cells.w, (double)cells.h);
        assert_layout(of(view), &canvas, "a small window");
        viz_canvas_free(&canvas);
        viz_view_destroy(view);
        fake_free(fake);
    }
}

TEST(maps_that_show_nothing_of_the_query_raise_a_note)
{
    fake_matrix *fake;
    viz_weights_model *model = model_of(1, 2, 8, 8, true, 0, &fake);
    fake->constant = true;
    model->scale = VIZ_PER_MAP; /* the other head is not asked for */
    viz_view *view = view_of(model);
    viz_canvas canvas = canvas_of(800, 500, 1);
    settle(view, &canvas);
    char note[256];
    assert_true(viz_weights_model_note(model, note, sizeof note));
    assert_string_equal(note, "the same for every query: differences are below 1e-6");
    assert_true(of(view)->base.note.w > 0);
    fake->constant = false;
    send_key(view, VIZ_KEY_RIGHT);
    settle(view, &canvas);
    assert_false(viz_weights_model_note(model, note, sizeof note));
    viz_canvas_free(&canvas);
    viz_view_destroy(view);
    fake_free(fake);
}

TEST(senseless_settings_are_ignored)
{
    fake_matrix *fake;
    viz_weights_model *model = model_of(2, 2, 5, 5, false, 0, &fake);
    viz_view *view = view_of(model);
    const char *const bad[][2] = {{"layer", "2"},        {"head", "-1"},        {"head", "x"},
                                  {"reduce", "sum"},     {"query", "5,0"},      {"query", ""},
                                  {"zoom", "nan 0 1 1"}, {"zoom", "0 0 1e9 1"}, {"scale", "large"},
                                  {"unknown", "1"},      {"batch", "1"}};
    sac_head_choice before = viz_weights_model_current(model);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        viz_view_restore(view, bad[i][0], bad[i][1]);
    sac_head_choice after = viz_weights_model_current(model);
    assert_true(sac_head_choice_same(&before, &after));
    assert_false(of(view)->base.panel.zoomed);
    viz_view_destroy(view);
    fake_free(fake);
}

TEST(a_cell_of_the_picture_is_a_column_and_pressed_a_query)
{
    fake_matrix *fake;
    viz_view *view = view_of(model_of(1, 1, 17, 17, false, 4, &fake));
    matrix_view *v = of(view);
    viz_canvas canvas = canvas_of(1280, 800, 1);
    settle(view, &canvas);
    viz_rect picture = v->base.row.picture;
    assert_true(picture.w > 100);
    float x = picture.x + 2.5f * picture.w / 4, y = picture.y + 1.5f * picture.h / 4;
    size_t row = v->base.model->row;
    assert_true(send(view, VIZ_MOVE, x, y, 0));
    assert_int_equal(v->base.model->column,
                     1 + 1 * 4 + 2); /* behind the one token that is no cell */
    assert_int_equal(v->base.model->row, row);
    assert_true(send(view, VIZ_PRESS, x, y, 1));
    assert_int_equal(v->base.model->row, 7);
    viz_canvas_free(&canvas);
    viz_view_destroy(view);
    fake_free(fake);
}

TEST(the_list_holds_the_largest_weights_in_order)
{
    const float row[] = {0.1f, 0.3f, 0.05f, 0.3f, 0.2f, 0.05f};
    size_t places[4];
    assert_int_equal(viz_largest(row, 6, 4, places), 4);
    assert_true(places[0] == 1 && places[1] == 3 && places[2] == 4 && places[3] == 0);
    assert_int_equal(viz_largest(row, 3, 4, places), 3);
    assert_true(places[0] == 1 && places[1] == 0 && places[2] == 2);
}

TEST(an_animation_shows_each_query_in_turn)
{
    fake_matrix *fake;
    viz_view *view = view_of(model_of(1, 1, 5, 5, true, 0, &fake));
    viz_canvas canvas = canvas_of(800, 500, 1);
    int fps = 10, count = view->class->frames(view, fps);
    assert_int_equal(count, 5 * 7);
    for (int i = 0; i < count; i++) {
        view->class->frame(view, i, fps);
        settle(view, &canvas);
        assert_int_equal(of(view)->base.model->row, i / 7);
        assert_int_equal(of(view)->base.panel.weights_row, i / 7);
    }
    viz_view_destroy(view);
    fake_free(fake);
    view = view_of(model_of(1, 1, 500, 20, false, 0, &fake)); /* long ones step faster */
    assert_int_equal(view->class->frames(view, fps), 120 * 7);
    view->class->frame(view, 120 * 7 - 1, fps);
    assert_int_equal(of(view)->base.model->row, 499);
    viz_view_destroy(view);
    fake_free(fake);
    viz_canvas_free(&canvas);
}

/* Every 0.7 s; where a person goes meanwhile, it goes on from there. */
TEST(playing_goes_from_query_to_query_and_round)
{
    static const struct {
        double now;
        size_t row;
    } at[] = {{10.6, 0}, {10.75, 1}, {11.45, 2}, {12.15, 3}, {12.85, 0}};
    fake_matrix *fake;
    viz_view *view = view_of(model_of(1, 1, 4, 4, true, 0, &fake));
    viz_canvas canvas = canvas_of(800, 500, 1);
    settle(view, &canvas);
    view->class->tick(view, 10);
    of(view)->base.model->row = 0;
    send_key(view, ' ');
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        assert_true(view->class->tick(view, at[i].now));
        assert_int_equal(of(view)->base.model->row, at[i].row);
    }
    of(view)->base.model->row = 2;
    view->class->tick(view, 13);
    view->class->tick(view, 13.6);
    assert_int_equal(of(view)->base.model->row, 2);
    view->class->tick(view, 13.75);
    assert_int_equal(of(view)->base.model->row, 3);
    send_key(view, ' ');
    view->class->tick(view, 20);
    assert_int_equal(of(view)->base.model->row, 3);
    viz_canvas_free(&canvas);
    viz_view_destroy(view);
    fake_free(fake);
}

static bool is_odd(size_t head, size_t query, size_t key)
{
    (void)head;
    (void)query;
    return key % 2 != 0;
}

static sac_status hide_odd(void *self, size_t layer, const sac_tile *tile, uint8_t *masked,
                           sac_error *error)
{
    (void)self;
    (void)layer;
    (void)error;
    return sac_mask_tile(tile, is_odd, masked);
}

static viz_view *matrix_drawn(bool masked, viz_canvas *canvas, fake_matrix **fake)
{
    viz_weights_model *model = model_of(1, 1, 6, 6, false, 0, fake);
    (*fake)->source.weights.masked = masked ? hide_odd : NULL;
    viz_view *view = view_of(model);
    *canvas = canvas_of(800, 500, 1);
    settle(view, canvas);
    return view;
}

/* The lines of the list by what they look like: those of masked keys alone are others. */
TEST(masked_keys_of_a_row_are_listed_as_such)
{
    fake_matrix *fakes[2];
    viz_canvas canvas[2];
    viz_view *views[2];
    size_t places[6];
    for (int i = 0; i < 2; i++)
        views[i] = matrix_drawn(i == 1, &canvas[i], &fakes[i]);
    const viz_row_panel *side = &of(views[1])->base.row;
    assert_int_equal(viz_largest(side->panel->weights, 6, 6, places), 6);
    assert_int_equal(viz_row_panel_lines(side), 6);
    for (size_t line = 0; line < 6; line++) {
        viz_pixels p = viz_to_pixels(&canvas[0], viz_row_panel_line(side, line));
        bool same = true;
        for (int y = p.y0; y < p.y1; y++) {
            size_t first = 4 * ((size_t)y * 800 + (size_t)p.x0), bytes = 4 * (size_t)(p.x1 - p.x0);
            same = same && memcmp(canvas[0].rgba + first, canvas[1].rgba + first, bytes) == 0;
        }
        assert_int_equal(same, places[line] % 2 == 0);
    }
    for (int i = 0; i < 2; i++) {
        viz_canvas_free(&canvas[i]);
        viz_view_destroy(views[i]);
        fake_free(fakes[i]);
    }
}

TEST(choices_that_change_while_a_job_is_out_do_no_harm)
{
    const char keys_pressed[] = "rrrrr///dc..m";
    for (const char *k = keys_pressed; *k; k++) {
        fake_matrix *fake;
        viz_view *view = view_of(model_of(2, 2, 20, 20, false, 0, &fake));
        viz_canvas canvas = canvas_of(800, 500, 1);
        view->class->draw(view, &canvas, area_of(&canvas));
        for (int i = 0; i < 6; i++) {
            viz_job *job = view->class->want(view);
            if (!job)
                break;
            send_key(view, *k);
            sac_error error = {0};
            sac_status status = view->class->work(view, job, &error);
            assert_int_equal(status, SAC_OK);
            view->class->take(view, job, NULL);
            view->class->draw(view, &canvas, area_of(&canvas));
        }
        settle(view, &canvas);
        viz_canvas_free(&canvas);
        viz_view_destroy(view);
        fake_free(fake);
    }
}

/* An item without its padding is smaller than the one before it, and has words of its own. */
TEST(items_are_turned_to_their_own_sizes_and_words)
{
    fake_matrix *fake = fake_create(2, 2, 2, 20, 20);
    sac_source *source = &fake->source;
    viz_weights_model *model;
    source->weights.items = calloc(2, sizeof *source->weights.items);
    for (size_t i = 0; i < 2; i++) {
        sac_source_item *item = &source->weights.items[i];
        item->steps = item->positions = i ? 12 : 20;
        fake_label(&item->step_labels, item->steps);
        fake_label(&item->position_labels, item->positions);
    }
    free(source->weights.items[1].step_labels.text[3]);
    source->weights.items[1].step_labels.text[3] = strdup("turned");
    OK(viz_weights_model_create(source, &model, NULL));
    viz_view *view = view_of(model);
    matrix_view *v = of(view);
    viz_canvas canvas = canvas_of(1280, 800, 1);
    settle(view, &canvas);
    send_key(view, VIZ_KEY_END);
    v->base.model->row = v->base.model->column = 19;
    assert_int_equal(v->base.panel.layout.rows, 20);
    assert_true(send_key(view, VIZ_KEY_PAGE_DOWN));
    settle(view, &canvas);
    assert_int_equal(v->base.panel.layout.rows, 12);
    assert_int_equal(v->base.panel.layout.columns, 12);
    assert_true(v->base.model->row < 12 && v->base.model->column < 12);
    assert_string_equal(viz_weights_model_row_label(v->base.model, 3), "turned");
    assert_null(viz_weights_model_row_label(v->base.model, 12));
    viz_table table;
    assert_true(view->class->table(view, &table));
    assert_true(table.rows == 12 && table.columns == 12);
    assert_true(send_key(view, VIZ_KEY_PAGE_UP));
    settle(view, &canvas);
    assert_int_equal(v->base.panel.layout.rows, 20);
    viz_canvas_free(&canvas);
    viz_view_destroy(view);
    fake_free(fake);
}

TEST(layers_are_called_by_their_numbers)
{
    static const size_t numbers[] = {0, 2, 4};
    fake_matrix *fake;
    char text[200];
    viz_weights_model *model = model_of(3, 2, 6, 6, false, 0, &fake);
    fake->source.weights.layer_numbers = numbers;
    viz_weights_view of = {.view = {&viz_matrix_class, model->source}, .model = model};
    viz_view_restore(&of.view, "layer", "4");
    assert_int_equal(model->layer, 2);
    viz_view_restore(&of.view, "layer", "1"); /* which is not there */
    assert_int_equal(model->layer, 2);
    assert_string_equal(viz_weights_model_title(model, text, sizeof text), "layer 4, head 0");
    viz_weights_model_release(model);
    fake_free(fake);
}

TEST(the_other_reading_of_the_array_is_a_press_away)
{
    fake_matrix *fake;
    viz_weights_model *model = model_of(4, 2, 6, 6, true, 0, &fake);
    sac_source *source = &fake->source;
    source->weights.opened.readings = calloc(3, sizeof *source->weights.opened.readings);
    source->weights.opened.reading_count = 3;
    source->weights.opened.reading = 2;
    for (int i = 0; i < 3; i++) {
        snprintf(source->weights.opened.readings[i].take,
                 sizeof source->weights.opened.readings[i].take, i ? "cross" : "other");
        snprintf(source->weights.opened.readings[i].axes,
                 sizeof source->weights.opened.readings[i].axes, i == 2 ? "LHQK" : "BHQK");
    }
    viz_view *view = view_of(model);
    matrix_view *v = of(view);
    viz_canvas canvas = canvas_of(1280, 800, 1);
    settle(view, &canvas);
    viz_rect other = v->base.other;
    assert_true(other.w > 20);
    assert_int_equal(view->class->choose(view), -1);
    assert_true(send(view, VIZ_PRESS, other.x + 5, other.y + 5, 1));
    assert_int_equal(view->class->choose(view), 1);
    assert_int_equal(view->class->choose(view), -1);
    source->weights.opened.reading = 0; /* there is no other of this one */
    settle(view, &canvas);
    assert_true(v->base.other.w <= 0);
    viz_canvas_free(&canvas);
    viz_view_destroy(view);
    fake_free(fake);
}

/* Cells 0 to 15 of a picture at columns that do not follow each other. */
TEST(cells_apart_are_gathered_and_found)
{
    size_t places[16], column;
    fake_matrix *fake;
    viz_weights_model *model = model_of(1, 1, 21, 21, false, 4, &fake);
    for (size_t i = 0; i < 16; i++)
        places[i] = 1 + i + i / 4; /* a token at the end of each line */
    fake->source.picture.cells = places;
    viz_view *view = view_of(model);
    matrix_view *v = of(view);
    viz_canvas canvas = canvas_of(1280, 800, 1);
    settle(view, &canvas);
    assert_true(viz_weights_model_column_of(v->base.model, 2, 1, &column));
    assert_int_equal(column, 1 + 6 + 1);
    const float *cells = viz_row_panel_cells(&v->base.row, v->base.panel.weights);
    for (size_t i = 0; i < 16; i++)
        assert_true(cells[i] == v->base.panel.weights[places[i]]);
    size_t x, y;
    assert_true(viz_weights_model_cell(v->base.model, 8, &x, &y) && x == 2 && y == 1);
    assert_false(viz_weights_model_cell(v->base.model, 5, &x, &y));
    viz_canvas_free(&canvas);
    viz_view_destroy(view);
    fake_free(fake);
}

TEST_MAIN(open_fonts, close_fonts)
