/* Whisper against `transformers` (make_whisper.py): a tiny model encodes a sound; its spectrogram, the
 * encoder's states, what the decoder looks at, and the tokens of `generate`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "generator.h"
#include "saccade_arrays.h"

#define FOLDER REFERENCES "/whisper"

/* The model, which has encoded the sound of its folder. */
static void open_encoded(generator *s)
{
    sac_sound sound;
    load_generator(s, "whisper");
    OK(sac_sound_load(FOLDER "/sound.wav", SAC_MEL_RATE, SIZE_MAX, &sound, &failure));
    OK(sac_pretrained_captioner_read_audio(s->captioner, &sound, NULL, &failure));
    sac_sound_free(&sound);
}

TEST(the_encoder_has_the_states_of_transformers)
{
    generator s;
    sac_sound sound;
    load_generator(&s, "whisper");
    trial t = {.prefix = "", .model = s.model, .expected = s.expected};
    OK(sac_sound_load(FOLDER "/sound.wav", SAC_MEL_RATE, SIZE_MAX, &sound, &failure));
    OK(sac_inference_read_audio(t.model, &sound, &t.inference, &failure));
    sac_sound_free(&sound);
    size_t count = t.inference->count * t.model->width;
    assert_int_equal(t.inference->count, 20);
    assert_int_equal(t.inference->grid_w, 15); /* 30 frames of the 40 */
    compare(t.inference->entered, expect(&t, "hidden_states.0", count), count, 1e-4, "entered");
    compare(t.inference->left, expect(&t, "last_hidden_state", count), count, 1e-4, "left");
    check_states(&t);
    sac_inference_free(t.inference);
    close_generator(&s);
}

/* Each token ends where transformers has it, and the next one begins there. */
static void check_times(const sac_result *caption, const float *ends, float from)
{
    for (int i = 0; i < caption->count; i++) {
        assert_true(caption->outputs[i].is_timed);
        assert_float_equal(caption->outputs[i].end, ends[i], 1e-4);
        assert_float_equal(caption->outputs[i].begin, i ? ends[i - 1] : from, 1e-4);
    }
}

TEST(each_search_generates_what_generate_does)
{
    generator s;
    open_encoded(&s);
    for (size_t i = 0; i < SEARCHES; i++) {
        sac_result caption;
        const char *name = check_search(&s, i, &caption);
        char path[40];
        snprintf(path, sizeof path, "times.%s", name);
        const sac_array *ends = sac_arrays_find(s.expected, path);
        assert_int_equal(sac_array_count(ends), caption.count);
        check_times(&caption, ends->data, 0);
        if (i == 0)
            check_looks(&s, caption.count);
        assert_int_equal(caption.grid_w, 15);
        sac_result_free(&caption);
    }
    close_generator(&s);
}

TEST(a_sound_that_is_too_long_is_transcribed_as_far_as_it_shows)
{
    generator s;
    sac_sound sound;
    sac_result caption;
    load_generator(&s, "whisper");
    OK(sac_sound_load(FOLDER "/sound.wav", SAC_MEL_RATE, SIZE_MAX, &sound, &failure));
    sound.samples = realloc(sound.samples, 2 * sound.count * sizeof *sound.samples);
    memcpy(sound.samples + sound.count, sound.samples, sound.count * sizeof *sound.samples);
    sound.count *= 2;
    OK(sac_pretrained_captioner_read_audio(s.captioner, &sound, NULL, &failure));
    OK(sac_pretrained_captioner_generate(s.captioner, &(sac_result_request){.beam = 1}, &caption,
                                         &failure));
    assert_non_null(strstr(caption.note, "only the first 0.4 s"));
    sac_result_free(&caption);
    sac_sound_free(&sound);
    close_generator(&s);
}

