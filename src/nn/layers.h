/* The basic layers, each with forward and backward together. All enqueue and do not wait; outputs
 * come first among the arguments, then inputs. Backward adds to the gradients of parameters (which
 * begin at zero) and overwrites those of inputs, unless its comment has "adds". A gradient has its value's
 * name with a d before it: dy is ∂loss/∂y. Shapes are those of the tensors; assert()s check that
 * they fit each other. */
#ifndef SAC_NN_LAYERS_H
#define SAC_NN_LAYERS_H

#include "nn/parameters.h"
#include "nn/pass.h"

typedef struct sac_dense {
    const sac_parameter *w, *b; /* [out,in], [out]; b NULL: none */
} sac_dense;

/* y[rows,out] = x[rows,in] Wᵀ + b, W [out,in] as in PyTorch; b [out] may be NULL. Where W has an adapter of low rank
 * (parameters.h), that is a part of it here and in the four below. */
void sac_linear_forward(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_parameter *w,
                        const sac_parameter *b);
/* y += x Wᵀ */
void sac_linear_add(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_parameter *w);
/* y = (y +) x Wᵀ + b, brought between 0 and `ceiling`: 6 is ReLU6, INFINITY ReLU, and 0 leaves it
 * as it is. */
void sac_linear_bounded(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_parameter *w,
                        const sac_parameter *b, bool adds, float ceiling);
/* dW += dyᵀ x, db += Σ_rows dy; nothing where nothing is trained */
void sac_linear_backward_weights(sac_pass *pass, sac_tensor dy, sac_tensor x,
                                 const sac_parameter *w, const sac_parameter *b);
/* dx = dy W, and dx += dy W. */
void sac_linear_backward_input(sac_pass *pass, sac_tensor dx, sac_tensor dy,
                               const sac_parameter *w);
void sac_linear_backward_add(sac_pass *pass, sac_tensor dx, sac_tensor dy, const sac_parameter *w);

/* 3 × 3 convolution with bias and ReLU: x [B,H+2,W+2,in], which has a border of zeros, → y
 * [B,H/stride,W/stride,out] (rounded up), W [out,3,3,in]; stride 1 or 2. With_border y has one too,
 * which is left as it is. */
typedef struct sac_convolution {
    size_t batch, height, width, in, out, stride;
    /* Of sac_convolution_apply alone: */
    size_t taps;       /* along a side of a window, odd, with a border of taps / 2; 0: 3 */
    bool adds, linear; /* the sum is added to y; there is no ReLU */
    /* Of all but sac_convolution_apply: */
    bool same;     /* windows go as TensorFlow's padding "same" has them: of an even side they begin
                      at the first pixel where the stride is 2, and not at the border; no dx */
    float ceiling; /* most that is written, as by ReLU6; 0: any */
} sac_convolution;
size_t sac_convolution_out(size_t side, size_t stride);      /* side of the result */
size_t sac_convolution_pixels(const sac_convolution *layer); /* rows of x, with its border */
/* x ← numbers [B,H,W,in], inside of its border. */
void sac_convolution_write(sac_pass *pass, const sac_convolution *layer, sac_tensor x,
                           const float *numbers);
void sac_convolution_forward(sac_pass *pass, const sac_convolution *layer, sac_tensor y,
                             bool with_border, sac_tensor x, const sac_parameter *w,
                             const sac_parameter *b);
/* Makes the gradients that sac_convolution_backward takes, from dy and y of the last layer, both
 * without a border: `slopes` is dy multiplied by ReLU's derivative, with a border of zeros, and has
 * so many rows. */
size_t sac_convolution_slopes(const sac_convolution *layer);
void sac_convolution_begin_backward(sac_pass *pass, const sac_convolution *layer, sac_tensor slopes,
                                    sac_tensor dy, sac_tensor y);
/* Backpropagates through one convolution. dx becomes the gradients (`slopes`) of the layer below,
 * except their border, which is left as it is; if `below` is NULL, dx is [B,H,W,in] without a ReLU.
 * An empty dx is not computed. */
void sac_convolution_backward(sac_pass *pass, const sac_convolution *layer,
                              const sac_convolution *below, sac_tensor dx, sac_tensor slopes,
                              sac_tensor x, const sac_parameter *w, const sac_parameter *b);

/* The same where nothing is learnt, of weights that were packed before into panels of so many
 * floats. */
void sac_convolution_infer(sac_pass *pass, const sac_convolution *layer, sac_tensor y,
                           bool with_border, sac_tensor x, sac_tensor panels,
                           const sac_parameter *b);
size_t sac_convolution_panels(const sac_pass *pass, const sac_convolution *layer);
void sac_convolution_pack(sac_pass *pass, const sac_convolution *layer, sac_tensor panels,
                          const sac_parameter *w);
/* The same of windows of any size, x [B,H,W,in] and y without borders: W [out,taps,taps,in]. */
void sac_convolution_apply(sac_pass *pass, const sac_convolution *layer, sac_tensor y, sac_tensor x,
                           sac_tensor panels, const sac_parameter *b);

