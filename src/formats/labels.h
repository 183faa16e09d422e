/* Token labels: one a line of a UTF-8 text file, a JSON array of strings (or {"rows": […],
 * "columns": […]}), or text in an .npz or .npy: its arrays "rows" and "columns", else "labels",
 * else the only array of text there is. */
#ifndef SAC_FORMATS_LABELS_H
#define SAC_FORMATS_LABELS_H

#include "saccade.h"

typedef struct sac_labels {
    size_t count;
    char **text; /* UTF-8, owned */
} sac_labels;

/* Fills rows and columns; the same labels go to both where the file names only one list. */
sac_status sac_labels_load(const char *path, sac_labels *rows, sac_labels *columns,
                           sac_error *error);
sac_status sac_labels_from_array(const sac_array *array, sac_labels *labels, sac_error *error);
sac_status sac_labels_copy(const sac_labels *from, sac_labels *to, sac_error *error);
void sac_labels_free(sac_labels *labels);

#endif
