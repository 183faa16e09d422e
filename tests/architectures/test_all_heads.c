/* Every head of models that encode a picture or a sound and generate a text, against `transformers` (make_heads.py, make_stages.py): of
 * their encoders and of what stands between these and the decoder, which the program writes beside a caption. */
#include <stdlib.h>
#include <string.h>

#include "generator.h"
#include "saccade_arrays.h"

static sac_arrays *heads, *stages;

static void give_pixels(const generator *s)
{
    const sac_array *pixels = sac_arrays_find(s->expected, "pixel_values");
    OK(sac_pretrained_captioner_encode_pixels(s->captioner, pixels->data, (int)pixels->shape[3],
                                              (int)pixels->shape[2], &failure));
}

static void give_sound(const generator *s)
{
    sac_sound sound;
    char path[512];
    snprintf(path, sizeof path, "%s/%s/sound.wav", REFERENCES, s->name);
    OK(sac_sound_load(path, SAC_MEL_RATE, SIZE_MAX, &sound, &failure));
    OK(sac_pretrained_captioner_read_audio(s->captioner, &sound, NULL, &failure));
    sac_sound_free(&sound);
}

static void give_picture(const generator *s)
{
    char path[512];
    sac_image picture;
    snprintf(path, sizeof path, "%s/%s/picture.png", REFERENCES, s->name);
    OK(sac_image_load(path, &picture, &failure));
    OK(sac_pretrained_captioner_encode_picture(s->captioner, &picture, NULL, &failure));
    sac_image_free(&picture);
}

/* A picture or a sound, and a question about it. */
static void ask_about(const generator *s)
{
    (sac_architecture_has_audio(s->model) ? give_sound : give_picture)(s);
    OK(sac_pretrained_captioner_ask(s->captioner, "the bank of a", &failure));
}

/* All heads where it generates, with beams, what it then generates greedily: what is kept of a search is not what is asked. */
static sac_attentions open_all(generator *s, const char *family, void (*give)(const generator *s))
{
    sac_result caption;
    sac_attentions all;
    int ids[SAC_MAX_TOKENS];
    OK(sac_arrays_open(REFERENCES "/heads.safetensors", &heads, &failure));
    OK(sac_arrays_open(REFERENCES "/stages.safetensors", &stages, &failure));
    load_generator(s, family);
    give(s);
    s->captioner->search.length = give == ask_about ? 6 : 11;
    OK(sac_pretrained_captioner_generate(s->captioner, &(sac_result_request){.beam = 1}, &caption,
                                         &failure));
    const int count = sac_result_tokens(&caption, ids);
    sac_result_free(&caption);
    OK(sac_pretrained_captioner_generate(s->captioner, &(sac_result_request){.beam = 3}, &caption,
                                         &failure));
    sac_result_free(&caption);
    OK(sac_pretrained_captioner_attentions(s->captioner, ids, (size_t)count, &all, &failure));
    OK(sac_pretrained_captioner_encoders(s->captioner, &all, &failure));
    assert_string_equal(all.left_out, "");
    return all;
}

static void close_all(generator *s, sac_attentions *all)
{
    sac_attentions_free(all);
    sac_arrays_close(heads);
    sac_arrays_close(stages);
    close_generator(s);
}

static const sac_attention_kind *part_of(const sac_attentions *all, const char *name)
{
    for (size_t i = 0; i < all->parts; i++)
        if (strcmp(all->part[i].name, name) == 0)
            return &all->part[i];
    fail_msg("there is no %s", name);
    return NULL;
}

/* Rows and columns of a kind from `row` and 0 on in the reference, whose maps may be larger. */
static void check_maps(const sac_attention_kind *k, const char *family, const char *name,
                       size_t row)
{
    char path[64];
    snprintf(path, sizeof path, "%s.%s", family, name);
    const sac_array *array = sac_arrays_find(heads, path);
    if (!array)
        fail_msg("make_heads.py has no %s", path);
    const size_t T = array->shape[array->rank - 2], S = array->shape[array->rank - 1];
    const size_t maps = k->layers * (k->items ? k->items : 1) * k->heads;
    assert_int_equal(array->rank, k->items ? 5 : 4);
    assert_int_equal(sac_array_count(array), maps * T * S);
    assert_true(row + k->steps <= T && k->positions <= S);
    for (size_t i = 0; i < maps * k->steps; i++)
        compare(k->weights + i * k->positions,
                (const float *)array->data + (i / k->steps * T + row + i % k->steps) * S,
                k->positions, 1e-4, path);
}

static void check_labels(const sac_attention_kind *k)
{
    assert_int_equal(k->step_labels.count, k->steps);
    assert_int_equal(k->position_labels.count, k->positions);
}

