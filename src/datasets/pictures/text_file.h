/* The text of a file that a person has, whatever characters it is written in. */
#ifndef SAC_PICTURES_TEXT_FILE_H
#define SAC_PICTURES_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "saccade.h"

typedef struct sac_text_file {
    const char *text; /* [size], UTF-8 without a NUL or a byte order mark; no NUL ends it */
    size_t size;
    char note[160]; /* what a person should know of it; empty: nothing */
    char *made;     /* owned; NULL: the text lies in the file's bytes */
} sac_text_file;

/* Takes the bytes of a file, which stay the caller's, as text. What is not UTF-8 is read as
 * Windows-1252 (Latin-1), with a note; but text for which `is_utf8` (may be NULL) is true stays as it
 * is. SAC_E_FORMAT: a kind of file that is no text, or UTF-16; SAC_E_MEMORY. Free it in any case. */
sac_status sac_text_file_decode(const uint8_t *bytes, size_t size,
                                bool (*is_utf8)(const char *text, size_t size), sac_text_file *file,
                                sac_error *error);
void sac_text_file_free(sac_text_file *file);

#endif
