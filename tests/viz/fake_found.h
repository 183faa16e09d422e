/* A made-up model that finds things: thing i is of class i % 3, ever less probable, and in layer l its
 * head h looks at cell i + l + h. */
#ifndef TESTS_VIZ_FAKE_FOUND_H
#define TESTS_VIZ_FAKE_FOUND_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sources/source.h"

enum { FAKE_THINGS = 9, FAKE_FOUND_WIDE = 6, FAKE_FOUND_HIGH = 4, FAKE_FOUND_LAYERS = 3 };

typedef struct fake_found {
    sac_image image;
    sac_source source;
} fake_found;

static inline sac_status fake_find(void *self, sac_found *f, sac_error *error)
{
    static const char *const names[] = {"cat", "dog", "a small boat"};
    const size_t cells = FAKE_FOUND_WIDE * FAKE_FOUND_HIGH;
    (void)self;
    (void)error;
    *f = (sac_found){.queries = FAKE_THINGS,
                     .classes = 3,
                     .grid_w = FAKE_FOUND_WIDE,
                     .grid_h = FAKE_FOUND_HIGH,
                     .layers = FAKE_FOUND_LAYERS,
                     .heads = 2};
    f->things = calloc(FAKE_THINGS, sizeof *f->things);
    f->names = calloc(3, sizeof *f->names);
    f->looks = calloc(FAKE_FOUND_LAYERS * 2 * FAKE_THINGS * cells, sizeof *f->looks);
    for (int i = 0; i < 3; i++)
        snprintf(f->names[i], sizeof f->names[i], "%s", names[i]);
    for (size_t i = 0; i < FAKE_THINGS; i++) {
        float x = 0.08f * (float)i, w = 0.3f - 0.02f * (float)i;
        f->things[i] = (sac_detection){.query = i,
                                       .class = i % 3,
                                       .score = 0.95f - 0.1f * (float)i,
                                       .box = {x, x, x + w, x + w}};
        for (size_t map = 0; map < FAKE_FOUND_LAYERS * 2; map++)
            f->looks[(map * FAKE_THINGS + i) * cells + i + map / 2 + map % 2] = 1;
    }
    return SAC_OK;
}

static inline void fake_found_open(fake_found *fake)
{
    *fake = (fake_found){0};
    if (sac_image_create(96, 64, &fake->image, NULL) != SAC_OK)
        abort();
    for (int i = 0; i < 4 * 96 * 64; i++)
        fake->image.rgba[i] = i % 4 == 3 ? 255 : (uint8_t)(i * 7 % 200);
    fake->source = (sac_source){.self = fake,
                                .picture.image = &fake->image,
                                .picture.grid_w = FAKE_FOUND_WIDE,
                                .picture.grid_h = FAKE_FOUND_HIGH,
                                .picture.count = 3,
                                .found.find = fake_find,
                                .found.threshold = 0.4f};
    strcpy(fake->source.title, "model, picture.png");
}

#endif
