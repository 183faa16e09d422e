/* Which start of the machine this is. */
#ifndef SAC_BASE_BOOT_H
#define SAC_BASE_BOOT_H

enum { SAC_BOOT_SIZE = 40 };

/* Writes a text that is another after each start of the machine, "unknown" where the system tells
 * none, and returns it. */
const char *sac_boot_id(char text[SAC_BOOT_SIZE]);

#endif
