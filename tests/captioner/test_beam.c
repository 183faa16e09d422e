/* src/models/captioner/beam: the search over sentences, on probabilities made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>

#include "base/random.h"
#include "captioner/beam.h"
#include "scenes/vocabulary.h"

enum { FIRST = SAC_WORD_END + 1, SECOND, THIRD, VOCABULARY };

/* A language where the next word depends on the last one alone: p[last][next]. */
typedef double language[VOCABULARY][VOCABULARY];

/* Searches it to the end. */
static void search(sac_beam *beam, const language p, int width)
{
    float log_probability[SAC_BEAM_WIDTH * VOCABULARY];
    sac_beam_begin(beam, width, VOCABULARY);
    do
        for (int r = 0; r < beam->rows; r++)
            for (int w = 0; w < VOCABULARY; w++)
                log_probability[r * VOCABULARY + w] =
                    (float)log(p[beam->row[beam->step][r].word][w]);
    while (sac_beam_step(beam, log_probability, -1));
}

static void assert_says(const sac_beam *beam, const int *expected, int count)
{
    int words[SAC_CAPTION_WORDS], rows[SAC_CAPTION_WORDS];
    assert_int_equal(sac_beam_path(beam, words, rows), count);
    for (int i = 0; i < count; i++)
        assert_int_equal(words[i], expected[i]);
}

/* The first word of the likeliest sentence is not the likeliest first word. */
static const language tempting = {
    [SAC_WORD_START] = {0, 0, 0, 0.6, 0.4, 0},
    [FIRST] = {0, 0, 0.34, 0.33, 0.33, 0}, /* 0.6 · 0.34 */
    [SECOND] = {0, 0, 0.9, 0, 0, 0.1},     /* 0.4 · 0.9 */
    [THIRD] = {0, 0, 1, 0, 0, 0},
};

static void greedy_takes_the_likeliest_word(void **state)
{
    (void)state;
    sac_beam beam;
    search(&beam, tempting, 1);
    assert_says(&beam, (int[]){FIRST}, 1);
    assert_float_equal(beam.ended_score, log(0.6 * 0.34), 1e-6);
}

static void a_beam_takes_the_likeliest_sentence(void **state)
{
    (void)state;
    for (int width = 2; width <= SAC_BEAM_WIDTH; width++) {
        sac_beam beam;
        search(&beam, tempting, width);
        assert_says(&beam, (int[]){SECOND}, 1);
        assert_float_equal(beam.ended_score, log(0.4 * 0.9), 1e-6);
    }
}

static void the_row_of_each_word_is_told(void **state)
{
    (void)state;
    /* Rows after the first word: FIRST (0), SECOND (1); the sentence goes through the second. */
    const language p = {[SAC_WORD_START] = {0, 0, 0, 0.6, 0.4, 0},
                        [FIRST] = {0, 0, 0.25, 0.25, 0.25, 0.25},
                        [SECOND] = {0, 0, 0.05, 0, 0, 0.95},
                        [THIRD] = {0, 0, 1, 0, 0, 0}};
    int words[SAC_CAPTION_WORDS], rows[SAC_CAPTION_WORDS];
    sac_beam beam;
    search(&beam, p, 2);
    assert_int_equal(sac_beam_path(&beam, words, rows), 2);
    assert_int_equal(words[0], SECOND);
    assert_int_equal(rows[0], 0);
    assert_int_equal(words[1], THIRD);
    assert_int_equal(rows[1], 1);
}

static void padding_and_start_are_never_said(void **state)
{
    (void)state;
    const language p = {
        [SAC_WORD_START] = {0.5, 0.4, 0, 0.1, 0, 0}, [FIRST] = {0.3, 0.5, 0.2, 0, 0, 0}};
    sac_beam beam;
    search(&beam, p, 1);
    assert_says(&beam, (int[]){FIRST}, 1);
}

static void a_sentence_has_at_least_one_word(void **state)
{
    (void)state;
    const language p = {
        [SAC_WORD_START] = {0, 0, 0.9, 0.04, 0.05, 0.01}, [SECOND] = {0, 0, 1, 0, 0, 0}};
    sac_beam beam;
    search(&beam, p, 1);
    assert_says(&beam, (int[]){SECOND}, 1);
}

