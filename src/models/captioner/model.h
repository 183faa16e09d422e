/* The inside of a captioner, shared by the files that train it, run it and keep it. */
#ifndef SAC_CAPTIONER_MODEL_H
#define SAC_CAPTIONER_MODEL_H

#include "captioner/captioner.h"
#include "nn/gaze.h"
#include "nn/layer_norm.h"
#include "nn/layers.h"
#include "nn/losses.h"
#include "nn/lstm.h"
#include "nn/parameters.h"

/* The parameters' spans by what they are; the same struct holds values or gradients. */
typedef struct sac_captioner_weights {
    struct {
        sac_span weight, bias; /* "encoder.I.weight" [out,3,3,in], "encoder.I.bias" [out] */
    } encoder[SAC_CAPTIONER_LAYERS];
    sac_span position;        /* "encoder.position" [N,D] */
    sac_span gain, norm_bias; /* "encoder.norm.weight", "encoder.norm.bias" [D] */
    struct {
        sac_span weight, bias; /* "start.state.*", "start.cell.*": [H,D], [H] */
    } state, cell;
    sac_span key, key_bias;   /* "attention.key.weight" [A,D], "attention.key.bias" [A] (additive,
                                 scaled-dot; else empty) */
    sac_span query;           /* "attention.query.weight" [A,H]; bilinear: [D,H] */
    sac_span v;               /* "attention.v" [A]; additive only */
    sac_span gate, gate_bias; /* "attention.gate.weight" [1,H], "attention.gate.bias" [1] */
    sac_span embedding;       /* "words.embedding" [V,M] */
    /* W of the LSTM in two parts, for the words of a training batch are known before its steps. */
    sac_span from_word, from_context; /* "lstm.word.weight" [4H,M], "lstm.context.weight" [4H,D] */
    sac_span from_state, lstm_bias;   /* "lstm.state.weight" [4H,H], "lstm.bias" [4H] */
    sac_span out_state, out_context;  /* "words.state.weight" [M,H], "words.context.weight" [M,D] */
    sac_span out, out_bias;           /* "words.out.weight" [V,M], "words.out.bias" [V] */
} sac_captioner_weights;

struct sac_captioner {
    sac_device *device;
    sac_captioner_shape shape;
    int grid, cells, depth, keys; /* 14, N = 196, D, A */
    sac_parameters parameters;
    sac_captioner_weights values, gradients;
    struct sac_decode_buffers *decode; /* what look and speak hold on the device; NULL until used */
    struct sac_captioner_training *training; /* activations of a batch; NULL until used */
};

/* The list of parameters that a shape asks for, into `list` (room for SAC_CAPTIONER_PARAMETERS);
 * returns how many. */
enum { SAC_CAPTIONER_PARAMETERS = 2 * SAC_CAPTIONER_LAYERS + 22 };
int sac_captioner_parameters(const sac_captioner_shape *shape, sac_parameter *list);

/* What sac_captioner_create and sac_captioner_load begin with: new weights from `seed`; without
 * `training` there is no room for gradients and moments. */
sac_status sac_captioner_make(sac_device *device, const sac_captioner_shape *shape, bool training,
                              uint32_t seed, sac_captioner **captioner, sac_error *error);

/* Layer `index` of the encoder for `batch` pictures. */
sac_convolution sac_captioner_layer(const sac_captioner_shape *shape, int index, size_t batch);

/* What the model sees of a byte of sRGB: −2 to 2. */
static inline float sac_captioner_light(uint8_t byte)
{
    return (float)byte * (4.0f / 255) - 2;
}

/* Pictures [batch,side,side,3] as sac_captioner_light gives them to features [batch,N,D] (the last
 * layer's result with its position, normed) and keys [batch,N,A] (bilinear: the keys are the
 * features, and `keys` is not used). `between`: a span for each layer's result,
 * [batch,h,w,channels]; `columns`: scratch of sac_captioner_columns(shape, batch) floats. */
size_t sac_captioner_columns(const sac_captioner_shape *shape, size_t batch);
sac_status sac_captioner_encode(sac_captioner *captioner, size_t batch, sac_span pictures,
                                const sac_span *between, sac_span columns, sac_span features,
                                sac_span keys, sac_error *error);
/* The first state and cell [batch,H] from the features; `mean` [batch,D] is written. */
sac_status sac_captioner_begin(sac_captioner *captioner, size_t batch, sac_span features,
                               sac_span mean, sac_span state, sac_span cell, sac_error *error);

/* The norm of the features, and the gradients that it adds to. */
sac_layer_norm sac_captioner_norm(const sac_captioner *captioner, size_t batch);
/* The attention over the features, for `batch` rows. */
sac_gaze sac_captioner_gaze(const sac_captioner *captioner, size_t batch);

/* One step of the decoder for `batch` rows, words in, new state and what it looked at out. */
typedef struct sac_captioner_step {
    size_t batch;
    bool shared;       /* features and keys are those of one picture */
    bool words_done;   /* `gates` already holds W_word embedded + b; `embedded` is not read */
    float temperature; /* 0: 1 */
    sac_span features, keys, mask;  /* bilinear: keys are the features */
    sac_span embedded;              /* [B,M]: the last words' rows of the embedding; read */
    sac_span state, cell;           /* s[t−1], c[t−1] [B,H]; read */
    sac_span query, gate;           /* [B,A], [B]; written: the gate after its sigmoid */
    sac_span weights, context, z;   /* [B,N], [B,D], [B,D]; written */
    sac_span gates;                 /* [B,4H]; written */
    sac_span next_state, next_cell; /* s[t], c[t] [B,H]; written, not state and cell themselves */
} sac_captioner_step;
sac_status sac_captioner_step_forward(sac_captioner *captioner, const sac_captioner_step *step,
                                      sac_error *error);

/* logits [rows,V] = W_o (embedded + W_s state + W_z z) + b_o; `mixed` [rows,M] is written. */
sac_status sac_captioner_logits(sac_captioner *captioner, size_t rows, sac_span embedded,
                                sac_span state, sac_span z, sac_span mixed, sac_span logits,
                                sac_error *error);

void sac_decode_buffers_destroy(struct sac_decode_buffers *decode); /* take NULL */
void sac_captioner_training_destroy(struct sac_captioner_training *training);

/* Weights, the model's description and `steps` trained so far (metadata "model", "steps", "seed"),
 * with `moments` to go on training from. Atomic. */
sac_status sac_captioner_save(const sac_captioner *captioner, const char *path, size_t steps,
                              uint32_t seed, bool moments, sac_error *error);
/* Reads "model" of a weights' file; SAC_E_FORMAT. steps and seed may be NULL. */
sac_status sac_captioner_read_shape(const sac_arrays *file, const char *path,
                                    sac_captioner_shape *shape, size_t *steps, uint32_t *seed,
                                    sac_error *error);

#endif
