/* Learning by a reward: self-critical sequence training (Rennie et al. 2017). */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "captioner/learn/learn.h"
#include "captioner/model.h"
#include "captioner/photographs/album.h"
#include "pictures/caption_scores.h"

/* What the policy never chooses: these have no place inside a sentence of the search, either. */
static const uint32_t barred =
    1u << SAC_VOCABULARY_PAD | 1u << SAC_VOCABULARY_START | 1u << SAC_VOCABULARY_UNKNOWN;
enum { OF_SAMPLES = 64 }; /* what random numbers are for, beside those of learn.c */

/* A sentence that was drawn. */
typedef struct sample {
    size_t row; /* of those that were drawn */
    int count;  /* words, its end among them */
    bool ended;
    double reward;
    float factor; /* by which it is learnt */
} sample;

/* The sentences of a batch: P photographs with S samples each, the photograph's one behind the other; then with a
 * greedy baseline P more. */
typedef struct drawing {
    sac_captioner *c;
    const sac_caption_batch *photographs;
    size_t P, S, T, rows; /* rows: of both kinds */
    int *words;           /* [T,rows] */
    int *picture_of, *lengths;
    sample *samples; /* [rows] */
    /* The samples as a batch that is learnt from, [P·S] and [T,P·S]. */
    const sample **order; /* longest first */
    sac_caption_batch batch;
    float *factors; /* [P·S], lent to the batch */
} drawing;

static bool allocate(drawing *d)
{
    size_t samples = d->P * d->S, words = d->T * d->rows;
    d->words = calloc(words, sizeof *d->words);
    d->picture_of = calloc(d->rows, sizeof *d->picture_of);
    d->lengths = calloc(d->rows, sizeof *d->lengths);
    d->samples = calloc(d->rows, sizeof *d->samples);
    d->order = calloc(samples, sizeof *d->order);
    d->factors = calloc(samples, sizeof *d->factors);
    d->batch.targets = calloc(words, sizeof *d->batch.targets);
    d->batch.inputs = calloc(words, sizeof *d->batch.inputs);
    d->batch.object_of_word = calloc(words, sizeof *d->batch.object_of_word);
    d->batch.lengths = calloc(samples, sizeof *d->batch.lengths);
    d->batch.picture_of = calloc(samples, sizeof *d->batch.picture_of);
    return d->words && d->picture_of && d->lengths && d->samples && d->order && d->factors &&
           d->batch.targets && d->batch.inputs && d->batch.object_of_word && d->batch.lengths &&
           d->batch.picture_of;
}

static void release(drawing *d)
{
    free(d->words);
    free(d->picture_of);
    free(d->lengths);
    free(d->samples);
    free(d->order);
    free(d->factors);
    free(d->batch.targets);
    free(d->batch.inputs);
    free(d->batch.object_of_word);
    free(d->batch.lengths);
    free(d->batch.picture_of);
}

static int word_at(const drawing *d, const sample *s, int t)
{
    return d->words[(size_t)t * d->rows + s->row];
}

static sac_status sample_sentences(drawing *d, const sac_caption_lesson *lesson, sac_error *error)
{
    const sac_caption_batch *b = d->photographs;
    sac_caption_batch rows = {.size = d->rows,
                              .steps = d->T,
                              .photographs = d->P,
                              .grids = b->grids,
                              .picture_of = d->picture_of,
                              .seed = b->seed,
                              .lengths = d->lengths};
    const sac_word_draw how = {.policy = lesson->policy,
                               .sampled = d->P * d->S,
                               .key = sac_dropout_of(0, b->seed, OF_SAMPLES).key,
                               .end = SAC_VOCABULARY_END,
                               .pad = SAC_VOCABULARY_PAD};
    for (size_t i = 0; i < d->rows; i++) {
        d->picture_of[i] = (int)(i < d->P * d->S ? i / d->S : i - d->P * d->S);
        d->lengths[i] = (int)d->T;
    }
    sac_status status = sac_captioner_sample_words(d->c, &rows, lesson, &how, d->words, error);
    for (size_t i = 0; i < d->rows; i++) {
        sample *s = &d->samples[i];
        s->row = i;
        while (s->count < (int)d->T && word_at(d, s, s->count) != SAC_VOCABULARY_PAD)
            s->count++;
        s->ended = s->count && word_at(d, s, s->count - 1) == SAC_VOCABULARY_END;
    }
    return status;
}

/* The words as people would write them of the picture itself, where this one was mirrored. */
static sac_status score(const drawing *d, sample *s, sac_error *error)
{
    const sac_caption_origin *origin = &d->photographs->origins[d->picture_of[s->row]];
    const sac_caption_vocabulary *vocabulary = &d->c->shape.words->table;
    int words[SAC_PICTURES_WORDS + 1], count = s->count - s->ended;
    char text[(SAC_PICTURES_WORDS + 1) * SAC_VOCABULARY_BYTES] = "";
    size_t used = 0;
    for (int t = 0; t < count; t++)
        words[t] = word_at(d, s, t);
    if (origin->mirrored)
        (void)sac_caption_mirror(vocabulary, words, count, words);
    for (int t = 0; t < count; t++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", t ? " " : "",
                                 sac_caption_vocabulary_word(vocabulary, words[t]));
    return sac_cider_score(d->c->album->cider, origin->picture, text, s->ended, &s->reward, error);
}

