/* Tells where a model's time goes: by kinds of work, beside the limits of the device, and layer by
 * layer. */
#include <string.h>

#include "base/text/printable.h"
#include "cli/bench/bench_parts.h"
#include "device/trace.h"

/* The first two are sac_work's. */
enum { PRODUCTS, ATTENTION, NORMS, TURNS, ACTIVATIONS, OTHERS, KINDS };
static const char *const kind_names[KINDS] = {"products", "attention",   "norms",
                                              "rotation", "activations", "others"};

static const struct {
    const char *source;
    int kind;
} kinds[] = {
    {"few_rows", PRODUCTS},       {"few_rows_dots", PRODUCTS},
    {"gemm_in_place", PRODUCTS},  {"gemm_tiled", PRODUCTS},
    {"gemm_naive", PRODUCTS},     {"panels", PRODUCTS},
    {"border", PRODUCTS},         {"widen", PRODUCTS},
    {"attend_cpu", ATTENTION},    {"attend_gpu", ATTENTION},
    {"attend_matrix", ATTENTION}, {"attend_naive", ATTENTION},
    {"attend_token", ATTENTION},  {"pack", ATTENTION},
    {"merge", ATTENTION},         {"overflow", ATTENTION},
    {"layer_norm", NORMS},        {"rotary", TURNS},
    {"activations", ACTIVATIONS}, {"other_activations", ACTIVATIONS},
};

static int kind_of(const char *source)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].source, source) == 0)
            return kinds[i].kind;
    return OTHERS;
}

typedef struct sums {
    double seconds[KINDS],
        between; /* of one; between: from a launch's end to the next one's begin */
    double launches[KINDS], all;
    double operations[SAC_WORKS], bytes[SAC_WORKS];
} sums;

/* Of one layer, or where it is −2 of all. What lies between two launches belongs to the later one. */
static sums sum_up(const bench_traced *traced, int layer)
{
    sums s = {0};
    const sac_trace *trace = traced->trace;
    double each = 1.0 / traced->times;
    for (size_t i = 0; i < trace->launch_count; i++) {
        const sac_traced_launch *l = &trace->launches[i];
        if (layer != -2 && l->layer != layer)
            continue;
        int kind = kind_of(l->source);
        s.seconds[kind] += each * (l->end - l->begin);
        s.launches[kind] += each;
        s.all += each;
        if (i > 0 && l->begin > l[-1].end)
            s.between += each * (l->begin - l[-1].end);
    }
    for (size_t i = 0; i < trace->work_count; i++) {
        const sac_traced_work *w = &trace->works[i];
        if (layer != -2 && w->layer != layer)
            continue;
        s.operations[w->what] += each * w->operations;
        s.bytes[w->what] += each * w->bytes;
    }
    return s;
}

static double busy(const sums *s)
{
    double sum = 0;
    for (int k = 0; k < KINDS; k++)
        sum += s->seconds[k];
    return sum;
}

static void print_kinds(const bench_traced *traced, const bench_limits *limits, const sums *s)
{
    double all = traced->seconds / traced->times, left = all - busy(s) - s->between;
    sac_print(stdout, "\n%s: %.2f ms, %.0f launches\n", traced->what, 1e3 * all, s->all);
    sac_print(stdout, "%-12s %9s %6s %9s %9s %8s %7s %8s\n", "", "ms", "share", "launches",
              "GFLOP/s", "of peak", "GB/s", "of copy");
    for (int k = 0; k < KINDS; k++) {
        double seconds = s->seconds[k];
        if (s->launches[k] == 0)
            continue;
        sac_print(stdout, "%-12s %9.2f %6.2f %9.0f", kind_names[k], 1e3 * seconds, seconds / all,
                  s->launches[k]);
        if (k < SAC_WORKS && seconds > 0)
            sac_print(stdout, " %9.1f %8.2f %7.1f %8.2f", 1e-9 * s->operations[k] / seconds,
                      1e-9 * s->operations[k] / seconds / bench_peak(limits),
                      1e-9 * s->bytes[k] / seconds,
                      1e-9 * s->bytes[k] / seconds / limits->copy_gbs);
        puts("");
    }
    sac_print(stdout, "%-12s %9.2f %6.2f\n", "between", 1e3 * s->between, s->between / all);
    sac_print(stdout, "%-12s %9.2f %6.2f\n", "around", 1e3 * left, left / all);
}

static void print_layers(const bench_traced *traced)
{
    sac_print(stdout, "\n%-12s %9s %9s %9s %9s %9s %9s\n", "ms", "products", "attention", "others",
              "between", "all", "launches");
    for (int layer = -1; layer < traced->layers; layer++) {
        sums s = sum_up(traced, layer);
        char name[24] = "no layer";
        double two = s.seconds[PRODUCTS] + s.seconds[ATTENTION];
        if (layer >= 0)
            snprintf(name, sizeof name, "layer %d", layer);
        sac_print(stdout, "%-12s %9.3f %9.3f %9.3f %9.3f %9.3f %9.0f\n", name,
                  1e3 * s.seconds[PRODUCTS], 1e3 * s.seconds[ATTENTION], 1e3 * (busy(&s) - two),
                  1e3 * s.between, 1e3 * (busy(&s) + s.between), s.all);
    }
}

static void add_sums(cJSON *json, const sums *s)
{
    for (int k = 0; k < KINDS; k++)
        cJSON_AddNumberToObject(json, kind_names[k], 1e3 * s->seconds[k]);
    cJSON_AddNumberToObject(json, "between", 1e3 * s->between);
    cJSON_AddNumberToObject(json, "launches", s->all);
}

static void add_json(const bench_traced *traced, const bench_limits *limits, const sums *all,
                     cJSON *json)
{
    static const char *const names[SAC_WORKS][2] = {{"products_of_peak", "products_of_copy"},
                                                    {"attention_of_peak", "attention_of_copy"}};
    cJSON *one = cJSON_AddObjectToObject(json, traced->key);
    cJSON_AddNumberToObject(one, "ms", 1e3 * traced->seconds / traced->times);
    add_sums(one, all);
    for (int k = 0; k < SAC_WORKS; k++) {
        double rate = all->seconds[k] > 0 ? 1e-9 / all->seconds[k] : 0;
        cJSON_AddNumberToObject(one, names[k][0], rate * all->operations[k] / bench_peak(limits));
        cJSON_AddNumberToObject(one, names[k][1], rate * all->bytes[k] / limits->copy_gbs);
    }
    cJSON *layers = cJSON_AddArrayToObject(one, "by_layer");
    for (int layer = 0; layer < traced->layers; layer++) {
        cJSON *each = cJSON_CreateObject();
        sums s = sum_up(traced, layer);
        add_sums(each, &s);
        cJSON_AddItemToArray(layers, each);
    }
}

void bench_print_layers(const bench_traced *traced, const bench_limits *limits, cJSON *json)
{
    sums all = sum_up(traced, -2);
    if (json) {
        add_json(traced, limits, &all, json);
        return;
    }
    print_kinds(traced, limits, &all);
    print_layers(traced);
}
