/* Attention weights made fewer: over heads, over layers, over blocks of a matrix, to a few figures.
 * Plain C on float32 in memory. */
#ifndef SAC_SOURCES_REDUCE_H
#define SAC_SOURCES_REDUCE_H

#include "saccade.h"
#include "scores/figures.h"
#include "sources/words/gaze_heads.h"

/* The reduction of the heads of a layer (from rollout on: of all layers up to it) to one
 * map. */
typedef enum sac_reduce {
    SAC_REDUCE_NONE = 0,
    SAC_REDUCE_MEAN,
    SAC_REDUCE_MAX,
    SAC_REDUCE_MIN,
    SAC_REDUCE_ROLLOUT,
    SAC_REDUCE_RELEVANCE, /* of sources with gradients */
    SAC_REDUCE_CONTACTS, /* of all heads of all layers, of a model that predicts from them what touches */
    SAC_REDUCE_COUNT
} sac_reduce;
extern const char *const sac_reduce_names[SAC_REDUCE_COUNT]; /* "none", "mean", … */
const char *sac_reduce_name(sac_reduce reduce);
bool sac_reduce_from_name(const char *name, sac_reduce *reduce);

/* Takes head `index` of `heads` into `total` [count]: set by the first, complete after the last. */
void sac_reduce_head(sac_reduce reduce, size_t index, size_t heads, const float *weights,
                     size_t count, float *total);

/* One layer further in attention rollout (Abnar & Zuidema 2020, "Quantifying Attention Flow in
 * Transformers"): next = Ā · below, Ā = ½ (A + I) with rows brought to sum 1. `attention` is the
 * layer's mean over heads, `below` the rollout of the layers below it (NULL: none, the identity);
 * all [n,n], `next` apart from the others. */
void sac_rollout_layer(const float *attention, const float *below, size_t n, float *next);

/* One layer further in relevance (Chefer et al. 2021, arXiv 2103.15679): R ← R + E R from R = I on, E
 * the layer's mean over heads of attention times gradient, above 0. `below` and `next` are R − I, which
 * may be small beside the identity: next = below + E + E · below; the rest as above. */
void sac_relevance_layer(const float *relevance, const float *below, size_t n, float *next);
/* shown [n,n]: what a row of such a map has from other tokens, brought to a sum of 1. */
void sac_relevance_normalize(const float *relevance, size_t n, float *shown);

/* Shrinks `weights` [rows,cols] to `pooled` [out_rows,out_cols]; out cell r covers the rows
 * [r·rows/out_rows, (r+1)·rows/out_rows), columns likewise. The mean, or the value of the greatest
 * magnitude, which for weights is the maximum. `weights` is worked in and holds nothing afterwards.
 */
void sac_weights_pool(float *weights, size_t rows, size_t cols, sac_pool pool, size_t out_rows,
                      size_t out_cols, float *pooled);

/* Takes the first `prefix` keys of each row away as if they had been blocked: their weights become
 * 0 and the rest sums to 1. A row with nothing left becomes 0. */
void sac_weights_mask_prefix(float *weights, size_t rows, size_t cols, size_t prefix);

/* ---------------------------------------------------------------- a map in a few figures */

#define SAC_NEAR 3       /* keys away, … */
#define SAC_NEAR_CELLS 2 /* … or cells of a grid, along either axis */

typedef struct sac_weights_stats {
    size_t rows, columns; /* of the map */
    bool is_square;  /* its queries are its keys: as many, unless it is known that they are not */
    size_t row_step; /* every row_step-th row was read */
    float low, high; /* the smallest and the largest weight */
    float peak;      /* where it was requested, the weight of greatest magnitude … */
    size_t peak_row, peak_column; /* … and its first place */
    float entropy;                /* mean over the rows, in bits */
    float distance; /* mean over the rows of Σ weight · |i − j|, or of how far cells of a grid are
                             apart; square maps, else 0 */
    float previous, self, next,
        first;       /* mean weight on key i−1, i, i+1 (square maps, else 0) and 0 */
    float alike,     /* mean weight on other keys with the query's own word … */
        repeats;     /* … and on keys behind such a one; over the queries that have one, else 0 */
    float delimiter; /* mean weight on marks of punctuation and on special tokens, but for the first
                        token; 0 where words are not known */
    float gaze,      /* of rows of words over the cells of a picture: sac_gaze_head's score, … */
        gaze_entropy,    /* … and its spatial entropy; without such rows 0 */
        on_picture;      /* … and share on the picture */
    float near;          /* mean weight on keys near by; square maps, else 0 */
    int near_keys;       /* how many those are at most */
    float focus;         /* mean weight on the key that gets most of it … */
    size_t focus_column; /* … which is this one */
    float possible;    /* mean over the rows of the entropy, were all keys alike that have weight */
    float spread;      /* the largest difference of two queries' weights on the same key */
    float information; /* bits that the query decides about the key (entropy of the mean row less
                            `entropy`), times the weight that is neither on the first key nor on the
                            query and its neighbours */
    size_t
        informative_row; /* the row with most of such weight, times what its entropy is short of what it
                            could be */
} sac_weights_stats;

/* True for "[SEP]", "<s>", or marks of punctuation alone, with any mark for the begin of a word. */
bool sac_token_is_delimiter(const char *label);

