/* viz/views/alignment: words that attend to words, played one after the other. */
#include "canvas/recording.h"
#include "view/settings.h"
#include "weights_common.h"

#include "alignment/alignment_view.c" /* the layout is the view's own */

enum { STEPS = 5, POSITIONS = 7, HEADS = 3 };

typedef struct alignment_test {
    fake_matrix *fake;
    viz_view *view;
    alignment_view *v; /* the same, from inside */
    viz_canvas canvas;
} alignment_test;

static int open_alignment(void **state)
{
    alignment_test *t = calloc(1, sizeof *t);
    t->fake = fake_create(2, 1, HEADS, STEPS, POSITIONS);
    fake_label(&t->fake->source.weights.step_labels, STEPS);
    fake_label(&t->fake->source.weights.position_labels, POSITIONS);
    if (viz_alignment_view_create(&t->fake->source, NULL, &t->view, NULL) != SAC_OK)
        return 1;
    t->v = alignment_of(t->view);
    t->canvas = canvas_of(1280, 800, 1);
    *state = t;
    return 0;
}

static int close_alignment(void **state)
{
    alignment_test *t = *state;
    viz_view_destroy(t->view);
    viz_canvas_free(&t->canvas);
    fake_free(t->fake);
    free(t);
    return 0;
}

#define ALIGNED(name) TEST_ON(alignment_test, t, name, open_alignment, close_alignment)

ALIGNED(only_sentences_on_both_sides_are_accepted)
{
    sac_source source = t->fake->source;
    assert_true(accepts(&source));
    source.weights.positions = POSITIONS + 1; /* one has no label */
    assert_false(accepts(&source));
    source = t->fake->source;
    source.weights.step_labels = (sac_labels){0};
    assert_false(accepts(&source));
    source = t->fake->source;
    source.weights.tile = NULL;
    assert_false(accepts(&source));
}

ALIGNED(nothing_overlaps_in_any_window)
{
    static const int sizes[][2] = {{1280, 800},  {800, 500},   {640, 900},
                                   {1920, 1080}, {3840, 2160}, {640, 400}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        viz_canvas canvas = canvas_of(sizes[i][0], sizes[i][1], 1);
        show_alone(t->v, 1);
        settle(t->view, &canvas);
        const alignment_layout *l = &t->v->layout;
        const named_rect rects[] = {{"title", {VIZ_MARGIN, l->title_y - 12, l->title_w, 14}},
                                    {"all", l->all},
                                    {"switch", viz_lines_head(&l->lines, 0)},
                                    {"switch", viz_lines_head(&l->lines, HEADS - 1)},
                                    {"left", l->lines.left},
                                    {"right", l->lines.right},
                                    {"table", l->lines.table},
                                    {"play", l->play},
                                    {"track", l->track}};
        assert_apart(rects, sizeof rects / sizeof *rects, area_of(&canvas), "alignment");
        assert_true(l->lines.row_text >= 11 && l->lines.right.x - l->lines.left.x > 150);
        viz_canvas_free(&canvas);
    }
}

ALIGNED(few_words_fill_the_height)
{
    static const int sizes[][2] = {{1280, 720}, {800, 500}, {640, 400}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        viz_canvas canvas = canvas_of(sizes[i][0], sizes[i][1], 1);
        settle(t->view, &canvas);
        const viz_lines_layout *l = &t->v->layout.lines; /* five words against seven */
        assert_true(l->right.h >= 0.95f * (l->area.y + l->area.h - l->right.y));
        assert_true(l->left.h >= fminf(l->right.h, STEPS * VIZ_WIDEST_LINE) - 1);
        viz_canvas_free(&canvas);
    }
}

ALIGNED(playing_goes_through_the_words)
{
    settle(t->view, &t->canvas);
    tick(t->view, 10);
    assert_true(send_key(t->view, ' '));
    tick(t->view, 10 + STEP_SECONDS + 0.01);
    assert_int_equal(t->v->player.step, 1);
    for (double now = 11; now < 20; now += 0.1)
        tick(t->view, now);
    assert_int_equal(t->v->player.step, STEPS - 1);
    assert_false(t->v->player.playing);
}

ALIGNED(words_and_the_track_are_where_they_are_pressed)
{
    settle(t->view, &t->canvas);
    const alignment_layout *l = &t->v->layout;
    send(t->view, VIZ_PRESS, l->lines.left.x + 3, l->lines.left.y + 3.5f * l->lines.row_h, 1);
    assert_int_equal(t->v->player.step, 3);
    send(t->view, VIZ_PRESS, l->track.x + l->track.w, l->track.y + 12, 1);
    assert_int_equal(t->v->player.step, STEPS - 1);
    send(t->view, VIZ_MOVE, l->track.x, l->track.y + 12, 1);
    assert_int_equal(t->v->player.step, 0);
}

