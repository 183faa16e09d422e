/* The public creation of an attention: checks the input, chooses the variant and the shape of its
 * tiles, and builds it. The self-test, which decides whether kernels are right, builds attentions
 * itself, below this file. */
#include "attention/attention.h"
#include "attention/backward/backward.h"
#include "attention/plan/tuning.h"
#include "attention/prepare/operands.h"
#include "attention/prepare/prepared.h"
#include "attention/run/run.h"
#include "attention/selftest/selftest.h"
#include "attention/selftest/selftest_backward.h"
#include "attention/spec/resolve.h"
#include "base/error.h"
#include "device/trace.h"
#include "scores/scores.h"

sac_status sac_check_backward(const sac_attention_spec *spec, const sac_attention_input *input,
                              sac_error *error)
{
    if (!input->value)
        return sac_fail(error, SAC_E_ARGUMENT, "value", "give one", "is missing");
    if (input->norm_weight)
        return sac_fail(error, SAC_E_ARGUMENT, "norm.weight",
                        "leave it out, and give the gradient of what goes into the layer norm",
                        "has no backward pass here");
    if (spec->capacity)
        return sac_fail(error, SAC_E_ARGUMENT, "capacity", "give 0", "a cache has no gradients");
    if (spec->storage != SAC_STORAGE_F32)
        return sac_fail(error, SAC_E_ARGUMENT, "storage", "compute in float32",
                        "float16 has no backward pass");
    return SAC_OK;
}

/* The shape of tiles that was tuned for it, where the self-test passes with it: it was measured on
 * the dot product, and is used for no other form of score. NULL: what ships. */
static const sac_tiling *usable_tuned_tiling(sac_device *device, sac_variant variant,
                                             sac_score form, bool softcap)
{
    sac_variant tuned;
    if (form != SAC_SCORE_DOT || variant == SAC_VARIANT_NAIVE)
        return NULL;
    const sac_tiling *tiling = sac_tuning_get(device, &tuned);
    bool usable = tiling && tuned == variant &&
                  sac_tiling_passes(device, variant, form, softcap, SAC_STORAGE_F32, tiling);
    return usable ? tiling : NULL;
}

/* Tiles without pairs of bfloat16 where these do not pass; NULL: what ships. */
static const sac_tiling *tiling_without_pairs(sac_device *device, bool softcap)
{
    static _Thread_local sac_tiling without;
    if (!device->profile.has_pairs || sac_pairs_pass(device, softcap))
        return NULL;
    without = *sac_tiling_shipped(&device->info, SAC_VARIANT_CPU);
    without.pairs = SAC_PAIRS_NEVER;
    return &without;
}

#define FEWEST_FOR_SQUARES 256 /* queries that are worth cutting float32 into parts */

/* Tiles that are multiplied by instructions for matrices, where these pass; NULL: there are none. goes_back:
 * where those of the gradients pass, too, so that a logit that is computed again is the same number. */
static const sac_tiling *tiling_of_squares(sac_device *device, size_t queries, bool softcap,
                                           sac_storage storage, bool goes_back)
{
    static _Thread_local sac_tiling squares;
    bool is_cut = storage == SAC_STORAGE_F32;
    if (!device->profile.has_squares || (is_cut && queries < FEWEST_FOR_SQUARES))
        return NULL;
    sac_tiling_of_squares(&device->info, &squares);
    const sac_backward_question question = {SAC_VARIANT_CPU, SAC_SCORE_DOT, softcap,
                                            SAC_NORMALIZER_SOFTMAX, &squares};
    sac_tested gradients = sac_backward_make_test(&question);
    bool pass =
        sac_tiling_passes(device, SAC_VARIANT_CPU, SAC_SCORE_DOT, softcap, storage, &squares) &&
        (!goes_back || sac_tested_passes(device, &gradients));
    return pass ? &squares : NULL;
}

/* Where `spec` leaves the variant open: the fastest that computes it right. *tiling is the shape of
 * tiles that was tuned for it; NULL: what ships. goes_back: gradients or maps come back to its sums with
 * scores of float32's own products, from which those of TF32 differ by 1e-5 where they are large. */
static sac_status choose_variant(sac_device *device, const sac_attention_spec *spec, size_t queries,
                                 bool goes_back, sac_variant *variant, const sac_tiling **tiling,
                                 sac_error *error)
{
    bool exact = goes_back && spec->storage == SAC_STORAGE_F32;
    sac_score form = sac_score_form(spec->score);
    bool softcap = spec->softcap > 0;
    sac_status status = SAC_OK;
    *variant = spec->variant;
    *tiling = NULL;
    if (spec->variant == SAC_VARIANT_AUTO)
        status = (exact ? sac_variant_choose_no_matrix : sac_variant_choose)(
            device, form, softcap, spec->normalizer, spec->storage, variant, error);
    if (spec->normalizer !=
        SAC_NORMALIZER_SOFTMAX) /* shapes are tuned, and pairs used, for it alone */
        return status;
    bool on_cpu = status == SAC_OK && *variant == SAC_VARIANT_CPU && form == SAC_SCORE_DOT;
    if (on_cpu && spec->storage == SAC_STORAGE_BF16) /* of what squares do not take */
        *tiling = tiling_without_pairs(device, softcap);
    if (on_cpu && spec->storage != SAC_STORAGE_F16 && !*tiling)
        *tiling = tiling_of_squares(device, queries, softcap, spec->storage,
                                    goes_back || spec->gradients);
    if (status == SAC_OK && spec->storage == SAC_STORAGE_F32 && !*tiling) /* tested with it */
        *tiling = usable_tuned_tiling(device, *variant, form, softcap);
    return status;
}

