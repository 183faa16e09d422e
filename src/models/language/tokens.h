/* The tokens of a text, learnt from it: a tokenizer.json, by which this program (pretrained/tokenizers) and others read
 * texts. */
#ifndef SAC_LANGUAGE_TOKENS_H
#define SAC_LANGUAGE_TOKENS_H

#include <cjson/cJSON.h>

#include "saccade.h"

typedef enum sac_token_kind {
    SAC_TOKENS_CHARACTERS = 0, /* those of the text, in the order of their code points */
    SAC_TOKENS_BYTES,          /* all 256 */
    SAC_TOKENS_BPE             /* these, and what is made of pairs (bpe.h) */
} sac_token_kind;

enum { SAC_TOKENS_MOST = 1 << 16, SAC_TOKENS_USUAL = 512 /* of SAC_TOKENS_BPE */ };

/* "characters", "bytes", "bpe", "bpe:1000"; *most: so many tokens. False: none of these. */
bool sac_token_kind_read(const char *name, sac_token_kind *kind, size_t *most);

/* Of a text, which is UTF-8; `most`: tokens of SAC_TOKENS_BPE. *count: how many there are. Delete the JSON. */
sac_status sac_tokens_learn(sac_token_kind kind, size_t most, const char *text, size_t size,
                            cJSON **tokenizer, size_t *count, sac_error *error);

#endif
