/* Whisper against `transformers` (make_whisper.py): a tiny model hears a sound; its spectrogram, the
 * encoder's states, what the decoder looks at, and the tokens that `generate` says. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "speaking.h"

#define FOLDER REFERENCES "/whisper"

/* The model, which has heard the sound of its folder. */
static void open_hearing(speaking *s)
{
    sac_sound sound;
    load_speaking(s, "whisper");
    OK(sac_sound_load(FOLDER "/sound.wav", &sound, &failure));
    OK(sac_pretrained_captioner_hear(s->captioner, &sound, NULL, &failure));
    sac_sound_free(&sound);
}

TEST(the_encoder_has_the_states_of_transformers)
{
    speaking s;
    sac_sound sound;
    load_speaking(&s, "whisper");
    trial t = {.prefix = "", .model = s.model, .expected = s.expected};
    OK(sac_sound_load(FOLDER "/sound.wav", &sound, &failure));
    OK(sac_inference_hear(t.model, &sound, &t.inference, &failure));
    sac_sound_free(&sound);
    size_t count = t.inference->count * t.model->width;
    assert_int_equal(t.inference->count, 20);
    assert_int_equal(t.inference->grid_w, 15); /* 30 frames of the 40 */
    compare(t.inference->entered, expect(&t, "hidden_states.0", count), count, 1e-4, "entered");
    compare(t.inference->left, expect(&t, "last_hidden_state", count), count, 1e-4, "left");
    check_states(&t);
    sac_inference_free(t.inference);
    close_speaking(&s);
}

/* The second at which each word is said, by the heads that the folder names. */
static void check_times(const speaking *s, const sac_caption *caption)
{
    const sac_array *times = sac_arrays_find(s->expected, "times");
    assert_int_equal(sac_array_count(times), caption->count);
    for (int i = 0; i < caption->count; i++) {
        assert_true(caption->words[i].is_timed);
        assert_true(fabsf(caption->words[i].begin - ((const float *)times->data)[i]) < 1e-4f);
    }
}

TEST(each_search_says_what_generate_says)
{
    speaking s;
    open_hearing(&s);
    for (size_t i = 0; i < SEARCHES; i++) {
        sac_caption caption;
        check_search(&s, i, &caption);
        if (i == 0) {
            check_times(&s, &caption);
            check_looks(&s, caption.count);
        }
        assert_int_equal(caption.grid_w, 15);
        sac_caption_free(&caption);
    }
    close_speaking(&s);
}

TEST(a_sound_that_is_too_long_is_heard_as_far_as_it_says)
{
    speaking s;
    sac_sound sound;
    sac_caption caption;
    load_speaking(&s, "whisper");
    OK(sac_sound_load(FOLDER "/sound.wav", &sound, &failure));
    sound.samples = realloc(sound.samples, 2 * sound.count * sizeof *sound.samples);
    memcpy(sound.samples + sound.count, sound.samples, sound.count * sizeof *sound.samples);
    sound.count *= 2;
    OK(sac_pretrained_captioner_hear(s.captioner, &sound, NULL, &failure));
    OK(sac_pretrained_captioner_generate(s.captioner, &(sac_caption_request){.beam = 1}, &caption,
                                         &failure));
    assert_non_null(strstr(caption.note, "only the first 0.4 s"));
    sac_caption_free(&caption);
    sac_sound_free(&sound);
    close_speaking(&s);
}

TEST_MAIN(open_device, close_device)
