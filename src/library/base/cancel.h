/* Cancellation of the whole process: a signal requests it, and code that works or waits checks for
 * it. */
#ifndef SAC_BASE_CANCEL_H
#define SAC_BASE_CANCEL_H

#include <stdbool.h>

#include "saccade.h"

enum { SAC_WAIT_SIZE = 240 };

/* Sets the function that returns, on any thread, whether work should stop. Once it returned true it
 * must always do so: then compiling fails with SAC_E_CANCELLED, and no failure is counted against a
 * device. NULL, the default: never. Set it before other threads begin. */
void sac_cancel_when(bool (*asked)(void));
bool sac_cancel_asked(void);
/* SAC_E_CANCELLED, "WHERE: stopped on request", once work should stop. */
sac_status sac_cancel_check(const char *where, sac_error *error);

/* Lets `progress` (NULL: nothing) cancel this thread's work too, until sac_cancel_scope_end: the
 * checks above ask it, and once it stops the work it is not asked again. Scopes do not nest. */
void sac_cancel_scope_begin(const sac_progress *progress);
void sac_cancel_scope_end(void);
/* What comes next is this part of the whole, 0 to 1; and so much of that part is done. Outside of a
 * scope they do nothing. */
void sac_cancel_scope_stage(double begin, double end);
void sac_cancel_scope_set_done(double done);

/* This process waits for a file that may never come or never end: a pipe, a terminal, a disk that
 * hangs. Until sac_wait_end it may be ended at any moment, and nothing is lost. SAC_E_CANCELLED,
 * and nothing begun, once work should stop. */
sac_status sac_wait_begin(const char *path, sac_error *error);
void sac_wait_end(void);
/* The file that was waited for last, on any thread; false, and an empty text, where none is. */
bool sac_wait_path(char path[SAC_WAIT_SIZE]);

#endif
