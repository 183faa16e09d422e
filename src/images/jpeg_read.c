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
    sac_picture_facts *facts;
    bool ended; /* the file is at its end, before the mark of one */
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

/* Departures from the standard that cost no pixel, and which cameras and programs make: JPEGs of
 * Samsung's phones have the parameters of a progressive scan in a baseline file. All other warnings
 * are of data that are missing or damaged, for which libjpeg fills in grey or what it can make of
 * them. */
static bool is_harmless(int code)
{
    return code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM ||
           code == JWRN_BOGUS_ICC || code == JWRN_NOT_SEQUENTIAL;
}

/* Of several scans the first has all of the picture, coarsely. */
static void note_trouble(jpeg_reader *reader, const char *trouble)
{
    const struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    if (reader->facts->trouble)
        return;
    reader->facts->trouble = trouble;
    reader->facts->share = jpeg->input_scan_number > 1 || !jpeg->total_iMCU_rows
                               ? 1
                               : (double)jpeg->input_iMCU_row / jpeg->total_iMCU_rows;
}

/* The end of the file alone is no loss: often the mark of the end is all that is missing. Where data are,
 * libjpeg warns of that as well. */
static void on_message(j_common_ptr jpeg, int level)
{
    jpeg_reader *reader = jpeg->client_data;
    int code = jpeg->err->msg_code;
    if (level >= 0 || is_harmless(code))
        return;
    if (code == JWRN_JPEG_EOF)
        reader->ended = true;
    else
        note_trouble(reader, code == JWRN_HIT_MARKER &&
                                     (reader->ended || reader->jpeg.unread_marker == JPEG_EOI)
                                 ? "ends early"
                                 : "is damaged");
}

/* A file of several scans that ends between two of them. */
static bool lacks_scans(const jpeg_reader *reader)
{
    const struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    if (!reader->ended || !jpeg->progressive_mode || !jpeg->coef_bits)
        return false;
    for (int c = 0; c < jpeg->num_components; c++)
        for (int k = 0; k < DCTSIZE2; k++)
            if (jpeg->coef_bits[c][k] != 0)
                return true;
    return false;
}

/* Called at each row of blocks of each scan. */
static void on_progress(j_common_ptr jpeg)
{
    jpeg_reader *reader = jpeg->client_data;
    size_t scans = SCANNED_PIXELS / ((size_t)reader->jpeg.image_width * reader->jpeg.image_height);
    int most = scans < LEAST_SCANS ? LEAST_SCANS : scans > MOST_SCANS ? MOST_SCANS : (int)scans;
    reader->stopped = sac_cancel_asked();
    if (!reader->stopped && reader->jpeg.input_scan_number <= most)
        return;
    snprintf(reader->message, sizeof reader->message, "more than %d scans", most);
    longjmp(reader->jump, 1);
}

/* A Huffman code takes a bit or more, and the first scan has one for each block of 8 x 8. There may
 * be half as many blocks as the pixels need: one component of 4 x 1 samples beside one of 1 x 4. */
static bool file_can_hold_pixels(const jpeg_reader *reader, size_t size)
{
    const struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    size_t pixels = (size_t)jpeg->image_width * jpeg->image_height;
    return pixels / 64 / 8 / 2 <= size;
}

/* Refuses a picture before memory is taken for it. An arithmetic code may take no bits at all for a
 * certain value, so that the file's length does not limit its pixels. */
static sac_status check_decodable(const jpeg_reader *reader, size_t size, sac_error *error)
{
    const struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    if (jpeg->arith_code)
        return sac_fail(error, SAC_E_FORMAT, NULL, "save it as an ordinary JPEG",
                        "is a JPEG with arithmetic coding, which is not read");
    if (!file_can_hold_pixels(reader, size))
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "promises %u x %u pixels, more than the file can hold", jpeg->image_width,
                        jpeg->image_height);
    if (jpeg->num_components != 1 && jpeg->num_components != 3 && jpeg->num_components != 4)
        return sac_fail(error, SAC_E_FORMAT, NULL, "convert it to grey or RGB",
                        "has %d colour components, which are not read", jpeg->num_components);
    return sac_image_check_size(jpeg->image_width, jpeg->image_height, 3 * jpeg->image_width,
                                error);
}

