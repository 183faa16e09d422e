/* The speed of linear layers. On few rows a product is held against copying, as it reads its weights once; on
 * many against multiply-adds of float32, beside which processors multiply pairs of bfloat16 twice as fast. Both
 * limits are of the same run. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "gemm/gemm.h"
#include "measure.h"

enum { MOST = 64 };

typedef struct product {
    size_t rows, out, in;
    sac_stored stored;
    bool transposed, rounded; /* its weight is stored [in,out]; float32 is rounded to bfloat16 */
    bench_times times, of_processors;
} product;

typedef struct table {
    product products[MOST];
    int count;
    size_t apart; /* bytes of weights gone through in turn, so that hardly a cache has them */
    int rounds;
    sac_span x, weights, y;
} table;

static size_t bytes_of(const product *p)
{
    return sac_stored_bytes(p->stored, p->out * p->in);
}

static size_t copies_of(const table *t, const product *p)
{
    size_t bytes = bytes_of(p);
    return bytes > t->apart ? 1 : t->apart / bytes;
}

static sac_status create_operands(sac_device *device, table *t, sac_error *error)
{
    size_t x = 0, y = 0, weights = 0;
    for (const product *p = t->products; p < t->products + t->count; p++) {
        size_t floats = copies_of(t, p) * bytes_of(p) / sizeof(float) + 1;
        x = p->rows * p->in > x ? p->rows * p->in : x;
        y = p->rows * p->out > y ? p->rows * p->out : y;
        weights = floats > weights ? floats : weights;
    }
    sac_status status = sac_span_create(device, x, NULL, &t->x, error);
    if (status == SAC_OK)
        status = sac_span_create(device, y, NULL, &t->y, error);
    return status == SAC_OK ? sac_span_create(device, weights, NULL, &t->weights, error) : status;
}

/* By the clock, and of all processors; the first time, which compiles, does not count. */
static sac_status time_product(sac_device *device, const table *t, product *p, bool counts,
                               sac_error *error)
{
    size_t copies = copies_of(t, p);
    const sac_gemm gemm = {.m = p->rows,
                           .n = p->out,
                           .k = p->in,
                           .transpose_b = !p->transposed,
                           .stored = p->stored,
                           .rounded = p->rounded};
    double start = sac_now(), cpu = bench_processor_seconds();
    sac_status status = SAC_OK;
    for (size_t i = 0; i < copies && status == SAC_OK; i++)
        status = sac_gemm_run(device, &gemm, t->x, sac_span_from(t->weights, i * p->out * p->in),
                              t->y, error);
    if (status == SAC_OK)
        status = sac_device_finish(device, error);
    if (counts) {
        bench_add(&p->times, (sac_now() - start) / (double)copies);
        bench_add(&p->of_processors, (bench_processor_seconds() - cpu) / (double)copies);
    }
    return status;
}

static void print(const table *t, const char *title, const bench_limits *limits, cJSON *json)
{
    static const bench_column columns[] = {{"rows", "rows", 5},
                                           {"out", "out", 6},
                                           {"in", "in", 5},
                                           {"stored", "stored", -8},
                                           {"numbers", "numbers", -8},
                                           {"products", "products", -8},
                                           {"ms", "ms", 8, 3},
                                           {"gbs", "GB/s", 7, 2},
                                           {"share_of_copy", "of copy", 7, 2},
                                           {"gflops", "GFLOP/s", 8, 1},
                                           {"share_of_peak", "of peak", 7, 2},
                                           {"cpu_ms", "ms of processors", 16, 3},
                                           {0}};
    cJSON *list = json ? cJSON_AddArrayToObject(json, "products") : NULL;
    double peak = bench_peak(limits);
    if (json) {
        cJSON_AddNumberToObject(json, "copy_gbs", limits->copy_gbs);
        cJSON_AddNumberToObject(json, "peak_gflops", peak);
    } else {
        sac_print(stdout,
                  "%s; copying reaches %.1f GB/s, multiply-adds of float32 %.0f GFLOP/s\n\n", title,
                  limits->copy_gbs, peak);
        bench_print_heading(columns);
    }
    for (const product *p = t->products; p < t->products + t->count; p++) {
        double ms = bench_median_ms(&p->times), gbs = (double)bytes_of(p) / ms * 1e-6;
        double gflops = 2e-6 * (double)p->rows * (double)p->out * (double)p->in / ms;
        bench_print_row(list, columns,
                        (bench_cell[]){{NULL, (double)p->rows},
                                       {NULL, (double)p->out},
                                       {NULL, (double)p->in},
                                       {p->transposed ? "[in,out]" : "[out,in]"},
                                       {sac_stored_form_of(p->stored)->name},
                                       {p->rounded ? "bfloat16" : "float32"},
                                       {NULL, ms},
                                       {NULL, gbs},
                                       {NULL, gbs / limits->copy_gbs},
                                       {NULL, gflops},
                                       {NULL, gflops / peak},
                                       {NULL, bench_median_ms(&p->of_processors)}});
    }
}

