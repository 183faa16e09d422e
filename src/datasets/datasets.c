/* Flat shapes and the picture book as datasets, and the table of them. */
#include <string.h>

#include "book/scene.h"
#include "datasets/dataset.h"

/* The decoder's input for a word of the caption: SAC_WORD_PAD for one of the `count` from `first` on. */
static int pad_if_in_range(int word, int first, int count)
{
    return word >= first && word < first + count ? SAC_WORD_PAD : word;
}

/* ---------------------------------------------------------------- flat shapes */

static void shapes_make(sac_stream stream, uint64_t seed, void *scene)
{
    sac_scene_make(stream, seed, scene);
}

/* Makes a scene for training. Half of them leave most colours or shapes unnamed, from which a model
 * learns pairs that were held out. With no pair held out, every scene is fully named. */
static void shapes_make_for_training(sac_stream stream, uint64_t seed, uint32_t chance, void *scene)
{
    if (stream == SAC_STREAM_ALL_PAIRS || chance >> 31)
        sac_scene_make(stream, seed, scene);
    else
        sac_scene_make_unnamed(stream, seed, scene);
}

static sac_status shapes_draw(const void *scene, int side, uint8_t *rgb, sac_error *error)
{
    (void)error;
    sac_scene_draw(scene, side, rgb);
    return SAC_OK;
}

static sac_status shapes_image(const void *scene, int side, sac_image *picture, sac_error *error)
{
    return sac_scene_image(scene, side, picture, error);
}

static int shapes_sentence(const void *scene, int *word)
{
    const sac_scene *s = scene;
    memcpy(word, s->word, (size_t)s->words * sizeof *word);
    return s->words;
}

static bool shapes_names_thing_or_colour(int word)
{
    return word >= SAC_WORD_COLOUR && word < SAC_WORD_SHAPE + SAC_SHAPES;
}

static bool shapes_names_thing(int word)
{
    return word >= SAC_WORD_SHAPE && word < SAC_WORD_SHAPE + SAC_SHAPES;
}

static bool shapes_is_relation(int word)
{
    return word == SAC_WORD_LEFT || word == SAC_WORD_RIGHT || word == SAC_WORD_ABOVE ||
           word == SAC_WORD_BELOW;
}

/* A word's object; for a relation the one that is named next. */
static void shapes_word_boxes(const void *scene, int t, sac_look *at)
{
    const sac_scene *s = scene;
    int object = s->object_of_word[t];
    *at = (sac_look){0};
    for (int next = t + 1; object < 0 && shapes_is_relation(s->word[t]) && next < s->words; next++)
        object = s->object_of_word[next];
    if (object >= 0)
        memcpy(at->box[at->count++], s->objects[object].box, sizeof at->box[0]);
}

static int shapes_decoder_input(const void *scene, int t, uint32_t chance)
{
    (void)chance;
    return pad_if_in_range(((const sac_scene *)scene)->word[t], SAC_WORD_COLOUR, SAC_COLOURS);
}

static void shapes_truth(const void *scene, sac_truth *to)
{
    sac_truth_of_scene(scene, to);
}

static bool shapes_has_unseen_pair(const void *scene)
{
    return sac_scene_has_unseen_pair(scene);
}

static const sac_dataset shapes = {
    .name = "shapes",
    .title = "scene",
    .first_seen = 91,
    .vocabulary = SAC_WORDS,
    .longest = SAC_SCENE_WORDS,
    .scene_size = sizeof(sac_scene),
    .word_text = sac_word_text,
    .masked = {SAC_WORD_COLOUR, SAC_COLOURS},
    .make = shapes_make,
    .make_for_training = shapes_make_for_training,
    .draw = shapes_draw,
    .image = shapes_image,
    .sentence = shapes_sentence,
    .names = shapes_names_thing_or_colour,
    .names_thing = shapes_names_thing,
    .look = shapes_word_boxes,
    .truth = shapes_truth,
    .input = shapes_decoder_input,
    .knows = "scenes of flat shapes",
    /* Of 1000 scenes fewer than 10 have more, of 64 photographs and the halves of each 182 of 192.
     */
    .plain = {5, 0.205, true},
    .has_sentence = sac_scene_sentence_is_valid,
    .has_unseen_pair = shapes_has_unseen_pair,
};

