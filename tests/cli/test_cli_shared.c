/* One command by several processes, as mpirun starts them or the program itself for its devices: what one
 * process gives, whatever they are, and one line for what goes wrong. */
#include "run.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calls.h"
#include "extent.h"
#include "saccade_arrays.h"

static char in[80], one[80], out[80];

static int enter(void **state)
{
    make_folder(state);
    snprintf(in, sizeof in, "%s", here("in.npz"));
    snprintf(one, sizeof one, "%s", here("one.npz"));
    snprintf(out, sizeof out, "%s", here("out.npz"));
    return 0;
}

static void skip_without_mpi(void)
{
    if (!has_mpi())
        skip();
}

/* ---------------------------------------------------------------- files */

static uint64_t random_state;

/* −1 to 1. */
static float draw(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (float)(int32_t)(random_state >> 32) / 2147483648.0f;
}

typedef struct file {
    size_t queries, keys;
    const char *axes; /* BHTD or BTHD; NULL: BHTD */
    const char *mask; /* of these an array goes with it: key_padding_mask, attn_mask, sinks */
    bool without_value, broken;
} file;

static sac_array numbers(int rank, const size_t *shape)
{
    sac_array array;
    assert_int_equal(sac_array_create(SAC_F32, rank, shape, &array, NULL), SAC_OK);
    for (size_t i = 0; i < sac_array_count(&array); i++)
        ((float *)array.data)[i] = 2 * draw();
    return array;
}

/* Two items of four heads, that share two of keys; d = 20. */
static void save_file(const file *f)
{
    enum { ITEMS = 2, HEADS = 4, KEY_HEADS = 2, DIM = 20 };
    sac_array arrays[5];
    sac_named_array named[5];
    size_t count = 0;
    bool by_time = f->axes && strcmp(f->axes, "BTHD") == 0;
    static const char *const names[] = {"query", "key", "value"};
    random_state = 7;
    for (int i = 0; i < (f->without_value ? 2 : 3); i++) {
        size_t length = i ? f->keys : f->queries, heads = i ? KEY_HEADS : HEADS;
        size_t shape[] = {ITEMS, by_time ? length : heads, by_time ? heads : length, DIM};
        arrays[count] = numbers(4, shape);
        named[count] = (sac_named_array){names[i], &arrays[count]};
        count++;
    }
    if (f->broken) /* the last of the queries: of one process */
        ((float *)arrays[0].data)[ITEMS * HEADS * f->queries * DIM - 1] = NAN;
    if (f->mask && strcmp(f->mask, "key_padding_mask") == 0) {
        assert_int_equal(
            sac_array_create(SAC_BOOL, 2, (size_t[]){ITEMS, f->keys}, &arrays[count], NULL),
            SAC_OK);
        for (size_t i = 0; i < ITEMS * f->keys; i++)
            ((uint8_t *)arrays[count].data)[i] = draw() > 0.4f;
    } else if (f->mask && strcmp(f->mask, "sinks") == 0) {
        arrays[count] = numbers(1, (size_t[]){HEADS});
    } else if (f->mask) {
        arrays[count] = numbers(2, (size_t[]){f->queries, f->keys});
    }
    if (f->mask) {
        named[count] = (sac_named_array){f->mask, &arrays[count]};
        count++;
    }
    assert_int_equal(sac_npz_save(in, named, count, NULL), SAC_OK);
    while (count)
        sac_array_free(&arrays[--count]);
}

