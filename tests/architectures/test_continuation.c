/* The generation after a text, with the origin of each token: it equals that of sac_inference_continue,
 * from changes on too; its rows are the means of what all heads look at. */
#include "generate/token_run.h"
#include "status.h"
#include "trial.h"

static const int ids[] = {3, 9, 14, 1, 6};
enum { READ = 5, GENERATED = 6 };

static void open_continuation(trial *t, const char *family, sac_source *source)
{
    sac_inference *p;
    open_named(t, family, "");
    OK(sac_inference_read_tokens(t->model, ids, READ, &p, &failure));
    OK(sac_inference_open_source(p, source, &failure));
    assert_non_null(source->result.candidates);
}

static void generate(sac_source *source, const sac_sampling *how, sac_generation *generated)
{
    sac_result result;
    OK(sac_source_generate(source, &(sac_result_request){.sampling = how}, &result, &failure));
    *generated = result.generation;
}

/* The tokens that the model generates after `begun` [count]. */
static int generate_plainly(trial *t, const int *begun, size_t count, int most, int *generated)
{
    const sac_sampling options = {.count = most};
    sac_inference *p;
    int found;
    OK(sac_inference_read_tokens(t->model, begun, count, &p, &failure));
    OK(sac_inference_continue(p, &options, generated, &found, &failure));
    sac_inference_free(p);
    return found;
}

static void check_labels(trial *t, const sac_generation *generated, const int *expected)
{
    sac_inference *p;
    sac_labels labels;
    OK(sac_inference_read_tokens(t->model, expected, generated->count, &p, &failure));
    OK(sac_inference_labels(p, &labels, &failure));
    assert_int_equal(generated->tokens.count, generated->count);
    for (size_t i = 0; i < generated->count; i++)
        assert_string_equal(generated->tokens.text[i], labels.text[i]);
    sac_labels_free(&labels);
    /* The rows by which they were generated, from the weights of all heads. */
    sac_source source;
    OK(sac_inference_open_source(p, &source, &failure));
    size_t T = generated->count, heads = source.weights.heads, maps = source.weights.layers * heads;
    float *row = calloc(2 * T, sizeof *row);
    for (size_t s = 0; s < generated->generated; s++) {
        memset(row, 0, T * sizeof *row);
        for (size_t i = 0; i < maps; i++) {
            const sac_tile tile = {.head = i % heads, .row = READ + s - 1, .rows = 1, .cols = T};
            OK(source.weights.tile(source.self, i / heads, &tile, row + T, &failure));
            for (size_t c = 0; c < T; c++)
                row[c] += row[T + c] / (float)maps;
        }
        compare(generated->rows + s * T, row, T, 1e-5, "row");
    }
    free(row);
    sac_source_destroy(&source);
}

static void check_generation(const char *family)
{
    trial t;
    sac_source source;
    sac_generation generated;
    int expected[READ + GENERATED];
    open_continuation(&t, family, &source);
    memcpy(expected, ids, sizeof ids);
    int count = generate_plainly(&t, ids, READ, GENERATED, expected + READ);
    sac_sampling how = {.count = GENERATED};
    generate(&source, &how, &generated);
    assert_int_equal(generated.generated, count);
    assert_int_equal(generated.count, READ + count);
    check_labels(&t, &generated, expected);
    sac_generation_free(&generated);
    /* Another token at step 2, and from there on what follows it. */
    int other = expected[READ + 2] == 7 ? 8 : 7;
    assert_true(sac_sampling_change(&how, 2, other));
    expected[READ + 2] = other;
    count = 3 + generate_plainly(&t, expected, READ + 3, GENERATED - 3, expected + READ + 3);
    generate(&source, &how, &generated);
    assert_int_equal(generated.generated, count);
    check_labels(&t, &generated, expected);
    sac_generation_free(&generated);
    sac_source_destroy(&source);
    close_trial(&t);
}

TEST(what_is_generated_is_what_the_model_goes_on_with)
{
    check_generation("gpt2");
    check_generation("llama");
}

