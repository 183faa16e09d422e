#include "device/pages.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/round.h"

#define MOST_KEPT ((size_t)256 << 20) /* bytes */

struct sac_pages {
    void *memory;
    size_t bytes;
    sac_pages *next; /* of those that are kept, latest first */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sac_pages *kept;
static size_t kept_bytes;

/* The kept one that wastes least, and at most a fifth of itself. */
static sac_pages *take_kept(size_t bytes)
{
    sac_pages **best = NULL;
    for (sac_pages **p = &kept; *p; p = &(*p)->next)
        if ((*p)->bytes >= bytes && (*p)->bytes - bytes <= (*p)->bytes / 5 &&
            (!best || (*p)->bytes < (*best)->bytes))
            best = p;
    sac_pages *pages = best ? *best : NULL;
    if (pages) {
        *best = pages->next;
        kept_bytes -= pages->bytes;
    }
    return pages;
}

static sac_pages *create(size_t bytes)
{
    sac_pages *pages = NULL;
#ifdef MADV_HUGEPAGE
    void *memory = aligned_alloc(SAC_LARGE_PAGE, sac_round_up(bytes, SAC_LARGE_PAGE));
    if (!memory)
        return NULL;
    /* The rest has small pages: most of a large one would be wasted. */
    madvise(memory, bytes / SAC_LARGE_PAGE * SAC_LARGE_PAGE, MADV_HUGEPAGE);
    pages = malloc(sizeof *pages);
    if (pages)
        *pages = (sac_pages){.memory = memory, .bytes = bytes};
    else
        free(memory);
#endif
    return pages;
}

sac_pages *sac_pages_take(size_t bytes)
{
    if (bytes < SAC_LARGE_PAGE)
        return NULL;
    pthread_mutex_lock(&lock);
    sac_pages *pages = take_kept(bytes);
    pthread_mutex_unlock(&lock);
    return pages ? pages : create(bytes);
}

void *sac_pages_memory(const sac_pages *pages)
{
    return pages->memory;
}

static void destroy(sac_pages *pages)
{
    free(pages->memory);
    free(pages);
}

void sac_pages_return(sac_pages *pages)
{
    pthread_mutex_lock(&lock);
    pages->next = kept;
    kept = pages;
    kept_bytes += pages->bytes;
    while (kept_bytes > MOST_KEPT) {
        sac_pages **oldest = &kept;
        while ((*oldest)->next)
            oldest = &(*oldest)->next;
        kept_bytes -= (*oldest)->bytes;
        destroy(*oldest);
        *oldest = NULL;
    }
    pthread_mutex_unlock(&lock);
}
