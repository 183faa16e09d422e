/* The parts of opening a file of weights, for weights_file.c. */
#ifndef SAC_SOURCES_FILES_WEIGHTS_WEIGHTS_FILE_PARTS_H
#define SAC_SOURCES_FILES_WEIGHTS_WEIGHTS_FILE_PARTS_H

#include "saccade_arrays.h"
#include "sources/files/weights/computed_weights.h"
#include "sources/files/weights/stored_weights.h"
#include "sources/files/weights/weights_file.h"

/* What is known of an array of the file while it is opened. */
typedef struct sac_array_use {
    bool used;
    char why[96]; /* why it is not, where it looks as if it should be; empty: unknown */
} sac_array_use;

typedef struct sac_weights_file {
    sac_arrays *arrays;  /* kept open: stored weights are read out of it */
    sac_array_use *uses; /* [arrays] */
    sac_stored_weights stored;
    sac_computed_weights computed;
    sac_kept *kept; /* [kept_count], an item each: of stored and computed weights, which are lent
                       it; NULL: there is no padding */
    size_t kept_count;
    sac_image image;
    float *alignment;                          /* of the heads; NULL: the file has none */
    sac_label_lists given_rows, given_columns; /* of the options' file of labels */
    sac_label_lists rows, columns;             /* of queries and keys, with their padding */
    size_t *cells; /* [cell_lists,cell_count] the keys that are cells: of all items, or of each */
    size_t cell_lists, cell_count;
    size_t *layer_numbers;
    size_t *sequence_steps; /* [B] of a search by beams, steps of each sequence; NULL: all */
} sac_weights_file;

/* Makes sequences of the items of a generation by its `beam_indices`, and leaves out the keys of a
 * cache that were never filled. */
sac_status sac_weights_beams_read(sac_weights_file *f, const sac_array_group *group,
                                  sac_source *source, sac_error *error);
/* SAC_E_FORMAT where the items of a generation may be beams, and it is not known whose; SAC_E_VALUE where
 * its rows are of other tokens. Labels are known. */
sac_status sac_weights_beams_check(sac_weights_file *f, const sac_weights_file_options *options,
                                   sac_error *error);
/* True where `lists` of tokens or of a mask can be those of the items: one, one each, or of a
 * generation of several sequences for each prompt, one a prompt; and which list is an item's. */
bool sac_weights_lists_fit(const sac_weights_file *f, size_t lists, size_t items);
size_t sac_weights_list_of_item(size_t lists, size_t items, size_t item);

void sac_array_use_mark(sac_weights_file *f, const sac_array *array);
/* Records why an array is not used. */
__attribute__((format(printf, 3, 4))) void
sac_array_use_explain(sac_weights_file *f, const sac_array *array, const char *format, ...);

/* Reads the options' file of labels. */
sac_status sac_weights_labels_load(sac_weights_file *f, const sac_weights_file_options *options,
                                   sac_error *error);
/* How many lists of labels file and options have for one of the two counts: 0, 1, or one an item.
 */
size_t sac_weights_label_list_count(const sac_weights_file *f, size_t queries, size_t keys);
/* Fills rows and columns of `f`, for a source whose sizes are known. */
sac_status sac_weights_labels_read(sac_weights_file *f, const sac_weights_file_options *options,
                                   sac_source *source, sac_error *error);
/* Gives the source the labels of what is left of padding. */
sac_status sac_weights_labels_give(sac_weights_file *f, sac_source *source, sac_error *error);

/* "QYX" and the like where the arrays are maps over a picture, by labels, picture, grid and their sums;
 * NULL: they are not, or it is not known. */
sac_status sac_weights_map_axes_find(const sac_weights_file *f, const sac_array_group *group,
                                     const sac_weights_file_options *options, const char **axes,
                                     sac_error *error);
/* The side of a square of so many cells; 0: they are none, or one alone. */
size_t sac_square_side(size_t cells);
/* Reads picture, grid and cells of the file and the options, and lays them under the source. */
sac_status sac_weights_picture_read(sac_weights_file *f, sac_weights_file_options *options,
                                    sac_source *source, sac_error *error);
/* Gives the source the cells of what is left of padding. */
sac_status sac_weights_picture_give(sac_weights_file *f, sac_source *source, sac_error *error);

/* Leaves padding out, where the file has a mask for it. */
sac_status sac_weights_padding_read(sac_weights_file *f, const sac_weights_file_options *options,
                                    sac_source *source, sac_error *error);

#endif
