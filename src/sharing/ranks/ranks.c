/* Work that is shared with other processes, through the engine that is loaded for it. */
#include <dlfcn.h>
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/notice.h"
#include "sharing/ranks/engine.h"
#include "sharing/ranks/local.h"
#include "sharing/ranks/ranks.h"

static struct {
    const sac_ranks_engine *engine; /* NULL: this process is alone */
    int me, count;
    bool agreed; /* on a failure */
    bool (*stop_asked)(void);
    size_t listed; /* items of all lists so far */
    bool gave_up;
} all = {.count = 1};

int sac_ranks_me(void)
{
    return all.me;
}

int sac_ranks_count(void)
{
    return all.count;
}

/* ---------------------------------------------------------------- to join */

/* The variables that Open MPI, MPICH, Intel's MPI and Slurm (by PMI or PMIx) set for the processes they start. */
static const char *launched_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "MPI_LOCALRANKID"};
    const char *rank = NULL;
    for (size_t i = 0; !rank && i < sizeof names / sizeof *names; i++)
        rank = getenv(names[i]);
    return rank;
}

bool sac_ranks_launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *size = getenv(names[i]);
        if (size && strcmp(size, "1") == 0) /* alone: none to join */
            return false;
    }
    return launched_rank() != NULL;
}

int sac_ranks_launched_rank(void)
{
    return sac_ranks_launched() ? atoi(launched_rank()) : 0;
}

/* Beside the program in a build folder, and where it is installed. Its names stay visible: Open MPI's
 * own modules look for them. */
static void *load_mpi_engine(char *why, size_t size)
{
    static const char *const places[] = {".", SACCADE_ENGINE_FROM_PROGRAM};
    char program[PATH_MAX - 64] = "", path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = length > 0 ? strrchr(program, '/') : NULL;
    void *module = NULL;
    if (slash)
        *slash = '\0';
    snprintf(why, size, "this program was built without MPI");
    for (size_t i = 0; !module && i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s/%s/saccade-mpi.so", program, places[i]);
        if (access(path, F_OK) != 0)
            continue;
        module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        if (!module)
            snprintf(why, size, "MPI cannot be loaded: %s", dlerror());
    }
    return module;
}

/* PoCL counts the cores of the machine, not those that the launcher lent to this process: a driver
 * that is opened later takes as many threads as there are of these. What a person set stays. */
static void limit_pocl_to_own_cores(void)
{
    char text[16];
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) != 0)
        return;
    snprintf(text, sizeof text, "%d", CPU_COUNT(&cores));
    setenv("POCL_MAX_PTHREAD_COUNT", text, 0); /* to 4 */
    setenv("POCL_CPU_MAX_CU_COUNT", text, 0);  /* from 5 on */
}

static void join_local(void)
{
    all.engine = sac_local_engine();
    all.engine->join(&all.me, &all.count);
}

sac_status sac_ranks_start(char *const *words, sac_ranks_list *list, const void *user,
                           sac_error *error)
{
    sac_status status = sac_local_start(words, list, user, error);
    if (status == SAC_OK)
        join_local();
    return status;
}

const sac_ranks_device *sac_ranks_device_of(int process)
{
    return sac_local_device(process);
}

sac_status sac_ranks_join(int *me, int *count, sac_error *error)
{
    char why[300];
    if (!all.engine && sac_local_engine())
        join_local();
    *me = all.me;
    *count = all.count;
    if (all.engine || !sac_ranks_launched())
        return SAC_OK;
    void *module = load_mpi_engine(why, sizeof why);
    sac_ranks_engine_getter get =
        module ? (sac_ranks_engine_getter)dlsym(module, SAC_RANKS_ENGINE_SYMBOL) : NULL;
    const sac_ranks_engine *engine = get ? get() : NULL;
    if (module && (!engine || engine->version != SAC_RANKS_ENGINE_VERSION)) {
        engine = NULL;
        snprintf(why, sizeof why, "saccade-mpi.so belongs to another version of this program");
    }
    if (!engine)
        return sac_fail(
            error, SAC_E_ARGUMENT, "MPI",
            "build with Open MPI or MPICH installed (SACCADE_MPI=ON), or start one process", "%s",
            why);
    if (!engine->join(&all.me, &all.count))
        return sac_fail(error, SAC_E_FILE, "MPI", NULL, "the processes cannot join each other");
    all.engine = engine;
    if (all.count > 1)
        limit_pocl_to_own_cores();
    *me = all.me;
    *count = all.count;
    return SAC_OK;
}