TEST(candidates_are_the_most_probable_and_what_the_sampling_leaves)
{
    trial t;
    sac_source source;
    sac_generation generated;
    sac_candidate one[SAC_GENERATION_CANDIDATES];
    int count, kept, step = 1;
    open_continuation(&t, "gpt2", &source);
    sac_sampling how = {.count = GENERATED};
    OK(source.result.candidates(source.self, 0, &how, one, &count, &kept, &failure));
    for (int i = 0; i < count; i++)
        assert_false(one[i].stands); /* nothing was generated yet */
    assert_int_not_equal(source.result.candidates(source.self, 1, &how, one, &count, &kept, NULL),
                         SAC_OK);
    generate(&source, &how, &generated);
    OK(source.result.candidates(source.self, (size_t)step, &how, one, &count, &kept, &failure));
    assert_true(count > 4 && kept == 1 && one[0].stands && one[0].left == 1 && one[1].left == 0);
    for (int i = 1; i < count; i++)
        assert_true(one[i].probability <= one[i - 1].probability);
    /* They are those of the logits behind the token before. */
    sac_inference *p;
    int begun[READ + 1];
    memcpy(begun, ids, sizeof ids);
    generate_plainly(&t, ids, READ, 1, begun + READ);
    OK(sac_inference_read_tokens(t.model, begun, READ + 1, &p, &failure));
    float *logits = calloc(sac_inference_vocabulary(p), sizeof *logits);
    OK(sac_inference_logits(p, READ, logits, &failure));
    assert_float_equal(one[0].probability,
                       sac_logits_probability(logits, sac_inference_vocabulary(p), one[0].id),
                       1e-5);
    sac_inference_free(p);
    free(logits);
    how = (sac_sampling){.count = GENERATED, .draw = {.temperature = 2, .top_k = 3}};
    OK(source.result.candidates(source.self, (size_t)step, &how, one, &count, &kept, &failure));
    assert_int_equal(kept, 3);
    assert_float_equal(one[0].left + one[1].left + one[2].left, 1, 1e-5);
    assert_true(one[3].left == 0 && one[3].probability > 0);
    sac_generation_free(&generated);
    sac_source_destroy(&source);
    close_trial(&t);
}

/* Beam search of width 4 finds another text than greedy decoding. Where a person replaces a token, the
 * tokens before it stay. */
TEST(the_best_of_several_texts_is_generated)
{
    trial t;
    sac_source source = {0};
    sac_generation generated = {0}, changed = {0};
    int plain[GENERATED], best[GENERATED], count;
    open_continuation(&t, "llama", &source);
    sac_sampling how = {.count = GENERATED, .beam = 4};
    sac_inference *text;
    OK(sac_inference_read_tokens(t.model, ids, READ, &text, &failure));
    generate_plainly(&t, ids, READ, GENERATED, plain);
    OK(sac_inference_continue(text, &how, best, &count, &failure));
    assert_int_equal(count, GENERATED);
    assert_memory_not_equal(best, plain, sizeof best);
    generate(&source, &how, &generated);
    assert_int_equal(generated.generated, GENERATED);
    assert_true(sac_sampling_change(&how, 2, 7));
    generate(&source, &how, &changed);
    assert_int_equal(changed.generated, GENERATED);
    for (int i = 0; i < 2; i++)
        assert_string_equal(changed.tokens.text[READ + i], generated.tokens.text[READ + i]);
    assert_string_not_equal(changed.tokens.text[READ + 2], generated.tokens.text[READ + 2]);
    char setting[128];
    sac_sampling read;
    how = (sac_sampling){.count = GENERATED, .beam = 4, .penalty = {true, -1.5f}};
    assert_true(sac_sampling_read(sac_sampling_text(&how, setting, sizeof setting), &read));
    assert_true(read.penalty.given && read.penalty.value == -1.5f && read.beam == 4);
    how.draw.temperature = 1;
    assert_int_equal(sac_inference_continue(text, &how, best, &count, NULL), SAC_E_ARGUMENT);
    how = (sac_sampling){.count = GENERATED, .beam = 17};
    assert_int_equal(sac_inference_continue(text, &how, best, &count, NULL), SAC_E_ARGUMENT);
    sac_generation_free(&generated);
    sac_generation_free(&changed);
    sac_inference_free(text);
    sac_source_destroy(&source);
    close_trial(&t);
}

TEST_MAIN(open_device, close_device)
