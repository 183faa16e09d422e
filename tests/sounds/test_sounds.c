/* src/sounds: WAV files of all kinds, other rates, spectrograms; and a sound's picture. */
#include "scratch.h"

#include <math.h>

#include "images/file_kind.h"
#include "images/image_read.h"
#include "sounds/sound.h"
#include "status.h"

#define PI 3.14159265358979323846

/* A WAV of `count` blocks, whose header says what it is told; returns its size. */
static size_t make_wav(uint8_t *to, int tag, int channels, int rate, int bits, const void *data,
                       size_t size)
{
    const uint32_t whole = (uint32_t)(36 + size), speed = (uint32_t)(rate * channels * bits / 8);
    const uint32_t format = 16, length = (uint32_t)size, hz = (uint32_t)rate;
    const uint16_t words[] = {(uint16_t)tag, (uint16_t)channels};
    const uint16_t last[] = {(uint16_t)(channels * bits / 8), (uint16_t)bits};
    memcpy(to, "RIFF", 4);
    memcpy(to + 4, &whole, 4);
    memcpy(to + 8, "WAVEfmt ", 8);
    memcpy(to + 16, &format, 4);
    memcpy(to + 20, words, 4);
    memcpy(to + 24, &hz, 4);
    memcpy(to + 28, &speed, 4);
    memcpy(to + 32, last, 4);
    memcpy(to + 36, "data", 4);
    memcpy(to + 40, &length, 4);
    memcpy(to + 44, data, size);
    return 44 + size;
}

