/* The weights of all layers and heads are those that the model computed with. */

#include "status.h"
#include "test.h"
#include "tiny.h"
#include "transformer/transformer.h"
#include "translation/translation.h"

enum { SOURCE = 5, TARGET = 6, WIDTH = 12, HEADS = 2, DEPTH = WIDTH / HEADS };
static const int sentence[SOURCE] = {5, 9, 4, 12, 7};
static const int translation[TARGET] = {7, 8, 9, 10, 11, 12};

static sac_transformer *read_and_look(bool norm_first, sac_normalizer normalizer,
                                      sac_attentions *attentions)
{
    sac_transformer *t = tiny_transformer_of(norm_first, normalizer);
    OK(sac_translation_read(&t->base, sentence, SOURCE, &failure));
    OK(sac_transformer_attentions(&t->base, translation, TARGET, attentions, &failure));
    return t;
}

static const float *row_of(const sac_attention_kind *k, size_t layer, size_t head, size_t step)
{
    return k->weights + ((layer * k->heads + head) * k->steps + step) * k->positions;
}

static void check_rows(const sac_attention_kind *k, bool causal)
{
    for (size_t map = 0; map < k->layers * k->heads; map++)
        for (size_t t = 0; t < k->steps; t++) {
            const float *row = row_of(k, map / k->heads, map % k->heads, t);
            double sum = 0;
            for (size_t i = 0; i < k->positions; i++) {
                sum += row[i];
                assert_true(causal && i > t ? row[i] == 0 : row[i] > 0);
            }
            assert_true(fabs(sum - 1) < 1e-6);
        }
}

TEST(rows_sum_to_one_and_no_word_sees_a_later_one)
{
    sac_attentions a;
    sac_transformer *t = read_and_look(false, SAC_NORMALIZER_SOFTMAX, &a);
    const size_t sizes[][2] = {{SOURCE, SOURCE}, {TARGET, TARGET}, {TARGET, SOURCE}};
    for (int k = 0; k < SAC_ATTENTION_KINDS; k++) {
        const sac_attention_kind *kind = &a.kind[k];
        assert_int_equal(kind->layers, t->sizes.layers);
        assert_int_equal(kind->heads, HEADS);
        assert_int_equal(kind->steps, sizes[k][0]);
        assert_int_equal(kind->positions, sizes[k][1]);
        check_rows(kind, k == SAC_DECODER_ATTENTION);
    }
    sac_attentions_free(&a);
    sac_transformer_destroy(t);
}

/* The float64 sum of the values by their weights is what the device's attention gave. */
static void check_heads(sac_transformer *t, const sac_multihead_tensors *tensors,
                        const sac_attention_kind *kind, size_t layer)
{
    float value[TARGET * WIDTH], heads[TARGET * WIDTH];
    sac_pass_read(&t->base.pass, tensors->value, value);
    sac_pass_read(&t->base.pass, tensors->heads, heads);
    OK(sac_pass_end(&t->base.pass, &failure));
    for (size_t step = 0; step < kind->steps; step++)
        for (size_t d = 0; d < WIDTH; d++) {
            const float *row = row_of(kind, layer, d / DEPTH, step);
            double sum = 0;
            for (size_t i = 0; i < kind->positions; i++)
                sum += (double)row[i] * value[i * WIDTH + d];
            assert_true(fabs(sum - heads[step * WIDTH + d]) < 2e-6);
        }
}

