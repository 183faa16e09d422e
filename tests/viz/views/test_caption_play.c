/* viz/views/sentence over a picture: when words come, how the heat moves between them, and what shows itself at first. */
#include "view_rows.h"

#include "sentence/sentence_state.h"
#include "sources/words/peak.h"

static void elsewhere(one_view *v)
{
    v->caption.elsewhere = true;
}

static const view_call view_calls[] = {{"elsewhere", elsewhere}, {0}};

#define OPEN(h)                                                                                    \
    view_hand h = view_open("caption", view_calls, NULL);                                          \
    sentence_view *v = sentence_of(one_of(h.v))

/* ---------------------------------------------------------------- a window plays */

VIEW_ROWS(
    "caption", words_come_one_by_one_and_the_last_one_rests,
    /* 0.8 s each; looked at in the middle of each */
    {"", "word=13; playing=no"}, /* a still shows all that was generated */
    {"wait 0.1", "word=0; playing=yes"}, {"wait 1.2", "word=1"}, {"wait 2", "word=2"},
    {"wait 6.8", "word=8"}, {"wait 10", "word=12"}, {"wait 10.8", "word=13"},
    {"wait 14", "word=13; playing=no; moves=no"}, {"f wait 5", "layout=figure"},
    {"f wait 5 f", "word=0"}, /* a figure does not move */
    {"call elsewhere n",
     "choose=1; choose=-1; picture=0; drawn!~cannot be read"}) /* a picture of another model */

/* Words that describe are known: "circle", which looks more narrowly, and "square". */
static sac_status generate_described(void *self, const sac_result_request *q, sac_result *c,
                                     sac_error *error)
{
    sac_status status = fake_generate(self, q, c, error);
    for (int i = 3; i < c->count && i <= 8; i += 5)
        c->outputs[i].describes = true;
    return status;
}

static void has_describing_words(one_view *v)
{
    v->source->result.generate = generate_described;
}

VIEW_ROWS("caption", the_play_rests_on_the_word_that_looked_most_narrowly,
          {"", "word=3; playing=no; drawn~again", has_describing_words}, /* a still */
          {"wait 10.8", "word=13; playing=yes", has_describing_words},
          {"wait 14", "word=3; playing=no; moves=no; drawn~again", has_describing_words},
          {"wait 14 space wait 0.1", "word=0; playing=yes; drawn!~again", has_describing_words},
          {"wait 14 left wait 0.5 space wait 0.1", "word=2; playing=yes", has_describing_words},
          {"wait 14 right wait 0.5", "word=4; drawn~again", has_describing_words},
          {"{loop=yes} wait 13.5", "word=0; playing=yes", has_describing_words})

/* Smoothstep over 0.3 s: after 0.15 s half of the way, after 0.1 s 7/27 of it. */
TEST(heat_and_gaze_travel_from_word_to_word)
{
    OPEN(h);
    view_run(&h, "wait 1.4 space"); /* at rest on the second word */
    const sac_result *caption = &v->result;
    float from, to, y;
    sentence_go(v, 7);
    sac_map_heaviest(caption->weights + 196, 14, 14, &from, &y);
    sac_map_heaviest(caption->weights + 7 * 196, 14, 14, &to, &y);
    assert_true(viz_shell_tick(&h.v->shell, h.now + 0.1));
    assert_true(fabsf(v->glide.now_x - from - (to - from) * 7 / 27) < 1e-3f);
    assert_true(viz_shell_tick(&h.v->shell, h.now + 0.15));
    assert_true(fabsf(v->glide.now_x - (from + to) / 2) < 1e-3f);
    viz_shell_tick(&h.v->shell, h.now + 0.31);
    assert_memory_equal(v->glide.now, caption->weights + 7 * 196, 196 * sizeof(float));
    view_close(&h);
}

/* Half way between two far words the heat is between them, where neither map has any: it moves, it
 * does not fade out here and in there. */
TEST(the_heat_is_between_the_words_half_way)
{
    OPEN(h);
    view_run(&h, "wait 0.1 space");
    sentence_go(v, 3); /* "circle", in cell (3, 4) */
    view_run(&h, "wait 1");
    sentence_go(v, 8); /* "square", in cell (9, 8) */
    viz_shell_tick(&h.v->shell, h.now + 0.15);
    const float *now = v->glide.now, *circle = v->result.weights + 3 * 196;
    const float *square = v->result.weights + 8 * 196;
    int middle = 6 * FAKE_GRID + 6;
    assert_true(now[middle] > 5 * (circle[middle] + square[middle]));
    float sum = 0;
    for (int i = 0; i < 196; i++)
        sum += now[i];
    assert_true(fabsf(sum - 1) < 0.05f); /* what is beyond the edge is repeated, not lost */
    view_close(&h);
}

