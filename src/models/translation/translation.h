/* The functions that all models that translate share, whatever they are made of: the classes whose
 * `read` takes words. They translate English into French (src/datasets/grammar), or were trained on a
 * person's own pairs of sentences in any two languages (src/datasets/pairs). */
#ifndef SAC_TRANSLATION_TRANSLATION_H
#define SAC_TRANSLATION_TRANSLATION_H

#include "grammar/words.h"
#include "models/description.h"
#include "models/model_class.h"
#include "pairs/pairs.h"

/* The languages of a model, which its class's `translating` lends. */
typedef struct sac_translating {
    sac_language_pair *languages;  /* of a person's pairs, held; NULL: those of the grammar */
    sac_word_list english, french; /* those */
    sac_pairs *pairs;              /* that it learns from, owned; NULL: none is open */
} sac_translating;
/* Holds the languages; NULL: the grammar's. */
sac_status sac_translating_open(sac_translating *translating, sac_language_pair *languages,
                                sac_error *error);
void sac_translating_close(sac_translating *translating); /* takes a zeroed one */
/* The text of a word of a side. */
const char *sac_translating_word(const sac_translating *translating, int side, int number);
/* How many words a side has, these languages' (NULL: the grammar's); 0: no memory. */
int sac_translation_word_count(const sac_language_pair *languages, int side);
/* The languages of a model; NULL: those of the grammar. */
const sac_language_pair *sac_translation_languages(const sac_model *model);

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
    /* In a person's own languages; NULL: in those of the grammar. */
    char **own;        /* [sentences]: what was typed, with its stop; owned */
    char *typed;       /* the words of the first, in the letters that were typed; owned */
    char unknown[160]; /* words of them that the model does not know, "hund, katze" */
} sac_source_text;

/* Takes UTF-8 text apart: capitals become small, accents are left out where the word is only known
 * without them, a full stop, exclamation or question mark ends a sentence as a full stop, all other
 * punctuation parts words and is left out. SAC_E_ARGUMENT: there is no word, or one that is not
 * known, which is named with the nearest known ones. Free with sac_source_text_free, which takes
 * zeroed ones. */
sac_status sac_source_text_read(const sac_word_list *words, const char *text, sac_source_text *read,
                                sac_error *error);
/* The same in a person's own languages: marks are words, a sentence ends behind . ! ? or such a mark of another
 * script, and gets the mark that most sentences end with where it has none. Words that are not known are
 * SAC_PAIR_UNKNOWN, and named. */
sac_status sac_language_pair_read(const sac_language_pair *languages, const char *text,
                                  sac_source_text *read, sac_error *error);
void sac_source_text_free(sac_source_text *text);

/* The words of both languages in the description of a model that translates. */

/* "english" and "french", or of a person's languages (not NULL) their names, words and what else they have.
 * False: out of memory. */
bool sac_translation_add_vocabularies(cJSON *model, const sac_language_pair *languages);
/* Reads them back: *languages NULL where they are the grammar's, which have to be those of this program;
 * else to be released. */
void sac_translation_read_vocabularies(sac_description *description, sac_language_pair **languages,
                                       int *source, int *target);
/* The languages of a weights' file, without opening its model; NULL: the grammar's. Release them. */
sac_status sac_language_pair_of_file(const char *path, sac_language_pair **languages,
                                     sac_error *error);

#endif
