/* A sentence that the bundled translator aligned, as several lessons use it. */
#ifndef SAC_LESSONS_SHARED_TRANSLATED_H
#define SAC_LESSONS_SHARED_TRANSLATED_H

#include "lessons/engine/lesson.h"

enum { SAC_TRANSLATED_WORDS = 14, SAC_TRANSLATED_SOURCE = 13 };
extern const char *const sac_translated_words[SAC_TRANSLATED_WORDS];   /* French */
extern const char *const sac_translated_source[SAC_TRANSLATED_SOURCE]; /* English */

/* The translator's scores e [14,13], less each row's mean, in two decimals; their softmax is its
 * attention. `saccade translate --npz` writes the same weights. */
sac_node sac_translated_scores(sac_lesson *lesson, const char *name);
/* Rows are French words from `row` on, columns English words from `column` on. No labels where an
 * array of a person's own has another size. */
void sac_translated_label(sac_lesson *lesson, sac_node node, size_t row, size_t column);

#endif
