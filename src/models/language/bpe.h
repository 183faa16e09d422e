/* Byte-pair encoding (Sennrich, Haddow and Birch 2016; of bytes: Radford et al. 2019), learnt from a text. The first
 * 256 tokens are the bytes; each merge makes one more of two that were there before. Pairs are merged within pieces: a
 * blank and what follows it of letters, of digits or of marks, or else a run of blanks (SAC_BPE_PIECES). What is no
 * ASCII counts as a letter. */
#ifndef SAC_LANGUAGE_BPE_H
#define SAC_LANGUAGE_BPE_H

#include "saccade.h"

enum {
    SAC_BPE_BYTES = 256,
    SAC_BPE_MOST = 4096 /* tokens */,
    SAC_BPE_LONGEST = 63 /* bytes of one */
};

/* The pieces as a pattern: tokenizer.json has it. */
#define SAC_BPE_PIECES                                                                             \
    " ?[^ \\t\\n\\r0-9!-/:-@\\[-`{-~]+| ?[0-9]+| ?[!-/:-@\\[-`{-~]+|[ \\t\\n\\r]+"

/* At most `most` merges, the pair that is most frequent first, as long as it occurs twice; *count: how many. Of pairs
 * that are as frequent the one of the lower tokens. SAC_E_CANCELLED. */
sac_status sac_bpe_learn(const char *text, size_t size, size_t most, int (*merges)[2],
                         size_t *count, sac_error *error);

#endif
