/* saccade bench: how fast this device is, beside what it could reach. */
#include "cli/bench/bench_parts.h"

#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "cli/model_options.h"
#include "device/device.h"
#include "sharing/ranks/ranks.h"

/* ---------------------------------------------------------------- options */

/* Without a word the view and attention are measured. */
typedef struct request {
    const char *words[2], *weights, *device; /* what to measure, and of a model which */
    bench_choice choice;
    bool view, map, attention, gemm, products, encoder, ring, json;
    bench_model model;                        /* of others; folder NULL: none */
    const char *stored;                       /* how it is to be; NULL */
    const sac_model_class *trained, *decoded; /* NULL: none */
    cli_model_options own;                    /* of the one that is trained */
    sac_model_values values;
} request;

static int check_model(request *r, int count, bool trains)
{
    const sac_model_class *class = count > 1 ? sac_model_find(r->words[1]) : sac_models[0];
    if (trains)
        r->trained = class;
    else
        r->decoded = class;
    return class ? CLI_DONE
                 : cli_model_check(r->words[1], trains ? "bench train" : "bench decode",
                                   trains ? "trained" : "measured");
}

/* Decoding takes the files of the samples that it says. */
static int check_own(request *r, bool trains, bool decodes)
{
    for (int i = 0; i < SAC_MODEL_OPTIONS; i++)
        if (!trains && r->own.given[i] && !(decodes && r->own.class->options[i].is_text))
            return cli_usage(r->own.name[i], "works with bench train only", "leave it out");
    return cli_model_values(&r->own, &r->values);
}

static int check(request *r, int count)
{
    const char *what = count > 0 ? r->words[0] : NULL;
    bool chosen = r->choice.only.count || r->choice.with_long;
    bool trains = what && strcmp(what, "train") == 0;
    bool decodes = what && strcmp(what, "decode") == 0;
    r->view = what ? strcmp(what, "view") == 0 : !chosen;
    r->map = what && strcmp(what, "map") == 0;
    r->attention = !what || strcmp(what, "attention") == 0;
    r->gemm = what && strcmp(what, "gemm") == 0;
    r->products = what && strcmp(what, "products") == 0;
    r->encoder = what && strcmp(what, "encoder") == 0;
    r->ring = what && strcmp(what, "ring") == 0;
    bool folder = what && strcmp(what, "folder") == 0;
    if (!r->view && !r->map && !r->attention && !r->gemm && !r->products && !r->encoder &&
        !r->ring && !trains && !decodes && !folder)
        return cli_usage(
            what, "unknown benchmark",
            "give view, map, attention, gemm, products, encoder, ring, train, decode or "
            "folder, or none");
    if (!r->ring && sac_ranks_count() > 1)
        return cli_usage("bench", "is the work of one process, but for ring",
                         "start it without mpirun, or give ring");
    if (folder && count < 2)
        return cli_usage(what, "needs a model", "give its folder");
    r->model.folder = folder ? r->words[1] : NULL;
    r->model.device = r->device;
    if (r->model.prompt && !folder)
        return cli_usage("--prompt", "works with bench folder only", "leave it out");
    if (r->model.prompt < 0)
        return cli_usage("--prompt", "is out of range", "give a number of tokens from 1");
    if (!r->model.prompt)
        r->model.prompt = 128;
    if (r->model.layers && !folder)
        return cli_usage("--layers", "works with bench folder only", "leave it out");
    if (r->stored && !folder)
        return cli_usage("--storage", "works with bench folder only", "leave it out");
    if (cli_storage_take(r->stored, &r->model.storage) != CLI_DONE)
        return CLI_USAGE;
    if (!r->attention && chosen)
        return cli_usage(what, "has no cases to choose from", "give attention");
    if (!decodes && r->weights)
        return cli_usage("--weights", "works with bench decode only", "leave it out");
    if (!trains && !decodes && !folder && count > 1)
        return cli_usage(r->words[1], "unexpected argument", "give one benchmark");
    int status = check_own(r, trains, decodes);
    if (status != CLI_DONE)
        return status;
    return trains || decodes ? check_model(r, count, trains) : bench_check_choice(&r->choice);
}

