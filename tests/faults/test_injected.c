/* The program where calls fail. For each call in calls.h that a command makes, some of its times
 * (all with SACCADE_FAULTS=all) are made to fail by shim.c, alone and with all that follow, and
 * held to this:
 *
 *   - either the command is done, with what it gives without a fault; or it exits with 1 to 3 and
 * one line on stderr that begins with "saccade: ", and no output file of it is there;
 *   - never a part of a file, a crash, or no end;
 *   - the next run without a fault gives what the first gave, to the byte.
 *
 * usage: test_injected COMMAND, one of the table below. Prints each violation and how to see it
 * again. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/stat.h>
#include <sys/wait.h>

#include "arrays/arrays.h"
#include "calls.h"
#include "images/image.h"
#include "saccade_arrays.h"

enum {
    MAX_ARGUMENTS = 16,
    MAX_OUTPUTS = 2,
    TEXT = 1 << 14,
    LIMIT_S = 900 /* far more than any run takes, with every kernel compiled anew */
};

typedef struct command {
    const char *name;
    const char *arguments[MAX_ARGUMENTS]; /* outputs are named as in the folder that it runs in */
    const char *outputs[MAX_OUTPUTS];     /* in the order in which they are written */
    const char *generates;                /* is in its output when it is done */
    bool prints_the_same;                 /* no times and speeds in it */
    const char *checkpoint;               /* which may be left where it fails */
    float step;                           /* by which Adam moves a weight at most, in all */
    int samples;                          /* of the times that a call is made */
    bool names_devices; /* that failed, a line for each, before the line of what failed */
} command;

#define TAKEN_OVER "; the other devices take over\n"

static const command commands[] = {
    {.name = "attend",
     .arguments = {"attend",
                   TESTS "/attention/data"
                         "/mha_norm_causal.in.npz",
                   "o.npz", "--heads", "4", "--causal"},
     .outputs = {"o.npz"},
     .samples = 3},
    /* Where one of two fails, the other computes what it had. */
    {.name = "attend_devices",
     .arguments = {"attend",
                   TESTS "/attention/data"
                         "/mha_norm_causal.in.npz",
                   "o.npz", "--heads", "4", "--device", "cpu,cpu"},
     .outputs = {"o.npz"},
     .names_devices = true,
     .samples = 2},
    {.name = "view",
     .arguments = {"view", ASSETS "/samples/attentions.npz", "--png", "o.png", "--size", "320x240"},
     .outputs = {"o.png"},
     .prints_the_same = true,
     .samples = 12},
    {.name = "caption",
     .arguments = {"caption", "--dataset", "shapes", "--scene", "91", "--npz", "o.npz", "--png",
                   "o.png", "--size", "480x320"},
     .outputs = {"o.npz", "o.png"},
     .prints_the_same = true,
     .samples = 2},
    {.name = "selftest", .arguments = {"selftest"}, .generates = "1.0e-05  passed\n", .samples = 1},
    {.name = "scene",
     .arguments = {"scene", "--dataset", "shapes", "--seed", "3", "--png", "o.png", "--json"},
     .outputs = {"o.png"},
     .prints_the_same = true,
     .samples = 8},
    {.name = "devices", .arguments = {"devices"}, .samples = 8},
    {.name = "devices_json",
     .arguments = {"devices", "--json"},
     .generates = "\"broken\":",
     .samples = 8},
    {.name = "evaluate",
     .arguments = {"evaluate", "captioner", "--count", "2"},
     .generates = "exactly right",
     .samples = 3},
    {.name = "train",
     .arguments = {"train", "captioner", "--steps", "2", "--batch", "2", "--seed", "1", "--out",
                   "o.safetensors"},
     .outputs = {"o.safetensors"},
     .generates = "wrote o.safetensors",
     .checkpoint = "o.safetensors.checkpoint",
     .step = 2 * 2e-3f,
     .samples = 2},
    {.name = "apng",
     .arguments = {ASSETS "/pictures/garden.png", "--tab", "picture", "--apng", "o.png", "--size",
                   "240x200", "--fps", "2"},
     .outputs = {"o.png"},
     .prints_the_same = true,
     .samples = 5},
};

