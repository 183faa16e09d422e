/* viz/views/translation: a sentence is translated as it is typed, and every word can be asked
 * about.
 */
#include "base/text/utf8.h"
#include "canvas/text.h"
#include "fake_translation.h"
#include "rects.h"
#include "shell/shell.h"
#include "test.h"
#include "translation/translation_state.h"
#include "view/history.h"
#include "view/settings.h"

typedef struct scene {
    fake_translation fake;
    viz_view *view;
    translation_view *v; /* the same, from inside */
    viz_canvas canvas;
} scene;

static void settle(scene *s)
{
    const viz_rect area = {0, VIZ_TABS_HEIGHT, viz_width(&s->canvas),
                           viz_height(&s->canvas) - VIZ_TABS_HEIGHT};
    viz_view_settle(s->view, NULL);
    viz_clear(&s->canvas);
    s->view->class->draw(s->view, &s->canvas, area);
}

static int open_scene(void **state)
{
    scene *s = calloc(1, sizeof *s);
    fake_translation_open(&s->fake);
    if (viz_translation_view_create(&s->fake.source, NULL, &s->view, NULL) != SAC_OK ||
        viz_canvas_create(1280, 800, 1, &viz_theme_dark, &s->canvas, NULL) != SAC_OK)
        return 1;
    s->v = translation_of(s->view);
    settle(s);
    *state = s;
    return 0;
}

static int close_scene(void **state)
{
    scene *s = *state;
    viz_view_destroy(s->view);
    viz_canvas_free(&s->canvas);
    free(s);
    return 0;
}

static bool press_key(scene *s, int key)
{
    return s->view->class->event(s->view, &(viz_event){.kind = VIZ_KEY, .key = key});
}

static void begin_typing(scene *s)
{
    s->view->class->event(s->view, &(viz_event){.kind = VIZ_KEY, .key = 'l', .ctrl = true});
}

static void type(scene *s, const char *text)
{
    for (; *text; text++)
        press_key(s, *text);
}

static void click(scene *s, viz_rect r, int button)
{
    viz_event event = {.kind = VIZ_PRESS, .x = r.x + r.w / 2, .y = r.y + r.h / 2, .button = button};
    s->view->class->event(s->view, &event);
    event.kind = VIZ_RELEASE;
    s->view->class->event(s->view, &event);
}

static const char *generated(const scene *s)
{
    static char text[1024];
    return sac_caption_text(&s->v->g.caption, text, sizeof text);
}

/* ---------------------------------------------------------------- typing */

#define SCENE(name) TEST_ON(scene, s, name, open_scene, close_scene)

SCENE(what_is_typed_is_translated_letter_by_letter)
{
    assert_string_equal(generated(s), "DORT ROI LE");
    begin_typing(s);
    assert_true(s->view->class->typing(s->view));
    type(s, "the s"); /* the whole sentence is marked: the first letter takes its place */
    settle(s);
    assert_string_equal(generated(s), "LE");
    assert_non_null(strstr(s->v->sentence.unread, "s: is no word"));
    type(s, "ummer");
    settle(s);
    assert_string_equal(generated(s), "été LE");
    assert_string_equal(s->v->sentence.unread, "");
    press_key(s, VIZ_KEY_RETURN);
    assert_false(s->view->class->typing(s->view));
}

SCENE(the_caret_goes_through_the_text)
{
    begin_typing(s);
    type(s, "king");
    press_key(s, VIZ_KEY_HOME);
    type(s, "the ");
    assert_string_equal(s->v->field.text, "the king");
    press_key(s, VIZ_KEY_END);
    press_key(s, VIZ_KEY_LEFT);
    press_key(s, VIZ_KEY_BACKSPACE);
    assert_string_equal(s->v->field.text, "the kig");
    press_key(s, VIZ_KEY_RIGHT);
    type(s, "!");
    assert_string_equal(s->v->field.text, "the kig!");
}

SCENE(a_word_that_is_not_known_leaves_what_was_said)
{
    translation_type(s->v, "zebra sleeps");
    viz_view_settle(s->view, NULL);
    assert_non_null(strstr(s->v->g.request.problem, "zebra: is no word"));
    assert_string_equal(generated(s), "DORT ROI LE");
    translation_type(s->v, "");
    settle(s); /* draws without a sentence */
    translation_type(s->v, "king");
    settle(s);
    assert_string_equal(generated(s), "ROI");
}

