/* The picture book as a world. */

#include <string.h>

#include "inside.h"

static void make(sac_stream stream, uint64_t seed, void *scene)
{
    sac_book_make(stream, seed, scene);
}

static sac_status draw(const void *scene, int side, uint8_t *rgb, sac_error *error)
{
    return sac_book_draw(scene, side, rgb, error);
}

static int sentence(const void *scene, int *word)
{
    const sac_book_scene *s = scene;
    memcpy(word, s->word, (size_t)s->words * sizeof *word);
    return s->words;
}

static void look(const void *scene, int t, sac_look *at)
{
    *at = ((const sac_book_scene *)scene)->look[t];
}

static int hear(const void *scene, int t, uint32_t chance)
{
    const sac_book_scene *s = scene;
    return sac_is_exchanged(chance) ? sac_book_other_colour(s->word, t, chance) : s->word[t];
}

static bool has_unseen_pair(const void *scene)
{
    return sac_book_has_unseen_pair(scene);
}

const sac_world sac_world_book = {
    "book",   SAC_SAYS, SAC_BOOK_WORDS, sizeof(sac_book_scene), sac_book_word_text, make, draw,
    sentence, look,     hear,           has_unseen_pair,
};