/* `tiling`: NULL for the tuned one, or else what ships. */
static sac_status choose_and_build(sac_device *device, const sac_attention_spec *spec,
                                   const sac_attention_shape *shape,
                                   const sac_attention_input *input, const sac_tiling *tiling,
                                   sac_attention **attention, sac_error *error)
{
    const sac_tiling *tuned;
    sac_attention_spec chosen = *spec;
    sac_status status =
        choose_variant(device, spec, shape->queries, false, &chosen.variant, &tuned, error);
    if (status == SAC_OK)
        status = sac_attention_build(device, &chosen, shape, input, tiling ? tiling : tuned,
                                     attention, error);
    if (status == SAC_OK)
        (*attention)->asked = spec->variant;
    return status;
}

sac_status sac_attention_create_tiled(sac_device *device, const sac_attention_spec *spec,
                                      const sac_attention_input *input, const sac_tiling *tiling,
                                      sac_attention **attention, sac_error *error)
{
    sac_attention_shape shape;
    *attention = NULL;
    sac_status status = sac_attention_check_sizes(spec, input, &shape, error);
    if (status == SAC_OK)
        status = sac_attention_check_finite(spec, input, true, error);
    if (status == SAC_OK)
        status = (spec->gradients ? sac_check_backward(spec, input, error) : SAC_OK);
    return status == SAC_OK
               ? choose_and_build(device, spec, &shape, input, tiling, attention, error)
               : status;
}

sac_status sac_attention_create_resolved(sac_device *device, const sac_attention_spec *spec,
                                         const sac_attention_shape *shape,
                                         const sac_attention_input *input,
                                         sac_attention **attention, sac_error *error)
{
    *attention = NULL;
    sac_device_lock(device);
    sac_status status = choose_and_build(device, spec, shape, input, NULL, attention, error);
    sac_device_unlock(device);
    return status;
}

/* Buffers of this many numbers, each for itself. */
static sac_status check_buffer_size(const sac_device *device, const char *name,
                                    const sac_array *array, sac_error *error)
{
    double bytes = array ? (double)sac_array_count(array) * sizeof(float) : 0;
    if (bytes <= (double)device->info.max_alloc_bytes)
        return SAC_OK;
    return sac_fail(error, SAC_E_MEMORY, name, "compute it in parts, or choose another device",
                    "needs a buffer of %.0f MB, and the device gives %.0f MB at most", bytes / 1e6,
                    (double)device->info.max_alloc_bytes / 1e6);
}

sac_status sac_attention_supported(sac_device *device, const sac_attention_spec *spec,
                                   const sac_attention_input *input, sac_attention_shape *shape,
                                   sac_error *error)
{
    sac_attention_shape found;
    sac_status status =
        sac_attention_check_sizes(spec, input, shape ? shape : (shape = &found), error);
    if (status == SAC_OK)
        status = (spec->gradients ? sac_check_backward(spec, input, error) : SAC_OK);
    if (status == SAC_OK)
        status = sac_attention_check_rows(spec, shape, error);
    if (status != SAC_OK || !device)
        return status;
    sac_array output = sac_array_view(SAC_F32, shape->output_rank, shape->output_shape, NULL);
    const struct {
        const char *name;
        const sac_array *array;
    } parts[] = {{"query", input->query},
                 {"key", input->key},
                 {"value", input->value},
                 {"attn_mask", input->attn_mask},
                 {"output", input->value ? &output : NULL}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == SAC_OK; i++)
        status = check_buffer_size(device, parts[i].name, parts[i].array, error);
    return status;
}

