/* The drawing of a lesson's step: where it stands, what it draws, and what a hand sets by it. */
#include "every_view.h"
#include "lesson/drawings/drawings.h"
#include "lesson/lesson_state.h"
#include "parts/figures/lines.h"
#include "rects.h"
#include "shell/pointer.h"
#include "status.h"
#include "test.h"
#include "view/settings.h"

static const lesson_drawing_layout *layout_of(one_view *v)
{
    return &((const lesson_view *)one_of(v))->layout.drawing;
}

static bool send(one_view *v, viz_event_kind kind, float x, float y)
{
    const viz_event event = {.kind = kind, .x = x, .y = y, .button = kind == VIZ_PRESS};
    bool changed = viz_shell_event(&v->shell, &event);
    one_draw(v);
    return changed;
}

static bool press_key(one_view *v, int key)
{
    const viz_event event = {.kind = VIZ_KEY, .key = key};
    bool changed = viz_shell_event(&v->shell, &event);
    one_draw(v);
    return changed;
}

/* Where the numbers x and y stand in a panel. */
static void find_place(one_view *v, int panel, float at_x, float at_y, float *x, float *y)
{
    const lesson_panel *p = &layout_of(v)->panels[panel];
    *x = p->frame.x + p->frame.w * (at_x - p->x.low) / (p->x.high - p->x.low);
    *y = p->frame.y + p->frame.h * (1 - (at_y - p->y.low) / (p->y.high - p->y.low));
}

static bool has_color(one_view *v, float x, float y, viz_color color)
{
    const uint8_t *p = viz_pixel_at(&v->canvas, (int)x, (int)y);
    return abs(p[0] - color.r) + abs(p[1] - color.g) + abs(p[2] - color.b) < 24;
}

TEST(marks_stand_where_their_numbers_are)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    viz_color blue = lesson_ink(&viz_theme_dark, SAC_INK_BLUE),
              last = viz_head_color(&viz_theme_dark, 2, 3);
    float x, y;
    for (int row = 1; row < 3; row++) { /* the first one's end is under its handle */
        find_place(v, 0, 0.5f * fake_query[2 * row], 0.5f * fake_query[2 * row + 1], &x, &y);
        assert_true(has_color(v, x, y, blue));
    }
    find_place(v, 1, 2, fake_scores[8], &x, &y); /* the end of the third row's curve */
    assert_true(has_color(v, x, y, last));
    one_close(v);
}

TEST(a_handle_is_dragged_and_sets_what_it_is_for)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    float x, y, to_x, to_y;
    find_place(v, 0, 1, 0, &x, &y);
    find_place(v, 0, 1.5f, 0.5f, &to_x, &to_y);
    assert_true(send(v, VIZ_PRESS, x, y));
    assert_true(send(v, VIZ_MOVE, to_x, to_y));
    assert_true(send(v, VIZ_RELEASE, to_x, to_y));
    float set_x, set_y;
    assert_int_equal(sscanf(v->lesson.settings, "query,0,0=%f query,0,1=%f", &set_x, &set_y), 2);
    assert_true(fabsf(set_x - 1.5f) < 0.03f && fabsf(set_y - 0.5f) < 0.03f);
    char before[sizeof v->lesson.settings];
    memcpy(before, v->lesson.settings, sizeof before);
    send(v, VIZ_MOVE, x, y); /* let go */
    assert_string_equal(v->lesson.settings, before);
    one_close(v);
}

/* One over its place, within the parameter's range. */
TEST(a_handle_sets_the_inverse_of_its_place)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    float x, y, to_x;
    const lesson_panel *p = &layout_of(v)->panels[1];
    find_place(v, 1, 1, p->y.low, &x, &y);
    find_place(v, 1, 4, p->y.low, &to_x, &y);
    send(v, VIZ_PRESS, x, y - 1);
    send(v, VIZ_MOVE, to_x, y - 1);
    send(v, VIZ_RELEASE, to_x, y - 1);
    float set;
    assert_int_equal(sscanf(v->lesson.settings, "temperature=%f", &set), 1);
    assert_true(fabsf(set - 0.25f) < 0.01f);
    one_close(v);
}

/* Tab reaches it, arrows move it, and it keeps the focus where it goes. */
TEST(a_handle_is_moved_by_keys)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    const char *tip = "";
    for (int i = 0; i < 60 && strcmp(tip, "Drag q."); i++) {
        press_key(v, VIZ_KEY_TAB);
        tip = viz_pointer_tip(&v->shell) ? viz_pointer_tip(&v->shell) : "";
    }
    assert_string_equal(tip, "Drag q.");
    press_key(v, VIZ_KEY_UP);
    float set_x = 0, set_y = 0;
    assert_int_equal(sscanf(v->lesson.settings, "query,0,0=%f query,0,1=%f", &set_x, &set_y), 2);
    assert_true(fabsf(set_x - 1) < 0.03f && set_y > 0);
    assert_string_equal(viz_pointer_tip(&v->shell), "Drag q.");
    assert_true(press_key(v, VIZ_KEY_RIGHT));
    assert_int_equal(((const lesson_view *)one_of(v))->step, 0);
    one_close(v);
}