TEST(the_knob_moves_with_the_heat)
{
    OPEN(h);
    view_run(&h, "wait 0.5 space");
    assert_true(viz_player_progress(&v->player, v->result.count) == 0);
    view_run(&h, "End");
    assert_true(viz_player_progress(&v->player, v->result.count) < 0.01f);
    viz_shell_tick(&h.v->shell, h.now + 0.15);
    assert_true(fabsf(viz_player_progress(&v->player, v->result.count) - 0.5f) < 1e-3f);
    viz_shell_tick(&h.v->shell, h.now + 1);
    assert_true(viz_player_progress(&v->player, v->result.count) == 1);
    view_close(&h);
}

TEST(an_idle_window_is_woken_before_the_next_word)
{
    OPEN(h);
    view_run(&h, "wait 0.9"); /* the second word came at 0.8 s, about */
    double came = v->player.step_since;
    assert_false(h.v->class->tick(one_of(h.v), came + 0.5)); /* nothing moves */
    assert_true(h.v->class->tick(one_of(h.v), came + 0.7));  /* but soon will */
    view_close(&h);
}

/* A window that dozes looks at the time every tenth of a second, or later: the sentence takes no
 * longer for it. */
TEST(a_drowsy_clock_does_not_slow_the_words)
{
    OPEN(h);
    view_run(&h, "wait 0.1");
    double begun = v->player.step_since, now = h.now;
    for (; v->player.step < 13; now += 0.09) {
        viz_shell_tick(&h.v->shell, now);
        assert_true(now - begun < 12);
    }
    assert_true(fabs(now - 0.09 - begun - 13 * 0.8) < 0.1);
    view_close(&h);
}

/* Over a slow link a map is drawn at once, as nothing draws the end of a glide of one step. */
TEST(where_glides_are_skipped_a_new_map_is_there_at_once)
{
    OPEN(h);
    view_run(&h, "wait 1.4 space");
    viz_glide_skip(true);
    sentence_go(v, 7);
    viz_glide_skip(false);
    assert_memory_equal(v->glide.now, v->result.weights + 7 * 196, 196 * sizeof(float));
    view_close(&h);
}

/* ---------------------------------------------------------------- the first ten seconds */

/* "a small red circle above …": the circle is covered, as two words name it. */
static void introduce(view_hand *h)
{
    view_run(h, "wait 0.1");
    assert_true(h->v->class->introduce(one_of(h->v)));
    one_lay(h->v);
}

static void wait_for(view_hand *h, int state)
{
    sentence_view *v = sentence_of(one_of(h->v));
    for (int i = 0; i < 1800 && (int)v->demo.state != state; i++)
        view_wait(h, 1.0 / 60);
    assert_int_equal(v->demo.state, state);
}

TEST(a_thing_is_covered_by_itself_and_then_it_is_the_persons_turn)
{
    char text[256];
    OPEN(h);
    introduce(&h);
    view_wait(&h, 5);
    view_claim(&h, "hidden=");
    assert_null(sentence_demo_line(v, text, sizeof text));
    view_wait(&h, 2.5);
    view_claim(&h, "hidden!=");
    view_wait(&h, 1.5);
    int word = v->demo.word;
    assert_true(word >= 0 && v->changes.fresh[word] && v->player.step == word);
    assert_non_null(sentence_demo_line(v, text, sizeof text));
    view_wait(&h, 5);
    view_claim(&h, "hidden=; speed=1; drawn~Your turn: cover something.");
    view_run(&h, "press 3,3");
    view_claim(&h, "hidden!=; drawn!~Your turn");
    view_close(&h);
}

TEST(any_key_ends_what_shows_itself_and_does_nothing_else)
{
    OPEN(h);
    introduce(&h);
    view_wait(&h, 8);
    assert_true(sentence_demo_runs(v));
    view_claim(&h, "hidden!=; overlay=light");
    view_run(&h, "o");
    assert_false(sentence_demo_runs(v));
    view_claim(&h, "hidden=; overlay=light");
    view_run(&h, "o wait 20");
    view_claim(&h, "hidden=; overlay!=light");
    view_close(&h);
}

static void has_no_truth(one_view *v)
{
    v->source->result.has_truth = false;
    v->source->picture.leads = true;
}

static void leads(one_view *v)
{
    v->source->picture.leads = true;
}

/* Where no truth names a thing, the cells that a word looked at are covered. */
TEST(of_a_picture_without_truth_a_place_is_covered_that_a_word_looked_at)
{
    view_hand h = view_open("caption", view_calls, has_no_truth);
    sentence_view *v = sentence_of(one_of(h.v));
    introduce(&h);
    int narrowest = 0;
    for (int i = 1; i < v->result.count; i++)
        if (v->result.outputs[i].entropy < v->result.outputs[narrowest].entropy)
            narrowest = i;
    const sac_result_output *word = &v->result.outputs[narrowest];
    int peak = word->peak_y * FAKE_GRID + word->peak_x;
    for (int i = 0; i < 600 && v->hidden_count == 0; i++)
        view_wait(&h, 1.0 / 60);
    assert_true(v->hidden_count > 0 && v->hidden[peak]);
    assert_int_equal(v->demo.state, DEMO_COVERS);
    wait_for(&h, DEMO_TURN);
    view_claim(&h, "hidden=");
    view_close(&h);
}

