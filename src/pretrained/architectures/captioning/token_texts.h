/* Tokens as people choose them: "dog", and "##ing" for one that goes on the word before it, whatever the tokenizer
 * calls it. */
#ifndef SAC_ARCHITECTURES_CAPTIONING_TOKEN_TEXTS_H
#define SAC_ARCHITECTURES_CAPTIONING_TOKEN_TEXTS_H

#include "sources/result.h"
#include "tokenizers/tokenizer.h"

typedef struct sac_token_texts {
    int count;
    const char **text; /* [count], all of them in … */
    char *all;         /* … this */
} sac_token_texts;

/* Of tokens 0 … count − 1. Free them in any case. */
sac_status sac_token_texts_make(const sac_tokenizer *tokenizer, int count, sac_token_texts *texts,
                                sac_error *error);
/* The same of a file of JSON that gives each word its number: {"a": 1, "dog": 2 …}. */
sac_status sac_token_texts_read(const char *path, int count, sac_token_texts *texts,
                                sac_error *error);
/* The same of a folder's vocab.json and added_tokens.json, which need not have all: others are "<unk>". */
sac_status sac_token_texts_read_letters(const char *folder, int count, sac_token_texts *texts,
                                        sac_error *error);
void sac_token_texts_free(sac_token_texts *texts);
/* Lent; "?" for what is no token. */
const char *sac_token_text(const sac_token_texts *texts, int token);

#endif
