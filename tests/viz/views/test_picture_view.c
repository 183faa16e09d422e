/* viz/view: what the pointer, keys, time and results do to the picture view. */
#include "canvas/text.h"
#include "control_named.h"
#include "fake_picture.h"
#include "picture/picture_state.h"
#include "shell/shell.h"
#include "status.h"
#include "test.h"
#include "view/settings.h"

typedef struct scene {
    fake_picture fake;
    viz_view *view;
    picture_view *v; /* the same, from inside */
    viz_canvas canvas;
    double now;
} scene;

static void draw(scene *s)
{
    viz_rect area = {0, VIZ_TABS_HEIGHT, viz_width(&s->canvas),
                     viz_height(&s->canvas) - VIZ_TABS_HEIGHT};
    viz_clear(&s->canvas);
    s->view->class->draw(s->view, &s->canvas, area);
}

static int open_scene(void **state)
{
    scene *s = calloc(1, sizeof *s);
    fake_open(&s->fake, 320, 200);
    if (viz_picture_view_create(&s->fake.source, NULL, &s->view, NULL) != SAC_OK ||
        viz_canvas_create(1280, 800, 1, NULL, &s->canvas, NULL) != SAC_OK)
        return 1;
    s->v = picture_of(s->view);
    draw(s);
    *state = s;
    return 0;
}

static int close_scene(void **state)
{
    scene *s = *state;
    viz_view_destroy(s->view);
    viz_canvas_free(&s->canvas);
    fake_close(&s->fake);
    free(s);
    return 0;
}

/* Time passes in frames of a 60th, and what is wanted is computed at once. */
static void pass(scene *s, double seconds)
{
    for (double until = s->now + seconds; s->now < until - 1e-9;) {
        s->now += 1.0 / 60;
        s->view->class->tick(s->view, s->now);
        viz_view_settle(s->view, NULL);
    }
}

static bool point(scene *s, viz_event_kind kind, int button, viz_rect picture, int x, int y)
{
    viz_event event = {.kind = kind,
                       .button = button,
                       .x = picture.x + picture.w * ((float)x + 0.5f) / (float)s->v->grid_w,
                       .y = picture.y + picture.h * ((float)y + 0.5f) / (float)s->v->grid_h};
    return s->view->class->event(s->view, &event);
}

static bool move(scene *s, int x, int y)
{
    return point(s, VIZ_MOVE, 0, s->v->layout.left, x, y);
}

static bool press_key(scene *s, int key, bool shift)
{
    return s->view->class->event(s->view,
                                 &(viz_event){.kind = VIZ_KEY, .key = key, .shift = shift});
}

static void assert_query(const scene *s, int x, int y)
{
    int got_x, got_y;
    viz_picture_view_query(s->view, &got_x, &got_y);
    assert_int_equal(got_x, x);
    assert_int_equal(got_y, y);
}

/* ---------------------------------------------------------------- queries and jobs */

#define IN_SCENE(name) TEST_ON(scene, s, name, open_scene, close_scene)

IN_SCENE(it_starts_on_the_cell_that_stands_out)
{
    int x, y;
    viz_picture_view_query(s->view, &x, &y); /* the bright patch, at 3/8 of both sides */
    assert_true(abs(x - 32 * 3 / 8) <= 2 && abs(y - 20 * 3 / 8) <= 2);
}

IN_SCENE(the_cell_under_the_pointer_is_the_query)
{
    assert_true(move(s, 21, 9));
    assert_query(s, 21, 9);
    assert_false(move(s, 21, 9)); /* the same cell: nothing new */
    viz_view_settle(s->view, NULL);
    assert_int_equal(s->v->shown_x, 21);
    assert_true(s->v->glide.now[9 * 32 + 21] > 1.9f * s->v->glide.now[9 * 32 + 22]);
    move(s, 0, 0);
    assert_query(s, 0, 0);
    move(s, 31, 19);
    assert_query(s, 31, 19);
}

IN_SCENE(the_pointer_over_the_rebuilt_picture_only_reads)
{
    move(s, 5, 6);
    assert_true(point(s, VIZ_MOVE, 0, s->v->layout.right, 20, 3));
    assert_query(s, 5, 6);
    assert_true(s->v->pointed);
}

