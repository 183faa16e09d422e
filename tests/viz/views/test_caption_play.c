/* viz/view: when the caption view's words come, and how the heat moves between them. */
#include "caption_common.h"
#include "test.h"

/* ---------------------------------------------------------------- a window plays */

IN_SCENE(words_come_one_by_one_and_the_last_one_rests)
{
    pass(s, 0.1);
    assert_int_equal(s->v->g.player.step, 0);
    assert_true(s->v->g.player.playing);
    for (int word = 1; word < 14; word++) { /* 0.8 s each; looked at in the middle of each */
        pass(s, 0.8 * word + 0.4 - s->now);
        assert_int_equal(s->v->g.player.step, word);
    }
    pass(s, 3);
    assert_int_equal(s->v->g.player.step, 13);
    assert_false(s->v->g.player.playing);
    assert_false(s->view->class->tick(s->view, s->now + 1)); /* at rest nothing moves */
}

/* Smoothstep over 0.3 s: after 0.15 s half of the way, after 0.1 s 7/27 of it. */
IN_SCENE(heat_and_gaze_travel_from_word_to_word)
{
    pass(s, 1.4); /* at rest on the second word */
    const sac_caption *caption = &s->v->g.caption;
    const viz_glide *g = &s->v->glide;
    press_key(s, ' ');
    viz_generation_go(&s->v->g, 7);
    float from, to, y;
    viz_heaviest(caption->weights + 196, 14, 14, &from, &y);
    viz_heaviest(caption->weights + 7 * 196, 14, 14, &to, &y);
    assert_true(s->view->class->tick(s->view, s->now + 0.1));
    assert_true(fabsf(g->now_x - from - (to - from) * 7 / 27) < 1e-3f);
    assert_true(s->view->class->tick(s->view, s->now + 0.15));
    assert_true(fabsf(g->now_x - (from + to) / 2) < 1e-3f);
    assert_false(s->view->class->tick(s->view, s->now + 0.31));
    assert_memory_equal(g->now, caption->weights + 7 * 196, 196 * sizeof(float));
}

/* Half way between two far words the heat is between them, where neither map has any: it moves, it
 * does not fade out here and in there. */
IN_SCENE(the_heat_is_between_the_words_half_way)
{
    pass(s, 0.1);
    press_key(s, ' ');
    viz_generation_go(&s->v->g, 3); /* "circle", in cell (3, 4) */
    pass(s, 1);
    viz_generation_go(&s->v->g, 8); /* "square", in cell (9, 8) */
    s->view->class->tick(s->view, s->now + 0.15);
    const float *now = s->v->glide.now, *circle = s->v->g.caption.weights + 3 * 196;
    const float *square = s->v->g.caption.weights + 8 * 196;
    int middle = 6 * FAKE_GRID + 6;
    assert_true(now[middle] > 5 * (circle[middle] + square[middle]));
    float sum = 0;
    for (int i = 0; i < 196; i++)
        sum += now[i];
    assert_true(fabsf(sum - 1) < 0.05f); /* what lies beyond the edge is repeated, not lost */
}

IN_SCENE(the_knob_moves_with_the_heat)
{
    pass(s, 0.5);
    press_key(s, ' ');
    assert_true(viz_player_progress(&s->v->g.player, s->v->g.caption.count) == 0);
    press_key(s, VIZ_KEY_END);
    assert_true(viz_player_progress(&s->v->g.player, s->v->g.caption.count) < 0.01f);
    s->view->class->tick(s->view, s->now + 0.15);
    assert_true(fabsf(viz_player_progress(&s->v->g.player, s->v->g.caption.count) - 0.5f) < 1e-3f);
    s->view->class->tick(s->view, s->now + 1);
    assert_true(viz_player_progress(&s->v->g.player, s->v->g.caption.count) == 1);
}

IN_SCENE(an_idle_window_is_woken_before_the_next_word)
{
    pass(s, 0.9); /* the second word came at 0.8 s, about */
    double came = s->v->g.player.step_since;
    assert_false(s->view->class->tick(s->view, came + 0.5)); /* nothing moves */
    assert_true(s->view->class->tick(s->view, came + 0.7));  /* but soon will */
}

