/* Times of a benchmark and their quantiles, tables, and the limits of a device. */
#include "cli/bench/measuring.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/order.h"
#include "base/text/printable.h"
#include "base/text/utf8.h"
#include "device/device.h"

void bench_add(bench_times *times, double seconds)
{
    if (times->count < BENCH_MAX_TIMES)
        times->seconds[times->count++] = seconds;
}

double bench_quantile(const bench_times *times, double share)
{
    bench_times sorted = *times;
    if (sorted.count == 0)
        return 0;
    qsort(sorted.seconds, (size_t)sorted.count, sizeof *sorted.seconds, sac_compare_doubles);
    double place = share * (sorted.count - 1);
    int below = (int)place, above = below + 1 < sorted.count ? below + 1 : below;
    return sorted.seconds[below] +
           (place - below) * (sorted.seconds[above] - sorted.seconds[below]);
}

double bench_median_ms(const bench_times *times)
{
    return 1e3 * bench_quantile(times, 0.5);
}

double bench_processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* ---------------------------------------------------------------- tables */

static void print_padded(const char *text, int width, bool is_first)
{
    int pad = abs(width) - (int)sac_utf8_length(text);
    pad = pad > 0 ? pad : 0;
    sac_print(stdout, "%s%*s%s%*s", is_first ? "" : " ", width > 0 ? pad : 0, "", text,
              width < 0 ? pad : 0, "");
}

void bench_print_heading(const bench_column *columns)
{
    for (const bench_column *c = columns; c->key || c->heading; c++)
        if (c->heading)
            print_padded(c->heading, c->width, c == columns);
    putchar('\n');
}

void bench_print_row(cJSON *list, const bench_column *columns, const bench_cell *cells)
{
    cJSON *item = list ? cJSON_CreateObject() : NULL;
    for (const bench_column *c = columns; c->key || c->heading; c++, cells++) {
        char number[32] = "–";
        if (list && c->key && cells->text)
            cJSON_AddStringToObject(item, c->key, cells->text);
        else if (list && c->key && c->is_bool)
            cJSON_AddBoolToObject(item, c->key, cells->number != 0);
        else if (list && c->key)
            cJSON_AddNumberToObject(item, c->key, cells->number);
        if (list || !c->heading)
            continue;
        if (!isnan(cells->number))
            snprintf(number, sizeof number, "%.*f", c->decimals, cells->number);
        print_padded(cells->text ? cells->text : number, c->width, c == columns);
    }
    if (list)
        cJSON_AddItemToArray(list, item);
    else
        putchar('\n');
}

/* ---------------------------------------------------------------- the limits of a device, which attention is held
 * against, measured by kernels of our own in the same run */

enum { CHAINS = 12, ROUNDS_OF_TIMING = 5, MOST_THREADS = 256 };

static sac_status get_kernel(sac_device *device, const char *name, cl_kernel *kernel,
                             sac_error *error)
{
    const char *options = sac_device_get_info(device)->has_fma ? "-DFAST_FMA=1" : "-DFAST_FMA=0";
    return sac_kernel_get(device, "bench", options, name, kernel, error);
}

/* ---------------------------------------------------------------- multiply-adds */

/* Seconds of one launch of cl/device/bench.cl's peak kernel. */
static sac_status time_peak(sac_device *device, cl_kernel kernel, cl_mem out, size_t items,
                            size_t group, int rounds, double *seconds, sac_error *error)
{
    float a = 0.5f, b = 1.0f; /* x → x/2 + 1 stays near 2 */
    sac_arg args[] = {SAC_ARG(out), SAC_ARG(a), SAC_ARG(b), SAC_ARG(rounds)};
    double start = sac_now();
    sac_status status = sac_kernel_launch(device, kernel, args, 4, 1, &items, &group, error);
    if (status == SAC_OK)
        status = sac_device_finish(device, error);
    *seconds = sac_now() - start;
    return status;
}

