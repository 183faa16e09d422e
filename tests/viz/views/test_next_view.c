/* The view of what comes next: tokens are chosen, played and replaced, and sliders move what may be drawn. */

#include "every_view.h"
#include "next/next_state.h"
#include "status.h"
#include "test.h"
#include "view/settings.h"

static one_view *open_view(int width, int height)
{
    return one_open(&viz_next_class, width, height);
}

static void send(one_view *v, viz_event event)
{
    viz_shell_event(&v->shell, &event);
    one_draw(v);
}

static void press(one_view *v, viz_rect r)
{
    send(v, (viz_event){.kind = VIZ_PRESS, .button = 1, .x = r.x + r.w / 2, .y = r.y + r.h / 2});
    send(v, (viz_event){.kind = VIZ_RELEASE, .button = 1, .x = r.x, .y = r.y});
}

static void keep_generation(void *user, const char *key, const char *value)
{
    if (strcmp(key, "generated") == 0)
        snprintf(user, 256, "%s", value);
}

TEST(tokens_are_generated_and_each_is_chosen_by_key_word_and_row)
{
    one_view *v = open_view(1280, 800);
    next_view *n = next_of(one_of(v));
    assert_int_equal(n->generation.generated, SAC_GENERATION_TOKENS);
    assert_int_equal(n->candidates_of, 0);
    assert_string_equal(n->candidate[0].text, " w100");
    send(v, (viz_event){.kind = VIZ_KEY, .key = 'j'});
    assert_int_equal(n->candidates_of, 1);
    press(v, n->layout.word[4]);
    assert_int_equal(n->candidates_of, 4);
    assert_string_equal(n->candidate[0].text, " w104");
    viz_rect row = n->layout.cells;
    row.y += 7 * n->layout.cell_h;
    row.h = n->layout.cell_h;
    press(v, row);
    assert_int_equal(next_step(n), 7);
    send(v, (viz_event){.kind = VIZ_KEY, .key = VIZ_KEY_END});
    assert_int_equal(next_step(n), SAC_GENERATION_TOKENS - 1);
    assert_int_equal(v->outputs.asked, 1);
    /* Played from the first again. */
    send(v, (viz_event){.kind = VIZ_KEY, .key = ' '});
    viz_next_class.tick(one_of(v), 10);
    viz_next_class.tick(one_of(v), 11);
    one_draw(v);
    assert_int_equal(next_step(n), 1);
    one_close(v);
}

TEST(a_candidate_that_is_clicked_is_generated_and_undone)
{
    one_view *v = open_view(1280, 800);
    next_view *n = next_of(one_of(v));
    char generated[256], before[256];
    viz_view_describe(one_of(v), keep_generation, before);
    press(v, n->layout.word[3]);
    press(v, n->layout.candidate[0]); /* it stands there */
    assert_int_equal(v->outputs.asked, 1);
    press(v, n->layout.candidate[2]);
    assert_int_equal(v->outputs.asked, 2);
    assert_string_equal(n->generation.tokens.text[FAKE_READ + 3], "·w202");
    assert_int_equal(next_step(n), 3);
    viz_view_describe(one_of(v), keep_generation, generated);
    assert_string_equal(generated, "0 0 0 0 12 3=202");
    /* One further ahead is kept, one before it forgets both. */
    press(v, n->layout.word[5]);
    press(v, n->layout.candidate[1]);
    viz_view_describe(one_of(v), keep_generation, generated);
    assert_string_equal(generated, "0 0 0 0 12 3=202 5=201");
    press(v, n->layout.word[1]);
    press(v, n->layout.candidate[1]);
    viz_view_describe(one_of(v), keep_generation, generated);
    assert_string_equal(generated, "0 0 0 0 12 1=201");
    viz_view_restore(one_of(v), "said", before);
    one_draw(v);
    assert_string_equal(n->generation.tokens.text[FAKE_READ + 1], "·w101");
    one_close(v);
}

TEST(sliders_move_candidates_at_once_and_what_is_generated_when_asked)
{
    one_view *v = open_view(1280, 800);
    next_view *n = next_of(one_of(v));
    int asked = v->outputs.candidates_asked;
    assert_int_equal(n->kept, 2);
    viz_rect knob = n->controls.items[0].rect;
    knob.x += 0.75f * knob.w; /* 1.5 */
    knob.w = 0;
    press(v, knob);
    assert_float_equal(n->drawn.draw.temperature, 1.5f, 1e-6);
    assert_int_equal(n->kept, 1000);
    assert_int_equal(v->outputs.candidates_asked, asked + 1);
    assert_int_equal(v->outputs.asked, 1);
    send(v, (viz_event){.kind = VIZ_KEY, .key = 'n'});
    assert_int_equal(v->outputs.asked, 2);
    assert_float_equal(v->outputs.how.draw.temperature, 1.5f, 1e-6);
    assert_int_equal(v->outputs.how.draw.seed, 1);
    /* A failure to generate is reported, and tried once. */
    v->outputs.fails = true;
    bool any;
    const viz_event again = {.kind = VIZ_KEY, .key = 'n'};
    viz_shell_event(&v->shell, &again);
    assert_int_not_equal(viz_view_compute(one_of(v), NULL, &any, &failure), SAC_OK);
    OK(viz_view_compute(one_of(v), NULL, &any, &failure));
    assert_false(any);
    assert_int_equal(v->outputs.asked, 3);
    assert_non_null(strstr(n->request.problem, "mute"));
    one_close(v);
}

static void assert_within(viz_rect r, int width, int height)
{
    if (r.w > 0)
        assert_true(r.x >= 0 && r.y >= 0 && r.x + r.w <= (float)width + 0.5f &&
                    r.y + r.h <= (float)height + 0.5f);
}

TEST(all_has_room_in_any_window)
{
    static const int sizes[][2] = {{640, 400}, {800, 600}, {1280, 800}, {1920, 1080}, {600, 900}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        one_view *v = open_view(sizes[i][0], sizes[i][1]);
        const next_layout *l = &next_of(one_of(v))->layout;
        assert_within(l->cells, sizes[i][0], sizes[i][1]);
        assert_within(l->bar, sizes[i][0], sizes[i][1]);
        assert_true(l->lines >= 4);
        assert_true(l->cells.h >= 60 && l->cells.w >= 150);
        const viz_controls *knobs = &next_of(one_of(v))->controls;
        assert_int_equal(knobs->count, 3);
        for (int k = 0; k < knobs->count; k++) {
            assert_within(knobs->items[k].rect, sizes[i][0], sizes[i][1]);
            assert_true(knobs->items[k].rect.y >= l->candidate[l->lines - 1].y + 19);
        }
        for (int k = 0; k < NEXT_CAPS; k++)
            assert_within(l->caps.items[k], sizes[i][0], sizes[i][1]);
        one_close(v);
    }
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
