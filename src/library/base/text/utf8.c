/* UTF-8 by RFC 3629: checking, reading and writing of code points. */

#include "base/text/utf8.h"

/* By table 3-7 of the Unicode standard: nothing overlong, no surrogates, nothing above U+10FFFF. */
size_t sac_utf8_at(const char *text, size_t size, uint32_t *code)
{
    const uint8_t *c = (const uint8_t *)text;
    size_t length = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    uint8_t least = c[0] == 0xe0 ? 0xa0 : c[0] == 0xf0 ? 0x90 : 0x80;
    uint8_t most = c[0] == 0xed ? 0x9f : c[0] == 0xf4 ? 0x8f : 0xbf;
    *code = UINT32_MAX;
    if (length == 0 || length > size || c[0] > 0xf4)
        return 1;
    uint32_t value = length == 1 ? c[0] : c[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (c[i] < (i == 1 ? least : 0x80) || c[i] > (i == 1 ? most : 0xbf))
            return 1; /* also at the text's end, whose NUL continues nothing */
        value = value << 6 | (c[i] & 0x3f);
    }
    *code = value;
    return length;
}

size_t sac_utf8_valid_size(const char *text, size_t size)
{
    uint32_t code;
    for (size_t at = 0, length; at < size; at += length) {
        length = sac_utf8_at(text + at, size - at, &code);
        if (code == UINT32_MAX)
            return at;
    }
    return size;
}

bool sac_utf8_valid(const char *text, size_t size)
{
    return sac_utf8_valid_size(text, size) == size;
}

size_t sac_utf8_encode(uint32_t code, char out[4])
{
    static const uint8_t marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return 0;
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(marks[length] | code);
    return length;
}

uint32_t sac_utf8_next(const char **text)
{
    uint32_t code;
    size_t length = sac_utf8_at(*text, SIZE_MAX, &code);
    *text += code ? length : 0;
    return code == UINT32_MAX ? 0xfffd : code;
}

size_t sac_utf8_length(const char *text)
{
    size_t length = 0;
    for (; *text; text++)
        length += ((unsigned char)*text & 0xc0) != 0x80; /* other bytes begin no character */
    return length;
}
