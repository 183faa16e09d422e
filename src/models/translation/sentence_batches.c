/* A batch is cut out of a pool of sentences that are sorted by length, so that little of it is
 * padding. The grammar makes them, or they are a person's pairs, each once an epoch. Some of the grammar's
 * are parts of a sentence, without its full stop: what a person types is not always whole. No held-out
 * sentence lacks its full stop. */
#include "translation/sentence_batches.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random/random.h"
#include "grammar/words.h"

enum { POOL = 8 };
enum { STEPS = SAC_SENTENCE_TARGET_MOST + 1, SOURCE = SAC_PAIR_WORDS };
_Static_assert((int)SAC_PAIR_WORDS <= (int)SAC_SENTENCE_TARGET_MOST &&
                   (int)SAC_SENTENCE_MOST <= (int)SOURCE,
               "room for the sentences of both");
_Static_assert((int)SAC_PAIR_PAD == (int)SAC_TOKEN_PAD && (int)SAC_PAIR_END == (int)SAC_TOKEN_END,
               "one numbering of what is no word");
static const float parts = 0.12f;   /* share of samples that are a part … */
static const float unended = 0.08f; /* … or all but the full stop */
/* Share of the words that occur once in a person's pairs, and are read as unknown ones, so that a model knows
 * what to do with these. */
static const float masked = 0.3f;

/* The places in a batch's random numbers where those of each kind begin. */
enum {
    OF_SENTENCES = 0,
    OF_KINDS = 1 << 29,
    OF_PARTS = 1 << 30,
    OF_ORDER = 3 << 29,
    OF_PAIRS = 7 << 28
};

/* A sentence in numbers. */
typedef struct sample {
    size_t number; /* in the pool, for an order that is one */
    int source[SOURCE], target[STEPS], source_count, target_count;
    uint32_t links[STEPS];
} sample;

/* A pair's place in an epoch. */
typedef struct drawn {
    uint32_t chance;
    size_t pair;
} drawn;

typedef struct slot {
    sac_sentence_batch batch; /* lends: */
    int *words, *reversed, *lengths, *inputs, *targets, *target_lengths, *linked;
    uint8_t *padding;
    float *links;
} slot;

typedef struct sentence_batches {
    size_t size, all; /* sentences of this process's share, and of the whole batch */
    sac_batch_share share;
    uint32_t seed;
    sac_word_list english, french;
    const sac_pairs *pairs; /* NULL: the grammar makes the sentences */
    struct {
        drawn *places; /* [count], in the order of the epoch */
        size_t count, number;
        bool ordered;
    } epoch;      /* of the pairs that are trained on */
    sample *pool; /* [POOL·all], longest first */
    size_t pool_number;
    bool has_pool;
    int order[POOL]; /* in which parts of the pool become batches */
    slot slots[SAC_BATCH_SLOTS];
} sentence_batches;

/* ---------------------------------------------------------------- parts of sentences */

bool sac_sentence_cut(sac_sentence_pair *pair, int first, int last)
{
    uint32_t inside = (UINT32_C(2) << last) - (UINT32_C(1) << first);
    int begin = -1, end = -1;
    for (int t = 0; t < pair->target_count; t++)
        if (pair->links[t] & inside) {
            begin = begin < 0 ? t : begin;
            end = t;
        }
    if (begin < 0)
        return false;
    for (int t = begin; t <= end; t++)
        if (!pair->links[t] || pair->links[t] & ~inside)
            return false;
    const char *word = pair->target[end];
    if (word[strlen(word) - 1] == '\'')
        return false;
    pair->source_count = last - first + 1;
    pair->target_count = end - begin + 1;
    memmove(pair->source, pair->source + first, (size_t)pair->source_count * sizeof *pair->source);
    memmove(pair->target, pair->target + begin, (size_t)pair->target_count * sizeof *pair->target);
    for (int t = 0; t < pair->target_count; t++)
        pair->links[t] = pair->links[begin + t] >> first;
    return true;
}

