/* A text cut into pieces, between which no token reaches: words, signs, runs of blanks. */
#ifndef SAC_TOKENIZERS_PIECES_H
#define SAC_TOKENIZERS_PIECES_H

#include "tokenizers/pattern.h"
#include "tokenizers/text_buffer.h"

typedef enum sac_split_kind {
    SAC_SPLIT_PATTERN,     /* around what a pattern finds */
    SAC_SPLIT_SPACE_FIRST, /* no cut: a space before a text that begins with none */
    SAC_SPLIT_MARKS,       /* no cut: ▁ for each space */
    SAC_SPLIT_MARK_EACH,   /* no cut: ▁ before a piece that begins with none … */
    SAC_SPLIT_MARK_FIRST,  /* … or before the first of a text alone */
    SAC_SPLIT_BYTES, /* no cut: each byte as the character that a byte-level token has for it */
} sac_split_kind;

/* What becomes of what a pattern finds. */
typedef enum sac_split_behavior {
    SAC_SPLIT_ISOLATED, /* a piece of its own */
    SAC_SPLIT_REMOVED,
    SAC_SPLIT_MERGED_WITH_PREVIOUS, /* the end of the piece before it */
    SAC_SPLIT_MERGED_WITH_NEXT,     /* the beginning of the piece after it */
    SAC_SPLIT_CONTIGUOUS,           /* one piece with others that follow at once */
} sac_split_behavior;

typedef struct sac_split_step {
    sac_split_kind kind;
    sac_split_behavior behavior;
    bool inverted;        /* it is the rest that counts as found */
    sac_pattern *pattern; /* owned */
} sac_split_step;

typedef struct sac_splitter {
    sac_split_step *steps;
    size_t count, capacity;
} sac_splitter;

/* Piece i is text.bytes from ends[i − 1], or 0, to ends[i]. */
typedef struct sac_pieces {
    sac_text_buffer text; /* its limit is that of every step */
    size_t *ends, count, capacity;
    bool begins; /* the first piece is the beginning of a text */
} sac_pieces;

/* Owns the pattern, also where it fails. False: no memory. */
bool sac_splitter_add(sac_splitter *splitter, sac_split_step step);
void sac_splitter_free(sac_splitter *splitter);

/* Cuts `size` bytes of UTF-8; `pieces` has none before, and is to be freed after it. False: it
 * failed, and pieces->text.why tells of what. */
bool sac_split(const sac_splitter *splitter, const char *text, size_t size, sac_pieces *pieces);
void sac_pieces_free(sac_pieces *pieces);

#endif
