/* The tokens of a tokenizer, and lists of them. */
#include "tokenizers/tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "tokenizers/files/sentencepiece.h"
#include "tokenizers/inside.h"

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

static bool index_added_token(sac_tokenizer *t, int id, size_t at)
{
    size_t wanted = (size_t)id + 1 > t->vocabulary.size ? (size_t)id + 1 : t->vocabulary.size;
    if ((size_t)id >= t->added_at_count) {
        int *grown = realloc(t->added_at, wanted * sizeof *grown);
        if (!grown)
            return false;
        for (size_t i = t->added_at_count; i < wanted; i++)
            grown[i] = -1;
        t->added_at = grown;
        t->added_at_count = wanted;
    }
    t->added_at[id] = (int)at;
    return true;
}

bool sac_tokenizer_add(sac_tokenizer *t, sac_added_token added)
{
    if ((size_t)added.id < t->added_at_count && t->added_at[added.id] >= 0) {
        t->added[t->added_at[added.id]] = added;
        return true;
    }
    sac_added_token *grown =
        sac_list_grow(t->added, t->added_count, &t->added_capacity, sizeof *t->added);
    if (!grown)
        return false;
    t->added = grown;
    t->added[t->added_count] = added;
    return index_added_token(t, added.id, t->added_count++);
}

void sac_tokenizer_finish(sac_tokenizer *t)
{
    size_t steps = sac_pattern_step_limit(256 * t->added_count);
    for (size_t i = 0; i < t->added_count && t->status == SAC_OK; i++) {
        sac_added_token *added = &t->added[i];
        const char *token = t->vocabulary.tokens[added->id];
        sac_text_buffer text = {.most = 16 * strlen(token) + (1 << 20), .steps = &steps};
        sac_text_append(&text, "", 0);
        if (added->normalized)
            sac_text_normalize(&t->normalizer, token, strlen(token), &text);
        else
            sac_text_append(&text, token, strlen(token));
        SAC_TRY(t, sac_cancel_check("added tokens", t->error));
        if (text.failed)
            SAC_TRY(t, text.why
                           ? sac_fail(t->error, SAC_E_FORMAT, "added tokens", NULL, "%s", text.why)
                           : sac_no_memory(t->error, "added tokens"));
        added->text = text.bytes;
        added->size = text.size;
        if (text.size)
            t->begins_added[(unsigned char)text.bytes[0]] = true;
    }
}

void sac_tokens_free(sac_tokens *tokens)
{
    free(tokens->ids);
    *tokens = (sac_tokens){0};
}

/* ---------------------------------------------------------------- one tokenizer */

sac_status sac_tokenizer_begin(sac_tokenizer **tokenizer, sac_error *error)
{
    sac_tokenizer *t = *tokenizer = calloc(1, sizeof *t);
    if (!t)
        return sac_no_memory(error, "tokenizer");
    t->unknown = -1;
    t->error = error;
    return SAC_OK;
}

sac_status sac_tokenizer_end(sac_tokenizer *t, sac_tokenizer **tokenizer)
{
    sac_tokenizer_finish(t);
    sac_status status = t->status;
    t->error = NULL;
    *tokenizer = status == SAC_OK ? t : NULL;
    if (status != SAC_OK)
        sac_tokenizer_destroy(t);
    return status;
}

void sac_tokenizer_destroy(sac_tokenizer *t)
{
    if (!t)
        return;
    sac_tokenizer_destroy(t->target);
    sac_tokenizer_destroy(t->pieces);
    free(t->languages.tokens);
    sac_vocabulary_free(&t->vocabulary);
    sac_unigram_free(&t->unigram);
    sac_text_normalizer_free(&t->normalizer);
    sac_splitter_free(&t->splitter);
    if (t->sentencepiece)
        sac_sentencepiece_free(t->sentencepiece);
    free(t->sentencepiece);
    free(t->merges);
    sac_text_free(&t->both);
    for (size_t i = 0; i < t->added_count; i++)
        free(t->added[i].text);
    free(t->added);
    free(t->added_at);
    free(t);
}

sac_tokenizer *sac_tokenizer_of_target(sac_tokenizer *t)
{
    return t->target ? t->target : t;
}

size_t sac_tokenizer_frame_size(const sac_tokenizer *t)
{
    return t->before_count + t->after_count + (t->languages.count > 0);
}

bool sac_tokenizer_is_frame_token(const sac_tokenizer *t, int id)
{
    bool found = false;
    for (size_t i = 0; i < SAC_FRAME; i++)
        found = found || (i < t->before_count && t->before[i] == id) ||
                (i < t->between_count && t->between[i] == id) ||
                (i < t->after_count && t->after[i] == id);
    return found;
}

const char *sac_tokenizer_note(const sac_tokenizer *t)
{
    return t->note[0] ? t->note : NULL;
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

const char *sac_tokenizer_padding(const sac_tokenizer *t)
{
    return t->padding;
}

bool sac_tokenizer_is_special(const sac_tokenizer *t, int id)
{
    bool added = id >= 0 && (size_t)id < t->added_at_count && t->added_at[id] >= 0;
    return added && t->added[t->added_at[id]].special;
}