/* A convolution over time, where nothing is learnt: row t of y [T',out] is of the rows step·t … step·t + taps − 1 of
 * x [T,in]; each of the groups of its numbers of the group of theirs. W [out,taps,in/groups], b NULL: none. */
typedef struct sac_time_convolution {
    size_t in, out, taps, step;
    size_t groups; /* 0: 1 */
} sac_time_convolution;
void sac_time_convolution_forward(sac_pass *pass, const sac_time_convolution *layer, sac_tensor y,
                                  sac_tensor x, const sac_parameter *w, const sac_parameter *b);

/* The same for a linear layer: y = (y +) x Wᵀ + b, as sac_linear_bounded gives it. */
void sac_linear_infer(sac_pass *pass, sac_tensor y, sac_tensor x, sac_tensor panels,
                      const sac_parameter *b, bool adds, float ceiling);
size_t sac_linear_panels(const sac_pass *pass, const sac_parameter *w);
void sac_linear_pack(sac_pass *pass, sac_tensor panels, const sac_parameter *w);

/* x[rows,columns] += b[columns] for every row; and its gradient, db[columns] += Σ_rows dx. */
void sac_add_rows(sac_pass *pass, sac_tensor x, sac_tensor b);
void sac_sum_rows(sac_pass *pass, sac_tensor db, sac_tensor dx);
/* y += x, of one shape */
void sac_add(sac_pass *pass, sac_tensor y, sac_tensor x);

/* y[batch,depth] = mean over cells of x[batch,cells,depth]; backward adds to dx. */
void sac_mean_cells_forward(sac_pass *pass, sac_tensor y, sac_tensor x);
void sac_mean_cells_backward(sac_pass *pass, sac_tensor dx, sac_tensor dy);

/* Both work in place: x ← tanh x; and dy ← dy (1 − y²). */
void sac_tanh_forward(sac_pass *pass, sac_tensor x);
void sac_tanh_backward(sac_pass *pass, sac_tensor dy, sac_tensor y);
/* Both work in place: x ← max(x, 0); and dy ← dy where y > 0, else 0. */
void sac_relu_forward(sac_pass *pass, sac_tensor x);
void sac_relu_backward(sac_pass *pass, sac_tensor dy, sac_tensor y);
/* dy ← dy where 0 < y < 6, else 0. */
void sac_relu6_backward(sac_pass *pass, sac_tensor dy, sac_tensor y);

/* What stands between the two linear layers of a feed-forward network; by x alone, in place. */
typedef enum sac_activation {
    SAC_RELU = 0,
    SAC_GELU,          /* x Φ(x), Φ by erf (Hendrycks and Gimpel 2016) */
    SAC_GELU_TANH,     /* the same by tanh, as in GPT-2 */
    SAC_SILU,          /* x σ(x) */
    SAC_GELU_10,       /* GELU between −10 and 10 */
    SAC_QUICK_GELU,    /* x σ(1.702 x) */
    SAC_RELU_SQUARED,  /* max(x, 0)² */
    SAC_RELU6,         /* x between 0 and 6 */
    SAC_LEAKY_RELU,    /* x, or 0.01 x below 0 */
    SAC_MISH,          /* x tanh(log(1 + eˣ)) */
    SAC_SIGMOID,       /* σ(x) */
    SAC_TANH,          /* tanh x */
    SAC_HARDSWISH,     /* x max(0, min(6, x + 3)) / 6 */
    SAC_LAPLACE,       /* ½ (1 + erf((x − 0.707107) / (0.282095 √2))) */
    SAC_SQRT_SOFTPLUS, /* √log(1 + eˣ) */
    SAC_LINEAR,        /* x */
    SAC_ACTIVATIONS
} sac_activation;
void sac_activate(sac_pass *pass, sac_tensor x, sac_activation activation);
/* dy ← dy · activation'(x), of x before it was activated. */
void sac_activate_backward(sac_pass *pass, sac_tensor dy, sac_tensor x, sac_activation activation);
/* y[rows,F] = silu(gate) · up of x[rows,2F], whose rows are a gate and what it lets through: SwiGLU
 * (Shazeer 2020). */
void sac_gate_columns(sac_pass *pass, sac_tensor y, sac_tensor x);
/* The same with gates and gated values in separate tensors: x ← activation(x) · y. */
void sac_gate(sac_pass *pass, sac_tensor x, sac_tensor y, sac_activation activation);
/* x ← x · y */
void sac_multiply(sac_pass *pass, sac_tensor x, sac_tensor y);

/* y[i,:] = table[rows[i],:], each of `rows` a row of the table. */
void sac_gather_rows(sac_pass *pass, sac_tensor y, sac_tensor table, sac_ints rows);
/* Backward, in one fixed order: dtable[rows[i],:] += dy[i,:]. */
void sac_gather_rows_backward(sac_pass *pass, sac_tensor dtable, sac_tensor dy, sac_ints rows);
/* The same of a trained table [vocabulary,depth]; backward does nothing where nothing is trained. */
void sac_embedding_forward(sac_pass *pass, sac_tensor y, const sac_parameter *table,
                           sac_ints words);
