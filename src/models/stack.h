/* A stack of transformer layers over words, forward and backward: the encoder and the decoder of a
 * translator, and the decoder of a captioner. A decoder's layers also attend to a memory, what an
 * encoder made of a sentence or a picture, and its table of words is that of its output:
 *
 *     x[t] = √D E word[t] + PE[t]                          then L layers (nn/transformer.h): z [T,D]
 *     logits[t] = E z[t] + b
 *
 * Rows are by sentence: row b·T + t is word t of sentence b. Sentences that follow each other may
 * share a memory: of B sentences and M memories the first B/M have the first one. */
#ifndef SAC_MODELS_STACK_H
#define SAC_MODELS_STACK_H

#include "generate/beam.h"
#include "nn/attention/beam_cache.h"
#include "nn/training.h"
#include "nn/transformer.h"
#include "sources/result.h"

enum { SAC_STACK_LAYERS = 6, SAC_STACK_HEADS = 16, SAC_HEAD_KEYS = 4096 };

typedef struct sac_stack_sizes {
    int layers, heads; /* L, and H, which divides the width */
    int width, hidden; /* D, and F of the feed-forward networks */
    bool norm_first;
    bool decodes; /* a word sees those before it alone, and a memory [·,D] */
    int words;    /* V */
    sac_normalizer
        normalizer; /* of the attention to the memory; that of words to words is a softmax */
} sac_stack_sizes;

typedef struct sac_stack {
    sac_stack_sizes sizes;
    const sac_parameter *words; /* [V,D] */
    sac_transformer_layer layer[SAC_STACK_LAYERS];
    sac_layer_norm norm;       /* after the last layer, with norm_first alone */
    const sac_parameter *bias; /* [V], of a decoder's logits */
    sac_tensor positions;      /* PE [places,D], lent by the model */
} sac_stack;

/* Declares "NAME.words", "NAME.0.self.query.weight" … and of a decoder "NAME.out.bias". */
void sac_stack_declare(const sac_stack_sizes *sizes, const char *name, sac_parameters *parameters,
                       sac_stack *stack);
/* The table of positions [places,width], in memory of `arena`. Blocks until it is written. */
void sac_stack_positions(sac_pass *pass, sac_arena *arena, size_t places, size_t width,
                         sac_tensor *positions);

/* What B sentences of T words leave on their way, for the backward pass. */
typedef struct sac_stack_tensors {
    size_t batch, steps;     /* B, T */
    size_t memories;         /* M, which divides B */
    sac_ints words, places;  /* [B·T] */
    sac_byte_tensor padding; /* [B,T], 1: there is no word */
    sac_tensor x;            /* [B·T,D]: words in their places, after dropout */
    sac_transformer_tensors layer[SAC_STACK_LAYERS];
    sac_tensor normed; /* after the last norm, with norm_first alone */
} sac_stack_tensors;
/* Gives them their shapes, and memory from `arena` where they have none. `memory_steps`: rows of
 * each of the `memories`; of an encoder both are 0. */
void sac_stack_shape(sac_pass *pass, sac_arena *arena, const sac_stack *stack, size_t batch,
                     size_t steps, size_t memories, size_t memory_steps, sac_stack_tensors *t);

/* Words on the host. */
typedef struct sac_stack_words {
    const int *words;       /* [B,T] */
    const uint8_t *padding; /* [B,T] */
    const int *offsets;     /* [B]: the place of each sentence's first word; NULL: 0 */
} sac_stack_words;
/* SAC_E_SHAPE fails the pass where a word lies beyond the table of positions. */
void sac_stack_upload(sac_pass *pass, const sac_stack *stack, const sac_stack_words *words,
                      const sac_stack_tensors *t);

/* The dropout of a pass, and its seed. */
typedef struct sac_stack_noise {
    float dropout; /* 0: none */
    uint64_t seed;
} sac_stack_noise;

/* What a decoder attends to; zeroes for an encoder. */
typedef struct sac_stack_memory {
    sac_tensor rows;     /* [M·S,D] */
    cl_mem padding;      /* bytes [M,S], 1: masked; NULL: none */
    sac_tensor gradient; /* [M·S,D], added to by backward */
    float temperature;   /* of the attention to it; 0: 1 */
} sac_stack_memory;

