/* A training that goes on: what it shows of itself now and then. */
#ifndef SAC_SOURCES_TRAINING_H
#define SAC_SOURCES_TRAINING_H

#include "sources/result.h"

enum { SAC_TRAINING_REWARDS = 3, SAC_TRAINING_SAMPLE = 1024 };

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

typedef struct sac_training_source {
    /* A copy of the newest state; *changed false (and nothing copied) where it is the one of
     * `step`. Any thread. */
    sac_status (*look)(void *self, size_t step, sac_training_snapshot *snapshot, bool *changed,
                       sac_error *error);
    bool (*ended)(void *self); /* the training has; with every `look` */
} sac_training_source;

#endif
