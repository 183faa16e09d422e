/* What sharing work with other processes takes of what connects them: a handful of calls, none of which
 * waits. For the devices of one machine that is memory (local.h). For MPI it is a module of its own, which
 * is loaded where a launcher such as mpirun started the program: nothing else is linked with MPI. */
#ifndef SAC_SHARING_RANKS_ENGINE_H
#define SAC_SHARING_RANKS_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

enum { SAC_RANKS_ENGINE_VERSION = 2 };

typedef enum sac_ranks_taken { SAC_RANKS_NONE, SAC_RANKS_TAKEN, SAC_RANKS_LATER } sac_ranks_taken;

typedef struct sac_ranks_engine {
    int version;
    /* Joins the other processes. False where that fails. */
    bool (*join)(int *me, int *count);
    /* Each begins a transfer and gives a handle of it, NULL where it cannot begin. The bytes to send or
     * receive stay in place until `ended` returns true. An engine may have no `send` and `receive`,
     * which only the ring needs. */
    void *(*send)(int to, const void *bytes, size_t size);
    void *(*receive)(int from, void *bytes, size_t size);
    /* Every process gives `count` numbers and gets the sums of all. */
    void *(*sum)(float *numbers, size_t count);
    /* What each process gives, `size` bytes, to all, in the order of the processes. */
    void *(*share)(const void *mine, void *all, size_t size);
    /* Whether a transfer is over; its handle is freed then. It moves all transfers on. */
    bool (*ended)(void *handle, bool *failed);
    /* Parts from the others, who do so too. */
    void (*leave)(void);

    /* What engines may have, or NULL. */
    /* Whether a process has ended that others wait for, and which. */
    bool (*is_lost)(int *process);
    /* The next item of a list that is not taken; items count on from list to list, and `end` is the first
     * of the next. Later: a process at work may still hand one back. NULL: every process has its own part. */
    sac_ranks_taken (*take)(size_t end, size_t *item);
    /* Of an item that was taken: it is done, or handed back. */
    void (*give)(size_t item, bool is_done);
    /* This process can do no more; false where no other can. */
    bool (*give_up)(void);
    /* Has the others stop, and parts from them. */
    void (*abandon)(void);
} sac_ranks_engine;

/* The one function that the module shows. */
const sac_ranks_engine *sac_ranks_engine_get(void);
#define SAC_RANKS_ENGINE_SYMBOL "sac_ranks_engine_get"
typedef const sac_ranks_engine *(*sac_ranks_engine_getter)(void);

#endif
