#include "base/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "base/error.h"

/* A device or a pipe (/dev/stdout, /dev/full) is written in place: nothing can be renamed over it.
 */
static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

sac_status sac_output_open(sac_output *output, const char *path, sac_error *error)
{
    *output = (sac_output){0};
    struct stat info;
    if (strlen(path) >= sizeof output->path)
        return sac_fail(error, SAC_E_FILE, path, NULL, "the file name is too long");
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return sac_fail(error, SAC_E_FILE, path, "give the name of a file", "is a folder");
    snprintf(output->path, sizeof output->path, "%s", path);
    if (!is_special(path))
        snprintf(output->temporary, sizeof output->temporary, "%s.part-%ld", path, (long)getpid());
    const char *name = output->temporary[0] ? output->temporary : path;
    output->file = fopen(name, "wb");
    if (!output->file)
        return sac_fail(error, SAC_E_FILE, path, "choose a folder that exists and can be written",
                        "cannot be written: %s", strerror(errno));
    return SAC_OK;
}

sac_status sac_output_check(const char *path, sac_error *error)
{
    sac_output output;
    sac_status status = sac_output_open(&output, path, error);
    sac_output_discard(&output);
    return status;
}

sac_status sac_output_commit(sac_output *output, sac_error *error)
{
    bool failed = fflush(output->file) != 0 || ferror(output->file) != 0;
    if (!failed && output->temporary[0])
        failed = fsync(fileno(output->file)) != 0;
    int code = errno;
    if (fclose(output->file) != 0 && !failed) {
        failed = true;
        code = errno;
    }
    output->file = NULL;
    if (!failed && output->temporary[0] && rename(output->temporary, output->path) != 0) {
        failed = true;
        code = errno;
    }
    if (failed) {
        if (output->temporary[0])
            unlink(output->temporary);
        return sac_fail(error, SAC_E_FILE, output->path,
                        code == ENOSPC ? "free some space or choose another disk" : NULL,
                        "cannot be written: %s", strerror(code));
    }
    output->temporary[0] = '\0';
    return SAC_OK;
}

void sac_output_discard(sac_output *output)
{
    if (output->file)
        fclose(output->file);
    output->file = NULL;
    if (output->temporary[0])
        unlink(output->temporary);
    output->temporary[0] = '\0';
}
