/* Spectrograms on the mel scale, the input of Whisper, of classifiers of sounds and of Parakeet. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "sounds/sound.h"

#define PI 3.14159265358979323846
enum { WINDOW = SAC_MEL_WINDOW, HOP = SAC_MEL_HOP, TONES = WINDOW / 2 + 1 };

/* Slaney's scale: 200/3 Hz each up to 1000 Hz, and then by the logarithm. */
static double mel_of(double hz)
{
    return hz < 1000 ? 3 * hz / 200 : 15 + log(hz / 1000) * 27 / log(6.4);
}

static double hz_of(double mel)
{
    return mel < 15 ? 200 * mel / 3 : 1000 * exp(log(6.4) / 27 * (mel - 15));
}

/* The height of bin `bin` at `hz`: triangles of an area of 1. */
static double filter_height(size_t bins, size_t bin, double hz)
{
    const double highest = mel_of(SAC_MEL_RATE / 2.0);
    double edge[3];
    for (int k = 0; k < 3; k++)
        edge[k] = hz_of(highest * (double)(bin + (size_t)k) / (double)(bins + 1));
    const double up = (hz - edge[0]) / (edge[1] - edge[0]),
                 down = (edge[2] - hz) / (edge[2] - edge[1]);
    return fmax(0, fmin(up, down)) * 2 / (edge[2] - edge[0]);
}

/* filters [bins,TONES] */
static void fill_filters(size_t bins, float *filters)
{
    for (size_t i = 0; i < bins * TONES; i++)
        filters[i] =
            (float)filter_height(bins, i / TONES, (double)(i % TONES) * SAC_MEL_RATE / WINDOW);
}

/* Sample `at` of `count`, of which those before the first and after the last are mirrored. */
static float sample_at(const sac_sound *s, size_t count, ptrdiff_t at)
{
    if (at < 0)
        at = -at;
    if (at >= (ptrdiff_t)count)
        at = 2 * (ptrdiff_t)count - 2 - at;
    return at >= 0 && (size_t)at < s->count && (size_t)at < count ? s->samples[at] : 0;
}

typedef struct tables {
    float hann[WINDOW], cosine[WINDOW], sine[WINDOW];
    float filters[]; /* [bins,TONES] */
} tables;

/* The power of each tone in the frame around sample `middle`. */
static void measure_tone_powers(const tables *t, const sac_sound *s, size_t count, size_t middle,
                                float power[TONES])
{
    float frame[WINDOW];
    for (int i = 0; i < WINDOW; i++)
        frame[i] = t->hann[i] * sample_at(s, count, (ptrdiff_t)middle + i - WINDOW / 2);
    for (int tone = 0; tone < TONES; tone++) {
        double real = 0, imaginary = 0;
        for (int i = 0, turn = 0; i < WINDOW; i++) {
            real += (double)frame[i] * (double)t->cosine[turn];
            imaginary += (double)frame[i] * (double)t->sine[turn];
            turn += tone;
            turn -= turn >= WINDOW ? WINDOW : 0;
        }
        power[tone] = (float)(real * real + imaginary * imaginary);
    }
}

/* No less than 8 below the largest, and brought near to −1 … 1. */
static void clamp_and_scale(float *log_mel, size_t count)
{
    float largest = -INFINITY;
    for (size_t i = 0; i < count; i++)
        largest = fmaxf(largest, log_mel[i]);
    for (size_t i = 0; i < count; i++)
        log_mel[i] = (fmaxf(log_mel[i], largest - 8) + 4) / 4;
}

