/* Classes of characters. */
#include "tokenizers/text/unicode.h"

#include <utf8proc.h>

#include "base/text/utf8.h"

uint32_t sac_unicode_next(const char *text, size_t size, size_t *at)
{
    utf8proc_int32_t code;
    utf8proc_ssize_t length = utf8proc_iterate((const utf8proc_uint8_t *)text + *at,
                                               (utf8proc_ssize_t)(size - *at), &code);
    *at += length > 0 ? (size_t)length : 1;
    return length > 0 ? (uint32_t)code : SAC_NO_CHARACTER;
}

static utf8proc_category_t category(uint32_t code)
{
    return utf8proc_category((utf8proc_int32_t)code);
}

bool sac_is_space(uint32_t code)
{
    utf8proc_category_t c = category(code);
    return (code >= '\t' && code <= '\r') || code == 0x85 ||
           (c >= UTF8PROC_CATEGORY_ZS && c <= UTF8PROC_CATEGORY_ZP);
}

bool sac_is_mark(uint32_t code)
{
    return category(code) == UTF8PROC_CATEGORY_MN;
}

bool sac_is_any_mark(uint32_t code)
{
    utf8proc_category_t c = category(code);
    return c >= UTF8PROC_CATEGORY_MN && c <= UTF8PROC_CATEGORY_ME;
}

bool sac_is_word(uint32_t code)
{
    utf8proc_category_t c = category(code);
    return (c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_NL) || c == UTF8PROC_CATEGORY_PC;
}

/* As in `tokenizers`: with those of Unicode 8. */
bool sac_is_unshown(uint32_t code)
{
    utf8proc_category_t c = category(code);
    bool is_later = code == 0x890 || code == 0x891 || code == 0x8e2 || code == 0x110cd ||
                    (code >= 0x13430 && code <= 0x1343f);
    return c >= UTF8PROC_CATEGORY_CC && !is_later;
}

bool sac_is_ideograph(uint32_t code)
{
    static const uint32_t blocks[][2] = {{0x4e00, 0x9fff},   {0x3400, 0x4dbf},   {0x20000, 0x2a6df},
                                         {0x2a700, 0x2b73f}, {0x2b740, 0x2b81f}, {0x2b920, 0x2ceaf},
                                         {0xf900, 0xfaff},   {0x2f800, 0x2fa1f}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (code >= blocks[i][0] && code <= blocks[i][1])
            return true;
    return false;
}

size_t sac_trailing_blanks(const char *text, size_t size)
{
    size_t end = size;
    for (size_t at = 0; at < size;) {
        size_t begin = at;
        if (!sac_is_space(sac_unicode_next(text, size, &at)))
            end = at;
        else if (begin == 0)
            end = 0;
    }
    return size - end;
}

size_t sac_leading_blanks(const char *text, size_t size)
{
    for (size_t at = 0, begin = 0;; begin = at)
        if (at >= size || !sac_is_space(sac_unicode_next(text, size, &at)))
            return begin;
}

size_t sac_unicode_lower(const char *text, size_t size, char *to)
{
    size_t used = 0;
    for (size_t at = 0; at < size;)
        used += (size_t)utf8proc_encode_char(
            utf8proc_tolower((utf8proc_int32_t)sac_unicode_next(text, size, &at)),
            (utf8proc_uint8_t *)to + used);
    return used;
}
