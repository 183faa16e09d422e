/* The lesson view over a made-up lesson: numbers that a person changes, questions, the list. */
#include "canvas/recording.h"
#include "every_view.h"
#include "lesson/lesson_state.h"
#include "parts/controls/spots.h"
#include "status.h"
#include "test.h"
#include "view/settings.h"

static bool send_key(one_view *v, int key, bool ctrl)
{
    const viz_event event = {.kind = VIZ_KEY, .key = key, .ctrl = ctrl};
    bool changed = v->class->event(one_of(v), &event);
    one_draw(v);
    return changed;
}

static void restore(one_view *v, const char *key, const char *value)
{
    viz_view_restore(one_of(v), key, value);
    one_draw(v);
}

static const char *command_of(one_view *v)
{
    static char command[512];
    return v->class->command(one_of(v), command, sizeof command);
}

TEST(arrows_and_a_clickers_keys_turn_the_steps)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    assert_true(send_key(v, VIZ_KEY_RIGHT, false));
    assert_string_equal(command_of(v), "saccade lesson fake --step 2");
    assert_true(send_key(v, VIZ_KEY_PAGE_DOWN, false));
    assert_int_equal(v->lesson.finished, 0);
    assert_true(send_key(v, VIZ_KEY_RIGHT, false)); /* to its end */
    assert_int_equal(v->lesson.finished, 1);
    assert_true(send_key(v, VIZ_KEY_LEFT, false));
    assert_string_equal(command_of(v), "saccade lesson fake --step 3");
    assert_true(send_key(v, VIZ_KEY_HOME, false));
    assert_string_equal(command_of(v), "saccade lesson fake --step 1");
    one_close(v);
}

/* Behind the last one to all of them. */
TEST(the_way_goes_on_from_the_end_to_the_next_lesson)
{
    static const sac_lesson_entry twice[] = {{"fake", "Several heads", "words"},
                                             {"fake", "Several heads", "words"}};
    for (int count = 2; count > 0; count--) {
        one_view *v = one_open(&viz_lesson_class, 1280, 800);
        v->source->lesson.entries = twice;
        v->source->lesson.entry_count = count;
        send_key(v, VIZ_KEY_END, false);
        assert_true(send_key(v, VIZ_KEY_RIGHT, false));
        assert_true(send_key(v, VIZ_KEY_RIGHT, false));
        assert_int_equal(lesson_of(one_of(v))->lists, count == 1);
        if (count == 2)
            assert_string_equal(command_of(v), "saccade lesson fake --step 1");
        one_close(v);
    }
}

TEST(arrow_keys_reach_a_cell_and_the_command_names_it)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    assert_true(send_key(v, VIZ_KEY_UP, false)); /* from the largest of the last row */
    assert_string_equal(command_of(v), "saccade lesson fake --step 1 --cell scores,1,2");
    assert_true(send_key(v, VIZ_KEY_LEFT, true));
    assert_string_equal(command_of(v), "saccade lesson fake --step 1 --cell scores,1,1");
    one_close(v);
}

TEST(a_file_gets_the_numbers_of_the_array_looked_at)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    viz_table table;
    float row[3] = {0};
    char name[16];
    restore(v, "cell", "scores,1,1");
    assert_true(v->class->table(one_of(v), &table));
    assert_string_equal(table.title, "scores");
    assert_true(table.rows == 3 && table.columns == 3);
    OK(v->class->table_row(one_of(v), 1, row, NULL));
    assert_memory_equal(row, fake_scores + 3, sizeof row);
    send_key(v, VIZ_KEY_END, false);
    assert_true(v->class->table(one_of(v), &table));
    assert_true(table.rows == 6 && table.columns == 4);
    assert_string_equal(v->class->table_name(one_of(v), true, 4, name, sizeof name), "1,1");
    one_close(v);
}

/* A setting is requested once, takes the place of its last value, and is reset by ctrl R. */
TEST(a_reset_takes_the_lessons_own_numbers_again)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    restore(v, "settings", "temperature=0.5");
    assert_int_equal(v->lesson.taught, 2);
    assert_string_equal(v->lesson.settings, "temperature=0.5");
    assert_true(send_key(v, 'r', true));
    assert_string_equal(v->lesson.settings, "");
    assert_string_equal(command_of(v), "saccade lesson fake --step 1");
    one_close(v);
}

