/* Which characters make up a word. */
#include "pictures/letters.h"

#include <utf8proc.h>

#include <string.h>

#include "base/text/utf8.h"

bool sac_letter_is_apostrophe(uint32_t code)
{
    return code == '\'' || code == 0x2019;
}

bool sac_letter_is_of_word(uint32_t code)
{
    utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)code);
    return c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_NO;
}

bool sac_letter_begins_ending(const char *text)
{
    static const char *const endings[] = {"s", "m", "d", "t", "re", "ll", "ve"};
    char letters[3] = "";
    size_t size = 0;
    for (; size < 2 && (text[size] | 0x20) >= 'a' && (text[size] | 0x20) <= 'z'; size++)
        letters[size] = (char)(text[size] | 0x20);
    const char *next = text + size;
    uint32_t code = sac_utf8_next(&next);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (strcmp(letters, endings[i]) == 0)
            return !sac_letter_is_of_word(code) && !sac_letter_is_apostrophe(code);
    return false;
}

bool sac_letter_continues_word(uint32_t before, uint32_t code)
{
    sac_script script = sac_script_of(code);
    utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)code);
    if (c >= UTF8PROC_CATEGORY_MN && c <= UTF8PROC_CATEGORY_ME)
        return true;
    return sac_script_of(before) == script &&
           (script != SAC_SCRIPT_UNSPACED ||
            !utf8proc_grapheme_break((utf8proc_int32_t)before, (utf8proc_int32_t)code));
}

bool sac_letter_is_invisible(uint32_t code)
{
    return utf8proc_category((utf8proc_int32_t)code) == UTF8PROC_CATEGORY_CF && code != 0x200b;
}

bool sac_letter_is_joiner(uint32_t code)
{
    return code == 0x200c || code == 0x200d;
}
