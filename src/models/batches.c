/* Batches made ahead on a thread of their own. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "models/batches.h"

enum { SLOTS = SAC_BATCH_SLOTS };

struct sac_batches {
    sac_batch_maker maker;
    const void *slots[SLOTS];
    sac_error why[SLOTS]; /* where a slot is NULL */

    pthread_t thread;
    bool running;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* The lock's: batches counted from `first`; those given back leave their slots free. */
    size_t made, returned;
    bool closing;
    size_t first, taken; /* the caller's */
};

size_t sac_batch_share_size(sac_batch_share share, size_t whole)
{
    size_t step = share.step ? share.step : 1;
    return whole > share.first ? (whole - share.first + step - 1) / step : 0;
}

size_t sac_batch_share_place(sac_batch_share share, size_t index)
{
    return share.first + index * (share.step ? share.step : 1);
}

/* Waits until a slot is free; false when there is nothing more to make. */
static bool wait_for_slot(sac_batches *b)
{
    pthread_mutex_lock(&b->lock);
    while (!b->closing && b->made >= b->returned + SLOTS)
        pthread_cond_wait(&b->changed, &b->lock);
    bool go_on = !b->closing;
    pthread_mutex_unlock(&b->lock);
    return go_on;
}

static void *make_batches(void *self)
{
    sac_batches *b = self;
    for (size_t i = 0; wait_for_slot(b); i++) {
        size_t slot = i % SLOTS;
        b->slots[slot] = b->maker.make(b->maker.self, b->first + i, (int)slot, &b->why[slot]);
        pthread_mutex_lock(&b->lock);
        b->made++;
        pthread_cond_broadcast(&b->changed);
        pthread_mutex_unlock(&b->lock);
    }
    return NULL;
}

const void *sac_batches_next(sac_batches *b, sac_error *error)
{
    pthread_mutex_lock(&b->lock);
    b->returned = b->taken;
    pthread_cond_broadcast(&b->changed);
    while (b->made <= b->taken)
        pthread_cond_wait(&b->changed, &b->lock);
    pthread_mutex_unlock(&b->lock);
    size_t slot = b->taken++ % SLOTS;
    if (!b->slots[slot])
        (void)sac_error_pass(error, &b->why[slot], NULL);
    return b->slots[slot];
}

sac_status sac_batches_open(const sac_batch_maker *maker, size_t first, sac_batches **batches,
                            sac_error *error)
{
    *batches = NULL;
    sac_batches *b = calloc(1, sizeof *b);
    if (!b) {
        maker->destroy(maker->self);
        return sac_no_memory(error, "training");
    }
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    b->maker = *maker;
    b->first = first;
    b->running = pthread_create(&b->thread, NULL, make_batches, b) == 0;
    if (!b->running) {
        sac_batches_close(b);
        return sac_fail(error, SAC_E_MEMORY, "training", NULL, "no thread to make batches on");
    }
    *batches = b;
    return SAC_OK;
}

void sac_batches_close(sac_batches *b)
{
    if (!b)
        return;
    pthread_mutex_lock(&b->lock);
    b->closing = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    if (b->running)
        pthread_join(b->thread, NULL);
    b->maker.destroy(b->maker.self);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

/* ---------------------------------------------------------------- work on several threads */

enum { THREADS = 64 };

typedef struct shared {
    void (*work)(void *user, size_t index);
    void *user;
    size_t count;
    atomic_size_t next;
} shared;

static void *run_shared_items(void *self)
{
    shared *s = self;
    for (size_t i; (i = atomic_fetch_add(&s->next, 1)) < s->count;)
        s->work(s->user, i);
    return NULL;
}

void sac_parallel(size_t count, void (*work)(void *user, size_t index), void *user)
{
    shared s = {.work = work, .user = user, .count = count};
    pthread_t threads[THREADS];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = processors > THREADS ? THREADS : processors > 1 ? (size_t)processors : 1;
    size_t begun = 0;
    wanted = wanted < count ? wanted : count;
    while (begun + 1 < wanted && pthread_create(&threads[begun], NULL, run_shared_items, &s) == 0)
        begun++;
    run_shared_items(&s);
    for (size_t i = 0; i < begun; i++)
        pthread_join(threads[i], NULL);
}
