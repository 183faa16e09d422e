/* Batches of photographs, with all captions of each: what a network makes of a picture is computed
 * once for all of them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random/random.h"
#include "captioner/learn/learn.h"
#include "captioner/model.h"
#include "captioner/photographs/album.h"
#include "models/batches.h"

enum { CAPTIONS = 8 }; /* of a picture, at most */

/* What random numbers are for. */
enum { OF_ORDER, OF_VIEWS, OF_DROPOUT };

/* A sentence of a batch. */
typedef struct sentence {
    int words[SAC_PICTURES_WORDS], count;
    int picture; /* of the batch */
    int number;  /* of the sentence, for an order that is one */
} sentence;

/* A picture's place in an epoch. */
typedef struct place {
    uint32_t chance;
    size_t picture;
} place;

/* A photograph of a batch, and why it could not be read. */
typedef struct seen {
    size_t picture;
    int view;
    sac_status status;
    sac_error why;
} seen;

typedef struct photograph_batches {
    const sac_album *album;
    size_t size, all; /* photographs of this process's share, and of the whole batch */
    sac_batch_share share;
    size_t numbers; /* that come in of one */
    int longest, grid;
    uint32_t seed;
    place *order; /* [pictures that are trained on], of `epoch` */
    size_t epoch, count;
    bool ordered;
    sentence *sentences; /* [size · CAPTIONS] */
    seen *photographs;   /* [size], of the batch that is made */
    float *grids;        /* the slot's */
    sac_caption_batch slots[SAC_BATCH_SLOTS];
    sac_caption_origin *origins[SAC_BATCH_SLOTS]; /* [size] */
} photograph_batches;

/* ---------------------------------------------------------------- the order */

static int by_chance(const void *a, const void *b)
{
    const place *left = a, *right = b;
    if (left->chance != right->chance)
        return left->chance < right->chance ? -1 : 1;
    return left->picture < right->picture ? -1 : left->picture > right->picture;
}

/* The picture at a place of the training's endless row: each epoch has another order. */
static size_t picture_at(photograph_batches *b, uint64_t at)
{
    size_t epoch = (size_t)(at / b->count);
    if (!b->ordered || epoch != b->epoch) {
        const size_t *train = b->album->of_split[SAC_SPLIT_TRAIN];
        uint32_t key = sac_philox((uint32_t)epoch, OF_ORDER, b->seed);
        for (size_t i = 0; i < b->count; i++)
            b->order[i] = (place){sac_philox((uint32_t)i, OF_ORDER, key), train[i]};
        qsort(b->order, b->count, sizeof *b->order, by_chance);
        b->epoch = epoch;
        b->ordered = true;
    }
    return b->order[at % b->count].picture;
}

/* ---------------------------------------------------------------- one batch */

/* The captions of a picture in this view; false where one does not fit a mirrored picture. */
static bool select_captions(const photograph_batches *b, const sac_captioned_picture *picture,
                            bool mirrored, int number, sentence *sentences, int *count)
{
    const sac_caption_vocabulary *vocabulary = &b->album->pictures.vocabulary;
    *count = 0;
    for (int k = 0; k < picture->caption_count && *count < CAPTIONS; k++) {
        const sac_picture_caption *caption = &picture->captions[k];
        sentence *s = &sentences[*count];
        *s = (sentence){.count = caption->count < b->longest ? caption->count : b->longest,
                        .picture = number,
                        .number = number * CAPTIONS + k};
        memcpy(s->words, caption->words, (size_t)s->count * sizeof *s->words);
        if (mirrored && !sac_caption_mirror(vocabulary, s->words, s->count, s->words))
            return false;
        (*count)++;
    }
    return true;
}

/* Longer sentences first. */
static int by_length(const void *a, const void *b)
{
    const sentence *left = a, *right = b;
    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    return left->number < right->number ? -1 : left->number > right->number;
}

