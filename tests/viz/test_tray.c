/* viz/shell/tray: pinned maps keep their numbers, are read together, and open again as they were.
 */
#include <math.h>
#include <stdio.h>

#include "canvas/recording.h"
#include "every_view.h"
#include "shell/tray_state.h"
#include "test.h"
#include "view/settings.h"

static bool press_key(one_view *v, int code, bool ctrl, bool shift)
{
    viz_event event = {.kind = VIZ_KEY, .key = code, .ctrl = ctrl, .shift = shift};
    return viz_shell_event(&v->shell, &event);
}

static void pin(one_view *v)
{
    one_draw(v);
    press_key(v, 'p', true, false);
}

static void undo(one_view *v)
{
    press_key(v, 'z', true, false);
}

static void redo(one_view *v)
{
    press_key(v, 'z', true, true);
}

static const tray_view *tray(const one_view *v)
{
    return (const tray_view *)v->shell.tray;
}

static int count(const one_view *v)
{
    return viz_tray_count(v->shell.tray);
}

static one_view *open(const char *name, int width, int height)
{
    for (int i = 0; viz_views[i]; i++)
        if (strcmp(viz_views[i]->name, name) == 0)
            return one_open(viz_views[i], width, height);
    fail_msg("there is no view %s", name);
    return NULL;
}

/* Heads 0 and 1 of a matrix, shown beside each other. */
static one_view *open_two(int width, int height)
{
    one_view *v = open("matrix", width, height);
    pin(v);
    press_key(v, VIZ_KEY_RIGHT, false, false);
    pin(v);
    press_key(v, VIZ_KEY_TAB, false, false);
    one_draw(v);
    return v;
}

/* ---------------------------------------------------------------- pins as text */

static char *name_of(const char *text)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    return copy;
}

static viz_pin make_pin(bool with_picture)
{
    viz_pin pin = {0};
    assert_true(viz_pin_size(&pin, 2, 3));
    for (int i = 0; i < 6; i++)
        pin.values[i] = i == 4 ? NAN : 1.0f / (float)(i - 7);
    viz_pin_say(&pin, "layer %d", 3);
    viz_pin_say(&pin, "%s", "");
    viz_pin_say(&pin, "“cat”");
    pin.row_labels = (sac_labels){2, calloc(2, sizeof(char *))};
    pin.row_labels.text[0] = name_of("the");
    pin.row_labels.text[1] = name_of("a b");
    sac_image image = {0};
    assert_int_equal(sac_image_create(5, 4, &image, NULL), SAC_OK);
    for (int i = 0; i < 5 * 4 * 4; i++)
        image.rgba[i] = i % 4 == 3 ? 255 : (uint8_t)(37 * i);
    if (with_picture)
        assert_true(viz_pin_lay_over(&pin, &image));
    sac_image_free(&image);
    return pin;
}

static void check_same(const viz_pin *a, const viz_pin *b)
{
    assert_string_equal(a->title, b->title);
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->columns, b->columns);
    for (int i = 0; i < a->rows * a->columns; i++)
        assert_true(a->values[i] == b->values[i] || (isnan(a->values[i]) && isnan(b->values[i])));
    assert_int_equal(a->row_labels.count, b->row_labels.count);
    for (size_t i = 0; i < a->row_labels.count; i++)
        assert_string_equal(a->row_labels.text[i], b->row_labels.text[i]);
    assert_int_equal(a->column_labels.count, b->column_labels.count);
    assert_true(viz_pin_same_picture(a, b) || (!a->image.rgba && !b->image.rgba));
}

TEST(a_pin_is_the_same_out_of_its_text)
{
    for (int picture = 0; picture < 2; picture++) {
        viz_pin from = make_pin(picture), to = {0}, second = {0};
        char *text = viz_pin_write(&from, NULL), *shorter = viz_pin_write(&from, &from);
        assert_string_equal(from.title, "layer 3" VIZ_PIN_BETWEEN "“cat”");
        assert_true(viz_pin_read(&to, text, NULL));
        check_same(&from, &to);
        assert_true(viz_pin_read(&second, shorter, &to));
        check_same(&from, &second);
        assert_true(strlen(shorter) <= strlen(text));
        free(text);
        free(shorter);
        viz_pin_free(&from);
        viz_pin_free(&to);
        viz_pin_free(&second);
    }
}

TEST(a_text_that_is_cut_is_no_pin)
{
    viz_pin from = make_pin(true), to = {0};
    char *text = viz_pin_write(&from, NULL);
    for (size_t length = strlen(text); length > 0; length--) {
        text[length - 1] = '\0';
        assert_false(viz_pin_read(&to, text, NULL));
        assert_null(to.values);
    }
    free(text);
    viz_pin_free(&from);
}

