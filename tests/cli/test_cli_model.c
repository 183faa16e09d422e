/* A folder with a model of others on the command line: the tiny ones of tests/reference. */
#include "extent.h"
#include "json.h"

#include <sys/stat.h>
#include <unistd.h>

#include "architectures/architectures.h"
#include "arrays/json.h"
#include "images/png_write.h"
#include "png_texts.h"
#include "saccade_arrays.h"

/* A folder within a folder: a picture names what is beside its own folder by "../", as the project
 * may be. */
static char made[64];

/* All that can be had of a model at once, where no window could be opened, and the JSON. */
#define WRITE_ALL(name, ...)                                                                       \
    ({                                                                                             \
        program_run run_ = {.folder = folder,                                                      \
                            .environment = {"DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"}};     \
        run_saccade(&run_, "--json", "--png", name ".png", "--npz", name ".npz", "--size",         \
                    "640x400", "--device", "cpu", __VA_ARGS__, NULL);                              \
        assert_int_equal(run_.status, 0);                                                          \
        if (run_.err[0] && !strstr(run_.err, ": next: ")) /* is reported there beside a picture */ \
            fail_msg("printed beside what was written: %s", run_.err);                             \
        assert_int_equal(access(here(name ".png"), R_OK) | access(here(name ".npz"), R_OK), 0);    \
        parse_json(run_.out);                                                                      \
    })

/* saw.png is what a model saw in a photograph. */
static int make_files(void **state)
{
    (void)state;
    folder_create(made);
    strcat(strcpy(folder, made), "/run");
    ran.folder = folder;
    assert_int_equal(mkdir(folder, 0700), 0);
    cJSON_Delete(WRITE_ALL("saw", REFERENCES "/vit", PICTURES "/garden.png", "--layer", "2",
                           "--query", "3,1"));
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    folder_remove(made);
    return 0;
}

static void assert_texts(const cJSON *list, const char *const *expected)
{
    int count = 0;
    for (; expected[count]; count++)
        assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(list, count)), expected[count]);
    assert_int_equal(cJSON_GetArraySize(list), count);
}

static void assert_weights(const char *npz, size_t layers, size_t heads, size_t tokens)
{
    sac_arrays *arrays;
    assert_int_equal(sac_arrays_open(npz, &arrays, NULL), SAC_OK);
    const sac_array *weights = sac_arrays_find(arrays, "attentions");
    const sac_array *words = sac_arrays_find(arrays, "tokens");
    assert_true(weights && words && sac_arrays_find(arrays, "hidden_states"));
    assert_int_equal(sac_array_count(weights), layers * heads * tokens * tokens);
    for (size_t row = 0; row < layers * heads * tokens; row++) {
        double sum = 0;
        for (size_t key = 0; key < tokens; key++)
            sum += ((const float *)weights->data)[row * tokens + key];
        assert_float_equal(sum, 1, 1e-5);
    }
    assert_string_equal(((char **)words->data)[5], "river");
    sac_arrays_close(arrays);
}

TEST(a_text_is_reported_in_tokens_and_in_arrays_that_open_again)
{
    cJSON *json = WRITE_ALL("text", REFERENCES "/bert", "--text", "The bank of the rivers");
    assert_texts(get(json, "tokens"), (const char *const[]){"[CLS]", "the", "bank", "of", "the",
                                                            "river", "s", "[SEP]", NULL});
    assert_int_equal(number_of(json, "layers"), 3);
    assert_null(cJSON_GetObjectItem(json, "next"));
    cJSON_Delete(json);
    assert_weights(here("text.npz"), 3, 3, 8);
    PASSES("text.npz", "--png", "again.png", "--size", "640x400");
}

/* Its output is compared with that of transformers in the families' own test. */
TEST(what_comes_next_is_reported_and_generated)
{
    cJSON *json = WRITE_ALL("next", REFERENCES "/gpt2", "--text", "the bank of", "--continue", "3");
    const cJSON *next = cJSON_GetArrayItem(get(json, "next"), 0);
    assert_string_equal(text_of(json, "continuation"), ". the the");
    assert_string_equal(text_of(next, "token"), " the");
    cJSON_Delete(json);
}

/* Each generated token has its probability, its candidates, and what the sampling leaves
 * of that; a row of attention of each is in the arrays. */
TEST(each_step_of_a_continuation_is_reported)
{
    cJSON *json = WRITE_ALL("steps", REFERENCES "/gpt2", "--text", "the bank of", "--continue", "4",
                            "--temperature", "1.5", "--top-k", "3", "--seed", "2");
    const cJSON *generated = get(json, "generated"), *step;
    assert_int_equal(cJSON_GetArraySize(generated), 4);
    cJSON_ArrayForEach(step, generated)
    {
        const cJSON *next = get(step, "next"), *one;
        int left = 0, place = 0, found = -1;
        double sum = 0;
        cJSON_ArrayForEach(one, next)
        {
            left += cJSON_GetNumberValue(get(one, "left")) > 0;
            sum += cJSON_GetNumberValue(get(one, "left"));
            if (number_of(one, "id") == number_of(step, "id"))
                found = place;
            place++;
        }
        assert_int_equal(left, 3);
        assert_float_equal(sum, 1, 1e-5);
        assert_in_range(found, 0, 2);
    }
    sac_arrays *arrays;
    assert_int_equal(sac_arrays_open(here("steps.npz"), &arrays, NULL), SAC_OK);
    const sac_array *rows = sac_arrays_find(arrays, "generated_rows");
    assert_non_null(rows);
    size_t tokens = rows->shape[1];
    assert_int_equal(rows->shape[0], 4);
    for (size_t s = 0; s < 4; s++) {
        const float *row = (const float *)rows->data + s * tokens;
        double sum = 0;
        for (size_t j = 0; j < tokens; j++) {
            sum += (double)row[j];
            assert_true(j < tokens - 4 + s || row[j] == 0);
        }
        assert_float_equal(sum, 1, 1e-4);
    }
    sac_arrays_close(arrays);
    PASSES("steps.npz", "--png", "again.png", "--size", "640x400");
    cJSON_Delete(json);
    FAILS(2, "--top-p: is out of range; …", REFERENCES "/gpt2", "--text", "a", "--continue", "1",
          "--top-p", "1.5", "--json");
}

/* That the tokens of a list from `first` on are those, and no others follow where it should be `all`. */
static void assert_ids(const cJSON *list, int first, const cJSON *expected, bool all,
                       const char *name)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, expected)
    {
        const cJSON *id = cJSON_GetArrayItem(list, first++);
        if (!id || (cJSON_IsObject(id) ? number_of(id, "id") : id->valuedouble) != one->valuedouble)
            fail_msg("%s: token %d is not %d", name, first - 1, one->valueint);
    }
    assert_true(!all || cJSON_GetArraySize(list) == first);
}

static void write_json(const char *path, const cJSON *json)
{
    char *text = cJSON_PrintUnformatted(json);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
    free(text);
}

/* The model of a case, with the case's tokenizer in place of its own. */
static const char *with_tokenizer(const cJSON *one)
{
    static char place[96];
    char command[700], path[160];
    snprintf(place, sizeof place, "%s", here("continued"));
    snprintf(command, sizeof command,
             "mkdir -p %s && cd " REFERENCES "/%s && cp config.json generation_config.json "
             "model.safetensors %s",
             place, text_of(one, "model"), place);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/tokenizer.json", place);
    write_json(path, get(one, "tokenizer"));
    snprintf(path, sizeof path, "%s/tokenizer_config.json", place);
    write_json(path, get(one, "config"));
    return place;
}

/* The text of what a model goes on with is decode(ids, skip_special_tokens=True) of transformers, whole, by
 * tokenizers of every kind (make_continued.py). */
TEST(a_continuation_reads_as_transformers_decodes_it)
{
    THOROUGH_ONLY;
    cJSON *reference;
    assert_int_equal(sac_json_load(REFERENCES "/continued.json", &reference, NULL), SAC_OK);
    const cJSON *one, *run;
    char count[16];
    snprintf(count, sizeof count, "%d", (int)number_of(reference, "count"));
    cJSON_ArrayForEach(one, get(reference, "cases"))
    {
        const char *model = with_tokenizer(one), *name = text_of(one, "name");
        cJSON_ArrayForEach(run, get(one, "runs"))
        {
            const char *expected = text_of(run, "continuation");
            cJSON *json = JSON_OF(model, "--text", text_of(run, "text"), "--continue", count,
                                  "--json", "--device", "cpu");
            assert_ids(get(json, "ids"), 0, get(run, "ids"), false, name);
            assert_ids(get(json, "ids"), cJSON_GetArraySize(get(run, "ids")), get(run, "generated"),
                       true, name);
            assert_ids(get(json, "generated"), 0, get(run, "generated"), true, name);
            if (strcmp(text_of(json, "continuation"), expected) != 0)
                fail_msg("%s: “%s”, not “%s”", name, text_of(json, "continuation"), expected);
            cJSON_Delete(json);
        }
        folder_remove(model);
    }
    cJSON_Delete(reference);
}

TEST(the_same_seed_draws_the_same)
{
    cJSON *one = JSON_OF(REFERENCES "/gpt2", "--text", "the", "--continue", "20", "--temperature",
                         "2", "--seed", "7", "--json", "--device", "cpu");
    cJSON *other = JSON_OF(REFERENCES "/gpt2", "--text", "the", "--continue", "20", "--temperature",
                           "2", "--seed", "7", "--json", "--device", "cpu");
    assert_string_equal(text_of(one, "continuation"), text_of(other, "continuation"));
    cJSON_Delete(one);
    cJSON_Delete(other);
}

static int number_at(const cJSON *list, int index)
{
    return (int)cJSON_GetNumberValue(cJSON_GetArrayItem(list, index));
}

