/* The internals of a captioner, shared by training, decoding and files. */
#ifndef SAC_CAPTIONER_MODEL_H
#define SAC_CAPTIONER_MODEL_H

#include "captioner/captioner.h"
#include "efficientnet/efficientnet.h"
#include "models/model_class.h"
#include "models/stack.h"
#include "nn/attention/attention.h"
#include "nn/layers.h"
#include "nn/parameters.h"
#include "nn/recurrent.h"
#include "nn/training.h"
#include "saccade_arrays.h"

/* The parameters by their role. */
typedef struct sac_captioner_weights {
    struct {
        const sac_parameter *weight, *bias; /* [out,3,3,in], [out] */
    } encoder[SAC_CAPTIONER_LAYERS];
    /* Of photographs, in place of the encoder above; the network's first parts stay as they are, and
     * `cells`. */
    sac_efficientnet network;
    sac_layer_norm cells; /* gain 1 and bias 0 [C] */
    struct {
        const sac_parameter *weight, *bias; /* [D,C], [D] */
    } project;
    sac_layer_norm norm; /* position [N,D] (NULL of photographs), gain and bias [D] */
    sac_stack stack;     /* the decoder, where it has layers; else all that follows is */
    struct {
        const sac_parameter *weight, *bias; /* [H,D], [H] */
    } state, cell;                          /* the initial state */
    const sac_parameter *key, *key_bias;    /* [A,D], [A]; NULL: bilinear, and scaled-dot's bias */
    const sac_parameter *query;             /* [A,H]; bilinear: [D,H] */
    const sac_parameter *v;                 /* [A]; NULL: not additive */
    const sac_parameter *gate, *gate_bias;  /* [1,H], [1] */
    const sac_parameter *embedding;         /* [V,M] */
    /* W of the LSTM in parts, for the words of a training batch are known before its steps. */
    const sac_parameter *from_word, *from_context, *from_state; /* [4H,M], [4H,D], [4H,H] */
    const sac_parameter *lstm_bias;                             /* [4H] */
    sac_deep_output output;
} sac_captioner_weights;

struct sac_captioner {
    sac_model base;
    sac_captioner_shape shape;
    int grid, cells, depth, keys; /* 14, N = 196, D, A; A is 0 of a decoder of layers */
    sac_captioner_weights weights;
    sac_arena arena;                         /* of the stack's table of positions */
    struct sac_decode_buffers *decode;       /* NULL until it first decodes */
    struct sac_captioner_training *training; /* activations of a batch; NULL until it learns */
    sac_token_rules rules;                   /* of its captions */
    const struct sac_encoder *encoder;       /* encoders/encoder.h */
    struct sac_pretrained_model *pretrained; /* what it sees with; NULL: the encoder is its own */
    /* What it learns from of photographs: what comes into this part of its encoder; 0: the
     * pictures. */
    int first;
    struct sac_album *album; /* photographs that it learns from; NULL: none */
    bool by_reward;          /* it learns by what its own captions are worth */
    sac_parameters domain;   /* photographs/domain.h; none: it was not measured */
    float *domain_read; /* μ and L of it, one after the other; owned; NULL: not requested yet */
};

/* Declares the parameters that a shape asks for; those that stay as they are in `frozen`. */
void sac_captioner_declare(const sac_captioner_shape *shape, sac_parameters *parameters,
                           sac_parameters *frozen, sac_captioner_weights *weights);
/* The network of a shape of photographs. */
sac_status sac_captioner_network(const sac_captioner_shape *shape, sac_efficientnet_shape *network,
                                 sac_error *error);

/* Makes a captioner, for sac_captioner_create and sac_captioner_load: new weights from `seed`;
 * without `training` zeros, to be loaded, and no memory for gradients and moments. */
sac_status sac_captioner_make(const sac_model_class *class, sac_device *device,
                              const sac_captioner_shape *shape, bool training, uint32_t seed,
                              sac_captioner **captioner, sac_error *error);

/* Layer `index` of the encoder for `batch` pictures. */
sac_convolution sac_captioner_layer(const sac_captioner_shape *shape, int index, size_t batch);
/* The most floats that a layer takes and gives back, for one picture. */
size_t sac_captioner_max_layer_floats(const sac_captioner_shape *shape);
/* How a captioner of that shape is trained. A small batch learns more from as many scenes, and
 * takes a little longer for them. */
sac_schedule sac_captioner_schedule(const sac_captioner_shape *shape);

/* The model's input for a byte of sRGB: −2 to 2. */
static inline float sac_captioner_light(uint8_t byte)
{
    return (float)byte * (4.0f / 255) - 2;
}

