/* The steps of a normalizer, each from one buffer into the next. */
#include "tokenizers/inside.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/cancel.h"
#include "base/text/utf8.h"
#include "tokenizers/text/unicode.h"

/* What a step reads: well-formed UTF-8, but for the first step, which reads what a person gave. */
typedef struct span {
    const char *bytes;
    size_t size;
} span;

static void clean(span in, sac_text_buffer *out)
{
    for (size_t at = 0; at < in.size;) {
        uint32_t code = sac_unicode_next(in.bytes, in.size, &at);
        bool blank = code == '\t' || code == '\n' || code == '\r';
        if (code == SAC_NO_CHARACTER || (!blank && sac_is_unshown(code)))
            continue;
        sac_text_append_code(out, sac_is_space(code) ? ' ' : code);
    }
}

static void space_ideographs(span in, sac_text_buffer *out)
{
    for (size_t at = 0; at < in.size;) {
        uint32_t code = sac_unicode_next(in.bytes, in.size, &at);
        const char *blank = sac_is_ideograph(code) ? " " : "";
        sac_text_append(out, blank, strlen(blank));
        sac_text_append_code(out, code);
        sac_text_append(out, blank, strlen(blank));
    }
}

static void apply_normal_form(span in, utf8proc_option_t form, sac_text_buffer *out)
{
    utf8proc_uint8_t *made = NULL;
    utf8proc_ssize_t size =
        utf8proc_map((const utf8proc_uint8_t *)in.bytes, (utf8proc_ssize_t)in.size, &made, form);
    if (size >= 0)
        sac_text_append(out, (const char *)made, (size_t)size);
    out->failed |= size < 0;
    free(made);
}

static void strip_marks(span in, bool all, sac_text_buffer *out)
{
    for (size_t at = 0; at < in.size;) {
        uint32_t code = sac_unicode_next(in.bytes, in.size, &at);
        if (!(all ? sac_is_any_mark : sac_is_mark)(code))
            sac_text_append_code(out, code);
    }
}

static void lowercase(span in, sac_text_buffer *out)
{
    for (size_t at = 0; at < in.size;) {
        uint32_t code = sac_unicode_next(in.bytes, in.size, &at);
        if (code == 0x130) /* İ: the only letter that becomes two */
            sac_text_append(out, "i\xcc\x87", 3);
        else
            sac_text_append_code(out, (uint32_t)utf8proc_tolower((utf8proc_int32_t)code));
    }
}

static void replace(span in, const sac_text_normalizer_step *step, sac_text_buffer *out)
{
    sac_matcher m;
    size_t copied = 0;
    out->failed |= !sac_matcher_begin(&m, step->pattern, out->steps);
    sac_matcher_set_text(&m, in.bytes, in.size);
    while (!out->failed && sac_matcher_next(&m)) {
        sac_text_append(out, in.bytes + copied, m.begin - copied);
        sac_text_append(out, step->to, strlen(step->to));
        copied = m.end;
    }
    sac_text_append(out, in.bytes + copied, in.size - copied);
    if (m.gave_up)
        sac_text_fail(out, SAC_TOO_MANY_STEPS);
    sac_matcher_end(&m);
}

static void prepend(span in, const sac_text_normalizer_step *step, sac_text_buffer *out)
{
    if (in.size)
        sac_text_append(out, step->to, strlen(step->to));
    sac_text_append(out, in.bytes, in.size);
}

static void map_bytes_to_characters(span in, sac_text_buffer *out)
{
    for (size_t i = 0; i < in.size; i++)
        sac_text_append_code(out, sac_byte_character((uint8_t)in.bytes[i]));
}

static void strip(span in, bool left, sac_text_buffer *out)
{
    size_t begin = left ? sac_leading_blanks(in.bytes, in.size) : 0;
    size_t end = in.size - (left ? 0 : sac_trailing_blanks(in.bytes, in.size));
    sac_text_append(out, in.bytes + begin, end - begin);
}

static void apply_nmt(span in, sac_text_buffer *out)
{
    for (size_t at = 0; at < in.size;) {
        uint32_t c = sac_unicode_next(in.bytes, in.size, &at);
        bool blank = c == 9 || c == 0xa || c == 0xc || c == 0xd || c == 0x1680 || c == 0x2028 ||
                     c == 0x2029 || (c >= 0x200b && c <= 0x200f) || c == 0x2581 || c == 0xfeff ||
                     c == 0xfffd;
        if (!blank && ((c >= 1 && c < 0x20) || c == 0x7f || c == 0x8f || c == 0x9f))
            continue;
        sac_text_append_code(out, blank ? ' ' : c);
    }
}

