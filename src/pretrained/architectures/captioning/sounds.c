/* Sounds as a model's input: their spectrogram goes through the layers. One longer than what Whisper takes at once is taken
 * as in the long form of transformers: piece after piece of the spectrogram of the whole, each from the last time of the
 * one before. */
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/error.h"
#include "images/sound_picture.h"
#include "sounds/sound.h"

typedef sac_pretrained_captioner captioner;

/* ---------------------------------------------------------------- all at once */

/* The spectrogram log_mel [bins,frames], of which the first `shown` frames are shown. */
static sac_status encode_spectrogram(sac_pretrained_model *m, float *log_mel, size_t shown,
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
                                       NULL, NULL, error);
    return sac_inference_return_or_free(p, status, inference);
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
        status = encode_spectrogram(m, log_mel, sac_sound_frames(sound, frames), inference, error);
    free(log_mel);
    if (status == SAC_OK)
        (*inference)->cut = sound->is_cut || sound->count > count;
    return status;
}

/* ---------------------------------------------------------------- in pieces */

enum { FRAMES_OF_TIME = 2 }; /* a token of time is 0.02 s */

/* The model has tokens of times. */
static bool has_times(const captioner *c)
{
    const int times = c->decoder->text_decoder.times;
    const char *first = times ? sac_tokenizer_token(c->decoder->tokenizer, times) : NULL;
    return first && strcmp(first, "<|0.00|>") == 0;
}

float sac_sound_token_time(const captioner *c, int token)
{
    const int times = c->decoder->text_decoder.times;
    if (token < times || !has_times(c))
        return -1;
    return (float)((token - times) * FRAMES_OF_TIME * SAC_MEL_HOP) / SAC_MEL_RATE;
}

void sac_sound_pieces_free(captioner *c)
{
    free(c->pieces.log_mel);
    c->pieces = (sac_sound_pieces){0};
    c->rules.times = 0;
}

size_t sac_sound_cells(const captioner *c)
{
    const size_t cells = (size_t)c->grid_w;
    const size_t left = (c->pieces.frames - c->pieces.at) / FRAMES_OF_TIME;
    return c->pieces.log_mel && left < cells ? left : cells;
}

/* The spectrogram of the whole: no part of it is lower than 8 below its loudest. */
sac_status sac_sound_pieces_make(captioner *c, const sac_sound *sound, sac_error *error)
{
    const size_t bins = c->model->audio.bins, frames = sound->count / SAC_MEL_HOP;
    sac_sound_pieces_free(c);
    if (sound->count <= 2 * c->model->max_positions * SAC_MEL_HOP || !has_times(c))
        return SAC_OK;
    c->pieces.log_mel = malloc(bins * frames * sizeof *c->pieces.log_mel);
    if (!c->pieces.log_mel)
        return sac_no_memory(error, c->model->name);
    c->pieces.frames = frames;
    c->rules.times = c->decoder->text_decoder.times;
    c->rules.latest_first = c->decoder->text_decoder.latest_first;
    sac_status status =
        sac_mel_spectrogram(sound, sound->count, bins, frames, c->pieces.log_mel, error);
    if (status != SAC_OK)
        sac_sound_pieces_free(c);
    return status;
}

sac_status sac_pretrained_captioner_read_piece(captioner *c, size_t at, sac_image *shown,
                                               sac_error *error)
{
    const sac_pretrained_model *m = c->model;
    const size_t bins = m->audio.bins, frames = 2 * m->max_positions;
    const size_t left = c->pieces.frames - at, count = left < frames ? left : frames;
    sac_inference *p;
    float *log_mel = calloc(bins * frames, sizeof *log_mel); /* 0 behind the end */
    if (!log_mel)
        return sac_no_memory(error, m->name);
    for (size_t bin = 0; bin < bins; bin++)
        memcpy(log_mel + bin * frames, c->pieces.log_mel + bin * c->pieces.frames + at,
               count * sizeof *log_mel);
    sac_status status = encode_spectrogram(c->model, log_mel, frames, &p, error);
    free(log_mel);
    c->pieces.at = at;
    c->pieces.next = at + count;
    return status == SAC_OK ? sac_captioner_store_encoded_audio(c, p, shown, error) : status;
}

size_t sac_pretrained_captioner_next_piece(const captioner *c)
{
    return c->pieces.next < c->pieces.frames ? c->pieces.next : 0;
}

void sac_sound_pieces_finish_piece(captioner *c, sac_result *caption)
{
    const int times = c->decoder->text_decoder.times, count = caption->count;
    const size_t frames = 2 * c->model->max_positions, left = c->pieces.frames - c->pieces.at;
    const sac_result_output *word = caption->outputs;
    int pair = -1;
    for (int i = 0; i + 1 < count; i++)
        if (word[i].word >= times && word[i + 1].word >= times)
            pair = i;
    bool ends_once = count >= 2 && word[count - 1].word >= times && word[count - 2].word < times;
    size_t offset = left < frames ? left : frames;
    if (pair >= 0 && !ends_once) {
        size_t end_of_speech = FRAMES_OF_TIME * (size_t)(word[pair].word - times);
        offset = end_of_speech ? end_of_speech : offset;
        caption->count = pair + 2;
        caption->finished = true; /* what is left out is of the next piece */
    }
    c->pieces.next = c->pieces.at + offset;
    caption->from = (float)(c->pieces.at * SAC_MEL_HOP) / SAC_MEL_RATE;
    caption->until =
        caption->from + (float)((left < frames ? left : frames) * SAC_MEL_HOP) / SAC_MEL_RATE;
    for (int i = 0; i < caption->count; i++) {
        caption->outputs[i].begin += caption->from;
        caption->outputs[i].end += caption->from;
    }
}