int sac_ranks_leave(int status)
{
    bool waits = all.engine && !sac_cancel_asked() && !(all.stop_asked && all.stop_asked());
    const sac_ranks_engine *engine = all.engine;
    all.engine = NULL;
    if (engine && engine->abandon) {
        if (waits && status == 0)
            engine->leave();
        else
            engine->abandon();
        return status;
    }
    if (waits)
        engine->leave();
    if (!waits || !all.agreed || all.count == 1)
        return status;
    /* Open MPI 4 ends the others once one has failed, and at times never ends itself where they are
     * ending just then. */
    if (all.me == 0)
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    return all.me == 0 ? status : 0;
}

/* ---------------------------------------------------------------- to exchange */

/* How a process is called. */
static const char *process_name(int process, char text[200])
{
    const sac_ranks_device *device = sac_local_device(process);
    if (device)
        snprintf(text, 200, "%s", device->name);
    else
        snprintf(text, 200, "process %d", process);
    return text;
}

/* All know which processes are lost, and the first reports it. */
static sac_status fail_exchange(sac_error *error)
{
    int process;
    char name[200];
    if (all.engine->is_lost && all.engine->is_lost(&process)) {
        all.agreed = true;
        return sac_fail(error, SAC_E_DEVICE, process_name(process, name), NULL,
                        "the process of this device has ended before its work was done");
    }
    return sac_fail(error, SAC_E_FILE, "MPI", "see the output of mpirun",
                    "the exchange with another process failed");
}

void sac_ranks_set_stop_query(bool (*asked)(void))
{
    all.stop_asked = asked;
}

/* Open MPI ends all processes, a second after it has asked them to, once one has died. */
static bool is_stop_overdue(double *asked_at)
{
    const double patience = 0.7; /* s */
    if (all.engine->is_lost || !all.stop_asked || !all.stop_asked())
        return false;
    if (*asked_at == 0)
        *asked_at = sac_now();
    return sac_now() - *asked_at > patience;
}