/* The activations of the encoder for B pictures. */
typedef struct sac_captioner_features {
    /* What layers take has a border of zeros: [B,side+2,side+2,3], as sac_captioner_light gives
     * them, and each layer's result [B,h+2,w+2,channels]; the last one's is [B,h,w,channels]. */
    sac_tensor pictures, layer[SAC_CAPTIONER_LAYERS];
    /* Of photographs: the network, its cells normed [B,N,C], and W g + b [B,N,D]. */
    int first; /* as captioner->first: of what is written */
    sac_efficientnet_run run;
    sac_tensor cells; /* of a model of others [B,N,C] */
    sac_tensor normed, projected;
    sac_tensor features, keys; /* [B,N,D], [B,N,A]; bilinear: keys are the features */
    sac_tensor mean;           /* [B,D] */
} sac_captioner_features;
/* Gives them their shapes for `batch` pictures, and memory from `arena` where they have none. */
void sac_captioner_shape_features(sac_captioner *captioner, sac_arena *arena, size_t batch,
                                  sac_captioner_features *f);
void sac_captioner_release_features(sac_captioner_features *f); /* what is not the arena's */
/* Pictures to features (the last layer's result with its position, normed) and an LSTM's keys.
 * Between them features may be dropped: `dropout` may be NULL. */
void sac_captioner_encode(sac_captioner *captioner, sac_captioner_features *f,
                          const sac_dropout *dropout);
/* The first state and cell [B,H] from the mean of the features. */
void sac_captioner_begin_from_mean(sac_captioner *captioner, sac_tensor mean, sac_tensor state,
                                   sac_tensor cell);

/* The attention over the features, for `batch` rows; temperature 0: 1. */
sac_attention_layer sac_captioner_attention(const sac_captioner *captioner, size_t batch,
                                            float temperature);

/* One step of the decoder for B rows, words in, new state and attention out. */
typedef struct sac_captioner_step {
    bool shared;       /* features, keys and mask are those of one picture */
    float temperature; /* 0: 1 */
    sac_tensor features, keys;
    cl_mem mask;                    /* bytes [N], 1: hidden from attention; NULL: nothing is */
    sac_tensor embedded;            /* [B,M]: the last words' rows of the embedding; empty: `gates`
                                       already holds W_word embedded + b */
    sac_tensor state, cell;         /* s[t−1], c[t−1] [B,H]; read */
    sac_tensor query, beta;         /* [B,A], [B]; written: β, the attention's gate */
    sac_tensor weights, context, z; /* [B,N], [B,D], [B,D]; written */
    sac_tensor scores;              /* [B,N], written; empty: not wanted */
    sac_tensor gates;               /* [B,4H]; written */
    sac_tensor next_state, next_cell; /* s[t], c[t] [B,H]; written, not state and cell themselves */
} sac_captioner_step;
void sac_captioner_step_forward(sac_captioner *captioner, const sac_captioner_step *step);

/* Gradients of what a step read and wrote, and what it leaves for those of the weights. */
typedef struct sac_captioner_step_gradients {
    sac_tensor next_state; /* [B,H]; read */
    sac_tensor cell;       /* [B,H]: of the next cell; becomes that of the cell before */
    sac_tensor z;          /* [B,D]: what came from the output; added to */
    sac_tensor weights,
        scores;       /* [B,N]: what other losses ask of α, and of its scores; empty: nothing */
    sac_tensor state; /* [B,H]; added to */
    sac_tensor features, keys;     /* [B,N,·]; added to */
    sac_tensor gates, query, beta; /* [B,4H], [B,A], [B]; written */
} sac_captioner_step_gradients;
/* Of a step that went forward, whose features are not shared. */
void sac_captioner_step_backward(sac_captioner *captioner, const sac_captioner_step *step,
                                 const sac_captioner_step_gradients *gradients);
/* From the gradients of the first state and cell, which become those before the tanh, to the mean's. */
void sac_captioner_mean_backward(sac_captioner *captioner, sac_tensor dmean, sac_tensor dstate,
                                 sac_tensor dcell, sac_tensor state, sac_tensor cell);

/* Of its decoder; the model has encoded a picture. */
sac_sequence sac_captioner_start(const void *self);
sac_status sac_captioner_decode_step(void *self, const sac_beam *beam,
                                     const sac_result_request *request,
                                     const sac_step_result *result, sac_error *error);

/* The shape as JSON, for "model" in a weights' file: free() it; NULL: out of memory. */
char *sac_captioner_describe(const sac_captioner_shape *shape);
/* Reads it back; SAC_E_FORMAT. */
sac_status sac_captioner_read_shape(const sac_arrays *file, const char *path,
                                    sac_captioner_shape *shape, sac_error *error);

#endif
