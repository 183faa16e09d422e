/* Notices: things that a person should know once though nothing failed, such as that a folder
 * cannot be written. The library prints nothing; a program that shows notices sets a listener. */
#ifndef SAC_BASE_NOTICE_H
#define SAC_BASE_NOTICE_H

/* Sets the function that is called with one line, "WHERE: what is so; what to do", on the working
 * thread. NULL, the default: none. Set it before other threads begin. */
void sac_notice_listen(void (*listener)(void *user, const char *text), void *user);

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void sac_notice(const char *format, ...);

#endif
