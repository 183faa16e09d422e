#include "cli/commands/evaluate_pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/open/captioner.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text/printable.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/model_options.h"
#include "pictures/caption_scores.h"
#include "pictures/instances.h"
#include "pictures/picture_folder.h"
#include "pictures/pictures.h"
#include "pictures/rows.h"
#include "sharing/ranks/ranks.h"
#include "sources/words/pointing.h"

/* Captions of all pictures by one way to make them, and their scores. */
typedef struct captions_by {
    const char *key; /* in JSON */
    char title[40];  /* in the table */
    int beam;        /* 0: no model made them */
    char **captions; /* [pictures], plain; owned */
    sac_caption_scores scores;
    size_t scored; /* pictures that have a caption of it and one to compare with */
} captions_by;

enum { MOST_WAYS = 3 };

typedef struct evaluation {
    const cli_pictures_request *request;
    sac_pictures pictures; /* of the split alone */
    sac_instances instances;
    captions_by ways[MOST_WAYS];
    int way_count;
    size_t done;
    size_t naming, in_picture; /* words that name a category; those of a thing with boxes there */
    size_t unlike;             /* pictures with boxes of which the model sees only a part */
    /* Captions of the last way, of a model that knows its limits: all, those that it calls guesses, and
     * of these those of what is unlike its own. */
    size_t judged, guesses, strange;
    unsigned known; /* the kinds of map that the model has */
    sac_pointings pointings[SAC_ATTRIBUTIONS];
    double milliseconds;
    char device[512], title[1024];
    /* Where several processes share the pictures, what this one had: a line with a picture's number,
     * and one for each way. */
    FILE *lines;
} evaluation;

/* ---------------------------------------------------------------- pictures */

/* What is wrong with one picture, and not with the rest. */
static bool is_picture_failure(sac_status status)
{
    return status == SAC_E_FILE || status == SAC_E_FORMAT || status == SAC_E_SHAPE;
}

/* Those that were drawn to be held out and cannot be read: others take their places, as in training. */
static sac_status replace_unreadable_held_out(sac_pictures *p, sac_error *error)
{
    bool *is_read = calloc(p->count + 1, sizeof *is_read);
    sac_status status = is_read ? SAC_OK : sac_no_memory(error, "pictures");
    for (size_t i = 0; i < p->count && status == SAC_OK; i++) {
        sac_image image = {0};
        sac_error wrong = {0};
        if (p->items[i].split != SAC_SPLIT_VAL || is_read[i])
            continue;
        is_read[i] = !is_picture_failure(sac_image_load(p->items[i].path, &image, &wrong));
        sac_image_free(&image);
        if (!is_read[i]) {
            if (sac_ranks_me() == 0)
                (void)cli_report_now(&wrong);
            sac_pictures_drop_broken(p, i);
            memmove(is_read + i, is_read + i + 1, (p->count - i) * sizeof *is_read);
            i = (size_t)-1; /* the one that takes its place may stand before it */
        }
        status = sac_cancel_check("pictures", error);
    }
    free(is_read);
    return status;
}

/* Leaves the pictures of the split, at most `count`. */
static sac_status keep_pictures_of_split(evaluation *e, sac_error *error)
{
    const cli_pictures_request *r = e->request;
    sac_pictures *p = &e->pictures;
    sac_pictures_split split = SAC_SPLIT_VAL;
    bool all = r->split && strcmp(r->split, "all") == 0;
    if (r->split && !all)
        (void)sac_pictures_split_find(r->split, &split);
    if (p->sets[0].drawn && !all && split != SAC_SPLIT_TEST) {
        sac_status status = replace_unreadable_held_out(p, error);
        if (status != SAC_OK)
            return status;
    }
    for (size_t i = p->count; i-- > 0;)
        if (!all && p->items[i].split != split)
            sac_pictures_remove(p, i);
    if (!p->count)
        return sac_fail(error, SAC_E_ARGUMENT, "--split", "give another split, or all",
                        "no picture with captions is of the split %s",
                        sac_pictures_split_name(split));
    while (r->count && p->count > (size_t)r->count)
        sac_pictures_remove(p, p->count - 1);
    return SAC_OK;
}

