/* The plain layers, each with forward and backward beside each other. All enqueue and do not wait.
 * Backward adds to the gradients of parameters (which begin at zero) and writes those of inputs,
 * unless it says "adds". A gradient is called as its value with a d before it: dy is ∂loss/∂y.
 * Where dx is empty it is not computed. */
#ifndef SAC_NN_LAYERS_H
#define SAC_NN_LAYERS_H

#include "attention/product.h"

/* y[rows,out] = x[rows,in] Wᵀ + b, W [out,in] as PyTorch has it; b may be empty. */
typedef struct sac_linear {
    size_t rows, in, out;
    bool accumulate; /* forward adds to y; backward adds to dx */
} sac_linear;
sac_status sac_linear_forward(sac_device *device, const sac_linear *layer, sac_span x, sac_span w,
                              sac_span b, sac_span y, sac_error *error);
sac_status sac_linear_backward(sac_device *device, const sac_linear *layer, sac_span x, sac_span w,
                               sac_span dy, sac_span dx, sac_span dw, sac_span db,
                               sac_error *error);

/* 3 × 3 convolution with a border of one zero, bias and ReLU: x [B,H,W,in] → y
 * [B,H/stride,W/stride,out] (rounded up), W [out,3,3,in]; stride 1 or 2. `columns`: scratch of
 * sac_convolution_scratch floats, which backward uses anew. */
typedef struct sac_convolution {
    size_t batch, height, width, in, out, stride;
} sac_convolution;
size_t sac_convolution_scratch(const sac_convolution *layer);
size_t sac_convolution_out(size_t side, size_t stride); /* side of the result */
sac_status sac_convolution_forward(sac_device *device, const sac_convolution *layer, sac_span x,
                                   sac_span w, sac_span b, sac_span columns, sac_span y,
                                   sac_error *error);
/* `y` is forward's result: where it is 0, ReLU passed nothing. */
sac_status sac_convolution_backward(sac_device *device, const sac_convolution *layer, sac_span x,
                                    sac_span w, sac_span y, sac_span columns, sac_span dy,
                                    sac_span dx, sac_span dw, sac_span db, sac_error *error);

/* x[rows,columns] += b[columns], in place; and its gradient: db[columns] += Σ_rows dx. */
sac_status sac_add_rows(sac_device *device, size_t rows, size_t columns, sac_span x, sac_span b,
                        sac_error *error);
sac_status sac_sum_rows(sac_device *device, size_t rows, size_t columns, sac_span dx, sac_span db,
                        sac_error *error);

/* y[batch,depth] = mean over cells of x[batch,cells,depth]; backward adds to dx. */
sac_status sac_mean_cells_forward(sac_device *device, size_t batch, size_t cells, size_t depth,
                                  sac_span x, sac_span y, sac_error *error);
sac_status sac_mean_cells_backward(sac_device *device, size_t batch, size_t cells, size_t depth,
                                   sac_span dy, sac_span dx, sac_error *error);

/* In place: x ← tanh x; and dy ← dy (1 − y²). */
sac_status sac_tanh_forward(sac_device *device, size_t count, sac_span x, sac_error *error);
sac_status sac_tanh_backward(sac_device *device, size_t count, sac_span y, sac_span dy,
                             sac_error *error);

/* y[rows,depth] = table[words[row],:]; backward: dtable[words[row],:] += dy[row,:], in one fixed
 * order. `words`: int [rows] from `words_at` on, each in 0 … vocabulary − 1. */
typedef struct sac_embedding {
    size_t rows, depth, vocabulary;
} sac_embedding;
sac_status sac_embedding_forward(sac_device *device, const sac_embedding *layer, cl_mem words,
                                 size_t words_at, sac_span table, sac_span y, sac_error *error);
sac_status sac_embedding_backward(sac_device *device, const sac_embedding *layer, cl_mem words,
                                  size_t words_at, sac_span dy, sac_span dtable, sac_error *error);

#endif
