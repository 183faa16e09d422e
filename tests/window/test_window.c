/* The real program on a display: the window shows the very pixels that --layout window --png writes. */
#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <sys/stat.h>
#include <sys/wait.h>

#include "display.h"
#include "images/png_write.h"
#include "png_texts.h"
#include "saccade_arrays.h"
#include "status.h"
#include "test.h"
#include "tiny.h"

enum { SCREEN_W = 1000, SCREEN_H = 700, WINDOW_W = 900, WINDOW_H = 600 };
#define SIZE "900x600"
/* Without a window manager the window stands in the middle of the screen. */
enum { LEFT = (SCREEN_W - WINDOW_W) / 2, TOP = (SCREEN_H - WINDOW_H) / 2 };

/* A folder within a folder: a picture names what is beside its own folder by "../". */
static char made[] = "/tmp/saccade-window-XXXXXX", folder[sizeof made + 8];

static const char *in_folder(const char *name)
{
    return path_in(folder, name);
}

/* Weights [2,1,3,12,12]: nothing about them is computed on a device, so no picture of them shows a
 * time that another run would not repeat. */
static void make_weights(const char *path)
{
    float weights[2 * 3 * 12][12];
    for (int row = 0; row < 2 * 3 * 12; row++) {
        float sum = 0;
        for (int key = 0; key < 12; key++)
            sum += weights[row][key] = expf(-0.1f * (float)((row * 7 + key * key) % 23));
        for (int key = 0; key < 12; key++)
            weights[row][key] /= sum;
    }
    sac_array array = sac_array_view(SAC_F32, 5, (size_t[]){2, 1, 3, 12, 12}, weights);
    sac_named_array named = {"attentions", &array};
    OK(sac_npz_save(path, &named, 1, NULL));
}

static int make_folder(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(made));
    snprintf(folder, sizeof folder, "%s/run", made);
    assert_int_equal(mkdir(folder, 0700), 0);
    make_weights(in_folder("weights.npz"));
    tiny_captioner_save(in_folder("tiny.safetensors"), NULL, 56, 3, SAC_SCORE_ADDITIVE, 3);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    const char *const arguments[] = {"rm", "-rf", made, NULL};
    return program_wait(program_start(arguments, NULL, false));
}

/* `words`: the arguments after "saccade", which end with NULL. */
static pid_t start(const char *const *words)
{
    const char *arguments[16] = {SACCADE_PROGRAM};
    for (int i = 0; words[i]; i++)
        arguments[i + 1] = words[i];
    return program_start(arguments, folder, false);
}

#define START(...) start((const char *const[]){__VA_ARGS__, NULL})

static pid_t window; /* the one that is open; 0: none */

/* What a failed test left open would cover the windows of those after it. */
static int close_left_over(void **state)
{
    (void)state;
    if (window) {
        kill(window, SIGKILL);
        program_wait(window);
    }
    window = 0;
    return 0;
}

static int closed(void)
{
    pid_t child = window;
    window = 0;
    return program_wait(child);
}

static void assert_closed_by(const char *key)
{
    pointer_and_keys("mousemove", "500", "350", "key", key, "mousemove", "0", "0", NULL);
    assert_int_equal(closed(), 0);
}

TEST_WITH(the_window_shows_the_pixels_that_png_writes, NULL, close_left_over)
{
    assert_int_equal(
        program_wait(START("weights.npz", "--size", SIZE, "--layout", "window", "--png", "w.png")),
        0);
    window = START("weights.npz", "--size", SIZE);
    assert_seen(in_folder("w.png"), LEFT, TOP);
    assert_closed_by("q");
}

TEST_WITH(so_it_does_in_the_light_theme_at_twice_the_density, NULL, close_left_over)
{
#define LIGHT "weights.npz", "--size", SIZE, "--theme", "light", "--density", "2", "--tab", "matrix"
    assert_int_equal(program_wait(START(LIGHT, "--layout", "window", "--png", "light.png")), 0);
    window = START(LIGHT);
    assert_seen(in_folder("light.png"), LEFT, TOP);
    assert_closed_by("ctrl+w");
}

/* Of a screen of 1000 × 700: √0.8 of its width and of its height. */
TEST_WITH(a_window_of_no_given_size_fills_four_fifths_of_the_display, NULL, close_left_over)
{
    assert_int_equal(program_wait(START("weights.npz", "--size", "894x626", "--layout", "window",
                                        "--png", "fifths.png")),
                     0);
    window = START("weights.npz");
    assert_seen(in_folder("fifths.png"), (SCREEN_W - 894) / 2, (SCREEN_H - 626) / 2);
    assert_closed_by("q");
}