static void assert_same_file(const char *name)
{
    sac_arrays *a, *b;
    assert_int_equal(sac_arrays_open(one, &a, NULL), SAC_OK);
    assert_int_equal(sac_arrays_open(name, &b, NULL), SAC_OK);
    assert_int_equal(sac_arrays_size(a), sac_arrays_size(b));
    for (size_t i = 0; i < sac_arrays_size(a); i++) {
        const sac_array *x = sac_arrays_at(a, i), *y = sac_arrays_find(b, sac_arrays_name(a, i));
        assert_non_null(y);
        assert_int_equal(x->rank, y->rank);
        assert_memory_equal(x->shape, y->shape, sizeof *x->shape * (size_t)x->rank);
        double difference = 0, whole = 0;
        for (size_t k = 0; k < sac_array_count(x); k++) {
            double p = ((float *)x->data)[k], q = ((float *)y->data)[k];
            if (p == q) /* infinities too */
                continue;
            difference += (p - q) * (p - q);
            whole += p * p;
        }
        assert_true(difference <= 1e-12 * whole);
    }
    sac_arrays_close(a);
    sac_arrays_close(b);
}

/* ---------------------------------------------------------------- attend */

static void run_together(int processes, const char *const *options)
{
    ran = (program_run){.processes = processes};
    run_saccade(&ran, "attend", in, out, "--no-weights", options[0], options[1], options[2],
                options[3], NULL);
}

/* By 1 to 4 processes: pieces of no query or key, of one, and of different lengths. */
TEST_WITH(several_processes_give_what_one_gives, enter, remove_folder)
{
    static const struct {
        file file;
        const char *options[5];
    } cases[] = {
        {{53, 53}, {"--causal"}},
        {{53, 53, .axes = "BTHD"}, {"--axes", "BTHD"}},
        {{7, 90}, {"--causal=bottom-right"}},
        {{90, 7}, {"--causal=bottom-right"}},
        {{1, 300}, {NULL}},
        {{67, 67}, {"--window", "9"}},
        {{67, 67, .mask = "key_padding_mask"}, {"--window", "30", "--causal"}},
        {{41, 29, .mask = "attn_mask"}, {"--causal=top-left"}},
        {{33, 65, .mask = "sinks"}, {"--softcap", "3", "--score", "gaussian"}},
        {{40, 40, .without_value = true}, {"--score", "dot"}},
    };
    skip_without_mpi();
    for (size_t i = 0; i < (test_is_full() ? sizeof cases / sizeof *cases : 3); i++) {
        const char *const *options = cases[i].options;
        save_file(&cases[i].file);
        ran = (program_run){0};
        run_saccade(&ran, "attend", in, one, "--no-weights", options[0], options[1], options[2],
                    options[3], NULL);
        assert_int_equal(ran.status, 0);
        int processes = 1 + (int)(i + 2) % 4;
        run_together(processes, options);
        if (ran.status)
            fail_msg("case %zu, %d processes: %s", i, processes, ran.err);
        assert_same_file(out);
    }
}

TEST_WITH(json_lists_all_processes, enter, remove_folder)
{
    skip_without_mpi();
    save_file(&(file){.queries = 50, .keys = 50});
    run_together(3, (const char *[]){"--json", "--device", "cpu,1", NULL}); /* one each */
    assert_int_equal(ran.status, 0);
    assert_non_null(strstr(ran.out, "\"processes\":\t3"));
    assert_non_null(strstr(ran.out, "\"exchanged_bytes\""));
    assert_null(strstr(strstr(ran.out, "\"score\"") + 1, "\"score\"")); /* one of them prints */
}

/* ---------------------------------------------------------------- pictures and training */

/* Ways to run a command: alone, by mpirun, and by a process for each device. */
static const struct way {
    int processes;
    const char *devices;
} ways[] = {{0, "cpu"}, {3, "cpu"}, {0, "cpu,cpu,cpu"}};
enum { WAYS = sizeof ways / sizeof *ways };

/* False where this build cannot run so. */
static bool begin(int way)
{
    ran = (program_run){.processes = ways[way].processes};
    return !ran.processes || has_mpi();
}

static void make_pictures(void)
{
    for (int i = 1; i <= 5; i++) {
        char name[16], seed[12];
        snprintf(seed, sizeof seed, "%d", i);
        snprintf(name, sizeof name, "%d.png", i);
        ran = (program_run){0};
        PASSES("scene", "--dataset", "shapes", "--seed", seed, "--png", here(name));
    }
}