/* A part of a sentence of `words` words and a full stop: any two places that cut one out. */
static void cut_part(const sentence_batches *b, size_t number, size_t index,
                     sac_sentence_pair *pair)
{
    uint32_t words = (uint32_t)pair->source_count - 1;
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t place = OF_PARTS | (uint32_t)(index * 32 + 2 * i);
        uint32_t one = sac_philox((uint32_t)number, place, b->seed) % words;
        uint32_t other = sac_philox((uint32_t)number, place + 1, b->seed) % words;
        if (sac_sentence_cut(pair, (int)(one < other ? one : other),
                             (int)(one < other ? other : one)))
            return;
    }
}

/* ---------------------------------------------------------------- a person's pairs */

static int by_chance(const void *a, const void *b)
{
    const drawn *left = a, *right = b;
    if (left->chance != right->chance)
        return left->chance < right->chance ? -1 : 1;
    return left->pair < right->pair ? -1 : left->pair > right->pair;
}

/* The pair at a place of the training's endless row: each epoch has another order. */
static const sac_pair *pair_at(sentence_batches *b, uint64_t at)
{
    size_t epoch = (size_t)(at / b->epoch.count), index = 0;
    if (!b->epoch.ordered || epoch != b->epoch.number) {
        uint32_t key = sac_philox((uint32_t)epoch, OF_PAIRS, b->seed);
        for (size_t i = 0; i < b->pairs->count; i++)
            if (!b->pairs->items[i].held) {
                b->epoch.places[index] = (drawn){sac_philox((uint32_t)index, OF_PAIRS, key), i};
                index++;
            }
        qsort(b->epoch.places, b->epoch.count, sizeof *b->epoch.places, by_chance);
        b->epoch.number = epoch;
        b->epoch.ordered = true;
    }
    return &b->pairs->items[b->epoch.places[at % b->epoch.count].pair];
}

/* Sample `index` of pool `number`. */
static void copy_pair_as_sample(sentence_batches *b, size_t number, size_t index, sample *s)
{
    uint64_t at = (uint64_t)number * POOL * b->all + index;
    const sac_pair *pair = pair_at(b, at);
    uint32_t key = sac_philox((uint32_t)at, OF_KINDS, b->seed);
    *s = (sample){.number = index,
                  .source_count = pair->count[SAC_SOURCE_SIDE],
                  .target_count = pair->count[SAC_TARGET_SIDE]};
    memcpy(s->target, pair->words[SAC_TARGET_SIDE], (size_t)s->target_count * sizeof *s->target);
    for (int i = 0; i < s->source_count; i++) {
        int word = pair->words[SAC_SOURCE_SIDE][i];
        bool hides =
            b->pairs->is_rare[word] && sac_philox_uniform((uint32_t)i, OF_KINDS, key) < masked;
        s->source[i] = hides ? SAC_PAIR_UNKNOWN : word;
    }
}

/* ---------------------------------------------------------------- the pool */

/* Sample `index` of pool `number`: a seed out of 64 bits of a counter. */
static void make_sample(const sentence_batches *b, size_t number, size_t index, sample *s)
{
    sac_sentence_pair pair;
    uint32_t place = OF_SENTENCES | (uint32_t)(2 * index);
    uint64_t high = sac_philox((uint32_t)number, place, b->seed);
    uint64_t seed = high << 32 | sac_philox((uint32_t)number, place + 1, b->seed);
    float kind = sac_philox_uniform((uint32_t)number, OF_KINDS | (uint32_t)index, b->seed);
    sac_sentence_make(SAC_TEXT_TRAINING, seed, &pair);
    if (kind < parts)
        cut_part(b, number, index, &pair);
    else if (kind < parts + unended)
        sac_sentence_cut(&pair, 0, pair.source_count - 2);
    s->number = index;
    s->source_count = pair.source_count;
    s->target_count = pair.target_count;
    for (int i = 0; i < pair.source_count; i++)
        s->source[i] = sac_word_list_find(&b->english, pair.source[i]);
    for (int t = 0; t < pair.target_count; t++)
        s->target[t] = sac_word_list_find(&b->french, pair.target[t]);
    memcpy(s->links, pair.links, (size_t)pair.target_count * sizeof *s->links);
}

