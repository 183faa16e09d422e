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
    unsigned block_keys;  /* most keys per panel */
    unsigned tile_floats; /* CPU: most floats of a tile of queries, and of one of outputs */
    unsigned weight_rows; /* CPU: queries per unit of kernel `weights` */
    unsigned columns;     /* GPU: output columns per work-item */
} sac_specialisation;

/* "-DSCORE=0 -DWIDTH=16 …" into `options`, which is returned. */
char *sac_specialisation_options(const sac_specialisation *specialisation, char *options,
                                 size_t size);

/* Every specialisation that a plan can ask for, and the sources that have none (options ""): what
 * the syntax check goes through. */
size_t sac_specialisation_count(void);
void sac_specialisation_get(size_t index, const char **source, char *options, size_t size);

#endif