/* Lends its result [B·T,D]. */
sac_tensor sac_stack_forward(sac_pass *pass, const sac_stack *stack, const sac_stack_noise *noise,
                             const sac_stack_tensors *t, const sac_stack_memory *memory);
/* logits [rows,V] of z [rows,D] */
void sac_stack_logits(sac_pass *pass, const sac_stack *stack, sac_tensor logits, sac_tensor z);

/* The gradient of logits becomes dz [rows,D]; adds to that of words and bias. */
void sac_stack_logits_backward(sac_pass *pass, const sac_stack *stack, sac_tensor dz,
                               sac_tensor dlogits, sac_tensor z);
/* dz, the gradient of what forward gave, becomes that of the words, which the table gets. Works in
 * `gradients`, which sac_stack_shape_gradients gave their shapes. */
void sac_stack_backward(sac_pass *pass, const sac_stack *stack, const sac_stack_noise *noise,
                        const sac_stack_tensors *t, const sac_stack_memory *memory, sac_tensor dz,
                        const sac_transformer_gradients *gradients);
void sac_stack_shape_gradients(sac_pass *pass, sac_arena *arena, const sac_stack *stack,
                               size_t batch, size_t steps, size_t memories, size_t memory_steps,
                               sac_transformer_gradients *gradients);

/* A decoder's stack that goes on by one word of all sentences of a beam at a time, over one memory.
 * Keys and values of the words so far are kept, so that a step is a batch of single words: to itself
 * each row is a sentence with one query, to the memory all rows are queries of one. */
typedef struct sac_stack_decoding {
    sac_stack_tensors step; /* [R,1]: the last word of every sentence */
    sac_tensor memory_key[SAC_STACK_LAYERS], memory_value[SAC_STACK_LAYERS]; /* [S,D] */
    sac_beam_cache cache;
    sac_byte_tensor mask; /* [S], 1: hidden from attention */
    sac_tensor logits;    /* [R,V] */
} sac_stack_decoding;

/* Memory for up to SAC_BEAM_WIDTH sentences of `words` words over `memory_rows` rows. */
void sac_stack_decoding_shape(sac_pass *pass, sac_arena *arena, const sac_stack *stack,
                              size_t memory_rows, size_t words, sac_stack_decoding *d);
/* Keys and values of a memory [S,D], which are the same at every step. */
void sac_stack_decoding_begin(sac_pass *pass, const sac_stack *stack, sac_tensor memory,
                              sac_stack_decoding *d);
/* One word further for the rows of beam->row[beam->step]: logits [R,V], in host memory. Queries to
 * the memory stay in d->step. */
void sac_stack_decoding_step(sac_pass *pass, const sac_stack *stack, const sac_beam *beam,
                             const sac_result_request *request, sac_stack_decoding *d,
                             float *logits);

/* The weights of single heads, for people to read: of a sentence they are few, and computed on
 * the host out of queries and keys. Training and translating never make them. */

/* Queries [queries,width] and keys [keys,width] of all heads, in host memory. */
typedef struct sac_head_view {
    const float *query, *key;
    size_t queries, keys, width, heads; /* keys: SAC_HEAD_KEYS at most */
    size_t key_heads; /* whose keys [keys,width·key_heads/heads] heads share; 0: each has its own */
    bool causal;      /* query i sees the keys 0 … i */
    const uint8_t *hidden; /* [keys], 1: no query sees it; NULL: none */
    float temperature;     /* of the scores; 0: 1 */
    sac_normalizer normalizer;
} sac_head_view;
/* weights [queries,keys] of head `head`; a row that sees nothing is 0. */
void sac_head_weights(const sac_head_view *view, size_t head, float *weights);
/* weights [heads,queries,keys] of one sentence, from the queries and keys that its attention left on
 * the device; those of the view are not used. */
void sac_heads_read(sac_pass *pass, const sac_multihead_tensors *attention,
                    const sac_head_view *view, float *weights);

#endif
