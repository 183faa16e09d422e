/* The times that a person waits for in the window, measured through the parts that the window is
 * made of: the shell, the worker, SDL's software path. Only the display is a dummy. */
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "app/trainer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/notice.h"
#include "base/random/random.h"
#include "base/text/printable.h"
#include "canvas/text.h"
#include "cli/bench/bench.h"
#include "lesson/lesson_view.h"
#include "lessons/lesson_source.h"
#include "picture/picture_view.h"
#include "saccade_arrays.h"
#include "sources/files/picture/picture_source.h"
#include "sources/files/weights/weights_file.h"
#include "training/training_view.h"
#include "view/settings.h"
#include "weights/matrix_view.h"
#include "window/screen.h"
#include "window/worker.h"

#define FRAME (1.0 / 60)
#define SMOOTH 0.004       /* of a window of usual size: the machine does other things too */
#define SMOOTH_LARGE 0.016 /* of a display of 3840 × 2160, and of a page of a lesson */

/* Of each size of a window pointer and glide, in this order. */
typedef enum bench_item {
    POINTER,
    GLIDE,
    POINTER_LARGE,
    GLIDE_LARGE,
    OPEN,
    PAN,
    STEP,
    MOTION,
    START,
    ITEMS
} bench_item;

enum { WIDTH = 1280, HEIGHT = 800, LARGE_WIDTH = 3840, LARGE_HEIGHT = 2160 };

static const struct {
    const char *what;
    double target; /* seconds */
} items[ITEMS] = {
    [POINTER] = {"pointer to new picture, 32 × 32 cells, 1280 × 800", SMOOTH},
    [GLIDE] = {"a frame while the heat glides", SMOOTH},
    [POINTER_LARGE] = {"pointer to new picture, 3840 × 2160", SMOOTH_LARGE},
    [GLIDE_LARGE] = {"a frame while the heat glides", SMOOTH_LARGE},
    [OPEN] = {"a 4096 × 4096 matrix from file to picture", 1.0},
    [PAN] = {"a frame while it is panned", FRAME},
    [STEP] = {"a step of a lesson, from key to first frame", SMOOTH_LARGE},
    [MOTION] = {"a frame while the step moves", FRAME},
    [START] = {"a language model, from Start until its curve moves", 3.0},
};

/* A window's inside without a person: what is measured, and what with. */
typedef struct bench_window {
    viz_shell shell;
    viz_screen screen;
    viz_worker *worker;
    pthread_mutex_t lock;
    pthread_cond_t done;
    int finished; /* jobs the worker is through with */
    bench_times times[ITEMS];
    sac_source source; /* the matrix view's */
} bench_window;

static void on_done(void *user)
{
    bench_window *window = user;
    pthread_mutex_lock(&window->lock);
    window->finished++;
    pthread_cond_signal(&window->done);
    pthread_mutex_unlock(&window->lock);
}

/* Of a file, or a folder, of this process alone, for as long as it measures. */
static void write_path(const char *ending, char path[1024])
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, 1024, "%.900s/saccade-bench-%ld%s", folder && *folder ? folder : "/tmp",
             (long)getpid(), ending);
}

/* Puts `view` (taken over) in place of what is there. */
static sac_status window_show(bench_window *window, viz_view *view, sac_error *error)
{
    viz_shell_free(&window->shell);
    return viz_shell_add(&window->shell, view, error);
}

/* Gives the worker what the view wants; true where it wants something. */
static bool submit_job(bench_window *window)
{
    viz_view *view = viz_shell_view(&window->shell);
    viz_job *job = view->class->create_job(view);
    if (job)
        viz_worker_submit_job(window->worker, view, job);
    return job != NULL;
}

/* Gives one job and sleeps until it is back. */
static bool finish_one_job(bench_window *window)
{
    int before = window->finished;
    if (!submit_job(window))
        return false;
    pthread_mutex_lock(&window->lock);
    while (window->finished == before)
        pthread_cond_wait(&window->done, &window->lock);
    pthread_mutex_unlock(&window->lock);
    viz_worker_collect(window->worker);
    return true;
}

static sac_status draw(bench_window *window, sac_error *error)
{
    viz_shell_draw_changes(&window->shell, &window->screen.canvas, &window->screen.tiles);
    return viz_screen_present(&window->screen, error);
}

