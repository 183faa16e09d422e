/* BLEU, ROUGE-L and CIDEr-D against pycocoevalcap (make_scores.py). */
#include "pictures/caption_scores.h"
#include "pictures/meteor.h"
#include "pictures/words.h"

#include "base/cancel.h"
#include "status.h"
#include "test.h"

enum { MOST_PICTURES = 16, MOST_REFERENCES = 5 };

static char lines[MOST_PICTURES][MOST_REFERENCES + 2][200]; /* and an empty one */
static const char *references[MOST_PICTURES][MOST_REFERENCES];
static sac_scored_caption pictures[MOST_PICTURES];

static size_t load(void)
{
    FILE *file = fopen(TEST_DATA "/sentences.txt", "r");
    size_t count = 0;
    int line = 0;
    assert_non_null(file);
    while (fgets(lines[count][line], sizeof lines[count][line], file)) {
        char *text = lines[count][line];
        text[strcspn(text, "\n")] = '\0';
        if (!text[0]) {
            count++;
            line = 0;
            continue;
        }
        if (line)
            references[count][line - 1] = text;
        pictures[count] = (sac_scored_caption){lines[count][0], references[count], line};
        line++;
    }
    fclose(file);
    return count + 1;
}

TEST(scores_are_those_of_pycocoevalcap)
{
    size_t all = load();
    FILE *file = fopen(TEST_DATA "/scores.txt", "r");
    int count, rows = 0;
    double e[6];
    assert_non_null(file);
    while (fscanf(file, "%d %lf %lf %lf %lf %lf %lf", &count, e, e + 1, e + 2, e + 3, e + 4,
                  e + 5) == 7) {
        sac_caption_scores s;
        assert_in_range(count, 1, all);
        OK(sac_caption_score(pictures, (size_t)count, &s, NULL));
        const double got[] = {s.bleu[0], s.bleu[1], s.bleu[2], s.bleu[3], s.rouge_l, s.cider_d};
        for (int i = 0; i < 6; i++)
            if (!(fabs(got[i] - e[i]) < 1e-7))
                fail_msg("score %d of %d pictures: %.9g, not %.9g", i, count, got[i], e[i]);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 3);
}

