/* src/sounds: files of all kinds, other rates, spectrograms; and a sound's picture. */
#include "scratch.h"

#include <math.h>
#include <sndfile.h>
#include <unistd.h>

#include "images/folder.h"
#include "images/image_read.h"
#include "sounds/resample.h"
#include "sounds/sound.h"
#include "status.h"

#define PI 3.14159265358979323846

/* A WAV of `count` blocks, whose header has the given values; returns its size. */
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

TEST(sound_samples_of_each_kind_are_numbers_from_minus_one_to_one)
{
    static const uint8_t bytes[] = {128, 192, 0}, three[] = {0, 0, 64, 0, 0, 128};
    static const uint8_t four[] = {0, 0, 0, 64, 0, 0, 0, 128};
    static const uint8_t mu[] = {0xff, 0x00, 0x80}, a_law[] = {0xd5, 0x2a, 0xaa};
    static const int16_t shorts[] = {0, 16384, -32768, 8192, 0, 0};
    static const float floats[] = {0.25f, -0.5f, NAN, INFINITY};
    static const double doubles[] = {0.125};
    const struct {
        int tag, channels, bits;
        const void *data;
        size_t size;
        float expected[4];
        size_t count;
    } all[] = {{1, 1, 8, bytes, 3, {0, 0.5f, -1}, 3},
               {1, 2, 16, shorts, 12, {0.25f, -0.375f, 0}, 3},
               {1, 1, 24, three, 6, {0.5f, -1}, 2},
               {1, 1, 32, four, 8, {0.5f, -1}, 2},
               {3, 1, 32, floats, 16, {0.25f, -0.5f, 0, 0}, 4},
               {3, 1, 64, doubles, 8, {0.125f}, 1},
               {7, 1, 8, mu, 3, {0, -32124 / 32768.f, 32124 / 32768.f}, 3},
               {6, 1, 8, a_law, 3, {8 / 32768.f, -32256 / 32768.f, 32256 / 32768.f}, 3}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint8_t file[100];
        sac_sound sound;
        size_t size = make_wav(file, all[i].tag, all[i].channels, 8000, all[i].bits, all[i].data,
                               all[i].size);
        OK(sac_sound_from_bytes(file, size, 0, SIZE_MAX, &sound, &failure));
        assert_int_equal(sound.rate, 8000);
        assert_int_equal(sound.count, all[i].count);
        assert_false(sound.is_cut || sound.is_damaged);
        for (size_t k = 0; k < sound.count; k++)
            assert_true(fabsf(sound.samples[k] - all[i].expected[k]) < 1e-6f);
        sac_sound_free(&sound);
    }
}

/* ---------------------------------------------------------------- containers, as libsndfile writes them */

typedef struct written {
    uint8_t *bytes;
    sf_count_t size, at;
} written;

static sf_count_t written_size(void *self)
{
    return ((written *)self)->size;
}

static sf_count_t written_seek(sf_count_t offset, int whence, void *self)
{
    written *w = self;
    w->at = offset + (whence == SEEK_CUR ? w->at : whence == SEEK_END ? w->size : 0);
    return w->at;
}

static sf_count_t written_read(void *to, sf_count_t count, void *self)
{
    written *w = self;
    count = count < w->size - w->at ? count : w->size - w->at;
    memcpy(to, w->bytes + w->at, (size_t)count);
    w->at += count;
    return count;
}

static sf_count_t written_write(const void *from, sf_count_t count, void *self)
{
    written *w = self;
    assert_true(w->at + count <= 1 << 22);
    memcpy(w->bytes + w->at, from, (size_t)count);
    w->at += count;
    w->size = w->at > w->size ? w->at : w->size;
    return count;
}

static sf_count_t written_position(void *self)
{
    return ((written *)self)->at;
}

/* Some seconds of two tones in two channels, as a file of libsndfile's `format`; free() its bytes. */
static written write_tones(int format, int rate, int seconds)
{
    SF_VIRTUAL_IO io = {written_size, written_seek, written_read, written_write, written_position};
    SF_INFO info = {.samplerate = rate, .channels = 2, .format = format};
    written w = {.bytes = calloc(1, 1 << 22)};
    SNDFILE *file = sf_open_virtual(&io, SFM_WRITE, &info, &w);
    assert_non_null(file);
    for (int i = 0; i < seconds * rate; i++) {
        float pair[] = {0.5f * (float)sin(2 * PI * 1000 * i / rate),
                        0.25f * (float)sin(2 * PI * 1000 * i / rate)};
        assert_int_equal(sf_writef_float(file, pair, 1), 1);
    }
    sf_close(file);
    return w;
}

/* The share of a tone's power that a spectrum of `count` samples has at `hz`. */
static double power_at(const sac_sound *s, double hz);