sac_status sac_mel_spectrogram(const sac_sound *s, size_t count, size_t bins, size_t frames,
                               float *log_mel, sac_error *error)
{
    tables *t = malloc(sizeof *t + bins * TONES * sizeof *t->filters);
    if (!t)
        return sac_no_memory(error, "sound");
    for (int i = 0; i < WINDOW; i++) {
        t->hann[i] = (float)(0.5 - 0.5 * cos(2 * PI * i / WINDOW));
        t->cosine[i] = (float)cos(2 * PI * i / WINDOW);
        t->sine[i] = (float)sin(2 * PI * i / WINDOW);
    }
    fill_filters(bins, t->filters);
    sac_status status = SAC_OK;
    for (size_t frame = 0; frame < frames && status == SAC_OK; frame++) {
        float power[TONES] = {0};
        bool is_silent = frame * HOP > s->count + WINDOW;
        /* the end is mirrored, where the sound reaches it */
        is_silent = is_silent && (frame + 2) * HOP < count;
        if (frame % 64 == 0)
            status = sac_cancel_check("sound", error);
        if (!is_silent)
            measure_tone_powers(t, s, count, frame * HOP, power);
        for (size_t bin = 0; bin < bins; bin++) {
            double sum = 0;
            for (int tone = 0; tone < TONES && !is_silent; tone++)
                sum += (double)t->filters[bin * TONES + (size_t)tone] * (double)power[tone];
            log_mel[bin * frames + frame] = (float)log10(fmax(sum, 1e-10));
        }
    }
    clamp_and_scale(log_mel, bins * frames);
    free(t);
    return status;
}

/* ---------------------------------------------------------------- Kaldi's */

enum { LENGTH = 512, KALDI_TONES = LENGTH / 2 + 1 };

static double kaldi_mel_of(double hz)
{
    return 1127 * log(1 + hz / 700);
}

typedef struct kaldi_tables {
    double window[WINDOW], cosine[LENGTH], sine[LENGTH];
    double filters[]; /* [bins,KALDI_TONES] */
} kaldi_tables;

static void fill_turns(kaldi_tables *t)
{
    for (int i = 0; i < WINDOW; i++)
        t->window[i] = 0.5 - 0.5 * cos(2 * PI * i / (WINDOW - 1));
    for (int i = 0; i < LENGTH; i++) {
        t->cosine[i] = cos(2 * PI * i / LENGTH);
        t->sine[i] = sin(2 * PI * i / LENGTH);
    }
}

static void fill_kaldi_filters(size_t bins, kaldi_tables *t)
{
    const double low = kaldi_mel_of(20), high = kaldi_mel_of(SAC_MEL_RATE / 2.0);
    const double width = (high - low) / (double)(bins + 1);
    for (size_t bin = 0; bin < bins; bin++)
        for (int tone = 0; tone < KALDI_TONES; tone++) {
            const double mel = kaldi_mel_of((double)tone * SAC_MEL_RATE / LENGTH);
            const double up = (mel - low) / width - (double)bin, down = 2 - up;
            t->filters[bin * KALDI_TONES + (size_t)tone] = fmax(0, fmin(up, down));
        }
}

/* The power of each tone of a frame that has gone through the window. */
static void measure_powers(const kaldi_tables *t, const double frame[WINDOW],
                           double power[KALDI_TONES])
{
    for (int tone = 0; tone < KALDI_TONES; tone++) {
        double real = 0, imaginary = 0;
        for (int i = 0, turn = 0; i < WINDOW; i++, turn = (turn + tone) % LENGTH) {
            real += frame[i] * t->cosine[turn];
            imaginary += frame[i] * t->sine[turn];
        }
        power[tone] = real * real + imaginary * imaginary;
    }
}

static void measure_kaldi_powers(const kaldi_tables *t, const float *samples, double *power)
{
    double frame[WINDOW], mean = 0;
    for (int i = 0; i < WINDOW; i++)
        mean += (double)samples[i] / WINDOW;
    for (int i = 0; i < WINDOW; i++) {
        const double before = (double)samples[i ? i - 1 : 0] - mean;
        frame[i] = t->window[i] * ((double)samples[i] - mean - 0.97 * before);
    }
    measure_powers(t, frame, power);
}