TEST(heads_are_ranked_by_a_pair_or_a_pattern)
{
    cJSON *json = WRITE_ALL("asked", REFERENCES "/gpt2", "--text", "the bank of the bank", "--ask",
                            "bank the");
    const cJSON *asked = get(json, "asked"), *heads = get(asked, "heads"), *head;
    assert_int_equal(cJSON_GetArraySize(heads), 9);
    assert_int_equal(number_at(get(asked, "pair"), 0), 6); /* "of" has three tokens */
    assert_int_equal(number_at(get(asked, "pair"), 1), 5);
    double before = 1;
    cJSON_ArrayForEach(head, heads)
    {
        assert_true(cJSON_GetNumberValue(get(head, "weight")) <= before);
        before = cJSON_GetNumberValue(get(head, "weight"));
    }
    assert_png_text(here("asked.png"), "ask", "6 5");
    cJSON_Delete(json);
    json = JSON_OF(REFERENCES "/gpt2", "--text", "the bank of the bank", "--ask", "duplicate",
                   "--json", "--device", "cpu");
    assert_string_equal(text_of(get(json, "asked"), "pattern"), "duplicate");
    assert_int_equal(cJSON_GetArraySize(get(get(json, "asked"), "heads")), 9);
    cJSON_Delete(json);
    FAILS(2, "--ask: \"dog\" is none of the …", REFERENCES "/gpt2", "--text", "the bank", "--ask",
          "dog the", "--json");
}

/* Texts are held against transformers in the test `chats`. */
TEST(a_conversation_is_continued_and_each_turn_has_its_share)
{
    FAILS(2, "--chat: …is no turn of a conversation; …", REFERENCES "/llama", "--chat", "bank",
          "--json");
    FAILS(1, "…has no chat template; …", REFERENCES "/llama", "--chat", "user: bank", "--json");
    FAILS(2, "--chat: is given beside --text; …", REFERENCES "/llama", "--chat", "user: a",
          "--text", "a", "--json");
    FAILS(2, "--chat: needs the folder of a model; …", "--chat", "user: a", "--json");
    FAILS(2, "--chat: needs a model that continues texts, …", REFERENCES "/vit", "--chat",
          "user: a", "--json");
}

/* Weights of pairs are held against transformers in the test `segments`. */
TEST(a_pair_is_read_as_one_and_shown_in_parts)
{
    cJSON *json = JSON_OF(REFERENCES "/bert", "--text", "the bank", "--text-pair", "a river",
                          "--segments", "B-A", "--special", "hidden", "--json");
    PASSES(REFERENCES "/bert", "--text", "the bank", "--text-pair", "a river", "--segments", "B-A",
           "--special", "hidden", "--npz", "pair.npz");
    const cJSON *types = get(json, "token_type_ids"), *part = get(json, "part"),
                *weight = get(part, "weight");
    assert_string_equal(text_of(json, "text"), "the bank [SEP] a river");
    assert_int_equal(cJSON_GetArraySize(types), 7);
    for (int i = 0; i < 7; i++)
        assert_int_equal(number_at(types, i), i >= 4);
    assert_string_equal(text_of(part, "segments"), "B-A");
    assert_string_equal(text_of(part, "special_tokens"), "hidden");
    const cJSON *head = cJSON_GetArrayItem(cJSON_GetArrayItem(weight, 0), 0);
    assert_in_range((int)(1000 * cJSON_GetNumberValue(head)), 1, 999);
    cJSON_Delete(json);
    sac_arrays *arrays;
    OK(sac_arrays_open(here("pair.npz"), &arrays, &failure));
    const sac_array *weights = sac_arrays_find(arrays, "attentions"),
                    *labels = sac_arrays_find(arrays, "attentions_row_labels");
    assert_int_equal(weights->shape[3], 3); /* a river [SEP] … */
    assert_int_equal(weights->shape[4], 4); /* … at [CLS] the bank [SEP] */
    const float *row = weights->data;
    assert_true(row[0] == 0 && row[3] == 0 && row[1] > 0 && row[2] > 0);
    assert_string_equal(((const char *const *)labels->data)[1], "river");
    sac_arrays_close(arrays);
    PASSES("pair.npz", "--png", "pair.png", "--size", "640x400");
    json = JSON_OF(REFERENCES "/xlm_roberta", "--text", "the bank", "--text-pair", "a river",
                   "--json");
    assert_string_equal(text_of(json, "text"), "the bank </s></s> a river");
    cJSON_Delete(json);
    PASSES(REFERENCES "/xlm_roberta", "--text", "the bank", "--text-pair", "a river", "--segments",
           "B-A", "--png", "roberta.png", "--size", "640x400");
    PASSES("roberta.png", "--follow", "--segments", "A-A", "--png", "again.png"); /* as a pair */
    FAILS(2, "--text-pair: is given without --text; …", REFERENCES "/bert", "--text-pair", "a",
          "--json");
    FAILS(2, "--text-pair: is not a pair with --text; …", REFERENCES "/bert", "--text", "a",
          "--text-pair", " ", "--json");
    FAILS(2, "--text-pair: …does not read two texts as a pair…", REFERENCES "/gpt2", "--text", "a",
          "--text-pair", "the", "--json");
    FAILS(2, "--segments: needs a pair of texts…", REFERENCES "/bert", "--text", "a", "--segments",
          "A-B", "--json");
    FAILS(2, "--special: needs special tokens…", REFERENCES "/gpt2", "--text", "the", "--special",
          "hidden", "--json");
}

/* Heads as such are held against transformers in the test `switched`. */
TEST(without_heads_other_words_are_generated_and_both_are_reported)
{
    cJSON *json = WRITE_ALL("off", REFERENCES "/gpt2", "--text", "the bank of", "--continue", "3",
                            "--without", "0.1,1.0");
    const cJSON *next = cJSON_GetArrayItem(get(json, "next"), 0),
                *all = get(json, "with_all_heads"), *token;
    assert_string_equal(text_of(json, "without"), "0.1,1.0");
    assert_string_equal(text_of(all, "output"), ". the the");
    assert_string_not_equal(text_of(json, "output"), ". the the");
    assert_string_equal(text_of(json, "output"), text_of(json, "continuation"));
    assert_true(cJSON_GetNumberValue(get(json, "change")) > 0.01);
    cJSON_ArrayForEach(token, get(all, "next")) if (number_of(token, "id") == number_of(next, "id"))
    {
        assert_float_equal(cJSON_GetNumberValue(get(token, "without")),
                           cJSON_GetNumberValue(get(next, "probability")), 1e-6);
        assert_float_not_equal(cJSON_GetNumberValue(get(token, "probability")),
                               cJSON_GetNumberValue(get(next, "probability")), 1e-4);
    }
    cJSON_Delete(json);
    FAILS(2, "--without: 9.0 is none of 3 layers × 3 heads; …", REFERENCES "/gpt2", "--text", "a",
          "--without", "9.0", "--json");
    FAILS(2, "--without: \"x\" is not a head; …", REFERENCES "/gpt2", "--text", "a", "--without",
          "x", "--json");
    FAILS(2, "--without: needs heads that are computed here…", "off.npz", "--without", "0.1",
          "--png", "off2.png");
}

/* The same of a generation for a picture, or for a sentence: heads are named by their kinds. The words
 * themselves are held against transformers in the test `word_by_word`. */
static void check_token_run(cJSON *json, const char *model, const char *without)
{
    const cJSON *all = get(json, "with_all_heads"), *word;
    assert_string_equal(text_of(json, "without"), without);
    assert_string_equal(text_of(json, "output"), text_of(json, "continuation"));
    assert_string_not_equal(text_of(json, "output"), text_of(all, "output"));
    assert_true(cJSON_GetArraySize(get(json, "generated")) > 0);
    assert_string_equal(text_of(json, "model"), model);
    cJSON_ArrayForEach(word, get(json, "generated"))
    {
        const cJSON *first = cJSON_GetArrayItem(get(word, "next"), 0);
        double left = 0;
        const cJSON *one;
        cJSON_ArrayForEach(one, get(word, "next")) left += number_of(one, "left");
        assert_true(left > 0 && left < 1.001);
        assert_true(cJSON_GetNumberValue(get(word, "probability")) <=
                    cJSON_GetNumberValue(get(first, "probability")));
        assert_true(text_of(word, "token")[0]);
    }
    cJSON_Delete(json);
}

TEST(captions_answers_and_translations_are_generated_word_by_word_and_without_heads)
{
    sac_arrays *arrays;
    sac_error error = {0};
    check_token_run(JSON_OF(REFERENCES "/blip", PICTURES "/harbour.png", "--continue", "6",
                            "--without", "0.1,encoder:0.0", "--json", "--npz", "run.npz"),
                    "blip", "0.1,encoder:0.0");
    assert_int_equal(sac_arrays_open(here("run.npz"), &arrays, &error), SAC_OK);
    const sac_array *rows = sac_arrays_find(arrays, "generated_rows"),
                    *tokens = sac_arrays_find(arrays, "tokens");
    assert_non_null(sac_arrays_find(arrays, "generated_cells"));
    assert_int_equal(rows->shape[1], tokens->shape[0]);
    for (size_t s = 0; s < rows->shape[0]; s++) /* a lower triangle */
        for (size_t c = rows->shape[1] - rows->shape[0] + s; c < rows->shape[1]; c++)
            assert_true(((const float *)rows->data)[s * rows->shape[1] + c] == 0);
    sac_arrays_close(arrays);
    check_token_run(JSON_OF(REFERENCES "/marian", "--text", "the cat sees the red house",
                            "--without", "cross:0.0,encoder:1.1", "--json"),
                    "marian", "cross:0.0,encoder:1.1");
    check_token_run(JSON_OF(REFERENCES "/llava", REFERENCES "/llava/picture.png", "--text",
                            "the bank", "--without", "0.0,1.1", "--json"),
                    "llava", "0.0,1.1");
    FAILS(2, "heads: 0.1 are of its cross, …", REFERENCES "/git", PICTURES "/harbour.png",
          "--without", "cross:0.1", "--json");
    PASSES(REFERENCES "/marian", "--text", "the cat", "--tab", "next", "--png", "next.png",
           "--size", "640x400");
}

