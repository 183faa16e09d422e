/* The words of captions, and the vocabulary built from them. */
#ifndef SAC_PICTURES_WORDS_H
#define SAC_PICTURES_WORDS_H

#include "pictures/text_table.h"
#include "saccade.h"

struct cJSON;

/* A caption as words: lower case, no punctuation, a space between two words. Letters, marks on them
 * and digits of any script are kept, and apostrophes inside of a word or at the beginning of an
 * ending ("don't", "'s"). Every other character ends a word, but for marks of direction and others
 * that are not seen; they are left out. In scripts that set no words apart, such as Chinese, each
 * character is a word (base/text/script.h). Letters keep their order, that of speech, whatever the
 * direction of the script. free() it; NULL: no memory. The text is empty where the caption has no
 * word. */
char *sac_caption_plain(const char *caption);
/* The first word of such a text at or after `plain`, and its bytes; NULL: there are no more. The
 * next call begins at the word's end. */
const char *sac_caption_next_word(const char *plain, size_t *size);

enum {
    SAC_VOCABULARY_PAD = 0, /* fills what follows the end */
    SAC_VOCABULARY_START,   /* stands before the first word */
    SAC_VOCABULARY_END,
    SAC_VOCABULARY_UNKNOWN,   /* a word that is not among these */
    SAC_VOCABULARY_MARKS,     /* the first word */
    SAC_VOCABULARY_BYTES = 24 /* of a word with its end, at most: longer ones are unknown */
};

/* Words by their numbers: "<pad>", "<start>", "<end>" and "<unknown>", then words from the most
 * frequent down, those that are as frequent in the order of their bytes. */
typedef sac_text_table sac_caption_vocabulary;

/* The marks, and the words as they are given. SAC_E_FORMAT for a word that stands there twice, is
 * empty, or is not as sac_caption_plain makes it; SAC_E_MEMORY. Free it in any case. */
sac_status sac_caption_vocabulary_create(const char *const *words, int count,
                                         sac_caption_vocabulary *vocabulary, sac_error *error);
void sac_caption_vocabulary_free(sac_caption_vocabulary *vocabulary);

/* The number of a word of `size` bytes; SAC_VOCABULARY_UNKNOWN where it has none. */
int sac_caption_vocabulary_find(const sac_caption_vocabulary *vocabulary, const char *word,
                                size_t size);
/* "" where there is none. */
const char *sac_caption_vocabulary_word(const sac_caption_vocabulary *vocabulary, int number);

/* The words without the marks as a list of strings, for a checkpoint; cJSON_Delete() it. NULL: no
 * memory. */
struct cJSON *sac_caption_vocabulary_json(const sac_caption_vocabulary *vocabulary);
/* Reads it back. SAC_E_FORMAT where it is something else. Free it in any case. */
sac_status sac_caption_vocabulary_read(const struct cJSON *json, sac_caption_vocabulary *vocabulary,
                                       sac_error *error);

/* The numbers of the words of a plain caption, at most `most`, without start and end; how many. */
int sac_caption_vocabulary_numbers(const sac_caption_vocabulary *vocabulary, const char *plain,
                                   int *numbers, int most);

/* True where it has both words of a pair that a mirrored picture exchanges. */
bool sac_caption_names_sides(const sac_caption_vocabulary *vocabulary);
/* The caption of the picture mirrored: "left" and "right", "leftmost" and "rightmost" … change
 * places. False, and nothing written, where the vocabulary has only one word of a pair that the
 * caption needs: then the picture is not to be mirrored. `mirrored` may be `numbers`. */
bool sac_caption_mirror(const sac_caption_vocabulary *vocabulary, const int *numbers, int count,
                        int *mirrored);

#endif
