/* The folders in which the program looks for its files. */

#include "app/assets.h"

#include <string.h>
#include <unistd.h>

#include "base/error.h"

/* The folder of the running program, without a slash at its end; empty where it is unknown. */
static void program_folder(char *folder, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", folder, size - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
}

sac_status app_find_asset(const char *name, const char *remedy, char *path, size_t size,
                          sac_error *error)
{
    /* An installation that was moved as a whole, a build folder (whose link leads to the sources),
     * and where it was to be installed: a program finds the files of its own version first. */
    static const char *const places[] = {SACCADE_DATA_FROM_PROGRAM, "share/saccade",
                                         SACCADE_DATA_DIR};
    char program[4096];
    program_folder(program, sizeof program);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        bool absolute = places[i][0] == '/';
        snprintf(path, size, "%s%s%s/%s", absolute ? "" : program, absolute ? "" : "/", places[i],
                 name);
        if (access(path, R_OK) == 0)
            return SAC_OK;
    }
    return sac_fail(error, SAC_E_FILE, name, remedy,
                    "is part of the program but missing from " SACCADE_DATA_DIR);
}
