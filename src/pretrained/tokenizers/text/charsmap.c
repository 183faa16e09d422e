/* A unit of the double array has an offset to its children, the byte that leads to it, and whether
 * a text ends there: then the child of byte 0 holds the text's place. */
#include "tokenizers/text/charsmap.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/error.h"
#include "tokenizers/text/unicode.h"

static uint32_t read_little_endian(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static sac_status allocate(sac_charsmap *m, size_t units, size_t size, sac_error *error)
{
    m->units = malloc((units + 1) * sizeof *m->units);
    m->texts = malloc(size);
    if (!m->units || !m->texts)
        return sac_no_memory(error, "normalizer");
    m->count = units;
    m->size = size;
    return SAC_OK;
}

sac_status sac_charsmap_read(const uint8_t *data, size_t size, sac_charsmap *m, sac_error *error)
{
    *m = (sac_charsmap){0};
    size_t trie = size > 4 ? read_little_endian(data) : 0;
    bool whole = size > 4 && trie % 4 == 0 && trie < size - 4 && data[size - 1] == '\0';
    if (!whole)
        return sac_fail(error, SAC_E_FORMAT, "normalizer", NULL, "its table is damaged");
    sac_status status = allocate(m, trie / 4, size - 4 - trie, error);
    if (status != SAC_OK)
        return status;
    for (size_t i = 0; i < m->count; i++)
        m->units[i] = read_little_endian(data + 4 + 4 * i);
    memcpy(m->texts, data + 4 + trie, m->size);
    return SAC_OK;
}

void sac_charsmap_free(sac_charsmap *m)
{
    free(m->units);
    free(m->texts);
    *m = (sac_charsmap){0};
}

/* ---------------------------------------------------------------- the trie */

static size_t offset_of(uint32_t unit)
{
    return (size_t)(unit >> 10) << ((unit & 1u << 9) >> 6);
}

static bool ends_text(uint32_t unit)
{
    return unit >> 8 & 1;
}

/* The text for the longest beginning of `text` that is in the trie, or the shortest, and the bytes
 * that it stands for; NULL: none is. */
static const char *find(const sac_charsmap *m, const char *text, size_t size, bool shortest,
                        size_t *taken)
{
    const char *found = NULL;
    size_t node = m->count ? offset_of(m->units[0]) : 0;
    for (size_t i = 0; i < size && !(found && shortest); i++) {
        uint8_t byte = (uint8_t)text[i];
        node ^= byte;
        if (node >= m->count || (m->units[node] & (1u << 31 | 0xff)) != byte)
            break;
        uint32_t unit = m->units[node];
        node ^= offset_of(unit);
        size_t place = node < m->count ? m->units[node] & ~(1u << 31) : m->size;
        if (ends_text(unit) && place < m->size) {
            found = m->texts + place;
            *taken = i + 1;
        }
    }
    return found;
}

void sac_charsmap_apply(const sac_charsmap *m, const char *text, size_t size, sac_text_buffer *out)
{
    for (size_t at = 0; at < size;) {
        size_t taken = 0, next = at;
        const char *found = find(m, text + at, size - at, false, &taken);
        sac_unicode_next(text, size, &next);
        if (found)
            sac_text_append(out, found, strlen(found));
        else
            sac_text_append(out, text + at, next - at);
        at = found ? at + taken : next;
    }
}

/* The end of the grapheme cluster at `at`. */
static size_t grapheme_end(const char *text, size_t size, size_t at)
{
    utf8proc_int32_t state = 0;
    utf8proc_int32_t before = (utf8proc_int32_t)sac_unicode_next(text, size, &at);
    for (size_t next = at; at < size; at = next) {
        utf8proc_int32_t code = (utf8proc_int32_t)sac_unicode_next(text, size, &next);
        if (utf8proc_grapheme_break_stateful(before, code, &state))
            break;
        before = code;
    }
    return at;
}

static bool replace(const sac_charsmap *m, const char *text, size_t size, sac_text_buffer *out)
{
    size_t taken;
    const char *found = find(m, text, size, true, &taken);
    if (found)
        sac_text_append(out, found, strlen(found));
    return found != NULL;
}

void sac_charsmap_apply_to_graphemes(const sac_charsmap *m, const char *text, size_t size,
                                     sac_text_buffer *out)
{
    enum { WHOLE = 5 };
    for (size_t at = 0; at < size;) {
        size_t end = grapheme_end(text, size, at);
        if (end - at <= WHOLE && replace(m, text + at, end - at, out))
            at = end;
        for (size_t next = at; at < end; at = next) {
            sac_unicode_next(text, size, &next);
            if (!replace(m, text + at, next - at, out))
                sac_text_append(out, text + at, next - at);
        }
    }
}