#define CAPTIONS(devices) "caption", folder, "--dataset", "shapes", "--device", devices

TEST_WITH(captions_come_in_the_order_of_one_process, enter, remove_folder)
{
    char first[sizeof ran.out];
    make_pictures();
    size_t size;
    char *whole = file_read(here("1.png"), &size);
    file_write(here("0.png"), whole, 20); /* no pixel is left */
    free(whole);
    for (int way = 0; way < WAYS; way++) {
        if (!begin(way))
            continue;
        RUN(CAPTIONS(ways[way].devices)); /* one cannot be opened, and the others are captioned */
        assert_int_equal(ran.status, 1);
        assert_non_null(strstr(ran.err, "0.png"));
        if (way)
            assert_string_equal(ran.out, first);
        memcpy(first, ran.out, sizeof first);
    }
}

/* Leaves out the lines of time and device, and gives numbers ten digits: sums are in another order. */
static void tidy(const char *json, char *text, size_t size)
{
    size_t used = 0;
    while (*json && used + 32 < size) {
        char *end;
        double number = strtod(json, &end);
        size_t line = strcspn(json, "\n");
        if (strncmp(json, "\"ms\"", 4) == 0 || strncmp(json, "\"device\"", 8) == 0) {
            json += line;
        } else if (*json >= '0' && *json <= '9') {
            used += (size_t)snprintf(text + used, size - used, "%.10g", number);
            json = end;
        } else {
            text[used++] = *json++;
        }
    }
    text[used] = '\0';
}

/* What is measured but for the time that it takes. */
#define ASSERT_SAME_FIGURES(...)                                                                   \
    do {                                                                                           \
        char text_[8192], first_[sizeof text_];                                                    \
        for (int way = 0; way < WAYS; way++) {                                                     \
            if (!begin(way))                                                                       \
                continue;                                                                          \
            PASSES("evaluate", __VA_ARGS__, "--json", "--device", ways[way].devices);              \
            tidy(ran.out, text_, sizeof text_);                                                    \
            if (way)                                                                               \
                assert_string_equal(text_, first_);                                                \
            memcpy(first_, text_, sizeof first_);                                                  \
        }                                                                                          \
    } while (0)

TEST(an_evaluation_gives_the_same_figures)
{
    ASSERT_SAME_FIGURES("captioner", "--dataset", "shapes", "--count", "7");
    if (!test_is_full())
        return;
    ASSERT_SAME_FIGURES("captioner", "--dataset", "shapes", "--count",
                        "2"); /* fewer than processes */
    ASSERT_SAME_FIGURES("translator", "--model", "transformer", "--count", "7");
}

TEST_WITH(an_evaluation_of_pictures_gives_the_same_figures, enter, remove_folder)
{
    FULL_ONLY;
    make_pictures();
    for (int i = 1; i <= 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d.txt", i);
        file_write(here(name), "a large red circle above a small blue square\n", 45);
    }
    file_write(here("3.png"), "no picture", 10);
    ASSERT_SAME_FIGURES("captioner", "--dataset", "shapes", "--pictures", folder, "--split", "all");
}

static double loss_of(const char *text)
{
    const char *loss = strstr(text, "loss ");
    assert_non_null(loss);
    return strtod(loss + 5, NULL);
}

/* Seven samples of three processes are those of one; so is what is learnt of them. */
TEST_WITH(a_training_learns_what_one_process_learns, enter, remove_folder)
{
    static const char *const models[] = {"captioner", "translator"};
    for (int i = 0; i < (test_is_full() ? 2 : 1); i++) {
        double first = 0;
        for (int way = 0; way < WAYS; way++) {
            if (!begin(way))
                continue;
            PASSES("train", models[i], "--steps", "4", "--batch", "7", "--device",
                   ways[way].devices, "--out", here("w.safetensors"));
            const char *last = strstr(ran.out, "step 4/4");
            assert_non_null(last);
            if (way)
                assert_true(fabs(loss_of(last) - first) <= 0.0011);
            first = loss_of(last);
        }
        /* The weights go on in any number of processes. */
        ran = (program_run){.processes = has_mpi() ? 2 : 0};
        PASSES("train", models[i], "--steps", "2", "--device", "cpu", "--out",
               here("next.safetensors"), "--resume", here("w.safetensors"));
    }
}

