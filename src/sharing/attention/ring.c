/* Keys and values go round. */
#include "sharing/attention/ring.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/bytes.h"
#include "attention/spec/resolve.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/round.h"
#include "sharing/ranks/ranks.h"

enum { ALIGNMENT = 64 };

sac_range sac_ring_piece(size_t total, int processes, int piece)
{
    size_t pieces = 2 * (size_t)processes, p = (size_t)piece;
    size_t each = total / pieces, longer = total % pieces; /* the first ones have one more */
    size_t first = p * each + (p < longer ? p : longer);
    return (sac_range){first, each + (p < longer)};
}

int sac_ring_owner(int processes, int piece)
{
    return piece < processes ? piece : 2 * processes - 1 - piece;
}

static int piece_number(int processes, int owner, int which)
{
    return which ? 2 * processes - 1 - owner : owner;
}

/* ---------------------------------------------------------------- a block of keys and values */

/* The keys and values of one process: of its first piece, then of its second. */
typedef struct block {
    char *bytes; /* owned */
    size_t size;
    sac_range keys[2];
    sac_array key[2], value[2]; /* lend from `bytes`; value.rank 0: there are none */
} block;

/* Takes from *offset what vectors of that span need, as a view on `bytes` (NULL: only counts). */
static sac_array lay_out_vectors(const sac_array *whole, sac_range span, char *bytes,
                                 size_t *offset)
{
    size_t shape[SAC_MAX_RANK];
    memcpy(shape, whole->shape, sizeof shape);
    shape[whole->rank - 2] = span.count;
    sac_array view =
        sac_array_view(whole->dtype, whole->rank, shape, bytes ? bytes + *offset : NULL);
    *offset += sac_round_up(sac_array_count(&view) * sac_dtype_size(whole->dtype), ALIGNMENT);
    return view;
}

/* Gives the block the form of `owner`'s, in its room. */
static void shape_block(const sac_attention_input *input, size_t keys, int owner, block *b)
{
    int processes = sac_ranks_count();
    b->size = 0;
    for (int i = 0; i < 2; i++) {
        b->keys[i] = sac_ring_piece(keys, processes, piece_number(processes, owner, i));
        b->key[i] = lay_out_vectors(input->key, b->keys[i], b->bytes, &b->size);
        b->value[i] = (sac_array){0};
        if (input->value)
            b->value[i] = lay_out_vectors(input->value, b->keys[i], b->bytes, &b->size);
    }
}

/* Room for the block of any process. */
static sac_status create_block(const sac_attention_input *input, size_t keys, block *b,
                               sac_error *error)
{
    size_t most = 0;
    *b = (block){0};
    for (int owner = 0; owner < sac_ranks_count(); owner++) {
        shape_block(input, keys, owner, b);
        most = b->size > most ? b->size : most;
    }
    b->bytes = malloc(most + 1);
    return b->bytes ? SAC_OK : sac_no_memory(error, "keys and values");
}

/* ---------------------------------------------------------------- computing with one block */

typedef struct run {
    sac_device *device;
    const sac_attention_spec *spec;
    const sac_attention_input *input;
    const sac_attention_shape *shape;
    sac_ring *ring;
    sac_array query[2];          /* owned: of this process */
    sac_partial more;            /* owned: of one rectangle */
    sac_ranks_transfer transfer; /* of the next block */
    const sac_progress *progress;
    int done; /* rectangles, of 4 for each process */
} run;

static size_t rows_of(const sac_attention_shape *s, sac_range queries)
{
    return s->batch * s->heads * queries.count;
}

/* Between launches of kernels the next block moves on. */
static bool step(void *user, double done)
{
    run *r = user;
    sac_ranks_poll_transfer(&r->transfer);
    double all = 4.0 * sac_ranks_count();
    return !r->progress || !r->progress->step ||
           r->progress->step(r->progress->user, (r->done + done) / all);
}

/* One of this process's pieces of queries with one piece of a block, added to the results. */
static sac_status compute_rectangle(run *r, int mine, const block *b, int theirs, bool is_own,
                                    sac_error *error)
{
    sac_ring *ring = r->ring;
    sac_range queries = ring->queries[mine], keys = b->keys[theirs];
    bool with_sinks = is_own && theirs == 0; /* they count once, whatever keys are hidden */
    if (!queries.count ||
        (!with_sinks && sac_rectangle_is_hidden(r->spec, r->shape, queries, keys)))
        return SAC_OK;
    if (!keys.count)
        return SAC_OK;
    sac_rectangle part;
    sac_attention *attention = NULL;
    const sac_array *value = r->input->value ? &b->value[theirs] : NULL;
    sac_progress progress = {step, r};
    sac_status status =
        sac_rectangle_make(r->spec, r->input, r->shape, queries, keys, &r->query[mine],
                           &b->key[theirs], value, with_sinks, &part, error);
    if (status == SAC_OK)
        status = sac_attention_create(r->device, &part.spec, &part.input, &attention, error);
    if (status == SAC_OK) {
        sac_attention_output output = {r->more.output, r->more.lse, NULL};
        status = sac_attention_run(attention, &output, &progress, error);
    }
    if (status == SAC_OK) {
        ring->variant = sac_attention_get_variant(attention);
        sac_partial_merge(r->shape, queries.count, sac_attention_is_split(r->input),
                          &ring->results[mine], &r->more);
    } else {
        char where[96];
        snprintf(where, sizeof where, "queries %zu to %zu with keys %zu to %zu", queries.first,
                 queries.first + queries.count - 1, keys.first, keys.first + keys.count - 1);
        sac_error_within(error, status, where);
    }
    sac_attention_destroy(attention);
    sac_rectangle_free(&part);
    return status;
}

