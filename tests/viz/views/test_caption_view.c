/* viz/view: what pointer, keys and results do to the caption view, and what it tells of itself. */
#include "canvas/recording.h"
#include "caption_common.h"
#include "parts/figures/overlays.h"
#include "parts/figures/seconds.h"
#include "sources/words/causal.h"
#include "status.h"
#include "test.h"
#include "view/settings.h"

static const char plain[] = "a small red circle above a large blue square and a small yellow star";

/* ---------------------------------------------------------------- jobs */

IN_SCENE(the_first_job_speaks_and_then_nothing_is_wanted)
{
    settle(s);
    assert_string_equal(generated(s), plain);
    assert_int_equal(s->fake.generates, 1);
    assert_null(s->view->class->want(s->view));
    pass(s, 2);
    assert_int_equal(s->fake.generates, 1); /* playing computes nothing */
}

IN_SCENE(one_job_is_out_at_a_time_and_the_latest_wish_wins)
{
    const viz_view_class *class = s->view->class;
    viz_job *job = class->want(s->view);
    for (int i = 0; i < 5; i++)
        press_key(s, 'e');
    assert_null(class->want(s->view));
    class->work(s->view, job, NULL);
    class->take(s->view, job, NULL);
    settle(s);
    assert_int_equal(s->fake.generates, 2); /* the four between were never computed */
    assert_true(s->v->g.temperature > 2.3f && s->v->g.temperature < 2.4f);
}

IN_SCENE(a_failure_is_shown_and_not_asked_for_again)
{
    settle(s);
    s->fake.fails = true;
    press_key(s, 'e');
    assert_int_equal(viz_view_settle(s->view, &failure), SAC_E_DEVICE);
    assert_string_equal(caption_message(s->v), "device: gone");
    assert_string_equal(generated(s), plain); /* the last result stays */
    int generates = s->fake.generates;
    settle(s);
    assert_int_equal(s->fake.generates, generates);
    s->fake.fails = false;
    press_key(s, 'e');
    settle(s);
    assert_null(caption_message(s->v));
}

IN_SCENE(the_picture_changes_only_when_the_result_is_taken)
{
    const viz_view_class *class = s->view->class;
    char text[128];
    settle(s);
    press_key(s, 'n');
    viz_job *job = class->want(s->view);
    OK(class->work(s->view, job, NULL)); /* the source has turned */
    assert_int_equal(s->fake.source.picture.number, 1);
    class->status(s->view, text, sizeof text);
    assert_string_equal(text, "scene 42  ·  1 of 4  ·  no device  ·  11.4 ms");
    assert_int_equal(s->v->scene.image.rgba[0], 165); /* the ground of scene 42 */
    class->take(s->view, job, NULL);
    class->status(s->view, text, sizeof text);
    assert_string_equal(text, "scene 43  ·  2 of 4  ·  no device  ·  11.4 ms");
    assert_int_equal(s->v->scene.image.rgba[0], 60);
    assert_string_equal(generated(s), "a large green circle");
    assert_null(class->want(s->view));
}

IN_SCENE(a_picture_that_cannot_be_opened_leaves_the_one_there_was)
{
    settle(s);
    s->fake.turn_fails = true;
    press_key(s, 'n');
    settle(s);
    assert_string_equal(caption_message(s->v), "next.png: cannot be read");
    assert_int_equal(s->v->scene.picture, 0);
    assert_string_equal(generated(s), plain);
    int turns = s->fake.turns;
    settle(s);
    assert_int_equal(s->fake.turns, turns);
}

IN_SCENE(n_goes_on_past_a_picture_that_cannot_be_opened)
{
    settle(s);
    s->fake.turn_fails = true;
    press_key(s, 'n');
    settle(s);
    assert_int_equal(s->v->scene.picture, 0);
    s->fake.turn_fails = false;
    press_key(s, 'n');
    settle(s);
    assert_int_equal(s->v->scene.picture, 2);
    press_key(s, 'p'); /* it may be whole again: it is not passed over for ever */
    settle(s);
    assert_int_equal(s->v->scene.picture, 1);
}

IN_SCENE(a_picture_without_words_is_drawn_without_harm)
{
    settle(s);
    s->fake.fails = true;
    press_key(s, 'n'); /* turns, and then says nothing */
    settle(s);
    assert_int_equal(s->v->scene.picture, 1);
    assert_int_equal(s->v->g.caption.count, 0);
    const int keys[] = {' ', VIZ_KEY_LEFT, VIZ_KEY_RIGHT, VIZ_KEY_HOME, VIZ_KEY_END, VIZ_KEY_RETURN,
                        't', 'f',          'f',           'o'};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        press_key(s, keys[i]);
        draw(s);
    }
    pass(s, 1);
}

/* ---------------------------------------------------------------- pictures */

IN_SCENE(pictures_follow_one_another_around)
{
    settle(s);
    press_key(s, 'p');
    settle(s);
    assert_string_equal(s->v->scene.title, "harbour.png");
    press_key(s, 'n');
    press_key(s, 'n');
    press_key(s, 'n');
    assert_int_equal(s->fake.turns, 1);
    settle(s);
    assert_string_equal(s->v->scene.title, "scene 44");
    assert_int_equal(s->fake.turns, 2); /* those passed over were not opened */
    press_shifted(s, 'n');
    settle(s);
    assert_string_equal(s->v->scene.title, "scene 43");
}

/* A time of the whole sound is marked in the piece that it is in, and in no other. */
TEST(the_axis_of_a_later_piece_begins_at_its_own_time)
{
    const viz_rect axis = {0, 0, 400, VIZ_SECONDS_HEIGHT};
    for (int piece = 0; piece < 2; piece++) {
        viz_canvas canvas;
        OK(viz_canvas_create(400, 40, 1, NULL, &canvas, &failure));
        viz_fill(&canvas, (viz_rect){0, 0, 400, 40}, canvas.theme->ground);
        viz_seconds_draw(&canvas, axis, piece ? 30 : 0, 30, 45);
        const uint8_t *at = canvas.rgba + 4 * (6 * 400 + 201);
        const uint8_t *empty = canvas.rgba + 4 * (39 * 400 + 201);
        assert_int_equal(memcmp(at, empty, 3) != 0, piece);
        viz_canvas_free(&canvas);
    }
}

