/* Word by word or all at once, alone or in a batch: a transformer generates the same, and no word sees
 * what it may not see. */

#include "status.h"
#include "test.h"
#include "tiny.h"
#include "translation/translation.h"

enum { SOURCE = 5, TARGET = 6, MOST = 8, PADDED = 2 };
static const int sentence[SOURCE] = {5, 9, 4, 12, 7};
static const int translation[TARGET] = {7, 8, 9, 10, 11, 12};

/* One pass over a sentence and its translation. */
typedef struct pass_over {
    sac_arena arena;
    sac_stack_tensors source, target;
    sac_tensor logits;
} pass_over;

/* `target`: the words before each word, the start first. */
static void run(sac_transformer *t, pass_over *p, const int *source, const int *target,
                size_t source_steps, const uint8_t *source_padding, float *logits)
{
    const sac_stack_noise quiet = {0};
    static const uint8_t no_padding[MOST];
    size_t words = (size_t)t->sizes.target_words;
    sac_transformer_shape(t, &p->arena, 1, source_steps, TARGET, &p->source, &p->target);
    sac_arena_shape(&p->arena, &t->base.pass, &p->logits, TARGET, words);
    sac_stack_upload(&t->base.pass, &t->weights.encoder,
                     &(sac_stack_words){source, source_padding, NULL}, &p->source);
    sac_stack_upload(&t->base.pass, &t->weights.decoder,
                     &(sac_stack_words){target, no_padding, NULL}, &p->target);
    sac_tensor memory = sac_transformer_encode(t, &quiet, &p->source);
    sac_tensor z = sac_transformer_decode(t, &quiet, &p->target, &p->source, memory);
    sac_stack_logits(&t->base.pass, &t->weights.decoder, p->logits, z);
    sac_pass_read(&t->base.pass, p->logits, logits);
    OK(sac_pass_end(&t->base.pass, &failure));
}

/* Logits [TARGET,V] of the translation, each word given those before it; free() them. */
static float *teach(sac_transformer *t, const int *source, const int *target, size_t source_steps,
                    const uint8_t *source_padding)
{
    pass_over p = {{0}};
    float *logits = calloc(TARGET * (size_t)t->sizes.target_words, sizeof *logits);
    assert_non_null(logits);
    run(t, &p, source, target, source_steps, source_padding, logits);
    sac_arena_release(&p.arena);
    return logits;
}

static void inputs_of(const int *words, int inputs[TARGET])
{
    inputs[0] = SAC_TOKEN_START;
    memcpy(inputs + 1, words, (TARGET - 1) * sizeof *words);
}

static double probability(const float *logits, int count, int word)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += exp((double)logits[i]);
    return exp((double)logits[word]) / sum;
}

static sac_result generate(sac_transformer *t, int beam)
{
    sac_result caption;
    sac_result_request request = {.beam = beam, .prefix_count = TARGET};
    memcpy(request.prefix, translation, sizeof translation);
    OK(sac_translation_read(&t->base, sentence, SOURCE, &failure));
    OK(sac_translation_generate(&t->base, &request, &caption, &failure));
    assert_true(caption.count >= TARGET);
    return caption;
}

static const uint8_t none_padded[MOST];

static void check_steps(bool norm_first, sac_normalizer normalizer)
{
    sac_transformer *t = tiny_transformer_of(norm_first, normalizer);
    int inputs[TARGET], words = t->sizes.target_words;
    inputs_of(translation, inputs);
    float *logits = teach(t, sentence, inputs, SOURCE, none_padded);
    sac_result caption = generate(t, 1);
    for (int i = 0; i < TARGET; i++) {
        double wanted = probability(logits + i * words, words, translation[i]);
        assert_true(fabs(caption.outputs[i].probability - wanted) <= 1e-5 * wanted);
    }
    sac_result_free(&caption);
    free(logits);
    sac_transformer_destroy(t);
}

TEST(words_generated_one_by_one_are_as_probable_as_those_of_one_pass)
{
    check_steps(false, SAC_NORMALIZER_SOFTMAX);
    check_steps(true, SAC_NORMALIZER_SOFTMAX);
    check_steps(false, SAC_NORMALIZER_ENTMAX15);
}

/* Keys and values go along with the rows that go on: among several translations each word is as
 * probable as in one pass over the generated words. */
