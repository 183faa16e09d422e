/* Flat shapes as a dataset. */

#include <string.h>

#include "list.h"

static void make(sac_stream stream, uint64_t seed, void *scene)
{
    sac_scene_make(stream, seed, scene);
}

/* Makes a scene for training. Half of them leave most colours or shapes unnamed, from which a model
 * learns pairs that were held out. With no pair held out, every scene is fully named. */
static void make_for_training(sac_stream stream, uint64_t seed, uint32_t chance, void *scene)
{
    if (stream == SAC_STREAM_ALL_PAIRS || chance >> 31)
        sac_scene_make(stream, seed, scene);
    else
        sac_scene_make_unnamed(stream, seed, scene);
}

static sac_status draw(const void *scene, int side, uint8_t *rgb, sac_error *error)
{
    (void)error;
    sac_scene_draw(scene, side, rgb);
    return SAC_OK;
}

static sac_status image(const void *scene, int side, sac_image *picture, sac_error *error)
{
    return sac_scene_image(scene, side, picture, error);
}

static int sentence(const void *scene, int *word)
{
    const sac_scene *s = scene;
    memcpy(word, s->word, (size_t)s->words * sizeof *word);
    return s->words;
}

static bool names(int word)
{
    return word >= SAC_WORD_COLOUR && word < SAC_WORD_SHAPE + SAC_SHAPES;
}

static bool names_thing(int word)
{
    return word >= SAC_WORD_SHAPE && word < SAC_WORD_SHAPE + SAC_SHAPES;
}

static bool is_relation(int word)
{
    return word == SAC_WORD_LEFT || word == SAC_WORD_RIGHT || word == SAC_WORD_ABOVE ||
           word == SAC_WORD_BELOW;
}

/* A word's object; for a relation the one that is named next. */
static void look(const void *scene, int t, sac_look *at)
{
    const sac_scene *s = scene;
    int object = s->object_of_word[t];
    *at = (sac_look){0};
    for (int next = t + 1; object < 0 && is_relation(s->word[t]) && next < s->words; next++)
        object = s->object_of_word[next];
    if (object >= 0)
        memcpy(at->box[at->count++], s->objects[object].box, sizeof at->box[0]);
}

static int input(const void *scene, int t, uint32_t chance)
{
    (void)chance;
    return sac_dataset_input(&sac_dataset_shapes, ((const sac_scene *)scene)->word[t]);
}

static void truth(const void *scene, sac_truth *to)
{
    sac_truth_of_scene(scene, to);
}

static bool has_unseen_pair(const void *scene)
{
    return sac_scene_has_unseen_pair(scene);
}

const sac_dataset sac_dataset_shapes = {
    .name = "shapes",
    .title = "scene",
    .first_seen = 91,
    .vocabulary = SAC_WORDS,
    .longest = SAC_SCENE_WORDS,
    .scene_size = sizeof(sac_scene),
    .word_text = sac_word_text,
    .masked = {SAC_WORD_COLOUR, SAC_COLOURS},
    .make = make,
    .make_for_training = make_for_training,
    .draw = draw,
    .image = image,
    .sentence = sentence,
    .names = names,
    .names_thing = names_thing,
    .look = look,
    .truth = truth,
    .input = input,
    .knows = "scenes of flat shapes",
    /* Of 1000 scenes fewer than 10 have more, of 64 photographs and the halves of each 182 of 192.
     */
    .plain = {5, 0.205, true},
    .has_sentence = sac_scene_has_sentence,
    .has_unseen_pair = has_unseen_pair,
};
