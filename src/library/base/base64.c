/* Base64: three bytes become four characters of six bits. */
#include "base/base64.h"

#include <stdint.h>

void sac_base64_put(FILE *file, const void *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *in = bytes;
    char line[4096];
    size_t used = 0;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t group = (uint32_t)in[i] << 16;
        group |= i + 1 < size ? (uint32_t)in[i + 1] << 8 : 0;
        group |= i + 2 < size ? in[i + 2] : 0;
        line[used++] = digits[group >> 18];
        line[used++] = digits[group >> 12 & 63];
        line[used++] = i + 1 < size ? digits[group >> 6 & 63] : '=';
        line[used++] = i + 2 < size ? digits[group & 63] : '=';
        if (used == sizeof line) {
            fwrite(line, 1, used, file);
            used = 0;
        }
    }
    fwrite(line, 1, used, file);
}