/* ---------------------------------------------------------------- pictures */

static void check_grid(const char *option, int across, int down)
{
    cJSON *json = JSON_OF(REFERENCES "/dinov2_with_registers", PICTURES "/harbour.png", "--json",
                          "--device", "cpu", option);
    const cJSON *grid = get(json, "grid");
    assert_int_equal(number_at(grid, 0), across);
    assert_int_equal(number_at(grid, 1), down);
    assert_texts(get(json, "tokens"), (const char *const[]){"class", "register 1", "register 2",
                                                            "register 3", "register 4", NULL});
    cJSON_Delete(json);
}

TEST(a_picture_is_seen_whole_or_as_the_model_was_trained)
{
    check_grid(NULL, 8, 5); /* 960 × 640 */
    check_grid("--as-trained", 5, 5);
}

TEST(arrays_of_a_picture_open_over_it)
{
    DONE(REFERENCES "/vit", PICTURES "/garden.png", "--npz", "seen.npz", "--device", "cpu");
    PASSES("seen.npz", "--png", "seen.png", "--size", "640x400");
}

/* Writes into `again` what the program shows of the picture `png` that it made. */
static void open_again(const char *png, const char *again)
{
    PASSES(png, "--follow", "--png", again, "--size", "640x400", "--device", "cpu");
}

/* One file of a folder is the model; its weights by themselves, or those of a model that has none of its own
 * arrays named as attention, ask which model they are of. */
TEST(a_file_of_a_model_opens_the_model_or_asks_which_it_is)
{
    static const char *const parts[] = {"model.safetensors", "config.json", "tokenizer.json"};
    static const char *const models[] = {"gpt2", "bert", "dinov2"};
    char path[512];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(path, sizeof path, "%s/gpt2/%s", REFERENCES, parts[i]);
        PASSES(path, "--png", here("part.png"), "--size", "640x400", "--device", "cpu");
        assert_png_text(here("part.png"), "file", REFERENCES "/gpt2");
    }
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        size_t size;
        snprintf(path, sizeof path, "%s/%s/model.safetensors", REFERENCES, models[i]);
        char *bytes = file_read(path, &size);
        file_write(here("lone.safetensors"), bytes, size);
        free(bytes);
        FAILS(1,
              "…lone.safetensors: holds the weights of a model, and no attention: which model?; "
              "give the folder of the model, with its config.json…",
              here("lone.safetensors"), "--png", here("part.png"), "--device", "cpu");
    }
}

/* The folder and the picture are in the PNG. */
TEST(a_picture_of_what_a_model_saw_opens_as_that)
{
    open_again(here("saw.png"), here("again.png"));
    for (int i = 0; i < 6; i++) {
        static const char *const keys[] = {"view", "file", "image", "layer", "query", "grid"};
        char *was = png_text(here("saw.png"), keys[i]);
        assert_true(was && was[0]);
        assert_png_text(here("again.png"), keys[i], was);
        free(was);
    }
}

/* Beside a folder it is a picture like others. */
TEST(a_model_sees_a_picture_that_was_saved_as_it_is)
{
    DONE(REFERENCES "/dinov2", "saw.png", "--png", "seen.png", "--size", "640x400", "--device",
         "cpu");
    assert_png_text(here("seen.png"), "file", REFERENCES "/dinov2");
    assert_png_text(here("seen.png"), "image", "saw.png"); /* beside it */
    DONE(REFERENCES "/dinov2", PICTURES "/garden.png", "saw.png", "--png", "seen.png", "--size",
         "640x400", "--device", "cpu");
    assert_png_text(here("seen.png"), "second image", "saw.png");
}

/* A picture and phrases: numbers, and a PNG that knows them. */
TEST(phrases_are_compared_with_a_picture)
{
    cJSON *json = JSON_OF(REFERENCES "/clip", "saw.png", "--text", "a dog | cat", "--likeness",
                          "values", "--json", "--npz", "like.npz", "--png", "like.png", "--size",
                          "640x400", "--device", "cpu");
    const cJSON *second = cJSON_GetArrayItem(get(json, "phrases"), 1), *grid = get(json, "grid");
    assert_string_equal(text_of(json, "likeness"), "values");
    assert_string_equal(text_of(second, "phrase"), "cat");
    assert_int_equal(cJSON_GetArraySize(get(second, "patches")),
                     cJSON_GetArrayItem(grid, 0)->valueint * cJSON_GetArrayItem(grid, 1)->valueint);
    cJSON_Delete(json);
    assert_png_text(here("like.png"), "sentence", "a dog | cat");
    assert_png_text(here("like.png"), "likeness", "values");
    DONE("--follow", "like.png", "--png", "again.png", "--size", "640x400", "--device", "cpu");
    assert_png_text(here("again.png"), "sentence", "a dog | cat");
    DONE(REFERENCES "/clip", "saw.png", PICTURES "/garden.png", "--text", "a dog", "--json",
         "--png", "like.png", "--size", "640x400", "--device", "cpu"); /* side by side */
    assert_png_text(here("like.png"), "view", "likeness");
    FAILS_WITH(2, "reads no text", REFERENCES "/vit", "saw.png", "--text", "a dog", "--json");
    FAILS_WITH(2, "phrases: there is none", REFERENCES "/clip", "saw.png", "--text", "|", "--json");
}

/* The best first, whether they are turned to one after the other or stand side by side; a score is the sum of those of words. */
static void check_ranked_pages(int pages)
{
    const char *rest = ran.out;
    double before = INFINITY;
    for (int i = 0; i < pages; i++) {
        cJSON *page = cJSON_ParseWithOpts(rest, &rest, false);
        const cJSON *word;
        double sum = 0, score = number_of(page, "score");
        assert_int_equal(number_of(page, "rank"), i + 1);
        assert_string_equal(text_of(page, "query"), "the bank");
        cJSON_ArrayForEach(word, get(page, "words")) sum += number_of(word, "score");
        assert_true(fabs(sum - score) < 1e-3 && score < before);
        before = score;
        cJSON_Delete(page);
    }
    assert_int_equal(strspn(rest, "\n"), strlen(rest));
}

TEST(pages_are_ranked_by_a_query)
{
    DONE(REFERENCES "/colqwen2", "saw.png", PICTURES "/garden.png", PICTURES "/harbour.png",
         "--text", "the bank", "--json", "--device", "cpu");
    check_ranked_pages(3);
    DONE(REFERENCES "/colpali", "saw.png", PICTURES "/garden.png", "--text", "the bank", "--json",
         "--device", "cpu");
    check_ranked_pages(2);
    FAILS_WITH(2, "compares each token", REFERENCES "/colqwen2", "saw.png", "--text", "the bank",
               "--likeness", "values", "--json", "--device", "cpu");
}

/* What is found in a picture: boxes in its pixels, and a PNG that knows what was chosen. */
TEST(things_are_found_in_a_picture)
{
    cJSON *json = JSON_OF(REFERENCES "/detr", PICTURES "/garden.png", "--json", "--npz", "f.npz",
                          "--png", "f.png", "--size", "640x400", "--threshold", "0.1", "--layer",
                          "1", "--device", "cpu");
    const cJSON *found = get(json, "found"), *grid = get(json, "grid"), *first;
    int cells = cJSON_GetArrayItem(grid, 0)->valueint * cJSON_GetArrayItem(grid, 1)->valueint;
    assert_true(cJSON_GetArraySize(found) > 0);
    first = cJSON_GetArrayItem(found, 0);
    assert_int_equal(cJSON_GetArraySize(get(first, "box")), 4);
    assert_int_equal(cJSON_GetArraySize(get(first, "attention")), cells);
    assert_true(get(first, "score")->valuedouble > 0.1);
    cJSON_Delete(json);
    assert_png_text(here("f.png"), "view", "found");
    assert_png_text(here("f.png"), "threshold", "0.100000001");
    assert_png_text(here("f.png"), "layer", "1");
    DONE("--follow", "f.png", "--png", "again.png", "--size", "640x400", "--device", "cpu");
    assert_png_text(here("again.png"), "layer", "1");
    json = JSON_OF(REFERENCES "/detr", PICTURES "/garden.png", "--json", "--threshold", "1",
                   "--device", "cpu");
    assert_int_equal(cJSON_GetArraySize(get(json, "found")), 0);
    cJSON_Delete(json);
    FAILS_WITH(2, "--threshold: \"2\" is not a valid value", REFERENCES "/detr",
               PICTURES "/garden.png", "--threshold", "2", "--json");
    json = JSON_OF(PICTURES "/garden.png", REFERENCES "/detr", "--json", "--threshold", "0.1",
                   "--device", "cpu"); /* the model behind its picture */
    assert_true(cJSON_GetArraySize(get(json, "found")) > 0);
    cJSON_Delete(json);
    /* What finds them has three layers of two heads, the encoder two of four. */
    DONE(REFERENCES "/detr", PICTURES "/garden.png", "--png", "last.png", "--size", "640x400",
         "--layer", "2", "--head", "1", "--device", "cpu");
    assert_png_text(here("last.png"), "layer", "2");
    FAILS(2, "--layer: 3 …; layer goes from 0 to 2 in detr, garden.png", REFERENCES "/detr",
          PICTURES "/garden.png", "--layer", "3", "--json", "--device", "cpu");
    FAILS(2, "--layer: 2 …; layer goes from 0 to 1 in detr, garden.png", REFERENCES "/detr",
          PICTURES "/garden.png", "--layer", "2", "--tab", "heads", "--png", "heads.png",
          "--device", "cpu");
    FAILS(2, "--head: 2 …; head goes from 0 to 1 in detr, garden.png", REFERENCES "/detr",
          PICTURES "/garden.png", "--head", "2", "--json", "--device", "cpu");
}

