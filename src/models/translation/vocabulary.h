/* The words of both languages in the description of a model that translates. */
#ifndef SAC_TRANSLATION_VOCABULARY_H
#define SAC_TRANSLATION_VOCABULARY_H

#include "models/description.h"

/* "english" and "french". False: out of memory. */
bool sac_translation_add_vocabularies(cJSON *model);
/* Their sizes; they have to be those of this program. */
void sac_translation_read_vocabularies(sac_description *description, int *english, int *french);

#endif
