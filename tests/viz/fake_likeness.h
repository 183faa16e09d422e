/* A made-up model that sees and reads: patch (x, y) is like phrase i by a wave of its own, and the
 * whole picture by half of that. */
#ifndef TESTS_VIZ_FAKE_LIKENESS_H
#define TESTS_VIZ_FAKE_LIKENESS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sources/source.h"

enum { FAKE_PATCHES_WIDE = 6, FAKE_PATCHES_HIGH = 4 };

typedef struct fake_likeness {
    sac_image image;
    sac_source source;
    int asked;
} fake_likeness;

static inline float fake_cosine(int phrase, int x, int y, sac_likeness_way way)
{
    return 0.2f + 0.1f * sinf((float)(1 + phrase) * (float)x + (float)y + (float)way);
}

static inline sac_status fake_compare(void *self, const char *phrases, sac_likeness_way way,
                                      sac_likeness *s, sac_error *error)
{
    fake_likeness *fake = self;
    *s = (sac_likeness){.grid_w = FAKE_PATCHES_WIDE, .grid_h = FAKE_PATCHES_HIGH};
    fake->asked++;
    sac_status status = sac_phrases_read(phrases, s->phrase, &s->count, error);
    if (status != SAC_OK)
        return status;
    size_t patches = FAKE_PATCHES_WIDE * FAKE_PATCHES_HIGH;
    s->patches = calloc((size_t)s->count * patches, sizeof *s->patches);
    for (int i = 0; i < s->count; i++) {
        for (size_t k = 0; k < patches; k++)
            s->patches[(size_t)i * patches + k] =
                fake_cosine(i, (int)k % FAKE_PATCHES_WIDE, (int)k / FAKE_PATCHES_WIDE, way);
        s->whole[i] = 0.2f;
        s->logit[i] = 20;
        s->probability[i] = 1 / (float)s->count;
    }
    return SAC_OK;
}

static inline void fake_likeness_open(fake_likeness *fake)
{
    *fake = (fake_likeness){0};
    if (sac_image_create(96, 64, &fake->image, NULL) != SAC_OK)
        abort();
    for (int i = 0; i < 4 * 96 * 64; i++)
        fake->image.rgba[i] = i % 4 == 3 ? 255 : (uint8_t)(i * 7 % 200);
    fake->source = (sac_source){.self = fake,
                                .picture.image = &fake->image,
                                .picture.grid_w = FAKE_PATCHES_WIDE,
                                .picture.grid_h = FAKE_PATCHES_HIGH,
                                .picture.count = 3,
                                .likeness.compare = fake_compare,
                                .likeness.text = "a dog | a cat | the sea"};
    strcpy(fake->source.title, "model, picture.png");
}

#endif