/* A window that dozes looks at the time every tenth of a second, or later: the sentence takes no
 * longer for it. */
IN_SCENE(a_drowsy_clock_does_not_slow_the_words)
{
    pass(s, 0.1);
    double begun = s->v->g.player.step_since;
    for (double now = s->now; s->v->g.player.step < 13; now += 0.09) {
        s->view->class->tick(s->view, now);
        s->now = now;
        assert_true(now - begun < 12);
    }
    assert_true(fabs(s->now - begun - 13 * 0.8) < 0.1);
}

/* ---------------------------------------------------------------- the first ten seconds */

/* "a small red circle above …": the circle is covered, as two words tell of it. */
static void introduce(scene *s)
{
    s->v->numbers = false;
    pass(s, 0.1);
    assert_true(s->view->class->introduce(s->view));
    draw(s);
    assert_true(s->v->layout.buttons.count > 0);
}

IN_SCENE(a_thing_is_covered_by_itself_and_then_it_is_the_persons_turn)
{
    char text[256];
    introduce(s);
    pass(s, 5);
    assert_int_equal(s->v->hidden_count, 0);
    assert_null(caption_demo_line(s->v, text, sizeof text));
    pass(s, 2.5);
    assert_true(s->v->hidden_count > 0 && s->v->changes.any);
    pass(s, 1.5);
    int word = s->v->demo.word;
    assert_true(word >= 0 && s->v->changes.fresh[word] && s->v->g.player.step == word);
    assert_non_null(caption_demo_line(s->v, text, sizeof text));
    pass(s, 5);
    assert_int_equal(s->v->hidden_count, 0);
    assert_false(s->v->changes.any);
    assert_string_equal(caption_demo_line(s->v, text, sizeof text), "Your turn: cover something.");
    assert_true(s->v->g.player.speed == 1);
    draw(s);
    click(s, cell(s, 3, 3), 1);
    assert_true(s->v->hidden_count > 0);
    assert_int_equal(s->v->demo.state, DEMO_OFF);
}

IN_SCENE(any_key_ends_what_shows_itself_and_does_nothing_else)
{
    introduce(s);
    pass(s, 8);
    assert_true(caption_demo_runs(s->v) && s->v->hidden_count > 0);
    viz_overlay before = s->v->style.overlay;
    press_key(s, 'o');
    assert_false(caption_demo_runs(s->v));
    assert_int_equal(s->v->hidden_count, 0);
    assert_int_equal(s->v->style.overlay, before);
    press_key(s, 'o');
    assert_int_not_equal(s->v->style.overlay, before);
    pass(s, 20);
    assert_int_equal(s->v->hidden_count, 0);
}

/* Where no truth tells of a thing, the cells that a word looked at are covered. */
IN_SCENE(of_a_picture_without_truth_a_place_is_covered_that_a_word_looked_at)
{
    s->v->scene.has_truth = false;
    s->fake.source.picture.leads = true;
    introduce(s);
    int narrowest = 0;
    for (int i = 1; i < s->v->g.caption.count; i++)
        if (s->v->g.caption.words[i].entropy < s->v->g.caption.words[narrowest].entropy)
            narrowest = i;
    const sac_caption_word *word = &s->v->g.caption.words[narrowest];
    int peak = word->peak_y * FAKE_GRID + word->peak_x;
    for (int i = 0; i < 600 && s->v->hidden_count == 0; i++)
        pass(s, 1.0 / 60);
    assert_true(s->v->hidden_count > 0 && s->v->hidden[peak]);
    assert_int_equal(s->v->demo.state, DEMO_COVERS);
    for (int i = 0; i < 1200 && s->v->demo.state != DEMO_TURN; i++)
        pass(s, 1.0 / 60);
    assert_int_equal(s->v->hidden_count, 0);
}

