/* Batches of scenes for training. */

#include "captioner/scenes/scene_batches.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random/random.h"
#include "captioner/model.h"

/* The places in a batch's random numbers where those of scenes and words begin. */
enum { OF_SCENES = 0, OF_KINDS = 1 << 29, OF_WORDS = 1 << 30 };

/* A scene of a batch, and its place in the order. */
typedef struct made_scene {
    uint64_t seed;
    int words;
    void *scene; /* of the dataset's kind */
} made_scene;

typedef struct scene_batches {
    const sac_dataset *dataset;
    int side, grid;
    sac_stream stream;
    size_t size, all; /* scenes of this process's share, and of the whole batch */
    sac_batch_share share;
    uint32_t seed;
    made_scene *scenes; /* [all], longer sentences first */
    void *memory;       /* of the scenes themselves */
    uint8_t *rgb;       /* [side,side,3] of one */
    int *word;          /* [longest] of one */
    sac_caption_batch slots[SAC_BATCH_SLOTS];
} scene_batches;

/* ---------------------------------------------------------------- one batch */

/* The scene at `index` of batch `number`: a seed out of 64 bits of a counter. */
static void make_scene(const scene_batches *b, size_t number, size_t index, made_scene *made)
{
    uint32_t place = OF_SCENES | (uint32_t)(2 * index), kind = OF_KINDS | (uint32_t)index;
    uint64_t high = sac_philox((uint32_t)number, place, b->seed);
    made->seed = high << 32 | sac_philox((uint32_t)number, place + 1, b->seed);
    made->scene = (char *)b->memory + index * b->dataset->scene_size;
    b->dataset->make_for_training(b->stream, made->seed,
                                  sac_philox((uint32_t)number, kind, b->seed), made->scene);
    made->words = b->dataset->sentence(made->scene, b->word);
}

/* Longer sentences first; scenes of one length by their seed, so that the order is one. */
static int by_length(const void *a, const void *b)
{
    const made_scene *left = a, *right = b;
    if (left->words != right->words)
        return left->words > right->words ? -1 : 1;
    return left->seed < right->seed ? -1 : left->seed > right->seed;
}

static void convert_picture(const uint8_t *rgb, size_t count, float *picture)
{
    for (size_t i = 0; i < count; i++)
        picture[i] = sac_captioner_light(rgb[i]);
}

/* The share of each cell inside the boxes; `before` is the word before, whose phrase and look are
 * most often the same, and NULL for the first. */
static void cover_look(const scene_batches *b, const sac_look *look, const sac_look *before,
                       float *cover)
{
    size_t cells = (size_t)b->grid * (size_t)b->grid;
    if (before && memcmp(look, before, sizeof *look) == 0)
        memcpy(cover, cover - cells, cells * sizeof *cover);
    else
        sac_look_cover(look, b->grid, b->grid, cover);
}

/* Column `index` of [T,B]: target words, input words, and the regions to attend to. */
static void write_word_column(scene_batches *b, size_t number, size_t index,
                              sac_caption_batch *batch)
{
    size_t in_whole = sac_batch_share_place(b->share, index);
    const made_scene *made = &b->scenes[in_whole];
    size_t cells = (size_t)b->grid * (size_t)b->grid, longest = (size_t)b->dataset->longest;
    b->dataset->sentence(made->scene, b->word);
    sac_look look = {0}, before = {0};
    for (size_t t = 0; t < batch->steps; t++, before = look) {
        size_t at = t * b->size + index;
        bool is_word = t < (size_t)made->words;
        uint32_t place = OF_WORDS | (uint32_t)(in_whole * longest + t);
        look = (sac_look){0};
        if (is_word)
            b->dataset->look(made->scene, (int)t, &look);
        cover_look(b, &look, t ? &before : NULL, batch->cover + (index * longest + t) * cells);
        batch->targets[at] = is_word ? b->word[t] : SAC_WORD_PAD;
        batch->object_of_word[at] = look.count ? (int)t : -1;
        batch->inputs[at] = SAC_WORD_START;
        if (t > 0 && is_word)
            batch->inputs[at] = b->dataset->input(made->scene, (int)t - 1,
                                                  sac_philox((uint32_t)number, place, b->seed));
    }
    batch->lengths[index] = made->words;
}

