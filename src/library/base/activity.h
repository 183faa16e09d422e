/* The activity that people may have to wait seconds for, such as a driver that compiles: one line
 * of text, told by the thread that works and read by whoever shows it. The library prints nothing.
 */
#ifndef SAC_BASE_ACTIVITY_H
#define SAC_BASE_ACTIVITY_H

#include <stdbool.h>
#include <stddef.h>

enum { SAC_ACTIVITY_SIZE = 240 };

/* This thread begins one: "compiling kernels for PoCL, AMD EPYC". It takes the place of what this
 * or another thread told last: there is one line. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void sac_activity_begin(const char *format, ...);
/* The activity is over; does nothing where the line is not this thread's. */
void sac_activity_end(void);
/* The line, on any thread; false, and an empty text, where there is none. */
bool sac_activity_text(char text[SAC_ACTIVITY_SIZE]);

/* `listener` is called at each beginning with the line and at each end with NULL, on the thread
 * that works. NULL: nobody, as at first. Set it before other threads begin. */
void sac_activity_listen(void (*listener)(const char *text));

#endif
