/* WebP in through libwebp: still pictures, and the first picture of an animation. */
#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>

#include "base/cancel.h"
#include "base/error.h"
#include "images/image_read.h"

enum { STEP = 1 << 14 }; /* bytes given to the decoder between two looks for a cancellation */

bool sac_webp_is(const uint8_t *bytes, size_t size)
{
    return size >= 12 && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WEBP", 4) == 0;
}

static sac_status fail_damaged_webp(sac_error *error)
{
    return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "is a cut or damaged WebP");
}

/* Decodes one frame's bytes to `rgba`, whose rows are `stride` bytes apart; *rows of them are there. */
static sac_status decode_frame(const WebPData *frame, uint8_t *rgba, size_t stride, int height,
                               int *rows, sac_error *error)
{
    *rows = 0;
    WebPDecoderConfig config;
    VP8StatusCode code = VP8_STATUS_SUSPENDED;
    sac_status status = SAC_OK;
    WebPInitDecoderConfig(&config);
    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = rgba;
    config.output.u.RGBA.stride = (int)stride;
    config.output.u.RGBA.size = stride * (size_t)height;
    WebPIDecoder *decoder = WebPIDecode(NULL, 0, &config);
    if (!decoder)
        return sac_no_memory(error, "WebP decoder");
    for (size_t end = 0; status == SAC_OK && code == VP8_STATUS_SUSPENDED && end < frame->size;) {
        status = sac_cancel_check(NULL, error);
        end = frame->size - end > STEP ? end + STEP : frame->size;
        if (status == SAC_OK)
            code = WebPIUpdate(decoder, frame->bytes, end);
    }
    if (status == SAC_OK && code != VP8_STATUS_OK)
        WebPIDecGetRGB(decoder, rows, NULL, NULL, NULL);
    else if (status == SAC_OK)
        *rows = height;
    WebPIDelete(decoder);
    WebPFreeDecBuffer(&config.output);
    if (status == SAC_OK && code == VP8_STATUS_OUT_OF_MEMORY)
        return sac_no_memory(error, "WebP decoder");
    return status == SAC_OK && code != VP8_STATUS_OK && *rows <= 0 ? fail_damaged_webp(error)
                                                                   : status;
}

static int read_orientation(const WebPDemuxer *demuxer)
{
    WebPChunkIterator chunk;
    int exif = 0, xmp = 0;
    if (WebPDemuxGetChunk(demuxer, "EXIF", 1, &chunk))
        exif = sac_exif_orientation(chunk.chunk.bytes, chunk.chunk.size);
    WebPDemuxReleaseChunkIterator(&chunk);
    if (WebPDemuxGetChunk(demuxer, "XMP ", 1, &chunk))
        xmp = sac_xmp_orientation(chunk.chunk.bytes, chunk.chunk.size);
    WebPDemuxReleaseChunkIterator(&chunk);
    return sac_picture_orientation(exif, xmp);
}

/* A row that never came. */
static void fill_missing_row(uint8_t *rgba, size_t width, bool has_alpha)
{
    for (size_t x = 0; x < width; x++)
        memcpy(rgba + 4 * x, (uint8_t[]){0, 0, 0, has_alpha ? 0 : 0xff}, 4);
}

/* The first frame on a transparent canvas: an animation's frame may be a part of it. */
static sac_status decode(const WebPDemuxer *demuxer, sac_image *image, sac_picture_facts *facts,
                         sac_error *error)
{
    size_t width = WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_WIDTH);
    size_t height = WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_HEIGHT);
    WebPIterator frame;
    WebPBitstreamFeatures features;
    sac_status status = sac_image_check_size(width, height, 3 * width, error);
    if (status != SAC_OK)
        return status;
    if (!WebPDemuxGetFrame(demuxer, 1, &frame))
        return fail_damaged_webp(error);
    bool fits =
        frame.x_offset >= 0 && frame.y_offset >= 0 &&
        (size_t)frame.x_offset + (size_t)frame.width <= width &&
        (size_t)frame.y_offset + (size_t)frame.height <= height &&
        WebPGetFeatures(frame.fragment.bytes, frame.fragment.size, &features) == VP8_STATUS_OK &&
        features.width == frame.width && features.height == frame.height;
    status =
        fits ? sac_image_create((int)width, (int)height, image, error) : fail_damaged_webp(error);
    bool is_part = (size_t)frame.width * (size_t)frame.height < width * height;
    if (status == SAC_OK && is_part)
        memset(image->rgba, 0, width * height * 4);
    if (status == SAC_OK) {
        uint8_t *first =
            image->rgba + ((size_t)frame.y_offset * width + (size_t)frame.x_offset) * 4;
        int rows;
        status = decode_frame(&frame.fragment, first, width * 4, frame.height, &rows, error);
        for (size_t y = (size_t)rows; status == SAC_OK && y < (size_t)frame.height; y++)
            fill_missing_row(first + y * width * 4, (size_t)frame.width, features.has_alpha);
        if (status == SAC_OK && rows < frame.height) {
            facts->trouble = frame.complete ? "is damaged" : "ends early";
            facts->share = (double)rows / frame.height;
        }
    }
    facts->orientation = read_orientation(demuxer);
    facts->frames = frame.num_frames;
    WebPDemuxReleaseIterator(&frame);
    return status;
}

sac_status sac_webp_decode(const uint8_t *bytes, size_t size, sac_image *image,
                           sac_picture_facts *facts, sac_error *error)
{
    WebPDemuxState state = WEBP_DEMUX_PARSE_ERROR; /* it may lack its end */
    WebPDemuxer *demuxer = WebPDemuxPartial(&(WebPData){bytes, size}, &state);
    sac_status status = demuxer && state >= WEBP_DEMUX_PARSED_HEADER
                            ? decode(demuxer, image, facts, error)
                            : fail_damaged_webp(error);
    WebPDemuxDelete(demuxer);
    return status;
}
