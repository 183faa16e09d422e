/* EfficientNet-Lite (Tan and Le 2019; Lite has no squeeze-and-excitation, and ReLU6) as an encoder
 * of photographs: pictures [B,side,side,3] → cells [B,grid²,head], what the last 1 × 1 convolution
 * gives at each place. A network is a row of parts: the stem, then the blocks, then the head. Each
 * convolution has the batch norm after it folded in: a weight and a bias, which can learn; the
 * norm's statistics are gone. Convolutions take TensorFlow's "same" padding of the side they see.
 *
 *     sac_efficientnet net = {0};
 *     sac_efficientnet_shape_by_name("lite2", 320, &net.shape, error);
 *     int head = sac_efficientnet_parts(&net.shape) - 1;
 *     sac_efficientnet_declare(&net, &frozen, "encoder.", 0, head);        // these stay as they are,
 *     sac_efficientnet_declare(&net, &learning, "encoder.", head, head + 1); // and this one learns
 *     … sac_parameters_create of both …
 *     sac_efficientnet_load(&net, file, path, error);                      // published weights
 *     sac_efficientnet_run run = {0};
 *     sac_efficientnet_prepare(&net, pass, &run, batch);
 *     sac_efficientnet_write(&net, pass, &run, pixels);
 *     sac_efficientnet_forward(&net, pass, &run);                          // → run.cells
 *     … run.dcells ← ∂loss/∂cells …
 *     sac_efficientnet_backward(&net, pass, &run);                         // adds to gradients
 */
#ifndef SAC_EFFICIENTNET_EFFICIENTNET_H
#define SAC_EFFICIENTNET_EFFICIENTNET_H

#include "images/image.h"
#include "nn/parameters.h"
#include "nn/pass.h"
#include "saccade_arrays.h"

enum { SAC_EFFICIENTNET_BLOCKS = 64, SAC_EFFICIENTNET_PARTS = SAC_EFFICIENTNET_BLOCKS + 2 };

/* An inverted residual: 1 × 1 to `expanded` channels (none where that is `in`), depthwise taps ×
 * taps, 1 × 1 to `out`; where it changes no size, its input is added. */
typedef struct sac_efficientnet_block {
    size_t in, expanded, out, taps, stride;
} sac_efficientnet_block;

typedef struct sac_efficientnet_shape {
    const char *name;  /* "lite2" */
    size_t side;       /* of pictures, in pixels */
    size_t stem, head; /* channels */
    int blocks;
    sac_efficientnet_block block[SAC_EFFICIENTNET_BLOCKS];
} sac_efficientnet_shape;

/* "lite0" to "lite4"; else SAC_E_ARGUMENT. */
sac_status sac_efficientnet_shape_by_name(const char *name, size_t side,
                                          sac_efficientnet_shape *shape, sac_error *error);
int sac_efficientnet_parts(const sac_efficientnet_shape *shape);
size_t sac_efficientnet_grid(const sac_efficientnet_shape *shape); /* 10 for 320 pixels */
/* Of what comes into a part, of one picture: [pixels,channels]; into the first one comes the picture. */
size_t sac_efficientnet_input_size(const sac_efficientnet_shape *shape, int part);

typedef struct sac_efficientnet_layer {
    const sac_parameter *weight, *bias; /* NULL: there is no such layer */
} sac_efficientnet_layer;

typedef struct sac_efficientnet_layers {
    sac_efficientnet_layer expand;    /* [expanded,in] */
    sac_efficientnet_layer depthwise; /* [taps,taps,expanded] */
    sac_efficientnet_layer project;   /* [out,expanded] */
} sac_efficientnet_layers;

typedef struct sac_efficientnet {
    sac_efficientnet_shape shape;
    sac_parameters *owner[SAC_EFFICIENTNET_PARTS]; /* where each part was declared; lent */
    sac_efficientnet_layer stem; /* [stem,3,3,3]: the last dimension is the input's channels */
    sac_efficientnet_layers block[SAC_EFFICIENTNET_BLOCKS];
    sac_efficientnet_layer head; /* [head,out] */
} sac_efficientnet;

