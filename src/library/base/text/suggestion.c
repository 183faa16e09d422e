/* Edit distance between words, and lists of names in a sentence. */

#include "base/text/suggestion.h"

#include <stdio.h>
#include <string.h>

enum { MAX_WORD = 64 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions and changes of one letter that turn a into b (Levenshtein 1966). */
static size_t edit_distance(const char *a, const char *b)
{
    size_t n = strnlen(a, MAX_WORD), m = strnlen(b, MAX_WORD), row[MAX_WORD + 1];
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = least(change, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[m];
}

void sac_suggestion_try(sac_suggestion *suggestion, const char *candidate)
{
    size_t distance = edit_distance(suggestion->word, candidate);
    if (!suggestion->nearest || distance < suggestion->distance) {
        suggestion->nearest = candidate;
        suggestion->distance = distance;
    }
}

const char *sac_suggestion_get(const sac_suggestion *suggestion)
{
    size_t length = strlen(suggestion->word);
    return suggestion->nearest && suggestion->distance <= 1 + length / 3 ? suggestion->nearest
                                                                         : NULL;
}

void sac_names_join(const char *const *names, int count, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < count && used < size; i++) {
        const char *between = i == 0 ? "" : i + 1 < count ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", between, names[i]);
    }
}