static void endless_sentences_are_cut(void **state)
{
    (void)state;
    const language p = {[SAC_WORD_START] = {0, 0, 0, 1, 0, 0},
                        [FIRST] = {0, 0, 0, 0, 1, 0},
                        [SECOND] = {0, 0, 0, 1, 0, 0}};
    int words[SAC_CAPTION_WORDS], rows[SAC_CAPTION_WORDS];
    for (int width = 1; width <= 3; width += 2) {
        sac_beam beam;
        search(&beam, p, width);
        assert_false(sac_beam_has_ended(&beam));
        assert_int_equal(sac_beam_path(&beam, words, rows), SAC_CAPTION_WORDS);
        for (int i = 0; i < SAC_CAPTION_WORDS; i++)
            assert_int_equal(words[i], i % 2 ? SECOND : FIRST);
    }
}

static void the_first_of_equals_is_taken(void **state)
{
    (void)state;
    const language p = {[SAC_WORD_START] = {0, 0, 0, 0.25, 0.25, 0.25},
                        [FIRST] = {0, 0, 0.5, 0, 0, 0},
                        [SECOND] = {0, 0, 0.5, 0, 0, 0},
                        [THIRD] = {0, 0, 0.5, 0, 0, 0}};
    for (int width = 1; width <= SAC_BEAM_WIDTH; width++) {
        sac_beam beam;
        search(&beam, p, width);
        assert_says(&beam, (int[]){FIRST}, 1);
    }
}

static void a_word_that_is_given_is_said(void **state)
{
    (void)state;
    float log_probability[3 * VOCABULARY];
    sac_beam beam;
    for (int i = 0; i < 3 * VOCABULARY; i++)
        log_probability[i] = -1.0f - (float)i;
    sac_beam_begin(&beam, 3, VOCABULARY);
    assert_true(sac_beam_step(&beam, log_probability, THIRD));
    assert_int_equal(beam.rows, 1); /* others than the given one do not go on */
    assert_true(sac_beam_step(&beam, log_probability, FIRST));
    assert_int_equal(beam.rows, 1);
    assert_false(sac_beam_step(&beam, log_probability, -1)); /* the end is the likeliest of all */
    assert_true(sac_beam_has_ended(&beam));
    assert_says(&beam, (int[]){THIRD, FIRST}, 2);
    assert_float_equal(beam.ended_score, -1.0f - THIRD - 1 - FIRST - 1 - SAC_WORD_END, 1e-5);
}

/* All sentences of up to `left` more words, by force. */
static double best_of_all(const language p, int last, int said, int left)
{
    double best = said ? log(p[last][SAC_WORD_END]) : -INFINITY;
    for (int w = FIRST; left > 0 && w < VOCABULARY; w++)
        best = fmax(best, log(p[last][w]) + best_of_all(p, w, said + 1, left - 1));
    return best;
}

static void make_language(uint32_t seed, language p)
{
    for (int last = 0; last < VOCABULARY; last++) {
        double sum = 0;
        for (int w = 0; w < VOCABULARY; w++)
            sum += p[last][w] = 0.02 + sac_philox_uniform((uint32_t)last, (uint32_t)w, seed);
        for (int w = 0; w < VOCABULARY; w++)
            p[last][w] /= sum;
    }
}

static void wide_beams_find_the_best_of_all_sentences(void **state)
{
    (void)state;
    int better = 0;
    for (uint32_t seed = 0; seed < 50; seed++) {
        language p;
        sac_beam greedy, wide;
        make_language(seed, p);
        search(&greedy, p, 1);
        search(&wide, p, SAC_BEAM_WIDTH);
        assert_float_equal(wide.ended_score, best_of_all(p, SAC_WORD_START, 0, 6), 1e-5);
        assert_true(greedy.ended_step < 0 || greedy.ended_score <= wide.ended_score + 1e-6);
        better += greedy.ended_step < 0 || greedy.ended_score < wide.ended_score - 1e-6;
    }
    assert_true(better > 5); /* else the comparison said nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greedy_takes_the_likeliest_word),
        cmocka_unit_test(a_beam_takes_the_likeliest_sentence),
        cmocka_unit_test(the_row_of_each_word_is_told),
        cmocka_unit_test(padding_and_start_are_never_said),
        cmocka_unit_test(a_sentence_has_at_least_one_word),
        cmocka_unit_test(endless_sentences_are_cut),
        cmocka_unit_test(the_first_of_equals_is_taken),
        cmocka_unit_test(a_word_that_is_given_is_said),
        cmocka_unit_test(wide_beams_find_the_best_of_all_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
