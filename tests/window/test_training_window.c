/* The real program on a display: a training in its window, which may be closed before it ends. */
#include <signal.h>
#include <unistd.h>

#include "display.h"
#include "images/png_write.h"
#include "png_texts.h"
#include "test.h"

static char folder[] = "/tmp/saccade-training-XXXXXX";
static pid_t window; /* the program whose window is open; 0: none */

static const char *in_folder(const char *name)
{
    return path_in(folder, name);
}

static bool is_there(const char *name)
{
    return access(in_folder(name), F_OK) == 0;
}

/* Trains with batches of two into w.safetensors, and waits for the window. */
static void start(const char *steps, const char *png)
{
    const char *const arguments[] = {
        SACCADE_PROGRAM,      "train",   "captioner", "--view",  "--out",
        "w.safetensors",      "--batch", "2",         "--steps", steps,
        png ? "--png" : NULL, png,       NULL};
    window = program_start(arguments, folder, true);
    find_window("search", "--onlyvisible", "--name", "w - Saccade", NULL);
}

static void press(const char *key)
{
    pointer_and_keys("mousemove", "400", "300", "key", key, NULL);
}

static int ended(void)
{
    pid_t child = window;
    window = 0;
    return program_wait(child);
}

static int enter(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    assert_non_null(mkdtemp(folder));
    return 0;
}

static int leave(void **state)
{
    (void)state;
    const char *const arguments[] = {"rm", "-rf", folder, NULL};
    if (window) {
        kill(window, SIGKILL);
        program_wait(window);
    }
    window = 0;
    return program_wait(program_start(arguments, NULL, false));
}

TEST_WITH(a_closed_window_lets_the_training_go_on, enter, leave)
{
    start("40", "end.png");
    press("q");
    assert_false(is_there("w.safetensors"));
    assert_int_equal(ended(), 0);
    assert_true(is_there("w.safetensors"));
    assert_png_text(in_folder("end.png"), "view", "training");
    assert_png_text(in_folder("end.png"), "step", "40");
}

TEST_WITH(an_interruption_saves_a_checkpoint_and_ends_both, enter, leave)
{
    start("100000", NULL);
    assert_int_equal(kill(window, SIGINT), 0);
    assert_int_equal(ended(), 1);
    assert_true(is_there("w.safetensors.checkpoint"));
    assert_false(is_there("w.safetensors"));
}

TEST_WITH(the_window_of_a_training_that_is_done_stays_open, enter, leave)
{
    start("3", NULL);
    assert_appears(in_folder("w.safetensors"));
    pointer_and_keys("mousemove", "400", "300", "sleep", "1", "key", "s", "sleep", "0.5", "key",
                     "Return", NULL);
    assert_appears(in_folder("w-saccade-1.png"));
    assert_png_text(in_folder("w-saccade-1.png"), "step", "3");
    press("q");
    assert_int_equal(ended(), 0);
}

/* A word of ten letters, over and over. */
static void write_text(void)
{
    FILE *file = fopen(in_folder("text"), "w");
    assert_non_null(file);
    for (int i = 0; i < 200; i++)
        fputs("saltwaters\n", file);
    assert_int_equal(fclose(file), 0);
}

TEST_WITH(what_a_command_trained_is_used_from_its_window, enter, leave)
{
    const char *const arguments[] = {
        SACCADE_PROGRAM, "train",     "language", "--view",   "--text", "text",    "--out",
        "own",           "--context", "8",        "--layers", "1",      "--heads", "1",
        "--width",       "8",         "--steps",  "3",        NULL};
    write_text();
    window = program_start(arguments, folder, true);
    find_window("search", "--onlyvisible", "--name", "own - Saccade", NULL);
    assert_appears(in_folder("own/model.safetensors"));
    pointer_and_keys("mousemove", "400", "300", "sleep", "1", "key", "Return", "sleep", "3", "key",
                     "s", "sleep", "0.5", "key", "Return", NULL);
    assert_appears(in_folder("own-saccade-1.png"));
    assert_png_text(in_folder("own-saccade-1.png"), "view", "next");
    press("q");
    assert_int_equal(ended(), 0);
}

int main(void)
{
    if (!display_open(800, 600)) {
        puts("skipped: install Xvfb and xdotool to see the window tested");
        return 77;
    }
    setenv("SACCADE_DEVICE", "pocl", 0);
    int failed = test_run(NULL, NULL);
    display_close();
    return failed;
}
