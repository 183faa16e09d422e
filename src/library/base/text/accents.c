/* Latin letters with and without their accents. */

#include "base/text/accents.h"

/* The letter that a Latin-1 one with an accent is without it, 'é' to 'e'; 0: it has none. */
static char plain_letter(unsigned code)
{
    static const char letters[] = "aaaaaa\0ceeeeiiii\0nooooo\0\0uuuuy\0y"; /* U+00E0 … U+00FF */
    return code >= 0xe0 && code <= 0xff ? letters[code - 0xe0] : 0;
}

unsigned sac_latin_letter(const char *at)
{
    const unsigned char *c = (const unsigned char *)at;
    if (c[0] != 0xc3 || (c[1] & 0xc0) != 0x80)
        return 0;
    unsigned code = 0xc0 | (c[1] & 0x3f);
    if (code == 0xd7 || code == 0xf7) /* × and ÷ */
        return 0;
    return code <= 0xde ? code + 0x20 : code;
}

char *sac_accents_off(const char *word, char *plain, size_t size)
{
    size_t used = 0;
    for (; *word && used + 1 < size; word++) {
        char letter = plain_letter(sac_latin_letter(word));
        plain[used++] = letter ? letter : *word;
        word += letter != 0;
    }
    plain[used] = '\0';
    return plain;
}
