#include "sources/saved_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/utf8.h"

static const char encoded[] = "percent-encoded:";

static bool is_unescaped_char(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("-._~/", c));
}

char *sac_saved_name_encode(const char *name)
{
    size_t length = strlen(name), used = sizeof encoded - 1;
    if (sac_utf8_valid(name, length) && strncmp(name, encoded, used) != 0)
        return strdup(name);
    char *text = malloc(used + 3 * length + 1);
    if (!text)
        return NULL;
    memcpy(text, encoded, used + 1);
    for (const char *c = name; *c; c++)
        used += (size_t)sprintf(text + used, is_unescaped_char((unsigned char)*c) ? "%c" : "%%%02X",
                                (unsigned char)*c);
    return text;
}

static int hex_digit_value(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

char *sac_saved_name_decode(const char *text)
{
    size_t begin = sizeof encoded - 1;
    char *name = strdup(text), *end = name;
    if (!name || strncmp(text, encoded, begin) != 0)
        return name;
    for (const char *c = text + begin; *c; c++, end++) {
        int high = *c == '%' ? hex_digit_value(c[1]) : 0,
            low = *c == '%' && high >= 0 ? hex_digit_value(c[2]) : 0;
        if (high < 0 || low < 0 || (*c == '%' && !high && !low)) {
            free(name);
            return NULL;
        }
        *end = *c;
        if (*c == '%') {
            *end = (char)(16 * high + low);
            c += 2;
        }
    }
    *end = '\0';
    return name;
}
