/* The speed of products of many rows with a layer's weights, beside the multiply-adds that the device can do: in
 * float32, and rounded to bfloat16, where processors multiply pairs of it twice as fast. */
#include "base/clock.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "cli/bench/bench_parts.h"
#include "gemm/gemm.h"

#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 5 };
#define NUMBERS ((size_t)4 << 20) /* of weights gone through in turn: hardly a cache holds them */

/* A large square, ViT-B/16's layers for a picture, SmolLM2-135M's for a prompt of 128. */
static const struct {
    size_t rows, out, in;
} shapes[] = {{2048, 2048, 2048}, {197, 2304, 768}, {197, 768, 768}, {197, 3072, 768},
              {197, 768, 3072},   {128, 960, 576},  {128, 1536, 576}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const struct {
    sac_stored stored;
    bool rounded;
} ways[] = {{SAC_STORED_F32, false},  {SAC_STORED_BF16, false}, {SAC_STORED_BF16, true},
            {SAC_STORED_Q8_0, false}, {SAC_STORED_Q8_0, true},  {SAC_STORED_Q4_1, false},
            {SAC_STORED_Q4_1, true}};
enum { WAYS = sizeof ways / sizeof *ways };

typedef struct product_times {
    bench_times times[SHAPES][WAYS], of_processors[SHAPES][WAYS];
} product_times;

typedef struct operands {
    sac_span x, weights, y;
} operands;

static sac_gemm product_of(int shape, int way)
{
    return (sac_gemm){.m = shapes[shape].rows,
                      .n = shapes[shape].out,
                      .k = shapes[shape].in,
                      .transpose_b = true,
                      .stored = ways[way].stored,
                      .rounded = ways[way].rounded};
}

/* By the clock, and of all processors. */
static sac_status time_product(sac_device *device, const operands *o, int shape, int way,
                               double seconds[2], sac_error *error)
{
    sac_gemm gemm = product_of(shape, way);
    size_t numbers = gemm.n * gemm.k, copies = NUMBERS / numbers;
    double start = sac_now();
    clock_t cpu = clock();
    sac_status status = SAC_OK;
    for (size_t i = 0; i < copies && status == SAC_OK; i++)
        status =
            sac_gemm_run(device, &gemm, o->x, sac_span_from(o->weights, i * numbers), o->y, error);
    if (status == SAC_OK)
        status = sac_device_finish(device, error);
    seconds[0] = (sac_now() - start) / (double)copies;
    seconds[1] = (double)(clock() - cpu) / CLOCKS_PER_SEC / (double)copies;
    return status;
}

/* Round after round through all of them, so that a disturbance falls on each; the first, which
 * compiles, does not count. */
static sac_status run_all(sac_device *device, const operands *o, product_times *t, sac_error *error)
{
    const sac_progress progress = cli_progress("measuring products");
    sac_status status = SAC_OK;
    for (int round = 0; round <= ROUNDS; round++) {
        for (int i = 0; i < SHAPES; i++)
            for (int w = 0; w < WAYS && status == SAC_OK; w++) {
                double seconds[2] = {0};
                status = time_product(device, o, i, w, seconds, error);
                if (round > 0) {
                    bench_add(&t->times[i][w], seconds[0]);
                    bench_add(&t->of_processors[i][w], seconds[1]);
                }
            }
        if (status != SAC_OK)
            return status;
        if (!progress.step(progress.user, (double)round / ROUNDS))
            return sac_fail(error, SAC_E_CANCELLED, "bench", NULL, "interrupted");
    }
    return status;
}

static void print(const product_times *t, const bench_limits *limits, cJSON *json)
{
    cJSON *list = json ? cJSON_AddArrayToObject(json, "products") : NULL;
    double peak = bench_peak(limits);
    cli_progress_clear();
    if (json)
        cJSON_AddNumberToObject(json, "peak_gflops", peak);
    else
        sac_print(stdout,
                  "linear layers of many rows; multiply-adds of float32 reach %.0f GFLOP/s\n\n%5s "
                  "%5s %5s  %-9s %-9s %8s %8s %6s  %s\n",
                  peak, "rows", "out", "in", "weights", "products", "ms", "GFLOP/s", "share",
                  "ms of processors");
    for (int i = 0; i < SHAPES; i++)
        for (int w = 0; w < WAYS; w++) {
            double seconds = bench_quantile(&t->times[i][w], 0.5);
            double cpu = bench_quantile(&t->of_processors[i][w], 0.5);
            sac_gemm g = product_of(i, w);
            double gflops = 2e-9 * (double)g.m * (double)g.n * (double)g.k / seconds;
            const char *numbers = sac_stored_form_of(g.stored)->name;
            const char *products = g.rounded ? "bfloat16" : "float32";
            if (!json) {
                sac_print(stdout, "%5zu %5zu %5zu  %-9s %-9s %8.3f %8.1f %6.2f %17.3f\n", g.m, g.n,
                          g.k, numbers, products, 1e3 * seconds, gflops, gflops / peak, 1e3 * cpu);
                continue;
            }
            cJSON *item = cJSON_CreateObject();
            cJSON_AddNumberToObject(item, "rows", (double)g.m);
            cJSON_AddNumberToObject(item, "out", (double)g.n);
            cJSON_AddNumberToObject(item, "in", (double)g.k);
            cJSON_AddStringToObject(item, "numbers", numbers);
            cJSON_AddStringToObject(item, "products", products);
            cJSON_AddNumberToObject(item, "ms", 1e3 * seconds);
            cJSON_AddNumberToObject(item, "cpu_ms", 1e3 * cpu);
            cJSON_AddNumberToObject(item, "gflops", gflops);
            cJSON_AddNumberToObject(item, "share_of_peak", gflops / peak);
            cJSON_AddItemToArray(list, item);
        }
}

sac_status bench_products(sac_device *device, cJSON *json, sac_error *error)
{
    operands o = {0};
    product_times *t = calloc(1, sizeof *t);
    bench_limits limits = {0};
    size_t most = shapes[0].rows * shapes[0].in;
    sac_status status =
        t ? bench_measure_limits(device, &limits, error) : sac_no_memory(error, "bench");
    if (status == SAC_OK)
        status = sac_span_create(device, most, NULL, &o.x, error);
    if (status == SAC_OK)
        status = sac_span_create(device, most, NULL, &o.y, error);
    if (status == SAC_OK)
        status = sac_span_create(device, NUMBERS, NULL, &o.weights, error);
    if (status == SAC_OK)
        status = run_all(device, &o, t, error);
    if (status == SAC_OK)
        status = bench_measure_limits(device, &limits, error);
    if (status == SAC_OK)
        print(t, &limits, json);
    sac_span_release(&o.x);
    sac_span_release(&o.weights);
    sac_span_release(&o.y);
    free(t);
    return status;
}
