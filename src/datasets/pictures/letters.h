/* What a character is to the words of a text, in any script: captions and sentences are cut by it. */
#ifndef SAC_PICTURES_LETTERS_H
#define SAC_PICTURES_LETTERS_H

#include <stdbool.h>
#include <stdint.h>

bool sac_letter_is_apostrophe(uint32_t code);
/* Letters, the marks on them and numbers. */
bool sac_letter_is_of_word(uint32_t code);
/* True for what stands behind the apostrophe of an English ending, "man 's", and ends there. */
bool sac_letter_begins_ending(const char *text);
/* True where a letter goes on with the word of the letter before. Where no words are set apart,
 * each character as people see it is one, marks and all (grapheme clusters of UAX #29). */
bool sac_letter_continues_word(uint32_t before, uint32_t code);
/* Marks of direction, soft hyphens and the like, which are no part of a word and do not end it; a
 * blank without width does. */
bool sac_letter_is_invisible(uint32_t code);
/* Keep letters of one word from being joined, or join them, in Persian and scripts of India. */
bool sac_letter_is_joiner(uint32_t code);

#endif
