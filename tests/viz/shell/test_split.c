/* viz/shell/split/split: views of one class beside each other, which follow each other or do not. */

#include "canvas/recording.h"
#include "every_view.h"
#include "fake_map.h"
#include "rects.h"
#include "shell/split/split.h"
#include "status.h"
#include "test.h"
#include "view/map.h"
#include "view/settings.h"
#include "weights/weights_view.h"

static bool press_key(one_view *v, int code, bool ctrl)
{
    bool changed =
        viz_shell_event(&v->shell, &(viz_event){.kind = VIZ_KEY, .key = code, .ctrl = ctrl});
    one_draw(v);
    return changed;
}

static bool point(one_view *v, viz_event_kind kind, float x, float y)
{
    viz_event event = {.kind = kind, .x = x, .y = y, .button = kind == VIZ_PRESS};
    bool changed = viz_shell_event(&v->shell, &event);
    one_draw(v);
    return changed;
}

static viz_view *split_of(const one_view *v)
{
    return viz_shell_tab_view(&v->shell);
}

typedef struct wanted {
    const char *key;
    char value[256];
} wanted;

static void find(void *user, const char *key, const char *value)
{
    wanted *w = user;
    if (strcmp(key, w->key) == 0)
        snprintf(w->value, sizeof w->value, "%s", value);
}

static const char *setting(const viz_view *view, const char *key)
{
    static wanted found[4];
    static int next;
    wanted *w = &found[next++ % 4];
    *w = (wanted){.key = key};
    viz_view_describe(view, find, w);
    return w->value;
}

static one_view *open_two(const char *name)
{
    one_view *v = one_open(viz_views_find(name), 1280, 800);
    assert_true(press_key(v, 'p', true));
    assert_int_equal(viz_split_count(split_of(v)), 2);
    return v;
}

/* ---------------------------------------------------------------- layout */

static void assert_sides_apart(const one_view *v, int count)
{
    for (int i = 0; i < count; i++) {
        viz_rect a = viz_split_area(split_of(v), i);
        assert_true(a.x >= 0 && a.x + a.w <= viz_width(&v->canvas) + 0.1f);
        assert_true(a.y >= VIZ_TABS_HEIGHT && a.y + a.h <= viz_height(&v->canvas) + 0.1f);
        for (int k = 0; k < i; k++)
            assert_false(overlap(a, viz_split_area(split_of(v), k)));
    }
}

TEST(every_view_that_has_settings_is_split_into_four_at_most)
{
    for (int i = 0; viz_views[i]; i++) {
        if (viz_views[i]->is_live || viz_views[i]->pages ||
            strcmp(viz_views[i]->name, "contents") == 0)
            continue;
        one_view *v = one_open(viz_views[i], 1280, 800);
        for (int count = 2; count <= VIZ_SPLIT_MOST; count++) {
            assert_true(press_key(v, 'p', true));
            assert_int_equal(viz_split_count(split_of(v)), count);
            assert_sides_apart(v, count);
        }
        press_key(v, 'p', true);
        assert_int_equal(viz_split_count(split_of(v)), VIZ_SPLIT_MOST);
        assert_non_null(strstr(v->shell.message, "four"));
        one_close(v);
    }
}

TEST(one_side_is_drawn_as_the_view_by_itself)
{
    one_view *v = one_open(viz_views_find("heads"), 1280, 800);
    size_t size = 4 * (size_t)v->canvas.width * (size_t)v->canvas.height;
    uint8_t *before = malloc(size);
    memcpy(before, v->canvas.rgba, size);
    press_key(v, 'p', true);
    assert_memory_not_equal(v->canvas.rgba, before, size);
    press_key(v, VIZ_KEY_BACKSPACE, false);
    v->shell.message[0] = '\0';
    one_draw(v);
    size_t bar = 4 * (size_t)v->canvas.width * (size_t)VIZ_TABS_HEIGHT; /* it has "undo" now */
    assert_memory_equal(v->canvas.rgba + bar, before + bar, size - bar);
    free(before);
    one_close(v);
}

/* ---------------------------------------------------------------- settings */