/* Round after round through all of them, so that a disturbance falls on each. Frees the table. */
static sac_status measure(sac_device *device, table *t, const char *title, cJSON *json,
                          sac_error *error)
{
    bench_limits limits = {0};
    sac_status status = bench_measure_limits(device, &limits, error);
    if (status == SAC_OK)
        status = create_operands(device, t, error);
    for (int round = 0; round <= t->rounds; round++)
        for (int i = 0; i < t->count && status == SAC_OK; i++)
            status = time_product(device, t, &t->products[i], round > 0, error);
    if (status == SAC_OK)
        status = bench_measure_limits(device, &limits, error);
    if (status == SAC_OK)
        print(t, title, &limits, json);
    sac_span_release(&t->x);
    sac_span_release(&t->weights);
    sac_span_release(&t->y);
    free(t);
    return status;
}

/* Of GPT-2's layers, one whose weight is stored [in,out], and weights in fewer bits. */
sac_status measure_few_rows(sac_device *device, cJSON *json, sac_error *error)
{
    static const struct {
        size_t out, in;
        bool transposed;
        sac_stored stored;
    } shapes[] = {{2304, 768, false, SAC_STORED_F32},  {768, 3072, false, SAC_STORED_F32},
                  {50257, 768, false, SAC_STORED_F32}, {2304, 768, true, SAC_STORED_F32},
                  {768, 3072, false, SAC_STORED_F16},  {50257, 768, false, SAC_STORED_F16},
                  {768, 3072, false, SAC_STORED_BF16}, {50257, 768, false, SAC_STORED_BF16},
                  {768, 3072, false, SAC_STORED_Q8_0}, {50257, 768, false, SAC_STORED_Q8_0},
                  {768, 3072, false, SAC_STORED_Q4_0}, {50257, 768, false, SAC_STORED_Q4_0},
                  {768, 3072, false, SAC_STORED_Q4_1}, {768, 3072, false, SAC_STORED_Q4_K},
                  {768, 3072, false, SAC_STORED_Q5_K}, {768, 3072, false, SAC_STORED_Q6_K}};
    static const size_t rows[] = {1, 3, 4, 8};
    table *t = calloc(1, sizeof *t);
    if (!t)
        return sac_no_memory(error, "measure");
    t->apart = (size_t)96 << 20;
    t->rounds = 7;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            t->products[t->count++] = (product){.rows = rows[r],
                                                .out = shapes[i].out,
                                                .in = shapes[i].in,
                                                .transposed = shapes[i].transposed,
                                                .stored = shapes[i].stored};
    return measure(device, t, "linear layers on few rows", json, error);
}

/* A large square, ViT-B/16's layers for a picture, SmolLM2-135M's for a prompt of 128. */
sac_status measure_many_rows(sac_device *device, cJSON *json, sac_error *error)
{
    static const size_t shapes[][3] = {{2048, 2048, 2048}, {197, 2304, 768}, {197, 768, 768},
                                       {197, 3072, 768},   {197, 768, 3072}, {128, 960, 576},
                                       {128, 1536, 576}};
    static const struct {
        sac_stored stored;
        bool rounded;
    } ways[] = {{SAC_STORED_F32, false},  {SAC_STORED_BF16, false}, {SAC_STORED_BF16, true},
                {SAC_STORED_Q8_0, false}, {SAC_STORED_Q8_0, true},  {SAC_STORED_Q4_1, false},
                {SAC_STORED_Q4_1, true}};
    table *t = calloc(1, sizeof *t);
    if (!t)
        return sac_no_memory(error, "measure");
    t->apart = (size_t)16 << 20;
    t->rounds = 5;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
            t->products[t->count++] = (product){.rows = shapes[i][0],
                                                .out = shapes[i][1],
                                                .in = shapes[i][2],
                                                .stored = ways[w].stored,
                                                .rounded = ways[w].rounded};
    return measure(device, t, "linear layers on many rows", json, error);
}
