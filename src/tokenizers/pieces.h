/* A text cut into pieces, between which no token reaches: words, signs, runs of blanks. */
#ifndef SAC_TOKENIZERS_PIECES_H
#define SAC_TOKENIZERS_PIECES_H

#include "tokenizers/text_buffer.h"

typedef enum sac_split_kind {
    SAC_SPLIT_BERT,        /* at blanks, which go, and around each punctuation mark */
    SAC_SPLIT_BLANKS,      /* `WhitespaceSplit`: at blanks, which go */
    SAC_SPLIT_DIGITS,      /* around each run of digits */
    SAC_SPLIT_EACH_DIGIT,  /* around each digit */
    SAC_SPLIT_GPT2,        /* by GPT-2's pattern */
    SAC_SPLIT_CL100K,      /* by the pattern of later models, digits in groups of three */
    SAC_SPLIT_CL100K_ONE,  /* the same, each digit by itself */
    SAC_SPLIT_SPACE_FIRST, /* no cut: a space before a text that begins with none */
    SAC_SPLIT_MARKS,       /* no cut: ▁ for each space */
    SAC_SPLIT_MARK_EACH,   /* no cut: ▁ before a piece that begins with none … */
    SAC_SPLIT_MARK_FIRST,  /* … or before the first of a text alone */
    SAC_SPLIT_AT_MARKS,    /* before each ▁ */
    SAC_SPLIT_BYTES, /* no cut: each byte as the character that a byte-level token has for it */
} sac_split_kind;

enum { SAC_SPLIT_STEPS = 8 };

typedef struct sac_splitter {
    sac_split_kind steps[SAC_SPLIT_STEPS];
    size_t count;
} sac_splitter;

/* Piece i is text.bytes from ends[i − 1], or 0, to ends[i]. */
typedef struct sac_pieces {
    sac_text_buffer text;
    size_t *ends, count, capacity;
    bool begins; /* the first piece is the beginning of a text */
} sac_pieces;

/* Cuts `size` bytes of UTF-8; `pieces` has none before, and is to be freed after it. False: no
 * memory. */
bool sac_split(const sac_splitter *splitter, const char *text, size_t size, sac_pieces *pieces);
void sac_pieces_free(sac_pieces *pieces);

#endif