/* How far the pixels below the field stand out from the ground, on the whole. */
static double contrast(scene *s)
{
    const viz_color *ground = &s->canvas.theme->ground;
    double sum = 0;
    int top = (int)(s->v->layout.hint.y + s->v->layout.hint.h), bottom = (int)s->v->layout.rule.y;
    for (int y = top; y < bottom; y++)
        for (int x = 0; x < s->canvas.width; x++) {
            const uint8_t *p =
                s->canvas.rgba + 4 * ((size_t)y * (size_t)s->canvas.width + (size_t)x);
            sum += abs(p[0] - ground->r) + abs(p[1] - ground->g) + abs(p[2] - ground->b);
        }
    return sum;
}

SCENE(what_an_earlier_sentence_gave_is_veiled)
{
    settle(s);
    double clear = contrast(s);
    translation_type(s->v, "zebra sleeps");
    viz_view_settle(s->view, NULL);
    settle(s);
    assert_non_null(strstr(s->v->g.request.problem, "zebra"));
    assert_true(contrast(s) < 0.4 * clear);
    translation_type(s->v, "king");
    settle(s);
    assert_true(contrast(s) > 0.3 * clear);
}

SCENE(ctrl_a_selects_all_of_the_sentence)
{
    const viz_event all = {.kind = VIZ_KEY, .key = 'a', .ctrl = true};
    s->view->class->event(s->view, &(viz_event){.kind = VIZ_KEY, .key = 'l', .ctrl = true});
    s->view->class->event(s->view, &(viz_event){.kind = VIZ_KEY, .key = VIZ_KEY_END});
    assert_false(s->v->field.all);
    assert_true(s->view->class->event(s->view, &all));
    s->view->class->event(s->view, &(viz_event){.kind = VIZ_KEY, .key = 'k'});
    assert_string_equal(s->v->field.text, "k");
}

SCENE(letters_typed_are_taken_back_one_by_one)
{
    viz_tab tab = {.class = s->view->class, .view = s->view};
    viz_shell shell = {.tabs = &tab, .count = 1};
    viz_shell_event(&shell, &(viz_event){.kind = VIZ_KEY, .key = 'l', .ctrl = true});
    for (const char *c = "king"; *c; c++)
        viz_shell_event(&shell, &(viz_event){.kind = VIZ_KEY, .key = *c});
    viz_shell_event(&shell, &(viz_event){.kind = VIZ_KEY, .key = 'z', .ctrl = true});
    assert_string_equal(s->v->field.text, "kin");
    for (int i = 0; i < 3; i++)
        viz_shell_event(&shell, &(viz_event){.kind = VIZ_KEY, .key = 'z', .ctrl = true});
    assert_string_equal(s->v->field.text, "the king sleeps");
    viz_history_free(shell.history);
}

static void paste(scene *s, const char *text)
{
    s->view->class->event(s->view,
                          &(viz_event){.kind = VIZ_KEY, .key = 'v', .ctrl = true, .text = text});
}

SCENE(what_is_pasted_is_the_sentence_or_stands_at_the_caret)
{
    char longer[2 * TYPED];
    paste(s, "");
    assert_string_equal(s->v->field.text, "the king sleeps");
    paste(s, "the\nking");
    assert_string_equal(s->v->field.text, "the king");
    settle(s);
    assert_string_equal(generated(s), "ROI LE");
    press_key(s, VIZ_KEY_HOME);
    paste(s, "é\tthe ");
    assert_string_equal(s->v->field.text, "é the the king");
    assert_int_equal(s->v->field.caret, strlen("é the "));
    paste(s, "\xff");
    assert_string_equal(s->v->field.text, "é the the king");
    for (size_t i = 0; i + 2 < sizeof longer; i += 2)
        memcpy(longer + i, "é", 3);
    press_key(s, VIZ_KEY_END);
    paste(s, longer); /* as many as there is room for, and no half of one */
    assert_true(strlen(s->v->field.text) >= TYPED - 2 && strlen(s->v->field.text) < TYPED);
    assert_true(sac_utf8_valid(s->v->field.text, strlen(s->v->field.text)));
}