/* Of a sound: whether another piece follows is known once one is generated. */
static sac_status generate_piece(void *self, const sac_caption_request *q, sac_caption *c,
                                 sac_error *error)
{
    sac_status status = fake_generate(self, q, c, error);
    c->goes_on = ((fake_caption *)self)->source.picture.number < 2;
    return status;
}

static int count_pieces(const void *self)
{
    const int number = ((const fake_caption *)self)->source.picture.number;
    return number < 2 ? number + 2 : number + 1;
}

IN_SCENE(the_next_piece_of_a_sound_is_turned_to_once_it_is_known)
{
    s->fake.source.speaker.generate = generate_piece;
    s->fake.source.picture.counted = count_pieces;
    s->fake.source.picture.count = s->v->scene.pictures = 1;
    for (int piece = 0; piece < 2; piece++) {
        settle(s);
        assert_int_equal(s->v->scene.picture, piece);
        assert_int_equal(s->v->scene.pictures, piece + 2);
        press_key(s, 'n');
        assert_null(caption_message(s->v));
    }
    settle(s);
    assert_int_equal(s->v->scene.picture, 2); /* the last … */
    assert_int_equal(s->v->scene.pictures, 3);
    press_key(s, 'n');
    settle(s);
    assert_int_equal(s->v->scene.picture, 0); /* … and around */
}

IN_SCENE(scenes_go_on_without_an_end)
{
    s->v->scene.scenes = s->fake.source.picture.scenes = true;
    settle(s);
    assert_false(press_key(s, 'p')); /* there is nothing before the first */
    for (int i = 0; i < 6; i++) {
        press_key(s, 'n');
        settle(s);
    }
    assert_int_equal(s->v->scene.picture, 6);
}

IN_SCENE(another_picture_forgets_what_was_asked_of_the_last)
{
    settle(s);
    click(s, cell(s, 9, 8), 3);
    press_key(s, VIZ_KEY_HOME);
    press_key(s, VIZ_KEY_RETURN);
    press_key(s, VIZ_KEY_RETURN);
    settle(s);
    assert_true(s->v->hidden_count == 1 && s->v->g.prefix.count == 1);
    press_key(s, 'n');
    settle(s);
    assert_true(s->v->hidden_count == 0 && s->v->g.prefix.count == 0);
    assert_string_equal(generated(s), "a large green circle");
}

IN_SCENE(what_a_person_should_know_stands_below_the_sentence)
{
    char note[512];
    settle(s);
    assert_true(s->v->layout.line.note.w == 0);
    press_key(s, 'p');
    settle(s);
    caption_note(s->v, note, sizeof note);
    assert_non_null(strstr(note, "photograph"));
    assert_true(s->v->layout.line.note.w > 0);
}

/* The size of a text that begins so, as drawn now; 0: it is not drawn. */
static float drawn_size(scene *s, const char *begin)
{
    viz_recording recording = {0};
    float size = 0;
    s->canvas.recording = &recording;
    draw(s);
    s->canvas.recording = NULL;
    for (size_t i = 0; i < recording.count; i++) {
        const viz_shape *shape = &recording.shapes[i];
        if (shape->text && strncmp(shape->text, begin, strlen(begin)) == 0)
            size = (float)shape->size;
    }
    viz_recording_free(&recording);
    return size;
}

static bool draws_within(scene *s, const char *part)
{
    viz_recording recording = {0};
    bool found = false;
    s->canvas.recording = &recording;
    draw(s);
    s->canvas.recording = NULL;
    for (size_t i = 0; i < recording.count; i++)
        found |= recording.shapes[i].text && strstr(recording.shapes[i].text, part);
    viz_recording_free(&recording);
    return found;
}

IN_SCENE(a_sentence_that_ends_at_once_is_told_of)
{
    static const char reported[] = "it said nothing";
    assert_true(drawn_size(s, reported) == 0); /* nothing was asked yet */
    s->fake.longest = -1;
    settle(s);
    assert_true(drawn_size(s, reported) > 0);
    s->fake.longest = 0;
    press_key(s, 'n');
    settle(s);
    assert_true(drawn_size(s, reported) == 0);
}

/* What a model doubts itself is as large as what else is read, in a figure too. */
IN_SCENE(doubts_are_large_enough_to_be_read)
{
    settle(s);
    snprintf(s->v->g.caption.note, sizeof s->v->g.caption.note, "unsure of “square”");
    assert_true(drawn_size(s, "unsure of") >= 14); /* of a window 600 high */
    OK(viz_canvas_resize(&s->canvas, 1280, 800, NULL));
    assert_true(drawn_size(s, "unsure of") >= 18);
    s->v->numbers = false;
    assert_true(drawn_size(s, "unsure of") >= 18);
    press_key(s, 'f');
    assert_true(drawn_size(s, "unsure of") >= 16);
    snprintf(s->v->g.caption.note, sizeof s->v->g.caption.note, "unsure of “%0200d”", 0);
    assert_true(drawn_size(s, "unsure of") >= 12); /* smaller, then cut */
}

/* Without a window's clock the sentence stands still where it says most: not at its full stop. */
IN_SCENE(a_still_rests_at_the_last_word_that_is_no_mark)
{
    sac_caption *caption = &s->v->g.caption;
    settle(s);
    assert_int_equal(s->v->g.player.step, caption->count - 1);
    strcpy(caption->words[caption->count - 1].text, ".");
    strcpy(caption->words[caption->count - 2].text, "<loc_5>");
    viz_generation_find_word(&s->v->g);
    assert_int_equal(s->v->g.player.step, caption->count - 3);
    s->v->g.fresh = false; /* a word that was asked for stays */
    s->v->g.player.step = caption->count - 1;
    viz_generation_find_word(&s->v->g);
    assert_int_equal(s->v->g.player.step, caption->count - 1);
}

IN_SCENE(a_sound_has_its_seconds_below_it)
{
    settle(s);
    for (int numbers = 0; numbers < 2; numbers++) {
        s->v->numbers = numbers;
        s->v->g.caption.seconds = 0;
        assert_true(drawn_size(s, "0 s") == 0); /* a picture has none */
        s->v->g.caption.seconds = 2.64f;
        assert_true(drawn_size(s, "0 s") >= 12 && drawn_size(s, "2.5") + drawn_size(s, "2") >= 12);
        viz_rect picture = s->v->layout.main.picture, axis = s->v->layout.main.seconds;
        assert_true(axis.x == picture.x && axis.w == picture.w && axis.y == picture.y + picture.h);
    }
}

