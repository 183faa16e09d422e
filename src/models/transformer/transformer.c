/* Creation and destruction of a transformer. */
#include <stdlib.h>

#include "base/error.h"
#include "transformer/decode.h"
#include "transformer/learn.h"

sac_status sac_transformer_default_sizes(sac_transformer_sizes *sizes, sac_error *error)
{
    sac_word_list english = {0}, french = {0};
    sac_status status = sac_word_list_create(SAC_ENGLISH, &english, error);
    if (status == SAC_OK)
        status = sac_word_list_create(SAC_FRENCH, &french, error);
    *sizes = (sac_transformer_sizes){
        .layers = 2,
        .heads = 4,
        .width = 128,
        .hidden = 384,
        .source_words = (int)english.count,
        .target_words = (int)french.count,
    };
    sac_word_list_free(&english);
    sac_word_list_free(&french);
    return status;
}

sac_status sac_transformer_make(const sac_model_class *class, sac_device *device,
                                const sac_transformer_sizes *sizes, bool training, uint32_t seed,
                                sac_transformer **transformer, sac_error *error)
{
    *transformer = NULL;
    sac_transformer *t = calloc(1, sizeof *t);
    if (!t)
        return sac_no_memory(error, "transformer");
    t->base.class = class;
    t->base.device = device;
    t->sizes = *sizes;
    sac_pass_open(&t->base.pass, device);
    sac_transformer_declare(sizes, &t->base.parameters, &t->weights);
    sac_status status = sac_word_list_create(SAC_ENGLISH, &t->english, error);
    if (status == SAC_OK)
        status = sac_word_list_create(SAC_FRENCH, &t->french, error);
    if (status == SAC_OK)
        status = sac_parameters_create(&t->base.parameters, device, training, seed, error);
    if (status == SAC_OK) {
        sac_tensor *positions = &t->weights.encoder.positions;
        sac_stack_positions(&t->base.pass, &t->arena, SAC_TRANSFORMER_PLACES, (size_t)sizes->width,
                            positions);
        t->weights.decoder.positions = *positions;
        status = sac_pass_end(&t->base.pass, error);
    }
    if (status == SAC_OK)
        *transformer = t;
    else
        sac_transformer_destroy(t);
    return status;
}

void sac_transformer_destroy(sac_transformer *t)
{
    if (!t)
        return;
    sac_transformer_decoding_destroy(t->decoding);
    sac_transformer_training_destroy(t->training);
    sac_arena_release(&t->arena);
    sac_word_list_free(&t->english);
    sac_word_list_free(&t->french);
    sac_model_release(&t->base);
    free(t);
}
