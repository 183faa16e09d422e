/* A made-up model that goes on with "a b c": token s is the letter of 100 + s, or the one that is wanted
 * there; the row of step s has its largest weight at column s. */
#ifndef TESTS_VIZ_FAKE_SAYING_H
#define TESTS_VIZ_FAKE_SAYING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sources/source.h"

enum { FAKE_READ = 3 };

typedef struct fake_saying {
    sac_source source;
    sac_saying how; /* as it was asked for last */
    int asked, candidates_asked;
    bool fails;
} fake_saying;

static inline int fake_said_id(const sac_saying *how, size_t step)
{
    for (int i = 0; i < how->changes; i++)
        if (how->change[i].step == (int)step)
            return how->change[i].id;
    return 100 + (int)step;
}

static inline sac_status fake_say_on(sac_source *source, const sac_saying *how, sac_said *said,
                                     sac_error *error)
{
    fake_saying *fake = source->self;
    size_t count = FAKE_READ + (size_t)how->count;
    fake->asked++;
    if (fake->fails) {
        *error = (sac_error){.status = SAC_E_VALUE, .where = "fake", .what = "it is mute"};
        return SAC_E_VALUE;
    }
    fake->how = *how;
    *said = (sac_said){.count = count, .said = (size_t)how->count};
    said->rows = calloc(said->said * count + 1, sizeof *said->rows);
    said->tokens.text = calloc(count, sizeof *said->tokens.text);
    for (size_t i = 0; i < count; i++) {
        char text[16];
        snprintf(text, sizeof text, i < FAKE_READ ? "%c" : "·w%d",
                 i < FAKE_READ ? 'a' + (int)i : fake_said_id(how, i - FAKE_READ));
        said->tokens.text[said->tokens.count++] = strdup(text);
    }
    for (size_t s = 0; s < said->said; s++)
        for (size_t c = 0; c < FAKE_READ + s; c++)
            said->rows[s * count + c] = c == s ? 0.5f : 0.1f;
    return SAC_OK;
}

/* Each candidate has half of the one before it; a temperature below 1 leaves the first two alone. */
static inline sac_status fake_might_come(sac_source *source, size_t step, const sac_saying *how,
                                         sac_might_come *candidates, int *count, int *kept,
                                         sac_error *error)
{
    fake_saying *fake = source->self;
    (void)error;
    fake->candidates_asked++;
    *kept = how->draw.temperature < 1 ? 2 : 1000;
    *count = SAC_SAID_NEXT;
    for (int i = 0; i < *count; i++) {
        candidates[i] = (sac_might_come){.id = i ? 200 + i : fake_said_id(&fake->how, step),
                                         .probability = 0.5f / (float)(1 << i),
                                         .left = i < *kept ? 0.6f / (float)(1 << i) : 0,
                                         .stands = i == 0};
        snprintf(candidates[i].text, sizeof candidates[i].text, " w%d", candidates[i].id);
    }
    return SAC_OK;
}

static inline void fake_saying_open(fake_saying *fake)
{
    *fake = (fake_saying){0};
    fake->source =
        (sac_source){.self = fake, .saying.say = fake_say_on, .saying.candidates = fake_might_come};
    strcpy(fake->source.title, "model");
    strcpy(fake->source.origin.device, "device");
}

#endif
