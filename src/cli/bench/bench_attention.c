/* Attention over a table of cases, in alternating runs, each beside the limit of the same run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/plan/tuning.h"
#include "attention/run/run.h"
#include "attention/selftest/selftest_backward.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "base/text/suggestion.h"
#include "cli/bench/bench_case.h"
#include "device/device.h"
#include "saccade_cl.h"
#include "scores/scores.h"

enum { ROUNDS = 7, LEAST_RUNS = 3, KNOWN_TILES = 4 };
#define ROUND_SECONDS 0.02 /* a short case is run again and again for so long each round */
#define CASE_SECONDS 3.0   /* a long one gets fewer rounds … */
#define PATIENCE 45.0      /* … and a slow device fewer of everything */

typedef struct bench_subject {
    const bench_case *which;
    sac_device *device;
    sac_attention *attention;
    bench_arrays backward; /* what a backward pass reads, for its shapes; else empty */
    cl_mem read[4];        /* query, key, value and doutput of a backward pass, on the device */
    cl_mem written[3];     /* the output; or dQ, dK and dV; none of a tile, which is read */
    float *output;         /* or the weights of a tile, or dQ, dK and dV, once all is measured */
    size_t next_row;       /* of the next tile */
    bench_times times;
    double spent; /* seconds, all runs together */
} bench_subject;

typedef struct bench_table {
    sac_device *device;
    bench_subject *subjects;
    size_t count;
    bench_limits limits;
} bench_table;

/* ---------------------------------------------------------------- choosing the cases */

static bool is_wanted(const bench_case *which, const bench_choice *choice, sac_device *device)
{
    for (int i = 0; i < choice->only.count; i++)
        if (strcmp(which->name, choice->only.values[i]) == 0)
            return true;
    if (choice->only.count)
        return false;
    if (which->for_gpus && sac_device_get_info(device)->is_cpu)
        return false;
    return choice->with_long || !which->is_long;
}

static int check_case(const char *name)
{
    char todo[64] = "see the names in the table of all";
    sac_suggestion suggestion = {name};
    for (size_t i = 0; i < bench_case_count; i++) {
        if (strcmp(bench_cases[i].name, name) == 0)
            return CLI_DONE;
        sac_suggestion_try(&suggestion, bench_cases[i].name);
    }
    if (sac_suggestion_get(&suggestion))
        snprintf(todo, sizeof todo, "did you mean %s?", sac_suggestion_get(&suggestion));
    return cli_usage(name, "unknown case", todo);
}

int bench_check_choice(const bench_choice *choice)
{
    int status = CLI_DONE;
    for (int i = 0; i < choice->only.count && status == CLI_DONE; i++)
        status = check_case(choice->only.values[i]);
    return status;
}

/* ---------------------------------------------------------------- making the cases */

static sac_attention_spec spec_of(const bench_case *c)
{
    return (sac_attention_spec){.score = c->score,
                                .bandwidth = 1 / 0.1f,
                                .causal = c->mask == BENCH_CAUSAL,
                                .storage = c->storage};
}

static sac_attention_input input_of(const bench_case *c, const bench_arrays *arrays)
{
    bool additive = c->score == SAC_SCORE_ADDITIVE;
    return (sac_attention_input){.query = &arrays->query,
                                 .key = &arrays->key,
                                 .value = c->tile ? NULL : &arrays->value,
                                 .key_padding_mask =
                                     c->mask == BENCH_PADDING ? &arrays->padding : NULL,
                                 .score_W_q = additive ? &arrays->W_q : NULL,
                                 .score_W_k = additive ? &arrays->W_k : NULL,
                                 .score_w_v = additive ? &arrays->w_v : NULL};
}

/* Numbers of the output, or of a tile; or of the gradients of query, key and value. */
static size_t written_floats(const bench_case *c, int which)
{
    size_t rows = which == 0 ? c->tokens : c->backward ? c->keys : 0;
    return c->tile ? (which == 0) * c->tile * c->tile : c->heads * rows * c->dim;
}

static size_t output_floats(const bench_case *c)
{
    return written_floats(c, 0) + written_floats(c, 1) + written_floats(c, 2);
}

/* A backward pass reads and writes buffers: what passes between the host and a device of its own is
 * no part of its time. */
