/* The losses of training: of words, attention supervision, and doubly stochastic regularisation. */
#ifndef SAC_NN_TRAINING_H
#define SAC_NN_TRAINING_H

#include "nn/pass.h"
#include "saccade.h"

/* Cross-entropy of softmax(logits[row,:]) with targets[row], times `scale`, which is 1 / words in
 * the batch; rows whose target is below 0 count nothing. logits [rows,vocabulary] becomes its own
 * gradient; losses [rows] is written. */
void sac_word_loss(sac_pass *pass, sac_tensor losses, sac_tensor logits, sac_ints targets,
                   float scale);
/* The same with label smoothing (Szegedy et al. 2016): the target has the probability 1 − ε + ε/V
 * and every other word ε/V, ε being `smoothing`. */
void sac_smoothed_word_loss(sac_pass *pass, sac_tensor losses, sac_tensor logits, sac_ints targets,
                            float scale, float smoothing);
/* A policy: softmax(logits / temperature) over all words but those of the first 32 whose bit of
 * `barred` is set. */
typedef struct sac_policy {
    float temperature; /* above 0 */
    uint32_t barred;
} sac_policy;
/* losses [rows] = −factor · log policy(target), factors [rows] each row's own, as the gradient of an
 * expected reward has them (Williams 1992); logits become the gradient of their sum. Rows whose
 * target is below 0 count nothing. */
void sac_policy_loss(sac_pass *pass, const sac_policy *policy, sac_tensor losses, sac_tensor logits,
                     sac_ints targets, sac_tensor factors);

/* Words [rows] drawn by a policy: each is a function of the key, its row and the step alone. */
typedef struct sac_word_draw {
    sac_policy policy;
    size_t sampled; /* the rows from here on take the most probable word */
    uint32_t key;
    int end, pad; /* after these two comes `pad` */
} sac_word_draw;
/* `before` [rows]: the words of the step before. The logits are overwritten. */
void sac_draw_words(sac_pass *pass, const sac_word_draw *draw, size_t step, sac_tensor logits,
                    sac_ints before, sac_ints words);
/* The sum of losses that were read; added in double. */
float sac_loss_sum(const float *losses, size_t count);

/* The attention over a whole sentence, α [T,B,N]:
 *   doubly stochastic (Xu et al. 2015, eq. 14): doubly_stochastic_weight · mean over B and N of
 * (1 − Σ_t α)², the sum over the steps t < lengths[b]; supervised (Liu et al. 2017, "Attention
 * correctness"): supervision_weight / named · Σ over steps with object_of_word[t,b] ≥ 0 of
 * −log Σ_n α[t,b,n] cover[b,object,n], cover: the share of the cell inside the object's box. With scores e, of which α is
 * the softmax, that is L(e) − L(e + log cover), L the log-sum-exp. Weights of another normaliser may be 0 in the whole box:
 * the loss is then the same difference of what that normaliser has for L, max over p of Σ p e + its entropy of p (Blondel, Martins and Niculae 2020), and its gradient by the scores, α less the weights that e + log cover would get,
 * leads into the box from anywhere. An object without a cell counts nothing. */
typedef struct sac_attention_loss {
    sac_normalizer normalizer;           /* of the weights */
    size_t steps, batch, cells, objects; /* T, B, N; cover is [B,objects,N] */
    float doubly_stochastic_weight;      /* λ of the doubly stochastic term */
    float supervision_weight;            /* λ of the supervision … */
    size_t named;                        /* … which is a mean over so many (t,b) */
} sac_attention_loss;
typedef struct sac_attention_truth {
    sac_ints lengths;        /* [B] */
    sac_ints object_of_word; /* [T,B] */
    sac_tensor cover;        /* [B,objects,N] */
} sac_attention_truth;
typedef struct sac_attention_loss_tensors {
    sac_tensor weights, scores; /* [T,B,N], read */
    sac_tensor dweights,
        dscores; /* [T,B,N], written: of the doubly stochastic loss and of the supervised one */
    sac_tensor losses; /* [2,B], written: the same */
} sac_attention_loss_tensors;
void sac_attention_loss_run(sac_pass *pass, const sac_attention_loss *loss,
                            const sac_attention_loss_tensors *tensors,
                            const sac_attention_truth *truth);

/* Dropout (Srivastava et al. 2014) of activations: D x, where D is 0 with probability p and else
 * 1/(1 − p). Which numbers are dropped is a function of the key and their place alone, so that
 * backward drops what forward dropped and nothing is kept. */
typedef struct sac_dropout {
    float p;      /* 0: nothing is dropped */
    uint32_t key; /* every use in a pass takes another */
} sac_dropout;
/* The dropout of use number `use` of a pass whose seed is `seed`. */
sac_dropout sac_dropout_of(float p, uint64_t seed, uint32_t use);

/* y = D x, and with the same D the gradient: dx = D dy. y may be x. */
void sac_dropout_run(sac_pass *pass, const sac_dropout *dropout, sac_tensor y, sac_tensor x);
/* sum = x + D y. `sum` may be x or y. */
void sac_dropout_add(sac_pass *pass, const sac_dropout *dropout, sac_tensor sum, sac_tensor x,
                     sac_tensor y);

#endif