static sac_status open_pictures(evaluation *e, sac_error *error)
{
    const cli_pictures_request *r = e->request;
    const sac_pictures_options options = {
        .sets = {{r->pictures, .captions = r->captions, .val = r->val, .test = r->test}}};
    char line[512];
    sac_status status = sac_pictures_open(&options, &e->pictures, error);
    if (status == SAC_OK)
        status = keep_pictures_of_split(e, error);
    if (status == SAC_OK && r->boxes)
        status = sac_instances_open(r->boxes, &e->instances, error);
    for (int i = 1;
         status == SAC_OK && sac_pictures_report_line(&e->pictures, i, line, sizeof line); i++)
        if (sac_ranks_me() == 0)
            sac_print(stderr, "saccade: %s\n", line);
    if (status == SAC_OK && e->instances.left_out && sac_ranks_me() == 0)
        sac_print(stderr, "saccade: left out: %zu boxes of no picture or category, or beside it\n",
                  e->instances.left_out);
    return status;
}

/* ---------------------------------------------------------------- captions */

static captions_by *add_caption_variant(evaluation *e, const char *key, int beam, const char *title)
{
    captions_by *by = &e->ways[e->way_count];
    *by = (captions_by){.key = key, .beam = beam};
    snprintf(by->title, sizeof by->title, "%s", title);
    by->captions = calloc(e->pictures.count, sizeof *by->captions);
    e->way_count += by->captions != NULL;
    return by->captions ? by : NULL;
}

/* A box of the picture's file, in the picture that the cells lie over. */
static sac_look box_in_shown_picture(const sac_source *source, const float box[4])
{
    const float *file = source->picture.file_box;
    sac_look look = {.count = 1};
    for (int k = 0; k < 4; k++) {
        float low = file[k % 2], high = file[k % 2 + 2];
        look.box[0][k] = fminf(1, fmaxf(0, low + box[k] * (high - low)));
    }
    return look;
}

/* The words of a caption that name a thing with boxes in this picture. */
static void count_pointing(evaluation *e, const sac_source *source, const sac_result *caption,
                           const sac_instances_of_picture *of)
{
    const bool is_first = caption->attribution == SAC_ATTRIBUTION_RAW;
    for (int i = 0; i < caption->count; i++) {
        char word[64];
        if (sac_result_goes_on(caption, i) || caption->grid_w * caption->grid_h > SAC_PLACE_CELLS)
            continue;
        char *plain = sac_caption_plain(sac_result_word_of(caption, i, word, sizeof word));
        int category = plain ? sac_instances_category(&e->instances, plain) : -1;
        free(plain);
        if (category < 0)
            continue;
        sac_place place = {.grid_w = caption->grid_w, .grid_h = caption->grid_h};
        bool there = false;
        for (int k = 0; k < of->count; k++)
            if (of->list[k].category == category) {
                const sac_look look = box_in_shown_picture(source, of->list[k].box);
                sac_place_add(&place, &look);
                there = true;
            }
        e->naming += is_first;
        e->in_picture += is_first && there;
        if (there)
            sac_pointing_add(caption, i, &place, &e->pointings[caption->attribution]);
    }
}

/* The same words, with maps of each other kind. */
static sac_status count_other_attributions(evaluation *e, int beam, sac_source *source,
                                           const sac_instances_of_picture *boxes, sac_error *error)
{
    sac_status status = SAC_OK;
    for (int a = 1; a < SAC_ATTRIBUTIONS && status == SAC_OK; a++) {
        const sac_result_request request = {
            .beam = beam, .penalty = e->request->penalty, .attribution = (sac_attribution)a};
        sac_result caption = {0};
        if (!sac_attribution_is_known(e->known, request.attribution))
            continue;
        status = sac_source_generate(source, &request, &caption, error);
        if (status == SAC_OK)
            count_pointing(e, source, &caption, boxes);
        sac_result_free(&caption);
    }
    return status;
}

