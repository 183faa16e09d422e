/* The grammar's promises: the two languages agree word by word, and the streams share nothing. */

#include "grammar/lexicon.h"
#include "grammar/sentence.h"
#include "grammar/words.h"
#include "status.h"
#include "test.h"

enum { MANY = 2000, STREAMS = 2 };

/* The first sentences of both streams. */
static sac_sentence_pair many[STREAMS][MANY];

static int make_many(void **state)
{
    (void)state;
    for (int stream = 0; stream < STREAMS; stream++)
        for (uint64_t seed = 0; seed < MANY; seed++)
            sac_sentence_make((sac_text_stream)stream, seed, &many[stream][seed]);
    return 0;
}

static const char *source_of(const sac_sentence_pair *pair)
{
    static char text[1024];
    return sac_sentence_join(pair->source, pair->source_count, text, sizeof text);
}

static const char *target_of(const sac_sentence_pair *pair)
{
    static char text[1024];
    return sac_sentence_join(pair->target, pair->target_count, text, sizeof text);
}

/* ---------------------------------------------------------------- trees made by hand */

static int preposition(const char *english)
{
    int row = 0;
    while (strcmp(sac_prepositions[row].english, english) != 0)
        row++;
    return row;
}

/* "the NOUN", or with an 's' in `plural` "the NOUNs". */
static sac_noun_phrase phrase(int determiner, bool plural, const char *noun)
{
    return (sac_noun_phrase){.pronoun = -1,
                             .determiner = determiner,
                             .plural = plural,
                             .noun = sac_noun_find(noun),
                             .complement = -1,
                             .relative = -1};
}

static void add_adjective(sac_noun_phrase *phrase, const char *adjective)
{
    phrase->adjectives[phrase->adjective_count++] = sac_adjective_find(adjective);
}

static sac_clause clause(const char *verb)
{
    return (sac_clause){.object = -1, .verb = sac_verb_find(verb), .adverb = -1};
}

/* The sentence in both languages of a tree of one clause, whose subject is phrase 0. */
static void assert_generated(sac_tree *tree, const char *english, const char *french)
{
    sac_sentence_pair pair;
    tree->second = -1;
    assert_true(sac_sentence_write(tree, &pair));
    assert_string_equal(source_of(&pair), english);
    assert_string_equal(target_of(&pair), french);
}

TEST(the_figure_of_bahdanau_is_aligned_as_in_the_paper)
{
    static const char *const stands_for[] = {"the",      "agreement", "on",   "the", "area",
                                             "economic", "european",  "was",  "was", "signed",
                                             "in",       "august",    "1992", "."};
    sac_sentence_pair pair;
    sac_sentence_make_for_figure(&pair);
    assert_string_equal(source_of(&pair), "the agreement on the european economic area was signed "
                                          "in august 1992 .");
    assert_string_equal(target_of(&pair), "l' accord sur la zone économique européenne a été signé "
                                          "en août 1992 .");
    for (int t = 0; t < pair.target_count; t++) {
        int links = 0;
        for (int i = 0; i < pair.source_count; i++)
            if (pair.links[t] >> i & 1) {
                assert_string_equal(pair.source[i], stands_for[t]);
                links++;
            }
        assert_int_equal(links, 1);
    }
    assert_int_equal(pair.links[0], 1); /* l' is the first "the", la the second */
    assert_int_equal(pair.links[3], 1 << 3);
    assert_int_equal(pair.held_out, SAC_HELD_NOT);
}

