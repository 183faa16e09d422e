/* What the bundled models computed, as several lessons use it. */
#ifndef SAC_LESSONS_SHARED_TRAINED_H
#define SAC_LESSONS_SHARED_TRAINED_H

#include "lessons/engine/lesson.h"

/* ---- a sentence that the translator aligned */

enum { SAC_TRANSLATED_WORDS = 14, SAC_TRANSLATED_SOURCE = 13 };
extern const char *const sac_translated_words[SAC_TRANSLATED_WORDS];   /* French */
extern const char *const sac_translated_source[SAC_TRANSLATED_SOURCE]; /* English */

/* The translator's scores e [14,13], less each row's mean, in two decimals; their softmax is its
 * attention. `saccade translate --npz` writes the same weights. */
sac_node sac_translated_scores(sac_lesson *lesson, const char *name);
/* Rows are French words from `row` on, columns English words from `column` on. No labels where an
 * array of a person's own has another size. */
void sac_translated_label(sac_lesson *lesson, sac_node node, size_t row, size_t column);

/* ---- two heads of the transformer: what each word of a sentence looks at */

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

/* ---- a caption of the captioner: `saccade caption --dataset shapes --scene 91` */

enum { SAC_CAPTIONED_WORDS = 15 };
extern const char *const sac_captioned_words[SAC_CAPTIONED_WORDS];

#endif
