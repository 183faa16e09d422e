#include "app/samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/assets.h"

/* Photographs are named only where the documentation of scikit-image, whose data they are, states that
 * they are in the public domain or under CC0. None comes with Saccade. */
static const char ours[] = "made by Saccade";
static const struct {
    app_sample_kind kind;
    const char *title, *credit, *file; /* among those of Saccade, or in the folder of photographs */
} table[] = {
    {APP_SAMPLE_PAGE, "A child flies a kite", ours, "samples/kite.png"},
    {APP_SAMPLE_PHOTOGRAPH, "A man with a camera", "Lav Varshney, CC0", "camera.png"},
    {APP_SAMPLE_PHOTOGRAPH, "Chelsea the cat", "Stéfan van der Walt, CC0", "chelsea.png"},
    {APP_SAMPLE_PHOTOGRAPH, "A cup of coffee", "Rachel Michetti, CC0", "coffee.png"},
    {APP_SAMPLE_PHOTOGRAPH, "The astronaut Eileen Collins", "NASA, public domain", "astronaut.png"},
    {APP_SAMPLE_PHOTOGRAPH, "A rocket takes off", "SpaceX, public domain", "rocket.jpg"},
    {APP_SAMPLE_PAGE, "A cat and a child at sunset", ours, "samples/cat.png"},
    {APP_SAMPLE_PAGE, "A bird over a boat", ours, "samples/boat.png"},
    {APP_SAMPLE_PAGE, "A bus on the street", ours, "samples/bus.png"},
    {APP_SAMPLE_PAGE, "Flat shapes", ours, "samples/shapes.png"},
    {APP_SAMPLE_PICTURE, "A harbour at dusk", ours, "pictures/harbour.png"},
    {APP_SAMPLE_PICTURE, "A garden", ours, "pictures/garden.png"},
    {APP_SAMPLE_ATTENTION, "A sentence in 48 heads", ours, "samples/attentions.npz"},
};
_Static_assert(sizeof table / sizeof *table <= APP_SAMPLES_MOST,
               "as many as a caller has room for");

/* Pictures of 3 × 2, as the drawings are. The usual fixation meets an eye of the first. */
static const char *const sights[] = {"Chelsea the cat", "A cup of coffee", "A harbour at dusk"};

/* A person may have the photographs elsewhere, or want none. */
static const char *usual_folder(void)
{
    const char *given = getenv("SACCADE_PHOTOGRAPHS");
    return given ? given : SACCADE_PHOTOGRAPHS;
}

bool app_lesson_sight(const char *photographs, int place, app_sample *sight)
{
    app_sample samples[APP_SAMPLES_MOST];
    int count = app_samples(photographs, samples);
    for (size_t i = 0; i < sizeof sights / sizeof *sights; i++)
        for (int k = 0; k < count; k++)
            if (!strcmp(samples[k].title, sights[i]) && place-- == 0) {
                *sight = samples[k];
                return true;
            }
    return false;
}

int app_samples(const char *photographs, app_sample samples[APP_SAMPLES_MOST])
{
    int count = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        app_sample *sample = &samples[count];
        *sample = (app_sample){table[i].kind, table[i].title, table[i].credit, ""};
        if (sample->kind == APP_SAMPLE_PHOTOGRAPH) {
            int length = snprintf(sample->path, sizeof sample->path, "%s/%s",
                                  photographs ? photographs : usual_folder(), table[i].file);
            count += length < (int)sizeof sample->path && access(sample->path, R_OK) == 0;
        } else {
            count += app_find_asset(table[i].file, NULL, sample->path, sizeof sample->path, NULL) ==
                     SAC_OK;
        }
    }
    return count;
}
