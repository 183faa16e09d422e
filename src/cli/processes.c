/* A command by several processes: those that a launcher of MPI started, or one for each device of this
 * machine. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arrays/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/order.h"
#include "cli/cli.h"
#include "device/device.h"
#include "device/sources.h"
#include "sharing/attention/device_set.h"
#include "sharing/ranks/ranks.h"

#define START_ALIKE                                                                                \
    "start all processes with one version of the program, one command and one environment"

static char *const *program_words;

/* Of the processes of a run the first alone prints. */
static int silence_later_process(void)
{
    sac_ranks_set_stop_query(cli_interrupted);
    return sac_ranks_me() > 0 && !freopen("/dev/null", "w", stdout) ? CLI_FAILED : CLI_DONE;
}

/* ---------------------------------------------------------------- others that never answer */

/* MPI waits for ever for a process that does something else, such as another program. */
static struct {
    sem_t over;
    pthread_t thread;
    bool watches;
    int patience_s;
    sac_error error; /* what is reported then; status 0: that a process does not answer */
} watch;

static void *end_when_others_are_late(void *unused)
{
    struct timespec end;
    (void)unused;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += watch.patience_s;
    int code;
    while ((code = sem_timedwait(&watch.over, &end)) != 0 && errno == EINTR) {
    }
    if (code == 0)
        return NULL;
    sac_error error = watch.error;
    int process = sac_ranks_awaited_process();
    if (error.status == SAC_OK && process >= 0)
        sac_fail(&error, SAC_E_FILE, "MPI", START_ALIKE, "process %d does not answer", process);
    else if (error.status == SAC_OK)
        sac_fail(&error, SAC_E_FILE, "MPI", START_ALIKE,
                 "a process of this run does not join the others");
    sac_error_print(&error, stderr);
    _exit(CLI_FAILED); /* of which the launcher ends the others */
}

/* The later processes wait for longer: one of them is enough to report it. */
static void start_timeout_watch(int patience_s, const sac_error *error)
{
    int me = sac_ranks_launched_rank();
    watch.patience_s = patience_s + (me < 8 ? 3 * me : 24);
    watch.error = error ? *error : (sac_error){0};
    sem_init(&watch.over, 0, 0);
    watch.watches = pthread_create(&watch.thread, NULL, end_when_others_are_late, NULL) == 0;
}

static void stop_timeout_watch(void)
{
    sem_post(&watch.over);
    if (watch.watches)
        pthread_join(watch.thread, NULL);
    sem_destroy(&watch.over);
    watch.watches = false;
}

/* ---------------------------------------------------------------- what they read: all the same, where a machine may have
 * an old copy */

typedef struct input {
    char *path;
    bool whole;
} input;

static struct {
    pthread_mutex_t lock;
    input *of;
    size_t count, room;
    bool is_lost; /* no memory for one */
} inputs = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void note_input(const char *path, bool whole)
{
    pthread_mutex_lock(&inputs.lock);
    if (inputs.count == inputs.room) {
        size_t room = inputs.room ? 2 * inputs.room : 64;
        input *larger = realloc(inputs.of, room * sizeof *larger);
        inputs.of = larger ? larger : inputs.of;
        inputs.room = larger ? room : inputs.room;
    }
    char *copy = inputs.count < inputs.room ? strdup(path) : NULL;
    if (copy)
        inputs.of[inputs.count++] = (input){copy, whole};
    inputs.is_lost = inputs.is_lost || !copy;
    pthread_mutex_unlock(&inputs.lock);
}

void cli_inputs_start_recording(void)
{
    if (sac_ranks_count() > 1 && sac_ranks_launched())
        sac_bytes_listen(note_input);
}

/* By path; of one path that which was read as a whole first. */
static int by_path(const void *a, const void *b)
{
    const input *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : y->whole - x->whole;
}

