/* viz/views/weights/heads/heads_view: all heads side by side. The layout is the view's own, so its source
 * is part of this program. */
#include "control_named.h"
#include "view/settings.h"
#include "weights_common.h"

#include "canvas/recording.h"
#include "status.h"
#include "weights/heads/heads_view.c"
#include "weights/row_boxes.h"
#include "weights/token_line.h"

static viz_view *view_of(viz_weights_model *model)
{
    viz_view *view;
    OK(viz_heads_view_create(model, &view, NULL));
    viz_weights_model_release(model);
    return view;
}

/* The view of made-up heads on a canvas, as each test finds it. */
typedef struct heads_test {
    fake_matrix *fake;
    viz_weights_model *model;
    viz_view *view;
    viz_canvas canvas;
} heads_test;

typedef struct heads_shape {
    size_t layers, heads, rows, columns;
    int width, height; /* of the canvas */
    int grid;          /* of the picture under the columns; 0: none */
} heads_shape;

/* A test whose view shows heads of that shape. */
#define IN_HEADS(name, ...)                                                                        \
    static heads_shape name##_shape = {__VA_ARGS__};                                               \
    TEST_ON_GIVEN(heads_test, t, name, open_heads, close_heads, &name##_shape)

static int open_heads(void **state)
{
    const heads_shape *shape = *state;
    heads_test *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->model = model_of(shape->layers, shape->heads, shape->rows, shape->columns, false,
                        shape->grid, &t->fake);
    t->view = view_of(t->model);
    t->canvas = canvas_of(shape->width, shape->height, 1);
    *state = t;
    return 0;
}

static int close_heads(void **state)
{
    heads_test *t = *state;
    viz_canvas_free(&t->canvas);
    viz_view_destroy(t->view);
    fake_free(t->fake);
    free(t);
    return 0;
}

static float size_of(viz_rect rect)
{
    return rect.w * rect.h;
}

/* Nothing else is as large as the picture. */
static void assert_picture_layout(const heads_view *v, const viz_canvas *canvas, const char *what)
{
    const layout *l = &v->layout;
    const viz_weights_view *b = &v->base;
    viz_rect kinds = {0};
    if (l->kinds.count)
        kinds =
            (viz_rect){l->kinds.items[0].x, l->kinds.items[0].y, l->kinds.width, l->kinds.height};
    const named_rect rects[] = {{"title", {VIZ_MARGIN, b->title_y - 12, 100, 14}},
                                {"turn", l->turn.items[0]},
                                {"note", b->note},
                                {"picture", b->row.picture},
                                {"read-out", {l->right_x, l->readout_y - 12, l->readout_w, 16}},
                                {"bar", l->bar},
                                {"tokens", v->tokens.choices.rect},
                                {"grid", v->grid.maps},
                                {"kinds", kinds},
                                {"list", b->row.list},
                                {"layers", v->strip.layers},
                                {"heads", v->strip.maps},
                                {"controls", b->controls.rect}};
    assert_apart(rects, sizeof rects / sizeof *rects, area_of(canvas), what);
    for (size_t i = 4; i < sizeof rects / sizeof *rects - 1; i++)
        if (size_of(rects[i].rect) >= size_of(b->row.picture))
            fail_msg("%s: %s is as large as the picture", what, rects[i].name);
    assert_true(!v->strip.count || v->strip.width >= 8);
}

static void assert_layout(const heads_view *v, const viz_canvas *canvas, const char *what)
{
    const layout *l = &v->layout;
    const viz_panel_layout *p = &v->base.panel.layout;
    if (shows_picture(v)) {
        assert_picture_layout(v, canvas, what);
        return;
    }
    viz_rect matrix = {p->area.x, p->area.y, p->cells.x + p->cells.w - p->area.x,
                       p->cells.y + p->cells.h - p->area.y};
    viz_rect numbers = {l->grid.x - NUMBERS, l->grid.y - 14, NUMBERS - 4, l->grid.h + 14};
    viz_rect kinds = {0};
    if (l->kinds.count)
        kinds =
            (viz_rect){l->kinds.items[0].x, l->kinds.items[0].y, l->kinds.width, l->kinds.height};
    bool alone = map_count(v) == 1; /* it is not shown small, too */
    if (alone)
        numbers = (viz_rect){0};
    const named_rect rects[] = {
        {"left title", {VIZ_MARGIN, v->base.title_y - 12, alone ? 0 : 180, 14}},
        {"right title", {l->title_x, v->base.title_y - 12, 100, 14}},
        {"note", v->base.note},
        {"kinds", kinds},
        {"numbers", numbers},
        {"thumbnails", l->grid},
        {"bar", l->bar},
        {"matrix", matrix},
        {"read-out", {l->right_x, l->readout_y - 12, l->readout_w, 16}},
        {"its bar", l->panel_bar},
        {"picture", v->base.row.picture},
        {"list", v->base.row.list},
        {"controls", v->base.controls.rect}};
    assert_apart(rects, sizeof rects / sizeof *rects, area_of(canvas), what);
    assert_true(p->cells.w >= 8 && p->cells.h >= 8);
    assert_true(alone ? l->grid.w == 0 && l->panel_bar.w > 0
                      : l->thumb_w >= SMALLEST && l->grid.w >= 14);
}

static void assert_shape_fits(int s, int w)
{
    fake_matrix *fake;
    viz_weights_model *model = model_of(shapes[s].layers, shapes[s].heads, shapes[s].rows,
                                        shapes[s].columns, shapes[s].labels, shapes[s].grid, &fake);
    model->sort = (viz_sort)((s + w) % VIZ_SORT_COUNT); /* each with each window */
    fake->constant = model->sort == VIZ_BY_ENTROPY;     /* the note takes room */
    viz_view *view = view_of(model);
    viz_canvas canvas = canvas_of(windows[w].width, windows[w].height, windows[w].density);
    char what[96];
    snprintf(what, sizeof what, "%zu × %zu of %zu × %zu in %d × %d / %g", shapes[s].layers,
             shapes[s].heads, shapes[s].rows, shapes[s].columns, windows[w].width,
             windows[w].height, (double)windows[w].density);
    settle(view, &canvas);
    assert_layout(of(view), &canvas, what);
    viz_canvas_free(&canvas);
    viz_view_destroy(view);
    fake_free(fake);
}

TEST(nothing_overlaps_in_any_window)
{
    for (int s = 0; s < SHAPES; s++)
        for (int w = 0; w < WINDOWS; w++)
            assert_shape_fits(s, w);
}

/* Below the narrowest thumbnails that are told of, what a head does is told with a whole number. */
IN_HEADS(the_number_of_a_caption_is_whole, 3, 4, 24, 24, 1280, 800)
{
    const heads_view *v = of(t->view);
    settle(t->view, &t->canvas);
    viz_head_entry entry = *thumb_entry(v, 0);
    entry.scan.stats = (sac_weights_stats){.columns = 24, .alike = 0.55f};
    for (int eighths = 4; eighths <= 24; eighths++) {
        viz_recording r = {0};
        t->canvas.density = (float)eighths / 8;
        t->canvas.recording = &r;
        draw_caption(v, &t->canvas, &entry, 0, (viz_rect){20, 20, CAPTIONED, 40},
                     viz_theme_dark.text);
        t->canvas.recording = NULL;
        assert_int_equal(r.count, 1);
        if (strcmp(r.shapes[0].text, "same 0.55") != 0)
            assert_string_equal(r.shapes[0].text, "same .55");
        viz_recording_free(&r);
    }
}

/* Thirty layers of nine heads are two columns of layers, and larger than one; a press finds each. */
IN_HEADS(many_layers_of_few_heads_stand_in_several_blocks, 30, 9, 4, 4, 1280, 800)
{
    const heads_view *v = of(t->view);
    settle(t->view, &t->canvas);
    assert_int_equal(v->layout.blocks, 2);
    assert_true(v->layout.thumb_w >= 20);
    for (size_t i = 0; i < 30 * 9; i++) {
        viz_rect r = thumb_rect(v, i);
        assert_true(r.x >= v->layout.grid.x &&
                    r.x + r.w <= v->layout.grid.x + v->layout.grid.w + 0.01f);
        send(t->view, VIZ_PRESS, r.x + r.w / 2, r.y + r.h / 2, 1);
        assert_true(t->model->layer == i / 9 && t->model->head == i % 9);
    }
    OK(viz_canvas_resize(&t->canvas, 640, 400,
                         NULL)); /* here they would be too small: one is scrolled */
    settle(t->view, &t->canvas);
    assert_int_equal(v->layout.blocks, 1);
}

/* The choices are two lines there, and the last cap, "?", stands beside the first. */
IN_HEADS(a_low_window_spends_no_line_on_caps, 6, 8, 12, 12, 640, 400)
{
    const viz_weights_controls *c = &of(t->view)->base.controls;
    settle(t->view, &t->canvas);
    viz_rect last = c->caps.items[c->caps.count - 1];
    assert_true(last.w > 0 && c->rect.h <= 64);
    assert_float_equal(last.y, control_named(&c->choices, "reduce")->rect.y, 4);
}

IN_HEADS(each_thumbnail_shows_its_own_map, 3, 4, 8, 8, 1280, 800)
{
    viz_weights_model *model = t->model;
    viz_view *view = t->view;
    heads_view *v = of(t->view);
    viz_canvas *canvas = &t->canvas;
    model->scale = VIZ_FIXED;
    settle(view, canvas);
    viz_scale scale = viz_weights_model_scale(model, 1);
    for (size_t i = 0; i < 12; i++) {
        viz_rect r = thumb_rect(v, i);
        for (size_t row = 1; row < 7; row++)
            for (size_t col = 1; col < 7; col++) { /* frames cover the edges */
                float weight = fake_weight(t->fake, i / 4, 0, i % 4, row, col);
                int place = (int)(viz_scale_at(&scale, weight) * 255 + 0.5f);
                viz_color color = pixel_at(canvas, r.x + ((float)col + 0.5f) * r.w / 8,
                                           r.y + ((float)row + 0.5f) * r.h / 8);
                assert_true(same_color(color, viz_colormap_table(VIZ_INFERNO)[place]));
            }
    }
}

/* Of head 1 alone: what is above the diagonal. */
static bool is_above(size_t head, size_t query, size_t key)
{
    return head == 1 && key > query;
}

static sac_status hide_above(void *self, size_t layer, const sac_tile *tile, uint8_t *masked,
                             sac_error *error)
{
    (void)self;
    (void)layer;
    (void)error;
    return sac_mask_tile(tile, is_above, masked);
}

static void assert_masked_above(const heads_test *t, size_t place, bool masked)
{
    viz_rect r = thumb_rect(of(t->view), place);
    for (size_t row = 1; row < 7; row++)
        for (size_t col = 1; col < 7; col++) {
            viz_color color = pixel_at(&t->canvas, r.x + ((float)col + 0.5f) * r.w / 8,
                                       r.y + ((float)row + 0.5f) * r.h / 8);
            assert_int_equal(same_color(color, viz_theme_dark.masked), masked && col > row);
        }
}

IN_HEADS(masked_cells_of_a_thumbnail_have_a_tone_of_their_own, 1, 2, 8, 8, 800, 500)
{
    t->fake->source.weights.masked = hide_above;
    settle(t->view, &t->canvas);
    assert_masked_above(t, 0, false);
    assert_masked_above(t, 1, true);
}

IN_HEADS(a_press_chooses, 3, 4, 8, 8, 1280, 800)
{
    viz_weights_model *model = t->model;
    viz_view *view = t->view;
    heads_view *v = of(t->view);
    viz_canvas *canvas = &t->canvas;
    settle(view, canvas);
    viz_rect r = thumb_rect(v, 6);
    assert_true(send(view, VIZ_PRESS, r.x + 3, r.y + 3, 1));
    assert_true(model->layer == 1 && model->head == 2);
}

IN_HEADS(sorting_puts_the_sharpest_or_the_nearest_first, 3, 5, 9, 9, 1280, 800)
{
    viz_weights_model *model = t->model;
    viz_view *view = t->view;
    heads_view *v = of(t->view);
    viz_canvas *canvas = &t->canvas;
    for (int sort = VIZ_BY_ENTROPY; sort <= VIZ_BY_DISTANCE; sort++) {
        model->sort = (viz_sort)sort;
        settle(view, canvas);
        for (size_t i = 1; i < 15; i++) {
            const sac_weights_stats *a =
                &viz_weights_model_entry(model, v->order[i - 1].map / 5, v->order[i - 1].map % 5)
                     ->scan.stats;
            const sac_weights_stats *b =
                &viz_weights_model_entry(model, v->order[i].map / 5, v->order[i].map % 5)
                     ->scan.stats;
            assert_true(sort == VIZ_BY_ENTROPY ? a->entropy <= b->entropy
                                               : a->distance <= b->distance);
        }
    }
}

/* Of heads that nobody chose among, the one where the query decides most about the key. */
IN_HEADS(the_most_telling_head_and_row_are_opened, 3, 5, 9, 9, 1280, 800)
{
    viz_weights_model *m = t->model;
    m->chosen = false;
    settle(t->view, &t->canvas);
    const sac_weights_stats *opened = &viz_weights_model_entry(m, m->layer, m->head)->scan.stats;
    for (size_t i = 0; i < 15; i++)
        assert_true(viz_weights_model_entry(m, i / 5, i % 5)->scan.stats.telling <=
                    opened->telling);
    assert_true(opened->telling > 0);
    assert_int_equal(m->row, opened->telling_row);
    viz_weights_model_select(m, 0, 0);
    settle(t->view, &t->canvas);
    assert_true(m->layer == 0 && m->head == 0); /* a person's choice stays */
}

/* Beside a picture every head has a map of where it looks for the same query. */
IN_HEADS(a_map_of_the_grid_beside_a_picture_opens_its_head, 3, 4, 50, 50, 1920, 1080, 7)
{
    heads_view *v = of(t->view);
    settle(t->view, &t->canvas);
    assert_true(v->grid.maps.w > 0);
    for (size_t l = 0; l < 3; l++)
        for (size_t h = 0; h < 4; h++)
            for (size_t c = 0; c < 50; c++)
                assert_true(fabsf(v->grid.weights[(l * 4 + h) * 50 + c] -
                                  fake_weight(t->fake, l, 0, h, t->model->row, c)) < 1e-6f);
    viz_rect r = viz_head_grid_map(&v->grid, 2, 1);
    assert_true(send(t->view, VIZ_PRESS, r.x + 2, r.y + 2, 1));
    assert_true(t->model->layer == 2 && t->model->head == 1);
}

/* Many layers of few heads would be a thin column of stamps beside an empty space. */
IN_HEADS(layers_stand_in_blocks_beside_a_picture, 12, 3, 50, 50, 1920, 1080, 7)
{
    heads_view *v = of(t->view);
    settle(t->view, &t->canvas);
    const viz_head_grid *g = &v->grid;
    assert_true(g->rows > 1 && g->rows < 12);
    for (size_t i = 0; i < 36; i++) {
        viz_rect r = viz_head_grid_map(g, i / 3, i % 3);
        assert_true(r.x >= g->maps.x && r.x + r.w <= g->maps.x + g->maps.w && r.y >= g->maps.y &&
                    r.y + r.h <= g->maps.y + g->maps.h);
        for (size_t k = 0; k < i; k++) {
            viz_rect o = viz_head_grid_map(g, k / 3, k % 3);
            assert_true(r.x >= o.x + o.w || o.x >= r.x + r.w || r.y >= o.y + o.h ||
                        o.y >= r.y + r.h);
        }
        send(t->view, VIZ_PRESS, r.x + 2, r.y + 2, 1);
        assert_true(t->model->layer == i / 3 && t->model->head == i % 3);
    }
}

static const char *tip_at(heads_test *t, viz_rect r)
{
    static viz_spots spots;
    viz_event move = {.kind = VIZ_MOVE, .x = r.x + r.w / 2, .y = r.y + r.h / 2};
    viz_heads_class.event(t->view, &move);
    spots.count = 0;
    viz_heads_class.spots(t->view, &spots);
    const viz_spot *spot = viz_spots_at(&spots, move.x, move.y);
    return spot ? spot->tip : "";
}

/* Also where they are sorted, and too small for names. */
IN_HEADS(the_line_of_status_names_the_head_under_the_pointer, 30, 9, 9, 9, 1280, 800)
{
    for (int sorted = 0; sorted < 2; sorted++) {
        t->model->sort = sorted ? VIZ_BY_ENTROPY : VIZ_BY_LAYER;
        settle(t->view, &t->canvas);
        assert_true(of(t->view)->layout.in_order == (sorted != 0));
        for (size_t place = 0; place < 270; place += 53) {
            char name[64];
            size_t map = of(t->view)->order[place].map;
            snprintf(name, sizeof name, "layer %zu, head %zu  ·  ", map / 9, map % 9);
            const char *tip = tip_at(t, thumb_rect(of(t->view), place));
            assert_ptr_equal(strstr(tip, name), tip);
            assert_non_null(strstr(tip, "entropy"));
        }
    }
}

IN_HEADS(a_figure_of_heads_has_the_legend_of_their_colours, 3, 5, 9, 9, 1280, 800)
{
    viz_recording recording = {0};
    const char *name;
    bool found = false;
    settle(t->view, &t->canvas);
    name = sac_weights_kind_name(of(t->view)->layout.kinds.kind[0]);
    t->view->figure = true;
    t->canvas.figure = true;
    t->canvas.recording = &recording;
    viz_view_draw(t->view, &t->canvas, (viz_rect){0, 0, 1280, 800});
    for (size_t i = 0; i < recording.count; i++)
        found |=
            recording.shapes[i].text && strncmp(recording.shapes[i].text, name, strlen(name)) == 0;
    assert_true(found);
    viz_recording_free(&recording);
}

IN_HEADS(the_legend_counts_what_heads_do_and_shows_a_kind_alone, 3, 5, 9, 9, 1280, 800)
{
    const viz_head_kinds *kinds = &of(t->view)->layout.kinds;
    settle(t->view, &t->canvas);
    size_t heads = 0;
    for (int i = 0; i < kinds->count; i++)
        heads += kinds->heads[i];
    assert_int_equal(heads, 15);
    viz_rect r = kinds->items[0];
    sac_weights_kind alone = kinds->kind[0];
    assert_true(send(t->view, VIZ_PRESS, r.x + 3, r.y + 3, 1));
    assert_int_equal(t->model->kind_alone, alone + 1);
    viz_rect shown = thumb_rect(of(t->view), 7);
    for (int faded = 0; faded < 2; faded++) {
        t->model->kind_alone = faded ? alone == SAC_KIND_NEXT ? 1 : SAC_KIND_NEXT + 1 : alone + 1;
        settle(t->view, &t->canvas);
        viz_color strip = pixel_at(&t->canvas, shown.x + 5, shown.y + shown.h + 2.5f);
        assert_int_equal(strip.r < 90 && strip.g < 90 && strip.b < 90, faded);
    }
    t->model->kind_alone = alone + 1;
    assert_true(send(t->view, VIZ_PRESS, r.x + 3, r.y + 3, 1));
    assert_int_equal(t->model->kind_alone, 0);
}

IN_HEADS(where_not_all_heads_fit_the_chosen_one_is_scrolled_into_view, 24, 32, 4, 4, 800, 500)
{
    viz_weights_model *model = t->model;
    viz_view *view = t->view;
    heads_view *v = of(t->view);
    viz_canvas *canvas = &t->canvas;
    settle(view, canvas);
    send_key(view, VIZ_KEY_UP);   /* round to the last layer */
    send_key(view, VIZ_KEY_LEFT); /* and the last head */
    assert_true(model->layer == 23 && model->head == 31);
    settle(view, canvas);
    viz_rect r = thumb_rect(v, place_of_current(v)), g = v->layout.grid;
    assert_true(r.x >= g.x - 0.5f && r.x + r.w <= g.x + g.w + 0.5f);
    assert_true(r.y >= g.y - 0.5f && r.y + r.h <= g.y + g.h + 0.5f);
}

IN_HEADS(scales_are_named_and_hold_what_they_say, 2, 2, 24, 24, 1280, 800)
{
    viz_weights_model *model = t->model;
    viz_view *view = t->view;
    viz_canvas *canvas = &t->canvas;
    char name[64];
    settle(view, canvas);
    float high = viz_weights_model_most(model, false);
    const viz_head_entry *own = viz_weights_model_entry(model, 0, 0);
    const struct {
        const char *name;
        float low, high;
    } expected[] = {[VIZ_PER_MAP] = {"per map, linear", 0, own->scan.stats.high},
                    [VIZ_SHARED] = {"shared by all maps, linear", 0, high},
                    [VIZ_ROOT] = {"shared scale, square root", 0, high},
                    [VIZ_LOG] = {"logarithmic", 1e-4f, 1}, /* 1/24 is in the decade of 0.01 */
                    [VIZ_FIXED] = {"fixed, linear", 0, 1}};
    for (int kind = 0; kind < VIZ_SCALE_COUNT; kind++) {
        model->scale = (viz_scale_kind)kind;
        settle(view, canvas);
        viz_scale scale = viz_panel_scale(&of(view)->base.panel);
        assert_string_equal(viz_weights_model_scale_name(model, name, sizeof name),
                            expected[kind].name);
        assert_true(fabsf(scale.low - expected[kind].low) < 1e-9f);
        assert_true(scale.high == expected[kind].high);
    }
    assert_true(viz_weights_model_uniform(model) == 1.0f / 24);
    model->scale = VIZ_LOG; /* of numbers up to 255, which are no weights */
    viz_scale scale = viz_weights_model_scale(model, 255);
    assert_true(scale.high == 255 && fabsf(scale.low - 255e-4f) < 1e-6f);
}

/* A head that is sharp is dark but for its line, and heads are compared. The bar is that of maps and
 * picture alike. */
IN_HEADS(heads_open_by_the_root_and_the_picture_has_their_scale, 3, 4, 50, 50, 1920, 1080, 7)
{
    const viz_row_panel *row = &of(t->view)->base.row;
    of(t->view)->all_heads = true;
    settle(t->view, &t->canvas);
    float high = viz_weights_model_most(t->model, true);
    for (size_t i = 0; i < 12; i++) {
        viz_scale scale = thumb_scale(of(t->view), thumb_entry(of(t->view), i));
        assert_true(scale.kind == VIZ_ROOT && scale.low == 0 && scale.high == high);
    }
    assert_true(row->picture.w > 0);
    for (int kind = 0; kind < VIZ_SCALE_COUNT; kind++) {
        t->model->scale = (viz_scale_kind)kind;
        viz_scale scale = viz_row_panel_heat_scale(row),
                  panel = viz_panel_scale(&of(t->view)->base.panel);
        assert_true(scale.kind == panel.kind && scale.low == panel.low && scale.high == panel.high);
    }
}

TEST(a_picture_is_the_largest_thing_in_any_window)
{
    static const struct {
        int width, height;
        size_t layers, heads;
    } cases[] = {{640, 400, 12, 12}, {640, 400, 1, 1},  {640, 400, 24, 16},  {1280, 800, 12, 12},
                 {800, 1200, 12, 6}, {500, 1000, 6, 8}, {1920, 1080, 32, 32}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fake_matrix *fake;
        viz_weights_model *model =
            model_of(cases[i].layers, cases[i].heads, 17, 17, i % 2 == 0, 4, &fake);
        viz_view *view = view_of(model);
        viz_canvas canvas = canvas_of(cases[i].width, cases[i].height, 1);
        char what[64];
        snprintf(what, sizeof what, "%zu × %zu in %d × %d", cases[i].layers, cases[i].heads,
                 cases[i].width, cases[i].height);
        settle(view, &canvas);
        assert_true(shows_picture(of(view)));
        assert_picture_layout(of(view), &canvas, what);
        viz_canvas_free(&canvas);
        viz_view_destroy(view);
        fake_free(fake);
    }
}

/* The cells of what is drawn small at a place, for a query; 1 token stands before them. */
static float cell_at(const heads_test *t, size_t layer, size_t place, size_t query, size_t cell)
{
    size_t heads = t->fake->source.weights.heads;
    float sum = 0, most = 0;
    for (size_t h = 0; h < heads; h++) {
        float weight = fake_weight(t->fake, layer, 0, h, query, cell + 1);
        sum += weight;
        most = fmaxf(most, weight);
        if (h == place)
            return weight;
    }
    return place == heads ? sum / (float)heads : most;
}

IN_HEADS(small_pictures_are_the_heads_their_mean_and_their_largest, 4, 3, 17, 17, 800, 500, 4)
{
    viz_head_strip *strip = &of(t->view)->strip;
    for (size_t query = 3; query < 6; query += 2) {
        t->model->row = query;
        t->model->layer = query - 3;
        settle(t->view, &t->canvas);
        assert_int_equal(strip->count, 5);
        for (size_t place = 0; place < strip->count; place++) {
            assert_true(viz_head_strip_fill(strip, place));
            for (size_t i = 0; i < 16; i++)
                assert_float_equal(strip->cells[i], cell_at(t, query - 3, place, query, i), 1e-6);
        }
    }
}

static void press(heads_test *t, viz_rect r)
{
    send(t->view, VIZ_PRESS, r.x + r.w / 2, r.y + r.h / 2, 1);
    settle(t->view, &t->canvas);
}

/* How a map is laid over the picture is told where it is chosen. */
IN_HEADS(choices_of_a_picture_say_what_they_are, 4, 3, 17, 17, 1280, 800, 4)
{
    static viz_spots spots;
    sac_image image;
    int found = 0;
    OK(sac_image_create(4, 4, &image, &failure));
    t->fake->source.picture.image = &image;
    settle(t->view, &t->canvas);
    spots.count = 0;
    viz_heads_class.spots(t->view, &spots);
    for (int i = 0; i < spots.count; i++)
        for (int k = 0; k < VIZ_OVERLAY_COUNT; k++)
            found += spots.items[i].tip == viz_overlay_tips[k];
    assert_int_equal(found, VIZ_OVERLAY_COUNT);
    t->fake->source.picture.image = NULL;
    sac_image_free(&image);
}

IN_HEADS(a_press_below_the_picture_chooses_head_mean_layer_or_token, 4, 3, 17, 17, 800, 500, 4)
{
    heads_view *v = of(t->view);
    settle(t->view, &t->canvas);
    press(t, viz_head_strip_map(&v->strip, 2));
    assert_int_equal(t->model->head, 2);
    press(t, viz_head_strip_map(&v->strip, 3));
    assert_int_equal(t->model->reduce, SAC_REDUCE_MEAN);
    press(t, viz_head_strip_map(&v->strip, 4));
    assert_int_equal(t->model->reduce, SAC_REDUCE_MAX);
    press(t, viz_head_strip_map(&v->strip, 1));
    assert_int_equal(t->model->reduce, SAC_REDUCE_NONE);
    assert_int_equal(t->model->head, 1);
    viz_rect layers = v->strip.layers;
    press(t, (viz_rect){layers.x + v->strip.layer_step, layers.y, v->strip.layer_step, layers.h});
    assert_int_equal(t->model->layer, 1);
    t->model->row = 7;
    press(t, v->tokens.choices.items[0]);
    assert_int_equal(t->model->row, 0);
}

/* Ten words over sixteen cells: each word is a query to choose. */
IN_HEADS(words_that_look_at_a_picture_are_listed, 1, 2, 10, 17, 1280, 800, .grid = 4)
{
    heads_view *v = of(t->view);
    fake_label(&t->fake->source.weights.step_labels, 10);
    settle(t->view, &t->canvas);
    assert_int_equal(v->tokens.choices.count, 10);
    assert_string_equal(v->tokens.choices.names[2], "economic");
    press(t, v->tokens.choices.items[2]);
    assert_int_equal(t->model->row, 2);
}

/* Two words, sixteen cells, three words: the text on either side can be chosen. */
IN_HEADS(words_around_the_cells_of_a_picture_are_listed, 1, 2, 21, 21, 1280, 800, .grid = 4)
{
    heads_view *v = of(t->view);
    t->fake->source.picture.prefix = 2;
    settle(t->view, &t->canvas);
    assert_int_equal(v->tokens.choices.count, 5);
    assert_string_equal(v->tokens.choices.names[4], "token 20");
    press(t, v->tokens.choices.items[4]);
    assert_int_equal(t->model->row, 20);
    press(t, v->tokens.choices.items[1]);
    assert_int_equal(t->model->row, 1);
}

IN_HEADS(a_drag_over_the_picture_takes_the_query_along, 4, 3, 17, 17, 800, 500, 4)
{
    settle(t->view, &t->canvas);
    viz_rect r = of(t->view)->base.row.picture;
    send(t->view, VIZ_PRESS, r.x + r.w * 0.1f, r.y + r.h * 0.1f, 1);
    assert_int_equal(t->model->row, 1);
    send(t->view, VIZ_MOVE, r.x + r.w * 0.9f, r.y + r.h * 0.4f, 1);
    assert_int_equal(t->model->row, 1 + 4 + 3);
    send(t->view, VIZ_MOVE, r.x + r.w * 0.1f, r.y + r.h * 0.4f, 0);
    assert_int_equal(t->model->row, 1 + 4 + 3);
    assert_int_equal(t->model->column, 1 + 4);
}

static void put_shown(void *user, const char *key, const char *value)
{
    if (strcmp(key, "heads shown") == 0)
        snprintf(user, 16, "%s", value);
}

IN_HEADS(all_heads_are_a_key_away_and_stay_when_opened_again, 4, 3, 17, 17, 1280, 800, 4)
{
    char shown[16] = "?";
    settle(t->view, &t->canvas);
    assert_true(send_key(t->view, 'f'));
    settle(t->view, &t->canvas);
    assert_layout(of(t->view), &t->canvas, "all heads");
    assert_true(of(t->view)->layout.grid.w > 0 && !of(t->view)->base.panel.hidden);
    viz_view_describe(t->view, put_shown, shown);
    assert_string_equal(shown, "all");
    assert_true(send_key(t->view, 'f'));
    assert_true(shows_picture(of(t->view)));
    viz_view_restore(t->view, "heads shown", shown);
    assert_false(shows_picture(of(t->view)));
}

/* Just above a place in shares of the picture. */
static viz_color color_above(const heads_test *t, float x, float y)
{
    viz_rect r = of(t->view)->base.row.picture;
    return pixel_at(&t->canvas, r.x + x * r.w, r.y + y * r.h - 1);
}

/* 17 tokens: one before 4 × 4 cells. */
IN_HEADS(the_line_of_tokens_says_which_cell_is_the_query, 4, 3, 17, 17, 1280, 800, 4)
{
    viz_token_line line;
    t->model->row = 0;
    viz_token_line_lay(&line, t->model, &t->canvas, 0, 0, 400, VIZ_FEW_TOKENS);
    assert_int_equal(line.choices.count, 1);
    assert_string_equal(line.choices.label, "query");
    float alone = line.choices.items[0].x;
    t->model->row = 1 + 4 * 2 + 3;
    viz_token_line_lay(&line, t->model, &t->canvas, 0, 0, 400, VIZ_FEW_TOKENS);
    assert_string_equal(line.choices.label, "query cell (3, 2), or");
    assert_true(line.choices.items[0].x > alone);
}

/* The middle, which is a quarter of it, and all of the picture. */
IN_HEADS(boxes_are_drawn_and_hold_the_heat_that_lies_in_them, 4, 3, 17, 17, 1280, 800, 4)
{
    sac_caption_truth *truth = &t->fake->source.speaker.truth;
    float quarter = 0, all = 0, weight;
    *truth = (sac_caption_truth){.objects = 2,
                                 .object = {{{1, {{0.25f, 0.25f, 0.75f, 0.75f}}}, {"middle"}},
                                            {{1, {{0, 0, 1, 1}}}, {"all"}}}};
    settle(t->view, &t->canvas);
    viz_color before = color_above(t, 0.5f, 0.25f);
    float list = viz_row_panel_line(&of(t->view)->base.row, 0).y;
    t->fake->source.speaker.has_truth = true;
    settle(t->view, &t->canvas);
    assert_false(same_color(color_above(t, 0.5f, 0.25f), before));
    assert_float_equal(viz_row_panel_line(&of(t->view)->base.row, 0).y - list,
                       viz_row_boxes_height(t->model, 1000), 0.01f);
    viz_weights_view *base = &of(t->view)->base;
    const float *cells = viz_row_panel_cells(&base->row, base->panel.weights);
    for (size_t i = 0; i < 16; i++) {
        weight = fake_weight(t->fake, 0, 0, 0, t->model->row, i + 1);
        all += weight;
        quarter += i % 4 % 3 && i / 4 % 3 ? weight : 0;
        assert_float_equal(cells[i], weight, 1e-6f);
    }
    sac_localization localization;
    assert_true(viz_row_boxes_localize(t->model, cells, 0, &localization));
    assert_float_equal(localization.mass, quarter / all, 1e-5f);
    assert_float_equal(localization.box_share, 0.25f, 1e-6f);
    assert_true(viz_row_boxes_localize(t->model, cells, 1, &localization) && localization.inside);
    assert_true(send_key(t->view, 't'));
    settle(t->view, &t->canvas);
    assert_true(same_color(color_above(t, 0.5f, 0.25f), before));
}

IN_HEADS(an_animation_shows_each_head_in_turn, 2, 3, 6, 6, 800, 500)
{
    viz_weights_model *model = t->model;
    viz_view *view = t->view;
    viz_canvas *canvas = &t->canvas;
    int fps = 10, count = view->class->frames(view, fps);
    assert_int_equal(count, 6 * 6);
    for (int i = 0; i < count; i++) {
        view->class->frame(view, i, fps);
        settle(view, canvas);
        assert_int_equal(model->layer * 3 + model->head, i / 6);
    }
}

IN_HEADS(reduced_layers_stand_one_after_the_other, 5, 3, 6, 6, 1280, 800)
{
    viz_weights_model *model = t->model;
    viz_view *view = t->view;
    viz_canvas *canvas = &t->canvas;
    model->head = 2;
    for (sac_reduce reduce = SAC_REDUCE_MEAN; reduce < SAC_REDUCE_RELEVANCE; reduce++) {
        model->reduce = reduce;
        settle(view, canvas);
        assert_int_equal(model->entry_count, 5);
        for (size_t l = 0; l < 5; l++)
            assert_non_null(viz_weights_model_entry(model, l, 0));
    }
    model->reduce = SAC_REDUCE_NONE;
    settle(view, canvas);
    assert_int_equal(model->entry_count, 15);
    assert_int_equal(model->head, 2); /* the head is remembered */
}

/* Named on the command line, chosen by its key or its word: it leads through all layers. */
IN_HEADS(rollout_shows_all_layers_unless_a_layer_is_named, 5, 3, 6, 6, 1280, 800)
{
    viz_weights_model *model = t->model;
    char title[256];
    viz_weights_model_select(model, 1, 2);
    viz_view_restore(t->view, "reduce", "rollout");
    assert_int_equal(model->layer, 4);
    settle(t->view, &t->canvas);
    assert_string_equal(viz_weights_model_title(model, title, sizeof title),
                        "rollout of layers 0 to 4");
    viz_view_restore(t->view, "reduce", "none"); /* it goes back to the head of before */
    assert_int_equal(model->layer, 1);
    for (int i = 0; i < (int)SAC_REDUCE_ROLLOUT; i++)
        send_key(t->view, 'r');
    assert_int_equal(model->reduce, SAC_REDUCE_ROLLOUT);
    assert_int_equal(model->layer, 4);
    send_key(t->view, VIZ_KEY_LEFT);
    assert_int_equal(model->layer, 3); /* a person may go to another layer, … */
    send_key(t->view, 'r');
    assert_int_equal(model->reduce, SAC_REDUCE_NONE);
    assert_int_equal(model->layer, 3); /* … and stays there */
    settle(t->view, &t->canvas);
    press(t, control_named(&of(t->view)->base.controls.choices, "reduce")
                 ->choices.items[SAC_REDUCE_ROLLOUT]);
    assert_int_equal(model->layer, 4);
    viz_view_restore(t->view, "reduce", "mean");
    viz_view_restore(t->view, "layer", "2"); /* as --layer 2 --reduce rollout, and undo */
    viz_view_restore(t->view, "reduce", "rollout");
    assert_int_equal(model->layer, 2);
}

/* The corner of the mark, "best", of a map. */
static viz_color mark_color(const heads_test *t, size_t place)
{
    viz_rect rect = thumb_rect((const heads_view *)t->view, place);
    return pixel_at(&t->canvas, rect.x + rect.w - 6, rect.y + 12);
}

IN_HEADS(the_head_that_aligns_best_is_marked_and_named, 2, 3, 6, 6, 1280, 800)
{
    static const float alignment[] = {0.2f, 0.4f, 0.3f, 0.1f, 0.99f, 0.5f};
    char text[128];
    t->fake->source.weights.head_alignment = alignment;
    for (int reduced = 0; reduced < 2; reduced++) {
        t->model->reduce = reduced ? SAC_REDUCE_MEAN : SAC_REDUCE_NONE;
        settle(t->view, &t->canvas);
        for (size_t i = 0; i < (reduced ? 2 : 6); i++)
            assert_int_equal(same_color(mark_color(t, i), viz_theme_dark.pale), !reduced && i == 4);
    }
    t->model->reduce = SAC_REDUCE_NONE;
    viz_weights_model_select(t->model, 1, 1);
    settle(t->view, &t->canvas);
    viz_weights_model_caption(t->model, text, sizeof text);
    assert_non_null(strstr(text, "aligns 99 % of the words, the best"));
    viz_weights_model_select(t->model, 0, 1);
    settle(t->view, &t->canvas);
    viz_weights_model_caption(t->model, text, sizeof text);
    assert_non_null(strstr(text, "aligns 40 % of the words,"));
    assert_null(strstr(text, "best"));
}

TEST(the_head_that_aligns_best_is_seen_first)
{
    static const float alignment[] = {0.2f, 0.4f, 0.3f, 0.1f, 0.3f, 0.5f};
    viz_weights_model *model;
    (void)state;
    fake_matrix *fake = fake_create(2, 1, 3, 6, 6);
    fake->source.weights.head_alignment = alignment;
    OK(viz_weights_model_create(&fake->source, &model, NULL));
    assert_true(model->layer == 1 && model->head == 2);
    viz_weights_model_release(model);
    fake_free(fake);
}

/* Heads × layers, and layers that are wrapped. */
IN_HEADS(heads_that_share_a_key_stand_together_until_they_are_sorted, 4, 6, 8, 8, 800, 500)
{
    heads_view *v = of(t->view);
    t->fake->source.weights.made.key_heads = 2;
    const size_t each = t->fake->source.weights.heads / 2;
    settle(t->view, &t->canvas);
    assert_int_equal(v->layout.columns % each, 0);
    for (size_t i = 0; i + 1 < map_count(v); i++) {
        viz_rect here = thumb_rect(v, i), next = thumb_rect(v, i + 1);
        bool same_row = next.y == here.y;
        float gap = next.x - here.x - here.w;
        assert_true(same_row || (i + 1) % each == 0);
        assert_true(!same_row || ((i + 1) % each ? gap < 2 * SPACE : gap >= GROUP_GAP));
    }
    assert_layout(v, &t->canvas, "groups");
    t->model->sort = VIZ_BY_ENTROPY;
    settle(t->view, &t->canvas);
    assert_int_equal(v->layout.group, 0);
}

IN_HEADS(heads_that_share_a_key_stand_together_until_they_are_sorted_too, 1, 8, 8, 8, 1280, 800)
{
    heads_that_share_a_key_stand_together_until_they_are_sorted_on(t);
}

/* ---------------------------------------------------------------- heads that are switched off */

static void open_scaled(heads_test *t, size_t layers, size_t heads, size_t tokens, int width,
                        int height, int grid)
{
    *t = (heads_test){.fake = fake_create(layers, 1, heads, tokens, tokens)};
    t->fake->source.weights.scale_heads = fake_scale_heads;
    t->fake->source.weights.next_after = fake_next_after;
    t->fake->source.weights.generate_instead = fake_generate_instead;
    if (grid)
        fake_see(t->fake, 60, 40, grid, grid, 1);
    OK(viz_weights_model_create(&t->fake->source, &t->model, NULL));
    t->model->chosen = true;
    t->view = view_of(t->model);
    t->canvas = canvas_of(width, height, 1);
}

static void close_scaled(heads_test *t)
{
    viz_canvas_free(&t->canvas);
    viz_view_destroy(t->view);
    fake_free(t->fake);
}

static void keep_without(void *user, const char *key, const char *value)
{
    if (strcmp(key, "without") == 0)
        snprintf(user, 64, "%s", value);
}

TEST(a_head_is_switched_off_by_key_by_mouse_and_by_its_setting)
{
    heads_test t;
    char reported[64] = "none", note[400];
    open_scaled(&t, 3, 4, 8, 1280, 800, 0);
    settle(t.view, &t.canvas);
    assert_true(of(t.view)->layout.effect.h > 0);
    assert_false(viz_weights_model_note(t.model, note, sizeof note));
    viz_weights_model_select(t.model, 1, 2);
    assert_true(send_key(t.view, 'h'));
    settle(t.view, &t.canvas);
    assert_true(t.fake->given_scale[1 * 4 + 2] == 0 && t.fake->given_scale[0] == 1);
    viz_view_describe(t.view, keep_without, reported);
    assert_string_equal(reported, "1.2");
    assert_true(viz_weights_model_note(t.model, note, sizeof note));
    assert_string_equal(note, "without 1.2: next “ a” 60 % → 20 %, “ b↵” 30 % → 50 %; "
                              "the last states change by 25 %, most at 3 by 40 %");
    /* The right button on the first map, once more on the one that is off. */
    viz_rect first = thumb_rect(of(t.view), 0), sixth = thumb_rect(of(t.view), 6);
    assert_true(send(t.view, VIZ_PRESS, first.x + 3, first.y + 3, 3));
    assert_true(send(t.view, VIZ_PRESS, sixth.x + 3, sixth.y + 3, 3));
    viz_view_describe(t.view, keep_without, reported);
    assert_string_equal(reported, "0.0");
    /* Shift halves, and all of a layer where its heads are one map. */
    assert_true(
        t.view->class->event(t.view, &(viz_event){.kind = VIZ_KEY, .key = 'h', .shift = true}));
    viz_view_describe(t.view, keep_without, reported);
    assert_string_equal(reported, "0.0,1.2=0.5");
    viz_view_restore(t.view, "without", "2.9");
    viz_view_describe(t.view, keep_without, reported);
    assert_string_equal(reported, "0.0,1.2=0.5");
    assert_true(send_key(t.view, 'u'));
    viz_view_describe(t.view, keep_without, reported);
    assert_string_equal(reported, "");
    t.model->reduce = SAC_REDUCE_MEAN;
    assert_true(send_key(t.view, 'h'));
    viz_view_describe(t.view, keep_without, reported);
    assert_string_equal(reported, "1.0,1.1,1.2,1.3");
    close_scaled(&t);
}

static void keep_queries(void *user, const char *key, const char *value)
{
    if (strcmp(key, "queries") == 0)
        snprintf(user, 64, "%s", value);
}

static void press_label(heads_test *t, size_t row, bool shift, viz_event_kind kind)
{
    const viz_panel_layout *l = &of(t->view)->base.panel.layout;
    const viz_event event = {.kind = kind,
                             .x = l->cells.x - 4,
                             .y = l->cells.y + ((float)row + 0.5f) * l->cell_h,
                             .button = 1,
                             .shift = shift};
    assert_true(t->view->class->event(t->view, &event));
    settle(t->view, &t->canvas);
}

static void assert_mean(const heads_test *t, const size_t *rows, size_t count)
{
    const viz_panel *panel = &of(t->view)->base.panel;
    for (size_t c = 0; c < 8; c++) {
        float mean = 0;
        for (size_t i = 0; i < count; i++)
            mean += fake_weight(t->fake, 0, 0, 0, rows[i], c) / (float)count;
        assert_float_equal(panel->weights[c], mean, 1e-6);
    }
}

/* With shift by clicks and by dragging over labels; a click alone chooses one again. */
TEST(several_queries_are_shown_in_the_mean)
{
    heads_test t;
    char reported[64] = "", name[64];
    open_scaled(&t, 2, 2, 8, 1280, 800, 0);
    settle(t.view, &t.canvas);
    press_label(&t, 2, false, VIZ_PRESS);
    press_label(&t, 5, true, VIZ_PRESS);
    assert_mean(&t, (const size_t[]){2, 5}, 2);
    press_label(&t, 6, true, VIZ_MOVE);
    press_label(&t, 7, true, VIZ_MOVE);
    viz_view_describe(t.view, keep_queries, reported);
    assert_string_equal(reported, "2,5-7");
    assert_mean(&t, (const size_t[]){2, 5, 6, 7}, 4);
    viz_weights_model_row_name(t.model, of(t.view)->base.panel.weights_row, name, sizeof name);
    assert_string_equal(name, "the mean of 4 queries");
    press_label(&t, 6, true, VIZ_PRESS);
    assert_mean(&t, (const size_t[]){2, 5, 7}, 3);
    press_label(&t, 3, false, VIZ_PRESS);
    assert_mean(&t, (const size_t[]){3}, 1);
    viz_view_restore(t.view, "queries", "0,4");
    settle(t.view, &t.canvas);
    assert_mean(&t, (const size_t[]){0, 4}, 2);
    viz_view_restore(t.view, "queries", "0,9"); /* there are 8 */
    viz_view_describe(t.view, keep_queries, reported);
    assert_string_equal(reported, "0,4");
    viz_view_restore(t.view, "queries", "");
    assert_int_equal(t.model->several_count, 0);
    close_scaled(&t);
}

static void keep_segments(void *user, const char *key, const char *value)
{
    if (strcmp(key, "segments") == 0)
        snprintf(user, 64, "%s", value);
}

/* Text B begins at 3 of 8 tokens: its parts are maps of their own, and a cell stays the same cell. */
TEST(parts_of_a_pair_are_chosen_and_special_tokens_hidden)
{
    static const uint8_t special[8] = {1, 0, 1};
    heads_test t;
    char reported[64] = "", title[200];
    open_scaled(&t, 2, 2, 8, 1280, 800, 0);
    t.fake->source.weights.second = 3;
    t.fake->source.weights.special = special;
    settle(t.view, &t.canvas);
    viz_panel *panel = &of(t.view)->base.panel;
    viz_panel_point(panel, 5, 1);
    for (int i = 0; i < 4; i++) /* A → A, B → B, A → B, B → A */
        assert_true(send_key(t.view, 'g'));
    viz_view_describe(t.view, keep_segments, reported);
    assert_string_equal(reported, "B-A");
    settle(t.view, &t.canvas);
    assert_true(panel->layout.rows == 5 && panel->layout.columns == 3);
    assert_float_equal(panel->weights[1], fake_weight(t.fake, 0, 0, 0, t.model->row + 3, 1), 1e-6);
    assert_true(send_key(t.view, 'x'));
    settle(t.view, &t.canvas);
    assert_true(panel->weights[0] == 0 && panel->weights[2] == 0 && panel->weights[1] > 0);
    assert_true(panel->weights_masked[0] && !panel->weights_masked[1] && panel->weights_masked[2]);
    viz_weights_model_title(t.model, title, sizeof title);
    assert_non_null(strstr(title, "B → A, special tokens hidden ("));
    assert_non_null(strstr(title, " % of the weight is hidden)"));
    /* Back by its chip; the cell is of the same tokens. */
    viz_panel_point(panel, 2, 1);
    viz_rect all = control_named(&of(t.view)->base.controls.choices, "segments")->choices.items[0];
    assert_true(send(t.view, VIZ_PRESS, all.x + 2, all.y + 2, 1));
    assert_true(t.model->row == 5 && t.model->column == 1);
    close_scaled(&t);
}

TEST(what_comes_behind_the_current_row_is_shown_played_and_replaced)
{
    heads_test t;
    open_scaled(&t, 3, 4, 8, 1280, 800, 0);
    viz_view_restore(t.view, "query", "0,5");
    settle(t.view, &t.canvas);
    assert_int_equal(t.model->next_of, 5);
    assert_true(t.model->next_count == 2 && t.model->next[0].stands);
    /* Played to the last row. */
    assert_true(send_key(t.view, ' '));
    for (double now = 10; now < 20; now += 0.25) {
        t.view->class->tick(t.view, now);
        settle(t.view, &t.canvas);
        assert_int_equal(t.model->next_of, t.model->row);
    }
    assert_int_equal(t.model->row, 7);
    assert_false(of(t.view)->plays);
    /* The second word instead; the first of a row that is not the last stands there already. */
    viz_view_restore(t.view, "query", "0,2");
    settle(t.view, &t.canvas);
    viz_rect panel = of(t.view)->layout.effect;
    assert_false(send(t.view, VIZ_PRESS, panel.x + 20, panel.y + 24 + 10, 1));
    assert_true(send(t.view, VIZ_PRESS, panel.x + 20, panel.y + 24 + 30, 1));
    settle(t.view, &t.canvas);
    assert_string_equal(t.view->class->retyped(t.view), "2 13");
    assert_null(t.view->class->retyped(t.view));
    close_scaled(&t);
}

TEST(what_comes_next_has_room_beside_maps_in_any_window)
{
    static const int sizes[][2] = {{640, 400}, {800, 500}, {640, 900}, {1280, 800}, {1920, 1080}};
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        heads_test t;
        int grid = i % 2 ? 3 : 0;
        open_scaled(&t, 6, 8, grid ? 10 : 24, sizes[i / 2][0], sizes[i / 2][1], grid);
        viz_view_restore(t.view, "without", "1.2,3.0=0.5");
        settle(t.view, &t.canvas);
        const heads_view *v = of(t.view);
        if (grid)
            assert_picture_layout(v, &t.canvas, "switched");
        else
            assert_layout(v, &t.canvas, "switched");
        const viz_panel_layout *p = &v->base.panel.layout;
        const named_rect rects[] = {
            {"effect", v->layout.effect},       {"cells", grid ? (viz_rect){0} : p->cells},
            {"list", v->base.row.list},         {"bar", v->layout.bar},
            {"panel bar", v->layout.panel_bar}, {"controls", v->base.controls.rect}};
        assert_apart(rects, sizeof rects / sizeof *rects, area_of(&t.canvas), "switched");
        assert_true(grid || (v->layout.effect.h > 0) == (sizes[i / 2][0] >= 1280));
        close_scaled(&t);
    }
}

