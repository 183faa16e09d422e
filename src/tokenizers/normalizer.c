/* The steps of a normalizer, each from one buffer into the next. */
#include "tokenizers/normalizer.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "tokenizers/unicode.h"

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
        if (code == SAC_NO_CHARACTER || (!blank && sac_is_other(code)))
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

static void normal_form(span in, utf8proc_option_t form, sac_text_buffer *out)
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

static void replace(span in, const sac_normalizer_step *step, sac_text_buffer *out)
{
    size_t from = strlen(step->from);
    for (size_t at = 0; at < in.size;) {
        bool found = in.size - at >= from && memcmp(in.bytes + at, step->from, from) == 0;
        if (found)
            sac_text_append(out, step->to, strlen(step->to));
        else
            sac_text_append(out, in.bytes + at, 1);
        at += found ? from : 1;
    }
}

static void prepend(span in, const sac_normalizer_step *step, sac_text_buffer *out)
{
    if (in.size)
        sac_text_append(out, step->to, strlen(step->to));
    sac_text_append(out, in.bytes, in.size);
}

static void replace_spaces(span in, const sac_normalizer_step *step, sac_text_buffer *out)
{
    for (size_t at = 0, end; at < in.size; at = end) {
        end = at;
        while (end < in.size && in.bytes[end] == ' ')
            end++;
        if (end - at >= 2)
            sac_text_append(out, step->to, strlen(step->to));
        else
            sac_text_append(out, in.bytes + at, 1);
        end += end == at;
    }
}

static void strip(span in, bool left, sac_text_buffer *out)
{
    size_t begin = left ? sac_blanks_after(in.bytes, in.size) : 0;
    size_t end = in.size - (left ? 0 : sac_blanks_before(in.bytes, in.size));
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

static void run_step(const sac_normalizer *normalizer, const sac_normalizer_step *step, span in,
                     sac_text_buffer *out)
{
    switch (step->kind) {
    case SAC_NORMALIZE_CLEAN:
        clean(in, out);
        break;
    case SAC_NORMALIZE_IDEOGRAPHS:
        space_ideographs(in, out);
        break;
    case SAC_NORMALIZE_NFC:
        normal_form(in, UTF8PROC_STABLE | UTF8PROC_COMPOSE, out);
        break;
    case SAC_NORMALIZE_NFD:
        normal_form(in, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE, out);
        break;
    case SAC_NORMALIZE_NFKC:
        normal_form(in, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT, out);
        break;
    case SAC_NORMALIZE_NFKD:
        normal_form(in, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT, out);
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
    case SAC_NORMALIZE_SPACES:
        replace_spaces(in, step, out);
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
    }
}

static bool begins_with(span in, const char *text)
{
    size_t size = strlen(text);
    return in.size >= size && memcmp(in.bytes, text, size) == 0;
}

/* Whether anything becomes of the first character, which most steps take by itself. Of several that
 * become one, the last is meant, as in `tokenizers`. */
static bool keeps_first(const sac_normalizer *normalizer, const sac_normalizer_step *step, span in)
{
    sac_text_buffer kept = {0};
    size_t end = 0;
    sac_unicode_next(in.bytes, in.size, &end);
    if (step->kind == SAC_NORMALIZE_REPLACE && strlen(step->from) > end)
        return !begins_with(in, step->from);
    if (step->kind == SAC_NORMALIZE_SPACES)
        return !begins_with(in, "  ");
    if (step->kind == SAC_NORMALIZE_STRIP_RIGHT)
        return true;
    run_step(normalizer, step, (span){in.bytes, end}, &kept);
    bool keeps = kept.size > 0;
    sac_text_free(&kept);
    return keeps;
}

bool sac_normalize(const sac_normalizer *normalizer, const char *text, size_t size,
                   sac_text_buffer *out)
{
    sac_text_buffer now = {0}, next = {0};
    bool first = true;
    for (size_t at = 0; at < size;) /* so that every step reads UTF-8 */
        sac_text_append_code(&now, sac_unicode_next(text, size, &at));
    for (size_t i = 0; i < normalizer->count && now.size; i++) {
        sac_text_clear(&next);
        first =
            first && keeps_first(normalizer, &normalizer->steps[i], (span){now.bytes, now.size});
        run_step(normalizer, &normalizer->steps[i], (span){now.bytes, now.size}, &next);
        sac_text_buffer other = now;
        now = next;
        next = other;
    }
    if (now.size)
        sac_text_append(out, now.bytes, now.size);
    out->failed |= now.failed || next.failed;
    sac_text_free(&now);
    sac_text_free(&next);
    return first;
}