/* The best of a few runs, each long enough (20 ms) that the launch does not count. */
static sac_status measure_kernel_gflops(sac_device *device, const char *name, int width, cl_mem out,
                                        size_t items, size_t group, double *gflops,
                                        sac_error *error)
{
    cl_kernel kernel;
    int rounds = 1 << 10;
    double seconds = 0;
    sac_status status = get_kernel(device, name, &kernel, error);
    for (; status == SAC_OK && seconds < 0.02 && rounds < 1 << 28; rounds *= 2)
        status = time_peak(device, kernel, out, items, group, rounds, &seconds, error);
    for (int i = 0; status == SAC_OK && i < ROUNDS_OF_TIMING; i++) {
        status = time_peak(device, kernel, out, items, group, rounds, &seconds, error);
        double here = 2.0 * CHAINS * width * rounds * (double)items / seconds * 1e-9;
        *gflops = here > *gflops ? here : *gflops;
    }
    return status;
}

static sac_status measure_peak(sac_device *device, double *gflops, sac_error *error)
{
    static const struct {
        const char *name;
        int width;
    } kernels[] = {{"peak1", 1}, {"peak4", 4}, {"peak8", 8}, {"peak16", 16}};
    const sac_device_info *info = sac_device_get_info(device);
    /* One long work-item a group on CPUs, enough groups to fill a GPU otherwise. */
    size_t group = info->is_cpu ? 1 : 64;
    size_t items = (size_t)info->compute_units * (info->is_cpu ? 8 : 64 * 32);
    cl_mem out;
    sac_status status = sac_buffer_create(device, items * 16 * sizeof(float), NULL, &out, error);
    for (int i = info->is_cpu ? 1 : 0; status == SAC_OK && i < 4; i++)
        status = measure_kernel_gflops(device, kernels[i].name, kernels[i].width, out, items, group,
                                       gflops, error);
    sac_buffer_release(out);
    return status;
}

/* ---------------------------------------------------------------- the same in plain C */

/* What the processor does without a compiler of OpenCL in between. */

/* The vectors of one instruction set. As in cl/device/bench.cl: more chains than any processor has in
 * flight, few enough for 16 registers. x → x/2 + 1 stays near 2; the compiler fuses what stands in
 * one expression. */
#define DEFINE_CHAIN(NAME, BYTES, TARGET)                                                          \
    typedef float NAME##_lanes __attribute__((vector_size(BYTES)));                                \
    TARGET static float NAME(long rounds, float half)                                              \
    {                                                                                              \
        NAME##_lanes zero = {0}, m = zero + half, c = zero + 1.0f;                                 \
        NAME##_lanes x0 = m, x1 = x0 + c, x2 = x1 + c, x3 = x2 + c, x4 = x3 + c, x5 = x4 + c;      \
        NAME##_lanes x6 = x5 + c, x7 = x6 + c, x8 = x7 + c, x9 = x8 + c, x10 = x9 + c;             \
        NAME##_lanes x11 = x10 + c;                                                                \
        for (long i = 0; i < rounds; i++) {                                                        \
            x0 = x0 * m + c, x1 = x1 * m + c, x2 = x2 * m + c, x3 = x3 * m + c;                    \
            x4 = x4 * m + c, x5 = x5 * m + c, x6 = x6 * m + c, x7 = x7 * m + c;                    \
            x8 = x8 * m + c, x9 = x9 * m + c, x10 = x10 * m + c, x11 = x11 * m + c;                \
        }                                                                                          \
        x0 += x1 + x2 + x3 + x4 + x5 + x6 + x7 + x8 + x9 + x10 + x11;                              \
        return x0[0];                                                                              \
    }
#define AS_IT_IS

DEFINE_CHAIN(chain16, 16, AS_IT_IS)
#if defined(__x86_64__)
DEFINE_CHAIN(chain32, 32, __attribute__((target("avx2,fma"))))
DEFINE_CHAIN(chain64, 64, __attribute__((target("avx512f"))))
#endif

typedef struct chain {
    float (*run)(long rounds, float half);
    int lanes;
} chain;

static chain widest_chain(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return (chain){chain64, 16};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (chain){chain32, 8};
#endif
    return (chain){chain16, 4};
}

typedef struct chain_thread {
    pthread_t id;
    chain chain;
    long rounds;
    float result; /* so that nothing can be left out */
} chain_thread;

static void *run_chain(void *user)
{
    chain_thread *thread = user;
    thread->result = thread->chain.run(thread->rounds, 0.5f);
    return NULL;
}

