/* Converts bytes to the characters of byte-level tokenizers, and back. */
#include "arrays/byte_level.h"

#include <stdbool.h>

enum { SHIFTED = 0x100 };

static bool prints_as_itself(uint32_t byte)
{
    return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) ||
           (byte >= 0xae && byte <= 0xff);
}

uint32_t sac_byte_character(uint8_t byte)
{
    if (prints_as_itself(byte))
        return byte;
    uint32_t code = SHIFTED;
    for (uint32_t before = 0; before < byte; before++)
        code += !prints_as_itself(before);
    return code;
}

int sac_character_byte(uint32_t code)
{
    if (code < SHIFTED)
        return prints_as_itself(code) ? (int)code : -1;
    uint32_t left = code - SHIFTED;
    for (int byte = 0; byte < SHIFTED; byte++)
        if (!prints_as_itself((uint32_t)byte) && left-- == 0)
            return byte;
    return -1;
}
