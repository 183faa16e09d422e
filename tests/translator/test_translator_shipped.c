/* The translator that comes with the program reaches its figures on held-out sentences. */

#include "models/checkpoint.h"
#include "on_device.h"
#include "status.h"
#include "test.h"
#include "translation/evaluate.h"
#include "translation/translation.h"
#include "translator/translator.h"

enum { SENTENCES = 120, SEED = 4711 };

static sac_model *translator;

static sac_result translate(const char *text)
{
    sac_word_list english;
    sac_source_text read;
    sac_result caption;
    OK(sac_word_list_create(SAC_ENGLISH, &english, &failure));
    OK(sac_source_text_read(&english, text, &read, &failure));
    OK(sac_translation_read(translator, read.words, read.count, &failure));
    OK(sac_translation_generate(translator, &(sac_result_request){0}, &caption, &failure));
    sac_source_text_free(&read);
    sac_word_list_free(&english);
    return caption;
}

static void assert_translates(const char *english, const char *french)
{
    char text[1024];
    sac_result caption = translate(english);
    assert_string_equal(sac_result_text(&caption, text, sizeof text), french);
    assert_true(caption.finished);
    sac_result_free(&caption);
}

static int heaviest(const sac_result *c, int word)
{
    int best = 0;
    for (int i = 1; i < c->grid_w; i++)
        if (c->weights[word * c->grid_w + i] > c->weights[word * c->grid_w + best])
            best = i;
    return best;
}

TEST(every_word_of_the_figure_looks_at_its_own)
{
    sac_sentence_pair pair;
    char text[1024];
    sac_sentence_make_for_figure(&pair);
    sac_result c = translate(sac_sentence_join(pair.source, pair.source_count, text, sizeof text));
    assert_int_equal(c.count, pair.target_count);
    for (int t = 0; t < c.count; t++) {
        assert_string_equal(c.outputs[t].text, pair.target[t]);
        if (!(pair.links[t] >> heaviest(&c, t) & 1))
            fail_msg("\"%s\" looks at \"%s\"", c.outputs[t].text, c.positions[heaviest(&c, t)]);
    }
    sac_result_free(&c);
}

TEST(a_part_of_a_sentence_is_translated_as_a_part)
{
    assert_translates("the european economic area", "la zone économique européenne");
    assert_translates("the agreement was signed", "l' accord a été signé");
}

/* Of 40 sentences each that are held out by pair, by length and as they are. */
TEST(held_out_sentences_are_translated_and_aligned)
{
    sac_translation_evaluation e;
    sac_evaluation_options options = {.count = SENTENCES, .seed = SEED, .beam = 3};
    OK(sac_translation_evaluate(translator, &options, NULL, &e, &failure));
    assert_int_equal(e.unseen, SENTENCES / 3);
    assert_int_equal(e.longer, SENTENCES / 3);
    assert_true((double)e.exact >= 0.95 * SENTENCES);
    assert_true(e.alignment.right >= 0.90 * (double)e.alignment.words);
    assert_true(e.alignment.diagonal < 0.8 * (double)e.alignment.words);
}

static int open_all(void **state)
{
    (void)state;
    OK(sac_device_open(NULL, &device, &failure));
    OK(sac_checkpoint_load(&sac_translator_class, device, ASSETS "/translator/additive.safetensors",
                           &translator, &failure));
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    sac_model_destroy(translator);
    sac_device_close(device);
    return 0;
}

TEST_MAIN(open_all, close_all)
