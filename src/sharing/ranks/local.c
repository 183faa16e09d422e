/* Processes of one machine. What they exchange passes through a file in memory, which has room for a
 * piece of each: every process writes its piece, waits until all have, and reads those of all. */
#include "sharing/ranks/local.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/error.h"

#define PROCESS "SACCADE_PROCESS" /* "1:7": which one it is, and where it has the memory open */

enum { PIECE = 1 << 20 /* bytes */ };

typedef struct member {
    pid_t id;
    atomic_size_t written, read; /* pieces so far */
    atomic_size_t handed_back;   /* 1 + an item that its device failed at; 0: none */
    _Alignas(64) char piece[PIECE];
} member;

typedef struct memory {
    sac_ranks_devices devices;
    sac_error error;       /* of who lists them */
    atomic_int lost;       /* 1 + a process that ended too early; 0: none */
    atomic_size_t taken;   /* items of all lists */
    atomic_int busy, able; /* processes with an item; with a device that works */
    member members[SAC_RANKS_MOST];
} memory;

static struct {
    memory *shared;
    int me, count;
    size_t pieces; /* that this process has read */
} own;

/* ---------------------------------------------------------------- to exchange */

typedef struct exchange {
    bool adds, is_written;
    const char *mine;
    char *all;
    size_t size, done;
} exchange;

/* One at a time: a process waits for each. */
static exchange under_way;

static void *begin(bool adds, const void *mine, void *all, size_t size)
{
    under_way = (exchange){.adds = adds, .mine = mine, .all = all, .size = size};
    return &under_way;
}

static void *sum(float *numbers, size_t count)
{
    return begin(true, numbers, numbers, count * sizeof *numbers);
}

static void *share(const void *mine, void *all, size_t size)
{
    return begin(false, mine, all, size);
}

static bool all_reached_piece(bool read, size_t pieces)
{
    for (int i = 0; i < own.count; i++) {
        member *m = &own.shared->members[i];
        if (atomic_load(read ? &m->read : &m->written) < pieces)
            return false;
    }
    return true;
}

/* The first process, which started the others, sees one of them end; these see the first end. */
static bool find_lost_process(int *process)
{
    memory *s = own.shared;
    int lost = atomic_load(&s->lost);
    for (int i = 1; own.me == 0 && !lost && i < own.count; i++)
        if (s->members[i].id && waitpid(s->members[i].id, NULL, WNOHANG) != 0) {
            s->members[i].id = 0;
            lost = i + 1;
        }
    if (own.me > 0 && !lost && getppid() != s->members[0].id)
        lost = 1;
    if (lost)
        atomic_store(&s->lost, lost);
    *process = lost - 1;
    return lost != 0;
}

/* Sums are in the order of the processes: they are the same in all. */
static void read_pieces(const exchange *x, size_t bytes)
{
    float *sums = (float *)(void *)(x->all + x->done);
    for (int p = 0; p < own.count; p++) {
        const char *piece = own.shared->members[p].piece;
        const float *numbers = (const float *)(const void *)piece;
        if (!x->adds)
            memcpy(x->all + (size_t)p * x->size + x->done, piece, bytes);
        else if (p == 0)
            memcpy(sums, numbers, bytes);
        for (size_t i = 0; x->adds && p > 0 && i < bytes / sizeof *sums; i++)
            sums[i] += numbers[i];
    }
}

static bool advance_exchange(void *handle, bool *failed)
{
    exchange *x = handle;
    int process;
    while (x->done < x->size) {
        member *me = &own.shared->members[own.me];
        size_t left = x->size - x->done, bytes = left < PIECE ? left : PIECE;
        if (!x->is_written && all_reached_piece(true, own.pieces)) {
            memcpy(me->piece, x->mine + x->done, bytes);
            atomic_store(&me->written, own.pieces + 1);
            x->is_written = true;
        }
        if (!x->is_written || !all_reached_piece(false, own.pieces + 1))
            return *failed = find_lost_process(&process);
        read_pieces(x, bytes);
        atomic_store(&me->read, ++own.pieces);
        x->is_written = false;
        x->done += bytes;
    }
    return true;
}

/* ---------------------------------------------------------------- items */

static bool claim_free_item(size_t end, size_t *item)
{
    memory *s = own.shared;
    for (int i = 0; i < own.count; i++) {
        size_t back = atomic_exchange(&s->members[i].handed_back, 0);
        if (back) {
            *item = back - 1;
            return true;
        }
    }
    size_t next = atomic_load(&s->taken);
    while (next < end)
        if (atomic_compare_exchange_weak(&s->taken, &next, next + 1)) {
            *item = next;
            return true;
        }
    return false;
}

/* Who is busy may still hand back: that is asked first. */
static sac_ranks_taken take(size_t end, size_t *item)
{
    memory *s = own.shared;
    bool others_are_busy = atomic_fetch_add(&s->busy, 1) > 0;
    if (claim_free_item(end, item))
        return SAC_RANKS_TAKEN;
    atomic_fetch_sub(&s->busy, 1);
    return others_are_busy ? SAC_RANKS_LATER : SAC_RANKS_NONE;
}

static void finish_item(size_t item, bool is_done)
{
    memory *s = own.shared;
    if (!is_done)
        atomic_store(&s->members[own.me].handed_back, item + 1);
    atomic_fetch_sub(&s->busy, 1);
}

static bool give_up_unless_last(void)
{
    if (atomic_fetch_sub(&own.shared->able, 1) > 1)
        return true;
    atomic_fetch_add(&own.shared->able, 1);
    return false;
}

