/* The tokens of a text, learnt from it, and the tokenizer.json that other programs read them by. */
#ifndef SAC_LANGUAGE_TOKENS_H
#define SAC_LANGUAGE_TOKENS_H

#include <cjson/cJSON.h>

#include "models/description.h"
#include "saccade.h"

typedef enum sac_token_kind {
    SAC_TOKENS_CHARACTERS = 0, /* those of the text, in the order of their code points */
    SAC_TOKENS_BYTES,          /* all 256 */
    SAC_TOKENS_BPE             /* these, and what is made of pairs (bpe.h) */
} sac_token_kind;

enum {
    SAC_TOKEN_BYTES = 64,
    SAC_TOKENS_MOST = 1 << 16,
    SAC_TOKENS_USUAL = 512 /* of SAC_TOKENS_BPE */
};

/* A vocabulary: a token stands for some bytes of UTF-8. */
typedef struct sac_token_table {
    sac_token_kind kind;
    char (*text)[SAC_TOKEN_BYTES]; /* [count]: the bytes, with an end; owned */
    size_t count;
    int (*merges)[2]; /* [count − 256] of SAC_TOKENS_BPE; owned */
} sac_token_table;
void sac_token_table_free(sac_token_table *table); /* takes a zeroed one */

/* "characters", "bytes", "bpe", "bpe:1000"; *most: so many tokens. False: none of these. */
bool sac_token_kind_read(const char *name, sac_token_kind *kind, size_t *most);
const char *sac_token_kind_name(sac_token_kind kind);

/* Of a text, which is UTF-8. `most`: tokens of SAC_TOKENS_BPE. */
sac_status sac_token_table_learn(sac_token_kind kind, size_t most, const char *text, size_t size,
                                 sac_token_table *table, sac_error *error);
/* The tokens of a text [*count], to be freed. SAC_E_VALUE where the table has none for a character. */
sac_status sac_tokens_encode(const sac_token_table *table, const char *text, size_t size,
                             int **tokens, size_t *count, sac_error *error);
/* The text of tokens, as much as there is room for in to [size]; bytes that are no UTF-8 are left out. */
void sac_tokens_decode(const sac_token_table *table, const int *tokens, size_t count, char *to,
                       size_t size);

/* In a model's description: "tokens" and what they are. */
bool sac_token_table_describe(const sac_token_table *table, cJSON *model);
void sac_token_table_read(sac_description *description, sac_token_table *table);

/* tokenizer.json: delete it; NULL: no memory. */
cJSON *sac_token_table_json(const sac_token_table *table);

#endif
