/* The captioner: Show, Attend and Tell (Xu et al. 2015). A convolutional encoder turns a picture
 * into a grid of features; a decoder with attention over that grid generates one word after the
 * other. Of scenes of a dataset the encoder is trained along:
 *
 *     x [224,224,3]  →  h [196,D]            3 × 3 convolutions with ReLU, + position [196,D], and
 *                                            layer norm of each cell
 *
 * Of photographs it is an EfficientNet-Lite that knows photographs, and stays as it is, or learns on
 * from some block; or a model of others out of its folder, which stays as it is (or the same layers
 * as of scenes); the words are those of the captions that it was trained on:
 *
 *     x [320,320,3]  →  g [100,1280]         the network, and layer norm of each cell (no gain)
 *     h [100,D] = ReLU(layer norm(W g + b))
 *
 *     s₀, c₀ = tanh(W · mean h + b)
 *     e[t,n] = score(s[t−1], h[n]),  α = softmax e (or another normaliser),  z[t] = σ(w_β · s[t−1] + b_β) Σ_n α[t,n] h[n]
 *     s[t], c[t] = LSTM([E y[t−1]; z[t]], s[t−1], c[t−1])
 *     p(y[t]) = softmax(W_o (E y[t−1] + W_s s[t] + W_z z[t]) + b_o)
 *
 * Or the decoder of photographs is a stack of transformer layers (models/stack.h), which look at the
 * words so far and at the cells, h = layer norm(W g + b), with several heads each.
 */
#ifndef SAC_CAPTIONER_CAPTIONER_H
#define SAC_CAPTIONER_CAPTIONER_H

#include "datasets/dataset.h"
#include "models/model_class.h"
#include "pictures/pictures.h"
#include "saccade.h"
#include "sources/attentions.h"
#include "sources/explanation.h"
#include "sources/result.h"

enum {
    SAC_CAPTIONER_WORDS = 26, /* of a caption of a scene, at most */
    SAC_CAPTIONER_LAYERS = 8,
    SAC_CAPTIONER_GRID = 64,   /* cells on a side, at most */
    SAC_CAPTIONER_WIDTH = 4096 /* numbers of a cell of an encoder that others trained, at most */
};

/* The words of photographs' captions; shapes and captioners own them together. */
typedef struct sac_captioner_words {
    sac_caption_vocabulary table;
    bool *once;   /* [table.count]: allowed at most once in a caption */
    bool english; /* the captions are; not known of those of a file */
    int owners;
} sac_captioner_words;

/* An encoder that others trained, as a file of weights holds it; shapes and captioners own it
 * together. */
typedef struct sac_captioner_pretrained {
    char *config;                        /* its config.json */
    int side;                            /* of the pictures that it sees, in pixels */
    int grid, width;                     /* cells on a side, and numbers of a cell */
    float factor, mean[3], deviation[3]; /* a byte comes in as (byte · factor − mean) / deviation */
    int owners;
} sac_captioner_pretrained;
void sac_captioner_pretrained_free(
    sac_captioner_pretrained *pretrained); /* of one owner; takes NULL */

/* The model's sizes: "model" in the weights' metadata, as JSON. */
typedef struct sac_captioner_shape {
    const sac_dataset *dataset; /* it was trained on; NULL: shapes, or photographs */
    sac_captioner_words *words; /* of photographs; NULL: the dataset's */
    struct {
        /* "lite2"; "cnn": the layers below; "pretrained": a model that others trained; empty: of
         * scenes, and the layers below */
        char name[16];
        sac_captioner_pretrained *pretrained; /* NULL: none */
        int detail;   /* a photograph is first squeezed to a square of this side */
        int features; /* D */
        /* How many of its blocks learn, counted from the last, and the head with them; 0: it stays as
         * it is. Not in the file, for it is no size. */
        int learning;
    } network;
    struct {
        int layers; /* of the decoder in place of the LSTM, as wide as the features; 0: the LSTM */
        int heads, hidden;
    } stack;
    int longest;   /* words of a caption of a photograph */
    int no_repeat; /* no n-gram of this length occurs twice; 0: no limit */
    bool once;     /* only function words may occur twice */
    float sure;    /* of photographs: below this probability a word is unsure; 0: not measured */
    float limit;   /* distance of what it was trained on (photographs/domain.h); 0: not measured */
    float least_log;      /* the same of captions, by the mean log probability of their words */
    float length_penalty; /* of the search, where a request has none */
    int side;             /* of the picture that goes in, in pixels: 224 */
    int layers;
    struct {
        int channels, stride;
    } layer[SAC_CAPTIONER_LAYERS];
    sac_score score;           /* additive, scaled-dot or bilinear */
    sac_normalizer normalizer; /* of the attention over the cells; softmax in older files */
    int attention;             /* A: width of keys and queries; bilinear: the features' own */
    int hidden, embedding, vocabulary;
    bool
        masks_colours; /* colour words are masked in the decoder's input (datasets/dataset.h); not in
                       * older files */
    bool all_pairs;    /* it is trained on all pairs of words, none held out */
} sac_captioner_shape;
sac_captioner_shape sac_captioner_default_shape(const sac_dataset *dataset, sac_score score);
/* Of photographs, with words of captions, which the shape owns too from then on. `network` is a
 * variant of EfficientNet-Lite, or "cnn", or "pretrained", whose sizes are set later. The decoder is
 * an LSTM; of the second shape layers of a transformer. */
