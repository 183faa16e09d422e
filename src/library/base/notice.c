/* Notices go to the one listener, if there is one. */

#include "base/notice.h"

#include <stdarg.h>
#include <stdio.h>

static void (*listening)(void *user, const char *text);
static void *listening_user;

void sac_notice_listen(void (*listener)(void *user, const char *text), void *user)
{
    listening = listener;
    listening_user = user;
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
}
