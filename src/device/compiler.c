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
#include "base/spawn.h"
#include "device/internal.h"

enum { LOOK_MS = 50, REST_MS = 3000 }; /* from one look at a request to stop to the next; idle */

/* A request goes as one packet, and its answer is one byte: whether it was compiled. */
typedef struct request {
    char device[16], source[64], options[1024];
} request;

static struct {
    char *const *command;
    pid_t process; /* 0: none */
    int socket;
} compiler;

void sac_compiler_set(char *const command[])
{
    compiler.command = command;
}

/* ---------------------------------------------------------------- the process that asks */

/* What it has to say is said again by whoever compiles in its place. */
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

static void stop(void)
{
    kill(compiler.process, SIGKILL);
    waitpid(compiler.process, NULL, 0);
    close(compiler.socket);
    compiler.process = 0;
}

static bool send_to(const request *asked)
{
    return send(compiler.socket, asked, sizeof *asked, MSG_NOSIGNAL) == (ssize_t)sizeof *asked;
}

/* False where the process ended before it answered, or work should stop. */
static bool wait_for_answer(void)
{
    struct pollfd answer = {.fd = compiler.socket, .events = POLLIN};
    char built;
    int ready = 0;
    while (ready == 0 && !sac_cancel_asked()) {
        ready = poll(&answer, 1, LOOK_MS);
        ready = ready < 0 && errno == EINTR ? 0 : ready;
    }
    return ready > 0 && recv(compiler.socket, &built, 1, 0) == 1;
}

/* One that rested ended by itself, and another takes its place. */
static bool ask(const request *asked)
{
    bool sent = compiler.process && send_to(asked);
    if (!sent && compiler.process)
        stop();
    return (sent || (start() && send_to(asked))) && wait_for_answer();
}

sac_status sac_compiler_run(const sac_device *device, const char *source, const char *options,
                            sac_error *error)
{
    request asked = {0};
    if (!compiler.command || strlen(source) >= sizeof asked.source ||
        strlen(options) >= sizeof asked.options)
        return SAC_OK;
    snprintf(asked.device, sizeof asked.device, "%d", device->info.number);
    strcpy(asked.source, source);
    strcpy(asked.options, options);
    if (!ask(&asked) && compiler.process)
        stop();
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

static bool answer(bool built)
{
    char text = built ? '+' : '-';
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
        goes_on = answer(open_device(asked.device, &device) &&
                         sac_program_compile(device, asked.source, asked.options) == SAC_OK);
    }
    sac_device_close(device);
    return 0;
}
