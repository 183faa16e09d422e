/* Flat shapes as a world. */

#include <string.h>

#include "inside.h"

/* In half of the scenes for training most colours have no word. */
static void make(sac_stream stream, uint64_t seed, void *scene)
{
    bool training = stream == SAC_STREAM_TRAINING || stream == SAC_STREAM_ALL_PAIRS;
    if (training && (seed >> 63))
        sac_scene_make_unnamed(stream, seed, scene);
    else
        sac_scene_make(stream, seed, scene);
}

static sac_status draw(const void *scene, int side, uint8_t *rgb, sac_error *error)
{
    (void)error;
    sac_scene_draw(scene, side, rgb);
    return SAC_OK;
}

static int sentence(const void *scene, int *word)
{
    const sac_scene *s = scene;
    memcpy(word, s->word, (size_t)s->words * sizeof *word);
    return s->words;
}

/* A word's object; that which a relation leads to, for the words of the relation. */
static void look(const void *scene, int t, sac_look *at)
{
    const sac_scene *s = scene;
    int object = s->object_of_word[t];
    *at = (sac_look){0};
    for (int next = t + 1; object < 0 && next < s->words && s->word[t] != SAC_WORD_AND; next++)
        object = s->object_of_word[next];
    if (object >= 0)
        memcpy(at->box[at->count++], s->objects[object].box, sizeof at->box[0]);
}

/* Most colours are not heard at all: another in their place would tell of pairs that are held
 * back. */
static int hear(const void *scene, int t, uint32_t chance)
{
    int word = ((const sac_scene *)scene)->word[t];
    bool colour = word >= SAC_WORD_COLOUR && word < SAC_WORD_COLOUR + SAC_COLOURS;
    return colour && (float)(chance >> 8) * 0x1p-24f < 0.85f ? SAC_WORD_PAD : word;
}

static bool has_unseen_pair(const void *scene)
{
    return sac_scene_has_unseen_pair(scene);
}

const sac_world sac_world_shapes = {
    "shapes", SAC_WORDS, SAC_SCENE_WORDS, sizeof(sac_scene), sac_word_text, make, draw, sentence,
    look,     hear,      has_unseen_pair,
};