/* Target words, and those with a place to look at, of all scenes. */
static sac_batch_whole count_words(const scene_batches *b)
{
    sac_batch_whole whole = {.samples = b->all};
    for (size_t i = 0; i < b->all; i++) {
        b->dataset->sentence(b->scenes[i].scene, b->word);
        for (int t = 0; t < b->scenes[i].words; t++) {
            sac_look look = {0};
            b->dataset->look(b->scenes[i].scene, t, &look);
            whole.words += b->word[t] != SAC_WORD_PAD;
            whole.named += look.count > 0;
        }
    }
    return whole;
}

static sac_status draw_batch(scene_batches *b, size_t number, sac_caption_batch *batch,
                             sac_error *error)
{
    size_t floats = (size_t)b->side * (size_t)b->side * 3;
    for (size_t i = 0; i < b->all; i++)
        make_scene(b, number, i, &b->scenes[i]);
    qsort(b->scenes, b->all, sizeof *b->scenes, by_length);
    batch->size = b->size;
    batch->steps = (size_t)b->scenes[b->share.first].words;
    if (b->size < b->all)
        batch->whole = count_words(b);
    sac_status status = SAC_OK;
    for (size_t i = 0; i < b->size && status == SAC_OK; i++) {
        const made_scene *made = &b->scenes[sac_batch_share_place(b->share, i)];
        status = b->dataset->draw(made->scene, b->side, b->rgb, error);
        convert_picture(b->rgb, floats, batch->pictures + i * floats);
        write_word_column(b, number, i, batch);
    }
    return status;
}

static const void *make(void *self, size_t number, int slot, sac_error *error)
{
    scene_batches *b = self;
    return draw_batch(b, number, &b->slots[slot], error) == SAC_OK ? &b->slots[slot] : NULL;
}

/* ---------------------------------------------------------------- making and ending */

static bool allocate(scene_batches *b)
{
    size_t floats = (size_t)b->side * (size_t)b->side * 3;
    size_t cells = (size_t)b->grid * (size_t)b->grid;
    size_t words = b->size * (size_t)b->dataset->longest;
    b->scenes = calloc(b->all, sizeof *b->scenes);
    b->memory = calloc(b->all, b->dataset->scene_size);
    b->rgb = malloc(floats);
    b->word = calloc((size_t)b->dataset->longest, sizeof *b->word);
    bool made = b->scenes && b->memory && b->rgb && b->word;
    for (int i = 0; i < SAC_BATCH_SLOTS; i++) {
        sac_caption_batch *slot = &b->slots[i];
        slot->pictures = calloc(b->size * floats, sizeof *slot->pictures);
        slot->targets = calloc(words, sizeof *slot->targets);
        slot->inputs = calloc(words, sizeof *slot->inputs);
        slot->object_of_word = calloc(words, sizeof *slot->object_of_word);
        slot->lengths = calloc(b->size, sizeof *slot->lengths);
        slot->cover = calloc(words * cells, sizeof *slot->cover);
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
    free(b->memory);
    free(b->rgb);
    free(b->word);
    free(b);
}

sac_status sac_scene_batches(const sac_captioner_shape *shape, sac_stream stream, size_t size,
                             sac_batch_share share, uint32_t seed, sac_batch_maker *maker,
                             sac_error *error)
{
    scene_batches *b = calloc(1, sizeof *b);
    if (b) {
        b->dataset = sac_captioner_dataset(shape);
        b->side = shape->side;
        b->grid = sac_captioner_grid(shape);
        b->stream = stream;
        b->size = sac_batch_share_size(share, size);
        b->all = size;
        b->share = share;
        b->seed = seed;
    }
    if (!b || !allocate(b)) {
        destroy(b);
        return sac_fail(error, SAC_E_MEMORY, "training", "take a smaller --batch",
                        "out of memory for batches of %zu scenes", size);
    }
    *maker = (sac_batch_maker){b, make, destroy};
    return SAC_OK;
}
