/* Phrases that a person types, and how a model with a vision and a text encoder (CLIP, SigLIP)
 * compares a picture and each of its patches with them. */
#ifndef SAC_SOURCES_PHRASES_H
#define SAC_SOURCES_PHRASES_H

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

/* Used where none are given. */
#define SAC_FIRST_PHRASES "a photo of a dog | a photo of a cat | a photo of a person"

/* The same of a model that compares a query with pages. */
#define SAC_FIRST_QUERY "how many in each year"

/* The phrases of a text with "|" or new lines between them, without blanks around them. SAC_E_ARGUMENT
 * where it has none, too many, or one that is too long. */
sac_status sac_phrases_read(const char *text, char phrase[SAC_PHRASES][SAC_PHRASE_SIZE], int *count,
                            sac_error *error);

#endif
