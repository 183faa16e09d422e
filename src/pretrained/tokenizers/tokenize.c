/* A text through the steps of a tokenizer: added tokens are taken out, the rest is normalized, cut
 * into pieces, and each piece becomes tokens. */
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
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
static bool encode_normalized(encoding *e, const char *text, size_t size, bool begins)
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
static bool encode_around_added(encoding *e, bool normalized, const char *text, size_t size,
                                bool begins, encode_rest *rest)
{
    const sac_tokenizer *t = e->t;
    bool made = true;
    for (; size && made; begins = false) {
        size_t begin;
        const sac_added_token *added = find_added(t, normalized, text, size, &begin);
        size_t plain = begin - (added && added->strips_left ? sac_trailing_blanks(text, begin) : 0);
        made = !sac_cancel_asked() && rest(e, text, plain, begins) &&
               (!added || sac_tokens_append(e->tokens, added->id));
        size_t taken = begin + (added ? added->size : 0);
        if (added && added->strips_right)
            taken += sac_leading_blanks(text + taken, size - taken);
        text += taken;
        size -= taken;
    }
    return made;
}

static bool encode_unnormalized(encoding *e, const char *text, size_t size, bool begins)
{
    const sac_tokenizer *t = e->t;
    if (t->model == SAC_MARIAN || t->model == SAC_MAPPED)
        return (t->model == SAC_MARIAN ? sac_marian_encode : sac_mapped_encode)(t, text, size,
                                                                                e->tokens);
    sac_text_buffer normal = {.most = e->room, .steps = &e->steps};
    bool keeps_first = sac_text_normalize(&t->normalizer, text, size, &normal) || t->begins_anyway;
    begins = begins && keeps_first;
    e->why = normal.why ? normal.why : e->why;
    bool made = !normal.failed &&
                encode_around_added(e, true, normal.bytes, normal.size, begins, encode_normalized);
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
    return (encoding){.t = t,
                      .tokens = tokens,
                      .room = 16 * size + (1 << 20),
                      .steps = sac_pattern_step_limit(size)};
}

bool sac_tokenizer_encode_part(const sac_tokenizer *t, const char *text, size_t size,
                               sac_tokens *tokens)
{
    encoding e = begin(t, size, tokens);
    return encode_around_added(&e, false, text, size, true, encode_unnormalized);
}

sac_status sac_tokenizer_encode(const sac_tokenizer *t, const char *text, bool framed,
                                sac_tokens *tokens, sac_error *error)
{
    int from = -1, to;
    const bool is_mentioned = framed && t->languages.count, is_behind = t->languages.behind;
    sac_status status =
        is_mentioned ? sac_languages_read_prefix(t, &text, &from, &to, error) : SAC_OK;
    if (status != SAC_OK)
        return status;
    size_t size = strlen(text);
    encoding e = begin(t, size, tokens);
    bool made = append_all(tokens, t->before, framed ? t->before_count : 0) &&
                append_all(tokens, &from, is_mentioned && !is_behind) &&
                encode_around_added(&e, false, text, size, true, encode_unnormalized) &&
                append_all(tokens, t->after, framed ? t->after_count : 0) &&
                append_all(tokens, &from, is_mentioned && is_behind);
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
    if (!count || t->no_pairs)
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

bool sac_tokenizer_separator(const sac_tokenizer *t, char *text, size_t size)
{
    bool own = t->between_count > 0;
    int count = own ? t->between_count : t->after_count;
    size_t used = 0;
    for (int i = 0; i < count && used < size; i++) {
        const char *token = sac_tokenizer_token(t, own ? t->between[i] : t->after[i]);
        used += (size_t)snprintf(text + used, size - used, "%s", token ? token : "");
    }
    return used > 0 && used < size && !t->no_pairs;
}

static void remove_tokens(sac_tokens *tokens, size_t at, size_t count)
{
    tokens->count -= count;
    memmove(tokens->ids + at, tokens->ids + at + count, (tokens->count - at) * sizeof *tokens->ids);
}

/* What is left of texts of those lengths, "longest_first": the shorter one stays whole where half of
 * the room holds it. */
static void shorten_pair_lengths(size_t room, size_t length[2])
{
    size_t *shorter = &length[length[0] > length[1]], *longer = &length[length[0] <= length[1]];
    if (*shorter + *longer <= room)
        return;
    if (2 * *shorter > room) {
        *shorter = room / 2;
        *longer = room - room / 2;
    } else
        *longer = room - *shorter;
}

bool sac_tokenizer_truncate(const sac_tokenizer *t, size_t most, sac_tokens *tokens, size_t *from)
{
    const bool has_language = t->languages.count > 0, behind = t->languages.behind;
    size_t before = t->before_count + (has_language && !behind),
           after = t->after_count + (has_language && behind);
    size_t between = !*from ? 0 : t->between_count ? t->between_count : t->after_count;
    size_t frame = before + between + after, second = *from;
    if (tokens->count <= most)
        return false;
    if (most <= frame || tokens->count < frame) { /* no room for words */
        tokens->count = most;
        *from = second < most ? second : 0;
        return true;
    }
    size_t length[2] = {second ? second - between - before : tokens->count - frame,
                        second ? tokens->count - after - second : 0};
    size_t left[2] = {length[0], length[1]};
    shorten_pair_lengths(most - frame, left);
    if (second)
        remove_tokens(tokens, second + left[1], length[1] - left[1]);
    remove_tokens(tokens, before + left[0], length[0] - left[0]);
    *from = second ? second - (length[0] - left[0]) : 0;
    return true;
}
