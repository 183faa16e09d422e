/* The translator: neural machine translation that aligns while it translates (Bahdanau, Cho and
 * Bengio 2015), from English into French (src/datasets/grammar). A bidirectional encoder reads the
 * sentence; a decoder with attention over its words says the translation, one word after the other.
 *
 *     h[i] = (GRU→ over the words up to i; GRU← over the words from i on)          [2H]
 *     s[0] = tanh(W · last + b),   last = the last state of either direction       [2H]
 *     e[t,i] = score(s[t−1], h[i]),  α = softmax e,  z[t] = Σ_i α[t,i] h[i]
 *     s[t] = GRU([E y[t−1]; z[t]], s[t−1])
 *     p(y[t]) = softmax(W_o (E y[t−1] + W_s s[t] + W_z z[t]) + b_o)
 *
 * Without attention z[t] is `last` at every step: one vector for the whole sentence. */
#ifndef SAC_TRANSLATOR_TRANSLATOR_H
#define SAC_TRANSLATOR_TRANSLATOR_H

#include "saccade.h"
#include "sources/caption.h"

/* The model's sizes: "model" in the weights' metadata, as JSON. */
typedef struct sac_translator_shape {
    bool attends;    /* false: one vector for the whole sentence */
    sac_score score; /* additive, scaled-dot or bilinear */
    int attention;   /* A: width of keys and queries; bilinear: 2H */
    int hidden, embedding;
    int source_words, target_words; /* of the vocabularies */
} sac_translator_shape;
sac_status sac_translator_default_shape(sac_score score, bool attends, sac_translator_shape *shape,
                                        sac_error *error);

typedef struct sac_translator sac_translator;

void sac_translator_destroy(sac_translator *translator); /* takes NULL */

#endif
