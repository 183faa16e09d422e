/* The self-test of the backward kernels, and the choice among them. */

#include "attention/selftest/selftest_backward.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "attention/backward/backward.h"
#include "attention/reference/reference_backward.h"
#include "attention/run/run.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/random/random.h"
#include "scores/normalizers.h"
#include "scores/scores.h"

/* Float32 rounding stays under 2e-6 on these cases; a wrong kernel is off by 1e-3 and more. */
#define BOUND 1e-5
#define SPARSE_BOUND 1e-4 /* as of selftest_cases.c */
/* Scores lie on both sides of it. */
#define CAP 0.7f

/* Two heads, in rows of both, which share their keys and values: more than one tile of each kernel,
 * queries too, and one that is not whole. */
enum {
    B = 1,
    H = 2,
    HK = 1,
    Q = 77,
    K = 131,
    D = 37,
    V = 20,
    QUERIES = B * H * Q,
    KEYS = B * HK * K,
    NUMBERS = KEYS * D /* the largest of all */
};

enum {
    QUERY,
    KEY,
    VALUE,
    WEIGHT,
    SINKS,
    OUTPUT,
    STATS,
    DOUTPUT,
    DQUERY,
    DKEY,
    DVALUE,
    DWEIGHT,
    DSINKS,
    DSCALE,
    SPANS
};
static const size_t counts[SPANS] = {
    [QUERY] = QUERIES * D,
    [KEY] = KEYS * D,
    [VALUE] = KEYS * V,
    [WEIGHT] = D,
    [SINKS] = H,
    [OUTPUT] = QUERIES * V,
    [STATS] = 2 * QUERIES,
    [DOUTPUT] = QUERIES * V,
    [DQUERY] = QUERIES * D,
    [DKEY] = KEYS * D,
    [DVALUE] = KEYS * V,
    [DWEIGHT] = QUERIES * D,
    [DSINKS] = B * Q * H,
    [DSCALE] = QUERIES,
};

typedef struct backward_case {
    sac_device *device;
    sac_variant variant;
    const sac_tiling *tiling;
    bool has_sinks;
    sac_attention_spec spec;
    float query[QUERIES * D], key[KEYS * D], value[KEYS * V], weight[D], mask[Q * K];
    float sinks[H];
    float identity[D * D]; /* W_q and W_k of a score with weights, for the reference */
    uint8_t padding[B * K];
    double output[QUERIES * V], lse[QUERIES], doutput[QUERIES * V];
    double dquery[QUERIES * D], dkey[KEYS * D], dvalue[KEYS * V], dweight[D];
    double dsinks[H];
    double dlog_scale;
    double unused[2 * D * D];
    float numbers[QUERIES * D + NUMBERS]; /* on their way to the device and back */
    sac_span spans[SPANS];
    cl_mem padding_buffer, mask_buffer;
} backward_case;

static void fill_random(float *x, size_t count, uint32_t stream)
{
    for (size_t i = 0; i < count; i++)
        x[i] = 2 * sac_philox_uniform((uint32_t)i, stream, 5) - 1;
}

static void fill_case(backward_case *c, sac_score form)
{
    float gradient[QUERIES * V];
    c->spec =
        (sac_attention_spec){.score = form,
                             .bandwidth = 1 / 0.3f, /* gaussian scores are as large as the others */

                             .heads = H,
                             .key_heads = HK,
                             .causal = true,
                             .window = 90,
                             .dropout = 0.25f,
                             .seed = 7};
    if (form == SAC_SCORE_DOT) /* whose kernels may scale queries first */
        c->spec.score = SAC_SCORE_SCALED_DOT;
    fill_random(c->query, QUERIES * D, 0);
    fill_random(c->key, KEYS * D, 1);
    fill_random(c->value, KEYS * V, 2);
    fill_random(c->weight, D, 3);
    fill_random(c->mask, Q * K, 4);
    fill_random(gradient, QUERIES * V, 5);
    fill_random(c->sinks, H, 6);
    for (size_t i = 0; i < QUERIES * V; i++)
        c->doutput[i] = gradient[i];
    for (size_t i = 0; i < D; i++)
        c->identity[i * D + i] = 1;
    for (size_t i = 0; i < B * K; i++)
        c->padding[i] = i % 4 == 1;
}

