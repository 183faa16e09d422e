/* Photographs told from drawings by how few neighbours in them are alike; what is rough may be
 * drawn all the same. */

#include "captioner/photograph.h"

#include <stdlib.h>
#include <string.h>

#include "captioner/captioner.h"
#include "captioner/drawn.h"

/* At this side noise, hatching and thin outlines are averaged away; the shades of a photograph are
 * not, be it sharp or soft. */
enum { SIDE = 32 };

sac_square_part sac_picture_in_square(const sac_image *picture, int side)
{
    int longer = picture->width > picture->height ? picture->width : picture->height;
    int w = (int)((double)picture->width * side / longer + 0.5);
    int h = (int)((double)picture->height * side / longer + 0.5);
    w = w < 1 ? 1 : w;
    h = h < 1 ? 1 : h;
    return (sac_square_part){(side - w) / 2, (side - h) / 2, (side - w) / 2 + w,
                             (side - h) / 2 + h};
}

static bool differ(const uint8_t *a, const uint8_t *b, int levels)
{
    return abs(a[0] - b[0]) > levels || abs(a[1] - b[1]) > levels || abs(a[2] - b[2]) > levels;
}

static sac_status is_rough(const sac_image *picture, const sac_dataset *dataset, bool *rough,
                           sac_error *error)
{
    sac_image small = {0};
    sac_status status = sac_captioner_preprocess(picture, SIDE, &small, error);
    if (status != SAC_OK)
        return status;
    sac_square_part in = sac_picture_in_square(picture, SIDE);
    int pairs = 0, different = 0, levels = dataset->plain.levels;
    for (int y = in.y0; y < in.y1; y++)
        for (int x = in.x0; x < in.x1; x++) {
            const uint8_t *pixel = small.rgba + 4 * (y * SIDE + x);
            bool right = x + 1 < in.x1, below = y + 1 < in.y1;
            pairs += right + below;
            different += right && differ(pixel, pixel + 4, levels);
            different += below && differ(pixel, pixel + (size_t)4 * SIDE, levels);
        }
    *rough = different > dataset->plain.most * pairs;
    sac_image_free(&small);
    return SAC_OK;
}

sac_status sac_is_photograph(const sac_image *picture, const sac_dataset *dataset, bool *photograph,
                             sac_error *error)
{
    bool rough = false, drawn = false;
    sac_status status = is_rough(picture, dataset, &rough, error);
    if (status == SAC_OK && rough)
        status = sac_is_drawn(picture, &drawn, error);
    *photograph = rough && !drawn;
    return status;
}

void sac_veil_outside(const sac_image *picture, sac_image *square)
{
    static const uint8_t veil[4] = {58, 62, 69, 255}, stroke[4] = {84, 90, 99, 255};
    sac_square_part in = sac_picture_in_square(picture, square->width);
    int pitch = square->width / 32 + 2, thick = square->width / 300 + 1;
    for (int y = 0; y < square->height; y++)
        for (int x = 0; x < square->width; x++) {
            bool inside = x >= in.x0 && x < in.x1 && y >= in.y0 && y < in.y1;
            if (!inside)
                memcpy(square->rgba + 4 * ((size_t)y * (size_t)square->width + (size_t)x),
                       (x + y) % pitch < thick ? stroke : veil, 4);
        }
}
