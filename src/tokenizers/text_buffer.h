/* A text that grows. Once there was no memory the calls that follow do nothing, and `failed` tells.
 */
#ifndef SAC_TOKENIZERS_TEXT_BUFFER_H
#define SAC_TOKENIZERS_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sac_text_buffer {
    char *bytes; /* NUL-terminated where not NULL */
    size_t size, capacity;
    bool failed;
} sac_text_buffer;

void sac_text_append(sac_text_buffer *text, const char *bytes, size_t size);
/* One code point as UTF-8. */
void sac_text_append_code(sac_text_buffer *text, uint32_t code);
/* Empties it and keeps its memory. */
void sac_text_clear(sac_text_buffer *text);
void sac_text_free(sac_text_buffer *text);

/* Room for one more element of `size` bytes; NULL: no memory, and `list` stays as it was. */
void *sac_list_grow(void *list, size_t count, size_t *capacity, size_t size);

#endif
