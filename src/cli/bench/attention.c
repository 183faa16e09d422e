/* Attention over a table of cases, in alternating runs, each beside the limit of the same run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/plan/tuning.h"
#include "attention/run/run.h"
#include "attention/selftest/selftest_backward.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random/random.h"
#include "base/text/printable.h"
#include "base/text/suggestion.h"
#include "cli/bench/bench.h"
#include "device/device.h"
#include "saccade_cl.h"
#include "scores/scores.h"

enum { ROUNDS = 7, LEAST_RUNS = 3, KNOWN_TILES = 4 };
#define ROUND_SECONDS 0.02 /* a short case is run again and again for so long each round */
#define CASE_SECONDS 3.0   /* a long one gets fewer rounds … */
#define PATIENCE 45.0      /* … and a slow device fewer of everything */

/* ---------------------------------------------------------------- the cases */

typedef enum bench_mask { BENCH_NO_MASK, BENCH_CAUSAL, BENCH_PADDING } bench_mask;
static const char *const mask_names[] = {"none", "causal", "padding"};

typedef struct bench_case {
    const char *name;
    sac_score score;
    size_t heads, tokens, keys, dim; /* of an additive score, dim is the hidden size too */
    bench_mask mask;
    size_t tile;     /* a square of the weights instead of outputs; else 0 */
    bool rows_known; /* the tile's log-sum-exps were computed before, as by a run */
    bool backward;   /* a whole sac_attend_backward: forward again, then the gradients */
    sac_storage storage;
    sac_normalizer normalizer;
    bool is_long;  /* many seconds a run */
    bool for_gpus; /* measured on a CPU only when asked for: it computes as with float32 */
} bench_case;

#define DOT SAC_SCORE_SCALED_DOT

/* Name, score, heads, tokens, keys, dim; and what sets a case apart. */
static const bench_case bench_cases[] = {
    {"128", DOT, 8, 128, 128, 64},
    {"512", DOT, 8, 512, 512, 64},
    {"1000", DOT, 8, 1000, 1000, 64},
    {"1024", DOT, 8, 1024, 1024, 64},
    {"2048", DOT, 8, 2048, 2048, 64},
    {"4096", DOT, 8, 4096, 4096, 64},
    {"8192", DOT, 8, 8192, 8192, 64},
    {"16384", DOT, 8, 16384, 16384, 64},
    {"65536", DOT, 1, 65536, 65536, 64, .is_long = true},
    {"2048-d32", DOT, 8, 2048, 2048, 32},
    {"1000-d80", DOT, 8, 1000, 1000, 80},
    {"2048-d80", DOT, 8, 2048, 2048, 80},
    {"2048-d128", DOT, 8, 2048, 2048, 128},
    {"4096-d128", DOT, 8, 4096, 4096, 128},
    {"512-bfloat16", DOT, 8, 512, 512, 64, .storage = SAC_STORAGE_BF16},
    {"2048-bfloat16", DOT, 8, 2048, 2048, 64, .storage = SAC_STORAGE_BF16},
    {"4096-bfloat16", DOT, 8, 4096, 4096, 64, .storage = SAC_STORAGE_BF16},
    {"4096-d128-bfloat16", DOT, 8, 4096, 4096, 128, .storage = SAC_STORAGE_BF16},
    {"4096-causal-bfloat16", DOT, 8, 4096, 4096, 64, BENCH_CAUSAL, .storage = SAC_STORAGE_BF16},
    {"1024-float16", DOT, 8, 1024, 1024, 64, .storage = SAC_STORAGE_F16, .for_gpus = true},
    {"4096-float16", DOT, 8, 4096, 4096, 64, .storage = SAC_STORAGE_F16, .for_gpus = true},
    {"16384-float16", DOT, 8, 16384, 16384, 64, .storage = SAC_STORAGE_F16, .for_gpus = true},
    {"4096-d128-float16", DOT, 8, 4096, 4096, 128, .storage = SAC_STORAGE_F16, .for_gpus = true},
    {"4096-causal-float16", DOT, 8, 4096, 4096, 64, BENCH_CAUSAL, .storage = SAC_STORAGE_F16,
     .for_gpus = true},
    {"1000-causal", DOT, 8, 1000, 1000, 64, .mask = BENCH_CAUSAL},
    {"4096-causal", DOT, 8, 4096, 4096, 64, .mask = BENCH_CAUSAL},
    {"2048-d128-causal", DOT, 8, 2048, 2048, 128, .mask = BENCH_CAUSAL},
    {"2048-padding", DOT, 8, 2048, 2048, 64, .mask = BENCH_PADDING},
    {"query", DOT, 8, 1, 16384, 64},
    {"tile", DOT, 1, 65536, 65536, 64, .tile = 512, .rows_known = true},
    {"tile-new", DOT, 1, 65536, 65536, 64, .tile = 512},
    {"additive", SAC_SCORE_ADDITIVE, 1, 1024, 1024, 64},
    {"gaussian", SAC_SCORE_GAUSSIAN, 8, 2048, 2048, 64},
    {"1024-entmax15", DOT, 8, 1024, 1024, 64, .normalizer = SAC_NORMALIZER_ENTMAX15},
    {"4096-entmax15", DOT, 8, 4096, 4096, 64, .normalizer = SAC_NORMALIZER_ENTMAX15},
    {"1024-sparsemax", DOT, 8, 1024, 1024, 64, .normalizer = SAC_NORMALIZER_SPARSEMAX},
    {"4096-sparsemax", DOT, 8, 4096, 4096, 64, .normalizer = SAC_NORMALIZER_SPARSEMAX},
    {"1024-backward", DOT, 8, 1024, 1024, 64, .backward = true},
    {"entmax15-backward", DOT, 8, 1024, 1024, 64, .backward = true,
     .normalizer = SAC_NORMALIZER_ENTMAX15},
    {"sparsemax-backward", DOT, 8, 1024, 1024, 64, .backward = true,
     .normalizer = SAC_NORMALIZER_SPARSEMAX},
    {"4096-backward", DOT, 8, 4096, 4096, 64, .backward = true},
    {"d128-backward", DOT, 8, 2048, 2048, 128, .backward = true},
    {"causal-backward", DOT, 8, 4096, 4096, 64, .mask = BENCH_CAUSAL, .backward = true},
};
enum { CASES = sizeof bench_cases / sizeof *bench_cases };