IN_SCENE(a_click_holds_the_query_and_another_lets_go)
{
    move(s, 8, 8);
    point(s, VIZ_PRESS, 1, s->v->layout.left, 8, 8);
    move(s, 20, 10);
    assert_query(s, 8, 8);
    point(s, VIZ_PRESS, 1, s->v->layout.left, 20, 10);
    move(s, 21, 10);
    assert_query(s, 21, 10);
}

IN_SCENE(arrows_move_the_query_and_stop_at_the_edge)
{
    viz_picture_view_look(s->view, 1, 1);
    press_key(s, VIZ_KEY_LEFT, false);
    press_key(s, VIZ_KEY_LEFT, false);
    press_key(s, VIZ_KEY_DOWN, false);
    assert_query(s, 0, 2);
    press_key(s, VIZ_KEY_RIGHT, false);
    press_key(s, VIZ_KEY_UP, false);
    assert_query(s, 1, 1);
}

IN_SCENE(the_pointer_asks_for_heat_only)
{
    viz_view_settle(s->view, NULL);
    assert_int_equal(s->fake.rebuild_calls, 1);
    for (int x = 2; x < 12; x++) {
        move(s, x, 3);
        viz_view_settle(s->view, NULL);
    }
    assert_int_equal(s->fake.rebuild_calls, 1);
    assert_int_equal(s->fake.heat_calls, 11);
    press_key(s, 'w', false);
    viz_view_settle(s->view, NULL);
    assert_int_equal(s->fake.rebuild_calls, 2);
}

/* While a slider is dragged, heat and rebuilt picture take turns: neither starves. */
IN_SCENE(settings_in_motion_refresh_both_pictures)
{
    const viz_view_class *class = s->view->class;
    for (int i = 0; i < 20; i++) {
        press_key(s, 'x', i % 2);
        viz_job *job = class->want(s->view);
        class->work(s->view, job, NULL);
        class->take(s->view, job, NULL);
    }
    assert_int_equal(s->fake.heat_calls, 10);
    assert_int_equal(s->fake.rebuild_calls, 10);
}

IN_SCENE(a_result_for_another_grid_is_dropped)
{
    const viz_view_class *class = s->view->class;
    viz_job *job = class->want(s->view);
    class->work(s->view, job, NULL);
    press_key(s, 'z', false); /* more cells, while the job was out */
    class->take(s->view, job, NULL);
    assert_int_equal(s->v->glide.grid_w, 0);
    viz_view_settle(s->view, NULL);
    assert_int_equal(s->v->glide.grid_w, s->v->grid_w);
    draw(s);
}

IN_SCENE(maps_that_are_the_same_for_every_query_are_noticed)
{
    viz_view_settle(s->view, NULL);
    move(s, 2, 2);
    viz_view_settle(s->view, NULL);
    assert_false(s->v->identical);
    s->fake.constant = true;
    press_key(s, 'w', false);
    viz_view_settle(s->view, NULL);
    move(s, 9, 9);
    viz_view_settle(s->view, NULL);
    assert_true(s->v->identical);
    s->fake.constant = false;
    press_key(s, 'w', false);
    assert_false(s->v->identical);
}

/* ---------------------------------------------------------------- motion */

/* Cubic ease-out over 0.3 s: after 0.1 s 1 − (2/3)³ of the way. */
IN_SCENE(heat_glides_from_one_query_to_the_next)
{
    pass(s, 1);
    int cell = 4 * 32 + 25;
    float from = s->v->glide.now[cell];
    s->v->may_wander = false;
    move(s, 25, 4);
    viz_view_settle(s->view, NULL);
    float to = s->v->glide.to[cell], first = s->v->glide.now[cell];
    assert_true(to > from && first > from && first < to); /* moves with the very next frame */
    double start = s->v->glide.start;
    assert_true(s->view->class->tick(s->view, start + 0.1));
    float way = (s->v->glide.now[cell] - from) / (to - from);
    assert_true(fabsf(way - (1 - 8.0f / 27)) < 1e-4f);
    assert_false(s->view->class->tick(s->view, start + 0.31));
    assert_true(s->v->glide.now[cell] == to);
}

