/* An attention from shapes, whose numbers come later; buffers with an offset, strides and 16 bits;
 * and gradients of an attention. Each is held to the float64 reference, or to the bytes of a call
 * that is. */

#include "device/device.h"
#include "saccade_cl.h"
#include "status.h"
#include "trial.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static recipe recipe_of(int score, int mask)
{
    return (recipe){.spec = {.score = (sac_score)score, .heads = 2, .bandwidth = 2},
                    .batch = 2,
                    .queries = 13,
                    .keys = 17,
                    .query_dim = 7,
                    .value_dim = 5,
                    .rank = mask % 2 ? 4 : 3,
                    .mask = (trial_mask)mask,
                    .sinks = mask % 3 == 1};
}

static double *doubles(size_t count)
{
    double *numbers = calloc(count + 1, sizeof *numbers);
    assert_non_null(numbers);
    return numbers;
}

/* All three results of an attention that is ready. */
static void run(sac_attention *attention, results *r)
{
    const sac_attention_shape *s = sac_attention_get_shape(attention);
    r->rows = s->batch * s->heads * s->queries;
    r->cells = r->rows * s->keys;
    r->outputs = r->rows * s->value_dim;
    double **const to[] = {&r->output, &r->lse, &r->weights};
    const size_t counts[] = {r->outputs, r->rows, r->cells};
    float *numbers[3];
    for (int i = 0; i < 3; i++) {
        *to[i] = doubles(counts[i]);
        numbers[i] = calloc(counts[i] + 1, sizeof *numbers[i]);
    }
    sac_attention_output output = {numbers[0], numbers[1], numbers[2]};
    if (sac_attention_run(attention, &output, NULL, &failure))
        fail_msg("%s: %s", failure.where, failure.what);
    for (int i = 0; i < 3; i++) {
        for (size_t k = 0; k < counts[i]; k++)
            (*to[i])[k] = (double)numbers[i][k];
        free(numbers[i]);
    }
}

static void hold_to_reference(sac_attention *attention, const trial *t)
{
    results r = {0};
    yardstick y;
    yardstick_make(&y, t);
    run(attention, &r);
    if (!(excess(&r, &y) <= 1))
        fail_msg("%s: %g times too far", trial_text(t), excess(&r, &y));
    results_free(&r);
    yardstick_free(&y);
}

/* The shapes of what a trial's input may have later; `lent` holds them. */
static sac_attention_input shapes_of(const trial *t, sac_array lent[5])
{
    sac_attention_input shapes = t->input;
    const sac_array **const parts[] = {&shapes.query, &shapes.key, &shapes.value,
                                       &shapes.key_padding_mask, &shapes.attn_mask};
    for (int i = 0; i < 5; i++)
        if (*parts[i]) {
            lent[i] =
                sac_array_view((*parts[i])->dtype, (*parts[i])->rank, (*parts[i])->shape, NULL);
            *parts[i] = &lent[i];
        }
    return shapes;
}

TEST(sac_attention_create_from_shapes_runs_on_numbers_that_come_later)
{
    for (int score = 0; score < SAC_SCORE_COUNT; score++)
        for (int mask = 0; mask < MASK_COUNT; mask++) {
            recipe r = recipe_of(score, mask);
            trial t;
            sac_array lent[5];
            sac_attention *attention;
            sac_error error = {0};
            float number;
            if (device_is_slow() && (score + mask) % 7)
                continue;
            trial_make(&t, &r, (uint64_t)(score * 100 + mask));
            sac_attention_input shapes = shapes_of(&t, lent);
            assert_int_equal(sac_attention_supported(test_device(), &t.spec, &shapes, NULL, &error),
                             SAC_OK);
            if (sac_attention_create(test_device(), &t.spec, &shapes, &attention, &error))
                fail_msg("%s: %s", error.where, error.what);
            sac_attention_output output = {.output = &number};
            REFUSES(SAC_E_ARGUMENT, "query: …",
                    sac_attention_run(attention, &output, NULL, &failure));
            /* Some at a time, in any order. */
            sac_attention_input some = {.value = t.input.value, .key = t.input.key};
            assert_int_equal(sac_attention_update(attention, &some, NULL), SAC_OK);
            REFUSES(SAC_E_ARGUMENT, "query: …",
                    sac_attention_tile(attention, &(sac_tile){.rows = 1, .cols = 1}, &number,
                                       &failure));
            OK(sac_attention_update(attention, &t.input, NULL));
            hold_to_reference(attention, &t);
            sac_attention_destroy(attention);
            trial_free(&t);
        }
}

