/* The notebook on self-attention: its sentences and its layers, drawn as it drew them. */
#ifndef SAC_LESSONS_SHARED_NOTEBOOK_H
#define SAC_LESSONS_SHARED_NOTEBOOK_H

#include "lessons/shared/heads.h"

enum { SAC_NOTEBOOK_SENTENCES = 2, SAC_NOTEBOOK_WORDS = 4, SAC_NOTEBOOK_DEPTH = 10 };

/* The seed whose numbers the notebook printed: found from its sentences. */
#define SAC_NOTEBOOK_SEED 4199607231u

/* The sentences [2,4,10], rows of length 1. With `draws`, the array that they are made of. */
sac_node sac_notebook_sentences(sac_lesson *lesson, sac_node *draws);
/* The same, or a row of numbers for each word that a person typed [1,T,10]. */
sac_node sac_notebook_words(sac_lesson *lesson, sac_node *draws);
/* Rows of 10 draws brought to length 1, on the host. */
void sac_notebook_rows(const float *draws, float *rows);
/* Its layer SelfAttention(10), or MultiHead(10, 3) with three heads of 10 each, after
 * torch.manual_seed(lesson->seed); for its own seed at the place where the notebook drew them. */
sac_heads sac_notebook_layer(sac_lesson *lesson, size_t heads);

#endif
