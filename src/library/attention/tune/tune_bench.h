/* A problem that shapes of tiles are timed on, in turn with the shipped shape. */
#ifndef SAC_ATTENTION_TUNE_TUNE_BENCH_H
#define SAC_ATTENTION_TUNE_TUNE_BENCH_H

#include "attention/run/run.h"

/* Scaled-dot attention of random queries, keys and values. */
typedef struct sac_tune_problem {
    size_t heads, queries, keys, dim;
    bool causal;
} sac_tune_problem;

typedef struct sac_tune_bench {
    sac_device *device;
    const sac_progress *progress; /* asked after every launch; may be NULL */
    sac_tune_problem problem;
    sac_attention_spec spec;
    sac_array arrays[3];    /* query, key, value [1,H,T,d] */
    sac_attention *shipped; /* NULL: it was not created yet */
    float *output, *other;  /* the shipped shape's [1,H,Tq,d], and space for another */
} sac_tune_bench;

/* Leaves something to sac_tune_bench_free also where it fails. */
sac_status sac_tune_bench_create(sac_device *device, sac_variant variant,
                                 const sac_tune_problem *problem, const sac_progress *progress,
                                 sac_tune_bench *bench, sac_error *error);
void sac_tune_bench_free(sac_tune_bench *bench);

/* Prepares another shape and runs it once, which compiles it. *attention is the caller's to destroy
 * in any case. SAC_E_VALUE where its output is not the shipped shape's. */
sac_status sac_tune_bench_prepare(sac_tune_bench *bench, const sac_tiling *tiling,
                                  sac_attention **attention, sac_error *error);

/* Medians over pairs of runs, of one shape and the shipped one: what slows the machine slows both.
 */
typedef struct sac_tune_comparison {
    int pairs, faster;       /* faster: in how many it was the faster one */
    double ratio;            /* the ratio of the shape's time to the shipped one's, pair by pair */
    double seconds, shipped; /* of a run of each: the kernels alone, nothing is read back */
} sac_tune_comparison;
enum { SAC_TUNE_PAIRS = 31 };
/* At least 3 pairs; more, up to `most`, as long as they fit into `seconds` and the shape is not
 * much slower in every one of them. `attention` has run before. */
sac_status sac_tune_compare(const sac_tune_bench *bench, sac_attention *attention, int most,
                            double seconds, sac_tune_comparison *comparison, sac_error *error);

#endif
