/* The parts of `saccade bench`: the limits of a device, attention, products, training,
 * decoding, the encoder of photographs, models of others, the view. */
#ifndef SAC_CLI_BENCH_BENCH_PARTS_H
#define SAC_CLI_BENCH_BENCH_PARTS_H

#include <cjson/cJSON.h>

#include "cli/bench/bench_times.h"
#include "cli/cli.h"
#include "models/model_class.h"

/* The best that the device can do. */
typedef struct bench_limits {
    double opencl_gflops; /* multiply-adds, counted as two, by a kernel of ours … */
    double c_gflops;      /* … and by plain C on as many threads; 0 where it is no CPU */
    double copy_gbs;      /* bytes read and written */
} bench_limits;
/* Raises `limits` to what is reached now: measured before and after what is held against them. */
sac_status bench_measure_limits(sac_device *device, bench_limits *limits, sac_error *error);
/* The larger of the two: a compiler that makes little of a kernel must not lower the limit. */
double bench_peak(const bench_limits *limits);

/* GFLOP/s of chains of multiply-adds in plain C, on `threads` threads at once: the best of a few
 * runs; 0 where no thread can be started. */
double bench_c_peak(unsigned threads);

/* The cases of attention to measure. */
typedef struct bench_choice {
    cli_list only;  /* names of cases; none: all but the long ones */
    bool with_long; /* those that take many seconds too */
} bench_choice;
/* CLI_DONE, or CLI_USAGE after one line about a name that there is not. */
int bench_check_choice(const bench_choice *choice);

/* Each measures, prints a table (or adds its findings to `json` where that is not NULL). */
sac_status bench_attention(sac_device *device, const bench_choice *choice, cJSON *json,
                           sac_error *error);
/* Steps of training `class` with the options `values`, of its own sizes and batches. */
sac_status bench_train(sac_device *device, const sac_model_class *class,
                       const sac_model_values *values, cJSON *json, sac_error *error);
/* Sentences of a model of `class`, greedy and of beam 3; of a captioner of photographs those that are
 * held out of `values`, whose features are kept. `weights` NULL: those that come along. */
sac_status bench_decode(sac_device *device, const sac_model_class *class,
                        const sac_model_values *values, const char *weights, cJSON *json,
                        sac_error *error);
/* Linear layers on few rows, and on many. */
sac_status bench_gemm(sac_device *device, cJSON *json, sac_error *error);
sac_status bench_products(sac_device *device, cJSON *json, sac_error *error);
/* The encoder of photographs. */
sac_status bench_encoder(sac_device *device, cJSON *json, sac_error *error);
/* Attention by the processes of this run: all call it. */
sac_status bench_ring(sac_device *device, cJSON *json, sac_error *error);
/* A model of others. */
typedef struct bench_model {
    const char *folder, *device; /* device: a selector */
    sac_storage storage;
    int prompt;  /* tokens that it reads, where it continues a text */
    bool layers; /* also where the time goes */
} bench_model;
sac_status bench_folder(const bench_model *asked, cJSON *json, sac_error *error);
/* Where the time of a model goes, by kinds of work and by layers. */
struct sac_trace;
typedef struct bench_traced {
    char what[40];   /* "a prompt of 128 tokens" */
    const char *key; /* the same for JSON */
    const struct sac_trace *trace;
    double seconds; /* by the clock … */
    int times;      /* … of so many of what is told */
    int layers;
} bench_traced;
void bench_print_layers(const bench_traced *traced, const bench_limits *limits, cJSON *json);
/* The window on a map of 32768 queries and keys. */
sac_status bench_map(const char *device_selector, cJSON *json, sac_error *error);
sac_status bench_view(const char *device_selector, cJSON *json, sac_error *error);

#endif
