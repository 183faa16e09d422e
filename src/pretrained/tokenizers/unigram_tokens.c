/* Pieces of the unigram model as tokens. */
#include <stdlib.h>

#include "tokenizers/inside.h"

/* What has no token: its bytes where all of them are tokens, else the unknown token. */
static bool append_unknown(const sac_tokenizer *t, const char *text, size_t size,
                           sac_tokens *tokens)
{
    bool bytes = t->byte_fallback, made = true;
    for (size_t i = 0; i < size && bytes; i++)
        bytes = sac_tokenizer_byte(t, (uint8_t)text[i]) >= 0;
    for (size_t i = 0; i < size && bytes && made; i++)
        made = sac_tokens_append(tokens, sac_tokenizer_byte(t, (uint8_t)text[i]));
    return bytes || t->unknown < 0 ? made : sac_tokens_append(tokens, t->unknown);
}

bool sac_unigram_tokens(const sac_tokenizer *t, const sac_unigram *u, const char *text, size_t size,
                        sac_tokens *tokens)
{
    sac_cut cut;
    bool made = sac_unigram_cut(u, text, size, &cut);
    for (size_t i = 0, begin = 0; i < cut.count && made; begin = cut.ends[i++]) {
        size_t length = cut.ends[i] - begin;
        int id = sac_vocabulary_find(&t->vocabulary, text + begin, length);
        made = id >= 0 ? sac_tokens_append(tokens, id)
                       : append_unknown(t, text + begin, length, tokens);
    }
    free(cut.ends);
    return made;
}
