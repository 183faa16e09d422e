/* An evaluation as figures for programs and as a table for people. */
#include <math.h>
#include <stdio.h>

#include "models/report.h"
#include "translation/evaluate.h"

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
static void add_share(sac_evaluation_report *report, const char *what, double value)
{
    if (isnan(value))
        sac_report_print(report, "  %-34s     none", what);
    else
        sac_report_print(report, "  %-34s %8.3f", what, value);
}

static void add_exact(sac_evaluation_report *report, const char *what, size_t exact, size_t count)
{
    add_share(report, what, share((double)exact, count));
    sac_report_print(report, "   of %zu sentences\n", count);
}

static void add_alignment(sac_evaluation_report *report, const char *what, double value)
{
    add_share(report, what, value);
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
    add_exact(report, "all held-out sentences", e->exact, e->count);
    add_exact(report, "with a pair never trained on", e->exact_unseen, e->unseen);
    add_exact(report, "longer than all of training", e->exact_long, e->longer);
    if (!e->attends) {
        sac_report_print(report, "\nno attention: there is no alignment\n");
        return;
    }
    sac_report_print(report, "\n%-36s %8s\n", "heaviest source word is a right one", "share");
    add_alignment(report, "model", share(a->right, a->words));
    add_alignment(report, "the diagonal", share(a->diagonal, a->words));
    add_alignment(report, "a word at random", share(a->uniform, a->words));
    add_alignment(report, "the model's, words shuffled", share(a->shuffled, a->shuffled_words));
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
