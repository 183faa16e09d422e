/* What ends the program from outside: signals, and a mapped file that another program cuts.
 *
 * Ctrl-C reaches every process of the terminal's group, and drivers that compile do not stand it.
 * PoCL's linker, a child, dies of it, and then PoCL aborts this process; LLVM, in PoCL and others,
 * puts a handler of its own in the place of ours, which deletes the files of the compilation that
 * is under way. So no handler takes these signals: every thread, and every child of a driver, has
 * them blocked, as both inherit it from main, and one thread waits for them. */
#include "cli/cli.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "arrays/bytes.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/output.h"
#include "device/quarantine.h"

enum { CLEAN_UP_S = 5 };

static atomic_int interruptions;
static pid_t program;
static atomic_bool has_window;                /* which closes by itself, whatever is waited for */
static int (*report)(const sac_error *error); /* prints an error; gives its exit status */

/* A terminal that closes sends SIGHUP; under nohup it is ignored, and stays so. */
static void fill_signals(sigset_t *signals)
{
    struct sigaction hangup;
    sigemptyset(signals);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGQUIT);
    sigaddset(signals, SIGTERM);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        sigaddset(signals, SIGHUP);
}

/* No part of a file stays, and a disk that hangs does not keep the process. */
static void clean_up(void)
{
    alarm(CLEAN_UP_S);
    sac_quarantine_remove_all_marks();
    sac_outputs_abandon();
}

/* A wait for a pipe, a terminal or a disk cannot be asked to end: the process ends in its place. */
static void exit_if_waiting(void)
{
    sac_error error = {0};
    char path[SAC_WAIT_SIZE];
    if (atomic_load(&has_window) || !sac_wait_path(path))
        return;
    clean_up();
    fflush(stdout);
    sac_fail(&error, SAC_E_CANCELLED, path, NULL, "stopped on request");
    _exit(report(&error));
}

/* The first asks work to stop and clean up; who insists is let go at once. begun: a sem_t. */
static void *await_signals(void *begun)
{
    sigset_t signals;
    int number = 0;
    fill_signals(&signals);
    sem_post(begun);
    while (sigwait(&signals, &number) == 0 && atomic_fetch_add(&interruptions, 1) < 2)
        exit_if_waiting();
    clean_up();
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    raise(number);
    return NULL;
}

/* A child of a driver that exits is no reason to. */
static void abandon_outputs(void)
{
    if (getpid() == program)
        sac_outputs_abandon();
}

/* Is called before other threads begin. Where no thread can be made, Ctrl-C ends the program. */
void cli_interrupt_install(int (*reporter)(const sac_error *error))
{
    sigset_t signals;
    pthread_t thread;
    sem_t begun;
    /* A closed pipe and a file at its limit are failed writes, reported as such. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    report = reporter;
    program = getpid();
    atexit(abandon_outputs); /* a driver's compiler may call exit() */
    sac_cancel_when(cli_interrupted);
    fill_signals(&signals);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    sem_init(&begun, 0, 0);
    if (pthread_create(&thread, NULL, await_signals, &begun) == 0) {
        pthread_detach(thread);
        while (sem_wait(&begun) !=
               0) { /* a process that is forked while a thread begins may have its locks */
        }
    } else {
        pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    }
    sem_destroy(&begun);
}

void cli_interrupt_set_has_window(bool has)
{
    atomic_store(&has_window, has);
}

bool cli_interrupted(void)
{
    return atomic_load(&interruptions) > 0;
}

/* ---------------------------------------------------------------- files that are cut */

/* Files of arrays are mapped, as they may be larger than memory. Where another program cuts one
 * while it is read, the kernel answers with SIGBUS: there is no call that could fail. The process
 * ends as it would have for a file that was cut before, with one line and no part of an output
 * left. */

/* A file that several threads read is cut for all of them: the first reports it, the others wait for the
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
        sac_quarantine_record_death(info);
        signal(number, SIG_DFL);
        return;
    }
    while (atomic_flag_test_and_set(&reported))
        pause();
    sac_quarantine_remove_all_marks();
    sac_outputs_abandon();
    sac_fail(&error, SAC_E_FORMAT, path, "get the file again",
             "was cut by another program while it was read");
    _exit(report(&error));
}

void cli_install_cut_file_handler(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}