/* What other layers mix is not in a product of attentions. */
TEST(layers_that_mix_tokens_otherwise_have_no_rollout)
{
    static const char *const folders[] = {REFERENCES "/qwen3_next", REFERENCES "/falcon_h1"};
    for (int i = 0; i < 2; i++)
        FAILS_WITH(2, "rollout: is of layers that mix tokens by attention alone", folders[i],
                   "--text", "a cat sits", "--reduce", "rollout", "--png", "no.png", "--device",
                   "cpu");
}

TEST(a_mistake_with_a_picture_is_one_line)
{
    FAILS_WITH(2, "is a vision model and needs a picture; give the folder and a picture",
               REFERENCES "/vit", "--json");
    FAILS_WITH(2, "needs a picture", REFERENCES "/vit", REFERENCES "/vit/config.json", "--json");
}

/* The left and the right half of garden.png, of 870 × 580 pixels, and all of it. */
#define HALVES                                                                                     \
    "{\"objects\":[{\"words\":[\"left\"],\"boxes\":[[0,0,435,580]]},"                              \
    "{\"words\":[\"right\"],\"boxes\":[[435,0,870,580]]},"                                         \
    "{\"words\":[\"all\"],\"boxes\":[[0,0,870,580]]}]}"

static double of_head(const cJSON *object, const char *name, int layer, int head)
{
    const cJSON *heads = cJSON_GetArrayItem(get(object, name), layer);
    const cJSON *item = cJSON_GetArrayItem(heads, head);
    assert_non_null(item);
    return cJSON_IsBool(item) ? cJSON_IsTrue(item) : cJSON_GetNumberValue(item);
}

TEST(each_head_s_gaze_at_a_picture_is_held_to_boxes)
{
    file_write(here("halves.json"), HALVES, strlen(HALVES));
    cJSON *json = JSON_OF(REFERENCES "/vit", PICTURES "/garden.png", "--boxes", "halves.json",
                          "--json", "--device", "cpu");
    const cJSON *objects = get(json, "objects");
    const cJSON *left = cJSON_GetArrayItem(objects, 0), *right = cJSON_GetArrayItem(objects, 1);
    const cJSON *all = cJSON_GetArrayItem(objects, 2);
    assert_int_equal(cJSON_GetArraySize(objects), 3);
    assert_float_equal(number_of(left, "box_share"), 0.5, 1e-6);
    for (int i = 0; i < 9; i++) {
        int layer = i / 3, head = i % 3;
        double mass = of_head(left, "mass", layer, head);
        assert_true(mass > 0 && mass < 1);
        assert_float_equal(mass + of_head(right, "mass", layer, head), 1, 1e-5);
        assert_float_equal(of_head(all, "mass", layer, head), 1, 1e-5);
        assert_true(of_head(all, "inside", layer, head) == 1);
        assert_true(of_head(left, "inside", layer, head) + of_head(right, "inside", layer, head) ==
                    1);
    }
    cJSON_Delete(json);
}

/* Of one model, and of two side by side. */
TEST(boxes_are_shown_in_pictures_of_what_only_sees)
{
    file_write(here("halves.json"), HALVES, strlen(HALVES));
    DONE(REFERENCES "/vit", PICTURES "/garden.png", "--boxes", "halves.json", "--png", "boxed.png",
         "--device", "cpu");
    assert_png_text(here("boxed.png"), "truth", "on");
    DONE(REFERENCES "/vit", REFERENCES "/dinov2", PICTURES "/garden.png", "--boxes", "halves.json",
         "--png", "boxed.png", "--device", "cpu");
    assert_png_text(here("boxed.png"), "view", "heads");
    assert_png_text(here("boxed.png"), "truth", "on");
}

TEST(pictures_are_reported_one_after_the_other)
{
    DONE(REFERENCES "/vit", PICTURES, "--json", "--device", "cpu");
    const char *first = strstr(ran.out, "vit, garden.png"), *next = strstr(ran.out, "\n}\n{\n");
    assert_true(first && next && first < next && strstr(next, "vit, harbour.png"));
}

TEST(a_mistake_with_boxes_is_one_line)
{
    file_write(here("halves.json"), HALVES, strlen(HALVES));
    FAILS_WITH(2, "--boxes: needs a picture, but ", REFERENCES "/bert", "--boxes", "halves.json",
               "--json");
    FAILS(2, "--boxes: refers to the whole picture; leave out --as-trained", REFERENCES "/vit",
          PICTURES "/garden.png", "--as-trained", "--boxes", "halves.json", "--json");
    FAILS_WITH(2, "--boxes: works with one picture, but ", REFERENCES "/vit", PICTURES, "--boxes",
               "halves.json", "--json");
    RUN(REFERENCES "/vit", PICTURES "/garden.png", "--boxes", PICTURES "/garden.png", "--json");
    assert_int_equal(ran.status, 1);
}

TEST(a_mistake_is_one_line)
{
    FAILS(2, "bert: has no language-model head; leave out --continue", REFERENCES "/bert", "--text",
          "a", "--continue", "3", "--json");
    FAILS_WITH(2, "is given, but the model reads text", REFERENCES "/bert", PICTURES "/garden.png",
               "--json");
    FAILS(2, "--layer: 3 …; layer goes from 0 to 2 in bert", REFERENCES "/bert", "--layer", "3",
          "--png", "no.png");
    FAILS_WITH(2, "--layer: 3 is out of range", "view", REFERENCES "/bert", "--layer", "3",
               "--json");
    FAILS(2, "--json: needs a pretrained model; give a folder with config.json, or --continue N",
          PICTURES "/garden.png", "--json");
}

/* ---------------------------------------------------------------- side by side */

static void check_pair(const char *files[3], const char *second_file, const char *second_image)
{
    DONE(files[0], files[1], files[2], "--layer", "2", "--head", "1", "--query", "3,1", "--png",
         "first.png", "--size", "800x500", "--device", "cpu");
    assert_png_text(here("first.png"), "view", "heads");
    assert_png_text(here("first.png"), "second layer", "2");
    assert_png_text(here("first.png"), "second head", "1");
    assert_png_text(here("first.png"), "second file", second_file);
    assert_png_text(here("first.png"), "second image", second_image);
    PASSES("first.png", "--follow", "--png", "again.png", "--size", "800x500", "--device", "cpu");
    assert_same_pixels(here("first.png"), here("again.png"));
}

TEST(two_photographs_stand_side_by_side_and_open_again)
{
    THOROUGH_ONLY;
    const char *files[3] = {REFERENCES "/vit", PICTURES "/garden.png", PICTURES "/harbour.png"};
    check_pair(files, REFERENCES "/vit", PICTURES "/harbour.png");
}

TEST(two_models_stand_side_by_side_and_open_again)
{
    const char *files[3] = {REFERENCES "/vit", REFERENCES "/dinov2", PICTURES "/garden.png"};
    check_pair(files, REFERENCES "/dinov2", PICTURES "/garden.png");
}

/* Else it captions each, as below. */
TEST(a_captioner_s_pictures_stand_so_where_that_is_asked_for)
{
    DONE(REFERENCES "/blip", PICTURES "/garden.png", PICTURES "/harbour.png", "--tab", "pair",
         "--png", "eyes.png", "--size", "640x400", "--device", "cpu");
    assert_png_text(here("eyes.png"), "view", "heads");
}

/* ---------------------------------------------------------------- two captions */

/* The sentence of a run's line of JSON. */
static void take_sentence(const char *line, char *text, size_t size)
{
    cJSON *json = cJSON_Parse(line);
    assert_non_null(json);
    snprintf(text, size, "%s", text_of(json, "caption"));
    cJSON_Delete(json);
}

/* A model's caption of a picture alone; each is generated once. */
static const char *alone(const char *model, const char *picture)
{
    static struct {
        const char *model, *picture;
        char generated[512];
    } asked[8];
    size_t i = 0;
    for (; i < sizeof asked / sizeof *asked && asked[i].model; i++)
        if (strcmp(asked[i].model, model) == 0 && strcmp(asked[i].picture, picture) == 0)
            return asked[i].generated;
    assert_true(i < sizeof asked / sizeof *asked);
    program_run run = {0};
    run_saccade(&run, model, picture, "--json", "--device", "cpu", NULL);
    assert_done(&run);
    take_sentence(run.out, asked[i].generated, sizeof asked[i].generated);
    asked[i].model = model;
    asked[i].picture = picture;
    return asked[i].generated;
}

static void assert_same_bytes(const char *path, const char *other)
{
    char command[256];
    snprintf(command, sizeof command, "cmp '%s' '%s'", path, other);
    assert_int_equal(system(command), 0);
}

/* Each line of JSON has its model's caption of its picture alone. */
static void assert_sentences(const char *lines, const char *files[3], const char *second_file)
{
    bool models = second_file != files[0];
    const char *expected[] = {alone(files[0], files[models ? 2 : 1]), alone(second_file, files[2])};
    for (int i = 0; i < 2; i++, lines = strchr(lines, '\n') + 1) {
        char together[512];
        take_sentence(lines, together, sizeof together);
        assert_string_equal(together, expected[i]);
    }
}

/* The captions of two are those of each alone, in JSON and in the rows of the table that is shown; and the
 * picture of it opens as that. */
static void check_two_captions(const char *files[3], const char *second_file)
{
    PASSES(files[0], files[1], files[2], "--json", "--layer", "1", "--head", "2", "--png",
           "two.png", "--tsv", "a.tsv", "--size", "640x400", "--device", "cpu");
    assert_sentences(ran.out, files, second_file);
    assert_png_text(here("two.png"), "view", "caption");
    assert_png_text(here("two.png"), "second file", second_file);
    assert_png_text(here("two.png"), "second image", files[2]);
    PASSES("two.png", "--follow", "--png", "two again.png", "--tsv", "b.tsv", "--size", "640x400",
           "--device", "cpu");
    assert_png_text(here("two again.png"), "layer", "1");
    assert_png_text(here("two again.png"), "second file", second_file);
    assert_same_bytes(here("a.tsv"), here("b.tsv"));
}

