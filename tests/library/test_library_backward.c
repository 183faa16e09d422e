/* The public backward pass: every gradient of every input is the derivative of the float64
 * reference, on the host's arrays and in a caller's buffers. */

#include "attention/reference/reference_backward.h"
#include "device/device.h"
#include "extent.h"
#include "saccade_cl.h"
#include "status.h"
#include "trial.h"
#include <float.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

enum { MOST_FLOATS = 4096, PARTS = 16 };
#define BOUND 5e-6 /* float32 rounding gives 1e-6, a wrong formula 1e-2 and more */

static const char *const names[PARTS] = {
    "query",  "key",    "value",  "W_q",    "W_k",    "w_v",      "W_qk",     "q_proj",
    "q_bias", "k_proj", "k_bias", "v_proj", "v_bias", "out_proj", "out_bias", "sinks"};

static const sac_array *part_of(const sac_attention_input *in, int part)
{
    const sac_array *const parts[PARTS] = {in->query,         in->key,
                                           in->value,         in->score_W_q,
                                           in->score_W_k,     in->score_w_v,
                                           in->score_W_qk,    in->q_proj_weight,
                                           in->q_proj_bias,   in->k_proj_weight,
                                           in->k_proj_bias,   in->v_proj_weight,
                                           in->v_proj_bias,   in->out_proj_weight,
                                           in->out_proj_bias, in->sinks};
    return parts[part];
}

/* What a call of sac_attend_backward writes to. */
typedef struct slopes {
    float of[PARTS][MOST_FLOATS], log_scale;
} slopes;

/* Asks for what there is. */
static sac_attention_gradients ask(const sac_attention_input *in, slopes *s)
{
    float *p[PARTS];
    for (int i = 0; i < PARTS; i++)
        p[i] = part_of(in, i) ? s->of[i] : NULL;
    return (sac_attention_gradients){p[0],  p[1],  p[2],  p[3],          p[4],  p[5],
                                     p[6],  p[7],  p[8],  p[9],          p[10], p[11],
                                     p[12], p[13], p[14], &s->log_scale, p[15]};
}

/* ---------------------------------------------------------------- by differences */

static size_t outputs_of(const trial *t)
{
    size_t count = 1;
    for (int i = 0; i < t->shape.output_rank; i++)
        count *= t->shape.output_shape[i];
    return count;
}

static double loss(const trial *t, const float *doutput)
{
    size_t count = outputs_of(t);
    double *output = malloc(count * sizeof *output), sum = 0;
    OK(sac_attention_reference(&t->spec, &t->input, output, NULL, NULL, NULL));
    for (size_t i = 0; i < count; i++)
        sum += output[i] * doutput[i];
    free(output);
    return sum;
}

/* Central differences of two steps, with an error of the fourth order. */
static double difference_by(float step, const trial *t, const float *doutput, float *x)
{
    float before = *x;
    double moved[5];
    for (int n = -2; n <= 2; n++) {
        *x = before + (float)n * step;
        moved[n + 2] = n ? loss(t, doutput) : 0;
    }
    *x = before;
    return (8 * (moved[3] - moved[1]) - (moved[4] - moved[0])) / (12 * (double)step);
}

static double difference(const trial *t, const float *doutput, float *x)
{
    return difference_by(0x1p-9f, t, doutput, x);
}

/* False where the loss has a corner within the steps: the second derivative of 1.5-entmax, and the first of
 * sparsemax, jump where a weight becomes 0, and shorter steps then give another difference. */
static bool is_smooth(const trial *t, const float *doutput, float *x, double difference)
{
    double shorter = difference_by(0x1p-11f, t, doutput, x);
    return t->spec.normalizer == SAC_NORMALIZER_SOFTMAX ||
           fabs(shorter - difference) <= 1e-6 * (1 + fabs(shorter));
}

static double norm(const float *x, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)x[i] * x[i];
    return sqrt(sum);
}

/* `largest`: of the gradients' norms, since roundings of their size stand in what cancels, as the
 * gradient of a key's bias does. Returns how many of the numbers could be held to differences. */