IN_SCENE(the_calm_line_names_what_lies_on_the_ends_of_rows)
{
    settle(s);
    s->v->numbers = false;
    s->fake.source.speaker.typed = true;
    s->v->g.caption.words[s->v->g.player.step].row_ends = 0.07f;
    assert_true(drawn_size(s, "where it looked") > 0);
    OK(viz_canvas_resize(&s->canvas, 1280, 800, NULL));
    assert_false(draws_within(s, "7 % on the ends of its rows"));
    s->v->g.caption.has_row_ends = true;
    assert_true(draws_within(s, "7 % on the ends of its rows"));
}

/* ---------------------------------------------------------------- going about the words */

IN_SCENE(arrows_step_and_home_and_end_jump)
{
    settle(s);
    press_key(s, VIZ_KEY_HOME);
    assert_int_equal(s->v->g.player.step, 0);
    press_key(s, VIZ_KEY_LEFT);
    assert_int_equal(s->v->g.player.step, 0);
    press_key(s, VIZ_KEY_RIGHT);
    press_key(s, VIZ_KEY_RIGHT);
    assert_int_equal(s->v->g.player.step, 2);
    press_key(s, VIZ_KEY_END);
    press_key(s, VIZ_KEY_RIGHT);
    assert_int_equal(s->v->g.player.step, 13);
}

IN_SCENE(a_click_on_any_picture_of_a_word_goes_there)
{
    settle(s);
    const caption_layout *l = &s->v->layout;
    viz_rect names = l->main.matrix_names;
    click(s, l->line.word[4], 1);
    assert_int_equal(s->v->g.player.step, 4);
    click(s, l->main.thumb[8], 1);
    assert_int_equal(s->v->g.player.step, 8);
    click(s, l->main.label[1], 1);
    assert_int_equal(s->v->g.player.step, 1);
    names.y += names.h * 11 / 14;
    names.h /= 14;
    click(s, names, 1);
    assert_int_equal(s->v->g.player.step, 11);
}

IN_SCENE(the_timeline_is_dragged)
{
    settle(s);
    viz_rect t = s->v->layout.track;
    float y = t.y + t.h / 2;
    point(s, VIZ_PRESS, 1, t.x, y);
    assert_int_equal(s->v->g.player.step, 0);
    point(s, VIZ_MOVE, 1, t.x + t.w * 6 / 13, y + 80); /* the pointer may leave the track */
    assert_int_equal(s->v->g.player.step, 6);
    point(s, VIZ_MOVE, 1, t.x + 2 * t.w, y);
    assert_int_equal(s->v->g.player.step, 13);
    point(s, VIZ_RELEASE, 1, t.x, y);
    point(s, VIZ_MOVE, 0, t.x + t.w / 2, y);
    assert_int_equal(s->v->g.player.step, 13);
}

IN_SCENE(the_sentence_is_read_with_the_pointer)
{
    settle(s);
    const viz_rect *words = s->v->layout.line.word;
    point(s, VIZ_PRESS, 1, words[2].x + 3, words[2].y + 9);
    for (int i = 3; i < 7; i++) {
        point(s, VIZ_MOVE, 1, words[i].x + 3, words[i].y + 9);
        assert_int_equal(s->v->g.player.step, i);
    }
    point(s, VIZ_MOVE, 1, 5, 300); /* beside them it stays where it was */
    point(s, VIZ_RELEASE, 1, 5, 300);
    point(s, VIZ_MOVE, 0, words[9].x + 3, words[9].y + 9);
    assert_int_equal(s->v->g.player.step, 6);
    assert_false(s->v->g.list.open);
}

IN_SCENE(play_is_clicked)
{
    pass(s, 0.1);
    draw(s);
    click(s, s->v->layout.play, 1);
    assert_false(s->v->g.player.playing);
    click(s, s->v->layout.play, 1);
    assert_true(s->v->g.player.playing);
}

IN_SCENE(a_wheel_over_the_sentence_steps)
{
    settle(s);
    viz_rect r = s->v->layout.line.word[3];
    wheel_at(s, r, 1);
    assert_int_equal(s->v->g.player.step, 12);
    wheel_at(s, r, -1);
    assert_int_equal(s->v->g.player.step, 13);
}

/* ---------------------------------------------------------------- values */

IN_SCENE(temperature_goes_by_keys_wheel_and_click)
{
    settle(s);
    viz_rect r = s->v->layout.value[VALUE_TEMPERATURE];
    press_key(s, 'e');
    assert_true(fabsf(s->v->g.temperature - 1.189f) < 1e-3f);
    press_shifted(s, 'e');
    assert_true(s->v->g.temperature == 1); /* up and down meet */
    wheel_at(s, r, -1);
    assert_true(s->v->g.temperature < 1);
    click(s, r, 1);
    assert_true(s->v->g.temperature == 1);
    for (int i = 0; i < 40; i++)
        wheel_at(s, r, 1);
    assert_true(s->v->g.temperature == 4);
    assert_false(press_key(s, 'e'));
    settle(s);
    assert_true(s->v->g.caption.words[3].entropy > 5.5f); /* softer: 4.4 bits at 1 */
    for (int i = 0; i < 40; i++)
        click(s, r, 3);
    assert_true(s->v->g.temperature == 0.25f);
}

IN_SCENE(the_beam_is_one_to_five_wide)
{
    settle(s);
    for (int i = 0; i < 9; i++)
        press_key(s, 'w');
    assert_int_equal(s->v->g.beam, 5);
    for (int i = 0; i < 9; i++)
        press_shifted(s, 'w');
    assert_int_equal(s->v->g.beam, 1);
    wheel_at(s, s->v->layout.value[VALUE_BEAM], 1);
    assert_int_equal(s->v->g.beam, 2);
}

IN_SCENE(models_take_turns)
{
    settle(s);
    float sharp = s->v->g.caption.max_weight;
    press_key(s, 'g');
    settle(s);
    assert_int_equal(s->v->g.model, 1);
    assert_true(s->v->g.caption.max_weight < 0.6f * sharp);
    press_key(s, 'g');
    assert_int_equal(s->v->g.model, 0);
}

IN_SCENE(a_map_that_looks_at_everything_is_not_drawn_as_heat)
{
    settle(s);
    s->v->g.caption.max_weight = 1.2f / 196; /* as a model says that has learnt nothing */
    viz_scale scale = caption_scale(s->v);
    assert_true(viz_scale_at(&scale, 1.2f / 196) < 0.4f);
}

