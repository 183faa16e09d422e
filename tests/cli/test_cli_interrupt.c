/* Ctrl-C while a driver compiles, and while a file is waited for. A terminal sends it to the
 * program and to what the driver starts, so here it goes to the whole group, with nothing in any
 * cache. */
#include "run.h"

#include "extent.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <sys/stat.h>

#include "saccade_arrays.h"

/* The folder of one test: in.npz, a pipe, and caches that begin empty. */
typedef struct room {
    char folder[64], cache[96], compiled[96], pipe[96];
    const char *in, *out;
} room;

static int enter(void **state)
{
    room *r = calloc(1, sizeof *r);
    sac_array x;
    assert_non_null(r);
    folder_create(r->folder);
    snprintf(r->cache, sizeof r->cache, "XDG_CACHE_HOME=%s", r->folder);
    snprintf(r->compiled, sizeof r->compiled, "POCL_CACHE_DIR=%s/pocl", r->folder);
    r->in = strdup(in_folder(r->folder, "in.npz"));
    r->out = strdup(in_folder(r->folder, "out.npz"));
    assert_int_equal(sac_array_create(SAC_F32, 2, (size_t[]){40000, 8}, &x, NULL), SAC_OK);
    for (size_t i = 0; i < sac_array_count(&x); i++)
        ((float *)x.data)[i] = sinf((float)i);
    const sac_named_array all[] = {{"query", &x}, {"key", &x}, {"value", &x}};
    assert_int_equal(sac_npz_save(r->in, all, 3, NULL), SAC_OK);
    sac_array_free(&x);
    snprintf(r->pipe, sizeof r->pipe, "%s/pipe", r->folder);
    assert_int_equal(mkfifo(r->pipe, 0600), 0);
    *state = r;
    return 0;
}

static int leave(void **state)
{
    room *r = *state;
    folder_remove(r->folder);
    free((char *)r->in);
    free((char *)r->out);
    free(r);
    return 0;
}

#define IN_A_ROOM(name) TEST_ON(room, r, name, enter, leave)

/* To be interrupted once a compiler runs. */
static program_run cold(const room *r)
{
    return (program_run){.environment = {"SACCADE_DEVICE=pocl", r->cache, r->compiled},
                         .interrupt_compiler = true};
}

/* An interrupted run is no evidence about the device. */
static void assert_nothing_held_against_the_device(const room *r)
{
    program_run run = {.environment = {"SACCADE_DEVICE=pocl", r->cache, r->compiled}};
    run_saccade(&run, "devices", "--json", NULL);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "\"untested\""));
    assert_null(strstr(run.out, "\"refused\""));
    assert_null(strstr(run.out, "\"reduced\""));
}

IN_A_ROOM(attend_reports_that_it_was_stopped_and_writes_nothing)
{
    FULL_ONLY;
    program_run run = cold(r);
    run_saccade(&run, "attend", r->in, r->out, "--no-weights", "--variant", "naive", NULL);
    assert_fails(&run, 1, "attention: stopped on request");
    assert_int_equal(access(r->out, F_OK), -1);
    assert_nothing_held_against_the_device(r);
}

IN_A_ROOM(a_self_test_reports_that_it_was_stopped_and_judges_nothing)
{
    FULL_ONLY;
    program_run run = cold(r);
    run.interrupt_after_ms = 1500; /* among its many compilations */
    run_saccade(&run, "selftest", NULL);
    assert_fails(&run, 1, "self-test: stopped on request");
    assert_nothing_held_against_the_device(r);
}

IN_A_ROOM(so_does_tune_when_asked_to_terminate)
{
    FULL_ONLY;
    program_run run = cold(r);
    run.interrupt_signal = SIGTERM;
    run_saccade(&run, "tune", "--seconds", "60", NULL);
    assert_fails(&run, 1, "tune: stopped; nothing has changed");
    assert_nothing_held_against_the_device(r);
}

/* By the third signal, if the first has not ended the work by then: the process that compiles is
 * killed at once, so most often it has. */
IN_A_ROOM(who_insists_is_let_go_at_once)
{
    FULL_ONLY;
    program_run run = cold(r);
    run.interrupt_times = 3;
    run_saccade(&run, "tune", "--seconds", "60", NULL);
    if (run.status != -SIGINT)
        assert_fails(&run, 1, "tune: stopped; nothing has changed");
    assert_string_equal(run.out, "");
    assert_nothing_held_against_the_device(r);
}

/* ---------------------------------------------------------------- files that never come */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { SIGNALS = sizeof signals / sizeof *signals };

static void assert_stopped_at(const program_run *run, const char *path)
{
    char line[128];
    snprintf(line, sizeof line, "%s: stopped on request", path);
    assert_fails(run, 1, line);
}

IN_A_ROOM(one_signal_ends_the_wait_for_a_pipe_without_a_writer)
{
    for (int i = 0; i < SIGNALS; i++) {
        program_run run = {.interrupt_after_ms = 300, .interrupt_signal = signals[i]};
        run_saccade(&run, "attend", r->pipe, r->out, NULL);
        assert_stopped_at(&run, r->pipe);
    }
}

/* The test holds the other end, as a terminal would without input. */
IN_A_ROOM(one_signal_ends_the_wait_for_a_pipe_that_stays_empty)
{
    program_run run = {.interrupt_reader_of = r->pipe};
    int held = open(r->pipe, O_RDWR | O_CLOEXEC);
    assert_true(held >= 0);
    run_saccade(&run, "caption", r->pipe, NULL);
    close(held);
    assert_stopped_at(&run, r->pipe);
}

IN_A_ROOM(one_signal_ends_the_wait_for_a_pipe_without_a_reader)
{
    for (int i = 0; i < SIGNALS; i++) {
        program_run run = {.interrupt_after_ms = 300, .interrupt_signal = signals[i]};
        run_saccade(&run, "scene", "--dataset", "shapes", "--seed", "1", "--png", r->pipe, NULL);
        assert_stopped_at(&run, r->pipe);
    }
}

/* It is full, as nothing reads from it. */
IN_A_ROOM(one_signal_ends_the_wait_for_a_pipe_that_is_full)
{
    program_run run = {.interrupt_after_ms = 300};
    int held = open(r->pipe, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    assert_true(held >= 0);
    while (write(held, r, sizeof *r) > 0)
        ;
    run_saccade(&run, "scene", "--dataset", "shapes", "--seed", "1", "--png", r->pipe, NULL);
    close(held);
    assert_stopped_at(&run, r->pipe);
}

/* Some were captioned; one line reports that not all were. */
TEST(captions_of_many_pictures_show_that_they_were_stopped)
{
    program_run run = {.interrupt_after_ms = 600};
    const char *p = PICTURES "/harbour.png", *q = PICTURES "/garden.png";
    run_saccade(&run, "caption", "--beam", "5", "--device", "pocl", p, q, p, q, p, q, p, q, p, q, p,
                q, p, q, p, q, p, q, p, q, p, q, p, q, p, q, p, q, p, q, p, q, p, q, p, q, p, q, p,
                q, p, q, p, q, p, q, p, q, p, q, p, q, NULL);
    assert_int_equal(run.status, 1);
    const char *last = run.err; /* after notes on photographs */
    for (const char *c = run.err; *c; c++)
        last = *c == '\n' && c[1] ? c + 1 : last;
    assert_int_equal(strncmp(last, "saccade: ", 9), 0);
    assert_non_null(strstr(last, "stopped on request"));
}

TEST_MAIN(NULL, NULL)