static size_t check_part(const trial *t, const float *doutput, int part, const float *given,
                         double largest)
{
    const sac_array *array = part_of(&t->input, part);
    float *x = (float *)array->data;
    double apart = 0;
    size_t smooth = 0;
    for (size_t i = 0; i < sac_array_count(array); i++) {
        double truth = difference(t, doutput, &x[i]);
        if (!is_smooth(t, doutput, &x[i], truth))
            continue;
        smooth++;
        apart += (given[i] - truth) * (given[i] - truth);
    }
    double off = sqrt(apart) / largest;
    if (!(off <= BOUND))
        fail_msg("%s: the gradient of %s is off by %.1e", trial_text(t), names[part], off);
    return smooth;
}

/* Numbers that float32 holds moved by a step, too. */
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

static void draw_slopes(trial *t, float *doutput)
{
    for (size_t i = 0; i < outputs_of(t); i++)
        doutput[i] = (float)trial_normal(t);
}

static void hold_to_differences(const recipe *wanted)
{
    trial t;
    static slopes s;
    static float doutput[MOST_FLOATS];
    trial_make(&t, wanted, 17);
    coarsen(&t);
    draw_slopes(&t, doutput);
    sac_attention_gradients gradients = ask(&t.input, &s);
    if (sac_attend_backward(test_device(), &t.spec, &t.input, doutput, &gradients, NULL, &failure))
        fail_msg("%s: %s: %s", trial_text(&t), failure.where, failure.what);
    double largest = 0;
    size_t held = 0, all = 0;
    for (int part = 0; part < PARTS; part++)
        if (part_of(&t.input, part))
            largest = fmax(largest, norm(s.of[part], sac_array_count(part_of(&t.input, part))));
    for (int part = 0; part < PARTS; part++)
        if (part_of(&t.input, part)) {
            held += check_part(&t, doutput, part, s.of[part], largest);
            all += sac_array_count(part_of(&t.input, part));
        }
    assert_true(2 * held >= all);
    trial_free(&t);
}

/* Queries, keys and values alone. */
static void hold_to_reference(const recipe *wanted)
{
    trial t;
    size_t counts[3], most = 0;
    trial_make(&t, wanted, 17);
    for (int part = 0; part < 3; part++) {
        counts[part] = sac_array_count(part_of(&t.input, part));
        most = counts[part] > most ? counts[part] : most;
    }
    size_t outputs = outputs_of(&t), spare = 4 * most + 1000;
    float *given = calloc(3 * most + outputs, sizeof *given), *doutput = given + 3 * most;
    double *truth = calloc(3 * most + outputs + spare, sizeof *truth);
    double *above = truth + 3 * most, *others = above + outputs;
    assert_true(given && truth);
    draw_slopes(&t, doutput);
    for (size_t i = 0; i < outputs; i++)
        above[i] = doutput[i];
    sac_reference_gradients right = {.query = truth,
                                     .key = truth + most,
                                     .value = truth + 2 * most,
                                     .W_q = others,
                                     .W_k = others + most,
                                     .w_v = others + 2 * most,
                                     .W_qk = others + 3 * most};
    OK(sac_attention_reference_backward(&t.spec, &t.input, above, &right, NULL));
    sac_attention_gradients gradients = {
        .query = given, .key = given + most, .value = given + 2 * most};
    if (sac_attend_backward(test_device(), &t.spec, &t.input, doutput, &gradients, NULL, &failure))
        fail_msg("%s: %s: %s", trial_text(&t), failure.where, failure.what);
    for (int part = 0; part < 3; part++) {
        double apart = 0, whole = 0;
        for (size_t i = 0; i < counts[part]; i++) {
            double off = given[part * most + i] - truth[part * most + i];
            apart += off * off;
            whole += truth[part * most + i] * truth[part * most + i];
        }
        if (!(sqrt(apart / whole) <= 2e-5)) /* a weight of a threshold: as of the self-test */
            fail_msg("%s, %s: the gradient of %s is off by %.1e", sac_variant_name(t.spec.variant),
                     trial_text(&t), names[part], sqrt(apart / whole));
    }
    free(given);
    free(truth);
    trial_free(&t);
}