/* Folders of this test, and the kernels that are compiled already. */
static char shared_cache[1024], home[64], folder[96], cache[96], pristine[96], counts_file[96];
static const char *compiled;

static const char *const call_names[] = {
#define NAME(name) #name,
    FAULT_CALLS(NAME)};

typedef struct fault {
    int call; /* −1: none */
    long at;
    bool onward;
} fault;
static const fault no_fault = {-1, 0, false};

typedef struct outcome {
    int status; /* of exit; −N: killed by signal N */
    bool endless;
    char out[TEXT], err[TEXT];
    fault_counts counts;
} outcome;

static void die(const char *what)
{
    fprintf(stderr, "test_injected: %s: %s\n", what, strerror(errno));
    exit(2);
}

/* ---------------------------------------------------------------- folders */

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

static void remove_folder(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* What is there already stays. */
static bool copy_once(const char *from, const char *to)
{
    pid_t child = fork();
    int state = 1;
    if (child == 0) {
        execlp("cp", "cp", "-an", from, to, (char *)NULL);
        _exit(127);
    }
    return child >= 0 && waitpid(child, &state, 0) == child && state == 0;
}

/* Other tests compile meanwhile, and what they keep for a moment may be gone before it is copied.
 */
static void copy_folder(const char *from, const char *to)
{
    for (int tries = 0; !copy_once(from, to); tries++) {
        if (tries == 20)
            die("copying a folder");
        remove_folder(to);
        usleep(200000);
    }
}

static bool found_part;
static unsigned long long fingerprint;
static const char *fingerprint_part; /* only files whose path has this in it count */

static int look_at(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)place;
    if (kind != FTW_F)
        return 0;
    found_part = found_part || strstr(path, ".part-");
    if (!strstr(path, fingerprint_part))
        return 0;
    fingerprint += (unsigned long long)info->st_mtim.tv_nsec * 31 +
                   (unsigned long long)info->st_mtim.tv_sec * 17 +
                   (unsigned long long)info->st_size * 7 + (unsigned long long)info->st_ino;
    return 0;
}

/* Changes with any file below the folder whose path has `part` in it. */
static unsigned long long fingerprint_of(const char *path, const char *part)
{
    fingerprint = 0;
    fingerprint_part = part;
    nftw(path, look_at, 16, FTW_PHYS);
    return fingerprint;
}

static bool holds_a_part(const char *path)
{
    found_part = false;
    fingerprint_part = "";
    nftw(path, look_at, 16, FTW_PHYS);
    return found_part;
}

static void make_folders(void)
{
    char from[1024];
    const char *shared = getenv("XDG_CACHE_HOME");
    strcpy(home, "/tmp/saccade-faults-XXXXXX");
    if (!mkdtemp(home))
        die("making a folder");
    snprintf(folder, sizeof folder, "%s/run", home);
    snprintf(cache, sizeof cache, "%s/cache", home);
    snprintf(pristine, sizeof pristine, "%s/pristine", home);
    snprintf(counts_file, sizeof counts_file, "%s/counts", home);
    if (mkdir(folder, 0700) != 0 || mkdir(cache, 0700) != 0)
        die("making a folder");
    snprintf(shared_cache, sizeof shared_cache, "%s/saccade", shared ? shared : "/nonexistent");
    if (access(shared_cache, R_OK) == 0)
        copy_folder(shared_cache, cache);
    snprintf(from, sizeof from, "%s/saccade/pocl", cache); /* which is shared */
    remove_folder(from);
    snprintf(from, sizeof from, "POCL_CACHE_DIR=%s/saccade/pocl", shared ? shared : cache);
    compiled = strdup(from);
}

static void empty_folder(void)
{
    remove_folder(folder);
    if (mkdir(folder, 0700) != 0)
        die("emptying a folder");
}

/* ---------------------------------------------------------------- a run */

static void write_counts(void)
{
    const fault_counts none = {{0}};
    FILE *file = fopen(counts_file, "wb");
    if (!file || fwrite(&none, sizeof none, 1, file) != 1 || fclose(file) != 0)
        die("writing counts");
}

static void read_file(const char *name, void *to, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", home, name);
    memset(to, 0, size);
    FILE *file = fopen(path, "rb");
    if (!file)
        die(name);
    size_t got = fread(to, 1, size, file);
    fclose(file);
    if (got == size && size == TEXT)
        ((char *)to)[TEXT - 1] = '\0';
}

