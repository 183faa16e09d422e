/* The captioner's evaluation on scenes whose truth is known. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "captioner/scenes/evaluate.h"
#include "captioner/source/source.h"
#include "models/model_class.h"
#include "shapes/scene.h"
#include "sharing/ranks/ranks.h"
#include "sources/words/causal.h"

/* ---------------------------------------------------------------- sums */

static void count_pointing(sac_evaluation *e, const sac_result *caption, int i,
                           const sac_look *look)
{
    sac_place place = {.grid_w = caption->grid_w, .grid_h = caption->grid_h};
    assert(caption->grid_w * caption->grid_h <= SAC_PLACE_CELLS);
    sac_place_add(&place, look);
    sac_pointing_add(caption, i, &place, &e->pointings);
}

static void add_word_pointings(sac_evaluation *e, const sac_result *caption,
                               const sac_caption_truth *truth)
{
    sac_caption_mark marks[SAC_MAX_TOKENS];
    sac_caption_judge(caption, truth, marks);
    for (int i = 0; i < caption->count; i++) {
        if (!marks[i].names || marks[i].object < 0)
            continue;
        count_pointing(e, caption, i, &truth->object[marks[i].object].look);
    }
}

static void add_exact(sac_evaluation *e, bool exact, bool unseen)
{
    e->count++;
    unseen = unseen && !e->all_pairs;
    *(unseen ? &e->unseen : &e->seen) += 1;
    *(unseen ? &e->exact_unseen_pairs : &e->exact) += exact;
}

void sac_evaluation_add(sac_evaluation *e, const sac_result *caption,
                        const sac_caption_truth *truth, bool unseen)
{
    char text[SAC_MAX_TOKENS * sizeof caption->outputs->text];
    bool exact = caption->finished &&
                 strcmp(sac_result_text(caption, text, sizeof text), truth->caption) == 0;
    add_exact(e, exact, unseen);
    add_word_pointings(e, caption, truth);
}

static bool claim_unused_word(const sac_result *caption, int word, bool used[SAC_MAX_TOKENS])
{
    for (int i = 0; i < caption->count; i++)
        if (!used[i] && caption->outputs[i].word == word)
            return used[i] = true;
    return false;
}

static void add_name(sac_naming *named, bool right)
{
    named->words++;
    named->right += right;
}

/* Each word of the caption answers for one word of the truth at most. */
static void add_names(sac_evaluation *e, bool unseen, const sac_result *caption,
                      const sac_dataset *dataset, const int *word, int count)
{
    bool used[SAC_MAX_TOKENS] = {false};
    unseen = unseen && !e->all_pairs;
    for (int t = 0; t < count; t++) {
        if (!dataset->names(word[t]))
            continue;
        bool right = claim_unused_word(caption, word[t], used);
        add_name(unseen ? &e->named_unseen_pairs : &e->named, right);
        if (dataset->names_thing(word[t]))
            add_name(unseen ? &e->things_unseen_pairs : &e->things, right);
    }
}

void sac_evaluation_add_scene(sac_evaluation *e, const sac_result *caption,
                              const sac_dataset *dataset, const void *scene)
{
    int word[SAC_DATASET_WORDS], count = dataset->sentence(scene, word) - 1;
    bool exact = caption->finished && caption->count == count;
    bool unseen = dataset->has_unseen_pair(scene);
    for (int i = 0; i < caption->count && i < count; i++) {
        sac_look look;
        bool same = caption->outputs[i].word == word[i];
        dataset->look(scene, i, &look);
        exact = exact && same;
        if (same && dataset->names(word[i]) && look.count)
            count_pointing(e, caption, i, &look);
    }
    add_exact(e, exact, unseen);
    add_names(e, unseen, caption, dataset, word, count);
}

void sac_evaluation_divide_sums(sac_evaluation *e)
{
    sac_naming *const namings[] = {&e->named, &e->named_unseen_pairs, &e->things,
                                   &e->things_unseen_pairs};
    e->exact /= (double)e->seen;
    e->exact_unseen_pairs /= (double)e->unseen;
    e->changed /= (double)e->causal_words;
    e->changed_elsewhere /= (double)e->causal_words;
    e->causal_cells /= (double)e->causal_words;
    for (size_t i = 0; i < sizeof namings / sizeof *namings; i++)
        namings[i]->right /= (double)namings[i]->words;
    sac_pointing_average(&e->pointings);
}

/* ---------------------------------------------------------------- scenes */

