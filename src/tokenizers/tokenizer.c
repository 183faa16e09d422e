/* The tokens of a tokenizer, and lists of them. */
#include "tokenizers/tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/bytes.h"
#include "tokenizers/inside.h"
#include "tokenizers/sentencepiece.h"

/* ---------------------------------------------------------------- lists of tokens */

bool sac_tokens_append(sac_tokens *tokens, int id)
{
    int *grown = sac_list_grow(tokens->ids, tokens->count, &tokens->capacity, sizeof *tokens->ids);
    if (!grown)
        return false;
    tokens->ids = grown;
    tokens->ids[tokens->count++] = id;
    return true;
}

bool sac_tokenizer_add(sac_tokenizer *t, sac_added_token added)
{
    sac_added_token *grown =
        sac_list_grow(t->added, t->added_count, &t->added_capacity, sizeof *t->added);
    if (!grown)
        return false;
    t->added = grown;
    t->added[t->added_count++] = added;
    t->begins_added[(unsigned char)t->vocabulary.tokens[added.id][0]] = true;
    return true;
}

void sac_tokens_free(sac_tokens *tokens)
{
    free(tokens->ids);
    *tokens = (sac_tokens){0};
}

/* ---------------------------------------------------------------- one tokenizer */

void sac_tokenizer_destroy(sac_tokenizer *t)
{
    if (!t)
        return;
    sac_vocabulary_free(&t->vocabulary);
    sac_unigram_free(&t->unigram);
    sac_normalizer_free(&t->normalizer);
    sac_splitter_free(&t->splitter);
    if (t->sentencepiece)
        sac_sentencepiece_free(t->sentencepiece);
    free(t->sentencepiece);
    free(t->merges);
    sac_text_free(&t->both);
    free(t->added);
    free(t);
}

size_t sac_tokenizer_size(const sac_tokenizer *t)
{
    return t->vocabulary.size;
}

const char *sac_tokenizer_token(const sac_tokenizer *t, int id)
{
    return id >= 0 && (size_t)id < t->vocabulary.size ? t->vocabulary.tokens[id] : NULL;
}

int sac_tokenizer_find(const sac_tokenizer *t, const char *token)
{
    return sac_vocabulary_find(&t->vocabulary, token, strlen(token));
}

int sac_tokenizer_byte(const sac_tokenizer *t, uint8_t byte)
{
    char name[8];
    int length = snprintf(name, sizeof name, "<0x%02X>", byte);
    return sac_vocabulary_find(&t->vocabulary, name, (size_t)length);
}

bool sac_tokenizer_is_special(const sac_tokenizer *t, int id)
{
    for (size_t i = 0; i < t->added_count; i++)
        if (t->added[i].id == id)
            return t->added[i].special;
    return false;
}
