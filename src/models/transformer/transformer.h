/* The transformer: "Attention Is All You Need" (Vaswani et al. 2017), from English into French
 * (src/datasets/grammar). An encoder of L layers reads the sentence; a decoder of as many generates the
 * translation, one word after the other, each with attention to the words before it and to the whole
 * sentence. The table of French words is that of the decoder's input and of its output.
 *
 *     x[i] = √D E_en[word i] + PE[i]                                    then L layers: memory [S,D]
 *     y[t] = √D E_fr[word t−1] + PE[t]                                  then L layers: z [T,D]
 *     p(word t) = softmax(E_fr z[t] + b) */
#ifndef SAC_TRANSFORMER_TRANSFORMER_H
#define SAC_TRANSFORMER_TRANSFORMER_H

#include "models/model_class.h"
#include "models/stack.h"
#include "saccade_arrays.h"
#include "sources/result.h"
#include "translation/sentence_batches.h"
#include "translation/translation.h"

enum {
    SAC_TRANSFORMER_PLACES = 64, /* of the table of positions */
    SAC_TRANSFORMER_SOURCE = 40  /* words of a sentence that is translated, at most */
};

/* The model's sizes: "model" in the weights' metadata, as JSON. */
typedef struct sac_transformer_sizes {
    int layers, heads; /* L of the encoder and of the decoder, H, which divides the width */
    int width, hidden; /* D, and F of the feed-forward networks */
    bool norm_first;
    sac_normalizer normalizer;      /* of the decoder's attention to the sentence */
    int source_words, target_words; /* of the vocabularies */
    sac_language_pair *languages;   /* of a person's pairs; NULL: those of the grammar */
} sac_transformer_sizes;
sac_status sac_transformer_default_sizes(sac_transformer_sizes *sizes, sac_error *error);

typedef struct sac_transformer sac_transformer;

void sac_transformer_destroy(sac_transformer *transformer); /* takes NULL */

/* ---- inside: shared by training, decoding and files */

typedef struct sac_transformer_weights {
    sac_stack encoder, decoder;
} sac_transformer_weights;

struct sac_transformer {
    sac_model base;
    sac_transformer_sizes sizes;
    sac_transformer_weights weights;
    sac_translating translating;
    sac_arena arena;      /* of the next */
    sac_tensor positions; /* [SAC_TRANSFORMER_PLACES,D] */
    struct {
        bool is_known;
        int layer, head;
        float score[SAC_STACK_LAYERS][SAC_STACK_HEADS]; /* of align.h */
    } aligner; /* the head of the decoder's attention over the sentence that is shown as where a
                  word looks */
    struct sac_transformer_decoding *decoding; /* NULL until it first translates */
    struct sac_transformer_training *training; /* NULL until it learns */
};

/* Adds the parameters of a model of that shape, and finds them by their role. */
void sac_transformer_declare(const sac_transformer_sizes *sizes, sac_parameters *parameters,
                             sac_transformer_weights *weights);
/* New weights from `seed`, and the languages held; without `training` zeros, to be loaded, and no memory for gradients and
 * moments. */
sac_status sac_transformer_make(const sac_model_class *class, sac_device *device,
                                const sac_transformer_sizes *sizes, bool training, uint32_t seed,
                                sac_transformer **transformer, sac_error *error);

/* The sentences of a batch, which come by step, as rows: words and padding [B,S], and those before
 * each word of the translations and padding [B,T]. */
void sac_transformer_transpose_batch(const sac_sentence_batch *batch, int *source_words,
                                     uint8_t *source_padding, int *words, uint8_t *padding);

/* Shapes of encoder and decoder for B sentences of S words and their translations of T; memory comes
 * from `arena` where they have none. */
void sac_transformer_shape(sac_transformer *transformer, sac_arena *arena, size_t batch,
                           size_t source_steps, size_t steps, sac_stack_tensors *source,
                           sac_stack_tensors *target);
/* What an encoder gave of B sentences, for a decoder: its rows [B·S,D]. */
sac_stack_memory sac_transformer_memory(const sac_stack_tensors *source, sac_tensor rows);
/* Both lend their result [B·T,D]. */
sac_tensor sac_transformer_encode(sac_transformer *transformer, const sac_stack_noise *noise,
                                  const sac_stack_tensors *tensors);
sac_tensor sac_transformer_decode(sac_transformer *transformer, const sac_stack_noise *noise,
                                  const sac_stack_tensors *tensors, const sac_stack_tensors *source,
                                  sac_tensor memory);

/* The sizes as JSON, for "model" in a weights' file: free() it; NULL: out of memory. */
char *sac_transformer_describe(const sac_transformer_sizes *sizes);
/* Reads them back; SAC_E_FORMAT. Release sizes->languages. */
sac_status sac_transformer_read_sizes(const sac_arrays *file, const char *path,
                                      sac_transformer_sizes *sizes, sac_error *error);

/* The transformer as a row of the table of models. */
extern const sac_model_class sac_transformer_class;

/* The attention of every layer and head of a transformer. */

/* The class's: models/model_class.h. */
sac_status sac_transformer_attentions(sac_model *model, const int *words, int count,
                                      sac_attentions *attentions, sac_error *error);

#endif
