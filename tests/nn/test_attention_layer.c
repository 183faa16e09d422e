/* Attention as a layer: the float64 reference of its gradients against central differences, and
 * forward and backward on the device against the reference, for every score, mask and layout. */

#include "attention/reference/reference_backward.h"
#include "attention/selftest/selftest_backward.h"
#include "nn/attention/attention.h"
#include "reference.h"
#include "status.h"
#include "test.h"
#include "trial.h"

/* ‖given − true‖ / ‖true‖: float32 rounding gives 1e-6, a wrong formula 1e-2 and more. */
#define BOUND 5e-6

/* ---------------------------------------------------------------- what is compared */

enum { QUERY, KEY, VALUE, W_Q, W_K, W_V, W_QK, SINKS, PARTS };
static const char *const part_names[PARTS] = {"query", "key", "value", "W_q",
                                              "W_k",   "w_v", "W_qk",  "sinks"};

static const sac_array *part_of(const sac_attention_input *in, int part)
{
    const sac_array *const parts[PARTS] = {in->query,      in->key,       in->value,
                                           in->score_W_q,  in->score_W_k, in->score_w_v,
                                           in->score_W_qk, in->sinks};
    return parts[part];
}

/* A problem, a gradient of its output, and what the reference makes of both. */
typedef struct question {
    trial t;
    size_t outputs;
    double *doutput, *output;
    double *gradients[PARTS]; /* NULL: the score has no such part */
    double log_scale;
    double bound;       /* of a relative error */
    const char *vendor; /* by whose GPU's tiles gradients are computed; NULL: the device's own */
} question;

static void question_make(question *q, const recipe *wanted, uint64_t seed)
{
    *q = (question){.outputs = 1, .bound = BOUND};
    trial_make(&q->t, wanted, seed);
    const sac_attention_shape *shape = &q->t.shape;
    for (int i = 0; i < shape->output_rank; i++)
        q->outputs *= shape->output_shape[i];
    q->doutput = calloc(q->outputs, sizeof *q->doutput);
    q->output = calloc(q->outputs, sizeof *q->output);
    reference_fill(q->doutput, q->outputs, 99);
    for (int i = 0; i < PARTS; i++)
        if (part_of(&q->t.input, i))
            q->gradients[i] = calloc(sac_array_count(part_of(&q->t.input, i)), sizeof(double));
    double **g = q->gradients;
    sac_reference_gradients gradients = {g[QUERY], g[KEY], g[VALUE], g[W_Q],
                                         g[W_K],   g[W_V], g[W_QK],  g[SINKS]};
    OK(sac_attention_reference(&q->t.spec, &q->t.input, q->output, NULL, NULL, &failure));
    OK(sac_attention_reference_backward(&q->t.spec, &q->t.input, q->doutput, &gradients, &failure));
    q->log_scale = gradients.log_scale;
}

static void question_free(question *q)
{
    for (int i = 0; i < PARTS; i++)
        free(q->gradients[i]);
    free(q->doutput);
    free(q->output);
    trial_free(&q->t);
}

/* ---------------------------------------------------------------- the reference */

static double loss(const question *q)
{
    OK(sac_attention_reference(&q->t.spec, &q->t.input, q->output, NULL, NULL, &failure));
    return reference_dot(q->output, q->doutput, q->outputs);
}

/* Central differences of two steps, the error of which is of the fourth order: with a step of 2^-7
 * about 1e-8. Inputs are multiples of 2^-9 first, so that float32 holds each moved one exactly. */
static void differences(question *q, float *x, size_t count, double *gradient)
{
    const float step = 0x1p-7f;
    for (size_t i = 0; i < count; i++) {
        float before = x[i];
        double moved[5];
        for (int n = -2; n <= 2; n++) {
            x[i] = before + (float)n * step;
            moved[n + 2] = n ? loss(q) : 0;
        }
        x[i] = before;
        gradient[i] = (8 * (moved[3] - moved[1]) - (moved[4] - moved[0])) / (12 * (double)step);
    }
}

