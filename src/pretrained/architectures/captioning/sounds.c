/* Sounds as a model's input: their spectrogram, or their samples, go through the layers. One longer than what Whisper takes at
 * once is taken as in the long form of transformers: piece after piece of the spectrogram of the whole, each from the last
 * time of the one before. Of a model that spells a piece begins in the pause before the last word of the one before. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/error.h"
#include "images/sound_picture.h"
#include "sounds/sound.h"

typedef sac_pretrained_captioner captioner;

/* ---------------------------------------------------------------- all at once */

/* The spectrogram log_mel [bins,frames], of which the first `shown` frames are shown; a model that leaves out silence has of
 * what stands behind them the two that the last cell reaches into. */
static sac_status encode_spectrogram(sac_pretrained_model *m, float *log_mel, size_t shown,
                                     sac_inference **inference, sac_error *error)
{
    const size_t bins = m->audio.bins, frames = 2 * m->max_positions;
    const bool is_cut = m->audio.leaves_silence && shown + 2 < frames;
    const size_t read = is_cut ? shown + 2 : frames;
    float *times = malloc(bins * frames * sizeof *times); /* [frames,bins] */
    sac_inference *p = NULL;
    *inference = NULL;
    sac_status status =
        times ? sac_inference_create(m, m->audio.leaves_silence ? shown / 2 : m->max_positions, &p,
                                     error)
              : sac_no_memory(error, m->name);
    if (status == SAC_OK) {
        p->grid_w = (int)(shown / 2);
        p->grid_h = 1;
        status = sac_sound_picture(log_mel, bins, frames, shown, &p->image, error);
    }
    for (size_t i = 0; i < bins * frames && status == SAC_OK; i++)
        times[i] = log_mel[i % bins * frames + i / bins];
    if (status == SAC_OK)
        status = sac_inference_compute(p, &(sac_patch_rows){.count = read, .pixels = times}, NULL,
                                       NULL, error);
    free(times);
    return sac_inference_return_or_free(p, status, inference);
}

/* What the cells of a sound lie over, which as a model of samples takes it is no picture. */
static sac_status make_sound_picture(const sac_sound *sound, size_t count, sac_image *image,
                                     sac_error *error)
{
    enum { BINS = 80 };
    const size_t frames = (count + SAC_MEL_HOP - 1) / SAC_MEL_HOP;
    float *log_mel = malloc(BINS * frames * sizeof *log_mel);
    sac_status status =
        log_mel ? sac_mel_spectrogram(sound, frames * SAC_MEL_HOP, BINS, frames, log_mel, error)
                : sac_no_memory(error, "sound");
    if (status == SAC_OK)
        status = sac_sound_picture(log_mel, BINS, frames, frames, image, error);
    free(log_mel);
    return status;
}

/* As Wav2Vec2FeatureExtractor does. */
static void scale_samples(float *samples, size_t count)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < count; i++)
        mean += (double)samples[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        square += ((double)samples[i] - mean) * ((double)samples[i] - mean) / (double)count;
    for (size_t i = 0; i < count; i++)
        samples[i] = (float)(((double)samples[i] - mean) / sqrt(square + 1e-7));
}

/* A conformer's input [frames,bins], in place of samples. */
static sac_status make_normed_spectrogram(const sac_pretrained_model *m, float **numbers,
                                          size_t *count, sac_error *error)
{
    const sac_conformer *f = m->conformer;
    const sac_sound sound = {.samples = *numbers, .count = *count, .rate = SAC_MEL_RATE};
    const size_t frames = *count / SAC_MEL_HOP;
    float *made = malloc(frames * f->bins * sizeof *made);
    sac_status status =
        made ? sac_normed_spectrogram(&sound, f->emphasis, f->bins, frames, made, error)
             : sac_no_memory(error, m->name);
    free(*numbers);
    *numbers = made;
    *count = frames;
    return status;
}

static sac_status encode_samples(sac_pretrained_model *m, const float *samples, size_t count,
                                 sac_inference **inference, sac_error *error)
{
    const size_t cells = sac_audio_cells(m, count);
    sac_inference *p = NULL;
    *inference = NULL;
    if (!cells)
        return sac_fail(error, SAC_E_ARGUMENT, "sound", "give a longer one",
                        "has %zu samples, and %.60s makes nothing of so few", count, m->name);
    float *scaled = malloc(count * sizeof *scaled);
    sac_status status =
        scaled ? sac_inference_create(m, cells, &p, error) : sac_no_memory(error, m->name);
    if (status == SAC_OK) {
        memcpy(scaled, samples, count * sizeof *scaled);
        const sac_sound sound = {.samples = scaled, .count = count, .rate = SAC_MEL_RATE};
        p->grid_w = (int)cells;
        p->grid_h = 1;
        status = make_sound_picture(&sound, cells * m->audio.cell, &p->image, error);
    }
    if (status == SAC_OK && m->audio.scales_samples)
        scale_samples(scaled, count);
    if (status == SAC_OK && m->conformer)
        status = make_normed_spectrogram(m, &scaled, &count, error);
    if (status == SAC_OK)
        status = sac_inference_compute(p, &(sac_patch_rows){.count = count, .pixels = scaled}, NULL,
                                       NULL, error);
    free(scaled);
    return sac_inference_return_or_free(p, status, inference);
}

