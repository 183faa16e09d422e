/* Notices go to the one listener, and to that of their thread, if there is one; the line of activity is one text for the whole process, under a lock. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/notice.h"

static void (*listening)(void *user, const char *text);
static void *listening_user;

void sac_notice_listen(void (*listener)(void *user, const char *text), void *user)
{
    listening = listener;
    listening_user = user;
}

static _Thread_local void (*listening_here)(void *user, const char *text);
static _Thread_local void *listening_here_user;

void sac_notice_listen_here(void (*listener)(void *user, const char *text), void *user)
{
    listening_here = listener;
    listening_here_user = user;
}

void sac_notice(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (listening)
        listening(listening_user, text);
    if (listening_here)
        listening_here(listening_here_user, text);
}

/* ---------------------------------------------------------------- activity */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char line[SAC_ACTIVITY_SIZE]; /* empty: nothing */
static unsigned turn;                /* whose line it is: the thread's that has the same */
static _Thread_local unsigned own_turn;
static void (*activity_listening)(const char *text);

void sac_activity_listen(void (*listener)(const char *text))
{
    activity_listening = listener;
}

void sac_activity_begin(const char *format, ...)
{
    char text[SAC_ACTIVITY_SIZE] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&lock);
    memcpy(line, text, sizeof line);
    own_turn = ++turn;
    pthread_mutex_unlock(&lock);
    if (activity_listening)
        activity_listening(text);
}

void sac_activity_end(void)
{
    if (own_turn == 0)
        return;
    pthread_mutex_lock(&lock);
    bool last = own_turn == turn;
    if (last)
        line[0] = '\0';
    pthread_mutex_unlock(&lock);
    own_turn = 0;
    if (last && activity_listening)
        activity_listening(NULL);
}

bool sac_activity_text(char text[SAC_ACTIVITY_SIZE])
{
    pthread_mutex_lock(&lock);
    memcpy(text, line, sizeof line);
    pthread_mutex_unlock(&lock);
    return text[0] != '\0';
}
