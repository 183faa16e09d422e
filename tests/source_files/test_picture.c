/* src/sources/files/picture on a device: a picture that attends to itself. */

#include "base/random/random.h"
#include "scores/normalizers.h"
#include "sources/files/picture/features.h"
#include "sources/files/picture/picture_inputs.h"
#include "sources/files/picture/picture_source.h"
#include "status.h"
#include "test.h"

/* float32: scores of up to 50 are rounded to 4e-6, and a weight errs relatively as its score does
 * absolutely; the rest is room for the sums. */
#define WEIGHT_BOUND 2e-5

static void near(double actual, double expected, double bound)
{
    if (!(fabs(actual - expected) <= bound))
        fail_msg("%.9g is not within %.2g of %.9g", actual, bound, expected);
}

/* Random colours, but for two equal patches of 8 × 8 pixels. */
static sac_image speckle(int width, int height)
{
    sac_image image;
    OK(sac_image_create(width, height, &image, NULL));
    for (int i = 0; i < width * height; i++) {
        uint32_t p = sac_philox((uint32_t)(i % width / 8), (uint32_t)(i / width / 8), 3);
        for (int c = 0; c < 3; c++)
            image.rgba[4 * i + c] = (uint8_t)(p >> 8 * c);
        image.rgba[4 * i + 3] = 255;
    }
    return image;
}

static sac_source open_image(sac_image image)
{
    sac_source source;
    OK(sac_picture_from_image(&image, NULL, &source, &failure));
    assert_null(image.rgba);
    return source;
}

static sac_picture_request ask(sac_score score, int cells, int x, int y)
{
    sac_picture_request request = {.settings = sac_picture_defaults(), .query_x = x, .query_y = y};
    request.settings.score = score;
    request.settings.cells = cells;
    return request;
}

static sac_picture_result attend(sac_source *source, const sac_picture_request *request)
{
    sac_picture_result result;
    if (source->picture.attend(source->self, request, &result, &failure) != SAC_OK)
        fail_msg("%s: %s %s", failure.where, failure.what, failure.build_log);
    return result;
}

static double sum_of(const float *weights, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += weights[i];
    return sum;
}

/* ---------------------------------------------------------------- against the reference */

/* The cells as the source measures them. */
static sac_cells measure(const sac_image *image, int grid_w, int grid_h)
{
    sac_light_image linear;
    sac_cells cells;
    OK(sac_light_image_create(image, 1024, &linear, NULL));
    OK(sac_cells_measure(&linear, grid_w, grid_h, &cells, NULL));
    sac_light_image_free(&linear);
    return cells;
}

static void compare_with_reference(sac_source *source, const sac_picture_request *request)
{
    sac_picture_result result = attend(source, request);
    size_t count = (size_t)result.grid_w * (size_t)result.grid_h;
    size_t query = (size_t)(request->query_y * result.grid_w + request->query_x);
    sac_cells cells = measure(source->picture.image, result.grid_w, result.grid_h);
    sac_picture_inputs inputs;
    OK(sac_picture_inputs_create(&request->settings, &cells, request->hidden, &inputs, NULL));
    sac_attention_input input = sac_picture_inputs_view(&inputs);
    double *weights = malloc(count * count * sizeof *weights);
    double *output = malloc(count * 3 * sizeof *output), most = 0;
    OK(sac_attention_reference(&inputs.spec, &input, output, NULL, weights, NULL));
    for (size_t i = 0; i < count; i++)
        near(result.weights[i], weights[query * count + i],
             WEIGHT_BOUND * weights[query * count + i] + 1e-12);
    for (size_t i = 0; i < count * 3; i++)
        near(result.rebuilt[i], sac_light_to_srgb((float)output[i]), 1e-5);
    for (size_t i = 0; i < count * count; i++)
        most = weights[i] > most ? weights[i] : most;
    near(result.rebuild_max, most, WEIGHT_BOUND);
    near(result.entropy, sac_entropy(result.weights, count), 1e-6);
    free(weights);
    free(output);
    sac_picture_inputs_free(&inputs);
    sac_cells_free(&cells);
    sac_picture_result_free(&result);
}

TEST(every_score_is_that_of_the_reference)
{
    uint8_t hidden[12 * 8] = {0};
    memset(hidden + 30, 7, 11);
    sac_source source = open_image(speckle(96, 64));
    for (int score = 0; score < SAC_SCORE_COUNT; score++)
        for (int masked = 0; masked < 2; masked++) {
            sac_picture_request request = ask((sac_score)score, 12, 5, 6);
            request.settings.temperature = masked ? 0.7f : 1.6f;
            request.hidden = masked ? hidden : NULL;
            request.rebuild = true;
            compare_with_reference(&source, &request);
        }
    sac_source_destroy(&source);
}