TEST(every_gradient_is_the_derivative)
{
    int step = is_oclgrind() ? 4 : 1, which = 0;
    for (int score = 0; score < SAC_SCORE_COUNT; score++)
        for (int form = 0; form < 4; form++) {
            recipe r = {.spec = {.score = (sac_score)score,
                                 .heads = 2,
                                 .split = form == 2 ? SAC_SPLIT_VIEW : SAC_SPLIT_TRANSPOSE,
                                 .bandwidth = 1 / 0.75f,
                                 .dropout = form == 1 ? 0.25f : 0,
                                 .seed = 3},
                        .batch = form == 2 ? 2 : 1,
                        .queries = 5,
                        .keys = 6,
                        .rank = form == 3 ? 4 : 3,
                        .mask = form == 1 ? MASK_EVERYTHING : MASK_BLOCKED_ROWS,
                        .project = form == 0 || form == 1};
            if (which++ % step == 0)
                hold_to_differences(&r);
        }
}

TEST(those_of_capped_scores_and_sinks_too)
{
    for (int score = 0; score < SAC_SCORE_COUNT; score++)
        for (int form = 0; form < 3; form++) {
            recipe r = {.spec = {.score = (sac_score)score,
                                 .heads = 2,
                                 .softcap = form == 0 ? 0 : 1.5f,
                                 .alignment = SAC_ALIGN_BOTTOM_RIGHT,
                                 .dropout = form == 2 ? 0.25f : 0,
                                 .seed = 3},
                        .batch = form == 2 ? 2 : 1,
                        .queries = 7,
                        .keys = 6,
                        .mask = form == 2 ? MASK_EVERYTHING : MASK_BLOCKED_ROWS,
                        .project = form == 1,
                        .sinks = form != 1};
            if (!is_oclgrind() || (score + form) % 4 == 0)
                hold_to_differences(&r);
        }
}

/* Every normaliser with every score, masks, sinks, caps, dropout, projections and views. */
TEST(those_of_the_other_normalisers_too)
{
    int number = 0;
    for (int n = 1; n < SAC_NORMALIZER_COUNT; n++)
        for (int score = 0; score < SAC_SCORE_COUNT; score++)
            for (int form = 0; form < 4; form++, number++) {
                recipe r = {.spec = {.score = (sac_score)score,
                                     .normalizer = (sac_normalizer)n,
                                     .heads = 2,
                                     .split = form == 2 ? SAC_SPLIT_VIEW : SAC_SPLIT_TRANSPOSE,
                                     .bandwidth = 1 / 0.75f,
                                     .softcap = number % 3 == 2 ? 1.5f : 0,
                                     .window = number % 5 == 1 ? 4 : 0,
                                     .dropout = form == 1 ? 0.25f : 0,
                                     .seed = 3},
                            .batch = form == 2 ? 2 : 1,
                            .queries = 7,
                            .keys = 6,
                            .rank = form == 3 ? 4 : 3,
                            .mask = form == 1 ? MASK_EVERYTHING : MASK_BLOCKED_ROWS,
                            .project = form == 0 || form == 1,
                            .sinks = number % 2 == 1};
                if (is_oclgrind() ? number % 7 == 0 : test_is_full() || form == (score + n) % 4)
                    hold_to_differences(&r);
            }
}

/* Of more keys than a tile, against the reference, whose derivatives of a row the scores' own test holds to
 * differences; by all kernels. */
TEST(other_normalisers_have_the_gradients_of_the_reference)
{
    int count, number = 0;
    const sac_variant *variants = test_variants(&count);
    for (int n = 1; n < SAC_NORMALIZER_COUNT; n++)
        for (int form = 0; form < 6; form++, number++)
            for (int v = 0; v < count; v++) {
                static const size_t sizes[][2] = {{1, 131}, {77, 130}, {65, 64},
                                                  {9, 300}, {130, 9},  {33, 257}};
                recipe r = {.spec = {.score = (sac_score)(number % SAC_SCORE_COUNT),
                                     .normalizer = (sac_normalizer)n,
                                     .heads = 4,
                                     .key_heads = 1 << form % 3,
                                     .causal = form % 2,
                                     .alignment = SAC_ALIGN_BOTTOM_RIGHT,
                                     .variant = variants[v],
                                     .dropout = form == 4 ? 0.3f : 0},
                            .queries = sizes[form][0],
                            .keys = sizes[form][1],
                            .query_dim = 12,
                            .value_dim = 9,
                            .mask = form == 2 ? MASK_FLOAT_MATRIX : MASK_NONE,
                            .sinks = form == 3};
                if (!device_is_slow() || number % 6 == 1)
                    hold_to_reference(&r);
            }
}

