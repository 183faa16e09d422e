/* src/sources/words/gaze: the spot in float64, its description, and what a source makes of a request that holds its words
 * somewhere. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sources/source.h"
#include "test.h"

enum { W = 5, H = 4 };

/* ---------------------------------------------------------------- the spot */

static void check_spot(const sac_gaze *gaze, const uint8_t *hidden)
{
    float spot[W * H];
    double right[W * H], sum = 0, all = 0;
    for (int i = 0; i < W * H; i++) {
        const double x = i % W - (double)gaze->x, y = i / W - (double)gaze->y,
                     r = (double)gaze->radius;
        right[i] = hidden && hidden[i] ? 0 : exp(-(x * x + y * y) / (2 * r * r));
        sum += right[i];
    }
    sac_gaze_spot(gaze, hidden, W, H, spot);
    for (int i = 0; i < W * H; i++) {
        assert_float_equal(spot[i], right[i] / sum, 1e-6);
        all += (double)spot[i];
    }
    assert_float_equal(all, 1, 1e-6);
}

TEST(a_spot_is_a_gaussian_with_a_sum_of_1)
{
    static const uint8_t hidden[W * H] = {0, 0, 1, 0, 0, 0, 1, 1};
    const sac_gaze spots[] = {{.x = 2, .y = 1, .radius = 0.5f},
                              {.x = 0.3f, .y = 2.7f, .radius = 1.5f},
                              {.x = -0.5f, .y = 3.5f, .radius = 1000}};
    for (size_t i = 0; i < sizeof spots / sizeof *spots; i++) {
        check_spot(&spots[i], NULL);
        check_spot(&spots[i], hidden);
    }
}

/* However far they are: the nearest has all of a small spot. */
TEST(a_spot_lies_on_what_is_visible)
{
    const sac_gaze gaze = {.x = 0, .y = 0, .radius = 0.05f};
    uint8_t hidden[W * H];
    float spot[W * H];
    memset(hidden, 1, sizeof hidden);
    sac_gaze_spot(&gaze, hidden, W, H, spot);
    for (int i = 0; i < W * H; i++)
        assert_true(spot[i] == 0);
    hidden[13] = hidden[19] = 0;
    sac_gaze_spot(&gaze, hidden, W, H, spot);
    assert_true(spot[13] == 1 && spot[19] == 0);
}

/* ---------------------------------------------------------------- its description */

