/* What a captioner holds to look and speak, shared by the files that do so. */
#ifndef SAC_CAPTIONER_SPEECH_H
#define SAC_CAPTIONER_SPEECH_H

#include "captioner/beam.h"
#include "captioner/model.h"

struct sac_captioner_speech {
    /* [side,side,3]; each layer's result; [N,D]; [N,A]; [D]; [H] twice */
    sac_span picture, between[SAC_CAPTIONER_LAYERS], columns, features, keys, mean;
    sac_span first_state, first_cell;
    sac_span hidden; /* [N] */
    /* One row for each sentence, R = SAC_BEAM_WIDTH: [R,·] as in sac_captioner_step. */
    sac_span embedded, state, cell, query, gate, weights, context, z, gates, next_state, next_cell;
    sac_span mixed, logits; /* [R,M], [R,V] */
    cl_mem rows; /* int [2,R]: the word that a sentence said last, and whom it goes on from */
    float *pixels, *cover; /* on the host: picture and hidden */
    /* What every sentence saw at every step: α [T,R,N], log p [T,R,V], β, with
     * T = SAC_CAPTION_WORDS. */
    float *seen, *said, beta[SAC_CAPTION_WORDS][SAC_BEAM_WIDTH];
    sac_beam beam;
};

/* Takes all memory, unless it was taken before. SAC_E_MEMORY. */
sac_status sac_captioner_speech_prepare(sac_captioner *captioner, sac_error *error);

/* What sentence `row` saw and said at `step`: α [N] and log p [V] there. */
static inline float *sac_speech_seen(const sac_captioner *c, int step, int row)
{
    return c->speech->seen + (size_t)(step * SAC_BEAM_WIDTH + row) * (size_t)c->cells;
}

static inline float *sac_speech_said(const sac_captioner *c, int step, int row)
{
    return c->speech->said + (size_t)(step * SAC_BEAM_WIDTH + row) * (size_t)c->shape.vocabulary;
}

/* The caption of the best sentence of the beam; free it. SAC_E_MEMORY. */
sac_status sac_captioner_tell(const sac_captioner *captioner, sac_caption *caption,
                              sac_error *error);

#endif
