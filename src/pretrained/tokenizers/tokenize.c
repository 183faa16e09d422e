/* A text through the steps of a tokenizer: added tokens are taken out, the rest is normalized, cut
 * into pieces, and each piece becomes tokens. */
#include <stdio.h>
#include <string.h>

#include "arrays/byte_level.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "tokenizers/inside.h"
#include "tokenizers/text/unicode.h"

/* ---------------------------------------------------------------- text to tokens */

/* One text on its way. */
typedef struct encoding {
    const sac_tokenizer *t;
    sac_tokens *tokens;
    size_t room;     /* bytes that normalizer and cuts may still make of it */
    size_t steps;    /* that their patterns may still take */
    const char *why; /* of a failure other than out of memory */
} encoding;

static bool encode_unigrams(const sac_tokenizer *t, const char *text, size_t size,
                            sac_tokens *tokens)
{
    return sac_unigram_tokens(t, &t->unigram, text, size, tokens);
}

/* Pieces of a normalized text to tokens. */
static bool encode_plain(encoding *e, const char *text, size_t size, bool begins)
{
    static bool (*const models[])(const sac_tokenizer *, const char *, size_t,
                                  sac_tokens *) = {[SAC_WORDPIECE] = sac_wordpiece,
                                                   [SAC_BPE] = sac_bpe,
                                                   [SAC_WORDLEVEL] = sac_wordlevel,
                                                   [SAC_UNIGRAM] = encode_unigrams};
    const sac_tokenizer *t = e->t;
    sac_pieces pieces = {.begins = begins, .text = {.most = e->room, .steps = &e->steps}};
    bool made = sac_split(&t->splitter, text, size, &pieces);
    for (size_t i = 0, begin = 0; i < pieces.count && made; begin = pieces.ends[i++])
        made = !sac_cancel_asked() &&
               models[t->model](t, pieces.text.bytes + begin, pieces.ends[i] - begin, e->tokens);
    e->room -= pieces.text.size < e->room ? pieces.text.size : e->room - 1;
    e->why = pieces.text.why ? pieces.text.why : e->why;
    sac_pieces_free(&pieces);
    return made;
}

/* Whether the bytes from `begin` on have no character of a word beside them. */
static bool stands_alone(const char *text, size_t size, size_t begin, size_t length)
{
    size_t before = begin, after = begin + length, end = after;
    while (before > 0 && ((unsigned char)text[--before] & 0xc0) == 0x80)
        ;
    return (begin == 0 || !sac_is_word(sac_unicode_next(text, size, &before))) &&
           (end == size || !sac_is_word(sac_unicode_next(text, size, &after)));
}

/* The first added token of the kind in the text, the longest of those that begin there, and where
 * it begins; NULL: there is none. */
static const sac_added_token *find_added(const sac_tokenizer *t, bool normalized, const char *text,
                                         size_t size, size_t *begin)
{
    const sac_added_token *found = NULL;
    for (*begin = 0; *begin < size && !found; *begin += !found) {
        size_t longest = 0;
        if (*begin % 256 == 0 && sac_cancel_asked())
            return NULL;
        if (!t->begins_added[(unsigned char)text[*begin]])
            continue;
        for (size_t i = 0; i < t->added_count; i++) {
            const sac_added_token *a = &t->added[i];
            if (a->normalized == normalized && a->size > longest && a->size <= size - *begin &&
                memcmp(text + *begin, a->text, a->size) == 0) {
                found = a;
                longest = a->size;
            }
        }
        if (found && found->is_word && !stands_alone(text, size, *begin, longest)) {
            found = NULL;
            *begin += longest - 1;
        }
    }
    return found;
}

/* `begins`: the text is the beginning of all that is encoded. */
typedef bool encode_rest(encoding *e, const char *text, size_t size, bool begins);

/* Takes the added tokens of the kind out of a text, and gives what is between them to `rest`. */
static bool take_added(encoding *e, bool normalized, const char *text, size_t size, bool begins,
                       encode_rest *rest)
{
    const sac_tokenizer *t = e->t;
    bool made = true;
    for (; size && made; begins = false) {
        size_t begin;
        const sac_added_token *added = find_added(t, normalized, text, size, &begin);
        size_t plain = begin - (added && added->strips_left ? sac_blanks_before(text, begin) : 0);
        made = !sac_cancel_asked() && rest(e, text, plain, begins) &&
               (!added || sac_tokens_append(e->tokens, added->id));
        size_t taken = begin + (added ? added->size : 0);
        if (added && added->strips_right)
            taken += sac_blanks_after(text + taken, size - taken);
        text += taken;
        size -= taken;
    }
    return made;
}