TEST(articles_elide_and_contract)
{
    static const struct {
        bool plural;
        const char *noun, *english, *french;
    } cases[] = {
        {false, "king", "the door of the king sleeps .", "la porte du roi dort ."},
        {false, "queen", "the door of the queen sleeps .", "la porte de la reine dort ."},
        {false, "friend", "the door of the friend sleeps .", "la porte de l' ami dort ."},
        {false, "school", "the door of the school sleeps .", "la porte de l' école dort ."},
        {true, "king", "the door of the kings sleeps .", "la porte des rois dort ."},
        {true, "school", "the door of the schools sleeps .", "la porte des écoles dort ."},
        {false, "hotel", "the door of the hotel sleeps .", "la porte de l' hôtel dort ."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_tree tree = {.clauses = {clause("sleep")}};
        tree.phrases[0] = phrase(SAC_THE, false, "door");
        tree.phrases[0].preposition = preposition("of");
        tree.phrases[0].complement = 1;
        tree.phrases[1] = phrase(SAC_THE, cases[i].plural, cases[i].noun);
        assert_generated(&tree, cases[i].english, cases[i].french);
    }
}

TEST(a_contracted_article_stands_for_both_words)
{
    sac_sentence_pair pair;
    sac_tree tree = {.clauses = {clause("sleep")}, .second = -1};
    tree.phrases[0] = phrase(SAC_THE, false, "dog");
    tree.phrases[0].preposition = preposition("of");
    tree.phrases[0].complement = 1;
    tree.phrases[1] = phrase(SAC_THE, false, "king");
    assert_true(sac_sentence_write(&tree, &pair)); /* the dog of the king: le chien du roi */
    assert_string_equal(pair.target[2], "du");
    assert_int_equal(pair.links[2], 1 << 2 | 1 << 3);
}

TEST(adjectives_stand_and_agree_as_french_wants)
{
    static const struct {
        int determiner;
        bool plural;
        const char *noun, *adjectives[3], *english, *french;
    } cases[] = {
        {SAC_THE,
         false,
         "tree",
         {"beautiful"},
         "the beautiful tree falls .",
         "le bel arbre tombe ."},
        {SAC_THE, false, "man", {"old"}, "the old man falls .", "le vieil homme tombe ."},
        {SAC_THE, true, "man", {"old"}, "the old men fall .", "les vieux hommes tombent ."},
        {SAC_A, false, "actress", {"new"}, "a new actress falls .", "une nouvelle actrice tombe ."},
        {SAC_A,
         false,
         "actress",
         {"old", "happy"},
         "an old happy actress falls .",
         "une vieille actrice heureuse tombe ."},
        {SAC_SOME,
         true,
         "horse",
         {"small", "white"},
         "some small white horses fall .",
         "de petits chevaux blancs tombent ."},
        {SAC_SOME,
         true,
         "horse",
         {"white"},
         "some white horses fall .",
         "des chevaux blancs tombent ."},
        {SAC_A,
         false,
         "company",
         {"european"},
         "a european company falls .",
         "une entreprise européenne tombe ."},
        {SAC_THE,
         false,
         "agreement",
         {"new", "european", "economic"},
         "the new european economic agreement falls .",
         "le nouvel accord économique européen tombe ."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_tree tree = {.clauses = {clause("fall")}};
        tree.phrases[0] = phrase(cases[i].determiner, cases[i].plural, cases[i].noun);
        for (int a = 0; a < 3 && cases[i].adjectives[a]; a++)
            add_adjective(&tree.phrases[0], cases[i].adjectives[a]);
        assert_generated(&tree, cases[i].english, cases[i].french);
    }
}

TEST(verbs_agree_with_their_subject)
{
    static const struct {
        const char *noun, *verb;
        bool plural, past, negated;
        const char *english, *french;
    } cases[] = {
        {"queen", "arrive", false, true, false, "the queen arrived .", "la reine est arrivée ."},
        {"queen", "arrive", true, true, false, "the queens arrived .",
         "les reines sont arrivées ."},
        {"king", "arrive", true, true, false, "the kings arrived .", "les rois sont arrivés ."},
        {"queen", "sleep", true, true, false, "the queens slept .", "les reines ont dormi ."},
        {"king", "sleep", false, false, true, "the king does not sleep .", "le roi ne dort pas ."},
        {"king", "arrive", false, false, true, "the king does not arrive .",
         "le roi n' arrive pas ."},
        {"king", "sleep", true, true, true, "the kings did not sleep .",
         "les rois n' ont pas dormi ."},
        {"girl", "leave", true, false, false, "the girls leave .", "les filles partent ."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_tree tree = {.clauses = {clause(cases[i].verb)}};
        tree.clauses[0].past = cases[i].past;
        tree.clauses[0].negated = cases[i].negated;
        tree.phrases[0] = phrase(SAC_THE, cases[i].plural, cases[i].noun);
        assert_generated(&tree, cases[i].english, cases[i].french);
    }
}

TEST(negation_is_two_french_words_on_one_english)
{
    sac_sentence_pair pair;
    sac_tree tree = {.clauses = {clause("sleep")}, .second = -1};
    tree.clauses[0].negated = true;
    tree.phrases[0] = phrase(SAC_THE, false, "king");
    assert_true(sac_sentence_write(&tree, &pair)); /* the king does not sleep: le roi ne dort pas */
    assert_int_equal(pair.links[2], 1 << 3);
    assert_int_equal(pair.links[3], 1 << 2 | 1 << 4);
    assert_int_equal(pair.links[4], 1 << 3);
}

/* ---------------------------------------------------------------- many sentences */

TEST(every_french_word_stands_for_an_english_one)
{
    for (int seed = 0; seed < MANY; seed++) {
        const sac_sentence_pair *pair = &many[SAC_TEXT_TEST][seed];
        for (int t = 0; t < pair->target_count; t++) {
            assert_int_not_equal(pair->links[t], 0);
            assert_int_equal(pair->links[t] >> pair->source_count, 0);
        }
    }
}

TEST(all_words_are_in_the_lists)
{
    sac_word_list english, french;
    OK(sac_word_list_create(SAC_ENGLISH, &english, NULL));
    OK(sac_word_list_create(SAC_FRENCH, &french, NULL));
    assert_true(english.count >= 200 && french.count >= 200);
    for (int seed = 0; seed < MANY; seed++) {
        const sac_sentence_pair *pair = &many[seed % STREAMS][seed];
        for (int i = 0; i < pair->source_count; i++)
            assert_true(sac_word_list_find(&english, pair->source[i]) >= SAC_TOKENS_SPECIAL);
        for (int i = 0; i < pair->target_count; i++)
            assert_true(sac_word_list_find(&french, pair->target[i]) >= SAC_TOKENS_SPECIAL);
    }
    sac_word_list_free(&english);
    sac_word_list_free(&french);
}

TEST(training_has_nothing_that_is_held_out)
{
    for (int seed = 0; seed < MANY; seed++) {
        const sac_sentence_pair *pair = &many[SAC_TEXT_TRAINING][seed];
        assert_int_equal(pair->held_out, SAC_HELD_NOT);
        assert_false(pair->has_unseen_pair);
        assert_in_range(pair->source_count, SAC_SENTENCE_LEAST, SAC_SENTENCE_TRAINED_MOST);
    }
}

TEST(every_test_sentence_is_held_out_for_its_reason)
{
    for (int seed = 0; seed < MANY; seed++) {
        const sac_sentence_pair *pair = &many[SAC_TEXT_TEST][seed];
        if (seed % 3 == 0)
            assert_true(pair->held_out == SAC_HELD_PAIR && pair->has_unseen_pair);
        else if (seed % 3 == 1)
            assert_true(pair->held_out == SAC_HELD_LENGTH &&
                        pair->source_count > SAC_SENTENCE_TRAINED_MOST);
        else
            assert_int_equal(pair->held_out, SAC_HELD_SENTENCE);
    }
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "SOURCE = TARGET" of the sentences of both streams, sorted. */
static char **sorted_texts(size_t count)
{
    char **texts = calloc(count, sizeof *texts);
    for (size_t i = 0; i < count; i++) {
        const sac_sentence_pair *pair = &many[i % STREAMS][i / STREAMS];
        char text[2048];
        snprintf(text, sizeof text, "%s = %s", source_of(pair), target_of(pair));
        texts[i] = strdup(text);
    }
    qsort(texts, count, sizeof *texts, compare_texts);
    return texts;
}

TEST(an_english_sentence_has_one_translation)
{
    size_t count = STREAMS * MANY, repeated = 0;
    char **texts = sorted_texts(count);
    for (size_t i = 1; i < count; i++) {
        size_t source = (size_t)(strstr(texts[i], " = ") - texts[i]) + 3;
        if (strncmp(texts[i - 1], texts[i], source) == 0) {
            assert_string_equal(texts[i - 1], texts[i]);
            repeated++;
        }
    }
    assert_true(repeated > 0); /* short ones come again, so that this was asked */
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
}

TEST(a_seed_gives_the_same_sentence_everywhere)
{
    uint32_t hash = 2166136261u;
    for (int seed = 0; seed < 300; seed++)
        for (const char *c = target_of(&many[seed % STREAMS][seed]); *c; c++)
            hash = (hash ^ (uint8_t)*c) * 16777619u;
    assert_int_equal(hash, 0xd9514e36);
}

TEST_MAIN(make_many, NULL)