/* Beside a threshold weights are as exact as the scores, which are below 10 here. */
#define SPARSE_BOUND 1e-5

TEST(every_normalizer_is_that_of_the_reference)
{
    uint8_t hidden[12 * 8] = {[30] = 1, [40] = 1};
    sac_source source = open_image(speckle(96, 64));
    for (int n = 0; n < SAC_NORMALIZER_COUNT; n++)
        for (int score = 0; score < SAC_SCORE_COUNT; score++) {
            sac_picture_request request = ask((sac_score)score, 12, 5, 6);
            request.settings.normalizer = (sac_normalizer)n;
            request.hidden = hidden;
            sac_picture_result result = attend(&source, &request);
            sac_explanation e;
            sac_explanation_request which = {
                .step = 6 * 12 + 5, .position = 41, .picture = &request};
            OK(sac_source_explain(&source, &which, &e, NULL));
            assert_int_equal(e.normalizer, n);
            double weights[12 * 8], threshold;
            threshold = sac_normalize((sac_normalizer)n, 12 * 8, e.masked, weights);
            if (n != SAC_NORMALIZER_SOFTMAX)
                near(e.threshold, threshold, 1e-12);
            for (int i = 0; i < 12 * 8; i++) {
                near(e.shares[i], weights[i], 1e-12);
                near((double)result.weights[i], weights[i], SPARSE_BOUND);
                assert_true(n == SAC_NORMALIZER_SOFTMAX || weights[i] > 0 ||
                            result.weights[i] < 1e-6f);
            }
            assert_true(result.weights[30] == 0 && result.weights[40] == 0);
            sac_explanation_free(&e);
            sac_picture_result_free(&result);
        }
    sac_source_destroy(&source);
}

/* ---------------------------------------------------------------- weights */

TEST(weights_sum_to_one_and_hidden_cells_get_none)
{
    uint8_t hidden[16 * 10] = {0};
    for (int i = 0; i < 16 * 10; i++)
        hidden[i] = i % 3 == 0;
    sac_source source = open_image(speckle(160, 104));
    for (int score = 0; score < SAC_SCORE_COUNT; score++) {
        sac_picture_request request = ask((sac_score)score, 16, 10, 5);
        request.hidden = hidden;
        sac_picture_result result = attend(&source, &request);
        assert_int_equal(result.grid_w, 16);
        assert_int_equal(result.grid_h, 10);
        for (int i = 0; i < 16 * 10; i += 3)
            assert_true(result.weights[i] == 0);
        near(sum_of(result.weights, 16 * 10), 1, WEIGHT_BOUND);
        sac_picture_result_free(&result);
        request.hidden = NULL;
        result = attend(&source, &request);
        near(sum_of(result.weights, 16 * 10), 1, WEIGHT_BOUND);
        assert_true(result.weights[5 * 16 + 10] > 0); /* hidden before */
        assert_null(result.rebuilt);
        sac_picture_result_free(&result);
    }
    sac_source_destroy(&source);
}

TEST(a_picture_hidden_as_a_whole_gives_nothing)
{
    uint8_t hidden[8 * 8];
    memset(hidden, 1, sizeof hidden);
    sac_source source = open_image(speckle(64, 64));
    sac_picture_request request = ask(SAC_SCORE_GAUSSIAN, 8, 1, 1);
    request.hidden = hidden;
    request.rebuild = true;
    sac_picture_result result = attend(&source, &request);
    for (int i = 0; i < 64; i++)
        assert_true(result.weights[i] == 0 && result.rebuilt[3 * i] == 0);
    assert_true(result.entropy == 0 && result.rebuild_max == 0);
    sac_picture_result_free(&result);
    sac_source_destroy(&source);
}

/* A patch of 3 × 3 cells around (3,3) appears again around (11,4): their middles look alike in
 * colour, and in structure too, which reaches one cell around. */
