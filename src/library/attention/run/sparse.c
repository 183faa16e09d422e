/* The normalisers whose weights may be exactly 0. A row's threshold needs all of its scores, so some rows of
 * some matrices at a time go through two launches: their logits into the scratch buffer, by the kernel
 * `weights` of the variant, and from there to statistics and outputs by cl/attention/attend_sparse.cl. */
#include "attention/run/run.h"
#include "base/error.h"
#include "base/round.h"
#include "gemm/launch.h"

#define CPU_SLAB_BYTES ((size_t)2 << 20) /* logits that stay in the second cache */
#define SLAB_BYTES ((size_t)64 << 20)    /* enough for all cores of a GPU */
#define GROUP_ROWS 4                     /* queries of a group; 1 where groups would be few */
#define LAUNCH_OPERATIONS 2e10           /* between two waits: a tenth of a second of a CPU */
#define CPU_LAUNCH_OPERATIONS 1e10

/* Loops of a work-item of attend_sparse.cl for each key, at most, where groups are of many items: 50 steps of
 * the threshold for 4 queries of 128 items, and each chunk of the value's columns. */
static double loop_rounds_per_key(const sac_attention *self)
{
    return 2 + 2 * (double)sac_ceil_div(self->shape.value_dim, 128);
}

static sac_status check_loops(sac_attention *self, sac_error *error)
{
    size_t limit = 0;
    sac_status status = sac_quirk_loop_limit(self->device, &limit, error);
    if (status == SAC_OK && limit &&
        loop_rounds_per_key(self) * (double)self->shape.keys > (double)limit)
        return sac_fail(error, SAC_E_ARGUMENT, "normalizer", "take the softmax, or another device",
                        "%s of %zu keys takes longer loops than this device's",
                        sac_normalizer_name(self->spec.normalizer), self->shape.keys);
    return status;
}

static sac_status attend(sac_attention *self, const sac_job *job, size_t matrices, sac_error *error)
{
    char options[64];
    size_t rows = job->row_end - job->row_begin;
    bool few = matrices * sac_ceil_div(rows, GROUP_ROWS) < sac_units_wanted(self->device);
    size_t each = few ? 1 : GROUP_ROWS;
    sac_problem problem = self->problem;
    cl_uint slopes = self->weighs_slopes;
    cl_ulong sinks_at = self->sinks.at;
    cl_mem value = job->with_output ? self->value : self->nothing;
    cl_mem out = job->with_output ? self->heads_output : self->nothing;
    cl_mem sinks = self->sinks.buffer ? self->sinks.buffer : self->nothing;
    if (self->sinks.buffer)
        problem.flags |= SAC_SINKS;
    sac_arg args[] = {SAC_ARG(problem),       SAC_ARG(*job),  SAC_ARG(slopes),
                      SAC_ARG(self->scratch), SAC_ARG(value), SAC_ARG(sinks),
                      SAC_ARG(sinks_at),      SAC_ARG(out),   SAC_ARG(self->stats)};
    snprintf(options, sizeof options, " -DNORMALIZER=%d -DROWS=%zu -DHALVES=%d",
             (int)self->spec.normalizer, each, self->plan.halves);
    return sac_launch_groups(self->device, "attend_sparse", options, "attend", args, 9,
                             matrices * sac_ceil_div(rows, each), error);
}

/* Logits, statistics and outputs of a slab. */
static sac_status attend_slab(sac_attention *self, sac_job *job, size_t matrices, sac_error *error)
{
    bool with_output = job->with_output;
    job->with_output = true; /* logits */
    sac_status status = sac_weights_launch(self, job, matrices, error);
    job->with_output = with_output;
    return status == SAC_OK ? attend(self, job, matrices, error) : status;
}

sac_status sac_attend_sparse(sac_attention *self, size_t matrix, size_t matrices, size_t row_begin,
                             size_t row_end, bool with_output, const sac_progress *progress,
                             sac_error *error)
{
    bool is_cpu = self->plan.variant == SAC_VARIANT_CPU;
    size_t rows = row_end - row_begin, keys = self->shape.keys, unit = self->plan.weight_rows;
    size_t room = (is_cpu ? CPU_SLAB_BYTES : SLAB_BYTES) / (keys * sizeof(float));
    size_t some = room < rows ? room / unit * unit : rows, together = some ? room / some : 0;
    if (!some)
        some = unit < rows ? unit : rows;
    if (some < rows || !together)
        together = 1;
    if (together > matrices)
        together = matrices;
    sac_status status = check_loops(self, error);
    if (status == SAC_OK)
        status = sac_scratch_reserve(self, together * some * keys * sizeof(float), error);
    double operations = 0,
           of_row = 2.0 * (double)keys * (self->problem.dim + self->problem.value_dim);
    for (size_t m = 0; m < matrices && status == SAC_OK; m += together)
        for (size_t row = 0; row < rows && status == SAC_OK; row += some) {
            size_t count = matrices - m < together ? matrices - m : together;
            size_t height = rows - row < some ? rows - row : some;
            sac_job job = {.matrix = (cl_uint)(matrix + m),
                           .row_begin = (cl_uint)(row_begin + row),
                           .row_end = (cl_uint)(row_begin + row + height),
                           .with_output = with_output,
                           .col_end = (cl_uint)keys};
            status = attend_slab(self, &job, count, error);
            operations += of_row * (double)(count * height);
            if (status == SAC_OK && !self->is_queued &&
                operations > (is_cpu ? CPU_LAUNCH_OPERATIONS : LAUNCH_OPERATIONS)) {
                status = sac_device_finish(self->device, error);
                operations = 0;
            }
            double done = ((double)m * (double)rows + (double)(row + height) * (double)count) /
                          ((double)matrices * (double)rows);
            if (status == SAC_OK && progress && progress->step &&
                !progress->step(progress->user, done))
                status = sac_fail(error, SAC_E_CANCELLED, "attention", NULL, "stopped on request");
        }
    return status == SAC_OK && !self->is_queued ? sac_device_finish(self->device, error) : status;
}

sac_status sac_compute_slope_output(sac_device *device, const sac_attention_operands *operands,
                                    sac_variant variant, const sac_tiling *tiling, cl_mem output,
                                    sac_error *error)
{
    sac_attention *attention = NULL;
    sac_status status =
        sac_attention_build_on(device, operands, variant, tiling, &attention, error);
    if (status == SAC_OK) {
        attention->weighs_slopes = true;
        attention->is_queued = true;
        status = sac_run_into(attention, output, NULL, error);
    }
    sac_attention_destroy(attention);
    return status;
}
