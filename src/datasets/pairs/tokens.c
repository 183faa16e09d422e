/* Cuts sentences into tokens, and joins them. */
#include "pairs/tokens.h"

#include <utf8proc.h>

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/text/utf8.h"
#include "pictures/letters.h"
#include "pictures/words.h"

/* ---------------------------------------------------------------- cutting */

/* A sentence on its way into tokens. */
typedef struct cutting {
    sac_sentence_tokens *tokens;
    size_t used;
    uint32_t before; /* the last character of the token that may go on; 0: none may */
    bool is_word;    /* that token is a word */
    bool blank;      /* one stood since */
    bool lower;
} cutting;

static bool is_blank(uint32_t code)
{
    utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)code);
    return (c >= UTF8PROC_CATEGORY_ZS && c <= UTF8PROC_CATEGORY_CC) || code == 0x200b;
}

static bool is_digit(uint32_t code)
{
    return utf8proc_category((utf8proc_int32_t)code) == UTF8PROC_CATEGORY_ND;
}

/* Adds a character to the token, or begins one with it. */
static void append_character(cutting *c, uint32_t code, bool goes_on, bool is_word)
{
    char *text = c->tokens->text;
    if (!goes_on) {
        if (c->tokens->count)
            text[c->used++] = ' ';
        c->tokens->joined[c->tokens->count++] = !c->blank;
    }
    if (c->lower)
        code = (uint32_t)utf8proc_tolower((utf8proc_int32_t)code);
    c->used += sac_utf8_encode(code, text + c->used);
    c->before = code;
    c->is_word = is_word;
    c->blank = false;
}

/* Takes an apostrophe; `next` is the text behind it. */
static void put_apostrophe(cutting *c, const char *next)
{
    const char *at = next;
    uint32_t letter = sac_utf8_next(&at);
    bool ending = sac_letter_begins_ending(next);
    bool inside = c->is_word && c->before && sac_letter_is_of_word(letter);
    append_character(c, '\'', inside, inside || ending);
    c->before = ending ? 'a' : 0; /* "don't" and "'s" go on; "l'" ends */
}

/* True where a character of "3.14", "12:30" or "1,000" goes on with the number. */
static bool is_inside_number(const cutting *c, uint32_t code, const char *next)
{
    return (code == '.' || code == ',' || code == ':') && c->before && is_digit(c->before) &&
           is_digit(sac_utf8_next(&next));
}

static void tokenize_character(cutting *c, uint32_t code, const char *next)
{
    const char *at = next;
    if (is_blank(code)) {
        c->before = 0;
        c->blank = true;
        return;
    }
    if (sac_letter_is_joiner(code) && c->is_word && c->before) {
        uint32_t letter = sac_utf8_next(&at);
        if (sac_letter_is_of_word(letter) && sac_letter_continues_word(c->before, letter))
            c->used += sac_utf8_encode(code, c->tokens->text + c->used);
        return;
    }
    if (sac_letter_is_invisible(code))
        return;
    if (sac_letter_is_apostrophe(code))
        put_apostrophe(c, next);
    else if (is_inside_number(c, code, next)) {
        uint32_t digit = c->before;
        append_character(c, code, true, true);
        c->before = digit; /* the next one is of the number, too */
    } else if (sac_letter_is_of_word(code))
        append_character(
            c, code, c->is_word && c->before && sac_letter_continues_word(c->before, code), true);
    else
        append_character(c, code, !c->is_word && c->before == code, false); /* "..." is one */
}

bool sac_sentence_tokens_cut(const char *sentence, bool lower, sac_sentence_tokens *tokens)
{
    *tokens = (sac_sentence_tokens){0};
    utf8proc_uint8_t *composed = utf8proc_NFC((const utf8proc_uint8_t *)sentence);
    const char *text = composed ? (const char *)composed : sentence; /* not UTF-8: as it is */
    size_t length = strlen(text), room;
    cutting c = {.tokens = tokens, .blank = true, .lower = lower};
    if (sac_checked_mul(length, 3, &room) && sac_checked_add(room, 4, &room)) {
        tokens->text = malloc(room);
        tokens->joined = malloc(length + 1);
    }
    bool made = tokens->text && tokens->joined;
    while (made && *text) {
        uint32_t code = sac_utf8_next(&text);
        tokenize_character(&c, code, text);
    }
    if (made)
        tokens->text[c.used] = '\0';
    free(composed);
    return made;
}

