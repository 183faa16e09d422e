/* saccade bench: how fast this device is, beside what it could reach. */
#include "cli/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/spec/resolve.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random/random.h"
#include "base/text/printable.h"
#include "cli/json.h"
#include "cli/model_options.h"
#include "device/device.h"
#include "sharing/attention/ring.h"
#include "sharing/ranks/ranks.h"

/* ---------------------------------------------------------------- attention by several processes */

/* Attention that several processes share: what each computes, and how much of the exchange of keys and
 * values it hides. */
enum { HEADS = 8, DIM = 64, ROUNDS = 3 };

typedef struct ring_case {
    size_t tokens;
    bool causal;
} ring_case;
static const ring_case ring_cases[] = {{2048, false}, {8192, false}, {8192, true}, {16384, true}};
enum { CASES = sizeof ring_cases / sizeof *ring_cases };

/* Of the slowest process, in seconds. */
typedef struct ring_figures {
    double all, waited, exchange;
    double sent; /* bytes, by all */
} ring_figures;

static sac_status largest_of_all_processes(double *value, sac_error *error)
{
    double *all = calloc((size_t)sac_ranks_count(), sizeof *all);
    sac_status status =
        all ? sac_ranks_share(value, all, sizeof *value, error) : sac_no_memory(error, "bench");
    for (int i = 0; status == SAC_OK && i < sac_ranks_count(); i++)
        *value = fmax(*value, all[i]);
    free(all);
    return status;
}

/* The blocks go round without computation. */
static sac_status time_exchange(size_t bytes, double *seconds, sac_error *error)
{
    int me = sac_ranks_me(), count = sac_ranks_count();
    char *blocks = calloc(2, bytes + 1);
    sac_status status = sac_ranks_agree(blocks ? SAC_OK : sac_no_memory(error, "bench"), error);
    double start = sac_now();
    for (int turn = 0; turn + 1 < count && status == SAC_OK; turn++) {
        sac_ranks_transfer transfer;
        status = sac_ranks_begin(&transfer, (me + 1) % count, blocks, bytes,
                                 (me - 1 + count) % count, blocks + bytes, bytes, error);
        if (status == SAC_OK)
            status = sac_ranks_end(&transfer, error);
    }
    *seconds = sac_now() - start;
    free(blocks);
    return status;
}

static sac_status measure_ring(sac_device *device, const ring_case *c, ring_figures *f,
                               sac_error *error)
{
    sac_array arrays[3] = {{0}};
    sac_attention_spec spec = {.causal = c->causal};
    sac_attention_input input = {&arrays[0], &arrays[1], &arrays[2]};
    sac_attention_shape shape;
    sac_status status = SAC_OK;
    *f = (ring_figures){.all = INFINITY};
    for (int i = 0; i < 3 && status == SAC_OK; i++) {
        status =
            sac_array_create(SAC_F32, 4, (size_t[]){1, HEADS, c->tokens, DIM}, &arrays[i], error);
        for (size_t k = 0; status == SAC_OK && k < sac_array_count(&arrays[i]); k++)
            ((float *)arrays[i].data)[k] = sac_philox_uniform((uint32_t)k, (uint32_t)i, 1) - 0.5f;
    }
    if (status == SAC_OK)
        status = sac_attention_check_sizes(&spec, &input, &shape, error);
    status = sac_ranks_agree(status, error);
    for (int round = 0; round <= ROUNDS && status == SAC_OK; round++) { /* the first compiles */
        sac_ring ring;
        status = sac_ring_run(device, &spec, &input, &shape, &ring, NULL, error);
        status = sac_ranks_agree(status, error);
        double all = ring.computed_s + ring.waited_s, waited = ring.waited_s, exchange = 0;
        if (status == SAC_OK)
            status = time_exchange((size_t)(ring.sent / fmax(1, sac_ranks_count() - 1)), &exchange,
                                   error);
        if (status == SAC_OK)
            status = largest_of_all_processes(&all, error);
        if (status == SAC_OK)
            status = largest_of_all_processes(&waited, error);
        if (status == SAC_OK)
            status = largest_of_all_processes(&exchange, error);
        if (round > 0 && all < f->all)
            *f = (ring_figures){all, waited, exchange, ring.sent * sac_ranks_count()};
        sac_ring_free(&ring);
    }
    for (int i = 0; i < 3; i++)
        sac_array_free(&arrays[i]);
    return status;
}

static const bench_column ring_columns[] = {{"tokens", "tokens", 8},
                                            {"causal", .is_bool = true},
                                            {NULL, "", -7},
                                            {"ms", "ms", 10, 1},
                                            {"gflops", "GFLOP/s", 10, 0},
                                            {"waited_ms", "waited ms", 10, 2},
                                            {"exchange_ms", "exchange ms", 12, 2},
                                            {"bytes"},
                                            {NULL, "MB", 8, 1},
                                            {NULL, "hidden", 8, 2},
                                            {0}};

