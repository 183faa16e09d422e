/* saccade devices: what there is to compute on, what it can do, and which one is taken; its tests and its tuning. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/printable.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "device/device.h"
#include "device/quarantine.h"
#include "saccade_tools.h"

static sac_status print_devices(const sac_device_info *infos, size_t count, sac_error *error)
{
    enum { COLUMNS = 10, CELL = 80 };
    static const char *const headings[COLUMNS] = {"",       "device",   "vendor", "driver",
                                                  "memory", "units",    "fp16",   "subgroups",
                                                  "matrix", "self-test"};
    static const char *const verdicts[] = {
        [SAC_UNTESTED] = "not run yet",
        [SAC_PASSED] = "passed",
        [SAC_REDUCED] = "passed with simpler kernels",
        [SAC_REFUSED] = "failed",
    };
    char(*rows)[COLUMNS][CELL] = calloc(count + 1, sizeof *rows);
    int widths[COLUMNS] = {0};
    size_t used = 1;
    if (!rows)
        return sac_no_memory(error, "devices");
    for (int i = 0; i < COLUMNS; i++)
        snprintf(rows[0][i], CELL, "%s", headings[i]);
    for (const sac_device_info *info = infos; info < infos + count; info++) {
        char(*row)[CELL] = rows[used];
        if (!info->number)
            continue;
        used++;
        snprintf(row[0], CELL, "%s%d", info->chosen ? "* " : "  ", info->number);
        sac_device_model(info, row[1], CELL);
        snprintf(row[2], CELL, "%.79s", info->vendor);
        snprintf(row[3], CELL, "%.79s", info->driver);
        snprintf(row[4], CELL, "%.1f GiB", (double)info->global_bytes / 0x1p30);
        snprintf(row[5], CELL, "%u", info->compute_units);
        snprintf(row[6], CELL, "%s", info->has_fp16 ? "yes" : "no");
        snprintf(row[7], CELL, "%s", info->has_subgroups ? "yes" : "no");
        snprintf(row[8], CELL, "%s", sac_matrix_name(info->matrix));
        snprintf(row[9], CELL, "%s", verdicts[info->verdict]);
    }
    for (size_t r = 0; r < used; r++)
        for (int i = 0; i < COLUMNS; i++)
            if ((int)strlen(rows[r][i]) > widths[i])
                widths[i] = (int)strlen(rows[r][i]);
    for (size_t r = 0; used > 1 && r < used; r++) {
        for (int i = 0; i < COLUMNS - 1; i++) { /* memory and units line up on the right */
            bool is_number = i == 4 || i == 5;
            sac_print(stdout, "%*s  ", is_number ? widths[i] : -widths[i], rows[r][i]);
        }
        sac_print(stdout, "%s\n", rows[r][COLUMNS - 1]);
    }
    free(rows);
    return SAC_OK;
}

/* What of a device is not used, a line each. */
static void print_left_out(void *user, const char *source, int deaths, const char *file)
{
    const sac_device_info *info = user;
    sac_print(stdout, "\n%d does not use %s: the driver died %d times while compiling it; ",
              info->number, source, deaths);
    if (file)
        sac_print(stdout, "update the driver, or remove %s to try it again\n", file);
    else
        sac_print(stdout, "`saccade selftest` tries it again\n");
}

static void print_notes(const sac_device_info *infos, size_t count)
{
    size_t usable = 0;
    for (size_t i = 0; i < count; i++)
        usable += infos[i].number > 0;
    for (size_t i = 0; i < count; i++)
        if (infos[i].chosen)
            sac_print(stdout, "\n* is used: %s%s\n", infos[i].reason,
                      usable > 1 ? " (choose another with --device or SACCADE_DEVICE)" : "");
    if (usable < count)
        sac_print(stdout, usable ? "\ncannot be used:\n" : "cannot be used:\n");
    for (size_t i = 0; i < count; i++)
        if (!infos[i].number)
            sac_print(stdout, "  %s: %s\n", infos[i].name, infos[i].problem);
    for (size_t i = 0; i < count; i++) {
        char names[512];
        if (!infos[i].number)
            continue;
        sac_quarantine_list(&infos[i], print_left_out, (void *)&infos[i]);
        if (sac_verdicts_refused(&infos[i], names, sizeof names))
            sac_print(stdout,
                      "\n%d does not use kernels that gave wrong numbers, and uses simpler ones: "
                      "%s (see: saccade selftest)\n",
                      infos[i].number, names);
    }
}