IN_SCENE(a_glide_that_is_overtaken_goes_on_from_where_it_is)
{
    pass(s, 1);
    move(s, 25, 4);
    pass(s, 0.1);
    size_t bytes = sizeof(float) * 32 * 20;
    float *between = malloc(bytes);
    memcpy(between, s->v->glide.now, bytes);
    move(s, 3, 15);
    viz_view_settle(s->view, NULL);
    assert_memory_equal(s->v->glide.from, between, bytes);
    free(between);
}

IN_SCENE(the_gaze_wanders_once_the_pointer_has_left)
{
    pass(s, 0.1);
    move(s, 4, 4);
    pass(s, 30); /* somebody points at it and talks */
    assert_query(s, 4, 4);
    assert_false(s->v->wanders);
    point(s, VIZ_LEAVE, 0, s->v->layout.left, 0, 0);
    pass(s, 1.8);
    assert_query(s, 4, 4);
    pass(s, 1);
    assert_true(s->v->wanders);
    int x, y;
    viz_picture_view_query(s->view, &x, &y);
    assert_false(x == 4 && y == 4);
    assert_true(s->v->gaze.path_count >= 1);
    move(s, 10, 10); /* the person takes over */
    assert_false(s->v->wanders);
    assert_query(s, 10, 10);
}

IN_SCENE(space_starts_and_stops_the_wandering)
{
    pass(s, 0.1);
    move(s, 4, 4);
    press_key(s, ' ', false);
    assert_true(s->v->wanders);
    pass(s, 0.2);
    press_key(s, ' ', false);
    int x, y;
    viz_picture_view_query(s->view, &x, &y);
    pass(s, 10);
    assert_query(s, x, y); /* stopped means stopped */
}

IN_SCENE(the_speed_sets_how_often_the_gaze_jumps)
{
    pass(s, 0.1);
    press_key(s, ' ', false);
    int before = s->fake.heat_calls;
    pass(s, 6);
    int slow = s->fake.heat_calls - before;
    for (int i = 0; i < 20; i++)
        press_key(s, '+', false);
    before = s->fake.heat_calls;
    pass(s, 6);
    int fast = s->fake.heat_calls - before;
    assert_in_range(slow, 4, 6);   /* 6 s / 1.2 s */
    assert_in_range(fast, 16, 21); /* four times as fast is the most */
}

/* ---------------------------------------------------------------- the gaze itself */

IN_SCENE(the_gaze_jumps_to_the_cell_seen_least)
{
    viz_gaze gaze = {0};
    assert_true(viz_gaze_resize(&gaze, &s->fake.image, 10, 6));
    float weights[60];
    for (int i = 0; i < 60; i++)
        weights[i] = i == 47 ? 0.02f : 0.1f;
    viz_gaze_fixate(&gaze, 1, 1, weights);
    int x, y;
    assert_true(viz_gaze_next(&gaze, NULL, &x, &y));
    assert_int_equal(y * 10 + x, 47);
    uint8_t hidden[60] = {0};
    hidden[47] = 1;
    gaze.seen[33] = 0.05f;
    assert_true(viz_gaze_next(&gaze, hidden, &x, &y));
    assert_int_equal(y * 10 + x, 33);
    memset(hidden, 1, 60);
    assert_false(viz_gaze_next(&gaze, hidden, &x, &y));
    viz_gaze_free(&gaze);
}

IN_SCENE(a_wandering_gaze_comes_everywhere)
{
    viz_gaze gaze = {0};
    assert_true(viz_gaze_resize(&gaze, &s->fake.image, 8, 5));
    int visits[40] = {0}, x = 0, y = 0;
    for (int i = 0; i < 200; i++) {
        float weights[40];
        for (int k = 0; k < 40; k++)
            weights[k] = k == y * 8 + x ? 0.5f : 0.5f / 39;
        visits[y * 8 + x]++;
        viz_gaze_fixate(&gaze, x, y, weights);
        assert_true(viz_gaze_next(&gaze, NULL, &x, &y));
    }
    for (int i = 0; i < 40; i++)
        assert_in_range(visits[i], 3, 8); /* 200 visits over 40 cells: 5 each */
    assert_int_equal(gaze.path_count, GAZE_PATH);
    viz_gaze_free(&gaze);
}