/* Weights are not for later, and an update brings numbers. */
TEST(sac_attention_create_from_shapes_wants_weights)
{
    recipe r = {.project = true};
    trial t;
    sac_array lent[5], shape;
    sac_attention *attention;
    trial_make(&t, &r, 1);
    sac_attention_input shapes = shapes_of(&t, lent);
    shape = sac_array_view(SAC_F32, 2, t.input.q_proj_weight->shape, NULL);
    shapes.q_proj_weight = &shape;
    assert_int_equal(sac_attention_supported(NULL, &t.spec, &shapes, NULL, &failure), SAC_OK);
    REFUSES(SAC_E_ARGUMENT, "q_proj.weight: …",
            sac_attention_create(test_device(), &t.spec, &shapes, &attention, &failure));
    shapes.q_proj_weight = t.input.q_proj_weight;
    assert_int_equal(sac_attention_create(test_device(), &t.spec, &shapes, &attention, &failure),
                     SAC_OK);
    REFUSES(SAC_E_ARGUMENT, "query: …", sac_attention_update(attention, &shapes, &failure));
    sac_attention_destroy(attention);
    trial_free(&t);
}

TEST(sac_attention_supported_shows_what_creating_would)
{
    size_t some[] = {1, 2, 8, 4}, other[] = {1, 3, 8, 4}, huge[] = {1, 1, 1 << 30, 1024};
    sac_array q = sac_array_view(SAC_F32, 4, some, NULL),
              k = sac_array_view(SAC_F32, 4, other, NULL);
    sac_array big = sac_array_view(SAC_F32, 4, huge, NULL);
    sac_attention_input input = {.query = &q, .key = &k, .value = &q};
    sac_attention_shape shape;
    REFUSES(SAC_E_SHAPE, "key: …",
            sac_attention_supported(NULL, &(sac_attention_spec){0}, &input, NULL, &failure));
    input.key = &q;
    OK(sac_attention_supported(NULL, &(sac_attention_spec){0}, &input, &shape, NULL));
    assert_int_equal(shape.queries, 8);
    sac_attention_spec no_backward = {.gradients = true, .storage = SAC_STORAGE_F16};
    REFUSES(SAC_E_ARGUMENT, "storage: …",
            sac_attention_supported(NULL, &no_backward, &input, NULL, &failure));
    input = (sac_attention_input){.query = &big, .key = &big};
    REFUSES(
        SAC_E_MEMORY, "query: …",
        sac_attention_supported(test_device(), &(sac_attention_spec){0}, &input, NULL, &failure));
}

/* ---------------------------------------------------------------- buffers */

static cl_mem buffer_of(size_t bytes, const void *data)
{
    cl_int code;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem made = clCreateBuffer(test_device()->context, flags, bytes, (void *)data, &code);
    assert_int_equal(code, CL_SUCCESS);
    return made;
}

/* A number of 8 bits or fewer, which all three types hold exactly. */
static uint16_t narrow(float x, sac_dtype dtype)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (dtype == SAC_BF16)
        return (uint16_t)(bits >> 16);
    uint32_t exponent = bits >> 23 & 0xff;
    return (uint16_t)(x == 0
                          ? 0
                          : (bits >> 16 & 0x8000) | (exponent - 112) << 10 | (bits >> 13 & 0x3ff));
}

enum { BEFORE = 3, BESIDE = 2 };

/* [B,H,T,d] stored as [B,T,H,d + BESIDE] behind BEFORE numbers, in that type. */
static sac_cl_array scattered(const sac_array *x, sac_dtype dtype)
{
    size_t B = x->shape[0], H = x->shape[1], T = x->shape[2], d = x->shape[3], row = d + BESIDE;
    size_t count = BEFORE + B * T * H * row, each = sac_dtype_size(dtype);
    char *stored = calloc(count, each);
    sac_cl_array made = {.rank = 4,
                         .shape = {B, H, T, d},
                         .offset = BEFORE,
                         .strides = {T * H * row, row, H * row, 1},
                         .dtype = dtype};
    assert_non_null(stored);
    memset(stored, 0x7c, count * each); /* what is next to it is no small number */
    for (size_t i = 0; i < sac_array_count(x); i++) {
        size_t b = i / (H * T * d), h = i / (T * d) % H, t = i / d % T, c = i % d;
        char *at = stored + each * (BEFORE + ((b * T + t) * H + h) * row + c);
        float number = ((const float *)x->data)[i];
        uint16_t half = narrow(number, dtype);
        memcpy(at, dtype == SAC_F32 ? (void *)&number : (void *)&half, each);
    }
    made.buffer = buffer_of(count * each, stored);
    free(stored);
    return made;
}