static sac_status place_arrays(bench_subject *subject, sac_error *error)
{
    const bench_arrays *a = &subject->backward;
    const sac_array *const arrays[] = {&a->query, &a->key, &a->value, &a->doutput};
    sac_status status = SAC_OK;
    for (int i = 0; i < 4 && status == SAC_OK; i++)
        status = sac_buffer_create(subject->device, sac_array_count(arrays[i]) * sizeof(float),
                                   arrays[i]->data, &subject->read[i], error);
    return status;
}

static sac_status prepare(bench_subject *subject, sac_error *error)
{
    bench_arrays arrays = {0};
    const bench_case *c = subject->which;
    subject->output = malloc(output_floats(c) * sizeof *subject->output);
    if (!subject->output)
        return sac_no_memory(error, "bench");
    sac_status status = bench_arrays_make(c, &arrays, error);
    for (int i = 0; i < 3 && status == SAC_OK && !c->tile; i++)
        if (written_floats(c, i))
            status = sac_buffer_create(subject->device, written_floats(c, i) * sizeof(float), NULL,
                                       &subject->written[i], error);
    if (status == SAC_OK && c->backward) {
        subject->backward = arrays;
        return place_arrays(subject, error);
    }
    if (status == SAC_OK) {
        sac_attention_spec spec = spec_of(c);
        sac_attention_input input = input_of(c, &arrays);
        status = sac_attention_create(subject->device, &spec, &input, &subject->attention, error);
    }
    bench_arrays_free(&arrays);
    if (status == SAC_OK && c->rows_known)
        status = sac_stats_need(subject->attention, 0, 0, KNOWN_TILES * c->tile, error);
    return status;
}

static sac_status prepare_all(bench_table *table, const bench_choice *choice, sac_error *error)
{
    sac_progress progress = cli_progress("making the cases");
    table->subjects = calloc(bench_case_count, sizeof *table->subjects);
    if (!table->subjects)
        return sac_no_memory(error, "bench");
    sac_status status = SAC_OK;
    for (size_t i = 0; i < bench_case_count && status == SAC_OK; i++) {
        if (!progress.step(progress.user, (double)i / (double)bench_case_count))
            return sac_fail(error, SAC_E_CANCELLED, "bench", NULL, "interrupted");
        if (!is_wanted(&bench_cases[i], choice, table->device))
            continue;
        bench_subject *subject = &table->subjects[table->count++];
        subject->which = &bench_cases[i];
        subject->device = table->device;
        status = prepare(subject, error);
    }
    return status;
}

/* ---------------------------------------------------------------- running */

static bool not_interrupted(void *user, double done)
{
    (void)user, (void)done;
    return !cli_interrupted();
}

/* Other rows each time, as one sees who moves over the matrix: among those that are known, or where
 * what is known of the last tile's is of no use. */
static sac_status run_tile(bench_subject *subject, sac_error *error)
{
    const bench_case *c = subject->which;
    size_t row = subject->next_row;
    sac_tile tile = {.row = row, .rows = c->tile, .col = row, .cols = c->tile};
    subject->next_row = (row + c->tile) % (c->rows_known ? KNOWN_TILES * c->tile : c->tokens);
    if (!c->rows_known && subject->next_row == 0) /* all rows are known by now */
        memset(subject->attention->stats_known, 0, (c->tokens - 1) / SAC_STATS_ROWS + 1);
    return sac_attention_tile(subject->attention, &tile, subject->output, error);
}

/* [1,H,T,d] in a buffer. */
static sac_cl_array in_buffer(cl_mem buffer, size_t heads, size_t rows, size_t dim)
{
    return (sac_cl_array){.buffer = buffer, .rank = 4, .shape = {1, heads, rows, dim}};
}

/* A whole call: forward again, and the gradients of query, key and value. */
static sac_status run_backward(const bench_subject *subject, const sac_progress *progress,
                               sac_error *error)
{
    const bench_case *c = subject->which;
    sac_attention_spec spec = spec_of(c);
    sac_attention_input others = input_of(c, &subject->backward);
    sac_cl_input input = {.query = in_buffer(subject->read[0], c->heads, c->tokens, c->dim),
                          .key = in_buffer(subject->read[1], c->heads, c->keys, c->dim),
                          .value = in_buffer(subject->read[2], c->heads, c->keys, c->dim)};
    sac_cl_gradients gradients = {subject->written[0], subject->written[1], subject->written[2]};
    return sac_attend_backward_cl(subject->device, &spec, &input, &others, subject->read[3],
                                  &gradients, NULL, progress, error);
}

