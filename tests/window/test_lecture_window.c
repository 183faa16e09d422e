/* A lecture on a display: made in windows stop by stop, opened again, and walked by keys. */
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "display.h"
#include "saccade_arrays.h"
#include "sources/lecture.h"
#include "status.h"
#include "test.h"

enum { SCREEN_W = 1000, SCREEN_H = 700, WINDOW_W = 900, WINDOW_H = 600 };
#define SIZE "900x600"
enum { LEFT = (SCREEN_W - WINDOW_W) / 2, TOP = (SCREEN_H - WINDOW_H) / 2 };
/* A place of the window that nothing answers: a weight below the pointer would be shown. */
#define STILL "56", "646"
#define LECTURE "lecture-1.lecture" /* as the window proposes it */

static char folder[] = "/tmp/saccade-lecture-XXXXXX";
static pid_t window; /* 0: none is open */

static const char *in_folder(const char *name)
{
    return path_in(folder, name);
}

static pid_t start(const char *const *words)
{
    const char *arguments[16] = {SACCADE_PROGRAM};
    for (int i = 0; words[i]; i++)
        arguments[i + 1] = words[i];
    return program_start(arguments, folder, false);
}

#define START(...) start((const char *const[]){__VA_ARGS__, NULL})
#define WRITE(...)                                                                                 \
    assert_int_equal(program_wait(START(__VA_ARGS__, "--layout", "window", "--size", SIZE)), 0)

/* Weights [2,1,3,12,12], of which nothing is computed: no time stands in a picture of them. */
static int make_folder(void **state)
{
    float weights[2 * 3 * 12][12];
    (void)state;
    assert_non_null(mkdtemp(folder));
    for (int row = 0; row < 2 * 3 * 12; row++)
        for (int key = 0; key < 12; key++)
            weights[row][key] = key == (row * 5 + row / 12) % 12 ? 0.45f : 0.05f;
    sac_array array = sac_array_view(SAC_F32, 5, (size_t[]){2, 1, 3, 12, 12}, weights);
    sac_named_array named = {"attentions", &array};
    OK(sac_npz_save(in_folder("weights.npz"), &named, 1, NULL));
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    const char *const arguments[] = {"rm", "-rf", folder, NULL};
    return program_wait(program_start(arguments, NULL, false));
}

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

static void press(const char *key)
{
    pointer_and_keys("mousemove", STILL, "key", key, "mousemove", "0", "0", NULL);
}

static void close_window(void)
{
    pid_t child = window;
    press("ctrl+q");
    window = 0;
    assert_int_equal(program_wait(child), 0);
}

/* Waits until the lecture has so many stops. */
static void wait_for_stops(int count)
{
    sac_lecture lecture = {0};
    for (int waited = 0; lecture.count != count && waited < 60000; waited += 100) {
        usleep(100000);
        sac_lecture_free(&lecture);
        sac_lecture_load(in_folder(LECTURE), &lecture, NULL);
    }
    assert_int_equal(lecture.count, count);
    sac_lecture_free(&lecture);
}

static void assert_stop_shows(int stop, const char *key, const char *value)
{
    sac_lecture lecture;
    OK(sac_lecture_load(in_folder(LECTURE), &lecture, &failure));
    assert_string_equal(sac_png_texts_get(&lecture.stops[stop].shows, key), value);
    sac_lecture_free(&lecture);
}

/* Adds what is shown to the file that the dialog asks for. */
static void add_to_lecture(int stops)
{
    pointer_and_keys("mousemove", STILL, "key", "ctrl+d", "sleep", "1", "key", "ctrl+a", "type",
                     LECTURE, NULL);
    pointer_and_keys("sleep", "0.5", "key", "Return", NULL);
    wait_for_stops(stops);
}

/* A lecture of one stop, as a person may write it. */
static void write_lesson(const char *name)
{
    sac_lecture lecture = {0};
    const sac_png_text shows[] = {{"view", "lesson"}, {"lesson", "why-scale"}, {"step", "2"}};
    assert_true(sac_lecture_insert(&lecture, 0, "Why divide", shows, 3));
    OK(sac_lecture_save(in_folder(name), &lecture, NULL));
    sac_lecture_free(&lecture);
}

/* Of what is shown alike by the window and by its picture. */
static void make_lecture(void)
{
    WRITE("weights.npz", "--png", "heads.png");
    WRITE("weights.npz", "--tab", "matrix", "--png", "matrix.png");
    write_lesson("lesson.lecture");
    WRITE("lesson.lecture", "--png", "lesson.png");
    window = START("weights.npz", "--size", SIZE);
    assert_seen(in_folder("heads.png"), LEFT, TOP);
    add_to_lecture(1);
    press("ctrl+d"); /* to the same one, without a question */
    wait_for_stops(2);
    pointer_and_keys("sleep", "0.5", "key", "ctrl+z", NULL);
    wait_for_stops(1);
    close_window();
    window = START("weights.npz", "--tab", "matrix", "--size", SIZE);
    assert_seen(in_folder("matrix.png"), LEFT, TOP);
    add_to_lecture(2);
    close_window();
    window = START("lesson.png", "--size", SIZE);
    assert_seen(in_folder("lesson.png"), LEFT, TOP);
    add_to_lecture(3);
    close_window();
}

TEST_WITH(a_lecture_made_in_windows_shows_each_stop_as_its_own_picture, NULL, close_left_over)
{
    make_lecture();
    assert_stop_shows(0, "view", "heads");
    assert_stop_shows(0, "file", "weights.npz"); /* from the lecture's folder */
    assert_stop_shows(1, "view", "matrix");
    assert_stop_shows(2, "view", "lesson");
    assert_stop_shows(2, "step", "2");

    window = START("lecture", LECTURE, "--size", SIZE);
    assert_seen(in_folder("heads.png"), LEFT, TOP);
    press("Right");
    assert_seen(in_folder("matrix.png"), LEFT, TOP);
    press("Next"); /* as a clicker sends it */
    assert_seen(in_folder("lesson.png"), LEFT, TOP);
    press("Next"); /* there is no other */
    pointer_and_keys("sleep", "0.5", "key", "Prior", "sleep", "0.5", "key", "Left", NULL);
    assert_seen(in_folder("heads.png"), LEFT, TOP);

    /* A stop whose file is gone is a line, and the lecture goes on. */
    assert_int_equal(rename(in_folder("weights.npz"), in_folder("elsewhere.npz")), 0);
    press("Right");
    press("Right");
    assert_seen(in_folder("lesson.png"), LEFT, TOP);
    press("Left");
    find_window("search", "--onlyvisible", "--name", "lecture-1-2 - Saccade", NULL);
    sleep(1); /* and the frame that follows */
    assert_true(wait_until_seen(in_folder("lesson.png"), LEFT, TOP, 500) > 0);
    close_window();
}

int main(void)
{
    if (!display_open(SCREEN_W, SCREEN_H)) {
        puts("skipped: install Xvfb and xdotool to see the window tested");
        return 77;
    }
    setenv("SACCADE_DEVICE", "pocl", 0);
    int failed = test_run(make_folder, remove_folder);
    display_close();
    return failed;
}
