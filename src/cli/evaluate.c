/* saccade evaluate: the figures that the captioner is held to, beside their baselines. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "app/assets.h"
#include "base/error.h"
#include "captioner/evaluate.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "device/device.h"

typedef struct request {
    const char *model, *weights, *device;
    int count, beam;
    uint64_t seed;
    bool json;
} request;

typedef struct outcome {
    char weights[1024], device[160];
    sac_evaluation evaluation;
} outcome;

/* ---------------------------------------------------------------- options */

static int check_request(const request *r, int files)
{
    if (files == 0)
        return cli_usage("evaluate", "needs to know what", "usage: saccade evaluate captioner");
    if (strcmp(r->model, "captioner") != 0)
        return cli_usage(r->model, "is no model that can be evaluated", "give captioner");
    if (r->count < 1)
        return cli_usage("--count", "there has to be a scene", "give 1 or more");
    if (r->beam < 1)
        return cli_usage("--beam", "there has to be a sentence", "give 1 or more");
    return CLI_DONE;
}

static int read_request(cli_args args, request *r)
{
    int files;
    *r = (request){.count = 1000, .beam = 3};
    const cli_option options[] = {
        {"--count", CLI_WHOLE, &r->count, NULL, "N", "scenes of the test stream; 1000"},
        {"--seed", CLI_SEED, &r->seed, NULL, "S", "scenes S · 2^20 and on; 0"},
        {"--weights", CLI_TEXT, &r->weights, NULL, "F",
         "of `saccade train`; else the bundled ones"},
        {"--beam", CLI_WHOLE, &r->beam, NULL, "N", "sentences that are followed at once; 3"},
        {"--device", CLI_TEXT, &r->device, NULL, "S",
         "a number from `saccade devices`, cpu, gpu, or part of a name"},
        {"--json", CLI_FLAG, &r->json, NULL, NULL, "the figures for programs"},
        {0},
    };
    int status = cli_parse(cli_find("evaluate"), args, options, &r->model, 1, &files);
    return status == CLI_DONE ? check_request(r, files) : status;
}

/* ---------------------------------------------------------------- the work */

static sac_status find_weights(const request *r, outcome *o, sac_error *error)
{
    if (!r->weights)
        return app_find_asset("captioner/additive.safetensors", "give some with --weights F",
                              o->weights, sizeof o->weights, error);
    snprintf(o->weights, sizeof o->weights, "%s", r->weights);
    return SAC_OK;
}

static sac_status evaluate(const request *r, outcome *o, sac_error *error)
{
    sac_device *device = NULL;
    sac_captioner *captioner = NULL;
    sac_progress progress = cli_progress("scenes");
    sac_evaluation_options options = {.count = (size_t)r->count, .seed = r->seed, .beam = r->beam};
    sac_status status = find_weights(r, o, error);
    if (status == SAC_OK)
        status = sac_device_open(r->device, &device, error);
    if (status == SAC_OK)
        status = sac_captioner_load(device, o->weights, &captioner, error);
    if (status == SAC_OK) {
        sac_device_short_name(sac_device_get_info(device), o->device, sizeof o->device);
        status = sac_captioner_evaluate(captioner, &options, &progress, &o->evaluation, error);
    }
    cli_progress_clear();
    sac_captioner_destroy(captioner);
    sac_device_close(device);
    return status;
}

/* ---------------------------------------------------------------- telling */

/* A share of nothing is no number. */
static const char *share_text(double share, char text[16])
{
    if (isnan(share))
        snprintf(text, 16, "none");
    else
        snprintf(text, 16, "%.3f", share);
    return text;
}

static void print_exact(const char *what, double exact, size_t count)
{
    char text[16];
    printf("  %-28s %8s   of %zu scenes\n", what, share_text(exact, text), count);
}

static void print_pointing(const char *what, const sac_pointing *p)
{
    char pointing[16], mass[16];
    printf("  %-28s %8s %12s\n", what, share_text(p->pointing, pointing),
           share_text(p->mass_in_box, mass));
}

static void print_table(const request *r, const outcome *o)
{
    const sac_evaluation *e = &o->evaluation;
    printf("captioner (%s) on %zu scenes, beam %d, on %s: %.1f ms a picture\n\n", o->weights,
           e->count, r->beam, o->device, e->milliseconds);
    printf("%-30s %8s\n", "caption exactly right", "share");
    print_exact("pairs seen in training", e->exact, e->seen);
    print_exact("pairs never trained on", e->exact_unseen_pairs, e->unseen);
    printf("\n%-30s %8s %12s\n", "gaze of colours and shapes", "pointing", "mass in box");
    print_pointing("model", &e->model);
    print_pointing("uniform heat", &e->uniform);
    print_pointing("fixed on the centre", &e->centre);
    print_pointing("the model's, words shuffled", &e->shuffled);
    printf("  over %zu words\n", e->model.words);
}

static void add_pointing(cJSON *json, const sac_pointing *p)
{
    cJSON_AddNumberToObject(json, "pointing", p->pointing);
    cJSON_AddNumberToObject(json, "mass_in_box", p->mass_in_box);
}

static void print_json(const request *r, const outcome *o)
{
    const sac_evaluation *e = &o->evaluation;
    char seed[24];
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "count", (double)e->count);
    cJSON_AddNumberToObject(root, "exact", e->exact);
    cJSON_AddNumberToObject(root, "exact_unseen_pairs", e->exact_unseen_pairs);
    add_pointing(root, &e->model);
    cJSON *baselines = cJSON_AddObjectToObject(root, "baselines");
    add_pointing(cJSON_AddObjectToObject(baselines, "uniform"), &e->uniform);
    add_pointing(cJSON_AddObjectToObject(baselines, "centre"), &e->centre);
    add_pointing(cJSON_AddObjectToObject(baselines, "shuffled"), &e->shuffled);
    cJSON_AddNumberToObject(root, "seen", (double)e->seen);
    cJSON_AddNumberToObject(root, "unseen", (double)e->unseen);
    cJSON_AddNumberToObject(root, "words", (double)e->model.words);
    cJSON_AddNumberToObject(root, "ms", e->milliseconds);
    cJSON_AddStringToObject(root, "device", o->device);
    cJSON_AddStringToObject(root, "weights", o->weights);
    snprintf(seed, sizeof seed, "%" PRIu64, r->seed); /* a double would not hold all of it */
    cJSON_AddRawToObject(root, "seed", seed);
    cJSON_AddNumberToObject(root, "beam", r->beam);
    cli_print_json(root);
    cJSON_Delete(root);
}

int cli_evaluate(cli_args args)
{
    request r;
    outcome o = {0};
    sac_error error = {0};
    int status = read_request(args, &r);
    if (status != CLI_DONE)
        return status < 0 ? CLI_DONE : status;
    if (evaluate(&r, &o, &error) != SAC_OK)
        return cli_report(&error);
    if (r.json)
        print_json(&r, &o);
    else
        print_table(&r, &o);
    return CLI_DONE;
}