/* ---------------------------------------------------------------- words */

SCENE(a_word_of_the_sentence_is_hidden_and_shown_by_a_click)
{
    click(s, s->v->layout.panel.source_words.word[1], 1);
    settle(s);
    for (int t = 0; t < 3; t++)
        assert_true(s->v->g.caption.weights[t * 3 + 1] == 0);
    assert_true(translation_is_hidden(s->v, 1));
    click(s, s->v->layout.panel.source_words.word[1], 3);
    settle(s);
    assert_false(translation_is_hidden(s->v, 1));
    assert_true(s->v->g.caption.weights[1 * 3 + 1] > 0.5f);
    translation_hide(s->v, 2, true);
    translation_type(s->v, "the king here"); /* another sentence, of as many words */
    settle(s);
    assert_false(translation_is_hidden(s->v, 2));
}

SCENE(another_word_is_said_and_the_model_goes_on)
{
    viz_rect word = s->v->layout.panel.target.word[1];
    click(s, word, 1);
    assert_false(s->v->g.list.open);
    assert_int_equal(s->v->g.player.step, 1);
    click(s, word, 1);
    assert_true(s->v->g.list.open);
    type(s, "ete"); /* accents need no key of their own */
    assert_int_equal(s->v->g.list.count, 1);
    press_key(s, VIZ_KEY_RETURN);
    settle(s);
    assert_string_equal(generated(s), "DORT été LE");
    assert_true(s->v->g.prefix.replaced[1]);
    click(s, s->v->layout.panel.cross[1], 1);
    settle(s);
    assert_string_equal(generated(s), "DORT ROI LE");
}

SCENE(the_words_are_played_one_after_the_other)
{
    s->view->class->tick(s->view, 10);
    s->view->class->event(s->view, &(viz_event){.kind = VIZ_KEY, .key = VIZ_KEY_HOME});
    press_key(s, ' ');
    for (double now = 10; now < 20; now += 0.1)
        s->view->class->tick(s->view, now);
    assert_int_equal(s->v->g.player.step, 2);
    assert_false(s->v->g.player.playing);
}

/* ---------------------------------------------------------------- models, truth, turning */

SCENE(the_next_model_translates_the_same_sentence)
{
    assert_true(translation_attends(s->v));
    press_key(s, 'g');
    settle(s);
    assert_string_equal(generated(s), "DORT ROI LE");
    assert_false(translation_attends(s->v));
}

SCENE(the_truth_is_of_sentences_that_it_is_known_of)
{
    press_key(s, 't');
    assert_string_equal(s->v->g.message, "");
    assert_true(sac_alignment_is_true(&s->v->sentence.truth, &s->v->g.caption, 0, 2));
    assert_false(sac_alignment_is_true(&s->v->sentence.truth, &s->v->g.caption, 0, 1));
    assert_true(sac_alignment_is_exact(&s->v->sentence.truth, &s->v->g.caption));
    translation_type(s->v, "king");
    settle(s);
    press_key(s, 't');
    press_key(s, 't');
    assert_non_null(strstr(s->v->g.message, "reference alignment"));
}

SCENE(sentences_are_turned_to_and_back)
{
    press_key(s, 'n');
    settle(s);
    assert_string_equal(s->v->field.text, "the king here yesterday");
    assert_string_equal(generated(s), "HIER ICI ROI LE");
    press_key(s, 'p');
    settle(s);
    assert_string_equal(s->v->field.text, "the king sleeps");
    press_key(s, 'p');
    assert_string_equal(s->v->g.message, "this is the first sentence");
}

/* What a view tells of itself is what another one is like. */
static void copy(void *user, const char *key, const char *value)
{
    viz_view *to = user;
    viz_view_restore(to, key, value);
}