/* While a question waits, keys are its answer; the answer ends that. */
TEST(a_question_waits_for_its_answer)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    restore(v, "quiz", "8");
    restore(v, "lesson", "fake");
    assert_true(v->lesson.asks); /* those with choices too */
    assert_true(v->class->typing(one_of(v)));
    assert_string_equal(command_of(v), "saccade lesson fake --step 2 --quiz --seed 8");
    assert_false(send_key(v, VIZ_KEY_RETURN, false));
    assert_true(send_key(v, '2', false));
    assert_true(send_key(v, VIZ_KEY_RETURN, false));
    assert_false(v->class->typing(one_of(v)));
    assert_false(lesson_of(one_of(v))->right);
    assert_true(send_key(v, VIZ_KEY_RETURN, false));
    assert_true(v->class->typing(one_of(v)));
    one_close(v);
}

static bool press_only(one_view *v, viz_rect r)
{
    const viz_event press = {
        .kind = VIZ_PRESS, .button = 1, .x = r.x + r.w / 2, .y = r.y + r.h / 2};
    return v->class->event(one_of(v), &press);
}

static bool press_at(one_view *v, viz_rect r)
{
    bool changed = press_only(v, r);
    one_draw(v);
    return changed;
}

/* Three questions by the mouse: a click, a skip, a choice; then the score, and the next lesson. */
TEST(a_quiz_is_gone_through_by_the_mouse)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    lesson_view *l = lesson_of(one_of(v));
    assert_true(press_at(v, l->buttons[LESSON_BUTTON_QUIZ]));
    assert_int_equal(l->sheet_count, 3);
    assert_true(press_at(v, lesson_cell_rect(&l->layout.blocks[1], lesson_array(l, 3), 0)));
    assert_true(l->answered && l->right);
    assert_true(press_at(v, l->buttons[LESSON_BUTTON_ON]));
    assert_true(press_at(v, l->buttons[LESSON_BUTTON_ON]));
    assert_true(l->card.asked && l->card.chosen < 0);
    assert_true(press_at(v, l->card.items[1]));
    assert_true(l->answered && l->right);
    assert_false(press_at(v, l->card.items[0])); /* answered once */
    assert_true(press_at(v, l->buttons[LESSON_BUTTON_ON]));
    assert_true(l->ends && !l->quiz);
    assert_int_equal(l->right_count, 2);
    assert_int_equal(l->scored, 3);
    assert_true(press_at(v, l->buttons[LESSON_BUTTON_LIST]));
    assert_true(l->lists);
    one_close(v);
}

/* Nothing of it stays on the pages: no verdict, no hidden array, no card. */
TEST(a_quiz_can_be_left_in_its_midst)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    lesson_view *l = lesson_of(one_of(v));
    assert_true(press_at(v, l->buttons[LESSON_BUTTON_QUIZ]));
    assert_true(send_key(v, '0', false));
    assert_true(send_key(v, VIZ_KEY_RETURN, false));
    assert_true(l->layout.notice_x > 0);
    assert_true(send_key(v, VIZ_KEY_LEFT, false));
    assert_true(l->layout.notice_x == 0); /* it is of the question's step */
    assert_true(send_key(v, VIZ_KEY_RIGHT, false));
    assert_true(press_at(v, l->buttons[LESSON_BUTTON_LEAVE]));
    assert_true(l->layout.notice_x == 0 && !lesson_hides(l, 3) && !l->card.asked);
    assert_true(press_at(v, l->buttons[LESSON_BUTTON_QUIZ]));
    assert_true(lesson_asks(l) && l->at == 0);
    one_close(v);
}

/* Its sums would give away a row's count, and its numbers in another shape which is the largest. */
TEST(what_is_made_of_a_hidden_result_alone_is_hidden_until_it_is_answered)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    lesson_view *l = lesson_of(one_of(v));
    assert_true(press_at(v, l->buttons[LESSON_BUTTON_QUIZ]));
    assert_true(lesson_hides_cell(l, 3, 0) && !lesson_hides_cell(l, 4, 0));
    l->lesson.arrays[3].inputs[0] = 3;
    assert_true(lesson_hides_cell(l, 4, 0));
    l->lesson.arrays[3].inputs[1] = 2; /* the result is to be found from both */
    assert_false(lesson_hides_cell(l, 4, 0));
    l->lesson.arrays[3].inputs[1] = 0;
    assert_false(lesson_hides_cell(l, 2, 0)); /* it is computed of these */
    assert_true(send_key(v, '0', false));
    assert_true(send_key(v, VIZ_KEY_RETURN, false));
    assert_false(lesson_hides_cell(l, 4, 0));
    one_close(v);
}