static void coarsen(trial *t)
{
    for (int part = 0; part < PARTS; part++) {
        const sac_array *array = part_of(&t->input, part);
        for (size_t i = 0; array && i < sac_array_count(array); i++) {
            float *x = (float *)array->data + i;
            *x = roundf(*x * 512) / 512;
        }
    }
}

static void hold_reference_to_differences(const recipe *wanted)
{
    question q;
    question_make(&q, wanted, 7);
    coarsen(&q.t);
    for (int part = 0; part < PARTS; part++) {
        const sac_array *array = part_of(&q.t.input, part);
        if (array)
            memset(q.gradients[part], 0, sac_array_count(array) * sizeof(double));
    }
    double **g = q.gradients;
    sac_reference_gradients gradients = {g[QUERY], g[KEY], g[VALUE], g[W_Q],
                                         g[W_K],   g[W_V], g[W_QK],  g[SINKS]};
    OK(sac_attention_reference_backward(&q.t.spec, &q.t.input, q.doutput, &gradients, &failure));
    for (int part = 0; part < PARTS; part++) {
        const sac_array *array = part_of(&q.t.input, part);
        if (!array)
            continue;
        double *by_steps = calloc(sac_array_count(array), sizeof *by_steps);
        differences(&q, array->data, sac_array_count(array), by_steps);
        double off = relative_error(q.gradients[part], by_steps, sac_array_count(array));
        if (!(off < 1e-6))
            fail_msg("%s: the reference's d%s is off by %.1e", trial_text(&q.t), part_names[part],
                     off);
        free(by_steps);
    }
    question_free(&q);
}

TEST(the_reference_is_the_derivative)
{
    for (int score = 0; score < SAC_SCORE_COUNT; score++)
        for (int split = 0; split < 2; split++) {
            recipe r = {.spec = {.score = (sac_score)score,
                                 .split = (sac_head_split)split,
                                 .heads = 2,
                                 .bandwidth = 1 / 0.75f,
                                 .dropout = split ? 0.25f : 0,
                                 .seed = 3},
                        .batch = 1,
                        .queries = 3,
                        .keys = 4,
                        .query_dim = 3,
                        .key_dim = 3,
                        .value_dim = 2,
                        .hidden = 5,
                        .mask = split ? MASK_EVERYTHING : MASK_NONE};
            hold_reference_to_differences(&r);
            r.sinks = true;
            r.spec.softcap = 0.8f;
            hold_reference_to_differences(&r);
        }
}

/* By the scale itself: ∂loss/∂ln(scale) = scale ∂loss/∂scale. */
TEST(reference_gradient_of_the_scale_matches_differences)
{
    for (int score = 0; score < SAC_SCORE_COUNT; score++) {
        recipe r = {.spec = {.score = (sac_score)score, .use_scale = true, .scale = 0.5f},
                    .sinks = score % 2 == 0};
        r.spec.softcap = score % 2 ? 0.8f : 0;
        question q;
        question_make(&q, &r, 11);
        q.t.spec.scale = 0.5f + 0x1p-10f;
        double more = loss(&q);
        q.t.spec.scale = 0.5f - 0x1p-10f;
        double less = loss(&q);
        double slope = 0.5 * (more - less) / 0x1p-9;
        assert_true(fabs(slope - q.log_scale) < 1e-4 * (1 + fabs(slope)));
        question_free(&q);
    }
}

/* ---------------------------------------------------------------- on the device */

