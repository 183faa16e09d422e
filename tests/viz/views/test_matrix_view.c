/* viz/views/weights/matrix: one matrix with what its current row attends to. */
#include "view_rows.h"

#include "status.h"
#include "weights/map/matrix_sums.h"
#include "weights/row_panel.h"
#include "weights/weights_view.h"

VIEW_HEADS(two_of_two, 2, 2, 5, 5, false, 0)
VIEW_HEADS(larger, 2, 2, 20, 20, false, 0)
VIEW_HEADS(over_cells, 1, 1, 17, 17, false, 4)
VIEW_HEADS(four_rows, 1, 1, 4, 4, true, 0)
VIEW_HEADS(five_rows, 1, 1, 5, 5, true, 0)
VIEW_HEADS(many_rows, 1, 1, 500, 20, false, 0)
VIEW_HEADS(eight_rows, 1, 1, 8, 8, true, 0)

static void alike(one_view *v)
{
    one_heads(v, 1, 2, 8, 8, true, 0);
    v->matrix->constant = true;
}

static void numbered(one_view *v)
{
    static const size_t numbers[] = {0, 2, 4};
    one_heads(v, 3, 2, 6, 6, false, 0);
    v->source->weights.layer_numbers = numbers;
}

/* Cells 0 to 15 of a picture at columns that do not follow each other. */
static void apart_cells(one_view *v)
{
    static size_t places[16];
    one_heads(v, 1, 1, 21, 21, false, 4);
    for (size_t i = 0; i < 16; i++)
        places[i] = 1 + i + i / 4; /* a token at the end of each line */
    v->source->picture.cells = places;
}

static void read_otherwise(one_view *v)
{
    one_heads(v, 4, 2, 6, 6, true, 0);
    sac_source *s = v->source;
    s->weights.opened.readings = v->readings;
    s->weights.opened.reading_count = 3;
    s->weights.opened.reading = 2;
    for (int i = 0; i < 3; i++) {
        snprintf(v->readings[i].take, sizeof v->readings[i].take, i ? "cross" : "other");
        snprintf(v->readings[i].axes, sizeof v->readings[i].axes, i == 2 ? "LHQK" : "BHQK");
    }
}

static void read_as_first(one_view *v)
{
    v->source->weights.opened.reading = 0; /* there is no other of this one */
}

/* An item without its padding is smaller than the one before it, and has words of its own. */
static void of_items(one_view *v)
{
    one_heads(v, 2, 2, 20, 20, false, 0);
    sac_weights_source *w = &v->source->weights;
    w->batch = 2;
    w->items = calloc(2, sizeof *w->items);
    for (size_t i = 0; i < 2; i++) {
        w->items[i].steps = w->items[i].positions = i ? 12 : 20;
        fake_label(&w->items[i].step_labels, w->items[i].steps);
        fake_label(&w->items[i].position_labels, w->items[i].positions);
    }
    free(w->items[1].step_labels.text[3]);
    w->items[1].step_labels.text[3] = strdup("turned");
}

static bool is_odd(size_t head, size_t query, size_t key)
{
    (void)head, (void)query;
    return key % 2 != 0;
}

static sac_status hide_odd(void *self, size_t layer, const sac_tile *tile, uint8_t *masked,
                           sac_error *error)
{
    (void)self, (void)layer, (void)error;
    return sac_mask_tile(tile, is_odd, masked);
}

static void six_rows(one_view *v)
{
    one_heads(v, 1, 1, 6, 6, false, 0);
}

static void masked_odd(one_view *v)
{
    six_rows(v);
    v->source->weights.masked = hide_odd;
}

static const view_call view_calls[] = {{"first", read_as_first}, {0}};

/* ---------------------------------------------------------------- what is chosen */

