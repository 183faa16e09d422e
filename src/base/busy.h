/* What a thread is at that people may have to wait seconds for, such as a driver that compiles: one
 * line of text, said by whoever works and read by whoever shows it. The library prints nothing. */
#ifndef SAC_BASE_BUSY_H
#define SAC_BASE_BUSY_H

#include <stdbool.h>
#include <stddef.h>

#include "saccade.h"

enum { SAC_BUSY_SIZE = 240 };

/* This thread begins it: "compiling kernels for PoCL, AMD EPYC". What it said before is forgotten,
 * and so is what another thread said last: there is one line. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void sac_busy_begin(const char *format, ...);
/* It is done; does nothing where the line is not this thread's. */
void sac_busy_end(void);
/* The line, on any thread; false, and an empty text, where there is none. */
bool sac_busy_text(char text[SAC_BUSY_SIZE]);

/* `listener` is called at each beginning with the line and at each end with NULL, on the thread
 * that works. NULL: nobody, as at first. Set it before other threads begin. */
void sac_busy_listen(void (*listener)(const char *text));

/* `asked` tells, on any thread, whether such work should stop, and once it did says so ever after:
 * then nothing more is compiled, which fails with SAC_E_CANCELLED, and no failure is held against
 * a device. NULL: never, as at first. Set it before other threads begin. */
void sac_busy_stop_when(bool (*asked)(void));
bool sac_busy_stopped(void);
/* SAC_E_CANCELLED, "WHERE: stopped on request", once it should. */
sac_status sac_busy_check(const char *where, sac_error *error);

/* This process waits for a file that may never come or never end: a pipe, a terminal, a disk that
 * hangs. Until sac_wait_end it may be ended at any moment, and nothing is lost. SAC_E_CANCELLED,
 * and nothing begun, once work should stop. */
sac_status sac_wait_begin(const char *path, sac_error *error);
void sac_wait_end(void);
/* The file that was waited for last, on any thread; false, and an empty text, where none is. */
bool sac_wait_text(char path[SAC_BUSY_SIZE]);

#endif