IN_SCENE(one_model_alone_says_so)
{
    s->fake.source.speaker.models = 1;
    settle(s);
    assert_true(press_key(s, 'g'));
    assert_string_equal(caption_message(s->v), "there is only one model here: “additive”");
    press_key(s, VIZ_KEY_LEFT);
    assert_null(caption_message(s->v));
}

/* ---------------------------------------------------------------- hiding */

IN_SCENE(painting_hides_cells_and_the_caption_is_spoken_anew)
{
    settle(s);
    viz_rect from = cell(s, 8, 7), to = cell(s, 11, 7);
    point(s, VIZ_PRESS, 3, from.x + 4, from.y + 4);
    point(s, VIZ_MOVE, 3, to.x + 4, to.y + 4); /* fast: cells between are painted too */
    point(s, VIZ_RELEASE, 3, to.x + 4, to.y + 4);
    assert_int_equal(s->v->hidden_count, 4);
    settle(s);
    assert_string_equal(generated(s), plain); /* the middle of the square is still seen */
    click(s, cell(s, 9, 8), 3);
    settle(s);
    assert_non_null(strstr(generated(s), "a large black square"));
    assert_true(s->v->g.caption.weights[7 * 196 + 8 * FAKE_GRID + 9] == 0);
    click(s, cell(s, 9, 8), 3); /* painted once more it is seen again */
    assert_int_equal(s->v->hidden_count, 4);
    press_key(s, 'u');
    settle(s);
    assert_string_equal(generated(s), plain);
    assert_int_equal(s->v->hidden_count, 0);
}

IN_SCENE(in_hiding_mode_the_left_button_paints)
{
    settle(s);
    assert_false(click(s, cell(s, 3, 3), 1));
    press_key(s, 'h');
    assert_non_null(caption_message(s->v));
    click(s, cell(s, 3, 3), 1);
    assert_int_equal(s->v->hidden_count, 1);
    press_key(s, VIZ_KEY_ESCAPE);
    assert_false(s->v->hide_mode);
    assert_int_equal(s->v->hidden_count, 1);
    assert_false(press_key(s, VIZ_KEY_ESCAPE)); /* nothing lies over the rest: the shell's */
}

/* From the cell that the word looks at most. */
IN_SCENE(in_hiding_mode_arrows_and_space_hide_cells)
{
    settle(s);
    int step = s->v->g.player.step;
    const sac_caption_word *word = &s->v->g.caption.words[step];
    int x = word->peak_x, y = word->peak_y;
    press_key(s, 'h');
    assert_true(press_key(s, ' '));
    assert_true(s->v->hidden[y * FAKE_GRID + x]);
    int right = x + 1 < FAKE_GRID ? 1 : -1;
    press_key(s, right > 0 ? VIZ_KEY_RIGHT : VIZ_KEY_LEFT);
    press_key(s, VIZ_KEY_RETURN);
    assert_true(s->v->hidden[y * FAKE_GRID + x + right]);
    assert_int_equal(s->v->hidden_count, 2);
    press_key(s, ' '); /* shown again */
    assert_int_equal(s->v->hidden_count, 1);
    for (int i = 0; i < 2 * FAKE_GRID; i++)
        press_key(s, VIZ_KEY_UP); /* the edge is the end */
    press_key(s, ' ');
    assert_true(s->v->hidden[x + right]);
    assert_int_equal(s->v->g.player.step, step);
    press_key(s, VIZ_KEY_ESCAPE);
    press_key(s, VIZ_KEY_LEFT);
    assert_int_equal(s->v->hidden_count, 2);
}

IN_SCENE(all_cells_hidden_is_drawn_without_harm)
{
    const int first[2] = {0, 0};
    settle(s);
    for (int y = 0; y < FAKE_GRID; y++) {
        const int from[2] = {first[0], y}, to[2] = {FAKE_GRID - 1, y};
        s->v->hidden_count +=
            viz_hidden_stroke(s->v->hidden, FAKE_GRID, FAKE_GRID, from, to, 0, true);
    }
    assert_int_equal(s->v->hidden_count, 196);
    viz_generation_changed(&s->v->g);
    for (int i = 0; i < 4; i++) {
        settle(s);
        press_key(s, "ombf"[i]);
    }
    draw(s);
    press_key(s, 'f');
    assert_string_equal(caption_message(s->v), "every cell is hidden: U shows them again");
    pass(s, 2);
}

IN_SCENE(hidden_cells_keep_the_word_that_is_current)
{
    pass(s, 0.1);
    press_key(s, ' ');
    viz_generation_go(&s->v->g, 7);
    pass(s, 1);
    draw(s);
    click(s, cell(s, 9, 8), 3);
    viz_view_settle(s->view, NULL);
    assert_int_equal(s->v->g.player.step, 7);
    assert_true(s->v->glide.moving); /* from the old map to the new one */
}

IN_SCENE(how_weights_lie_over_the_picture_is_clicked_with_numbers_too)
{
    settle(s);
    s->v->numbers = true;
    draw(s);
    const viz_choices *modes = &s->v->layout.modes;
    assert_int_equal(modes->count, VIZ_OVERLAY_COUNT);
    for (int i = VIZ_OVERLAY_COUNT - 1; i >= 0; i--) {
        click(s, modes->items[i], 1);
        draw(s);
        assert_int_equal(s->v->style.overlay, i);
    }
}

/* ---------------------------------------------------------------- replacing words */

static bool list_has(const viz_word_list *list, const char *text)
{
    for (int i = 0; i < list->count; i++)
        if (!strcmp(viz_vocabulary(list->source, list->item[i].word), text))
            return true;
    return false;
}

/* What is under "more …", too. */
static void list_more(scene *s)
{
    viz_word_list *list = &s->v->g.list;
    assert_true(list->count <= 5 && list->item[list->count - 1].word < 0);
    list->selected = list->count - 1;
    press_key(s, VIZ_KEY_RETURN);
    assert_true(list->open && list->count > 5);
    list->selected = 0;
}

/* As in the vocabularies of models of others, where none is known to be for people alone. */
IN_SCENE(signs_are_listed_for_who_types_one)
{
    s->fake.source.speaker.token_allowed = NULL;
    settle(s);
    press_key(s, VIZ_KEY_RETURN);
    list_more(s);
    assert_true(list_has(&s->v->g.list, "a") && !list_has(&s->v->g.list, "<pad>"));
    press_key(s, '<');
    assert_true(list_has(&s->v->g.list, "<pad>"));
}

