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

static void strip_marks(span in, sac_text_buffer *out)
{
    for (size_t at = 0; at < in.size;) {
        uint32_t code = sac_unicode_next(in.bytes, in.size, &at);
        if (!sac_is_mark(code))
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

static void run_step(const sac_normalizer_step *step, span in, sac_text_buffer *out)
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
        strip_marks(in, out);
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
    }
}

void sac_normalize(const sac_normalizer *normalizer, const char *text, size_t size,
                   sac_text_buffer *out)
{
    sac_text_buffer now = {0}, next = {0};
    for (size_t at = 0; at < size;) /* so that every step reads UTF-8 */
        sac_text_append_code(&now, sac_unicode_next(text, size, &at));
    for (size_t i = 0; i < normalizer->count && now.size; i++) {
        sac_text_clear(&next);
        run_step(&normalizer->steps[i], (span){now.bytes, now.size}, &next);
        sac_text_buffer other = now;
        now = next;
        next = other;
    }
    if (now.size)
        sac_text_append(out, now.bytes, now.size);
    out->failed |= now.failed || next.failed;
    sac_text_free(&now);
    sac_text_free(&next);
}