static sac_status caption_by_variant(evaluation *e, captions_by *by, sac_source *source,
                                     size_t index, const sac_instances_of_picture *boxes,
                                     sac_error *error)
{
    const sac_result_request request = {.beam = by->beam, .penalty = e->request->penalty};
    sac_result caption = {0};
    sac_status status = sac_source_generate(source, &request, &caption, error);
    if (status != SAC_OK)
        return status;
    char *joined = sac_result_make_line(&caption);
    by->captions[index] = joined ? sac_caption_plain(joined) : NULL;
    free(joined);
    if (boxes)
        count_pointing(e, source, &caption, boxes);
    const bool is_last = by == &e->ways[e->way_count - 1];
    e->judged += is_last && caption.knows_unlike;
    e->guesses += is_last && caption.is_doubtful;
    e->strange += is_last && caption.is_unlike;
    sac_result_free(&caption);
    if (boxes && by->captions[index])
        status = count_other_attributions(e, by->beam, source, boxes, error);
    return by->captions[index] ? status : sac_no_memory(error, "captions");
}

/* All ways of one picture; boxes are for the last of them. */
static sac_status caption_picture(evaluation *e, sac_source *source, size_t index, sac_error *error)
{
    const sac_captioned_picture *item = &e->pictures.items[index];
    const sac_instances_of_picture *boxes = sac_instances_find(&e->instances, item->name);
    bool placed = source->picture.file_box[2] > source->picture.file_box[0];
    sac_status status = SAC_OK;
    e->unlike += boxes && !placed;
    for (int i = 0; i < e->way_count && status == SAC_OK; i++)
        if (e->ways[i].beam)
            status = caption_by_variant(e, &e->ways[i], source, index,
                                        placed && i + 1 == e->way_count ? boxes : NULL, error);
    return status;
}

static sac_status open_captioner(evaluation *e, const char ***paths, sac_source *source,
                                 sac_error *error)
{
    sac_pictures *p = &e->pictures;
    sac_image first = {0};
    /* A pretrained model begins with the first, so that has to be one that opens. */
    while (p->count && is_picture_failure(sac_image_load(p->items[0].path, &first, error))) {
        if (sac_ranks_me() == 0) /* all meet it */
            (void)cli_report_now(error);
        sac_pictures_drop_broken(p, 0);
    }
    const char *dataset = e->request->dataset;
    if (p->count && !dataset && !e->request->weights)
        dataset = app_dataset_of_picture(p->items[0].path, &first);
    sac_image_free(&first);
    if (!p->count)
        return sac_fail(error, SAC_E_FILE, e->request->pictures, "give pictures that open",
                        "none of the pictures with captions can be opened");
    *paths = calloc(p->count, sizeof **paths);
    if (!*paths)
        return sac_no_memory(error, "pictures");
    for (size_t i = 0; i < p->count; i++)
        (*paths)[i] = p->items[i].path;
    const app_request request = {.weights = e->request->weights,
                                 .spec.storage = e->request->storage,
                                 .device = cli_own_device(e->request->device)};
    app_captioner captioner = {.request = &request,
                               .dataset = dataset,
                               .chosen = true, /* what is wrong with a caption is not reported */
                               .pictures = *paths,
                               .picture_count = (int)p->count,
                               .picture = -1};
    sac_status status = app_captioner_open(&captioner, source, error);
    snprintf(e->title, sizeof e->title, "%s", captioner.opened);
    return status;
}

static sac_status add_broken_to_skipped(evaluation *e, size_t index, sac_error *error)
{
    return sac_pictures_skip_add(&e->pictures.sets[0].skipped[SAC_SKIP_BROKEN],
                                 e->pictures.items[index].name)
               ? SAC_OK
               : sac_no_memory(error, "pictures");
}

/* What stands for the caption of a picture that could not be opened; no caption equals it. */
#define BROKEN "\1"

/* Takes the captions of another process. */
static sac_status parse_captions_of_process(evaluation *e, char *text, sac_error *error)
{
    while (*text) {
        size_t i = strtoul(text, &text, 10);
        for (int w = 0; w < e->way_count; w++) {
            size_t length = strcspn(++text, "\n");
            bool is_broken = strncmp(text, BROKEN, 1) == 0;
            sac_status status = SAC_OK;
            if (!is_broken && !(e->ways[w].captions[i] = strndup(text, length)))
                status = sac_no_memory(error, "captions");
            else if (is_broken && w == 0)
                status = add_broken_to_skipped(e, i, error);
            if (status != SAC_OK)
                return status;
            text += length;
        }
        text++;
    }
    return SAC_OK;
}

