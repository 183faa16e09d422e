/* saccade evaluate MODEL: the figures that a model is held to. */
#include <inttypes.h>
#include <string.h>

#include "app/assets.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "chart/chart_view.h"
#include "cli/commands/evaluate_pictures.h"
#include "cli/drawing.h"
#include "cli/json.h"
#include "cli/model_options.h"
#include "device/device.h"
#include "models/checkpoint.h"
#include "sharing/attention/device_set.h"
#include "sharing/ranks/ranks.h"

typedef struct request {
    const sac_model_class *class;
    const char *model, *translator, *dataset, *weights, *device, *stream, *stored;
    const char *split; /* of pairs */
    int count, beam;
    sac_length_penalty penalty;
    uint64_t seed;
    bool json, by_length, causal;
    bool count_given, beam_given, seed_given;
    cli_pictures_request pictures; /* of a person's own, where `pictures` in it is given */
    cli_list pairs;                /* files of sentence pairs of their own */
    cli_list text;                 /* that a language model is to predict */
    cli_drawing drawing;
} request;

typedef struct outcome {
    char weights[1024], device[512], name[32];
    sac_evaluation_report report;
} outcome;

/* ---------------------------------------------------------------- options */

/* Of pairs that a model was trained on, or others. */
static int apply_pairs_option(request *r)
{
    const char *split = r->pictures.split;
    if (!r->pairs.count)
        return CLI_DONE;
    if (!r->class->read)
        return cli_usage("--pairs", "works with translators only", "leave it out");
    if (r->pairs.count > 2)
        return cli_usage("--pairs", "is given more than twice",
                         "give a table of pairs, or one file of each language");
    if (r->seed_given || r->by_length)
        return cli_usage("--pairs", "takes the place of made-up samples",
                         "leave out --seed and --by-length");
    if (split && strcmp(split, "val") != 0 && strcmp(split, "train") != 0 &&
        strcmp(split, "all") != 0)
        return cli_usage("--split", "unknown split", "give val, train or all");
    if (sac_devices_are_several(r->device) || sac_ranks_count() > 1)
        return cli_usage("--pairs", "is the work of one device and one process",
                         "give one as --device, and start it without mpirun");
    r->pictures.split = NULL; /* it is not of pictures */
    r->split = split;
    return CLI_DONE;
}

/* The text is all that a language model is evaluated on. */
static int check_text_option(const request *r)
{
    if (sac_model_option_find(r->class, "text") < 0)
        return r->text.count
                   ? cli_usage("--text", "works with the language model only", "leave it out")
                   : CLI_DONE;
    if (!r->text.count)
        return cli_usage("--text", "is missing", "give the text that the model is to predict");
    if (r->count_given || r->seed_given || r->beam_given || r->penalty.given || r->by_length)
        return cli_usage("--text", "is predicted as a whole, and no words are searched",
                         "leave out --count, --seed, --beam, --length-penalty and --by-length");
    if (sac_devices_are_several(r->device) || sac_ranks_count() > 1)
        return cli_usage("--text", "is the work of one device and one process",
                         "give one as --device, and start it without mpirun");
    return CLI_DONE;
}

