/* Does it matter where a word looked? The cells that hold most of its heat are hidden, and the word
 * is asked for again, after the same words; then as many cells elsewhere, at random. Attention is
 * no explanation by itself: here a person can see whether it is one. */
#ifndef SAC_SOURCES_CAUSAL_H
#define SAC_SOURCES_CAUSAL_H

#include "sources/caption.h"

#define SAC_CAUSAL_HEAT 0.9f /* the share of the heat that is hidden */
enum { SAC_CAUSAL_DRAWS = 4 };
enum { SAC_CAUSAL_SAME = -1, SAC_CAUSAL_END = -2 }; /* the same word; the sentence would end */

/* Speaks of the same picture as often as it is asked to: a source's `speak` and `self`. */
typedef struct sac_speaker {
    sac_status (*speak)(void *self, const sac_caption_request *request, sac_caption *caption,
                        sac_error *error);
    void *self;
} sac_speaker;

/* Marks the cells of the most heat in top[cells], which is zero, until they hold SAC_CAUSAL_HEAT of
 * it; returns how many: those that are hidden. */
int sac_causal_mark(const float *weights, int cells, uint8_t *top);

typedef struct sac_causal {
    int cells;          /* that are hidden at a time; 0: the word looks at none */
    float probability;  /* of the word as it was said */
    float hidden;       /* of the same word, with the cells hidden that it looked at most */
    int instead;        /* what would be said then, or one of those above */
    int draws, changed; /* how often other cells were hidden, and another word would be said */
    float elsewhere;    /* mean probability of the word then */
} sac_causal;

/* Asks of word `step` of a caption that was spoken by `request`. The draws depend on `seed`. There
 * are none where too few other cells are left. */
sac_status sac_causal_ask(const sac_speaker *speaker, const sac_caption_request *request,
                          const sac_caption *caption, int step, uint32_t seed, sac_causal *causal,
                          sac_error *error);

#endif