/* ---------------------------------------------------------------- the heads */

static void press_switch_of(alignment_test *t, int head, bool shift)
{
    viz_rect r = viz_lines_head(&t->v->layout.lines, head);
    assert_true(r.w >= 12);
    t->view->class->event(
        t->view,
        &(viz_event){.kind = VIZ_PRESS, .x = r.x + 4, .y = r.y + 4, .button = 1, .shift = shift});
    settle(t->view, &t->canvas);
}

static char heads_saved[64];

static void expect_heads_shown(void *user, const char *key, const char *value)
{
    (void)user;
    if (strcmp(key, "heads shown alone") == 0)
        snprintf(heads_saved, sizeof heads_saved, "%s", value);
}

/* Each is a band of its own colour; none is left switched off alone. */
ALIGNED(heads_are_switched_and_written_down)
{
    settle(t->view, &t->canvas);
    assert_int_equal(shown_count(t->v), HEADS);
    press_switch_of(t, 1, false);
    assert_true(t->v->shown[0] && !t->v->shown[1] && t->v->shown[2]);
    viz_view_describe(t->view, expect_heads_shown, NULL);
    assert_string_equal(heads_saved, "0 2");
    press_switch_of(t, 1, true);
    assert_true(!t->v->shown[0] && t->v->shown[1] && !t->v->shown[2]);
    press_switch_of(t, 1, false);
    assert_int_equal(shown_count(t->v), HEADS);
    viz_view_restore(t->view, "heads shown alone", "0 2");
    assert_true(t->v->shown[0] && !t->v->shown[1] && t->v->shown[2]);
    viz_view_restore(t->view, "heads shown alone", "all");
    assert_int_equal(shown_count(t->v), HEADS);
    for (int i = 0; i < HEADS; i++) {
        assert_true(send_key(t->view, 'n'));
        assert_true(t->v->shown[i] && shown_count(t->v) == 1);
    }
    assert_true(send_key(t->view, 'n'));
    assert_int_equal(shown_count(t->v), HEADS);
}

ALIGNED(heads_are_apart_in_colour_and_read_on_the_ground)
{
    for (int theme = 0; theme < 2; theme++)
        for (int i = 0; i < 8; i++) {
            const viz_theme *of = theme ? &viz_theme_light : &viz_theme_dark;
            viz_color a = viz_head_color(of, i, 8), b = viz_head_color(of, (i + 1) % 8, 8);
            assert_true(abs(a.r - b.r) + abs(a.g - b.g) + abs(a.b - b.b) > 45);
            int luma = (int)viz_luma(&a.r), ground = (int)viz_luma(&of->ground.r);
            assert_true(abs(luma - ground) > 90);
        }
    (void)t;
}

/* A text that does not fit is scrolled, and only some of its rows are read. */
TEST(a_long_text_is_scrolled_and_read_in_part)
{
    enum { LONG = 700, MANY = 32 };
    fake_matrix *fake = fake_create(1, 1, MANY, LONG, LONG);
    viz_view *view;
    viz_canvas canvas = canvas_of(1280, 800, 1);
    fake_label(&fake->source.weights.step_labels, LONG);
    fake_label(&fake->source.weights.position_labels, LONG);
    assert_true(accepts(&fake->source));
    OK(viz_alignment_view_create(&fake->source, NULL, &view, NULL));
    alignment_view *v = alignment_of(view);
    settle(view, &canvas);
    viz_recording r = {0};
    canvas.recording = &r;
    settle(view, &canvas);
    canvas.recording = NULL;
    for (size_t i = 0; i < r.count; i++) /* a word is seen whole or not at all */
        if (r.shapes[i].kind == VIZ_SHAPE_TEXT && viz_shape_is_cut(&r.shapes[i]))
            fail_msg("“%s” is cut", r.shapes[i].text);
    viz_recording_free(&r);
    assert_true(v->held < LONG && (size_t)v->held * LONG * MANY <= HELD_WEIGHTS);
    assert_true(v->layout.lines.row_text >= 11);
    assert_true(send_key(view, VIZ_KEY_END));
    settle(view, &canvas);
    assert_int_equal(v->player.step, LONG - 1);
    assert_int_equal(v->first + v->held, LONG);
    viz_lines lines = lines_of(v);
    assert_true(viz_lines_mean(&lines, LONG - 1, 3) > 0);
    const viz_lines_layout *l = &v->layout.lines;
    assert_true(l->row_h * LONG - l->shift <= l->area.h + 1); /* the end is seen */
    float before = v->scroll;
    view->class->event(view, &(viz_event){.kind = VIZ_WHEEL, .x = 600, .y = 400, .wheel_y = 2});
    assert_true(v->scroll < before);
    assert_true(send_key(view, 'f'));
    settle(view, &canvas);
    assert_true(v->layout.lines.row_h * LONG <= v->layout.lines.area.h);
    viz_canvas_free(&canvas);
    viz_view_destroy(view);
    fake_free(fake);
}