TEST(sizes_beyond_a_pins_are_refused)
{
    static const char *const texts[] = {
        "t\n257 1\n0\n0\n0\nnone",           "t\n0 4\n\n0\n0\nnone",
        "t\n-1 -1\n0\n0\n0\nnone",           "t\n1 1\n0\n2\ta\tb\n0\nnone",
        "t\n1 1\n0\n0\n0\n385 1 00",         "t\n1 1\n0\n0\n0\n-2 -2 00",
        "t\n1 1\n0\n0\n0\n1 1 0g0000",       "t\n1 1\n0\n0\n0\nsame",
        "t\n1 1\n0\n99999999999\ta\n0\nnone"};
    viz_pin pin = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(viz_pin_read(&pin, texts[i], NULL));
    assert_true(viz_pin_read(&pin, "t\n1 1\n0\n0\n0\nnone", NULL));
    viz_pin_free(&pin);
}

/* ---------------------------------------------------------------- what is pinned */

TEST(a_matrix_is_pinned_weight_by_weight)
{
    one_view *v = open_two(1280, 800);
    assert_int_equal(count(v), 2);
    for (int head = 0; head < 2; head++) {
        const viz_pin *pin = tray_pin(tray(v), head);
        assert_int_equal(pin->rows, 9);
        assert_int_equal(pin->columns, 9);
        assert_int_equal(pin->row_labels.count, 9);
        for (int i = 0; i < 81; i++)
            assert_float_equal(
                pin->values[i],
                fake_weight(v->matrix, 0, 0, (size_t)head, (size_t)(i / 9), (size_t)(i % 9)), 1e-6);
    }
    one_close(v);
}

TEST(a_caption_and_a_picture_are_pinned_over_their_pictures)
{
    static const char *const names[] = {"caption", "picture"};
    for (int i = 0; i < 2; i++) {
        one_view *v = open(names[i], 1280, 800);
        pin(v);
        assert_int_equal(count(v), 1);
        const viz_pin *pin = tray_pin(tray(v), 0);
        float sum = 0;
        for (int cell = 0; cell < pin->rows * pin->columns; cell++)
            sum += pin->values[cell];
        assert_non_null(pin->image.rgba);
        assert_float_equal(sum, 1, 1e-3);
        one_close(v);
    }
}

TEST(what_is_pinned_does_not_change_with_the_view)
{
    one_view *v = open("picture", 800, 500);
    pin(v);
    const viz_pin *pin = tray_pin(tray(v), 0);
    size_t size = (size_t)(pin->rows * pin->columns) * sizeof *pin->values;
    float *before = malloc(size);
    memcpy(before, pin->values, size);
    press_key(v, 'e', false, false);
    press_key(v, 'g', false, false);
    one_draw(v);
    assert_memory_equal(before, tray_pin(tray(v), 0)->values, size);
    free(before);
    one_close(v);
}

TEST(a_view_without_a_map_says_so)
{
    one_view *v = open("contents", 800, 500);
    pin(v);
    assert_int_equal(count(v), 0);
    assert_string_equal(v->shell.message, "this view has no map to pin");
    one_close(v);
}

/* ---------------------------------------------------------------- reading them together */

static void move(one_view *v, float x, float y)
{
    viz_event event = {.kind = VIZ_MOVE, .x = x, .y = y};
    viz_shell_event(&v->shell, &event);
}

static viz_rect panel(const one_view *v, int i)
{
    return tray(v)->layout.panels[i].map;
}

/* Whether any pixel inside a rectangle differs. */
static bool differs(const viz_canvas *canvas, const uint8_t *before, viz_rect rect)
{
    viz_pixels p = viz_to_pixels(canvas, rect);
    for (int y = p.y0; y < p.y1; y++) {
        size_t at = 4 * ((size_t)y * (size_t)canvas->width + (size_t)p.x0);
        if (memcmp(canvas->rgba + at, before + at, 4 * (size_t)(p.x1 - p.x0)) != 0)
            return true;
    }
    return false;
}

