/* viz/view/keys: a key means one thing in the whole program; the sheet and the caps explain what that
 * is, and all of the sheet is seen in every window. */

#include "every_view.h"
#include "sentence/sentence_state.h"
#include "shell/sheet.h"
#include "status.h"
#include "test.h"
#include "view/words.h"

TEST(no_two_keys_send_the_same)
{
    for (const viz_key *a = viz_keys; a->cap; a++)
        for (const viz_key *b = a + 1; b->cap; b++) {
            if (strcmp(a->cap, b->cap) == 0 ||
                (a->code && a->code == b->code && a->ctrl == b->ctrl && a->shift == b->shift))
                fail_msg("%s means “%s”, and %s “%s”", a->cap, a->meaning, b->cap, b->meaning);
        }
}

/* Fails where a list names what the table does not have. */
static void check_names(const viz_key_row *keys, const char *where)
{
    for (; keys && keys->key; keys++)
        for (const char *rest = keys->key; rest;)
            if (!viz_key_named(rest, &rest))
                fail_msg("%s: the table of keys has no “%s”", where, rest);
}

TEST(sheets_name_keys_of_the_table)
{
    for (int i = 0; viz_views[i]; i++)
        check_names(viz_views[i]->keys, viz_views[i]->name);
}

static bool has(const viz_key_row *keys, const viz_key *key)
{
    for (; keys && keys->key; keys++)
        for (const char *rest = keys->key; rest;)
            if (viz_key_named(rest, &rest) == key)
                return true;
    return false;
}

static bool send(one_view *v, const viz_key *key, bool shift)
{
    viz_event event = viz_key_event(key);
    event.shift = event.shift != shift;
    return v->class->event(one_of(v), &event);
}

/* The key, with shift where that is the way back; or after the others of its row: fewer after more.
 */
static bool answers_at_all(one_view *v, const viz_key *key)
{
    for (const viz_key_row *keys = v->class->keys; keys->key; keys++) {
        bool is_its = has((viz_key_row[]){*keys, {0}}, key);
        if (is_its && !viz_key_acts(keys, one_of(v)))
            return true; /* the sheet leaves it out */
        for (const char *rest = is_its ? keys->key : NULL; rest;)
            send(v, viz_key_named(rest, &rest), false);
    }
    return send(v, key, false) || send(v, key, true);
}

/* What it answers is on its sheet, and what is on its sheet it answers. True: the view did not
 * answer, so it is still as it was opened. */
static bool check_key(one_view *v, const viz_key *key)
{
    const viz_view_class *class = v->class;
    bool listed = has(class->keys, key), owned = key->owner != VIZ_KEY_OF_VIEW;
    if (class->other && key->code == 'c') /* the shell sets another side beside it */
        return true;
    bool answers = key->code && send(v, key, false);
    if (answers && (!listed || key->owner == VIZ_KEY_RESERVED))
        fail_msg("%s answers %s, which its sheet does not have", class->name, key->cap);
    if (!listed || !key->code || owned || answers)
        return !answers;
    if (!answers_at_all(v, key))
        fail_msg("%s has %s on its sheet and does not answer", class->name, key->cap);
    return false;
}

/* Each view that got a key is closed, and the next key goes to a fresh one. */
TEST(a_view_answers_the_keys_of_its_sheet_and_no_others)
{
    for (int i = 0; viz_views[i]; i++) {
        one_view *v = one_open(viz_views[i], 640, 400);
        for (const viz_key *key = viz_keys; key->cap; key++)
            if (!check_key(v, key)) {
                one_close(v);
                v = one_open(viz_views[i], 640, 400);
            }
        one_close(v);
    }
}

static bool is_known(int code)
{
    bool known = code >= '0' && code <= '9'; /* the shell's */
    for (const viz_key *key = viz_keys; key->cap; key++)
        known = known || (key->code == code && !key->ctrl);
    return known;
}

TEST(letters_that_the_table_does_not_have_do_nothing)
{
    for (int i = 0; viz_views[i]; i++) {
        one_view *v = one_open(viz_views[i], 640, 400);
        for (int code = '!'; code < 127; code++) {
            const viz_event event = {.kind = VIZ_KEY, .key = code};
            if (!is_known(code) && (code < 'A' || code > 'Z') &&
                viz_views[i]->event(one_of(v), &event))
                fail_msg("%s answers %c, which no table has", viz_views[i]->name, code);
        }
        one_close(v);
    }
}