/* ---------------------------------------------------------------- heads that are asked for */

static void keep_ask(void *user, const char *key, const char *value)
{
    if (strcmp(key, "ask") == 0)
        snprintf(user, 64, "%s", value);
}

/* True where no head that is drawn before another has less of `weight` at that cell. */
static void assert_ranked(const heads_test *t, size_t row, size_t column)
{
    const heads_view *v = of(t->view);
    assert_true(v->asked.lines > 3);
    for (size_t i = 0; i < 12; i++) {
        size_t map = v->order[i].map;
        float weight = fake_weight(t->fake, map / 4, 0, map % 4, row, column);
        assert_int_equal(map, v->asked.maps[i]);
        assert_float_equal(v->asked.scores[map], weight, 1e-6);
        assert_true(i == 0 || weight <= v->asked.scores[v->order[i - 1].map]);
    }
}

IN_HEADS(all_heads_are_ranked_by_a_pair_that_is_pressed, 3, 4, 8, 8, 1920, 800)
{
    viz_weights_model *model = t->model;
    char reported[64] = "";
    settle(t->view, &t->canvas);
    const heads_view *v = of(t->view);
    viz_rect cells = v->base.panel.layout.cells;
    /* The chip, then a cell. */
    viz_rect chip = control_named(&v->base.controls.choices, "sort")->choices.items[VIZ_BY_ASKED];
    assert_true(send(t->view, VIZ_PRESS, chip.x + 3, chip.y + 3, 1));
    assert_int_equal(model->sort, VIZ_BY_ASKED);
    assert_true(
        send(t->view, VIZ_PRESS, cells.x + 2.5f * cells.w / 8, cells.y + 6.5f * cells.h / 8, 1));
    settle(t->view, &t->canvas);
    assert_ranked(t, 6, 2);
    viz_view_describe(t->view, keep_ask, reported);
    assert_string_equal(reported, "6 2");
    /* To point is not to ask. */
    send(t->view, VIZ_MOVE, cells.x + 5.5f * cells.w / 8, cells.y + 1.5f * cells.h / 8, 0);
    settle(t->view, &t->canvas);
    assert_ranked(t, 6, 2);
    /* The second line opens its head. */
    size_t second = v->asked.maps[1];
    viz_rect list = v->asked.rect;
    assert_true(send(t->view, VIZ_PRESS, list.x + 30, list.y + 2.5f * 22, 1));
    assert_true(model->layer == second / 4 && model->head == second % 4);
    /* As a setting. */
    viz_view_restore(t->view, "ask", "1 5");
    settle(t->view, &t->canvas);
    assert_ranked(t, 1, 5);
    assert_true(model->row == 1 && model->column == 5);
}

