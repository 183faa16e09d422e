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
#include "base/process.h"
#include "device/cache/pocl_cache.h"
#include "device/internal.h"

enum { LOOK_MS = 50, REST_MS = 3000 }; /* from one look at a request to stop to the next; idle */

/* A request goes as one packet, and its answer is two bytes: that the driver is about to compile,
 * and whether it was compiled. */
typedef struct request {
    char device[16], source[64], options[1024];
    bool wholly, makes; /* down to what runs, before the answer or after it */
} request;
enum { BEGINS = '>', BUILT = '+', NOT_BUILT = '-' };

static struct {
    char *const *command;
    pid_t process; /* 0: none */
    int socket;
    double limit; /* seconds for a program */
    bool begun;   /* the driver compiles the first request that is not answered */
} compiler = {.limit = 300};

/* What was asked, in order; answers come in the same. */
enum { MOST_ASKED = 32 };
static struct {
    request asked;
    bool answered;
} requests[MOST_ASKED];
static size_t request_count;

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
static bool start_compiler(void)
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

/* The first request without an answer; their number where there is none. */
static size_t first_unanswered(void)
{
    size_t at = 0;
    while (at < request_count && requests[at].answered)
        at++;
    return at;
}

/* Its wait status; that of SIGKILL where it was alive. Nothing is answered any more. */
static int kill_compiler(void)
{
    int status = 0;
    kill(compiler.process, SIGKILL);
    waitpid(compiler.process, &status, 0);
    close(compiler.socket);
    compiler.process = 0;
    compiler.begun = false;
    request_count = first_unanswered();
    return status;
}

static bool is_same(const request *a, const request *b)
{
    return strcmp(a->device, b->device) == 0 && strcmp(a->source, b->source) == 0 &&
           strcmp(a->options, b->options) == 0 && a->wholly == b->wholly;
}

/* The place of a request that was made; their number where it was not. */
static size_t find(const request *asked)
{
    size_t at = 0;
    while (at < request_count && !is_same(&requests[at].asked, asked))
        at++;
    return at;
}

static bool send_request(const request *asked)
{
    return send(compiler.socket, asked, sizeof *asked, MSG_NOSIGNAL | MSG_DONTWAIT) ==
           (ssize_t)sizeof *asked;
}

/* Sends a request to the compiler process; one that ended while it was idle is replaced. */
static bool post_request(const request *asked)
{
    bool sent = compiler.process && send_request(asked);
    if (!sent && compiler.process)
        kill_compiler();
    if (!sent && !(start_compiler() && send_request(asked)))
        return false;
    requests[request_count].asked = *asked;
    requests[request_count++].answered = false;
    return true;
}

/* How far a request came; BEHIND where it was an earlier one that the process ended over, or that
 * took too long. */
typedef enum progress { NOT_BEGUN, BEGUN, BEHIND, ANSWERED, TOO_LONG } progress;

/* Until the request is answered, the process ended, or work should stop. */
static progress wait_for_answer(size_t at)
{
    struct pollfd answer = {.fd = compiler.socket, .events = POLLIN};
    double end = sac_now() + compiler.limit;
    char text;
    while (!requests[at].answered) {
        bool is_first = first_unanswered() == at;
        progress so_far = !is_first ? BEHIND : compiler.begun ? BEGUN : NOT_BEGUN;
        int ready = sac_cancel_asked() ? -1 : poll(&answer, 1, LOOK_MS);
        if (ready == 0 && sac_now() > end)
            return so_far == BEGUN ? TOO_LONG : so_far;
        if (ready == 0 || (ready < 0 && !sac_cancel_asked() && errno == EINTR))
            continue;
        if (ready < 0 || recv(compiler.socket, &text, 1, 0) != 1)
            return so_far;
        compiler.begun = text == BEGINS;
        if (!compiler.begun) {
            requests[first_unanswered()].answered = true;
            end = sac_now() + compiler.limit;
        }
    }
    return ANSWERED;
}

/* Asks for a program alone where others that were asked before it have ended the process. */
static progress ask_and_wait(const request *asked)
{
    size_t at = find(asked);
    bool is_full = request_count == MOST_ASKED;
    if (at == request_count && is_full) {
        if (first_unanswered() < request_count)
            kill_compiler();
        at = request_count = 0;
    }
    if (at == request_count && !post_request(asked))
        return NOT_BEGUN;
    progress reached = wait_for_answer(at);
    if (reached != BEHIND || sac_cancel_asked())
        return reached;
    kill_compiler();
    at = request_count;
    return post_request(asked) ? wait_for_answer(at) : NOT_BEGUN;
}

/* Empty where it was no doing of the driver's. */
static void describe_compiler_end(progress reached, int status, char how[80])
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