sac_status sac_attention_create(sac_device *device, const sac_attention_spec *spec,
                                const sac_attention_input *input, sac_attention **attention,
                                sac_error *error)
{
    sac_status status = sac_need(attention, "attention", error);
    if (status != SAC_OK)
        return status;
    *attention = NULL;
    status = sac_need(device, "device", error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(device);
    status = sac_attention_create_tiled(device, spec, input, NULL, attention, error);
    sac_device_unlock(device);
    return status;
}

sac_status sac_attend(sac_device *device, const sac_attention_spec *spec,
                      const sac_attention_input *input, const sac_attention_output *output,
                      sac_error *error)
{
    sac_attention *attention = NULL;
    sac_status status = sac_attention_create(device, spec, input, &attention, error);
    if (status == SAC_OK)
        status = sac_attention_run(attention, output, NULL, error);
    sac_attention_destroy(attention);
    return status;
}

/* ---------------------------------------------------------------- on operands */

#define BRIEF_OPERATIONS 2e8 /* a millisecond of a CPU */

static sac_status copy_floats(sac_device *device, cl_mem from, sac_span to, size_t floats,
                              sac_error *error)
{
    cl_int code = clEnqueueCopyBuffer(device->queue, from, to.buffer, 0, to.at * sizeof(float),
                                      floats * sizeof(float), 0, NULL, NULL);
    return sac_cl_check(device, "clEnqueueCopyBuffer", code, error);
}

/* Kernels write to the beginning of a buffer: what begins elsewhere is copied there. */
static sac_status run(sac_attention *self, sac_span output, sac_span stats, sac_error *error)
{
    size_t rows = self->matrices * self->shape.queries, floats = rows * self->shape.value_dim;
    cl_mem own = NULL;
    sac_status status = SAC_OK;
    if (output.at)
        status = sac_buffer_create(self->device, floats * sizeof(float), NULL, &own, error);
    if (status == SAC_OK)
        status = sac_run_into(self, own ? own : output.buffer, NULL, error);
    if (status == SAC_OK && own)
        status = copy_floats(self->device, own, output, floats, error);
    if (status == SAC_OK)
        status = copy_floats(self->device, self->stats, stats, 2 * rows, error);
    sac_buffer_release(own);
    return status;
}

/* A causal mask leaves out half of them where there are as many queries as keys. */
static double estimated_operations(const sac_attention *self)
{
    const sac_attention_shape *s = &self->shape;
    double scores = (double)self->matrices * (double)s->queries * (double)s->keys;
    return 2 * scores * (double)(self->prepared_dim + s->value_dim);
}

sac_status sac_attention_forward_on(sac_device *device, const sac_attention_operands *operands,
                                    sac_span output, sac_span stats, sac_error *error)
{
    sac_variant variant;
    const sac_tiling *tiling;
    sac_attention *attention = NULL;
    sac_status status = choose_variant(device, &operands->spec, operands->shape.queries,
                                       stats.buffer != NULL, &variant, &tiling, error);
    if (status == SAC_OK)
        status = sac_attention_build_on(device, operands, variant, tiling, &attention, error);
    if (status == SAC_OK) {
        /* Short work needs no cancellation: it is not waited for. */
        attention->is_queued = estimated_operations(attention) <= BRIEF_OPERATIONS;
        /* Traces the call: operations, and the floats of its arrays. */
        const sac_attention_shape *s = &attention->shape;
        double half = attention->spec.causal && s->queries == s->keys ? 0.5 : 1;
        double width = (double)(attention->prepared_dim + s->value_dim);
        double rows =
            (double)s->queries * (double)s->heads + (double)s->keys * (double)s->key_heads;
        sac_trace_add_work(device, SAC_WORK_ATTENTION, half * estimated_operations(attention),
                           sizeof(float) * (double)s->batch * rows * width);
        status = run(attention, output, stats, error);
    }
    sac_attention_destroy(attention);
    return status;
}

sac_status sac_attention_backward_on(sac_device *device, const sac_attention_operands *operands,
                                     const sac_operand_gradients *gradients,
                                     const sac_progress *progress, sac_error *error)
{
    const sac_attention_shape *s = &operands->shape;
    const sac_attention_spec *spec = &operands->spec;
    size_t floats = s->batch * s->heads * s->queries * s->value_dim;
    sac_variant variant = spec->variant, forward;
    const sac_tiling *tiling = NULL;
    sac_operand_gradients taken = *gradients;
    cl_mem slopes = NULL;
    sac_status status = SAC_OK;
    if (variant == SAC_VARIANT_AUTO || variant == SAC_VARIANT_MATRIX) /* which has none */
        status = sac_backward_choose(device, sac_score_form(spec->score), spec->softcap > 0,
                                     spec->normalizer, &variant, error);
    if (status == SAC_OK && spec->normalizer != SAC_NORMALIZER_SOFTMAX) {
        status = choose_variant(device, spec, s->queries, true, &forward, &tiling, error);
        if (status == SAC_OK)
            status = sac_buffer_create(device, floats * sizeof(float), NULL, &slopes, error);
        if (status == SAC_OK)
            status = sac_compute_slope_output(device, operands, forward, tiling, slopes, error);
        taken.output = (sac_span){slopes, 0};
    }
    if (status == SAC_OK && variant == SAC_VARIANT_CPU)
        tiling = tiling_of_squares(device, s->queries, spec->softcap > 0, SAC_STORAGE_F32, true);
    if (status == SAC_OK)
        status =
            sac_attention_backward_run(device, operands, &taken, variant, tiling, progress, error);
    sac_buffer_release(slopes);
    return status;
}