static void add_left_out(void *user, const char *source, int deaths, const char *file)
{
    cJSON *entry = cJSON_CreateObject();
    (void)file;
    cJSON_AddStringToObject(entry, "source", source);
    cJSON_AddNumberToObject(entry, "deaths", deaths);
    cJSON_AddItemToArray(user, entry);
}

static cJSON *device_json(const sac_device_info *info)
{
    static const char *const verdicts[] = {"untested", "passed", "reduced", "refused"};
    char model[80];
    cJSON *json = cJSON_CreateObject();
    sac_device_model(info, model, sizeof model);
    cJSON_AddNumberToObject(json, "number", info->number);
    cJSON_AddStringToObject(json, "name", info->name);
    cJSON_AddStringToObject(json, "model", model);
    cJSON_AddStringToObject(json, "kind",
                            info->is_gpu   ? "gpu"
                            : info->is_cpu ? "cpu"
                                           : "accelerator");
    cJSON_AddStringToObject(json, "vendor", info->vendor);
    cJSON_AddStringToObject(json, "platform", info->platform);
    cJSON_AddStringToObject(json, "driver", info->driver);
    cJSON_AddStringToObject(json, "version", info->version);
    cJSON_AddNumberToObject(json, "memory_bytes", (double)info->global_bytes);
    cJSON_AddNumberToObject(json, "max_array_bytes", (double)info->max_alloc_bytes);
    cJSON_AddNumberToObject(json, "local_bytes", (double)info->local_bytes);
    cJSON_AddNumberToObject(json, "compute_units", info->compute_units);
    cJSON_AddNumberToObject(json, "max_work_group", info->max_work_group);
    cJSON_AddNumberToObject(json, "float_width", info->float_width);
    cJSON_AddBoolToObject(json, "fp16", info->has_fp16);
    cJSON_AddBoolToObject(json, "fp64", info->has_fp64);
    cJSON_AddBoolToObject(json, "fma", info->has_fma);
    cJSON_AddBoolToObject(json, "subgroups", info->has_subgroups);
    cJSON_AddStringToObject(json, "matrix", sac_matrix_name(info->matrix));
    cJSON_AddStringToObject(json, "self_test", verdicts[info->verdict]);
    char wrong[512];
    sac_quarantine_list(info, add_left_out, cJSON_AddArrayToObject(json, "left_out"));
    sac_verdicts_refused(info, wrong, sizeof wrong);
    cJSON_AddStringToObject(json, "wrong_kernels", wrong);
    cJSON_AddBoolToObject(json, "chosen", info->chosen);
    cJSON_AddStringToObject(json, "reason", info->reason);
    return json;
}