/* Two sources that were opened beside each other are a tab of that place, and not one more. */
TEST(what_was_opened_as_two_sides_has_one_place_in_the_bar)
{
    one_view *v = one_open(viz_views_find("heads"), 1280, 800);
    viz_view *view, *split;
    viz_shell shell = {.places = viz_views};
    int places = 0;
    OK(v->class->create(v->source, NULL, &view, NULL));
    OK(viz_split_create(view, &split, NULL));
    OK(viz_shell_add(&shell, split, NULL));
    viz_shell_draw(&shell, &v->canvas);
    for (int i = 0; i < shell.bar.count; i++)
        places += strcmp(shell.bar.items[i].class->name, "heads") == 0;
    assert_int_equal(places, 1);
    viz_shell_free(&shell);
    one_close(v);
}

TEST(settings_are_parted_or_change_together)
{
    one_view *v = open_two("picture");
    viz_view *split = split_of(v), *a = viz_split_side(split, 0), *b = viz_split_side(split, 1);
    assert_string_equal(setting(a, "temperature"), setting(b, "temperature"));
    press_key(v, 'e', false); /* of the new side, which is in focus */
    assert_string_not_equal(setting(a, "temperature"), setting(b, "temperature"));
    press_key(v, 'g', true);
    press_key(v, 'e', false);
    assert_string_equal(setting(a, "temperature"), setting(b, "temperature"));
    press_key(v, VIZ_KEY_F6, false);
    press_key(v, 'e', false); /* and of the other one */
    assert_string_equal(setting(a, "temperature"), setting(b, "temperature"));
    one_close(v);
}

TEST(a_side_that_came_is_undone_and_one_that_went_comes_back)
{
    one_view *v = open_two("picture");
    press_key(v, 'e', false);
    char warm[64];
    snprintf(warm, sizeof warm, "%s", setting(split_of(v), "second temperature"));
    assert_true(press_key(v, VIZ_KEY_BACKSPACE, false));
    assert_int_equal(viz_split_count(split_of(v)), 1);
    press_key(v, 'z', true);
    assert_int_equal(viz_split_count(split_of(v)), 2);
    assert_string_equal(setting(split_of(v), "second temperature"), warm);
    press_key(v, 'z', true); /* the temperature */
    press_key(v, 'z', true);
    assert_int_equal(viz_split_count(split_of(v)), 1);
    one_close(v);
}

static void restore_into(void *user, const char *key, const char *value)
{
    viz_shell_restore(user, 0, key, value);
}

static void write_all(void *user, const char *key, const char *value)
{
    fprintf(user, "%s=%s\n", key, value);
}

static char *reported(const one_view *v)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    viz_view_describe(split_of(v), write_all, file);
    fclose(file);
    return text;
}

/* As a PNG has them. */
TEST(what_a_split_names_of_itself_opens_it_again)
{
    one_view *v = open_two("matrix"), *again = one_open(viz_views_find("matrix"), 1280, 800);
    press_key(v, VIZ_KEY_DOWN, false);
    press_key(v, 'p', true);
    press_key(v, VIZ_KEY_RIGHT, false);
    press_key(v, 'c', false);
    viz_view_describe(split_of(v), restore_into, &again->shell);
    one_draw(again);
    char *first = reported(v), *second = reported(again);
    assert_string_equal(first, second);
    assert_int_equal(viz_split_count(split_of(again)), 3);
    assert_true(viz_split_subtracts(split_of(again)));
    free(first);
    free(second);
    one_close(v);
    one_close(again);
}

/* What an untrusted picture may contain. */
TEST(sides_that_make_no_sense_are_left_out)
{
    static const char *const values[] = {"9 9", "1 1 1 1 1 1 1", "2 2", "hello", "1 x 1"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        one_view *v = one_open(viz_views_find("matrix"), 1280, 800);
        viz_shell_restore(&v->shell, 0, VIZ_SPLIT_SIDES, values[i]);
        viz_shell_restore(&v->shell, 0, "sides focus", "-3");
        viz_shell_restore(&v->shell, 0, "fourth head", "1");
        one_draw(v);
        int count = viz_split_count(split_of(v));
        assert_true(count >= 1 && count <= VIZ_SPLIT_MOST);
        one_close(v);
    }
}

/* ---------------------------------------------------------------- one cell, and differences */

