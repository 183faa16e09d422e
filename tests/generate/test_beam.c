/* The search over sentences, on probabilities made by hand. */

#include "base/error.h"
#include "base/random/random.h"
#include "generate/beam.h"
#include "status.h"
#include "test.h"

enum { PAD, START, END, FIRST, SECOND, THIRD, VOCABULARY, LENGTH = 32 };

static sac_beam_options of_width(int width)
{
    return (sac_beam_options){width, VOCABULARY, LENGTH, PAD, START, END};
}

/* A language where the next word depends on the last one alone: p[last][next]. */
typedef double language[VOCABULARY][VOCABULARY];

typedef struct reader {
    const double (*p)[VOCABULARY];
    float log_probability[SAC_BEAM_WIDTH * VOCABULARY];
    int steps, fails_at; /* 0: it does not */
} reader;

static sac_status read_language(void *self, const sac_beam *beam, const float **log_probability,
                                sac_error *error)
{
    reader *l = self;
    for (int r = 0; r < beam->rows; r++)
        for (int w = 0; w < VOCABULARY; w++)
            l->log_probability[r * VOCABULARY + w] =
                (float)log(l->p[beam->row[beam->step][r].word][w]);
    *log_probability = l->log_probability;
    if (++l->steps == l->fails_at)
        return sac_fail(error, SAC_E_DEVICE, "decoder", NULL, "is tired");
    return SAC_OK;
}

static void search_as(sac_beam *beam, const language p, const sac_beam_options *options)
{
    reader l = {.p = p};
    sac_beam_scorer scorer = {&l, read_language};
    OK(sac_beam_search(beam, options, &scorer, NULL, 0, NULL));
}

/* Searches it to the end. */
static void search(sac_beam *beam, const language p, int width)
{
    sac_beam_options options = of_width(width);
    search_as(beam, p, &options);
}

static void assert_message(const sac_beam *beam, const int *expected, int count)
{
    int words[LENGTH], rows[LENGTH];
    assert_int_equal(sac_beam_path(beam, words, rows), count);
    for (int i = 0; i < count; i++)
        assert_int_equal(words[i], expected[i]);
}

/* The first word of the likeliest sentence is not the likeliest first word. */
static const language tempting = {
    [START] = {0, 0, 0, 0.6, 0.4, 0},
    [FIRST] = {0, 0, 0.34, 0.33, 0.33, 0}, /* 0.6 · 0.34 */
    [SECOND] = {0, 0, 0.9, 0, 0, 0.1},     /* 0.4 · 0.9 */
    [THIRD] = {0, 0, 1, 0, 0, 0},
};

TEST(greedy_takes_the_likeliest_word)
{
    sac_beam beam = {0};
    search(&beam, tempting, 1);
    assert_message(&beam, (int[]){FIRST}, 1);
    assert_float_equal(beam.ended_score, log(0.6 * 0.34), 1e-6);
    sac_beam_free(&beam);
}

TEST(a_beam_takes_the_likeliest_sentence)
{
    for (int width = 2; width <= SAC_BEAM_WIDTH; width++) {
        sac_beam beam = {0};
        search(&beam, tempting, width);
        assert_message(&beam, (int[]){SECOND}, 1);
        assert_float_equal(beam.ended_score, log(0.4 * 0.9), 1e-6);
        sac_beam_free(&beam);
    }
}

TEST(decode_reports_the_beam_row_of_each_word)
{
    /* Rows after the first word: FIRST (0), SECOND (1); the sentence goes through the second. */
    const language p = {[START] = {0, 0, 0, 0.6, 0.4, 0},
                        [FIRST] = {0, 0, 0.25, 0.25, 0.25, 0.25},
                        [SECOND] = {0, 0, 0.05, 0, 0, 0.95},
                        [THIRD] = {0, 0, 1, 0, 0, 0}};
    int words[LENGTH], rows[LENGTH];
    sac_beam beam = {0};
    search(&beam, p, 2);
    assert_int_equal(sac_beam_path(&beam, words, rows), 2);
    assert_int_equal(words[0], SECOND);
    assert_int_equal(rows[0], 0);
    assert_int_equal(words[1], THIRD);
    assert_int_equal(rows[1], 1);
    sac_beam_free(&beam);
}

