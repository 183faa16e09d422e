/* The text of a PDF, whichever version of Cairo wrote it. */
#ifndef TESTS_PDF_TEXT_H
#define TESTS_PDF_TEXT_H

#include <stdio.h>
#include <string.h>
#include <zlib.h>

/* The file as text, zeros as blanks, and behind it what its packed streams hold: Cairo 1.18 packs
 * the page's own description and the date too. False where it cannot be opened. */
static inline int pdf_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    size_t length = fread(text, 1, size - 1, file), packed = length;
    fclose(file);
    for (size_t at = 0; at + 7 < packed; at++) {
        uLongf room = size - 1 - length;
        if (memcmp(text + at, "stream\n", 7) == 0 &&
            uncompress((Bytef *)text + length, &room, (Bytef *)text + at + 7, packed - at - 7) ==
                Z_OK)
            length += room;
    }
    for (size_t i = 0; i < length; i++)
        text[i] = text[i] ? text[i] : ' ';
    text[length] = '\0';
    return 1;
}

#endif
