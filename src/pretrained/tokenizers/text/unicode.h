/* Character classes for tokenizers, by the Unicode tables of utf8proc. */
#ifndef SAC_TOKENIZERS_TEXT_UNICODE_H
#define SAC_TOKENIZERS_TEXT_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAC_NO_CHARACTER 0xfffdu /* stands for bytes that are no UTF-8 */
#define SAC_WORD_MARK 0x2581u    /* ▁, a space in tokens of SentencePiece */

/* The code point at text[*at], of `size` bytes; moves *at past it. Bytes that begin none are taken
 * one at a time, as SAC_NO_CHARACTER. */
uint32_t sac_unicode_next(const char *text, size_t size, size_t *at);

/* The text with small letters into `to`, which has room for twice its size; returns how many bytes those are. */
size_t sac_unicode_lower(const char *text, size_t size, char *to);

/* The bytes of blanks that a text of `size` bytes ends with, and those that it begins with. */
size_t sac_trailing_blanks(const char *text, size_t size);
size_t sac_leading_blanks(const char *text, size_t size);

bool sac_is_space(uint32_t code);     /* \s: White_Space */
bool sac_is_mark(uint32_t code);      /* \p{Mn}: an accent that takes no room */
bool sac_is_any_mark(uint32_t code);  /* \p{M} */
bool sac_is_unshown(uint32_t code);   /* control, format, private; none that is unassigned */
bool sac_is_word(uint32_t code);      /* \w: letter, mark, digit, connector */
bool sac_is_ideograph(uint32_t code); /* of the CJK blocks that BERT's tokenizer sets apart */

#endif