IN_SCENE(a_word_is_replaced_and_the_model_goes_on)
{
    settle(s);
    viz_generation_go(&s->v->g, 7);
    assert_true(press_key(s, VIZ_KEY_RETURN));
    assert_true(s->v->g.list.open);
    assert_string_equal(viz_vocabulary(s->v->g.source, s->v->g.list.item[0].word), "black");
    assert_true(s->v->g.list.item[0].probability > s->v->g.list.item[1].probability);
    press_key(s, VIZ_KEY_RETURN);
    assert_false(s->v->g.list.open);
    settle(s);
    assert_non_null(strstr(generated(s), "a small red circle above a large black square"));
    assert_int_equal(s->v->g.prefix.count, 8);
    for (int i = 0; i < SAC_MAX_TOKENS; i++)
        assert_int_equal(s->v->g.prefix.replaced[i], i == 7);
    assert_int_equal(s->v->g.player.step, 7);
    assert_true(s->v->layout.line.cross[7].w > 0);
    click(s, s->v->layout.line.cross[7], 1);
    settle(s);
    assert_string_equal(generated(s), plain);
}

/* Tokens 0 and 4, "a" and "above", are special ones here. */
static sac_status generate_special(void *self, const sac_caption_request *q, sac_caption *c,
                                   sac_error *error)
{
    sac_status status = fake_generate(self, q, c, error);
    const bool special[SAC_MAX_TOKENS] = {[0] = true, [4] = true};
    if (status == SAC_OK)
        sac_caption_set_apart(c, special);
    return status;
}

IN_SCENE(special_tokens_are_no_words_but_precede_the_one_that_is_replaced)
{
    static const char *const tokens[] = {"a",     "small", "red",   "circle",
                                         "above", "a",     "large", "white"};
    sac_causal answer;
    settle(s);
    const size_t cells = (size_t)FAKE_GRID * FAKE_GRID;
    float map[FAKE_GRID * FAKE_GRID]; /* of token 7 */
    memcpy(map, s->v->g.caption.weights + 7 * cells, sizeof map);
    s->fake.source.speaker.generate = generate_special;
    sac_source_forget(&s->fake.source);
    viz_generation_changed(&s->v->g);
    settle(s);
    assert_string_equal(generated(s),
                        "small red circle a large blue square and a small yellow star");
    assert_memory_equal(s->v->g.caption.weights + 5 * cells, map, sizeof map);
    const sac_caption_request request = viz_generation_ask(&s->v->g);
    OK(sac_causal_ask(&s->fake.source, &request, &s->v->g.caption, 5, 1, &answer, &failure));
    assert_float_equal(answer.hidden, 0.004, 1e-6); /* that of the word as it is given */
    viz_generation_replace(&s->v->g, 5, fake_word("white"));
    assert_int_equal(s->v->g.prefix.count, 8);
    for (int i = 0; i < 8; i++)
        assert_string_equal(viz_vocabulary(s->v->g.source, s->v->g.prefix.words[i]), tokens[i]);
    settle(s);
    assert_non_null(strstr(generated(s), "small red circle a large white square"));
    assert_true(s->v->g.chosen[5] && !s->v->g.chosen[7] && s->v->g.prefix.replaced[7]);
    click(s, s->v->layout.line.cross[5], 1);
    settle(s);
    assert_int_equal(s->v->g.prefix.count, 0);
}

IN_SCENE(replaced_words_are_taken_back_last_first)
{
    settle(s);
    viz_generation_replace(&s->v->g, 2, fake_word("green"));
    settle(s);
    viz_generation_replace(&s->v->g, 7, fake_word("white"));
    settle(s);
    assert_non_null(strstr(generated(s), "a small green circle above a large white square"));
    viz_generation_take_back(&s->v->g, -1);
    settle(s);
    assert_non_null(strstr(generated(s), "a small green circle above a large blue square"));
    assert_int_equal(s->v->g.prefix.count, 3);
    viz_generation_take_back(&s->v->g, -1);
    settle(s);
    assert_string_equal(generated(s), plain);
    viz_generation_replace(&s->v->g, 7, fake_word("white"));
    settle(s);
    viz_generation_replace(&s->v->g, 2, fake_word("green")); /* what followed is spoken anew */
    settle(s);
    assert_non_null(strstr(generated(s), "a small green circle above a large blue square"));
    assert_true(s->v->g.prefix.replaced[2] && !s->v->g.prefix.replaced[7]);
}

IN_SCENE(the_current_word_is_clicked_to_be_replaced)
{
    settle(s);
    click(s, s->v->layout.line.word[7], 1);
    assert_int_equal(s->v->g.player.step, 7);
    assert_false(s->v->g.list.open);
    click(s, s->v->layout.line.word[7], 1);
    assert_true(s->v->g.list.open);
    draw(s);
    point(s, VIZ_PRESS, 1, 5, 400); /* beside it: away with it */
    assert_false(s->v->g.list.open);
    assert_int_equal(s->v->g.prefix.count, 0);
}

IN_SCENE(letters_find_a_word)
{
    settle(s);
    viz_generation_go(&s->v->g, 8);
    press_key(s, VIZ_KEY_RETURN);
    draw(s);
    assert_true(s->view->class->typing(s->view));
    list_more(s);
    assert_int_equal(s->v->g.list.count, 22); /* 23 words but the one that is there */
    press_key(s, 's');
    assert_int_equal(s->v->g.list.count, 2); /* small, star */
    press_key(s, 't');
    assert_int_equal(s->v->g.list.count, 1);
    press_key(s, 'x');
    assert_int_equal(s->v->g.list.count, 0);
    draw(s);
    press_key(s, VIZ_KEY_RETURN); /* nothing to choose */
    assert_true(s->v->g.list.open);
    press_key(s, VIZ_KEY_BACKSPACE);
    press_key(s, VIZ_KEY_RETURN);
    settle(s);
    assert_non_null(strstr(generated(s), "a large blue star"));
    assert_false(s->view->class->typing(s->view));
}