static void round_numbers(const sac_array *x)
{
    float *numbers = x->data;
    for (size_t i = 0; i < sac_array_count(x); i++)
        numbers[i] = fminf(fmaxf(roundf(numbers[i] * 32) / 32, -3.5f), 3.5f);
}

TEST(sac_cl_array_takes_offset_strides_and_16_bits)
{
    static const sac_dtype types[] = {SAC_F32, SAC_F16, SAC_BF16};
    for (int score = 0; score < SAC_SCORE_COUNT; score++)
        for (size_t i = 0; i < COUNT(types); i++) {
            recipe r = recipe_of(score, MASK_EVERYTHING);
            trial t;
            sac_attention *attention;
            sac_error error = {0};
            if (device_is_slow() && (score + i) % 5)
                continue;
            r.rank = 4;
            trial_make(&t, &r, 7 + i);
            round_numbers(t.input.query);
            round_numbers(t.input.key);
            round_numbers(t.input.value);
            sac_cl_input input = {scattered(t.input.query, types[i]),
                                  scattered(t.input.key, types[i]),
                                  scattered(t.input.value, types[i])};
            if (sac_attention_create_cl(test_device(), &t.spec, &input, &t.input, &attention,
                                        &error))
                fail_msg("%s: %s", error.where, error.what);
            hold_to_reference(attention, &t);
            OK(sac_attention_update_cl(attention, &input, NULL, NULL));
            hold_to_reference(attention, &t);
            sac_attention_destroy(attention);
            input.key.offset += 1000000;
            REFUSES(SAC_E_SHAPE, "key: …",
                    sac_attention_create_cl(test_device(), &t.spec, &input, &t.input, &attention,
                                            &failure));
            clReleaseMemObject(input.query.buffer);
            clReleaseMemObject(input.key.buffer);
            clReleaseMemObject(input.value.buffer);
            trial_free(&t);
        }
}

TEST(sac_attention_append_cl_appends_what_the_buffer_has)
{
    enum { D = 7, T = 11 };
    float numbers[T * D], whole[D], pieces[D];
    size_t all[] = {1, 1, T, D}, first[] = {1, 1, T - 4, D}, one[] = {1, 1, 1, D};
    for (int i = 0; i < T * D; i++)
        numbers[i] = sinf((float)i);
    sac_array q = sac_array_view(SAC_F32, 4, one, numbers);
    sac_array k = sac_array_view(SAC_F32, 4, all, numbers);
    sac_attention_input input = {.query = &q, .key = &k, .value = &k};
    sac_attention_spec spec = {.capacity = 16};
    sac_attention *attention;
    cl_event ready = NULL;
    OK(sac_attention_create(test_device(), &spec, &input, &attention, NULL));
    OK(sac_attention_run(attention, &(sac_attention_output){.output = whole}, NULL, NULL));
    sac_attention_destroy(attention);
    k = sac_array_view(SAC_F32, 4, first, numbers);
    OK(sac_attention_create(test_device(), &spec, &input, &attention, NULL));
    sac_cl_array more = {.buffer = buffer_of(sizeof numbers, numbers),
                         .rank = 4,
                         .shape = {1, 1, 4, D},
                         .offset = (T - 4) * D};
    OK(sac_attention_append_cl(attention, &more, &more, &(sac_cl_events){.done = &ready}, NULL));
    assert_int_equal(clWaitForEvents(1, &ready), CL_SUCCESS);
    OK(sac_attention_run(attention, &(sac_attention_output){.output = pieces}, NULL, NULL));
    assert_memory_equal(whole, pieces, sizeof whole);
    clReleaseEvent(ready);
    clReleaseMemObject(more.buffer);
    sac_attention_destroy(attention);
}

/* ---------------------------------------------------------------- gradients */

enum { PARTS = 17, ROOM = 1 << 13 };