TEST(the_end_asks_and_leads_on)
{
    static const int sizes[][2] = {{640, 400}, {1280, 800}, {3840, 2160}};
    for (int i = 0; i < 3; i++) {
        one_view *v = one_open(&viz_lesson_class, sizes[i][0], sizes[i][1]);
        lesson_view *l = lesson_of(one_of(v));
        send_key(v, VIZ_KEY_END, false);
        assert_true(send_key(v, VIZ_KEY_RIGHT, false));
        assert_non_null(l->cards[0].asked);
        assert_true(press_at(v, l->cards[0].items[0]));
        assert_int_equal(l->cards[0].chosen, 0);
        for (int b = 0; b < LESSON_BUTTONS; b++)
            assert_true(l->buttons[b].y + l->buttons[b].h < (float)sizes[i][1] - VIZ_FOOT);
        assert_true(press_only(v, l->buttons[LESSON_BUTTON_ON]));
        assert_string_equal(l->wanted.name, "other");
        one_close(v);
    }
}

/* A head and three questions, as the lesson has no others, and the same with their answers. A question
 * hides what its key shows. */
TEST(a_worksheet_hides_what_its_key_page_shows)
{
    one_view *v = one_open(&viz_lesson_class, 640, 400);
    restore(v, "layout", "figure");
    restore(v, "quiz", "7");
    assert_int_equal(v->class->pages(one_of(v)), 8);
    for (int page = 0; page < 8; page++)
        assert_int_equal(v->class->breaks_before(one_of(v), page), page == 4);
    for (int page = 1; page < 3; page++) {
        v->class->turn_to(one_of(v), page);
        assert_true(lesson_hides(lesson_of(one_of(v)), 3));
        float question = v->class->figure_height(one_of(v), &v->canvas, 640);
        v->class->turn_to(one_of(v), page + 4);
        assert_false(lesson_hides(lesson_of(one_of(v)), 3));
        assert_true(v->class->figure_height(one_of(v), &v->canvas, 640) < question);
    }
    one_close(v);
}

/* The other lesson cannot be computed, and has no sheet. */
TEST(without_a_lesson_there_are_worksheets_of_all)
{
    one_view *v = one_open(&viz_lesson_class, 640, 400);
    lesson_view *l = lesson_of(one_of(v));
    send_key(v, 'f', false);
    restore(v, "layout", "figure");
    restore(v, "quiz", "7");
    assert_int_equal(v->class->pages(one_of(v)), 2 * 4);
    v->class->turn_to(one_of(v), 2);
    assert_true(l->has_question && !l->answered && l->at == 1);
    assert_string_equal(l->lesson.name, "fake");
    v->class->turn_to(one_of(v), 5);
    assert_true(l->has_question && l->answered && l->at == 0);
    one_close(v);
}

TEST(the_list_opens_a_lesson)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    send_key(v, VIZ_KEY_END, false);
    assert_true(send_key(v, 'f', false));
    assert_true(send_key(v, VIZ_KEY_RIGHT, false));
    assert_true(send_key(v, VIZ_KEY_LEFT, false));
    assert_true(send_key(v, VIZ_KEY_RETURN, false));
    assert_string_equal(command_of(v), "saccade lesson fake --step 1");
    one_close(v);
}

/* ---------------------------------------------------------------- the gallery */

enum { ENTRIES = 24 };

/* Groups begin at the first, the seventh, the ninth and the last entry: the second in the midst of a line of four. */
static one_view *open_gallery(sac_lesson_entry entries[ENTRIES], int width, int height)
{
    static const char group[] = "a group";
    one_view *v = one_open(&viz_lesson_class, width, height);
    for (int i = 0; i < ENTRIES; i++) {
        entries[i] = v->source->lesson.entries[0];
        entries[i].group = i == 0 || i == 6 || i == 8 || i == ENTRIES - 1 ? group : NULL;
    }
    v->source->lesson.entries = entries;
    v->source->lesson.entry_count = ENTRIES;
    send_key(v, 'f', false);
    one_draw(v);
    return v;
}