static bool encode_raw(encoding *e, const char *text, size_t size, bool begins)
{
    const sac_tokenizer *t = e->t;
    if (t->model == SAC_MARIAN || t->model == SAC_MAPPED)
        return (t->model == SAC_MARIAN ? sac_marian : sac_mapped)(t, text, size, e->tokens);
    sac_text_buffer normal = {.most = e->room, .steps = &e->steps};
    bool keeps_first = sac_normalize(&t->normalizer, text, size, &normal) || t->begins_anyway;
    begins = begins && keeps_first;
    e->why = normal.why ? normal.why : e->why;
    bool made =
        !normal.failed && take_added(e, true, normal.bytes, normal.size, begins, encode_plain);
    sac_text_free(&normal);
    return made;
}

static bool append_all(sac_tokens *tokens, const int *ids, size_t count)
{
    bool made = true;
    for (size_t i = 0; i < count && made; i++)
        made = sac_tokens_append(tokens, ids[i]);
    return made;
}

static encoding begin(const sac_tokenizer *t, size_t size, sac_tokens *tokens)
{
    return (encoding){
        .t = t, .tokens = tokens, .room = 16 * size + (1 << 20), .steps = sac_pattern_steps(size)};
}

bool sac_tokenizer_encode_part(const sac_tokenizer *t, const char *text, size_t size,
                               sac_tokens *tokens)
{
    encoding e = begin(t, size, tokens);
    return take_added(&e, false, text, size, true, encode_raw);
}

sac_status sac_tokenizer_encode(const sac_tokenizer *t, const char *text, bool framed,
                                sac_tokens *tokens, sac_error *error)
{
    int from = -1, to;
    const bool is_told = framed && t->languages.count, is_behind = t->languages.behind;
    sac_status status = is_told ? sac_languages_read(t, &text, &from, &to, error) : SAC_OK;
    if (status != SAC_OK)
        return status;
    size_t size = strlen(text);
    encoding e = begin(t, size, tokens);
    bool made = append_all(tokens, t->before, framed ? t->before_count : 0) &&
                append_all(tokens, &from, is_told && !is_behind) &&
                take_added(&e, false, text, size, true, encode_raw) &&
                append_all(tokens, t->after, framed ? t->after_count : 0) &&
                append_all(tokens, &from, is_told && is_behind);
    status = sac_cancel_check("text", error);
    if (status == SAC_OK && !made)
        status = e.why ? sac_fail(error, SAC_E_FORMAT, "text", "give the tokenizer of this model",
                                  "%s", e.why)
                       : sac_no_memory(error, "text");
    return status;
}

sac_status sac_tokenizer_encode_pair(const sac_tokenizer *t, const char *first, const char *second,
                                     sac_tokens *tokens, size_t *from, sac_error *error)
{
    bool own = t->between_count > 0;
    const int *between = own ? t->between : t->after;
    size_t count = own ? t->between_count : t->after_count;
    *from = 0;
    if (!count)
        return SAC_OK;
    bool made = append_all(tokens, t->before, t->before_count);
    sac_status status =
        made ? sac_tokenizer_encode(t, first, false, tokens, error) : sac_no_memory(error, "text");
    if (status == SAC_OK && !append_all(tokens, between, count))
        status = sac_no_memory(error, "text");
    *from = tokens->count;
    if (status == SAC_OK)
        status = sac_tokenizer_encode(t, second, false, tokens, error);
    if (status == SAC_OK && !append_all(tokens, t->after, t->after_count))
        status = sac_no_memory(error, "text");
    return status;
}

/* ---------------------------------------------------------------- tokens to text */

/* The bytes of a token without the ending of a word, if it has one. */
static size_t size_without_ending(const sac_tokenizer *t, const char *token)
{
    size_t size = strlen(token), suffix = strlen(t->suffix);
    bool ends = suffix && size >= suffix && strcmp(token + size - suffix, t->suffix) == 0;
    return size - (ends ? suffix : 0);
}

