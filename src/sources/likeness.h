/* How much a picture, and each of its patches, is like phrases that a person types: what a model
 * with a vision and a text encoder (CLIP, SigLIP) finds of both. */
#ifndef SAC_SOURCES_LIKENESS_H
#define SAC_SOURCES_LIKENESS_H

#include "arrays/labels.h"
#include "saccade.h"

enum { SAC_PHRASES = 8, SAC_PHRASE_SIZE = 256 };

/* Which states of the patches are compared, or what counted. Such a model was trained on whole pictures alone: what
 * its patches give has no meaning that was trained. */
typedef enum sac_likeness_way {
    SAC_LIKENESS_STATES = 0, /* as they leave the last layer: noisy, and of CLIP often inverted */
    SAC_LIKENESS_VALUES, /* each patch attends to itself alone in the last layer, so that it is its
                                 own value (MaskCLIP, Zhou et al. 2022) */
    SAC_LIKENESS_VALUE_VALUE, /* in the last layer the values are queries and keys too, so that patches
                                 attend to those that are like them (CLIP Surgery, Li et al. 2023, has
                                 that in more layers) */
    SAC_LIKENESS_RELEVANCE, /* nothing of them is compared: attention times the gradient of the logit of
                                 the whole picture and the phrase (Chefer et al. 2021), of words, too */
    SAC_LIKENESS_WAYS
} sac_likeness_way;
extern const char *const sac_likeness_way_names[SAC_LIKENESS_WAYS];

/* The tokens of a phrase and what counted of each for its likeness to the picture, with a sum of 1; but
 * those that frame it and fill it up. */
typedef struct sac_phrase_words {
    sac_labels labels;
    float *relevance; /* [labels.count]; owned */
} sac_phrase_words;

typedef struct sac_likeness {
    int count, grid_w, grid_h;
    char phrase[SAC_PHRASES][SAC_PHRASE_SIZE];
    float *patches; /* [count,grid_h,grid_w] cosine of a patch and a phrase, or what of a sum of 1
                       counted; owned */
    sac_phrase_words words[SAC_PHRASES]; /* of SAC_LIKENESS_RELEVANCE; else empty; owned */
    float whole[SAC_PHRASES];            /* cosine of the whole picture and a phrase, … */
    float logit[SAC_PHRASES];            /* … as the model scales it */
    float probability[SAC_PHRASES];      /* of each phrase among all, or … */
    bool each;                           /* … of each by itself (SigLIP) */
    double milliseconds;
} sac_likeness;
void sac_likeness_free(sac_likeness *likeness); /* takes a zeroed one */

typedef struct sac_likeness_source {
    /* Compares the picture with phrases, which stand in one text with "|" or new lines between them.
     * SAC_E_ARGUMENT where it has none, too many, or one that is too long. Free the result. NULL: the
     * model cannot. */
    sac_status (*compare)(void *self, const char *phrases, sac_likeness_way way,
                          sac_likeness *likeness, sac_error *error);
    char text[1024];      /* the phrases to begin with; empty: none are given … */
    sac_likeness_way way; /* … and the way */
} sac_likeness_source;

/* The phrases of such a text, without blanks around them. */
sac_status sac_phrases_read(const char *text, char phrase[SAC_PHRASES][SAC_PHRASE_SIZE], int *count,
                            sac_error *error);

#endif