static int tiles_in_sight(one_view *v, viz_rect tiles[ENTRIES])
{
    static viz_spots spots;
    int count = 0;
    spots.count = 0;
    v->class->spots(one_of(v), &spots);
    for (int i = 0; i < spots.count; i++)
        if (spots.items[i].tip && strcmp(spots.items[i].tip, "Opens this lesson.") == 0)
            tiles[count++] = spots.items[i].rect;
    return count;
}

TEST(every_lesson_of_the_gallery_comes_into_sight)
{
    static const int sizes[][2] = {{640, 400}, {800, 500}, {1280, 800}, {3840, 2160}};
    for (int i = 0; i < 4; i++) {
        sac_lesson_entry entries[ENTRIES];
        viz_rect tiles[ENTRIES];
        one_view *v = open_gallery(entries, sizes[i][0], sizes[i][1]);
        for (int k = 0; k < ENTRIES; k++) {
            viz_rect whole = lesson_of(one_of(v))->gallery.tiles[k];
            int seen = tiles_in_sight(v, tiles), found = 0;
            for (int t = 0; t < seen; t++) {
                found += tiles[t].x == whole.x && fabsf(tiles[t].h - whole.h) < 0.01f;
                assert_true(tiles[t].x + tiles[t].w <= (float)sizes[i][0]);
            }
            assert_true(found > 0 && whole.w > 150 && whole.h > 100);
            assert_true(k == ENTRIES - 1 || send_key(v, VIZ_KEY_RIGHT, false));
        }
        one_close(v);
    }
}

TEST(a_long_name_has_two_lines)
{
    sac_lesson_entry entries[ENTRIES];
    one_view *v = open_gallery(entries, 1280, 800);
    const lesson_gallery *g = &lesson_of(one_of(v))->gallery;
    float one = g->tiles[1].h;
    entries[1].title = "A name that is much longer than a tile";
    one_draw(v);
    assert_true(g->tiles[1].h > one + 10 && g->tiles[2].h == one);
    one_close(v);
}

TEST(the_name_of_a_group_is_below_the_line_above)
{
    for (int width = 640; width <= 1600; width += 160) {
        sac_lesson_entry entries[ENTRIES];
        one_view *v = open_gallery(entries, width, 800);
        const lesson_gallery *g = &lesson_of(one_of(v))->gallery;
        for (int i = 1; i < ENTRIES; i++)
            for (int k = 0; k < i && entries[i].group; k++)
                if (g->tiles[k].y < g->tiles[i].y)
                    assert_true(g->headings[i] - 12 > g->tiles[k].y + g->tiles[k].h);
        one_close(v);
    }
}

/* A tile that is half in sight draws nothing over the bar and the line of status, its drawing neither. */
TEST(the_gallery_stays_in_its_area)
{
    sac_lesson_entry entries[ENTRIES];
    one_view *v = open_gallery(entries, 640, 400);
    const lesson_gallery *g = &lesson_of(one_of(v))->gallery;
    for (int i = 0; i < 12; i++) {
        viz_recording r = {0};
        v->canvas.recording = &r;
        viz_canvas *canvas = &v->canvas;
        v->class->draw(one_of(v), canvas, g->area);
        canvas->recording = NULL;
        for (size_t k = 0; k < r.count; k++) {
            assert_true(r.shapes[k].clip.y0 >= (int)g->area.y - 1);
            assert_true(r.shapes[k].clip.y1 <= (int)(g->area.y + g->area.h) + 1);
        }
        assert_true(r.count > 20);
        viz_recording_free(&r);
        v->class->event(one_of(v), &(viz_event){.kind = VIZ_WHEEL, .wheel_y = -0.5f});
    }
    one_close(v);
}

/* Each group begins a line, below its own name. */
TEST(a_group_begins_a_line)
{
    sac_lesson_entry entries[ENTRIES];
    one_view *v = open_gallery(entries, 1280, 800);
    const lesson_gallery *g = &lesson_of(one_of(v))->gallery;
    for (int i = 1; i < ENTRIES; i++)
        if (entries[i].group)
            assert_true(g->tiles[i].x == g->tiles[0].x && g->headings[i] < g->tiles[i].y &&
                        g->tiles[i].y > g->tiles[i - 1].y);
    one_close(v);
}