TEST_WITH(what_is_too_little_for_all_is_refused, enter, remove_folder)
{
    ran = (program_run){0};
    FAILS(2, "--batch: 2 samples are too few for 3 devices; give fewer devices", "train",
          "captioner", "--steps", "2", "--batch", "2", "--device", "cpu,cpu,cpu", "--out",
          here("w.safetensors"));
    FAILS(2, "--view: is the work of one device; give one as --device", "train", "captioner",
          "--view", "--device", "all", "--out", here("w.safetensors"));
    FAILS(2, "--device: a name is missing; give numbers or names with commas between them",
          "evaluate", "captioner", "--device", "cpu,");
    FAILS_WITH(3, "no device is called \"no such\"", "evaluate", "captioner", "--device",
               "cpu,no such");
    skip_without_mpi();
    ran = (program_run){.processes = 3};
    RUN("train", "captioner", "--steps", "2", "--batch", "2", "--out", here("w.safetensors"));
    assert_int_equal(ran.status, 2);
    assert_non_null(strstr(ran.err, "--batch: 2 samples are too few for 3 processes"));
}

/* ---------------------------------------------------------------- a device that fails */

#ifdef FAULT_SHIM
/* Of `devices` the second fails at a launch of a kernel, and at all after it. */
static void break_second_device(const char *launch)
{
    static char at[32];
    snprintf(at, sizeof at, FAULT_AT "=%s", launch);
    ran =
        (program_run){.environment = {"LD_PRELOAD=" FAULT_SHIM, FAULT_PROCESS "=1",
                                      FAULT_CALL "=clEnqueueNDRangeKernel", at, FAULT_ONWARD "=1"}};
}

#define TAKES_OVER "; the other devices take over"

TEST_WITH(what_a_device_fails_at_is_done_by_the_others, enter, remove_folder)
{
    static const char *const launches[] = {"60", "1"};
    char first[sizeof ran.out], figures[8192], text[8192];
    make_pictures();
    ran = (program_run){0};
    DONE(CAPTIONS("cpu"));
    memcpy(first, ran.out, sizeof first);
    DONE("evaluate", "captioner", "--dataset", "shapes", "--count", "60", "--json", "--device",
         "cpu");
    tidy(ran.out, figures, sizeof figures);
    for (int i = !test_is_full(); i < 2; i++) {
        break_second_device(launches[i]);
        PASSES(CAPTIONS("cpu,cpu"));
        assert_string_equal(ran.out, first);
        break_second_device(launches[i]);
        PASSES("evaluate", "captioner", "--dataset", "shapes", "--count", "60", "--json",
               "--device", "cpu,cpu");
        tidy(ran.out, text, sizeof text);
        assert_string_equal(text, figures);
        /* Devices take pictures as they get free: on a busy machine the second may be done before its 60th launch. */
        bool failed = strstr(ran.err, "saccade: device ") && strstr(ran.err, TAKES_OVER);
        if (!failed && (i == 1 || *ran.err))
            fail_msg("no device is named: %s", ran.err);
    }
}

/* A map of 701 × 701 weights, whose rows devices share; where a launch fails, at any place, another device
 * does what was lost. */
