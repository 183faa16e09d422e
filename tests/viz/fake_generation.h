/* A made-up model that goes on with "a b c": token s is the letter of 100 + s, or the one that is wanted
 * there; the row of step s has its largest weight at column s. */
#ifndef TESTS_VIZ_FAKE_GENERATION_H
#define TESTS_VIZ_FAKE_GENERATION_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sources/source.h"

enum { FAKE_READ = 3 };

typedef struct fake_generation {
    sac_source source;
    sac_sampling how; /* as it was requested last */
    int asked, candidates_asked;
    bool fails;
} fake_generation;

static inline int fake_generation_id(const sac_sampling *how, size_t step)
{
    for (int i = 0; i < how->changes; i++)
        if (how->change[i].step == (int)step)
            return how->change[i].id;
    return 100 + (int)step;
}

static inline sac_status fake_generate_on(void *self, const sac_result_request *request,
                                          sac_result *result, sac_error *error)
{
    fake_generation *fake = self;
    const sac_sampling *how = request->sampling;
    sac_generation *generated = &result->generation;
    size_t count = FAKE_READ + (size_t)how->count;
    fake->asked++;
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
                 i < FAKE_READ ? 'a' + (int)i : fake_generation_id(how, i - FAKE_READ));
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
    fake_generation *fake = self;
    (void)error;
    fake->candidates_asked++;
    *kept = how->draw.temperature < 1 ? 2 : 1000;
    *count = SAC_GENERATION_CANDIDATES;
    for (int i = 0; i < *count; i++) {
        candidates[i] = (sac_candidate){.id = i ? 200 + i : fake_generation_id(&fake->how, step),
                                        .probability = 0.5f / (float)(1 << i),
                                        .left = i < *kept ? 0.6f / (float)(1 << i) : 0,
                                        .stands = i == 0};
        snprintf(candidates[i].text, sizeof candidates[i].text, " w%d", candidates[i].id);
    }
    return SAC_OK;
}

static inline void fake_generation_open(fake_generation *fake)
{
    *fake = (fake_generation){0};
    fake->source = (sac_source){.self = fake,
                                .speaker.models = 1,
                                .speaker.generate = fake_generate_on,
                                .speaker.candidates = fake_might_come};
    strcpy(fake->source.title, "model");
    strcpy(fake->source.origin.device, "device");
}

#endif
