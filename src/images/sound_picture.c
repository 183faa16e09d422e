/* The picture of a sound: its spectrogram, from left to right in time, high tones above. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "images/sound_picture.h"

enum { BINS = 80, FRAMES = 3000, WIDE = 1200, MOST_WIDE = 8 };

/* Dark where it is silent, bright where it is loud. */
static void set_loudness_color(uint8_t *pixel, float level)
{
    static const float dark[] = {24, 26, 46}, middle[] = {96, 98, 148}, bright[] = {240, 238, 228};
    for (int k = 0; k < 3; k++) {
        float value = level < 0.5f ? dark[k] + (middle[k] - dark[k]) * 2 * level
                                   : middle[k] + (bright[k] - middle[k]) * (2 * level - 1);
        pixel[k] = (uint8_t)lrintf(value);
    }
    pixel[3] = 255;
}

size_t sac_sound_frames(const sac_sound *sound, size_t most)
{
    size_t frames = (sound->count + SAC_MEL_HOP - 1) / SAC_MEL_HOP;
    frames += frames & 1; /* pairs of them are cells */
    return frames < 2 ? 2 : frames < most ? frames : most;
}

sac_status sac_sound_picture(const float *log_mel, size_t bins, size_t frames, size_t shown,
                             sac_image *image, sac_error *error)
{
    size_t across = WIDE / shown, down;
    across = across < 1 ? 1 : across > MOST_WIDE ? MOST_WIDE : across;
    down = shown * across / 4 / bins;
    down = down < 1 ? 1 : down;
    float largest = -INFINITY;
    *image = (sac_image){.width = (int)(shown * across), .height = (int)(bins * down)};
    image->rgba = malloc((size_t)image->width * (size_t)image->height * 4);
    if (!image->rgba)
        return sac_no_memory(error, "sound");
    for (size_t i = 0; i < bins * frames; i++)
        largest = fmaxf(largest, log_mel[i]);
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++) {
            size_t bin = bins - 1 - (size_t)y / down, frame = (size_t)x / across;
            float level = (log_mel[bin * frames + frame] - largest) / 2 + 1; /* 2: 80 dB */
            set_loudness_color(image->rgba + ((size_t)y * (size_t)image->width + (size_t)x) * 4,
                               fmaxf(0, fminf(1, level)));
        }
    return SAC_OK;
}

sac_status sac_sound_decode(const uint8_t *bytes, size_t size, sac_image *image,
                            sac_picture_facts *facts, sac_error *error)
{
    sac_sound sound = {0};
    float *log_mel = NULL;
    (void)facts;
    sac_status status = sac_sound_from_bytes(bytes, size, SAC_MEL_RATE,
                                             (size_t)FRAMES * SAC_MEL_HOP, &sound, error);
    size_t frames = status == SAC_OK ? sac_sound_frames(&sound, FRAMES) : 0;
    if (status == SAC_OK && !(log_mel = malloc(BINS * frames * sizeof *log_mel)))
        status = sac_no_memory(error, "sound");
    if (status == SAC_OK)
        status = sac_mel_spectrogram(&sound, frames * SAC_MEL_HOP, BINS, frames, log_mel, error);
    if (status == SAC_OK)
        status = sac_sound_picture(log_mel, BINS, frames, frames, image, error);
    free(log_mel);
    sac_sound_free(&sound);
    return status;
}
