/* Batches of scenes for training. */

#include "captioner/scene_batches.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "captioner/model.h"
#include "scenes/scene.h"

static const float unnamed = 0.5f;  /* share of scenes where most colours have no word */
static const float unheard = 0.85f; /* of the colours that were said before */

/* The places in a batch's random numbers where those of scenes and words begin. */
enum { OF_SCENES = 0, OF_KINDS = 1 << 29, OF_WORDS = 1 << 30 };

typedef struct scene_batches {
    int side, grid;
    size_t size;
    uint32_t seed;
    sac_scene *scenes; /* [size], and their order of length */
    uint8_t *rgb;      /* [side,side,3] of one */
    sac_caption_batch slots[SAC_BATCH_SLOTS];
} scene_batches;

/* ---------------------------------------------------------------- one batch */

/* The scene at `index` of batch `number`: a seed out of 64 bits of a counter. */
static void make_scene(const scene_batches *b, size_t number, size_t index, sac_scene *scene)
{
    uint32_t place = OF_SCENES | (uint32_t)(2 * index), kind = OF_KINDS | (uint32_t)index;
    uint64_t high = sac_philox((uint32_t)number, place, b->seed);
    uint64_t seed = high << 32 | sac_philox((uint32_t)number, place + 1, b->seed);
    if (sac_philox_uniform((uint32_t)number, kind, b->seed) < unnamed)
        sac_scene_make_unnamed(SAC_STREAM_TRAINING, seed, scene);
    else
        sac_scene_make(SAC_STREAM_TRAINING, seed, scene);
}

/* Longer sentences first; scenes of one length by their seed, so that the order is one. */
static int by_length(const void *a, const void *b)
{
    const sac_scene *left = a, *right = b;
    if (left->words != right->words)
        return left->words > right->words ? -1 : 1;
    return left->seed < right->seed ? -1 : left->seed > right->seed;
}

static void take_picture(const uint8_t *rgb, size_t count, float *picture)
{
    for (size_t i = 0; i < count; i++)
        picture[i] = sac_captioner_light(rgb[i]);
}

/* The object to look at for the word at `t`: the one that it names; for a relation the one that is
 * named next. −1: none. */
static int object_of(const sac_scene *scene, size_t t)
{
    bool relation = scene->word[t] == SAC_WORD_LEFT || scene->word[t] == SAC_WORD_RIGHT ||
                    scene->word[t] == SAC_WORD_ABOVE || scene->word[t] == SAC_WORD_BELOW;
    if (relation && t + 2 < (size_t)scene->words)
        return scene->object_of_word[t + 1] >= 0 ? scene->object_of_word[t + 1]
                                                 : scene->object_of_word[t + 2]; /* "left of" */
    return scene->object_of_word[t];
}

/* A word as the decoder is given it: most colours are not heard, so that it learns to tell the
 * shape by looking and not by which colours go with it. Another colour in their place would tell it
 * of pairs that are held back. */
static int draw_input(int word, uint32_t chance)
{
    bool colour = word >= SAC_WORD_COLOUR && word < SAC_WORD_COLOUR + SAC_COLOURS;
    return colour && (float)(chance >> 8) * 0x1p-24f < unheard ? SAC_WORD_PAD : word;
}

/* Column `index` of [T,B] */
static void take_words(const scene_batches *b, size_t number, size_t index,
                       sac_caption_batch *batch)
{
    const sac_scene *scene = &b->scenes[index];
    for (size_t t = 0; t < batch->steps; t++) {
        size_t at = t * b->size + index;
        bool said = t < (size_t)scene->words;
        uint32_t place = OF_WORDS | (uint32_t)(index * SAC_SCENE_WORDS + t);
        batch->targets[at] = said ? scene->word[t] : SAC_WORD_PAD;
        batch->object_of_word[at] = said ? object_of(scene, t) : -1;
        batch->inputs[at] = SAC_WORD_START;
        if (t > 0)
            batch->inputs[at] = draw_input(batch->targets[at - b->size],
                                           sac_philox((uint32_t)number, place, b->seed));
    }
    batch->lengths[index] = scene->words;
}

