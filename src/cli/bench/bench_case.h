/* The cases that attention is measured on. */
#ifndef SAC_CLI_BENCH_BENCH_CASE_H
#define SAC_CLI_BENCH_BENCH_CASE_H

#include "cli/bench/bench_parts.h"

typedef enum bench_mask { BENCH_NO_MASK, BENCH_CAUSAL, BENCH_PADDING } bench_mask;
const char *bench_mask_name(bench_mask mask); /* "none", "causal", "padding" */

typedef struct bench_case {
    const char *name;
    sac_score score;
    size_t heads, tokens, keys, dim; /* of an additive score, dim is the hidden size too */
    bench_mask mask;
    size_t tile;     /* a square of the weights instead of outputs; else 0 */
    bool rows_known; /* the tile's log-sum-exps were computed before, as by a run */
    bool backward;   /* a whole sac_attend_backward: forward again, then the gradients */
    sac_storage storage;
    bool is_long;  /* many seconds a run */
    bool for_gpus; /* measured on a CPU only when asked for: it computes as with float32 */
} bench_case;

extern const bench_case bench_cases[];
extern const size_t bench_case_count;

/* 4·Tq·Tk·d a head: a multiply and an add for each of the two products. A causal matrix counts only
 * the half that is needed; a tile the scores in it, and where the statistics of its rows are not
 * known before, those with every key, which their softmax needs. The backward pass counts 3.5 times
 * as much, seven products: forward's two, which are computed again, and five for the gradients, of
 * which one computes the scores again. Kernels that take two passes compute more; it is not
 * counted. */
double bench_operations(const bench_case *which);
/* A single query reads each key and value once and has little else to do: its limit is memory. */
bool bench_is_memory_bound(const bench_case *which);
/* Bytes of the inputs and the outputs together, in float32. */
double bench_io_bytes(const bench_case *which);

/* Query, key and value [1,H,T,d] and what else the case has; doutput [1,H,Tq,d] goes backwards. */
typedef struct bench_arrays {
    sac_array query, key, value, padding, W_q, W_k, w_v, doutput;
} bench_arrays;
sac_status bench_arrays_make(const bench_case *which, bench_arrays *arrays, sac_error *error);
void bench_arrays_free(bench_arrays *arrays);

#endif