static bool is_same(const drawing *d, const sample *one, const sample *other)
{
    bool same = one->count == other->count;
    for (int t = 0; same && t < one->count; t++)
        same = word_at(d, one, t) == word_at(d, other, t);
    return same;
}

/* Different ones of the samples of a photograph. */
static size_t count_different(const drawing *d, const sample *own)
{
    size_t different = 0;
    for (size_t i = 0; i < d->S; i++) {
        bool is_new = true;
        for (size_t k = 0; k < i && is_new; k++)
            is_new = !is_same(d, &own[i], &own[k]);
        different += is_new;
    }
    return different;
}

/* Factors −advantage / samples, and the figures; of several processes the shares of them. */
static void compute_advantages(drawing *d, bool greedy, sac_caption_reward *figures)
{
    const sac_batch_whole *whole = &d->photographs->whole;
    double each = 1 / ((double)(whole->samples ? whole->samples : d->P) * (double)d->S);
    double reward = 0, baseline = 0, different = 0;
    for (size_t p = 0; p < d->P; p++) {
        sample *own = &d->samples[p * d->S];
        double sum = 0;
        for (size_t i = 0; i < d->S; i++)
            sum += own[i].reward;
        for (size_t i = 0; i < d->S; i++) {
            double against = greedy ? d->samples[d->P * d->S + p].reward
                                    : (sum - own[i].reward) / (double)(d->S - 1);
            own[i].factor = (float)(each * (own[i].reward - against));
            baseline += each * against;
        }
        reward += each * sum;
        different += each * (double)count_different(d, own);
    }
    *figures = (sac_caption_reward){(float)(100 * reward), (float)(100 * baseline),
                                    (float)(100 * different)};
}

static int by_length(const void *a, const void *b)
{
    const sample *one = *(const sample *const *)a, *other = *(const sample *const *)b;
    if (one->count != other->count)
        return one->count > other->count ? -1 : 1;
    return (one->row > other->row) - (one->row < other->row);
}

/* The samples as sentences to learn, each with its factor. */
static void make_batch(drawing *d)
{
    sac_caption_batch *b = &d->batch;
    size_t count = d->P * d->S;
    for (size_t i = 0; i < count; i++)
        d->order[i] = &d->samples[i];
    qsort(d->order, count, sizeof *d->order, by_length);
    b->size = count;
    b->steps = (size_t)d->order[0]->count;
    b->photographs = d->P;
    b->seed = d->photographs->seed;
    b->factors = d->factors;
    for (size_t i = 0; i < count; i++) {
        const sample *s = d->order[i];
        for (size_t t = 0; t < b->steps; t++) {
            bool is_word = (int)t < s->count;
            b->targets[t * count + i] = is_word ? word_at(d, s, (int)t) : SAC_VOCABULARY_PAD;
            b->inputs[t * count + i] = !t        ? SAC_VOCABULARY_START
                                       : is_word ? word_at(d, s, (int)t - 1)
                                                 : SAC_VOCABULARY_PAD;
            b->object_of_word[t * count + i] = -1;
        }
        b->lengths[i] = s->count;
        b->picture_of[i] = d->picture_of[s->row];
        d->factors[i] = s->factor;
    }
}

sac_status sac_captioner_learn_reward(sac_captioner *c, const sac_caption_batch *batch,
                                      const sac_caption_lesson *lesson,
                                      const sac_caption_reward_options *options, float *loss,
                                      sac_caption_reward *reward, sac_error *error)
{
    drawing d = {.c = c,
                 .photographs = batch,
                 .P = batch->photographs,
                 .S = (size_t)options->samples,
                 .T = (size_t)c->shape.longest + 1};
    sac_caption_lesson own = {.grid_dropout = lesson->grid_dropout,
                              .policy = {options->temperature, barred}};
    float losses[3] = {0};
    d.rows = d.P * (d.S + options->greedy);
    sac_status status = allocate(&d) ? SAC_OK : sac_no_memory(error, "samples of captions");
    if (status == SAC_OK)
        status = sample_sentences(&d, &own, error);
    for (size_t i = 0; i < d.rows && status == SAC_OK; i++)
        status = score(&d, &d.samples[i], error);
    if (status == SAC_OK) {
        compute_advantages(&d, options->greedy, reward);
        make_batch(&d);
        own.encoded = true;
        status = sac_captioner_learn(c, &d.batch, &own, losses, error);
    }
    *loss = losses[0];
    release(&d);
    return status;
}
