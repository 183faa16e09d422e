/* Creation and destruction of a captioner. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random/random.h"
#include "captioner/decode/encode.h"
#include "captioner/encoders/encoder.h"
#include "captioner/learn/activations.h"
#include "captioner/photographs/album.h"
#include "captioner/photographs/domain.h"

enum { WAVES = 11 };

/* Sinusoids over the grid, x and y in ±1. */
static void waves_at(int column, int row, int grid, float waves[WAVES])
{
    float x = (2 * (float)column + 1) / (float)grid - 1, y = (2 * (float)row + 1) / (float)grid - 1;
    float quarter = (float)M_PI_2;
    const float all[WAVES] = {x,
                              y,
                              x * y,
                              sinf(quarter * x),
                              cosf(quarter * x),
                              sinf(2 * quarter * x),
                              cosf(2 * quarter * x),
                              sinf(quarter * y),
                              cosf(quarter * y),
                              sinf(2 * quarter * y),
                              cosf(2 * quarter * y)};
    memcpy(waves, all, sizeof all);
}

/* Positions begin smooth, as mixtures of long waves with random coefficients: with noise instead,
 * what stands left or above of what is learnt later. */
static sac_status init_position_table(sac_captioner *c, uint32_t seed, sac_error *error)
{
    sac_tensor position = c->weights.norm.position->value;
    size_t depth = position.width;
    float waves[WAVES], bound = sac_init_uniform_std(0.2f).bound;
    float *numbers = calloc(sac_tensor_count(position), sizeof *numbers);
    if (!numbers)
        return sac_no_memory(error, "captioner");
    for (size_t n = 0; n < position.rows; n++) {
        waves_at((int)n % c->grid, (int)n / c->grid, c->grid, waves);
        for (size_t i = 0; i < WAVES * depth; i++) {
            float share = 2 * sac_philox_uniform((uint32_t)i, UINT32_MAX, seed) - 1;
            numbers[n * depth + i % depth] += bound * share * waves[i / depth];
        }
    }
    sac_pass_write(&c->base.pass, position, numbers);
    free(numbers);
    return sac_pass_end(&c->base.pass, error);
}

sac_status sac_captioner_make(const sac_model_class *class, sac_device *device,
                              const sac_captioner_shape *shape, bool training, uint32_t seed,
                              sac_captioner **captioner, sac_error *error)
{
    *captioner = NULL;
    sac_captioner *c = calloc(1, sizeof *c);
    if (!c)
        return sac_no_memory(error, "captioner");
    c->base.class = class;
    c->base.device = device;
    c->shape = *shape;
    c->shape.dataset = sac_captioner_dataset(shape);
    c->encoder = sac_encoder_of(shape);
    if (c->shape.network.pretrained)
        c->shape.network.pretrained->owners++;
    if (c->shape.words) {
        static const int excluded[] = {SAC_VOCABULARY_UNKNOWN};
        c->shape.words->owners++;
        c->rules = (sac_token_rules){.never = excluded,
                                     .never_count = 1,
                                     .once = c->shape.once ? c->shape.words->once : NULL};
    }
    sac_pass_open(&c->base.pass, device);
    c->base.parameters.others = &c->base.frozen;
    c->base.parameters.halves = sac_captioner_is_for_photographs(shape);
    c->base.frozen.others = &c->domain;
    sac_captioner_declare(shape, &c->base.parameters, &c->base.frozen, &c->weights);
    sac_domain_declare(shape, &c->domain);
    sac_status status = sac_parameters_create(&c->base.parameters, device, training, seed, error);
    if (status == SAC_OK && c->base.frozen.count)
        status = sac_parameters_create(&c->base.frozen, device, false, 0, error);
    if (status == SAC_OK && c->domain.count)
        status = sac_parameters_create(&c->domain, device, false, 0, error);
    if (status == SAC_OK) {
        c->grid = sac_captioner_grid(shape);
        c->cells = c->grid * c->grid;
        c->depth = (int)c->weights.norm.gain->count;
        c->keys = c->weights.query ? (int)c->weights.query->value.rows : 0;
        c->first = c->encoder->first(c);
    }
    if (status == SAC_OK && sac_captioner_has_layers(shape)) {
        sac_stack_positions(&c->base.pass, &c->arena, (size_t)shape->longest + 1, (size_t)c->depth,
                            &c->weights.stack.positions);
        status = sac_pass_end(&c->base.pass, error);
    }
    if (status == SAC_OK && training && c->weights.lstm_bias) {
        /* Forget gates begin open, with a bias of 1: Jozefowicz et al. 2015. */
        size_t hidden = (size_t)c->shape.hidden;
        sac_tensor gates = sac_tensor_shaped(c->weights.lstm_bias->value, 4, hidden);
        sac_pass_fill(&c->base.pass, sac_tensor_rows(gates, 1, 1), 1);
        status = sac_pass_end(&c->base.pass, error);
    }
    if (status == SAC_OK && training && c->weights.norm.position)
        status = init_position_table(c, seed, error);
    if (status != SAC_OK) {
        sac_captioner_destroy(c);
        return status;
    }
    *captioner = c;
    return SAC_OK;
}

void sac_captioner_destroy(sac_captioner *captioner)
{
    if (!captioner)
        return;
    sac_decode_buffers_destroy(captioner->decode);
    sac_captioner_training_destroy(captioner->training);
    sac_album_close(captioner->album);
    sac_arena_release(&captioner->arena);
    sac_encoder_release(captioner);
    sac_model_release(&captioner->base);
    sac_parameters_destroy(&captioner->domain);
    free(captioner->domain_read);
    sac_captioner_shape_free(&captioner->shape);
    free(captioner);
}

const sac_captioner_shape *sac_captioner_get_shape(const sac_captioner *captioner)
{
    return &captioner->shape;
}