static int check_request(request *r, int files)
{
    int status = cli_model_check(files ? r->model : NULL, "evaluate", "evaluated");
    if (status == CLI_DONE)
        status = cli_translator_check(r->translator, r->class);
    if (status != CLI_DONE)
        return status;
    if (!r->class->evaluate)
        return cli_usage(r->model, "cannot be evaluated", "give another model");
    if (r->count < 1)
        return cli_usage("--count", "must be at least 1", "give 1 or more");
    if (r->causal && strcmp(r->class->name, "captioner") != 0)
        return cli_usage("--causal", "works with the captioner only", "leave it out");
    if (r->dataset && strcmp(r->class->name, "captioner") != 0)
        return cli_usage("--dataset", "works with the captioner only", "leave it out");
    if (cli_captioner_check(r->dataset, r->weights) != CLI_DONE)
        return CLI_USAGE;
    if (r->stream && strcmp(r->class->name, "captioner") != 0)
        return cli_usage("--stream", "works with the captioner only", "leave it out");
    if (r->stream && strcmp(r->stream, "test") != 0 && strcmp(r->stream, "varied") != 0)
        return cli_usage("--stream", "unknown stream", "give test or varied");
    if (r->pictures.pictures && strcmp(r->class->name, "captioner") != 0)
        return cli_usage("--pictures", "works with the captioner only", "leave it out");
    if (r->pictures.pictures && (r->causal || r->stream || r->seed_given || r->by_length))
        return cli_usage("--pictures", "takes the place of made-up samples",
                         "leave out --causal, --stream, --seed and --by-length");
    if (apply_pairs_option(r) != CLI_DONE || check_text_option(r) != CLI_DONE)
        return CLI_USAGE;
    if (r->stored && (!r->pictures.pictures || r->pictures.sentences))
        return cli_usage("--storage", "works with --pictures and a model only", "leave it out");
    if (cli_parse_storage(r->stored, &r->pictures.storage) != CLI_DONE)
        return CLI_USAGE;
    if (cli_pictures_check(&r->pictures) != CLI_DONE)
        return CLI_USAGE;
    if (r->beam < 1)
        return cli_usage("--beam", "must be at least 1", "give 1 or more");
    if (cli_penalty_check(&r->penalty, r->beam_given ? r->beam : 0) != CLI_DONE)
        return CLI_USAGE;
    if (cli_drawing_wanted(&r->drawing) && !r->by_length)
        return cli_usage("--out", "writes the curves of --by-length only", "add --by-length");
    return CLI_DONE;
}

static int read_request(cli_args args, request *r)
{
    int files;
    cli_pictures_request *p = &r->pictures;
    *r = (request){.class = cli_find_model_class(args), .count = 1000, .beam = 3};
    r->drawing.types = CLI_PICTURES;
    r->drawing.what = "the curves of --by-length, or what --json prints";
    r->drawing.json = &r->json;
    const cli_option own[] = {
        {"--by-length", CLI_FLAG, &r->by_length, NULL, NULL,
         "translators: exact translations by sentence length, next to the model without attention"},
        {"--causal", CLI_FLAG, &r->causal, NULL, NULL,
         "captioner: ablation of the cells that each word attended to most"},
        {"--pictures", CLI_TEXT, &p->pictures, NULL, "FOLDER",
         "captioner: pictures of your own, with captions, in place of made-up scenes"},
        {"--captions", CLI_TEXT, &p->captions, NULL, "FILE",
         "their captions: Flickr8k's, COCO's or Karpathy's file, or a table (default: captions.* "
         "in the folder, else NAME.txt beside each picture)"},
        {"--val", CLI_TEXT, &p->val, NULL, "FILE", "names, or captions, of the split val"},
        {"--test", CLI_TEXT, &p->test, NULL, "FILE", "names, or captions, of the split test"},
        {"--split", CLI_TEXT, &p->split, NULL, "S",
         "pictures, or pairs, to evaluate: train, val (default), test (of pictures) or all"},
        {"--pairs", CLI_LIST, &r->pairs, NULL, "FILE",
         "translators: sentence pairs of your own, as the training took them, for a model that was "
         "trained on such; two files: give it twice"},
        {"--text", CLI_LIST, &r->text, NULL, "FILE",
         "language: the text that it is to predict, in UTF-8, or a folder of such; may be given "
         "several times"},
        {"--boxes", CLI_TEXT, &p->boxes, NULL, "FILE",
         "COCO's instances: whether nouns point to what they name"},
        {"--sentences", CLI_TEXT, &p->sentences, NULL, "FILE",
         "score these captions of the pictures, in place of a model's"},
        {"--results", CLI_TEXT, &p->results, NULL, "FILE",
         "write the captions as JSON, in the form of COCO's results: [{image_id, caption}]"},
        {"--count", CLI_WHOLE, &r->count, &r->count_given, "N",
         "number of test samples (default 1000; of pictures all)"},
        {"--seed", CLI_SEED, &r->seed, &r->seed_given, "S",
         "take samples from S · 2^20 on (default 0)"},
        {"--dataset", CLI_TEXT, &r->dataset, NULL, "D", "captioner: " CLI_CAPTIONER_HELP},
        {"--stream", CLI_TEXT, &r->stream, NULL, "S",
         "captioner: test (default), or varied: shapes drawn in every manner"},
        {"--weights", CLI_TEXT, &r->weights, NULL, "F",
         "weights made by `saccade train` (default: the bundled ones); language: a folder of "
         "GPT-2's or LLaMA's architecture"},
        {"--model", CLI_TEXT, &r->translator, NULL, "M",
         "translator: rnn (default) or transformer"},
        {"--beam", CLI_WHOLE, &r->beam, &r->beam_given, "N",
         "beam width (default 3; of pictures greedy and the model's own)"},
        {"--length-penalty", CLI_REAL, &r->penalty.value, &r->penalty.given, "X", CLI_PENALTY_HELP},
        {"--storage", CLI_TEXT, &r->stored, NULL, "HOW", CLI_STORAGE_HELP},
        {"--device", CLI_TEXT, &r->device, NULL, "S", CLI_DEVICES_HELP},
        {"--json", CLI_FLAG, &r->json, NULL, NULL, CLI_JSON_HELP},
        {NULL},
    };
    int status = cli_parse_drawing(args, own, &r->drawing, &r->model, 1, &files);
    p->weights = r->weights;
    p->dataset = r->dataset;
    p->device = r->device;
    p->json = r->json;
    p->count = r->count_given ? r->count : 0;
    p->beam = r->beam_given ? r->beam : 0;
    p->penalty = r->penalty;
    return status == CLI_DONE ? check_request(r, files) : status;
}

