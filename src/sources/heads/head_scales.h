/* Heads that are switched off, or scaled: what each gives, before the heads of its layer are joined,
 * is multiplied by a number. And what the model makes of its input then, beside what it makes of it
 * with all heads. */
#ifndef SAC_SOURCES_HEAD_SCALES_H
#define SAC_SOURCES_HEAD_SCALES_H

#include "saccade.h"
#include "sources/generation.h"

#define SAC_EFFECT_NEXT 8

/* Zeroed: nothing is known. */
typedef struct sac_heads_effect {
    sac_candidate next[SAC_EFFECT_NEXT]; /* the most probable of either, by the larger of both */
    int next_count;                      /* 0: the model predicts no next token */
    char *before, *now; /* the generated text; NULL: nothing, or all heads are on; owned */
    float change;       /* |x' − x| / |x| of what leaves the last layer … */
    float *changes;     /* … and of each token of it [count]; NULL: all heads are on; owned */
    size_t count;
} sac_heads_effect;
void sac_heads_effect_free(sac_heads_effect *effect); /* takes zeroed ones, and leaves one */

/* Reads "3.2,5.0=0.5", LAYER.HEAD and by what it is scaled, 0 where that is left out, into `scale`
 * [layers,heads]; all others, and all of an empty text, are 1. SAC_E_ARGUMENT, and nothing is
 * written, where it is something else, or names what is not there. */
sac_status sac_head_scales_read(const char *text, size_t layers, size_t heads, float *scale,
                                sac_error *error);
/* The same text for scales; empty where each is 1. Free it; NULL: no memory. */
char *sac_head_scales_text(const float *scale, size_t layers, size_t heads);
/* True where every scale is 1. */
bool sac_head_scales_are_all_one(const float *scale, size_t count);

#endif
