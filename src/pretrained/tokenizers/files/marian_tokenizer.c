/* Marian's tokenizer: source.spm cuts a text into pieces, and vocab.json has their numbers, for
 * both languages, or target_vocab.json those of the target language. That is the pieces' text, so
 * that target.spm is not requested. Where source.spm is more than plain unigrams, a tokenizer of
 * its own cuts the text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tokenizers/files/sentencepiece.h"
#include "tokenizers/files/tokenizer_config.h"

/* ---------------------------------------------------------------- mapped */

/* A model of SentencePiece alone, as t->pieces. */
static void read_cutting_pieces(sac_tokenizer *t, const char *path)
{
    static const sac_settings alone = {.cuts_only = true};
    sac_tokenizer *pieces = NULL;
    SAC_TRY(t, sac_tokenizer_begin(&pieces, t->error));
    if (t->status != SAC_OK)
        return;
    sac_tokenizer_read_pieces(pieces, path, &alone);
    t->byte_fallback = pieces->byte_fallback;
    t->status = sac_tokenizer_end(pieces, &t->pieces);
}

void sac_tokenizer_read_mapped(sac_tokenizer *t, const char *folder, const sac_settings *s)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/sentencepiece.bpe.model", folder);
    read_cutting_pieces(t, path);
    snprintf(path, sizeof path, "%s/vocab.json", folder);
    sac_tokenizer_read_vocabulary(t, path);
    t->model = SAC_MAPPED;
    t->unknown = sac_tokenizer_find(t, "<unk>");
    sac_settings_add_languages(s, t);
    sac_settings_add_tokens(s, t);
}

bool sac_mapped_encode(const sac_tokenizer *t, const char *text, size_t size, sac_tokens *tokens)
{
    sac_tokens cut = {0};
    bool made = sac_tokenizer_encode_part(t->pieces, text, size, &cut);
    for (size_t i = 0; i < cut.count && made; i++) {
        int id = sac_tokenizer_find(t, sac_tokenizer_token(t->pieces, cut.ids[i]));
        if (id >= 0 || t->unknown >= 0)
            made = sac_tokens_append(tokens, id >= 0 ? id : t->unknown);
    }
    sac_tokens_free(&cut);
    return made;
}

/* ---------------------------------------------------------------- Marian: the text before it is cut */

static void normalize(const sac_tokenizer *t, const char *text, size_t size, sac_text_buffer *out)
{
    sac_text_buffer plain = {0}, mapped = {0};
    sac_text_normalize(&t->normalizer, text, size, &plain);
    sac_charsmap_apply(&t->sentencepiece->charsmap, plain.bytes, plain.size, &mapped);
    /* Spaces around a text go, and one stays between words; a mark stands for each. */
    const char *blank = t->sentencepiece->marks_blank ? SAC_MARK : " ";
    size_t mark = strlen(blank), at = 0;
    while (t->sentencepiece->trims && at < mapped.size && mapped.bytes[at] == ' ')
        at++;
    if (at < mapped.size && t->sentencepiece->adds_blank)
        sac_text_append(out, blank, mark);
    for (bool was_blank = t->sentencepiece->trims; at < mapped.size; at++) {
        bool is_blank = mapped.bytes[at] == ' ';
        if (is_blank && !(was_blank && t->sentencepiece->trims))
            sac_text_append(out, blank, mark);
        else if (!is_blank)
            sac_text_append(out, mapped.bytes + at, 1);
        was_blank = is_blank;
    }
    while (t->sentencepiece->trims && out->size >= mark &&
           memcmp(out->bytes + out->size - mark, blank, mark) == 0)
        out->size -= mark;
    out->failed |= plain.failed || mapped.failed;
    sac_text_free(&plain);
    sac_text_free(&mapped);
}

/* ---------------------------------------------------------------- text to tokens */

/* The size of ">>fra<<" before a text, which selects one of a model's several languages. */
static size_t language_code_size(const char *text, size_t size)
{
    if (size < 4 || memcmp(text, ">>", 2) != 0)
        return 0;
    for (size_t at = 1; at + 1 < size; at++)
        if (memcmp(text + at, "<<", 2) == 0)
            return at + 2;
    return 0;
}

bool sac_marian_encode(const sac_tokenizer *t, const char *text, size_t size, sac_tokens *tokens)
{
    sac_text_buffer normal = {0};
    size_t code = language_code_size(text, size);
    int token = code ? sac_vocabulary_find(&t->vocabulary, text, code) : -1;
    if (code && !sac_tokens_append(tokens, token >= 0 ? token : t->unknown))
        return false;
    if (t->pieces)
        return sac_mapped_encode(t, text + code, size - code, tokens);
    normalize(t, text + code, size - code, &normal);
    bool made = !normal.failed && sac_unigram_tokens(t, &t->sentencepiece->unigram, normal.bytes,
                                                     normal.size, tokens);
    sac_text_free(&normal);
    return made;
}

/* ---------------------------------------------------------------- the folder */

/* vocab.json or target_vocab.json. What ends a sentence stands for no text. */
static void read_vocabulary(sac_tokenizer *t, const char *path)
{
    static const char *const specials[] = {"<unk>", "</s>", "<pad>"};
    sac_tokenizer_read_vocabulary(t, path);
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        sac_tokenizer_mark_special(t, specials[i]);
    t->model = SAC_MARIAN;
    t->unknown = sac_tokenizer_find(t, "<unk>");
    t->after[0] = sac_tokenizer_find(t, "</s>");
    t->after_count = 1;
    if (t->unknown < 0 || t->after[0] < 0)
        SAC_TRY(t, sac_fail(t->error, SAC_E_FORMAT, path, "give a Marian's vocabulary",
                            "has no token <unk> or </s>"));
}

void sac_tokenizer_read_marian(sac_tokenizer *t, const char *folder, const sac_settings *settings)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/source.spm", folder);
    sac_sentencepiece *source = t->sentencepiece = calloc(1, sizeof *t->sentencepiece);
    if (!source)
        t->status = sac_no_memory(t->error, path);
    SAC_TRY(t, sac_sentencepiece_read(path, source, t->error));
    if (t->status == SAC_OK && !sac_sentencepiece_is_plain(source))
        read_cutting_pieces(t, path);
    else
        SAC_TRY(t, sac_error_within(t->error, sac_sentencepiece_build_unigrams(source, t->error),
                                    path));
    snprintf(path, sizeof path, "%s/vocab.json", folder);
    read_vocabulary(t, path);
    snprintf(path, sizeof path, "%s/target_vocab.json", folder);
    if (t->status != SAC_OK || !sac_settings_flag(settings, "separate_vocabs", false))
        return;
    t->target = calloc(1, sizeof *t->target);
    if (!t->target) {
        t->status = sac_no_memory(t->error, path);
        return;
    }
    t->target->error = t->error;
    read_vocabulary(t->target, path);
    t->target->byte_fallback = t->byte_fallback;
    t->status = t->target->status;
    t->target->error = NULL;
}
