/* Pictures of one bit a pixel, all black, of any shape: their files are small. */
#ifndef TESTS_FORMATS_BLANK_PNG_H
#define TESTS_FORMATS_BLANK_PNG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static inline void put_u32(uint8_t *out, size_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (24 - 8 * i));
}

static inline bool write_chunk(FILE *file, const char *type, const uint8_t *data, size_t size)
{
    uint8_t head[8], tail[4];
    uLong crc = crc32(crc32(0, (const Bytef *)type, 4), data, (uInt)size);
    put_u32(head, size);
    memcpy(head + 4, type, 4);
    put_u32(tail, size ? crc : crc32(0, (const Bytef *)type, 4));
    return fwrite(head, 1, 8, file) == 8 && fwrite(data, 1, size, file) == size &&
           fwrite(tail, 1, 4, file) == 4;
}

/* Deflates `count` zeros and writes them as IDAT chunks. */
static inline bool write_zeros(FILE *file, size_t count)
{
    static const uint8_t zeros[65536];
    static uint8_t packed[65536];
    z_stream stream = {0};
    bool done = deflateInit(&stream, 6) == Z_OK;
    for (int state = Z_OK; done && state != Z_STREAM_END;) {
        size_t more = count < sizeof zeros ? count : sizeof zeros;
        if (stream.avail_in == 0) {
            stream.next_in = (Bytef *)zeros;
            stream.avail_in = (uInt)more;
            count -= more;
        }
        stream.next_out = packed;
        stream.avail_out = sizeof packed;
        state = deflate(&stream, count ? Z_NO_FLUSH : Z_FINISH);
        size_t made = sizeof packed - stream.avail_out;
        done = state != Z_STREAM_ERROR && (!made || write_chunk(file, "IDAT", packed, made));
    }
    deflateEnd(&stream);
    return done;
}

/* The zeros of an interlaced picture are a few more than those of one that is not; all of them are
 * written, as a PNG may hold more than it needs. */
static inline bool blank_png(const char *path, size_t width, size_t height, bool interlaced)
{
    uint8_t header[13] = {[8] = 1, [12] = interlaced};
    FILE *file = fopen(path, "wb");
    put_u32(header, width);
    put_u32(header + 4, height);
    size_t zeros = (1 + (width + 7) / 8) * height * (interlaced ? 2 : 1) + (interlaced ? 64 : 0);
    bool done = file && fwrite("\x89PNG\r\n\x1a\n", 1, 8, file) == 8 &&
                write_chunk(file, "IHDR", header, 13) && write_zeros(file, zeros) &&
                write_chunk(file, "IEND", header, 0);
    return file && fclose(file) == 0 && done;
}

#endif