static void print_ring(const ring_case *c, const ring_figures *f, cJSON *list)
{
    double pairs = (double)c->tokens * (double)c->tokens / (c->causal ? 2 : 1);
    double hidden = sac_ranks_count() > 1 ? fmax(0, 1 - f->waited / f->exchange) : NAN;
    bench_print_row(list, ring_columns,
                    (bench_cell[]){{NULL, (double)c->tokens},
                                   {NULL, c->causal},
                                   {c->causal ? "causal" : ""},
                                   {NULL, 1e3 * f->all},
                                   {NULL, 1e-9 * 4 * pairs * HEADS * DIM / f->all},
                                   {NULL, 1e3 * f->waited},
                                   {NULL, 1e3 * f->exchange},
                                   {NULL, f->sent},
                                   {NULL, 1e-6 * f->sent},
                                   {NULL, hidden}});
}

/* Attention by the processes of this run: all call it. */
static sac_status bench_ring(sac_device *device, cJSON *json, sac_error *error)
{
    char name[160];
    sac_status status = SAC_OK;
    sac_device_short_name(sac_device_get_info(device), name, sizeof name);
    if (json) {
        cJSON_AddNumberToObject(json, "processes", sac_ranks_count());
        cJSON_AddStringToObject(json, "device", name);
    } else {
        sac_print(
            stdout,
            "attention by %d processes, %d heads of %d, float32; each on %s; the best of %d\n\n",
            sac_ranks_count(), HEADS, DIM, name, ROUNDS);
        bench_print_heading(ring_columns);
    }
    cJSON *rows = json ? cJSON_AddArrayToObject(json, "cases") : NULL;
    for (int i = 0; i < CASES && status == SAC_OK; i++) {
        ring_figures figures;
        status = measure_ring(device, &ring_cases[i], &figures, error);
        if (status == SAC_OK)
            print_ring(&ring_cases[i], &figures, rows);
        if (status == SAC_OK && cli_interrupted())
            status = sac_fail(error, SAC_E_CANCELLED, "bench", NULL, "interrupted");
    }
    return status;
}

/* ---------------------------------------------------------------- options */

/* What is measured; without a word the view and attention are. */
typedef enum bench_part { VIEW, ATTENTION, RING, TRAIN, DECODE, FOLDER, PARTS } bench_part;
static const char *const part_names[PARTS] = {"view",  "attention", "ring",
                                              "train", "decode",    "folder"};

typedef struct request {
    const char *words[2]; /* what to measure, and of a model which */
    bench_part part;      /* PARTS: the view and attention */
    const char *device, *weights, *stored;
    bench_choice choice;
    bool json;
    bench_model model; /* of others */
    bench_trained trained;
    cli_model_options own; /* of the one that is trained */
    sac_model_values values;
} request;

/* An option that works with one part only, or with two. */
static int check_part(const request *r, const char *option, bool given, bench_part part)
{
    char what[64];
    snprintf(what, sizeof what, "works with bench %s only", part_names[part]);
    return given && r->part != part ? cli_usage(option, what, "leave it out") : CLI_DONE;
}

static int set_model_and_values(request *r, int count)
{
    const bool trains = r->part == TRAIN;
    const sac_model_class *class = count > 1 ? sac_model_find(r->words[1]) : sac_models[0];
    /* Decoding takes the files of the samples that it is about. */
    for (int i = 0; i < SAC_MODEL_OPTIONS; i++)
        if (r->own.given[i] && !(r->part == DECODE && r->own.class->options[i].is_text) &&
            check_part(r, r->own.name[i], true, TRAIN) != CLI_DONE)
            return CLI_USAGE;
    if (cli_model_values(&r->own, &r->values) != CLI_DONE)
        return CLI_USAGE;
    r->trained =
        (bench_trained){class, &r->values, .weights = r->weights, .batch = r->trained.batch};
    return class || (!trains && r->part != DECODE)
               ? CLI_DONE
               : cli_model_check(r->words[1], trains ? "bench train" : "bench decode",
                                 trains ? "trained" : "measured");
}

