/* What a tokenizer does to a text before it looks for words. */
#ifndef SAC_TOKENIZERS_NORMALIZER_H
#define SAC_TOKENIZERS_NORMALIZER_H

#include "tokenizers/charsmap.h"
#include "tokenizers/pattern.h"

typedef enum sac_normalizer_kind {
    SAC_NORMALIZE_CLEAN,      /* control characters go, every blank becomes a space */
    SAC_NORMALIZE_IDEOGRAPHS, /* a space before and after each */
    SAC_NORMALIZE_NFC,
    SAC_NORMALIZE_NFD,
    SAC_NORMALIZE_NFKC,
    SAC_NORMALIZE_NFKD,
    SAC_NORMALIZE_STRIP_MARKS,     /* accents go; after NFD */
    SAC_NORMALIZE_STRIP_ALL_MARKS, /* and signs that take room beside a letter */
    SAC_NORMALIZE_LOWERCASE,
    SAC_NORMALIZE_REPLACE, /* what the pattern finds by `to` */
    SAC_NORMALIZE_PREPEND, /* `to`, where there is a text */
    SAC_NORMALIZE_BYTES,   /* each byte as the character that a byte-level token has for it */
    SAC_NORMALIZE_STRIP_LEFT,
    SAC_NORMALIZE_STRIP_RIGHT,
    SAC_NORMALIZE_NMT,      /* control characters go, some others become spaces */
    SAC_NORMALIZE_CHARSMAP, /* by the table */
} sac_normalizer_kind;

typedef struct sac_normalizer_step {
    sac_normalizer_kind kind;
    char *to;             /* owned; NULL: none */
    sac_pattern *pattern; /* owned; NULL: none */
} sac_normalizer_step;

typedef struct sac_normalizer {
    sac_normalizer_step *steps;
    size_t count, capacity;
    sac_charsmap charsmap; /* owned */
} sac_normalizer;

/* Owns what the step owns, also where it fails. False: no memory. */
bool sac_normalizer_add(sac_normalizer *normalizer, sac_normalizer_step step);
/* Frees the steps and the table, and leaves none. */
void sac_normalizer_free(sac_normalizer *normalizer);

/* Appends a text of `size` bytes, normalized, to `out`, whose flag tells of a failure: no step may
 * make more than `out` may hold. False where its first character went. */
bool sac_normalize(const sac_normalizer *normalizer, const char *text, size_t size,
                   sac_text_buffer *out);

#endif
