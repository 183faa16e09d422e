/* The scenes that a training is watched on. */

#include "captioner/watched_scenes.h"

#include <stdlib.h>

#include "base/error.h"
#include "captioner/model.h"
#include "scenes/scene.h"

enum { SCENES = 64, SHOWN = 6, SHOWN_SIDE = 224 };
/* Far from the seeds that `saccade evaluate` counts from. */
static const uint64_t first_scene = UINT64_C(1) << 62;

typedef struct watched_scenes {
    sac_image image[SCENES]; /* at the model's side */
    sac_scene scene[SCENES];
} watched_scenes;

static sac_status show(void *self, int index, sac_image *picture, char *truth, size_t size,
                       sac_error *error)
{
    const watched_scenes *w = self;
    const sac_scene *scene = &w->scene[index];
    sac_sentence(scene->word, scene->words, truth, size);
    return sac_scene_image(scene, SHOWN_SIDE, picture, error);
}

static sac_status encode(void *self, sac_model *model, int index, sac_error *error)
{
    const watched_scenes *w = self;
    return sac_captioner_look((sac_captioner *)model, &w->image[index], error);
}

static bool is_exact(void *self, int index, const sac_caption *caption)
{
    const sac_scene *scene = &((const watched_scenes *)self)->scene[index];
    bool exact = caption->finished && caption->count == scene->words - 1;
    for (int i = 0; exact && i < caption->count; i++)
        exact = caption->words[i].word == scene->word[i];
    return exact;
}

static void destroy(void *self)
{
    watched_scenes *w = self;
    for (int i = 0; w && i < SCENES; i++)
        sac_image_free(&w->image[i]);
    free(w);
}

sac_status sac_watched_scenes(const sac_captioner_shape *shape, sac_watched *watched,
                              sac_error *error)
{
    sac_status status = SAC_OK;
    watched_scenes *w = calloc(1, sizeof *w);
    if (!w)
        return sac_fail(error, SAC_E_MEMORY, "training", NULL, "no memory for scenes to watch");
    for (int i = 0; status == SAC_OK && i < SCENES; i++) {
        sac_scene_make(SAC_STREAM_TEST, first_scene + (uint64_t)i, &w->scene[i]);
        status = sac_scene_image(&w->scene[i], shape->side, &w->image[i], error);
    }
    if (status == SAC_OK)
        *watched = (sac_watched){w, SCENES, SHOWN, show, encode, is_exact, destroy};
    else
        destroy(w);
    return status;
}
