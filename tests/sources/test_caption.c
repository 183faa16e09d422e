/* src/source/caption: which object a generated word is held to, and how its map stands to the box. */

#include <math.h>

#include "sources/source.h"
#include "sources/words/peak.h"
#include "status.h"
#include "test.h"

/* A caption of the words in `text`, each looking at cell (3, 0) alone, on a grid of 4 × 2. */
static sac_result generate(const char *text)
{
    sac_result caption = {.grid_w = 4, .grid_h = 2, .finished = true};
    char copy[2 * SAC_MAX_TOKENS], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *t = strtok_r(copy, " ", &rest); t; t = strtok_r(NULL, " ", &rest)) {
        sac_result_output *word = &caption.outputs[caption.count++];
        snprintf(word->text, sizeof word->text, "%s", t);
        word->peak_x = 3;
    }
    caption.weights = calloc((size_t)caption.count + 1, 8 * sizeof(float));
    for (int i = 0; i < caption.count; i++)
        caption.weights[8 * i + 3] = 1;
    return caption;
}

TEST(what_is_read_is_without_the_tokens_of_places)
{
    static const char all[] = "a dog <loc_52> <loc_332> runs <poly> <sep>";
    sac_result caption = generate(all);
    char *read = sac_result_make_placeless_line(&caption);
    assert_string_equal(read, all); /* it has no regions */
    free(read);
    caption.regions.form = SAC_REGIONS_LABELLED;
    read = sac_result_make_placeless_line(&caption);
    assert_string_equal(read, "a dog runs");
    free(read);
    read = sac_result_make_line(&caption);
    assert_string_equal(read, all);
    free(read);
    sac_result_free(&caption);
}

/* "a large red circle above a small blue star and a small red cross"; the star is mentioned second
 * but is object 2. */
static sac_caption_truth three_objects(void)
{
    sac_caption_truth truth = {
        .caption = "a large red circle above a small blue star and a small red cross",
        .objects = 3,
        .object = {{.look = {1, {{0, 0, 0.25f, 0.5f}}}},
                   {.look = {1, {{0.5f, 0, 1, 1}}}},
                   {.look = {1, {{0.7f, 0.1f, 0.9f, 0.3f}}}}},
        .words = 14,
        .object_of_word = {0, 0, 0, 0, -1, 2, 2, 2, 2, -1, 1, 1, 1, 1}};
    return truth;
}

static void assert_objects(const char *token_run, const sac_caption_truth *truth,
                           const int *objects)
{
    sac_result caption = generate(token_run);
    sac_caption_mark marks[SAC_MAX_TOKENS];
    sac_caption_judge(&caption, truth, marks);
    for (int i = 0; i < caption.count; i++)
        if (marks[i].object != objects[i])
            fail_msg("\"%s\": word %d belongs to %d, not %d", token_run, i, marks[i].object,
                     objects[i]);
    sac_result_free(&caption);
}

TEST(words_of_a_phrase_carry_its_object_and_relations_none)
{
    sac_caption_truth truth = three_objects();
    assert_objects(truth.caption, &truth, truth.object_of_word);
}

TEST(phrases_are_counted_whatever_their_words)
{
    sac_caption_truth truth = three_objects();
    assert_objects("a small green square left of a large white circle", &truth,
                   (int[]){0, 0, 0, 0, -1, -1, 2, 2, 2, 2});
    assert_objects("a circle a star a cross", &truth, (int[]){0, 0, 2, 2, 1, 1});
    assert_objects("red circle above the star", &truth, (int[]){0, 0, -1, 2, 2});
}

TEST(a_phrase_too_many_describes_nothing)
{
    sac_caption_truth truth = {.caption = "a large red circle",
                               .objects = 1,
                               .object = {{.look = {1, {{0, 0, 1, 1}}}}},
                               .words = 4,
                               .object_of_word = {0, 0, 0, 0}};
    assert_objects("a large red circle below a small red star", &truth,
                   (int[]){0, 0, 0, 0, -1, -1, -1, -1, -1});
}

TEST(a_truth_without_objects_gives_none)
{
    sac_caption_truth nothing = {0}, lying = three_objects();
    lying.objects = 1; /* about names objects that are not there */
    assert_objects("a red circle", &nothing, (int[]){-1, -1, -1});
    assert_objects("a red circle above a blue star", &lying, (int[]){0, 0, 0, -1, -1, -1, -1});
}

