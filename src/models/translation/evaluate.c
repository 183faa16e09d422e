/* Translations and alignments counted against the truth. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "models/model_class.h"
#include "sharing/ranks/ranks.h"
#include "translation/evaluate.h"
#include "translation/translation.h"

/* ---------------------------------------------------------------- the alignment of one sentence */

static bool is_linked(const sac_sentence_pair *pair, int word, int source)
{
    return pair->links[word] >> source & 1;
}

static void add_shuffled(sac_alignment_figures *f, const sac_sentence_pair *pair, int word,
                         const float *weights)
{
    int right = 0;
    for (int t = 0; t < pair->target_count; t++)
        right += t != word &&
                 is_linked(pair, word,
                           sac_heaviest(weights + t * pair->source_count, pair->source_count));
    if (pair->target_count < 2)
        return;
    f->shuffled += (double)right / (pair->target_count - 1);
    f->shuffled_words++;
}

void sac_alignment_add(sac_alignment_figures *f, const sac_sentence_pair *pair,
                       const float *weights)
{
    int source = pair->source_count, target = pair->target_count;
    for (int t = 0; t < target; t++) {
        const float *row = weights + t * source;
        if (!pair->links[t])
            continue;
        int links = __builtin_popcount(pair->links[t]);
        f->words++;
        f->right += is_linked(pair, t, sac_heaviest(row, source));
        f->diagonal += is_linked(pair, t, (2 * t + 1) * source / (2 * target));
        f->uniform += (double)links / source;
        add_shuffled(f, pair, t, weights);
        float enough = row[sac_heaviest(row, pair->source_count)] / 2;
        for (int i = 0; i < pair->source_count; i++) {
            bool claimed = row[i] > 0 && row[i] >= enough, is_true = is_linked(pair, t, i);
            f->claimed_links += claimed;
            f->true_links += is_true;
            f->common_links += claimed && is_true;
        }
    }
}

/* ---------------------------------------------------------------- sentences */

/* A sentence that is translated, and all that is needed to do so. */
typedef struct examination {
    sac_model *model;
    sac_word_list english, french;
    int beam;
    sac_length_penalty penalty;
} examination;

void sac_sentence_numbers(const sac_word_list *list, const char (*words)[SAC_SENTENCE_WORD_SIZE],
                          int count, int *numbers)
{
    for (int i = 0; i < count; i++)
        numbers[i] = sac_word_list_find(list, words[i]);
}

bool sac_translation_equals(const sac_result *translation, const int *words, int count)
{
    bool exact = translation->finished && translation->count == count;
    for (int i = 0; exact && i < count; i++)
        exact = translation->outputs[i].word == words[i];
    return exact;
}

/* The weights of the true translation, whose words are given. */
static sac_status add_given_translation(const examination *x, const sac_sentence_pair *pair,
                                        const int *words, sac_alignment_figures *figures,
                                        sac_error *error)
{
    sac_result translation;
    sac_result_request request = {.beam = 1, .prefix_count = pair->target_count};
    for (int t = 0; t < pair->target_count; t++)
        request.prefix[t] = words[t];
    sac_status status = sac_translation_generate(x->model, &request, &translation, error);
    if (status == SAC_OK)
        sac_alignment_add(figures, pair, translation.weights);
    sac_result_free(&translation);
    return status;
}

static void count_heads(const sac_attention_kind *k, const sac_sentence_pair *pair,
                        sac_head_figures *figures)
{
    size_t maps = k->layers * k->heads, most = SAC_REPORT_HEADS;
    figures->layers = k->layers;
    figures->heads = k->heads;
    for (int t = 0; t < pair->target_count; t++) {
        figures->words += pair->links[t] != 0;
        for (size_t map = 0; map < maps && map < most && pair->links[t]; map++) {
            const float *row = k->weights + (map * k->steps + (size_t)t) * k->positions;
            figures->right[map] += is_linked(pair, t, sac_heaviest(row, pair->source_count));
        }
    }
}

/* The heads that attend to the sentence, as the true translation is generated. */
static sac_status add_heads(const examination *x, const sac_sentence_pair *pair, const int *words,
                            sac_head_figures *figures, sac_error *error)
{
    sac_attentions attentions;
    if (!x->model->class->attentions)
        return SAC_OK;
    sac_status status =
        x->model->class->attentions(x->model, words, pair->target_count, &attentions, error);
    if (status == SAC_OK)
        count_heads(&attentions.kind[SAC_CROSS_ATTENTION], pair, figures);
    sac_attentions_free(&attentions);
    return status;
}

