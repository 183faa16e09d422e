/* Netpbm's pictures in: PBM, PGM and PPM, as text (P1, P2, P3) and as bytes (P4, P5, P6). Of a file with several
 * pictures the first is read. */
#include <ctype.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "images/image_read.h"

typedef struct pnm_reader {
    const uint8_t *at, *end;
    bool as_text, are_bits;
    unsigned channels, most; /* the value of white */
} pnm_reader;

/* "P6" and a size behind blanks or a comment. */
bool sac_pnm_is(const uint8_t *bytes, size_t size)
{
    return size > 8 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' && isspace(bytes[2]) &&
           (isdigit(bytes[3]) || bytes[3] == '#' || isspace(bytes[3]));
}

/* The next number behind blanks and comments, which go to the end of their line; −1: there is none. */
static long read_number(pnm_reader *r)
{
    long number = -1;
    while (r->at < r->end && (isspace(*r->at) || *r->at == '#')) {
        if (*r->at == '#')
            while (r->at < r->end && *r->at != '\n')
                r->at++;
        else
            r->at++;
    }
    for (; r->at < r->end && isdigit(*r->at); r->at++) {
        number = (number < 0 ? 0 : 10 * number) + (*r->at - '0');
        if (number > 1 << 30)
            return -1;
        if (r->as_text && r->are_bits) /* they may stand together */
            return r->at++, number;
    }
    return number;
}

/* One row of values of 0 to 255; false: the file ends within it, or a value is above white. */
static bool read_row(pnm_reader *r, size_t values, uint8_t *row)
{
    const bool is_wide = r->most > 255;
    const size_t bytes = r->are_bits ? (values + 7) / 8 : values << is_wide;
    if (!r->as_text && (size_t)(r->end - r->at) < bytes)
        return false;
    for (size_t i = 0; i < values; i++) {
        const long value = r->as_text    ? read_number(r)
                           : r->are_bits ? r->at[i / 8] >> (7 - i % 8) & 1
                           : is_wide     ? r->at[2 * i] << 8 | r->at[2 * i + 1]
                                         : r->at[i];
        if (value < 0 || value > (long)r->most)
            return false;
        row[i] = (uint8_t)(((unsigned long)value * 255 + r->most / 2) / r->most);
        if (r->are_bits) /* 1 is black */
            row[i] = (uint8_t)(255 - row[i]);
    }
    r->at += r->as_text ? 0 : bytes;
    return true;
}

sac_status sac_pnm_decode(const uint8_t *bytes, size_t size, sac_image *image,
                          sac_picture_facts *facts, sac_error *error)
{
    const unsigned kind = bytes[1] - '0';
    pnm_reader r = {.at = bytes + 2,
                    .end = bytes + size,
                    .are_bits = kind == 1 || kind == 4,
                    .channels = kind % 3 ? 1 : 3,
                    .most = 1};
    const long width = read_number(&r), height = read_number(&r);
    const long most = r.are_bits ? 1 : read_number(&r);
    if (width < 1 || height < 1 || most < 1 || most > 65535)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "is a cut or damaged PBM, PGM or PPM");
    r.most = (unsigned)most;
    r.as_text = kind < 4;
    r.at += !r.as_text && r.at < r.end; /* the one blank before the pixels */
    const size_t values = (size_t)width * r.channels, row_bytes = r.as_text ? values
                                                                  : r.are_bits
                                                                      ? (values + 7) / 8
                                                                      : values << (most > 255);
    sac_status status = sac_image_check_size((size_t)width, (size_t)height, values, error);
    if (status != SAC_OK)
        return status;
    /* as text a value takes one character at least */
    if (row_bytes > (size_t)(r.end - r.at))
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "is a PBM, PGM or PPM that ends before its first row does");
    const size_t there = (size_t)(r.end - r.at) / row_bytes;
    if (there < (size_t)height / 64) /* a size that the file has nothing for is not made */
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "promises %ld x %ld pixels, more than the file has", width, height);
    status = sac_image_create((int)width, (int)height, image, error);
    for (long y = 0; y < height && status == SAC_OK; y++) {
        uint8_t *rgba = image->rgba + 4 * (size_t)y * (size_t)width;
        /* the values come first in the row's own room, and are spread from the end on */
        if (!read_row(&r, values, rgba)) {
            if (y == 0)
                return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                                "is a cut or damaged PBM, PGM or PPM");
            memset(rgba, 0, 4 * (size_t)width * (size_t)(height - y));
            facts->trouble = "ends early";
            facts->share = (double)y / (double)height;
            break;
        }
        for (long x = width; x-- > 0;) {
            uint8_t *out = rgba + 4 * x, in[3];
            for (unsigned c = 0; c < 3; c++)
                in[c] = rgba[(size_t)x * r.channels + (r.channels == 3 ? c : 0)];
            memcpy(out, in, 3);
            out[3] = 255;
        }
        status = sac_cancel_check(NULL, error);
    }
    return status;
}
