/* One batch of scenes or photographs, and learning from it. */
#ifndef SAC_CAPTIONER_LEARN_H
#define SAC_CAPTIONER_LEARN_H

#include "captioner/captioner.h"
#include "models/batches.h"
#include "nn/training.h"

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
    const struct sac_caption_origin *origins; /* [P]: which photographs these are */
    int *targets;         /* [T,B]: the next words; SAC_WORD_PAD: none, or no target */
    int *inputs;          /* [T,B]: the words before them: SAC_WORD_START first */
    int *object_of_word;  /* [T,B]: the object to attend to, or −1 */
    int *lengths;         /* [B], with the end */
    float *cover;         /* [B,L,N], L the words of the dataset's longest sentence; of photographs
                            SAC_CAPTION_PLACES, and NULL where there are no boxes */
    const float *factors; /* [B]: the policy's loss of a sentence counts so much (see below); NULL:
                             these are captions of people */
} sac_caption_batch;
/* Words of a photograph's caption that are supervised, at most. */
enum { SAC_CAPTION_PLACES = 4 };
/* L */
size_t sac_captioner_place_count(const sac_captioner *captioner);

typedef struct sac_caption_origin {
    size_t picture; /* of the album */
    bool mirrored;
} sac_caption_origin;

/* What is asked of a batch; a zeroed one asks for the words alone. */
typedef struct sac_caption_lesson {
    float supervision, doubly_stochastic; /* weights of the attention's losses */
    float smoothing;                      /* of the words' loss */
    /* Shares that are dropped: of embedded words and of what the output is made of; of features. */
    float dropout, grid_dropout;
    sac_policy policy; /* of a batch with factors … */
    bool encoded;      /* … whose photographs sac_captioner_sample_words has encoded */
} sac_caption_lesson;
/* Forward and backward through one batch. Adds the gradients of the sum of the three losses.
 * `losses`: mean cross-entropy of a word (the end included), and the attention's two (nn/training.h),
 * times their factors: doubly stochastic, supervised. Blocks until done. SAC_E_ARGUMENT where the
 * sentences are not in falling order of length. */
sac_status sac_captioner_learn(sac_captioner *captioner, const sac_caption_batch *batch,
                               const sac_caption_lesson *lesson, float losses[3], sac_error *error);

/* ---- learning by a reward (Rennie et al. 2017) */

/* Draws R = batch->size sentences for a batch of photographs, all at once on the device: each row's
 * photograph, grids, seed and steps (T) are the batch's, and its lengths are T. Into words [T,R]: the
 * end is among them, and what is behind it is SAC_WORD_PAD. The features are those with the lesson's
 * grid_dropout, as in learning, so that what learns is what drew; no other number is dropped. Blocks. */
sac_status sac_captioner_sample_words(sac_captioner *captioner, const sac_caption_batch *batch,
                                      const sac_caption_lesson *lesson, const sac_word_draw *draw,
                                      int *words, sac_error *error);

typedef struct sac_caption_reward_options {
    int samples;       /* sentences of a photograph: at least 2, or 1 with `greedy` */
    float temperature; /* of the policy: it draws at it, and its gradient is taken at it */
    bool greedy; /* the baseline is the reward of the most probable words; else the mean reward of
                    the photograph's other samples */
} sac_caption_reward_options;

/* Of a batch: CIDEr-D × 100, mean of all samples, the same of what they are compared with, and how
 * many of 100 samples of a photograph differ. */
typedef struct sac_caption_reward {
    float reward, baseline, different;
} sac_caption_reward;

/* Draws sentences for the photographs of a batch, has the album score them, and adds the gradient of
 *
 *     loss = −1/(P·S) Σ (reward − baseline) · log π(sentence),   π = softmax(logits / temperature)
 *
 * which is that of the mean reward of sentences as they are drawn. (At temperature 1 the gradient
 * would be of another policy than the one that drew, and a baseline would bias it.) */
sac_status sac_captioner_learn_reward(sac_captioner *captioner, const sac_caption_batch *batch,
                                      const sac_caption_lesson *lesson,
                                      const sac_caption_reward_options *options, float *loss,
                                      sac_caption_reward *reward, sac_error *error);

#endif
