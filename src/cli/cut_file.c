/* Files of arrays are mapped, as they may be larger than memory. Where another program cuts one
 * while it is read, the kernel answers with SIGBUS: there is no call that could fail. The process
 * ends as it would have for a file that was cut before, with one line and no part of an output
 * left. */
#include "cli/cli.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "arrays/bytes.h"
#include "base/error.h"
#include "base/output.h"
#include "device/quarantine.h"

/* A file that several threads read is cut for all of them: the first tells, the others wait for the
 * end. */
static atomic_flag reported = ATOMIC_FLAG_INIT;

/* Runs on the thread that reads, between two instructions of ours or of a driver that copies: none
 * of the locks that are taken here is held. Any other SIGBUS goes on as without a handler. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
    sac_error error = {0};
    char path[256];
    (void)context;
    if (!sac_bytes_mapped_at(info->si_addr, path, sizeof path)) {
        sac_quarantine_died(info);
        signal(number, SIG_DFL);
        return;
    }
    while (atomic_flag_test_and_set(&reported))
        pause();
    sac_quarantine_abandon();
    sac_outputs_abandon();
    sac_fail(&error, SAC_E_FORMAT, path, "get the file again",
             "was cut by another program while it was read");
    _exit(cli_report(&error));
}

void cli_cut_files_report(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}