void sac_embedding_backward(sac_pass *pass, const sac_parameter *table, sac_tensor dy,
                            sac_ints words);

/* ---- forward alone: models that were trained elsewhere have them */

/* x[rows,D] ← x · factors[D], column by column: LayerScale (Touvron et al. 2021). */
void sac_scale_columns(sac_pass *pass, sac_tensor x, sac_tensor factors);
/* y[rows,D] = factors[rows] · x, row by row. */
void sac_scale_rows(sac_pass *pass, sac_tensor y, sac_tensor x, sac_tensor factors);

/* Windows without weights go over one picture x [h·w,depth]. */

/* y [⌈h/2⌉·⌈w/2⌉,depth] = the largest in each window of 3 × 3 around every other pixel. */
void sac_max_windows(sac_pass *pass, size_t height, size_t width, sac_tensor y, sac_tensor x);
/* y [side²,depth] = the mean of a window for each cell of a grid, whatever the picture's size: cell
 * i of a side of n pixels has those from ⌊i·n/side⌋ on, up to before ⌈(i + 1)·n/side⌉. PyTorch's
 * AdaptiveAvgPool2d. */
void sac_mean_windows(sac_pass *pass, size_t height, size_t width, size_t side, sac_tensor y,
                      sac_tensor x);

/* Layer norm over the width of rows (Ba, Kiros and Hinton 2016); where there is a trained position,
 * as of the cells of a picture, that is added first:
 *
 *     u[b,n,:] = x[b,n,:] + position[n,:]
 *     y[b,n,:] = gain · (u − mean u) / √(variance u + epsilon) + bias
 *
 * Without a bias it is RMSNorm (Zhang and Sennrich 2019):
 *
 *     y[b,n,:] = gain · x / √(mean x² + epsilon) */
typedef struct sac_layer_norm {
    const sac_parameter *position;    /* [N,D]; NULL: none, and x is any rows */
    const sac_parameter *gain, *bias; /* [D]; bias NULL: RMSNorm, without a position */
    float epsilon;                    /* 0: 1e-5 */
} sac_layer_norm;

/* x and y [B,N,D]; backward needs x, so that y is another memory where there is a backward. */
void sac_layer_norm_forward(sac_pass *pass, const sac_layer_norm *layer, sac_tensor y,
                            sac_tensor x);
/* dy becomes dx in place. Gain and bias may be without gradients. */
void sac_layer_norm_backward(sac_pass *pass, const sac_layer_norm *layer, sac_tensor dy,
                             sac_tensor x);
/* Floats that a pass lends to backward. */
size_t sac_layer_norm_scratch(const sac_layer_norm *layer, sac_tensor x);

/* Declares the parameters of a layer under the names that PyTorch gives them: LAYER.NAME.weight and
 * LAYER.NAME.bias, without LAYER and its dot where that is "". */
sac_dense sac_dense_declare(sac_parameters *parameters, const char *layer, const char *name,
                            size_t out, size_t in, bool has_bias);
/* It begins as a norm that changes nothing else. */
sac_layer_norm sac_layer_norm_declare(sac_parameters *parameters, const char *layer,
                                      const char *name, size_t width);
/* One without a bias, RMSNorm. */
sac_layer_norm sac_rms_norm_declare(sac_parameters *parameters, const char *layer, const char *name,
                                    size_t width, float epsilon);

/* Depthwise convolutions: each channel of pictures [B,H,W,channels] is convolved with its own
 * window. Padding is TensorFlow's "same": there are ⌈side/stride⌉ windows along a side, and of the
 * zeros around it the smaller half comes first. */
typedef struct sac_depthwise {
    size_t batch, height, width, channels;
    size_t taps, stride; /* along a side of a window: odd; 1 or 2 */
    float ceiling;       /* y is brought between 0 and this, as by ReLU6; 0: it is not */
} sac_depthwise;

/* That forward passes of such windows will be needed: sac_kernel_expect. */
void sac_depthwise_expect(sac_device *device, size_t taps, size_t stride);
/* y [B,⌈H/stride⌉,⌈W/stride⌉,channels] of x; W [taps,taps,channels], b [channels]. */
void sac_depthwise_forward(sac_pass *pass, const sac_depthwise *layer, sac_tensor y, sac_tensor x,
                           const sac_parameter *w, const sac_parameter *b);
/* dy is the gradient before the ceiling: sac_relu6_backward sees to that. dx may be empty. */
void sac_depthwise_backward_input(sac_pass *pass, const sac_depthwise *layer, sac_tensor dx,
                                  sac_tensor dy, const sac_parameter *w);
void sac_depthwise_backward_weights(sac_pass *pass, const sac_depthwise *layer, sac_tensor dy,
                                    sac_tensor x, const sac_parameter *w, const sac_parameter *b);

#endif