TEST(a_description_is_read_as_it_was_written)
{
    static const char *const texts[][2] = {
        {"2,1", "2,1,1 from 1"},
        {"2.25,1.5,0.75", "2.25,1.5,0.75 from 1"},
        {"0,0 from 4", "0,0,1 from 4"},
        {"-0.5,3.5,2 from 3 heads 0.1,2.3", "-0.5,3.5,2 from 3 heads 0.1,2.3"},
        {"2,1 heads auto", "2,1,1 from 1 heads auto"},
        {"heads auto", "heads auto"}, /* nothing is held */
        {"heads 0.1,2.3", "heads 0.1,2.3"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sac_gaze gaze, again;
        char text[SAC_GAZE_TEXT];
        assert_int_equal(sac_gaze_read(texts[i][0], W, H, &gaze, NULL), SAC_OK);
        assert_string_equal(sac_gaze_write(&gaze, text), texts[i][1]);
        assert_int_equal(sac_gaze_read(text, W, H, &again, NULL), SAC_OK);
        assert_true(sac_gaze_is_same(&gaze, &again));
    }
    sac_gaze third = {.x = 1.0f / 3, .y = 2.0f / 3, .radius = 0.7f, .from = 2}, again;
    char text[SAC_GAZE_TEXT];
    assert_int_equal(sac_gaze_read(sac_gaze_write(&third, text), W, H, &again, NULL), SAC_OK);
    assert_true(sac_gaze_is_same(&third, &again));
    assert_string_equal(sac_gaze_write(&(sac_gaze){0}, text), "");
    assert_float_equal(sac_gaze_usual_radius(30, 40), 2, 1e-6);
}

TEST(what_is_no_place_is_refused)
{
    static const char *const texts[] = {
        "",      "2",           "2;1",    "a,b",        "2,1 ",
        "2,1,0", "2,1,x",       "5,1",    "2,-1",       "2,1,2000",
        "nan,1", "2,1,nan",     "2,1 by", "2,1 from 0", "2,1 from 1 heads 0.1 2",
        "heads", "heads auto 2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sac_gaze gaze = {.x = 7};
        sac_error error = {0};
        if (sac_gaze_read(texts[i], W, H, &gaze, &error) != SAC_E_ARGUMENT)
            fail_msg("\"%s\" is read", texts[i]);
        assert_true(gaze.x == 7 && error.remedy[0]);
    }
}

TEST(heads_are_those_that_are_named)
{
    uint8_t held[6];
    const sac_gaze all = {.radius = 1}, some = {.radius = 1, .heads = "0.1,1.2"};
    assert_int_equal(sac_gaze_find_heads(&all, 2, 3, held, NULL), SAC_OK);
    assert_memory_equal(held, ((uint8_t[]){1, 1, 1, 1, 1, 1}), 6);
    assert_int_equal(sac_gaze_find_heads(&some, 2, 3, held, NULL), SAC_OK);
    assert_memory_equal(held, ((uint8_t[]){0, 1, 0, 0, 0, 1}), 6);
    static const char *const wrong[] = {"2.0", "0.3", "0", "0.1=0.5", "all", SAC_GAZE_AUTO};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sac_gaze gaze = {.radius = 1};
        snprintf(gaze.heads, sizeof gaze.heads, "%s", wrong[i]);
        assert_int_equal(sac_gaze_find_heads(&gaze, 2, 3, held, NULL), SAC_E_ARGUMENT);
    }
}

/* ---------------------------------------------------------------- a source */

/* A model of four words, which are 10, 11, … by itself, and 20, 21, … where it is held and no word is given. Of its two
 * layers of two heads 1.0 looks at one cell and the other by turns, 0.1 the same with half of its weight. */
typedef struct fake {
    sac_result_request last;
    int decoded;
} fake;

static sac_status encode(sac_source *source, int model, sac_error *error)
{
    (void)source, (void)model, (void)error;
    return SAC_OK;
}

static sac_status generate(void *self, const sac_result_request *request, sac_result *caption,
                           sac_error *error)
{
    fake *f = self;
    (void)error;
    f->last = *request;
    f->decoded++;
    *caption = (sac_result){.grid_w = 2, .grid_h = 1, .count = 4, .finished = true};
    caption->weights = calloc(8, sizeof *caption->weights);
    for (int t = 0; t < 4; t++) {
        const bool held = sac_gaze_is_held(&request->gaze) && t >= request->gaze.from;
        sac_result_output *word = &caption->outputs[t];
        word->word = t < request->prefix_count ? request->prefix[t] : (held ? 20 : 10) + t;
        snprintf(word->text, sizeof word->text, "w%d", word->word);
    }
    return SAC_OK;
}

static sac_status head_maps(void *self, const sac_result_request *request, int layer, int count,
                            float *maps, sac_error *error)
{
    const fake *f = self;
    (void)request, (void)error;
    assert_false(f->last.gaze.heads[0]); /* it was decoded by itself just now */
    assert_int_equal(count, 4);
    for (int head = 0; head < 2; head++)
        for (int t = 0; t < count; t++, maps += 2) {
            maps[0] = maps[1] = 0.5f;
            if (layer != head) {
                maps[t % 2] = layer ? 1 : 0.5f;
                maps[!(t % 2)] = 0;
            }
        }
    return SAC_OK;
}

static sac_status explain(void *self, const sac_explanation_request *request,
                          sac_explanation *explanation, sac_error *error)
{
    (void)self, (void)explanation, (void)error;
    assert_false(sac_gaze_is_held(&request->caption->gaze));
    return SAC_OK;
}

