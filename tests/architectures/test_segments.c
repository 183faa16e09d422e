/* A pair of texts against `transformers` (make_segments.py): its tokens, the text that each is of, what all
 * heads look at, and parts of that. */
#include "saccade_arrays.h"
#include "sources/heads/head_choice.h"
#include "status.h"
#include "trial.h"

static const char pair[] = "the bank of money [SEP] a river";
static const char pair_of_roberta[] = "the bank of money </s></s> a river";

static const sac_array *find(const sac_arrays *arrays, const char *family, const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s", family, what);
    const sac_array *array = sac_arrays_find(arrays, name);
    assert_non_null(array);
    return array;
}

static void check_part(const sac_source *source, const float *whole, sac_segments segments,
                       size_t row, size_t rows, size_t col, size_t cols)
{
    sac_reader reader = {.source = source};
    sac_head_choice choice = {.layer = 1, .head = 1, .segments = segments};
    size_t T = source->weights.steps, found[4];
    float weights[256];
    assert_true(rows * cols <= 256);
    sac_head_choice_corner(source, &choice, &found[0], &found[2]);
    sac_head_choice_size(source, &choice, &found[1], &found[3]);
    assert_true(found[0] == row && found[1] == rows && found[2] == col && found[3] == cols);
    const sac_rect all = {0, rows, 0, cols};
    OK(sac_head_choice_read(&reader, &choice, &all, SAC_POOL_MEAN, rows, cols, weights, &failure));
    for (size_t i = 0; i < rows * cols; i++)
        compare(&weights[i], &whole[(row + i / cols) * T + col + i % cols], 1, 1e-4, "part");
    sac_reader_free(&reader);
}

static void check_pair(const char *family, const sac_arrays *arrays)
{
    trial t;
    sac_inference *read;
    sac_source source;
    open_named(&t, family, "");
    const char *text = strcmp(family, "xlm_roberta") ? pair : pair_of_roberta;
    OK(sac_inference_read(t.model, text, &read, &failure));
    const sac_array *ids = find(arrays, family, "ids"), *types = find(arrays, family, "types"),
                    *attentions = find(arrays, family, "attentions");
    const int *type = types->data;
    size_t T = read->count, H = attentions->shape[1], L = attentions->shape[0];
    assert_int_equal(T, ids->shape[0]);
    assert_memory_equal(read->ids, ids->data, T * sizeof *read->ids);
    /* Where a family has types of its own, the second text begins where they do. */
    size_t second = read->second;
    assert_true(second > 0 && second < T);
    for (size_t i = 0; i < T && type[T - 1]; i++)
        assert_int_equal(type[i], i >= second);
    OK(sac_inference_open_source(read, &source, &failure));
    assert_int_equal(source.weights.second, second);
    float *weights = calloc(T * T, sizeof *weights);
    assert_non_null(weights);
    for (size_t i = 0; i < L * H; i++) {
        const sac_tile tile = {.head = i % H, .rows = T, .cols = T};
        OK(source.weights.tile(source.self, i / H, &tile, weights, &failure));
        compare(weights, (const float *)attentions->data + i * T * T, T * T, 1e-4, "attentions");
    }
    const float *whole = (const float *)attentions->data + (H + 1) * T * T;
    size_t rest = T - second;
    check_part(&source, whole, SAC_SEGMENTS_ALL, 0, T, 0, T);
    check_part(&source, whole, SAC_SEGMENTS_AA, 0, second, 0, second);
    check_part(&source, whole, SAC_SEGMENTS_BB, second, rest, second, rest);
    check_part(&source, whole, SAC_SEGMENTS_AB, 0, second, second, rest);
    check_part(&source, whole, SAC_SEGMENTS_BA, second, rest, 0, second);
    /* What frames the texts is known. */
    assert_non_null(source.weights.special);
    assert_int_equal(source.weights.special[0], 1);
    assert_int_equal(source.weights.special[1], 0);
    assert_int_equal(source.weights.special[second - 1], 1);
    assert_int_equal(source.weights.special[T - 1], 1);
    free(weights);
    sac_source_destroy(&source);
    close_trial(&t);
}

TEST(a_pair_of_texts_is_that_of_transformers)
{
    static const char *const families[] = {"bert", "xlm_roberta", "electra", "distilbert"};
    sac_arrays *arrays;
    OK(sac_arrays_open(REFERENCES "/segments.safetensors", &arrays, &failure));
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        check_pair(families[i], arrays);
    sac_arrays_close(arrays);
}

TEST(a_decoder_and_three_texts_have_no_pair)
{
    trial t;
    sac_inference *read;
    sac_source source;
    open_named(&t, "electra", "");
    OK(sac_inference_read(t.model, "the [SEP] bank [SEP] a", &read, &failure));
    assert_int_equal(read->second, 0);
    sac_inference_free(read);
    OK(sac_inference_read(t.model, "the bank [SEP] ", &read, &failure));
    assert_int_equal(read->second, 0);
    sac_inference_free(read);
    close_trial(&t);
    open_named(&t, "xlm_roberta", ""); /* whose texts may have [SEP] in them */
    OK(sac_inference_read(t.model, "the bank [SEP] a", &read, &failure));
    assert_int_equal(read->second, 0);
    sac_inference_free(read);
    close_trial(&t);
    open_named(&t, "gpt2", "");
    OK(sac_inference_read(t.model, "the bank [SEP] a", &read, &failure));
    OK(sac_inference_open_source(read, &source, &failure));
    assert_int_equal(source.weights.second, 0);
    sac_source_destroy(&source);
    close_trial(&t);
}

TEST_MAIN(open_device, close_device)
