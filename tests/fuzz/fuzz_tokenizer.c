#include "fuzz_tokens.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sac_error error = {0};
    sac_tokenizer *t = calloc(1, sizeof *t);
    if (!t)
        return 0;
    t->unknown = -1;
    t->error = &error;
    sac_tokenizer_parse(t, (const char *)data, size);
    return fuzz_opened(t, t->status, &error);
}
