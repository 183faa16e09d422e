/* Which start of the machine this is. */
#ifndef SAC_BASE_BOOT_H
#define SAC_BASE_BOOT_H

enum { SAC_BOOT_SIZE = 40 };

/* Writes a text that differs after each boot of the machine, "unknown" if the system gives none,
 * and returns it. */
const char *sac_boot_id(char text[SAC_BOOT_SIZE]);

#endif