TEST_WITH(a_map_of_two_devices_is_that_of_one, enter, remove_folder)
{
    static const char *const launches[] = {"0", "3", "9", "15", "30"};
    save_file(&(file){.queries = 701, .keys = 701, .without_value = true});
    ran = (program_run){0};
    DONE("view", in, "--device", "cpu", "--out", here("one.tsv"), "--out", here("one.png"));
    size_t size, first;
    char *wanted = file_read(here("one.tsv"), &first);
    for (int i = 0; i < (test_is_full() ? 5 : 2); i++) {
        char at[32];
        snprintf(at, sizeof at, FAULT_AT "=%s", launches[i]);
        ran = (program_run){
            .environment = {"LD_PRELOAD=" FAULT_SHIM, FAULT_CALL "=clEnqueueNDRangeKernel", at}};
        PASSES("view", in, "--device", "cpu,cpu", "--out", here("two.tsv"), "--out",
               here("two.png"));
        if (i && !strstr(ran.err, TAKES_OVER))
            fail_msg("no device is named: %s", ran.err);
        char *made = file_read(here("two.tsv"), &size);
        assert_int_equal(size, first);
        assert_memory_equal(made, wanted, size);
        free(made);
    }
    free(wanted);
}

/* The batch cannot be learnt without its part: the training ends, and its last checkpoint is whole. */
TEST_WITH(a_training_names_the_device_that_failed, enter, remove_folder)
{
    ran = (program_run){0};
    PASSES("train", "captioner", "--steps", "2", "--batch", "4", "--device", "cpu", "--out",
           here("w.safetensors"));
    break_second_device("200");
    FAILS_WITH(1, "device ", "train", "captioner", "--steps", "9", "--batch", "4", "--device",
               "cpu,cpu", "--out", here("w.safetensors"));
    assert_non_null(strstr(ran.err, "clEnqueueNDRangeKernel"));
    assert_int_not_equal(access(here("new.safetensors"), F_OK), 0);
}
#endif

/* Each line once, from whichever process; and no file. */
static void assert_reported_once(int status, const char *line)
{
    const char *first = strstr(ran.err, line);
    assert_int_equal(ran.status, status);
    if (!first || strstr(first + 1, line))
        fail_msg("\"%s\" is not once in: %s", line, ran.err);
    assert_int_not_equal(access(out, F_OK), 0);
}

TEST_WITH(what_goes_wrong_is_reported_once, enter, remove_folder)
{
    static const char *const nothing[4];
    skip_without_mpi();
    save_file(&(file){.queries = 50, .keys = 50, .broken = true});
    run_together(3, nothing); /* the last queries belong to the first process */
    assert_reported_once(1, "saccade: process 0: queries 42 to 49 with keys ");
    assert_int_equal(unlink(in), 0);
    run_together(3, nothing);
    assert_reported_once(1, "in.npz: cannot be opened");
    save_file(&(file){.queries = 50, .keys = 50});
    run_together(2, (const char *[]){"--dropout", "0.5", NULL, NULL});
    assert_reported_once(2, "saccade: dropout: draws for each weight by its place in the whole");
    run_saccade(&ran, "attend", in, out, NULL);
    assert_reported_once(
        2, "saccade: weights: are not written by several processes; add --no-weights");
    run_saccade(&ran, "devices", NULL);
    assert_reported_once(2,
                         "saccade: devices: is the work of one process; start it without mpirun");
}

/* ---------------------------------------------------------------- processes that are not alike */

#define BESIDE(...) ":", "-n", "1", __VA_ARGS__
#define ATTEND(input) "attend", input, "out.npz", "--no-weights"

/* Open MPI 5.0.7 itself dies of a second program where it finds no network. */
static void skip_without_two_programs(void)
{
    skip_without_mpi();
    ran = (program_run){.processes = 1};
    RUN("--version", BESIDE(SACCADE_PROGRAM, "--version"));
    if (ran.status == -SIGSEGV)
        skip();
}

/* One process has other words, variables, files or another command: the first line names it, and nothing is
 * computed. */