/* The window's sleep until the next frame is due. */
static void sleep_until_next_frame(double began)
{
    double left = began + FRAME - sac_now();
    if (left > 0)
        usleep((useconds_t)(left * 1e6));
}

/* ---------------------------------------------------------------- the picture view */

static sac_status measure_glide(bench_window *window, bench_item item, sac_error *error)
{
    sac_status status = SAC_OK;
    bool moving = true;
    while (moving && status == SAC_OK) {
        double start = sac_now();
        moving = viz_shell_tick(&window->shell, start);
        status = draw(window, error);
        bench_add(&window->times[item], sac_now() - start);
        sleep_until_next_frame(start);
    }
    return status;
}

/* One move of the pointer: from the event to the first frame with the new weights. *changed: the
 * pointer came to another cell. */
static sac_status measure_pointer_move(bench_window *window, bench_item item, float x, float y,
                                       bool *changed, sac_error *error)
{
    viz_view *view = viz_shell_view(&window->shell);
    int before_x, before_y, x_now, y_now;
    viz_picture_view_query(view, &before_x, &before_y);
    double start = sac_now();
    viz_shell_event(&window->shell, &(viz_event){.kind = VIZ_MOVE, .x = x, .y = y});
    viz_picture_view_query(view, &x_now, &y_now);
    *changed = x_now != before_x || y_now != before_y;
    if (!*changed)
        return SAC_OK;
    finish_one_job(window);
    viz_shell_tick(&window->shell, sac_now());
    sac_status status = draw(window, error);
    bench_add(&window->times[item], sac_now() - start);
    return status;
}

/* The pointer's times are `item`'s, a glide's those of the one after it. */
static sac_status measure_picture(bench_window *window, bench_item item, sac_error *error)
{
    enum { MOVES = 100, GLIDES = 12 };
    int moves = 0;
    sac_status status = SAC_OK;
    viz_shell_tick(&window->shell, sac_now());
    while (finish_one_job(window))
        ;
    status = draw(window, error); /* lays out */
    for (uint32_t i = 0; moves < MOVES && i < 50 * MOVES && status == SAC_OK; i++) {
        float x = viz_width(&window->screen.canvas) * sac_philox_uniform(i, 0, 1);
        float y = viz_height(&window->screen.canvas) * sac_philox_uniform(i, 1, 1);
        bool changed;
        status = measure_pointer_move(window, item, x, y, &changed, error);
        moves += changed;
        if (changed && moves % (MOVES / GLIDES) == 0 && status == SAC_OK)
            status = measure_glide(window, item + 1, error);
        if (status == SAC_OK)
            status = bench_go_on("measuring the window", 0.1 * item + 0.2 * moves / MOVES, error);
    }
    if (status == SAC_OK && moves < MOVES)
        status = sac_fail(error, SAC_E_ARGUMENT, "bench", NULL, "the picture cannot be pointed at");
    return status;
}

/* The type grows with the window, as it does for a person. */
static sac_status resize(bench_window *window, int width, int height, sac_error *error)
{
    SDL_SetWindowSize(window->screen.window, width, height);
    window->screen.forced_density = viz_usual_density(width, height, 1);
    return viz_screen_fit(&window->screen, error);
}

static sac_status bench_picture(bench_window *window, const char *device, cJSON *json,
                                sac_error *error)
{
    sac_image image = {0};
    sac_source source = {0};
    viz_view *view = NULL;
    /* Soft spots of many colours, 960 × 960. */
    enum { SIDE = 960 };
    sac_status status = sac_image_create(SIDE, SIDE, &image, error);
    for (int i = 0; status == SAC_OK && i < SIDE * SIDE; i++) {
        float x = (float)(i % SIDE) / SIDE, y = (float)(i / SIDE) / SIDE;
        for (int c = 0; c < 3; c++) {
            float wave = sinf((7 + 3 * (float)c) * x + 5 * sinf((9 - 2 * (float)c) * y));
            image.rgba[4 * i + c] = (uint8_t)(127.5f + 120 * wave);
        }
        image.rgba[4 * i + 3] = 255;
    }
    if (status == SAC_OK)
        status = sac_picture_from_image(&image, device, &source, error);
    if (status == SAC_OK)
        status = viz_picture_view_create(&source, NULL, &view, error);
    if (status == SAC_OK)
        status = window_show(window, view, error);
    if (status == SAC_OK)
        status = measure_picture(window, POINTER, error);
    if (status == SAC_OK)
        status = resize(window, LARGE_WIDTH, LARGE_HEIGHT, error);
    if (status == SAC_OK)
        status = measure_picture(window, POINTER_LARGE, error);
    if (status == SAC_OK)
        status = resize(window, WIDTH, HEIGHT, error);
    if (status == SAC_OK && json)
        cJSON_AddStringToObject(json, "device", source.origin.device);
    else if (status == SAC_OK) {
        cli_progress_clear();
        sac_print(stdout, "the window on %s\n\n", source.origin.device);
    }
    viz_shell_free(&window->shell);
    window->shell = (viz_shell){0};
    sac_source_destroy(&source);
    sac_image_free(&image);
    return status;
}