IN_SCENE(the_list_is_scrolled_and_clicked)
{
    settle(s);
    viz_generation_go(&s->v->g, 7);
    press_key(s, VIZ_KEY_RETURN);
    list_more(s);
    draw(s);
    viz_word_list *list = &s->v->g.list;
    assert_true(list->shown < list->count);
    for (int i = 0; i < 40; i++)
        press_key(s, VIZ_KEY_DOWN);
    assert_int_equal(list->selected, list->count - 1);
    assert_int_equal(list->first, list->count - list->shown);
    wheel_at(s, list->rect, 100);
    assert_int_equal(list->first, 0);
    wheel_at(s, list->rect, -3);
    assert_int_equal(list->first, 3);
    viz_rect row = {list->rect.x, list->rect.y + VIZ_WORD_LIST_HEAD + 2 * VIZ_WORD_LIST_ROW,
                    list->rect.w, VIZ_WORD_LIST_ROW};
    point(s, VIZ_MOVE, 0, row.x + 20, row.y + 5);
    assert_int_equal(list->selected, 5);
    int word = list->item[5].word;
    click(s, row, 1);
    assert_int_equal(s->v->g.prefix.words[7], word);
}

/* While letters are text, no key of the room or the view acts. */
IN_SCENE(letters_typed_are_no_commands)
{
    viz_tab tab = {.class = s->view->class, .view = s->view};
    viz_shell shell = {.tabs = &tab, .count = 1};
    settle(s);
    press_key(s, VIZ_KEY_RETURN);
    assert_true(viz_shell_typing(&shell));
    viz_shell_event(&shell, &(viz_event){.kind = VIZ_KEY, .key = '?'});
    viz_shell_event(&shell, &(viz_event){.kind = VIZ_KEY, .key = '2'});
    viz_shell_event(&shell, &(viz_event){.kind = VIZ_KEY, .key = 't'});
    assert_string_equal(s->v->g.list.typed, "?2t");
    assert_false(shell.show_keys || s->v->g.truth);
    press_key(s, VIZ_KEY_ESCAPE);
    assert_false(viz_shell_typing(&shell));
    viz_history_free(shell.history);
}

/* ---------------------------------------------------------------- truth */

IN_SCENE(truth_is_shown_on_demand)
{
    char note[512];
    settle(s);
    assert_true(s->v->right);
    press_key(s, 't');
    assert_true(s->v->g.truth);
    draw(s);
    int named = 0;
    for (int i = 0; i < 14; i++) {
        const sac_caption_mark *m = &s->v->marks[i];
        named += m->names && m->localization.inside;
    }
    assert_int_equal(named, 6);
    viz_generation_replace(&s->v->g, 2, fake_word("green"));
    settle(s);
    assert_false(s->v->right);
    caption_note(s->v, note, sizeof note);
    assert_non_null(strstr(note, "truly: a small red circle"));
}

IN_SCENE(without_a_truth_the_key_says_so)
{
    settle(s);
    press_key(s, 'p');
    settle(s);
    press_key(s, 't');
    assert_false(s->v->g.truth);
    assert_non_null(strstr(caption_message(s->v), "ground truth"));
}

/* ---------------------------------------------------------------- regions */

/* Whether the right side of a region of 0.1 … 0.5 of the picture has the accent's colour. */
static bool stands_out(scene *s)
{
    viz_rect p = s->v->layout.main.picture;
    viz_color accent = s->canvas.theme->accent;
    draw(s);
    int x = (int)(p.x + 0.5f * p.w), y = (int)(p.y + 0.3f * p.h);
    for (int i = -4; i <= 4; i++) { /* across the line */
        const uint8_t *c = s->canvas.rgba + 4 * (y * s->canvas.width + x + i);
        if (c[0] == accent.r && c[1] == accent.g && c[2] == accent.b)
            return true;
    }
    return false;
}

IN_SCENE(a_region_stands_out_while_its_words_are_said)
{
    settle(s);
    sac_regions *r = &s->v->g.caption.regions;
    *r = (sac_regions){.form = SAC_REGIONS_LABELLED, .width = 280, .height = 280, .count = 1};
    r->region[0] = (sac_region){
        .is_box = true, .points = 2, .first = 3, .end = 5, .label_first = 2, .label_end = 3};
    r->bin[0][0] = r->bin[0][1] = 100;
    r->bin[1][0] = r->bin[1][1] = 500;
    strcpy(r->labels, "circle");
    for (int word = 0; word < 7; word++) {
        viz_generation_go(&s->v->g, word);
        pass(s, 2);
        assert_int_equal(stands_out(s), word >= 2 && word < 5);
    }
}

/* ---------------------------------------------------------------- pointing */

IN_SCENE(the_pointer_reads_cells_of_picture_and_matrix)
{
    settle(s);
    viz_rect c = cell(s, 9, 8), m = s->v->layout.main.matrix;
    assert_true(point(s, VIZ_MOVE, 0, c.x + 3, c.y + 3));
    assert_false(point(s, VIZ_MOVE, 0, c.x + 5, c.y + 3)); /* the same cell */
    assert_true(s->v->pointed && s->v->cell_x == 9 && s->v->cell_y == 8 && s->v->cell_word == -1);
    draw(s);
    point(s, VIZ_MOVE, 0, m.x + m.w * (3 * 14 + 5.5f) / 196, m.y + m.h * 2.5f / 14);
    assert_true(s->v->cell_x == 5 && s->v->cell_y == 3 && s->v->cell_word == 2);
    draw(s);
    assert_true(point(s, VIZ_MOVE, 0, 2, 300));
    assert_false(s->v->pointed);
    point(s, VIZ_MOVE, 0, c.x + 3, c.y + 3);
    assert_true(s->view->class->event(s->view, &(viz_event){.kind = VIZ_LEAVE}));
    assert_false(s->v->pointed);
}

/* Every key of the sheet, and all others: none does harm anywhere. */
IN_SCENE(keys_do_no_harm_in_any_order)
{
    static const int keys[] = {' ',
                               'l',
                               'n',
                               'p',
                               't',
                               'c',
                               'g',
                               'w',
                               'h',
                               'u',
                               'x',
                               'f',
                               '[',
                               ']',
                               'o',
                               'm',
                               'b',
                               'e',
                               'y',
                               '+',
                               '-',
                               VIZ_KEY_UP,
                               VIZ_KEY_DOWN,
                               VIZ_KEY_LEFT,
                               VIZ_KEY_RIGHT,
                               VIZ_KEY_HOME,
                               VIZ_KEY_END,
                               VIZ_KEY_RETURN,
                               VIZ_KEY_ESCAPE,
                               VIZ_KEY_PAGE_DOWN,
                               VIZ_KEY_TAB};
    unsigned random = 1;
    pass(s, 0.1);
    for (int i = 0; i < 700; i++) {
        random = random * 1664525u + 1013904223u;
        press_key(s, keys[(random >> 16) % (sizeof keys / sizeof *keys)]);
        if (random >> 30 == 0)
            point(s, (viz_event_kind)(random >> 8 & 3), 1 + 2 * (random >> 12 & 1),
                  (float)(random >> 10 & 1023), (float)(random >> 20 & 511) + 200);
        pass(s, 0.04);
        if (i % 5 == 0)
            draw(s);
        assert_true(s->v->g.player.step >= 0 && s->v->g.player.step < SAC_MAX_TOKENS);
    }
}

