/* A map of 32768 queries and keys, as a person meets it in the window: how soon there is a coarse
 * picture, how soon every dot is what it should be, how it pans, and what it takes of memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random/random.h"
#include "base/text/printable.h"
#include "canvas/text.h"
#include "measure.h"
#include "saccade_arrays.h"
#include "sources/files/weights/weights_file.h"
#include "weights/matrix_view.h"
#include "weights/weights_view.h"
#include "window/screen.h"
#include "window/worker.h"

enum { TOKENS = 32768, DIM = 64, WIDTH = 1280, HEIGHT = 800 };

#define FRAME (1.0 / 60)
#define NEAR_CELL 24.0f /* of cells at full zoom */

typedef enum bench_item { OPENED, COARSE, COMPLETE, PAN, TILE, MEMORY, ITEMS } bench_item;

static const struct {
    const char *what;
    double target; /* milliseconds, or MiB; 0: none */
} items[ITEMS] = {
    [OPENED] = {"opening the file, ms", 0},
    [COARSE] = {"then a coarse picture of all, ms", 500},
    [COMPLETE] = {"every dot exact, ms", 10000},
    [PAN] = {"a frame while what is there is panned, ms", 1e3 * FRAME},
    [TILE] = {"a new part of 128 × 128 cells at full zoom, ms", 16},
    [MEMORY] = {"memory beside the program and the inputs, MiB", 256},
};

typedef struct bench_map_state {
    viz_shell shell;
    viz_screen screen;
    viz_worker *worker;
    sac_source source;
    bench_times times[ITEMS]; /* in the unit of their item */
} bench_map_state;

static void on_done(void *user)
{
    (void)user; /* it is called every frame */
}

static viz_weights_view *view_of(bench_map_state *m)
{
    return (viz_weights_view *)viz_shell_view(&m->shell);
}

/* The largest resident memory so far, MiB; NaN where it is unknown. */
static double most_memory(void)
{
    char line[128];
    double kilobytes = NAN;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %lf kB", &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return kilobytes / 1024;
}

/* Bands around the diagonal, a sink, and noise: query and key [1,1,T,d] as float32 .npz. */
static sac_status write_inputs(const char *path, sac_error *error)
{
    size_t shape[] = {1, 1, TOKENS, DIM};
    sac_array query = {0}, key = {0};
    sac_status status = sac_array_create(SAC_F32, 4, shape, &query, error);
    if (status == SAC_OK)
        status = sac_array_create(SAC_F32, 4, shape, &key, error);
    float *q = query.data, *k = key.data;
    for (size_t t = 0; t < TOKENS && status == SAC_OK; t++, q += DIM, k += DIM)
        for (size_t c = 0; c < DIM; c++) {
            float turn = (float)t * powf(300, -(float)(c / 2) / (DIM / 2.0f));
            float wave = c % 2 ? sinf(turn) : cosf(turn);
            q[c] = 1.5f * wave + sac_philox_uniform((uint32_t)t, (uint32_t)c, 1);
            k[c] = 1.5f * wave + sac_philox_uniform((uint32_t)t, (uint32_t)c, 2);
        }
    sac_named_array named[] = {{"query", &query}, {"key", &key}};
    if (status == SAC_OK)
        status = sac_npz_save(path, named, 2, error);
    sac_array_free(&query);
    sac_array_free(&key);
    return status;
}

/* One turn of the window's loop: what is back is taken, the worker gets the next job, a frame is drawn. */
static sac_status turn(bench_map_state *m, sac_error *error)
{
    viz_view *view = viz_shell_view(&m->shell);
    viz_worker_collect(m->worker);
    if (viz_worker_is_idle(m->worker)) {
        viz_job *job = view->class->create_job(view);
        if (job)
            viz_worker_submit_job(m->worker, view, job);
    }
    viz_shell_tick(&m->shell, sac_now());
    viz_shell_draw_changes(&m->shell, &m->screen.canvas, &m->screen.tiles);
    return viz_screen_present(&m->screen, error);
}

