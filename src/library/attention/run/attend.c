/* The fused pass over the keys: cut into tiles, tiles into pieces where there are too few of them
 * for the device, and the whole into launches that each stay short. */
#include <math.h>

#include "attention/run/run.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/round.h"
#include "gemm/launch.h"

#define UNITS_PER_CORE 4      /* enough to share out evenly */
#define GPU_UNITS_PER_CORE 2  /* they run side by side; to merge pieces is a launch of its own */
#define LEAST_TILE_ROWS 32    /* a smaller tile reads the keys too often to be worth it */
#define SHARED_TILE_ROWS 64   /* a larger one lets a core wait that could take half of it */
#define MANY_KEYS 8192        /* beyond the second cache, for any head */
#define SLICE_SECONDS 0.1     /* of one launch: a display that shares the device still moves … */
#define CPU_SLICE_SECONDS 0.3 /* … a CPU shows none; cancelling takes effect between launches */
#define MOST_PIECE_BYTES ((size_t)64 << 20)
#define FIRST_SLICE 2e8 /* operations of the first launch, before the device's speed is known … */
#define FIRST_CPU_SLICE 2e9 /* … which a CPU does in 10 to 500 ms */
#define MOST_GROWTH 4.0     /* from one launch to the next */

static size_t cores_of(const sac_device *device)
{
    return device->info.compute_units ? device->info.compute_units : 1;
}

size_t sac_units_wanted(const sac_device *device)
{
    return UNITS_PER_CORE * cores_of(device);
}

/* The pieces that the keys of `units` tiles are cut into. A GPU's tiles of a causal matrix, of which
 * some have all keys and some few, need to be shared out. */
static size_t key_piece_count(const sac_attention *self, size_t units)
{
    size_t wanted = sac_units_wanted(self->device);
    if (!self->plan.splits_keys || units >= wanted)
        return 1;
    if (self->plan.variant == SAC_VARIANT_CPU || self->problem.flags & SAC_CAUSAL)
        return sac_ceil_div(wanted, units);
    return sac_larger(GPU_UNITS_PER_CORE * cores_of(self->device) / units, 1);
}

/* Makes tiles smaller while there are too few of them, and then, where even that is too little,
 * cuts the keys into pieces. Many keys are cut at once, since each tile reads all of them. */
static void choose_tiles_and_pieces(const sac_attention *self, size_t matrices, size_t rows,
                                    sac_job *job)
{
    const sac_plan *plan = &self->plan;
    size_t wanted = sac_units_wanted(self->device);
    size_t tile_rows = plan->tile_rows, block = plan->block_keys;
    while (plan->shrinks && tile_rows > LEAST_TILE_ROWS &&
           (tile_rows / 2 >= rows ||
            (self->shape.keys < MANY_KEYS && matrices * sac_ceil_div(rows, tile_rows) <
                                                 (tile_rows > SHARED_TILE_ROWS ? 2 : 1) * wanted)))
        tile_rows = sac_tiling_half(tile_rows, plan->micro_rows);
    job->tile_rows = (cl_uint)tile_rows;
    job->tiles = (cl_uint)sac_ceil_div(rows, tile_rows);
    size_t keys = self->shape.keys, pieces = key_piece_count(self, matrices * job->tiles);
    job->split_keys = (cl_uint)(sac_ceil_div(sac_ceil_div(keys, block), pieces) * block);
    if (plan->most_keys && job->split_keys > plan->most_keys)
        job->split_keys = (cl_uint)plan->most_keys;
    job->splits = (cl_uint)sac_ceil_div(keys, job->split_keys);
    job->chunks = 1;
    if (job->with_output && plan->value_chunk)
        job->chunks = (cl_uint)sac_ceil_div(self->problem.value_dim, plan->value_chunk);
}

/* Bytes for the pieces' results, float [tiles of all matrices, splits, tile_rows, 2 + value_dim].
 */
