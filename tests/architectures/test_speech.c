/* Models that spell a sound against `transformers` (make_speech.py): states, heads, the logits of each cell, the text to the
 * letter, the times of its words, and sounds that are longer than what goes through the layers at once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "saccade_arrays.h"
#include "status.h"
#include "trial.h"

static const char *const families[] = {"wav2vec2", "wav2vec2_stable", "hubert",
                                       "wavlm",    "wavlm_stable",    "parakeet"};
enum { FAMILIES = sizeof families / sizeof *families };

typedef struct speech {
    trial t;
    sac_pretrained_captioner *captioner;
    sac_sound sound;
} speech;

static void open_speech(speech *s, const char *family)
{
    char path[512];
    *s = (speech){.t = {.prefix = ""}};
    snprintf(path, sizeof path, REFERENCES "/%s", family);
    OK(sac_pretrained_model_open_stored(path, NULL, SAC_STORAGE_F32, &s->t.model, &failure));
    assert_string_equal(sac_architecture_note(s->t.model), "");
    snprintf(path, sizeof path, REFERENCES "/%s/reference.safetensors", family);
    OK(sac_arrays_open(path, &s->t.expected, &failure));
    snprintf(path, sizeof path, REFERENCES "/%s/sound.wav", family);
    OK(sac_sound_load(path, SAC_MEL_RATE, SIZE_MAX, &s->sound, &failure));
    OK(sac_pretrained_captioner_create(s->t.model, &s->captioner, &failure));
}

static void close_speech(speech *s)
{
    sac_inference_free(s->t.inference);
    sac_pretrained_captioner_destroy(s->captioner);
    sac_sound_free(&s->sound);
    sac_arrays_close(s->t.expected);
    sac_pretrained_model_close(s->t.model);
}

static void generate(const speech *s, const sac_result_request *request, sac_result *caption)
{
    OK(sac_pretrained_captioner_generate(s->captioner, request, caption, &failure));
}

TEST(states_and_heads_are_those_of_transformers)
{
    for (int i = 0; i < FAMILIES; i++) {
        speech s;
        open_speech(&s, families[i]);
        OK(sac_inference_read_audio(s.t.model, &s.sound, &s.t.inference, &failure));
        assert_int_equal(s.t.inference->grid_w, s.t.inference->count);
        check_states(&s.t);
        check_weights(&s.t);
        close_speech(&s);
    }
}

TEST(logits_text_and_times_are_those_of_transformers)
{
    for (int i = 0; i < FAMILIES; i++) {
        speech s;
        sac_result caption;
        open_speech(&s, families[i]);
        OK(sac_pretrained_captioner_read_audio(s.captioner, &s.sound, NULL, &failure));
        generate(&s, &(sac_result_request){0}, &caption);
        const size_t cells = (size_t)caption.grid_w, V = s.t.model->decoder->vocabulary;
        float *logits = calloc(cells * V, sizeof *logits);
        OK(sac_captioner_spelling_logits(s.captioner, logits, &failure));
        compare(logits, expect(&s.t, "logits", cells * V), cells * V, 1e-3, "logits");
        const sac_array *text = sac_arrays_find(s.t.expected, "text"),
                        *words = sac_arrays_find(s.t.expected, "words");
        assert_int_equal(strlen(caption.line), sac_array_count(text));
        assert_memory_equal(caption.line, text->data, sac_array_count(text));
        const int32_t *time = words->data;
        float begin = -1;
        size_t word = 0;
        const float cell = (float)s.t.model->audio.cell / SAC_MEL_RATE;
        for (int w = 0; w < caption.count;
             w++) { /* a letter of a script without blanks is a word here */
            assert_true(caption.outputs[w].is_timed && caption.outputs[w].begin >= begin);
            begin = caption.outputs[w].begin;
            if (fabsf(begin - cell * (float)time[2 * word]) < 1e-5f && word < words->shape[0])
                word++;
            assert_true(word > 0);
            assert_true(caption.outputs[w].end <= cell * (float)time[2 * word - 1] + 1e-5f);
            assert_true(caption.outputs[w].probability > 0 && caption.outputs[w].probability <= 1);
        }
        assert_int_equal(word, words->shape[0]);
        assert_float_equal(caption.outputs[caption.count - 1].end, cell * (float)time[2 * word - 1],
                           1e-5);
        assert_float_equal(caption.seconds, cell * (float)cells, 1e-5);
        free(logits);
        sac_result_free(&caption);
        close_speech(&s);
    }
}

