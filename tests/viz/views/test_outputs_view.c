/* The views of outputs: one is chosen by key, row, box or setting, and its map is what the source
 * gave for it. */

#include <math.h>

#include "one_state.h"

#define ROW_OF_FOUND "What was found, and how probable"
#define ROW_OF_PHRASE "How much the whole picture"
#define THRESHOLD "Only what is more probable"
#define LAYER "A layer, or the mean of all."
#define PICTURE_OF_FOUND "Boxes of what was found"
#define PICTURE_OF_PHRASE "Each patch by the cosine"

static one_view *open_found(void)
{
    return one_open(&viz_found_class, 1280, 800);
}

static float one_cell(int cell, const void *at)
{
    return cell == *(const int *)at;
}

/* All weight lies on that cell. */
static void assert_looks_at(one_view *v, int cell)
{
    assert_map(v, one_cell, &cell);
}

TEST(what_passes_the_threshold_is_listed)
{
    one_view *v = open_found();
    assert_int_equal(one_spots(v, ROW_OF_FOUND, 0, NULL), 6); /* 0.95 to 0.45 */
    one_key(v, ',');
    one_key(v, ',');
    assert_int_equal(one_spots(v, ROW_OF_FOUND, 0, NULL), 5);
    one_key(v, '.');
    assert_setting(v, "threshold", "0.449999988");
    viz_view_restore(one_of(v), "threshold", "0.99");
    one_draw(v);
    assert_int_equal(one_spots(v, ROW_OF_FOUND, 0, NULL), 0);
    viz_map map = {0};
    assert_false(viz_found_class.map(one_of(v), &map));
    viz_rect track, layer;
    assert_int_equal(one_spots(v, THRESHOLD, 0, &track), 1);
    assert_true(one_spots(v, LAYER, 0, &layer) > 0 && layer.y > track.y + track.h + 30);
    one_click(v, track.x + 8, track.y + track.h - 8);
    assert_int_equal(one_spots(v, ROW_OF_FOUND, 0, NULL), 9);
    one_send(v, (viz_event){.kind = VIZ_PRESS, .button = 1, .x = track.x + 8, .y = track.y + 9});
    one_send(v, (viz_event){.kind = VIZ_MOVE, .button = 1, .x = track.x + track.w / 2});
    one_send(v, (viz_event){.kind = VIZ_RELEASE, .button = 1, .x = track.x + track.w / 2});
    assert_setting(v, "threshold", "0.5");
    one_close(v);
}

TEST(a_thing_is_chosen_by_key_and_by_pointer)
{
    one_view *v = open_found();
    viz_view_restore(one_of(v), "head", "0");
    assert_looks_at(v, 0 + 2); /* of the last layer */
    one_key(v, VIZ_KEY_DOWN);
    assert_looks_at(v, 1 + 2);
    one_click_spot(v, ROW_OF_FOUND, 4);
    assert_looks_at(v, 4 + 2);
    viz_rect p;
    one_spots(v, PICTURE_OF_FOUND, 0, &p);
    /* the box of thing 2 begins there; the first ones reach there, too; of several the smallest */
    one_click(v, p.x + 0.16f * p.w + 2, p.y + 0.16f * p.h + 2);
    assert_setting(v, "thing", "2");
    one_key(v, VIZ_KEY_END);
    assert_setting(v, "thing", "5");
    viz_view_restore(one_of(v), "threshold", "0.7");
    assert_setting(v, "thing", "2");
    one_close(v);
}

TEST(a_layer_and_a_head_are_chosen_or_the_mean_of_all)
{
    one_view *v = open_found();
    assert_setting(v, "layer", "2");
    assert_setting(v, "head", "mean");
    one_key(v, 'r');
    one_key(v, 'r');
    assert_looks_at(v, 0 + 2 + 1);
    one_key(v, VIZ_KEY_LEFT);
    assert_looks_at(v, 0 + 1 + 1);
    one_click_spot(v, LAYER, 0);
    assert_looks_at(v, 0 + 0 + 1);
    one_key(v, VIZ_KEY_LEFT);
    assert_setting(v, "layer", "mean");
    viz_map map = {0};
    assert_true(viz_found_class.map(one_of(v), &map));
    assert_float_equal(map.values[2], 1 / 3.0, 1e-6);
    viz_map_free(&map);
    one_click_spot(v, LAYER, FAKE_LAYERS - 1);
    assert_setting(v, "layer", "2");
    one_click_spot(v, LAYER, FAKE_LAYERS); /* the mean stands last */
    assert_setting(v, "layer", "mean");
    viz_view_restore(one_of(v), "layer", "77");
    assert_setting(v, "layer", "2");
    one_close(v);
}

