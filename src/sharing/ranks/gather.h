/* An array whose pieces along one axis lie in several processes, as process 0 writes it: piece by piece
 * in the order of the whole, so that a process holds at most one piece of another. */
#ifndef SAC_SHARING_RANKS_GATHER_H
#define SAC_SHARING_RANKS_GATHER_H

#include "saccade.h"

typedef struct sac_gathered_piece {
    int owner;        /* the process that has it */
    size_t count;     /* elements of the axis */
    const void *data; /* [before, count, …] where it is this process's; lent */
} sac_gathered_piece;

typedef struct sac_gathered {
    size_t before;                    /* product of the sizes before the axis */
    size_t item_bytes;                /* of all that stands behind one element of the axis */
    const sac_gathered_piece *pieces; /* [count], in the order of the axis; lent */
    int count;
    /* Where process 0 is. */
    size_t outer, done; /* bytes of the piece that are handed on */
    int piece;
    void *held; /* owned: one that came from elsewhere */
} sac_gathered;

/* What the others do: they send their pieces in order. */
sac_status sac_gathered_serve(const sac_gathered *array, sac_error *error);
/* What process 0 does: the next `size` bytes of the whole. */
sac_status sac_gathered_next(sac_gathered *array, void *bytes, size_t size, sac_error *error);
/* Receives what is left after a failure, so that no sender waits. Frees what is held. */
void sac_gathered_end(sac_gathered *array);

#endif
