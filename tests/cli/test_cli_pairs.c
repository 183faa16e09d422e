/* A person's own sentence pairs, from the training to the translation. */
#include "json.h"

static char weights[80];

static int enter(void **state)
{
    make_folder(state);
    ran.environment[0] = "SACCADE_DEVICE=pocl";
    snprintf(weights, sizeof weights, "%s", here("w.safetensors"));
    return 0;
}

#define IN_FOLDER(name) TEST_WITH(name, enter, remove_folder)

/* Forty pairs, the last two of which are the same. */
static const char *write_pairs(const char *name)
{
    static const char *const who[][2] = {{"Der Hund", "The dog"}, {"Das Kind", "The child"}};
    static char text[4000];
    size_t used = 0;
    for (int i = 0; i < 40; i++)
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%d\t%s sieht Haus %d.\t%d\t%s sees house %d.\n", i,
            who[i % 2][0], i == 39 ? 19 : i / 2, 100 + i, who[i % 2][1], i == 39 ? 19 : i / 2);
    snprintf(text + used, sizeof text - used,
             "40\tDer Hund sieht Haus 0.\t140\tThe dog sees house "
             "0.\n");
    static char path[80];
    snprintf(path, sizeof path, "%s", here(name));
    file_write(path, text, strlen(text));
    return path;
}

IN_FOLDER(a_model_of_own_pairs_is_trained_evaluated_and_asked)
{
    const char *pairs = write_pairs("deu-eng.tsv");
    PASSES("train", "translator", "--pairs", pairs, "--steps", "2", "--batch", "4", "--out",
           weights, "--seed", "3");
    assert_non_null(
        strstr(ran.err, "saccade: pairs: German to English: 40 pairs, 4 of them held out"));
    assert_non_null(strstr(ran.err, "pairs: left out: 1 pair given before: line 41"));
    assert_non_null(strstr(ran.out, "2 steps of 4 sentence pairs"));

    cJSON *json =
        JSON_OF("evaluate", "translator", "--weights", weights, "--pairs", pairs, "--json");
    assert_true(number_of(json, "count") == 4);
    assert_true(number_of(json, "bleu") >= 0 && number_of(json, "chrf") >= 0);
    assert_null(cJSON_GetObjectItemCaseSensitive(json, "seed"));
    cJSON_Delete(json);
    json = JSON_OF("evaluate", "translator", "--weights", weights, "--pairs", pairs, "--split",
                   "all", "--count", "7", "--json");
    assert_true(number_of(json, "count") == 7);
    cJSON_Delete(json);
    DONE("evaluate", "translator", "--weights", weights, "--pairs", pairs);
    assert_non_null(strstr(ran.out, "German to English: 4 sentences with 4 translations\n"));

    json = JSON_OF("translate", "Der Hund sieht Haus 1", "--weights", weights, "--json");
    assert_string_equal(text_of(json, "from"), "German");
    assert_string_equal(text_of(json, "to"), "English");
    const cJSON *source = get(json, "source");
    assert_int_equal(cJSON_GetArraySize(source), 6);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(source, 1)), "Hund");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(source, 5)), ".");
    cJSON_Delete(json);
    PASSES("translate", "Der Elefant sieht Haus 1. Das Kind!", "--weights", weights, "--beam", "1");
    assert_non_null(strstr(ran.err, "does not know, and reads as <unknown>: elefant\n"));
    assert_non_null(strstr(ran.err, "does not know, and reads as <unknown>: !"));
    DONE("translate", "--list-words", "--weights", weights);
    assert_non_null(strstr(ran.out, "\nhund\n"));
    DONE("translate", "Das Kind sieht Haus 1.", "--weights", weights, "--png", here("t.png"));
    PASSES(here("t.png"), "--png", here("again.png")); /* by the same weights */
    assert_non_null(strstr(ran.out, "t.png: made from w.safetensors\n"));
    DONE("translate", "Das Kind sieht Haus 1.", "--weights", weights, "--out", here("t.html"));

    FAILS(2, "--pairs: is missing; give the sentence pairs that it was trained on before", "train",
          "translator", "--resume", weights, "--steps", "3", "--out", weights);
    FAILS(2,
          "evaluate: the model was trained on sentence pairs of German and English; give --pairs, "
          "such as the file that it was trained on",
          "evaluate", "translator", "--weights", weights);
}

IN_FOLDER(two_files_are_given_one_after_the_other)
{
    char de[80], en[80];
    snprintf(de, sizeof de, "%s", here("a.de"));
    snprintf(en, sizeof en, "%s", here("a.en"));
    file_write(de, "eins\nzwei\ndrei\n", 15);
    file_write(en, "one\ntwo\nthree\n", 14);
    PASSES("train", "transformer", "--pairs", de, "--pairs", en, "--steps", "1", "--batch", "2",
           "--heads", "2", "--hidden", "16", "--layers", "1", "--out", weights);
    assert_non_null(strstr(ran.err, "pairs: German to English: 3 pairs, 1 of them held out"));
    FAILS(2,
          "--pairs: is given more than twice; give a table of pairs, or one file of each language",
          "train", "translator", "--pairs", de, "--pairs", en, "--pairs", en, "--out", weights);
    FAILS(1, "…a.de: holds no pairs of sentences; give a table…", "train", "translator", "--pairs",
          de);
}

IN_FOLDER(what_is_asked_of_no_pairs_is_refused)
{
    REFUSED("train translator",
            {2,
             "--languages: is of sentence pairs; give --pairs too, or leave it out",
             {"--languages", "de,en"}},
            {2,
             "--word-count: is of sentence pairs; give --pairs too, or leave it out",
             {"--word-count", "2"}});
    REFUSED(
        "evaluate",
        {2, "--pairs: works with translators only; leave it out", {"captioner", "--pairs", "x"}},
        {2,
         "--pairs: takes the place of made-up samples; leave out --seed and --by-length",
         {"translator", "--pairs", "x", "--seed", "1"}},
        {2,
         "--split: unknown split; give val, train or all",
         {"translator", "--pairs", "x", "--split", "test"}},
        {2,
         "--pairs: is for a model that was trained on sentence pairs; give weights of one as "
         "--weights F, or leave it out",
         {"translator", "--pairs", "x"}});
}

TEST_MAIN(NULL, NULL)