void sac_sentence_tokens_free(sac_sentence_tokens *tokens)
{
    free(tokens->text);
    free(tokens->joined);
    *tokens = (sac_sentence_tokens){0};
}

const char *sac_sentence_tokens_next(const char *text, size_t *size)
{
    return sac_caption_next_word(text, size);
}

/* ---------------------------------------------------------------- what a token is */

static uint32_t first_of(const char *token, size_t size)
{
    uint32_t code;
    sac_utf8_at(token, size, &code);
    return code;
}

bool sac_token_is_mark(const char *token, size_t size)
{
    for (size_t at = 0; at < size;) {
        uint32_t code;
        at += sac_utf8_at(token + at, size - at, &code);
        if (sac_letter_is_of_word(code))
            return false;
    }
    return true;
}

bool sac_token_ends_sentence(const char *token, size_t size)
{
    static const char *const ends[] = {".", "!", "?", "…", "。", "！", "？", "؟", "।", "۔", "։"};
    for (size_t i = 0; size && i < sizeof ends / sizeof *ends; i++) {
        size_t own = strlen(ends[i]);
        if (size >= own && memcmp(token, ends[i], own) == 0)
            return sac_token_is_mark(token, size);
    }
    return false;
}

bool sac_token_may_join(const char *token, size_t size)
{
    return sac_token_is_mark(token, size) || token[0] == '\'' || token[size - 1] == '\'';
}

/* ---------------------------------------------------------------- capitals */

static size_t copy_with_first_letter_case(const char *token, size_t size, char *to, bool capital)
{
    uint32_t code;
    size_t first = sac_utf8_at(token, size, &code);
    utf8proc_int32_t letter = (utf8proc_int32_t)code;
    size_t used = 0;
    if (code != UINT32_MAX)
        used = sac_utf8_encode(
            (uint32_t)(capital ? utf8proc_totitle(letter) : utf8proc_tolower(letter)), to);
    if (!used)
        memcpy(to, token, used = first);
    memcpy(to + used, token + first, size - first);
    to[used + size - first] = '\0';
    return used + size - first;
}

size_t sac_token_lowercase_first(const char *token, size_t size, char *to)
{
    return copy_with_first_letter_case(token, size, to, false);
}

size_t sac_token_capitalize_first(const char *token, size_t size, char *to)
{
    return copy_with_first_letter_case(token, size, to, true);
}

/* ---------------------------------------------------------------- joining */

void sac_joining_add(sac_joining *j, const char *token, uint8_t joins, bool capital, char *text,
                     size_t size)
{
    size_t length = strlen(token);
    char word[sizeof j->before + 4];
    if (length == 0 || length >= sizeof j->before)
        return;
    if (joins & SAC_JOINS_TURNS) {
        j->open = !j->open;
        joins = j->open ? SAC_JOINS_RIGHT : SAC_JOINS_LEFT;
    }
    bool blank = j->used && !(joins & SAC_JOINS_LEFT) && !(j->joins & SAC_JOINS_RIGHT) &&
                 sac_script_needs_blank(j->before, token);
    bool is_mark = sac_token_is_mark(token, length);
    memcpy(word, token, length + 1);
    if (capital && !j->begun && !is_mark && first_of(token, length) != '\'')
        length = sac_token_capitalize_first(token, length, word);
    if (j->used + blank + length + 1 > size)
        return;
    if (blank)
        text[j->used++] = ' ';
    memcpy(text + j->used, word, length + 1);
    j->used += length;
    j->begun = is_mark ? j->begun && !sac_token_ends_sentence(token, length) : true;
    j->joins = joins;
    strcpy(j->before, token);
}