static int by_length(const void *a, const void *b)
{
    const sample *left = a, *right = b;
    if (left->source_count != right->source_count)
        return left->source_count > right->source_count ? -1 : 1;
    if (left->target_count != right->target_count)
        return left->target_count > right->target_count ? -1 : 1;
    return left->number < right->number ? -1 : left->number > right->number;
}

static void make_pool(sentence_batches *b, size_t number)
{
    if (b->has_pool && b->pool_number == number)
        return;
    for (size_t i = 0; i < POOL * b->all; i++)
        if (b->pairs)
            copy_pair_as_sample(b, number, i, &b->pool[i]);
        else
            make_sample(b, number, i, &b->pool[i]);
    qsort(b->pool, POOL * b->all, sizeof *b->pool, by_length);
    for (int i = 0; i < POOL; i++) { /* Fisher and Yates */
        int j = (int)(sac_philox((uint32_t)number, OF_ORDER | (uint32_t)i, b->seed) %
                      (uint32_t)(i + 1));
        b->order[i] = b->order[j];
        b->order[j] = i;
    }
    b->pool_number = number;
    b->has_pool = true;
}

/* ---------------------------------------------------------------- one batch */

/* Column `index` of what the encoder reads. */
static void write_source_column(const sentence_batches *b, const sample *s, size_t index, slot *to)
{
    size_t steps = to->batch.source.steps, count = (size_t)s->source_count;
    for (size_t i = 0; i < steps; i++) {
        bool inside = i < count;
        to->words[i * b->size + index] = inside ? s->source[i] : SAC_TOKEN_PAD;
        to->reversed[i * b->size + index] = inside ? s->source[count - 1 - i] : SAC_TOKEN_PAD;
        to->padding[index * steps + i] = inside ? 0 : 1;
    }
    to->lengths[index] = s->source_count;
}

/* Column `index` of the decoder's output, and what its words stand for. */
static void write_target_column(const sentence_batches *b, const sample *s, size_t index, slot *to)
{
    size_t steps = to->batch.steps, words = to->batch.source.steps;
    int count = s->target_count;
    for (size_t t = 0; t < steps; t++) {
        size_t at = t * b->size + index;
        bool is_word = (int)t < count;
        float *links = to->links ? to->links + (index * steps + t) * words : NULL;
        to->inputs[at] = t == 0               ? SAC_TOKEN_START
                         : (int)t - 1 < count ? s->target[t - 1]
                                              : SAC_TOKEN_PAD;
        to->targets[at] = is_word ? s->target[t] : (int)t == count ? SAC_TOKEN_END : -1;
        to->linked[at] = is_word && s->links[t] ? (int)t : -1;
        for (size_t i = 0; links && i < words; i++)
            links[i] = is_word && s->links[t] >> i & 1 ? 1 : 0;
    }
    to->target_lengths[index] = count + 1;
}

/* Words of the translations with their ends, and those that stand for words of the source. */
static sac_batch_whole count_words(const sentence_batches *b, const sample *samples)
{
    sac_batch_whole whole = {.samples = b->all};
    for (size_t i = 0; i < b->all; i++) {
        whole.words += (size_t)samples[i].target_count + 1;
        for (int t = 0; t < samples[i].target_count; t++)
            whole.named += samples[i].links[t] != 0;
    }
    return whole;
}

static const void *make(void *self, size_t number, int place, sac_error *error)
{
    (void)error;
    sentence_batches *b = self;
    slot *to = &b->slots[place];
    make_pool(b, number / POOL);
    const sample *samples = b->pool + (size_t)b->order[number % POOL] * b->all;
    int longest = 0;
    for (size_t i = 0; i < b->size; i++) {
        int count = samples[sac_batch_share_place(b->share, i)].target_count;
        longest = count > longest ? count : longest;
    }
    to->batch = (sac_sentence_batch){
        .number = number,
        .share = b->share,
        .whole = b->size < b->all ? count_words(b, samples) : (sac_batch_whole){0},
        .source = {b->size, (size_t)samples[b->share.first].source_count, to->words, to->reversed,
                   to->lengths, to->padding},
        .steps = (size_t)longest + 1,
        .inputs = to->inputs,
        .targets = to->targets,
        .lengths = to->target_lengths,
        .links = to->links,
        .linked = to->linked,
    };
    for (size_t i = 0; i < b->size; i++) {
        const sample *s = &samples[sac_batch_share_place(b->share, i)];
        write_source_column(b, s, i, to);
        write_target_column(b, s, i, to);
    }
    return &to->batch;
}

