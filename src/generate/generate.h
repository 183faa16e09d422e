/* Generation by beam search over any decoder: what a model generates of what it has encoded.
 *
 *     sac_search *generation = NULL;
 *     sac_generate(&generation, &decoder, model, &(sac_result_request){0}, &caption, &error);
 */
#ifndef SAC_GENERATE_GENERATE_H
#define SAC_GENERATE_GENERATE_H

#include "generate/decoder.h"

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
