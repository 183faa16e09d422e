/* Two pictures in one prompt, against `transformers` (tests/reference/make_together.py): the same tokens of the prompt, the
 * same words, greedily and with beams, and each word's attention; and where the tokens lie. */

#include "architectures/captioning/text_decoder.h"
#include "generator.h"
#include "saccade_arrays.h"

/* The model with the picture of its folder and a second one, asked about both. */
static void open_together(generator *s, const char *architecture)
{
    char path[512];
    sac_image pictures[2];
    load_generator(s, architecture);
    sac_arrays_close(s->expected);
    snprintf(path, sizeof path, "%s/%s/together.safetensors", REFERENCES, architecture);
    OK(sac_arrays_open(path, &s->expected, &failure));
    snprintf(path, sizeof path, "%s/%s/picture.png", REFERENCES, architecture);
    OK(sac_image_load(path, &pictures[0], &failure));
    OK(sac_image_load(REFERENCES "/together.png", &pictures[1], &failure));
    OK(sac_pretrained_captioner_ask(s->captioner, "the bank of a", &failure));
    OK(sac_pretrained_captioner_encode_pictures(s->captioner, pictures, 2, NULL, &failure));
    s->captioner->search.length = 6;
    for (int i = 0; i < 2; i++)
        sac_image_free(&pictures[i]);
}

static void check_generated(const generator *s, const char *name, const sac_result *caption)
{
    const sac_array *array = sac_arrays_find(s->expected, name);
    const int *expected = (const int *)array->data + 1;
    int count = (int)sac_array_count(array) - 1;
    count -= expected[count - 1] == s->model->decoder->text_decoder.search.end;
    assert_int_equal(caption->count, count);
    for (int i = 0; i < count; i++)
        assert_int_equal(caption->outputs[i].word, expected[i]);
}

static void check_together(const char *architecture)
{
    generator s;
    sac_result caption;
    open_together(&s, architecture);
    const sac_array *prompt = sac_arrays_find(s.expected, "prompt");
    assert_int_equal(s.captioner->seen, sac_array_count(prompt));
    assert_memory_equal(s.captioner->ids, prompt->data, s.captioner->seen * sizeof(int));
    OK(sac_pretrained_captioner_generate(s.captioner, &(sac_result_request){.beam = 1}, &caption,
                                         &failure));
    check_generated(&s, "greedy", &caption);
    check_probabilities(&s, &caption);
    check_looks(&s, caption.count);
    sac_result_free(&caption);
    OK(sac_pretrained_captioner_generate(s.captioner, &(sac_result_request){.beam = 3}, &caption,
                                         &failure));
    check_generated(&s, "beam", &caption);
    sac_result_free(&caption);
    close_generator(&s);
}

TEST(llava_sees_two_pictures_as_that_of_transformers)
{
    check_together("llava");
    check_together("llava_next");
}

/* Of one two tiles, of the other four. */
TEST(idefics3_sees_two_pictures_as_that_of_transformers)
{
    check_together("idefics3");
}

/* Of one three tiles, of the other two. */
TEST(internvl_sees_two_pictures_as_that_of_transformers)
{
    check_together("internvl");
}

TEST(mistral3_sees_two_pictures_as_that_of_transformers)
{
    check_together("mistral3");
}

TEST(gemma4_sees_two_pictures_as_that_of_transformers)
{
    check_together("gemma4_seeing");
    check_together("gemma4_seeing_large");
}

TEST(gemma3_sees_two_pictures_as_that_of_transformers)
{
    check_together("gemma3_seeing");
}

TEST(the_three_qwen_vl_see_two_pictures_as_those_of_transformers)
{
    check_together("qwen2_vl");
    check_together("qwen2_5_vl");
    check_together("qwen3_vl");
}

/* Cells of the second picture lie behind a column of none. What lies on both is what lay on the tokens of each, of every kind
 * of map; and what is between them has nothing. */