static sac_status run_once(bench_subject *subject, sac_error *error)
{
    sac_cl_output output = {.output = subject->written[0]};
    sac_progress progress = {.step = not_interrupted};
    if (subject->which->backward)
        return run_backward(subject, &progress, error);
    return subject->which->tile
               ? run_tile(subject, error)
               : sac_attention_run_cl(subject->attention, &output, NULL, &progress, error);
}

/* One round's runs of a case; the first round's, which compiles, does not count. */
static sac_status run_round(bench_subject *subject, bool counts, sac_error *error)
{
    sac_status status = SAC_OK;
    double begin = sac_now(), end = begin;
    while (status == SAC_OK && (end == begin || (counts && end - begin < ROUND_SECONDS))) {
        double start = sac_now();
        status = run_once(subject, error);
        end = sac_now();
        if (status == SAC_OK && counts)
            bench_add(&subject->times, end - start);
    }
    subject->spent += counts ? end - begin : 0;
    return status;
}

static bool is_done(const bench_subject *subject)
{
    return subject->times.count >= LEAST_RUNS && subject->spent > CASE_SECONDS;
}

static double all_operations(const bench_table *table)
{
    double all = 0;
    for (size_t i = 0; i < table->count; i++)
        all += bench_operations(table->subjects[i].which);
    return all;
}

/* Goes through all cases round after round, so that a disturbance falls on all of them. A single
 * case that was asked for runs, however long it takes. */
static sac_status run_all(bench_table *table, sac_error *error)
{
    sac_progress progress = cli_progress("measuring attention");
    double start = sac_now(), in_round = all_operations(table), patience = PATIENCE;
    sac_status status = SAC_OK;
    for (int round = 0; round <= ROUNDS && status == SAC_OK; round++) {
        double begun = 0;
        for (size_t i = 0; i < table->count && status == SAC_OK; i++) {
            bench_subject *subject = &table->subjects[i];
            bool needed = table->count == 1 && subject->times.count == 0;
            if (!progress.step(progress.user, (round + begun / in_round) / (ROUNDS + 1)))
                return sac_fail(error, SAC_E_CANCELLED, "bench", NULL, "interrupted");
            begun += bench_operations(subject->which);
            if (needed || (!is_done(subject) && sac_now() - start < patience))
                status = run_round(subject, round > 0, error);
        }
    }
    return status;
}

/* ---------------------------------------------------------------- telling */

/* Everything that the case keeps on the device: inputs as the kernels read them, statistics,
 * output, and what is in between. */
static double held_bytes(const bench_subject *subject)
{
    const sac_attention *a = subject->attention;
    const cl_mem buffers[] = {a->query,        a->key,     a->value,           a->score_weight,
                              a->padding,      a->mask,    a->nothing,         a->stats,
                              a->heads_output, a->scratch, subject->written[0]};
    double sum = 0;
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        size_t bytes = 0;
        if (buffers[i])
            clGetMemObjectInfo(buffers[i], CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
        sum += (double)bytes;
    }
    return sum;
}

static double share_of_limit(const bench_case *c, double seconds, const bench_limits *limits)
{
    double bytes = 2.0 * (double)(c->heads * c->keys * c->dim) * sizeof(float);
    return bench_is_memory_bound(c) ? bytes / seconds * 1e-9 / limits->copy_gbs
                                    : bench_operations(c) / seconds * 1e-9 / bench_peak(limits);
}

static sac_status read_outputs(const bench_subject *subject, sac_error *error)
{
    float *to = subject->output;
    sac_status status = SAC_OK;
    for (int i = 0; i < 3 && subject->written[i] && status == SAC_OK; i++) {
        size_t floats = written_floats(subject->which, i);
        status = sac_buffer_read(subject->device, subject->written[i], 0, floats * sizeof(float),
                                 to, error);
        to += floats;
    }
    return status;
}