TEST(a_cell_pointed_at_in_one_map_is_read_in_all)
{
    one_view *v = open_two(1280, 800);
    size_t size = 4 * (size_t)v->canvas.width * (size_t)v->canvas.height;
    uint8_t *before = malloc(size);
    viz_rect first = panel(v, 0);
    float x, y;
    int row, column;
    memcpy(before, v->canvas.rgba, size);
    move(v, first.x + first.w * 4.5f / 9, first.y + first.h * 2.5f / 9);
    one_draw(v);
    assert_true(tray_cursor(tray(v), &x, &y));
    tray_cell_at(tray_pin(tray(v), 1), x, y, &row, &column);
    assert_int_equal(row, 2);
    assert_int_equal(column, 4);
    for (int i = 0; i < 2; i++) {
        viz_rect map = panel(v, i),
                 cell = {map.x + map.w * 4 / 9, map.y + map.h * 2 / 9, map.w / 9, map.h / 9};
        viz_rect below = {map.x, map.y + map.h + 4, map.w, 16};
        assert_true(differs(&v->canvas, before, cell));
        assert_true(differs(&v->canvas, before, below)); /* its value */
    }
    free(before);
    one_close(v);
}

TEST(a_difference_is_signed_and_from_the_chosen_map)
{
    one_view *v = open_two(1280, 800);
    float a = tray_value(tray(v), 0, 12), b = tray_value(tray(v), 1, 12);
    press_key(v, 'c', false, false);
    assert_float_equal(tray_value(tray(v), 0, 12), a, 0);
    assert_float_equal(tray_value(tray(v), 1, 12), b - a, 1e-7);
    press_key(v, 'n', false, false);
    assert_float_equal(tray_value(tray(v), 0, 12), a - b, 1e-7);
    assert_float_equal(tray_value(tray(v), 1, 12), b, 0);
    one_close(v);
}

/* ---------------------------------------------------------------- steps back */

TEST(undo_takes_back_the_last_pin_and_then_what_was_done_before)
{
    one_view *v = open("picture", 800, 500);
    char text[256] = "", raised[256];
    press_key(v, 'e', false, false);
    pin(v);
    pin(v);
    snprintf(raised, sizeof raised, "%s", tray_pin(tray(v), 0)->title);
    undo(v);
    assert_int_equal(count(v), 1);
    redo(v);
    assert_int_equal(count(v), 2);
    undo(v);
    undo(v);
    assert_int_equal(count(v), 0);
    undo(v); /* the temperature */
    pin(v);
    snprintf(text, sizeof text, "%s", tray_pin(tray(v), 0)->title);
    assert_string_not_equal(text, raised);
    press_key(v, 'e', false, false);
    undo(v); /* of the view, for that came later */
    assert_int_equal(count(v), 1);
    one_close(v);
}

TEST(a_fifth_map_takes_the_place_of_the_first_until_it_is_undone)
{
    one_view *v = open("matrix", 800, 500);
    for (int i = 0; i < 5; i++) {
        pin(v);
        press_key(v, VIZ_KEY_RIGHT, false, false);
    }
    assert_int_equal(count(v), VIZ_TRAY_MOST);
    assert_non_null(strstr(tray_pin(tray(v), 0)->title, "head 1"));
    press_key(v, VIZ_KEY_TAB, false, false);
    press_key(v, VIZ_KEY_BACKSPACE, false, false);
    assert_int_equal(count(v), 3);
    undo(v);
    undo(v);
    assert_int_equal(count(v), VIZ_TRAY_MOST);
    assert_non_null(strstr(tray_pin(tray(v), 0)->title, "head 0"));
    one_close(v);
}

TEST(more_steps_than_are_kept_lose_the_oldest_alone)
{
    one_view *v = open("matrix", 640, 400);
    one_draw(v);
    for (int i = 0; i < 3 * TRAY_STEPS; i++)
        press_key(v, 'p', true, false);
    assert_int_equal(count(v), VIZ_TRAY_MOST);
    for (int i = 0; i < TRAY_KEPT; i++)
        undo(v);
    assert_in_range(count(v), 1, VIZ_TRAY_MOST);
    one_close(v);
}

/* ---------------------------------------------------------------- out and back */

typedef struct settings {
    char *text[64][2];
    int count;
} settings;

static void keep(void *user, const char *key, const char *value)
{
    settings *s = user;
    s->text[s->count][0] = strdup(key);
    s->text[s->count++][1] = strdup(value);
}

static void open_again(one_view *v, const settings *s)
{
    for (int i = 0; viz_tray_keys[i]; i++)
        for (int j = 0; j < s->count; j++)
            if (strcmp(s->text[j][0], viz_tray_keys[i]) == 0)
                viz_shell_restore_tray(&v->shell, s->text[j][0], s->text[j][1]);
    assert_true(viz_shell_show_tray(&v->shell));
}

