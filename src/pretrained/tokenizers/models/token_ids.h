/* Tokens and their ids, found in both directions. */
#ifndef SAC_TOKENIZERS_MODELS_TOKEN_IDS_H
#define SAC_TOKENIZERS_MODELS_TOKEN_IDS_H

#include "saccade.h"

struct cJSON;

/* More than any model has. A file is believed up to here, so that a lying id costs no memory. */
#define SAC_VOCABULARY_MOST (1 << 21)

typedef struct sac_vocabulary {
    char **tokens; /* by id; NULL: unused */
    size_t size, capacity;
    int *slots; /* a hash table of ids, open addressing; −1: free. Its size is a power of two */
    size_t slot_count, taken;
} sac_vocabulary;

/* SAC_E_FORMAT where the id is out of range, or another token's; the same token twice under
 * one id is no failure. */
sac_status sac_vocabulary_add(sac_vocabulary *vocabulary, const char *token, double id,
                              sac_error *error);
/* All of {"token": id, …}; what is no number is no id. */
sac_status sac_vocabulary_add_all(sac_vocabulary *vocabulary, const struct cJSON *tokens,
                                  sac_error *error);
/* The id of a token of `size` bytes; −1: there is none. */
int sac_vocabulary_find(const sac_vocabulary *vocabulary, const char *token, size_t size);
void sac_vocabulary_free(sac_vocabulary *vocabulary);

#endif