TEST(heads_may_share_keys_behind_projections)
{
    recipe r = {.spec = {.heads = 4, .key_heads = 2, .causal = true, .window = 3},
                .batch = 2,
                .queries = 4,
                .keys = 5,
                .project = true};
    hold_to_differences(&r);
}

TEST(the_scale_has_a_gradient)
{
    for (int score = 0; score < SAC_SCORE_COUNT; score++) {
        trial t;
        static float doutput[MOST_FLOATS];
        float log_scale;
        recipe r = {.spec = {.score = (sac_score)score, .use_scale = true, .scale = 0.5f}};
        trial_make(&t, &r, 11);
        draw_slopes(&t, doutput);
        sac_attention_gradients gradients = {.log_scale = &log_scale};
        OK(sac_attend_backward(test_device(), &t.spec, &t.input, doutput, &gradients, NULL, NULL));
        double truth = 0.5 * difference(&t, doutput, &t.spec.scale);
        if (!(fabs(log_scale - truth) <= 1e-5 * (1 + fabs(truth))))
            fail_msg("%s: %g, not %g", trial_text(&t), (double)log_scale, truth);
        trial_free(&t);
    }
}

/* ---------------------------------------------------------------- where one key counts */

enum { QUERY, KEY, VALUE };

/* The keys for queries, each head's its own: every query meets itself, and with a large spread its
 * weight for itself is 1. */
static void ask_for_themselves(trial *t)
{
    const sac_attention_shape *s = &t->shape;
    float *query = (float *)t->input.query->data;
    const float *key = t->input.key->data;
    size_t group = s->heads / s->key_heads;
    for (size_t i = 0; i < s->queries * s->heads; i++) {
        size_t row = i / s->heads, head = i % s->heads / group;
        memcpy(query + i * s->query_dim, key + (row * s->key_heads + head) * s->key_dim,
               s->key_dim * sizeof *key);
    }
}

/* ‖given − truth‖ / ‖truth‖ of the value's gradient. */
static double value_error(const trial *t, const float *doutput, const float *given)
{
    static double g[PARTS][MOST_FLOATS], above[MOST_FLOATS];
    memset(g, 0, sizeof g);
    sac_reference_gradients truth = {.query = g[QUERY],
                                     .key = g[KEY],
                                     .value = g[VALUE],
                                     .W_q = g[3],
                                     .W_k = g[4],
                                     .w_v = g[5],
                                     .W_qk = g[6]};
    double apart = 0, whole = 0;
    for (size_t i = 0; i < outputs_of(t); i++)
        above[i] = doutput[i];
    OK(sac_attention_reference_backward(&t->spec, &t->input, above, &truth, NULL));
    for (size_t i = 0; i < sac_array_count(t->input.value); i++) {
        apart += (given[i] - g[VALUE][i]) * (given[i] - g[VALUE][i]);
        whole += g[VALUE][i] * g[VALUE][i];
    }
    return sqrt(apart / whole);
}

