/* A decoder: what generation asks of a model that has encoded a picture or a sentence. It is the
 * whole of what src/generate knows of models; each model fills in one table. `self` is the model.
 */
#ifndef SAC_GENERATE_DECODER_H
#define SAC_GENERATE_DECODER_H

#include "generate/beam.h"
#include "sources/result.h"

/* The sequences that a decoder generates from what was encoded last. */
typedef struct sac_sequence {
    sac_beam_options tokens; /* vocabulary, length (at most SAC_MAX_TOKENS), pad, start and end;
                                the width where the request has none, 0: 3 */
    int grid_w, grid_h; /* of the N = grid_w · grid_h positions that a token's weights are over:
                           cells of a picture, or words of the source sentence in one row */
    bool is_blind;      /* the model attends to nothing: all weights are 0 */
} sac_sequence;

/* The results of one step of all hypotheses of a beam, in host memory; R rows, one for each
 * hypothesis. */
typedef struct sac_step_result {
    float *logits;  /* [R,V], of the next token */
    float *weights; /* [R,N], each row's sum 1 (0 where all is hidden) */
    float *gate;    /* [R]: how much of the context it lets in; 1 unless written */
} sac_step_result;

typedef struct sac_decoder {
    const char *name; /* of the model, for errors */
    /* Of a decoder that generates after a text: reads tokens [count], its prefix from now on, whose last token is the
     * start of what `start` returns. NULL: it generates from what was encoded. */
    sac_status (*read)(void *self, const int *tokens, int count, sac_error *error);
    sac_sequence (*start)(const void *self);
    /* A token's text, and position `index`'s of a source that is text; both lent until the model
     * encodes again. NULL in place of `position`: the positions are cells of a picture. */
    const char *(*token)(const void *self, int token);
    const char *(*position)(const void *self, int index);
    /* One token further for the rows of beam->row[beam->step], from where their parents stood:
     * `parent` is a row of the call before. At beam->step 0 there is one row, whose token is the
     * start. `request` has the temperature (0: 1) and the hidden positions. Blocks until done. */
    sac_status (*step)(void *self, const sac_beam *beam, const sac_result_request *request,
                       const sac_step_result *result, sac_error *error);
    /* Weights [count,N] and gates [count] of the best sequence, whose token words[t] came from row rows[t]
     * of step t. For decoders that find them costly, and whose `step` leaves them out. NULL: `step`
     * wrote them. */
    sac_status (*attention)(void *self, const sac_result_request *request, const int *words,
                            const int *rows, int count, float *weights, float *gates,
                            sac_error *error);
} sac_decoder;

#endif
