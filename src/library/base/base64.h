/* Bytes as text, by RFC 4648. */
#ifndef SAC_BASE_BASE64_H
#define SAC_BASE_BASE64_H

#include <stddef.h>
#include <stdio.h>

/* Writes ⌈size/3⌉·4 characters, without line breaks. A failure shows when the file is closed. */
void sac_base64_put(FILE *file, const void *bytes, size_t size);

#endif