TEST(beam_never_generates_padding_or_start)
{
    const language p = {[START] = {0.5, 0.4, 0, 0.1, 0, 0}, [FIRST] = {0.3, 0.5, 0.2, 0, 0, 0}};
    sac_beam beam = {0};
    search(&beam, p, 1);
    assert_message(&beam, (int[]){FIRST}, 1);
    sac_beam_free(&beam);
}

TEST(a_sentence_has_at_least_one_word)
{
    const language p = {[START] = {0, 0, 0.9, 0.04, 0.05, 0.01}, [SECOND] = {0, 0, 1, 0, 0, 0}};
    sac_beam beam = {0};
    search(&beam, p, 1);
    assert_message(&beam, (int[]){SECOND}, 1);
    sac_beam_free(&beam);
}

TEST(endless_sentences_are_cut)
{
    const language p = {
        [START] = {0, 0, 0, 1, 0, 0}, [FIRST] = {0, 0, 0, 0, 1, 0}, [SECOND] = {0, 0, 0, 1, 0, 0}};
    int words[LENGTH], rows[LENGTH];
    for (int width = 1; width <= 3; width += 2) {
        sac_beam beam = {0};
        search(&beam, p, width);
        assert_false(sac_beam_has_ended(&beam));
        assert_int_equal(sac_beam_path(&beam, words, rows), LENGTH);
        for (int i = 0; i < LENGTH; i++)
            assert_int_equal(words[i], i % 2 ? SECOND : FIRST);
        sac_beam_free(&beam);
    }
}

TEST(the_first_of_equals_is_taken)
{
    const language p = {[START] = {0, 0, 0, 0.25, 0.25, 0.25},
                        [FIRST] = {0, 0, 0.5, 0, 0, 0},
                        [SECOND] = {0, 0, 0.5, 0, 0, 0},
                        [THIRD] = {0, 0, 0.5, 0, 0, 0}};
    for (int width = 1; width <= SAC_BEAM_WIDTH; width++) {
        sac_beam beam = {0};
        search(&beam, p, width);
        assert_message(&beam, (int[]){FIRST}, 1);
        sac_beam_free(&beam);
    }
}

TEST(beam_generates_the_given_words)
{
    float log_probability[3 * VOCABULARY];
    sac_beam beam = {0};
    for (int i = 0; i < 3 * VOCABULARY; i++)
        log_probability[i] = -1.0f - (float)i;
    sac_beam_options options = of_width(3);
    OK(sac_beam_begin(&beam, &options, NULL));
    assert_true(sac_beam_step(&beam, log_probability, THIRD));
    assert_int_equal(beam.rows, 1); /* others than the given one do not go on */
    assert_true(sac_beam_step(&beam, log_probability, FIRST));
    assert_int_equal(beam.rows, 1);
    assert_false(sac_beam_step(&beam, log_probability, -1)); /* the end is the likeliest of all */
    assert_true(sac_beam_has_ended(&beam));
    assert_message(&beam, (int[]){THIRD, FIRST}, 2);
    assert_float_equal(beam.ended_score, -1.0f - THIRD - 1 - FIRST - 1 - END, 1e-5);
    sac_beam_free(&beam);
}

/* ---------------------------------------------------------------- as `generate` does it */

static void search_as_generated(sac_beam *beam, const language p, int width, double penalty,
                                sac_beam_patience patience)
{
    reader l = {.p = p};
    sac_beam_options options = of_width(width);
    options.as_generated = true;
    options.length_penalty = penalty;
    options.patience = patience;
    sac_beam_scorer scorer = {&l, read_language};
    OK(sac_beam_search(beam, &options, &scorer, NULL, 0, NULL));
}

TEST(one_sentence_as_generated_ends_with_its_first_end)
{
    const language p = {[START] = {0, 0, 0.1, 0.9, 0, 0}, [FIRST] = {0, 0, 0.4, 0.3, 0.3, 0}};
    sac_beam beam = {0};
    search_as_generated(&beam, p, 1, 1, SAC_BEAM_WHILE_BETTER);
    assert_message(&beam, (int[]){FIRST}, 1);
    assert_true(sac_beam_has_ended(&beam));
    sac_beam_free(&beam);
}

