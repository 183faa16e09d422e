/* Beam search over sentences: the words alone, without the model that weighs them. */
#ifndef SAC_CAPTIONER_BEAM_H
#define SAC_CAPTIONER_BEAM_H

#include <stdbool.h>

#include "trace/caption.h"

enum { SAC_BEAM_WIDTH = 16 };

/* A sentence begun: it goes on from row `parent` of the step before, which said `word`. */
typedef struct sac_beam_row {
    int parent, word;
    double score; /* sum of the words' log probabilities */
} sac_beam_row;

typedef struct sac_beam {
    int width, vocabulary;
    int step, rows; /* words said so far, and by how many sentences; row[step] are these, best first
                     */
    sac_beam_row row[SAC_CAPTION_WORDS + 1][SAC_BEAM_WIDTH];
    int ended_step, ended_row; /* where the best sentence came to its end; −1: none did */
    double ended_score;
} sac_beam;

/* One empty sentence. `width`: 1 (greedy) to SAC_BEAM_WIDTH. */
void sac_beam_begin(sac_beam *beam, int width, int vocabulary);
/* Goes on by one word, from log_probability[rows,vocabulary]. `given`: the word that has to be
 * said, −1: any but padding and start; a sentence has at least one word before its end. Ties go to
 * the earlier row, then to the lower word. Returns false once the search is over: no sentence that
 * still goes on can become better than the best that ended, or there is no room for more words. */
bool sac_beam_step(sac_beam *beam, const float *log_probability, int given);
/* True where the best sentence has come to its end; false while it goes on, or was cut. */
bool sac_beam_has_ended(const sac_beam *beam);
/* The best sentence: words[SAC_CAPTION_WORDS] without the end, and the row that said each. Returns
 * how many words. */
int sac_beam_path(const sac_beam *beam, int *words, int *rows);

#endif
