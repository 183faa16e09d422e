/* Two heads of the bundled transformer, as several lessons use them: what each word of a sentence
 * looks at. */
#ifndef SAC_LESSONS_SHARED_TRAINED_HEADS_H
#define SAC_LESSONS_SHARED_TRAINED_HEADS_H

#include "lessons/engine/lesson.h"

enum {
    SAC_TRAINED_HEADS = 2,
    SAC_TRAINED_WORDS = 8,
};

/* Scores "trained.scores" [2,8,8] of the heads 1.2 and 1.0 of its encoder for "the red cat sleeps in
 * the garden .", less each row's mean, in two decimals, and their softmax, "trained.weights".
 * `saccade translate --model transformer --npz` writes the same weights as "encoder". */
sac_node sac_trained_heads(sac_lesson *lesson, sac_node *scores);
/* Of both heads the first, which looks at the main words of phrases. */
sac_node sac_trained_head(sac_lesson *lesson, const char *name, sac_node both);

#endif
