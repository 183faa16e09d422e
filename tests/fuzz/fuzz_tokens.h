/* What holds of every tokenizer that was read. */
#ifndef TESTS_FUZZ_FUZZ_TOKENS_H
#define TESTS_FUZZ_FUZZ_TOKENS_H

#include "fuzz.h"
#include "tokenizers/inside.h"

/* What it makes of a text are tokens that it has. */
static inline void fuzz_encode(const sac_tokenizer *t)
{
    static const char text[] = "It's  a\tt\xc3\xa9st: \xe4\xb8\xad\xe6\x96\x87 2026\r\n[CLS]\xff";
    sac_tokens tokens = {0};
    if (sac_tokenizer_encode(t, text, true, &tokens, NULL) != SAC_OK)
        abort();
    for (size_t i = 0; i < tokens.count; i++)
        if (!sac_tokenizer_token(t, tokens.ids[i]))
            abort();
    char *back = sac_tokenizer_decode(t, tokens.ids, tokens.count);
    if (!back)
        abort();
    fuzz_touch(back, strlen(back));
    free(back);
    sac_tokens_free(&tokens);
}

/* Ends a test of what was opened, or was refused. */
static inline int fuzz_opened(sac_tokenizer *t, sac_status status, const sac_error *error)
{
    if (status == SAC_OK)
        fuzz_encode(t);
    else
        fuzz_refused(status, error);
    sac_tokenizer_destroy(t);
    return 0;
}

#endif
