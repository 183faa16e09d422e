/* Phrases in a text. */
#include "sources/words/phrases.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

const char *const sac_likeness_way_names[SAC_LIKENESS_WAYS] = {"states", "values", "value-value",
                                                               "relevance"};

sac_status sac_phrases_read(const char *text, char phrase[SAC_PHRASES][SAC_PHRASE_SIZE], int *count,
                            sac_error *error)
{
    static const char blanks[] = " \t\r";
    *count = 0;
    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = text + strcspn(text, "|\n");
        const char *from = text + strspn(text, blanks), *to = end;
        while (to > from && strchr(blanks, to[-1]))
            to--;
        if (from >= to)
            continue;
        if (*count == SAC_PHRASES)
            return sac_fail(error, SAC_E_ARGUMENT, "phrases", "give fewer", "are more than %d",
                            SAC_PHRASES);
        if (to - from >= SAC_PHRASE_SIZE)
            return sac_fail(error, SAC_E_ARGUMENT, "phrases", "shorten it",
                            "phrase %d has more than %d bytes", *count + 1, SAC_PHRASE_SIZE - 1);
        snprintf(phrase[(*count)++], SAC_PHRASE_SIZE, "%.*s", (int)(to - from), from);
    }
    return *count ? SAC_OK
                  : sac_fail(error, SAC_E_ARGUMENT, "phrases", "type some words", "there is none");
}
