#include "attention/clblast.h"

#include <clblast_c.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "attention/internal.h"
#include "base/random.h"

#define VERDICT "clblast"
#define TRIAL 200  /* sizes of the known product: no multiple of any tile */
#define BOUND 1e-5 /* of its relative error */

/* CLBlast before 1.6.1 is not thread-safe: one caller at a time. */
static pthread_mutex_t clblast_lock = PTHREAD_MUTEX_INITIALIZER;

/* One kernel for all sizes, so that the small known product tries the one that large layers use. */
static void set_one_kernel(cl_device_id id)
{
    static const char *const names[] = {"XGEMM_MIN_INDIRECT_SIZE"};
    static const size_t values[] = {1};
    CLBlastOverrideParameters(id, "GemmRoutine", CLBlastPrecisionSingle, 1, (const char **)names,
                              values);
}

/* CLBlast's own parameters for CPUs reach a fifth of these on PoCL (24 against 126 GFLOP/s). GEMMK
 * 1 with MWG other than NWG is wrong in 1.5.3, so GEMMK is 0. A refusal is of no consequence: the
 * product is then slow, not wrong. */
static void set_cpu_parameters(cl_device_id id)
{
    static const char *const names[] = {"GEMMK", "KREG",  "KWG",   "KWI", "MDIMA", "MDIMC",
                                        "MWG",   "NDIMB", "NDIMC", "NWG", "SA",    "SB",
                                        "STRM",  "STRN",  "VWM",   "VWN"};
    static const size_t values[] = {0, 1, 32, 2, 2, 2, 32, 8, 8, 64, 0, 0, 0, 0, 8, 8};
    CLBlastOverrideParameters(id, "Xgemm", CLBlastPrecisionSingle, sizeof values / sizeof *values,
                              (const char **)names, values);
}

static void set_parameters(const sac_device *device)
{
    static cl_device_id tuned; /* the last device that was given its parameters */
    if (tuned == device->id)
        return;
    set_one_kernel(device->id);
    if (device->info.is_cpu)
        set_cpu_parameters(device->id);
    tuned = device->id;
}

sac_status sac_clblast_gemm_run(sac_device *device, const sac_clblast_gemm *gemm, sac_error *error)
{
    const sac_clblast_gemm *g = gemm;
    pthread_mutex_lock(&clblast_lock);
    set_parameters(device);
    CLBlastStatusCode code = CLBlastSgemm(
        CLBlastLayoutRowMajor, g->transpose_a ? CLBlastTransposeYes : CLBlastTransposeNo,
        g->transpose_b ? CLBlastTransposeYes : CLBlastTransposeNo, g->m, g->n, g->k, 1.0f, g->a,
        g->a_at, g->transpose_a ? g->m : g->k, g->b, g->b_at, g->transpose_b ? g->k : g->n,
        g->accumulate ? 1.0f : 0.0f, g->c, g->c_at, g->n, &device->queue, NULL);
    pthread_mutex_unlock(&clblast_lock);
    return sac_cl_check(device, "CLBlastSgemm", code, error);
}

sac_status sac_clblast_product(sac_device *device, size_t m, size_t n, size_t k, cl_mem x, cl_mem w,
                               bool transposed, cl_mem y, sac_error *error)
{
    sac_clblast_gemm gemm = {
        .m = m, .n = n, .k = k, .transpose_b = transposed, .a = x, .b = w, .c = y};
    return sac_clblast_gemm_run(device, &gemm, error);
}

/* ‖given − x wᵀ‖ / ‖x wᵀ‖, the true product in double. All are [TRIAL,TRIAL]. */
static double product_error(const float *x, const float *w, const float *given)
{
    double difference = 0, whole = 0;
    for (size_t i = 0; i < TRIAL; i++)
        for (size_t j = 0; j < TRIAL; j++) {
            double sum = 0;
            for (size_t c = 0; c < TRIAL; c++)
                sum += (double)x[i * TRIAL + c] * w[j * TRIAL + c];
            difference += (given[i * TRIAL + j] - sum) * (given[i * TRIAL + j] - sum);
            whole += sum * sum;
        }
    return sqrt(difference / whole);
}

/* `matrices`: room for x, w and the product. */
static double known_product(sac_device *device, float *matrices)
{
    size_t count = TRIAL * TRIAL, bytes = count * sizeof(float);
    cl_mem x = NULL, w = NULL, y = NULL;
    for (size_t i = 0; i < 2 * count; i++)
        matrices[i] = sac_philox_uniform((uint32_t)i, 0, 3) - 0.5f;
    bool done = sac_buffer_create(device, bytes, matrices, &x, NULL) == SAC_OK &&
                sac_buffer_create(device, bytes, matrices + count, &w, NULL) == SAC_OK &&
                sac_buffer_create(device, bytes, NULL, &y, NULL) == SAC_OK &&
                sac_clblast_product(device, TRIAL, TRIAL, TRIAL, x, w, true, y, NULL) == SAC_OK &&
                sac_buffer_read(device, y, 0, bytes, matrices + 2 * count, NULL) == SAC_OK;
    sac_buffer_release(x);
    sac_buffer_release(w);
    sac_buffer_release(y);
    return done ? product_error(matrices, matrices + count, matrices + 2 * count) : INFINITY;
}

double sac_clblast_error(sac_device *device)
{
    float *matrices = malloc(3 * TRIAL * TRIAL * sizeof *matrices);
    if (!matrices)
        return INFINITY;
    double error = known_product(device, matrices);
    sac_verdict_remember(device, VERDICT, error <= BOUND ? SAC_PASSED : SAC_REFUSED);
    free(matrices);
    return error;
}

bool sac_clblast_usable(sac_device *device)
{
    if (sac_verdict_recall(device, VERDICT) == SAC_UNTESTED)
        sac_clblast_error(device);
    return sac_verdict_recall(device, VERDICT) == SAC_PASSED;
}
