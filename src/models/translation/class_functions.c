/* Training batches, watched sentences and evaluation: the same for every translator. */
#include "translation/class_functions.h"

#include <stdlib.h>

#include "base/error.h"
#include "grammar/words.h"
#include "models/model_class.h"
#include "translation/evaluate.h"
#include "translation/own_pairs.h"
#include "translation/sentence_batches.h"
#include "translation/translation.h"

/* ---------------------------------------------------------------- held-out sentences that the monitor shows while it trains */

enum { SENTENCES = 48, SHOWN = 6, SHOWN_WORDS = 9 /* or else they are too small to be read */ };
/* Far from the seeds that `saccade evaluate` counts from. */
static const uint64_t first_sentence = UINT64_C(1) << 62;

typedef struct watched_sentences {
    sac_sentence_pair pair[SENTENCES];
    sac_word_list english, french;
} watched_sentences;

/* There is no picture. */
static sac_status get_true_translation(void *self, int index, sac_image *picture, char *truth,
                                       size_t size, sac_error *error)
{
    const sac_sentence_pair *pair = &((const watched_sentences *)self)->pair[index];
    (void)picture, (void)error;
    sac_sentence_join(pair->target, pair->target_count, truth, size);
    return SAC_OK;
}

static sac_status encode(void *self, sac_model *model, int index, sac_error *error)
{
    const watched_sentences *w = self;
    const sac_sentence_pair *pair = &w->pair[index];
    int words[SAC_SENTENCE_MOST];
    sac_sentence_numbers(&w->english, pair->source, pair->source_count, words);
    return sac_translation_read(model, words, pair->source_count, error);
}

static bool is_exact(void *self, int index, const sac_result *caption)
{
    const watched_sentences *w = self;
    const sac_sentence_pair *pair = &w->pair[index];
    int words[SAC_SENTENCE_TARGET_MOST];
    sac_sentence_numbers(&w->french, pair->target, pair->target_count, words);
    return sac_translation_equals(caption, words, pair->target_count);
}

static void destroy(void *self)
{
    watched_sentences *w = self;
    if (!w)
        return;
    sac_word_list_free(&w->english);
    sac_word_list_free(&w->french);
    free(w);
}

/* ---------------------------------------------------------------- class functions */

sac_status sac_translation_batches(const sac_model *model, const sac_model_values *values,
                                   size_t size, uint32_t seed, sac_batch_maker *maker,
                                   sac_error *error)
{
    (void)values;
    const sac_pairs *pairs = model->class->translating((sac_model *)model)->pairs;
    return pairs ? sac_pair_batches(pairs, size, model->share, seed, maker, error)
                 : sac_sentence_batches(size, model->share, seed, maker, error);
}

sac_status sac_translation_prepare(sac_model *model, const sac_model_values *values,
                                   sac_error *error)
{
    sac_translating *t = model->class->translating(model);
    bool given = values->text[0][sac_model_option_find(model->class, "pairs")] != NULL;
    if (t->languages && !given)
        return sac_fail(error, SAC_E_ARGUMENT, "--pairs",
                        "give the sentence pairs that it was trained on before", "is missing");
    if (!t->languages && given)
        return sac_fail(error, SAC_E_ARGUMENT, "--pairs", "train anew without --resume",
                        "is given, and the model was trained on other words");
    if (t->pairs)
        return SAC_OK;
    return sac_own_pairs_open(model->class, values, 0, t->languages, &t->pairs, error);
}

sac_status sac_translation_judge(sac_model *model, const sac_model_values *values, double *score,
                                 sac_error *error)
{
    (void)values;
    return sac_own_pairs_judge(model, score, error);
}

sac_status sac_translation_watch(const sac_model *model, sac_watched *watched, sac_error *error)
{
    if (sac_translation_languages(model))
        return sac_own_pairs_watch(model, watched, error);
    /* That of the figure first, then of the test stream; those that are shown are short. */
    watched_sentences *w = calloc(1, sizeof *w);
    if (!w)
        return sac_no_memory(error, "training");
    /* That of the figure, and then short ones to be shown; the rest are of any length. */
    uint64_t seed = first_sentence;
    sac_sentence_make_for_figure(&w->pair[0]);
    for (int i = 1; i < SENTENCES; i++)
        do
            sac_sentence_make(SAC_TEXT_TEST, seed++, &w->pair[i]);
        while (i < SHOWN && w->pair[i].source_count > SHOWN_WORDS);
    sac_status status = sac_word_list_create(SAC_ENGLISH, &w->english, error);
    if (status == SAC_OK)
        status = sac_word_list_create(SAC_FRENCH, &w->french, error);
    if (status == SAC_OK)
        *watched =
            (sac_watched){w, SENTENCES, SHOWN, get_true_translation, encode, is_exact, destroy};
    else
        destroy(w);
    return status;
}

sac_status sac_translation_evaluate_model(sac_model *model, const sac_evaluation_options *options,
                                          const sac_progress *progress,
                                          sac_evaluation_report *report, sac_error *error)
{
    sac_translation_evaluation evaluation;
    if (sac_translation_languages(model))
        return sac_own_pairs_evaluate(model, options, progress, report, error);
    if (options->pairs[0])
        return sac_fail(error, SAC_E_ARGUMENT, "--pairs",
                        "give weights of one as --weights F, or leave it out",
                        "is for a model that was trained on sentence pairs");
    sac_status status = sac_translation_evaluate(model, options, progress, &evaluation, error);
    if (status == SAC_OK)
        sac_translation_report(&evaluation, report);
    return status;
}
