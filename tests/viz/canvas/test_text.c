/* viz/canvas: text in any script and order, kept, turned, cut to fit. What faces the machine has is not known
 * here, so nothing asks for certain pixels. */

#include "canvas/recording.h"
#include "canvas/text.h"
#include "status.h"
#include "test.h"

static viz_canvas canvas;

static int open_canvas(void **state)
{
    (void)state;
    return viz_text_open(NULL) != SAC_OK ||
           viz_canvas_create(400, 120, 1, &viz_theme_dark, &canvas, NULL) != SAC_OK;
}

static int close_canvas(void **state)
{
    (void)state;
    viz_canvas_free(&canvas);
    viz_text_close();
    return 0;
}

static const viz_color white = {255, 255, 255, 255};

/* The box of pixels that are not ground; x1 = 0 where there are none. */
static viz_pixels inked(void)
{
    viz_pixels box = {canvas.width, canvas.height, 0, 0};
    viz_color ground = canvas.theme->ground;
    for (int y = 0; y < canvas.height; y++)
        for (int x = 0; x < canvas.width; x++)
            if (memcmp(canvas.rgba + 4 * (y * canvas.width + x), &ground, 3)) {
                box.x0 = x < box.x0 ? x : box.x0;
                box.y0 = y < box.y0 ? y : box.y0;
                box.x1 = x + 1 > box.x1 ? x + 1 : box.x1;
                box.y1 = y + 1 > box.y1 ? y + 1 : box.y1;
            }
    return box;
}

static viz_pixels ink_of(float x, viz_align align, const char *text)
{
    viz_clear(&canvas);
    viz_text(&canvas, VIZ_SANS, VIZ_BODY, x, 60, align, white, text);
    return inked();
}

TEST(letters_stand_on_the_baseline)
{
    viz_pixels box = ink_of(20, VIZ_LEFT, "HEX");
    assert_int_equal(box.y1, 60);
    assert_in_range(60 - box.y0, 9, 12); /* capitals of a 14 pixel sans are about 0.72 em high */
    assert_in_range(box.x0, 20, 23);
}

TEST(text_is_aligned_where_it_is_asked_for)
{
    float width = viz_text_width(&canvas, VIZ_SANS, VIZ_BODY, "weights");
    viz_pixels left = ink_of(100, VIZ_LEFT, "weights"), right = ink_of(100, VIZ_RIGHT, "weights"),
               middle = ink_of(100, VIZ_CENTER, "weights");
    assert_int_equal(left.x0 - right.x0, (int)width);
    assert_true(abs(middle.x0 + middle.x1 - 200) <= 3);
    assert_int_equal(left.x1 - left.x0, right.x1 - right.x0);
}

TEST(numbers_in_mono_do_not_jump)
{
    float width = viz_text_width(&canvas, VIZ_MONO, VIZ_LABEL, "0.0000");
    assert_true(viz_text_width(&canvas, VIZ_MONO, VIZ_LABEL, "1.1111") == width);
    assert_true(viz_text_width(&canvas, VIZ_MONO, VIZ_LABEL, "8.4276") == width);
}

TEST(the_same_text_is_the_same_pixels_again)
{
    ink_of(33, VIZ_LEFT, "entropy 6.2 of 9.4 bits");
    size_t bytes = 4 * (size_t)canvas.width * (size_t)canvas.height;
    uint8_t *first = malloc(bytes);
    memcpy(first, canvas.rgba, bytes);
    char other[32];
    for (int i = 0; i < 10000; i++) { /* more than are kept */
        snprintf(other, sizeof other, "%d", i);
        viz_text_width(&canvas, VIZ_SANS, VIZ_LABEL, other);
    }
    ink_of(33, VIZ_LEFT, "entropy 6.2 of 9.4 bits");
    assert_memory_equal(canvas.rgba, first, bytes);
    free(first);
}

TEST(density_makes_letters_larger_not_the_layout)
{
    float width = viz_text_width(&canvas, VIZ_SANS, VIZ_SENTENCE, "a small red circle");
    canvas.density = 2;
    float dense = viz_text_width(&canvas, VIZ_SANS, VIZ_SENTENCE, "a small red circle");
    canvas.density = 1;
    assert_true(fabsf(dense - width) < 0.03f * width); /* hinting and rounding */
}

