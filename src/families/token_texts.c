/* The texts of all tokens, made once. */
#include "families/token_texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/caption.h"

enum { SIZE = SAC_SPOKEN_SIZE };

/* Whether the tokens' own texts begin with a blank where a word begins, as byte-level ones do. */
static bool has_blanks(const sac_tokenizer *t, int count)
{
    bool found = false;
    for (int i = 0; i < count && !found; i++) {
        const char *token = sac_tokenizer_token(t, i);
        found = token && strncmp(token, "Ġ", strlen("Ġ")) == 0;
    }
    return found;
}

/* `text` without the byte of a character that does not fit whole. */
static void copy_text(char *to, const char *text)
{
    size_t length = strlen(text), most = SIZE - 1;
    if (length > most)
        for (length = most; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;)
            length--;
    memcpy(to, text, length);
    to[length] = '\0';
}

/* A token of bytes: its text, whose blank becomes nothing, and whose lack of one the mark. */
static bool copy_bytes(const sac_tokenizer *t, int token, char *to)
{
    char marked[64], *text = sac_tokenizer_decode(t, &token, 1);
    if (!text)
        return false;
    bool begins = text[0] == ' ' && text[1];
    bool is_letter = ((unsigned char)text[0] | 32) >= 'a' && ((unsigned char)text[0] | 32) <= 'z';
    snprintf(marked, sizeof marked, "%s%.60s", is_letter && !begins ? "##" : "",
             begins ? text + 1 : text);
    free(text);
    copy_text(to, marked);
    return true;
}

static bool copy_token(const sac_tokenizer *t, bool blanks, int token, char *to)
{
    const char *text = sac_tokenizer_token(t, token);
    if (!text || !blanks || sac_tokenizer_is_special(t, token)) {
        copy_text(to, text ? text : "?");
        return true;
    }
    return copy_bytes(t, token, to);
}

sac_status sac_token_texts_make(const sac_tokenizer *t, int count, sac_token_texts *texts,
                                sac_error *error)
{
    bool blanks = has_blanks(t, count);
    *texts = (sac_token_texts){.count = count};
    texts->text = malloc((size_t)count * sizeof *texts->text);
    texts->all = malloc((size_t)count * SIZE);
    bool done = texts->text && texts->all;
    for (int i = 0; i < count && done; i++) {
        char *to = texts->all + (size_t)i * SIZE;
        done = copy_token(t, blanks, i, to);
        texts->text[i] = to;
    }
    return done ? SAC_OK
                : sac_fail(error, SAC_E_MEMORY, "tokens", NULL, "no memory for %d texts", count);
}

void sac_token_texts_free(sac_token_texts *texts)
{
    free(texts->text);
    free(texts->all);
    *texts = (sac_token_texts){0};
}

const char *sac_token_text(const sac_token_texts *texts, int token)
{
    return token >= 0 && token < texts->count ? texts->text[token] : "?";
}

void sac_token_begins_sentence(char *text)
{
    if (strncmp(text, "##", 2) == 0 && text[2])
        memmove(text, text + 2, strlen(text) - 1);
}