/* Encodes a scene and generates its caption; *seconds is for both, without the drawing. */
static sac_status caption_scene(sac_captioner *captioner, const void *scene,
                                const sac_evaluation_options *options, sac_result *caption,
                                double *seconds, sac_error *error)
{
    sac_image image = {0};
    const sac_captioner_shape *shape = sac_captioner_get_shape(captioner);
    sac_result_request request = {.beam = options->beam, .penalty = options->penalty};
    sac_status status = sac_captioner_dataset(shape)->image(scene, shape->side, &image, error);
    double start = sac_now();
    if (status == SAC_OK)
        status = sac_captioner_encode_square(captioner, &image, error);
    if (status == SAC_OK)
        status = sac_captioner_generate(captioner, &request, caption, error);
    *seconds = sac_now() - start;
    sac_image_free(&image);
    return status;
}

static sac_status generate(void *self, const sac_result_request *request, sac_result *caption,
                           sac_error *error)
{
    return sac_captioner_generate(self, request, caption, error);
}

/* Asks again of the words of a caption that is exactly right that name a thing or its colour. */
static sac_status add_causal(sac_captioner *captioner, const sac_result *caption, uint64_t seed,
                             sac_evaluation *e, sac_error *error)
{
    sac_source source = {.self = captioner, .result.models = 1, .result.generate = generate};
    const sac_result_request request = {0};
    const sac_dataset *dataset = sac_captioner_dataset(sac_captioner_get_shape(captioner));
    sac_status status = SAC_OK;
    for (int i = 0; i < caption->count && status == SAC_OK; i++) {
        sac_causal c;
        if (!dataset->names(caption->outputs[i].word))
            continue;
        status = sac_causal_ask(&source, &request, caption, i, (uint32_t)seed, &c, error);
        if (status != SAC_OK || !c.draws)
            continue;
        e->causal_words++;
        e->changed += c.instead != SAC_CAUSAL_SAME;
        e->changed_elsewhere += (double)c.changed / c.draws;
        e->causal_cells += c.cells;
    }
    return status;
}

/* Of shapes a caption is judged by its phrases, so that the attention of wrong ones counts too. */
static void evaluate_caption(sac_evaluation *evaluation, const sac_result *caption,
                             const sac_dataset *dataset, const void *scene)
{
    if (dataset != sac_dataset_find("shapes")) {
        sac_evaluation_add_scene(evaluation, caption, dataset, scene);
        return;
    }
    int word[SAC_DATASET_WORDS], count = dataset->sentence(scene, word) - 1;
    bool unseen = dataset->has_unseen_pair(scene);
    sac_truth known;
    sac_caption_truth truth;
    sac_truth_of_scene(scene, &known);
    sac_captioner_truth(&known, &truth);
    sac_evaluation_add(evaluation, caption, &truth, unseen);
    add_names(evaluation, unseen, caption, dataset, word, count);
}

static sac_status evaluate_scene(sac_captioner *captioner, uint64_t seed,
                                 const sac_evaluation_options *options, sac_evaluation *evaluation,
                                 double *seconds, sac_error *error)
{
    double exact = evaluation->exact + evaluation->exact_unseen_pairs;
    const sac_dataset *dataset = sac_captioner_dataset(sac_captioner_get_shape(captioner));
    sac_result caption = {0};
    void *scene = malloc(dataset->scene_size);
    if (!scene)
        return sac_no_memory(error, "evaluate");
    dataset->make(options->varied ? SAC_STREAM_VARIED : SAC_STREAM_TEST, seed, scene);
    sac_status status = caption_scene(captioner, scene, options, &caption, seconds, error);
    if (status == SAC_OK)
        evaluate_caption(evaluation, &caption, dataset, scene);
    bool is_exact = evaluation->exact + evaluation->exact_unseen_pairs > exact;
    if (status == SAC_OK && options->causal && is_exact)
        status = add_causal(captioner, &caption, seed, evaluation, error);
    sac_result_free(&caption);
    free(scene);
    return status;
}

/* The sums of all processes, of which each looked at some scenes. */
static sac_status sum_over_processes(sac_evaluation *e, double *seconds, size_t count,
                                     sac_error *error)
{
    sac_pointings *p = &e->pointings;
    sac_pointing *points[] = {&p->model, &p->uniform, &p->centre, &p->shuffled};
    sac_naming *named[] = {&e->named, &e->named_unseen_pairs, &e->things, &e->things_unseen_pairs};
    double *numbers[24] = {&e->exact, &e->exact_unseen_pairs, &e->changed, &e->changed_elsewhere,
                           &e->causal_cells};
    size_t *counts[16] = {&e->count, &e->seen, &e->unseen, &e->causal_words};
    size_t used = 5, counted = 4;
    for (int i = 0; i < 4; i++) {
        counts[counted++] = &points[i]->words;
        counts[counted++] = &named[i]->words;
        numbers[used++] = &points[i]->pointing;
        numbers[used++] = &points[i]->mass_in_box;
        numbers[used++] = &named[i]->right;
    }
    sac_status status = sac_ranks_total(numbers, used, counts, counted, error);
    return status == SAC_OK ? sac_ranks_total_of(seconds, count, error) : status;
}

