/* The memory of a captioner that looks and speaks, shared by the files that do so. */
#ifndef SAC_CAPTIONER_DECODE_BUFFERS_H
#define SAC_CAPTIONER_DECODE_BUFFERS_H

#include "captioner/model.h"

struct sac_decode_buffers {
    sac_arena arena;
    sac_captioner_features f; /* of the picture */
    sac_byte_tensor mask;     /* [N], 1: hidden from attention */
    /* Of R = SAC_BEAM_WIDTH sentences, as cl/caption_step.cl has them: states and cells, of which a
     * step reads one half and writes the other [2·R,2H]; what a step finds out, in rows of logits,
     * weights, query and gate [R,V+N+A+1]; and what it needs meanwhile [R,D+4H+M]. */
    sac_tensor states, results, work;
    /* On the host: */
    float *pixels;       /* of the picture */
    float *results_read; /* [R,V+N+A+1] */
    float *query_read;   /* [T,R,A], T = SAC_CAPTION_WORDS: what every sentence looked by */
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
