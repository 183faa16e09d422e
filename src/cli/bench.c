/* saccade bench: how fast this device is, beside what it could reach. */
#include "cli/bench.h"

#include <stdlib.h>
#include <string.h>

#include "device/device.h"

void bench_add(bench_times *times, double seconds)
{
    if (times->count < BENCH_MAX_TIMES)
        times->seconds[times->count++] = seconds;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_quantile(const bench_times *times, double share)
{
    bench_times sorted = *times;
    if (sorted.count == 0)
        return 0;
    qsort(sorted.seconds, (size_t)sorted.count, sizeof *sorted.seconds, compare);
    double place = share * (sorted.count - 1);
    int below = (int)place, above = below + 1 < sorted.count ? below + 1 : below;
    return sorted.seconds[below] +
           (place - below) * (sorted.seconds[above] - sorted.seconds[below]);
}

static sac_status run_attention(const char *selector, const bench_choice *choice, cJSON *json,
                                sac_error *error)
{
    sac_device *device = NULL;
    sac_status status = sac_device_open(selector, &device, error);
    if (status == SAC_OK)
        status = bench_attention(device, choice, json, error);
    sac_device_close(device);
    return status;
}

/* Both parts' findings in one object each; a single part's are the whole. */
static cJSON *room_for(cJSON *json, const char *part, bool alone)
{
    return json && !alone ? cJSON_AddObjectToObject(json, part) : json;
}

static void print_json(const cJSON *json)
{
    char *text = cJSON_Print(json);
    if (text)
        puts(text);
    cJSON_free(text);
}

int cli_bench(cli_args args)
{
    const char *what[1] = {NULL}, *device = NULL;
    bench_choice choice = {0};
    bool as_json = false;
    int count;
    const cli_option options[] = {
        {"--device", CLI_TEXT, &device, NULL, "S", "a number from `saccade devices`, cpu, gpu, …"},
        {"--json", CLI_FLAG, &as_json, NULL, NULL, "for programs"},
        {"--case", CLI_TEXT, &choice.only, NULL, "NAME", "one case of attention's table"},
        {"--long", CLI_FLAG, &choice.with_long, NULL, NULL, "65536 tokens, too"},
        {"--peer", CLI_TEXT, &choice.peer, NULL, "P",
         "clblast: attention by its products and a softmax, to compare with"},
        {0},
    };
    int usage = cli_parse(cli_find("bench"), args, options, what, 1, &count);
    if (usage != CLI_DONE)
        return usage < 0 ? CLI_DONE : usage;
    bool chosen = choice.only || choice.with_long || choice.peer;
    bool view = count == 0 ? !chosen : strcmp(what[0], "view") == 0;
    bool attention = count == 0 || strcmp(what[0], "attention") == 0;
    if (!view && !attention)
        return cli_usage(what[0], "is nothing to measure", "give view or attention, or neither");
    if (!attention && chosen)
        return cli_usage("view", "has no cases to choose", "give attention");
    usage = bench_check_choice(&choice);
    if (usage != CLI_DONE)
        return usage;
    sac_error error = {0};
    cJSON *json = as_json ? cJSON_CreateObject() : NULL;
    sac_status status = SAC_OK;
    if (view)
        status = bench_view(device, room_for(json, "view", !attention), &error);
    if (status == SAC_OK && view && attention && !as_json)
        puts("");
    if (status == SAC_OK && attention)
        status = run_attention(device, &choice, room_for(json, "attention", !view), &error);
    cli_progress_clear();
    if (status == SAC_OK && as_json)
        print_json(json);
    cJSON_Delete(json);
    return status == SAC_OK ? CLI_DONE : cli_report(&error);
}
