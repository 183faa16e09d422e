/* One batch of scenes or photographs, and learning from it. */
#ifndef SAC_CAPTIONER_LEARN_H
#define SAC_CAPTIONER_LEARN_H

#include "captioner/captioner.h"
#include "models/batches.h"

/* One batch in host memory, longer sentences first: the steps at the end then work on the front of
 * the batch alone. */
typedef struct sac_caption_batch {
    sac_batch_whole whole;
    size_t size, steps; /* B sentences, and T: words of the longest one with its end */
    float *pictures;    /* of scenes [B,side,side,3], as sac_captioner_light gives them */
    /* Of photographs, which have several sentences each: P of them, the input of the part
     * captioner->first of the network, the photograph of each sentence [B]; and a seed of the dropout. */
    size_t photographs; /* P; 0: these are scenes */
    float *grids;
    int *picture_of;
    uint64_t seed;
    int *targets;        /* [T,B]: the next words; SAC_WORD_PAD: none, or no target */
    int *inputs;         /* [T,B]: the words before them: SAC_WORD_START first */
    int *object_of_word; /* [T,B]: the object to attend to, or −1 */
    int *lengths;        /* [B], with the end */
    float *cover;        /* [B,L,N], L the words of the dataset's longest sentence; of photographs
                            SAC_CAPTION_PLACES, and NULL where there are no boxes */
} sac_caption_batch;
/* Words of a photograph's caption that are supervised, at most. */
enum { SAC_CAPTION_PLACES = 4 };
/* L */
size_t sac_captioner_places(const sac_captioner *captioner);

/* What is asked of a batch; a zeroed one asks for the words alone. */
typedef struct sac_caption_lesson {
    float supervision, doubly_stochastic; /* weights of the attention's losses */
    float smoothing;                      /* of the words' loss */
    /* Shares that are dropped: of embedded words and of what the output is made of; of features. */
    float dropout, grid_dropout;
} sac_caption_lesson;
/* Forward and backward through one batch. Adds the gradients of the sum of the three losses.
 * `losses`: mean cross-entropy of a word (the end included), and the attention's two (nn/training.h),
 * times their factors: doubly stochastic, supervised. Blocks until done. SAC_E_ARGUMENT where the
 * sentences are not in falling order of length. */
sac_status sac_captioner_learn(sac_captioner *captioner, const sac_caption_batch *batch,
                               const sac_caption_lesson *lesson, float losses[3], sac_error *error);

#endif
