/* A translator and a person's own pairs of sentences: what it learns from, and how well it translates those
 * that were held out. */
#ifndef SAC_TRANSLATION_OWN_PAIRS_H
#define SAC_TRANSLATION_OWN_PAIRS_H

#include "translation/translation.h"

/* The rows of a class's table of options that sac_own_pairs_open reads. */
#define SAC_PAIRS_OPTION                                                                           \
    {                                                                                              \
        .name = "pairs", .value_name = "FILE",                                                     \
        .help = "train on the sentence pairs of this file, a table with a tab between a sentence " \
                "and its translation (also Tatoeba's and Anki's); given twice: two files with a "  \
                "sentence a line",                                                                 \
        .is_text = true, .of_set = true                                                            \
    }
#define SAC_LANGUAGES_OPTION                                                                       \
    {                                                                                              \
        .name = "languages", .value_name = "A,B",                                                  \
        .help = "what the languages of --pairs are called, such as de,en (default: as the file "   \
                "or its name has it)",                                                             \
        .is_text = true                                                                            \
    }
#define SAC_WORD_COUNT_OPTION                                                                      \
    {                                                                                              \
        .name = "word-count", .value_name = "N",                                                   \
        .help = "words that --pairs have less often are unknown (default: 1 of up to 100,000 "     \
                "words, 2 of up to a million, 3 of more)",                                         \
        .remedy = "give how often a word has to occur", .sizes = true                              \
    }

/* Opens what --pairs names, by the options' values, and reports what is there (base/notice.h); *pairs NULL:
 * it is not given. `known`: the languages of the model that goes on; NULL: new ones. */
sac_status sac_own_pairs_open(const sac_model_class *class, const sac_model_values *values,
                              uint32_t seed, sac_language_pair *known, sac_pairs **pairs,
                              sac_error *error);

/* The class's schedule; of a model of a person's languages that by the amount of pairs, with judgements. */
sac_schedule sac_own_pairs_schedule(const sac_model *model, const sac_schedule *schedule);

/* Held-out pairs for the monitor. */
sac_status sac_own_pairs_watch(const sac_model *model, sac_watched *watched, sac_error *error);

/* BLEU of the greedy translations of held-out sentences, of some of them where they are many; 0 to 1. */
sac_status sac_own_pairs_judge(sac_model *model, double *score, sac_error *error);

/* The figures of the pairs in options->pairs. */
sac_status sac_own_pairs_evaluate(sac_model *model, const sac_evaluation_options *options,
                                  const sac_progress *progress, sac_evaluation_report *report,
                                  sac_error *error);

#endif