TEST(other_scripts_find_a_font_or_a_mark)
{
    const char *const texts[] = {"日本語",  "שלום",  "مرحبا",  "ελληνικά",
                                 "русский", "हिन्दी", "∑ → ½ ‖"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_true(viz_text_width(&canvas, VIZ_SANS, VIZ_BODY, texts[i]) > 10);
        assert_true(ink_of(20, VIZ_LEFT, texts[i]).x1 > 25);
    }
}

/* The text of the last shape that was noted, as PDF and SVG take it; lent. */
static const char *noted(viz_recording *recording, const char *text)
{
    canvas.recording = recording;
    viz_clear(&canvas);
    viz_text(&canvas, VIZ_SANS, 20, 10, 60, VIZ_LEFT, white, text);
    canvas.recording = NULL;
    return recording->shapes[recording->count - 1].text;
}

/* Hebrew on both sides of a number is one stretch to the left: its last word stands first. */
TEST(mixed_directions_are_put_in_the_order_of_reading)
{
    const char *line = "שלום 12 עולם", *last = "עולם";
    viz_recording recording = {0};
    bool known = strcmp(noted(&recording, line), line) == 0;
    viz_recording_free(&recording);
    if (!known)
        skip(); /* no font has Hebrew */
    size_t row = 4 * (size_t)canvas.width, rows = (size_t)canvas.height;
    int end = 20 + (int)viz_text_width(&canvas, VIZ_SANS, VIZ_BODY, last) - 1;
    uint8_t *whole = malloc(row * rows);
    ink_of(20, VIZ_LEFT, line);
    memcpy(whole, canvas.rgba, row * rows);
    ink_of(20, VIZ_LEFT, last);
    for (size_t y = 0; y < rows; y++)
        assert_memory_equal(whole + y * row, canvas.rgba + y * row, 4 * (size_t)end);
    free(whole);
}

TEST(emoji_have_their_own_colours)
{
    viz_recording recording = {0};
    bool known = strcmp(noted(&recording, "🙂"), "🙂") == 0;
    viz_recording_free(&recording);
    ink_of(20, VIZ_LEFT, "🙂");
    int colored = 0;
    for (int i = 0; i < canvas.width * canvas.height;
         i++) /* the text is white: yellow is the font's */
        colored += canvas.rgba[4 * i] > 180 && canvas.rgba[4 * i + 2] < 100;
    if (known)
        assert_true(colored > 20);
    else
        assert_int_equal(colored, 0);
}

