/* Words that are tokens; and WordPiece: from the left, always the longest token that fits (Devlin
 * et al. 2019). */
#include <string.h>

#include "tokenizers/inside.h"
#include "tokenizers/text/unicode.h"

enum { LONGEST = 512 }; /* bytes; no token is longer */

static size_t character_count(const char *word, size_t size)
{
    size_t count = 0;
    for (size_t at = 0; at < size; count++)
        sac_unicode_next(word, size, &at);
    return count;
}

/* The longest token that the bytes from `at` on begin with, and its size; −1: none does. */
static int longest_token(const sac_tokenizer *t, const char *word, size_t size, size_t at,
                         size_t *taken)
{
    char text[LONGEST];
    size_t prefix = at ? strlen(t->prefix) : 0, most = LONGEST - prefix;
    size_t left = size - at < most ? size - at : most;
    memcpy(text, t->prefix, prefix);
    memcpy(text + prefix, word + at, left);
    for (; left; left--) {
        int id = sac_vocabulary_find(&t->vocabulary, text, prefix + left);
        if (id >= 0) {
            *taken = left;
            return id;
        }
    }
    return -1;
}

bool sac_wordpiece(const sac_tokenizer *t, const char *word, size_t size, sac_tokens *tokens)
{
    size_t first = tokens->count, taken = 0;
    bool known = character_count(word, size) <= t->word_most;
    for (size_t at = 0; at < size && known; at += taken) {
        int id = longest_token(t, word, size, at, &taken);
        known = id >= 0;
        if (known && !sac_tokens_append(tokens, id))
            return false;
    }
    if (known)
        return true;
    tokens->count = first;
    return t->unknown < 0 || sac_tokens_append(tokens, t->unknown);
}

bool sac_wordlevel(const sac_tokenizer *t, const char *word, size_t size, sac_tokens *tokens)
{
    int id = sac_vocabulary_find(&t->vocabulary, word, size);
    id = id >= 0 ? id : t->unknown;
    return id < 0 || sac_tokens_append(tokens, id);
}