TEST(cells_that_look_alike_attend_to_each_other)
{
    sac_image image = speckle(128, 64);
    for (int y = 0; y < 24; y++)
        memcpy(image.rgba + 4 * ((24 + y) * 128 + 80), image.rgba + 4 * ((16 + y) * 128 + 16),
               24 * 4);
    /* Differences across a cell's edge reach one sample further, so the ring around matters little
     * but not nothing: flat rings make it exact. */
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < 128; x++) {
            bool ring_a =
                x >= 8 && x < 48 && y >= 8 && y < 48 && !(x >= 16 && x < 40 && y >= 16 && y < 40);
            bool ring_b = x >= 72 && x < 112 && y >= 16 && y < 56 &&
                          !(x >= 80 && x < 104 && y >= 24 && y < 48);
            if (ring_a || ring_b)
                memset(image.rgba + 4 * (y * 128 + x), 128, 3);
        }
    sac_source source = open_image(image);
    for (int score = 0; score < SAC_SCORE_COUNT; score++) {
        sac_picture_request request = ask((sac_score)score, 16, 3, 3);
        request.settings.position = 0;
        sac_picture_result result = attend(&source, &request);
        float here = result.weights[3 * 16 + 3], there = result.weights[4 * 16 + 11];
        near(there / here, 1, 1e-4); /* features agree to 1e-6, scores of up to 50 to 5e-5 */
        if (score == SAC_SCORE_GAUSSIAN || score == SAC_SCORE_ADDITIVE)
            for (int i = 0; i < 16 * 8; i++)
                assert_true(result.weights[i] <= here * 1.0001f);
        sac_picture_result_free(&result);
    }
    sac_source_destroy(&source);
}

TEST(a_uniform_map_has_all_its_bits_of_entropy)
{
    sac_source source = open_image(speckle(64, 64));
    sac_picture_request request = ask(SAC_SCORE_SCALED_DOT, 8, 2, 2);
    request.settings.temperature = 1e9f;
    sac_picture_result result = attend(&source, &request);
    near(result.entropy, 6, 1e-5); /* log2 64 */
    near(result.weights[13], 1 / 64.0, 1e-7);
    sac_picture_result_free(&result);
    sac_source_destroy(&source);
}

TEST(the_answer_does_not_depend_on_what_was_asked_before)
{
    sac_source one = open_image(speckle(96, 64)), other = open_image(speckle(96, 64));
    sac_picture_request last = ask(SAC_SCORE_BILINEAR, 6, 4, 2), first = last;
    first.settings.cells = 12;
    first.settings.position = 2;
    first.rebuild = true;
    for (int score = 0; score < SAC_SCORE_COUNT; score++) {
        first.settings.score = (sac_score)score;
        sac_picture_result result = attend(&one, &first);
        sac_picture_result_free(&result);
    }
    first.settings = last.settings;
    first.query_x = 0;
    sac_picture_result before = attend(&one, &first);
    sac_picture_result a = attend(&one, &last), b = attend(&other, &last);
    assert_memory_equal(a.weights, b.weights, 6 * 4 * sizeof(float));
    assert_true(memcmp(a.weights, before.weights, 6 * 4 * sizeof(float)) != 0);
    assert_true(a.rebuild_max == before.rebuild_max && b.rebuild_max == 0);
    sac_picture_result_free(&before);
    sac_picture_result_free(&a);
    sac_picture_result_free(&b);
    sac_source_destroy(&one);
    sac_source_destroy(&other);
}

/* ---------------------------------------------------------------- rebuilding */

TEST(a_narrow_kernel_gives_the_cells_back_and_a_wide_one_their_mean)
{
    enum { W = 12, H = 8 };
    sac_source source = open_image(speckle(96, 64));
    sac_cells cells = measure(source.picture.image, W, H);
    sac_picture_request request = ask(SAC_SCORE_GAUSSIAN, W, 0, 0);
    double mean[3] = {0};
    for (int i = 0; i < W * H * 3; i++)
        mean[i % 3] += cells.color[i] / (double)(W * H);
    request.rebuild = true;
    request.settings.inverse_width = 200; /* the nearest cells are 0.1 apart: e^−200 */
    sac_picture_result result = attend(&source, &request);
    for (int i = 0; i < W * H * 3; i++)
        near(result.rebuilt[i], sac_light_to_srgb(cells.color[i]), 1e-5);
    near(result.weights[0], 1, 1e-6);
    near(result.rebuild_max, 1, 1e-6);
    sac_picture_result_free(&result);
    request.settings.inverse_width = 1e-4f; /* the max_distance are about 30 apart: 1 − 5e-6 */
    result = attend(&source, &request);
    for (int i = 0; i < W * H * 3; i++)
        near(result.rebuilt[i], sac_light_to_srgb((float)mean[i % 3]), 1e-5);
    sac_picture_result_free(&result);
    sac_cells_free(&cells);
    sac_source_destroy(&source);
}

