/* Tokens with which the layers of a decoder go on, one for each row of a beam at a time. Keys and values of earlier
 * tokens stay on the device. They may begin with those of a prefix: a text, a prompt with a picture in it, a picture; and
 * there may be a memory beside them, which was encoded and is attended to. All of it under the lock of the device. */
#ifndef SAC_ARCHITECTURES_INFERENCE_DECODING_H
#define SAC_ARCHITECTURES_INFERENCE_DECODING_H

#include "architectures/architecture.h"
#include "attention/attention.h"
#include "generate/beam.h"
#include "nn/attention/beam_cache.h"
#include "nn/attention/held.h"

/* The keys and values of a memory in each layer, all of them lent. */
typedef struct sac_decoding_memory {
    const sac_tensor *key, *value;  /* [layers] of [S,D] */
    struct sac_laid_out **laid_out; /* [layers]: both, as attention reads them */
    cl_mem hidden;                  /* bytes [S], 1: not looked at; NULL: all is */
} sac_decoding_memory;

typedef struct sac_decoding {
    /* Set by the caller, all of it lent: */
    sac_pretrained_model *m;
    const sac_inference *prefix;       /* NULL: nothing stands before */
    const sac_decoding_memory *memory; /* NULL: there is none */
    size_t longest;                    /* tokens behind the prefix, at most */
    size_t next;                       /* the place of the first of them */
    bool starts;       /* the beam's start is one of them, and not the last of the prefix */
    const int *before; /* [before_count]: tokens that stand before the start */
    size_t before_count;
    const uint8_t *hides; /* [prefix->count], 1: a key that is not seen; NULL: all are */
    bool keeps_queries;   /* of one row */
    const float *scale
        [2]; /* [L,H] what heads of SAC_PART_SELF and SAC_PART_CROSS give is multiplied by; NULL: by 1 */
    float temperature; /* of the scores to the memory, or else of all; 0: 1 */
    const sac_held
        *held; /* [layers], of the memory's values, or else of the prefix's; NULL: none is held … */
    size_t held_from; /* … until the run with this number */
    bool again;       /* the last of the prefix is run again, for what it predicts is held too */
    /* The rest is found by the steps. */
    sac_arena arena;
    sac_beam_cache cache; /* of several rows, or beside a memory; else these: */
    sac_tensor key[SAC_ARCHITECTURE_LAYERS], value[SAC_ARCHITECTURE_LAYERS]; /* [all,D or Hk·d] */
    sac_tensor query
        [SAC_ARCHITECTURE_LAYERS]; /* [longest + 1,H·d]: of the prefix's last token and of those behind
                                                  it; empty: they are not kept */
    sac_laid_out *laid_out[SAC_ARCHITECTURE_LAYERS]; /* keys and values, as attention reads them */
    sac_state_memory *kept
        [2]; /* of each layer that keeps a state: of the sentences in one of the two, and of those that go on in the other; owned */
    int side;         /* which is the one */
    size_t kept_rows; /* sentences in it */
    sac_ints parents; /* [R] of these, of a model with state spaces */
    sac_delta_tensors net;
    size_t rows, count;                   /* of the beam; tokens of each, now */
    size_t runs;                          /* so far */
    sac_ints tokens, places;              /* [R] */
    sac_byte_tensor hidden;               /* [R·all] */
    sac_position_ids placing;             /* of a step */
    sac_tensor x, normed, narrow, logits; /* [R,D], [R,D], [R,E], [R,V] */
    sac_tensor left; /* [R,D]: what left the last layer, normed, in the last step */
    sac_transformer_tensors own;
} sac_decoding;

/* Goes back to the prefix, for a beam of so many rows at most. */
void sac_decoding_begin(sac_decoding *decoding, size_t rows);
/* One token further, of each row: row r goes on from row parents[r]. logits [R,V]; NULL: they are not wanted. */
void sac_decoding_run_tokens(sac_decoding *decoding, const int *tokens, const int *parents,
                             int rows, float *logits);
/* The logits [R,V] after the last token of each row; at the first step it goes back to the prefix. */
void sac_decoding_step(sac_decoding *decoding, const sac_beam *beam, float *logits);
void sac_decoding_end(sac_decoding *decoding); /* takes a zeroed one; what is lent stays */

#endif
