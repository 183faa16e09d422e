/* The picture view's attention: its scale, the weights of the learned scores, tokens and colours.
 */

#include "sources/files/picture/picture_inputs.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/random/random.h"
#include "scores/scores.h"

sac_status sac_picture_settings_check(const sac_picture_settings *settings, sac_error *error)
{
    const sac_picture_settings *s = settings;
    const char *remedy = NULL;
    if ((unsigned)s->score >= SAC_SCORE_COUNT)
        return sac_fail(error, SAC_E_ARGUMENT, "score", "take one that there is",
                        "there is no score number %d", (int)s->score);
    if ((unsigned)s->normalizer >= SAC_NORMALIZER_COUNT)
        return sac_fail(error, SAC_E_ARGUMENT, "normalizer", "take one that there is",
                        "there is no normalizer number %d", (int)s->normalizer);
    if (s->cells < 1 || s->cells > 256)
        return sac_fail(error, SAC_E_ARGUMENT, "cells", "take 8 to 128",
                        "%d on the longer side cannot be computed", s->cells);
    remedy = "take a number above 0, such as 1";
    if (!(s->inverse_width > 0 && isfinite(s->inverse_width)))
        return sac_fail(error, SAC_E_ARGUMENT, "inverse width", remedy, "%g is none",
                        (double)s->inverse_width);
    if (!(s->temperature > 0 && isfinite(s->temperature)))
        return sac_fail(error, SAC_E_ARGUMENT, "temperature", remedy, "%g is no temperature",
                        (double)s->temperature);
    if (!(s->position >= 0 && isfinite(s->position)))
        return sac_fail(error, SAC_E_ARGUMENT, "position", "take 0 or more", "%g is no weight",
                        (double)s->position);
    return SAC_OK;
}

/* ---------------------------------------------------------------- weights of the learned scores
 *
 * Bilinear and additive attention are made to be trained. Nothing is trained here, so their weights
 * are built to show what each can do that a dot product cannot. */

/* Bilinear: a metric of its own. This one looks for the same hue in any light: lightness hardly
 * counts, hue and texture count more. */
static sac_status make_bilinear(sac_picture_inputs *inputs, sac_error *error)
{
    static const float counts[SAC_FEATURES] = {
        [SAC_LIGHTNESS] = 0.15f, [SAC_GREEN_RED] = 1.5f, [SAC_BLUE_YELLOW] = 1.5f,
        [SAC_CONTRAST] = 2.0f,   [SAC_UPRIGHT] = 2.0f,   [SAC_SLANTED] = 2.0f,
        [SAC_PLACE_X] = 1.0f,    [SAC_PLACE_Y] = 1.0f,
    };
    size_t shape[] = {SAC_FEATURES, SAC_FEATURES};
    sac_status status = sac_array_create(SAC_F32, 2, shape, &inputs->W_qk, error);
    for (int f = 0; status == SAC_OK && f < SAC_FEATURES; f++)
        ((float *)inputs->W_qk.data)[f * SAC_FEATURES + f] = counts[f];
    return status;
}

enum { DIRECTIONS = 16, ADDITIVE_SEED = 1014 };
#define BUMP_HALF_WIDTH 1.5f /* units along a direction within which two cells agree */
#define SCORE_OF_ITSELF 9.0f

/* Normally distributed (Box and Muller 1958). */
static float random_normal(unsigned direction, unsigned feature)
{
    float u = 1 - sac_philox_uniform(direction, 2 * feature, ADDITIVE_SEED);
    float v = sac_philox_uniform(direction, 2 * feature + 1, ADDITIVE_SEED);
    return sqrtf(-2 * logf(u)) * cosf(6.2831853f * v);
}

/* Additive: a vote. Along each of some random directions r, two cells agree where
 *     tanh(r·(q − k) + b) − tanh(r·(q − k) − b)
 * is large, a bump around q = k; W_k = −W_q gives the differences, the constant feature the ±b, and
 * w_v = ±c the two signs. The score grows with the number of directions in which cells agree and
 * saturates far away: unlike with the Gaussian, one feature that differs decides nothing. */
