/* Draws images on the canvas. */
#include <string.h>

#include "canvas/canvas.h"
#include "canvas/recording.h"
#include "canvas/tiles.h"
#include "images/resample.h"

static void copy_row(const uint8_t *from, uint8_t *to, int count, bool opaque)
{
    if (opaque) {
        memcpy(to, from, 4 * (size_t)count);
        return;
    }
    for (int x = 0; x < count; x++, from += 4, to += 4) {
        unsigned a = from[3];
        for (int c = 0; c < 3; c++)
            to[c] = (uint8_t)((from[c] * a + to[c] * (255 - a) + 127) / 255);
    }
}

/* `image` as it is, its corner at pixel (x, y). `contents` identifies its pixels. */
static void blit(viz_canvas *canvas, const sac_image *image, bool opaque, uint64_t contents, int x,
                 int y)
{
    const viz_pixels box = {x, y, x + image->width, y + image->height};
    viz_note(canvas, box, viz_hash(contents, &box, sizeof box));
    VIZ_EACH_PART(canvas, box)
    for (int row = canvas->part.y0; row < canvas->part.y1; row++)
        copy_row(image->rgba +
                     4 * ((size_t)(row - y) * (size_t)image->width + (size_t)(canvas->part.x0 - x)),
                 viz_pixel_at(canvas, canvas->part.x0, row), canvas->part.x1 - canvas->part.x0,
                 opaque);
    viz_record(canvas, &(viz_shape){.kind = VIZ_SHAPE_IMAGE, .box = box, .image = *image});
}

/* Scales the image, unless the kept one is that. False: no memory. */
static bool keep(viz_scaled *kept, const sac_image *image, unsigned stamp, int width, int height,
                 bool smooth)
{
    static uint64_t made; /* so many images were */
    bool stale = !kept->image.rgba || kept->image.width != width || kept->image.height != height ||
                 kept->stamp != stamp || kept->smooth != smooth;
    if (!stale)
        return true;
    viz_scaled_free(kept);
    if (sac_image_scale(image, width, height, smooth, &kept->image, NULL) != SAC_OK) {
        viz_drawing_lacks_memory();
        return false;
    }
    kept->stamp = stamp;
    kept->smooth = smooth;
    kept->number = ++made;
    kept->opaque = sac_is_opaque(kept->image.rgba, (size_t)width * (size_t)height);
    return true;
}

void viz_image_kept(viz_canvas *canvas, viz_scaled *kept, const sac_image *image, unsigned stamp,
                    viz_rect rect, bool smooth)
{
    viz_pixels p = viz_to_pixels(canvas, rect);
    int width = p.x1 - p.x0, height = p.y1 - p.y0;
    if (width >= 1 && height >= 1 && keep(kept, image, stamp, width, height, smooth))
        blit(canvas, &kept->image, kept->opaque, kept->number, p.x0, p.y0);
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
