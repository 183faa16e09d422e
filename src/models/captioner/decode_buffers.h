/* What a captioner holds to look and speak, shared by the files that do so. */
#ifndef SAC_CAPTIONER_DECODE_BUFFERS_H
#define SAC_CAPTIONER_DECODE_BUFFERS_H

#include "captioner/model.h"
#include "models/beam.h"

struct sac_decode_buffers {
    sac_arena arena;
    sac_captioner_features f;           /* of the picture */
    sac_tensor first_state, first_cell; /* [1,H] */
    sac_tensor mask;                    /* [N], 1: hidden from attention */
    /* One row for each sentence, R = SAC_BEAM_WIDTH: [R,·] as in sac_captioner_step. */
    sac_tensor embedded, state, cell, query, beta, weights, context, z, gates;
    sac_tensor next_state, next_cell;
    sac_tensor mixed, logits;  /* [R,M], [R,V] */
    sac_ints words, parents;   /* [R]: the word said last, and whom it goes on from */
    float *pixels, *mask_host; /* on the host: picture and mask */
    /* What every sentence saw at every step: α [T,R,N], log p [T,R,V], β, with
     * T = SAC_CAPTION_WORDS. */
    float *weights_read, *log_probability, beta_read[SAC_CAPTION_WORDS][SAC_BEAM_WIDTH];
    float *query_read; /* and the queries [T,R,A] that it saw it by */
    sac_beam beam;
};

/* Takes all memory, unless it was taken before. SAC_E_MEMORY. */
sac_status sac_decode_buffers_prepare(sac_captioner *captioner, sac_error *error);
void sac_decode_buffers_destroy(struct sac_decode_buffers *buffers); /* takes NULL */

/* What sentence `row` saw and said at `step`: α [N], its query [A] and log p [V] there. */
static inline float *sac_decoded_weights(const sac_captioner *c, int step, int row)
{
    return c->decode->weights_read + (size_t)(step * SAC_BEAM_WIDTH + row) * (size_t)c->cells;
}

static inline float *sac_decoded_query(const sac_captioner *c, int step, int row)
{
    return c->decode->query_read + (size_t)(step * SAC_BEAM_WIDTH + row) * (size_t)c->keys;
}

static inline float *sac_decoded_log_probability(const sac_captioner *c, int step, int row)
{
    return c->decode->log_probability +
           (size_t)(step * SAC_BEAM_WIDTH + row) * (size_t)c->shape.vocabulary;
}

/* The caption of the best sentence of the beam; free it. SAC_E_MEMORY. */
sac_status sac_captioner_result(const sac_captioner *captioner, sac_caption *caption,
                                sac_error *error);

#endif