VIEW_ROWS("matrix", what_is_chosen_is_shown,
          {"{layer=0} {head=0}", "drawn~the same for every query: differences are below 1e-6",
           alike},
          {"{layer=0} {head=0}", "drawn!~the same for every query", two_of_two},
          {"{layer=1} {head=1} {query=2,3} {layer=2} {head=-1} {head=x} {reduce=sum} {query=5,0} "
           "{query=} "
           "{zoom=nan 0 1 1} {zoom=0 0 1e9 1} {scale=large} {unknown=1} {batch=1}",
           "layer=1; head=1; reduce=none; query=2,3; zoom=; batch=0", two_of_two},
          /* layers are called by their numbers */
          {"{head=0} {layer=4}", "layer=4; drawn~layer 4, head 0", numbered},
          {"{layer=4} {layer=1}", "layer=4", numbered},
          /* a cell of the picture is a column, and pressed a query */
          {"{query=0,3} move <What the current query>@0.625,0.375", "query~,3; query=7,3",
           over_cells},
          {"press <What the current query>@0.625,0.375", "query~,7", over_cells},
          {"move <What the current query>@0.625,0.375", "query~8,", apart_cells},
          /* items have sizes and words of their own */
          {"", "map 19,19>0; drawn!~turned", of_items},
          {"PgDn", "batch=1; map 12,0=nan; map 11,11>0; drawn~turned", of_items},
          {"PgDn PgUp", "batch=0; map 19,19>0", of_items},
          /* the other reading of the array is a press away */
          {"", "choose=-1", read_otherwise},
          {"press <What the first axis is>", "choose=1; choose=-1", read_otherwise},
          {"call first left", "tips!~What the first axis is", read_otherwise})

TEST(cells_apart_are_gathered)
{
    view_hand h = view_open("matrix", view_calls, apart_cells);
    viz_weights_view *v = (viz_weights_view *)one_of(h.v);
    size_t x, y;
    view_run(&h, "");
    const float *cells = viz_row_panel_cells(&v->row, v->panel.weights);
    for (size_t i = 0; i < 16; i++)
        assert_true(cells[i] == v->panel.weights[h.v->source->picture.cells[i]]);
    assert_true(viz_weights_model_cell(v->model, 8, &x, &y) && x == 2 && y == 1);
    assert_false(viz_weights_model_cell(v->model, 5, &x, &y));
    view_close(&h);
}

TEST(the_list_has_the_largest_weights_in_order)
{
    const float row[] = {0.1f, 0.3f, 0.05f, 0.3f, 0.2f, 0.05f};
    size_t places[4];
    assert_int_equal(viz_largest(row, 6, 4, places), 4);
    assert_true(places[0] == 1 && places[1] == 3 && places[2] == 4 && places[3] == 0);
    assert_int_equal(viz_largest(row, 3, 4, places), 3);
    assert_true(places[0] == 1 && places[1] == 0 && places[2] == 2);
}

/* ---------------------------------------------------------------- what is drawn */

static bool is_ground(const view_hand *h, float x, float y)
{
    const viz_color *ground = &h->v->canvas.theme->ground;
    return memcmp(viz_pixel_at(&h->v->canvas, (int)x, (int)y), ground, 3) == 0;
}

/* The bars below the matrix are as high as the square roots of the sums of its columns. */
TEST(the_attention_that_keys_receive_is_below_them)
{
    view_hand h = view_open("matrix", view_calls, eight_rows);
    const viz_panel *panel = &((viz_weights_view *)one_of(h.v))->panel;
    float sums[8] = {0}, most = 0;
    view_run(&h, "");
    one_draw(h.v);
    one_draw(h.v);
    viz_rect bars = viz_sums_of_columns(panel);
    for (size_t c = 0; c < 8; c++) {
        for (size_t r = 0; r < 8; r++)
            sums[c] += fake_weight(h.v->matrix, 0, 0, 0, r, c);
        most = fmaxf(most, sums[c]);
    }
    for (size_t c = 0; c < 8; c++) {
        float x = panel->layout.cells.x + panel->layout.cell_w * ((float)c + 0.5f), high = 0;
        while (high < bars.h && !is_ground(&h, x, bars.y + bars.h - high - 0.5f))
            high++;
        assert_true(fabsf(high - bars.h * sqrtf(sums[c] / most)) <= 1);
    }
    view_close(&h);
}