static int read_request(cli_args args, request *r)
{
    int count;
    const cli_option own[] = {
        {"--device", CLI_TEXT, &r->device, NULL, "S", CLI_DEVICE_HELP},
        {"--weights", CLI_TEXT, &r->weights, NULL, "F", "decode: weights of your own"},
        {"--json", CLI_FLAG, &r->json, NULL, NULL, CLI_JSON_HELP},
        {"--storage", CLI_TEXT, &r->stored, NULL, "HOW",
         "folder: float32, as its file has it, or bfloat16"},
        {"--case", CLI_LIST, &r->choice.only, NULL, "NAME",
         "attention: one case of its table; may be given several times"},
        {"--layers", CLI_FLAG, &r->model.layers, NULL, NULL,
         "folder: where the time goes, by layers"},
        {"--prompt", CLI_WHOLE, &r->model.prompt, NULL, "N",
         "folder: tokens of the prompt that it reads (default 128)"},
        {"--long", CLI_FLAG, &r->choice.with_long, NULL, NULL, "attention: also 65536 tokens"},
    };
    enum { OWN = sizeof own / sizeof *own };
    cli_option options[OWN + CLI_MODEL_OPTIONS + 1] = {{0}};
    memcpy(options, own, sizeof own);
    cli_model_options_of(cli_model_of(args), &r->own, options + OWN);
    int status = cli_parse(args, options, r->words, 2, &count);
    return status == CLI_DONE ? check(r, count) : status;
}

/* ---------------------------------------------------------------- the parts */

static sac_status run_on_device(const request *r, cJSON *json, sac_error *error)
{
    sac_device *device = NULL;
    sac_status status = sac_device_open(cli_own_device(r->device), &device, error);
    if (status == SAC_OK)
        status = r->trained ? bench_train(device, r->trained, &r->values, json, error)
                 : r->decoded
                     ? bench_decode(device, r->decoded, &r->values, r->weights, json, error)
                 : r->gemm     ? bench_gemm(device, json, error)
                 : r->products ? bench_products(device, json, error)
                 : r->encoder  ? bench_encoder(device, json, error)
                 : r->ring     ? bench_ring(device, json, error)
                               : bench_attention(device, &r->choice, json, error);
    sac_device_close(device);
    return status;
}

/* Both parts' findings in one object each; a single part's are the whole. */
static cJSON *part_of(cJSON *json, const char *part, bool alone)
{
    return json && !alone ? cJSON_AddObjectToObject(json, part) : json;
}

static sac_status run(const request *r, cJSON *json, sac_error *error)
{
    sac_status status = SAC_OK;
    if (r->view)
        status = bench_view(r->device, part_of(json, "view", !r->attention), error);
    if (status == SAC_OK && r->map)
        status = bench_map(r->device, json, error);
    if (status == SAC_OK && r->view && r->attention && !json)
        puts("");
    if (status == SAC_OK && r->model.folder)
        status = bench_folder(&r->model, json, error);
    if (status == SAC_OK && (r->attention || r->gemm || r->products || r->encoder || r->ring ||
                             r->trained || r->decoded))
        status = run_on_device(r, part_of(json, "attention", !r->view), error);
    return status;
}

static int run_bench(cli_args args)
{
    request r = {0};
    sac_error error = {0};
    int usage = read_request(args, &r);
    if (usage != CLI_DONE)
        return usage < 0 ? CLI_DONE : usage;
    cJSON *json = r.json ? cJSON_CreateObject() : NULL;
    sac_status status = run(&r, json, &error);
    cli_progress_clear();
    if (status == SAC_OK && json)
        cli_print_json(json);
    else
        cJSON_Delete(json);
    return status == SAC_OK ? CLI_DONE : cli_report(&error);
}

const cli_command cli_bench = {
    "bench",
    "[view|map|attention|gemm|products|encoder|ring|train [MODEL]|decode [MODEL]|folder "
    "FOLDER] [--json] [--device S]",
    "measure speed, next to the limits of the device", run_bench, .shares = true};