static void pace(double began)
{
    double left = began + FRAME - sac_now();
    if (left > 0)
        usleep((useconds_t)(left * 1e6));
}

static sac_status open_map(bench_map_state *m, const char *path, const char *device,
                           sac_error *error)
{
    viz_weights_model *model = NULL;
    viz_view *view = NULL;
    double start = sac_now();
    sac_status status = sac_weights_file_open(
        &(sac_weights_file_options){.path = path, .device = device, .spec = {.causal = true}},
        &m->source, error);
    if (status == SAC_OK)
        status = viz_weights_model_create(&m->source, &model, error);
    if (status == SAC_OK)
        status = viz_matrix_view_create(model, &view, error);
    viz_weights_model_release(model);
    if (status == SAC_OK)
        status = viz_shell_add(&m->shell, view, error);
    bench_add(&m->times[OPENED], 1e3 * (sac_now() - start));
    return status;
}

/* From the first frame until all that is seen is exact. */
static sac_status fill(bench_map_state *m, sac_error *error)
{
    double start = sac_now();
    bool coarse = false, complete = false;
    sac_status status = SAC_OK;
    while (!complete && status == SAC_OK) {
        double began = sac_now();
        status = turn(m, error);
        viz_panel_progress p = viz_panel_get_progress(&view_of(m)->panel);
        if (!coarse && (p.stands || (p.blocks && p.done == p.blocks))) {
            coarse = true;
            bench_add(&m->times[COARSE], 1e3 * (sac_now() - start));
        }
        complete = p.blocks && p.done == p.blocks;
        if (!complete)
            pace(began);
    }
    bench_add(&m->times[COMPLETE], 1e3 * (sac_now() - start));
    return status;
}

/* A drag to and fro over blocks that are kept. */
static sac_status pan(bench_map_state *m, sac_error *error)
{
    enum { FRAMES = 180, WARM = 60 };
    const float x = 400, y = 300;
    sac_status status = SAC_OK;
    viz_shell_event(&m->shell, &(viz_event){.kind = VIZ_WHEEL, .x = x, .y = y, .wheel_y = 4});
    for (int i = 0; i < 2 && status == SAC_OK; i++)
        status = fill(m, error);
    m->times[COARSE].count = m->times[COMPLETE].count = 1; /* those of the whole */
    viz_shell_event(&m->shell, &(viz_event){.kind = VIZ_PRESS, .x = x, .y = y, .button = 1});
    for (int i = 0; i < FRAMES && status == SAC_OK; i++) {
        double began = sac_now();
        float way = 60 * sinf((float)i * 0.1f);
        viz_shell_event(&m->shell,
                        &(viz_event){.kind = VIZ_MOVE, .x = x - way, .y = y - way, .button = 1});
        status = turn(m, error);
        if (i >= WARM) /* what is panned over is there by then */
            bench_add(&m->times[PAN], 1e3 * (sac_now() - began));
        pace(began);
    }
    viz_shell_event(&m->shell, &(viz_event){.kind = VIZ_RELEASE, .x = x, .y = y, .button = 1});
    return status;
}

/* Waits for the worker, and takes what it has. */
static void rest(bench_map_state *m)
{
    while (!viz_worker_is_idle(m->worker))
        if (!viz_worker_collect(m->worker))
            usleep(100);
}

