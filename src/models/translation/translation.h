/* The functions that all models that translate share, whatever they are made of: the classes whose
 * `read` takes English words (src/datasets/grammar) and whose speech is French. */
#ifndef SAC_TRANSLATION_TRANSLATION_H
#define SAC_TRANSLATION_TRANSLATION_H

#include "grammar/words.h"
#include "models/description.h"
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

/* English as a person types it, in the words of the vocabulary. */

/* Numbers of words, sentence by sentence. */
typedef struct sac_source_text {
    int *words; /* [count], owned */
    int count;
    int *ends; /* [sentences]: one past the last word of each; owned */
    int sentences;
} sac_source_text;

/* Takes UTF-8 text apart: capitals become small, accents are left out where the word is only known
 * without them, a full stop, exclamation or question mark ends a sentence as a full stop, all other
 * punctuation parts words and is left out. SAC_E_ARGUMENT: there is no word, or one that is not
 * known, which is named with the nearest known ones. Free with sac_source_text_free, which takes
 * zeroed ones. */
sac_status sac_source_text_read(const sac_word_list *words, const char *text, sac_source_text *read,
                                sac_error *error);
void sac_source_text_free(sac_source_text *text);

/* The words of both languages in the description of a model that translates. */

/* "english" and "french". False: out of memory. */
bool sac_translation_add_vocabularies(cJSON *model);
/* Their sizes; they have to be those of this program. */
void sac_translation_read_vocabularies(sac_description *description, int *english, int *french);

#endif