TEST(the_cell_that_is_pointed_at_is_pointed_at_in_all)
{
    one_view *v = open_two("picture");
    viz_view *split = split_of(v);
    viz_rect a = split->class->map_rect(viz_split_side(split, 0));
    size_t size = 4 * (size_t)v->canvas.width * (size_t)v->canvas.height;
    uint8_t *before = malloc(size);
    memcpy(before, v->canvas.rgba, size);
    assert_true(point(v, VIZ_MOVE, a.x + 0.3f * a.w, a.y + 0.3f * a.h));
    bool changed = false; /* in the side where the pointer is not */
    viz_rect other = viz_split_area(split, 1);
    for (int y = (int)other.y; y < v->canvas.height; y++)
        changed |= memcmp(before + 4 * (y * v->canvas.width + (int)other.x + 1),
                          v->canvas.rgba + 4 * (y * v->canvas.width + (int)other.x + 1),
                          4 * (size_t)((int)other.w - 2)) != 0;
    assert_true(changed);
    free(before);
    one_close(v);
}

TEST(differences_are_those_of_the_maps)
{
    one_view *v = open_two("matrix");
    viz_view *split = split_of(v);
    press_key(v, VIZ_KEY_RIGHT, false);
    viz_map a = {0}, b = {0};
    assert_true(split->class->map(viz_split_side(split, 0), &a));
    assert_true(split->class->map(viz_split_side(split, 1), &b));
    assert_int_equal(a.rows, b.rows);
    float most = 0;
    for (int i = 0; i < a.rows * a.columns; i++)
        most = fmaxf(most, fabsf(a.values[i] - b.values[i]));
    assert_true(most > 0);
    viz_map_free(&a);
    viz_map_free(&b);
    press_key(v, 'c', false); /* side by side */
    press_key(v, VIZ_KEY_F6, false);
    size_t size = 4 * (size_t)v->canvas.width * (size_t)v->canvas.height;
    uint8_t *before = malloc(size);
    memcpy(before, v->canvas.rgba, size);
    assert_true(press_key(v, 'c', false));
    assert_true(viz_split_subtracts(split));
    assert_memory_not_equal(before, v->canvas.rgba, size);
    assert_true(press_key(v, 'c', false));
    assert_memory_equal(before, v->canvas.rgba, size);
    free(before);
    one_close(v);
}

/* Where maps have no difference the other side stays as it is. */
TEST(a_map_of_another_size_is_shown_by_itself)
{
    one_view *v = open_two("picture");
    viz_view *split = split_of(v);
    press_key(v, 'z', false); /* other cells, of the side in focus alone */
    press_key(v, VIZ_KEY_F6, false);
    one_draw(v);
    viz_rect other = viz_split_area(split, 1);
    size_t size = 4 * (size_t)v->canvas.width * (size_t)v->canvas.height;
    uint8_t *before = malloc(size);
    memcpy(before, v->canvas.rgba, size);
    assert_true(press_key(v, 'c', false));
    assert_true(viz_split_subtracts(split));
    for (int y = (int)other.y + 2; y < (int)(other.y + other.h) - 2; y++)
        assert_memory_equal(before + 4 * (y * v->canvas.width + (int)other.x + 2),
                            v->canvas.rgba + 4 * (y * v->canvas.width + (int)other.x + 2),
                            4 * (size_t)((int)other.w - 4));
    free(before);
    one_close(v);
}

/* C, and the text of pictures of before. */
TEST(the_head_before_is_taken_away_from_the_one_that_is_shown)
{
    one_view *v = one_open(viz_views_find("matrix"), 1280, 800);
    press_key(v, VIZ_KEY_RIGHT, false);
    assert_true(press_key(v, 'c', false));
    viz_view *split = split_of(v), *a = viz_split_side(split, 0), *b = viz_split_side(split, 1);
    assert_true(viz_split_subtracts(split));
    assert_string_equal(setting(a, "head"), "1");
    assert_string_equal(setting(b, "head"), "0");
    press_key(v, VIZ_KEY_RIGHT, false);
    press_key(v, 'l', false);
    assert_string_equal(setting(a, "head"), "1"); /* heads differ, all else is the same */
    assert_string_equal(setting(a, "scale"), setting(b, "scale"));
    one_close(v);
    v = one_open(viz_views_find("matrix"), 1280, 800);
    viz_shell_restore(&v->shell, 0, "minus", "9.9"); /* which is not there */
    assert_false(viz_is_split(viz_shell_tab_view(&v->shell)));
    viz_shell_restore(&v->shell, 0, "minus", "0.1");
    split = split_of(v);
    assert_true(viz_split_subtracts(split));
    assert_string_equal(setting(viz_split_side(split, 1), "head"), "1");
    one_close(v);
}