TEST(samples_of_each_kind_are_numbers_from_minus_one_to_one)
{
    static const uint8_t bytes[] = {128, 192, 0}, three[] = {0, 0, 64, 0, 0, 128};
    static const int16_t shorts[] = {0, 16384, -32768, 8192, 0, 0};
    static const float floats[] = {0.25f, -0.5f};
    static const double doubles[] = {0.125};
    const struct {
        int tag, channels, bits;
        const void *data;
        size_t size;
        float expected[3];
        size_t count;
    } all[] = {{1, 1, 8, bytes, 3, {0, 0.5f, -1}, 3},
               {1, 2, 16, shorts, 12, {0.25f, -0.375f, 0}, 3},
               {1, 1, 24, three, 6, {0.5f, -1}, 2},
               {3, 1, 32, floats, 8, {0.25f, -0.5f}, 2},
               {3, 1, 64, doubles, 8, {0.125f}, 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint8_t file[100];
        sac_sound sound;
        size_t size = make_wav(file, all[i].tag, all[i].channels, 8000, all[i].bits, all[i].data,
                               all[i].size);
        OK(sac_sound_from_bytes(file, size, &sound, &failure));
        assert_int_equal(sound.rate, 8000);
        assert_int_equal(sound.count, all[i].count);
        for (size_t k = 0; k < sound.count; k++)
            assert_true(fabsf(sound.samples[k] - all[i].expected[k]) < 1e-6f);
        sac_sound_free(&sound);
    }
}

TEST(what_is_no_sound_is_told)
{
    static const int16_t samples[] = {1, 2};
    uint8_t file[100];
    sac_sound sound;
    const struct {
        int tag, channels, bits;
        size_t data, size; /* 0: all of it */
        const char *what;
    } all[] = {{2, 1, 16, 4, 0, "samples of kind 2 with 16 bits are not supported"},
               {1, 1, 12, 4, 0, "samples of kind 1 with 12 bits are not supported"},
               {1, 0, 16, 4, 0, "0 channels at 8000 Hz in blocks of 0 bytes do not fit together"},
               {1, 1, 16, 0, 0, "has no samples"},
               {1, 1, 16, 4, 40, "has no data"},
               {1, 1, 16, 4, 16, "has no format before its data"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t size =
            make_wav(file, all[i].tag, all[i].channels, 8000, all[i].bits, samples, all[i].data);
        assert_int_equal(
            sac_sound_from_bytes(file, all[i].size ? all[i].size : size, &sound, &failure),
            SAC_E_FORMAT);
        assert_string_equal(failure.what, all[i].what);
        sac_sound_free(&sound);
    }
    assert_int_equal(sac_sound_from_bytes((const uint8_t *)"RIFF", 4, &sound, &failure),
                     SAC_E_FORMAT);
}

/* The share of a tone's power that a spectrum of `count` samples has at `hz`. */
static double power_at(const sac_sound *s, double hz)
{
    double real = 0, imaginary = 0;
    for (size_t i = 0; i < s->count; i++) {
        double angle = 2 * PI * hz * (double)i / s->rate;
        real += (double)s->samples[i] * cos(angle);
        imaginary += (double)s->samples[i] * sin(angle);
    }
    return 4 * (real * real + imaginary * imaginary) / ((double)s->count * (double)s->count);
}

static sac_sound tone(double hz, int rate, size_t count)
{
    sac_sound s = {malloc(count * sizeof(float)), count, rate};
    assert_non_null(s.samples);
    for (size_t i = 0; i < count; i++)
        s.samples[i] = (float)sin(2 * PI * hz * (double)i / rate);
    return s;
}

TEST(another_rate_keeps_a_tone_and_drops_what_it_cannot_hold)
{
    static const int rates[] = {8000, 22050, 44100, 48000, 11025};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        sac_sound s = tone(1000, rates[i], (size_t)rates[i]);
        OK(sac_sound_resample(&s, 16000, &failure));
        assert_int_equal(s.rate, 16000);
        assert_int_equal(s.count, 16000);
        assert_true(fabs(power_at(&s, 1000) - 1) < 0.01);
        sac_sound_free(&s);
    }
    sac_sound high = tone(11000, 48000, 48000);
    OK(sac_sound_resample(&high, 16000, &failure));
    assert_true(power_at(&high, 5000) < 1e-6); /* where it would be mirrored to */
    sac_sound_free(&high);
}

TEST(a_tone_is_loudest_in_its_bin_and_silence_is_80_decibels_below)
{
    enum { BINS = 80, FRAMES = 100 };
    static float log_mel[BINS * FRAMES];
    sac_sound s = tone(1000, SAC_MEL_RATE, SAC_MEL_RATE / 2);
    OK(sac_mel_spectrogram(&s, BINS, FRAMES, log_mel, &failure));
    size_t best = 0;
    for (size_t bin = 0; bin < BINS; bin++)
        best = log_mel[bin * FRAMES + 20] > log_mel[best * FRAMES + 20] ? bin : best;
    assert_int_equal(best, 26); /* 15 mel of 45.25, in 81 steps */
    float largest = log_mel[0];
    for (size_t i = 0; i < BINS * FRAMES; i++)
        largest = fmaxf(largest, log_mel[i]);
    assert_true(fabsf(log_mel[best * FRAMES + 80] - (largest - 2)) < 1e-6f);
    sac_sound_free(&s);
}

IN_SCRATCH(a_sound_is_opened_as_the_picture_of_its_spectrogram)
{
    static int16_t samples[8000];
    static uint8_t file[44 + sizeof samples];
    for (int i = 0; i < 8000; i++)
        samples[i] = (int16_t)(20000 * sin(2 * PI * 1000 * i / 16000.0));
    size_t size = make_wav(file, 1, 1, 16000, 16, samples, sizeof samples);
    const char *path = scratch_write(s, "tone.wav", file, size);
    sac_image image;
    assert_int_equal(sac_file_kind_of(path), SAC_FILE_PICTURE);
    OK(sac_image_load(path, &image, &failure));
    assert_int_equal(image.width, 50 * 8); /* frames */
    assert_int_equal(image.height % 80, 0);
    const int bin = image.height / 80, middle = image.width / 2;
    const uint8_t *loud =
        image.rgba + 4 * ((size_t)((79 - 26) * bin) * (size_t)image.width + (size_t)middle);
    assert_true(loud[0] > 200 && image.rgba[4 * middle] < 60);
    sac_image_free(&image);
}

TEST_MAIN(NULL, NULL)