/* A curtain is drawn over the cells that the pointer meets, in a drawing of another kind. */
TEST(a_curtain_is_drawn_and_lifted)
{
    static const float mask[9];
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    lesson_view *view = lesson_of(one_of(v));
    const sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_MATRIX,
        .panel_count = 1,
        .mark_count = 1,
        .marks = {{SAC_MARK_CELLS, .y = 2, .weights = 3, .sets = {1, 2}, .by_column = true,
                   .covered = 1, .open = 5}}};
    view->lesson.drawings = &drawing;
    view->lesson.arrays[2].numbers = mask;
    viz_shell_draw(&v->shell, &v->canvas);
    viz_rect f = layout_of(v)->panels[0].frame;
    const viz_event press = {.kind = VIZ_PRESS, .x = f.x + 5, .y = f.y + 5, .button = 1};
    const viz_event move = {.kind = VIZ_MOVE, .x = f.x + f.w - 5, .y = f.y + 5};
    const viz_event release = {.kind = VIZ_RELEASE, .x = press.x, .y = press.y};
    v->class->event(&view->base, &press);
    v->class->event(&view->base, &move);
    v->class->event(&view->base, &release);
    v->class->event(&view->base, &press);
    assert_string_equal(view->wanted.settings, "query,2,0=1 query,1,0=1");
    one_close(v);
}

/* In a small window it is shown in place of the numbers, by a key and by a chip. */
TEST(a_small_window_shows_the_drawing_or_the_numbers)
{
    one_view *v = one_open(&viz_lesson_class, 640, 400);
    const lesson_view *view = (const lesson_view *)one_of(v);
    char command[256];
    assert_true(layout_of(v)->room.w <= 0 && view->layout.block_count == 2);
    viz_rect turn = layout_of(v)->turn;
    assert_true(turn.w > 0);
    assert_true(send(v, VIZ_PRESS, turn.x + turn.w / 2, turn.y + turn.h / 2));
    assert_true(layout_of(v)->room.w > 0 && view->layout.block_count == 0);
    v->class->command(one_of(v), command, sizeof command);
    assert_string_equal(command, "saccade lesson fake --step 1 --show drawing");
    assert_true(press_key(v, '='));
    assert_true(layout_of(v)->room.w <= 0 && view->layout.block_count == 2);
    one_close(v);
}

static void list_rects(const lesson_view *view, rect_list *list)
{
    const lesson_layout *l = &view->layout;
    const lesson_drawing_layout *d = &l->drawing;
    list->count = 0;
    add(list, "formula", 0, (viz_rect){l->area.x, l->formula_y - l->formula, 60, l->formula});
    add(list, "chip", 0, d->turn);
    add(list, "arithmetic", 0, (viz_rect){l->area.x, l->arithmetic_y - l->arithmetic, 90, 9});
    for (int i = 0; i < l->block_count; i++)
        add(list, "array", i, l->blocks[i].rect);
    for (int i = 0; i < SAC_DRAWING_PANELS && d->room.w > 0; i++)
        add(list, "panel", i, d->panels[i].rect);
}

TEST(nothing_overlaps_at_any_size)
{
    static const int sizes[][2] = {{640, 400},  {800, 500},   {800, 1200}, {1000, 640},
                                   {1280, 800}, {1920, 1080}, {500, 1000}};
    static rect_list list;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        one_view *v = one_open(&viz_lesson_class, sizes[i][0], sizes[i][1]);
        for (int shown = 0; shown < LESSON_SHOWN_COUNT; shown++) {
            viz_view_restore(one_of(v), "shown", lesson_shown_names[shown]);
            one_draw(v);
            list_rects((const lesson_view *)one_of(v), &list);
            if (shown == LESSON_DRAWING)
                assert_true(layout_of(v)->room.w > 0);
            for (int a = 0; a < list.count; a++)
                for (int b = 0; b < a; b++)
                    if (overlap(list.items[a].rect, list.items[b].rect))
                        fail_msg("%d × %d: %s over %s", sizes[i][0], sizes[i][1],
                                 list.items[a].name, list.items[b].name);
            for (int k = 0; k < SAC_DRAWING_PANELS && layout_of(v)->room.w > 0; k++) {
                viz_rect r = layout_of(v)->panels[k].frame;
                if (layout_of(v)->panels[k].rect.w > 0 && (r.w < 60 || r.h < 20))
                    fail_msg("%d × %d, %s: a panel of %.0f × %.0f", sizes[i][0], sizes[i][1],
                             lesson_shown_names[shown], (double)r.w, (double)r.h);
            }
        }
        one_close(v);
    }
}

/* It would give away the answer. */
TEST(a_question_is_asked_without_the_drawing)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    lesson_view *view = lesson_of(one_of(v));
    view->lesson.steps = fake_steps;
    viz_view_restore(one_of(v), "quiz", "7");
    one_draw(v);
    view->step = 0;
    assert_null(lesson_drawing(view));
    one_close(v);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
