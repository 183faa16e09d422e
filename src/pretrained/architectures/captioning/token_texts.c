/* The texts of all tokens, made once. */
#include "architectures/captioning/token_texts.h"

#include <cjson/cJSON.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/bytes.h"
#include "arrays/json.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "sources/result.h"

#define BLANK "▁"
/* What stands in a text for bytes that are no whole letter. */
#define CUT "\uFFFD"
enum { SIZE = SAC_MAX_TOKEN_TEXT };

/* A SentencePiece with a blank before its letters; the mark by itself is a character. */
static bool begins_word(const char *token)
{
    return strncmp(token, BLANK, strlen(BLANK)) == 0 && token[strlen(BLANK)];
}

/* How a tokenizer marks the first token of a word. */
typedef enum blanks { BLANKS_NONE, BLANKS_BYTES, BLANKS_SENTENCEPIECE } blanks;

static blanks detect_blank_style(const sac_tokenizer *t, int count)
{
    for (int i = 0; i < count; i++) {
        const char *token = sac_tokenizer_token(t, i);
        if (token && strncmp(token, "Ġ", strlen("Ġ")) == 0)
            return BLANKS_BYTES;
        if (token && begins_word(token))
            return BLANKS_SENTENCEPIECE;
    }
    return BLANKS_NONE;
}

/* Copies `text` without a last character that would be cut. */
static void copy_text(char *to, const char *text)
{
    size_t length = strlen(text), most = SIZE - 1;
    if (length > most)
        for (length = most; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;)
            length--;
    memcpy(to, text, length);
    to[length] = '\0';
}

/* Text of tokens of bytes: its blank becomes nothing; its lack of one the mark, before letters of scripts that
 * have blanks. */
static void copy_marked(const char *text, char *to)
{
    char marked[64];
    bool begins = text[0] == ' ' && text[1];
    bool is_letter = isalpha((unsigned char)text[0]) ||
                     ((unsigned char)text[0] >= 0x80 && strncmp(text, CUT, strlen(CUT)) != 0 &&
                      sac_script_needs_blank("a", text));
    snprintf(marked, sizeof marked, "%s%.60s", is_letter && !begins ? "##" : "",
             begins ? text + 1 : text);
    copy_text(to, marked);
}

static bool copy_bytes(const sac_tokenizer *t, int token, char *to)
{
    char *text = sac_tokenizer_decode(t, &token, 1);
    if (text && *text)
        copy_marked(text, to);
    else if (text) /* a time of a sound is none of the text */
        copy_text(to, sac_tokenizer_token(t, token));
    free(text);
    return text != NULL;
}

static bool copy_token(const sac_tokenizer *t, blanks kind, int token, char *to)
{
    const char *text = sac_tokenizer_token(t, token);
    if (!text || kind == BLANKS_NONE || sac_tokenizer_is_special(t, token)) {
        copy_text(to, text ? text : "?");
        return true;
    }
    if (kind == BLANKS_BYTES)
        return copy_bytes(t, token, to);
    /* What goes on the word before it has the mark; signs of ASCII stand by themselves. */
    char marked[2 * SIZE];
    bool begins = begins_word(text);
    bool goes_on = !begins && ((unsigned char)text[0] >= 0x80 || isalnum((unsigned char)text[0])) &&
                   strcmp(text, BLANK) != 0;
    snprintf(marked, sizeof marked, "%s%.40s", goes_on ? "##" : "",
             begins ? text + strlen(BLANK) : text);
    copy_text(to, marked);
    return true;
}

static bool allocate(int count, sac_token_texts *texts)
{
    *texts = (sac_token_texts){.count = count};
    texts->text = calloc((size_t)count, sizeof *texts->text);
    texts->all = malloc((size_t)count * SIZE);
    return texts->text && texts->all;
}

sac_status sac_token_texts_make(const sac_tokenizer *t, int count, sac_token_texts *texts,
                                sac_error *error)
{
    blanks kind = detect_blank_style(t, count);
    bool done = allocate(count, texts);
    for (int i = 0; i < count && done; i++) {
        char *to = texts->all + (size_t)i * SIZE;
        done = copy_token(t, kind, i, to);
        texts->text[i] = to;
    }
    return done ? SAC_OK : sac_no_memory(error, "tokens");
}

/* ---------------------------------------------------------------- words by number */

static sac_status place_word(const cJSON *word, sac_token_texts *texts, sac_error *error)
{
    double number = cJSON_IsNumber(word) ? word->valuedouble : -1;
    if (!(number >= 0 && number < texts->count) || number != (int)number)
        return sac_fail(error, SAC_E_FORMAT, word->string, NULL,
                        "is not a whole number from 0 to %d, by vocab_size in config.json",
                        texts->count - 1);
    int token = (int)number;
    if (texts->text[token])
        return sac_fail(error, SAC_E_FORMAT, word->string, NULL, "is %d, and so is \"%.40s\"",
                        token, texts->text[token]);
    texts->text[token] = texts->all + (size_t)token * SIZE;
    copy_text(texts->all + (size_t)token * SIZE, word->string);
    return SAC_OK;
}

static sac_status place_words(const char *path, sac_token_texts *texts, sac_error *error)
{
    cJSON *json = NULL;
    const cJSON *word;
    sac_status status = sac_json_load(path, &json, error);
    cJSON_ArrayForEach(word, json)
    {
        if (status == SAC_OK)
            status = sac_error_within(error, place_word(word, texts, error), path);
    }
    cJSON_Delete(json);
    return status;
}

sac_status sac_token_texts_read(const char *path, int count, sac_token_texts *texts,
                                sac_error *error)
{
    sac_status status =
        allocate(count, texts) ? place_words(path, texts, error) : sac_no_memory(error, "tokens");
    for (int i = 0; i < count && status == SAC_OK; i++)
        if (!texts->text[i])
            status = sac_fail(error, SAC_E_FORMAT, path, "give that of this very model",
                              "has no word %d, and config.json has %d", i, count);
    return status;
}

sac_status sac_token_texts_read_letters(const char *folder, int count, sac_token_texts *texts,
                                        sac_error *error)
{
    char path[1100];
    snprintf(path, sizeof path, "%s/vocab.json", folder);
    sac_status status =
        allocate(count, texts) ? place_words(path, texts, error) : sac_no_memory(error, "tokens");
    snprintf(path, sizeof path, "%s/added_tokens.json", folder);
    if (status == SAC_OK && sac_is_regular(path))
        status = place_words(path, texts, error);
    for (int i = 0; i < count && status == SAC_OK; i++)
        texts->text[i] = texts->text[i] ? texts->text[i] : "<unk>";
    return status;
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
