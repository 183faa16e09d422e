/* Translating with a small model that learned nothing: its words have no meaning, but how it generates
 * them has to be right. */

#include "on_device.h"
#include "status.h"
#include "test.h"
#include "translation/translation.h"
#include "translator/translator.h"

enum { WORDS = 4 };
static const int sentence[WORDS] = {5, 9, 4, 12};

static sac_translator *translator;

static sac_translator *create(bool attends)
{
    sac_translator *made;
    sac_translator_shape shape;
    OK(sac_translator_default_shape(SAC_SCORE_ADDITIVE, attends, &shape, &failure));
    shape.attention = shape.hidden = shape.embedding = 8;
    OK(sac_translator_make(&sac_translator_class, device, &shape, true, 3, &made, &failure));
    return made;
}

static void read_words(sac_translator *t, const int *words, int count)
{
    OK(sac_translation_read(&t->base, words, count, &failure));
}

/* Six words: the prefix of the request keeps an untrained model from babbling on. */
static sac_result generate(sac_translator *t, sac_result_request request)
{
    static const int prefix[] = {7, 8, 9, 10, 11, 12};
    sac_result caption;
    memcpy(request.prefix, prefix, sizeof prefix);
    request.prefix_count = 6;
    OK(sac_translation_generate(&t->base, &request, &caption, &failure));
    assert_true(caption.count >= 6);
    return caption;
}

TEST(weights_are_over_the_words_of_the_sentence_and_sum_to_one)
{
    read_words(translator, sentence, WORDS);
    sac_result caption = generate(translator, (sac_result_request){.beam = 3});
    assert_int_equal(caption.grid_w, WORDS);
    assert_int_equal(caption.grid_h, 1);
    for (int i = 0; i < WORDS; i++)
        assert_string_equal(caption.positions[i],
                            translator->translating.english.words[sentence[i]]);
    for (int t = 0; t < caption.count; t++) {
        double sum = 0;
        for (int i = 0; i < WORDS; i++)
            sum += caption.weights[t * WORDS + i];
        assert_true(fabs(sum - 1) < 1e-5);
    }
    assert_string_equal(caption.outputs[0].text, translator->translating.french.words[7]);
    sac_result_free(&caption);
}

TEST(a_hidden_word_gets_no_weight)
{
    const uint8_t hidden[WORDS] = {0, 1, 0, 0};
    read_words(translator, sentence, WORDS);
    sac_result caption = generate(translator, (sac_result_request){.beam = 1, .hidden = hidden});
    for (int t = 0; t < caption.count; t++)
        assert_true(caption.weights[t * WORDS + 1] == 0);
    sac_result_free(&caption);
}

TEST(another_sentence_leaves_nothing_behind)
{
    static const int other[] = {3, 4, 5, 6, 7, 8, 9};
    read_words(translator, sentence, WORDS);
    sac_result first = generate(translator, (sac_result_request){.beam = 2});
    read_words(translator, other, 7);
    sac_result between = generate(translator, (sac_result_request){.beam = 2});
    read_words(translator, sentence, WORDS);
    sac_result second = generate(translator, (sac_result_request){.beam = 2});
    assert_int_equal(between.grid_w, 7);
    assert_int_equal(first.count, second.count);
    assert_memory_equal(first.weights, second.weights,
                        (size_t)(first.count * WORDS) * sizeof *first.weights);
    sac_result_free(&first);
    sac_result_free(&between);
    sac_result_free(&second);
}

/* The order of the words matters, which attention over a set alone would not see. */
TEST(the_order_of_words_is_read)
{
    static const int turned[WORDS] = {12, 4, 9, 5};
    read_words(translator, sentence, WORDS);
    sac_result one = generate(translator, (sac_result_request){.beam = 1});
    read_words(translator, turned, WORDS);
    sac_result other = generate(translator, (sac_result_request){.beam = 1});
    assert_true(fabsf(one.outputs[1].probability - other.outputs[1].probability) > 0);
    sac_result_free(&one);
    sac_result_free(&other);
}

TEST(without_attention_all_weights_are_zero)
{
    sac_translator *plain = create(false);
    read_words(plain, sentence, WORDS);
    sac_result caption = generate(plain, (sac_result_request){.beam = 3});
    for (int i = 0; i < caption.count * WORDS; i++)
        assert_true(caption.weights[i] == 0);
    sac_result_free(&caption);
    sac_translator_destroy(plain);
}

TEST(a_sentence_of_no_words_or_of_too_many_is_refused)
{
    int words[SAC_TRANSLATION_SOURCE + 1];
    for (int i = 0; i <= SAC_TRANSLATION_SOURCE; i++)
        words[i] = 5;
    assert_int_equal(sac_translation_read(&translator->base, words, 0, &failure), SAC_E_ARGUMENT);
    assert_int_equal(
        sac_translation_read(&translator->base, words, SAC_TRANSLATION_SOURCE + 1, &failure),
        SAC_E_ARGUMENT);
    OK(sac_translation_read(&translator->base, words, SAC_TRANSLATION_SOURCE, &failure));
}

static int open_all(void **state)
{
    (void)state;
    OK(sac_device_open(NULL, &device, &failure));
    translator = create(true);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    sac_translator_destroy(translator);
    sac_device_close(device);
    return 0;
}

TEST_MAIN(open_all, close_all)