/* Root mean square: two ways to the same output can be told apart by it. */
static double size_of_output(const bench_subject *subject)
{
    double sum = 0;
    size_t count = output_floats(subject->which);
    for (size_t i = 0; i < count; i++)
        sum += (double)subject->output[i] * subject->output[i];
    return sqrt(sum / (double)count);
}

static const char *variant_of(const bench_subject *subject)
{
    sac_variant variant = SAC_VARIANT_AUTO;
    if (subject->attention)
        variant = sac_attention_get_variant(subject->attention);
    else /* chosen when it ran: this asks for it again */
        sac_backward_choose(subject->device, sac_score_form(subject->which->score), false, &variant,
                            NULL);
    return sac_variant_name(variant);
}

static void add_case(cJSON *list, const bench_subject *subject, const bench_limits *limits)
{
    const bench_case *c = subject->which;
    double median = bench_quantile(&subject->times, 0.5);
    double gflops = bench_operations(c) / median * 1e-9;
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "score", sac_score_name(c->score));
    cJSON_AddNumberToObject(item, "heads", (double)c->heads);
    cJSON_AddNumberToObject(item, "tokens", (double)c->tokens);
    cJSON_AddNumberToObject(item, "keys", (double)c->keys);
    cJSON_AddNumberToObject(item, "dim", (double)c->dim);
    cJSON_AddStringToObject(item, "mask", bench_mask_name(c->mask));
    cJSON_AddStringToObject(item, "storage", sac_storage_name(c->storage));
    cJSON_AddNumberToObject(item, "ms", 1e3 * median);
    cJSON_AddNumberToObject(item, "gflops", gflops);
    cJSON_AddNumberToObject(item, "share_of_peak", gflops / bench_peak(limits));
    /* null for a backward pass, whose buffers are gone when the call ends. */
    if (subject->which->backward)
        cJSON_AddNullToObject(item, "scratch_bytes");
    else
        cJSON_AddNumberToObject(item, "scratch_bytes", held_bytes(subject));
    cJSON_AddStringToObject(item, "name", c->name);
    cJSON_AddStringToObject(item, "variant", variant_of(subject));
    cJSON_AddNumberToObject(item, "tile", (double)c->tile);
    cJSON_AddBoolToObject(item, "rows_known", c->rows_known);
    cJSON_AddBoolToObject(item, "backward", c->backward);
    cJSON_AddNumberToObject(item, "ms_low", 1e3 * bench_quantile(&subject->times, 0));
    cJSON_AddNumberToObject(item, "ms_high", 1e3 * bench_quantile(&subject->times, 1));
    cJSON_AddNumberToObject(item, "runs", subject->times.count);
    cJSON_AddStringToObject(item, "limit", bench_is_memory_bound(c) ? "copy" : "peak");
    cJSON_AddNumberToObject(item, "share_of_limit", share_of_limit(c, median, limits));
    cJSON_AddNumberToObject(item, "io_bytes", bench_io_bytes(c));
    cJSON_AddNumberToObject(item, "output_rms", size_of_output(subject));
    cJSON_AddItemToArray(list, item);
}

static void print_case(const bench_subject *subject, const bench_limits *limits)
{
    const bench_case *c = subject->which;
    double median = bench_quantile(&subject->times, 0.5);
    char size[48], held[16] = "–";
    if (c->tile)
        snprintf(size, sizeof size, "%zu² of %zu", c->tile, c->keys);
    else if (c->tokens == c->keys)
        snprintf(size, sizeof size, "%zu", c->tokens);
    else
        snprintf(size, sizeof size, "%zu to %zu", c->tokens, c->keys);
    if (!c->backward)
        snprintf(held, sizeof held, "%.1f", held_bytes(subject) / (1 << 20));
    sac_print(stdout,
              "%-16s %-10s %2zu %*s %4zu  %-7s %8.2f %8.2f … %-8.2f %6.1f %5.2f of %s %*s\n",
              c->name, sac_score_name(c->score), c->heads, c->tile ? 14 : 13, size, c->dim,
              bench_mask_name(c->mask), 1e3 * median, 1e3 * bench_quantile(&subject->times, 0),
              1e3 * bench_quantile(&subject->times, 1), bench_operations(c) / median * 1e-9,
              share_of_limit(c, median, limits), bench_is_memory_bound(c) ? "copy" : "peak",
              c->backward ? 8 : 6, held); /* "–" has three bytes */
}

