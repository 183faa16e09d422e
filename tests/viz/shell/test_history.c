/* viz/view/history: what was done to a view is taken back step by step, and done again. */

#include "every_view.h"
#include "sentence/sentence_state.h"
#include "status.h"
#include "test.h"
#include "view/settings.h"

static bool key(one_view *v, int code, bool ctrl, bool shift)
{
    viz_event event = {.kind = VIZ_KEY, .key = code, .ctrl = ctrl, .shift = shift};
    return viz_shell_event(&v->shell, &event);
}

static bool undo(one_view *v)
{
    return key(v, 'z', true, false);
}

static bool redo(one_view *v)
{
    return key(v, 'z', true, true);
}

static void save(void *user, const char *name, const char *value)
{
    char *text = ((void **)user)[0];
    size_t used = strlen(text);
    if (viz_view_undoes(((void **)user)[1], name))
        snprintf(text + used, 4096 - used, "%s=%s\n", name, value);
}

/* The settings that are undone, as text. */
static void read(one_view *v, char text[4096])
{
    text[0] = '\0';
    viz_view_describe(one_of(v), save, (void *[]){text, one_of(v)});
}

static one_view *open(const char *name)
{
    return one_open(viz_views_find(name), 1280, 800);
}

/* Keys that change settings of that view, one after the other. */
static void go_through(const char *name, const char *keys)
{
    char states[16][4096], now[4096];
    int count = (int)strlen(keys);
    one_view *v = open(name);
    for (int i = 0; i < count; i++) {
        read(v, states[i]);
        assert_true(key(v, keys[i], false, false));
        one_draw(v);
    }
    read(v, states[count]);
    for (int i = count; i > 0; i--) {
        read(v, now);
        assert_string_equal(now, states[i]);
        assert_string_not_equal(states[i], states[i - 1]);
        assert_true(undo(v));
        one_draw(v);
    }
    read(v, now);
    assert_string_equal(now, states[0]);
    assert_false(undo(v));
    for (int i = 1; i <= count; i++) {
        assert_true(redo(v));
        one_draw(v);
        read(v, now);
        assert_string_equal(now, states[i]);
    }
    assert_false(redo(v));
    one_close(v);
}

TEST(settings_go_back_and_forth_in_every_view)
{
    go_through("caption", "eegw[l");
    go_through("picture", "gexz]g");
    go_through("matrix", "r/ld");
    go_through("heads", "kr.lk");
}

TEST(what_is_done_anew_forgets_what_was_taken_back)
{
    one_view *v = open("picture");
    key(v, 'g', false, false);
    key(v, 'e', false, false);
    assert_true(undo(v));
    key(v, 'x', false, false);
    assert_false(redo(v));
    assert_true(undo(v) && undo(v) && !undo(v));
    one_close(v);
}

/* ---------------------------------------------------------------- strokes and words */

static void point(one_view *v, viz_event_kind kind, int button, float x, float y)
{
    viz_event event = {.kind = kind, .button = button, .x = x, .y = y};
    viz_shell_event(&v->shell, &event);
}

/* With the right button along a row of the picture. */
static void stroke(one_view *v, int row)
{
    viz_rect p = sentence_of(one_of(v))->layout.picture;
    float y = p.y + p.h * ((float)row + 0.5f) / FAKE_GRID;
    point(v, VIZ_PRESS, 3, p.x + 0.2f * p.w, y);
    point(v, VIZ_MOVE, 3, p.x + 0.4f * p.w, y);
    point(v, VIZ_MOVE, 3, p.x + 0.6f * p.w, y);
    point(v, VIZ_RELEASE, 3, p.x + 0.6f * p.w, y);
    one_draw(v);
}

TEST(escape_takes_back_one_stroke_and_never_more)
{
    one_view *v = open("caption");
    const sentence_view *c = sentence_of(one_of(v));
    int hidden[4] = {0};
    for (int i = 1; i <= 3; i++) {
        stroke(v, 2 * i);
        hidden[i] = c->hidden_count;
        assert_true(hidden[i] > hidden[i - 1] + 2);
    }
    for (int i = 2; i >= 0; i--) {
        assert_true(key(v, VIZ_KEY_ESCAPE, false, false));
        assert_int_equal(c->hidden_count, hidden[i]);
    }
    assert_false(key(v, VIZ_KEY_ESCAPE, false, false));
    assert_true(redo(v) && redo(v));
    assert_int_equal(c->hidden_count, hidden[2]);
    one_close(v);
}