static sac_source open_fake(fake *f)
{
    return (sac_source){.self = f,
                        .title = "fake",
                        .weights = {.explain = explain, .layers = 2, .heads = 2},
                        .result = {.models = 1,
                                   .encode = encode,
                                   .generate = generate,
                                   .head_maps = head_maps,
                                   .holds_gaze = true,
                                   .attributions = 1u << SAC_ATTRIBUTION_GRADIENT}};
}

static void check_sentence(const sac_result *caption, const char *text, const char *before)
{
    char line[64];
    assert_string_equal(sac_result_text(caption, line, sizeof line), text);
    if (before)
        assert_string_equal(caption->before, before);
    else
        assert_null(caption->before);
}

TEST(words_before_the_first_held_one_stay)
{
    fake f = {0};
    sac_source source = open_fake(&f);
    sac_result caption;
    sac_result_request request = {.gaze = {.x = 1, .radius = 1, .from = 2}};
    for (int turn = 0; turn < 2; turn++) { /* both are kept */
        assert_int_equal(sac_source_generate(&source, &request, &caption, NULL), SAC_OK);
        check_sentence(&caption, "w10 w11 w22 w23", "w10 w11 w12 w13");
        assert_true(sac_gaze_is_same(&caption.gaze, &request.gaze));
        assert_int_equal(f.decoded, 2);
        sac_result_free(&caption);
    }
    assert_int_equal(f.last.prefix_count, 2);
    request.gaze.x = 0; /* another place is another sentence */
    assert_int_equal(sac_source_generate(&source, &request, &caption, NULL), SAC_OK);
    assert_int_equal(f.decoded, 3);
    sac_result_free(&caption);
    request.prefix[0] = 7;
    request.prefix_count = 1; /* a word of a person's stays, too */
    assert_int_equal(sac_source_generate(&source, &request, &caption, NULL), SAC_OK);
    check_sentence(&caption, "w7 w11 w22 w23", "w7 w11 w12 w13");
    sac_result_free(&caption);
    assert_int_equal(sac_source_generate(&source, &(sac_result_request){0}, &caption, NULL),
                     SAC_OK);
    check_sentence(&caption, "w10 w11 w12 w13", NULL);
    sac_result_free(&caption);
    sac_source_destroy(&source);
}

static void check_refused(sac_source *source, const sac_result_request *request, const char *what)
{
    sac_result caption;
    sac_error error = {0};
    assert_int_equal(sac_source_generate(source, request, &caption, &error), SAC_E_ARGUMENT);
    if (!strstr(error.what, what))
        fail_msg("\"%s\" has no \"%s\"", error.what, what);
}

TEST(what_cannot_be_held_is_refused)
{
    fake f = {0};
    sac_source source = open_fake(&f);
    const sac_sampling sampling = {.count = 1};
    check_refused(&source, &(sac_result_request){.gaze = {.radius = 1, .from = 4}},
                  "there is no word 5; the sentence has 4");
    check_refused(
        &source,
        &(sac_result_request){.gaze = {.radius = 1}, .attribution = SAC_ATTRIBUTION_GRADIENT},
        "where the model looks by itself");
    check_refused(&source, &(sac_result_request){.gaze = {.radius = 1}, .sampling = &sampling},
                  "token by token");
    source.result.holds_gaze = false; /* a translator, a sound */
    check_refused(&source, &(sac_result_request){.gaze = {.radius = 1}},
                  "no word of fake looks at cells of a picture");
    sac_source_destroy(&source);
}

