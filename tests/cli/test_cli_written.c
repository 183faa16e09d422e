/* What the program writes as arrays it reads, as what it shows. */
#include "run.h"

#define SCORES ATTENTION_DATA "/scaled_dot.in.npz"

/* Rows and columns of the table that the program writes of out.npz. */
static void assert_opens(const char *take, size_t rows, size_t columns)
{
    size_t size, lines = 0, tabs = 0;
    if (take)
        PASSES("view", here("out.npz"), "--take", take, "--out", here("out.tsv"));
    else
        PASSES("view", here("out.npz"), "--out", here("out.tsv"));
    char *text = file_read(here("out.tsv"), &size);
    for (size_t i = 0; i < size; i++) {
        lines += text[i] == '\n';
        tabs += lines == 0 && text[i] == '\t';
    }
    free(text);
    if (lines != rows + 1 || tabs != columns)
        fail_msg("%zu × %zu, not %zu × %zu", lines - 1, tabs, rows, columns);
}

TEST_WITH(a_caption_opens_as_a_map_of_each_word, make_folder, remove_folder)
{
    PASSES("caption", PICTURES "/harbour.png", "--weights", REFERENCES "/blip", "--out",
           here("out.npz"));
    assert_opens(NULL, 6, 25);
    assert_non_null(strstr(ran.err, "6 maps of 5 × 5 cells"));
}

TEST_WITH(a_translation_opens_with_a_row_for_each_word, make_folder, remove_folder)
{
    PASSES("translate", "the red house sleeps", "--out", here("out.npz"));
    assert_opens("weights", 4, 4);
}

TEST_WITH(an_attention_opens_with_its_queries_and_keys, make_folder, remove_folder)
{
    PASSES("attend", SCORES, here("out.npz"));
    RUN("view", here("out.npz"), "--out", here("out.tsv"));
    assert_int_equal(ran.status, 0);
}

TEST_WITH(a_models_heads_and_a_phrases_likeness_open, make_folder, remove_folder)
{
    PASSES("view", REFERENCES "/gpt2", "--text", "the cat", "--continue", "4", "--out",
           here("out.npz"));
    assert_opens(NULL, 9, 9);
    PASSES("view", REFERENCES "/clip", PICTURES "/harbour.png", "--text", "a", "--out",
           here("out.npz"));
    assert_opens("attentions", 41, 41);
    assert_opens("likeness", 1, 40);
    PASSES("view", REFERENCES "/detr", PICTURES "/harbour.png", "--out", here("out.npz"));
    assert_opens("cross_attentions", 12, 54);
    assert_opens("decoder_attentions", 12, 12);
}

/* Of the kinds that a model has, whatever is shown. */
TEST_WITH(heads_of_a_decoder_open_as_three_kinds, make_folder, remove_folder)
{
    PASSES("view", REFERENCES "/marian", "--text", "the cat", "--take", "cross", "--out",
           here("out.npz"));
    assert_opens("encoder", 6, 6);
    assert_opens("cross", 10, 6);
    PASSES("view", REFERENCES "/marian", "--text", "the cat", "--tab", "heads", "--reduce", "mean",
           "--out", here("out.npz"), "--out", here("out.json"));
    assert_opens("encoder", 6, 6);
    assert_opens("decoder", 10, 10);
    assert_opens("cross", 10, 6);
    assert_opens("reduced", 6, 6);
    PASSES("view", REFERENCES "/marian", "--text", "the cat", "--tab", "heads", "--special",
           "hidden", "--out", here("out.npz"));
    assert_opens("attentions", 6, 6);
    PASSES("view", REFERENCES "/blip", PICTURES "/harbour.png", "--tab", "heads", "--reduce",
           "mean", "--out", here("out.npz"));
    assert_opens("encoder", 26, 26);    /* of what is captioned, … */
    assert_opens("attentions", 41, 41); /* … and of all of the picture, as it is shown */
    assert_opens("cross", 6, 26);
    assert_opens("reduced", 41, 41);
}

/* The table that the program writes of those arguments, as text. */
#define TABLE(...)                                                                                 \
    (PASSES("view", __VA_ARGS__, "--out", here("out.tsv")), read_text(here("out.tsv")))

static char *read_text(const char *path)
{
    size_t size;
    char *bytes = file_read(path, &size), *text = strndup(bytes, size);
    free(bytes);
    return text;
}

/* Of what shows no heads itself as well: what is found, and what is alike. */
static void assert_without_alone_and_reopened(const char *model, const char *option,
                                              const char *value)
{
    const char *const picture = PICTURES "/harbour.png";
    char *whole = TABLE(model, picture, option, value, "--layer", "1", "--head", "0");
    char *alone =
        TABLE(model, picture, option, value, "--layer", "1", "--head", "0", "--without", "0.1");
    char *beside = TABLE(model, picture, option, value, "--layer", "1", "--head", "0", "--without",
                         "0.1", "--out", here("out.json"), "--out", here("out.png"));
    char *reopened = TABLE(here("out.png"), "--follow");
    assert_string_not_equal(whole, alone);
    assert_string_equal(alone, beside);
    assert_string_equal(alone, reopened);
    free(whole);
    free(alone);
    free(beside);
    free(reopened);
}

TEST_WITH(without_is_in_every_file_of_what_is_found_or_alike, make_folder, remove_folder)
{
    assert_without_alone_and_reopened(REFERENCES "/detr", "--threshold", "0");
    assert_without_alone_and_reopened(REFERENCES "/table_transformer", "--threshold", "0");
    assert_without_alone_and_reopened(REFERENCES "/clip", "--text", "a dog | a cat");
}

TEST_WITH(a_beam_beside_continue_is_refused_of_a_captioner, make_folder, remove_folder)
{
    FAILS_WITH(2, "--beam: is given beside --continue", "view", REFERENCES "/blip",
               PICTURES "/harbour.png", "--continue", "4", "--beam", "2", "--out", here("out.npz"));
}

TEST_WITH(a_lessons_arrays_open, make_folder, remove_folder)
{
    PASSES("lesson", "alignment", "--out", here("out.npz"));
    assert_opens("a", 14, 13);
}

TEST_MAIN(NULL, NULL)
