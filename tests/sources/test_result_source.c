/* src/sources/result_source: what is encoded and decoded, how often, and which request a kept caption
 * answers. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sources/source.h"
#include "test.h"

/* A model of two cells; a caption without words is distinguished from others by how many were decoded before
 * it. */
typedef struct fake {
    int encoded[SAC_SOURCE_MODELS], decoded, turned, explained;
    bool fails; /* to open another picture */
} fake;

static sac_status encode(sac_source *source, int model, sac_error *error)
{
    (void)error;
    ((fake *)source->self)->encoded[model]++;
    return SAC_OK;
}

static sac_status generate(void *self, const sac_result_request *request, sac_result *caption,
                           sac_error *error)
{
    fake *f = self;
    if (request->beam == 16)
        return sac_fail(error, SAC_E_DEVICE, "device", NULL, "gone");
    *caption = (sac_result){.grid_w = 2, .grid_h = 1, .finished = ++f->decoded};
    caption->max_weight = (float)f->decoded;
    return SAC_OK;
}

static sac_status turn(sac_source *source, int picture, sac_error *error)
{
    fake *f = source->self;
    f->turned++;
    source->picture.number = f->fails ? source->picture.number : picture;
    return f->fails ? sac_fail(error, SAC_E_FILE, "b.png", NULL, "cannot be read") : SAC_OK;
}

static sac_status read_text(sac_source *source, const char *text, sac_error *error)
{
    (void)error;
    snprintf(source->result.text, sizeof source->result.text, "%s", text);
    return SAC_OK;
}

static sac_status explain(void *self, const sac_explanation_request *request,
                          sac_explanation *explanation, sac_error *error)
{
    (void)request;
    (void)explanation;
    (void)error;
    ((fake *)self)->explained++;
    return SAC_OK;
}

static sac_source open_fake(fake *f)
{
    return (sac_source){.self = f,
                        .picture = {.count = 3, .turn = turn},
                        .weights.explain = explain,
                        .result = {.models = 2, .encode = encode, .generate = generate}};
}

/* The number of the caption that answers the request. */
static int ask(sac_source *source, sac_result_request request)
{
    sac_result caption;
    assert_int_equal(sac_source_generate(source, &request, &caption, NULL), SAC_OK);
    int number = (int)caption.max_weight;
    sac_result_free(&caption);
    return number;
}

TEST(generate_answers_a_request_by_what_it_means)
{
    fake f = {0};
    sac_source source = open_fake(&f);
    assert_int_equal(ask(&source, (sac_result_request){0}), 1);
    assert_int_equal(ask(&source, (sac_result_request){.beam = 1}), 2);
    assert_int_equal(ask(&source, (sac_result_request){.beam = 3, .temperature = 1}), 1);
    assert_int_equal(ask(&source, (sac_result_request){.beam = 1}), 2);
    assert_int_equal(ask(&source, (sac_result_request){.beam = 1, .model = 1}), 3);
    assert_int_equal(ask(&source, (sac_result_request){.prefix_count = 1}), 4);
    assert_int_equal(f.encoded[0], 1);
    assert_int_equal(f.encoded[1], 1);
    sac_source_destroy(&source);
}

TEST(another_normalizer_is_for_models_that_take_one)
{
    fake f = {0};
    sac_source source = open_fake(&f);
    sac_error error = {0};
    sac_result caption;
    sac_result_request request = {.normalizer = 1 + SAC_NORMALIZER_SPARSEMAX};
    assert_int_equal(sac_source_generate(&source, &request, &caption, &error), SAC_E_ARGUMENT);
    assert_string_equal(error.where, "normalizer");
    source.result.normalizes = true;
    assert_int_equal(ask(&source, (sac_result_request){0}), 1);
    assert_int_equal(ask(&source, request), 2);
    assert_int_equal(ask(&source, (sac_result_request){.normalizer = 1}), 3);
    assert_int_equal(ask(&source, request), 2);
    request.normalizer = 1 + SAC_NORMALIZER_COUNT;
    assert_int_equal(sac_source_generate(&source, &request, &caption, &error), SAC_E_ARGUMENT);
    sac_source_destroy(&source);
}

TEST(generate_compares_hidden_cells_by_a_copy_of_its_own)
{
    fake f = {0};
    sac_source source = open_fake(&f);
    uint8_t cells[2] = {1, 0};
    assert_int_equal(ask(&source, (sac_result_request){.hidden = cells}), 1);
    assert_int_equal(ask(&source, (sac_result_request){.hidden = cells}), 1);
    assert_int_equal(ask(&source, (sac_result_request){0}), 2);
    cells[1] = 1;
    assert_int_equal(ask(&source, (sac_result_request){.hidden = cells}), 3);
    sac_source_destroy(&source);
}

