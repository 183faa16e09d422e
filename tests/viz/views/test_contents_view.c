/* viz/views/contents: a file that holds several attentions asks which one. */
#include "weights_common.h"

#include "contents/contents_view.h"

enum { READINGS = 30 };

typedef struct contents_test {
    sac_source source;
    viz_view *view;
    viz_canvas canvas;
} contents_test;

static int enter(void **state)
{
    contents_test *t = calloc(1, sizeof *t);
    t->source.weights.opened.readings = calloc(READINGS, sizeof *t->source.weights.opened.readings);
    t->source.weights.opened.reading_count = READINGS;
    t->source.weights.opened.reading = -1;
    for (int i = 0; i < READINGS; i++)
        snprintf(t->source.weights.opened.readings[i].meaning,
                 sizeof t->source.weights.opened.readings[i].meaning, "reading %d", i);
    if (viz_contents_class.create(&t->source, NULL, &t->view, NULL) != SAC_OK)
        return -1;
    *state = t;
    return viz_canvas_create(640, 400, 1, &viz_theme_dark, &t->canvas, NULL);
}

static int leave(void **state)
{
    contents_test *t = *state;
    viz_view_destroy(t->view);
    sac_source_destroy(&t->source);
    viz_canvas_free(&t->canvas);
    free(t);
    return 0;
}

static void draw_contents(contents_test *t)
{
    t->view->class->draw(t->view, &t->canvas, (viz_rect){0, 44, 640, 356});
}

static void press_key(contents_test *t, int key)
{
    t->view->class->event(t->view, &(viz_event){.kind = VIZ_KEY, .key = key});
}

/* The middle of the `row`-th row that is seen. */
static bool press_row(contents_test *t, int row)
{
    viz_event press = {VIZ_PRESS, .x = 300, .y = 44 + 64 + 52 * ((float)row + 0.5f), .button = 1};
    return t->view->class->event(t->view, &press);
}

#define CONTENTS_TEST(name) TEST_ON(contents_test, t, name, enter, leave)

CONTENTS_TEST(only_a_file_with_a_choice_has_the_tab)
{
    assert_true(viz_contents_class.accepts(&t->source));
    t->source.weights.opened.reading_count = 1;
    assert_false(viz_contents_class.accepts(&t->source));
    t->source.weights.opened.reading_count = READINGS;
}

CONTENTS_TEST(a_click_chooses_a_reading_once)
{
    draw_contents(t);
    assert_int_equal(t->view->class->choose(t->view), -1);
    assert_true(press_row(t, 2));
    assert_int_equal(t->view->class->choose(t->view), 2);
    assert_int_equal(t->view->class->choose(t->view), -1);
    assert_false(press_row(t, -1));
    assert_int_equal(t->view->class->choose(t->view), -1);
}

CONTENTS_TEST(keys_choose_what_is_out_of_sight_too)
{
    draw_contents(t);
    for (int i = 0; i < READINGS + 3; i++)
        press_key(t, VIZ_KEY_DOWN);
    draw_contents(t);
    press_key(t, VIZ_KEY_RETURN);
    assert_int_equal(t->view->class->choose(t->view), READINGS - 1);
    assert_true(press_row(t, 3)); /* rows moved up under the pointer */
    assert_true(t->view->class->choose(t->view) > READINGS - 6);
    for (int i = 0; i < READINGS + 3; i++)
        press_key(t, VIZ_KEY_UP);
    press_key(t, VIZ_KEY_RETURN);
    assert_int_equal(t->view->class->choose(t->view), 0);
}

int main(void)
{
    if (viz_text_open(NULL) != SAC_OK)
        return 1;
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
