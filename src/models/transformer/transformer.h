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

#include "grammar/words.h"
#include "models/model_class.h"
#include "nn/dropout.h"
#include "nn/transformer.h"
#include "saccade.h"
#include "sources/caption.h"
#include "translation/sentence_batches.h"

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

/* ---- inside: shared by training, decoding and files */

/* The parameters by their role. V words, D the width. */
typedef struct sac_transformer_side {
    const sac_parameter *words; /* [V,D] */
    sac_transformer_layer layer[SAC_TRANSFORMER_LAYERS];
    sac_layer_norm norm; /* after the last layer, with norm_first alone */
} sac_transformer_side;
typedef struct sac_transformer_weights {
    sac_transformer_side encoder, decoder;
    const sac_parameter *out_bias; /* [V] */
} sac_transformer_weights;

struct sac_transformer {
    sac_model base;
    sac_transformer_sizes sizes;
    sac_transformer_weights weights;
    sac_word_list english, french;
    sac_arena arena;      /* of the next */
    sac_tensor positions; /* [SAC_TRANSFORMER_PLACES,D] */
    struct {
        bool is_known;
        int layer, head;
        float score[SAC_TRANSFORMER_LAYERS][SAC_TRANSFORMER_HEADS]; /* of align.h */
    } aligner; /* the head of the decoder's attention over the sentence that is shown as where a
                  word looks */
    struct sac_transformer_decoding *decoding; /* NULL until it first translates */
    struct sac_transformer_training *training; /* NULL until it learns */
};

void sac_transformer_declare(const sac_transformer_sizes *sizes, sac_parameters *parameters,
                             sac_transformer_weights *weights);
/* New weights from `seed`; without `training` zeros, to be loaded, and no memory for gradients and
 * moments. */
sac_status sac_transformer_make(const sac_model_class *class, sac_device *device,
                                const sac_transformer_sizes *sizes, bool training, uint32_t seed,
                                sac_transformer **transformer, sac_error *error);

/* The activations of an encoder or a decoder, kept for the backward pass: B sentences of T words,
 * row b·T + t of word t of sentence b. */
typedef struct sac_transformer_stack {
    size_t batch, steps;     /* B, T */
    sac_ints words, places;  /* [B·T] */
    sac_byte_tensor padding; /* [B,T], 1: there is no word */
    sac_tensor x;            /* [B·T,D]: words in their places, after dropout */
    sac_transformer_tensors layer[SAC_TRANSFORMER_LAYERS];
    sac_tensor normed; /* after the last norm, with norm_first alone */
} sac_transformer_stack;
/* Gives them their shapes, and memory from `arena` where they have none. `memory_steps`: S of the
 * encoder's sentences; 0: this is the encoder. */
void sac_transformer_shape_stack(sac_transformer *transformer, sac_arena *arena, size_t batch,
                                 size_t steps, size_t memory_steps, sac_transformer_stack *stack);

/* Words on the host. */
typedef struct sac_transformer_words {
    const int *words;       /* [B,T] */
    const uint8_t *padding; /* [B,T] */
    const int *offsets;     /* [B]: the place of each sentence's first word; NULL: 0 */
} sac_transformer_words;
/* SAC_E_SHAPE fails the pass where a word lies beyond the table of positions. */
void sac_transformer_upload(sac_transformer *transformer, const sac_transformer_words *words,
                            const sac_transformer_stack *stack);

/* The sentences of a batch, which come by step, as rows: words and padding [B,S], and those before
 * each word of the translations and padding [B,T]. */
void sac_transformer_take_batch(const sac_sentence_batch *batch, int *source_words,
                                uint8_t *source_padding, int *words, uint8_t *padding);

/* The dropout of a pass, and its seed. */
typedef struct sac_transformer_noise {
    float dropout; /* 0: none */
    uint64_t seed;
} sac_transformer_noise;
/* Layer `index` of the encoder (memory NULL) or of the decoder, for nn/transformer.h. */
sac_transformer_run sac_transformer_run_of(const sac_transformer *transformer,
                                           const sac_transformer_noise *noise,
                                           const sac_transformer_stack *stack,
                                           const sac_transformer_stack *memory, int index);
sac_dropout sac_transformer_word_dropout(const sac_transformer_noise *noise, bool decodes);

/* x ← √D E[words] + PE[places] */
void sac_transformer_embed(sac_transformer *transformer, const sac_transformer_side *side,
                           const sac_transformer_stack *stack, sac_tensor x);
/* Both lend their result [B·T,D]. */
sac_tensor sac_transformer_encode(sac_transformer *transformer, const sac_transformer_noise *noise,
                                  const sac_transformer_stack *stack);
sac_tensor sac_transformer_decode(sac_transformer *transformer, const sac_transformer_noise *noise,
                                  const sac_transformer_stack *stack,
                                  const sac_transformer_stack *source, sac_tensor memory);
/* What layer `index` reads, and what the last gives before the last norm (index L). */
sac_tensor sac_transformer_layer_input(const sac_transformer *transformer,
                                       const sac_transformer_stack *stack, int index);
/* logits [rows,V] of z [rows,D] */
void sac_transformer_logits(sac_transformer *transformer, sac_tensor logits, sac_tensor z);

/* The sizes as JSON, for "model" in a weights' file: free() it; NULL: out of memory. */
char *sac_transformer_describe(const sac_transformer_sizes *sizes);
/* Reads them back; SAC_E_FORMAT. */
sac_status sac_transformer_read_sizes(const sac_arrays *file, const char *path,
                                      sac_transformer_sizes *sizes, sac_error *error);

#endif
