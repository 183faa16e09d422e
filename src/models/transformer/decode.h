/* What a transformer holds to read and translate. */
#ifndef SAC_TRANSFORMER_DECODE_H
#define SAC_TRANSFORMER_DECODE_H

#include "transformer/transformer.h"

struct sac_transformer_decoding;
void sac_transformer_decoding_destroy(struct sac_transformer_decoding *decoding); /* takes NULL */

/* The words that were read last. */
const int *sac_transformer_source(const sac_transformer *transformer, int *count);

/* These are the class's and its decoder's: models/model_class.h. */
sac_status sac_transformer_read(sac_model *model, const int *words, int count, sac_error *error);
sac_sequence sac_transformer_start(const void *self);
const char *sac_transformer_position(const void *self, int index);
sac_status sac_transformer_step(void *self, const sac_beam *beam, const sac_result_request *request,
                                const sac_step_result *result, sac_error *error);

#endif