/* Column `index` of [T,B]. A word that is not in the vocabulary is an input, and no target. */
static void write_word_column(const sentence *s, size_t index, sac_caption_batch *batch)
{
    for (size_t t = 0; t < batch->steps; t++) {
        size_t at = t * batch->size + index, count = (size_t)s->count;
        int next = t < count ? s->words[t] : SAC_VOCABULARY_END;
        batch->targets[at] =
            t > count || next == SAC_VOCABULARY_UNKNOWN ? SAC_VOCABULARY_PAD : next;
        batch->inputs[at] = t == 0       ? SAC_VOCABULARY_START
                            : t <= count ? s->words[t - 1]
                                         : SAC_VOCABULARY_PAD;
        batch->object_of_word[at] = -1;
    }
    batch->lengths[index] = s->count + 1;
    batch->picture_of[index] = s->picture;
}

/* Which words of a sentence name what has a box in the view: returns how many. Column `index` of object_of_word, and
 * the cover of the places; NULL: they are counted alone. */
static size_t write_word_places(const photograph_batches *b, const sentence *s,
                                const seen *photograph, size_t index, sac_caption_batch *batch)
{
    const size_t cells = (size_t)b->grid * (size_t)b->grid;
    float counted[SAC_CAPTIONER_GRID * SAC_CAPTIONER_GRID];
    size_t places = 0;
    for (size_t t = 0; t < (size_t)s->count && places < SAC_CAPTION_PLACES; t++) {
        float *cover =
            batch ? batch->cover + (index * SAC_CAPTION_PLACES + places) * cells : counted;
        if (!sac_album_cover(b->album, photograph->picture, photograph->view, s->words[t], b->grid,
                             cover))
            continue;
        if (batch)
            batch->object_of_word[t * batch->size + index] = (int)places;
        places++;
    }
    return places;
}

static void read_grid(void *self, size_t index)
{
    photograph_batches *b = self;
    seen *s = &b->photographs[index];
    s->status =
        sac_album_grid(b->album, s->picture, s->view, b->grids + index * b->numbers, &s->why);
}

/* The view to learn from: one of those that are kept, or any that is cut. */
static int view_of(const photograph_batches *b, uint32_t chance)
{
    int views = b->album->views;
    return sac_album_view(b->album, (int)(views ? chance % (uint32_t)views : chance >> 2));
}

/* Photograph `index` of batch `number`, and its captions as number `own` of this process's: returns
 * how many they are. */
static size_t select_photograph(photograph_batches *b, size_t number, size_t index, size_t own,
                                sentence *sentences, seen *photograph)
{
    uint64_t at = (uint64_t)number * b->all + index;
    size_t picture = picture_at(b, at);
    const sac_captioned_picture *item = &b->album->pictures.items[picture];
    uint32_t chance = sac_philox((uint32_t)at, OF_VIEWS, b->seed);
    int view = view_of(b, chance), count;
    if (!select_captions(b, item, sac_view_is_mirrored(view), (int)own, sentences, &count)) {
        view = b->album->views ? 0 : view - 1;
        select_captions(b, item, false, (int)own, sentences, &count);
    }
    *photograph = (seen){.picture = picture, .view = view};
    return (size_t)count;
}

/* Target words, of all photographs of the batch. */
static sac_batch_whole count_words(photograph_batches *b, size_t number)
{
    sac_batch_whole whole = {.samples = b->all};
    for (size_t i = 0; i < b->all; i++) {
        seen photograph;
        sentence all[CAPTIONS];
        size_t count = select_photograph(b, number, i, 0, all, &photograph);
        for (size_t k = 0; k < count; k++) {
            whole.words++; /* the end */
            for (int t = 0; t < all[k].count; t++)
                whole.words += all[k].words[t] != SAC_VOCABULARY_UNKNOWN;
            whole.named += write_word_places(b, &all[k], &photograph, 0, NULL);
        }
    }
    return whole;
}

