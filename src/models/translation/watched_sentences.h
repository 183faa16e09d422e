/* Sentences that a translator is watched on while it trains. */
#ifndef SAC_TRANSLATION_WATCHED_SENTENCES_H
#define SAC_TRANSLATION_WATCHED_SENTENCES_H

#include "models/model_class.h"

/* That of the figure first, then of the test stream; those that are shown are short. */
sac_status sac_watched_sentences(sac_watched *watched, sac_error *error);

#endif
