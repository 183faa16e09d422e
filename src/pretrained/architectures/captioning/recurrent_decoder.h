/* A decoder that is an LSTM and looks once a word, as that of "Show, Attend and Tell" (Xu et al.
 * 2015) in the PyTorch that most people know it by (nn/one_query.h):
 *
 *     z = the attention from s, gated;    s, c = LSTM([word, z], s, c);    logits = fc s
 *
 * The layers have their names in that tutorial. */
#ifndef SAC_ARCHITECTURES_CAPTIONING_RECURRENT_DECODER_H
#define SAC_ARCHITECTURES_CAPTIONING_RECURRENT_DECODER_H

#include "nn/layers.h"

typedef struct sac_recurrent {
    sac_dense encoder_att, decoder_att; /* D → A, H → A */
    const sac_parameter *full_att;      /* [1,A]; its bias would move no weight */
    sac_dense init_h, init_c;           /* D → H: state and cell, from the mean of all cells */
    sac_dense f_beta;                   /* H → D, the gates */
    sac_dense from_input, from_state;   /* of the LSTM: M + D → 4H, H → 4H */
    const sac_parameter *embedding;     /* [V,M] */
    sac_dense fc;                       /* H → V */
} sac_recurrent;
/* Declares them under those names. */
void sac_recurrent_declare(sac_recurrent *layers, sac_parameters *parameters, size_t seen,
                           size_t scored, size_t embedded, size_t hidden, size_t vocabulary);

/* What it goes through with R sentences over N cells. */
typedef struct sac_recurrent_tensors {
    sac_tensor key;                   /* [N,A] */
    sac_tensor mean;                  /* [1,D] */
    sac_tensor first[2];              /* state and cell that all sentences begin with [1,H]; … */
    sac_tensor before[2], after[2];   /* … and those before and after a step [R,H] */
    sac_ints words, parents;          /* [R] */
    sac_tensor query, gate, word;     /* [R,A], [R,D], [R,M] */
    sac_tensor weights, joined, open; /* [R,N], [R,M+D], [R,1] */
    sac_tensor sums;                  /* [R,4H] */
} sac_recurrent_tensors;
/* Gives them their shapes for `rows` sentences, and memory from `arena` where they have none. */
void sac_recurrent_shape(const sac_recurrent *layers, sac_pass *pass, sac_arena *arena,
                         size_t cells, size_t rows, sac_recurrent_tensors *t);
/* What is the same for all sentences of one picture, seen [N,D]. */
void sac_recurrent_begin(const sac_recurrent *layers, sac_pass *pass, sac_tensor seen,
                         const sac_recurrent_tensors *t);
typedef struct sac_recurrent_step {
    bool is_first;
    const int *words,
        *parents;      /* [R]: the words generated last, and by which row of the step before */
    float temperature; /* of the attention; 0: 1 */
    cl_mem hidden;     /* bytes [N]; NULL: none */
} sac_recurrent_step;
/* One word further: t->weights, t->open, and logits [R,V]. */
void sac_recurrent_decode_step(const sac_recurrent *layers, sac_pass *pass,
                               const sac_recurrent_step *step, sac_tensor seen, sac_tensor logits,
                               sac_recurrent_tensors *t);

#endif