/* ---------------------------------------------------------------- the work */

static sac_status evaluate(const request *r, outcome *o, sac_error *error)
{
    sac_device *device = NULL;
    sac_model *model = NULL;
    sac_progress progress = cli_progress(r->class->samples);
    sac_evaluation_options options = {.count = (size_t)r->count,
                                      .seed = r->seed,
                                      .beam = r->beam,
                                      .penalty = r->penalty,
                                      .causal = r->causal,
                                      .varied = r->stream && strcmp(r->stream, "varied") == 0,
                                      .split = r->split,
                                      .texts = r->text.values,
                                      .text_count = r->text.count};
    app_weights found = {0};
    sac_status status = SAC_OK;
    for (int i = 0; i < r->pairs.count; i++) {
        options.pairs[i] = r->pairs.values[i];
        options.count = r->count_given ? options.count : 0;
    }
    cli_inputs_start_recording(); /* of each of two models anew */
    if (!o->weights[0] && !r->weights && !r->class->bundled)
        status =
            sac_fail(error, SAC_E_ARGUMENT, "--weights", "train some, and give them as --weights F",
                     "there are no bundled weights of a %s", r->class->name);
    else if (!o->weights[0] && !r->weights)
        status = app_find_judged_weights(r->class, r->dataset, &found, error);
    if (status == SAC_OK && !o->weights[0])
        snprintf(o->weights, sizeof o->weights, "%s", r->weights ? r->weights : found.paths[0]);
    if (status == SAC_OK)
        status = sac_device_open(cli_own_device(r->device), &device, error);
    if (status == SAC_OK)
        status = sac_checkpoint_load(r->class, device, o->weights, &model, error);
    status = cli_inputs_agree(status, error);
    if (status == SAC_OK) {
        sac_device_short_name(sac_device_get_info(device), o->device, sizeof o->device);
        cli_write_device_names(o->device, sizeof o->device);
        r->class->describe_short(model, o->name, sizeof o->name);
        status = r->class->evaluate(model, &options, &progress, &o->report, error);
    }
    cli_progress_clear();
    sac_model_destroy(model);
    sac_device_close(device);
    return status;
}

/* ---------------------------------------------------------------- reports */