/* ---------------------------------------------------------------- hiding */

IN_SCENE(painting_hides_cells_and_painting_again_shows_them)
{
    point(s, VIZ_PRESS, 3, s->v->layout.left, 5, 5);
    point(s, VIZ_MOVE, 3, s->v->layout.left, 9, 7); /* fast: cells between are painted too */
    point(s, VIZ_RELEASE, 3, s->v->layout.left, 9, 7);
    assert_int_equal(s->v->hidden_count, 5);
    assert_true(s->v->hidden[5 * 32 + 5] && s->v->hidden[6 * 32 + 7] && s->v->hidden[7 * 32 + 9]);
    move(s, 2, 2); /* released: no more paint */
    assert_int_equal(s->v->hidden_count, 5);
    viz_view_settle(s->view, NULL);
    assert_true(s->v->glide.to[6 * 32 + 7] == 0);
    point(s, VIZ_PRESS, 3, s->v->layout.left, 5, 5);
    point(s, VIZ_RELEASE, 3, s->v->layout.left, 5, 5);
    assert_int_equal(s->v->hidden_count, 4);
    press_key(s, 'u', false);
    assert_int_equal(s->v->hidden_count, 0);
}

IN_SCENE(in_hiding_mode_the_left_button_paints)
{
    press_key(s, 'h', false);
    point(s, VIZ_PRESS, 1, s->v->layout.left, 30, 18);
    point(s, VIZ_MOVE, 1, s->v->layout.left, 200, 180); /* leaves the picture */
    point(s, VIZ_RELEASE, 1, s->v->layout.left, 200, 180);
    assert_true(s->v->hidden[18 * 32 + 30] && s->v->hidden[19 * 32 + 31]);
    assert_false(s->v->held);
}

IN_SCENE(all_cells_hidden_is_drawn_without_harm)
{
    memset(s->v->hidden, 1, 32 * 20);
    s->v->hidden_count = 32 * 20;
    picture_changed(s->v);
    viz_view_settle(s->view, NULL);
    for (int overlay = 0; overlay < VIZ_OVERLAY_COUNT; overlay++)
        for (int scale = 0; scale < VIZ_SCALE_COUNT; scale++) {
            viz_view_restore(s->view, "overlay", viz_overlay_names[overlay]);
            viz_view_restore(s->view, "scale", viz_scale_names[scale]);
            draw(s);
        }
    press_key(s, ' ', false);
    pass(s, 3); /* nowhere to go */
}

IN_SCENE(another_grid_keeps_query_and_hidden_cells_in_their_place)
{
    move(s, 16, 10);
    point(s, VIZ_PRESS, 3, s->v->layout.left, 0, 0);
    point(s, VIZ_RELEASE, 3, s->v->layout.left, 0, 0);
    viz_view_restore(s->view, "cells", "64");
    assert_int_equal(s->v->grid_w, 64);
    assert_int_equal(s->v->grid_h, 40);
    int x, y;
    viz_picture_view_query(s->view, &x, &y);
    assert_true(x == 33 && y == 21); /* the middle of the cell that was (16, 10) */
    assert_int_equal(s->v->hidden_count, 4);
    assert_true(s->v->hidden[0] && s->v->hidden[1] && s->v->hidden[64] && s->v->hidden[65]);
}

/* ---------------------------------------------------------------- controls */

IN_SCENE(a_slider_is_dragged)
{
    viz_rect r = control_named(&s->v->layout.controls, "temperature")->rect;
    viz_event event = {.kind = VIZ_PRESS, .button = 1, .x = r.x + r.w, .y = r.y + 26};
    s->view->class->event(s->view, &event);
    assert_true(fabsf(s->v->settings.temperature - 10) < 1e-3f);
    event.kind = VIZ_MOVE;
    event.x = r.x - 300; /* beyond the end, off the track */
    event.y = 3;
    s->view->class->event(s->view, &event);
    assert_true(fabsf(s->v->settings.temperature - 0.1f) < 1e-4f);
    event.kind = VIZ_RELEASE;
    s->view->class->event(s->view, &event);
    event = (viz_event){.kind = VIZ_MOVE, .x = r.x + r.w, .y = r.y + 26};
    s->view->class->event(s->view, &event);
    assert_true(fabsf(s->v->settings.temperature - 0.1f) < 1e-4f);
}