/* ---------------------------------------------------------------- A | B | A − B */

static size_t count_drawn(one_view *v, const char *text)
{
    viz_recording r = {0};
    v->canvas.recording = &r;
    one_draw(v);
    v->canvas.recording = NULL;
    size_t count = 0;
    for (size_t i = 0; i < r.count; i++)
        count += r.shapes[i].kind == VIZ_SHAPE_TEXT && strcmp(r.shapes[i].text, text) == 0;
    viz_recording_free(&r);
    return count;
}

static const viz_weights_view *weights_side(const one_view *v, int side)
{
    return (const viz_weights_view *)viz_split_side(split_of(v), side);
}

static float scale_end(const one_view *v, int side)
{
    return viz_panel_scale(&weights_side(v, side)->panel).high;
}

/* C, and ctrl P: equal sizes, one scale, one gallery, at any size of the window. */
TEST(two_heads_stand_beside_their_difference)
{
    static const int sizes[][2] = {{1280, 800}, {1920, 1080}, {640, 400}, {800, 500}, {600, 1200}};
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        one_view *v =
            one_open(viz_views_find(i % 2 ? "heads" : "matrix"), sizes[i / 2][0], sizes[i / 2][1]);
        press_key(v, VIZ_KEY_RIGHT, false);
        assert_true(press_key(v, i / 2 % 2 ? 'p' : 'c', i / 2 % 2));
        assert_true(viz_split_subtracts(split_of(v)));
        press_key(v, VIZ_KEY_RIGHT, false);
        viz_shell_restore(&v->shell, v->shell.current, "scale", "per map");
        viz_shell_restore(&v->shell, v->shell.current, "second scale", "per map");
        one_draw(v);
        assert_int_equal(count_drawn(v, "A"), 1);
        assert_int_equal(count_drawn(v, "B"), 1);
        assert_int_equal(count_drawn(v, "A − B"), 1);
        const viz_rect a = weights_side(v, 0)->panel.layout.cells,
                       b = weights_side(v, 1)->panel.layout.cells;
        assert_true(a.w > 20 && a.w == b.w && a.h == b.h && a.y == b.y && b.x > a.x + a.w);
        assert_true(b.x + (b.x - a.x) + b.w <= viz_width(&v->canvas)); /* and the third */
        assert_true(scale_end(v, 0) == scale_end(v, 1));
        one_close(v);
    }
    one_view *v = one_open(viz_views_find("heads"), 1280, 800);
    press_key(v, 'c', false);
    assert_int_equal(count_drawn(v, "reduce"), 1); /* controls, and the gallery, are there once */
    press_key(v, 'c', false);
    assert_int_equal(count_drawn(v, "reduce"), 2);
    assert_int_equal(count_drawn(v, "A − B"), 0);
    one_close(v);
}

/* The first less the second, whichever is in focus; a press chooses the one that heads are given to. */
TEST(the_side_that_is_pressed_gets_the_head_that_is_chosen)
{
    one_view *v = one_open(viz_views_find("heads"), 1280, 800);
    press_key(v, VIZ_KEY_RIGHT, false);
    press_key(v, 'c', false);
    const viz_view *split = split_of(v);
    viz_rect a = weights_side(v, 0)->panel.layout.cells;
    assert_string_equal(setting(split, "sides focus"), "2");
    point(v, VIZ_MOVE, a.x + 3, a.y + 3);
    assert_string_equal(setting(split, "sides focus"), "2"); /* to pass by chooses nothing */
    point(v, VIZ_PRESS, a.x + 3, a.y + 3);
    point(v, VIZ_RELEASE, a.x + 3, a.y + 3);
    assert_string_equal(setting(split, "sides focus"), "1");
    assert_string_equal(setting(viz_split_side(split, 0), "head"), "0");
    assert_string_equal(setting(viz_split_side(split, 1), "head"), "2"); /* the one before */
    press_key(v, VIZ_KEY_RIGHT, false);
    assert_string_equal(setting(viz_split_side(split, 0), "head"), "1");
    assert_string_equal(setting(viz_split_side(split, 1), "head"), "2");
    viz_map one = {0}, two = {0};
    assert_true(split->class->map(viz_split_side(split, 0), &one));
    assert_true(split->class->map(viz_split_side(split, 1), &two));
    float least = 0, most = 0;
    for (int i = 0; i < one.rows * one.columns; i++) {
        least = fminf(least, one.values[i] - two.values[i]);
        most = fmaxf(most, one.values[i] - two.values[i]);
    }
    char number[32], text[64];
    float largest = most > -least ? most : least;
    snprintf(text, sizeof text, "%s%s", largest < 0 ? "−" : "+",
             viz_number(fabsf(largest), number, sizeof number));
    point(v, VIZ_LEAVE, 0, 0);
    assert_int_equal(count_drawn(v, text), 1); /* where they differ most */
    viz_map_free(&one);
    viz_map_free(&two);
    one_close(v);
}

