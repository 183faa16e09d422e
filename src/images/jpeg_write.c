/* JPEG out through libjpeg. */
#include "images/jpeg_write.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "base/error.h"

/* All that must survive a longjmp out of libjpeg is here and not in locals. */
typedef struct jpeg_writer {
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    jmp_buf jump;
    uint8_t *row; /* [width,3] */
    unsigned char *bytes;
    unsigned long size;
    char message[JMSG_LENGTH_MAX];
} jpeg_writer;

static void on_error(j_common_ptr jpeg)
{
    jpeg_writer *writer = jpeg->client_data;
    jpeg->err->format_message(jpeg, writer->message);
    longjmp(writer->jump, 1);
}

/* False: writer->message has the reason. */
static bool write_rows(jpeg_writer *writer, const sac_image *image, int quality)
{
    struct jpeg_compress_struct *jpeg = &writer->jpeg;
    if (setjmp(writer->jump))
        return false;
    jpeg_create_compress(jpeg);
    jpeg_mem_dest(jpeg, &writer->bytes, &writer->size);
    jpeg->image_width = (JDIMENSION)image->width;
    jpeg->image_height = (JDIMENSION)image->height;
    jpeg->input_components = 3;
    jpeg->in_color_space = JCS_RGB;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, quality, TRUE);
    jpeg->comp_info[0].h_samp_factor = jpeg->comp_info[0].v_samp_factor = 1;
    jpeg_start_compress(jpeg, TRUE);
    while (jpeg->next_scanline < jpeg->image_height) {
        const uint8_t *in =
            image->rgba + 4 * (size_t)jpeg->next_scanline * (size_t)jpeg->image_width;
        for (size_t x = 0; x < jpeg->image_width; x++)
            memcpy(writer->row + 3 * x, in + 4 * x, 3);
        jpeg_write_scanlines(jpeg, &writer->row, 1);
    }
    jpeg_finish_compress(jpeg);
    return true;
}

sac_status sac_jpeg_encode(const sac_image *image, int quality, uint8_t **bytes, size_t *size,
                           sac_error *error)
{
    sac_status status = SAC_OK;
    jpeg_writer *writer = calloc(1, sizeof *writer);
    uint8_t *row = malloc(3 * (size_t)image->width);
    if (!writer || !row) {
        free(writer);
        free(row);
        return sac_no_memory(error, "JPEG encoder");
    }
    writer->row = row;
    writer->jpeg.err = jpeg_std_error(&writer->errors);
    writer->errors.error_exit = on_error;
    writer->jpeg.client_data = writer;
    if (!write_rows(writer, image, quality))
        status =
            sac_fail(error, SAC_E_SHAPE, "JPEG", "make the picture smaller", "%s", writer->message);
    jpeg_destroy_compress(&writer->jpeg);
    *bytes = status == SAC_OK ? writer->bytes : NULL;
    *size = status == SAC_OK ? writer->size : 0;
    if (status != SAC_OK)
        free(writer->bytes);
    free(writer->row);
    free(writer);
    return status;
}