/* *seconds: of reading and translating it. */
static sac_status translate_and_score(const examination *x, uint64_t seed,
                                      sac_translation_evaluation *e, double *seconds,
                                      sac_error *error)
{
    sac_sentence_pair pair;
    sac_result translation = {0};
    sac_result_request request = {.beam = x->beam, .penalty = x->penalty};
    int source[SAC_SENTENCE_MOST], target[SAC_SENTENCE_TARGET_MOST];
    sac_sentence_make(SAC_TEXT_TEST, seed, &pair);
    sac_sentence_numbers(&x->english, pair.source, pair.source_count, source);
    sac_sentence_numbers(&x->french, pair.target, pair.target_count, target);
    double start = sac_now();
    sac_status status = sac_translation_read(x->model, source, pair.source_count, error);
    if (status == SAC_OK)
        status = sac_translation_generate(x->model, &request, &translation, error);
    *seconds = sac_now() - start;
    if (status == SAC_OK) {
        bool exact = sac_translation_equals(&translation, target, pair.target_count);
        bool longer = pair.source_count > SAC_SENTENCE_TRAINED_MOST;
        e->count++;
        e->exact += exact;
        e->unseen += pair.has_unseen_pair;
        e->exact_unseen += pair.has_unseen_pair && exact;
        e->longer += longer;
        e->exact_long += longer && exact;
        e->lengths.of[pair.source_count].count++;
        e->lengths.of[pair.source_count].exact += exact;
        e->attends = sac_translation_attends(x->model);
        if (exact && e->attends)
            sac_alignment_add(&e->alignment, &pair, translation.weights);
        else if (e->attends)
            status = add_given_translation(x, &pair, target, &e->alignment, error);
    }
    if (status == SAC_OK)
        status = add_heads(x, &pair, target, &e->heads, error);
    sac_result_free(&translation);
    return status;
}

typedef struct work {
    examination x;
    uint64_t first;
    size_t count;
    const sac_progress *progress;
    sac_translation_evaluation *sums;
    double *seconds; /* [count] */
    bool is_warm;
} work;

static sac_status examine_one(void *user, size_t item, sac_error *error)
{
    work *w = user;
    sac_translation_evaluation ignored = {0}; /* the first sentence loads kernels: no one's time */
    sac_translation_evaluation sums = *w->sums; /* nothing of one that fails counts */
    double seconds;
    if (w->progress && !w->progress->step(w->progress->user, (double)item / (double)w->count))
        return sac_fail(error, SAC_E_CANCELLED, "evaluate", NULL, "stopped on request");
    sac_status status =
        w->is_warm ? SAC_OK : translate_and_score(&w->x, w->first, &ignored, &seconds, error);
    w->is_warm = true;
    if (status == SAC_OK)
        status = translate_and_score(&w->x, w->first + item, &sums, &seconds, error);
    if (status == SAC_OK) {
        *w->sums = sums;
        w->seconds[item] = seconds;
    }
    return status;
}

/* What the model is like is known to the processes that had a sentence. */
static sac_status share_model_facts(sac_translation_evaluation *e, sac_error *error)
{
    enum { FACTS = 3 };
    size_t processes = (size_t)sac_ranks_count(), *all = calloc(processes, FACTS * sizeof *all);
    size_t mine[FACTS] = {e->attends, e->heads.layers, e->heads.heads};
    sac_status status = sac_ranks_agree(all ? SAC_OK : sac_no_memory(error, "evaluate"), error);
    if (status == SAC_OK)
        status = sac_ranks_share(mine, all, sizeof mine, error);
    for (size_t p = 0; status == SAC_OK && p < processes; p++) {
        const size_t *facts = all + FACTS * p;
        e->attends = e->attends || facts[0];
        e->heads.layers = facts[1] ? facts[1] : e->heads.layers;
        e->heads.heads = facts[2] ? facts[2] : e->heads.heads;
    }
    free(all);
    return status;
}

/* The sums of all processes, of which each translated some sentences. */
static sac_status sum_over_processes(sac_translation_evaluation *e, double *seconds, size_t count,
                                     sac_error *error)
{
    sac_alignment_figures *a = &e->alignment;
    double *numbers[] = {&a->right, &a->diagonal, &a->uniform, &a->shuffled};
    size_t *counts[12 + SAC_REPORT_HEADS + 2 * SAC_LENGTHS] = {
        &e->count,         &e->unseen,     &e->longer,       &e->exact,
        &e->exact_unseen,  &e->exact_long, &a->words,        &a->shuffled_words,
        &a->claimed_links, &a->true_links, &a->common_links, &e->heads.words};
    size_t used = 12;
    for (int i = 0; i < SAC_REPORT_HEADS; i++)
        counts[used++] = &e->heads.right[i];
    for (int i = 0; i < SAC_LENGTHS; i++) {
        counts[used++] = &e->lengths.of[i].count;
        counts[used++] = &e->lengths.of[i].exact;
    }
    sac_status status = share_model_facts(e, error);
    if (status == SAC_OK)
        status = sac_ranks_total(numbers, 4, counts, used, error);
    return status == SAC_OK ? sac_ranks_total_of(seconds, count, error) : status;
}