static int run_devices(cli_args args)
{
    bool json = false;
    int files;
    sac_error error = {0};
    sac_device_info *infos;
    size_t count;
    const cli_option options[] = {
        {"--json", CLI_FLAG, &json, NULL, NULL, "print JSON, with more detail"},
        {0},
    };
    int status = cli_parse(args, options, NULL, 0, &files);
    if (status != CLI_DONE)
        return status < 0 ? CLI_DONE : status;
    if (sac_devices_list(&infos, &count, &error) != SAC_OK)
        return cli_report(&error);
    if (json) {
        cJSON *root = cJSON_CreateObject();
        cJSON *devices = cJSON_AddArrayToObject(root, "devices");
        cJSON *broken = cJSON_AddArrayToObject(root, "broken");
        for (size_t i = 0; i < count; i++)
            if (infos[i].number)
                cJSON_AddItemToArray(devices, device_json(&infos[i]));
            else {
                cJSON *one = cJSON_CreateObject();
                cJSON_AddStringToObject(one, "name", infos[i].name);
                cJSON_AddStringToObject(one, "platform", infos[i].platform);
                cJSON_AddStringToObject(one, "version", infos[i].version);
                cJSON_AddStringToObject(one, "problem", infos[i].problem);
                cJSON_AddItemToArray(broken, one);
            }
        cli_print_json(root);
    } else {
        if (print_devices(infos, count, &error) != SAC_OK)
            status = cli_report(&error);
        else
            print_notes(infos, count);
    }
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any = any || infos[i].chosen;
    free(infos);
    /* The list is printed even where nothing in it can be used; then opening reports why. */
    sac_device *device = NULL;
    if (status == CLI_DONE && !any && sac_device_open(NULL, &device, &error) != SAC_OK)
        status = cli_report(&error);
    sac_device_close(device);
    return status;
}

const cli_command cli_devices = {"devices", "[--json]",
                                 "list OpenCL devices, what they support, and which one is used",
                                 run_devices};

/* ---------------------------------------------------------------- saccade selftest: known-answer tests of every kernel
 * variant on a device */

static const char *verdict_name(sac_verdict verdict)
{
    static const char *const names[] = {"untested", "passed", "reduced", "refused"};
    return names[verdict];
}

static const char *verdict_meaning(sac_verdict verdict)
{
    static const char *const meanings[] = {
        [SAC_UNTESTED] = "the test did not run; free some memory and try again",
        [SAC_PASSED] = "the kernels in use are correct",
        [SAC_REDUCED] = "simpler kernels replace those that failed",
        [SAC_REFUSED] = "even the simplest kernel gives wrong numbers; the device is not used",
    };
    return meanings[verdict];
}

static void print_variants(const sac_device *device, const sac_selftest_result *results,
                           size_t count, sac_verdict verdict)
{
    char name[128], error[32];
    int variant_width = 7, test_width = 4;
    sac_device_short_name(sac_device_get_info(device), name, sizeof name);
    for (size_t i = 0; i < count; i++) {
        int variant = (int)strlen(results[i].variant), test = (int)strlen(results[i].test);
        variant_width = variant > variant_width ? variant : variant_width;
        test_width = test > test_width ? test : test_width;
    }
    sac_print(stdout, "%s\n\n  %-*s  %-*s  %8s  %8s\n", name, variant_width, "variant", test_width,
              "test", "error", "bound");
    for (size_t i = 0; i < count; i++) {
        const sac_selftest_result *r = &results[i];
        /* "1.2e-07", or "-" where the test did not run. */
        if (r->error < 0)
            snprintf(error, sizeof error, "-");
        else
            snprintf(error, sizeof error, "%.1e", r->error);
        const char *outcome = r->passed ? "passed" : r->error < 0 ? "did not run" : "FAILED";
        sac_print(stdout, "  %-*s  %-*s  %8s  %8.1e  %s%s%s\n", variant_width, r->variant,
                  test_width, r->test, error, r->bound, outcome, r->message[0] ? ": " : "",
                  r->message);
    }
    sac_print(stdout, "\n%s: %s\n", verdict_name(verdict), verdict_meaning(verdict));
}

