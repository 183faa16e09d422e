/* BLEU and chrF against sacrebleu (make_translation_scores.py). */
#include "pairs/translation_scores.h"

#include "status.h"
#include "test.h"

enum { MOST = 16, MOST_REFERENCES = 3, TEXT = 512 };

static char lines[MOST][TEXT];
static const char *references[MOST][MOST_REFERENCES];
static sac_scored_translation translations[MOST];

/* "candidate	reference	reference" a line. */
static size_t load(void)
{
    FILE *file = fopen(TEST_DATA "/translations.tsv", "r");
    size_t count = 0;
    assert_non_null(file);
    while (fgets(lines[count], TEXT, file)) {
        sac_scored_translation *t = &translations[count];
        *t = (sac_scored_translation){lines[count], references[count], 0};
        lines[count][strcspn(lines[count], "\n")] = '\0';
        for (char *tab = lines[count]; (tab = strchr(tab, '\t'));) {
            *tab++ = '\0';
            references[count][t->reference_count++] = tab;
        }
        count++;
    }
    fclose(file);
    return count;
}

TEST(scores_are_those_of_sacrebleu)
{
    size_t all = load(), begin, end;
    FILE *file = fopen(TEST_DATA "/translation_scores.txt", "r");
    double bleu, chrf;
    int rows = 0;
    assert_non_null(file);
    while (fscanf(file, "%zu %zu %lf %lf", &begin, &end, &bleu, &chrf) == 4) {
        sac_translation_scores s;
        assert_true(begin < end && end <= all);
        OK(sac_translation_score(translations + begin, end - begin, &s, NULL));
        if (!(fabs(s.bleu - bleu) < 1e-8 && fabs(s.chrf - chrf) < 1e-8))
            fail_msg("%zu to %zu: BLEU %.10g, not %.10g; chrF %.10g, not %.10g", begin, end, s.bleu,
                     bleu, s.chrf, chrf);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 5);
}

TEST(tokens_are_those_of_13a)
{
    char line[2 * TEXT];
    int rows = 0;
    FILE *file = fopen(TEST_DATA "/bleu_tokens.txt", "r");
    assert_non_null(file);
    for (; fgets(line, sizeof line, file); rows++) {
        char *tab = strchr(line, '\t');
        assert_non_null(tab);
        *tab++ = '\0';
        tab[strcspn(tab, "\n")] = '\0';
        char *tokens = sac_bleu_tokens(line);
        assert_string_equal(tokens, tab);
        free(tokens);
    }
    fclose(file);
    assert_true(rows > 10);
}

TEST(scores_of_nothing_and_of_an_empty_translation)
{
    static const char *const one[] = {"a dog"};
    sac_translation_scores s;
    OK(sac_translation_score(&(sac_scored_translation){"", one, 1}, 1, &s, NULL));
    assert_true(s.bleu == 0 && s.chrf == 0);
    OK(sac_translation_score(&(sac_scored_translation){"a dog", one, 1}, 1, &s, NULL));
    assert_true(s.bleu == 0 && fabs(s.chrf - 100) < 1e-9); /* it has no four words */
    OK(sac_translation_score(NULL, 0, &s, NULL));
    assert_true(isnan(s.bleu) && isnan(s.chrf));
}

TEST_MAIN(NULL, NULL)
