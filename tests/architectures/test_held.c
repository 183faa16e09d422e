/* Captioners whose words look where they are held, against `transformers` (tests/reference/make_gaze.py): the probability of
 * each word and where it looked; and what must not change. */
#include "generator.h"

enum { WORDS = 5 };
static const int words[WORDS] = {8, 12, 7, 15, 9};

typedef struct held_case {
    const char *name;
    int from;
    const char *heads;
} held_case;

static void open_looking(generator *s, const char *architecture)
{
    load_generator(s, architecture);
    const sac_array *pixels = sac_arrays_find(s->expected, "pixel_values");
    if (pixels) {
        OK(sac_pretrained_captioner_encode_pixels(s->captioner, pixels->data, (int)pixels->shape[3],
                                                  (int)pixels->shape[2], &failure));
        return;
    }
    char path[512];
    sac_image picture;
    snprintf(path, sizeof path, "%s/%s/picture.png", REFERENCES, architecture);
    OK(sac_image_load(path, &picture, &failure));
    OK(sac_pretrained_captioner_encode_picture(s->captioner, &picture, NULL, &failure));
    OK(sac_pretrained_captioner_ask(s->captioner, "the bank of a", &failure));
    sac_image_free(&picture);
}

/* The words of the reference are given. */
static sac_result_request request_of(const held_case *c, int beam)
{
    sac_result_request request = {.beam = beam, .prefix_count = WORDS};
    memcpy(request.prefix, words, sizeof words);
    if (c)
        request.gaze = (sac_gaze){.x = 1.25f, .y = 2.5f, .radius = 0.8f, .from = c->from};
    if (c)
        snprintf(request.gaze.heads, sizeof request.gaze.heads, "%s", c->heads);
    return request;
}

static sac_result generate(const generator *s, const sac_result_request *request)
{
    sac_result caption;
    OK(sac_pretrained_captioner_generate(s->captioner, request, &caption, &failure));
    assert_true(caption.count >= request->prefix_count);
    return caption;
}

static void assert_same(const sac_result *a, const sac_result *b, double bound)
{
    const int cells = a->grid_w * a->grid_h;
    assert_int_equal(a->count, b->count);
    for (int t = 0; t < a->count; t++) {
        assert_int_equal(a->outputs[t].word, b->outputs[t].word);
        assert_float_equal(a->outputs[t].probability, b->outputs[t].probability, bound);
        for (int i = 0; i < cells; i++)
            assert_float_equal(a->weights[t * cells + i], b->weights[t * cells + i], bound);
    }
}

static void check_case(const generator *s, const sac_arrays *reference, const held_case *c)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s.probability", s->name, c->name);
    const sac_array *probability = sac_arrays_find(reference, name);
    snprintf(name, sizeof name, "%s.%s.maps", s->name, c->name);
    const sac_array *maps = sac_arrays_find(reference, name);
    assert_true(probability && maps);
    for (int beam = 1; beam <= 3; beam += 2) {
        const sac_result_request request = request_of(c, beam);
        sac_result caption = generate(s, &request);
        assert_int_equal(sac_array_count(maps), WORDS * caption.grid_w * caption.grid_h);
        for (int t = 0; t < WORDS; t++) {
            const double right = (double)((const float *)probability->data)[t];
            assert_int_equal(caption.outputs[t].word, words[t]);
            assert_float_equal(caption.outputs[t].probability, right, 1e-4 * right + 1e-7);
        }
        compare(caption.weights, maps->data, sac_array_count(maps), 1e-4, name);
        sac_result_free(&caption);
    }
}

/* Each case, and afterwards nothing of it is left. */
static void check_held(const char *architecture, const held_case *cases)
{
    generator s;
    sac_arrays *reference;
    OK(sac_arrays_open(REFERENCES "/gaze.safetensors", &reference, &failure));
    open_looking(&s, architecture);
    const sac_result_request own = request_of(NULL, 1);
    sac_result before = generate(&s, &own);
    for (; cases->name; cases++) {
        check_case(&s, reference, cases);
        sac_result after = generate(&s, &own);
        assert_same(&before, &after, 1e-6);
        sac_result_free(&after);
    }
    sac_result_free(&before);
    sac_arrays_close(reference);
    close_generator(&s);
}

TEST(words_beside_a_memory_see_what_those_of_transformers_do)
{
    check_held("vit_gpt2", (held_case[]){{"all", 2, ""}, {"first", 0, ""}, {0}});
    check_held("blip", (held_case[]){{"all", 1, ""}, {0}});
}

TEST(words_behind_a_picture_see_what_those_of_transformers_do)
{
    check_held("git", (held_case[]){{"all", 1, ""}, {"some", 2, "1.0,0.3"}, {"first", 0, ""}, {0}});
}

TEST(words_behind_a_prompt_see_what_those_of_transformers_do)
{
    check_held("llava",
               (held_case[]){{"all", 2, ""}, {"some", 1, "0.1,2.3"}, {"first", 0, ""}, {0}});
}

