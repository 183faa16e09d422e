/* A model of SentencePiece (Kudo and Richardson 2018), such as `source.spm`: a ModelProto of
 * Protocol Buffers, of which its pieces are read, and what it does to a text before. */
#ifndef SAC_TOKENIZERS_FILES_SENTENCEPIECE_H
#define SAC_TOKENIZERS_FILES_SENTENCEPIECE_H

#include "tokenizers/models/unigram.h"
#include "tokenizers/text/charsmap.h"

typedef enum sac_piece_kind {
    SAC_PIECE_NORMAL = 1,
    SAC_PIECE_UNKNOWN,
    SAC_PIECE_CONTROL, /* stands for no text */
    SAC_PIECE_USER,    /* is never cut */
    SAC_PIECE_UNUSED,
    SAC_PIECE_BYTE,
} sac_piece_kind;

typedef struct sac_piece {
    char *text;
    double score;
    sac_piece_kind kind;
} sac_piece;

typedef struct sac_sentencepiece {
    sac_piece *pieces; /* owned, as their texts; the place in the list is a piece's id */
    size_t count, capacity;
    sac_unigram unigram; /* once it was requested */
    sac_charsmap charsmap;
    bool is_unigram, is_bpe; /* else its pieces are … */
    bool is_of_words;        /* … whole words, or characters */
    bool byte_fallback;      /* bytes stand for what has no piece */
    bool suffixes;           /* ▁ is the end of a word */
    bool adds_blank;         /* a space before the text */
    bool trims;              /* no spaces around it, and one alone between words */
    bool marks_blank;        /* ▁ for a space */
    int unknown, bos, eos;   /* ids; −1: none */
} sac_sentencepiece;

/* SAC_E_FORMAT where it is damaged, or has no pieces, or a piece is no text. Free it in any case.
 */
sac_status sac_sentencepiece_parse(const uint8_t *data, size_t size, sac_sentencepiece *model,
                                   sac_error *error);
sac_status sac_sentencepiece_read(const char *path, sac_sentencepiece *model, sac_error *error);
/* Whether it is unigrams that stand for characters, and no more. */
bool sac_sentencepiece_is_plain(const sac_sentencepiece *model);
/* Fills in the unigrams of the pieces that stand for characters. SAC_E_FORMAT where ▁ ends a word. */
sac_status sac_sentencepiece_build_unigrams(sac_sentencepiece *model, sac_error *error);
/* Adds a piece behind those that there are. SAC_E_FORMAT for a text, a score or a kind that none has. */
sac_status sac_sentencepiece_add(sac_sentencepiece *model, const char *text, size_t size,
                                 double score, unsigned kind, sac_error *error);
void sac_sentencepiece_free(sac_sentencepiece *model);

#endif
