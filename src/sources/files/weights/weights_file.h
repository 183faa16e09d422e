/* Opens a file of attention weights, or of queries and keys to compute them from, for a viewer. */
#ifndef SAC_SOURCES_FILES_WEIGHTS_WEIGHTS_FILE_H
#define SAC_SOURCES_FILES_WEIGHTS_WEIGHTS_FILE_H

#include "sources/source.h"

/* Zero is the default of every field but `path`. */
typedef struct sac_weights_file_options {
    const char *path;      /* any file that sac_arrays_open reads */
    const char *array;     /* the weights' name; may hold a * for the layer's number; NULL: found */
    const char *axes;      /* what the axes of the array are, e.g. "LHQK"; NULL: by rank */
    const char *leave_out; /* for query and key: as in sac_attention_request */
    const char *labels;    /* text or JSON; NULL: those in the file, if any */
    const char *image;     /* the picture that the columns lie over; NULL: none */
    int grid_w, grid_h;    /* of the columns over the picture; 0: a square that fits */
    int prefix;            /* leading tokens (CLS, registers) that are no cells */
    bool cells_given;      /* cells begin at column `cells`, amid a text */
    int cells;
    bool padding;            /* shown, which a mask of the file would have left out */
    const char *device;      /* for query and key: as sac_device_open takes it */
    sac_attention_spec spec; /* likewise */
    bool softmax;            /* the array holds scores: what is shown is their softmax */
    bool allow_nan;          /* NaN in stored weights is shown as masked, and counted in the note */
    bool ask; /* where several arrays fit, give a source without weights whose readings list them */
} sac_weights_file_options;

/* The weights that are shown are, in this order:
 *   the array named by `array`, or those a * in it stands for, one a layer;
 *   the arrays whose name ends in attention(s), attn, attention_weights, attn_weights, …_probs or
 * weights (numbers apart): one array, or one a layer ("layer.0.attention", "attentions.11", …);
 *   `query` and `key`, with the masks and projections that `saccade attend` knows: computed by tile
 * on a device, at any length, for [Tq,Tk] is never built; the only array that can be it. Axes by
 * rank: [Tk], [Tq,Tk], [H,Tq,Tk], [B,H,Tq,Tk], [L,B,H,Tq,Tk]; but [L,H,T,T] where one list of
 * tokens, or one picture, is of all, and [B,Tq,Tk] where each has its own; unless `axes` is given.
 * Any type of number; a part of the file is read when it is requested. Labels out of the file: text
 * arrays, or ids of tokens, under the names of arrays/labels.h, [T], [1,T] or one list an item,
 * [B,T]. Where the options leave them out, `grid` [2] (rows, columns), `prefix` and `image` (uint8
 * [H,W], [H,W,3] or [H,W,4]) of the file are taken. Cells of a picture amid a text are found by
 * `image_token_mask`, `image_positions` or a word such as <image> that stands for each. A picture
 * lies under the queries, and source->turned, where these are cells and the keys are not.
 * Arrays whose two last axes are lines and columns of maps over a picture are found by words, picture,
 * grid and sums (weights_maps.c). `attention_mask` (true: a token) and `key_padding_mask` (true: padding) leave padding out, item
 * by item. `beam_indices` [sequences,steps] makes sequences of the items of a generation. Errors name
 * the array and its index where a weight is NaN or infinite, or negative under a name of attention
 * (scores may be negative, and minus infinity where they are masked), at once or, in files too large to read through, when that
 * part is read. What was guessed, rows that do not sum to 1, and what
 * is not used, with why, are in source->note. Free with sac_source_destroy. */
sac_status sac_weights_file_open(const sac_weights_file_options *options, sac_source *source,
                                 sac_error *error);

#endif