TEST_WITH(a_process_that_differs_is_named, enter, remove_folder)
{
    char other[80];
    skip_without_two_programs();
    save_file(&(file){.queries = 50, .keys = 50});
    snprintf(other, sizeof other, "%s", here("other"));
    assert_int_equal(mkdir(other, 0700), 0);
    ran = (program_run){.processes = 1, .folder = folder};
    RUN(ATTEND("in.npz"), BESIDE(SACCADE_PROGRAM, ATTEND("in.npz"), "--causal"));
    assert_reported_once(
        2, "saccade: process 1: has \"--causal\" where process 0 has the end of its command");
    RUN(ATTEND("in.npz"), BESIDE(SACCADE_PROGRAM, "devices"));
    assert_reported_once(2, "saccade: process 1: has \"devices\" where process 0 has \"attend\"");
    RUN(ATTEND("in.npz"), BESIDE("-x", "SACCADE_LANGUAGE=fr", SACCADE_PROGRAM, ATTEND("in.npz")));
    assert_reported_once(2,
                         "saccade: process 1: has SACCADE_LANGUAGE=fr where process 0 has nothing");
    RUN("--version", BESIDE(SACCADE_PROGRAM, ATTEND("in.npz")));
    assert_reported_once(2, "saccade: process 1: has \"attend\" where process 0 has \"--version\"");
    RUN(ATTEND("in.npz"), BESIDE("-wdir", other, SACCADE_PROGRAM, ATTEND("in.npz")));
    assert_reported_once(1, "saccade: process 1: in.npz: cannot be opened");
    /* Of three, one has another file: whichever it is, it is the one that is named. */
    size_t size;
    save_file(&(file){.queries = 50, .keys = 50, .broken = true}); /* one number is another */
    char *whole = file_read(in, &size);
    file_write(here("other/in.npz"), whole, size);
    free(whole);
    save_file(&(file){.queries = 50, .keys = 50});
    ran.processes = 2;
    RUN(ATTEND("in.npz"), BESIDE("-wdir", other, SACCADE_PROGRAM, ATTEND("in.npz")));
    assert_reported_once(2, "saccade: process 2: has in.npz (");
    ran.processes = 1;
    RUN(ATTEND("in.npz"), BESIDE("-wdir", other, SACCADE_PROGRAM, ATTEND("in.npz")),
        BESIDE("-wdir", other, SACCADE_PROGRAM, ATTEND("in.npz")));
    assert_reported_once(2, "saccade: process 0: has in.npz (");
}

TEST_WITH(processes_with_devices_of_their_own_are_alike, enter, remove_folder)
{
    skip_without_two_programs();
    save_file(&(file){.queries = 50, .keys = 50});
    ran = (program_run){.processes = 1, .folder = folder};
    PASSES(ATTEND("in.npz"), "--device", "cpu",
           BESIDE(SACCADE_PROGRAM, ATTEND("in.npz"), "--device=1"));
}

/* Pictures that each process takes its own of, and weights. */
TEST_WITH(a_process_with_another_picture_or_model_is_named, enter, remove_folder)
{
    char other[80];
    FULL_ONLY;
    skip_without_two_programs();
    make_pictures();
    snprintf(other, sizeof other, "%s", here("other"));
    assert_int_equal(mkdir(other, 0700), 0);
    ran = (program_run){0};
    for (int i = 1; i <= 5; i++) {
        char name[32];
        char seed[12];
        snprintf(name, sizeof name, "other/%d.png", i);
        snprintf(seed, sizeof seed, "%d", i == 4 ? 9 : i);
        PASSES("scene", "--dataset", "shapes", "--seed", seed, "--png", here(name));
    }
    ran = (program_run){.processes = 1, .folder = folder};
    RUN("caption", ".", "--dataset", "shapes",
        BESIDE("-wdir", other, SACCADE_PROGRAM, "caption", ".", "--dataset", "shapes"));
    assert_reported_once(2, "saccade: process 1: has 4.png (");
    static const char *const seeds[] = {"1", "2"}, *const names[] = {"w.safetensors",
                                                                     "other/w.safetensors"};
    for (int i = 0; i < 2; i++) {
        ran = (program_run){0};
        PASSES("train", "captioner", "--steps", "1", "--batch", "2", "--seed", seeds[i], "--out",
               here(names[i]));
    }
#define EVALUATE "evaluate", "captioner", "--weights", "w.safetensors", "--count", "2"
    ran = (program_run){.processes = 1, .folder = folder};
    RUN(EVALUATE, BESIDE("-wdir", other, SACCADE_PROGRAM, EVALUATE));
    assert_reported_once(2, "saccade: process 1: has w.safetensors (");
}

