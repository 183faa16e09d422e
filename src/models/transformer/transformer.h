/* The transformer: "Attention Is All You Need" (Vaswani et al. 2017), from English into French
 * (src/datasets/grammar). An encoder of L layers reads the sentence; a decoder of as many says the
 * translation, one word after the other, each of which sees those before it and the whole sentence.
 * The table of French words is that of the decoder's input and of its output.
 *
 *     x[i] = √D E_en[word i] + PE[i]                                    then L layers: memory [S,D]
 *     y[t] = √D E_fr[word t−1] + PE[t]                                  then L layers: z [T,D]
 *     p(word t) = softmax(E_fr z[t] + b) */
#ifndef SAC_TRANSFORMER_TRANSFORMER_H
#define SAC_TRANSFORMER_TRANSFORMER_H

#include "saccade.h"
#include "sources/caption.h"

enum {
    SAC_TRANSFORMER_LAYERS = 6,
    SAC_TRANSFORMER_HEADS = 16,
    SAC_TRANSFORMER_PLACES = 64, /* of the table of positions */
    SAC_TRANSFORMER_SOURCE = 40  /* words of a sentence that is translated, at most */
};

/* The model's sizes: "model" in the weights' metadata, as JSON. */
typedef struct sac_transformer_sizes {
    int layers, heads; /* L of the encoder and of the decoder, H, which divides the width */
    int width, hidden; /* D, and F of the feed-forward networks */
    bool norm_first;
    int source_words, target_words; /* of the vocabularies */
} sac_transformer_sizes;
sac_status sac_transformer_default_sizes(sac_transformer_sizes *sizes, sac_error *error);

typedef struct sac_transformer sac_transformer;

void sac_transformer_destroy(sac_transformer *transformer); /* takes NULL */

#endif
