/* The caption view of a source that has another beside it: two pictures of one model, or two models
 * of one picture, with one timeline for what both say. */
#include <math.h>
#include <stdio.h>

#include "caption_common.h"
#include "test.h"
#include "view/history.h"
#include "view/settings.h"

/* A long sentence at the left and a short one at the right. */
typedef struct pair_scene {
    scene left, right; /* right: its source alone */
} pair_scene;

static int open_two(void **state)
{
    pair_scene *p = calloc(1, sizeof *p);
    fake_open(&p->left.fake);
    fake_open(&p->right.fake);
    fake_turn(&p->right.fake.source, 1, NULL);
    p->left.fake.source.picture.count = p->right.fake.source.picture.count = 1;
    p->left.fake.source.picture.number = 0;
    p->left.fake.source.beside = &p->right.fake.source;
    if (viz_caption_view_create(&p->left.fake.source, &p->left.view, NULL) != SAC_OK ||
        viz_canvas_create(1280, 800, 1, NULL, &p->left.canvas, NULL) != SAC_OK)
        return 1;
    p->left.v = caption_of(p->left.view);
    settle(&p->left);
    *state = p;
    return 0;
}

static int close_two(void **state)
{
    pair_scene *p = *state;
    viz_view_destroy(p->left.view);
    viz_canvas_free(&p->left.canvas);
    fake_close(&p->left.fake);
    fake_close(&p->right.fake);
    free(p);
    return 0;
}

static void point_into(scene *s, int side)
{
    viz_rect p = s->v->layout.side[side].picture;
    point(s, VIZ_MOVE, 0, p.x + p.w / 2, p.y + p.h / 2);
}

/* Opens the same again, gives it all settings of `s`, and computes. */
static scene open_again(const pair_scene *p)
{
    scene again = {.now = 0};
    fake_caption *fake = (fake_caption *)&p->left.fake;
    assert_int_equal(viz_caption_view_create(&fake->source, &again.view, NULL), SAC_OK);
    assert_int_equal(viz_canvas_create(1280, 800, 1, NULL, &again.canvas, NULL), SAC_OK);
    again.v = caption_of(again.view);
    return again;
}

static void give_setting(void *user, const char *key, const char *value)
{
    viz_view *view = user;
    viz_view_restore(view, key, value);
}

/* ---------------------------------------------------------------- what they say */

#define WITH_TWO(name) TEST_WITH(name, open_two, close_two)

WITH_TWO(each_says_what_it_says_alone)
{
    pair_scene *p = *state;
    char text[512];
    const sac_caption_request plain = {.beam = 3, .temperature = 1};
    for (int i = 0; i < 2; i++) {
        sac_caption alone;
        fake_caption *fake = i ? &p->right.fake : &p->left.fake;
        assert_int_equal(fake_speak(fake, &plain, &alone, NULL), SAC_OK);
        sac_caption_text(&alone, text, sizeof text);
        assert_string_equal(said(&p->left, i), text);
        assert_memory_equal(p->left.v->side[i].caption.weights, alone.weights,
                            (size_t)alone.count * 196 * sizeof *alone.weights);
        sac_caption_free(&alone);
    }
    assert_string_equal(said(&p->left, 1), "a large green circle");
    assert_string_equal(caption_name(p->left.v, 1), "scene 43");
}

WITH_TWO(each_is_asked_with_its_own_beam)
{
    pair_scene *p = *state;
    p->right.fake.source.speaker.beam = 5;
    scene s = open_again(p);
    assert_int_equal(s.v->speaker[0].beam, 3);
    assert_int_equal(s.v->speaker[1].beam, 5);
    settle(&s);
    press_shifted(&s, 'w'); /* from that in focus, the first */
    assert_int_equal(s.v->speaker[0].beam, 2);
    assert_int_equal(s.v->speaker[1].beam, 2);
    viz_view_destroy(s.view);
    viz_canvas_free(&s.canvas);
}

/* ---------------------------------------------------------------- one timeline */

WITH_TWO(words_are_stepped_together_and_the_shorter_rests_at_its_end)
{
    scene *s = &((pair_scene *)*state)->left;
    press_key(s, VIZ_KEY_HOME);
    for (int word = 0; word < 14; word++) {
        assert_int_equal(caption_word_of(s->v, 0), word);
        assert_int_equal(caption_word_of(s->v, 1), word < 4 ? word : 3);
        press_key(s, VIZ_KEY_RIGHT);
    }
    press_key(s, VIZ_KEY_LEFT);
    assert_int_equal(s->v->player.step, 12);
    assert_memory_equal(s->v->side[1].glide.now, s->v->side[1].caption.weights + 3 * 196,
                        196 * sizeof(float));
    assert_int_equal(caption_frames(s->view, 10), viz_player_frames(&s->v->player, 14, 10));
}

