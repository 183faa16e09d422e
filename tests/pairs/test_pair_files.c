/* Files of sentence pairs in every form; what is held out of them, and what their words are. */
#include "pairs/pairs.h"

#include "scratch.h"
#include "status.h"

static const char *write_text(scratch *s, const char *name, const char *text)
{
    return scratch_write(s, name, text, strlen(text));
}

/* Opens a file of this text. */
static sac_status open_text(scratch *s, const char *name, const char *text, sac_pairs *p)
{
    const sac_pairs_options options = {.files = {write_text(s, name, text)}};
    return sac_pairs_open(&options, p, &failure);
}

/* "source|target" of each pair, one a line. */
static void assert_pairs(const sac_pairs *p, const char *expected)
{
    char all[2000];
    size_t used = 0;
    for (size_t i = 0; i < p->count; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s|%s\n", p->items[i].text[0],
                                 p->items[i].text[1]);
    assert_string_equal(all, expected);
}

static void assert_report(const sac_pairs *p, int from, const char *expected)
{
    char all[1600] = "", line[400];
    for (int i = from; sac_pairs_report_line(p, i, line, sizeof line); i++) {
        strcat(all, line);
        strcat(all, "\n");
    }
    assert_string_equal(all, expected);
}

IN_SCRATCH(a_table_of_two_columns_is_read_in_all_forms)
{
    static const char *const forms[][2] = {
        {"plain.tsv", "Der Hund.\tThe dog.\nDie Katze.\tThe cat.\n"},
        {"blanks.txt", " Der Hund. \t The dog.\n\n   \nDie Katze.\tThe cat."},
        {"marked.tsv", "\xef\xbb\xbf"
                       "Der Hund.\tThe dog.\r\nDie Katze.\tThe cat.\r\n"},
        {"old.tsv", "Der Hund.\tThe dog.\rDie Katze.\tThe cat."},
        {"tatoeba.tsv", "77\tDer Hund.\t1277\tThe dog.\n78\tDie Katze.\t1278\tThe cat.\n"},
        {"anki.txt",
         "Der Hund.\tThe dog.\tCC-BY 2.0 #1 (a) & #2 (b)\nDie Katze.\tThe cat.\tCC-BY\n"},
        {"named.tsv",
         "1\tdeu\tDer Hund.\t2\teng\tThe dog.\n3\tdeu\tDie Katze.\t4\teng\tThe cat.\n"},
        {"header.tsv", "German\tEnglish\nDer Hund.\tThe dog.\nDie Katze.\tThe cat.\n"},
        {"worded.tsv", "source\ttarget\nDer Hund.\tThe dog.\nDie Katze.\tThe cat.\n"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        sac_pairs p;
        OK(open_text(s, forms[i][0], forms[i][1], &p));
        assert_pairs(&p, "Der Hund.|The dog.\nDie Katze.|The cat.\n");
        bool named = i == 6 || i == 7;
        assert_string_equal(sac_language_pair_name(p.languages, 0), named ? "German" : "source");
        assert_string_equal(sac_language_pair_name(p.languages, 1), named ? "English" : "target");
        assert_int_equal(p.held, 1);
        sac_pairs_free(&p);
    }
}

IN_SCRATCH(latin_1_is_read_and_noted)
{
    sac_pairs p;
    OK(open_text(s, "a-de-fr.tsv",
                 "Ein\tUn\nDas M\xe4"
                 "dchen\tL\xe0-bas\nx\ty\n",
                 &p));
    assert_pairs(&p, "Ein|Un\nDas Mädchen|Là-bas\nx|y\n");
    assert_non_null(p.note);
    assert_non_null(strstr(p.note, "line 2 is not UTF-8"));
    assert_string_equal(sac_language_pair_name(p.languages, 1), "French"); /* by its name */
    sac_pairs_free(&p);
}

IN_SCRATCH(two_files_are_pairs_by_their_lines)
{
    sac_pairs p;
    char de[160], en[160];
    strcpy(de, write_text(s, "news.de", "Der Hund.\n\nDie Katze.\n"));
    strcpy(en, write_text(s, "news.en", "The dog.\r\nA line\r\nThe cat."));
    sac_pairs_options options = {.files = {de, en}};
    OK(sac_pairs_open(&options, &p, &failure));
    assert_pairs(&p, "Der Hund.|The dog.\nDie Katze.|The cat.\n");
    assert_string_equal(sac_language_pair_name(p.languages, 0), "German");
    assert_report(&p, 3, "left out: 1 pair with an empty side: line 2\n");
    sac_pairs_free(&p);
    write_text(s, "news.en", "The dog.\n");
    REFUSES(SAC_E_ARGUMENT,
            "…news.en: has 1 lines, and …news.de has 3; give two files in which the "
            "same line is a pair",
            sac_pairs_open(&options, &p, &failure));
}

IN_SCRATCH(what_is_left_out_is_named_and_counted)
{
    char text[3000] =
        "Eins.\tOne.\nZwei.\tTwo.\nbare line\nEins.\tOne.\n\t Three.\nVier.\t…\nEins.\tOne!\n";
    sac_pairs p;
    for (int i = 0; i < SAC_PAIR_WORDS + 1; i++)
        strcat(text, "wort ");
    strcat(text, "\tword\nEins.\tOne.\nEins.\tOne.\nEins.\tOne.\n");
    OK(open_text(s, "pairs", text, &p));
    assert_pairs(&p, "Eins.|One.\nZwei.|Two.\nVier.|…\nEins.|One!\n");
    assert_report(&p, 3,
                  "left out: 1 pair without a second text: line 3\n"
                  "left out: 1 pair with an empty side: line 5\n"
                  "left out: 1 pair of more than 40 words: line 8\n"
                  "left out: 4 pairs given before: line 4, line 9, line 10, …\n");
    sac_pairs_free(&p);
}

IN_SCRATCH(what_holds_no_pairs_is_refused)
{
    sac_pairs p;
    REFUSES(SAC_E_FORMAT, "…pairs: holds no pairs of sentences; give a table with a tab between…",
            open_text(s, "pairs", "one\ntwo\n", &p));
    REFUSES(SAC_E_ARGUMENT, "…pairs: has one sentence, and none can be held out; give more pairs",
            open_text(s, "pairs", "one\teins\n", &p));
    REFUSES(SAC_E_FORMAT, "…", open_text(s, "pairs", "\xff\xfeo\0n", &p));
    const sac_pairs_options named = {.files = {write_text(s, "pairs", "a\tb\nc\td\n")},
                                     .languages = "de"};
    REFUSES(SAC_E_ARGUMENT, "--languages: \"de\" is no pair of languages; give both, such as de,en",
            sac_pairs_open(&named, &p, &failure));
}

/* Sentences that differ in capitals and marks alone, and one with several translations, are never on both
 * sides. */
IN_SCRATCH(the_split_is_by_source_sentence_and_seed)
{
    static char text[40000];
    size_t used = 0, held[2] = {0};
    for (int i = 0; i < 200; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "Satz nummer w%d.\tone %d\nsatz, nummer w%d!\ttwo %d\nSatz nummer "
                                 "w%d.\tthree %d\n",
                                 i, i, i, i, i, i);
    bool was_held[600], differs = false;
    for (uint32_t seed = 0; seed < 2; seed++) {
        sac_pairs p;
        const sac_pairs_options options = {.files = {write_text(s, "pairs", text)}, .seed = seed};
        OK(sac_pairs_open(&options, &p, &failure));
        assert_int_equal(p.count, 600);
        assert_int_equal(p.held, 60);
        for (size_t i = 0; i < p.count; i += 3) {
            held[seed] += p.items[i].held;
            assert_true(p.items[i].held == p.items[i + 1].held &&
                        p.items[i].held == p.items[i + 2].held);
            assert_int_equal(p.items[i + 2].same, i);
            assert_int_equal(p.items[i + 1].same, i + 1);
            differs = differs || (seed && was_held[i] != p.items[i].held);
            was_held[i] = p.items[i].held;
            /* What is held out is in no vocabulary. */
            char word[16];
            int size = snprintf(word, sizeof word, "w%zu", i / 3);
            assert_int_equal(sac_language_pair_find(p.languages, 0, word, (size_t)size) ==
                                 SAC_PAIR_UNKNOWN,
                             p.items[i].held);
        }
        assert_int_equal(p.languages->seed, seed);
        assert_true(p.unknown[0] > 0.1 && p.unlearnt[0] == 0);
        /* Read again with the words of a model, it is the same split. */
        sac_pairs again;
        const sac_pairs_options known = {.files = {options.files[0]}, .known = p.languages};
        OK(sac_pairs_open(&known, &again, &failure));
        for (size_t i = 0; i < p.count; i++) {
            assert_int_equal(p.items[i].held, again.items[i].held);
            for (int side = 0; side < SAC_SIDES; side++)
                assert_memory_equal(p.items[i].words[side], again.items[i].words[side],
                                    (size_t)p.items[i].count[side] * sizeof(int));
        }
        sac_pairs_free(&again);
        sac_pairs_free(&p);
    }
    assert_true(differs && held[0] == 20 && held[1] == 20);
}

IN_SCRATCH(capitals_marks_and_the_stop_are_learnt_from_the_text)
{
    sac_pairs p;
    char text[4000] = "";
    for (int i = 0; i < 12; i++) { /* held out or not, all is there often enough */
        char more[300];
        snprintf(
            more, sizeof more,
            "the dog number %d sleeps .\tDer Hund %d schläft.\nyes , the dog %d called \" come "
            "\" .\tJa, der Hund %d sagte: \"Komm!\".\nis it NATO %d ?\tIst es (%d) die NATO?\n",
            i, i, i, i, i, i);
        strcat(text, more);
    }
    OK(open_text(s, "pairs", text, &p));
    const sac_language_pair *l = p.languages;
    assert_true(l->capital);
    assert_string_equal(l->stop, ".");
    /* Within sentences it is "der" and "Hund"; a first word that is nowhere else is small. */
    static const char *const words[] = {"der", "Hund", "ja", "ist", "NATO"};
    static const char *const none[] = {"Der", "hund", "Ja", "nato"};
    int numbers[8], count = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_true(sac_language_pair_find(l, 1, words[i], strlen(words[i])) >= SAC_PAIR_MARKS);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(sac_language_pair_find(l, 1, none[i], strlen(none[i])), SAC_PAIR_UNKNOWN);
    /* What was cut is written as it was. */
    for (size_t i = 0; i < p.count; i++) {
        char written[200];
        if (!p.items[i].held)
            assert_string_equal(sac_language_pair_join_words(l, p.items[i].words[1],
                                                             p.items[i].count[1], written,
                                                             sizeof written, NULL),
                                p.items[i].text[1]);
    }
    char unknown[40] = "";
    count =
        sac_language_pair_number(l, "The DOG, Fido und Rex", numbers, 8, unknown, sizeof unknown);
    assert_int_equal(count, 6);
    assert_string_equal(unknown, "fido, und, rex");
    assert_int_equal(numbers[1], sac_language_pair_find(l, 0, "dog", 3));
    sac_pairs_free(&p);
}

IN_SCRATCH(a_language_without_blanks_is_of_characters)
{
    sac_pairs p;
    OK(open_text(s, "en-zh.tsv",
                 "I love you.\t我爱你。\nYou love me.\t你爱我。\nI see the moon.\t我看月。\n", &p));
    assert_int_equal(p.items[0].count[1], 4);
    assert_false(p.languages->capital);
    for (size_t i = 0; i < p.count; i++) {
        char written[200];
        if (!p.items[i].held)
            assert_string_equal(sac_language_pair_join_words(p.languages, p.items[i].words[1],
                                                             p.items[i].count[1], written,
                                                             sizeof written, NULL),
                                p.items[i].text[1]);
    }
    sac_pairs_free(&p);
}

IN_SCRATCH(rare_words_are_unknown_as_they_are_asked)
{
    sac_pairs p;
    const char *path = write_text(s, "pairs", "a b\tx\na c\tx\na d\tx y\na e\tx\n");
    const sac_pairs_options twice = {.files = {path}, .least = 2};
    OK(sac_pairs_open(&twice, &p, &failure));
    assert_int_equal(p.languages->words[0].count, SAC_PAIR_MARKS + 1);
    assert_int_equal(p.languages->words[1].count, SAC_PAIR_MARKS + 1);
    assert_true(p.unlearnt[0] == 0.5 && p.unknown[0] == 0.5);
    sac_pairs_free(&p);
    const sac_pairs_options often = {.files = {path}, .least = 9};
    REFUSES(SAC_E_ARGUMENT,
            "--word-count: no word of the source occurs 9 times; give a smaller number",
            sac_pairs_open(&often, &p, &failure));
}

TEST_MAIN(NULL, NULL)
