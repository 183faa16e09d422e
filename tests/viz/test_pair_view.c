/* viz/views/weights/pair_view: two sources side by side. The layout is the view's own, so its
 * source is part of this program. */
#include "view/settings.h"
#include "weights_common.h"

#include "weights/pair_view.c"

/* A source of cells behind tokens, named "class", "register 1" …. */
typedef struct pair_shape {
    size_t layers, heads;
    int width, height; /* of the picture */
    int grid_w, grid_h, prefix;
    uint8_t tone;
    bool constant; /* a note says so */
} pair_shape;

static const pair_shape wide = {3, 2, 60, 40, 6, 4, 1, 90, false};
static const pair_shape square = {2, 4, 50, 50, 5, 5, 3, 160, false};
static const pair_shape tall = {12, 12, 30, 90, 3, 9, 0, 220, true};

static fake_matrix *fake_of(const pair_shape *shape)
{
    size_t cells = (size_t)(shape->grid_w * shape->grid_h + shape->prefix);
    fake_matrix *fake = fake_create(shape->layers, 1, shape->heads, cells, cells);
    sac_labels *labels = &fake->source.weights.position_labels;
    fake_see(fake, shape->width, shape->height, shape->grid_w, shape->grid_h, shape->prefix);
    memset(fake->image.rgba, shape->tone, (size_t)(4 * shape->width * shape->height));
    fake->constant = shape->constant;
    labels->text = calloc(cells, sizeof *labels->text);
    for (labels->count = 0; labels->count < (size_t)shape->prefix; labels->count++) {
        char name[32] = "class";
        if (labels->count)
            snprintf(name, sizeof name, "register %zu", labels->count);
        labels->text[labels->count] = strdup(name);
    }
    return fake;
}

typedef struct pair_test {
    fake_matrix *first, *second; /* the second is freed with the first */
    viz_view *view;
    pair_view *v;
    viz_canvas canvas;
} pair_test;

static pair_test open_pair(const pair_shape *first, const pair_shape *second, int width, int height,
                           float density)
{
    pair_test t = {.first = fake_of(first), .second = fake_of(second)};
    fake_stand_beside(t.first, t.second);
    assert_true(viz_pair_class.accepts(&t.first->source));
    assert_int_equal(viz_pair_class.create(&t.first->source, NULL, &t.view, NULL), SAC_OK);
    t.v = of(t.view);
    t.canvas = canvas_of(width, height, density);
    settle(t.view, &t.canvas);
    return t;
}

static void close_pair(pair_test *t)
{
    viz_canvas_free(&t->canvas);
    viz_view_destroy(t->view);
    fake_free(t->first);
}

static viz_weights_model *model_at(const pair_test *t, int side)
{
    return t->v->sides[side].base.model;
}

/* Presses at a share of a side's picture, and computes what follows. */
static void press_at(pair_test *t, int side, float x, float y)
{
    viz_rect picture = t->v->sides[side].base.row.picture;
    assert_true(send(t->view, VIZ_PRESS, picture.x + x * picture.w, picture.y + y * picture.h, 1));
    settle(t->view, &t->canvas);
}

/* ---------------------------------------------------------------- layout */

static void assert_layout(const pair_view *v, const viz_canvas *canvas, const char *what)
{
    named_rect rects[32];
    int count = 0;
    for (int i = 0; i < 2; i++) {
        const pair_side *s = &v->sides[i];
        float left = s->base.row.picture.x;
        const named_rect own[] = {
            {"name", {left, s->name_y - 12, 40, 14}},
            {"title", {s->title_x, s->base.title_y - 12, 80, 14}},
            {"note", s->base.note},
            {"picture", s->base.row.picture},
            {"read-out", {s->readout_x, s->readout_y - 12, s->right - s->readout_x, 16}},
            {"bar", s->bar},
            {"tokens", s->tokens.choices.rect},
            {"layers", s->strip.layers},
            {"heads", s->strip.maps}};
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            rects[count++] = own[k];
        assert_true(s->base.row.picture.w >= 40 && s->base.row.picture.h >= 40);
        assert_true(s->strip.width >= 6);
    }
    rects[count++] = (named_rect){"controls", v->sides[0].base.controls.rect};
    assert_apart(rects, count, area_of(canvas), what);
}

TEST(nothing_overlaps_in_any_window)
{
    const pair_shape *const tried[][2] = {{&wide, &square}, {&tall, &wide}, {&tall, &tall}};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        for (int w = 0; w < WINDOWS; w++) {
            char what[64];
            pair_test t = open_pair(tried[i][0], tried[i][1], windows[w].width, windows[w].height,
                                    windows[w].density);
            snprintf(what, sizeof what, "pair %zu in %d × %d", i, windows[w].width,
                     windows[w].height);
            assert_layout(t.v, &t.canvas, what);
            close_pair(&t);
        }
}

