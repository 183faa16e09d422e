/* saccade translate: what is said, what is written, and the one clear line that bad input gets. */
#include "run.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "images/image.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    folder_create(folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    folder_remove(folder);
    return 0;
}

static const cJSON *get(const cJSON *json, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);
    if (!item)
        fail_msg("there is no \"%s\"", name);
    return item;
}

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
    program_run run = {0};
    run_saccade(&run, "translate", "The European Economic Area", "--json", "--device", "cpu", NULL);
    assert_done(&run);
    cJSON *json = cJSON_Parse(run.out);
    assert_non_null(json);
    assert_string_equal(get(json, "translation")->valuestring, "la zone économique européenne");
    assert_string_equal(get(json, "model")->valuestring, "additive");
    assert_true(get(json, "ms")->valuedouble > 0 && get(json, "device")->valuestring[0]);
    assert_int_equal(cJSON_GetArraySize(get(json, "source")), 4);
    assert_int_equal(cJSON_GetArraySize(get(json, "words")), 4);
    assert_string_equal(looked_at(json, 1), "area");
    assert_string_equal(looked_at(json, 2), "economic");
    assert_string_equal(looked_at(json, 3), "european");
    const cJSON *word = cJSON_GetArrayItem(get(json, "words"), 1), *weight;
    double sum = 0;
    assert_string_equal(get(word, "word")->valuestring, "zone");
    assert_true(get(word, "probability")->valuedouble > 0.5);
    cJSON_ArrayForEach(weight, get(word, "weights")) sum += weight->valuedouble;
    assert_true(fabs(sum - 1) < 1e-4);
    cJSON_Delete(json);
}

TEST(each_sentence_of_a_text_is_a_line)
{
    program_run run = {0};
    run_saccade(&run, "translate", "The", "king", "sleeps.", "the agreement was signed!",
                "--device", "cpu", NULL);
    assert_done(&run);
    assert_string_equal(run.out, "le roi dort .\nl' accord a été signé .\n");
}

TEST(its_arrays_open_as_a_sentence)
{
    program_run run = {0}, view = {0};
    char npz[128], png[128];
    snprintf(npz, sizeof npz, "%s", in_folder(folder, "t.npz"));
    snprintf(png, sizeof png, "%s", in_folder(folder, "t.png"));
    run_saccade(&run, "translate", "the european economic area", "--npz", npz, "--png", png,
                "--device", "cpu", NULL);
    assert_done(&run);
    run_saccade(&view, "view", npz, "--tab", "alignment", "--png", png, NULL);
    assert_int_equal(view.status, 0);
    assert_non_null(strstr(view.err, "not used: probability [4]"));
    assert_null(strstr(view.err, "labels"));
}

static void see(const char *file, const char *kind)
{
    program_run view = {0};
    char png[128];
    snprintf(png, sizeof png, "%s", in_folder(folder, "heads.png"));
    run_saccade(&view, "view", file, "--take", kind, "--tab", "heads", "--layer", "1", "--head",
                "3", "--png", png, NULL);
    assert_int_equal(view.status, 0);
}

/* Whole sentences are all that it has learnt from: without the stop it would leave words out. */
TEST(a_transformer_is_given_the_full_stop_that_a_text_lacks)
{
    program_run with = {0}, without = {0};
    run_saccade(&with, "translate", "--model", "transformer",
                "my friends were in the garden on 3 may 1999 .", "--device", "cpu", NULL);
    run_saccade(&without, "translate", "--model", "transformer",
                "my friends were in the garden on 3 may 1999", "--device", "cpu", NULL);
    assert_done(&with);
    assert_int_equal(without.status, 0);
    assert_string_equal(without.err, "saccade: translate: a full stop is added, as the transformer "
                                     "reads whole sentences\n");
    assert_string_equal(without.out, with.out);
    assert_string_equal(with.out, "mes amis étaient dans le jardin le 3 mai 1999 .\n");
}