/* Pictures are computed when they come into sight, and no sooner. */
TEST(the_gallery_computes_what_is_in_sight)
{
    sac_lesson_entry entries[ENTRIES];
    one_view *v = open_gallery(entries, 640, 400);
    const lesson_gallery *g = &lesson_of(one_of(v))->gallery;
    assert_non_null(g->lessons[0]);
    assert_false(g->asked[ENTRIES - 1]);
    assert_true(send_key(v, VIZ_KEY_END, false));
    assert_non_null(g->lessons[ENTRIES - 1]);
    one_close(v);
}

TEST(arrows_and_the_wheel_move_through_the_gallery)
{
    sac_lesson_entry entries[ENTRIES];
    one_view *v = open_gallery(entries, 1280, 800);
    lesson_view *l = lesson_of(one_of(v));
    const viz_event wheel = {.kind = VIZ_WHEEL, .wheel_y = -2};
    send_key(v, VIZ_KEY_HOME, false);
    assert_true(send_key(v, VIZ_KEY_DOWN, false));
    assert_int_equal(l->marked, 6); /* below the first one, in the next group */
    assert_true(send_key(v, VIZ_KEY_UP, false));
    assert_int_equal(l->marked, 0);
    assert_false(send_key(v, VIZ_KEY_UP, false));
    assert_true(v->class->event(one_of(v), &wheel));
    assert_true(l->gallery.scroll > 100);
    one_close(v);
}

TEST(a_press_leads_back_to_the_gallery)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    viz_rect back = lesson_of(one_of(v))->layout.back;
    assert_true(press_at(v, back));
    assert_true(lesson_of(one_of(v))->lists);
    one_close(v);
}

TEST(the_gallery_marks_the_lesson_that_one_comes_from)
{
    sac_lesson_entry entries[ENTRIES];
    one_view *v = open_gallery(entries, 640, 400);
    lesson_view *l = lesson_of(one_of(v));
    for (int i = 0; i < ENTRIES - 1; i++)
        entries[i].name = "another";
    assert_true(v->class->event(one_of(v), &(viz_event){.kind = VIZ_KEY, .key = VIZ_KEY_END}));
    assert_true(send_key(v, VIZ_KEY_RETURN, false));
    send_key(v, 'f', false);
    assert_int_equal(l->marked, ENTRIES - 1);
    assert_true(l->gallery.scroll > 0);
    one_close(v);
}

/* The view opens lessons itself, and leaves views to the window: by the door's number, once. */
TEST(a_door_is_marked_and_opened_by_keys)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    assert_int_equal(v->class->choose(one_of(v)), -1);
    assert_true(send_key(v, VIZ_KEY_RETURN, false));
    assert_int_equal(v->class->choose(one_of(v)), 0);
    assert_int_equal(v->class->choose(one_of(v)), -1);
    assert_true(send_key(v, 'n', false));
    assert_true(send_key(v, VIZ_KEY_RETURN, false));
    assert_int_equal(v->class->choose(one_of(v)), -1);
    assert_string_equal(command_of(v), "saccade lesson fake --step 1");
    one_close(v);
}

/* They are copied as they appear, once, and are part of the page's command. */
TEST(a_key_shows_the_lines_of_pytorch_and_copies_them)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    assert_null(v->class->copied(one_of(v)));
    assert_true(send_key(v, '#', false));
    assert_string_equal(v->class->copied(one_of(v)), "scores = q @ k.T\nscores.shape");
    assert_null(v->class->copied(one_of(v)));
    assert_string_equal(command_of(v), "saccade lesson fake --step 1 --code");
    assert_true(send_key(v, '#', false));
    assert_null(v->class->copied(one_of(v)));
    one_close(v);
}

TEST(the_colours_of_shares_are_a_setting)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    assert_true(send_key(v, 'm', false));
    assert_string_equal(command_of(v), "saccade lesson fake --step 1 --map viridis");
    send_key(v, 'm', false);
    send_key(v, 'm', false);
    assert_string_equal(command_of(v), "saccade lesson fake --step 1");
    one_close(v);
}

