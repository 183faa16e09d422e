/* A made-up model. Outputs lie over a picture: of boxes, output i is of class i % 3, ever less
 * probable, and in layer l its head h looks at cell i + l + h. Of phrases, patch (x, y) is like
 * phrase i by a wave of its own, and the whole picture by half of that. Or it goes on with "a b c", token by
 * token: token s is the letter of 100 + s, or the one that is wanted there; the row of step s has its
 * largest weight at column s. */
#ifndef TESTS_VIZ_FAKE_OUTPUTS_H
#define TESTS_VIZ_FAKE_OUTPUTS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sources/source.h"

enum {
    FAKE_OBJECTS = 9,
    FAKE_LAYERS = 3,
    FAKE_PATCHES_WIDE = 6,
    FAKE_PATCHES_HIGH = 4,
    FAKE_READ = 3
};

typedef struct fake_outputs {
    sac_image image;
    sac_source source;
    sac_sampling how; /* as it was requested last */
    int asked, candidates_asked;
    bool fails;
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
        sac_result_set_output_name(r, i, phrase[i]);
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
                                            .row = i,
                                            .word = (int)i % 3,
                                            .probability = 0.95f - 0.1f * (float)i,
                                            .box = {x, x, x + w, x + w}};
        sac_result_set_output_name(r, (int)i, names[i % 3]);
        for (size_t map = 0; map < FAKE_LAYERS * 2; map++)
            weights[(map * FAKE_OBJECTS + i) * cells + i + map / 2 + map % 2] = 1;
    }
    return SAC_OK;
}

static inline int fake_token(const sac_sampling *how, size_t step)
{
    for (int i = 0; i < how->changes; i++)
        if (how->change[i].step == (int)step)
            return how->change[i].id;
    return 100 + (int)step;
}

static inline sac_status fake_generate_on(fake_outputs *fake, const sac_sampling *how,
                                          sac_generation *generated, sac_error *error)
{
    size_t count = FAKE_READ + (size_t)how->count;
    if (fake->fails) {
        *error = (sac_error){.status = SAC_E_VALUE, .where = "fake", .what = "it is mute"};
        return SAC_E_VALUE;
    }
    fake->how = *how;
    *generated = (sac_generation){.count = count, .generated = (size_t)how->count};
    generated->rows = calloc(generated->generated * count + 1, sizeof *generated->rows);
    generated->tokens.text = calloc(count, sizeof *generated->tokens.text);
    for (size_t i = 0; i < count; i++) {
        char text[16];
        snprintf(text, sizeof text, i < FAKE_READ ? "%c" : "·w%d",
                 i < FAKE_READ ? 'a' + (int)i : fake_token(how, i - FAKE_READ));
        generated->tokens.text[generated->tokens.count++] = strdup(text);
    }
    for (size_t s = 0; s < generated->generated; s++)
        for (size_t c = 0; c < FAKE_READ + s; c++)
            generated->rows[s * count + c] = c == s ? 0.5f : 0.1f;
    return SAC_OK;
}

/* Each candidate has half of the one before it; a temperature below 1 leaves the first two alone. */
static inline sac_status fake_might_come(void *self, size_t step, const sac_sampling *how,
                                         sac_candidate *candidates, int *count, int *kept,
                                         sac_error *error)
{
    fake_outputs *fake = self;
    (void)error;
    fake->candidates_asked++;
    *kept = how->draw.temperature < 1 ? 2 : 1000;
    *count = SAC_GENERATION_CANDIDATES;
    for (int i = 0; i < *count; i++) {
        candidates[i] = (sac_candidate){.id = i ? 200 + i : fake_token(&fake->how, step),
                                        .probability = 0.5f / (float)(1 << i),
                                        .left = i < *kept ? 0.6f / (float)(1 << i) : 0,
                                        .stands = i == 0};
        snprintf(candidates[i].text, sizeof candidates[i].text, " w%d", candidates[i].id);
    }
    return SAC_OK;
}

static inline sac_status fake_give(void *self, const sac_result_request *request, sac_result *r,
                                   sac_error *error)
{
    fake_outputs *fake = self;
    *r = (sac_result){.grid_w = FAKE_PATCHES_WIDE, .grid_h = FAKE_PATCHES_HIGH};
    fake->asked++;
    if (request->sampling)
        return fake_generate_on(fake, request->sampling, &r->generation, error);
    return fake->source.result.outputs == SAC_OUTPUT_PHRASES ? fake_compare(request, r, error)
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
                                .result.models = 1,
                                .result.outputs = outputs,
                                .result.generate = fake_give,
                                .result.threshold = 0.4f,
                                .result.phrases = "a dog | a cat | the sea"};
}

static inline void fake_text_open(fake_outputs *fake)
{
    *fake = (fake_outputs){0};
    fake->source = (sac_source){.self = fake,
                                .title = "model",
                                .origin.device = "device",
                                .result.models = 1,
                                .result.generate = fake_give,
                                .result.candidates = fake_might_come};
}

#endif
