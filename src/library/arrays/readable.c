/* Writes tokens as people read them. */
#include <stdlib.h>
#include <string.h>

#include "arrays/byte_level.h"
#include "arrays/labels.h"
#include "base/error.h"
#include "base/text/utf8.h"

enum { SPACE_MARK = 0x120, LINE_MARK = 0x10a, WORD_MARK = 0x2581, DOT = 0xb7 };

/* ---------------------------------------------------------------- bytes written as characters */

/* The bytes that the label's characters stand for, as text; false where a character stands for
 * none, or unless `cut` a letter is cut in two. */
static bool decode_bytes(const char *label, bool cut, char *out)
{
    size_t used = 0;
    for (const char *c = label; *c;) {
        int byte = sac_character_byte(sac_utf8_next(&c));
        if (byte <= 0)
            return false;
        out[used++] = (char)byte;
    }
    out[used] = '\0';
    return cut || sac_utf8_valid(out, used);
}

/* True where the bytes that the characters stand for are letters of several bytes one after the other,
 * in labels or across them ("ä¸Ń", "é¦" and "ĸ"), and some of those characters stand for nothing else
 * (from U+0122 on). A language without blanks has no mark. */
static bool spell_letters(const sac_labels *labels)
{
    int left = 0; /* bytes of the letter that are still to come */
    bool ended = false, sure = false;
    for (size_t i = 0; i < labels->count; i++)
        for (const char *c = labels->text[i]; *c;) {
            uint32_t code = sac_utf8_next(&c);
            int byte = sac_character_byte(code);
            bool begins = byte >= 0xc2 && byte < 0xf5, goes_on = byte >= 0x80 && byte < 0xc0;
            if (left > 0 ? !goes_on : byte >= 0x80 && !begins)
                return false;
            sure |= code >= 0x122 && goes_on;
            ended |= left == 1;
            left = left > 0 ? left - 1 : begins ? 1 + (byte >= 0xe0) + (byte >= 0xf0) : 0;
        }
    return ended && sure;
}

/* True where one label has the mark of a byte-level tokenizer: then all labels are its. */
static bool are_marked(const sac_labels *labels)
{
    for (size_t i = 0; i < labels->count; i++)
        for (const char *c = labels->text[i]; *c;) {
            uint32_t code = sac_utf8_next(&c);
            if (code == SPACE_MARK || code == LINE_MARK)
                return true;
        }
    return false;
}

/* ---------------------------------------------------------------- what is not seen */

static bool is_blank(const char *text)
{
    return text[strspn(text, " ")] == '\0';
}

static uint32_t seen(uint32_t code, bool blank, bool first)
{
    switch (code) {
    case '\n':
        return 0x23ce; /* ⏎ */
    case '\r':
        return 0x240d; /* ␍ */
    case '\t':
        return 0x21e5; /* ⇥ */
    case ' ':
        return blank ? 0x2423 /* ␣ */ : first ? DOT : code;
    default: /* controls, and what is no character for ever, which files of text do not take */
        return code < ' ' || code == 0x7f || (code & 0xfffe) == 0xfffe ||
                       (code >= 0xfdd0 && code <= 0xfdef)
                   ? 0xfffd
                   : code;
    }
}

/* `out` has space for three bytes for each of `text`'s and for a blank. */
static void show(const char *text, char *out)
{
    bool blank = is_blank(text), first = true;
    size_t used = 0;
    text += strncmp(text, "##", 2) == 0 && text[2] ? 2 : 0;
    const char *end = text + strlen(text);
    if (end - text > 4 && strcmp(end - 4, "</w>") == 0)
        end -= 4;
    for (const char *c = *text ? text : " "; *c && c != end; first = false)
        used += sac_utf8_encode(seen(sac_utf8_next(&c), blank, first), out + used);
    out[used] = '\0';
}

/* Writes ▁ as a space, and Ġ too if the rest of the label is not byte-level text. `out` has space
 * for three bytes for each of the label's. */
static void marks_to_spaces(const char *label, char *out)
{
    size_t used = 0;
    for (const char *c = label; *c;) {
        uint32_t code = sac_utf8_next(&c);
        used += sac_utf8_encode(code == WORD_MARK || code == SPACE_MARK ? ' ' : code, out + used);
    }
    out[used] = '\0';
}

static sac_status make_readable(char **label, bool byte_level, bool cut, sac_error *error)
{
    size_t size = strlen(*label);
    char *plain = malloc(3 * size + 1), *shown = malloc(9 * size + 8);
    if (!plain || !shown) {
        free(plain);
        free(shown);
        return sac_no_memory(error, NULL);
    }
    if (!byte_level || !decode_bytes(*label, cut, plain))
        marks_to_spaces(*label, plain);
    show(plain, shown);
    free(plain);
    free(*label);
    *label = shown;
    return SAC_OK;
}

sac_status sac_labels_make_readable(sac_labels *labels, sac_error *error)
{
    bool letters = spell_letters(labels), byte_level = letters || are_marked(labels);
    sac_status status = SAC_OK;
    for (size_t i = 0; i < labels->count && status == SAC_OK; i++)
        status = make_readable(&labels->text[i], byte_level, letters, error);
    return status;
}