/* Holds the gradients of all but the value to `bound` of the value's, by all variants. */
static void hold_to_nothing(const recipe *wanted, bool themselves, double bound)
{
    int count;
    const sac_variant *variants = test_variants(&count);
    for (int v = 0; v < count; v++) {
        trial t;
        static slopes s;
        static float doutput[MOST_FLOATS];
        sac_error error = {0};
        trial_make(&t, wanted, 29);
        if (themselves)
            ask_for_themselves(&t);
        draw_slopes(&t, doutput);
        t.spec.variant = variants[v];
        sac_attention_gradients gradients = ask(&t.input, &s);
        if (sac_attend_backward(test_device(), &t.spec, &t.input, doutput, &gradients, NULL,
                                &error))
            fail_msg("%s: %s: %s", trial_text(&t), error.where, error.what);
        double most = bound * norm(s.of[VALUE], sac_array_count(t.input.value));
        most = fmax(most, FLT_MIN); /* smaller numbers, some devices take for 0 */
        for (int part = 0; part < PARTS; part++) {
            const sac_array *array = part_of(&t.input, part);
            if (array && part != VALUE && !(norm(s.of[part], sac_array_count(array)) <= most))
                fail_msg("%s, %s: the gradient of %s is %.1e, not below %.1e",
                         sac_variant_name(variants[v]), trial_text(&t), names[part],
                         norm(s.of[part], sac_array_count(array)), most);
        }
        assert_true(fabs((double)s.log_scale) <= most);
        double off = value_error(&t, doutput, s.of[VALUE]);
        if (!(off <= 1e-6))
            fail_msg("%s, %s: the gradient of value is off by %.1e", sac_variant_name(variants[v]),
                     trial_text(&t), off);
        trial_free(&t);
    }
}

/* Heads are wide enough for sums that kernels take in parts. */
static const recipe shared_heads = {.spec = {.heads = 4, .key_heads = 2, .seed = 3},
                                    .queries = 23,
                                    .keys = 23,
                                    .query_dim = 40,
                                    .value_dim = 40};

TEST(a_key_alone_gives_no_gradient)
{
    for (int score = 0; score < SAC_SCORE_COUNT; score++)
        for (int form = 0; form < 3; form++) {
            recipe alone = shared_heads, itself = shared_heads;
            alone.spec.score = (sac_score)score;
            alone.spec.normalizer = (sac_normalizer)((score + form) % SAC_NORMALIZER_COUNT);
            alone.spec.dropout = form == 1 ? 0.3f : 0;
            alone.spec.softcap = form == 2 ? 2 : 0;
            itself.spec = alone.spec;
            itself.spec.causal = true;
            itself.spec.window = 1;
            alone.keys = 1;
            if (is_oclgrind() && (score + form) % 4)
                continue;
            hold_to_nothing(&alone, false, 0);
            hold_to_nothing(&itself, false, 0);
        }
}

TEST(nor_does_one_that_has_all_the_weight)
{
    static const sac_score scores[] = {SAC_SCORE_SCALED_DOT, SAC_SCORE_GAUSSIAN};
    for (size_t i = 0; i < COUNT(scores); i++)
        for (int drops = 0; drops < 2; drops++) {
            recipe r = shared_heads;
            r.spec.score = scores[i];
            r.spec.dropout = drops ? 0.3f : 0;
            r.spread = 8; /* the other weights are below what float32 holds */
            hold_to_nothing(&r, true, 0);
            r.spread = 4; /* below 1e-10 */
            hold_to_nothing(&r, true, 1e-10);
        }
}

/* ---------------------------------------------------------------- in buffers */

static cl_mem buffer_of(sac_device *device, size_t count, const float *data)
{
    cl_mem buffer = NULL;
    OK(sac_buffer_create(device, count * sizeof *data, data, &buffer, NULL));
    return buffer;
}

static sac_cl_array on_device(sac_device *device, const sac_array *array)
{
    sac_cl_array made = {.rank = array->rank};
    made.buffer = buffer_of(device, sac_array_count(array), array->data);
    memcpy(made.shape, array->shape, (size_t)array->rank * sizeof *made.shape);
    return made;
}

static void assert_holds(sac_device *device, cl_mem buffer, size_t count, const float *numbers)
{
    float *read = malloc(count * sizeof *read);
    OK(sac_buffer_read(device, buffer, 0, count * sizeof *read, read, NULL));
    assert_memory_equal(read, numbers, count * sizeof *read);
    free(read);
}

