/* The figures of an alignment, on weights whose figures are known. */

#include "test.h"
#include "translation/evaluate.h"

/* "the big red house ." : la grande maison rouge . */
static sac_sentence_pair pair_of_five(void)
{
    return (sac_sentence_pair){
        .source_count = 5, .target_count = 5, .links = {1 << 0, 1 << 1, 1 << 3, 1 << 2, 1 << 4}};
}

static void weights_at(const int *source, float *weights)
{
    memset(weights, 0, 25 * sizeof *weights);
    for (int t = 0; t < 5; t++)
        weights[5 * t + source[t]] = 1;
}

TEST(a_perfect_alignment_is_distinguished_from_its_rivals)
{
    float weights[25];
    sac_sentence_pair pair = pair_of_five();
    sac_alignment_figures f = {0};
    weights_at((const int[]){0, 1, 3, 2, 4}, weights);
    sac_alignment_add(&f, &pair, weights);
    assert_int_equal(f.words, 5);
    assert_true(f.right == 5);
    assert_true(f.diagonal == 3); /* la, grande and the full stop stand where they stood */
    assert_true(fabs(f.uniform - 1) < 1e-9);
    assert_true(f.shuffled == 0);
    assert_int_equal(f.common_links, 5);
    assert_int_equal(f.claimed_links + f.true_links, 10);
}

TEST(weights_that_all_look_at_one_word_are_right_there_alone)
{
    float weights[25];
    sac_sentence_pair pair = pair_of_five();
    sac_alignment_figures f = {0};
    weights_at((const int[]){2, 2, 2, 2, 2}, weights);
    sac_alignment_add(&f, &pair, weights);
    assert_true(f.right == 1);
    assert_true(fabs(f.shuffled - 1) < 1e-9); /* "rouge": all four other rows point there too */
}

TEST(half_the_heaviest_weight_is_a_link_and_less_is_none)
{
    float weights[] = {0.5f, 0.25f, 0.1f, 0.15f};
    sac_sentence_pair pair = {.source_count = 4, .target_count = 1, .links = {3}};
    sac_alignment_figures f = {0};
    sac_alignment_add(&f, &pair, weights);
    assert_int_equal(f.claimed_links, 2);
    assert_int_equal(f.true_links, 2);
    assert_int_equal(f.common_links, 2);
    assert_true(fabs(f.uniform - 0.5) < 1e-9);
    assert_int_equal(f.shuffled_words, 0); /* there is no other row */
}

TEST(a_word_that_stands_for_none_is_not_counted)
{
    float weights[] = {1, 0, 0, 1};
    sac_sentence_pair pair = {.source_count = 2, .target_count = 2, .links = {1, 0}};
    sac_alignment_figures f = {0};
    sac_alignment_add(&f, &pair, weights);
    assert_int_equal(f.words, 1);
    assert_true(f.right == 1);
}

TEST_MAIN(NULL, NULL)
