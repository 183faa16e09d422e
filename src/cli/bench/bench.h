/* The parts of `saccade bench`. Each measures and prints a table, or adds what it finds to `json` where that
 * is not NULL. */
#ifndef SAC_CLI_BENCH_BENCH_H
#define SAC_CLI_BENCH_BENCH_H

#include "base/error.h"
#include "cli/bench/measuring.h"
#include "cli/cli.h"
#include "models/model_class.h"

/* The cases of attention to measure. */
typedef struct bench_choice {
    cli_list only;  /* names of cases; none: all but the long ones */
    bool with_long; /* those that take many seconds too */
} bench_choice;
/* CLI_DONE, or CLI_USAGE after one line about a name that there is not. */
int bench_check_choice(const bench_choice *choice);
sac_status bench_attention(sac_device *device, const bench_choice *choice, cJSON *json,
                           sac_error *error);

/* A model of the program's table. */
typedef struct bench_trained {
    const sac_model_class *class;
    const sac_model_values *values; /* its options */
    const char *weights;            /* to decode with; NULL: those that come along */
    int batch;                      /* samples of a step of training; 0: the class's */
} bench_trained;
/* Steps of training. */
sac_status bench_train(sac_device *device, const bench_trained *asked, cJSON *json,
                       sac_error *error);
/* Sentences, greedy and of beam 3; of a captioner of photographs those that are held out of `values`, whose
 * features are kept. */
sac_status bench_decode(sac_device *device, const bench_trained *asked, cJSON *json,
                        sac_error *error);

/* A pretrained model in a folder. */
typedef struct bench_model {
    const char *folder, *device; /* device: a selector */
    sac_storage storage;
    int prompt;  /* tokens that it reads, where it continues a text */
    bool layers; /* also where the time goes */
} bench_model;
sac_status bench_folder(const bench_model *asked, cJSON *json, sac_error *error);
sac_status bench_view(const char *device_selector, cJSON *json, sac_error *error);

/* Shows how far the whole is. SAC_E_CANCELLED once the person stopped it. */
static inline sac_status bench_go_on(const char *what, double done, sac_error *error)
{
    const sac_progress progress = cli_progress(what);
    if (!progress.step(progress.user, done))
        return sac_fail(error, SAC_E_CANCELLED, "bench", NULL, "interrupted");
    return SAC_OK;
}

#endif