static void run_step(const sac_text_normalizer *normalizer, const sac_text_normalizer_step *step,
                     span in, sac_text_buffer *out)
{
    switch (step->kind) {
    case SAC_NORMALIZE_CLEAN:
        clean(in, out);
        break;
    case SAC_NORMALIZE_IDEOGRAPHS:
        space_ideographs(in, out);
        break;
    case SAC_NORMALIZE_NFC:
        apply_normal_form(in, UTF8PROC_STABLE | UTF8PROC_COMPOSE, out);
        break;
    case SAC_NORMALIZE_NFD:
        apply_normal_form(in, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE, out);
        break;
    case SAC_NORMALIZE_NFKC:
        apply_normal_form(in, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT, out);
        break;
    case SAC_NORMALIZE_NFKD:
        apply_normal_form(in, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT, out);
        break;
    case SAC_NORMALIZE_STRIP_MARKS:
    case SAC_NORMALIZE_STRIP_ALL_MARKS:
        strip_marks(in, step->kind == SAC_NORMALIZE_STRIP_ALL_MARKS, out);
        break;
    case SAC_NORMALIZE_LOWERCASE:
        lowercase(in, out);
        break;
    case SAC_NORMALIZE_REPLACE:
        replace(in, step, out);
        break;
    case SAC_NORMALIZE_PREPEND:
        prepend(in, step, out);
        break;
    case SAC_NORMALIZE_BYTES:
        map_bytes_to_characters(in, out);
        break;
    case SAC_NORMALIZE_STRIP_LEFT:
    case SAC_NORMALIZE_STRIP_RIGHT:
        strip(in, step->kind == SAC_NORMALIZE_STRIP_LEFT, out);
        break;
    case SAC_NORMALIZE_NMT:
        apply_nmt(in, out);
        break;
    case SAC_NORMALIZE_CHARSMAP:
        sac_charsmap_apply_to_graphemes(&normalizer->charsmap, in.bytes, in.size, out);
        break;
    case SAC_NORMALIZE_LONGEST:
        sac_charsmap_apply(&normalizer->charsmap, in.bytes, in.size, out);
        break;
    }
}

/* Where the pattern finds something at the beginning: its size; else 0. */
static size_t match_size_at_start(const sac_text_normalizer_step *step, span in, size_t *steps)
{
    sac_matcher m;
    size_t size = 0;
    if (sac_matcher_begin(&m, step->pattern, steps)) {
        sac_matcher_set_text(&m, in.bytes, in.size);
        size = sac_matcher_next(&m) && m.begin == 0 ? m.end : 0;
    }
    sac_matcher_end(&m);
    return size;
}

/* Whether the first character leaves anything. Most steps map single characters; where several
 * become one the last counts, as in `tokenizers`. */
static bool keeps_first_character(const sac_text_normalizer *normalizer,
                                  const sac_text_normalizer_step *step, span in, size_t *steps)
{
    sac_text_buffer kept = {.steps = steps};
    size_t end = 0;
    sac_unicode_next(in.bytes, in.size, &end);
    if (step->kind == SAC_NORMALIZE_REPLACE) {
        size_t found = match_size_at_start(step, in, steps);
        return found == 0 || (found <= end && step->to[0]);
    }
    if (step->kind == SAC_NORMALIZE_STRIP_RIGHT)
        return true;
    run_step(normalizer, step, (span){in.bytes, end}, &kept);
    bool keeps = kept.size > 0;
    sac_text_free(&kept);
    return keeps;
}

bool sac_text_normalize(const sac_text_normalizer *normalizer, const char *text, size_t size,
                        sac_text_buffer *out)
{
    size_t own = sac_pattern_step_limit(size), *steps = out->steps ? out->steps : &own;
    sac_text_buffer now = {.steps = steps}, next = {.most = out->most, .steps = steps};
    bool first = true;
    for (size_t at = 0; at < size;) /* so that every step reads UTF-8 */
        sac_text_append_code(&now, sac_unicode_next(text, size, &at));
    now.most = out->most;
    for (size_t i = 0; i < normalizer->count && now.size && !sac_cancel_asked(); i++) {
        const span in = {now.bytes, now.size};
        *steps -= in.size < *steps ? in.size : *steps; /* a step of any kind reads all of it */
        sac_text_clear(&next);
        first = first && keeps_first_character(normalizer, &normalizer->steps[i], in, steps);
        run_step(normalizer, &normalizer->steps[i], in, &next);
        sac_text_buffer other = now;
        now = next;
        next = other;
        if (*steps == 0)
            sac_text_fail(&now, SAC_TOO_MANY_STEPS);
        if (now.failed)
            break;
    }
    if (now.size && !now.failed)
        sac_text_append(out, now.bytes, now.size);
    out->failed |= now.failed;
    out->why = now.failed ? now.why : out->why;
    sac_text_free(&now);
    sac_text_free(&next);
    return first;
}

bool sac_text_normalizer_add(sac_text_normalizer *n, sac_text_normalizer_step step)
{
    sac_text_normalizer_step *grown =
        sac_list_grow(n->steps, n->count, &n->capacity, sizeof *n->steps);
    if (grown) {
        n->steps = grown;
        n->steps[n->count++] = step;
        return true;
    }
    free(step.to);
    sac_pattern_free(step.pattern);
    return false;
}

void sac_text_normalizer_free(sac_text_normalizer *n)
{
    for (size_t i = 0; i < n->count; i++) {
        free(n->steps[i].to);
        sac_pattern_free(n->steps[i].pattern);
    }
    free(n->steps);
    sac_charsmap_free(&n->charsmap);
    *n = (sac_text_normalizer){0};
}
