/* What holds of every tokenizer that was read. */
#ifndef TESTS_FUZZ_FUZZ_TOKENS_H
#define TESTS_FUZZ_FUZZ_TOKENS_H

#include "architectures/captioning/token_texts.h"
#include "arrays/labels.h"
#include "base/text/utf8.h"
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

static inline void fuzz_valid(const char *text)
{
    if (!sac_utf8_valid(text, strlen(text)))
        abort();
}

/* All tokens as labels of a map, which people read, and as the texts of a translation: whatever is
 * exported of them is UTF-8. */
static inline void fuzz_show(const sac_tokenizer *t)
{
    enum { MOST = 4096 };
    size_t count = sac_tokenizer_size(t) < MOST ? sac_tokenizer_size(t) : MOST;
    const char **tokens = calloc(count + 1, sizeof *tokens);
    sac_labels labels = {0};
    sac_token_texts texts;
    for (size_t i = 0; tokens && i < count; i++) {
        tokens[i] = sac_tokenizer_token(t, (int)i);
        tokens[i] = tokens[i] ? tokens[i] : "?";
    }
    sac_array array = sac_array_view(SAC_TEXT, 1, &count, tokens);
    if (!tokens || sac_labels_from_array(&array, &labels, NULL) != SAC_OK ||
        sac_labels_make_readable(&labels, false, NULL) != SAC_OK ||
        sac_token_texts_make(t, (int)count, &texts, NULL) != SAC_OK)
        abort();
    for (size_t i = 0; i < labels.count; i++)
        fuzz_valid(labels.text[i]);
    for (int i = 0; i < texts.count; i++)
        fuzz_valid(texts.text[i]);
    sac_labels_free(&labels);
    sac_token_texts_free(&texts);
    free(tokens);
}

/* Ends a test of what was opened, or was refused. */
static inline int fuzz_opened(sac_tokenizer *t, sac_status status, const sac_error *error)
{
    if (status == SAC_OK) {
        fuzz_encode(t);
        if (sac_tokenizer_size(t) > 0)
            fuzz_show(t);
    } else {
        fuzz_refused(status, error);
    }
    sac_tokenizer_destroy(t);
    return 0;
}

#endif
