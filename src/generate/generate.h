/* Generation by beam search over any decoder: what a model generates of what it has encoded. A decoder is the whole of what
 * src/generate knows of models; each model fills in one table.
 *
 *     sac_search *generation = NULL;
 *     sac_generate(&generation, &decoder, model, &(sac_result_request){0}, &caption, &error);
 */
#ifndef SAC_GENERATE_GENERATE_H
#define SAC_GENERATE_GENERATE_H

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

/* What generation asks of a model that has encoded a picture or a sentence, or that reads a text; `self` is the model. */
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

/* The memory of a generation: the log probabilities and weights of every hypothesis at every step.
 */
typedef struct sac_search sac_search;

/* The best sequence, what else might have stood in place of each token, and where each attended;
 * request->model is not used here. *generation is NULL at first, and is used again from then on.
 * SAC_E_ARGUMENT where the request makes no sense. */
sac_status sac_generate(sac_search **generation, const sac_decoder *decoder, void *self,
                        const sac_result_request *request, sac_result *caption, sac_error *error);

/* A token of the sequence generated last; lent until the next one. */
typedef struct sac_generated_step {
    int row;                                /* of the hypothesis in that step's beam */
    const float *log_probability, *weights; /* [V], [N] */
    float gate;
} sac_generated_step;
int sac_generated_count(const sac_search *generation);
/* The row of the step behind its last token, at which it ended; −1: it was cut. */
int sac_generated_end_row(const sac_search *generation);
sac_generated_step sac_generated_step_at(const sac_search *generation, int step);

void sac_generation_destroy(sac_search *generation); /* takes NULL */

/* logits [count] become log probabilities, in place. */
void sac_log_softmax(float *row, size_t count);

#endif