static bool send_pointer(one_view *v, viz_event_kind kind, viz_spot *bar, float share)
{
    const viz_event event = {.kind = kind,
                             .button = kind == VIZ_PRESS,
                             .x = bar->rect.x + share * bar->rect.w,
                             .y = bar->rect.y + bar->rect.h / 2};
    bool changed = v->class->event(one_of(v), &event);
    one_draw(v);
    return changed;
}

/* Letting the bar go is the answer; until then it can be moved. */
TEST(a_number_is_guessed_by_dragging_a_bar)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    static viz_spots spots;
    viz_spot *bar = NULL;
    restore(v, "quiz", "9");
    viz_shell_spots(&v->shell, &spots);
    for (int i = 0; i < spots.count; i++)
        bar =
            spots.items[i].tip && strstr(spots.items[i].tip, "your guess") ? &spots.items[i] : bar;
    assert_non_null(bar);
    assert_true(send_pointer(v, VIZ_PRESS, bar, 0.2f));
    assert_true(send_pointer(v, VIZ_MOVE, bar, 0.7f));
    assert_true(v->class->typing(one_of(v)));
    assert_true(send_pointer(v, VIZ_RELEASE, bar, 0.7f));
    assert_false(v->class->typing(one_of(v)));
    assert_false(send_pointer(v, VIZ_MOVE, bar, 0.1f) && v->class->typing(one_of(v)));
    one_close(v);
}

/* Letters are text until Return; Esc leaves what was there. */
TEST(a_sentence_is_typed_on_the_page)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    assert_true(send_key(v, 'l', true));
    assert_true(v->class->typing(one_of(v)));
    for (const char *letter = "a maq"; *letter; letter++)
        send_key(v, *letter, false);
    send_key(v, VIZ_KEY_BACKSPACE, false);
    assert_true(send_key(v, VIZ_KEY_RETURN, false));
    assert_false(v->class->typing(one_of(v)));
    assert_string_equal(command_of(v), "saccade lesson fake --step 1 --text 'a ma'");
    send_key(v, 'l', true);
    send_key(v, 'n', false);
    send_key(v, VIZ_KEY_ESCAPE, false);
    assert_string_equal(command_of(v), "saccade lesson fake --step 1 --text 'a ma'");
    restore(v, "text", "it's");
    assert_string_equal(command_of(v), "saccade lesson fake --step 1 --text 'it'\\''s'");
    one_close(v);
}

/* They may come out of an untrusted picture. */
TEST(what_a_lesson_does_not_have_is_not_restored)
{
    static const char *const refused[][2] = {
        {"lesson", "masks;touch x"},
        {"cell", "a;touch x;#"},
        {"cell", "scores,9,9"},
        {"cell", "scores,1,1\nls"},
        {"settings", "a=1\ntouch x"},
        {"settings", "a=1\x15"},
        {"text", "\xc2\x9b"
                 "2J"},
        {"text", "\u202e"},
        {"text", "\xff"},
        {"step", "-3"},
        {"step", "two"},
        {"step", "99999999999"},
        {"seed", "7;touch x"},
        {"quiz", "yes"},
        {"language", "en;touch x"},
        {"map", "grey;touch x"},
    };
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        restore(v, refused[i][0], refused[i][1]);
        assert_string_equal(command_of(v), "saccade lesson fake --step 1");
    }
    restore(v, "step", "4000"); /* as far as there are any */
    restore(v, "cell", "stack,0,1,1");
    assert_string_equal(command_of(v), "saccade lesson fake --step 3 --cell stack,0,1,1");
    one_close(v);
}

TEST(the_command_is_quoted_word_by_word)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    restore(v, "settings", "a=1;touch${IFS}x b=2");
    restore(v, "text", "$(ls) it's");
    char *file = lesson_of(one_of(v))->source->origin.file;
    strcpy(file, "x'$(ls)'.npz");
    assert_string_equal(command_of(v),
                        "saccade lesson fake --step 1 --text '$(ls) it'\\''s' --set "
                        "'a=1;touch${IFS}x' --set b=2 --from 'x'\\''$(ls)'\\''.npz'");
    strcpy(file, "a\nb");
    assert_string_equal(command_of(v), "");
    one_close(v);
}