WITH_TWO(space_plays_both)
{
    scene *s = &((pair_scene *)*state)->left;
    press_key(s, VIZ_KEY_HOME);
    pass(s, 0.1);
    press_key(s, ' ');
    pass(s, 2 * WORD_SECONDS + 0.4);
    assert_int_equal(caption_word_of(s->v, 0), caption_word_of(s->v, 1));
    assert_true(s->v->player.playing && s->v->player.step >= 2);
}

WITH_TWO(a_word_that_is_clicked_is_current_in_both)
{
    scene *s = &((pair_scene *)*state)->left;
    for (int side = 0; side < 2; side++) {
        press_key(s, VIZ_KEY_END);
        draw(s);
        click(s, s->v->layout.line[side].word[1], 1);
        assert_int_equal(caption_word_of(s->v, 0), 1);
        assert_int_equal(caption_word_of(s->v, 1), 1);
    }
}

/* ---------------------------------------------------------------- what is asked */

/* The second model has fewer layers. */
WITH_TWO(layers_and_heads_are_chosen_for_both_where_both_have_them)
{
    pair_scene *p = *state;
    char note[128];
    scene *s = &p->left;
    p->left.fake.source.weights.layers = 3;
    p->left.fake.source.weights.heads = p->right.fake.source.weights.heads = 4;
    p->right.fake.source.weights.layers = 2;
    for (int i = 0; i < 3; i++)
        press_key(s, VIZ_KEY_UP);
    press_key(s, 'r');
    assert_true(s->v->speaker[0].layer == 3 && s->v->speaker[1].layer == 2);
    assert_true(s->v->speaker[0].head == 1 && s->v->speaker[1].head == 1);
    caption_note(s->v, 1, note, sizeof note);
    assert_string_equal(note, "layer 1, head 0");
    settle(s);
    point_into(s, 1);
    press_key(s, VIZ_KEY_DOWN); /* from where the side in focus is */
    assert_true(s->v->speaker[0].layer == 1 && s->v->speaker[1].layer == 1);
}

/* As of a captioner that looks once for each word, beside one with layers. */
WITH_TWO(keys_reach_the_one_that_has_layers)
{
    pair_scene *p = *state;
    p->right.fake.source.weights.layers = p->right.fake.source.weights.heads = 2;
    press_key(&p->left, VIZ_KEY_UP);
    assert_true(p->left.v->speaker[0].layer == 0 && p->left.v->speaker[1].layer == 1);
    assert_null(caption_message(p->left.v));
}

static void hide_middle(scene *s, int side)
{
    viz_rect picture = s->v->layout.side[side].picture;
    point(s, VIZ_MOVE, 0, picture.x + 0.47f * picture.w, picture.y + 0.53f * picture.h);
    point(s, VIZ_PRESS, 3, picture.x + 0.47f * picture.w, picture.y + 0.53f * picture.h);
    point(s, VIZ_RELEASE, 3, 0, 0);
}

WITH_TWO(cells_are_hidden_in_one_of_two_pictures)
{
    scene *s = &((pair_scene *)*state)->left;
    hide_middle(s, 1);
    assert_true(s->v->speaker[0].hidden_count == 0 && s->v->speaker[1].hidden_count == 1);
    settle(s);
    assert_true(s->v->side[1].caption.weights[7 * 14 + 6] == 0);
    assert_true(s->v->side[0].caption.weights[7 * 14 + 6] > 0);
    assert_true(caption_uniform(s->v) == 0); /* it is not one number any more */
    press_key(s, 'u');
    assert_int_equal(s->v->speaker[1].hidden_count, 0);
}

WITH_TWO(of_one_picture_cells_are_hidden_for_both_models)
{
    pair_scene *p = *state;
    strcpy(p->left.fake.source.weights.opened.image_file, "/pictures/one.png");
    strcpy(p->right.fake.source.weights.opened.image_file, "/pictures/one.png");
    scene s = open_again(p);
    settle(&s);
    hide_middle(&s, 1);
    assert_true(s.v->speaker[0].hidden_count == 1 && s.v->speaker[0].hidden[7 * 14 + 6]);
    viz_view_restore(s.view, "hidden", "14x14: 0-3"); /* in a picture each has its own */
    viz_view_restore(s.view, "second hidden", "14x14: 7");
    assert_true(s.v->speaker[0].hidden_count == 4 && s.v->speaker[1].hidden_count == 1);
    viz_view_destroy(s.view);
    viz_canvas_free(&s.canvas);
}

