/* Tokens to text, as the decoder of `tokenizers` and the class of `transformers` 5 make it. */
#include <stdlib.h>
#include <string.h>

#include "base/text/utf8.h"
#include "tokenizers/inside.h"
#include "tokenizers/text/unicode.h"

#define UNREADABLE "\uFFFD"

/* ---------------------------------------------------------------- one token */

/* The bytes of a token without the ending of a word, if it has one. */
static size_t size_without_ending(const sac_tokenizer *t, const char *token)
{
    size_t size = strlen(token), suffix = strlen(t->suffix);
    bool ends = suffix && size >= suffix && strcmp(token + size - suffix, t->suffix) == 0;
    return size - (ends ? suffix : 0);
}

/* A token with a character that stands for no byte is text as it is. */
static void append_bytes_of(const sac_tokenizer *t, const char *token, sac_text_buffer *out)
{
    size_t size = size_without_ending(t, token), begin = out->size;
    bool is_text = false;
    for (size_t at = 0; at < size && !is_text;) {
        int byte = sac_character_byte(sac_unicode_next(token, size, &at));
        char one = (char)byte;
        is_text = byte < 0;
        sac_text_append(out, &one, !is_text);
    }
    if (is_text && !out->failed) {
        out->size = begin;
        sac_text_append(out, token, size);
    }
    if (token[size])
        sac_text_append(out, " ", 1);
}

/* True for signs and endings that are written without the space that other words have before them.
 */
static bool closes_gap(const char *token)
{
    static const char *const closing[] = {".", "?", "!", ",", "n't", "'m", "'s", "'ve", "'re"};
    for (size_t i = 0; i < sizeof closing / sizeof *closing; i++)
        if (strncmp(token, closing[i], strlen(closing[i])) == 0)
            return true;
    return false;
}

/* A piece inside a word is joined to the one before it; others follow a space. */
static void append_wordpiece(const sac_tokenizer *t, const char *token, bool first,
                             sac_text_buffer *out)
{
    size_t prefix = strlen(t->prefix);
    bool inside = !first && prefix && strncmp(token, t->prefix, prefix) == 0;
    if (!first && !inside && (t->keeps_gaps || !closes_gap(token)))
        sac_text_append(out, " ", 1);
    sac_text_append(out, token + (inside ? prefix : 0), strlen(token) - (inside ? prefix : 0));
}

/* Whether a ▁ is a space, and not the one before the first word. */
static bool writes_mark_as_space(const sac_tokenizer *t, bool first, const sac_text_buffer *out)
{
    switch (t->first_blank) {
    case SAC_FIRST_ALL:
        return out->size > 0;
    case SAC_FIRST_TOKEN:
        return !first;
    case SAC_FIRST_ONE: /* goes when all is there */
    case SAC_FIRST_NONE:
        break;
    }
    return true;
}

/* <0x0A>; −1: the token is no byte. */
static int byte_of(const sac_tokenizer *t, const char *token)
{
    unsigned byte;
    char end;
    bool joins = t->has_decoder ? t->joins_bytes : t->byte_fallback;
    bool is_byte =
        joins && strlen(token) == 6 && sscanf(token, "<0x%2X%c", &byte, &end) == 2 && end == '>';
    return is_byte ? (int)byte : -1;
}

/* SentencePiece's tokens: ▁ is a space. */
static void append_sentencepiece(const sac_tokenizer *t, const char *token, bool first,
                                 sac_text_buffer *out)
{
    for (size_t at = 0, size = strlen(token); at < size;) {
        uint32_t code = sac_unicode_next(token, size, &at);
        if (code != SAC_WORD_MARK)
            sac_text_append_code(out, code);
        else if (writes_mark_as_space(t, first, out))
            sac_text_append(out, " ", 1);
    }
}

/* After a piece that ends a word, the next one comes after a space. */
static void append_bpe(const sac_tokenizer *t, const char *token, bool *ended, sac_text_buffer *out)
{
    size_t size = size_without_ending(t, token);
    if (*ended)
        sac_text_append(out, " ", 1);
    *ended = token[size] != '\0';
    sac_text_append(out, token, size);
}

/* That of the file, or of the model; else there is a space between tokens. */
static sac_joining joining_of(const sac_tokenizer *t)
{
    if (t->joining != SAC_JOIN_BY_MODEL)
        return t->joining;
    if (t->byte_level)
        return SAC_JOIN_BYTES;
    if (t->model == SAC_WORDPIECE)
        return SAC_JOIN_WORDPIECES;
    if (t->byte_fallback || t->model == SAC_UNIGRAM || t->model == SAC_MARIAN ||
        t->model == SAC_MAPPED)
        return SAC_JOIN_MARKS;
    return t->suffix[0] ? SAC_JOIN_ENDINGS : SAC_JOIN_BY_MODEL;
}

/* ---------------------------------------------------------------- all tokens */

/* A text, and where in it each of `count` tokens ends; ends NULL: not needed. */
typedef struct decoded {
    sac_text_buffer text;
    size_t *ends, count;
} decoded;

