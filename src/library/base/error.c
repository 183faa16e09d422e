/* Filling in and printing of a sac_error. */
#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "base/text/printable.h"
#include "saccade.h"

static const char *const status_names[] = {
    [SAC_OK] = "ok",
    [SAC_E_ARGUMENT] = "bad argument",
    [SAC_E_SHAPE] = "shapes do not fit",
    [SAC_E_VALUE] = "not a finite number",
    [SAC_E_FILE] = "file error",
    [SAC_E_FORMAT] = "bad file content",
    [SAC_E_NO_DEVICE] = "no usable device",
    [SAC_E_DEVICE] = "device error",
    [SAC_E_MEMORY] = "out of memory",
    [SAC_E_CANCELLED] = "cancelled",
};

const char *sac_status_name(sac_status status)
{
    size_t count = sizeof status_names / sizeof *status_names;
    return (size_t)status < count ? status_names[status] : "unknown status";
}

sac_status sac_fail(sac_error *error, sac_status status, const char *where, const char *remedy,
                    const char *what_format, ...)
{
    if (!error)
        return status;
    /* The arguments may point into *error itself (a caller rewording an error), so build aside. */
    sac_error fresh = {.status = status};
    snprintf(fresh.where, sizeof fresh.where, "%s", where ? where : "");
    snprintf(fresh.remedy, sizeof fresh.remedy, "%s", remedy ? remedy : "");
    va_list arguments;
    va_start(arguments, what_format);
    vsnprintf(fresh.what, sizeof fresh.what, what_format, arguments);
    va_end(arguments);
    *error = fresh;
    return status;
}

sac_status sac_no_memory(sac_error *error, const char *what)
{
    return sac_fail(error, SAC_E_MEMORY, what, NULL, "out of memory");
}

sac_status sac_need(const void *pointer, const char *name, sac_error *error)
{
    return pointer ? SAC_OK : sac_fail(error, SAC_E_ARGUMENT, name, "give one", "is missing");
}

sac_status sac_error_within(sac_error *error, sac_status status, const char *outer)
{
    if (!error || status == SAC_OK)
        return status;
    char inner[sizeof error->where];
    memcpy(inner, error->where, sizeof inner);
    int size = (int)sizeof error->where;
    if (inner[0])
        snprintf(error->where, (size_t)size, "%.*s: %.*s", size / 2, outer, size / 2 - 3, inner);
    else
        snprintf(error->where, (size_t)size, "%s", outer);
    return status;
}

sac_status sac_error_pass(sac_error *error, const sac_error *why, const char *outer)
{
    if (error)
        *error = *why;
    return outer ? sac_error_within(error, why->status, outer) : why->status;
}

/* Names in an error may come from outside: file names, and texts in files. */
char *sac_error_line(const sac_error *error, char *line, size_t size)
{
    static const sac_error unknown = {
        .what = "failed; the reason is unknown, as no sac_error was given"};
    char plain[sizeof error->where + sizeof error->what + sizeof error->remedy + 4];
    if (size == 0 || !line)
        return line;
    error = error ? error : &unknown;
    const char *what = error->what[0] ? error->what : sac_status_name(error->status);
    snprintf(plain, sizeof plain, "%s%s%s%s%s", error->where, error->where[0] ? ": " : "", what,
             error->remedy[0] ? "; " : "", error->remedy);
    return sac_printable(plain, line, size);
}

void sac_error_print(const sac_error *error, FILE *file)
{
    char line[3 * sizeof *error]; /* a byte may become three */
    if (!file)
        return;
    sac_print(file, "saccade: %s\n", sac_error_line(error, line, sizeof line));
    if (!error || !error->build_log[0])
        return;
    sac_print_text(file, error->build_log);
    fputc('\n', file);
}

/* ---------------------------------------------------------------- names */

const char *sac_version(void)
{
    return SAC_VERSION;
}

static const char *const variant_names[SAC_VARIANT_COUNT] = {
    [SAC_VARIANT_AUTO] = "auto",   [SAC_VARIANT_CPU] = "cpu",       [SAC_VARIANT_GPU] = "gpu",
    [SAC_VARIANT_NAIVE] = "naive", [SAC_VARIANT_MATRIX] = "matrix",
};

static const char *const storage_names[SAC_STORAGE_COUNT] = {
    [SAC_STORAGE_F32] = "float32",
    [SAC_STORAGE_F16] = "float16",
    [SAC_STORAGE_BF16] = "bfloat16",
};

const char *sac_storage_name(sac_storage storage)
{
    return (unsigned)storage < SAC_STORAGE_COUNT ? storage_names[storage] : "unknown storage";
}

static const char *const matrix_names[SAC_MATRIX_COUNT] = {
    [SAC_MATRIX_NONE] = "none",
    [SAC_MATRIX_MMA] = "mma (PTX)",
    [SAC_MATRIX_MFMA] = "MFMA",
    [SAC_MATRIX_WMMA_11] = "WMMA (RDNA 3)",
    [SAC_MATRIX_WMMA_12] = "WMMA (RDNA 4)",
    [SAC_MATRIX_DPAS_8] = "DPAS (8)",
    [SAC_MATRIX_DPAS_16] = "DPAS (16)",
    [SAC_MATRIX_MMA_TF32] = "mma (PTX, TF32)",
};

const char *sac_matrix_name(sac_matrix matrix)
{
    return (unsigned)matrix < SAC_MATRIX_COUNT ? matrix_names[matrix] : "unknown instruction";
}

const char *sac_variant_name(sac_variant variant)
{
    return (unsigned)variant < SAC_VARIANT_COUNT ? variant_names[variant] : "unknown variant";
}