IN_HEADS(all_heads_are_ranked_by_the_pattern_of_the_legend, 3, 4, 8, 8, 1920, 800)
{
    t->model->chosen = false;
    viz_view_restore(t->view, "ask", "diagonal");
    settle(t->view, &t->canvas);
    const heads_view *v = of(t->view);
    for (size_t i = 0; i < 12; i++) {
        size_t map = v->order[i].map;
        const sac_weights_stats *stats =
            &viz_weights_model_entry(t->model, map / 4, map % 4)->scan.stats;
        assert_float_equal(v->asked.scores[map], stats->self, 1e-6);
        assert_true(i == 0 || stats->self <= v->asked.scores[v->order[i - 1].map]);
    }
    /* Every pattern can be asked for in the legend, whether a head is named after it or not. */
    bool has_delimiter = false;
    for (int i = 0; i < v->layout.kinds.count; i++)
        has_delimiter = has_delimiter || v->layout.kinds.kind[i] == SAC_KIND_DELIMITER;
    assert_true(has_delimiter);
    /* Nobody chose a head: the one with most of it is open, at a query that shows it. */
    assert_int_equal(v->order[0].map, t->model->layer * 4 + t->model->head);
    const sac_weights_scan *scan =
        &viz_weights_model_entry(t->model, t->model->layer, t->model->head)->scan;
    assert_true(t->model->row > 0 && t->model->row == scan->kind_row[SAC_KIND_SELF]);
    assert_false(t->model->column_chosen);
}

TEST_MAIN(open_fonts, close_fonts)
