/* "did you mean": the nearest known word to one that was mistyped. */
#ifndef SAC_BASE_TEXT_SUGGESTION_H
#define SAC_BASE_TEXT_SUGGESTION_H

#include <stddef.h>

/* The best candidate so far. Start from {word}. */
typedef struct sac_suggestion {
    const char *word, *nearest; /* lent */
    size_t distance;
} sac_suggestion;
void sac_suggestion_try(sac_suggestion *suggestion, const char *candidate);
/* The nearest candidate where it is near enough to be meant; else NULL. */
const char *sac_suggestion_get(const sac_suggestion *suggestion);

/* "additive, scaled-dot or bilinear" into `text`. */
void sac_names_join(const char *const *names, int count, char *text, size_t size);

#endif
