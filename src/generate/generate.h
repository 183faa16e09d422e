/* Generation by beam search over any decoder: what a model generates of what it has encoded.
 *
 *     sac_search *generation = NULL;
 *     sac_generate(&generation, &decoder, model, &(sac_result_request){0}, &caption, &error);
 */
#ifndef SAC_GENERATE_GENERATE_H
#define SAC_GENERATE_GENERATE_H

#include "generate/decoder.h"
#include "sources/generation.h"

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

/* How a text goes on. */
typedef struct sac_text_search {
    int width; /* of a beam that looks for the best one, of which no more is asked; 0, 1: none does */
    sac_draw draw;
    const sac_token_change *change; /* [changes], the earliest first: tokens that are taken whatever
                                       is drawn; lent */
    int changes;
    /* Each step's logits, before the model's rules, and its weights, where the decoder writes such, are
     * kept in these: [most,V], [most,N]; lent; NULL: nowhere. */
    float *logits, *weights;
} sac_text_search;

/* A token that may be drawn. */
typedef struct sac_drawable {
    int token;
    float
        probability; /* by the temperature, 1 where that is 0; of those that are left it is 1 together */
} sac_drawable;
/* What the draw leaves of the tokens with these logits [count], the most probable first, into `left`
 * [count]; returns how many. */
int sac_draw_left(const sac_draw *how, const float *logits, int count, sac_drawable *left);

/* logits [count] become log probabilities, in place. */
void sac_log_softmax(float *row, size_t count);

/* Goes on after the text tokens[*count], of which the decoder's first step gives the next token:
 * appends up to `most`, until one ends the text, which is left out. SAC_E_ARGUMENT where there is no
 * such token as a change has. */
sac_status sac_generate_text(const sac_decoder *decoder, void *self,
                             const sac_text_search *sampling, int *tokens, int *count, int most,
                             sac_error *error);

#endif
