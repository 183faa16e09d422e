/* src/models/captioner/evaluate: what captions add to the figures, on numbers made by hand. */

#include "captioner/scenes/evaluate.h"
#include "test.h"

enum { SIDE = 4, CELLS = SIDE * SIDE };

/* Words that look at one cell each. */
typedef struct token_run {
    const char *text;
    int x, y;
} token_run;

static sac_result generate(const token_run *words, int count)
{
    sac_result caption = {.grid_w = SIDE, .grid_h = SIDE, .count = count, .finished = true};
    caption.weights = calloc((size_t)count, CELLS * sizeof(float));
    for (int i = 0; i < count; i++) {
        sac_result_output *word = &caption.outputs[i];
        snprintf(word->text, sizeof word->text, "%s", words[i].text);
        word->peak_x = words[i].x;
        word->peak_y = words[i].y;
        caption.weights[i * CELLS + words[i].y * SIDE + words[i].x] = 1;
    }
    return caption;
}

static void add(sac_evaluation *evaluation, const token_run *words, int count,
                const sac_caption_truth *truth, bool unseen)
{
    sac_result caption = generate(words, count);
    sac_evaluation_add(evaluation, &caption, truth, unseen);
    sac_result_free(&caption);
}

/* A red circle that takes the left half. */
static const sac_caption_truth red_circle = {.caption = "a red circle",
                                             .objects = 1,
                                             .object = {{.look = {1, {{0, 0, 0.5f, 1}}}}},
                                             .words = 3,
                                             .object_of_word = {0, 0, 0}};

static void assert_pointing(const sac_pointing *p, size_t words, double pointing, double mass)
{
    assert_int_equal(p->words, words);
    assert_float_equal(p->pointing, pointing, 1e-6);
    assert_float_equal(p->mass_in_box, mass, 1e-6);
}

TEST(captions_are_right_or_wrong_as_a_whole)
{
    sac_evaluation e = {0};
    const token_run right[] = {{"a", 0, 0}, {"red", 0, 0}, {"circle", 0, 0}};
    const token_run wrong[] = {{"a", 0, 0}, {"red", 0, 0}, {"star", 0, 0}};
    add(&e, right, 3, &red_circle, false);
    add(&e, wrong, 3, &red_circle, false);
    add(&e, right, 2, &red_circle, false); /* cut short */
    add(&e, right, 3, &red_circle, false);
    add(&e, right, 3, &red_circle, true);
    sac_evaluation_divide_sums(&e);
    assert_int_equal(e.count, 5);
    assert_int_equal(e.seen, 4);
    assert_int_equal(e.unseen, 1);
    assert_float_equal(e.exact, 0.5, 1e-9);
    assert_float_equal(e.exact_unseen_pairs, 1, 1e-9);
}

TEST(a_caption_that_did_not_end_is_wrong)
{
    sac_evaluation e = {0};
    sac_result caption = generate((token_run[]){{"a", 0, 0}, {"red", 0, 0}, {"circle", 0, 0}}, 3);
    caption.finished = false;
    sac_evaluation_add(&e, &caption, &red_circle, false);
    sac_evaluation_divide_sums(&e);
    assert_float_equal(e.exact, 0, 0);
    sac_result_free(&caption);
}

TEST(colour_and_shape_words_point_also_where_they_are_wrong)
{
    sac_evaluation e = {0};
    const token_run words[] = {{"a", 3, 3}, {"blue", 1, 2}, {"star", 2, 0}};
    add(&e, words, 3, &red_circle, false);
    sac_evaluation_divide_sums(&e);
    assert_pointing(&e.pointings.model, 2, 0.5, 0.5); /* blue inside, star not */
}

TEST(words_without_an_object_do_not_count)
{
    sac_evaluation e = {0};
    const token_run words[] = {{"a", 0, 0},   {"red", 0, 0}, {"circle", 0, 0},
                               {"and", 0, 0}, {"a", 0, 0},   {"star", 0, 0}};
    add(&e, words, 6, &red_circle, false);
    sac_evaluation_divide_sums(&e);
    assert_pointing(&e.pointings.model, 2, 1, 1);
}

TEST(uniform_heat_has_the_boxs_share)
{
    sac_evaluation e = {0};
    sac_caption_truth truth = red_circle;
    const token_run words[] = {{"a", 3, 3}, {"red", 3, 3}, {"circle", 3, 3}};
    add(&e, words, 3, &truth, false);
    /* Columns 0.2 … 0.7 of four, all rows: centres at 0.375 and 0.625 lie inside. */
    memcpy(truth.object[0].look.box[0], (float[]){0.2f, 0, 0.7f, 0.75f},
           sizeof truth.object[0].look.box[0]);
    add(&e, words, 3, &truth, false);
    sac_evaluation_divide_sums(&e);
    assert_pointing(&e.pointings.uniform, 4, (0.5 + 0.5 * 0.75) / 2, (0.5 + 0.5 * 0.75) / 2);
    assert_pointing(&e.pointings.model, 4, 0, 0);
}

