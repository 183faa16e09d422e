/* The first call on a device, ahead: a small attention of the kind that is coming computes once.
 * What it compiles and tests is what the coming one needs, since sizes beyond those given change no
 * kernel. */
#include <stdlib.h>

#include "attention/spec/resolve.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/round.h"
#include "gemm/launch.h"
#include "saccade_tools.h"
#include "scores/scores.h"

enum { KEYS = 256, MOST_QUERIES = 256, USUAL_DIM = 64, WIDEST = 1 << 13 };

/* The small attention. All its arrays share the same zeros. */
typedef struct rehearsal {
    sac_attention_spec spec;
    size_t queries, dim, key_dim, value_dim, hidden;
    float *zeros, *results;
    size_t count; /* of either */
    sac_array query, key, value, W_q, W_k, w_v, W_qk;
    sac_array q_proj, k_proj, v_proj, out_proj, norm;
    sac_attention_input input;
} rehearsal;

static size_t value_or_default(size_t given, size_t usual)
{
    return given ? given : usual;
}

/* One for all arrays, and one for all results: output, log-sum-exp and weights, or a gradient. */
static sac_status allocate(rehearsal *r, sac_error *error)
{
    const size_t widths[] = {r->dim, r->key_dim, r->value_dim, r->hidden, KEYS};
    size_t rows = sac_larger(r->queries, KEYS), wide = 1;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        wide = sac_larger(wide, widths[i]);
    if (wide > WIDEST)
        return sac_fail(error, SAC_E_SHAPE, "preparation", "let the first attention compile",
                        "heads wider than %d are not prepared", WIDEST);
    r->count = sac_larger(rows, wide) * wide + 2 * rows * KEYS;
    r->zeros = calloc(r->count, sizeof(float));
    r->results = calloc(r->count, sizeof(float));
    if (r->zeros && r->results)
        return SAC_OK;
    return sac_no_memory(error, "preparation");
}

/* [1,rows,width], or as a matrix or vector of weights what it ends in. */
static const sac_array *zeros(const rehearsal *r, sac_array *array, int rank, size_t rows,
                              size_t width)
{
    const size_t shape[] = {1, rows, width};
    *array = sac_array_view(SAC_F32, rank, shape + 3 - rank, r->zeros);
    return array;
}

static void set_input(rehearsal *r, bool projections)
{
    sac_attention_input *in = &r->input;
    sac_score_weights weights = sac_score_class_of(r->spec.score)->weights;
    in->query = zeros(r, &r->query, 3, r->queries, r->dim);
    in->key = zeros(r, &r->key, 3, KEYS, r->key_dim);
    in->value = zeros(r, &r->value, 3, KEYS, r->value_dim);
    if (weights == SAC_WEIGHTS_HIDDEN) {
        in->score_W_q = zeros(r, &r->W_q, 2, r->hidden, r->dim);
        in->score_W_k = zeros(r, &r->W_k, 2, r->hidden, r->key_dim);
        in->score_w_v = zeros(r, &r->w_v, 1, 1, r->hidden);
    }
    if (weights == SAC_WEIGHTS_BETWEEN)
        in->score_W_qk = zeros(r, &r->W_qk, 2, r->dim, r->key_dim);
    if (!projections)
        return;
    in->q_proj_weight = zeros(r, &r->q_proj, 2, r->dim, r->dim);
    in->k_proj_weight = zeros(r, &r->k_proj, 2, r->key_dim, r->key_dim);
    in->v_proj_weight = zeros(r, &r->v_proj, 2, r->value_dim, r->value_dim);
    in->out_proj_weight = zeros(r, &r->out_proj, 2, r->dim, r->value_dim);
    in->norm_weight = zeros(r, &r->norm, 1, 1, r->dim);
}

/* Reports progress, and returns whether to go on. */
static sac_status begin_stage(double begin, double end, sac_error *error)
{
    sac_cancel_scope_stage(begin, end);
    return sac_cancel_check("preparation", error);
}

/* `share` of the whole preparation; most of it are tests of kernels that were never used. */
static sac_status run_forward(sac_device *device, rehearsal *r, double share, sac_error *error)
{
    sac_attention *attention = NULL;
    size_t outputs = r->queries * (r->input.out_proj_weight ? r->dim : r->value_dim);
    sac_attention_output output = {r->results, r->results + outputs,
                                   r->results + outputs + r->queries};
    sac_status status = begin_stage(0, 0.8 * share, error);
    if (status == SAC_OK)
        status = sac_attention_create(device, &r->spec, &r->input, &attention, error);
    if (status == SAC_OK)
        status = begin_stage(0.8 * share, share, error);
    if (status == SAC_OK)
        status = sac_attention_run(attention, &output, NULL, error);
    sac_attention_destroy(attention);
    if (status == SAC_OK) /* where keys are many it merges pieces of them … */
        status = sac_launch_items_build(device, "merge", "merge", error);
    if (status == SAC_OK && r->input.q_proj_weight) /* … and a projection of few rows adds pieces */
        status = sac_launch_items_build(device, "panels", "add_pieces", error);
    return status;
}

static sac_status run_rehearsal(sac_device *device, const sac_attention_spec *spec,
                                const sac_preparation *sizes, sac_error *error)
{
    rehearsal r = {.spec = *spec};
    size_t queries = value_or_default(sizes->queries, MOST_QUERIES);
    r.queries = queries < MOST_QUERIES ? queries : MOST_QUERIES;
    r.dim = value_or_default(sizes->query_dim, USUAL_DIM);
    r.key_dim = value_or_default(sizes->key_dim, r.dim);
    r.value_dim = value_or_default(sizes->value_dim, r.dim);
    r.hidden = value_or_default(sizes->hidden, r.dim);
    r.spec.heads = 1;
    r.spec.key_heads = 0;
    r.spec.capacity = 0;
    sac_status status = allocate(&r, error);
    if (status == SAC_OK) {
        set_input(&r, sizes->projections);
        status = run_forward(device, &r, sizes->backward ? 0.5 : 1, error);
    }
    if (status == SAC_OK && sizes->backward) {
        sac_attention_gradients wanted = {.query = r.results};
        if (r.input.q_proj_weight) {
            r.input.norm_weight = NULL; /* which has no gradient */
            wanted.q_proj_weight = r.results;
        }
        status = begin_stage(0.5, 1, error);
        if (status == SAC_OK)
            status = sac_attend_backward(device, &r.spec, &r.input, r.zeros, &wanted, NULL, error);
    }
    if (status == SAC_OK)
        status = begin_stage(1, 1, error);
    free(r.zeros);
    free(r.results);
    return status;
}

sac_status sac_device_prepare(sac_device *device, const sac_attention_spec *spec,
                              const sac_preparation *sizes, const sac_progress *progress,
                              sac_error *error)
{
    const sac_preparation usual = {0};
    sac_status status = sac_need(device, "device", error);
    if (status == SAC_OK)
        status = sac_need(spec, "spec", error);
    if (status == SAC_OK)
        status = sac_attention_check_spec(spec, error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(device);
    sac_cancel_scope_begin(progress);
    status = run_rehearsal(device, spec, sizes ? sizes : &usual, error);
    sac_cancel_scope_end();
    sac_device_unlock(device);
    return status;
}