TEST(two_photographs_captions_stand_side_by_side_and_open_again)
{
    THOROUGH_ONLY;
    const char *files[3] = {REFERENCES "/blip", PICTURES "/garden.png", PICTURES "/harbour.png"};
    check_two_captions(files, files[0]);
}

TEST(two_captioners_stand_side_by_side_and_open_again)
{
    THOROUGH_ONLY;
    const char *of_layers[3] = {REFERENCES "/blip", REFERENCES "/vit_gpt2",
                                PICTURES "/harbour.png"};
    check_two_captions(of_layers, of_layers[1]);
    const char *without[3] = {REFERENCES "/blip", REFERENCES "/show_attend_tell",
                              PICTURES "/harbour.png"};
    check_two_captions(without, without[1]);
}

/* The frames of the longer sentence. */
TEST(two_captions_are_played_as_one)
{
    PASSES(REFERENCES "/blip", REFERENCES "/vit_gpt2", PICTURES "/harbour.png", "--apng",
           "two.apng", "--size", "320x200", "--fps", "5", "--device", "cpu");
    assert_png_text(here("two.apng"), "view", "caption");
}

TEST(caption_by_a_translator_names_what_it_reads)
{
    FAILS(2, REFERENCES "/m2m_100: reads texts, and no pictures; give the folder of a captioner",
          "caption", "--weights", REFERENCES "/m2m_100", PICTURES "/garden.png", "--device", "cpu");
}

TEST(what_cannot_stand_side_by_side_is_one_line)
{
    THOROUGH_ONLY;
    REFUSED(
        "--png no.png --device cpu",
        {2,
         REFERENCES "/bert: …cannot be compared with " REFERENCES "/vit; give …",
         {REFERENCES "/vit", REFERENCES "/bert", PICTURES "/garden.png"}},
        {2,
         REFERENCES "/marian: …cannot be compared with " REFERENCES "/vit; give …",
         {REFERENCES "/marian", REFERENCES "/vit", PICTURES "/garden.png"}},
        {2,
         REFERENCES "/show_attend_tell: …cannot be compared with " REFERENCES "/vit; give …",
         {REFERENCES "/show_attend_tell", REFERENCES "/vit", PICTURES "/garden.png"}},
        {2,
         REFERENCES "/dinov2: cannot be compared (models: 2, pictures: 0); give a folder and …",
         {REFERENCES "/vit", REFERENCES "/dinov2"}},
        {2,
         REFERENCES "/vit: cannot be compared (models: 1, pictures: 3); give a folder and …",
         {REFERENCES "/vit", PICTURES "/garden.png", PICTURES "/garden.png", PICTURES "/garden.png",
          "--tab", "pair"}},
        {1,
         "none.png: cannot be opened: …; check the name",
         {REFERENCES "/vit", PICTURES "/garden.png", "none.png"}},
        {2,
         "--tab: \"caption\" is not available here; there is: matrix, heads",
         {REFERENCES "/vit", REFERENCES "/blip", PICTURES "/garden.png", "--tab", "caption"}},
        {2,
         "--boxes: works with one picture, …; leave it out",
         {REFERENCES "/blip", PICTURES "/garden.png", PICTURES "/harbour.png", "--boxes",
          "b.json"}},
        {2,
         "--npz: works with one model and one picture; give one folder and one picture",
         {REFERENCES "/blip", REFERENCES "/vit_gpt2", PICTURES "/garden.png", "--npz", "no.npz"}},
        {2,
         "--layer: 7 …; layer goes from 0 to 1 in blip, garden.png",
         {REFERENCES "/blip", PICTURES "/garden.png", PICTURES "/harbour.png", "--layer", "7"}});
}

/* Its output is compared with that of transformers in the families' own test. */
TEST(a_captioner_names_what_is_in_a_photograph_and_where_it_looked)
{
    THOROUGH_ONLY;
    sac_arrays *arrays;
    sac_error error = {0};
    cJSON *json =
        JSON_OF("caption", "--weights", REFERENCES "/blip", PICTURES "/harbour.png", "--json",
                "--npz", "one.npz", "--layer", "1", "--head", "0", "--device", "cpu");
    int count = cJSON_GetArraySize(get(json, "words"));
    assert_true(count > 0);
    assert_int_equal(sac_arrays_open(here("one.npz"), &arrays, &error), SAC_OK);
    const sac_array *weights = sac_arrays_find(arrays, "weights");
    assert_int_equal(sac_array_count(weights), count * 5 * 5);
    cJSON *same = WRITE_ALL("same", REFERENCES "/blip", PICTURES "/harbour.png");
    assert_string_equal(text_of(same, "caption"), text_of(json, "caption"));
    sac_arrays_close(arrays);
    cJSON_Delete(json);
    cJSON_Delete(same);
}

/* Two heads of this model share values. Where they are held, and where nothing is, the same are found. */
TEST(heads_that_look_at_what_is_described_are_ranked)
{
    const char *place[] = {NULL, "--gaze=1,1"};
    char *found[2];
    for (int held = 0; held < 2; held++) {
        cJSON *json =
            JSON_OF("caption", "--weights", REFERENCES "/smolvlm", PICTURES "/harbour.png",
                    "--json", "--gaze-heads", "auto", place[held]);
        const cJSON *gaze = get(json, "gaze"), *ranked = get(gaze, "ranked"), *head;
        double before = 1;
        int chosen[3][4] = {{0}}, all = 0;
        assert_string_equal(text_of(gaze, "heads"), "auto");
        assert_true(!cJSON_GetObjectItem(gaze, "before") == !held);
        assert_int_equal(cJSON_GetArraySize(ranked), 3 * 4);
        cJSON_ArrayForEach(head, ranked)
        {
            const double score = number_of(head, "score");
            assert_true(score >= 0 && score <= before);
            before = score;
            assert_true(number_of(head, "on_picture") >= score - 1e-6);
            chosen[get(head, "layer")->valueint][get(head, "head")->valueint] =
                cJSON_IsTrue(get(head, "chosen"));
        }
        for (int i = 0; i < 6; i++) {
            assert_int_equal(chosen[i / 2][i % 2 * 2], chosen[i / 2][i % 2 * 2 + 1]);
            all += chosen[i / 2][i % 2 * 2];
        }
        assert_true(all > 0 && all < 6);
        if (!held)
            assert_int_equal(
                cJSON_GetArraySize(get(cJSON_GetArrayItem(get(json, "words"), 0), "box")), 4);
        found[held] = cJSON_PrintUnformatted(ranked);
        cJSON_Delete(json);
    }
    assert_string_equal(found[0], found[1]);
    free(found[0]);
    free(found[1]);
    PASSES("caption", "--weights", REFERENCES "/git", PICTURES "/harbour.png", "--gaze-heads",
           "auto", "--png", "heads.png", "--size", "640x400");
    assert_non_null(strstr(ran.out, "heads that look at what is described: "));
    assert_png_text(here("heads.png"), "gaze", "heads auto");
    DONE("heads.png", "--follow", "--png", "again.png", "--size", "640x400");
    assert_png_text(here("again.png"), "gaze", "heads auto");
    assert_same_pixels(here("heads.png"), here("again.png"));
}