TEST(only_colours_and_shapes_name)
{
    sac_caption_truth truth = three_objects();
    sac_result caption = generate("a large red circle right of a small purple diamond");
    sac_caption_mark marks[SAC_MAX_TOKENS];
    const bool names[] = {false, false, true, true, false, false, false, false, true, true};
    sac_caption_judge(&caption, &truth, marks);
    for (int i = 0; i < caption.count; i++)
        assert_int_equal(marks[i].names, names[i]);
    sac_result_free(&caption);
}

TEST(longest_captions_are_judged)
{
    char text[2 * SAC_MAX_TOKENS];
    for (int i = 0; i < SAC_MAX_TOKENS; i++)
        memcpy(text + 2 * i, i + 1 < SAC_MAX_TOKENS ? "a " : "a", 2);
    sac_result caption = generate(text);
    sac_caption_truth truth = three_objects();
    sac_caption_mark marks[SAC_MAX_TOKENS];
    memset(truth.caption, 'a', sizeof truth.caption); /* no end, either */
    for (size_t i = 1; i < sizeof truth.caption; i += 2)
        truth.caption[i] = ' ';
    assert_int_equal(caption.count, SAC_MAX_TOKENS);
    sac_caption_judge(&caption, &truth, marks);
    assert_int_equal(marks[0].object, 0);
    assert_int_equal(marks[SAC_MAX_TOKENS - 1].object, -1);
    sac_result_free(&caption);
}

/* ---------------------------------------------------------------- heat and boxes */

TEST(cover_is_the_share_of_each_cell)
{
    /* columns ½, 1, 1, 0 of 4; rows ½, 1 of 2 */
    const sac_look look = {1, {{0.125f, 0.25f, 0.75f, 1}}};
    const float expected[] = {0.25f, 0.5f, 0.5f, 0, 0.5f, 1, 1, 0};
    float cover[8];
    sac_look_cover(&look, 4, 2, cover);
    for (int i = 0; i < 8; i++)
        assert_float_equal(cover[i], expected[i], 1e-6);
}

TEST(boxes_that_reach_out_are_cut)
{
    float cover[4];
    sac_look_cover(&(sac_look){1, {{-1, -1, 2, 2}}}, 2, 2, cover);
    for (int i = 0; i < 4; i++)
        assert_float_equal(cover[i], 1, 0);
    /* upside down: empty */
    sac_look_cover(&(sac_look){1, {{0.6f, 0.6f, 0.4f, 0.4f}}}, 2, 2, cover);
    for (int i = 0; i < 4; i++)
        assert_float_equal(cover[i], 0, 0);
}

static sac_caption_mark judge_one(const float box[4], const float weights[8], int peak_x,
                                  int peak_y)
{
    sac_result caption = generate("circle");
    sac_caption_truth truth = {.caption = "a circle", .objects = 1, .words = 2};
    sac_caption_mark mark;
    truth.object[0].look.count = 1;
    memcpy(truth.object[0].look.box[0], box, sizeof truth.object[0].look.box[0]);
    memcpy(caption.weights, weights, 8 * sizeof *weights);
    caption.outputs[0].peak_x = peak_x;
    caption.outputs[0].peak_y = peak_y;
    sac_caption_judge(&caption, &truth, &mark);
    sac_result_free(&caption);
    return mark;
}

/* ---------------------------------------------------------------- maps */

TEST(the_heaviest_place_is_in_the_heaviest_blob_and_never_where_nothing_is)
{
    /* A small blob, a heavier one that is spread out, and between them nothing. */
    float x, y, weights[7 * 5] = {0};
    const int blob[] = {11, 12, 13, 18, 19, 20, 25, 26, 27};
    weights[14] = 0.2f;
    for (int i = 0; i < 9; i++)
        weights[blob[i]] = i == 4 ? 0.12f : 0.08f;
    sac_map_heaviest(weights, 7, 5, &x, &y);
    assert_true(fabsf(x - 5.5f) < 0.01f && fabsf(y - 2.5f) < 0.01f);
    /* A ring: its middle has none. */
    memset(weights, 0, sizeof weights);
    for (int i = 0; i < 9; i++)
        weights[blob[i]] = i == 4 ? 0 : 0.125f;
    sac_map_heaviest(weights, 7, 5, &x, &y);
    assert_true(weights[(int)y * 7 + (int)x] > 0);
    /* At the edge, and beyond it nothing. */
    memset(weights, 0, sizeof weights);
    weights[34] = 1;
    sac_map_heaviest(weights, 7, 5, &x, &y);
    assert_true((int)x == 6 && (int)y == 4);
}