/* False where no process is there for it. */
static bool fill(request *asked, const sac_device *device, const char *source, const char *options,
                 bool wholly)
{
    *asked = (request){.wholly = wholly};
    if (!compiler.command || strlen(source) >= sizeof asked->source ||
        strlen(options) >= sizeof asked->options)
        return false;
    snprintf(asked->device, sizeof asked->device, "%d", device->info.number);
    strcpy(asked->source, source);
    strcpy(asked->options, options);
    return true;
}

void sac_compiler_expect(const sac_device *device, const char *source, const char *options,
                         bool makes)
{
    request asked;
    bool filled = fill(&asked, device, source, options, false);
    asked.makes = makes;
    if (filled && request_count < MOST_ASKED && find(&asked) == request_count)
        post_request(&asked);
}

sac_status sac_compiler_run(const sac_device *device, const char *source, const char *options,
                            bool wholly, char how[80], sac_error *error)
{
    request asked;
    how[0] = '\0';
    if (!fill(&asked, device, source, options, wholly))
        return SAC_OK;
    progress reached = ask_and_wait(&asked);
    if (reached != ANSWERED && compiler.process) {
        int status = 0;
        bool ended = reached == BEGUN && !sac_cancel_asked() &&
                     waitpid(compiler.process, &status, 0) == compiler.process;
        if (ended) {
            close(compiler.socket);
            compiler.process = 0;
            request_count = first_unanswered();
        } else {
            kill_compiler();
        }
        describe_compiler_end(ended || reached == TOO_LONG ? reached : NOT_BEGUN, status, how);
    }
    return sac_cancel_check("compiling kernels", error);
}

/* ---------------------------------------------------------------- the process that compiles */

/* Programs that were compiled, and whose kernels are not code yet. */
static struct {
    cl_program programs[MOST_ASKED];
    size_t count;
    pid_t maker; /* the process that makes code of those before them; 0: none */
} unmade;

static void release_unmade_programs(void)
{
    while (unmade.count)
        clReleaseProgram(unmade.programs[--unmade.count]);
}

/* A child makes code of all kernels, so that the next request does not wait. The asking process makes
 * it as it launches them, from the first program on: the child begins at the last. */
static void build_unmade_in_child(void)
{
    if (unmade.maker > 0 && waitpid(unmade.maker, NULL, WNOHANG) == 0)
        return;
    unmade.maker = 0;
    if (unmade.count == 0)
        return;
    pid_t parent = getpid();
    unmade.maker = fork();
    if (unmade.maker == 0) {
        close(STDIN_FILENO); /* by whose end the asking process knows that its compiler has died */
        while (unmade.count && getppid() == parent)
            sac_program_make_all_kernels(unmade.programs[--unmade.count]);
        sac_pocl_cache_record_files();
        _exit(0);
    }
    release_unmade_programs();
}

/* The next request; false: there is none any more. */
static bool receive_request(request *asked)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int ready = 0;
    for (int rested = 0; ready == 0 && rested < REST_MS; rested += LOOK_MS) {
        ready = poll(&input, 1, rested ? LOOK_MS : 0);
        if (ready == 0)
            build_unmade_in_child();
    }
    return ready > 0 && recv(STDIN_FILENO, asked, sizeof *asked, 0) == (ssize_t)sizeof *asked;
}

static bool send_answer(char text)
{
    return send(STDIN_FILENO, &text, 1, MSG_NOSIGNAL) == 1;
}

/* The request's device in the place of another. */
static bool open_device(const char *number, sac_device **device)
{
    bool is_open = *device && (*device)->info.number == atoi(number);
    if (is_open)
        return true;
    release_unmade_programs();
    sac_device_close(*device);
    *device = NULL;
    return sac_device_open_untrusted(number, device, NULL) == SAC_OK;
}

int sac_compiler_serve(void)
{
    sac_device *device = NULL;
    request asked;
    bool goes_on = true;
    while (goes_on && receive_request(&asked)) {
        asked.device[sizeof asked.device - 1] = '\0';
        asked.source[sizeof asked.source - 1] = '\0';
        asked.options[sizeof asked.options - 1] = '\0';
        cl_program program = NULL;
        bool built = open_device(asked.device, &device) && send_answer(BEGINS) &&
                     sac_program_compile(device, asked.source, asked.options, asked.wholly,
                                         asked.makes ? &program : NULL) == SAC_OK;
        if (program && unmade.count == MOST_ASKED)
            release_unmade_programs();
        if (program)
            unmade.programs[unmade.count++] = program;
        goes_on = send_answer(built ? BUILT : NOT_BUILT);
    }
    release_unmade_programs();
    sac_device_close(device);
    return 0;
}
