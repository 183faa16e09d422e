/* Texts and lists that grow by doubling. */
#include "tokenizers/text/text_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/utf8.h"

void *sac_list_grow(void *list, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return list;
    size_t wanted = *capacity ? *capacity * 2 : 16;
    void *grown = wanted > SIZE_MAX / size ? NULL : realloc(list, wanted * size);
    if (grown)
        *capacity = wanted;
    return grown;
}

void sac_text_fail(sac_text_buffer *text, const char *why)
{
    text->failed = true;
    text->why = why;
}

void sac_text_append(sac_text_buffer *text, const char *bytes, size_t size)
{
    if (text->failed)
        return;
    if (text->most && size > text->most - text->size) {
        sac_text_fail(text, SAC_TOO_LARGE);
        return;
    }
    if (size >= text->capacity - text->size) {
        size_t wanted = 2 * text->capacity + size + 64;
        char *grown = wanted < size ? NULL : realloc(text->bytes, wanted);
        text->failed = !grown;
        if (!grown)
            return;
        text->bytes = grown;
        text->capacity = wanted;
    }
    if (size)
        memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
}

void sac_text_append_code(sac_text_buffer *text, uint32_t code)
{
    char bytes[4];
    sac_text_append(text, bytes, sac_utf8_encode(code, bytes));
}

void sac_text_clear(sac_text_buffer *text)
{
    text->size = 0;
    if (text->bytes)
        text->bytes[0] = '\0';
}

void sac_text_free(sac_text_buffer *text)
{
    free(text->bytes);
    *text = (sac_text_buffer){0};
}
