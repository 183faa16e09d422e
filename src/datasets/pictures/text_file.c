/* Detects the encoding of a text, and brings it to UTF-8. */
#include "pictures/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/foreign.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/text/utf8.h"

/* Windows-1252, which has the characters of Latin-1 and some in place of its control codes, as
 * UTF-8; NULL: no memory. */
static char *windows_1252_to_utf8(const uint8_t *bytes, size_t size, size_t *made)
{
    static const uint16_t marks[32] = {
        0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
        0x2039, 0x0152, 0xfffd, 0x017d, 0xfffd, 0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
        0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0xfffd, 0x017e, 0x0178};
    size_t room;
    char *text = sac_checked_mul(size, 3, &room) ? malloc(room) : NULL;
    *made = 0;
    for (size_t i = 0; text && i < size; i++) {
        bool is_mark = bytes[i] >= 0x80 && bytes[i] < 0xa0;
        *made += sac_utf8_encode(is_mark ? marks[bytes[i] - 0x80] : bytes[i], text + *made);
    }
    return text;
}

sac_status sac_text_file_decode(const uint8_t *bytes, size_t size,
                                bool (*is_utf8)(const char *text, size_t size), sac_text_file *file,
                                sac_error *error)
{
    const char *text = (const char *)bytes;
    bool is_wide = size >= 2 && ((bytes[0] == 0xff && bytes[1] == 0xfe) ||
                                 (bytes[0] == 0xfe && bytes[1] == 0xff));
    *file = (sac_text_file){0};
    sac_status status = sac_foreign_check(bytes, size, error);
    if (status != SAC_OK)
        return status;
    if (is_wide || memchr(bytes, '\0', size))
        return sac_fail(error, SAC_E_FORMAT, NULL, "save it as UTF-8",
                        is_wide ? "is text in UTF-16" : "holds a zero byte, so it is no text");
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
        text += 3;
        size -= 3;
    }
    file->text = text;
    file->size = size;
    size_t valid = sac_utf8_valid_size(text, size), line = 1;
    if (valid == size || (is_utf8 && is_utf8(text, size)))
        return SAC_OK;
    for (size_t i = 0; i < valid; i++)
        line += text[i] == '\n';
    snprintf(file->note, sizeof file->note,
             "line %zu is not UTF-8: the file is read as Windows-1252 (Latin-1)", line);
    file->text = file->made = windows_1252_to_utf8((const uint8_t *)text, size, &file->size);
    return file->made ? SAC_OK : sac_no_memory(error, NULL);
}

void sac_text_file_free(sac_text_file *file)
{
    free(file->made);
    *file = (sac_text_file){0};
}