sac_status sac_translation_evaluate(sac_model *model, const sac_evaluation_options *options,
                                    const sac_progress *progress, sac_translation_evaluation *e,
                                    sac_error *error)
{
    size_t count = options->count ? options->count : 1000;
    double *seconds = calloc(count, sizeof *seconds);
    work w = {.x = {.model = model, .beam = options->beam, .penalty = options->penalty},
              .first = options->seed << 20,
              .count = count,
              .progress = progress,
              .sums = e,
              .seconds = seconds};
    *e = (sac_translation_evaluation){
        .lengths = {.unit = "words of the sentence", .trained_most = SAC_SENTENCE_TRAINED_MOST}};
    sac_status status = seconds ? sac_word_list_create(SAC_ENGLISH, &w.x.english, error)
                                : sac_no_memory(error, "evaluate");
    if (status == SAC_OK)
        status = sac_word_list_create(SAC_FRENCH, &w.x.french, error);
    status = sac_ranks_agree(status, error);
    if (status == SAC_OK)
        status = sac_ranks_each(count, examine_one, &w, error);
    if (status == SAC_OK)
        status = sum_over_processes(e, seconds, count, error);
    if (status == SAC_OK)
        e->milliseconds = 1e3 * sac_median(seconds, count);
    sac_word_list_free(&w.x.english);
    sac_word_list_free(&w.x.french);
    free(seconds);
    return status;
}

/* ---------------------------------------------------------------- the report */

/* NaN where it is a share of nothing. */
static double share(double part, size_t whole)
{
    return whole ? part / (double)whole : NAN;
}

static double error_rate(const sac_alignment_figures *a)
{
    return 1 - share(2 * (double)a->common_links, a->claimed_links + a->true_links);
}

static void add_figures(const sac_translation_evaluation *e, sac_evaluation_report *report)
{
    const sac_alignment_figures *a = &e->alignment;
    const struct {
        const char *key;
        double value;
    } all[] = {
        {"count", (double)e->count},
        {"exact", share((double)e->exact, e->count)},
        {"exact_unseen_pairs", share((double)e->exact_unseen, e->unseen)},
        {"exact_long", share((double)e->exact_long, e->longer)},
        {"alignment", share(a->right, a->words)},
        {"alignment_error_rate", error_rate(a)},
        {"baselines.diagonal", share(a->diagonal, a->words)},
        {"baselines.uniform", share(a->uniform, a->words)},
        {"baselines.shuffled", share(a->shuffled, a->shuffled_words)},
        {"unseen", (double)e->unseen},
        {"long", (double)e->longer},
        {"words", (double)a->words},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sac_report_figure(report, all[i].key, all[i].value);
}

/* A share of nothing is no number. */
static void print_share(sac_evaluation_report *report, const char *what, double value)
{
    if (isnan(value))
        sac_report_print(report, "  %-34s     none", what);
    else
        sac_report_print(report, "  %-34s %8.3f", what, value);
}

static void print_exact(sac_evaluation_report *report, const char *what, size_t exact, size_t count)
{
    print_share(report, what, share((double)exact, count));
    sac_report_print(report, "   of %zu sentences\n", count);
}

static void print_alignment(sac_evaluation_report *report, const char *what, double value)
{
    print_share(report, what, value);
    sac_report_print(report, "\n");
}

void sac_translation_report(const sac_translation_evaluation *e, sac_evaluation_report *report)
{
    const sac_alignment_figures *a = &e->alignment;
    *report = (sac_evaluation_report){.milliseconds = e->milliseconds, .lengths = e->lengths};
    add_figures(e, report);
    size_t maps = e->heads.layers * e->heads.heads;
    for (size_t i = 0; i < maps && i < SAC_REPORT_HEADS; i++) {
        report->head[i].layer = i / e->heads.heads;
        report->head[i].head = i % e->heads.heads;
        report->head[i].alignment = share((double)e->heads.right[i], e->heads.words);
        report->head_count = i + 1;
    }
    sac_report_print(report, "%-36s %8s\n", "translation exactly right", "share");
    print_exact(report, "all held-out sentences", e->exact, e->count);
    print_exact(report, "with a pair never trained on", e->exact_unseen, e->unseen);
    print_exact(report, "longer than all of training", e->exact_long, e->longer);
    if (!e->attends) {
        sac_report_print(report, "\nno attention: there is no alignment\n");
        return;
    }
    sac_report_print(report, "\n%-36s %8s\n", "heaviest source word is a right one", "share");
    print_alignment(report, "model", share(a->right, a->words));
    print_alignment(report, "the diagonal", share(a->diagonal, a->words));
    print_alignment(report, "a word at random", share(a->uniform, a->words));
    print_alignment(report, "the model's, words shuffled", share(a->shuffled, a->shuffled_words));
    sac_report_print(report, "  over %zu words; alignment error rate %.3f\n", a->words,
                     error_rate(a));
    /* A line for each layer, a column for each head. */
    if (report->head_count)
        sac_report_print(report, "\nthe same by each head that looks at the sentence");
    for (size_t i = 0; i < report->head_count; i++) {
        if (report->head[i].head == 0)
            sac_report_print(report, "\n  layer %zu ", report->head[i].layer);
        sac_report_print(report, " %.3f", report->head[i].alignment);
    }
    if (report->head_count)
        sac_report_print(report, "\n");
}
