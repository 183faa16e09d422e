/* UTF-8 by RFC 3629: checking, reading and writing of code points. */

#include "arrays/utf8.h"

#include <string.h>

static bool is_character(uint32_t code)
{
    return code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
}

/* The number of bytes of the character that begins with this byte; 0 where none does. */
static size_t length_from(uint8_t first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first < 0xe0)
        return 2;
    if (first >= 0xe0 && first < 0xf0)
        return 3;
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

static uint32_t decode(const uint8_t *bytes, size_t length)
{
    static const uint8_t first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = bytes[0] & first_bits[length];
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (bytes[i] & 0x3f);
    return code;
}

/* The bytes of the character that `size` bytes begin with; 0 where they begin with none. */
static size_t character_size(const uint8_t *bytes, size_t size)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = length_from(bytes[0]);
    if (length == 0 || length > size)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    uint32_t code = decode(bytes, length);
    return code < smallest[length] || !is_character(code) ? 0 : length;
}

size_t sac_utf8_valid_size(const char *text, size_t size)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t at = 0;
    for (size_t length = 1; at < size && length; at += length)
        length = bytes[at] < 0x80 ? 1 : character_size(bytes + at, size - at);
    return at;
}

bool sac_utf8_valid(const char *text, size_t size)
{
    return sac_utf8_valid_size(text, size) == size;
}

size_t sac_utf8_encode(uint32_t code, char out[4])
{
    static const uint8_t marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (!is_character(code))
        return 0;
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(marks[length] | code);
    return length;
}

uint32_t sac_utf8_next(const char **text)
{
    const uint8_t *bytes = (const uint8_t *)*text;
    if (!bytes[0])
        return 0;
    size_t length = character_size(bytes, strnlen(*text, 4));
    *text += length ? length : 1;
    return length ? decode(bytes, length) : 0xfffd;
}

size_t sac_utf8_length(const char *text)
{
    size_t length = 0;
    for (; *text; text++)
        length += ((unsigned char)*text & 0xc0) != 0x80; /* other bytes begin no character */
    return length;
}
