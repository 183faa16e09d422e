/* An evaluation as figures for programs and as a table for people. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "captioner/evaluate.h"

static void add_figure(sac_evaluation_report *report, const char *key, double value)
{
    report->figure[report->count].key = key;
    report->figure[report->count++].value = value;
}

static void add_figures(const sac_evaluation *e, sac_evaluation_report *report)
{
    const struct {
        const char *key;
        double value;
    } all[] = {
        {"count", (double)e->count},
        {"exact", e->exact},
        {"exact_unseen_pairs", e->exact_unseen_pairs},
        {"pointing", e->model.pointing},
        {"mass_in_box", e->model.mass_in_box},
        {"baselines.uniform.pointing", e->uniform.pointing},
        {"baselines.uniform.mass_in_box", e->uniform.mass_in_box},
        {"baselines.centre.pointing", e->centre.pointing},
        {"baselines.centre.mass_in_box", e->centre.mass_in_box},
        {"baselines.shuffled.pointing", e->shuffled.pointing},
        {"baselines.shuffled.mass_in_box", e->shuffled.mass_in_box},
        {"seen", (double)e->seen},
        {"unseen", (double)e->unseen},
        {"words", (double)e->model.words},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        add_figure(report, all[i].key, all[i].value);
}

/* A share of nothing is no number. */
static const char *share_text(double share, char text[16])
{
    if (isnan(share))
        snprintf(text, 16, "none");
    else
        snprintf(text, 16, "%.3f", share);
    return text;
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

static void add_exact(table *t, const char *what, double exact, size_t count)
{
    char text[16];
    add_line(t, "  %-28s %8s   of %zu scenes\n", what, share_text(exact, text), count);
}

static void add_pointing(table *t, const char *what, const sac_pointing *p)
{
    char pointing[16], mass[16];
    add_line(t, "  %-28s %8s %12s\n", what, share_text(p->pointing, pointing),
             share_text(p->mass_in_box, mass));
}

void sac_evaluation_fill_report(const sac_evaluation *e, sac_evaluation_report *report)
{
    *report = (sac_evaluation_report){.milliseconds = e->milliseconds};
    table t = {report->table, sizeof report->table, 0};
    add_figures(e, report);
    add_line(&t, "%-30s %8s\n", "caption exactly right", "share");
    add_exact(&t, "pairs seen in training", e->exact, e->seen);
    add_exact(&t, "pairs never trained on", e->exact_unseen_pairs, e->unseen);
    add_line(&t, "\n%-30s %8s %12s\n", "gaze of colours and shapes", "pointing", "mass in box");
    add_pointing(&t, "model", &e->model);
    add_pointing(&t, "uniform heat", &e->uniform);
    add_pointing(&t, "fixed on the centre", &e->centre);
    add_pointing(&t, "the model's, words shuffled", &e->shuffled);
    add_line(&t, "  over %zu words\n", e->model.words);
}
