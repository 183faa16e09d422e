/* A layer that keeps a state in place of keys and values: a gated delta net (Yang et al. 2024, "Gated Delta Networks"), as in
 * Qwen3-Next, with the feed-forward part of a transformer's layer behind it. Forward alone. Of a token's norm(x) queries,
 * keys and values are made, each number of which goes through a convolution over the last tokens and silu; queries
 * and keys of each head have a length of 1. A head's state S [depth,values] is multiplied by a share that each token
 * gives, what it has for the key is brought nearer to the value, and what it has for the query is normed, times silu of a gate:
 *
 *     S ← d S,   S ← S + k ⊗ s (v − S k),   y = norm(S q / √depth) · silu(z)
 */
#ifndef SAC_NN_DELTA_NET_H
#define SAC_NN_DELTA_NET_H

#include "nn/state_memory.h"
#include "nn/transformer.h"

typedef struct sac_delta_net {
    /* Its `out` [D,H·values] is of SAC_PART_SELF, which has no other linear layers; norms, and SAC_PART_FORWARD. */
    sac_transformer_layer layer;
    sac_dense part[3];            /* queries, keys, values: D → Hk·depth, Hk·depth, H·values */
    const sac_parameter *taps[3]; /* [·,1,taps] of each */
    sac_layer_norm unit[2]; /* [depth]: by which queries and keys are brought to their length */
    sac_dense gate;         /* z: D → H·values */
    sac_dense share, decay; /* s before its sigmoid, and what d is made of: D → H */
    const sac_parameter *rate, *shift; /* [H]: d = exp(−e^rate · softplus(decay + shift)) */
    sac_layer_norm norm;               /* [values] */
    size_t heads, key_heads;           /* H, Hk, which divides it */
    int before;                        /* the layer of attention that it stands before */
} sac_delta_net;

/* Rows and width of tensor i of the memory of so many sentences: of queries, keys and values [R·taps + R,·], `taps` rows of each, and behind
 * all of them the next token's; and of the states [R·H·depth,values]. */
void sac_delta_memory_size(const sac_delta_net *net, int i, size_t sentences, size_t *rows,
                           size_t *width);

/* Tensors that a forward pass computes in. All delta nets of a model use the same ones in turn. */
typedef struct sac_delta_tensors {
    sac_tensor entered[3]; /* [taps − 1 + T,·], the first of them zeros */
    sac_tensor part[3], gate, given, share, decay;
    sac_ints parents, places; /* [R], [R·taps] */
    sac_transformer_tensors layer;
} sac_delta_tensors;

/* Gives them their shapes for so many rows, of which the first time there are most. */
void sac_delta_net_shape(sac_pass *pass, sac_arena *arena, const sac_delta_net *net,
                         const sac_transformer_run *run, size_t rows, sac_delta_tensors *t);
/* Reads a sentence x [T,D] from its beginning on, of which tokens [T] may be hidden (NULL: none is): they enter as zeros. Keeps in `kept`, of one sentence, what the tokens behind it need. The result is lent
 * by `t`, as is that of the next. */
sac_tensor sac_delta_net_read(sac_pass *pass, sac_arena *arena, const sac_delta_net *net,
                              const sac_transformer_run *run, sac_tensor x, const uint8_t *hidden,
                              sac_delta_tensors *t, const sac_state_memory *kept);
/* The tokens x [R,D] of a step, of which row r follows sentence parents[r] of the `sentences` in `from`; `to` is another memory. */
sac_tensor sac_delta_net_step(sac_pass *pass, sac_arena *arena, const sac_delta_net *net,
                              const sac_transformer_run *run, sac_tensor x, const int *parents,
                              size_t sentences, sac_delta_tensors *t, const sac_state_memory *from,
                              const sac_state_memory *to);

/* ---- the pieces */

/* y [T,·] = silu of its convolution: row t of w [·,taps] and of the rows of x [·,·] from t · step on. */
void sac_convolve_last(sac_pass *pass, sac_tensor y, sac_tensor x, sac_tensor w, size_t step);
/* The states [sentences·H·depth,values] behind the rows of each sentence, which begin as those of sentence parents[r] in `before`
 * (which may be `state`, where each is its own), and what they give for them. Shares are before their sigmoid. */
typedef struct sac_delta_scan {
    size_t sentences, heads, key_heads;
    sac_tensor query, key, value, share, decay, rate, shift;
    sac_ints parents;
    sac_tensor before, state, given;
} sac_delta_scan;
void sac_delta_scan_run(sac_pass *pass, const sac_delta_scan *scan);

#endif