/* Bytes <0x…> in a row that are no text: each of them is U+FFFD. `first` is the token that the run began with, and
 * `count` how many tokens were appended. */
static void replace_invalid_byte_run(decoded *d, size_t begin, size_t first, size_t count)
{
    size_t size = d->text.size - begin;
    if (d->text.failed || sac_utf8_valid(d->text.bytes + begin, size))
        return;
    for (size_t i = first; d->ends && i < count; i++)
        d->ends[i] = begin + strlen(UNREADABLE) * (d->ends[i] - begin);
    d->text.size = begin;
    for (size_t i = 0; i < size; i++)
        sac_text_append(&d->text, UNREADABLE, strlen(UNREADABLE));
}

/* The tokens' bytes, one after the other. `raw`: bytes that are no text stay. */
static void append_tokens(const sac_tokenizer *t, const int *ids, size_t count, bool raw,
                          decoded *d)
{
    const sac_joining joining = joining_of(t);
    bool ended = false, first = true, runs = false;
    size_t run = 0, run_first = 0;
    for (size_t i = 0; i < count; i++) {
        const char *token = sac_tokenizer_token(t, ids[i]);
        bool is_text = token && !sac_tokenizer_is_special(t, ids[i]);
        bool has_bytes = joining == SAC_JOIN_MARKS || joining == SAC_JOIN_PLAIN;
        int byte = is_text && has_bytes ? byte_of(t, token) : -1;
        char one = (char)byte;
        if (is_text && runs && byte < 0) {
            if (!raw)
                replace_invalid_byte_run(d, run, run_first, i);
            runs = false;
        }
        if (byte >= 0 && !runs) {
            runs = true;
            run = d->text.size;
            run_first = i;
        }
        if (byte >= 0)
            sac_text_append(&d->text, &one, 1);
        else if (is_text && joining == SAC_JOIN_BYTES)
            append_bytes_of(t, token, &d->text);
        else if (is_text && joining == SAC_JOIN_WORDPIECES)
            append_wordpiece(t, token, first, &d->text);
        else if (is_text && joining == SAC_JOIN_MARKS)
            append_sentencepiece(t, token, first, &d->text);
        else if (is_text && joining == SAC_JOIN_ENDINGS)
            append_bpe(t, token, &ended, &d->text);
        else if (is_text) {
            sac_text_append(&d->text, " ", !first && joining != SAC_JOIN_PLAIN);
            sac_text_append(&d->text, token, strlen(token));
        }
        first = first && !is_text;
        if (d->ends)
            d->ends[i] = d->text.size;
    }
    if (runs && !raw)
        replace_invalid_byte_run(d, run, run_first, count);
}

/* ---------------------------------------------------------------- the text rewritten */

/* A text is copied from byte to byte, and the ends of tokens with it. */
typedef struct rewriting {
    decoded *d;
    sac_text_buffer to;
    size_t at, next; /* byte of the text; the first end behind it */
} rewriting;

/* Goes on over `size` bytes, in whose place `bytes` stand. */
static void replace_bytes(rewriting *r, size_t size, const char *bytes, size_t put_size)
{
    sac_text_append(&r->to, bytes, put_size);
    r->at += size;
    for (; r->d->ends && r->next < r->d->count && r->d->ends[r->next] <= r->at; r->next++)
        r->d->ends[r->next] = r->to.size;
}

static rewriting begin_rewriting(decoded *d)
{
    rewriting r = {.d = d};
    replace_bytes(&r, 0, "", 0);
    return r;
}

static void end_rewriting(rewriting *r)
{
    r->to.failed |= r->d->text.failed;
    sac_text_free(&r->d->text);
    r->d->text = r->to;
}

/* Bytes at the beginning of what is no UTF-8 that might have become one character: one U+FFFD stands for
 * them (Unicode 15, table 3-7). */
static size_t invalid_sequence_size(const char *text, size_t size)
{
    const unsigned char *b = (const unsigned char *)text;
    unsigned low = b[0] == 0xe0 ? 0xa0 : b[0] == 0xf0 ? 0x90 : 0x80;
    unsigned high = b[0] == 0xed ? 0x9f : b[0] == 0xf4 ? 0x8f : 0xbf;
    if (b[0] < 0xe0 || b[0] > 0xf4 || size < 2 || b[1] < low || b[1] > high)
        return 1;
    return b[0] >= 0xf0 && size > 2 && (b[2] & 0xc0) == 0x80 ? 3 : 2;
}

/* A NUL, which would end the text, becomes U+FFFD, too. */
static void make_valid(decoded *d)
{
    rewriting r = begin_rewriting(d);
    while (r.at < d->text.size) {
        const char *text = d->text.bytes + r.at;
        uint32_t code;
        size_t left = d->text.size - r.at, size = sac_utf8_at(text, left, &code);
        if (code == UINT32_MAX || !code)
            replace_bytes(&r, code ? invalid_sequence_size(text, left) : 1, UNREADABLE,
                          strlen(UNREADABLE));
        else
            replace_bytes(&r, size, text, size);
    }
    end_rewriting(&r);
}

