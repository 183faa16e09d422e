#include "attention/clblast.h"

#include <clblast_c.h>
#include <pthread.h>

/* CLBlast before 1.6.1 is not thread-safe: one caller at a time. */
static pthread_mutex_t clblast_lock = PTHREAD_MUTEX_INITIALIZER;

/* One kernel for all sizes, so that small known products try the one that large layers use. */
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
