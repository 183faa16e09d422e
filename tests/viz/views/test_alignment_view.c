/* viz/views/alignment: words that attend to words, played one after the other. */
#include "view/settings.h"
#include "weights_common.h"

#include "alignment/alignment_view.c" /* the layout is the view's own */

enum { STEPS = 5, POSITIONS = 7 };

typedef struct alignment_test {
    fake_matrix *fake;
    viz_view *view;
    alignment_view *v; /* the same, from inside */
    viz_canvas canvas;
} alignment_test;

static int open_alignment(void **state)
{
    alignment_test *t = calloc(1, sizeof *t);
    t->fake = fake_create(2, 1, 3, STEPS, POSITIONS);
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
    static const int sizes[][2] = {{1280, 800}, {800, 500}, {640, 900}, {3840, 2160}, {640, 400}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        viz_canvas canvas = canvas_of(sizes[i][0], sizes[i][1], 1);
        settle(t->view, &canvas);
        const alignment_layout *l = &t->v->layout;
        named_rect rects[5 + STEPS + POSITIONS] = {{"grid", l->grid.area},
                                                   {"lines", l->lines.area},
                                                   {"play", l->play},
                                                   {"track", l->track},
                                                   {"bar", l->bar}};
        int count = 5;
        for (int k = 0; k < STEPS; k++)
            rects[count++] = (named_rect){"step", l->steps.word[k]};
        for (int k = 0; k < POSITIONS; k++)
            rects[count++] = (named_rect){"position", l->positions.word[k]};
        assert_apart(rects, count, area_of(&canvas), "alignment");
        assert_true(l->grid.labels);
        viz_canvas_free(&canvas);
    }
}

ALIGNED(words_have_the_colour_of_the_current_steps_weights)
{
    viz_view_restore(t->view, "layer", "1");
    viz_view_restore(t->view, "head", "2");
    for (int step = 0; step < STEPS; step++) {
        viz_player_rest_at(&t->v->player, step);
        settle(t->view, &t->canvas);
        viz_scale scale = viz_scale_for(VIZ_PER_MAP, t->v->most);
        for (int i = 0; i < POSITIONS; i++) {
            float weight = fake_weight(t->fake, 1, 0, 2, (size_t)step, (size_t)i);
            viz_color wanted = viz_colormap_color(VIZ_INFERNO, viz_scale_at(&scale, weight));
            viz_rect r = t->v->layout.positions.word[i];
            assert_true(same_color(pixel_at(&t->canvas, r.x + 5, r.y + r.h / 2), wanted));
        }
    }
}

ALIGNED(playing_goes_through_the_words_and_the_heat_glides)
{
    settle(t->view, &t->canvas);
    tick(t->view, 10);
    assert_true(send_key(t->view, ' '));
    tick(t->view, 10 + STEP_SECONDS + 0.01);
    assert_int_equal(t->v->player.step, 1);
    float from = fake_weight(t->fake, 0, 0, 0, 0, 3), to = fake_weight(t->fake, 0, 0, 0, 1, 3);
    assert_true(fabsf(weight_now(t->v, 3) - from) < 1e-5f);
    tick(t->view, 10 + STEP_SECONDS + 0.01 + 0.5);
    assert_true(fabsf(weight_now(t->v, 3) - to) < 1e-6f);
    for (double now = 11; now < 20; now += 0.1)
        tick(t->view, now);
    assert_int_equal(t->v->player.step, STEPS - 1);
    assert_false(t->v->player.playing);
}

ALIGNED(words_rows_and_the_track_are_where_they_are_pressed)
{
    settle(t->view, &t->canvas);
    const alignment_layout *l = &t->v->layout;
    viz_rect word = l->steps.word[3], cell = viz_grid_cell(&l->grid, 1, 4);
    send(t->view, VIZ_PRESS, word.x + 3, word.y + 3, 1);
    assert_int_equal(t->v->player.step, 3);
    send(t->view, VIZ_PRESS, cell.x + 3, cell.y + 3, 1);
    assert_int_equal(t->v->player.step, 1);
    send(t->view, VIZ_PRESS, l->track.x + l->track.w, l->track.y + 12, 1);
    assert_int_equal(t->v->player.step, STEPS - 1);
    send(t->view, VIZ_MOVE, l->track.x, l->track.y + 12, 1);
    assert_int_equal(t->v->player.step, 0);
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

/* Weights of 0 but one: its band begins at its row and ends at its column, in the accent where
 * either is pointed at. */
ALIGNED(a_band_joins_the_words_of_its_weight)
{
    viz_color accent = t->canvas.theme->accent;
    settle(t->view, &t->canvas);
    for (int i = 0; i < STEPS * POSITIONS; i++)
        t->v->weights[i] = 0;
    t->v->weights[3 * POSITIONS + 5] = 1;
    const viz_lines_layout *l = &t->v->layout.lines;
    assert_true(l->rows == STEPS && l->columns == POSITIONS);
    float x0 = l->left.x + l->left.w + 12, x1 = l->right.x - 12;
    for (int row = 0; row < STEPS; row++) {
        send(t->view, VIZ_MOVE, l->left.x + 4, middle(l->left, l->row_h, row), 0);
        assert_int_equal(t->v->line_row, row);
        draw(t->view, &t->canvas, area_of(&t->canvas));
        bool lit = has_color_near(&t->canvas, x0, middle(l->left, l->row_h, 3), accent) &&
                   has_color_near(&t->canvas, x1, middle(l->right, l->column_h, 5), accent);
        assert_true(lit == (row == 3));
    }
    for (int column = 0; column < POSITIONS; column++) {
        send(t->view, VIZ_MOVE, l->right.x + 4, middle(l->right, l->column_h, column), 0);
        assert_int_equal(t->v->line_column, column);
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