/* True where a trained weight belongs to each coordinate. */
static bool has_score_weights(const backward_case *c)
{
    return sac_score_class_of(c->spec.score)->weights == SAC_WEIGHTS_HIDDEN;
}

static sac_status run_reference(backward_case *c, sac_error *error)
{
    sac_array query = sac_array_view(SAC_F32, 3, (size_t[]){B, Q, H * D}, c->query);
    sac_array key = sac_array_view(SAC_F32, 3, (size_t[]){B, K, HK * D}, c->key);
    sac_array value = sac_array_view(SAC_F32, 3, (size_t[]){B, K, HK * V}, c->value);
    sac_array padding = sac_array_view(SAC_BOOL, 2, (size_t[]){B, K}, c->padding);
    sac_array mask = sac_array_view(SAC_F32, 2, (size_t[]){Q, K}, c->mask);
    sac_array W = sac_array_view(SAC_F32, 2, (size_t[]){D, D}, c->identity);
    sac_array w = sac_array_view(SAC_F32, 1, (size_t[]){D}, c->weight);
    sac_array sinks = sac_array_view(SAC_F32, 1, (size_t[]){H}, c->sinks);
    bool weighed = has_score_weights(c);
    sac_attention_input input = {.query = &query,
                                 .key = &key,
                                 .value = &value,
                                 .key_padding_mask = &padding,
                                 .attn_mask = &mask,
                                 .sinks = c->has_sinks ? &sinks : NULL,
                                 .score_W_q = weighed ? &W : NULL,
                                 .score_W_k = weighed ? &W : NULL,
                                 .score_w_v = weighed ? &w : NULL};
    sac_reference_gradients gradients = {.query = c->dquery,
                                         .key = c->dkey,
                                         .value = c->dvalue,
                                         .W_q = c->unused,
                                         .W_k = c->unused + D * D,
                                         .w_v = c->dweight,
                                         .sinks = c->has_sinks ? c->dsinks : NULL};
    sac_status status = sac_attention_reference(&c->spec, &input, c->output, c->lse, NULL, error);
    if (status == SAC_OK)
        status = sac_attention_reference_backward(&c->spec, &input, c->doutput, &gradients, error);
    c->dlog_scale = gradients.log_scale;
    return status;
}

static sac_status upload(backward_case *c, int which, const float *numbers, sac_error *error)
{
    return sac_span_create(c->device, counts[which], numbers, &c->spans[which], error);
}

static sac_status upload_doubles(backward_case *c, int which, const double *numbers,
                                 sac_error *error)
{
    for (size_t i = 0; i < counts[which]; i++)
        c->numbers[i] = (float)numbers[i];
    return upload(c, which, c->numbers, error);
}

static sac_status upload_all(backward_case *c, sac_error *error)
{
    const float *inputs[] = {c->query, c->key, c->value, c->weight, c->sinks};
    sac_status status = SAC_OK;
    for (int i = QUERY; i <= SINKS && status == SAC_OK; i++)
        status = upload(c, i, inputs[i], error);
    if (status == SAC_OK)
        status = upload_doubles(c, OUTPUT, c->output, error);
    if (status == SAC_OK)
        status = upload_doubles(c, DOUTPUT, c->doutput, error);
    if (status == SAC_OK) {
        /* Uploads statistics of the rows: a row's log-sum-exp in base 2 less 1 as its maximum, and
         * then its sum is 2 (a sum of 1 would mean a single key); 0 where all is blocked. Of a threshold,
         * what lies 0.7 above it is the maximum, and 1 beside one means that all is blocked. */
        const sac_normalizer_class *class = sac_normalizer_class_of(c->spec.normalizer);
        for (size_t i = 0; i < QUERIES; i++) {
            bool blocked = isinf(c->lse[i]);
            double top = class->is_sparse ? (c->lse[i] + 0.7) / class->share * M_LOG2E
                                          : c->lse[i] * M_LOG2E - 1;
            c->numbers[2 * i] = blocked ? 0 : (float)top;
            c->numbers[2 * i + 1] = class->is_sparse ? blocked ? 1 : -0.7f : blocked ? 0 : 2;
        }
        status = upload(c, STATS, c->numbers, error);
    }
    for (int i = DQUERY; i < SPANS && status == SAC_OK; i++)
        status = upload(c, i, NULL, error);
    if (status == SAC_OK)
        status =
            sac_buffer_create(c->device, sizeof c->padding, c->padding, &c->padding_buffer, error);
    if (status == SAC_OK)
        status = sac_buffer_create(c->device, sizeof c->mask, c->mask, &c->mask_buffer, error);
    return status;
}

