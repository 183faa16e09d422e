/* What an audio encoder makes of a sound before its layers: convolutions over time, a norm and a linear layer, and positions,
 * which may be a convolution too (Baevski et al. 2020, wav2vec 2.0). */
#include <cjson/cJSON.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "architectures/architecture.h"
#include "arrays/bytes.h"
#include "arrays/json.h"
#include "base/error.h"
#include "nn/layers.h"
#include "sounds/sound.h"

sac_sound_layer sac_sound_layer_declare(sac_pretrained_model *m, sac_config *c, const char *name,
                                        const char *weight, size_t out, size_t in, size_t taps,
                                        bool has_bias)
{
    char full[160];
    sac_sound_layer layer = {0};
    snprintf(full, sizeof full, "%s.%s", name, weight);
    layer.w = sac_parameter_add(&m->parameters, full, sac_init_constant(0), 3, out, taps, in);
    if (layer.w && !sac_tensor_places_add(
                       &m->located, &(sac_tensor_place){.parameter = layer.w, .turns_taps = true}))
        c->status = sac_no_memory(c->error, m->name);
    snprintf(full, sizeof full, "%s.bias", name);
    if (has_bias)
        layer.b = sac_parameter_vector(&m->parameters, full, out);
    return layer;
}

void sac_audio_read_processor(sac_pretrained_model *m, sac_config *c, bool otherwise)
{
    char path[1100];
    cJSON *json = NULL;
    snprintf(path, sizeof path, "%s/preprocessor_config.json", m->folder);
    m->audio.scales_samples = otherwise;
    if (c->status != SAC_OK || !m->folder[0])
        return;
    if (!sac_is_regular(path)) {
        if (otherwise)
            sac_pretrained_model_note(m, "without preprocessor_config.json samples are scaled to a "
                                         "mean of 0 and a deviation of 1");
        return;
    }
    c->status = sac_json_load_config(path, &json, c->error);
    sac_config own = sac_config_of(json, path, c->error);
    if (c->status == SAC_OK) {
        const int rate = sac_config_size_or(&own, "sampling_rate", 1, 1 << 24, SAC_MEL_RATE);
        m->audio.scales_samples = sac_config_flag_or(&own, "do_normalize", otherwise);
        if (rate != SAC_MEL_RATE)
            sac_config_refuse(&own, "sampling_rate", "is %d, and not %d", rate, SAC_MEL_RATE);
        c->status = sac_config_status(&own);
    }
    cJSON_Delete(json);
}

/* Brings each number, or all of them alike, to a mean of 0 and a deviation of 1 over all times. Sums of many times are made in double precision. */
static void norm_channels(sac_pretrained_model *m, const sac_sound_layer *l, sac_tensor x)
{
    const size_t T = x.rows, D = x.width;
    const bool is_of_all = l->normed == SAC_SOUND_NORM_ALL;
    sac_arena arena = {0};
    sac_tensor factor = {0}, shift = {0};
    float *numbers = malloc((T * D + 2 * D) * sizeof *numbers), *factors = numbers + T * D;
    double *sums = calloc(2 * D, sizeof *sums);
    float *gain = sac_model_read_parameter(m, l->norm[0]),
          *bias = sac_model_read_parameter(m, l->norm[1]);
    const bool has_room = numbers && sums && gain && bias;
    if (!has_room)
        SAC_PASS_CALL(&m->pass, sac_no_memory(&m->pass.error, m->name));
    sac_arena_shape(&arena, &m->pass, &factor, 1, D);
    sac_arena_shape(&arena, &m->pass, &shift, 1, D);
    if (has_room) {
        sac_pass_read(&m->pass, x, numbers);
        for (size_t i = 0; i < T * D && sac_pass_runs(&m->pass); i++) {
            sums[i % D] += (double)numbers[i];
            sums[D + i % D] += (double)numbers[i] * (double)numbers[i];
        }
        for (size_t i = 1; i < D && is_of_all; i++) {
            sums[0] += sums[i];
            sums[D] += sums[D + i];
        }
        for (size_t i = 0; i < D; i++) {
            const size_t from = is_of_all ? 0 : i;
            const double count = (double)(is_of_all ? T * D : T), mean = sums[from] / count,
                         square = sums[D + from] / count - mean * mean;
            const double by = (double)gain[i] / sqrt(fmax(square, 0) + 1e-5);
            factors[i] = (float)by;
            factors[D + i] = (float)((double)bias[i] - mean * by);
        }
        sac_pass_write(&m->pass, factor, factors);
        sac_pass_write(&m->pass, shift, factors + D);
        sac_scale_columns(&m->pass, x, factor);
        sac_add_rows(&m->pass, x, shift);
    }
    sac_arena_release(&arena);
    free(numbers);
    free(sums);
    free(gain);
    free(bias);
}

