/* viz/views/alignment: words that attend to words, played one after the other. */
#include "view_rows.h"

#include "parts/figures/lines.h"

enum { STEPS = 5, POSITIONS = 7, HEADS = 3, LONG = 700, MANY = 32 };

VIEW_HEADS(words, 2, HEADS, STEPS, POSITIONS, true, 0)
VIEW_HEADS(forty_words, 1, 2, 40, 40, true, 0)

static void two_items(one_view *v)
{
    words(v);
    v->source->weights.batch = 2;
}

static const view_call view_calls[] = {{0}};

#define LEFT "<to see what it attends to>"
#define RIGHT "<to see which words attend to it>"
#define HEAD "<Click to switch this head>"
#define TRACK "<Drag to go through the words>"

TEST(only_sentences_on_both_sides_are_accepted)
{
    bool (*const accepts)(const sac_source *) = viz_views_find("alignment")->accepts;
    view_hand h = view_open("alignment", view_calls, words);
    sac_source source = *h.v->source;
    assert_true(accepts(&source));
    source.weights.positions = POSITIONS + 1; /* one has no label */
    assert_false(accepts(&source));
    source = *h.v->source;
    source.weights.step_labels = (sac_labels){0};
    assert_false(accepts(&source));
    source = *h.v->source;
    source.weights.tile = NULL;
    assert_false(accepts(&source));
    view_close(&h);
}

/* Five words against seven. */
TEST(few_words_fill_the_height)
{
    static const char *const sizes[] = {"size 1280x720", "size 800x500", "size 640x400"};
    for (size_t i = 0; i < 3; i++) {
        viz_rect left, right, track;
        view_hand h = view_open("alignment", view_calls, words);
        view_run(&h, sizes[i]);
        assert_true(view_find_spot(&h, "to see what it attends to", 1, &left));
        assert_true(view_find_spot(&h, "to see which words attend", 1, &right));
        assert_true(view_find_spot(&h, "Drag to go through", 1, &track));
        assert_true(right.h >= 0.95f * (track.y - 12 - right.y));
        assert_true(left.h >= fminf(right.h, STEPS * VIZ_WIDEST_LINE) - 1);
        view_close(&h);
    }
}

VIEW_ROWS("alignment", words_are_played_and_pressed,
          {"{word=0} wait 0.1 space wait 0.75", "word=0", words},
          {"{word=0} wait 0.1 space wait 0.85", "word=1", words},
          {"{word=0} wait 0.1 space wait 9", "word=4; moves=no", words},
          {"press " LEFT "@0.5,0.7", "word=3", words},
          {"press " TRACK "@0.97,0.5", "word=4", words},
          {"hold " TRACK "@0.97,0.5 drag " TRACK "@0.03,0.5", "word=0", words},
          {"PgDn", "batch=1", two_items}, {"PgDn PgDn", "batch=0", two_items},
          {"down", "layer=1; head=0", words}, {"{layer=1} {layer=9} {head=9}", "layer=1", words},
          {"", "drawn~attends to", forty_words})

/* Each is a band of its own colour; none is left switched off alone. */
VIEW_ROWS("alignment", heads_are_switched_and_written_down,
          {"", "heads shown alone=all; drawn~all 3 heads", words},
          {"press " HEAD "#2", "heads shown alone=0 2; drawn~heads 0, 2", words},
          {"press " HEAD "#2 press \"all heads\"", "heads shown alone=all", words},
          {"Press " HEAD "#2", "heads shown alone=1; drawn~head 1", words},
          {"Press " HEAD "#2 press " HEAD "#2", "heads shown alone=all", words},
          {"{heads shown alone=0 2}", "heads shown alone=0 2", words},
          {"{heads shown alone=0 2} {heads shown alone=all}", "heads shown alone=all", words},
          {"n", "heads shown alone=0", words}, {"n n n", "heads shown alone=2", words},
          {"n n n n", "heads shown alone=all", words}, {"p", "heads shown alone=2", words})

TEST(heads_are_apart_in_colour_and_read_on_the_ground)
{
    for (int theme = 0; theme < 2; theme++)
        for (int i = 0; i < 8; i++) {
            const viz_theme *of = theme ? &viz_theme_light : &viz_theme_dark;
            viz_color a = viz_head_color(of, i, 8), b = viz_head_color(of, (i + 1) % 8, 8);
            assert_true(abs(a.r - b.r) + abs(a.g - b.g) + abs(a.b - b.b) > 45);
            int luma = (int)viz_luma(&a.r), ground = (int)viz_luma(&of->ground.r);
            assert_true(abs(luma - ground) > 90);
        }
}

/* ---------------------------------------------------------------- a long text */

static size_t last_read; /* the rows of the last tile: its end, and how many */
static size_t rows_read;
static sac_status (*tile_of_matrix)(void *self, size_t layer, const sac_tile *tile, float *weights,
                                    sac_error *error);

static sac_status note_tile(void *self, size_t layer, const sac_tile *tile, float *weights,
                            sac_error *error)
{
    last_read = tile->row + tile->rows;
    rows_read = tile->rows;
    return tile_of_matrix(self, layer, tile, weights, error);
}

