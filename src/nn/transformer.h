/* The layers of a transformer (Vaswani et al. 2017, "Attention Is All You Need"), as torch.nn's
 * TransformerEncoderLayer and TransformerDecoderLayer define them. A layer is made of parts:
 * attention over its own rows, in a decoder attention over what the encoder made, and a
 * feed-forward network. Each part f stands in a residual, with a layer norm after the sum, or
 * before the part (norm_first):
 *
 *     y = norm(x + D f(x))        or        y = x + D f(norm(x))            D: dropout
 *
 * Any bias of a linear layer may be missing. Rows are by sentence: row b·T + t is word t of
 * sentence b. Attention never holds T² weights. */
#ifndef SAC_NN_TRANSFORMER_H
#define SAC_NN_TRANSFORMER_H

#include "nn/attention/attention.h"
#include "nn/experts.h"
#include "nn/layers.h"
#include "nn/state_space.h"

/* Keys and values may have fewer heads, and the heads of values another width. */
typedef struct sac_multihead {
    sac_dense query, key, value, out; /* D → D each */
} sac_multihead;

/* What a linear layer takes in place of x: norm(x Wᵀ + b), which is narrower. */
typedef struct sac_latent {
    sac_dense down;      /* D → R; no w: there is none, and it takes x */
    sac_layer_norm norm; /* [R] */
} sac_latent;

enum { SAC_PART_SELF, SAC_PART_CROSS, SAC_PART_FORWARD, SAC_PARTS };

typedef struct sac_transformer_layer {
    sac_multihead attention[2]; /* SAC_PART_SELF, SAC_PART_CROSS; the latter empty: an encoder's */
    sac_dense in, out; /* of the feed-forward network, D → F → D, activated between; D → 2F: gated
                          by SwiGLU … */
    sac_dense gate; /* … and where the gates are a separate matrix, D → F, to which the run's
                       activation is applied */
    /* What the gates are multiplied by before that; 0: by nothing. Forward alone. */
    float gate_times;
    sac_experts *experts; /* in place of these three; lent; NULL: none … */
    sac_layer_norm
        beside; /* … or beside them (Gemma 4 2026): what the network gives is normed, what the experts give too, and
                              they are added; no gain: in their place */
    sac_layer_norm norm[SAC_PARTS]; /* with norm_first no gain: none */
    /* Each without a gain: none; they are not trained, nor is what follows. */
    sac_layer_norm query_norm, key_norm; /* of SAC_PART_SELF, before the rotation: of each head [d],
                                            or of all of them [H·d] */
    sac_layer_norm value_norm;           /* of SAC_PART_SELF, of each head */
    size_t
        lent; /* SAC_PART_SELF attends to the keys and values of the layer so many before it, which are in
                    the tensors already, normed and turned; its own `key` and `value` are that layer's; 0: to its own */
    sac_layer_norm after[SAC_PARTS]; /* of what a part gives, before it joins the sum */
    /* One more part behind the others (Gemma 3n 2025): x + norm(out(activation(in(x)) · words)), where the run has the words of
     * each layer; no w: there is none. */
    sac_dense words_in, words_out; /* D → P, P → D */
    sac_layer_norm words_norm;
    float times; /* what leaves the layer is multiplied by it; 0: it is not */
    sac_dense distance_key,
        distance_query; /* of SAC_PART_SELF with the run's distances; no w: none */
    /* With norm_first: takes what SAC_PART_SELF takes, and what it gives is added with what that gives; no in.w: none. */
    sac_state_space space;
    /* Multi-head latent attention (DeepSeek-V2 2024) in SAC_PART_SELF: what its queries are made of, and what keys and values
     * are; and with the latter a part of the key that all heads share, the first numbers of each: D → r, put there by a
     * matrix [H·d,r] of ones and zeros, where the key's own rows are zeros. */
    sac_latent query_latent, key_latent;
    sac_dense shared_key;
    const sac_parameter *spread;
    const sac_parameter *sinks; /* [H]: of SAC_PART_SELF, a logit of each head beside those
                                            of the keys; NULL: none */
    const sac_parameter *scale[SAC_PARTS]; /* [D], of what a part gives, before it joins the sum;
                                              NULL: none */
    /* Of what the encoder made, where SAC_PART_SELF attends to that and, behind it, to its own rows, as a perceiver's latents do: of one
     * sentence; no gain: it attends to its own rows alone. */
    sac_layer_norm memory_norm;
    sac_dense
        open; /* D → H·d: what the heads of SAC_PART_SELF give is multiplied by its sigmoid; forward alone; no w: it is not */
} sac_transformer_layer;