/* ---------------------------------------------------------------- what is shown */

TEST(each_side_shows_its_own_weights)
{
    pair_test t = open_pair(&wide, &square, 1280, 800, 1);
    for (int i = 0; i < 2; i++) {
        const fake_matrix *fake = i ? t.second : t.first;
        const viz_panel *panel = &t.v->sides[i].base.panel;
        assert_int_equal(panel->weights_count, fake->source.weights.positions);
        for (size_t k = 0; k < panel->weights_count; k++)
            assert_float_equal(panel->weights[k],
                               fake_weight(fake, 0, 0, 0, model_at(&t, i)->row, k), 1e-6);
    }
    close_pair(&t);
}

static void copy_picture(const pair_test *t, int side, uint8_t *rgba, size_t size)
{
    viz_rect r = t->v->sides[side].base.row.picture;
    size_t line = 4 * (size_t)r.w, at = 0;
    for (size_t y = 0; y < (size_t)r.h; y++, at += line) {
        assert_true(at + line <= size);
        memcpy(rgba + at,
               t->canvas.rgba + 4 * ((y + (size_t)r.y) * (size_t)t->canvas.width + (size_t)r.x),
               line);
    }
}

/* A picture, its heat and its ring are the same pixels on either side. */
TEST(sides_that_are_exchanged_show_the_same_pixels)
{
    enum { SIZE = 4 * 1280 * 800 };
    uint8_t *shown[2] = {calloc(1, SIZE), calloc(1, SIZE)};
    pair_test t = open_pair(&wide, &square, 1280, 800, 1);
    pair_test other = open_pair(&square, &wide, 1280, 800, 1);
    press_at(&t, 0, 0.9f, 0.1f);
    press_at(&other, 1, 0.9f, 0.1f);
    copy_picture(&t, 0, shown[0], SIZE);
    copy_picture(&other, 1, shown[1], SIZE);
    assert_memory_equal(shown[0], shown[1], SIZE);
    copy_picture(&t, 1, shown[0], SIZE);
    assert_memory_not_equal(shown[0], shown[1], SIZE);
    close_pair(&t);
    close_pair(&other);
    free(shown[0]);
    free(shown[1]);
}

/* ---------------------------------------------------------------- what both follow */

TEST(the_query_is_at_the_same_place_in_both)
{
    pair_test t = open_pair(&wide, &square, 1280, 800, 1);
    press_at(&t, 0, 0.95f, 0.05f);
    assert_int_equal(model_at(&t, 0)->row, 1 + 5);
    assert_int_equal(model_at(&t, 1)->row, 3 + 4);
    press_at(&t, 1, 0.5f, 0.95f);
    assert_int_equal(model_at(&t, 1)->row, 3 + 4 * 5 + 2);
    assert_int_equal(model_at(&t, 0)->row, 1 + 3 * 6 + 3);
    assert_true(send(t.view, VIZ_MOVE, t.v->sides[0].base.row.picture.x + 2,
                     t.v->sides[0].base.row.picture.y + 2, 0));
    assert_int_equal(model_at(&t, 0)->column, 1);
    assert_int_equal(model_at(&t, 1)->column, 3);
    close_pair(&t);
}

TEST(a_token_is_the_query_in_both_where_both_have_it)
{
    pair_test t = open_pair(&wide, &square, 1280, 800, 1);
    viz_rect class = t.v->sides[1].tokens.choices.items[0];
    viz_rect other = t.v->sides[1].tokens.choices.items[2];
    assert_true(send(t.view, VIZ_PRESS, class.x + 2, class.y + 2, 1));
    assert_int_equal(model_at(&t, 0)->row, 0);
    assert_int_equal(model_at(&t, 1)->row, 0);
    press_at(&t, 0, 0.95f, 0.05f);
    assert_true(send(t.view, VIZ_PRESS, other.x + 2, other.y + 2, 1));
    assert_int_equal(model_at(&t, 1)->row, 2);
    assert_int_equal(model_at(&t, 0)->row, 1 + 5); /* which has no registers */
    close_pair(&t);
}

static void press_map(pair_test *t, int side, size_t place)
{
    viz_rect map = viz_head_strip_map(&t->v->sides[side].strip, place);
    assert_true(send(t->view, VIZ_PRESS, map.x + 2, map.y + 2, 1));
    settle(t->view, &t->canvas);
}

