/* UTF-8 by RFC 3629: checking, reading and writing of code points. */
#include <stdbool.h>
#include <stddef.h>

#include "base/text/utf8.h"

#include <string.h>

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

void sac_utf8_copy(char *to, size_t room, const char *text)
{
    size_t size = strlen(text);
    size = sac_utf8_valid_size(text, size < room ? size : room - 1);
    memcpy(to, text, size);
    to[size] = '\0';
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

/* ---------------------------------------------------------------- scripts */

sac_script sac_script_of(uint32_t code)
{
    static const struct {
        uint32_t first, last;
        sac_script script;
    } blocks[] = {
        {0x0e00, 0x0eff, SAC_SCRIPT_UNSPACED}, /* Thai, Lao */
        {0x1000, 0x109f, SAC_SCRIPT_UNSPACED}, /* Myanmar */
        {0x1780, 0x17ff, SAC_SCRIPT_UNSPACED}, /* Khmer */
        {0x1950, 0x19df, SAC_SCRIPT_UNSPACED}, /* Tai Le, New Tai Lue */
        {0x1a20, 0x1aaf, SAC_SCRIPT_UNSPACED}, /* Tai Tham */
        {0x3005, 0x3007, SAC_SCRIPT_UNSPACED}, /* marks of repetition, zero */
        {0x3041, 0x309f, SAC_SCRIPT_UNSPACED}, /* hiragana */
        {0x30a1, 0x30ff, SAC_SCRIPT_KATAKANA},
        {0x31f0, 0x31ff, SAC_SCRIPT_KATAKANA}, /* small ones */
        {0x3400, 0x4dbf, SAC_SCRIPT_UNSPACED}, /* Chinese characters */
        {0x4e00, 0x9fff, SAC_SCRIPT_UNSPACED},
        {0xa9e0, 0xa9ff, SAC_SCRIPT_UNSPACED},   /* Myanmar */
        {0xaa60, 0xaadf, SAC_SCRIPT_UNSPACED},   /* Myanmar, Tai Viet */
        {0xf900, 0xfaff, SAC_SCRIPT_UNSPACED},   /* Chinese characters */
        {0xff66, 0xff9f, SAC_SCRIPT_KATAKANA},   /* of half the width */
        {0x1aff0, 0x1b168, SAC_SCRIPT_KATAKANA}, /* kana, in part older ones */
        {0x20000, 0x3ffff, SAC_SCRIPT_UNSPACED}, /* Chinese characters */
    };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (code >= blocks[i].first && code <= blocks[i].last)
            return blocks[i].script;
    return SAC_SCRIPT_SPACED;
}

bool sac_script_needs_blank(const char *left, const char *right)
{
    uint32_t last = 0;
    while (*left)
        last = sac_utf8_next(&left);
    return sac_script_of(last) != SAC_SCRIPT_UNSPACED &&
           sac_script_of(sac_utf8_next(&right)) != SAC_SCRIPT_UNSPACED;
}

/* ---------------------------------------------------------------- accents */

/* The letter that a Latin-1 one with an accent is without it, 'é' to 'e'; 0: it has none. */
static char plain_letter(unsigned code)
{
    static const char letters[] = "aaaaaa\0ceeeeiiii\0nooooo\0\0uuuuy\0y"; /* U+00E0 … U+00FF */
    return code >= 0xe0 && code <= 0xff ? letters[code - 0xe0] : 0;
}

unsigned sac_latin_letter(const char *at)
{
    const unsigned char *c = (const unsigned char *)at;
    if (c[0] != 0xc3 || (c[1] & 0xc0) != 0x80)
        return 0;
    unsigned code = 0xc0 | (c[1] & 0x3f);
    if (code == 0xd7 || code == 0xf7) /* × and ÷ */
        return 0;
    return code <= 0xde ? code + 0x20 : code;
}

char *sac_accents_off(const char *word, char *plain, size_t size)
{
    size_t used = 0;
    for (; *word && used + 1 < size; word++) {
        char letter = plain_letter(sac_latin_letter(word));
        plain[used++] = letter ? letter : *word;
        word += letter != 0;
    }
    plain[used] = '\0';
    return plain;
}

/* ---------------------------------------------------------------- byte-level tokenizers */

enum { SHIFTED = 0x100 };

static bool prints_as_itself(uint32_t byte)
{
    return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) ||
           (byte >= 0xae && byte <= 0xff);
}

uint32_t sac_byte_character(uint8_t byte)
{
    if (prints_as_itself(byte))
        return byte;
    uint32_t code = SHIFTED;
    for (uint32_t before = 0; before < byte; before++)
        code += !prints_as_itself(before);
    return code;
}

int sac_character_byte(uint32_t code)
{
    if (code < SHIFTED)
        return prints_as_itself(code) ? (int)code : -1;
    uint32_t left = code - SHIFTED;
    for (int byte = 0; byte < SHIFTED; byte++)
        if (!prints_as_itself((uint32_t)byte) && left-- == 0)
            return byte;
    return -1;
}
