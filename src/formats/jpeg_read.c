/* JPEG in through libjpeg. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

#include "base/error.h"
#include "formats/image_read.h"

#define SCANS_MAX                                                                                  \
    500 /* a progressive picture has about ten; each one costs a pass over all of it */

/* What must survive a longjmp out of libjpeg lives here, not in locals. */
typedef struct jpeg_reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf jump;
    uint8_t *row; /* [width,components] */
    char message[JMSG_LENGTH_MAX];
} jpeg_reader;

bool sac_jpeg_is(const uint8_t *bytes, size_t size)
{
    return size >= 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0;
}

static void on_error(j_common_ptr jpeg)
{
    jpeg_reader *reader = jpeg->client_data;
    jpeg->err->format_message(jpeg, reader->message);
    longjmp(reader->jump, 1);
}

/* libjpeg only warns where data are missing or damaged and fills in grey: that is not the picture.
 * What cameras write in harmless disregard of the standard passes. */
static void on_message(j_common_ptr jpeg, int level)
{
    int code = jpeg->err->msg_code;
    bool harmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR ||
                    code == JWRN_ADOBE_XFORM || code == JWRN_BOGUS_ICC;
    if (level < 0 && !harmless)
        on_error(jpeg);
}

static void on_progress(j_common_ptr jpeg)
{
    jpeg_reader *reader = jpeg->client_data;
    if (!jpeg->is_decompressor || reader->jpeg.input_scan_number <= SCANS_MAX)
        return;
    snprintf(reader->message, sizeof reader->message, "more than %d scans", SCANS_MAX);
    longjmp(reader->jump, 1);
}

static void start(jpeg_reader *reader, const uint8_t *bytes, size_t size)
{
    reader->jpeg.err = jpeg_std_error(&reader->errors);
    reader->errors.error_exit = on_error;
    reader->errors.emit_message = on_message;
    reader->progress.progress_monitor = on_progress;
    reader->jpeg.client_data = reader;
    jpeg_create_decompress(&reader->jpeg);
    reader->jpeg.progress = &reader->progress;
    jpeg_save_markers(&reader->jpeg, JPEG_APP0 + 1, 0xffff);
    jpeg_mem_src(&reader->jpeg, bytes, (unsigned long)size);
}

/* A Huffman code takes a bit or more, and the first scan has one for each block of 8 x 8. Blocks
 * may be half as many as pixels say: one component of 4 x 1 samples beside one of 1 x 4. */
static bool fits(const jpeg_reader *reader, size_t size)
{
    const struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    size_t pixels = (size_t)jpeg->image_width * jpeg->image_height;
    return jpeg->arith_code || pixels / 64 / 8 / 2 <= size;
}

static sac_status prepare(jpeg_reader *reader, size_t size, sac_image *image, sac_error *error)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    if (!fits(reader, size))
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "promises %u x %u pixels, more than the file can hold", jpeg->image_width,
                        jpeg->image_height);
    if (jpeg->num_components != 1 && jpeg->num_components != 3 && jpeg->num_components != 4)
        return sac_fail(error, SAC_E_FORMAT, NULL, "convert it to grey or RGB",
                        "has %d colour components, which are not read", jpeg->num_components);
    sac_status status =
        sac_image_create((int)jpeg->image_width, (int)jpeg->image_height, image, error);
    if (status != SAC_OK)
        return status;
    jpeg->out_color_space = jpeg->num_components == 4 ? JCS_CMYK : JCS_RGB;
    reader->row = malloc((size_t)jpeg->image_width * 4);
    if (!reader->row)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "no memory for a row");
    return SAC_OK;
}

static void row_from_rgb(const uint8_t *in, size_t width, uint8_t *out)
{
    for (size_t x = 0; x < width; x++, in += 3, out += 4) {
        memcpy(out, in, 3);
        out[3] = 0xff;
    }
}

/* Ink to light: what passes cyan passes black too. Adobe stores light where others store ink. */
static void row_from_cmyk(const uint8_t *in, size_t width, bool inverted, uint8_t *out)
{
    unsigned flip = inverted ? 0 : 0xff;
    for (size_t x = 0; x < width; x++, in += 4, out += 4) {
        unsigned black = in[3] ^ flip;
        for (int c = 0; c < 3; c++)
            out[c] = (uint8_t)(((in[c] ^ flip) * black + 127) / 255);
        out[3] = 0xff;
    }
}

static int read_orientation(const jpeg_reader *reader)
{
    for (const struct jpeg_marker_struct *m = reader->jpeg.marker_list; m; m = m->next)
        if (m->data_length > 6 && memcmp(m->data, "Exif\0\0", 6) == 0)
            return sac_exif_orientation(m->data, m->data_length);
    return 1;
}

/* The steps that may longjmp; returns only if none did. */
static sac_status decode(jpeg_reader *reader, size_t size, sac_image *image, int *orientation,
                         sac_error *error)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    jpeg_read_header(jpeg, TRUE);
    sac_status status = prepare(reader, size, image, error);
    if (status != SAC_OK)
        return status;
    *orientation = read_orientation(reader);
    jpeg_start_decompress(jpeg);
    size_t width = (size_t)image->width;
    while (jpeg->output_scanline < jpeg->output_height) {
        uint8_t *out = image->rgba + (size_t)jpeg->output_scanline * width * 4;
        jpeg_read_scanlines(jpeg, &reader->row, 1);
        if (jpeg->out_color_space == JCS_CMYK)
            row_from_cmyk(reader->row, width, jpeg->saw_Adobe_marker, out);
        else
            row_from_rgb(reader->row, width, out);
    }
    jpeg_finish_decompress(jpeg);
    return SAC_OK;
}

sac_status sac_jpeg_decode(const uint8_t *bytes, size_t size, sac_image *image, int *orientation,
                           sac_error *error)
{
    jpeg_reader *reader = calloc(1, sizeof *reader);
    sac_status status;
    if (!reader)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "no memory for the JPEG decoder");
    if (setjmp(reader->jump) != 0) {
        status = sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "is a damaged JPEG: %s",
                          reader->message);
    } else {
        start(reader, bytes, size);
        status = decode(reader, size, image, orientation, error);
    }
    jpeg_destroy_decompress(&reader->jpeg);
    free(reader->row);
    free(reader);
    return status;
}