static double *doubles_of(const sac_array *array)
{
    size_t count = sac_array_count(array);
    double *x = malloc((count + 1) * sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = ((const float *)array->data)[i];
    return x;
}

static sac_span span_of(const sac_array *array)
{
    double *x = doubles_of(array);
    sac_span span = reference_span(x, sac_array_count(array));
    free(x);
    return span;
}

static cl_mem buffer_of(const sac_array *array)
{
    cl_mem buffer = NULL;
    if (array)
        OK(sac_buffer_create(reference_device(),
                             sac_array_count(array) * sac_dtype_size(array->dtype), array->data,
                             &buffer, &failure));
    return buffer;
}

/* The layer with all that it reads and writes. */
typedef struct run {
    sac_attention_layer layer;
    sac_attention_tensors tensors;
    sac_attention_layer_gradients slopes;
    sac_parameter parameters[PARTS];
    sac_span values[PARTS], slopes_of[PARTS];
    sac_span output, stats, doutput, log_scale;
} run;

/* [B,T,H·d] as rows of H·d, or [B,H,T,d] as rows of d. */
static sac_tensor tensor_of(const question *q, sac_span span, size_t heads, size_t length,
                            size_t dim)
{
    const sac_attention_shape *s = &q->t.shape;
    bool joined = q->t.spec.split == SAC_SPLIT_TRANSPOSE;
    size_t rows = s->batch * length;
    return joined ? reference_tensor(span, rows, heads * dim)
                  : reference_tensor(span, rows * heads, dim);
}

static void set_layer(const question *q, run *r)
{
    const sac_attention_input *in = &q->t.input;
    r->layer = (sac_attention_layer){.spec = q->t.spec,
                                     .batch = q->t.shape.batch,
                                     .padding = buffer_of(in->key_padding_mask),
                                     .mask = buffer_of(in->attn_mask),
                                     .W_q = &r->parameters[W_Q],
                                     .W_k = &r->parameters[W_K],
                                     .w_v = &r->parameters[W_V],
                                     .W_qk = &r->parameters[W_QK],
                                     .sinks = in->sinks ? &r->parameters[SINKS] : NULL};
    r->layer.spec.heads = (int)q->t.shape.heads;
    r->layer.spec.key_heads = (int)q->t.shape.key_heads;
    const sac_array *mask = in->attn_mask;
    if (mask) { /* [Tq,Tk], [B,Tq,Tk] or [B,H,Tq,Tk] */
        const size_t *s = mask->shape;
        int rank = mask->rank;
        size_t shape[] = {rank > 2 ? s[0] : 1, rank > 3 ? s[1] : 1, s[rank - 2], s[rank - 1]};
        memcpy(r->layer.mask_shape, shape, sizeof shape);
    }
    r->layer.mask_is_float = mask && mask->dtype == SAC_F32;
}

static void run_make(const question *q, run *r)
{
    const sac_attention_shape *s = &q->t.shape;
    const double zero[64] = {0};
    *r = (run){0};
    for (int i = 0; i < PARTS; i++) {
        const sac_array *array = part_of(&q->t.input, i);
        if (!array)
            continue;
        size_t count = sac_array_count(array), width = array->shape[array->rank - 1];
        double *zeros = calloc(count, sizeof *zeros);
        r->values[i] = span_of(array);
        r->slopes_of[i] = reference_span(i >= W_Q ? zeros : NULL, count);
        r->parameters[i] = reference_parameter(r->values[i], r->slopes_of[i], count / width, width);
        free(zeros);
    }
    r->output = reference_span(NULL, q->outputs);
    r->doutput = reference_span(q->doutput, q->outputs);
    r->stats = reference_span(NULL, 2 * s->batch * s->heads * s->queries);
    r->log_scale = reference_span(zero, 1);
    set_layer(q, r);
    r->tensors = (sac_attention_tensors){
        .query = tensor_of(q, r->values[QUERY], s->heads, s->queries, s->query_dim),
        .key = tensor_of(q, r->values[KEY], s->key_heads, s->keys, s->key_dim),
        .value = tensor_of(q, r->values[VALUE], s->key_heads, s->keys, s->value_dim),
        .output = tensor_of(q, r->output, s->heads, s->queries, s->value_dim),
        .stats = reference_tensor(r->stats, s->batch * s->heads * s->queries, 2)};
    r->slopes = (sac_attention_layer_gradients){
        .doutput = tensor_of(q, r->doutput, s->heads, s->queries, s->value_dim),
        .dquery = tensor_of(q, r->slopes_of[QUERY], s->heads, s->queries, s->query_dim),
        .dkey = tensor_of(q, r->slopes_of[KEY], s->key_heads, s->keys, s->key_dim),
        .dvalue = tensor_of(q, r->slopes_of[VALUE], s->key_heads, s->keys, s->value_dim),
        .dlog_scale = reference_tensor(r->log_scale, 1, 1)};
}

static void run_free(run *r)
{
    for (int i = 0; i < PARTS; i++) {
        sac_span_release(&r->values[i]);
        sac_span_release(&r->slopes_of[i]);
    }
    sac_span *spans[] = {&r->output, &r->stats, &r->doutput, &r->log_scale};
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        sac_span_release(spans[i]);
    sac_buffer_release(r->layer.padding);
    sac_buffer_release(r->layer.mask);
}

/* ‖given − truth‖ / ‖truth‖; beside a truth of 0 stand the roundings of what cancels. */
static double distance(const float *given, const double *truth, size_t count)
{
    double apart = 0, whole = 0;
    for (size_t i = 0; i < count; i++) {
        apart += (given[i] - truth[i]) * (given[i] - truth[i]);
        whole += truth[i] * truth[i];
    }
    return sqrt(apart) / fmax(sqrt(whole), 0.1);
}

static void check(const question *q, sac_span span, const double *truth, size_t count,
                  const char *name)
{
    float *given = malloc((count + 1) * sizeof *given);
    OK(sac_span_read(reference_device(), span, count, given, &failure));
    double off = distance(given, truth, count);
    if (!(off <= q->bound))
        fail_msg("%s, %s: %s is off by %.1e, which may be %.1e",
                 sac_variant_name(q->t.spec.variant), trial_text(&q->t), name, off, q->bound);
    reference_check_guards(span, count, name);
    free(given);
}

/* The device poses as that vendor's GPU. */
static void pose_as(const char *vendor)
{
    sac_device_info *info = &reference_device()->info;
    snprintf(info->vendor, sizeof info->vendor, "%s", vendor);
    info->is_cpu = false;
    info->is_gpu = true;
}

static void hold_to_question(const question *asked, sac_variant variant)
{
    question q = *asked;
    run r;
    float log_scale;
    bool is_slow = variant == SAC_VARIANT_GPU; /* to compile, on a CPU: backwards alone */
    if (is_slow) /* the simulator would test itself for minutes before it chose */
        q.t.spec.variant = reference_is_oclgrind() ? SAC_VARIANT_NAIVE : SAC_VARIANT_AUTO;
    else
        q.t.spec.variant = variant;
    run_make(&q, &r);
    sac_attention_layer_forward(reference_pass(), &r.layer, &r.tensors);
    reference_end();
    q.t.spec.variant = r.layer.spec.variant = variant;
    check(&q, r.output, q.output, q.outputs, "output");
    sac_device_info own = reference_device()->info;
    if (q.vendor)
        pose_as(q.vendor);
    sac_attention_layer_backward(reference_pass(), &r.layer, &r.tensors, &r.slopes);
    reference_device()->info = own;
    reference_end();
    for (int i = 0; i < PARTS; i++)
        if (q.gradients[i])
            check(&q, r.slopes_of[i], q.gradients[i], sac_array_count(part_of(&q.t.input, i)),
                  part_names[i]);
    OK(sac_span_read(reference_device(), r.log_scale, 1, &log_scale, &failure));
    if (!(fabs(log_scale - q.log_scale) <= 1e-4 * (1 + fabs(q.log_scale))))
        fail_msg("%s, %s: dlog_scale is %g, not %g", sac_variant_name(variant), trial_text(&q.t),
                 (double)log_scale, q.log_scale);
    run_free(&r);
}

/* All variants that have a backward pass for the device. */
static void hold_variants_to_question(const question *q)
{
    for (const sac_variant *v = sac_backward_candidates(reference_device()); *v; v++)
        hold_to_question(q, *v);
}

static void hold_layer_to_reference(const recipe *wanted, uint64_t seed)
{
    question q;
    question_make(&q, wanted, seed);
    hold_variants_to_question(&q);
    question_free(&q);
}

/* The simulator is shown each form of score once: it looks at where a kernel reads and writes. */
static bool is_left_out(sac_score score)
{
    return reference_is_oclgrind() && (score == SAC_SCORE_DOT || score == SAC_SCORE_BILINEAR);
}

/* What is true of the numbers alone. */
static void leave_out_on_oclgrind(void)
{
    if (reference_is_oclgrind())
        skip();
}

TEST(every_score_and_mask_in_both_layouts)
{
    int step = reference_is_oclgrind() ? 19 : 1, which = 0;
    for (int score = 0; score < SAC_SCORE_COUNT; score++)
        for (int mask = 0; mask < MASK_COUNT; mask++)
            for (int split = 0; split < 2; split++) {
                recipe r = {.spec = {.score = (sac_score)score,
                                     .split = (sac_head_split)split,
                                     .heads = 2,
                                     .bandwidth = 1 / 0.5f},
                            .batch = 2,
                            .queries = 5,
                            .keys = 7,
                            .mask = (trial_mask)mask};
                if (which++ % step == 0)
                    hold_layer_to_reference(&r, (uint64_t)which);
            }
}

/* One; a prime; one off a tile; and few queries for many keys. */
TEST(sizes_around_a_tile)
{
    static const size_t sizes[][4] = {{1, 1, 1, 1},   {1, 13, 3, 2},    {11, 1, 5, 7},
                                      {17, 31, 8, 8}, {33, 65, 16, 17}, {1, 257, 4, 4}};
    size_t count = reference_is_oclgrind() ? 3 : sizeof sizes / sizeof *sizes;
    for (size_t i = 0; i < count; i++)
        for (int score = 0; score < SAC_SCORE_COUNT; score++) {
            if (is_left_out((sac_score)score))
                continue;
            recipe r = {.spec = {.score = (sac_score)score, .heads = 3},
                        .queries = sizes[i][0],
                        .keys = sizes[i][1],
                        .query_dim = sizes[i][2],
                        .key_dim = sizes[i][2],
                        .value_dim = sizes[i][3]};
            hold_layer_to_reference(&r, i);
        }
}

/* The condition of the scores' gradient P (dP − Σ P dP): the length of what is subtracted from each
 * other over the length of what is left. In rows that see few keys little is left, and the
 * roundings of dP and of the sum, which the kernels take from output and its gradient, stay. One
 * head without dropout. */
static double condition(const question *q)
{
    const sac_attention_shape *s = &q->t.shape;
    const float *value = q->t.input.value->data;
    double *weights = calloc(s->queries * s->keys, sizeof *weights), subtracted = 0, left = 0;
    double *dP = calloc(s->keys, sizeof *dP);
    OK(sac_attention_reference(&q->t.spec, &q->t.input, NULL, NULL, weights, &failure));
    for (size_t i = 0; i < s->queries; i++) {
        const double *P = weights + i * s->keys;
        double mean = 0;
        for (size_t j = 0; j < s->keys; j++) {
            dP[j] = 0;
            for (size_t c = 0; c < s->value_dim; c++)
                dP[j] += q->doutput[i * s->value_dim + c] * (double)value[j * s->value_dim + c];
            mean += P[j] * dP[j];
        }
        for (size_t j = 0; j < s->keys; j++) {
            subtracted += pow(P[j] * (fabs(dP[j]) + fabs(mean)), 2);
            left += pow(P[j] * (dP[j] - mean), 2);
        }
    }
    free(weights);
    free(dP);
    return sqrt(subtracted / left);
}

/* Roundings of 2⁻²⁴ in sums of n products, which grow as √n where they are independent, and then as
 * the condition. CPU and naive kernels were at most 1.4 times that off, with the additive score 4
 * times, whose tanh passes on the roundings of the sums that go into it. */
static double bound_of(const question *q)
{
    const sac_attention_shape *s = &q->t.shape;
    double n = (double)(s->query_dim > s->value_dim ? s->query_dim : s->value_dim);
    double times = q->t.spec.score == SAC_SCORE_ADDITIVE ? 8 : 3;
    return times * 0x1p-24 * sqrt(n) * condition(q);
}

/* The same where sums are long and much may cancel: the bound follows from both. */
static void hold_layer_to_analysis(const recipe *wanted, uint64_t seed)
{
    question q;
    question_make(&q, wanted, seed);
    q.bound = bound_of(&q);
    hold_variants_to_question(&q);
    question_free(&q);
}

/* More than a tile of keys and a strip of queries, narrow and wide heads, causal and not. */
TEST(many_tiles)
{
    static const size_t sizes[][4] = {{45, 150, 37, 20},    {70, 290, 64, 64}, {290, 70, 40, 33},
                                      {130, 300, 100, 128}, {30, 130, 300, 7}, {9, 40, 7, 600}};
    size_t count = reference_is_oclgrind() ? 1 : sizeof sizes / sizeof *sizes;
    for (size_t i = 0; i < count; i++)
        for (int score = 0; score < SAC_SCORE_COUNT; score++)
            for (int causal = 0; causal < 2; causal++) {
                /* Wide heads have scores near 0: at −300 the rounding of a logit alone is 1e-5 of a
                 * weight. */
                recipe r = {.spec = {.score = (sac_score)score, .heads = 1, .bandwidth = 1 / 0.2f},
                            .spread = sizes[i][2] > 100 ? 0.25 : 1,
                            .queries = sizes[i][0],
                            .keys = sizes[i][1],
                            .query_dim = sizes[i][2],
                            .key_dim = sizes[i][2],
                            .value_dim = sizes[i][3],
                            .hidden = sizes[i][2] > 100 ? 40 : sizes[i][2],
                            .mask = causal ? MASK_EVERYTHING : MASK_NONE};
                r.spec.alignment = (sac_alignment)((i + (size_t)score) % SAC_ALIGN_COUNT);
                if (!reference_is_oclgrind() || (causal && !is_left_out((sac_score)score)))
                    hold_layer_to_analysis(&r, i);
            }
}

/* Shares of a sink and slopes of a cap go through every product; log_scale has no middle then. */
TEST(capped_scores_and_sinks)
{
    static const size_t sizes[][2] = {{5, 9}, {150, 300}, {131, 67}};
    size_t count = reference_is_oclgrind() ? 1 : sizeof sizes / sizeof *sizes;
    for (size_t i = 0; i < count; i++)
        for (int score = 0; score < SAC_SCORE_COUNT; score++)
            for (int form = 0; form < 3; form++) {
                recipe r = {.spec = {.score = (sac_score)score,
                                     .heads = 4,
                                     .key_heads = 2,
                                     .softcap = form ? 1.25f : 0,
                                     .alignment = SAC_ALIGN_BOTTOM_RIGHT,
                                     .dropout = form == 2 ? 0.2f : 0,
                                     .seed = 9},
                            .batch = 2,
                            .queries = sizes[i][0],
                            .keys = sizes[i][1],
                            .mask = form == 2 ? MASK_EVERYTHING : MASK_CAUSAL,
                            .sinks = form != 1};
                if (!is_left_out((sac_score)score))
                    hold_layer_to_reference(&r, 51);
            }
}

TEST(heads_that_share_keys_collect_their_gradients)
{
    for (int score = 0; score < SAC_SCORE_COUNT; score++)
        for (int split = 0; split < 2; split++) {
            recipe r = {.spec = {.score = (sac_score)score,
                                 .split = (sac_head_split)split,
                                 .heads = 6,
                                 .key_heads = split ? 2 : 3,
                                 .dropout = 0.2f,
                                 .seed = 9},
                        .batch = 2,
                        .queries = 11,
                        .keys = 17,
                        .mask = MASK_FLOAT_SPREAD};
            if (!is_left_out((sac_score)score))
                hold_layer_to_reference(&r, 31);
        }
}

TEST(a_window_is_one_backwards_too)
{
    static const size_t sizes[][3] = {{5, 9, 2}, {70, 300, 40}, {300, 70, 100}, {200, 200, 1}};
    size_t count = reference_is_oclgrind() ? 1 : sizeof sizes / sizeof *sizes;
    for (size_t i = 0; i < count; i++)
        for (int form = 0; form < 2 * SAC_ALIGN_COUNT + 4; form++) {
            int alignment = form / 2 < SAC_ALIGN_COUNT ? form / 2 : SAC_ALIGN_OFFSET;
            recipe r = {.spec = {.score = SAC_SCORE_SCALED_DOT,
                                 .heads = 2,
                                 .key_heads = 1,
                                 .causal = form % 2,
                                 .alignment = (sac_alignment)alignment,
                                 .offset = (int[]){40, -33, 1000}[form / 2 % 3],
                                 .window = sizes[i][2]},
                        .queries = sizes[i][0],
                        .keys = sizes[i][1]};
            hold_layer_to_reference(&r, i);
        }
}

/* Heads that share keys, dropout, and every mask. */
#define EVERYTHING_SHARED                                                                          \
    {                                                                                              \
        .spec = {.heads = 4, .key_heads = 2, .dropout = 0.2f, .seed = 4}, .batch = 2,              \
        .queries = 40, .keys = 70, .mask = MASK_EVERYTHING                                         \
    }

/* Holds the GPU's kernels to them, of which oclgrind has time for the first; `vendor`: of a device that poses as
 * its own, or NULL. */
static void hold_gpu_to(const recipe *wanted, size_t count, const char *vendor)
{
    for (size_t i = 0; i < (reference_is_oclgrind() ? 1 : count); i++) {
        question q;
        question_make(&q, &wanted[i], i);
        q.vendor = vendor;
        hold_to_question(&q, SAC_VARIANT_GPU);
        question_free(&q);
    }
}

/* On a CPU too, where nothing else uses them: a program for each score, that PoCL compiles for
 * ten seconds. Heads up to 32 wide are one. */
TEST(the_gpu_kernels_are_right_on_every_device)
{
    FULL_ONLY;
    static const recipe wanted[] = {
        EVERYTHING_SHARED,
        {.spec = {.heads = 2,
                  .causal = true,
                  .alignment = SAC_ALIGN_BOTTOM_RIGHT,
                  .window = 9,
                  .split = SAC_SPLIT_VIEW},
         .queries = 70,
         .keys = 40,
         .query_dim = 17,
         .key_dim = 17,
         .value_dim = 3},
        {.spec = {.score = SAC_SCORE_GAUSSIAN, .heads = 2}, .mask = MASK_BLOCKED_ROWS},
        {.spec = {.heads = 2, .softcap = 1.25f}, .queries = 45, .keys = 70, .sinks = true},
        {.spec = {.score = SAC_SCORE_ADDITIVE, .heads = 2}, .mask = MASK_FLOAT_SPREAD}};
    hold_gpu_to(wanted, sizeof wanted / sizeof *wanted, NULL);
}

/* Whose tiles of gradients are their own: heads of 32, and of 128. */
TEST(intels_tiles_are_right_on_every_device)
{
    FULL_ONLY;
    static const recipe wanted[] = {EVERYTHING_SHARED,
                                    {.spec = {.heads = 2, .causal = true},
                                     .queries = 150,
                                     .keys = 140,
                                     .query_dim = 100,
                                     .key_dim = 100,
                                     .value_dim = 90}};
    hold_gpu_to(wanted, sizeof wanted / sizeof *wanted, "Intel");
}

/* Sums are taken in one order, whatever the device's cores do meanwhile. */
TEST(two_runs_give_the_same_bytes)
{
    leave_out_on_oclgrind();
    recipe wanted = {.spec = {.heads = 2, .causal = true}, .queries = 70, .keys = 300};
    question q;
    run r;
    float *numbers[2];
    question_make(&q, &wanted, 41);
    size_t count = sac_array_count(part_of(&q.t.input, QUERY));
    run_make(&q, &r);
    sac_attention_layer_forward(reference_pass(), &r.layer, &r.tensors);
    for (int i = 0; i < 2; i++) {
        numbers[i] = malloc(count * sizeof *numbers[i]);
        sac_attention_layer_backward(reference_pass(), &r.layer, &r.tensors, &r.slopes);
        reference_end();
        OK(sac_span_read(reference_device(), r.slopes_of[QUERY], count, numbers[i], &failure));
    }
    assert_memory_equal(numbers[0], numbers[1], count * sizeof *numbers[0]);
    free(numbers[0]);
    free(numbers[1]);
    run_free(&r);
    question_free(&q);
}

TEST(dropout_drops_the_same_weights_forwards_and_backwards)
{
    for (int score = 0; score < SAC_SCORE_COUNT; score++) {
        recipe r = {.spec = {.score = (sac_score)score, .heads = 2, .dropout = 0.3f, .seed = 5},
                    .batch = 2,
                    .mask = MASK_PADDING};
        if (!is_left_out((sac_score)score))
            hold_layer_to_reference(&r, 21);
    }
}

TEST(a_negative_scale_is_right)
{
    leave_out_on_oclgrind();
    for (int score = 0; score < SAC_SCORE_COUNT; score++) {
        recipe r = {.spec = {.score = (sac_score)score, .use_scale = true, .scale = -0.4f},
                    .mask = MASK_CAUSAL};
        hold_layer_to_reference(&r, 22);
    }
}

/* Verdicts are set in the device's memory alone: other tests share what is on disk. */
static void set_verdicts(const char *verdicts, char *before)
{
    sac_device *device = reference_device();
    if (before)
        memcpy(before, device->verdicts, sizeof device->verdicts);
    snprintf(device->verdicts, sizeof device->verdicts, "%s", verdicts);
}

TEST(gradients_that_come_out_wrong_are_refused)
{
    char before[sizeof reference_device()->verdicts];
    question q;
    run r;
    question_make(&q, &(recipe){.spec = {.score = SAC_SCORE_DOT}}, 5);
    run_make(&q, &r);
    set_verdicts("backward-cpu-dot refused\nbackward-gpu-dot refused\nbackward-naive-dot refused\n",
                 before);
    sac_attention_layer_backward(reference_pass(), &r.layer, &r.tensors, &r.slopes);
    REFUSES(SAC_E_DEVICE, "…gradients of attention come out wrong…",
            sac_pass_end(reference_pass(), &failure));
    set_verdicts(before, NULL);
    run_free(&r);
    question_free(&q);
}

TEST(the_naive_kernel_stands_in_for_one_that_is_wrong)
{
    char before[sizeof reference_device()->verdicts];
    sac_variant variant;
    set_verdicts("backward-cpu-dot refused\nbackward-gpu-dot refused\nbackward-naive-dot passed\n",
                 before);
    OK(sac_backward_choose(reference_device(), SAC_SCORE_DOT, false, SAC_NORMALIZER_SOFTMAX,
                           &variant, &failure));
    assert_int_equal(variant, SAC_VARIANT_NAIVE);
    set_verdicts("backward-cpu-dot passed\nbackward-gpu-dot passed\n", NULL);
    OK(sac_backward_choose(reference_device(), SAC_SCORE_DOT, false, SAC_NORMALIZER_SOFTMAX,
                           &variant, &failure));
    assert_int_equal(variant, sac_backward_candidates(reference_device())[0]);
    set_verdicts(before, NULL);
}

static void check_gradients(const sac_backward_question *asked)
{
    sac_error error = {0};
    sac_tested tested = sac_backward_make_test(asked);
    double off;
    sac_tested_run(reference_device(), &tested, NULL, NULL, &off, &error);
    if (!(off > 1e-9 && off <= tested.bound))
        fail_msg("%s: %g; %s: %s", tested.name, off, error.where, error.what);
}

TEST(the_self_test_finds_the_gradients_right)
{
    leave_out_on_oclgrind();
    sac_score forms[SAC_SCORE_COUNT];
    size_t count = sac_score_forms(forms);
    for (const sac_variant *v = sac_backward_candidates(reference_device()); *v; v++)
        for (size_t i = 0; i < 2 * count; i++)
            check_gradients(&(sac_backward_question){*v, forms[i % count], i >= count,
                                                     SAC_NORMALIZER_SOFTMAX, NULL});
}

TEST(gradients_by_instructions_for_matrices_are_right)
{
    leave_out_on_oclgrind();
    sac_device *device = reference_device();
    sac_tiling squares;
    sac_tiling_of_squares(&device->info, &squares);
    if (!device->profile.is_cpu || squares.width != 16)
        skip();
    for (unsigned pairs = device->profile.has_squares ? SAC_SQUARES : SAC_SQUARES_BY_LOOPS;
         pairs <= SAC_SQUARES_BY_LOOPS; pairs++)
        for (int capped = 0; capped < 2; capped++) {
            squares.pairs = pairs;
            check_gradients(&(sac_backward_question){SAC_VARIANT_CPU, SAC_SCORE_DOT, capped,
                                                     SAC_NORMALIZER_SOFTMAX, &squares});
        }
}

TEST_MAIN(NULL, reference_close)
