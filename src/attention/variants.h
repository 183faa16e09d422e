/* The kernels' specialisations: which -D options each source of cl/ is built with. */
#ifndef SAC_ATTENTION_VARIANTS_H
#define SAC_ATTENTION_VARIANTS_H

#include <stdbool.h>
#include <stddef.h>

/* The forms of a score that kernels know, as in cl/score.clh. */
typedef enum sac_score_form {
    SAC_FORM_DOT = 0,
    SAC_FORM_GAUSSIAN,
    SAC_FORM_ADDITIVE,
    SAC_FORM_COUNT
} sac_score_form;

/* Everything that changes the text of a compiled attention kernel. Sizes, masks and dropout do not:
 * they are arguments, so that a device compiles little. */
typedef struct sac_specialisation {
    const char *source; /* "attend_cpu", "attend_gpu" or "attend_naive" */
    sac_score_form form;
    bool negate;          /* the scale is negative */
    bool fast_fma;        /* fma() is in hardware */
    unsigned width;       /* floats per vector */
    unsigned micro_rows;  /* CPU: queries of a register tile */
    unsigned tile_rows;   /* most queries per tile */
    unsigned block_keys;  /* keys per pass of the online softmax */
    unsigned tile_floats; /* CPU: most floats of a tile of queries, and of one of outputs */
    unsigned weight_rows; /* CPU: queries per unit of kernel `weights` */
    unsigned columns;     /* GPU: output columns per work-item */
} sac_specialisation;

/* The shapes of the kernels' tiles. CPU: the scores of a tile are 128 KiB, in the second cache; of
 * the FMA peak, 128 × 256 reaches 0.70, 256 × 256 0.71, 128 × 128 0.65, 64 × 64 0.59. GPU: 16 × 16
 * work-items, 4 × 4 scores each. */
enum {
    SAC_CPU_TILE_ROWS = 128,
    SAC_CPU_BLOCK_KEYS = 256,
    SAC_CPU_TILE_FLOATS = 32768, /* 128 rows of up to 256, 16 rows of up to 2048 */
    SAC_CPU_WEIGHT_ROWS = 16,
    SAC_GPU_TILE_ROWS = 64,
    SAC_GPU_BLOCK_KEYS = 64,
    SAC_GPU_ACROSS = 16, /* work-items across the columns of a tile */
    SAC_GPU_MOST_COLUMNS = 8,
    SAC_GPU_LOCAL_BYTES = 29 * 1024,
};

/* The kernels for vectors of 4, 8 or 16 floats. */
sac_specialisation sac_specialise_cpu(unsigned width);
/* The kernels that give SAC_GPU_ACROSS · columns value columns per group: 1, 2, 4 or 8. */
sac_specialisation sac_specialise_gpu(unsigned columns);
sac_specialisation sac_specialise_naive(void);

/* "-DSCORE=0 -DWIDTH=16 …" into `options`, which is returned. */
char *sac_specialisation_options(const sac_specialisation *specialisation, char *options,
                                 size_t size);

/* Every specialisation that a plan can ask for, and the sources that have none (options ""): what
 * the syntax check goes through. */
size_t sac_specialisation_count(void);
void sac_specialisation_get(size_t index, const char **source, char *options, size_t size);

#endif
