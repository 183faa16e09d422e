/* PNG out through libpng. */
#include "images/png_write.h"

#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "arrays/bytes.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text/utf8.h"

typedef struct png_writer {
    png_structp png;
    png_infop info;
    png_text *texts;
    FILE *file;
    int code;        /* errno of the write that failed */
    float per_metre; /* 0: none */
    char message[200];
} png_writer;

/* ---------------------------------------------------------------- text */

/* A key is Latin-1, printable, without spaces at its ends (PNG specification, 11.3.3.2). */
static bool is_key(const char *key)
{
    size_t size = strlen(key);
    if (size < 1 || size > 79 || key[0] == ' ' || key[size - 1] == ' ')
        return false;
    for (size_t i = 0; i < size; i++) {
        uint8_t c = (uint8_t)key[i];
        if (c < 32 || (c > 126 && c < 161) || (c == ' ' && key[i + 1] == ' '))
            return false;
    }
    return true;
}

sac_status sac_png_texts_check(const char *path, const sac_png_text *texts, size_t count,
                               sac_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_key(texts[i].key))
            return sac_fail(error, SAC_E_ARGUMENT, path, "use 1 to 79 Latin-1 characters",
                            "'%s' cannot be a text's key", texts[i].key);
        if (!sac_utf8_valid(texts[i].value, strlen(texts[i].value)))
            return sac_fail(error, SAC_E_ARGUMENT, path, NULL, "the text '%s' is not valid UTF-8",
                            texts[i].key);
    }
    return SAC_OK;
}

/* ---------------------------------------------------------------- libpng */

static void on_error(png_structp png, png_const_charp message)
{
    png_writer *writer = png_get_error_ptr(png);
    snprintf(writer->message, sizeof writer->message, "%s", message);
    png_longjmp(png, 1);
}

static void on_write(png_structp png, png_bytep data, size_t size)
{
    png_writer *writer = png_get_io_ptr(png);
    if (fwrite(data, 1, size, writer->file) != size) {
        writer->code = errno;
        png_error(png, "not written");
    }
}

static void on_flush(png_structp png)
{
    (void)png; /* sac_output_commit flushes */
}

#define LONG_TEXT 2048 /* bytes, from which on a text is compressed */

static sac_status prepare_png_writer(png_writer *writer, const sac_png_text *texts, size_t count,
                                     sac_error *error)
{
    writer->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, writer, on_error, NULL);
    writer->info = writer->png ? png_create_info_struct(writer->png) : NULL;
    writer->texts = calloc(count ? count : 1, sizeof *writer->texts);
    if (!writer->info || !writer->texts)
        return sac_no_memory(error, "PNG encoder");
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(texts[i].value);
        writer->texts[i] = (png_text){.compression = length < LONG_TEXT ? PNG_ITXT_COMPRESSION_NONE
                                                                        : PNG_ITXT_COMPRESSION_zTXt,
                                      .key = (char *)texts[i].key,
                                      .text = (char *)texts[i].value,
                                      .itxt_length = length,
                                      .lang = "",
                                      .lang_key = ""};
    }
    png_set_write_fn(writer->png, writer, on_write, on_flush);
    return SAC_OK;
}

static bool is_opaque(const sac_image *image)
{
    size_t count = (size_t)image->width * (size_t)image->height;
    for (size_t i = 0; i < count; i++)
        if (image->rgba[4 * i + 3] != 0xff)
            return false;
    return true;
}

/* Deflate's default of 6 takes three times as long for one part in a hundred of the bytes, measured
 * over pictures of every view; a filter's choice matters more. */
enum { LEVEL = 4, BUFFER = 1 << 16, FILTERS = PNG_FILTER_NONE | PNG_FILTER_SUB | PNG_FILTER_UP };

/* Panels, cells and letters: most pixels are their left neighbour's again. */
static bool row_mostly_repeats(const uint8_t *row, size_t width)
{
    size_t same = 0;
    for (size_t x = 1; x < width; x++)
        same += memcmp(row + 4 * x, row + 4 * (x - 1), 4) == 0;
    return 10 * same >= 7 * width;
}