static size_t piece_bytes(const sac_attention *self, size_t matrices, const sac_job *job)
{
    size_t width = 2 + (job->with_output ? self->problem.value_dim : 0);
    size_t rows = matrices * job->tiles * job->splits * job->tile_rows;
    return job->splits > 1 ? rows * width * sizeof(float) : 0;
}

static sac_status launch_slice(sac_attention *self, const sac_job *job, cl_kernel kernel,
                               sac_error *error)
{
    cl_mem nothing = self->nothing;
    cl_mem value = job->with_output ? self->value : nothing;
    cl_mem weight = self->score_weight ? self->score_weight : nothing;
    cl_mem padding = self->padding ? self->padding : nothing;
    cl_mem mask = self->mask ? self->mask : nothing;
    cl_mem out = job->with_output ? self->heads_output : nothing;
    cl_mem pieces = job->splits > 1 ? self->scratch : nothing;
    sac_arg args[] = {SAC_ARG(self->problem), SAC_ARG(*job),  SAC_ARG(self->query),
                      SAC_ARG(self->key),     SAC_ARG(value), SAC_ARG(weight),
                      SAC_ARG(padding),       SAC_ARG(mask),  SAC_ARG(out),
                      SAC_ARG(self->stats),   SAC_ARG(pieces)};
    size_t local = self->plan.group;
    size_t global = sac_round_up(job->count * self->plan.items_per_unit, local);
    return sac_kernel_launch(self->device, kernel, args, 11, 1, &global, &local, error);
}

/* The operations of one unit of work: a multiply and an add for each number of a query, and of a
 * value. */
static double unit_operations(const sac_attention *self, const sac_job *job)
{
    double dims = self->problem.dim;
    if (job->with_output)
        dims += self->problem.value_dim;
    return 2.0 * job->tile_rows * job->split_keys * dims;
}

/* Units for one launch: as many as take SLICE_SECONDS at the speed of the last one, in whole rounds
 * of the cores. `most` units at most, unless that leaves little for another launch. */
static size_t slice_units(const sac_attention *self, const sac_job *job, double most, size_t left)
{
    bool is_cpu = self->plan.variant == SAC_VARIANT_CPU;
    double operations = is_cpu ? FIRST_CPU_SLICE : FIRST_SLICE;
    if (self->speed > 0)
        operations = self->speed * (is_cpu ? CPU_SLICE_SECONDS : SLICE_SECONDS);
    double units = fmin(fmax(operations / unit_operations(self, job), 1.0), most);
    size_t cores = cores_of(self->device), slice = sac_round_up((size_t)units, cores);
    return left < slice + slice / 2 ? left : slice;
}

/* Launches `units` units of work some at a time, waiting for each unless they are to be queued. */
static sac_status run_slices(sac_attention *self, sac_job *job, size_t units,
                             const sac_progress *progress, sac_error *error)
{
    cl_kernel kernel;
    double most = 1e9;
    sac_status status = sac_kernel_get(self->device, self->plan.source, self->plan.options,
                                       "attend", &kernel, error);
    for (size_t done = 0; done < units && status == SAC_OK; done += job->count) {
        double start = sac_now();
        job->first = (cl_uint)done;
        job->count = (cl_uint)slice_units(self, job, most, units - done);
        most = MOST_GROWTH * job->count;
        status = launch_slice(self, job, kernel, error);
        if (status == SAC_OK && !self->is_queued)
            status = sac_device_finish(self->device, error);
        if (!self->is_queued)
            self->speed = job->count * unit_operations(self, job) / fmax(sac_now() - start, 1e-6);
        double share = (double)(done + job->count) / (double)units;
        if (status == SAC_OK && progress && progress->step &&
            !progress->step(progress->user, share))
            return sac_fail(error, SAC_E_CANCELLED, "attention", NULL, "stopped on request");
    }
    return status;
}

