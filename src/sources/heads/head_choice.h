/* One attention map chosen out of a source: which layer and head, or what the heads are reduced
 * to, what becomes of the first tokens. A choice is read by rectangle, at
 * full size or pooled; nothing of the size of the whole matrix is kept but the rollout, whose
 * definition needs it. */
#ifndef SAC_SOURCES_HEAD_CHOICE_H
#define SAC_SOURCES_HEAD_CHOICE_H

#include "sources/heads/reduce.h"
#include "sources/source.h"

/* The treatment of the first tokens (CLS, registers, a sink): */
typedef enum sac_prefix {
    SAC_PREFIX_SHOWN = 0,
    SAC_PREFIX_DROPPED, /* not shown; the other weights stay as they are */
    SAC_PREFIX_MASKED,  /* as if those keys had been blocked: weight 0, the rest sums to 1 again */
    SAC_PREFIX_COUNT
} sac_prefix;
extern const char *const sac_prefix_names[SAC_PREFIX_COUNT]; /* "shown", "dropped", "masked" */

/* Of a pair of texts A and B: the tokens that are the queries, and those that are the keys. */
typedef enum sac_segments {
    SAC_SEGMENTS_ALL = 0,
    SAC_SEGMENTS_AA,
    SAC_SEGMENTS_BB,
    SAC_SEGMENTS_AB,
    SAC_SEGMENTS_BA,
    SAC_SEGMENTS_COUNT
} sac_segments;
extern const char *const sac_segments_names[SAC_SEGMENTS_COUNT]; /* "all", "A-A", … "B-A" */

/* The treatment of the keys that stand for no text (sac_weights_source.special). They keep their
 * places. */
typedef enum sac_special {
    SAC_SPECIAL_SHOWN = 0,
    SAC_SPECIAL_HIDDEN, /* weight 0; the other weights stay as they are */
    SAC_SPECIAL_MASKED, /* as if those keys had been blocked: the rest sums to 1 again */
    SAC_SPECIAL_COUNT
} sac_special;
extern const char *const sac_special_names[SAC_SPECIAL_COUNT]; /* "shown", "hidden", "masked" */

/* All fields are size_t or enums of int's size in pairs, without padding: sac_head_choice_same
 * compares the bytes. Start from a zeroed one. */
typedef struct sac_head_choice {
    size_t layer, batch, head; /* head counts only where nothing is reduced */
    size_t prefix_count;
    size_t scaled; /* how often heads were scaled before: maps of other scales are other maps */
    sac_reduce reduce;
    sac_prefix prefix;
    sac_segments segments; /* of a source of a pair; else all */
    sac_special special;   /* of a source that knows such tokens; else shown */
} sac_head_choice;
bool sac_head_choice_same(const sac_head_choice *a, const sac_head_choice *b);

/* A rectangle of a map, in the map's own rows and columns (after dropping). */
typedef struct sac_rect {
    size_t row, rows, col, cols;
} sac_rect;

/* The map's size, and the source's row and column at its top left (0 unless tokens are dropped, or
 * the map is of a part of a pair). Rows are dropped too where queries and keys are the same tokens,
 * that is in square maps. */
void sac_head_choice_size(const sac_source *source, const sac_head_choice *choice, size_t *rows,
                          size_t *columns);
void sac_head_choice_corner(const sac_source *source, const sac_head_choice *choice, size_t *row,
                            size_t *col);

/* True where the map's queries are its keys as well. */
bool sac_head_choice_is_square(const sac_source *source, const sac_head_choice *choice);
/* True where queries are words that look at cells of a picture, beside them or before them in one text. */
bool sac_head_choice_words_see_cells(const sac_source *source, const sac_head_choice *choice);

/* Reads maps out of a source; keeps scratch memory and the rollout. Not for two threads at once. */
typedef struct sac_reader {
    const sac_source *source; /* lent */
    float *rollout;           /* [L,N,N] of batch rollout_batch; NULL: not computed */
    size_t rollout_batch;
    sac_reduce rolled; /* it is that, or relevance */
    char of[64];       /* what relevance is of: "“street”" */
    float *scratch[2];
    size_t scratch_size[2];
} sac_reader;
void sac_reader_free(sac_reader *reader);

/* Rollout of larger maps would take minutes. */
#define SAC_ROLLOUT_MAX_TOKENS 1024
#define SAC_ROLLOUT_MAX_WEIGHTS ((size_t)1 << 26) /* L·N² */

/* So many reductions, from the first one on, does a source have. */
int sac_source_reduction_count(const sac_source *source);
/* Refuses one that these weights do not have. */
sac_status sac_source_check_reduction(const sac_source *source, sac_reduce reduce,
                                      sac_error *error);
/* The rectangle shrunk to [out_rows,out_cols] (rows and cols for full size) as sac_weights_pool
 * does. SAC_E_SHAPE where a rollout is asked of maps that are not square or too large. */
sac_status sac_head_choice_read(sac_reader *reader, const sac_head_choice *choice,
                                const sac_rect *rect, sac_pool pool, size_t out_rows,
                                size_t out_cols, float *out, sac_error *error);

/* The words of the map's columns, lent; NULL where they are not known, or queries and keys are not
 * the same words. */
const char *const *sac_head_choice_words(const sac_source *source, const sac_head_choice *choice);
/* Begins a scan of the map. */
sac_status sac_head_choice_scan_begin(const sac_source *source, const sac_head_choice *choice,
                                      size_t row_step, sac_weights_scan *scan, sac_error *error);
/* Goes on with a scan (begun with the map's size) by about `weights` weights. */
sac_status sac_head_choice_scan(sac_reader *reader, const sac_head_choice *choice, size_t weights,
                                sac_weights_scan *scan, sac_error *error);

#endif
