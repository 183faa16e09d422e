/* A training that goes on: what it shows of itself now and then. */
#ifndef SAC_SOURCES_TRAINING_H
#define SAC_SOURCES_TRAINING_H

#include "sources/heads/reduce.h"
#include "sources/result.h"

typedef struct sac_source sac_source;

enum { SAC_TRAINING_REWARDS = 3, SAC_TRAINING_SAMPLE = 1024, SAC_TRAINING_KINDS = 4 };

/* What heads of a model that writes are measured for: previous token, induction, same token, first token. */
extern const sac_weights_kind sac_training_kinds[SAC_TRAINING_KINDS];
extern const char *const sac_training_kind_names[SAC_TRAINING_KINDS];

/* How much of each its heads have (sac_weights_score), over a text that stays the same and in which tokens that were
 * drawn come twice. */
typedef struct sac_training_heads {
    size_t layers, heads, tokens; /* of that text; layers 0: it has no heads that are measured */
    size_t points;
    size_t *at;   /* [points]: steps; owned */
    float *score; /* [points,layers,heads,SAC_TRAINING_KINDS]; owned */
    bool *kept; /* [points]: the maps of that step are there (sac_training_source.moment); owned */
} sac_training_heads;
/* The head with the highest score of a kind at a point, as layer · heads + head. */
size_t sac_training_best_head(const sac_training_heads *heads, size_t point, int kind);
static inline float sac_training_head_score(const sac_training_heads *h, size_t point, size_t head,
                                            int kind)
{
    return h->score[(point * h->layers * h->heads + head) * SAC_TRAINING_KINDS + (size_t)kind];
}

/* A snapshot of a training, copied out under a lock. */
typedef struct sac_training_snapshot {
    size_t step, steps;
    double seconds, samples_per_second, seconds_left;
    size_t points;       /* of the curves */
    float *loss, *exact; /* [points], owned: the mean loss since the point before; share of exact
                            captions on the watched pictures, or `figure`; NaN where it was not
                            measured */
    size_t *at;          /* [points]: their steps, owned */
    bool figure_is_loss; /* a loss: less is better */
    const char *figure; /* how what is held out is captioned: "CIDEr-D"; NULL: that share; static */
    /* Of a training by a reward [points], owned: that of what the model draws (CIDEr-D × 100), its
     * baseline, and how many of 100 samples of a picture differ; NULL: of another. */
    float *reward[SAC_TRAINING_REWARDS];
    bool writes; /* the model writes a text by itself, which is shown in place of pictures … */
    char sample[SAC_TRAINING_SAMPLE]; /* … this one now; empty: not yet */
    sac_training_heads heads;
    int pictures;
    struct {
        sac_image image; /* owned; empty: the model sees none, its caption names the positions */
        sac_result caption;
        char truth[256];
        /* Its truth is one of several: a word is right where one of them has it, wherever it stands. */
        bool is_one_of_several;
        bool has_word[SAC_MAX_TOKENS]; /* of each word of the caption: that one of them does */
    } picture[6];
} sac_training_snapshot;
void sac_training_snapshot_free(sac_training_snapshot *snapshot);

/* What a model wrote, and where its heads looked, at a step. */
typedef struct sac_training_moment {
    size_t step;
    char sample[SAC_TRAINING_SAMPLE];
    sac_source *heads; /* their weights over that text, from malloc; who gets it frees it */
} sac_training_moment;
void sac_training_moment_free(sac_training_moment *moment); /* takes a zeroed one */

typedef struct sac_training_source {
    /* A copy of the newest state; *changed false (and nothing copied) where it is the one of
     * `step`. Any thread. */
    sac_status (*look)(void *self, size_t step, sac_training_snapshot *snapshot, bool *changed,
                       sac_error *error);
    bool (*ended)(void *self); /* the training has; with every `look` */
    /* Of the kept steps the one nearest to `step`: a copy. Any thread. SAC_E_ARGUMENT: none is kept. NULL: there are
     * no heads. */
    sac_status (*moment)(void *self, size_t step, sac_training_moment *moment, sac_error *error);
} sac_training_source;

#endif
