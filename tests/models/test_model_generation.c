/* Generation word by word of our captioners and translators equals greedy generation, looks where
 * their own attention does, and goes on from a word that a person chose. */
#include "status.h"
#include "table/models.h"
#include "test.h"

typedef struct model {
    const char *weights, *picture, *text; /* both NULL: scene 91 */
    bool has_layers;                      /* in which words look back at words */
} model;
static const model models[] = {
    {.weights = "captioner/additive.safetensors"},
    {.weights = "captioner/scaled-dot.safetensors"},
    {.weights = "captioner/photograph.safetensors", .picture = "samples/cat.png"},
    {.weights = "translator/additive.safetensors", .text = "the small cat sleeps ."},
    {.weights = "translator/plain.safetensors", .text = "the small cat sleeps ."},
    {.weights = "translator/transformer.safetensors",
     .text = "the small cat sleeps .",
     .has_layers = true},
};
enum { MODELS = sizeof models / sizeof *models, SEVERAL = 40 };

static sac_source open_model(const model *m)
{
    char path[512], picture[512];
    const char *weights[] = {path}, *pictures[] = {picture};
    snprintf(path, sizeof path, "%s/%s", ASSETS, m->weights);
    snprintf(picture, sizeof picture, "%s/%s", ASSETS, m->picture ? m->picture : "");
    sac_source source;
    const sac_model_open_options options = {.weights = weights,
                                            .weight_count = 1,
                                            .pictures = pictures,
                                            .picture_count = m->picture != NULL,
                                            .text = m->text,
                                            .scene = 91};
    OK(sac_model_open(&options, &source, &failure));
    return source;
}

static sac_generation generate(sac_source *source, const sac_sampling *how)
{
    sac_result result;
    OK(sac_source_generate(source, &(sac_result_request){.sampling = how}, &result, &failure));
    return result.generation;
}

/* The candidate that stands at a step; `second` is the most probable one beside it. */
static sac_candidate standing(sac_source *source, size_t step, const sac_sampling *how,
                              sac_candidate *second)
{
    sac_candidate one[SAC_GENERATION_CANDIDATES], stands = {.id = -1};
    int count, kept;
    OK(source->result.candidates(source->self, step, how, one, &count, &kept, &failure));
    for (int i = count - 1; i >= 0; i--) {
        if (one[i].stands)
            stands = one[i];
        else if (second)
            *second = one[i];
    }
    return stands;
}

/* A word's probability is a softmax of float32 logits on both ways. */
static void expect_words(sac_source *source, const sac_sampling *how,
                         const sac_generation *generated, const sac_result *caption, int given)
{
    assert_int_equal(generated->generated, caption->count);
    for (int i = 0; i < caption->count; i++) {
        sac_candidate word = standing(source, (size_t)i, how, NULL);
        assert_int_equal(word.id, caption->outputs[i].word);
        assert_string_equal(word.text, caption->outputs[i].text);
        if (i >= given)
            assert_float_equal(word.probability, caption->outputs[i].probability, 1e-5);
    }
}

static double sum_of(const float *numbers, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)numbers[i];
    return sum;
}

static float mean_of(const sac_attention_kind *kind, size_t step, size_t position)
{
    const size_t maps = kind->layers * kind->heads;
    double sum = 0;
    for (size_t m = 0; m < maps; m++)
        sum += (double)kind->weights[(m * kind->steps + step) * kind->positions + position];
    return (float)(sum / (double)maps);
}

/* Of a decoder with layers. */
static void expect_means(sac_source *source, const sac_result *caption,
                         const sac_generation *generated)
{
    const size_t N = generated->apart;
    sac_attentions a;
    OK(sac_source_attentions(source, 0, caption, &a, &failure));
    const sac_attention_kind *cross = &a.kind[SAC_CROSS_ATTENTION],
                             *own = &a.kind[SAC_DECODER_ATTENTION];
    assert_int_equal(cross->positions, N);
    for (size_t s = 0; s < generated->generated; s++) {
        const float *row = generated->rows + s * generated->count;
        for (size_t i = 0; i < N; i++)
            assert_float_equal(row[i], mean_of(cross, s, i), 1e-6);
        for (size_t i = 0; i < own->positions; i++)
            assert_float_equal(row[N + i], mean_of(own, s, i), 1e-6);
        assert_float_equal(sum_of(row, N), 1, 1e-5);
        assert_float_equal(sum_of(row + N, generated->count - N), 1, 1e-5);
    }
    sac_attentions_free(&a);
}

TEST(words_are_those_of_a_greedy_search_and_look_where_the_model_does)
{
    for (int m = 0; m < MODELS; m++) {
        sac_source source = open_model(&models[m]);
        const sac_sampling how = {.count = SEVERAL};
        sac_result caption;
        sac_generation generated = generate(&source, &how);
        OK(sac_source_generate(&source, &(sac_result_request){.beam = 1}, &caption, &failure));
        assert_true(caption.count > 2);
        expect_words(&source, &how, &generated, &caption, 0);
        const size_t N = (size_t)caption.grid_w * (size_t)caption.grid_h;
        assert_int_equal(generated.apart, N);
        assert_int_equal(generated.count, N + generated.generated + models[m].has_layers);
        assert_int_equal(generated.pictured, models[m].text ? 0 : N);
        if (models[m].has_layers)
            expect_means(&source, &caption, &generated);
        else
            for (size_t s = 0; s < generated.generated; s++)
                assert_memory_equal(generated.rows + s * generated.count, caption.weights + s * N,
                                    N * sizeof(float));
        if (!models[m].text)
            for (size_t s = 0; s < generated.generated; s++)
                assert_memory_equal(generated.cells + s * N, generated.rows + s * generated.count,
                                    N * sizeof(float));
        sac_result_free(&caption);
        sac_generation_free(&generated);
        sac_source_destroy(&source);
    }
}

TEST(a_word_that_is_chosen_goes_on_as_a_given_beginning_does)
{
    for (int m = 0; m < MODELS; m++) {
        sac_source source = open_model(&models[m]);
        sac_sampling how = {.count = SEVERAL};
        sac_result_request given = {.beam = 1, .prefix_count = 2};
        sac_candidate second = {.id = -1};
        sac_result caption;
        sac_generation generated = generate(&source, &how);
        given.prefix[0] = standing(&source, 0, &how, NULL).id;
        standing(&source, 1, &how, &second);
        given.prefix[1] = second.id;
        assert_true(sac_sampling_change(&how, 1, second.id));
        sac_generation_free(&generated);
        generated = generate(&source, &how);
        OK(sac_source_generate(&source, &given, &caption, &failure));
        assert_int_equal(caption.outputs[1].word, second.id);
        expect_words(&source, &how, &generated, &caption, given.prefix_count);
        sac_result_free(&caption);
        sac_generation_free(&generated);
        sac_source_destroy(&source);
    }
}

TEST_MAIN(NULL, NULL)
