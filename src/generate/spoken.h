/* What a decoder says one word at a time, some of them chosen by a person. */
#ifndef SAC_GENERATE_SPOKEN_H
#define SAC_GENERATE_SPOKEN_H

#include "generate/decoder.h"
#include "sources/saying.h"

typedef struct sac_spoken {
    int *words; /* [count + 1], the start first; owned; NULL: nothing was said yet */
    int count;
    float *logits,
        *weights; /* [count + 1,V], [count,N]: of a decoder whose steps write weights; owned */
} sac_spoken;
void sac_spoken_free(sac_spoken *spoken); /* takes a zeroed one */

/* Says it of what was encoded last, in place of what was said before. */
sac_status sac_spoken_say(sac_spoken *spoken, const sac_decoder *decoder, void *self,
                          const sac_saying *how, sac_error *error);
/* What might have come at a step, as of sac_saying_source; the texts are the caller's. */
sac_status sac_spoken_candidates(const sac_spoken *spoken, const sac_decoder *decoder,
                                 const void *self, size_t step, const sac_saying *how,
                                 sac_might_come *candidates, int *count, int *kept,
                                 sac_error *error);

#endif