static void take_cover(const sac_scene *scene, int grid, float *cover)
{
    size_t cells = (size_t)grid * (size_t)grid;
    memset(cover, 0, SAC_SCENE_OBJECTS * cells * sizeof *cover);
    for (int i = 0; i < scene->count; i++)
        sac_box_cover(scene->objects[i].box, grid, grid, cover + (size_t)i * cells);
}

static void draw_batch(scene_batches *b, size_t number, sac_caption_batch *batch)
{
    size_t floats = (size_t)b->side * (size_t)b->side * 3;
    size_t cells = (size_t)b->grid * (size_t)b->grid;
    for (size_t i = 0; i < b->size; i++)
        make_scene(b, number, i, &b->scenes[i]);
    qsort(b->scenes, b->size, sizeof *b->scenes, by_length);
    batch->size = b->size;
    batch->steps = (size_t)b->scenes[0].words;
    for (size_t i = 0; i < b->size; i++) {
        const sac_scene *scene = &b->scenes[i];
        sac_scene_draw(scene, b->side, b->rgb);
        take_picture(b->rgb, floats, batch->pictures + i * floats);
        take_words(b, number, i, batch);
        take_cover(scene, b->grid, batch->cover + i * SAC_SCENE_OBJECTS * cells);
    }
}

static const void *make(void *self, size_t number, int slot)
{
    scene_batches *b = self;
    draw_batch(b, number, &b->slots[slot]);
    return &b->slots[slot];
}

/* ---------------------------------------------------------------- making and ending */

static bool allocate(scene_batches *b)
{
    size_t floats = (size_t)b->side * (size_t)b->side * 3;
    size_t cells = (size_t)b->grid * (size_t)b->grid;
    b->scenes = calloc(b->size, sizeof *b->scenes);
    b->rgb = malloc(floats);
    bool made = b->scenes && b->rgb;
    for (int i = 0; i < SAC_BATCH_SLOTS; i++) {
        sac_caption_batch *slot = &b->slots[i];
        slot->pictures = calloc(b->size * floats, sizeof *slot->pictures);
        slot->targets = calloc(b->size * SAC_SCENE_WORDS, sizeof *slot->targets);
        slot->inputs = calloc(b->size * SAC_SCENE_WORDS, sizeof *slot->inputs);
        slot->object_of_word = calloc(b->size * SAC_SCENE_WORDS, sizeof *slot->object_of_word);
        slot->lengths = calloc(b->size, sizeof *slot->lengths);
        slot->cover = calloc(b->size * SAC_SCENE_OBJECTS * cells, sizeof *slot->cover);
        made = made && slot->pictures && slot->targets && slot->inputs && slot->object_of_word &&
               slot->lengths && slot->cover;
    }
    return made;
}

static void destroy(void *self)
{
    scene_batches *b = self;
    if (!b)
        return;
    for (int i = 0; i < SAC_BATCH_SLOTS; i++) {
        free(b->slots[i].pictures);
        free(b->slots[i].targets);
        free(b->slots[i].inputs);
        free(b->slots[i].object_of_word);
        free(b->slots[i].lengths);
        free(b->slots[i].cover);
    }
    free(b->scenes);
    free(b->rgb);
    free(b);
}

sac_status sac_scene_batches(const sac_captioner_shape *shape, size_t size, uint32_t seed,
                             sac_batch_maker *maker, sac_error *error)
{
    scene_batches *b = calloc(1, sizeof *b);
    if (b) {
        b->side = shape->side;
        b->grid = sac_captioner_grid(shape);
        b->size = size;
        b->seed = seed;
    }
    if (!b || !allocate(b)) {
        destroy(b);
        return sac_fail(error, SAC_E_MEMORY, "training", "take a smaller --batch",
                        "no memory for batches of %zu scenes", size);
    }
    *maker = (sac_batch_maker){b, make, destroy};
    return SAC_OK;
}