static bool lists(const viz_sheet *sheet, const char *does)
{
    for (int i = 0; i < sheet->count; i++)
        if (!sheet->rows[i].title && strcmp(sheet->rows[i].does, does) == 0)
            return true;
    return false;
}

/* One layer, one item, one picture and no boxes: no key is for another of them. */
TEST(the_sheet_leaves_out_what_has_nothing_to_act_on)
{
    static const char *const rows[] = {"layer", "item of the batch", "another of several pictures",
                                       "the boxes of things that are known"};
    one_view *v = one_open(viz_views_find("matrix"), 1280, 800);
    sac_source *source = &v->matrix->source;
    for (int without = 0; without < 2; without++) {
        if (without) {
            source->picture.count = 1;
            source->result.has_truth = false;
            source->weights.layers = source->weights.batch = 1;
        }
        viz_sheet sheet = viz_sheet_layout(&v->canvas, v->class->keys, one_of(v), false);
        for (int i = 0; i < 4; i++)
            assert_int_equal(lists(&sheet, rows[i]), !without);
        assert_true(lists(&sheet, "head"));
    }
    source->weights.layers = source->weights.batch = 2;
    one_close(v);
}

/* A model with one map for each word, one picture and no truth. */
TEST(the_sheet_of_captions_leaves_out_what_has_nothing_to_act_on)
{
    static const char *const rows[] = {"layer alone, or the mean", "one head alone (shift: back)",
                                       "next picture, back", "the truth"};
    one_view *v = one_open(viz_views_find("caption"), 1280, 800);
    sentence_view *c = sentence_of(one_of(v));
    bool truth = c->scene.has_truth, scenes = c->scene.scenes;
    for (int there = 0; there < 2; there++) {
        c->scene.has_truth = c->scene.scenes = there;
        c->scene.pictures = 1;
        c->base.source->weights.layers = there;
        viz_sheet sheet = viz_sheet_layout(&v->canvas, v->class->keys, one_of(v), false);
        for (int i = 0; i < 4; i++)
            assert_int_equal(lists(&sheet, rows[i]), there);
        assert_true(lists(&sheet, "show all cells"));
    }
    c->scene.has_truth = truth;
    c->scene.scenes = scenes;
    c->base.source->weights.layers = 0;
    one_close(v);
}

/* ---------------------------------------------------------------- languages */

/* Keys, places and what is chosen have a name in each language; what has none stays as it is. */
TEST(each_key_and_place_is_named_in_each_language)
{
    for (int i = 0; viz_views[i]; i++) {
        viz_set_language(SAC_IN_CHINESE);
        if (viz_word(viz_views[i]->tab) == viz_views[i]->tab ||
            viz_word(viz_views[i]->about) == viz_views[i]->about)
            fail_msg("%s has no name", viz_views[i]->name);
        viz_set_language(SAC_IN_ENGLISH);
        assert_ptr_equal(viz_word(viz_views[i]->tab), viz_views[i]->tab);
    }
    viz_set_language(SAC_IN_CHINESE);
    for (const viz_key *key = viz_keys; key->cap; key++)
        if (viz_word(key->meaning) == key->meaning)
            fail_msg("%s: “%s” is not translated", key->cap, key->meaning);
    static const char proper[] = "inferno";
    assert_ptr_equal(viz_word(proper), proper);
    viz_set_language(SAC_IN_ENGLISH);
}

/* Tips of all views but lessons', whose own language a lesson chooses. */
TEST(each_tip_is_reported_in_each_language)
{
    static viz_spots spots;
    for (int i = 0; viz_views[i]; i++) {
        if (strcmp(viz_views[i]->name, "lesson") == 0)
            continue;
        one_view *v = one_open(viz_views[i], 1280, 800);
        viz_shell_spots(&v->shell, &spots);
        viz_set_language(SAC_IN_CHINESE);
        for (int k = 0; k < spots.count; k++)
            if (spots.items[k].tip && viz_word(spots.items[k].tip) == spots.items[k].tip)
                fail_msg("%s: “%s” is not translated", viz_views[i]->name, spots.items[k].tip);
        viz_set_language(SAC_IN_ENGLISH);
        one_close(v);
    }
}

