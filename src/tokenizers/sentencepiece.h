/* A model of SentencePiece (Kudo and Richardson 2018), `source.spm`: a ModelProto of Protocol
 * Buffers, of which its pieces are read, and what it does to a text before. */
#ifndef SAC_TOKENIZERS_SENTENCEPIECE_H
#define SAC_TOKENIZERS_SENTENCEPIECE_H

#include "tokenizers/charsmap.h"
#include "tokenizers/unigram.h"

typedef struct sac_sentencepiece {
    sac_unigram unigram;
    sac_charsmap charsmap;
    bool adds_blank;  /* a space before the text */
    bool trims;       /* no spaces around it, and one alone between words */
    bool marks_blank; /* ▁ for a space */
} sac_sentencepiece;

/* SAC_E_FORMAT where it is damaged, or no unigram model with pieces of characters. Free it in any
 * case. */
sac_status sac_sentencepiece_parse(const uint8_t *data, size_t size, sac_sentencepiece *model,
                                   sac_error *error);
void sac_sentencepiece_free(sac_sentencepiece *model);

#endif