TEST(the_word_that_is_reported_of_first_is_in_sight)
{
    enum { WORDS = 40 };
    fake_matrix *fake = fake_create(1, 1, 2, WORDS, WORDS);
    viz_view *view;
    viz_canvas canvas = canvas_of(640, 400, 1);
    fake_label(&fake->source.weights.step_labels, WORDS);
    fake_label(&fake->source.weights.position_labels, WORDS);
    OK(viz_alignment_view_create(&fake->source, NULL, &view, NULL));
    settle(view, &canvas);
    const alignment_view *v = alignment_of(view);
    const viz_lines_layout *l = &v->layout.lines;
    int first = viz_lines_first_seen(l), step = v->player.step;
    assert_true(step > 0 && l->row_h * WORDS > l->left.h);
    assert_true(step > first && step < first + viz_lines_count_seen(l));
    viz_canvas_free(&canvas);
    viz_view_destroy(view);
    fake_free(fake);
}

/* ---------------------------------------------------------------- the lines */

static bool has_color_near(const viz_canvas *canvas, float x, float y, viz_color color)
{
    for (int dy = -2; dy <= 2; dy++) {
        viz_color p = pixel_at(canvas, x, y + (float)dy);
        if (abs(p.r - color.r) + abs(p.g - color.g) + abs(p.b - color.b) < 60)
            return true;
    }
    return false;
}

static float middle(viz_rect side, float step, int word)
{
    return side.y + step * ((float)word + 0.5f);
}

/* Weights of 0 but one: its band begins at its row and ends at its column, in its head's colour where
 * either is pointed at. */
ALIGNED(a_band_joins_the_words_of_its_weight)
{
    settle(t->view, &t->canvas);
    show_alone(t->v, 1);
    viz_color accent = viz_head_color(t->canvas.theme, 1, HEADS);
    for (int i = 0; i < HEADS * STEPS * POSITIONS; i++)
        t->v->weights[i] = 0;
    t->v->weights[(STEPS + 3) * POSITIONS + 5] = 1;
    const viz_lines_layout *l = &t->v->layout.lines;
    assert_true(l->rows == STEPS && l->columns == POSITIONS);
    float x0 = l->left.x + l->left.w + 12, x1 = l->right.x - 12;
    for (int row = 0; row < STEPS; row++) {
        send(t->view, VIZ_MOVE, l->left.x + 4, middle(l->left, l->row_h, row), 0);
        assert_int_equal(t->v->line_row, row);
        viz_clear(&t->canvas);
        draw(t->view, &t->canvas, area_of(&t->canvas));
        bool lit = has_color_near(&t->canvas, x0, middle(l->left, l->row_h, 3), accent) &&
                   has_color_near(&t->canvas, x1, middle(l->right, l->column_h, 5), accent);
        assert_true(lit == (row == 3)); /* else it is behind, pale */
    }
    for (int column = 0; column < POSITIONS; column++) {
        send(t->view, VIZ_MOVE, l->right.x + 4, middle(l->right, l->column_h, column), 0);
        assert_int_equal(t->v->line_column, column);
        viz_clear(&t->canvas);
        draw(t->view, &t->canvas, area_of(&t->canvas));
        bool lit = has_color_near(&t->canvas, x1, middle(l->right, l->column_h, 5), accent);
        assert_true(lit == (column == 5));
    }
}

ALIGNED(the_item_of_the_batch_is_chosen_too)
{
    t->fake->source.weights.batch = 2;
    settle(t->view, &t->canvas);
    assert_true(send_key(t->view, VIZ_KEY_PAGE_DOWN));
    settle(t->view, &t->canvas);
    assert_true(fabsf(t->v->weights[3] - fake_weight(t->fake, 0, 1, 0, 0, 3)) < 1e-6f);
}

ALIGNED(an_animation_shows_every_word)
{
    bool seen[STEPS] = {false};
    int count = frames(t->view, 10);
    for (int i = 0; i < count; i++) {
        frame(t->view, i, 10);
        seen[t->v->player.step] = true;
    }
    for (int i = 0; i < STEPS; i++)
        assert_true(seen[i]);
}

TEST_MAIN(open_fonts, close_fonts)
