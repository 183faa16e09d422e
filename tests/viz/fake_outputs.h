/* A made-up model whose outputs lie over a picture. Of boxes, output i is of class i % 3, ever less
 * probable, and in layer l its head h looks at cell i + l + h. Of phrases, patch (x, y) is like
 * phrase i by a wave of its own, and the whole picture by half of that. */
#ifndef TESTS_VIZ_FAKE_OUTPUTS_H
#define TESTS_VIZ_FAKE_OUTPUTS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sources/source.h"

enum { FAKE_OBJECTS = 9, FAKE_LAYERS = 3, FAKE_PATCHES_WIDE = 6, FAKE_PATCHES_HIGH = 4 };

typedef struct fake_outputs {
    sac_image image;
    sac_source source;
    int asked;
} fake_outputs;

static inline float fake_cosine(int phrase, int x, int y, sac_likeness_way way)
{
    return 0.2f + 0.1f * sinf((float)(1 + phrase) * (float)x + (float)y + (float)way);
}

static inline sac_status fake_compare(const sac_result_request *request, sac_result *r,
                                      sac_error *error)
{
    const int cells = FAKE_PATCHES_WIDE * FAKE_PATCHES_HIGH;
    char phrase[SAC_PHRASES][SAC_PHRASE_SIZE];
    sac_status status = sac_phrases_read(request->phrases, phrase, &r->count, error);
    if (status != SAC_OK)
        return status;
    r->weights = calloc((size_t)(r->count * cells), sizeof *r->weights);
    for (int i = 0; i < r->count; i++) {
        sac_result_name(r, i, phrase[i]);
        r->outputs[i].cosine = 0.2f;
        r->outputs[i].logit = 20;
        r->outputs[i].probability = 1 / (float)r->count;
        for (int k = 0; k < cells; k++)
            r->weights[i * cells + k] =
                fake_cosine(i, k % FAKE_PATCHES_WIDE, k / FAKE_PATCHES_WIDE, request->way);
    }
    return SAC_OK;
}

static inline sac_status fake_find(sac_result *r)
{
    static const char *const names[] = {"cat", "dog", "a small boat"};
    const size_t cells = FAKE_PATCHES_WIDE * FAKE_PATCHES_HIGH;
    r->count = FAKE_OBJECTS;
    r->attentions = calloc(1, sizeof *r->attentions);
    sac_attentions_add(r->attentions, SAC_CROSS_ATTENTION, FAKE_LAYERS, 2, FAKE_OBJECTS, cells,
                       NULL);
    float *weights = r->attentions->kind[SAC_CROSS_ATTENTION].weights;
    for (size_t i = 0; i < FAKE_OBJECTS; i++) {
        const float x = 0.08f * (float)i, w = 0.3f - 0.02f * (float)i;
        r->outputs[i] = (sac_result_output){.query = i,
                                            .word = (int)i % 3,
                                            .probability = 0.95f - 0.1f * (float)i,
                                            .box = {x, x, x + w, x + w}};
        sac_result_name(r, (int)i, names[i % 3]);
        for (size_t map = 0; map < FAKE_LAYERS * 2; map++)
            weights[(map * FAKE_OBJECTS + i) * cells + i + map / 2 + map % 2] = 1;
    }
    return SAC_OK;
}

static inline sac_status fake_give(void *self, const sac_result_request *request, sac_result *r,
                                   sac_error *error)
{
    fake_outputs *fake = self;
    *r = (sac_result){.grid_w = FAKE_PATCHES_WIDE, .grid_h = FAKE_PATCHES_HIGH};
    fake->asked++;
    return fake->source.speaker.outputs == SAC_OUTPUT_PHRASES ? fake_compare(request, r, error)
                                                              : fake_find(r);
}

static inline void fake_outputs_open(fake_outputs *fake, sac_output_kind outputs)
{
    *fake = (fake_outputs){0};
    if (sac_image_create(96, 64, &fake->image, NULL) != SAC_OK)
        abort();
    for (int i = 0; i < 4 * 96 * 64; i++)
        fake->image.rgba[i] = i % 4 == 3 ? 255 : (uint8_t)(i * 7 % 200);
    fake->source = (sac_source){.self = fake,
                                .title = "model, picture.png",
                                .picture.image = &fake->image,
                                .picture.grid_w = FAKE_PATCHES_WIDE,
                                .picture.grid_h = FAKE_PATCHES_HIGH,
                                .picture.count = 3,
                                .speaker.models = 1,
                                .speaker.outputs = outputs,
                                .speaker.generate = fake_give,
                                .speaker.threshold = 0.4f,
                                .speaker.phrases = "a dog | a cat | the sea"};
}

#endif
