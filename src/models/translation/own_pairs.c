/* Trains and judges a translator by a person's own pairs. */
#include "translation/own_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/notice.h"
#include "base/round.h"
#include "pairs/translation_scores.h"
#include "translation/evaluate.h"

/* ---------------------------------------------------------------- opening */

static sac_status refuse_without_pairs(const sac_model_class *class, const sac_model_values *values,
                                       sac_error *error)
{
    static const char *const names[] = {"languages", "word-count"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[32];
        snprintf(name, sizeof name, "--%s", names[i]);
        if (values->given[sac_model_option_find(class, names[i])])
            return sac_fail(error, SAC_E_ARGUMENT, name, "give --pairs too, or leave it out",
                            "is of sentence pairs");
    }
    return SAC_OK;
}

sac_status sac_own_pairs_open(const sac_model_class *class, const sac_model_values *values,
                              uint32_t seed, sac_language_pair *known, sac_pairs **pairs,
                              sac_error *error)
{
    const int of_files = sac_model_option_find(class, "pairs");
    const sac_pairs_options options = {
        .files = {values->text[0][of_files], values->text[1][of_files]},
        .languages = values->text[0][sac_model_option_find(class, "languages")],
        .least = (int)values->value[sac_model_option_find(class, "word-count")],
        .seed = seed,
        .known = known};
    char line[400];
    *pairs = NULL;
    if (!options.files[0])
        return refuse_without_pairs(class, values, error);
    if (values->text[2][of_files])
        return sac_fail(error, SAC_E_ARGUMENT, "--pairs",
                        "give a table of pairs, or one file of each language",
                        "is given more than twice");
    if (!(*pairs = calloc(1, sizeof **pairs)))
        return sac_no_memory(error, "pairs");
    sac_status status = sac_pairs_open(&options, *pairs, error);
    for (int i = 0; status == SAC_OK && sac_pairs_report_line(*pairs, i, line, sizeof line); i++)
        sac_notice("pairs: %s", line);
    if (status != SAC_OK) {
        free(*pairs);
        *pairs = NULL;
    }
    return status;
}

/* ---------------------------------------------------------------- how long it learns */

sac_schedule sac_own_pairs_schedule(const sac_model *model, const sac_schedule *schedule)
{
    enum { EPOCHS = 5, MANY = 5000 /* pairs */, JUDGED_TIMES = 30, ROUND = 50, PATIENCE = 8 };
    sac_schedule own = *schedule;
    const sac_pairs *pairs = model->class->translating((sac_model *)model)->pairs;
    if (!sac_translation_languages(model))
        return own;
    size_t count = pairs ? pairs->count - pairs->held : 0;
    own.batch = count < MANY ? 32 : 64;
    own.steps = sac_larger(own.steps, EPOCHS * count / own.batch);
    own.judge_every = own.steps / JUDGED_TIMES / ROUND * ROUND;
    own.patience = PATIENCE;
    own.samples = "sentence pairs";
    return own;
}

/* ---------------------------------------------------------------- translating pairs */

/* Has the model read the source of a pair, as it was learnt: words alone, and nothing added. */
static sac_status encode_pair_source(sac_model *model, const sac_pair *pair, sac_error *error)
{
    return sac_translation_read(model, pair->words[SAC_SOURCE_SIDE], pair->count[SAC_SOURCE_SIDE],
                                error);
}

static bool equals_pair(const sac_pair *pair, const sac_result *translation)
{
    return sac_translation_equals(translation, pair->words[SAC_TARGET_SIDE],
                                  pair->count[SAC_TARGET_SIDE]);
}

/* True where the translation is one of those that the pairs have of sentence `index`. */
static bool is_known_translation(const sac_pairs *p, size_t index, const sac_result *translation)
{
    for (size_t i = index; i < p->count; i++)
        if (p->items[i].same == index && equals_pair(&p->items[i], translation))
            return true;
    return false;
}

/* Sentences that are translated, each once however many translations it has. */
typedef struct trial {
    const sac_pairs *pairs;
    size_t *sentences, count; /* their first pairs */
    size_t *place;            /* [pairs], by the first pair: which of them it is, from 1; 0: none */
    const char **references;  /* of all */
    sac_scored_translation *scored;
    size_t done, exact;
} trial;

static void free_trial(trial *t)
{
    for (size_t i = 0; t->scored && i < t->done; i++)
        free((char *)t->scored[i].candidate);
    free(t->sentences);
    free(t->place);
    free(t->references);
    free(t->scored);
}