TEST(broken_utf8_is_shown_and_does_no_harm)
{
    const char *const texts[] = {"a\xff\xfe z", "\xe2\x82",     "\xf0\x9f",
                                 "\xc0\xaf",    "\xed\xa0\x80", "tab\tline\nend\x01"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_true(ink_of(20, VIZ_LEFT, texts[i]).x1 > 20);
    assert_true(viz_text_width(&canvas, VIZ_SANS, VIZ_BODY, "") == 0);
    assert_int_equal(ink_of(20, VIZ_LEFT, "").x1, 0);
}

/* PDF and SVG take the text as it is drawn. */
TEST(what_is_no_character_is_drawn_as_unknown)
{
    const char *const texts[][2] = {{"a\xef\xbf\xbe", "a\xef\xbf\xbd"},
                                    {"\xef\xb7\x90"
                                     "b",
                                     "\xef\xbf\xbd"
                                     "b"},
                                    {"\xf0\x9f\xbf\xbf", "\xef\xbf\xbd"},
                                    {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
                                    {"a\x01\xc2\x85"
                                     "b",
                                     "a  b"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        viz_recording recording = {0};
        assert_string_equal(noted(&recording, texts[i][0]), texts[i][1]);
        viz_recording_free(&recording);
    }
}

/* A character of a private plane, which no font has. */
TEST(what_no_font_has_is_written_as_its_number)
{
    viz_recording recording = {0};
    assert_string_equal(noted(&recording, "a\xf3\xb0\x80\x81!"), "aU+F0001!");
    viz_recording_free(&recording);
    float width = viz_text_width(&canvas, VIZ_SANS, 20, "\xf3\xb0\x80\x81");
    assert_true(width == viz_text_width(&canvas, VIZ_SANS, 20, "U+F0001"));
}

TEST(a_text_that_fits_is_left_alone)
{
    char fit[64];
    assert_string_equal(viz_text_fit(&canvas, VIZ_SANS, VIZ_LABEL, 300, "short", fit, sizeof fit),
                        "short");
}

TEST(a_text_fits_in_the_width_that_was_measured)
{
    static const char *const words[] = {"maison", "rained (152)", "community", "of", "1/N 0.0417"};
    for (int eighths = 4; eighths <= 24; eighths++)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            for (float size = 8; size < 24; size += 0.5f) {
                char fit[64];
                canvas.density = (float)eighths / 8;
                float width = viz_text_width(&canvas, VIZ_SANS, size, words[i]);
                viz_text_fit(&canvas, VIZ_SANS, size, width, words[i], fit, sizeof fit);
                assert_string_equal(fit, words[i]);
                viz_text_fit(&canvas, VIZ_SANS, size, 100.1f + width - 100.1f, words[i], fit,
                             sizeof fit); /* as a layout adds and takes away */
                assert_string_equal(fit, words[i]);
            }
    canvas.density = 1;
}

TEST(a_text_that_is_too_long_is_cut_between_characters)
{
    const char *text = "größer als das Fenster, 日本語 und so weiter";
    char fit[128];
    size_t before = 0;
    for (float width = 12; width < 260; width += 7) {
        viz_text_fit(&canvas, VIZ_SANS, VIZ_LABEL, width, text, fit, sizeof fit);
        size_t length = strlen(fit);
        if (!strcmp(fit, text))
            break;
        assert_true(viz_text_width(&canvas, VIZ_SANS, VIZ_LABEL, fit) <= width);
        assert_string_equal(fit + length - 3, "…");
        assert_memory_equal(fit, text, length - 3);
        assert_true(((unsigned char)text[length - 3] & 0xc0) != 0x80);
        assert_true(length >= before); /* more room, more text */
        before = length;
    }
    assert_true(before > 10);
    char tiny[8];
    viz_text_fit(&canvas, VIZ_SANS, VIZ_LABEL, 500, text, tiny, sizeof tiny);
    assert_true(strlen(tiny) < sizeof tiny);
}

TEST(without_room_nothing_of_a_text_is_drawn)
{
    viz_clear(&canvas);
    for (float width = 0; width > -9; width -= 4)
        assert_true(viz_text_within(&canvas, VIZ_SANS, VIZ_LABEL, 20, 20, width, VIZ_LEFT, white,
                                    "what has no room") == 0);
    assert_int_equal(inked().x1, 0);
}

TEST(a_very_long_text_is_measured_whole)
{
    char text[6001];
    memset(text, 'm', 6000);
    text[6000] = 0;
    float one = viz_text_width(&canvas, VIZ_SANS, VIZ_LABEL, "mmmmmmmmmm") / 10;
    float all = viz_text_width(&canvas, VIZ_SANS, VIZ_LABEL, text);
    assert_true(fabsf(all - 6000 * one) < 0.05f * all);
}

TEST(turned_text_reads_upwards)
{
    viz_pixels flat = ink_of(50, VIZ_LEFT, "europe");
    viz_clear(&canvas);
    viz_text_up(&canvas, VIZ_SANS, VIZ_BODY, 50, 110, white, "europe");
    viz_pixels up = inked();
    assert_int_equal(up.y1 - up.y0, flat.x1 - flat.x0);
    assert_int_equal(up.x1 - up.x0, flat.y1 - flat.y0);
    assert_int_equal(110 - up.y1, flat.x0 - 50); /* starts at the bottom */
    assert_int_equal(up.x0 - 50, flat.y0 - 60);  /* letters stand on x = 50 */
}

TEST(text_needs_no_display)
{
    viz_text_close();
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    OK(viz_text_open(NULL));
    assert_true(ink_of(20, VIZ_LEFT, "headless").x1 > 20);
}

TEST_MAIN(open_canvas, close_canvas)