/* They are those of what words look at, not of the encoder, which the tab has otherwise. */
TEST(heads_are_ranked_by_what_the_words_of_a_captioner_look_at)
{
    static const char *const models[][2] = {{REFERENCES "/git", "decoder"},
                                            {REFERENCES "/blip", "cross"}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        DONE(models[i][0], PICTURES "/harbour.png", "--tab", "heads", "--ask", "gaze", "--png",
             "ranked.png", "--size", "640x400");
        assert_png_text(here("ranked.png"), "array", models[i][1]);
        assert_png_text(here("ranked.png"), "heads that", "gaze");
    }
    /* Tokens of pieces of a picture are not its cells; of an encoder none are words. */
    static const char *const none[] = {REFERENCES "/idefics3", REFERENCES "/vit"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        FAILS(2, "--ask: …words that look at a picture, which none do; …", "view", none[i],
              PICTURES "/harbour.png", "--tab", "heads", "--ask", "gaze", "--png", "none.png");
}

/* Rounded numbers give slightly different probabilities. */
TEST(a_captioner_generates_in_bfloat16)
{
    THOROUGH_ONLY;
    cJSON *json[2];
    for (int i = 0; i < 2; i++)
        json[i] = JSON_OF("caption", "--weights", REFERENCES "/blip", PICTURES "/harbour.png",
                          "--json", "--storage", sac_model_storage_names[i]);
    double p[2];
    for (int i = 0; i < 2; i++) {
        p[i] = number_of(cJSON_GetArrayItem(get(json[i], "words"), 0), "probability");
        cJSON_Delete(json[i]);
    }
    assert_true(p[0] != p[1] && fabs(p[0] - p[1]) < 0.05 * p[0]);
    DONE("caption", "--weights", REFERENCES "/blip", PICTURES "/harbour.png", "--storage",
         "bfloat16", "--out", "stored.png");
    assert_png_text(here("stored.png"), "storage", "bfloat16");
    DONE("stored.png", "--follow", "--png", "again.png");
    assert_png_text(here("again.png"), "storage", "bfloat16");
    FAILS(2, "--storage: needs a pretrained captioner; leave it out, or give --weights FOLDER",
          "caption", PICTURES "/harbour.png", "--storage", "bfloat16");
    FAILS(2, "--storage: works with --pictures and a model only; leave it out", "evaluate",
          "captioner", "--storage", "bfloat16");
}

TEST(a_picture_of_a_caption_opens_as_that)
{
    PASSES("caption", "--weights", REFERENCES "/vit_gpt2", PICTURES "/harbour.png", "--layer", "1",
           "--png", "caption.png", "--size", "640x400", "--device", "cpu");
    open_again(here("caption.png"), here("again.png"));
    assert_png_text(here("again.png"), "view", "caption");
    assert_png_text(here("again.png"), "layer", "1");
}

/* Asks the folder `name` once more, with `beams` sentences in its generation_config.json. */
static const char *with_beams(const char *name, int beams)
{
    char command[512];
    snprintf(command, sizeof command,
             "cp -r %s/%s %s/%s && sed -i 's/\"num_beams\": [0-9]*/\"num_beams\": %d/' "
             "%s/%s/generation_config.json",
             REFERENCES, name, folder, name, beams, folder, name);
    assert_int_equal(system(command), 0);
    return here(name);
}

/* The folder `name` with more keys in its generation_config.json. */
static const char *with_keys(const char *name, const char *keys)
{
    char command[700];
    snprintf(command, sizeof command,
             "cp -r %s/%s %s/%s && sed -i 's/\"max_length\": [0-9]*,//; 0,/{/s/{/{%s, /' "
             "%s/%s/generation_config.json",
             REFERENCES, name, folder, name, keys, folder, name);
    assert_int_equal(system(command), 0);
    return here(name);
}

/* A text that is cut at the longest length is distinguished from one that the model ended. */
static void check_cut(const char *name, const char *keys, const char *input, const char *note)
{
    char model[96];
    snprintf(model, sizeof model, "%s", with_keys(name, keys));
    run_saccade(&ran, "caption", "--weights", model, input, "--device", "cpu", NULL);
    assert_int_equal(ran.status, 0);
    if (!strstr(ran.err, note))
        fail_msg("%s: no “%s” in: %s", name, note, ran.err);
    cJSON *json = JSON_OF(model, input, "--json", "--device", "cpu");
    assert_true(cJSON_IsFalse(get(json, "finished")));
    assert_non_null(strstr(text_of(json, "note"), note));
    assert_string_equal(text_of(json, "model"), name);
    cJSON_Delete(json);
    folder_remove(model);
}

TEST(a_caption_that_is_cut_reports_by_what)
{
    THOROUGH_ONLY;
    check_cut("git", "\"max_length\": 5", PICTURES "/harbour.png", "cut at 4 tokens (max_length)");
    check_cut("vit_gpt2", "\"max_new_tokens\": 4", PICTURES "/harbour.png",
              "cut at 4 tokens (max_new_tokens)");
}

/* What is not used of a folder is named in the terminal and in JSON, and not above each picture. */
TEST(notes_on_a_folder_are_reported_and_in_no_picture)
{
    THOROUGH_ONLY;
    static const char *const of[][2] = {{"/vit_gpt2", "caption"}, {"/beit", "heads"}};
    static const char unused[] = "tensors are not used: ";
    for (int i = 0; i < 2; i++) {
        char model[512];
        snprintf(model, sizeof model, "%s%s", REFERENCES, of[i][0]);
        PASSES(model, PICTURES "/harbour.png", "--tab", of[i][1], "--out", "noted.svg", "--out",
               "noted.html", "--size", "640x400");
        const char *named = strstr(ran.err, unused);
        assert_non_null(named);
        assert_null(strstr(named + 1, unused));
        for (int page = 0; page < 2; page++) {
            size_t size;
            char *text = file_read(here(page ? "noted.html" : "noted.svg"), &size);
            text[size] = '\0'; /* for which there is room */
            assert_null(strstr(text, "not used"));
            free(text);
        }
        cJSON *json = JSON_OF(model, PICTURES "/harbour.png", "--tab", of[i][1], "--json");
        assert_non_null(strstr(text_of(json, "note"), unused));
        cJSON_Delete(json);
    }
}

/* transformers has BLIP's text decoder generate, and BLIP-2's language model, which know no settings of the
 * folder, neither of generation_config.json nor of config.json. */
TEST(settings_of_generation_that_transformers_does_not_take_are_named_and_not_used)
{
    THOROUGH_ONLY;
    static const struct {
        const char *name, *keys, *text_keys, *named;
    } rows[] = {
        {"blip", "\"max_new_tokens\": 3, \"num_beams\": 2", NULL, "max_new_tokens"},
        {"blip2", "\"max_new_tokens\": 3, \"num_beams\": 2", NULL, "max_new_tokens"},
        {"blip2_t5", "\"max_new_tokens\": 3, \"num_beams\": 2", NULL, "max_new_tokens"},
        {"blip", "\"begin_suppress_tokens\": [5, 6, 7, 8]", NULL, "begin_suppress_tokens"},
        {"blip", "\"num_beams\": 1", "\"max_length\": 5", "max_length"},
        {"blip2", "\"num_beams\": 1", "\"max_length\": 5, \"repetition_penalty\": 1.5",
         "max_length"},
        {"blip2", "\"num_beams\": 1", "\"max_length\": 20",
         NULL}, /* the default, as in old files */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char plain[200], model[96], command[300], named[80];
        snprintf(plain, sizeof plain, REFERENCES "/%s", rows[i].name);
        cJSON *expected = JSON_OF("caption", "--weights", plain, PICTURES "/harbour.png", "--json",
                                  "--device", "cpu");
        snprintf(model, sizeof model, "%s", with_keys(rows[i].name, rows[i].keys));
        snprintf(command, sizeof command, "sed -i 's/\"text_config\": {/&%s, /' %s/config.json",
                 rows[i].text_keys ? rows[i].text_keys : "", model);
        assert_int_equal(rows[i].text_keys ? system(command) : 0, 0);
        cJSON *json = JSON_OF("caption", "--weights", model, PICTURES "/harbour.png", "--json",
                              "--device", "cpu");
        const cJSON *note = cJSON_GetObjectItem(json, "note");
        snprintf(named, sizeof named, "%s is not used", rows[i].named ? rows[i].named : "");
        assert_string_equal(text_of(json, "caption"), text_of(expected, "caption"));
        if (!rows[i].named != !(note && strstr(note->valuestring, named)))
            fail_msg("%s, %s: the note is “%s”", rows[i].name, rows[i].keys,
                     note ? note->valuestring : "");
        cJSON_Delete(json);
        cJSON_Delete(expected);
        folder_remove(model);
    }
}

/* max_length counts what stands before the answer, too. */
TEST(an_answer_that_is_cut_reports_by_what)
{
    THOROUGH_ONLY;
    cJSON *json = JSON_OF("caption", "--weights", REFERENCES "/llava",
                          REFERENCES "/llava/picture.png", "--json", "--device", "cpu");
    assert_string_equal(text_of(json, "model"), "llava");
    assert_true(cJSON_GetArraySize(get(json, "words")) > 1);
    cJSON_Delete(json);
    check_cut("llava", "\"max_length\": 12", REFERENCES "/llava/picture.png",
              "cut at 1 token (max_length)");
}

TEST(a_sound_that_is_cut_reports_by_what)
{
    check_cut("whisper", "\"max_length\": 12", REFERENCES "/whisper/sound.wav",
              "cut at 11 tokens (max_length)");
}

/* A window that searched with another beam than the command line would generate another sentence. */
TEST(a_view_searches_as_the_folder_shows)
{
    THOROUGH_ONLY;
    char model[96];
    snprintf(model, sizeof model, "%s", with_beams("vit_gpt2", 7));
    PASSES(model, PICTURES "/harbour.png", "--png", "wide.png", "--size", "640x400", "--device",
           "cpu");
    assert_png_text(here("wide.png"), "beam", "7");
    PASSES(model, PICTURES "/harbour.png", "--png", "wide.png", "--size", "640x400", "--beam", "2",
           "--device", "cpu");
    assert_png_text(here("wide.png"), "beam", "2");
    folder_remove(model);
}

TEST(a_picture_of_a_translation_opens_with_its_folder)
{
    cJSON_Delete(WRITE_ALL("translated", REFERENCES "/marian", "--text", "the cat sees"));
    assert_png_text(here("translated.png"), "beam", "4"); /* its generation_config.json's */
    open_again(here("translated.png"), here("again.png"));
    assert_png_text(here("again.png"), "view", "translation");
    assert_png_text(here("again.png"), "model", "marian");
    assert_png_text(here("again.png"), "sentence", "the cat sees");
}

TEST(the_halves_of_a_translator_are_there_head_by_head)
{
    DONE(REFERENCES "/marian", "--text", "the cat sees", "--take", "decoder", "--head", "2",
         "--png", "decoder.png", "--size", "640x400", "--device", "cpu");
    PASSES("decoder.png", "--follow", "--png", "decoder again.png", "--size", "640x400", "--device",
           "cpu");
    assert_png_text(here("decoder again.png"), "view", "heads");
    assert_png_text(here("decoder again.png"), "array", "decoder");
    assert_png_text(here("decoder again.png"), "head", "2");
}

static void write_boxes(const char *path, const char *word)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "{\"objects\":[{\"words\":[\"%s\"],\"boxes\":[[0,0,40,40]]}]}", word);
    assert_int_equal(fclose(file), 0);
}

/* The first generated word is held to a box of the picture's upper left. */
TEST(its_gaze_is_held_to_boxes)
{
    THOROUGH_ONLY;
    char word[512];
    snprintf(word, sizeof word, "%s", alone(REFERENCES "/blip", PICTURES "/harbour.png"));
    word[strcspn(word, " ")] = '\0';
    write_boxes(here("boxes.json"), word);
    cJSON *json = JSON_OF("caption", "--weights", REFERENCES "/blip", PICTURES "/harbour.png",
                          "--json", "--boxes", "boxes.json", "--device", "cpu");
    const cJSON *first = cJSON_GetArrayItem(get(json, "words"), 0);
    double mass = number_of(first, "mass");
    assert_true(mass > 0 && mass < 1);
    assert_null(cJSON_GetObjectItem(get(json, "truth"), "exact"));
    cJSON_Delete(json);
    DONE(REFERENCES "/blip", PICTURES "/harbour.png", "--boxes", "boxes.json", "--truth", "on",
         "--png", "boxes.png", "--device", "cpu");
}