/* 4·Tq·Tk·d a head: a multiply and an add for each of the two products. A causal matrix counts only
 * the half that is needed; a tile the scores in it, and where the statistics of its rows are not
 * known before, those with every key, which their softmax needs. The backward pass counts 3.5 times
 * as much, seven products: forward's two, which are computed again, and five for the gradients, of
 * which one computes the scores again. Kernels that take two passes compute more; it is not
 * counted. */
static double operations_of(const bench_case *which)
{
    double keys = (double)which->keys, dim = (double)which->dim, tile = (double)which->tile;
    if (which->tile)
        return 2 * tile * ((which->rows_known ? 0 : keys) + tile) * dim;
    double all =
        (which->backward ? 14 : 4) * (double)which->heads * (double)which->tokens * keys * dim;
    return which->mask == BENCH_CAUSAL ? all / 2 : all;
}

/* A single query reads each key and value once and has little else to do: its limit is memory. */
static bool is_memory_bound(const bench_case *which)
{
    return which->tokens == 1;
}

/* Bytes of the inputs and the outputs together, in float32. */
static double io_bytes_of(const bench_case *which)
{
    size_t tokens = which->tokens, keys = which->keys;
    size_t rows = which->tile       ? tokens + keys
                  : which->backward ? 3 * tokens + 4 * keys /* dO and dQ, too, dK and dV */
                                    : 2 * (tokens + keys);
    return (double)(which->heads * rows * which->dim + which->tile * which->tile) * sizeof(float);
}

/* Query, key and value [1,H,T,d] and what else the case has; doutput [1,H,Tq,d] goes backwards. */
typedef struct bench_arrays {
    sac_array query, key, value, padding, W_q, W_k, w_v, doutput;
} bench_arrays;
/* Uniform, of mean 0 and variance 1. */
static sac_status random_array(int rank, const size_t *shape, unsigned seed, sac_array *array,
                               sac_error *error)
{
    sac_status status = sac_array_create(SAC_F32, rank, shape, array, error);
    float *data = array->data;
    for (size_t i = 0; status == SAC_OK && i < sac_array_count(array); i++)
        data[i] = (sac_philox_uniform((uint32_t)i, 0, seed) - 0.5f) * 3.4641016f;
    return status;
}

