/* Tools around attention on a device: what compiles its kernels ahead, the self-test that decides
 * which of them are trusted, and the tuning of their tiles. Programs that only compute need none of
 * them: the first attention on a device compiles and tests what it uses. Conventions and threads as
 * in saccade.h. */
#ifndef SACCADE_TOOLS_H
#define SACCADE_TOOLS_H

#include "saccade.h"

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* ---------------------------------------------------------------- the first call, ahead */

/* Besides the spec, what decides which kernels an attention needs. Sizes are of one head. */
typedef struct sac_preparation {
    size_t queries;                       /* 0: 256, or any number that is not small */
    size_t query_dim, key_dim, value_dim; /* 0: 64, and as the query's */
    size_t hidden;                        /* of the additive score's W_q; 0: as query_dim */
    bool projections;                     /* also q_proj … out_proj, and norm */
    bool backward;                        /* also sac_attend_backward */
} sac_preparation;

/* Compiles and tests now what the first attention of this spec would wait for, and keeps it for
 * this process and, as saccade.h describes, for the next ones: seconds to minutes the first time,
 * milliseconds later. `progress` (may be NULL) is called before each program that is compiled and
 * each test, with the share of the whole that is done, and may stop it there, which gives
 * SAC_E_CANCELLED; what was compiled by then stays, and no failure is remembered. One program,
 * which takes a driver up to seconds, is not interrupted. `sizes` may be NULL. */
sac_status sac_device_prepare(sac_device *device, const sac_attention_spec *spec,
                              const sac_preparation *sizes, const sac_progress *progress,
                              sac_error *error);

/* ---------------------------------------------------------------- self-test */

/* The answer of one kernel to one case of the self-test. */
typedef struct sac_selftest_result {
    char variant[32], test[64];
    double error; /* relative error against the reference; −1 where it did not run */
    double bound;
    bool passed;
    char message[256]; /* why it did not run */
} sac_selftest_result;

/* Runs the known-answer tests of every variant on the device and remembers the verdict, but not
 * where a test that it rests on did not run (no memory, a build that failed): that may pass. Then
 * SAC_UNTESTED: nothing is known to compute right, but something might.
 * `results` is allocated here: free() it. Compiling everything for the first time takes a minute on
 * some devices: `progress` (may be NULL) follows it and may stop it, which gives
 * SAC_E_CANCELLED, no results and no verdict. */
sac_status sac_selftest_run(sac_device *device, sac_selftest_result **results, size_t *count,
                            sac_verdict *verdict, const sac_progress *progress, sac_error *error);

/* ---------------------------------------------------------------- tuning */

/* One shape of the kernels' tiles and how fast it was. */
typedef struct sac_tune_trial {
    unsigned tile_rows, tile_keys;         /* queries and keys of a tile … */
    unsigned register_rows, register_keys; /* … and of the part that is kept in registers */
    unsigned strip_rows;                   /* queries that a CPU takes at a time; 0 on a GPU */
    unsigned depth;    /* coordinates that a GPU stages at a time; 0 where the kernel does not */
    double seconds;    /* median of a run; 0 where it was not measured */
    double ratio;      /* median, over pairs of runs, of its time over the shipped shape's */
    char message[256]; /* why it is out of the question; empty: nothing but its speed */
} sac_tune_trial;

enum { SAC_TUNE_TRIALS = 61 }; /* the shipped shape and 60 others */
/* The shapes that a tuning tried, and the one that it keeps. */
typedef struct sac_tune_report {
    sac_variant variant;       /* the kernels that were tuned */
    size_t heads, tokens, dim; /* what they computed: scaled-dot attention, nothing masked */
    double seconds;            /* that the tuning took */
    size_t count;
    sac_tune_trial trials[SAC_TUNE_TRIALS]; /* the first is the shipped shape */
    size_t kept;                            /* the trial that is in use from now on */
} sac_tune_report;

/* Tries other shapes of tiles for at most `seconds` (0: 20) and remembers the fastest for this
 * device, driver and version of the program, where it is right (by the self-test) and 2% faster
 * than the shipped shape, and not slower with causal masks and twice as large heads; else the
 * shipped shape comes back. Runs alternate with the shipped shape's, so that whatever else the
 * machine does slows both. SAC_E_CANCELLED where `progress` (may be NULL) stops it: then nothing
 * changes. Attentions that were created before keep their shape. */
sac_status sac_tune_run(sac_device *device, double seconds, const sac_progress *progress,
                        sac_tune_report *report, sac_error *error);
/* Forgets what was tuned: the shipped shapes are back. */
void sac_tune_reset(sac_device *device);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