static void wait_for_turn(scene *s)
{
    for (int i = 0; i < 1800 && s->v->demo.state != DEMO_TURN; i++)
        pass(s, 1.0 / 60);
    assert_int_equal(s->v->demo.state, DEMO_TURN);
}

IN_SCENE(pictures_that_nobody_asked_for_follow_each_other_until_somebody_is_there)
{
    s->fake.source.picture.leads = true;
    introduce(s);
    wait_for_turn(s);
    pass(s, 8);
    point(s, VIZ_MOVE, 0, 300, 200); /* somebody is there: the time begins anew */
    pass(s, 8);
    assert_int_equal(s->v->scene.picture, 0);
    pass(s, 2);
    assert_int_equal(s->v->scene.picture, 1);
    assert_int_equal(s->v->demo.state, DEMO_GENERATES); /* which shows itself in its turn */
    wait_for_turn(s);
    press_key(s, 'o');
    pass(s, 20);
    assert_int_equal(s->v->scene.picture, 1);
}

IN_SCENE(a_picture_of_another_model_is_chosen_once_and_not_shown)
{
    settle(s);
    s->fake.elsewhere = true;
    press_key(s, 'n');
    settle(s);
    assert_int_equal(s->v->scene.picture, 0);
    assert_string_equal(s->v->g.request.problem, "");
    assert_int_equal(s->view->class->choose(s->view), 1);
    assert_int_equal(s->view->class->choose(s->view), -1);
}

/* Over a slow link a map is drawn at once, as nothing draws the end of a glide of one step. */
IN_SCENE(where_glides_are_skipped_a_new_map_is_there_at_once)
{
    pass(s, 1.4);
    press_key(s, ' ');
    viz_glide_skip(true);
    viz_generation_go(&s->v->g, 7);
    viz_glide_skip(false);
    assert_memory_equal(s->v->glide.now, s->v->g.caption.weights + 7 * 196, 196 * sizeof(float));
}

IN_SCENE(what_has_no_truth_or_is_changed_already_does_not_show_itself)
{
    s->v->numbers = false;
    settle(s);
    s->v->scene.has_truth = false;
    assert_false(s->view->class->introduce(s->view));
    s->v->scene.has_truth = true;
    s->v->hidden_count = 1;
    assert_false(s->view->class->introduce(s->view));
}

/* ---------------------------------------------------------------- without a window */

IN_SCENE(a_still_shows_all_that_was_said)
{
    settle(s);
    assert_int_equal(s->v->g.player.step, 13);
    assert_false(s->v->g.player.playing);
    assert_memory_equal(s->v->glide.now, s->v->g.caption.weights + 13 * 196, 196 * sizeof(float));
    pass(s, 0.1); /* a window that opens on it speaks from the start */
    assert_int_equal(s->v->g.player.step, 0);
    assert_true(s->v->g.player.playing);
}

/* ---------------------------------------------------------------- frames */

/* Any frame, in any order, is the same picture. */
IN_SCENE(a_frame_depends_on_nothing_but_its_number)
{
    const int frames[] = {0, 3, 101, 142, 290, 317};
    size_t bytes = 4 * (size_t)s->canvas.width * (size_t)s->canvas.height;
    uint8_t *first = malloc(bytes);
    settle(s);
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        s->view->class->frame(s->view, frames[i], 25);
        draw(s);
        memcpy(first, s->canvas.rgba, bytes);
        s->view->class->frame(s->view, 205, 25);
        draw(s);
        assert_memory_not_equal(first, s->canvas.rgba, bytes);
        s->view->class->frame(s->view, frames[i], 25);
        draw(s);
        assert_memory_equal(first, s->canvas.rgba, bytes);
    }
    free(first);
}

IN_SCENE(a_figure_stands_still)
{
    settle(s);
    press_key(s, 'f');
    assert_int_equal(s->view->class->frames(s->view, 25), 1);
    assert_true(viz_view_is_figure(s->view));
    pass(s, 5);
    press_key(s, 'f');
    assert_int_equal(s->v->g.player.step, 0);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