/* Single parts at places where nothing was looked at, with the log-sum-exp of their rows. */
static sac_status near_parts(bench_map_state *m, sac_error *error)
{
    enum { PLACES = 40 };
    sac_status status = SAC_OK;
    viz_view *view = viz_shell_view(&m->shell);
    viz_panel *panel = &view_of(m)->panel;
    rest(m);
    for (uint32_t i = 0; i < PLACES && status == SAC_OK; i++) {
        float place = sac_philox_uniform(i, 3, 5);
        panel->zoomed = true;
        panel->cell_w = panel->cell_h = NEAR_CELL;
        panel->x = (double)(place * (TOKENS - 200));
        panel->y = (double)(sac_philox_uniform(i, 4, 5) * (TOKENS - 200));
        viz_shell_draw_changes(&m->shell, &m->screen.canvas, &m->screen.tiles);
        viz_job *job = view->class->create_job(view);
        if (!job)
            continue;
        const viz_weights_job *wanted = (const viz_weights_job *)job;
        bool part = wanted->kind == VIZ_JOB_BLOCKS;
        double start = sac_now();
        status = view->class->run_job(view, job, error);
        double each = 1e3 * (sac_now() - start) /
                      (double)(part ? wanted->blocks_done + !wanted->blocks_done : 1);
        view->class->finish_job(view, job, status == SAC_OK ? NULL : error);
        if (part)
            bench_add(&m->times[TILE], each);
        else
            i--;
    }
    return status;
}

static void print(const bench_map_state *m, cJSON *json)
{
    static const bench_column columns[] = {{"what", "", -52},
                                           {"median", "median", 9, 1},
                                           {"most", "95 %", 9, 1},
                                           {"target", "target", 9, 1},
                                           {"held", .is_bool = true},
                                           {NULL, "", -6},
                                           {0}};
    cJSON *list = json ? cJSON_AddArrayToObject(json, "cases") : NULL;
    if (json) {
        cJSON_AddStringToObject(json, "device", m->source.origin.device);
    } else {
        sac_print(stdout, "a map of %d × %d, d = %d, on %s\n\n", TOKENS, TOKENS, DIM,
                  m->source.origin.device);
        bench_print_heading(columns);
    }
    for (int i = 0; i < ITEMS; i++) {
        double most = bench_quantile(&m->times[i], 0.95), target = items[i].target;
        bool has_target = target > 0, is_held = most <= target;
        bench_print_row(list, columns,
                        (bench_cell[]){{items[i].what},
                                       {NULL, bench_quantile(&m->times[i], 0.5)},
                                       {NULL, most},
                                       {NULL, has_target ? target : NAN},
                                       {NULL, !has_target || is_held},
                                       {!has_target ? ""
                                        : is_held   ? "held"
                                                    : "missed"}});
    }
}

static sac_status measure(bench_map_state *m, const char *path, const char *device,
                          sac_error *error)
{
    double before = most_memory(), inputs = 2.0 * TOKENS * DIM * sizeof(float) / 0x1p20;
    sac_status status = open_map(m, path, device, error);
    if (status == SAC_OK)
        status = fill(m, error);
    if (status == SAC_OK)
        status = pan(m, error);
    if (status == SAC_OK)
        status = near_parts(m, error);
    bench_add(&m->times[MEMORY], most_memory() - before - inputs);
    return status;
}

sac_status measure_map(const char *device_selector, cJSON *json, sac_error *error)
{
    const char *folder = getenv("TMPDIR");
    char path[1024];
    bench_map_state *m = calloc(1, sizeof *m);
    if (!m)
        return sac_no_memory(error, "measure");
    const viz_window_options options = {.width = WIDTH, .height = HEIGHT, .density = 1};
    snprintf(path, sizeof path, "%s/saccade-bench-map-%ld.npz", folder && *folder ? folder : "/tmp",
             (long)getpid());
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    sac_status status = viz_screen_open(&m->screen, &options, error);
    if (status == SAC_OK)
        status = viz_worker_create(on_done, m, &m->worker, error);
    if (status == SAC_OK)
        status = write_inputs(path, error);
    if (status == SAC_OK)
        status = measure(m, path, device_selector, error);
    if (status == SAC_OK)
        print(m, json);
    viz_worker_destroy(m->worker);
    viz_shell_free(&m->shell);
    sac_source_destroy(&m->source);
    viz_screen_close(&m->screen);
    viz_text_close();
    unlink(path);
    free(m);
    return status;
}
