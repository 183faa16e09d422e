/* The picture book as a world. */

#include <string.h>

#include "book/scene.h"
#include "inside.h"

static void make(sac_stream stream, uint64_t seed, void *scene)
{
    sac_book_make(stream, seed, scene);
}

static void make_for_training(sac_stream stream, uint64_t seed, uint32_t chance, void *scene)
{
    (void)chance;
    sac_book_make(stream, seed, scene);
}

static sac_status draw(const void *scene, int side, uint8_t *rgb, sac_error *error)
{
    return sac_book_draw(scene, side, rgb, error);
}

static sac_status image(const void *scene, int side, sac_image *picture, sac_error *error)
{
    return sac_book_image(scene, side, picture, error);
}

static int sentence(const void *scene, int *word)
{
    const sac_book_scene *s = scene;
    memcpy(word, s->word, (size_t)s->words * sizeof *word);
    return s->words;
}

static bool names(int word)
{
    return (word >= SAC_SAY_COLOUR && word < SAC_SAY_VERB) ||
           (word >= SAC_SAY_NOUN && word < SAC_SAYS);
}

static void look(const void *scene, int t, sac_look *at)
{
    *at = ((const sac_book_scene *)scene)->look[t];
}

static int hear(const void *scene, int t, uint32_t chance)
{
    const float exchanged = 0.7f; /* of the colours that are heard */
    const sac_book_scene *s = scene;
    return (float)(chance >> 8) * 0x1p-24f < exchanged ? sac_book_other_colour(s->word, t, chance)
                                                       : s->word[t];
}

static bool has_unseen_pair(const void *scene)
{
    return sac_book_has_unseen_pair(scene);
}

const sac_world sac_world_book = {
    .name = "book",
    .vocabulary = SAC_SAYS,
    .longest = SAC_BOOK_WORDS,
    .scene_size = sizeof(sac_book_scene),
    .word_text = sac_book_word_text,
    .make = make,
    .make_for_training = make_for_training,
    .draw = draw,
    .image = image,
    .sentence = sentence,
    .names = names,
    .look = look,
    .hear = hear,
    .has_unseen_pair = has_unseen_pair,
};