TEST(encoders_of_pictures_and_sounds_have_the_heads_of_transformers)
{
    static const char *const families[] = {"blip", "vit_gpt2", "whisper"};
    for (int i = 0; i < 3; i++) {
        generator s;
        sac_attentions all = open_all(&s, families[i], i < 2 ? give_pixels : give_sound);
        const sac_attention_kind *encoder = part_of(&all, "encoder");
        check_maps(encoder, families[i], "encoder", 0);
        check_labels(encoder);
        assert_string_equal(encoder->step_labels.text[1], i < 2 ? "0,0" : "0.02 s");
        if (i == 2) /* silence behind the sound's end */
            assert_string_equal(encoder->step_labels.text[encoder->steps - 1], "0.38 s");
        assert_non_null(all.kind[SAC_DECODER_ATTENTION].weights);
        assert_non_null(all.kind[SAC_CROSS_ATTENTION].weights);
        close_all(&s, &all);
    }
}

/* What was seen stands before the words. */
TEST(git_has_the_heads_of_transformers_over_the_picture_and_the_words)
{
    generator s;
    sac_attentions all = open_all(&s, "git", give_pixels);
    const sac_attention_kind *decoder = &all.kind[SAC_DECODER_ATTENTION];
    check_maps(decoder, "git", "decoder", 26);
    check_labels(decoder);
    check_maps(part_of(&all, "prompt"), "git", "decoder", 0);
    part_of(&all, "encoder");
    close_all(&s, &all);
}

TEST(models_that_answer_have_the_heads_of_transformers_over_prompt_and_words)
{
    static const char *const families[] = {"llava", "paligemma",      "idefics3",
                                           "blip2", "idefics2_whole", "qwen2_audio"};
    for (int i = 0; i < 6; i++) {
        generator s;
        sac_attentions all = open_all(&s, families[i], ask_about);
        const sac_attention_kind *decoder = &all.kind[SAC_DECODER_ATTENTION],
                                 *prompt = part_of(&all, "prompt");
        check_maps(prompt, families[i], "decoder", 0);
        check_maps(decoder, families[i], "decoder", prompt->steps - 1);
        check_maps(part_of(&all, "encoder"), families[i], "encoder", 0);
        check_labels(prompt);
        check_labels(decoder);
        close_all(&s, &all);
    }
}

/* The reference has all of the picture first. */
TEST(moondream_has_the_heads_of_pytorch_over_all_tiles)
{
    generator s;
    sac_attentions all = open_all(&s, "moondream", give_picture);
    const sac_attention_kind *encoder = part_of(&all, "encoder");
    const sac_array *expected = sac_arrays_find(s.expected, "vision");
    const size_t maps = encoder->heads * encoder->steps * encoder->positions;
    assert_int_equal(encoder->items, 7);
    assert_int_equal(sac_array_count(expected), encoder->items * maps);
    const float *last = encoder->weights + (encoder->layers - 1) * encoder->items * maps;
    for (size_t i = 0; i < encoder->items * maps; i++) {
        const size_t item = (i / maps + 1) % encoder->items;
        assert_true(fabsf(last[i] - ((const float *)expected->data)[item * maps + i % maps]) <
                    1e-4f);
    }
    check_labels(part_of(&all, "prompt"));
    check_labels(&all.kind[SAC_DECODER_ATTENTION]);
    assert_string_equal(part_of(&all, "prompt")->step_labels.text[1], "<picture>");
    close_all(&s, &all);
}

TEST(queries_that_gather_have_the_heads_of_transformers)
{
    static const char *const families[] = {"blip2", "idefics2_whole"};
    for (int i = 0; i < 2; i++) {
        generator s;
        sac_attentions all = open_all(&s, families[i], ask_about);
        check_maps(part_of(&all, "queries"), families[i], "queries", 0);
        check_maps(part_of(&all, "queries_cross"), families[i], "queries_cross", 0);
        close_all(&s, &all);
    }
}

/* Of quarters of several sizes the encoder's are not there, and no map goes through it. */
TEST(of_quarters_the_decoder_has_heads)
{
    generator s;
    sac_result caption;
    sac_attentions all = open_all(&s, "idefics2", ask_about);
    assert_true(all.kind[SAC_DECODER_ATTENTION].layers == 3);
    for (int i = 0; i < (int)all.parts; i++)
        assert_string_equal(all.part[i].name, "prompt");
    REFUSES(SAC_E_ARGUMENT, "…encoder…",
            sac_pretrained_captioner_generate(
                s.captioner, &(sac_result_request){.attribution = SAC_ATTRIBUTION_ENCODER},
                &caption, &failure));
    close_all(&s, &all);
}

/* In place over the grid of the stage, as the reference has them. */
static void check_windows(const sac_attention_kind *k, const char *family, int stage)
{
    for (size_t i = 0; i < k->layers * k->items * k->heads; i++) {
        char name[64];
        const size_t layer = i / k->heads / k->items, window = i / k->heads % k->items;
        const int *cells = k->cells + (layer * k->items + window) * k->steps;
        snprintf(name, sizeof name, "%s.stage.%d.attentions.%zu", family, stage, layer);
        const sac_array *array = sac_arrays_find(stages, name);
        const size_t N = array->shape[2];
        for (size_t row = 0; row < k->steps; row++)
            for (size_t column = 0; column < k->positions; column++) {
                const float weight = k->weights[(i * k->steps + row) * k->positions + column];
                if (cells[row] < 0 || cells[column] < 0)
                    continue;
                const size_t at =
                    (i % k->heads * N + (size_t)cells[row]) * N + (size_t)cells[column];
                compare(&weight, (const float *)array->data + at, 1, 1e-4, name);
            }
    }
}