/* The power of a bin. */
static double sum_bin(const kaldi_tables *t, size_t bin, const double power[KALDI_TONES])
{
    double sum = 0;
    for (int tone = 0; tone < KALDI_TONES; tone++)
        sum += t->filters[bin * KALDI_TONES + (size_t)tone] * power[tone];
    return sum;
}

sac_status sac_kaldi_spectrogram(const sac_sound *s, size_t bins, size_t frames, float *log_mel,
                                 size_t *known, sac_error *error)
{
    double power[KALDI_TONES];
    kaldi_tables *t = malloc(sizeof *t + bins * KALDI_TONES * sizeof *t->filters);
    sac_status status = t ? SAC_OK : sac_no_memory(error, "sound");
    *known = s->count < WINDOW ? 0 : (s->count - WINDOW) / HOP + 1;
    *known = *known < frames ? *known : frames;
    if (status == SAC_OK) {
        fill_turns(t);
        fill_kaldi_filters(bins, t);
    }
    for (size_t frame = 0; frame < *known && status == SAC_OK; frame++) {
        if (frame % 64 == 0)
            status = sac_cancel_check("sound", error);
        measure_kaldi_powers(t, s->samples + frame * HOP, power);
        for (size_t bin = 0; bin < bins; bin++)
            log_mel[frame * bins + bin] =
                (float)log(fmax(sum_bin(t, bin, power), 1.192092955078125e-07));
    }
    free(t);
    return status;
}

/* ---------------------------------------------------------------- normed by bin */

/* The deviation is that of frames − 1. */
static void norm_bin(float *log_mel, size_t bin, size_t bins, size_t frames)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < frames; i++)
        mean += (double)log_mel[i * bins + bin] / (double)frames;
    for (size_t i = 0; i < frames; i++) {
        const double apart = (double)log_mel[i * bins + bin] - mean;
        square += apart * apart / (double)(frames - 1);
    }
    for (size_t i = 0; i < frames; i++)
        log_mel[i * bins + bin] =
            (float)(((double)log_mel[i * bins + bin] - mean) / (sqrt(square) + 1e-5));
}

/* 0 beyond its ends. */
static double emphasised_sample(const sac_sound *s, float emphasis, ptrdiff_t at)
{
    if (at < 0 || (size_t)at >= s->count)
        return 0;
    return (double)s->samples[at] - (at ? (double)emphasis * (double)s->samples[at - 1] : 0);
}

sac_status sac_normed_spectrogram(const sac_sound *s, float emphasis, size_t bins, size_t frames,
                                  float *log_mel, sac_error *error)
{
    double frame[WINDOW], power[KALDI_TONES];
    kaldi_tables *t = malloc(sizeof *t + bins * KALDI_TONES * sizeof *t->filters);
    sac_status status = t ? SAC_OK : sac_no_memory(error, "sound");
    if (status == SAC_OK)
        fill_turns(t);
    for (size_t i = 0; i < bins * KALDI_TONES && status == SAC_OK; i++)
        t->filters[i] =
            filter_height(bins, i / KALDI_TONES, (double)(i % KALDI_TONES) * SAC_MEL_RATE / LENGTH);
    for (size_t at = 0; at < frames && status == SAC_OK; at++) {
        if (at % 64 == 0)
            status = sac_cancel_check("sound", error);
        for (int i = 0; i < WINDOW; i++)
            frame[i] = t->window[i] *
                       emphasised_sample(s, emphasis, (ptrdiff_t)(at * HOP) + i - WINDOW / 2);
        measure_powers(t, frame, power);
        for (size_t bin = 0; bin < bins; bin++)
            log_mel[at * bins + bin] = (float)log(sum_bin(t, bin, power) + ldexp(1, -24));
    }
    for (size_t bin = 0; bin < bins && status == SAC_OK; bin++)
        norm_bin(log_mel, bin, bins, frames);
    free(t);
    return status;
}