/* Each process captioned some pictures: all get all captions and counts. */
static sac_status merge_process_results(evaluation *e, const char *mine, sac_error *error)
{
    enum { BASELINES = 4, OWN = 7, ALL = SAC_ATTRIBUTIONS * BASELINES };
    double *numbers[2 * ALL];
    size_t *counts[OWN + ALL] = {&e->done,   &e->naming,  &e->in_picture, &e->unlike,
                                 &e->judged, &e->guesses, &e->strange};
    int processes = sac_ranks_count();
    for (int i = 0; i < ALL; i++) {
        sac_pointings *p = &e->pointings[i / BASELINES];
        sac_pointing *points[BASELINES] = {&p->model, &p->uniform, &p->centre, &p->shuffled};
        numbers[2 * i] = &points[i % BASELINES]->pointing;
        numbers[2 * i + 1] = &points[i % BASELINES]->mass_in_box;
        counts[OWN + i] = &points[i % BASELINES]->words;
    }
    char **texts = calloc((size_t)processes, sizeof *texts);
    sac_status status = texts ? SAC_OK : sac_no_memory(error, "captions");
    status = sac_ranks_agree(status, error);
    if (status == SAC_OK)
        status = sac_ranks_total(numbers, 2 * ALL, counts, OWN + ALL, error);
    if (status == SAC_OK)
        status = sac_ranks_collect(mine, texts, error);
    for (int i = 0; texts && i < processes; i++) {
        if (status == SAC_OK && i != sac_ranks_me())
            status = parse_captions_of_process(e, texts[i], error);
        free(texts[i]);
    }
    free(texts);
    return status;
}

typedef struct work {
    evaluation *e;
    sac_source *source;
    sac_progress progress;
} work;

/* A picture that cannot be opened is reported, and has no caption. */
static sac_status caption_one(void *user, size_t item, sac_error *error)
{
    work *w = user;
    evaluation *e = w->e, before = *e;
    size_t count = e->pictures.count;
    if (!w->progress.step(w->progress.user, (double)item / (double)count))
        return sac_fail(error, SAC_E_CANCELLED, "evaluate", NULL,
                        "stopped on request after %zu of %zu pictures", item, count);
    sac_status status = sac_source_turn_to_example(w->source, (int)item, error);
    if (is_picture_failure(status)) {
        cli_progress_clear();
        (void)cli_report_now(error);
        status = add_broken_to_skipped(e, item, error);
    } else if (status == SAC_OK) {
        status = caption_picture(e, w->source, item, error);
        e->done += status == SAC_OK;
    }
    if (status != SAC_OK) /* it is handed to another process */
        *e = before;
    else if (e->lines)
        fprintf(e->lines, "%zu\n", item);
    for (int i = 0; i < e->way_count; i++) {
        char **caption = &e->ways[i].captions[item];
        if (status == SAC_OK && e->lines)
            fprintf(e->lines, "%s\n", *caption ? *caption : BROKEN);
        if (status == SAC_OK)
            continue;
        free(*caption);
        *caption = NULL;
    }
    return status;
}