TEST(generate_keeps_the_latest)
{
    fake f = {0};
    sac_source source = open_fake(&f);
    for (int i = 1; i <= 7; i++)
        assert_int_equal(ask(&source, (sac_result_request){.beam = i}), i);
    for (int i = 2; i <= 7; i++)
        assert_int_equal(ask(&source, (sac_result_request){.beam = i}), i);
    assert_int_equal(ask(&source, (sac_result_request){.beam = 1}), 8);
    sac_source_destroy(&source);
}

TEST(turn_and_read_forget_what_was_open)
{
    fake f = {0};
    sac_source source = open_fake(&f);
    assert_int_equal(ask(&source, (sac_result_request){0}), 1);
    assert_int_equal(sac_source_turn_to_example(&source, 2, NULL), SAC_OK);
    assert_int_equal(ask(&source, (sac_result_request){0}), 2);
    assert_int_equal(sac_source_turn_to_example(&source, 3, NULL), SAC_E_ARGUMENT); /* of three */
    assert_int_equal(sac_source_turn_to_example(&source, -1, NULL), SAC_E_ARGUMENT);
    assert_int_equal(f.turned, 1);
    f.fails = true; /* whatever the model holds then */
    assert_int_equal(sac_source_turn_to_example(&source, 1, NULL), SAC_E_FILE);
    assert_int_equal(ask(&source, (sac_result_request){0}), 3);
    assert_int_equal(f.encoded[0], 3);
    source.result.read = read_text;
    assert_int_equal(sac_source_read(&source, "a cat", NULL), SAC_OK);
    assert_int_equal(ask(&source, (sac_result_request){0}), 4);
    assert_int_equal(sac_source_read(&source, "a cat", NULL), SAC_OK);
    assert_int_equal(ask(&source, (sac_result_request){0}), 4);
    sac_source_destroy(&source);
}

TEST(explain_decodes_where_another_caption_was_decoded_since)
{
    fake f = {0};
    sac_source source = open_fake(&f);
    sac_explanation explanation;
    const sac_result_request plain = {0}, greedy = {.beam = 1};
    const sac_explanation_request of_plain = {.caption = &plain};
    assert_int_equal(sac_source_explain(&source, &of_plain, &explanation, NULL), SAC_OK);
    assert_int_equal(f.decoded, 1);
    assert_int_equal(sac_source_explain(&source, &of_plain, &explanation, NULL), SAC_OK);
    assert_int_equal(f.decoded, 1);
    ask(&source, greedy);
    assert_int_equal(sac_source_explain(&source, &of_plain, &explanation, NULL), SAC_OK);
    assert_int_equal(f.decoded, 3);
    assert_int_equal(f.explained, 3);
    sac_source_destroy(&source);
}

/* Attention is kept, and what is explained is of it. */
TEST(a_contrast_is_made_of_attention_that_is_decoded_once)
{
    fake f = {0};
    sac_source source = open_fake(&f);
    sac_result caption;
    sac_explanation explanation;
    const sac_result_request contrast = {.attribution = SAC_ATTRIBUTION_CONTRAST};
    sac_error error = {0};
    assert_int_equal(sac_source_generate(&source, &contrast, &caption, &error), SAC_E_ARGUMENT);
    assert_non_null(strstr(error.what, "has no map \"contrast\""));
    source.result.attributions = 1u << SAC_ATTRIBUTION_CONTRAST;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sac_source_generate(&source, &contrast, &caption, NULL), SAC_OK);
        assert_int_equal(caption.attribution, SAC_ATTRIBUTION_CONTRAST);
        sac_result_free(&caption);
    }
    assert_int_equal(ask(&source, (sac_result_request){0}), 1);
    const sac_explanation_request request = {.caption = &contrast};
    assert_int_equal(sac_source_explain(&source, &request, &explanation, NULL), SAC_OK);
    assert_int_equal(f.decoded, 1);
    assert_int_equal(f.explained, 1);
    sac_source_destroy(&source);
}

TEST(a_request_that_fails_is_reported_and_not_kept)
{
    fake f = {0};
    sac_source source = open_fake(&f);
    sac_result caption;
    const sac_result_request failing = {.beam = 16}, third = {.model = 2};
    assert_int_equal(sac_source_generate(&source, &failing, &caption, NULL), SAC_E_DEVICE);
    assert_int_equal(sac_source_generate(&source, &third, &caption, NULL), SAC_E_ARGUMENT);
    assert_int_equal(ask(&source, (sac_result_request){0}), 1);
    assert_int_equal(f.encoded[0], 2);
    sac_source_destroy(&source);
}

TEST_MAIN(NULL, NULL)
