/* The likeness view: phrases are typed, one is drawn, and the numbers are those of the model. */

#include "every_view.h"
#include "likeness/likeness_state.h"
#include "scaled_heads.h"
#include "test.h"
#include "view/map.h"
#include "view/settings.h"

static one_view *open_view(void)
{
    return one_open(&viz_likeness_class, 1280, 800);
}

static void send(one_view *v, viz_event event)
{
    viz_shell_event(&v->shell, &event);
    one_draw(v);
}

static void assert_map(one_view *v, int phrase, sac_likeness_way way)
{
    viz_map map = {0};
    assert_true(viz_likeness_class.map(one_of(v), &map));
    assert_int_equal(map.rows, FAKE_PATCHES_HIGH);
    for (int i = 0; i < map.rows * map.columns; i++)
        assert_float_equal(map.values[i],
                           fake_cosine(phrase, i % map.columns, i / map.columns, way), 1e-6);
    viz_map_free(&map);
}

TEST(a_phrase_is_chosen_by_key_and_by_pointer)
{
    one_view *v = open_view();
    likeness_view *l = likeness_of(one_of(v));
    assert_map(v, 0, SAC_LIKENESS_STATES);
    send(v, (viz_event){.kind = VIZ_KEY, .key = VIZ_KEY_DOWN});
    assert_map(v, 1, SAC_LIKENESS_STATES);
    viz_rect row = l->layout.rows[2];
    send(v, (viz_event){.kind = VIZ_PRESS, .button = 1, .x = row.x + 5, .y = row.y + 5});
    assert_map(v, 2, SAC_LIKENESS_STATES);
    assert_int_equal(v->likeness.asked, 1);
    send(v, (viz_event){.kind = VIZ_KEY, .key = 'g'});
    assert_map(v, 2, SAC_LIKENESS_VALUES);
    viz_rect way = l->layout.ways.items[SAC_LIKENESS_VALUE_VALUE];
    send(v, (viz_event){.kind = VIZ_PRESS, .button = 1, .x = way.x + 2, .y = way.y + 8});
    assert_map(v, 2, SAC_LIKENESS_VALUE_VALUE);
    one_close(v);
}

TEST(what_is_typed_is_compared)
{
    one_view *v = open_view();
    likeness_view *l = likeness_of(one_of(v));
    viz_view_restore(one_of(v), "phrase", "2");
    send(v, (viz_event){.kind = VIZ_KEY, .key = 'l', .ctrl = true});
    send(v, (viz_event){.kind = VIZ_KEY, .key = VIZ_KEY_TEXT, .text = "a bird"});
    assert_int_equal(l->likeness.count, 1);
    assert_string_equal(l->likeness.phrase[0], "a bird");
    assert_map(v, 0, SAC_LIKENESS_STATES);
    int asked = v->likeness.asked;
    send(v, (viz_event){.kind = VIZ_KEY, .key = 'a', .ctrl = true});
    send(v, (viz_event){.kind = VIZ_KEY, .key = VIZ_KEY_BACKSPACE});
    assert_string_equal(l->field.text, "");
    assert_string_equal(l->likeness.phrase[0], "a bird"); /* what was there stays */
    assert_int_equal(v->likeness.asked, asked);

    one_close(v);
}

TEST(the_middle_of_the_colours_is_what_the_scale_shows)
{
    one_view *v = open_view();
    likeness_view *l = likeness_of(one_of(v));
    double sum = 0;
    assert_true(likeness_fill_map(l));
    for (int i = 0; i < FAKE_PATCHES_WIDE * FAKE_PATCHES_HIGH; i++)
        sum += (double)l->map[i];
    assert_float_equal(sum, 0, 1e-5);
    viz_view_restore(one_of(v), "scale", "about 0");
    assert_true(likeness_fill_map(l));
    assert_float_equal(l->map[0], fake_cosine(0, 0, 0, SAC_LIKENESS_STATES), 1e-6);
    viz_view_restore(one_of(v), "scale", "beside others");
    assert_true(likeness_fill_map(l));
    float mean = 0;
    for (int i = 0; i < 3; i++)
        mean += fake_cosine(i, 1, 0, SAC_LIKENESS_STATES) / 3;
    assert_float_equal(l->map[1], fake_cosine(0, 1, 0, SAC_LIKENESS_STATES) - mean, 1e-6);
    one_close(v);
}

TEST(the_numbers_stand_below_a_picture_that_is_larger_so)
{
    one_view *wide = open_view(), *tall = one_open(&viz_likeness_class, 700, 900);
    const likeness_layout *l = &likeness_of(one_of(wide))->layout;
    assert_true(l->rows[0].x > l->picture.x + l->picture.w);
    l = &likeness_of(one_of(tall))->layout;
    assert_true(l->rows[0].y > l->bar.y + l->bar.h);
    assert_true(l->note.y + l->note.h < 900 && l->picture.w > 600);
    one_close(wide);
    one_close(tall);
}

TEST(phrases_are_compared_with_heads_scaled_as_in_the_view)
{
    one_view *v = open_view();
    check_scaled_heads(v, &v->likeness.source.weights, &likeness_of(one_of(v))->scales);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
