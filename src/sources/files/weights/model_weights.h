/* The attention of a model's layers and heads as weights, as if a file held them. */
#ifndef SAC_SOURCES_FILES_WEIGHTS_MODEL_WEIGHTS_H
#define SAC_SOURCES_FILES_WEIGHTS_MODEL_WEIGHTS_H

#include "sources/attentions.h"
#include "sources/source.h"

/* A source of the kind called `take` (NULL or "": "cross", words that attend to another sentence or
 * to a picture, which is the source's then); all kinds that there are are its readings. Takes what `attentions` owns, also where it fails.
 * SAC_E_ARGUMENT: there is no such kind. Free with sac_source_destroy. */
sac_status sac_model_weights_open(sac_attentions *attentions, const char *take, sac_source *source,
                                  sac_error *error);
/* Allows heads of the kind that is open to be scaled, where `generator`, which gave all of them as it
 * generated `caption`, can scale them: the weights are those of the same words, and the effect has what
 * it generates then. Lends the generator; takes what `caption` owns. */
void sac_model_weights_let_scale(sac_source *weights, sac_source *generator, sac_result *caption);

#endif
