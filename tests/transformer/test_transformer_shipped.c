/* The transformer that comes with the program translates and aligns held-out sentences. */

#include "models/checkpoint.h"
#include "on_device.h"
#include "status.h"
#include "test.h"
#include "transformer/transformer.h"
#include "translation/evaluate.h"

enum { SENTENCES = 90, SEED = 4711 };

/* The head that is shown as where a word looks is one of them, and its share is the model's, but
 * for the words of sentences that came out wrong. */
static void check_heads(const sac_translation_evaluation *e)
{
    const sac_head_figures *heads = &e->heads;
    size_t best = 0;
    assert_true(heads->layers > 0 && heads->heads > 1);
    assert_int_equal(heads->words, e->alignment.words);
    for (size_t i = 0; i < heads->layers * heads->heads; i++) {
        assert_true(heads->right[i] <= heads->words);
        best = heads->right[i] > best ? heads->right[i] : best;
    }
    assert_true(fabs((double)best - (double)e->alignment.right) <= 0.01 * (double)heads->words);
}

/* Its figures on 1000 sentences of another seed, less what 90 may differ from those by chance
 * (three deviations: 0.06 of the sentences, 0.02 of the words). */
TEST(held_out_sentences_are_translated_and_aligned)
{
    sac_model *model;
    sac_translation_evaluation e;
    sac_evaluation_options options = {.count = SENTENCES, .seed = SEED, .beam = 3};
    OK(sac_checkpoint_load(&sac_transformer_class, device,
                           ASSETS "/translator/transformer.safetensors", &model, &failure));
    OK(sac_translation_evaluate(model, &options, NULL, &e, &failure));
    assert_true((double)e.exact >= 0.90 * SENTENCES);
    assert_true(e.alignment.right >= 0.95 * (double)e.alignment.words);
    check_heads(&e);
    sac_model_destroy(model);
}

TEST_MAIN(open_device, close_device)
