#include "fuzz_tokens.h"

#include "tokenizers/files/sentencepiece.h"
#include "tokenizers/files/tokenizer_config.h"

/* The pieces of a text are one behind the other, to its end. */
static void check(const sac_sentencepiece *m)
{
    static const char text[] = "\xe2\x96\x81It's a\tt\xc3\xa9st: \xe4\xb8\xad\xe6\x96\x87 \xff";
    sac_text_buffer mapped = {0};
    sac_cut cut;
    sac_charsmap_apply(&m->charsmap, text, sizeof text - 1, &mapped);
    if (mapped.failed || !sac_unigram_cut(&m->unigram, mapped.bytes, mapped.size, &cut))
        abort();
    for (size_t i = 0; i < cut.count; i++)
        if (cut.ends[i] <= (i ? cut.ends[i - 1] : 0))
            abort();
    if (mapped.size && cut.ends[cut.count - 1] != mapped.size)
        abort();
    free(cut.ends);
    sac_text_free(&mapped);
}

/* The same as the tokenizer of a class. */
static void build(const uint8_t *data, size_t size, sac_settings settings)
{
    sac_error error = {0};
    sac_sentencepiece m;
    sac_tokenizer *t = calloc(1, sizeof *t);
    if (!t)
        return;
    t->unknown = -1;
    t->error = &error;
    t->status = sac_sentencepiece_parse(data, size, &m, &error);
    if (t->status == SAC_OK)
        sac_tokenizer_use_pieces(t, &m, &settings);
    sac_tokenizer_finish(t);
    sac_sentencepiece_free(&m);
    fuzz_opened(t, t->status, &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const sac_tokenizer_class classes[] = {
        SAC_CLASS_OTHER,  SAC_CLASS_LLAMA,      SAC_CLASS_T5,   SAC_CLASS_XLM_ROBERTA,
        SAC_CLASS_ALBERT, SAC_CLASS_DEBERTA_V2, SAC_CLASS_NLLB, SAC_CLASS_SIGLIP};
    sac_error error = {0};
    sac_sentencepiece m;
    sac_status status = sac_sentencepiece_parse(data, size, &m, &error);
    if (status == SAC_OK)
        status = sac_sentencepiece_build_unigrams(&m, &error);
    if (status == SAC_OK)
        check(&m);
    else
        fuzz_refused(status, &error);
    sac_sentencepiece_free(&m);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        build(data, size, (sac_settings){.kind = classes[i]});
    build(data, size, (sac_settings){.cuts_only = true});
    return 0;
}