TEST(an_empty_sentence_may_be_generated)
{
    const language p = {[START] = {0, 0, 0.9, 0.1, 0, 0}, [FIRST] = {0, 0, 0.5, 0.5, 0, 0}};
    int words[LENGTH], rows[LENGTH];
    sac_beam beam = {0};
    search_as_generated(&beam, p, 1, 1, SAC_BEAM_WHILE_BETTER);
    assert_int_equal(sac_beam_path(&beam, words, rows), 0);
    assert_true(sac_beam_has_ended(&beam));
    sac_beam_free(&beam);
}

/* One word and its end: log 0.36 / 2. Two words and the end: log 0.288 / 3, which is more. */
TEST(a_length_penalty_lets_longer_sentences_win)
{
    const language p = {[START] = {0, 0, 0, 0.6, 0.4, 0},
                        [FIRST] = {0, 0, 0.6, 0.4, 0, 0},
                        [SECOND] = {0, 0, 0.1, 0, 0, 0.9},
                        [THIRD] = {0, 0, 0.8, 0, 0, 0.2}};
    sac_beam beam = {0};
    search_as_generated(&beam, p, 2, 0, SAC_BEAM_TO_THE_END);
    assert_message(&beam, (int[]){FIRST}, 1);
    search_as_generated(&beam, p, 2, 1, SAC_BEAM_TO_THE_END);
    assert_message(&beam, (int[]){SECOND, THIRD}, 2);
    assert_float_equal(beam.ended_score, log(0.4 * 0.9 * 0.8) / 3, 1e-6);
    sac_beam_free(&beam);
}

/* The search of our own models compares so too: log 0.36 / 2 against log 0.304 / 3. */
TEST(a_length_penalty_lets_longer_sentences_of_our_own_models_win)
{
    const language p = {[START] = {0, 0, 0, 0.6, 0.4, 0},
                        [FIRST] = {0, 0, 0.6, 0.4, 0, 0},
                        [SECOND] = {0, 0, 0.05, 0, 0, 0.95},
                        [THIRD] = {0, 0, 0.8, 0, 0, 0.2}};
    sac_beam_options options = of_width(2);
    sac_beam beam = {0};
    for (int narrows = 0; narrows < 2; narrows++) {
        options.narrows = narrows;
        options.length_penalty = 0;
        search_as(&beam, p, &options);
        assert_message(&beam, (int[]){FIRST}, 1);
        assert_float_equal(beam.ended_score, log(0.36), 1e-6);
        options.length_penalty = 1;
        search_as(&beam, p, &options);
        assert_message(&beam, (int[]){SECOND, THIRD}, 2);
        assert_float_equal(beam.ended_score, log(0.4 * 0.95 * 0.8) / 3, 1e-6);
    }
    sac_beam_free(&beam);
}

/* It would have the longest and best mean of all, but no end. */
TEST(a_length_penalty_lets_no_sentence_win_that_was_cut)
{
    const language p = {[START] = {0, 0, 0, 1, 0, 0}, [FIRST] = {0, 0, 0.1, 0.9, 0, 0}};
    sac_beam_options options = of_width(2);
    sac_beam beam = {0};
    options.length_penalty = 1;
    search_as(&beam, p, &options);
    assert_int_equal(beam.step, LENGTH);
    assert_true(sac_beam_has_ended(&beam));
    assert_int_equal(beam.ended_step, LENGTH - 1);
    sac_beam_free(&beam);
}