TEST(a_mistake_with_a_captioner_is_one_line)
{
    FAILS_WITH(2, "--boxes: needs a pretrained captioner", "caption", PICTURES "/harbour.png",
               "--boxes", "none.json");
    FAILS_WITH(2, "--boxes: needs a pretrained model and a picture", PICTURES "/harbour.png",
               "--boxes", "none.json", "--png", "no.png");
    FAILS_WITH(2, "--continue: needs a text model", REFERENCES "/vit", PICTURES "/harbour.png",
               "--continue", "3", "--json", "--device", "cpu");
    FAILS_WITH(1, "none.json", "caption", "--weights", REFERENCES "/blip", PICTURES "/harbour.png",
               "--boxes", "none.json", "--device", "cpu");
    FAILS_WITH(2, "layer: 2 is out of range; layer goes from 0 to 1", "caption", "--weights",
               REFERENCES "/blip", PICTURES "/harbour.png", "--layer", "2", "--device", "cpu");
    FAILS_WITH(2, "is not a captioner", "caption", "--weights", REFERENCES "/vit",
               PICTURES "/harbour.png", "--device", "cpu");
}

/* The generation is decided when the files are opened, before there is a view with settings. */
TEST(a_picture_of_what_is_generated_without_heads_opens_again_without_them)
{
    THOROUGH_ONLY;
    static const char without[] = "encoder:0.0,cross:1.0=0.5";
    static const char *const of[][4] = {{"/blip", PICTURES "/garden.png", "--tab", "caption"},
                                        {"/blip", PICTURES "/garden.png", "--tab", "next"},
                                        {"/marian", "--text", "the cat sat", "--json"}};
    for (int i = 0; i < 3; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s", REFERENCES, of[i][0]);
        DONE(path, of[i][1], of[i][2], of[i][3], "--without", without, "--png", "without.png",
             "--size", "640x400");
        assert_png_text(here("without.png"), "without", without);
        DONE("without.png", "--follow", "--png", "again.png", "--size", "640x400");
        assert_same_bytes(here("without.png"), here("again.png"));
        DONE(path, of[i][1], of[i][2], of[i][3], "--png", "each.png", "--size", "640x400");
        assert_null(png_text(here("each.png"), "without"));
    }
}

TEST(the_best_of_several_texts_is_generated_and_opens_again)
{
    THOROUGH_ONLY;
    PASSES(REFERENCES "/llama", "--text", "the cat", "--continue", "6", "--beam", "3", "--tab",
           "next", "--png", "best.png", "--size", "640x400");
    PASSES("best.png", "--follow", "--png", "again.png", "--size", "640x400");
    assert_same_bytes(here("best.png"), here("again.png"));
    PASSES(REFERENCES "/llama", "--text", "the cat", "--continue", "6", "--tab", "next", "--png",
           "greedy.png", "--size", "640x400");
    char *best = png_text(here("best.png"), "generated"),
         *plain = png_text(here("greedy.png"), "generated");
    assert_non_null(strstr(best, " beam 3"));
    assert_null(strstr(plain, " beam"));
    free(best);
    free(plain);
    FAILS(2, "--beam: looks for the most probable text, and draws none; leave out --temperature",
          REFERENCES "/llama", "--text", "the cat", "--continue", "6", "--beam", "3",
          "--temperature", "0.5", "--json");
}

TEST(a_picture_of_what_was_transcribed_opens_again_in_its_language)
{
    DONE(REFERENCES "/whisper", REFERENCES "/whisper/sound.wav", "--language", "de", "--task",
         "translate", "--tab", "caption", "--png", "audio.png", "--size", "640x400");
    assert_png_text(here("audio.png"), "audio language", "de");
    assert_png_text(here("audio.png"), "task", "translate");
    DONE("audio.png", "--follow", "--png", "again.png", "--size", "640x400");
    assert_same_bytes(here("audio.png"), here("again.png"));
}

#define LONG_SOUND                                                                                 \
    "caption", REFERENCES "/whisper_long/sound.wav", "--weights", REFERENCES "/whisper_long",      \
        "--language", "en"

/* The cues, "00:00:00.180 --> 00:00:00.220\n dog dog\n", of the words of a line of --json and of the tokens of
 * that piece, among which are its times. */
static size_t expect_cues(const cJSON *json, const int32_t *tokens, size_t longest, char *cues,
                          size_t room)
{
    enum { TIMES = 32 }; /* the first of them */
    const double piece = number_of(json, "from");
    double begin = 0;
    char text[256] = "";
    size_t used = 0;
    int word = 0;
    for (size_t t = 0; t < longest && tokens[t] >= 0; t++) {
        const double end = 0.02 * (tokens[t] - TIMES);
        if (tokens[t] < TIMES) {
            strcat(text, text_of(cJSON_GetArrayItem(get(json, "words"), word++), "word"));
            continue;
        }
        if (text[0])
            used +=
                (size_t)snprintf(cues + used, room - used, "00:00:%06.3f --> 00:00:%06.3f\n%s\n",
                                 piece + begin, piece + end, text + 1);
        begin = end;
        text[0] = '\0';
    }
    assert_string_equal(text, "");
    assert_int_equal(cJSON_GetArraySize(get(json, "words")), word);
    return used;
}

TEST(subtitles_of_a_long_sound_have_the_times_of_all_its_pieces)
{
    char cues[4096], *rest = NULL;
    size_t used = 0, size, number = 0, piece = 0;
    sac_arrays *arrays;
    sac_error error = {0};
    assert_int_equal(
        sac_arrays_open(REFERENCES "/whisper_long/reference.safetensors", &arrays, &error), SAC_OK);
    const sac_array *pieces = sac_arrays_find(arrays, "pieces");
    DONE(LONG_SOUND, "--json", "--out", "words.srt", "--out", "words.vtt");
    for (char *line = strtok_r(ran.out, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        cJSON *json = parse_json(line);
        assert_true(cJSON_IsTrue(get(json, "finished")));
        assert_null(cJSON_GetObjectItem(json, "note"));
        assert_true(piece < pieces->shape[0]);
        used += expect_cues(json, (const int32_t *)pieces->data + piece++ * pieces->shape[1],
                            pieces->shape[1], cues + used, sizeof cues - used);
        cJSON_Delete(json);
    }
    sac_arrays_close(arrays);
    char *vtt = file_read(here("words.vtt"), &size), *srt = file_read(here("words.srt"), &size);
    srt[size] = '\0'; /* for which there is room */
    char *cue = cues, *of_vtt = vtt + strlen("WEBVTT\n\n"), *of_srt = srt, head[16];
    while (cue < cues + used) {
        char *text = strchr(cue, '\n') + 1, *end = strchr(text, '\n') + 1;
        snprintf(head, sizeof head, "%zu\n", ++number);
        assert_memory_equal(of_srt, head, strlen(head));
        of_srt += strlen(head);
        assert_memory_equal(of_vtt, cue, (size_t)(end - cue));
        for (char *point = cue; point < text; point++)
            *point = *point == '.' ? ',' : *point;
        assert_memory_equal(of_srt, cue, (size_t)(end - cue));
        of_vtt += end - cue + 1; /* and a line that is empty */
        of_srt += end - cue + 1;
        cue = end;
    }
    assert_int_equal(number, 10);
    assert_int_equal(of_srt - 1 - srt, size);
    free(vtt);
    free(srt);
}

/* The lines of JSON without their times of computing. */
static cJSON *pieces_json(char *lines)
{
    cJSON *all = cJSON_CreateArray();
    char *rest = NULL;
    for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        cJSON *json = parse_json(line);
        cJSON_DeleteItemFromObject(json, "ms");
        cJSON_AddItemToArray(all, json);
    }
    return all;
}

TEST(caption_of_several_sounds_transcribes_each_to_its_end)
{
    THOROUGH_ONLY;
    static const char *const sounds[] = {"long.wav", "short.wav", "again.wav"};
    char command[512];
    cJSON *alone = cJSON_CreateArray(), *one;
    snprintf(command, sizeof command,
             "cd %s && cp %s/whisper_long/sound.wav long.wav && cp long.wav again.wav && "
             "cp %s/whisper/sound.wav short.wav",
             folder, REFERENCES, REFERENCES);
    assert_int_equal(system(command), 0);
    for (int i = 0; i < 3; i++) {
        DONE("caption", sounds[i], "--weights", REFERENCES "/whisper_long", "--language", "en",
             "--json", "--out", i == 2 ? "again.srt" : "one.srt");
        cJSON *pieces = pieces_json(ran.out);
        while ((one = cJSON_DetachItemFromArray(pieces, 0)))
            cJSON_AddItemToArray(alone, one);
        cJSON_Delete(pieces);
    }
    DONE("caption", sounds[0], sounds[1], sounds[2], "--weights", REFERENCES "/whisper_long",
         "--language", "en", "--json", "--out", "all.srt", "--out", "sounds.png");
    assert_same_bytes(here("all.srt/again.srt"), here("again.srt"));
    assert_int_equal(access(here("sounds.png/again-2.png"), F_OK), 0);
    cJSON *together = pieces_json(ran.out);
    assert_int_equal(cJSON_GetArraySize(together), cJSON_GetArraySize(alone));
    assert_true(cJSON_Compare(together, alone, true));
    cJSON_Delete(together);
    cJSON_Delete(alone);
}

TEST(view_writes_the_subtitles_that_caption_writes)
{
    THOROUGH_ONLY;
    DONE(LONG_SOUND, "--out", "words.srt", "--out", "words.vtt");
    DONE(REFERENCES "/whisper_long", REFERENCES "/whisper_long/sound.wav", "--language", "en",
         "--out", "seen.srt", "--out", "seen.vtt", "--out", "seen.png", "--size", "320x200");
    assert_same_bytes(here("seen.srt"), here("words.srt"));
    assert_same_bytes(here("seen.vtt"), here("words.vtt"));
    DONE(REFERENCES "/whisper_long", REFERENCES "/whisper_long/sound.wav", "--language", "en",
         "--out", "alone.png", "--size", "320x200");
    assert_same_bytes(here("seen.png"), here("alone.png"));
    FAILS(2,
          "none.vtt: what is open has no words with times; give a sound to a model of speech, "
          "such as Whisper",
          PICTURES "/harbour.png", "--out", "none.vtt", "--out", "none.png");
    assert_int_equal(access(here("none.png"), F_OK), -1);
}