/* In short steps: other processes may share this one's core. */
static void nap(unsigned step)
{
    if (step < 100)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

/* Waits, unless work is cancelled. */
static sac_status wait_for(void *handle, sac_error *error)
{
    double asked_at = 0;
    bool is_failed = handle == NULL;
    for (unsigned step = 0; !is_failed && !all.engine->ended(handle, &is_failed); step++) {
        if (sac_cancel_asked() || is_stop_overdue(&asked_at))
            return sac_fail(error, SAC_E_CANCELLED, "MPI", NULL,
                            "stopped on request while another process was waited for");
        nap(step);
    }
    return is_failed ? fail_exchange(error) : SAC_OK;
}

sac_status sac_ranks_begin(sac_ranks_transfer *transfer, int to, const void *sent, size_t sent_size,
                           int from, void *received, size_t received_size, sac_error *error)
{
    *transfer = (sac_ranks_transfer){{NULL, NULL}};
    if (received_size &&
        !(transfer->handles[0] = all.engine->receive(from, received, received_size)))
        return fail_exchange(error);
    if (sent_size && !(transfer->handles[1] = all.engine->send(to, sent, sent_size)))
        return fail_exchange(error);
    return SAC_OK;
}

void sac_ranks_poll_transfer(sac_ranks_transfer *transfer)
{
    bool is_failed = false;
    for (int i = 0; i < 2; i++)
        if (transfer->handles[i] && all.engine->ended(transfer->handles[i], &is_failed))
            transfer->handles[i] = NULL;
}

sac_status sac_ranks_end(sac_ranks_transfer *transfer, sac_error *error)
{
    sac_status status = SAC_OK;
    for (int i = 0; i < 2; i++) {
        if (status == SAC_OK && transfer->handles[i])
            status = wait_for(transfer->handles[i], error);
        transfer->handles[i] = NULL;
    }
    return status;
}

sac_status sac_ranks_sum(float *numbers, size_t count, sac_error *error)
{
    return all.engine ? wait_for(all.engine->sum(numbers, count), error) : SAC_OK;
}

sac_status sac_ranks_share(const void *mine, void *everyones, size_t size, sac_error *error)
{
    if (all.engine)
        return wait_for(all.engine->share(mine, everyones, size), error);
    memcpy(everyones, mine, size);
    return SAC_OK;
}

sac_status sac_ranks_total(double *const *numbers, size_t number_count, size_t *const *counts,
                           size_t count_count, sac_error *error)
{
    size_t total = number_count + count_count, processes = (size_t)all.count;
    if (!all.engine || processes == 1)
        return SAC_OK;
    double *mine = calloc(total + 1, sizeof *mine),
           *each = calloc(total * processes + 1, sizeof *each);
    sac_status status = mine && each ? SAC_OK : sac_no_memory(error, "MPI");
    for (size_t i = 0; status == SAC_OK && i < total; i++)
        mine[i] = i < number_count ? *numbers[i] : (double)*counts[i - number_count];
    if (status == SAC_OK)
        status = sac_ranks_share(mine, each, total * sizeof *mine, error);
    for (size_t i = 0; status == SAC_OK && i < total; i++) {
        double sum = 0;
        for (size_t p = 0; p < processes; p++)
            sum += each[p * total + i];
        if (i < number_count)
            *numbers[i] = sum;
        else
            *counts[i - number_count] = (size_t)sum;
    }
    free(mine);
    free(each);
    return status;
}

sac_status sac_ranks_total_of(double *numbers, size_t count, sac_error *error)
{
    double **places = malloc((count + 1) * sizeof *places);
    if (!places)
        return sac_no_memory(error, "MPI");
    for (size_t i = 0; i < count; i++)
        places[i] = &numbers[i];
    sac_status status = sac_ranks_total(places, count, NULL, 0, error);
    free(places);
    return status;
}

sac_status sac_ranks_collect(const char *mine, char **texts, sac_error *error)
{
    size_t processes = (size_t)all.count, size = strlen(mine) + 1, most = 0;
    size_t *sizes = calloc(processes, sizeof *sizes);
    char *room = NULL, *each = NULL;
    sac_status status =
        sizes ? sac_ranks_share(&size, sizes, sizeof size, error) : sac_no_memory(error, "MPI");
    for (size_t p = 0; status == SAC_OK && p < processes; p++)
        most = sizes[p] > most ? sizes[p] : most;
    if (status == SAC_OK) {
        room = calloc(most, 1);
        each = malloc(most * processes);
        status = room && each ? SAC_OK : sac_no_memory(error, "MPI");
    }
    if (status == SAC_OK) {
        memcpy(room, mine, size);
        status = sac_ranks_share(room, each, most, error);
    }
    for (size_t p = 0; p < processes; p++) {
        texts[p] = status == SAC_OK ? strdup(each + p * most) : NULL;
        if (status == SAC_OK && !texts[p])
            status = sac_no_memory(error, "MPI");
    }
    free(sizes);
    free(room);
    free(each);
    return status;
}

/* ---------------------------------------------------------------- to compare */

/* Which text most processes have: the first that has it. */
static int most_common_text(char *const *texts, int count)
{
    int usual = 0, most = 0;
    for (int i = 0; i < count && most <= count / 2; i++) {
        int same = 0;
        for (int k = i; k < count; k++)
            same += strcmp(texts[i], texts[k]) == 0;
        if (same > most) {
            most = same;
            usual = i;
        }
    }
    return usual;
}

/* The name of a variable of the environment that begins a line, "NAME=…"; 0: it is another line. */
static size_t variable_name_length(const char *line)
{
    size_t length = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return line[length] == '=' ? length + 1 : 0;
}

static const char *line_or_nothing(const char *at, char text[160])
{
    int length = (int)strcspn(at, "\n");
    snprintf(text, 160, "%.*s%s", length < 150 ? length : 150, at, length ? "" : "nothing");
    return text;
}

/* SAC_OK where all texts are one; else names a process that has another, and the line. */
static sac_status compare(char *const *texts, int count, const char *remedy, sac_error *error)
{
    int usual = most_common_text(texts, count), other = 0;
    while (other < count && strcmp(texts[other], texts[usual]) == 0)
        other++;
    if (other == count)
        return SAC_OK;
    const char *line = texts[other], *wanted = texts[usual];
    for (;;) {
        size_t length = strcspn(line, "\n"), size = strcspn(wanted, "\n");
        if (length != size || memcmp(line, wanted, size) != 0 || !line[length] || !wanted[size])
            break;
        line += length + 1;
        wanted += size + 1;
    }
    /* Variables are sorted: of two names the first is missing in the other process. */
    size_t length = variable_name_length(line), size = variable_name_length(wanted);
    int order = length && size ? strncmp(line, wanted, length > size ? length : size)
                               : (size != 0) - (length != 0);
    if ((length || size) && (length != size || strncmp(line, wanted, length) != 0))
        *(order < 0 ? &wanted : &line) = "";
    char name[200], usual_name[200], has[160], want[160];
    return sac_fail(error, SAC_E_ARGUMENT, process_name(other, name), remedy,
                    "has %s where %s has %s", line_or_nothing(line, has),
                    process_name(usual, usual_name), line_or_nothing(wanted, want));
}

sac_status sac_ranks_compare(const char *lines, const char *remedy, sac_error *error)
{
    char **texts = calloc((size_t)all.count, sizeof *texts);
    sac_status status = texts ? SAC_OK : sac_no_memory(error, "MPI");
    if (status == SAC_OK)
        status = sac_ranks_collect(lines, texts, error);
    if (status == SAC_OK) {
        status = compare(texts, all.count, remedy, error);
        all.agreed = all.agreed || status != SAC_OK;
    }
    for (int i = 0; texts && i < all.count; i++)
        free(texts[i]);
    free(texts);
    return status;
}

/* What a process gives first, by itself and not in an exchange of all: another version of the program
 * may be one of them, which begins with another exchange and never answers this one. */
typedef struct greeting {
    char known[8]; /* GREETING */
    uint64_t hash; /* of the lines, which may be longer */
    char lines[4096 - 16];
} greeting;
#define GREETING "saccade1"

static atomic_int awaited = -1;

int sac_ranks_awaited_process(void)
{
    return atomic_load(&awaited);
}

static sac_status exchange_with(int process, const void *sent, size_t sent_size, void *received,
                                size_t received_size, sac_error *error)
{
    sac_ranks_transfer transfer;
    atomic_store(&awaited, process);
    sac_status status = sac_ranks_begin(&transfer, process, sent, sent_size, process, received,
                                        received_size, error);
    return status == SAC_OK ? sac_ranks_end(&transfer, error) : status;
}

/* The first process compares for all. */
static sac_status gather_greetings(const greeting *mine, const char *remedy, sac_error *verdict)
{
    greeting *each = calloc((size_t)all.count, sizeof *each);
    char **texts = calloc((size_t)all.count, sizeof *texts);
    sac_status status = each && texts ? SAC_OK : sac_no_memory(verdict, "MPI");
    for (int i = 0; i < all.count && status == SAC_OK; i++) {
        each[i] = *mine;
        if (i)
            status = exchange_with(i, NULL, 0, &each[i], sizeof *each, verdict);
        texts[i] = each[i].lines;
        char name[200];
        if (status == SAC_OK && memcmp(each[i].known, GREETING, sizeof each[i].known) != 0)
            status = sac_fail(verdict, SAC_E_ARGUMENT, process_name(i, name), remedy,
                              "is another version of the program");
    }
    if (status == SAC_OK)
        status = compare(texts, all.count, remedy, verdict);
    for (int i = 0; i < all.count && status == SAC_OK; i++) {
        char name[200];
        if (each[i].hash != mine->hash)
            status = sac_fail(verdict, SAC_E_ARGUMENT, process_name(i, name), remedy,
                              "has other words than process 0 behind the first 4,000 letters");
    }
    free(each);
    free(texts);
    return status;
}

sac_status sac_ranks_check_greetings(const char *lines, const char *remedy, sac_error *error)
{
    greeting mine = {.known = GREETING, .hash = sac_hash(SAC_HASH_START, lines, strlen(lines))};
    sac_error verdict = {0};
    if (!all.engine || all.count == 1 || !all.engine->send)
        return SAC_OK;
    snprintf(mine.lines, sizeof mine.lines, "%s", lines);
    sac_status status = SAC_OK;
    if (all.me == 0) {
        verdict.status = gather_greetings(&mine, remedy, &verdict);
        for (int i = 1; i < all.count && status == SAC_OK; i++)
            status = exchange_with(i, &verdict, sizeof verdict, NULL, 0, error);
    } else {
        status = exchange_with(0, &mine, sizeof mine, &verdict, sizeof verdict, error);
    }
    if (status == SAC_OK && verdict.status != SAC_OK) {
        all.agreed = true;
        status = verdict.status;
        sac_error_pass(error, &verdict, NULL);
    }
    return status;
}

/* ---------------------------------------------------------------- to agree */

sac_status sac_ranks_agree(sac_status mine, sac_error *error)
{
    sac_error own = {0}, wrong = {0};
    if (!all.engine || all.count == 1)
        return mine;
    if (sac_cancel_asked()) /* do not wait: mpirun signals every rank */
        return mine == SAC_OK ? sac_cancel_check("MPI", error) : mine;
    sac_error *each = calloc((size_t)all.count, sizeof *each);
    if (!each)
        return sac_no_memory(error, "MPI");
    if (mine != SAC_OK && error)
        own = *error;
    own.status = mine;
    sac_status status = sac_ranks_share(&own, each, sizeof own, &wrong);
    int first = 0, failures = 0;
    for (int i = all.count; status == SAC_OK && i-- > 0;)
        if (each[i].status != SAC_OK) {
            first = i;
            failures++;
        }
    if (status == SAC_OK && failures) {
        all.agreed = true;
        status = each[first].status;
        wrong = each[first];
        char name[200];
        if (failures < all.count)
            sac_error_within(&wrong, status, process_name(first, name));
    }
    if (status != SAC_OK && error)
        *error = wrong;
    free(each);
    return status;
}

bool sac_ranks_agreed(void)
{
    return all.agreed;
}

/* ---------------------------------------------------------------- items */

bool sac_status_is_of_device(sac_status status)
{
    return status == SAC_E_DEVICE || status == SAC_E_MEMORY || status == SAC_E_NO_DEVICE;
}

/* An item from `first` on, and before `end`, that this process is to do; SAC_OK without *found: there are
 * no more. */
static sac_status take_next_item(size_t first, size_t end, bool *found, size_t *item,
                                 sac_error *error)
{
    sac_ranks_taken taken = SAC_RANKS_LATER;
    int process;
    if (all.gave_up) {
        *found = false;
        return SAC_OK;
    }
    if (!all.engine || !all.engine->take) { /* every count-th is this process's */
        size_t step = (size_t)all.count;
        *item = *found ? *item + step : first + (size_t)all.me;
        *found = *item < end;
        return SAC_OK;
    }
    for (unsigned step = 0; taken == SAC_RANKS_LATER; step++) {
        if (sac_cancel_asked())
            return sac_cancel_check("devices", error);
        if (all.engine->is_lost(&process))
            return fail_exchange(error);
        taken = all.engine->take(end, item);
        if (taken == SAC_RANKS_LATER)
            nap(step);
    }
    *found = taken == SAC_RANKS_TAKEN;
    return SAC_OK;
}

/* What a device failed at is done by the others, where one is left. */
static bool give_up_to_others(sac_status status, const sac_error *why)
{
    char name[200];
    if (!sac_status_is_of_device(status) || !all.engine || !all.engine->give_up ||
        !all.engine->give_up())
        return false;
    all.gave_up = true;
    sac_notice("%s: %s: %s; the other devices take over", process_name(all.me, name), why->where,
               why->what);
    return true;
}

sac_status sac_ranks_each(size_t count, sac_ranks_work *work, void *user, sac_error *error)
{
    size_t first = all.listed, item = 0;
    bool found = false;
    all.listed += count;
    sac_status status = take_next_item(first, all.listed, &found, &item, error);
    while (status == SAC_OK && found) {
        sac_error why = {0};
        status = work(user, item - first, &why);
        bool is_handed_over = status != SAC_OK && give_up_to_others(status, &why);
        if (all.engine && all.engine->give)
            all.engine->give(item, !is_handed_over);
        if (is_handed_over)
            status = SAC_OK;
        else if (status != SAC_OK)
            sac_error_pass(error, &why, NULL);
        if (status == SAC_OK)
            status = take_next_item(first, all.listed, &found, &item, error);
    }
    return sac_ranks_agree(status, error);
}

bool sac_ranks_gave_up(void)
{
    return all.gave_up;
}

/* ---------------------------------------------------------------- gathered */

static size_t piece_bytes(const sac_gathered *a, int piece)
{
    return a->pieces[piece].count * a->item_bytes;
}

static const char *own_bytes(const sac_gathered *a, size_t outer, int piece)
{
    return (const char *)a->pieces[piece].data + outer * piece_bytes(a, piece);
}

sac_status sac_gathered_send_own(const sac_gathered *a, sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t outer = 0; outer < a->before; outer++)
        for (int i = 0; i < a->count && status == SAC_OK; i++) {
            sac_ranks_transfer transfer;
            if (a->pieces[i].owner != sac_ranks_me())
                continue;
            status = sac_ranks_begin(&transfer, 0, own_bytes(a, outer, i), piece_bytes(a, i), 0,
                                     NULL, 0, error);
            if (status == SAC_OK)
                status = sac_ranks_end(&transfer, error);
        }
    return status;
}