/* ---------------------------------------------------------------- the picture book */

static void book_make(sac_stream stream, uint64_t seed, void *scene)
{
    sac_book_make(stream, seed, scene);
}

static void book_make_for_training(sac_stream stream, uint64_t seed, uint32_t chance, void *scene)
{
    if (chance >> 31)
        sac_book_make(stream, seed, scene);
    else
        sac_book_make_unnamed(stream, seed, scene);
}

static sac_status book_draw(const void *scene, int side, uint8_t *rgb, sac_error *error)
{
    return sac_book_draw(scene, side, rgb, error);
}

static sac_status book_image(const void *scene, int side, sac_image *picture, sac_error *error)
{
    return sac_book_image(scene, side, picture, error);
}

static int book_sentence(const void *scene, int *word)
{
    const sac_book_scene *s = scene;
    memcpy(word, s->word, (size_t)s->words * sizeof *word);
    return s->words;
}

static bool book_names_thing(int word)
{
    return word >= SAC_TALE_NOUN && word < SAC_TALE_VOCABULARY;
}

static bool book_names_thing_or_colour(int word)
{
    return (word >= SAC_TALE_COLOUR && word < SAC_TALE_VERB) || book_names_thing(word);
}

static void book_word_boxes(const void *scene, int t, sac_look *at)
{
    *at = ((const sac_book_scene *)scene)->look[t];
}

/* Most nouns are masked in the decoder's input, so that it learns the next word from the picture,
 * and not from what goes with them in training. */
static int book_decoder_input(const void *scene, int t, uint32_t chance)
{
    const float share_masked = 0.6f;
    int word = ((const sac_book_scene *)scene)->word[t];
    bool masked = word >= SAC_TALE_NOUN && (float)(chance >> 8) * 0x1p-24f < share_masked;
    return masked ? SAC_TALE_PAD : pad_if_in_range(word, SAC_TALE_COLOUR, SAC_BOOK_COLOURS);
}

static void book_truth(const void *scene, sac_truth *to)
{
    const sac_book_scene *s = scene;
    *to = (sac_truth){.dataset = "book", .words = s->words - 1, .by_word = true};
    for (int i = 0; i < to->words; i++) {
        snprintf(to->word[i], sizeof to->word[i], "%s", sac_book_word_text(s->word[i]));
        to->object_of_word[i] = -1;
        to->look[i] = s->look[i];
    }
}

static bool book_has_unseen_pair(const void *scene)
{
    return sac_book_has_unseen_pair(scene);
}

static const sac_dataset book = {
    .name = "book",
    .title = "book scene",
    .first_seen = 159,
    .vocabulary = SAC_TALE_VOCABULARY,
    .longest = SAC_BOOK_WORDS,
    .scene_size = sizeof(sac_book_scene),
    .word_text = sac_book_word_text,
    .masked = {SAC_TALE_COLOUR, SAC_BOOK_COLOURS},
    .make = book_make,
    .make_for_training = book_make_for_training,
    .draw = book_draw,
    .image = book_image,
    .sentence = book_sentence,
    .names = book_names_thing_or_colour,
    .names_thing = book_names_thing,
    .look = book_word_boxes,
    .truth = book_truth,
    .input = book_decoder_input,
    .knows = "scenes of a picture book",
    /* Its grounds are shaded: of 300 pages 2 have more, and of those photographs 172 of 192. */
    .plain = {1, 0.76},
    .has_sentence = sac_book_sentence_is_valid,
    .has_unseen_pair = book_has_unseen_pair,
};

/* ---------------------------------------------------------------- the table */

static const sac_dataset *const datasets[] = {&shapes, &book};

enum { DATASETS = sizeof datasets / sizeof *datasets };

const sac_dataset *sac_dataset_at(int index)
{
    return index >= 0 && index < DATASETS ? datasets[index] : NULL;
}

const sac_dataset *sac_dataset_find(const char *name)
{
    for (int i = 0; i < DATASETS; i++)
        if (strcmp(datasets[i]->name, name) == 0)
            return datasets[i];
    return NULL;
}
