/* English as a person types it, in the words of the vocabulary. */
#ifndef SAC_TRANSLATION_TEXT_H
#define SAC_TRANSLATION_TEXT_H

#include "grammar/words.h"

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

#endif