/* ---------------------------------------------------------------- making and ending */

static bool allocate_slot(size_t size, bool has_links, slot *s)
{
    s->words = calloc(size * SOURCE, sizeof *s->words);
    s->reversed = calloc(size * SOURCE, sizeof *s->reversed);
    s->lengths = calloc(size, sizeof *s->lengths);
    s->padding = calloc(size * SOURCE, sizeof *s->padding);
    s->inputs = calloc(size * STEPS, sizeof *s->inputs);
    s->targets = calloc(size * STEPS, sizeof *s->targets);
    s->target_lengths = calloc(size, sizeof *s->target_lengths);
    s->linked = calloc(size * STEPS, sizeof *s->linked);
    if (has_links)
        s->links = calloc(size * STEPS * SOURCE, sizeof *s->links);
    return s->words && s->reversed && s->lengths && s->padding && s->inputs && s->targets &&
           s->target_lengths && s->linked && (s->links || !has_links);
}

static void destroy(void *self)
{
    sentence_batches *b = self;
    if (!b)
        return;
    for (int i = 0; i < SAC_BATCH_SLOTS; i++) {
        slot *s = &b->slots[i];
        void *const all[] = {s->words,   s->reversed,       s->lengths, s->padding, s->inputs,
                             s->targets, s->target_lengths, s->linked,  s->links};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            free(all[k]);
    }
    free(b->pool);
    free(b->epoch.places);
    sac_word_list_free(&b->english);
    sac_word_list_free(&b->french);
    free(b);
}

static sac_status open_words(sentence_batches *b, sac_error *error)
{
    sac_status status = sac_word_list_create(SAC_ENGLISH, &b->english, error);
    return status == SAC_OK ? sac_word_list_create(SAC_FRENCH, &b->french, error) : status;
}

static sac_status open_batches(const sac_pairs *pairs, size_t size, sac_batch_share share,
                               uint32_t seed, sac_batch_maker *maker, sac_error *error)
{
    sentence_batches *b = calloc(1, sizeof *b);
    bool made = b != NULL;
    if (made) {
        b->size = sac_batch_share_size(share, size);
        b->all = size;
        b->share = share;
        b->seed = seed;
        b->pairs = pairs;
        b->epoch.count = pairs ? pairs->count - pairs->held : 0;
        b->epoch.places = calloc(b->epoch.count + 1, sizeof *b->epoch.places);
        b->pool = calloc(POOL * size, sizeof *b->pool);
        made = b->pool && b->epoch.places;
        for (int i = 0; i < SAC_BATCH_SLOTS; i++)
            made = allocate_slot(b->size, !pairs, &b->slots[i]) && made;
    }
    sac_status status = made ? open_words(b, error)
                             : sac_fail(error, SAC_E_MEMORY, "training", "take a smaller --batch",
                                        "out of memory for batches of %zu sentences", size);
    if (status != SAC_OK) {
        destroy(b);
        return status;
    }
    *maker = (sac_batch_maker){b, make, destroy};
    return SAC_OK;
}

sac_status sac_sentence_batches(size_t size, sac_batch_share share, uint32_t seed,
                                sac_batch_maker *maker, sac_error *error)
{
    return open_batches(NULL, size, share, seed, maker, error);
}

sac_status sac_pair_batches(const sac_pairs *pairs, size_t size, sac_batch_share share,
                            uint32_t seed, sac_batch_maker *maker, sac_error *error)
{
    return open_batches(pairs, size, share, seed, maker, error);
}