#define NEAR 0.9 /* of the C peak: what a compiler of OpenCL should reach */

/* True where `saccade tune` chose the tiles of dot products. */
static bool is_tuned(const bench_table *table)
{
    sac_variant variant;
    return sac_tuning_get(table->device, &variant) != NULL;
}

static void print_limits(const bench_table *table, const char *device)
{
    const bench_limits *limits = &table->limits;
    sac_print(stdout, "attention on %s%s\nlimits: %.0f GFLOP/s in multiply-adds", device,
              is_tuned(table) ? ", tuned" : "", bench_peak(limits));
    if (limits->c_gflops > 0)
        sac_print(stdout, " (OpenCL %.0f, plain C %.0f)", limits->opencl_gflops, limits->c_gflops);
    sac_print(stdout, ", %.1f GB/s copied\n", limits->copy_gbs);
    if (limits->opencl_gflops < NEAR * limits->c_gflops)
        sac_print(
            stdout,
            "warning: OpenCL reaches %.2f of what plain C does; shares are of plain C's peak\n",
            limits->opencl_gflops / limits->c_gflops);
    putchar('\n');
}

static void print_table(const bench_table *table, const char *device)
{
    size_t left_out = 0;
    print_limits(table, device);
    sac_print(stdout, "%-16s %-10s %2s %13s %4s  %-7s %8s %19s %6s %13s %6s\n", "case", "score",
              "H", "tokens", "dim", "mask", "ms", "fastest … slowest", "GFLOP/s", "share", "MiB");
    for (size_t i = 0; i < table->count; i++)
        if (table->subjects[i].times.count)
            print_case(&table->subjects[i], &table->limits);
        else
            left_out++;
    if (left_out)
        sac_print(stdout, "%zu cases were left out, to be done in a minute; --case runs one\n",
                  left_out);
}

static void add_table(cJSON *json, const bench_table *table, const char *device)
{
    cJSON_AddStringToObject(json, "device", device);
    cJSON_AddNumberToObject(json, "peak_gflops", bench_peak(&table->limits));
    cJSON_AddNumberToObject(json, "copy_gbs", table->limits.copy_gbs);
    cJSON_AddBoolToObject(json, "tuned", is_tuned(table));
    cJSON *list = cJSON_AddArrayToObject(json, "cases");
    for (size_t i = 0; i < table->count; i++)
        if (table->subjects[i].times.count)
            add_case(list, &table->subjects[i], &table->limits);
    cJSON_AddNumberToObject(json, "peak_opencl_gflops", table->limits.opencl_gflops);
    cJSON_AddNumberToObject(json, "peak_c_gflops", table->limits.c_gflops);
}

sac_status bench_attention(sac_device *device, const bench_choice *choice, cJSON *json,
                           sac_error *error)
{
    char name[160];
    bench_table table = {.device = device};
    sac_device_short_name(sac_device_get_info(device), name, sizeof name);
    sac_status status = bench_measure_limits(device, &table.limits, error);
    if (status == SAC_OK)
        status = prepare_all(&table, choice, error);
    if (status == SAC_OK)
        status = run_all(&table, error);
    if (status == SAC_OK)
        status = bench_measure_limits(device, &table.limits, error);
    for (size_t i = 0; i < table.count && status == SAC_OK; i++)
        if (table.subjects[i].times.count)
            status = read_outputs(&table.subjects[i], error);
    cli_progress_clear();
    if (status == SAC_OK && json)
        add_table(json, &table, name);
    else if (status == SAC_OK)
        print_table(&table, name);
    for (size_t i = 0; i < table.count; i++) {
        sac_attention_destroy(table.subjects[i].attention);
        bench_arrays_free(&table.subjects[i].backward);
        for (int b = 0; b < 4; b++)
            sac_buffer_release(table.subjects[i].read[b]);
        for (int b = 0; b < 3; b++)
            sac_buffer_release(table.subjects[i].written[b]);
        free(table.subjects[i].output);
    }
    free(table.subjects);
    return status;
}