/* Places for those of every part that the input has. */
static sac_attention_gradients places(const trial *t, float *numbers)
{
    const sac_attention_input *in = &t->input;
    const sac_array *const have[PARTS] = {in->query,         in->key,
                                          in->value,         in->score_W_q,
                                          in->score_W_k,     in->score_w_v,
                                          in->score_W_qk,    in->q_proj_weight,
                                          in->q_proj_bias,   in->k_proj_weight,
                                          in->k_proj_bias,   in->v_proj_weight,
                                          in->v_proj_bias,   in->out_proj_weight,
                                          in->out_proj_bias, in->query /* the scale */,
                                          in->sinks};
    float *to[PARTS];
    sac_attention_gradients g;
    for (int i = 0; i < PARTS; i++)
        to[i] = have[i] ? numbers + i * ROOM : NULL;
    _Static_assert(sizeof g == sizeof to, "a place for each");
    memcpy(&g, to, sizeof g);
    return g;
}

TEST(sac_attention_differentiate_is_sac_attention_backward_to_the_bit)
{
    float *expected = calloc(PARTS * ROOM, sizeof *expected),
          *got = calloc(PARTS * ROOM, sizeof *got);
    assert_non_null(expected);
    assert_non_null(got);
    for (int score = 0; score < SAC_SCORE_COUNT; score++)
        for (int mask = 0; mask < MASK_COUNT; mask++) {
            recipe r = recipe_of(score, mask);
            trial t;
            sac_array lent[5];
            sac_attention *attention;
            sac_error error = {0};
            if (device_is_slow() && (score + mask) % 7)
                continue;
            r.project = r.rank == 3;
            trial_make(&t, &r, (uint64_t)mask);
            size_t outputs = 1;
            for (int i = 0; i < t.shape.output_rank; i++)
                outputs *= t.shape.output_shape[i];
            float *dy = calloc(outputs, sizeof *dy);
            assert_non_null(dy);
            for (size_t i = 0; i < outputs; i++)
                dy[i] = (float)trial_normal(&t);
            sac_attention_gradients e = places(&t, expected), g = places(&t, got);
            OK(sac_attend_backward(test_device(), &t.spec, &t.input, dy, &e, NULL, &failure));
            t.spec.gradients = true;
            sac_attention_input shapes = shapes_of(&t, lent);
            assert_int_equal(
                sac_attention_create(test_device(), &t.spec, &shapes, &attention, &error), SAC_OK);
            assert_int_equal(sac_attention_backward(attention, dy, &g, NULL, &error),
                             SAC_E_ARGUMENT);
            assert_int_equal(sac_attention_update(attention, &t.input, NULL), SAC_OK);
            if (sac_attention_backward(attention, dy, &g, NULL, &error))
                fail_msg("%s: %s: %s", trial_text(&t), error.where, error.what);
            if (memcmp(expected, got, PARTS * ROOM * sizeof *got) != 0)
                fail_msg("%s", trial_text(&t));
            /* The same, enqueued behind an event that is done. */
            size_t bytes = sac_array_count(t.input.query) * sizeof(float);
            cl_mem doutput = buffer_of(outputs * sizeof *dy, dy);
            sac_cl_gradients buffers = {.query = buffer_of(bytes, NULL)};
            cl_event first, done;
            OK(sac_attention_backward_cl(attention, doutput, &buffers,
                                         &(sac_cl_events){.done = &first}, NULL, &failure));
            const sac_cl_events events = {.wait_count = 1, .wait = &first, .done = &done};
            OK(sac_attention_backward_cl(attention, doutput, &buffers, &events, NULL, &failure));
            assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
            memset(got, 0, bytes);
            clEnqueueReadBuffer(test_device()->queue, buffers.query, CL_TRUE, 0, bytes, got, 0,
                                NULL, NULL);
            assert_memory_equal(got, expected, bytes);
            clReleaseEvent(first);
            clReleaseEvent(done);
            clReleaseMemObject(doutput);
            clReleaseMemObject(buffers.query);
            sac_attention_destroy(attention);
            free(dy);
            trial_free(&t);
        }
    free(expected);
    free(got);
}

TEST(sac_attention_differentiate_wants_the_inputs_kept)
{
    recipe r = {.rank = 4};
    trial t;
    sac_attention *attention;
    float dy[256] = {0}, dq[256];
    trial_make(&t, &r, 1);
    OK(sac_attention_create(test_device(), &t.spec, &t.input, &attention, NULL));
    sac_attention_gradients g = {.query = dq};
    REFUSES(SAC_E_ARGUMENT, "gradients: …",
            sac_attention_backward(attention, dy, &g, NULL, &failure));
    sac_attention_destroy(attention);
    trial_free(&t);
}

TEST_MAIN(NULL, close_device)
