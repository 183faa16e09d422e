/* The picture book as a dataset. */

#include <string.h>

#include "book/scene.h"
#include "list.h"

static void make(sac_stream stream, uint64_t seed, void *scene)
{
    sac_book_make(stream, seed, scene);
}

static void make_for_training(sac_stream stream, uint64_t seed, uint32_t chance, void *scene)
{
    if (chance >> 31)
        sac_book_make(stream, seed, scene);
    else
        sac_book_make_unnamed(stream, seed, scene);
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

static bool names_thing(int word)
{
    return word >= SAC_TALE_NOUN && word < SAC_TALE_VOCABULARY;
}

static bool names(int word)
{
    return (word >= SAC_TALE_COLOUR && word < SAC_TALE_VERB) || names_thing(word);
}

static void look(const void *scene, int t, sac_look *at)
{
    *at = ((const sac_book_scene *)scene)->look[t];
}

/* Most nouns are masked in the decoder's input, so that it learns the next word from the picture,
 * and not from what goes with them in training. */
static int input(const void *scene, int t, uint32_t chance)
{
    const float share_masked = 0.6f;
    int word = ((const sac_book_scene *)scene)->word[t];
    bool masked = word >= SAC_TALE_NOUN && (float)(chance >> 8) * 0x1p-24f < share_masked;
    return masked ? SAC_TALE_PAD : sac_dataset_input(&sac_dataset_book, word);
}

static void truth(const void *scene, sac_truth *to)
{
    const sac_book_scene *s = scene;
    *to = (sac_truth){.dataset = "book", .words = s->words - 1, .by_word = true};
    for (int i = 0; i < to->words; i++) {
        snprintf(to->word[i], sizeof to->word[i], "%s", sac_book_word_text(s->word[i]));
        to->object_of_word[i] = -1;
        to->look[i] = s->look[i];
    }
}

static bool has_unseen_pair(const void *scene)
{
    return sac_book_has_unseen_pair(scene);
}

const sac_dataset sac_dataset_book = {
    .name = "book",
    .title = "book scene",
    .first_seen = 159,
    .vocabulary = SAC_TALE_VOCABULARY,
    .longest = SAC_BOOK_WORDS,
    .scene_size = sizeof(sac_book_scene),
    .word_text = sac_book_word_text,
    .masked = {SAC_TALE_COLOUR, SAC_BOOK_COLOURS},
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
    .knows = "scenes of a picture book",
    /* Its grounds are shaded: of 300 pages 2 have more, and of those photographs 172 of 192. */
    .plain = {1, 0.76},
    .has_sentence = sac_book_has_sentence,
    .has_unseen_pair = has_unseen_pair,
};
