/* The arrays of a file while they are gathered. */
#ifndef SAC_CLI_ARRAYS_FILE_H
#define SAC_CLI_ARRAYS_FILE_H

#include "saccade_arrays.h"
#include "sources/attentions.h"

enum { CLI_MOST_ARRAYS = 64 };

/* Zeroed: none yet. Give `named` and `count` to sac_npz_save. */
typedef struct cli_arrays_file {
    sac_array array[CLI_MOST_ARRAYS]; /* their data is lent */
    sac_named_array named[CLI_MOST_ARRAYS];
    size_t count;
    char names[CLI_MOST_ARRAYS][40];
} cli_arrays_file;

/* Adds an array under a name, which is formatted as by printf. */
__attribute__((format(printf, 3, 4))) void
cli_arrays_file_add(cli_arrays_file *file, sac_array array, const char *name, ...);
/* Texts [rows] and [columns] as "row_labels" and "column_labels", or of an array "encoder_row_labels". */
void cli_arrays_file_add_labels(cli_arrays_file *file, const char *of, size_t rows,
                                const void *row_labels, size_t columns, const void *column_labels);
/* "cross" [L,H,rows,columns], or of several items [L,items,H,rows,columns], its labels and "cross_cells" [L,items,rows]
 * where it has any, and where it is known how well each head aligns, "cross_alignment" [L,H]. */
void cli_arrays_file_add_kind(cli_arrays_file *file, const sac_attention_kind *kind);
/* Every kind and part that is there. */
void cli_arrays_file_add_attentions(cli_arrays_file *file, const sac_attentions *attentions);

#endif
