/* The memory of a captioner that looks and speaks, shared by the files that do so. */
#ifndef SAC_CAPTIONER_DECODE_BUFFERS_H
#define SAC_CAPTIONER_DECODE_BUFFERS_H

#include "captioner/model.h"

struct sac_decode_buffers {
    sac_arena arena;
    sac_captioner_features f;           /* of the picture */
    sac_tensor first_state, first_cell; /* [1,H] */
    sac_byte_tensor mask;               /* [N], 1: hidden from attention */
    /* One row for each sentence, R = SAC_BEAM_WIDTH: [R,·] as in sac_captioner_step. */
    sac_tensor embedded, state, cell, query, beta, weights, context, z, gates;
    sac_tensor next_state, next_cell;
    sac_tensor mixed, logits; /* [R,M], [R,V] */
    sac_ints words, parents;  /* [R]: the word said last, and whom it goes on from */
    float *pixels;            /* on the host: the picture */
    float *query_read;        /* [T,R,A], T = SAC_CAPTION_WORDS: what every sentence looked by */
};

/* Takes all memory, unless it was taken before. SAC_E_MEMORY. */
sac_status sac_decode_buffers_prepare(sac_captioner *captioner, sac_error *error);
void sac_decode_buffers_destroy(struct sac_decode_buffers *buffers); /* takes NULL */

/* The query [A] that sentence `row` looked by at `step`. */
static inline float *sac_decoded_query(const sac_captioner *c, int step, int row)
{
    return c->decode->query_read + (size_t)(step * SAC_BEAM_WIDTH + row) * (size_t)c->keys;
}

#endif