/* ---------------------------------------------------------------- two sources */

static fake_matrix *pictured(size_t layers, int w, int h, int grid_w, int grid_h, int prefix)
{
    size_t cells = (size_t)(grid_w * grid_h + prefix);
    fake_matrix *fake = fake_create(layers, 1, 2, cells, cells);
    fake_see(fake, w, h, grid_w, grid_h, prefix);
    return fake;
}

TEST(a_query_is_followed_to_its_place_in_the_other_picture)
{
    fake_matrix *first = pictured(3, 60, 40, 6, 4, 1), *second = pictured(2, 50, 50, 3, 3, 2);
    viz_view *view, *split;
    fake_stand_beside(first, second);
    const viz_view_class *class = viz_views_find("heads");
    OK(class->create(&first->source, NULL, &view, NULL));
    OK(viz_split_create(view, &split, NULL));
    assert_true(viz_split_add(split)); /* of the one beside it */
    const viz_view *other = viz_split_side(split, 1);
    assert_ptr_equal(other->source, first->source.beside);
    viz_split_focus(split, 0);
    viz_view_restore(split, "query", "24,24"); /* the last cell, behind one token */
    assert_string_equal(setting(other, "query"), "10,10");
    viz_view_restore(split, "layer", "1");
    assert_string_equal(setting(other, "layer"), "1");
    viz_view_restore(split, "layer", "2"); /* which the other does not have */
    assert_string_equal(setting(other, "layer"), "1");
    viz_view_destroy(split);
    fake_free(first);
}

static viz_panel *panel_of(const viz_view *split, int side)
{
    return &((viz_weights_view *)viz_split_side(split, side))->panel;
}

static void settle_split(viz_view *split, viz_canvas *canvas)
{
    for (bool any = true; any;) {
        split->class->draw(split, canvas, (viz_rect){0, 44, 1280, 756});
        OK(viz_view_compute(split, NULL, &any, &failure));
    }
}

/* Two files of weights: the same head, the same place and the same cell on both sides. */
TEST(two_sources_of_weights_are_zoomed_panned_and_pointed_at_together)
{
    fake_matrix *first = fake_create(2, 1, 3, 40, 40), *second = fake_create(2, 1, 3, 40, 40);
    viz_view *view, *split;
    viz_canvas canvas;
    fake_stand_beside(first, second);
    const viz_view_class *class = viz_views_find("matrix");
    OK(viz_canvas_create(1280, 800, 1, &viz_theme_dark, &canvas, NULL));
    OK(class->create(&first->source, NULL, &view, NULL));
    OK(viz_split_create(view, &split, NULL));
    assert_true(viz_split_add(split));
    viz_split_focus(split, 0);
    settle_split(split, &canvas);
    viz_rect cells = panel_of(split, 0)->layout.cells;
    float x = cells.x + 0.3f * cells.w, y = cells.y + 0.7f * cells.h;
    viz_event events[] = {{.kind = VIZ_WHEEL, .x = x, .y = y, .wheel_y = 5},
                          {.kind = VIZ_PRESS, .x = x, .y = y, .button = 1},
                          {.kind = VIZ_MOVE, .x = x - 60, .y = y + 45, .button = 1},
                          {.kind = VIZ_RELEASE, .x = x - 60, .y = y + 45, .button = 1},
                          {.kind = VIZ_KEY, .key = VIZ_KEY_RIGHT},
                          {.kind = VIZ_MOVE, .x = x + 33, .y = y - 21}};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        split->class->event(split, &events[i]);
        settle_split(split, &canvas);
    }
    const viz_panel *a = panel_of(split, 0), *b = panel_of(split, 1);
    assert_true(a->zoomed && a->x > 0 && b->zoomed);
    assert_true(fabs(a->x - b->x) < 1e-3 && fabs(a->y - b->y) < 1e-3);
    assert_true(fabsf(a->cell_w - b->cell_w) < 1e-3f);
    assert_true(a->model->head == 1 && b->model->head == 1);
    assert_int_equal(a->model->row, b->model->row);
    assert_int_equal(a->model->column, b->model->column);
    assert_true(a->weights_row == b->weights_row && a->weights && b->weights);
    viz_view_destroy(split);
    viz_canvas_free(&canvas);
    fake_free(first);
}