static int check_and_complete_request(request *r, int count)
{
    const char *what = count > 0 ? r->words[0] : NULL;
    bool chosen = r->choice.only.count || r->choice.with_long;
    r->part = what ? 0 : chosen ? ATTENTION : PARTS;
    while (what && r->part < PARTS && strcmp(part_names[r->part], what) != 0)
        r->part++;
    if (what && r->part == PARTS)
        return cli_usage(what, "unknown benchmark",
                         "give view, attention, ring, train, decode or folder, or none");
    if (r->part != RING && sac_ranks_count() > 1)
        return cli_usage("bench", "is the work of one process, but for ring",
                         "start it without mpirun, or give ring");
    if (r->part == FOLDER && count < 2)
        return cli_usage(what, "needs a model", "give its folder");
    if (check_part(r, "--prompt", r->model.prompt, FOLDER) != CLI_DONE ||
        check_part(r, "--layers", r->model.layers, FOLDER) != CLI_DONE ||
        check_part(r, "--storage", r->stored, FOLDER) != CLI_DONE ||
        check_part(r, "--weights", r->weights, DECODE) != CLI_DONE ||
        check_part(r, "--batch", r->trained.batch, TRAIN) != CLI_DONE)
        return CLI_USAGE;
    if (r->trained.batch < 0 || r->trained.batch > 4096)
        return cli_usage("--batch", "is out of range", "give 1 to 4096 samples a step");
    if (r->model.prompt < 0)
        return cli_usage("--prompt", "is out of range", "give a number of tokens from 1");
    if (cli_parse_storage(r->stored, &r->model.storage) != CLI_DONE)
        return CLI_USAGE;
    r->model.folder = r->words[1];
    r->model.device = r->device;
    r->model.prompt = r->model.prompt ? r->model.prompt : 128;
    if (r->part != ATTENTION && chosen)
        return cli_usage(what, "has no cases to choose from", "give attention");
    if (r->part != TRAIN && r->part != DECODE && r->part != FOLDER && count > 1)
        return cli_usage(r->words[1], "unexpected argument", "give one benchmark");
    int status = set_model_and_values(r, count);
    return status == CLI_DONE ? bench_check_choice(&r->choice) : status;
}

static int read_request(cli_args args, request *r)
{
    int count;
    const cli_option own[] = {
        {"--device", CLI_TEXT, &r->device, NULL, "S", CLI_DEVICE_HELP},
        {"--weights", CLI_TEXT, &r->weights, NULL, "F", "decode: weights of your own"},
        {"--json", CLI_FLAG, &r->json, NULL, NULL, CLI_JSON_HELP},
        {"--storage", CLI_TEXT, &r->stored, NULL, "HOW",
         "folder: float32, that of its file, or bfloat16"},
        {"--case", CLI_LIST, &r->choice.only, NULL, "NAME",
         "attention: one case of its table; may be given several times"},
        {"--layers", CLI_FLAG, &r->model.layers, NULL, NULL,
         "folder: where the time goes, by layers"},
        {"--prompt", CLI_WHOLE, &r->model.prompt, NULL, "N",
         "folder: tokens of the prompt that it reads (default 128)"},
        {"--batch", CLI_WHOLE, &r->trained.batch, NULL, "N",
         "train: samples a step (default: as of saccade train)"},
        {"--long", CLI_FLAG, &r->choice.with_long, NULL, NULL, "attention: also 65536 tokens"},
    };
    enum { OWN = sizeof own / sizeof *own };
    cli_option options[OWN + CLI_MODEL_OPTIONS + 1] = {{0}};
    /* The first of a name counts: of a training --layers is the model's. */
    const bool trains = args.count > 0 && strcmp(args.values[0], part_names[TRAIN]) == 0;
    cli_option of_model[CLI_MODEL_OPTIONS];
    const int count_of_model = cli_model_options_of(cli_find_model_class(args), &r->own, of_model);
    memcpy(options + (trains ? count_of_model : 0), own, sizeof own);
    memcpy(options + (trains ? 0 : OWN), of_model, (size_t)count_of_model * sizeof *of_model);
    int status = cli_parse(args, options, r->words, 2, &count);
    return status == CLI_DONE ? check_and_complete_request(r, count) : status;
}

/* ---------------------------------------------------------------- the parts */

static sac_status run_part(const request *r, bench_part part, cJSON *json, sac_error *error)
{
    sac_device *device = NULL;
    if (part == VIEW)
        return bench_view(r->device, json, error);
    if (part == FOLDER)
        return bench_folder(&r->model, json, error);
    sac_status status = sac_device_open(cli_own_device(r->device), &device, error);
    if (status == SAC_OK)
        status = part == TRAIN    ? bench_train(device, &r->trained, json, error)
                 : part == DECODE ? bench_decode(device, &r->trained, json, error)
                 : part == RING   ? bench_ring(device, json, error)
                                  : bench_attention(device, &r->choice, json, error);
    sac_device_close(device);
    return status;
}

/* What both parts find is in one object each; what a single part finds is the whole. */
static sac_status run(const request *r, cJSON *json, sac_error *error)
{
    sac_status status = SAC_OK;
    if (r->part != PARTS)
        return run_part(r, r->part, json, error);
    for (bench_part part = VIEW; part <= ATTENTION && status == SAC_OK; part++) {
        if (part == ATTENTION && !json)
            puts("");
        status =
            run_part(r, part, json ? cJSON_AddObjectToObject(json, part_names[part]) : NULL, error);
    }
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
    "[view|attention|ring|train [MODEL]|decode [MODEL]|folder FOLDER] [--json] [--device S]",
    "measure speed, next to the limits of the device", run_bench, .shares = true};
