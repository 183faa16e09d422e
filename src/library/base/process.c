#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"

extern char **environ;

void sac_path_drop_relative(void)
{
    const char *path = getenv("PATH");
    char *kept = path ? calloc(strlen(path) + sizeof "/usr/bin:/bin", 1) : NULL;
    size_t used = 0;
    bool dropped = false;
    for (const char *at = path; kept && at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        size_t length = strcspn(at, ":");
        dropped = dropped || at[0] != '/';
        if (at[0] == '/')
            used += (size_t)sprintf(kept + used, "%s%.*s", used ? ":" : "", (int)length, at);
    }
    if (dropped)
        setenv("PATH", used ? kept : "/usr/bin:/bin", 1);
    free(kept);
}

int sac_spawn(char *const command[], int input, pid_t *process)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    sac_path_drop_relative();
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int code = posix_spawnp(process, command[0], &files, &attributes, command, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return code;
}

const char *sac_boot_id(char text[SAC_BOOT_SIZE])
{
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, text, SAC_BOOT_SIZE - 1) : 0;
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (!text[0])
        strcpy(text, "unknown");
    return text;
}
