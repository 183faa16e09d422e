/* saccade translate: its output, its files, and the one clear line that bad input gets. */
#include "json.h"

#include <unistd.h>

#include "images/image.h"

/* The source word that the word at `index` looked at most. */
static const char *looked_at(const cJSON *json, int index)
{
    const cJSON *weights = get(cJSON_GetArrayItem(get(json, "words"), index), "weights"), *weight;
    int best = 0, i = 0;
    cJSON_ArrayForEach(weight, weights)
    {
        if (weight->valuedouble > cJSON_GetArrayItem(weights, best)->valuedouble)
            best = i;
        i++;
    }
    return cJSON_GetStringValue(cJSON_GetArrayItem(get(json, "source"), best));
}

TEST(a_phrase_comes_out_reversed_with_its_alignment)
{
    cJSON *json = JSON_OF("translate", "The European Economic Area", "--json", "--device", "cpu");
    assert_string_equal(text_of(json, "translation"), "la zone économique européenne");
    assert_string_equal(text_of(json, "model"), "additive");
    assert_true(number_of(json, "ms") > 0 && text_of(json, "device")[0]);
    assert_int_equal(cJSON_GetArraySize(get(json, "source")), 4);
    assert_int_equal(cJSON_GetArraySize(get(json, "words")), 4);
    assert_string_equal(looked_at(json, 1), "area");
    assert_string_equal(looked_at(json, 2), "economic");
    assert_string_equal(looked_at(json, 3), "european");
    const cJSON *word = cJSON_GetArrayItem(get(json, "words"), 1), *weight;
    double sum = 0;
    assert_string_equal(text_of(word, "word"), "zone");
    assert_true(number_of(word, "probability") > 0.5);
    cJSON_ArrayForEach(weight, get(word, "weights")) sum += weight->valuedouble;
    assert_true(fabs(sum - 1) < 1e-4);
    cJSON_Delete(json);
}

TEST(each_sentence_of_a_text_is_a_line)
{
    DONE("translate", "The", "king", "sleeps.", "the agreement was signed!", "--device", "cpu");
    assert_string_equal(ran.out, "le roi dort .\nl' accord a été signé .\n");
}

TEST(its_arrays_open_as_a_sentence)
{
    DONE("translate", "the european economic area", "--npz", "t.npz", "--png", "t.png", "--device",
         "cpu");
    PASSES("view", "t.npz", "--tab", "alignment", "--png", "t.png");
    assert_non_null(strstr(ran.err, "not used: probability [4]"));
    assert_null(strstr(ran.err, "labels"));
}

static void see(const char *file, const char *kind)
{
    PASSES("view", file, "--take", kind, "--tab", "heads", "--layer", "1", "--head", "3", "--png",
           "heads.png");
}

TEST(a_transformer_reads_no_full_stop_that_is_not_there)
{
    DONE("translate", "--model", "transformer", "my friends were in the garden on 3 may 1999 .",
         "--device", "cpu");
    assert_string_equal(ran.out, "mes amis étaient dans le jardin le 3 mai 1999 .\n");
    DONE("translate", "--model", "transformer", "the european economic area", "--device", "cpu");
    assert_string_equal(ran.out, "la zone économique européenne\n");
}

/* All translators are open in a view, one of them here. */
TEST(a_view_reads_the_sentence_that_translate_reads)
{
    DONE("translate", "the dog is red", "--tsv", "a.tsv", "--png", "a.png", "--size", "640x400",
         "--device", "cpu");
    DONE("--text", "the dog is red", "--tsv", "b.tsv", "--device", "cpu");
    DONE("a.png", "--tsv", "c.tsv", "--device", "cpu");
    size_t sizes[3];
    char *tables[] = {file_read(here("a.tsv"), &sizes[0]), file_read(here("b.tsv"), &sizes[1]),
                      file_read(here("c.tsv"), &sizes[2])};
    for (int i = 1; i < 3; i++) {
        assert_int_equal(sizes[i], sizes[0]);
        assert_memory_equal(tables[i], tables[0], sizes[0]);
    }
    for (int i = 0; i < 3; i++)
        free(tables[i]);
}

/* Two layers of four heads: what a file of items would have no layer 1 of. */
TEST(layers_and_heads_of_a_transformer_open_as_three_kinds)
{
    DONE("translate", "--model", "transformer", "the cat .", "--npz", "h.npz", "--device", "cpu");
    see(here("h.npz"), "encoder");
    see(here("h.npz"), "decoder");
    see(here("h.npz"), "cross");
    RUN("view", "h.npz", "--png", "heads.png");
    assert_int_equal(ran.status, 1);
    assert_non_null(strstr(ran.err, "cross [2,4,3,3]; choose one with --take NAME"));
    PASSES("view", "h.npz", "--tab", "contents", "--png", "heads.png");
    DONE("view", "--text", "the cat", "--tab", "heads", "--take", "decoder", "--head", "3", "--png",
         "heads.png", "--device", "cpu");
}

/* Below the tabs, beside which stands how long it took. */
static void assert_same_view(const char *one, const char *other)
{
    enum { TABS = 44 };
    sac_image a = {0}, b = {0};
    assert_int_equal(sac_image_load(one, &a, NULL), SAC_OK);
    assert_int_equal(sac_image_load(other, &b, NULL), SAC_OK);
    assert_true(a.width == b.width && a.height == b.height);
    size_t above = (size_t)a.width * TABS * 4, all = (size_t)a.width * (size_t)a.height * 4;
    assert_memory_equal(a.rgba + above, b.rgba + above, all - above);
    sac_image_free(&a);
    sac_image_free(&b);
}