/* What each head looks at by itself, and its figures. */
static void check_heads(const char *architecture)
{
    generator s;
    sac_arrays *reference;
    char name[64];
    OK(sac_arrays_open(REFERENCES "/gaze.safetensors", &reference, &failure));
    open_looking(&s, architecture);
    snprintf(name, sizeof name, "%s.heads.maps", s.name);
    const sac_array *maps = sac_arrays_find(reference, name);
    snprintf(name, sizeof name, "%s.heads.figures", s.name);
    const sac_array *figures = sac_arrays_find(reference, name);
    assert_true(maps && figures);
    const size_t layers = maps->shape[0], heads = maps->shape[1];
    const size_t count = sac_array_count(maps) / layers, each = count / heads;
    float *found = malloc(count * sizeof *found);
    for (int beam = 1; beam <= 3; beam += 2) {
        const sac_result_request request = request_of(NULL, beam);
        sac_result caption = generate(&s, &request);
        for (size_t i = 0; i < layers; i++) {
            OK(sac_pretrained_captioner_head_maps(s.captioner, (int)i, WORDS, found, &failure));
            compare(found, (const float *)maps->data + i * count, count, 1e-4, name);
            for (size_t h = 0; h < heads; h++) {
                const float *right = (const float *)figures->data + (i * heads + h) * 3;
                sac_gaze_scan scan;
                sac_gaze_head head;
                OK(sac_gaze_scan_begin(&scan, WORDS, caption.grid_w, caption.grid_h, &failure));
                for (int t = 0; t < WORDS; t++)
                    sac_gaze_scan_map(&scan, found + h * each + (size_t)t * each / WORDS);
                sac_gaze_scan_finish(&scan, &head);
                sac_gaze_scan_free(&scan);
                assert_float_equal(head.score, right[0], 1e-4);
                assert_float_equal(head.entropy, right[1], 1e-3);
                assert_float_equal(head.on_picture, right[2], 1e-4);
            }
        }
        sac_result_free(&caption);
    }
    free(found);
    sac_arrays_close(reference);
    close_generator(&s);
}

TEST(heads_look_where_those_of_transformers_do)
{
    check_heads("vit_gpt2");
    check_heads("blip");
    check_heads("git");
    check_heads("llava");
}

/* At a temperature without end all weights of a memory's cells are alike, and so is a spot without end: an LSTM sees the
 * same, word for word, at every step. */
TEST(an_lstm_that_is_held_where_it_looks_generates_the_same)
{
    generator s;
    open_looking(&s, "show_attend_tell");
    sac_result_request request = {.temperature = 1e8f};
    sac_result own = generate(&s, &request);
    request.gaze = (sac_gaze){.x = 2, .y = 2, .radius = 1000};
    sac_result held = generate(&s, &request);
    assert_same(&own, &held, 1e-4);
    sac_result_free(&held);
    sac_result_free(&own);
    request = request_of(NULL, 1);
    own = generate(&s, &request);
    request.gaze = (sac_gaze){.x = 4, .radius = 0.25f, .from = 1};
    held = generate(&s, &request);
    float spot[25];
    sac_gaze_spot(&request.gaze, NULL, 5, 5, spot);
    for (int i = 0; i < 25; i++) {
        assert_float_equal(held.weights[i], own.weights[i], 1e-5);
        assert_float_equal(held.weights[25 + i], spot[i], 1e-6);
    }
    sac_result_free(&held);
    sac_result_free(&own);
    close_generator(&s);
}

/* What is hidden is not seen where it is held, either. */
TEST(hidden_cells_have_no_part_in_a_spot)
{
    generator s;
    open_looking(&s, "git");
    uint8_t hidden[25] = {0};
    const held_case all = {"all", 0, ""};
    sac_result_request request = request_of(&all, 1);
    hidden[11] = hidden[16] = 1;
    request.hidden = hidden;
    sac_result caption = generate(&s, &request);
    for (int t = 0; t < WORDS; t++) {
        assert_true(caption.weights[t * 25 + 11] == 0 && caption.weights[t * 25 + 16] == 0);
        assert_true(caption.weights[t * 25 + 12] > 0.1f);
    }
    sac_result_free(&caption);
    close_generator(&s);
}

static void check_refused(const char *architecture, const char *heads, const char *message)
{
    generator s;
    sac_result caption;
    open_looking(&s, architecture);
    const held_case c = {"", 0, heads};
    sac_result_request request = request_of(&c, 1);
    request.prefix_count = 0;
    REFUSES(SAC_E_ARGUMENT, message,
            sac_pretrained_captioner_generate(s.captioner, &request, &caption, &failure));
    request.gaze = (sac_gaze){0}; /* it goes on by itself */
    OK(sac_pretrained_captioner_generate(s.captioner, &request, &caption, &failure));
    sac_result_free(&caption);
    close_generator(&s);
}

TEST(heads_that_cannot_be_held_are_named)
{
    check_refused("vit_gpt2", "0.1", "…all heads are held…");
    check_refused("show_attend_tell", "0.0", "…all heads are held…");
    check_refused("llava", "3.0", "…names no heads of 3 layers × 4 heads…");
    check_refused("llava", "x", "…names no heads of 3 layers × 4 heads…");
    check_refused("smolvlm", "0.0", "…2 heads of layer 0 share values…");
    check_refused("florence2", "", "…looks at what an encoder made of picture and question…");
}

TEST_MAIN(open_device, close_device)