/* Tokens before the patches, and these in rows from the highest tones down: transformers has them from the lowest up. */
static size_t own_place(const sac_inference *p, size_t t)
{
    const size_t across = (size_t)p->grid_w, patch = t - (size_t)p->prefix;
    const size_t row = (size_t)p->grid_h - 1 - patch / across;
    return t < (size_t)p->prefix ? t : (size_t)p->prefix + row * across + patch % across;
}

TEST(patches_of_a_spectrogram_and_classes_are_those_of_transformers)
{
    trial t = {.prefix = ""};
    sac_sound sound;
    sac_source source;
    sac_read_input read;
    OK(sac_pretrained_model_open_stored(REFERENCES "/ast", NULL, SAC_STORAGE_F32, &t.model,
                                        &failure));
    assert_string_equal(sac_architecture_note(t.model), "");
    OK(sac_arrays_open(REFERENCES "/ast/reference.safetensors", &t.expected, &failure));
    OK(sac_sound_load(REFERENCES "/ast/sound.wav", SAC_MEL_RATE, SIZE_MAX, &sound, &failure));
    OK(sac_inference_read_audio(t.model, &sound, &t.inference, &failure));
    sac_sound_free(&sound);
    const sac_inference *p = t.inference;
    const size_t T = p->count, D = t.model->width;
    assert_int_equal(T, 2 + (size_t)(p->grid_w * p->grid_h));
    const float *left = expect(&t, "hidden_states.2", T * D),
                *entered = expect(&t, "hidden_states.0", T * D);
    float *states = calloc(3 * T * D, sizeof *states);
    OK(sac_inference_states(p, states, &failure));
    for (size_t i = 0; i < T; i++) {
        compare(p->entered + i * D, entered + own_place(p, i) * D, D, 1e-4, "entered");
        compare(states + (2 * T + i) * D, left + own_place(p, i) * D, D, 1e-4, "left");
    }
    free(states);
    OK(sac_inference_open_source(t.inference, &source, &failure));
    float *weights = calloc(T * T, sizeof *weights);
    for (size_t layer = 0; layer < 2; layer++)
        for (size_t head = 0; head < 3; head++) {
            char name[24];
            snprintf(name, sizeof name, "attentions.%zu", layer);
            const float *expected = expect(&t, name, 3 * T * T) + head * T * T;
            const sac_tile tile = {.head = head, .rows = T, .cols = T};
            OK(source.weights.tile(source.self, layer, &tile, weights, &failure));
            for (size_t i = 0; i < T * T; i++)
                assert_true(fabsf(weights[i] -
                                  expected[own_place(p, i / T) * T + own_place(p, i % T)]) < 1e-4f);
        }
    free(weights);
    source.weights.input(source.self, &read);
    assert_int_equal(read.class_count, 5);
    compare(read.classes, expect(&t, "logits", 5), 5, 1e-3, "classes");
    assert_string_equal(read.class_names + 2 * read.class_name_size, "Dog");
    assert_non_null(strstr(source.note, "Dog"));
    sac_source_destroy(&source);
    sac_arrays_close(t.expected);
    sac_pretrained_model_close(t.model);
}

TEST(moonshine_generates_what_transformers_does)
{
    speech s;
    open_speech(&s, "moonshine");
    OK(sac_inference_read_audio(s.t.model, &s.sound, &s.t.inference, &failure));
    check_states(&s.t);
    check_weights(&s.t);
    OK(sac_pretrained_captioner_read_audio(s.captioner, &s.sound, NULL, &failure));
    for (int beam = 1; beam <= 3; beam += 2) {
        sac_result caption;
        const sac_array *array = sac_arrays_find(s.t.expected, beam == 1 ? "greedy" : "beam");
        const int32_t *ids = (const int32_t *)array->data + 1;
        generate(&s, &(sac_result_request){.beam = beam}, &caption);
        const size_t T = sac_array_count(array), S = (size_t)caption.grid_w;
        assert_true((size_t)caption.count + 1 == T || ids[caption.count] == 2);
        for (int i = 0; i < caption.count; i++)
            assert_int_equal(caption.outputs[i].word, ids[i]);
        assert_false(caption.outputs[0].is_timed);
        if (beam == 1) {
            const sac_array *text = sac_arrays_find(s.t.expected, "text");
            const float *head = expect(&s.t, "cross_attentions.1", 2 * T * S) + T * S;
            assert_int_equal(strlen(caption.line), sac_array_count(text));
            assert_memory_equal(caption.line, text->data, sac_array_count(text));
            sac_result_free(&caption);
            generate(&s, &(sac_result_request){.beam = 1, .layer = 2, .head = 2}, &caption);
            compare(caption.weights, head, (size_t)caption.count * S, 1e-4, "what words look at");
        }
        sac_result_free(&caption);
    }
    close_speech(&s);
}

