/* PNG in through libpng: pixels and text chunks. */
#include <ctype.h>
#include <limits.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrays/bytes.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "images/image_read.h"
#include "images/png_write.h"

/* The state of a decoder. All that must survive a longjmp out of libpng is here and not in locals.
 */
typedef struct png_reader {
    png_structp png;
    png_infop info;
    const uint8_t *bytes;
    size_t size, at;
    size_t end; /* of the chunks before IEND, or of the file, where the last is cut */
    size_t cut; /* where the cut chunk begins, or the end where IEND is missing; 0: it is there */
    size_t rows, all_rows; /* that were read, of all passes */
    bool damaged;
    char message[200];
} png_reader;

bool sac_png_is(const uint8_t *bytes, size_t size)
{
    return size >= 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0;
}

static void on_error(png_structp png, png_const_charp message)
{
    png_reader *reader = png_get_error_ptr(png);
    snprintf(reader->message, sizeof reader->message, "%s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    png_reader *reader = png_get_error_ptr(png);
    /* libpng goes on; where the sum of a chunk is wrong that pixels depend on, they may be */
    reader->damaged |= isupper((unsigned char)message[0]) && strstr(message, ": CRC");
}

static void on_read(png_structp png, png_bytep out, size_t size)
{
    static const uint8_t iend[] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
    png_reader *reader = png_get_io_ptr(png);
    size_t at = reader->at;
    bool ended = at >= reader->end, is_cut = reader->cut && reader->cut < reader->end;
    size_t left = ended ? reader->end + sizeof iend - at : reader->end - at;
    if (size > left || (ended && is_cut))
        png_error(png, "the file is cut");
    memcpy(out, ended ? iend + (at - reader->end) : reader->bytes + at, size);
    for (int i = 0; is_cut && at == reader->cut && size >= 4 && i < 4; i++)
        out[i] = (uint8_t)((uint32_t)(reader->end - at - 8) >>
                           (24 - 8 * i)); /* as long as what is there */
    reader->at += size;
}

static size_t read_u32(const uint8_t *bytes)
{
    return (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
}

/* libpng takes memory for a chunk's promised length before it reads the chunk, so the lengths are
 * held against the file first: every chunk up to IEND must end within it. Gives where IEND begins,
 * or would: some programs leave it out, and its loss loses no pixel. Where pixels are cut, *cut is
 * where their chunk begins, and the end that of the file; 0: another chunk is cut. */
static size_t chunks_end(const uint8_t *bytes, size_t size, size_t *cut)
{
    size_t at = 8;
    while (size - at >= 12) {
        size_t length = read_u32(bytes + at);
        if (length > size - at - 12) {
            *cut = at;
            return memcmp(bytes + at + 4, "IDAT", 4) == 0 ? size : 0;
        }
        if (memcmp(bytes + at + 4, "IEND", 4) == 0) {
            *cut = 0;
            return at;
        }
        at += 12 + length;
    }
    *cut = at;
    return at > 8 ? at : 0;
}

static sac_status fail_cut_or_damaged(sac_error *error)
{
    return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "is a cut or damaged PNG");
}

static sac_status open_png_reader(png_reader *reader, const uint8_t *bytes, size_t size,
                                  sac_error *error)
{
    *reader = (png_reader){.bytes = bytes, .size = size};
    reader->end = chunks_end(bytes, size, &reader->cut);
    if (!reader->end)
        return fail_cut_or_damaged(error);
    reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, on_error, on_warning);
    reader->info = reader->png ? png_create_info_struct(reader->png) : NULL;
    if (!reader->info) {
        png_destroy_read_struct(&reader->png, NULL, NULL);
        return sac_no_memory(error, "PNG decoder");
    }
    png_set_read_fn(reader->png, reader, on_read);
    png_set_user_limits(reader->png, INT_MAX, INT_MAX);
    png_set_crc_action(reader->png, PNG_CRC_WARN_USE, PNG_CRC_WARN_DISCARD);
    return SAC_OK;
}