/* ---------------------------------------------------------------- note of origin */

typedef struct noted {
    char keys[32][24], values[32][256];
    int count;
} noted;

static void note(void *user, const char *key, const char *value)
{
    noted *n = user;
    assert_true(n->count < 32);
    snprintf(n->keys[n->count], 24, "%s", key);
    snprintf(n->values[n->count++], 256, "%s", value);
}

/* Another view of a source that stands where this one began. */
static void assert_reopens_to_the_same_pixels(scene *s)
{
    scene other = {0};
    noted before = {0};
    draw(s);
    viz_view_describe(s->view, note, &before);
    fake_open(&other.fake);
    other.fake.source.speaker.models = s->fake.source.speaker.models;
    OK(viz_caption_view_create(&other.fake.source, NULL, &other.view, NULL));
    OK(viz_canvas_create(s->canvas.width, s->canvas.height, 1, NULL, &other.canvas, NULL));
    for (int i = 0; i < before.count; i++)
        if (before.values[i][0]) /* a PNG has no empty texts */
            viz_view_restore(other.view, before.keys[i], before.values[i]);
    settle(&other);
    assert_memory_equal(s->canvas.rgba, other.canvas.rgba,
                        4 * (size_t)s->canvas.width * (size_t)s->canvas.height);
    viz_view_destroy(other.view);
    viz_canvas_free(&other.canvas);
    fake_close(&other.fake);
}

IN_SCENE(nonsense_restores_nothing)
{
    noted before = {0}, after = {0};
    const char *const pairs[][2] = {
        {"temperature", "nan"}, {"temperature", "warm"}, {"beam", "x"},
        {"word", "-inf"},       {"picture", "4"},        {"picture", "-1"},
        {"picture", "1e30"},    {"model", "gaussian"},   {"compared with", "nobody"},
        {"hidden", "4x4: 1-3"}, {"hidden", "14x14 1"},   {"map", "jet"},
        {"overlay", "fog"},     {"prefix", "zebra a a"}, {"replaced", "99 -4 x"},
        {"colour", "blue"},     {"opacity", "inf"},      {"speed", ""}};
    viz_view_describe(s->view, note, &before);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        viz_view_restore(s->view, pairs[i][0], pairs[i][1]);
    viz_view_describe(s->view, note, &after);
    assert_memory_equal(&before, &after, sizeof before);
    settle(s);
    assert_string_equal(generated(s), plain);
    assert_int_equal(s->fake.turns, 0);
}

IN_SCENE(settings_are_clamped)
{
    viz_view_restore(s->view, "temperature", "1e9");
    viz_view_restore(s->view, "beam", "77");
    viz_view_restore(s->view, "word", "500");
    viz_view_restore(s->view, "speed", "1000");
    settle(s);
    assert_true(s->v->g.temperature == 4 && s->v->g.beam == 5 && s->v->g.player.speed == 4);
    assert_int_equal(s->v->g.player.step, 13);
}

IN_SCENE(a_word_that_is_asked_for_is_shown)
{
    viz_view_restore(s->view, "word", "5");
    settle(s);
    assert_int_equal(s->v->g.player.step, 5);
}

IN_SCENE(a_short_status_is_cut_not_overrun)
{
    char text[12];
    settle(s);
    s->view->class->status(s->view, text, sizeof text);
    assert_true(strlen(text) < sizeof text);
}

/* ---------------------------------------------------------------- the figure */

IN_SCENE(a_figure_has_the_whole_canvas)
{
    viz_tab tab = {.class = s->view->class, .view = s->view};
    viz_shell shell = {.tabs = &tab, .count = 1};
    OK(viz_canvas_resize(&s->canvas, 1280, 800, NULL));
    settle(s);
    viz_shell_draw(&shell, &s->canvas);
    assert_true(shell.bar.count > 0);
    viz_shell_event(&shell, &(viz_event){.kind = VIZ_KEY, .key = 'f'});
    viz_shell_draw(&shell, &s->canvas);
    assert_true(shell.bar.items[0].rect.w <= 0);
    const viz_color *ground = &s->canvas.theme->ground;
    for (int x = 0; x < s->canvas.width; x++) /* no tab bar, no line: nothing within the margin */
        assert_memory_equal(s->canvas.rgba + 4 * (20 * s->canvas.width + x), ground, 3);
    viz_history_free(shell.history);
}

/* A flatter map looks flatter: the bar's end stays, and another picture begins anew. */
IN_SCENE(the_scale_holds_still_while_the_temperature_moves)
{
    settle(s);
    float end = caption_scale(s->v).high, most = s->v->g.caption.max_weight;
    assert_true(viz_generation_set(&s->v->g, VIZ_TEMPERATURE, 4));
    settle(s);
    assert_true(s->v->g.caption.max_weight < 0.9f * most);
    assert_true(caption_scale(s->v).high == end);
    assert_true(press_key(s, 'n'));
    settle(s);
    assert_true(caption_scale(s->v).high < end);
}

/* A flat map is as bright as a sharp one by its own scale alone, and dim by those that all share.
 */