/* ---------------------------------------------------------------- the ring */

static sac_status create_results(run *r, sac_error *error)
{
    const sac_attention_shape *s = r->shape;
    size_t longest = rows_of(s, r->ring->queries[0]), dim = r->input->value ? s->value_dim : 0;
    bool whole = true;
    for (int i = 0; i < 3; i++) { /* the results of both pieces, and one rectangle's */
        size_t rows = i < 2 ? rows_of(s, r->ring->queries[i]) : longest;
        sac_partial *p = i < 2 ? &r->ring->results[i] : &r->more;
        whole &= (p->lse = malloc((rows + 1) * sizeof *p->lse)) != NULL;
        if (dim)
            whole &= (p->output = calloc(rows * dim + 1, sizeof *p->output)) != NULL;
        for (size_t row = 0; whole && row < rows; row++)
            p->lse[row] = -INFINITY; /* no key yet */
    }
    return whole ? SAC_OK : sac_no_memory(error, "results");
}

/* Hands the blocks round. A failure to compute keeps for the end, one of the exchange ends it. */
static sac_status rotate_blocks(run *r, block blocks[2], sac_error *error)
{
    int me = sac_ranks_me(), count = sac_ranks_count();
    sac_status computed = SAC_OK, passed = SAC_OK;
    for (int turn = 0; turn < count && passed == SAC_OK && computed != SAC_E_CANCELLED; turn++) {
        block *here = &blocks[turn % 2], *next = &blocks[1 - turn % 2];
        bool goes_on = turn + 1 < count;
        if (goes_on) {
            shape_block(r->input, r->shape->keys, (me - turn - 1 + count) % count, next);
            passed = sac_ranks_begin(&r->transfer, (me + 1) % count, here->bytes, here->size,
                                     (me - 1 + count) % count, next->bytes, next->size, error);
            r->ring->sent += (double)here->size;
        }
        double start = sac_now();
        if (passed == SAC_OK && computed == SAC_OK) {
            sac_status status = SAC_OK;
            for (int mine = 0; mine < 2; mine++)
                for (int theirs = 0; theirs < 2; theirs++, r->done++)
                    if (status == SAC_OK)
                        status = compute_rectangle(r, mine, here, theirs, (turn == 0), error);
            computed = status;
        }
        double middle = sac_now();
        r->ring->computed_s += middle - start;
        if (goes_on && passed == SAC_OK)
            passed = sac_ranks_end(&r->transfer, computed == SAC_OK ? error : NULL);
        r->ring->waited_s += sac_now() - middle;
    }
    return computed != SAC_OK ? computed : passed;
}

sac_status sac_ring_run(sac_device *device, const sac_attention_spec *spec,
                        const sac_attention_input *input, const sac_attention_shape *shape,
                        sac_ring *ring, const sac_progress *progress, sac_error *error)
{
    int me = sac_ranks_me(), count = sac_ranks_count();
    run r = {.device = device,
             .spec = spec,
             .input = input,
             .shape = shape,
             .ring = ring,
             .progress = progress};
    block blocks[2] = {{0}};
    *ring = (sac_ring){0};
    for (int i = 0; i < 2; i++)
        ring->queries[i] = sac_ring_piece(shape->queries, count, piece_number(count, me, i));
    sac_status status = sac_rectangles_check(spec, input, error);
    for (int i = 0; i < 2 && status == SAC_OK; i++)
        status = sac_vectors_cut(input->query, ring->queries[i], &r.query[i], error);
    for (int i = 0; i < 2 && status == SAC_OK; i++)
        status = create_block(input, shape->keys, &blocks[i], error);
    if (status == SAC_OK) {
        shape_block(input, shape->keys, me, &blocks[0]);
        /* The keys and values of this process, out of the file. */
        for (int i = 0; i < 2; i++) {
            sac_vectors_copy(input->key, blocks[0].keys[i], blocks[0].key[i].data);
            if (input->value)
                sac_vectors_copy(input->value, blocks[0].keys[i], blocks[0].value[i].data);
        }
    }
    const sac_array *const vectors[] = {input->query, input->key, input->value};
    for (int i = 0; i < 3; i++) /* what is this process's of a mapped file is copied */
        if (vectors[i] && vectors[i]->data)
            sac_bytes_drop_pages(vectors[i]->data,
                                 sac_array_count(vectors[i]) * sac_dtype_size(vectors[i]->dtype));
    if (status == SAC_OK)
        status = create_results(&r, error);
    status = sac_ranks_agree(status, error); /* all begin, or none */
    if (status == SAC_OK)
        status = rotate_blocks(&r, blocks, error);
    for (int i = 0; i < 2; i++) {
        free(blocks[i].bytes);
        sac_array_free(&r.query[i]);
    }
    free(r.more.lse);
    free(r.more.output);
    return status;
}

void sac_ring_free(sac_ring *ring)
{
    for (int i = 0; i < 2; i++) {
        free(ring->results[i].lse);
        free(ring->results[i].output);
    }
    *ring = (sac_ring){0};
}