/* "a.b.c": c of the object b of the object a, which are made at need. */
static void add_figure(cJSON *root, const char *key, double value)
{
    const char *dot = strchr(key, '.');
    char name[32];
    if (!dot) {
        cJSON_AddNumberToObject(root, key, value);
        return;
    }
    snprintf(name, sizeof name, "%.*s", (int)(dot - key), key);
    cJSON *inner = cJSON_GetObjectItemCaseSensitive(root, name);
    add_figure(inner ? inner : cJSON_AddObjectToObject(root, name), dot + 1, value);
}

static void print_json(const request *r, const outcome *o)
{
    char seed[24];
    cJSON *root = cJSON_CreateObject();
    for (int i = 0; i < o->report.count; i++)
        add_figure(root, o->report.figure[i].key, o->report.figure[i].value);
    cJSON *heads = o->report.head_count ? cJSON_AddArrayToObject(root, "heads") : NULL;
    for (size_t i = 0; i < o->report.head_count; i++) {
        cJSON *head = cJSON_CreateObject();
        cJSON_AddNumberToObject(head, "layer", (double)o->report.head[i].layer);
        cJSON_AddNumberToObject(head, "head", (double)o->report.head[i].head);
        cJSON_AddNumberToObject(head, "alignment", o->report.head[i].alignment);
        cJSON_AddItemToArray(heads, head);
    }
    cJSON_AddNumberToObject(root, "ms", o->report.milliseconds);
    cJSON_AddStringToObject(root, "device", o->device);
    cJSON_AddStringToObject(root, "weights", o->weights);
    snprintf(seed, sizeof seed, "%" PRIu64, r->seed); /* a double would not hold all of it */
    if (!r->pairs.count && !r->text.count)
        cJSON_AddRawToObject(root, "seed", seed);
    if (!r->text.count)
        cJSON_AddNumberToObject(root, "beam", r->beam);
    cli_print_json(root);
}

/* ---------------------------------------------------------------- by length */

/* One model's figures; its name is lent. */
typedef struct length_figures {
    const char *name;
    sac_length_figures figures;
} length_figures;

static double exact_share(const sac_length_figures *f, int length)
{
    return (double)f->of[length].exact / (double)f->of[length].count;
}

static void print_lengths(const length_figures *models, int count)
{
    const sac_length_figures *first = &models[0].figures;
    sac_print(stdout, "exactly right, by %s\n%-10s %9s", first->unit, "length", "samples");
    for (int i = 0; i < count; i++)
        sac_print(stdout, " %16s", models[i].name);
    putchar('\n');
    for (int length = 0; length < SAC_LENGTHS; length++) {
        if (!first->of[length].count)
            continue;
        sac_print(stdout, "%-10d %9zu", length, first->of[length].count);
        for (int i = 0; i < count; i++)
            sac_print(stdout, " %16.3f", exact_share(&models[i].figures, length));
        sac_print(stdout, "%s\n",
                  length > first->trained_most ? "  longer than all of training" : "");
    }
}

static void print_lengths_json(const length_figures *models, int count, uint64_t seed)
{
    char text[24];
    cJSON *root = cJSON_CreateObject(), *lengths = cJSON_AddArrayToObject(root, "lengths");
    cJSON *samples = cJSON_AddArrayToObject(root, "samples");
    cJSON *exact = cJSON_AddObjectToObject(root, "exact");
    const sac_length_figures *first = &models[0].figures;
    for (int length = 0; length < SAC_LENGTHS; length++)
        if (first->of[length].count) {
            cJSON_AddItemToArray(lengths, cJSON_CreateNumber(length));
            cJSON_AddItemToArray(samples, cJSON_CreateNumber((double)first->of[length].count));
        }
    for (int i = 0; i < count; i++) {
        cJSON *shares = cJSON_AddArrayToObject(exact, models[i].name);
        for (int length = 0; length < SAC_LENGTHS; length++)
            if (first->of[length].count)
                cJSON_AddItemToArray(shares,
                                     cJSON_CreateNumber(exact_share(&models[i].figures, length)));
    }
    cJSON_AddNumberToObject(root, "trained_most", first->trained_most);
    snprintf(text, sizeof text, "%" PRIu64, seed); /* a double would not hold all of it */
    cJSON_AddRawToObject(root, "seed", text);
    cli_print_json(root);
}