/* The final stems of the words that Porter's paper takes as examples, by his own program. */
TEST(stems_are_porter_s)
{
    static const char *const words[][2] = {{"caresses", "caress"},
                                           {"ponies", "poni"},
                                           {"ties", "ti"},
                                           {"caress", "caress"},
                                           {"cats", "cat"},
                                           {"feed", "feed"},
                                           {"agreed", "agre"},
                                           {"plastered", "plaster"},
                                           {"bled", "bled"},
                                           {"motoring", "motor"},
                                           {"sing", "sing"},
                                           {"conflated", "conflat"},
                                           {"troubled", "troubl"},
                                           {"sized", "size"},
                                           {"hopping", "hop"},
                                           {"tanned", "tan"},
                                           {"falling", "fall"},
                                           {"hissing", "hiss"},
                                           {"fizzed", "fizz"},
                                           {"failing", "fail"},
                                           {"filing", "file"},
                                           {"happy", "happi"},
                                           {"sky", "sky"},
                                           {"relational", "relat"},
                                           {"conditional", "condit"},
                                           {"rational", "ration"},
                                           {"digitizer", "digit"},
                                           {"vietnamization", "vietnam"},
                                           {"predication", "predic"},
                                           {"operator", "oper"},
                                           {"feudalism", "feudal"},
                                           {"decisiveness", "decis"},
                                           {"hopefulness", "hope"},
                                           {"callousness", "callous"},
                                           {"triplicate", "triplic"},
                                           {"formative", "form"},
                                           {"formalize", "formal"},
                                           {"electrical", "electr"},
                                           {"goodness", "good"},
                                           {"revival", "reviv"},
                                           {"allowance", "allow"},
                                           {"inference", "infer"},
                                           {"airliner", "airlin"},
                                           {"gyroscopic", "gyroscop"},
                                           {"adjustable", "adjust"},
                                           {"replacement", "replac"},
                                           {"adjustment", "adjust"},
                                           {"dependent", "depend"},
                                           {"adoption", "adopt"},
                                           {"communism", "commun"},
                                           {"activate", "activ"},
                                           {"effective", "effect"},
                                           {"bowdlerize", "bowdler"},
                                           {"probate", "probat"},
                                           {"rate", "rate"},
                                           {"cease", "ceas"},
                                           {"controlling", "control"},
                                           {"roll", "roll"},
                                           {"as", "as"},
                                           {"perro's", "perro's"},
                                           {"größer", "größer"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char stem[48];
        sac_porter_stem(words[i][0], strlen(words[i][0]), stem);
        if (strcmp(stem, words[i][1]) != 0)
            fail_msg("the stem of %s is %s, not %s", words[i][0], stem, words[i][1]);
    }
}

/* Worked out by hand from the formula of Banerjee and Lavie. */
TEST(meteor_is_that_of_the_paper_without_wordnet)
{
    static const struct {
        const char *candidate, *references[2];
        double score;
    } cases[] = {
        /* all of it, in one chunk: F = 1, and half of (1/3)³ off */
        {"a dog runs", {"a dog runs"}, 1 - .5 / 27},
        {"a dog runs", {"a cat", "a dog runs"}, 1 - .5 / 27},      /* the best one counts */
        {"dogs running", {"a dog runs"}, 20. / 29 * (1 - .5 / 8)}, /* P 1, R 2/3: two stems */
        {"a dog", {"the man"}, 0},
        {"", {"the man"}, 0},
        /* three chunks of one word */
        {"runs dog a", {"a dog runs"}, .5},
        /* of several ways that with the fewest crossings: [the] [cat] [and the] [dog] */
        {"the cat and the dog", {"the dog and the cat"}, 1 - .5 * 64 / 125},
        /* 12 words match of 18 and 16 in 4 chunks */
        {"it is a guide to action which ensures that the military always obeys the commands of the "
         "party",
         {"it is a guide to action that ensures that the military will forever heed party "
          "commands"},
         20. / 27 * (1 - .5 / 27)}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double score;
        OK(sac_meteor(cases[i].candidate, cases[i].references, cases[i].references[1] ? 2 : 1,
                      &score, NULL));
        if (!(fabs(score - cases[i].score) < 1e-12))
            fail_msg("“%s”: %.9f, not %.9f", cases[i].candidate, score, cases[i].score);
    }
}

TEST(scores_of_nothing_and_of_an_empty_caption)
{
    static const char *const one[] = {"a dog"};
    const sac_scored_caption empty = {"", one, 1};
    sac_caption_scores s;
    OK(sac_caption_score(&empty, 1, &s, NULL));
    assert_true(s.bleu[3] >= 0 && s.bleu[3] < 1e-6);
    assert_true(s.rouge_l == 0 && s.meteor == 0 && s.cider_d == 0);
    assert_int_equal(s.words, 0);
    OK(sac_caption_score(NULL, 0, &s, NULL));
    assert_true(isnan(s.bleu[0]) && isnan(s.meteor) && isnan(s.cider_d));
}

TEST(scores_of_a_script_without_blanks_are_of_characters)
{
    char *generated = sac_caption_plain("一只黑狗。"), *plain = sac_caption_plain("一只白狗");
    const char *const one[] = {plain};
    sac_caption_scores s;
    OK(sac_caption_score(&(sac_scored_caption){generated, one, 1}, 1, &s, NULL));
    assert_float_equal(s.bleu[0], 0.75, 1e-6);
    assert_float_equal(s.bleu[1], 0.5, 1e-6); /* √(3/4 · 1/3) */
    assert_int_equal(s.words, 4);
    free(generated);
    free(plain);
}

TEST(scores_count_the_different_words_of_candidates)
{
    static const char *const one[] = {"a dog"};
    const sac_scored_caption two[] = {{"a cat and a dog", one, 1}, {"a dog runs", one, 1}};
    sac_caption_scores s;
    OK(sac_caption_score(two, 2, &s, NULL));
    assert_int_equal(s.words, 5);
}

static char *repeated(const char *text, size_t times)
{
    const size_t size = strlen(text);
    char *all = malloc(times * size + 1);
    assert_non_null(all);
    for (size_t i = 0; i < times; i++)
        memcpy(all + i * size, text, size + 1);
    return all;
}

static int checks;

static bool stop_soon(void)
{
    return ++checks > 100;
}

/* Each way to score looks whether to stop within a picture: a caption may be a book. */
TEST(scores_of_one_long_caption_heed_a_request_to_stop)
{
    enum { WORDS = 2000 };
    char *generated = repeated("a dog ", WORDS / 2);
    const char *const one[] = {generated};
    sac_caption_scores s;
    checks = 0;
    sac_cancel_when(stop_soon);
    REFUSES(SAC_E_CANCELLED, "scores: stopped on request",
            sac_caption_score(&(sac_scored_caption){generated, one, 1}, 1, &s, &failure));
    sac_cancel_when(NULL);
    assert_in_range(checks, 100, 110);
    free(generated);
}

/* n-grams of several references are walked once each: sums over them are those of each alone. */
TEST(scores_count_words_that_several_references_have_in_other_places)
{
    static const char *const three[] = {"b b a c", "a b d", "c c c a b"};
    sac_caption_scores s;
    OK(sac_caption_score(&(sac_scored_caption){"a b b c", three, 3}, 1, &s, NULL));
    assert_float_equal(s.bleu[0], 1, 1e-6);
    assert_float_equal(s.bleu[1], sqrt(2.0 / 3), 1e-6); /* "a b" and "b b" of three pairs */
}

/* The pictures of sentences.txt with the captions of people, the last two held out. */
static void make_pictures(sac_pictures *p, sac_captioned_picture *items, sac_picture_caption *all)
{
    size_t count = load();
    *p = (sac_pictures){.items = items, .count = count, .of_split = {count - 2, 2}};
    for (size_t i = 0; i < count; i++) {
        items[i] =
            (sac_captioned_picture){.captions = all + p->captions,
                                    .caption_count = pictures[i].reference_count,
                                    .split = i < count - 2 ? SAC_SPLIT_TRAIN : SAC_SPLIT_VAL};
        for (int k = 0; k < items[i].caption_count; k++)
            all[p->captions++].plain = lines[i][k + 1];
    }
}

TEST(rewards_are_those_of_the_formula_with_the_end_as_a_word)
{
    sac_pictures p;
    sac_captioned_picture items[MOST_PICTURES];
    sac_picture_caption all[MOST_PICTURES * MOST_REFERENCES] = {{0}};
    sac_cider *cider;
    FILE *file = fopen(TEST_DATA "/rewards.txt", "r"); /* make_rewards.py */
    char caption[200];
    size_t picture;
    int ended, rows = 0;
    double wanted, got;
    assert_non_null(file);
    make_pictures(&p, items, all);
    OK(sac_cider_create(&p, SAC_SPLIT_TRAIN, &cider, &failure));
    while (fscanf(file, "%zu %d %lf%*1[ ]", &picture, &ended, &wanted) == 3) {
        assert_non_null(fgets(caption, sizeof caption, file));
        caption[strcspn(caption, "\n")] = '\0';
        OK(sac_cider_score(cider, picture, caption, ended, &got, &failure));
        if (!(fabs(got - wanted) < 1e-10 * fmax(1, wanted)))
            fail_msg("\"%s\" for picture %zu: %.12g, not %.12g", caption, picture, got, wanted);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 10 * p.of_split[SAC_SPLIT_TRAIN]);
    sac_cider_destroy(cider);
}

TEST_MAIN(NULL, NULL)