/* Work that may wait comes after all that any side wants. */
TEST(the_rest_of_one_side_keeps_no_other_side_waiting)
{
    enum { SIDE = 5003 };
    sac_source first = fake_map_source(1, SIDE, SIDE, NULL),
               second = fake_map_source(1, SIDE, SIDE, NULL);
    viz_view *view, *split;
    viz_canvas canvas;
    first.beside = &second;
    const viz_view_class *class = viz_views_find("matrix");
    OK(viz_canvas_create(1280, 800, 1, &viz_theme_dark, &canvas, NULL));
    OK(class->create(&first, NULL, &view, NULL));
    OK(viz_split_create(view, &split, NULL));
    assert_true(viz_split_add(split));
    viz_split_focus(split, 0);
    split->class->tick(split, 0); /* a window */
    settle_split(split, &canvas);
    for (int i = 0; i < 2; i++) {
        viz_panel_progress p = viz_panel_get_progress(panel_of(split, i));
        const viz_head_entry *entry = viz_weights_model_entry(panel_of(split, i)->model, 0, 0);
        assert_true(p.done == p.blocks && entry->scan.stats.row_step == 2);
    }
    for (viz_job *job; (job = split->class->create_idle_job(split));) {
        OK(split->class->run_job(split, job, &failure));
        split->class->finish_job(split, job, NULL);
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(
            viz_weights_model_entry(panel_of(split, i)->model, 0, 0)->scan.stats.row_step, 1);
    viz_view_destroy(split);
    viz_canvas_free(&canvas);
}

/* ---------------------------------------------------------------- models */

TEST(the_next_model_stands_beside_the_one_that_is_shown)
{
    one_view *v = one_open(viz_views_find("translation"), 1280, 800);
    assert_true(press_key(v, 'c', false));
    viz_view *split = split_of(v), *a = viz_split_side(split, 0), *b = viz_split_side(split, 1);
    assert_int_equal(viz_split_count(split), 2);
    assert_string_not_equal(setting(a, "model"), setting(b, "model"));
    press_key(v, 'e', false); /* of both */
    assert_string_equal(setting(a, "temperature"), setting(b, "temperature"));
    assert_string_not_equal(setting(a, "temperature"), "1");
    one_close(v);
}

/* As a person asks on the command line, and as in pictures of earlier versions. */
TEST(a_second_model_is_asked_for_by_its_name)
{
    one_view *v = one_open(viz_views_find("translation"), 1280, 800);
    const sac_source *source = v->source;
    viz_shell_restore(&v->shell, 0, "compared with",
                      source->result.model[source->result.models - 1]);
    one_draw(v);
    assert_string_equal(setting(split_of(v), "second model"),
                        source->result.model[source->result.models - 1]);
    one_close(v);
}

/* ---------------------------------------------------------------- jobs */

TEST(a_job_of_a_side_that_went_comes_back_to_it)
{
    one_view *v = one_open(viz_views_find("matrix"), 1280, 800);
    assert_true(viz_shell_split(&v->shell));
    viz_shell_draw(&v->shell, &v->canvas);
    viz_view *split = split_of(v);
    viz_job *job = split->class->create_job(split);
    assert_non_null(job);
    assert_null(split->class->create_job(split));
    assert_true(viz_split_close(split));
    OK(split->class->run_job(split, job, NULL));
    split->class->finish_job(split, job, NULL);
    one_draw(v);
    one_close(v);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