TEST(a_head_is_chosen_in_both_where_both_have_it)
{
    pair_test t = open_pair(&wide, &square, 1280, 800, 1);
    press_map(&t, 0, 1);
    assert_int_equal(model_at(&t, 1)->head, 1);
    press_map(&t, 1, 3);
    assert_int_equal(model_at(&t, 1)->head, 3);
    assert_int_equal(model_at(&t, 0)->head, 1); /* of two */
    press_at(&t, 0, 0.95f, 0.05f);              /* does not take the other back */
    assert_int_equal(model_at(&t, 1)->head, 3);
    press_map(&t, 0, 2);
    assert_int_equal(model_at(&t, 0)->reduce, SAC_REDUCE_MEAN);
    assert_int_equal(model_at(&t, 1)->reduce, SAC_REDUCE_MEAN);
    close_pair(&t);
}

TEST(choices_of_the_bar_are_of_both)
{
    pair_test t = open_pair(&wide, &square, 1280, 800, 1);
    viz_rect scale = t.v->sides[0].base.controls.choices[VIZ_CONTROL_SCALE].items[1];
    assert_true(send(t.view, VIZ_PRESS, scale.x + 2, scale.y + 2, 1));
    assert_true(send_key(t.view, '/'));
    assert_true(send_key(t.view, 'r'));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(model_at(&t, i)->scale, VIZ_SHARED);
        assert_int_equal(model_at(&t, i)->prefix, SAC_PREFIX_DROPPED);
        assert_int_equal(model_at(&t, i)->reduce, SAC_REDUCE_MEAN);
        assert_int_equal(model_at(&t, i)->prefix_count, i ? 3 : 1); /* its own tokens */
    }
    settle(t.view, &t.canvas);
    press_at(&t, 0, 0.95f, 0.05f);
    assert_int_equal(model_at(&t, 0)->row, 5);
    assert_int_equal(model_at(&t, 1)->row, 4);
    close_pair(&t);
}

/* ---------------------------------------------------------------- words */

static void put_into(void *user, const char *key, const char *value)
{
    viz_view *to = user;
    viz_view_restore(to, key, value);
}

TEST(settings_restore_both_sides)
{
    pair_test t = open_pair(&wide, &square, 1280, 800, 1);
    pair_test again = open_pair(&wide, &square, 1280, 800, 1);
    press_at(&t, 1, 0.1f, 0.9f);
    press_map(&t, 1, 3);
    send_key(t.view, VIZ_KEY_DOWN);
    viz_view_describe(t.view, put_into, again.view);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(model_at(&again, i)->row, model_at(&t, i)->row);
        assert_int_equal(model_at(&again, i)->layer, model_at(&t, i)->layer);
        assert_int_equal(model_at(&again, i)->head, model_at(&t, i)->head);
        assert_int_equal(model_at(&again, i)->prefix_count, i ? 3 : 1);
    }
    close_pair(&t);
    close_pair(&again);
}

TEST(numbers_are_of_the_side_that_was_pointed_at)
{
    pair_test t = open_pair(&wide, &square, 1280, 800, 1);
    viz_table table;
    viz_subject subject = {0};
    assert_true(t.view->class->table(t.view, &table));
    assert_int_equal(table.columns, 25);
    press_at(&t, 1, 0.5f, 0.5f);
    assert_true(t.view->class->table(t.view, &table));
    assert_int_equal(table.columns, 28);
    assert_true(t.view->class->subject(t.view, &subject));
    assert_int_equal(subject.request.step, 3 + 12);
    assert_ptr_equal(t.view->source, t.first->source.beside);
    close_pair(&t);
}

TEST(an_animation_shows_each_head_of_the_first_once)
{
    pair_test t = open_pair(&wide, &square, 1280, 800, 1);
    assert_int_equal(t.view->class->frames(t.view, 10), 3 * 2 * 6);
    t.view->class->frame(t.view, 3 * 6, 10);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(model_at(&t, i)->layer, 1);
        assert_int_equal(model_at(&t, i)->head, 1);
    }
    close_pair(&t);
}

TEST(one_trace_alone_is_no_pair)
{
    fake_matrix *alone = fake_of(&wide), *beside = fake_create(1, 1, 1, 4, 4);
    assert_false(viz_pair_class.accepts(&alone->source));
    fake_stand_beside(alone, beside);
    assert_false(viz_pair_class.accepts(&alone->source)); /* it has no picture */
    fake_free(alone);
}

TEST_MAIN(open_fonts, close_fonts)
