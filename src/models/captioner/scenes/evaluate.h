/* Evaluation of a captioner on scenes of the test stream, with baselines. */
#ifndef SAC_CAPTIONER_EVALUATE_H
#define SAC_CAPTIONER_EVALUATE_H

#include "captioner/captioner.h"
#include "models/model_class.h"
#include "sources/words/pointing.h"

/* Of words of the truth. */
typedef struct sac_naming {
    size_t words;
    double right; /* share of them that the caption has */
} sac_naming;

/* A share of nothing is NaN. */
typedef struct sac_evaluation {
    bool all_pairs; /* to be set first: the model was trained on all pairs, so it has seen them */
    size_t count, seen, unseen; /* scenes; without and with a pair that training never showed */
    double exact;               /* of scenes of seen pairs alone */
    double exact_unseen_pairs;
    sac_naming named, named_unseen_pairs;   /* the same of words that name a thing or its colour */
    sac_naming things, things_unseen_pairs; /* of those that name a thing */
    /* Over the words that name a thing or its colour. Of shapes: those of an object of the truth, as
     * sac_caption_judge finds it, words of wrong sentences too. Of the picture book: those that
     * stand where the true sentence has the same word. */
    sac_pointings pointings;
    /* Where it was requested: colour and shape words of captions that are exactly right, and the
     * share of them that become another word without the cells they looked at (source/causal.h),
     * and without as many others. */
    size_t causal_words;
    double changed, changed_elsewhere, causal_cells; /* mean number of the cells */
    double milliseconds; /* median per picture: encoding and beam search */
} sac_evaluation;

/* Adds one caption to an evaluation, whose figures are sums until it is closed. */
void sac_evaluation_add(sac_evaluation *evaluation, const sac_result *caption,
                        const sac_caption_truth *truth, bool unseen);
/* The same of a scene whose words each have a place of their own. */
void sac_evaluation_add_scene(sac_evaluation *evaluation, const sac_result *caption,
                              const sac_dataset *dataset, const void *scene);
void sac_evaluation_divide_sums(sac_evaluation *evaluation);

/* Draws each scene at the model's side, encodes it and generates a caption. SAC_E_CANCELLED where
 * `progress` (may be NULL) asks to stop. */
sac_status sac_captioner_evaluate(sac_captioner *captioner, const sac_evaluation_options *options,
                                  const sac_progress *progress, sac_evaluation *evaluation,
                                  sac_error *error);
/* The figures as every model reports them. */
void sac_evaluation_fill_report(const sac_evaluation *evaluation, sac_evaluation_report *report);

#endif
