/* A sound as a model's input: its spectrogram goes through the layers. */
#include <stdlib.h>

#include "architectures/architecture.h"
#include "base/error.h"
#include "images/sound_picture.h"

sac_status sac_inference_read_frames(sac_pretrained_model *m, float *log_mel, size_t shown,
                                     sac_inference **inference, sac_error *error)
{
    const size_t bins = m->audio.bins, frames = 2 * m->max_positions;
    sac_inference *p = NULL;
    *inference = NULL;
    sac_status status = sac_inference_create(m, m->max_positions, &p, error);
    if (status == SAC_OK) {
        p->grid_w = (int)(shown / 2);
        p->grid_h = 1;
        status = sac_sound_picture(log_mel, bins, frames, shown, &p->image, error);
    }
    if (status == SAC_OK)
        status = sac_inference_compute(p, &(sac_patch_rows){.count = p->count, .pixels = log_mel},
                                       NULL, error);
    if (status == SAC_OK)
        *inference = p;
    else
        sac_inference_free(p);
    return status;
}

sac_status sac_inference_read_audio(sac_pretrained_model *m, const sac_sound *sound,
                                    sac_inference **inference, sac_error *error)
{
    const size_t bins = m->audio.bins, frames = 2 * m->max_positions, count = frames * SAC_MEL_HOP;
    float *log_mel = malloc(bins * frames * sizeof *log_mel);
    *inference = NULL;
    sac_status status = log_mel ? sac_mel_spectrogram(sound, count, bins, frames, log_mel, error)
                                : sac_no_memory(error, m->name);
    if (status == SAC_OK)
        status = sac_inference_read_frames(m, log_mel, sac_sound_frames(sound, frames), inference,
                                           error);
    free(log_mel);
    if (status == SAC_OK)
        (*inference)->cut = sound->is_cut || sound->count > count;
    return status;
}