static const int containers[] = {
    SF_FORMAT_FLAC | SF_FORMAT_PCM_16,         SF_FORMAT_FLAC | SF_FORMAT_PCM_24,
    SF_FORMAT_OGG | SF_FORMAT_VORBIS,          SF_FORMAT_OGG | SF_FORMAT_OPUS,
    SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, SF_FORMAT_AIFF | SF_FORMAT_PCM_16,
    SF_FORMAT_AIFF | SF_FORMAT_FLOAT,          SF_FORMAT_AU | SF_FORMAT_ULAW,
    SF_FORMAT_CAF | SF_FORMAT_PCM_24,          SF_FORMAT_RF64 | SF_FORMAT_PCM_16,
    SF_FORMAT_W64 | SF_FORMAT_PCM_16,          SF_FORMAT_NIST | SF_FORMAT_PCM_16,
    SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM,       SF_FORMAT_WAV | SF_FORMAT_MS_ADPCM,
    SF_FORMAT_WAVEX | SF_FORMAT_PCM_16};
enum { CONTAINERS = sizeof containers / sizeof *containers };

TEST(sound_of_each_container_is_the_mean_of_its_channels)
{
    for (size_t i = 0; i < CONTAINERS; i++) {
        sac_sound sound;
        written w = write_tones(containers[i], 16000, 1);
        assert_true(sac_sound_is(w.bytes, 16));
        OK(sac_sound_from_bytes(w.bytes, (size_t)w.size, 0, SIZE_MAX, &sound, &failure));
        assert_int_equal(sound.rate, 16000);
        assert_true(abs((int)sound.count - 16000) < 2500); /* an encoder's delay, or a full block */
        assert_false(sound.is_cut || sound.is_damaged);
        sound.count = sound.count < 16000 ? sound.count : 16000;
        assert_true(fabs(sqrt(power_at(&sound, 1000)) - 0.375) < 0.03);
        sac_sound_free(&sound);
        free(w.bytes);
    }
}

/* Of an MP3 whose frames are spoilt in its middle it is the library that prints, by itself. */
TEST(sound_that_is_damaged_is_named_and_no_library_prints)
{
    sac_sound sound;
    written w = write_tones(SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, 16000, 8);
    FILE *printed = tmpfile();
    const int before = dup(2);
    assert_true(printed && before >= 0);
    OK(sac_sound_from_bytes(w.bytes, (size_t)w.size, 0, SIZE_MAX, &sound, &failure));
    assert_false(sound.is_damaged);
    sac_sound_free(&sound);
    memset((uint8_t *)w.bytes + w.size / 2, 0, 900);
    fflush(stderr);
    dup2(fileno(printed), 2);
    OK(sac_sound_from_bytes(w.bytes, (size_t)w.size, 0, SIZE_MAX, &sound, &failure));
    fflush(stderr);
    dup2(before, 2);
    close(before);
    assert_int_equal(lseek(fileno(printed), 0, SEEK_END), 0);
    assert_true(sound.is_damaged);
    fclose(printed);
    sac_sound_free(&sound);
    free(w.bytes);
}

TEST(sound_that_breaks_off_is_read_as_far_as_it_goes)
{
    enum { SECONDS = 8 };
    for (size_t i = 0; i < CONTAINERS; i++) {
        sac_sound sound;
        written w = write_tones(containers[i], 16000, SECONDS);
        OK(sac_sound_from_bytes(w.bytes, (size_t)w.size * 6 / 10, 0, SIZE_MAX, &sound, &failure));
        const bool may_show = containers[i] != (SF_FORMAT_NIST | SF_FORMAT_PCM_16);
        assert_true(sound.is_damaged || !may_show);
        assert_in_range(sound.count, SECONDS * 16000 * 3 / 10, SECONDS * 16000 * 7 / 10);
        sac_sound_free(&sound);
        free(w.bytes);
    }
}

/* ---------------------------------------------------------------- heads as programs leave them */

static void expect_samples(const uint8_t *file, size_t size, const int16_t *samples, size_t count)
{
    sac_sound sound;
    OK(sac_sound_from_bytes(file, size, 0, SIZE_MAX, &sound, &failure));
    assert_int_equal(sound.count, count);
    for (size_t i = 0; i < count; i++)
        assert_true(sound.samples[i] == (float)samples[i] / 32768);
    sac_sound_free(&sound);
}

TEST(sound_size_that_was_left_open_is_all_that_follows)
{
    static const int16_t samples[] = {1, -2, 300, 4000};
    static const uint32_t open[] = {0, 0xffffffff, 0xfffffff0, 1000};
    uint8_t file[100];
    for (size_t i = 0; i < 4; i++) {
        size_t size = make_wav(file, 1, 1, 8000, 16, samples, sizeof samples);
        memcpy(file + 40, &open[i], 4);
        memcpy(file + 4, &open[i], 4);
        expect_samples(file, size, samples, 4);
    }
}

/* "LIST" of 5 bytes before the data, with the byte behind it and without. */
TEST(sound_with_a_chunk_of_odd_size_is_found_behind_it)
{
    static const int16_t samples[] = {1, -2, 300, 4000};
    uint8_t plain[100], file[120];
    size_t size = make_wav(plain, 1, 1, 8000, 16, samples, sizeof samples);
    for (size_t padding = 0; padding < 2; padding++) {
        memcpy(file, plain, 36);
        memcpy(file + 36, "LIST\5\0\0\0INFOx\0", 14);
        memcpy(file + 49 + padding, plain + 36, size - 36);
        expect_samples(file, size + 13 + padding, samples, 4);
    }
}

