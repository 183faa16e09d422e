/* The ways to cut a text. Each reads the characters of one piece and tells where a piece of its own
 * ends. Tokenizers write them as regular expressions; those in use are few, and written out here.
 */
#include "tokenizers/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "formats/byte_level.h"
#include "tokenizers/unicode.h"

/* ---------------------------------------------------------------- characters of a piece */

typedef struct characters {
    uint32_t *code;
    size_t *begin; /* in bytes; one more than there are characters */
    size_t count;
} characters;

static bool read_characters(const char *text, size_t size, characters *c)
{
    *c = (characters){malloc((size + 1) * sizeof *c->code), malloc((size + 1) * sizeof *c->begin),
                      0};
    if (!c->code || !c->begin)
        return false;
    for (size_t at = 0; at < size; c->count++) {
        c->begin[c->count] = at;
        c->code[c->count] = sac_unicode_next(text, size, &at);
    }
    c->begin[c->count] = size;
    return true;
}

static void free_characters(characters *c)
{
    free(c->code);
    free(c->begin);
}

typedef bool is_of_class(uint32_t code);

/* The end of the run of a class that begins at i, of at most `most` characters. */
static size_t run_of(const characters *c, size_t i, is_of_class *in, size_t most)
{
    size_t end = i;
    while (end < c->count && end - i < most && in(c->code[end]))
        end++;
    return end;
}

/* Neither a blank, nor a letter, nor a number. */
static bool is_sign(uint32_t code)
{
    return !sac_is_space(code) && !sac_is_letter(code) && !sac_is_number(code);
}

static bool is_line_end(uint32_t code)
{
    return code == '\r' || code == '\n';
}

/* ---------------------------------------------------------------- the patterns of byte-level
 * models */

/* 's, 't, 're, 've, 'm, 'll, 'd at i: the end; i where there is none. */
static size_t contraction(const characters *c, size_t i, bool any_case)
{
    static const char *const endings[] = {"s", "t", "re", "ve", "m", "ll", "d"};
    if (c->code[i] != '\'')
        return i;
    for (size_t e = 0; e < sizeof endings / sizeof *endings; e++) {
        size_t k = 0;
        for (; endings[e][k] && i + 1 + k < c->count; k++) {
            uint32_t code = c->code[i + 1 + k];
            if (any_case)
                code = code == 0x17f ? 's' : code < 0x80 ? code | 0x20 : code; /* ſ is an s */
            if (code != (uint32_t)endings[e][k])
                break;
        }
        if (!endings[e][k])
            return i + 1 + k;
    }
    return i;
}

/* \s+(?!\S)|\s+: the blank before a word stays with the word. */
static size_t blanks(const characters *c, size_t i)
{
    size_t end = run_of(c, i, sac_is_space, SIZE_MAX);
    return end < c->count && end > i + 1 ? end - 1 : end;
}

/* 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ */
static size_t gpt2_end(const characters *c, size_t i)
{
    is_of_class *const classes[] = {sac_is_letter, sac_is_number, is_sign};
    size_t end = contraction(c, i, false);
    size_t first = i + (c->code[i] == ' ');
    for (size_t k = 0; k < 3 && end == i; k++)
        end = run_of(c, first, classes[k], SIZE_MAX) > first
                  ? run_of(c, first, classes[k], SIZE_MAX)
                  : i;
    return end > i ? end : blanks(c, i);
}

/* [^\r\n\p{L}\p{N}]?\p{L}+ */
static size_t word_with_sign(const characters *c, size_t i)
{
    uint32_t code = c->code[i];
    bool leads = !is_line_end(code) && !sac_is_letter(code) && !sac_is_number(code);
    size_t first = i + leads, end = run_of(c, first, sac_is_letter, SIZE_MAX);
    return end > first ? end : i;
}

/* ` ?[^\s\p{L}\p{N}]+[\r\n]*` */
static size_t signs_with_line_ends(const characters *c, size_t i)
{
    size_t first = i + (c->code[i] == ' '), end = run_of(c, first, is_sign, SIZE_MAX);
    return end > first ? run_of(c, end, is_line_end, SIZE_MAX) : i;
}

/* \s*[\r\n]+: to the last line end of the run of blanks. */
static size_t blank_lines(const characters *c, size_t i)
{
    size_t end = run_of(c, i, sac_is_space, SIZE_MAX);
    while (end > i && !is_line_end(c->code[end - 1]))
        end--;
    return end;
}

/* (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,most}| ?[^\s\p{L}\p{N}]+[\r\n]*|
 * \s*[\r\n]+|\s+(?!\S)|\s+ */
static size_t cl100k_end(const characters *c, size_t i, size_t digits)
{
    size_t end = contraction(c, i, true);
    end = end > i ? end : word_with_sign(c, i);
    end = end > i ? end : run_of(c, i, sac_is_number, digits);
    end = end > i ? end : signs_with_line_ends(c, i);
    end = end > i ? end : blank_lines(c, i);
    return end > i ? end : blanks(c, i);
}

/* ---------------------------------------------------------------- the other cuts */

/* A run of the class, or of what is not of it. */
static size_t run_or_rest(const characters *c, size_t i, is_of_class *in)
{
    size_t end = run_of(c, i, in, SIZE_MAX);
    if (end > i)
        return end;
    while (end < c->count && !in(c->code[end]))
        end++;
    return end;
}

static size_t mark_end(const characters *c, size_t i)
{
    size_t end = i + 1;
    while (end < c->count && c->code[end] != SAC_WORD_MARK)
        end++;
    return end;
}

