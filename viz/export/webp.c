/* Writes animated WebP with libwebp's encoder of animations, which finds what changed. */
#include "export/webp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include "arrays/bytes.h"
#include "base/error.h"
#include "base/output.h"

/* Letters stay sharp at 85: at 80 they are 15 % smaller in bytes, and have a haze around them. */
#define QUALITY 85
enum { EFFORT = 4 }; /* of 6 */

struct viz_webp {
    sac_output output;
    int width, height;
    WebPAnimEncoder *encoder;
    WebPConfig config;
    uint8_t *previous; /* [height,width,4] */
    int end;           /* ms, of what was added */
};

static sac_status fail(const viz_webp *webp, sac_error *error)
{
    const char *why = webp->encoder ? WebPAnimEncoderGetError(webp->encoder) : NULL;
    return sac_fail(error, SAC_E_FILE, webp->output.path, NULL, "cannot be written as a WebP: %s",
                    why && why[0] ? why : "libwebp failed");
}

sac_status viz_webp_open(const char *path, int width, int height, viz_webp **webp, sac_error *error)
{
    viz_webp *w = *webp = calloc(1, sizeof *w);
    WebPAnimEncoderOptions options; /* loops for ever */
    if (!w)
        return sac_no_memory(error, path);
    w->width = width;
    w->height = height;
    sac_status status = sac_output_open(&w->output, path, error);
    if (status == SAC_OK && (width > WEBP_MAX_DIMENSION || height > WEBP_MAX_DIMENSION))
        status = sac_fail(error, SAC_E_SHAPE, path, "make it smaller",
                          "%d x %d pixels are more than the %d a side of a WebP", width, height,
                          WEBP_MAX_DIMENSION);
    if (status == SAC_OK) {
        w->previous = malloc(4 * (size_t)width * (size_t)height);
        status = w->previous ? SAC_OK : sac_no_memory(error, path);
    }
    bool known = WebPAnimEncoderOptionsInit(&options) && WebPConfigInit(&w->config);
    if (status == SAC_OK) {
        w->config.quality = QUALITY;
        w->config.method = EFFORT;
        w->encoder = known ? WebPAnimEncoderNew(width, height, &options) : NULL;
        status = w->encoder ? SAC_OK : fail(w, error);
    }
    if (status != SAC_OK) {
        viz_webp_discard(w);
        *webp = NULL;
    }
    return status;
}

sac_status viz_webp_add(viz_webp *w, const uint8_t *rgba, int milliseconds, sac_error *error)
{
    const size_t bytes = 4 * (size_t)w->width * (size_t)w->height;
    WebPPicture picture;
    const int begin = w->end;
    w->end += milliseconds;
    if (begin > 0 && memcmp(w->previous, rgba, bytes) == 0)
        return SAC_OK; /* the one before stays */
    if (!WebPPictureInit(&picture))
        return fail(w, error);
    picture.use_argb = 1;
    picture.width = w->width;
    picture.height = w->height;
    bool done = WebPPictureImportRGBA(&picture, rgba, 4 * w->width) &&
                WebPAnimEncoderAdd(w->encoder, &picture, begin, &w->config);
    const bool memory = picture.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY ||
                        picture.error_code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY;
    WebPPictureFree(&picture);
    if (!done)
        return memory ? sac_no_memory(error, w->output.path) : fail(w, error);
    memcpy(w->previous, rgba, bytes);
    return SAC_OK;
}

sac_status viz_webp_close(viz_webp *w, sac_error *error)
{
    WebPData data = {0};
    sac_status status = SAC_OK;
    if (!WebPAnimEncoderAdd(w->encoder, NULL, w->end, NULL) ||
        !WebPAnimEncoderAssemble(w->encoder, &data))
        status = fail(w, error);
    else if (fwrite(data.bytes, 1, data.size, w->output.file) != data.size)
        status = sac_fail_not_written(w->output.path, errno, error);
    if (status == SAC_OK)
        status = sac_output_commit(&w->output, error);
    WebPDataClear(&data);
    viz_webp_discard(w);
    return status;
}

void viz_webp_discard(viz_webp *w)
{
    if (!w)
        return;
    WebPAnimEncoderDelete(w->encoder);
    sac_output_discard(&w->output);
    free(w->previous);
    free(w);
}
