/* Several threads at once: devices of their own, opened as the first thing that the process does
 * with OpenCL, and one device for all. Every result is held against the float64 reference. */
#include <pthread.h>

#include "saccade.h"
#include "test.h"

enum { THREADS = 4, ROUNDS = 4, MOST = 48, COLUMNS = 8 };

/* What a thread is to do, and what went wrong there; empty: nothing. */
typedef struct job {
    int id;
    const char *selector; /* of the device to open, where none is given */
    sac_device *device;
    sac_attention *attention;
    float *weights; /* the whole of what it should give */
    char failure[sizeof(sac_error)];
} job;

static void fail_in(job *j, const char *what, const sac_error *error)
{
    if (!j->failure[0])
        snprintf(j->failure, sizeof j->failure, "thread %d: %s: %s: %s", j->id, what, error->where,
                 error->what);
}

static void fill(float *numbers, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        numbers[i] = (float)(seed >> 8) / (1 << 23) - 1;
    }
}

static double relative_error(const float *given, const double *wanted, size_t count)
{
    double off = 0, whole = 0;
    for (size_t i = 0; i < count; i++) {
        off += (given[i] - wanted[i]) * (given[i] - wanted[i]);
        whole += wanted[i] * wanted[i];
    }
    return sqrt(off / whole);
}

/* Another size, score and mask for each thread and round. */
static void attend(job *j, sac_device *device, int round)
{
    static _Thread_local float q[MOST * COLUMNS], k[MOST * COLUMNS], v[MOST * COLUMNS];
    static _Thread_local float output[MOST * COLUMNS];
    static _Thread_local double wanted[MOST * COLUMNS];
    sac_error error = {0};
    size_t rows = MOST - (size_t)(j->id * ROUNDS + round) % 20, shape[] = {rows, COLUMNS};
    unsigned seed = 3u * (unsigned)(j->id * ROUNDS + round);
    fill(q, rows * COLUMNS, seed);
    fill(k, rows * COLUMNS, seed + 1);
    fill(v, rows * COLUMNS, seed + 2);
    sac_array query = sac_array_view(SAC_F32, 2, shape, q), key = query, value = query;
    key.data = k;
    value.data = v;
    sac_attention_input input = {.query = &query, .key = &key, .value = &value};
    sac_attention_spec spec = {.causal = round % 2,
                               .score = round % 4 ? SAC_SCORE_SCALED_DOT : SAC_SCORE_GAUSSIAN};
    if (j->selector && strcmp(j->selector, "pocl") != 0)
        spec.variant = SAC_VARIANT_NAIVE; /* others take minutes to compile */
    sac_attention *attention = NULL;
    sac_attention_output to = {.output = output};
    if (sac_attention_create(device, &spec, &input, &attention, &error) != SAC_OK ||
        sac_attention_run(attention, &to, NULL, &error) != SAC_OK ||
        sac_attention_reference(&spec, &input, wanted, NULL, NULL, &error) != SAC_OK)
        fail_in(j, "attention", &error);
    else if (!(relative_error(output, wanted, rows * COLUMNS) <= 1e-5))
        fail_in(j, "wrong output", &error);
    sac_attention_destroy(attention);
}

static void *work_on_own_device(void *user)
{
    job *j = user;
    sac_error error = {0};
    sac_device *device;
    sac_device_info *infos;
    size_t count;
    if (sac_device_open(j->selector, &device, &error) != SAC_OK) {
        fail_in(j, "opening", &error);
        return NULL;
    }
    for (int round = 0; round < ROUNDS; round++)
        attend(j, device, round);
    if (sac_devices_list(&infos, &count, &error) == SAC_OK)
        free(infos);
    else
        fail_in(j, "listing", &error);
    sac_device_close(device);
    return NULL;
}

static void *work_on_shared_device(void *user)
{
    job *j = user;
    for (int round = 0; round < ROUNDS; round++)
        attend(j, j->device, round);
    return NULL;
}

/* Its own rows of the shared matrix, in tiles, and each tile's mean. */
static void *read_shared_attention(void *user)
{
    job *j = user;
    sac_error error = {0};
    float tile[MOST * MOST], mean;
    for (size_t row = (size_t)j->id; row + 1 < MOST; row += THREADS) {
        sac_tile t = {.row = row, .rows = 2, .cols = MOST};
        double sum = 0;
        if (sac_attention_tile(j->attention, &t, tile, &error) != SAC_OK ||
            sac_attention_pool(j->attention, &t, SAC_POOL_MEAN, 1, 1, &mean, &error) != SAC_OK) {
            fail_in(j, "tile", &error);
            return NULL;
        }
        for (size_t i = 0; i < 2 * MOST; i++) {
            sum += tile[i] / (2.0 * MOST);
            if (fabsf(tile[i] - j->weights[row * MOST + i]) > 1e-6f)
                fail_in(j, "wrong weight", &error);
        }
        if (fabs(mean - sum) > 1e-6)
            fail_in(j, "wrong mean", &error);
    }
    return NULL;
}

static void run_jobs(job *jobs, void *(*work)(void *))
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        jobs[i].id = i;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        if (jobs[i].failure[0])
            fail_msg("%s", jobs[i].failure);
}

/* The first of the process. */
TEST(threads_open_devices_of_their_own_at_once)
{
    job jobs[THREADS] = {
        {.selector = "pocl"}, {.selector = "pocl"}, {.selector = "pocl"}, {.selector = "pocl"}};
    run_jobs(jobs, work_on_own_device);
}

TEST(threads_share_one_device)
{
    job jobs[THREADS] = {0};
    sac_device *device;
    assert_int_equal(sac_device_open("pocl", &device, NULL), SAC_OK);
    for (int i = 0; i < THREADS; i++)
        jobs[i].device = device;
    run_jobs(jobs, work_on_shared_device);
    sac_device_close(device);
}

TEST(threads_share_one_attention)
{
    static float numbers[MOST * COLUMNS], weights[MOST * MOST];
    job jobs[THREADS] = {0};
    sac_device *device;
    sac_attention *attention;
    fill(numbers, MOST * COLUMNS, 5);
    sac_array array = sac_array_view(SAC_F32, 2, (size_t[]){MOST, COLUMNS}, numbers);
    sac_attention_input input = {.query = &array, .key = &array};
    sac_attention_spec spec = {0};
    sac_attention_output output = {.weights = weights};
    assert_int_equal(sac_device_open("pocl", &device, NULL), SAC_OK);
    assert_int_equal(sac_attention_create(device, &spec, &input, &attention, NULL), SAC_OK);
    assert_int_equal(sac_attention_run(attention, &output, NULL, NULL), SAC_OK);
    sac_attention_destroy(attention); /* another knows no row yet */
    assert_int_equal(sac_attention_create(device, &spec, &input, &attention, NULL), SAC_OK);
    for (int i = 0; i < THREADS; i++)
        jobs[i] = (job){.attention = attention, .weights = weights};
    run_jobs(jobs, read_shared_attention);
    sac_attention_destroy(attention);
    sac_device_close(device);
}

/* Skipped where there is no driver but PoCL. */
TEST(threads_use_devices_of_different_drivers)
{
    sac_device *device;
    job jobs[THREADS] = {{.selector = "pocl"},
                         {.selector = "llvmpipe"},
                         {.selector = "pocl"},
                         {.selector = "llvmpipe"}};
    if (sac_device_open("llvmpipe", &device, NULL) != SAC_OK)
        skip();
    sac_device_close(device);
    run_jobs(jobs, work_on_own_device);
}

TEST_MAIN(NULL, NULL)
