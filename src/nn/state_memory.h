/* What layers keep of the tokens of sentences so far, where that is a state, in place of keys and values (delta_net.h) or beside them
 * (state_space.h). */
#ifndef SAC_NN_STATE_MEMORY_H
#define SAC_NN_STATE_MEMORY_H

#include "nn/tensor.h"

typedef struct sac_state_memory {
    sac_tensor
        last[3]; /* of the last tokens, as they enter convolutions; as many as the layer has */
    sac_tensor state;
} sac_state_memory;

enum { SAC_STATE_TENSORS = 4 };
/* One after the other. */
static inline sac_tensor *sac_state_memory_tensor(sac_state_memory *memory, int i)
{
    return i < 3 ? &memory->last[i] : &memory->state;
}

#endif
