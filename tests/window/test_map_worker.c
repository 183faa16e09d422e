/* A long map in the window's loop: a worker computes its pieces while the map is drawn, panned, zoomed
 * and closed. Run under ThreadSanitizer it holds that the two threads share nothing else. */
#include <unistd.h>

#include "base/clock.h"
#include "canvas/text.h"
#include "fake_map.h"
#include "status.h"
#include "test.h"
#include "weights/matrix_view.h"
#include "weights/weights_view.h"
#include "window/worker.h"

enum { TOKENS = 9001, HEADS = 3, WIDTH = 800, HEIGHT = 500 };

typedef struct room {
    sac_source source;
    viz_view *view;
    viz_worker *worker;
    viz_canvas canvas;
    double now;
} room;

static int open_room(void **state)
{
    viz_weights_model *model;
    room *r = calloc(1, sizeof *r);
    assert_non_null(r);
    assert_int_equal(viz_text_open(NULL), SAC_OK);
    r->source = fake_map_source(HEADS, TOKENS, TOKENS, NULL);
    OK(viz_weights_model_create(&r->source, &model, &failure));
    OK(viz_matrix_view_create(model, &r->view, &failure));
    viz_weights_model_release(model);
    OK(viz_canvas_create(WIDTH, HEIGHT, 1, &viz_theme_dark, &r->canvas, &failure));
    OK(viz_worker_create(NULL, NULL, &r->worker, &failure));
    *state = r;
    return 0;
}

static int close_room(void **state)
{
    room *r = *state;
    viz_worker_destroy(r->worker);
    viz_view_destroy(r->view);
    viz_canvas_free(&r->canvas);
    viz_text_close();
    free(r);
    return 0;
}

#define IN_ROOM(name) TEST_ON(room, r, name, open_room, close_room)

/* A frame of the window, and a job for the worker where it is idle. */
static void turn(room *r)
{
    viz_worker_collect(r->worker);
    viz_job *job = viz_worker_is_idle(r->worker) ? r->view->class->create_job(r->view) : NULL;
    if (job)
        viz_worker_submit_job(r->worker, r->view, job);
    r->view->class->tick(r->view, r->now += 1.0 / 60);
    viz_clear(&r->canvas);
    r->view->class->draw(r->view, &r->canvas, (viz_rect){0, 0, WIDTH, HEIGHT});
}

static viz_panel_progress progress(const room *r)
{
    return viz_panel_get_progress(&((viz_weights_view *)r->view)->panel);
}

IN_ROOM(the_map_comes_in_while_a_person_goes_about)
{
    for (int i = 0; i < 20000 && progress(r).stands == 0; i++) {
        turn(r);
        usleep(500);
    }
    assert_true(progress(r).stands > 0);
    for (int i = 0; i < 120; i++) {
        const viz_event wheel = {.kind = VIZ_WHEEL, .x = 200, .y = 200, .wheel_y = i % 3 - 0.8f};
        const viz_event head = {.kind = VIZ_KEY, .key = VIZ_KEY_RIGHT};
        turn(r);
        if (i % 5 == 0)
            r->view->class->event(r->view, &wheel);
        if (i % 40 == 39)
            r->view->class->event(r->view, &head);
        usleep(1000);
    }
    viz_panel_progress p = progress(r);
    for (int i = 0; i < 20000 && p.done < p.blocks; i++) {
        turn(r);
        usleep(500);
        p = progress(r);
    }
    assert_int_equal(p.done, p.blocks);
}

/* A piece is short: closing the window, or going elsewhere, does not wait for a whole map. */
IN_ROOM(it_can_be_left_amid_a_job)
{
    for (int i = 0; i < 30 && progress(r).stands == 0; i++) {
        turn(r);
        usleep(2000);
    }
    turn(r);
    double start = sac_now();
    while (!viz_worker_is_idle(r->worker))
        if (!viz_worker_collect(r->worker))
            usleep(100);
    assert_true(sac_now() - start < 5); /* on a machine that is slow, and under a sanitizer */
}

TEST_MAIN(NULL, NULL)