static void check_values(bool norm_first, sac_normalizer normalizer)
{
    static const uint8_t padding[TARGET];
    const sac_stack_noise quiet = {0};
    int inputs[TARGET] = {SAC_TOKEN_START};
    sac_attentions a;
    sac_transformer *t = read_and_look(norm_first, normalizer, &a);
    sac_arena arena = {0};
    sac_stack_tensors source = {0}, target = {0};
    memcpy(inputs + 1, translation, (TARGET - 1) * sizeof *inputs);
    sac_transformer_shape(t, &arena, 1, SOURCE, TARGET, &source, &target);
    sac_stack_upload(&t->base.pass, &t->weights.encoder,
                     &(sac_stack_words){sentence, padding, NULL}, &source);
    sac_stack_upload(&t->base.pass, &t->weights.decoder, &(sac_stack_words){inputs, padding, NULL},
                     &target);
    sac_tensor memory = sac_transformer_encode(t, &quiet, &source);
    sac_transformer_decode(t, &quiet, &target, &source, memory);
    for (int i = 0; i < t->sizes.layers; i++) {
        check_heads(t, &source.layer[i].attention[SAC_PART_SELF], &a.kind[SAC_ENCODER_ATTENTION],
                    (size_t)i);
        check_heads(t, &target.layer[i].attention[SAC_PART_SELF], &a.kind[SAC_DECODER_ATTENTION],
                    (size_t)i);
        check_heads(t, &target.layer[i].attention[SAC_PART_CROSS], &a.kind[SAC_CROSS_ATTENTION],
                    (size_t)i);
    }
    sac_arena_release(&arena);
    sac_attentions_free(&a);
    sac_transformer_destroy(t);
}

TEST(values_by_their_weights_are_what_each_head_gives)
{
    check_values(false, SAC_NORMALIZER_SOFTMAX);
    check_values(true, SAC_NORMALIZER_SOFTMAX);
}

/* Of the attention to the sentence alone: words attend to words by a softmax. */
TEST(values_by_sparse_weights_are_what_each_head_gives)
{
    check_values(false, SAC_NORMALIZER_ENTMAX15);
    check_values(true, SAC_NORMALIZER_SPARSEMAX);
}

TEST(the_head_that_aligns_has_the_weights_of_the_translation)
{
    sac_attentions a;
    sac_result generated;
    sac_result_request request = {.beam = 2};
    sac_transformer *t = tiny_transformer(false);
    OK(sac_translation_read(&t->base, sentence, SOURCE, &failure));
    OK(sac_translation_generate(&t->base, &request, &generated, &failure));
    OK(sac_translation_attentions(&t->base, &generated, &a, &failure));
    const sac_attention_kind *cross = &a.kind[SAC_CROSS_ATTENTION];
    size_t layer, head;
    assert_true(sac_best_head(cross->alignment, cross->layers, cross->heads, &layer, &head));
    assert_int_equal(layer, t->aligner.layer);
    assert_int_equal(head, t->aligner.head);
    assert_true(generated.count >= 2);
    for (int i = 0; i < generated.count * SOURCE; i++)
        assert_true(fabsf(row_of(cross, layer, head, 0)[i] - generated.weights[i]) < 1e-5f);
    sac_attentions_free(&a);
    sac_result_free(&generated);
    sac_transformer_destroy(t);
}

TEST(words_are_named_and_the_decoder_begins_at_the_start)
{
    sac_attentions a;
    sac_transformer *t = read_and_look(false, SAC_NORMALIZER_SOFTMAX, &a);
    const sac_attention_kind *decoder = &a.kind[SAC_DECODER_ATTENTION];
    const sac_attention_kind *cross = &a.kind[SAC_CROSS_ATTENTION];
    assert_string_equal(decoder->position_labels.text[0], "start");
    for (int i = 0; i < TARGET; i++) {
        const char *word = sac_translating_word(&t->translating, SAC_TARGET_SIDE, translation[i]);
        assert_string_equal(decoder->step_labels.text[i], word);
        assert_string_equal(cross->step_labels.text[i], word);
        if (i + 1 < TARGET)
            assert_string_equal(decoder->position_labels.text[i + 1], word);
    }
    for (int i = 0; i < SOURCE; i++) {
        const char *word = sac_translating_word(&t->translating, SAC_SOURCE_SIDE, sentence[i]);
        assert_string_equal(cross->position_labels.text[i], word);
        assert_string_equal(a.kind[SAC_ENCODER_ATTENTION].step_labels.text[i], word);
    }
    sac_attentions_free(&a);
    sac_transformer_destroy(t);
}

TEST(no_words_have_no_weights)
{
    sac_attentions a;
    sac_transformer *t = tiny_transformer(false);
    OK(sac_translation_read(&t->base, sentence, SOURCE, &failure));
    assert_int_equal(sac_transformer_attentions(&t->base, translation, 0, &a, &failure),
                     SAC_E_ARGUMENT);
    assert_null(a.kind[0].weights);
    sac_transformer_destroy(t);
}

TEST_MAIN(open_device, close_device)