/* Seconds of `rounds` on every thread; *started of them ran. */
static double time_chains(unsigned threads, chain which, long rounds, unsigned *started)
{
    chain_thread all[MOST_THREADS];
    double start = sac_now();
    for (*started = 0; *started < threads; ++*started) {
        all[*started] = (chain_thread){.chain = which, .rounds = rounds};
        if (pthread_create(&all[*started].id, NULL, run_chain, &all[*started]) != 0)
            break;
    }
    for (unsigned i = 0; i < *started; i++)
        pthread_join(all[i].id, NULL);
    return sac_now() - start;
}

/* GFLOP/s on `threads` threads at once: the best of a few runs; 0 where no thread can be started. */
static double measure_c_peak(unsigned threads)
{
    chain which = widest_chain();
    long rounds = 1 << 16;
    double seconds = 0, best = 0;
    unsigned started = 1;
    threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    for (; seconds < 0.03 && started > 0; rounds *= 2) /* beside which starting threads is little */
        seconds = time_chains(threads, which, rounds, &started);
    for (int i = 0; i < ROUNDS_OF_TIMING && started > 0; i++) {
        seconds = time_chains(threads, which, rounds, &started);
        double done = 2.0 * CHAINS * which.lanes * (double)rounds * started / seconds * 1e-9;
        best = done > best ? done : best;
    }
    return best;
}

/* ---------------------------------------------------------------- copying */

static sac_status time_copy(sac_device *device, cl_mem in, cl_mem out, cl_ulong count,
                            double *seconds, sac_error *error)
{
    const sac_device_info *info = sac_device_get_info(device);
    cl_kernel kernel;
    size_t group = info->is_cpu ? 1 : 64;
    size_t items = (size_t)info->compute_units * (info->is_cpu ? 16 : 64 * 32);
    cl_ulong run = (count + items - 1) / items;
    cl_ulong first = info->is_cpu ? run : 1, step = info->is_cpu ? 1 : items;
    sac_arg args[] = {SAC_ARG(in),    SAC_ARG(out),  SAC_ARG(count),
                      SAC_ARG(first), SAC_ARG(step), SAC_ARG(run)};
    sac_status status = get_kernel(device, "copy", &kernel, error);
    double start = sac_now();
    if (status == SAC_OK)
        status = sac_kernel_launch(device, kernel, args, 6, 1, &items, &group, error);
    if (status == SAC_OK)
        status = sac_device_finish(device, error);
    *seconds = sac_now() - start;
    return status;
}

/* 256 MiB each way, so that no cache holds it. */
static sac_status measure_copy(sac_device *device, double *gbs, sac_error *error)
{
    const sac_device_info *info = sac_device_get_info(device);
    cl_ulong bytes = (cl_ulong)256 << 20;
    while (bytes > info->max_alloc_bytes / 2 || bytes > info->global_bytes / 4)
        bytes /= 2;
    cl_mem in = NULL, out = NULL;
    sac_status status = sac_buffer_create(device, bytes, NULL, &in, error);
    if (status == SAC_OK)
        status = sac_buffer_create(device, bytes, NULL, &out, error);
    for (int i = 0; status == SAC_OK && i < 2 * ROUNDS_OF_TIMING; i++) {
        double seconds;
        status = time_copy(device, i % 2 ? out : in, i % 2 ? in : out, bytes / 16, &seconds, error);
        double here = 2.0 * (double)bytes / seconds * 1e-9;
        if (status == SAC_OK && i >= 2) /* the first two touch the pages */
            *gbs = here > *gbs ? here : *gbs;
    }
    sac_buffer_release(in);
    sac_buffer_release(out);
    return status;
}

double bench_peak(const bench_limits *limits)
{
    return limits->c_gflops > limits->opencl_gflops ? limits->c_gflops : limits->opencl_gflops;
}

sac_status bench_measure_limits(sac_device *device, bench_limits *limits, sac_error *error)
{
    const sac_device_info *info = sac_device_get_info(device);
    sac_status status = measure_peak(device, &limits->opencl_gflops, error);
    double c_gflops = info->is_cpu ? measure_c_peak(info->compute_units) : 0;
    limits->c_gflops = c_gflops > limits->c_gflops ? c_gflops : limits->c_gflops;
    if (status == SAC_OK)
        status = measure_copy(device, &limits->copy_gbs, error);
    return status;
}