/* ---------------------------------------------------------------- to start, and to end */

/* The first process ends last. One that does not end though it was asked to is ended. */
static void wait_for_others(bool asks)
{
    const double patience = 5; /* s */
    double begun = sac_now();
    for (int i = 1; own.me == 0 && i < own.count; i++) {
        pid_t *id = &own.shared->members[i].id;
        if (*id && asks)
            kill(*id, SIGTERM);
    }
    for (int i = 1; own.me == 0 && i < own.count; i++) {
        pid_t *id = &own.shared->members[i].id;
        while (*id && waitpid(*id, NULL, WNOHANG) == 0) {
            if (sac_now() - begun > patience)
                kill(*id, SIGKILL);
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        }
        *id = 0;
    }
}

static void leave(void)
{
    wait_for_others(false);
}

static void abandon(void)
{
    wait_for_others(true);
}

/* A driver of a CPU that is opened later takes its part of the cores. What a person set stays. */
static void limit_cpu_driver_threads(int threads)
{
    char text[16];
    snprintf(text, sizeof text, "%d", threads);
    if (threads) {
        setenv("POCL_MAX_PTHREAD_COUNT", text, 0); /* PoCL up to 4 */
        setenv("POCL_CPU_MAX_CU_COUNT", text, 0);  /* from 5 on */
        setenv("LP_NUM_THREADS", text, 0);         /* llvmpipe */
    }
}

static bool join(int *me, int *count)
{
    *me = own.me;
    *count = own.count = own.shared->devices.count;
    limit_cpu_driver_threads(own.shared->devices.of[own.me].threads);
    return true;
}

static memory *map(int file)
{
    void *at = mmap(NULL, sizeof(memory), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* Drivers are not loaded before it is known how many threads they may have: another process lists. */
static sac_status ask_for_devices(memory *s, sac_ranks_list *list, const void *user,
                                  sac_error *error)
{
    int outcome = 0;
    pid_t id = fork();
    if (id == 0) {
        s->error.status = list(user, &s->devices, &s->error);
        _exit(s->error.status != SAC_OK);
    }
    while (id > 0 && waitpid(id, &outcome, 0) < 0 && errno == EINTR)
        ;
    if (id > 0 && WIFEXITED(outcome) && (outcome == 0 || s->error.status != SAC_OK))
        return outcome ? sac_error_pass(error, &s->error, NULL) : SAC_OK;
    return sac_fail(error, SAC_E_DEVICE, "--device", "see `saccade devices`",
                    "the devices cannot be listed");
}

/* In the child, by calls alone that are allowed after a fork. */
static void execute_program(char *const *words, char *const *environment, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() == parent)
        execve("/proc/self/exe", words, environment);
    _exit(127);
}

static sac_status start_one(memory *s, int process, int file, char *const *words, sac_error *error)
{
    extern char **environ;
    char text[32];
    pid_t parent = getpid();
    snprintf(text, sizeof text, "%d:%d", process, file);
    setenv(PROCESS, text, 1);
    pid_t id = fork();
    if (id == 0)
        execute_program(words, environ, parent);
    unsetenv(PROCESS);
    s->members[process].id = id > 0 ? id : 0;
    return id > 0 ? SAC_OK
                  : sac_fail(error, SAC_E_MEMORY, "--device", NULL,
                             "no process can be started for a device: %s", strerror(errno));
}

sac_status sac_local_start(char *const *words, sac_ranks_list *list, const void *user,
                           sac_error *error)
{
    int file = memfd_create("saccade", 0);
    memory *s = file >= 0 && ftruncate(file, sizeof *s) == 0 ? map(file) : NULL;
    sac_status status = s ? ask_for_devices(s, list, user, error)
                          : sac_fail(error, SAC_E_MEMORY, "--device", NULL,
                                     "no memory for several processes: %s", strerror(errno));
    if (status == SAC_OK) {
        own.shared = s;
        own.count = s->devices.count;
        s->members[0].id = getpid();
        atomic_store(&s->able, own.count);
    }
    for (int i = 1; status == SAC_OK && i < own.count; i++)
        status = start_one(s, i, file, words, error);
    if (status != SAC_OK && own.shared)
        abandon();
    if (file >= 0)
        close(file);
    return status;
}

/* What the first process handed to this one. */
static void attach_shared_memory(void)
{
    struct stat about;
    int process, file;
    const char *text = getenv(PROCESS);
    if (own.shared || !text || sscanf(text, "%d:%d", &process, &file) != 2)
        return;
    unsetenv(PROCESS);
    if (fstat(file, &about) != 0 || about.st_size != sizeof(memory) || process < 1 ||
        process >= SAC_RANKS_MOST)
        return;
    own.shared = map(file);
    own.me = process;
    close(file);
}

const sac_ranks_engine *sac_local_engine(void)
{
    static const sac_ranks_engine engine = {.version = SAC_RANKS_ENGINE_VERSION,
                                            .join = join,
                                            .sum = sum,
                                            .share = share,
                                            .ended = advance_exchange,
                                            .is_lost = find_lost_process,
                                            .take = take,
                                            .give = finish_item,
                                            .give_up = give_up_unless_last,
                                            .leave = leave,
                                            .abandon = abandon};
    attach_shared_memory();
    return own.shared ? &engine : NULL;
}

const sac_ranks_device *sac_local_device(int process)
{
    return own.shared ? &own.shared->devices.of[process] : NULL;
}
