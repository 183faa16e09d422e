/* An evaluation as figures for programs and as a table for people. */
#include <math.h>
#include <stdio.h>

#include "captioner/scenes/evaluate.h"
#include "models/report.h"

static void add_figures(const sac_evaluation *e, sac_evaluation_report *report)
{
    const struct {
        const char *key;
        double value;
    } all[] = {
        {"count", (double)e->count},
        {"exact", e->exact},
        {"exact_unseen_pairs", e->exact_unseen_pairs},
        {"names_right", e->named.right},
        {"names_right_unseen_pairs", e->named_unseen_pairs.right},
        {"things_right", e->things.right},
        {"things_right_unseen_pairs", e->things_unseen_pairs.right},
        {"pointing", e->pointings.model.pointing},
        {"mass_in_box", e->pointings.model.mass_in_box},
        {"baselines.uniform.pointing", e->pointings.uniform.pointing},
        {"baselines.uniform.mass_in_box", e->pointings.uniform.mass_in_box},
        {"baselines.centre.pointing", e->pointings.centre.pointing},
        {"baselines.centre.mass_in_box", e->pointings.centre.mass_in_box},
        {"baselines.shuffled.pointing", e->pointings.shuffled.pointing},
        {"baselines.shuffled.mass_in_box", e->pointings.shuffled.mass_in_box},
        {"seen", (double)e->seen},
        {"unseen", (double)e->unseen},
        {"words", (double)e->pointings.model.words},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sac_report_figure(report, all[i].key, all[i].value);
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

static void add_share(sac_evaluation_report *report, const char *what, double share, size_t count,
                      const char *of)
{
    char text[16];
    sac_report_print(report, "  %-28s %8s   of %zu %s\n", what, share_text(share, text), count, of);
}

static void add_pointing(sac_evaluation_report *report, const char *what, const sac_pointing *p)
{
    char pointing[16], mass[16];
    sac_report_print(report, "  %-28s %8s %12s\n", what, share_text(p->pointing, pointing),
                     share_text(p->mass_in_box, mass));
}

static void add_causal(const sac_evaluation *e, sac_evaluation_report *report)
{
    sac_report_figure(report, "causal.words", (double)e->causal_words);
    sac_report_figure(report, "causal.cells", e->causal_cells);
    sac_report_figure(report, "causal.changed", e->changed);
    sac_report_figure(report, "causal.changed_elsewhere", e->changed_elsewhere);
    sac_report_print(report, "\n%-30s %8s\n", "another word, where hidden are", "share");
    sac_report_print(report, "  %-28s %8.3f   %.1f cells\n", "the cells it looked at most",
                     e->changed, e->causal_cells);
    sac_report_print(report, "  %-28s %8.3f\n", "as many others", e->changed_elsewhere);
    sac_report_print(report, "  over %zu words of captions that are right\n", e->causal_words);
}

void sac_evaluation_fill_report(const sac_evaluation *e, sac_evaluation_report *report)
{
    static const char seen[] = "pairs seen in training", unseen[] = "pairs never trained on";
    *report = (sac_evaluation_report){.milliseconds = e->milliseconds};
    add_figures(e, report);
    sac_report_print(report, "%-30s %8s\n", "caption exactly right", "share");
    add_share(report, seen, e->exact, e->seen, "scenes");
    add_share(report, unseen, e->exact_unseen_pairs, e->unseen, "scenes");
    sac_report_print(report, "\nthings and colours found\n");
    add_share(report, seen, e->named.right, e->named.words, "words");
    add_share(report, unseen, e->named_unseen_pairs.right, e->named_unseen_pairs.words, "words");
    sac_report_print(report, "\nthings alone\n");
    add_share(report, seen, e->things.right, e->things.words, "words");
    add_share(report, unseen, e->things_unseen_pairs.right, e->things_unseen_pairs.words, "words");
    sac_report_print(report, "\n%-30s %8s %12s\n", "gaze of things and colours", "pointing",
                     "mass in box");
    add_pointing(report, "model", &e->pointings.model);
    add_pointing(report, "uniform heat", &e->pointings.uniform);
    add_pointing(report, "fixed on the centre", &e->pointings.centre);
    add_pointing(report, "the model's, words shuffled", &e->pointings.shuffled);
    sac_report_print(report, "  over %zu words\n", e->pointings.model.words);
    if (e->causal_words)
        add_causal(e, report);
}
