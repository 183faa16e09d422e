/* Writes tokens as people read them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/labels.h"
#include "base/error.h"
#include "base/text/utf8.h"

enum { SPACE_MARK = 0x120, LINE_MARK = 0x10a, WORD_MARK = 0x2581, DOT = 0xb7 };

/* ---------------------------------------------------------------- bytes written as characters */

/* The bytes that the label's characters stand for, as text; false where a character stands for
 * none, or a letter is cut in two. */
static bool decode_bytes_to_text(const char *label, char *out)
{
    size_t used = 0;
    for (const char *c = label; *c;) {
        int byte = sac_character_byte(sac_utf8_next(&c));
        if (byte <= 0)
            return false;
        out[used++] = (char)byte;
    }
    out[used] = '\0';
    return sac_utf8_valid(out, used);
}

/* True where each of the label's characters stands for a byte. */
static bool is_byte_level_label(const char *label)
{
    while (*label)
        if (sac_character_byte(sac_utf8_next(&label)) <= 0)
            return false;
    return true;
}

/* True where the bytes that the characters stand for are letters of several bytes one after the other,
 * in labels or across them ("ä¸Ń", "é¦" and "ĸ"), and some of those characters stand for nothing else
 * (from U+0122 on). A language without blanks has no mark. */
static bool labels_spell_letters(const sac_labels *labels)
{
    int left = 0; /* bytes of the letter that are still to come */
    bool ended = false, sure = false;
    for (size_t i = 0; i < labels->count; i++) {
        if (!is_byte_level_label(labels->text[i])) { /* it stands as it is, and within no letter */
            if (left > 0)
                return false;
            continue;
        }
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
    }
    return ended && sure;
}

/* True where one label has the mark of a byte-level tokenizer: then all labels are its. */
static bool has_byte_level_marks(const sac_labels *labels)
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

static uint32_t visible_code_point(uint32_t code, bool blank, bool first)
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
static void write_visible_text(const char *text, char *out)
{
    bool blank = text[strspn(text, " ")] == '\0', first = true;
    size_t used = 0;
    text += strncmp(text, "##", 2) == 0 && text[2] ? 2 : 0;
    const char *end = text + strlen(text);
    if (end - text > 4 && strcmp(end - 4, "</w>") == 0)
        end -= 4;
    for (const char *c = *text ? text : " "; *c && c != end; first = false)
        used += sac_utf8_encode(visible_code_point(sac_utf8_next(&c), blank, first), out + used);
    out[used] = '\0';
}

/* A token that stands for one byte, "<0x0A>", as that character, or where it is a part of one as "‹E4›". */
static bool byte_to_text(const char *label, char *out)
{
    unsigned byte;
    char end;
    if (strlen(label) != 6 || sscanf(label, "<0x%2X%c", &byte, &end) != 2 || end != '>')
        return false;
    bool is_seen = (byte >= ' ' && byte < 0x7f) || byte == '\n' || byte == '\r' || byte == '\t';
    sprintf(out, is_seen ? "%c" : "‹%02X›", byte);
    return true;
}

/* True where some of the label's characters, which all stand for bytes, stand for nothing else: "Ģ". */
static bool has_hidden_bytes(const char *label)
{
    if (!is_byte_level_label(label))
        return false;
    while (*label)
        if (sac_utf8_next(&label) >= 0x122)
            return true;
    return false;
}

/* The bytes of a label that cuts letters: what is whole as text, the others as "‹80›". `out` has space for
 * nine bytes for each of them. */
static void write_cut_bytes(const char *label, char *out)
{
    char bytes[5] = "";
    size_t have = 0, used = 0;
    bool open = false;
    for (const char *c = label; *c || have;) {
        while (*c && have < 4)
            bytes[have++] = (char)sac_character_byte(sac_utf8_next(&c));
        uint32_t code;
        const size_t size = sac_utf8_at(bytes, have, &code);
        const bool is_cut = code == UINT32_MAX;
        if (is_cut)
            used += (size_t)sprintf(out + used, "%s%02X", open ? " " : "‹", (uint8_t)*bytes);
        else
            used += (size_t)sprintf(out + used, "%s%.*s", open ? "›" : "", (int)size, bytes);
        open = is_cut;
        have -= size;
        memmove(bytes, bytes + size, have);
    }
    sprintf(out + used, "%s", open ? "›" : "");
}

/* Writes ▁ as a space, and Ġ too if the rest of the label is not byte-level text. `out` has space
 * for three bytes for each of the label's. */
static void marks_to_spaces(const char *label, char *out)
{
    size_t used = 0;
    if (byte_to_text(label, out))
        return;
    for (const char *c = label; *c;) {
        uint32_t code = sac_utf8_next(&c);
        used += sac_utf8_encode(code == WORD_MARK || code == SPACE_MARK ? ' ' : code, out + used);
    }
    out[used] = '\0';
}

/* In place of the label what is shown of `plain`. */
static sac_status replace_with_visible(char **label, const char *plain, sac_error *error)
{
    char *shown = malloc(3 * strlen(plain) + 8);
    if (!shown)
        return sac_no_memory(error, NULL);
    write_visible_text(plain, shown);
    free(*label);
    *label = shown;
    return SAC_OK;
}

