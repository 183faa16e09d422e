/* English text cut into sentences and words of the vocabulary. */

#include "translation/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/suggestion.h"
#include "base/text/utf8.h"

enum { WORD = 64, NEAREST = 3 };

/* A text on its way through the words. */
typedef struct reader {
    const sac_word_list *list;
    sac_source_text *read;
    char word[WORD]; /* that is being read, in small letters */
    size_t length;
    sac_error *error;
} reader;

/* ---------------------------------------------------------------- words */

/* "did you mean king, thing or kind?": up to NEAREST of the list, the nearest first. */
static void suggest(const sac_word_list *list, const char *word, char *remedy, size_t size)
{
    const char *found[NEAREST];
    int count = 0;
    for (; count < NEAREST; count++) {
        sac_suggestion suggestion = {.word = word};
        for (size_t i = SAC_TOKENS_SPECIAL; i < list->count; i++) {
            bool taken = !isalnum((unsigned char)list->words[i][0]);
            for (int k = 0; k < count; k++)
                taken = taken || found[k] == list->words[i];
            if (!taken)
                sac_suggestion_try(&suggestion, list->words[i]);
        }
        found[count] = sac_suggestion_get(&suggestion);
        if (!found[count])
            break;
    }
    size_t used = (size_t)snprintf(remedy, size, count ? "did you mean" : "see --list-words");
    for (int i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(remedy + used, size - used, "%s %s",
                                 i == 0          ? ""
                                 : i + 1 < count ? ","
                                                 : " or",
                                 found[i]);
    if (count && used < size)
        snprintf(remedy + used, size - used, "?");
}

static sac_status append(reader *r, int number)
{
    sac_source_text *t = r->read;
    int *words = realloc(t->words, ((size_t)t->count + 1) * sizeof *words);
    if (!words)
        return sac_no_memory(r->error, "sentence");
    t->words = words;
    words[t->count++] = number;
    return SAC_OK;
}

static sac_status end_word(reader *r)
{
    char plain[WORD], remedy[160];
    if (!r->length)
        return SAC_OK;
    r->word[r->length] = '\0';
    r->length = 0;
    int number = sac_word_list_find(r->list, r->word);
    sac_accents_off(r->word, plain, sizeof plain);
    if (number < 0)
        number = sac_word_list_find(r->list, plain);
    if (number >= 0)
        return append(r, number);
    suggest(r->list, plain, remedy, sizeof remedy);
    return sac_fail(r->error, SAC_E_ARGUMENT, r->word, remedy,
                    "is no word that the translator knows");
}

/* A sentence needs a word before its full stop. */
static sac_status end_sentence(reader *r, bool stop)
{
    sac_source_text *t = r->read;
    int begun = t->sentences ? t->ends[t->sentences - 1] : 0;
    if (t->count == begun)
        return SAC_OK;
    sac_status status = stop ? append(r, sac_word_list_find(r->list, ".")) : SAC_OK;
    if (status != SAC_OK)
        return status;
    int *ends = realloc(t->ends, ((size_t)t->sentences + 1) * sizeof *ends);
    if (!ends)
        return sac_no_memory(r->error, "sentence");
    t->ends = ends;
    ends[t->sentences++] = t->count;
    return SAC_OK;
}

/* Takes one character, of `*used` bytes. */
static sac_status take(reader *r, const char *at, int *used)
{
    unsigned code = sac_latin_letter(at);
    unsigned char c = (unsigned char)*at;
    *used = code ? 2 : 1;
    bool ends = c == '.' || c == '!' || c == '?';
    bool belongs = code || isalnum(c) || (c == '\'' && r->length);
    if (belongs && r->length + 2 < WORD) {
        if (code)
            r->word[r->length++] = (char)0xc3;
        r->word[r->length++] = code ? (char)(0x80 | (code & 0x3f)) : (char)tolower(c);
    }
    if (belongs)
        return SAC_OK;
    sac_status status = end_word(r);
    return status == SAC_OK && ends ? end_sentence(r, true) : status;
}

sac_status sac_source_text_read(const sac_word_list *words, const char *text, sac_source_text *read,
                                sac_error *error)
{
    reader r = {.list = words, .read = read, .error = error};
    sac_status status = SAC_OK;
    *read = (sac_source_text){0};
    for (int used; status == SAC_OK && *text; text += used)
        status = take(&r, text, &used);
    if (status == SAC_OK)
        status = end_word(&r);
    if (status == SAC_OK)
        status = end_sentence(&r, false);
    if (status == SAC_OK && !read->count)
        status = sac_fail(error, SAC_E_ARGUMENT, "sentence", "give an English one, between quotes",
                          "has no words");
    if (status != SAC_OK)
        sac_source_text_free(read);
    return status;
}

void sac_source_text_free(sac_source_text *text)
{
    free(text->words);
    free(text->ends);
    *text = (sac_source_text){0};
}