/* The peak is that of 1 2 1 both ways, at the edge of the cells that there are; of a row each cell stands alone. */
TEST(the_peak_of_a_map_is_that_of_its_cells_with_their_neighbours)
{
    const float one[16] = {[0] = 0.28f, [9] = 0.2f, [10] = 0.25f, [13] = 0.2f, [14] = 0.05f};
    const float row[5] = {0.3f, 0.1f, 0.2f, 0.2f, 0.2f};
    assert_int_equal(sac_map_peak(one, 4, 4), 13); /* 1.55 of 12 shares; cell 0 has 1.12 of 9 */
    assert_int_equal(sac_map_peak(row, 5, 1), 0);
    assert_int_equal(sac_map_peak((const float[4]){0}, 2, 2), 0);
}

TEST(contrast_is_what_a_map_has_above_the_mean_of_all_words)
{
    const float maps[3][8] = {{0.5f, 0.5f}, {0.5f, 0, 0.5f}, {0.5f, 0.25f, 0.25f}};
    sac_result caption = generate("a red circle");
    memcpy(caption.weights, maps, sizeof maps);
    sac_result_contrast(&caption);
    assert_int_equal(caption.attribution, SAC_ATTRIBUTION_CONTRAST);
    assert_float_equal(caption.weights[1], 1, 1e-6); /* of 0.5 less 0.25 alone */
    assert_float_equal(caption.weights[8 + 2], 1, 1e-6);
    for (int k = 0; k < 8; k++) /* it has nothing above the mean */
        assert_float_equal(caption.weights[16 + k], 0, 1e-6);
    assert_int_equal(caption.outputs[0].peak_x, 1);
    assert_float_equal(caption.outputs[0].entropy, 0, 1e-6);
    assert_float_equal(caption.max_weight, 1, 1e-6);
    sac_result_free(&caption);
    caption = generate("circle");
    sac_result_contrast(&caption); /* one word has no other */
    assert_float_equal(caption.weights[3], 1, 0);
    sac_result_free(&caption);
}

TEST(the_narrowest_word_is_one_that_describes_and_is_sure_if_there_is_one)
{
    sac_result caption = generate("a red small circle");
    sac_result_measure(&caption);
    assert_int_equal(sac_result_narrowest(&caption), -1);
    for (int i = 0; i < 3; i++) {
        caption.outputs[i + 1].describes = true;
        caption.outputs[i + 1].entropy = (float)(i + 1);
    }
    assert_int_equal(sac_result_narrowest(&caption), 1);
    caption.outputs[1].unsure = true;
    assert_int_equal(sac_result_narrowest(&caption), 2);
    caption.outputs[2].unsure = caption.outputs[3].unsure = true;
    assert_int_equal(sac_result_narrowest(&caption), 1);
    sac_result_free(&caption);
}

/* ---------------------------------------------------------------- boxes */

TEST(mass_counts_cells_by_their_share)
{
    const float weights[] = {0.5f, 0.25f, 0, 0, 0, 0.125f, 0, 0.125f};
    sac_caption_mark mark = judge_one((float[]){0.125f, 0.25f, 0.75f, 1}, weights, 0, 0);
    assert_float_equal(mark.localization.mass, 0.5 * 0.25 + 0.25 * 0.5 + 0.125, 1e-6);
    assert_float_equal(mark.localization.box_share, 0.625 * 0.75, 1e-6);
}

TEST(the_peak_is_inside_where_its_cells_centre_is)
{
    const float weights[] = {0, 1, 0, 0, 0, 0, 0, 0}; /* its centre is at 0.375, 0.25 */
    assert_true(judge_one((float[]){0.375f, 0.25f, 1, 1}, weights, 1, 0).localization.inside);
    assert_false(judge_one((float[]){0.38f, 0.25f, 1, 1}, weights, 1, 0).localization.inside);
    assert_false(judge_one((float[]){0.25f, 0.26f, 1, 1}, weights, 1, 0).localization.inside);
    assert_false(judge_one((float[]){0, 0, 0.37f, 1}, weights, 1, 0).localization.inside);
    assert_false(judge_one((float[]){0, 0, 1, 0.24f}, weights, 1, 0).localization.inside);
}

TEST(heat_of_nothing_is_nowhere)
{
    const float weights[8] = {0};
    sac_caption_mark mark = judge_one((float[]){0, 0, 1, 1}, weights, 0, 0);
    assert_int_equal(mark.object, 0);
    assert_false(mark.localization.inside);
    assert_float_equal(mark.localization.mass, 0, 0);
}

/* ---------------------------------------------------------------- text and memory */

TEST(the_text_is_cut_where_there_is_no_room)
{
    sac_result caption = generate("a large red circle"), empty = {0};
    char text[32];
    assert_string_equal(sac_result_text(&caption, text, sizeof text), "a large red circle");
    assert_string_equal(sac_result_text(&caption, text, 9), "a large ");
    assert_string_equal(sac_result_text(&caption, text, 1), "");
    assert_string_equal(sac_result_text(&empty, text, sizeof text), "");
    sac_result_free(&caption);
}