static sac_status make_additive(sac_picture_inputs *inputs, sac_error *error)
{
    size_t shape[] = {2 * DIRECTIONS, SAC_FEATURES};
    sac_status status = sac_array_create(SAC_F32, 2, shape, &inputs->W_q, error);
    if (status == SAC_OK)
        status = sac_array_create(SAC_F32, 2, shape, &inputs->W_k, error);
    if (status == SAC_OK)
        status = sac_array_create(SAC_F32, 1, shape, &inputs->w_v, error);
    if (status != SAC_OK)
        return status;
    float *q = inputs->W_q.data, *k = inputs->W_k.data, *v = inputs->w_v.data;
    float height = SCORE_OF_ITSELF / (DIRECTIONS * 2 * tanhf(BUMP_HALF_WIDTH));
    for (unsigned row = 0; row < 2 * DIRECTIONS; row++, q += SAC_FEATURES, k += SAC_FEATURES) {
        float sign = row % 2 ? -1 : 1;
        for (unsigned f = 0; f < SAC_CONSTANT; f++) {
            q[f] = random_normal(row / 2, f);
            k[f] = -q[f];
        }
        q[SAC_CONSTANT] = sign * BUMP_HALF_WIDTH;
        v[row] = sign * height;
    }
    return SAC_OK;
}

/* ---------------------------------------------------------------- all of it */

static sac_status make_tokens(const sac_picture_settings *settings, const sac_cells *cells,
                              const uint8_t *hidden, sac_picture_inputs *inputs, sac_error *error)
{
    size_t count = (size_t)cells->grid_w * (size_t)cells->grid_h;
    size_t tokens[] = {count, SAC_FEATURES}, colors[] = {count, 3}, mask[] = {1, count};
    sac_status status = sac_array_create(SAC_F32, 2, tokens, &inputs->tokens, error);
    if (status == SAC_OK)
        status = sac_array_create(SAC_F32, 2, colors, &inputs->colors, error);
    if (status == SAC_OK && hidden)
        status = sac_array_create(SAC_BOOL, 2, mask, &inputs->hidden, error);
    if (status != SAC_OK)
        return status;
    sac_cells_tokens(cells, settings->position, inputs->tokens.data);
    memcpy(inputs->colors.data, cells->color, count * 3 * sizeof(float));
    for (size_t i = 0; hidden && i < count; i++)
        ((uint8_t *)inputs->hidden.data)[i] = hidden[i] != 0;
    return SAC_OK;
}

sac_status sac_picture_inputs_create(const sac_picture_settings *settings, const sac_cells *cells,
                                     const uint8_t *hidden, sac_picture_inputs *inputs,
                                     sac_error *error)
{
    *inputs = (sac_picture_inputs){0};
    sac_status status = sac_picture_settings_check(settings, error);
    if (status != SAC_OK)
        return status;
    sac_score_weights weights = sac_score_class_of(settings->score)->weights;
    /* The score's own scale (see sac_score), cooled or heated. */
    double own = sac_score_class_of(settings->score)->scale(SAC_FEATURES, SAC_FEATURES);
    inputs->spec = (sac_attention_spec){.score = settings->score,
                                        .use_scale = true,
                                        .scale = (float)own / settings->temperature,
                                        .bandwidth = 1 / settings->inverse_width,
                                        .normalizer = settings->normalizer};
    status = make_tokens(settings, cells, hidden, inputs, error);
    if (status == SAC_OK && weights == SAC_WEIGHTS_BETWEEN)
        status = make_bilinear(inputs, error);
    if (status == SAC_OK && weights == SAC_WEIGHTS_HIDDEN)
        status = make_additive(inputs, error);
    if (status != SAC_OK)
        sac_picture_inputs_free(inputs);
    return status;
}

void sac_picture_inputs_free(sac_picture_inputs *inputs)
{
    sac_array *const arrays[] = {&inputs->tokens, &inputs->colors, &inputs->hidden, &inputs->W_q,
                                 &inputs->W_k,    &inputs->w_v,    &inputs->W_qk};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        sac_array_free(arrays[i]);
    *inputs = (sac_picture_inputs){0};
}

static const sac_array *array_or_null(const sac_array *array)
{
    return array->rank ? array : NULL;
}

sac_attention_input sac_picture_inputs_view(const sac_picture_inputs *inputs)
{
    return (sac_attention_input){.query = &inputs->tokens,
                                 .key = &inputs->tokens,
                                 .value = &inputs->colors,
                                 .key_padding_mask = array_or_null(&inputs->hidden),
                                 .score_W_q = array_or_null(&inputs->W_q),
                                 .score_W_k = array_or_null(&inputs->W_k),
                                 .score_w_v = array_or_null(&inputs->w_v),
                                 .score_W_qk = array_or_null(&inputs->W_qk)};
}
