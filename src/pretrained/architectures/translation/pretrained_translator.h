/* A model of a folder that translates, and the sentence that it has read, as a source that speaks:
 * the Translation view's. Its words are the tokenizer's pieces, "dog", "##s" for one that goes on
 * the word before it; their weights the mean of all heads and layers.
 *
 *     sac_pretrained_translation_open(model, "The cat sees a dog.", &source, error);
 *     source.speak(source.self, &(sac_caption_request){0}, &caption, error);
 *     char *text = source.speaker.join(source.self, &caption);
 */
#ifndef SAC_ARCHITECTURES_TRANSLATION_PRETRAINED_TRANSLATOR_H
#define SAC_ARCHITECTURES_TRANSLATION_PRETRAINED_TRANSLATOR_H

#include "architectures/architectures.h"

/* Keeps the model. SAC_E_ARGUMENT where it does not translate, or the text has no pieces or more
 * than SAC_MAX_TOKENS. */
sac_status sac_pretrained_translation_open(sac_pretrained_model *model, const char *text,
                                           sac_source *source, sac_error *error);

#endif
