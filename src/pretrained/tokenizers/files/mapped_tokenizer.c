/* M2M-100's tokenizer: a model of SentencePiece cuts a text into pieces, and vocab.json has their
 * numbers. */
#include <stdio.h>
#include <string.h>

#include "tokenizers/files/tokenizer_config.h"

void sac_tokenizer_read_cutter(sac_tokenizer *t, const char *path)
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
    sac_tokenizer_read_cutter(t, path);
    snprintf(path, sizeof path, "%s/vocab.json", folder);
    sac_tokenizer_read_vocabulary(t, path);
    t->model = SAC_MAPPED;
    t->unknown = sac_tokenizer_find(t, "<unk>");
    sac_settings_add_languages(s, t);
    sac_settings_add_tokens(s, t);
}

bool sac_mapped(const sac_tokenizer *t, const char *text, size_t size, sac_tokens *tokens)
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
