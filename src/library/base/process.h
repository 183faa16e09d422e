/* Programs that run beside this one, and which start of the machine this is. */
#ifndef SAC_BASE_PROCESS_H
#define SAC_BASE_PROCESS_H

#include <sys/types.h>

/* Drops from PATH what is not absolute, or empty: by it programs of the working folder would run,
 * ours and those that drivers start. Changes the environment where there is such an entry. */
void sac_path_drop_relative(void);

/* Starts the program given by these words, the last NULL, found as a shell finds it. It reads
 * `input`, a file descriptor; its output is discarded. Signals that are blocked here end it as any
 * other program. Returns 0, or an errno value. */
int sac_spawn(char *const command[], int input, pid_t *process);

enum { SAC_BOOT_SIZE = 40 };

/* Writes a text that differs after each boot of the machine, "unknown" if the system gives none,
 * and returns it. */
const char *sac_boot_id(char text[SAC_BOOT_SIZE]);

#endif