static void close_png_reader(png_reader *reader)
{
    png_destroy_read_struct(&reader->png, &reader->info, NULL);
}

static sac_status fail_png_decoding(const png_reader *reader, sac_error *error)
{
    if (strncmp(reader->message, "CgBI", 4) == 0)
        return sac_fail(error, SAC_E_FORMAT, NULL,
                        "convert it: xcrun pngcrush -revert-iphone-optimizations IN OUT",
                        "is a PNG in Apple's own form (CgBI)");
    if (reader->cut)
        return fail_cut_or_damaged(error);
    return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "is a damaged PNG: %s",
                    reader->message);
}

/* Asks libpng to give 8-bit RGBA, whatever the file holds. Returns the number of passes over its
 * rows. */
static int ask_for_rgba(png_structp png, png_infop info)
{
    png_set_expand(png); /* palette, 1 to 4 bits, transparent colour */
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 0xff, PNG_FILLER_AFTER);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    return passes;
}

static sac_status check_promised_size(const png_reader *reader, sac_error *error)
{
    png_uint_32 width = png_get_image_width(reader->png, reader->info);
    png_uint_32 height = png_get_image_height(reader->png, reader->info);
    size_t packed = png_get_rowbytes(reader->png, reader->info);
    if ((double)packed * height > (double)reader->size * SAC_DEFLATE_RATIO)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "promises %u x %u pixels, more than the file can hold", width, height);
    return SAC_OK;
}

static int hex_of(char c)
{
    return c >= '0' && c <= '9'                 ? c - '0'
           : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                : -1;
}

/* ImageMagick's "Raw profile type exif": behind three ends of lines EXIF's bytes as hexadecimal
 * digits. Only the start is looked at: the orientation stands in the first directory. */
static int orientation_from_profile(const char *text)
{
    uint8_t exif[4096];
    size_t digits = 0;
    for (int lines = 0; text && lines < 3; lines++)
        text = (text = strchr(text, '\n')) ? text + 1 : NULL;
    for (; text && *text && digits < 2 * sizeof exif; text++) {
        int value = hex_of(*text);
        if (value >= 0)
            exif[digits / 2] = (uint8_t)(digits % 2 ? exif[digits / 2] << 4 | value : value);
        digits += value >= 0;
    }
    return sac_exif_orientation(exif, digits / 2);
}

static int read_orientation(png_reader *reader)
{
    png_bytep exif = NULL;
    png_textp text = NULL;
    png_uint_32 size = 0;
    int count = 0, by_profile = 0, by_xmp = 0;
    bool has_exif = png_get_eXIf_1(reader->png, reader->info, &size, &exif) != 0;
    png_get_text(reader->png, reader->info, &text, &count);
    for (int i = 0; i < count; i++)
        if (text[i].text && strcmp(text[i].key, "Raw profile type exif") == 0)
            by_profile = orientation_from_profile(text[i].text);
        else if (text[i].text && strcmp(text[i].key, "XML:com.adobe.xmp") == 0)
            by_xmp = sac_xmp_orientation(text[i].text, strlen(text[i].text));
    return sac_picture_orientation(has_exif ? sac_exif_orientation(exif, size) : by_profile,
                                   by_xmp);
}

/* May longjmp. */
static sac_status read_rows(png_reader *reader, int passes, sac_image *image, sac_error *error)
{
    size_t row = 4 * (size_t)image->width;
    reader->all_rows = (size_t)passes * (size_t)image->height;
    for (int pass = 0; pass < passes; pass++)
        for (size_t y = 0; y < (size_t)image->height; y++) {
            sac_status status = sac_cancel_check(NULL, error);
            if (status != SAC_OK)
                return status;
            png_read_row(reader->png, image->rgba + y * row, NULL);
            reader->rows++;
        }
    return SAC_OK;
}