static sac_status make_readable(char **label, bool byte_level, sac_error *error)
{
    char *plain = malloc(9 * strlen(*label) + 1);
    if (!plain)
        return sac_no_memory(error, NULL);
    if (byte_level && !decode_bytes_to_text(*label, plain) && has_hidden_bytes(*label))
        write_cut_bytes(*label, plain);
    else if (!byte_level || !decode_bytes_to_text(*label, plain))
        marks_to_spaces(*label, plain);
    sac_status status = replace_with_visible(label, plain, error);
    free(plain);
    return status;
}

/* ---------------------------------------------------------------- letters over several labels */

static size_t letter_size(uint8_t begin)
{
    return begin < 0xc2 ? 1 : 2 + (size_t)(begin >= 0xe0) + (size_t)(begin >= 0xf0);
}

/* All labels' bytes one after the other, and where each label's begin. */
typedef struct byte_run {
    uint8_t *bytes;
    size_t *begin; /* [count + 1] */
} byte_run;

/* The part of a letter that label `i` has from byte `at` on, as the letter with the number of the part,
 * "中²"; bytes of one that never ends as "‹E4›". Returns how many bytes it is of. */
static size_t write_letter_part(const byte_run *run, size_t count, size_t i, size_t at, char *out,
                                size_t *used)
{
    static const char *const numbers[] = {"¹", "²", "³", "⁴"};
    size_t end = run->begin[i + 1], from = at, part = 0;
    while ((run->bytes[from] & 0xc0) == 0x80)
        from--;
    size_t size = letter_size(run->bytes[from]), stop = from + size < end ? from + size : end;
    for (size_t k = i; run->begin[k] > from; k--) /* labels between there and here */
        part += run->begin[k] < run->begin[k + 1];
    if (from + size <= run->begin[count])
        *used += (size_t)sprintf(out + *used, "%.*s%s", (int)size, (const char *)run->bytes + from,
                                 numbers[part < 3 ? part : 3]);
    else
        for (size_t k = at; k < stop; k++)
            *used += (size_t)sprintf(out + *used, "%s%02X%s", k > at ? " " : "‹", run->bytes[k],
                                     k + 1 < stop ? "" : "›");
    return stop - at;
}

static void write_letters(const byte_run *run, size_t count, size_t i, char *out)
{
    size_t used = 0;
    for (size_t at = run->begin[i]; at < run->begin[i + 1];) {
        size_t size = letter_size(run->bytes[at]);
        bool is_whole = (run->bytes[at] & 0xc0) != 0x80 && at + size <= run->begin[i + 1];
        if (is_whole) {
            memcpy(out + used, run->bytes + at, size);
            used += size;
        } else {
            size = write_letter_part(run, count, i, at, out, &used);
        }
        at += size;
    }
    out[used] = '\0';
}

/* The bytes that the label's characters stand for; 0: a character stands for none. */
static size_t decode_raw_bytes(const char *label, uint8_t *bytes)
{
    size_t used = 0;
    if (!is_byte_level_label(label))
        return 0;
    while (*label)
        bytes[used++] = (uint8_t)sac_character_byte(sac_utf8_next(&label));
    return used;
}

/* The same for labels that spell letters; a label that is none of bytes has none of them. */
static sac_status make_split_letters_readable(sac_labels *labels, sac_error *error)
{
    size_t size = 0, longest = 0;
    for (size_t i = 0; i < labels->count; i++) {
        size_t length = strlen(labels->text[i]);
        size += length;
        longest = length > longest ? length : longest;
    }
    byte_run run = {malloc(size + 1), malloc((labels->count + 1) * sizeof *run.begin)};
    /* a byte becomes a letter and its number, or two digits between marks */
    char *plain = malloc(9 * longest + 1);
    sac_status status = run.bytes && run.begin && plain ? SAC_OK : sac_no_memory(error, NULL);
    if (status == SAC_OK)
        run.begin[0] = 0;
    for (size_t i = 0; i < labels->count && status == SAC_OK; i++)
        run.begin[i + 1] =
            run.begin[i] + decode_raw_bytes(labels->text[i], run.bytes + run.begin[i]);
    for (size_t i = 0; i < labels->count && status == SAC_OK; i++) {
        if (run.begin[i] == run.begin[i + 1]) {
            status = make_readable(&labels->text[i], false, error);
            continue;
        }
        write_letters(&run, labels->count, i, plain);
        status = replace_with_visible(&labels->text[i], plain, error);
    }
    free(run.bytes);
    free(run.begin);
    free(plain);
    return status;
}

sac_status sac_labels_make_readable(sac_labels *labels, bool are_bytes, sac_error *error)
{
    if (labels_spell_letters(labels))
        return make_split_letters_readable(labels, error);
    bool byte_level = are_bytes || has_byte_level_marks(labels);
    sac_status status = SAC_OK;
    for (size_t i = 0; i < labels->count && status == SAC_OK; i++)
        status = make_readable(&labels->text[i], byte_level, error);
    return status;
}