static void become(const command *c, const fault *f)
{
    char *arguments[MAX_ARGUMENTS + 2] = {"saccade"}, number[24], cache_home[128];
    for (int i = 0; i < MAX_ARGUMENTS && c->arguments[i]; i++)
        arguments[i + 1] = (char *)c->arguments[i];
    snprintf(cache_home, sizeof cache_home, "XDG_CACHE_HOME=%s", cache);
    snprintf(number, sizeof number, "%ld", f->at);
    putenv(cache_home);
    putenv((char *)compiled);
    setenv("LD_PRELOAD", FAULT_SHIM, 1);
    setenv(FAULT_COUNTS, counts_file, 1);
    if (f->call >= 0) {
        setenv(FAULT_CALL, call_names[f->call], 1);
        setenv(FAULT_AT, number, 1);
        if (f->onward)
            setenv(FAULT_ONWARD, "1", 1);
    }
    if (chdir(folder) == 0)
        execv(SACCADE_PROGRAM, arguments);
    _exit(127);
}

/* Its status, or after LIMIT_S a kill. */
static int wait_for(pid_t child, bool *endless)
{
    struct timespec pause = {0, 5000000};
    int state = 0;
    time_t begun = time(NULL);
    *endless = false;
    while (waitpid(child, &state, WNOHANG) == 0) {
        nanosleep(&pause, NULL);
        if (time(NULL) - begun > LIMIT_S && !*endless) {
            *endless = true;
            kill(child, SIGKILL);
        }
    }
    return WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
}