/* Another program never joins; MPI alone would wait for ever. */
TEST_WITH(a_process_that_never_answers_ends_the_run, enter, remove_folder)
{
    FULL_ONLY; /* half a minute */
    skip_without_two_programs();
    save_file(&(file){.queries = 50, .keys = 50});
    ran = (program_run){.processes = 1, .folder = folder};
    RUN(ATTEND("in.npz"), BESIDE("sleep", "300"));
    assert_reported_once(1, "saccade: MPI: a process of this run does not join the others");
}

/* The processes of the program with these words, and the last of them. */
static int find_processes(const char *words, pid_t *last)
{
    char command[256];
    int count = 0;
    snprintf(command, sizeof command, "pgrep -f '^[^ ]*saccade .*%s'", words);
    FILE *list = popen(command, "r");
    assert_non_null(list);
    for (int pid; fscanf(list, "%d", &pid) == 1; count++)
        *last = pid;
    pclose(list);
    return count;
}

/* One of them, when there are as many as were requested. */
static pid_t find_process(const char *words, int wanted)
{
    pid_t found = 0;
    for (int waited = 0; waited < 3000 && find_processes(words, &found) != wanted; waited++)
        usleep(10000);
    return found;
}

static int count_files(void)
{
    int count = 0;
    DIR *files = opendir(folder);
    assert_non_null(files);
    for (struct dirent *entry; (entry = readdir(files));)
        count += entry->d_name[0] != '.';
    closedir(files);
    return count;
}

static void *kill_one(void *words)
{
    pid_t pid = find_process(words, 3);
    if (pid)
        kill(pid, SIGKILL);
    return NULL;
}

/* One that was started for a device has an argument for it; the process that lists devices has not. */
static bool is_started(pid_t pid)
{
    char path[64], text[1 << 15];
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    FILE *stream = fopen(path, "r");
    size_t size = stream ? fread(text, 1, sizeof text, stream) : 0;
    if (stream)
        fclose(stream);
    return memmem(text, size, "SACCADE_PROCESS=", 16) != NULL;
}

static void *kill_second(void *words)
{
    pid_t pid = 0;
    for (int waited = 0; waited < 3000; waited++) {
        if (find_processes(words, &pid) == 2 && is_started(pid)) {
            kill(pid, SIGKILL);
            break;
        }
        usleep(10000);
    }
    return NULL;
}

/* So does the first process of those that the program started for devices. */
TEST_WITH(a_process_of_a_device_that_dies_is_named, enter, remove_folder)
{
    pthread_t thread;
    ran = (program_run){0};
    assert_int_equal(pthread_create(&thread, NULL, kill_second, (void *)here("w.safetensors")), 0);
    FAILS_WITH(1, "the process of this device has ended before its work was done", "train",
               "captioner", "--steps", "100000", "--batch", "4", "--device", "cpu,cpu", "--out",
               here("w.safetensors"));
    pthread_join(thread, NULL);
    assert_int_equal(count_files(), 0);
    assert_int_equal(find_processes(here("w.safetensors"), &(pid_t){0}), 0);
}

/* The launcher ends the others and names the one that died; nothing of the output stays. */
TEST_WITH(a_process_that_dies_leaves_no_file, enter, remove_folder)
{
    pthread_t thread;
    skip_without_mpi();
    save_file(&(file){.queries = 12000, .keys = 12000});
    assert_int_equal(pthread_create(&thread, NULL, kill_one, out), 0);
    run_together(3, (const char *[]){"--score", "gaussian", "--device", "cpu"});
    pthread_join(thread, NULL);
    assert_int_not_equal(ran.status, 0);
    assert_int_equal(count_files(), 1); /* the input */
}

TEST_MAIN(NULL, NULL)
