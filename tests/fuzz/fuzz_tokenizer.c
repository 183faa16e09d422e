#include "fuzz.h"

#include "tokenizers/inside.h"

/* What a tokenizer makes of a text are tokens that it has. */
static void check(const sac_tokenizer *t)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sac_error error = {0};
    sac_tokenizer *t = calloc(1, sizeof *t);
    if (!t)
        return 0;
    t->unknown = -1;
    sac_status status = sac_tokenizer_parse(t, (const char *)data, size, &error);
    if (status == SAC_OK)
        check(t);
    else
        fuzz_refused(status, &error);
    sac_tokenizer_destroy(t);
    return 0;
}
