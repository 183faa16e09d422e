/* Training a captioner on scenes: one batch forward and backward, and the loop around it. */
#ifndef SAC_CAPTIONER_TRAIN_H
#define SAC_CAPTIONER_TRAIN_H

#include "captioner/captioner.h"

/* One batch in host memory, longer sentences first: the steps at the end then work on the front of
 * the batch alone. */
typedef struct sac_caption_batch {
    size_t size, steps; /* B, and T: words of the longest sentence with its end */
    float *pictures;    /* [B,side,side,3], as sac_captioner_light gives them */
    int *targets; /* [T,B]: what is to be said; SAC_WORD_PAD after the end, and where nothing is
                   * asked
                   */
    int *inputs;  /* [T,B]: the words that the decoder hears before each: SAC_WORD_START first */
    int *object_of_word; /* [T,B]: the object to look at meanwhile, or −1 */
    int *lengths;        /* [B], with the end */
    float *cover;        /* [B,SAC_SCENE_OBJECTS,N] */
} sac_caption_batch;

typedef struct sac_training_options {
    size_t steps; /* 0: the default schedule's */
    size_t batch; /* 0: 32 */
    uint32_t seed;
    bool seed_given; /* or else a checkpoint's own is taken, whatever `seed` says */
    float rate;      /* highest learning rate; 0: default */
    float gaze_weight, coverage_weight; /* of the losses (nn/losses.h); below 0: none, 0: default */
    const char *out; /* the weights' file; checkpoints go to OUT.checkpoint (removed at the end) */
    const char *resume;      /* a checkpoint, or weights; NULL */
    size_t checkpoint_every; /* steps; 0: 500 */
} sac_training_options;
/* Puts the defaults where `options` says 0. */
void sac_training_resolve(sac_training_options *options);

typedef struct sac_training_report {
    size_t step, steps, batch;
    float loss, words, gaze; /* means over the last steps: all; a word's cross-entropy; −log of the
                                heat's share in the box, NaN where it is not supervised */
    float last;              /* all, of this step alone */
    float norm;              /* of the gradient, before clipping */
    double samples_per_second, seconds_left;
} sac_training_report;

/* Forward and backward through one batch. Adds the gradients of the sum of the three losses to
 * captioner->parameters.gradients. `losses`: mean cross-entropy of a word (the end included), and
 * the gaze's two (nn/losses.h), times their factors: doubly stochastic, supervised. Blocks until
 * done. SAC_E_ARGUMENT where the sentences are not in falling order of length. */
sac_status sac_captioner_learn(sac_captioner *captioner, const sac_caption_batch *batch,
                               float gaze_weight, float coverage_weight, float losses[3],
                               sac_error *error);

/* Trains until the steps are done or `report` returns false (then a checkpoint is saved and
 * SAC_E_CANCELLED returned). `report` is called after every step; it may run the captioner (look,
 * speak). The rate rises over the first steps and falls with a cosine, so what is done depends on
 * all options: a checkpoint keeps them and goes on exactly where it was. An option that is 0 is the
 * checkpoint's; another one than the checkpoint's is SAC_E_ARGUMENT, by name, but for the steps.
 * One that keeps none, of an older program, takes those that are given. Weights without Adam's
 * moments begin a new training at step 1. A gradient that is not finite is SAC_E_VALUE, naming the
 * step; the last checkpoint stays. */
sac_status sac_captioner_train(sac_captioner *captioner, const sac_training_options *options,
                               bool (*report)(void *user, sac_captioner *captioner,
                                              const sac_training_report *report),
                               void *user, sac_error *error);

#endif