/* ---------------------------------------------------------------- the matrix view */

enum { TOKENS = 4096 };

/* Weights that fall off around the diagonal, rows summing to 1, as float32 .npz at `path`. */
static sac_status write_matrix(const char *path, sac_error *error)
{
    sac_array weights;
    sac_status status = sac_array_create(SAC_F32, 2, (size_t[]){TOKENS, TOKENS}, &weights, error);
    float *row = weights.data;
    for (int i = 0; status == SAC_OK && i < TOKENS; i++, row += TOKENS) {
        float sum = 0;
        for (int j = 0; j < TOKENS; j++)
            sum += row[j] = 1 / (16.0f + abs(i - j) + (float)((i * 7 + j * 13) % 61));
        for (int j = 0; j < TOKENS; j++)
            row[j] /= sum;
    }
    sac_named_array named = {"attention", &weights};
    if (status == SAC_OK)
        status = sac_npz_save(path, &named, 1, error);
    sac_array_free(&weights);
    return status;
}

static sac_status open_matrix(bench_window *window, const char *path, sac_error *error)
{
    viz_weights_model *model = NULL;
    viz_view *view = NULL;
    sac_source *source = &window->source;
    double start = sac_now();
    viz_shell_free(&window->shell);
    sac_source_destroy(source);
    sac_status status =
        sac_weights_file_open(&(sac_weights_file_options){.path = path}, source, error);
    if (status == SAC_OK)
        status = viz_weights_model_create(source, &model, error);
    if (status == SAC_OK)
        status = viz_matrix_view_create(model, &view, error);
    viz_weights_model_release(model);
    if (status == SAC_OK)
        status = window_show(window, view, error);
    if (status != SAC_OK)
        return status;
    viz_shell_tick(&window->shell, sac_now());
    status = draw(window, error); /* lays out, so that the view knows what it wants */
    while (status == SAC_OK && finish_one_job(window))
        ;
    viz_shell_tick(&window->shell, sac_now());
    if (status == SAC_OK)
        status = draw(window, error);
    bench_add(&window->times[OPEN], sac_now() - start);
    return status;
}

/* A drag across a part of the matrix at full size, with blocks coming in from the worker as they do
 * in the window. */
static sac_status measure_matrix_pan(bench_window *window, sac_error *error)
{
    enum { FRAMES = 120, NOTCHES = 14 };
    const float x = 400, y = 300;
    viz_shell *shell = &window->shell;
    sac_status status = SAC_OK;
    for (int i = 0; i < NOTCHES; i++)
        viz_shell_event(shell, &(viz_event){.kind = VIZ_WHEEL, .x = x, .y = y, .wheel_y = 1});
    viz_shell_event(shell, &(viz_event){.kind = VIZ_PRESS, .x = x, .y = y, .button = 1});
    for (int i = 0; i < FRAMES && status == SAC_OK; i++) {
        double start = sac_now();
        float way = 4.0f * (float)(i % 60);
        viz_shell_event(shell,
                        &(viz_event){.kind = VIZ_MOVE, .x = x - way, .y = y - way, .button = 1});
        viz_worker_collect(window->worker);
        if (viz_worker_is_idle(window->worker))
            submit_job(window);
        viz_shell_tick(shell, sac_now());
        status = draw(window, error);
        bench_add(&window->times[PAN], sac_now() - start);
        sleep_until_next_frame(start);
    }
    while (!viz_worker_is_idle(window->worker))
        if (!viz_worker_collect(window->worker))
            usleep(100);
    return status;
}