/* The numbers that the layers of a stack have in common in a pass. */
typedef struct sac_transformer_run {
    size_t batch;    /* B */
    size_t memories; /* M, which divides B: each B/M sentences one after the other share what the
                             encoder made for them; 0: B */
    int heads, key_heads; /* of SAC_PART_SELF's keys and values, which divide heads; 0: as many */
    bool norm_first;
    bool parallel; /* with norm_first: y = x + f(norm(x)) + g(norm(x)), each part of what enters the
                      layer */
    bool causal;   /* causal: word t attends to the words 0 … t of its sentence */
    sac_activation activation;
    float scale;                     /* of the scores of SAC_PART_SELF; 0: 1/√d */
    size_t window;                   /* of SAC_PART_SELF, as of sac_attention_spec; 0: none */
    float softcap;                   /* the same */
    float cross_scale;               /* of the scores of SAC_PART_CROSS; 0: 1/√(D/heads) */
    sac_normalizer cross_normalizer; /* of SAC_PART_CROSS; 0: softmax, as that of SAC_PART_SELF */
    float dropout;                   /* on the weights and after each part */
    uint64_t seed;                   /* of the dropout: another one for each pass and each layer */
    cl_mem padding;        /* bytes [B,T], 1: no word; NULL: none. Joined with `causal` by or */
    cl_mem memory_padding; /* bytes [M,S], the same of the encoder's words */
    cl_mem bias; /* floats [H,Q,T] of SAC_PART_SELF: added to each head's scores of key t; NULL:
                    none */
    cl_mem mask; /* bytes [Q,T] of SAC_PART_SELF, in place of a bias: 1 where a query does not see a
                    key; NULL: none */
    size_t biased, bias_rows;       /* T; Q, each query, or 0: all queries alike, as in ALiBi */
    const sac_distances *distances; /* `bias` is computed in each layer by these, lent; NULL: it is
                                       there */
    sac_tensor rotation; /* nn/positions.h's table [T,d], by which SAC_PART_SELF turns queries and
                            keys; empty: none */
    /* [T,D] and [M·S,D]: added to the input of queries and keys, and not to that of values, as in
     * DETR: of the layer's own rows, and of the encoder's; empty: none, and where there is one
     * nothing is trained */
    sac_tensor places, memory_places;
    sac_tensor words;         /* [B·T,P], of a layer with words_in */
    sac_tensor head_scale[2]; /* [1,D] of SAC_PART_SELF and SAC_PART_CROSS: what each number that
                                 the heads give is multiplied by, before they are joined; forward
                                 alone; empty: none */
} sac_transformer_run;

typedef struct sac_multihead_tensors {
    sac_tensor query, key, value; /* [B·T,D]; [B·T,D] or [M·S,D], and with fewer heads Hk·d wide */
    sac_tensor heads, stats;      /* [B·T,D], [B·H·T,2] */
    struct sac_laid_out **laid_out; /* nn/attention.h */
    /* Of one row (sac_transformer_takes_token): all keys and values, whose last are its own. `key` is its own key, in
     * other memory, and is put there, turned, by the attention. Empty: `key` and `value` are all of them. */
    sac_tensor token_keys, token_values;
    size_t room; /* keys that laid_out will have; 0: there will be no more */
} sac_multihead_tensors;

/* The tensors that a layer's forward pass leaves for its backward pass. */
typedef struct sac_transformer_tensors {
    sac_multihead_tensors attention[2];
    sac_tensor hidden; /* [B·T,F], activated */
    sac_tensor joined; /* [B·T,2F]: gates and gated values, where it is gated; [B·T,F]:
                                     the gated values, where the gates are a separate matrix, or what was
                                     activated, where a layer that is not gated learns */
    sac_experts_tensors experts;
    /* Its memories and parents are the caller's. */
    sac_state_space_tensors space;
    sac_tensor sum[SAC_PARTS];    /* x + D f: with norm_first what the part gives */
    sac_tensor normed[SAC_PARTS]; /* norm of the sum, what the part gives; with norm_first of x */
    sac_tensor placed;            /* [T or M·S,D]: rows with their places */
    sac_tensor query_latent, key_latent, shared_key; /* [B·T,R], [B·T,R], [B·T,r] */
    sac_tensor gathered;     /* [S + T,D]: with a memory_norm what SAC_PART_SELF attends to */
    sac_tensor opened, left; /* [B·T,P] and [B·T,D]: of the part behind the others */
    sac_tensor gates;        /* [B·T,H·d]: by what the heads of SAC_PART_SELF are multiplied */
} sac_transformer_tensors;
/* Gives them their shapes, for T words of each sentence and S of what the encoder made (0: no
 * decoder), and memory from `arena` where they have none. */
void sac_transformer_layer_shape(sac_pass *pass, sac_arena *arena,
                                 const sac_transformer_layer *layer, const sac_transformer_run *run,
                                 size_t words, size_t memory_words, sac_transformer_tensors *t);

/* x [B·T,D], memory [M·S,D] (empty: an encoder's layer). The result is lent by `t`. */
sac_tensor sac_transformer_layer_forward(sac_pass *pass, const sac_transformer_layer *layer,
                                         const sac_transformer_run *run, sac_tensor x,
                                         sac_tensor memory, const sac_transformer_tensors *t);