/* Declares the parts from … to − 1, whose names begin with `prefix`. Parts learn if they have
 * gradients: declare those that stay as they are in sac_parameters that are created without. The
 * parts that learn are the last ones. */
void sac_efficientnet_declare(sac_efficientnet *net, sac_parameters *parameters, const char *prefix,
                              int from, int to);
/* The shape of published weights, which are named as PyTorch's port of TensorFlow's names them
 * ("_conv_stem.weight"); SAC_E_FORMAT where they are those of no variant. */
sac_status sac_efficientnet_recognise(const sac_arrays *file, const char *path, size_t side,
                                      sac_efficientnet_shape *shape, sac_error *error);
/* Loads them, with batch norms folded, into all parts that were declared. What the file has beyond
 * them is ignored: it is the classifier. */
sac_status sac_efficientnet_load(const sac_efficientnet *net, const sac_arrays *file,
                                 const char *path, sac_error *error);

/* A picture squeezed to a square. With `detail` it is first squeezed to a square of that side, so
 * that it has only the detail of pictures of that size; 0: it is not. */
sac_status sac_efficientnet_square(const sac_image *image, size_t detail, size_t side,
                                   sac_image *square, sac_error *error);
/* (byte − 127) / 128 of the colours of rgba [count,4] → pixels [count,3] */
void sac_efficientnet_pixels(const uint8_t *rgba, size_t count, float *pixels);
/* A picture as the network was trained to see it: both → pixels [side,side,3]. */
sac_status sac_efficientnet_image_pixels(const sac_image *image, size_t detail, size_t side,
                                         float *pixels, sac_error *error);

/* ---- the network at work */

/* What comes into a part; and of a block what its first layer gives, and its second. */
typedef struct sac_efficientnet_activations {
    sac_tensor x, expanded, deep;
} sac_efficientnet_activations;

typedef struct sac_efficientnet_run {
    sac_arena arena;
    int first; /* the first part that runs, whose input part[first].x is written in place of
                  pictures; set before sac_efficientnet_prepare, and may be set to a later part after
                  it; 0: all run. Those before it do not learn. */
    size_t batch, most;       /* pictures, and those that there is memory for */
    sac_tensor pictures;      /* with a border of zeros: [B,side+2,side+2,3] */
    sac_tensor cells, dcells; /* [B·grid²,head]; dcells only where the head learns */
    sac_tensor slopes;        /* of the stem: see nn/layers.h */
    sac_efficientnet_activations part[SAC_EFFICIENTNET_PARTS];
    /* Weights of the products of parts that stay as they are, packed: of a block's first and last,
     * or of the head; and of which change of the parameters they are, and 1. */
    sac_tensor panels[SAC_EFFICIENTNET_PARTS][2];
    size_t packed[SAC_EFFICIENTNET_PARTS];
    /* Memory that parts share: of values where they stay as they are, and of gradients. */
    sac_tensor narrow[2], wide[2], dnarrow[2], dwide[2];
} sac_efficientnet_run;

/* That pictures will be seen: sac_kernel_expect. */
void sac_efficientnet_expect(sac_device *device);
/* Memory for a batch, in a run that begins zeroed and may be used again for other sizes. */
void sac_efficientnet_prepare(const sac_efficientnet *net, sac_pass *pass,
                              sac_efficientnet_run *run, size_t batch);
/* Pixels [B,side,side,3], or of a run that begins later what comes into its first part. */
void sac_efficientnet_write(const sac_efficientnet *net, sac_pass *pass, sac_efficientnet_run *run,
                            const float *pixels);
void sac_efficientnet_forward(const sac_efficientnet *net, sac_pass *pass,
                              sac_efficientnet_run *run);
/* The same up to what comes into part `end`: part[end].x. */
void sac_efficientnet_forward_to(const sac_efficientnet *net, sac_pass *pass,
                                 sac_efficientnet_run *run, int end);
/* From run.dcells, which it writes over, to the gradients of all parts that learn. */
void sac_efficientnet_backward(const sac_efficientnet *net, sac_pass *pass,
                               sac_efficientnet_run *run);
void sac_efficientnet_release(sac_efficientnet_run *run);

#endif
