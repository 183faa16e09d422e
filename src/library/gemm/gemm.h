/* The matrix product that projections and layers stand on, and the linear layer: the one behind the
 * projections of an attention and the layer of nn. All enqueue and do not wait. */
#ifndef SAC_GEMM_GEMM_H
#define SAC_GEMM_GEMM_H

#include "gemm/gemm_backends.h"

/* C = op(A) op(B) (+ bias) (+ C), row-major, by the best backend that computes right on a device. C must not overlap A or B. Any sizes, 0 does nothing. SAC_E_DEVICE where
 * no backend computes right. */
sac_status sac_gemm_run(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                        sac_span c, sac_error *error);

/* A linear layer, y = x Wᵀ + b, and its gradients. */
typedef struct sac_linear {
    sac_span weight; /* [out,in], as in PyTorch, or where it is `transposed` [in,out] */
    sac_span bias;   /* [out]; empty: none */
    size_t in, out;
    bool transposed;
    sac_span panels;   /* of the weight, for this product: as in sac_gemm */
    bool in_squares;   /* as there */
    float ceiling;     /* of y, as there */
    sac_stored stored; /* the weight's numbers, as there */
    bool any_rows;     /* as there */
    bool rounded;      /* as there */
} sac_linear;

/* y [rows,out] = x [rows,in] Wᵀ + b; `adds`: += */
sac_status sac_linear_y(sac_device *device, const sac_linear *layer, size_t rows, sac_span x,
                        sac_span y, bool adds, sac_error *error);
/* dx [rows,in] = dy W; `adds`: += */
sac_status sac_linear_dx(sac_device *device, const sac_linear *layer, size_t rows, sac_span dy,
                         sac_span dx, bool adds, sac_error *error);
/* dW += dyᵀ x, laid out as W. */
sac_status sac_linear_dweight(sac_device *device, const sac_linear *layer, size_t rows, sac_span dy,
                              sac_span x, sac_span dweight, sac_error *error);
/* db [width] += Σ_rows dy [rows,width], in one fixed order. */
sac_status sac_linear_dbias(sac_device *device, size_t rows, size_t width, sac_span dy,
                            sac_span dbias, sac_error *error);

/* sums [pieces,width], each of `piece` rows of x [rows,width], the last of fewer, times `factor`;
 * `adds`: to what is there. */
sac_status sac_sum_pieces(sac_device *device, size_t rows, size_t width, size_t piece, float factor,
                          bool adds, sac_span x, sac_span sums, sac_error *error);

#endif
