/* Token labels: one a line of a UTF-8 text file, a JSON array of strings, or an object of such
 * arrays, or text in an .npz or .npy: arrays under the names of sac_row_label_names and
 * sac_column_label_names, else the only array of text there is. Whole numbers, the ids of tokens,
 * are labels too. A list of lists, [B,T], has the labels of each item of a batch. */
#ifndef SAC_ARRAYS_LABELS_H
#define SAC_ARRAYS_LABELS_H

#include "saccade.h"

typedef struct sac_labels {
    size_t count;
    char **text; /* UTF-8, owned */
} sac_labels;

/* One list for all items of a batch, or one an item; items may be of different lengths. */
typedef struct sac_label_lists {
    size_t count;
    sac_labels *list; /* [count], owned */
} sac_label_lists;

/* The names that labels have in files of every kind, of which the first that is there counts: rows,
 * row_labels, target … and columns, column_labels, source …; tokens, labels and words are for both.
 * Each list ends with NULL. */
extern const char *const sac_row_label_names[], *const sac_column_label_names[];

/* Fills rows and columns; the same labels go to both where the file names only one list. */
sac_status sac_labels_load(const char *path, sac_label_lists *rows, sac_label_lists *columns,
                           sac_error *error);
/* An array of text, [T] or with as many axes of size 1 before it. */
sac_status sac_labels_from_array(const sac_array *array, sac_labels *labels, sac_error *error);
/* An array of text or of whole numbers, […,T]: one list for each index before the last axis.
 * SAC_E_ARGUMENT where it holds neither. */
sac_status sac_label_lists_from_array(const sac_array *array, sac_label_lists *lists,
                                      sac_error *error);
bool sac_label_lists_accept_dtype(const sac_array *array); /* it holds text or whole numbers */
void sac_label_lists_free(sac_label_lists *lists);
/* Puts those of `more` behind them, which is empty then. */
sac_status sac_labels_append(sac_labels *labels, sac_labels *more, sac_error *error);
sac_status sac_labels_copy(const sac_labels *from, sac_labels *to, sac_error *error);
/* Writes tokens as people read them: byte-level pieces ("Ġcaf", "Ã©") become text again, a leading
 * space or ▁ a dot, ## and </w> are dropped, blanks and line ends become visible, and bytes ("<0x0A>")
 * characters: "·the", "ing", "␣", "⏎"; a byte that is a part of a letter is "‹80›". `are_bytes`: they are known to be byte-level
 * pieces, whose marks need not occur. Fails with SAC_E_MEMORY. */
sac_status sac_labels_make_readable(sac_labels *labels, bool are_bytes, sac_error *error);
void sac_labels_free(sac_labels *labels);

#endif