IN_SCENE(a_wider_width_is_a_smaller_factor_on_the_distance)
{
    viz_view_restore(s->view, "bandwidth", "4");
    assert_true(s->v->settings.inverse_width == 0.25f);
    press_key(s, 'w', false);
    assert_true(s->v->settings.inverse_width < 0.25f);
}

IN_SCENE(each_score_of_the_table_has_a_chip)
{
    const viz_choices *scores = &control_named(&s->v->layout.controls, "score")->choices;
    assert_int_equal(scores->count, SAC_SCORE_COUNT);
    for (int i = 0; i < SAC_SCORE_COUNT; i++) {
        viz_rect r = scores->items[i];
        viz_event event = {.kind = VIZ_PRESS, .button = 1, .x = r.x + 5, .y = r.y + 5};
        s->view->class->event(s->view, &event);
        assert_string_equal(scores->names[i], picture_score(s->v)->words.label);
    }
}

IN_SCENE(scores_and_choices_are_clicked)
{
    viz_rect r = control_named(&s->v->layout.controls, "score")->choices.items[2];
    viz_event event = {.kind = VIZ_PRESS, .button = 1, .x = r.x + 5, .y = r.y + 5};
    assert_true(s->view->class->event(s->view, &event));
    assert_int_equal(s->v->settings.score, SAC_SCORE_BILINEAR);
    r = control_named(&s->v->layout.controls, "overlay")->choices.items[1];
    event.x = r.x + 2;
    event.y = r.y + 2;
    assert_true(s->view->class->event(s->view, &event));
    assert_int_equal(s->v->style.overlay, VIZ_HEAT);
}

IN_SCENE(keys_go_through_all_choices_and_back)
{
    const char *keys = "gmol";
    for (; *keys; keys++) {
        int start[] = {(int)s->v->settings.score, (int)s->v->style.map, (int)s->v->style.overlay,
                       (int)s->v->scale};
        press_key(s, *keys, false);
        int after[] = {(int)s->v->settings.score, (int)s->v->style.map, (int)s->v->style.overlay,
                       (int)s->v->scale};
        assert_memory_not_equal(start, after, sizeof start);
        press_key(s, *keys, true);
        int back[] = {(int)s->v->settings.score, (int)s->v->style.map, (int)s->v->style.overlay,
                      (int)s->v->scale};
        assert_memory_equal(start, back, sizeof start);
    }
}

IN_SCENE(only_what_is_computed_is_computed_again)
{
    viz_view_settle(s->view, NULL);
    int calls = s->fake.heat_calls + s->fake.rebuild_calls;
    const char *drawing = "molb[]";
    for (; *drawing; drawing++) {
        assert_true(press_key(s, *drawing, false));
        assert_null(s->view->class->want(s->view));
    }
    assert_int_equal(s->fake.heat_calls + s->fake.rebuild_calls, calls);
}

/* ---------------------------------------------------------------- note of origin */

typedef struct noted {
    char keys[24][16], values[24][256];
    int count;
} noted;

static void note(void *user, const char *key, const char *value)
{
    noted *n = user;
    snprintf(n->keys[n->count], 16, "%s", key);
    snprintf(n->values[n->count++], 256, "%s", value);
}

IN_SCENE(what_is_described_is_restored)
{
    noted before = {0}, after = {0};
    viz_view_restore(s->view, "cells", "48");
    viz_view_restore(s->view, "bandwidth", "0.731");
    press_key(s, 'g', true);
    press_key(s, 'l', false);
    press_key(s, 'm', false);
    press_key(s, 'o', true);
    press_key(s, 'b', false);
    press_key(s, ']', false);
    viz_picture_view_look(s->view, 40, 22);
    point(s, VIZ_PRESS, 3, s->v->layout.left, 10, 3);
    point(s, VIZ_MOVE, 3, s->v->layout.left, 14, 3);
    viz_view_describe(s->view, note, &before);
    viz_view *other;
    OK(viz_picture_view_create(&s->fake.source, NULL, &other, NULL));
    for (int i = 0; i < before.count; i++)
        viz_view_restore(other, before.keys[i], before.values[i]);
    viz_view_describe(other, note, &after);
    assert_memory_equal(&before, &after, sizeof before);
    viz_view_destroy(other);
}

