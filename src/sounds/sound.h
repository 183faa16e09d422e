/* Sounds: a file as one channel of numbers, at any rate, and as the spectrogram that models of
 * speech take.
 *
 *     sac_sound sound;
 *     sac_sound_load("speech.wav", SAC_MEL_RATE, 30 * SAC_MEL_RATE, &sound, error);
 */
#ifndef SAC_SOUNDS_SOUND_H
#define SAC_SOUNDS_SOUND_H

#include "saccade.h"

typedef struct sac_sound {
    float *samples; /* [count], −1 to 1, the mean of all channels; owned */
    size_t count;
    int rate;        /* samples a second */
    bool is_cut;     /* the file goes on */
    bool is_damaged; /* the file breaks off, or is damaged, behind these */
} sac_sound;

#define SAC_SOUND_FORMATS "WAV, FLAC, OGG, MP3, AIFF, AU, CAF, RF64 or W64"

/* True for the first bytes (16 are enough) of a file that is read here. */
bool sac_sound_is(const uint8_t *bytes, size_t size);
/* The first `most` samples of a sound at `rate` (0: its own), without what that cannot hold; is_cut
 * where it goes on, of which nothing is held. SAC_E_FORMAT where the file is no sound, is damaged from
 * the start, or has fewer than 1000 samples a second. A sound that ends early is read as far as it
 * goes, and sac_sound_load gives notice of that. */
sac_status sac_sound_from_bytes(const uint8_t *bytes, size_t size, int rate, size_t most,
                                sac_sound *sound, sac_error *error);
sac_status sac_sound_load(const char *path, int rate, size_t most, sac_sound *sound,
                          sac_error *error);
void sac_sound_free(sac_sound *sound); /* takes a zeroed one */

/* ---- spectrograms */

enum { SAC_MEL_RATE = 16000, SAC_MEL_HOP = 160, SAC_MEL_WINDOW = 400 };

/* log_mel [bins,frames]: the first `count` samples, frames · hop at least, of a sound of SAC_MEL_RATE,
 * silent behind its end, Whisper's input (Radford et al. 2022): the power of each frame in bins of equal width
 * on the mel scale, its logarithm no less than 8 below the largest, (log10 + 4) / 4. */
sac_status sac_mel_spectrogram(const sac_sound *sound, size_t count, size_t bins, size_t frames,
                               float *log_mel, sac_error *error);

/* log_mel [frames,bins]: frames of a window each, as Kaldi computes them for classifiers of sounds (Povey et al. 2011):
 * without their mean, differences of samples by 0.97, on the same window and hop; the logarithm of the power in triangles
 * on Kaldi's mel scale from 20 Hz on. *known: how many frames the sound has; those behind are as they were. */
sac_status sac_kaldi_spectrogram(const sac_sound *sound, size_t bins, size_t frames, float *log_mel,
                                 size_t *known, sac_error *error);

/* log_mel [frames,bins], at least two frames: of what each sample has beside `emphasis` of the one before, on the same window and
 * hop, around each multiple of the hop; the logarithm of the power in Whisper's bins, and each bin brought to a mean of 0 and a
 * deviation of 1 over all frames, Parakeet's input. */
sac_status sac_normed_spectrogram(const sac_sound *sound, float emphasis, size_t bins,
                                  size_t frames, float *log_mel, sac_error *error);

#endif