TEST(a_fixed_gaze_sees_what_lies_in_the_middle)
{
    sac_evaluation e = {0};
    sac_caption_truth truth = red_circle;
    const token_run words[] = {{"a", 0, 0}, {"red", 0, 0}, {"circle", 0, 0}};
    add(&e, words, 3, &truth,
        false); /* the left half: half of a symmetric bump, its edge included */
    memcpy(truth.object[0].look.box[0], (float[]){0, 0, 0.25f, 1},
           sizeof truth.object[0].look.box[0]);
    add(&e, words, 3, &truth, false);
    sac_evaluation_divide_sums(&e);
    double near = exp(-0.5 * 0.5 / 8), far = exp(-1.5 * 1.5 / 8); /* of one axis, 2 σ² = 8 */
    assert_pointing(&e.pointings.centre, 4, 0.5, (0.5 + far / (2 * near + 2 * far)) / 2);
}

TEST(shuffled_words_have_each_others_maps)
{
    sac_evaluation e = {0};
    const token_run words[] = {{"a", 3, 3}, {"red", 0, 0}, {"circle", 1, 1}, {"left", 2, 2}};
    add(&e, words, 4, &red_circle, false);
    sac_evaluation_divide_sums(&e);
    assert_pointing(&e.pointings.model, 2, 1, 1);
    assert_pointing(&e.pointings.shuffled, 2, 1.0 / 3,
                    1.0 / 3); /* of three other maps one is inside */
}

TEST(shares_of_nothing_are_no_numbers)
{
    sac_evaluation e = {0};
    const token_run words[] = {{"circle", 0, 0}};
    add(&e, words, 1, &red_circle, false);
    sac_evaluation_divide_sums(&e);
    assert_true(isnan(e.exact_unseen_pairs));
    assert_int_equal(e.pointings.shuffled.words, 0); /* there is no other word */
    assert_true(isnan(e.pointings.shuffled.pointing));
}

/* ---------------------------------------------------------------- words with places of their own
 */

/* "a ball and a kite": the ball's place is the left half, the kite's two corners on the right. */
enum { A = 3, AND, BALL, KITE };

static int ball_and_kite(const void *scene, int *word)
{
    (void)scene;
    memcpy(word, (int[]){A, BALL, AND, A, KITE, 2}, 6 * sizeof *word);
    return 6;
}

static void place_of_word(const void *scene, int t, sac_look *look)
{
    const float left[] = {0, 0, 0.5f, 1}, corners[][4] = {{0.5f, 0, 1, 0.25f}, {0.5f, 0.75f, 1, 1}};
    (void)scene;
    *look = (sac_look){.count = t == 1 ? 1 : t == 4 ? 2 : 0};
    if (t == 1)
        memcpy(look->box[0], left, sizeof left);
    if (t == 4)
        memcpy(look->box, corners, sizeof corners);
}

static bool names(int word)
{
    return word >= BALL;
}

/* As if a ball were a colour. */
static bool names_thing(int word)
{
    return word == KITE;
}

static bool has_unseen_pair(const void *scene)
{
    return *(const bool *)scene;
}

static const sac_dataset toys = {.sentence = ball_and_kite,
                                 .names = names,
                                 .names_thing = names_thing,
                                 .look = place_of_word,
                                 .has_unseen_pair = has_unseen_pair};

/* Adds a caption of five words, which look at (x, y) each. */
static void add_toys(sac_evaluation *e, const int word[5], const token_run looks[5], bool unseen)
{
    sac_result caption = generate(looks, 5);
    for (int i = 0; i < 5; i++)
        caption.outputs[i].word = word[i];
    sac_evaluation_add_scene(e, &caption, &toys, &unseen);
    sac_result_free(&caption);
}

TEST(words_with_places_of_their_own_point_where_they_stand_in_the_truth)
{
    sac_evaluation e = {0};
    const token_run looks[] = {{"", 0, 0}, {"", 1, 2}, {"", 0, 0}, {"", 0, 0}, {"", 3, 3}};
    add_toys(&e, (int[]){A, BALL, AND, A, KITE}, looks, false); /* right, and looks there */
    add_toys(&e, (int[]){A, BALL, AND, A, KITE},
             (token_run[5]){{"", 0, 0}, {"", 3, 2}, {"", 0, 0}, {"", 0, 0}, {"", 0, 0}}, true);
    add_toys(&e, (int[]){A, KITE, AND, A, BALL}, looks, false); /* in another order */
    add_toys(&e, (int[]){A, BALL, AND, A, BALL}, looks, true);  /* one of two */
    sac_evaluation_divide_sums(&e);
    assert_int_equal(e.seen, 2);
    assert_float_equal(e.exact, 0.5, 1e-9);
    assert_float_equal(e.exact_unseen_pairs, 0.5, 1e-9);
    assert_int_equal(e.named.words, 4);
    assert_float_equal(e.named.right, 1, 1e-9);
    assert_int_equal(e.named_unseen_pairs.words, 4);
    assert_float_equal(e.named_unseen_pairs.right, 3 / 4.0, 1e-9);
    assert_int_equal(e.things.words, 2);
    assert_float_equal(e.things.right, 1, 1e-9);
    assert_int_equal(e.things_unseen_pairs.words, 2);
    assert_float_equal(e.things_unseen_pairs.right, 1 / 2.0, 1e-9);
    assert_pointing(&e.pointings.model, 5, 3 / 5.0, 3 / 5.0);
}

TEST_MAIN(NULL, NULL)