static sac_status make_arrays(const bench_case *which, bench_arrays *arrays, sac_error *error)
{
    size_t query[] = {1, which->heads, which->tokens, which->dim};
    size_t key[] = {1, which->heads, which->keys, which->dim}, weight[] = {which->dim, which->dim};
    sac_status status = random_array(4, query, 1, &arrays->query, error);
    if (status == SAC_OK)
        status = random_array(4, key, 2, &arrays->key, error);
    if (status == SAC_OK && !which->tile)
        status = random_array(4, key, 3, &arrays->value, error);
    if (status == SAC_OK && which->mask == BENCH_PADDING) {
        /* The last eighth of the keys is padding. */
        size_t shape[] = {1, which->keys};
        status = sac_array_create(SAC_BOOL, 2, shape, &arrays->padding, error);
        for (size_t i = 0; status == SAC_OK && i < which->keys; i++)
            ((uint8_t *)arrays->padding.data)[i] = i >= which->keys / 8 * 7;
    }
    if (status == SAC_OK && which->backward)
        status = random_array(4, query, 7, &arrays->doutput, error);
    if (which->score != SAC_SCORE_ADDITIVE || status != SAC_OK)
        return status;
    status = random_array(2, weight, 4, &arrays->W_q, error);
    if (status == SAC_OK)
        status = random_array(2, weight, 5, &arrays->W_k, error);
    return status == SAC_OK ? random_array(1, weight, 6, &arrays->w_v, error) : status;
}

static void free_arrays(bench_arrays *arrays)
{
    sac_array *const all[] = {&arrays->query, &arrays->key, &arrays->value, &arrays->padding,
                              &arrays->W_q,   &arrays->W_k, &arrays->w_v,   &arrays->doutput};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sac_array_free(all[i]);
}

/* ---------------------------------------------------------------- choosing them */

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
    char remedy[64] = "see the names in the table of all";
    sac_suggestion suggestion = {name};
    for (int i = 0; i < CASES; i++) {
        if (strcmp(bench_cases[i].name, name) == 0)
            return CLI_DONE;
        sac_suggestion_try(&suggestion, bench_cases[i].name);
    }
    if (sac_suggestion_get(&suggestion))
        snprintf(remedy, sizeof remedy, "did you mean %s?", sac_suggestion_get(&suggestion));
    return cli_usage(name, "unknown case", remedy);
}

int bench_check_choice(const bench_choice *choice)
{
    int status = CLI_DONE;
    for (int i = 0; i < choice->only.count && status == CLI_DONE; i++)
        status = check_case(choice->only.values[i]);
    return status;
}

/* ---------------------------------------------------------------- making the cases */

static sac_attention_spec case_attention_spec(const bench_case *c)
{
    return (sac_attention_spec){.score = c->score,
                                .bandwidth = 1 / 0.1f,
                                .causal = c->mask == BENCH_CAUSAL,
                                .normalizer = c->normalizer,
                                .storage = c->storage};
}

static sac_attention_input case_attention_input(const bench_case *c, const bench_arrays *arrays)
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
static size_t floats_of_output(const bench_case *c, int which)
{
    size_t rows = which == 0 ? c->tokens : c->backward ? c->keys : 0;
    return c->tile ? (which == 0) * c->tile * c->tile : c->heads * rows * c->dim;
}

static size_t floats_of_all_outputs(const bench_case *c)
{
    return floats_of_output(c, 0) + floats_of_output(c, 1) + floats_of_output(c, 2);
}

/* A backward pass reads and writes buffers: what passes between the host and a device of its own is
 * no part of its time. */
static sac_status copy_arrays_to_device(bench_subject *subject, sac_error *error)
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
    subject->output = malloc(floats_of_all_outputs(c) * sizeof *subject->output);
    if (!subject->output)
        return sac_no_memory(error, "bench");
    sac_status status = make_arrays(c, &arrays, error);
    for (int i = 0; i < 3 && status == SAC_OK && !c->tile; i++)
        if (floats_of_output(c, i))
            status = sac_buffer_create(subject->device, floats_of_output(c, i) * sizeof(float),
                                       NULL, &subject->written[i], error);
    if (status == SAC_OK && c->backward) {
        subject->backward = arrays;
        return copy_arrays_to_device(subject, error);
    }
    if (status == SAC_OK) {
        sac_attention_spec spec = case_attention_spec(c);
        sac_attention_input input = case_attention_input(c, &arrays);
        status = sac_attention_create(subject->device, &spec, &input, &subject->attention, error);
    }
    free_arrays(&arrays);
    if (status == SAC_OK && c->rows_known)
        status = sac_stats_ensure(subject->attention, 0, 0, KNOWN_TILES * c->tile, error);
    return status;
}