/* Two layers of four heads: what a file of items would have no layer 1 of. */
TEST(layers_and_heads_of_a_transformer_open_as_three_kinds)
{
    program_run run = {0}, which = {0}, list = {0}, sentence = {0};
    char npz[128], png[128];
    snprintf(npz, sizeof npz, "%s", in_folder(folder, "h.npz"));
    snprintf(png, sizeof png, "%s", in_folder(folder, "heads.png"));
    run_saccade(&run, "translate", "--model", "transformer", "the cat .", "--npz", npz, "--device",
                "cpu", NULL);
    assert_done(&run);
    see(npz, "encoder");
    see(npz, "decoder");
    see(npz, "cross");
    run_saccade(&which, "view", npz, "--png", png, NULL);
    assert_int_equal(which.status, 1);
    assert_non_null(strstr(which.err, "cross [2,4,3,3]; choose one with --take NAME"));
    run_saccade(&list, "view", npz, "--tab", "contents", "--png", png, NULL);
    assert_int_equal(list.status, 0);
    run_saccade(&sentence, "view", "--text", "the cat", "--tab", "heads", "--take", "decoder",
                "--head", "3", "--png", png, "--device", "cpu", NULL);
    assert_done(&sentence);
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
        program_run first = {0}, again = {0};
        char one[128], two[128];
        snprintf(one, sizeof one, "%s", in_folder(folder, "one.png"));
        snprintf(two, sizeof two, "%s", in_folder(folder, "two.png"));
        run_saccade(&first, "view", "--text", "a red house", "--tab", tabs[i], "--model",
                    "transformer", "--head", "3", "--png", one, "--device", "cpu", NULL);
        assert_done(&first);
        run_saccade(&again, "view", one, "--png", two, "--device", "cpu", NULL);
        assert_done(&again);
        assert_non_null(strstr(again.out, "made from the sentence “a red house”"));
        assert_same_view(one, two);
    }
}

TEST(every_listed_word_is_known)
{
    program_run run = {0};
    run_saccade(&run, "translate", "--list-words", NULL);
    assert_done(&run);
    assert_non_null(strstr(run.out, "\neconomic\n"));
    assert_null(strchr(run.out, '<'));
}

TEST(what_cannot_be_translated_gets_one_line)
{
    program_run nothing = {0}, empty = {0}, unknown = {0}, two = {0}, long_one = {0};
    char words[41 * 4 + 1] = "";
    run_saccade(&nothing, "translate", NULL);
    assert_fails(&nothing, 2,
                 "translate: needs a sentence; give an English one, between quotes, or "
                 "--list-words");
    run_saccade(&empty, "translate", " ", NULL);
    assert_fails(&empty, 2, "sentence: has no words; give an English one, between quotes");
    run_saccade(&unknown, "translate", "the kingg sleeps", NULL);
    assert_fails(&unknown, 2,
                 "kingg: is no word that the translator knows; did you mean king, kings or sing?");
    run_saccade(&two, "translate", "a king. a king.", "--png", in_folder(folder, "x.png"), NULL);
    assert_fails(&two, 2, "translate: 2 sentences do not fit into one file; give one sentence");
    for (int i = 0; i < 41; i++)
        strcat(words, "the ");
    run_saccade(&long_one, "translate", words, "--device", "cpu", NULL);
    assert_fails(&long_one, 2, "sentence: has 41 words; give 1 to 40 words");
}

