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

static sac_status damaged(sac_error *error)
{
    return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "is a cut or damaged WebP");
}

/* Decodes one frame's bytes to `rgba`, whose rows are `stride` bytes apart. */
static sac_status decode_frame(const WebPData *frame, uint8_t *rgba, size_t stride, int height,
                               sac_error *error)
{
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
    WebPIDelete(decoder);
    WebPFreeDecBuffer(&config.output);
    if (status == SAC_OK && code == VP8_STATUS_OUT_OF_MEMORY)
        return sac_no_memory(error, "WebP decoder");
    return status == SAC_OK && code != VP8_STATUS_OK ? damaged(error) : status;
}

static int read_orientation(const WebPDemuxer *demuxer)
{
    WebPChunkIterator chunk;
    int orientation = 1;
    if (WebPDemuxGetChunk(demuxer, "EXIF", 1, &chunk))
        orientation = sac_exif_orientation_bare(chunk.chunk.bytes, chunk.chunk.size);
    WebPDemuxReleaseChunkIterator(&chunk);
    return orientation;
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
        return damaged(error);
    bool fits =
        frame.complete && frame.x_offset >= 0 && frame.y_offset >= 0 &&
        (size_t)frame.x_offset + (size_t)frame.width <= width &&
        (size_t)frame.y_offset + (size_t)frame.height <= height &&
        WebPGetFeatures(frame.fragment.bytes, frame.fragment.size, &features) == VP8_STATUS_OK &&
        features.width == frame.width && features.height == frame.height;
    status = fits ? sac_image_create((int)width, (int)height, image, error) : damaged(error);
    if (status == SAC_OK && (size_t)frame.width * (size_t)frame.height < width * height)
        memset(image->rgba, 0, width * height * 4);
    if (status == SAC_OK) {
        size_t first = ((size_t)frame.y_offset * width + (size_t)frame.x_offset) * 4;
        status = decode_frame(&frame.fragment, image->rgba + first, width * 4, frame.height, error);
    }
    facts->orientation = read_orientation(demuxer);
    facts->frames = frame.num_frames;
    WebPDemuxReleaseIterator(&frame);
    return status;
}

sac_status sac_webp_decode(const uint8_t *bytes, size_t size, sac_image *image,
                           sac_picture_facts *facts, sac_error *error)
{
    WebPDemuxer *demuxer = WebPDemux(&(WebPData){bytes, size});
    sac_status status = demuxer ? decode(demuxer, image, facts, error) : damaged(error);
    WebPDemuxDelete(demuxer);
    return status;
}