/* Takes the sentences of a split, at most `most` that lie evenly over it. */
static sac_status open_trial(const sac_pairs *p, bool held, bool all, size_t most, trial *t,
                             sac_error *error)
{
    *t = (trial){.pairs = p,
                 .sentences = calloc(p->count + 1, sizeof *t->sentences),
                 .place = calloc(p->count + 1, sizeof *t->place),
                 .references = calloc(p->count + 1, sizeof *t->references)};
    if (!t->sentences || !t->references || !t->place)
        return sac_no_memory(error, "pairs");
    for (size_t i = 0; i < p->count; i++)
        if (p->items[i].same == i && (all || p->items[i].held == held))
            t->sentences[t->count++] = i;
    if (t->count > most) {
        for (size_t i = 0; i < most; i++)
            t->sentences[i] = t->sentences[i * t->count / most];
        t->count = most;
    }
    t->scored = calloc(t->count + 1, sizeof *t->scored);
    if (!t->scored)
        return sac_no_memory(error, "pairs");
    for (size_t i = 0; i < t->count; i++)
        t->place[t->sentences[i]] = i + 1;
    for (size_t i = 0; i < p->count; i++)
        if (t->place[p->items[i].same])
            t->scored[t->place[p->items[i].same] - 1].reference_count++;
    const char **next = t->references;
    for (size_t i = 0; i < t->count; i++) {
        t->scored[i].references = next;
        for (size_t k = t->sentences[i];
             next < t->scored[i].references + t->scored[i].reference_count; k++)
            if (p->items[k].same == t->sentences[i])
                *next++ = p->items[k].text[SAC_TARGET_SIDE];
    }
    return SAC_OK;
}

/* Translates the next sentence. */
static sac_status translate_next(trial *t, sac_model *model, const sac_result_request *how,
                                 sac_error *error)
{
    size_t index = t->sentences[t->done];
    sac_result translation = {0};
    sac_status status = encode_pair_source(model, &t->pairs->items[index], error);
    if (status == SAC_OK)
        status = sac_translation_generate(model, how, &translation, error);
    char *line = status == SAC_OK ? sac_result_make_line(&translation) : NULL;
    if (status == SAC_OK && !line)
        status = sac_no_memory(error, "pairs");
    if (status == SAC_OK) {
        t->exact += is_known_translation(t->pairs, index, &translation);
        t->scored[t->done++].candidate = line;
    }
    sac_result_free(&translation);
    return status;
}

sac_status sac_own_pairs_judge(sac_model *model, double *score, sac_error *error)
{
    enum { JUDGED = 200 };
    const sac_pairs *pairs = model->class->translating(model)->pairs;
    sac_translation_scores scores = {NAN, NAN};
    trial t;
    sac_status status = open_trial(pairs, true, false, JUDGED, &t, error);
    while (status == SAC_OK && t.done < t.count)
        status = translate_next(&t, model, &(sac_result_request){.beam = 1}, error);
    if (status == SAC_OK)
        status = sac_translation_score(t.scored, t.count, &scores, error);
    *score = scores.bleu / 100;
    free_trial(&t);
    return status;
}

/* ---------------------------------------------------------------- held-out pairs that the monitor shows */

enum { WATCHED = 48, SHOWN = 6, SHOWN_WORDS = 12 /* or else they are too small to be read */ };

typedef struct watched_pairs {
    const sac_pairs *pairs;
    size_t pair[WATCHED]; /* the short ones first */
} watched_pairs;

/* There is no picture; the truth is in words of the model, as what it generates is. */
static sac_status get_true_translation(void *self, int index, sac_image *picture, char *truth,
                                       size_t size, sac_error *error)
{
    const watched_pairs *w = self;
    const sac_pair *pair = &w->pairs->items[w->pair[index]];
    size_t used = 0;
    (void)picture, (void)error;
    truth[0] = '\0';
    for (int i = 0; i < pair->count[SAC_TARGET_SIDE] && used < size; i++)
        used += (size_t)snprintf(truth + used, size - used, "%s%s", i ? " " : "",
                                 sac_language_pair_word(w->pairs->languages, SAC_TARGET_SIDE,
                                                        pair->words[SAC_TARGET_SIDE][i]));
    return SAC_OK;
}

static sac_status encode(void *self, sac_model *model, int index, sac_error *error)
{
    const watched_pairs *w = self;
    return encode_pair_source(model, &w->pairs->items[w->pair[index]], error);
}

static bool is_exact(void *self, int index, const sac_result *translation)
{
    const watched_pairs *w = self;
    return is_known_translation(w->pairs, w->pair[index], translation);
}

sac_status sac_own_pairs_watch(const sac_model *model, sac_watched *watched, sac_error *error)
{
    const sac_pairs *p = model->class->translating((sac_model *)model)->pairs;
    watched_pairs *w = calloc(1, sizeof *w);
    int count = 0;
    if (!w)
        return sac_no_memory(error, "training");
    w->pairs = p;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < p->count && count < WATCHED; i++) {
            bool is_short = p->items[i].count[SAC_SOURCE_SIDE] <= SHOWN_WORDS;
            if (p->items[i].held && p->items[i].same == i && is_short == (pass == 0))
                w->pair[count++] = i;
        }
    *watched = (sac_watched){
        w, count, count < SHOWN ? count : SHOWN, get_true_translation, encode, is_exact, free};
    return SAC_OK;
}