/* While no person acts: the same picture, and no other. */
TEST(an_unrequested_picture_shows_itself_again_until_the_first_action)
{
    view_hand h = view_open("caption", view_calls, leads);
    sentence_view *v = sentence_of(one_of(h.v));
    introduce(&h);
    wait_for(&h, DEMO_TURN);
    view_run(&h, "wait 15 move 7,4 wait 15"); /* somebody is there: the time begins anew */
    assert_int_equal(v->demo.state, DEMO_TURN);
    view_wait(&h, 6);
    view_claim(&h, "picture=0");
    assert_true(sentence_demo_runs(v));
    wait_for(&h, DEMO_TURN);
    view_run(&h, "o wait 40");
    assert_int_equal(v->demo.state, DEMO_OFF);
    view_claim(&h, "picture=0");
    view_close(&h);
}

/* "grey dog" for "brown cat", and not "grey". */
TEST(the_line_below_names_all_words_that_took_the_place_of_others)
{
    char text[256];
    OPEN(h);
    introduce(&h);
    wait_for(&h, DEMO_COVERS);
    view_wait(&h, 2);
    int word = v->demo.word;
    assert_true(word >= 0 && word + 1 < v->result.count);
    strcpy(v->changes.gone[word], "brown cat");
    v->changes.fresh[word] = v->changes.fresh[word + 1] = true;
    v->changes.gone[word + 1][0] = '\0';
    if (word + 2 < v->result.count)
        v->changes.fresh[word + 2] = false;
    char both[128];
    snprintf(both, sizeof both, "“%s %s” for “brown cat”", v->result.outputs[word].text,
             v->result.outputs[word + 1].text);
    assert_non_null(sentence_demo_line(v, text, sizeof text));
    assert_non_null(strstr(text, both));
    view_close(&h);
}

TEST(what_has_no_truth_or_is_changed_already_does_not_show_itself)
{
    OPEN(h);
    view_run(&h, "");
    v->scene.has_truth = false;
    assert_false(h.v->class->introduce(one_of(h.v)));
    v->scene.has_truth = true;
    view_run(&h, "{hidden=14x14: 5}");
    assert_false(h.v->class->introduce(one_of(h.v)));
    view_close(&h);
}

/* ---------------------------------------------------------------- frames */

/* Any frame, in any order, is the same picture. */
TEST(a_frame_depends_on_nothing_but_its_number)
{
    const int frames[] = {0, 3, 101, 142, 290, 317};
    OPEN(h);
    size_t bytes = 4 * (size_t)h.v->canvas.width * (size_t)h.v->canvas.height;
    uint8_t *first = malloc(bytes);
    (void)v;
    view_run(&h, "");
    for (size_t i = 0; i < 3 * sizeof frames / sizeof *frames; i++) {
        h.v->class->frame(one_of(h.v), i % 3 == 1 ? 205 : frames[i / 3], 25);
        view_draw_alone(h.v);
        assert_int_equal(i % 3 && memcmp(first, h.v->canvas.rgba, bytes) != 0, i % 3 == 1);
        if (i % 3 == 0)
            memcpy(first, h.v->canvas.rgba, bytes);
    }
    free(first);
    h.v->class->event(one_of(h.v), &(viz_event){.kind = VIZ_KEY, .key = 'f'});
    assert_int_equal(h.v->class->frames(one_of(h.v), 25), 1); /* a figure does not move */
    view_close(&h);
}

/* 14 words of 0.8 s: frames up to 279 play, those behind it rest. */
TEST(an_animation_rests_on_the_word_that_looked_most_narrowly)
{
    view_hand h = view_open("caption", view_calls, has_describing_words);
    sentence_view *v = sentence_of(one_of(h.v));
    view_run(&h, "");
    h.v->class->frame(one_of(h.v), 279, 25);
    assert_int_equal(v->player.step, 13);
    assert_false(v->ended);
    h.v->class->frame(one_of(h.v), 281, 25); /* on its way from the last word */
    assert_int_equal(v->player.step, 3);
    assert_true(viz_player_place(&v->player) > 3 && viz_player_place(&v->player) < 13);
    assert_memory_equal(v->glide.from, v->result.weights + 13 * 196, 196 * sizeof(float));
    int last = h.v->class->frames(one_of(h.v), 25) - 1;
    h.v->class->frame(one_of(h.v), last, 25);
    assert_true(v->ended && !v->player.playing);
    assert_memory_equal(v->glide.now, v->result.weights + 3 * 196, 196 * sizeof(float));
    view_close(&h);
}

VIEW_ROWS_MAIN
