/* Programs that run beside this one. */
#ifndef SAC_BASE_SPAWN_H
#define SAC_BASE_SPAWN_H

#include <sys/types.h>

/* Starts the program of these words, the last NULL, found as a shell finds it; it reads `input`, a
 * file descriptor, and what it writes is nobody's. Signals that are blocked here end it as any
 * other program. Returns 0, or what errno would be. */
int sac_spawn(char *const command[], int input, pid_t *process);

#endif