SCENE(all_of_it_comes_back_from_a_picture)
{
    scene *other;
    translation_type(s->v, "the king here yesterday");
    settle(s);
    viz_generation_replace(&s->v->g, 0, FAKE_SPECIAL);
    translation_hide(s->v, 2, true);
    press_key(s, 'g');
    press_key(s, 'e');
    settle(s);
    open_scene((void **)&other);
    viz_view_describe(s->view, copy, other->view);
    settle(other);
    char before[512];
    snprintf(before, sizeof before, "%s", generated(s));
    assert_string_equal(generated(other), before);
    assert_true(translation_is_hidden(other->v, 2) && other->v->g.prefix.replaced[0]);
    assert_true(other->v->g.model == 1 && other->v->g.temperature == s->v->g.temperature);
    close_scene((void **)&other);
}

/* ---------------------------------------------------------------- layout */

static void add_panel(rect_list *list, const translation_panel *p, int words)
{
    add(list, "bands", 0, p->bands);
    add(list, "readout", 0, p->readout);
    add(list, "grid", 0, p->grid.cells);
    add(list, "bar", 0, p->bar);
    for (int i = 0; i < words; i++) {
        add(list, "source", i, p->source_words.word[i]);
        add(list, "target", i, p->target.word[i]);
    }
}

static void assert_apart(const translation_layout *l, int words, viz_rect area)
{
    rect_list list = {.count = 0};
    add(&list, "field", 0, l->field);
    add(&list, "hint", 0, l->hint);
    add(&list, "play", 0, l->play);
    add(&list, "track", 0, l->track);
    add_panel(&list, &l->panel, words);
    for (int i = 0; i < VALUE_COUNT; i++)
        add(&list, "value", i, l->value[i]);
    for (int i = 0; i < list.count; i++) {
        viz_rect r = list.items[i].rect;
        if (r.x < area.x || r.y < area.y || r.x + r.w > area.x + area.w + 0.5f ||
            r.y + r.h > area.y + area.h + 0.5f)
            fail_msg("%g × %g: %s is cut off", (double)area.w, (double)area.h, list.items[i].name);
        for (int j = 0; j < i; j++)
            if (overlap(r, list.items[j].rect))
                fail_msg("%g × %g: %s and %s overlap", (double)area.w, (double)area.h,
                         list.items[i].name, list.items[j].name);
    }
}

SCENE(nothing_overlaps_in_any_window)
{
    static const int sizes[][2] = {{1280, 800}, {640, 400}, {800, 500}, {800, 1200}, {3840, 2160}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        viz_canvas_resize(&s->canvas, sizes[i][0], sizes[i][1], NULL);
        translation_type(s->v, "yesterday the summer sleeps here yesterday");
        settle(s);
        assert_apart(&s->v->layout, s->fake.count,
                     (viz_rect){0, VIZ_TABS_HEIGHT, viz_width(&s->canvas),
                                viz_height(&s->canvas) - VIZ_TABS_HEIGHT});
    }
}

enum { LONG = 128 }; /* words, which the field has room for */

static void type_long(scene *s)
{
    static const char *const words[] = {"the", "king", "sleeps", "here", "yesterday"};
    char text[LONG * 10] = "";
    for (int i = 0; i < LONG; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
                 words[i % 5]);
    translation_type(s->v, text);
    settle(s);
    assert_int_equal(s->fake.count, LONG);
}

SCENE(a_long_sentence_is_read_line_by_line)
{
    static const int sizes[][2] = {{1280, 800}, {800, 500}, {800, 1200}, {1920, 1080}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        viz_canvas_resize(&s->canvas, sizes[i][0], sizes[i][1], NULL);
        type_long(s);
        const translation_row *row = &s->v->layout.panel.source_words;
        assert_apart(&s->v->layout, s->fake.count,
                     (viz_rect){0, VIZ_TABS_HEIGHT, viz_width(&s->canvas),
                                viz_height(&s->canvas) - VIZ_TABS_HEIGHT});
        assert_true(row->is_text && row->size >= 9);
        for (int k = 1; k < LONG; k++) {
            bool next = row->word[k].y > row->word[k - 1].y;
            assert_true(next || row->word[k].x >= row->word[k - 1].x + row->word[k - 1].w);
            assert_true(row->word[k].y >= row->word[k - 1].y);
        }
    }
}

int main(void)
{
    if (viz_text_open(NULL) != SAC_OK)
        return 1;
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
