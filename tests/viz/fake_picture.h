/* A picture source without a device, whose weights are easy to foretell: half of the attention goes
 * to the query itself, half is spread over the visible cells by how near they are. */
#ifndef TESTS_VIZ_FAKE_PICTURE_H
#define TESTS_VIZ_FAKE_PICTURE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sources/source.h"

typedef struct fake_picture {
    sac_image image;
    int heat_calls, rebuild_calls;
    bool fails;    /* attend returns an error */
    bool constant; /* every query gets the same weights */
    sac_source source;
} fake_picture;

static float fake_weight(const fake_picture *fake, const sac_picture_request *q, int w, int x,
                         int y)
{
    if (q->hidden && q->hidden[y * w + x])
        return 0;
    if (fake->constant)
        return 1;
    float dx = (float)(x - q->query_x), dy = (float)(y - q->query_y);
    return expf(-0.02f * (dx * dx + dy * dy)) + (dx == 0 && dy == 0 ? 1.0f : 0.0f);
}

static sac_status fake_attend(void *self, const sac_picture_request *q, sac_picture_result *r,
                              sac_error *error)
{
    fake_picture *fake = self;
    int w, h;
    *(q->rebuild ? &fake->rebuild_calls : &fake->heat_calls) += 1;
    if (fake->fails) {
        *error = (sac_error){.status = SAC_E_DEVICE, .where = "device", .what = "gone"};
        return SAC_E_DEVICE;
    }
    sac_picture_grid(fake->image.width, fake->image.height, q->settings.cells, &w, &h);
    *r = (sac_picture_result){.settings = q->settings,
                              .grid_w = w,
                              .grid_h = h,
                              .query_x = q->query_x,
                              .query_y = q->query_y,
                              .rebuild_max = q->rebuild ? 0.5f : 0,
                              .milliseconds = 0.75};
    r->weights = calloc((size_t)(w * h), sizeof(float));
    r->rebuilt = q->rebuild ? calloc((size_t)(3 * w * h), sizeof(float)) : NULL;
    if (!r->weights || (q->rebuild && !r->rebuilt)) {
        sac_picture_result_free(r);
        *error = (sac_error){.status = SAC_E_MEMORY, .where = "fake", .what = "out of memory"};
        return SAC_E_MEMORY;
    }
    float sum = 0;
    for (int i = 0; i < w * h; i++)
        sum += r->weights[i] = fake_weight(fake, q, w, i % w, i / w);
    for (int i = 0; i < w * h; i++) {
        r->weights[i] /= sum > 0 ? sum : 1;
        for (int c = 0; c < 3 && r->rebuilt; c++)
            r->rebuilt[3 * i + c] = (float)i / (float)(w * h);
    }
    r->entropy = sac_entropy(r->weights, (size_t)(w * h));
    return SAC_OK;
}

/* A soft pattern with one bright patch, left of and above the middle. */
static void fake_open(fake_picture *fake, int width, int height)
{
    *fake = (fake_picture){0};
    sac_image_create(width, height, &fake->image, NULL);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            uint8_t *p = fake->image.rgba + 4 * (y * width + x);
            bool bright =
                abs(x - width * 3 / 8) < width / 16 && abs(y - height * 3 / 8) < width / 16;
            p[0] = (uint8_t)(bright ? 240 : 60 + 60 * x / width);
            p[1] = (uint8_t)(bright ? 220 : 70 + 40 * y / height);
            p[2] = 90;
            p[3] = 255;
        }
    fake->source =
        (sac_source){.self = fake, .picture.image = &fake->image, .picture.attend = fake_attend};
    strcpy(fake->source.origin.file, "/pictures/fake.png");
    strcpy(fake->source.origin.hash, "fnv1a64:00");
    strcpy(fake->source.origin.device, "no device");
}

static inline void fake_close(fake_picture *fake)
{
    sac_image_free(&fake->image);
}

#endif
