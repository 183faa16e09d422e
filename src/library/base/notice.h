/* What a person should know while this library works, which prints nothing itself.
 * Notices: things that a person should know once though nothing failed, such as that a folder
 * cannot be written; a program that shows notices sets a listener. */
#ifndef SAC_BASE_NOTICE_H
#define SAC_BASE_NOTICE_H

#include <stdbool.h>
#include <stddef.h>

/* Sets the function that is called with one line, "WHERE: what is so; what to do", on the working
 * thread. NULL, the default: none. Set it before other threads begin. */
void sac_notice_listen(void (*listener)(void *user, const char *text), void *user);

/* The same for the notices of this thread, beside that one: for who keeps those of work of its own. NULL: no more. */
void sac_notice_listen_here(void (*listener)(void *user, const char *text), void *user);

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void sac_notice(const char *format, ...);

/* The current activity that a user may wait seconds for, such as a driver that compiles. It is one
 * line of text, set by the thread that works and read by whatever displays it. */
enum { SAC_ACTIVITY_SIZE = 240 };

/* Begins an activity on this thread: "loading 148 tensors". It replaces the last
 * line of this or another thread: there is one line. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void sac_activity_begin(const char *format, ...);
/* The activity is over; does nothing where the line is not this thread's. */
void sac_activity_end(void);
/* The line, on any thread; false, and an empty text, where there is none. */
bool sac_activity_text(char text[SAC_ACTIVITY_SIZE]);

/* Sets the function that is called on the working thread with the line at each beginning, and with
 * NULL at each end. NULL, the default: none. Set it before other threads begin. */
void sac_activity_listen(void (*listener)(const char *text));

#endif