/* Each word has its own width: nothing of the bar overlaps or leaves it. */
TEST(the_bar_is_laid_out_in_each_language)
{
    viz_set_language(SAC_IN_CHINESE);
    one_view *v = one_open(viz_views_find("caption"), 640, 400);
    const viz_places *bar = &v->shell.bar;
    for (int i = 1; i < bar->count; i++)
        assert_true(bar->items[i].rect.x >=
                    bar->items[i - 1].rect.x + bar->items[i - 1].rect.w + 4);
    assert_true(bar->open.x + bar->open.w <= 640);
    one_close(v);
    viz_set_language(SAC_IN_ENGLISH);
}

/* ---------------------------------------------------------------- the sheet */

static bool overlap(viz_rect a, viz_rect b)
{
    return a.x < b.x + b.w - 0.5f && b.x < a.x + a.w - 0.5f && a.y < b.y + b.h - 0.5f &&
           b.y < a.y + a.h - 0.5f;
}

static void check_sheet(const viz_canvas *canvas, const viz_view_class *class, bool split)
{
    viz_sheet sheet = viz_sheet_layout(canvas, class->keys, NULL, split);
    int expected = 0, shown = 0;
    for (const viz_key_row *keys = class->keys; keys->key; keys++)
        expected++;
    for (int i = 0; i < sheet.count; i++) {
        viz_rect r = sheet.rows[i].rect;
        for (const viz_key_row *keys = class->keys; keys->key; keys++)
            shown += !sheet.rows[i].title && sheet.rows[i].does == keys->does;
        if (r.x < 0 || r.y < 0 || r.x + r.w > viz_width(canvas) ||
            r.y + r.h > viz_height(canvas) + 0.5f)
            fail_msg("%s at %d × %d: row %d is cut off", class->name, canvas->width, canvas->height,
                     i);
        for (int j = 0; j < i; j++)
            if (overlap(r, sheet.rows[j].rect))
                fail_msg("%s at %d × %d: rows %d and %d overlap", class->name, canvas->width,
                         canvas->height, j, i);
    }
    assert_int_equal(shown, expected);
    if (sheet.text_size < (split ? 7.5f : 8))
        fail_msg("%s at %d × %d: text of %g", class->name, canvas->width, canvas->height,
                 (double)sheet.text_size);
}

TEST(all_of_the_sheet_is_seen_in_every_window)
{
    static const int sizes[][2] = {{640, 400},  {500, 1000},  {800, 500},
                                   {1280, 800}, {1920, 1080}, {800, 1200}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        viz_canvas canvas;
        OK(viz_canvas_create(sizes[i][0], sizes[i][1], 1, &viz_theme_dark, &canvas, NULL));
        for (int class = 0; viz_views[class]; class ++)
            for (int split = 0; split < 2; split++)
                check_sheet(&canvas, viz_views[class], split);
        viz_canvas_free(&canvas);
    }
}

/* Colour map, overlay, scale: what a key turned to is shown as a message, whether or not it shows. */
TEST(keys_of_the_look_name_what_they_turned_to)
{
    static const char *const begin[] = {"colour map: ", "overlay: ", "scale: ", "cells drawn: "};
    int named = 0;
    for (int i = 0; viz_views[i]; i++) {
        one_view *v = one_open(viz_views[i], 640, 400);
        for (int k = 0; k < 4; k++) {
            char cap[2] = {"MOLB"[k]}, before[256];
            if (!has(viz_views[i]->keys, viz_key_named(cap, NULL)))
                continue;
            for (int turn = 0; turn < 2; turn++) { /* another one each time */
                snprintf(before, sizeof before, "%.255s", v->shell.message);
                viz_shell_event(&v->shell, &(viz_event){.kind = VIZ_KEY, .key = "molb"[k]});
                if (strncmp(v->shell.message, begin[k], strlen(begin[k])) != 0 ||
                    strcmp(v->shell.message, before) == 0)
                    fail_msg("%s, %s: its message is “%s”", viz_views[i]->name, cap,
                             v->shell.message);
            }
            named++;
        }
        one_close(v);
    }
    assert_true(named > 8);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
