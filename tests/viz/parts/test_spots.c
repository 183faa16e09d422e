/* viz/parts/controls/spots: what looks as if it could be pressed can be, in all views, and has an explanation.
 */

#include "every_view.h"
#include "test.h"
#include "view/settings.h"

static const int sizes[][2] = {{1280, 800}, {640, 400}, {800, 1200}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void one_spots(const one_view *v, viz_spots *spots)
{
    spots->count = 0;
    viz_shell_spots(&v->shell, spots);
}

/* A sentence: begins as one, ends with a full stop unless it is the meaning of a key, and no line
 * of it is wider than a tip. */
static bool is_sentence(const viz_spot *spot)
{
    size_t length = spot->tip ? strlen(spot->tip) : 0;
    return length >= 4 && length < 160 && (spot->key || spot->tip[length - 1] == '.');
}

TEST(every_spot_shows_what_it_is)
{
    static viz_spots spots;
    for (int i = 0; viz_views[i]; i++)
        for (int size = 0; size < SIZES; size++) {
            one_view *v = one_open(viz_views[i], sizes[size][0], sizes[size][1]);
            one_spots(v, &spots);
            int least = strcmp(viz_views[i]->name, "contents") ? 8 : 2; /* rows of a list */
            assert_true(spots.count > least && spots.count < VIZ_SPOTS_MOST);
            for (int k = 0; k < spots.count; k++) {
                viz_rect r = spots.items[k].rect;
                if (!is_sentence(&spots.items[k]))
                    fail_msg("%s: what stands at %g, %g has no tip but “%s”", viz_views[i]->name,
                             (double)r.x, (double)r.y, spots.items[k].tip);
            }
            one_close(v);
        }
}

/* All settings of a view, in one text. */
static void save(void *user, const char *key, const char *value)
{
    char *text = user;
    size_t used = strlen(text);
    snprintf(text + used, 8192 - used, "%s=%s\n", key, value);
}

static bool press(one_view *v, float x, float y, int button)
{
    viz_event event = {.kind = VIZ_PRESS, .x = x, .y = y, .button = button};
    viz_shell_event(&v->shell, &(viz_event){.kind = VIZ_MOVE, .x = x, .y = y});
    bool changed = viz_shell_event(&v->shell, &event);
    event.kind = VIZ_RELEASE;
    viz_shell_event(&v->shell, &event);
    return changed;
}

/* What a press at a spot changes: of the view, or of the window. */
static bool answers(one_view *v, const viz_spot *spot)
{
    char before[8192] = "", after[8192] = "";
    viz_view_describe(one_of(v), save, before);
    /* Not in the middle, where a slider may stand already. */
    bool changed = press(v, spot->rect.x + 0.4f * spot->rect.w, spot->rect.y + spot->rect.h / 2, 1);
    viz_view_describe(one_of(v), save, after);
    return changed || v->shell.asked || v->shell.show_keys || strcmp(before, after) != 0;
}

/* Fresh views, each pressed once; a spot that is chosen already is pressed after another one of its
 * kind. In the small window and the tall one: the test below presses all over the wide one. */
TEST(what_looks_like_a_button_is_one)
{
    static viz_spots spots;
    for (int i = 0; viz_views[i]; i++)
        for (int size = 1; size < SIZES; size++) {
            one_view *v = one_open(viz_views[i], sizes[size][0], sizes[size][1]);
            one_spots(v, &spots);
            one_close(v);
            for (int k = 0; k < spots.count; k++) {
                viz_spot spot = spots.items[k];
                if (!viz_spot_is_pressable(&spot))
                    continue;
                v = one_open(viz_views[i], sizes[size][0], sizes[size][1]);
                bool does = answers(v, &spot);
                if (!does && k + 1 < spots.count)
                    does = answers(v, &spots.items[k + 1]) && answers(v, &spot);
                if (!does && k > 0)
                    does = answers(v, &spots.items[k - 1]) && answers(v, &spot);
                bool is_tab = spot.rect.y == 0;
                if (!does && !is_tab)
                    fail_msg("%s at %d × %d: a press at %g, %g does nothing: %s",
                             viz_views[i]->name, sizes[size][0], sizes[size][1],
                             (double)spot.rect.x, (double)spot.rect.y, spot.tip);
                one_close(v);
            }
        }
}

/* Wherever a press changes something, a spot announces it. */
TEST(nothing_answers_that_does_not_report_it)
{
    static viz_spots spots;
    for (int i = 0; viz_views[i]; i++) {
        one_view *v = one_open(viz_views[i], 1280, 800);
        one_spots(v, &spots);
        for (float y = 3; y < 800; y += 8)
            for (float x = 3; x < 1280; x += 9) {
                viz_event event = {.kind = VIZ_PRESS, .x = x, .y = y, .button = 1};
                bool changed = v->class->event(one_of(v), &event);
                event.kind = VIZ_RELEASE;
                v->class->event(one_of(v), &event);
                const viz_spot *spot = viz_spots_at(&spots, x, y);
                if (changed && (!spot || spot->kind == VIZ_SPOT_READOUT))
                    fail_msg("%s answers a press at %g, %g without a spot", viz_views[i]->name,
                             (double)x, (double)y);
                if (viz_shell_typing(&v->shell)) { /* a list: back to what was scanned */
                    viz_event escape = {.kind = VIZ_KEY, .key = VIZ_KEY_ESCAPE};
                    v->class->event(one_of(v), &escape);
                }
            }
        one_close(v);
    }
}

/* Tab goes to sliders too, and then ← and → move them, as far as their ends. */
TEST(a_slider_with_the_focus_is_moved_by_keys)
{
    one_view *v = one_open(viz_views_find("picture"), 1280, 800);
    viz_event tab = {.kind = VIZ_KEY, .key = VIZ_KEY_TAB};
    viz_event left = {.kind = VIZ_KEY, .key = VIZ_KEY_LEFT};
    viz_event right = {.kind = VIZ_KEY, .key = VIZ_KEY_RIGHT};
    static viz_spots spots;
    int sliders = 0;
    one_spots(v, &spots);
    for (int i = 0; i < spots.count; i++) {
        char texts[4][8192] = {"", "", "", ""};
        assert_true(viz_shell_event(&v->shell, &tab));
        const viz_spot *spot = viz_spots_at(&spots, v->shell.focus.x + 1, v->shell.focus.y + 1);
        if (!spot || spot->stride <= 0 || sliders == 4)
            continue;
        sliders++;
        viz_view_describe(one_of(v), save, texts[0]);
        const viz_event *events[] = {&right, &left, &left};
        for (int k = 0; k < 3; k++) {
            assert_true(viz_shell_event(&v->shell, events[k]));
            one_draw(v);
            assert_true(v->shell.focused);
            viz_view_describe(one_of(v), save, texts[k + 1]);
            assert_string_not_equal(texts[k + 1], texts[k]);
        }
    }
    assert_int_equal(sliders, 4);
    one_close(v);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
