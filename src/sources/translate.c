#include "sources/translate.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const char *const sac_locale_names[SAC_LOCALES] = {"en", "zh"};

bool sac_locale_from_name(const char *name, sac_locale *language)
{
    for (int i = 0; i < SAC_LOCALES; i++)
        if (strcmp(sac_locale_names[i], name) == 0) {
            *language = (sac_locale)i;
            return true;
        }
    return false;
}

sac_locale sac_locale_of_environment(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    const char *value = NULL;
    for (int i = 0; i < 3 && !(value && value[0]); i++)
        value = getenv(variables[i]);
    /* "zh_CN.UTF-8": the language ends before the country, the encoding or the variant. */
    size_t length = value ? strcspn(value, "_.@") : 0;
    for (int i = 0; i < SAC_LOCALES; i++)
        if (strlen(sac_locale_names[i]) == length &&
            strncmp(value, sac_locale_names[i], length) == 0)
            return (sac_locale)i;
    return SAC_IN_ENGLISH;
}

/* Catalogues as msgfmt writes them (.mo, little-endian), embedded by assets/translations/embed.cmake: words of 32 bits,
 * of which [2] is the number of texts, [3] and [4] where the tables of texts, in the order of strcmp, and of their
 * translations begin. A row of a table has the length of its text and where that begins. */
extern const unsigned char sac_catalogue_zh_CN[];
static const unsigned char *const catalogues[SAC_LOCALES] = {[SAC_IN_CHINESE] =
                                                                 sac_catalogue_zh_CN};

static uint32_t read_uint32_at(const unsigned char *catalogue, size_t byte)
{
    const unsigned char *b = catalogue + byte;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static const char *text_at(const unsigned char *catalogue, int table, size_t row)
{
    size_t entry = read_uint32_at(catalogue, 4 * (size_t)table) + 8 * row;
    return (const char *)catalogue + read_uint32_at(catalogue, entry + 4);
}

const char *sac_translate(sac_locale language, const char *text)
{
    const unsigned char *catalogue = catalogues[language];
    size_t low = 0, high = catalogue && text && *text ? read_uint32_at(catalogue, 8) : 0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(text, text_at(catalogue, 3, middle));
        if (order == 0)
            return text_at(catalogue, 4, middle);
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    const char *behind_context = text ? strchr(text, '\004') : NULL;
    return behind_context ? behind_context + 1 : text;
}
