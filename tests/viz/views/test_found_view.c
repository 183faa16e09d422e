/* The found view: a box is chosen, and its map is what its query looked at. */

#include "every_view.h"
#include "found/found_state.h"
#include "scaled_heads.h"
#include "test.h"
#include "view/map.h"
#include "view/settings.h"

static one_view *open_view(void)
{
    return one_open(&viz_found_class, 1280, 800);
}

static void send(one_view *v, viz_event event)
{
    viz_shell_event(&v->shell, &event);
    one_draw(v);
}

static void press_key(one_view *v, int key)
{
    send(v, (viz_event){.kind = VIZ_KEY, .key = key});
}

static void click(one_view *v, float x, float y)
{
    send(v, (viz_event){.kind = VIZ_PRESS, .button = 1, .x = x, .y = y});
    send(v, (viz_event){.kind = VIZ_RELEASE, .button = 1, .x = x, .y = y});
}

/* All weight lies on that cell. */
static void assert_looks_at(one_view *v, int cell)
{
    viz_map map = {0};
    assert_true(viz_found_class.map(one_of(v), &map));
    for (int i = 0; i < map.rows * map.columns; i++)
        assert_float_equal(map.values[i], i == cell ? 1 : 0, 1e-6);
    viz_map_free(&map);
}

TEST(what_passes_the_threshold_is_listed)
{
    one_view *v = open_view();
    found_view *f = found_of(one_of(v));
    assert_int_equal(f->layout.count, 6); /* 0.95 to 0.45 */
    press_key(v, ',');
    press_key(v, ',');
    assert_int_equal(f->layout.count, 5);
    press_key(v, '.');
    assert_float_equal(f->threshold, 0.45f, 1e-6);
    viz_view_restore(one_of(v), "threshold", "0.99");
    one_draw(v);
    assert_int_equal(f->layout.count, 0);
    assert_null(found_chosen(f));
    viz_rect track = f->layout.threshold.rect;
    click(v, track.x + 1, track.y + track.h - 8);
    assert_int_equal(f->layout.count, 9);
    one_close(v);
}

TEST(a_thing_is_chosen_by_key_and_by_pointer)
{
    one_view *v = open_view();
    found_view *f = found_of(one_of(v));
    viz_view_restore(one_of(v), "head", "0");
    assert_looks_at(v, 0 + 2); /* of the last layer */
    press_key(v, VIZ_KEY_DOWN);
    assert_looks_at(v, 1 + 2);
    viz_rect row = f->layout.rows[4];
    click(v, row.x + 5, row.y + 5);
    assert_looks_at(v, 4 + 2);
    viz_rect box = found_box(f, &f->found.things[2]);
    click(v, box.x + 2, box.y + 2); /* the first ones reach there, too; of several the smallest */
    assert_int_equal(f->thing, 2);
    press_key(v, VIZ_KEY_END);
    assert_int_equal(f->thing, 5);
    viz_view_restore(one_of(v), "threshold", "0.7");
    assert_int_equal(f->thing, 2);
    one_close(v);
}

TEST(a_layer_and_a_head_are_chosen_or_the_mean_of_all)
{
    one_view *v = open_view();
    found_view *f = found_of(one_of(v));
    assert_int_equal(f->layer, 2);
    assert_int_equal(f->head, FOUND_MEAN);
    press_key(v, 'r');
    press_key(v, 'r');
    assert_looks_at(v, 0 + 2 + 1);
    press_key(v, VIZ_KEY_LEFT);
    assert_looks_at(v, 0 + 1 + 1);
    viz_rect first = f->layout.layers.items[0];
    click(v, first.x + 2, first.y + 8);
    assert_looks_at(v, 0 + 0 + 1);
    press_key(v, VIZ_KEY_LEFT);
    assert_int_equal(f->layer, FOUND_MEAN);
    viz_map map = {0};
    assert_true(viz_found_class.map(one_of(v), &map));
    assert_float_equal(map.values[2], 1 / 3.0, 1e-6);
    viz_map_free(&map);
    viz_view_restore(one_of(v), "layer", "77");
    assert_int_equal(f->layer, 2);
    one_close(v);
}

TEST(a_long_list_has_the_chosen_one_in_sight)
{
    one_view *v = one_open(&viz_found_class, 640, 400);
    found_view *f = found_of(one_of(v));
    viz_view_restore(one_of(v), "threshold", "0");
    viz_view_restore(one_of(v), "thing", "8");
    one_draw(v);
    assert_true(f->layout.count < 9);
    assert_int_equal(f->layout.first + f->layout.count, 9);
    assert_true(f->layout.more.w > 0);
    one_close(v);
}

TEST(things_are_found_with_heads_scaled_as_the_view_shows)
{
    one_view *v = open_view();
    check_scaled_heads(v, &v->found.source.weights, &found_of(one_of(v))->scales);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