static const void *make(void *self, size_t number, int slot, sac_error *error)
{
    photograph_batches *b = self;
    sac_caption_batch *batch = &b->slots[slot];
    size_t sentences = 0;
    for (size_t i = 0; i < b->size; i++)
        sentences += select_photograph(b, number, sac_batch_share_place(b->share, i), i,
                                       b->sentences + sentences, &b->photographs[i]);
    if (b->size < b->all)
        batch->whole = count_words(b, number);
    b->grids = batch->grids;
    sac_parallel(b->size, read_grid, b);
    for (size_t i = 0; i < b->size; i++)
        if (b->photographs[i].status != SAC_OK) {
            (void)sac_error_pass(error, &b->photographs[i].why, NULL);
            return NULL;
        }
    for (size_t i = 0; i < b->size; i++)
        b->origins[slot][i] = (sac_caption_origin){b->photographs[i].picture,
                                                   sac_view_is_mirrored(b->photographs[i].view)};
    qsort(b->sentences, sentences, sizeof *b->sentences, by_length);
    batch->size = sentences;
    batch->steps = (size_t)b->sentences[0].count + 1;
    batch->photographs = b->size;
    batch->seed = (uint64_t)sac_philox((uint32_t)number, OF_DROPOUT, b->seed) << 32 |
                  (b->seed + (uint32_t)b->share.first); /* each share drops others */
    for (size_t i = 0; i < sentences; i++) {
        const sentence *s = &b->sentences[i];
        write_word_column(s, i, batch);
        if (batch->cover)
            write_word_places(b, s, &b->photographs[s->picture], i, batch);
    }
    return batch;
}

/* ---------------------------------------------------------------- making and ending */

static bool allocate(photograph_batches *b)
{
    size_t sentences = b->size * CAPTIONS, words = sentences * ((size_t)b->longest + 1);
    b->order = calloc(b->count, sizeof *b->order);
    b->sentences = calloc(sentences, sizeof *b->sentences);
    b->photographs = calloc(b->size, sizeof *b->photographs);
    bool made = b->order && b->sentences && b->photographs;
    for (int i = 0; i < SAC_BATCH_SLOTS; i++) {
        sac_caption_batch *slot = &b->slots[i];
        slot->grids = calloc(b->size * b->numbers, sizeof *slot->grids);
        slot->picture_of = calloc(sentences, sizeof *slot->picture_of);
        slot->targets = calloc(words, sizeof *slot->targets);
        slot->inputs = calloc(words, sizeof *slot->inputs);
        slot->object_of_word = calloc(words, sizeof *slot->object_of_word);
        slot->lengths = calloc(sentences, sizeof *slot->lengths);
        if (b->album->category_of_word)
            slot->cover = calloc(sentences * SAC_CAPTION_PLACES * (size_t)b->grid * (size_t)b->grid,
                                 sizeof *slot->cover);
        slot->origins = b->origins[i] = calloc(b->size, sizeof *b->origins[i]);
        made = made && slot->grids && slot->picture_of && slot->targets && slot->inputs &&
               slot->object_of_word && slot->lengths && slot->origins &&
               (slot->cover || !b->album->category_of_word);
    }
    return made;
}

static void destroy(void *self)
{
    photograph_batches *b = self;
    if (!b)
        return;
    for (int i = 0; i < SAC_BATCH_SLOTS; i++) {
        free(b->slots[i].grids);
        free(b->slots[i].picture_of);
        free(b->slots[i].targets);
        free(b->slots[i].inputs);
        free(b->slots[i].object_of_word);
        free(b->slots[i].lengths);
        free(b->slots[i].cover);
        free(b->origins[i]);
    }
    free(b->order);
    free(b->sentences);
    free(b->photographs);
    free(b);
}

sac_status sac_album_batches(const sac_captioner *c, size_t size, uint32_t seed,
                             sac_batch_maker *maker, sac_error *error)
{
    photograph_batches *b = calloc(1, sizeof *b);
    if (b) {
        b->album = c->album;
        b->size = sac_batch_share_size(c->base.share, size);
        b->all = size;
        b->share = c->base.share;
        b->numbers = sac_album_grid_numbers(c);
        b->longest = c->shape.longest;
        b->grid = c->grid;
        b->seed = seed;
        b->count = c->album->pictures.of_split[SAC_SPLIT_TRAIN];
    }
    if (!b || !allocate(b)) {
        destroy(b);
        return sac_fail(error, SAC_E_MEMORY, "training", "take a smaller --batch",
                        "out of memory for batches of %zu pictures", size);
    }
    *maker = (sac_batch_maker){b, make, destroy};
    return SAC_OK;
}
