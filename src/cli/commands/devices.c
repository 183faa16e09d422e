/* saccade devices: what there is to compute on, what it can do, and which one is taken. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/printable.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "device/device.h"
#include "device/quarantine.h"

static sac_status print_table(const sac_device_info *infos, size_t count, sac_error *error)
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
        if (print_table(infos, count, &error) != SAC_OK)
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