/* Times are no words, and stand between them. */
static void check_tokens(const sac_result *caption, const int32_t *tokens, size_t longest,
                         float from)
{
    enum { TIMES = 32 }; /* the first of them */
    int all[SAC_MAX_TOKENS], count = sac_result_tokens(caption, all), times = 0;
    for (int t = 0; t < count; t++) {
        const int word = sac_result_word_at(caption, t);
        assert_int_equal(all[t], tokens[t]);
        assert_int_equal(word < 0, all[t] >= TIMES);
        if (word >= 0) {
            assert_int_equal(caption->outputs[word].word, all[t]);
            assert_int_equal(sac_result_step(caption, word), t);
            assert_true(caption->outputs[word].begin >= from);
        } else {
            const sac_special_token *time = &caption->specials[times++];
            assert_true(time->is_time);
            assert_float_equal(time->time, from + 0.02f * (float)(all[t] - TIMES), 1e-4);
        }
    }
    assert_int_equal(times, caption->special_count);
    assert_true(times >= 2);
    assert_true((size_t)count == longest || tokens[count] == -1);
    assert_null(strstr(caption->line, "<|"));
}

/* Piece after piece, each from the last time of the one before. */
TEST(long_sound_is_taken_in_the_pieces_of_transformers)
{
    generator s;
    sac_sound sound;
    load_generator(&s, "whisper_long");
    OK(sac_sound_load(REFERENCES "/whisper_long/sound.wav", SAC_MEL_RATE, SIZE_MAX, &sound,
                      &failure));
    OK(sac_pretrained_captioner_set_audio_task(s.captioner, "en", NULL, &failure));
    OK(sac_pretrained_captioner_read_audio(s.captioner, &sound, NULL, &failure));
    sac_sound_free(&sound);
    const sac_array *pieces = sac_arrays_find(s.expected, "pieces");
    const float *from = sac_arrays_find(s.expected, "from")->data,
                *ends = sac_arrays_find(s.expected, "times")->data;
    const size_t count = pieces->shape[0], longest = pieces->shape[1];
    for (size_t i = 0; i < count; i++) {
        const int32_t *tokens = (const int32_t *)pieces->data + i * longest;
        sac_result caption;
        OK(sac_pretrained_captioner_generate(s.captioner, &(sac_result_request){.beam = 1},
                                             &caption, &failure));
        assert_true(fabsf(caption.from - from[i]) < 1e-4f);
        check_times(&caption, ends + i * longest, from[i]);
        sac_pretrained_captioner_separate_specials(s.captioner, &caption);
        check_tokens(&caption, tokens, longest, from[i]);
        sac_result_free(&caption);
        const size_t next = sac_pretrained_captioner_next_piece(s.captioner);
        assert_int_equal(next > 0, i + 1 < count);
        if (next)
            OK(sac_pretrained_captioner_read_piece(s.captioner, next, NULL, &failure));
    }
    close_generator(&s);
}

/* ---------------------------------------------------------------- languages */

/* As make_audio_language.py has them: tokens that stand for languages. */
static void give_languages(generator *s)
{
    sac_audio_languages *audio = &s->model->decoder->text_decoder.languages;
    assert_int_equal(audio->count, 2); /* of the folder */
    assert_int_equal(audio->token[1], 3);
    for (int token = 7; token < 30; token++)
        audio->token[audio->count++] = token;
}

static void read_sound(generator *s, const sac_arrays *expected, int number, sac_result *caption)
{
    const sac_array *sounds = sac_arrays_find(expected, "sounds");
    const size_t count = sounds->shape[1];
    const int32_t *samples = (const int32_t *)sounds->data + (size_t)number * count;
    sac_sound sound = {
        .samples = malloc(count * sizeof(float)), .count = count, .rate = SAC_MEL_RATE};
    for (size_t i = 0; i < count; i++)
        sound.samples[i] = (float)samples[i] / 32768;
    OK(sac_pretrained_captioner_read_audio(s->captioner, &sound, NULL, &failure));
    OK(sac_pretrained_captioner_generate(s->captioner, &(sac_result_request){.beam = 1}, caption,
                                         &failure));
    sac_sound_free(&sound);
}