sac_status sac_inference_read_audio(sac_pretrained_model *m, const sac_sound *sound,
                                    sac_inference **inference, sac_error *error)
{
    const size_t bins = m->audio.bins, most = m->max_positions * m->audio.cell,
                 frames = most / SAC_MEL_HOP, count = sound->count < most ? sound->count : most;
    if (m->audio.patches.side) {
        const size_t taken = m->audio.patches.frames * SAC_MEL_HOP + SAC_MEL_WINDOW - SAC_MEL_HOP;
        const sac_status seen = sac_audio_patches_see(m, sound, inference, error);
        if (seen == SAC_OK)
            (*inference)->cut = sound->is_cut || sound->count > taken;
        return seen;
    }
    float *log_mel = bins ? malloc(bins * frames * sizeof *log_mel) : NULL;
    *inference = NULL;
    sac_status status = log_mel || !bins ? SAC_OK : sac_no_memory(error, m->name);
    if (status == SAC_OK && bins)
        status = sac_mel_spectrogram(sound, most, bins, frames, log_mel, error);
    if (status == SAC_OK)
        status =
            bins ? encode_spectrogram(m, log_mel, sac_sound_frames(sound, frames), inference, error)
                 : encode_samples(m, sound->samples, count, inference, error);
    free(log_mel);
    if (status == SAC_OK)
        (*inference)->cut = sound->is_cut || sound->count > most;
    return status;
}

sac_status sac_inference_load_audio(sac_pretrained_model *m, const char *path,
                                    sac_inference **inference, sac_error *error)
{
    sac_sound sound = {0};
    *inference = NULL;
    sac_status status =
        sac_sound_load(path, SAC_MEL_RATE, m->max_positions * m->audio.cell, &sound, error);
    if (status == SAC_OK)
        status = sac_inference_read_audio(m, &sound, inference, error);
    sac_sound_free(&sound);
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
    free(c->pieces.numbers);
    c->pieces = (sac_sound_pieces){0};
    c->rules.times = 0;
}

size_t sac_sound_cells(const captioner *c)
{
    const size_t cells = (size_t)c->grid_w;
    const size_t left = (c->pieces.frames - c->pieces.at) / FRAMES_OF_TIME;
    return c->pieces.numbers && left < cells ? left : cells;
}

/* The spectrogram of the whole: no part of it is lower than 8 below its loudest. Of a model of samples those. */
sac_status sac_sound_pieces_make(captioner *c, const sac_sound *sound, sac_error *error)
{
    const bool spells = c->decoder->text_decoder.spells;
    const sac_audio_encoder *a = &c->model->audio;
    const size_t frames =
        spells ? sac_audio_cells(c->model, sound->count) : sound->count / SAC_MEL_HOP;
    sac_sound_pieces_free(c);
    if (sound->count <= c->model->max_positions * a->cell || !(spells || has_times(c)))
        return SAC_OK;
    c->pieces.count = spells ? sound->count : a->bins * frames;
    c->pieces.numbers = malloc(c->pieces.count * sizeof *c->pieces.numbers);
    if (!c->pieces.numbers)
        return sac_no_memory(error, c->model->name);
    c->pieces.frames = frames;
    if (spells) {
        memcpy(c->pieces.numbers, sound->samples, sound->count * sizeof *sound->samples);
        return SAC_OK;
    }
    c->rules.times = c->decoder->text_decoder.times;
    c->rules.latest_first = c->decoder->text_decoder.latest_first;
    sac_status status =
        sac_mel_spectrogram(sound, sound->count, a->bins, frames, c->pieces.numbers, error);
    if (status != SAC_OK)
        sac_sound_pieces_free(c);
    return status;
}

/* Of the spectrogram, from frame `at` on, what the model takes at once. */
static sac_status encode_frames(captioner *c, size_t at, size_t count, sac_inference **inference,
                                sac_error *error)
{
    const size_t bins = c->model->audio.bins, frames = 2 * c->model->max_positions;
    float *log_mel = calloc(bins * frames, sizeof *log_mel); /* 0 behind the end */
    if (!log_mel)
        return sac_no_memory(error, c->model->name);
    for (size_t bin = 0; bin < bins; bin++)
        memcpy(log_mel + bin * frames, c->pieces.numbers + bin * c->pieces.frames + at,
               count * sizeof *log_mel);
    sac_status status = encode_spectrogram(c->model, log_mel, frames, inference, error);
    free(log_mel);
    return status;
}

sac_status sac_pretrained_captioner_read_piece(captioner *c, size_t at, sac_image *shown,
                                               sac_error *error)
{
    const sac_pretrained_model *m = c->model;
    const bool spells = c->decoder->text_decoder.spells;
    const size_t frames = m->max_positions * (spells ? 1 : 2), left = c->pieces.frames - at;
    const size_t count = left < frames ? left : frames, first = at * m->audio.cell,
                 samples = c->pieces.count - first, most = m->max_positions * m->audio.cell;
    sac_inference *p;
    sac_status status = spells ? encode_samples(c->model, c->pieces.numbers + first,
                                                samples < most ? samples : most, &p, error)
                               : encode_frames(c, at, count, &p, error);
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