static sac_status prepare_all(bench_table *table, const bench_choice *choice, sac_error *error)
{
    table->subjects = calloc(CASES, sizeof *table->subjects);
    if (!table->subjects)
        return sac_no_memory(error, "bench");
    sac_status status = SAC_OK;
    for (int i = 0; i < CASES && status == SAC_OK; i++) {
        status = bench_go_on("making the cases", (double)i / CASES, error);
        if (status != SAC_OK || !is_wanted(&bench_cases[i], choice, table->device))
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
static sac_cl_array wrap_buffer(cl_mem buffer, size_t heads, size_t rows, size_t dim)
{
    return (sac_cl_array){.buffer = buffer, .rank = 4, .shape = {1, heads, rows, dim}};
}

static sac_status run_once(bench_subject *subject, sac_error *error)
{
    sac_cl_output output = {.output = subject->written[0]};
    sac_progress progress = {.step = not_interrupted};
    if (subject->which->backward) {
        /* A whole call: forward again, and the gradients of query, key and value. */
        const bench_case *c = subject->which;
        sac_attention_spec spec = case_attention_spec(c);
        sac_attention_input others = case_attention_input(c, &subject->backward);
        sac_cl_input input = {.query = wrap_buffer(subject->read[0], c->heads, c->tokens, c->dim),
                              .key = wrap_buffer(subject->read[1], c->heads, c->keys, c->dim),
                              .value = wrap_buffer(subject->read[2], c->heads, c->keys, c->dim)};
        sac_cl_gradients gradients = {subject->written[0], subject->written[1],
                                      subject->written[2]};
        return sac_attend_backward_cl(subject->device, &spec, &input, &others, subject->read[3],
                                      &gradients, NULL, &progress, error);
    }
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

/* Goes through all cases round after round, so that a disturbance falls on all of them. A single
 * case that was requested runs, however long it takes. */
static sac_status run_all(bench_table *table, sac_error *error)
{
    double start = sac_now(), in_round = 0;
    sac_status status = SAC_OK;
    for (size_t i = 0; i < table->count; i++)
        in_round += operations_of(table->subjects[i].which);
    for (int round = 0; round <= ROUNDS && status == SAC_OK; round++) {
        double begun = 0;
        for (size_t i = 0; i < table->count && status == SAC_OK; i++) {
            bench_subject *subject = &table->subjects[i];
            bool needed = table->count == 1 && subject->times.count == 0;
            bool is_done = subject->times.count >= LEAST_RUNS && subject->spent > CASE_SECONDS;
            status = bench_go_on("measuring attention", (round + begun / in_round) / (ROUNDS + 1),
                                 error);
            begun += operations_of(subject->which);
            if (status != SAC_OK)
                break;
            if (needed || (!is_done && sac_now() - start < PATIENCE))
                status = run_round(subject, round > 0, error);
        }
    }
    return status;
}

/* ---------------------------------------------------------------- reports */

/* Everything that the case keeps on the device: inputs as the kernels read them, statistics,
 * output, and what is in between. */
static double count_device_bytes(const bench_subject *subject)
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
    return is_memory_bound(c) ? bytes / seconds * 1e-9 / limits->copy_gbs
                              : operations_of(c) / seconds * 1e-9 / bench_peak(limits);
}

static sac_status read_outputs(const bench_subject *subject, sac_error *error)
{
    float *to = subject->output;
    sac_status status = SAC_OK;
    for (int i = 0; i < 3 && subject->written[i] && status == SAC_OK; i++) {
        size_t floats = floats_of_output(subject->which, i);
        status = sac_buffer_read(subject->device, subject->written[i], 0, floats * sizeof(float),
                                 to, error);
        to += floats;
    }
    return status;
}

/* Root mean square: it distinguishes two ways to the same output. */
static double root_mean_square_output(const bench_subject *subject)
{
    double sum = 0;
    size_t count = floats_of_all_outputs(subject->which);
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
        sac_backward_choose(subject->device, sac_score_form(subject->which->score), false,
                            subject->which->normalizer, &variant, NULL);
    return sac_variant_name(variant);
}

static const bench_column columns[] = {
    {"name", "case", -16},
    {"score", "score", -10},
    {"heads", "H", 2},
    {NULL, "tokens", 13},
    {"dim", "dim", 4},
    {"mask", "mask", -7},
    {"ms", "ms", 8, 2},
    {"ms_low", "fastest", 8, 2},
    {"ms_high", "slowest", 8, 2},
    {"gflops", "GFLOP/s", 7, 1},
    {NULL, "share", 12},
    {NULL, "MiB", 6, 1},
    {"tokens"},
    {"keys"},
    {"storage"},
    {"normalizer"},
    {"share_of_peak"},
    {"scratch_bytes"},
    {"variant"},
    {"tile"},
    {"rows_known", .is_bool = true},
    {"backward", .is_bool = true},
    {"runs"},
    {"limit"},
    {"share_of_limit"},
    {"io_bytes"},
    {"output_rms"},
    {0},
};

static void print_case(cJSON *list, const bench_subject *subject, const bench_limits *limits)
{
    const bench_case *c = subject->which;
    double ms = bench_median_ms(&subject->times), gflops = operations_of(c) / ms * 1e-6;
    double of_limit = share_of_limit(c, 1e-3 * ms, limits);
    /* The buffers of a backward pass are gone when the call ends. */
    double held = c->backward ? NAN : count_device_bytes(subject);
    const char *limit = is_memory_bound(c) ? "copy" : "peak";
    char size[48], share[32];
    if (c->tile)
        snprintf(size, sizeof size, "%zu² of %zu", c->tile, c->keys);
    else if (c->tokens == c->keys)
        snprintf(size, sizeof size, "%zu", c->tokens);
    else
        snprintf(size, sizeof size, "%zu to %zu", c->tokens, c->keys);
    snprintf(share, sizeof share, "%.2f of %s", of_limit, limit);
    bench_print_row(list, columns,
                    (bench_cell[]){{c->name},
                                   {sac_score_name(c->score)},
                                   {NULL, (double)c->heads},
                                   {size},
                                   {NULL, (double)c->dim},
                                   {mask_names[c->mask]},
                                   {NULL, ms},
                                   {NULL, 1e3 * bench_quantile(&subject->times, 0)},
                                   {NULL, 1e3 * bench_quantile(&subject->times, 1)},
                                   {NULL, gflops},
                                   {share},
                                   {NULL, held / (1 << 20)},
                                   {NULL, (double)c->tokens},
                                   {NULL, (double)c->keys},
                                   {sac_storage_name(c->storage)},
                                   {sac_normalizer_name(c->normalizer)},
                                   {NULL, gflops / bench_peak(limits)},
                                   {NULL, held},
                                   {variant_of(subject)},
                                   {NULL, (double)c->tile},
                                   {NULL, c->rows_known},
                                   {NULL, c->backward},
                                   {NULL, subject->times.count},
                                   {limit},
                                   {NULL, of_limit},
                                   {NULL, io_bytes_of(c)},
                                   {NULL, root_mean_square_output(subject)}});
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

static void print_table(const bench_table *table, const char *device, cJSON *json)
{
    size_t left_out = 0;
    cJSON *list = json ? cJSON_AddArrayToObject(json, "cases") : NULL;
    if (json) {
        cJSON_AddStringToObject(json, "device", device);
        cJSON_AddNumberToObject(json, "peak_gflops", bench_peak(&table->limits));
        cJSON_AddNumberToObject(json, "copy_gbs", table->limits.copy_gbs);
        cJSON_AddBoolToObject(json, "tuned", is_tuned(table));
        cJSON_AddNumberToObject(json, "peak_opencl_gflops", table->limits.opencl_gflops);
        cJSON_AddNumberToObject(json, "peak_c_gflops", table->limits.c_gflops);
    } else {
        print_limits(table, device);
        bench_print_heading(columns);
    }
    for (size_t i = 0; i < table->count; i++)
        if (table->subjects[i].times.count)
            print_case(list, &table->subjects[i], &table->limits);
        else
            left_out++;
    if (left_out && !json)
        sac_print(stdout, "%zu cases were left out, to be done in a minute; --case runs one\n",
                  left_out);
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
    if (status == SAC_OK)
        print_table(&table, name, json);
    for (size_t i = 0; i < table.count; i++) {
        sac_attention_destroy(table.subjects[i].attention);
        free_arrays(&table.subjects[i].backward);
        for (int b = 0; b < 4; b++)
            sac_buffer_release(table.subjects[i].read[b]);
        for (int b = 0; b < 3; b++)
            sac_buffer_release(table.subjects[i].written[b]);
        free(table.subjects[i].output);
    }
    free(table.subjects);
    return status;
}