static sac_status caption_all(evaluation *e, sac_error *error)
{
    sac_source source = {0};
    const char **paths = NULL;
    char *lines = NULL;
    size_t size;
    sac_status status = open_captioner(e, &paths, &source, error);
    int beam = e->request->beam;
    double begun = sac_now();
    char title[40];
    if (status == SAC_OK) {
        e->known = source.result.attributions;
        int width = beam ? beam : sac_source_beam(&source);
        const sac_length_penalty penalty = e->request->penalty;
        if (penalty.given)
            snprintf(title, sizeof title, "beam %d, log p / n^%.3g", width, (double)penalty.value);
        else
            snprintf(title, sizeof title, "beam %d", width);
        status = cli_penalty_check_beam(&penalty, beam, width, error);
        if (status == SAC_OK && ((beam < 2 && !add_caption_variant(e, "greedy", 1, "greedy")) ||
                                 (width > 1 && !add_caption_variant(e, "beam", width, title))))
            status = sac_no_memory(error, "captions");
    }
    if (status == SAC_OK && sac_ranks_count() > 1 && !(e->lines = open_memstream(&lines, &size)))
        status = sac_no_memory(error, "captions");
    status = cli_inputs_agree(status, error);
    work w = {e, &source, cli_progress("pictures")};
    if (status == SAC_OK)
        status = sac_ranks_each(e->pictures.count, caption_one, &w, error);
    cli_progress_clear();
    if (e->lines) {
        bool is_whole = fclose(e->lines) == 0;
        if (status == SAC_OK)
            status = sac_ranks_agree(is_whole ? SAC_OK : sac_no_memory(error, "captions"), error);
        if (status == SAC_OK)
            status = merge_process_results(e, lines, error);
    }
    free(lines);
    e->milliseconds = e->done ? 1000 * (sac_now() - begun) / (double)e->done : 0;
    snprintf(e->device, sizeof e->device, "%s", source.origin.device);
    cli_write_device_names(e->device, sizeof e->device);
    sac_source_destroy(&source);
    free(paths);
    return status;
}

/* What sentences may call the pictures: files by their names, and ids by the number of their picture. */
typedef struct picture_names {
    sac_picture_folder files;
    sac_text_table ids;
    bool has_ids;
} picture_names;

static sac_status index_picture_names(const evaluation *e, picture_names *names, sac_error *error)
{
    for (size_t i = 0; i < e->pictures.count; i++) {
        const sac_captioned_picture *item = &e->pictures.items[i];
        char own[32]; /* so that every picture has a number there */
        snprintf(own, sizeof own, "\n%zu", i);
        const char *id = item->id ? item->id : own;
        names->has_ids = names->has_ids || item->id;
        if (!sac_picture_folder_add(&names->files, item->name) ||
            sac_text_table_add(&names->ids, id, strlen(id)) < 0)
            return sac_no_memory(error, "captions");
        if (names->files.files.count == (int)i)
            return sac_fail(error, SAC_E_ARGUMENT, item->path, "give pictures of different names",
                            "has the name of a picture in another folder");
        if (names->ids.count == (int)i)
            return sac_fail(error, SAC_E_ARGUMENT, item->path, "give pictures of different ids",
                            "has the id %s of another picture", id);
    }
    return SAC_OK;
}

/* The picture that a sentence is of: by the id that the captions have, else by its name, or where none has
 * an id by a number in it. SAC_NO_FILE, SAC_SEVERAL_FILES. */
static int find_picture_of_row(picture_names *names, const sac_caption_row *row)
{
    int picture = row->is_id ? sac_text_table_find(&names->ids, row->name, strlen(row->name)) : -1;
    if (picture < 0)
        picture = row->is_id && !names->has_ids
                      ? sac_picture_folder_find_id(&names->files, row->name)
                      : sac_picture_folder_find(&names->files, row->name);
    return picture != SAC_NO_FILE || row->is_id
               ? picture
               : sac_text_table_find(&names->ids, row->name, strlen(row->name));
}

/* Captions out of a file, under the names or ids of pictures; the first of each counts. */
static sac_status read_sentences(evaluation *e, sac_error *error)
{
    const char *path = e->request->sentences;
    picture_names names = {0};
    sac_caption_rows rows = {0};
    captions_by *by = add_caption_variant(e, "sentences", 0, "sentences");
    sac_status status = by ? index_picture_names(e, &names, error) : sac_no_memory(error, path);
    if (status == SAC_OK)
        status = sac_caption_rows_load(path, false, &rows, error);
    for (size_t i = 0; i < rows.count && status == SAC_OK; i++) {
        int picture = find_picture_of_row(&names, &rows.rows[i]);
        if (picture == SAC_SEVERAL_FILES)
            status = sac_fail(error, SAC_E_ARGUMENT, path, "give the whole name",
                              "\"%s\" may be several of the pictures", rows.rows[i].name);
        if (picture < 0 || by->captions[picture] || !rows.rows[i].caption)
            continue;
        by->captions[picture] = sac_caption_plain(rows.rows[i].caption);
        e->done++;
        if (!by->captions[picture])
            status = sac_no_memory(error, path);
    }
    char note[320];
    if (status == SAC_OK && sac_picture_folder_case_note(&names.files, note, sizeof note))
        sac_print(stderr, "saccade: %s: %s\n", path, note);
    if (status == SAC_OK && !e->done)
        status = sac_fail(error, SAC_E_ARGUMENT, path, "give captions of the pictures",
                          "has no caption of a picture of the split");
    sac_caption_rows_free(&rows);
    sac_picture_folder_free(&names.files);
    sac_text_table_free(&names.ids);
    snprintf(e->title, sizeof e->title, "%s", path);
    return status;
}