/* The rows that a layer makes of so many; 0: they are too few. */
static size_t convolved_rows(const sac_sound_layer *l, size_t rows)
{
    const size_t taps = l->w->shape[1], all = rows + 2 * l->around;
    return all < taps ? 0 : (all - taps) / (l->step ? l->step : 1) + 1;
}

void sac_sound_layer_forward(sac_pretrained_model *m, sac_arena *arena, const sac_sound_layer *l,
                             sac_tensor x, sac_tensor y)
{
    const sac_time_convolution layer = {.in = x.width,
                                        .out = y.width,
                                        .taps = l->w->shape[1],
                                        .step = l->step ? l->step : 1,
                                        .groups = l->groups};
    sac_tensor padded = x;
    if (l->around) {
        padded = (sac_tensor){0};
        sac_arena_shape(arena, &m->pass, &padded, x.rows + 2 * l->around, x.width);
        sac_pass_copy(&m->pass, sac_tensor_rows(padded, l->around, x.rows), x);
    }
    sac_time_convolution_forward(&m->pass, &layer, y, padded, l->w, l->b);
    if (l->normed == SAC_SOUND_NORM_TIMES)
        sac_layer_norm_forward(&m->pass, &(sac_layer_norm){.gain = l->norm[0], .bias = l->norm[1]},
                               y, y);
    else if (l->normed == SAC_SOUND_NORM_CHANNELS)
        norm_channels(m, l, y);
    sac_activate(&m->pass, y, l->activation);
    if (l->normed == SAC_SOUND_NORM_ALL)
        norm_channels(m, l, y);
}

size_t sac_audio_cells(const sac_pretrained_model *m, size_t rows)
{
    const sac_audio_encoder *a = &m->audio;
    if (m->conformer) { /* two frames are the fewest that have a deviation */
        rows = rows / SAC_MEL_HOP < 2 ? 0 : rows / SAC_MEL_HOP;
        for (int i = 0; i < m->conformer->halvings; i++)
            rows = sac_convolution_out(rows, 2);
    }
    for (int i = 0; i < a->layers; i++)
        rows = convolved_rows(&a->layer[i], rows);
    return rows;
}

/* states = all convolutions of the sound. What a layer has made is released as soon as the next one has read it. */
static void read_sound(sac_pretrained_model *m, const sac_patch_rows *sound, sac_tensor states)
{
    sac_pass *pass = &m->pass;
    const sac_audio_encoder *a = &m->audio;
    sac_arena held[2] = {{0}};
    sac_tensor x = {0}, y;
    sac_arena_shape(&held[0], pass, &x, sound->count, a->bins ? a->bins : 1);
    sac_pass_write(pass, x, sound->pixels);
    for (int i = 0; i < a->layers; i++, x = y) {
        const sac_sound_layer *l = &a->layer[i];
        y = (sac_tensor){0};
        if (i + 1 == a->layers && !a->project.w)
            y = states;
        else
            sac_arena_shape(&held[(i + 1) % 2], pass, &y, convolved_rows(l, x.rows),
                            l->w->shape[0]);
        sac_sound_layer_forward(m, &held[i % 2], l, x, y);
        sac_arena_release(&held[i % 2]);
        held[i % 2] = (sac_arena){0};
    }
    if (a->norm.gain)
        sac_layer_norm_forward(pass, &a->norm, x, x);
    if (a->project.w)
        sac_linear_forward(pass, states, x, a->project.w, a->project.b);
    sac_arena_release(&held[0]);
    sac_arena_release(&held[1]);
}

void sac_sound_place(const sac_inference *p, sac_arena *arena, sac_tensor x)
{
    sac_pretrained_model *m = p->model;
    sac_pass *pass = &m->pass;
    sac_tensor added = {0};
    for (size_t t = 0; p->hidden && t < p->count; t++)
        if (p->hidden[t])
            sac_pass_fill(pass, sac_tensor_rows(x, t, 1), 0);
    if (m->positions)
        sac_add(pass, x, sac_tensor_rows(m->positions->value, 0, p->count));
    if (m->audio.places.w) {
        sac_arena_shape(arena, pass, &added, p->count, m->width);
        sac_sound_layer_forward(m, arena, &m->audio.places, x, added);
        sac_add(pass, x, added);
    }
    if (m->first_norm.gain)
        sac_layer_norm_forward(pass, &m->first_norm, x, x);
}

void sac_sound_embed(const sac_inference *p, const sac_patch_rows *sound, sac_arena *arena,
                     sac_tensor x)
{
    if (p->model->conformer)
        sac_conformer_embed(p->model, sound, x);
    else
        read_sound(p->model, sound, x);
    if (p->unplaced)
        sac_pass_read(&p->model->pass, x, p->unplaced);
    sac_sound_place(p, arena, x);
}
