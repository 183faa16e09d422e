#include "cli/cli.h"

#include <signal.h>
#include <unistd.h>

#include "base/busy.h"

static volatile sig_atomic_t interruptions;
static int shown_percent = -1; /* of the bar on the terminal; −1: there is none */
static bool shows_wait;        /* a line on the terminal */

/* The first asks work to stop and clean up; who insists is let go at once. */
static void on_signal(int number)
{
    if (++interruptions >= 3) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

/* A driver that compiles waits for its linker: its calls go on after the signal. */
void cli_interrupt_install(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, reported as such */
}

bool cli_interrupted(void)
{
    return interruptions > 0;
}

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
    if (!text)
        return;
    fprintf(stderr, "%s …", text);
    shows_wait = true;
}

void cli_waits_show(bool show)
{
    sac_busy_listen(show && isatty(STDERR_FILENO) ? show_wait : NULL);
}

static bool step(void *what, double done)
{
    enum { CELLS = 30 };
    int percent = (int)(100.0 * (done < 0 ? 0 : done > 1 ? 1 : done));
    if (percent >= 100 || cli_interrupted())
        cli_progress_clear();
    else if (percent != shown_percent && isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r%s ", (const char *)what);
        for (int i = 0; i < CELLS; i++)
            fputs(i * 100 < percent * CELLS ? "█" : "░", stderr);
        fprintf(stderr, " %3d %%", percent);
        shown_percent = percent;
    }
    return !cli_interrupted();
}

sac_progress cli_progress(const char *what)
{
    return (sac_progress){.step = step, .user = (void *)what};
}