IN_SCENE(nonsense_restores_nothing)
{
    noted before = {0}, after = {0};
    const char *const pairs[][2] = {{"score", "cosine"},      {"inverse width", "nan"},
                                    {"cells", "many"},        {"query", "1,"},
                                    {"query", "-1,2 of 4x4"}, {"query", "9,9 of 0x0"},
                                    {"hidden", "4x4 1-3"},    {"hidden", "999999999x2: 0-5"},
                                    {"map", "jet"},           {"scale", ""},
                                    {"overlay", "fog"},       {"colour", "blue"}};
    viz_view_describe(s->view, note, &before);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        viz_view_restore(s->view, pairs[i][0], pairs[i][1]);
    viz_view_restore(s->view, "cells", "32"); /* a mask of 999999999 cells asked for the most */
    viz_view_describe(s->view, note, &after);
    assert_memory_equal(&before, &after, sizeof before);
    viz_view_restore(s->view, "hidden", "32x20: 5 630-9999999999 -3 x");
    assert_int_equal(s->v->hidden_count, 11);
    viz_view_restore(s->view, "inverse width", "1e30");
    assert_true(s->v->settings.inverse_width == 20);
}

IN_SCENE(a_query_is_given_on_any_grid)
{
    viz_view_restore(s->view, "query", "3,4");
    assert_query(s, 3, 4);
    viz_view_restore(s->view, "query", "3,4 of 8x5");
    assert_query(s, 14, 18);
    viz_view_restore(s->view, "query", "32,0");
    assert_query(s, 14, 18);
}

static int turned_by(scene *s, int key)
{
    s->view->class->event(s->view, &(viz_event){.kind = VIZ_KEY, .key = key});
    return s->view->class->choose(s->view);
}

IN_SCENE(n_and_p_turn_to_the_pictures_beside_it_round_and_round)
{
    char text[128];
    s->fake.source.picture.count = 3;
    s->fake.source.picture.number = 1;
    assert_int_equal(s->view->class->choose(s->view), -1);
    s->v->wanted = 1;
    assert_int_equal(turned_by(s, 'n'), 2);
    assert_int_equal(s->view->class->choose(s->view), -1); /* it is asked for once */
    assert_int_equal(turned_by(s, 'n'), 0);                /* past one that did not open */
    assert_int_equal(turned_by(s, 'p'), 2);
    s->view->class->status(s->view, text, sizeof text);
    assert_string_equal(text, "fake.png  ·  2 of 3  ·  32 × 20 cells  ·  no device");
}

IN_SCENE(a_picture_by_itself_turns_to_no_other_and_scenes_have_no_last)
{
    assert_int_equal(turned_by(s, 'n'), -1);
    s->fake.source.picture.count = 1;
    s->fake.source.picture.scenes = true;
    assert_int_equal(turned_by(s, 'p'), -1);
    assert_int_equal(turned_by(s, 'n'), 1);
}

/* ---------------------------------------------------------------- the animation */

IN_SCENE(frames_tell_the_same_story_every_time)
{
    int frames = s->view->class->frames(s->view, 25), jumps = 0, x = -1, y = -1;
    static int story[2][200][2];
    assert_int_equal(frames, 200);
    viz_view_settle(s->view, NULL);
    viz_picture_view_look(s->view, 7, 7);
    for (int run = 0; run < 2; run++) {
        viz_picture_view_look(s->view, 7, 7);
        for (int i = 0; i < frames; i++) {
            s->view->class->frame(s->view, i, 25);
            viz_view_settle(s->view, NULL);
            viz_picture_view_query(s->view, &story[run][i][0], &story[run][i][1]);
        }
    }
    assert_memory_equal(story[0], story[1], sizeof story[0]);
    for (int i = 0; i < frames; i++) {
        jumps += story[0][i][0] != x || story[0][i][1] != y;
        x = story[0][i][0];
        y = story[0][i][1];
    }
    assert_int_equal(jumps, 8);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