sac_captioner_shape sac_captioner_photograph_shape(const char *network, sac_captioner_words *words,
                                                   sac_score score);
sac_captioner_shape sac_captioner_layered_shape(const char *network, sac_captioner_words *words);
void sac_captioner_shape_free(sac_captioner_shape *shape);
/* Takes the table over, and is the caller's; NULL, and the table freed: out of memory. */
sac_captioner_words *sac_captioner_words_create(sac_caption_vocabulary *table);
void sac_captioner_words_free(sac_captioner_words *words); /* of one owner; takes NULL */
/* True where three tenths of the words of the captions, and more, are those that English sentences have
 * most often: of Flickr8k's two fifths are. */
bool sac_captions_are_english(const sac_pictures *pictures);

int sac_captioner_grid(const sac_captioner_shape *shape); /* cells on a side: 14 */
static inline bool sac_captioner_is_for_photographs(const sac_captioner_shape *shape)
{
    return shape->network.name[0] != '\0';
}
static inline bool sac_captioner_has_layers(const sac_captioner_shape *shape)
{
    return shape->stack.layers > 0;
}
/* "additive", or "transformer": the kind of decoder. */
const char *sac_captioner_kind(const sac_captioner_shape *shape);
/* NULL of photographs. */
const sac_dataset *sac_captioner_dataset(const sac_captioner_shape *shape);
const char *sac_captioner_word(const sac_captioner_shape *shape, int number);
int sac_captioner_longest(const sac_captioner_shape *shape); /* words of a caption, at most */

typedef struct sac_captioner sac_captioner;

/* New weights from `seed`, for training. The shape stays the caller's. */
sac_status sac_captioner_create(sac_device *device, const sac_captioner_shape *shape, uint32_t seed,
                                sac_captioner **captioner, sac_error *error);
/* Weights as training wrote them. Every name and shape is checked; SAC_E_FORMAT names the one that is
 * wrong. */
sac_status sac_captioner_load(sac_device *device, const char *path, sac_captioner **captioner,
                              sac_error *error);
void sac_captioner_destroy(sac_captioner *captioner); /* takes NULL */
const sac_captioner_shape *sac_captioner_get_shape(const sac_captioner *captioner);

/* What this model sees of a picture, at its side: sac_image_fit_in_square, or of photographs the picture
 * squeezed to a square. */
sac_status sac_captioner_square(const sac_captioner_shape *shape, const sac_image *image,
                                sac_image *square, sac_error *error);
/* Encodes a picture, rgba [side,side,4] of the model's side: what sac_captioner_generate then
 * describes. */
sac_status sac_captioner_encode_square(sac_captioner *captioner, const sac_image *square,
                                       sac_error *error);
/* Generates a caption of the encoded picture; `request->model` is not used here. Its maps may be attention, and
 * those that sac_captioner_attributions has. */
sac_status sac_captioner_generate(sac_captioner *captioner, const sac_result_request *request,
                                  sac_result *caption, sac_error *error);
/* What counts for each of `words` of the encoded picture, [count,cells], of either sign: the sum over a cell's
 * features of ∂ log p(word) / ∂ feature · feature, through the whole decoder, with the words before it, and the
 * request's temperature and hidden cells. Of a model that is being trained it adds to the gradients of the weights. */
sac_status sac_captioner_gradient(sac_captioner *captioner, const sac_result_request *request,
                                  const int *words, int count, float *counts, sac_error *error);
/* Of each decoder, as of sac_result_source. */
enum {
    SAC_CAPTIONER_ATTRIBUTIONS = 1 << SAC_ATTRIBUTION_GRADIENT | 1 << SAC_ATTRIBUTION_RELEVANCE |
                                 1 << SAC_ATTRIBUTION_CONTRAST
};
/* The attention of each layer and head, where a decoder of layers generates `words` of the encoded
 * picture: to the words before each, and the picture's cells, whose image is the caller's to add. Free it.
 * SAC_E_ARGUMENT: the decoder has no layers, or there are no words. */
sac_status sac_captioner_attentions(sac_captioner *captioner, const int *words, int count,
                                    sac_attentions *attentions, sac_error *error);
/* Where the heads of a layer looked at the picture's cells as the last caption was generated, by this request: maps
 * [heads,count,cells]. Of a decoder with layers. */
sac_status sac_captioner_head_maps(sac_captioner *captioner, const sac_result_request *request,
                                   int layer, int count, float *maps, sac_error *error);
/* Explains one word's attention weight of one cell: word `step` and cell `position` of the caption
 * of request->caption, which was generated last. */
sac_status sac_captioner_explain(sac_captioner *captioner, const sac_explanation_request *request,
                                 sac_explanation *explanation, sac_error *error);

/* The captioner as a row of the table of models. */
extern const sac_model_class sac_captioner_class;

#endif
