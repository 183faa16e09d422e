/* An explained weight as steps of arithmetic: query and key, their products, the sum, the scale,
 * the mask, exp, the row's sum (or the threshold and what lies above it), the share, and what the share
 * lets through of the value. */
#ifndef VIZ_SHELL_WHY_STEPS_H
#define VIZ_SHELL_WHY_STEPS_H

#include "parts/pages/steps.h"
#include "sources/explanation.h"

/* The names of the row and the columns. All is lent, the struct too: it is read while the steps are
 * drawn. */
typedef struct viz_why_names {
    const char *query;
    char *(*key)(const void *user, size_t position, char *text, size_t size);
    const void *user;
} viz_why_names;

typedef enum viz_why_kind {
    VIZ_WHY_VECTORS = 0,
    VIZ_WHY_TERMS,
    VIZ_WHY_RAW,
    VIZ_WHY_SCALE,
    VIZ_WHY_MASK,
    VIZ_WHY_EXP, /* of a normalizer whose weights may be 0: the threshold … */
    VIZ_WHY_SUM, /* … and what lies above it, which 1.5-entmax squares */
    VIZ_WHY_SHARE,
    VIZ_WHY_VALUE,
    VIZ_WHY_KINDS
} viz_why_kind;

typedef struct viz_why_steps {
    viz_step steps[VIZ_WHY_KINDS];
    viz_why_kind kind[VIZ_WHY_KINDS]; /* of each step: those that the numbers allow */
    int count;
    double *numbers; /* what the steps show beside the explanation's own; owned */
    size_t *places;  /* the orders of columns; owned */
} viz_why_steps;

/* The steps lend the explanation's arrays and the names. False: no memory. */
bool viz_why_steps_make(const sac_explanation *explanation, const viz_why_names *names,
                        viz_why_steps *steps);
void viz_why_steps_free(viz_why_steps *steps); /* takes zeroed ones */
/* True where the columns of a step are keys. */
bool viz_why_is_of_keys(viz_why_kind kind);

/* The name of coordinate c of query and key, or its number. */
char *viz_why_coordinate(const sac_explanation *explanation, size_t c, char *text, size_t size);

/* The place in "cell (3, 4)", as views name cells in the language of the window; false: it is no cell. */
bool viz_why_parse_cell(const char *name, size_t *x, size_t *y);

#endif