WITH_TWO(a_word_is_replaced_on_its_side_alone)
{
    scene *s = &((pair_scene *)*state)->left;
    caption_replace(s->v, 1, 2, fake_word("blue"));
    settle(s);
    assert_string_equal(said(s, 1), "a large blue circle");
    assert_non_null(strstr(said(s, 0), "a small red circle"));
    assert_true(s->v->speaker[1].prefix.replaced[2] && !s->v->speaker[0].prefix.replaced[2]);
    click(s, s->v->layout.line[1].cross[2], 1);
    settle(s);
    assert_string_equal(said(s, 1), "a large green circle");
}

WITH_TWO(return_opens_the_list_of_the_side_in_focus)
{
    scene *s = &((pair_scene *)*state)->left;
    point_into(s, 1);
    press_key(s, VIZ_KEY_RETURN);
    assert_true(s->v->list.open && s->v->list.side == 1 && s->v->list.word == 3);
}

WITH_TWO(why_asks_the_trace_that_was_pointed_at)
{
    pair_scene *p = *state;
    viz_subject subject = {0};
    assert_ptr_equal(p->left.view->source, &p->left.fake.source);
    point_into(&p->left, 1);
    assert_ptr_equal(p->left.view->source, &p->right.fake.source);
    assert_true(caption_subject(p->left.view, &subject));
    assert_string_equal(subject.query, "“circle”");
}

WITH_TWO(whether_it_matters_is_asked_of_the_side_in_focus)
{
    pair_scene *p = *state;
    point_into(&p->left, 1);
    int before = p->left.fake.speaks, asked = p->right.fake.speaks;
    press_key(&p->left, 'd');
    settle(&p->left);
    assert_true(p->left.v->matters.known && p->left.v->matters.side == 1);
    assert_int_equal(p->left.fake.speaks, before);
    assert_true(p->right.fake.speaks > asked);
}

WITH_TWO(what_two_cannot_do_is_said)
{
    scene *s = &((pair_scene *)*state)->left;
    press_key(s, 'c');
    assert_string_equal(caption_message(s->v), "two are side by side already");
    press_key(s, 'n');
    assert_string_equal(caption_message(s->v), "there are no other pictures");
}

/* ---------------------------------------------------------------- settings */

static void change_all(pair_scene *p)
{
    scene *s = &p->left;
    p->left.fake.source.weights.layers = p->right.fake.source.weights.layers = 3;
    caption_set_layer(s->v, &s->v->speaker[0], 3);
    caption_set_layer(s->v, &s->v->speaker[1], 1);
    caption_set_beam(s->v, &s->v->speaker[1], 5);
    hide_middle(s, 1);
    caption_replace(s->v, 1, 2, fake_word("blue"));
    settle(s);
    press_key(s, VIZ_KEY_HOME);
    press_key(s, VIZ_KEY_RIGHT);
    point(s, VIZ_LEAVE, 0, 0, 0);
    draw(s);
}

WITH_TWO(settings_of_both_come_back)
{
    pair_scene *p = *state;
    change_all(p);
    scene again = open_again(p);
    viz_view_describe(p->left.view, give_setting, again.view);
    settle(&again);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(said(&again, i), said(&p->left, i));
        const caption_speaker *a = &again.v->speaker[i], *b = &p->left.v->speaker[i];
        assert_true(a->layer == b->layer && a->head == b->head && a->beam == b->beam);
        assert_memory_equal(a->hidden, b->hidden, 196);
    }
    assert_int_equal(again.v->player.step, 1);
    assert_memory_equal(again.canvas.rgba, p->left.canvas.rgba, 4 * 1280 * 800);
    viz_view_destroy(again.view);
    viz_canvas_free(&again.canvas);
}

WITH_TWO(what_was_asked_of_the_second_is_undone)
{
    scene *s = &((pair_scene *)*state)->left;
    viz_history *history = viz_history_create(s->view);
    hide_middle(s, 1);
    assert_true(viz_history_note(history));
    assert_true(viz_history_undo(history));
    assert_int_equal(s->v->speaker[1].hidden_count, 0);
    viz_history_free(history);
}

WITH_TWO(of_two_grids_the_table_has_the_one_in_focus)
{
    pair_scene *p = *state;
    viz_table table = {0};
    char name[64];
    assert_true(caption_table(p->left.view, &table));
    assert_int_equal(table.rows, 14 + 4);
    assert_string_equal(caption_table_name(p->left.view, true, 17, name, sizeof name),
                        "scene 43: circle");
    p->right.fake.source.picture.grid_h = 7;
    table = (viz_table){0};
    assert_true(caption_table(p->left.view, &table));
    assert_int_equal(table.rows, 14);
    p->right.fake.source.picture.grid_h = FAKE_GRID;
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
