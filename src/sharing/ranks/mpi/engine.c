/* The engine that shares work by MPI. Transfers that are larger than MPI counts go in pieces. */
#include "sharing/ranks/engine.h"

#include <mpi.h>
#include <stdlib.h>

#define PIECE ((size_t)1 << 30)

typedef struct transfer {
    int count;
    MPI_Request requests[]; /* [count] */
} transfer;

static transfer *create_transfer(size_t size, size_t piece)
{
    size_t count = (size + piece - 1) / piece;
    transfer *made = malloc(sizeof *made + count * sizeof *made->requests);
    if (!made)
        return NULL;
    made->count = (int)count;
    for (size_t i = 0; i < count; i++)
        made->requests[i] = MPI_REQUEST_NULL;
    return made;
}

static int piece_size(size_t total, int i, size_t piece)
{
    size_t left = total - (size_t)i * piece;
    return (int)(left < piece ? left : piece);
}

static bool join(int *me, int *count)
{
    int given;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS)
        return false;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    return MPI_Comm_rank(MPI_COMM_WORLD, me) == MPI_SUCCESS &&
           MPI_Comm_size(MPI_COMM_WORLD, count) == MPI_SUCCESS;
}

/* A transfer that began only in part keeps that part: its end reports the failure. */
static void *send_bytes(int to, const void *bytes, size_t size)
{
    transfer *made = create_transfer(size, PIECE);
    for (int i = 0; made && i < made->count; i++)
        if (MPI_Isend((const char *)bytes + (size_t)i * PIECE, piece_size(size, i, PIECE), MPI_BYTE,
                      to, 0, MPI_COMM_WORLD, &made->requests[i]) != MPI_SUCCESS)
            return NULL;
    return made;
}

static void *receive_bytes(int from, void *bytes, size_t size)
{
    transfer *made = create_transfer(size, PIECE);
    for (int i = 0; made && i < made->count; i++)
        if (MPI_Irecv((char *)bytes + (size_t)i * PIECE, piece_size(size, i, PIECE), MPI_BYTE, from,
                      0, MPI_COMM_WORLD, &made->requests[i]) != MPI_SUCCESS)
            return NULL;
    return made;
}

static void *sum(float *numbers, size_t count)
{
    transfer *made = create_transfer(count, PIECE);
    for (int i = 0; made && i < made->count; i++)
        if (MPI_Iallreduce(MPI_IN_PLACE, numbers + (size_t)i * PIECE, piece_size(count, i, PIECE),
                           MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &made->requests[i]) != MPI_SUCCESS)
            return NULL;
    return made;
}

static void *share(const void *mine, void *all, size_t size)
{
    transfer *made = create_transfer(1, 1);
    if (made && MPI_Iallgather(mine, (int)size, MPI_BYTE, all, (int)size, MPI_BYTE, MPI_COMM_WORLD,
                               &made->requests[0]) != MPI_SUCCESS)
        return NULL;
    return made;
}

static bool poll_transfer(void *handle, bool *failed)
{
    int done = 0;
    transfer *t = handle;
    *failed = MPI_Testall(t->count, t->requests, &done, MPI_STATUSES_IGNORE) != MPI_SUCCESS;
    if (done || *failed)
        free(t);
    return done || *failed;
}

static void leave(void)
{
    MPI_Finalize();
}

__attribute__((visibility("default"))) const sac_ranks_engine *sac_ranks_engine_get(void)
{
    static const sac_ranks_engine engine = {.version = SAC_RANKS_ENGINE_VERSION,
                                            .join = join,
                                            .send = send_bytes,
                                            .receive = receive_bytes,
                                            .sum = sum,
                                            .share = share,
                                            .ended = poll_transfer,
                                            .leave = leave};
    return &engine;
}