IN_SCENE(the_scale_is_chosen_and_the_bar_says_which)
{
    settle(s);
    viz_generation_go(&s->v->g, 1);
    pass(s, 2);
    const sac_caption *caption = &s->v->g.caption;
    const float *map = caption->weights + (size_t)caption->grid_w * (size_t)caption->grid_h;
    float own = 0;
    char name[96];
    for (int i = 0; i < caption->grid_w * caption->grid_h; i++)
        own = fmaxf(own, map[i]);
    assert_true(own < s->v->scale_end && s->v->scale == VIZ_ROOT);
    for (int i = 0; i < VIZ_SCALE_COUNT; i++) {
        viz_scale scale = caption_scale_of(s->v, map), bar = caption_scale(s->v);
        bool alone = s->v->scale == VIZ_PER_MAP;
        assert_int_equal(scale.kind, s->v->scale);
        assert_true(scale.high == (alone ? own : s->v->scale == VIZ_FIXED ? 1 : s->v->scale_end));
        assert_true(fabsf(bar.high - scale.high) < 1e-6f && bar.kind == scale.kind);
        caption_scale_name(s->v, name, sizeof name);
        assert_non_null(strstr(name, viz_scale_name(s->v->scale)));
        assert_int_equal(strstr(name, caption->words[1].text) != NULL, alone);
        assert_reopens_to_the_same_pixels(s);
        assert_true(press_key(s, 'l'));
    }
    assert_int_equal(s->v->scale, VIZ_ROOT); /* round */
}

/* ---------------------------------------------------------------- does it matter? */

IN_SCENE(where_a_word_looked_matters_if_another_is_said_without_it)
{
    const caption_matters *m = &s->v->matters;
    settle(s);
    viz_generation_go(&s->v->g, 2); /* "red": hidden in its middle, the circle is called black */
    int generates = s->fake.generates;
    settle(s);
    assert_int_equal(s->fake.generates, generates); /* nobody asked */
    assert_true(press_key(s, 'd'));
    draw(s); /* while it is asked */
    settle(s);
    assert_true(m->known && m->word == 2);
    assert_int_equal(m->answer.instead, FAKE_BLACK);
    assert_int_equal(m->answer.changed, 0);
    generates = s->fake.generates;
    settle(s);
    assert_int_equal(s->fake.generates, generates); /* once */
}

IN_SCENE(each_word_that_is_rested_on_is_asked_about_until_it_ends)
{
    const caption_matters *m = &s->v->matters;
    settle(s);
    viz_generation_go(&s->v->g, 2);
    press_key(s, 'd');
    settle(s);
    viz_generation_go(&s->v->g, 3);
    settle(s);
    assert_true(m->known && m->word == 3);
    press_key(s, 'w'); /* another demand: another answer */
    settle(s);
    assert_true(m->known && m->revision == s->v->g.revision);
    press_key(s, 'n');
    settle(s);
    assert_false(m->on);
    press_key(s, 'd');
    assert_true(m->on);
    press_key(s, VIZ_KEY_ESCAPE);
    assert_false(m->on);
}

/* ---------------------------------------------------------------- without numbers */

IN_SCENE(the_numbers_are_behind_a_button)
{
    settle(s);
    press_key(s, '=');
    draw(s);
    assert_false(s->v->numbers);
    assert_true(s->v->layout.main.matrix.w == 0 && s->v->layout.bar.w == 0);
    assert_true(s->v->layout.line.plain.w > 0 && s->v->layout.buttons.count > 0);
    viz_rect heat = s->v->layout.modes.items[VIZ_HEAT];
    assert_true(click(s, heat, 1));
    assert_int_equal(s->v->style.overlay, VIZ_HEAT);
    press_key(s, '=');
    draw(s);
    assert_true(s->v->layout.main.matrix.w > 0 && s->v->layout.buttons.count == 0);
}

IN_SCENE(without_numbers_the_left_button_covers)
{
    settle(s);
    s->v->numbers = false;
    draw(s);
    click(s, cell(s, 5, 5), 1);
    assert_int_equal(s->v->hidden_count, 9); /* a hand's breadth of a grid of 14 */
    click(s, cell(s, 5, 5), 1);
    assert_int_equal(s->v->hidden_count, 0);
    s->v->numbers = true;
    draw(s);
    click(s, cell(s, 5, 5), 1);
    assert_int_equal(s->v->hidden_count, 0);
}

static void generate(earlier_caption *generated, const char *text)
{
    char copy[256], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", text);
    generated->count = 0;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        snprintf(generated->words[generated->count++].text, sizeof generated->words->text, "%s",
                 word);
}

/* "a child flies a [purple] yellow* kite": what is gone in brackets, what is new with a star. */
static const char *changed(const char *before, const char *now)
{
    static char text[512];
    static earlier_caption was, is;
    static sac_caption sentence;
    static caption_changes changes;
    size_t used = 0;
    generate(&was, before);
    generate(&is, now);
    sentence.count = is.count;
    memcpy(sentence.words, is.words, sizeof is.words);
    caption_changes_find(&was, &sentence, &changes);
    assert_true(changes.none == (strcmp(before, now) == 0));
    text[0] = '\0';
    for (int i = 0; i <= is.count; i++) {
        if (changes.gone[i][0])
            used += (size_t)snprintf(text + used, sizeof text - used, "[%s] ", changes.gone[i]);
        if (i < is.count)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s ", is.words[i].text,
                                     changes.fresh[i] ? "*" : "");
    }
    return text;
}

TEST(what_a_change_changed_is_struck_out_beside_what_came)
{
    assert_string_equal(changed("a child flies a purple kite", "a child flies a yellow kite"),
                        "a child flies a [purple] yellow* kite ");
    assert_string_equal(changed("a child flies a kite", "a child flies a red kite"),
                        "a child flies a red* kite ");
    assert_string_equal(changed("a dog runs on the beach", "a dog runs"),
                        "a dog runs [on the beach] ");
    assert_string_equal(changed("a dog runs", "a dog runs"), "a dog runs ");
    /* Too much is gone to be read, and a sentence that is wholly another has no changes. */
    assert_string_equal(changed("a dog runs on the long beach", "a dog runs"), "a dog runs ");
    assert_string_equal(changed("a dog runs on the beach", "two red boats sail"),
                        "two red boats sail ");
    assert_string_equal(changed("", "a dog"), "a dog ");
}

/* The picture's own sentence is what changes are seen against, however many cells are covered one
 * after the other; of a picture that was opened with covered cells it is not known. */
IN_SCENE(changes_are_seen_against_the_sentence_of_the_whole_picture)
{
    settle(s);
    assert_int_equal(s->v->unasked.count, s->v->g.caption.count);
    assert_false(s->v->changes.any);
    viz_generation_replace(&s->v->g, 1, 3);
    settle(s);
    assert_true(s->v->changes.any && s->v->changes.fresh[1]);
    viz_generation_take_back(&s->v->g, -1);
    settle(s);
    assert_false(s->v->changes.any);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