TEST(a_saved_picture_opens_as_the_sentence_that_it_shows)
{
    static const char *const tabs[] = {"translation", "heads"};
    for (int i = 0; i < 2; i++) {
        DONE("view", "--text", "a red house", "--tab", tabs[i], "--model", "transformer", "--png",
             "one.png", "--device", "cpu", i ? "--head" : NULL, "3");
        DONE("view", "one.png", "--png", "two.png", "--device", "cpu");
        assert_non_null(strstr(ran.out, "made from the sentence “a red house”"));
        assert_same_view(here("one.png"), here("two.png"));
    }
}

TEST(every_listed_word_is_known)
{
    DONE("translate", "--list-words");
    assert_non_null(strstr(ran.out, "\neconomic\n"));
    assert_null(strchr(ran.out, '<'));
}

TEST(what_cannot_be_translated_gets_one_line)
{
    char words[41 * 4 + 1] = "";
    FAILS(2, "translate: needs a sentence; …--list-words", "translate");
    FAILS(2, "sentence: has no words; give an English one,…", "translate", " ");
    FAILS(2, "kingg: is no word that the translator knows; did you mean king, kings or sing?",
          "translate", "the kingg sleeps");
    FAILS(2, "translate: 2 sentences do not fit into one file; give one sentence", "translate",
          "a king. a king.", "--png", "x.png");
    FAILS(2, "--word: needs a picture to draw; add --out FILE.png", "translate", "a king sleeps",
          "--word", "1");
    for (int i = 0; i < 41; i++)
        strcat(words, "the ");
    FAILS(2, "sentence: has 41 words; give 1 to 40 words", "translate", words, "--device", "cpu");
}

TEST(its_figures_are_shares)
{
    cJSON *json = JSON_OF("evaluate", "translator", "--count", "12", "--seed", "5", "--device",
                          "cpu", "--json");
    assert_true(number_of(json, "exact") >= 0.75);
    assert_true(number_of(json, "exact_unseen_pairs") <= 1);
    assert_true(number_of(json, "exact_long") <= 1);
    assert_true(number_of(json, "alignment") > 0.8);
    assert_true(number_of(json, "alignment_error_rate") < 0.3);
    const cJSON *rivals = get(json, "baselines");
    assert_true(number_of(rivals, "diagonal") < number_of(json, "alignment"));
    assert_true(number_of(rivals, "uniform") < 0.5);
    assert_true(number_of(rivals, "shuffled") < 0.5);
    cJSON_Delete(json);
}

/* Two models on the same sentences, as numbers and as a figure. */
TEST(exactness_is_reported_by_length)
{
    cJSON *json = JSON_OF("evaluate", "translator", "--by-length", "--count", "9", "--seed", "5",
                          "--device", "cpu", "--json", "--png", "lengths.png");
    int count = cJSON_GetArraySize(get(json, "lengths"));
    const cJSON *exact = get(json, "exact");
    assert_true(count > 2);
    assert_int_equal(cJSON_GetArraySize(get(json, "samples")), count);
    assert_int_equal(cJSON_GetArraySize(get(exact, "additive")), count);
    assert_int_equal(cJSON_GetArraySize(get(exact, "no attention")), count);
    cJSON_Delete(json);
    assert_int_equal(access(here("lengths.png"), R_OK), 0);
    FAILS(2, "--out: writes the curves of --by-length only; add --by-length", "evaluate",
          "translator", "--png", "lengths.png");
}

/* ---------------------------------------------------------------- models of others */

/* The greedy output of `generate` when the reference was made; the text goes in as it is. */
TEST(the_model_of_a_folder_shows_what_generate_generated)
{
    cJSON *french = JSON_OF("translate", "--weights", REFERENCES "/m2m_100", "the cat sees", "--to",
                            "fr", "--json", "--device", "cpu");
    cJSON *german = JSON_OF("translate", "--weights", REFERENCES "/m2m_100", "the cat sees",
                            "--from", "fr", "--to", "de", "--json", "--device", "cpu");
    assert_words_are_text(french, "translation"); /* "__fr__", which is generated first, is none */
    assert_words_are_text(german, "translation");
    assert_string_equal(cJSON_GetObjectItem(german, "source")->child->valuestring, "__fr__");
    cJSON_Delete(french);
    cJSON_Delete(german);
    cJSON *json = JSON_OF("translate", "--weights", REFERENCES "/marian", "the cat sees",
                          "the red house", "--beam", "1", "--json", "--png", "marian.png", "--npz",
                          "marian.npz", "--device", "cpu");
    assert_string_equal(text_of(json, "translation"), "le chat est da maison");
    assert_string_equal(text_of(json, "model"), "marian");
    assert_int_equal(cJSON_GetArraySize(get(json, "source")), 16);
    assert_string_equal(cJSON_GetArrayItem(get(json, "source"), 4)->valuestring, "cat");
    assert_string_equal(cJSON_GetArrayItem(get(json, "source"), 15)->valuestring, "</s>");
    assert_string_equal(text_of(cJSON_GetArrayItem(get(json, "words"), 1), "word"), "e");
    cJSON_Delete(json);
    assert_int_equal(access(here("marian.png"), R_OK), 0);
    assert_int_equal(access(here("marian.npz"), R_OK), 0);
}

TEST(what_the_model_of_a_folder_cannot_translate_gets_one_line)
{
    FAILS(2, "sentence: has no words; give some words", "translate", "--weights",
          REFERENCES "/marian", " ", "--device", "cpu");
    FAILS_WITH(2, "give the folder of a translator", "translate", "--weights", REFERENCES "/bert",
               "the", "--device", "cpu");
}

TEST_MAIN(make_folder, remove_folder)
