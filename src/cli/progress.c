/* The bar of a long work, and the line of what takes seconds, on a terminal. */
#include <stdio.h>
#include <unistd.h>

#include "base/activity.h"
#include "base/text/printable.h"
#include "cli/cli.h"
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
    cli_interrupt_has_window(!show);
    sac_activity_listen(show && isatty(STDERR_FILENO) ? show_wait : NULL);
}

static bool step(void *what, double done)
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
    return (sac_progress){.step = step, .user = (void *)what};
}