/* ---------------------------------------------------------------- lessons */

/* All steps of a lesson, forward: the first frame after each key, and the frames until the step stands
 * still, by a clock that need not be waited for. Of the frames every fourth is counted. */
static sac_status measure_lesson_steps(bench_window *window, sac_error *error)
{
    enum { COUNTED = 4 };
    viz_shell *shell = &window->shell;
    double clock = sac_now();
    sac_status status = SAC_OK;
    bool changed = true;
    viz_shell_tick(shell, clock);
    while (finish_one_job(window))
        ;
    status = draw(window, error); /* lays out */
    while (changed && status == SAC_OK) {
        int frame = 0;
        double start = sac_now();
        changed = viz_shell_event(shell, &(viz_event){.kind = VIZ_KEY, .key = VIZ_KEY_RIGHT});
        bool moves = changed && viz_shell_tick(shell, clock);
        if (changed) {
            status = draw(window, error);
            bench_add(&window->times[STEP], sac_now() - start);
        }
        while (finish_one_job(window))
            ;
        while (moves && status == SAC_OK) {
            start = sac_now();
            moves = viz_shell_tick(shell, clock += FRAME);
            status = draw(window, error);
            if (frame++ % COUNTED == 0)
                bench_add(&window->times[MOTION], sac_now() - start);
        }
    }
    return status;
}

static sac_status bench_lessons(bench_window *window, const char *device, sac_error *error)
{
    static const char *const names[] = {"step-by-step", "why-scale", "transformer-block"};
    enum { COUNT = sizeof names / sizeof *names };
    sac_status status = SAC_OK;
    for (int i = 0; i < COUNT && status == SAC_OK; i++) {
        sac_lessons_options options = {.device = device};
        sac_source source = {0};
        viz_view *view = NULL;
        snprintf(options.lesson.name, sizeof options.lesson.name, "%s", names[i]);
        status = sac_lessons_open(&options, &source, error);
        if (status == SAC_OK)
            status = viz_lesson_view_create(&source, NULL, &view, error);
        if (status == SAC_OK)
            status = window_show(window, view, error);
        if (status == SAC_OK)
            status = measure_lesson_steps(window, error);
        if (status == SAC_OK)
            status = bench_go_on("measuring the window", 0.85 + 0.05 * (i + 1) / COUNT, error);
        viz_shell_free(&window->shell);
        window->shell = (viz_shell){0};
        sac_source_destroy(&source);
    }
    return status;
}

/* ---------------------------------------------------------------- trainings */

static void note_step(void *user, const char *key, const char *value)
{
    if (strcmp(key, "step") == 0)
        *(size_t *)user = strtoull(value, NULL, 10);
}

/* Frames as in the window, until two steps were drawn. */
static sac_status draw_two_steps(bench_window *window, const app_training *training,
                                 sac_error *error)
{
    viz_shell *shell = &window->shell;
    size_t first = 0, step = 0;
    sac_status status = SAC_OK;
    while (status == SAC_OK && (step == first || !first)) {
        const double start = sac_now();
        viz_shell_tick(shell, start);
        viz_worker_collect(window->worker);
        if (viz_worker_is_idle(window->worker))
            submit_job(window);
        status = draw(window, error);
        first = step && !first ? step : first;
        viz_view_describe(viz_shell_view(shell), note_step, &step);
        if (status == SAC_OK && step == first && app_training_has_ended(training))
            status = sac_fail(error, SAC_E_VALUE, "bench", NULL, "the training ended too early");
        sleep_until_next_frame(start);
    }
    while (!viz_worker_is_idle(window->worker))
        if (!viz_worker_collect(window->worker))
            usleep(100);
    return status;
}

/* Of sentences that are made, into `folder`: what is opened for a person who presses Start. */
static sac_status measure_start(bench_window *window, const char *device, const char *folder,
                                sac_error *error)
{
    app_training *training = NULL;
    viz_view *view = NULL;
    sac_training_wish wish = {.steps = 2000};
    sac_source source = app_trainer_source(NULL);
    while (strcmp(source.trainer.offers[wish.offer].name, "language") != 0)
        wish.offer++;
    snprintf(wish.out, sizeof wish.out, "%s/model", folder);
    const double start = sac_now();
    sac_status status = app_training_begin(&wish, device, &training, error);
    if (status == SAC_OK) {
        source = app_trainer_source(training);
        status = viz_training_view_create(&source, NULL, &view, error);
    }
    if (status == SAC_OK)
        status = window_show(window, view, error);
    if (status == SAC_OK)
        status = draw_two_steps(window, training, error);
    bench_add(&window->times[START], sac_now() - start);
    viz_shell_free(&window->shell);
    window->shell = (viz_shell){0};
    app_training_release(training); /* its weights are written */
    return status;
}

