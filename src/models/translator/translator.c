/* Creation and destruction of a translator. */
#include <stdlib.h>

#include "base/error.h"
#include "grammar/words.h"
#include "translator/decode.h"
#include "translator/learn.h"

sac_status sac_translator_default_shape(sac_score score, bool attends, sac_translator_shape *shape,
                                        sac_error *error)
{
    sac_word_list english = {0}, french = {0};
    sac_status status = sac_word_list_create(SAC_ENGLISH, &english, error);
    if (status == SAC_OK)
        status = sac_word_list_create(SAC_FRENCH, &french, error);
    *shape = (sac_translator_shape){
        .attends = attends,
        .score = score,
        .attention = 128,
        .hidden = 192,
        .embedding = 96,
        .source_words = (int)english.count,
        .target_words = (int)french.count,
    };
    sac_word_list_free(&english);
    sac_word_list_free(&french);
    return status;
}

sac_status sac_translator_make(const sac_model_class *class, sac_device *device,
                               const sac_translator_shape *shape, bool training, uint32_t seed,
                               sac_translator **translator, sac_error *error)
{
    *translator = NULL;
    sac_translator *t = calloc(1, sizeof *t);
    if (!t)
        return sac_no_memory(error, "translator");
    t->base.class = class;
    t->base.device = device;
    t->shape = *shape;
    sac_pass_open(&t->base.pass, device);
    sac_translator_declare(shape, &t->base.parameters, &t->weights);
    sac_status status = sac_word_list_create(SAC_ENGLISH, &t->english, error);
    if (status == SAC_OK)
        status = sac_word_list_create(SAC_FRENCH, &t->french, error);
    if (status == SAC_OK)
        status = sac_parameters_create(&t->base.parameters, device, training, seed, error);
    if (status == SAC_OK)
        *translator = t;
    else
        sac_translator_destroy(t);
    return status;
}

void sac_translator_destroy(sac_translator *t)
{
    if (!t)
        return;
    sac_translator_decoding_destroy(t->decoding);
    sac_translator_training_destroy(t->training);
    sac_word_list_free(&t->english);
    sac_word_list_free(&t->french);
    sac_model_release(&t->base);
    free(t);
}
