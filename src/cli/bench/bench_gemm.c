/* The speed of linear layers on few rows, as one token or a beam takes them: the bytes of the
 * weight per second, beside what copying reaches in the same run. */
#include "base/clock.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "cli/bench/bench_parts.h"
#include "gemm/gemm.h"

enum { ROUNDS = 7 };
#define APART ((size_t)96 << 20) /* bytes of weights gone through in turn: no cache holds them */

/* Of GPT-2's layers, one whose weight is stored [in,out], and weights in fewer bits. */
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
enum { SHAPES = sizeof shapes / sizeof *shapes };
static const size_t rows[] = {1, 3, 4, 8};
enum { ROW_COUNTS = sizeof rows / sizeof *rows };

typedef struct gemm_times {
    bench_times times[SHAPES][ROW_COUNTS];
} gemm_times;

typedef struct operands {
    sac_span x, weights, y;
} operands;

static size_t bytes_of(int shape)
{
    return sac_stored_bytes(shapes[shape].stored, shapes[shape].out * shapes[shape].in);
}

static size_t copies_of(int shape)
{
    size_t bytes = bytes_of(shape);
    return bytes > APART ? 1 : APART / bytes;
}

static sac_status time_shape(sac_device *device, const operands *o, int shape, size_t m,
                             double *seconds, sac_error *error)
{
    size_t n = shapes[shape].out, k = shapes[shape].in, copies = copies_of(shape);
    sac_gemm gemm = {.m = m,
                     .n = n,
                     .k = k,
                     .transpose_b = !shapes[shape].transposed,
                     .stored = shapes[shape].stored};
    double start = sac_now();
    sac_status status = SAC_OK;
    for (size_t i = 0; i < copies && status == SAC_OK; i++)
        status =
            sac_gemm_run(device, &gemm, o->x, sac_span_from(o->weights, i * n * k), o->y, error);
    if (status == SAC_OK)
        status = sac_device_finish(device, error);
    *seconds = (sac_now() - start) / (double)copies;
    return status;
}

/* Round after round through all of them, so that a disturbance falls on each; the first, which
 * compiles, does not count. */
static sac_status run_all(sac_device *device, const operands *o, gemm_times *t, sac_error *error)
{
    const sac_progress progress = cli_progress("measuring products");
    sac_status status = SAC_OK;
    for (int round = 0; round <= ROUNDS; round++) {
        for (int i = 0; i < SHAPES; i++)
            for (int r = 0; r < ROW_COUNTS && status == SAC_OK; r++) {
                double seconds = 0;
                status = time_shape(device, o, i, rows[r], &seconds, error);
                if (round > 0)
                    bench_add(&t->times[i][r], seconds);
            }
        if (status != SAC_OK)
            return status;
        if (!progress.step(progress.user, (double)round / ROUNDS))
            return sac_fail(error, SAC_E_CANCELLED, "bench", NULL, "interrupted");
    }
    return SAC_OK;
}

static void print(const gemm_times *t, const bench_limits *limits, cJSON *json)
{
    cJSON *list = json ? cJSON_AddArrayToObject(json, "products") : NULL;
    cli_progress_clear();
    if (json)
        cJSON_AddNumberToObject(json, "copy_gbs", limits->copy_gbs);
    else
        sac_print(stdout,
                  "linear layers of few rows; copying reaches %.1f GB/s\n\n%5s %8s %6s  %-9s %-9s "
                  "%8s %7s %6s\n",
                  limits->copy_gbs, "rows", "out", "in", "stored", "numbers", "ms", "GB/s",
                  "share");
    for (int i = 0; i < SHAPES; i++)
        for (int r = 0; r < ROW_COUNTS; r++) {
            double seconds = bench_quantile(&t->times[i][r], 0.5);
            double gbs = (double)bytes_of(i) / seconds * 1e-9;
            const char *stored = shapes[i].transposed ? "[in,out]" : "[out,in]";
            const char *numbers = sac_stored_form_of(shapes[i].stored)->name;
            if (!json) {
                sac_print(stdout, "%5zu %8zu %6zu  %-9s %-9s %8.3f %7.2f %6.2f\n", rows[r],
                          shapes[i].out, shapes[i].in, stored, numbers, 1e3 * seconds, gbs,
                          gbs / limits->copy_gbs);
                continue;
            }
            cJSON *item = cJSON_CreateObject();
            cJSON_AddNumberToObject(item, "rows", (double)rows[r]);
            cJSON_AddNumberToObject(item, "out", (double)shapes[i].out);
            cJSON_AddNumberToObject(item, "in", (double)shapes[i].in);
            cJSON_AddStringToObject(item, "stored", stored);
            cJSON_AddStringToObject(item, "numbers", numbers);
            cJSON_AddNumberToObject(item, "ms", 1e3 * seconds);
            cJSON_AddNumberToObject(item, "gbs", gbs);
            cJSON_AddNumberToObject(item, "share_of_copy", gbs / limits->copy_gbs);
            cJSON_AddItemToArray(list, item);
        }
}

sac_status bench_gemm(sac_device *device, cJSON *json, sac_error *error)
{
    operands o = {0};
    gemm_times t = {0};
    bench_limits limits = {0};
    sac_status status = bench_measure_limits(device, &limits, error);
    if (status == SAC_OK) {
        size_t out = 0, in = 0, weights = 0, most = rows[ROW_COUNTS - 1];
        for (int i = 0; i < SHAPES; i++) {
            size_t floats = copies_of(i) * bytes_of(i) / sizeof(float);
            out = shapes[i].out > out ? shapes[i].out : out;
            in = shapes[i].in > in ? shapes[i].in : in;
            weights = floats > weights ? floats : weights;
        }
        status = sac_span_create(device, most * in, NULL, &o.x, error);
        if (status == SAC_OK)
            status = sac_span_create(device, most * out, NULL, &o.y, error);
        if (status == SAC_OK)
            status = sac_span_create(device, weights, NULL, &o.weights, error);
    }
    if (status == SAC_OK)
        status = run_all(device, &o, &t, error);
    if (status == SAC_OK)
        status = bench_measure_limits(device, &limits, error);
    if (status == SAC_OK)
        print(&t, &limits, json);
    sac_span_release(&o.x);
    sac_span_release(&o.weights);
    sac_span_release(&o.y);
    return status;
}