/* What a head does, judged by its figures. */
typedef enum sac_weights_kind {
    SAC_KIND_PREVIOUS = 0, /* looks at the token before */
    SAC_KIND_SELF,
    SAC_KIND_NEXT,
    SAC_KIND_FIRST,
    SAC_KIND_ALIKE,     /* at the same word elsewhere */
    SAC_KIND_REPEATS,   /* at what followed the same word: an induction head */
    SAC_KIND_DELIMITER, /* at marks of punctuation and special tokens */
    SAC_KIND_ONE,       /* at one token that is not the first, wherever the query is */
    SAC_KIND_GAZE,      /* at the place in a picture of what is described */
    SAC_KIND_NEAR,      /* at the tokens around */
    SAC_KIND_BROAD,     /* at all there are, nearly alike */
    SAC_KIND_MIXED,     /* at tokens that differ from query to query */
    SAC_KIND_COUNT
} sac_weights_kind;
/* How much of a pattern a map of T queries i and keys j has:
 *     previous   Σ_i a(i, i−1) / (T−1)                     Clark et al. 2019, Voita et al. 2019
 *     self       Σ_i a(i, i) / T: the diagonal
 *     next       Σ_i a(i, i+1) / (T−1)
 *     first      Σ_i a(i, 0) / T: the sink                 Xiao et al. 2023
 *     alike      mean of Σ a(i, j), j ≠ i, x_j = x_i       duplicate token, Wang et al. 2022
 *     repeats    mean of Σ a(i, j), x_(j−1) = x_i, j−1 ≠ i induction, Olsson et al. 2022
 *     delimiter  Σ_i Σ a(i, j) / T, j > 0 a delimiter      Clark et al. 2019
 *     one        the largest mean weight of a key, unless it is the first
 *     gaze       of words over a picture: sources/words/gaze_heads.h, Gandikota and Bau 2026
 *     near       Σ_i Σ a(i, j) / T, |i − j| ≤ SAC_NEAR
 *     broad      entropy over what it could be; mixed: `information`
 * The means are over the queries that have such a key. Between 0 and 1, but for mixed. */
float sac_weights_score(const sac_weights_stats *stats, sac_weights_kind kind);
/* "previous token", "broad". */
const char *sac_weights_kind_name(sac_weights_kind kind);
/* `share`, unless NULL: the mean weight on that place; 0 for broad and mixed. */
sac_weights_kind sac_weights_kind_of(const sac_weights_stats *stats, float *share);

/* The stats of all rows of a map out of their figures [rows] and the sum of each column [columns]:
 * words are not known, nor `spread`, which is then 1. Query i stands where key i + offset does. */
void sac_weights_stats_of(const sac_row_figures *figures, size_t rows, size_t columns,
                          ptrdiff_t offset, const double *received, sac_weights_stats *stats);

/* Queries that differ by less are the same for the eye and for float32. */
#define SAC_SAME_ROWS 1e-6f

/* True where every query has the same weights: the map does not depend on the query. */
bool sac_weights_are_constant(const sac_weights_stats *stats);
/* "previous token 0.81": its kind and share; else "uniform" or its entropy. The short form
 * ("prev 0.81") is for small room. */
char *sac_weights_caption(const sac_weights_stats *stats, bool brief, char *text, size_t size);

/* The figures, gathered row by row. */
typedef struct sac_weights_scan {
    sac_weights_stats stats; /* true once next_row has reached stats.rows */
    size_t next_row, rows_read;
    bool
        finds_peak; /* of differences, whose largest may be negative: set it before the first row */
    /* Sums so far. */
    double entropy, possible, distance, previous, self, next, first, near, alike, repeats, free;
    double delimiter;
    size_t alike_rows, repeats_rows; /* that have such a key */
    double most_informative;
    double kind_most[SAC_KIND_COUNT];
    size_t
        kind_row[SAC_KIND_COUNT]; /* that shows a pattern best, without the first token as the one
                                        before, or as itself; of broad, mixed and one token 0 */
    float *column_low, *column_high; /* [columns] */
    size_t *words;    /* [columns] the first column with the same word; NULL: words are not known */
    bool *delimiters; /* [columns]; NULL: words are not known */
    float *row_sum;   /* [rows]; NaN: not read */
    float *row_entropy; /* [rows] in bits; NaN: not read */
    size_t grid_w, grid_h,
        grid_from; /* keys from there on are its cells, and so are the queries of a square map; 0: of a line */
    sac_gaze_scan
        gaze; /* of the rows that are no cells and come behind them; zeroed: there are none */
    float *column_mean; /* [columns] mean weight over the rows that were read: sums until then */
} sac_weights_scan;
/* `labels` [columns]: the words that both queries and keys are; NULL: not known, or not the same.
 * SAC_E_MEMORY where there is none. Free with sac_weights_scan_free, which takes zeroed structs. */
sac_status sac_weights_scan_begin(sac_weights_scan *scan, size_t rows, size_t columns,
                                  size_t row_step, const char *const *labels, sac_error *error);
/* Before the first row: keys from `from` on are cells of a grid, row by row. Of a square map queries are, too: what is near
 * by is so in two dimensions. Other rows are words, which look at it. Without memory nothing is known of these. */
void sac_weights_scan_set_grid(sac_weights_scan *scan, size_t width, size_t height, size_t from);
/* Row scan->next_row, weights [columns]. */
void sac_weights_scan_row(sac_weights_scan *scan, const float *weights);
/* The mean share of a query's weight that the map has, once all rows were read: the rest is hidden,
 * or on keys that it leaves out. */
float sac_weights_scan_mean_share(const sac_weights_scan *scan);
void sac_weights_scan_free(sac_weights_scan *scan);

#endif