TEST(sound_file_is_never_held_beyond_what_is_asked_for)
{
    static int16_t samples[40000];
    static uint8_t file[44 + sizeof samples];
    sac_sound sound;
    size_t size = make_wav(file, 1, 1, 8000, 16, samples, sizeof samples);
    OK(sac_sound_from_bytes(file, size, 16000, 100, &sound, &failure));
    assert_int_equal(sound.count, 100);
    assert_true(sound.is_cut);
    sac_sound_free(&sound);
    size = make_wav(file, 1, 1, 1, 16, samples, 20000);
    REFUSES(SAC_E_FORMAT, "has 1 samples a second; …; take another copy",
            sac_sound_from_bytes(file, size, 16000, 480000, &sound, &failure));
}

TEST(sound_that_cannot_be_read_is_named)
{
    static const int16_t samples[] = {1, 2};
    uint8_t file[100];
    sac_sound sound;
    const struct {
        int tag, channels, bits;
        size_t data, size; /* 0: all of it */
        const char *what;
    } all[] = {{0x161, 1, 16, 4, 0, "is a damaged sound, or one of a kind that is not read: "},
               {1, 0, 16, 4, 0, "is a damaged sound, or one of a kind that is not read: "},
               {1, 1, 16, 0, 0, "has no samples"},
               {1, 1, 16, 4, 40, "has no data"},
               {1, 1, 16, 4, 16, "has no format before its data"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t size =
            make_wav(file, all[i].tag, all[i].channels, 8000, all[i].bits, samples, all[i].data);
        assert_int_equal(sac_sound_from_bytes(file, all[i].size ? all[i].size : size, 0, SIZE_MAX,
                                              &sound, &failure),
                         SAC_E_FORMAT);
        assert_memory_equal(failure.what, all[i].what, strlen(all[i].what));
        assert_null(sound.samples);
    }
    static const struct {
        const char *start, *what;
    } foreign[] = {{"\0\0\0\x20"
                    "ftypM4A ",
                    "is an AAC sound (M4A)"},
                   {"\xff\xf1\x50\x80........", "is an AAC sound"},
                   {"#!AMR\n......", "is an AMR sound"},
                   {"\x1a\x45\xdf\xa3........", "is a video or a sound (Matroska or WebM)"},
                   {"RIFF", "is not a sound that is read here (" SAC_SOUND_FORMATS ")"}};
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        assert_int_equal(sac_sound_from_bytes((const uint8_t *)foreign[i].start, i < 4 ? 12 : 4, 0,
                                              SIZE_MAX, &sound, &failure),
                         SAC_E_FORMAT);
        assert_string_equal(failure.what, foreign[i].what);
        assert_non_null(strstr(failure.remedy, "ffmpeg"));
    }
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
    sac_sound s = {.samples = malloc(count * sizeof(float)), .count = count, .rate = rate};
    assert_non_null(s.samples);
    for (size_t i = 0; i < count; i++)
        s.samples[i] = (float)sin(2 * PI * hz * (double)i / rate);
    return s;
}

/* At 16000 Hz, through a resampler that takes it in parts of odd sizes. */
static sac_sound resampled(double hz, int rate)
{
    sac_sound old = tone(hz, rate, (size_t)rate), s = {.rate = 16000};
    sac_resampler *r = sac_resampler_create(rate, 16000);
    assert_non_null(r);
    for (size_t at = 0, part; at < old.count; at += part) {
        part = old.count - at < 777 ? old.count - at : 777;
        OK(sac_resampler_push(r, old.samples + at, part, at + part == old.count, &s, &failure));
    }
    sac_resampler_destroy(r);
    sac_sound_free(&old);
    return s;
}

TEST(another_rate_keeps_a_tone_and_drops_what_it_cannot_hold)
{
    static const int rates[] = {8000, 16000, 22050, 44100, 48000, 11025};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        sac_sound s = resampled(1000, rates[i]);
        assert_int_equal(s.count, 16000);
        assert_true(fabs(power_at(&s, 1000) - 1) < 0.01);
        sac_sound_free(&s);
    }
    sac_sound high = resampled(11000, 48000);
    assert_true(power_at(&high, 5000) < 1e-6); /* where it would be mirrored to */
    sac_sound_free(&high);
}

TEST(a_tone_is_loudest_in_its_bin_and_silence_is_80_decibels_below)
{
    enum { BINS = 80, FRAMES = 100 };
    static float log_mel[BINS * FRAMES];
    sac_sound s = tone(1000, SAC_MEL_RATE, SAC_MEL_RATE / 2);
    OK(sac_mel_spectrogram(&s, FRAMES * SAC_MEL_HOP, BINS, FRAMES, log_mel, &failure));
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
