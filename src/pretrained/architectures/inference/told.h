/* What was said last after a text, for those who ask how each token came. */
#ifndef SAC_ARCHITECTURES_INFERENCE_TOLD_H
#define SAC_ARCHITECTURES_INFERENCE_TOLD_H

#include "architectures/architecture.h"
#include "sources/saying.h"

/* Zeroed: nothing was asked yet. */
typedef struct sac_told {
    sac_inference *said; /* the text and what was said; NULL: nothing yet */
    size_t read;         /* tokens of the text */
    float *logits;       /* [V] of step logits_of, from 1; 0: of none */
    size_t logits_of;
} sac_told;

/* After the text of `whole`, with heads scaled as those of `now` are. */
sac_status sac_told_say(sac_told *told, const sac_inference *whole, const sac_inference *now,
                        const sac_saying *how, sac_said *said, sac_error *error);
/* Of what was said last. SAC_E_ARGUMENT where there is no such step. */
sac_status sac_told_candidates(sac_told *told, size_t step, const sac_saying *how,
                               sac_might_come *candidates, int *count, int *kept, sac_error *error);
void sac_told_free(sac_told *told);

/* Gives candidates their texts; to a token that stands for no text its name. */
void sac_name_candidates(const sac_tokenizer *tokenizer, sac_might_come *candidates, int count);

#endif