static size_t bert_end(const characters *c, size_t i)
{
    size_t end = i + 1;
    if (sac_is_punctuation(c->code[i]))
        return end;
    while (end < c->count && !sac_is_space(c->code[end]) && !sac_is_punctuation(c->code[end]))
        end++;
    return end;
}

/* The end of the piece that begins at character i. */
static size_t end_of_piece(sac_split_kind kind, const characters *c, size_t i)
{
    switch (kind) {
    case SAC_SPLIT_BERT:
        return bert_end(c, i);
    case SAC_SPLIT_BLANKS:
        return run_or_rest(c, i, sac_is_space);
    case SAC_SPLIT_DIGITS:
        return run_or_rest(c, i, sac_is_number);
    case SAC_SPLIT_EACH_DIGIT:
        return sac_is_number(c->code[i]) ? i + 1 : run_or_rest(c, i, sac_is_number);
    case SAC_SPLIT_GPT2:
        return gpt2_end(c, i);
    case SAC_SPLIT_CL100K:
        return cl100k_end(c, i, 3);
    case SAC_SPLIT_CL100K_ONE:
        return cl100k_end(c, i, 1);
    case SAC_SPLIT_AT_MARKS:
        return mark_end(c, i);
    case SAC_SPLIT_SPACE_FIRST:
    case SAC_SPLIT_MARKS:
    case SAC_SPLIT_MARK_EACH:
    case SAC_SPLIT_MARK_FIRST:
    case SAC_SPLIT_BYTES:
        break;
    }
    return c->count;
}

static bool drops_blanks(sac_split_kind kind)
{
    return kind == SAC_SPLIT_BERT || kind == SAC_SPLIT_BLANKS;
}

/* ---------------------------------------------------------------- steps over all pieces */

/* Ends the piece whose bytes were appended last. */
static void end_piece(sac_pieces *p)
{
    size_t *grown = sac_list_grow(p->ends, p->count, &p->capacity, sizeof *p->ends);
    if (grown) {
        p->ends = grown;
        p->ends[p->count++] = p->text.size;
    }
    p->text.failed |= !grown;
}

static void cut(sac_split_kind kind, const char *text, size_t size, sac_pieces *out)
{
    characters c;
    bool read = read_characters(text, size, &c);
    out->text.failed |= !read;
    for (size_t i = 0, end; read && i < c.count; i = end) {
        if (drops_blanks(kind) && sac_is_space(c.code[i])) {
            out->begins &= out->count > 0;
            end = i + 1;
            continue;
        }
        end = end_of_piece(kind, &c, i);
        sac_text_append(&out->text, text + c.begin[i], c.begin[end] - c.begin[i]);
        end_piece(out);
    }
    free_characters(&c);
}

static void mark_spaces(const char *text, size_t size, sac_text_buffer *out)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == ' ')
            sac_text_append_code(out, SAC_WORD_MARK);
        else
            sac_text_append(out, text + i, 1);
    }
}

/* `sign` before a text that begins with another. */
static void lead(const char *sign, const char *text, size_t size, sac_text_buffer *out)
{
    size_t length = strlen(sign);
    if (size < length || memcmp(text, sign, length) != 0)
        sac_text_append(out, sign, length);
    sac_text_append(out, text, size);
}

static void rewrite(sac_split_kind kind, const char *text, size_t size, sac_pieces *out)
{
    bool first = out->count == 0 && out->begins;
    if (kind == SAC_SPLIT_SPACE_FIRST)
        lead(" ", text, size, &out->text);
    else if (kind == SAC_SPLIT_MARK_EACH || kind == SAC_SPLIT_MARK_FIRST)
        lead(first || kind == SAC_SPLIT_MARK_EACH ? "\xe2\x96\x81" : "", text, size, &out->text);
    else if (kind == SAC_SPLIT_MARKS)
        mark_spaces(text, size, &out->text);
    else
        for (size_t i = 0; i < size; i++)
            sac_text_append_code(&out->text, sac_byte_character((uint8_t)text[i]));
    end_piece(out);
}

static bool rewrites(sac_split_kind kind)
{
    return kind == SAC_SPLIT_SPACE_FIRST || kind == SAC_SPLIT_BYTES || kind == SAC_SPLIT_MARKS ||
           kind == SAC_SPLIT_MARK_EACH || kind == SAC_SPLIT_MARK_FIRST;
}

static void run_step(sac_split_kind kind, const sac_pieces *in, sac_pieces *out)
{
    out->begins = in->begins;
    for (size_t i = 0; i < in->count && !out->text.failed; i++) {
        size_t begin = i ? in->ends[i - 1] : 0;
        (rewrites(kind) ? rewrite : cut)(kind, in->text.bytes + begin, in->ends[i] - begin, out);
    }
}

bool sac_split(const sac_splitter *splitter, const char *text, size_t size, sac_pieces *pieces)
{
    if (size == 0)
        return true;
    sac_text_append(&pieces->text, text, size);
    end_piece(pieces);
    for (size_t i = 0; i < splitter->count && !pieces->text.failed; i++) {
        sac_pieces next = {0};
        run_step(splitter->steps[i], pieces, &next);
        sac_pieces_free(pieces);
        *pieces = next;
    }
    return !pieces->text.failed;
}

void sac_pieces_free(sac_pieces *pieces)
{
    sac_text_free(&pieces->text);
    free(pieces->ends);
    *pieces = (sac_pieces){0};
}