TEST(its_figures_are_shares)
{
    program_run run = {0};
    run_saccade(&run, "evaluate", "translator", "--count", "12", "--seed", "5", "--device", "cpu",
                "--json", NULL);
    assert_done(&run);
    cJSON *json = cJSON_Parse(run.out);
    assert_non_null(json);
    assert_true(get(json, "exact")->valuedouble >= 0.75);
    assert_true(get(json, "exact_unseen_pairs")->valuedouble <= 1);
    assert_true(get(json, "exact_long")->valuedouble <= 1);
    assert_true(get(json, "alignment")->valuedouble > 0.8);
    assert_true(get(json, "alignment_error_rate")->valuedouble < 0.3);
    const cJSON *rivals = get(json, "baselines");
    assert_true(get(rivals, "diagonal")->valuedouble < get(json, "alignment")->valuedouble);
    assert_true(get(rivals, "uniform")->valuedouble < 0.5);
    assert_true(get(rivals, "shuffled")->valuedouble < 0.5);
    cJSON_Delete(json);
}

/* Two models on the same sentences, as numbers and as a figure. */
TEST(exactness_is_told_by_length)
{
    program_run run = {0}, alone = {0};
    char png[128];
    snprintf(png, sizeof png, "%s", in_folder(folder, "lengths.png"));
    run_saccade(&run, "evaluate", "translator", "--by-length", "--count", "9", "--seed", "5",
                "--device", "cpu", "--json", "--png", png, NULL);
    assert_done(&run);
    cJSON *json = cJSON_Parse(run.out);
    assert_non_null(json);
    int count = cJSON_GetArraySize(get(json, "lengths"));
    const cJSON *exact = get(json, "exact");
    assert_true(count > 2);
    assert_int_equal(cJSON_GetArraySize(get(json, "samples")), count);
    assert_int_equal(cJSON_GetArraySize(get(exact, "additive")), count);
    assert_int_equal(cJSON_GetArraySize(get(exact, "no attention")), count);
    cJSON_Delete(json);
    assert_int_equal(access(png, R_OK), 0);
    run_saccade(&alone, "evaluate", "translator", "--png", png, NULL);
    assert_fails(&alone, 2, "--out: writes the curves of --by-length only; add --by-length");
}

/* ---------------------------------------------------------------- models of others */

/* What `generate` said greedily when the reference was made; the text goes in as it is. */
TEST(the_model_of_a_folder_says_what_generate_said)
{
    program_run run = {0};
    char png[128], npz[128];
    snprintf(png, sizeof png, "%s", in_folder(folder, "marian.png"));
    snprintf(npz, sizeof npz, "%s", in_folder(folder, "marian.npz"));
    run_saccade(&run, "translate", "--weights", REFERENCES "/marian", "the cat sees",
                "the red house", "--beam", "1", "--json", "--png", png, "--npz", npz, "--device",
                "cpu", NULL);
    assert_done(&run);
    cJSON *json = cJSON_Parse(run.out);
    assert_non_null(json);
    assert_string_equal(get(json, "translation")->valuestring, "le chat est da maison");
    assert_string_equal(get(json, "model")->valuestring, "marian");
    assert_int_equal(cJSON_GetArraySize(get(json, "source")), 16);
    assert_string_equal(cJSON_GetArrayItem(get(json, "source"), 4)->valuestring, "cat");
    assert_string_equal(cJSON_GetArrayItem(get(json, "source"), 15)->valuestring, "</s>");
    assert_string_equal(get(cJSON_GetArrayItem(get(json, "words"), 1), "word")->valuestring, "##e");
    cJSON_Delete(json);
    assert_int_equal(access(png, R_OK), 0);
    assert_int_equal(access(npz, R_OK), 0);
}

TEST(what_the_model_of_a_folder_cannot_translate_gets_one_line)
{
    program_run blank = {0}, bert = {0};
    run_saccade(&blank, "translate", "--weights", REFERENCES "/marian", " ", "--device", "cpu",
                NULL);
    assert_fails(&blank, 2, "sentence: has no words; give some words");
    run_saccade(&bert, "translate", "--weights", REFERENCES "/bert", "the", "--device", "cpu",
                NULL);
    assert_fails_saying(&bert, 2, "give the folder of a translator");
}

TEST_MAIN(make_folder, remove_folder)