static void append_bytes_of(const sac_tokenizer *t, const char *token, sac_text_buffer *out)
{
    size_t size = size_without_ending(t, token);
    for (size_t at = 0; at < size;) {
        size_t begin = at;
        int byte = sac_character_byte(sac_unicode_next(token, size, &at));
        char one = (char)byte;
        sac_text_append(out, byte >= 0 ? &one : token + begin, byte >= 0 ? 1 : at - begin);
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
static void append_wordpiece(const sac_tokenizer *t, const char *token, sac_text_buffer *out)
{
    size_t prefix = strlen(t->prefix);
    bool inside = prefix && strncmp(token, t->prefix, prefix) == 0;
    if (out->size && !inside && (t->keeps_gaps || !closes_gap(token)))
        sac_text_append(out, " ", 1);
    sac_text_append(out, token + (inside ? prefix : 0), strlen(token) - (inside ? prefix : 0));
}

/* Whether a ▁ is a space, and not the one before the first word. */
static bool is_space(const sac_tokenizer *t, bool first, const sac_text_buffer *out)
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

/* SentencePiece's tokens: ▁ is a space, <0x0A> a byte. */
static void append_sentencepiece(const sac_tokenizer *t, const char *token, bool first,
                                 sac_text_buffer *out)
{
    unsigned byte;
    char end;
    if (t->byte_fallback && sscanf(token, "<0x%2X%c", &byte, &end) == 2 && end == '>' &&
        strlen(token) == 6) {
        char one = (char)byte;
        sac_text_append(out, &one, 1);
        return;
    }
    for (size_t at = 0, size = strlen(token); at < size;) {
        uint32_t code = sac_unicode_next(token, size, &at);
        if (code != SAC_WORD_MARK)
            sac_text_append_code(out, code);
        else if (is_space(t, first, out))
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

/* A copy that is UTF-8; NULL: out of memory. */
static char *valid_text(const sac_text_buffer *text)
{
    sac_text_buffer valid = {0};
    sac_text_append(&valid, "", 0);
    for (size_t at = 0; at < text->size;)
        sac_text_append_code(&valid, sac_unicode_next(text->bytes, text->size, &at));
    if (!valid.failed && !text->failed)
        return valid.bytes;
    sac_text_free(&valid);
    return NULL;
}

/* As the file tells, or the model has it; else there is a space between tokens. */
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

/* Takes off the space that stands before a text, and the blanks around it that the class strips. */
static void trim(const sac_tokenizer *t, sac_text_buffer *text)
{
    bool is_mapped = t->model == SAC_MARIAN || t->model == SAC_MAPPED;
    size_t first = 0;
    if (!text->size)
        return;
    if (is_mapped)
        first = sac_blanks_after(text->bytes, text->size);
    else if (joining_of(t) == SAC_JOIN_MARKS && t->first_blank == SAC_FIRST_ONE)
        first = text->bytes[0] == ' ';
    text->size -= first;
    memmove(text->bytes, text->bytes + first, text->size);
    if (is_mapped || (joining_of(t) == SAC_JOIN_BYTES && t->suffix[0]))
        text->size -= sac_blanks_before(text->bytes, text->size);
}

/* The tokens' bytes, one after the other. */
static void append_tokens(const sac_tokenizer *t, const int *ids, size_t count,
                          sac_text_buffer *text)
{
    bool ended = false, first = true;
    for (size_t i = 0; i < count; i++) {
        const char *token = sac_tokenizer_token(t, ids[i]);
        if (!token || sac_tokenizer_is_special(t, ids[i]))
            continue;
        switch (joining_of(t)) {
        case SAC_JOIN_BYTES:
            append_bytes_of(t, token, text);
            break;
        case SAC_JOIN_WORDPIECES:
            append_wordpiece(t, token, text);
            break;
        case SAC_JOIN_MARKS:
            append_sentencepiece(t, token, first, text);
            break;
        case SAC_JOIN_BY_MODEL:
            if (!first)
                sac_text_append(text, " ", 1);
            sac_text_append(text, token, strlen(token));
            break;
        case SAC_JOIN_ENDINGS:
            append_bpe(t, token, &ended, text);
        }
        first = false;
    }
    trim(t, text);
}

char *sac_tokenizer_decode(const sac_tokenizer *t, const int *ids, size_t count)
{
    sac_text_buffer text = {0};
    append_tokens(t, ids, count, &text);
    char *valid = valid_text(&text);
    sac_text_free(&text);
    return valid;
}

char *sac_tokenizer_show(const sac_tokenizer *t, int id)
{
    sac_text_buffer text = {0}, shown = {0};
    append_tokens(t, &id, 1, &text);
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