/* The empty height between the formula and the arrays, and between them and the arithmetic. */
TEST(an_upright_page_reads_on_without_holes)
{
    static const int sizes[][2] = {{800, 1200}, {1280, 800}, {500, 1000}, {1920, 1080}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        one_view *v = one_open(&viz_lesson_class, sizes[i][0], sizes[i][1]);
        for (int step = 0; step < FAKE_STEPS; step++, send_key(v, VIZ_KEY_RIGHT, false)) {
            const lesson_layout *l = &((const lesson_view *)one_of(v))->layout;
            viz_rect drawing = l->drawing.room;
            float top = drawing.w > 0 ? drawing.y : l->arithmetic_y, bottom = drawing.y + drawing.h;
            for (int b = 0; b < l->block_count; b++) {
                viz_rect r = l->blocks[b].rect;
                top = fminf(top, r.y);
                bottom = fmaxf(bottom, r.y + r.h);
            }
            assert_true(l->block_count > 0 && bottom < l->arithmetic_y);
            if (top - l->formula_y > 140 * l->unit || l->arithmetic_y - bottom > 300 * l->unit)
                fail_msg("%d × %d, step %d: %.0f above the arrays, %.0f below", sizes[i][0],
                         sizes[i][1], step + 1, top - l->formula_y, l->arithmetic_y - bottom);
        }
        one_close(v);
    }
}

/* ---------------------------------------------------------------- places */

static const lesson_layout *layout_of(const one_view *v)
{
    return &((const lesson_view *)one_of(v))->layout;
}

static const lesson_block *block_of(const one_view *v, sac_node node)
{
    const lesson_layout *l = layout_of(v);
    for (int i = 0; i < l->block_count; i++)
        if (l->blocks[i].node == node)
            return &l->blocks[i];
    fail_msg("array %d is not shown", node);
    return NULL;
}

static void assert_same_rect(viz_rect a, viz_rect b)
{
    assert_true(a.x == b.x && a.y == b.y && a.w == b.w && a.h == b.h);
}

/* It is the last of one step and the first of the next; their digits have one size, and what is below
 * begins where it did. */
TEST(an_array_keeps_its_place_in_the_next_step)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    restore(v, "shown", "numbers");
    lesson_block scores = *block_of(v, 2);
    viz_rect room = layout_of(v)->room;
    send_key(v, VIZ_KEY_RIGHT, false);
    assert_same_rect(block_of(v, 2)->rect, scores.rect);
    assert_true(block_of(v, 2)->number == scores.number && block_of(v, 3)->number == scores.number);
    assert_same_rect(layout_of(v)->room, room);
    assert_int_equal(layout_of(v)->past_count, 1);
    assert_int_equal(layout_of(v)->past[0].node, 1);
    one_close(v);
}

static void send_pointer_to(one_view *v, viz_event_kind kind, float x, float y)
{
    const viz_event event = {.kind = kind, .button = kind == VIZ_PRESS, .x = x, .y = y};
    v->class->event(one_of(v), &event);
    one_draw(v);
}

/* The number grows to the right as it does up; its column, its neighbours and the colours stay. Let go, it keeps its
 * place, and the colours follow. */
TEST(a_number_is_dragged_sideways_and_nothing_else_moves)
{
    one_view *v = one_open(&viz_lesson_class, 1280, 800);
    lesson_block query = *block_of(v, 1);
    viz_rect cell = lesson_cell_rect(&query, lesson_array(lesson_of(one_of(v)), 1), 0);
    float x = cell.x + cell.w / 2, y = cell.y + cell.h / 2;
    send_pointer_to(v, VIZ_PRESS, x, y);
    send_pointer_to(v, VIZ_MOVE, x + 480, y);
    assert_string_equal(v->lesson.settings, "query,0,0=2.2");
    assert_same_rect(block_of(v, 1)->rect, query.rect);
    assert_true(block_of(v, 1)->cell_w == query.cell_w && block_of(v, 1)->most == 1);
    send_pointer_to(v, VIZ_MOVE, x, y - 480);
    assert_string_equal(v->lesson.settings, "query,0,0=2.2");
    send_pointer_to(v, VIZ_RELEASE, x, y - 480);
    assert_true(block_of(v, 1)->most > 2);
    assert_same_rect(block_of(v, 1)->rect, query.rect);
    assert_int_equal(block_of(v, 1)->format.decimals, 1);
    one_close(v);
}

/* ---------------------------------------------------------------- motion */

static bool tick(one_view *v, double now)
{
    bool moves = v->class->tick(one_of(v), now);
    one_draw(v);
    return moves;
}