TEST(what_is_written_opens_again_pixel_for_pixel)
{
    static const char *const names[] = {"matrix", "picture"};
    for (int i = 0; i < 2; i++) {
        one_view *v = open(names[i], 800, 500), *again = open(names[i], 800, 500);
        settings s = {0};
        pin(v);
        press_key(v, i ? 'e' : VIZ_KEY_RIGHT, false, false);
        pin(v);
        press_key(v, VIZ_KEY_TAB, false, false);
        press_key(v, 'c', false, false);
        press_key(v, 'n', false, false);
        press_key(v, 'm', false, false);
        press_key(v, VIZ_KEY_LEFT, false, false);
        one_draw(v);
        viz_view_describe(v->shell.tray, keep, &s);
        open_again(again, &s);
        v->shell.message[0] = '\0';
        one_draw(v);
        one_draw(again);
        assert_memory_equal(v->canvas.rgba, again->canvas.rgba, 4 * 800 * 500);
        for (int j = 0; j < s.count; j++) {
            free(s.text[j][0]);
            free(s.text[j][1]);
        }
        one_close(v);
        one_close(again);
    }
}

TEST(pins_stay_when_another_file_is_opened)
{
    one_view *v = open_two(800, 500), *next = open("picture", 800, 500);
    viz_shell_hand_tray(&v->shell, &next->shell);
    one_close(v);
    assert_int_equal(count(next), 2);
    pin(next);
    assert_int_equal(count(next), 3);
    press_key(next, VIZ_KEY_TAB, false, false);
    one_draw(next);
    assert_ptr_equal(viz_shell_view(&next->shell), next->shell.tray);
    one_close(next);
}

/* ---------------------------------------------------------------- in every window */

static bool overlap(viz_rect a, viz_rect b)
{
    return a.x < b.x + b.w - 0.5f && b.x < a.x + a.w - 0.5f && a.y < b.y + b.h - 0.5f &&
           b.y < a.y + a.h - 0.5f;
}

/* Messages lie over what is there, for a moment. */
static void check_rects(one_view *v)
{
    viz_spots spots;
    v->shell.message[0] = '\0';
    viz_shell_spots(&v->shell, &spots);
    for (int i = 0; i < spots.count; i++) {
        viz_rect r = spots.items[i].rect;
        if (r.x < 0 || r.y < 0 || r.x + r.w > viz_width(&v->canvas) ||
            r.y + r.h > viz_height(&v->canvas))
            fail_msg("%d × %d: “%s” leaves the window", v->canvas.width, v->canvas.height,
                     spots.items[i].tip);
        for (int j = 0; j < i; j++)
            if (overlap(r, spots.items[j].rect))
                fail_msg("%d × %d: “%s” lies over “%s”", v->canvas.width, v->canvas.height,
                         spots.items[i].tip, spots.items[j].tip);
    }
}

TEST(nothing_overlaps_with_one_to_four_maps_in_any_window)
{
    static const int sizes[][2] = {{640, 400}, {1280, 800}, {1920, 1080}, {800, 1200}, {500, 1000}};
    static const char *const names[] = {"matrix", "caption"};
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        one_view *v = open(names[i % 2], sizes[i / 2][0], sizes[i / 2][1]);
        for (int maps = 1; maps <= VIZ_TRAY_MOST; maps++) {
            pin(v);
            press_key(v, VIZ_KEY_RIGHT, false, false);
            press_key(v, VIZ_KEY_TAB, false, false);
            one_draw(v);
            check_rects(v);
            press_key(v, 'c', false, false);
            one_draw(v);
            check_rects(v);
            press_key(v, VIZ_KEY_TAB, false, false);
        }
        one_close(v);
    }
}

/* Draws it once more; how many of its texts end in "…". */
static int cut_texts(one_view *v)
{
    viz_recording recording = {0};
    int cut = 0;
    v->canvas.recording = &recording;
    v->shell.message[0] = '\0';
    one_draw(v);
    v->canvas.recording = NULL;
    for (size_t i = 0; i < recording.count; i++) {
        const char *text = recording.shapes[i].text;
        cut += text && strstr(text, "…") != NULL;
    }
    viz_recording_free(&recording);
    return cut;
}

TEST(what_differs_between_the_maps_is_read_whole_in_a_low_window)
{
    one_view *v = open("picture", 640, 400);
    for (int maps = 1; maps <= 3; maps++) {
        pin(v);
        press_key(v, 'e', false, false); /* temperature and width */
        press_key(v, 'w', false, false);
    }
    press_key(v, VIZ_KEY_TAB, false, false);
    assert_int_equal(cut_texts(v), 0);
    press_key(v, 'c', false, false);
    assert_int_equal(cut_texts(v), 0);
    one_close(v);
}

static int open_fonts(void **state)
{
    (void)state;
    return viz_text_open(NULL) == SAC_OK ? 0 : -1;
}

static int close_fonts(void **state)
{
    (void)state;
    viz_text_close();
    return 0;
}

TEST_MAIN(open_fonts, close_fonts)
