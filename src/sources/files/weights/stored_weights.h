/* Weights that lie in arrays of a file, whatever their type and the order of their axes. */
#ifndef SAC_SOURCES_FILES_WEIGHTS_STORED_WEIGHTS_H
#define SAC_SOURCES_FILES_WEIGHTS_STORED_WEIGHTS_H

#include "saccade_arrays.h"
#include "sources/files/array_groups.h"
#include "sources/files/weights/kept.h"
#include "sources/source.h"

enum { SAC_AXIS_L = 0, SAC_AXIS_B, SAC_AXIS_H, SAC_AXIS_Q, SAC_AXIS_K, SAC_AXES };
/* The default axes of an array of weights, by its rank: "QK", "HQK" … */
extern const char *const sac_axes_by_rank[SAC_AXES + 1];
/* The same, but "LHQK" for [L,H,Tq,Tk] that `saccade translate` names encoder, decoder or cross. */
const char *sac_axes_of(const sac_named_array *named);

typedef struct sac_stored_weights {
    sac_named_array *layers; /* [count]: one that holds all layers, or one a layer; owned, what it
                                names is lent */
    size_t count;
    sac_named_array *pieces; /* [count,piece_count]: where a layer's rows lie in several arrays, one
                                a step of a generation; `layers` are the first; owned; NULL: not */
    size_t piece_count;
    size_t *piece_rows; /* [piece_count+1]: the first row of each, and the end of the last */
    bool own_keys;      /* of the steps: as in sac_array_group */
    size_t
        *beams; /* [B,piece_count or 1]: the item of the arrays that each step of a sequence is of,
                      where a search by beams changed it; SIZE_MAX: it had ended; owned; NULL: items
                      are sequences */
    const sac_kept *kept;    /* [B]: tiles count only these rows and columns; lent; NULL: all */
    int axis[SAC_AXES];      /* which axis of an array is L, B, H, Q, K; −1: it has none */
    size_t size[SAC_AXES];   /* L, B, H, Tq, Tk */
    size_t stride[SAC_AXES]; /* in elements; 0: no such axis */
    sac_array
        *flat; /* [count] of maps over a picture: `layers` with the axes Y and X as one, K; owned;
                        NULL: there are none */
    size_t map_w, map_h; /* their width and height; 0: there are none */
    bool softmax;        /* the arrays hold scores */
    bool is_signed;      /* they hold numbers of either sign, which are no weights */
    bool allow_nan;      /* NaN counts as a weight of 0 that is masked, and is no error */
    float *band;         /* scratch of the pooling */
    size_t band_size;
    float *line, *whole; /* [Tk] scratch of the softmax, and of rows with padding */
} sac_stored_weights;

/* Groups of arrays that may hold weights: those that `wanted` names, a name or a pattern with *. If
 * it is NULL, those that are named as weights, or, with `any`, all of that shape except parameters
 * of a model (….weight, ….bias). SAC_E_MEMORY. */
sac_status sac_weights_find(const sac_arrays *arrays, const char *wanted, bool any,
                            sac_array_groups *groups, sac_error *error);
/* True of a name of attention: "attn", "layer.0.attention_scores"; "weights" may be of anything. */
bool sac_weights_are_attention(const char *name);
/* The first unread array of the file that is named as weights; NULL: there is none. */
const char *sac_weights_unread(const sac_arrays *arrays);
/* What the numbers are like, by all of a small file, some rows of a large one. */
typedef struct sac_weights_survey {
    bool negative;
    float low_row, high_row; /* sums of the rows of the last axis: of a map those of its lines */
    float low_map, high_map; /* of maps over a picture: sums of each whole */
} sac_weights_survey;
sac_status sac_stored_weights_survey(sac_stored_weights *stored, sac_weights_survey *survey,
                                     sac_error *error);

/* The axes are L, B, H, Q and K, each once, K last; or in its place Y and X, the lines and columns of a
 * map over a picture. SAC_E_SHAPE where the arrays of the group cannot hold weights or `axes` (NULL: by rank) do not
 * fit them. Free with sac_stored_weights_free, which takes zeroed structs. */
sac_status sac_stored_weights_take(sac_stored_weights *stored, const sac_array_group *group,
                                   const char *axes, sac_error *error);
void sac_stored_weights_free(sac_stored_weights *stored);

/* The functions of a source. SAC_E_VALUE names array and index of a value that is not a weight. */
sac_status sac_stored_weights_tile(sac_stored_weights *stored, size_t layer, const sac_tile *tile,
                                   float *weights, sac_error *error);
sac_status sac_stored_weights_pool(sac_stored_weights *stored, size_t layer, const sac_tile *tile,
                                   sac_pool pool, size_t out_rows, size_t out_cols, float *pooled,
                                   sac_error *error);

/* 1 in `out` [rows,cols] where the file has NaN, or a score of minus infinity, or the key comes
 * after the step of the query. */
sac_status sac_stored_weights_masked(const sac_stored_weights *stored, size_t layer,
                                     const sac_tile *tile, uint8_t *out, sac_error *error);
/* The explanation holds the row of weights and nothing else, as no more is known. */
sac_status sac_stored_weights_explain(sac_stored_weights *stored,
                                      const sac_explanation_request *request,
                                      sac_explanation *explanation, sac_error *error);

/* Reads all of a small file, some rows of a large one, and writes into `note` what is odd about
 * the sums of the rows that are kept, if anything is, how many NaN were seen, and how much of a row
 * lies on padding. */
sac_status sac_stored_weights_check(sac_stored_weights *stored, char *note, size_t size,
                                    sac_error *error);

#endif
