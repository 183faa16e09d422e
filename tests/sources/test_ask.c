/* Heads that are asked for by a pair of tokens, or by a pattern. */
#include "fake_matrix.h"
#include "sources/heads/ask.h"
#include "status.h"
#include "test.h"

static const char *const words[] = {"[CLS]", "·the",   "·animal", ",",
                                    "·it",   "##self", "·it",     "·Was"};
enum { WORDS = sizeof words / sizeof *words };

static fake_matrix *open_words(void)
{
    fake_matrix *fake = fake_create(2, 1, 3, WORDS, WORDS);
    sac_labels *const labels[] = {&fake->source.weights.step_labels,
                                  &fake->source.weights.position_labels};
    for (int k = 0; k < 2; k++) {
        labels[k]->count = WORDS;
        labels[k]->text = calloc(WORDS, sizeof *labels[k]->text);
        for (size_t i = 0; i < WORDS; i++)
            labels[k]->text[i] = strdup(words[i]);
    }
    return fake;
}

TEST(a_pair_is_named_by_its_words_or_numbers)
{
    static const struct {
        const char *text;
        size_t step, position;
    } pairs[] = {{"it animal", 6, 2},  {"animal it", 2, 4},    {"it it", 6, 4},
                 {"4 2", 4, 2},        {"self ,", 5, 3},       {"was the", 7, 1},
                 {"[CLS] 7", 0, 7},    {"it  4", 6, 4},        {"itself animal", 5, 2},
                 {"was Itself", 7, 5}, {"itself itself", 5, 5}};
    fake_matrix *fake = open_words();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        sac_ask ask;
        OK(sac_ask_read(&fake->source, 0, pairs[i].text, &ask, &failure));
        assert_false(ask.of_kind);
        assert_int_equal(ask.step, pairs[i].step);
        assert_int_equal(ask.position, pairs[i].position);
    }
    fake_free(fake);
}

TEST(a_pattern_is_named_and_anything_else_refused)
{
    fake_matrix *fake = open_words();
    sac_ask ask;
    OK(sac_ask_read(&fake->source, 0, "induction", &ask, &failure));
    assert_true(ask.of_kind && ask.kind == SAC_KIND_REPEATS);
    assert_string_equal(sac_ask_pattern(SAC_KIND_ALIKE), "duplicate");
    assert_string_equal(sac_ask_pattern(SAC_KIND_GAZE), "gaze");
    assert_null(sac_ask_pattern(SAC_KIND_MIXED));
    static const char *const none[] = {"", "animal", "a b c", "it "};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        REFUSES(SAC_E_ARGUMENT, "--ask: …is neither two tokens nor a pattern; give two tokens…",
                sac_ask_read(&fake->source, 0, none[i], &ask, &failure));
    REFUSES(SAC_E_ARGUMENT, "--ask: …words that look at a picture, which none do; …",
            sac_ask_read(&fake->source, 0, "gaze", &ask, &failure));
    REFUSES(SAC_E_ARGUMENT, "--ask: \"dog\" is none of the 8 tokens; give …",
            sac_ask_read(&fake->source, 0, "it dog", &ask, &failure));
    REFUSES(SAC_E_ARGUMENT, "--ask: \"8\" is none of the 8 tokens; give …",
            sac_ask_read(&fake->source, 0, "8 it", &ask, &failure));
    fake_free(fake);
}

TEST(heads_are_ranked_by_the_weight_or_the_score)
{
    fake_matrix *fake = open_words();
    const sac_ask pair = {.step = 6, .position = 2},
                  delimiter = {.of_kind = true, .kind = SAC_KIND_DELIMITER};
    float scores[6];
    size_t places[6];
    OK(sac_ask_scores(&fake->source, 0, &pair, scores, &failure));
    for (size_t i = 0; i < 6; i++)
        assert_float_equal(scores[i], fake_weight(fake, i / 3, 0, i % 3, 6, 2), 1e-6);
    sac_ask_rank(scores, 6, places);
    for (size_t i = 1; i < 6; i++)
        assert_true(scores[places[i]] <= scores[places[i - 1]]);
    /* "," is the one delimiter behind the first token. */
    OK(sac_ask_scores(&fake->source, 0, &delimiter, scores, &failure));
    for (size_t i = 0; i < 6; i++) {
        double mean = 0;
        for (size_t row = 0; row < WORDS; row++)
            mean += fake_weight(fake, i / 3, 0, i % 3, row, 3) / WORDS;
        assert_float_equal(scores[i], mean, 1e-6);
    }
    fake_free(fake);
}

TEST_MAIN(NULL, NULL)
