/* Batches of training samples, made ahead on a thread of their own while the device works on the
 * one before. */
#ifndef SAC_MODELS_BATCHES_H
#define SAC_MODELS_BATCHES_H

#include <stddef.h>

#include "saccade.h"

enum { SAC_BATCH_SLOTS = 2 }; /* one in use, one being made */

/* Makes batches of one kind, in places of its own. */
typedef struct sac_batch_maker {
    void *self;
    /* Makes batch `number`, which depends on that number alone, in place `slot` and lends it until
     * that slot is used again. NULL where it fails. On any thread, one call at a time. */
    const void *(*make)(void *self, size_t number, int slot, sac_error *error);
    void (*destroy)(void *self); /* takes NULL */
} sac_batch_maker;

/* The samples of each batch that this process learns from where several share a training: `first`,
 * first + step, … of all; zeroed: all of them. */
typedef struct sac_batch_share {
    size_t first, step;
} sac_batch_share;
/* Of a batch of `whole` samples. */
size_t sac_batch_share_size(sac_batch_share share, size_t whole);
/* The place in the whole of the share's sample `index`. */
size_t sac_batch_share_place(sac_batch_share share, size_t index);

/* What the losses of a share are means over: samples, words, and words with a place to look at of the
 * whole batch. The shares' losses and gradients add up to those of the whole then. Zeroed: a batch
 * is all there is. */
typedef struct sac_batch_whole {
    size_t samples, words, named;
} sac_batch_whole;

typedef struct sac_batches sac_batches;
/* Takes the maker over, also where it fails, and begins to make batch `first`. */
sac_status sac_batches_open(const sac_batch_maker *maker, size_t first, sac_batches **batches,
                            sac_error *error);
/* Waits for the next batch. Lent until the next call; NULL where it could not be made. */
const void *sac_batches_next(sac_batches *batches, sac_error *error);
void sac_batches_close(sac_batches *batches); /* takes NULL */

/* Work on the host that several threads share. */

/* Calls `work` once for each index below `count`, in any order, on as many threads as the machine
 * has processors, this one among them. Returns when all are done. */
void sac_parallel(size_t count, void (*work)(void *user, size_t index), void *user);

#endif
