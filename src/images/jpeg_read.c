/* JPEG in through libjpeg. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

#include "base/cancel.h"
#include "base/error.h"
#include "images/image_read.h"

/* A progressive picture has about ten scans; each costs a pass over all of its pixels. */
enum { LEAST_SCANS = 16, MOST_SCANS = 500 };
#define SCANNED_PIXELS ((size_t)1 << 31)
/* The most bytes that libjpeg may take for the coefficients of a picture that comes in several
 * scans. */
#define MOST_MEMORY ((long)384 << 20)

/* The state of a decoder. All that must survive a longjmp out of libjpeg is here and not in locals.
 */
typedef struct jpeg_reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf jump;
    uint8_t *row; /* [width,components] */
    bool stopped;
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

/* libjpeg only warns where data are missing or damaged and fills in grey: that is not the picture,
 * so such a warning is an error. Harmless departures from the standard, which cameras make, pass.
 */
static void on_message(j_common_ptr jpeg, int level)
{
    int code = jpeg->err->msg_code;
    bool harmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR ||
                    code == JWRN_ADOBE_XFORM || code == JWRN_BOGUS_ICC;
    if (level < 0 && !harmless)
        on_error(jpeg);
}

static int most_scans(const struct jpeg_decompress_struct *jpeg)
{
    size_t scans = SCANNED_PIXELS / ((size_t)jpeg->image_width * jpeg->image_height);
    return scans < LEAST_SCANS ? LEAST_SCANS : scans > MOST_SCANS ? MOST_SCANS : (int)scans;
}

/* Called at each row of blocks of each scan. */
static void on_progress(j_common_ptr jpeg)
{
    jpeg_reader *reader = jpeg->client_data;
    int most = most_scans(&reader->jpeg);
    reader->stopped = sac_cancel_asked();
    if (!reader->stopped && reader->jpeg.input_scan_number <= most)
        return;
    snprintf(reader->message, sizeof reader->message, "more than %d scans", most);
    longjmp(reader->jump, 1);
}

/* A Huffman code takes a bit or more, and the first scan has one for each block of 8 x 8. Blocks
 * may be half as many as pixels say: one component of 4 x 1 samples beside one of 1 x 4. */
static bool fits(const jpeg_reader *reader, size_t size)
{
    const struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    size_t pixels = (size_t)jpeg->image_width * jpeg->image_height;
    return pixels / 64 / 8 / 2 <= size;
}

/* Refuses a picture before memory is taken for it. An arithmetic code takes no bits at all where it
 * is sure of what comes, so that nothing tells how many pixels such a file can hold. */
static sac_status check(const jpeg_reader *reader, size_t size, sac_error *error)
{
    const struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    if (jpeg->arith_code)
        return sac_fail(error, SAC_E_FORMAT, NULL, "save it as an ordinary JPEG",
                        "is a JPEG with arithmetic coding, which is not read");
    if (!fits(reader, size))
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "promises %u x %u pixels, more than the file can hold", jpeg->image_width,
                        jpeg->image_height);
    if (jpeg->num_components != 1 && jpeg->num_components != 3 && jpeg->num_components != 4)
        return sac_fail(error, SAC_E_FORMAT, NULL, "convert it to grey or RGB",
                        "has %d colour components, which are not read", jpeg->num_components);
    return sac_image_check_size(jpeg->image_width, jpeg->image_height, 3 * jpeg->image_width,
                                error);
}

static sac_status prepare(jpeg_reader *reader, size_t size, sac_image *image, sac_error *error)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    sac_status status = check(reader, size, error);
    if (status == SAC_OK)
        status = sac_image_create((int)jpeg->image_width, (int)jpeg->image_height, image, error);
    if (status != SAC_OK)
        return status;
    jpeg->out_color_space = jpeg->num_components == 4 ? JCS_CMYK : JCS_RGB;
    reader->row = malloc((size_t)jpeg->image_width * 4);
    if (!reader->row)
        return sac_no_memory(error, "row");
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
static sac_status decode(jpeg_reader *reader, size_t size, sac_image *image,
                         sac_picture_facts *facts, sac_error *error)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    jpeg_read_header(jpeg, TRUE);
    sac_status status = prepare(reader, size, image, error);
    if (status != SAC_OK)
        return status;
    facts->orientation = read_orientation(reader);
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

static sac_status decoder_failed(const jpeg_reader *reader, sac_error *error)
{
    if (reader->stopped)
        return sac_cancel_check(NULL, error);
    if (reader->errors.msg_code == JERR_NO_BACKING_STORE)
        return sac_fail(error, SAC_E_SHAPE, NULL, "make it smaller, or save it without progression",
                        "needs more than %ld MB to be unpacked", MOST_MEMORY >> 20);
    return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "is a damaged JPEG: %s",
                    reader->message);
}

sac_status sac_jpeg_decode(const uint8_t *bytes, size_t size, sac_image *image,
                           sac_picture_facts *facts, sac_error *error)
{
    jpeg_reader *reader = calloc(1, sizeof *reader);
    sac_status status;
    if (!reader)
        return sac_no_memory(error, "JPEG decoder");
    if (setjmp(reader->jump) != 0) {
        status = decoder_failed(reader, error);
    } else {
        reader->jpeg.err = jpeg_std_error(&reader->errors);
        reader->errors.error_exit = on_error;
        reader->errors.emit_message = on_message;
        reader->progress.progress_monitor = on_progress;
        reader->jpeg.client_data = reader;
        jpeg_create_decompress(&reader->jpeg);
        reader->jpeg.progress = &reader->progress;
        jpeg_save_markers(&reader->jpeg, JPEG_APP0 + 1, 0xffff);
        reader->jpeg.mem->max_memory_to_use = MOST_MEMORY;
        jpeg_mem_src(&reader->jpeg, bytes, (unsigned long)size);
        status = decode(reader, size, image, facts, error);
    }
    jpeg_destroy_decompress(&reader->jpeg);
    free(reader->row);
    free(reader);
    return status;
}
