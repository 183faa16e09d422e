/* A list or set as Python's repr writes it, or NumPy's str; or an array of PostgreSQL, whose texts are in quotes. */
#include "pictures/python_list.h"

#include <cjson/cJSON.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/utf8.h"

/* Also a line's end that the table has as two letters. */
static const char *skip_blanks(const char *at)
{
    while (*at && (strchr(" \t\r\n", *at) || strncmp(at, "\\n", 2) == 0))
        at += *at == '\\' ? 2 : 1;
    return at;
}

/* The number of `digits` hexadecimal digits; −1: they are no such. */
static int64_t hexadecimal(const char *at, int digits)
{
    char text[9] = "", *end;
    strncpy(text, at, (size_t)digits);
    long long number = strtoll(text, &end, 16);
    return end == text + digits && text[0] != '-' && text[0] != '+' && text[0] != ' ' ? number : -1;
}

/* Writes what the escape behind a backslash stands for, and returns what is behind it. */
static const char *unescape(const char *at, char **to)
{
    static const char letters[] = "ntrabfv", controls[] = "\n\t\r\a\b\f\v";
    const char *letter = strchr(letters, *at);
    int digits = *at == 'x' ? 2 : *at == 'u' ? 4 : *at == 'U' ? 8 : 0;
    int64_t code = digits ? hexadecimal(at + 1, digits) : -1;
    if (*at == '\n')
        return at + 1; /* the line goes on */
    if (code > 0 && code < 0x110000 && (code < 0xd800 || code > 0xdfff)) {
        *to += sac_utf8_encode((uint32_t)code, *to);
        return at + 1 + digits;
    }
    if (*at && letter)
        *(*to)++ = controls[letter - letters];
    else if (strchr("'\"\\", *at))
        *(*to)++ = *at;
    else { /* Python leaves others as they are */
        *(*to)++ = '\\';
        return at;
    }
    return at + 1;
}

/* A text between quotes into `to`; returns what is behind it, or NULL. */
static const char *take_text(const char *at, char *to)
{
    at += strchr("uUbB", *at) && *at && (at[1] == '\'' || at[1] == '"');
    const char quote = *at;
    if (quote != '\'' && quote != '"')
        return NULL;
    for (at++; *at && *at != quote;)
        if (*at == '\\' && at[1])
            at = unescape(at + 1, &to);
        else
            *to++ = *at++;
    *to = '\0';
    return *at ? at + 1 : NULL;
}

static const char *take_nothing(const char *at)
{
    return strncmp(at, "None", 4) == 0 ? at + 4 : strncmp(at, "nan", 3) == 0 ? at + 3 : NULL;
}

cJSON *sac_python_list(const char *text)
{
    cJSON *list = cJSON_CreateArray();
    char *item =
        malloc(2 * strlen(text) + 8); /* an escape is at least half as long as its letter */
    const char *at = text, *next;
    bool is_array = strncmp(at, "array(", 6) == 0;
    at = skip_blanks(at + (is_array ? 6 : 0));
    const char close = *at == '['                ? ']'
                       : *at == '(' && !is_array ? ')'
                       : *at == '{' && !is_array ? '}'
                                                 : '\0';
    bool good = list && item && close;
    at = good ? skip_blanks(at + 1) : at;
    while (good && *at != close) {
        next = take_nothing(at);
        if (!next) {
            next = take_text(at, item);
            good = next && cJSON_AddItemToArray(list, cJSON_CreateString(item));
        }
        if (good) {
            at = skip_blanks(next);
            at = skip_blanks(at + (*at == ','));
        }
    }
    at = good ? skip_blanks(at + 1) : at;
    if (good && is_array) { /* "], dtype=object)" */
        at = strchr(at, ')');
        at = at ? skip_blanks(at + 1) : "…";
    }
    free(item);
    if (good && !*at)
        return list;
    cJSON_Delete(list);
    return NULL;
}
