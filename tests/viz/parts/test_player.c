/* viz/parts/playback/player: when steps follow each other, and what an export sees of them. */

#include "parts/playback/glide.h"
#include "parts/playback/player.h"
#include "test.h"

static viz_player a_player(void)
{
    return (viz_player){.step_seconds = 1, .rest_seconds = 2, .speed = 1};
}

/* Time passes in frames of a 50th; returns how many steps were taken. */
static int pass(viz_player *p, int steps, double seconds)
{
    int taken = 0;
    double until = p->now + seconds;
    while (p->now < until - 1e-9) {
        viz_player_set_time(p, p->now + 0.02);
        taken += viz_player_advance(p, steps);
    }
    return taken;
}

TEST(steps_follow_each_other_and_rest_at_the_end)
{
    viz_player p = a_player();
    viz_player_set_time(&p, 100);
    viz_player_play(&p, 4, true);
    assert_int_equal(pass(&p, 4, 2.5), 2);
    assert_int_equal(p.step, 2);
    assert_int_equal(pass(&p, 4, 10), 1);
    assert_int_equal(p.step, 3);
    assert_false(p.playing);
}

TEST(a_loop_begins_again_after_its_rest)
{
    viz_player p = a_player();
    p.loops = true;
    viz_player_set_time(&p, 100);
    viz_player_play(&p, 3, true);
    assert_int_equal(pass(&p, 3, 4.9), 2); /* at the last step from second 2 on, for 1 + 2 */
    assert_int_equal(p.step, 2);
    assert_int_equal(pass(&p, 3, 0.3), 1);
    assert_int_equal(p.step, 0);
    assert_true(p.playing);
}

/* As a stop of a lecture: also where it loops, as it was at rest there. */
TEST(what_was_saved_at_a_step_plays_up_to_it)
{
    viz_player p = a_player();
    p.loops = true;
    viz_player_set_time(&p, 100);
    viz_player_go(&p, 5, 2);
    viz_player_arrive(&p);
    assert_int_equal(p.step, 0);
    assert_true(p.playing);
    assert_int_equal(pass(&p, 5, 10), 2);
    assert_int_equal(p.step, 2);
    assert_false(p.playing);
    viz_player_play(&p, 5, true); /* a person plays on */
    assert_int_equal(pass(&p, 5, 2.5), 2);
    assert_int_equal(p.step, 4);
}

TEST(what_was_saved_while_it_played_plays_to_the_end)
{
    viz_player p = a_player();
    viz_player_set_time(&p, 100);
    viz_player_go(&p, 5, 2);
    viz_player_play(&p, 5, true);
    viz_player_arrive(&p);
    assert_int_equal(pass(&p, 5, 10), 4);
    assert_int_equal(p.step, 4);
    viz_player_go(&p, 5, 0);
    viz_player_arrive(&p); /* at the first step there is nothing to play */
    assert_false(p.playing);
}

TEST(playing_from_the_last_step_begins_at_the_first)
{
    viz_player p = a_player();
    viz_player_set_time(&p, 100);
    viz_player_go(&p, 4, 99);
    assert_int_equal(p.step, 3);
    assert_true(viz_player_play(&p, 4, true));
    assert_int_equal(p.step, 0);
}

TEST(speed_shortens_steps_and_what_glides_between_them)
{
    viz_player p = a_player();
    viz_player_set_time(&p, 100);
    assert_true(viz_player_glide_seconds(&p) == VIZ_GLIDE_SECONDS);
    p.speed = 4;
    assert_true(viz_player_glide_seconds(&p) < 0.25);
    viz_player_play(&p, 9, true);
    assert_int_equal(pass(&p, 9, 1.1), 4);
}

TEST(the_place_moves_with_the_glide)
{
    viz_player p = a_player();
    viz_player_set_time(&p, 100);
    viz_player_go(&p, 5, 2);
    assert_true(viz_player_place(&p) == 0);
    viz_player_set_time(&p, 100 + VIZ_GLIDE_SECONDS / 2);
    assert_true(fabsf(viz_player_place(&p) - 1) < 1e-5f);
    viz_player_set_time(&p, 101);
    assert_true(viz_player_place(&p) == 2);
    assert_true(viz_player_progress(&p, 5) == 0.5f);
}

TEST(without_a_clock_what_is_chosen_is_there_at_once)
{
    viz_player p = a_player();
    viz_player_go(&p, 5, 4);
    assert_true(viz_player_place(&p) == 4);
}

TEST(frames_name_every_step_and_the_rest)
{
    viz_player p = a_player();
    int frames = viz_player_frames(&p, 3, 10), seen[3] = {0};
    assert_int_equal(frames, 50); /* 3 steps of 1 s, 2 s of rest */
    for (int i = 0; i < frames; i++) {
        viz_player_set_frame(&p, 3, i, 10);
        seen[p.step]++;
    }
    assert_int_equal(seen[0], 10);
    assert_int_equal(seen[1], 10);
    assert_int_equal(seen[2], 30);
}

TEST(frames_of_the_rest_may_be_at_another_step)
{
    viz_player p = a_player();
    viz_player_set_frame(&p, 3, 29, 10);
    assert_false(viz_player_rest_frame_at(&p, 3, 0));
    assert_int_equal(p.step, 2);
    viz_player_set_frame(&p, 3, 30, 10);
    assert_true(viz_player_rest_frame_at(&p, 3, 0));
    assert_true(viz_player_place(&p) == 2); /* it comes from the last one */
    viz_player_set_frame(&p, 3, 49, 10);
    assert_true(viz_player_rest_frame_at(&p, 3, 0));
    assert_true(p.step == 0 && viz_player_place(&p) == 0);
}

TEST(a_window_goes_on_after_an_export_without_a_glide)
{
    viz_player p = a_player();
    viz_player_set_time(&p, 100);
    viz_player_set_frame(&p, 3, 11, 10);
    assert_true(viz_player_set_time(&p, 200));
    assert_int_equal(p.step, 1);
    assert_true(viz_player_place(&p) == 1);
    assert_false(viz_player_set_time(&p, 200.02));
}

TEST(player_press_pauses_loops_steps_and_keeps_speed_in_bounds)
{
    viz_player p = a_player();
    viz_player_set_time(&p, 100);
    viz_player_press(&p, 4, ' ', NULL, 0);
    assert_true(p.playing);
    viz_player_press(&p, 4, ' ', NULL, 0);
    assert_int_equal(pass(&p, 4, 9), 0);
    viz_player_press(&p, 4, 'y', NULL, 0);
    assert_true(p.loops);
    for (int i = 0; i < 20; i++)
        viz_player_press(&p, 4, '+', NULL, 0);
    assert_true(p.speed == 4);
    for (int i = 0; i < 30; i++)
        viz_player_press(&p, 4, '-', NULL, 0);
    assert_true(p.speed == 0.25f);
    assert_true(viz_player_press(&p, 4, VIZ_KEY_END, NULL, 0) && p.step == 3);
    assert_true(viz_player_press(&p, 4, VIZ_KEY_LEFT, NULL, 0) && p.step == 2);
}

TEST(no_steps_are_no_harm)
{
    viz_player p = a_player();
    viz_player_set_time(&p, 100);
    viz_player_play(&p, 0, true);
    assert_int_equal(pass(&p, 0, 5), 0);
    assert_int_equal(p.step, 0);
    assert_true(viz_player_progress(&p, 0) == 0);
}

TEST_MAIN(NULL, NULL)