typedef struct work {
    sac_captioner *captioner;
    const sac_evaluation_options *options;
    const sac_progress *progress;
    size_t count;
    sac_evaluation *evaluation;
    double *seconds; /* [count] */
    bool is_warm;
} work;

/* The first picture is not timed: the device loads its kernels then. */
static sac_status warm_up(work *w, uint64_t seed, sac_error *error)
{
    sac_evaluation ignored = {0};
    double seconds;
    const sac_evaluation_options plain = {.beam = w->options->beam, .penalty = w->options->penalty};
    w->is_warm = true;
    return evaluate_scene(w->captioner, seed, &plain, &ignored, &seconds, error);
}

static sac_status evaluate_one(void *user, size_t item, sac_error *error)
{
    work *w = user;
    uint64_t first = w->options->seed << 20;
    sac_evaluation sums = *w->evaluation; /* nothing of a scene that fails counts */
    double seconds;
    if (w->progress && !w->progress->step(w->progress->user, (double)item / (double)w->count))
        return sac_fail(error, SAC_E_CANCELLED, "evaluate", NULL, "stopped on request");
    sac_status status = w->is_warm ? SAC_OK : warm_up(w, first, error);
    if (status == SAC_OK)
        status = evaluate_scene(w->captioner, first + item, w->options, &sums, &seconds, error);
    if (status == SAC_OK) {
        *w->evaluation = sums;
        w->seconds[item] = seconds;
    }
    return status;
}

sac_status sac_captioner_evaluate(sac_captioner *captioner, const sac_evaluation_options *options,
                                  const sac_progress *progress, sac_evaluation *evaluation,
                                  sac_error *error)
{
    size_t count = options->count ? options->count : 1000;
    *evaluation = (sac_evaluation){.all_pairs = sac_captioner_get_shape(captioner)->all_pairs};
    if (options->varied &&
        sac_captioner_dataset(sac_captioner_get_shape(captioner)) != sac_dataset_find("shapes"))
        return sac_fail(error, SAC_E_ARGUMENT, "--stream", "leave it out",
                        "the picture book has no varied scenes");
    double *seconds = calloc(count, sizeof *seconds);
    if (!seconds)
        return sac_no_memory(error, "evaluate");
    work w = {captioner, options, progress, count, evaluation, seconds, false};
    sac_status status = sac_ranks_each(count, evaluate_one, &w, error);
    if (status == SAC_OK)
        status = sum_over_processes(evaluation, seconds, count, error);
    if (status == SAC_OK) {
        sac_evaluation_divide_sums(evaluation);
        evaluation->milliseconds = 1e3 * sac_median(seconds, count);
    }
    free(seconds);
    return status;
}

/* ---------------------------------------------------------------- the report */

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

static void print_share(sac_evaluation_report *report, const char *what, double share, size_t count,
                        const char *of)
{
    char text[16];
    sac_report_print(report, "  %-28s %8s   of %zu %s\n", what, share_text(share, text), count, of);
}

static void print_pointing(sac_evaluation_report *report, const char *what, const sac_pointing *p)
{
    char pointing[16], mass[16];
    sac_report_print(report, "  %-28s %8s %12s\n", what, share_text(p->pointing, pointing),
                     share_text(p->mass_in_box, mass));
}

static void report_causal(const sac_evaluation *e, sac_evaluation_report *report)
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
    print_share(report, seen, e->exact, e->seen, "scenes");
    print_share(report, unseen, e->exact_unseen_pairs, e->unseen, "scenes");
    sac_report_print(report, "\nthings and colours found\n");
    print_share(report, seen, e->named.right, e->named.words, "words");
    print_share(report, unseen, e->named_unseen_pairs.right, e->named_unseen_pairs.words, "words");
    sac_report_print(report, "\nthings alone\n");
    print_share(report, seen, e->things.right, e->things.words, "words");
    print_share(report, unseen, e->things_unseen_pairs.right, e->things_unseen_pairs.words,
                "words");
    sac_report_print(report, "\n%-30s %8s %12s\n", "gaze of things and colours", "pointing",
                     "mass in box");
    print_pointing(report, "model", &e->pointings.model);
    print_pointing(report, "uniform heat", &e->pointings.uniform);
    print_pointing(report, "fixed on the centre", &e->pointings.centre);
    print_pointing(report, "the model's, words shuffled", &e->pointings.shuffled);
    sac_report_print(report, "  over %zu words\n", e->pointings.model.words);
    if (e->causal_words)
        report_causal(e, report);
}