/* The bytes of the piece where `a` is: this process's, or those that come now. */
static sac_status receive_piece(sac_gathered *a, const char **bytes, sac_error *error)
{
    const sac_gathered_piece *piece = &a->pieces[a->piece];
    sac_ranks_transfer transfer;
    *bytes = piece->data ? own_bytes(a, a->outer, a->piece) : a->held;
    if (piece->data || a->held)
        return SAC_OK;
    a->held = malloc(piece_bytes(a, a->piece) + 1);
    if (!a->held)
        return sac_no_memory(error, "results");
    *bytes = a->held;
    sac_status status = sac_ranks_begin(&transfer, 0, NULL, 0, piece->owner, a->held,
                                        piece_bytes(a, a->piece), error);
    return status == SAC_OK ? sac_ranks_end(&transfer, error) : status;
}

/* On to the next piece. */
static void advance_piece(sac_gathered *a)
{
    free(a->held);
    a->held = NULL;
    a->done = 0;
    if (++a->piece == a->count) {
        a->piece = 0;
        a->outer++;
    }
}

sac_status sac_gathered_next(sac_gathered *a, void *bytes, size_t size, sac_error *error)
{
    char *to = bytes;
    while (size) {
        const char *from;
        size_t left = piece_bytes(a, a->piece) - a->done, some = left < size ? left : size;
        sac_status status = left ? receive_piece(a, &from, error) : SAC_OK;
        if (status != SAC_OK)
            return status;
        if (left)
            memcpy(to, from + a->done, some);
        to += some;
        size -= some;
        a->done += some;
        if (some == left)
            advance_piece(a);
    }
    return SAC_OK;
}

void sac_gathered_end(sac_gathered *a)
{
    const char *from;
    while (a->outer < a->before &&
           (!piece_bytes(a, a->piece) || receive_piece(a, &from, NULL) == SAC_OK))
        advance_piece(a);
    free(a->held);
    a->held = NULL;
}
