/* Sounds: a WAV file as one channel of numbers, at another rate, and as the spectrogram that models
 * of speech hear.
 *
 *     sac_sound sound;
 *     sac_sound_load("speech.wav", &sound, error);
 *     sac_sound_resample(&sound, 16000, error);
 */
#ifndef SAC_SOUNDS_SOUND_H
#define SAC_SOUNDS_SOUND_H

#include "saccade.h"

typedef struct sac_sound {
    float *samples; /* [count], −1 to 1, the mean of all channels; owned */
    size_t count;
    int rate; /* samples a second */
} sac_sound;

/* True for the first bytes of a file that is read here: RIFF WAVE. */
bool sac_sound_is(const uint8_t *bytes, size_t size);
/* Whole numbers of 8, 16, 24 or 32 bits, and floats of 32 or 64. SAC_E_FORMAT where the file is
 * damaged, compressed or empty. */
sac_status sac_sound_from_bytes(const uint8_t *bytes, size_t size, sac_sound *sound,
                                sac_error *error);
sac_status sac_sound_load(const char *path, sac_sound *sound, sac_error *error);
void sac_sound_free(sac_sound *sound); /* takes a zeroed one */

/* At another rate, without what that cannot hold. */
sac_status sac_sound_resample(sac_sound *sound, int rate, sac_error *error);

/* ---- spectrograms */

enum { SAC_MEL_RATE = 16000, SAC_MEL_HOP = 160, SAC_MEL_WINDOW = 400 };

/* log_mel [bins,frames]: the first frames · hop samples of a sound of SAC_MEL_RATE, silent behind
 * its end, as Whisper hears it (Radford et al. 2022): the power of each frame in bins of equal width
 * on the mel scale, its logarithm no less than 8 below the largest, (log10 + 4) / 4. */
sac_status sac_mel_spectrogram(const sac_sound *sound, size_t bins, size_t frames, float *log_mel,
                               sac_error *error);

#endif