TEST(the_rows_of_a_beam_keep_their_own_words)
{
    sac_transformer *t = tiny_transformer(false);
    sac_result caption;
    int generated[TARGET], inputs[TARGET], words = t->sizes.target_words;
    OK(sac_translation_read(&t->base, sentence, SOURCE, &failure));
    OK(sac_translation_generate(&t->base, &(sac_result_request){.beam = 5}, &caption, &failure));
    assert_true(caption.count >= TARGET);
    for (int i = 0; i < TARGET; i++)
        generated[i] = caption.outputs[i].word;
    inputs_of(generated, inputs);
    float *logits = teach(t, sentence, inputs, SOURCE, none_padded);
    for (int i = 0; i < TARGET; i++) {
        double wanted = probability(logits + i * words, words, generated[i]);
        assert_true(fabs(caption.outputs[i].probability - wanted) <= 1e-5 * wanted);
    }
    sac_result_free(&caption);
    free(logits);
    sac_transformer_destroy(t);
}

TEST(a_later_word_changes_nothing_before_it)
{
    sac_transformer *t = tiny_transformer(false);
    int inputs[TARGET];
    size_t words = (size_t)t->sizes.target_words;
    inputs_of(translation, inputs);
    float *before = teach(t, sentence, inputs, SOURCE, none_padded);
    inputs[3] = 20;
    float *after = teach(t, sentence, inputs, SOURCE, none_padded);
    assert_memory_equal(before, after, 3 * words * sizeof *before);
    assert_memory_not_equal(before + 3 * words, after + 3 * words, words * sizeof *before);
    free(before);
    free(after);
    sac_transformer_destroy(t);
}

TEST(padding_changes_nothing_whatever_stands_there)
{
    sac_transformer *t = tiny_transformer(false);
    int inputs[TARGET], padded[SOURCE + PADDED] = {0};
    size_t count = TARGET * (size_t)t->sizes.target_words;
    const uint8_t padding[MOST] = {[SOURCE] = 1, [SOURCE + 1] = 1};
    inputs_of(translation, inputs);
    memcpy(padded, sentence, sizeof sentence);
    float *alone = teach(t, sentence, inputs, SOURCE, none_padded);
    float *blank = teach(t, padded, inputs, SOURCE + PADDED, padding);
    padded[SOURCE] = 33;
    padded[SOURCE + 1] = 44;
    float *other = teach(t, padded, inputs, SOURCE + PADDED, padding);
    assert_memory_equal(blank, other, count * sizeof *blank);
    for (size_t i = 0; i < count; i++) /* another number of keys is summed in another order */
        assert_true(fabsf(alone[i] - blank[i]) <= 1e-5f);
    free(alone);
    free(blank);
    free(other);
    sac_transformer_destroy(t);
}

TEST(weights_over_the_sentence_sum_to_one_and_hidden_words_have_none)
{
    sac_transformer *t = tiny_transformer(false);
    const uint8_t hidden[SOURCE] = {[2] = 1};
    sac_result caption;
    sac_result_request request = {.beam = 2, .hidden = hidden};
    OK(sac_translation_read(&t->base, sentence, SOURCE, &failure));
    OK(sac_translation_generate(&t->base, &request, &caption, &failure));
    for (int i = 0; i < caption.count; i++) {
        const float *row = caption.weights + i * SOURCE;
        float sum = 0;
        for (int k = 0; k < SOURCE; k++)
            sum += row[k];
        assert_true(fabsf(sum - 1) < 1e-5f);
        assert_true(row[2] == 0);
    }
    sac_result_free(&caption);
    sac_transformer_destroy(t);
}

TEST(a_sentence_beyond_the_table_of_positions_is_refused)
{
    sac_transformer *t = tiny_transformer(false);
    sac_arena arena = {0};
    sac_stack_tensors stack = {0};
    static const int words[SAC_TRANSFORMER_PLACES + 1];
    static const uint8_t padding[SAC_TRANSFORMER_PLACES + 1];
    sac_stack_shape(&t->base.pass, &arena, &t->weights.encoder, 1, SAC_TRANSFORMER_PLACES + 1, 0, 0,
                    &stack);
    sac_stack_upload(&t->base.pass, &t->weights.encoder, &(sac_stack_words){words, padding, NULL},
                     &stack);
    REFUSES(SAC_E_SHAPE, "…word 65 lies beyond a table of 64 places…",
            sac_pass_end(&t->base.pass, &failure));
    sac_arena_release(&arena);
    sac_transformer_destroy(t);
}

TEST_MAIN(open_device, close_device)
