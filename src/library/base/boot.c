#include "base/boot.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

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
