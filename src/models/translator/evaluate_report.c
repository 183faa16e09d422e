/* An evaluation as figures for programs and as a table for people. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "translator/evaluate.h"

static void add_figure(sac_evaluation_report *report, const char *key, double value)
{
    report->figure[report->count].key = key;
    report->figure[report->count++].value = value;
}

/* NaN where it is a share of nothing. */
static double share(double part, size_t whole)
{
    return whole ? part / (double)whole : NAN;
}

static double error_rate(const sac_alignment_figures *a)
{
    return 1 - share(2 * (double)a->common_links, a->claimed_links + a->true_links);
}

static void add_figures(const sac_translator_evaluation *e, sac_evaluation_report *report)
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
        add_figure(report, all[i].key, all[i].value);
}

/* A table that grows by lines. */
typedef struct table {
    char *text;
    size_t size, used;
} table;

static void add_line(table *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(t->text + t->used, t->size - t->used, format, arguments);
    va_end(arguments);
    t->used += length > 0 && (size_t)length < t->size - t->used ? (size_t)length : 0;
}

/* A share of nothing is no number. */
static void add_share(table *t, const char *what, double value)
{
    if (isnan(value))
        add_line(t, "  %-34s     none", what);
    else
        add_line(t, "  %-34s %8.3f", what, value);
}

static void add_exact(table *t, const char *what, size_t exact, size_t count)
{
    add_share(t, what, share((double)exact, count));
    add_line(t, "   of %zu sentences\n", count);
}

static void add_alignment(table *t, const char *what, double value)
{
    add_share(t, what, value);
    add_line(t, "\n");
}

void sac_translator_report(const sac_translator_evaluation *e, sac_evaluation_report *report)
{
    const sac_alignment_figures *a = &e->alignment;
    *report = (sac_evaluation_report){.milliseconds = e->milliseconds};
    table t = {report->table, sizeof report->table, 0};
    add_figures(e, report);
    add_line(&t, "%-36s %8s\n", "translation exactly right", "share");
    add_exact(&t, "all held-out sentences", e->exact, e->count);
    add_exact(&t, "with a pair never trained on", e->exact_unseen, e->unseen);
    add_exact(&t, "longer than all of training", e->exact_long, e->longer);
    if (!e->attends) {
        add_line(&t, "\nno attention: there is no alignment\n");
        return;
    }
    add_line(&t, "\n%-36s %8s\n", "heaviest source word is a right one", "share");
    add_alignment(&t, "model", share(a->right, a->words));
    add_alignment(&t, "the diagonal", share(a->diagonal, a->words));
    add_alignment(&t, "a word at random", share(a->uniform, a->words));
    add_alignment(&t, "the model's, words shuffled", share(a->shuffled, a->shuffled_words));
    add_line(&t, "  over %zu words; alignment error rate %.3f\n", a->words, error_rate(a));
}
