/* The evaluation of a translator: translation and alignment on sentences whose truth is known. */
#ifndef SAC_TRANSLATION_EVALUATE_H
#define SAC_TRANSLATION_EVALUATE_H

#include "grammar/sentence.h"
#include "grammar/words.h"
#include "models/model_class.h"

/* Sums over words that stand for a source word, of what the heaviest weight and its rivals point
 * at: the diagonal (as far through the one sentence as the word is through the other), a source
 * word at random, and the heaviest weight of any other word of the same translation. */
typedef struct sac_alignment_figures {
    size_t words, shuffled_words;
    double right, diagonal, uniform, shuffled;
    /* Counts for the alignment error rate 1 − 2 common / (claimed + true) (Och and Ney 2003, all
     * links sure): a word claims the source words of at least half its heaviest weight. */
    size_t claimed_links, true_links, common_links;
} sac_alignment_figures;

/* How many words looked most at a right one, by each head of each layer. */
typedef struct sac_head_figures {
    size_t layers, heads, words; /* layers 0: the model has no such heads */
    size_t right[SAC_REPORT_HEADS];
} sac_head_figures;

typedef struct sac_translation_evaluation {
    size_t count, unseen,
        longer; /* sentences: all, with a held-back pair, longer than training's */
    size_t exact, exact_unseen, exact_long;
    bool attends; /* false: there is no alignment */
    sac_alignment_figures alignment;
    sac_head_figures heads;
    sac_length_figures lengths;
    double milliseconds; /* median per sentence */
} sac_translation_evaluation;

/* The numbers of words that the list has. */
void sac_sentence_numbers(const sac_word_list *list, const char (*words)[SAC_SENTENCE_WORD_SIZE],
                          int count, int *numbers);
/* True where a translation consists of just these words, and has come to its end. */
bool sac_translation_equals(const sac_result *translation, const int *words, int count);
/* Adds the alignment of a pair: weights [target_count,source_count] of its own translation. */
void sac_alignment_add(sac_alignment_figures *figures, const sac_sentence_pair *pair,
                       const float *weights);
/* Evaluates on the test stream. A translation that is wrong is aligned as the true one, whose words
 * the decoder is given. */
sac_status sac_translation_evaluate(sac_model *model, const sac_evaluation_options *options,
                                    const sac_progress *progress,
                                    sac_translation_evaluation *evaluation, sac_error *error);
void sac_translation_report(const sac_translation_evaluation *evaluation,
                            sac_evaluation_report *report);

#endif