TEST(a_long_list_has_the_chosen_one_in_sight)
{
    one_view *v = one_open(&viz_found_class, 640, 400);
    viz_view_restore(one_of(v), "threshold", "0");
    viz_view_restore(one_of(v), "thing", "8");
    one_draw(v);
    int rows = one_spots(v, ROW_OF_FOUND, 0, NULL);
    assert_in_range(rows, 1, 8);
    one_click_spot(v, ROW_OF_FOUND, rows - 1);
    assert_setting(v, "thing", "8");
    one_close(v);
}

typedef struct phrase_map {
    int phrase;
    sac_likeness_way way;
} phrase_map;

static float cosine_at(int cell, const void *user)
{
    const phrase_map *of = user;
    return fake_cosine(of->phrase, cell % FAKE_PATCHES_WIDE, cell / FAKE_PATCHES_WIDE, of->way);
}

static void assert_phrase(one_view *v, int phrase, sac_likeness_way way)
{
    assert_map(v, cosine_at, &(phrase_map){phrase, way});
}

TEST(a_phrase_is_chosen_by_key_and_by_pointer)
{
    one_view *v = one_open(&viz_likeness_class, 1280, 800);
    assert_phrase(v, 0, SAC_LIKENESS_STATES);
    one_key(v, VIZ_KEY_DOWN);
    assert_phrase(v, 1, SAC_LIKENESS_STATES);
    one_click_spot(v, ROW_OF_PHRASE, 2);
    assert_phrase(v, 2, SAC_LIKENESS_STATES);
    assert_int_equal(v->outputs.asked, 1);
    one_key(v, 'g');
    assert_phrase(v, 2, SAC_LIKENESS_VALUES);
    one_click_spot(v, "In the last layer patches attend by their values", 0);
    assert_phrase(v, 2, SAC_LIKENESS_VALUE_VALUE);
    one_close(v);
}

TEST(what_is_typed_is_compared)
{
    one_view *v = one_open(&viz_likeness_class, 1280, 800);
    viz_view_restore(one_of(v), "phrase", "2");
    one_send(v, (viz_event){.kind = VIZ_KEY, .key = 'l', .ctrl = true});
    one_send(v, (viz_event){.kind = VIZ_KEY, .key = VIZ_KEY_TEXT, .text = "a bird"});
    assert_int_equal(one_spots(v, ROW_OF_PHRASE, 0, NULL), 1);
    assert_setting(v, "sentence", "a bird");
    assert_phrase(v, 0, SAC_LIKENESS_STATES);
    int asked = v->outputs.asked;
    one_send(v, (viz_event){.kind = VIZ_KEY, .key = 'a', .ctrl = true});
    one_key(v, VIZ_KEY_BACKSPACE);
    assert_setting(v, "sentence", "");
    assert_phrase(v, 0, SAC_LIKENESS_STATES); /* what was there stays */
    assert_int_equal(v->outputs.asked, asked);
    viz_table table = {0};
    assert_true(viz_likeness_class.table(one_of(v), &table));
    assert_string_equal(table.title, "cosines of patches and “a bird”");
    one_close(v);
}

/* The colour of a patch follows its cosine less the middle: of equal patches one colour. */
static viz_color color_of(one_view *v, int cell)
{
    viz_rect p;
    one_spots(v, PICTURE_OF_PHRASE, 0, &p);
    int x = (int)(p.x + p.w * ((float)(cell % FAKE_PATCHES_WIDE) + 0.5f) / FAKE_PATCHES_WIDE);
    int y = (int)(p.y + p.h * ((float)(cell / FAKE_PATCHES_WIDE) + 0.5f) / FAKE_PATCHES_HIGH);
    const uint8_t *at = v->canvas.rgba + 4 * ((size_t)y * (size_t)v->canvas.width + (size_t)x);
    return (viz_color){at[0], at[1], at[2], 255};
}

