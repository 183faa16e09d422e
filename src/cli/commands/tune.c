/* saccade tune: finds the fastest shape of the kernels' tiles on a device, and remembers it. */
#include <string.h>

#include "base/text/printable.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "device/device.h"
#include "saccade_tools.h"

typedef struct tune_options {
    const char *device;
    bool json, reset;
    float seconds;
} tune_options;

/* "8 × 32", the first number right-aligned. */
static void print_size(unsigned rows, unsigned keys)
{
    sac_print(stdout, "%4u × %-4u  ", rows, keys);
}

static void print_trial(const sac_tune_report *report, size_t index)
{
    const sac_tune_trial *trial = &report->trials[index];
    const char *note = index == report->kept ? "kept" : index == 0 ? "as shipped" : trial->message;
    fputs("  ", stdout);
    print_size(trial->register_rows, trial->register_keys);
    print_size(trial->tile_rows, trial->tile_keys);
    sac_print(stdout, "%5u  ", trial->depth ? trial->depth : trial->strip_rows);
    if (trial->seconds > 0)
        sac_print(stdout, "%8.2f  %7.3f", 1000 * trial->seconds, trial->ratio);
    else
        sac_print(stdout, "%8s  %7s", "-", "-");
    sac_print(stdout, "%s%s\n", note[0] ? "  " : "", note);
}

static void print_table(const sac_device *device, const sac_tune_report *report)
{
    char name[160];
    sac_device_short_name(sac_device_get_info(device), name, sizeof name);
    sac_print(stdout, "%s: %s kernels, %zu heads × %zu tokens, d = %zu\n\n", name,
              sac_variant_name(report->variant), report->heads, report->tokens, report->dim);
    sac_print(stdout, "  %-12s %-12s %s  %8s  of shipped\n", "  registers", "    tile",
              report->trials[0].depth ? "depth" : "strip", "ms");
    for (size_t i = 0; i < report->count; i++)
        print_trial(report, i);
    puts("");
    const sac_tune_trial *kept = &report->trials[report->kept];
    size_t tried = report->count - 1;
    if (report->kept)
        sac_print(stdout, "kept: %u × %u in tiles of %u × %u, %.2f times as fast as shipped",
                  kept->register_rows, kept->register_keys, kept->tile_rows, kept->tile_keys,
                  1 / kept->ratio);
    else if (tried == 0)
        sac_print(stdout, "kept: the shape as shipped, no other was tried");
    else
        sac_print(stdout, "kept: the shape as shipped, none of %zu others is faster by 2%%", tried);
    sac_print(stdout, "; %.1f s\n", report->seconds);
}

static cJSON *trial_json(const sac_tune_trial *trial)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "register_rows", trial->register_rows);
    cJSON_AddNumberToObject(json, "register_keys", trial->register_keys);
    cJSON_AddNumberToObject(json, "tile_rows", trial->tile_rows);
    cJSON_AddNumberToObject(json, "tile_keys", trial->tile_keys);
    if (trial->strip_rows)
        cJSON_AddNumberToObject(json, "strip_rows", trial->strip_rows);
    if (trial->depth)
        cJSON_AddNumberToObject(json, "depth", trial->depth);
    if (trial->seconds > 0) {
        cJSON_AddNumberToObject(json, "ms", 1000 * trial->seconds);
        cJSON_AddNumberToObject(json, "ratio", trial->ratio);
    }
    cJSON_AddStringToObject(json, "message", trial->message);
    return json;
}

static void print_json(const sac_device *device, const sac_tune_report *report)
{
    const sac_device_info *info = sac_device_get_info(device);
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "device", info->name);
    cJSON_AddStringToObject(root, "platform", info->platform);
    cJSON_AddStringToObject(root, "driver", info->driver);
    cJSON_AddStringToObject(root, "variant", sac_variant_name(report->variant));
    cJSON_AddNumberToObject(root, "heads", (double)report->heads);
    cJSON_AddNumberToObject(root, "tokens", (double)report->tokens);
    cJSON_AddNumberToObject(root, "dim", (double)report->dim);
    cJSON_AddNumberToObject(root, "seconds", report->seconds);
    cJSON *trials = cJSON_AddArrayToObject(root, "trials");
    for (size_t i = 0; i < report->count; i++)
        cJSON_AddItemToArray(trials, trial_json(&report->trials[i]));
    cJSON_AddNumberToObject(root, "kept", (double)report->kept);
    cJSON_AddNumberToObject(root, "speedup", 1 / report->trials[report->kept].ratio);
    cli_print_json(root);
}

static void reset(sac_device *device, bool json)
{
    char name[160];
    sac_device_short_name(sac_device_get_info(device), name, sizeof name);
    sac_tune_reset(device);
    if (json)
        puts("{\"reset\": true}");
    else
        sac_print(stdout, "%s: the kernels are as shipped\n", name);
}

static int run(const tune_options *options)
{
    static sac_tune_report report;
    sac_error error = {0};
    sac_device *device = NULL;
    sac_progress progress = cli_progress("tuning");
    sac_status status = sac_device_open(options->device, &device, &error);
    if (status == SAC_OK && options->reset) {
        reset(device, options->json);
    } else if (status == SAC_OK) {
        status = sac_tune_run(device, options->seconds, &progress, &report, &error);
        cli_progress_clear();
        if (status == SAC_OK)
            (options->json ? print_json : print_table)(device, &report);
    }
    sac_device_close(device);
    return status == SAC_OK ? CLI_DONE : cli_report(&error);
}

static int run_tune(cli_args args)
{
    tune_options chosen = {.seconds = 20};
    int files;
    const cli_option options[] = {
        {"--device", CLI_TEXT, &chosen.device, NULL, "S", CLI_DEVICE_HELP},
        {"--seconds", CLI_REAL, &chosen.seconds, NULL, "X",
         "longest time to search, 1 to 600 (default 20)"},
        {"--json", CLI_FLAG, &chosen.json, NULL, NULL, CLI_JSON_HELP},
        {"--reset", CLI_FLAG, &chosen.reset, NULL, NULL,
         "forget what was found, and use the shipped kernels"},
        {0},
    };
    int status = cli_parse(args, options, NULL, 0, &files);
    if (status != CLI_DONE)
        return status < 0 ? CLI_DONE : status;
    if (chosen.seconds < 1 || chosen.seconds > 600)
        return cli_usage("--seconds", "is out of range", "give a number from 1 to 600");
    return run(&chosen);
}

const cli_command cli_tune = {"tune", "[--device S] [--seconds X] [--json] [--reset]",
                              "find the fastest kernel shapes for a device, and remember them",
                              run_tune};