TEST_WITH(a_resized_window_is_drawn_anew_at_its_size, NULL, close_left_over)
{
    assert_int_equal(
        program_wait(START("weights.npz", "--size", SIZE, "--layout", "window", "--png", "w.png")),
        0);
    assert_int_equal(program_wait(START("weights.npz", "--size", "720x510", "--layout", "window",
                                        "--png", "s.png")),
                     0);
    window = START("weights.npz", "--size", SIZE);
    assert_seen(in_folder("w.png"), LEFT, TOP);
    find_window("search", "--onlyvisible", "--name", "Saccade", "windowsize", "720", "510", NULL);
    assert_seen(in_folder("s.png"), LEFT, TOP);
    assert_int_equal(kill(window, SIGINT), 0);
    assert_int_equal(closed(), 0); /* Ctrl-C closes it as a person would */
}

static char saved[128];          /* the picture that was saved last */
static const char *what_is_open; /* as pictures saved of it are called */

/* Saves what is shown. Nothing is saved while the first thing is being opened: then once more. */
static void save_shown(void)
{
    char name[64];
    int number = 0;
    do
        snprintf(name, sizeof name, "%s-saccade-%d.png", what_is_open, ++number);
    while (access(in_folder(name), F_OK) == 0);
    for (int attempt = 0; attempt < 30; attempt++) {
        pointer_and_keys("sleep", "0.5", "key", "s", "sleep", "0.3", "key", "Return", NULL);
        if (appears(in_folder(name), 10000)) {
            snprintf(saved, sizeof saved, "%s", in_folder(name));
            return;
        }
    }
    fail_msg("S saves nothing");
}

static bool saved_has(const char *key, const char *expected)
{
    char *value = png_text(saved, key);
    bool generates = value && strcmp(value, expected) == 0;
    free(value);
    return generates;
}

/* Saves until the picture has that text: what the keys before ask for is shown once a device has it. */
static void wait_for(const char *key, const char *expected)
{
    save_shown();
    for (int attempt = 0; attempt < 60 && !saved_has(key, expected); attempt++)
        save_shown();
    assert_png_text(saved, key, expected);
}

/* A sentence that comes plays from its beginning: it is stopped, and its second word chosen, until
 * that is what the window goes on showing. */
static void stop_at_the_second_word(void)
{
    int other = -1;
    for (int attempt = 0; attempt < 8 && other != 0; attempt++) {
        if (saved_has("playing", "yes"))
            pointer_and_keys("key", "space", NULL);
        pointer_and_keys("sleep", "0.5", "key", "Home", "key", "Right", "sleep", "0.5", NULL);
        save_shown();
        if (saved_has("playing", "no") && saved_has("word", "1"))
            other = wait_until_seen(saved, LEFT, TOP, 20000); /* the message goes after 2.5 s */
    }
    assert_int_equal(other, 0);
}

/* A scene is captioned, the next one is turned to, and its truth is shown. */
TEST_WITH(the_caption_tab_obeys_its_keys_and_s_saves_what_it_shows, NULL, close_left_over)
{
    what_is_open = "scene-3";
    window = START("--scene", "3", "--weights", "tiny.safetensors", "--size", SIZE);
    find_window("search", "--onlyvisible", "--name", "Saccade", NULL);
    pointer_and_keys("mousemove", "500", "690", NULL);
    wait_for("title", "scene 3");
    pointer_and_keys("key", "n", NULL);
    what_is_open = "scene-4";
    wait_for("title", "scene 4");
    pointer_and_keys("key", "t", NULL);
    wait_for("truth", "on");
    stop_at_the_second_word();
    assert_png_text(saved, "view", "caption");
    assert_png_text(saved, "title", "scene 4");
    assert_png_text(saved, "truth", "on");
    assert_closed_by("q");
}

/* To the Picture tab and back: each tab is as it was left. */
TEST_WITH(both_tabs_of_a_picture_are_a_key_away, NULL, close_left_over)
{
    window = START(ASSETS "/pictures/harbour.png", "--weights", "tiny.safetensors", "--size", SIZE);
    find_window("search", "--onlyvisible", "--name", "Saccade", NULL);
    pointer_and_keys("mousemove", "500", "690", "sleep", "0.5", "key", "1", "sleep", "1.5", "key",
                     "space", "key", "End", "sleep", "1", "key", "s", "sleep", "0.5", "key",
                     "Return", NULL);
    const char *picture = in_folder("harbour-saccade-1.png");
    assert_appears(picture);
    assert_png_text(picture, "view", "caption");
    assert_png_text(picture, "file", ASSETS "/pictures/harbour.png");
    unlink(picture);
    pointer_and_keys("key", "2", "sleep", "1", "key", "s", "sleep", "0.5", "key", "Return", NULL);
    assert_appears(picture);
    assert_png_text(picture, "view", "picture");
    unlink(picture);
    assert_closed_by("q");
}

