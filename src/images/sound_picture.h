/* A sound as a picture, which is its spectrogram. */
#ifndef SAC_IMAGES_SOUND_PICTURE_H
#define SAC_IMAGES_SOUND_PICTURE_H

#include "images/image_read.h"
#include "sounds/sound.h"

/* Frames of a sound of SAC_MEL_RATE, an even number of 2 to `most`. */
size_t sac_sound_frames(const sac_sound *sound, size_t most);
/* The first `shown` frames of log_mel [bins,frames]. Free the image. */
sac_status sac_sound_picture(const float *log_mel, size_t bins, size_t frames, size_t shown,
                             sac_image *image, sac_error *error);

#endif
