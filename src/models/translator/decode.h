/* The buffers with which a translator reads and translates. */
#ifndef SAC_TRANSLATOR_DECODE_H
#define SAC_TRANSLATOR_DECODE_H

#include "translation/translation.h"
#include "translator/translator.h"

typedef struct sac_translator_decoding {
    sac_arena arena;
    sac_translator_source source; /* of the sentence */
    sac_tensor first_state;       /* [1,H] */
    sac_byte_tensor mask;         /* [S], 1: hidden from attention */
    /* One row for each translation, R = SAC_BEAM_WIDTH: [R,·] as in sac_translator_step. */
    sac_tensor embedded, state, query, weights, context, gates, recurrent, next_state;
    sac_tensor mixed, logits;           /* [R,E], [R,V] */
    sac_ints words, parents;            /* [R]: the word generated last, and whom it goes on from */
    int target[SAC_TRANSLATION_SOURCE]; /* the sentence on the host … */
    int count;                          /* … and its words */
} sac_translator_decoding;
void sac_translator_decoding_destroy(sac_translator_decoding *decoding); /* takes NULL */

/* These are the class's and its decoder's: models/model_class.h. */
sac_status sac_translator_read(sac_model *model, const int *words, int count, sac_error *error);
sac_sequence sac_translator_start(const void *self);
const char *sac_translator_position(const void *self, int index);
sac_status sac_translator_decode_step(void *self, const sac_beam *beam,
                                      const sac_result_request *request,
                                      const sac_step_result *result, sac_error *error);

#endif
