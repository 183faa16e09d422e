/* Filling in and printing of a sac_error. */

#include "base/error.h"

#include <stdarg.h>
#include <string.h>

#include "base/text/printable.h"

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
