/* The square that the model sees of a picture. The model was trained on scenes that were drawn
 * antialiased in sRGB, so pixels are averaged as they stand in the file, without going through
 * linear light. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "captioner/captioner.h"

/* The way in which the pixels of one axis fall onto the square's. The picture lies in the middle of
 * a square as wide as its longer side; its first and last line reach out to that square's edges. */
typedef struct axis {
    int pixels;    /* of the picture */
    double before; /* pixels of the wide square that come before the picture's */
    double scale;  /* pixels of the wide square per pixel of the small one */
} axis;

/* The pixels first … first + count − 1 that a pixel of the square is made of. */
typedef struct mixture {
    int first, count;
    float *weights; /* capacity: sides / side + 3 */
} mixture;

static int nearest(double pixel, int pixels)
{
    return pixel < 0 ? 0 : pixel > pixels - 1 ? pixels - 1 : (int)pixel;
}

/* Shrunk, a pixel is the mean of the area below it; enlarged, it lies between two neighbours. Where
 * the picture does not reach, or is one line, that is all of one pixel. */
static void find_taps(const axis *a, int to, mixture *taps)
{
    double from = to * a->scale - a->before, end = from + a->scale;
    double middle = (from + end - 1) / 2;
    bool shrink = a->scale >= 1;
    double low = floor(shrink ? from : middle), high = shrink ? end : low + 2;
    taps->first = nearest(low, a->pixels);
    taps->count = nearest(ceil(high) - 1, a->pixels) - taps->first + 1;
    taps->weights[0] = 1;
    if (taps->count == 1)
        return;
    memset(taps->weights, 0, (size_t)taps->count * sizeof *taps->weights);
    for (double p = low; p < high; p++) {
        double share =
            shrink ? (fmin(p + 1, end) - fmax(p, from)) / a->scale : 1 - fabs(p - middle);
        taps->weights[nearest(p, a->pixels) - taps->first] += (float)share;
    }
}

/* line[width,4] += weight · row[width,4] over white; the fourth of each is of no use, but lets four
 * be done at once. */
static void add_row(const uint8_t *row, int width, float weight, float *line)
{
    float share = weight / 255;
    for (int x = 0; x < width; x++, row += 4, line += 4) {
        float alpha = row[3] * share, white = weight * 255 - alpha * 255;
        for (int c = 0; c < 4; c++)
            line[c] += row[c] * alpha + white;
    }
}

static void shrink_line(const axis *a, const float *line, int side, mixture *taps, uint8_t *out)
{
    for (int x = 0; x < side; x++, out += 4) {
        float sum[3] = {0};
        find_taps(a, x, taps);
        for (int i = 0; i < taps->count; i++)
            for (int c = 0; c < 3; c++)
                sum[c] += taps->weights[i] * line[4 * (taps->first + i) + c];
        for (int c = 0; c < 3; c++)
            out[c] = (uint8_t)(fminf(sum[c], 255) + 0.5f);
        out[3] = 255;
    }
}

/* One line of the square, out of all rows of the picture that it covers. */
static void make_line(const sac_image *image, const axis *across, mixture *taps, int side,
                      float *line, uint8_t *out)
{
    size_t stride = 4 * (size_t)image->width;
    memset(line, 0, stride * sizeof *line);
    for (int i = 0; i < taps->count; i++)
        add_row(image->rgba + stride * (size_t)(taps->first + i), image->width, taps->weights[i],
                line);
    shrink_line(across, line, side, taps, out);
}

/* Every row of the picture is gone over at most three times, however wide it is: lines that are all
 * of one row, as above and below a wide picture, are made once. */
static sac_status make_square(const sac_image *image, int side, float *line, mixture *taps,
                              uint8_t *out, sac_error *error)
{
    int longer = image->width > image->height ? image->width : image->height, last = -1;
    double scale = (double)longer / side;
    axis across = {image->width, (longer - image->width) / 2.0, scale};
    axis down = {image->height, (longer - image->height) / 2.0, scale};
    size_t out_stride = 4 * (size_t)side;
    for (int y = 0; y < side; y++, out += out_stride) {
        sac_status status = sac_cancel_check("picture", error);
        if (status != SAC_OK)
            return status;
        find_taps(&down, y, taps);
        int only = taps->count == 1 ? taps->first : -1;
        if (only >= 0 && only == last)
            memcpy(out, out - out_stride, out_stride);
        else
            make_line(image, &across, taps, side, line, out);
        last = only;
    }
    return SAC_OK;
}

sac_status sac_captioner_preprocess(const sac_image *image, int side, sac_image *square,
                                    sac_error *error)
{
    int longer = image->width > image->height ? image->width : image->height;
    float *line = malloc(4 * (size_t)image->width * sizeof *line);
    mixture taps = {.weights = malloc(((size_t)longer / (size_t)side + 3) * sizeof *taps.weights)};
    sac_status status = sac_image_create(side, side, square, error);
    if (status == SAC_OK && (!line || !taps.weights))
        status = sac_no_memory(error, "picture");
    if (status == SAC_OK)
        status = make_square(image, side, line, &taps, square->rgba, error);
    if (status != SAC_OK)
        sac_image_free(square);
    free(line);
    free(taps.weights);
    return status;
}
