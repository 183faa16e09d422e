/* Matrix products by CLBlast: all shapes go to its one indirect kernel, or none is computed, so
 * that what the self-test sees is what large products take. It is the first choice on GPUs; a CPU's
 * is gemm_tiled.c (gemm_selftest.c decides). Its first product on a device compiles for seconds,
 * which it reports (base/activity.h). */
#include "gemm/gemm_backends.h"

#include <clblast_c.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/notice.h"
#include "device/cache/cache.h"
#include "device/quarantine.h"
#include "gemm/gemm_tiled.h"

/* ---------------------------------------------------------------- parameters */

typedef struct parameters {
    const char *routine;
    size_t count;
    const char *names[16];
    size_t values[16];
} parameters;

/* One kernel for all sizes, so that small known products try the one that large layers use. */
static const parameters one_kernel = {"GemmRoutine", 1, {"XGEMM_MIN_INDIRECT_SIZE"}, {1}};

/* For CPUs, chosen among sets tried on PoCL 3.1 with CLBlast 1.5.3 and AVX-512. GFLOP/s of two
 * cores by processor time; the last column's as the library calls it (see multiply):
 *                                  shipped  GEMMK 1  row-major  these
 *     [1024,1024] x [1024,1024]         22       79         97    101
 *     [4096,64] x [4096,64]ᵀ            20       88         47    147
 *     [4096,4096] x [4096,64]           15       95         38     68
 *     [1000,80] x [1000,80]ᵀ            20       71         62    122
 *     [512,512] x [512,64]              25      100        116    146
 * GEMMK 1 copies nothing, but is wrong in 1.5.3 where MWG and NWG differ, and slower in most.
 * The third is bound by the transposing of its 64 MiB. VWM 16 takes a third of the speed of 8. */
static const parameters for_cpus[] = {
    {"Xgemm",
     16,
     {"GEMMK", "KREG", "KWG", "KWI", "MDIMA", "MDIMC", "MWG", "NDIMB", "NDIMC", "NWG", "SA", "SB",
      "STRM", "STRN", "VWM", "VWN"},
     {0, 1, 16, 2, 2, 2, 32, 8, 8, 64, 0, 0, 0, 0, 8, 8}},
    {"Transpose", 4, {"TRA_DIM", "TRA_PAD", "TRA_SHUFFLE", "TRA_WPT"}, {8, 0, 0, 8}},
};

static CLBlastStatusCode override(cl_device_id id, const parameters *p)
{
    return CLBlastOverrideParameters(id, p->routine, CLBlastPrecisionSingle, p->count,
                                     (const char **)p->names, p->values);
}

unsigned sac_gemm_clblast_identity(void)
{
    static _Atomic unsigned identity;
    union {
        CLBlastStatusCode (*function)(const cl_device_id);
        void *address;
    } any = {.function = CLBlastFillCache};
    Dl_info library;
    struct stat info = {0};
    char text[PATH_MAX + 64], path[PATH_MAX];
    if (identity)
        return identity;
    bool found = dladdr(any.address, &library) && realpath(library.dli_fname, path);
    if (found)
        stat(path, &info);
    int length = snprintf(text, sizeof text, "%s %lld %lld", found ? path : "",
                          (long long)info.st_size, (long long)info.st_mtime);
    identity = (unsigned)sac_hash(SAC_HASH_START, text, (size_t)length) | 1;
    return identity;
}

/* ---------------------------------------------------------------- compiling */

static void cache_key(const sac_device *device, char *key, size_t size)
{
    const sac_device_info *info = &device->info;
    snprintf(key, size, "%s\n%s\n%s\n%s\n", info->platform, info->name, info->version,
             info->driver);
}

/* On a machine where that was done before it takes as long as the driver takes to find what it has
 * kept. */
static void report_compiling(const sac_device *device)
{
    char name[160], key[1024], *found = NULL;
    size_t size;
    cache_key(device, key, sizeof key);
    sac_device_model(&device->info, name, sizeof name);
    bool known = sac_cache_load("clblast", key, &found, &size);
    sac_activity_begin("CLBlast compiles its kernels for %s%s", name,
                       known ? "" : ", once; about 10 s");
    free(found);
}

