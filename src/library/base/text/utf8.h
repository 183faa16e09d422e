/* UTF-8 by RFC 3629: checked, read and written. */
#ifndef SAC_BASE_TEXT_UTF8_H
#define SAC_BASE_TEXT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character that `size` bytes begin with, and its length: 1 to 4 bytes. A text that ends with NUL
 * needs no size: SIZE_MAX. Where no valid UTF-8 begins there: 1, and *code is UINT32_MAX. */
size_t sac_utf8_at(const char *text, size_t size, uint32_t *code);
/* True where all `size` bytes are well-formed UTF-8 (RFC 3629: nothing overlong, no surrogates). */
bool sac_utf8_valid(const char *text, size_t size);
/* The bytes before the first that is not well-formed; `size` where there is none. */
size_t sac_utf8_valid_size(const char *text, size_t size);
/* As much of the text as there is room for in to [room], of whole characters. */
void sac_utf8_copy(char *to, size_t room, const char *text);
/* Writes one code point as 1 to 4 bytes and returns how many; 0 where it is no character. */
size_t sac_utf8_encode(uint32_t code, char out[4]);
/* Reads one code point of a NUL-terminated text and moves *text past it; 0 at the end, where it
 * stays. A byte that begins no character is one by itself, U+FFFD. */
uint32_t sac_utf8_next(const char **text);
/* Characters of NUL-terminated UTF-8: columns of a terminal, but for what is wider there. */
size_t sac_utf8_length(const char *text);

/* How scripts set words apart. */
typedef enum sac_script {
    SAC_SCRIPT_SPACED,   /* blanks stand between words: Latin, Cyrillic, Arabic, Hangul … */
    SAC_SCRIPT_KATAKANA, /* words stand among other characters, a run of katakana is one */
    SAC_SCRIPT_UNSPACED /* none are set apart: Chinese characters, hiragana, Thai, Lao, Khmer … */
} sac_script;

/* Of a letter, by blocks of Unicode. */
sac_script sac_script_of(uint32_t code);

/* False where two words, of which `left` is before `right` in the order of the text, are written
 * without a blank between them. */
bool sac_script_needs_blank(const char *left, const char *right);

/* The letter of two bytes of UTF-8 at `at`, U+00C0 … U+00FF, as a small one; 0: there is none. */
unsigned sac_latin_letter(const char *at);
/* `word` into `plain`, cut at `size` with the end, with letters in place of those that have
 * accents: "économique" to "economique". Returns `plain`. */
char *sac_accents_off(const char *word, char *plain, size_t size);

/* Byte-level tokenizers (Radford et al. 2019, "Language Models are Unsupervised Multitask
 * Learners") write each byte of UTF-8 as a character: those that print as themselves, the others
 * from U+0100 on. */
uint32_t sac_byte_character(uint8_t byte);
/* The byte that a character stands for; −1: none. */
int sac_character_byte(uint32_t code);

#endif