/* ---------------------------------------------------------------- scores */

/* A person's first caption of the same pictures against the others: what people agree on. */
static sac_status add_human_captions(evaluation *e, sac_error *error)
{
    const captions_by *first = &e->ways[0];
    captions_by *by = add_caption_variant(e, "people", 0, "a person's, by the others");
    bool done = by != NULL;
    for (size_t i = 0; i < e->pictures.count && done; i++) {
        const sac_captioned_picture *item = &e->pictures.items[i];
        if (item->caption_count > 1 && first->captions[i])
            done = (by->captions[i] = strdup(item->captions[0].plain)) != NULL;
    }
    return done ? SAC_OK : sac_no_memory(error, "captions");
}

/* ---------------------------------------------------------------- the report */

static const char *split_of(const evaluation *e)
{
    return e->request->split ? e->request->split : "val";
}

static void print_pointing(const char *what, const sac_pointing *p)
{
    if (p->words)
        sac_print(stdout, "  %-28s %8.3f %12.3f\n", what, p->pointing, p->mass_in_box);
    else
        sac_print(stdout, "  %-28s %8s %12s\n", what, "none", "none");
}

static void print_table(const evaluation *e)
{
    sac_print(stdout, "captioner (%s) on %zu pictures, split %s", e->title, e->done, split_of(e));
    if (e->device[0])
        sac_print(stdout, ", on %s: %.1f ms a picture", e->device, e->milliseconds);
    sac_print(stdout, "\n\n%-30s %7s %7s %7s %7s %8s %7s %8s %7s\n", "scores × 100", "BLEU-1",
              "BLEU-2", "BLEU-3", "BLEU-4", "ROUGE-L", "METEOR", "CIDEr-D", "words");
    for (int i = 0; i < e->way_count; i++) {
        const sac_caption_scores *s = &e->ways[i].scores;
        if (!e->ways[i].scored)
            continue;
        sac_print(stdout, "  %-28s", e->ways[i].title);
        for (int n = 0; n < 4; n++)
            sac_print(stdout, " %7.1f", 100 * s->bleu[n]);
        sac_print(stdout, " %8.1f %7.1f %8.1f %7zu\n", 100 * s->rouge_l, 100 * s->meteor,
                  100 * s->cider_d, s->words);
    }
    if (e->judged)
        sac_print(stdout, "\n%zu of %zu captions are called guesses, %zu of them as unlike\n",
                  e->guesses, e->judged, e->strange);
    if (!e->request->boxes || e->request->sentences)
        return;
    sac_print(stdout, "\n%-30s %8s %12s\n", "gaze of nouns with boxes", "pointing", "mass in box");
    print_pointing(e->known ? "model, raw attention" : "model", &e->pointings[0].model);
    for (int a = 1; a < SAC_ATTRIBUTIONS; a++) {
        char title[40];
        snprintf(title, sizeof title, "model, %s", sac_attribution_names[a]);
        if (sac_attribution_is_known(e->known, (sac_attribution)a))
            print_pointing(title, &e->pointings[a].model);
    }
    print_pointing("uniform heat", &e->pointings[0].uniform);
    print_pointing("fixed on the centre", &e->pointings[0].centre);
    print_pointing("the model's, words shuffled", &e->pointings[0].shuffled);
    sac_print(stdout, "  over %zu of %zu words that name a category\n", e->in_picture, e->naming);
    if (e->unlike)
        sac_print(stdout, "  left out: %zu pictures of which the model sees only a part\n",
                  e->unlike);
}

static void add_pointing(cJSON *to, const sac_pointing *p)
{
    cJSON_AddNumberToObject(to, "pointing", p->pointing);
    cJSON_AddNumberToObject(to, "mass_in_box", p->mass_in_box);
}