static void expect_generation(const sac_arrays *expected, const char *task, int number,
                              const sac_result *caption)
{
    const sac_array *generated = sac_arrays_find(expected, task);
    const int32_t *ids = (const int32_t *)generated->data + (size_t)number * generated->shape[1];
    for (int i = 0; i < caption->count; i++)
        assert_int_equal(caption->outputs[i].word, ids[i]);
    assert_int_equal(ids[caption->count], 0); /* the end */
}

TEST(the_language_of_each_sound_is_found_as_transformers_finds_it)
{
    generator s;
    sac_arrays *expected;
    load_generator(&s, "whisper");
    give_languages(&s);
    OK(sac_arrays_open(REFERENCES "/audio_language.safetensors", &expected, &failure));
    const int32_t *language = sac_arrays_find(expected, "language")->data;
    const float *probability = sac_arrays_find(expected, "probability")->data;
    for (int pass = 0; pass < 2; pass++) {
        OK(sac_pretrained_captioner_set_audio_task(s.captioner, NULL,
                                                   pass ? "translate" : "transcribe", &failure));
        for (int i = 0; i < 3; i++) {
            sac_result caption;
            read_sound(&s, expected, i, &caption);
            assert_string_equal(caption.language,
                                sac_tokenizer_token(s.model->decoder->tokenizer, language[i]));
            assert_float_equal(caption.language_probability, probability[i], 1e-4);
            expect_generation(expected, pass ? "translate" : "transcribe", i, &caption);
            sac_result_free(&caption);
        }
    }
    sac_arrays_close(expected);
    close_generator(&s);
}

TEST(a_language_that_is_reported_is_not_searched_for)
{
    generator s;
    sac_arrays *expected;
    sac_result caption;
    load_generator(&s, "whisper");
    OK(sac_arrays_open(REFERENCES "/audio_language.safetensors", &expected, &failure));
    OK(sac_pretrained_captioner_set_audio_task(s.captioner, "de", NULL, &failure));
    read_sound(&s, expected, 0, &caption);
    assert_string_equal(caption.language, "de");
    assert_true(caption.language_probability == 0);
    sac_result_free(&caption);
    REFUSES(SAC_E_ARGUMENT,
            "--language: xx is not known to whisper; its languages are en, de; give one of them",
            sac_pretrained_captioner_set_audio_task(s.captioner, "xx", NULL, &failure));
    REFUSES(SAC_E_ARGUMENT, "--task: sing is not known; give transcribe or translate",
            sac_pretrained_captioner_set_audio_task(s.captioner, NULL, "sing", &failure));
    sac_arrays_close(expected);
    close_generator(&s);
}

TEST(errors_by_word_and_character_are_those_of_transformers_texts)
{
    check_rates();
}

/* The encoder of Qwen2-Audio, without the silence behind the sound. */
TEST(an_encoder_alone_has_the_states_and_heads_of_transformers)
{
    trial t = {.prefix = ""};
    OK(sac_pretrained_model_open_stored(REFERENCES "/qwen2_audio_encoder", NULL, SAC_STORAGE_F32,
                                        &t.model, &failure));
    assert_string_equal(sac_architecture_note(t.model), "");
    OK(sac_arrays_open(REFERENCES "/qwen2_audio_encoder/reference.safetensors", &t.expected,
                       &failure));
    OK(sac_inference_load_audio(t.model, REFERENCES "/qwen2_audio_encoder/sound.wav", &t.inference,
                                &failure));
    assert_int_equal(t.inference->grid_w, 15);
    assert_int_equal(t.inference->count, 15);
    check_states(&t);
    check_weights(&t);
    sac_inference_free(t.inference);
    sac_arrays_close(t.expected);
    sac_pretrained_model_close(t.model);
}

TEST_MAIN(open_device, close_device)
