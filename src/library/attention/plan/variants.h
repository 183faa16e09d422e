/* The kernels' specialisations: which -D options each source of cl/ is built with. */
#ifndef SAC_ATTENTION_PLAN_VARIANTS_H
#define SAC_ATTENTION_PLAN_VARIANTS_H

#include <stdbool.h>
#include <stddef.h>

#include "attention/plan/tiling.h"
#include "scores/scores.h"

/* Everything that changes the text of a compiled attention kernel. Sizes, masks and dropout do not:
 * they are arguments, so that a device compiles little. */
typedef struct sac_specialisation {
    const char *source; /* "attend_cpu", "attend_gpu", "attend_matrix", "attend_naive", … */
    sac_score form;
    bool softcap; /* scores are capped */
    sac_normalizer normalizer;
    bool fast_fma;                    /* fma() is in hardware */
    sac_tiling tiling;                /* all 0: naive */
    unsigned columns;                 /* GPU: output columns per work-item */
    bool on_gpu;                      /* GPU: and not the GPU kernel on a CPU */
    bool halves;                      /* GPU: query, key and value are float16 */
    unsigned dim_steps, column_steps; /* matrix: coordinates and value columns, in sixteens */
    bool pairs;                       /* CPU: bfloat16, multiplied by pairs */
    unsigned squares;                 /* CPU: parts of a number, by instructions for matrices; 0 */
    bool by_loops;                    /* matrix, pairs: loops stand in for the instruction */
} sac_specialisation;

sac_specialisation sac_specialise_cpu(const sac_tiling *tiling);
/* The widest head that a CPU multiplies by pairs, as in cl/attention/cpu/pairs.clh. */
enum { SAC_PAIRS_WIDEST = 128 };
/* `columns`: of sac_gpu_rounded_columns. */
sac_specialisation sac_specialise_gpu(const sac_tiling *tiling, unsigned columns);
/* The number of value columns that a work-item of the GPU kernel takes: at least `columns`, where
 * that many are possible, or the most. */
unsigned sac_gpu_rounded_columns(size_t columns);
/* The specialisation for heads of `dim` coordinates and values of `value_dim` columns,
 * sac_matrix_widest_head() at most. */
sac_specialisation sac_specialise_matrix(const sac_tiling *tiling, size_t dim, size_t value_dim,
                                         bool by_loops);
sac_specialisation sac_specialise_naive(void);
/* What looks for scores beyond float32. */
sac_specialisation sac_specialise_overflow(sac_score form);
/* The naive backward kernels, and those of a CPU with tiles as suit that one of forward. */
sac_specialisation sac_specialise_backward(void);
sac_specialisation sac_specialise_backward_cpu(const sac_tiling *tiling);
/* A GPU's by sac_tiling_backward_gpu, for heads that wide: SAC_BACKWARD_GPU_WIDEST at most. */
enum { SAC_BACKWARD_GPU_WIDEST = 128 };
sac_specialisation sac_specialise_backward_gpu(const sac_tiling *tiling, size_t dim);

/* The widest head of which the matrix kernels keep more than one fragment, or many keys of a panel. */
enum { SAC_MATRIX_NARROW = 64 };

/* "-DSCORE=0 -DWIDTH=16 …" into `options`, which is returned. */
char *sac_specialisation_options(const sac_specialisation *specialisation, char *options,
                                 size_t size);

/* Every specialisation that a plan can need: what the check of kernels compiles, besides those that
 * cl/list_kernels.c lists for other sources. */
size_t sac_specialisation_count(void);
void sac_specialisation_get(size_t index, const char **source, char *options, size_t size);

#endif