/* May longjmp. Alpha is left out where it is opaque throughout. */
static void encode(png_writer *writer, const sac_image *image, size_t text_count)
{
    bool opaque = is_opaque(image);
    size_t width = (size_t)image->width;
    png_set_compression_level(writer->png, LEVEL);
    png_set_compression_strategy(writer->png, Z_DEFAULT_STRATEGY);
    png_set_compression_buffer_size(writer->png, BUFFER);
    png_set_IHDR(writer->png, writer->info, (png_uint_32)image->width, (png_uint_32)image->height,
                 8, opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(writer->png, writer->info, PNG_sRGB_INTENT_PERCEPTUAL);
    if (writer->per_metre > 0) {
        png_uint_32 per_metre = (png_uint_32)(writer->per_metre + 0.5f);
        png_set_pHYs(writer->png, writer->info, per_metre, per_metre, PNG_RESOLUTION_METER);
    }
    png_set_text(writer->png, writer->info, writer->texts, (int)text_count);
    png_write_info(writer->png, writer->info);
    if (opaque)
        png_set_filler(writer->png, 0, PNG_FILLER_AFTER);
    for (size_t y = 0; y < (size_t)image->height; y++) {
        const uint8_t *row = image->rgba + y * width * 4;
        /* Deflate finds what flat rows repeat by itself, and better so than behind a filter;
         * photographs need one. libpng's own choice by the least sum (PNG, 12.7) sees no
         * difference. Chosen anew for each row; the first one must allow all filters that will
         * follow. */
        int photograph = PNG_FILTER_SUB | PNG_FILTER_UP;
        png_set_filter(writer->png, PNG_FILTER_TYPE_BASE,
                       y == 0                           ? FILTERS
                       : row_mostly_repeats(row, width) ? PNG_FILTER_NONE
                                                        : photograph);
        png_write_row(writer->png, row);
    }
    png_write_end(writer->png, writer->info);
}

static sac_status write_image(png_writer *writer, const char *path, const sac_image *image,
                              size_t text_count, sac_error *error)
{
    if (setjmp(png_jmpbuf(writer->png)) != 0)
        return writer->code ? sac_fail_not_written(path, writer->code, error)
                            : sac_fail(error, SAC_E_ARGUMENT, path, NULL, "cannot be a PNG: %s",
                                       writer->message);
    encode(writer, image, text_count);
    return SAC_OK;
}

static sac_status write_png(FILE *file, const char *path, const sac_image *image, float per_metre,
                            const sac_png_text *texts, size_t count, sac_error *error)
{
    if (!image->rgba || image->width < 1 || image->height < 1)
        return sac_fail(error, SAC_E_ARGUMENT, path, NULL, "there is no picture to save");
    sac_status status = sac_png_texts_check(path, texts, count, error);
    if (status != SAC_OK)
        return status;
    png_writer writer = {.file = file, .per_metre = per_metre};
    status = prepare_png_writer(&writer, texts, count, error);
    if (status == SAC_OK)
        status = write_image(&writer, path, image, count, error);
    png_destroy_write_struct(&writer.png, &writer.info);
    free(writer.texts);
    return status;
}

sac_status sac_png_write(FILE *file, const char *path, const sac_image *image,
                         const sac_png_text *texts, size_t count, sac_error *error)
{
    return write_png(file, path, image, 0, texts, count, error);
}

sac_status sac_png_save(const char *path, const sac_image *image, const sac_png_text *texts,
                        size_t count, sac_error *error)
{
    return sac_png_save_at_resolution(path, image, 0, texts, count, error);
}

sac_status sac_png_save_at_resolution(const char *path, const sac_image *image, float per_metre,
                                      const sac_png_text *texts, size_t count, sac_error *error)
{
    sac_output output = {0};
    sac_status status = sac_output_open(&output, path, error);
    if (status == SAC_OK)
        status = write_png(output.file, path, image, per_metre, texts, count, error);
    if (status == SAC_OK)
        status = sac_output_commit(&output, error);
    sac_output_discard(&output);
    return status;
}