/* All sentences of up to `left` more words, by force. */
static double best_of_all(const language p, int last, int generated, int left)
{
    double best = generated ? log(p[last][END]) : -INFINITY;
    for (int w = FIRST; left > 0 && w < VOCABULARY; w++)
        best = fmax(best, log(p[last][w]) + best_of_all(p, w, generated + 1, left - 1));
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

TEST(wide_beams_find_the_best_of_all_sentences)
{
    int better = 0;
    for (uint32_t seed = 0; seed < 50; seed++) {
        language p;
        sac_beam greedy = {0}, wide = {0};
        make_language(seed, p);
        search(&greedy, p, 1);
        search(&wide, p, SAC_BEAM_WIDTH);
        assert_float_equal(wide.ended_score, best_of_all(p, START, 0, 6), 1e-5);
        assert_true(greedy.ended_step < 0 || greedy.ended_score <= wide.ended_score + 1e-6);
        better += greedy.ended_step < 0 || greedy.ended_score < wide.ended_score - 1e-6;
        sac_beam_free(&greedy);
        sac_beam_free(&wide);
    }
    assert_true(better > 5); /* else the comparison has no meaning */
}

/* As a translator's: its tokens have other numbers, and its sentences another length. */
TEST(another_vocabulary_is_searched_by_its_own_tokens)
{
    enum { LAST = 40 };
    sac_beam beam = {0};
    sac_beam_options options = {2, 4, LAST, .pad = -1, .start = 3, .end = 0};
    const float onwards[2 * 4] = {-2, -1, -3, 0, -2, -1, -3, 0};
    int words[LAST], rows[LAST];
    OK(sac_beam_begin(&beam, &options, NULL));
    assert_int_equal(beam.row[0][0].word, 3);
    while (sac_beam_step(&beam, onwards, beam.step == 7 ? 0 : 1))
        ;
    assert_true(sac_beam_has_ended(&beam));
    assert_int_equal(sac_beam_path(&beam, words, rows), 7);
    OK(sac_beam_begin(&beam, &options, NULL));
    while (sac_beam_step(&beam, onwards, 2))
        ;
    assert_false(sac_beam_has_ended(&beam));
    assert_int_equal(sac_beam_path(&beam, words, rows), LAST);
    sac_beam_free(&beam);
}

TEST(a_prefix_is_taken_and_a_decoder_that_fails_ends_the_search)
{
    sac_beam beam = {0};
    reader l = {.p = tempting}, tired = {.p = tempting, .fails_at = 2};
    sac_beam_options options = of_width(4);
    sac_beam_scorer scorer = {&l, read_language}, failing = {&tired, read_language};
    const int prefix[] = {FIRST, THIRD};
    OK(sac_beam_search(&beam, &options, &scorer, prefix, 2, &failure));
    assert_message(&beam, prefix, 2);
    REFUSES(SAC_E_DEVICE, "…is tired…",
            sac_beam_search(&beam, &options, &failing, prefix, 2, &failure));
    assert_int_equal(tired.steps, 2);
    sac_beam_free(&beam);
}

/* The empty sentence takes one of two places, so that the better half of the other is not found. */
TEST(a_beam_that_narrows_has_a_place_less_for_each_sentence_that_ends)
{
    const language p = {[START] = {0, 0, 0.2, 0.7, 0.1, 0},
                        [FIRST] = {0, 0, 0.05, 0, 0.5, 0.45},
                        [SECOND] = {0, 0, 0.6, 0.4, 0, 0},
                        [THIRD] = {0, 0, 1, 0, 0, 0}};
    sac_beam beam = {0};
    sac_beam_options options = of_width(2);
    search_as(&beam, p, &options);
    assert_message(&beam, (int[]){FIRST, THIRD}, 2);
    options.narrows = true;
    search_as(&beam, p, &options);
    assert_message(&beam, (int[]){FIRST, SECOND}, 2);
    assert_float_equal(beam.ended_score, log(0.7 * 0.5 * 0.6), 1e-6);
    sac_beam_free(&beam);
}

/* Any token is generated but the end, and a sentence that ended is taken before one that is cut. */
TEST(a_beam_that_narrows_cuts_a_sentence_only_where_none_has_ended)
{
    const language p = {[START] = {0.9, 0, 0.1, 0, 0, 0}, [PAD] = {0, 1, 0, 0, 0, 0}};
    sac_beam beam = {0};
    sac_beam_options options = of_width(2);
    options.narrows = true;
    options.length = 2;
    search_as(&beam, p, &options);
    assert_true(sac_beam_has_ended(&beam));
    assert_message(&beam, NULL, 0);
    options.width = 1;
    search_as(&beam, p, &options);
    assert_false(sac_beam_has_ended(&beam));
    assert_message(&beam, (int[]){PAD, START}, 2);
    sac_beam_free(&beam);
}

/* ---------------------------------------------------------------- rules */

/* Each rule alone does what the logits processor of transformers 5.24 does, and all of them
 * together, in its order; the numbers are theirs. */
TEST(rules_change_scores_as_those_of_transformers_do)
{
    enum { TOKENS = 8 };
#define NO (-INFINITY)
    static const float scores[TOKENS] = {0.5f, -0.25f, 1.5f, 2, -1, 0.75f, 3, 0.1f};
    static const int generated[] = {1, 3, 4, 3}, ends[] = {7}, never[] = {0, 5, 99},
                     first[] = {2, 3};
    static const int banned[] = {1, 2, 2, 3, 5, 2, 4, 0, 1, 6};
    static const bool once[TOKENS] = {[2] = true, [3] = true}; /* a rule of our own */
    static const struct {
        sac_beam_options options; /* of the rules alone */
        sac_token_rules rules;
        int count;
        float wanted[TOKENS];
    } cases[] = {
        {{.repetition = 1.5}, {0}, 4, {0.5f, -0.375f, 1.5f, 1.333333f, -1.5f, 0.75f, 3, 0.1f}},
        {{.no_repeat = 2}, {0}, 4, {0.5f, -0.25f, 1.5f, 2, NO, 0.75f, 3, 0.1f}},
        {{.no_repeat = 3}, {0}, 1, {0.5f, -0.25f, 1.5f, 2, -1, 0.75f, 3, 0.1f}},
        {{0}, {.banned = banned, .banned_count = 10}, 4, {0.5f, -0.25f, NO, 2, -1, NO, 3, 0.1f}},
        {{.shortest = 5}, {0}, 4, {0.5f, -0.25f, 1.5f, 2, -1, 0.75f, NO, NO}},
        {{.shortest = 4}, {0}, 4, {0.5f, -0.25f, 1.5f, 2, -1, 0.75f, 3, 0.1f}},
        {{0}, {.once = once}, 4, {0.5f, -0.25f, 1.5f, NO, -1, 0.75f, 3, 0.1f}},
        {{0}, {.never = never, .never_count = 3}, 4, {NO, -0.25f, 1.5f, 2, -1, NO, 3, 0.1f}},
        {{0},
         {.not_first = first, .not_first_count = 2, .first_at = 4},
         4,
         {0.5f, -0.25f, NO, NO, -1, 0.75f, 3, 0.1f}},
        {{0},
         {.not_first = first, .not_first_count = 2, .first_at = 1},
         4,
         {0.5f, -0.25f, 1.5f, 2, -1, 0.75f, 3, 0.1f}},
        {{0}, {.first_alone = 4, .first_at = 3}, 4, {0.5f, -0.25f, 1.5f, NO, -1, 0.75f, 3, 0.1f}},
        {{0}, {.first_alone = 4, .first_at = 4}, 4, {0.5f, -0.25f, 1.5f, 2, -1, 0.75f, 3, 0.1f}},
        {{0},
         {.renormalizes = true},
         4,
         {-3.136898f, -3.886898f, -2.136898f, -1.636898f, -4.636898f, -2.886898f, -0.6368979f,
          -3.536898f}},
        {{0}, {.forced = 6, .renormalizes = true}, 1, {NO, NO, NO, NO, NO, 0, NO, NO}},
        {{0}, {.forced = 6}, 2, {0.5f, -0.25f, 1.5f, 2, -1, 0.75f, 3, 0.1f}},
        {{.repetition = 1.5, .no_repeat = 2, .shortest = 5},
         {.banned = banned,
          .banned_count = 10,
          .never = never,
          .never_count = 3,
          .not_first = first,
          .not_first_count = 2,
          .first_at = 4,
          .renormalizes = true},
         4,
         {NO, 0, NO, NO, NO, NO, NO, NO}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_token_rules rules = cases[i].rules;
        sac_beam_options options = cases[i].options;
        float made[TOKENS];
        rules.ends = ends;
        rules.end_count = 1;
        options.rules = &rules;
        options.vocabulary = TOKENS;
        options.end = 6;
        memcpy(made, scores, sizeof made);
        sac_restrain(&options, generated, cases[i].count, made);
        for (int w = 0; w < TOKENS; w++)
            if (!(made[w] == cases[i].wanted[w] || fabsf(made[w] - cases[i].wanted[w]) < 2e-6f))
                fail_msg("case %zu: token %d is %g, not %g", i, w, (double)made[w],
                         (double)cases[i].wanted[w]);
    }
}

TEST_MAIN(NULL, NULL)
