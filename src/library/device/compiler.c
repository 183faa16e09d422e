#include "device/compiler.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/spawn.h"
#include "device/internal.h"

enum { LOOK_MS = 50, REST_MS = 3000 }; /* from one look at a request to stop to the next; idle */

/* A request goes as one packet, and its answer is two bytes: that the driver is about to compile,
 * and whether it was compiled. */
typedef struct request {
    char device[16], source[64], options[1024];
    bool wholly;
} request;
enum { BEGINS = '>', BUILT = '+', NOT_BUILT = '-' };

static struct {
    char *const *command;
    pid_t process; /* 0: none */
    int socket;
    double limit; /* seconds for a program */
} compiler = {.limit = 300};

void sac_compiler_set(char *const command[])
{
    compiler.command = command;
}

void sac_compiler_set_limit(double seconds)
{
    compiler.limit = seconds;
}

/* ---------------------------------------------------------------- the process that asks */

/* Its message is repeated by the process that compiles in its place. */
static bool start(void)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    bool started = sac_spawn(compiler.command, ends[1], &compiler.process) == 0;
    close(ends[1]);
    compiler.socket = ends[0];
    if (!started) {
        close(ends[0]);
        compiler.process = 0;
    }
    return started;
}

/* Its wait status; that of SIGKILL where it was alive. */
static int stop(void)
{
    int status = 0;
    kill(compiler.process, SIGKILL);
    waitpid(compiler.process, &status, 0);
    close(compiler.socket);
    compiler.process = 0;
    return status;
}

static bool send_to(const request *asked)
{
    return send(compiler.socket, asked, sizeof *asked, MSG_NOSIGNAL) == (ssize_t)sizeof *asked;
}

/* How far a request came. */
typedef enum progress { NOT_BEGUN, BEGUN, ANSWERED, TOO_LONG } progress;

/* Until it is answered, the process ended, or work should stop. */
static progress wait_for_answer(void)
{
    struct pollfd answer = {.fd = compiler.socket, .events = POLLIN};
    double end = sac_now() + compiler.limit;
    progress so_far = NOT_BEGUN;
    char text;
    while (!sac_cancel_asked()) {
        int ready = poll(&answer, 1, LOOK_MS);
        if (ready == 0 && sac_now() > end)
            return so_far == BEGUN ? TOO_LONG : so_far;
        if (ready == 0 || (ready < 0 && errno == EINTR))
            continue;
        if (ready < 0 || recv(compiler.socket, &text, 1, 0) != 1)
            return so_far;
        if (text != BEGINS)
            return ANSWERED;
        so_far = BEGUN;
    }
    return so_far;
}

/* Sends a request to the compiler process; one that ended while it was idle is replaced. */
static progress ask(const request *asked)
{
    bool sent = compiler.process && send_to(asked);
    if (!sent && compiler.process)
        stop();
    return sent || (start() && send_to(asked)) ? wait_for_answer() : NOT_BEGUN;
}

/* Empty where it was no doing of the driver's. */
static void say_how(progress reached, int status, char how[80])
{
    how[0] = '\0';
    if (reached == TOO_LONG)
        snprintf(how, 80, "took more than %.0f s", compiler.limit);
    else if (reached == BEGUN && WIFEXITED(status))
        snprintf(how, 80, "ended the process with exit status %d", WEXITSTATUS(status));
    else if (reached == BEGUN && WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL &&
             WTERMSIG(status) != SIGTERM && WTERMSIG(status) != SIGINT &&
             WTERMSIG(status) != SIGHUP && WTERMSIG(status) != SIGQUIT)
        snprintf(how, 80, "died of signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

sac_status sac_compiler_run(const sac_device *device, const char *source, const char *options,
                            bool wholly, char how[80], sac_error *error)
{
    request asked = {.wholly = wholly};
    how[0] = '\0';
    if (!compiler.command || strlen(source) >= sizeof asked.source ||
        strlen(options) >= sizeof asked.options)
        return SAC_OK;
    snprintf(asked.device, sizeof asked.device, "%d", device->info.number);
    strcpy(asked.source, source);
    strcpy(asked.options, options);
    progress reached = ask(&asked);
    if (reached != ANSWERED && compiler.process) {
        int status = 0;
        bool ended = reached == BEGUN && !sac_cancel_asked() &&
                     waitpid(compiler.process, &status, 0) == compiler.process;
        if (ended) {
            close(compiler.socket);
            compiler.process = 0;
        } else {
            stop();
        }
        say_how(ended || reached == TOO_LONG ? reached : NOT_BEGUN, status, how);
    }
    return sac_cancel_check("compiling kernels", error);
}

/* ---------------------------------------------------------------- the process that compiles */

/* The next request; false: there is none any more. */
static bool take(request *asked)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&input, 1, REST_MS) > 0 &&
           recv(STDIN_FILENO, asked, sizeof *asked, 0) == (ssize_t)sizeof *asked;
}

static bool answer(char text)
{
    return send(STDIN_FILENO, &text, 1, MSG_NOSIGNAL) == 1;
}

/* The request's device in the place of another. */
static bool open_device(const char *number, sac_device **device)
{
    bool is_open = *device && (*device)->info.number == atoi(number);
    if (is_open)
        return true;
    sac_device_close(*device);
    *device = NULL;
    return sac_device_open_untrusted(number, device, NULL) == SAC_OK;
}

int sac_compiler_serve(void)
{
    sac_device *device = NULL;
    request asked;
    bool goes_on = true;
    while (goes_on && take(&asked)) {
        asked.device[sizeof asked.device - 1] = '\0';
        asked.source[sizeof asked.source - 1] = '\0';
        asked.options[sizeof asked.options - 1] = '\0';
        bool built =
            open_device(asked.device, &device) && answer(BEGINS) &&
            sac_program_compile(device, asked.source, asked.options, asked.wholly) == SAC_OK;
        goes_on = answer(built ? BUILT : NOT_BUILT);
    }
    sac_device_close(device);
    return 0;
}
