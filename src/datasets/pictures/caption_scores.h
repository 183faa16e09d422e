/* Scores of captions against those of people, as pycocoevalcap computes them from words: BLEU
 * (Papineni et al. 2002) of the whole corpus with the closest reference's length, ROUGE-L (Lin and
 * Hovy 2004, β 1.2), METEOR without WordNet (Banerjee and Lavie 2005: not that of pycocoevalcap) and CIDEr-D (Vedantam et al. 2015, σ 6), whose document frequencies are those of
 * these references: CIDEr-D of sets of different sizes cannot be compared. */
#ifndef SAC_PICTURES_CAPTION_SCORES_H
#define SAC_PICTURES_CAPTION_SCORES_H

#include "pictures/pictures.h"

/* A picture's caption and those of people, as sac_caption_plain has them; lent. */
typedef struct sac_scored_caption {
    const char *candidate;
    const char *const *references; /* [reference_count], at least one */
    int reference_count;
} sac_scored_caption;

enum { SAC_BLEU_GRAMS = 4 };
/* What BLEU is made of: words of the candidates and of the closest references, and n-grams of n + 1 words,
 * all of the candidates and those that a reference has, too. */
typedef struct sac_bleu_counts {
    double length, reference_length, guessed[SAC_BLEU_GRAMS], right[SAC_BLEU_GRAMS];
} sac_bleu_counts;

typedef struct sac_caption_scores {
    double bleu[4]; /* BLEU-1 … BLEU-4, 0 to 1 */
    double rouge_l; /* 0 to 1 */
    double meteor;  /* 0 to 1: of equal words and stems (pictures/meteor.h) */
    double cider_d; /* 0 to 10 */
    size_t words;   /* different ones of the candidates */
    sac_bleu_counts counts;
} sac_caption_scores;

/* All is NaN where there are no captions. SAC_E_MEMORY; SAC_E_CANCELLED. */
sac_status sac_caption_score(const sac_scored_caption *captions, size_t count,
                             sac_caption_scores *scores, sac_error *error);

/* The same of pictures: candidate[i], plain, of picture i, against the captions of people but for the
 * first `skipped`. NULL: there is no candidate. *scored: how many there are. */
sac_status sac_pictures_score(const sac_pictures *pictures, char *const *candidate, int skipped,
                              sac_caption_scores *scores, size_t *scored, sac_error *error);

/* CIDEr-D of any sentence against the captions of one picture, as a reward (Rennie et al. 2017): the
 * document frequencies are those of a split, and the end of a sentence is a word, so that one that
 * stops in the middle, or was cut, gets less. */
typedef struct sac_cider sac_cider;
/* The captions are copied. SAC_E_MEMORY; SAC_E_CANCELLED. */
sac_status sac_cider_create(const sac_pictures *pictures, sac_pictures_split split,
                            sac_cider **cider, sac_error *error);
void sac_cider_destroy(sac_cider *cider); /* takes NULL */
/* Of a plain caption for picture `picture` of that split: 0 to 10. */
sac_status sac_cider_score(const sac_cider *cider, size_t picture, const char *plain, bool ended,
                           double *score, sac_error *error);

#endif
