/* Each step cuts or rewrites the pieces of the one before it. */
#include "tokenizers/inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/text/utf8.h"
#include "tokenizers/text/unicode.h"

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

/* ---------------------------------------------------------------- cuts */

/* A part of a piece that a pattern found, or that lies between two of those. */
typedef struct part {
    size_t begin, end;
    bool found;
} part;

typedef struct parts {
    part *list;
    size_t count, capacity;
    bool failed;
} parts;

static void add_part(parts *p, size_t begin, size_t end, bool found)
{
    part *grown = sac_list_grow(p->list, p->count, &p->capacity, sizeof *p->list);
    p->failed |= !grown;
    if (!grown)
        return;
    p->list = grown;
    p->list[p->count++] = (part){begin, end, found};
}

static void find_parts(const sac_split_step *step, sac_matcher *m, const char *text, size_t size,
                       parts *p)
{
    size_t at = 0;
    p->count = 0;
    sac_matcher_set_text(m, text, size);
    while (!p->failed && sac_matcher_next(m)) {
        if (m->begin > at)
            add_part(p, at, m->begin, step->inverted);
        if (m->end > m->begin)
            add_part(p, m->begin, m->end, !step->inverted);
        at = m->end;
    }
    if (at < size)
        add_part(p, at, size, step->inverted);
}

/* Whether part i and the one before it are one piece. */
static bool joins(sac_split_behavior behavior, const parts *p, size_t i)
{
    const part *before = &p->list[i - 1], *now = &p->list[i];
    switch (behavior) {
    case SAC_SPLIT_MERGED_WITH_PREVIOUS: /* of several found in a row the first */
        return now->found && !before->found;
    case SAC_SPLIT_MERGED_WITH_NEXT: /* the last */
        return before->found && !now->found;
    case SAC_SPLIT_CONTIGUOUS:
        return before->found == now->found;
    case SAC_SPLIT_ISOLATED:
    case SAC_SPLIT_REMOVED:
        break;
    }
    return false;
}

static void append_joined_parts(sac_split_behavior behavior, const parts *p, const char *text,
                                sac_pieces *out)
{
    for (size_t i = 0, last; i < p->count && !out->text.failed; i = last + 1) {
        for (last = i; last + 1 < p->count && joins(behavior, p, last + 1);)
            last++;
        if (behavior == SAC_SPLIT_REMOVED && p->list[i].found) {
            out->begins &= out->count > 0;
            continue;
        }
        sac_text_append(&out->text, text + p->list[i].begin, p->list[last].end - p->list[i].begin);
        end_piece(out);
    }
}

static void cut_all(const sac_split_step *step, const sac_pieces *in, sac_pieces *out)
{
    sac_matcher m;
    parts p = {.failed = !sac_matcher_begin(&m, step->pattern, out->text.steps)};
    for (size_t i = 0, begin = 0; i < in->count && !out->text.failed; begin = in->ends[i++]) {
        const char *text = in->text.bytes + begin;
        if (!p.failed && !sac_cancel_asked())
            find_parts(step, &m, text, in->ends[i] - begin, &p);
        if (m.gave_up)
            sac_text_fail(&out->text, SAC_TOO_MANY_STEPS);
        out->text.failed |= p.failed || sac_cancel_asked();
        append_joined_parts(step->behavior, &p, text, out);
    }
    sac_matcher_end(&m);
    free(p.list);
}

/* ---------------------------------------------------------------- pieces rewritten */

/* `sign` before a text that begins with another. */
static void append_with_prefix(const char *sign, const char *text, size_t size,
                               sac_text_buffer *out)
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
        append_with_prefix(" ", text, size, &out->text);
    else if (kind == SAC_SPLIT_MARK_EACH || kind == SAC_SPLIT_MARK_FIRST)
        append_with_prefix(first || kind == SAC_SPLIT_MARK_EACH ? "\xe2\x96\x81" : "", text, size,
                           &out->text);
    else if (kind == SAC_SPLIT_MARKS)
        for (size_t i = 0; i < size; i++) {
            if (text[i] == ' ')
                sac_text_append_code(&out->text, SAC_WORD_MARK);
            else
                sac_text_append(&out->text, text + i, 1);
        }
    else
        for (size_t i = 0; i < size; i++)
            sac_text_append_code(&out->text, sac_byte_character((uint8_t)text[i]));
    end_piece(out);
}

static void rewrite_all(sac_split_kind kind, const sac_pieces *in, sac_pieces *out)
{
    for (size_t i = 0, begin = 0; i < in->count && !out->text.failed; begin = in->ends[i++])
        rewrite(kind, in->text.bytes + begin, in->ends[i] - begin, out);
}

/* ---------------------------------------------------------------- all steps */

bool sac_split(const sac_splitter *splitter, const char *text, size_t size, sac_pieces *pieces)
{
    if (size == 0)
        return true;
    sac_text_append(&pieces->text, text, size);
    end_piece(pieces);
    for (size_t i = 0; i < splitter->count && !pieces->text.failed; i++) {
        const sac_split_step *step = &splitter->steps[i];
        sac_pieces next = {.text = {.most = pieces->text.most, .steps = pieces->text.steps},
                           .begins = pieces->begins};
        if (step->kind == SAC_SPLIT_PATTERN)
            cut_all(step, pieces, &next);
        else
            rewrite_all(step->kind, pieces, &next);
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

bool sac_splitter_add(sac_splitter *s, sac_split_step step)
{
    sac_split_step *grown = sac_list_grow(s->steps, s->count, &s->capacity, sizeof *s->steps);
    if (grown) {
        s->steps = grown;
        s->steps[s->count++] = step;
        return true;
    }
    sac_pattern_free(step.pattern);
    return false;
}

void sac_splitter_free(sac_splitter *s)
{
    for (size_t i = 0; i < s->count; i++)
        sac_pattern_free(s->steps[i].pattern);
    free(s->steps);
    *s = (sac_splitter){0};
}