static void long_text(one_view *v)
{
    one_heads(v, 1, MANY, LONG, LONG, true, 0);
    tile_of_matrix = v->source->weights.tile;
    v->source->weights.tile = note_tile;
}

/* A text that does not fit is scrolled, and only some of its rows are read. */
TEST(a_long_text_is_scrolled_and_read_in_part)
{
    char before[VIEW_TEXT], after[VIEW_TEXT];
    view_hand h = view_open("alignment", view_calls, long_text);
    view_run(&h, "");
    viz_recording r = view_drawn(&h);
    for (size_t i = 0; i < r.count; i++) /* a word is seen whole or not at all */
        if (r.shapes[i].kind == VIZ_SHAPE_TEXT && viz_shape_is_cut(&r.shapes[i]))
            fail_msg("“%s” is cut", r.shapes[i].text);
    viz_recording_free(&r);
    assert_true(rows_read < LONG && rows_read * LONG * MANY <= (size_t)1 << 22);
    view_run(&h, "End");
    one_draw(h.v);
    view_claim(&h, "word=699");
    assert_int_equal(last_read, LONG);
    view_texts(&h, "", before);
    view_run(&h, "wheel+2 " LEFT);
    view_texts(&h, "", after);
    assert_string_not_equal(before, after);
    view_run(&h, "f");
    view_claim(&h, "line=0.5");
    view_close(&h);
}

/* In a window that has no room for all of them. */
TEST(the_first_current_word_is_in_sight)
{
    viz_recording r = {0};
    one_view *v = one_begin(viz_views_find("alignment"), 640, 400, forty_words);
    one_draw(v);
    bool seen = false;
    v->canvas.recording = &r;
    one_lay(v);
    v->canvas.recording = NULL;
    for (size_t i = 0; i < r.count; i++)
        seen |= r.shapes[i].kind == VIZ_SHAPE_TEXT && r.shapes[i].points[0].y > 100 &&
                memcmp(&r.shapes[i].color, &v->canvas.theme->accent, sizeof(viz_color)) == 0;
    assert_true(seen);
    viz_recording_free(&r);
    one_close(v);
}

/* ---------------------------------------------------------------- the lines */

static bool has_color_near(const viz_canvas *canvas, float x, float y, viz_color color)
{
    for (int dy = -2; dy <= 2; dy++) {
        const uint8_t *p =
            canvas->rgba + 4 * ((size_t)(y + (float)dy) * (size_t)canvas->width + (size_t)x);
        if (abs(p[0] - color.r) + abs(p[1] - color.g) + abs(p[2] - color.b) < 60)
            return true;
    }
    return false;
}

/* Weights of 0 but one. */
static sac_status one_weight(void *self, size_t layer, const sac_tile *tile, float *weights,
                             sac_error *error)
{
    (void)self, (void)layer, (void)error;
    for (size_t r = 0; r < tile->rows; r++)
        for (size_t c = 0; c < tile->cols; c++)
            weights[r * tile->cols + c] =
                tile->head == 1 && tile->row + r == 3 && tile->col + c == 5;
    return SAC_OK;
}

static void one_band(one_view *v)
{
    words(v);
    v->source->weights.tile = one_weight;
}

/* Its band begins at its row and ends at its column, in its head's colour where either is pointed at. */
TEST(a_band_joins_the_words_of_its_weight)
{
    viz_rect left, right;
    char events[64];
    view_hand h = view_open("alignment", view_calls, one_band);
    view_run(&h, "{heads shown alone=1}");
    viz_color color = viz_head_color(h.v->canvas.theme, 1, HEADS);
    assert_true(view_find_spot(&h, "to see what it attends to", 1, &left));
    assert_true(view_find_spot(&h, "to see which words attend", 1, &right));
    float y0 = left.y + left.h * 3.5f / STEPS, y1 = right.y + right.h * 5.5f / POSITIONS;
    float x0 = left.x + left.w, x1 = right.x;
    for (int row = 0; row < STEPS; row++) {
        snprintf(events, sizeof events, "move " LEFT "@0.5,%.2f", (row + 0.5) / STEPS);
        view_run(&h, events);
        one_draw(h.v);
        bool lit = has_color_near(&h.v->canvas, x0, y0, color) &&
                   has_color_near(&h.v->canvas, x1, y1, color);
        assert_true(lit == (row == 3)); /* else it is behind, pale */
    }
    for (int column = 0; column < POSITIONS; column++) {
        snprintf(events, sizeof events, "move " RIGHT "@0.5,%.2f", (column + 0.5) / POSITIONS);
        view_run(&h, events);
        one_draw(h.v);
        assert_true(has_color_near(&h.v->canvas, x1, y1, color) == (column == 5));
    }
    view_close(&h);
}

TEST(an_animation_shows_every_word)
{
    bool seen[STEPS] = {false};
    char word[VIEW_TEXT];
    view_hand h = view_open("alignment", view_calls, words);
    view_run(&h, "");
    int count = h.v->class->frames(one_of(h.v), 10);
    for (int i = 0; i < count; i++) {
        h.v->class->frame(one_of(h.v), i, 10);
        view_ask(&h, "word", word);
        seen[atoi(word)] = true;
    }
    for (int i = 0; i < STEPS; i++)
        assert_true(seen[i]);
    view_close(&h);
}

VIEW_ROWS_MAIN
