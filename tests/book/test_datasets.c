/* The table of datasets: what each promises, asked through the table alone. */

#include "base/random/random.h"
#include "book/scene.h"
#include "datasets/dataset.h"
#include "status.h"
#include "test.h"

enum { SCENES = 1500, MOST_WORDS = 32 };

/* Calls `check` on many scenes of each dataset and stream. */
static void for_scenes(void (*check)(const sac_dataset *, sac_stream, uint32_t, const void *))
{
    const sac_dataset *dataset;
    for (int i = 0; (dataset = sac_dataset_at(i)) != NULL; i++) {
        void *scene = malloc(dataset->scene_size);
        assert_non_null(scene);
        assert_ptr_equal(sac_dataset_find(dataset->name), dataset);
        assert_true(dataset->longest <= MOST_WORDS);
        for (uint32_t seed = 0; seed < SCENES; seed++)
            for (int stream = 0; stream < 2; stream++) {
                dataset->make((sac_stream)stream, (uint64_t)seed << 63 | seed, scene);
                check(dataset, (sac_stream)stream, seed, scene);
            }
        free(scene);
    }
}

static bool is_nowhere(const char *word)
{
    return strcmp(word, "and") == 0 || strcmp(word, "of") == 0 || strcmp(word, "nothing") == 0;
}

static void words_have_text_and_a_place(const sac_dataset *dataset, sac_stream stream,
                                        uint32_t seed, const void *scene)
{
    (void)stream;
    (void)seed;
    int word[MOST_WORDS], count = dataset->sentence(scene, word);
    assert_in_range(count, 2, dataset->longest);
    assert_int_equal(word[count - 1], 2);
    for (int t = 0; t < count - 1; t++) {
        sac_look look;
        dataset->look(scene, t, &look);
        assert_true(word[t] == 0 || (word[t] > 2 && word[t] < dataset->vocabulary));
        assert_true(*dataset->word_text(word[t]));
        assert_true(look.count > 0 || is_nowhere(dataset->word_text(word[t])));
    }
}

TEST(every_word_is_in_the_vocabulary_and_all_but_three_have_a_place)
{
    for_scenes(words_have_text_and_a_place);
}

static void decoder_inputs_make_no_unseen_pair(const sac_dataset *dataset, sac_stream stream,
                                               uint32_t seed, const void *scene)
{
    if (stream == SAC_STREAM_TEST || strcmp(dataset->name, "book") != 0)
        return;
    const sac_book_scene *reported = scene;
    assert_false(dataset->has_unseen_pair(scene));
    for (int t = 0; t < reported->words - 1; t++) {
        int generated = reported->word[t],
            word = dataset->input(scene, t, sac_philox(seed, (uint32_t)t, 9));
        bool may_be_masked = generated >= SAC_TALE_NOUN ||
                             (generated >= SAC_TALE_COLOUR && generated < SAC_TALE_VERB);
        assert_true(word == generated || (may_be_masked && word == SAC_TALE_PAD));
    }
}

TEST(decoder_inputs_in_training_hold_no_pair_that_is_held_back)
{
    for_scenes(decoder_inputs_make_no_unseen_pair);
}

static void sentence_is_one(const sac_dataset *dataset, sac_stream stream, uint32_t seed,
                            const void *scene)
{
    int word[MOST_WORDS], count = dataset->sentence(scene, word) - 1;
    (void)stream;
    (void)seed;
    assert_true(dataset->has_sentence(word, count));
    word[count / 2] = 1; /* what stands before the first word */
    assert_false(dataset->has_sentence(word, count));
}

TEST(dataset_grammar_accepts_the_sentences_of_its_scenes)
{
    for_scenes(sentence_is_one);
}

TEST(book_grammar_rejects_impossible_sentences)
{
    static const char *const all[] = {
        "",
        "a",
        "a boat",
        "a white boat",
        "a white boat sails",
        "a boat sails on the sea",             /* boats come in colours */
        "a white boat sail on the sea",        /* one sails */
        "two white boats sails on the sea",    /* two sail */
        "a orange boat sails on the sea",      /* an orange boat */
        "a white boat sails in a meadow",      /* where no boat is */
        "a white boat sleeps on the sea",      /* what none does */
        "a white boat sails on the sea night", /* at night */
        "a white boat sails on the sea at night and the sun shines",
        "three suns shine over the sea",
        "a white boat sails on the sea and",
        "a cow hangs in a tree in a meadow",
        "a dog runs after a dog in a meadow and a dog runs",
    };
    const sac_dataset *book = sac_dataset_find("book");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[128];
        int word[MOST_WORDS], count = 0;
        snprintf(text, sizeof text, "%s", all[i]);
        for (char *t = strtok(text, " "); t; t = strtok(NULL, " "))
            word[count++] = sac_book_word_find(t);
        if (book->has_sentence(word, count))
            fail_msg("taken: %s", all[i]);
    }
}

static void truth_names_words_and_places(const sac_dataset *dataset, sac_stream stream,
                                         uint32_t seed, const void *scene)
{
    sac_truth truth;
    int word[MOST_WORDS], count = dataset->sentence(scene, word) - 1;
    (void)stream;
    (void)seed;
    dataset->truth(scene, &truth);
    assert_string_equal(truth.dataset, dataset->name);
    assert_int_equal(truth.words, count);
    for (int t = 0; t < count; t++) {
        sac_look look;
        dataset->look(scene, t, &look);
        assert_string_equal(truth.word[t], dataset->word_text(word[t]));
        if (truth.by_word)
            assert_memory_equal(&truth.look[t], &look, sizeof look);
        else if (truth.object_of_word[t] >= 0)
            assert_memory_equal(truth.boxes[truth.object_of_word[t]], look.box[0],
                                sizeof look.box[0]);
    }
}

TEST(ground_truth_of_a_scene_has_words_and_boxes)
{
    for_scenes(truth_names_words_and_places);
}

TEST(ground_truth_of_a_page_survives_json)
{
    const sac_dataset *book = sac_dataset_find("book");
    for (uint64_t seed = 0; seed < 100; seed++) {
        sac_book_scene scene;
        sac_truth reported, read;
        sac_book_make(SAC_STREAM_TEST, seed, &scene);
        book->truth(&scene, &reported);
        char *json = sac_book_json(&scene, 300);
        OK(sac_truth_parse(json, "page", &read, &failure));
        free(json);
        assert_string_equal(read.dataset, "book");
        assert_true(read.by_word && read.words == reported.words);
        for (int t = 0; t < reported.words; t++) {
            assert_string_equal(read.word[t], reported.word[t]);
            assert_int_equal(read.look[t].count, reported.look[t].count);
            for (int k = 0; k < 4 * reported.look[t].count; k++) /* a hundredth of a pixel of 300 */
                assert_float_equal(read.look[t].box[k / 4][k % 4],
                                   reported.look[t].box[k / 4][k % 4], 2e-5);
        }
    }
}

TEST(pages_of_all_pairs_have_some_that_training_holds_back)
{
    int unseen = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        sac_book_scene scene;
        sac_book_make(SAC_STREAM_ALL_PAIRS, seed, &scene);
        unseen += sac_book_has_unseen_pair(&scene);
    }
    assert_in_range(unseen, 1, 299);
}

TEST_MAIN(NULL, NULL)
