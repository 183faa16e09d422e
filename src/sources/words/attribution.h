/* The kinds of map that a word has: its attention as it is, or what others make of it. */
#ifndef SAC_SOURCES_ATTRIBUTION_H
#define SAC_SOURCES_ATTRIBUTION_H

#include "saccade.h"

typedef enum sac_attribution {
    SAC_ATTRIBUTION_RAW = 0,    /* the word's row of attention */
    SAC_ATTRIBUTION_RELATIVE,   /* over the row that a neutral question gives */
    SAC_ATTRIBUTION_ENCODER,    /* carried on through the vision encoder's own attention */
    SAC_ATTRIBUTION_ACTIVATION, /* the logits that the picture's tokens give the word */
    SAC_ATTRIBUTION_RELEVANCE, /* attention times gradient: of layers that of the word's logit, back through them; of
                                   a captioner of cells what the next one has */
    SAC_ATTRIBUTION_GRADIENT, /* of the word's log probability with respect to each cell, times the cell, above 0 */
    SAC_ATTRIBUTION_CONTRAST, /* attention less the mean of all words', above 0 */
    SAC_ATTRIBUTIONS
} sac_attribution;

extern const char *const sac_attribution_names[SAC_ATTRIBUTIONS]; /* "raw", "relative", … */
/* "a word's row over that of a neutral question (mllms_know, arXiv 2502.17422)". */
const char *sac_attribution_phrase(sac_attribution attribution);

/* Of a set of them, bit 1 << attribution; that of SAC_ATTRIBUTION_RAW is not looked at. */
bool sac_attribution_is_known(unsigned known, sac_attribution attribution);
/* The next one of the set, or the one before, round and round. */
sac_attribution sac_attribution_turn(unsigned known, sac_attribution attribution, int step);
/* Number `index` of the set, and which number one has. */
sac_attribution sac_attribution_at(unsigned known, int index);
int sac_attribution_place(unsigned known, sac_attribution attribution);
/* SAC_E_ARGUMENT where `model` has no such map. */
sac_status sac_attribution_check(unsigned known, sac_attribution attribution, const char *model,
                                 sac_error *error);
/* SAC_E_ARGUMENT where there is none of that name. */
sac_status sac_attribution_find(const char *name, sac_attribution *attribution, sac_error *error);

#endif
