/* A decoder's stack that goes on by one word of all sentences of a beam at a time, over one memory.
 * Keys and values of the words so far are kept, so that a step is a batch of single words: to itself
 * each row is a sentence with one query, to the memory all rows are queries of one. */
#ifndef SAC_MODELS_STACK_DECODING_H
#define SAC_MODELS_STACK_DECODING_H

#include "generate/beam.h"
#include "models/stack.h"
#include "nn/attention/beam_cache.h"
#include "sources/result.h"

typedef struct sac_stack_decoding {
    sac_stack_tensors step; /* [R,1]: the last word of every sentence */
    sac_tensor memory_key[SAC_STACK_LAYERS], memory_value[SAC_STACK_LAYERS]; /* [S,D] */
    sac_beam_cache cache;
    sac_byte_tensor mask; /* [S], 1: hidden from attention */
    sac_tensor logits;    /* [R,V] */
} sac_stack_decoding;

/* Memory for up to SAC_BEAM_WIDTH sentences of `words` words over `memory_rows` rows. */
void sac_stack_decoding_shape(sac_pass *pass, sac_arena *arena, const sac_stack *stack,
                              size_t memory_rows, size_t words, sac_stack_decoding *d);
/* Keys and values of a memory [S,D], which are the same at every step. */
void sac_stack_decoding_begin(sac_pass *pass, const sac_stack *stack, sac_tensor memory,
                              sac_stack_decoding *d);
/* One word further for the rows of beam->row[beam->step]: logits [R,V], in host memory. Queries to
 * the memory stay in d->step. */
void sac_stack_decoding_step(sac_pass *pass, const sac_stack *stack, const sac_beam *beam,
                             const sac_result_request *request, sac_stack_decoding *d,
                             float *logits);

#endif