static void add_gaze_json(const evaluation *e, cJSON *root)
{
    const struct {
        const char *name;
        const sac_pointing *of;
    } baselines[] = {{"uniform", &e->pointings[0].uniform},
                     {"centre", &e->pointings[0].centre},
                     {"shuffled", &e->pointings[0].shuffled}};
    cJSON *gaze = cJSON_AddObjectToObject(root, "gaze");
    cJSON_AddNumberToObject(gaze, "words", (double)e->in_picture);
    cJSON_AddNumberToObject(gaze, "naming", (double)e->naming);
    cJSON_AddNumberToObject(gaze, "pictures_not_whole", (double)e->unlike);
    add_pointing(gaze, &e->pointings[0].model);
    cJSON *maps = e->known ? cJSON_AddObjectToObject(gaze, "maps") : NULL;
    for (int a = 0; maps && a < SAC_ATTRIBUTIONS; a++)
        if (sac_attribution_is_known(e->known, (sac_attribution)a))
            add_pointing(cJSON_AddObjectToObject(maps, sac_attribution_names[a]),
                         &e->pointings[a].model);
    cJSON *all = cJSON_AddObjectToObject(gaze, "baselines");
    for (size_t i = 0; i < sizeof baselines / sizeof *baselines; i++)
        add_pointing(cJSON_AddObjectToObject(all, baselines[i].name), baselines[i].of);
}

static void print_json(const evaluation *e)
{
    static const char *const bleu[] = {"bleu_1", "bleu_2", "bleu_3", "bleu_4"};
    static const char *const skips[SAC_SKIPS] = {"missing", "captionless", "broken",
                                                 "empty",   "rows",        "split"};
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "pictures", (double)e->done);
    cJSON_AddStringToObject(root, "split", split_of(e));
    for (int i = 0; i < e->way_count; i++) {
        const captions_by *by = &e->ways[i];
        cJSON *of = cJSON_AddObjectToObject(root, by->key);
        if (by->beam > 1)
            cJSON_AddNumberToObject(of, "width", by->beam);
        if (by->beam > 1 && e->request->penalty.given)
            cJSON_AddNumberToObject(of, "length_penalty", (double)e->request->penalty.value);
        cJSON_AddNumberToObject(of, "pictures", (double)by->scored);
        for (int n = 0; n < 4; n++)
            cJSON_AddNumberToObject(of, bleu[n], by->scores.bleu[n]);
        cJSON_AddNumberToObject(of, "rouge_l", by->scores.rouge_l);
        cJSON_AddNumberToObject(of, "meteor", by->scores.meteor);
        cJSON_AddNumberToObject(of, "cider_d", by->scores.cider_d);
        cJSON_AddNumberToObject(of, "words", (double)by->scores.words);
    }
    if (e->judged) {
        cJSON_AddNumberToObject(root, "guesses", (double)e->guesses);
        cJSON_AddNumberToObject(root, "unlike", (double)e->strange);
    }
    if (e->request->boxes && !e->request->sentences)
        add_gaze_json(e, root);
    cJSON *left_out = cJSON_AddObjectToObject(root, "left_out");
    for (int i = 0; i < SAC_SKIPS; i++)
        cJSON_AddNumberToObject(left_out, skips[i], (double)e->pictures.sets[0].skipped[i].count);
    if (e->device[0]) {
        cJSON_AddNumberToObject(root, "ms", e->milliseconds);
        cJSON_AddStringToObject(root, "device", e->device);
    }
    cJSON_AddStringToObject(root, e->request->sentences ? "sentences_file" : "weights", e->title);
    cli_print_json(root);
}

/* ---------------------------------------------------------------- COCO's results */

/* By the id in the file of captions, or the one that names of COCO's own end in; else by its name. */
static cJSON *image_id_json(const sac_captioned_picture *item)
{
    enum { DIGITS = 12 };
    const char *dot = strrchr(item->name, '.'), *end = dot ? dot : item->name + strlen(item->name);
    const bool is_numbered =
        !item->id && end - item->name >= DIGITS && strspn(end - DIGITS, "0123456789") == DIGITS;
    const char *id = item->id ? item->id : is_numbered ? end - DIGITS : item->name;
    char *rest;
    const double number = strtod(id, &rest);
    return *id && (rest == end || !*rest) && strspn(id, "0123456789") == (size_t)(rest - id) &&
                   number < 1e15
               ? cJSON_CreateNumber(number)
               : cJSON_CreateString(id);
}

