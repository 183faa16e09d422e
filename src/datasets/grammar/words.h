/* The words of either side of a sentence, each with a number. The numbers follow the tables of the
 * lexicon and are part of the trained weights' format: after a change of the lexicon a model must
 * be trained again. */
#ifndef SAC_GRAMMAR_WORDS_H
#define SAC_GRAMMAR_WORDS_H

#include <stddef.h>

#include "saccade.h"

typedef enum sac_language { SAC_ENGLISH = 0, SAC_FRENCH, SAC_LANGUAGES } sac_language;

/* Numbers that stand for no word. */
enum { SAC_TOKEN_PAD = 0, SAC_TOKEN_START, SAC_TOKEN_END, SAC_TOKENS_SPECIAL };

/* All words of a language; words[SAC_TOKEN_PAD] is "<pad>", then "<start>" and "<end>". */
typedef struct sac_word_list {
    char (*words)[24];
    size_t count, capacity;
} sac_word_list;

/* SAC_E_MEMORY. Release with sac_word_list_free, which takes a zeroed one too. */
sac_status sac_word_list_create(sac_language language, sac_word_list *list, sac_error *error);
void sac_word_list_free(sac_word_list *list);
/* −1 where the list has no such word. */
int sac_word_list_find(const sac_word_list *list, const char *word);

#endif
