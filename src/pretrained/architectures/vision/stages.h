/* Vision encoders in stages: Swin (Liu et al. 2021) and DaViT (Ding et al. 2022), whose names of
 * tensors are in vision/swin.c and vision/davit.c. Each stage is a transformer over a grid of cells, whose heads
 * attend inside of windows of this grid. Between two stages cells are joined to fewer and wider
 * ones. A stage is a part of its model, with layers, a width and heads of its own. */
#ifndef SAC_ARCHITECTURES_VISION_STAGES_H
#define SAC_ARCHITECTURES_VISION_STAGES_H

#include "nn/transformer.h"
#include "saccade.h"

enum { SAC_STAGES = 8, SAC_STAGE_LAYERS = 128, SAC_WINDOW_KINDS = 4 };

/* How the cells that enter a stage are made: each of a square of taps × taps cells (of the first
 * stage pixels) of the grid before. Squares begin every `step` cells, the first `border` cells
 * before the grid; what of them is outside is 0. There are ⌈side/step⌉ of them along a side. */
typedef struct sac_joining {
    int taps, step, border;
    bool by_column; /* the numbers of a square are those of its cells, column by column; else they
                       lie by channel, row and column, as in the weights of a convolution */
    sac_layer_norm cells, squares, joined; /* of the cells before, of a square's numbers, of the
                                              result; no gain: none */
    const sac_parameter *w, *b;            /* [D,in·taps²]; b [D] or NULL */
} sac_joining;

/* A convolution of each channel by itself over 3 × 3 cells, which is added to the cells. */
typedef struct sac_near {
    const sac_parameter *w, *b; /* [C,1,3,3], [C] */
} sac_near;

/* What DaViT's layers have beside heads: these convolutions before the attention and before the network, and
 * behind them the same once more with channels that attend to channels, in groups. */
typedef struct sac_channels {
    sac_near near[4];
    sac_layer_norm norm[2];
    sac_dense query, key, value, out, up, down;
    size_t groups;
} sac_channels;

typedef struct sac_stage {
    int number; /* from 1 on; 0: the model is no stage */
    sac_joining joining;
    size_t window; /* cells along a side */
    bool shifts;   /* in every other layer windows begin half a side further, and around the edge */
    /* [(2·window − 1)²,H]: added to scores by the key's place relative to the query; NULL: nothing is */
    const sac_parameter *bias[SAC_STAGE_LAYERS];
    sac_channels *channels; /* [layers], owned; NULL: there are none */
} sac_stage;

/* The windows of a grid that begin at `shift`. Their cells stand one after the other, window by
 * window; windows that reach around an edge, whose parts do not see each other, come last. */
typedef struct sac_windows {
    size_t side, cells, shift;          /* cells of a window: side² */
    size_t first[SAC_WINDOW_KINDS + 1]; /* windows of kind k: first[k] … first[k + 1] − 1; of kind
                                           1 and 3 the right part is of the left edge, of 2 and 3
                                           the lower part of the upper one */
    size_t grid_cells;
    int *cell;  /* [windows·cells]: of the grid; grid_cells: none, it is filled up by zeros */
    int *place; /* [grid_cells]: where it stands among them */
} sac_windows;

typedef struct sac_pretrained_model sac_pretrained_model;
struct sac_inference;
struct sac_patch_grid;

/* ---- the passage of cells through a stage (inference/windows.c); the device is locked */

/* Makes the windows of a stage's grid, and memory for what its layers keep: p->windows, of even
 * and of odd layers. SAC_E_SHAPE where the grid is smaller than a window. */
sac_status sac_windows_create(struct sac_inference *p, sac_error *error);
void sac_windows_free(struct sac_inference *p);
/* One layer: x [cells,D] is changed in place. `scales` [1,D] of what heads give; empty: none. */
void sac_windows_run_layer(const struct sac_inference *p, int layer, sac_tensor x,
                           sac_tensor scales);

/* The weights of a layer's heads, as they are looked at. */
typedef struct sac_window_heads sac_window_heads;
sac_status sac_window_heads_create(const struct sac_inference *p, int layer,
                                   sac_window_heads **heads, sac_error *error);
void sac_window_heads_destroy(sac_window_heads *heads); /* takes NULL */
int sac_window_heads_layer(const sac_window_heads *heads);
/* The weights [windows,cells,cells] of a head in the order of the windows' cells; lent until the next head. */
sac_status sac_window_heads_compute(sac_window_heads *heads, size_t head, const float **weights,
                                    sac_error *error);
/* The windows of a layer of an inference, and the number of them. */
const sac_windows *sac_windows_of(const struct sac_inference *p, int layer);
size_t sac_windows_count(const sac_windows *windows);
/* Rows and columns are cells of the grid. What a window is filled up with has its share, too, so that
 * rows of cells beside it sum to less than 1. */
sac_status sac_window_heads_tile(sac_window_heads *heads, const sac_tile *tile, float *weights,
                                 sac_error *error);
/* True where no head of the layer lets the cell `query` see `key`. */
bool sac_window_hides(const struct sac_inference *p, int layer, size_t query, size_t key);

/* ---- the passage of a picture through all stages up to one (vision/stages.c) */

/* pixels [3,height,width] → what went through stage `number` (from 1 on), which keeps what its heads
 * are computed from where `keeps`. What heads give is multiplied by `scale` [L,H], L the layers of all
 * stages, H the heads of the widest; NULL: they give all of it. */
sac_status sac_stages_see(sac_pretrained_model *model, const float *pixels, int width, int height,
                          int number, bool keeps, const float *scale,
                          struct sac_inference **inference, sac_error *error);

#endif
