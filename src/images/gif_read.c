/* GIF in through giflib: the first picture, on its canvas. */
#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "images/image_read.h"

/* A code of 12 bits stands for at most 4096 pixels. */
#define PIXELS_PER_BYTE ((size_t)4096)
/* A canvas around a small picture is believed up to this many pixels. */
#define CANVAS_PIXELS ((size_t)1 << 22)

typedef struct gif_reader {
    const uint8_t *bytes;
    size_t size, at;
    GifFileType *gif;
    int transparent; /* index of the transparent colour; −1: none */
    bool in_lines;   /* what is read are blocks of pixels */
    size_t lines;    /* that were read */
} gif_reader;

bool sac_gif_is(const uint8_t *bytes, size_t size)
{
    return size >= 6 && (memcmp(bytes, "GIF87a", 6) == 0 || memcmp(bytes, "GIF89a", 6) == 0);
}

static int on_read(GifFileType *gif, GifByteType *out, int size)
{
    gif_reader *reader = gif->UserData;
    size_t left = reader->size - reader->at, wanted = size < 0 ? 0 : (size_t)size;
    size_t taken = wanted < left ? wanted : left;
    memcpy(out, reader->bytes + reader->at, taken);
    if (reader->in_lines && size == 1 && taken && *out > left - 1) /* a block is cut */
        *out = (GifByteType)(left - 1);
    reader->at += taken;
    return (int)taken;
}

static sac_status fail_damaged_gif(sac_error *error)
{
    return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "is a cut or damaged GIF");
}

/* Goes on to the next picture's description, and remembers the transparent colour before it.
 * GIF_OK; *found is false at the end of the file. */
static int next_picture(gif_reader *reader, bool *found)
{
    GifRecordType record;
    *found = false;
    while (DGifGetRecordType(reader->gif, &record) == GIF_OK) {
        if (record == IMAGE_DESC_RECORD_TYPE) {
            *found = true;
            return DGifGetImageDesc(reader->gif);
        }
        if (record != EXTENSION_RECORD_TYPE)
            return GIF_OK;
        GifByteType *block;
        GraphicsControlBlock control;
        int code;
        int result = DGifGetExtension(reader->gif, &code, &block);
        if (result == GIF_OK && code == GRAPHICS_EXT_FUNC_CODE && block &&
            DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK)
            reader->transparent = control.TransparentColor;
        while (result == GIF_OK && block)
            result = DGifGetExtensionNext(reader->gif, &block);
        if (result != GIF_OK)
            return result;
    }
    return GIF_ERROR;
}

/* One line of the picture into row `y` of the canvas, cut at the canvas's edges. */
static void copy_line_to_canvas(const gif_reader *reader, const GifPixelType *line, int y,
                                sac_image *image)
{
    const GifImageDesc *picture = &reader->gif->Image;
    const ColorMapObject *map = picture->ColorMap ? picture->ColorMap : reader->gif->SColorMap;
    y += picture->Top;
    for (int x = picture->Left, i = 0; y < image->height && x < image->width; x++, i++) {
        if (i >= picture->Width)
            break;
        if (line[i] == reader->transparent || line[i] >= map->ColorCount)
            continue;
        uint8_t *out = image->rgba + ((size_t)y * (size_t)image->width + (size_t)x) * 4;
        const GifColorType *colour = &map->Colors[line[i]];
        memcpy(out, (uint8_t[]){colour->Red, colour->Green, colour->Blue, 255}, 4);
    }
}

static sac_status read_lines(gif_reader *reader, sac_image *image, sac_error *error)
{
    static const int first[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2}; /* of an interlaced one */
    const GifImageDesc *picture = &reader->gif->Image;
    int passes = picture->Interlace ? 4 : 1;
    GifPixelType *line = malloc((size_t)picture->Width);
    sac_status status = SAC_OK;
    if (!line)
        return sac_no_memory(error, "row");
    reader->in_lines = true;
    for (int pass = 0; pass < passes; pass++)
        for (int y = picture->Interlace ? first[pass] : 0; status == SAC_OK && y < picture->Height;
             y += picture->Interlace ? step[pass] : 1) {
            status = sac_cancel_check(NULL, error);
            if (status == SAC_OK && DGifGetLine(reader->gif, line, picture->Width) != GIF_OK)
                status = fail_damaged_gif(error);
            if (status == SAC_OK)
                copy_line_to_canvas(reader, line, y, image);
            reader->lines += status == SAC_OK;
        }
    reader->in_lines = false;
    free(line);
    return status;
}

static sac_status decode(gif_reader *reader, sac_image *image, sac_picture_facts *facts,
                         sac_error *error)
{
    GifFileType *gif = reader->gif;
    bool found = false;
    if (next_picture(reader, &found) != GIF_OK || !found || gif->Image.Width <= 0 ||
        gif->Image.Height <= 0 || gif->Image.Left < 0 || gif->Image.Top < 0 ||
        (!gif->Image.ColorMap && !gif->SColorMap))
        return fail_damaged_gif(error);
    if (gif->SWidth <= 0 || gif->SHeight <= 0) { /* no canvas: the picture's own size */
        gif->SWidth = gif->Image.Left + gif->Image.Width;
        gif->SHeight = gif->Image.Top + gif->Image.Height;
    }
    size_t width = (size_t)gif->SWidth, height = (size_t)gif->SHeight;
    size_t backed = reader->size * PIXELS_PER_BYTE;
    sac_status status = sac_image_check_size(width, height, 3 * width, error);
    if (status == SAC_OK && width * height > (backed > CANVAS_PIXELS ? backed : CANVAS_PIXELS))
        status = sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                          "promises %zu x %zu pixels, more than the file can hold", width, height);
    if (status == SAC_OK)
        status = sac_image_create((int)width, (int)height, image, error);
    if (status != SAC_OK)
        return status;
    memset(image->rgba, 0, width * height * 4);
    status = read_lines(reader, image, error);
    if (status == SAC_E_FORMAT && reader->lines) {
        status = SAC_OK;
        facts->trouble = reader->at < reader->size ? "is damaged" : "ends early";
        facts->share = (double)reader->lines / gif->Image.Height;
        return status;
    }
    if (status == SAC_OK && next_picture(reader, &found) == GIF_OK && found)
        facts->frames = 2; /* or more */
    return status;
}

sac_status sac_gif_decode(const uint8_t *bytes, size_t size, sac_image *image,
                          sac_picture_facts *facts, sac_error *error)
{
    gif_reader reader = {.bytes = bytes, .size = size, .transparent = NO_TRANSPARENT_COLOR};
    int code = 0;
    reader.gif = DGifOpen(&reader, on_read, &code);
    if (!reader.gif)
        return code == D_GIF_ERR_NOT_ENOUGH_MEM ? sac_no_memory(error, "GIF decoder")
                                                : fail_damaged_gif(error);
    sac_status status = decode(&reader, image, facts, error);
    DGifCloseFile(reader.gif, &code);
    return status;
}