/* The query is held, so that the gaze does not wander off while the two are compared. A picture
 * saved while the heat still glides shows a moment that has passed: then another one is saved. */
TEST_WITH(s_saves_what_the_window_shows_and_overwrites_nothing, NULL, close_left_over)
{
    window = START(ASSETS "/pictures/harbour.png", "--size", SIZE);
    find_window("search", "--onlyvisible", "--name", "Saccade", NULL);
    pointer_and_keys("mousemove", "200", "250", "sleep", "0.5", "click", "1", "sleep", "0.5",
                     "mousemove", "500", "690", NULL); /* the display's pixels have its cursor */
    int other = -1;
    for (int number = 1; number <= 8 && other != 0; number++) {
        char name[64];
        snprintf(name, sizeof name, "harbour-saccade-%d.png", number);
        pointer_and_keys("sleep", "1", "key", "s", "sleep", "0.5", "key", "Return", NULL);
        assert_appears(in_folder(name));
        other =
            wait_until_seen(in_folder(name), LEFT, TOP, 20000); /* the message goes after 2.5 s */
    }
    assert_int_equal(other, 0);
    assert_closed_by("ctrl+w");
}

/* The next one is opened in place of the first, and the last is followed by the first again. */
TEST_WITH(n_and_p_walk_through_pictures_in_the_picture_tab, NULL, close_left_over)
{
    char first[512], second[512];
    what_is_open = "a";
    snprintf(first, sizeof first, "%s", in_folder("walk/a.png"));
    snprintf(second, sizeof second, "%s", in_folder("walk/b.png"));
    assert_int_equal(mkdir(in_folder("walk"), 0777), 0);
    assert_int_equal(symlink(ASSETS "/pictures/harbour.png", first), 0);
    assert_int_equal(symlink(ASSETS "/pictures/garden.png", second), 0);
    window = START("walk", "--tab", "picture", "--weights", "tiny.safetensors", "--size", SIZE);
    find_window("search", "--onlyvisible", "--name", "Saccade", NULL);
    pointer_and_keys("mousemove", "500", "690", NULL);
    wait_for("file", ASSETS "/pictures/harbour.png");
    pointer_and_keys("key", "n", NULL);
    wait_for("file", ASSETS "/pictures/garden.png");
    assert_png_text(saved, "view", "picture");
    pointer_and_keys("key", "n", NULL);
    wait_for("file", ASSETS "/pictures/harbour.png");
    pointer_and_keys("key", "p", NULL);
    wait_for("file", ASSETS "/pictures/garden.png");
    assert_closed_by("q");
}

/* What is left where a driver died. */
static void assert_no_mark_of_a_build_in(const char *cache)
{
    DIR *entries = opendir(cache);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        assert_int_not_equal(strncmp(entry->d_name, "building-", 9), 0);
    if (entries)
        closedir(entries);
}

/* Nothing is compiled yet: that takes a driver seconds, and keys are answered meanwhile. */
TEST_WITH(with_empty_caches_the_window_is_there_and_closes_while_kernels_are_compiled, NULL,
          close_left_over)
{
    const char *caches = getenv("XDG_CACHE_HOME");
    char *before = caches ? strdup(caches) : NULL;
    setenv("XDG_CACHE_HOME", in_folder("no-cache"), 1);
    setenv("POCL_CACHE_DIR", in_folder("no-pocl"), 1);
    assert_int_equal(mkdir(in_folder("no-cache"), 0777), 0);
    assert_int_equal(mkdir(in_folder("no-pocl"), 0777), 0);
    window = START(ASSETS "/pictures/harbour.png", "--size", SIZE);
    find_window("search", "--onlyvisible", "--name", "Saccade", NULL);
    pointer_and_keys("mousemove", "500", "350", "key", "question", "sleep", "0.2", "key", "Escape",
                     NULL); /* puts the sheet of keys away, not the window */
    assert_int_equal(waitpid(window, NULL, WNOHANG), 0);
    assert_closed_by("ctrl+w");
    assert_no_mark_of_a_build_in(in_folder("no-cache/saccade"));
    unsetenv("POCL_CACHE_DIR");
    before ? setenv("XDG_CACHE_HOME", before, 1) : unsetenv("XDG_CACHE_HOME");
    free(before);
}

int main(void)
{
    if (!display_open(SCREEN_W, SCREEN_H)) {
        puts("skipped: install Xvfb and xdotool to see the window tested");
        return 77;
    }
    int failed = test_run(make_folder, remove_folder);
    display_close();
    return failed;
}
