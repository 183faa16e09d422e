/* The scenes that a training is watched on. */

#include "captioner/watched_scenes.h"

#include <stdlib.h>

#include "base/error.h"
#include "captioner/model.h"

enum { SCENES = 64, SHOWN = 6, SHOWN_SIDE = 224 };
/* Far from the seeds that `saccade evaluate` counts from. */
static const uint64_t first_scene = UINT64_C(1) << 62;

typedef struct watched_scenes {
    const sac_dataset *dataset;
    sac_image image[SCENES]; /* at the model's side */
    void *scenes;            /* [SCENES] of the dataset's kind */
    int *word;               /* [longest] of one */
} watched_scenes;

static void *scene_at(const watched_scenes *w, int index)
{
    return (char *)w->scenes + (size_t)index * w->dataset->scene_size;
}

static sac_status show(void *self, int index, sac_image *picture, char *truth, size_t size,
                       sac_error *error)
{
    const watched_scenes *w = self;
    int words = w->dataset->sentence(scene_at(w, index), w->word);
    sac_sentence_of(w->dataset->word_text, w->word, words, truth, size);
    return w->dataset->image(scene_at(w, index), SHOWN_SIDE, picture, error);
}

static sac_status encode(void *self, sac_model *model, int index, sac_error *error)
{
    const watched_scenes *w = self;
    return sac_captioner_look((sac_captioner *)model, &w->image[index], error);
}

static bool is_exact(void *self, int index, const sac_caption *caption)
{
    const watched_scenes *w = self;
    int words = w->dataset->sentence(scene_at(w, index), w->word);
    bool exact = caption->finished && caption->count == words - 1;
    for (int i = 0; exact && i < caption->count; i++)
        exact = caption->words[i].word == w->word[i];
    return exact;
}

static void destroy(void *self)
{
    watched_scenes *w = self;
    if (!w)
        return;
    for (int i = 0; i < SCENES; i++)
        sac_image_free(&w->image[i]);
    free(w->scenes);
    free(w->word);
    free(w);
}

static sac_status make_scenes(watched_scenes *w, int side, sac_error *error)
{
    sac_status status = SAC_OK;
    for (int i = 0; status == SAC_OK && i < SCENES; i++) {
        w->dataset->make(SAC_STREAM_TEST, first_scene + (uint64_t)i, scene_at(w, i));
        status = w->dataset->image(scene_at(w, i), side, &w->image[i], error);
    }
    return status;
}

sac_status sac_watched_scenes(const sac_captioner_shape *shape, sac_watched *watched,
                              sac_error *error)
{
    watched_scenes *w = calloc(1, sizeof *w);
    if (w) {
        w->dataset = sac_captioner_world(shape);
        w->scenes = calloc(SCENES, w->dataset->scene_size);
        w->word = calloc((size_t)w->dataset->longest, sizeof *w->word);
    }
    sac_status status = w && w->scenes && w->word ? make_scenes(w, shape->side, error)
                                                  : sac_fail(error, SAC_E_MEMORY, "training", NULL,
                                                             "no memory for scenes to watch");
    if (status == SAC_OK)
        *watched = (sac_watched){w, SCENES, SHOWN, show, encode, is_exact, destroy};
    else
        destroy(w);
    return status;
}