static void run(const command *c, const fault *f, outcome *o)
{
    char out[128], err[128];
    snprintf(out, sizeof out, "%s/out", home);
    snprintf(err, sizeof err, "%s/err", home);
    empty_folder();
    write_counts();
    pid_t child = fork();
    if (child < 0)
        die("starting the program");
    if (child == 0) {
        dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
        dup2(open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
        dup2(open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
        become(c, f);
    }
    o->status = wait_for(child, &o->endless);
    read_file("out", o->out, sizeof o->out);
    read_file("err", o->err, sizeof o->err);
    read_file("counts", &o->counts, sizeof o->counts);
}

/* ---------------------------------------------------------------- what came of it */

/* The outputs of a run without a fault. */
static char reference[MAX_OUTPUTS][128];
static outcome right;

static const char *output(const char *name)
{
    static char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static bool same_bytes(const char *a, const char *b)
{
    FILE *one = fopen(a, "rb"), *two = fopen(b, "rb");
    int x = 0, y = 0;
    while (one && two && x != EOF && x == y) {
        x = fgetc(one);
        y = fgetc(two);
    }
    bool same = one && two && x == y;
    if (one)
        fclose(one);
    if (two)
        fclose(two);
    return same;
}

/* Where one way of computing could not be had, another gives the same up to rounding. Adam divides
 * a gradient by its size, so where a gradient is rounding and nothing else, a weight may have gone
 * the other way: one in a thousand and one more, by twice the `step` at most. */
static bool near(const sac_array *a, const sac_array *b, float step)
{
    if (a->dtype != SAC_F32 || b->dtype != SAC_F32 || sac_array_count(a) != sac_array_count(b))
        return a->dtype == b->dtype && sac_array_count(a) == sac_array_count(b);
    const float *x = a->data, *y = b->data;
    size_t count = sac_array_count(a), other = 0;
    for (size_t i = 0; i < count; i++) {
        float apart = fabsf(x[i] - y[i]), rounding = 1e-4f * (1 + fabsf(y[i]));
        if (!(apart <= rounding + 2 * step))
            return false;
        other += apart > rounding;
    }
    return other <= 1 + count / 1000;
}

static bool near_arrays(const char *a, const char *b, float step)
{
    sac_arrays *one = NULL, *two = NULL;
    bool same = sac_arrays_open(a, &one, NULL) == SAC_OK &&
                sac_arrays_open(b, &two, NULL) == SAC_OK &&
                sac_arrays_size(one) == sac_arrays_size(two);
    for (size_t i = 0; same && i < sac_arrays_size(one); i++) {
        const sac_array *other = sac_arrays_find(two, sac_arrays_name(one, i));
        same = other && near(sac_arrays_at(one, i), other, step);
    }
    sac_arrays_close(one);
    sac_arrays_close(two);
    return same;
}

/* A level of 8 bits is what rounding may change, and of text a digit: a part in a thousand. */
static bool near_pictures(const char *a, const char *b)
{
    sac_image one, two;
    bool same = sac_image_load(a, &one, NULL) == SAC_OK;
    same = sac_image_load(b, &two, NULL) == SAC_OK && same && one.width == two.width &&
           one.height == two.height;
    size_t count = same ? 4 * (size_t)one.width * (size_t)one.height : 0, other = 0;
    for (size_t i = 0; i < count; i++)
        other += abs(one.rgba[i] - two.rgba[i]) > 1;
    sac_image_free(&one);
    sac_image_free(&two);
    return same && other * 1000 <= count;
}

static bool near_files(const char *a, const char *b, float step)
{
    bool picture = strstr(a, ".png") != NULL;
    return same_bytes(a, b) || (picture ? near_pictures(a, b) : near_arrays(a, b, step));
}

static bool is_one_line(const char *text)
{
    const char *end = strchr(text, '\n');
    return strncmp(text, "saccade: ", 9) == 0 && end && !end[1];
}

/* A note on what was done without may stand there. */
static bool are_notes(const char *text)
{
    for (const char *line = text; *line; line = strchr(line, '\n') + 1)
        if (strncmp(line, "saccade: ", 9) != 0 || !strchr(line, '\n'))
            return false;
    return true;
}

/* Outputs are there in their order up to the one that failed; of the rest nothing is. */
static const char *judge_left(const command *c, const outcome *o)
{
    bool gone = false, done = o->status == 0;
    bool reported = strstr(o->err, "standard output: "); /* which comes after all files */
    for (int i = 0; i < MAX_OUTPUTS && c->outputs[i]; i++) {
        bool there = access(output(c->outputs[i]), F_OK) == 0;
        bool last = i + 1 == MAX_OUTPUTS || !c->outputs[i + 1];
        if (there && gone)
            return "an output is there although one before it is not";
        if (!there && done)
            return "an output is missing";
        if (there && !done && last && !reported)
            return "all outputs are there although it failed";
        if (there && !near_files(output(c->outputs[i]), reference[i], c->step))
            return "an output is wrong";
        gone = gone || !there;
    }
    if (c->checkpoint && done && access(output(c->checkpoint), F_OK) == 0)
        return "a checkpoint is left although it is done";
    if (c->checkpoint && !done && access(output(c->checkpoint), F_OK) == 0 &&
        !strstr(o->err, c->checkpoint))
        return "a checkpoint is left that no line names";
    return NULL;
}

/* NULL: as it should be. */
static const char *judge(const command *c, const outcome *o)
{
    if (o->endless)
        return "no end";
    if (o->status < 0 || o->status > 3)
        return "a crash, or an exit status that is none of ours";
    if (holds_a_part(folder) || holds_a_part(cache))
        return "a part of a file is left";
    const char *last = o->err;
    while (c->names_devices && strstr(last, TAKEN_OVER)) /* a line for each device that failed */
        last = strstr(last, TAKEN_OVER) + strlen(TAKEN_OVER);
    if (o->status > 0 && !is_one_line(last))
        return "not one line that begins with \"saccade: \"";
    if (o->status == 0 && !are_notes(o->err))
        return "another line than a note";
    if (o->status == 0 && c->generates && !strstr(o->out, c->generates))
        return "its output is not the expected one";
    if (o->status == 0 && c->prints_the_same && strcmp(o->out, right.out) != 0)
        return "its output differs";
    return judge_left(c, o);
}

/* ---------------------------------------------------------------- all faults */

static int violations, tried, refused;

static void complain(const command *c, const fault *f, const outcome *o, const char *why)
{
    violations++;
    printf("%s: %s %ld%s: %s (status %d)\n", c->name, f->call < 0 ? "after" : call_names[f->call],
           f->at, f->onward ? " onward" : "", why, o->status);
    if (o->err[0])
        printf("  stderr: %.600s", o->err);
    fflush(stdout);
}

/* After what changed the cache, a run without a fault is as the first. */
static void check_next(const command *c, const fault *f)
{
    static outcome next;
    static unsigned long long clean;
    if (f->call < 0)
        clean = fingerprint_of(cache, "");
    if (fingerprint_of(cache, "") == clean)
        return;
    run(c, &no_fault, &next);
    const char *why = judge(c, &next);
    for (int i = 0; !why && next.status == 0 && i < MAX_OUTPUTS && c->outputs[i]; i++)
        if (!same_bytes(output(c->outputs[i]), reference[i]))
            why = "other bytes than at first";
    if (why || next.status != 0)
        complain(c, f, &next, why ? why : "the next run, without a fault, fails");
    remove_folder(cache);
    copy_folder(pristine, cache);
    clean = fingerprint_of(cache, "");
}

static void try(const command *c, const fault *f)
{
    static outcome o;
    run(c, f, &o);
    tried++;
    refused += o.status > 0;
    const char *why = judge(c, &o);
    if (why)
        complain(c, f, &o, why);
    check_next(c, f);
}

/* Of `times`, the first two, the last, and others spread between them; and two from which on all
 * fail. A command that takes seconds is tried less: some of its faults last, the others do not. */
static void try_call(const command *c, int call, long times)
{
    const char *all = getenv("SACCADE_FAULTS");
    bool every = all && strcmp(all, "all") == 0, seldom = c->samples <= 2 && !every;
    int samples = every || times < c->samples ? (int)times : c->samples;
    for (int i = 0; i < samples; i++) {
        bool spread = times > samples && i >= 2;
        long at = spread ? 2 + (times - 2) * (i - 1) / (samples - 2) : i + 1;
        if (samples == 1)
            at = (times + 1) / 2;
        try(c, &(fault){call, at, seldom && call % 3 == 0});
    }
    for (int i = 0; i < 2 && times > 1 && !seldom; i++)
        try(c, &(fault){call, 1 + i * times / 2, true});
}

static const command *find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (name && strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* Runs the command until it builds no program from its source any more: PoCL's programs are stored
 * once they were built often. Runs then make the same calls, and leave the cache as it is. */
static void settle(const command *c)
{
    unsigned long long before;
    int runs = 0;
    do {
        before = fingerprint_of(cache, "/builds-");
        run(c, &no_fault, &right);
    } while (fingerprint_of(cache, "/builds-") != before && ++runs < 20);
}

/* A program's binary is compiled once more before it is stored, for seconds: the next test that
 * needs it finds it. A reader takes no entry that is not whole. */
static void share_programs(void)
{
    char from[128];
    snprintf(from, sizeof from, "%s/saccade/.", cache);
    if (access(shared_cache, W_OK) == 0)
        copy_once(from, shared_cache);
}

/* The first runs compile what they need, the last is what all others are held to. */
static void run_without_fault(const command *c)
{
    settle(c);
    share_programs();
    run(c, &no_fault, &right);
    for (int i = 0; i < MAX_OUTPUTS && c->outputs[i]; i++) {
        snprintf(reference[i], sizeof *reference, "%s/reference-%s", home, c->outputs[i]);
        if (rename(output(c->outputs[i]), reference[i]) != 0)
            die(c->outputs[i]);
    }
    if (right.status != 0 || right.err[0]) {
        printf("%s: fails without a fault: %s\n", c->name, right.err);
        exit(1);
    }
    copy_folder(cache, pristine);
    check_next(c, &no_fault);
}

int main(int count, char **arguments)
{
    const command *c = find_command(count > 1 ? arguments[1] : NULL);
    if (!c) {
        fprintf(stderr, "usage: test_injected COMMAND\n");
        return 2;
    }
    make_folders();
    run_without_fault(c);
    int only = -1;
    for (int i = 0; count > 2 && i < FAULT_CALL_COUNT; i++)
        if (strcmp(arguments[2], call_names[i]) == 0)
            only = i;
    for (int call = 0; call < FAULT_CALL_COUNT; call++)
        if (only < 0 || only == call)
            try_call(c, call, right.counts.calls[call]);
    printf("%s: %d faults, %d refused, %d survived, %d violations\n", c->name, tried, refused,
           tried - refused, violations);
    remove_folder(home);
    return violations > 0;
}
