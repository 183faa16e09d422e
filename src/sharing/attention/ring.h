/* Attention that the processes of one run share (Liu, Zaharia and Abbeel, "Ring Attention with
 * Blockwise Transformers", arXiv 2310.01889): the queries stay where they are, keys and values go
 * round, and what each block of keys gives is merged by its log-sum-exp. While a process computes with
 * one block, the next one comes.
 *
 * Queries and keys are cut into 2n pieces of neighbours for n processes. Process r has the pieces r and
 * 2n − 1 − r, so that with a causal mask each has as much to compute as any other, and reads whole
 * pages of a mapped file. */
#ifndef SAC_SHARING_ATTENTION_RING_H
#define SAC_SHARING_ATTENTION_RING_H

#include "sharing/attention/rectangle.h"

/* What one process has of an attention, and what it computed. */
typedef struct sac_ring {
    sac_range queries[2];
    sac_partial results[2];      /* of these queries; owned */
    sac_variant variant;         /* of the kernels that computed the last of them */
    double computed_s, waited_s; /* for keys and values that had not come yet */
    double sent;                 /* bytes */
} sac_ring;

/* Piece `piece` of 2 · processes of `total` queries or keys, and the process that has it. */
sac_range sac_ring_piece(size_t total, int processes, int piece);
int sac_ring_owner(int processes, int piece);

/* Computes this process's part on `device`. All processes call it with the same attention; the numbers
 * of vectors need be readable, and are checked, only where they belong to this process. One that fails
 * goes on handing keys round and returns its failure then: sac_ranks_agree shares it with the others. Free
 * *ring in any case. */
sac_status sac_ring_run(sac_device *device, const sac_attention_spec *spec,
                        const sac_attention_input *input, const sac_attention_shape *shape,
                        sac_ring *ring, const sac_progress *progress, sac_error *error);
void sac_ring_free(sac_ring *ring);

#endif