TEST(the_middle_of_the_colours_is_what_the_scale_shows)
{
    static const char *const scales[] = {"about the mean", "about 0", "beside others"};
    one_view *v = one_open(&viz_likeness_class, 1280, 800);
    viz_view_restore(one_of(v), "opacity", "1");
    viz_view_restore(one_of(v), "cells drawn", "blocky");
    for (int scale = 0; scale < 3; scale++) {
        int above = 0, right = 0, cells = FAKE_PATCHES_WIDE * FAKE_PATCHES_HIGH;
        double mean = 0;
        viz_view_restore(one_of(v), "scale", scales[scale]);
        one_draw(v);
        for (int i = 0; i < cells; i++)
            mean += (double)cosine_at(i, &(phrase_map){0, SAC_LIKENESS_STATES}) / cells;
        for (int i = 0; i < cells; i++) {
            double middle = scale == 0 ? mean : 0;
            for (int k = 0; k < 3 && scale == 2; k++)
                middle += (double)cosine_at(i, &(phrase_map){k, SAC_LIKENESS_STATES}) / 3;
            double less = (double)cosine_at(i, &(phrase_map){0, SAC_LIKENESS_STATES}) - middle;
            viz_color color = color_of(v, i);
            if (fabs(less) < 0.02)
                continue;
            above += less > 0;
            right += (less > 0) == (color.r > color.b); /* orange above the middle, blue below */
        }
        assert_true(above > 0 && right >= cells / 2);
    }
    one_close(v);
}

TEST(the_list_stands_below_a_picture_that_is_larger_so)
{
    one_view *wide = one_open(&viz_likeness_class, 1280, 800);
    one_view *tall = one_open(&viz_likeness_class, 700, 900);
    viz_rect row, picture;
    one_spots(wide, ROW_OF_PHRASE, 0, &row);
    one_spots(wide, PICTURE_OF_PHRASE, 0, &picture);
    assert_true(row.x > picture.x + picture.w);
    one_spots(tall, ROW_OF_PHRASE, 0, &row);
    one_spots(tall, PICTURE_OF_PHRASE, 0, &picture);
    assert_true(row.y > picture.y + picture.h && picture.w > 600);
    one_close(wide);
    one_close(tall);
}

/* The factors by which the heads [2,2] of the source were scaled last. */
static float scaled[4];

static sac_status scale(void *self, const float *factors, sac_heads_effect *effect,
                        sac_error *error)
{
    (void)self;
    (void)effect;
    (void)error;
    memcpy(scaled, factors, sizeof scaled);
    return SAC_OK;
}

/* `weights` are of the view's source. Closes the view. */
static void check_scaled_heads(one_view *v, sac_weights_source *weights)
{
    weights->layers = weights->heads = 2;
    weights->scale_heads = scale;
    viz_view_restore(one_of(v), "without", "0.1,1.0=0.5");
    one_draw(v);
    assert_float_equal(scaled[0], 1, 0);
    assert_float_equal(scaled[1], 0, 0);
    assert_float_equal(scaled[2], 0.5, 0);
    char status[256];
    v->class->status(one_of(v), status, sizeof status);
    assert_non_null(strstr(status, "without 0.1,1.0=0.5"));
    viz_view_restore(one_of(v), "without", "7.0"); /* there is none */
    assert_setting(v, "without", "0.1,1.0=0.5");
    scaled[0] = 0; /* by another view of the source */
    viz_view_restore(one_of(v), "without", "");
    one_draw(v);
    assert_float_equal(scaled[0], 1, 0);
    assert_float_equal(scaled[1], 1, 0);
    one_close(v);
}

TEST(outputs_are_computed_with_heads_scaled_as_the_view_shows)
{
    one_view *v = open_found();
    check_scaled_heads(v, &v->outputs.source.weights);
    v = one_open(&viz_likeness_class, 1280, 800);
    check_scaled_heads(v, &v->outputs.source.weights);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
