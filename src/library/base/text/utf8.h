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
/* Writes one code point as 1 to 4 bytes and returns how many; 0 where it is no character. */
size_t sac_utf8_encode(uint32_t code, char out[4]);
/* Reads one code point of a NUL-terminated text and moves *text past it; 0 at the end, where it
 * stays. A byte that begins no character is one by itself, U+FFFD. */
uint32_t sac_utf8_next(const char **text);
/* Characters of NUL-terminated UTF-8: columns of a terminal, but for what is wider there. */
size_t sac_utf8_length(const char *text);

#endif