TEST(a_conformer_reads_the_spectrogram_of_transformers)
{
    speech s;
    open_speech(&s, "parakeet");
    const size_t bins = s.t.model->conformer->bins, frames = s.sound.count / SAC_MEL_HOP;
    float *log_mel = calloc(bins * frames, sizeof *log_mel);
    OK(sac_normed_spectrogram(&s.sound, 0.97f, bins, frames, log_mel, &failure));
    compare(log_mel, expect(&s.t, "features", bins * frames), bins * frames, 1e-4, "spectrogram");
    free(log_mel);
    close_speech(&s);
}

/* The mean of rows of a head of transformers, at the cells of a word's letters. */
TEST(a_word_looks_where_the_cells_of_its_letters_look)
{
    speech s;
    sac_result caption;
    open_speech(&s, "wav2vec2");
    OK(sac_pretrained_captioner_read_audio(s.captioner, &s.sound, NULL, &failure));
    generate(&s, &(sac_result_request){.layer = 2, .head = 3}, &caption);
    const size_t T = (size_t)caption.grid_w;
    const float *head = expect(&s.t, "attentions.1", 3 * T * T) + 2 * T * T;
    int last = caption.count - 1;
    const size_t cell = (size_t)lrintf(caption.outputs[last].begin * 50); /* of one letter, "E" */
    assert_string_equal(sac_result_share(&caption, last), " E");
    assert_int_equal(lrintf(caption.outputs[last].end * 50), cell + 1);
    compare(caption.weights + (size_t)last * T, head + cell * T, T, 1e-4, "a word's map");
    sac_result_free(&caption);
    /* Carried on through all layers each map still has a sum of 1. */
    generate(&s, &(sac_result_request){.attribution = SAC_ATTRIBUTION_ENCODER}, &caption);
    for (int w = 0; w < caption.count; w++) {
        double sum = 0;
        for (size_t t = 0; t < T; t++)
            sum += (double)caption.weights[(size_t)w * T + t];
        assert_float_equal(sum, 1, 1e-4);
    }
    sac_result_free(&caption);
    close_speech(&s);
}

TEST(hidden_cells_have_no_states_and_are_not_looked_at)
{
    speech s;
    sac_result caption;
    for (int i = 0; i < FAMILIES; i++) {
        open_speech(&s, families[i]);
        OK(sac_pretrained_captioner_read_audio(s.captioner, &s.sound, NULL, &failure));
        const sac_array *hidden = sac_arrays_find(s.t.expected, "hidden");
        const size_t T = sac_array_count(hidden), D = s.t.model->width;
        generate(&s, &(sac_result_request){.hidden = hidden->data}, &caption);
        const float *expected = expect(&s.t, "hidden.last_hidden_state", T * D);
        for (size_t t = 0; t < T;
             t++) /* of a conformer's hidden cells transformers has no attention */
            if (!s.t.model->conformer || !((const uint8_t *)hidden->data)[t])
                compare(s.captioner->spelling.now->left + t * D, expected + t * D, D, 1e-4,
                        "with hidden cells");
        for (size_t k = 0; k < (size_t)caption.count * T; k++)
            assert_true(!((const uint8_t *)hidden->data)[k % T] || caption.weights[k] == 0);
        sac_result_free(&caption);
        generate(&s, &(sac_result_request){0}, &caption); /* and shown again */
        compare(s.captioner->spelling.now->left, expect(&s.t, "last_hidden_state", T * D), T * D,
                1e-4, "with all cells");
        sac_result_free(&caption);
        close_speech(&s);
    }
}

