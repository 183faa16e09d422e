/* A growing text buffer. After a failure (out of memory, or too large) all calls do nothing and
 * `failed` is set. */
#ifndef SAC_TOKENIZERS_TEXT_TEXT_BUFFER_H
#define SAC_TOKENIZERS_TEXT_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sac_text_buffer {
    char *bytes; /* NUL-terminated where not NULL */
    size_t size, capacity;
    size_t most; /* bytes; 0: no limit */
    /* What patterns may still take to make it (pattern.h), lent; NULL: as much as one text may. */
    size_t *steps;
    bool failed;
    const char *why; /* of a failure other than out of memory; else NULL */
} sac_text_buffer;

void sac_text_append(sac_text_buffer *text, const char *bytes, size_t size);
/* One code point as UTF-8. */
void sac_text_append_code(sac_text_buffer *text, uint32_t code);
/* Marks it as failed for a reason other than memory, which may be given as a text. */
void sac_text_fail(sac_text_buffer *text, const char *why);
#define SAC_TOO_LARGE "its tokenizer makes more than 16 times its size of it"
#define SAC_TOO_MANY_STEPS "a regular expression of its tokenizer takes too many steps"
/* Empties it and keeps its memory. */
void sac_text_clear(sac_text_buffer *text);
void sac_text_free(sac_text_buffer *text);

/* Room for one more element of `size` bytes; NULL: out of memory, and `list` stays as it was. */
void *sac_list_grow(void *list, size_t count, size_t *capacity, size_t size);

#endif
