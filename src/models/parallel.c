/* Each thread takes the next index until there is none. */
#include "models/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { THREADS = 64 };

typedef struct shared {
    void (*work)(void *user, size_t index);
    void *user;
    size_t count;
    atomic_size_t next;
} shared;

static void *take(void *self)
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
    while (begun + 1 < wanted && pthread_create(&threads[begun], NULL, take, &s) == 0)
        begun++;
    take(&s);
    for (size_t i = 0; i < begun; i++)
        pthread_join(threads[i], NULL);
}
