/* The encoder at work on one picture: what sac_captioner_encode computes, in fewer launches. */
#ifndef SAC_CAPTIONER_ENCODE_H
#define SAC_CAPTIONER_ENCODE_H

#include "captioner/model.h"

struct sac_decode_buffers;

/* Weights as encoding and decoding read them, which are made again when the parameters have changed:
 * the encoder's in panels for products, and in place of an LSTM's weights for words what these
 * give, with the bias, for each word. */
typedef struct sac_captioner_encoder {
    sac_tensor panels[SAC_CAPTIONER_LAYERS + 1]; /* of each layer, and of the keys */
    sac_tensor gates_of_word;                    /* [V,4H] */
    size_t packed;  /* which change of the parameters they are of … */
    bool is_packed; /* … where there is one */
} sac_captioner_encoder;

/* Memory for it, in the arena of the captioner's decode buffers. */
void sac_captioner_shape_encoder(sac_captioner *captioner, sac_arena *arena,
                                 sac_captioner_encoder *encoder);
/* The picture, rgba [side,side,4], to decode->f's features and keys. Enqueues. */
void sac_captioner_encode_picture(sac_captioner *captioner, const uint8_t *rgba);
/* The same of a photograph, from what comes into the network's part captioner->first. Blocks until
 * done. */
sac_status sac_captioner_encode_grid(sac_captioner *captioner, const float *grid, sac_error *error);

#endif