/* Takes off the space that stands before a text, and the blanks around it that the class strips. */
static void trim(const sac_tokenizer *t, decoded *d)
{
    bool is_mapped = t->model == SAC_MARIAN || t->model == SAC_MAPPED;
    size_t first = 0, end = d->text.size;
    if (!end || d->text.failed)
        return;
    if (is_mapped)
        first = sac_leading_blanks(d->text.bytes, end);
    else if (joining_of(t) == SAC_JOIN_MARKS && t->first_blank == SAC_FIRST_ONE)
        first = d->text.bytes[0] == ' ';
    else if (joining_of(t) == SAC_JOIN_BYTES && t->suffix[0])
        first = sac_leading_blanks(d->text.bytes, end);
    if (is_mapped || (joining_of(t) == SAC_JOIN_BYTES && t->suffix[0]))
        end -= sac_trailing_blanks(d->text.bytes, end);
    end = end > first ? end : first;
    rewriting r = begin_rewriting(d);
    replace_bytes(&r, first, "", 0);
    while (r.at < end)
        replace_bytes(&r, 1, d->text.bytes + r.at, 1);
    replace_bytes(&r, d->text.size - end, "", 0);
    end_rewriting(&r);
}

/* clean_up_tokenization of `transformers`: the blanks of what it looks for go. */
static void clean_up_blanks(decoded *d)
{
    static const char *const gaps[] = {" .",   " ?",  " !",  " ,",   " ' ",
                                       " n't", " 'm", " 's", " 've", " 're"};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps && d->text.size && !d->text.failed; i++) {
        const size_t size = strlen(gaps[i]);
        rewriting r = begin_rewriting(d);
        while (r.at < d->text.size) {
            const char *text = d->text.bytes + r.at;
            bool found = strncmp(text, gaps[i], size) == 0;
            for (size_t k = 0; k < (found ? size : 1); k++)
                replace_bytes(&r, 1, text + k, !found || text[k] != ' ');
        }
        end_rewriting(&r);
    }
}

/* The size of "<|12.34|>" at the beginning of a text; 0: it begins with something else. */
static size_t time_size(const char *text)
{
    size_t whole, part;
    if (strncmp(text, "<|", 2) != 0 || !(whole = strspn(text + 2, "0123456789")) ||
        text[2 + whole] != '.' || !(part = strspn(text + 3 + whole, "0123456789")) ||
        strncmp(text + 3 + whole + part, "|>", 2) != 0)
        return 0;
    return whole + part + strlen("<|.|>");
}

static void drop_times(decoded *d)
{
    if (d->text.failed || !d->text.size)
        return;
    rewriting r = begin_rewriting(d);
    while (r.at < d->text.size) {
        size_t time = time_size(d->text.bytes + r.at);
        replace_bytes(&r, time ? time : 1, d->text.bytes + r.at, time ? 0 : 1);
    }
    end_rewriting(&r);
}

char *sac_tokenizer_decode_with_ends(const sac_tokenizer *t, const int *ids, size_t count,
                                     size_t *ends)
{
    decoded d = {.ends = ends, .count = count};
    sac_text_append(&d.text, "", 0);
    append_tokens(t, ids, count, false, &d);
    make_valid(&d);
    trim(t, &d);
    if (t->cleans)
        clean_up_blanks(&d);
    if (t->drops_times)
        drop_times(&d);
    sac_text_append(&d.text, "", 0);
    if (!d.text.failed)
        return d.text.bytes;
    sac_text_free(&d.text);
    return NULL;
}

char *sac_tokenizer_decode(const sac_tokenizer *t, const int *ids, size_t count)
{
    return sac_tokenizer_decode_with_ends(t, ids, count, NULL);
}

bool sac_tokenizer_has_byte_pieces(const sac_tokenizer *t)
{
    return t->byte_level;
}

char *sac_tokenizer_show(const sac_tokenizer *t, int id)
{
    sac_text_buffer text, shown = {0};
    decoded d = {0};
    append_tokens(t, &id, 1, true, &d);
    trim(t, &d);
    text = d.text;
    sac_text_append(&shown, "", 0);
    bool open = false;
    for (size_t at = 0; at < text.size;) {
        uint32_t code;
        char byte[8];
        size_t size = sac_utf8_at(text.bytes + at, text.size - at, &code);
        bool is_byte = size == 1 && (text.bytes[at] & 0x80);
        if (open && !is_byte)
            sac_text_append(&shown, "›", strlen("›"));
        if (is_byte)
            snprintf(byte, sizeof byte, "%s%02X", open ? " " : "‹", (unsigned char)text.bytes[at]);
        if (is_byte)
            sac_text_append(&shown, byte, strlen(byte));
        else
            sac_text_append(&shown, text.bytes + at, size);
        open = is_byte;
        at += size;
    }
    if (open)
        sac_text_append(&shown, "›", strlen("›"));
    bool failed = text.failed || shown.failed;
    sac_text_free(&text);
    if (!failed)
        return shown.bytes;
    sac_text_free(&shown);
    return NULL;
}