/* Memory that backward works in, in the shapes of the tensors whose names lack the d; one serves
 * all layers of a stack. */
typedef struct sac_transformer_gradients {
    sac_tensor dresult, dnormed; /* [B·T,D] */
    sac_tensor dheads, dquery;   /* [B·T,H·d]; of heads as wide as values */
    sac_tensor dcross; /* [B·T,H·d]: dheads of SAC_PART_CROSS, for a caller who wants it afterwards;
                          empty: it is in dheads meanwhile */
    sac_tensor dkey, dvalue; /* [B·T,Hk·d], or [M·S,D] where that is more */
    sac_tensor dhidden;      /* [B·T,F] */
    /* As dkey and dvalue, of a layer whose keys and values others attend to, what these have left there; empty: there are none. A
     * layer that they are lent to leaves its own in dkey and dvalue, as attention has them. */
    sac_tensor lent_key, lent_value;
    /* Of layers that have more than those that are trained: */
    sac_tensor dentered;         /* [B·T,D]: dy, where parts are parallel */
    sac_tensor before, gated;    /* [B·T,F]: what was activated, and what gates let through */
    sac_tensor raw;              /* [B·T,D or H·d]: what was normed in its place */
    sac_tensor dopened, opening; /* [B·T,P] */
    sac_tensor latent, dlatent;  /* [B·T,R]: the widest, before its norm */
    sac_experts_gradients experts;
} sac_transformer_gradients;
void sac_transformer_layer_shape_gradients(sac_pass *pass, sac_arena *arena,
                                           const sac_transformer_layer *layer,
                                           const sac_transformer_run *run, size_t words,
                                           size_t memory_words,
                                           sac_transformer_gradients *gradients);

/* dy becomes dx in place; adds to dmemory (empty with memory) and to the gradients of parameters,
 * where those are trained. Afterwards gradients->dheads is that of what SAC_PART_SELF's
 * heads give. With distances the run's bias is not what it was. Not of scaled heads. */
void sac_transformer_layer_backward(sac_pass *pass, const sac_transformer_layer *layer,
                                    const sac_transformer_run *run, sac_tensor dy,
                                    sac_tensor dmemory, sac_tensor x, sac_tensor memory,
                                    const sac_transformer_tensors *t,
                                    const sac_transformer_gradients *gradients);

/* ---- the pieces, for a decoder that generates one word at a time and keeps keys and values */

/* The input of a part: with norm_first the norm of x, in t->normed, else x itself. */
sac_tensor sac_transformer_part_begin(sac_pass *pass, const sac_transformer_layer *layer,
                                      const sac_transformer_run *run, int part, sac_tensor x,
                                      const sac_transformer_tensors *t);
void sac_transformer_part_query(sac_pass *pass, const sac_transformer_layer *layer, int part,
                                sac_tensor x, const sac_transformer_tensors *t);
void sac_transformer_part_keys(sac_pass *pass, const sac_transformer_layer *layer, int part,
                               sac_tensor memory, const sac_transformer_tensors *t);
/* The input, query and keys of SAC_PART_SELF of the same rows x, in fewer launches where they are few. */
void sac_transformer_part_project(sac_pass *pass, const sac_transformer_layer *layer,
                                  const sac_transformer_run *run, sac_tensor x,
                                  const sac_transformer_tensors *t);
/* Norms the queries and keys that are in t, and turns them by the run's rotation, where there are
 * such. */
void sac_transformer_part_rotate(sac_pass *pass, const sac_transformer_layer *layer,
                                 const sac_transformer_run *run, int part,
                                 const sac_transformer_tensors *t);
/* Whether SAC_PART_SELF of one row over so many keys, its own among them, is computed by token_keys of
 * sac_multihead_tensors. */
bool sac_transformer_takes_token(sac_pass *pass, const sac_transformer_layer *layer,
                                 const sac_transformer_run *run, size_t keys);
/* The whole layer of that row x [1,D], in one launch; the result is in t->sum. False, and nothing is done, where its parts
 * are to be computed one by one. */
bool sac_transformer_token_layer(sac_pass *pass, const sac_transformer_layer *layer,
                                 const sac_transformer_run *run, sac_tensor x,
                                 const sac_transformer_tensors *t);
/* Attention and the part's output; and SAC_PART_FORWARD of rows `x`, added to those that `onto` holds: from begin to
 * end, in fewer launches where rows are few. */
sac_tensor sac_transformer_part_attended(sac_pass *pass, const sac_transformer_layer *layer,
                                         const sac_transformer_run *run, int part, sac_tensor onto,
                                         const sac_transformer_tensors *t);
sac_tensor sac_transformer_part_forwarded(sac_pass *pass, const sac_transformer_layer *layer,
                                          const sac_transformer_run *run, sac_tensor x,
                                          sac_tensor onto, const sac_transformer_tensors *t);

#endif
