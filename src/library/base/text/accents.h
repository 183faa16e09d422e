/* Letters with accents: capitals, and what people type who have no such keys. */
#ifndef SAC_BASE_TEXT_ACCENTS_H
#define SAC_BASE_TEXT_ACCENTS_H

#include <stddef.h>

/* The letter of two bytes of UTF-8 at `at`, U+00C0 … U+00FF, as a small one; 0: there is none. */
unsigned sac_latin_letter(const char *at);
/* `word` into `plain`, cut at `size` with the end, with letters in place of those that have
 * accents: "économique" to "economique". Returns `plain`. */
char *sac_accents_off(const char *word, char *plain, size_t size);

#endif