/* The steps that may longjmp; returns only if none did. */
static sac_status decode(png_reader *reader, sac_image *image, sac_error *error)
{
    png_read_info(reader->png, reader->info);
    size_t width = png_get_image_width(reader->png, reader->info);
    size_t height = png_get_image_height(reader->png, reader->info);
    size_t packed = png_get_rowbytes(reader->png, reader->info);
    sac_status status = check_promised_size(reader, error);
    if (status == SAC_OK)
        status = sac_image_check_size(width, height, packed, error);
    if (status == SAC_OK)
        status = sac_image_create((int)width, (int)height, image, error);
    if (status != SAC_OK)
        return status;
    /* Rows that never come: black, or nothing where the picture has an alpha channel. */
    bool opaque = !(png_get_color_type(reader->png, reader->info) & PNG_COLOR_MASK_ALPHA) &&
                  !png_get_valid(reader->png, reader->info, PNG_INFO_tRNS);
    for (size_t i = 0; i < (size_t)image->width * (size_t)image->height; i++)
        memcpy(image->rgba + 4 * i, (uint8_t[]){0, 0, 0, opaque ? 0xff : 0}, 4);
    int passes = ask_for_rgba(reader->png, reader->info);
    if (png_get_rowbytes(reader->png, reader->info) != (size_t)image->width * 4)
        png_error(reader->png, "rows of an unexpected length");
    status = read_rows(reader, passes, image, error);
    if (status == SAC_OK)
        png_read_end(reader->png, reader->info);
    return status;
}

sac_status sac_png_decode(const uint8_t *bytes, size_t size, sac_image *image,
                          sac_picture_facts *facts, sac_error *error)
{
    png_reader reader;
    sac_status status = open_png_reader(&reader, bytes, size, error);
    if (status != SAC_OK)
        return status;
    if (setjmp(png_jmpbuf(reader.png)) != 0)
        status = image->rgba && reader.rows ? SAC_OK : fail_png_decoding(&reader, error);
    else
        status = decode(&reader, image, error);
    if (status == SAC_OK && (reader.rows < reader.all_rows || reader.damaged)) {
        facts->trouble = reader.damaged || !reader.cut ? "is damaged" : "ends early";
        facts->share = (double)reader.rows / (double)reader.all_rows;
    }
    if (status == SAC_OK)
        facts->orientation = read_orientation(&reader);
    close_png_reader(&reader);
    return status;
}

/* ---------------------------------------------------------------- text chunks */

/* tEXt and zTXt (and an iTXt that breaks its rule) are Latin-1: each byte is a code point of at
 * most two bytes of UTF-8. */
static char *copy_text_as_utf8(const png_text *text)
{
    bool international = text->compression >= PNG_ITXT_COMPRESSION_NONE;
    size_t size = international ? text->itxt_length : text->text_length, used = 0;
    bool latin = !international || !sac_utf8_valid(text->text, size);
    char *copy = malloc(2 * size + 1);
    if (!copy)
        return NULL;
    if (!latin) {
        memcpy(copy, text->text, size);
        used = size;
    }
    for (size_t i = 0; latin && i < size; i++)
        used += sac_utf8_encode((uint8_t)text->text[i], copy + used);
    copy[used] = '\0';
    return copy;
}

static bool is_text(const uint8_t *type)
{
    return memcmp(type, "tEXt", 4) == 0 || memcmp(type, "zTXt", 4) == 0 ||
           memcmp(type, "iTXt", 4) == 0;
}

/* A PNG of one pixel with all the texts of another before it, so that libpng need not go through
 * the other's pixels to what stands behind them. `end`: of
 * the chunks, as chunks_end has seen. */
