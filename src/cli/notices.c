/* Notices, on the terminal and in the window. */
#include <pthread.h>
#include <stdio.h>

#include "base/text/printable.h"
#include "cli/cli.h"
#include "sharing/ranks/ranks.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char latest[1024]; /* that no window has shown; empty: none */

/* Of several processes the first tells what all meet, and each that its own device failed. */
void cli_notice_show(void *user, const char *text)
{
    (void)user;
    if (sac_ranks_me() > 0 && !sac_ranks_gave_up())
        return;
    pthread_mutex_lock(&lock);
    cli_progress_clear();
    sac_print(stderr, "saccade: %s\n", text);
    snprintf(latest, sizeof latest, "%s", text);
    pthread_mutex_unlock(&lock);
}

bool cli_notice_take(char *text, size_t size)
{
    pthread_mutex_lock(&lock);
    bool any = latest[0] != '\0';
    snprintf(text, size, "%s", latest);
    latest[0] = '\0';
    pthread_mutex_unlock(&lock);
    return any;
}