/* ---------------------------------------------------------------- figures */

static void fill_report(const trial *t, const sac_translation_scores *scores, double milliseconds,
                        sac_evaluation_report *report)
{
    const sac_pairs *p = t->pairs;
    const sac_language_pair *l = p->languages;
    const char *names[] = {sac_language_pair_name(l, 0), sac_language_pair_name(l, 1)};
    size_t references = 0, words[SAC_SIDES] = {0}, unknown[SAC_SIDES] = {0};
    for (size_t i = 0; i < p->count; i++) {
        if (!t->place[p->items[i].same])
            continue;
        references++;
        for (int side = 0; side < SAC_SIDES; side++) {
            words[side] += (size_t)p->items[i].count[side];
            unknown[side] += (size_t)p->items[i].unknown[side];
        }
    }
    const struct {
        const char *key;
        double value;
    } all[] = {
        {"count", (double)t->count},
        {"references", (double)references},
        {"bleu", scores->bleu},
        {"chrf", scores->chrf},
        {"exact", (double)t->exact / (double)t->count},
        {"unknown.source", (double)unknown[0] / (double)words[0]},
        {"unknown.target", (double)unknown[1] / (double)words[1]},
    };
    *report = (sac_evaluation_report){.milliseconds = milliseconds};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sac_report_figure(report, all[i].key, all[i].value);
    sac_report_print(report, "%s to %s: %zu sentences with %zu translations\n\n", names[0],
                     names[1], t->count, references);
    sac_report_print(report, "  %-34s %8.2f\n", "BLEU", scores->bleu);
    sac_report_print(report, "  %-34s %8.2f\n", "chrF2", scores->chrf);
    sac_report_print(report, "  %-34s %8.3f\n", "share exactly right", all[4].value);
    for (int side = 0; side < SAC_SIDES; side++) {
        char what[64];
        snprintf(what, sizeof what, "share of %s words unknown", names[side]);
        sac_report_print(report, "  %-34s %8.3f\n", what, all[5 + side].value);
    }
}

static sac_status open_evaluated(sac_model *model, const sac_evaluation_options *o,
                                 sac_pairs *pairs, sac_error *error)
{
    sac_language_pair *own = model->class->translating(model)->languages;
    if (!o->pairs[0])
        return sac_fail(error, SAC_E_ARGUMENT, "evaluate",
                        "give --pairs, such as the file that it was trained on",
                        "the model was trained on sentence pairs of %s and %s",
                        sac_language_pair_name(own, 0), sac_language_pair_name(own, 1));
    const sac_pairs_options options = {.files = {o->pairs[0], o->pairs[1]}, .known = own};
    return sac_pairs_open(&options, pairs, error);
}

sac_status sac_own_pairs_evaluate(sac_model *model, const sac_evaluation_options *o,
                                  const sac_progress *progress, sac_evaluation_report *report,
                                  sac_error *error)
{
    sac_pairs pairs = {0};
    trial t = {0};
    double *milliseconds = NULL;
    sac_translation_scores scores;
    const char *split = o->split ? o->split : "val";
    const sac_result_request how = {.beam = o->beam, .penalty = o->penalty};
    bool all = strcmp(split, "all") == 0, held = strcmp(split, "val") == 0;
    sac_status status = open_evaluated(model, o, &pairs, error);
    if (status == SAC_OK)
        status = open_trial(&pairs, held, all, o->count ? o->count : SIZE_MAX, &t, error);
    if (status == SAC_OK && !(milliseconds = calloc(t.count + 1, sizeof *milliseconds)))
        status = sac_no_memory(error, "evaluate");
    while (status == SAC_OK && t.done < t.count) {
        double begun_at = sac_now();
        if (progress && !progress->step(progress->user, (double)t.done / (double)t.count))
            status = sac_fail(error, SAC_E_CANCELLED, "evaluate", NULL, "stopped on request");
        if (status == SAC_OK)
            status = translate_next(&t, model, &how, error);
        if (status == SAC_OK)
            milliseconds[t.done - 1] = 1e3 * (sac_now() - begun_at);
    }
    if (status == SAC_OK)
        status = sac_translation_score(t.scored, t.count, &scores, error);
    if (status == SAC_OK)
        fill_report(&t, &scores, sac_median(milliseconds, t.count), report);
    free(milliseconds);
    free_trial(&t);
    sac_pairs_free(&pairs);
    return status;
}
