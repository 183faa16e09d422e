/* A captioner whose decoder has layers, word by word. */
#ifndef SAC_CAPTIONER_STACK_DECODE_H
#define SAC_CAPTIONER_STACK_DECODE_H

#include "captioner/model.h"
#include "models/stack_decoding.h"

/* Part of its decode buffers. */
typedef struct sac_captioner_stack_decoding {
    sac_stack_decoding words;
    float *key;     /* [L,N,D], host */
    float *queries; /* [T,L,R,D], host: of every step, R = SAC_BEAM_WIDTH */
} sac_captioner_stack_decoding;

void sac_captioner_stack_decoding_shape(sac_captioner *captioner, sac_arena *arena,
                                        sac_captioner_stack_decoding *s);
bool sac_captioner_stack_decoding_allocate(const sac_captioner *captioner,
                                           sac_captioner_stack_decoding *s);
void sac_captioner_stack_decoding_free(sac_captioner_stack_decoding *s);

/* Of the sentences of the last step: the keys [N,D] of a layer, and the query [D] of a row of a
 * step. Rows follow each other. */
float *sac_captioner_stack_key(const sac_captioner *captioner, int layer);
float *sac_captioner_stack_query(const sac_captioner *captioner, int step, int layer, int row);

/* Of its decoder; the model has encoded a picture. Weights and gates are left to the second. */
sac_status sac_captioner_stack_step(void *self, const sac_beam *beam,
                                    const sac_result_request *request,
                                    const sac_step_result *result, sac_error *error);
sac_status sac_captioner_stack_attention(void *self, const sac_result_request *request,
                                         const int *words, const int *rows, int count,
                                         float *weights, float *gates, sac_error *error);

#endif
