/* The functions that all models that translate share, whatever they are made of: the classes whose
 * `read` takes English words (src/datasets/grammar) and whose speech is French. */
#ifndef SAC_TRANSLATION_TRANSLATION_H
#define SAC_TRANSLATION_TRANSLATION_H

#include "models/model_class.h"

/* Words of a sentence that is translated, and of its translation, at most. */
enum { SAC_TRANSLATION_SOURCE = 40, SAC_TRANSLATION_WORDS = 40 };

/* Reads a sentence, words as numbers of sac_word_list: what sac_translation_generate then
 * translates. SAC_E_ARGUMENT: none, or too many. */
sac_status sac_translation_read(sac_model *model, const int *words, int count, sac_error *error);
/* Translates what was read: a caption over its words, whose weights are all 0 where the model
 * attends to nothing. `request->model` is not used here. */
sac_status sac_translation_generate(sac_model *model, const sac_result_request *request,
                                    sac_result *caption, sac_error *error);
/* The weights of each layer and head, where the model generates `caption` from its last input.
 * SAC_E_ARGUMENT: it has none. */
sac_status sac_translation_attentions(sac_model *model, const sac_result *caption,
                                      sac_attentions *attentions, sac_error *error);
/* True where the words that the model generates have weights. */
bool sac_translation_attends(const sac_model *model);

#endif
