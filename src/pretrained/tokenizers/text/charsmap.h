/* SentencePiece's table of what characters become before a text is cut: a trie of the characters,
 * and the texts that stand in their place. */
#ifndef SAC_TOKENIZERS_TEXT_CHARSMAP_H
#define SAC_TOKENIZERS_TEXT_CHARSMAP_H

#include "saccade.h"
#include "tokenizers/text/text_buffer.h"

typedef struct sac_charsmap {
    uint32_t *units; /* [count] of a double array (Aoe 1989), as darts-clone writes it; owned */
    size_t count;
    char *texts; /* [size], each ends with NUL; owned */
    size_t size;
} sac_charsmap;

/* Reads `precompiled_charsmap`; nothing of it is trusted. SAC_E_FORMAT. Free it in any case. */
sac_status sac_charsmap_read(const uint8_t *data, size_t size, sac_charsmap *map, sac_error *error);
/* Appends a text with the longest match at each place replaced; an empty map replaces none. */
void sac_charsmap_apply(const sac_charsmap *map, const char *text, size_t size,
                        sac_text_buffer *out);
/* The same as `tokenizers` does it: a grapheme cluster of up to 5 bytes is replaced by its shortest
 * match, else each of its code points by itself. */
void sac_charsmap_apply_to_graphemes(const sac_charsmap *map, const char *text, size_t size,
                                     sac_text_buffer *out);
void sac_charsmap_free(sac_charsmap *map);

#endif