static int remove_entry(const char *path, const struct stat *of, int kind, struct FTW *walk)
{
    (void)of;
    (void)kind;
    (void)walk;
    return remove(path);
}

static sac_status bench_trainings(bench_window *window, const char *device, sac_error *error)
{
    enum { COUNT = 3 };
    char folder[1024];
    sac_status status = SAC_OK;
    write_path("", folder);
    sac_notice_listen(NULL, NULL); /* of the text, which is of no interest here */
    if (mkdir(folder, 0700) != 0)
        status = sac_fail(error, SAC_E_FILE, folder, NULL, "cannot be made: %s", strerror(errno));
    for (int i = 0; i < COUNT && status == SAC_OK; i++) {
        status = measure_start(window, device, folder, error);
        if (status == SAC_OK)
            status = bench_go_on("measuring the window", 0.9 + 0.1 * (i + 1) / COUNT, error);
    }
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    sac_notice_listen(cli_notice_show, NULL);
    return status;
}

/* ---------------------------------------------------------------- reports */

/* Held where 95 of 100 are within the target: a median would hide dropped frames. */
static void print(const bench_window *window, cJSON *json)
{
    static const bench_column columns[] = {{"what", "milliseconds", -52},
                                           {"ms", "median", 9, 2},
                                           {"ms_95", "95 %", 9, 2},
                                           {"target_ms", "target", 9, 1},
                                           {"runs"},
                                           {"held", .is_bool = true},
                                           {NULL, "", -6},
                                           {0}};
    cJSON *list = json ? cJSON_AddArrayToObject(json, "cases") : NULL;
    if (!json)
        bench_print_heading(columns);
    for (int i = 0; i < ITEMS; i++) {
        const bench_times *times = &window->times[i];
        double most = 1e3 * bench_quantile(times, 0.95), target = 1e3 * items[i].target;
        bench_print_row(list, columns,
                        (bench_cell[]){{items[i].what},
                                       {NULL, bench_median_ms(times)},
                                       {NULL, most},
                                       {NULL, target},
                                       {NULL, times->count},
                                       {NULL, most <= target},
                                       {most <= target ? "held" : "missed"}});
    }
}

sac_status bench_view(const char *device_selector, cJSON *json, sac_error *error)
{
    bench_window *window = calloc(1, sizeof *window);
    if (!window)
        return sac_no_memory(error, "bench");
    const viz_window_options options = {.width = WIDTH, .height = HEIGHT, .density = 1};
    pthread_mutex_init(&window->lock, NULL);
    pthread_cond_init(&window->done, NULL);
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    sac_status status = viz_screen_open(&window->screen, &options, error);
    if (status == SAC_OK)
        status = viz_worker_create(on_done, window, &window->worker, error);
    if (status == SAC_OK)
        status = bench_picture(window, device_selector, json, error);
    if (status == SAC_OK) {
        char path[1024];
        write_path(".npz", path);
        status = write_matrix(path, error);
        for (int i = 0; i < 5 && status == SAC_OK; i++) {
            status = open_matrix(window, path, error);
            if (status == SAC_OK)
                status = bench_go_on("measuring the window", 0.5 + 0.08 * i, error);
        }
        if (status == SAC_OK)
            status = measure_matrix_pan(window, error);
        unlink(path);
    }
    if (status == SAC_OK)
        status = bench_lessons(window, device_selector, error);
    if (status == SAC_OK)
        status = bench_trainings(window, device_selector, error);
    cli_progress_clear();
    if (status == SAC_OK)
        print(window, json);
    viz_worker_destroy(window->worker);
    viz_shell_free(&window->shell);
    sac_source_destroy(&window->source);
    viz_screen_close(&window->screen);
    viz_text_close();
    pthread_cond_destroy(&window->done);
    pthread_mutex_destroy(&window->lock);
    free(window);
    return status;
}
