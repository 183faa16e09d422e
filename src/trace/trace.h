/* What a viewer needs to know of attention, and nothing of how it is computed: the contract between
 * the models, which fill these, and the views, which read them. A source is asked from a worker
 * thread, one call at a time; it owns the device behind it. */
#ifndef SAC_TRACE_TRACE_H
#define SAC_TRACE_TRACE_H

#include "formats/image.h"
#include "formats/labels.h"
#include "saccade.h"

/* Where a view's numbers come from; goes into PNG text chunks, and back. */
typedef struct sac_origin {
    char file[1024]; /* absolute path; empty: nothing on disk */
    char hash[32];
    char device[160]; /* "PoCL, AMD EPYC, 2 cores"; empty: computed elsewhere */
} sac_origin;

/* ---------------------------------------------------------------- a picture attending to itself */

/* Everything that changes what is computed. Zero is not the default here: start from
 * sac_picture_defaults. */
typedef struct sac_picture_settings {
    sac_score score;
    float inverse_width; /* w of the gaussian score: it multiplies the distance */
    float temperature;   /* scores are divided by it */
    float position;      /* weight of a cell's place beside its colour */
    int cells;           /* on the picture's longer side, 8 to 128 */
} sac_picture_settings;

sac_picture_settings sac_picture_defaults(void);

typedef struct sac_picture_request {
    sac_picture_settings settings;
    int query_x, query_y;  /* the cell that looks, clamped to the grid */
    const uint8_t *hidden; /* [grid_h,grid_w], 1 = hidden from attention; NULL: none; lent */
    bool rebuild;          /* also Σ weights · cells for every query */
} sac_picture_request;

typedef struct sac_picture_result {
    sac_picture_settings settings;
    int grid_w, grid_h, query_x, query_y;
    float *weights;      /* [grid_h,grid_w], sums to 1; owned */
    float *rebuilt;      /* [grid_h,grid_w,3] sRGB 0 to 1, owned; NULL unless asked for */
    float entropy;       /* of the weights, in bits */
    float rebuild_max;   /* the largest weight over all queries, for a shared scale; 0: not known */
    double milliseconds; /* on the device, this result alone */
} sac_picture_result;
void sac_picture_result_free(sac_picture_result *result);

typedef struct sac_picture_source {
    void *self;
    const sac_image *image; /* lent by self */
    sac_origin origin;
    sac_status (*attend)(void *self, const sac_picture_request *request, sac_picture_result *result,
                         sac_error *error);
    void (*destroy)(void *self);
} sac_picture_source;

/* The grid that `cells` on the longer side gives a picture: aspect kept, at least 1 each. */
void sac_picture_grid(int width, int height, int cells, int *grid_w, int *grid_h);

/* ---------------------------------------------------------------- matrices of weights */

/* Attention [L,B,H,Tq,Tk]: in memory, or computed by tile from queries and keys. */
typedef struct sac_matrix_source {
    void *self;
    sac_origin origin;
    char title[128];          /* "attentions.npz" */
    char dtype[16];           /* "float16" */
    char score[32];           /* computed here: the score's name; else empty */
    char mask[64];            /* computed here: "causal", "causal, key padding" …; empty: none */
    int heads_asked;          /* computed here: into how many heads [B,T,D] was split; 0: none */
    char array[128], axes[8]; /* which array of the file, where a person chose it … */
    char labels_file[1024], image_file[1024]; /* … and what was opened beside it; empty: nothing */
    char note[192]; /* what a person should know before trusting the numbers; empty: nothing */
    size_t layers, batch, heads, rows, columns;
    sac_labels row_labels, column_labels; /* count 0: none; owned */
    const sac_image *image;               /* the picture the columns lie over; NULL: none; lent */
    int grid_w, grid_h; /* of the columns (after `prefix` of them) over the image */
    int prefix;         /* leading tokens (CLS, registers) that are not cells */
    /* Weights [rows,cols] of the tile of layer `layer` into `weights`. */
    sac_status (*tile)(void *self, size_t layer, const sac_tile *tile, float *weights,
                       sac_error *error);
    /* The same, shrunk to [out_rows,out_cols]; see sac_attention_pool. */
    sac_status (*pool)(void *self, size_t layer, const sac_tile *tile, sac_pool pool,
                       size_t out_rows, size_t out_cols, float *pooled, sac_error *error);
    void (*destroy)(void *self);
} sac_matrix_source;

/* Frees labels and self. Takes NULL and zeroed sources. */
void sac_matrix_source_destroy(sac_matrix_source *source);
void sac_picture_source_destroy(sac_picture_source *source);

/* Shannon entropy in bits of `count` weights, brought to sum 1; zeros count nothing, nothing but
 * zeros gives 0. */
float sac_entropy(const float *weights, size_t count);

#endif
