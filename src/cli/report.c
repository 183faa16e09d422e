/* What the program shows beside its output: errors and the exit status of each, notices, the bar of a long work, and
 * the line of what takes seconds. */
#include "cli/cli.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "base/notice.h"
#include "base/text/printable.h"
#include "sharing/ranks/ranks.h"

static int shown_percent = -1; /* of the bar on the terminal; −1: there is none */
static bool shows_wait;        /* a line on the terminal */

void cli_progress_clear(void)
{
    if (shown_percent >= 0 || shows_wait)
        fputs("\r\033[K", stderr);
    shown_percent = -1;
    shows_wait = false;
}

static void show_wait(const char *text)
{
    cli_progress_clear();
    if (!text || sac_ranks_me() > 0)
        return;
    sac_print(stderr, "%s …", text);
    shows_wait = true;
}

void cli_waits_show(bool show)
{
    cli_interrupt_set_has_window(!show);
    sac_activity_listen(show && isatty(STDERR_FILENO) ? show_wait : NULL);
}

static bool show_progress(void *what, double done)
{
    enum { CELLS = 30 };
    int percent = (int)(100.0 * (done < 0 ? 0 : done > 1 ? 1 : done));
    if (percent >= 100 || cli_interrupted())
        cli_progress_clear();
    else if (percent != shown_percent && sac_ranks_me() == 0 && isatty(STDERR_FILENO)) {
        sac_print(stderr, "\r%s ", (const char *)what);
        for (int i = 0; i < CELLS; i++)
            sac_print(stderr, "%s", i * 100 < percent * CELLS ? "█" : "░");
        sac_print(stderr, " %3d %%", percent);
        shown_percent = percent;
    }
    return !cli_interrupted();
}

sac_progress cli_progress(const char *what)
{
    return (sac_progress){.step = show_progress, .user = (void *)what};
}

/* ---------------------------------------------------------------- errors */

static int status_of(const sac_error *error)
{
    switch (error->status) {
    case SAC_OK:
        return CLI_DONE;
    case SAC_E_ARGUMENT:
        return CLI_USAGE;
    case SAC_E_NO_DEVICE:
        return CLI_NO_DEVICE;
    default:
        return CLI_FAILED;
    }
}

static sac_error unknown_to_others; /* a failure of this process alone, or of all alike */

const sac_error *cli_deferred_error(void)
{
    return &unknown_to_others;
}

static bool keep_error_for_later(const sac_error *error)
{
    if (sac_ranks_count() == 1 || !sac_ranks_launched() || sac_ranks_agreed() || cli_interrupted())
        return false;
    if (unknown_to_others.status == SAC_OK)
        unknown_to_others = *error;
    return true;
}

int cli_report(const sac_error *error)
{
    return error->status != SAC_OK && keep_error_for_later(error) ? status_of(error)
                                                                  : cli_report_now(error);
}

int cli_report_now(const sac_error *error)
{
    bool is_known =
        sac_ranks_agreed() || error->status == SAC_E_ARGUMENT || error->status == SAC_E_CANCELLED;
    cli_progress_clear();
    if (sac_ranks_me() == 0 || !is_known)
        sac_error_print(error, stderr);
    return status_of(error);
}

int cli_usage(const char *where, const char *what, const char *remedy)
{
    sac_error error = {.status = SAC_E_ARGUMENT};
    snprintf(error.where, sizeof error.where, "%s", where);
    snprintf(error.what, sizeof error.what, "%s", what);
    snprintf(error.remedy, sizeof error.remedy, "%s", remedy ? remedy : "");
    return cli_report(&error);
}

/* ---------------------------------------------------------------- notices */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char latest[1024]; /* that no window has shown; empty: none */

/* Of several processes the first prints what all meet, and each the failure of its own device. */
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
