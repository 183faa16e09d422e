/* A model of a folder that translates, and the sentence that it has read, as a trace that speaks:
 * the Translation view's. Its words are the tokenizer's pieces, "dog", "##s" for one that goes on
 * the word before it; their weights the mean of all heads and layers.
 *
 *     sac_family_translation_open(model, "The cat sees a dog.", &trace, error);
 *     trace.speak(trace.self, &(sac_caption_request){0}, &caption, error);
 *     char *text = sac_family_translation_text(&trace, &caption);
 */
#ifndef SAC_FAMILIES_TRANSLATOR_H
#define SAC_FAMILIES_TRANSLATOR_H

#include "families/families.h"

/* Keeps the model. SAC_E_ARGUMENT where it does not translate, or the text has no pieces or more
 * than SAC_SPOKEN_WORDS. */
sac_status sac_family_translation_open(sac_family_model *model, const char *text, sac_trace *trace,
                                       sac_error *error);
/* True for a trace that was opened so. */
bool sac_family_is_translation(const sac_trace *trace);
/* What was said of it, as its tokenizer joins the pieces: free() it; NULL: no memory. */
char *sac_family_translation_text(const sac_trace *trace, const sac_caption *said);

#endif