static void print_variants_json(const sac_device *device, const sac_selftest_result *results,
                                size_t count, sac_verdict verdict)
{
    const sac_device_info *info = sac_device_get_info(device);
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "device", info->name);
    cJSON_AddStringToObject(root, "platform", info->platform);
    cJSON_AddStringToObject(root, "driver", info->driver);
    cJSON_AddStringToObject(root, "verdict", verdict_name(verdict));
    cJSON *tests = cJSON_AddArrayToObject(root, "tests");
    for (size_t i = 0; i < count; i++) {
        cJSON *test = cJSON_CreateObject();
        cJSON_AddStringToObject(test, "variant", results[i].variant);
        cJSON_AddStringToObject(test, "test", results[i].test);
        cJSON_AddNumberToObject(test, "error", results[i].error < 0 ? NAN : results[i].error);
        cJSON_AddNumberToObject(test, "bound", results[i].bound);
        cJSON_AddBoolToObject(test, "passed", results[i].passed);
        cJSON_AddStringToObject(test, "message", results[i].message);
        cJSON_AddItemToArray(tests, test);
    }
    cli_print_json(root);
}

/* The exit status of a verdict. A failure also prints a line on stderr, as every command does. */
static int report_verdict_status(sac_verdict verdict)
{
    sac_error error = {0};
    if (verdict != SAC_REFUSED && verdict != SAC_UNTESTED)
        return CLI_DONE;
    sac_fail(&error, verdict == SAC_REFUSED ? SAC_E_NO_DEVICE : SAC_E_DEVICE, "self-test", NULL,
             "%s", verdict_meaning(verdict));
    return cli_report(&error);
}

static int run_tests(const char *selector, bool json)
{
    sac_error error = {0};
    sac_device *device = NULL;
    sac_selftest_result *results = NULL;
    size_t count = 0;
    sac_verdict verdict = SAC_UNTESTED;
    sac_progress progress = cli_progress("self-test");
    int status = CLI_DONE;
    if (sac_device_open_untrusted(selector, &device, &error) != SAC_OK ||
        sac_selftest_run(device, &results, &count, &verdict, &progress, &error) != SAC_OK) {
        status = cli_report(&error);
    } else {
        (json ? print_variants_json : print_variants)(device, results, count, verdict);
        status = report_verdict_status(verdict);
    }
    free(results);
    sac_device_close(device);
    return status;
}

static int run_selftest(cli_args args)
{
    bool json = false;
    const char *selector = NULL;
    int files;
    const cli_option options[] = {
        {"--device", CLI_TEXT, &selector, NULL, "S", CLI_DEVICE_HELP},
        {"--json", CLI_FLAG, &json, NULL, NULL, CLI_JSON_HELP},
        {0},
    };
    int status = cli_parse(args, options, NULL, 0, &files);
    if (status != CLI_DONE)
        return status < 0 ? CLI_DONE : status;
    return run_tests(selector, json);
}

const cli_command cli_selftest = {"selftest", "[--device S] [--json]",
                                  "run known-answer tests of every kernel on a device",
                                  run_selftest};

/* ---------------------------------------------------------------- saccade tune: finds the fastest shape of the kernels'
 * tiles on a device, and remembers it */

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

static void print_trials(const sac_device *device, const sac_tune_report *report)
{
    char name[160];
    sac_device_short_name(sac_device_get_info(device), name, sizeof name);
    sac_print(stdout, "%s: %s kernels, %zu heads × %zu tokens, d = %zu\n\n", name,
              sac_variant_name(report->variant), report->heads, report->tokens, report->dim);
    sac_print(stdout, "  %-12s %-12s %s  %8s  of shipped\n", "  registers", "    tile",
              report->trials[0].depth ? "depth" : "strip", "ms");
    for (size_t i = 0; i < report->count; i++) {
        const sac_tune_trial *trial = &report->trials[i];
        const char *note = i == report->kept ? "kept" : i == 0 ? "as shipped" : trial->message;
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

static void print_trials_json(const sac_device *device, const sac_tune_report *report)
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

static int tune(const tune_options *options)
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
            (options->json ? print_trials_json : print_trials)(device, &report);
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
    return tune(&chosen);
}

const cli_command cli_tune = {"tune", "[--device S] [--seconds X] [--json] [--reset]",
                              "find the fastest kernel shapes for a device, and remember them",
                              run_tune};