TEST(a_menu_closes_before_anything_is_taken_back)
{
    one_view *v = open("caption");
    const sentence_view *c = sentence_of(one_of(v));
    stroke(v, 3);
    key(v, VIZ_KEY_RETURN, false, false);
    assert_true(c->list.open);
    assert_true(key(v, VIZ_KEY_ESCAPE, false, false));
    assert_false(c->list.open);
    assert_true(c->hidden_count > 0);
    key(v, 'f', false, false);
    assert_true(key(v, VIZ_KEY_ESCAPE, false, false)); /* the figure */
    assert_false(c->base.figure);
    assert_true(c->hidden_count > 0);
    assert_true(key(v, VIZ_KEY_ESCAPE, false, false));
    assert_int_equal(c->hidden_count, 0);
    one_close(v);
}

TEST(a_replaced_word_comes_back)
{
    one_view *v = open("caption");
    const sentence_view *c = sentence_of(one_of(v));
    char before[512], text[512];
    sac_result_text(&c->result, before, sizeof before);
    key(v, VIZ_KEY_RETURN, false, false);
    one_draw(v);
    key(v, VIZ_KEY_RETURN, false, false);
    one_draw(v);
    assert_string_not_equal(sac_result_text(&c->result, text, sizeof text), before);
    assert_true(undo(v));
    one_draw(v);
    assert_string_equal(sac_result_text(&c->result, text, sizeof text), before);
    one_close(v);
}

/* The question of a caption is what it was opened with. */
static bool is_question(const viz_view_class *class, const char *setting)
{
    return strcmp(class->name, "caption") == 0 && strcmp(setting, "sentence") == 0;
}

/* Colour map, mode, cells, zoom, layer, head, numbers: whatever a person can choose. */
TEST(every_setting_of_a_view_is_undone)
{
    static const char *const kept[] = {"layout",    "playing", "word",    "query",
                                       "key",       "step",    "lesson",  "quiz",
                                       "scale end", "picture", "dataset", "word chosen"};
    for (int i = 0; viz_views[i]; i++)
        for (int t = 0; t < VIZ_SETTING_TABLES && viz_views[i]->settings[t]; t++)
            for (const viz_setting *s = viz_views[i]->settings[t]; s->name || s->save; s++) {
                bool can = s->name && !s->unmentioned && !s->moves &&
                           (s->take || s->set || s->kind != VIZ_OWN) &&
                           !(s->kind == VIZ_TEXT && !s->take) &&
                           !is_question(viz_views[i], s->name);
                for (size_t k = 0; can && k < sizeof kept / sizeof *kept; k++)
                    can = strcmp(kept[k], s->name) != 0;
                one_view *v = can ? open(viz_views[i]->name) : NULL;
                if (can && !viz_view_undoes(one_of(v), s->name))
                    fail_msg("%s: “%s” is not undone", viz_views[i]->name, s->name);
                if (can)
                    one_close(v);
            }
    go_through("caption", "mob=t");
    go_through("picture", "mob");
    go_through("heads", "mkrl");
}

static void wheel(one_view *v, float x, float y, float notches)
{
    viz_event event = {.kind = VIZ_WHEEL, .x = x, .y = y, .wheel_y = notches, .ctrl = true};
    viz_shell_event(&v->shell, &event);
    one_draw(v);
}

TEST(turning_the_wheel_on_is_one_step)
{
    one_view *v = open("matrix");
    viz_rect map = v->class->map_rect(one_of(v));
    char before[4096], now[4096];
    read(v, before);
    for (int i = 0; i < 3; i++)
        wheel(v, map.x + map.w / 2, map.y + map.h / 2, 1);
    read(v, now);
    assert_string_not_equal(now, before);
    assert_true(undo(v));
    read(v, now);
    assert_string_equal(now, before);
    assert_false(undo(v));
    one_close(v);
}

/* The window's settings, as text. */
typedef struct made_up_window {
    char theme[8];
} made_up_window;

static void describe_window(const void *user, viz_put *put, void *put_user)
{
    put(put_user, "theme", ((const made_up_window *)user)->theme);
}

static bool restore_window(void *user, const char *name, const char *value)
{
    (void)name;
    snprintf(((made_up_window *)user)->theme, 8, "%s", value);
    return true;
}