static uint8_t *create_texts_only_png(const uint8_t *bytes, size_t end_of_chunks, size_t *used)
{
    static const char start[] =
        "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\b\0\0\0\0\x3a\x7e\x9b\x55";
    static const char end[] = "\0\0\0\0IDAT\x35\xaf\x06\x1e\0\0\0\0IEND\xae\x42\x60\x82";
    uint8_t *alone = malloc(end_of_chunks + sizeof start + sizeof end);
    if (!alone)
        return NULL;
    memcpy(alone, start, *used = sizeof start - 1);
    for (size_t at = 8, whole; at < end_of_chunks; at += whole) {
        whole = 12 + read_u32(bytes + at);
        if (is_text(bytes + at + 4)) {
            memcpy(alone + *used, bytes + at, whole);
            *used += whole;
        }
    }
    memcpy(alone + *used, end, sizeof end - 1);
    *used += sizeof end - 1;
    return alone;
}

/* The steps that may longjmp; returns only if none did. What is copied by then is in *texts. */
static sac_status read_texts(png_reader *reader, sac_png_texts *texts, sac_error *error)
{
    png_textp found = NULL;
    int count = 0;
    png_read_info(reader->png, reader->info);
    png_get_text(reader->png, reader->info, &found, &count);
    texts->at = calloc((size_t)count + 1, sizeof *texts->at);
    for (int i = 0; texts->at && i < count; i++) {
        sac_png_text *text = &texts->at[texts->count++];
        text->key = strdup(found[i].key);
        text->value = copy_text_as_utf8(&found[i]);
        if (!text->key || !text->value)
            return sac_no_memory(error, "texts");
    }
    return texts->at ? SAC_OK : sac_no_memory(error, "texts");
}

static sac_status parse_texts(const uint8_t *alone, size_t size, sac_png_texts *texts,
                              sac_error *error)
{
    png_reader reader;
    sac_status status = open_png_reader(&reader, alone, size, error);
    if (status != SAC_OK)
        return status;
    if (setjmp(png_jmpbuf(reader.png)) != 0)
        status = fail_png_decoding(&reader, error);
    else
        status = read_texts(&reader, texts, error);
    close_png_reader(&reader);
    return status;
}

sac_status sac_png_texts_from_bytes(const uint8_t *bytes, size_t size, sac_png_texts *texts,
                                    sac_error *error)
{
    size_t used = 0, cut, end = chunks_end(bytes, size, &cut);
    *texts = (sac_png_texts){0};
    if (!end)
        return fail_cut_or_damaged(error);
    uint8_t *alone = create_texts_only_png(bytes, end, &used);
    if (!alone)
        return sac_no_memory(error, "texts");
    sac_status status = parse_texts(alone, used, texts, error);
    if (status != SAC_OK)
        sac_png_texts_free(texts);
    free(alone);
    return status;
}

sac_status sac_png_texts_load(const char *path, sac_png_texts *texts, sac_error *error)
{
    *texts = (sac_png_texts){0};
    sac_bytes file;
    if (!sac_is_regular(path) && access(path, F_OK) == 0)
        return SAC_OK;
    sac_status status = sac_bytes_map(path, &file, error);
    if (status != SAC_OK)
        return status;
    if (sac_png_is(file.data, file.size))
        status = sac_png_texts_from_bytes(file.data, file.size, texts, error);
    sac_bytes_free(&file);
    sac_error_within(error, status, path);
    return status;
}

const char *sac_png_texts_get(const sac_png_texts *texts, const char *key)
{
    for (size_t i = 0; i < texts->count; i++)
        if (strcmp(texts->at[i].key, key) == 0)
            return texts->at[i].value;
    return NULL;
}

bool sac_png_texts_copy(const sac_png_text *from, size_t count, sac_png_texts *to)
{
    *to = (sac_png_texts){.at = calloc(count ? count : 1, sizeof *to->at)};
    for (size_t i = 0; to->at && i < count; i++) {
        to->at[i] = (sac_png_text){strdup(from[i].key), strdup(from[i].value)};
        to->count++;
        if (!to->at[i].key || !to->at[i].value)
            return false;
    }
    return to->at;
}

void sac_png_texts_free(sac_png_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        free((char *)texts->at[i].key);
        free((char *)texts->at[i].value);
    }
    free(texts->at);
    *texts = (sac_png_texts){0};
}
