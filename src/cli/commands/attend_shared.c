/* One attention by several processes, and its results out of all of them into one file. */
#include "cli/commands/attend_shared.h"

#include <string.h>

#include "arrays/arrays.h"
#include "attention/spec/resolve.h"
#include "base/clock.h"
#include "base/error.h"
#include "cli/cli.h"
#include "device/device.h"
#include "saccade_arrays.h"
#include "sharing/attention/ring.h"
#include "sharing/ranks/gather.h"
#include "sharing/ranks/ranks.h"

enum { MOST_PROCESSES = 1024 };

/* Output and log-sum-exp, or the second alone. */
typedef struct results {
    sac_array own[2][2]; /* [result][piece of this process], in the file's order of axes */
    sac_array forms[2];  /* of the whole */
    sac_gathered all[2];
    sac_gathered_piece pieces[2][2 * MOST_PROCESSES];
} results;

/* A result of the whole: its form, the axis of the queries, and where its pieces lie. */
static void gather(results *r, int result, int axis, size_t queries)
{
    int processes = sac_ranks_count(), me = sac_ranks_me();
    sac_array *form = &r->forms[result];
    sac_gathered *all = &r->all[result];
    *form = r->own[result][0];
    form->data = NULL;
    form->shape[axis] = queries;
    *all = (sac_gathered){.before = 1,
                          .item_bytes = sizeof(float),
                          .pieces = r->pieces[result],
                          .count = 2 * processes};
    for (int i = 0; i < axis; i++)
        all->before *= form->shape[i];
    for (int i = axis + 1; i < form->rank; i++)
        all->item_bytes *= form->shape[i];
    for (int i = 0; i < all->count; i++) {
        int owner = sac_ring_owner(processes, i);
        r->pieces[result][i] =
            (sac_gathered_piece){.owner = owner,
                                 .count = sac_ring_piece(queries, processes, i).count,
                                 .data = owner == me ? r->own[result][i >= processes].data : NULL};
    }
}

/* The results of the ring as arrays, in the file's order of axes: log-sum-exp lent from it, output copied. */
static sac_status take(const sac_attention_file *file, sac_ring *ring, results *r, sac_error *error)
{
    const sac_attention_shape *s = &file->shape;
    sac_status status = SAC_OK;
    int lse = file->input.value ? 1 : 0;
    for (int piece = 0; piece < 2 && status == SAC_OK; piece++) {
        size_t rows = ring->queries[piece].count, shape[SAC_MAX_RANK];
        sac_array *output = &r->own[0][piece];
        r->own[lse][piece] = sac_array_view(SAC_F32, 3, (size_t[]){s->batch, s->heads, rows},
                                            ring->results[piece].lse);
        if (!lse)
            continue;
        memcpy(shape, s->output_shape, sizeof s->output_shape);
        shape[s->output_rank - 2] = rows;
        status = sac_array_create(SAC_F32, s->output_rank, shape, output, error);
        if (status != SAC_OK)
            break;
        memcpy(output->data, ring->results[piece].output, sac_array_count(output) * sizeof(float));
        status = sac_vectors_restore(output, file->axes, error);
    }
    if (status != SAC_OK)
        return status;
    if (lse) { /* without the packed axis, which outputs have not */
        sac_vector_axes axes;
        sac_vector_axes_unpack(file->axes, axes);
        gather(r, 0, (int)(strchr(axes, 'T') - axes), s->queries);
    }
    gather(r, lse, 2, s->queries);
    return SAC_OK;
}

static sac_status next(void *user, void *bytes, size_t size, sac_error *error)
{
    return sac_gathered_next(user, bytes, size, error);
}

/* Process 0 writes what the others send. */
static sac_status save(const char *path, results *r, int count, sac_error *error)
{
    static const char *const names[] = {"output", "lse"};
    sac_named_array arrays[2];
    sac_array_stream streams[2];
    sac_status status = SAC_OK;
    for (int i = 0; i < count; i++) {
        arrays[i] = (sac_named_array){names[i + 2 - count], &r->forms[i]};
        streams[i] = (sac_array_stream){next, &r->all[i]};
    }
    if (sac_ranks_me() == 0)
        status = sac_npz_save_streams(path, arrays, streams, (size_t)count, error);
    for (int i = 0; i < count; i++)
        if (sac_ranks_me() == 0)
            sac_gathered_end(&r->all[i]);
        else if (status == SAC_OK)
            status = sac_gathered_serve(&r->all[i], error);
    return sac_ranks_agree(status, error);
}

/* What each process measured, as one. */
static sac_status measure(const sac_ring *ring, cli_shared *shared, sac_error *error)
{
    double mine[] = {ring->computed_s + ring->waited_s, ring->waited_s, ring->sent};
    double all[3 * MOST_PROCESSES];
    sac_status status = sac_ranks_share(mine, all, sizeof mine, error);
    for (int i = 0; status == SAC_OK && i < sac_ranks_count(); i++) {
        if (all[3 * i] > shared->seconds) {
            shared->seconds = all[3 * i];
            shared->waited_s = all[3 * i + 1];
        }
        shared->sent += all[3 * i + 2];
    }
    return status;
}

sac_status cli_attend_shared(const char *device_name, const sac_attention_file *file,
                             const char *path, const sac_progress *progress, cli_shared *shared,
                             sac_error *error)
{
    static results r; /* too large for a stack */
    sac_ring ring = {0};
    sac_device *device = NULL;
    sac_status status = sac_ranks_count() <= MOST_PROCESSES
                            ? sac_device_open(cli_own_device(device_name), &device, error)
                            : sac_fail(error, SAC_E_ARGUMENT, "processes", NULL,
                                       "%d are more than %d", sac_ranks_count(), MOST_PROCESSES);
    status = sac_ranks_agree(status, error);
    if (status == SAC_OK) {
        sac_device_short_name(sac_device_get_info(device), shared->device, sizeof shared->device);
        status =
            sac_ring_run(device, &file->spec, &file->input, &file->shape, &ring, progress, error);
        cli_progress_clear();
        status = sac_ranks_agree(status, error);
    }
    if (status == SAC_OK)
        status = measure(&ring, shared, error);
    if (status == SAC_OK)
        status = sac_ranks_agree(take(file, &ring, &r, error), error);
    if (status == SAC_OK)
        status = save(path, &r, file->input.value ? 2 : 1, error);
    shared->variant = ring.variant;
    if (file->input.value) {
        shared->output = r.forms[0];
        for (int piece = 0; piece < 2; piece++)
            sac_array_free(&r.own[0][piece]);
    }
    sac_ring_free(&ring);
    sac_device_close(device);
    return status;
}