TEST(subtitles_begin_with_the_word_that_is_generated_first)
{
    size_t size;
    cJSON *json =
        JSON_OF("caption", REFERENCES "/whisper/sound.wav", "--weights", REFERENCES "/whisper",
                "--language", "en", "--json", "--out", "short.vtt");
    char expected[256], *text = file_read(here("short.vtt"), &size);
    text[size] = '\0';
    snprintf(expected, sizeof expected, "WEBVTT\n\n00:00:%06.3f --> 00:00:00.300\n%s\n",
             number_of(cJSON_GetArrayItem(get(json, "words"), 0), "begin"),
             text_of(json, "caption") + 1);
    assert_string_equal(text, expected);
    free(text);
    cJSON_Delete(json);
    FAILS(2,
          "none.srt: the words of additive have no times; give a sound to a model of speech, such "
          "as Whisper",
          "caption", "--scene", "3", "--out", "none.png", "--out", "none.srt");
    assert_int_equal(access(here("none.png"), F_OK), -1);
    FAILS_WITH(1, "nowhere/none.srt: cannot be written", LONG_SOUND, "--out", "nowhere/none.srt");
    assert_string_equal(ran.out, ""); /* the first piece is not captioned */
}

/* Once for all pieces. */
TEST(what_generation_config_asks_of_a_sound_in_vain_is_named)
{
    char command[768], model[96];
    snprintf(model, sizeof model, "%s", here("asks"));
    snprintf(command, sizeof command,
             "cp -r %s/whisper_long %s && sed -i 's/^{/{\"condition_on_prev_tokens\": true, "
             "\"compression_ratio_threshold\": 1.35, \"logprob_threshold\": -1, "
             "\"no_speech_threshold\": 0.6, \"temperature\": [0, 0.2],/' "
             "%s/generation_config.json",
             REFERENCES, model, model);
    assert_int_equal(system(command), 0);
    PASSES("caption", REFERENCES "/whisper_long/sound.wav", "--weights", model, "--language", "en");
    const char *named = strstr(ran.err, "not followed: condition_on_prev_tokens, "
                                        "compression_ratio_threshold, logprob_threshold, "
                                        "no_speech_threshold, temperature; each piece");
    assert_non_null(named);
    assert_null(strstr(named + 1, "not followed"));
}

/* As transformers decodes with skip_special_tokens: what random weights generate has many of them. */
TEST(words_of_a_generation_are_its_text_without_special_tokens)
{
    THOROUGH_ONLY;
    static const char *const models[] = {"/smolvlm", "/llava_onevision", "/git", "/idefics3",
                                         "/blip"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s", REFERENCES, models[i]);
        PASSES("caption", PICTURES "/harbour.png", "--weights", path, "--json");
        cJSON *json = parse_json(ran.out);
        assert_words_are_text(json, "caption");
        cJSON_Delete(json);
    }
    PASSES(REFERENCES "/whisper_long", REFERENCES "/whisper_long/sound.wav", "--language", "en",
           "--out", "sound.svg", "--out", "sound.html");
    for (int i = 0; i < 2; i++) {
        size_t size;
        char *text = file_read(here(i ? "sound.html" : "sound.svg"), &size);
        text[size] = '\0'; /* for which there is room */
        assert_non_null(strstr(text, "dog"));
        assert_null(strstr(text, "|0.22|"));
        free(text);
    }
}

/* Of two pictures that are asked about together each word has a map on each; a saved picture is opened with both. */
TEST(one_question_is_asked_about_two_pictures)
{
#define TOGETHER                                                                                   \
    REFERENCES "/qwen3_vl/picture.png", REFERENCES "/together.png", "--together", "--text",        \
        "the bank of a"
    cJSON *json = JSON_OF("caption", "--weights", REFERENCES "/qwen3_vl", TOGETHER, "--json",
                          "--npz", "both.npz", "--png", "panels.png");
    const cJSON *pictures = get(json, "pictures"), *second = cJSON_GetArrayItem(pictures, 1);
    assert_int_equal(cJSON_GetArraySize(pictures), 2);
    assert_non_null(strstr(text_of(second, "file"), "together.png"));
    const cJSON *grid = get(second, "grid"), *first = get(second, "first_cell");
    const int width = cJSON_GetArrayItem(grid, 0)->valueint,
              height = cJSON_GetArrayItem(grid, 1)->valueint,
              all = cJSON_GetArrayItem(get(json, "grid"), 0)->valueint,
              left = cJSON_GetArrayItem(first, 0)->valueint;
    assert_int_equal(left + width, all);
    const cJSON *word;
    cJSON_ArrayForEach(word, get(json, "words"))
    {
        const cJSON *on = get(word, "pictures"), *there = get(cJSON_GetArrayItem(on, 1), "weights");
        assert_int_equal(cJSON_GetArraySize(there), width * height);
        for (int i = 0; i < width * height; i++)
            assert_true(number_at(there, i) ==
                        number_at(get(word, "weights"), i / width * all + left + i % width));
        assert_true(fabs(number_of(cJSON_GetArrayItem(on, 0), "share") +
                         number_of(cJSON_GetArrayItem(on, 1), "share") - 1) < 1e-4);
    }
    DONE(REFERENCES "/qwen3_vl", TOGETHER, "--png", "both.png", "--size", "640x400", "--layout",
         "window");
    assert_png_text(here("both.png"), "image", REFERENCES "/qwen3_vl/picture.png");
    assert_png_text(here("both.png"), "image 2", REFERENCES "/together.png");
    DONE("--follow", "both.png", "--png", "again.png", "--size", "640x400", "--layout", "window");
    assert_png_text(here("again.png"), "image 2", REFERENCES "/together.png");
    assert_same_pixels(here("again.png"), here("both.png"));
    cJSON_Delete(json);
    FAILS(2, "--together: is given without --weights and pictures; …", "caption",
          PICTURES "/harbour.png", PICTURES "/garden.png", "--together");
    FAILS(2, "--together: needs a pretrained model that answers questions about pictures; …",
          PICTURES "/harbour.png", PICTURES "/garden.png", "--together", "--out", "none.png");
    FAILS(2, "…sees one picture, and no several together; …", "caption", "--weights",
          REFERENCES "/blip", PICTURES "/harbour.png", PICTURES "/garden.png", "--together");
    FAILS(2, "--together: is of pictures, and whisper takes one sound at a time; leave it out",
          REFERENCES "/whisper", REFERENCES "/whisper/sound.wav", "--together", "--json");
    FAILS(2, "--together: needs one model that answers questions about pictures…",
          REFERENCES "/vit", PICTURES "/harbour.png", PICTURES "/garden.png", "--together", "--out",
          "none.png");
}

/* The places that an answer gives as tokens are printed as names and boxes; they are no text, and stay among the words
 * of the JSON. */
TEST(regions_are_printed_as_a_person_reads_them)
{
#define REGIONS                                                                                    \
    "caption", PICTURES "/harbour.png", "--weights", REFERENCES "/florence2", "--text", "<OD>",    \
        "--words", "##d ##o ##g <loc_0> <loc_0> <loc_1> <loc_1>"
    PASSES(REGIONS);
    assert_non_null(strstr(ran.out, "dog: x 0 to "));
    assert_null(strstr(ran.out, "<loc"));
    cJSON *json = JSON_OF(REGIONS, "--json");
    assert_true(strncmp(text_of(json, "caption"), "dog", 3) == 0);
    assert_null(strstr(text_of(json, "caption"), "<loc"));
    assert_string_equal(text_of(cJSON_GetArrayItem(get(json, "words"), 3), "word"), "");
    assert_string_equal(text_of(cJSON_GetArrayItem(get(json, "words"), 3), "token"), "<loc_0>");
    cJSON_Delete(json);
}

/* A table by itself is of what the picture shows: the heads that are off, the head that was found. */
TEST(a_table_alone_is_the_table_beside_a_picture)
{
    THOROUGH_ONLY;
    static const char *const of[][6] = {
        {"/gpt2", "--text", "the cat", "--layer", "2", "--without"},
        {"/gpt2", "--text", "the cat sat", "--reduce", "relevance", "--without"},
        {"/bert", "--text", "the cat sat", "--ask", "previous", "--without"},
        {"/vit", PICTURES "/garden.png", "--tab=matrix", "--layer=2", "--head=0", "--without"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s", REFERENCES, of[i][0]);
#define OF path, of[i][1], of[i][2], of[i][3], of[i][4], of[i][5], "1.0"
        PASSES(OF, "--tsv", "alone.tsv");
        PASSES(OF, "--tsv", "beside.tsv", "--png", "x.png", "--size", "640x400");
        assert_same_bytes(here("alone.tsv"), here("beside.tsv"));
#undef OF
    }
}

TEST(boxes_and_the_picture_are_those_of_all_heads_where_some_are_scaled)
{
    cJSON *json = WRITE_ALL("scaled", REFERENCES "/detr", PICTURES "/garden.png", "--without",
                            "0.0", "--threshold", "0");
    const cJSON *found = cJSON_GetObjectItem(json, "found");
    const cJSON *box = cJSON_GetObjectItem(cJSON_GetArrayItem(found, 0), "box");
    double width =
        cJSON_GetArrayItem(box, 2)->valuedouble - cJSON_GetArrayItem(box, 0)->valuedouble;
    assert_true(width > 2); /* in pixels */
    cJSON_Delete(json);
    sac_arrays *arrays;
    OK(sac_arrays_open(here("scaled.npz"), &arrays, &failure));
    assert_non_null(sac_arrays_find(arrays, "image"));
    sac_arrays_close(arrays);
}

TEST_MAIN(make_files, remove_files)
