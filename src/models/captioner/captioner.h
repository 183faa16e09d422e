/* The captioner: Show, Attend and Tell (Xu et al. 2015) for scenes of flat shapes. A convolutional
 * encoder turns a picture into a grid of features; a decoder with attention over that grid
 * generates one word after the other.
 *
 *     x [224,224,3]  →  h [196,D]            3 × 3 convolutions with ReLU, + position [196,D], and
 *                                            layer norm of each cell
 *     s₀, c₀ = tanh(W · mean h + b)
 *     e[t,n] = score(s[t−1], h[n]),  α = softmax e,  z[t] = σ(w_β · s[t−1] + b_β) Σ_n α[t,n] h[n]
 *     s[t], c[t] = LSTM([E y[t−1]; z[t]], s[t−1], c[t−1])
 *     p(y[t]) = softmax(W_o (E y[t−1] + W_s s[t] + W_z z[t]) + b_o)
 */
#ifndef SAC_CAPTIONER_CAPTIONER_H
#define SAC_CAPTIONER_CAPTIONER_H

#include "datasets/dataset.h"
#include "saccade.h"
#include "sources/caption.h"
#include "sources/explanation.h"

enum {
    SAC_CAPTIONER_WORDS = 26, /* of a caption, at most */
    SAC_CAPTIONER_LAYERS = 8,
    SAC_CAPTIONER_GRID = 64 /* cells on a side, at most */
};

/* The model's sizes: "model" in the weights' metadata, as JSON. */
typedef struct sac_captioner_shape {
    const sac_dataset *dataset; /* it was trained on; NULL: shapes */
    int side;                   /* of the picture that goes in, in pixels: 224 */
    int layers;
    struct {
        int channels, stride;
    } layer[SAC_CAPTIONER_LAYERS];
    sac_score score; /* additive, scaled-dot or bilinear */
    int attention;   /* A: width of keys and queries; bilinear: the features' own */
    int hidden, embedding, vocabulary;
    bool
        masks_colours; /* colour words are masked in the decoder's input (datasets/dataset.h); not in
                       * older files */
    bool all_pairs;    /* it is trained on all pairs of words, none held out */
} sac_captioner_shape;
sac_captioner_shape sac_captioner_default_shape(const sac_dataset *dataset, sac_score score);
int sac_captioner_grid(const sac_captioner_shape *shape); /* cells on a side: 14 */
const sac_dataset *sac_captioner_dataset(const sac_captioner_shape *shape); /* never NULL */

typedef struct sac_captioner sac_captioner;

/* New weights from `seed`, for training. */
sac_status sac_captioner_create(sac_device *device, const sac_captioner_shape *shape, uint32_t seed,
                                sac_captioner **captioner, sac_error *error);
/* Weights as training wrote them. Every name and shape is checked. SAC_E_FORMAT says what is wrong
 * with which. */
sac_status sac_captioner_load(sac_device *device, const char *path, sac_captioner **captioner,
                              sac_error *error);
void sac_captioner_destroy(sac_captioner *captioner); /* takes NULL */
const sac_captioner_shape *sac_captioner_get_shape(const sac_captioner *captioner);

/* Encodes a picture, rgba [side,side,4] of the model's side: what sac_captioner_generate then
 * describes. */
sac_status sac_captioner_encode_square(sac_captioner *captioner, const sac_image *square,
                                       sac_error *error);
/* Generates a caption of the encoded picture; `request->model` is not used here. */
sac_status sac_captioner_generate(sac_captioner *captioner, const sac_caption_request *request,
                                  sac_caption *caption, sac_error *error);
/* Explains one word's attention weight of one cell: word `step` and cell `position` of the caption
 * of request->caption, which was generated last. */
sac_status sac_captioner_explain(sac_captioner *captioner, const sac_explanation_request *request,
                                 sac_explanation *explanation, sac_error *error);

#endif