/* As a window does: time passes until nothing moves. Returns when that is. */
static double tick_to_the_end(one_view *v, double now)
{
    int ticks = 0;
    for (; tick(v, now); now += 0.04)
        assert_true(++ticks < 1000);
    return now;
}

static one_view *open_moving(double *now)
{
    one_view *v = one_open(&viz_lesson_class, 640, 400);
    *now = tick_to_the_end(v, 10);
    return v;
}

static bool same_pixels(const one_view *a, const one_view *b)
{
    return memcmp(a->canvas.rgba, b->canvas.rgba, (size_t)4 * 640 * 400) == 0;
}

TEST(after_a_motion_the_page_is_the_still_one_forward_and_back)
{
    double now;
    one_view *v = open_moving(&now), *still = one_open(&viz_lesson_class, 640, 400);
    for (int step = 1; step < FAKE_STEPS; step++) {
        send_key(v, VIZ_KEY_RIGHT, false);
        send_key(still, VIZ_KEY_RIGHT, false);
        tick(v, now);
        tick(v, now + 0.3);
        assert_false(same_pixels(v, still));
        now = tick_to_the_end(v, now + 0.6);
        assert_true(same_pixels(v, still));
    }
    for (int step = 1; step < FAKE_STEPS; step++) {
        send_key(v, VIZ_KEY_LEFT, false);
        send_key(still, VIZ_KEY_LEFT, false);
        tick(v, now);
        tick(v, now + 0.1);
        assert_false(same_pixels(v, still));
        now = tick_to_the_end(v, now + 0.2);
        assert_true(same_pixels(v, still));
    }
    one_close(v);
    one_close(still);
}

/* The key that ends it does no more. */
TEST(a_key_ends_a_motion_with_its_result)
{
    double now;
    one_view *v = open_moving(&now), *still = one_open(&viz_lesson_class, 640, 400);
    send_key(still, VIZ_KEY_RIGHT, false);
    send_key(v, VIZ_KEY_RIGHT, false);
    assert_true(tick(v, now));
    assert_true(tick(v, now + 0.2));
    assert_true(send_key(v, VIZ_KEY_RIGHT, false));
    assert_true(same_pixels(v, still));
    assert_false(tick(v, now + 0.3));
    assert_true(same_pixels(v, still));
    one_close(v);
    one_close(still);
}

TEST(nothing_moves_where_the_pace_is_still)
{
    double now;
    one_view *v = open_moving(&now);
    restore(v, "pace", "still");
    send_key(v, VIZ_KEY_RIGHT, false);
    assert_false(tick(v, now));
    assert_int_equal(lesson_of(one_of(v))->step, 1);
    one_close(v);
}

TEST(steps_follow_each_other_by_themselves_to_the_last)
{
    double now;
    one_view *v = open_moving(&now);
    assert_true(send_key(v, ' ', false));
    for (int i = 0; i < 2000 && lesson_of(one_of(v))->motion.plays; i++)
        tick(v, now += 0.04);
    assert_int_equal(lesson_of(one_of(v))->step, FAKE_STEPS - 1);
    assert_false(lesson_of(one_of(v))->motion.plays);
    one_close(v);
}

/* All steps, or the one that is requested; in both the last frame is the still page. */
TEST(an_animation_moves_from_step_to_step)
{
    one_view *v = one_open(&viz_lesson_class, 640, 400);
    one_view *still = one_open(&viz_lesson_class, 640, 400);
    int all = v->class->frames(one_of(v), 10);
    restore(v, "step", "2");
    restore(v, "pages", "one");
    int one = v->class->frames(one_of(v), 10);
    assert_true(one > 40 && all > 2 * one);
    send_key(still, VIZ_KEY_RIGHT, false);
    for (int i = 0; i < one; i++) {
        v->class->frame(one_of(v), i, 10);
        one_draw(v);
        assert_int_equal(lesson_of(one_of(v))->step, 1);
        if (i == 10 || i == one - 1)
            assert_true(same_pixels(v, still) == (i == one - 1));
    }
    restore(v, "pages", "all");
    v->class->frame(one_of(v), all - 1, 10);
    assert_int_equal(lesson_of(one_of(v))->step, FAKE_STEPS - 1);
    one_close(v);
    one_close(still);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