/* The captions of the model's last way, which is its own, or those that were given. */
static sac_status write_results(const evaluation *e, sac_error *error)
{
    const captions_by *by = NULL;
    sac_output output = {0};
    for (int i = 0; i < e->way_count; i++)
        by = strcmp(e->ways[i].key, "people") != 0 ? &e->ways[i] : by;
    if (!e->request->results || !by || sac_ranks_me() != 0)
        return SAC_OK;
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < e->pictures.count; i++) {
        cJSON *result = by->captions[i] ? cJSON_CreateObject() : NULL;
        if (!result)
            continue;
        cJSON_AddItemToObject(result, "image_id", image_id_json(&e->pictures.items[i]));
        cJSON_AddStringToObject(result, "caption", by->captions[i]);
        cJSON_AddItemToArray(list, result);
    }
    char *text = cli_json_is_out_of_memory() ? NULL : cJSON_PrintUnformatted(list);
    cJSON_Delete(list);
    sac_status status = text ? sac_output_open(&output, e->request->results, error)
                             : sac_no_memory(error, e->request->results);
    if (status == SAC_OK) {
        fprintf(output.file, "%s\n", text);
        status = sac_output_commit(&output, error);
    }
    sac_output_discard(&output);
    free(text);
    return status;
}

/* ---------------------------------------------------------------- all of it */

int cli_pictures_check(const cli_pictures_request *r)
{
    sac_pictures_split split;
    if (!r->pictures) {
        const struct {
            const char *name, *value;
        } needing[] = {{"--captions", r->captions}, {"--val", r->val},
                       {"--test", r->test},         {"--split", r->split},
                       {"--boxes", r->boxes},       {"--sentences", r->sentences},
                       {"--results", r->results}};
        for (size_t i = 0; i < sizeof needing / sizeof *needing; i++)
            if (needing[i].value)
                return cli_usage(needing[i].name, "needs pictures", "add --pictures FOLDER");
        return CLI_DONE;
    }
    if (r->split && strcmp(r->split, "all") != 0 && !sac_pictures_split_find(r->split, &split))
        return cli_usage("--split", "unknown split", "give train, val, test or all");
    if (r->sentences && (r->weights || r->dataset || r->boxes))
        return cli_usage("--sentences", "is scored without a model",
                         "leave out --weights, --dataset and --boxes");
    return CLI_DONE;
}

int cli_pictures_evaluate(const cli_pictures_request *request)
{
    evaluation e = {.request = request};
    sac_error error = {0};
    sac_status status = request->results ? sac_output_check(request->results, &error) : SAC_OK;
    if (status == SAC_OK)
        status = open_pictures(&e, &error);
    if (status == SAC_OK)
        status = request->sentences ? read_sentences(&e, &error) : caption_all(&e, &error);
    if (status == SAC_OK)
        status = add_human_captions(&e, &error);
    for (int i = 0; i < e.way_count && status == SAC_OK; i++)
        status = sac_pictures_score(&e.pictures, e.ways[i].captions,
                                    strcmp(e.ways[i].key, "people") == 0, /* the one scored */
                                    &e.ways[i].scores, &e.ways[i].scored, &error);
    for (int a = 0; a < SAC_ATTRIBUTIONS; a++)
        sac_pointing_average(&e.pointings[a]);
    if (status == SAC_OK)
        status = write_results(&e, &error);
    if (status == SAC_OK && request->json)
        print_json(&e);
    else if (status == SAC_OK)
        print_table(&e);
    for (int i = 0; i < e.way_count; i++) {
        for (size_t k = 0; k < e.pictures.count; k++)
            free(e.ways[i].captions[k]);
        free(e.ways[i].captions);
    }
    sac_instances_free(&e.instances);
    sac_pictures_free(&e.pictures);
    return status == SAC_OK ? CLI_DONE : cli_report(&error);
}