TEST(switched_heads_and_temperature_change_the_states)
{
    speech s;
    sac_result caption;
    open_speech(&s, "wav2vec2");
    float scale[6] = {1, 1, 0, 1, 1, 1};
    OK(sac_pretrained_captioner_scale(s.captioner, SAC_ENCODER_ATTENTION, scale, &failure));
    OK(sac_pretrained_captioner_read_audio(s.captioner, &s.sound, NULL, &failure));
    generate(&s, &(sac_result_request){0}, &caption);
    const size_t numbers = s.captioner->seen * s.t.model->width;
    float *without = calloc(numbers, sizeof *without);
    memcpy(without, s.captioner->spelling.now->left, numbers * sizeof *without);
    const float *whole = expect(&s.t, "last_hidden_state", numbers);
    assert_memory_not_equal(without, whole, numbers * sizeof *whole);
    sac_result_free(&caption);
    generate(&s, &(sac_result_request){.temperature = 3}, &caption);
    assert_memory_not_equal(without, s.captioner->spelling.now->left, numbers * sizeof *whole);
    sac_result_free(&caption);
    free(without);
    close_speech(&s);
}

TEST(what_a_search_would_need_is_refused)
{
    speech s;
    sac_result caption;
    open_speech(&s, "wav2vec2");
    REFUSES(SAC_E_ARGUMENT, "wav2vec2: has seen or read nothing yet",
            sac_pretrained_captioner_generate(s.captioner, &(sac_result_request){0}, &caption,
                                              &failure));
    OK(sac_pretrained_captioner_read_audio(s.captioner, &s.sound, NULL, &failure));
    REFUSES(
        SAC_E_ARGUMENT,
        "beam: wav2vec2 searches for no sentence: each time has a letter of its own; leave it out",
        sac_pretrained_captioner_generate(s.captioner, &(sac_result_request){.beam = 3}, &caption,
                                          &failure));
    REFUSES(SAC_E_ARGUMENT,
            "prefix: wav2vec2 does not go on with words that are given; leave it out",
            sac_pretrained_captioner_generate(
                s.captioner, &(sac_result_request){.prefix_count = 1, .prefix = {5}}, &caption,
                &failure));
    REFUSES(SAC_E_ARGUMENT, "layer: 2 is out of range; layer goes from 0 to 1",
            sac_pretrained_captioner_generate(s.captioner, &(sac_result_request){.layer = 3},
                                              &caption, &failure));
    s.sound.count = 399; /* the first cell takes 400 */
    REFUSES(SAC_E_ARGUMENT,
            "sound: has 399 samples, and wav2vec2 makes nothing of so few; give a longer one",
            sac_pretrained_captioner_read_audio(s.captioner, &s.sound, NULL, &failure));
    close_speech(&s);
}

/* Half a second goes through the layers at once: pieces follow one another without a gap, and no word is in two of them. */
TEST(a_long_sound_is_taken_in_pieces)
{
    speech s;
    open_speech(&s, "wav2vec2");
    s.t.model->max_positions = 25;
    OK(sac_pretrained_captioner_read_audio(s.captioner, &s.sound, NULL, &failure));
    float until = 0, last = 0;
    int pieces = 0;
    for (size_t next = 1; next; pieces++) {
        sac_result caption;
        generate(&s, &(sac_result_request){0}, &caption);
        assert_float_equal(caption.from, until, 1e-5);
        assert_true(caption.until > caption.from);
        for (int w = 0; w < caption.count; w++) {
            assert_true(caption.outputs[w].begin >= last - 1e-5f);
            last = caption.outputs[w].end;
            assert_true(last <= caption.until + 1e-5f);
        }
        until = caption.until;
        sac_result_free(&caption);
        next = sac_pretrained_captioner_next_piece(s.captioner);
        if (next)
            OK(sac_pretrained_captioner_read_piece(s.captioner, next, NULL, &failure));
    }
    assert_true(pieces >= 2);
    assert_float_equal(until, 0.02 * (double)sac_audio_cells(s.t.model, s.sound.count), 1e-5);
    close_speech(&s);
}

TEST_MAIN(open_device, close_device)