static sac_status prepare_output_image(jpeg_reader *reader, size_t size, sac_image *image,
                                       sac_error *error)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    sac_status status = check_decodable(reader, size, error);
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
    static const char space[] = "http://ns.adobe.com/xap/1.0/"; /* with the 0 behind it */
    int exif = -1, xmp = 0;
    for (const struct jpeg_marker_struct *m = reader->jpeg.marker_list; m; m = m->next)
        if (exif < 0 && m->data_length >= 6 && memcmp(m->data, "Exif\0\0", 6) == 0)
            exif = sac_exif_orientation(m->data, m->data_length);
        else if (m->data_length > sizeof space && memcmp(m->data, space, sizeof space) == 0)
            xmp = sac_xmp_orientation(m->data + sizeof space, m->data_length - sizeof space);
    return sac_picture_orientation(exif > 0 ? exif : 0, xmp);
}

/* The steps that may longjmp; returns only if none did. */
static sac_status decode(jpeg_reader *reader, size_t size, sac_image *image,
                         sac_picture_facts *facts, sac_error *error)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    jpeg_read_header(jpeg, TRUE);
    sac_status status = prepare_output_image(reader, size, image, error);
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
    if (lacks_scans(reader))
        note_trouble(reader, "ends early");
    if (facts->trouble && facts->share <= 0 && strcmp(facts->trouble, "ends early") == 0)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "is a damaged JPEG: it ends before its first rows");
    return SAC_OK; /* what stands behind the last row does not matter */
}

static sac_status fail_jpeg_decoding(const jpeg_reader *reader, sac_error *error)
{
    if (reader->stopped)
        return sac_cancel_check(NULL, error);
    if (reader->errors.msg_code == JERR_NO_BACKING_STORE)
        return sac_fail(error, SAC_E_SHAPE, NULL, "make it smaller, or save it without progression",
                        "needs more than %ld MB to be unpacked", MOST_MEMORY >> 20);
    return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "is a damaged JPEG: %s",
                    reader->message);
}

/* Where the last marker begins that is none of a restart. */
static size_t last_marker(const uint8_t *bytes, size_t size)
{
    size_t at = size > 1 ? size - 1 : 0;
    while (at-- > 0)
        if (bytes[at] == 0xff && bytes[at + 1] >= 0xc0 && bytes[at + 1] != 0xff &&
            (bytes[at + 1] & 0xf8) != 0xd0)
            return at;
    return 0;
}

/* *left: the size of the file without the head of a scan that is cut; 0: none is. */
static sac_status decode_until_damage(const uint8_t *bytes, size_t size, sac_image *image,
                                      sac_picture_facts *facts, size_t *left, sac_error *error)
{
    jpeg_reader *reader = calloc(1, sizeof *reader);
    sac_status status;
    *left = 0;
    if (!reader)
        return sac_no_memory(error, "JPEG decoder");
    reader->facts = facts;
    if (setjmp(reader->jump) != 0) {
        const size_t decoded = reader->jpeg.output_scanline;
        status = SAC_OK;
        if (!image->rgba || decoded == 0 || reader->stopped)
            status = fail_jpeg_decoding(reader, error);
        else {
            /* An error behind the first rows leaves what was decoded; the rest is black, as in PIL. */
            const size_t width = (size_t)image->width;
            for (size_t i = decoded * width; i < width * (size_t)image->height; i++)
                memcpy(image->rgba + 4 * i, (uint8_t[]){0, 0, 0, 0xff}, 4);
        }
        if (status == SAC_E_FORMAT && reader->ended && reader->jpeg.input_scan_number > 0)
            *left = last_marker(bytes, size);
        note_trouble(reader, "is damaged");
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

sac_status sac_jpeg_decode(const uint8_t *bytes, size_t size, sac_image *image,
                           sac_picture_facts *facts, sac_error *error)
{
    size_t left;
    sac_status status = decode_until_damage(bytes, size, image, facts, &left, error);
    if (!left)
        return status;
    sac_image_free(image);
    *facts = (sac_picture_facts){.orientation = 1, .frames = 1};
    return decode_until_damage(bytes, left, image, facts, &left, error);
}