/* A driver that dies of CLBlast's kernels is found out as by those of cl/ (device/quarantine.h). */
static sac_status begin_compiling(sac_device *device, sac_error *error)
{
    char key[1200];
    sac_suspicion suspicion;
    cache_key(device, key, sizeof key);
    size_t used = strlen(key);
    snprintf(key + used, sizeof key - used, "clblast %08x\n", sac_gemm_clblast_identity());
    sac_status status = sac_quarantine_begin(device, "CLBlast", key, &suspicion, error);
    if (status == SAC_OK)
        report_compiling(device);
    return status;
}

/* *first: it is the first product of a context, for which CLBlast compiles. The drivers are locked.
 */
static sac_status prepare_product(sac_device *device, bool *first, sac_error *error)
{
    static cl_device_id tuned;  /* the last device that was given its parameters … */
    static cl_context compiled; /* … and the last context that was compiled for */
    sac_status status = SAC_OK;
    if (tuned != device->id) {
        /* Where small products took another path than large ones, the self-test would not cover
         * the latter. With a CPU's parameters refused the product is slow, not wrong. */
        CLBlastStatusCode code = override(device->id, &one_kernel);
        for (size_t i = 0; device->profile.is_cpu && i < sizeof for_cpus / sizeof *for_cpus; i++)
            override(device->id, &for_cpus[i]);
        status = sac_cl_check(device, "CLBlastOverrideParameters", code, error);
    }
    if (status != SAC_OK)
        return status;
    tuned = device->id;
    *first = compiled != device->context;
    if (*first)
        status = begin_compiling(device, error);
    if (status == SAC_OK)
        compiled = device->context;
    return status;
}

/* ---------------------------------------------------------------- the product */

/* CLBlast's kernels keep C by columns. Row-major C is column-major Cᵀ = op(B)ᵀ op(A)ᵀ: so asked,
 * C is neither copied nor transposed. What else it copies goes to the device's scratch, as a
 * buffer of its own for each product would have all of its pages made anew (by a CPU). */
static sac_status multiply(sac_device *device, const sac_gemm *g, sac_span a, sac_span b,
                           sac_span c, sac_error *error)
{
    CLBlastTranspose of_a = g->transpose_a ? CLBlastTransposeYes : CLBlastTransposeNo;
    CLBlastTranspose of_b = g->transpose_b ? CLBlastTransposeYes : CLBlastTransposeNo;
    size_t line_a = g->transpose_a ? g->m : g->k, line_b = g->transpose_b ? g->k : g->n, bytes = 0;
    cl_mem scratch = NULL;
    CLBlastStatusCode code = CLBlastSuccess;
    bool first = false;
    sac_drivers_lock();
    sac_status status = prepare_product(device, &first, error);
    if (status == SAC_OK)
        code = CLBlastSGemmTempBufferSize(CLBlastLayoutColMajor, of_b, of_a, g->n, g->m, g->k, b.at,
                                          line_b, a.at, line_a, c.at, g->n, &device->queue, &bytes);
    if (status == SAC_OK && code == CLBlastSuccess && bytes > 0)
        status = sac_device_scratch(device, bytes, &scratch, error);
    if (code == CLBlastSuccess && status == SAC_OK)
        code = CLBlastSgemmWithTempBuffer(CLBlastLayoutColMajor, of_b, of_a, g->n, g->m, g->k, 1.0f,
                                          b.buffer, b.at, line_b, a.buffer, a.at, line_a,
                                          g->accumulate ? 1.0f : 0.0f, c.buffer, c.at, g->n,
                                          &device->queue, NULL, scratch);
    if (first && code == CLBlastSuccess && status == SAC_OK) {
        static const char compiled[] = "compiled";
        char key[1024];
        cache_key(device, key, sizeof key);
        sac_cache_store("clblast", key, compiled, sizeof compiled);
    }
    sac_drivers_unlock();
    return status == SAC_OK ? sac_cl_check(device, "CLBlastSgemm", code, error) : status;
}

sac_status sac_gemm_clblast(sac_device *device, const sac_gemm *gemm, sac_span a, sac_span b,
                            sac_span c, sac_error *error)
{
    const sac_gemm *g = gemm;
    if (g->m == 0 || g->n == 0 || g->k == 0)
        return SAC_OK;
    sac_status status = multiply(device, g, a, b, c, error);
    sac_gemm rest = {
        .m = g->m, .n = g->n, .accumulate = true, .bias = g->bias, .ceiling = g->ceiling};
    if (status == SAC_OK && (g->bias.buffer || g->ceiling > 0))
        status = sac_gemm_add_pieces(device, &rest, 0, c, c, error);
    return status;
}