static int destroyed;

static void destroy(void *self)
{
    (void)self;
    destroyed++;
}

TEST(what_is_empty_can_be_freed)
{
    sac_result caption = {0};
    sac_source source = {.destroy = destroy};
    sac_training_snapshot view = {0};
    sac_result_free(NULL);
    sac_result_free(&caption);
    sac_source_destroy(NULL);
    sac_source_destroy(&source);
    sac_source_destroy(&source); /* zeroed by now */
    assert_int_equal(destroyed, 1);
    sac_training_snapshot_free(NULL);
    sac_training_snapshot_free(&view);
}

/* As a leak checker sees it. */
TEST(a_training_view_frees_all_it_owns)
{
    sac_training_snapshot view = {.points = 2, .pictures = 6};
    view.loss = malloc(2 * sizeof *view.loss);
    view.exact = malloc(2 * sizeof *view.exact);
    view.at = malloc(2 * sizeof *view.at);
    for (int i = 0; i < 6; i++) {
        OK(sac_image_create(2, 2, &view.picture[i].image, NULL));
        view.picture[i].caption = generate("a circle");
    }
    sac_training_snapshot_free(&view);
    assert_null(view.loss);
    assert_null(view.picture[5].image.rgba);
}

/* "two boats sail at night": of the boats, of both and the water, of the sky. */
static sac_caption_truth by_words(void)
{
    return (sac_caption_truth){
        .caption = "two boats sail at night",
        .objects = 3,
        .object = {{.look = {2, {{0, 0, 0.25f, 0.5f}, {0.75f, 0, 1, 0.5f}}}},
                   {.look = {1, {{0, 0.5f, 1, 1}}}},
                   {.look = {1, {{0, 0, 1, 0.5f}}}}},
        .words = 5,
        .object_of_word = {0, 0, 1, 2, 2},
        .by_word = true,
        .names = {false, true, false, false, false},
    };
}

TEST(by_words_each_describes_what_it_stands_in_the_place_of)
{
    sac_caption_truth truth = by_words();
    assert_objects("two boats sail at night", &truth, truth.object_of_word);
    assert_objects("two cars sail at night", &truth, truth.object_of_word);
    assert_objects("boats sail at night", &truth, (int[]){0, 1, 2, 2});
    assert_objects("two white boats sail at night", &truth, (int[]){0, -1, 0, 1, 2, 2});
    assert_objects("two boats sail", &truth, (int[]){0, 0, 1});
}

TEST(by_words_those_that_are_wrong_are_marked_and_those_that_name_are_the_truths)
{
    sac_caption_truth truth = by_words();
    sac_result caption = generate("two red cars sail at sunset");
    sac_caption_mark marks[SAC_MAX_TOKENS];
    const bool right[] = {true, false, false, true, true, false};
    const bool names[] = {false, false, true, false, false, false};
    sac_caption_judge(&caption, &truth, marks);
    for (int i = 0; i < caption.count; i++) {
        assert_int_equal(marks[i].right, right[i]);
        assert_int_equal(marks[i].names, names[i]);
    }
    sac_result_free(&caption);
}

TEST(heat_in_any_of_several_boxes_is_heat_inside)
{
    sac_caption_truth truth = by_words();
    sac_result caption =
        generate("two boats sail at night"); /* all look at the last of four cells */
    sac_caption_mark marks[SAC_MAX_TOKENS];
    sac_caption_judge(&caption, &truth, marks);
    assert_true(marks[1].localization.inside && !marks[2].localization.inside &&
                marks[4].localization.inside);
    assert_float_equal(marks[1].localization.mass, 1, 1e-6);
    assert_float_equal(marks[1].localization.box_share, 0.25, 1e-6);
    assert_float_equal(marks[2].localization.mass, 0, 1e-6);
    sac_result_free(&caption);
}

TEST(boxes_that_overlap_cover_a_cell_once)
{
    const sac_look look = {2, {{0, 0, 0.5f, 1}, {0.25f, 0, 0.75f, 1}}};
    float cover[4];
    sac_look_cover(&look, 2, 2, cover);
    assert_float_equal(cover[0], 1, 1e-6);
    assert_float_equal(cover[1], 0.5, 1e-6);
    assert_true(sac_look_holds(&look, 0.7, 0.1) && !sac_look_holds(&look, 0.8, 0.1));
}

TEST_MAIN(NULL, NULL)