/* The gradients go into buffers that hold no numbers before; or each into that of its array. */
static void hold_buffers_to_arrays(const recipe *r, int parts, bool in_place)
{
    trial t;
    static slopes s, of_weights;
    static float doutput[MOST_FLOATS], nothing[MOST_FLOATS];
    sac_device *device = test_device();
    trial_make(&t, r, 23);
    draw_slopes(&t, doutput);
    for (size_t i = 0; i < MOST_FLOATS; i++)
        nothing[i] = NAN;
    sac_attention_gradients all = ask(&t.input, &s), weights = ask(&t.input, &of_weights);
    OK(sac_attend_backward(device, &t.spec, &t.input, doutput, &all, NULL, NULL));
    const sac_array *const arrays[] = {t.input.query, t.input.key, t.input.value};
    sac_cl_array given[3];
    cl_mem above = buffer_of(device, outputs_of(&t), doutput), made[3];
    for (int i = 0; i < 3; i++) {
        given[i] = on_device(device, arrays[i]);
        made[i] =
            in_place ? given[i].buffer : buffer_of(device, sac_array_count(arrays[i]), nothing);
    }
    sac_cl_input input = {given[0], given[1], given[2]};
    sac_cl_gradients gradients = {made[0], made[1], made[2]};
    OK(sac_attend_backward_cl(device, &t.spec, &input, &t.input, above, &gradients, &weights, NULL,
                              NULL));
    for (int i = 0; i < 3; i++)
        assert_holds(device, made[i], sac_array_count(arrays[i]), s.of[i]);
    for (int part = 3; part < parts; part++)
        assert_memory_equal(of_weights.of[part], s.of[part],
                            sac_array_count(part_of(&t.input, part)) * sizeof(float));
    for (int i = 0; i < 3; i++) {
        sac_buffer_release(given[i].buffer);
        sac_buffer_release(in_place ? NULL : made[i]);
    }
    sac_buffer_release(above);
    trial_free(&t);
}

TEST(buffers_get_the_bytes_that_arrays_get)
{
    recipe additive = {
        .spec = {.score = SAC_SCORE_ADDITIVE, .heads = 2}, .batch = 2, .mask = MASK_PADDING};
    recipe plain = {.spec = {.heads = 2}, .mask = MASK_CAUSAL, .batch = 2};
    for (int in_place = 0; in_place < 2; in_place++) {
        hold_buffers_to_arrays(&additive, 6, in_place);
        hold_buffers_to_arrays(&plain, 3, in_place);
    }
}

/* ---------------------------------------------------------------- what is refused */

static bool stop(void *user, double done)
{
    (void)user, (void)done;
    return false;
}

TEST(it_can_be_stopped)
{
    trial t;
    static slopes s;
    static float doutput[MOST_FLOATS];
    trial_make(&t, &(recipe){0}, 1);
    sac_attention_gradients gradients = ask(&t.input, &s);
    assert_int_equal(sac_attend_backward(test_device(), &t.spec, &t.input, doutput, &gradients,
                                         &(sac_progress){stop, NULL}, NULL),
                     SAC_E_CANCELLED);
    trial_free(&t);
}

static void check_refusal(const recipe *wanted, bool with_value, sac_attention_gradients gradients,
                          sac_status expected, const char *where)
{
    trial t;
    static float doutput[MOST_FLOATS];
    trial_make(&t, wanted, 1);
    if (!with_value)
        t.input.value = NULL;
    assert_int_equal(
        sac_attend_backward(test_device(), &t.spec, &t.input, doutput, &gradients, NULL, &failure),
        expected);
    assert_string_equal(failure.where, where);
    trial_free(&t);
}

TEST(what_has_no_gradients_is_refused)
{
    static float room[MOST_FLOATS];
    const sac_attention_gradients query = {.query = room}, W_q = {.score_W_q = room};
    recipe normed = {.norm = true, .project = true};
    recipe halves = {.spec = {.storage = SAC_STORAGE_F16}}, cache = {.spec = {.capacity = 20}};
    check_refusal(&normed, true, query, SAC_E_ARGUMENT, "norm.weight");
    check_refusal(&halves, true, query, SAC_E_ARGUMENT, "storage");
    check_refusal(&cache, true, query, SAC_E_ARGUMENT, "capacity");
    check_refusal(&(recipe){0}, false, query, SAC_E_ARGUMENT, "value");
    check_refusal(&(recipe){0}, true, W_q, SAC_E_ARGUMENT, "score.W_q");
}

TEST_MAIN(NULL, close_device)
