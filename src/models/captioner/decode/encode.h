/* The memory of a captioner's encoder and decoder, and the encoder at work on one picture: what
 * sac_captioner_encode computes, in fewer launches. */
#ifndef SAC_CAPTIONER_ENCODE_H
#define SAC_CAPTIONER_ENCODE_H

#include "captioner/model.h"
#include "models/stack.h"

/* Weights as encoding and decoding read them, which are made again when the parameters have changed:
 * the encoder's in panels for products, and in place of an LSTM's weights for words what these
 * give, with the bias, for each word. */
typedef struct sac_captioner_encoder {
    sac_tensor panels[SAC_CAPTIONER_LAYERS + 1]; /* of each layer, and of the keys */
    sac_tensor gates_of_word;                    /* [V,4H] */
    size_t packed;  /* which change of the parameters they are of … */
    bool is_packed; /* … where there is one */
} sac_captioner_encoder;

/* The twin of cl/layers/caption_step.cl's `row_end`: the last numbers of a row of results. */
typedef struct sac_row_end {
    float gate;
    float word, parent, score; /* word −1: there is no such row */
} sac_row_end;

/* Of a decoder that has layers: part of the decode buffers. */
typedef struct sac_captioner_stack_decoding {
    sac_stack_decoding words;
    float *key;     /* [L,N,D], host */
    float *queries; /* [T,L,R,D], host: of every step, R = SAC_BEAM_WIDTH */
} sac_captioner_stack_decoding;

struct sac_decode_buffers {
    sac_arena arena;
    sac_captioner_encoder encoder;
    sac_captioner_features f; /* of the picture */
    float *pixels;            /* of it on the host, with a border of zeros: [side+2,side+2,3] */
    sac_captioner_stack_decoding stack; /* a decoder of layers has this alone; an LSTM: */
    sac_byte_tensor mask;               /* [N], 1: hidden from attention */
    sac_ints given;  /* [T], T = sac_captioner_longest: the words that are given */
    sac_tensor spot; /* [1,N]: where a person holds it */
    /* As cl/layers/caption_step.cl has them, for R sentences of up to T words: state and cell before each
     * step [T+1,R,2H]; what each step finds out, in rows of logits, weights, query and a
     * sac_row_end [T+1,R,V+N+A+4]; and what it needs meanwhile. */
    sac_tensor states, results, work;
    int known; /* steps of the search under way whose results have been read */
    /* On the host: */
    float *results_read; /* as `results` */
    float *query_read;   /* [T,R,A]: what every sentence looked by, R = SAC_BEAM_WIDTH */
    /* Of either, of the last request that holds it somewhere: [N], and of layers [L,H] 1 for heads that are held. */
    float *spot_read;
    uint8_t *held;
};

/* Takes all memory, unless it was taken before. SAC_E_MEMORY. */
sac_status sac_decode_buffers_prepare(sac_captioner *captioner, sac_error *error);
void sac_decode_buffers_destroy(struct sac_decode_buffers *buffers); /* takes NULL */

/* The picture, rgba [side,side,4], to decode->f's features and keys. Enqueues. */
void sac_captioner_encode_picture(sac_captioner *captioner, const uint8_t *rgba);
/* The same of a photograph, from what comes into the network's part captioner->first. Blocks until
 * done. */
sac_status sac_captioner_encode_grid(sac_captioner *captioner, const float *grid, sac_error *error);

/* The query [A] that sentence `row` looked by at `step`. */
static inline float *sac_decoded_query(const sac_captioner *c, int step, int row)
{
    return c->decode->query_read + (size_t)(step * SAC_BEAM_WIDTH + row) * (size_t)c->keys;
}

/* The decoder at work on the device: all steps of a search in one launch (cl/layers/caption_step.cl). */

/* Coordinates of a query and of each key as the kernel fills them up, at most. */
size_t sac_captioner_padded_keys(const sac_captioner *captioner);

/* A captioner whose decoder has layers, word by word. */

/* Of the sentences of the last step: the keys [N,D] of a layer, and the query [D] of a row of a
 * step. Rows follow each other. */
float *sac_captioner_stack_key(const sac_captioner *captioner, int layer);
float *sac_captioner_stack_query(const sac_captioner *captioner, int step, int layer, int row);

/* Of its decoder; the model has encoded a picture. Weights and gates are left to the second. */
sac_status sac_captioner_stack_step(void *self, const sac_beam *beam,
                                    const sac_result_request *request,
                                    const sac_step_result *result, sac_error *error);
sac_status sac_captioner_stack_attention(void *self, const sac_result_request *request,
                                         const int *words, const int *rows, int count,
                                         float *weights, float *gates, sac_error *error);

#endif
