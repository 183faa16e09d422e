/* The translator: neural machine translation that aligns while it translates (Bahdanau, Cho and
 * Bengio 2015), from English into French (src/datasets/grammar), or
 * between the languages of a person's own pairs. A bidirectional encoder reads the
 * sentence; a decoder with attention over its words generates the translation, one word after the other.
 *
 *     h[i] = (GRU→ over the words up to i; GRU← over the words from i on)          [2H]
 *     s[0] = tanh(W · last + b),   last = the last state of either direction       [2H]
 *     e[t,i] = score(s[t−1], h[i]),  α = softmax e (or another normaliser),  z[t] = Σ_i α[t,i] h[i]
 *     s[t] = GRU([E y[t−1]; z[t]], s[t−1])
 *     p(y[t]) = softmax(W_o (E y[t−1] + W_s s[t] + W_z z[t]) + b_o)
 *
 * Without attention z[t] is `last` at every step: one vector for the whole sentence. */
#ifndef SAC_TRANSLATOR_TRANSLATOR_H
#define SAC_TRANSLATOR_TRANSLATOR_H

#include "models/model_class.h"
#include "nn/attention/attention.h"
#include "nn/layers.h"
#include "nn/recurrent.h"
#include "nn/training.h"
#include "saccade_arrays.h"
#include "sources/result.h"
#include "translation/sentence_batches.h"
#include "translation/translation.h"

/* The model's sizes: "model" in the weights' metadata, as JSON. */
typedef struct sac_translator_shape {
    bool attends;    /* false: one vector for the whole sentence */
    sac_score score; /* additive, scaled-dot or bilinear */
    sac_normalizer normalizer;
    int attention; /* A: width of keys and queries; bilinear: 2H */
    int hidden, embedding;
    int source_words, target_words; /* of the vocabularies */
    sac_language_pair *languages;   /* of a person's pairs; NULL: those of the grammar */
} sac_translator_shape;
sac_status sac_translator_default_shape(sac_score score, bool attends, sac_translator_shape *shape,
                                        sac_error *error);

typedef struct sac_translator sac_translator;

void sac_translator_destroy(sac_translator *translator); /* takes NULL */

/* ---- inside: shared by training, decoding and files */

/* The parameters by their role. B sentences, S source words, T target words, E of embeddings, H of
 * a GRU, A of keys and queries, V words of French. */
typedef struct sac_translator_weights {
    const sac_parameter *source;             /* [words,E]: the embedding of English */
    sac_gru_layer there, back;               /* the encoder's directions */
    const sac_parameter *start, *start_bias; /* [H,2H], [H] */
    const sac_parameter *key, *key_bias;     /* [A,2H], [A]; NULL: bilinear, or no attention */
    const sac_parameter *query;              /* [A,H]; bilinear: [2H,H]; NULL: no attention */
    const sac_parameter *v;                  /* [A]; NULL: not additive */
    const sac_parameter *target;             /* [V,E]: the embedding of French */
    /* W of the decoder in parts: the words of a training batch are known before its steps. */
    const sac_parameter *from_word, *from_context, *word_bias; /* [3H,E], [3H,2H], [3H] */
    const sac_parameter *from_state, *state_bias;              /* [3H,H], [3H] */
    sac_deep_output output;
} sac_translator_weights;

struct sac_translator {
    sac_model base;
    sac_translator_shape shape;
    sac_translator_weights weights;
    sac_translating translating;
    struct sac_translator_decoding *decoding; /* NULL until it first translates */
    struct sac_translator_training *training; /* activations of a batch; NULL until it learns */
};

static inline size_t sac_translator_depth(const sac_translator *t)
{
    return 2 * (size_t)t->shape.hidden;
}

/* A, or 0 without attention. */
size_t sac_translator_key_width(const sac_translator_shape *shape);

/* Adds the parameters of a model of that shape, and finds them by their role. */
void sac_translator_declare(const sac_translator_shape *shape, sac_parameters *parameters,
                            sac_translator_weights *weights);
/* New weights from `seed`, and the languages held; without `training` zeros, to be loaded, and no memory for gradients and
 * moments. */
sac_status sac_translator_make(const sac_model_class *class, sac_device *device,
                               const sac_translator_shape *shape, bool training, uint32_t seed,
                               sac_translator **translator, sac_error *error);

enum { SAC_TRANSLATOR_DROPOUTS = 3 };
/* The input and output of the encoder for B sentences of up to S words, the longest first. */
typedef struct sac_translator_source {
    sac_ints words,
        reversed;            /* [S,B]: by step, and each sentence from its last word to its first */
    sac_ints lengths;        /* [B] */
    sac_byte_tensor padding; /* [B,S], 1: there is no word */
    sac_gru_sequence there, back;
    sac_tensor features, last;                    /* [B,S,2H], [B,2H] */
    sac_tensor keys;                              /* [B,S,A]; bilinear: features */
    sac_dropout dropout[SAC_TRANSLATOR_DROPOUTS]; /* in a training of the embedded words of both
                                                     directions and of features; zeroed: none */
} sac_translator_source;
/* Gives them their shapes, and memory from `arena` where they have none. */
void sac_translator_shape_source(sac_translator *translator, sac_arena *arena, size_t batch,
                                 size_t steps, sac_translator_source *source);
/* Words to features, keys, and the decoder's first state [B,H]. */
void sac_translator_encode(sac_translator *translator, const sac_source_words *words,
                           const sac_translator_source *source, sac_tensor first_state);

/* The attention over the source words, for `batch` rows; temperature 0: 1. */
sac_attention_layer sac_translator_attention(const sac_translator *translator, size_t batch,
                                             float temperature);

/* One step of the decoder for B rows, words in, new state and attention out. */
typedef struct sac_translator_step {
    bool shared;               /* features, keys and padding are those of one sentence */
    float temperature;         /* 0: 1 */
    int normalizer;            /* as of sac_result_request */
    sac_tensor features, keys; /* as the encoder made them */
    cl_mem padding;            /* bytes [B,S], or [S] of one sentence; NULL: none */
    sac_tensor embedded;       /* [B,E]: the last words; empty: `gates` holds W_word embedded + b */
    sac_tensor state;          /* s[t−1] [B,H], read */
    sac_tensor query, weights; /* [B,A], [B,S], written; not without attention */
    sac_tensor scores;         /* [B,S], written; empty: not wanted */
    sac_tensor context;        /* z [B,2H], written; without attention read */
    sac_tensor gates, recurrent; /* [B,3H], written */
    sac_tensor next_state;       /* s[t] [B,H], written */
} sac_translator_step;
void sac_translator_decoder_step_forward(sac_translator *translator,
                                         const sac_translator_step *step);

/* The shape as JSON, for "model" in a weights' file: free() it; NULL: out of memory. */
char *sac_translator_describe(const sac_translator_shape *shape);
/* Reads it back; SAC_E_FORMAT. Release shape->languages. */
sac_status sac_translator_read_shape(const sac_arrays *file, const char *path,
                                     sac_translator_shape *shape, sac_error *error);

/* The translator as a row of the table of models. */
extern const sac_model_class sac_translator_class;

#endif