static sac_status run_device(backward_case *c, sac_error *error)
{
    sac_attention_operands operands = {.spec = c->spec,
                                       .shape = {.batch = B,
                                                 .heads = H,
                                                 .key_heads = HK,
                                                 .queries = Q,
                                                 .keys = K,
                                                 .query_dim = D,
                                                 .key_dim = D,
                                                 .value_dim = V},
                                       .dim = D,
                                       .query = c->spans[QUERY],
                                       .key = c->spans[KEY],
                                       .value = c->spans[VALUE],
                                       .padding = c->padding_buffer,
                                       .mask = c->mask_buffer,
                                       .mask_is_float = true,
                                       .mask_shape = {1, 1, Q, K}};
    sac_operand_gradients gradients = {.output = c->spans[OUTPUT],
                                       .stats = c->spans[STATS],
                                       .doutput = c->spans[DOUTPUT],
                                       .dquery = c->spans[DQUERY],
                                       .dkey = c->spans[DKEY],
                                       .dvalue = c->spans[DVALUE],
                                       .dscale = c->spans[DSCALE]};
    if (has_score_weights(c)) {
        operands.score_weight = c->spans[WEIGHT];
        gradients.dscore_weight = c->spans[DWEIGHT];
    }
    if (c->has_sinks) {
        operands.sinks = c->spans[SINKS];
        gradients.dsinks = c->spans[DSINKS];
    }
    sac_status status = SAC_OK;
    if (c->spec.normalizer != SAC_NORMALIZER_SOFTMAX)
        status = sac_compute_slope_output(c->device, &operands, SAC_VARIANT_NAIVE, NULL,
                                          c->spans[OUTPUT].buffer, error);
    return status == SAC_OK ? sac_attention_backward_run(c->device, &operands, &gradients,
                                                         c->variant, c->tiling, NULL, error)
                            : status;
}

/* ‖given − truth‖ / ‖truth‖ into *worst, where it is larger. Numbers that come in parts,
 * `count` after `count`, are added first; as parts of both signs cancel, what they may be off is
 * measured by the sum of their magnitudes. */
static sac_status update_worst_error(backward_case *c, int which, const double *truth, size_t count,
                                     double *worst, sac_error *error)
{
    double apart = 0, whole = 0;
    sac_status status = sac_span_read(c->device, c->spans[which], counts[which], c->numbers, error);
    for (size_t i = 0; i < count; i++) {
        double sum = 0, magnitudes = 0;
        for (size_t part = i; part < counts[which]; part += count) {
            sum += c->numbers[part];
            magnitudes += fabs(c->numbers[part]);
        }
        apart += (sum - truth[i]) * (sum - truth[i]);
        whole += fmax(truth[i] * truth[i], magnitudes * magnitudes);
    }
    *worst = isfinite(apart) ? fmax(*worst, sqrt(apart / whole)) : INFINITY;
    return status;
}