/* ---------------------------------------------------------------- odd input */

TEST(tiny_and_odd_pictures_attend_too)
{
    static const int sizes[][2] = {{1, 1}, {3, 2}, {1, 300}, {700, 1}, {17, 31}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        sac_source source = open_image(speckle(sizes[i][0], sizes[i][1]));
        sac_picture_request request = ask(SAC_SCORE_GAUSSIAN, 8, 999, -4);
        request.rebuild = true;
        sac_picture_result result = attend(&source, &request);
        assert_int_equal(result.query_x, result.grid_w - 1); /* clamped */
        assert_int_equal(result.query_y, 0);
        near(sum_of(result.weights, result.grid_w * result.grid_h), 1, WEIGHT_BOUND);
        if (i == 0)
            for (int c = 0; c < 3; c++)
                near(result.rebuilt[150 + c], source.picture.image->rgba[c] / 255.0, 1e-5);
        sac_picture_result_free(&result);
        sac_source_destroy(&source);
    }
}

TEST(settings_that_make_no_sense_are_refused_by_name)
{
    sac_source source = open_image(speckle(64, 64));
    static const struct {
        sac_picture_settings settings;
        const char *where;
    } cases[] = {{{SAC_SCORE_GAUSSIAN, 0, 1, 0, 16}, "inverse width"},
                 {{SAC_SCORE_GAUSSIAN, 1, 0, 0, 16}, "temperature"},
                 {{SAC_SCORE_DOT, 1, NAN, 0, 16}, "temperature"},
                 {{SAC_SCORE_DOT, 1, 1, -1, 16}, "position"},
                 {{SAC_SCORE_DOT, 1, 1, 0, 0}, "cells"},
                 {{SAC_SCORE_DOT, 1, 1, 0, 1000}, "cells"},
                 {{(sac_score)9, 1, 1, 0, 16}, "score"},
                 {{SAC_SCORE_DOT, 1, 1, 0, 16, (sac_normalizer)9}, "normalizer"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_picture_request request = {.settings = cases[i].settings};
        sac_picture_result result;
        sac_error error = {0};
        assert_int_equal(source.picture.attend(source.self, &request, &result, &error),
                         SAC_E_ARGUMENT);
        assert_string_equal(error.where, cases[i].where);
        assert_null(result.weights);
    }
    sac_picture_request good = ask(SAC_SCORE_DOT, 8, 0, 0);
    sac_picture_result result = attend(&source, &good);
    sac_picture_result_free(&result);
    sac_source_destroy(&source);
}

TEST(the_parts_of_a_cells_weight_give_it)
{
    sac_source source = open_image(speckle(64, 48));
    uint8_t hidden[12 * 16] = {[7] = 1};
    for (int score = 0; score < SAC_SCORE_COUNT; score++) {
        sac_picture_request request = ask((sac_score)score, 16, 3, 2);
        request.settings.temperature = 2;
        request.hidden = hidden;
        sac_picture_result result = attend(&source, &request);
        sac_explanation e;
        sac_explanation_request which = {.step = 2 * 16 + 3, .position = 40, .picture = &request};
        OK(sac_source_explain(&source, &which, &e, NULL));
        assert_int_equal(e.keys, 12 * 16);
        near(e.temperature, 2, 0);
        for (size_t i = 0; i < e.keys; i++)
            near(e.shares[i], (double)result.weights[i], WEIGHT_BOUND);
        assert_true(e.shares[7] == 0 && e.masked[7] == -INFINITY);
        assert_int_equal(e.value_dim, 3);
        sac_explanation_free(&e);
        sac_picture_result_free(&result);
    }
    sac_source_destroy(&source);
}

TEST(a_missing_file_leaves_nothing_open)
{
    sac_source source;
    REFUSES(SAC_E_FILE, "…cat.png…", sac_picture_open("/nowhere/cat.png", NULL, &source, &failure));
    assert_null(source.self);
    sac_source_destroy(&source);
}

TEST(a_source_records_where_it_comes_from)
{
    sac_source source;
    OK(sac_picture_open(ASSETS "/pictures/harbour.png", NULL, &source, &failure));
    assert_true(source.origin.file[0] == '/');
    assert_non_null(strstr(source.origin.file, "harbour.png"));
    assert_memory_equal(source.origin.hash, "sha256:", 7);
    assert_true(strlen(source.origin.device) > 3);
    assert_int_equal(source.picture.image->width, 960);
    sac_source_destroy(&source);
}

TEST_MAIN(NULL, NULL)