/* The lines of the list by what they look like: those of masked keys alone are others. */
TEST(masked_keys_of_a_row_are_listed_as_such)
{
    view_hand h[2] = {view_open("matrix", view_calls, six_rows),
                      view_open("matrix", view_calls, masked_odd)};
    size_t places[6];
    for (int i = 0; i < 2; i++) {
        view_run(&h[i], "{layer=0} {head=0} {query=0,0}");
        one_draw(h[i].v);
    }
    const viz_row_panel *side = &((viz_weights_view *)one_of(h[1].v))->row;
    assert_int_equal(viz_largest(side->panel->weights, 6, 6, places), 6);
    assert_int_equal(viz_row_panel_line_count(side), 6);
    for (size_t line = 0; line < 6; line++) {
        viz_pixels p = viz_to_pixels(&h[0].v->canvas, viz_row_panel_line(side, line));
        bool same = true;
        for (int y = p.y0; y < p.y1; y++)
            same = same &&
                   memcmp(viz_pixel_at(&h[0].v->canvas, p.x0, y),
                          viz_pixel_at(&h[1].v->canvas, p.x0, y), 4 * (size_t)(p.x1 - p.x0)) == 0;
        assert_int_equal(same, places[line] % 2 == 0);
    }
    view_close(&h[0]);
    view_close(&h[1]);
}

/* ---------------------------------------------------------------- in time */

TEST(an_animation_shows_each_query_in_turn)
{
    view_hand h = view_open("matrix", view_calls, five_rows);
    const viz_weights_view *v = (viz_weights_view *)one_of(h.v);
    view_run(&h, "");
    assert_int_equal(h.v->class->frames(one_of(h.v), 10), 5 * 7);
    for (size_t i = 0; i < 35; i++) {
        h.v->class->frame(one_of(h.v), (int)i, 10);
        one_draw(h.v);
        assert_int_equal(v->model->row, i / 7);
        assert_int_equal(v->panel.weights_row, i / 7);
    }
    view_close(&h);
    h = view_open("matrix", view_calls, many_rows); /* long ones step faster */
    assert_int_equal(h.v->class->frames(one_of(h.v), 10), 120 * 7);
    h.v->class->frame(one_of(h.v), 120 * 7 - 1, 10);
    assert_int_equal(((viz_weights_view *)one_of(h.v))->model->row, 499);
    view_close(&h);
}

/* Every 0.7 s; where a person goes meanwhile, it goes on from there. */
#define PLAY "wait 0.1 {query=0,0} space "
VIEW_ROWS("matrix", playing_goes_from_query_to_query_and_round,
          {PLAY "wait 0.6", "query~,0", four_rows}, {PLAY "wait 0.75", "query~,1", four_rows},
          {PLAY "wait 1.45", "query~,2", four_rows}, {PLAY "wait 2.15", "query~,3", four_rows},
          {PLAY "wait 2.85", "query~,0", four_rows},
          {PLAY "wait 2.85 {query=0,2} wait 0.6", "query~,2", four_rows},
          {PLAY "wait 2.85 {query=0,2} wait 0.8", "query~,3", four_rows},
          {PLAY "wait 2.15 space wait 9", "query~,3; moves=no", four_rows})

TEST(choices_that_change_while_a_job_is_out_do_no_harm)
{
    for (const char *k = "rrrrr///dc..m"; *k; k++) {
        view_hand h = view_open("matrix", view_calls, larger);
        viz_view *view = one_of(h.v);
        char key[2] = {*k};
        h.stopped = true;
        for (int i = 0; i < 6; i++) {
            viz_job *job = view->class->create_job(view);
            if (!job)
                break;
            view_run(&h, key);
            OK(view->class->run_job(view, job, &failure));
            view->class->finish_job(view, job, NULL);
            one_lay(h.v);
        }
        view_run(&h, "go");
        view_close(&h);
    }
}

VIEW_ROWS_MAIN
