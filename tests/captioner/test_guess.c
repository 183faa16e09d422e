/* src/models/captioner/guess: which words are unsure, and which sentences no scene has. */

#include "captioner/source/source.h"
#include "shapes/scene.h"
#include "test.h"

/* The number of a word of a dataset; −1: it has none. */
static int find_word(const sac_dataset *dataset, const char *text)
{
    for (int word = 0; word < dataset->vocabulary; word++)
        if (strcmp(dataset->word_text(word), text) == 0)
            return word;
    return -1;
}

/* The sentence, each word as probable as all others. */
static sac_result caption_in(const sac_dataset *dataset, const char *sentence, float probability)
{
    char words[512];
    sac_result caption = {.finished = true};
    snprintf(words, sizeof words, "%s", sentence);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        sac_result_output *last = &caption.outputs[caption.count++];
        *last = (sac_result_output){.word = find_word(dataset, word), .probability = probability};
        snprintf(last->text, sizeof last->text, "%s", word);
        assert_true(last->word >= 0);
    }
    return caption;
}

static sac_result generated(const char *sentence, float probability)
{
    return caption_in(sac_dataset_find("shapes"), sentence, probability);
}

static const sac_captioner_shape of_scenes;

static const char *doubt_in(const sac_dataset *dataset, const sac_result *caption)
{
    static char note[sizeof caption->note];
    sac_caption_doubt(caption, dataset, note, sizeof note);
    return note;
}

/* Of photographs a threshold comes with the weights, and articles are never unsure. */
TEST(unsure_words_of_photographs_are_those_that_the_weights_show)
{
    static bool once[3] = {true, false, true};
    sac_captioner_words words = {.once = once};
    sac_captioner_shape shape = {.words = &words, .sure = 0.4f};
    sac_result caption = {.count = 3,
                          .outputs = {{.text = "dog", .word = 0, .probability = 0.35f},
                                      {.text = "a", .word = 1, .probability = 0.1f},
                                      {.text = "table", .word = 2, .probability = 0.31f}}};
    sac_result_mark_unsure(&caption, 0, &shape);
    assert_true(caption.outputs[0].unsure && !caption.outputs[1].unsure &&
                caption.outputs[2].unsure);
    sac_caption_doubt_photograph(&caption, caption.note, sizeof caption.note);
    assert_string_equal(caption.note, "unsure of “table” (0.31)");
    shape.sure = 0; /* older weights lack it */
    sac_result_mark_unsure(&caption, 0, &shape);
    assert_false(caption.outputs[0].unsure || caption.outputs[2].unsure);
    caption.outputs[2].probability = 0.2f;
    sac_result_mark_unsure(&caption, 0, &shape);
    assert_true(caption.outputs[2].unsure);
    snprintf(caption.note, sizeof caption.note, "unlike all");
    sac_caption_doubt_photograph(&caption, caption.note, sizeof caption.note);
    assert_string_equal(caption.note, "unlike all; unsure of “table” (0.20)");
}

static const char *doubt_of(const sac_result *caption)
{
    return doubt_in(sac_dataset_find("shapes"), caption);
}

TEST(nothing_is_reported_against_a_scene_that_is_reported_surely)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        char sentence[512];
        sac_scene scene;
        sac_scene_make(SAC_STREAM_TEST, seed, &scene);
        sac_sentence(scene.word, scene.words, sentence, sizeof sentence);
        sac_result caption = generated(sentence, 0.95f);
        sac_result_mark_unsure(&caption, 0, &of_scenes);
        for (int i = 0; i < caption.count; i++)
            assert_false(caption.outputs[i].unsure);
        assert_string_equal(doubt_of(&caption), "");
    }
}

TEST(nothing_is_a_sentence)
{
    sac_result caption = generated("nothing", 1);
    assert_string_equal(doubt_of(&caption), "");
}

TEST(the_least_sure_word_is_named)
{
    sac_result caption = generated("a large red star above a small blue circle", 0.99f);
    caption.outputs[3].probability = 0.41f;
    caption.outputs[7].probability = 0.85f;
    sac_result_mark_unsure(&caption, 0, &of_scenes);
    for (int i = 0; i < caption.count; i++)
        assert_int_equal(caption.outputs[i].unsure, i == 3 || i == 7);
    assert_non_null(strstr(doubt_of(&caption), "“star” is unreliable (0.41)"));
}

TEST(one_word_that_is_a_little_unsure_makes_no_guess)
{
    sac_result caption = generated("a large red star", 0.99f);
    caption.outputs[2].probability = 0.8f;
    sac_result_mark_unsure(&caption, 0, &of_scenes);
    assert_true(caption.outputs[2].unsure);
    assert_string_equal(doubt_of(&caption), "");
}

TEST(given_words_are_no_guess_of_the_model)
{
    sac_result caption = generated("a large red star", 0.01f);
    sac_result_mark_unsure(&caption, 4, &of_scenes);
    assert_string_equal(doubt_of(&caption), "");
}

TEST(sentences_that_no_scene_has_are_guesses)
{
    static const char *const all[] = {
        "",
        "a",
        "a red star",
        "a large star",
        "large red star",
        "a large red",
        "a large red star left a small red star",
        "a large red star above of a small red star",
        "a large red star and a small red star",
        "a large red star above a small red star above a small red star",
        "a large red star star",
        "a large red nothing",
        "nothing nothing",
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        sac_result caption = generated(all[i], 1);
        assert_non_null(strstr(doubt_of(&caption), "this sentence does not occur there"));
    }
    sac_result cut = generated("a large red star", 1);
    cut.finished = false;
    assert_non_null(strstr(doubt_of(&cut), "this sentence does not occur there"));
}

TEST(each_world_has_a_grammar_of_its_own_and_shows_what_it_knows)
{
    const sac_dataset *book = sac_dataset_find("book");
    sac_result reported = caption_in(book, "two white boats sail on the sea at night", 0.95f);
    sac_result_mark_unsure(&reported, 0, &of_scenes);
    assert_string_equal(doubt_in(book, &reported), "");
    reported.outputs[2].probability = 0.3f;
    sac_result_mark_unsure(&reported, 0, &of_scenes);
    assert_string_equal(doubt_in(book, &reported),
                        "“boats” is unreliable (0.30); trained on scenes of a picture book only");
    sac_result odd = caption_in(book, "a red red kite", 1);
    assert_string_equal(
        doubt_in(book, &odd),
        "trained on scenes of a picture book only; this sentence does not occur there");
}

TEST_MAIN(NULL, NULL)
