/* The languages of a translator between many of them. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "tokenizers/inside.h"

/* "fra_Latn", "fr_XX"; "fr" of the token "__fr__". */
static const char *code_of(const sac_tokenizer *t, int token, int *size)
{
    const char *text = sac_tokenizer_token(t, token);
    size_t length = strlen(text);
    bool is_framed = length > 4 && strncmp(text, "__", 2) == 0;
    *size = (int)(is_framed ? length - 4 : length);
    return is_framed ? text + 2 : text;
}

char *sac_tokenizer_languages(const sac_tokenizer *t, char *text, size_t size)
{
    const sac_languages *l = &t->languages;
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < l->count; i++) {
        int length;
        const char *code = code_of(t, l->tokens[i], &length);
        if (used + (size_t)length + 24 > size) {
            snprintf(text + used, size - used, " … (%zu in all)", l->count);
            break;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", i ? ", " : "", length, code);
    }
    return text;
}

static sac_status find(const sac_tokenizer *t, const char *code, int size, int *token,
                       sac_error *error)
{
    const sac_languages *l = &t->languages;
    char known[380];
    for (size_t i = 0; i < l->count; i++) {
        int length;
        const char *own = code_of(t, l->tokens[i], &length);
        if (length == size && memcmp(own, code, (size_t)size) == 0) {
            *token = l->tokens[i];
            return SAC_OK;
        }
    }
    return sac_fail(error, SAC_E_ARGUMENT, "language", "give one of those",
                    "\"%.*s\" is not known; there are %s", size > 40 ? 40 : size, code,
                    sac_tokenizer_languages(t, known, sizeof known));
}

sac_status sac_languages_read(const sac_tokenizer *t, const char **text, int *from, int *to,
                              sac_error *error)
{
    const char *begin = *text + 2, *end = strncmp(*text, ">>", 2) == 0 ? strstr(begin, "<<") : NULL;
    *from = t->languages.from;
    *to = t->languages.to;
    if (!end)
        return SAC_OK;
    const char *space = memchr(begin, ' ', (size_t)(end - begin));
    const char *second = space ? space + 1 : begin;
    sac_status status = SAC_OK;
    if (space)
        status = find(t, begin, (int)(space - begin), from, error);
    if (status == SAC_OK && end > second)
        status = find(t, second, (int)(end - second), to, error);
    *text = end + 2;
    *text += strspn(*text, " ");
    return status;
}

sac_status sac_tokenizer_target(const sac_tokenizer *t, const char *text, int *token,
                                sac_error *error)
{
    int from;
    *token = -1;
    return t->languages.count ? sac_languages_read(t, &text, &from, token, error) : SAC_OK;
}

bool sac_tokenizer_knows_languages(const sac_tokenizer *t)
{
    return t->languages.count > 0;
}

bool sac_tokenizer_begins_with_target(const sac_tokenizer *t)
{
    return t->languages.begins;
}