/* Statistics and outputs of the pieces → those of the rows. */
static sac_status merge(sac_attention *self, size_t matrices, const sac_job *job, sac_error *error)
{
    size_t columns = job->with_output ? self->problem.value_dim : 1;
    cl_mem out = job->with_output ? self->heads_output : self->nothing;
    sac_arg args[] = {SAC_ARG(self->problem), SAC_ARG(*job), SAC_ARG(self->scratch), SAC_ARG(out),
                      SAC_ARG(self->stats)};
    return sac_launch_items(self->device, "merge", "merge", args, 5,
                            matrices * (job->row_end - job->row_begin) * columns, error);
}

/* One job: a range of rows of some matrices. */
static sac_status run_job(sac_attention *self, size_t matrices, sac_job *job,
                          const sac_progress *progress, sac_error *error)
{
    size_t units = matrices * job->tiles * job->splits * job->chunks;
    size_t bytes = piece_bytes(self, matrices, job);
    sac_status status = bytes ? sac_scratch_reserve(self, bytes, error) : SAC_OK;
    if (status == SAC_OK && units > UINT32_MAX)
        return sac_fail(error, SAC_E_SHAPE, "attention", "compute it in parts", "too many rows");
    if (status == SAC_OK)
        status = run_slices(self, job, units, progress, error);
    job->count = (cl_uint)matrices;
    if (status == SAC_OK && job->splits > 1)
        status = merge(self, matrices, job, error);
    if (status == SAC_OK && self->sinks.buffer) {
        /* The sinks of the heads join the sums of the job's rows. */
        cl_ulong at = self->sinks.at;
        cl_mem out = job->with_output ? self->heads_output : self->nothing;
        sac_arg args[] = {
            SAC_ARG(self->problem), SAC_ARG(*job),       SAC_ARG(self->sinks.buffer), SAC_ARG(at),
            SAC_ARG(out),           SAC_ARG(self->stats)};
        status = sac_launch_items(self->device, "merge", "add_sinks", args, 6,
                                  matrices * (job->row_end - job->row_begin), error);
    }
    return status;
}

sac_status sac_attend_matrices(sac_attention *self, size_t matrix, size_t matrices,
                               size_t row_begin, size_t row_end, bool with_output,
                               const sac_progress *progress, sac_error *error)
{
    size_t rows = row_end - row_begin;
    if (self->plan.normalizer != SAC_NORMALIZER_SOFTMAX)
        return sac_attend_sparse(self, matrix, matrices, row_begin, row_end, with_output, progress,
                                 error);
    sac_job job = {.matrix = (cl_uint)matrix,
                   .row_begin = (cl_uint)row_begin,
                   .row_end = (cl_uint)row_end,
                   .with_output = with_output};
    choose_tiles_and_pieces(self, matrices, rows, &job);
    if (piece_bytes(self, matrices, &job) <= MOST_PIECE_BYTES || matrices * rows == 1)
        return run_job(self, matrices, &job, progress, error);
    /* Too many pieces to keep at once, which only a loop limit makes: in two halves. */
    size_t some = matrices / 2, half = row_begin + rows / 2;
    sac_status status =
        some ? sac_attend_matrices(self, matrix, some, row_begin, row_end, with_output, progress,
                                   error)
             : sac_attend_matrices(self, matrix, 1, row_begin, half, with_output, progress, error);
    if (status != SAC_OK)
        return status;
    return some ? sac_attend_matrices(self, matrix + some, matrices - some, row_begin, row_end,
                                      with_output, progress, error)
                : sac_attend_matrices(self, matrix, 1, half, row_end, with_output, progress, error);
}

sac_status sac_scratch_reserve(sac_attention *self, size_t bytes, sac_error *error)
{
    if (self->scratch && self->scratch_bytes >= bytes)
        return SAC_OK;
    sac_buffer_release(self->scratch);
    self->scratch = NULL;
    self->scratch_bytes = 0;
    sac_status status = sac_buffer_create(self->device, bytes, NULL, &self->scratch, error);
    if (status == SAC_OK)
        self->scratch_bytes = bytes;
    return status;
}