TEST(the_cells_of_pictures_lie_beside_each_other)
{
    generator s;
    open_together(&s, "qwen3_vl");
    const sac_image_tokens *p = s.captioner->picture;
    assert_int_equal(p->parts, 2);
    assert_int_equal(p->place[0].grid_w, 7);
    assert_int_equal(p->place[1].x, 8);
    assert_int_equal(p->grid_w, 8 + p->place[1].grid_w);
    assert_int_equal(p->count, p->part[0]->count + p->part[1]->count);
    for (int a = 0; a < SAC_ATTRIBUTIONS; a++) {
        sac_result caption;
        const sac_result_request request = {.beam = 1, .attribution = (sac_attribution)a};
        if (!(sac_pretrained_captioner_attribution_bits(s.captioner) >> a & 1) && a)
            continue;
        OK(sac_pretrained_captioner_generate(s.captioner, &request, &caption, &failure));
        assert_int_equal(caption.grid_w, p->grid_w);
        for (int t = 0; t < caption.count; t++) {
            double on[2] = {0}, all = 0;
            for (int i = 0; i < caption.grid_w * caption.grid_h; i++) {
                const int x = i % caption.grid_w, y = i / caption.grid_w;
                const double weight = caption.weights[t * caption.grid_w * caption.grid_h + i];
                all += weight;
                for (int k = 0; k < 2; k++)
                    if (x >= p->place[k].x && x < p->place[k].x + p->place[k].grid_w &&
                        y < p->place[k].grid_h)
                        on[k] += weight;
            }
            assert_true(fabs(all - 1) < 1e-4);
            assert_true(fabs(on[0] + on[1] - all) < 1e-5 && on[0] > 0 && on[1] > 0);
        }
        sac_result_free(&caption);
    }
    close_generator(&s);
}

/* Rows on the tokens of each picture are its cells. */
TEST(a_word_s_map_has_the_rows_of_both_pictures)
{
    generator s;
    sac_result caption;
    open_together(&s, "qwen2_5_vl");
    const sac_image_tokens *p = s.captioner->picture;
    OK(sac_pretrained_captioner_generate(s.captioner, &(sac_result_request){.beam = 1}, &caption,
                                         &failure));
    float *row = calloc(s.captioner->seen, sizeof *row);
    float *mean = calloc(s.captioner->seen, sizeof *mean);
    const int layers = s.model->decoder->layers, heads = s.model->decoder->run.heads;
    for (int i = 0; i < layers * heads; i++) {
        OK(sac_pretrained_captioner_weights(s.captioner, 0, i / heads, i % heads, row, &failure));
        for (size_t k = 0; k < s.captioner->seen; k++)
            mean[k] += row[k];
    }
    double all = 0;
    size_t n = 0;
    for (size_t i = 0; i < s.captioner->seen; i++)
        all += s.captioner->ids[i] == s.model->decoder->text_decoder.connector.token ? mean[i] : 0;
    for (size_t i = 0; i < s.captioner->seen; i++) {
        if (s.captioner->ids[i] != s.model->decoder->text_decoder.connector.token)
            continue;
        const int k = n >= p->part[0]->count, at = (int)(n - (k ? p->part[0]->count : 0));
        const int x = p->place[k].x + at % p->place[k].grid_w,
                  y = p->place[k].y + at / p->place[k].grid_w;
        assert_true(fabs(caption.weights[y * caption.grid_w + x] - mean[i] / all) < 1e-5);
        n++;
    }
    assert_int_equal(n, p->count);
    free(row);
    free(mean);
    sac_result_free(&caption);
    close_generator(&s);
}

TEST(what_sees_one_picture_refuses_two)
{
    static const char *const architectures[] = {"paligemma", "blip2",    "llava_onevision",
                                                "blip",      "idefics2", "moondream"};
    sac_image pictures[2];
    for (int i = 0; i < 2; i++)
        OK(sac_image_load(REFERENCES "/together.png", &pictures[i], &failure));
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        generator s;
        load_generator(&s, architectures[i]);
        REFUSES(SAC_E_ARGUMENT, "…; give one picture at a time",
                sac_pretrained_captioner_encode_pictures(s.captioner, pictures, 2, NULL, &failure));
        close_generator(&s);
    }
    for (int i = 0; i < 2; i++)
        sac_image_free(&pictures[i]);
}

TEST_MAIN(open_device, close_device)