static sac_status draw_lengths(const cli_drawing *drawing, const length_figures *models, int count,
                               sac_error *error)
{
    viz_view *view;
    viz_chart chart = {.title = "Sentences translated exactly, by their length",
                       .y_name = "share of held-out sentences",
                       .mark_name = "longer than trained on",
                       .mark = (float)models[0].figures.trained_most + 0.5f};
    snprintf(chart.x_name, sizeof chart.x_name, "%s", models[0].figures.unit);
    for (int i = 0; i < count; i++) {
        viz_chart_curve *curve = &chart.curve[chart.curve_count++];
        snprintf(curve->name, sizeof curve->name, "%s", models[i].name);
        for (int length = 0; length < SAC_LENGTHS; length++) {
            if (!models[i].figures.of[length].count)
                continue;
            if (i == 0 && curve->count == 0)
                chart.low = (float)length - 0.5f;
            chart.high = (float)length + 0.5f;
            curve->x[curve->count] = (float)length;
            curve->y[curve->count++] = (float)exact_share(&models[i].figures, length);
        }
    }
    sac_status status = viz_chart_view_create(&chart, &view, error);
    return status == SAC_OK ? cli_drawing_write_view(drawing, view, error) : status;
}

/* The model, and the bundled one that it is set beside. */
static sac_status compare_lengths(const request *r, sac_error *error)
{
    static outcome o[2];
    const sac_bundled *b = r->class->bundled;
    while (b && b->name && !b->is_baseline)
        b++;
    const sac_bundled *baseline = b && b->name ? b : NULL;
    if (!baseline)
        return sac_fail(error, SAC_E_ARGUMENT, "--by-length", "give another model",
                        "there is no %s without attention to compare with", r->class->name);
    sac_status status = app_find_asset(baseline->file, "install the program's files", o[1].weights,
                                       sizeof o[1].weights, error);
    for (int i = 0; i < 2 && status == SAC_OK; i++)
        status = evaluate(r, &o[i], error);
    if (status != SAC_OK)
        return status;
    const length_figures models[] = {{o[0].name, o[0].report.lengths},
                                     {o[1].name, o[1].report.lengths}};
    if (r->json)
        print_lengths_json(models, 2, r->seed);
    else
        print_lengths(models, 2);
    return sac_ranks_me() == 0 && cli_drawing_wanted(&r->drawing)
               ? draw_lengths(&r->drawing, models, 2, error)
               : SAC_OK;
}

static int run_evaluate(cli_args args)
{
    request r;
    outcome o = {0};
    sac_error error = {0};
    int status = read_request(args, &r);
    if (status != CLI_DONE)
        return status < 0 ? CLI_DONE : status;
    status = r.pictures.sentences ? CLI_DONE : cli_share_devices(r.device);
    if (status != CLI_DONE)
        return status;
    if (r.pictures.pictures)
        return cli_pictures_evaluate(&r.pictures);
    if (r.by_length) {
        sac_status done = cli_drawing_open_fonts(&r.drawing, &error);
        if (done == SAC_OK)
            done = compare_lengths(&r, &error);
        cli_drawing_close_fonts(&r.drawing);
        return done == SAC_OK ? CLI_DONE : cli_report(&error);
    }
    if (evaluate(&r, &o, &error) != SAC_OK)
        return cli_report(&error);
    if (r.json) {
        print_json(&r, &o);
        return CLI_DONE;
    }
    const int counted = r.pairs.count || r.text.count ? (int)o.report.figure[0].value : r.count;
    char beam[32] = "";
    if (!r.text.count)
        snprintf(beam, sizeof beam, ", beam %d", r.beam);
    sac_print(stdout, "%s (%s) on %d %s%s, on %s: %.1f ms a %s\n\n", r.class->name, o.weights,
              counted, r.text.count ? "tokens" : r.class->samples, beam, o.device,
              o.report.milliseconds, r.class->sample);
    sac_print_text(stdout, o.report.table);
    return CLI_DONE;
}

const cli_command cli_evaluate = {"evaluate", "MODEL [OPTIONS]",
                                  "evaluate a model on held-out data", run_evaluate,
                                  .shares = true};