static int by_line(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "in.npz (7f3a…)", a line for each file: its folder may be another on another machine. */
static char *describe_inputs(void)
{
    char *text = NULL, **lines = calloc(inputs.count + 1, sizeof *lines);
    size_t size, count = 0;
    FILE *all = open_memstream(&text, &size);
    bool is_whole = lines && all && !inputs.is_lost;
    if (inputs.count)
        qsort(inputs.of, inputs.count, sizeof *inputs.of, by_path);
    for (size_t i = 0; is_whole && i < inputs.count && !cli_interrupted(); i++) {
        const input *in = &inputs.of[i];
        const char *slash = strrchr(in->path, '/');
        if (i && strcmp(inputs.of[i - 1].path, in->path) == 0)
            continue;
        is_whole = asprintf(&lines[count], "%s (%016" PRIx64 ")", slash ? slash + 1 : in->path,
                            sac_file_fingerprint(in->path, in->whole)) >= 0;
        count += is_whole;
    }
    if (count)
        qsort(lines, count, sizeof *lines, by_line);
    for (size_t i = 0; i < count; i++) {
        if (is_whole)
            fprintf(all, "%s\n", lines[i]);
        free(lines[i]);
    }
    free(lines);
    if (all && fclose(all) == 0 && is_whole)
        return text;
    free(text);
    return NULL;
}

sac_status cli_inputs_agree(sac_status status, sac_error *error)
{
    status = sac_ranks_agree(status, error);
    if (status != SAC_OK || sac_ranks_count() == 1 || sac_ranks_device_of(0))
        return status;
    sac_bytes_listen(NULL);
    char *lines = describe_inputs();
    status = sac_ranks_agree(lines ? SAC_OK : sac_no_memory(error, "MPI"), error);
    if (status == SAC_OK)
        status = sac_ranks_compare(lines, "give all processes the same files", error);
    free(lines);
    for (size_t i = 0; i < inputs.count; i++)
        free(inputs.of[i].path);
    free(inputs.of);
    inputs.of = NULL;
    inputs.count = inputs.room = 0;
    return status;
}

/* ---------------------------------------------------------------- one run */

/* What a process may have of its own: its device, and where it keeps what it compiled. */
static bool may_differ_per_process(const char *variable)
{
    static const char *const names[] = {"SACCADE_DEVICE=", "SACCADE_CACHE="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(variable, names[i], strlen(names[i])) == 0)
            return true;
    return strncmp(variable, "SACCADE_", 8) != 0;
}

/* The version, with the kernels that it was built of; the words; what of the environment the program
 * reads. A line each; NULL: no memory. */
static char *describe_start(char *const *words)
{
    char *text = NULL;
    size_t size, count = 0;
    uint64_t kernels = SAC_HASH_START;
    FILE *lines = open_memstream(&text, &size);
    for (char **variable = environ; *variable; variable++)
        count++;
    const char **own = malloc((count + 1) * sizeof *own);
    if (!lines || !own) {
        if (lines)
            fclose(lines);
        free(text);
        free(own);
        return NULL;
    }
    for (const sac_kernel_source *source = sac_kernel_sources; source->name; source++)
        kernels = sac_hash(kernels, source->text, strlen(source->text));
    fprintf(lines, "version %s with kernels %08x\n", SAC_VERSION, (unsigned)kernels);
    for (char *const *word = words + (words[0] != NULL); word[0]; word++)
        if (strcmp(*word, "--device") == 0 && word[1])
            word++;
        else if (strncmp(*word, "--device=", 9) != 0)
            fprintf(lines, "\"%s\"\n", *word);
    fputs("the end of its command\n", lines);
    count = 0;
    for (char **variable = environ; *variable; variable++)
        if (!may_differ_per_process(*variable))
            own[count++] = *variable;
    qsort(own, count, sizeof *own, sac_compare_texts);
    for (size_t i = 0; i < count; i++)
        fprintf(lines, "%s\n", own[i]);
    free(own);
    if (fclose(lines) == 0)
        return text;
    free(text);
    return NULL;
}

int cli_join_processes(char *const *words)
{
    enum { PATIENCE_S = 30 };
    int me, count;
    sac_error error = {0};
    char *start = NULL;
    program_words = words;
    if (!sac_ranks_launched())
        return sac_ranks_join(&me, &count, &error) == SAC_OK ? silence_later_process()
                                                             : cli_report(&error);
    start_timeout_watch(PATIENCE_S, NULL);
    sac_status status = sac_ranks_join(&me, &count, &error);
    bool is_alone = status != SAC_OK;
    if (status == SAC_OK && !(start = describe_start(words)))
        status = sac_no_memory(&error, "MPI");
    if (status == SAC_OK)
        status = sac_ranks_check_greetings(start, START_ALIKE, &error);
    stop_timeout_watch();
    free(start);
    if (is_alone && sac_ranks_launched_rank() > 0) /* the first reports it */
        return CLI_USAGE;
    cli_inputs_start_recording();
    return status == SAC_OK ? silence_later_process() : cli_report(&error);
}

int cli_check_alone(const cli_command *command)
{
    return sac_ranks_count() == 1 || command->shares || sac_ranks_device_of(0)
               ? CLI_DONE
               : cli_usage(command->name, "is the work of one process", "start it without mpirun");
}

int cli_leave_processes(int status)
{
    enum { PATIENCE_S = 5 };
    const sac_error *kept = cli_deferred_error();
    sac_error error = *kept;
    if (status == CLI_DONE || error.status == SAC_OK)
        return sac_ranks_leave(status);
    start_timeout_watch(PATIENCE_S, &error);
    sac_ranks_agree(error.status, &error);
    stop_timeout_watch();
    if (sac_ranks_me() == 0 || !sac_ranks_agreed())
        sac_error_print(sac_ranks_agreed() ? &error : kept, stderr);
    return sac_ranks_leave(status);
}

/* ---------------------------------------------------------------- a process for each device */

static void add_device(sac_ranks_devices *devices, const sac_device_info *info)
{
    char model[160];
    sac_ranks_device *one = &devices->of[devices->count++];
    sac_device_model(info, model, sizeof model);
    snprintf(one->selector, sizeof one->selector, "%d", info->number);
    snprintf(one->name, sizeof one->name, "device %d (%s)", info->number, model);
    one->threads = info->is_cpu;
}

_Static_assert((int)SAC_RANKS_MOST == (int)SAC_MOST_DEVICES, "a process for each");

/* Each CPU has its part of the cores that this process may use. */
static void share_cores(sac_ranks_devices *devices)
{
    cpu_set_t set;
    int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    int sharing = 0, i = 0;
    for (int d = 0; d < devices->count; d++)
        sharing += devices->of[d].threads;
    for (int d = 0; d < devices->count; d++)
        if (devices->of[d].threads) {
            int part = cores * (i + 1) / sharing - cores * i / sharing;
            devices->of[d].threads = part > 1 ? part : 1;
            i++;
        }
}

static sac_status list_devices(const void *selector, sac_ranks_devices *devices, sac_error *error)
{
    sac_device_set set;
    sac_status status = sac_device_set_open(selector, &set, error);
    for (int i = 0; i < set.count; i++)
        add_device(devices, sac_device_get_info(set.of[i]));
    sac_device_set_close(&set);
    share_cores(devices);
    return status;
}

int cli_share_devices(const char *selector)
{
    sac_error error = {0};
    if (!sac_devices_are_several(selector) || sac_ranks_count() > 1 || sac_ranks_launched())
        return CLI_DONE;
    return sac_ranks_start(program_words, list_devices, selector, &error) == SAC_OK
               ? silence_later_process()
               : cli_report(&error);
}

const char *cli_own_device(const char *selector)
{
    static char own[128];
    int count = 1;
    if (sac_ranks_device_of(sac_ranks_me()))
        return sac_ranks_device_of(sac_ranks_me())->selector;
    for (const char *at = selector; at && *at; at++)
        count += *at == ',';
    if (count == 1 || sac_ranks_count() == 1)
        return selector;
    for (int skip = sac_ranks_me() % count; skip > 0; skip--)
        selector = strchr(selector, ',') + 1;
    snprintf(own, sizeof own, "%.*s", (int)strcspn(selector, ","), selector);
    return own;
}

void cli_write_device_names(char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < sac_ranks_count() && sac_ranks_device_of(i) && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "",
                                 sac_ranks_device_of(i)->name);
}
