/* The rows and columns of weights that are shown: those that are not padding. */
#ifndef SAC_SOURCES_FILES_WEIGHTS_KEPT_H
#define SAC_SOURCES_FILES_WEIGHTS_KEPT_H

#include <stddef.h>

/* What is left of an item without its padding: places in the arrays, ascending. */
typedef struct sac_kept {
    size_t *rows, *columns; /* owned; NULL: all */
    size_t row_count, column_count;
} sac_kept;

#endif
