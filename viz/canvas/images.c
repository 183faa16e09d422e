/* Draws images on the canvas. */
#include <string.h>

#include "canvas/canvas.h"
#include "canvas/recording.h"
#include "images/resample.h"

static void copy_row(const uint8_t *from, uint8_t *to, int count)
{
    if (sac_is_opaque(from, (size_t)count)) {
        memcpy(to, from, 4 * (size_t)count);
        return;
    }
    for (int x = 0; x < count; x++, from += 4, to += 4) {
        unsigned a = from[3];
        for (int c = 0; c < 3; c++)
            to[c] = (uint8_t)((from[c] * a + to[c] * (255 - a) + 127) / 255);
    }
}

/* `image` as it is, its corner at pixel (x, y). */
static void blit(viz_canvas *canvas, const sac_image *image, int x, int y)
{
    int x0 = x > canvas->clip_x0 ? x : canvas->clip_x0;
    int y0 = y > canvas->clip_y0 ? y : canvas->clip_y0;
    int x1 = x + image->width < canvas->clip_x1 ? x + image->width : canvas->clip_x1;
    int y1 = y + image->height < canvas->clip_y1 ? y + image->height : canvas->clip_y1;
    for (int row = y0; row < y1 && x0 < x1; row++)
        copy_row(image->rgba + 4 * ((size_t)(row - y) * (size_t)image->width + (size_t)(x0 - x)),
                 canvas->rgba + 4 * ((size_t)row * (size_t)canvas->width + (size_t)x0), x1 - x0);
}

void viz_image_kept(viz_canvas *canvas, viz_scaled *kept, const sac_image *image, unsigned stamp,
                    viz_rect rect, bool smooth)
{
    viz_pixels p = viz_to_pixels(canvas, rect);
    int width = p.x1 - p.x0, height = p.y1 - p.y0;
    if (width < 1 || height < 1)
        return;
    bool stale = !kept->image.rgba || kept->image.width != width || kept->image.height != height ||
                 kept->stamp != stamp || kept->smooth != smooth;
    if (stale) {
        viz_scaled_free(kept);
        if (sac_image_scale(image, width, height, smooth, &kept->image, NULL) != SAC_OK) {
            viz_drawing_lacks_memory();
            return;
        }
        kept->stamp = stamp;
        kept->smooth = smooth;
        kept->opaque = sac_is_opaque(kept->image.rgba, (size_t)width * (size_t)height);
    }
    blit(canvas, &kept->image, p.x0, p.y0);
    viz_record(canvas, &(viz_shape){.kind = VIZ_SHAPE_IMAGE, .box = p, .image = kept->image});
}

void viz_scaled_free(viz_scaled *kept)
{
    sac_image_free(&kept->image);
    sac_image_free(&kept->dimmed);
    *kept = (viz_scaled){0};
}

void viz_image(viz_canvas *canvas, const sac_image *image, viz_rect rect, bool smooth)
{
    viz_scaled once = {0};
    viz_image_kept(canvas, &once, image, 0, rect, smooth);
    viz_scaled_free(&once);
}
