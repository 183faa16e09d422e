/* What scenes describe: the grammar, and the combinations held out of training. */
#ifndef SAC_BOOK_STORY_GRAMMAR_H
#define SAC_BOOK_STORY_GRAMMAR_H

#include "base/random/rng.h"
#include "book/scene.h"

/* Draws the content of a scene: all the grammar's choices except places. */
void sac_tale_pick(sac_rng *rng, sac_tale *tale);
/* Gives a random colour to everything whose colour is mentioned, except clouds, so that a model
 * cannot infer the thing from its colour. */
void sac_tale_recolour(sac_rng *rng, sac_tale *tale);
/* Makes SAC_UNMENTIONED of three in five of the same colours, and bodies without a name, of any colour,
 * of some other groups; gives odd details to half of them. */
void sac_tale_unmention(sac_rng *rng, sac_tale *tale);
/* True for what sac_tale_pick, or that with other colours, draws at times. */
bool sac_tale_is_possible(const sac_tale *tale);
/* True where noun and colour, noun and verb, or noun and spot are a pair that is held back. */
bool sac_tale_has_unseen_pair(const sac_tale *tale);

/* What a word refers to. */
typedef enum sac_referent {
    SAC_OF_NOTHING = 0,
    SAC_OF_GROUP, /* this one and the next two: the things of a group */
    SAC_OF_TAIL = SAC_OF_GROUP + 2,
    SAC_OF_DEED, /* who and to whom */
    SAC_OF_ROOF,
    SAC_OF_SPOT,
    SAC_OF_HOUR,
    SAC_OF_WEATHER
} sac_referent;

/* The sentence: words with the end into word, their referents into of [SAC_BOOK_WORDS]; returns
 * their number, or more than SAC_BOOK_WORDS for one that is too long. */
int sac_tale_caption(const sac_tale *tale, int *word, sac_referent *of);

#endif
