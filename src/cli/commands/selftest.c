/* saccade selftest: known-answer tests of every kernel variant on a device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/printable.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "device/device.h"
#include "saccade_tools.h"

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

static void print_table(const sac_device *device, const sac_selftest_result *results, size_t count,
                        sac_verdict verdict)
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

static void print_json(const sac_device *device, const sac_selftest_result *results, size_t count,
                       sac_verdict verdict)
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
static int status_of(sac_verdict verdict)
{
    sac_error error = {0};
    if (verdict != SAC_REFUSED && verdict != SAC_UNTESTED)
        return CLI_DONE;
    sac_fail(&error, verdict == SAC_REFUSED ? SAC_E_NO_DEVICE : SAC_E_DEVICE, "self-test", NULL,
             "%s", verdict_meaning(verdict));
    return cli_report(&error);
}

static int run(const char *selector, bool json)
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
        (json ? print_json : print_table)(device, results, count, verdict);
        status = status_of(verdict);
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
    return run(selector, json);
}

const cli_command cli_selftest = {"selftest", "[--device S] [--json]",
                                  "run known-answer tests of every kernel on a device",
                                  run_selftest};
