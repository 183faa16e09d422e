#include "base/busy.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char line[SAC_BUSY_SIZE]; /* empty: nothing */
static unsigned turn;            /* whose line it is: the thread's that has the same */
static _Thread_local unsigned own_turn;
static char wait_path[SAC_BUSY_SIZE];
static int waits; /* begun and not ended */
static void (*listening)(const char *text);
static bool (*stop_asked)(void);

void sac_busy_listen(void (*listener)(const char *text))
{
    listening = listener;
}

void sac_busy_begin(const char *format, ...)
{
    char text[SAC_BUSY_SIZE] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&lock);
    memcpy(line, text, sizeof line);
    own_turn = ++turn;
    pthread_mutex_unlock(&lock);
    if (listening)
        listening(text);
}

void sac_busy_end(void)
{
    if (own_turn == 0)
        return;
    pthread_mutex_lock(&lock);
    bool last = own_turn == turn;
    if (last)
        line[0] = '\0';
    pthread_mutex_unlock(&lock);
    own_turn = 0;
    if (last && listening)
        listening(NULL);
}

bool sac_busy_text(char text[SAC_BUSY_SIZE])
{
    pthread_mutex_lock(&lock);
    memcpy(text, line, sizeof line);
    pthread_mutex_unlock(&lock);
    return text[0] != '\0';
}

void sac_busy_stop_when(bool (*asked)(void))
{
    stop_asked = asked;
}

bool sac_busy_stopped(void)
{
    return stop_asked && stop_asked();
}

sac_status sac_busy_check(const char *where, sac_error *error)
{
    if (!sac_busy_stopped())
        return SAC_OK;
    return sac_fail(error, SAC_E_CANCELLED, where, NULL, "stopped on request");
}

void sac_wait_end(void)
{
    pthread_mutex_lock(&lock);
    waits--;
    pthread_mutex_unlock(&lock);
}

/* Whoever asks for a stop and then looks for a wait finds this one, or this finds the request. */
sac_status sac_wait_begin(const char *path, sac_error *error)
{
    pthread_mutex_lock(&lock);
    waits++;
    snprintf(wait_path, sizeof wait_path, "%s", path);
    pthread_mutex_unlock(&lock);
    sac_status status = sac_busy_check(path, error);
    if (status != SAC_OK)
        sac_wait_end();
    return status;
}

bool sac_wait_text(char path[SAC_BUSY_SIZE])
{
    pthread_mutex_lock(&lock);
    bool any = waits > 0;
    snprintf(path, SAC_BUSY_SIZE, "%s", any ? wait_path : "");
    pthread_mutex_unlock(&lock);
    return any;
}