static sac_status run_case(backward_case *c, double *worst, sac_error *error)
{
    sac_status status = run_reference(c, error);
    if (status == SAC_OK)
        status = upload_all(c, error);
    if (status == SAC_OK)
        status = run_device(c, error);
    if (status == SAC_OK)
        status = update_worst_error(c, DQUERY, c->dquery, counts[DQUERY], worst, error);
    if (status == SAC_OK)
        status = update_worst_error(c, DKEY, c->dkey, counts[DKEY], worst, error);
    if (status == SAC_OK)
        status = update_worst_error(c, DVALUE, c->dvalue, counts[DVALUE], worst, error);
    if (status == SAC_OK && has_score_weights(c))
        status = update_worst_error(c, DWEIGHT, c->dweight, D, worst, error);
    if (status == SAC_OK)
        status = update_worst_error(c, DSCALE, &c->dlog_scale, 1, worst, error);
    if (status == SAC_OK && c->has_sinks)
        status = update_worst_error(c, DSINKS, c->dsinks, H, worst, error);
    return status;
}

const sac_variant *sac_backward_candidates(const sac_device *device)
{
    static const sac_variant on_cpu[] = {SAC_VARIANT_CPU, SAC_VARIANT_NAIVE, 0};
    static const sac_variant on_gpu[] = {SAC_VARIANT_GPU, SAC_VARIANT_NAIVE, 0};
    return device->profile.is_cpu ? on_cpu : on_gpu;
}

/* Two cases: without sinks and with them, where the gradient of the scale is computed another way. */
static double case_error(sac_device *device, const sac_tested *tested, size_t index,
                         sac_error *error)
{
    const sac_backward_question *question = tested->what;
    double worst = 0;
    backward_case *c = calloc(1, sizeof *c);
    if (!c) {
        sac_no_memory(error, "self-test");
        return -1;
    }
    c->device = device;
    c->variant = question->variant;
    c->tiling = question->tiling;
    c->has_sinks = index > 0;
    fill_case(c, question->form);
    c->spec.softcap = question->softcap ? CAP : 0;
    c->spec.normalizer = question->normalizer;
    sac_status status = run_case(c, &worst, error);
    for (int i = 0; i < SPANS; i++)
        sac_span_release(&c->spans[i]);
    sac_buffer_release(c->padding_buffer);
    sac_buffer_release(c->mask_buffer);
    free(c);
    return status == SAC_OK ? worst : -1;
}

sac_tested sac_backward_make_test(const sac_backward_question *q)
{
    bool is_softmax = q->normalizer == SAC_NORMALIZER_SOFTMAX;
    sac_tested tested = {
        .cases = 2, .bound = is_softmax ? BOUND : SPARSE_BOUND, .run = case_error, .what = q};
    char other[16] = "";
    if (q->tiling)
        snprintf(other, sizeof other, "-%08x",
                 (unsigned)sac_hash(SAC_HASH_START, q->tiling, sizeof *q->tiling));
    snprintf(tested.name, sizeof tested.name, "%s%s%sbackward-%s-%s%s", q->softcap ? "capped-" : "",
             is_softmax ? "" : sac_normalizer_name(q->normalizer), is_softmax ? "" : "-",
             sac_variant_name(q->variant), sac_score_name(q->form), other);
    return tested;
}

static bool fill_candidate_test(sac_device *device, void *asked, size_t index, sac_tested *tested)
{
    sac_backward_question *question = asked;
    question->variant = sac_backward_candidates(device)[index];
    if (question->variant)
        *tested = sac_backward_make_test(question);
    return question->variant != 0;
}

sac_status sac_backward_choose(sac_device *device, sac_score form, bool softcap,
                               sac_normalizer normalizer, sac_variant *variant, sac_error *error)
{
    sac_backward_question question = {.form = form, .softcap = softcap, .normalizer = normalizer};
    sac_outcome outcomes[SAC_MOST_CANDIDATES];
    size_t chosen, count;
    sac_status status =
        sac_tested_choose(device, fill_candidate_test, &question,
                          "train on another device (see: saccade devices) or update its driver",
                          "the gradients of attention come out wrong (see: saccade selftest)",
                          &chosen, outcomes, &count, error);
    if (status == SAC_OK)
        *variant = sac_backward_candidates(device)[chosen];
    return status;
}