TEST(one_past_has_all_tabs_and_the_window)
{
    made_up_window window = {"dark"};
    const viz_outside outside = {describe_window, restore_window, &window};
    one_view *v = open("caption"), *second = open("picture");
    v->shell.outside = &outside;
    OK(viz_shell_add(&v->shell, one_of(second), NULL));
    second->shell.tabs[0].view = NULL; /* it is the first shell's now */
    one_draw(v);
    key(v, 'k', false, false); /* nothing: the past begins before it */
    const sentence_view *c = sentence_of(v->shell.tabs[0].view);
    viz_overlay mode = c->style.overlay;
    key(v, 'o', false, false);
    snprintf(window.theme, sizeof window.theme, "light");
    viz_history_note(viz_shell_history(&v->shell), false);
    assert_true(viz_shell_show(&v->shell, "picture"));
    viz_history_note(viz_shell_history(&v->shell), false);
    key(v, 'b', false, false);
    assert_true(undo(v)); /* B */
    assert_int_equal(v->shell.current, 1);
    assert_true(undo(v)); /* the tab */
    assert_int_equal(v->shell.current, 0);
    assert_string_equal(window.theme, "light");
    assert_true(undo(v));
    assert_string_equal(window.theme, "dark");
    assert_int_not_equal(c->style.overlay, mode);
    assert_true(undo(v));
    assert_int_equal(c->style.overlay, mode);
    assert_false(undo(v));
    for (int i = 0; i < 4; i++)
        assert_true(redo(v));
    assert_false(redo(v));
    assert_int_equal(v->shell.current, 1);
    assert_string_equal(window.theme, "light");
    v->shell.outside = NULL;
    one_close(v);
    one_close(second);
}

/* A model that is opened on its most informative head changes settings as a result comes. */
TEST(what_a_result_changed_is_no_step)
{
    one_view *v = open("heads");
    char found[4096], now[4096];
    point(v, VIZ_MOVE, 0, 5, 5); /* the past is there */
    viz_view_restore(one_of(v), "layer", "1");
    viz_view_restore(one_of(v), "head", "2");
    read(v, found);
    key(v, 'm', false, false);
    assert_true(undo(v));
    read(v, now);
    assert_string_equal(now, found);
    assert_false(undo(v));
    key(v, 'm', false, false);
    key(v, '0', false, false);
    read(v, now);
    assert_string_equal(now, found);
    one_close(v);
}

TEST(nought_brings_the_view_back_to_where_it_began)
{
    one_view *v = open("picture");
    char first[4096], now[4096];
    read(v, first);
    for (const char *keys = "gexz]mob"; *keys; keys++)
        key(v, *keys, false, false);
    one_draw(v);
    read(v, now);
    assert_string_not_equal(now, first);
    assert_true(key(v, '0', false, false));
    char reset[4096];
    read(v, reset);
    assert_string_equal(reset, first);
    assert_true(undo(v)); /* it is a step */
    read(v, reset);
    assert_string_equal(reset, now);
    one_close(v);
}

/* The message of what was undone would be false. */
TEST(undo_takes_the_message_of_a_setting_away)
{
    one_view *v = open("caption");
    key(v, 'o', false, false);
    assert_true(v->shell.message[0]);
    assert_true(undo(v));
    assert_false(v->shell.message[0]);
    one_close(v);
}

/* "undo" and "reset" in the bar, once there is something to undo. */
TEST(the_bar_undoes_and_resets)
{
    one_view *v = open("caption");
    const sentence_view *c = sentence_of(one_of(v));
    viz_overlay mode = c->style.overlay;
    const viz_caps *tools = &v->shell.bar.tools;
    int shown[2] = {0};
    for (int i = 0; i < tools->count; i++)
        shown[0] += tools->items[i].w > 0;
    for (int again = 0; again < 2; again++) {
        key(v, 'o', false, false);
        one_draw(v);
        shown[1] = 0;
        for (int i = 0; i < tools->count; i++) {
            shown[1] += tools->items[i].w > 0;
            if (strcmp(tools->keys[i].does, again ? "reset" : "undo") == 0) {
                float x = tools->items[i].x + 4, y = tools->items[i].y + 8;
                point(v, VIZ_PRESS, 1, x, y);
                point(v, VIZ_RELEASE, 1, x, y);
            }
        }
        if (!again)
            assert_int_equal(shown[1], shown[0] + 2);
        assert_int_equal(c->style.overlay, mode);
        one_draw(v);
    }
    one_close(v);
}

TEST(another_picture_has_a_past_of_its_own)
{
    one_view *v = open("caption");
    stroke(v, 4);
    key(v, 'n', false, false);
    one_draw(v);
    assert_false(undo(v));
    one_close(v);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