/* Rows of words t lie on their cell with 1, of which half of the three others have as much: 1 − 1/3. */
TEST(heads_that_look_at_what_is_described_are_found_and_give_boxes)
{
    fake f = {0};
    sac_source source = open_fake(&f);
    sac_result caption;
    const sac_result_request request = {.gaze = {.heads = SAC_GAZE_AUTO}};
    for (int turn = 0; turn < 2; turn++) { /* of the sentence that is kept */
        assert_int_equal(sac_source_generate(&source, &request, &caption, NULL), SAC_OK);
        check_sentence(&caption, "w10 w11 w12 w13", NULL);
        assert_true(sac_gaze_is_same(&caption.gaze, &request.gaze));
        assert_int_equal(f.decoded, 1);
        assert_int_equal(caption.gaze_head_count, 4);
        const sac_gaze_head *best = &caption.gaze_heads[0], *next = &caption.gaze_heads[1];
        assert_true(best->layer == 1 && best->head == 0 && best->is_chosen);
        assert_true(next->layer == 0 && next->head == 1 && next->is_chosen);
        assert_float_equal(best->score, 2.0 / 3, 1e-6);
        assert_float_equal(next->score, 1.0 / 3, 1e-6);
        assert_false(caption.gaze_heads[2].is_chosen || caption.gaze_heads[3].is_chosen);
        for (int t = 0; t < 4; t++) {
            const float *box = caption.outputs[t].box, left = t % 2 ? 0.5f : 0;
            assert_true(sac_result_has_gaze_box(&caption, t));
            assert_true(box[0] == left && box[2] == left + 0.5f && box[1] == 0 && box[3] == 1);
        }
        sac_result_free(&caption);
    }
    /* Those that are named; these two look everywhere alike. */
    const sac_result_request named = {.gaze = {.heads = "0.0,1.1"}};
    assert_int_equal(sac_source_generate(&source, &named, &caption, NULL), SAC_OK);
    assert_false(sac_result_has_gaze_box(&caption, 0) || sac_result_has_gaze_box(&caption, 3));
    sac_result_free(&caption);
    sac_source_destroy(&source);
}

/* As where they are named. */
TEST(heads_that_are_found_are_held)
{
    fake f = {0};
    sac_source source = open_fake(&f);
    sac_result caption;
    sac_result_request request = {.gaze = {.x = 1, .radius = 1, .from = 2, .heads = "auto"}};
    assert_int_equal(sac_source_generate(&source, &request, &caption, NULL), SAC_OK);
    check_sentence(&caption, "w10 w11 w22 w23", "w10 w11 w12 w13");
    assert_string_equal(f.last.gaze.heads, "1.0,0.1");
    assert_string_equal(caption.gaze.heads, "auto");
    assert_int_equal(caption.gaze_head_count, 4);
    sac_result_free(&caption);
    source.result.heads_together = 2; /* with those that share values with them */
    assert_int_equal(sac_source_generate(&source, &request, &caption, NULL), SAC_OK);
    assert_string_equal(f.last.gaze.heads, "1.0,0.1,0.0,1.1");
    sac_result_free(&caption);
    sac_source_destroy(&source);
}

TEST(heads_that_cannot_be_found_are_refused)
{
    fake f = {0};
    sac_source source = open_fake(&f);
    const sac_sampling sampling = {.count = 1};
    check_refused(&source, &(sac_result_request){.gaze = {.heads = "2.0"}},
                  "\"2.0\" names no heads of 2 layers × 2 heads");
    check_refused(&source, &(sac_result_request){.gaze = {.heads = "auto"}, .sampling = &sampling},
                  "token by token");
    source.result.head_maps = NULL; /* an LSTM, a translator */
    check_refused(&source, &(sac_result_request){.gaze = {.heads = "auto"}},
                  "fake has no heads that look at cells of a picture");
    check_refused(&source, &(sac_result_request){.gaze = {.radius = 1, .heads = "auto"}},
                  "fake has no heads that look at cells of a picture");
    sac_source_destroy(&source);
}

/* A weight that is held is made of no query and key. */
TEST(weights_before_the_first_held_word_are_explained)
{
    fake f = {0};
    sac_source source = open_fake(&f);
    const sac_result_request caption = {.gaze = {.radius = 1, .from = 2}};
    sac_explanation explanation;
    sac_error error = {0};
    sac_explanation_request request = {.caption = &caption, .step = 1};
    assert_int_equal(sac_source_explain(&source, &request, &explanation, &error), SAC_OK);
    request.step = 2;
    assert_int_equal(sac_source_explain(&source, &request, &explanation, &error), SAC_E_ARGUMENT);
    assert_non_null(strstr(error.what, "is held from word 3 on"));
    sac_source_destroy(&source);
}

TEST_MAIN(NULL, NULL)
