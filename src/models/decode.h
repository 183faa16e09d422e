/* A model speaks of what it has encoded: a beam search over the `step` of its class, for models
 * that see and models that read.
 *
 *     sac_captioner_look(captioner, &picture, &error);          // the class's own encoding
 *     sac_model_decode(&captioner->base, &(sac_caption_request){0}, &caption, &error);
 */
#ifndef SAC_MODELS_DECODE_H
#define SAC_MODELS_DECODE_H

#include "models/model_class.h"

/* The best sentence, what else might have stood in place of each word, and where each looked;
 * request->model is not used here. SAC_E_ARGUMENT where the request makes no sense. */
sac_status sac_model_decode(sac_model *model, const sac_caption_request *request,
                            sac_caption *caption, sac_error *error);

/* The weights of a word of the sentence spoken last, and what else could have been said; lent
 * until it speaks again. */
typedef struct sac_decoded_step {
    int row;                                /* of the hypothesis in that step's beam */
    const float *log_probability, *weights; /* [V], [N] */
    float gate;
} sac_decoded_step;
int sac_decoded_count(const sac_model *model);                          /* words of that sentence */
sac_decoded_step sac_decoded_step_at(const sac_model *model, int step); /* step < that */

void sac_decoding_destroy(struct sac_decoding *decoding); /* takes NULL */

#endif