TEST(every_stage_of_donut_and_florence2_has_the_heads_of_transformers)
{
    static const char *const families[] = {"donut", "florence2"};
    for (int i = 0; i < 2; i++) {
        generator s;
        sac_attentions all = open_all(&s, families[i], give_pixels);
        for (int stage = 1; stage <= s.model->stage_count; stage++) {
            char name[64];
            snprintf(name, sizeof name, "%s_stage_%d", i ? "vision" : "encoder", stage);
            check_windows(part_of(&all, name), families[i], stage);
            strcat(name, "_channels");
            const sac_attention_kind *channels = i ? part_of(&all, name) : NULL;
            for (size_t layer = 0; i && layer < channels->layers; layer++) {
                const size_t size = channels->heads * channels->steps * channels->positions;
                snprintf(name, sizeof name, "florence2.stage.%d.channels.%zu", stage, layer);
                compare(channels->weights + layer * size, sac_arrays_find(stages, name)->data, size,
                        1e-4, name);
            }
        }
        if (i) {
            const sac_attention_kind *text = part_of(&all, "encoder");
            check_maps(text, "florence2", "encoder", 0);
            assert_string_equal(text->step_labels.text[17], "<s>");
        }
        close_all(&s, &all);
    }
}

/* Heads that are switched off give other weights behind them. */
TEST(encoders_without_a_head_have_other_heads_behind_it)
{
    generator s;
    sac_attentions all = open_all(&s, "donut", give_pixels), without;
    float scale[5 * 4];
    for (int i = 0; i < 20; i++)
        scale[i] = i != 0;
    OK(sac_pretrained_captioner_scale(s.captioner, SAC_ENCODER_ATTENTION, scale, &failure));
    give_pixels(&s);
    without = (sac_attentions){0};
    OK(sac_pretrained_captioner_encoders(s.captioner, &without, &failure));
    const sac_attention_kind *first = part_of(&all, "encoder_stage_1"),
                             *last = part_of(&all, "encoder_stage_3");
    compare(part_of(&without, "encoder_stage_1")->weights, first->weights,
            first->items * first->heads * first->steps * first->positions, 1e-6, "first");
    assert_true(memcmp(part_of(&without, "encoder_stage_3")->weights, last->weights,
                       last->steps * sizeof *last->weights) != 0);
    sac_attentions_free(&without);
    close_all(&s, &all);
}

/* Hidden cells are not attended to, and the mean of all heads is what the caption has. */
TEST(heads_of_a_caption_heed_hidden_cells)
{
    generator s;
    sac_result caption;
    sac_attentions all;
    uint8_t hidden[25] = {1, 1, 1, 1, 1, 1, 1};
    int ids[SAC_MAX_TOKENS];
    load_generator(&s, "blip");
    give_pixels(&s);
    OK(sac_pretrained_captioner_generate(
        s.captioner, &(sac_result_request){.beam = 1, .hidden = hidden, .temperature = 2}, &caption,
        &failure));
    OK(sac_pretrained_captioner_attentions(
        s.captioner, ids, (size_t)sac_result_tokens(&caption, ids), &all, &failure));
    const sac_attention_kind *cross = &all.kind[SAC_CROSS_ATTENTION];
    for (size_t t = 0; t < cross->steps; t++) {
        float row[25] = {0}, sum = 0;
        for (size_t i = 0; i < 25; i++) {
            for (size_t map = 0; map < cross->layers * cross->heads; map++)
                row[i] += cross->weights[(map * cross->steps + t) * 26 + 1 + i];
            sum += row[i];
        }
        for (size_t i = 0; i < 25; i++)
            row[i] /= sum;
        const int word = sac_result_word_at(&caption, (int)t);
        if (word >= 0)
            compare(row, caption.weights + word * 25, 25, 1e-4, "cells");
    }
    sac_attentions_free(&all);
    sac_result_free(&caption);
    close_generator(&s);
}

/* A part that is too large is named with its size, and the others are there. */
TEST(a_part_that_is_too_large_is_named)
{
    sac_attentions all = {0};
    sac_attention_kind *part;
    const sac_attention_kind large = {
        .name = "encoder", .layers = 24, .items = 10, .heads = 16, .steps = 729, .positions = 729};
    OK(sac_attentions_add_part(&all, &large, &part, &failure));
    assert_null(part);
    assert_int_equal(all.parts, 0);
    assert_string_equal(all.left_out, "encoder [24,10,16,729,729] (7.6 GiB)");
    sac_attentions_free(&all);
}

TEST_MAIN(open_device, close_device)
