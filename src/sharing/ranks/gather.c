/* One process writes what several have. */
#include "sharing/ranks/gather.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sharing/ranks/ranks.h"

static size_t piece_bytes(const sac_gathered *a, int piece)
{
    return a->pieces[piece].count * a->item_bytes;
}

static const char *own_bytes(const sac_gathered *a, size_t outer, int piece)
{
    return (const char *)a->pieces[piece].data + outer * piece_bytes(a, piece);
}

sac_status sac_gathered_serve(const sac_gathered *a, sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t outer = 0; outer < a->before; outer++)
        for (int i = 0; i < a->count && status == SAC_OK; i++) {
            sac_ranks_transfer transfer;
            if (a->pieces[i].owner != sac_ranks_me())
                continue;
            status = sac_ranks_begin(&transfer, 0, own_bytes(a, outer, i), piece_bytes(a, i), 0,
                                     NULL, 0, error);
            if (status == SAC_OK)
                status = sac_ranks_end(&transfer, error);
        }
    return status;
}

/* The bytes of the piece where `a` is: this process's, or those that come now. */
static sac_status hold(sac_gathered *a, const char **bytes, sac_error *error)
{
    const sac_gathered_piece *piece = &a->pieces[a->piece];
    sac_ranks_transfer transfer;
    *bytes = piece->data ? own_bytes(a, a->outer, a->piece) : a->held;
    if (piece->data || a->held)
        return SAC_OK;
    a->held = malloc(piece_bytes(a, a->piece) + 1);
    if (!a->held)
        return sac_no_memory(error, "results");
    *bytes = a->held;
    sac_status status = sac_ranks_begin(&transfer, 0, NULL, 0, piece->owner, a->held,
                                        piece_bytes(a, a->piece), error);
    return status == SAC_OK ? sac_ranks_end(&transfer, error) : status;
}

/* On to the next piece. */
static void pass_on(sac_gathered *a)
{
    free(a->held);
    a->held = NULL;
    a->done = 0;
    if (++a->piece == a->count) {
        a->piece = 0;
        a->outer++;
    }
}

sac_status sac_gathered_next(sac_gathered *a, void *bytes, size_t size, sac_error *error)
{
    char *to = bytes;
    while (size) {
        const char *from;
        size_t left = piece_bytes(a, a->piece) - a->done, some = left < size ? left : size;
        sac_status status = left ? hold(a, &from, error) : SAC_OK;
        if (status != SAC_OK)
            return status;
        if (left)
            memcpy(to, from + a->done, some);
        to += some;
        size -= some;
        a->done += some;
        if (some == left)
            pass_on(a);
    }
    return SAC_OK;
}

void sac_gathered_end(sac_gathered *a)
{
    const char *from;
    while (a->outer < a->before && (!piece_bytes(a, a->piece) || hold(a, &from, NULL) == SAC_OK))
        pass_on(a);
    free(a->held);
    a->held = NULL;
}
